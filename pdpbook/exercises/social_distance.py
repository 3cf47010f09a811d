"""Self-checks of the chapter *Privacy over social distance*."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import optimize

from pdpbook.beyond.social_distance import (
    budget_cap,
    distance_budgets,
    game_tuned_budgets,
)
from pdpbook.exercises import Case, Exercise, close, equal

__all__ = ["EXERCISES"]


def _budgets_of_people(hops: NDArray[np.int64], levels: int, total: float) -> NDArray[np.float64]:
    return distance_budgets(levels, total=total)[hops - 1]


def _people_needed(total: float, p: float) -> int:
    """Search for the smallest n, with nothing but the cap itself."""
    low, high = 2, 4
    while high * p <= 1 or budget_cap(high, attack_probability=p) < total:
        high *= 2
    while low < high:
        middle = (low + high) // 2
        enough = middle * p > 1 and budget_cap(middle, attack_probability=p) >= total
        low, high = (low, middle) if enough else (middle + 1, high)
    return low


def _nothing_is_better(people: list[float], total: float) -> Callable[[Any], bool]:
    """Compare with what an optimiser that knows no formula finds."""
    count = np.array(people)

    def error(logits: NDArray[np.float64]) -> float:
        share = np.exp(logits - logits.max())
        return float((count * share.sum() / (total * share)).sum())

    found = optimize.minimize(error, np.zeros(count.size), method="BFGS")
    share = np.exp(found.x - found.x.max())
    best = total * share / share.sum()

    def judge(answer: Any) -> bool:
        given = np.asarray(answer(count.copy(), total), dtype=float)
        return given.shape == best.shape and bool(np.allclose(given, best, rtol=1e-3))

    return judge


def _uniform_until(people: list[float]) -> Callable[[Any], bool]:
    """Judge a power: the split is uniform just below it and not just above."""
    count = np.array(people)

    def judge(answer: Any) -> bool:
        power = float(answer(count.copy()))
        below = game_tuned_budgets(count, total=1.0, power=power * (1 - 1e-6)).budgets
        if not np.allclose(below, 1 / count.size, rtol=1e-12):
            return False
        if power >= count.size * (1 - 1e-9):
            return math.isclose(power, count.size)
        above = game_tuned_budgets(count, total=1.0, power=power * (1 + 1e-6)).budgets
        return not np.allclose(above, 1 / count.size, rtol=1e-12)

    return judge


def _likeliest(noise: NDArray[np.float64], budgets: NDArray[np.float64]) -> int:
    products = [np.log(b / 2) * noise.size - b * np.abs(noise).sum() for b in budgets]
    return int(np.argmax(products)) + 1


def _distance_cases() -> list[Case]:
    rng = np.random.default_rng(3)
    # one copy: 1 is likelier, although the mean error 1/2 of level 2 is nearer to 0.72 than 1 is
    given = [(np.array([0.72]), np.array([1.0, 2.0]))]
    for levels, copies in ((3, 1), (5, 20), (8, 200)):
        budgets = distance_budgets(levels, total=levels / 2, offset=1.0)
        for level in (0, levels - 1):
            given.append((rng.laplace(scale=1 / budgets[level], size=copies), budgets))
    hint = "Write down the log-likelihood of all the noise for each level's scale."
    return [equal(_likeliest, noise, budgets, hint=hint) for noise, budgets in given]


EXERCISES = {
    "budgets-of-people": Exercise(
        [
            close(
                _budgets_of_people,
                np.array(hops),
                *given,
                hint="Normalise over the levels, not the people.",
            )
            for hops, *given in (([1, 2, 2, 3], 3, 1.0), ([8, 1, 4], 8, 4.0), ([2], 5, 2.0))
        ]
    ),
    "people-needed": Exercise(
        [
            equal(_people_needed, *given, hint="Solve cap >= B for n and round up.")
            for given in ((4.0, 0.01), (0.5, 0.3), (1.0, 0.001), (8.0, 0.05))
        ]
    ),
    "absolute-error": Exercise(
        [
            Case(
                _nothing_is_better(people, total),
                "There is a split with a smaller mean absolute error, or yours does not sum to B.",
            )
            for people, total in (
                ([1.0, 1.0], 1.0),
                ([1.0, 4.0, 9.0], 6.0),
                ([2.0, 50.0, 7.0], 3.0),
            )
        ]
    ),
    "uniform-power": Exercise(
        [
            Case(
                _uniform_until(people),
                "The split should be uniform just below your power and not just above it. "
                "When is the floor at least as high as the tallest level?",
            )
            for people in ([1.0, 8.0, 27.0], [5.0, 5.0], [6.6, 25.8, 32.5, 10.4, 0.7])
        ]
    ),
    "leaked-distance": Exercise(_distance_cases()),
}
