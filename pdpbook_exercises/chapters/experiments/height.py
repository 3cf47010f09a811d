"""Checks of the exercises in *Experiment 1: heights*."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdpbook.experiments.datasets import load_heights
from pdpbook.experiments.metrics import cosine_similarity, jaccard_index, sd_loss
from pdpbook.foundations.divergences import kl_divergence
from pdpbook.game.best_response import best_response_dynamics
from pdpbook.game.nvo_game import NVOGame
from pdpbook_exercises import Case, Exercise, Instances, close, reference
from pdpbook_exercises.chapters.small_games import after_move, wrong_scales
from pdpbook_exercises.checks.instances import Instance

__all__ = ["EXERCISES"]

NEAR = 0.006  #: divergence that five scales must stay below

Answer = Callable[..., Any]


def _pair(answer: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    p, q = (np.asarray(each, dtype=float) for each in answer)
    return p, q


def _are_distributions(answer: Any) -> str:
    if len(answer) != 2:
        return f"It has {len(answer)} parts, and a pair (p, q) was expected."
    for name, each in zip("pq", _pair(answer), strict=True):
        if each.shape != (10,):
            return f"{name} has the shape {each.shape}."
        if not (each >= 0).all():
            return f"{name} has an entry that is negative or nan."
        if abs(each.sum() - 1.0) > 1e-9:
            return f"{name} sums to {each.sum():.6g}."
    return ""


def _spreads(answer: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the standard deviations of the probabilities, and those of the data."""
    places = np.arange(10.0)
    pair = _pair(answer)
    data = [math.sqrt(max(float(p @ places**2 - (p @ places) ** 2), 0.0)) for p in pair]
    return np.array([p.std() for p in pair]), np.array(data)


def _same_probabilities(answer: Any) -> bool | str:
    p, q = _spreads(answer)[0]
    return bool(abs(p - q) < 1e-12) or f"The probabilities scatter by {p:.4g} and by {q:.4g}."


def _other_data(answer: Any) -> bool | str:
    p, q = _spreads(answer)[1]
    return bool(abs(p - q) >= 4.0) or f"The data scatter by {p:.3g} and by {q:.3g}."


def _uniform(q: NDArray[np.float64], threshold: float) -> NDArray[np.float64]:
    uniform = np.full(q.size, 1.0 / q.size)
    return np.array(
        [
            kl_divergence(q, uniform),
            sd_loss(q, uniform),
            jaccard_index(q, uniform, threshold=threshold),
            cosine_similarity(q, uniform),
        ]
    )


def _game(multipliers: Any, *, epsilon: float = 1.0) -> NVOGame:
    return NVOGame.from_data(
        load_heights()["height"], epsilon=epsilon, multipliers=multipliers, grid_epsilon=1.0
    )


def _uniform_case(q: NDArray[np.float64], threshold: float, hint: str) -> Case:
    def changed(place: int, other: Callable[..., float]) -> Callable[..., NDArray[np.float64]]:
        """Return the right numbers but for one."""

        def numbers(q: NDArray[np.float64], threshold: float) -> NDArray[np.float64]:
            right = _uniform(q, threshold)
            right[place] = other(q, threshold, right)
            return right

        return numbers

    return close(
        _uniform,
        q,
        threshold,
        hint=hint,
        more="Put P(x) = 1/K into each of the four definitions of this page.",
        mistakes={
            "The divergence falls with the entropy: ln K minus H(q).": changed(
                0, lambda q, t, right: 2 * math.log(q.size) - right[0]
            ),
            "The entropy is taken in bits there. The book takes natural logarithms.": changed(
                0,
                lambda q, t, right: math.log(q.size) - (math.log(q.size) - right[0]) / math.log(2),
            ),
            "SD divides by K, not by K - 1: the K entries are all there are.": changed(
                1, lambda q, t, right: float(q.std(ddof=1))
            ),
            "A bin counts if q is above the threshold, not if q is above 0.": changed(
                2, lambda q, t, right: np.count_nonzero(q) / q.size
            ),
            "The cosine is not squared.": changed(3, lambda q, t, right: right[3] ** 2),
        },
    )


def _gap_case(start: str, hint: str) -> Case:
    def judge(answer: Answer) -> bool | str:
        game = _game((3, 2, 1, 0.33, 0.2), epsilon=8.0)
        profile = game.constant_profile(4)
        if start == "equilibrium":
            profile = best_response_dynamics(game, start=profile).profile
        terms = np.asarray(answer(game, profile.copy()), dtype=float)
        gains = game.kernel @ (game.frequency / game.evaluate(profile).output)
        gap = float(game.frequency @ gains.max(axis=0)) - 1.0
        if terms.shape != (game.bins, game.actions):
            return f"The shape is {terms.shape}, and (K, V) is {(game.bins, game.actions)}."
        if not terms.min() >= -1e-12:
            return f"The least term is {terms.min():.3g}, below 0."
        total = float(terms.sum())
        return math.isclose(total, gap, rel_tol=1e-6, abs_tol=1e-12) or (
            f"The terms sum to {total:.6g}, and the gap is {gap:.6g}."
        )

    return Case(
        judge,
        hint,
        "The gap is sum w max g - sum w g, with w = C/n. Take the two sums together.",
    )


@reference
def _suffering(game: NVOGame, profile: NDArray[np.int64], k: int, v: int, w: int) -> list[int]:
    """Worst loss of each bin, before and after."""
    seen = np.flatnonzero(game.counts)
    both = profile, after_move(profile, k, v, w)
    before, after = (np.nanmax(game.evaluate(each).losses[seen], axis=1) for each in both)
    return [int(x) for x in seen[(before <= game.epsilon) & (after > game.epsilon)]]


def _sake_case(k: int, v: int, w: int, start: str, hint: str, *, epsilon: float = 1.0) -> Case:
    def begin() -> tuple[NVOGame, NDArray[np.int64]]:
        game = _game((3, 2, 1, 0.033, 0.02), epsilon=epsilon)
        if start == "small":
            return game, game.constant_profile(4)
        return game, best_response_dynamics(game, rng=np.random.default_rng(0)).profile

    def judge(answer: Answer) -> bool | str:
        game, profile = begin()
        kept = profile.copy()
        given = answer(game, profile, k, v, w)
        if not (profile == kept).all():
            return "It changed the profile that it was given. Work on a copy."
        bins, right = [int(x) for x in given], _suffering(game, kept, k, v, w)
        if bins == right:
            return True
        if sorted(set(bins)) == right:
            return "These are the right bins, but not sorted, or not each of them once."
        late, early = len(set(right) - set(bins)), len(set(bins) - set(right))
        return f"{late} bins are missing, and {early} do not belong there."

    def exposed(game: NVOGame, profile: NDArray[np.int64]) -> NDArray[np.bool_]:
        seen = np.array([x in np.flatnonzero(game.counts) for x in range(game.bins)])
        worst = np.full(game.bins, -np.inf)
        worst[seen] = np.nanmax(game.evaluate(profile).losses[seen], axis=1)
        return worst > game.epsilon

    def gives(wrong: Callable[..., Any]) -> Callable[[Any], bool]:
        def made(answer: Any) -> bool:
            game, profile = begin()
            given = [int(x) for x in answer(game, profile.copy(), k, v, w)]
            return given == [int(x) for x in np.flatnonzero(wrong(game, profile))]

        return made

    return Case(
        judge,
        hint,
        "A bin is exposed if the largest loss of its groups is above ε; the losses of an outcome "
        "are nan for groups without records. Compare exposed before with exposed after.",
        {
            "Bins that were exposed before do not suffer now. Leave them out.": gives(
                lambda game, profile: exposed(game, after_move(profile, k, v, w))
            ),
            "Move one record, not the whole group.": gives(
                lambda game, profile: (
                    exposed(game, after_move(profile, k, v, w, int(profile[k, v])))
                    & ~exposed(game, profile)
                )
            ),
            "Those are the bins that were freed. Before and after are exchanged.": gives(
                lambda game, profile: (
                    exposed(game, profile) & ~exposed(game, after_move(profile, k, v, w))
                )
            ),
            "Look at the other bins, too.": gives(
                lambda game, profile: (
                    exposed(game, after_move(profile, k, v, w))
                    & ~exposed(game, profile)
                    & (np.arange(game.bins) == k)
                )
            ),
        },
    )


def _end(answer: Any) -> tuple[NVOGame, NDArray[np.int64]]:
    game = _game(tuple(float(each) for each in answer))
    return game, best_response_dynamics(game, start=game.constant_profile(0)).profile


def _all_private(answer: Any) -> bool | str:
    game, profile = _end(answer)
    left = game.records - game.evaluate(profile).private_records
    return left == 0 or f"At the end {left} records are exposed."


def _near_enough(mine: Instance) -> Callable[[Any], str]:
    def judge(answer: Any) -> str:
        ends = float(answer[0]), float(answer[-1])
        if ends != (mine["largest"], mine["smallest"]):
            return f"The first and the last multiplier are {ends[0]:g} and {ends[1]:g}."
        game, profile = _end(answer)
        divergence = game.evaluate(profile).divergence
        if divergence < NEAR:
            return ""
        return f"The divergence is {divergence:.4f}."

    return judge


def _drawn_ends(rng: np.random.Generator) -> Instance:
    smallest = float(np.exp(rng.uniform(np.log(0.003), np.log(0.015))))
    return {"largest": round(rng.uniform(1.5, 4.0), 2), "smallest": round(smallest, 4)}


def _drawn_headline(rng: np.random.Generator) -> Case:
    return close(
        lambda laplace, game: 100.0 * (1.0 - game / laplace),
        *rng.uniform(0.5, 4.0, 2).round(3).tolist(),
        hint="How much of the first divergence is gone, in per cent?",
        atol=0.006,  # two decimals are enough
    )


def _drawn_move(rng: np.random.Generator) -> Case:
    """Draw a target, and one of the moves from a large scale to a small one at an equilibrium."""
    epsilon = round(rng.uniform(0.8, 1.2), 3)
    game = _game((3, 2, 1, 0.033, 0.02), epsilon=epsilon)
    profile = best_response_dynamics(game, rng=np.random.default_rng(0)).profile
    k, v = rng.choice(np.argwhere(profile[:, :4]))
    w = int(rng.integers(v + 1, 5))
    hint = "Compare before with after, bin by bin."
    return _sake_case(int(k), int(v), w, "equilibrium", hint, epsilon=epsilon)


EXERCISES = {
    "headline": Exercise(
        [
            close(
                lambda laplace, game: 100.0 * (1.0 - game / laplace),
                2.0,
                0.5,
                hint="How much of the 2 is gone when 0.5 is left? In per cent.",
                mistakes={
                    "In per cent, please.": lambda laplace, game: 1 - game / laplace,
                    "That is how much is left. How much is gone?": (
                        lambda laplace, game: 100 * game / laplace
                    ),
                    "Relative to the Laplace mechanism, not to the game.": (
                        lambda laplace, game: 100 * (laplace / game - 1)
                    ),
                    "A difference of divergences is not relative yet.": (
                        lambda laplace, game: 100 * (laplace - game)
                    ),
                },
            ),
            close(
                lambda laplace, game: 100.0 * (1.0 - game / laplace),
                1.3991,
                0.0066,
                rtol=1e-4,  # 99.53, as printed, is right, too
                hint="Try the published row at ε = 1: it should give the headline.",
            ),
            close(-100.0, 1.0, 2.0, hint="Twice the divergence is 100 per cent worse: below 0."),
        ],
        draw=_drawn_headline,
    ),
    "two-readings": Exercise(
        [
            Case(_are_distributions, "Give a pair of lists of ten numbers >= 0 that sum to 1."),
            Case(
                _same_probabilities,
                "Compare p.std() and q.std(). Does the order of ten numbers matter to it?",
                "Move the bars of a histogram about.",
            ),
            Case(
                _other_data,
                "The data must scatter widely under one of them, and hardly under the other.",
                "Where on 0 to 9 must two bars stand to be as far apart as possible?",
            ),
        ],
        fixed="The answer is a pair of distributions, and what it must show has no parameter.",
    ),
    "uniform": Exercise(
        [
            _uniform_case(
                np.array([0.5, 0.5, 0.0, 0.0]),
                0.001,
                "Try q = (1/2, 1/2, 0, 0) by hand. All four numbers, in the stated order?",
            ),
            _uniform_case(
                np.random.default_rng(5).dirichlet(np.full(50, 0.1)),
                0.015,
                "Another threshold: which bins of q does it leave?",
            ),
            _uniform_case(
                np.array([1.0] + [0.0] * 100),
                0.001,
                "With all the data in one bin the entropy is zero.",
            ),
        ],
        draw=lambda rng: _uniform_case(
            rng.dirichlet(np.full(int(rng.integers(3, 40)), 0.5)),
            round(rng.uniform(0.002, 0.02), 3),
            "Put P(x) = 1/K into each of the four definitions of this page.",
        ),
    ),
    "tight": Exercise(
        [
            _gap_case(
                "least",
                "Start from the hint: the shares w = C/n times g add up to 1. "
                "Write the gap as a weighted sum of how far g falls short of the bin's largest.",
            ),
            _gap_case("equilibrium", "The terms must be >= 0 and add up at other profiles, too."),
        ],
        fixed="The answer is judged at two profiles of the game of the heights.",
    ),
    "sake": Exercise(
        [
            _sake_case(38, 2, 4, "equilibrium", "The shortest takes scale 4. Look at every bin."),
            _sake_case(
                40, 2, 4, "equilibrium", "One of three takes scale 4: move one record only."
            ),
            _sake_case(59, 2, 4, "equilibrium", "A scale can be large only for others."),
            _sake_case(51, 3, 4, "equilibrium", "One of the crowd can matter to the ends."),
            _sake_case(62, 4, 0, "small", "Leave out bins that were exposed before."),
        ],
        draw=_drawn_move,
    ),
    "scales": Exercise(
        lambda mine: [
            Case(wrong_scales, "Give five numbers > 0."),
            Case(
                _all_private,
                "Is your first scale a safe one? It is the one that all start with.",
                "By Theorem 1 a scale is safe at every profile from b* on. Which multiplier is it?",
            ),
            Case(
                _near_enough(mine),
                f"The first must be {mine['largest']:g}, the last {mine['smallest']:g}, and the "
                f"divergence below {NEAR:g}. How wide is the noise of each scale, in bins?",
                "Noise of a few tenths of a bin leaves the crowd where it is. And the records that "
                "are alone in a bin?",
            ),
        ],
        own=Instances({"largest": 3.0, "smallest": 0.003}, _drawn_ends),
    ),
}
