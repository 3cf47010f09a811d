"""Self-checks of the chapter *Statistics from the sampling query*."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdpbook.per_instance.privacy_loss import privacy_losses
from pdpbook_exercises import Case, Exercise, close

__all__ = ["EXERCISES"]


def _scale_of_a_draw(n: int, epsilon: float) -> float:
    return 1 / math.log1p(n * math.expm1(epsilon))


def _merged(rows: NDArray[np.float64], groups: NDArray[np.int64]) -> NDArray[np.float64]:
    return np.array([rows[:, groups == g].sum(axis=1) for g in range(groups.max() + 1)]).T


def _merged_losses(rows: NDArray[np.float64], groups: NDArray[np.int64]) -> NDArray[np.float64]:
    merged = _merged(rows, groups)
    return privacy_losses(merged, merged.sum(axis=0), len(rows))


def _fine_losses(rows: NDArray[np.float64], groups: NDArray[np.int64]) -> NDArray[np.float64]:
    return privacy_losses(rows, rows.sum(axis=0), len(rows))


def _loss_sums(rows: NDArray[np.float64], groups: NDArray[np.int64]) -> NDArray[np.float64]:
    """Compare with all records, the own one included."""
    merged = _merged(rows, groups)
    with np.errstate(divide="ignore"):
        result: NDArray[np.float64] = np.abs(np.log(merged / merged.mean(axis=0))).max(axis=1)
    return result


def _merging_cases() -> list[Case]:
    rng = np.random.default_rng(5)
    cases = [
        (rng.dirichlet(np.ones(6), size=4), np.array([0, 0, 1, 1, 2, 2])),
        (rng.dirichlet(np.full(5, 0.3), size=3), np.array([1, 0, 1, 0, 2])),
        (np.eye(4)[[0, 1, 2, 3]], np.array([0, 0, 1, 1])),
        (rng.dirichlet(np.ones(4), size=5), np.array([0, 0, 0, 0])),
    ]
    return [
        close(
            _merged_losses,
            rows,
            groups,
            hint="Add up the columns of a group first. Then compare P with and without a record.",
            more="pb.privacy_losses wants the merged rows, and the sum of the merged rows.",
            mistakes={
                "These are the losses before merging.": _fine_losses,
                "P_{-i} is the mean over the *other* records.": _loss_sums,
            },
        )
        for rows, groups in cases
    ]


def _best_draws(n: int, spread: float, sd: float, epsilon: float, limit: int) -> int:
    draws = np.arange(1, limit + 1)
    scale = spread / np.log1p(n * np.expm1(epsilon / draws))
    return int(draws[((sd**2 + 2 * scale**2) / draws).argmin()])


def _by_scale(scale: Callable[..., Any]) -> Callable[..., int]:
    """Return the best number of draws with another noise scale."""

    def best(n: int, spread: float, sd: float, epsilon: float, limit: int) -> int:
        draws = np.arange(1, limit + 1)
        noise = scale(n, spread, epsilon, draws)
        return int(draws[((sd**2 + 2 * noise**2) / draws).argmin()])

    return best


def _drawn_groups(rng: np.random.Generator) -> tuple[Any, ...]:
    bins = int(rng.integers(3, 8))
    groups = rng.permutation([0, 1, *rng.integers(0, 2, bins - 2)])
    return rng.dirichlet(np.ones(bins), size=int(rng.integers(2, 7))), groups


EXERCISES = {
    "scale-of-a-draw": Exercise(
        [
            close(
                _scale_of_a_draw,
                n,
                epsilon,
                hint="One draw costs ln(1 + (e^ε₀ - 1)/n). Set it to ε, and solve for ε₀.",
                mistakes={
                    "That is the scale without amplification: a record is seldom drawn.": (
                        lambda n, epsilon: 1 / epsilon
                    ),
                    "That is ε₀. The scale is its inverse.": lambda n, epsilon: (
                        1 / _scale_of_a_draw(n, epsilon)
                    ),
                },
            )
            for n, epsilon in ((1317, 1.0), (5, 0.3), (10**9, 1e-6), (2, 4.0))
        ],
        draw=lambda rng: (int(rng.integers(2, 10**5)), round(rng.uniform(0.01, 4.0), 3)),
        refused=(
            "pdpbook.per_instance.scale_bounds.scale_bound",
            "pdpbook.per_instance.scale_bounds._inverse_log",
        ),
    ),
    "best-draws": Exercise(
        [
            close(
                _best_draws,
                *case,
                hint="Try all numbers of draws. Each draw gets epsilon / m, and its scale by "
                "amplification; what is the variance of a draw?",
                more="The variance of one draw is the variance of the data plus that of the noise, "
                "2b². The mean of m draws has an m-th of it.",
                mistakes={
                    "Each draw gets a part of epsilon only.": _by_scale(
                        lambda n, d, e, m: d / np.log1p(n * np.expm1(e)) + 0 * m
                    ),
                    "That is without amplification: a record is seldom drawn.": _by_scale(
                        lambda n, d, e, m: d * m / e
                    ),
                    "Laplace noise of scale b has the variance 2b², not b².": _by_scale(
                        lambda n, d, e, m: d / np.log1p(n * np.expm1(e / m)) / math.sqrt(2)
                    ),
                },
            )
            for case in (
                (1317, 68.58, 9.1, 1.0, 5000),
                (1317, 68.58, 9.1, 1.0, 50),
                (10_000, 1.0, 0.3, 0.1, 3000),
                (50, 10.0, 4.0, 3.0, 500),
            )
        ],
        draw=lambda rng: (
            int(rng.integers(50, 5000)),
            round(rng.uniform(1.0, 80.0), 1),
            round(rng.uniform(0.5, 10.0), 1),
            round(rng.uniform(0.1, 3.0), 2),
            int(rng.integers(100, 2000)),
        ),
    ),
    "merged-losses": Exercise(
        _merging_cases(),
        draw=_drawn_groups,
    ),
}
