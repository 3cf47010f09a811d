"""Checks of the exercises in *Experiment 2: income*."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdpbook.exercises import Case, Exercise, close, equal
from pdpbook.experiments.datasets import nba_heights
from pdpbook.experiments.metrics import cosine_similarity, sd_loss_limit
from pdpbook.experiments.replication import laplace_row
from pdpbook.experiments.settings import SETTINGS
from pdpbook.game.best_response import best_response_dynamics

__all__ = ["EXERCISES"]


def _sd(angle: float, bins: int) -> float:
    uniform = np.full(bins, 1.0 / bins)
    other = np.zeros(bins)
    other[:2] = 1.0, -1.0
    other /= np.linalg.norm(other)
    return float((uniform + other * math.tan(angle) / math.sqrt(bins)).std())


def _columns() -> dict[str, NDArray[np.float64]]:
    rng = np.random.default_rng(11)
    return {
        "even": rng.random(800),
        "skewed": rng.gamma(2.0, 1.0, 800),
        "bell": rng.normal(0.0, 1.0, 800),
    }


def _prints(data: NDArray[np.float64], error: float) -> NDArray[np.float64]:
    rows = [
        laplace_row(SETTINGS["inferred"].game(data, epsilon)) for epsilon in (1.0, 2.0, 4.0, 8.0)
    ]
    signs = np.array([1.0, -1.0, 1.0, -1.0])
    return np.array([row["cosine"] for row in rows]) + error * signs


def _farthest(answer: Callable[..., Any], seed: int, theta: float) -> bool:
    q = np.random.default_rng(seed).dirichlet(np.full(12, 8.0))
    p = np.asarray(answer(q, theta), dtype=float)
    if p.shape != q.shape or (p < -1e-12).any() or abs(p.sum() - 1.0) > 1e-9:
        return False
    if not math.isclose(math.acos(cosine_similarity(p, q)), theta, rel_tol=1e-4):
        return False
    limit = sd_loss_limit(math.cos(theta), float(q.std()), bins=12)
    return math.isclose(float(p.std() - q.std()), limit, rel_tol=1e-4)


def _loss(answer: Callable[..., Any], which: str) -> float:
    game = SETTINGS["inferred"].game(nba_heights()["height"], 1.0)
    if which == "same":
        return float(answer(game.frequency, game.frequency))
    profile = game.constant_profile(2)
    if which == "game":
        profile = best_response_dynamics(game, rng=np.random.default_rng(0)).profile
    return float(answer(game.frequency, game.output(profile)))


EXERCISES = {
    "angle": Exercise(
        [
            close(0.0, 0.0, 101, hint="At angle 0 all entries are equal."),
            close(_sd, 0.3, 101, hint="Start from the squared length of p."),
            close(_sd, 1.1, 7, hint="How does K enter?"),
        ]
    ),
    "fingerprint": Exercise(
        [
            equal("skewed", _columns(), _prints(_columns()["skewed"], 0.0), hint="An exact match."),
            equal(
                "bell",
                _columns(),
                _prints(_columns()["bell"], 0.004),
                hint="The nearest column, even if it is not exactly there.",
            ),
        ]
    ),
    "attained": Exercise(
        [
            Case(
                lambda answer: _farthest(answer, 1, 0.05),
                "A probability vector in the plane of q and the uniform vector, at angle theta "
                "from q and farther from the uniform one than q.",
            ),
            Case(lambda answer: _farthest(answer, 2, 0.1), "Another q and another angle."),
        ]
    ),
    "third": Exercise(
        [
            Case(lambda answer: abs(_loss(answer, "same")) < 1e-9, "Zero for equal distributions."),
            Case(
                lambda answer: 0.02 < _loss(answer, "Laplace") < 0.04,
                "The Laplace mechanism at ε = 1 must lose between 0.02 and 0.04.",
            ),
            Case(
                lambda answer: 0.003 < _loss(answer, "game") < 0.01,
                "The game must lose between 0.003 and 0.01.",
            ),
        ]
    ),
}
