"""Self-checks of the chapter *The random sampling query*."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdpbook.exercises import Case, Exercise, close
from pdpbook.foundations.sampling_query import Grid, PerInstanceLaplace
from pdpbook.per_instance.privacy_loss import privacy_losses

__all__ = ["EXERCISES"]


def _padded(low: float, high: float, epsilon: float, percentile: float) -> list[float]:
    grid = Grid.padded([low, high], epsilon=epsilon, percentile=percentile)
    return [grid.lower, grid.upper]


def _first_to_reach(n: int, chance: float) -> Callable[[Any], bool]:
    def judge(answer: Any) -> bool:
        given = answer(n, chance)
        if given != int(given) or given < 1:
            return False
        seen = [-math.expm1(m * math.log1p(-1.0 / n)) for m in (given, given - 1)]
        return seen[0] >= chance * (1 - 1e-12) and seen[1] < chance

    return judge


def _merging_cases() -> list[Case]:
    rng = np.random.default_rng(5)

    def judge(rows: NDArray[np.float64], groups: NDArray[np.int64]) -> Callable[[Any], bool]:
        def verdict(answer: Any) -> bool:
            n = len(rows)
            merged = np.array([rows[:, groups == g].sum(axis=1) for g in range(groups.max() + 1)]).T
            right = privacy_losses(merged, merged.sum(axis=0), n)
            before = privacy_losses(rows, rows.sum(axis=0), n)
            given = np.asarray(answer(rows.copy(), groups.copy()), dtype=float)
            return bool(np.allclose(given, right) and (given <= before + 1e-9).all())

        return verdict

    cases = [
        (rng.dirichlet(np.ones(6), size=4), np.array([0, 0, 1, 1, 2, 2])),
        (rng.dirichlet(np.full(5, 0.3), size=3), np.array([1, 0, 1, 0, 2])),
        (np.eye(4)[[0, 1, 2, 3]], np.array([0, 0, 1, 1])),
        (rng.dirichlet(np.ones(4), size=5), np.array([0, 0, 0, 0])),
    ]
    hint = "Add up the columns of a group first. Then compare P with and without each record."
    return [Case(judge(rows, groups), hint) for rows, groups in cases]


def _best_draws(n: int, spread: float, sd: float, epsilon: float, limit: int) -> int:
    draws = np.arange(1, limit + 1)
    scale = spread / np.log1p(n * np.expm1(epsilon / draws))
    return int(draws[((sd**2 + 2 * scale**2) / draws).argmin()])


_HEIGHTS = np.random.default_rng(5).normal(170, 12, 300)
_VARIANTS = [
    _HEIGHTS,
    np.delete(_HEIGHTS, _HEIGHTS.argmax()),
    _HEIGHTS[:2],
    np.append(_HEIGHTS, 1803.0),
    np.append(_HEIGHTS, -3.0),
]


def _keeps_all(answer: Any) -> bool:
    for values in _VARIANTS:
        grid, placed = answer(values.copy(), 1.0)
        PerInstanceLaplace(placed, 1.0, grid).output()  # refuses a record outside the grid
        if len(placed) != len(values):
            return False
    return True


def _is_public(answer: Any) -> bool:
    return len({answer(values.copy(), 1.0)[0] for values in _VARIANTS}) == 1


def _is_padded(answer: Any) -> bool:
    for epsilon in (1.0, 0.5):
        grid, _ = answer(_HEIGHTS.copy(), epsilon)
        padding = grid.width * (1 - grid.sensitivity) / 2
        wanted = grid.sensitivity * grid.width * math.log(5) / epsilon
        if not math.isclose(padding, wanted, rel_tol=1e-6):
            return False
    return True


def _leaves_heights(answer: Any) -> bool:
    return bool(np.allclose(answer(_HEIGHTS.copy(), 1.0)[1], _HEIGHTS))


_DRAWS_HINT = "The chance of not being drawn m times is a power. Use log1p, and round up."

EXERCISES = {
    "padded-interval": Exercise(
        [
            close(_padded, *case, hint="The padding is positive, and the same on both sides.")
            for case in ((0.0, 1.0, 1.0, 0.9), (160.02, 228.6, 0.1, 0.9), (-5.0, 3.0, 2.0, 0.6))
        ]
    ),
    "draws-until-seen": Exercise(
        [
            Case(_first_to_reach(n, c), _DRAWS_HINT)
            for n, c in ((2, 0.5), (1317, 0.5), (1317, 0.99), (10**9, 0.5))
        ]
    ),
    "merged-losses": Exercise(_merging_cases()),
    "best-draws": Exercise(
        [
            close(_best_draws, *case, hint="Try all numbers of draws; the scale depends on m.")
            for case in (
                (1317, 68.58, 9.1, 1.0, 5000),
                (1317, 68.58, 9.1, 1.0, 50),
                (10_000, 1.0, 0.3, 0.1, 3000),
                (50, 10.0, 4.0, 3.0, 500),
            )
        ]
    ),
    "public-grid": Exercise(
        [
            Case(_keeps_all, "Every record must come back, inside the grid."),
            Case(_is_public, "The grid must be the same with and without any record."),
            Case(
                _is_padded,
                "Set the grid's `sensitivity`: the range as a share of the interval; "
                "`Grid.padded` does it, and makes the padding from ε and p = 0.9.",
            ),
            Case(_leaves_heights, "Ordinary heights must stay as they are."),
        ]
    ),
}
