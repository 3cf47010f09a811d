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


def _padded(low: float, high: float, epsilon: float, quantile: float) -> list[float]:
    grid = Grid.padded([low, high], epsilon=epsilon, quantile=quantile)
    return [grid.lower, grid.upper]


def _refuses_negative_padding(answer: Callable[..., Any]) -> str:
    try:
        answer(0.0, 1.0, 1.0, 0.4)
    except ValueError:
        return ""
    return "That interval is shorter than the data."


def _first_to_reach(n: int, chance: float) -> Callable[[Any], str]:
    def judge(answer: Any) -> str:
        given = answer(n, chance)
        if given != int(given) or given < 1:
            return "It is a whole number, at least 1."
        seen = [-math.expm1(m * math.log1p(-1.0 / n)) for m in (given, given - 1)]
        if seen[0] < chance * (1 - 1e-12):
            return f"After so many draws the chance is {seen[0]:.10g}, and it should be {chance}."
        return "One draw fewer is enough." if seen[1] >= chance else ""

    return judge


def _returns(n: int, chance: float, formula: Callable[[], float]) -> Callable[[Any], bool]:
    return lambda answer: math.isclose(answer(n, chance), formula(), rel_tol=1e-9)


def _draws_case(n: int, chance: float) -> Case:
    return Case(
        _first_to_reach(n, chance),
        "The chance of not being drawn m times is a power. Round up.",
        more="Solve (1 - 1/n)^m = 1 - c for m by logarithms. Use log1p.",
        mistakes={
            "Draws may repeat a record: n draws do not show all n of them.": _returns(
                n, chance, lambda: math.ceil(n * chance)
            ),
            "Which of the two chances is c: of being drawn, or of being *missed*?": (
                _returns(n, chance, lambda: math.ceil(math.log(chance) / math.log1p(-1.0 / n)))
            ),
            "1 - 1/n loses digits for a large n. Use log1p.": _returns(
                n, chance, lambda: math.ceil(math.log(1.0 - chance) / math.log(1.0 - 1.0 / n))
            ),
        },
    )


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


_HEIGHTS = np.random.default_rng(5).normal(170, 12, 300)
_VARIANTS = [
    _HEIGHTS,
    np.delete(_HEIGHTS, _HEIGHTS.argmax()),
    _HEIGHTS[:2],
    np.append(_HEIGHTS, 1803.0),
    np.append(_HEIGHTS, -3.0),
]


def _keeps_all(answer: Any) -> str:
    for values in _VARIANTS:
        grid, placed = answer(values.copy(), 1.0)
        if len(placed) != len(values):
            return f"{len(values)} records went in, and {len(placed)} came back."
        PerInstanceLaplace(placed, 1.0, grid).output()  # refuses a record outside the grid
    return ""


def _is_public(answer: Any) -> str:
    grids = [answer(values.copy(), 1.0)[0] for values in _VARIANTS]
    for values, grid in zip(_VARIANTS[1:], grids[1:], strict=True):
        if grid != grids[0]:
            return f"With {len(values)} of these heights the grid is another than with all 300."
    return ""


def _padding(grid: Grid) -> float:
    """Half of what the interval has more than the range that it declares."""
    return grid.width * (1 - grid.sensitivity) / 2


def _is_padded(answer: Any) -> str:
    for epsilon in (1.0, 0.5):
        grid, _ = answer(_HEIGHTS.copy(), epsilon)
        wanted = grid.sensitivity * grid.width * math.log(5) / epsilon
        if not math.isclose(_padding(grid), wanted, rel_tol=1e-6):
            declared = grid.sensitivity * grid.width
            return (
                f"The grid declares a range of {declared:.4g} cm, and has a padding of "
                f"{_padding(grid):.4g} cm on each side."
            )
    return ""


def _stays_within_limits(answer: Any) -> str:
    for values in _VARIANTS:
        grid, placed = answer(values.copy(), 1.0)
        low, high = grid.lower + _padding(grid), grid.upper - _padding(grid)
        for value, record in zip(values, np.asarray(placed, dtype=float), strict=True):
            if not low - 1e-6 <= record <= high + 1e-6:
                return (
                    f"The record of {value:.0f} cm came back as {record:.1f} cm, in the padding: "
                    f"the range that the grid declares goes from {low:.1f} to {high:.1f} cm."
                )
    return ""


def _leaves_heights(answer: Any) -> bool:
    return bool(np.allclose(answer(_HEIGHTS.copy(), 1.0)[1], _HEIGHTS))


EXERCISES = {
    "padded-interval": Exercise(
        [
            close(
                _padded,
                *case,
                hint="How far above the largest record does noise of scale range/epsilon stay with "
                "probability p? Both sides get the same.",
                more="For y > 0, P(noise <= y) = 1 - exp(-y/b)/2. Solve for y.",
                mistakes={
                    "Is that a base-2 logarithm? The book takes natural logarithms.": (
                        lambda low, high, e, p: [
                            low + (high - low) / e * math.log2(2 - 2 * p),
                            high - (high - low) / e * math.log2(2 - 2 * p),
                        ]
                    ),
                    "Yours is the y with P(|noise| <= y) = p. One end is crossed by noise in one "
                    "direction only.": lambda low, high, e, p: [
                        low + (high - low) / e * math.log(1 - p),
                        high - (high - low) / e * math.log(1 - p),
                    ],
                    "The padding has the wrong sign.": lambda low, high, e, p: [
                        low - (high - low) / e * math.log(2 - 2 * p),
                        high + (high - low) / e * math.log(2 - 2 * p),
                    ],
                    "The scale of the noise is the range of the data over epsilon.": (
                        lambda low, high, e, p: [
                            low + math.log(2 - 2 * p) / e,
                            high - math.log(2 - 2 * p) / e,
                        ]
                    ),
                },
            )
            for case in ((160.02, 228.6, 0.1, 0.9), (0.0, 1.0, 1.0, 0.9), (-5.0, 3.0, 2.0, 0.6))
        ]
        + [Case(_refuses_negative_padding, "For p < 1/2 raise a ValueError.")]
    ),
    "draws-until-seen": Exercise(
        [_draws_case(n, c) for n, c in ((1317, 0.99), (2, 0.5), (1317, 0.5), (10**9, 0.5))]
    ),
    "merged-losses": Exercise(_merging_cases()),
    "best-draws": Exercise(
        [
            close(
                _best_draws,
                *case,
                hint="Try all numbers of draws. Each draw gets epsilon / m, and its scale by "
                "amplification; what is the variance of a draw?",
                more="The variance of one draw is that of the data and that of the noise, 2b². The "
                "mean of m draws has an m-th of it.",
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
            Case(
                _stays_within_limits,
                "The padding is room for noise, not for records. Bring them to your limits.",
            ),
            Case(_leaves_heights, "Ordinary heights must stay as they are."),
        ]
    ),
}
