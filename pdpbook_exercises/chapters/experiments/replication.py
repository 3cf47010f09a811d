"""Checks of the exercises in *Replication*."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdpbook.experiments.datasets import load_heights
from pdpbook.experiments.replication import best_response_row
from pdpbook.experiments.settings import Setting
from pdpbook.experiments.settings_search import misfit
from pdpbook_exercises import Case, Exercise, close, equal, reference

__all__ = ["EXERCISES"]


def _misfit(computed: Any, printed: Any) -> float:
    return misfit(computed, printed)


def _logs(computed: Any, printed: Any, resolution: float = 5e-5) -> Any:
    a, c = np.asarray(computed) + resolution, np.asarray(printed) + resolution
    return np.log(a / c)


def _misfit_case(computed: Any, printed: Any, hint: str) -> Case:
    return close(
        _misfit,
        computed,
        printed,
        hint=hint,
        more="Add the resolution to both; logarithm of the quotient, square, mean, root, exp.",
        mistakes={
            "That is the root of the mean square of the logarithms. Go back from logarithms.": (
                lambda a, c: np.sqrt(np.mean(_logs(a, c) ** 2))
            ),
            "Between the mean of squares and exp stands a root.": (
                lambda a, c: np.exp(np.mean(_logs(a, c) ** 2))
            ),
            "Errors up and down must not cancel: square before the mean.": (
                lambda a, c: np.exp(np.mean(_logs(a, c)))
            ),
            "The definition squares the logarithms. Absolute values are another mean.": (
                lambda a, c: np.exp(np.mean(np.abs(_logs(a, c))))
            ),
            "That is the largest factor, not the typical one.": (
                lambda a, c: np.exp(np.abs(_logs(a, c)).max())
            ),
            "Add half the resolution of the printed figures to both lists.": (
                lambda a, c: np.exp(np.sqrt(np.mean(_logs(a, c, 0.0) ** 2)))
            ),
        },
    )


def _verdict(printed: float, ours: float, lower_bound: float) -> str:
    if lower_bound > printed + 5e-5:
        return "impossible"
    return "reproduced" if printed / 2 <= ours <= 2 * printed else "open"


def _verdict_case(printed: float, ours: float, lower_bound: float, hint: str) -> Case:
    return equal(
        _verdict,
        printed,
        ours,
        lower_bound,
        hint=hint,
        more="Ask first whether the bound refutes the figure, then whether ours is near.",
        mistakes={
            "The word is one of the three, in small letters.": (
                lambda *given: _verdict(*given).capitalize()
            ),
            "Printed figures are rounded to four decimals: 0.00012 may be printed as 0.0001.": (
                lambda printed, ours, bound: (
                    "impossible" if bound > printed else _verdict(printed, ours, 0.0)
                )
            ),
            "What is impossible stays so, however near ours is.": (
                lambda printed, ours, bound: _verdict(printed, ours, 0.0)
            ),
        },
    )


def _played(data: NDArray[np.float64], setting: Setting) -> list[float]:
    """Divergences of best responses at three targets."""
    games = [setting.game(data, epsilon=epsilon) for epsilon in TARGETS]
    return [float(best_response_row(game, range(1))["kl"]) for game in games]


@reference
def _fractions(value: float) -> set[tuple[int, int]]:
    target = round(10_000 * value)
    return {(m, d) for d in range(1, 102) for m in range(d + 1) if 10_000 * m // d == target}


def _same_set(value: float, hint: str) -> Case:
    def judge(answer: Any) -> str:
        given = [(int(m), int(d)) for m, d in answer(value)]
        right = _fractions(value)
        if len(set(given)) < len(given):
            return "Some pairs occur twice. Return a set."
        missing, wrong = right - set(given), set(given) - right
        if missing or wrong:
            return f"{len(missing)} pairs are missing, and {len(wrong)} do not belong there."
        return ""

    return Case(
        judge,
        hint,
        "Go through all d and all m <= d, and compare 10000 m // d with round(10000 value).",
    )


def _fitted_case(divisor: float, padding: float, seed: int) -> Case:
    """Hide a setting behind what it prints for some of the heights."""
    data = np.random.default_rng(seed).choice(load_heights()["height"], 300, replace=False)
    hidden = Setting((3.0, 2.0, 1.0, 0.33 / divisor, 0.2 / divisor), padding)
    printed = dict(zip(TARGETS, np.round(_played(data, hidden), 4).tolist(), strict=True))

    def judge(answer: Any) -> str:
        setting = answer(data.copy(), dict(printed))
        if not isinstance(setting, Setting):
            return f"It is a {type(setting).__name__}, and a Setting was expected."
        if len(setting.multipliers) != 5:
            return f"It has {len(setting.multipliers)} multipliers."
        found = misfit(_played(data, setting), list(printed.values()))
        return "" if found < 1.2 else f"Its misfit is {found:.3g}."

    return Case(
        judge,
        "Try the settings one after the other, and keep the one with the smallest misfit.",
        "Nine settings are allowed. Play each of them at all the ε that are printed.",
    )


def _drawn_setting(rng: np.random.Generator) -> Case:
    divisor, padding = rng.choice(DIVISORS), rng.choice(WIDTHS)
    return _fitted_case(float(divisor), float(padding), int(rng.integers(2**32)))


TARGETS = (1.0, 2.0, 4.0)
DIVISORS, WIDTHS = (1.0, 5.0, 20.0), (0.5, 1.0, 2.0)
_RNG = np.random.default_rng(5)


def _drawn_figures(rng: np.random.Generator) -> Case:
    computed, printed = rng.random((2, int(rng.integers(2, 9)))).round(4)
    return _misfit_case(computed, printed, "Logarithm, square, mean, root, exp.")


def _drawn_verdict(rng: np.random.Generator) -> Case:
    printed = round(float(rng.uniform(0.001, 0.05)), 4)
    ours, bound = printed * rng.choice([0.3, 0.7, 1.5, 3.0]), printed * rng.choice([0.0, 0.5, 2.0])
    return _verdict_case(printed, round(ours, 6), round(bound, 6), "Which comparison comes first?")


def _drawn_fraction(rng: np.random.Generator) -> Case:
    d = int(rng.integers(1, 102))
    value = math.floor(10_000 * int(rng.integers(0, d + 1)) / d) / 10_000
    return _same_set(value, "Cut off, not rounded.")


EXERCISES = {
    "misfit": Exercise(
        [
            _misfit_case([0.2, 0.05, 0.1], [0.1, 0.1, 0.1], "Logarithm, square, mean, root, exp."),
            _misfit_case(_RNG.random(6), _RNG.random(6), "Is half the resolution added to both?"),
            _misfit_case([0.5, 0.1], [0.5, 0.1], "Equal figures fit perfectly: 1."),
            _misfit_case([0.0], [0.0001], "A computed 0 must not give infinity."),
        ],
        draw=_drawn_figures,
        refused=("pdpbook.experiments.settings_search.misfit",),
    ),
    "verdict": Exercise(
        [
            _verdict_case(0.0066, 0.3585, 0.358, "The bound lies far above."),
            _verdict_case(0.0066, 0.0125, 0.0065, "Within a factor of two."),
            _verdict_case(0.0066, 0.0040, 0.0, "The factor works in both directions."),
            _verdict_case(0.0066, 0.0020, 0.0, "Less than half of it is not near it either."),
            _verdict_case(0.0005, 0.0200, 0.0, "Neither near nor refuted."),
            _verdict_case(0.0001, 0.00013, 0.00012, "0.00012 may be printed as 0.0001."),
            _verdict_case(0.0066, 0.0070, 0.0068, "A bound above it refutes it, however near."),
        ],
        draw=_drawn_verdict,
    ),
    "fractions": Exercise(
        [
            _same_set(0.198, "0.1980 is 20/101, cut off. Is anything else?"),
            _same_set(0.4444, "4/9 has many names."),
            _same_set(0.6666, "Cut off, not rounded: 2/3 is 0.6666."),
            _same_set(1.0, "Only m = d gives 1."),
            _same_set(0.0, "m may be 0."),
        ],
        draw=_drawn_fraction,
    ),
    "fit": Exercise(
        [_fitted_case(5.0, 1.0, 1), _fitted_case(20.0, 0.5, 2)],
        draw=_drawn_setting,
    ),
}
