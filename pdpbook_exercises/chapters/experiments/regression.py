"""Checks of the exercises in *Regression on released data*."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdpbook.experiments.datasets import load_players
from pdpbook.experiments.pair_release import pair_losses
from pdpbook.experiments.regression import fit_network
from pdpbook.foundations.privacy import advanced_composition
from pdpbook.per_instance.privacy_loss import privacy_losses
from pdpbook_exercises import Case, Exercise, close

__all__ = ["EXERCISES"]


SIDE = 24  #: cells along an axis of the noisy table that is cleaned


def _largest(cost: Callable[[float, int], float]) -> Callable[[float, float], int]:
    """Return the function that counts draws upwards while they cost at most the total."""

    def count(epsilon: float, total: float) -> int:
        m = 0
        while cost(epsilon, m + 1) <= total:
            m += 1
        return m

    return count


def _cost(epsilon: float, m: int) -> float:
    return advanced_composition(epsilon, draws=m, slack=1e-6).epsilon


def _formula(epsilon: float, m: int) -> float:
    """Cost by the advanced theorem, even where the basic one is better."""
    drift = m * epsilon * math.tanh(epsilon / 2)
    return drift + epsilon * math.sqrt(2 * m * math.log(1e6))


def _draws_case(epsilon: float, total: float, hint: str) -> Case:
    return close(
        _largest(_cost),
        epsilon,
        total,
        hint=hint,
        more="Count upwards: what do m + 1 draws cost, and is that at most the total?",
        mistakes={
            "That is what the basic theorem allows. With a δ one may take more draws.": (
                lambda epsilon, total: math.floor(total / epsilon)
            ),
            "For few draws the basic theorem is better. Take the smaller cost of the two.": (
                _largest(_formula)
            ),
        },
    )


def _measured(sd: float, scale: float) -> float:
    rng = np.random.default_rng(3)
    x = rng.normal(0.0, sd, 400_000)
    seen = x + rng.laplace(0.0, scale, x.size)
    return float(np.cov(seen, x)[0, 1] / seen.var())


def _flat_case(sd: float, scale: float, rtol: float, hint: str) -> Case:
    return close(
        _measured,
        sd,
        scale,
        rtol=rtol,
        hint=hint,
        more="Cov(x + z, y) and Var(x + z): which terms does z change?",
        mistakes={
            "The variance of Laplace noise is not s². Look it up or integrate it.": (
                lambda sd, s: sd**2 / (sd**2 + s**2)
            ),
            "Standard deviations do not add, variances do.": (
                lambda sd, s: sd / (sd + math.sqrt(2) * s)
            ),
            "That is the correlation of x' and x. The slope divides by Var x'.": (
                lambda sd, s: sd / math.sqrt(sd**2 + 2 * s**2)
            ),
            "That is the part of the slope that is lost. Which part is left?": (
                lambda sd, s: 2 * s**2 / (sd**2 + 2 * s**2)
            ),
        },
    )


def _bins(answer: Any) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    x, y = (np.asarray(each, dtype=np.int64) for each in answer)
    return x, y


def _is_data_set(answer: Any) -> str:
    lists = [np.asarray(each, dtype=float) for each in answer]
    if len(lists) != 2:
        return f"It has {len(lists)} parts: give two lists (x, y), not a list of pairs."
    if lists[0].shape != lists[1].shape or lists[0].ndim != 1:
        return f"The lists have the shapes {lists[0].shape} and {lists[1].shape}."
    if not 2 <= lists[0].size <= 12:
        return f"These are {lists[0].size} records."
    inside = all(np.isin(each, range(5)).all() for each in lists)
    return "" if inside else "Some numbers are not among 0, 1, 2, 3, 4."


def _hidden(answer: Any) -> str:
    for name, each in zip("xy", _bins(answer), strict=True):
        rows = np.eye(5)[each]
        losses = privacy_losses(rows, rows.sum(axis=0), each.size)
        worst = int(losses.argmax())
        if not losses[worst] < 0.5:
            alike = int((each == each[worst]).sum())
            return f"By {name} alone record {worst} loses {losses[worst]:.3g}, in a bin of {alike}."
    return ""


def _alone(answer: Any) -> bool | str:
    pairs = pair_losses(*(np.eye(5)[each] for each in _bins(answer)))
    return bool(np.isinf(pairs).any()) or f"The largest loss of a pair is {pairs.max():.3g}."


def _table(seed: int) -> tuple[NDArray[np.float64], ...]:
    """Return a noisy histogram of the players at ε = 1, with its edges."""
    players = load_players()
    counts, across, up = np.histogram2d(players["height"], players["weight"], bins=SIDE)
    noise = np.random.default_rng(seed).laplace(0.0, 1.0, counts.shape)
    return counts + noise, across, up


def _is_table(answer: Callable[..., Any]) -> str:
    cleaned = np.asarray(answer(_table(0)[0]), dtype=float)
    if cleaned.shape != (SIDE, SIDE):
        return (
            f"A table of shape {(SIDE, SIDE)} goes in, and one of shape {cleaned.shape} comes out."
        )
    if not (np.isfinite(cleaned).all() and (cleaned >= 0).all()):
        return "A cell with a weight below 0 or nan cannot be drawn."
    return "" if cleaned.any() else "Nothing is left to draw from."


def _error(clean: Callable[..., Any], seeds: Sequence[int] = range(5)) -> float:
    """Median error over some noisy tables of a network that learns from 2,000 draws."""
    players = load_players()
    errors = []
    for seed in seeds:
        noisy, across, up = _table(seed)
        rng = np.random.default_rng(100 + seed)
        weights = np.asarray(clean(noisy), dtype=float).ravel()
        cells = rng.choice(weights.size, 2000, p=weights / weights.sum())
        x = across[cells // SIDE] + rng.random(cells.size) * (across[1] - across[0])
        y = up[cells % SIDE] + rng.random(cells.size) * (up[1] - up[0])
        network = fit_network(x, y, rng=rng)
        errors.append(network.rmse(players["height"], players["weight"]))
    return float(np.median(errors))


def _is_better(answer: Callable[..., Any]) -> bool | str:
    error = _error(answer)
    cleaned = np.asarray(answer(_table(0)[0]), dtype=float)
    return error < 7.7 or (
        f"The median error is {error:.2f} kg, and you draw from "
        f"{np.count_nonzero(cleaned)} cells of {cleaned.size}."
    )


def _drawn_noise(rng: np.random.Generator) -> Case:
    """Draw three tables and turn them round; the median of so few of them varies more.

    What comes back is turned back.  So a table that was found without looking at the noisy one, for
    example in the data, is not good enough.
    """
    seeds = rng.integers(1, 2**32, 3).tolist()

    def judge(answer: Any) -> bool | str:
        def clean(noisy: NDArray[np.float64]) -> NDArray[np.float64]:
            return np.asarray(answer(noisy[::-1, ::-1].copy()))[::-1, ::-1]

        error = _error(clean, seeds)
        return error < 8.0 or (
            "The median error over three other tables, with both axes turned round, is "
            f"{error:.2f} kg."
        )

    return Case(judge, "The threshold must suit the noise, not one table.")


def _drawn_budget(rng: np.random.Generator) -> Case:
    epsilon = round(float(np.exp(rng.uniform(-4.0, 0.0))), 3)
    total = round(float(rng.uniform(0.5, 6.0)), 2)
    return _draws_case(epsilon, total, "Count upwards with the smaller cost of the two theorems.")


EXERCISES = {
    "draws": Exercise(
        [
            _draws_case(0.01, 1.0, "Many draws: the advanced theorem allows more than the basic."),
            _draws_case(1.0, 10.0, "Few draws: which theorem is better there?"),
            _draws_case(0.5, 0.4, "What if one draw costs too much already?"),
        ],
        draw=_drawn_budget,
    ),
    "flat": Exercise(
        [
            _flat_case(2.0, 1.0, 0.02, "The slope is Cov(x', y) / Var(x')."),
            close(1.0, 3.0, 1e-9, hint="Without noise the slope stays as it is."),
            _flat_case(9.1, 68.6, 0.1, "The players' heights at ε = 1."),
        ],
        draw=lambda rng: _flat_case(
            round(rng.uniform(1.0, 9.0), 1),
            round(rng.uniform(0.5, 3.0), 1),
            0.03,
            "The slope is Cov(x', y) / Var(x').",
        ),
    ),
    "pair": Exercise(
        [
            Case(_is_data_set, "Two lists of one length, 2 to 12, with whole numbers from 0 to 4."),
            Case(
                _hidden,
                "Every x and every y must be shared by enough records.",
                "How many records share a value, if n/(n - 1) and (n - 1)/n · m/(m - 1) are both "
                "below √e?",
            ),
            Case(
                _alone,
                "Every pair of bins that occurs must occur twice for this to be finite. Make one "
                "that occurs once, while other records share its x and its y.",
                "Draw a grid of 3 × 3 cells and place the records on it.",
            ),
        ],
        fixed="The answer is a data set, and what it must show has no parameter.",
    ),
    "better": Exercise(
        [
            Case(_is_table, "Return a table of the same shape with numbers >= 0, not all 0."),
            Case(
                _is_better,
                "Nine of ten cells are empty of people. What does an empty cell have of the noise, "
                "and how many of them have it? And which of the others would you lose?",
                "Noise above t has probability exp(-t)/2 at ε = 1. Choose t so that of 576 cells "
                "hardly one is left by noise alone.",
            ),
        ],
        draw=_drawn_noise,
    ),
}
