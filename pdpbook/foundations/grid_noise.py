r"""Laplace noise on a grid of K equal bins of [0, 1].

A record in bin k is released as if it were at the midpoint of its bin and noise had been added to
it, conditional on the result staying in [0, 1].  Without this condition, the mass of a bin depends
only on its distance s from bin k.  With :math:`r = 1/(Kb)`, the bin width divided by b, the mass is

.. math:: m_0 = 1 - e^{-r/2}, \qquad
          m_s = \tfrac12\,(1 - e^{-r})\,e^{-r(s-1/2)} \quad (s \ge 1),

where :math:`m_0` counts both halves of the record's own bin.  A row of noise lists the masses of
all K bins, divided by their sum.  Every release in the book is made of such rows.  Taught in *The
truncated Laplace density*.

These rows describe the *ideal* mechanism, which is defined with real numbers and computed with
rounding.  The mechanism that is analysed and used is a mechanism *in whole numbers*: each row
consists of whole weights that sum to 2⁵², and one uniform whole number selects an output.  The
probabilities are multiples of 2⁻⁵² and therefore exact doubles, and :func:`whole_weights` bounds
their distance from the ideal ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from pdpbook._exact import UNITS
from pdpbook._portable import exp, expm1

__all__ = ["SCALES", "drawn_bins", "laplace_masses", "laplace_rows", "whole_weights"]

#: A scale outside this range is moved to the nearer end, where the noise is tiny or almost uniform.
SCALES = (1e-150, 1e150)

#: The ideal mass of an output is positive; a mass that would underflow is replaced by this number.
SMALLEST = float(np.finfo(np.float64).tiny)


def whole_weights(rows: NDArray[np.float64]) -> NDArray[np.int64]:
    r"""Round probabilities, shape (..., K), to whole weights that sum to 2⁵² along the last axis.

    The weight of a probability p is the whole number nearest to :math:`2^{52}p`, or 1 if that
    number is 0 and p is positive.  The difference between 2⁵² and the sum of the weights is then
    added to the first of the largest weights of the row; no other weight is off by more than one
    unit.  The total variation distance between a row of m positive probabilities with the sum
    :math:`1\pm\eta` and its weights divided by 2⁵² is therefore at most :math:`(m-1)/2^{52}+\eta`.
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

    The sum of ``mass`` is ``records * units``.  One of these units is chosen at random, and each
    bin owns an interval of units.  The index of the chosen unit may be too large for one draw, so
    it is divided by ``units``, and the quotient and the remainder are drawn as two independent
    uniform whole numbers.  The generator ``rng`` may be any object whose
    ``integers(high, size=size)`` draws uniformly.
    """
    ends = [divmod(end, units) for end in accumulate(mass)]
    quotients, remainders = (np.array(part, dtype=np.int64) for part in zip(*ends, strict=True))
    first = rng.integers(records, size=size)
    second = rng.integers(units, size=size)
    bins = np.searchsorted(quotients, first)  # all earlier ends have smaller quotients
    tied = np.flatnonzero(quotients[bins] == first)  # here the remainder decides
    while tied.size:
        tied = tied[second[tied] >= remainders[bins[tied]]]
        bins[tied] += 1
        tied = tied[quotients[bins[tied]] == first[tied]]
    return bins


def laplace_masses(scales: NDArray[np.float64], bins: int) -> NDArray[np.float64]:
    """Return the masses :math:`m_s`, s = 0, …, K - 1, for each scale b > 0, shape (m, K).

    The scales are in units of the grid.  The masses are computed by ``expm1``: the tails keep full
    relative precision down to 2.2e-308, and every machine computes the same bits.
    """
    rate = 1.0 / (bins * np.clip(scales, *SCALES))[:, None]
    masses = -0.5 * expm1(-rate) * exp(-rate * np.maximum(np.arange(bins) - 0.5, 0.0))
    masses[:, :1] = -expm1(-rate / 2.0)
    return masses


def laplace_rows(
    places: NDArray[np.int64], scales: NDArray[np.float64], bins: int
) -> NDArray[np.float64]:
    """Return the truncated Laplace distributions for m places with scales b >= 0, shape (m, K).

    A scale of 0 means no noise: the row is 1 at the place and 0 elsewhere.  With any other scale,
    every entry is positive: an entry that would be below 2.2e-308 is set to this number.
    """
    steps = np.abs(np.arange(bins) - places[:, None])
    rows = np.take_along_axis(laplace_masses(scales, bins), steps, axis=1)
    noisy = np.maximum(rows / rows.sum(axis=1, keepdims=True), SMALLEST)
    return np.where(scales[:, None] > 0.0, noisy, steps == 0)
