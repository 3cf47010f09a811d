"""Self-checks of the chapter *Individual privacy accounting*."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdpbook_exercises import Case, Exercise, close, equal

__all__ = ["EXERCISES"]

Floats = NDArray[np.float64]


def _steps(
    lengths: Floats, clip: float, sigma: float, budget: float, steps: int
) -> NDArray[np.int64]:
    """Count the steps one by one."""
    taken = []
    for length in lengths:
        cost = min(length, clip) ** 2 / (2 * sigma**2)
        taken.append(sum((step + 1) * cost <= budget for step in range(steps)))
    return np.array(taken)


def _steps_case(
    lengths: list[float], clip: float, sigma: float, budget: float, steps: int, hint: str
) -> Case:
    def whole(cost: Floats) -> Floats:
        with np.errstate(divide="ignore"):
            return np.minimum(np.floor(budget / cost), steps)

    def when(cost: Any) -> Any:
        return lambda g, C, s, budget, steps: whole(cost(np.asarray(g), C, s))

    return equal(
        _steps,
        np.array(lengths),
        clip,
        sigma,
        budget,
        steps,
        hint=hint,
        more="A step costs min(g, C)² / (2 σ²). How many of these costs fit into the budget?",
        mistakes={
            "A gradient enters with at most the length C.": when(lambda g, C, s: g**2 / (2 * s**2)),
            "That is worst-case accounting. Here a record pays for its own length.": when(
                lambda g, C, s: np.full(g.shape, C) ** 2 / (2 * s**2)
            ),
            "The cost has a factor 1/2.": when(lambda g, C, s: np.minimum(g, C) ** 2 / s**2),
            "The cost is a square.": when(lambda g, C, s: np.minimum(g, C) / (2 * s)),
            "A step that would exceed the budget is not taken.": (
                lambda g, C, s, budget, steps: np.minimum(_steps(g, C, s, budget, steps) + 1, steps)
            ),
        },
    )


def _participation(lengths: Floats, sigma: float, budget: float) -> NDArray[np.bool_]:
    """Ask record by record, step by step."""
    table = np.zeros(lengths.shape, dtype=bool)
    for i in range(lengths.shape[1]):
        account = 0.0
        for t in range(lengths.shape[0]):
            account += lengths[t, i] ** 2 / (2 * sigma**2)
            if account > budget:
                break
            table[t, i] = True
    return table


def _comes_back(lengths: Floats, sigma: float, budget: float) -> NDArray[np.bool_]:
    """Skip what is too dear, and take part again when a gradient is short enough."""
    accounts, table = np.zeros(lengths.shape[1]), []
    for row in np.square(lengths) / (2 * sigma**2):
        table.append(accounts + row <= budget)
        accounts += row * table[-1]
    return np.array(table)


def _one_too_many(lengths: Floats, sigma: float, budget: float) -> NDArray[np.bool_]:
    """Look at the account before the step, and not at the cost of the step."""
    cost = np.square(lengths) / (2 * sigma**2)
    return np.cumsum(cost, axis=0) - cost <= budget


def _together(lengths: Floats, sigma: float, budget: float) -> NDArray[np.bool_]:
    """Stop everybody when the first account is full."""
    takes_part = _participation(lengths, sigma, budget)
    return np.broadcast_to(takes_part.all(axis=1, keepdims=True), lengths.shape)


def _drawn_steps(rng: np.random.Generator) -> tuple[Any, ...]:
    """Draw the arguments; the budget is not rounded, so that no sum of costs hits it exactly."""
    lengths = rng.exponential(3.0, int(rng.integers(3, 7)))
    clip, sigma = round(rng.uniform(2.0, 6.0), 2), round(rng.uniform(2.0, 8.0), 2)
    return lengths, clip, sigma, rng.uniform(0.5, 3.0), int(rng.integers(10, 60))


def _drawn_table(rng: np.random.Generator) -> tuple[Any, ...]:
    """Draw lengths (T, n), the noise, and a budget that no sum of costs hits exactly."""
    lengths = rng.exponential(size=(int(rng.integers(5, 30)), int(rng.integers(3, 7))))
    return lengths, round(rng.uniform(0.5, 3.0), 2), rng.uniform(0.3, 2.0)


#: Lengths (T, n). The second record is short again after it has left; the third pays nothing.
LENGTHS = np.array(
    [[1.0, 1.0, 0.0], [1.0, 4.0, 0.0], [1.0, 0.5, 0.0], [1.0, 0.5, 0.0], [1.0, 0.25, 0.0]]
)


def _tables() -> list[tuple[Floats, float, float]]:
    rng = np.random.default_rng(26)
    random = rng.exponential(size=(30, 6))
    return [(LENGTHS, 1.0, 1.75), (random, 2.0, 1.3), (random[:1], 1.0, 0.4)]


def _participation_cases() -> list[Case]:
    return [
        equal(
            _participation,
            *given,
            hint="Add up the costs of each record, with that of the step in question.",
            more="A running sum along the steps (axis 0), compared with the budget, is enough.",
            mistakes={
                "A record that has left does not come back.": _comes_back,
                "The cost of the step itself must fit into the budget, too.": _one_too_many,
                "Only the record whose account is full leaves.": _together,
            },
        )
        for given in _tables()
    ]


def _rest(lengths: Floats, sigma: float, budget: float) -> Floats:
    left, used = np.full(lengths.shape[1], budget), []
    for row in lengths:
        used.append(np.minimum(row, sigma * np.sqrt(2 * np.maximum(left, 0.0))))
        left = left - used[-1] ** 2 / (2 * sigma**2)
    return np.array(used)


def _rest_cases() -> list[Case]:
    def refuses(lengths: Floats, sigma: float, budget: float) -> Floats:
        return lengths * _participation(lengths, sigma, budget)

    def linear(lengths: Floats, sigma: float, budget: float) -> Floats:
        """Take the same share of the length as of the cost."""
        cost = np.square(lengths) / (2 * sigma**2)
        paid = np.diff(np.minimum(np.cumsum(cost, axis=0), budget), axis=0, prepend=0.0)
        return lengths * np.divide(paid, cost, out=np.zeros_like(cost), where=cost > 0)

    return [
        close(
            _rest,
            *given,
            hint="With r left, which length costs exactly r?",
            more="Solve g²/(2σ²) = r for g; the record uses it if its own gradient is longer.",
            atol=1e-6,
            mistakes={
                "That refuses the step. Here the record contributes a shorter gradient.": refuses,
                "The cost is a square of the length, so half the cost is not half the length.": (
                    linear
                ),
            },
        )
        for given in _tables()
    ]


def _budget(epsilon: float, delta: float) -> float:
    log = -math.log(delta)
    return float((epsilon / (math.sqrt(epsilon + log) + math.sqrt(log))) ** 2)


def _budget_case(epsilon: float, delta: float, hint: str) -> Case:
    log = math.log(1 / delta)
    return close(
        _budget,
        epsilon,
        delta,
        rtol=1e-9,
        atol=0.0,
        hint=hint,
        more="Add ln(1/δ) to both sides of ρ + 2√(ρ ln(1/δ)) = ε. The left side is a square.",
        mistakes={
            "That is the root of the budget.": math.sqrt(_budget(epsilon, delta)),
            "The bound has the term ρ, too.": epsilon**2 / (4 * log),
            "Take the logarithm of 1/δ.": (
                (math.sqrt(epsilon + 1 / delta) - math.sqrt(1 / delta)) ** 2
            ),
            "Two nearly equal roots lose their digits when they are subtracted.": (
                (math.sqrt(epsilon + log) - math.sqrt(log)) ** 2
            ),
        },
    )


EXERCISES = {
    "steps": Exercise(
        [
            _steps_case([4.0, 1.0, 1.0], 4.0, 4.0, 1.0, 40, "These are the three records."),
            _steps_case([9.0, 0.0, 2.0], 4.0, 4.0, 1.0, 40, "What does the length 0 cost?"),
            _steps_case(
                [0.5, 3.0, 7.0], 3.0, 10.0, 0.3, 12, "No record takes more than all steps."
            ),
            _steps_case([8.0], 8.0, 1.0, 1.0, 5, "A record may leave before the first step."),
        ],
        draw=_drawn_steps,
    ),
    "participation": Exercise(
        _participation_cases(),
        draw=_drawn_table,
    ),
    "rest": Exercise(
        _rest_cases(),
        draw=_drawn_table,
    ),
    "budget": Exercise(
        [
            _budget_case(1.0, 1e-5, "Write the bound as an equation for the root of ρ."),
            _budget_case(20.0, 0.1, "It holds for a large ε, too."),
            _budget_case(1e-12, 1e-6, "The digits must stay when ε is tiny."),
        ],
        draw=lambda rng: _budget_case(
            round(rng.uniform(0.05, 10.0), 2),
            10.0 ** -int(rng.integers(1, 10)),
            "Write the bound as an equation for the root of ρ.",
        ),
    ),
}
