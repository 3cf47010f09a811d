"""Answers to the exercises of *Statistics from the sampling query*."""

import math

import numpy as np

from tests.tools.answers import Answers


def merged_in_loops(rows, groups):
    merged = np.array([rows[:, groups == g].sum(axis=1) for g in range(max(groups) + 1)]).T
    losses = []
    for i in range(len(rows)):
        pairs = zip(merged.mean(axis=0), np.delete(merged, i, axis=0).mean(axis=0), strict=True)
        losses.append(max(abs(math.log(a / b)) if b else math.inf for a, b in pairs if a > 0))
    return losses


def draws(n, spread, sd, epsilon, limit):
    def error(m):
        return (sd**2 + 2 * (spread / math.log1p(n * math.expm1(epsilon / m))) ** 2) / m

    return min(range(1, limit + 1), key=error)


def scale_of_a_draw(n, epsilon):
    """By bisection of the cost."""
    low, high = 0.0, 60.0
    for _ in range(200):
        middle = (low + high) / 2
        enough = math.log1p(math.expm1(middle) / n) >= epsilon
        low, high = (low, middle) if enough else (middle, high)
    return 1 / high


ANSWERS = {
    "scale-of-a-draw": Answers(
        [scale_of_a_draw],
        (lambda n, epsilon: 1 / math.log1p(math.expm1(epsilon) / n), "Set this cost equal to ε"),
    ),
    "best-draws": Answers([draws]),
    "merged-losses": Answers(
        [merged_in_loops],
        (lambda rows, groups: merged_in_loops(rows, np.sort(groups)), "add up the columns"),
    ),
}
