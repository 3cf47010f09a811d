"""Self-checks of the chapter *The game*."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdpbook.game.best_response import best_response_dynamics
from pdpbook.game.nvo_game import NVOGame
from pdpbook.per_instance.noise_kernels import laplace_kernel
from pdpbook_exercises import Case, Exercise, Instances, close, equal, reference
from pdpbook_exercises.chapters.small_games import all_profiles, drawn_game, laplace_game
from pdpbook_exercises.checks.instances import Instance

__all__ = ["EXERCISES"]


def _games() -> list[NVOGame]:
    """Small games with all that can go wrong: empty bins, single records, equilibria and not."""
    return [
        laplace_game([0, 4, 2, 0, 1], [0.05, 0.2, 1.0], 1.0),
        laplace_game([3, 0, 1], [0.1, 1.0], 0.7),
        laplace_game([1, 2, 0, 2], [0.04, 0.5], 2.0),
    ]


def _tables(counts: Sequence[int], actions: int) -> int:
    return math.prod(math.comb(int(count) + actions - 1, actions - 1) for count in counts)


def _lists(counts: Sequence[int], actions: int) -> float:
    return float(actions) ** sum(counts)


def _payoffs_agree(games: list[NVOGame]) -> Callable[[Any], str]:
    def judge(answer: Callable[..., Any]) -> str:
        for game in games:
            for profile in all_profiles(game):
                given, right = (
                    answer(profile.copy(), game.kernel, game.epsilon),
                    game.evaluate(profile).payoff,
                )
                if given is None or not np.isfinite(given):
                    return "A payoff is a finite number."
                if np.isclose(given, right):
                    continue
                if np.isclose(given % 1.0, right % 1.0):
                    return "P_U is right, and P_E is not."
                if np.floor(given) == np.floor(right):
                    return "P_E may be right, but P_U is not."
                return "The value is wrong."
        return ""

    return judge


def _lower_side() -> NVOGame:
    """Return a game in which an output that a record seldom gives exposes it."""
    return laplace_game([3, 1], [0.1, 1.0], 0.25)


def _lonely_outputs() -> NVOGame:
    """Return a game in which one output comes from one record only, and one never comes."""
    return NVOGame(np.array([2, 0, 1]), np.eye(3)[None], epsilon=1.0)


def _utility(game: NVOGame, profile: NDArray[np.int64]) -> float:
    return float(1.0 - game.evaluate(profile).divergence / np.log(game.bins))


@reference
def _worst_utility(counts: NDArray[np.int64], kernel: NDArray[np.float64]) -> float:
    game = NVOGame(counts, kernel, epsilon=1.0)
    return min(_utility(game, profile) for profile in all_profiles(game))


def _leaking(own: list[float]) -> NDArray[np.float64]:
    """Rows that keep a share on their own bin; the rest goes to two more bins, which are empty."""
    bins = len(own) + 2
    rows = np.eye(bins)
    rows[: len(own), : len(own)] *= own
    rows[: len(own), len(own) :] = (1.0 - np.array(own)[:, None]) / 2.0
    return rows[None]


def _floor_games() -> list[tuple[NDArray[np.int64], NDArray[np.float64]]]:
    """Return games in which the bound must hold; not all kernels are those of Laplace noise."""
    leaking = (np.array([1, 1, 0, 0]), _leaking([0.9, 0.1]))
    return [*((game.counts, game.kernel) for game in _games()), leaking]


def _floor_holds(answer: Callable[..., Any]) -> str:
    for counts, kernel in _floor_games():
        bound = answer(counts.copy(), kernel)
        for profile in all_profiles(NVOGame(counts, kernel, epsilon=1.0)):
            utility = _utility(NVOGame(counts, kernel, epsilon=1.0), profile)
            if not bound <= utility + 1e-12:
                own = np.diagonal(kernel, axis1=1, axis2=2).min(axis=0)[counts > 0]
                return (
                    f"That is no lower bound: at the profile {profile.tolist()} P_U is only "
                    f"{utility:.4g}. (The smallest shares that the occupied bins keep are "
                    f"{np.round(own, 3).tolist()}.)"
                )
    return ""


def _floor_is_positive(answer: Callable[..., Any]) -> bool:
    return all(answer(game.counts.copy(), game.kernel) > 0.0 for game in _games())


def _floor_is_attained(answer: Callable[..., Any]) -> str:
    one_bin = [(3 * np.eye(4, dtype=int)[k], laplace_kernel(4, [0.1, 0.4, 2.0])) for k in range(4)]
    leaking = [
        (np.array([2, 1, 0, 0]), _leaking([0.9, 0.1])),
        (np.array([1, 2, 3, 0, 0]), _leaking([0.3, 0.8, 0.5])),
    ]
    for counts, kernel in one_bin + leaking:
        if answer(counts, kernel) < _worst_utility(counts, kernel) - 1e-9:
            return "It is a lower bound, but P_U is larger than this at every profile."
    return ""


def _drawn_floor(rng: np.random.Generator) -> Case:
    """Draw a game in which some profile attains the bound."""
    own = rng.uniform(0.2, 0.95, int(rng.integers(2, 5))).round(2).tolist()
    counts = np.array([*rng.integers(1, 5, len(own)).tolist(), 0, 0])

    def judge(answer: Callable[..., Any]) -> str:
        worst = _worst_utility(counts, _leaking(own))
        bound = answer(counts.copy(), _leaking(own))
        if not bound <= worst + 1e-9:
            return f"That is no lower bound: P_U is only {worst:.4g} at some profile."
        attained = bound >= worst - 1e-9
        return "" if attained else "It is a lower bound, but P_U is larger at every profile."

    return Case(
        judge,
        "All noise goes to bins that hold nobody, so some profile attains the bound. Each bin has "
        "an a_x of its own.",
    )


class _Plain:
    """A game that evaluates profiles, and does not say which of them are equilibria."""

    def __init__(self, game: NVOGame) -> None:
        self._game = game

    def __copy__(self) -> _Plain:
        """Stay the same, also where a call is remembered."""
        return self

    def __repr__(self) -> str:
        """Name the game by its counts and scales."""
        counts, scales = (
            self._game.counts.tolist(),
            np.round(np.asarray(self._game.scales), 4).tolist(),
        )
        return f"NVOGame(counts={counts}, scales={scales}, epsilon={self._game.epsilon:g})"

    def __getattr__(self, name: str) -> Any:
        return getattr(self._game, name)

    def evaluate(self, profile: Any) -> SimpleNamespace:
        """Return what a student may use of an outcome."""
        outcome = self._game.evaluate(profile)
        names = ("payoff", "private_records", "divergence", "losses", "private", "mass", "output")
        return SimpleNamespace(**{name: getattr(outcome, name) for name in names})


def _equilibria_agree(games: list[NVOGame], most: int = 40) -> Callable[[Any], str]:
    """Compare on all profiles of small games, or on so many of them."""

    def judge(answer: Callable[..., Any]) -> str:
        for game in games:
            profiles = [*all_profiles(game)]
            if len(profiles) > most:
                chosen = np.random.default_rng(most).choice(len(profiles), most, replace=False)
                stable = best_response_dynamics(game, rng=np.random.default_rng(0)).profile
                profiles = [stable, *(profiles[i] for i in chosen)]  # yes and no both occur
            for profile in profiles:
                given = profile.copy()
                try:
                    said = answer(_Plain(game), given)
                except AttributeError as error:
                    if "is_nash" in str(error) or "regret" in str(error):
                        return "The games of this check have neither is_nash nor regret."
                    raise
                if not np.array_equal(given, profile):
                    return f"Your function changed the profile: it is {given.tolist()} now."
                if said is not None and not isinstance(said, bool | np.bool_ | int):
                    return "The answer is True or False."
                if said is None or bool(said) != game.evaluate(profile).is_nash(atol=1e-9):
                    gains = "one record gains" if said else "no record gains"
                    return f"But {gains} by a change of its own there."
        return ""

    return judge


#: Targets ε of the instances of "design", and for the number of records in bin 1 the divergence
#: to stay below at each: 2 % above what a search in steps of 0.01 finds.
TARGETS = (0.8, 0.85, 0.9, 0.95, 1.0, 1.05, 1.1, 1.15, 1.2)
DIVERGENCES = {
    2: (0.329, 0.329, 0.315, 0.31, 0.296, 0.296, 0.296, 0.28, 0.28),
    3: (0.328, 0.328, 0.318, 0.316, 0.305, 0.305, 0.305, 0.292, 0.292),
    4: (0.369, 0.358, 0.358, 0.346, 0.34, 0.327, 0.327, 0.327, 0.313),
    5: (0.428, 0.412, 0.395, 0.395, 0.38, 0.38, 0.38, 0.372, 0.353),
}


def _seven(target: int, crowd: int) -> Instance:
    """Return an instance: seven heights, one of them alone at the right end."""
    counts = [0, crowd, 6 - crowd, 0, 1]
    divergence = DIVERGENCES[crowd][target]
    return {"epsilon": TARGETS[target], "counts": counts, "divergence": divergence}


def _drawn_heights(rng: np.random.Generator) -> Instance:
    return _seven(int(rng.integers(len(TARGETS))), int(rng.integers(2, 6)))


def _designed(mine: Instance, scales: Any) -> list[tuple[NDArray[np.int64], int, float]]:
    """Return the equilibria, with their private records and divergences."""
    game = laplace_game(mine["counts"], scales, mine["epsilon"])
    outcomes = [game.evaluate(profile) for profile in all_profiles(game)]
    return [
        (outcome.profile, outcome.private_records, outcome.divergence)
        for outcome in outcomes
        if outcome.is_nash()
    ]


def _three_scales(scales: Any) -> bool:
    return np.shape(scales) == (3,) and bool((np.asarray(scales, dtype=float) > 0).all())


def _no_trap(mine: Instance) -> Callable[[Any], str]:
    def judge(scales: Any) -> str:
        found = _designed(mine, scales)
        traps = [(profile, 7 - private) for profile, private, _ in found if private < 7]
        if not traps:
            return ""
        profile, exposed = traps[0]
        return (
            f"{len(traps)} of the equilibria expose somebody. At {profile.tolist()} "
            f"{exposed} of the 7 are exposed."
        )

    return judge


def _good_enough(mine: Instance) -> Callable[[Any], str]:
    def judge(scales: Any) -> str:
        best = min(kl for *_, kl in _designed(mine, scales))
        if best < mine["divergence"]:
            return ""
        return f"The best equilibrium has KL {best:.4f}."

    return judge


_GAIN = (
    "Is one record moved at a time, on a copy, from every group that has somebody to every other "
    "action?"
)


EXERCISES = {
    "profiles": Exercise(
        [
            close(
                _tables,
                counts,
                actions,
                hint="In how many ways can the records of one bin share the actions? The rows of "
                "different bins are chosen independently. What does an empty bin contribute?",
                more="Put the records of a bin in a line, and bars between those that play "
                "different actions. In how many ways can the bars be placed?",
                mistakes={
                    "That is the number of lists of actions. Records of one bin are not told "
                    "apart in a table.": _lists,
                    "That is the sum over the bins. How do independent choices combine?": (
                        lambda counts, actions: sum(_tables([c], actions) for c in counts)
                    ),
                    "With c records and two actions there are c + 1 rows, not c + 2.": (
                        lambda counts, actions: math.prod(
                            math.comb(c + actions, actions) for c in counts
                        )
                    ),
                },
            )
            for counts, actions in (([4], 2), ([0, 4, 2, 0, 1], 3), ([3, 0, 1], 2), ([2, 2], 1))
        ]
        + [
            equal(
                _tables,
                [4000, 0, 2999],
                2,
                hint="Thousands of records: use a formula, do not enumerate.",
            ),
            equal(
                _tables,
                [4000, 2999, 1317],
                5,
                hint="The number is large and whole: use math.comb and whole numbers, no floats.",
            ),
        ],
        draw=lambda rng: (
            rng.integers(0, 9, int(rng.integers(2, 6))).tolist(),
            int(rng.integers(2, 6)),
        ),
    ),
    "payoff": Exercise(
        [
            Case(
                _payoffs_agree(_games()),
                "Compare P, the losses, P_E and KL one after the other with the output, losses, "
                "private_records and divergence of game.evaluate(profile). How many records does "
                "an entry of the table stand for? Which records does P_{-i} average?",
            ),
            Case(
                _payoffs_agree([_lower_side()]),
                "The loss is an absolute value: P(x) / P_{-i}(x) may also be far below 1.",
            ),
            Case(
                _payoffs_agree([_lonely_outputs()]),
                "If only one record can give x, then P_{-i}(x) = 0. What is its loss? "
                "And which x can be left out altogether?",
            ),
        ],
        draw=lambda rng: Case(
            _payoffs_agree([drawn_game(rng)]),
            "Compare P, the losses, P_E and KL one after the other with game.evaluate(profile).",
        ),
        refused=("pdpbook.game.nvo_game.NVOGame.evaluate",),
    ),
    "floor": Exercise(
        [
            Case(
                _floor_holds,
                "How much of P(x) do the records of bin x give themselves, at least? Put that into "
                "every term of KL.",
                more="KL is the mean of ln(q/P) under q. Bound each logarithm, then take the mean; "
                "the mean of logarithms is not the logarithm of the mean.",
            ),
            Case(_floor_is_positive, "A truncated Laplace kernel deserves a positive bound."),
            Case(
                _floor_is_attained,
                "If all records sit in one bin, or if all noise that leaves a bin goes to bins "
                "that hold nobody, some profile attains the bound. Each bin has an a_x of its own.",
            ),
        ],
        draw=_drawn_floor,
    ),
    "equilibrium": Exercise(
        [
            Case(_equilibria_agree(_games()), _GAIN),
            Case(_equilibria_agree([laplace_game([2, 1, 2], [0.05, 1.0, 0.2], 1.0)]), _GAIN),
            Case(
                _equilibria_agree([laplace_game([2, 0, 1], [0.3, 0.3], 1.0)]),
                "Two of the actions are equal there. Is somebody who changes without a gain a "
                "reason to say no?",
            ),
            Case(
                _equilibria_agree([laplace_game([2, 0, 1], [0.3, 0.3 + 1e-10], 1.0)]),
                "A gain counts only if it is more than 1e-9.",
            ),
        ],
        draw=lambda rng: Case(_equilibria_agree([drawn_game(rng)], most=15), _GAIN),
        refused=("pdpbook.game.outcome.Outcome.is_nash", "pdpbook.game.outcome.Outcome.regret"),
    ),
    "design": Exercise(
        lambda mine: [
            Case(_three_scales, "Three numbers > 0 are wanted."),
            Case(
                _no_trap(mine),
                "Is your smallest scale too small? A trap holds if nobody can hide the exposed "
                "record alone.",
            ),
            Case(
                _good_enough(mine),
                f"It must be below {mine['divergence']}. Large scales have no trap, but they blur "
                "everybody. How small can they be?",
                mistakes={
                    "Are these centimetres? The scales are in units of the grid.": (
                        lambda scales: np.min(scales) >= 2.0
                    )
                },
            ),
        ],
        own=Instances(_seven(4, 4), _drawn_heights),
    ),
}
