"""Answers to the exercises of *Instance-wise noise by learning*."""

from __future__ import annotations

import math

import numpy as np

from pdpbook.per_instance.scale_bounds import scale_bound
from tests.tools.answers import Answers


def utility(kl, laplace):
    return -1 if kl >= laplace else 1 - kl / laplace


def spare(n, epsilon):
    return math.log1p(n * math.expm1(epsilon)) / epsilon


def threshold(counts):
    n, m = int(np.sum(counts)), int(np.max(counts))
    return max(math.log((n - 1) * m / (n * (m - 1))), math.log(n / (n - 1)))


def shaped(rewards, potentials, discount, *, after=None, sign=1):
    after = [*potentials[1:], 0.0] if after is None else after
    pairs = zip(rewards, potentials, after, strict=True)
    return [r + sign * (discount * later - now) for r, now, later in pairs]


ANSWERS = {
    "reward": Answers(
        right=[
            lambda kl, laplace, private: np.where(private, 1, -1) + utility(kl, laplace),
            lambda kl, laplace, private: (2 * bool(private) - 1) + utility(kl, laplace),
        ],
    ),
    "to-spare": Answers(
        wrong=[
            (lambda n, e: math.log(1 + n * (math.exp(e) - 1)) / e, "do not cancel"),
            (lambda n, e: spare(n, e) / math.log(2), "It is right in base 2."),
        ],
        right=[lambda n, e: 1 / (e * scale_bound(n, e))],
    ),
    "silence": Answers(
        wrong=[
            (lambda c: math.log((1 - 1 / c.sum()) / (1 - 1 / c.max())), "in another bin"),
            (lambda c: -math.log1p(-1 / c.sum()), "too few records to be private"),
            (lambda c: -math.log1p(-1 / c.max()), "A smaller ε is enough."),
            (lambda c: math.log(c.sum() / c.max()), "A smaller ε is enough."),
            (lambda c: 0.0, "It is not a finite ε > 0."),
        ],
        right=[
            threshold,
            # as a search ends, on either side
            lambda counts: threshold(counts) * (1 - 1e-7),
            lambda counts: threshold(counts) * (1 + 1e-7),
        ],
    ),
    "shaping": Answers(
        wrong=[
            (lambda r, p, d: shaped(r, p, d, sign=-1), "which is subtracted?"),
            (lambda r, p, d: r + np.append(p[1:], 0) - p, "is discounted, too"),
            (lambda r, p, d: r + d * np.roll(p, -1) - p, "does not start again"),
            (lambda r, p, d: r + d * p - np.append(0, p[:-1]), "not of t - 1"),
            (
                lambda r, p, d: r[:-1] + d * p[1:] - p[:-1],
                "Its shape is (3,), and (4,) was expected.",
            ),
            (lambda r, p, d: r - p, "the discounted return changes by"),
        ],
        right=[shaped],
    ),
    "final-reward": Answers(
        wrong=[
            (
                lambda private, n, kl, laplace: utility(kl, laplace) + (1 if private == n else -1),
                "KL",
            ),
            (lambda private, n, kl, laplace: -kl, "that exposes"),
            (lambda private, n, kl, laplace: private / n, "is possible."),
            (lambda private, n, kl, laplace: private / n - kl, "the largest reward goes to"),
            (
                lambda private, n, kl, laplace: (private == n) * max(1 - kl / laplace, 0),
                "the largest reward goes to",
            ),
            (lambda private, n, kl, laplace: -math.inf, "minus infinity"),
        ],
        right=[
            lambda private, n, kl, laplace: math.exp(-kl) if private == n else -1,
            lambda private, n, kl, laplace: -kl - 1e6 * (n - private),
        ],
    ),
}
