r"""What each record loses by a released statistic.

A statistic f of the data is released once with noise.  Removing record i changes it by
:math:`\Delta_i = f(D)-f(D_{-i})`, and the noise, which is chosen without the data, stays the same.
So the per-instance loss of record i depends on the data through :math:`\Delta_i` alone: with Laplace
noise of scale b it is :math:`|\Delta_i|/b`.  For the mean,

.. math:: \Delta_i = \frac{x_i-\bar x_{-i}}{n} , \qquad
          |\Delta_i| \le \frac{\text{range}}{n} ,

so a record at the mean of the others loses nothing, and one at the far end of the range loses all of
ε.  Quantiles are released by the exponential mechanism; there the loss is the largest change of a
log probability over all candidates.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import log_softmax

from pdpbook import _validate

__all__ = ["laplace_losses", "mean_changes", "quantile_losses", "quantile_probabilities"]


def mean_changes(values: ArrayLike) -> NDArray[np.float64]:
    r"""Return how far the mean moves when each record is removed.

    Parameters
    ----------
    values : array_like, shape (n,)
        The records, at least two.

    Returns
    -------
    ndarray, shape (n,)
        :math:`\bar x-\bar x_{-i}`, in the unit of the values.

    Raises
    ------
    ValueError
        If the values are not finite numbers, or fewer than two.

    Notes
    -----
    Source: Wang (2019), per-instance sensitivity.

    Examples
    --------
    >>> mean_changes([0.0, 0.0, 3.0])
    array([-0.5, -0.5,  1. ])
    """
    x = _validate.finite_vector("values", values, at_least=2)
    return (x - x.mean()) / (x.size - 1)


def laplace_losses(changes: ArrayLike, *, scale: float) -> NDArray[np.float64]:
    r"""Return the per-instance loss of each record when Laplace noise is added to a statistic.

    Parameters
    ----------
    changes : array_like, shape (n,)
        By how much the statistic moves when each record is removed.
    scale : float
        Scale b > 0 of the noise, in the same unit.

    Returns
    -------
    ndarray, shape (n,)
        :math:`|\Delta_i|/b`, in nats.

    Raises
    ------
    ValueError
        If the changes are not finite numbers, or the scale is not a finite number > 0.

    Notes
    -----
    Neighbouring data sets differ by the removal of one record; the scale is the same for both.

    Source: Wang (2019).

    Examples
    --------
    >>> laplace_losses(mean_changes([0.0, 0.0, 3.0]), scale=2.0)
    array([0.25, 0.25, 0.5 ])
    """
    moved = _validate.finite_vector("changes", changes)
    return np.abs(moved) / _validate.number("scale", scale, above=0.0)


def quantile_probabilities(
    values: ArrayLike, candidates: ArrayLike, *, level: float, epsilon: float
) -> NDArray[np.float64]:
    r"""Return with which probability the exponential mechanism chooses each candidate quantile.

    Parameters
    ----------
    values : array_like, shape (n,)
        The records.
    candidates : array_like, shape (R,)
        Public points in ascending order, one of which is released.
    level : float
        The quantile's level q in (0, 1).
    epsilon : float
        Privacy level :math:`\varepsilon>0` of the release.

    Returns
    -------
    ndarray, shape (R,)
        The utility of a candidate r is :math:`-|\#\{i:x_i\le r\}-qn|`, which one record changes by
        at most max(q, 1 - q).

    Raises
    ------
    ValueError
        If an argument is not as described; the message ends in what was given.

    Notes
    -----
    Neighbouring data sets differ by the removal of one record.

    Source: Smith (2011).

    Examples
    --------
    >>> chances = quantile_probabilities([1, 1, 2, 9, 9], [0, 2, 8], level=0.5, epsilon=4.0)
    >>> chances.round(4)
    array([2.000e-04, 4.999e-01, 4.999e-01])
    """
    x, points, level, epsilon = _quantile_arguments(values, candidates, level, epsilon)
    below = np.searchsorted(np.sort(x), points, side="right")
    return np.exp(_log_probabilities(below, x.size, level, epsilon))


def quantile_losses(
    values: ArrayLike, candidates: ArrayLike, *, level: float, epsilon: float
) -> NDArray[np.float64]:
    r"""Return the per-instance loss of each record by one released quantile.

    Parameters
    ----------
    values : array_like, shape (n,)
        The records, at least two.
    candidates : array_like, shape (R,)
        Public points in ascending order, one of which is released.
    level : float
        The quantile's level q in (0, 1).
    epsilon : float
        Privacy level :math:`\varepsilon>0` of the release.

    Returns
    -------
    ndarray, shape (n,)
        The largest absolute change of the log probability of a candidate when the record is
        removed; at most ε.

    Raises
    ------
    ValueError
        If an argument is not as described; the message ends in what was given.

    Notes
    -----
    Neighbouring data sets differ by the removal of one record.

    Source: Wang (2019) for the loss, Smith (2011) for the mechanism.

    Examples
    --------
    >>> quantile_losses([1, 1, 2, 9, 9], [0, 2, 8], level=0.5, epsilon=1.0).round(3)
    array([0.   , 0.   , 0.   , 0.897, 0.897])
    """
    x, points, level, epsilon = _quantile_arguments(values, candidates, level, epsilon)
    if x.size < 2:
        raise ValueError(f"values must hold at least 2 records, got {x.size}")
    below = np.searchsorted(np.sort(x), points, side="right")
    present = _log_probabilities(below, x.size, level, epsilon)
    cell = np.searchsorted(points, x, side="left")  # the first candidate that counts the record
    losses = np.zeros(points.size + 1)
    for k in np.unique(cell):
        fewer = below - (np.arange(points.size) >= k)
        absent = _log_probabilities(fewer, x.size - 1, level, epsilon)
        losses[k] = np.abs(present - absent).max()
    return losses[cell]


def _quantile_arguments(
    values: ArrayLike, candidates: ArrayLike, level: float, epsilon: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], float, float]:
    x = _validate.finite_vector("values", values)
    points = _validate.finite_vector("candidates", candidates)
    if (np.diff(points) <= 0).any():
        raise _validate.fail("candidates", "in ascending order", candidates)
    level = _validate.number("level", level, above=0.0, below=1.0)
    return x, points, level, _validate.number("epsilon", epsilon, above=0.0)


def _log_probabilities(
    below: NDArray[np.int64], n: int, level: float, epsilon: float
) -> NDArray[np.float64]:
    """Return the log chances of the candidates from the numbers of records at or below them."""
    utilities = -np.abs(below - level * n)
    return log_softmax(utilities * (epsilon / (2.0 * max(level, 1.0 - level))))
