"""Checks of the exercises in *Experiment 3: large income, and vectors*."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdpbook.experiments.datasets import load_players
from pdpbook.game.best_response import best_response_dynamics
from pdpbook.game.nvo_game import NVOGame
from pdpbook.per_instance.noise_kernels import laplace_kernel, product_kernel
from pdpbook.per_instance.scale_bounds import scale_bound
from pdpbook_exercises import Case, Exercise, Instances, close
from pdpbook_exercises.chapters.small_games import wrong_scales
from pdpbook_exercises.checks.instances import Instance

__all__ = ["EXERCISES"]

NEAR = 0.0068  #: divergence that five scales must stay below


def _built(bins: int, actions: int, features: int) -> int:
    kernel = laplace_kernel(bins, np.linspace(0.1, 1.0, actions))
    product = kernel
    for _ in range(features - 1):
        product = product_kernel(product, kernel)
    return product.nbytes


def _memory_case(bins: int, actions: int, features: int, hint: str) -> Case:
    return close(
        _built,
        bins,
        actions,
        features,
        hint=hint,
        more="The kernel has one axis for actions and two for cells: from where, and to where.",
        mistakes={
            "That is how many numbers there are. Each takes eight bytes.": (
                lambda bins, actions, features: (actions * bins**2) ** features
            ),
            "A kernel has a row for each cell and a column for each cell.": (
                lambda bins, actions, features: 8 * (actions * bins) ** features
            ),
            "With d features a cell is a tuple of bins: they multiply, they do not add.": (
                lambda bins, actions, features: 8 * features * actions * bins**2
            ),
            "A record may combine any scales, one for each feature: actions multiply, too.": (
                lambda bins, actions, features: 8 * actions * bins ** (2 * features)
            ),
            "That is in single precision.": (
                lambda bins, actions, features: 4 * (actions * bins**2) ** features
            ),
        },
    )


def _budget(n: int, epsilon: float, features: int) -> float:
    return features * scale_bound(n, epsilon)


def _budget_case(n: int, epsilon: float, features: int, hint: str) -> Case:
    return close(
        _budget,
        n,
        epsilon,
        features,
        hint=hint,
        more="The theorem bounds the sum of 1/b over the features. All b are equal.",
        mistakes={
            "More features need more noise, not less.": (
                lambda n, epsilon, features: scale_bound(n, epsilon) / features
            ),
            "That is Theorem 1′ for one feature. A record pays for all d.": (
                lambda n, epsilon, features: scale_bound(n, epsilon)
            ),
            "To give each feature ε/d is allowed, but the theorem does better.": (
                lambda n, epsilon, features: scale_bound(n, epsilon / features)
            ),
            "Variances add with the square, scales do not.": (
                lambda n, epsilon, features: features**0.5 * scale_bound(n, epsilon)
            ),
            "The book takes natural logarithms.": (
                lambda n, epsilon, features: np.log(2) * _budget(n, epsilon, features)
            ),
            "That is the Laplace mechanism. The theorem uses the others' mass, so n counts.": (
                lambda n, epsilon, features: features / epsilon
            ),
        },
    )


def _margin(output: NDArray[np.float64], bins: int, other: int) -> NDArray[np.float64]:
    return np.array([output[k * other : (k + 1) * other].sum() for k in range(bins)])


def _margin_case(output: NDArray[np.float64], bins: int, other: int, hint: str) -> Case:
    return close(
        _margin,
        output,
        bins,
        other,
        hint=hint,
        more="Reshape to a table with one row for each bin of the first feature.",
        mistakes={
            "That is the second feature.": (
                lambda output, bins, other: output.reshape(bins, other).sum(axis=0)
            ),
            "Cell (k, l) has the number k * other_bins + l: rows are bins of the first feature.": (
                lambda output, bins, other: output.reshape(other, bins).sum(axis=0)
            ),
            "A sum over the second feature, not a mean.": (
                lambda output, bins, other: output.reshape(bins, other).mean(axis=1)
            ),
            "A sum over the second feature, not its largest value.": (
                lambda output, bins, other: output.reshape(bins, other).max(axis=1)
            ),
        },
    )


def _played(multipliers: Any) -> tuple[int, float]:
    players = load_players()
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
    end = best_response_dynamics(joint, start=joint.constant_profile(0))
    return joint.records - int(end.private_counts[-1]), end.divergence


def _good(mine: Instance) -> Callable[[Any], str]:
    def judge(multipliers: Any) -> str:
        ends = float(multipliers[0]), float(multipliers[-1])
        if ends != (mine["largest"], mine["smallest"]):
            return f"The first and the last multiplier are {ends[0]:g} and {ends[1]:g}."
        exposed, divergence = _played(multipliers)
        if exposed:
            return f"At the end {exposed} records are exposed."
        if not divergence < NEAR:
            return f"Every record is private, and the divergence is {divergence:.5f}."
        return ""

    return judge


def _drawn_ends(rng: np.random.Generator) -> Instance:
    smallest = float(np.exp(rng.uniform(np.log(0.002), np.log(0.012))))
    return {"largest": round(rng.uniform(1.5, 4.0), 2), "smallest": round(smallest, 4)}


def _drawn_margin(rng: np.random.Generator) -> Case:
    bins, other = int(rng.integers(2, 6)), int(rng.integers(2, 6))
    output = rng.dirichlet(np.ones(bins * other))
    return _margin_case(output, bins, other, "Sum over the second one.")


EXERCISES = {
    "memory": Exercise(
        [
            _memory_case(4, 3, 2, "Cells multiply, and so do the actions."),
            _memory_case(5, 2, 1, "One feature: actions times bins squared, eight bytes."),
            _memory_case(2, 2, 3, "Three features."),
        ],
        draw=lambda rng: _memory_case(
            int(rng.integers(2, 13)),
            int(rng.integers(2, 7)),
            int(rng.integers(1, 3)),
            "Cells multiply.",
        ),
    ),
    "budget": Exercise(
        [
            _budget_case(1317, 0.1, 2, "The budget of 1/b is shared."),
            _budget_case(1317, 1.0, 1, "One feature: Theorem 1′."),
            _budget_case(20, 2.0, 5, "Five features."),
        ],
        draw=lambda rng: _budget_case(
            int(rng.integers(5, 3000)),
            round(rng.uniform(0.1, 2.0), 2),
            int(rng.integers(2, 7)),
            "The budget of 1/b is shared.",
        ),
    ),
    "margins": Exercise(
        [
            _margin_case(
                np.arange(6.0) / 15.0, 3, 2, "Cell (k, l) has the number k * other_bins + l."
            ),
            _margin_case(
                np.random.default_rng(0).dirichlet(np.ones(20)), 4, 5, "Sum over the second one."
            ),
        ],
        draw=_drawn_margin,
    ),
    "grid": Exercise(
        lambda mine: [
            Case(wrong_scales, "Give five numbers > 0."),
            Case(
                _good(mine),
                f"The first must be {mine['largest']:g}, the last {mine['smallest']:g}, every "
                f"record private, and the divergence below {NEAR:g}.",
                "Let the smallest scale be small against a bin, with steps between the others.",
            ),
        ],
        own=Instances({"largest": 3.0, "smallest": 0.005}, _drawn_ends),
    ),
}
