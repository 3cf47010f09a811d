"""Self-checks of the chapter *The repeated privacy game*."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdpbook.beyond.limited_attacks import limited_attack
from pdpbook.beyond.repeated_game import (
    RepeatedGame,
    best_granularity,
    quality_of_service,
    solve_repeated,
)
from pdpbook_exercises import Case, Exercise, close

__all__ = ["EXERCISES"]


def _undiscounted(reward: float, rounds: int) -> float:
    value = 0.0
    for i in range(1, rounds + 1):
        value = (1 - 1 / i) * value + (reward + value) / i
    return value


def _left_to_the_user(attack: NDArray[np.float64], stake: float) -> float:
    a = best_granularity(attack * stake)
    return float((quality_of_service(a) - attack * stake * a).sum())


def _undiscounted_case(reward: float, rounds: int, hint: str) -> Case:
    return close(
        _undiscounted,
        reward,
        rounds,
        hint=hint,
        more="Simplify the right side: which weight has the old value?",
        mistakes={
            "That many terms are added, but round i adds the i-th part of the reward only.": (
                lambda reward, rounds: reward * rounds
            ),
            "That is the mean of the rewards, without the future in the bracket.": (
                lambda reward, rounds: reward
            ),
            "That is near it, with an error that does not vanish: Euler's constant.": (
                lambda reward, rounds: reward * np.log(rounds)
            ),
            "The parts are not whole numbers: divide by /, not by //.": lambda reward, rounds: sum(
                reward // i for i in range(1, rounds + 1)
            ),
            "The last round is missing: i runs from 1 to m.": (
                lambda reward, rounds: reward * (1 / np.arange(1, rounds)).sum()
            ),
        },
    )


def _is_worst_attack(messages: int, power: float, stake: float) -> Callable[[Any], str]:
    """Compare with the best of many attacks, the corners among them."""

    def judge(answer: Any) -> str:
        given = np.asarray(answer(messages, power, stake), dtype=float)
        if given.shape != (messages,):
            return f"Its shape is {given.shape}, and {(messages,)} was expected."
        if not ((given >= 0) & (given <= 1)).all():
            return "An effort is not in [0, 1]."
        if given.sum() > power + 1e-9:
            return f"The efforts sum to {given.sum():.4g}, more than the power."
        rng = np.random.default_rng(2)
        corner = np.clip(power - np.arange(messages), 0.0, 1.0)
        others = [corner, np.zeros(messages)]
        for _ in range(300):
            attack = rng.random(messages) ** rng.choice([0.2, 1.0, 4.0])
            others.append(attack * min(1.0, power / attack.sum(), 1.0 / attack.max()))
        best = min(_left_to_the_user(attack, stake) for attack in others)
        own = _left_to_the_user(given, stake)
        return (
            ""
            if own <= best + 1e-9
            else f"It leaves the user {own:.4g}, and other efforts {best:.4g}."
        )

    return judge


def _power_to_spare(stakes: NDArray[np.float64]) -> float:
    """Halve an interval until the message of smallest stake is just still published in full."""
    low, high = 0.0, float(len(stakes))
    least = int(np.argmin(stakes))
    for _ in range(30):
        middle = 0.5 * (low + high)
        full = limited_attack(stakes, power=middle).granularity[least] > 1.0 - 1e-12
        low, high = (middle, high) if full else (low, middle)
    return low


def _full_case(stakes: tuple[float, ...]) -> Case:
    def slope(q: NDArray[np.float64]) -> NDArray[np.float64]:
        return 5 * (1 - q**2)

    def with_all(change: str) -> Callable[[NDArray[np.float64]], float]:
        def wrong(stakes: NDArray[np.float64]) -> float:
            theta = float(stakes.min())
            share = slope(quality_of_service(theta / stakes)) / stakes
            certain = stakes * best_granularity(stakes) > theta
            if change == "least only":
                return float(share[stakes.argmin()])
            if change == "nobody is certain":
                return float(share.sum())
            if change == "no stake":
                return float(np.where(certain, 1.0, share * stakes).sum())
            return float(np.where(certain, 1.0, 0.0).sum())

        return wrong

    return close(
        _power_to_spare,
        np.array(stakes),
        hint="Which threshold keeps the message of smallest stake at 1, and only just? Every "
        "message takes its share of the power at that threshold.",
        more="At the threshold θ a message is held back to θ/D, or attacked for certain.",
        mistakes={
            "The other messages of higher stake take power, too.": with_all("least only"),
            "An effort is at most 1. Which messages are attacked for certain?": (
                with_all("nobody is certain")
            ),
            "An effort has its stake in the denominator.": with_all("no stake"),
            "Messages that are attacked with less than certainty take power, too.": (
                with_all("certain only")
            ),
        },
        rtol=1e-5,
    )


def _learns(
    discount: float, stakes: tuple[float, ...], seeds: Sequence[int] = range(5)
) -> Callable[[Any], str]:
    """Let the answer play 4,000 rounds, once a seed, and compare with the exact numbers."""
    game = RepeatedGame(np.array(stakes), memory=0.5, discount=discount)
    exact = solve_repeated(game).response_values[0]

    def judge(answer: Any) -> str:
        errors = []
        for seed in seeds:
            learned = np.asarray(answer(game, 4_000, np.random.default_rng(seed)), dtype=float)
            if learned.shape != (2,):
                return f"Its shape is {learned.shape}, and (2,) was expected."
            errors.append(learned - exact)
        largest = float(np.median(np.abs(errors).max(axis=1)))
        if largest < 0.25:
            return ""
        side = "low" if np.median(errors) < 0 else "high"
        return f"At γ = {discount} the median of the errors is {largest:.3g}, mostly too {side}."

    return judge


def _drawn_rounds(rng: np.random.Generator) -> Case:
    """Draw the game and the rounds; three runs are enough to see what is far off."""
    discount = round(float(rng.uniform(0.4, 0.9)), 2)
    stakes = tuple(rng.uniform(0.3, 3.0, int(rng.integers(2, 4))).round(2).tolist())
    return Case(
        _learns(discount, stakes, rng.integers(2**32, size=3).tolist()),
        "It must be below 0.25, whatever the discount and the stakes are.",
    )


EXERCISES = {
    "undiscounted": Exercise(
        [
            _undiscounted_case(2.5, 3, "Write out the first three rounds."),
            _undiscounted_case(-0.5, 100, "Go on from the first three rounds."),
            _undiscounted_case(1.0, 1, "After one round it is the reward."),
            _undiscounted_case(2.0, 5000, "Go on from the first three rounds."),
        ],
        draw=lambda rng: (round(rng.uniform(-3.0, 3.0), 2), int(rng.integers(2, 500))),
    ),
    "spread-attack": Exercise(
        [
            Case(
                _is_worst_attack(*given),
                "What does a convex function say about the mean of its arguments? And how large "
                "may an effort be?",
                "Jensen's inequality: among efforts of the same sum, which leave the user least?",
            )
            for given in ((2, 1.0, 1.0), (5, 2.0, 0.8), (4, 4.0, 1.5), (3, 0.5, 2.0), (3, 5.0, 1.0))
        ],
        draw=lambda rng: Case(
            _is_worst_attack(
                int(rng.integers(2, 7)),
                round(rng.uniform(0.3, 4.0), 2),
                round(rng.uniform(0.3, 2.0), 2),
            ),
            "What does a convex function say about the mean of its arguments?",
        ),
    ),
    "published-in-full": Exercise(
        [
            _full_case(stakes)
            for stakes in ((2.0, 0.5, 1.0), (1.0, 1.0), (1.5,), (1.2, 1.0, 1.1), (2.2, 1.8, 0.9))
        ],
        draw=lambda rng: _full_case(
            tuple(rng.uniform(0.6, 2.4, int(rng.integers(2, 5))).round(2).tolist())
        ),
    ),
    "faster-steps": Exercise(
        [
            Case(
                _learns(discount, stakes),
                "It must be below 0.25. Steps of 1/k forget the first rounds too slowly when the "
                "discount is near 1; steps that stay large never settle.",
                "Try a power of 1/k between ½ and 1, and a mean over the last rounds.",
            )
            for discount, stakes in ((0.5, (0.5, 2.0)), (0.9, (0.3, 1.0, 4.0)))
        ],
        draw=_drawn_rounds,
        refused=("pdpbook.beyond.repeated_game.solve_repeated",),
    ),
}
