r"""Fixed local randomisers: noise that is chosen without the data.

A *local randomiser* is a (K, K) table whose row k is the output distribution of a record of bin k.
It is *fixed* if it is chosen independently of the data; the fixed-noise loss of a record is then
its end-to-end loss.

One equation decides which records are private.  Let :math:`u(x)=p_i(x)/P_{-i}(x)` be the ratio of
the probability that record i is released as x to the mean probability of the others.  Then

.. math:: \frac{P(x)}{P_{-i}(x)} = 1-\frac1n+\frac{u(x)}n ,

so :math:`P \le e^\varepsilon P_{-i}` if and only if :math:`p_i \le R\,P_{-i}` with
:math:`R = 1+n(e^\varepsilon-1)`.  Over all data sets of n records, the worst :math:`P_{-i}` is a
single row :math:`p_j`.  So the random sampling query under a fixed randomiser is ε-differentially
private for every data set of n records if and only if :math:`p_k(x) \le R\,p_j(x)` for all j, k and
x, that is, if the randomiser is :math:`(\ln R)`-*locally* private.

*K-ary randomised response* attains the ratio R in every column: it releases the record's bin with
probability :math:`R/(K+R-1)` and each other bin with probability :math:`1/(K+R-1)`.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pdpbook import _exact, _validate
from pdpbook.foundations.grid_noise import whole_weights
from pdpbook.foundations.system_generator import release_source

__all__ = ["draw_released", "k_ary_randomised_response", "randomiser_epsilon"]

#: Probabilities that are drawn exactly are multiples of one part in this number.
WHOLE = _exact.UNITS
#: More than the relative error of a weight computed in doubles.
_MARGIN = 1.0 + 2.0**-50


def randomiser_epsilon(randomiser: ArrayLike, n: int) -> float:
    r"""Return the smallest ε at which a fixed randomiser is ε-differentially private.

    Parameters
    ----------
    randomiser : array_like, shape (K, K)
        Row k is the output distribution of a record of bin k, chosen independently of the data.
    n : int
        Number of records, at least 2.  The result is also valid for more records, because ε falls
        as n grows.

    Returns
    -------
    float
        :math:`\ln\bigl(1+\frac{r-1}n\bigr)`, where r is the largest :math:`p_k(x)/p_j(x)`: the
        supremum of the loss of one draw over all data sets of n records, under the removal of any
        one record.  Infinite if r is infinite.  It is rounded up by a few units in the last place.

    Notes
    -----
    Proved in *Local randomisers*; for equal noise, this result is amplification by subsampling
    (Balle, Barthe & Gaboardi, 2018).

    Examples
    --------
    >>> round(randomiser_epsilon([[0.75, 0.25], [0.25, 0.75]], n=2), 4)
    0.6931
    """
    local = _local_epsilon(_validate.row_matrix("randomiser", randomiser, square=True))
    n = _validate.integer("n", n, at_least=2)
    if local > 40.0:  # r - 1 and r are then the same float
        rounding = 2.0**-50 * (local + math.log(n)) if local < math.inf else 0.0
        return float(np.logaddexp(0.0, local - math.log(n))) + rounding
    return _exact.up(math.log1p(math.expm1(local) / n), 8)


def _local_epsilon(table: NDArray[np.float64]) -> float:
    """Return ln r, the level of local privacy, rounded up by a few units in the last place."""
    table = table[:, table.any(axis=0)]
    high, low = table.max(axis=0), table.min(axis=0)
    with np.errstate(divide="ignore", over="ignore"):
        ratio = np.where(high > low, np.nextafter(high / low, math.inf), 1.0)
        if (ratio < math.inf).all():
            return float(_exact.up(np.log(ratio).max(), 4))
        logs = np.log(high), np.log(low)
        return float((logs[0] - logs[1] + 2.0**-50 * (abs(logs[0]) + abs(logs[1]))).max())


def k_ary_randomised_response(bins: int, n: int, epsilon: float) -> NDArray[np.float64]:
    r"""Return the randomiser that keeps a record's bin or moves the record to any other bin.

    It is K-ary randomised response at the local level :math:`\ln R`: with probability
    :math:`\lambda = K/(K+n(e^\varepsilon-1))` a record is released as a bin drawn uniformly from
    all K bins, and otherwise as its own bin.  One draw is ε-differentially private for every data
    set of n records, and no smaller λ suffices.

    Parameters
    ----------
    bins : int
        Number of bins K, from 2 to 16,384; the largest randomiser takes 2 GiB.
    n : int
        Number of records, or a public lower bound on this number; at least 2.
    epsilon : float

    Returns
    -------
    ndarray, shape (K, K)
        Entries :math:`R/(K+R-1)` on the diagonal and :math:`1/(K+R-1)` elsewhere, with
        :math:`R = 1+n(e^\varepsilon-1)`.  The entries are multiples of :math:`2^{-52}`, and each
        row sums to 1 exactly.  The entry :math:`1/(K+R-1)` is rounded up, so the promise is true
        for the returned numbers.

    Notes
    -----
    Neighbouring data sets differ by the removal of one record; the larger data set has n records.

    Of all randomisers that are ε-private for every data set, this one has the smallest
    :math:`\max_q D_{\mathrm{KL}}(q\,\|\,P)`, which is :math:`\ln(1+\frac{K-1}R)`.  The kernel is
    due to Kairouz, Bonawitz & Ramage (2016).  Proved in *Local randomisers*.

    Examples
    --------
    >>> k_ary_randomised_response(3, n=4, epsilon=np.log(2)).round(3)
    array([[0.714, 0.143, 0.143],
           [0.143, 0.714, 0.143],
           [0.143, 0.143, 0.714]])
    """
    bins = _validate.integer("bins", bins, at_least=2)
    _validate.memory("bins", bins, bins, bins, what="a randomiser")
    n = _validate.integer("n", n, at_least=2)
    epsilon = _validate.number("epsilon", epsilon, above=0.0)
    weight = WHOLE / (bins + n * math.expm1(min(epsilon, 700.0)))
    units = max(math.ceil(weight * _MARGIN), 1)
    if bins * units > WHOLE:  # ε is so small that all rows must be equal
        row = np.full(bins, WHOLE // bins) + (np.arange(bins) < WHOLE % bins)
        return np.tile(row / WHOLE, (bins, 1))
    randomiser = np.full((bins, bins), units / WHOLE)
    np.fill_diagonal(randomiser, (WHOLE - (bins - 1) * units) / WHOLE)
    return randomiser


def draw_released(
    counts: ArrayLike, randomiser: ArrayLike, size: int, *, rng: np.random.Generator | None = None
) -> NDArray[np.int64]:
    """Draw released bins exactly: first a record, then a bin from the row of the record's bin.

    Parameters
    ----------
    counts : array_like of int, shape (K,)
        Histogram of the records, at least one.
    randomiser : array_like, shape (K, K)
        Row k is the output distribution of a record of bin k.
    size : int
        Number of draws, which may take up to 2 GiB.
    rng : numpy.random.Generator, optional
        For a release, leave it out: the default is the generator of the operating system.

    Returns
    -------
    ndarray of int, shape (size,)
        Bins from 0 to K - 1.  A uniform number below n selects the record, and a uniform number
        below :math:`2^{52}` selects the bin.  The probabilities in a row are multiples of
        :math:`2^{-52}`: rows of :func:`k_ary_randomised_response` or of a game remain as they are;
        other rows are rounded as in a game, by
        :func:`~pdpbook.foundations.grid_noise.whole_weights`.

    Notes
    -----
    Neighbouring data sets differ by the removal of one record.  For rows in these multiples,
    :func:`randomiser_epsilon` gives the exact cost of a draw.  Taught in *From the theorem to the
    bits*.

    Examples
    --------
    >>> rows = k_ary_randomised_response(3, n=100, epsilon=1.0)
    >>> draw_released([0, 40, 60], rows, 8, rng=np.random.default_rng(0))
    array([2, 2, 2, 1, 1, 1, 1, 0])
    """
    counts = _validate.counts_vector("counts", counts, records=1)
    rows = _validate.row_matrix("randomiser", randomiser, square=True)
    _validate.same_length("counts", counts, "randomiser", rows)
    size = _validate.integer("size", size, at_least=1)
    _validate.memory("size", size, size, what="the draws")
    source = release_source(rng)
    drawn = source.integers(int(counts.sum()), size=size)
    place = np.searchsorted(np.cumsum(counts), drawn, side="right")
    unit = source.integers(WHOLE, size=size)
    found = np.empty(size, dtype=np.int64)
    for k in np.unique(place):
        weights = whole_weights(rows[k])
        at = np.flatnonzero(place == k)
        found[at] = np.searchsorted(np.cumsum(weights), unit[at], side="right")
    return found
