"""Self-checks of the chapter *Laplace and Gaussian noise*."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdpbook.foundations.mechanisms import analytic_gaussian_sigma
from pdpbook_exercises import Case, Exercise, close, equal, reference

__all__ = ["EXERCISES"]


def _crossover(epsilon: float, delta: float) -> int:
    k = 1
    while (
        analytic_gaussian_sigma(sensitivity=math.sqrt(k), epsilon=epsilon, delta=delta)
        >= math.sqrt(2) * k / epsilon
    ):
        k += 1
    return k


@reference
def _sensitivities(changes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Both norms of all rows, and of all differences of rows."""
    pairs = (changes[:, None, :] - changes[None, :, :]).reshape(-1, changes.shape[1])
    return np.array([np.linalg.norm(m, o, axis=1).max() for m in (changes, pairs) for o in (1, 2)])


def _laplace_delta(scale: float, epsilon: float) -> float:
    """Integrate the excess on a fine grid, cell by cell."""
    edges = np.linspace(-60 * scale, 60 * scale + 1, 400_001)
    where = edges[1:] / 2 + edges[:-1] / 2
    p, q = (np.exp(-np.abs(where - m) / scale) / (2 * scale) for m in (1.0, 0.0))
    return float(np.maximum(p - math.exp(epsilon) * q, 0).sum() * (edges[1] - edges[0]))


def _sensitivity_case(table: NDArray[np.float64]) -> Case:
    def both(factor: float) -> Callable[[NDArray[np.float64]], NDArray[np.float64]]:
        return lambda changes: _sensitivities(changes)[[0, 1, 0, 1]] * [1, 1, factor, factor]

    case = close(
        _sensitivities,
        table,
        hint="A replacement takes one row away and adds another: go through all pairs of rows.",
        mistakes={
            "The L2 norm is the root of the sum of the squares.": lambda changes: (
                _sensitivities(changes) ** [1, 2, 1, 2]
            ),
            "Twice the removal is only a bound for the replacement.": both(2.0),
            "Removal comes first, then replacement; L1 before L2.": lambda changes: _sensitivities(
                changes
            )[[2, 3, 0, 1]],
        },
    )

    def removal_is_wrong(answer: Any) -> bool:
        given, right = np.asarray(answer(table.copy()), dtype=float), _sensitivities(table)
        return given.shape == right.shape and not np.allclose(given[:2], right[:2])

    removal = (
        "The first two are for a removal: the largest norm of one row. L1 sums the absolute values."
    )
    # what tells this mistake is no value, so the case cannot be shown as values
    return replace(case, mistakes={**case.mistakes, removal: removal_is_wrong}, shown=None)


_TABLES = [
    np.tri(5),
    np.eye(4),
    np.array([[3.0, -4.0], [0.0, 1.0], [-3.0, 4.0]]),
    np.tile([1.0, 2.0, 2.0], (2, 1)),
]


def delta(scale, epsilon):
    return max(0.0, -math.expm1((epsilon - 1 / scale) / 2))


EXERCISES = {
    "crossover": Exercise(
        [
            equal(
                _crossover,
                e,
                d,
                hint="Compare the standard deviations, and watch the norms.",
                more="One person moves k counts by 1: the L1 norm is k, the L2 norm its root.",
                mistakes={
                    "There Laplace noise is still no worse.": (lambda e, d: _crossover(e, d) - 1),
                    "One fewer is enough already.": lambda e, d: _crossover(e, d) + 1,
                },
            )
            for e, d in ((1.0, 1e-5), (0.1, 1e-5), (1.0, 1e-10), (5.0, 1e-6), (1.0, 0.3))
        ],
        draw=lambda rng: (round(rng.uniform(0.1, 3.0), 2), float(10 ** -rng.uniform(2.0, 9.0))),
    ),
    "sensitivities": Exercise(
        [_sensitivity_case(table) for table in _TABLES],
        draw=lambda rng: _sensitivity_case(
            rng.integers(-4, 5, (int(rng.integers(2, 6)), 3)).astype(float)
        ),
    ),
    "laplace-delta": Exercise(
        [
            close(
                _laplace_delta,
                b,
                e,
                rtol=1e-3,
                atol=1e-5,
                hint="It falls as ε grows, and from ε = 1/b on no δ is needed.",
                mistakes={
                    "From ε = 1/b on no δ is needed: 0, not a negative number.": (
                        lambda b, e: 1 - math.exp((e - 1 / b) / 2)
                    ),
                    "Half of ε - 1/b stands in the exponent: where do the densities have the ratio "
                    "e^ε?": lambda b, e: max(0.0, -math.expm1(e - 1 / b)),
                    "That is 1 - δ.": lambda b, e: 1 - delta(b, e),
                    "That is the δ for ε = 0.": lambda b, e: delta(b, 0.0),
                    "That is the probability of the event with the record. Subtract e^ε times the "
                    "one without it.": lambda b, e: 1 - math.exp((e - 1 / b) / 2) / 2,
                    "You used b where 1/b belongs: the scale divides.": lambda b, e: delta(
                        1 / b, e
                    ),
                },
            )
            for b, e in ((1.0, 0.0), (1.0, 0.3), (2.0, 0.1), (0.5, 1.5), (1.0, 1.5))
        ],
        draw=lambda rng: (round(rng.uniform(0.3, 3.0), 2), round(rng.uniform(0.0, 1.5), 2)),
    ),
}
