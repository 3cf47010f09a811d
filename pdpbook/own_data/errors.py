r"""The distance of a released distribution from a column, in the unit of the column.

The Wasserstein distance of two distributions on the line is the area between their distribution
functions, :math:`W_1=\int|F(x)-G(x)|\,dx`: the average distance over which probability must be
moved to turn one distribution into the other.  The distance has the unit of the column and bounds
the difference of the two means.

The released distribution function F has steps at the midpoints of the K bins, and the column's
distribution function G has steps at its n values.  Between two midpoints F is a constant c, and G
crosses it once, at the c-quantile of the values.  Let
:math:`A(t)=\int_{-\infty}^tG=\frac1n\sum_{x_i\le t}(t-x_i)`, which follows from sums of the sorted
values; the area between two midpoints is a sum of two terms.  A distance then takes K searches, so
many releases of a million values can be compared quickly.

Publishing m values that are drawn from a distribution reveals neither its mean nor its quantiles.
The mean and the quantiles of the m values are usually farther from the column than the mean and the
quantiles of the distribution.  The mean of m draws has the distribution of a sum.  The j-th
smallest draw is at most x if at least j draws are at most x, and this event has a binomial
probability.  Both errors are therefore sums, and no simulation is needed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

__all__ = ["ColumnDistance", "distribution_quantile", "drawn_mean_error", "drawn_quantile_errors"]

Floats = NDArray[np.float64]
#: The longest sum of draws whose distribution is computed point by point.
MOST_POINTS = 2**17


@dataclass(frozen=True, eq=False)
class ColumnDistance:
    """Wasserstein distances of distributions from one column of values, in ascending order."""

    values: Floats

    @cached_property
    def _sums(self) -> Floats:
        """Sums of the first 0, 1, …, n values, shape (n + 1,)."""
        return np.concatenate([[0.0], np.cumsum(self.values)])

    def _area(self, t: Floats) -> Floats:
        """Return the integral of the column's distribution function up to each t."""
        below = np.searchsorted(self.values, t, side="right")
        return (below * t - self._sums[below]) / self.values.size

    def __call__(self, support: Floats, mass: Floats) -> float:
        """Return the distance of a distribution on ascending points, in the column's unit."""
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


def distribution_quantile(support: Floats, mass: Floats, levels: Floats) -> Floats:
    """Return the first point at which the distribution function reaches each level in (0, 1]."""
    reached = np.searchsorted(np.cumsum(mass), levels - 1e-12)
    return support[np.minimum(reached, support.size - 1)]


def drawn_mean_error(support: Floats, mass: Floats, draws: int, target: float) -> float:
    r"""Return :math:`\mathrm E|\bar X_m-t|` for m draws of K equally spaced points.

    It is exact up to rounding if m (K - 1) < 2¹⁷; otherwise the mean is treated as normal,
    with a relative error of order 1/m.
    """
    if draws == 1:
        return float(mass @ np.abs(support - target))
    sums = draws * (support.size - 1) + 1
    if sums <= MOST_POINTS:
        length = 1 << (sums - 1).bit_length()
        chances = np.fft.irfft(np.fft.rfft(mass, length) ** draws, length)[:sums]
        means = np.linspace(support[0], support[-1], sums)
        return float(np.maximum(chances, 0.0) @ np.abs(means - target))
    bias = float(mass @ support) - target
    sd = math.sqrt(float(mass @ (support - target - bias) ** 2) / draws)
    if sd == 0.0:
        return abs(bias)
    ratio = bias / sd
    part = sd * math.sqrt(2.0 / math.pi) * math.exp(-0.5 * ratio**2)
    return part + bias * math.erf(ratio / math.sqrt(2.0))


def drawn_quantile_errors(
    support: Floats, mass: Floats, draws: int, levels: Floats, targets: Floats
) -> Floats:
    """Return the mean distances from targets to the quantiles of m draws, shape (q,)."""
    from scipy.special import betainc

    below = np.minimum(np.cumsum(mass), 1.0)
    below[-1] = 1.0
    rank = np.ceil(levels * draws * (1.0 - 1e-15))[:, None]
    reached = betainc(rank, draws - rank + 1.0, below)  # Pr[``rank`` draws or more]
    chances = np.diff(reached, axis=1, prepend=0.0)
    return np.asarray((chances * np.abs(support - targets[:, None])).sum(axis=1))
