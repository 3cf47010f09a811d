"""Self-checks of the chapter *Best-response dynamics*."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from pdpbook.experiments.datasets import load_heights
from pdpbook.game.best_response import best_response_dynamics
from pdpbook.game.nvo_game import NVOGame
from pdpbook.game.outcome import Outcome
from pdpbook_exercises import Case, Exercise, Instances, reference
from pdpbook_exercises.chapters.small_games import Profile, after_move, drawn_game, laplace_game
from pdpbook_exercises.checks.instances import Instance

__all__ = ["EXERCISES"]

BELOW = 0.87  #: how far below the end from the safe start a better start must end, as a factor


def _crowd(size: int) -> NVOGame:
    """Return a game with one large group, one smaller one and one record alone."""
    return laplace_game([size, 0, size // 4, 1], [0.05, 0.3, 2.0], 0.5)


def _groups(game: NVOGame, seeds: int) -> Iterator[tuple[Profile, int, int]]:
    for seed in range(seeds):
        profile = game.random_profile(rng=np.random.default_rng(seed))
        for k, v in np.argwhere(profile).tolist():
            yield profile, k, v


def _is_better(game: NVOGame, new: Profile, old: Profile) -> bool:
    before, after = game.evaluate(old), game.evaluate(new)
    gain = after.private_records - before.private_records
    return gain > 0 or (gain == 0 and after.divergence < before.divergence - 1e-12)


@reference
def _reply(game: NVOGame, profile: Profile, k: int, v: int) -> int:
    best, best_profile = v, profile
    for w in range(game.actions):
        option = after_move(profile, k, v, w)
        if w != v and _is_better(game, option, best_profile):
            best, best_profile = w, option
    return best


def _replies_agree(games: list[NVOGame], seeds: int) -> Callable[[Any], str]:
    def judge(answer: Callable[..., Any]) -> str:
        for game in games:
            for profile, k, v in _groups(game, seeds):
                given = profile.copy()
                chosen, right = answer(game, given, k, v), _reply(game, profile, k, v)
                if not np.array_equal(given, profile):
                    return f"Your function changed the profile: it is {given.tolist()} now."
                if chosen is None:
                    return "None is no action."
                if chosen == right:
                    continue
                if chosen not in range(game.actions):
                    return f"That is no action; there are {game.actions}."
                if right == v:
                    return "But no other action is better there, so the record should stay."
                if chosen == v:
                    return "The record stays, and another action is better."
                best, own = (after_move(profile, k, v, w) for w in (right, chosen))
                if game.evaluate(best).private_records > game.evaluate(own).private_records:
                    return "Another action makes more records private."
                return "Another action is as good in P_E and better in KL."
        return ""

    return judge


def _passes(answer: Callable[..., Any], passes: int) -> Iterator[tuple[bool, bool]]:
    """Play with the student's rule; tell after each pass whether it was legal and moved."""
    game = laplace_game([3, 2], [0.3, 0.3, 1.0])
    bins, actions = [0, 0, 0, 1, 1], [2, 2, 2, 2, 2]
    for _ in range(passes):
        moved = False
        legal = True
        for i, k in enumerate(bins):
            profile = np.zeros((2, 3), dtype=np.int64)
            np.add.at(profile, (bins, actions), 1)
            own = actions[i]
            candidates = [
                w for w in range(3) if not _is_better(game, profile, after_move(profile, k, own, w))
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


def _curves_agree(answer: Callable[..., Any], game: NVOGame) -> str:
    for (profile, k, v), w in product(_groups(game, 4), range(game.actions)):
        given = np.asarray(answer(game, profile.copy(), k, v, w), dtype=float)
        ways = [after_move(profile, k, v, w, t) for t in range(int(profile[k, v]) + 1)]
        expected = np.array([game.evaluate(way).divergence for way in ways])
        if given.shape != expected.shape:
            return f"It has {given.size} entries, and {expected.size} were expected."
        if not np.allclose(given, expected):
            wrong = np.flatnonzero(~np.isclose(given, expected))
            few = f"{wrong.size} of {expected.size} entries"
            return f"{few} are wrong, the first at t = {wrong[0]}."
    return ""


class _Counted:
    """A game that counts how many profiles it evaluates."""

    def __init__(self, game: NVOGame) -> None:
        self._game = game
        self.calls = 0

    def __copy__(self) -> _Counted:
        """Stay the one that counts, also where a call is remembered."""
        return self

    def __repr__(self) -> str:
        """Name the game by its counts."""
        return f"NVOGame(counts={self._game.counts.tolist()}, …)"

    def __getattr__(self, name: str) -> Any:
        return getattr(self._game, name)

    def evaluate(self, profile: Profile) -> Outcome:
        """Evaluate a profile, unless too many have been evaluated."""
        self.calls += 1
        if self.calls > 300:
            raise RuntimeError("more than 300 calls of game.evaluate")
        return self._game.evaluate(profile)


def _moves_on(game: NVOGame, profile: Profile, k: int, v: int, w: int, done: int) -> bool:
    """Whether one more record changes after ``done`` of them have."""
    if done >= profile[k, v]:
        return False
    here, there = (after_move(profile, k, v, w, t) for t in (done, done + 1))
    return game.evaluate(there).private_records == game.records and _is_better(game, there, here)


def _private_groups(game: NVOGame) -> Iterator[tuple[Profile, int, int]]:
    for action in (1, 2):
        profile = game.constant_profile(action)
        if game.evaluate(profile).private_records == game.records:
            yield from ((profile, k, action) for k in np.flatnonzero(game.counts).tolist())


def _runs_agree(answer: Callable[..., Any]) -> str:
    for game in (_crowd(40), _crowd(150)):
        for profile, k, v in _private_groups(game):
            for w in set(range(game.actions)) - {v}:
                expected = 0
                while _moves_on(game, profile, k, v, w, expected):
                    expected += 1
                given = answer(game, profile.copy(), k, v, w)
                if given is not None and given > expected:
                    return "So many do not go: one of them gains nothing, or exposes a record."
                if given != expected:
                    return "One more would go."
    return ""


def _private_profiles(game: NVOGame, seeds: int) -> Iterator[tuple[Profile, int, int]]:
    for profile, k, v in _groups(game, seeds):
        if game.evaluate(profile).private_records == game.records:
            yield profile, k, v


def _stop_at_exposure(games: list[NVOGame]) -> Callable[[Any], str]:
    """In mixed profiles a run often ends because one more record would expose somebody."""

    def judge(answer: Callable[..., Any]) -> str:
        for game in games:
            for profile, k, v in _private_profiles(game, 30):
                for w in set(range(game.actions)) - {v}:
                    expected = 0
                    while _moves_on(game, profile, k, v, w, expected):
                        expected += 1
                    given = answer(game, profile.copy(), k, v, w)
                    if given is None or given < expected:
                        return "One more would go."
                    if given != expected:
                        return "So many do not go: one of them gains nothing, or exposes a record."
        return ""

    return judge


def _drawn_run(rng: np.random.Generator) -> Case:
    """Draw a game with profiles that are private, and a lonely record to expose."""
    while True:
        counts = rng.integers(0, 7, int(rng.integers(3, 5)))
        counts[rng.integers(counts.size)] = 1
        scales = np.sort(rng.uniform(0.05, 1.4, 3)).round(3)
        if counts.sum() > 2:
            game = laplace_game(counts.tolist(), scales.tolist(), 0.5)
            if any(_private_profiles(game, 30)):
                return Case(_stop_at_exposure([game]), _STOP)


def _runs_are_quick(answer: Callable[..., Any]) -> str:
    game = _crowd(400_000)
    for profile, k, v in _private_groups(game):
        for w in set(range(game.actions)) - {v}:
            counted = _Counted(game)
            found = int(answer(counted, profile.copy(), k, v, w))
            right = found == 0 or _moves_on(game, profile, k, v, w, found - 1)
            if not right or _moves_on(game, profile, k, v, w, found):
                return "The value is wrong."
    return ""


def _fine_game(without: Sequence[int]) -> NVOGame:
    """Return the game of the heights without some of their rows."""
    heights = np.delete(load_heights()["height"], [*map(int, without)])
    return NVOGame.from_data(heights, epsilon=1.0, multipliers=(3, 2, 1, 0.033, 0.02))


def _start_is_private(without: Sequence[int]) -> Callable[[Any], str]:
    def judge(start: Any) -> str:
        game = _fine_game(without)
        records = np.asarray(start).sum(axis=1)
        if records.shape == (game.bins,) and (records != game.counts).any():
            k = int((records != game.counts).argmax())
            return (
                f"Bin {k} of your data has {game.counts[k]} records, and your start {records[k]}."
            )
        exposed = game.records - game.evaluate(start).private_records
        return f"{exposed} of {game.records} records are exposed at your start." if exposed else ""

    return judge


def _start_ends_low(without: Sequence[int]) -> Callable[[Any], str]:
    def judge(start: Any) -> str:
        game = _fine_game(without)
        usual = best_response_dynamics(game, start=game.constant_profile(0)).divergence
        end = best_response_dynamics(game, start=start).divergence
        if end <= BELOW * usual:
            return ""
        return (
            f"The dynamics from your start end at {end:.5f}, and from the safe one at {usual:.5f}."
        )

    return judge


def _drawn_rows(rng: np.random.Generator) -> Instance:
    rows = rng.choice(load_heights()["height"].size, 20, replace=False)
    return {"without": sorted(rows.tolist())}


def _all_legal(answer: Callable[..., Any]) -> bool:
    return all(legal for legal, _ in _passes(answer, 1))


def _never_ends(answer: Callable[..., Any]) -> str:
    stayed: list[tuple[int, list[int]]] = []

    def watched(own: int, candidates: list[int]) -> Any:
        chosen = answer(own, list(candidates))
        if chosen == own and len(candidates) > 1:
            stayed.append((own, candidates))
        return chosen

    for number, (legal, moved) in enumerate(_passes(watched, 50), start=1):
        if not legal:
            return "That is none of the candidates."
        if not moved:
            if stayed:
                answer(*stayed[-1])  # the message shows the last call: one with a choice
            return f"In pass {number} no record moves."
    return ""


_STOP = "A record stays if its change would expose somebody, itself or another record."


EXERCISES = {
    "reply": Exercise(
        [
            Case(
                _replies_agree([laplace_game([0, 4, 2, 0, 1], [0.05, 0.2, 1.0]), _crowd(8)], 20),
                "Is an action compared with the best so far, P_E first?",
                more="Start from the record's own action. Compare every other one with the best "
                "pair (P_E, KL) found so far, each on a copy of the profile.",
            ),
            Case(
                _replies_agree([laplace_game([4, 2, 3], [0.1, 0.1, 0.1])], 5),
                "With three equal kernels no record has a reason to move.",
            ),
        ],
        draw=lambda rng: Case(
            _replies_agree([drawn_game(rng, records=8)], 6),
            "Is an action compared with the best so far, P_E first?",
        ),
    ),
    "tie": Exercise(
        [
            Case(_all_legal, "Your rule must pick one of the candidates."),
            Case(
                _never_ends,
                "After some passes no record moves any more. When does your rule keep its action, "
                "although there is another candidate?",
            ),
        ],
        fixed="The answer is a rule with a dozen inputs: other games ask it for the same ones.",
    ),
    "convex": Exercise(
        [
            Case(
                partial(_curves_agree, game=_crowd(12)),
                "Compare with the divergence of game.evaluate, profile by profile. The first entry "
                "is t = 0, the last one is the whole group.",
            ),
        ],
        draw=lambda rng: Case(
            partial(_curves_agree, game=drawn_game(rng, records=12)),
            "Compare with the divergence of game.evaluate, profile by profile.",
        ),
    ),
    "run": Exercise(
        [
            Case(
                _runs_agree,
                "Compare with moving one record after the other. What if not even the first "
                "one gains? What if all go?",
            ),
            Case(
                _stop_at_exposure(
                    [
                        laplace_game([2, 5, 1], [0.09, 0.146, 1.016], 0.5),
                        laplace_game([1, 0, 8], [0.134, 0.453, 1.329], 0.5),
                    ]
                ),
                _STOP,
            ),
            Case(
                _runs_are_quick,
                "100,000 and more records, at most 300 calls of game.evaluate. Proposition: the "
                "first and the last record of a run speak for all between them.",
                more="Bisect: keep a number of records that do go, and a larger one that do not.",
            ),
        ],
        draw=_drawn_run,
    ),
    "start": Exercise(
        lambda mine: [
            Case(
                _start_is_private(mine["without"]),
                "Which records are exposed if they play a small scale?",
            ),
            Case(
                _start_ends_low(mine["without"]),
                "That is too high. Which records need a large scale at the start, which do not?",
            ),
        ],
        own=Instances({"without": []}, _drawn_rows),
    ),
}
