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
    r"""Round probabilities, shape (..., K), to whole weights that sum to 2⁵² along the last axis.

    The weight of a probability p is the whole number nearest to :math:`2^{52}p`, and 1 where this
    is 0 and p is positive.  What is then missing to 2⁵², or too much, goes to the largest weight
    of the row, the first of several; no other weight changes by more than one unit.  So the total
    variation distance between a row of m positive probabilities with the sum :math:`1\pm\eta` and
    its weights over 2⁵² is at most :math:`(m-1)/2^{52}+\eta`.
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
    """Draw bins with probabilities S(x) / (n 2⁵²), without rounding, shape (size,).

    The n records have ``records * units`` units together, the sum of ``mass``, of which one is
    drawn and each bin owns a stretch.  The unit's number is drawn as a quotient and a remainder by
    ``units``, two independent uniform whole numbers, as it may be too large for one.  Anything
    whose ``integers(high, size=size)`` draws uniformly will do for ``rng``.
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
    """Return the :math:`m_s`, s = 0, …, K - 1, for each scale b > 0, shape (m, K).

    The scales are in units of the grid.  The masses are made by ``expm1``, so that tails keep full
    relative precision down to 2.2e-308, and are the same to the last bit on every machine.
    """
    rate = 1.0 / (bins * np.clip(scales, *SCALES))[:, None]
    masses = -0.5 * expm1(-rate) * exp(-rate * np.maximum(np.arange(bins) - 0.5, 0.0))
    masses[:, :1] = -expm1(-rate / 2.0)
    return masses


def laplace_rows(
    places: NDArray[np.int64], scales: NDArray[np.float64], bins: int
) -> NDArray[np.float64]:
    """Return the truncated Laplace distribution for m places and their scales b >= 0, shape (m, K).

    A scale of 0 is no noise: the row is 1 at the place and 0 elsewhere.  With any other scale no
    entry is 0: one that would be smaller than 2.2e-308 is this number.
    """
    steps = np.abs(np.arange(bins) - places[:, None])
    rows = np.take_along_axis(laplace_masses(scales, bins), steps, axis=1)
    noisy = np.maximum(rows / rows.sum(axis=1, keepdims=True), SMALLEST)
    return np.where(scales[:, None] > 0.0, noisy, steps == 0)
