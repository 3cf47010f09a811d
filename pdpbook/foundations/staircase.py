r"""Staircase noise, the additive ε-DP noise with the smallest error.

The density of ε-private noise may fall by the factor :math:`e^{-\varepsilon}` over any distance Δ,
and no faster, but it need not fall *smoothly* like the Laplace density.  The staircase density
falls in steps:

.. math::

    f(x)=a\cdot\begin{cases}
        e^{-k\varepsilon} & k\Delta\le|x|<(k+\gamma)\Delta,\\
        e^{-(k+1)\varepsilon} & (k+\gamma)\Delta\le|x|<(k+1)\Delta,
    \end{cases}\qquad k=0,1,2,\dots,

.. math::

    a=\frac{1-e^{-\varepsilon}}{2\Delta\,(\gamma+e^{-\varepsilon}(1-\gamma))} .

The *share* γ is the position of the step in each interval of length Δ.  Geng & Viswanath proved
that, for every symmetric error that grows with the noise, staircase noise with some γ is optimal
among all noise that is independent of the answer.  For the mean absolute error, the optimal share
is :math:`\gamma=1/(1+e^{\varepsilon/2})`.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pdpbook import _validate

__all__ = ["staircase_error", "staircase_mechanism", "staircase_pdf"]


def staircase_pdf(
    noise: ArrayLike, *, sensitivity: float = 1.0, epsilon: float, share: float | None = None
) -> float | NDArray[np.float64]:
    r"""Return the density of staircase noise.

    Parameters
    ----------
    noise : float or array_like
        Where to evaluate the density, in the unit of the answer.
    sensitivity : float
        :math:`\Delta > 0`: the most by which one record can change the answer.
    epsilon : float, ε from 1e-9 to 500
    share : float, optional
        The position :math:`\gamma` in [0, 1) of the step in each interval of length Δ; by default
        :math:`1/(1+e^{\varepsilon/2})`, which gives the smallest mean absolute error.

    Returns
    -------
    float or ndarray
        The density, in the shape of ``noise``.

    Notes
    -----
    Source: Geng & Viswanath (2016).  Taught in *Other mechanisms*.

    Examples
    --------
    >>> staircase_pdf([0.0, 0.5, 1.0], epsilon=np.log(4), share=0.25).round(4)
    array([0.8571, 0.2143, 0.2143])
    """
    places = _validate.finite_array("noise", noise)
    epsilon, sensitivity, share = _checked(epsilon, sensitivity, share)
    with np.errstate(over="ignore"):
        stretches = np.minimum(np.abs(places) / sensitivity, 1e300)
    steps = np.floor(stretches) + (stretches - np.floor(stretches) >= share)
    area = 2.0 * sensitivity * (share + math.exp(-epsilon) * (1 - share))
    if area < 1e-300:
        raise _validate.fail("sensitivity", "so large that the density is finite", sensitivity)
    top = -math.expm1(-epsilon) / area
    density = top * np.exp(-epsilon * steps)
    return density if places.ndim else float(density)


def staircase_mechanism(
    value: ArrayLike,
    *,
    sensitivity: float,
    epsilon: float,
    share: float | None = None,
    rng: np.random.Generator,
) -> float | NDArray[np.float64]:
    r"""Add independent staircase noise to each entry: the ideal mechanism, for experiments.

    Parameters
    ----------
    value : float or array_like
    sensitivity : float
        :math:`\Delta > 0`: the largest change of an entry when a record is removed (or replaced).
    epsilon : float, ε of each individual entry, from 1e-9 to 500
    share : float, optional
        As for :func:`staircase_pdf`.
    rng : numpy.random.Generator

    Returns
    -------
    float or ndarray
        ``value`` plus noise.

    Notes
    -----
    Source: Geng, Kairouz, Oh & Viswanath (2015), Algorithm 1.  Taught in *Other mechanisms*.  The
    low bits of floating-point noise reveal the answer, so use this function only for experiments.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> staircase_mechanism([10.0, 10.0], sensitivity=1.0, epsilon=4.0, rng=rng).round(3)
    array([10.097, 10.109])
    """
    exact = _validate.finite_array("value", value)
    epsilon, sensitivity, share = _checked(epsilon, sensitivity, share)
    rng = _validate.generator("rng", rng)
    fall = math.exp(-epsilon)
    stretch = rng.geometric(-math.expm1(-epsilon), exact.shape) - 1
    low = rng.random(exact.shape) * (share + fall * (1.0 - share)) >= share
    place = rng.random(exact.shape)
    within: NDArray[np.float64] = np.where(low, share + (1.0 - share) * place, share * place)
    sign = np.where(rng.random(exact.shape) < 0.5, -1.0, 1.0)
    with np.errstate(over="ignore"):
        noisy = exact + sign * sensitivity * (stretch + within)
    if not np.isfinite(noisy).all():
        raise _validate.fail("sensitivity", "so small that the noise is finite", sensitivity)
    return noisy if exact.ndim else float(noisy)


def staircase_error(epsilon: ArrayLike, *, sensitivity: float = 1.0) -> float | NDArray[np.float64]:
    r"""Return the smallest mean absolute error of additive ε-DP noise.

    Parameters
    ----------
    epsilon : float or array_like, ε > 0
    sensitivity : float, Δ > 0
        The largest change of the answer when a record is removed (or replaced).

    Returns
    -------
    float or ndarray
        :math:`\Delta\,e^{\varepsilon/2}/(e^{\varepsilon}-1)`; the error of Laplace noise is
        :math:`\Delta/\varepsilon`.

    Notes
    -----
    Source: Geng & Viswanath (2016).  Taught in *Other mechanisms*, where an exercise computes it.

    Examples
    --------
    >>> staircase_error([0.1, 1.0, 8.0]).round(4)
    array([9.9958, 0.9595, 0.0183])
    """
    levels = _validate.finite_array("epsilon", epsilon, above=0.0)
    sensitivity = _validate.number("sensitivity", sensitivity, above=0.0)
    with np.errstate(over="ignore", divide="ignore"):
        error = sensitivity * (np.exp(-levels / 2.0) / -np.expm1(-levels))
    if not np.isfinite(error).all():
        least = float(levels.min())
        raise _validate.fail("epsilon", "so large that the error is finite", least)
    return error if levels.ndim else float(error)


def _checked(epsilon: float, sensitivity: float, share: float | None) -> tuple[float, float, float]:
    """Return the three parameters, with the default share if none is given."""
    epsilon = _validate.number("epsilon", epsilon, at_least=1e-9, at_most=500.0)
    sensitivity = _validate.number("sensitivity", sensitivity, above=0.0)
    share = 1.0 / (1.0 + math.exp(epsilon / 2.0)) if share is None else share
    return epsilon, sensitivity, _validate.number("share", share, at_least=0.0, below=1.0)
