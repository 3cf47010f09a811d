"""Self-checks of the chapter *Coordinated moves*."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdpbook.game.best_response import best_response_dynamics
from pdpbook.game.coordinated import coordinated_best_response
from pdpbook.game.nvo_game import NVOGame
from pdpbook.game.optimum import certified_optimum
from pdpbook.per_instance.noise_kernels import laplace_kernel
from pdpbook_exercises import Case, Exercise, Instances, reference
from pdpbook_exercises.chapters.small_games import Profile, after_move, drawn_game, laplace_game
from pdpbook_exercises.checks.instances import Instance

__all__ = ["EXERCISES"]


def _neighbours(game: NVOGame, profile: Profile) -> Iterator[Profile]:
    """Yield the profile and every profile that is one change away."""
    for (k, v), w in product(np.argwhere(profile).tolist(), range(game.actions)):
        yield after_move(profile, k, v, w)


def _smallest(game: NVOGame, profiles: Iterator[Profile]) -> float:
    """Return the smallest KL of those profiles at which everybody is private."""
    outcomes = (game.evaluate(profile) for profile in profiles)
    return min(o.divergence for o in outcomes if o.private_records == game.records)


@reference
def _best_pair(game: NVOGame, profile: Profile) -> float:
    pairs = (two for one in _neighbours(game, profile) for two in _neighbours(game, one))
    return _smallest(game, pairs)


def _starts() -> Iterator[tuple[NVOGame, Profile]]:
    """Yield equilibria that two records leave, and private profiles that are no equilibria."""
    for counts in ([0, 0, 1, 1, 1], [0, 4, 2, 0, 1], [2, 0, 3, 1, 0]):
        game = laplace_game(counts, [0.05, 0.2, 1.0])
        large = game.constant_profile(2)
        yield game, best_response_dynamics(game, start=large).profile
        yield game, large


def _drawn_starts(rng: np.random.Generator) -> list[tuple[NVOGame, Profile]]:
    """Draw a game with a private profile to start from."""
    while True:
        game = drawn_game(rng, bins=5)
        profile = game.constant_profile(int(game.scales.argmax()))  # type: ignore[union-attr]
        if game.evaluate(profile).private_records == game.records:
            return [(game, profile)]


def _pairs_agree(
    answer: Callable[..., Any], starts: Sequence[tuple[NVOGame, Profile]] | None = None
) -> str:
    for game, profile in _starts() if starts is None else starts:
        given = profile.copy()
        found, right = float(answer(game, given)), _best_pair(game, profile)
        if not np.array_equal(given, profile):
            return f"Your function changed the profile: it is {given.tolist()} now."
        if np.isclose(found, right, rtol=1e-9, atol=0.0):
            continue
        if np.isclose(found, _smallest(game, _neighbours(game, profile)), rtol=1e-9, atol=0.0):
            return "That is the best of the single changes. Two records may change, too."
        if found < right:
            return "That is too small. Is everybody private there, after two changes at most?"
        return "That is too large. A pair of changes leads to a smaller divergence."
    return ""


@reference
def _smallest_repair(
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


def _repairs_agree(answer: Callable[..., Any], seed: int = 5, rounds: int = 200) -> str:
    rng = np.random.default_rng(seed)
    kernel = laplace_kernel(6, [0.05, 0.3, 1.0])
    for _ in range(rounds):
        mass = rng.uniform(0.5, 3.0, 6)
        needed = mass + rng.uniform(-0.5, 0.2, 6)
        (v, w), k = rng.choice(3, 2, replace=False), rng.integers(6)
        case = mass, needed, kernel[v, k], kernel[w, k]
        given, right = answer(*(array.copy() for array in case)), _smallest_repair(*case)
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


@reference
def _group_moves(game: NVOGame, profile: Profile) -> list[list[float]]:
    """Return, for each group and action, the KL after 1, 2, … records; infinite if not private."""

    def divergence(k: int, v: int, w: int, records: int) -> float:
        outcome = game.evaluate(after_move(profile, k, v, w, records))
        return outcome.divergence if outcome.private_records == game.records else math.inf

    return [
        [divergence(k, v, w, m) for m in range(1, int(profile[k, v]) + 1)]
        for (k, v), w in product(np.argwhere(profile).tolist(), range(game.actions))
        if v != w
    ]


#: Counts, scales, ε and a profile with exposed records, and why the profile is among the cases.
EXPOSING: list[tuple[list[int], list[float], float, list[list[int]]]] = [
    # the chapter's 61 records
    ([0, 40, 20, 0, 1], [0.05, 0.2, 1], 0.1, [[0] * 3, [40, 0, 0], [20, 0, 0], [0] * 3, [0, 0, 1]]),
    # more records than the fewest bring the release nearer to the data
    ([0, 0, 8, 1, 0], [0.05, 0.2, 1], 0.3, [[0] * 3, [0] * 3, [0, 0, 8], [1, 0, 0], [0] * 3]),
    # neither one record nor a whole group is best
    ([2, 0, 4, 1], [0.076, 0.168, 0.041], 0.89, [[0, 2, 0], [0] * 3, [0, 0, 4], [0, 0, 1]]),
    # a whole group has to move
    ([0, 0, 6, 1], [0.058, 0.146, 0.087], 0.6, [[0] * 3, [0] * 3, [6, 0, 0], [0, 1, 0]]),
    # no group is enough
    ([1, 0, 6, 0], [0.094, 0.061, 0.041], 1.5, [[1, 0, 0], [0] * 3, [0, 3, 3], [0] * 3]),
]


def _exposing() -> Iterator[tuple[NVOGame, Profile]]:
    for counts, scales, epsilon, profile in EXPOSING:
        yield laplace_game(counts, scales, epsilon), np.array(profile)


def _drawn_exposing(rng: np.random.Generator) -> list[tuple[NVOGame, Profile]]:
    """Draw a game with a profile that a group can repair."""
    while True:
        game = drawn_game(rng, records=7)
        rows = [rng.multinomial(count, rng.dirichlet(np.full(3, 0.4))) for count in game.counts]
        profile = np.array(rows)
        if game.evaluate(profile).private_records < game.records:
            if math.isfinite(min(map(min, _group_moves(game, profile)))):
                return [(game, profile)]


def _repairs_of_groups_agree(
    answer: Callable[..., Any], starts: Sequence[tuple[NVOGame, Profile]] | None = None
) -> str:
    for game, profile in _exposing() if starts is None else starts:
        given = profile.copy()
        ends = _group_moves(game, profile)
        found, right = float(answer(game, given)), min(map(min, ends))
        if not np.array_equal(given, profile):
            return f"Your function changed the profile: it is {given.tolist()} now."
        if np.isclose(found, right, rtol=1e-9, atol=0.0):
            continue
        if math.isinf(right):
            return "No move of one group makes all records private there."
        if math.isinf(found):
            return "But a move of one group makes all records private there."
        if found < right:
            return "That is too small. Are all records private after the move, of one group only?"
        if np.isclose(found, min(each[0] for each in ends), rtol=1e-9, atol=0.0):
            return "That is the best move of one record. More records of the group may move."
        if np.isclose(found, min(each[-1] for each in ends), rtol=1e-9, atol=0.0):
            return "That is the best move of a whole group. A part of the group may move, too."
        fewest = min(next(filter(math.isfinite, each), math.inf) for each in ends)
        if np.isclose(found, fewest, rtol=1e-9, atol=0.0):
            return "That is the best of the smallest repairs. Is a smaller repair always better?"
        return "That is too large. A move of one group leads to a smaller divergence."
    return ""


def _three_counts(counts: Any) -> bool:
    array = np.asarray(counts)
    return array.shape == (5,) and array.dtype.kind == "i" and 2 <= array.sum() <= 8


def _ends_high(counts: Any) -> str:
    game = laplace_game(counts, [0.05, 0.2, 1.0])
    end = coordinated_best_response(game, start=game.constant_profile(2))
    best = certified_optimum(game, start=end.profile, relative_gap=1e-3)
    if game.evaluate(end.profile).private_records < game.records:
        return "A record is exposed at the end."
    ratio = end.divergence / best.divergence
    return "" if ratio >= 1.05 else f"It ends at {ratio:.4f} times the optimum."


#: Histograms for which a search among a few hundred sets of scales finds an answer to "tempting".
HISTOGRAMS = (
    *((0, 2, 1, 4, 1), (1, 4, 1, 2, 0), (0, 0, 2, 2, 4), (0, 0, 3, 2, 3), (0, 3, 1, 3, 1)),
    *((1, 3, 1, 3, 0), (1, 2, 2, 2, 1), (4, 1, 1, 1, 1), (1, 1, 1, 1, 4), (1, 1, 4, 1, 1)),
    *((1, 1, 2, 2, 2), (2, 2, 2, 1, 1), (1, 2, 1, 4, 0), (0, 4, 1, 2, 1), (5, 2, 1, 0, 0)),
    *((0, 0, 1, 2, 5), (0, 0, 3, 4, 1)),
)


def _drawn_histogram(rng: np.random.Generator) -> Instance:
    return {"counts": [*HISTOGRAMS[int(rng.integers(len(HISTOGRAMS)))]]}


def _end(counts: Sequence[int], scales: Sequence[float]) -> float:
    """Return the divergence at the end of the dynamics; infinity if somebody is exposed there."""
    game = laplace_game(counts, scales)
    end = best_response_dynamics(game, start=game.constant_profile(0)).profile
    outcome = game.evaluate(end)
    return outcome.divergence if outcome.private_records == game.records else math.inf


def _are_four_scales(answer: Any) -> str:
    if np.shape(answer) != (4,) or not (np.asarray(answer, dtype=float) > 0).all():
        return "The scales are wrong."
    equal = len({round(float(scale), 9) for scale in answer}) < 4
    return "Two of the scales are equal." if equal else ""


def _is_twice_as_far(counts: Sequence[int]) -> Callable[[Any], str]:
    def judge(answer: Any) -> str:
        three, four = _end(counts, [*answer][:3]), _end(counts, [*answer])
        if math.isfinite(three) and math.isfinite(four) and four >= 2.0 * three:
            return ""
        return f"With three scales it ends at KL {three:.4f}, with four at {four:.4f}."

    return judge


EXERCISES = {
    "pairs": Exercise(
        [
            Case(
                _pairs_agree,
                "Is every pair of changes tried, and the privacy of all records at its end?",
                more="The profile between the two changes may expose a record. Two records of the "
                "same bin may change as well.",
            ),
        ],
        draw=lambda rng: Case(
            partial(_pairs_agree, starts=_drawn_starts(rng)),
            "Is every pair of changes tried, and the privacy of all records at its end?",
        ),
    ),
    "repair": Exercise(
        [
            Case(
                _repairs_agree,
                "Which outputs ask for anything? What if one of them cannot grow?",
                more="Each output that falls short asks for its shortfall over what a record adds, "
                "rounded up. The largest of these numbers decides.",
            ),
            Case(_nothing_short, "If nothing falls short, one record is the fewest that can move."),
        ],
        draw=lambda rng: Case(
            partial(_repairs_agree, seed=int(rng.integers(2**32)), rounds=20),
            "Which outputs ask for anything? What if one of them cannot grow?",
        ),
    ),
    "one-group": Exercise(
        [
            Case(
                _repairs_of_groups_agree,
                "Is every group tried, with every other action and every number of its records?",
                more="A group is a row and a column of the profile. After a move, ask how many "
                "records are private, and compare that with the number of records.",
            ),
        ],
        draw=lambda rng: Case(
            partial(_repairs_of_groups_agree, starts=_drawn_exposing(rng)),
            "Is every group tried, with every other action and every number of its records?",
        ),
    ),
    "tempting": Exercise(
        lambda mine: [
            Case(_are_four_scales, "Four different scales > 0."),
            Case(
                lambda answer: math.isfinite(_end(mine["counts"], [*answer][:3])),
                "With the first three scales a record is exposed at the end. The first scale must "
                "be larger.",
            ),
            Case(
                lambda answer: math.isfinite(_end(mine["counts"], [*answer])),
                "With the fourth scale a record is exposed at the end.",
            ),
            Case(
                _is_twice_as_far(mine["counts"]),
                "The end with four scales must be at twice the divergence of the end with three. "
                "Try many sets of scales at random.",
            ),
        ],
        own=Instances({"counts": [2, 0, 4, 2, 0]}, _drawn_histogram),
    ),
    "three": Exercise(
        [
            Case(_three_counts, "Five whole numbers are wanted, two to eight records in all."),
            Case(_ends_high, "At least 1.05 is wanted. Search at random."),
        ],
        fixed="Such games are rare: with other scales there may be none that a search finds.",
    ),
}
