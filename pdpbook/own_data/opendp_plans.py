"""Read the queries of a plan that OpenDP makes with Polars, so that they can be audited.

OpenDP summarises the noise of a plan in a table, with a row for each released number.  The Polars
plan contains the rest: the filter, the groups, the columns, and the ranges or candidates.  The
caller's description must agree with the plan, and OpenDP's worst case with the queries.
"""

from __future__ import annotations

import io
import json
import math
import warnings
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import islice
from typing import Any

import numpy as np

from pdpbook import _validate
from pdpbook._extras import require
from pdpbook.own_data.query_losses import worst_cost
from pdpbook.own_data.released_queries import ReleasedQuery, released_query

__all__ = ["plan_queries"]

#: OpenDP's name of a distribution in the summary of a plan, and the name used here.
PLANNED = {
    "Integer Laplace": "discrete laplace",
    "Float Laplace": "laplace",
    "Integer Gaussian": "discrete gaussian",
    "Float Gaussian": "gaussian",  # on the grid of 2⁻¹⁰⁷⁴, which matters less than rounding
    "ExponentialMin": "permute and flip",
    "GumbelMin": "exponential mechanism",
}
#: The names of aggregates in the summary.
SUMMED = {"count": "Length", "sum": "Sum", "quantile": "-Quantile"}


def plan_queries(
    query: Any,
    arguments: Mapping[str, Mapping[str, Any]] | None = None,
    *,
    by: Sequence[str] | None = None,
    where: str | None = None,
) -> list[ReleasedQuery]:
    """Read the queries of a plan that OpenDP makes with Polars.

    Parameters
    ----------
    query : opendp.extras.polars.LazyFrameQuery
        The result of ``context.query()...``; its groups must be public.
    arguments : mapping from str to mapping, optional
        Required properties of each released column, as arguments of :func:`released_query`, such as
        ``{"income": {"lower": 0, "upper": 100}}``; ``column`` is its name in the table.
    by, where : optional
        The columns by which the plan must group, and the column of its filter.

    Returns
    -------
    list of ReleasedQuery
        The queries in the order of the plan; OpenDP's mean becomes a sum and a count.

    Raises
    ------
    ImportError
        If OpenDP or Polars is not installed.

    Notes
    -----
    The neighbours of the plan differ by the removal of one row; a plan with another privacy unit,
    or with public lengths, is refused.  Before it is aggregated, a column may be cast to floats,
    and its missing values may be filled, which changes nothing in a table without missing values;
    the plan may keep only the rows with True in one column.  A plan that keeps groups secret by a
    threshold is refused, because its δ depends on more than the noise.  Taught in *What a released
    statistic tells about each record*.

    Examples
    --------
    >>> plan_queries(None)
    Traceback (most recent call last):
    TypeError: query must be a LazyFrameQuery of OpenDP, got query=None
    """
    kind = require("opendp.extras.polars").LazyFrameQuery
    if not isinstance(query, kind):
        raise _validate.fail("query", "a LazyFrameQuery of OpenDP", query, TypeError)
    given = {} if arguments is None else arguments
    if not isinstance(given, Mapping) or not all(isinstance(v, Mapping) for v in given.values()):
        raise _validate.fail("arguments", "a mapping from names to arguments", given, TypeError)
    require("polars")
    _check_neighbours(query._query)
    with warnings.catch_warnings():  # Polars will change this form of a plan
        warnings.simplefilter("ignore")
        aggregates, groups, flag = _steps(json.loads(query.polars_plan.serialize(format="json")))
    if by is not None and [*by] != groups:
        raise ValueError(f"by must agree with the plan, {groups}, got by={by!r}")
    if where is not None and where != flag:
        raise ValueError(f"where must agree with the plan, {flag!r}, got where={where!r}")
    read = [_aggregate(each) for each in aggregates]
    released = {name: settings for name, _, settings in read}
    for name, said in given.items():
        if name not in released:
            about = f"arguments must be about the released columns, {[*released]}"
            raise ValueError(f"{about}, got {name!r}")
        _check_said(name, said, released[name])
    measurement = query.resolve()
    summary = require("opendp.accuracy").summarize_polars_measurement(measurement)
    rows, queries = summary.iter_rows(named=True), []
    for _, statistic, settings in read:
        for row in islice(rows, 2 if statistic == "mean" else 1):
            queries.append(_planned(row, statistic, settings | {"by": groups, "where": flag}))
    pure, stated = _privacy_loss(measurement)
    found = sum(worst_cost(each, pure) for each in queries)
    if next(rows, None) is not None or not math.isclose(stated, found, rel_tol=1e-6):
        raise ValueError(
            f"query must cost as much in the worst case as the queries in it, {found:.6g}, "
            f"got a plan with a worst case of {stated:.6g}"
        )
    return queries


def _check_neighbours(asked: Any) -> None:
    """Refuse a plan whose neighbours differ by anything other than one row."""
    domain, metric = asked._chain
    if str(metric) != "SymmetricDistance()" or asked._d_in != 1:
        raise ValueError(
            "query must have the privacy unit dp.unit_of(contributions=1), because the losses are "
            f"losses of one row, got a unit of {asked._d_in} rows by {metric}"
        )
    if domain.get_margin([]).invariant == "lengths":  # even if a finer margin has them
        raise ValueError(
            'query must not have a margin with invariant="lengths": with public lengths of the '
            "groups, neighbours do not differ by the removal of a row, got public lengths"
        )


def _steps(plan: Any) -> tuple[list[Any], list[str], str | None]:
    """Return the aggregates of a plan, its groups, and the column of its filter."""
    match plan:  # a join with a list of public groups on its left
        case {"Join": {"input_right": right, "options": {"args": {"how": "Left"}}}}:
            plan = right if "GroupBy" in right else plan
    match plan:
        case {"Select": {"expr": aggregates, "input": below}}:
            keys: list[Any] = []
        case {"GroupBy": {"aggs": aggregates, "keys": keys, "input": below, "predicates": []}}:
            pass
        case _:
            raise _unread(f"a plan that ends with {_name(plan)}")
    groups, flag = [each.get("Column") for each in keys], None
    if None in groups:
        raise _unread("groups by something other than a column")
    match below:
        case {"Filter": {"input": below, "predicate": {"Column": flag}}}:
            pass
        case {"Filter": _}:
            raise _unread("a filter by something other than a column of True and False")
    if _name(below) != "DataFrameScan":
        raise _unread(f"the step {_name(below)} before the aggregate")
    return aggregates, groups, flag


def _aggregate(expression: Any) -> tuple[str, str, dict[str, Any]]:
    """Return the name, the statistic and the settings of an aggregate."""
    symbol = _name(expression)
    inputs: list[Any] = []
    match expression:
        case {"Alias": [inner, name]}:
            return (name, *_aggregate(inner)[1:])
        case {"Function": {"input": inputs, "function": {"FfiPlugin": {"symbol": symbol}}}}:
            pass
    settings: dict[str, Any]
    match symbol, inputs:
        case ("dp_frame_len" | "dp_len", _) | ("noise", ["Len", _]):
            return "len", "count", {}
        case ("noise", [{"Agg": {"Sum": {"Function": clipped}}}, _]):
            match clipped:
                case {"input": [column, lower, upper], "function": {"Clip": _}}:
                    settings = {"lower": _number(lower), "upper": _number(upper)}
                    statistic = "sum"
                case _:
                    raise _unread(f"the aggregate {symbol}")
        case ("dp_sum" | "dp_mean", [column, lower, upper, _]):
            statistic = "mean" if symbol == "dp_mean" else "sum"
            settings = {"lower": _number(lower), "upper": _number(upper)}
        case ("dp_median", [column, points, _]) | ("dp_quantile", [column, _, points, _]):
            share = 0.5 if symbol == "dp_median" else _number(inputs[1])
            statistic, settings = "quantile", {"quantile": share, "candidates": _points(points)}
        case _:
            raise _unread(f"the aggregate {symbol}")
    name = _column(column)
    return name, statistic, {"column": name, **settings}


def _column(expression: Any) -> str:
    """Return the column that is aggregated; its missing values may have been filled."""
    match expression:
        case {"Column": name}:
            return str(name)
        case {"Cast": {"expr": inner, "dtype": {"Literal": "Float64"}}}:
            return _column(inner)
        case {"Function": {"input": [inner, {"Literal": _}], "function": "FillNull"}}:
            return _column(inner)
        case {"Ternary": {"predicate": test, "truthy": inner, "falsy": {"Literal": _}}}:
            asked = {"Function": {"input": [inner], "function": {"Boolean": "IsNotNan"}}}
            or_null = {"Function": {"input": [inner], "function": {"Boolean": "IsNull"}}}
            if test == {"BinaryExpr": {"left": asked, "op": "Or", "right": or_null}}:
                return _column(inner)  # this is how Polars fills values that are not numbers
    raise _unread(f"the step {_name(expression)} before the aggregate")


def _planned(row: Mapping[str, Any], statistic: str, settings: dict[str, Any]) -> ReleasedQuery:
    """Return the query that a line of OpenDP's summary of a plan describes."""
    aggregate, scale, mechanism = row["aggregate"], row["scale"], PLANNED.get(row["distribution"])
    if row.get("threshold") is not None:
        raise ValueError(f"query must have public groups, got a threshold of {row['threshold']}")
    if statistic == "mean":  # OpenDP releases a sum and a count
        statistic = "sum" if aggregate == "Sum" else "count"
    if mechanism is None or not aggregate.endswith(SUMMED[statistic]):
        raise ValueError(
            "query must release counts, sums, means or quantiles with Laplace or Gaussian noise or "
            f"the exponential mechanism, got {aggregate} with {row['distribution']}"
        )
    if statistic == "count":
        settings = {key: settings[key] for key in ("by", "where")}
    if statistic == "quantile":  # scores are numbers of records times this denominator
        scale /= Fraction(settings["quantile"]).denominator
    return released_query(statistic, mechanism=mechanism, scale=scale, **settings)


def _check_said(name: str, said: Mapping[str, Any], settings: Mapping[str, Any]) -> None:
    """Refuse a description of a column by the caller if it contradicts the plan."""
    for key, value in said.items():
        found = settings.get(key)
        if not (np.array_equal(value, found) if isinstance(found, list) else value == found):
            raise ValueError(
                f"arguments must agree with the plan, where the {key} of {name!r} is {found!r}, "
                f"got arguments with {value!r}"
            )


def _privacy_loss(measurement: Any) -> tuple[bool, float]:
    """Return whether the loss of a plan is measured in ε rather than in ρ, and the largest loss."""
    measure, stated, delta = str(measurement.output_measure), measurement.map(1), 0.0
    if isinstance(stated, tuple):
        measure, (stated, delta) = measure.removeprefix("Approximate(").removesuffix(")"), stated
    if delta or measure not in ("MaxDivergence", "ZeroConcentratedDivergence"):
        raise ValueError(
            "query must have a privacy loss in epsilon or rho without a δ, got "
            f"{measurement.output_measure} with δ = {delta:g}"
        )
    return measure == "MaxDivergence", float(stated)


def _name(node: Any) -> str:
    """Return the name by which users of Polars know a step or an expression of a plan."""
    name = str(next(iter(node))) if isinstance(node, dict) else str(node)
    return {"HStack": "with_columns", "GroupBy": "group_by", "Agg": "aggregate"}.get(name, name)


def _number(literal: Any) -> float:
    """Return the number in a literal, which is nested under one or more keys."""
    found = literal
    while isinstance(found, dict) and len(found) == 1:
        [found] = found.values()
    if isinstance(found, bool) or not isinstance(found, (int, float)):
        raise _unread("an end of a range or a share that is not a number")
    return found


def _points(literal: Any) -> list[float]:
    """Return the candidates of a quantile, which a plan contains as the bytes of a column."""
    match literal:
        case {"Literal": {"Series": found}}:
            table = require("polars").read_ipc_stream(io.BytesIO(bytes(found)))
            return [float(each) for each in table.to_series(0)]
    raise _unread("candidates that are not a list of numbers")


def _unread(what: str) -> ValueError:
    """Return the error for a plan with a part that this module does not know."""
    return ValueError(
        "query must aggregate unmodified columns of the table, may group by columns, and may "
        f"filter by one column, got {what}"
    )
