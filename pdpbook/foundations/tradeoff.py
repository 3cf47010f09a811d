r"""Privacy in terms of tests: false alarms against misses.

A test that decides between P ("in") and Q ("out") from x makes two kinds of error: a false alarm (Q
is taken for P) with probability α, and a miss (P is taken for Q) with probability β.  The
*trade-off curve* gives the smallest β for each α.  A mechanism is
:math:`(\varepsilon,\delta)`-private if and only if no curve of neighbouring data sets falls below

.. math:: f_{\varepsilon,\delta}(\alpha) =
          \max\{0,\; 1-\delta-e^{\varepsilon}\alpha,\; e^{-\varepsilon}(1-\delta-\alpha)\}.

The proofs are in the chapter *Composition*.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pdpbook import _validate

__all__ = ["gaussian_tradeoff", "laplace_tradeoff", "tradeoff_bound", "tradeoff_curve"]


def tradeoff_curve(
    present: ArrayLike, absent: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the corners of the trade-off curve of two distributions.

    Parameters
    ----------
    present, absent : array_like, shape (K,)
        Distribution of the output with the record, P, and without it, Q.

    Returns
    -------
    alpha, beta : ndarray, shape (m,)
        The corners, in ascending order of α.  The best test decides "in" for the outputs with the
        largest p(x)/q(x); between two corners it tosses a coin, so the curve is a straight line
        there.

    Notes
    -----
    Source: the lemma of Neyman and Pearson.  Taught in *Composition*.

    Examples
    --------
    >>> alpha, beta = tradeoff_curve([0.25, 0.75], [0.75, 0.25])
    >>> alpha, beta
    (array([0.  , 0.25, 1.  ]), array([1.  , 0.25, 0.  ]))
    """
    p, q = _validate.distributions("present", present, "absent", absent)
    p, q = p[(p > 0) | (q > 0)], q[(p > 0) | (q > 0)]
    with np.errstate(divide="ignore"):
        # pragma: no mutate — outputs of equal ratio are on one line of the curve, in any order
        order = np.argsort(np.log(q) - np.log(p), kind="stable")
    alpha = np.concatenate([[0.0], np.cumsum(q[order])])
    beta = np.concatenate([[0.0], np.cumsum(p[order][::-1])])[::-1]
    # pragma: no mutate — no quotient exceeds 1: the last corner is divided by itself
    return np.minimum(alpha / alpha[-1], 1.0), np.minimum(beta / beta[0], 1.0)


def tradeoff_bound(alpha: ArrayLike, *, epsilon: float, delta: float = 0.0) -> NDArray[np.float64]:
    r"""Return the lowest trade-off curve that :math:`(\varepsilon,\delta)`-privacy allows.

    Parameters
    ----------
    alpha : array_like, false-alarm rates in [0, 1]
    epsilon, delta : float, ε >= 0 and δ in [0, 1)

    Returns
    -------
    ndarray
        :math:`f_{\varepsilon,\delta}(\alpha)`, the smallest miss rate, in the shape of ``alpha``.

    Notes
    -----
    Neighbouring data sets differ by the removal or by the replacement of one record.  Source:
    Wasserman & Zhou (2010).  Taught in *Composition*.

    Examples
    --------
    >>> tradeoff_bound([0.0, 0.25, 1.0], epsilon=np.log(3)).round(4)
    array([1.  , 0.25, 0.  ])
    """
    rate = _validate.finite_array("alpha", alpha, at_least=0.0, at_most=1.0)
    epsilon = _validate.number("epsilon", epsilon, at_least=0.0)
    delta = _validate.number("delta", delta, at_least=0.0, below=1.0)
    with np.errstate(over="ignore", invalid="ignore"):
        steep = np.where(rate > 0.0, 1.0 - delta - np.exp(epsilon) * rate, 1.0 - delta)
    flat = np.exp(-epsilon) * (1.0 - delta - rate)
    return np.asarray(np.maximum(0.0, np.maximum(steep, flat)))


def gaussian_tradeoff(alpha: ArrayLike, *, shift: float) -> NDArray[np.float64]:
    r"""Return the trade-off curve of N(0, 1) against N(shift, 1).

    Parameters
    ----------
    alpha : array_like, false-alarm rates in [0, 1]
    shift : float
        Sensitivity divided by standard deviation, :math:`\mu=\Delta_2/\sigma \ge 0`.

    Returns
    -------
    ndarray
        :math:`\Phi(\Phi^{-1}(1-\alpha)-\mu)`, in the shape of ``alpha``.

    Notes
    -----
    Source: Dong, Roth & Su (2022).  Taught in *Composition*.

    Examples
    --------
    >>> gaussian_tradeoff([0.0, 0.5, 1.0], shift=1.0).round(4)
    array([1.    , 0.1587, 0.    ])
    """
    from scipy.special import ndtr, ndtri

    rate = _validate.finite_array("alpha", alpha, at_least=0.0, at_most=1.0)
    shift = _validate.number("shift", shift, at_least=0.0)
    return np.asarray(ndtr(-ndtri(rate) - shift))


def laplace_tradeoff(alpha: ArrayLike, *, epsilon: float) -> NDArray[np.float64]:
    r"""Return the trade-off curve of the Laplace mechanism.

    Parameters
    ----------
    alpha : array_like, false-alarm rates in [0, 1]
    epsilon : float
        Sensitivity divided by scale, :math:`\varepsilon \ge 0`.

    Returns
    -------
    ndarray
        The smallest miss rate, in the shape of ``alpha``.

    Notes
    -----
    Source: Dong, Roth & Su (2022).  Taught in *Composition*.

    Examples
    --------
    >>> laplace_tradeoff([0.0, 0.5, 1.0], epsilon=1.0).round(4)
    array([1.    , 0.1839, 0.    ])
    """
    rate = _validate.finite_array("alpha", alpha, at_least=0.0, at_most=1.0)
    epsilon = _validate.number("epsilon", epsilon, at_least=0.0)
    shrink = math.exp(-epsilon)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        middle = shrink / (4.0 * rate)
        left = 1.0 - rate / shrink if shrink > 0.0 else 1.0  # the latter only for a rate of 0
    right = shrink * (1.0 - rate)
    return np.asarray(np.where(rate <= shrink / 2.0, left, np.where(rate <= 0.5, middle, right)))
