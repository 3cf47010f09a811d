"""Answers to the exercises of *One random record*."""

import math

import numpy as np

from pdpbook.foundations.sampling_query import Grid
from tests.tools.answers import Answers


def padded(low, high, epsilon, p, least=0.5, most=1.0):
    if not least <= p <= most:
        raise ValueError("p")
    pad = (high - low) / epsilon * -math.log(2 - 2 * p)
    return [low - pad, high + pad]


def seen_by_bisection(n, chance):
    low, high = 0, 10 * n
    while high - low > 1:
        middle = (low + high) // 2
        enough = -math.expm1(middle * math.log1p(-1 / n)) >= chance * (1 - 1e-13)
        low, high = (low, middle) if enough else (middle, high)
    return np.int64(high)


def public(limits=(120.0, 230.0), *, in_padding=False, keep=True, at=None):
    """A public grid with the mistakes that are asked for."""

    def public_grid(data, epsilon):
        grid = Grid.padded(list(limits), epsilon=at or epsilon)
        low, high = (grid.lower, grid.upper) if in_padding else limits
        if not keep:
            return grid, data[(data >= low) & (data <= high)]
        return grid, np.clip(data, low, high)

    return public_grid


ANSWERS = {
    "padded-interval": Answers(
        [padded],
        (lambda *case: padded(*case, least=0.0), "raise a ValueError"),
        (lambda *case: padded(*case, most=0.9), "0.999) raised ValueError"),
    ),
    "draws-until-seen": Answers([seen_by_bisection]),
    "public-grid": Answers(
        [public((50, 300)), public((130.0, 210.0))],
        (public(in_padding=True), "in the padding"),
        (public(keep=False), "301 records went in, but 300 came back."),
        (lambda d, e: (Grid.padded(d, epsilon=e), d), "differs from the grid for 300"),
        (public(at=1.0), "Set the grid's `sensitivity`"),
        (public((165.0, 175.0)), "Ordinary heights"),
        (lambda d, e: (Grid.padded([100.0, 250.0], epsilon=e), d), "come back, inside the grid"),
    ),
}
