"""Answers to the exercises of *Experiment 1: heights*."""

import math
from contextlib import suppress
from itertools import product

import numpy as np

from pdpbook_exercises.chapters.experiments.height import scales
from pdpbook_exercises.chapters.small_games import after_move
from tests.tools.answers import Answers

SIDE = np.eye(10)[0]


def measures(q, threshold):
    entropy = -sum(x * math.log(x) for x in q if x > 0)
    m = np.count_nonzero(q > threshold)
    return [math.log(q.size) - entropy, q.std(), m / q.size, 1 / math.sqrt(q.size * (q @ q))]


def terms(game, profile):
    """Loops over bins and actions."""
    ratio = game.frequency / game.evaluate(profile).output
    found = []
    for k in range(game.bins):
        gains = [float(game.kernel[v, k] @ ratio) for v in range(game.actions)]
        row = [profile[k, v] / game.records * (max(gains) - g) for v, g in enumerate(gains)]
        found.append(row)
    return np.array(found)


def suffering(game, profile, *move):
    """Bins with an exposed record, by their losses."""

    def exposed(profile):
        losses = game.evaluate(profile).losses
        return [x for x in range(game.bins) if any(loss > game.epsilon for loss in losses[x])]

    before = exposed(profile)
    return [x for x in exposed(after_move(profile, *move)) if x not in before]


def five(mine, *between):
    return (mine["largest"], *between, mine["smallest"])


def low_end(mine):
    """The first of a few sets of three between the ends that is good enough."""
    for between in product([1.0, 0.5, 0.3], [0.3, 0.2, 0.1], [0.03, 0.05, 0.02]):
        with suppress(AssertionError):
            scales(five(mine, *between), mine)
            return five(mine, *between)


ANSWERS = {
    "headline": Answers(
        [lambda laplace, game: round(100 * (laplace - game) / laplace, 2)],
        (lambda laplace, game: 100 * abs(1 - game / laplace), "100 per cent worse"),
    ),
    "two-readings": Answers(
        [
            ([0.5] + [0.0] * 8 + [0.5], [0.5, 0.5] + [0.0] * 8),
            np.array([[3, 0, 0, 0, 0, 0, 0, 0, 0, 3], [0, 0, 0, 0, 3, 3, 0, 0, 0, 0]]) / 6,
        ],
        ((SIDE, np.eye(10)[9]), "The standard deviations of the data are 0 and 0."),
        ((SIDE, np.full(10, 0.1)), "The standard deviations of the probabilities are 0.3 and 0."),
        (([0.5] + [0] * 8 + [0.6], SIDE), "p sums to 1.1."),
        ((SIDE, [0.5, 0.5]), "q has the shape (2,)."),
        ((SIDE, [2, -1] + [0] * 8), "negative or nan"),
        (SIDE, "a pair (p, q) was expected"),
    ),
    "uniform": Answers([measures]),
    "tight": Answers(
        [lambda g, p: terms(g, p).tolist()],
        (lambda g, p: terms(g, p) * g.records, "The terms sum to"),
        (lambda g, p: -terms(g, p), "below 0"),
        (lambda g, p: terms(g, p).T, "The shape is (5, 101), but (K, V) is (101, 5)."),
    ),
    "sake": Answers(
        [suffering, lambda *case: np.array(suffering(*case))],
        (lambda *case: [*suffering(*case), 0], "and 1 bins are wrong"),
        (lambda *case: suffering(*case)[::-1], "not sorted"),
    ),
    "scales": Answers(
        lambda mine: [low_end(mine)],
        lambda mine: [
            (five(mine, 2.7, 2.4, 2.1), "The divergence is"),
            ((3, 2, 1, 0.33, 0.2), "The first and last multipliers are 3 and 0.2, but should"),
            ((0.01, 0.01, 0.01, 0.01, 0.01), "exposes 4 records"),
            (five(mine, 0.9, 0.3), "It has 4 numbers."),
            ((3, 2, 1, 0.33, 0), "Not all are finite and > 0."),
        ],
    ),
}
