r"""How far each record moves the least-squares coefficients.

A response y is explained by features x, one of which may be constant, with the coefficients
:math:`\hat\theta = H^{-1}X^{\mathsf T}y`, where :math:`H = X^{\mathsf T}X`.  Record i has the
residual :math:`r_i = y_i-x_i^{\mathsf T}\hat\theta` and the leverage
:math:`h_i = x_i^{\mathsf T}H^{-1}x_i`, a number in [0, 1].  Removing the record changes the
coefficients by

.. math:: \Delta_i = \hat\theta-\hat\theta_{-i} = \frac{H^{-1}x_i\,r_i}{1-h_i} ,

so no fit has to be repeated.  If a record with features x and residual r with respect to the
present fit joins the data, the coefficients change by :math:`H^{-1}x\,r/(1+x^{\mathsf T}H^{-1}x)`.
With fixed noise, :func:`pdpbook.per_instance.laplace_losses` and
:func:`pdpbook.per_instance.gaussian_deltas` convert these changes to losses.  Cook's distance
measures the same change in the metric of H:

.. math:: D_i = \frac{\Delta_i^{\mathsf T}H\Delta_i}{d\,s^2}
              = \frac{r_i^2}{d\,s^2}\,\frac{h_i}{(1-h_i)^2} , \qquad
          s^2 = \frac1{n-d}\sum_i r_i^2 .

Taught in *What a released statistic tells about each record*.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pdpbook import _validate
from pdpbook._repr import short_repr

__all__ = ["Influence", "least_squares_influence", "worst_least_squares_changes"]

_FULL = 1.0 - 1e-9  #: a larger leverage counts as 1
_RANGE = 1e100  #: largest absolute value of a feature or response; its square is finite


@dataclass(frozen=True, eq=False)
class Influence:
    r"""The influence of each record on a least-squares fit.

    Attributes
    ----------
    coefficients : ndarray, shape (d,)
        The coefficients :math:`\hat\theta` with all records.
    leverages : ndarray, shape (n,)
        The leverages :math:`h_i`; they sum to d.
    residuals : ndarray, shape (n,)
        The residuals :math:`r_i`, in the unit of the response.
    changes : ndarray, shape (n, d)
        The changes :math:`\hat\theta-\hat\theta_{-i}`, in the unit of the coefficients.
    cooks_distances : ndarray, shape (n,)
        The distances :math:`D_i`; nan if the fit is perfect, because the formula is then 0/0.
    """

    coefficients: NDArray[np.float64]
    leverages: NDArray[np.float64]
    residuals: NDArray[np.float64]
    changes: NDArray[np.float64]
    cooks_distances: NDArray[np.float64]

    __repr__ = short_repr


def least_squares_influence(features: ArrayLike, response: ArrayLike) -> Influence:
    """Return how far each record moves the least-squares coefficients.

    Parameters
    ----------
    features : array_like, shape (n, d)
        One row for each record, with n > d; for an intercept, add a constant column.  The columns
        must be linearly independent, even after the removal of any one record, and no entry may
        exceed 1e100 in size.
    response : array_like, shape (n,)

    Returns
    -------
    Influence

    Notes
    -----
    One singular-value decomposition, X = USVᵀ, serves all records: a leverage is the squared length
    of a row of U.  All results are rounded, and the relative error of a change grows as
    :math:`1/(1-h_i)`.  For this reason a leverage above 1 - 1e-9 is refused as if it were 1.

    Source: Cook (1977); Hoaglin & Welsch (1978); as per-instance sensitivity, Wang (2019).  Taught
    in *What a released statistic tells about each record*.

    Examples
    --------
    >>> fit = least_squares_influence([[1, 0], [1, 1], [1, 2], [1, 3]], [0.0, 1.0, 2.0, 7.0])
    >>> fit.leverages.round(2)
    array([0.7, 0.3, 0.3, 0.7])
    >>> fit.changes[3].round(2)  # without the last record the line is y = x
    array([-0.8,  1.2])
    """
    y, rows, root = _factorised(features, response)
    n, d = rows.shape
    leverages = np.asarray((rows * rows).sum(axis=1))
    full = np.flatnonzero(leverages > _FULL)
    if full.size:
        raise ValueError(
            "features must have linearly independent columns after the removal of any record, "
            f"got features[{full[0]}] of leverage 1"
        )
    fitted = rows.T @ y
    residuals = y - rows @ fitted
    stretched = residuals / (1.0 - leverages)
    variance = float(residuals @ residuals) / (n - d)
    if variance > (1e-13 * np.abs(y).max()) ** 2:
        cooks = stretched**2 * leverages / (d * variance)
    else:
        cooks = np.full(n, np.nan)
    changes = (rows * stretched[:, None]) @ root.T
    return Influence(root @ fitted, leverages, residuals, changes, cooks)


def worst_least_squares_changes(
    features: ArrayLike, response: ArrayLike, candidates: ArrayLike, *, lower: float, upper: float
) -> NDArray[np.float64]:
    r"""Return how far a record that joins the data can move the least-squares coefficients.

    Parameters
    ----------
    features, response
        As for :func:`least_squares_influence`.
    candidates : array_like, shape (m, d)
        Features that the record may have.
    lower, upper : float
        Smallest and largest possible response.

    Returns
    -------
    ndarray, shape (m, d)
        For each candidate, the change :math:`H^{-1}x\,r/(1+x^{\mathsf T}H^{-1}x)` at the response
        that maximises its length, which is ``lower`` or ``upper``.

    Notes
    -----
    Neighbouring data sets differ by the removal of the new record.  Source: the formula of Sherman
    & Morrison (1950).  Taught in *What a released statistic tells about each record*.

    Examples
    --------
    >>> line = [[1, 0], [1, 1], [1, 2]], [0.0, 1.0, 2.0]
    >>> worst_least_squares_changes(*line, [[1, 3]], lower=0.0, upper=7.0).round(2)
    array([[-0.8,  1.2]])
    """
    y, rows, root = _factorised(features, response)
    at = _table("candidates", candidates)
    if at.shape[1] != rows.shape[1]:
        raise ValueError(
            f"candidates must have as many columns as features, {rows.shape[1]}, "
            f"got candidates of shape {at.shape}"
        )
    low = _validate.number("lower", lower, above=-_RANGE, below=_RANGE)
    high = _validate.number("upper", upper, above=low, below=_RANGE)
    joining = at @ root
    predicted = joining @ (rows.T @ y)
    farther = np.where(high - predicted >= predicted - low, high, low)
    stretched = (farther - predicted) / (1.0 + (joining * joining).sum(axis=1))
    return np.asarray((joining * stretched[:, None]) @ root.T)


def _factorised(
    features: ArrayLike, response: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return the response, an orthonormal U and a square A with features · A = U: H⁻¹ = A Aᵀ."""
    table = _table("features", features)
    y = _validate.finite_vector("response", response)
    _validate.finite_array("response", y, at_least=-_RANGE, at_most=_RANGE)
    _validate.same_length("features", table, "response", y)
    n, d = table.shape
    if n <= d:
        raise ValueError(f"features must have more rows than columns, got features of shape {n, d}")
    largest = np.abs(table).max(axis=0)
    units = np.where(largest > 0.0, largest, 1.0)  # the units of the columns do not matter
    rows, sizes, turned = np.linalg.svd(table / units, full_matrices=False)
    if sizes[-1] <= sizes[0] * n * np.finfo(np.float64).eps:
        rank = int((sizes > sizes[0] * n * np.finfo(np.float64).eps).sum())
        raise ValueError(
            f"features must have linearly independent columns, got {d} columns of rank {rank}"
        )
    return y, rows, (turned.T / sizes) / units[:, None]


def _table(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """Return a matrix of numbers whose squares are finite."""
    table = _validate.finite_array(name, values, at_least=-_RANGE, at_most=_RANGE)
    if table.ndim != 2:
        raise ValueError(f"{name} must have two dimensions, got {name} of shape {table.shape}")
    return table
