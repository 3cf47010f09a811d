"""Checks of the exercises in *Experiment 2: income*."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdpbook.experiments.datasets import load_heights
from pdpbook.experiments.metrics import cosine_similarity, sd_loss_limit
from pdpbook.experiments.replication import laplace_row
from pdpbook.experiments.settings import SETTINGS
from pdpbook.game.best_response import best_response_dynamics
from pdpbook_exercises import Case, Exercise, close, equal

__all__ = ["EXERCISES"]


def _sd(angle: float, bins: int) -> float:
    uniform = np.full(bins, 1.0 / bins)
    other = np.zeros(bins)
    other[:2] = 1.0, -1.0
    other /= np.linalg.norm(other)
    return float((uniform + other * math.tan(angle) / math.sqrt(bins)).std())


def _angle_case(angle: float, bins: int, hint: str) -> Case:
    return close(
        _sd,
        angle,
        bins,
        hint=hint,
        more="The uniform vector has the length 1/√K. How long is p, and how long p - uniform?",
        mistakes={
            "Right but for a power of K. SD is a root of a *mean* of squares.": (
                lambda angle, bins: math.tan(angle) / math.sqrt(bins)
            ),
            "The sine needs the length of p. What is it, if the entries sum to 1?": (
                lambda angle, bins: math.sin(angle) / bins
            ),
            "The square root is missing.": lambda angle, bins: (math.tan(angle) / bins) ** 2,
            "That is 1/SD of something: at a right angle SD is large, not 0.": (
                lambda angle, bins: 1 / (bins * math.tan(angle))
            ),
            "The angle is in radians.": lambda angle, bins: math.tan(math.radians(angle)) / bins,
        },
    )


def _columns() -> dict[str, NDArray[np.float64]]:
    rng = np.random.default_rng(11)
    return {
        "even": rng.random(800),
        "skewed": rng.gamma(2.0, 1.0, 800),
        "bell": rng.normal(0.0, 1.0, 800),
    }


def _prints(data: NDArray[np.float64], error: float) -> NDArray[np.float64]:
    rows = [
        laplace_row(SETTINGS["inferred"].game(data, epsilon=epsilon))
        for epsilon in (1.0, 2.0, 4.0, 8.0)
    ]
    signs = np.array([1.0, -1.0, 1.0, -1.0])
    return np.array([row["cosine"] for row in rows]) + error * signs


def _prints_case(name: str, error: float, hint: str) -> Case:
    target = _prints(_columns()[name], error)
    return equal(
        name,
        _columns(),
        target,
        hint=hint,
        more="Keep a dictionary from names to distances, and take the key of the smallest.",
        mistakes={
            "That one is the farthest.": lambda columns, target: max(
                columns, key=lambda key: np.abs(_prints(columns[key], 0.0) - target).mean()
            ),
        },
    )


def _is_a_name(answer: Any) -> bool | str:
    columns = _columns()
    given = answer(columns, _prints(columns["bell"], 0.0))
    return given in list(columns) or f"That is none of the names {', '.join(columns)}."


def _shares(seed: int) -> NDArray[np.float64]:
    return np.random.default_rng(seed).dirichlet(np.full(12, 8.0))


def _farthest(seed: int, theta: float) -> Callable[[Any], str]:
    def judge(answer: Any) -> str:
        q = _shares(seed)
        p = np.asarray(answer(q.copy(), theta), dtype=float)
        if p.shape != q.shape:
            return f"Its shape is {p.shape}, and q has {q.shape}."
        if not (p >= -1e-12).all():
            return "Some of it is negative or nan."
        if abs(p.sum() - 1.0) > 1e-9:
            return f"It should sum to 1, and sums to {p.sum():.6g}."
        angle = math.acos(min(cosine_similarity(p, q), 1.0))
        if not math.isclose(angle, theta, rel_tol=1e-4):
            return f"Its angle with q is {angle:.4g}, not {theta:g}."
        limit = sd_loss_limit(math.cos(theta), float(q.std()), bins=12)
        if math.isclose(float(p.std() - q.std()), limit, rel_tol=1e-4):
            return ""
        if p.std() < q.std():
            return "Its angle with q is right, but it lies on the side of the uniform vector."
        return "Its angle with q is right, and it is not the one of largest SD."

    return judge


def _farthest_case(seed: int, theta: float, hint: str) -> Case:
    return Case(
        _farthest(seed, theta),
        hint,
        "Split q into its part along the uniform vector and the rest, and stretch the rest.",
    )


def _drawn_farthest(rng: np.random.Generator) -> Case:
    """Draw q and an angle until no entry of q becomes negative when q is stretched so far."""
    while True:
        seed, theta = int(rng.integers(2**32)), round(rng.uniform(0.02, 0.1), 3)
        q = _shares(seed)
        stretch = math.tan(math.atan(12 * q.std()) + theta) / (12 * q.std())
        if q.mean() + stretch * (q.min() - q.mean()) >= 0:
            return _farthest_case(seed, theta, "Another q and another angle.")


def _loss(answer: Callable[..., Any], which: str, seed: int = 0, epsilon: float = 1.0) -> float:
    game = SETTINGS["inferred"].game(load_heights()["height"], epsilon=epsilon)
    if which == "same":
        return float(answer(game.frequency, game.frequency))
    profile = game.constant_profile(2)
    if which == "game":
        profile = best_response_dynamics(game, rng=np.random.default_rng(seed)).profile
    return float(answer(game.frequency, game.evaluate(profile).output))


def _drawn_release(rng: np.random.Generator) -> Case:
    """Draw a target near 1 and a start of the game: the figures hardly change."""
    seed, epsilon = int(rng.integers(2**32)), round(float(rng.uniform(0.97, 1.03)), 4)

    def judge(answer: Any) -> bool | str:
        if not abs(_loss(answer, "same", epsilon=epsilon)) < 1e-9:
            return "It is not 0 for equal distributions."
        mechanism, game = (_loss(answer, each, seed, epsilon) for each in ("Laplace", "game"))
        if not 0.02 < mechanism < 0.04:
            return f"At ε = {epsilon} the Laplace mechanism has {mechanism:.4g}."
        return 0.003 < game < 0.01 or f"At ε = {epsilon} the game has {game:.4g}."

    return Case(judge, "The same bounds as at ε = 1.")


def _between(which: str, low: float, high: float) -> Callable[[Any], bool | str]:
    def judge(answer: Any) -> bool | str:
        loss = _loss(answer, which)
        return low < loss < high or f"The value is not between {low} and {high}."

    return judge


EXERCISES = {
    "angle": Exercise(
        [
            _angle_case(1.1, 7, "Start from the squared length of p. How does K enter?"),
            _angle_case(0.3, 101, "Start from the squared length of p."),
            close(0.0, 0.0, 101, hint="At angle 0 all entries are equal."),
        ],
        draw=lambda rng: _angle_case(
            round(rng.uniform(0.05, 1.4), 3),
            int(rng.integers(3, 200)),
            "Start from the squared length of p.",
        ),
    ),
    "fingerprint": Exercise(
        [
            Case(_is_a_name, "Return the key of the column, not its distance and not its data."),
            _prints_case("skewed", 0.0, "Here one column matches exactly."),
            _prints_case("bell", 0.004, "The nearest column, even if it is not exactly there."),
            _prints_case("even", 0.004, "Compare the absolute differences at all four ε."),
        ],
        draw=lambda rng: _prints_case(
            ("skewed", "bell", "even")[int(rng.integers(3))],
            round(rng.uniform(0.0, 0.004), 4),
            "Compare the absolute differences at all four ε.",
        ),
    ),
    "attained": Exercise(
        [
            _farthest_case(
                1,
                0.05,
                "A probability vector in the plane of q and the uniform vector, at angle theta "
                "from q and farther from the uniform one than q.",
            ),
            _farthest_case(2, 0.1, "Another q and another angle."),
        ],
        draw=_drawn_farthest,
    ),
    "third": Exercise(
        [
            Case(
                lambda answer: (
                    abs(_loss(answer, "same")) < 1e-9 or "It is not 0 for equal distributions."
                ),
                "Zero for equal distributions.",
            ),
            Case(
                _between("Laplace", 0.02, 0.04),
                "That was the Laplace mechanism at ε = 1. A factor, chosen once, is allowed.",
            ),
            Case(
                _between("game", 0.003, 0.01),
                "That was the game. If a factor cannot mend both, try a power.",
            ),
        ],
        draw=_drawn_release,
    ),
}
