r"""Quantiles that are chosen privately among the points of a fine grid.

**The points** are the multiples of 1, 2 or 5 times a power of ten in the range, so that prices and
grades lie on them.  A noisy quantile is off by about :math:`1/\varepsilon` records, which span a
distance of :math:`w/n\varepsilon` on average in a range of length w, so at least
:math:`2n\varepsilon` steps are useful.  A much finer grid would do harm if several records shared a
value, because there would be more points beside this value.  Each record is moved to the nearest
point, which depends on this record alone.

**The utility** of a point r for the q-quantile of n records is :math:`-d(r)`.  If a(r) records are
below r and b(r) records are at or below r, the rank qn is too low for r by
:math:`A(r)=a(r)-qn` records, or too high by :math:`B(r)=qn-b(r)` records, and for
:math:`q\le\frac12`

.. math:: d(r)=\max\{A(r),\;B(r),\;\kappa B(r)\},\qquad\kappa=\frac q{1-q}.

A positive d(r) is the distance of the rank from the ranks of r.  A negative d(r) shows how deep the
rank is inside the ranks of the records that share the value r, so that a value with many records is
chosen more surely than its neighbours.  For :math:`q>\frac12` the utility is the mirror image, with
:math:`\kappa A` in place of :math:`\kappa B` and :math:`\kappa=(1-q)/q`.  The choice is made by
permute-and-flip (:mod:`pdpbook.foundations.permute_and_flip`) at one slope σ for all quantiles, so
that all quantiles are off by about the same number of records.

**What k quantiles cost together.**  Remove a record that has a records below it and b records at or
below it.  For each q, all distances then change by numbers from an interval of length s, and the
choice costs σs.  Without the record, A(r) falls by 1 - q if the record is below r, and rises by q
otherwise; B(r) falls by q if the record is above r, and rises by 1 - q otherwise.  The change of a
maximum lies between the smallest and the largest change of its members.

- *Always* :math:`s\le2\max\{q,1-q\}`, because no member changes by more than
  :math:`\max\{q,1-q\}`.
- *If* :math:`q<\frac12` *and* :math:`b\ge qn+1-q`, *then* :math:`s\le1`.  No member falls by more
  than 1 - q, so we have to show that d(r) rises by at most q.  If the record is above r, only A(r)
  rises, by q.  Otherwise :math:`b(r)\ge b`, so B(r) is at most 0 even without the record, and
  therefore :math:`\kappa B(r)\ge B(r)`.  Then d(r) is the maximum of A(r), which has risen by at
  most q, and of :math:`\kappa B(r)`, which has risen by :math:`\kappa(1-q)=q`.  For
  :math:`q>\frac12` the mirror image is true if :math:`n-a\ge pn+1-p` with p = 1 - q.
- *Of two quantiles* :math:`q<\frac12<1-p` *at most one costs more than* σ.  Otherwise
  :math:`b<qn+1-q` and :math:`n-a<pn+1-p`, and with :math:`a\le b-1` these inequalities give
  :math:`n(1-p-q)<1-p-q`, which is false for n ≥ 1.

So no record costs more than σS, where S is the larger of :math:`\sum\max\{1,2(1-q)\}` and
:math:`\sum\max\{1,2q\}`: 1 for the median alone, and 7/2 for the three quartiles.  If a record is
*replaced*, n stays the same, a(r) and b(r) change by at most one, and each choice costs at most 2σ.
An exponent is rounded up to a multiple of :math:`2^{-62}`, which adds less than two units to the
cost of each choice; two units per choice are subtracted from ε beforehand.  Distances are counted
in parts of a record, so small that 1 and q are whole numbers of parts, and :math:`\kappa B` is
rounded down.  The proof holds, because :math:`\kappa(1-q)=q` is a whole number of parts.

**The loss of a record** is the sum over the quantiles of the largest change of a log probability.
Removing a record at the point k changes the distance of a point in one of three ways, according to
whether the point is below, at or above k, so the sums over all points on one side of k are partial
sums.  Apart from this, only the smallest distance depends on k, and it takes few values.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pdpbook.foundations.discrete_noise import UNITS
from pdpbook.foundations.permute_and_flip import (
    NEAR,
    choice_reach,
    flip_nodes,
    flip_probabilities,
    permute_and_flip,
    rejections,
)
from pdpbook.foundations.system_generator import release_source
from pdpbook.own_data.column import Frame

__all__ = ["QuantileChoice", "QuantileGrid", "quantile_grid", "quantile_slope", "slope_cost"]

#: The grid has at least this many steps, or :math:`2n\\varepsilon` steps if that is more.
CANDIDATES = 200
#: The grid has at most MOST steps (MOST_WIDE if ε < WIDE), so that losses take a few seconds.
MOST, MOST_WIDE, WIDE = 10**6, 5000, 0.05
_CHUNK = 256


def slope_cost(quantiles: Sequence[float], neighbours: str) -> Fraction:
    """Return the cost of all quantiles together at a slope of 1.

    >>> slope_cost([0.5], "removal"), slope_cost([0.25, 0.5, 0.75], "removal")
    (Fraction(1, 1), Fraction(7, 2))
    """
    shares = [exact_share(each) for each in quantiles]
    if neighbours == "replacement":
        return Fraction(2 * len(shares))
    return max(
        sum((max(Fraction(1), 2 * (1 - q)) for q in shares), Fraction(0)),
        sum((max(Fraction(1), 2 * q) for q in shares), Fraction(0)),
    )


def quantile_slope(quantiles: Sequence[float], epsilon: float, neighbours: str) -> Fraction:
    """Return the slope σ at which all quantiles together cost ε ≥ 2⁻⁵⁰, rounding included."""
    rounding = Fraction(2 * len(quantiles), UNITS)
    return (Fraction(epsilon) - rounding) / slope_cost(quantiles, neighbours)


def exact_share(quantile: float) -> Fraction:
    """Return a decimal quantile as a fraction whose denominator is at most a million."""
    return Fraction(quantile).limit_denominator(10**6)


@dataclass(frozen=True)
class QuantileGrid:
    """The points :math:`(f+i)g`, i = 0, …, R - 1, among which quantiles are chosen."""

    first: int
    step: Fraction
    size: int

    def numbers(self, places: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the points with the given indices."""
        largest = (abs(self.first) + self.size) * self.step.numerator
        if max(largest, self.step.denominator) < 2**53:
            return (self.first + places) * self.step.numerator / self.step.denominator
        return np.array([float((self.first + each) * self.step) for each in places.tolist()])

    def places(self, values: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the index of the point nearest to each value."""
        start = float(self.first * self.step)
        steps = np.rint((values - start) / float(self.step))
        return np.clip(steps, 0, self.size - 1).astype(np.int64)


def quantile_grid(frame: Frame, n: int, epsilon: float) -> QuantileGrid:
    """Return the points for n records and ε, from the range and not from the values.

    >>> grid = quantile_grid(Frame(name="age", lower=0.0, upper=100.0), 50, 1.0)
    >>> grid.size, float(grid.step)
    (201, 0.5)
    """
    lower, upper = Fraction(str(frame.lower)), Fraction(str(frame.upper))  # as they are written
    most = MOST if epsilon >= WIDE else MOST_WIDE
    wanted = max(CANDIDATES, min(math.ceil(2 * n * epsilon), most))
    power = math.floor(math.log10(frame.width / wanted)) + 1
    steps = [Fraction(10) ** (power + e) * m for e in (0, -1, -2) for m in (5, 2, 1)]
    step = next(each for each in steps if each * wanted <= upper - lower)
    if frame.whole:
        step = max(step, Fraction(1))
    first, last = math.ceil(lower / step), math.floor(upper / step)
    return QuantileGrid(first, step, last - first + 1)


@dataclass(frozen=True, eq=False)
class QuantileChoice:
    """The choice of one quantile of a column, whose records have places on a grid.

    A group is one point with records, or all points between two neighbouring points with records.
    """

    grid: QuantileGrid
    places: NDArray[np.int64]
    quantile: float
    slope: Fraction

    @cached_property
    def _groups(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """First point, number of points and number of records of each group, shape (G,)."""
        occupied, counts = np.unique(self.places, return_counts=True)
        starts = np.unique(np.concatenate([[0], occupied, occupied + 1]))
        starts = starts[starts < self.grid.size]
        records = np.zeros(starts.size, dtype=np.int64)
        records[np.searchsorted(starts, occupied)] = counts
        return starts, np.diff(starts, append=self.grid.size), records

    def _misses(
        self, n: int, below: NDArray[np.int64], upto: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return the distances d of the rank from the ranks of points, in parts of a record."""
        share = exact_share(self.quantile)
        parts, rank = share.denominator, share.numerator * n
        low, high = below * parts - rank, rank - upto * parts
        rarer, other = sorted((share.numerator, parts - share.numerator))
        side = high if 2 * share <= 1 else low
        wholes, rest = np.divmod(side, other)  # κ side = side · rarer / other, without overflow
        inside = wholes * rarer + rest * rarer // other
        return np.maximum(np.maximum(low, high), inside)

    @cached_property
    def _ranks(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The numbers of records below each group, and the numbers at or below each group."""
        upto = np.cumsum(self._groups[2])
        return upto - self._groups[2], upto

    @cached_property
    def _present_misses(self) -> NDArray[np.int64]:
        """The excess of each group's distance over the smallest distance, in parts, shape (G,)."""
        misses = self._misses(self.places.size, *self._ranks)
        return misses - misses.min()

    def _exponents(self, misses: NDArray[np.int64]) -> NDArray[np.float64]:
        share = exact_share(self.quantile)
        return np.asarray(misses * float(self.slope / share.denominator), dtype=np.float64)

    @cached_property
    def _present(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The exponent and the log probability of one point of each group, shape (G,)."""
        exponents = self._exponents(self._present_misses)
        return exponents, flip_probabilities(exponents, self._groups[1].astype(float))

    def draw(self, rng: np.random.Generator | None = None) -> float:
        """Draw the quantile without rounding."""
        starts, misses = self._groups[0], self._present_misses
        unit = self.slope * UNITS / exact_share(self.quantile).denominator
        top, bottom = unit.numerator, unit.denominator

        def exponent(points: NDArray[np.int64]) -> list[int]:
            groups = np.searchsorted(starts, points, side="right") - 1
            return [-(-top * each // bottom) for each in misses[groups].tolist()]

        place = permute_and_flip(exponent, self.grid.size, release_source(rng))
        return float(self.grid.numbers(np.array([place]))[0])

    @property
    def reach(self) -> float:
        """The 95 % bound on the error of the rank of the drawn quantile, as a share."""
        return choice_reach(self.grid.size) / float(self.slope) / self.places.size

    def error(self, target: float) -> float:
        """Return the expected distance of the drawn quantile from a number."""
        starts, size, _ = self._groups
        step, first = float(self.grid.step), self.grid.numbers(starts) - target
        left = np.clip(np.floor(-first / step) + 1, 0, size)  # the points below the number
        total = size * first + step * size * (size - 1.0) / 2.0
        below = left * first + step * left * (left - 1.0) / 2.0
        return float(np.exp(self._present[1]) @ (total - 2.0 * below))

    def losses(self) -> NDArray[np.float64]:
        """Return the loss of each record from this choice, shape (n,), in nats."""
        starts, size, records = self._groups
        n, (below, upto), (present, logs) = self.places.size - 1, self._ranks, self._present
        before, after, own = (  # of points before and after the record that leaves, and of its own
            self._misses(n, below - later, upto - sooner)
            for later, sooner in ((0, 0), (1, 1), (0, 1))
        )
        none_left = np.iinfo(np.int64).max
        least = np.minimum(own, np.append(none_left, np.minimum.accumulate(before)[:-1]))
        right = np.minimum.accumulate(after[::-1])[::-1]
        least = np.minimum(least, np.append(right[1:], none_left))  # without a record of the group
        occupied = records > 0
        nearest = np.min([before, after, own], axis=0) - least[occupied].max()
        near = np.minimum(present, self._exponents(nearest)) <= NEAR
        kept, stands = _kept(near, occupied)
        logs, numbers, left = logs[kept], size[kept].astype(float), np.flatnonzero(occupied[kept])
        nodes, weights = flip_nodes(self.grid.size)
        found, place = np.zeros(kept.size), np.arange(kept.size)
        none = np.zeros((1, nodes.size))
        for smallest in np.unique(least[kept[left]]):
            x, y, z = (
                self._exponents(np.maximum(each[kept] - smallest, 0))
                for each in (before, after, own)
            )
            first = np.cumsum(np.concatenate([none, rejections(x, numbers, nodes)]), axis=0)
            last = np.cumsum(np.concatenate([none, rejections(y, numbers, nodes)[::-1]]), axis=0)
            chances = [1.0 / (1.0 - np.exp(-each)[:, None] * nodes) for each in (x, y, z)]
            these = left[least[kept[left]] == smallest]
            for k in np.array_split(these, -(-these.size // _CHUNK)):
                alone = rejections(z[k], np.ones(k.size), nodes)
                measure = weights * np.exp(first[k] + last[kept.size - 1 - k] + alone)
                new = np.where(
                    place < k[:, None],
                    np.log(measure @ chances[0].T) - x,
                    np.log(measure @ chances[1].T) - y,
                )
                new[np.arange(k.size), k] = np.log((measure * chances[2][k]).sum(axis=1)) - z[k]
                found[k] = np.abs(new - logs).max(axis=1)
        return found[stands[np.searchsorted(starts, self.places)]]


def _kept(
    near: NDArray[np.bool_], occupied: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the groups that all losses need, and for each group the one that represents it.

    Groups far from the quantile are never chosen, and the log probabilities of all groups on one
    side of it change alike.  So three groups on each side are enough: the first, the last, and one
    occupied group between them, which has the same loss as the others between them.
    """
    start, end = np.flatnonzero(near)[[0, -1]] + np.array([0, 1])
    stands = np.arange(near.size)
    for first, last in ((0, start), (end, near.size)):
        inner = np.arange(first + 1, last - 1)
        stands[inner] = next((each for each in inner if occupied[each]), first)
    return np.unique(stands, return_inverse=True)
