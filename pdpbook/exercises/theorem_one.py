"""Self-checks of the chapter *Theorem 1*."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.special import lambertw

from pdpbook.exercises import Case, Exercise, close
from pdpbook.exercises.small_games import whole
from pdpbook.game.nvo_game import NVOGame
from pdpbook.per_instance.noise_kernels import laplace_kernel
from pdpbook.per_instance.scale_bounds import (
    published_scale_bound,
    scale_bound,
    uniform_release_scale,
)

__all__ = ["EXERCISES"]


def _is_smallest_number(scale: float, epsilon: float) -> Case:
    def judge(answer: Any) -> str:
        n = answer(scale, epsilon)
        if n != int(n) or n < 2:
            return "It is a whole number, at least 2."
        n = int(n)
        if scale_bound(n, epsilon) > scale * (1 + 1e-12):
            return f"With n = {n} the bound is {scale_bound(n, epsilon):.6g}, above the scale."
        if n > 2 and scale_bound(n - 1, epsilon) <= scale:
            return "One record fewer is enough."
        return ""

    def swapped(answer: Any) -> bool:
        wrong = math.expm1(epsilon) / math.expm1(1.0 / scale)
        return math.isclose(answer(scale, epsilon), max(2, math.ceil(wrong)))

    return Case(
        judge,
        "Solve scale = 1/ln(1 + n (e^epsilon - 1)) for n and round to the safe side; "
        "n is at least 2.",
        more="More records make the bound smaller, so the safe side is up.",
        mistakes={"Is the quotient upside down?": swapped},
    )


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


def _is_small_game(answer: Any) -> str:
    try:
        game, profile = answer
    except (TypeError, ValueError):
        return "It is not a pair."
    if not isinstance(game, NVOGame):
        return "Its first part is no NVOGame."
    if game.records > 12:
        return f"The game has {game.records} records."
    if game.scales is None:
        return "The game does not know its scales: give NVOGame(..., scales=scales)."
    if not np.allclose(game.kernel, laplace_kernel(game.bins, game.scales)):
        return "The kernel is not the Laplace kernel of these scales."
    return "" if game.payoff(whole(profile)) > 0 else "The profile is wrong."


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
    if game.private_records(profile) < game.records:
        return ""
    return f"Everybody is private; the largest loss is {np.nanmax(game.losses(profile)):.4f}."


def _is_at_rest(answer: Any) -> str:
    game, profile = answer[0], whole(answer[1])
    regret = game.regret(profile)
    return "" if game.is_nash(profile) else f"Somebody can raise the payoff by {regret:.4g}."


def _grid_case(n: int, epsilon: float, bins: int) -> Case:
    """Ask whether the worst data set on the grid has exactly the loss epsilon at this scale."""

    def judge(answer: Any) -> str:
        scale = float(answer(n, epsilon, bins))
        if not 0.0 < scale < math.inf:
            return "A scale is a number > 0."
        rows = laplace_kernel(bins, [scale])[0]
        ratio = float((rows[:, None, :] / rows[None, :, :]).max())
        loss = math.log1p((ratio - 1.0) / n)
        if math.isclose(loss, epsilon, rel_tol=1e-6):
            return ""
        kind = "It is safe, but not the smallest" if loss < epsilon else "It is not safe"
        return f"{kind}: the worst data set has the loss {loss:.6g}."

    def is_b_star(answer: Any) -> bool:
        return math.isclose(float(answer(n, epsilon, bins)), scale_bound(n, epsilon))

    return Case(
        judge,
        "At the smallest safe scale the worst data set on the grid has the loss epsilon "
        "exactly. Find the root numerically, for example with scipy.optimize.brentq.",
        more="Take logarithms of both sides of rho = 1 + n (e^epsilon - 1) before you search; the "
        "root lies below b*.",
        mistakes={"That is b*, the bound without a grid.": is_b_star},
    )


EXERCISES = {
    "records-needed": Exercise(
        [
            _is_smallest_number(scale, epsilon)
            for scale, epsilon in ((0.2, 1.0), (0.1, 0.3), (0.5, 0.01), (5.0, 3.0))
        ]
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
        ]
    ),
    "violation": Exercise(
        [
            Case(
                _is_small_game,
                "Give (game, profile): an NVOGame with at most 12 records, a Laplace kernel and "
                "its scales.",
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
        ]
    ),
    "grid-bound": Exercise(
        [_grid_case(*case) for case in ((5, 1.0, 4), (50, 0.3, 12), (1307, 1.0, 101))]
    ),
}
