"""Checks of the exercises in *Experiment 3: large income, and vectors*."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdpbook.exercises import Case, Exercise, close
from pdpbook.experiments.datasets import nba_players
from pdpbook.game.best_response import best_response_dynamics
from pdpbook.game.nvo_game import NVOGame
from pdpbook.per_instance.noise_kernels import laplace_kernel, product_kernel
from pdpbook.per_instance.scale_bounds import scale_bound

__all__ = ["EXERCISES"]


def _built(bins: int, actions: int, features: int) -> int:
    kernel = laplace_kernel(bins, np.linspace(0.1, 1.0, actions))
    product = kernel
    for _ in range(features - 1):
        product = product_kernel(product, kernel)
    return product.nbytes


def _margin(output: NDArray[np.float64], bins: int, other: int) -> NDArray[np.float64]:
    return np.array([output[k * other : (k + 1) * other].sum() for k in range(bins)])


def _played(multipliers: Any) -> tuple[int, float]:
    players = nba_players()
    games = [
        NVOGame.from_data(
            players[name],
            epsilon=1.0,
            multipliers=tuple(float(each) for each in multipliers),
            bins=21,
            grid_epsilon=1.0,
        )
        for name in ("height", "weight")
    ]
    places = []
    for game, name in zip(games, ("height", "weight"), strict=True):
        assert game.grid is not None
        places.append(game.grid.index(players[name]))
    counts = np.bincount(places[0] * 21 + places[1], minlength=441)
    joint = NVOGame(counts, product_kernel(games[0].kernel, games[1].kernel), epsilon=1.0)
    end = best_response_dynamics(joint, joint.constant_profile(0))
    return joint.records - int(end.private_counts[-1]), end.divergence


def _good(multipliers: Any) -> bool:
    exposed, divergence = _played(multipliers)
    return exposed == 0 and divergence < 0.0068


EXERCISES = {
    "memory": Exercise(
        [
            close(_built, 5, 2, 1, hint="One feature: actions times bins squared, eight bytes."),
            close(_built, 4, 3, 2, hint="Cells multiply, and so do the actions."),
            close(_built, 2, 2, 3, hint="Three features."),
        ]
    ),
    "budget": Exercise(
        [
            close(scale_bound(1317, 1.0), 1317, 1.0, 1, hint="One feature: Theorem 1′."),
            close(2 * scale_bound(1317, 0.1), 1317, 0.1, 2, hint="The budget of 1/b is shared."),
            close(5 * scale_bound(20, 2.0), 20, 2.0, 5, hint="Five features."),
        ]
    ),
    "margins": Exercise(
        [
            close(
                _margin,
                np.arange(6.0) / 15.0,
                3,
                2,
                hint="Cell (k, l) has the number k * other_bins + l.",
            ),
            close(
                _margin,
                np.random.default_rng(0).dirichlet(np.ones(20)),
                4,
                5,
                hint="Sum over the second feature.",
            ),
        ]
    ),
    "grid": Exercise(
        [
            Case(
                lambda answer: len(tuple(answer)) == 5 and min(answer) > 0,
                "Give five numbers > 0.",
            ),
            Case(_good, "Everybody private, and a divergence below 0.0068? Not yet."),
        ]
    ),
}
