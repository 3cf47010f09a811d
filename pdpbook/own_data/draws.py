"""How each differentially private release is drawn, without rounding or a seed.

A draw needs the terms and the column, and takes its randomness from the operating system's
generator.  A second call is a second release.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdpbook.audit.private_randomisers import private_randomiser
from pdpbook.audit.randomisers import draw_released
from pdpbook.foundations.mechanisms import geometric_mechanism
from pdpbook.foundations.noisy_statistics import mean_grid
from pdpbook.own_data.column import Column, whole_ends
from pdpbook.own_data.noisy_quantiles import QuantileChoice, quantile_grid, quantile_slope
from pdpbook.own_data.promises import count_reach, counts_and_draws, mean_reach, share_reach
from pdpbook.own_data.shares import estimated_shares
from pdpbook.own_data.terms import Terms

__all__ = [
    "draw_by",
    "draw_histogram",
    "draw_mean",
    "draw_noisy_counts",
    "draw_quantiles",
    "draw_repaired_game",
    "quantile_choices",
]


def draw_noisy_counts(terms: Terms, column: Column) -> pd.DataFrame:
    """Draw the counts with two-sided geometric noise."""
    noisy = _noisy(terms, column)
    return pd.DataFrame(_bins(terms) | {"count": noisy} | _around(noisy, count_reach(terms), 0.0))


def draw_histogram(terms: Terms, column: Column) -> pd.DataFrame:
    """Draw a DP histogram, its mean, its quantiles, or values from it."""
    noisy, n = _noisy(terms, column), terms.records
    ordered = not terms.frame.levels
    shares = estimated_shares(noisy, n, terms.spent.epsilon, ordered=ordered)
    points = terms.points
    if terms.publish == "counts":
        counts = {"share": shares, "count": shares * n}
        around = _around(noisy, count_reach(terms), 0.0, n, counts["count"])
        return pd.DataFrame(_bins(terms) | counts | around)
    sums = np.cumsum(noisy)
    sums = sums + (n - sums[-1]) * np.arange(1, terms.bins + 1) / terms.bins  # the bridge to n
    if terms.publish == "mean":
        ends = terms.frame.lower, terms.frame.upper
        mean = np.clip([float(points @ shares)], *ends)
        middle = np.diff(sums, prepend=0.0) @ points / n
        around = _around(np.array([middle]), mean_reach(terms), *ends, mean)
        return pd.DataFrame({"statistic": ["mean"], "value": mean} | around)
    if terms.publish == "quantiles":
        place = np.searchsorted(np.cumsum(shares), np.array(terms.quantiles) - 1e-12)
        place = np.minimum(place, terms.bins - 1)
        below, upto = np.append(0.0, sums)[place] / n, sums[place] / n
        reach = share_reach(terms)
        return _quantiles(terms, points[place], below - reach, upto + reach)
    return _values(terms, np.ones(terms.bins, dtype=int), np.tile(shares, (terms.bins, 1)))


def draw_mean(terms: Terms, column: Column) -> pd.DataFrame:
    """Draw the noisy mean."""
    grid = mean_grid(terms.records, lower=terms.frame.lower, upper=terms.frame.upper)
    value, low, high = grid.draw(column.values, terms.spent.epsilon, None)
    return pd.DataFrame({"statistic": ["mean"], "value": [value], "low": [low], "high": [high]})


def draw_quantiles(terms: Terms, column: Column) -> pd.DataFrame:
    """Draw noisy quantiles."""
    choices = quantile_choices(terms, column)
    found = np.array([each.draw() for each in choices])
    levels, reach = np.array(terms.quantiles), choices[0].reach
    return _quantiles(terms, found, levels - reach, levels + reach)


def quantile_choices(terms: Terms, column: Column) -> list[QuantileChoice]:
    """Return the random choice of each quantile."""
    grid = quantile_grid(terms.frame, terms.records, terms.epsilon)
    slope = quantile_slope(terms.quantiles, terms.epsilon, terms.neighbours)
    places = grid.places(column.values)
    return [QuantileChoice(grid, places, each, slope) for each in terms.quantiles]


def _quantiles(terms: Terms, values: Any, low: Any, high: Any) -> pd.DataFrame:
    """Return quantiles, each with the 95 % interval of its rank among the records."""
    within = {"from quantile": np.clip(low, 0.0, 1.0), "to quantile": np.clip(high, 0.0, 1.0)}
    return pd.DataFrame({"quantile": terms.quantiles, "value": values} | within)


def _around(
    noisy: Any, reach: float, lower: float, upper: float = math.inf, published: Any = None
) -> dict[str, NDArray[Any]]:
    """Return the ends of 95 % intervals around published values, within the possible range."""
    low, high = (np.clip(noisy + side * reach, lower, upper) for side in (-1.0, 1.0))
    if published is None:
        return {"low": low, "high": high}
    return {"low": np.minimum(low, published), "high": np.maximum(high, published)}


def draw_by(terms: Terms, column: Column, rows: NDArray[np.float64]) -> pd.DataFrame:
    """Draw values of records with a randomiser that does not depend on the data."""
    return _values(terms, terms.grid.counts(column.values), rows)


def draw_repaired_game(terms: Terms, column: Column) -> pd.DataFrame:
    """Draw values of records under a randomiser that is made from noisy counts."""
    counts, (total, share, delta, _) = terms.grid.counts(column.values), counts_and_draws(terms)
    made = private_randomiser(counts, epsilon=total, delta=delta, share=share, actions="blur")
    return _values(terms, counts, made.randomiser)


def _noisy(terms: Terms, column: Column) -> NDArray[np.int64]:
    """Return counts with two-sided geometric noise, shape (K,)."""
    counts = terms.grid.counts(column.values)
    return np.asarray(geometric_mechanism(counts, epsilon=terms.spent.epsilon))


def _values(terms: Terms, counts: NDArray[np.int64], rows: NDArray[np.float64]) -> pd.DataFrame:
    """Draw records from counts, and release each with its row of a randomiser."""
    drawn = draw_released(counts, rows, terms.draws)
    return pd.DataFrame({terms.frame.name: terms.points[drawn]})


def _bins(terms: Terms) -> dict[str, NDArray[Any]]:
    """Return the ends of the bins (for whole numbers, the first and last number), or the levels."""
    grid, frame = terms.grid, terms.frame
    if frame.levels:
        return {"level": np.array(frame.levels, dtype=object)}
    if frame.whole:
        return dict(zip(("from", "to"), whole_ends(frame, terms.bins), strict=True))
    edges = np.linspace(grid.lower, grid.upper, grid.bins + 1)
    return {"from": edges[:-1], "to": edges[1:]}
