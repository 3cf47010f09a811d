r"""Rényi differential privacy: bounds on all moments instead of one ε.

The privacy loss of an output is :math:`L=\ln P(x)/Q(x)`, with x drawn from P.  ε-DP bounds its
maximum.  Rényi differential privacy bounds its exponential moments, one for each *order*
:math:`\alpha>1`,

.. math::

    D_\alpha(P\|Q) = \frac1{\alpha-1}\ln\sum_x P(x)^\alpha\,Q(x)^{1-\alpha} ,

and a mechanism is :math:`(\alpha,\rho)`-RDP if this divergence is at most ρ for all neighbours in
both directions.  Moments of independent losses multiply, so the values of ρ for several answers add
up at every order.  In the end, one order is chosen to convert the sum into (ε, δ).  The table shows
the limits of :math:`D_\alpha` as the order tends to ∞ and to 1, and two examples:

=====================  ==================================================================
to :math:`\infty`      the largest loss, as in ε-DP
to 1                   the mean loss, the Kullback–Leibler divergence
Gaussian noise         :math:`\alpha\Delta_2^2/2\sigma^2`, a straight line
Laplace noise          a curve that levels off at :math:`\Delta_1/b`
=====================  ==================================================================
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pdpbook import _validate

__all__ = ["gaussian_renyi", "laplace_renyi", "renyi_epsilon"]


def gaussian_renyi(
    order: ArrayLike, *, sensitivity: float = 1.0, sigma: float
) -> float | NDArray[np.float64]:
    r"""Return the Rényi divergence of Gaussian noise.

    Parameters
    ----------
    order : float or array_like, α >= 1
    sensitivity : float, Δ₂ > 0
        The largest L2 change when a record is removed (or replaced).
    sigma : float, σ > 0

    Returns
    -------
    float or ndarray
        :math:`\alpha\Delta_2^2/2\sigma^2`, in the shape of ``order``.

    Notes
    -----
    Source: Mironov (2017), Proposition 7.  Taught, with a proof, in *Composition*.

    Examples
    --------
    >>> gaussian_renyi([1.0, 2.0, 10.0], sigma=2.0)
    array([0.125, 0.25 , 1.25 ])
    """
    orders = _validate.finite_array("order", order, at_least=1.0)
    ratio = _validate.number("sensitivity", sensitivity, above=0.0) / _validate.number(
        "sigma", sigma, above=0.0
    )
    with np.errstate(over="ignore"):
        values = orders * np.float64(ratio) ** 2 / 2.0
    if not np.isfinite(values).all():
        raise _validate.fail("sigma", "so large that the divergence is finite", sigma)
    return values if values.ndim else float(values)


def laplace_renyi(
    order: ArrayLike, *, sensitivity: float = 1.0, scale: float
) -> float | NDArray[np.float64]:
    r"""Return the Rényi divergence of Laplace noise on one number.

    Parameters
    ----------
    order : float or array_like, α >= 1
    sensitivity : float
        :math:`\Delta > 0`: the largest change of the number when a record is removed (or replaced).
    scale : float, b > 0

    Returns
    -------
    float or ndarray
        With :math:`t=\Delta/b`,
        :math:`\frac1{\alpha-1}\ln\bigl(\frac{\alpha}{2\alpha-1}e^{(\alpha-1)t}
        +\frac{\alpha-1}{2\alpha-1}e^{-\alpha t}\bigr)`, and :math:`t-1+e^{-t}` at order 1; in the
        shape of ``order``.

    Notes
    -----
    Source: Mironov (2017), Proposition 6.  Taught, with a proof, in *Composition*.

    Examples
    --------
    >>> laplace_renyi([1.0, 2.0, 1e6], scale=2.0).round(4)
    array([0.1065, 0.2003, 0.5   ])
    """
    orders = _validate.finite_array("order", order, at_least=1.0)
    step = _validate.number("sensitivity", sensitivity, above=0.0) / _validate.number(
        "scale", scale, above=0.0
    )
    if not math.isfinite(step):
        raise _validate.fail("scale", "so large that the divergence is finite", scale)
    # nearer to 1, rounding would dominate; above 1e300 the value is constant and its terms overflow
    above = np.clip(orders, 1.0 + 1e-9, 1e300)
    rest = (above - 1.0) / (2.0 * above - 1.0) * np.expm1(-(2.0 * above - 1.0) * step)
    values = step + np.log1p(rest) / (above - 1.0)
    values = np.where(orders < 1.0 + 1e-9, step + math.expm1(-step), values)
    # for a small step, whose square would be lost in rounding, the first term of the series
    values = np.where((2.0 * above - 1.0) * step < 1e-5, orders * min(step, 1.0) ** 2 / 2.0, values)
    return values if values.ndim else float(values)


def renyi_epsilon(order: ArrayLike, divergence: ArrayLike, *, delta: float) -> tuple[float, float]:
    r"""Convert Rényi divergences at several orders into the ε of (ε, δ)-DP, at the best order.

    Parameters
    ----------
    order : array_like, shape (m,), α > 1
    divergence : array_like, shape (m,)
        The mechanism's bound :math:`\rho \ge 0` at each order, in nats.
    delta : float, δ in (0, 1)

    Returns
    -------
    epsilon, order : float
        The smallest of
        :math:`\rho+\ln\bigl(1-\frac1\alpha\bigr)-\frac{\ln\delta+\ln\alpha}{\alpha-1}` over the
        given orders, or 0 if it is negative, and the order at which it is attained.

    Notes
    -----
    Neighbouring data sets are those to which ``divergence`` applies: they differ by the removal or
    by the replacement of one record.  Source: Canonne, Kamath & Steinke (2020), Proposition 12,
    which improves on Mironov (2017), Proposition 3: :math:`\rho+\frac{\ln(1/\delta)}{\alpha-1}`.
    Proved in *Composition*.

    Examples
    --------
    >>> orders = np.array([2.0, 10.0, 20.0])
    >>> epsilon, best = renyi_epsilon(orders, gaussian_renyi(orders, sigma=4.0), delta=1e-5)
    >>> round(epsilon, 4), best
    (1.022, 20.0)
    """
    orders = _validate.finite_vector("order", order, above=1.0)
    curve = _validate.finite_vector("divergence", divergence, at_least=0.0)
    if curve.size != orders.size:
        raise ValueError(
            f"divergence must have the length {orders.size} of order, "
            f"got divergence of length {curve.size}"
        )
    delta = _validate.number("delta", delta, above=0.0, below=1.0)
    levels = curve + np.log1p(-1.0 / orders) - (math.log(delta) + np.log(orders)) / (orders - 1.0)
    best = int(levels.argmin())
    return max(float(levels[best]), 0.0), float(orders[best])
