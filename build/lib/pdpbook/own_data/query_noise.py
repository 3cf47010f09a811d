r"""What the noise of a released query makes of a distance: a pure loss, or ρ, and ε at δ.

Laplace noise of scale b loses d/b when the numbers move by d, in the sum of the changes (the metric
L¹).  Gaussian noise of standard deviation σ has no finite loss; it counts
:math:`\rho=d^2/2\sigma^2`, in the sum of the squares (L²), and several queries are added before
they are turned into an ε at δ.  If all noise is continuous, they are one Gaussian release at the
distance :math:`\sqrt{2\rho}`, and its ε is exact; otherwise the Rényi divergence
:math:`\alpha\rho` bounds it at every order α.  All costs are rounded up.  The principle is taught
in *What a released statistic tells about each record*.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pdpbook._exact import up
from pdpbook.own_data.opendp_noise import (
    is_pure_noise,
    is_whole_noise,
    mapped_costs,
    noise_power,
)
from pdpbook.per_instance.statistic_losses import gaussian_epsilons

if TYPE_CHECKING:
    from pdpbook.own_data.released_queries import ReleasedQuery

__all__ = [
    "adds_whole_numbers",
    "distance_costs",
    "epsilons_at",
    "is_pure",
    "metric_power",
]

Floats = NDArray[np.float64]

#: More distances than these are rounded up, so that one computation serves many records.
MOST = 1024
#: The bits that are then left of a distance: losses grow by a part of 2⁻¹¹ at most.
BITS = 12
#: Orders at which a Rényi divergence is turned into an ε; each of them gives a valid one.
ORDERS: Floats = 1.0 + np.geomspace(1e-3, 1e12, 300)


def is_pure(query: ReleasedQuery) -> bool:
    """Return whether the loss has a bound, and is no Rényi divergence."""
    if isinstance(query.mechanism, str):
        return "gaussian" not in query.mechanism
    return is_pure_noise(query.mechanism)


def metric_power(query: ReleasedQuery) -> int:
    """Return whether the noise counts the sum of the changes (1) or of their squares (2)."""
    if isinstance(query.mechanism, str):
        return 2 if "gaussian" in query.mechanism else 1
    return noise_power(query.mechanism)


def adds_whole_numbers(query: ReleasedQuery) -> bool:
    """Return whether the answers are whole numbers."""
    if isinstance(query.mechanism, str):
        return query.mechanism.startswith("discrete") and query.statistic == "sum"
    return is_whole_noise(query.mechanism)


def distance_costs(query: ReleasedQuery, distances: Floats) -> Floats:
    """Return what distances cost by noise that is added: pure losses, or ρ."""
    if not isinstance(query.mechanism, str):
        return mapped_costs(query.mechanism, distances)
    scaled: Floats = up(distances / query.scale, 1)
    return scaled if is_pure(query) else up(0.5 * up(scaled * scaled, 1), 1)


def epsilons_at(rho: Floats, delta: float, exact: bool) -> Floats:
    """Return the ε at δ of Gaussian noise whose queries add up to ρ."""
    distinct, place = np.unique(rho, return_inverse=True)
    if distinct.size > MOST:
        distinct, place = np.unique(_shortened(rho), return_inverse=True)
    finite = np.isfinite(distinct)
    costs = np.full(distinct.size, np.inf)
    if finite.any():
        if exact:
            lengths = up(np.sqrt(up(2.0 * distinct[finite], 1)), 1)
            costs[finite] = gaussian_epsilons(lengths, delta=delta, sigma=1.0)
        else:
            costs[finite] = _renyi_epsilons(distinct[finite], delta)
    return costs[place]


def _renyi_epsilons(rho: Floats, delta: float) -> Floats:
    """Return the ε at δ of Rényi divergences αρ, as by ``renyi_epsilon``, for many ρ at once."""
    offsets = np.log1p(-1.0 / ORDERS) - (math.log(delta) + np.log(ORDERS)) / (ORDERS - 1.0)
    epsilons = np.zeros(rho.size)
    for start in range(0, rho.size, MOST):
        part = slice(start, start + MOST)
        levels = ORDERS[:, None] * rho[part] + offsets[:, None]
        epsilons[part] = up(levels.min(axis=0), 8)
    return np.where(rho > 0.0, np.maximum(epsilons, 0.0), 0.0)


def _shortened(values: Floats) -> Floats:
    """Return numbers of a few bits that are not smaller."""
    mantissa, exponent = np.frexp(values)
    return np.asarray(np.ldexp(np.ceil(mantissa * 2.0**BITS) / 2.0**BITS, exponent))
