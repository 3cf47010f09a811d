"""Self-checks of the chapter *Instance-wise noise by learning*."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np

from pdpbook.exercises import Case, Exercise, close
from pdpbook.game.nvo_game import NVOGame
from pdpbook.per_instance.noise_kernels import laplace_kernel
from pdpbook.per_instance.privacy_loss import company_needed
from pdpbook.per_instance.scale_bounds import scale_bound

__all__ = ["EXERCISES"]


def _reward(divergence: float, laplace: float, private: bool) -> float:
    utility = -1.0 if divergence >= laplace else (laplace - divergence) / laplace
    return utility + (1 if private else -1)


def _spare(n: int, epsilon: float) -> float:
    return 1.0 / (epsilon * scale_bound(n, epsilon))


def _is_threshold(counts: list[int]) -> Callable[[Any], bool]:
    """Check that the largest bin is company enough just above the answer, and not below."""

    def judge(answer: Any) -> bool:
        epsilon, n, largest = float(answer(np.array(counts))), sum(counts), max(counts)
        floor = -math.log1p(-1.0 / n)
        if epsilon * (1 + 1e-9) < floor:  # company_needed would name the floor, half the solution
            return False
        enough = company_needed(n, epsilon * (1 + 1e-9)) <= largest
        below = epsilon * (1 - 1e-6)
        return enough and (below <= floor or company_needed(n, below) > largest)

    return judge


def _telescopes(discount: float, turns: int) -> Callable[[Any], bool]:
    """Shaping by any potential changes the discounted return by minus the first potential."""

    def judge(answer: Any) -> bool:
        rng = np.random.default_rng(turns)
        for _ in range(3):
            rewards, potentials = rng.normal(size=turns), rng.normal(size=turns)
            shaped = np.asarray(answer(rewards.copy(), potentials.copy(), discount), dtype=float)
            if shaped.shape != (turns,):
                return False
            for start in range(turns):  # from every turn on, not from the first one only
                weights = discount ** np.arange(turns - start)
                change = weights @ (shaped - rewards)[start:]
                if abs(change + potentials[start]) > 1e-9:
                    return False
        return True

    return judge


def _all_profiles(game: NVOGame) -> list[np.ndarray]:
    """Every profile of a small game."""

    def splits(total: int, parts: int) -> list[tuple[int, ...]]:
        if parts == 1:
            return [(total,)]
        return [(i, *rest) for i in range(total + 1) for rest in splits(total - i, parts - 1)]

    rows = [splits(int(count), game.actions) for count in game.counts]
    return [np.array(choice) for choice in product(*rows)]


def _points_at_the_optimum(
    counts: list[int], scales: list[float], epsilon: float
) -> Callable[[Any], bool]:
    """Check that of all profiles the private one of smallest KL earns most.

    Once with the Laplace mechanism's KL, once with a fifth of it, so that both a best private
    profile below it and one above it occur.
    """

    def judge(answer: Any) -> bool:
        game = NVOGame(np.array(counts), laplace_kernel(len(counts), scales), epsilon=epsilon)
        laplace = game.divergence(game.constant_profile(game.actions - 1))
        ends = [(game.private_records(p), game.divergence(p)) for p in _all_profiles(game)]
        optimum = min(kl for private, kl in ends if private == game.records)
        for baseline in (laplace, 0.2 * laplace):
            earned = [float(answer(p, game.records, kl, baseline)) for p, kl in ends]
            best = max(earned)
            for reward, (private, kl) in zip(earned, ends, strict=True):
                wins = reward >= best - 1e-12
                if wins and (private < game.records or kl > optimum + 1e-9):
                    return False
        return True

    return judge


EXERCISES = {
    "reward": Exercise(
        [
            close(_reward, *arguments, hint="R is the sum of R_E and R_U; mind KL = KL_Laplace.")
            for arguments in (
                (0.5, 2.0, True),
                (0.5, 2.0, False),
                (2.0, 2.0, True),
                (3.0, 2.0, True),
                (3.0, 2.0, False),
                (0.0, 1.0, False),
            )
        ]
    ),
    "to-spare": Exercise(
        [
            close(
                _spare,
                *arguments,
                hint="Divide the Laplace mechanism's scale by b* of Theorem 1'. "
                "For very small epsilon, use a function that does not cancel.",
            )
            for arguments in ((1317, 0.011), (2, 1.0), (10, 3.0), (1000, 1e-13))
        ]
    ),
    "silence": Exercise(
        [
            Case(
                _is_threshold(counts),
                "Solve the upper side of Lemma 1 at the own bin for epsilon, then look at the "
                "lower side at the other bins, where a silent record never is.",
            )
            for counts in ([5, 5], [10, 30, 60], [3, 1], [152, 1013, 152])
        ]
    ),
    "shaping": Exercise(
        [
            Case(
                _telescopes(discount, turns),
                "Add discount times the potential after the turn and subtract the one before it; "
                "after the last turn the potential is 0.",
            )
            for discount, turns in ((0.5, 1), (0.9, 4), (0.0, 3), (0.98, 20))
        ]
    ),
    "honest-reward": Exercise(
        [
            Case(
                _points_at_the_optimum(counts, scales, epsilon),
                "Of two profiles at which all are private, the one of smaller KL must earn more; "
                "one at which somebody is exposed must earn less than either, however small its "
                "KL and however large theirs.",
            )
            for counts, scales, epsilon in (
                ([4, 1, 2], [0.02, 0.3, 3.0], 0.7),
                ([3, 0, 3, 1], [0.05, 5.0], 0.9),
                ([2, 2, 2], [0.05, 0.2, 9.0], 0.3),
                ([5, 1], [0.01, 0.5, 2.0, 50.0], 0.8),
            )
        ]
    ),
}
