"""Answers to the exercises of *Statistics from the sampling query*."""

import math

import numpy as np

from tests.tools.answers import Answers


def merge(rows, groups, how=np.sum):
    return np.array([how(rows[:, groups == g], axis=1) for g in range(max(groups) + 1)]).T


def merged(rows, groups, how=np.sum, without=1):
    rows = merge(rows, groups, how)
    n = len(rows)
    with np.errstate(divide="ignore"):
        others = (rows.sum(axis=0) - without * rows).clip(0) / (n - without)
        return np.abs(np.log(rows.mean(axis=0) / others)).max(axis=1)


def merged_in_loops(rows, groups):
    merged, n, losses = merge(rows, groups), len(rows), []
    for i in range(n):
        before = merged.sum(axis=0) / n
        after = np.delete(merged, i, axis=0).sum(axis=0) / (n - 1)
        losses.append(
            max(
                math.inf if b == 0 else abs(math.log(a / b))
                for a, b in zip(before, after, strict=True)
                if a > 0
            )
        )
    return losses


def draws(n, spread, sd, epsilon, limit):
    best, error = 0, math.inf
    for m in range(1, limit + 1):
        b = spread / math.log1p(n * math.expm1(epsilon / m))
        now = (sd**2 + 2 * b**2) / m
        if now < error:
            best, error = m, now
    return best


def scale_of_a_draw(n, epsilon):
    """By bisection of the cost."""
    low, high = 0.0, 60.0
    for _ in range(200):
        middle = (low + high) / 2
        if math.log1p(math.expm1(middle) / n) < epsilon:
            low = middle
        else:
            high = middle
    return 1 / high


ANSWERS = {
    "scale-of-a-draw": Answers(
        [scale_of_a_draw],
        (lambda n, epsilon: 1 / math.log1p(math.expm1(epsilon) / n), "Set it to ε"),
    ),
    "best-draws": Answers([draws]),
    "merged-losses": Answers(
        [merged_in_loops],
        (lambda rows, groups: merged(rows, groups, without=0), "Add up the columns"),
    ),
}
