r"""Policies that are safe for every data set above a lower bound.

Somebody knows of a data set only that bin k holds at least :math:`\ell_k` records, and perhaps that
there are at least N in all.  Which rows :math:`p_k` protect every record of every such data set?
With :math:`\ell\vee e_k` for "ℓ, and at least one record in bin k", they are *safe at ε* if for
every bin k, occupied or not, and every output x

.. math:: p_k(x)\ \le\ (1-e^{-\varepsilon})\,\Bigl(\sum_j(\ell\vee e_k)_j\,p_j(x)
          + \bigl(N-|\ell\vee e_k|\bigr)^+\,\min_jp_j(x)\Bigr) ,

or if all rows are equal.  The bracket is the least mass S(x) that such a data set with a record in
bin k can have, and :math:`p_i\le(1-e^{-\varepsilon})S` is Lemma 1 with its slope replaced by the
smallest that it has for any n.  That is what makes the condition last when records are added.
Summed over x the condition says :math:`n\ge1/(1-e^{-\varepsilon})`, so the lower side of Lemma 1
asks nothing more.

The condition is linear in the rows, and what one wants is convex:
:func:`safe_policy` minimises the expected divergence :math:`\E\,n\,D_{KL}(q\,\|\,P)` over what is
known of the data, with :math:`-c_x\ln(c_xp_x(x)+o_x)` for each bin x; there :math:`o_x` is what the
others are expected to put on x.  This is a convex function of two numbers that are linear in the
rows, so tangents make linear programs of it, solved by HiGHS until the lower bound and the best
policy found agree to a thousandth (for small divergences: of a tenth of what a constant row is
worth).  In the end rounding is taken away by a trace of a constant row,
and the condition is checked.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from pdpbook import _validate
from pdpbook.audit.count_posterior import CountPosterior, noisy_counts, posterior_from_noise
from pdpbook.per_instance.noise_kernels import laplace_kernel

__all__ = ["action_rows", "best_safe_policy", "is_safe", "safe_policy"]

ACTIONS = ("laplace", "blur", "rows")
#: Laplace scales of "laplace", in bins; a uniform row comes with them.
SCALES_IN_BINS = (0.05, 0.5, 2.0, 8.0, 32.0)
_GROUPS = 16  #: values of a count that the objective tells apart
_GAP = 1e-3  #: of the divergence between bound and policy, at which the search stops
_WORTH = 0.1  #: of what a constant row is worth: below it the gap is not relative any more
_ROUNDS = 100  #: linear programs at most
_STARTS = (0.0, 0.05, 0.3, 0.9)  #: shares moved, where the first tangents touch
_SLACK = 1e-12  #: relative rounding of the sums in the condition


def is_safe(policy: ArrayLike, lower: ArrayLike, epsilon: float, *, at_least: int = 0) -> bool:
    r"""Return whether a policy protects every record of every data set above a lower bound.

    Parameters
    ----------
    policy : array_like, shape (K, K)
        Row k is the output distribution of a record of bin k.
    lower : array_like of int, shape (K,)
        Records that bin k holds at least.
    epsilon : float
        Privacy target :math:`\varepsilon>0` for every record's loss by one draw.
    at_least : int
        Records that there are at least in all, if that is public.

    Returns
    -------
    bool
        Whether the condition of this module holds, up to rounding.  It is sufficient: every record
        of every data set of at least ``at_least`` records with counts of at least ``lower`` is
        ε-pDP, and under a policy that is its honest loss too.

    Raises
    ------
    ValueError, TypeError
        If an argument is not as described; the message ends in what was given.

    Notes
    -----
    Proved in *A repair*.

    Examples
    --------
    >>> policy = [[0.9, 0.1], [0.1, 0.9]]
    >>> is_safe(policy, [20, 20], 1.0), is_safe(policy, [20, 0], 1.0)
    (True, True)
    >>> is_safe(policy, [3, 0], 1.0)
    False
    """
    table = _validate.policy_matrix("policy", policy)
    counts = _lower_counts(lower, len(table), "policy")
    epsilon = _validate.number("epsilon", epsilon, above=0.0)
    at_least = _validate.integer("at_least", at_least, at_least=0)
    if (table == table[0]).all():
        return True
    return bool((table <= _caps(table, counts, epsilon, at_least) * (1.0 + _SLACK)).all())


def safe_policy(
    noisy: ArrayLike,
    lower: ArrayLike,
    epsilon: float,
    *,
    actions: str = "rows",
    noise: float | None = None,
    at_least: int = 0,
) -> NDArray[np.float64]:
    r"""Return the policy that is safe for a lower bound and promises the smallest divergence.

    It is computed from its arguments alone, without the data and without chance: whoever knows them
    knows the policy.

    Parameters
    ----------
    noisy : array_like of int, shape (K,)
        What is known of the counts; entries below 0 count as 0 if ``noise`` is None.
    lower : array_like of int, shape (K,)
        Records that bin k holds at least.
    epsilon : float
        Privacy target :math:`\varepsilon>0` for every record's loss by one draw.
    actions : {"rows", "blur", "laplace"}
        What a row may be: any distribution; any mixture of the own bin, the uniform and the
        estimated distribution; any mixture of truncated Laplace rows, from 1/20 of a bin to 32
        bins, and the uniform one.
    noise : float, optional
        Level ε₁, from 1e-12 to 700, of the two-sided geometric noise in ``noisy``.  The policy is
        then best on average over what the true counts may be (:func:`posterior_from_noise`);
        without it the noisy counts are believed, and the policy is fitted to the noise.
    at_least : int
        Records that there are at least in all, if that is public.

    Returns
    -------
    ndarray, shape (K, K)
        Row k is the output distribution of a record of bin k.  If no policy but constant ones is
        safe, every row is the estimated distribution.

    Raises
    ------
    ValueError, TypeError
        If an argument is not as described; the message ends in what was given.

    See Also
    --------
    pdpbook.audit.private_policy.private_policy : the whole mechanism, with its lower bound.

    Notes
    -----
    Source: this book.  Taught in *A repair*.

    Examples
    --------
    Two full bins and an empty one, which somebody may be in:

    >>> policy = safe_policy([40, 60, 1], [30, 50, 0], 1.0, noise=1.0)
    >>> is_safe(policy, [30, 50, 0], 1.0), bool((policy.diagonal()[:2] > 0.98).all())
    (True, True)
    """
    counts = noisy_counts(noisy)
    bound = _lower_counts(lower, counts.size, "noisy")
    epsilon = _validate.number("epsilon", epsilon, above=0.0)
    actions = _validate.choice("actions", actions, *ACTIONS)
    at_least = _validate.integer("at_least", at_least, at_least=0)
    if noise is None:
        known = np.maximum(counts, 0).astype(float)[:, None]
        posterior = CountPosterior(known, np.ones_like(known))
    else:
        level = _validate.number("noise", noise, above=1e-12, below=700.0, strict=False)
        posterior = posterior_from_noise(counts, level)
    return best_safe_policy(posterior, bound, epsilon, actions=actions, at_least=at_least)


def action_rows(
    actions: str, bins: int, estimate: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return what a row may be a mixture of, shape (V, K, K).

    Parameters
    ----------
    actions : {"rows", "blur", "laplace"}
        As for :func:`safe_policy`.
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


def best_safe_policy(
    posterior: CountPosterior,
    lower: NDArray[np.int64],
    epsilon: float,
    *,
    actions: str = "rows",
    at_least: int = 0,
) -> NDArray[np.float64]:
    """Return the safe policy with the smallest expected divergence.

    Parameters
    ----------
    posterior : CountPosterior
        What is known of the data.
    lower : ndarray of int, shape (K,)
        Records that bin k holds at least.
    epsilon : float
        Privacy target.
    actions : {"rows", "blur", "laplace"}
        What a row may be.
    at_least : int
        Records that there are at least in all.

    Returns
    -------
    ndarray, shape (K, K)

    Examples
    --------
    >>> known = CountPosterior(np.array([[6.0], [1.0]]), np.ones((2, 1)))
    >>> best_safe_policy(known, np.array([1, 0]), 1.0)  # too few for anything else
    array([[0.8571425, 0.1428575],
           [0.8571425, 0.1428575]])
    """
    estimate = posterior.distribution
    constant = np.tile(estimate, (lower.size, 1))
    occupied = lower > 0
    company = np.maximum(lower.sum() + ~occupied, at_least)  # |ℓ ∨ e_k|, or N
    if not (-math.expm1(-epsilon) * company > 1.0 + 1e-6).all():
        return constant
    program = _Program(posterior.lumped(_GROUPS), lower, epsilon, actions, at_least)
    best, bound = constant, program.value(constant)
    for _ in range(_ROUNDS):
        answer = program.solve()
        if answer is None:
            break
        low, rows = answer
        rows = _made_safe(rows, estimate, lower, epsilon, at_least)
        halfway = (best + rows) / 2.0  # there no mass is near 0, where tangents are too steep
        program.touch(halfway)
        for each in (halfway, rows):
            if program.value(each) < bound:
                best, bound = each, program.value(each)
        if bound - low <= _GAP * max(bound, _WORTH):
            break
    return best


def _lower_counts(lower: ArrayLike, bins: int, other: str) -> NDArray[np.int64]:
    """Return a lower bound of every count: whole numbers >= 0, one a bin."""
    counts = _validate.counts_vector("lower", lower, records=0)
    _validate.same_length(other, np.zeros(bins), "lower", counts)
    return counts


def _caps(
    policy: NDArray[np.float64], lower: NDArray[np.int64], epsilon: float, at_least: int
) -> NDArray[np.float64]:
    """Right side of the condition, shape (K, K)."""
    empty = (lower == 0).astype(float)
    more = np.maximum(at_least - (lower.sum() + empty), 0.0)
    mass = lower @ policy + empty[:, None] * policy + more[:, None] * policy.min(axis=0)
    return -math.expm1(-epsilon) * mass


def _made_safe(
    rows: NDArray[np.float64],
    estimate: NDArray[np.float64],
    lower: NDArray[np.int64],
    epsilon: float,
    at_least: int,
) -> NDArray[np.float64]:
    """Mix as little of a constant row into the rows as makes them safe.

    Both sides of the condition are linear, but for the minimum, which is concave; so a mixture is
    missing no more than the mixed excesses.
    """
    rows = np.maximum(rows, 0.0)
    rows /= rows.sum(axis=1, keepdims=True)
    constant = np.tile((estimate + 1.0 / lower.size) / 2.0, (lower.size, 1))
    excess = rows - _caps(rows, lower, epsilon, at_least)
    spare = _caps(constant, lower, epsilon, at_least) - constant
    share = np.divide(excess, excess + spare, out=np.zeros_like(excess), where=excess > 0.0)
    least = float(share.max())
    for more in (1.0, 1.0 + 1e-9, 2.0, math.inf):  # rounding may ask for a trace more
        part = min(least * more + (more > 1.0) * 1e-15, 1.0)
        mixed = (1.0 - part) * rows + part * constant
        if (mixed <= _caps(mixed, lower, epsilon, at_least) * (1.0 + _SLACK)).all():
            return mixed
    return constant


class _Program:
    """The linear program with the tangents that it has so far.

    Its columns are the weights w[k, v] of the actions, then for every output x: the mass of the
    lower bound, what comes from other bins, the smallest entry of the column, and the height of
    the roof over the objective.  The objective is in units of what a constant row is worth, so
    that the solver's absolute tolerances are small beside it.
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
        kernel = action_rows(actions, bins, posterior.distribution)
        self.kernel = kernel
        count = kernel.shape[0]
        self.width = bins * count
        flat = np.arange(bins * bins)
        own, place = np.divmod(flat, bins)
        v, k, x = np.nonzero(kernel > 1e-12)
        self.rows = sp.csr_array(  # row (k, x): the probability p_k(x)
            (kernel[v, k, x], (k * bins + x, k * count + v)), shape=(bins * bins, self.width)
        )
        self.diagonal = self.rows[np.arange(bins) * (bins + 1)]
        self.mass, self.others, self.least, self.roof = (
            self.width + bins * j + np.arange(bins) for j in range(4)
        )
        columns = self.width + 4 * bins
        self.columns = columns
        value = self._values(np.tile(posterior.distribution, (bins, 1)))[0].sum()
        self.ideal = float(_expected(posterior.weights * posterior.values, posterior.values).sum())
        self.unit = max(value - self.ideal, 1e-9 * self.total)
        solver = highspy.Highs()
        for option, setting in (
            ("output_flag", False),
            ("threads", 1),
            ("primal_feasibility_tolerance", 1e-9),
            ("dual_feasibility_tolerance", 1e-9),
        ):
            solver.setOptionValue(option, setting)
        self.solver = solver
        low, high = np.zeros(columns), np.full(columns, np.inf)
        low[self.roof] = -1e3
        cost = np.zeros(columns)
        cost[self.roof] = 1.0
        solver.addCols(columns, cost, low, high, 0, [], [], np.empty(0))

        def widened(block: Any, where: NDArray[np.int64], factor: Any) -> Any:
            """Rows on the weights, minus a factor times other columns."""
            lines = np.arange(where.size)
            other = sp.csr_array((np.broadcast_to(factor, where.size), (lines, where)),
                                 shape=(where.size, columns))
            return _widened(block, columns) - other

        self._add(_widened(np.kron(np.eye(bins), np.ones(count)), columns), 1.0, 1.0)
        size = float(lower.sum())
        to_output = sp.csr_array((np.ones(flat.size), (place, flat)), shape=(bins, flat.size))
        if size > 0.0:
            weight = sp.diags_array(np.repeat(lower / size, bins)) @ self.rows
            self._add(widened(to_output @ weight, self.mass, 1.0), 0.0, 0.0)
        away = np.where(own == place, 0.0, np.repeat(mean / self.total, bins))
        moved = to_output @ (sp.diags_array(away) @ self.rows)
        self._add(widened(moved, self.others, 1.0), 0.0, 0.0)
        # p_k <= share (size mass + [empty] p_k + more least), divided by its largest coefficient
        share = -math.expm1(-epsilon)
        empty = lower == 0
        per = share / np.where(empty, 1.0 - share, 1.0)
        on_mass = np.repeat(per * size, bins)
        more = np.repeat(per * np.maximum(at_least - (size + empty), 0.0), bins)
        largest = np.maximum(np.maximum(on_mass, more), 1.0)
        caps = widened(sp.diags_array(1.0 / largest) @ self.rows, self.mass[place],
                       on_mass / largest)
        if more.any():
            lines = np.arange(flat.size)
            caps = caps - sp.csr_array((more / largest, (lines, self.least[place])),
                                       shape=caps.shape)
            self._add(widened(self.rows, self.least[place], 1.0), 0.0, np.inf)
        self._add(caps, -np.inf, 0.0)
        for moved_share in _STARTS:
            stay = np.full(bins, 1.0 - moved_share)
            self._tangents(stay, moved_share * posterior.distribution + 1e-6)

    def _add(self, rows: Any, low: float | NDArray[Any], high: float | NDArray[Any]) -> None:
        rows = sp.csr_array(rows)
        rows.eliminate_zeros()
        lower = np.broadcast_to(np.asarray(low, dtype=float), rows.shape[0])
        upper = np.broadcast_to(np.asarray(high, dtype=float), rows.shape[0])
        self.solver.addRows(
            rows.shape[0], lower, upper, rows.nnz, rows.indptr[:-1], rows.indices, rows.data
        )

    def _values(self, policy: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
        """Objective of each output in nats times records, its diagonal, what comes from others."""
        stay = np.diag(policy)
        mean = self.posterior.mean
        others = (mean @ policy - mean * stay) / self.total
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
        share = _expected(
            self.posterior.weights * self.posterior.values, self.posterior.values
        )
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

    def value(self, policy: NDArray[np.float64]) -> float:
        """Objective of a policy; a constant row is worth 1."""
        return (float(self._values(policy)[0].sum()) - self.ideal) / self.unit

    def touch(self, policy: NDArray[np.float64]) -> None:
        """Add the tangents at a policy."""
        self._tangents(*self._values(policy)[1:])


def _widened(block: Any, columns: int) -> Any:
    """Append empty columns to a matrix."""
    block = sp.csr_array(block)
    return sp.csr_array(
        (block.data, block.indices, block.indptr), shape=(block.shape[0], columns)
    )


def _expected(weight: NDArray[np.float64], mass: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sum of -weight ln mass over the values of each bin; 0 where there is no weight."""
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(weight > 0.0, -weight * np.log(mass), 0.0)
    return terms.sum(axis=1)
