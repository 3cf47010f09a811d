"""Self-checks of the chapter *Best-response dynamics*."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdpbook.experiments.datasets import load_heights
from pdpbook.game.best_response import best_response_dynamics
from pdpbook.game.coordinated import coordinated_best_response
from pdpbook.game.nvo_game import NVOGame
from pdpbook.game.optimum import certified_optimum
from pdpbook.game.outcome import Outcome
from pdpbook.per_instance.noise_kernels import laplace_kernel
from pdpbook_exercises import Case, Exercise
from pdpbook_exercises.small_games import Profile, after_move, laplace_game, wrong_game

__all__ = ["EXERCISES"]


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
                if chosen is None or chosen == right:
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


def _curves_agree(answer: Callable[..., Any]) -> str:
    game = _crowd(12)
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
                    return "So many do not go: one of them gains nothing, or exposes somebody."
                if given != expected:
                    return "One more would go."
    return ""


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


def _fine_game() -> NVOGame:
    heights = load_heights()["height"]
    return NVOGame.from_data(heights, epsilon=1.0, multipliers=(3, 2, 1, 0.033, 0.02))


def _start_is_private(start: Any) -> str:
    game = _fine_game()
    exposed = game.records - game.evaluate(start).private_records
    return f"{exposed} of {game.records} records are exposed at your start." if exposed else ""


def _start_ends_low(start: Any) -> str:
    end = best_response_dynamics(_fine_game(), start=start).divergence
    return "" if end < 0.0085 else f"The dynamics from your start end at {end:.5f}."


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


def _covers_agree(answer: Callable[..., Any]) -> str:
    rng = np.random.default_rng(5)
    kernel = laplace_kernel(6, [0.05, 0.3, 1.0])
    for _ in range(200):
        mass = rng.uniform(0.5, 3.0, 6)
        needed = mass + rng.uniform(-0.5, 0.2, 6)
        (v, w), k = rng.choice(3, 2, replace=False), rng.integers(6)
        case = mass, needed, kernel[v, k], kernel[w, k]
        given, right = answer(*(array.copy() for array in case)), _smallest_cover(*case)
        if given is None or given == right:
            continue
        if right == 0:
            return "At one of the outputs that fall short, S does not grow: no number is enough."
        if (needed <= mass).all():
            return "Nothing falls short there. One record is the fewest that can move."
        if given == 0:
            return "But some number of records is enough."
        return "That is not enough." if given < right else "Fewer are enough."
    return ""


def _nothing_short(answer: Callable[..., Any]) -> bool:
    row = np.array([0.5, 0.5])
    return bool(answer(np.ones(2), np.zeros(2), row, row) == 1)


def _three_counts(counts: Any) -> bool:
    array = np.asarray(counts)
    return array.shape == (5,) and array.dtype.kind == "i" and 2 <= array.sum() <= 8


def _pairs_end_high(counts: Any) -> str:
    game = laplace_game(counts, [0.05, 0.2, 1.0])
    end = coordinated_best_response(game, start=game.constant_profile(2))
    best = certified_optimum(game, start=end.profile, relative_gap=1e-3)
    if game.evaluate(end.profile).private_records < game.records:
        return "Somebody is exposed at the end."
    ratio = end.divergence / best.divergence
    return "" if ratio >= 1.05 else f"They end at {ratio:.4f} times the optimum."


def _tempted(answer: Any) -> list[tuple[NVOGame, float]]:
    """Return the game with three scales and the one with four, and where each ends."""
    counts, scales = answer
    ends = []
    for used in (list(scales)[:3], list(scales)):
        game = laplace_game(counts, used)
        end = best_response_dynamics(game, start=game.constant_profile(0)).profile
        outcome = game.evaluate(end)
        private = outcome.private_records == game.records
        ends.append((game, outcome.divergence if private else np.inf))
    return ends


def _is_tempting_input(answer: Any) -> str:
    problem = wrong_game(answer, bins=5, actions=4)
    if not problem and len({round(float(scale), 9) for scale in answer[1]}) < 4:
        return "Two of the scales are equal."
    return problem


def _is_twice_as_far(answer: Any) -> str:
    three, four = (end for _, end in _tempted(answer))
    if four >= 2.0 * three:
        return ""
    return f"With three scales it ends at KL {three:.4f}, with four at {four:.4f}."


def _all_legal(answer: Callable[..., Any]) -> bool:
    return all(legal for legal, _ in _passes(answer, 1))


def _never_ends(answer: Callable[..., Any]) -> str:
    for number, (legal, moved) in enumerate(_passes(answer, 50), start=1):
        if not legal:
            return "That is none of the candidates."
        if not moved:
            return f"In pass {number} nobody moves."
    return ""


# Answers, wrong and right, for the exercises below ------------------------------------------------


def moved(profile, k, v, w, records=1):
    profile = np.array(profile)
    profile[k, v] -= records
    profile[k, w] += records
    return profile


def reply(game, profile, k, v, *, key=None, stays=True):
    """The action with the best key; of equal ones the own, or the last."""
    key = key or (lambda p: (game.evaluate(p).private_records, -game.evaluate(p).divergence))
    best = v
    for w in range(game.actions):
        new, old = (key(moved(profile, k, v, action)) for action in (w, best))
        if new > old or (not stays and new >= old):
            best = w
    return best


def careful_reply(game, profile, k, v):
    """By sorting, with rounded divergences."""
    options = []
    for w in range(game.actions):
        p = moved(profile, k, v, w)
        p_outcome = game.evaluate(p)
        options.append((-p_outcome.private_records, round(p_outcome.divergence, 11), w != v, w))
    return np.int64(min(options)[-1])


def first_better(game, profile, k, v):
    outcome = game.evaluate(profile)
    here = outcome.private_records, -outcome.divergence + 1e-12
    for w in range(game.actions):
        p = moved(profile, k, v, w)
        p_outcome = game.evaluate(p)
        if (p_outcome.private_records, -p_outcome.divergence) > here:
            return w
    return v


def in_place(game, profile, k, v):
    best = reply(game, profile, k, v)
    profile[k, v] -= 1
    profile[k, best] += 1
    return best


def by_kl(game, profile, k, v):
    return reply(game, profile, k, v, key=lambda p: -game.evaluate(p).divergence // 1e-11)


def along(game, profile, k, v, w, *, first=0, extra=1):
    return [
        game.evaluate(moved(profile, k, v, w, t)).divergence
        for t in range(first, profile[k, v] + extra)
    ]


def straight(*case):
    first, *_, last = curve = along(*case)
    return np.linspace(first, last, len(curve))


def runs(game, profile, k, v, w, *, more=0, most=math.inf):
    t, here = 0, game.evaluate(profile).divergence
    while t < min(profile[k, v], most):
        new = moved(profile, k, v, w, t + 1)
        there = game.evaluate(new).divergence
        if game.evaluate(new).private_records < game.records or there >= here - 1e-12:
            break
        t, here = t + 1, there
    return t + more


def run_by_bisection(game, profile, k, v, w):
    def good(t):
        new, old = moved(profile, k, v, w, t), moved(profile, k, v, w, t - 1)
        if game.evaluate(new).private_records < game.records:
            return False
        return game.evaluate(new).divergence < game.evaluate(old).divergence - 1e-12

    if not good(1):
        return 0
    low, high = 1, int(profile[k, v]) + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if good(middle) else (low, middle)
    return low


def cover(mass, needed, before, after, *, rounded=math.ceil, none=0, outputs=None, reduce=max):
    short = needed > mass if outputs is None else outputs(needed, mass)
    asked = []
    for gap, step in zip((needed - mass)[short], (after - before)[short], strict=True):
        if step <= 0:
            return none
        asked.append(max(1, rounded(gap / step)))
    return reduce(asked) if asked else 1


def start(rule):
    game = NVOGame.from_data(
        load_heights()["height"], epsilon=1.0, multipliers=(3, 2, 1, 0.033, 0.02)
    )
    profile = np.zeros((game.bins, game.actions), dtype=int)
    for k, count in enumerate(game.counts):
        profile[k, rule(count)] = count
    return profile


EXERCISES = {
    "tempting": Exercise(
        [
            Case(
                _is_tempting_input,
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
                _is_twice_as_far,
                "The end with four scales must be twice as far from the data as that with three. "
                "Try many small games at random.",
            ),
        ],
        wrong=[
            ([2, 0, 4, 2, 0], "It is not a pair."),
            (([2, 0, 4, 2], [1.0, 0.18, 0.04, 0.48]), "The counts are wrong."),
            (([2, 0, 4, 2, 0], [1.0, 0.18, 0.04]), "The scales are wrong."),
            (([2, 0, 4, 2, 0], [1.0, 0.18, 0.04, 0.18]), "Two of the scales are equal."),
            (([2, 0, 4, 2, 0], [1.0, 0.18, 0.04, 5.0]), "With three scales it ends at KL"),
            (([0, 4, 2, 0, 1], [0.05, 0.02, 0.03, 0.04]), "Begin louder."),
        ],
        right=[[np.array([2, 0, 4, 2, 0]), (1.0, 0.18, 0.04, 0.48)]],
    ),
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
                "With three equal kernels nobody has a reason to move.",
            ),
        ],
        wrong=[
            (by_kl, "does not hold yet"),
            (first_better, "Another action makes more records private."),
            (lambda *case: reply(*case, stays=False), "With three equal kernels"),
            (in_place, "Your function changed the profile"),
            (lambda game, profile, k, v: v, "The record stays, and another action is better."),
            (lambda game, profile, k, v: game.actions, "That is no action"),
            (lambda game, profile, k, v: 0, "does not hold yet"),
        ],
        right=[careful_reply],
    ),
    "tie": Exercise(
        [
            Case(_all_legal, "Your rule must pick one of the candidates."),
            Case(
                _never_ends,
                "After some passes nobody moves any more. When does your rule keep its action, "
                "although there is another candidate?",
            ),
        ],
        wrong=[
            (lambda own, candidates: own, "In pass 1 nobody moves."),
            (lambda own, candidates: max(candidates), "nobody moves"),
            (lambda own, candidates: min(candidates), "nobody moves"),
            (lambda own, candidates: (own + 1) % 3, "one of the candidates"),
        ],
        right=[
            lambda own, candidates: next((c for c in candidates if c != own), own),
            lambda own, candidates: max([c for c in candidates if c != own], default=own),
        ],
    ),
    "convex": Exercise(
        [
            Case(
                _curves_agree,
                "Compare with the divergence of game.evaluate, profile by profile. The first entry "
                "is t = 0, the last one is the whole group.",
            ),
        ],
        wrong=[
            (lambda *case: along(*case, first=1), "The first entry is t = 0"),
            (lambda *case: along(*case, extra=0), "entries, and"),
            (lambda g, p, k, v, w: along(g, p, k, w, v), "does not hold yet"),
            (lambda *case: -np.array(along(*case)), "the first at t = 0"),
            (lambda *case: np.diff(along(*case)), "entries, and"),
            (straight, "at t ="),
        ],
        right=[along],
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
                "100,000 and more records, at most 300 calls of game.evaluate. Proposition: the "
                "first and the last record of a run speak for all between them.",
                more="Bisect: keep a number of records that do go, and a larger one that do not.",
            ),
        ],
        wrong=[
            (runs, "more than 300 calls of game.evaluate"),
            (lambda *case: runs(*case, more=1), "So many do not go"),
            (lambda *case: runs(*case, most=1), "One more would go."),
            (lambda game, profile, k, v, w: profile[k, v], "So many do not go"),
            (lambda game, profile, k, v, w: 0, "One more would go."),
        ],
        right=[run_by_bisection],
    ),
    "start": Exercise(
        [
            Case(_start_is_private, "Who has too little company to be quiet?"),
            Case(
                _start_ends_low,
                "That is too high. Who needs to be loud at the start, and who does not?",
            ),
        ],
        wrong=lambda: [
            (start(lambda count: 4), "2 of 1317 records are exposed"),
            (start(lambda count: 0), "The dynamics from your start end at"),
            (start(lambda count: 0 if count <= 100 else 4), "Who needs to be loud"),
        ],
        right=lambda: [start(lambda count: 0 if count <= 2 else 4).tolist()],
    ),
    "cover": Exercise(
        [
            Case(
                _covers_agree,
                "Which outputs ask for anything? What if one of them cannot grow?",
                more="Each output that falls short asks for its shortfall over what a record adds, "
                "rounded up. The most demanding output decides.",
            ),
            Case(_nothing_short, "If nothing falls short, one record is the fewest that can move."),
        ],
        wrong=[
            (lambda *case: cover(*case, rounded=math.floor), "That is not enough."),
            (lambda *case: cover(*case) + (cover(*case) > 1), "Fewer are enough."),
            (lambda *case: cover(*case, none=1), "no number is enough"),
            (lambda *case: cover(*case, outputs=lambda n, m: n > -1), "Nothing falls short"),
            (lambda *case: cover(*case, reduce=min), "That is not enough."),
            (lambda *case: cover(*case) if (case[1] > case[0]).any() else 0, "Nothing falls short"),
        ],
        right=[cover],
    ),
    "three": Exercise(
        [
            Case(_three_counts, "Five whole numbers are wanted, two to eight records in all."),
            Case(_pairs_end_high, "At least 1.05 is wanted. Search at random."),
        ],
        wrong=[
            ([0, 4, 2, 0, 1], "times the optimum"),
            ([1, 1, 2, 2], "Five whole numbers"),
            ([1.0, 0.0, 1.0, 6.0, 0.0], "Five whole numbers"),
            ([3, 3, 3, 0, 0], "two to eight records"),
        ],
        right=[np.array([2, 0, 3, 1, 0]), (2, 0, 3, 1, 0)],
    ),
}
