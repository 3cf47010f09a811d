"""Checks of the exercises in *Experiment 1: heights*."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdpbook.exercises import Case, Exercise, close
from pdpbook.experiments.datasets import nba_heights
from pdpbook.experiments.metrics import cosine_similarity, jaccard_index, sd_loss
from pdpbook.foundations.divergences import kl_divergence
from pdpbook.game.best_response import best_response_dynamics
from pdpbook.game.nvo_game import NVOGame

__all__ = ["EXERCISES"]

Answer = Callable[..., Any]


def _pair(answer: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    p, q = (np.asarray(each, dtype=float) for each in answer)
    return p, q


def _are_distributions(answer: Any) -> bool:
    return all(
        each.shape == (10,) and bool((each >= 0).all()) and abs(each.sum() - 1.0) < 1e-9
        for each in _pair(answer)
    )


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
        nba_heights()["height"], epsilon=epsilon, multipliers=multipliers, grid_epsilon=1.0
    )


def _gap_case(start: str, hint: str) -> Case:
    def judge(answer: Answer) -> bool:
        game = _game((3, 2, 1, 0.33, 0.2), epsilon=8.0)
        profile = game.constant_profile(4)
        if start == "equilibrium":
            profile = best_response_dynamics(game, profile).profile
        terms = np.asarray(answer(game, profile), dtype=float)
        gains = game.kernel @ (game.frequency / game.output(profile))
        gap = float(game.frequency @ gains.max(axis=0)) - 1.0
        shaped = terms.shape == (game.bins, game.actions)
        if not shaped or terms.min() < -1e-12:
            return False
        return math.isclose(float(terms.sum()), gap, rel_tol=1e-6, abs_tol=1e-12)

    return Case(judge, hint)


def _suffering(game: NVOGame, profile: NDArray[np.int64], k: int, v: int, w: int) -> list[int]:
    """Worst loss of each bin, before and after."""
    moved = profile.copy()
    moved[k, v], moved[k, w] = moved[k, v] - 1, moved[k, w] + 1
    seen = np.flatnonzero(game.counts)
    before, after = (np.nanmax(game.losses(each)[seen], axis=1) for each in (profile, moved))
    return [int(x) for x in seen[(before <= game.epsilon) & (after > game.epsilon)]]


def _sake_case(k: int, v: int, w: int, start: str, hint: str) -> Case:
    def judge(answer: Answer) -> bool:
        game = _game((3, 2, 1, 0.033, 0.02))
        profile = game.constant_profile(0 if start == "loud" else 4)
        if start == "equilibrium":
            rng = np.random.default_rng(0)
            profile = best_response_dynamics(game, rng=rng).profile
        kept = profile.copy()
        given = list(answer(game, profile, k, v, w))
        return given == _suffering(game, kept, k, v, w) and bool((profile == kept).all())

    return Case(judge, hint)


def _end(answer: Any) -> tuple[NVOGame, NDArray[np.int64]]:
    game = _game(tuple(float(each) for each in answer))
    return game, best_response_dynamics(game, game.constant_profile(0)).profile


def _private(game: NVOGame, profile: NDArray[np.int64]) -> bool:
    return game.private_records(profile) == game.records


def _divergence(game: NVOGame, profile: NDArray[np.int64]) -> float:
    return game.divergence(profile)


EXERCISES = {
    "headline": Exercise(
        [
            close(50.0, 2.0, 1.0, hint="From 2 to 1 is an improvement by 50 per cent."),
            close(
                lambda laplace, game: 100.0 * (1.0 - game / laplace),
                1.3991,
                0.0066,
                hint="Try the published row at ε = 1: it should give the headline.",
            ),
            close(-100.0, 1.0, 2.0, hint="Twice the divergence is 100 per cent worse."),
        ]
    ),
    "two-readings": Exercise(
        [
            Case(_are_distributions, "Give a pair of lists of ten numbers >= 0 that sum to 1."),
            Case(
                lambda answer: sd_loss(*_pair(answer)) < 1e-12,
                "Compare p.std() and q.std(). Does the order of ten numbers matter to it?",
            ),
            Case(
                lambda answer: sd_loss(*_pair(answer), values=np.arange(10.0)) >= 4.0,
                "The data must scatter widely under one of them, and hardly under the other.",
            ),
        ]
    ),
    "uniform": Exercise(
        [
            close(
                _uniform,
                np.array([0.5, 0.5, 0.0, 0.0]),
                0.001,
                hint="Try q = (1/2, 1/2, 0, 0) by hand. All four numbers, in the stated order?",
            ),
            close(
                _uniform,
                np.array([1.0] + [0.0] * 100),
                0.001,
                hint="With all the data in one bin the entropy is zero.",
            ),
            close(
                _uniform,
                np.random.default_rng(5).dirichlet(np.full(50, 0.1)),
                0.015,
                hint="Another threshold: which bins of q does it leave?",
            ),
        ]
    ),
    "tight": Exercise(
        [
            _gap_case(
                "least",
                "Start from the hint: the shares w = C/n times g add up to 1. "
                "Write the gap as a weighted sum of how far g falls short of the bin's largest.",
            ),
            _gap_case("equilibrium", "The terms must be >= 0 and add up at other profiles, too."),
        ]
    ),
    "sake": Exercise(
        [
            _sake_case(38, 2, 4, "equilibrium", "The shortest turns quiet. Look at every bin."),
            _sake_case(40, 2, 4, "equilibrium", "One of three turns quiet: move one record only."),
            _sake_case(59, 2, 4, "equilibrium", "A record can be loud for others only."),
            _sake_case(51, 3, 4, "equilibrium", "One of the crowd can matter to the ends."),
            _sake_case(62, 4, 0, "quiet", "Name those who were private before, not all exposed."),
        ]
    ),
    "scales": Exercise(
        [
            Case(
                lambda answer: len(tuple(answer)) == 5 and min(answer) > 0,
                "Give five numbers > 0.",
            ),
            Case(
                lambda answer: _private(*_end(answer)),
                "Somebody is exposed at the end. Is your first scale a safe one?",
            ),
            Case(
                lambda answer: _divergence(*_end(answer)) < 0.02,
                "Everybody is private, but the divergence is not below 0.02 yet. "
                "How wide is the noise of your smallest scale, in bins?",
            ),
        ]
    ),
}
