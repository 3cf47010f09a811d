r"""What a release that was made elsewhere tells about each record of a table.

Whoever publishes counts, sums, means or quantiles with an engine of differential privacy gets one ε
for all records: the loss of the worst record that could have been there.  Most records lose less.
A release with noise is a *query*, which turns the table into numbers, and *noise* that was chosen
without the table.  The noise has a privacy map: it says how much privacy is lost when the numbers
move by a distance d, for example d/b for Laplace noise of scale b.  At the largest distance that
any record can cause this gives the ε of the release; at the distance by which *this* record moves
the numbers it gives the record's own loss.

With group g of size :math:`n_g`, sum :math:`S_g` and values that the release clips to [L, U], the
removal of record i from its group moves

================  ==================================================================
the count         by 1
the sum           by :math:`|x_i|`
the mean          by :math:`|n_gx_i-S_g|/(n_g(n_g-1))`; a record alone leaves no mean
a quantile        the scores of all candidates, which are counted one by one
================  ==================================================================

and no other group.  If the record is *replaced*, it moves within its group, or out of it and into
another one.  The losses of several queries are added (basic composition), because what they release
is independent given the table, and an attacker sees all of it.  Gaussian noise has no finite loss:
its queries are first added as :math:`\rho_i=\sum_q d_{iq}^2/2\sigma_q^2`, and then turned into an ε
at one δ.  If all of them are continuous, they are one Gaussian release at the distance
:math:`\sqrt{2\rho_i}`, and its ε is exact; otherwise the Rényi divergence :math:`\alpha\rho_i`
bounds it at every order α.

All losses are upper bounds: what is computed with rounding is rounded up.  The query itself is
taken to be computed without rounding, and the list of the groups to be public.  One row of the
table is one record; who has several rows loses at most the sum of their losses.  The principle is
taught in *What a released statistic tells about each record*.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import log_softmax, logsumexp

from pdpbook import _validate
from pdpbook._extras import progress_bar, require
from pdpbook._repr import short_repr
from pdpbook.per_instance.statistic_losses import gaussian_epsilons

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["ReleaseAudit", "ReleasedQuery", "audit_release", "plan_queries", "released_query"]

Floats = NDArray[np.float64]

STATISTICS = ("count", "sum", "mean", "quantile")
ADDED = ("laplace", "discrete laplace", "gaussian", "discrete gaussian")
CHOSEN = ("exponential mechanism", "permute and flip")
#: What OpenDP calls a distribution in the summary of a plan, and its name here.
PLANNED = {
    "Integer Laplace": "discrete laplace",
    "Float Laplace": "laplace",
    "Integer Gaussian": "discrete gaussian",
    "Float Gaussian": "discrete gaussian",  # it is drawn on a fine grid, for which only ρ is proved
    "ExponentialMin": "permute and flip",
    "GumbelMin": "exponential mechanism",
}
#: No end of a range is larger, and no record moves a query by more scales of the noise.
LARGEST, FARTHEST = 1e100, 1e50
#: More distances than these are rounded up, so that one computation serves many records.
MOST = 1024
#: The bits that are then left of a distance: losses grow by a part of 2⁻¹¹ at most.
BITS = 12
#: Orders at which a Rényi divergence is turned into an ε; each of them gives a valid one.
ORDERS: Floats = 1.0 + np.geomspace(1e-3, 1e12, 300)
_UNIT = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class ReleasedQuery:
    """A query whose answers were released with noise: made by :func:`released_query`.

    Attributes
    ----------
    statistic : str
        "count", "sum", "mean" or "quantile".
    column : str or None
        The column that is summed up; None for a count.
    by : tuple of str
        Columns whose values make the groups; empty for one answer about the whole table.
    where : str or None
        Column of True and False that says which records are in the query; None for all.
    lower, upper : float
        Range to which the release clips the values of the column; nan for a count.
    quantile : float
        The share of the records below; nan for other statistics.
    candidates : tuple of float
        Points among which the quantile is chosen; empty for other statistics.
    mechanism : str or opendp.mod.Measurement
        What makes the noise, by name, or the measurement of OpenDP that adds it.
    scale : float
        Scale b or standard deviation σ of the noise, in the unit of the answer; nan for a
        measurement, which knows its own.
    name : str
        What the query is called.
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


@dataclass(frozen=True, eq=False)
class ReleaseAudit:
    """What a release tells about each record: the result of :func:`audit_release`.

    Fixed-noise losses by the removal or the replacement of the record, in nats.  They are functions
    of the table, so they must not be published.

    Attributes
    ----------
    losses : ndarray, shape (n,)
        What all queries together cost each record: an ε at ``delta``.
    query_losses : ndarray, shape (q, n)
        What each query costs each record.  With Gaussian noise these are the ε at ``delta`` of each
        query alone, which add up to more than ``losses``.
    worst_case : float
        What all queries together can cost a record with the worst values.
    query_worst_cases : ndarray, shape (q,)
        The same for each query.
    names : tuple of str
        The queries.
    delta : float
        At which the losses are counted; 0 for pure losses.
    neighbours : str
        "removal" or "replacement".
    """

    losses: Floats
    query_losses: Floats
    worst_case: float
    query_worst_cases: Floats
    names: tuple[str, ...]
    delta: float
    neighbours: str

    __repr__ = short_repr

    def table(self) -> pd.DataFrame:
        """Return what each query, and all of them together, cost the records.

        Returns
        -------
        pandas.DataFrame
            A row for each query and one for all, with the worst case and the median, the 99th
            percentile and the largest loss of a record, in nats.
        """
        rows = [*self.query_losses, self.losses]
        worst = [*self.query_worst_cases, self.worst_case]
        return pd.DataFrame(
            {
                "worst case": worst,
                "median": [_quantile(row, 0.5) for row in rows],
                "99 %": [_quantile(row, 0.99) for row in rows],
                "largest": [row.max() for row in rows],
            },
            index=pd.Index([*self.names, "all queries"], name="query"),
        )

    def by_group(self, labels: ArrayLike) -> pd.DataFrame:
        """Return how the losses are spread within groups of records.

        Parameters
        ----------
        labels : array_like, shape (n,)
            The group of each record, such as a column of the table.

        Returns
        -------
        pandas.DataFrame
            A row for each group, the largest loss first: how many records it has, their median,
            10th and 90th percentile and largest loss in nats, and the part of the sum of all finite
            losses that they bear.

        Raises
        ------
        ValueError, TypeError
            If labels has not one known label for each record.
        """
        codes, groups = _grouped("labels", labels, self.losses.size)
        finite = np.where(np.isfinite(self.losses), self.losses, 0.0)
        shares = np.bincount(codes, finite, minlength=len(groups)) / (finite.sum() or 1.0)
        order = np.argsort(codes, kind="stable")
        parts = np.split(self.losses[order], np.cumsum(np.bincount(codes))[:-1])
        frame = pd.DataFrame(
            {
                "records": [part.size for part in parts],
                "10 %": [_quantile(part, 0.1) for part in parts],
                "median": [_quantile(part, 0.5) for part in parts],
                "90 %": [_quantile(part, 0.9) for part in parts],
                "largest": [part.max() for part in parts],
                "share": shares,
            },
            index=pd.Index(groups, name=getattr(labels, "name", None)),
        )
        return frame.sort_values("largest", ascending=False, kind="stable")

    def most_exposed(self, count: int) -> NDArray[np.int64]:
        """Return the records that lose most.

        Parameters
        ----------
        count : int
            How many, at most n.

        Returns
        -------
        ndarray of int, shape (count,)
            Their rows in the table, the largest loss first, and of equal losses the earlier row.

        Raises
        ------
        ValueError, TypeError
            If it is not a whole number from 1 to n.
        """
        count = _validate.integer("count", count, at_least=1, at_most=self.losses.size)
        return np.argsort(-self.losses, kind="stable")[:count]

    def plot(self, labels: ArrayLike) -> Figure:
        """Draw the losses by group, with the worst case beside them.

        Parameters
        ----------
        labels : array_like, shape (n,)
            The group of each record.

        Returns
        -------
        matplotlib.figure.Figure

        Raises
        ------
        ValueError, TypeError
            If labels has not one known label for each record.
        """
        groups = self.by_group(labels)
        from pdpbook.plotting.release_audit import losses_by_group

        return losses_by_group(groups, worst_case=self.worst_case)


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
        What was released of each group.
    column : str, optional
        The column that it is about; all but a count need one.
    by : sequence of str
        Columns whose values make the groups; the list of the groups is public.
    where : str, optional
        Column of True and False: only records with True are in the query.
    lower, upper : float, optional
        Range to which the release clips the values, lower < upper; a sum and a mean need it.
    mechanism : str or opendp.mod.Measurement, optional
        For numbers: "laplace" (where none is given), "discrete laplace", "gaussian", "discrete
        gaussian", or the measurement of OpenDP that adds the noise, such as
        ``dp.m.make_laplace(...)`` before it is chained to a query.  For a quantile: "exponential
        mechanism" (where none is given) or "permute and flip".
    scale : float, optional
        Scale b of Laplace noise or standard deviation σ of Gaussian noise, in the unit of the
        answer.  Of a quantile it is in records: the score of a candidate r is
        :math:`-|(1-q)\#\{x_i<r\}-q\#\{x_i>r\}|`, and the mechanism divides it by the scale.
        A measurement of OpenDP has its own.
    quantile : float, optional
        For a quantile: the share in (0, 1) of the records that should lie below.
    candidates : array_like, shape (R,), optional
        For a quantile: public points in ascending order, one of which is released.
    name : str, optional
        What the query is called.

    Returns
    -------
    ReleasedQuery

    Raises
    ------
    ValueError, TypeError
        If an argument is missing, superfluous or not as described; the message ends in what was
        given.
    ImportError
        If the mechanism is not a name and OpenDP is not installed.

    Notes
    -----
    Source: Wang (2019), per-instance sensitivity; for the quantile Smith (2011), and McKenna &
    Sheldon (2020) for permute and flip.  Taught in *What a released statistic
    tells about each record*.

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
        vector = _validate.finite_vector("candidates", candidates, at_least=2)
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
            raise _validate.fail("mechanism", "continuous, as a mean is", mechanism)
    else:
        _noise_of_opendp(mechanism, statistic)
        _superfluous("noise of OpenDP", scale=scale)
        spread = math.nan
    if name is None:
        words = statistic if column is None else f"{statistic} of {column}"
        words += f" where {where}" if where else ""
        name = words + (f" by {', '.join(groups)}" if groups else "")
    return ReleasedQuery(
        statistic,
        column,
        groups,
        where,
        low,
        high,
        share,
        points,
        mechanism,
        spread,
        _word("name", name),
    )


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
    by : sequence of str
        The columns of its ``group_by``.
    where : str, optional
        The column of its ``filter``.

    Returns
    -------
    list of ReleasedQuery
        In the order of the summary; a mean of OpenDP is a sum and a count.

    Raises
    ------
    ValueError, TypeError
        If query is not such a plan or makes noise that is not known here, if something is missing
        in arguments, or if the worst case of what they say is not that of the plan.
    ImportError
        If OpenDP or Polars is not installed.

    Notes
    -----
    The neighbours of the plan differ by the removal of one row.  A plan that keeps groups secret by
    a threshold is not read, because its δ depends on more than the noise.

    Taught in *What a released statistic tells about each record*.

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
    stated, found = float(measurement.map(1)), sum(_worst_cost(each, pure) for each in queries)
    if not math.isclose(stated, found, rel_tol=1e-6):
        raise ValueError(
            "arguments must have the ranges and candidates of the plan, whose worst case is "
            f"{stated:.6g}, got arguments with a worst case of {found:.6g}"
        )
    return queries


def audit_release(
    table: Any,
    queries: Sequence[ReleasedQuery],
    *,
    delta: float = 0.0,
    neighbours: str = "removal",
    progress: bool = False,
) -> ReleaseAudit:
    r"""Return what released queries tell about each record of a table.

    Parameters
    ----------
    table : pandas.DataFrame or mapping from str to array_like, shape (n,)
        The records, one a row, without missing values in the columns that are used.
    queries : sequence of ReleasedQuery
        Everything that was released of the table.
    delta : float
        δ in [1e-300, 1) at which the losses are counted if a query has Gaussian noise; otherwise
        the losses are pure, and it must be 0.
    neighbours : {"removal", "replacement"}
        Whether the record is removed, or replaced by any other that could be there: in any group of
        the table, and with any value of the range.
    progress : bool
        Whether to show a bar, which needs tqdm.

    Returns
    -------
    ReleaseAudit
        Upper bounds of the fixed-noise losses.  A record alone in its group has an infinite loss by
        a mean, because a mean of nobody cannot be released.

    Raises
    ------
    ValueError, TypeError
        If a column is missing or holds what it should not, delta and the noise do not fit, or the
        candidates of a quantile are too many to be counted.

    Notes
    -----
    Neighbouring data sets differ by the removal of one record, or by its replacement.  The replaced
    record is counted at its worst by each query, so the sum may be more than one record can cause.

    More than 1,024 different distances are rounded up to 12 bits before a measurement of OpenDP or
    a Gaussian ε is asked for, or bounded by the chord of the privacy map, which is convex.

    Source: Wang (2019) for the losses; Dwork et al. (2006) for basic composition; Canonne, Kamath &
    Steinke (2020) for discrete Gaussian noise.  Taught in *What a released statistic
    tells about each record*.

    Examples
    --------
    >>> people = {"area": ["a", "a", "b"], "income": [10.0, 30.0, 80.0]}
    >>> counts = released_query("count", by=["area"], scale=2.0)
    >>> total = released_query("sum", column="income", lower=0, upper=100, scale=50.0)
    >>> audit = audit_release(people, [counts, total])
    >>> audit.losses.round(2), round(audit.worst_case, 2)
    (array([0.7, 1.1, 2.1]), 2.5)
    """
    columns = _Columns(table)
    listed = [
        _validate.instance("queries", each, ReleasedQuery)
        for each in _validate.sequence("queries", queries)
    ]
    if not listed:
        raise ValueError("queries must hold at least one query, got none")
    _validate.memory("queries", len(listed), len(listed), columns.records)
    neighbours = _validate.choice("neighbours", neighbours, "removal", "replacement")
    delta = _validate.number("delta", delta, above=0.0, below=1.0, strict=False)
    spread = [not _is_pure(each) for each in listed]
    if any(spread) and not 1e-300 <= delta < 1.0:
        raise _validate.fail("delta", "in [1e-300, 1), as there is Gaussian noise", delta)
    if delta and not any(spread):
        raise _validate.fail("delta", "0 without Gaussian noise: all losses are pure", delta)
    replaced = neighbours == "replacement"
    exact = all(
        each.mechanism == "gaussian"
        for each, is_spread in zip(listed, spread, strict=True)
        if is_spread
    )
    bar = progress_bar(listed, shown=_validate.boolean("progress", progress), desc="queries")
    alone = np.empty((len(listed), columns.records))
    worst = np.empty(len(listed))
    pure, pure_worst = np.zeros(columns.records), 0.0
    rho, rho_worst = np.zeros(columns.records), 0.0
    for place, each in enumerate(bar):
        costs, most = _costs(each, columns, replaced)
        if _is_pure(each):
            alone[place], worst[place] = costs, most
            pure, pure_worst = _up(pure + costs), float(_up(pure_worst + most))
        else:
            own = each.mechanism == "gaussian"
            alone[place] = _at_delta(costs, delta, own)
            worst[place] = _at_delta(np.array([most]), delta, own)[0]
            rho, rho_worst = _up(rho + costs), float(_up(rho_worst + most))
    if any(spread):
        pure = _up(pure + _at_delta(rho, delta, exact))
        pure_worst = float(_up(pure_worst + _at_delta(np.array([rho_worst]), delta, exact)[0]))
    for array in (pure, alone, worst):
        array.setflags(write=False)
    names = tuple(each.name for each in listed)
    return ReleaseAudit(pure, alone, pure_worst, worst, names, delta, neighbours)


# How far a record moves a query


@dataclass(frozen=True)
class _Moves:
    """How far a query moves: by the removal of each record, by one that is added, and within."""

    removed: Floats  # shape (n,); 0 for a record that is not in the query
    added: Floats  # shape (G,): the most by a record that is added to each group
    within: Floats  # shape (n,): the most if the record changes and stays in its group

    def replaced(self, group: NDArray[np.int64], power: int, leaves: bool) -> Floats:
        """Return the most that each record moves the query when it is replaced, shape (n,).

        A record of group -1 is not in the query; some may leave it.
        """
        best = int(self.added.argmax())
        others = np.delete(self.added, best)
        elsewhere = np.where(group == best, others.max() if others.size else 0.0, self.added[best])
        if others.size:
            both = _together(self.removed, elsewhere, power)
        else:
            both = self.removed if leaves else np.zeros_like(self.removed)
        return np.where(group < 0, self.added[best], np.maximum(self.within, both))


def _together(first: Any, second: Any, power: int) -> Any:
    """Return the length of a change of two groups, in the metric of the noise."""
    return _up(first + second) if power == 1 else _up(np.hypot(first, second), 2)


def _costs(query: ReleasedQuery, columns: _Columns, replaced: bool) -> tuple[Floats, float]:
    """Return what the query costs each record, and at worst: pure losses, or ρ."""
    group, names = columns.groups(query.by)
    groups = len(names)
    if query.where is not None:
        group = np.where(columns.flags(query.where), group, -1)
    inside = group >= 0
    sizes = np.bincount(group[inside], minlength=groups)
    if query.statistic == "quantile":
        moves = _quantile_moves(query, columns.numbers(query.column), group, groups, replaced)
    else:
        moves = _number_moves(query, columns, group, sizes)
    power = _power(query)
    distances = np.where(inside, moves.removed, 0.0)
    if replaced:
        distances = moves.replaced(group, power, query.where is not None)
    worst = _worst_distance(query, sizes, replaced)
    if query.statistic == "quantile":
        return distances, worst
    costs, last = _noise_costs(query, np.append(distances, worst))
    return costs, last


def _number_moves(
    query: ReleasedQuery, columns: _Columns, group: NDArray[np.int64], sizes: NDArray[np.int64]
) -> _Moves:
    """Return the moves of a count, a sum or a mean by group."""
    n, inside = group.size, group >= 0
    if query.statistic == "count":
        return _Moves(np.ones(n), np.ones(sizes.size), np.zeros(n))
    x = np.clip(columns.numbers(query.column), query.lower, query.upper)
    if _whole(query) and (x != np.floor(x)).any():
        place = int(np.flatnonzero(x != np.floor(x))[0])
        raise ValueError(
            f"table[{query.column!r}] must hold whole numbers, as the noise does, "
            f"got {float(x[place])!r} in row {place}"
        )
    farthest = _up(np.maximum(x - query.lower, query.upper - x))
    if query.statistic == "sum":
        most = max(abs(query.lower), abs(query.upper))
        return _Moves(np.abs(x), np.full(sizes.size, most), farthest)
    sums = np.bincount(group[inside], x[inside], minlength=sizes.size)
    size, total = sizes[group].astype(float), sums[group]
    slack = 4.0 * _UNIT * size * size * np.abs(x[inside]).max(initial=0.0)  # of all roundings
    with np.errstate(divide="ignore", invalid="ignore"):
        removed = _up((np.abs(size * x - total) + slack) / (size * (size - 1.0)), 3)
        means = sums / sizes
        slack = 4.0 * _UNIT * sizes * max(abs(query.lower), abs(query.upper))
        ends = np.maximum(np.abs(query.lower - means), np.abs(query.upper - means))
        added = np.where(sizes > 0, _up((ends + slack) / (sizes + 1.0), 2), np.inf)
        within = _up(farthest / size)
    return _Moves(np.where(size > 1, removed, np.inf), added, within)


def _worst_distance(query: ReleasedQuery, sizes: NDArray[np.int64], replaced: bool) -> float:
    """Return the farthest that a record with the worst values moves the query.

    For a mean the sizes of the groups are those of the table; for a quantile it is the loss.
    """
    several, power = sizes.size > 1, _power(query)
    within = 0.0
    if query.statistic == "count":
        removed = added = 1.0
    elif query.statistic == "sum":
        removed = added = max(abs(query.lower), abs(query.upper))
        within = float(_up(query.upper - query.lower))
    elif query.statistic == "mean":
        width, fewest = float(_up(query.upper - query.lower)), int(sizes.min())
        removed = float(_up(width / fewest)) if fewest > 1 else math.inf
        added = float(_up(width / (fewest + 1))) if fewest else math.inf
        within = float(_up(width / fewest)) if fewest else math.inf
    else:
        sensitivity = max(query.quantile, 1.0 - query.quantile)
        removed = added = float(_up(2.0 * sensitivity / query.scale, 2))
        within = float(_up(2.0 / query.scale))
    if not replaced:
        return removed
    both = float(_together(removed, added, power)) if several else 0.0
    return max(within, both, removed if query.where is not None else 0.0)


# Quantiles


def _quantile_moves(
    query: ReleasedQuery, x: Floats, group: NDArray[np.int64], groups: int, replaced: bool
) -> _Moves:
    """Return the losses by one quantile of each group, candidates counted one by one."""
    points = np.array(query.candidates)
    left = np.searchsorted(points, x, side="left")
    cell = 2 * left + (points[np.minimum(left, points.size - 1)] == x)
    cells, inside = 2 * points.size + 1, group >= 0
    counts = np.bincount(group[inside] * cells + cell[inside], minlength=groups * cells)
    counts = counts.reshape(groups, cells)
    nodes = points.size // 2 + 1 if query.mechanism == "permute and flip" else 1
    rounds = groups * cells * points.size * nodes * (cells if replaced else 1)
    if rounds > _validate.ROUNDS:
        raise _validate.fail(
            "candidates",
            f"so few that {groups} group(s) need at most 1e9 steps and not {rounds:.2g}",
            points.size,
        )
    q, place = query.quantile, 2 * np.arange(points.size) + 1
    moves = np.sign(place - np.arange(cells)[:, None]).astype(float)  # below, at or above
    moves = np.where(moves > 0, (1.0 - q) * moves, q * moves)
    removed, within = np.zeros((groups, cells)), np.zeros((groups, cells))
    added = np.zeros(groups)
    for g in range(groups):
        score = counts[g] @ moves
        slack = 16.0 * _UNIT * (points.size + np.abs(score).max() / query.scale + 1.0)
        present = _log_chances(score[None], query)

        def loss(changed: Floats, here: Floats = present, slack: float = slack) -> Floats:
            return np.abs(_log_chances(changed, query) - here).max(axis=1) + slack

        occupied = np.flatnonzero(counts[g])
        removed[g, occupied] = loss(score - moves[occupied])
        if replaced:
            added[g] = loss(score + moves).max()
            for k in occupied:
                within[g, k] = loss(score - moves[k] + moves).max()
    return _Moves(removed[group, cell], added, within[group, cell])


def _log_chances(scores: Floats, query: ReleasedQuery) -> Floats:
    """Return the log chance of each candidate, a row for each row of scores, shape (m, R)."""
    level = -np.abs(scores) / query.scale
    if query.mechanism == "exponential mechanism":
        return np.asarray(log_softmax(level, axis=1))
    # permute and flip: a_r ∫ Π_{j≠r} (1 - a_j t) dt on [0, 1], where the largest a is 1
    level -= level.max(axis=1, keepdims=True)
    roots, weights = np.polynomial.legendre.leggauss(scores.shape[1] // 2 + 1)
    result = np.empty_like(level)
    for row, each in enumerate(level):
        factors = np.log1p(-np.exp(each) * (0.5 + 0.5 * roots)[:, None])
        others = factors.sum(axis=1, keepdims=True) - factors
        result[row] = each + logsumexp(others, axis=0, b=0.5 * weights[:, None])
    return result


# What a distance costs


def _is_pure(query: ReleasedQuery) -> bool:
    """Return whether the loss has a bound, and is no Rényi divergence."""
    if isinstance(query.mechanism, str):
        return "gaussian" not in query.mechanism
    measure: Any = query.mechanism
    return bool(measure.output_measure.type == "MaxDivergence")


def _power(query: ReleasedQuery) -> int:
    """Return whether the noise counts the sum of the changes or of their squares."""
    if isinstance(query.mechanism, str):
        return 2 if "gaussian" in query.mechanism else 1
    measurement: Any = query.mechanism
    kind = str(measurement.input_metric)
    if kind.startswith("AbsoluteDistance"):  # one number, of which there is one for each group
        return 1 if _is_pure(query) else 2
    return 1 if kind.startswith("L1Distance") else 2


def _whole(query: ReleasedQuery) -> bool:
    """Return whether the answers are whole numbers."""
    if isinstance(query.mechanism, str):
        return query.mechanism.startswith("discrete") and query.statistic == "sum"
    return _is_integer(query.mechanism)


def _is_integer(measurement: Any) -> bool:
    """Return whether a measurement of OpenDP adds noise to whole numbers."""
    return not any(f"T={kind}" in str(measurement.input_domain) for kind in ("f32", "f64"))


def _noise_costs(query: ReleasedQuery, distances: Floats) -> tuple[Floats, float]:
    """Return what distances cost by noise that is added, and the last of them on its own."""
    if not isinstance(query.mechanism, str):
        costs = _mapped(query.mechanism, distances)
    else:
        scaled = _up(distances / query.scale)
        costs = scaled if _is_pure(query) else _up(0.5 * _up(scaled * scaled))
    return costs[:-1], float(costs[-1])


def _mapped(measurement: Any, distances: Floats) -> Floats:
    """Return the privacy map of OpenDP at all distances, by its chords where they are many."""
    whole = "f" not in measurement.input_distance_type
    exact = np.ceil(distances) if whole else distances
    distinct, place = np.unique(exact, return_inverse=True)
    finite = distinct[(distinct > 0) & np.isfinite(distinct)]
    at = finite
    if finite.size > MOST:
        at = np.clip(np.geomspace(finite[0], finite[-1], MOST), finite[0], finite[-1])
        at = np.unique(np.ceil(at) if whole else at)
    costs = np.where(np.isinf(distinct), np.inf, 0.0)
    if at.size:
        values = [float(measurement.map(int(each) if whole else float(each))) for each in at]
        between = np.interp(finite, at, values)
        if finite.size > MOST:
            between = _up(between * (1.0 + 8.0 * _UNIT))
        costs[(distinct > 0) & np.isfinite(distinct)] = between
    return costs[place]


def _at_delta(rho: Floats, delta: float, exact: bool) -> Floats:
    """Return the ε at δ of Gaussian noise whose queries add up to ρ."""
    distinct, place = np.unique(rho, return_inverse=True)
    if distinct.size > MOST:
        distinct, place = np.unique(_shortened(rho), return_inverse=True)
    finite = np.isfinite(distinct)
    costs = np.full(distinct.size, np.inf)
    if finite.any():
        if exact:
            lengths = _up(np.sqrt(_up(2.0 * distinct[finite])))
            costs[finite] = gaussian_epsilons(lengths, delta=delta, sigma=1.0)
        else:
            costs[finite] = _renyi_epsilons(distinct[finite], delta)
    return costs[place]


def _renyi_epsilons(rho: Floats, delta: float) -> Floats:
    """Return the ε at δ of Rényi divergences αρ, as by ``renyi_epsilon``, for many ρ at once."""
    offsets = np.log1p(-1.0 / ORDERS) - (math.log(delta) + np.log(ORDERS)) / (ORDERS - 1.0)
    epsilons = np.zeros(rho.size)
    for start in range(0, rho.size, MOST):
        part = slice(start, start + MOST)
        levels = ORDERS[:, None] * rho[part] + offsets[:, None]
        epsilons[part] = levels.min(axis=0) * (1.0 + 8.0 * _UNIT)
    return np.where(rho > 0.0, np.maximum(epsilons, 0.0), 0.0)


def _worst_cost(query: ReleasedQuery, pure: bool) -> float:
    """Return what the worst record costs by removal: an ε, or ρ where the whole plan counts it."""
    worst = _worst_distance(query, np.array([2]), replaced=False)
    if query.statistic == "quantile":
        return worst if pure else worst * worst / 8.0  # of its bounded range
    return _noise_costs(query, np.array([worst]))[1]


def _up(value: Any, times: int = 1) -> Any:
    """Round up what was computed by so many operations; 0 stays."""
    for _ in range(times):
        value = np.where(np.asarray(value) == 0.0, 0.0, np.nextafter(value, np.inf))
    return value


def _shortened(values: Floats) -> Floats:
    """Return numbers of a few bits that are not smaller."""
    mantissa, exponent = np.frexp(values)
    return np.asarray(np.ldexp(np.ceil(mantissa * 2.0**BITS) / 2.0**BITS, exponent))


# Arguments


class _Columns:
    """The columns of a table, checked when they are used, and its groups, made once."""

    def __init__(self, table: Any) -> None:
        if not isinstance(table, (pd.DataFrame, Mapping)):
            raise _validate.fail("table", "a DataFrame or a mapping of columns", table, TypeError)
        self._table = table
        self._groups: dict[tuple[str, ...], tuple[NDArray[np.int64], list[Any]]] = {}
        if isinstance(table, pd.DataFrame):
            self.records = len(table)
        else:
            try:
                lengths = {str(name): len(table[name]) for name in table}
            except TypeError:
                raise TypeError(
                    f"table must have columns of one length, got columns {list(table)!r}"
                ) from None
            if len(set(lengths.values())) > 1:
                raise ValueError(f"table must have columns of one length, got {lengths}")
            self.records = next(iter(lengths.values()), 0)
        if self.records < 1:
            raise ValueError("table must hold at least one record, got none")

    def _column(self, name: str) -> Any:
        if name not in self._table:
            listed = ", ".join(map(repr, self._table.keys()))
            raise ValueError(f"table must have the column {name!r} of a query, got {listed}")
        found = self._table[name]
        if getattr(found, "ndim", 1) != 1:
            raise ValueError(f"table must have one column {name!r}, got shape {found.shape}")
        return found

    def numbers(self, name: str | None) -> Floats:
        """Return a column of finite numbers."""
        assert name is not None
        found = self._column(name)
        if isinstance(found, pd.Series) and pd.api.types.is_numeric_dtype(found):
            found = found.to_numpy(dtype=np.float64, na_value=np.nan)
        return _validate.finite_array(f"table[{name!r}]", found)

    def flags(self, name: str) -> NDArray[np.bool_]:
        """Return a column of True and False."""
        return _validate.booleans(f"table[{name!r}]", self._column(name))

    def groups(self, by: tuple[str, ...]) -> tuple[NDArray[np.int64], list[Any]]:
        """Return the group of each record, and the groups."""
        if not by:
            return np.zeros(self.records, dtype=np.int64), [()]
        if by not in self._groups:
            codes = np.zeros(self.records, dtype=np.int64)
            for name in by:
                more, labels = _grouped(f"table[{name!r}]", self._column(name), self.records)
                _, codes = np.unique(codes * len(labels) + more, return_inverse=True)
            self._groups[by] = codes, list(range(int(codes.max()) + 1))
        return self._groups[by]


def _grouped(name: str, labels: Any, records: int) -> tuple[NDArray[np.int64], list[Any]]:
    """Return the place of each record's label among all labels, and these in order."""
    if not isinstance(labels, (pd.Series, pd.Categorical)):
        labels = _validate.sequence(name, labels)
    if len(labels) != records:
        raise ValueError(
            f"{name} must hold a label for each of {records} records, got {len(labels)}"
        )
    try:
        codes, found = pd.factorize(pd.Series(labels).astype(object), sort=True)
    except (TypeError, ValueError):
        kind = type(next(iter(labels)))
        raise _validate.fail(name, "labels that can be put in order", kind) from None
    missing = int((codes < 0).sum())
    if missing:
        raise ValueError(f"{name} must hold no missing value, got {missing} of them")
    return codes.astype(np.int64), list(found)


def _mapping(name: str, value: Any) -> Mapping[str, Mapping[str, Any]]:
    """Return a mapping whose values are mappings."""
    if not isinstance(value, Mapping) or not all(isinstance(v, Mapping) for v in value.values()):
        raise _validate.fail(name, "a mapping from names to arguments", value, TypeError)
    return value


def _word(name: str, value: Any) -> str:
    """Return a word that is not empty."""
    if not isinstance(value, str) or not value:
        raise _validate.fail(name, "a name", value, TypeError)
    return value


def _superfluous(what: str, **given: Any) -> None:
    """Refuse arguments that mean nothing here."""
    for name, value in given.items():
        if value is not None:
            raise _validate.fail(name, f"left out for a {what}", value)


def _noise_of_opendp(mechanism: Any, statistic: str) -> None:
    """Refuse what is not a measurement of OpenDP that adds noise to numbers."""
    if not isinstance(mechanism, require("opendp.mod").Measurement) or statistic == "quantile":
        allowed = "one of the names, or for numbers a measurement of OpenDP that adds noise"
        raise _validate.fail("mechanism", allowed, mechanism, TypeError)
    metric, measure = str(mechanism.input_metric), mechanism.output_measure.type
    if not metric.startswith(("AbsoluteDistance", "L1Distance", "L2Distance")):
        raise ValueError(
            "mechanism must be the noise alone, before it is chained to a query, "
            f"got a measurement on {metric}"
        )
    if measure not in ("MaxDivergence", "ZeroConcentratedDivergence"):
        raise ValueError(f"mechanism must have a loss in epsilon or rho, got {measure}")
    if statistic == "mean" and _is_integer(mechanism):
        raise ValueError("mechanism must add noise to floats, as a mean is one, got whole numbers")


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


def _quantile(values: Floats, share: float) -> float:
    """Return the smallest value with at least this share below or at it; infinite ones count."""
    return float(np.quantile(values, share, method="inverted_cdf"))
