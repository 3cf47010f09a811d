"""Answers to the exercises of *Experiment 3: large income, and vectors*."""

from contextlib import suppress
from itertools import product

import numpy as np

from pdpbook.per_instance.scale_bounds import scale_bound
from pdpbook_exercises.chapters.experiments.credit import grid
from tests.tools.answers import Answers


def between(mine, *scales):
    return [mine["largest"], *scales, mine["smallest"]]


def low_end(mine):
    """The first of a few sets of three between the ends that is good enough."""
    for three in product([1, 1.2, 0.8], [0.1, 0.12, 0.08], [0.03, 0.02, 0.025]):
        with suppress(AssertionError):
            grid(between(mine, *three), mine)
            return between(mine, *three)


ANSWERS = {
    "memory": Answers(
        [lambda bins, actions, d: np.zeros((actions, bins, bins)).nbytes ** d / 8 ** (d - 1)]
    ),
    "budget": Answers([lambda n, e, d: d * scale_bound(n, e)]),
    "margins": Answers(
        [lambda p, bins, other: [sum(p[k * other : k * other + other]) for k in range(bins)]]
    ),
    "grid": Answers(
        lambda mine: [low_end(mine)],
        lambda mine: [
            ((3, 2, 1, 0.33, 0.2), "The first and last multipliers are 3 and 0.2, but should"),
            (between(mine, 1.3, 1.2, 1.1), "the divergence is"),
            (between(mine, 0.1), "It has 3 numbers."),
            ((3, 1, 0.1, 0.01, -1), "Not all are finite and > 0."),
        ],
    ),
}
