"""Self-checks of the chapter *Theorem 1*."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from pdpbook.exercises import Case, Exercise, close
from pdpbook.game.nvo_game import NVOGame
from pdpbook.per_instance.noise_kernels import laplace_kernel
from pdpbook.per_instance.scale_bounds import (
    careful_scale_bound,
    published_scale_bound,
    scale_bound,
)

__all__ = ["EXERCISES"]


def _is_smallest_number(scale: float, epsilon: float) -> Callable[[Any], bool]:
    def judge(answer: Any) -> bool:
        n = answer(scale, epsilon)
        if n != int(n) or n < 2:
            return False
        n = int(n)
        safe = scale_bound(n, epsilon) <= scale * (1 + 1e-12)
        return safe and (n == 2 or scale_bound(n - 1, epsilon) > scale)

    return judge


def _three(n: int, epsilon: float) -> list[float]:
    return [
        careful_scale_bound(n, epsilon),
        scale_bound(n, epsilon),
        published_scale_bound(n, epsilon),
    ]


def _in_order(answer: Any) -> bool:
    rng = np.random.default_rng(1)
    for _ in range(200):
        n, epsilon = int(rng.integers(2, 2000)), float(np.exp(rng.uniform(-3, 2)))
        careful, tight, published = answer(n, epsilon)
        if not careful < tight < published:
            return False
    return True


def _is_small_game(answer: Any) -> bool:
    game, profile = answer
    return (
        isinstance(game, NVOGame)
        and game.records <= 12
        and game.scales is not None
        and bool(np.allclose(game.kernel, laplace_kernel(game.bins, game.scales)))
        and game.payoff(profile) > 0
    )


def _meets_the_condition(answer: Any) -> bool:
    game = answer[0]
    return bool(game.scales.min() >= careful_scale_bound(game.records, game.epsilon))


def _is_grid_bound(n: int, epsilon: float, bins: int) -> Callable[[Any], bool]:
    """Whether the worst data set on the grid has exactly the loss epsilon at this scale."""

    def judge(answer: Any) -> bool:
        rows = laplace_kernel(bins, [float(answer(n, epsilon, bins))])[0]
        ratio = float((rows[:, None, :] / rows[None, :, :]).max())
        return math.isclose(math.log1p((ratio - 1.0) / n), epsilon, rel_tol=1e-6)

    return judge


EXERCISES = {
    "records-needed": Exercise(
        [
            Case(
                _is_smallest_number(scale, epsilon),
                "Solve scale = 1/ln(1 + n (e^epsilon - 1)) for n and round to the safe side; "
                "n is at least 2.",
            )
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
                )
                for n, epsilon in ((2, 0.5), (20, 0.4), (1307, 1.0))
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
            Case(_meets_the_condition, "Some scale is below careful_scale_bound(n, epsilon)."),
            Case(
                lambda answer: answer[0].scales.max() >= 1e3,
                "One scale must be as good as uniform (at least 1000); otherwise no record could "
                "save itself.",
            ),
            Case(
                lambda answer: answer[0].private_records(answer[1]) < answer[0].records,
                "Everybody is private at this profile.",
            ),
            Case(
                lambda answer: answer[0].is_nash(answer[1]),
                "Some record gains by a move of its own.",
            ),
        ]
    ),
    "grid-bound": Exercise(
        [
            Case(
                _is_grid_bound(n, epsilon, bins),
                "At the smallest safe scale the worst data set on the grid has the loss epsilon "
                "exactly. Find the root numerically, for example with scipy.optimize.brentq.",
            )
            for n, epsilon, bins in ((5, 1.0, 4), (50, 0.3, 12), (1307, 1.0, 101))
        ]
    ),
}
