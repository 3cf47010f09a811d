"""Answers to the exercises of *Instance-wise noise by learning*."""

import math

import numpy as np

from pdpbook.per_instance.privacy_loss import records_needed
from pdpbook.per_instance.scale_bounds import scale_bound
from tests.tools.answers import Answers


def utility(kl, laplace):
    return -1 if kl >= laplace else 1 - kl / laplace


def search(counts):
    n, m = counts.sum(), counts.max()
    low, high = -math.log1p(-1 / n), 9.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (low, middle) if records_needed(n, middle) <= m else (middle, high)
    return high


def shaped(rewards, potentials, discount):
    pairs = zip(rewards, potentials, [*potentials[1:], 0.0], strict=True)
    return [r + discount * later - now for r, now, later in pairs]


ANSWERS = {
    "reward": Answers(
        right=[lambda kl, laplace, private: np.where(private, 1, -1) + utility(kl, laplace)]
    ),
    "to-spare": Answers(
        wrong=[(lambda n, e: math.log(1 + n * (math.exp(e) - 1)) / e, "do not cancel")],
        right=[lambda n, e: 1 / (e * scale_bound(n, e))],
    ),
    "silence": Answers(
        wrong=[
            (lambda c: math.log((1 - 1 / c.sum()) / (1 - 1 / c.max())), "in another bin"),
            (lambda c: -math.log1p(-1 / c.sum()), "too few records to be private"),
            (lambda c: -math.log1p(-1 / c.max()), "A smaller ε is enough."),
            (lambda c: 0.0, "in another bin"),
        ],
        right=[search, lambda c: search(c) * (1 - 1e-7)],  # a search may end on either side
    ),
    "shaping": Answers(
        wrong=[
            (lambda r, p, d: r[:-1] + d * p[1:] - p[:-1], "the shape (4,) was expected"),
            (lambda r, p, d: r - p, "must change by minus the potential there"),
        ],
        right=[shaped],
    ),
    "final-reward": Answers(
        wrong=[
            (
                lambda private, n, kl, laplace: utility(kl, laplace) + (1 if private == n else -1),
                "where all are private, and",
            ),
            (lambda private, n, kl, laplace: -kl, "that exposes"),
            (lambda private, n, kl, laplace: private / n, "is possible."),
            (lambda private, n, kl, laplace: private / n - kl, "that exposes"),
            (
                lambda private, n, kl, laplace: (private == n) * max(1 - kl / laplace, 0),
                "that exposes",
            ),
            (lambda private, n, kl, laplace: -math.inf, "minus infinity"),
            (lambda private, n, kl, laplace: 1 / (1 + kl) if private == n else math.nan, "nan"),
        ],
        right=[
            lambda private, n, kl, laplace: math.exp(-kl) if private == n else -1,
            lambda private, n, kl, laplace: -kl - 1e6 * (n - private),
        ],
    ),
}
