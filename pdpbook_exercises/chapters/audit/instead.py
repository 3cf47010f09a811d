"""Self-checks of the chapter *What would you have used instead?*."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdpbook.foundations.divergences import kl_divergence
from pdpbook.foundations.mechanisms import geometric_mechanism
from pdpbook_exercises import Case, Exercise, close

__all__ = ["EXERCISES"]


def _guess(candidates: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(weights @ candidates)


def _guess_cases() -> list[Case]:
    rng = np.random.default_rng(1)
    return [
        close(
            _guess,
            rng.dirichlet(np.full(bins, 0.4), size=size),
            rng.dirichlet(np.ones(size)),
            hint="Write the expected divergence as something without P minus a sum over x of "
            "E q(x) ln P(x). The probabilities of the candidates are not all equal.",
        )
        for size, bins in ((2, 3), (5, 4), (1, 2))
    ]


def _clipped_sum(epsilon: float) -> float:
    """Add up the definition."""
    last = int(60 / epsilon) + 60
    z = np.arange(1, last + 1)
    return float((z * np.exp(-epsilon * z)).sum() * math.tanh(epsilon / 2))


def _least_records(bins: int, epsilon: float, kappa: float) -> Callable[[Any], str]:
    def worst(n: int) -> float:
        return math.log1p((bins - 1) / (1 + n * math.expm1(epsilon)))

    def judge(answer: Any) -> str:
        n = answer(bins, epsilon, kappa)
        if n != int(n):
            return "A number of records is a whole number."
        if n < 2:
            return "There are at least two records."
        n = int(n)
        if worst(n) > kappa * (1 + 1e-9):
            return (
                f"Too few: with so many records the divergence may be {worst(n):.6g}, more than "
                f"{kappa:g}."
            )
        enough = n > 2 and worst(n - 1) <= kappa * (1 - 1e-9)
        return "Too many: one record fewer is enough." if enough else ""

    return judge


def _two(
    q: NDArray[np.float64], rows: NDArray[np.float64], places: NDArray[np.float64]
) -> list[float]:
    own = blind = 0.0
    output = q @ rows
    for k, x in enumerate(places):
        for j, y in enumerate(places):
            own += q[k] * rows[k, j] * (x - y) ** 2
            blind += q[k] * output[j] * (x - y) ** 2
    return [own, blind]


def _error_cases() -> list[Case]:
    rng = np.random.default_rng(2)
    return [
        close(
            _two,
            rng.dirichlet(np.ones(bins)),
            0.6 * np.eye(bins) + 0.4 * rng.dirichlet(np.ones(bins), size=bins),
            np.sort(rng.uniform(-5, 5, bins)),
            hint="Return both, in this order. Records weigh by q, outputs by the row; in the "
            "second case the output is independent of the record.",
        )
        for bins in (2, 5)
    ]


def _drawn_error(rng: np.random.Generator) -> tuple[NDArray[np.float64], ...]:
    bins = int(rng.integers(2, 7))
    rows = 0.6 * np.eye(bins) + 0.4 * rng.dirichlet(np.ones(bins), size=bins)
    return rng.dirichlet(np.ones(bins)), rows, np.sort(rng.uniform(-5, 5, bins))


def _hills(rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw a smooth histogram: one hill, most bins empty, as in the fixed cases."""
    x = np.arange(60)
    height, place, width = rng.uniform(80, 150), rng.uniform(15, 45), rng.uniform(25, 45)
    return np.round(height * np.exp(-((x - place) ** 2) / width)).astype(np.int64)


def _histograms() -> list[NDArray[np.int64]]:
    x = np.arange(60)
    bell = np.round(120 * np.exp(-((x - 30) ** 2) / 40)).astype(np.int64)
    two = np.round(60 * np.exp(-((x - 12) ** 2) / 18) + 80 * np.exp(-((x - 41) ** 2) / 30))
    return [bell, two.astype(np.int64), np.where(x < 12, 10 * (12 - x), 0).astype(np.int64)]


def _is_distribution(answer: Any) -> bool:
    noisy = np.array([5, -2, 0, 1])
    guess = np.asarray(answer(noisy, 0.5), dtype=float)
    return guess.shape == (4,) and bool((guess > 0).all()) and math.isclose(guess.sum(), 1.0)


def _is_nearer(counts: NDArray[np.int64], epsilon: float) -> Callable[[Any], bool]:
    q = counts / counts.sum()

    def judge(answer: Any) -> bool:
        own, plain = [], []
        for seed in range(15):
            rng = np.random.default_rng([seed, 3])
            noisy = np.asarray(geometric_mechanism(counts, epsilon=epsilon, rng=rng))
            guess = np.asarray(answer(noisy.copy(), epsilon), dtype=float)
            if not (guess > 0).all() or not math.isclose(guess.sum(), 1.0, rel_tol=1e-9):
                return False
            clipped = np.maximum(noisy, 0) + 0.5
            own.append(kl_divergence(q, guess / guess.sum()))
            plain.append(kl_divergence(q, clipped / clipped.sum()))
        return bool(np.median(own) <= np.median(plain) * 2 / 3)

    return judge


EXERCISES = {
    "guess": Exercise(
        _guess_cases(),
        draw=lambda rng: (
            rng.dirichlet(np.full(int(rng.integers(2, 6)), 0.6), size=4),
            rng.dirichlet(np.ones(4)),
        ),
    ),
    "clipping": Exercise(
        [
            close(
                _clipped_sum,
                epsilon,
                hint="Add up z Pr[Z = z] over the positive z only. The probabilities of all z, "
                "negative ones and 0 included, sum to 1.",
            )
            for epsilon in (1.0, 0.1, 5.0)
        ],
        draw=lambda rng: (round(rng.uniform(0.05, 6.0), 3),),
    ),
    "records": Exercise(
        [
            Case(
                _least_records(*case),
                "Solve for R first, then for n. The divergence must be at most kappa for your n "
                "and above it for n - 1.",
            )
            for case in ((101, 1.0, 0.01), (3, 0.1, 0.2), (2, 5.0, 1.0), (1001, 0.01, 1e-4))
        ],
        draw=lambda rng: Case(
            _least_records(
                int(rng.integers(2, 102)),
                round(rng.uniform(0.05, 3.0), 3),
                round(rng.uniform(0.005, 0.5), 4),
            ),
            "Solve for R first, then for n.",
        ),
    ),
    "errors": Exercise(
        _error_cases(),
        draw=_drawn_error,
    ),
    "better": Exercise(
        [
            Case(
                _is_distribution,
                "Return a distribution with one positive probability a bin, for any whole numbers.",
            ),
            *(
                Case(
                    _is_nearer(counts, epsilon),
                    "Not nearer by a third than clipping and adding a half. Most bins are empty: "
                    "what do counts no larger than the noise mean, and what do neighbours say?",
                )
                for counts in _histograms()
                for epsilon in (0.3, 1.0, 3.0)
            ),
        ],
        draw=lambda rng: Case(
            _is_nearer(_hills(rng), float(rng.choice([0.3, 1.0, 3.0]))),
            "Not nearer by a third than clipping and adding a half.",
        ),
    ),
}
