"""Self-checks of the chapter *Best-response dynamics*."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdpbook.exercises import Case, Exercise
from pdpbook.experiments.datasets import nba_heights
from pdpbook.game.best_response import best_response_dynamics
from pdpbook.game.coordinated import coordinated_best_response
from pdpbook.game.nvo_game import NVOGame
from pdpbook.game.optimum import certified_optimum
from pdpbook.per_instance.noise_kernels import laplace_kernel

__all__ = ["EXERCISES"]

_Profile = NDArray[np.int64]


def _small_game() -> NVOGame:
    return NVOGame(np.array([0, 4, 2, 0, 1]), laplace_kernel(5, [0.05, 0.2, 1.0]), epsilon=1.0)


def _crowd(size: int) -> NVOGame:
    """Return a game with one large group, one smaller one and one record alone."""
    counts = np.array([size, 0, size // 4, 1])
    return NVOGame(counts, laplace_kernel(4, [0.05, 0.3, 2.0]), epsilon=0.5)


def _groups(game: NVOGame, seeds: int) -> Iterator[tuple[_Profile, int, int]]:
    for seed in range(seeds):
        profile = game.random_profile(np.random.default_rng(seed))
        for k, v in np.argwhere(profile).tolist():
            yield profile, k, v


def _changed(profile: _Profile, k: int, v: int, w: int, records: int = 1) -> _Profile:
    profile = profile.copy()
    profile[k, v] -= records
    profile[k, w] += records
    return profile


def _is_better(game: NVOGame, new: _Profile, old: _Profile) -> bool:
    gain = game.private_records(new) - game.private_records(old)
    return gain > 0 or (gain == 0 and game.divergence(new) < game.divergence(old) - 1e-12)


def _reply(game: NVOGame, profile: _Profile, k: int, v: int) -> int:
    best, best_profile = v, profile
    for w in range(game.actions):
        option = _changed(profile, k, v, w)
        if w != v and _is_better(game, option, best_profile):
            best, best_profile = w, option
    return best


def _replies_agree(answer: Callable[..., Any]) -> bool:
    games = [_small_game(), _crowd(8)]
    return all(
        answer(game, profile.copy(), k, v) == _reply(game, profile, k, v)
        for game in games
        for profile, k, v in _groups(game, 20)
    )


def _stays_on_ties(answer: Callable[..., Any]) -> bool:
    kernel = laplace_kernel(3, [0.1, 0.1, 0.1])
    game = NVOGame(np.array([4, 2, 3]), kernel, epsilon=1.0)
    return all(answer(game, profile.copy(), k, v) == v for profile, k, v in _groups(game, 5))


def _profile_is_kept(answer: Callable[..., Any]) -> bool:
    game = _small_game()
    for profile, k, v in _groups(game, 5):
        given = profile.copy()
        answer(game, given, k, v)
        if not np.array_equal(given, profile):
            return False
    return True


def _passes(answer: Callable[..., Any], passes: int) -> Iterator[tuple[bool, bool]]:
    """Play with the student's rule; tell after each pass whether it was legal and moved."""
    game = NVOGame(np.array([3, 2]), laplace_kernel(2, [0.3, 0.3, 1.0]), epsilon=1.0)
    bins, actions = [0, 0, 0, 1, 1], [2, 2, 2, 2, 2]
    for _ in range(passes):
        moved = False
        legal = True
        for i, k in enumerate(bins):
            profile = np.zeros((2, 3), dtype=np.int64)
            np.add.at(profile, (bins, actions), 1)
            own = actions[i]
            candidates = [
                w for w in range(3) if not _is_better(game, profile, _changed(profile, k, own, w))
            ]
            chosen = answer(own, list(candidates))
            legal = legal and chosen in candidates
            if not legal:
                break
            moved = moved or chosen != own
            actions[i] = int(chosen)
        yield legal, moved
        if not legal:
            return


def _divergences(game: NVOGame, profile: _Profile, k: int, v: int, w: int) -> list[float]:
    size = int(profile[k, v])
    return [game.divergence(_changed(profile, k, v, w, t)) for t in range(size + 1)]


def _curves(answer: Callable[..., Any]) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
    game = _crowd(12)
    for profile, k, v in _groups(game, 4):
        for w in range(game.actions):
            given = np.asarray(answer(game, profile.copy(), k, v, w), dtype=float)
            yield given, np.array(_divergences(game, profile, k, v, w))


def _curves_agree(answer: Callable[..., Any]) -> bool:
    return all(
        given.shape == expected.shape and bool(np.allclose(given, expected))
        for given, expected in _curves(answer)
    )


def _curves_are_convex(answer: Callable[..., Any]) -> bool:
    return all(bool((np.diff(given, 2) >= -1e-12).all()) for given, _ in _curves(answer))


class _Counted:
    """A game that counts how often it is asked."""

    def __init__(self, game: NVOGame) -> None:
        self._game = game
        self.calls = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._game, name)

    def divergence(self, profile: _Profile) -> float:
        self.calls += 1
        return self._game.divergence(profile)

    def private_records(self, profile: _Profile) -> int:
        self.calls += 1
        return self._game.private_records(profile)


def _moves_on(game: NVOGame, profile: _Profile, k: int, v: int, w: int, done: int) -> bool:
    """Whether one more record changes after ``done`` of them have."""
    if done >= profile[k, v]:
        return False
    here, there = (_changed(profile, k, v, w, t) for t in (done, done + 1))
    return game.private_records(there) == game.records and _is_better(game, there, here)


def _private_groups(game: NVOGame) -> Iterator[tuple[_Profile, int, int]]:
    for action in (1, 2):
        profile = game.constant_profile(action)
        if game.private_records(profile) == game.records:
            yield from ((profile, k, action) for k in np.flatnonzero(game.counts).tolist())


def _runs_agree(answer: Callable[..., Any]) -> bool:
    for game in (_crowd(40), _crowd(150)):
        for profile, k, v in _private_groups(game):
            for w in set(range(game.actions)) - {v}:
                expected = 0
                while _moves_on(game, profile, k, v, w, expected):
                    expected += 1
                if answer(game, profile.copy(), k, v, w) != expected:
                    return False
    return True


def _runs_are_quick(answer: Callable[..., Any]) -> bool:
    game = _crowd(400_000)
    for profile, k, v in _private_groups(game):
        for w in set(range(game.actions)) - {v}:
            counted = _Counted(game)
            found = int(answer(counted, profile.copy(), k, v, w))
            right = found == 0 or _moves_on(game, profile, k, v, w, found - 1)
            if counted.calls > 300 or not right or _moves_on(game, profile, k, v, w, found):
                return False
    return True


def _fine_game() -> NVOGame:
    heights = nba_heights()["height"]
    return NVOGame.from_data(heights, epsilon=1.0, multipliers=(3, 2, 1, 0.033, 0.02))


def _start_is_private(start: Any) -> bool:
    game = _fine_game()
    return game.private_records(start) == game.records


def _start_ends_low(start: Any) -> bool:
    return best_response_dynamics(_fine_game(), start).divergence < 0.0085


def _smallest_cover(
    mass: NDArray[np.float64],
    needed: NDArray[np.float64],
    before: NDArray[np.float64],
    after: NDArray[np.float64],
) -> int:
    """Try 1, 2, 3, ... records."""
    short = needed > mass
    for m in range(1, 2000):
        if (mass + m * (after - before) >= needed)[short].all():
            return m
    return 0


def _covers_agree(answer: Callable[..., Any]) -> bool:
    rng = np.random.default_rng(5)
    kernel = laplace_kernel(6, [0.05, 0.3, 1.0])
    for _ in range(200):
        mass = rng.uniform(0.5, 3.0, 6)
        needed = mass + rng.uniform(-0.5, 0.2, 6)
        (v, w), k = rng.choice(3, 2, replace=False), rng.integers(6)
        case = mass, needed, kernel[v, k], kernel[w, k]
        if answer(*(array.copy() for array in case)) != _smallest_cover(*case):
            return False
    return True


def _nothing_short(answer: Callable[..., Any]) -> bool:
    row = np.array([0.5, 0.5])
    return bool(answer(np.ones(2), np.zeros(2), row, row) == 1)


def _three_counts(counts: Any) -> bool:
    array = np.asarray(counts)
    return array.shape == (5,) and array.dtype.kind == "i" and 2 <= array.sum() <= 8


def _pairs_end_high(counts: Any) -> bool:
    game = NVOGame(np.asarray(counts), laplace_kernel(5, [0.05, 0.2, 1.0]), epsilon=1.0)
    end = coordinated_best_response(game, game.constant_profile(2))
    best = certified_optimum(game, start=end.profile, relative_gap=1e-3)
    private = game.private_records(end.profile) == game.records
    return private and end.divergence >= 1.05 * best.divergence


def _tempted(answer: Any) -> list[tuple[NVOGame, float]]:
    """Return the game with three scales and the one with four, and where each ends."""
    counts, scales = answer
    ends = []
    for used in (list(scales)[:3], list(scales)):
        game = NVOGame(np.asarray(counts), laplace_kernel(5, used), epsilon=1.0)
        end = best_response_dynamics(game, game.constant_profile(0)).profile
        private = game.private_records(end) == game.records
        ends.append((game, game.divergence(end) if private else np.inf))
    return ends


EXERCISES = {
    "tempting": Exercise(
        [
            Case(
                lambda answer: (
                    len(answer) == 2
                    and np.shape(answer[0]) == (5,)
                    and 2 <= sum(answer[0]) <= 8
                    and np.shape(answer[1]) == (4,)
                    and len({round(float(s), 9) for s in answer[1]}) == 4
                    and min(answer[1]) > 0
                ),
                "A pair: five counts, two to eight records in all, and four different scales > 0.",
            ),
            Case(
                lambda answer: np.isfinite(_tempted(answer)[0][1]),
                "With the first three scales somebody is exposed at the end. Begin louder.",
            ),
            Case(
                lambda answer: np.isfinite(_tempted(answer)[1][1]),
                "With the fourth scale somebody is exposed at the end.",
            ),
            Case(
                lambda answer: _tempted(answer)[1][1] >= 2.0 * _tempted(answer)[0][1],
                "The end with four scales is not twice as far from the data as that with three. "
                "Try many small games at random.",
            ),
        ]
    ),
    "reply": Exercise(
        [
            Case(_replies_agree, "Is an action compared with the best so far, P_E first?"),
            Case(_stays_on_ties, "With three equal kernels nobody has a reason to move."),
            Case(_profile_is_kept, "Your function changes the profile that it is given."),
        ]
    ),
    "tie": Exercise(
        [
            Case(
                lambda answer: all(legal for legal, _ in _passes(answer, 1)),
                "Your rule must pick one of the candidates.",
            ),
            Case(
                lambda answer: all(legal and moved for legal, moved in _passes(answer, 50)),
                "After some passes nobody moves any more.",
            ),
        ]
    ),
    "convex": Exercise(
        [
            Case(
                _curves_agree,
                "Compare with game.divergence, profile by profile. The first entry is t = 0, the "
                "last one is the whole group.",
            ),
            Case(_curves_are_convex, "Second differences must not be negative."),
        ]
    ),
    "run": Exercise(
        [
            Case(
                _runs_agree,
                "Compare with moving one record after the other. What if not even the first "
                "one gains? What if all go?",
            ),
            Case(
                _runs_are_quick,
                "100,000 and more records, at most 300 questions to the game. Proposition: the "
                "first and the last record of a run speak for all between them.",
            ),
        ]
    ),
    "start": Exercise(
        [
            Case(_start_is_private, "Somebody is exposed at your start."),
            Case(
                _start_ends_low,
                "The dynamics from your start end too high. Who needs to be loud at the start, "
                "and who does not?",
            ),
        ]
    ),
    "cover": Exercise(
        [
            Case(_covers_agree, "Which outputs ask for anything? What if one of them cannot grow?"),
            Case(_nothing_short, "If nothing falls short, one record is the fewest that can move."),
        ]
    ),
    "three": Exercise(
        [
            Case(_three_counts, "Five whole numbers are wanted, two to eight records in all."),
            Case(_pairs_end_high, "Coordinated moves do too well on your game. Search at random."),
        ]
    ),
}
