r"""The shares of the bins, from noisy counts and the public number of records.

Computing with noisy counts has no further cost, so a DP histogram publishes the best estimate that
they allow.  Two more things are known: the counts are at least 0, and their public sum is n.

**Bins in order.**  The error of a histogram is the area between two distribution functions
(:mod:`pdpbook.own_data.errors`), so the distribution function is estimated, and not each count
separately.  The sums of the first noisy counts are shifted so that the last sum is n: with
:math:`Z_k=\sum_{j\le k}z_j` they are :math:`Z_k+\frac kK(n-Z_K)`, a bridge between 0 and n with
less noise than the sums.  A distribution function is increasing, so the bridge is replaced by the
increasing sequence nearest to it in least squares (isotonic regression), cut at 0 and n.

**Levels without an order, and tables that are mostly empty.** If few values occur, most of the sums
equal the next sum, and each count is better estimated separately: by its posterior mean :math:`m_k`
(:mod:`pdpbook.audit.count_posterior`), given that all counts sum to n.  The difference from n is
distributed over the counts in proportion to their posterior variances :math:`v_k`, as if they were
normal: :math:`m_k+\frac{v_k}{\sum_jv_j}(n-\sum_jm_j)`.

A table counts as mostly empty if its noisy counts suggest that more than three quarters of its bins
are empty.  The count of an empty bin is at most 0 with probability :math:`1/(1+e^{-\varepsilon})`,
so the share of such counts is divided by this probability.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pdpbook.audit.count_posterior import posterior_from_noise

__all__ = ["estimated_shares"]

#: Above this share of empty bins, each count is estimated separately.
EMPTY = 0.75
#: Share of the uniform distribution in the estimate, so that no bin is impossible.
FLOOR = 1e-6


def estimated_shares(
    noisy: NDArray[np.int64], n: int, epsilon: float, *, ordered: bool = True
) -> NDArray[np.float64]:
    """Return the estimated shares of n records in the bins, shape (K,), all of them positive.

    >>> estimated_shares(np.array([6, -1, 1, 4]), 12, 1.0).round(2)
    array([0.52, 0.  , 0.1 , 0.37])
    """
    empty = float(np.mean(noisy <= 0)) * (1.0 + math.exp(-epsilon))
    counts = _rising(noisy, n) if ordered and empty <= EMPTY else _each(noisy, n, epsilon)
    return (1.0 - FLOOR) * counts / counts.sum() + FLOOR / noisy.size


def _rising(noisy: NDArray[np.int64], n: int) -> NDArray[np.float64]:
    """Return counts whose sums are the rising sequence nearest to the bridge of noisy counts."""
    from scipy.optimize import isotonic_regression

    sums, size = np.cumsum(noisy), noisy.size
    bridge = sums + (n - sums[-1]) * np.arange(1, size + 1) / size
    fitted = np.clip(isotonic_regression(bridge).x, 0.0, n)
    fitted[-1] = n
    counts: NDArray[np.float64] = np.diff(fitted, prepend=0.0)
    return counts


def _each(noisy: NDArray[np.int64], n: int, epsilon: float) -> NDArray[np.float64]:
    """Return the posterior means of the counts, corrected so that they sum to n."""
    posterior = posterior_from_noise(noisy, epsilon=epsilon)
    mean = posterior.mean
    variance = (posterior.values**2 * posterior.weights).sum(axis=1) - mean**2
    variance = np.maximum(variance, 1e-12)
    return np.maximum(mean + variance / variance.sum() * (n - mean.sum()), 0.0) + 1e-12
