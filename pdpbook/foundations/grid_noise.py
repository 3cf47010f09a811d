r"""Laplace noise on a grid of K equal bins of [0, 1].

A record in bin k is released as if it sat at the midpoint of its bin and noise had been added to
it, conditional on the result staying in [0, 1].  Before that condition the mass of a bin depends
only on how many steps it is away: with :math:`r = 1/(Kb)`, the width of a bin over the scale,

.. math:: m_0 = 1 - e^{-r/2}, \qquad
          m_s = \tfrac12\,(1 - e^{-r})\,e^{-r(s-1/2)} \quad (s \ge 1),

twice a half of the own bin, and one side of any other.  A row of noise puts the masses in the
places that the record's bin gives them, and divides by their sum.  Every release in the book is
made of such rows.  Taught in *The truncated Laplace density*.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["SCALES", "laplace_masses", "laplace_rows"]

#: Scales outside make the same rows as the nearer end, no noise or the uniform distribution.
SCALES = (1e-150, 1e150)


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
        :math:`m_s`, by ``expm1``, so that tails keep full relative precision at every scale.

    Examples
    --------
    >>> laplace_masses(np.array([0.2]), 3).round(3)
    array([[0.565, 0.176, 0.033]])
    """
    rate = 1.0 / (bins * np.clip(scales, *SCALES))[:, None]
    masses = -0.5 * np.expm1(-rate) * np.exp(-rate * np.maximum(np.arange(bins) - 0.5, 0.0))
    masses[:, :1] = -np.expm1(-rate / 2.0)
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
        Their Laplace scales b > 0, in units of the grid; the caller has checked them.
    bins : int
        Number of bins K.

    Returns
    -------
    ndarray, shape (m, K)
        Rows sum to 1.

    Examples
    --------
    >>> laplace_rows(np.array([0, 1]), np.array([0.2, 0.2]), 3).round(3)
    array([[0.73 , 0.227, 0.043],
           [0.192, 0.616, 0.192]])
    """
    steps = np.abs(np.arange(bins) - places[:, None])
    rows = np.take_along_axis(laplace_masses(scales, bins), steps, axis=1)
    return rows / rows.sum(axis=1, keepdims=True)
