"""Self-checks of the chapter *The game*."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdpbook.exercises import Case, Exercise
from pdpbook.game.nvo_game import NVOGame
from pdpbook.per_instance.noise_kernels import laplace_kernel

__all__ = ["EXERCISES"]


def _games() -> list[NVOGame]:
    """Small games with all that can go wrong: empty bins, single records, equilibria and not."""
    return [
        NVOGame(np.array([0, 4, 2, 0, 1]), laplace_kernel(5, [0.05, 0.2, 1.0]), epsilon=1.0),
        NVOGame(np.array([3, 0, 1]), laplace_kernel(3, [0.1, 1.0]), epsilon=0.7),
        NVOGame(np.array([1, 2, 0, 2]), laplace_kernel(4, [0.04, 0.5]), epsilon=2.0),
    ]


def _profiles(game: NVOGame) -> Iterator[NDArray[np.int64]]:
    rows = [
        [row for row in product(range(count + 1), repeat=game.actions) if sum(row) == count]
        for count in game.counts.tolist()
    ]
    return (np.array(choice) for choice in product(*rows))


def _counts_profiles(answer: Callable[..., Any]) -> bool:
    return all(
        answer(game.counts.copy(), game.actions) == sum(1 for _ in _profiles(game))
        for game in _games()
    )


def _counts_large(answer: Callable[..., Any]) -> bool:
    # with two actions a bin of c records has c + 1 rows
    return bool(answer([4000, 0, 2999], 2) == 4001 * 3000)


def _payoffs_agree(answer: Callable[..., Any], games: list[NVOGame]) -> bool:
    return all(
        np.isclose(answer(profile.copy(), game.kernel, game.epsilon), game.payoff(profile))
        for game in games
        for profile in _profiles(game)
    )


def _lower_side() -> NVOGame:
    """Return a game in which an output that a record seldom gives exposes it."""
    return NVOGame(np.array([3, 1]), laplace_kernel(2, [0.1, 1.0]), epsilon=0.25)


def _lonely_outputs() -> NVOGame:
    """Return a game in which one output comes from one record only, and one never comes."""
    return NVOGame(np.array([2, 0, 1]), np.eye(3)[None], epsilon=1.0)


def _utility(game: NVOGame, profile: NDArray[np.int64]) -> float:
    return float(1.0 - game.divergence(profile) / np.log(game.bins))


def _floor_holds(answer: Callable[..., Any]) -> bool:
    return all(
        answer(game.counts.copy(), game.kernel) <= _utility(game, profile) + 1e-12
        for game in _games()
        for profile in _profiles(game)
    )


def _floor_is_positive(answer: Callable[..., Any]) -> bool:
    return all(answer(game.counts.copy(), game.kernel) > 0.0 for game in _games())


def _floor_is_attained(answer: Callable[..., Any]) -> bool:
    kernel = laplace_kernel(4, [0.1, 0.4, 2.0])
    for k in range(4):
        counts = np.zeros(4, dtype=int)
        counts[k] = 3
        game = NVOGame(counts, kernel, epsilon=1.0)
        worst = min(_utility(game, profile) for profile in _profiles(game))
        if not np.isclose(answer(counts, kernel), worst):
            return False
    return True


def _equilibria_agree(answer: Callable[..., Any]) -> bool:
    return all(
        bool(answer(game, profile.copy())) == game.is_nash(profile)
        for game in _games()
        for profile in _profiles(game)
    )


def _profile_is_kept(answer: Callable[..., Any]) -> bool:
    game = _games()[0]
    for profile in _profiles(game):
        given = profile.copy()
        answer(game, given)
        if not np.array_equal(given, profile):
            return False
    return True


def _designed(scales: Any) -> list[tuple[int, float]]:
    game = NVOGame(np.array([0, 4, 2, 0, 1]), laplace_kernel(5, scales), epsilon=1.0)
    return [
        (game.private_records(profile), game.divergence(profile))
        for profile in _profiles(game)
        if game.is_nash(profile)
    ]


def _three_scales(scales: Any) -> bool:
    return np.shape(scales) == (3,) and bool((np.asarray(scales, dtype=float) > 0).all())


EXERCISES = {
    "profiles": Exercise(
        [
            Case(
                _counts_profiles,
                "Count the rows of one bin first. What does an empty bin contribute?",
            ),
            Case(_counts_large, "Thousands of records: use the formula, do not enumerate."),
        ]
    ),
    "payoff": Exercise(
        [
            Case(
                lambda answer: _payoffs_agree(answer, _games()),
                "Compare P, the losses, P_E and KL one after the other with game.output, "
                "game.losses, game.private_records and game.divergence. How many records does "
                "an entry of the table stand for?",
            ),
            Case(
                lambda answer: _payoffs_agree(answer, [_lower_side()]),
                "The loss is an absolute value: P(x) / P_{-i}(x) may also be far below 1.",
            ),
            Case(
                lambda answer: _payoffs_agree(answer, [_lonely_outputs()]),
                "If only one record can give x, then P_{-i}(x) = 0. What is its loss? "
                "And which x can be left out altogether?",
            ),
        ]
    ),
    "floor": Exercise(
        [
            Case(_floor_holds, "Some profile has a smaller P_U than your bound."),
            Case(_floor_is_positive, "A truncated Laplace kernel deserves a positive bound."),
            Case(
                _floor_is_attained,
                "If all records sit in one bin, some profile attains the bound. "
                "The bound may depend on the bin.",
            ),
        ]
    ),
    "equilibrium": Exercise(
        [
            Case(_equilibria_agree, "Compare with game.is_nash on small games. Empty groups?"),
            Case(_profile_is_kept, "Your function changes the profile that it is given."),
        ]
    ),
    "design": Exercise(
        [
            Case(_three_scales, "Three numbers > 0 are wanted."),
            Case(
                lambda scales: all(private == 7 for private, _ in _designed(scales)),
                "At one equilibrium somebody is exposed. Is your smallest scale too small?",
            ),
            Case(
                lambda scales: min(kl for _, kl in _designed(scales)) < 0.34,
                "No trap, but the best equilibrium is not good enough yet.",
            ),
        ]
    ),
}
