r"""How far each record moves a released query, and what this costs the record.

Let group g have size :math:`n_g` and sum :math:`S_g`, with values that the release clips to [L, U].
The removal of record i from its group moves

================  ==================================================================================
the count         by 1
the sum           by :math:`|x_i|`
the mean          by :math:`|n_gx_i-S_g|/(n_g(n_g-1))`; a group of one is left without a mean
a quantile        through the scores of all candidates, which are computed one by one
================  ==================================================================================

The other groups do not move.  If the record is *replaced*, it moves within its group, or from its
group to another.  The noise determines the cost of this distance
(:mod:`pdpbook.own_data.query_noise`); for a quantile, it is the largest change of the log
probability of a candidate.  Taught in *What a released statistic tells about each record*.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_softmax, logsumexp

from pdpbook import _validate
from pdpbook._exact import up
from pdpbook.own_data.audited_table import AuditedTable
from pdpbook.own_data.query_noise import adds_whole_numbers, distance_costs, metric_power
from pdpbook.own_data.released_queries import ReleasedQuery

__all__ = ["query_costs", "worst_cost"]

Floats = NDArray[np.float64]

_UNIT = float(np.finfo(np.float64).eps)


def query_costs(
    query: ReleasedQuery, columns: AuditedTable, replaced: bool
) -> tuple[Floats, float]:
    """Return the cost of the query for each record and in the worst case, as pure losses or ρ."""
    group, groups = columns.groups(query.by)
    if query.where is not None:
        group = np.where(columns.flags(query.where), group, -1)
    inside = group >= 0
    sizes = np.bincount(group[inside], minlength=groups)
    if query.statistic == "quantile":
        moves = _quantile_moves(query, columns.numbers(query.column), group, groups, replaced)
    else:
        moves = _number_moves(query, columns, group, sizes)
    power = metric_power(query.mechanism)
    distances = np.where(inside, moves.removed, 0.0)
    if replaced:
        distances = moves.replaced(group, power, query.where is not None)
    worst = _worst_distance(query, sizes, replaced)
    if query.statistic == "quantile":
        return distances, worst
    costs = distance_costs(query.mechanism, query.scale, np.append(distances, worst))
    return costs[:-1], float(costs[-1])


def worst_cost(query: ReleasedQuery, pure: bool) -> float:
    """Return the cost of the worst record's removal: an ε, or ρ if ``pure`` is false."""
    worst = _worst_distance(query, np.array([2]), replaced=False)
    if query.statistic == "quantile":
        return worst if pure else worst * worst / 8.0  # the ρ of its bounded range
    return float(distance_costs(query.mechanism, query.scale, np.array([worst]))[0])


@dataclass(frozen=True)
class _Moves:
    """The changes of a query: by a removal, by an addition, and within a group."""

    removed: Floats  # shape (n,); 0 for a record that is not in the query
    added: Floats  # shape (G,): the largest change by adding a record to each group
    within: Floats  # shape (n,): the largest change if the record stays in its group

    def replaced(self, group: NDArray[np.int64], power: int, leaves: bool) -> Floats:
        """Return the largest change of the query by a replacement of each record, shape (n,)."""
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
    return up(first + second, 1) if power == 1 else up(np.hypot(first, second), 2)


def _number_moves(
    query: ReleasedQuery, columns: AuditedTable, group: NDArray[np.int64], sizes: NDArray[np.int64]
) -> _Moves:
    """Return the changes of a count, a sum or a mean by group."""
    n, inside = group.size, group >= 0
    if query.statistic == "count":
        return _Moves(np.ones(n), np.ones(sizes.size), np.zeros(n))
    x = np.clip(columns.numbers(query.column), query.lower, query.upper)
    whole = query.statistic == "sum" and adds_whole_numbers(query.mechanism)
    if whole and (x != np.floor(x)).any():
        place = int(np.flatnonzero(x != np.floor(x))[0])
        raise ValueError(
            f"table[{query.column!r}] must contain whole numbers, like the noise, "
            f"got another number in row {place}"
        )
    farthest = up(np.maximum(x - query.lower, query.upper - x), 1)
    if query.statistic == "sum":
        most = max(abs(query.lower), abs(query.upper))
        return _Moves(np.abs(x), np.full(sizes.size, most), farthest)
    sums = np.bincount(group[inside], x[inside], minlength=sizes.size)
    size, total = sizes[group].astype(float), sums[group]
    slack = 4.0 * _UNIT * size * size * np.abs(x[inside]).max(initial=0.0)  # of all roundings
    with np.errstate(divide="ignore", invalid="ignore"):
        removed = up((np.abs(size * x - total) + slack) / (size * (size - 1.0)), 3)
        means = sums / sizes
        slack = 4.0 * _UNIT * sizes * max(abs(query.lower), abs(query.upper))
        ends = np.maximum(np.abs(query.lower - means), np.abs(query.upper - means))
        added = np.where(sizes > 0, up((ends + slack) / (sizes + 1.0), 2), np.inf)
        within = up(farthest / size, 1)
    return _Moves(np.where(size > 1, removed, np.inf), added, within)


def _worst_distance(query: ReleasedQuery, sizes: NDArray[np.int64], replaced: bool) -> float:
    """Return the distance that a worst-case record causes; for a quantile, the loss."""
    several, power = sizes.size > 1, metric_power(query.mechanism)
    within = 0.0
    if query.statistic == "count":
        removed = added = 1.0
    elif query.statistic == "sum":
        removed = added = max(abs(query.lower), abs(query.upper))
        within = float(up(query.upper - query.lower, 1))
    elif query.statistic == "mean":
        width, fewest = float(up(query.upper - query.lower, 1)), int(sizes.min())
        removed = float(up(width / fewest, 1)) if fewest > 1 else math.inf
        added = float(up(width / (fewest + 1), 1)) if fewest else math.inf
        within = float(up(width / fewest, 1)) if fewest else math.inf
    else:
        sensitivity = max(query.quantile, 1.0 - query.quantile)
        removed = added = float(up(2.0 * sensitivity / query.scale, 2))
        within = float(up(2.0 / query.scale, 1))
    if not replaced:
        return removed
    both = float(_together(removed, added, power)) if several else 0.0
    return max(within, both, removed if query.where is not None else 0.0)


def _quantile_moves(
    query: ReleasedQuery, x: Floats, group: NDArray[np.int64], groups: int, replaced: bool
) -> _Moves:
    """Return the losses from a quantile of each group; candidates are treated one by one."""
    points = np.array(query.candidates)
    left = np.searchsorted(points, x, side="left")
    cell = 2 * left + (points[np.minimum(left, points.size - 1)] == x)
    cells, inside = 2 * points.size + 1, group >= 0
    counts = np.bincount(group[inside] * cells + cell[inside], minlength=groups * cells)
    counts = counts.reshape(groups, cells)
    nodes = points.size // 2 + 1 if query.mechanism == "permute and flip" else 1
    rounds = groups * cells * points.size * nodes * (cells if replaced else 1)
    if rounds > _validate.ROUNDS:
        few = f"few enough that {groups} group(s) need at most 1e9 steps instead of {rounds:.2g}"
        raise _validate.fail("candidates", few, points.size)
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
    """Return the log probability of each candidate for each row of scores, shape (m, R)."""
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
