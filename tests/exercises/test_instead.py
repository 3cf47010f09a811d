"""Plausible wrong answers to the exercises of *What would you have used instead?* are refused."""

import math

import numpy as np

from pdpbook.audit.count_posterior import posterior_from_noise
from tests.tools.answers import answer_tests


def normalised(values):
    values = np.asarray(values, dtype=float)
    return values / values.sum()


def worst_records(bins, epsilon, kappa, *, shift=1, rounding=math.ceil):
    return max(2, rounding(((bins - 1) / math.expm1(kappa) - shift) / math.expm1(epsilon)))


def squares(places):
    return (places[:, None] - places[None, :]) ** 2


def smooth(noisy, epsilon):
    """The posterior mean, mixed with its average over three bins."""
    guess = posterior_from_noise(noisy, epsilon=epsilon).distribution
    return normalised(0.7 * guess + 0.3 * np.convolve(guess, np.ones(3) / 3, mode="same"))


WRONG = {
    "guess": [
        (lambda laws, weights: laws.mean(axis=0), "are not all equal"),
        (lambda laws, weights: normalised(np.exp(weights @ np.log(laws))), "are not all equal"),
        (lambda laws, weights: laws[weights.argmax()], "are not all equal"),
        (lambda laws, weights: normalised(np.median(laws, axis=0)), "are not all equal"),
    ],
    "clipping": [
        (lambda epsilon: 1 / epsilon, "over the positive z only"),
        (lambda epsilon: math.exp(-epsilon) / (1 - math.exp(-epsilon)), "over the positive z only"),
        (
            lambda epsilon: math.exp(-epsilon) / (1 - math.exp(-epsilon)) ** 2,
            "over the positive z only",
        ),
        (lambda epsilon: 1 / math.sinh(epsilon), "over the positive z only"),
    ],
    "records": [
        (
            lambda bins, epsilon, kappa: worst_records(bins, epsilon, kappa, rounding=math.floor),
            "returned 5790.",
        ),
        (
            lambda bins, epsilon, kappa: 1 + worst_records(bins, epsilon, kappa),
            "above it for n - 1",
        ),
        (lambda bins, epsilon, kappa: math.ceil((bins - 1) / kappa / epsilon), "Solve for R first"),
        (
            lambda bins, epsilon, kappa: ((bins - 1) / math.expm1(kappa) - 1) / math.expm1(epsilon),
            "and a whole number",
        ),
    ],
    "errors": [
        (lambda q, rows, places: [q @ squares(places) @ q] * 2, "2 of 2 entries are wrong"),
        (
            lambda q, rows, places: [
                (rows * squares(places)).sum(axis=1).mean(),
                q @ squares(places) @ (q @ rows),
            ],
            "1 of 2 entries are wrong",
        ),
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
    ],
    "better": [
        (lambda noisy, epsilon: normalised(np.maximum(noisy, 0) + 0.5), "Not nearer by a third"),
        (lambda noisy, epsilon: normalised(np.maximum(noisy, 0)), "one positive probability a bin"),
        (lambda noisy, epsilon: np.full(noisy.size, 1 / noisy.size), "Not nearer by a third"),
        (lambda noisy, epsilon: normalised(np.maximum(noisy, 0) + 5), "Not nearer by a third"),
        (lambda noisy, epsilon: np.maximum(noisy, 0) + 0.5, "Return a distribution"),
        (
            lambda noisy, epsilon: posterior_from_noise(noisy, epsilon=epsilon).distribution,
            "what do neighbours say",
        ),
    ],
}
RIGHT = {
    "guess": [lambda laws, weights: sum(w * law for w, law in zip(weights, laws, strict=True))],
    "clipping": [lambda epsilon: math.exp(-epsilon) / -math.expm1(-2 * epsilon)],
    "records": [
        worst_records,
        lambda bins, epsilon, kappa: (
            next(
                n
                for n in range(2, 10**9)
                if math.log1p((bins - 1) / (1 + n * math.expm1(epsilon))) <= kappa
            )
            if bins <= 101
            else worst_records(bins, epsilon, kappa)
        ),
    ],
    "errors": [
        lambda q, rows, places: np.array(
            [q @ (rows * squares(places)).sum(axis=1), q @ squares(places) @ (q @ rows)]
        )
    ],
    "better": [smooth],
}

test_wrong_answers, test_right_answers = answer_tests("instead", WRONG, RIGHT)
