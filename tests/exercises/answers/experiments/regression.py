"""Answers to the exercises of *Regression on released data*."""

import numpy as np

from pdpbook.experiments.datasets import load_players
from pdpbook.foundations.privacy import advanced_composition
from tests.tools.answers import Answers


def cost(epsilon, m):
    return advanced_composition(epsilon, draws=m, slack=1e-6).epsilon


def allowed(epsilon, total):
    """Doubles, then halves."""
    high = 1
    while cost(epsilon, high) <= total:
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if cost(epsilon, middle) <= total else (low, middle)
    return low


def known_counts(noisy):
    """Looks the counts up instead of cleaning the table."""
    return np.histogram2d(*(load_players()[key] for key in ("height", "weight")), bins=24)[0]


ANSWERS = {
    "draws": Answers(
        [allowed],
        (lambda *case: max(allowed(*case), 1), "What if a single draw already costs too much?"),
        (lambda epsilon, total: cost(epsilon, 10), "For many draws"),
    ),
    "flat": Answers([lambda sd, s: np.array(1 / (1 + 2 * (s / sd) ** 2))]),
    "pair": Answers(
        [
            ([0, 0, 1, 1], [0, 1, 0, 1]),
            np.array(np.divmod([0, 0, 1, 3, 3, 4, 5, 6, 7, 8, 8, 1], 3)),
            ([0, 0, 0, 0, 0, 1, 1, 1, 1, 1], [0, 0, 0, 0, 1, 0, 1, 1, 1, 1]),
        ],
        (([0, 1, 2], [0, 1, 2]), "From x alone, record 0 has the loss inf, in a bin of size 1."),
        (([0] * 2 + [1] * 10, [0, 1] * 6), "record 0 has the loss 0.606, in a bin of size 2."),
        (([0] * 6 + [1] * 6, [0] * 12), "The largest loss of a pair is"),
        (([0, 0, 5, 5], [0, 0, 5, 5]), "not among 0, 1, 2, 3, 4"),
        (([0.5] * 4, [1] * 4), "not among 0, 1, 2, 3, 4"),
        ([(0, 0), (0, 1), (1, 0)], "not a list of pairs"),
        (([0, 1], [0, 1, 2]), "The lists have the shapes"),
        (([0] * 13, [0] * 13), "The lists have 13 records."),
    ),
    "better": Answers(
        [
            lambda noisy: np.maximum(noisy - 9, 0),
            lambda noisy: np.where(noisy > 12, noisy, 0).tolist(),
        ],
        (lambda noisy: np.maximum(noisy, 0), "and you draw from"),
        (lambda noisy: noisy, "a weight below 0"),
        (lambda noisy: np.where(noisy > 30, noisy, 0), "Which cells with people would you lose"),
        (lambda noisy: noisy[noisy > 8], "turns a table of shape (24, 24)"),
        (lambda noisy: np.zeros_like(noisy), "Nothing is left to draw from."),
        (known_counts, "with both axes reversed"),
    ),
}
