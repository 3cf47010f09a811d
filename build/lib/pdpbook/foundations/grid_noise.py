r"""Laplace noise on a grid of K equal bins of [0, 1].

A record in bin k is released as if it sat at the midpoint of its bin and noise had been added to
it, conditional on the result staying in [0, 1].  Before that condition the mass of a bin depends
only on how many steps it is away: with :math:`r = 1/(Kb)`, the width of a bin over the scale,

.. math:: m_0 = 1 - e^{-r/2}, \qquad
          m_s = \tfrac12\,(1 - e^{-r})\,e^{-r(s-1/2)} \quad (s \ge 1),

twice a half of the own bin, and one side of any other.  A row of noise puts the masses in the
places that the record's bin gives them, and divides by their sum.  Every release in the book is
made of such rows.  Taught in *The truncated Laplace density*.

These rows are the *ideal* mechanism, of real numbers, computed with rounding.  What is judged and
drawn is a mechanism *in whole numbers*: each row consists of whole weights that sum to 2⁵², and an
output is drawn by one uniform whole number.  Its probabilities are multiples of 2⁻⁵² and therefore
doubles without rounding, and :func:`whole_weights` says how near they are to the ideal ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from pdpbook._exact import UNITS
from pdpbook._portable import exp, expm1

__all__ = ["SCALES", "drawn_bins", "laplace_masses", "laplace_rows", "whole_weights"]

#: Scales outside make the rows of the nearer end: hardly any noise, or the uniform distribution.
SCALES = (1e-150, 1e150)

#: The ideal mass of an output is positive; where it would underflow, it is this number.
SMALLEST = float(np.finfo(np.float64).tiny)


def whole_weights(rows: NDArray[np.float64]) -> NDArray[np.int64]:
    r"""Round probabilities to whole weights that sum to 2⁵² along the last axis.

    Parameters
    ----------
    rows : ndarray, shape (..., K)
        Probabilities >= 0; each row sums to 1 up to rounding, which the caller has checked.

    Returns
    -------
    ndarray of int, shape (..., K)
        The weight of a probability p is the whole number nearest to :math:`2^{52}p`, and 1 where
        this is 0 and p is positive.  What is then missing to 2⁵², or too much, goes to the largest
        weight of the row, the first of several.  A probability of 0 keeps the weight 0, and rows of
        multiples of 2⁻⁵² that sum to 1 are kept as they are.

    Notes
    -----
    No other weight changes by more than one unit.  So the total variation distance between a row
    of m positive probabilities with the sum 1 and its weights over 2⁵² is at most
    :math:`(m-1)/2^{52}`; with a sum of :math:`1\pm\eta`, at most :math:`(m-1)/2^{52}+\eta`.

    Examples
    --------
    >>> weights = whole_weights(np.array([1 / 3, 2 / 3, 1e-30, 0.0]))
    >>> weights.tolist(), int(weights.sum()) == 2**52
    ([1501199875790165, 3002399751580330, 1, 0], True)
    """
    weights = np.rint(rows * float(UNITS)).astype(np.int64)
    np.maximum(weights, rows > 0.0, out=weights)
    largest = weights.argmax(axis=-1)[..., None]
    rest = UNITS - weights.sum(axis=-1, keepdims=True)
    np.put_along_axis(weights, largest, np.take_along_axis(weights, largest, -1) + rest, -1)
    return weights


def drawn_bins(
    mass: Sequence[int],
    records: int,
    size: int,
    rng: np.random.Generator,
    *,
    units: int = UNITS,
) -> NDArray[np.int64]:
    r"""Draw bins with probabilities that are whole numbers over n 2⁵², without rounding.

    Parameters
    ----------
    mass : sequence of int, length K
        Whole numbers S(x) >= 0, the weights of all records in sum.
    records : int
        Number of records n; ``mass`` sums to ``records * units``.
    size : int
        Number of draws.
    rng : numpy.random.Generator
        Anything whose ``integers(high, size=size)`` draws uniformly from 0, ..., high - 1.
    units : int
        What the weights of one record sum to; 2⁵² but in tests.

    Returns
    -------
    ndarray of int, shape (size,)
        Each x from 0 to K - 1 comes with the probability S(x) / (n 2⁵²).

    Notes
    -----
    All records have ``records * units`` units together, of which one is drawn and each bin owns a
    stretch.  The unit's number is drawn as a quotient and a remainder by ``units``, two independent
    uniform whole numbers, as it may be too large for one.  ``Generator.integers`` rejects what
    would make some numbers more likely than others.

    Examples
    --------
    >>> drawn_bins([3, 0, 5], 2, 6, np.random.default_rng(1), units=4).tolist()
    [2, 2, 2, 2, 2, 0]
    """
    ends = [divmod(end, units) for end in accumulate(mass)]
    quotients, remainders = (np.array(part, dtype=np.int64) for part in zip(*ends, strict=True))
    first = rng.integers(records, size=size)
    second = rng.integers(units, size=size)
    bins = np.searchsorted(quotients, first)  # the quotients of the ends before are smaller
    tied = np.flatnonzero(quotients[bins] == first)  # where the remainder decides
    while tied.size:
        tied = tied[second[tied] >= remainders[bins[tied]]]
        bins[tied] += 1
        tied = tied[quotients[bins[tied]] == first[tied]]
    return bins


def laplace_masses(scales: NDArray[np.float64], bins: int) -> NDArray[np.float64]:
    r"""Return the mass of the bin that lies s = 0, …, K - 1 steps away, for each scale.

    Parameters
    ----------
    scales : ndarray, shape (m,)
        Laplace scales b > 0, in units of the grid; the caller has checked them.
    bins : int
        Number of bins K.

    Returns
    -------
    ndarray, shape (m, K)
        :math:`m_s`, by ``expm1``, so that tails keep full relative precision down to 2.2e-308, and
        the same to the last bit on every machine.

    Examples
    --------
    >>> laplace_masses(np.array([0.2]), 3).round(3)
    array([[0.565, 0.176, 0.033]])
    """
    rate = 1.0 / (bins * np.clip(scales, *SCALES))[:, None]
    masses = -0.5 * expm1(-rate) * exp(-rate * np.maximum(np.arange(bins) - 0.5, 0.0))
    masses[:, :1] = -expm1(-rate / 2.0)
    return masses


def laplace_rows(
    places: NDArray[np.int64], scales: NDArray[np.float64], bins: int
) -> NDArray[np.float64]:
    """Return the truncated Laplace distribution over the bins, for each place and its scale.

    Parameters
    ----------
    places : ndarray of int, shape (m,)
        Bins of the records.
    scales : ndarray, shape (m,)
        Their Laplace scales b >= 0, in units of the grid; the caller has checked them.
    bins : int
        Number of bins K.

    Returns
    -------
    ndarray, shape (m, K)
        Rows sum to 1.  A scale of 0 is no noise: the row is 1 at the place and 0 elsewhere.  With
        any other scale no entry is 0: one that would be smaller than 2.2e-308 is this number.

    Examples
    --------
    >>> laplace_rows(np.array([0, 1]), np.array([0.2, 0.2]), 3).round(3)
    array([[0.73 , 0.227, 0.043],
           [0.192, 0.616, 0.192]])
    """
    steps = np.abs(np.arange(bins) - places[:, None])
    rows = np.take_along_axis(laplace_masses(scales, bins), steps, axis=1)
    noisy = np.maximum(rows / rows.sum(axis=1, keepdims=True), SMALLEST)
    return np.where(scales[:, None] > 0.0, noisy, steps == 0)
