"""A query whose answers were released with noise, described for an audit.

The released answers are not part of the description, because the loss of a record depends only on
the query and the noise (:mod:`pdpbook.own_data.query_noise`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pdpbook import _validate
from pdpbook._repr import short_repr
from pdpbook.own_data.query_noise import check_noise

__all__ = ["ReleasedQuery", "released_query"]

STATISTICS = ("count", "sum", "mean", "quantile")
ADDED = ("laplace", "discrete laplace", "gaussian", "discrete gaussian")
CHOSEN = ("exponential mechanism", "permute and flip")
#: Upper limit for the ends of a range, and for the change by one record divided by the scale.
LARGEST, FARTHEST = 1e100, 1e50


@dataclass(frozen=True)
class ReleasedQuery:
    """A query whose answers were released with noise, as made by :func:`released_query`.

    The attributes are the arguments of that function; an argument without a meaning for the
    statistic is None, nan or empty.
    """

    statistic: str
    column: str | None
    by: tuple[str, ...]
    where: str | None
    lower: float
    upper: float
    quantile: float
    candidates: tuple[float, ...]
    mechanism: object
    scale: float
    name: str

    __repr__ = short_repr


def released_query(
    statistic: str,
    *,
    column: str | None = None,
    by: Sequence[str] = (),
    where: str | None = None,
    lower: float | None = None,
    upper: float | None = None,
    mechanism: object = None,
    scale: float | None = None,
    quantile: float | None = None,
    candidates: ArrayLike | None = None,
    name: str | None = None,
) -> ReleasedQuery:
    r"""Describe a query whose answers were released with noise.

    Parameters
    ----------
    statistic : {"count", "sum", "mean", "quantile"}
        The statistic of each group.
    column : str, optional
        The column of the query; all statistics except a count need it.
    by : sequence of str
        Columns whose values define the groups; the list of the groups is public.
    where : str, optional
        Column of Booleans; the query contains only the records with True.
    lower, upper : float, optional
        Range to which the release clips the values, lower < upper; sums and means need a range.
    mechanism : str or opendp.mod.Measurement, optional
        For numbers: "laplace" (the default), "discrete laplace", "gaussian", "discrete gaussian",
        or the measurement of OpenDP that adds the noise, such as ``dp.m.make_laplace(...)`` before
        it is chained to a query.  A measurement gives upper bounds, because it does not reveal its
        noise, whereas a name gives the loss.  For a quantile: "exponential mechanism" (the default)
        or "permute and flip".
    scale : float, optional
        Scale b of Laplace noise or standard deviation σ of Gaussian noise, in the unit of the
        answer.  For a quantile the scale is in records: the score of a candidate r is
        :math:`-|(1-q)\#\{x_i<r\}-q\#\{x_i>r\}|`, and the mechanism divides it by the scale.  A
        measurement of OpenDP has its own scale.
    quantile : float, optional
        For a quantile: the share in (0, 1) of the records that should be below it.
    candidates : array_like, shape (R,), optional
        For a quantile: public points in ascending order, one of which is released.
    name : str, optional

    Returns
    -------
    ReleasedQuery

    Raises
    ------
    ImportError
        If the mechanism is not a name and OpenDP is not installed.

    Notes
    -----
    Source: Wang (2019) for per-instance sensitivity, Smith (2011) for the quantile, and McKenna &
    Sheldon (2020) for permute and flip.  Taught in *What a released statistic tells about each
    record*.

    Examples
    --------
    >>> released_query("sum", column="income", by=["area"], lower=0, upper=100, scale=50.0).name
    'sum of income by area'
    """
    statistic = _validate.choice("statistic", statistic, *STATISTICS)
    groups = tuple(_word("by", each) for each in _validate.sequence("by", by))
    if where is not None:
        where = _word("where", where)
    if statistic == "count":
        _superfluous(statistic, column=column)
    else:
        column = _word("column", column)
    if statistic in ("sum", "mean"):
        low = _validate.number("lower", lower, above=-LARGEST, below=LARGEST)
        high = _validate.number("upper", upper, above=-LARGEST, below=LARGEST)
        if not low < high:
            raise _validate.fail("upper", f"larger than lower={low!r}", high)
    else:
        _superfluous(statistic, lower=lower, upper=upper)
        low = high = math.nan
    share = math.nan
    points: tuple[float, ...] = ()
    if statistic == "quantile":
        share = _validate.number("quantile", quantile, above=0.0, below=1.0)
        if candidates is None:
            raise _validate.fail("candidates", "points in ascending order", candidates)
        vector = _validate.finite_vector("candidates", candidates, entries=2)
        if (np.diff(vector) <= 0).any():
            raise _validate.fail("candidates", "in ascending order", candidates)
        points = tuple(vector.tolist())
    else:
        _superfluous(statistic, quantile=quantile, candidates=candidates)
    if mechanism is None:
        mechanism = "exponential mechanism" if statistic == "quantile" else "laplace"
    if isinstance(mechanism, str):
        allowed = CHOSEN if statistic == "quantile" else ADDED
        mechanism = _validate.choice("mechanism", mechanism, *allowed)
        spread = _validate.number("scale", scale, above=0.0)
        widest = max(1.0, abs(low), abs(high)) if statistic in ("sum", "mean") else 1.0
        if widest / spread > FARTHEST:
            raise _validate.fail("scale", f"at least 1e-50 of the range, {widest:g}", spread)
        if statistic == "mean" and mechanism.startswith("discrete"):
            raise _validate.fail("mechanism", "continuous for a mean", mechanism)
    else:
        check_noise(mechanism, statistic)
        _superfluous("measurement of OpenDP", scale=scale)
        spread = math.nan
    if name is None:
        words = statistic if column is None else f"{statistic} of {column}"
        words += f" where {where}" if where else ""
        name = words + (f" by {', '.join(groups)}" if groups else "")
    settings = low, high, share, points, mechanism, spread
    return ReleasedQuery(statistic, column, groups, where, *settings, _word("name", name))


def _word(name: str, value: Any) -> str:
    """Return a name after checking that it is a string and not empty."""
    if not isinstance(value, str) or not value:
        raise _validate.fail(name, "a string that is not empty", value, TypeError)
    return value


def _superfluous(what: str, **given: Any) -> None:
    """Refuse arguments that have no meaning for a statistic or a mechanism."""
    for name, value in given.items():
        if value is not None:
            raise _validate.fail(name, f"left out for a {what}", value)
