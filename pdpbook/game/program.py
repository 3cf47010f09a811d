r"""The mixed-integer program of the exact optimum, with rows that are added when needed.

Its columns are the counts C[k, v] of the occupied bins, numbers z[k, v] in [0, 1] that are 1 if
some record of bin k plays v, the mass S(x), and heights t(x) that represent :math:`-\ln S(x)`.
Every profile satisfies

.. math::
   \sum_v C_{kv}=n_k,\qquad 0\le C_{kv}\le n_k z_{kv},\qquad S(x)=\sum_{kv} C_{kv}\,p_{kv}(x) .

All other constraints are infinitely many linear inequalities, of which only a few are needed:

* Tangents: :math:`t(x) \ge 1-\ln a-S(x)/a` for every a > 0, because -ln is convex.
* Privacy (the linear form, with sums for δ > 0): if z[k, v] = 1, then for every set X of
  outputs, :math:`\sum_{x\in X}(p_{kv}(x)-\tau S(x))\le\delta\,(n-1)\,e^{-\varepsilon}` and
  :math:`\sum_{x\in X}(\sigma S(x)-p_{kv}(x))\le\delta\,(n-1)`.  The hockey-stick divergence is the
  largest of these sums; for δ = 0, sets of one output suffice.
* The averaging cut: the mean of the privacy rows of a bin, weighted by C[k, v] / n_k.  This row
  does not contain z.

A row that a solution violates is added, and the program is solved again.  The optimum of a program
with missing rows is a lower bound.  The choice of the rows therefore affects the duration of the
search, but never the validity of the bound.
"""

from __future__ import annotations

import math
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from pdpbook.game.nvo_game import NVOGame, Outcome
from pdpbook.per_instance.privacy_loss import linear_limits

__all__ = ["Answer", "Program", "dual_bound"]

#: The bound of branch and bound is lowered by this fraction and by this amount, in the solver's
#: units, because the solver checks constraints and closes branches only within ``_TOLERANCE``.
MARGIN = (1e-6, 2e-8)
_TOLERANCE = 1e-9
#: The bound of a linear program, which follows from any dual values, is lowered only to cover
#: rounding errors, by this fraction of the sum of the absolute values of all terms.
_ROUNDING = 1e-13
#: Privacy constraints are relaxed by this fraction, so that no private profile is cut off.
_SLACK = 1e-9
#: A row is added if a solution violates it by more than this fraction.
_VIOLATED = 2.5e-9
#: An excess of less than this counts as 0, because its row could not be scaled.
_NOTHING = 1e-200
#: An output is wide if its typical mass is less than this fraction of its largest possible mass.
#: The solver's tolerances are too coarse for such a column of S, so privacy rows use the counts.
_WIDE = 1e-6
#: Points at which the first tangents touch -ln s, as multiples of the typical mass.
_FIRST = (0.5, 0.8, 1.0, 1.25, 2.0)
#: For delta = 0, outputs are split into this number of intervals, each with a row for its worst
#: output.  With one row in all, branch and bound must refute one absurd pattern after another.
_STRETCHES = 8
#: The solver drops coefficients below 1e-12.  If this could tighten a row, they are enlarged to
#: this size, which relaxes the program, so bounds remain valid.
_SMALL = 1e-11


class Answer(NamedTuple):
    """The answer of the solver: a lower bound in nats and, if there is one, a solution."""

    bound: float
    columns: NDArray[np.float64] | None


class _Columns(NamedTuple):
    """The positions of the columns: C and z by group, u and t by output."""

    counts: slice
    present: slice
    mass: slice
    heights: slice

    @classmethod
    def of(cls, groups: int, outputs: int, occupied: int) -> _Columns:
        """Return the columns for given numbers of groups, outputs and occupied bins."""
        ends = [0, *np.cumsum([groups, groups, outputs, occupied]).tolist()]
        return cls(*(slice(begin, end) for begin, end in pairwise(ends)))

    @property
    def whole(self) -> slice:
        """The columns C and z, which are whole numbers at a profile."""
        return slice(self.counts.start, self.present.stop)

    @property
    def width(self) -> int:
        """The number of all columns."""
        return int(self.heights.stop)


class Program:
    """The program of a game with the rows added so far.

    The columns are C and z, group by group, then u for every output and t for every occupied bin.
    The column u is the scaled deviation of the mass from a typical mass, ``S = reference
    (1 + u / scale)``, and t is the maximum of the tangents of ``-ln (1 + u / scale)``, scaled in
    the same way.  After scaling, the divergence is about 1, so that the solver's absolute
    tolerances are relatively small.  The arguments are a typical mass, shape (K,), and a typical
    divergence in nats.
    """

    def __init__(self, game: NVOGame, mass: NDArray[np.float64], divergence: float) -> None:
        tau, sigma = linear_limits(game.records, game.epsilon)
        # pragma: no mutate — the scale is a unit, which cancels
        self.game, self.scale = game, 1.0 / min(max(divergence, 1e-4), 1.0)
        self.tau, self.sigma = tau * (1.0 + _SLACK), max(sigma * (1.0 - _SLACK), 0.0)
        allowed = game.delta * (game.records - 1) * (1.0 + _SLACK)
        self.exceed, self.miss = allowed * math.exp(-game.epsilon), allowed
        self.occupied = np.flatnonzero(game.counts)
        counts = game.counts[self.occupied].astype(float)
        self.sizes = np.repeat(counts, game.actions)
        self.groups = self.sizes.size
        by_bin = game.kernel[:, self.occupied, :].transpose(1, 0, 2)
        self.rows = np.ascontiguousarray(by_bin.reshape(self.groups, game.bins))
        self.columns = _Columns.of(self.groups, game.bins, self.occupied.size)
        least, self.most = counts @ by_bin.min(axis=1), counts @ by_bin.max(axis=1)
        self.wide = mass < _WIDE * self.most
        reached = np.where(self.wide, self.most, mass)
        self.reference = np.where(self.most > 0.0, reached, 1.0)
        self.frequency = game.frequency[self.occupied]

        self.lower, self.upper = self._bounds(least)
        self.cost = np.zeros(self.columns.width)
        self.cost[self.columns.heights] = self.frequency
        typical = np.log(game.records * self.frequency / self.reference[self.occupied])
        self.offset = self.scale * float(self.frequency @ typical)
        self.matrix = sp.csr_array((0, self.columns.width))
        self.row_lower, self.row_upper = np.empty(0), np.empty(0)
        self._solver = _solver()
        empty = np.empty(0)
        self._solver.addCols(self.cost.size, self.cost, self.lower, self.upper, 0, [], [], empty)
        self._solver.changeObjectiveOffset(self.offset)
        self._write_profiles(counts)
        where = np.repeat(np.arange(self.occupied.size), len(_FIRST))
        self._write_tangents(where, np.tile(_FIRST, self.occupied.size))

    def _bounds(
        self, least: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the smallest and the largest value of each column, given the smallest mass.

        The mass of every profile is between ``least`` and ``self.most``.  A group whose row is too
        large for the largest mass, or too small for the smallest mass, is never private.
        """
        least_s = least / self.reference * (1.0 - _SLACK)
        most_s = self.most / self.reference * (1.0 + _SLACK) + _SMALL * self.game.records
        never = np.maximum(self.rows - self.tau * self.most, 0.0).sum(axis=1) > self.exceed
        never |= np.maximum(self.sigma * least - self.rows, 0.0).sum(axis=1) > self.miss
        lower, upper = np.zeros(self.columns.width), np.zeros(self.columns.width)
        upper[self.columns.present] = np.where(never, 0.0, 1.0)
        upper[self.columns.counts] = self.sizes * upper[self.columns.present]
        lower[self.columns.mass] = self.scale * (least_s - 1.0)
        upper[self.columns.mass] = self.scale * (most_s - 1.0)
        lower[self.columns.heights] = -self.scale * np.log(most_s[self.occupied])
        upper[self.columns.heights] = -self.scale * np.log(least_s[self.occupied])
        return lower, upper

    # --- rows ------------------------------------------------------------------------------

    def _append(self, rows: Any, lower: Any, upper: Any) -> None:
        """Add rows to the program and to the solver's copy of it."""
        rows = sp.csr_array(rows)
        lower = np.broadcast_to(lower, rows.shape[0])
        upper = np.broadcast_to(upper, rows.shape[0])
        self.matrix = sp.csr_array(sp.vstack([self.matrix, rows]))
        self.row_lower = np.concatenate([self.row_lower, lower])
        self.row_upper = np.concatenate([self.row_upper, upper])
        self._solver.addRows(
            rows.shape[0], lower, upper, rows.nnz, rows.indptr[:-1], rows.indices, rows.data
        )

    def _write_profiles(self, counts: NDArray[np.float64]) -> None:
        """Add the rows of a profile: one action per record, z marks groups, and S is the mass."""
        outputs = np.eye(self.game.bins)
        everyone = np.kron(np.eye(counts.size), np.ones(self.game.actions))
        self._append(self._rows(counts=everyone), counts, counts)
        here = self._rows(counts=np.eye(self.groups), present=-np.diag(self.sizes))
        self._append(here, -np.inf, 0.0)
        share = self.scale * (self.rows / self.reference).T
        self._append(self._rows(counts=_relaxed(-share), mass=outputs), -np.inf, -self.scale)
        if self.sigma > 0.0:
            self._append(self._rows(counts=-share, mass=outputs), -self.scale, np.inf)

    def _write_tangents(self, where: NDArray[np.int64], points: NDArray[np.float64]) -> None:
        """Add tangents of -ln s that touch at the given points, at occupied bins."""
        lines, columns = np.arange(where.size), self.columns
        rows = np.zeros((where.size, columns.width))
        rows[lines, columns.mass.start + self.occupied[where]] = 1.0 / points
        rows[lines, columns.heights.start + where] = 1.0
        self._append(rows, self.scale * (1.0 - np.log(points) - 1.0 / points), np.inf)

    def _write_privacy(
        self,
        sets: NDArray[np.bool_],
        where: slice,
        block: NDArray[np.float64],
        slope: float,
        right: Any,
        enough: Any,
    ) -> None:
        """Add ``block - slope * (sum of S over the set) <= right``, one row per set.

        The block of coefficients belongs to the columns ``where``, which are columns of C or z.  If
        the row cannot use a column of S, it uses the counts.  No coefficient then needs to exceed
        ``enough``: with it, a single record of the group satisfies the row in every profile.
        """
        written = self._written(slope)
        left = np.zeros((len(sets), self.columns.whole.stop))
        left[:, where] = block
        share = slope * ((sets & written) @ self.rows.T)
        left[:, self.columns.counts] -= np.minimum(share, np.reshape(enough, (-1, 1)))
        weight = (sets & ~written) * (slope * self.reference)
        largest = np.maximum(abs(left).max(axis=1), abs(weight).sum(axis=1))
        unit = largest[:, None] / self.scale
        mass = -weight / (self.scale * unit)
        bound = (right + weight.sum(axis=1)) / unit[:, 0]
        self._append(self._rows(whole=_relaxed(left / unit), mass=mass), -np.inf, bound)

    def _rows(self, **blocks: NDArray[Any]) -> sp.csr_array:
        """Return rows from blocks of coefficients in the columns of the given names."""
        rows = np.zeros((len(next(iter(blocks.values()))), self.columns.width))
        for name, block in blocks.items():
            rows[:, getattr(self.columns, name)] = block
        return sp.csr_array(rows)

    def _written(self, slope: float) -> NDArray[np.bool_]:
        """Return the outputs at which privacy rows of this slope use the counts in place of S."""
        small = abs(slope) * self.reference <= 100.0 * _SMALL * self.most
        return self.wide | small

    def refine(
        self, columns: NDArray[np.float64], tolerance: float, *, everybody: bool = False
    ) -> int:
        """Add the rows that a solution violates; return their number.

        If ``everybody``, add the rows that the solution would violate if every action were played
        in every bin.  Tangents are added if the present tangents are more than ``tolerance`` nats
        below the logarithm in total.
        """
        before = self.matrix.shape[0]
        c, z, u, t = (columns[each] for each in self.columns)
        s = np.maximum(1.0 + u / self.scale, 1e-300)
        z = np.ones_like(z) if everybody else z
        roof = self.frequency * (-np.log(s[self.occupied]) - t / self.scale)
        low = np.flatnonzero(roof > tolerance / self.occupied.size)
        if low.size:
            self._write_tangents(low, s[self.occupied[low]])
        written_out = np.maximum(c, 0.0) @ self.rows  # the solver may return -1e-10 records
        self._separate(c, z, np.where(self.wide, written_out, s * self.reference))
        return self.matrix.shape[0] - before

    def _separate(
        self, c: NDArray[np.float64], z: NDArray[np.float64], mass: NDArray[np.float64]
    ) -> None:
        """Add the privacy rows, of groups and of averages, that (C, z, S) violates most."""
        game, share = self.game, c / self.sizes
        by_bin = (self.occupied.size, game.actions, game.bins)
        mean = (share[:, None] * self.rows).reshape(by_bin).sum(axis=1)
        here = np.arange(self.groups)
        sides = [(self.tau, self.exceed, 1.0)] + [(-self.sigma, self.miss, -1.0)] * (self.sigma > 0)
        for slope, allowed, sign in sides:
            least = (1.0 - sign) / 2.0 * self.sigma * self.most  # the slack of an absent group
            excess = z[:, None] * (sign * self.rows + least) - least - slope * mass
            line, sets = self._violated(excess, self.rows, mass, allowed * z, slope)
            coefficients = (sets * (sign * self.rows[line] + least)).sum(axis=1) - allowed
            present = np.where(here == line[:, None], coefficients[:, None], 0.0)
            if line.size:
                right = (sets * least).sum(axis=1)
                enough = coefficients if sign > 0.0 else math.inf
                where = self.columns.present
                self._write_privacy(sets, where, present, slope, right, enough)
            excess = sign * mean - slope * mass
            line, sets = self._violated(excess, mean, mass, allowed, slope)
            weights = sign * (sets @ self.rows.T) / self.sizes
            average = np.where(here // game.actions == line[:, None], weights, 0.0)
            if line.size:
                largest = (average * self.sizes).max(axis=1) - allowed
                enough = largest if sign > 0.0 else math.inf
                where = self.columns.counts
                self._write_privacy(sets, where, average, slope, allowed, enough)

    def _violated(
        self,
        excess: NDArray[np.float64],
        rows: NDArray[np.float64],
        mass: NDArray[np.float64],
        allowed: Any,
        slope: float,
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Return the lines that exceed their limits, with their sets of outputs.

        For delta = 0, a line is returned for each of a few intervals of outputs in which it exceeds
        its limit, with the worst output of the interval.
        """
        typical = np.where(self._written(slope), mass, self.reference)
        unit = np.maximum(rows, abs(slope) * typical)
        if self.game.delta > 0.0:
            sets = excess > 0.0
            beyond = (sets * excess).sum(axis=1) - allowed
            least = _VIOLATED * (sets * unit).sum(axis=1) + _NOTHING
            line = np.flatnonzero(self.scale * beyond > least)
            return line, sets[line]
        ratio = np.where(self.scale * excess > _VIOLATED * unit + _NOTHING, excess, 0.0)
        ratio /= np.maximum(abs(slope) * mass, 1e-300)
        lines, outputs = [], []
        for stretch in np.array_split(np.arange(self.game.bins), min(_STRETCHES, self.game.bins)):
            worst = stretch[ratio[:, stretch].argmax(axis=1)]
            line = np.flatnonzero(ratio[np.arange(worst.size), worst] > 0.0)
            lines.append(line)
            outputs.append(worst[line])
        sets = np.arange(self.game.bins) == np.concatenate(outputs)[:, None]
        return np.concatenate(lines), sets

    # --- solutions -------------------------------------------------------------------------

    def columns_of(self, profile: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the columns of a profile."""
        counts = profile[self.occupied].ravel()
        s = Outcome(self.game, profile).mass / self.reference
        u, t = self.scale * (s - 1.0), -self.scale * np.log(s[self.occupied])
        return np.concatenate([counts, counts > 0, u, t])

    def profile_of(self, columns: NDArray[np.float64]) -> NDArray[np.int64] | None:
        """Return the profile of the rounded counts; None if they are not a profile."""
        profile = np.zeros((self.game.bins, self.game.actions), dtype=np.int64)
        rounded = np.rint(columns[self.columns.counts]).astype(np.int64)
        profile[self.occupied] = rounded.reshape(-1, self.game.actions)
        if (profile < 0).any() or (profile.sum(axis=1) != self.game.counts).any():
            return None
        return profile

    def solve(
        self,
        *,
        integer: bool = False,
        gap: float = 0.0,
        seconds: float = math.inf,
        start: NDArray[np.int64] | None = None,
        pattern: NDArray[np.bool_] | None = None,
    ) -> Answer:
        """Solve the program with its present rows; if ``integer``, C and z are whole numbers.

        Branch and bound starts from ``start``, a profile at which all records are private, and may
        stop at the relative ``gap``.  A ``pattern``, shape (2 V times the occupied bins,), marks
        the columns of C and z that may differ from 0; the bound is then valid for such profiles.
        """
        import highspy

        whole, solver = self.columns.whole.stop, self._solver
        upper = self.upper[:whole] if pattern is None else self.upper[:whole] * pattern
        kind = highspy.HighsVarType.kInteger if integer else highspy.HighsVarType.kContinuous
        for column in range(whole):
            solver.changeColIntegrality(column, kind)
            solver.changeColBounds(column, 0.0, upper[column])
        solver.setOptionValue("mip_rel_gap", gap)
        solver.setOptionValue("time_limit", solver.getRunTime() + seconds)
        if integer and start is not None:
            solution = highspy.HighsSolution()
            solution.col_value = list(self.columns_of(start))
            solver.setSolution(solution)
        solver.run()
        optimal = highspy.HighsModelStatus.kOptimal
        if not integer and solver.getModelStatus() != optimal:
            solver.clearSolver()  # the old basis may be the cause
            solver.run()
        unknown = math.isinf(solver.getInfo().mip_dual_bound)
        if integer and solver.getModelStatus() == optimal and unknown:
            solver.setOptionValue("presolve", "off")  # presolve may lose the bound
            solver.run()
            solver.setOptionValue("presolve", "choose")

        status, information = solver.getModelStatus(), solver.getInfo()
        if status in (
            highspy.HighsModelStatus.kInfeasible,
            highspy.HighsModelStatus.kUnboundedOrInfeasible,  # every column has finite bounds
        ):
            return Answer(math.inf, None)
        answer = solver.getSolution()
        columns = np.array(answer.col_value) if answer.value_valid else None
        if not integer:
            if status != optimal:
                return Answer(-math.inf, None)
            prices = np.array(answer.row_dual)
            limits = self.row_lower, self.row_upper, self.lower, self.upper
            if pattern is not None:
                limits = *limits[:3], np.concatenate([upper, self.upper[whole:]])
            bound = dual_bound(self.cost, self.matrix, *limits, prices)
            return Answer((bound + self.offset) / self.scale, columns)
        if status not in (optimal, highspy.HighsModelStatus.kTimeLimit):
            return Answer(-math.inf, None)
        bound = information.mip_dual_bound
        return Answer((bound - MARGIN[0] * abs(bound) - MARGIN[1]) / self.scale, columns)


def dual_bound(
    cost: NDArray[np.float64],
    matrix: sp.csr_array,
    row_lower: NDArray[np.float64],
    row_upper: NDArray[np.float64],
    lower: NDArray[np.float64],
    upper: NDArray[np.float64],
    prices: NDArray[np.float64],
) -> float:
    """Return the lower bound that any dual values (prices) of the rows prove by weak duality.

    Every point satisfies ``cost x >= prices (A x) + (cost - prices A) x``, and each term on the
    right is at least its smallest value within the bounds of the row or column.
    """
    side = np.where(prices > 0.0, row_lower, row_upper)
    prices = np.where(np.isfinite(side), prices, 0.0)
    rows = prices * np.where(np.isfinite(side), side, 0.0)
    reduced = cost - matrix.T @ prices
    columns = reduced * np.where(reduced > 0.0, lower, upper)
    size = np.maximum(np.abs(lower), np.abs(upper))
    added_up = np.abs(rows).sum() + (np.abs(cost) + abs(matrix).T @ np.abs(prices)) @ size
    return float(rows.sum() + columns.sum() - _ROUNDING * (1.0 + added_up))


def _relaxed(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the coefficients of an upper-bounded row, enlarging small negative coefficients.

    Their columns are never negative, so this can only relax the row.
    """
    return np.where((values < 0.0) & (values > -_SMALL), -_SMALL, values)


@cache
def _silent_highs() -> Any:
    """Return a class of HiGHS whose constructor prints nothing.

    Since version 1.16, the first solver of a process prints two lines when its constructor
    enables callbacks, before a caller can set an option.
    """
    import highspy

    class SilentHighs(highspy.Highs):
        def enableCallbacks(self) -> None:
            self.setOptionValue("output_flag", False)
            super().enableCallbacks()

    return SilentHighs


def _solver() -> Any:
    """Return a silent and reproducible HiGHS with the smallest tolerances that it allows."""
    solver = _silent_highs()()
    for option, value in (
        ("threads", 1),
        ("mip_abs_gap", 0.0),
        ("mip_feasibility_tolerance", _TOLERANCE),
        ("primal_feasibility_tolerance", _TOLERANCE),
        ("dual_feasibility_tolerance", _TOLERANCE),
        ("small_matrix_value", _SMALL / 10),
    ):
        solver.setOptionValue(option, value)
    return solver
