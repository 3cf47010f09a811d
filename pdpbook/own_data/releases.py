"""The ways to publish a column: what each promises, what it costs, and how it is drawn.

Only releases of the same kind of output can be compared, and :data:`RELEASES` lists them by kind.
The promise of a :class:`Release` follows from n, ε and the range
(:mod:`pdpbook.own_data.promises`); one of its functions measures the loss of each record and the
error on the column, and the other draws the release (:mod:`pdpbook.own_data.draws`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pdpbook import _exact
from pdpbook._repr import chosen_repr
from pdpbook.audit.accounting import draws_epsilon
from pdpbook.audit.end_to_end_loss import Pipeline, end_to_end_losses, game_pipeline
from pdpbook.audit.private_randomisers import private_randomiser
from pdpbook.foundations.divergences import kl_divergence
from pdpbook.foundations.grid_noise import whole_weights
from pdpbook.foundations.mechanisms import geometric_mechanism
from pdpbook.foundations.noisy_statistics import mean_grid
from pdpbook.foundations.privacy import advanced_composition, optimal_composition
from pdpbook.game.best_response import best_response_dynamics
from pdpbook.game.nvo_game import NVOGame
from pdpbook.own_data import draws, promises
from pdpbook.own_data.column import Column
from pdpbook.own_data.errors import (
    ColumnDistance,
    distribution_quantile,
    drawn_mean_error,
    drawn_quantile_errors,
)
from pdpbook.own_data.promises import SHARE, Promise, make_promise
from pdpbook.own_data.shares import estimated_shares
from pdpbook.own_data.terms import QUARTILES, Terms
from pdpbook.per_instance.common_scales import common_scale
from pdpbook.per_instance.noise_kernels import laplace_kernel
from pdpbook.per_instance.privacy_loss import privacy_losses

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "GAME_WORK",
    "RELEASES",
    "REPAIRED_BINS",
    "REPAIRED_RECORDS",
    "ColumnRelease",
    "Release",
    "ReleaseSetting",
    "range_from_data",
]

Floats = NDArray[np.float64]
#: Scales of the game in units of the scale that is safe for every data set.
MULTIPLIERS: Floats = np.power(4.0, -np.arange(5.0))
#: The repaired game solves linear programs, which take over ten seconds beyond these limits.
REPAIRED_RECORDS, REPAIRED_BINS = 100_000, 32
#: Largest records × bins², summed over reruns, for which best responses are run (two seconds).
GAME_WORK = 500_000_000
#: Largest bins², summed over all reruns, for which the common scale is computed again.
SCALE_WORK = 1_000_000
#: Repetitions of a release if each of them solves linear programs.
FEW_RUNS = 20
#: A scale below this fraction of a bin leaves almost every record in its own bin.
SMALLEST = 0.05
#: The largest number of draws for which optimal composition is computed.
MOST_COMPOSED = 100_000


@dataclass(frozen=True, eq=False, kw_only=True)
class ColumnRelease(Promise):
    """One way to publish the column: its promise, and its cost as measured on the data.

    Attributes
    ----------
    terms, name, title, what, algorithm, epsilon, delta, draws, removal, replacement
        Its promise: :class:`pdpbook.own_data.Promise`.
    parameters : mapping from str to number or list
        The settings of the algorithm, which the common scale and the game choose from the data.
    losses : ndarray, shape (n,)
        Fixed-noise loss of the removal of each record from all draws together, in nats, in
        ascending order of the values; for several draws, an upper bound on their ε at δ.
    end_to_end : float or None
        Largest end-to-end loss of a record in the same sense, or the bound that the promise gives;
        None if it was not computed.
    distribution : ndarray, shape (K,), or None
        The published distribution on the bins, or the distribution of a published value.  For noisy
        counts, it is the distribution in one repetition; for a statistic, None.
    wasserstein, divergence : float
        Distance of the distribution from the column, in the column's unit (nan for categories), and
        KL(q || distribution) in nats; both are nan for a statistic.  For noisy counts all errors
        are averages over the repetitions.
    mean_error : float
        Expected distance from the mean of the column to the published mean, or to the mean of the
        drawn values or of the published distribution.
    quantile_errors : ndarray, shape (q,)
        The same distance for the published quantiles, or for the three quartiles.
    standard_error : float
        Standard error of ``error``; 0 if nothing is simulated.
    count_error : float
        Expected distance of a published count from the count of its bin, in records, on average
        over the bins; nan if no counts are published.
    """

    losses: Floats
    end_to_end: float | None
    distribution: Floats | None = None
    wasserstein: float = math.nan
    mean_error: float = math.nan
    quantile_errors: Floats = field(default_factory=lambda: np.full(3, np.nan))
    divergence: float = math.nan
    standard_error: float = 0.0
    count_error: float = math.nan

    @property
    def error(self) -> float:
        """The error by which releases of the same thing are compared, in the column's unit.

        The Wasserstein distance for counts and values, the error of a mean, or the average error of
        the quantiles; for categories, which have no distance, the error of a count in records.
        """
        if self.publish == "mean":
            return self.mean_error
        if self.publish == "quantiles":
            return float(self.quantile_errors.mean())
        return self.count_error if math.isnan(self.wasserstein) else self.wasserstein

    @property
    def largest_loss(self) -> float:
        """The largest fixed-noise loss of a record, in nats."""
        return float(self.losses.max())

    def __repr__(self) -> str:
        """Return one line with the promise, the largest loss and the error."""
        names = ("name", "promise", "epsilon", "delta", "largest_loss", "error")
        return chosen_repr(self, **{name: getattr(self, name) for name in names})


def _measured(
    promise: Promise, losses: Any, end_to_end: float | None, errors: dict[str, Any], **chosen: Any
) -> ColumnRelease:
    """Return a promise with its cost on the data; ``chosen`` are parameters from the data."""
    promised = {each.name: getattr(promise, each.name) for each in fields(Promise)}
    promised["parameters"] = {**promise.parameters, **chosen}
    return ColumnRelease(**promised, losses=losses, end_to_end=end_to_end, **errors)


@dataclass(frozen=True, eq=False)
class ReleaseSetting:
    """A column and the terms of its release, with results that several releases need.

    Errors of noisy counts are averages over ``runs`` repetitions; a release is computed again
    without one record of each occupied bin if there are at most ``reruns`` such bins.
    """

    column: Column
    terms: Terms
    runs: int
    reruns: int
    seed: int

    @cached_property
    def place(self) -> NDArray[np.int64]:
        """The bin of each record, shape (n,)."""
        return self.terms.grid.index(self.column.values)

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """The histogram, shape (K,)."""
        return np.bincount(self.place, minlength=self.terms.bins).astype(np.int64)

    @property
    def levels(self) -> Floats:
        """The quantiles whose errors are measured: the published quantiles, or the quartiles."""
        published = self.terms.publish == "quantiles"
        return np.array(self.terms.quantiles if published else QUARTILES)

    @cached_property
    def frequency(self) -> Floats:
        """The distribution q of the records on the bins, shape (K,)."""
        return self.counts / self.column.records

    @cached_property
    def distance(self) -> ColumnDistance:
        """Wasserstein distances from the column."""
        return ColumnDistance(self.column.values)

    def generator(self, run: int) -> np.random.Generator:
        """Return the generator of a repetition."""
        return np.random.default_rng([self.seed, run])

    def fixed_losses(self, rows: Floats) -> Floats:
        """Return the fixed-noise loss of each bin's records from one draw, nan for an empty bin."""
        occupied = self.counts > 0
        losses = np.full(self.terms.bins, np.nan)
        rows = whole_weights(rows) / float(_exact.UNITS)  # as they are drawn
        mass = self.counts @ rows
        losses[occupied] = privacy_losses(rows[occupied], mass, self.column.records)
        return losses

    def all_draws(self, losses: Floats, delta: float) -> Floats:
        """Return the cost of all draws for records with the given losses from one draw.

        It is the smallest ε at δ that is valid for every record with this loss, as in the promise.
        """
        draws = self.terms.draws
        totals = draws * losses
        if draws > 1 and delta > 0.0:
            n = self.column.records
            for loss in np.unique(losses[np.isfinite(losses) & (losses > 0.0)]):
                total = draws_epsilon(n, float(loss), draws=draws, delta=delta)
                totals[losses == loss] = total
        return totals

    def errors(self, distributions: Floats, *, drawn: bool) -> dict[str, Any]:
        """Return the average errors of distributions, shape (r, K), or of draws from them."""
        terms, points = self.terms, self.terms.points
        divergence = float(np.mean([kl_divergence(self.frequency, each) for each in distributions]))
        if terms.frame.levels:
            return {"distribution": distributions[0], "divergence": divergence}
        mean, exact = float(self.column.values.mean()), self.column.quantile(self.levels)
        if drawn:
            means = [drawn_mean_error(points, each, terms.draws, mean) for each in distributions]
            quantiles = [
                drawn_quantile_errors(points, each, terms.draws, self.levels, exact)
                for each in distributions
            ]
        else:
            means = list(np.abs(distributions @ points - mean))
            found = [distribution_quantile(points, each, self.levels) for each in distributions]
            quantiles = [np.abs(each - exact) for each in found]
        if terms.publish == "mean":
            return {"mean_error": float(np.mean(means)), "standard_error": _spread(means)}
        if terms.publish == "quantiles":
            spread = _spread(np.mean(quantiles, axis=1))
            return {"quantile_errors": np.mean(quantiles, axis=0), "standard_error": spread}
        distances = np.array([self.distance(points, each) for each in distributions])
        return {
            "distribution": distributions[0],
            "wasserstein": float(distances.mean()),
            "standard_error": _spread(distances),
            "mean_error": float(np.mean(means)),
            "quantile_errors": np.mean(quantiles, axis=0),
            "divergence": divergence,
        }

    @cached_property
    def noisy_runs(self) -> list[NDArray[np.int64]]:
        """Counts with two-sided geometric noise, one array of shape (K,) for each repetition."""
        epsilon = self.terms.spent.epsilon
        return [
            np.asarray(geometric_mechanism(self.counts, epsilon=epsilon, rng=self.generator(run)))
            for run in range(self.runs)
        ]


def _spread(errors: Sequence[float] | Floats) -> float:
    """Return the standard error of an average, or 0 for one number, which was not simulated."""
    runs = len(errors)
    return float(np.std(errors, ddof=1)) / math.sqrt(runs) if runs > 1 else 0.0


def exact_counts(promise: Promise, setting: ReleaseSetting) -> ColumnRelease:
    """Return the cost of the exact counts, with which the others are compared."""
    errors = setting.errors(setting.frequency[None], drawn=False) | {"count_error": 0.0}
    return _measured(promise, np.full(setting.column.records, math.inf), math.inf, errors)


def _drawn_by(promise: Promise, setting: ReleaseSetting, rows: Floats) -> ColumnRelease:
    """Return the cost of draws with a randomiser that does not depend on the data."""
    delta = promise.removal.delta if promise.removal else setting.terms.delta
    losses = setting.all_draws(setting.fixed_losses(rows), delta)
    return _measured(
        promise,
        losses[setting.place],
        float(np.nanmax(losses)),  # nothing is chosen anew when a record leaves
        setting.errors((setting.frequency @ rows)[None], drawn=True),
    )


def common(promise: Promise, setting: ReleaseSetting) -> ColumnRelease:
    """Return the cost of the smallest common scale at which every record is private."""
    terms = setting.terms

    def chosen(counts: NDArray[np.int64]) -> tuple[float, Floats]:
        scale = float(common_scale(counts, epsilon=terms.draw_epsilon))
        return scale, laplace_kernel(terms.bins, [scale])[0] if scale else np.eye(terms.bins)

    scale, rows = chosen(setting.counts)
    return _measured(
        promise,
        setting.all_draws(setting.fixed_losses(rows), terms.delta)[setting.place],
        _end_to_end(
            setting,
            lambda: lambda counts: counts @ chosen(counts)[1] / counts.sum(),
            SCALE_WORK / terms.bins**2,
        ),
        setting.errors((setting.frequency @ rows)[None], drawn=True),
        scale=scale,
    )


def game(promise: Promise, setting: ReleaseSetting) -> ColumnRelease:
    """Return the cost of the equilibrium of the noise-variance-optimization game."""
    terms = setting.terms
    scales = MULTIPLIERS * terms.safe_scale
    scales = scales[: 1 + np.count_nonzero(scales[1:] * terms.bins > SMALLEST)]
    kernel = laplace_kernel(terms.bins, scales)
    played = NVOGame(setting.counts, kernel, epsilon=terms.draw_epsilon, scales=scales)
    profile = _equilibrium(played)
    outcome = played.evaluate(profile)
    losses = np.full(terms.bins, np.nan)
    occupied = setting.counts > 0
    losses[occupied] = np.nanmax(outcome.losses[occupied], axis=1)
    return _measured(
        promise,
        setting.all_draws(losses, terms.delta)[setting.place],
        _end_to_end(
            setting,
            lambda: game_pipeline(played, _equilibrium),
            GAME_WORK / (setting.column.records * terms.bins**2) - 1.0,
        ),
        setting.errors(outcome.output[None], drawn=True),
        scales=scales.tolist(),
        profile=profile.tolist(),
    )


def _equilibrium(played: NVOGame) -> NDArray[np.int64]:
    """Return the final profile of best responses from the best private common scale, if any."""
    outcomes = [played.evaluate(played.constant_profile(v)) for v in range(played.actions)]
    safe = [each for each in outcomes if each.private_records == played.records]
    start = min(safe or outcomes[:1], key=lambda outcome: outcome.divergence)
    return best_response_dynamics(played, start=start.profile).profile


def _end_to_end(
    setting: ReleaseSetting, pipeline: Callable[[], Pipeline], most: float
) -> float | None:
    """Return the largest end-to-end loss from all draws, or None if it takes too many reruns.

    Without a record, the noise of the others may be entirely different, so only optimal composition
    bounds the cost of many draws.
    """
    occupied = np.count_nonzero(setting.counts)
    if setting.column.records < 3 or occupied > min(setting.reruns, most):
        return None
    loss = float(np.nanmax(end_to_end_losses(setting.counts, pipeline())))
    draws, delta = setting.terms.draws, setting.terms.delta
    if draws == 1 or delta == 0.0 or loss == 0.0 or not math.isfinite(draws * loss):
        return draws * loss
    if draws <= MOST_COMPOSED:
        return optimal_composition(loss, draws=draws, delta=delta)
    return min(draws * loss, advanced_composition(loss, draws=draws, slack=delta).epsilon)


def histogram_runs(setting: ReleaseSetting) -> Floats:
    """Return the DP histograms of several repetitions, shape (runs, K)."""
    terms, runs = setting.terms, setting.noisy_runs
    asked, ordered = (terms.records, terms.spent.epsilon), not terms.frame.levels
    return np.array([estimated_shares(noisy, *asked, ordered=ordered) for noisy in runs])


def cut_counts(setting: ReleaseSetting) -> Floats:
    """Return the shares of each repetition, from noisy counts cut at 0, shape (runs, K)."""
    positive = np.maximum(setting.noisy_runs, 0).astype(np.float64)
    totals = positive.sum(axis=1, keepdims=True)
    even = np.full_like(positive, 1.0 / setting.terms.bins)
    return np.divide(positive, totals, out=even, where=totals > 0)


def noisy_counts(promise: Promise, setting: ReleaseSetting) -> ColumnRelease:
    """Return the cost of noisy counts, which a reader cuts at 0 to obtain a distribution."""
    errors = setting.errors(cut_counts(setting), drawn=False)
    epsilon = setting.terms.spent.epsilon  # every record loses ε
    losses = np.full(setting.column.records, epsilon)
    off = {"count_error": 1.0 / math.sinh(epsilon)}
    return _measured(promise, losses, epsilon, errors | off)


def histogram(promise: Promise, setting: ReleaseSetting) -> ColumnRelease:
    """Return the cost of a DP histogram, or of a mean, quantiles or values taken from it."""
    terms, shares = setting.terms, histogram_runs(setting)
    errors = setting.errors(shares, drawn=terms.publish == "value")
    if terms.publish == "counts":
        off = np.abs(shares * terms.records - setting.counts).mean(axis=1)
        errors["count_error"] = float(np.mean(off))
        if terms.frame.levels:  # compared by the error of a count
            errors["standard_error"] = _spread(off)
    epsilon = terms.spent.epsilon
    return _measured(promise, np.full(terms.records, epsilon), epsilon, errors)


def repaired_game(promise: Promise, setting: ReleaseSetting) -> ColumnRelease:
    """Return the cost of the randomiser that is made from noisy counts, and of its draws."""
    total, share, lower_delta, _ = promises.counts_and_draws(setting.terms)
    asked: dict[str, Any] = {"epsilon": total, "delta": lower_delta, "share": share}
    made = [
        private_randomiser(setting.counts, rng=setting.generator(run), actions="blur", **asked)
        for run in range(min(setting.runs, FEW_RUNS))
    ]
    losses = np.mean(
        [setting.all_draws(setting.fixed_losses(each.randomiser), lower_delta) for each in made],
        axis=0,
    )
    return _measured(
        promise,
        SHARE * setting.terms.spent.epsilon + losses[setting.place],
        setting.terms.spent.epsilon,
        setting.errors(np.array([each.output(setting.counts) for each in made]), drawn=True),
    )


def noisy_mean(promise: Promise, setting: ReleaseSetting) -> ColumnRelease:
    """Return the cost of the mean with discrete Laplace noise."""
    column, epsilon = setting.column, setting.terms.spent.epsilon
    grid = mean_grid(column.records, lower=column.lower, upper=column.upper)
    losses = grid.losses(column.values, epsilon)
    errors = {"mean_error": grid.error(column.values, epsilon)}
    return _measured(promise, losses, float(losses.max()), errors)


def noisy_quantiles(promise: Promise, setting: ReleaseSetting) -> ColumnRelease:
    """Return the cost of quantiles by permute-and-flip."""
    choices = draws.quantile_choices(setting.terms, setting.column)
    exact = setting.column.quantile(setting.levels).tolist()
    losses = np.sum([each.losses() for each in choices], axis=0)
    errors = np.array([each.error(target) for each, target in zip(choices, exact, strict=True)])
    return _measured(promise, losses, float(losses.max()), {"quantile_errors": errors})


def range_from_data(release: ColumnRelease, column: Column) -> ColumnRelease:
    """Return a release without its promise, because its range was taken from the data.

    If only one record is at an end of the range, its end-to-end loss is infinite.
    """
    ends = column.values[[0, -1]]
    alone = column.values[1] > ends[0] or column.values[-2] < ends[1]
    end_to_end = math.inf if alone else release.end_to_end
    none: dict[str, Any] = {"epsilon": math.inf, "delta": 0.0, "removal": None, "replacement": None}
    return replace(release, end_to_end=end_to_end, **none)


@dataclass(frozen=True)
class Release:
    """A way to publish a column; ``draw`` is None without differential privacy."""

    name: str
    measure: Callable[[Promise, ReleaseSetting], ColumnRelease]
    draw: Callable[[Terms, Column], pd.DataFrame] | None = None

    def promise(self, terms: Terms) -> Promise:
        """Return what the release promises."""
        return make_promise(terms, self.name)

    def __call__(self, setting: ReleaseSetting) -> ColumnRelease:
        """Return the promise of the release with its cost on the data."""
        return self.measure(self.promise(setting.terms), setting)


_HISTOGRAM = Release("histogram", histogram, draws.draw_histogram)
_OFFERED = {
    "counts": [
        Release("none", exact_counts),
        Release("noisy_counts", noisy_counts, draws.draw_noisy_counts),
        _HISTOGRAM,
    ],
    "mean": [Release("mean", noisy_mean, draws.draw_mean), _HISTOGRAM],
    "quantiles": [Release("quantiles", noisy_quantiles, draws.draw_quantiles), _HISTOGRAM],
    "value": [
        Release("none", lambda promise, s: _drawn_by(promise, s, np.eye(s.terms.bins))),
        Release(
            "laplace",
            lambda promise, s: _drawn_by(promise, s, s.terms.laplace_rows),
            lambda terms, column: draws.draw_by(terms, column, terms.laplace_rows),
        ),
        Release(
            "response",
            lambda promise, s: _drawn_by(promise, s, s.terms.response_rows),
            lambda terms, column: draws.draw_by(terms, column, terms.response_rows),
        ),
        _HISTOGRAM,
        Release("repaired_game", repaired_game, draws.draw_repaired_game),
        Release("common_scale", common),
        Release("game", game),
    ],
}
#: The releases of each kind of output, by name, with the simplest ones first.
#:
#: :meta hide-value:
RELEASES: dict[str, dict[str, Release]] = {
    publish: {each.name: each for each in offered} for publish, offered in _OFFERED.items()
}
