r"""Noisy gradient descent with an individual account for every record.

In step t, the program releases the weights after

.. math:: w_{t+1}=w_t-\eta\Bigl(\sum_{i\text{ takes part}}g_i(w_t)+\mathcal N(0,\sigma^2I)\Bigr),

with the gradient :math:`g_i` of a record's squared error, clipped to the length C.  Removing record
i shifts the mean of this Gaussian by :math:`g_i(w_t)`, so the step costs the record the Rényi
divergence :math:`\alpha\|g_i(w_t)\|^2/2\sigma^2` at every order α.  The usual accounting charges
all records for the length C.  An individual account adds up the costs of the record's own
gradients, and a *Rényi filter* enforces a budget: a record takes part in a step only if its
account, including this step, stays within the budget; otherwise the record leaves permanently.
Whether a record takes part depends only on its own data and on the weights released so far.
So the whole run satisfies differential privacy, although the accounts are functions of the data.

The cost of Gaussian noise is proportional to the order, so accounts and budgets are measured *per
unit of order* here: a budget ρ bounds the Rényi divergence of order α by αρ, for every α at once.

The filter has no tolerance.  It counts in whole numbers: each cost is rounded up to a multiple of a
small fraction of :math:`C^2/2\sigma^2`, the cost of a gradient of length C, and the budget is
rounded down.  Taught in *Individual privacy accounting*.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pdpbook import _validate
from pdpbook._exact import up
from pdpbook._repr import short_repr
from pdpbook.foundations.renyi import renyi_epsilon

__all__ = ["FilteredDescent", "filter_budget", "filtered_descent", "worst_case_steps"]

#: Orders at which a budget is converted to (ε, δ), one per cent apart.
_ORDERS = 1.0 + np.geomspace(1e-3, 1e16, 4401)


@dataclass(frozen=True, eq=False)
class FilteredDescent:
    r"""A run of noisy gradient descent with a Rényi filter.

    Attributes
    ----------
    weights : ndarray, shape (steps + 1, d)
        Weights before the first step, which are 0, and after each step; all may be released.
    accounts : ndarray, shape (n,)
        The cost of each record per unit of order,
        :math:`\sum_t\|g_i(w_t)\|^2/2\sigma^2` over the steps in which it took part, at most the
        budget.  The accounts depend on the data and must not be published.
    steps_taken : ndarray of int, shape (n,)
        Number of steps in which each record took part; it must not be published either.
    budget : float
        The largest account that a record may have.
    """

    weights: NDArray[np.float64]
    accounts: NDArray[np.float64]
    steps_taken: NDArray[np.int64]
    budget: float

    __repr__ = short_repr

    @property
    def taking_part(self) -> NDArray[np.int64]:
        """Number of records that took part in each step, shape (steps,)."""
        left = np.bincount(self.steps_taken, minlength=self.weights.shape[0])
        return self.accounts.size - np.cumsum(left)[:-1]

    def epsilon(self, *, delta: float) -> float:
        """Return the ε at which the weights of all steps together are (ε, δ)-DP, for δ in (0, 1).

        This ε depends on the budget and not on the run, and is subject to rounding errors.
        Neighbouring data sets differ by one record, which is added or removed.

        Examples
        --------
        >>> run = filtered_descent(
        ...     [[1.0], [1.0]], [2.0, 0.0], budget=0.1, sigma=4.0, clip=2.0,
        ...     steps=3, step_size=0.1, rng=np.random.default_rng(0),
        ... )
        >>> round(run.epsilon(delta=1e-5), 3)
        1.914
        """
        return renyi_epsilon(_ORDERS, self.budget * _ORDERS, delta=delta)[0]


def filter_budget(epsilon: float, *, delta: float) -> float:
    r"""Return the largest budget at which a filter with Gaussian noise is (ε, δ)-DP.

    Parameters
    ----------
    epsilon, delta : float
        The target.

    Returns
    -------
    float
        The largest ρ, per unit of order, for which
        :math:`\alpha\rho+\ln\bigl(1-\frac1\alpha\bigr)-\frac{\ln\delta+\ln\alpha}{\alpha-1}` is at
        most ε at some order α.

    Notes
    -----
    Neighbouring data sets differ by one record, which is added or removed.  The budget is subject
    to rounding errors.  Source: the conversion of :func:`pdpbook.foundations.renyi_epsilon`, solved
    for ρ.  Taught in *Individual privacy accounting*.

    Examples
    --------
    >>> round(filter_budget(1.0, delta=1e-5), 5)
    0.03056
    """
    epsilon = _validate.number("epsilon", epsilon, above=0.0)
    delta = _validate.number("delta", delta, above=0.0, below=1.0)
    above = _ORDERS - 1.0
    fixed = np.log1p(-1.0 / _ORDERS) - (np.log(delta) + np.log(_ORDERS)) / above
    budget = float(((epsilon - fixed) / _ORDERS).max())
    if budget <= 0.0:
        raise _validate.fail("epsilon", "larger for this delta", epsilon)
    return budget


def worst_case_steps(budget: float, *, sigma: float, clip: float) -> int:
    r"""Return the number of steps in which every record can take part, whatever its gradients.

    Parameters
    ----------
    budget, sigma, clip : float
        ρ, σ and C as for :func:`filtered_descent`.

    Returns
    -------
    int
        :math:`\lfloor2\sigma^2\rho/C^2\rfloor`, computed without rounding; at most 2⁵³.

    Notes
    -----
    Worst-case accounting stops all records after this number of steps; the filter stops no record
    earlier.  Taught in *Individual privacy accounting*.

    Examples
    --------
    >>> worst_case_steps(1.0, sigma=4.0, clip=4.0)
    2
    """
    budget = _validate.number("budget", budget, above=0.0)
    sigma = _validate.number("sigma", sigma, above=0.0)
    clip = _validate.number("clip", clip, above=0.0)
    return min(int(_longest_gradients(budget, sigma, clip)), 2**53)


def filtered_descent(
    features: ArrayLike,
    response: ArrayLike,
    *,
    budget: float,
    sigma: float,
    clip: float,
    steps: int,
    step_size: float,
    rng: np.random.Generator,
) -> FilteredDescent:
    r"""Fit a linear regression by noisy gradient descent with a Rényi filter.

    Parameters
    ----------
    features : array_like, shape (n, d)
        The features :math:`x_i`, one row per record.
    response : array_like, shape (n,)
        The responses :math:`y_i`.  A record's gradient at w is :math:`(x_i^\top w-y_i)\,x_i`.
    budget : float
        Budget ρ > 0 of each record, per unit of order, as returned by :func:`filter_budget`.
    sigma : float
        Standard deviation of the noise in each coordinate of the sum of the gradients.
    clip : float
        The length C > 0 to which longer gradients are shortened.
    steps : int
    step_size : float
        The factor η > 0 of the noisy *sum*, chosen without knowledge of the data or their number.
    rng : numpy.random.Generator

    Returns
    -------
    FilteredDescent
        No account exceeds the budget: costs are rounded up and added in whole numbers.

    Raises
    ------
    ValueError
        If the weights overflow because the step is too large.

    Notes
    -----
    If ``steps`` is at most ``worst_case_steps(budget, sigma=sigma, clip=clip)``, no record can
    leave, and the run is plain noisy gradient descent.  The run is for experiments and not for a
    release: the low bits of floating-point noise betray the exact sum.

    Source: Feldman & Zrnic (2021), section 4; here, the noise is scaled in absolute terms, and a
    record that leaves does not return.  Taught in *Individual privacy accounting*.

    Examples
    --------
    >>> run = filtered_descent(
    ...     [[1.0], [1.0], [1.0]], [9.0, 1.0, 1.0], budget=1.0, sigma=4.0, clip=4.0,
    ...     steps=6, step_size=0.001, rng=np.random.default_rng(0),
    ... )
    >>> run.steps_taken, run.taking_part
    (array([2, 6, 6]), array([3, 3, 2, 2, 2, 2]))
    """
    rows = _validate.finite_array("features", features)
    if rows.ndim != 2:
        raise ValueError(f"features must have two dimensions, got features of shape {rows.shape}")
    values = _validate.finite_vector("response", response)
    if values.size != rows.shape[0]:
        raise ValueError(
            f"response must have a value for each of the {rows.shape[0]} rows of features, "
            f"got response of length {values.size}"
        )
    budget = _validate.number("budget", budget, above=0.0)
    sigma = _validate.number("sigma", sigma, above=0.0)
    clip = _validate.number("clip", clip, above=0.0)
    steps = _validate.integer("steps", steps, at_least=1)
    step_size = _validate.number("step_size", step_size, above=0.0)
    rng = _validate.generator("rng", rng)
    _validate.memory("steps", steps, steps + 1, rows.shape[1], what="the weights")
    lengths, directions = _polar(rows)
    weights = np.zeros((steps + 1, rows.shape[1]))
    accounts, steps_taken = np.zeros((2, values.size), dtype=np.int64)
    digits = 62 - steps.bit_length()  # bits of a cost: the costs of all steps fit in 63 bits
    longest = _longest_gradients(budget, sigma, clip)
    most = int(min(longest, steps) * 2**digits)
    taking_part = np.ones(values.size, dtype=bool)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        for step, noise in enumerate(rng.normal(size=(steps, rows.shape[1]))):
            residuals = rows @ weights[step] - values
            norms = np.minimum(clip, np.abs(residuals) * lengths)
            after = accounts + _whole_costs(norms, clip, digits)
            taking_part &= after <= most
            accounts = np.where(taking_part, after, accounts)
            steps_taken += taking_part
            gradients = np.where(taking_part, np.sign(residuals) * norms, 0.0) @ directions
            weights[step + 1] = weights[step] - step_size * (gradients + sigma * noise)
            if not np.isfinite(weights[step + 1]).all():
                raise _validate.fail("step_size", "so small that weights stay finite", step_size)
    unit = Fraction(budget) / longest / 2**digits
    spent = np.array([min(float(whole * unit), budget) for whole in accounts.tolist()])
    return FilteredDescent(weights, spent, steps_taken, budget)


def _longest_gradients(budget: float, sigma: float, clip: float) -> Fraction:
    """Return the budget in units of the cost of a gradient of length ``clip``."""
    return 2 * Fraction(sigma) ** 2 * Fraction(budget) / Fraction(clip) ** 2


def _whole_costs(norms: NDArray[np.float64], clip: float, digits: int) -> NDArray[np.int64]:
    """Return the costs of gradients, rounded up; a gradient of length clip costs 2**digits."""
    shares = np.minimum(up((norms / clip) ** 2, 4), 1.0)
    costs = np.ceil(np.ldexp(shares, digits)).astype(np.int64)
    return np.maximum(costs, norms > 0.0)  # the square of a short gradient may underflow


def _polar(rows: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the length and the direction of each row; the direction of zeros is zero."""
    largest = np.abs(rows).max(axis=1, keepdims=True)
    scaled = np.divide(rows, largest, out=np.zeros_like(rows), where=largest > 0.0)
    lengths = np.linalg.norm(scaled, axis=1, keepdims=True)
    directions = np.divide(scaled, lengths, out=np.zeros_like(rows), where=lengths > 0.0)
    with np.errstate(over="ignore"):
        return (largest * lengths)[:, 0], directions
