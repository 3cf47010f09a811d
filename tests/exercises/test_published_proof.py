"""Wrong answers to the exercises of *Reading the published proof* are told what is wrong."""

import math

import numpy as np
from scipy.optimize import bisect
from scipy.special import lambertw

from pdpbook import NVOGame, careful_scale_bound, laplace_kernel
from tests.tools.answers import answer_tests


def three(n, epsilon, branch=-1):
    growth = math.expm1(epsilon)
    c = 1 / (1 + n * growth)
    u = -c - lambertw(-c * math.exp(-c), branch).real
    return 1 / u if u else math.inf, 1 / math.log1p(n * growth), 1 / math.log1p((n - 1) * growth)


def careful_by_bisection(n, epsilon):
    target = math.log1p(n * math.expm1(epsilon))
    u = bisect(lambda u: math.log(math.expm1(u) / u) - target, 1e-9, 100, xtol=1e-14)
    return np.array([1 / u, *three(n, epsilon)[1:]])


def pair(factor=1.0001, loud=1e5, counts=(2, 0, 0, 0, 0, 0, 0, 0, 1, 1), scales=True, action=0):
    """The game of the solutions page, with changes."""
    n = sum(counts)
    both = np.array([factor * careful_scale_bound(n, 0.2), loud])
    kernel = laplace_kernel(len(counts), both)
    game = NVOGame(np.array(counts), kernel, epsilon=0.2, scales=both if scales else None)
    return game, game.constant_profile(action)


WRONG = {
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
        (pair(loud=10.0), "The largest scale is 10."),
        (pair(action=1), "Everybody is private"),
        ((pair()[0], pair()[1] / 2), "profile must hold integers"),
        (pair(counts=(1, 0, 0, 0, 0, 0, 0, 0, 0, 3)), "Somebody can raise the payoff"),
    ],
}

RIGHT = {
    "three-bounds": [three, careful_by_bisection],
    "violation": [pair(), list(pair(loud=1e4)), (pair()[0], pair()[1].astype(float))],
}

test_wrong_answers, test_right_answers = answer_tests("published-proof", WRONG, RIGHT)
