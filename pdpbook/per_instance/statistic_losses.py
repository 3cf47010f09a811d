r"""The privacy loss of each record from a released statistic.

A statistic f of the data is released once with noise.  Removing record i changes it by
:math:`\Delta_i = f(D)-f(D_{-i})`, and the noise, which is chosen without the data, stays the same.
The per-instance loss of record i therefore depends on the data only through :math:`\Delta_i`.  With
independent Laplace noise of scale b on each number, the loss is :math:`\lVert\Delta_i\rVert_1/b`.
With independent Gaussian noise of standard deviation σ, the loss is infinite, but record i has a
privacy profile, the smallest δ at each ε.  This profile is the same as the profile of two Gaussians
at the distance :math:`u_i=\lVert\Delta_i\rVert_2/\sigma`:

.. math:: \delta_i(\varepsilon) = \Phi\bigl(\tfrac{u_i}2-\tfrac\varepsilon{u_i}\bigr)
          - e^\varepsilon\,\Phi\bigl(-\tfrac{u_i}2-\tfrac\varepsilon{u_i}\bigr) .

A count changes by one, a sum by the record's value, and the mean by

.. math:: \Delta_i = \frac{x_i-\bar x_{-i}}{n} , \qquad
          |\Delta_i| \le \frac{\text{range}}{n} ,

so a record at the mean of the others loses nothing, and the loss grows with the distance from this
mean.  The coefficients of least squares are in :mod:`pdpbook.per_instance.least_squares`.

**A quantile** is chosen among public candidates by the exponential mechanism, and the loss is the
largest change of the log probability of a candidate.  Each record is first replaced by the nearest
candidate, which is a function of one record.  Let :math:`a(r)` be the number of records below the
candidate r, and :math:`b(r)` the number of records at or below r.  The q-quantile has the rank qn,
and r has all ranks from a(r) to b(r), so the utility of r is minus the distance of qn from this
interval,

.. math:: u(r)=-\max\{a(r)-qn,\;qn-b(r),\;0\} .

If many records share a value and qn is among their ranks, the utility of the value is 0.  The
utility :math:`-|b(r)-qn|` ignores such ties: it has the same value at the tie and at all candidates
between the tie and the next record.

*Sensitivity.*  If a record is removed, n falls to n - 1, and each of a(r) and b(r) either falls by
one or does not change.  So :math:`a(r)-qn` rises by q or falls by 1 - q, and :math:`qn-b(r)` falls
by q or rises by 1 - q.  A maximum changes by at most the largest change of its arguments, so u(r)
changes by at most :math:`\max\{q,1-q\}`.  If a record is replaced by another, qn does not change,
and a(r) and b(r) change by at most 1, so u(r) changes by at most 1.

Taught in *What a released statistic tells about each record*.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import log_softmax

from pdpbook import _validate
from pdpbook.foundations.mechanisms import gaussian_delta

__all__ = [
    "gaussian_deltas",
    "gaussian_epsilons",
    "laplace_losses",
    "mean_changes",
    "quantile_losses",
    "quantile_probabilities",
    "worst_mean_change",
]

_SMALLEST, _LARGEST = 1e-300, 1e100  #: distances of two Gaussians, in standard deviations


def mean_changes(values: ArrayLike) -> NDArray[np.float64]:
    r"""Return how far the mean moves when each record is removed.

    Parameters
    ----------
    values : array_like, shape (n,), n >= 2

    Returns
    -------
    ndarray, shape (n,)
        :math:`\bar x-\bar x_{-i}`, in the unit of the values.

    Notes
    -----
    Source: Wang (2019), per-instance sensitivity.  Taught in *What a released statistic tells about
    each record*.

    Examples
    --------
    >>> mean_changes([0.0, 0.0, 3.0])
    array([-0.5, -0.5,  1. ])
    """
    x = _validate.finite_vector("values", values, entries=2)
    largest = float(np.abs(x).max()) or 1.0
    unit = x / largest  # so that no sum overflows
    return (unit - unit.mean()) * (largest / (x.size - 1))


def worst_mean_change(n: int, *, lower: float, upper: float) -> float:
    """Return the largest distance by which one of n records can move the mean.

    Parameters
    ----------
    n : int, >= 2
    lower, upper : float
        Smallest and largest possible value of a record.

    Returns
    -------
    float
        (upper - lower) / n: the record is at one end, and all others are at the other end.

    Notes
    -----
    This is the sensitivity of the mean of n records under the removal of one record.  Source: Dwork
    et al. (2006).  Taught in *What a released statistic tells about each record*.

    Examples
    --------
    >>> worst_mean_change(3, lower=0.0, upper=3.0)
    1.0
    """
    n = _validate.integer("n", n, at_least=2)
    low = _validate.number("lower", lower)
    high = _validate.number("upper", upper, above=low)
    return (high - low) / n if math.isfinite(high - low) else high / n - low / n


def laplace_losses(changes: ArrayLike, *, scale: float) -> NDArray[np.float64]:
    r"""Return the per-instance loss of each record when Laplace noise is added to a statistic.

    Parameters
    ----------
    changes : array_like, shape (n,) or (n, d)
        Change of the statistic, which is one number or d numbers, when each record is removed.
    scale : float, b > 0
        Scale of the independent noise on each number, in the unit of the statistic.

    Returns
    -------
    ndarray, shape (n,)
        :math:`\lVert\Delta_i\rVert_1/b`, in nats.

    Notes
    -----
    Neighbouring data sets differ by the removal of one record; the scale is the same for both.
    Source: Wang (2019).  Taught in *What a released statistic tells about each record*.

    Examples
    --------
    >>> laplace_losses(mean_changes([0.0, 0.0, 3.0]), scale=2.0)
    array([0.25, 0.25, 0.5 ])
    """
    moved = _rows(changes)
    scale = _validate.number("scale", scale, above=0.0)
    with np.errstate(over="ignore", under="ignore"):
        losses = np.asarray(np.abs(moved / scale).sum(axis=1))
    if not np.isfinite(losses).all():
        raise ValueError(
            f"scale must be such that every loss is a finite number, got scale={scale!r}"
        )
    return losses


def gaussian_deltas(changes: ArrayLike, *, epsilon: float, sigma: float) -> NDArray[np.float64]:
    r"""Return the δ at which each record is (ε, δ)-pDP when Gaussian noise is added to a statistic.

    Parameters
    ----------
    changes : array_like, shape (n,) or (n, d)
        Change of the statistic, which is one number or d numbers, when each record is removed; no
        change is larger than 1e100 standard deviations.
    epsilon : float, ε >= 0
    sigma : float, σ > 0
        Standard deviation of the independent noise on each number, in the unit of the statistic.

    Returns
    -------
    ndarray, shape (n,)
        The smallest δ of each record, which is :func:`pdpbook.foundations.gaussian_delta` at the
        distance :math:`\lVert\Delta_i\rVert_2/\sigma`; 0 for a record that changes nothing.

    Notes
    -----
    Neighbouring data sets differ by the removal of one record; the noise is the same for both.
    Source: Balle & Wang (2018), Theorem 8, at the record's own change.  Taught in *What a released
    statistic tells about each record*.

    Examples
    --------
    >>> gaussian_deltas(mean_changes([0.0, 0.0, 3.0]), epsilon=0.5, sigma=1.0).round(4)
    array([0.0524, 0.0524, 0.2384])
    """
    epsilon = _validate.number("epsilon", epsilon, at_least=0.0)
    distances = _distances(changes, sigma)
    deltas = np.zeros(distances.size)
    moved = distances > _SMALLEST
    if moved.any():
        deltas[moved] = gaussian_delta(1.0 / distances[moved], epsilon=epsilon)
    return deltas


def gaussian_epsilons(changes: ArrayLike, *, delta: float, sigma: float) -> NDArray[np.float64]:
    """Return the ε at which each record is (ε, δ)-pDP when Gaussian noise is added to a statistic.

    Parameters
    ----------
    changes, sigma
        As for :func:`gaussian_deltas`.
    delta : float, δ in [1e-300, 1)

    Returns
    -------
    ndarray, shape (n,)
        The smallest ε of each record at which :func:`gaussian_deltas` is at most δ.

    Notes
    -----
    Neighbouring data sets differ by the removal of one record; the noise is the same for both.
    Source: Balle & Wang (2018), Theorem 8, solved for ε.  Taught in *What a released statistic
    tells about each record*.

    Examples
    --------
    >>> gaussian_epsilons(mean_changes([0.0, 0.0, 3.0]), delta=1e-5, sigma=1.0).round(2)
    array([1.99, 1.99, 4.38])
    """
    delta = _validate.number("delta", delta, at_least=1e-300, below=1.0)
    distances = _distances(changes, sigma)
    epsilons = np.zeros(distances.size)
    moved = distances > _SMALLEST
    if not moved.any():
        return epsilons
    sigmas = 1.0 / distances[moved]
    low = np.zeros(sigmas.size)
    # at this ε the probability of a larger loss is at most exp(-t²/2) = δ
    high = distances[moved] * (distances[moved] / 2.0 + math.sqrt(-2.0 * math.log(delta)))
    step = 2.0**-52
    while np.any(over := gaussian_delta(sigmas, epsilon=high) > delta):  # by rounding
        high, step = np.where(over, high * (1.0 + step), high), 2.0 * step
    high = np.where(gaussian_delta(sigmas, epsilon=low) <= delta, low, high)
    for _ in range(200):
        middle = low + (high - low) / 2.0
        safe = gaussian_delta(sigmas, epsilon=middle) <= delta
        low, high = np.where(safe, low, middle), np.where(safe, middle, high)
        if (high - low <= 1e-15 * high).all():
            break
    epsilons[moved] = high
    return epsilons


def quantile_probabilities(
    values: ArrayLike, candidates: ArrayLike, *, epsilon: float, quantile: float
) -> NDArray[np.float64]:
    r"""Return the probability of each candidate quantile under the exponential mechanism.

    Parameters
    ----------
    values : array_like, shape (n,)
    candidates : array_like, shape (R,)
        Public points in ascending order, one of which is released.
    epsilon : float, ε > 0 of the release
    quantile : float
        The share q in (0, 1) of the records at or below the quantile.

    Returns
    -------
    ndarray, shape (R,)
        Probabilities proportional to :math:`e^{\varepsilon u(r)/2\max\{q,1-q\}}`, with the utility
        u(r) defined at the head of this module.

    Notes
    -----
    Neighbouring data sets differ by the removal of one record.  Source: Smith (2011).  Taught in
    *What a released statistic tells about each record*.

    Examples
    --------
    >>> chances = quantile_probabilities([1, 1, 2, 9, 9], [0, 2, 8], quantile=0.5, epsilon=4.0)
    >>> chances.round(4)
    array([0.1065, 0.787 , 0.1065])
    """
    counts, _, quantile, epsilon = _quantile_arguments(values, candidates, quantile, epsilon)
    return np.exp(_log_probabilities(counts, quantile, epsilon))


def quantile_losses(
    values: ArrayLike, candidates: ArrayLike, *, epsilon: float, quantile: float
) -> NDArray[np.float64]:
    """Return the per-instance loss of each record from one released quantile.

    Parameters
    ----------
    values : array_like, shape (n,), n >= 2
    candidates, epsilon, quantile
        As for :func:`quantile_probabilities`.

    Returns
    -------
    ndarray, shape (n,)
        The largest absolute change of the log probability of a candidate when the record is
        removed; at most ε.

    Notes
    -----
    Neighbouring data sets differ by the removal of one record.  Source: Wang (2019) for the loss,
    Smith (2011) for the mechanism.  Taught in *What a released statistic tells about each record*.

    Examples
    --------
    >>> quantile_losses([1, 1, 2, 9, 9], [0, 2, 8], quantile=0.5, epsilon=1.0).round(3)
    array([0.568, 0.568, 0.304, 0.568, 0.568])
    """
    counts, nearest, quantile, epsilon = _quantile_arguments(values, candidates, quantile, epsilon)
    if nearest.size < 2:
        raise ValueError(f"values must contain at least 2 records, got {nearest.size}")
    present = _log_probabilities(counts, quantile, epsilon)
    losses = np.zeros(counts.size)
    for k in np.flatnonzero(counts):
        counts[k] -= 1
        losses[k] = np.abs(present - _log_probabilities(counts, quantile, epsilon)).max()
        counts[k] += 1
    return losses[nearest]


def _rows(changes: ArrayLike) -> NDArray[np.float64]:
    """Return the changes as a table with a row for each record."""
    moved = _validate.finite_array("changes", changes)
    if moved.ndim not in (1, 2):
        raise ValueError(
            f"changes must have one or two dimensions, got changes of shape {moved.shape}"
        )
    return moved.reshape(len(moved), -1)


def _distances(changes: ArrayLike, sigma: float) -> NDArray[np.float64]:
    """Return the length of each change in standard deviations of the noise."""
    moved = _rows(changes)
    sigma = _validate.number("sigma", sigma, above=0.0)
    longest = np.abs(moved).max(axis=1)
    with np.errstate(over="ignore", under="ignore"):
        unit = moved / np.where(longest > 0.0, longest, 1.0)[:, None]
        distances = np.asarray(np.sqrt((unit * unit).sum(axis=1)) * (longest / sigma))
    if distances.max() > _LARGEST:
        raise ValueError(
            f"sigma must be such that no change exceeds {_LARGEST:g} standard deviations, "
            f"got sigma={sigma!r}"
        )
    return distances


def _quantile_arguments(
    values: ArrayLike, candidates: ArrayLike, quantile: float, epsilon: float
) -> tuple[NDArray[np.int64], NDArray[np.int64], float, float]:
    """Return the number of records at each candidate and the candidate of each record."""
    x = _validate.finite_vector("values", values)
    points = _validate.finite_vector("candidates", candidates)
    if (np.diff(points) <= 0).any():
        raise _validate.fail("candidates", "in ascending order", candidates)
    quantile = _validate.number("quantile", quantile, above=0.0, below=1.0)
    epsilon = _validate.number("epsilon", epsilon, above=0.0)
    middles = points[:-1] / 2.0 + points[1:] / 2.0
    nearest = np.searchsorted(middles, x)  # halfway between two candidates, the lower one
    return np.bincount(nearest, minlength=points.size), nearest, quantile, epsilon


def _log_probabilities(
    counts: NDArray[np.int64], quantile: float, epsilon: float
) -> NDArray[np.float64]:
    """Return the log probabilities of the candidates from the numbers of records at them."""
    upto = np.cumsum(counts)
    rank = quantile * upto[-1]
    distances = np.maximum(np.maximum(upto - counts - rank, rank - upto), 0.0)
    return log_softmax(-distances * (epsilon / (2.0 * max(quantile, 1.0 - quantile))))
