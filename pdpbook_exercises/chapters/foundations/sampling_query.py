"""Self-checks of the chapter *One random record*."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pdpbook.foundations.sampling_query import Grid, PerInstanceLaplace
from pdpbook_exercises import Case, Exercise, close, reference

__all__ = ["EXERCISES"]


@reference
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


_HEIGHTS = np.random.default_rng(5).normal(170, 12, 300)
_VARIANTS = [
    _HEIGHTS,
    np.delete(_HEIGHTS, _HEIGHTS.argmax()),
    _HEIGHTS[:2],
    np.append(_HEIGHTS, 1803.0),
    np.append(_HEIGHTS, -3.0),
]


def _keeps_all(answer: Any, variants: Sequence[Any] = _VARIANTS) -> str:
    for values in variants:
        grid, placed = answer(values.copy(), 1.0)
        if len(placed) != len(values):
            return f"{len(values)} records went in, and {len(placed)} came back."
        PerInstanceLaplace(placed, 1.0, grid).output()  # refuses a record outside the grid
    return ""


def _is_public(answer: Any, variants: Sequence[Any] = _VARIANTS) -> str:
    grids = [answer(values.copy(), 1.0)[0] for values in variants]
    for values, grid in zip(variants[1:], grids[1:], strict=True):
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


def _stays_within_limits(answer: Any, variants: Sequence[Any] = _VARIANTS) -> str:
    for values in variants:
        grid, placed = answer(values.copy(), 1.0)
        low, high = grid.lower + _padding(grid), grid.upper - _padding(grid)
        for value, record in zip(values, np.asarray(placed, dtype=float), strict=True):
            if not low - 1e-6 <= record <= high + 1e-6:
                return (
                    f"The record of {value:.0f} cm came back as {record:.1f} cm, in the padding: "
                    f"the range that the grid declares goes from {low:.1f} to {high:.1f} cm."
                )
    return ""


def _drawn_heights(rng: np.random.Generator) -> Case:
    """Draw other heights, some of them nonsense, and look at all properties at once."""
    heights = np.clip(rng.normal(168, 9, int(rng.integers(20, 200))), 140, 200)
    others = np.array([rng.uniform(300, 3000), rng.uniform(-500, 50)])
    variants = [heights, heights[1:], np.append(heights, others[0]), np.append(heights, others[1])]

    def judge(answer: Any) -> str:
        found = [f(answer, variants) for f in (_keeps_all, _is_public, _stays_within_limits)]
        same = np.allclose(answer(heights.copy(), 1.0)[1], heights)
        return next(filter(None, found), "" if same else "Ordinary heights must stay as they are.")

    return Case(judge, "What holds for the heights above must hold for these.")


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
            for case in (
                (160.02, 228.6, 0.1, 0.9),
                (0.0, 1.0, 1.0, 0.9),
                (-5.0, 3.0, 2.0, 0.6),
                (2.0, 4.0, 0.5, 0.999),
                (-1.0, 0.0, 3.0, 0.55),
            )
        ]
        + [Case(_refuses_negative_padding, "For p < 1/2 raise a ValueError.")],
        draw=lambda rng: (
            low := round(rng.uniform(-50.0, 50.0), 1),
            low + round(rng.uniform(1.0, 80.0), 1),
            round(rng.uniform(0.1, 3.0), 2),
            round(rng.uniform(0.55, 0.99), 2),
        ),
    ),
    "draws-until-seen": Exercise(
        [_draws_case(n, c) for n, c in ((1317, 0.99), (2, 0.5), (1317, 0.5), (10**9, 0.5))],
        draw=lambda rng: _draws_case(
            int(rng.integers(2, 10**6)), round(rng.uniform(0.05, 0.99), 3)
        ),
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
        ],
        draw=_drawn_heights,
    ),
}
