"""How each release is drawn: the published values as a table, exactly and without a seed.

There is one function for each release that is differentially private.  It takes the terms of the
release and the column, and draws from the generator of the operating system, in whole numbers.  A
second call is a second release.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdpbook.audit.count_posterior import posterior_from_noise
from pdpbook.audit.private_randomisers import private_randomiser
from pdpbook.audit.randomisers import draw_released
from pdpbook.foundations import noisy_statistics
from pdpbook.foundations.mechanisms import geometric_mechanism
from pdpbook.own_data.column import Column
from pdpbook.own_data.promises import LEVELS, counts_and_draws, quantile_candidates, quantile_shares
from pdpbook.own_data.terms import Terms

__all__ = [
    "draw_histogram",
    "draw_laplace",
    "draw_mean",
    "draw_noisy_counts",
    "draw_quartiles",
    "draw_repaired_game",
    "draw_response",
]


def draw_noisy_counts(terms: Terms, column: Column) -> pd.DataFrame:
    """Draw the counts with two-sided geometric noise."""
    return pd.DataFrame(_bins(terms) | {"count": _noisy(terms, column)})


def draw_histogram(terms: Terms, column: Column) -> pd.DataFrame:
    """Draw a DP histogram, or what is wanted of it: its mean, its quartiles or values."""
    posterior = posterior_from_noise(_noisy(terms, column), epsilon=terms.epsilon)
    shares, points = posterior.distribution, terms.grid.midpoints
    if terms.publish == "counts":
        return pd.DataFrame(_bins(terms) | {"share": shares, "count": posterior.mean})
    if terms.publish == "mean":
        return pd.DataFrame({"statistic": ["mean"], "value": [float(points @ shares)]})
    if terms.publish == "quantiles":
        place = np.minimum(np.searchsorted(np.cumsum(shares), LEVELS), terms.bins - 1)
        return pd.DataFrame({"quantile": LEVELS, "value": points[place]})
    return _values(terms, np.ones(terms.bins, dtype=int), np.tile(shares, (terms.bins, 1)))


def draw_mean(terms: Terms, column: Column) -> pd.DataFrame:
    """Draw the noisy mean."""
    frame = terms.frame
    found = noisy_statistics.noisy_mean(
        column.values, lower=frame.lower, upper=frame.upper, epsilon=terms.epsilon
    )
    return pd.DataFrame({"statistic": ["mean"], "value": [found]})


def draw_quartiles(terms: Terms, column: Column) -> pd.DataFrame:
    """Draw the three noisy quartiles, each at its own part of ε."""
    points = quantile_candidates(terms.frame)
    quartiles = [
        noisy_statistics.noisy_quantile(column.values, points, quantile=float(level), epsilon=share)
        for level, share in zip(LEVELS, quantile_shares(terms.epsilon), strict=True)
    ]
    return pd.DataFrame({"quantile": LEVELS, "value": quartiles})


def draw_laplace(terms: Terms, column: Column) -> pd.DataFrame:
    """Draw values of records with truncated Laplace noise."""
    return _values(terms, _counts(terms, column), terms.laplace_rows)


def draw_response(terms: Terms, column: Column) -> pd.DataFrame:
    """Draw values of records by k-ary randomised response."""
    return _values(terms, _counts(terms, column), terms.response_rows)


def draw_repaired_game(terms: Terms, column: Column) -> pd.DataFrame:
    """Draw values of records under a randomiser that is made from noisy counts."""
    counts = _counts(terms, column)
    total, share, delta, _ = counts_and_draws(terms)
    made = private_randomiser(counts, epsilon=total, delta=delta, share=share, actions="blur")
    return _values(terms, counts, made.randomiser)


def _counts(terms: Terms, column: Column) -> NDArray[np.int64]:
    """Return the exact counts, shape (K,)."""
    return terms.grid.counts(column.values)


def _noisy(terms: Terms, column: Column) -> NDArray[np.int64]:
    """Return counts with two-sided geometric noise, shape (K,)."""
    return np.asarray(geometric_mechanism(_counts(terms, column), epsilon=terms.epsilon))


def _values(terms: Terms, counts: NDArray[np.int64], rows: NDArray[np.float64]) -> pd.DataFrame:
    """Draw records from counts, and release each by its row of a randomiser."""
    drawn = draw_released(counts, rows, terms.draws)
    return pd.DataFrame({terms.frame.name: terms.grid.midpoints[drawn]})


def _bins(terms: Terms) -> dict[str, NDArray[Any]]:
    """Return the ends of the bins: of whole numbers the first and the last; or the levels."""
    grid, frame = terms.grid, terms.frame
    if frame.levels:
        return {"level": np.array(frame.levels, dtype=object)}
    edges = np.linspace(grid.lower, grid.upper, grid.bins + 1)
    if frame.whole:
        first, last = np.ceil(edges[:-1]).astype(np.int64), np.floor(edges[1:]).astype(np.int64)
        return {"from": first, "to": last}
    return {"from": edges[:-1], "to": edges[1:]}
