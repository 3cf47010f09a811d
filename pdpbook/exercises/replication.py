"""Checks of the exercises in *Replication*."""

from __future__ import annotations

from typing import Any

import numpy as np

from pdpbook.exercises import Case, Exercise, close, equal
from pdpbook.experiments.datasets import nba_heights, published_table
from pdpbook.experiments.replication import best_response_row
from pdpbook.experiments.settings import Setting
from pdpbook.experiments.settings_search import misfit

__all__ = ["EXERCISES"]


def _misfit(computed: Any, printed: Any) -> float:
    return misfit(computed, printed)


def _fit(setting: Setting) -> float:
    table = published_table(1)
    table = table[(table["algorithm"] == "BRD") & (table["epsilon"] >= 1.0)]
    heights = nba_heights()["height"]
    ours = [
        best_response_row(setting.game(heights, epsilon), range(3))["kl"]
        for epsilon in table["epsilon"]
    ]
    return misfit(ours, table["kl_divergence"])


def _fractions(value: float) -> set[tuple[int, int]]:
    target = round(10_000 * value)
    return {(m, d) for d in range(1, 102) for m in range(d + 1) if 10_000 * m // d == target}


def _same_set(value: float, hint: str) -> Case:
    return Case(
        lambda answer: {tuple(map(int, f)) for f in answer(value)} == _fractions(value), hint
    )


_RNG = np.random.default_rng(5)

EXERCISES = {
    "misfit": Exercise(
        [
            close(1.0, [0.5, 0.1], [0.5, 0.1], hint="Equal figures fit perfectly: 1."),
            close(_misfit, [0.2, 0.05], [0.1, 0.1], hint="Logarithm, square, mean, root, exp."),
            close(
                _misfit,
                _RNG.random(6),
                _RNG.random(6),
                hint="Is the half resolution added to both?",
            ),
            close(_misfit, [0.0], [0.0001], hint="A computed 0 must not give infinity."),
        ]
    ),
    "verdict": Exercise(
        [
            equal("impossible", 0.0066, 0.3585, 0.358, hint="The bound lies far above."),
            equal("reproduced", 0.0066, 0.0125, 0.0065, hint="Within a factor of two."),
            equal("reproduced", 0.0066, 0.0040, 0.0, hint="The factor works in both directions."),
            equal("open", 0.0066, 0.0020, 0.0, hint="Less than half of it is not near it either."),
            equal("open", 0.0005, 0.0200, 0.0, hint="Neither near nor refuted."),
            equal("reproduced", 0.0001, 0.00013, 0.00012, hint="0.00012 may be printed as 0.0001."),
        ]
    ),
    "fractions": Exercise(
        [
            _same_set(0.198, "0.1980 is 20/101, cut off. Is anything else?"),
            _same_set(0.4444, "4/9 has many names."),
            _same_set(1.0, "Only m = d gives 1."),
        ]
    ),
    "fit": Exercise(
        [
            Case(
                lambda setting: isinstance(setting, Setting) and len(setting.multipliers) == 5,
                "Give a Setting with five multipliers.",
            ),
            Case(lambda setting: _fit(setting) < 1.7, "The misfit is not below 1.7 yet."),
        ]
    ),
}
