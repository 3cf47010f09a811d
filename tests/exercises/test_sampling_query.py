"""Wrong answers to the exercises of *The random sampling query* are told what is wrong."""

import math

import numpy as np

from pdpbook import Grid, privacy_losses
from tests.tools.answers import answer_tests


def padded(low, high, epsilon, p, *, log=math.log, sides=(1, 1), tail=2.0, scale=None):
    """The padded interval with the mistakes that are asked for."""
    if p < 0.5:
        raise ValueError("p")
    pad = -(high - low if scale is None else scale) / epsilon * log(tail * (1 - p))
    return low - sides[0] * pad, high + sides[1] * pad


def unchecked(low, high, epsilon, p):
    pad = (high - low) / epsilon * -math.log(2 - 2 * p)
    return [low - pad, high + pad]


def seen(n, chance):
    return math.ceil(math.log1p(-chance) / math.log1p(-1 / n) - 1e-9)


def seen_by_bisection(n, chance):
    low, high = 0, 10 * n
    while high - low > 1:
        middle = (low + high) // 2
        if -math.expm1(middle * math.log1p(-1 / n)) >= chance * (1 - 1e-13):
            high = middle
        else:
            low = middle
    return np.int64(high)


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


def draws(n, spread, sd, epsilon, limit, *, split=True, amplified=True, two=2.0, data=True):
    """The best number of draws with the mistakes that are asked for."""
    best, error = 0, math.inf
    for m in range(1, limit + 1):
        own = epsilon / m if split else epsilon
        b = spread / math.log1p(n * math.expm1(own)) if amplified else spread / own
        now = ((sd**2 if data else 0) + two * b**2) / m
        if now < error:
            best, error = m, now
    return best


def public(clip="limits", *, limits=(120.0, 230.0), keep=True, at=None, sensitivity=None):
    """A public grid with the mistakes that are asked for."""

    def public_grid(data, epsilon):
        grid = Grid.padded(list(limits), epsilon=at or epsilon)
        if sensitivity:
            grid = Grid(grid.lower, grid.upper, 101, sensitivity=sensitivity)
        low, high = limits if clip == "limits" else (grid.lower, grid.upper)
        if not keep:
            return grid, data[(data >= low) & (data <= high)]
        return grid, np.clip(data, low, high)

    return public_grid


WRONG = {
    "padded-interval": [
        # student's findings: the hint said what they already had
        (lambda *case: padded(*case, log=math.log2), "base-2 logarithm"),
        (lambda *case: padded(*case, tail=1.0), "in one direction only"),
        # student's finding: p < 1/2 was not tried
        (unchecked, "raise a ValueError"),
        (lambda *case: padded(*case, sides=(-1, -1)), "the wrong sign"),
        (lambda *case: padded(*case, scale=1.0), "the range of the data over epsilon"),
        (lambda *case: padded(*case, sides=(0, 1)), "1 of 2 entries are wrong, the first at [0]"),
    ],
    "draws-until-seen": [
        (lambda n, c: math.ceil(n * c), "Draws may repeat a record"),
        (lambda n, c: math.ceil(math.log(c) / math.log1p(-1 / n)), "*missed*"),
        (lambda n, c: math.ceil(math.log(1 - c) / math.log(1 - 1 / n)), "loses digits"),
        (lambda n, c: math.floor(math.log1p(-c) / math.log1p(-1 / n)), "the chance is 0.98"),
        (lambda n, c: seen(n, c) + 1, "One draw fewer is enough."),
        (lambda n, c: math.log1p(-c) / math.log1p(-1 / n), "a whole number"),
    ],
    "merged-losses": [
        (lambda rows, groups: privacy_losses(rows, rows.sum(0), len(rows)), "before merging"),
        (lambda rows, groups: merged(rows, groups, without=0), "Add up the columns"),
        (lambda rows, groups: merged(rows, groups, np.mean) * 0.9, "entries are wrong"),
        (lambda rows, groups: merged(rows, np.sort(groups)), "entries are wrong"),
        (lambda rows, groups: merged(rows, groups).max(), "Its shape is ()"),
        (lambda rows, groups: merged(rows, groups, np.max), "Add up the columns"),
    ],
    "best-draws": [
        (lambda *case: draws(*case, split=False), "a part of epsilon only"),
        (lambda *case: draws(*case, amplified=False), "without amplification"),
        (lambda *case: draws(*case, two=1.0), "not b²"),
        (lambda *case: draws(*case) - 1, "It is off by one."),
        (lambda *case: draws(*case, data=False), "what is the variance of a draw?"),
    ],
    "public-grid": [
        # student's finding: records clipped to the padded interval passed
        (public("padded"), "in the padding"),
        (public(keep=False), "301 records went in, and 300 came back."),
        (lambda d, e: (Grid.padded(d, epsilon=e), d), "the grid is another than with all 300"),
        (public(sensitivity=1.0), "has a padding of 0 cm"),
        (public(at=1.0), "Set the grid's `sensitivity`"),
        (public(limits=(165.0, 175.0)), "Ordinary heights"),
        (
            lambda d, e: (Grid(100.0, 250.0, 101, sensitivity=0.2), d),
            "must come back, inside the grid",
        ),
    ],
}

RIGHT = {
    "padded-interval": [padded, lambda *case: np.array(padded(*case))],
    "draws-until-seen": [seen, seen_by_bisection, lambda n, c: float(seen(n, c))],
    "merged-losses": [merged, merged_in_loops],
    "best-draws": [draws],
    "public-grid": [public(), public(limits=(50, 300)), public(limits=(130.0, 210.0))],
}

test_wrong_answers, test_right_answers = answer_tests("sampling-query", WRONG, RIGHT)
