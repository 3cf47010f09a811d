"""Self-checks of the chapter *Your own column*."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdpbook_exercises import Case, Exercise, close, equal

__all__ = ["EXERCISES"]


def _distance(p: NDArray[np.float64], q: NDArray[np.float64], width: float) -> float:
    """Carry the surplus of each bin to the next."""
    carried = total = 0.0
    for have, need in zip(p, q, strict=True):
        carried += float(have) - float(need)
        total += abs(carried)
    return width * total


def _distance_cases() -> list[Case]:
    rng = np.random.default_rng(1)
    return [
        close(
            _distance,
            rng.dirichlet(np.ones(bins)),
            rng.dirichlet(np.ones(bins)),
            width,
            hint="The area between the two distribution functions is a sum over the gaps between "
            "neighbouring midpoints, each as wide as a bin.",
        )
        for bins, width in ((2, 1.0), (5, 0.5), (8, 100.0))
    ]


def _drawn_distributions(rng: np.random.Generator) -> tuple[Any, ...]:
    bins = int(rng.integers(3, 12))
    width = round(rng.uniform(0.1, 20.0), 2)
    return rng.dirichlet(np.ones(bins)), rng.dirichlet(np.ones(bins)), width


def _bound(bins: int, n: int, epsilon: float) -> float:
    return 1 / (2 * bins) + bins / (bins + n * math.expm1(epsilon))


def _best_bins(n: int, epsilon: float) -> int:
    return min(range(2, 1025), key=lambda bins: _bound(bins, n, epsilon))


def _loss(values: Any, lower: float, upper: float, epsilon: float) -> float:
    """Delete one record after the other."""
    x, n = [float(each) for each in values], len(values)
    mean = sum(x) / n
    changes = [abs(mean - sum(x[:i] + x[i + 1 :]) / (n - 1)) for i in range(n)]
    return max(changes) * n * epsilon / (upper - lower)


def _errors(values: Any, lower: float, upper: float, epsilon: float) -> list[float]:
    n = len(values)
    moved = sum(min(max(x, lower), upper) - x for x in values) / n
    return [abs(moved), (upper - lower) / (n * epsilon)]


def _statistic_cases(reference: Any, hint: str, bounds: list[tuple[float, float]]) -> list[Case]:
    rng = np.random.default_rng(2)
    columns = [rng.gamma(2.0, 3.0, n).clip(0.0, 20.0) for n in (5, 12, 40)]
    columns[1] = 20.0 - columns[1]  # its long tail is at the lower end
    return [
        close(reference, values, *ends, epsilon, hint=hint)
        for values, ends, epsilon in zip(columns, bounds, (1.0, 0.5, 2.0), strict=True)
    ]


def _drawn_statistic(
    rng: np.random.Generator, lower: tuple[float, float], upper: tuple[float, float]
) -> tuple[Any, ...]:
    """Draw values in [0, 20], with the long tail at either end, and the ends of the range."""
    values = rng.gamma(2.0, 3.0, int(rng.integers(5, 40))).clip(0.0, 20.0)
    values = values if rng.random() < 0.5 else 20.0 - values
    ends = (round(rng.uniform(*interval), 2) for interval in (lower, upper))
    return values, *ends, round(rng.uniform(0.1, 3.0), 2)


EXERCISES = {
    "distance": Exercise(
        _distance_cases(),
        draw=_drawn_distributions,
    ),
    "bins": Exercise(
        [
            equal(
                _best_bins,
                *case,
                hint="Compute both bounds for every K from 2 to 1,024 and add them. The "
                "probability of a replacement has e to the power of ε, minus one.",
            )
            for case in ((178, 1.0), (1317, 0.3), (20, 0.5), (10**6, 2.0))
        ],
        draw=lambda rng: (int(np.exp(rng.uniform(3.0, 12.0))), round(rng.uniform(0.1, 2.0), 2)),
    ),
    "loss": Exercise(
        _statistic_cases(
            _loss,
            "Compute the mean once more without each record, divide the change by the scale, and "
            "take the largest.",
            [(0.0, 20.0), (-5.0, 25.0), (0.0, 50.0)],
        ),
        draw=lambda rng: _drawn_statistic(rng, (-10.0, 0.0), (20.0, 40.0)),
    ),
    "range": Exercise(
        _statistic_cases(
            _errors,
            "Return both, in this order. Every value stays in the mean, those outside at the "
            "nearer end, and the expected absolute value of Laplace noise is its scale.",
            [(0.0, 6.0), (2.0, 8.0), (0.0, 40.0)],
        ),
        draw=lambda rng: _drawn_statistic(rng, (0.0, 4.0), (5.0, 20.0)),
    ),
}
