"""Answers to the exercises of *What would you have used instead?*."""

import math

import numpy as np

from pdpbook.audit.count_posterior import posterior_from_noise
from tests.tools.answers import Answers


def normalised(values):
    values = np.asarray(values, dtype=float)
    return values / values.sum()


def worst_records(bins, epsilon, kappa, *, shift=1, rounding=math.ceil):
    return max(2, rounding(((bins - 1) / math.expm1(kappa) - shift) / math.expm1(epsilon)))


def by_halving(bins, epsilon, kappa):
    low, high = 1, 2**60
    while high - low > 1:
        n = (low + high) // 2
        enough = math.log1p((bins - 1) / (1 + n * math.expm1(epsilon))) <= kappa
        low, high = (low, n) if enough else (n, high)
    return high


def squares(places):
    return (places[:, None] - places[None, :]) ** 2


def smooth(noisy, epsilon):
    """The posterior mean, mixed with its average over three bins."""
    guess = posterior_from_noise(noisy, epsilon=epsilon).distribution
    return normalised(0.7 * guess + 0.3 * np.convolve(guess, np.ones(3) / 3, mode="same"))


ANSWERS = {
    "guess": Answers(
        [lambda each, weights: sum(w * row for w, row in zip(weights, each, strict=True))],
        (lambda each, weights: each.mean(axis=0), "are not all equal"),
        (lambda each, weights: normalised(np.exp(weights @ np.log(each))), "are not all equal"),
        (lambda each, weights: each[weights.argmax()], "are not all equal"),
    ),
    "clipping": Answers(
        [lambda epsilon: math.exp(-epsilon) / -math.expm1(-2 * epsilon)],
        (lambda epsilon: 1 / epsilon, "over the positive z only"),
        (lambda epsilon: math.exp(-epsilon) / (1 - math.exp(-epsilon)), "over the positive z only"),
        (lambda epsilon: 1 / math.sinh(epsilon), "over the positive z only"),
    ),
    "records": Answers(
        [by_halving],
        (
            lambda bins, epsilon, kappa: worst_records(bins, epsilon, kappa, rounding=math.floor),
            "Too few: with so many records",
        ),
        (
            lambda bins, epsilon, kappa: 1 + worst_records(bins, epsilon, kappa),
            "one record fewer is enough",
        ),
        (
            lambda bins, epsilon, kappa: ((bins - 1) / math.expm1(kappa) - 1) / math.expm1(epsilon),
            "is a whole number",
        ),
    ),
    "errors": Answers(
        [
            lambda q, rows, places: np.array(
                [q @ (rows * squares(places)).sum(axis=1), q @ squares(places) @ (q @ rows)]
            )
        ],
        (lambda q, rows, places: [q @ squares(places) @ q] * 2, "2 of 2 entries are wrong"),
        (
            lambda q, rows, places: [
                q @ squares(places) @ (q @ rows),
                q @ (rows * squares(places)).sum(axis=1),
            ],
            "Return both, in this order",
        ),
        (
            lambda q, rows, places: [
                q @ np.sqrt((rows * squares(places)).sum(axis=1)),
                q @ squares(places) @ (q @ rows),
            ],
            "Records weigh by q",
        ),
    ),
    "better": Answers(
        [smooth],
        (lambda noisy, epsilon: normalised(np.maximum(noisy, 0)), "one positive probability a bin"),
        (lambda noisy, epsilon: np.maximum(noisy, 0) + 0.5, "Return a distribution"),
        (
            lambda noisy, epsilon: posterior_from_noise(noisy, epsilon=epsilon).distribution,
            "what do neighbours say",
        ),
    ),
}
