"""Self-checks of the chapter *Reading the published proof*."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import lambertw

from pdpbook.game.nvo_game import NVOGame
from pdpbook.per_instance.noise_kernels import laplace_kernel
from pdpbook.per_instance.scale_bounds import (
    published_scale_bound,
    scale_bound,
    uniform_release_scale,
)
from pdpbook_exercises import Case, Exercise, Instances, close, reference
from pdpbook_exercises.chapters.small_games import whole
from pdpbook_exercises.checks.instances import Instance

__all__ = ["EXERCISES"]


@reference
def _three(n: int, epsilon: float) -> list[float]:
    return [
        uniform_release_scale(n, epsilon),
        scale_bound(n, epsilon),
        published_scale_bound(n, epsilon),
    ]


def _other_branch(n: int, epsilon: float) -> list[float]:
    """Take the principal branch of the Lambert function, which gives u = 0."""
    c = 1.0 / (1.0 + n * math.expm1(epsilon))
    u = -c - float(lambertw(-c * math.exp(-c)).real)
    return [1.0 / u if u else math.inf, *_three(n, epsilon)[1:]]


def _in_order(answer: Any) -> str:
    rng = np.random.default_rng(1)
    for _ in range(200):
        n, epsilon = int(rng.integers(2, 2000)), float(np.exp(rng.uniform(-3, 2)))
        careful, tight, published = answer(n, epsilon)
        if not careful < tight < published:
            return "They are not in increasing order."
    return ""


def _is_game(answer: Any) -> str:
    try:
        game, profile = answer
    except (TypeError, ValueError):
        return "It is not a pair."
    if not isinstance(game, NVOGame):
        return "Its first part is not an NVOGame."
    if game.scales is None:
        return "The game does not know its scales: give NVOGame(..., scales=scales)."
    if not np.allclose(game.kernel, laplace_kernel(game.bins, game.scales)):
        return "The kernel is not the Laplace kernel of these scales."
    return "" if game.evaluate(whole(profile)).payoff > 0 else "The profile is wrong."


def _meets_the_condition(answer: Any) -> str:
    game = answer[0]
    smallest, bound = game.scales.min(), uniform_release_scale(game.records, game.epsilon)
    if smallest >= bound:
        return ""
    return f"The smallest scale is {smallest:.5g}, and the careful bound is {bound:.5g}."


def _has_a_large_scale(answer: Any) -> str:
    largest = answer[0].scales.max()
    return "" if largest >= 1e3 else f"The largest scale is {largest:.5g}."


def _exposes(answer: Any) -> str:
    game, profile = answer[0], whole(answer[1])
    outcome = game.evaluate(profile)
    if outcome.private_records < game.records:
        return ""
    return f"Every record is private; the largest loss is {np.nanmax(outcome.losses):.4f}."


def _is_at_rest(answer: Any) -> str:
    game, profile = answer[0], whole(answer[1])
    outcome = game.evaluate(profile)
    return "" if outcome.is_nash() else f"A record can raise the payoff by {outcome.regret:.4g}."


def _is_own(records: int, epsilon: float) -> Callable[[Any], str]:
    def judge(answer: Any) -> str:
        game = answer[0]
        if game.records != records:
            return f"The game has {game.records} records."
        return "" if game.epsilon == epsilon else f"The target of the game is {game.epsilon:g}."

    return judge


def _drawn_target(rng: np.random.Generator) -> Instance:
    return {"records": int(rng.integers(13, 24)), "epsilon": round(rng.uniform(0.3, 0.4), 3)}


def printed(n, bins, epsilon):
    """Both printed scales, in the order of their numbers."""
    excess = (n - 1) * math.expm1(epsilon)
    return 1 / math.log1p(excess), 1 / math.log1p(excess / bins)


EXERCISES = {
    "printed-scales": Exercise(
        [
            close(
                lambda n, bins, epsilon: [
                    published_scale_bound(n, epsilon),
                    published_scale_bound(n, epsilon, bins=bins),
                ],
                n,
                bins,
                epsilon,
                hint="The scale is 1 over a logarithm, and K divides only e^epsilon - 1.",
                more="The conditions have n - 1, not n.",
                mistakes={
                    "That is Theorem 1′, with n; the printed conditions have n - 1.": (
                        lambda n, bins, epsilon: printed(n + 1, bins, epsilon)
                    ),
                    "The order is (10), (11).": (
                        lambda n, bins, epsilon: printed(n, bins, epsilon)[::-1]
                    ),
                },
            )
            for n, bins, epsilon in ((20, 8, 0.4), (2, 2, 0.5), (1307, 101, 0.1))
        ],
        draw=lambda rng: (
            int(rng.integers(2, 2000)),
            int(rng.integers(2, 200)),
            round(rng.uniform(0.05, 2.0), 2),
        ),
        refused=("pdpbook.per_instance.scale_bounds.published_scale_bound",),
    ),
    "three-bounds": Exercise(
        [
            *(
                close(
                    _three,
                    n,
                    epsilon,
                    hint="Careful: 1/u with u = -c - W_{-1}(-c e^{-c}), the real part of "
                    "lambertw(..., -1).",
                    more="Here c = 1/(1 + n (e^epsilon - 1)).",
                    mistakes={
                        "The order is (careful, tight, published).": (
                            lambda n, epsilon: _three(n, epsilon)[::-1]
                        ),
                        "The equation has two roots, one of them u = 0. That is another branch.": (
                            _other_branch
                        ),
                    },
                )
                for n, epsilon in ((20, 0.4), (2, 0.5), (1307, 1.0))
            ),
            Case(_in_order, "The three must come out in increasing order for every n and epsilon."),
        ],
        draw=lambda rng: (int(rng.integers(2, 2000)), round(rng.uniform(0.05, 2.0), 2)),
    ),
    "violation": Exercise(
        lambda mine: [
            Case(
                _is_game,
                "Give (game, profile): an NVOGame with a Laplace kernel and its scales.",
            ),
            Case(_meets_the_condition, "Every scale must be at least uniform_release_scale."),
            Case(
                _has_a_large_scale,
                "One scale must be as good as uniform (at least 1000); otherwise no record could "
                "save itself.",
            ),
            Case(
                _exposes,
                "Which data set has the largest ratio of two records' masses? A crowd far from a "
                "lonely record is worst.",
            ),
            Case(
                _is_at_rest,
                "If the exposed record can save itself, somebody else must be exposed by that.",
            ),
            Case(
                _is_own(mine["records"], mine["epsilon"]),
                "It is a violation. Now find one with your number of records and your target.",
            ),
        ],
        own=Instances({"records": 20, "epsilon": 0.35}, _drawn_target),
    ),
}
