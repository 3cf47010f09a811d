r"""95 % intervals for statistics of noisy counts, which allow for the noise alone.

The distribution of the noise is public, so an interval costs nothing and depends on the data only
through what is published.  For one count it is exact
(:func:`pdpbook.foundations.discrete_noise.laplace_reach`).  A sum :math:`\sum_kw_kZ_k` of discrete
Laplace numbers has a Chernoff bound, with the moments

.. math:: \mathrm E\,e^{\theta Z}=\frac{\cosh\varepsilon-1}{\cosh\varepsilon-\cosh\theta} ,
          \qquad |\theta|<\varepsilon :

for every θ > 0 the size of the sum exceeds
:math:`\bigl(\ln\frac2\alpha+\sum_k\ln\mathrm E\,e^{\theta w_kZ}\bigr) /\theta` with probability at
most α.  Each θ gives a bound, so the smallest of several bounds is also a bound.

The sums of the first k counts, shifted so that the last sum is n, have the noise
:math:`\sum_{j\le k}Z_j-\frac kK\sum_jZ_j`.  With α/K in place of α for each k, the bound is valid
for all sums together, hence also for the sum that determines a quantile.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["bridge_reach", "sum_reach"]

#: The coverage probability of an interval.
LEVEL = 0.95
_TRIED = np.linspace(0.02, 0.98, 49)


def sum_reach(weights: NDArray[np.float64], epsilon: float) -> float:
    """Return a 95 % bound on the size of a weighted sum of the noise of counts.

    >>> round(sum_reach(np.ones(1), 1.0), 1), round(sum_reach(np.ones(100), 1.0), 1)
    (5.8, 37.3)
    """
    largest = float(np.abs(weights).max())
    theta = _TRIED * epsilon / largest if largest else _TRIED
    return float(_bounds(_moments(theta[:, None] * weights, epsilon).sum(axis=1), theta, 1.0))


def bridge_reach(bins: int, epsilon: float) -> float:
    """Return a 95 % bound on the noise of cumulative counts, shifted so that the last is n."""
    first = np.arange(1, bins)[:, None]
    theta = _TRIED * epsilon
    inside = first * _moments(theta * (1.0 - first / bins), epsilon)
    outside = (bins - first) * _moments(theta * first / bins, epsilon)
    return float(_bounds(inside + outside, theta, bins - 1.0).max())


def _moments(theta: NDArray[np.float64], epsilon: float) -> NDArray[np.float64]:
    """Return the logarithms of the moments of the noise of one count."""
    both = np.sinh((epsilon + theta) / 2.0) * np.sinh((epsilon - theta) / 2.0)
    return 2.0 * math.log(math.sinh(epsilon / 2.0)) - np.log(both)


def _bounds(moments: NDArray[np.float64], theta: NDArray[np.float64], sums: float) -> NDArray[Any]:
    """Return the smallest bound over θ (the last axis) that is valid for all sums together."""
    return np.asarray(((math.log(2.0 * sums / (1.0 - LEVEL)) + moments) / theta).min(axis=-1))
