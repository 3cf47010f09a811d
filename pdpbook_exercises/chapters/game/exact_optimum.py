"""Self-checks of the chapter *The exact optimum*."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from pdpbook.game.nvo_game import NVOGame
from pdpbook_exercises import Case, Exercise, Instances, close, reference
from pdpbook_exercises.chapters.small_games import (
    all_profiles,
    drawn_game,
    laplace_game,
    wrong_game,
)
from pdpbook_exercises.checks.instances import Instance

__all__ = ["EXERCISES"]

ABOVE = 1.05  #: how far a price of anarchy may lie above the one that is asked for, as a factor


def _private(game: NVOGame) -> list[NDArray[np.int64]]:
    return [p for p in all_profiles(game) if game.evaluate(p).private_records == game.records]


def _games() -> list[NVOGame]:
    """Return a usual game, two in which the lower side counts, and one with a single action."""
    return [
        laplace_game([0, 4, 2, 0, 1], [0.05, 0.2, 1.0], 1.0),
        laplace_game([3, 0, 1], [0.1, 1.0], 0.05),
        laplace_game([3, 0, 1], [1.0, 10.0], 0.05),
        laplace_game([3, 0, 1], [0.05], 0.5),
    ]


def _roof(s: NDArray[np.float64], points: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.max([1.0 - math.log(a) - s / a for a in points], axis=0)


def _curve(s: NDArray[np.float64], points: NDArray[np.float64]) -> NDArray[np.float64]:
    return -np.log(s)


def _lowest(s: NDArray[np.float64], points: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.min([1.0 - math.log(a) - s / a for a in points], axis=0)


def _covered(error: float) -> float:
    """Ratio of the ends of the interval on which one tangent is off by at most this error."""

    def miss(t: float) -> float:
        return t - 1.0 - math.log(t) - error

    return float(brentq(miss, 1.0, 10.0 + 2.0 * error) / brentq(miss, math.exp(-1 - error), 1.0))


def _most_missed(low: float, high: float, points: NDArray[np.float64]) -> tuple[float, float]:
    """Where in an interval the roof misses most, and how much: at an end or where two cross."""
    a, b = points[:-1], points[1:]
    crossings = np.log(b / a) / (1.0 / a - 1.0 / b)
    inside = crossings[(crossings > low) & (crossings < high)]
    places = np.concatenate([[low, high], inside])
    missed = -np.log(places) - _roof(places, points)
    return float(places[missed.argmax()]), float(missed.max())


def _is_close_roof(low: float, high: float, error: float) -> Callable[[Any], str]:
    def judge(answer: Callable[..., Any]) -> str:
        points = np.asarray(answer(low, high, error), dtype=float)
        if points.ndim != 1 or not points.size or not (np.isfinite(points) & (points > 0)).all():
            return "Return an array of one or more points > 0."
        place, missed = _most_missed(low, high, np.unique(points))
        if missed > error * (1.0 + 1e-6):
            return f"At s = {place:.4g} the roof misses {missed:.4g}."
        return ""

    return judge


def _is_small_roof(low: float, high: float, error: float) -> Callable[[Any], str]:
    def judge(answer: Callable[..., Any]) -> str:
        needed = math.ceil(math.log(high / low) / math.log(_covered(error)) - 1e-9)
        given = np.size(answer(low, high, error))
        return "" if given <= needed else f"It is near enough, with {given} points. Fewer will do."

    return judge


def _drawn_roof(rng: np.random.Generator) -> Case:
    low = round(float(np.exp(rng.uniform(-5.0, 1.0))), 4)
    high = round(low * float(np.exp(rng.uniform(0.5, 6.0))), 4)
    case = low, high, round(float(np.exp(rng.uniform(-7.0, 0.5))), 5)
    judges = _is_close_roof(*case), _is_small_roof(*case)
    return Case(
        lambda answer: next(filter(None, (judge(answer) for judge in judges)), ""),
        "The roof must be near enough, with as few tangents as possible.",
    )


def _cut_is_valid(answer: Callable[..., Any]) -> str:
    for game in _games():
        for profile in _private(game):
            amount = answer(profile.astype(float), game.kernel, game.tau, game.sigma)
            if not abs(amount) <= 1e-9:
                return "But at this profile all records are private, so nothing is violated."
    return ""


@reference
def _violation(
    profile: NDArray[np.float64], kernel: NDArray[np.float64], tau: float, sigma: float
) -> float:
    mass = np.einsum("kv,vkx->x", profile, kernel)
    worst = 0.0
    for k in np.flatnonzero(profile.sum(axis=1) > 0):
        average = profile[k] @ kernel[:, k] / profile[k].sum()
        worst = max(worst, (average - tau * mass).max(), (sigma * mass - average).max())
    return worst


def _cuts(game: NVOGame, seed: int) -> Iterator[tuple[Any, ...]]:
    """Yield fractional profiles with the rest of the arguments."""
    rng = np.random.default_rng(seed)
    for _ in range(20):
        shares = rng.dirichlet(np.ones(game.actions), size=game.bins)
        yield shares * game.counts[:, None], game.kernel, game.tau, game.sigma


def _cut_agrees(game: NVOGame, seed: int = 4) -> Callable[[Any], str]:
    def judge(answer: Callable[..., Any]) -> str:
        for case in _cuts(game, seed):
            given, right = float(answer(*case)), _violation(*case)
            if not np.isclose(given, right, atol=1e-12):
                return "That is too much." if given > right else "That is too little."
        return ""

    return judge


def _lower_forgotten(game: NVOGame) -> Callable[[Any], bool]:
    """Whether an answer is the violation of the upper cut alone."""

    def made(answer: Callable[..., Any]) -> bool:
        return all(
            np.isclose(answer(C, kernel, tau, sigma), _violation(C, kernel, tau, -1e9), atol=1e-12)
            for C, kernel, tau, sigma in _cuts(game, 4)
        )

    return made


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


def _without_constraints(cost: Any, matrix: Any, right: Any, lower: Any, upper: Any, y: Any) -> Any:
    """Forget what the prices pay for: only the last sum of the theorem."""
    return _bound(cost, matrix, 0.0 * right, lower, upper, y)


def _largest(cost: Any, matrix: Any, right: Any, lower: Any, upper: Any, y: Any) -> Any:
    """Take the wrong end of every variable."""
    y = np.minimum(y, 0.0)
    r = cost - matrix.T @ y
    return right @ y + np.maximum(r * lower, r * upper).sum()


def _all_prices(cost: Any, matrix: Any, right: Any, lower: Any, upper: Any, y: Any) -> Any:
    """Positive prices are used as they are."""
    r = cost - matrix.T @ y
    return right @ y + np.minimum(r * lower, r * upper).sum()


def _programs(positive: bool) -> list[tuple[Any, ...]]:
    """Random programs, with prices <= 0 or with prices of any sign."""
    rng = np.random.default_rng(6)
    return [_program(rng, positive) for _ in range(5)]


def _program(rng: np.random.Generator, positive: bool) -> tuple[Any, ...]:
    cost, matrix, right = rng.normal(size=4), rng.normal(size=(3, 4)), rng.normal(size=3)
    lower, y = rng.normal(size=4), rng.normal(size=3)
    y = np.append(np.abs(y[:1]), y[1:]) if positive else -np.abs(y)
    return cost, matrix, right, lower, lower + rng.uniform(0, 2, 4), y


# min u1 over u1 >= 1 written as -u1 <= -1, and a free second variable that costs nothing
_FREE = (
    np.array([1.0, 0.0]),
    np.array([[-1.0, 0.0]]),
    np.array([-1.0]),
    np.full(2, -np.inf),
    np.full(2, np.inf),
    np.array([-1.0]),
)


def _price_is(epsilon: float, wanted: float) -> Callable[[Any], str]:
    def judge(answer: Any) -> str:
        counts, scales = answer
        game = laplace_game(counts, scales, epsilon)
        outcomes = [game.evaluate(profile) for profile in _private(game)]
        kl = [outcome.divergence for outcome in outcomes if outcome.is_nash()]
        if not kl:
            return "No profile of this game makes all records private."
        optimum = min(kl)  # the price of stability is 1
        if optimum <= 0.0:
            return "The smallest divergence is 0 in floating point, so there is no ratio."
        price = max(kl) / optimum
        if wanted <= price <= ABOVE * wanted:
            return ""
        return f"The price of anarchy of this game is {price:.4g}."

    return judge


def _drawn_price(rng: np.random.Generator) -> Instance:
    return {"epsilon": round(rng.uniform(0.7, 1.5), 2), "price": int(rng.integers(20, 101))}


_SPLIT = (
    "Follow the theorem term by term: the right sides, and then each variable at one of its ends."
)


EXERCISES = {
    "roof": Exercise(
        [
            close(
                _roof,
                np.array(s),
                np.array(points),
                hint=hint,
                mistakes={
                    "That is the curve itself. The roof consists of straight lines.": _curve,
                    "That is the smallest of the tangents.": _lowest,
                },
            )
            for s, points, hint in (
                (
                    [0.5, 2.0],
                    [1.0],
                    "One tangent only: what are its slope and its height at s = 1?",
                ),
                (np.linspace(0.1, 4.0, 9), [0.3, 1.0, 2.5], "One value for each s: the largest."),
                ([0.3, 1.0, 2.5], [0.3, 1.0, 2.5], "Where a tangent touches, the roof is -ln s."),
            )
        ],
        draw=lambda rng: (
            rng.uniform(0.05, 5.0, 6).round(2),
            rng.uniform(0.1, 4.0, int(rng.integers(1, 6))).round(2),
        ),
    ),
    "tangents": Exercise(
        [
            Case(
                _is_close_roof(*case),
                "Where is a tangent at a off by exactly the error, to its left and to its right? "
                "Put t = s/a.",
                more="The error of one tangent is t - 1 - ln t. It has the value wanted at two t. "
                "Start at low, and let each tangent begin where the last one ends.",
            )
            for case in ((1.0, 100.0, 0.05), (0.01, 3.0, 1e-4), (0.5, 0.6, 1.0))
        ]
        + [
            Case(
                _is_small_roof(*case),
                "Does a tangent touch at an end of the interval? It can cover both sides of its "
                "point. And is every tangent used to its full width?",
                more="All tangents cover intervals with the same ratio of their ends.",
            )
            for case in ((1.0, 100.0, 0.05), (0.5, 0.6, 1.0), (0.01, 3.0, 1e-4), (1e-3, 1e3, 2.0))
        ],
        draw=_drawn_roof,
    ),
    "cut": Exercise(
        [
            Case(
                _cut_is_valid,
                "Your cut is violated by a private profile. Are the weights of a bin C / n_k? What "
                "about bins without records?",
            ),
            *(
                Case(
                    _cut_agrees(game),
                    "Average the kernel rows of each occupied bin with the weights C / n_k, "
                    "compare with tau S and sigma S, and take the worst, or 0.",
                    mistakes={
                        "The upper cut is right. There is a lower one, too.": _lower_forgotten(game)
                    },
                )
                for game in _games()
            ),
        ],
        draw=lambda rng: Case(
            _cut_agrees(drawn_game(rng), int(rng.integers(2**32))),
            "Average the kernel rows of each occupied bin with the weights C / n_k.",
        ),
    ),
    "prices": Exercise(
        [
            close(
                _bound,
                *program,
                hint=_SPLIT,
                mistakes={
                    "Each variable takes the end that makes its term small.": _largest,
                    "What about the right sides, b?": _without_constraints,
                },
            )
            for program in _programs(positive=False)
        ]
        + [
            close(
                _bound,
                *program,
                hint=_SPLIT,
                mistakes={"The first price is positive. Positive prices count as 0.": _all_prices},
            )
            for program in _programs(positive=True)
        ]
        + [close(_bound, *_FREE, hint="0 times infinity must be 0 here, not nan.")],
        draw=lambda rng: _program(rng, positive=rng.random() < 0.5),
    ),
    "anarchy": Exercise(
        lambda mine: [
            Case(
                lambda answer: wrong_game(answer, bins=4, actions=3),
                "Give (counts, scales): four counts, 2 to 8 in all, three scales > 0.",
            ),
            Case(
                _price_is(mine["epsilon"], mine["price"]),
                "It is the largest divergence of a private equilibrium over the smallest, at your "
                "ε, and must lie within 5 % above your price. When does nobody dare to move first?",
            ),
        ],
        own=Instances({"epsilon": 1.0, "price": 20}, _drawn_price),
    ),
}
