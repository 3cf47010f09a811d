r"""The ways to publish a column, each with its promise, its losses and its error.

What is to be published is asked first, because releases of different things cannot be compared: a
table of *counts*, a *mean*, *quantiles*, or single *values* drawn like the data.  :data:`RELEASES`
has the releases of each.

Two kinds of promise are kept apart.

*Differential privacy* is a property of the algorithm: whatever the records are, adding or removing
one of them changes the probability of any output by a factor of at most :math:`e^\varepsilon` (but
for δ).  Randomisers that are chosen from n and ε alone, noisy counts, and noisy statistics have it.

A *fixed-noise* promise is a property of this column: no record's loss exceeds ε as long as the
others keep the noise that was chosen with the record present.  A common scale or a game that is
computed from the data has it, and its *end-to-end loss*, for which everything is computed again
without the record, may be larger.

Both are promised for a public range only.  If the range is taken from the data, it moves when the
smallest or the largest record leaves, and nothing is promised: :func:`range_from_data`.

Bins, scales and the ε of one draw are chosen from the number of records n.  The promises therefore
hold with n public: they compare the data with and without a record under the noise for n records.
Against the *replacement* of a record, for which n stays, some releases promise the same ε and
others up to twice as much.

A column of categories has levels in place of a range.  Only its counts are released, and since
levels have no distance, releases of them are compared by the error of a count.

m values are released together under one promise.  Draws of one randomiser are independent given the
data, so each is made for a smaller ε, such that the m of them cost no more than (ε, δ) in total; a
noisy histogram pays once, and any number of values may be drawn from it.  The losses of the records
are counted in the same way: as the ε of all draws at δ.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdpbook import _exact
from pdpbook._repr import chosen_repr
from pdpbook.audit.accounting import draws_epsilon
from pdpbook.audit.count_posterior import posterior_from_noise
from pdpbook.audit.end_to_end_loss import Pipeline, end_to_end_losses, game_pipeline
from pdpbook.audit.private_randomisers import private_randomiser
from pdpbook.audit.randomisers import k_ary_randomised_response
from pdpbook.foundations.discrete_noise import UNITS
from pdpbook.foundations.divergences import kl_divergence
from pdpbook.foundations.grid_noise import whole_weights
from pdpbook.foundations.mechanisms import geometric_mechanism
from pdpbook.foundations.noisy_statistics import mean_grid
from pdpbook.foundations.privacy import (
    Budget,
    advanced_composition,
    group_privacy,
    optimal_composition,
)
from pdpbook.foundations.sampling_query import Grid
from pdpbook.game.best_response import best_response_dynamics
from pdpbook.game.nvo_game import NVOGame
from pdpbook.own_data.column import Column
from pdpbook.own_data.errors import (
    ColumnDistance,
    distribution_quantile,
    drawn_mean_error,
    drawn_quantile_errors,
)
from pdpbook.per_instance.common_scales import common_scale
from pdpbook.per_instance.noise_kernels import laplace_kernel
from pdpbook.per_instance.privacy_loss import privacy_losses
from pdpbook.per_instance.scale_bounds import scale_bound
from pdpbook.per_instance.statistic_losses import (
    quantile_losses,
    quantile_probabilities,
)

__all__ = [
    "FROM_DATA",
    "GAME_WORK",
    "LEVELS",
    "PROMISES",
    "PUBLISHED",
    "RELEASES",
    "REPAIRED_BINS",
    "REPAIRED_RECORDS",
    "SWEPT",
    "ColumnRelease",
    "ReleaseSetting",
    "counts_and_draws",
    "one_draw_epsilon",
    "quantile_candidates",
    "quantile_shares",
    "range_from_data",
    "repaired_game",
]

#: The quantiles whose errors are reported.
LEVELS = np.array([0.25, 0.5, 0.75])
#: The kinds of promise, the strongest first.
PROMISES = ("differential privacy", "fixed-noise", "none")
#: The promise of every release whose range is taken from the data.
FROM_DATA = "none: the range is taken from the data"
#: Scales of the game in units of the one that is safe for every data set.
MULTIPLIERS: NDArray[np.float64] = np.power(4.0, -np.arange(5.0))
#: The part of ε that the repaired game spends on noisy counts.
SHARE = 0.8
#: The repaired game solves linear programs that take above ten seconds for more records or bins.
REPAIRED_RECORDS, REPAIRED_BINS = 100_000, 32
#: The most records × bins² for which best responses are computed, all reruns together: about two
#: seconds.
GAME_WORK = 500_000_000
#: The most bins² for which the common scale is computed again, all reruns together.
SCALE_WORK = 1_000_000
#: The parts of ε for the lower quartile, the median and the upper quartile.
QUANTILE_PARTS = (Fraction(2, 5), Fraction(1, 3), Fraction(2, 5))
#: At least so many steps has the grid of points among which a noisy quantile is chosen.
CANDIDATES = 1000
#: Repetitions of a release of which each takes linear programs.
FEW_RUNS = 20
#: What may be published, in words.
PUBLISHED = {
    "counts": "a table of counts",
    "mean": "the mean",
    "quantiles": "the three quartiles",
    "value": "single values drawn like the data",
}
#: How the parameters of a release are called in a sentence.
WORDS = {
    "draw_epsilon": "ε of one draw",
    "uniform_probability": "probability of a uniform bin",
    "scale": "scale as a part of the range",
    "counts_epsilon": "ε of the counts",
    "counts_delta": "δ of the counts",
    "noise_scale": "Laplace scale",
    "precision": "precision",
    "quartile_epsilon": "ε of the lower and of the upper quartile",
    "median_epsilon": "ε of the median",
    "candidates": "candidates",
}
#: A scale of less than this part of a bin leaves almost every record in its own bin.
SMALLEST = 0.05
#: More draws than optimal composition counts.
MOST_COMPOSED = 100_000
#: By which part of it the safe scale is widened at least: against rounding.
_WIDER = 1e-9


@dataclass(frozen=True, eq=False)
class ColumnRelease:
    """One way to publish the column.

    Attributes
    ----------
    name : str
        Its identifier, such as ``"histogram"``.
    title : str
        What it is called in a sentence.
    what : str
        What is published, in words.
    publish : str
        Which of :data:`PUBLISHED` it is.
    algorithm : str
        What the algorithm promises on a public range, one of :data:`PROMISES`.
    epsilon, delta : float
        What the promise says of all draws together; infinite ε if nothing is promised.
    losses : ndarray, shape (n,)
        Fixed-noise loss of the removal of each record, in ascending order of the values, in nats,
        by all draws together: with several draws the ε that they cost the record at δ, at most.
    end_to_end : float or None
        Largest end-to-end loss of a record in the same sense, or the bound that the promise gives;
        None where it was not computed.
    distribution : ndarray, shape (K,), or None
        Distribution on the bins that is published, or of a published value; with noisy counts that
        of one repetition; None for a statistic.
    wasserstein : float
        Distance of the distribution from the column, in its unit; nan for a statistic and for
        categories.  With noisy counts this and all other errors are averages over the repetitions.
    mean_error : float
        Expected distance of what is published from the mean of the column: of the mean of the drawn
        values, of the mean of the published distribution, or of the published mean.
    quantile_errors : ndarray, shape (3,)
        The same of the three quartiles.
    divergence : float
        KL(q || distribution) in nats on the bins; nan for a statistic.
    parameters : mapping from str to number or list
        What the algorithm was set to, by names that are Python's.
    code : str
        Lines of Python that make the release from ``values``, the column without missing values;
        empty for the release without noise.
    standard_error : float
        That of ``error``; 0 where nothing is simulated.
    count_error : float
        Expected distance of a published count from the count of its bin, in records, on average
        over the bins; nan where no counts are published.
    draws : int or None
        Number m of values that are drawn and published; None where a distribution or a statistic is
        published once.
    replacement : Budget or None
        The (ε, δ) of all draws together against the replacement of one record by another, where the
        promise is differential privacy.
    public_range : bool
        Whether the range was given; if it was taken from the data, nothing is promised.
    """

    name: str
    title: str
    what: str
    publish: str
    algorithm: str
    epsilon: float
    delta: float
    losses: NDArray[np.float64]
    end_to_end: float | None
    parameters: Mapping[str, float | list[float]]
    code: str
    distribution: NDArray[np.float64] | None = None
    wasserstein: float = math.nan
    mean_error: float = math.nan
    quantile_errors: NDArray[np.float64] = field(default_factory=lambda: np.full(3, np.nan))
    divergence: float = math.nan
    standard_error: float = 0.0
    count_error: float = math.nan
    draws: int | None = None
    replacement: Budget | None = None
    public_range: bool = True

    @property
    def promise(self) -> str:
        """What is promised here: nothing, if the range is taken from the data."""
        return self.algorithm if self.public_range or self.algorithm == "none" else FROM_DATA

    @property
    def error(self) -> float:
        """The error by which releases of the same thing are compared, in the column's unit.

        The Wasserstein distance of counts and of values, the error of a mean, and the average error
        of the three quartiles; of categories, which have no distance, the error of a count, in
        records.
        """
        if self.publish == "mean":
            return self.mean_error
        if self.publish == "quantiles":
            return float(self.quantile_errors.mean())
        return self.count_error if math.isnan(self.wasserstein) else self.wasserstein

    @property
    def published(self) -> str:
        """What is published, with the parameters that are single numbers."""
        numbers = [
            f"{WORDS[name]} {value:.6g}"
            for name, value in self.parameters.items()
            if isinstance(value, (int, float))
        ]
        return self.what + (f" ({', '.join(numbers)})" if numbers else "")

    def __repr__(self) -> str:
        """Return one line: what it promises, the largest loss and the error."""
        names = ("name", "promise", "epsilon", "delta", "largest_loss", "error")
        return chosen_repr(self, **{name: getattr(self, name) for name in names})

    @property
    def largest_loss(self) -> float:
        """The largest fixed-noise loss of a record, in nats."""
        return float(self.losses.max())


@dataclass(frozen=True, eq=False)
class ReleaseSetting:
    """A column on a grid, and what is asked of its release.

    Parameters
    ----------
    column : Column
        The values.
    publish : str
        Which of :data:`PUBLISHED` is asked for.
    bins : int
        Number of bins K, as many as ``column.grid(bins)`` has.
    epsilon, delta : float
        The promise for all draws together.
    draws : int
        Number m of values to release.
    runs : int
        Over how many repetitions the error of a release with noisy counts is averaged.
    reruns : int
        The largest number of occupied bins for which a release is computed again without a record
        of each of them.
    seed : int
        Seed of the repetitions.
    """

    column: Column
    publish: str
    bins: int
    epsilon: float
    delta: float
    draws: int
    runs: int
    reruns: int
    seed: int

    @cached_property
    def grid(self) -> Grid:
        """The bins."""
        return self.column.grid(self.bins)

    @cached_property
    def place(self) -> NDArray[np.int64]:
        """The bin of each record, shape (n,)."""
        return self.grid.index(self.column.values)

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """The histogram, shape (K,)."""
        return np.bincount(self.place, minlength=self.bins).astype(np.int64)

    @cached_property
    def frequency(self) -> NDArray[np.float64]:
        """The distribution q of the records on the bins, shape (K,)."""
        return self.counts / self.column.records

    @cached_property
    def draw_epsilon(self) -> float:
        """The ε of one draw such that all of them together cost (ε, δ)."""
        return one_draw_epsilon(
            self.column.records, self.epsilon, draws=self.draws, delta=self.delta
        )

    @cached_property
    def safe_scale(self) -> float:
        """A scale that is private for every column of n records, as a part of the range.

        That of Theorem 1′ is for the ideal noise.  It is widened until the noise in whole numbers,
        which is what is drawn, keeps the promise, too.
        """
        n, epsilon = self.column.records, self.draw_epsilon
        least, more = scale_bound(n, epsilon), _WIDER
        while True:
            scale = least * (1.0 + more)
            weights = whole_weights(laplace_kernel(self.bins, [scale])[0])
            if _exact.private_for_all_data(weights, n, epsilon):
                return scale
            more *= 2.0

    @cached_property
    def distance(self) -> ColumnDistance:
        """Wasserstein distances from the column."""
        return ColumnDistance(self.column.values)

    def generator(self, run: int) -> np.random.Generator:
        """Return the generator of a repetition."""
        return np.random.default_rng([self.seed, run])

    def fixed_losses(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return each bin's fixed-noise loss by one draw when its records are released by a row.

        Parameters
        ----------
        rows : ndarray, shape (K, K)

        Returns
        -------
        ndarray, shape (K,)
            nan for empty bins.
        """
        occupied = self.counts > 0
        losses = np.full(self.bins, np.nan)
        rows = whole_weights(rows) / float(_exact.UNITS)  # as they are drawn
        mass = self.counts @ rows
        losses[occupied] = privacy_losses(rows[occupied], mass, self.column.records)
        return losses

    def all_draws(self, losses: NDArray[np.float64], delta: float) -> NDArray[np.float64]:
        """Return what all draws together cost records that lose so much by one draw.

        Parameters
        ----------
        losses : ndarray
            Fixed-noise losses by one draw; may be infinite, or nan for empty bins.
        delta : float
            The δ at which the draws are counted.

        Returns
        -------
        ndarray, of the shape of losses
            The smallest ε that holds at δ for every record with such a loss, which is what the
            promise bounds; with one draw the losses themselves.
        """
        totals = self.draws * losses
        if self.draws > 1 and delta > 0.0:
            n = self.column.records
            for loss in np.unique(losses[np.isfinite(losses) & (losses > 0.0)]):
                total = draws_epsilon(n, float(loss), draws=self.draws, delta=delta)
                totals[losses == loss] = total
        return totals

    def code(self, line: str) -> str:
        """Return the lines that make a release, with those that every release begins with.

        Parameters
        ----------
        line : str
            An expression; ``values`` are on the range there, and ``grid`` has the bins.  Of
            categories it has :attr:`counted` in place of both.
        """
        column, grid = self.column, self.grid
        if column.levels:
            level = "value"
            if column.other is not None:
                level = f"value if value in levels else {column.other!r}"
            return (
                "from collections import Counter\n\nimport pdpbook as pb\n\n"
                f"levels = {[*column.levels]!r}\n"
                f"found = Counter({level} for value in values)\n"
                f"released = {line}\n"
            )
        made = f"grid = pb.Grid({grid.lower!r}, {grid.upper!r}, {grid.bins})\n"
        return (
            "import numpy as np\nimport pdpbook as pb\n\n"
            f"values = np.clip(values, {column.lower!r}, {column.upper!r})\n"
            f"{made if 'grid' in line else ''}released = {line}\n"
        )

    @property
    def counted(self) -> str:
        """The expression of the counts in the lines that make a release."""
        return "[found[level] for level in levels]" if self.column.levels else "grid.counts(values)"

    def errors(self, distributions: NDArray[np.float64], *, drawn: bool) -> dict[str, Any]:
        """Return how far releases are from the column, on average over repetitions.

        Parameters
        ----------
        distributions : ndarray, shape (r, K)
            Those of a released value.
        drawn : bool
            Whether values drawn from the distribution are published, and not itself.

        Returns
        -------
        dict
            Attributes of a :class:`ColumnRelease`: what can be told of what is published.
        """
        points, column, draws = self.grid.midpoints, self.column, self.draws
        divergence = float(np.mean([kl_divergence(self.frequency, each) for each in distributions]))
        if column.levels:
            return {"distribution": distributions[0], "divergence": divergence}
        mean, quartiles = float(column.values.mean()), column.quantile(LEVELS)
        if drawn:
            means = [drawn_mean_error(points, each, draws, mean) for each in distributions]
            quantiles = [
                drawn_quantile_errors(points, each, draws, LEVELS, quartiles)
                for each in distributions
            ]
        else:
            means = list(np.abs(distributions @ points - mean))
            quantiles = [
                np.abs(distribution_quantile(points, each, LEVELS) - quartiles)
                for each in distributions
            ]
        if self.publish == "mean":
            return {"mean_error": float(np.mean(means)), "standard_error": _spread(means)}
        if self.publish == "quantiles":
            averages = np.mean(quantiles, axis=1)
            return {
                "quantile_errors": np.mean(quantiles, axis=0),
                "standard_error": _spread(averages),
            }
        distances = self.distances(distributions)
        return {
            "distribution": distributions[0],
            "wasserstein": float(distances.mean()),
            "standard_error": _spread(distances),
            "mean_error": float(np.mean(means)),
            "quantile_errors": np.mean(quantiles, axis=0),
            "divergence": divergence,
            "draws": draws if drawn else None,
        }

    @cached_property
    def noisy_runs(self) -> list[NDArray[np.int64]]:
        """Counts with two-sided geometric noise, of all repetitions, each of shape (K,)."""
        return [
            np.asarray(
                geometric_mechanism(self.counts, epsilon=self.epsilon, rng=self.generator(run))
            )
            for run in range(self.runs)
        ]

    def average_error(self, distributions: NDArray[np.float64]) -> float:
        """Return the error by which releases of the same thing are compared, of distributions."""
        if self.publish in ("counts", "value"):
            return float(self.distances(distributions).mean())
        found = self.errors(distributions, drawn=False)
        name = "mean_error" if self.publish == "mean" else "quantile_errors"
        return float(np.mean(found[name]))

    def distances(self, distributions: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the Wasserstein distances of distributions, shape (r, K), from the column."""
        return np.array([self.distance(self.grid.midpoints, each) for each in distributions])


def _spread(errors: Sequence[float] | NDArray[np.float64]) -> float:
    """Return the standard error of an average; 0 of a single number, which was not simulated."""
    runs = len(errors)
    return float(np.std(errors, ddof=1)) / math.sqrt(runs) if runs > 1 else 0.0


def one_draw_epsilon(n: int, epsilon: float, *, draws: int, delta: float) -> float:
    """Return the ε of one draw such that all draws together cost what was asked for.

    Parameters
    ----------
    n : int
        Number of records.
    epsilon, delta : float
        The promise for all draws together.
    draws : int
        Number of draws.

    Returns
    -------
    float
        The largest ε₁ for which :func:`pdpbook.draws_epsilon` gives no more than ε, up to one part
        in a million; at least ε / m, rounded down, and just that with δ = 0 or one draw.

    Examples
    --------
    >>> round(one_draw_epsilon(1000, 1.0, draws=10, delta=0.0), 3)
    0.1
    >>> one = one_draw_epsilon(1000, 1.0, draws=1000, delta=1e-6)
    >>> round(one, 3), round(draws_epsilon(1000, one, draws=1000, delta=1e-6), 3)
    (0.044, 1.0)
    """
    low = _exact.rounded_down(Fraction(epsilon) / draws)
    if draws == 1 or delta == 0.0:
        return low
    high = epsilon
    while high > low * (1.0 + 1e-6):
        middle = math.sqrt(low * high)
        kept = draws_epsilon(n, middle, draws=draws, delta=delta) <= epsilon
        low, high = (middle, high) if kept else (low, middle)
    return low


def no_noise(setting: ReleaseSetting) -> ColumnRelease:
    """Return the column's own values, drawn at random: what the others are compared with."""
    losses = setting.all_draws(setting.fixed_losses(np.eye(setting.bins)), setting.delta)
    return ColumnRelease(
        "none",
        "no noise",
        "values of records drawn at random, rounded to the midpoints of the bins",
        setting.publish,
        "none",
        math.inf,
        0.0,
        losses[setting.place],
        float(np.nanmax(losses)),
        **setting.errors(setting.frequency[None], drawn=True),
        parameters={},
        code="",
    )


def exact_counts(setting: ReleaseSetting) -> ColumnRelease:
    """Return the counts as they are: what the others are compared with."""
    return ColumnRelease(
        "none",
        "no noise",
        "the counts as they are",
        setting.publish,
        "none",
        math.inf,
        0.0,
        np.full(setting.column.records, math.inf),
        math.inf,
        **setting.errors(setting.frequency[None], drawn=False),
        count_error=0.0,
        parameters={},
        code="",
    )


def _randomised(
    setting: ReleaseSetting,
    name: str,
    title: str,
    published: str,
    rows: NDArray[np.float64],
    parameters: Mapping[str, float | list[float]],
    code: str,
) -> ColumnRelease:
    """Return a release by a randomiser that is chosen from n and the target alone."""
    losses = setting.all_draws(setting.fixed_losses(rows), setting.delta)
    return ColumnRelease(
        name,
        title,
        published,
        setting.publish,
        "differential privacy",
        setting.epsilon,
        setting.delta if setting.draws > 1 else 0.0,
        losses[setting.place],
        float(np.nanmax(losses)),  # nothing is chosen anew when a record leaves
        **setting.errors((setting.frequency @ rows)[None], drawn=True),
        parameters={"draw_epsilon": setting.draw_epsilon, **parameters},
        code=code,
        replacement=_replaced(setting),
    )


def _laplace_code(setting: ReleaseSetting, scale: float) -> str:
    """Return the line that draws values with Laplace noise of one scale."""
    return _drawn_code(setting, f"pb.laplace_kernel({setting.bins}, [{scale!r}])[0]")


def _drawn_code(setting: ReleaseSetting, randomiser: str) -> str:
    """Return the line that draws records and releases each by its row of a randomiser."""
    drawn = f"pb.audit.draw_released(grid.counts(values), {randomiser}, {setting.draws})"
    return setting.code(f"grid.midpoints[{drawn}]")


def _replaced(setting: ReleaseSetting) -> Budget:
    """Return what draws of a fixed randomiser promise when one record is replaced.

    The largest ratio of two probabilities of one draw is the same as for removal: at an output that
    a record reaches with the probability a instead of b, and each of the others with b, it is
    (n - 1 + a / b) / n in both cases.  The δ of many draws is another matter: there the replacement
    is a removal that is followed by an addition.
    """
    basic = _exact.times_up(setting.draws, setting.draw_epsilon)
    if basic <= 2.0 * setting.epsilon:
        return Budget(basic)
    return group_privacy(setting.epsilon, records=2, delta=setting.delta)


def laplace_rows(setting: ReleaseSetting) -> NDArray[np.float64]:
    """Return Laplace noise of the one scale that is private for every column of n records."""
    return laplace_kernel(setting.bins, [setting.safe_scale])[0]


def response_rows(setting: ReleaseSetting) -> NDArray[np.float64]:
    """Return k-ary randomised response for n records."""
    return k_ary_randomised_response(setting.bins, setting.column.records, setting.draw_epsilon)


def laplace(setting: ReleaseSetting) -> ColumnRelease:
    """Return the random sampling query with the Laplace mechanism."""
    return _randomised(
        setting,
        "laplace",
        "Laplace mechanism",
        "values of records drawn at random, with truncated Laplace noise of one scale",
        laplace_rows(setting),
        {"scale": setting.safe_scale},
        _laplace_code(setting, setting.safe_scale),
    )


def randomised_response(setting: ReleaseSetting) -> ColumnRelease:
    """Return the random sampling query with k-ary randomised response."""
    rows, n = response_rows(setting), setting.column.records
    made = f"pb.k_ary_randomised_response({setting.bins}, {n}, {setting.draw_epsilon!r})"
    return _randomised(
        setting,
        "response",
        "k-ary randomised response",
        "values of records drawn at random, some of them replaced by a bin drawn uniformly",
        rows,
        {"uniform_probability": setting.bins * float(rows[0, 1])},
        _drawn_code(setting, made),
    )


def common(setting: ReleaseSetting) -> ColumnRelease:
    """Return the query with the smallest common scale at which every record is private."""

    def scale_of(counts: NDArray[np.int64]) -> float:
        return float(common_scale(counts, epsilon=setting.draw_epsilon))

    def rows(counts: NDArray[np.int64]) -> NDArray[np.float64]:
        scale = scale_of(counts)
        return laplace_kernel(setting.bins, [scale])[0] if scale else np.eye(setting.bins)

    chosen, scale = rows(setting.counts), scale_of(setting.counts)
    return ColumnRelease(
        "common_scale",
        "common scale",
        "values of records drawn at random, with truncated Laplace noise of the smallest scale at "
        "which no record of this column loses more",
        setting.publish,
        "fixed-noise",
        setting.epsilon,
        setting.delta if setting.draws > 1 else 0.0,
        setting.all_draws(setting.fixed_losses(chosen), setting.delta)[setting.place],
        _end_to_end(
            setting,
            lambda: lambda counts: counts @ rows(counts) / counts.sum(),
            SCALE_WORK / setting.bins**2,
        ),
        **setting.errors((setting.frequency @ chosen)[None], drawn=True),
        parameters={"draw_epsilon": setting.draw_epsilon, "scale": scale},
        code=(
            _laplace_code(setting, scale)
            if scale
            else _drawn_code(setting, f"np.eye({setting.bins})")
        ),
    )


def game(setting: ReleaseSetting) -> ColumnRelease:
    """Return the equilibrium of the noise-variance-optimization game."""
    scales = MULTIPLIERS * setting.safe_scale
    scales = scales[: 1 + np.count_nonzero(scales[1:] * setting.bins > SMALLEST)]
    played = NVOGame(
        setting.counts,
        laplace_kernel(setting.bins, scales),
        epsilon=setting.draw_epsilon,
        scales=scales,
    )
    profile = _equilibrium(played)
    outcome = played.evaluate(profile)
    losses = np.full(setting.bins, np.nan)
    occupied = setting.counts > 0
    losses[occupied] = np.nanmax(outcome.losses[occupied], axis=1)
    return ColumnRelease(
        "game",
        "game",
        "values of records drawn at random, each with the scale that best responses chose for it",
        setting.publish,
        "fixed-noise",
        setting.epsilon,
        setting.delta if setting.draws > 1 else 0.0,
        setting.all_draws(losses, setting.delta)[setting.place],
        _end_to_end(
            setting,
            lambda: game_pipeline(played, _equilibrium),
            GAME_WORK / (setting.column.records * setting.bins**2) - 1.0,
        ),
        **setting.errors(outcome.output[None], drawn=True),
        parameters={
            "draw_epsilon": setting.draw_epsilon,
            "scales": scales.tolist(),
            "profile": profile.tolist(),
        },
        code=_played_code(setting, scales, profile),
    )


def _played_code(
    setting: ReleaseSetting, scales: NDArray[np.float64], profile: NDArray[np.int64]
) -> str:
    """Return the lines that draw from the game at the equilibrium."""
    kernel = f"pb.laplace_kernel({setting.bins}, {scales.tolist()!r})"
    return setting.code(
        f"(\n    pb.NVOGame(grid.counts(values), {kernel}, epsilon={setting.draw_epsilon!r}, "
        f"grid=grid)\n    .evaluate({profile.tolist()!r})\n    .sample({setting.draws})\n)"
    )


def _equilibrium(played: NVOGame) -> NDArray[np.int64]:
    """Return where best responses end, from the best common scale that is private.

    Where a record of very few has left, the largest scale may no longer be private for the others;
    then it is the start.
    """
    outcomes = [played.evaluate(played.constant_profile(v)) for v in range(played.actions)]
    safe = [each for each in outcomes if each.private_records == played.records]
    start = min(safe or outcomes[:1], key=lambda outcome: outcome.divergence)
    return best_response_dynamics(played, start=start.profile).profile


def _end_to_end(
    setting: ReleaseSetting, pipeline: Callable[[], Pipeline], most: float
) -> float | None:
    """Return the largest end-to-end loss by all draws, if at most so many reruns are needed.

    Without a record the others' noise may be any other, so nothing but the loss of one draw is
    known about the likelihood ratio, and many draws cost what optimal composition says.
    """
    occupied = np.count_nonzero(setting.counts)
    if setting.column.records < 3 or occupied > min(setting.reruns, most):
        return None
    loss = float(np.nanmax(end_to_end_losses(setting.counts, pipeline())))
    draws, delta = setting.draws, setting.delta
    if draws == 1 or delta == 0.0 or loss == 0.0 or not math.isfinite(draws * loss):
        return draws * loss
    if draws <= MOST_COMPOSED:
        return optimal_composition(loss, draws=draws, delta=delta)
    return min(draws * loss, advanced_composition(loss, draws=draws, slack=delta).epsilon)


def histogram_runs(setting: ReleaseSetting) -> NDArray[np.float64]:
    """Return the DP histograms of several repetitions, shape (runs, K)."""
    return np.array(
        [
            posterior_from_noise(noisy, epsilon=setting.epsilon).distribution
            for noisy in setting.noisy_runs
        ]
    )


def cut_counts(setting: ReleaseSetting) -> NDArray[np.float64]:
    """Return the shares of noisy counts that are cut at 0, of all repetitions, (runs, K)."""
    positive = np.maximum(setting.noisy_runs, 0).astype(np.float64)
    totals = positive.sum(axis=1, keepdims=True)
    even = np.full_like(positive, 1.0 / setting.bins)
    return np.divide(positive, totals, out=even, where=totals > 0)


def noisy_counts(setting: ReleaseSetting) -> ColumnRelease:
    """Return the counts with two-sided geometric noise, as they are.

    Their error is that of the noise, for which there is a formula: 1 / sinh(ε) on average.  The
    distribution is what a reader makes of them who cuts at 0.
    """
    return _from_counts(
        setting,
        "noisy_counts",
        "noisy counts",
        "the counts with two-sided geometric noise, whole numbers of which some may be negative",
        setting.errors(cut_counts(setting), drawn=False)
        | {"count_error": 1.0 / math.sinh(setting.epsilon)},
        f"pb.geometric_mechanism({setting.counted}, epsilon={setting.epsilon!r})",
    )


def histogram(setting: ReleaseSetting) -> ColumnRelease:
    """Return the DP histogram: what noisy counts say about the true ones."""
    posteriors = [posterior_from_noise(z, epsilon=setting.epsilon) for z in setting.noisy_runs]
    off = [float(np.abs(each.mean - setting.counts).mean()) for each in posteriors]
    shares = np.array([each.distribution for each in posteriors])
    errors = setting.errors(shares, drawn=False) | {"count_error": float(np.mean(off))}
    if setting.column.levels:  # compared by the error of a count
        errors["standard_error"] = _spread(off)
    return _from_counts(
        setting,
        "histogram",
        "DP histogram",
        f"the share of each {'level' if setting.column.levels else 'bin'}, estimated from counts "
        "with two-sided geometric noise",
        errors,
        f"pb.dp_histogram({setting.counted}, epsilon={setting.epsilon!r})",
    )


def histogram_values(setting: ReleaseSetting) -> ColumnRelease:
    """Return values that are drawn from a DP histogram, which is paid for once."""
    bins = setting.bins
    shares = f"pb.dp_histogram(grid.counts(values), epsilon={setting.epsilon!r})"
    return _from_counts(
        setting,
        "histogram",
        "DP histogram",
        "values drawn from shares that are estimated from counts with two-sided geometric noise",
        setting.errors(histogram_runs(setting), drawn=True),
        f"grid.midpoints[\n    pb.audit.draw_released(np.ones({bins}, dtype=int), "
        f"np.tile({shares}, ({bins}, 1)), {setting.draws})\n]",
    )


def histogram_mean(setting: ReleaseSetting) -> ColumnRelease:
    """Return the mean of a DP histogram."""
    return _from_counts(
        setting,
        "histogram",
        "mean of a DP histogram",
        "the mean of shares that are estimated from counts with two-sided geometric noise",
        setting.errors(histogram_runs(setting), drawn=False),
        "float(\n    grid.midpoints\n    "
        f"@ pb.dp_histogram(grid.counts(values), epsilon={setting.epsilon!r})\n)",
    )


def histogram_quartiles(setting: ReleaseSetting) -> ColumnRelease:
    """Return the quartiles of a DP histogram."""
    return _from_counts(
        setting,
        "histogram",
        "quartiles of a DP histogram",
        "the quartiles of shares that are estimated from counts with two-sided geometric noise",
        setting.errors(histogram_runs(setting), drawn=False),
        "grid.midpoints[\n    np.searchsorted(\n        "
        f"np.cumsum(pb.dp_histogram(grid.counts(values), epsilon={setting.epsilon!r})),\n        "
        f"{LEVELS.tolist()},\n    )\n]",
    )


def _from_counts(
    setting: ReleaseSetting,
    name: str,
    title: str,
    published: str,
    errors: dict[str, Any],
    line: str,
) -> ColumnRelease:
    """Return a release that is computed from noisy counts: one record moves one count by one."""
    return ColumnRelease(
        name,
        title,
        published,
        setting.publish,
        "differential privacy",
        setting.epsilon,
        0.0,
        np.full(setting.column.records, setting.epsilon),
        setting.epsilon,
        **errors,
        parameters={"counts_epsilon": setting.epsilon},
        code=setting.code(line),
        replacement=Budget(2.0 * setting.epsilon),  # two counts move by one
    )


def counts_and_draws(setting: ReleaseSetting) -> tuple[float, float, float, float]:
    """Return how the repaired game divides its budget between noisy counts and draws.

    Parameters
    ----------
    setting : ReleaseSetting
        What is asked for.

    Returns
    -------
    total, share, delta, drawn : float
        ε and share of :func:`pdpbook.audit.private_randomiser`, its δ, and the ε of one draw.
    """
    n, delta = setting.column.records, setting.delta
    rest = (1.0 - SHARE) * setting.epsilon
    drawn = one_draw_epsilon(n, rest, draws=setting.draws, delta=delta / 2.0)
    while True:
        total = SHARE * setting.epsilon + drawn
        share = SHARE * setting.epsilon / total
        # what the counts get and what is left for a draw, rounded as private_randomiser does it
        first = share * total
        second = _exact.rounded_down(Fraction(total) - Fraction(first))
        cost = second
        if setting.draws > 1:
            cost = draws_epsilon(n, second, draws=setting.draws, delta=delta / 2.0)
        if Fraction(first) + Fraction(cost) <= Fraction(setting.epsilon):
            return total, share, delta if setting.draws == 1 else delta / 2.0, drawn
        drawn *= 1.0 - 1e-9


def repaired_game(setting: ReleaseSetting) -> ColumnRelease:
    """Return the randomiser that is made from noisy counts, and its draws."""
    delta = setting.delta
    total, share, lower_delta, drawn = counts_and_draws(setting)
    made = [
        private_randomiser(
            setting.counts,
            epsilon=total,
            delta=lower_delta,
            share=share,
            rng=setting.generator(run),
            actions="blur",
        )
        for run in range(min(setting.runs, FEW_RUNS))
    ]
    losses = np.mean(
        [setting.all_draws(setting.fixed_losses(each.randomiser), lower_delta) for each in made],
        axis=0,
    )
    return ColumnRelease(
        "repaired_game",
        "repaired game",
        "noisy counts, and values of records drawn at random under a randomiser made from them",
        setting.publish,
        "differential privacy",
        setting.epsilon,
        delta,
        SHARE * setting.epsilon + losses[setting.place],
        setting.epsilon,
        **setting.errors(np.array([each.output(setting.counts) for each in made]), drawn=True),
        parameters={
            "counts_epsilon": share * total,
            "counts_delta": lower_delta,
            "draw_epsilon": drawn,
        },
        code=setting.code(
            "(\n    (\n        made := pb.audit.private_randomiser(\n            "
            f"grid.counts(values), epsilon={total!r}, delta={lower_delta!r}, share={share!r}, "
            'actions="blur"\n        )\n    ).noisy,\n    grid.midpoints[pb.audit.draw_released('
            f"grid.counts(values), made.randomiser, {setting.draws})],\n)"
        ),
        replacement=group_privacy(setting.epsilon, records=2, delta=delta),
    )


def noisy_mean(setting: ReleaseSetting) -> ColumnRelease:
    """Return the mean with discrete Laplace noise, once."""
    column, epsilon = setting.column, setting.epsilon
    grid = mean_grid(column.records, lower=column.lower, upper=column.upper)
    return _statistic(
        setting,
        "mean",
        "noisy mean",
        "the mean with discrete Laplace noise, as a multiple of its precision above the lower end",
        grid.losses(column.values, epsilon),
        mean_error=grid.error(column.values, epsilon),
        parameters={
            "noise_scale": float(grid.step) * grid.sensitivity / epsilon,
            "precision": float(grid.step),
        },
        line=f"pb.noisy_mean(\n    values, lower={column.lower!r}, upper={column.upper!r}, "
        f"epsilon={epsilon!r}\n)",
        replacement=Budget(epsilon),
    )


def quantile_shares(epsilon: float) -> tuple[float, float, float]:
    r"""Return the ε of the lower quartile, the median and the upper quartile, released together.

    Parameters
    ----------
    epsilon : float
        What the three may cost a record together, at least 2⁻⁶⁰.

    Returns
    -------
    tuple of three floats
        Two fifths, a third and two fifths of ε, rounded down.

    Notes
    -----
    They sum to more than ε, and still no record costs more than ε.  If the removal of a record
    changes the utilities of all candidates by numbers between two that are s apart, a log
    probability changes by at most s times the slope, which is :math:`\varepsilon_q/2\max\{q,1-q\}`
    for the q-quantile.  For every q, s is at most :math:`2\max\{q,1-q\}`: 1 for the median and 3/2
    for the quartiles.  But it is 3/2 for at most one of the two quartiles, and at most 1 for the
    other one.

    Let a records be below the removed x and b below or at it, and let
    :math:`b\ge\frac n4+\frac12`.  Take q = 1/4 and the distance
    :math:`\max\{a(r)-qn,\;qn-b(r),\;0\}`, of which the utility is the negative.  Below x, a(r) and
    b(r) stay and qn falls by 1/4, so the distance changes by at most 1/4.  From x on,
    :math:`a(r)-qn` rises by at most 1/4 and falls by at most 3/4, and :math:`qn-b(r)` rises by at
    most 3/4, to at most :math:`\frac n4-b+\frac34\le\frac14`.  So the distance rises by at most 1/4
    and falls by at most 3/4, and s is at most 1.  In the mirror, s is at most 1 for q = 3/4 if
    :math:`n-a\ge\frac n4+\frac12`.  If neither held, :math:`\frac34n-\frac12<a\le b-1` and
    :math:`b-1<\frac n4-\frac12` would give n < 0.

    So a record costs at most :math:`\bigl(1+\frac23\bigr)\frac25\varepsilon+\frac13\varepsilon
    =\varepsilon`.  The logarithms that :func:`pdpbook.foundations.discrete_noise.choose` draws with
    are rounded, which adds 2/3 of :math:`2^{-62}` where s is 1; this is taken off ε first.

    Examples
    --------
    >>> [round(each, 3) for each in quantile_shares(1.0)]
    [0.4, 0.333, 0.4]
    """
    left = Fraction(epsilon) - Fraction(1, UNITS)
    lower, median, upper = (_exact.rounded_down(part * left) for part in QUANTILE_PARTS)
    return lower, median, upper


def quantile_candidates(column: Column) -> tuple[NDArray[np.float64], str]:
    """Return the points among which a quartile is chosen, and the expression that makes them.

    They are the multiples of 1, 2 or 5 times a power of ten in the range, at least a thousand, so
    that prices and grades lie on them; of whole numbers, all or every second one and so on.

    Parameters
    ----------
    column : Column
        Its range counts, and whether it holds whole numbers; its values do not.

    Returns
    -------
    points : ndarray, shape (R,)
    line : str
    """
    lower, upper = Fraction(column.lower), Fraction(column.upper)
    power = math.floor(math.log10(column.width / CANDIDATES)) + 1
    steps = [Fraction(10) ** (power + e) * m for e in (0, -1, -2) for m in (5, 2, 1)]
    step = next(each for each in steps if each * CANDIDATES <= upper - lower)
    if column.whole:
        step = max(step, Fraction(1))
    first, last = math.ceil(lower / step), math.floor(upper / step)
    if max(abs(first), abs(last), step.numerator, step.denominator) > 2**53:
        points = np.linspace(column.lower, column.upper, CANDIDATES + 1)
        return points, f"np.linspace({column.lower!r}, {column.upper!r}, {CANDIDATES + 1})"
    points = np.arange(first, last + 1) * step.numerator / step.denominator
    return points, f"np.arange({first}, {last + 1}) * {step.numerator} / {step.denominator}"


def noisy_quartiles(setting: ReleaseSetting) -> ColumnRelease:
    """Return the three quartiles by the exponential mechanism, which cost a record ε together."""
    column, shares = setting.column, quantile_shares(setting.epsilon)
    points, line = quantile_candidates(column)
    losses = np.zeros(column.records)
    errors = []
    for level, share, exact in zip(LEVELS, shares, column.quantile(LEVELS), strict=True):
        chances = quantile_probabilities(column.values, points, quantile=level, epsilon=share)
        errors.append(float(chances @ np.abs(points - exact)))
        losses += quantile_losses(column.values, points, quantile=level, epsilon=share)
    # a utility changes by at most 1 when a record is replaced, and by max(q, 1 - q) when it leaves
    replaced = _exact.up(float((np.array(shares) / np.maximum(LEVELS, 1.0 - LEVELS)).sum()), 8)
    return _statistic(
        setting,
        "quantiles",
        "noisy quartiles",
        "the three quartiles, chosen by the exponential mechanism; no record costs the sum of "
        "their ε",
        losses,
        quantile_errors=np.array(errors),
        parameters={
            "quartile_epsilon": shares[0],
            "median_epsilon": shares[1],
            "candidates": points.size,
        },
        line=f"[\n    pb.noisy_quantile(values, {line}, quantile=level, epsilon=share)\n"
        f"    for level, share in zip({LEVELS.tolist()}, {[*shares]}, strict=True)\n]",
        replacement=Budget(replaced),
    )


def _statistic(
    setting: ReleaseSetting,
    name: str,
    title: str,
    published: str,
    losses: NDArray[np.float64],
    *,
    parameters: Mapping[str, float | list[float]],
    line: str,
    replacement: Budget,
    **errors: Any,
) -> ColumnRelease:
    """Return the release of a statistic, whose noise does not depend on the data."""
    return ColumnRelease(
        name,
        title,
        published,
        setting.publish,
        "differential privacy",
        setting.epsilon,
        0.0,
        losses,
        float(losses.max()),
        **errors,
        parameters=parameters,
        code=setting.code(line),
        replacement=replacement,
    )


def range_from_data(release: ColumnRelease, column: Column) -> ColumnRelease:
    """Return what is left of a release if its range was taken from the data: no promise.

    Parameters
    ----------
    release : ColumnRelease
        The release, as if its range were public.
    column : Column
        The column whose smallest and largest value are the range.

    Returns
    -------
    ColumnRelease
        Without a promise.  Where one record alone holds an end of the range, the released points
        move when it is removed, so the largest end-to-end loss is infinite.
    """
    ends = column.values[[0, -1]]
    alone = column.values[1] > ends[0] or column.values[-2] < ends[1]
    return replace(
        release,
        epsilon=math.inf,
        delta=0.0,
        end_to_end=math.inf if alone else release.end_to_end,
        replacement=None,
        public_range=False,
    )


#: The releases of each thing that may be published, by name, the simplest of each kind first.
#:
#: :meta hide-value:
RELEASES: dict[str, dict[str, Callable[[ReleaseSetting], ColumnRelease]]] = {
    "counts": {"none": exact_counts, "noisy_counts": noisy_counts, "histogram": histogram},
    "mean": {"mean": noisy_mean, "histogram": histogram_mean},
    "quantiles": {"quantiles": noisy_quartiles, "histogram": histogram_quartiles},
    "value": {
        "none": no_noise,
        "laplace": laplace,
        "response": randomised_response,
        "histogram": histogram_values,
        "repaired_game": repaired_game,
        "common_scale": common,
        "game": game,
    },
}

#: The releases whose error a sweep over bins shows: distributions of repetitions, shape (r, K).
#:
#: :meta hide-value:
SWEPT: dict[str, dict[str, Callable[[ReleaseSetting], NDArray[np.float64]]]] = {
    "counts": {"noisy_counts": cut_counts, "histogram": histogram_runs},
    "mean": {"histogram": histogram_runs},
    "quantiles": {"histogram": histogram_runs},
    "value": {
        "laplace": lambda setting: (setting.frequency @ laplace_rows(setting))[None],
        "response": lambda setting: (setting.frequency @ response_rows(setting))[None],
        "histogram": histogram_runs,
    },
}
