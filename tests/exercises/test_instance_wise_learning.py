"""Plausible answers to *Instance-wise noise by learning*: the wrong are refused and told why."""

import math

import numpy as np

from pdpbook import scale_bound
from tests.tools.answers import answer_tests


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


WRONG = {
    "reward": [
        (lambda kl, laplace, private: utility(kl, laplace) + private, "R_E is -1, not 0"),
        (lambda kl, laplace, private: 1 if private else -1, "That is R_E alone."),
        (lambda kl, laplace, private: utility(kl, laplace), "That is R_U alone."),
        (
            lambda kl, laplace, private: (
                (laplace - kl if kl < laplace else -1) + (1 if private else -1)
            ),
            "relative to the Laplace",
        ),
        (
            lambda kl, laplace, private: 1 - kl / laplace + (1 if private else -1),
            "no better than the Laplace",
        ),
        (
            lambda kl, laplace, private: (
                (-1 if kl > laplace else 1 - kl / laplace) + (1 if private else -1)
            ),
            "Here it is equal.",
        ),
    ],
    "to-spare": [
        (lambda n, e: 1 / spare(n, e), "The answer is at least 1."),
        (lambda n, e: 1 / scale_bound(n, e), "That is 1/b*."),
        (lambda n, e: n, "It is less."),
        (lambda n, e: spare(n - 1, e), "not n - 1"),
        (lambda n, e: math.log(1 + n * (math.exp(e) - 1)) / e, "do not cancel"),
        (lambda n, e: spare(n, e) / math.log(2), "It is right in base 2."),
    ],
    "silence": [
        (lambda c: math.log((1 - 1 / c.sum()) / (1 - 1 / c.max())), "where it is not"),
        (lambda c: -math.log1p(-1 / c.sum()), "too few records to be private"),
        (lambda c: -math.log1p(-1 / c.max()), "A smaller ε would do."),
        (lambda c: math.log(c.sum() / c.max()), "A smaller ε would do."),
        (lambda c: 0.0, "It is not a finite ε > 0."),
    ],
    "shaping": [
        (lambda r, p, d: shaped(r, p, d, sign=-1), "which subtracted?"),
        (lambda r, p, d: r + np.append(p[1:], 0) - p, "is discounted, too"),
        (lambda r, p, d: r + d * np.roll(p, -1) - p, "does not start again"),
        (lambda r, p, d: r + d * p - np.append(0, p[:-1]), "not of t - 1"),
        (lambda r, p, d: r[:-1] + d * p[1:] - p[:-1], "Its shape is (3,), and (4,) was expected."),
        (lambda r, p, d: r - p, "the discounted return changes by"),
    ],
    "honest-reward": [
        (lambda private, n, kl, laplace: utility(kl, laplace) + (1 if private == n else -1), "KL"),
        (lambda private, n, kl, laplace: -kl, "that exposes"),
        (lambda private, n, kl, laplace: private / n, "is possible."),
        (lambda private, n, kl, laplace: private / n - kl, "the largest reward goes to"),
        (
            lambda private, n, kl, laplace: (private == n) * max(1 - kl / laplace, 0),
            "the largest reward goes to",
        ),
        (lambda private, n, kl, laplace: -math.inf, "minus infinity"),
    ],
}

RIGHT = {
    "reward": [
        lambda kl, laplace, private: np.where(private, 1, -1) + utility(kl, laplace),
        lambda kl, laplace, private: (2 * bool(private) - 1) + utility(kl, laplace),
    ],
    "to-spare": [lambda n, e: 1 / (e * scale_bound(n, e))],
    "silence": [threshold],
    "shaping": [shaped],
    "honest-reward": [
        lambda private, n, kl, laplace: math.exp(-kl) if private == n else -1,
        lambda private, n, kl, laplace: -kl - 1e6 * (n - private),
    ],
}

test_wrong_answers, test_right_answers = answer_tests("instance-wise-learning", WRONG, RIGHT)
