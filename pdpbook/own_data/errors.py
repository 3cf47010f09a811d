r"""How far a released distribution is from a column, in the column's own unit.

The Wasserstein distance of two distributions on the line is the area between their distribution
functions, :math:`W_1=\int|F(x)-G(x)|\,dx`: the average distance over which probability has to be
moved to turn one into the other.  It has the unit of the column, and it bounds the difference of
the two means.

F steps at the midpoints of the K bins, G at each of the n values.  Between two midpoints F is a
constant c, and G crosses it once, at the c-quantile of the values.  With
:math:`A(t)=\int_{-\infty}^tG=\frac1n\sum_{x_i\le t}(t-x_i)`, which sums of the sorted values give,
the area between two midpoints is therefore a sum of two terms.  After one sort a distance takes
K searches, so that a sweep over many releases of a million values is quick.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

__all__ = ["ColumnDistance", "distribution_quantile"]


@dataclass(frozen=True, eq=False)
class ColumnDistance:
    """Distances of distributions from one column of values.

    Parameters
    ----------
    values : ndarray, shape (n,)
        The column, in ascending order.

    Notes
    -----
    Taught in *Your own column*.

    Examples
    --------
    >>> distance = ColumnDistance(np.array([0.0, 1.0, 1.0, 2.0]))
    >>> distance(np.array([0.0, 2.0]), np.array([0.5, 0.5]))
    0.5
    """

    values: NDArray[np.float64]

    @cached_property
    def _sums(self) -> NDArray[np.float64]:
        """Sums of the first 0, 1, …, n values, shape (n + 1,)."""
        return np.concatenate([[0.0], np.cumsum(self.values)])

    def _area(self, t: NDArray[np.float64]) -> NDArray[np.float64]:
        """Integrate, up to t, the column's distribution function up to t."""
        below = np.searchsorted(self.values, t, side="right")
        return (below * t - self._sums[below]) / self.values.size

    def __call__(self, support: NDArray[np.float64], mass: NDArray[np.float64]) -> float:
        """Return the Wasserstein distance of a distribution from the column.

        Parameters
        ----------
        support : ndarray, shape (K,)
            Points in ascending order.
        mass : ndarray, shape (K,)
            Their probabilities.

        Returns
        -------
        float
            In the unit of the column.
        """
        n = self.values.size
        level = np.concatenate([[0.0], np.minimum(np.cumsum(mass), 1.0)])
        level[-1] = 1.0
        low, high = min(support[0], self.values[0]), max(support[-1], self.values[-1])
        start, end = np.append(low, support), np.append(support, high)
        place = np.clip(np.ceil(level * n).astype(int) - 1, 0, n - 1)
        crossing = np.clip(self.values[place], start, end)
        before = level * (crossing - start) - (self._area(crossing) - self._area(start))
        after = self._area(end) - self._area(crossing) - level * (end - crossing)
        return float(np.maximum(before, 0.0).sum() + np.maximum(after, 0.0).sum())


def distribution_quantile(
    support: NDArray[np.float64], mass: NDArray[np.float64], levels: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return quantiles of a distribution on finitely many points.

    Parameters
    ----------
    support : ndarray, shape (K,)
        Points in ascending order.
    mass : ndarray, shape (K,)
        Their probabilities.
    levels : ndarray, shape (q,)
        Shares in (0, 1].

    Returns
    -------
    ndarray, shape (q,)
        The first points at which the distribution function reaches the levels, up to rounding.

    Examples
    --------
    >>> distribution_quantile(np.array([1.0, 2.0]), np.array([0.5, 0.5]), np.array([0.5, 0.75]))
    array([1., 2.])
    """
    reached = np.searchsorted(np.cumsum(mass), levels - 1e-12)
    return support[np.minimum(reached, support.size - 1)]
