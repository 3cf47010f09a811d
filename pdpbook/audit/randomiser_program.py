r"""The linear program behind a safe randomiser.

For each output x the objective :math:`\sum_x\E\bigl[-c_x\ln(c_xp_x(x)+o_x)\bigr]` is a convex
function of two numbers that are linear in the rows: the probability :math:`p_x(x)` that a record of
bin x is released as itself, and the mass :math:`o_x` that the other bins are expected to put on x.
Tangents bound the objective from below, so the optimum of a program with finitely many tangents is
a lower bound, as in :mod:`pdpbook.game.program`.  A row is a mixture of the rows that
:func:`action_rows` lists, and the safety condition of :mod:`pdpbook.audit.safe_randomisers` is
linear in the weights of the mixture.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from pdpbook.audit.count_posterior import CountPosterior
from pdpbook.per_instance.noise_kernels import laplace_kernel

__all__ = ["ACTIONS", "RandomiserProgram", "action_rows"]

ACTIONS = ("laplace", "blur", "rows")
#: Laplace scales of "laplace", in bins; a uniform row comes with them.
SCALES_IN_BINS = (0.05, 0.5, 2.0, 8.0, 32.0)
_STARTS = (0.0, 0.05, 0.3, 0.9)  #: shares moved, where the first tangents touch


def action_rows(actions: str, bins: int, estimate: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what a row may be a mixture of, shape (V, K, K).

    Parameters
    ----------
    actions : {"rows", "blur", "laplace"}
        As for :func:`~pdpbook.audit.safe_randomisers.safe_randomiser`.
    bins : int
        Number of bins K.
    estimate : ndarray, shape (K,)
        The estimated distribution, an action of "blur".

    Returns
    -------
    ndarray, shape (V, K, K)
        Entry (v, k, x): probability that a record of bin k with action v is released as x.

    Examples
    --------
    >>> action_rows("blur", 2, np.array([0.9, 0.1])).tolist()
    [[[1.0, 0.0], [0.0, 1.0]], [[0.5, 0.5], [0.5, 0.5]], [[0.9, 0.1], [0.9, 0.1]]]
    """
    uniform = np.full((1, bins, bins), 1.0 / bins)
    if actions == "rows":
        return np.repeat(np.eye(bins)[:, None, :], bins, axis=1)
    if actions == "blur":
        return np.concatenate([np.eye(bins)[None], uniform, np.tile(estimate, (1, bins, 1))])
    return np.concatenate([laplace_kernel(bins, np.array(SCALES_IN_BINS) / bins), uniform])


class RandomiserProgram:
    """The linear program with the tangents that it has so far.

    Its columns are the weights w[k, v] of the actions, then for every output x: the mass of the
    lower bound, what comes from other bins, the smallest entry of the column, and the height of
    the variable that the tangents bound from below.  The objective is in units of what a constant
    row is worth, so that the solver's absolute tolerances are small beside it.

    Parameters
    ----------
    posterior, lower, epsilon, actions, at_least
        As for :func:`~pdpbook.audit.safe_randomisers.best_safe_randomiser`.

    Examples
    --------
    >>> known = CountPosterior(np.array([[30.0, 50.0], [50.0, 70.0]]), np.full((2, 2), 0.5))
    >>> program = RandomiserProgram(known, np.array([30, 50]), 1.0, "rows", 0)
    >>> round(program.value(np.array([[0.4, 0.6], [0.4, 0.6]])), 3)
    1.0
    """

    def __init__(
        self,
        posterior: CountPosterior,
        lower: NDArray[np.int64],
        epsilon: float,
        actions: str,
        at_least: int,
    ) -> None:
        import highspy

        self.posterior, self.bins = posterior, lower.size
        bins, mean = lower.size, posterior.mean
        self.total = max(float(mean.sum()), 1e-300)
        self.kernel = action_rows(actions, bins, posterior.distribution)
        count = self.kernel.shape[0]
        self.width = bins * count
        self.columns = self.width + 4 * bins
        v, k, x = np.nonzero(self.kernel > 1e-12)
        self.rows = sp.csr_array(  # row (k, x): the probability p_k(x)
            (self.kernel[v, k, x], (k * bins + x, k * count + v)), shape=(bins * bins, self.width)
        )
        self.diagonal = self.rows[np.arange(bins) * (bins + 1)]
        self.mass, self.others, self.least, self.roof = (
            self.width + bins * j + np.arange(bins) for j in range(4)
        )
        value = float(self._values(np.tile(posterior.distribution, (bins, 1)))[0].sum())
        self.ideal = float(_expected(posterior.weights * posterior.values, posterior.values).sum())
        self.unit = max(value - self.ideal, 1e-9 * self.total)
        self.solver = highspy.Highs()
        for option, setting in (
            ("output_flag", False),
            ("threads", 1),
            ("primal_feasibility_tolerance", 1e-9),
            ("dual_feasibility_tolerance", 1e-9),
        ):
            self.solver.setOptionValue(option, setting)
        low, high = np.zeros(self.columns), np.full(self.columns, np.inf)
        low[self.roof] = -1e3
        cost = np.zeros(self.columns)
        cost[self.roof] = 1.0
        self.solver.addCols(self.columns, cost, low, high, 0, [], [], np.empty(0))
        self._write_rows(lower, mean)
        self._write_condition(lower, -math.expm1(-epsilon), at_least)
        for moved_share in _STARTS:
            stay = np.full(bins, 1.0 - moved_share)
            self._tangents(stay, moved_share * posterior.distribution + 1e-6)

    def _write_rows(self, lower: NDArray[np.int64], mean: NDArray[np.float64]) -> None:
        """Weights sum to 1; what the lower bound and the others put on each output."""
        bins = self.bins
        own, place = np.divmod(np.arange(bins * bins), bins)
        sums = np.kron(np.eye(bins), np.ones(self.kernel.shape[0]))
        self._add(_widened(sums, self.columns), 1.0, 1.0)
        size = float(lower.sum())
        to_output = sp.csr_array((np.ones(own.size), (place, np.arange(own.size))))
        if size > 0.0:
            weight = sp.diags_array(np.repeat(lower / size, bins)) @ self.rows
            self._add(self._minus(to_output @ weight, self.mass, 1.0), 0.0, 0.0)
        away = np.where(own == place, 0.0, np.repeat(mean / self.total, bins))
        moved = to_output @ (sp.diags_array(away) @ self.rows)
        self._add(self._minus(moved, self.others, 1.0), 0.0, 0.0)

    def _write_condition(self, lower: NDArray[np.int64], share: float, at_least: int) -> None:
        """p_k <= share (size mass + [empty] p_k + more least), over its largest coefficient."""
        bins = self.bins
        place = np.tile(np.arange(bins), bins)
        size, empty = float(lower.sum()), lower == 0
        per = share / np.where(empty, 1.0 - share, 1.0)
        on_mass = np.repeat(per * size, bins)
        more = np.repeat(per * np.maximum(at_least - (size + empty), 0.0), bins)
        largest = np.maximum(np.maximum(on_mass, more), 1.0)
        scaled = sp.diags_array(1.0 / largest) @ self.rows
        caps = self._minus(scaled, self.mass[place], on_mass / largest)
        if more.any():
            least = (more / largest, (np.arange(place.size), self.least[place]))
            caps = caps - sp.csr_array(least, shape=caps.shape)
            self._add(self._minus(self.rows, self.least[place], 1.0), 0.0, np.inf)
        self._add(caps, -np.inf, 0.0)

    def _minus(self, block: Any, where: NDArray[np.int64], factor: Any) -> Any:
        """Rows on the weights, minus a factor times other columns."""
        shape = (where.size, self.columns)
        factors = np.broadcast_to(factor, where.size)
        return _widened(block, self.columns) - sp.csr_array(
            (factors, (np.arange(where.size), where)), shape=shape
        )

    def _add(self, rows: Any, low: float | NDArray[Any], high: float | NDArray[Any]) -> None:
        lower = np.broadcast_to(low, rows.shape[0])
        upper = np.broadcast_to(high, rows.shape[0])
        self.solver.addRows(
            rows.shape[0], lower, upper, rows.nnz, rows.indptr[:-1], rows.indices, rows.data
        )

    def _values(self, randomiser: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
        """Objective of each output in nats times records, its diagonal, what comes from others."""
        stay = np.diag(randomiser)
        mean = self.posterior.mean
        others = (mean @ randomiser - mean * stay) / self.total
        return self._objective(stay, others)[0], stay, others

    def _objective(
        self, stay: NDArray[np.float64], others: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """E[-c ln(c stay + total others)] of each output, and its two derivatives."""
        value, weight = self.posterior.values, self.posterior.weights
        mass = np.maximum(value * stay[:, None] + self.total * others[:, None], 1e-12)
        pull = weight * value / mass
        return (
            _expected(weight * value, mass),
            -(pull * value).sum(axis=1),
            -self.total * pull.sum(axis=1),
        )

    def _tangents(self, stay: NDArray[np.float64], others: NDArray[np.float64]) -> None:
        """Add the tangents that touch the objective at a point, one an output."""
        value, by_stay, by_others = self._objective(stay, others)
        at_zero = value - by_stay * stay - by_others * others
        share = _expected(self.posterior.weights * self.posterior.values, self.posterior.values)
        rows = _widened(sp.diags_array(-by_stay / self.unit) @ self.diagonal, self.columns)
        lines = np.arange(self.bins)
        rest = sp.csr_array(
            (
                np.concatenate([np.ones(self.bins), -by_others / self.unit]),
                (np.tile(lines, 2), np.concatenate([self.roof, self.others])),
            ),
            shape=rows.shape,
        )
        self._add(rows + rest, (at_zero - share) / self.unit, np.inf)

    def solve(self) -> tuple[float, NDArray[np.float64]] | None:
        """Return the program's bound and its rows; None if the solver gives up."""
        import highspy

        self.solver.run()
        if self.solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            self.solver.clearSolver()  # the old basis may have led astray
            self.solver.run()
            if self.solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
                return None
        columns = np.array(self.solver.getSolution().col_value)
        weights = columns[: self.width].reshape(self.bins, -1)
        return float(columns[self.roof].sum()), np.einsum("kv,vkx->kx", weights, self.kernel)

    def value(self, randomiser: NDArray[np.float64]) -> float:
        """Objective of a randomiser; a constant row is worth 1."""
        return (float(self._values(randomiser)[0].sum()) - self.ideal) / self.unit

    def touch(self, randomiser: NDArray[np.float64]) -> None:
        """Add the tangents at a randomiser."""
        self._tangents(*self._values(randomiser)[1:])


def _widened(block: Any, columns: int) -> Any:
    """Append empty columns to a matrix."""
    block = sp.csr_array(block)
    return sp.csr_array((block.data, block.indices, block.indptr), shape=(block.shape[0], columns))


def _expected(weight: NDArray[np.float64], mass: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sum of -weight ln mass over the values of each bin; 0 where there is no weight."""
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(weight > 0.0, -weight * np.log(mass), 0.0)
    return terms.sum(axis=1)
