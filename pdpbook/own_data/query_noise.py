r"""The privacy loss if a query's answers move by a distance: a pure loss, or ρ and its ε at δ.

Under Laplace noise of scale b the loss of a record is d/b, where d is the sum of the absolute
changes (L¹).  Gaussian noise of standard deviation σ has no finite loss; its cost is
:math:`\rho=d^2/2\sigma^2`, where d² is the sum of the squared changes (L²), and the costs of
queries are added before they are converted to an ε at δ.  If all noise is continuous, the queries
amount to one Gaussian release at the distance :math:`\sqrt{2\rho}`, and its ε is exact.  For any
noise, the Rényi divergence of every order α is at most :math:`\alpha\rho`.  Costs are rounded up.

Discrete Gaussian noise on whole numbers is nearly as good as continuous noise.  Its probability of
y is at most the density :math:`\varphi(y)` of the continuous noise, because the sum of
:math:`e^{-k^2/2\sigma^2}` is at least its integral (Poisson's formula).  By Jensen's inequality,
:math:`\varphi(y)` is at most :math:`e^{1/24\sigma^2}` times the probability that the continuous
noise rounds to y.  Rounding y changes the loss :math:`(2yd+d^2)/2\sigma^2` by at most
:math:`|d|/2\sigma^2`.  So if the continuous noise of all numbers that a record moves by :math:`d_j`
is (ε, δ)-private, the discrete noise is private at

.. math:: \varepsilon+\sum_j\frac{|d_j|}{2\sigma_j^2} ,\qquad
          \delta\exp\sum_j\frac1{24\sigma_j^2} .

Noise is given by name or as a measurement of OpenDP, whose *privacy map* gives the loss for every
distance: at the distance by which a record moves the numbers, it gives the record's own loss.  The
audit reads the metric, the map, whether the map gives ε or ρ, and whether the numbers are whole.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdpbook import _validate
from pdpbook._exact import up
from pdpbook._extras import require
from pdpbook.per_instance.statistic_losses import gaussian_epsilons

__all__ = [
    "adds_whole_numbers",
    "check_noise",
    "distance_costs",
    "epsilons_at",
    "grid_excess",
    "is_pure",
    "metric_power",
]

Floats = NDArray[np.float64]

#: If there are more distances than this, they are rounded up, so that records share computations.
#: A privacy map is evaluated at no more distances than this; between them, its chords bound it.
MOST = 1024
#: The bits kept of a rounded distance: losses grow by a factor of at most 1 + 2⁻¹¹.
BITS = 12
#: Orders at which a Rényi divergence is converted to an ε; each order gives a valid ε.
ORDERS: Floats = 1.0 + np.geomspace(1e-3, 1e12, 300)


def check_noise(mechanism: Any, statistic: str) -> None:
    """Refuse anything but a measurement of OpenDP that adds noise to numbers."""
    if not isinstance(mechanism, require("opendp.mod").Measurement) or statistic == "quantile":
        allowed = "one of the names or, for numbers, a measurement of OpenDP that adds noise"
        raise _validate.fail("mechanism", allowed, mechanism, TypeError)
    metric, measure = str(mechanism.input_metric), mechanism.output_measure.type
    if not metric.startswith(("AbsoluteDistance", "L1Distance", "L2Distance")):
        raise ValueError(
            "mechanism must be the noise alone, before it is chained to a query, "
            f"got a measurement on {metric}"
        )
    if measure not in ("MaxDivergence", "ZeroConcentratedDivergence"):
        raise ValueError(f"mechanism must have a loss in epsilon or rho, got {measure}")
    if statistic == "mean" and adds_whole_numbers(mechanism):
        raise ValueError("mechanism must add noise to floats for a mean, got whole numbers")


def is_pure(mechanism: Any) -> bool:
    """Return whether a mechanism bounds the privacy loss itself, not only a divergence."""
    if isinstance(mechanism, str):
        return "gaussian" not in mechanism
    return bool(mechanism.output_measure.type == "MaxDivergence")


def metric_power(mechanism: Any) -> int:
    """Return whether a mechanism adds up the changes (1) or their squares (2)."""
    kind = "" if isinstance(mechanism, str) else str(mechanism.input_metric)
    if kind.startswith(("L1Distance", "L2Distance")):
        return int(kind[1])
    return 1 if is_pure(mechanism) else 2  # the metric of one number; each group has one number


def adds_whole_numbers(mechanism: Any) -> bool:
    """Return whether a mechanism adds noise to whole numbers."""
    if isinstance(mechanism, str):
        return mechanism.startswith("discrete")
    return not any(f"T={kind}" in str(mechanism.input_domain) for kind in ("f32", "f64"))


def distance_costs(mechanism: Any, scale: float, distances: Floats) -> Floats:
    """Return the cost of distances under additive noise: pure losses, or ρ."""
    if not isinstance(mechanism, str):
        return _mapped_costs(mechanism, distances)
    scaled: Floats = up(distances / scale, 1)
    return scaled if is_pure(mechanism) else up(0.5 * up(scaled * scaled, 1), 1)


def _mapped_costs(measurement: Any, distances: Floats) -> Floats:
    """Return OpenDP's privacy map at all distances, or its chords if there are many distances."""
    whole = "f" not in measurement.input_distance_type
    exact = np.ceil(distances) if whole else distances
    distinct, place = np.unique(exact, return_inverse=True)
    finite = distinct[(distinct > 0) & np.isfinite(distinct)]
    at = finite
    if finite.size > MOST:
        at = np.clip(np.geomspace(finite[0], finite[-1], MOST), finite[0], finite[-1])
        at = np.unique(np.ceil(at) if whole else at)
    costs = np.where(np.isinf(distinct), np.inf, 0.0)
    if at.size:
        values = [float(measurement.map(int(each) if whole else float(each))) for each in at]
        between = np.interp(finite, at, values)
        if finite.size > MOST:
            between = up(between, 9)
        costs[(distinct > 0) & np.isfinite(distinct)] = between
    return costs[place]


def grid_excess(mechanism: Any, scale: float, numbers: int) -> tuple[float, float]:
    """Return what the grid of Gaussian noise adds to ε and ln δ for a number of moved values.

    The excess of ε is given per unit of √ρ, and is infinite for unknown noise.
    """
    if mechanism == "gaussian":
        return 0.0, 0.0
    if mechanism != "discrete gaussian":
        return math.inf, 0.0
    return up(math.sqrt(numbers / 2.0) / scale, 3), up(numbers / 24.0 / scale / scale, 3)


def epsilons_at(rho: Floats, delta: float, excess: Floats, log_excess: float) -> Floats:
    """Return the ε at δ of Gaussian queries that add up to ρ, with the excess of their grids."""
    distinct, place = np.unique(rho, return_inverse=True)
    if distinct.size > MOST:
        distinct, place = np.unique(_shortened(rho), return_inverse=True)
    finite = np.isfinite(distinct)
    bound, normal = np.full((2, distinct.size), np.inf)
    if excess.any():
        bound[finite] = _renyi_epsilons(distinct[finite], delta)
    left = delta * math.exp(-log_excess) * (1.0 - 2.0**-50)
    if finite.any() and np.isfinite(excess).any() and left >= 1e-300:
        lengths = up(np.sqrt(up(2.0 * distinct[finite], 1)), 1)
        normal[finite] = gaussian_epsilons(lengths, delta=left if log_excess else delta, sigma=1.0)
    exact = up(normal[place] + excess, 1) if excess.any() else normal[place]
    return np.minimum(bound[place], exact)


def _renyi_epsilons(rho: Floats, delta: float) -> Floats:
    """Return the ε at δ of Rényi divergences αρ, like ``renyi_epsilon``, for many values of ρ."""
    offsets = np.log1p(-1.0 / ORDERS) - (math.log(delta) + np.log(ORDERS)) / (ORDERS - 1.0)
    epsilons = np.zeros(rho.size)
    for start in range(0, rho.size, MOST):
        part = slice(start, start + MOST)
        levels = ORDERS[:, None] * rho[part] + offsets[:, None]
        epsilons[part] = up(levels.min(axis=0), 8)
    return np.where(rho > 0.0, np.maximum(epsilons, 0.0), 0.0)


def _shortened(values: Floats) -> Floats:
    """Round numbers upwards, and keep only a few bits."""
    mantissa, exponent = np.frexp(values)
    return np.asarray(np.ldexp(np.ceil(mantissa * 2.0**BITS) / 2.0**BITS, exponent))
