r"""The quadratic programs behind a safe randomiser.

Each term of the objective :math:`\sum_x\E\bigl[-c_x\ln(c_xp_x(x)+o_x)\bigr]` is a convex function
of two numbers that are linear in the rows: the probability :math:`p_x(x)` that a record of bin x is
released as itself, and the mass :math:`o_x` that the other bins are expected to put on x.  The
objective does not determine the rest of a row, and if each :math:`c_x` is known, the objective
depends only on the mass of each output; so it has many optima.  The *second criterion* decides
between them: the mean over the bins of the squared distance between a bin's row and the row that
releases its records as themselves.  The objective plus a thousandth of this criterion is strictly
convex and has exactly one optimum; the divergence increases by at most the added term.

Near a randomiser, the objective is nearly quadratic.  A row is a mixture of the rows that
:func:`action_rows` lists, and the safety condition of :mod:`pdpbook.audit.safe_randomisers` is
linear in the weights of the mixture.  So a step of Newton's method is a quadratic program, solved
by the interior-point method of Clarabel (Goulart and Chen, 2024).
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
#: Laplace scales of "laplace", in bins; the uniform row is a further action.
SCALES_IN_BINS = (0.05, 0.5, 2.0, 8.0, 32.0)
SECOND = 1e-3  #: weight of the second criterion, in units of the objective of a constant row
_LEAST_UNIT = 1e-3  #: smallest unit of the objective, in nats: below this unit all optima are close
_TOLERANCE = 1e-11  #: tolerance of the solver, for gaps and for conditions


def action_rows(actions: str, bins: int, estimate: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the rows whose mixtures are allowed, for each value of ``actions``.

    Entry (v, k, x) of shape (V, K, K) is the probability that a record of bin k with action v is
    released as x; the estimated distribution is an action of "blur".
    """
    uniform = np.full((1, bins, bins), 1.0 / bins)
    if actions == "rows":
        return np.repeat(np.eye(bins)[:, None, :], bins, axis=1)
    if actions == "blur":
        return np.concatenate([np.eye(bins)[None], uniform, np.tile(estimate, (1, bins, 1))])
    return np.concatenate([laplace_kernel(bins, np.array(SCALES_IN_BINS) / bins), uniform])


class RandomiserProgram:
    """The objective of a safe randomiser, its condition, and the steps of Newton's method.

    The columns of the quadratic program are the weights w[k, v] of the actions and then, for every
    output x, the mass of the lower bound, the mass from other bins and, if there are more records
    than the lower bound counts, the smallest entry of the column.  The unit of the objective is its
    value for a constant row, so that the solver's absolute tolerances are relatively small.
    """

    def __init__(
        self,
        posterior: CountPosterior,
        lower: NDArray[np.int64],
        epsilon: float,
        actions: str,
        at_least: int,
    ) -> None:
        self.posterior, self.bins = posterior, lower.size
        bins, mean = lower.size, posterior.mean
        self.total = max(float(mean.sum()), 1e-300)
        self.kernel = action_rows(actions, bins, posterior.distribution)
        count = self.kernel.shape[0]
        self.width = bins * count
        more = np.maximum(at_least - (float(lower.sum()) + (lower == 0)), 0.0)
        self.columns = self.width + (3 if more.any() else 2) * bins
        v, k, x = np.nonzero(self.kernel > 1e-12)
        self.rows = sp.csr_array(  # row (k, x): the probability p_k(x)
            (self.kernel[v, k, x], (k * bins + x, k * count + v)), shape=(bins * bins, self.width)
        )
        self.mass, self.others, self.least = (
            self.width + bins * j + np.arange(bins) for j in range(3)
        )
        constant = np.tile(posterior.distribution, (bins, 1))
        worth = float(self._divergences(*self._pair(constant)).sum())
        self.unit = max(worth, _LEAST_UNIT * self.total)
        self.equal, self.right = self._equations(lower, mean)
        self.below = self._condition(lower, -math.expm1(-epsilon), more)
        lines = np.arange(bins)
        self.stay = _widened(self.rows[lines * (bins + 1)], self.columns)
        self.away = sp.csr_array((np.ones(bins), (lines, self.others)), (bins, self.columns))

    def _equations(
        self, lower: NDArray[np.int64], mean: NDArray[np.float64]
    ) -> tuple[Any, NDArray[np.float64]]:
        """Return the equations for the sums of weights and the masses of both groups of bins."""
        bins = self.bins
        own, place = np.divmod(np.arange(bins * bins), bins)
        sums = np.kron(np.eye(bins), np.ones(self.kernel.shape[0]))
        to_output = sp.csr_array((np.ones(own.size), (place, np.arange(own.size))))
        share = np.repeat(lower / max(float(lower.sum()), 1.0), bins)
        weight = to_output @ (sp.diags_array(share) @ self.rows)
        away = np.where(own == place, 0.0, np.repeat(mean / self.total, bins))
        moved = to_output @ (sp.diags_array(away) @ self.rows)
        blocks = [
            _widened(sums, self.columns),
            self._minus(weight, self.mass, 1.0),
            self._minus(moved, self.others, 1.0),
        ]
        return sp.vstack(blocks), np.repeat([1.0, 0.0, 0.0], bins)

    def _condition(
        self, lower: NDArray[np.int64], share: float, more: NDArray[np.float64]
    ) -> sp.csr_array:
        """Return p_k <= share (size mass + [empty] p_k + more least), scaled."""
        bins = self.bins
        place = np.tile(np.arange(bins), bins)
        size, empty = float(lower.sum()), lower == 0
        per = share / np.where(empty, 1.0 - share, 1.0)
        on_mass = np.repeat(per * size, bins)
        on_least = np.repeat(per * more, bins)
        largest = np.maximum(np.maximum(on_mass, on_least), 1.0)
        scaled = sp.diags_array(1.0 / largest) @ self.rows
        caps = self._minus(scaled, self.mass[place], on_mass / largest)
        blocks = [_widened(-sp.eye_array(self.width), self.columns), caps]
        if more.any():
            where = (np.arange(place.size), self.least[place])
            blocks[1] = caps - sp.csr_array((on_least / largest, where), shape=caps.shape)
            blocks.append(-self._minus(self.rows, self.least[place], 1.0))
        return sp.csr_array(sp.vstack(blocks))

    def _minus(self, block: Any, where: NDArray[np.int64], factor: Any) -> Any:
        """Return rows on the weights, minus a factor times other columns."""
        shape = (where.size, self.columns)
        factors = np.broadcast_to(factor, where.size)
        return _widened(block, self.columns) - sp.csr_array(
            (factors, (np.arange(where.size), where)), shape=shape
        )

    def _pair(
        self, randomiser: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return each bin's probability of its own output, and the others' share there."""
        stay, mean = np.diag(randomiser), self.posterior.mean
        return stay, (mean @ randomiser - mean * stay) / self.total

    def _masses(
        self, stay: NDArray[np.float64], others: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return c stay + total others, for every value c of each output."""
        return np.maximum(
            self.posterior.values * stay[:, None] + self.total * others[:, None], 1e-300
        )

    def _divergences(
        self, stay: NDArray[np.float64], others: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return E[c ln(c / (c stay + total others))] per output, in nats times records."""
        value, weight = self.posterior.values, self.posterior.weights * self.posterior.values
        used = weight > 0.0
        ratio = np.divide(self._masses(stay, others), value, out=np.ones_like(value), where=used)
        return -(weight * np.log(ratio)).sum(axis=1)

    def value(self, randomiser: NDArray[np.float64]) -> float:
        """Return the objective, with the second criterion, relative to that of a constant row."""
        divergence = float(self._divergences(*self._pair(randomiser)).sum()) / self.unit
        changed = float(np.square(randomiser - np.eye(self.bins)).sum()) / self.bins
        return divergence + SECOND * changed

    def step(self, randomiser: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the optimum of the quadratic model of the objective around a randomiser.

        The solver returns rows with rounding errors: the caller must check that they are
        distributions, that they are safe and that they reduce the objective.  If rounding makes the
        condition infeasible, the given randomiser is returned.
        """
        import clarabel

        stay, others = self._pair(randomiser)
        value, mass = self.posterior.values, self._masses(stay, others)
        pull = self.posterior.weights * value / mass / self.unit
        slope = (-(pull * value).sum(axis=1), -self.total * pull.sum(axis=1))
        bend = (
            (pull * value * value / mass).sum(axis=1),
            (pull * value / mass).sum(axis=1) * self.total,
            (pull / mass).sum(axis=1) * self.total**2,
        )
        weights = 2.0 * SECOND / self.bins * self.rows.T @ self.rows
        apart = sp.csr_array(([0.0], ([0], [0])), shape=(self.columns - self.width,) * 2)
        mixed = self.stay.T @ sp.diags_array(bend[1]) @ self.away
        model = (
            sp.block_diag([weights, apart])
            + self.stay.T @ sp.diags_array(bend[0]) @ self.stay
            + self.away.T @ sp.diags_array(bend[2]) @ self.away
            + mixed
            + mixed.T
        )
        cost = (
            self.stay.T @ (slope[0] - bend[0] * stay - bend[1] * others)
            + self.away.T @ (slope[1] - bend[1] * stay - bend[2] * others)
            - 2.0 * SECOND / self.bins * (self.stay.T @ np.ones(self.bins))
        )
        settings = clarabel.DefaultSettings()
        settings.verbose, settings.max_threads = False, 1
        settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = _TOLERANCE
        rows = sp.vstack([self.equal, self.below])
        right = np.concatenate([self.right, np.zeros(self.below.shape[0])])
        cones = [
            clarabel.ZeroConeT(self.equal.shape[0]),
            clarabel.NonnegativeConeT(self.below.shape[0]),
        ]
        solver = clarabel.DefaultSolver(
            sp.csc_matrix(sp.triu(model)), cost, sp.csc_matrix(rows), right, cones, settings
        )
        answer = solver.solve()
        status = clarabel.SolverStatus
        if answer.status in {status.PrimalInfeasible, status.AlmostPrimalInfeasible}:
            return randomiser  # the solver's x is near 0 and not a distribution
        found = np.array(answer.x)[: self.width].reshape(self.bins, -1)
        return np.einsum("kv,vkx->kx", found, self.kernel)


def _widened(block: Any, columns: int) -> Any:
    """Append empty columns to a matrix."""
    block = sp.csr_array(block)
    return sp.csr_array((block.data, block.indices, block.indptr), shape=(block.shape[0], columns))
