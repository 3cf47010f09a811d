"""The queries of a plan that OpenDP makes with Polars, read for an audit.

A plan spends one budget on several queries.  OpenDP summarises what it does in a table: a row for
each released column, with the aggregate, the distribution of the noise and its scale.  The summary
leaves out the ranges and the candidates, so the caller gives them, and they are refused if their
worst case is not the one that the plan states.  The principle is taught in *What a released
statistic tells about each record*.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from pdpbook import _validate
from pdpbook._extras import require
from pdpbook.own_data.query_losses import worst_cost
from pdpbook.own_data.released_queries import ReleasedQuery, released_query

__all__ = ["plan_queries"]

#: What OpenDP calls a distribution in the summary of a plan, and its name here.
PLANNED = {
    "Integer Laplace": "discrete laplace",
    "Float Laplace": "laplace",
    "Integer Gaussian": "discrete gaussian",
    "Float Gaussian": "discrete gaussian",  # it is drawn on a fine grid, for which only ρ is proved
    "ExponentialMin": "permute and flip",
    "GumbelMin": "exponential mechanism",
}


def plan_queries(
    query: Any,
    arguments: Mapping[str, Mapping[str, Any]],
    *,
    by: Sequence[str] = (),
    where: str | None = None,
) -> list[ReleasedQuery]:
    """Read the queries of a plan that OpenDP makes with Polars.

    Parameters
    ----------
    query : opendp.extras.polars.LazyFrameQuery
        What ``context.query()...`` returns, with public groups.
    arguments : mapping from str to mapping
        What the summary of a plan leaves out, for each released column but counts: arguments of
        :func:`released_query`, such as ``{"income": {"lower": 0, "upper": 100}}``, or
        ``{"candidates": [...]}`` for a quantile.  Where the plan has given the column another
        name, ``column`` is the old one.
    by, where
        The columns of its ``group_by``, and the column of its ``filter``.

    Returns
    -------
    list of ReleasedQuery
        In the order of the summary; a mean of OpenDP is a sum and a count.

    Raises
    ------
    ValueError
        If the plan makes noise that is not known here, or if the worst case of what ``arguments``
        say is not that of the plan.
    ImportError
        If OpenDP or Polars is not installed.

    Notes
    -----
    The neighbours of the plan differ by the removal of one row.  A plan that keeps groups secret by
    a threshold is not read, because its δ depends on more than the noise.  Taught in *What a
    released statistic tells about each record*.

    Examples
    --------
    >>> plan_queries(None, {})
    Traceback (most recent call last):
    TypeError: query must be a LazyFrameQuery of OpenDP, got query=None
    """
    kind = require("opendp.extras.polars").LazyFrameQuery
    if not isinstance(query, kind):
        raise _validate.fail("query", "a LazyFrameQuery of OpenDP", query, TypeError)
    given = _mapping("arguments", arguments)
    require("polars")
    measurement = query.resolve()
    summary = require("opendp.accuracy").summarize_polars_measurement(measurement)
    queries = [_planned(row, given, by, where) for row in summary.iter_rows(named=True)]
    pure = measurement.output_measure.type == "MaxDivergence"
    kinds = "MaxDivergence", "ZeroConcentratedDivergence"
    if measurement.output_measure.type not in kinds:
        raise ValueError(
            f"query must have a privacy loss in epsilon or rho, got {measurement.output_measure}"
        )
    stated, found = float(measurement.map(1)), sum(worst_cost(each, pure) for each in queries)
    if not math.isclose(stated, found, rel_tol=1e-6):
        raise ValueError(
            "arguments must have the ranges and candidates of the plan, whose worst case is "
            f"{stated:.6g}, got arguments with a worst case of {found:.6g}"
        )
    return queries


def _planned(
    row: Mapping[str, Any],
    columns: Mapping[str, Mapping[str, Any]],
    by: Sequence[str],
    where: str | None,
) -> ReleasedQuery:
    """Return the query of one line of OpenDP's summary of a plan."""
    aggregate, name, scale = row["aggregate"], row["column"], row["scale"]
    mechanism = PLANNED.get(row["distribution"])
    counted = aggregate in ("Frame Length", "Length")
    is_quantile = aggregate.endswith("-Quantile")
    if mechanism is None or not (counted or is_quantile or aggregate == "Sum"):
        raise ValueError(
            "query must release counts, sums, means or quantiles with noise of Laplace, Gauss or "
            f"the exponential mechanism, got {aggregate} with {row['distribution']}"
        )
    if row.get("threshold") is not None:
        raise ValueError(f"query must have public groups, got a threshold of {row['threshold']}")
    what = "count" if counted else "quantile" if is_quantile else "sum"
    settings: dict[str, Any] = {"mechanism": mechanism, "scale": scale, "by": by, "where": where}
    if counted:
        return released_query(what, **settings)
    settings |= {"column": name, **columns.get(name, {})}
    if is_quantile:
        share = float(aggregate.partition("-")[0])
        # a plan scores in whole numbers, which are the records times this denominator
        settings |= {"quantile": share, "scale": scale / Fraction(share).denominator}
    return released_query(what, **settings)


def _mapping(name: str, value: Any) -> Mapping[str, Mapping[str, Any]]:
    """Return a mapping whose values are mappings."""
    if not isinstance(value, Mapping) or not all(isinstance(v, Mapping) for v in value.values()):
        raise _validate.fail(name, "a mapping from names to arguments", value, TypeError)
    return value
