"""Plausible wrong answers to the exercises of *What would you have used instead?* are refused."""

import math

import numpy as np
import pytest

from pdpbook.audit.count_posterior import posterior_from_noise
from pdpbook.exercises import check


def normalised(values):
    values = np.asarray(values, dtype=float)
    return values / values.sum()


def worst_records(bins, epsilon, kappa, *, shift=1, rounding=math.ceil):
    return max(2, rounding(((bins - 1) / math.expm1(kappa) - shift) / math.expm1(epsilon)))


def squares(places):
    return (places[:, None] - places[None, :]) ** 2


def smooth(noisy, epsilon):
    """The posterior mean, mixed with its average over three bins."""
    guess = posterior_from_noise(noisy, epsilon).distribution
    return normalised(0.7 * guess + 0.3 * np.convolve(guess, np.ones(3) / 3, mode="same"))


WRONG = {
    "guess": [
        lambda laws, weights: laws.mean(axis=0),
        lambda laws, weights: normalised(np.exp(weights @ np.log(laws))),
        lambda laws, weights: laws[weights.argmax()],
        lambda laws, weights: normalised(np.median(laws, axis=0)),
    ],
    "clipping": [
        lambda epsilon: 1 / epsilon,
        lambda epsilon: math.exp(-epsilon) / (1 - math.exp(-epsilon)),
        lambda epsilon: math.exp(-epsilon) / (1 - math.exp(-epsilon)) ** 2,
        lambda epsilon: 1 / math.sinh(epsilon),
    ],
    "records": [
        lambda bins, epsilon, kappa: worst_records(bins, epsilon, kappa, rounding=math.floor),
        lambda bins, epsilon, kappa: 1 + worst_records(bins, epsilon, kappa),
        lambda bins, epsilon, kappa: math.ceil((bins - 1) / kappa / epsilon),
        lambda bins, epsilon, kappa: ((bins - 1) / math.expm1(kappa) - 1) / math.expm1(epsilon),
    ],
    "errors": [
        lambda q, rows, places: [q @ squares(places) @ q] * 2,
        lambda q, rows, places: [
            (rows * squares(places)).sum(axis=1).mean(), q @ squares(places) @ (q @ rows)
        ],
        lambda q, rows, places: [
            q @ squares(places) @ (q @ rows), q @ (rows * squares(places)).sum(axis=1)
        ],
        lambda q, rows, places: [
            q @ np.sqrt((rows * squares(places)).sum(axis=1)), q @ squares(places) @ (q @ rows)
        ],
    ],
    "better": [
        lambda noisy, epsilon: normalised(np.maximum(noisy, 0) + 0.5),
        lambda noisy, epsilon: normalised(np.maximum(noisy, 0)),
        lambda noisy, epsilon: np.full(noisy.size, 1 / noisy.size),
        lambda noisy, epsilon: normalised(np.maximum(noisy, 0) + 5),
        lambda noisy, epsilon: np.maximum(noisy, 0) + 0.5,
        lambda noisy, epsilon: posterior_from_noise(noisy, epsilon).distribution,
    ],
}
RIGHT = {
    "guess": [lambda laws, weights: sum(w * law for w, law in zip(weights, laws, strict=True))],
    "clipping": [lambda epsilon: math.exp(-epsilon) / -math.expm1(-2 * epsilon)],
    "records": [
        worst_records,
        lambda bins, epsilon, kappa: next(
            n for n in range(2, 10**9)
            if math.log1p((bins - 1) / (1 + n * math.expm1(epsilon))) <= kappa
        ) if bins <= 101 else worst_records(bins, epsilon, kappa),
    ],
    "errors": [
        lambda q, rows, places: np.array([
            q @ (rows * squares(places)).sum(axis=1), q @ squares(places) @ (q @ rows)
        ])
    ],
    "better": [smooth],
}


@pytest.mark.parametrize(
    ("title", "number"), [(t, i) for t, answers in WRONG.items() for i in range(len(answers))]
)
def test_wrong_answers_get_a_hint(title, number):
    verdict = check(f"instead/{title}", WRONG[title][number])
    assert not verdict
    assert "does not hold yet" in verdict.message or "raised" in verdict.message
    assert len(verdict.message) > 60


@pytest.mark.parametrize(
    ("title", "number"), [(t, i) for t, answers in RIGHT.items() for i in range(len(answers))]
)
def test_right_answers_pass(title, number):
    verdict = check(f"instead/{title}", RIGHT[title][number])
    assert verdict, verdict.message
