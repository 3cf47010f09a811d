"""Self-checks of the chapter *The exact optimum*."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdpbook.exercises import Case, Exercise
from pdpbook.game.nvo_game import NVOGame
from pdpbook.per_instance.noise_kernels import laplace_kernel

__all__ = ["EXERCISES"]


def _profiles(game: NVOGame) -> Iterator[NDArray[np.int64]]:
    rows = [
        [row for row in product(range(count + 1), repeat=game.actions) if sum(row) == count]
        for count in game.counts.tolist()
    ]
    return (np.array(choice) for choice in product(*rows))


def _private(game: NVOGame) -> list[NDArray[np.int64]]:
    return [p for p in _profiles(game) if game.private_records(p) == game.records]


def _games() -> list[NVOGame]:
    """Return a usual game, two whose lower side binds, and one without a private profile.

    In the second the lower side decides the optimum, in the third it decides about the cut.
    """
    return [
        NVOGame(np.array([0, 4, 2, 0, 1]), laplace_kernel(5, [0.05, 0.2, 1.0]), epsilon=1.0),
        NVOGame(np.array([3, 1]), laplace_kernel(2, [0.1, 1.0]), epsilon=0.25),
        NVOGame(np.array([2, 1, 2]), laplace_kernel(3, [0.3, 3.0]), epsilon=0.1),
        NVOGame(np.array([3, 0, 1]), laplace_kernel(3, [0.05]), epsilon=0.5),
    ]


def _roof_touches(answer: Callable[..., Any]) -> bool:
    points = np.array([0.3, 1.0, 2.5])
    return bool(np.allclose(answer(points.copy(), points.copy()), -np.log(points)))


def _roof_agrees(answer: Callable[..., Any]) -> bool:
    s, points = np.linspace(0.1, 4.0, 50), np.array([0.3, 1.0, 2.5])
    lines = [-math.log(a) - (s - a) / a for a in points]
    given = np.asarray(answer(s.copy(), points.copy()), dtype=float)
    return given.shape == s.shape and bool(np.allclose(given, np.max(lines, axis=0)))


def _optimum(game: NVOGame) -> float:
    return min((game.divergence(p) for p in _private(game)), default=math.inf)


def _optimum_agrees(answer: Callable[..., Any]) -> bool:
    return all(np.isclose(answer(game), _optimum(game)) for game in _games()[:3])


def _nothing_is_infinite(answer: Callable[..., Any]) -> bool:
    return bool(answer(_games()[3]) == math.inf)


def _cut_is_valid(answer: Callable[..., Any]) -> bool:
    for game in _games():
        limits = game.limits
        for profile in _private(game):
            amount = answer(profile.astype(float), game.kernel, limits.tau, limits.sigma)
            if not abs(amount) <= 1e-9:
                return False
    return True


def _violation(
    profile: NDArray[np.float64], kernel: NDArray[np.float64], tau: float, sigma: float
) -> float:
    mass = np.einsum("kv,vkx->x", profile, kernel)
    worst = 0.0
    for k in np.flatnonzero(profile.sum(axis=1) > 0):
        average = profile[k] @ kernel[:, k] / profile[k].sum()
        worst = max(worst, (average - tau * mass).max(), (sigma * mass - average).max())
    return worst


def _cut_agrees(answer: Callable[..., Any]) -> bool:
    rng = np.random.default_rng(4)
    for game in _games():
        for _ in range(20):
            shares = rng.dirichlet(np.ones(game.actions), size=game.bins)
            case = shares * game.counts[:, None], game.kernel, game.limits.tau, game.limits.sigma
            if not np.isclose(answer(*case), _violation(*case), atol=1e-12):
                return False
    return True


def _bound(
    cost: NDArray[np.float64],
    matrix: NDArray[np.float64],
    right: NDArray[np.float64],
    lower: NDArray[np.float64],
    upper: NDArray[np.float64],
    prices: NDArray[np.float64],
) -> float:
    prices = np.minimum(prices, 0.0)
    total = float(right @ prices)
    for r, low, high in zip(cost - matrix.T @ prices, lower, upper, strict=True):
        total += 0.0 if r == 0 else r * low if r > 0 else r * high
    return total


def _bounds_agree(answer: Callable[..., Any]) -> bool:
    rng = np.random.default_rng(6)
    for _ in range(100):
        cost, matrix, right = rng.normal(size=4), rng.normal(size=(3, 4)), rng.normal(size=3)
        lower = rng.normal(size=4)
        case = cost, matrix, right, lower, lower + rng.uniform(0, 2, 4), rng.normal(size=3)
        if not np.isclose(answer(*(part.copy() for part in case)), _bound(*case)):
            return False
    return True


def _infinite_bounds(answer: Callable[..., Any]) -> bool:
    # min u1 over u1 >= 1 written as -u1 <= -1, and a free second variable that costs nothing
    case = (
        np.array([1.0, 0.0]),
        np.array([[-1.0, 0.0]]),
        np.array([-1.0]),
        np.full(2, -np.inf),
        np.full(2, np.inf),
        np.array([-1.0]),
    )
    return bool(answer(*case) == 1.0)


def _game_fits(answer: Any) -> bool:
    counts, scales = answer
    return (
        np.shape(counts) == (4,)
        and 2 <= np.sum(counts) <= 8
        and np.shape(scales) == (3,)
        and bool((np.asarray(scales, dtype=float) > 0).all())
    )


def _anarchy_is_large(answer: Any) -> bool:
    counts, scales = answer
    game = NVOGame(counts, laplace_kernel(4, scales), epsilon=1.0)
    private = _private(game)
    kl = [game.divergence(p) for p in private if game.is_nash(p)]
    optimum = min(game.divergence(p) for p in private)
    return optimum > 0.0 and max(kl) >= 20.0 * optimum


EXERCISES = {
    "roof": Exercise(
        [
            Case(_roof_touches, "At a point where a tangent touches, the roof is -ln s."),
            Case(_roof_agrees, "One value for each s: the largest of the tangents there."),
        ]
    ),
    "enumerate": Exercise(
        [
            Case(
                _optimum_agrees,
                "Only profiles with all records private count, and both sides of Lemma 1 do.",
            ),
            Case(_nothing_is_infinite, "What if no profile is private?"),
        ]
    ),
    "cut": Exercise(
        [
            Case(_cut_is_valid, "Your cut is violated by a private profile. Empty bins?"),
            Case(
                _cut_agrees,
                "Average the kernel rows of each occupied bin with the weights C / n_k, compare "
                "with tau S and with sigma S, and take the worst. 0 if nothing is violated.",
            ),
        ]
    ),
    "prices": Exercise(
        [
            Case(_bounds_agree, "Follow the theorem term by term. Positive prices count as 0."),
            Case(_infinite_bounds, "0 times infinity must be 0 here, not nan."),
        ]
    ),
    "anarchy": Exercise(
        [
            Case(_game_fits, "Give (counts, scales): four counts, 2 to 8 in all, three scales."),
            Case(
                _anarchy_is_large,
                "The worst private equilibrium of your game is too good. When does nobody dare "
                "to move first?",
            ),
        ]
    ),
}
