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
        [lambda kl, laplace, private: np.where(private, 1, -1) + utility(kl, laplace)]
    ),
    "to-spare": Answers(
        [lambda n, e: 1 / (e * scale_bound(n, e))],
        (lambda n, e: math.log(1 + n * (math.exp(e) - 1)) / e, "avoid cancellation"),
    ),
    "silence": Answers(
        [search, lambda c: search(c) * (1 - 1e-7)],
        (lambda c: math.log((1 - 1 / c.sum()) / (1 - 1 / c.max())), "changes another bin"),
        (lambda c: -math.log1p(-1 / c.sum()), "too few records to be private"),
        (lambda c: -math.log1p(-1 / c.max()), "A smaller ε is enough."),
    ),
    "shaping": Answers([shaped]),
    "final-reward": Answers(
        [
            lambda private, n, kl, laplace: math.exp(-kl) if private == n else -1,
            lambda private, n, kl, laplace: -kl - 1e6 * (n - private),
        ],
        (lambda p, n, *kl: utility(*kl) + (1 if p == n else -1), "all records are private"),
        (lambda p, n, kl, laplace: -kl, "that exposes"),
        (lambda p, n, *kl: p / n, "is possible."),
        (lambda *case: -math.inf, "minus infinity"),
    ),
}
