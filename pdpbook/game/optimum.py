r"""How good is an equilibrium?  The optimum, with a certificate.

By Lemma 1 privacy is linear in the mass S, and KL is convex in it.  So the best private profile
solves a mixed-integer convex program over the counts C[k, v] and binaries z[k, v] for "some record
of bin k plays v":

.. math::
   \min \sum_x q(x)\ln\frac{q(x)}{S(x)/n} \quad\text{s.t.}\quad
   \sum_v C_{kv}=n_k,\; 0\le C_{kv}\le n_k z_{kv},\; S=\sum_{kv} C_{kv}p_{kv},\;
   \sigma S \le p_{kv} \le \tau S \text{ wherever } z_{kv}=1 .

Three observations make it easy for a solver.

* :math:`-\ln S(x)` is convex, so its tangents lie below it.  With tangents in its place the program
  is linear, and its optimum is a *lower* bound; tangents are added at each solution found.
* If every action that a bin uses satisfies :math:`p_{kv}\le\tau S`, so does their average:
  :math:`\sum_v (C_{kv}/n_k)\,p_{kv}\le\tau S`.  This cut needs no binaries and closes most of the
  gap of the linear relaxation.
* :math:`S(x)` is never below :math:`\sum_k n_k\min_v p_{kv}(x)`; constraints that follow from this
  are left out.

HiGHS solves the program.  What it returns is trusted as little as possible: the profile is rounded,
its KL and its privacy are computed anew from the definition, and the lower bound is reduced by a
margin for the solver's tolerances.  Its word is taken when it finds that there is no private
profile, unless one is in hand.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from pdpbook import _validate
from pdpbook.game.best_response import best_response_dynamics, coordinated_best_response
from pdpbook.game.nvo_game import NVOGame
from pdpbook.per_instance.privacy_loss import linear_limits

__all__ = ["Certificate", "certified_optimum"]

#: Branch and bound: its bound is lowered by this fraction of itself and by this many nats again,
#: because the solver takes constraints as met, and branches as hopeless, within 1e-9.
_MARGIN = (1e-6, 2e-8)
#: Linear program: its bound follows from any dual values, so it is lowered for rounding only, by
#: this fraction of everything that is added up.
_ROUNDING = 1e-13
#: A divergence this close above its bound is as good as optimal.
_NEGLIGIBLE = 1e-7
#: Tangents that lie below -ln s by less than this, weighted and summed, are close enough.
_TANGENT = 1e-9
#: Mass coefficients below this are rounded up to it: that relaxes the program, so bounds stay true.
_SMALL = 1e-11
#: Privacy constraints are relaxed by this fraction, so that no private profile is cut off.
_SLACK = 1e-9


@dataclass(frozen=True, eq=False)
class Certificate:
    """A private profile and a proof of how good it is.

    Attributes
    ----------
    profile : ndarray of int, shape (K, V), or None
        The best profile found at which every record is private; None if none was found.
    divergence : float
        Its KL, computed outside the solver; infinite without a profile.
    lower_bound : float
        No profile at which every record is private has a smaller KL.  Infinite if the solver
        proved that there is no such profile.
    gap : float
        (divergence - lower_bound) / divergence.  0 if the difference is at most 1e-7 nats, or if
        it is proved that there is no private profile; 1 if neither a profile nor such a proof was
        found.
    optimal : bool
        Whether the search is finished: the gap that was asked for has been reached, or it is
        proved that there is no private profile.
    seconds : float
        Time taken.
    """

    profile: NDArray[np.int64] | None
    divergence: float
    lower_bound: float
    gap: float
    optimal: bool
    seconds: float


@dataclass(frozen=True, eq=False)
class _Program:
    """The linear part of the program; its columns are C, z, s = S / reference and t >= -ln s."""

    game: NVOGame
    occupied: NDArray[np.int64]
    reference: NDArray[np.float64]
    matrix: sp.csr_array
    row_lower: NDArray[np.float64]
    row_upper: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]

    @property
    def groups(self) -> int:
        """Number of columns of C, and of z: occupied bins times actions."""
        return self.occupied.size * self.game.actions

    @property
    def seen(self) -> NDArray[np.int64]:
        """Columns of s at the outputs that the data occupy."""
        return 2 * self.groups + self.occupied

    def mass_of(self, profile: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return s of a profile at the outputs that the data occupy."""
        return (self.game.mass(profile) / self.reference)[self.occupied]

    def profile_of(self, columns: NDArray[np.float64]) -> NDArray[np.int64] | None:
        """Return the equilibrium that best responses reach from a solution, if it is private."""
        game = self.game
        profile = np.zeros((game.bins, game.actions), dtype=np.int64)
        rounded = np.rint(columns[: self.groups]).astype(np.int64)
        profile[self.occupied] = rounded.reshape(-1, game.actions)
        if (profile < 0).any() or (profile.sum(axis=1) != game.counts).any():
            return None
        result = best_response_dynamics(game, profile)
        return result.profile if result.private_records[-1] == game.records else None


class _Answer(NamedTuple):
    """What the solver says: a lower bound and, if it has one, a solution."""

    bound: float
    columns: NDArray[np.float64] | None


def certified_optimum(
    game: NVOGame,
    *,
    start: ArrayLike | None = None,
    relative_gap: float = 0.01,
    time_limit: float = 60.0,
) -> Certificate:
    r"""Find the private profile of smallest KL, and prove how good it is.

    Parameters
    ----------
    game : NVOGame
        The game, with ``delta=0``: Lemma 1 is about ε-pDP.
    start : array_like of int, shape (K, V), optional
        A good profile to start from.  Without it, coordinated best responses provide one.
    relative_gap : float
        Stop when (divergence - lower bound) / divergence is at most this, in [0, 1), or the
        difference is below 1e-7 nats.
    time_limit : float
        Stop after this many seconds with the best profile and the best bound so far; the
        coordinated best responses of the start count but are not cut short.  What a time limit
        stops is not repeatable; what the gap stops is.

    Returns
    -------
    Certificate

    Raises
    ------
    ValueError, TypeError
        If ``delta`` is not 0 or an argument is out of range.

    Notes
    -----
    Source: this book; Ryu, Jang & Yang (2024) call the constraint non-differentiable and do not
    solve problem (5) exactly.  Taught in *The exact optimum*.

    Examples
    --------
    >>> from pdpbook import NVOGame, laplace_kernel
    >>> game = NVOGame([40, 30, 1], laplace_kernel(3, [0.05, 0.3]), epsilon=1.0)
    >>> proof = certified_optimum(game, relative_gap=1e-4)
    >>> proof.optimal, game.private_records(proof.profile) == game.records
    (True, True)
    """
    if game.delta > 0.0:
        raise ValueError(
            f"certified_optimum covers pure pDP only: delta must be 0, got delta={game.delta!r}"
        )
    relative_gap = _validate.fraction("relative_gap", relative_gap)
    time_limit = _validate.number("time_limit", time_limit, above=0.0)
    began = time.perf_counter()
    if start is None:
        start = coordinated_best_response(game).profile
    first = _validate.profile_matrix("start", start, counts=game.counts, actions=game.actions)

    best = first if game.private_records(first) == game.records else None
    divergence = math.inf if best is None else game.divergence(best)
    program = _program(game, game.mass(first))
    tangents = _first_tangents(program)
    bound, integer = 0.0, False
    while not _settled(divergence, bound, relative_gap):
        remaining = time_limit - (time.perf_counter() - began)
        if remaining <= 0.0:
            break
        answer = _solve(
            program, tangents, integer=integer, start=best, gap=relative_gap, seconds=remaining
        )
        if answer.bound > divergence:
            break  # it contradicts a profile in hand, so it is not believed
        previous, bound = bound, max(bound, answer.bound)
        if answer.columns is None:
            break
        points = [answer.columns[program.seen]]
        found = program.profile_of(answer.columns) if integer else None
        if found is not None:
            points.append(program.mass_of(found))
            if game.divergence(found) < divergence:
                best, divergence = found, game.divergence(found)
        added = _tangents_at(program, tangents, points)
        if integer and not added.size:
            break  # the solver's optimum is not a private profile after rounding
        # without integers until more tangents hardly help any more
        integer = integer or not added.size or bound - previous <= 0.1 * relative_gap * bound
        tangents = np.vstack([tangents, added])
    if math.isinf(divergence):
        gap = 0.0 if math.isinf(bound) else 1.0
    else:
        gap = 1.0 - bound / divergence if divergence - bound > _NEGLIGIBLE else 0.0
    settled = _settled(divergence, bound, relative_gap)
    return Certificate(best, divergence, bound, gap, settled, time.perf_counter() - began)


def _settled(divergence: float, bound: float, relative_gap: float) -> bool:
    """Whether the search is over; without a profile it is once there is proved to be none."""
    if math.isinf(divergence):
        return math.isinf(bound)
    return divergence - bound <= max(relative_gap * divergence, _NEGLIGIBLE)


def _program(game: NVOGame, mass: NDArray[np.float64]) -> _Program:
    """Assemble the constraints; ``mass`` is a typical S, by which the columns s are scaled."""
    tau, sigma = linear_limits(game.records, game.epsilon)
    tau, sigma = tau * (1.0 + _SLACK), sigma * (1.0 - _SLACK)
    occupied = np.flatnonzero(game.counts)
    counts = game.counts[occupied].astype(float)
    sizes = np.repeat(counts, game.actions)
    groups, outputs = sizes.size, game.bins
    by_bin = game.kernel[:, occupied, :].transpose(1, 0, 2)
    rows = by_bin.reshape(groups, outputs)
    least, most = counts @ by_bin.min(axis=1), counts @ by_bin.max(axis=1)
    reference = np.where(most > 0.0, np.maximum(mass, 1e-9 * most), 1.0)
    share = rows / reference
    if sigma <= 0.0:
        share = np.where(share > 0.0, np.maximum(share, _SMALL), 0.0)
    everyone = sp.kron(sp.eye_array(occupied.size), np.ones((1, game.actions)))

    # each line: coefficients of C, z and s, then the least and the largest value of the row
    constraints: list[tuple[Any, Any, Any, Any, Any]] = [
        (everyone, None, None, counts, counts),
        (sp.eye_array(groups), sp.diags_array(-sizes), None, -np.inf, np.zeros(groups)),
        (
            sp.csr_array(-share.T),
            None,
            sp.eye_array(outputs),
            0.0 if sigma > 0.0 else -np.inf,
            np.zeros(outputs),
        ),
    ]
    group, x = np.nonzero(rows > tau * least)  # p z <= tau S, where it can bind at all
    level = rows[group, x] / (tau * reference[x])
    unit = np.maximum(level, 1.0)
    present = _one_a_row(group, level / unit, groups)
    constraints.append((None, present, _one_a_row(x, -1.0 / unit, outputs), -np.inf, 0.0 * unit))

    bin_, x = np.nonzero(by_bin.max(axis=1) > tau * least)  # the average of those, without z
    mean = by_bin[bin_, :, x] / (counts[bin_] * tau * reference[x])[:, None]
    member = bin_[:, None] * game.actions + np.arange(game.actions)
    line = np.repeat(np.arange(bin_.size), game.actions)
    cut = sp.csr_array((mean.ravel(), (line, member.ravel())), shape=(bin_.size, groups))
    constraints.append((cut, None, _one_a_row(x, -np.ones(x.size), outputs), -np.inf, 0.0 * x))

    if sigma > 0.0:
        group, x = np.nonzero(rows < sigma * most)  # sigma S <= p, where z = 1
        level, top = rows[group, x] / (sigma * reference[x]), most[x] / reference[x]
        present = _one_a_row(group, top - level, groups)
        constraints.append((None, present, _one_a_row(x, np.ones(x.size), outputs), -np.inf, top))

    upper = [np.asarray(constraint[4], dtype=float) for constraint in constraints]
    lower = [np.broadcast_to(c[3], u.shape) for c, u in zip(constraints, upper, strict=True)]
    possible = np.where((rows > tau * most).any(axis=1), 0.0, 1.0)
    largest = most / reference * (1.0 + _SLACK) + _SMALL * groups
    return _Program(
        game,
        occupied,
        reference,
        sp.csr_array(sp.block_array([constraint[:3] for constraint in constraints])),
        np.concatenate(lower),
        np.concatenate(upper),
        np.concatenate([np.zeros(2 * groups), least / reference * (1.0 - _SLACK)]),
        np.concatenate([sizes * possible, possible, largest]),
    )


def _one_a_row(columns: NDArray[np.int64], values: NDArray[np.float64], width: int) -> sp.csr_array:
    """Return a matrix with one entry a row."""
    return sp.csr_array((values, (np.arange(columns.size), columns)), shape=(columns.size, width))


def _first_tangents(program: _Program) -> NDArray[np.float64]:
    """Return tangents (output, point) of -ln s around the reference, where s = 1."""
    points = np.array([0.5, 0.8, 1.0, 1.25, 2.0])
    outputs = np.arange(program.occupied.size)
    return np.column_stack([np.repeat(outputs, points.size), np.tile(points, outputs.size)])


def _tangents_at(
    program: _Program, tangents: NDArray[np.float64], masses: list[NDArray[np.float64]]
) -> NDArray[np.float64]:
    """Return tangents at the given s wherever the present ones lie noticeably below -ln s."""
    added = []
    frequency = program.game.frequency[program.occupied]
    output = tangents[:, 0].astype(int)
    for mass in masses:
        heights = 1.0 - np.log(tangents[:, 1]) - mass[output] / tangents[:, 1]
        roof = np.full(mass.size, -np.inf)
        np.maximum.at(roof, output, heights)
        low = np.flatnonzero(frequency * (-np.log(mass) - roof) > _TANGENT / mass.size)
        added.append(np.column_stack([low, mass[low]]))
    return np.vstack(added)


def _solve(
    program: _Program,
    tangents: NDArray[np.float64],
    *,
    integer: bool,
    start: NDArray[np.int64] | None,
    gap: float,
    seconds: float,
) -> _Answer:
    """Solve the program with tangents in place of -ln s, with or without integrality."""
    import highspy

    game, groups = program.game, program.groups
    frequency = game.frequency[program.occupied]
    output, point = tangents[:, 0].astype(int), tangents[:, 1]
    above = sp.hstack(
        [
            sp.csr_array((point.size, 2 * groups)),
            _one_a_row(program.occupied[output], 1.0 / point, game.bins),
            _one_a_row(output, np.ones(point.size), output.max() + 1),
        ]
    )
    empty = sp.csr_array((program.matrix.shape[0], output.max() + 1))
    matrix = sp.csc_array(sp.vstack([sp.hstack([program.matrix, empty]), above]))
    most, least = -np.log(program.lower[program.seen]), -np.log(program.upper[program.seen])

    model = highspy.HighsLp()
    model.num_row_, model.num_col_ = matrix.shape
    model.col_cost_ = np.concatenate([np.zeros(program.matrix.shape[1]), frequency])
    typical = np.log(game.records * frequency / program.reference[program.occupied])
    model.offset_ = float(frequency @ typical)
    model.col_lower_ = np.concatenate([program.lower, least])
    model.col_upper_ = np.concatenate([program.upper, most])
    model.row_lower_ = np.concatenate([program.row_lower, 1.0 - np.log(point)])
    model.row_upper_ = np.concatenate([program.row_upper, np.full(point.size, np.inf)])
    model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    model.a_matrix_.start_, model.a_matrix_.index_ = matrix.indptr, matrix.indices
    model.a_matrix_.value_ = matrix.data
    if integer:
        kinds = np.repeat(
            [highspy.HighsVarType.kInteger, highspy.HighsVarType.kContinuous],
            [2 * groups, matrix.shape[1] - 2 * groups],
        )
        model.integrality_ = list(kinds)

    solver = highspy.Highs()
    for option, value in (
        ("output_flag", False),
        ("threads", 1),
        ("time_limit", seconds),
        ("mip_rel_gap", gap / 4),
        ("mip_abs_gap", _NEGLIGIBLE / 4),
        ("mip_feasibility_tolerance", 1e-9),
        ("small_matrix_value", _SMALL / 10),
        ("primal_feasibility_tolerance", 1e-9),
        ("dual_feasibility_tolerance", 1e-9),
    ):
        solver.setOptionValue(option, value)
    solver.passModel(model)
    if integer and start is not None:
        counts = start[program.occupied].ravel()
        solution = highspy.HighsSolution()
        mass = game.mass(start) / program.reference
        roof = np.full(output.max() + 1, -np.inf)
        np.maximum.at(roof, output, 1.0 - np.log(point) - mass[program.occupied][output] / point)
        solution.col_value = list(np.concatenate([counts, counts > 0, mass, roof]))
        solver.setSolution(solution)
    solver.run()

    status, info = solver.getModelStatus(), solver.getInfo()
    if status in (
        highspy.HighsModelStatus.kInfeasible,
        highspy.HighsModelStatus.kUnboundedOrInfeasible,  # every column has finite bounds
    ):
        return _Answer(math.inf, None)
    answer = solver.getSolution()
    columns = np.array(answer.col_value) if answer.value_valid else None
    if not integer:
        if status != highspy.HighsModelStatus.kOptimal:
            return _Answer(-math.inf, None)
        return _Answer(_dual_bound(model, matrix, np.array(answer.row_dual)), columns)
    if status not in (highspy.HighsModelStatus.kOptimal, highspy.HighsModelStatus.kTimeLimit):
        return _Answer(-math.inf, None)
    bound = info.mip_dual_bound
    return _Answer(bound - _MARGIN[0] * abs(bound) - _MARGIN[1], columns)


def _dual_bound(model: Any, matrix: sp.csc_array, prices: NDArray[np.float64]) -> float:
    """Return the bound that the prices of the rows prove, whatever they are: weak duality.

    Every point obeys ``cost x >= prices (A x) + (cost - prices A) x``; each term on the right is
    at least its smallest value within the row's or the column's bounds.
    """
    row_lower, row_upper = np.array(model.row_lower_), np.array(model.row_upper_)
    lower, upper = np.array(model.col_lower_), np.array(model.col_upper_)
    cost = np.array(model.col_cost_)
    side = np.where(prices > 0.0, row_lower, row_upper)
    prices = np.where(np.isfinite(side), prices, 0.0)
    rows = prices * np.where(np.isfinite(side), side, 0.0)
    reduced = cost - matrix.T @ prices
    columns = reduced * np.where(reduced > 0.0, lower, upper)
    size = np.maximum(np.abs(lower), np.abs(upper))
    added_up = np.abs(rows).sum() + (np.abs(cost) + abs(matrix).T @ np.abs(prices)) @ size
    return float(model.offset_ + rows.sum() + columns.sum() - _ROUNDING * (1.0 + added_up))
