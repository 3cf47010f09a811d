r"""The bounded Laplace mechanism: a noisy answer that cannot leave its range.

A share is a number in [0, 1], and a count is not negative.  A noisy answer may be clamped to its
range *after* the draw, which is post-processing, or drawn from the Laplace density restricted to
the range and renormalised.  The second method is the bounded Laplace mechanism.  The normalising
integral depends on the answer, so a record that moves the answer also changes the integral.  For
the range from l to u and the sensitivity Δ, the scale b gives

.. math::

    e^{\varepsilon(b)}=\frac{e^{\Delta/b}-1}{1-e^{-(u-l)/b}}
    +e^{\Delta/b}\,\frac{1-e^{-(u-l-\Delta)/b}}{1-e^{-(u-l)/b}} ,

which is more than :math:`e^{\Delta/b}` unless Δ is the whole range.  If it is, as always in the
later chapters of the book, the two numbers are equal.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pdpbook import _exact, _validate

__all__ = ["bounded_laplace_mechanism", "bounded_laplace_scale"]


def bounded_laplace_scale(
    *, lower: float, upper: float, sensitivity: float, epsilon: float
) -> float:
    r"""Return the smallest scale at which Laplace noise restricted to a range is ε-private.

    Parameters
    ----------
    lower, upper : float
    sensitivity : float
        :math:`0 < \Delta \le` ``upper - lower``: the largest change when a record is removed (or
        replaced).
    epsilon : float, ε from 1e-9 to 500

    Returns
    -------
    float
        The b with :math:`\varepsilon(b)=\varepsilon`, found by bisection and rounded up.

    Notes
    -----
    Source: Holohan, Antonatos, Braghin & Mac Aonghusa (2019), who find b as a fixed point.  Taught
    in *Other mechanisms*.

    Examples
    --------
    >>> round(bounded_laplace_scale(lower=0.0, upper=10.0, sensitivity=1.0, epsilon=1.0), 4)
    1.6116
    """
    lower = _validate.number("lower", lower)
    upper = _validate.number("upper", upper, above=lower)
    width = upper - lower
    if not math.isfinite(width):
        raise _validate.fail("upper", f"a finite distance above lower={lower!r}", upper)
    sensitivity = _validate.number("sensitivity", sensitivity)
    if sensitivity < 1e-290 * width:
        raise _validate.fail("sensitivity", "at least 1e-290 times the range", sensitivity)
    if sensitivity > width:
        raise _validate.fail("sensitivity", f"at most the range {width:g}", sensitivity)
    epsilon = _validate.number("epsilon", epsilon, at_least=1e-9, at_most=500.0)
    if not 0.0 < sensitivity / epsilon < 1e300:
        allowed = "such that sensitivity / epsilon is above 0 and below 1e300"
        raise _validate.fail("sensitivity", allowed, sensitivity)
    low = sensitivity / epsilon  # never too large: the normalising integral only increases ε
    high = low
    while _epsilon(high, width, sensitivity) > epsilon:
        high *= 2.0  # pragma: no mutate — any factor above 1 brackets the root
    while low < (middle := low + (high - low) / 2.0) < high:  # until they are adjacent floats
        if _epsilon(middle, width, sensitivity) <= epsilon:
            high = middle
        else:
            low = middle
    return high


def bounded_laplace_mechanism(
    value: ArrayLike,
    *,
    lower: float,
    upper: float,
    sensitivity: float,
    epsilon: float,
    rng: np.random.Generator,
) -> float | NDArray[np.float64]:
    """Draw a noisy answer within its range: the ideal mechanism, for experiments.

    Parameters
    ----------
    value : float or array_like
        The exact answer, within the range.  Each entry of an array gets independent noise, and ε is
        the privacy level of each individual entry.
    lower, upper, sensitivity, epsilon : float
        As for :func:`bounded_laplace_scale`.
    rng : numpy.random.Generator

    Returns
    -------
    float or ndarray
        Draws from the Laplace density around ``value``, restricted to the range, by inversion of
        the distribution function.

    Notes
    -----
    Source: Holohan, Antonatos, Braghin & Mac Aonghusa (2019).  Taught in *Other mechanisms*.  Do
    not release the result: the low bits of floating-point noise reveal the answer.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> limits = {"lower": 0.0, "upper": 1.0, "sensitivity": 0.01}
    >>> bounded_laplace_mechanism([0.0, 0.5], **limits, epsilon=1.0, rng=rng).round(3)
    array([0.016, 0.49 ])
    """
    scale = bounded_laplace_scale(
        lower=lower, upper=upper, sensitivity=sensitivity, epsilon=epsilon
    )
    exact = _validate.finite_array("value", value)
    if ((exact < lower) | (exact > upper)).any():
        raise ValueError(f"value must be within [{lower:g}, {upper:g}], got another value")
    level = _validate.generator("rng", rng).random(exact.shape)
    left, right = -np.expm1((lower - exact) / scale), -np.expm1((exact - upper) / scale)
    target = level * (left + right)  # twice the mass of the range below the draw
    below = target < left
    with np.errstate(divide="ignore", invalid="ignore"):
        drawn = np.where(
            below,
            exact + scale * np.log1p(target - left),
            exact - scale * np.log1p(left - target),
        )
    drawn = np.clip(drawn, lower, upper)
    return drawn if exact.ndim else float(drawn)


def _epsilon(scale: float, width: float, sensitivity: float) -> float:
    """Return ε without cancellation, rounded up."""
    step = sensitivity / scale
    ends = math.expm1((sensitivity - width) / scale) / math.expm1(-width / scale)
    return _exact.up(math.log1p(math.expm1(step) * (1.0 + ends)), 16)
