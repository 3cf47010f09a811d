"""Self-checks of the chapter *The privacy game*."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdpbook.beyond.limited_attack import limited_attack
from pdpbook.beyond.privacy_games import difference_game
from pdpbook.beyond.repeated_game import (
    RepeatedGame,
    best_granularity,
    quality_of_service,
    solve_repeated,
)
from pdpbook.exercises import Case, Exercise, close, equal

__all__ = ["EXERCISES"]


def _dominant(sign: int) -> tuple[int, int]:
    """Try all actions against all actions of the other side."""
    game = difference_game([0.4], [0.9], extra=0.3, cap=9.0, prior=[[1.0]], user_sign=sign)
    user, adversary = game.user[0, 0], game.adversary[0, 0]
    return (
        next(a for a in (0, 1) if (user[a] > user[1 - a]).all()),
        next(b for b in (0, 1) if (adversary[:, b] > adversary[:, 1 - b]).all()),
    )


def _beliefs(prior: NDArray[np.float64]) -> NDArray[np.float64]:
    rows = [[prior[t, s] / sum(prior[t]) for s in range(prior.shape[1])] for t in range(len(prior))]
    return np.array(rows)


def _beliefs_cases() -> list[Case]:
    rng = np.random.default_rng(6)
    return [
        close(
            _beliefs,
            rng.dirichlet(np.ones(rows * columns)).reshape(rows, columns),
            hint="Bayes' rule: divide by the probability of the user's own type. Rows sum to 1.",
        )
        for rows, columns in ((2, 2), (3, 2), (1, 4))
    ]


def _undiscounted(reward: float, rounds: int) -> float:
    value = 0.0
    for i in range(1, rounds + 1):
        value = (1 - 1 / i) * value + (reward + value) / i
    return value


def _left_to_the_user(attack: NDArray[np.float64], stake: float) -> float:
    a = best_granularity(attack * stake)
    return float((quality_of_service(a) - attack * stake * a).sum())


def _is_worst_attack(messages: int, power: float, stake: float) -> Callable[[Any], bool]:
    """Compare with the best of many attacks, the corners among them."""

    def judge(answer: Any) -> bool:
        given = np.asarray(answer(messages, power, stake), dtype=float)
        allowed = given.shape == (messages,) and ((given >= 0) & (given <= 1)).all()
        if not allowed or given.sum() > power + 1e-9:
            return False
        rng = np.random.default_rng(2)
        corner = np.clip(power - np.arange(messages), 0.0, 1.0)
        others = [corner, np.zeros(messages)]
        for _ in range(300):
            attack = rng.random(messages) ** rng.choice([0.2, 1.0, 4.0])
            others.append(attack * min(1.0, power / attack.sum(), 1.0 / attack.max()))
        best = min(_left_to_the_user(attack, stake) for attack in others)
        return _left_to_the_user(given, stake) <= best + 1e-9

    return judge


def _power_to_spare(stakes: NDArray[np.float64]) -> float:
    """Halve an interval until the message of smallest stake is just still published in full."""
    low, high = 0.0, float(len(stakes))
    least = int(np.argmin(stakes))
    for _ in range(50):
        middle = 0.5 * (low + high)
        full = limited_attack(stakes, power=middle).granularity[least] > 1.0 - 1e-12
        low, high = (middle, high) if full else (low, middle)
    return low


def _learns(discount: float, stakes: tuple[float, ...]) -> Callable[[Any], bool]:
    """Let the answer play 4,000 rounds, five times, and compare with the exact numbers."""
    game = RepeatedGame(np.array(stakes), memory=0.5, discount=discount)
    exact = solve_repeated(game).response_values[0]

    def judge(answer: Any) -> bool:
        errors = []
        for seed in range(5):
            learned = np.asarray(answer(game, 4_000, np.random.default_rng(seed)), dtype=float)
            if learned.shape != (2,):
                return False
            errors.append(np.abs(learned - exact).max())
        return bool(np.median(errors) < 0.25)

    return judge


EXERCISES = {
    "dominant-actions": Exercise(
        [
            equal(_dominant, sign, hint="Compare the two rows, then the two columns, of table 2.")
            for sign in (-1, 1)
        ]
    ),
    "beliefs": Exercise(_beliefs_cases()),
    "undiscounted": Exercise(
        [
            close(_undiscounted, *given, hint="Write out the first three rounds.")
            for given in ((1.0, 1), (1.0, 3), (-0.5, 100), (2.0, 5000))
        ]
    ),
    "spread-attack": Exercise(
        [
            Case(
                _is_worst_attack(*given),
                "Some attack of the same power leaves the user less, or yours is not allowed. "
                "What does a convex function say about the mean of its arguments?",
            )
            for given in ((2, 1.0, 1.0), (5, 2.0, 0.8), (4, 4.0, 1.5), (3, 0.5, 2.0), (3, 5.0, 1.0))
        ]
    ),
    "published-in-full": Exercise(
        [
            close(
                _power_to_spare,
                np.array(stakes),
                hint="Which threshold keeps the message of smallest stake at 1, and only just? "
                "Every message takes its share of the power at that threshold.",
                rtol=1e-5,
            )
            for stakes in ((1.0, 1.0), (2.0, 0.5, 1.0), (1.5,), (1.2, 1.0, 1.1), (2.2, 1.8, 0.9))
        ]
    ),
    "faster-steps": Exercise(
        [
            Case(
                _learns(discount, stakes),
                "After 4,000 rounds W(0) or W(1) is still off by more than 0.25 for most seeds. "
                "Steps of 1/k forget the first rounds too slowly when the discount is near 1.",
            )
            for discount, stakes in ((0.5, (0.5, 2.0)), (0.9, (0.3, 1.0, 4.0)))
        ]
    ),
}
