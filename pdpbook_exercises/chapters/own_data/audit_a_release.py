"""Self-checks of the chapter *What a release tells about each record*."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from pdpbook_exercises import Exercise, close

__all__ = ["EXERCISES"]


def _by_counts(member: Any, scales: Any) -> list[float]:
    """Add what each count costs, one after the other."""
    return [
        sum(1.0 / float(scale) for is_in, scale in zip(row, scales, strict=True) if is_in)
        for row in member
    ]


def _by_means(values: Any, groups: Any, scale: float) -> list[float]:
    """Compute each mean again without the record."""
    losses = []
    for i, x in enumerate(values):
        others = [float(y) for j, y in enumerate(values) if groups[j] == groups[i] and j != i]
        if others:
            mean = (sum(others) + float(x)) / (len(others) + 1)
            losses.append(abs(mean - sum(others) / len(others)) / scale)
        else:
            losses.append(math.inf)
    return losses


def _by_replacement(values: Any, lower: float, upper: float, scale: float) -> list[float]:
    """Try both ends of the range, in the same group and in another one."""
    return [max(max(abs(x - y), abs(x) + abs(y)) for y in (lower, upper)) / scale for x in values]


def _drawn_counts(rng: np.random.Generator) -> tuple[Any, ...]:
    people, queries = int(rng.integers(2, 8)), int(rng.integers(2, 6))
    return rng.random((people, queries)) < 0.6, rng.uniform(0.5, 20.0, queries).round(2)


def _drawn_means(rng: np.random.Generator) -> tuple[Any, ...]:
    n = int(rng.integers(5, 15))
    groups = [*"abb", *rng.choice([*"bcd"], n - 3).tolist()]
    return rng.gamma(2.0, 20.0, n).round(1), groups, round(rng.uniform(0.5, 20.0), 2)


def _drawn_replacements(rng: np.random.Generator) -> tuple[Any, ...]:
    lower, upper = round(rng.uniform(0.0, 5.0), 2), round(rng.uniform(20.0, 60.0), 2)
    values = rng.uniform(lower, upper, int(rng.integers(3, 12))).round(2)
    return values.clip(lower, upper), lower, upper, round(rng.uniform(1.0, 50.0), 2)


EXERCISES = {
    "tables": Exercise(
        [
            close(
                _by_counts,
                np.array(member),
                np.array(scales),
                hint="A person who is counted by a query loses one divided by its scale, and the "
                "losses of all queries add up.",
            )
            for member, scales in (
                ([[True, True], [True, False], [False, False]], [4.0, 0.5]),
                ([[True, False, True], [False, True, True]], [2.0, 3.0, 8.0]),
            )
        ],
        draw=_drawn_counts,
    ),
    "means": Exercise(
        [
            close(
                _by_means,
                np.array(values),
                groups,
                scale,
                hint="Compute the mean of the group again without the record. Whoever is alone in "
                "a group has an infinite loss.",
            )
            for values, groups, scale in (
                ([250.0, 20.0, 30.0, 250.0], ["a", "b", "b", "b"], 10.0),
                ([1.0, 2.0, 7.0, 7.0], ["x", "y", "x", "y"], 0.5),
            )
        ],
        draw=_drawn_means,
    ),
    "replaced": Exercise(
        [
            close(
                _by_replacement,
                np.array(values),
                *ends,
                scale,
                hint="The new record may be in another group: then two sums move, and their "
                "distances are added.",
            )
            for values, ends, scale in (
                ([20.0, 30.0, 250.0], (0.0, 300.0), 400.0),
                ([5.0, 9.0], (5.0, 10.0), 2.0),
            )
        ],
        draw=_drawn_replacements,
    ),
}
