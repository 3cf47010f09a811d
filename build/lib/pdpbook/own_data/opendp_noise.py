"""The noise of a measurement of OpenDP, as an audit reads it.

A release of OpenDP is a stable transformation, such as a sum, chained to a measurement that adds
noise.  The measurement alone has a *privacy map*, which says what is lost when the numbers move by
a distance: at the distance by which one record moves them it gives the loss of this record.  So
what is read here is the metric in which the distance is counted, whether the map gives an ε or a
ρ, whether the numbers are whole, and the map itself.  The principle is taught in *What a released
statistic tells about each record*.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdpbook import _validate
from pdpbook._exact import up
from pdpbook._extras import require

__all__ = ["check_noise", "is_pure_noise", "is_whole_noise", "mapped_costs", "noise_power"]

Floats = NDArray[np.float64]

#: A privacy map is asked at no more distances than these; between them its chords bound it.
MOST = 1024


def check_noise(mechanism: Any, statistic: str) -> None:
    """Refuse what is not a measurement of OpenDP that adds noise to numbers."""
    if not isinstance(mechanism, require("opendp.mod").Measurement) or statistic == "quantile":
        allowed = "one of the names, or for numbers a measurement of OpenDP that adds noise"
        raise _validate.fail("mechanism", allowed, mechanism, TypeError)
    metric, measure = str(mechanism.input_metric), mechanism.output_measure.type
    if not metric.startswith(("AbsoluteDistance", "L1Distance", "L2Distance")):
        raise ValueError(
            "mechanism must be the noise alone, before it is chained to a query, "
            f"got a measurement on {metric}"
        )
    if measure not in ("MaxDivergence", "ZeroConcentratedDivergence"):
        raise ValueError(f"mechanism must have a loss in epsilon or rho, got {measure}")
    if statistic == "mean" and is_whole_noise(mechanism):
        raise ValueError("mechanism must add noise to floats, as a mean is one, got whole numbers")


def is_pure_noise(measurement: Any) -> bool:
    """Return whether the privacy map of a measurement gives an ε, and not a ρ."""
    return bool(measurement.output_measure.type == "MaxDivergence")


def noise_power(measurement: Any) -> int:
    """Return 1 if a measurement counts the sum of the changes, 2 if that of their squares."""
    kind = str(measurement.input_metric)
    if kind.startswith("AbsoluteDistance"):  # one number, of which there is one for each group
        return 1 if is_pure_noise(measurement) else 2
    return 1 if kind.startswith("L1Distance") else 2


def is_whole_noise(measurement: Any) -> bool:
    """Return whether a measurement of OpenDP adds noise to whole numbers."""
    return not any(f"T={kind}" in str(measurement.input_domain) for kind in ("f32", "f64"))


def mapped_costs(measurement: Any, distances: Floats) -> Floats:
    """Return the privacy map of OpenDP at all distances, by its chords where they are many."""
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
