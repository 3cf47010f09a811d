"""Answers to the exercises of *The exact optimum*."""

import math

import numpy as np
from scipy.optimize import brentq
from scipy.special import lambertw

from pdpbook_exercises.chapters.small_games import laplace_game
from tests.tools.answers import Answers


def widths(error):
    def miss(t):
        return t - 1 - math.log(t) - error

    return brentq(miss, math.exp(-1 - error), 1), brentq(miss, 1, 10 + 2 * error)


def progression(low, high, error, more=0):
    left, right = widths(error)
    number = math.ceil(math.log(high / low) / math.log(right / left)) + more
    return low / left * (right / left) ** np.arange(number)


def from_low(low, high, error):
    """The first tangent touches at the lower end."""
    left, right = widths(error)
    points = [low]
    while points[-1] * right < high:
        points.append(points[-1] * right / left)
    return points


def one_after_the_other(low, high, error):
    """With Lambert's function, from the right."""
    left, right = (-lambertw(-math.exp(-1 - error), branch).real for branch in (0, -1))
    points = []
    while high > low:
        points.append(high / right)
        high = points[-1] * left
    return points


def violation(profile, kernel, tau, sigma, *, weights=True, mean=True, used_only=True):
    """The violation of the cuts with the mistakes that are asked for."""
    mass = np.einsum("kv,vkx->x", profile, kernel)
    size = profile.sum(axis=1, keepdims=True)
    share = profile / (np.maximum(size, 1e-9) if weights else 1)
    rows = np.einsum("kv,vkx->kvx", share, kernel)[size[:, 0] > 0 if used_only else slice(None)]
    average = rows.sum(axis=1) if mean else rows.max(axis=1)
    return max((average - tau * mass).max(), (sigma * mass - average).max(), 0)


def violation_in_loops(profile, kernel, tau, sigma):
    worst = 0
    bins, actions = profile.shape
    mass = [
        sum(profile[k, v] * kernel[v, k, x] for k in range(bins) for v in range(actions))
        for x in range(bins)
    ]
    for k in range(bins):
        if profile[k].sum() == 0:
            continue
        for x in range(bins):
            a = sum(profile[k, v] * kernel[v, k, x] for v in range(actions)) / profile[k].sum()
            worst = max(worst, a - tau * mass[x], sigma * mass[x] - a)
    return worst


def dual(cost, a, b, lower, upper, y, *, sign=1):
    y = np.minimum(y, 0)
    r = cost - sign * a.T @ y
    with np.errstate(invalid="ignore"):
        return b @ y + np.minimum(r * lower, r * upper).sum()


def dual_in_loops(cost, a, b, lower, upper, y):
    total = sum(min(price, 0) * side for price, side in zip(y, b, strict=True))
    for j in range(len(cost)):
        r = cost[j] - sum(min(y[i], 0) * a[i, j] for i in range(len(y)))
        if r != 0:
            total += min(r * lower[j], r * upper[j])
    return total


def two_records(mine, *, place=0, scales=(1.0, 2.0)):
    """Two records of one bin, as in the proof: the smallest scale decides about the price."""
    counts = np.eye(4, dtype=int)[place] * 2

    def miss(smallest):
        game = laplace_game(counts, [smallest, *scales], mine["epsilon"])
        ends = [game.evaluate(game.constant_profile(v)) for v in (0, 1 + int(np.argmin(scales)))]
        return ends[1].divergence / ends[0].divergence - 1.02 * mine["price"]

    return counts, [brentq(miss, 0.01, 0.3), *scales]


ANSWERS = {
    "roof": Answers(
        [lambda s, points: [max(1 - math.log(a) - t / a for a in points) for t in s]],
        (lambda s, points: np.max([-np.log(a) - s / a for a in points], axis=0), "slope"),
    ),
    "tangents": Answers(
        [one_after_the_other, lambda *case: progression(*case)[::-1].tolist()],
        (lambda low, high, error: progression(low, high, error, -1), "the roof is off by"),
        (lambda low, high, error: progression(low, high, error, 1), "fewer points are enough."),
        (from_low, "touch at an end"),
        (lambda low, high, error: math.log(high / low), "Return an array"),
        (lambda low, high, error: [-1.0, 1.0], "points > 0"),
    ),
    "cut": Answers(
        [violation_in_loops],
        (lambda *case: violation(*case, weights=False), "so no inequality is violated"),
        (lambda *case: violation(*case, mean=False), "with the weights C / n_k"),
        (lambda *case: violation(*case, used_only=False), "What about empty bins?"),
    ),
    "prices": Answers(
        [dual_in_loops],
        (dual, "0 times infinity must be 0"),
        (lambda *case: dual(*case, sign=-1), "term by term"),
    ),
    "anarchy": Answers(
        lambda mine: [two_records(mine), two_records(mine, place=1, scales=(2.0, 1.0))],
        (([7, 0, 0, 1], [0.01, 0.02, 0.03]), "No profile of this game makes all records private"),
        (([9, 0, 0, 0], [0.1, 0.2, 1.0]), "The counts are wrong."),
        (([2, 0, 0, 0], [0.1, 0.2]), "The scales are wrong."),
        ([2, 0, 0, 0], "It is not a pair."),
        (two_records({"epsilon": 1.0, "price": 10}), "The price of anarchy of this game is 10."),
        (two_records({"epsilon": 1.0, "price": 150}), "The price of anarchy of this game is 15"),
    ),
}
