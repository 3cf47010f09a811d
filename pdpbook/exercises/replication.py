"""Checks of the exercises in *Replication*."""

from __future__ import annotations

from typing import Any

import numpy as np

from pdpbook.exercises import Case, Exercise, close, equal
from pdpbook.experiments.datasets import load_heights, load_published_table
from pdpbook.experiments.replication import best_response_row
from pdpbook.experiments.settings import Setting
from pdpbook.experiments.settings_search import misfit

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


def _fit(setting: Setting) -> float:
    table = load_published_table(1)
    table = table[(table["algorithm"] == "BRD") & (table["epsilon"] >= 1.0)]
    heights = load_heights()["height"]
    ours = [
        best_response_row(setting.game(heights, epsilon=epsilon), range(3))["kl"]
        for epsilon in table["epsilon"]
    ]
    return misfit(ours, table["kl_divergence"])


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


def _is_setting(answer: Any) -> str:
    if not isinstance(answer, Setting):
        return f"It is a {type(answer).__name__}."
    return "" if len(answer.multipliers) == 5 else f"It has {len(answer.multipliers)} multipliers."


def _fits(setting: Setting) -> bool | str:
    found = _fit(setting)
    return found < 1.7 or f"Its misfit is {found:.3g}."


_RNG = np.random.default_rng(5)

EXERCISES = {
    "misfit": Exercise(
        [
            _misfit_case([0.2, 0.05, 0.1], [0.1, 0.1, 0.1], "Logarithm, square, mean, root, exp."),
            _misfit_case(_RNG.random(6), _RNG.random(6), "Is half the resolution added to both?"),
            _misfit_case([0.5, 0.1], [0.5, 0.1], "Equal figures fit perfectly: 1."),
            _misfit_case([0.0], [0.0001], "A computed 0 must not give infinity."),
        ]
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
        ]
    ),
    "fractions": Exercise(
        [
            _same_set(0.198, "0.1980 is 20/101, cut off. Is anything else?"),
            _same_set(0.4444, "4/9 has many names."),
            _same_set(0.6666, "Cut off, not rounded: 2/3 is 0.6666."),
            _same_set(1.0, "Only m = d gives 1."),
            _same_set(0.0, "m may be 0."),
        ]
    ),
    "fit": Exercise(
        [
            Case(_is_setting, "Give a Setting with five multipliers."),
            Case(
                _fits,
                "It must be below 1.7. Which of the two small scales and the padding matters most?",
                "Divide the two small multipliers by a common number, and pad for a smaller ε.",
            ),
        ]
    ),
}
