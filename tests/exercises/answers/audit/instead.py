"""Answers to the exercises of *What would you have used instead?*."""

import math

import numpy as np

from pdpbook.audit.count_posterior import posterior_from_noise
from tests.tools.answers import Answers


def normalised(values):
    values = np.asarray(values, dtype=float)
    return values / values.sum()


def worst_records(bins, epsilon, kappa, rounding=math.ceil):
    return max(2, rounding(((bins - 1) / math.expm1(kappa) - 1) / math.expm1(epsilon)))


def by_halving(bins, epsilon, kappa):
    low, high = 1, 2**60
    while high - low > 1:
        n = (low + high) // 2
        enough = math.log1p((bins - 1) / (1 + n * math.expm1(epsilon))) <= kappa
        low, high = (low, n) if enough else (n, high)
    return high


def released(q, rows, places):
    return q @ (rows * (places[:, None] - places) ** 2).sum(axis=1)


def drawn(q, rows, places):
    return q @ (places[:, None] - places) ** 2 @ (q @ rows)


def smooth(noisy, epsilon):
    """The posterior mean, mixed with its average over three bins."""
    guess = posterior_from_noise(noisy, epsilon=epsilon).distribution
    return normalised(0.7 * guess + 0.3 * np.convolve(guess, np.ones(3) / 3, mode="same"))


ANSWERS = {
    "guess": Answers(
        [lambda each, weights: sum(w * row for w, row in zip(weights, each, strict=True))],
        (lambda each, weights: each.mean(axis=0), "the same probability"),
        (lambda each, weights: normalised(np.exp(weights @ np.log(each))), "the same probability"),
        (lambda each, weights: each[weights.argmax()], "the same probability"),
    ),
    "clipping": Answers(
        [lambda epsilon: math.exp(-epsilon) / -math.expm1(-2 * epsilon)],
        (lambda epsilon: 1 / epsilon, "over the positive values"),
        (lambda epsilon: math.exp(-epsilon) / (1 - math.exp(-epsilon)), "over the positive values"),
        (lambda epsilon: 1 / math.sinh(epsilon), "over the positive values"),
    ),
    "records": Answers(
        [by_halving],
        (lambda *case: worst_records(*case, math.floor), "Too few: with this number of records"),
        (lambda *case: 1 + worst_records(*case), "one record fewer is enough"),
        (lambda *case: worst_records(*case, float), "is a whole number"),
        (lambda *case: 1, "The table has at least two records."),
    ),
    "errors": Answers(
        [lambda *case: np.array([released(*case), drawn(*case)])],
        (lambda q, rows, places: [drawn(q, np.eye(q.size), places)] * 2, "2 of 2 entries"),
        (lambda *case: [drawn(*case), released(*case)], "Return both errors, in this order"),
        (lambda q, *rest: [released(0 * q + 1 / q.size, *rest), drawn(q, *rest)], "records by q"),
    ),
    "better": Answers(
        [smooth],
        (lambda noisy, epsilon: normalised(np.maximum(noisy, 0)), "with positive probabilities"),
        (lambda noisy, epsilon: np.maximum(noisy, 0) + 0.5, "Return a distribution"),
        (
            lambda noisy, epsilon: posterior_from_noise(noisy, epsilon=epsilon).distribution,
            "what do the neighbouring bins tell",
        ),
    ),
}
