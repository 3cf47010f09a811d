"""Wrong answers to the exercises of *Theorem 1* are refused and told what is wrong."""

import math

import numpy as np
from scipy.optimize import bisect, brentq
from scipy.special import lambertw

from pdpbook import NVOGame, laplace_kernel, scale_bound
from pdpbook.per_instance import uniform_release_scale
from tests.tools.answers import answer_tests


def needed(scale, epsilon, rounded=math.ceil, least=2):
    return max(least, rounded(math.expm1(1 / scale) / math.expm1(epsilon)))


def needed_by_search(scale, epsilon):
    n = 2
    while scale_bound(n, epsilon) > scale:
        n += 1
    return n


def three(n, epsilon, branch=-1):
    growth = math.expm1(epsilon)
    c = 1 / (1 + n * growth)
    u = -c - lambertw(-c * math.exp(-c), branch).real
    return 1 / u if u else math.inf, 1 / math.log1p(n * growth), 1 / math.log1p((n - 1) * growth)


def careful_by_bisection(n, epsilon):
    target = math.log1p(n * math.expm1(epsilon))
    u = bisect(lambda u: math.log(math.expm1(u) / u) - target, 1e-9, 100, xtol=1e-14)
    return np.array([1 / u, *three(n, epsilon)[1:]])


def pair(factor=1.0001, large=1e5, counts=(2, 0, 0, 0, 0, 0, 0, 0, 1, 1), scales=True, action=0):
    """The game of the solutions page, with changes."""
    n = sum(counts)
    both = np.array([factor * uniform_release_scale(n, 0.2), large])
    kernel = laplace_kernel(len(counts), both)
    game = NVOGame(np.array(counts), kernel, epsilon=0.2, scales=both if scales else None)
    return game, game.constant_profile(action)


def on_grid(n, epsilon, bins, factor=1.0):
    target = math.log1p(n * math.expm1(epsilon))

    def excess(scale):
        step = 1 / (bins * scale)
        return math.log(2 / (1 + math.exp(-step / 2))) + (bins - 1.5) * step - target

    return factor * brentq(excess, 0.01 / target, 1 / target, xtol=1e-14)


def on_grid_from_kernel(n, epsilon, bins):
    def loss(scale):
        rows = laplace_kernel(bins, [scale])[0]
        return math.log1p((rows[0, 0] / rows[-1, 0] - 1) / n) - epsilon

    bound = scale_bound(n, epsilon)
    return brentq(loss, bound / 2, bound, xtol=1e-14)


WRONG = {
    "records-needed": [
        (lambda scale, e: needed(scale, e, math.floor), "above the scale"),
        (lambda scale, e: needed(scale, e) + 1, "One record fewer is enough."),
        (lambda scale, e: needed(scale, e, least=1), "at least 2"),
        (lambda scale, e: math.expm1(1 / scale) / math.expm1(e), "a whole number"),
        (
            lambda scale, e: max(2, math.ceil(math.expm1(e) / math.expm1(1 / scale))),
            "upside down",
        ),
        (lambda scale, e: needed(scale, e) + 0.5, "a whole number"),
    ],
    "three-bounds": [
        (lambda n, e: three(n, e)[::-1], "The order is (careful, tight, published)."),
        (lambda n, e: three(n, e, 0), "another branch"),
        (lambda n, e: three(n, e)[:2], "the shape (3,) was expected"),
        (lambda n, e: [1 / b for b in three(n, e)], "3 of 3 entries"),
        (lambda n, e: [*three(n, e)[:2], three(n, e)[1]], "the first at [2]"),
    ],
    "violation": [
        (pair()[0], "It is not a pair."),
        (([1, 2], [3, 4]), "no NVOGame"),
        (pair(counts=(9, 0, 0, 4)), "The game has 13 records."),
        (pair(scales=False), "does not know its scales"),
        (pair(factor=0.9), "and the careful bound is"),
        (pair(large=10.0), "The largest scale is 10."),
        (pair(action=1), "Everybody is private"),
        ((pair()[0], pair()[1] / 2), "profile must hold integers"),
        (pair(counts=(1, 0, 0, 0, 0, 0, 0, 0, 0, 3)), "Somebody can raise the payoff"),
    ],
    "grid-bound": [
        (lambda n, e, bins: scale_bound(n, e), "That is b*"),
        (lambda n, e, bins: 1 / scale_bound(n, e), "does not hold yet"),
        (lambda n, e, bins: on_grid(n, e, bins, 0.99), "It is not safe"),
        (lambda n, e, bins: on_grid(n, e, bins, 1.01), "It is safe, but not the smallest"),
        (lambda n, e, bins: -on_grid(n, e, bins), "A scale is a number > 0."),
    ],
}

RIGHT = {
    "records-needed": [needed, lambda *case: float(needed(*case)), needed_by_search],
    "three-bounds": [three, careful_by_bisection],
    "violation": [pair(), list(pair(large=1e4)), (pair()[0], pair()[1].astype(float))],
    "grid-bound": [on_grid, on_grid_from_kernel],
}

test_wrong_answers, test_right_answers = answer_tests("theorem-one", WRONG, RIGHT)
