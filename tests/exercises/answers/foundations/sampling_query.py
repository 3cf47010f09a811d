"""Answers to the exercises of *One random record*."""

from __future__ import annotations

import math

import numpy as np

from pdpbook.foundations.sampling_query import Grid
from tests.tools.answers import Answers


def padded(low, high, epsilon, p):
    if p < 0.5:
        raise ValueError("p")
    return unchecked(low, high, epsilon, p)


def refusing(low, high, epsilon, p):
    if not 0.5 <= p <= 0.9:
        raise ValueError("p")
    return padded(low, high, epsilon, p)


def unchecked(low, high, epsilon, p):
    pad = (high - low) / epsilon * -math.log(2 - 2 * p)
    return [low - pad, high + pad]


def seen_by_bisection(n, chance):
    low, high = 0, 10 * n
    while high - low > 1:
        middle = (low + high) // 2
        if -math.expm1(middle * math.log1p(-1 / n)) >= chance * (1 - 1e-13):
            high = middle
        else:
            low = middle
    return np.int64(high)


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


ANSWERS = {
    "padded-interval": Answers(
        wrong=[
            # student's finding: p < 1/2 was not tried
            (unchecked, "raise a ValueError"),
            # a reviewer's finding: p above 0.9 was not tried
            (refusing, "0.999) raised ValueError"),
            (
                lambda low, *case: (low, padded(low, *case)[1]),
                "1 of 2 entries are wrong, the first at [0]",
            ),
        ],
        right=[padded],
    ),
    "draws-until-seen": Answers(
        wrong=[
            (lambda n, c: math.log1p(-c) / math.log1p(-1 / n), "a whole number"),
        ],
        right=[seen_by_bisection],
    ),
    "public-grid": Answers(
        wrong=[
            # student's finding: records clipped to the padded interval passed
            (public("padded"), "in the padding"),
            (public(keep=False), "301 records went in, and 300 came back."),
            (lambda d, e: (Grid.padded(d, epsilon=e), d), "differs from the grid for 300"),
            (public(sensitivity=1.0), "has a padding of 0 cm"),
            (public(at=1.0), "Set the grid's `sensitivity`"),
            (public(limits=(165.0, 175.0)), "Ordinary heights"),
            (
                lambda d, e: (Grid.padded([100.0, 250.0], epsilon=e), d),
                "must come back, inside the grid",
            ),
        ],
        right=[public(limits=(50, 300)), public(limits=(130.0, 210.0))],
    ),
}
