"""Self-checks of the chapter *Noise learned from public data*."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.stats import laplace

from pdpbook_exercises import Exercise, close, equal

__all__ = ["EXERCISES"]


def _least_total(size: int, n: int, level: float) -> int:
    """Try one number after the other, each a quotient of whole numbers."""
    total = 0
    while math.comb(size, total) > level * math.comb(size + n, total):
        total += 1
    return total


def _again(public: int, size: int, n: int, level: float) -> int:
    """Try one value after the other, every tail a sum of whole numbers."""
    for c in range(n + 1):
        marked = public + c
        ways = [
            math.comb(marked, j) * math.comb(size + n - marked, n - j)
            for j in range(min(n, marked) + 1)
        ]
        if sum(ways[: c + 1]) > level * math.comb(size + n, n):
            return c
    return n


def _pass_probability(
    counts: Any, randomiser: Any, test_epsilon: float, draw_epsilon: float, delta: float
) -> float:
    mass = sum(count * row for count, row in zip(counts, randomiser, strict=True))
    g = min(s / max(column) for s, column in zip(mass, np.transpose(randomiser), strict=True))
    needed = -1.0 / math.expm1(-draw_epsilon) - math.log(2.0 * delta) / test_epsilon
    return float(laplace.sf(test_epsilon * (needed - g)))


def _check_cases() -> list[Any]:
    rng = np.random.default_rng(3)
    return [
        close(
            _pass_probability,
            np.array(counts),
            0.7 * np.eye(len(counts)) + 0.3 * rng.dirichlet(np.ones(len(counts)), len(counts)),
            *budget,
            hint="g is a minimum over the outputs, of the mass over the largest entry of its "
            "column. The noise may have either sign, so the check may pass below the threshold "
            "and fail above it.",
        )
        for counts, budget in (
            ([60, 55, 70], (0.3, 0.7, 1e-3)),
            ([20, 30, 25], (0.3, 0.7, 1e-3)),
            ([9, 0, 12, 4], (2.0, 1.0, 0.05)),
            ([900, 800], (0.1, 2.0, 1e-6)),
        )
    ]


def _drawn_marked(rng: np.random.Generator) -> tuple[int, int, int, float]:
    size = int(rng.integers(10, 150))
    marked, n = int(rng.integers(0, size)), int(rng.integers(10, 150))
    return marked, size, n, round(float(rng.uniform(0.001, 0.3)), 4)


def _drawn_check(rng: np.random.Generator) -> tuple[Any, ...]:
    bins = int(rng.integers(2, 6))
    rows = 0.7 * np.eye(bins) + 0.3 * rng.dirichlet(np.ones(bins), bins)
    test, spent = rng.uniform(0.2, 1.0, 2).round(2).tolist()
    return rng.integers(5, 40, bins), rows, test, spent, 0.01


EXERCISES = {
    "empty": Exercise(
        [
            equal(
                _least_total,
                *case,
                hint="With s people in the bin, count the ways to choose the s from the public "
                "people only, out of all ways. Find the smallest s at which that is at most the "
                "level.",
            )
            for case in (
                (123, 123, 0.0025),
                (100, 300, 0.01),
                (50, 5, 0.5),
                (3, 4, 1e-3),
                (1, 1, 0.5),
            )
        ],
        draw=lambda rng: (
            int(rng.integers(5, 200)),
            int(rng.integers(5, 200)),
            round(rng.uniform(0.001, 0.3), 4),
        ),
    ),
    "again": Exercise(
        [
            equal(
                _again,
                *case,
                hint="Mark the people of the bin, public ones and c private ones, and draw the n "
                "private people from all. Is at most c marked ones more likely than the level?",
            )
            for case in (
                (100, 123, 123, 0.0025),
                (20, 123, 123, 0.0025),
                (3, 123, 123, 0.0025),
                (40, 60, 200, 0.01),
                (0, 50, 50, 0.1),
                (25, 60, 30, 0.3),
            )
        ],
        draw=_drawn_marked,
        refused=(
            "pdpbook.audit.public_randomisers.likely_counts",
            "pdpbook.audit.public_randomisers._first_accepted",
        ),
    ),
    "check": Exercise(
        _check_cases(),
        draw=_drawn_check,
    ),
}
