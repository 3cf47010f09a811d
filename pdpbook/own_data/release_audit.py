r"""What a release made by another program reveals about each record of a table.

A library for differential privacy states one ε for all records, the loss of the worst possible
record.  Most records have a smaller loss.  A release with noise consists of a *query*, which turns
the table into numbers, and of *noise* that does not depend on the table.  The privacy map of the
noise gives the loss if the numbers move by a distance d, for example d/b for Laplace noise of scale
b.  The loss at the largest distance that any record can cause is the ε of the release; the loss at
the distance by which *this* record moves them is the record's own loss
(:mod:`pdpbook.own_data.query_losses`).

The losses of several queries are added (basic composition), because their answers are independent
given the table, and an attacker sees all of them.  Gaussian noise has no finite loss: the costs of
its queries are first added as :math:`\rho_i=\sum_q d_{iq}^2/2\sigma_q^2`, and then converted to an
ε at one δ (:mod:`pdpbook.own_data.query_noise`).

No loss is understated: the audit rounds losses upwards, and marks the losses for which it has only
an upper bound.  It assumes that the query itself is computed without rounding and that the list of
the groups is public.  A row of the table is a record; the loss of a person with several rows is at
most the sum of the rows' losses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from pdpbook import _validate
from pdpbook._exact import up
from pdpbook._extras import progress_bar
from pdpbook._repr import short_repr
from pdpbook.own_data.audited_table import AuditedTable, label_codes
from pdpbook.own_data.query_losses import query_costs
from pdpbook.own_data.query_noise import epsilons_at, grid_excess, is_pure
from pdpbook.own_data.released_queries import ReleasedQuery

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["ReleaseAudit", "audit_release"]

Floats = NDArray[np.float64]

#: The mechanisms, for numbers and for candidates, with losses that are not only bounded.
EXACT = ("laplace", "discrete laplace", "gaussian", "exponential mechanism", "permute and flip")


@dataclass(frozen=True, eq=False)
class ReleaseAudit:
    """What a release reveals about each record: the result of :func:`audit_release`.

    Fixed-noise losses by the removal or the replacement of the record, in nats.  They are functions
    of the table, so they must not be published.

    Attributes
    ----------
    losses : ndarray, shape (n,)
        The cost of all queries together for each record: an ε at ``delta``.
    query_losses : ndarray, shape (q, n)
        The cost of each query for each record.  With Gaussian noise these costs are the ε at
        ``delta`` of each query alone, which add up to more than ``losses``.
    worst_case, query_worst_cases : float and ndarray, shape (q,)
        The cost of all queries together, and of each query, for a record with the worst values.
    exact, query_exact : bool and tuple of bool
        Whether these losses are exact up to rounding; otherwise they are upper bounds.
    names : tuple of str
        The queries.
    delta, neighbours
        As for :func:`audit_release`.
    """

    losses: Floats
    query_losses: Floats
    worst_case: float
    query_worst_cases: Floats
    names: tuple[str, ...]
    delta: float
    neighbours: str
    exact: bool
    query_exact: tuple[bool, ...]

    __repr__ = short_repr

    def table(self) -> pd.DataFrame:
        """Return a row of losses in nats for each query and one for all queries together.

        The columns are the worst case and the median, 99th percentile and largest loss of a record.
        """
        rows = [*self.query_losses, self.losses]
        worst = {"worst case": [*self.query_worst_cases, self.worst_case]}
        names = pd.Index([*self.names, "all queries"], name="query")
        return pd.DataFrame(worst | _spread(rows, {"median": 0.5, "99 %": 0.99}), index=names)

    def by_group(self, labels: ArrayLike) -> pd.DataFrame:
        """Return a row for each group, given by labels of shape (n,), with the largest loss first.

        The columns are the number of records, the median, 10th and 90th percentile and largest loss
        in nats, and the group's part of the sum of all finite losses.
        """
        codes, groups = label_codes("labels", labels, self.losses.size)
        finite = np.where(np.isfinite(self.losses), self.losses, 0.0)
        shares = np.bincount(codes, finite, minlength=len(groups)) / (finite.sum() or 1.0)
        order = np.argsort(codes, kind="stable")
        parts = np.split(self.losses[order], np.cumsum(np.bincount(codes))[:-1])
        spread = _spread(parts, {"10 %": 0.1, "median": 0.5, "90 %": 0.9})
        frame = pd.DataFrame(
            {"records": [part.size for part in parts]} | spread | {"share": shares},
            index=groups,
        ).sort_values("largest", ascending=False, kind="stable")
        name = getattr(labels, "name", None)
        return frame.rename_axis("group" if name in frame else name)

    def most_exposed(self, count: int) -> NDArray[np.int64]:
        """Return the rows of the records with the largest losses, the largest first."""
        count = _validate.integer("count", count, at_least=1, at_most=self.losses.size)
        return np.argsort(-self.losses, kind="stable")[:count]

    def plot(self, labels: ArrayLike) -> Figure:
        """Draw the losses by group, given by labels of shape (n,), beside the worst case."""
        groups = self.by_group(labels)
        from pdpbook.plotting.release_audit import losses_by_group

        return losses_by_group(groups, worst_case=self.worst_case)


def audit_release(
    table: Any,
    queries: Sequence[ReleasedQuery],
    *,
    delta: float = 0.0,
    neighbours: Literal["removal", "replacement"] = "removal",
    progress: bool | None = None,
) -> ReleaseAudit:
    """Return what released queries reveal about each record of a table.

    Parameters
    ----------
    table : pandas.DataFrame or mapping from str to array_like, shape (n,)
        The records, one per row, without missing values in the columns that are used.
    queries : sequence of ReleasedQuery
        All releases from the table.
    delta : float
        The δ in [1e-300, 1) of the losses if a query has Gaussian noise; otherwise the losses are
        pure, and ``delta`` must be 0.
    neighbours : {"removal", "replacement"}
        Whether the record is removed, or replaced by any other possible record: in any group of the
        table, with any value in the range.
    progress : bool, optional
        As for :func:`pdpbook.own_data.report`.

    Returns
    -------
    ReleaseAudit
        The fixed-noise losses, or upper bounds on them; infinite for the mean of only one record.

    Notes
    -----
    Neighbouring data sets differ by the removal of one record, or by its replacement.  Each query
    counts its own worst replacement, so the sum may be more than a single replacement can cause.
    If there are more than 1,024 different distances, they are rounded up to 12 bits, or their
    losses are bounded by the chords of the privacy map of OpenDP, which is convex.

    Source: Wang (2019) for the losses; Dwork et al. (2006) for basic composition; Canonne, Kamath &
    Steinke (2020) for discrete Gaussian noise.  Taught in *What a released statistic tells about
    each record*.

    Examples
    --------
    >>> from pdpbook.own_data import released_query
    >>> people = {"area": ["a", "a", "b"], "income": [10.0, 30.0, 80.0]}
    >>> counts = released_query("count", by=["area"], scale=2.0)
    >>> total = released_query("sum", column="income", lower=0, upper=100, scale=50.0)
    >>> audit = audit_release(people, [counts, total])
    >>> audit.losses.round(2), round(audit.worst_case, 2)
    (array([0.7, 1.1, 2.1]), 2.5)
    """
    columns = AuditedTable(table)
    listed = [
        _validate.instance("queries", each, ReleasedQuery)
        for each in _validate.sequence("queries", queries)
    ]
    if not listed:
        raise ValueError("queries must contain at least one query, got none")
    _validate.memory("queries", len(listed), len(listed), columns.records)
    _validate.choice("neighbours", neighbours, "removal", "replacement")
    delta = _validate.number("delta", delta, at_least=0.0, at_most=1.0)
    spread = [not is_pure(each.mechanism) for each in listed]
    if any(spread) and not 1e-300 <= delta < 1.0:
        raise _validate.fail("delta", "in [1e-300, 1), as there is Gaussian noise", delta)
    if delta and not any(spread):
        raise _validate.fail("delta", "0 without Gaussian noise: all losses are pure", delta)
    replaced = neighbours == "replacement"
    shown = None if progress is None else _validate.boolean("progress", progress)
    bar = progress_bar(listed, shown=shown, desc="queries")
    records = columns.records
    alone = np.empty((len(listed), records + 1))  # the worst record follows the records
    pure, rho, excess = np.zeros((3, records + 1))
    log_excess = 0.0
    for place, each in enumerate(bar):
        costs = np.append(*query_costs(each, columns, replaced))
        if not spread[place]:
            alone[place] = costs
            pure = up(pure + costs, 1)
            continue
        rate, more = grid_excess(each.mechanism, each.scale, 2 if replaced else 1)
        added = up(rate * np.sqrt(costs), 2) if 0 < rate < np.inf else np.full_like(costs, rate)
        alone[place] = epsilons_at(costs, delta, added, more)
        rho, excess, log_excess = up(rho + costs, 1), up(excess + added, 1), log_excess + more
    if any(spread):
        pure = up(pure + epsilons_at(rho, delta, excess, log_excess), 1)
    for array in (pure, alone):
        array.setflags(write=False)
    exact = tuple(each.mechanism in EXACT for each in listed)
    attained = sum(each.statistic == "quantile" for each in listed) < 2 and len({*spread}) == 1
    return ReleaseAudit(
        losses=pure[:-1],
        query_losses=alone[:, :-1],
        worst_case=float(pure[-1]),
        query_worst_cases=alone[:, -1],
        names=tuple(each.name for each in listed),
        delta=delta,
        neighbours=neighbours,
        exact=all(exact) and (len(listed) == 1 or (attained and not replaced)),
        query_exact=exact,
    )


def _spread(parts: Sequence[Floats], shares: dict[str, float]) -> dict[str, list[float]]:
    """Return the smallest values with the given shares at or below them, and the largest value."""
    found = {
        name: [float(np.quantile(part, share, method="inverted_cdf")) for part in parts]
        for name, share in shares.items()
    }
    return found | {"largest": [part.max() for part in parts]}
