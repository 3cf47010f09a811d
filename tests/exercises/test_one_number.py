"""Plausible wrong answers to the exercises of *One number* are refused."""

import math

import numpy as np
import pytest

from pdpbook import advanced_composition, draws_epsilon, keep_or_blur, laplace_kernel
from pdpbook.exercises import check


def table(n, cover, own=1.0):
    """Rows of n records on two bins: record 0 in bin 0 with probability own, others with cover."""
    rows = np.tile([cover, 1 - cover], (n, 1))
    rows[0] = own, 1 - own
    return rows


def ratio(n, epsilon):
    return 1 + n * math.expm1(epsilon)


def inside_only(bins, n, epsilon, first, last):
    """Forgets the records outside."""
    policy = np.eye(bins)
    policy[first : last + 1, first : last + 1] = keep_or_blur(last - first + 1, n, epsilon)
    return policy


WRONG = {
    "look-alikes": [
        lambda n, epsilon, m: m / n,
        lambda n, epsilon, m: m * math.exp(epsilon) / ratio(n, epsilon),
        lambda n, epsilon, m: m * (n - 1) / n / ratio(n, epsilon),
        lambda n, epsilon, m: m / (n * math.expm1(epsilon)),
        lambda n, epsilon, m: m / (1 + n * (math.exp(epsilon) - 1)),
    ],
    "replacement": [
        lambda policy, n: 2 * np.log1p(((policy.max(0) / policy.min(0)).max() - 1) / n),
        lambda policy, n: np.log((policy.max(0) / policy.min(0)).max()),
        lambda policy, n: np.log1p(((policy.max(0) / policy.min(0)).max() - 1) / (n - 1)),
        lambda policy, n: np.log1p((policy.max() / policy.min() - 1) / n),
    ],
    "worst-rows": [
        lambda n, epsilon: table(n, 0.0),
        lambda n, epsilon: table(n, 1 / n),
        lambda n, epsilon: table(n, 1 / math.exp(epsilon)),
        lambda n, epsilon: table(n, 0.5 / ratio(n, epsilon), 0.5),
        lambda n, epsilon: np.ones((n, 2)),
    ],
    "draws-allowed": [
        lambda n, epsilon, total, delta: int(total / epsilon),
        lambda n, epsilon, total, delta: n,
        lambda n, epsilon, total, delta: max(
            [
                m
                for m in range(1, 200)
                if delta > 0 and advanced_composition(epsilon, m, slack=delta).epsilon <= total
            ],
            default=0,
        ),
        lambda n, epsilon, total, delta: min(
            m
            for m in (1, 10, 100, 10**3, 10**4, 10**9)
            if m == 10**9 or draws_epsilon(n, epsilon, draws=m, delta=delta) > total
        ),
    ],
    "plausible": [
        lambda bins, n, epsilon, first, last: keep_or_blur(bins, n, epsilon),
        inside_only,
        lambda bins, n, epsilon, first, last: keep_or_blur(bins, 2 * n, epsilon),
        lambda bins, n, epsilon, first, last: np.full((bins, bins), 1 / bins),
        lambda bins, n, epsilon, first, last: laplace_kernel(bins, [0.05])[0],
        lambda bins, n, epsilon, first, last: keep_or_blur(last - first + 1, n, epsilon),
    ],
}


@pytest.mark.parametrize(
    ("name", "answer"), [(name, answer) for name, answers in WRONG.items() for answer in answers]
)
def test_wrong_answers_are_refused(name, answer):
    result = check(f"one-number/{name}", answer)
    assert not result and "still the stub" not in result.message
