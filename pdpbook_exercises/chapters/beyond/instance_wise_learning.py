"""Self-checks of the chapter *Instance-wise noise by learning*."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from pdpbook.per_instance.privacy_loss import records_needed
from pdpbook.per_instance.scale_bounds import scale_bound
from pdpbook_exercises import Case, Exercise, close
from pdpbook_exercises.chapters.small_games import all_profiles, laplace_game

__all__ = ["EXERCISES"]


def _reward(divergence: float, laplace: float, private: bool) -> float:
    utility = -1.0 if divergence >= laplace else (laplace - divergence) / laplace
    return utility + (1 if private else -1)


def _reward_case(divergence: float, laplace: float, private: bool, hint: str) -> Case:
    return close(
        _reward,
        divergence,
        laplace,
        private,
        hint=hint,
        more="Write two if-statements, one for R_E and one for R_U, and add the results.",
        mistakes={
            "The definition asks for a KL that is smaller, and here it is equal.": (
                lambda kl, laplace, private: (
                    (-1 if kl > laplace else (laplace - kl) / laplace) + (1 if private else -1)
                )
            ),
            "Without privacy R_E is -1, not 0.": (
                lambda kl, laplace, private: _reward(kl, laplace, True) - 1 + private
            ),
            "That is R_E alone.": lambda kl, laplace, private: 1 if private else -1,
            "That is R_U alone.": lambda kl, laplace, private: _reward(kl, laplace, True) - 1,
            "The saving is relative to the Laplace mechanism's KL.": (
                lambda kl, laplace, private: (
                    (laplace - kl if kl < laplace else -1) + (1 if private else -1)
                )
            ),
            "R_U is -1 if the KL is not smaller than the Laplace mechanism's.": (
                lambda kl, laplace, private: (laplace - kl) / laplace + (1 if private else -1)
            ),
        },
    )


def _spare(n: int, epsilon: float) -> float:
    return 1.0 / (epsilon * scale_bound(n, epsilon))


def _spare_case(n: int, epsilon: float, hint: str) -> Case:
    return close(
        _spare,
        n,
        epsilon,
        hint=hint,
        more="b* = 1/ln(1 + n(exp(ε) - 1)), and NumPy has log1p and expm1.",
        mistakes={
            "Which of the two scales is divided by the other? The answer is at least 1.": (
                lambda n, epsilon: 1 / _spare(n, epsilon)
            ),
            "That is 1/b*. Divide the Laplace mechanism's scale, 1/ε, by b*.": (
                lambda n, epsilon: _spare(n, epsilon) * epsilon
            ),
            "n is the limit for small ε, and the factor is smaller.": lambda n, epsilon: n,
            "Theorem 1′ has n in the logarithm, and yours has n - 1.": (
                lambda n, epsilon: math.log1p((n - 1) * math.expm1(epsilon)) / epsilon
            ),
        },
    )


def _is_threshold(counts: list[int]) -> Case:
    """Check that the fullest bin is private just above the answer, and not below it."""
    n, largest = sum(counts), max(counts)
    floor = -math.log1p(-1.0 / n)

    def judge(answer: Any) -> str:
        epsilon = float(answer(np.array(counts)))
        if not 0.0 < epsilon < math.inf:
            return "It is not a finite ε > 0."
        above, below = epsilon * (1 + 1e-6), epsilon * (1 - 1e-6)  # a search may end on either side
        if above < floor:  # records_needed would name the floor, half the solution
            return "At this ε removing a record is noticed in another bin."
        if records_needed(n, above) > largest:
            return "At this ε the fullest bin has too few records to be private."
        if below <= floor or records_needed(n, below) > largest:
            return ""
        return "A smaller ε is enough."

    return Case(
        judge,
        "Solve the upper side of the linear form of pDP for ε at the record's own bin, then look "
        "at the lower side at the other bins, where the record is never published.",
        "At its own bin S = m and p = 1, so 1 <= τm. Elsewhere p = 0, so σ <= 0. Both must hold.",
    )


def _telescopes(discount: float, turns: int) -> Case:
    """Shaping by any potential changes the discounted return by minus the first potential."""

    def judge(answer: Any) -> str:
        rng = np.random.default_rng(turns)
        for _ in range(3):
            rewards, potentials = rng.normal(size=turns), rng.normal(size=turns)
            shaped = np.asarray(answer(rewards.copy(), potentials.copy(), discount), dtype=float)
            if shaped.shape != (turns,):
                return f"Its shape is {shaped.shape}, and {(turns,)} was expected."
            for start in range(turns):  # from every turn on, not from the first one only
                weights = discount ** np.arange(turns - start)
                change = weights @ (shaped - rewards)[start:]
                if not abs(change + potentials[start]) <= 1e-9:
                    return (
                        f"From turn {start} on the discounted return changes by {change:.4g}, and "
                        f"the potential there is {potentials[start]:.4g}."
                    )
        return ""

    def leads_to(wrong: Callable[..., Any]) -> Callable[[Any], bool]:
        rewards, potentials = np.random.default_rng(0).normal(size=(2, 5))
        return lambda answer: np.allclose(
            answer(rewards.copy(), potentials.copy(), 0.5), wrong(rewards, potentials)
        )

    return Case(
        judge,
        "Add the discount times the potential after the turn, and subtract the one before it. "
        "After the last turn the potential is 0.",
        "The potential after turn t is potentials[t + 1]. Append a 0.",
        {
            "Which of the two potentials is added, and which is subtracted?": leads_to(
                lambda r, p: r - 0.5 * np.append(p[1:], 0) + p
            ),
            "The potential after the turn is discounted, too.": leads_to(
                lambda r, p: r + np.append(p[1:], 0) - p
            ),
            "The episode does not start again: after the last turn the potential is 0.": leads_to(
                lambda r, p: r + 0.5 * np.roll(p, -1) - p
            ),
            "The state after turn t is the one of turn t + 1, not of t - 1.": leads_to(
                lambda r, p: r + 0.5 * p - np.append(0, p[:-1])
            ),
        },
    )


def _points_at_the_optimum(
    counts: list[int], scales: list[float], epsilon: float
) -> Callable[[Any], str]:
    """Check that of all profiles the private one of smallest KL earns most.

    Once with the Laplace mechanism's KL, once with a fifth of it, so that both a best private
    profile below it and one above it occur.
    """

    def judge(answer: Any) -> str:
        game = laplace_game(counts, scales, epsilon)
        laplace = game.evaluate(game.constant_profile(game.actions - 1)).divergence
        outcomes = [game.evaluate(profile) for profile in all_profiles(game)]
        ends = [(outcome.private_records, outcome.divergence) for outcome in outcomes]
        optimum = min(kl for private, kl in ends if private == game.records)
        for baseline in (laplace, 0.2 * laplace):
            earned = [float(answer(p, game.records, kl, baseline)) for p, kl in ends]
            best = max(earned)
            if not best > -math.inf:
                return "Rewards that are nan or minus infinity cannot be compared."
            for reward, (private, kl) in zip(earned, ends, strict=True):
                wins = reward >= best - 1e-12
                if wins and private < game.records:
                    return (
                        f"With a Laplace KL of {baseline:.4g} the largest reward goes to a profile "
                        f"of KL {kl:.4g} that exposes {game.records - private} records."
                    )
                if wins and kl > optimum + 1e-9:
                    return (
                        f"With a Laplace KL of {baseline:.4g} the largest reward goes to a private "
                        f"profile of KL {kl:.4g}, and {optimum:.4g} is possible."
                    )
        return ""

    return judge


EXERCISES = {
    "reward": Exercise(
        [
            _reward_case(0.5, 2.0, True, "R is the sum of R_E and R_U."),
            _reward_case(0.5, 2.0, False, "R is the sum of R_E and R_U."),
            _reward_case(3.0, 2.0, True, "Here the KL is larger than the Laplace mechanism's."),
            _reward_case(2.0, 2.0, True, "What is R_U if the two KL are equal?"),
            _reward_case(3.0, 2.0, False, "Here both parts of the reward are -1."),
            _reward_case(0.0, 1.0, False, "Without noise there is no divergence and no privacy."),
        ],
        draw=lambda rng: (
            round(rng.uniform(0.0, 3.0), 3),
            round(rng.uniform(0.5, 3.0), 3),
            bool(rng.random() < 0.5),
        ),
    ),
    "to-spare": Exercise(
        [
            _spare_case(10, 3.0, "Divide the Laplace mechanism's scale by b* of Theorem 1′."),
            _spare_case(1317, 0.011, "Divide the Laplace mechanism's scale by b* of Theorem 1′."),
            _spare_case(2, 1.0, "Divide the Laplace mechanism's scale by b* of Theorem 1′."),
            _spare_case(1000, 1e-13, "For very small ε, use functions that do not cancel."),
        ],
        draw=lambda rng: (
            int(rng.integers(2, 5000)),
            round(float(np.exp(rng.uniform(-6.0, 1.5))), 5),
        ),
    ),
    "silence": Exercise(
        [_is_threshold(counts) for counts in ([10, 30, 60], [5, 5], [3, 1], [152, 1013, 152])],
        draw=lambda rng: _is_threshold(rng.integers(1, 300, int(rng.integers(2, 7))).tolist()),
    ),
    "shaping": Exercise(
        [
            _telescopes(discount, turns)
            for discount, turns in ((0.9, 4), (0.5, 1), (0.0, 3), (0.98, 20))
        ],
        draw=lambda rng: _telescopes(round(rng.uniform(0.0, 0.99), 2), int(rng.integers(2, 30))),
    ),
    "final-reward": Exercise(
        [
            Case(
                _points_at_the_optimum(counts, scales, epsilon),
                "Of two private profiles the one of smaller KL must earn more, and a profile that "
                "exposes a record must earn less than either, however small its KL is and however "
                "large theirs are.",
                "Give the two kinds of profiles rewards from two ranges that do not overlap.",
            )
            for counts, scales, epsilon in (
                ([4, 1, 2], [0.02, 0.3, 3.0], 0.7),
                ([3, 0, 3, 1], [0.05, 5.0], 0.9),
                ([2, 2, 2], [0.05, 0.2, 9.0], 0.3),
                ([5, 1], [0.01, 0.5, 2.0, 50.0], 0.8),
                ([8, 0, 0, 1], [0.02, 5.0], 0.2),  # to protect one record is expensive
            )
        ],
        draw=lambda rng: Case(
            _points_at_the_optimum(
                [*rng.integers(1, 4, 3).tolist(), 2],
                [round(rng.uniform(0.02, 0.3), 3), 30.0],
                round(rng.uniform(0.3, 0.9), 2),
            ),
            "Put the two kinds of profiles into two ranges that do not overlap.",
        ),
    ),
}
