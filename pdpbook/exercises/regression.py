"""Checks of the exercises in *Regression on released data*."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdpbook.exercises import Case, Exercise, close
from pdpbook.experiments.datasets import nba_players
from pdpbook.experiments.pair_release import noisy_histogram_pairs, pair_losses
from pdpbook.experiments.regression import fit_network
from pdpbook.foundations.privacy import advanced_composition
from pdpbook.per_instance.privacy_loss import privacy_losses

__all__ = ["EXERCISES"]


def _allowed(epsilon: float, total: float) -> int:
    count = 0
    while advanced_composition(epsilon, count + 1, slack=1e-6).epsilon <= total:
        count += 1
    return count


def _measured(sd: float, scale: float) -> float:
    rng = np.random.default_rng(3)
    x = rng.normal(0.0, sd, 400_000)
    seen = x + rng.laplace(0.0, scale, x.size)
    return float(np.cov(seen, x)[0, 1] / seen.var())


def _bins(answer: Any) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    x, y = (np.asarray(each, dtype=np.int64) for each in answer)
    return x, y


def _right_size(answer: Any) -> bool:
    x, y = _bins(answer)
    ends = min(x.min(), y.min()), max(x.max(), y.max())
    return x.shape == y.shape and x.ndim == 1 and 2 <= x.size <= 12 and ends[0] >= 0 and ends[1] < 5


def _hidden(answer: Any) -> bool:
    for each in _bins(answer):
        rows = np.eye(5)[each]
        if not (privacy_losses(rows, rows.sum(axis=0), each.size) < 0.5).all():
            return False
    return True


def _error(cells: Any) -> float:
    players = nba_players()
    x, y = players["height"], players["weight"]
    errors = []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        pairs = noisy_histogram_pairs(x, y, 2000, epsilon=1.0, rng=rng, bins=int(cells))
        errors.append(fit_network(*pairs, rng=rng).rmse(x, y))
    return float(np.median(errors))


EXERCISES = {
    "draws": Exercise(
        [
            close(_allowed, 1.0, 10.0, hint="Few draws: which theorem is better there?"),
            close(_allowed, 0.01, 1.0, hint="Many draws: the advanced theorem allows more."),
            close(_allowed, 0.5, 0.4, hint="Not even one draw may be allowed."),
        ]
    ),
    "flat": Exercise(
        [
            close(1.0, 3.0, 1e-9, hint="Without noise the slope stays as it is."),
            close(_measured, 2.0, 1.0, rtol=0.02, hint="The variance of Laplace noise is not s²."),
            close(_measured, 9.1, 68.6, rtol=0.1, hint="The players' heights at ε = 1."),
        ]
    ),
    "pair": Exercise(
        [
            Case(_right_size, "Two lists of one length, 2 to 12, with whole numbers 0 to 4."),
            Case(_hidden, "Every x and every y must be shared by enough records."),
            Case(
                lambda answer: bool(
                    np.isinf(pair_losses(*(np.eye(5)[each] for each in _bins(answer)))).any()
                ),
                "No pair is alone in its cell yet.",
            ),
        ]
    ),
    "better": Exercise(
        [
            Case(lambda cells: 2 <= int(cells) <= 40, "Give a whole number of cells, 2 to 40."),
            Case(
                lambda cells: math.isfinite(float(cells)) and _error(cells) < 7.65,
                "Too few cells blur the data, too many drown it in noise. Try a few numbers.",
            ),
        ]
    ),
}
