"""Self-checks of the chapter *Approximated enumeration*."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np

from pdpbook.exercises import Case, Exercise
from pdpbook.game.coordinated import coordinated_best_response
from pdpbook.game.genetic import approximate_enumeration
from pdpbook.game.nvo_game import NVOGame
from pdpbook.per_instance.noise_kernels import laplace_kernel

__all__ = ["EXERCISES"]


def _fitness_agrees(answer: Callable[..., Any]) -> bool:
    rng = np.random.default_rng(3)
    for _ in range(30):
        bins = rng.integers(4, size=9)  # in no particular order
        counts = np.bincount(bins, minlength=4)
        game = NVOGame(counts, laplace_kernel(4, [0.05, 0.3, 1.0]), epsilon=1.0)
        genes = rng.integers(3, size=9)
        profile = np.zeros((4, 3), dtype=int)
        np.add.at(profile, (bins, genes), 1)
        if not np.isclose(answer(game, bins.copy(), genes.copy()), game.payoff(profile)):
            return False
    return True


def _rate_is_best(answer: Callable[..., Any], cases: list[tuple[int, int, int]]) -> bool:
    grid = np.linspace(1e-5, 1.0, 100_000)
    for n, d, actions in cases:
        stays = 1.0 - grid + grid / actions
        with np.errstate(divide="ignore"):
            chance = d * np.log(grid / actions) + (n - d) * np.log(stays)
        if not np.isclose(answer(n, d, actions), grid[chance.argmax()], atol=2e-5):
            return False
    return True


def _copies_agree(answer: Callable[..., Any]) -> bool:
    for counts in ([2, 0, 3], [1, 4], [0, 4, 2, 0, 1]):
        bins = np.repeat(np.arange(len(counts)), counts)
        found: Counter[bytes] = Counter()
        for genes in product(range(3), repeat=len(bins)):
            profile = np.zeros((len(counts), 3), dtype=np.int64)
            np.add.at(profile, (bins, np.array(genes)), 1)
            found[profile.tobytes()] += 1
        for key, number in found.items():
            profile = np.frombuffer(key, dtype=np.int64).reshape(len(counts), 3).copy()
            if answer(profile) != number:
                return False
    return True


def _copies_are_whole(answer: Callable[..., Any]) -> bool:
    # 61 records of one bin: more than a float can hold exactly
    return bool(answer(np.array([[31, 30]])) == math.comb(61, 30))


def _sixty() -> NVOGame:
    weights = [0.02, 0.08, 0.2, 0.3, 0.25, 0.1, 0.03, 0.02]
    counts = np.random.default_rng(2).multinomial(60, weights)
    return NVOGame(counts, laplace_kernel(8, [0.02, 0.1, 0.3, 1.0]), epsilon=1.0)


def _runs_end_low(settings: Any) -> bool:
    game = _sixty()
    target = coordinated_best_response(game).divergence
    for seed in range(5):
        options = dict(settings) | {"rng": np.random.default_rng(seed)}
        found = approximate_enumeration(game, **options)
        if found.evaluations > 40_000 or game.private_records(found.profile) < game.records:
            return False
        if game.divergence(found.profile) > 1.02 * target:
            return False
    return True


EXERCISES = {
    "fitness": Exercise(
        [
            Case(
                _fitness_agrees,
                "Count the records of each bin that play each action. The records need not be "
                "sorted by bin.",
            )
        ]
    ),
    "rate": Exercise(
        [
            Case(
                lambda answer: _rate_is_best(answer, [(12, 1, 3), (60, 2, 4), (1317, 1, 5)]),
                "With what chance does a gene end as what it was? Differentiate the logarithm.",
            ),
            Case(
                lambda answer: _rate_is_best(answer, [(4, 4, 2), (5, 4, 2)]),
                "A rate is at most 1. What if the derivative never vanishes before?",
            ),
        ]
    ),
    "copies": Exercise(
        [
            Case(_copies_agree, "In how many ways can the records of one bin be told to play?"),
            Case(_copies_are_whole, "Whole numbers, also large ones: no floats."),
        ]
    ),
    "tune": Exercise(
        [
            Case(lambda settings: "rng" not in dict(settings), "The check brings the seeds."),
            Case(
                _runs_end_low,
                "Some seed does not get there, or takes too many evaluations. Which settings "
                "decide about the last steps?",
            ),
        ]
    ),
}
