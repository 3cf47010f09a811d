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
from pdpbook_exercises import Case, Exercise, close, equal

__all__ = ["EXERCISES"]


def _budgets_of_people(hops: NDArray[np.int64], levels: int, total: float) -> NDArray[np.float64]:
    return distance_budgets(levels, total=total)[hops - 1]


def _people_case(hops: list[int], levels: int, total: float, hint: str) -> Case:
    return close(
        _budgets_of_people,
        np.array(hops),
        levels,
        total,
        hint=hint,
        more="The constant is B divided by the sum of ln d over d = 1, ..., D.",
        mistakes={
            "Normalise over the distances, not over the people.": (
                lambda hops, levels, total: total * np.log(hops) / np.log(hops).sum()
            ),
            "The logarithm is of the distance. Here it is of the distance plus 1.": (
                lambda hops, levels, total: distance_budgets(levels, total=total, offset=1.0)[
                    hops - 1
                ]
            ),
            "The printed map is a logarithm, not proportional to the distance.": (
                lambda hops, levels, total: total * hops / np.arange(1, levels + 1).sum()
            ),
            "The level of distance d has the index d - 1.": (
                lambda hops, levels, total: distance_budgets(levels, total=total)[hops % levels]
            ),
        },
    )


def _people_needed(total: float, p: float) -> int:
    """Search for the smallest n by calling the cap alone."""
    low, high = 2, 4
    while high * p <= 1 or budget_cap(high, attack_probability=p) < total:
        high *= 2
    while low < high:
        middle = (low + high) // 2
        enough = middle * p > 1 and budget_cap(middle, attack_probability=p) >= total
        low, high = (low, middle) if enough else (middle + 1, high)
    return low


def _needed_case(total: float, p: float) -> Case:
    return close(
        _people_needed,
        total,
        p,
        rtol=0.0,
        atol=1e-9,
        hint="Solve cap >= B for n and round up.",
        more="B <= ln((n - 1) p/(1 - p)): what must n - 1 be at least?",
        mistakes={
            "One person too few: the cap has n - 1 others, and n must be rounded up.": (
                lambda total, p: math.ceil((1 - p) / p * math.exp(total))
            ),
            "The odds of p are p/(1 - p), not p.": (
                lambda total, p: math.ceil(1 + math.exp(total) / p)
            ),
            "A whole number of people, please.": (
                lambda total, p: 1 + (1 - p) / p * math.exp(total)
            ),
        },
    )


def _nothing_is_better(people: list[float], total: float) -> Case:
    """Compare with what an optimiser that knows no formula finds."""
    count = np.array(people)

    def error(logits: NDArray[np.float64]) -> float:
        share = np.exp(logits - logits.max())
        return float((count * share.sum() / (total * share)).sum())

    found = optimize.minimize(error, np.zeros(count.size), method="BFGS")
    share = np.exp(found.x - found.x.max())
    best = total * share / share.sum()

    def judge(answer: Any) -> str:
        given = np.asarray(answer(count.copy(), total), dtype=float)
        if given.shape != best.shape:
            return f"Its shape is {given.shape}, and {best.shape} was expected."
        if not (given > 0).all():
            return "A budget is not above 0."
        if not math.isclose(given.sum(), total, rel_tol=1e-6):
            return f"The budgets sum to {given.sum():.6g}, and the total is {total:g}."
        if np.allclose(given, best, rtol=1e-3):
            return ""
        errors = (count / given).sum(), (count / best).sum()
        return f"The sum of people / budgets is {errors[0]:.5g}; {errors[1]:.5g} is possible."

    def is_power(exponent: float) -> Callable[[Any], bool]:
        weights = count**exponent
        return lambda answer: np.allclose(answer(count, total), total * weights / weights.sum())

    return Case(
        judge,
        "Where the budgets are best, moving a little from one level to another changes nothing.",
        "Set the derivative of N/ε equal for all levels, or use the inequality of Cauchy–Schwarz.",
        {
            "That is the rule for the squared error. The absolute error has another exponent.": (
                is_power(1 / 3)
            ),
            "In proportion to the people is too much where many people are.": is_power(1.0),
            "The uniform split does not depend on the people.": is_power(0.0),
            "A distance with more people deserves more of the budget, not less.": is_power(-0.5),
        },
    )


def _uniform_until(people: list[float]) -> Case:
    """Judge a power: the split is uniform just below it and not just above."""
    count = np.array(people)

    def judge(answer: Any) -> str:
        power = float(answer(count.copy()))
        if not 0 < power <= count.size * (1 + 1e-9):
            return (
                f"An attacker of power {power:.4g} does not exist: "
                f"it is at most {count.size} levels."
            )
        below = game_tuned_budgets(count, total=1.0, power=power * (1 - 1e-6)).budgets
        if not np.allclose(below, 1 / count.size, rtol=1e-12):
            return "Just below this power the split is not uniform any more."
        if power >= count.size * (1 - 1e-9):
            return "" if math.isclose(power, count.size) else "It is more than all levels."
        above = game_tuned_budgets(count, total=1.0, power=power * (1 + 1e-6)).budgets
        uniform = np.allclose(above, 1 / count.size, rtol=1e-12)
        return "Just above this power the split is still uniform." if uniform else ""

    def leads_to(value: float) -> Callable[[Any], bool]:
        return lambda answer: math.isclose(answer(count), value)

    return Case(
        judge,
        "When is the floor γ at least the largest of the cube roots of the people?",
        "The split is uniform while γ³ >= max N. Which power belongs to γ³ = max N?",
        {
            "The floor must reach the distance with most people, not the one with fewest.": (
                leads_to(count.sum() / count.min())
            ),
            "The equation for γ has the sum of N/γ³, without a cube root.": (
                leads_to(float(np.cbrt(count).sum() / np.cbrt(count.max())))
            ),
        },
    )


def _likeliest(noise: NDArray[np.float64], budgets: NDArray[np.float64]) -> int:
    products = [np.log(b / 2) * noise.size - b * np.abs(noise).sum() for b in budgets]
    return int(np.argmax(products)) + 1


def _distance_cases() -> list[Case]:
    rng = np.random.default_rng(3)
    # one copy: 1 is likelier, although the mean error 1/2 of level 2 is nearer to 0.72 than 1 is
    given = [
        (np.array([0.72]), np.array([1.0, 2.0])),
        (np.array([-0.1, -0.2]), np.array([1.0, 3.0, 7.0])),
    ]
    for levels, copies in ((3, 1), (5, 20), (8, 200)):
        budgets = distance_budgets(levels, total=levels / 2, offset=1.0)
        for level in (0, levels - 1):
            given.append((rng.laplace(scale=1 / budgets[level], size=copies), budgets))

    def other(fit: Callable[..., Any]) -> Callable[..., int]:
        return lambda noise, budgets: int(np.argmax([fit(noise, b) for b in budgets])) + 1

    return [
        equal(
            _likeliest,
            noise,
            budgets,
            hint="Write down the log-likelihood of all the noise for each level's scale.",
            more="The density of Laplace noise of level ε is ε/2 · exp(-ε|v|). Add its logarithms.",
            mistakes={
                "The nearest mean error is not the likeliest level.": other(
                    lambda noise, b: -abs(np.abs(noise).mean() - 1 / b)
                ),
                "The factor in front of the exponential depends on the level, too.": other(
                    lambda noise, b: -b * np.abs(noise).sum()
                ),
                "Noise has a sign, and the density depends on its absolute value.": other(
                    lambda noise, b: noise.size * math.log(b) - b * noise.sum()
                ),
                "There is one factor ε for each copy.": other(
                    lambda noise, b: math.log(b) - b * np.abs(noise).sum()
                ),
                "Distances start at 1, indices at 0.": (
                    lambda noise, budgets: _likeliest(noise, budgets) - 1
                ),
            },
        )
        for noise, budgets in given
    ]


def _drawn_hops(rng: np.random.Generator) -> tuple[NDArray[np.int64], int, float]:
    levels = int(rng.integers(2, 12))
    hops = rng.integers(1, levels + 1, int(rng.integers(2, 9)))
    return hops, levels, round(float(rng.uniform(0.5, 5.0)), 2)


def _drawn_noise(rng: np.random.Generator) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    levels = int(rng.integers(2, 9))
    budgets = distance_budgets(levels, total=levels / 2, offset=1.0)
    scale = 1 / budgets[rng.integers(levels)]
    return rng.laplace(scale=scale, size=int(rng.integers(1, 30))), budgets


EXERCISES = {
    "budgets-of-people": Exercise(
        [
            _people_case([1, 2, 2, 3], 3, 1.0, "Friends at distance 1 get ln 1 = 0 of it."),
            _people_case([8, 1, 4], 8, 4.0, "Distances without people count in the total, too."),
            _people_case([2], 5, 2.0, "One friend does not get the whole total."),
        ],
        draw=_drawn_hops,
    ),
    "people-needed": Exercise(
        [_needed_case(*given) for given in ((4.0, 0.01), (0.5, 0.3), (1.0, 0.001), (8.0, 0.05))],
        draw=lambda rng: (round(rng.uniform(0.2, 7.0), 2), round(rng.uniform(0.001, 0.4), 3)),
    ),
    "absolute-error": Exercise(
        [
            _nothing_is_better([1.0, 4.0, 9.0], 6.0),
            _nothing_is_better([1.0, 1.0], 1.0),
            _nothing_is_better([2.0, 50.0, 7.0], 3.0),
        ],
        draw=lambda rng: _nothing_is_better(
            rng.uniform(1.0, 60.0, int(rng.integers(2, 6))).round(1).tolist(),
            round(rng.uniform(0.5, 6.0), 1),
        ),
    ),
    "uniform-power": Exercise(
        [
            _uniform_until(people)
            for people in ([1.0, 8.0, 27.0], [5.0, 5.0], [6.6, 25.8, 32.5, 10.4, 0.7])
        ],
        draw=lambda rng: _uniform_until(
            rng.uniform(0.5, 40.0, int(rng.integers(2, 7))).round(1).tolist()
        ),
    ),
    "leaked-distance": Exercise(
        _distance_cases(),
        draw=_drawn_noise,
    ),
}
