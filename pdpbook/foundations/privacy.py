r"""Differential privacy: the definition, and the cost of several releases.

A mechanism releases x with probability P(x) on one data set and Q(x) on a neighbour.  It is
:math:`(\varepsilon,\delta)`-differentially private if for all neighbours, in both orders, and all
events S

.. math:: P(S) \le e^{\varepsilon}\,Q(S) + \delta .

The module :mod:`pdpbook.foundations.divergences` measures the distance between P and Q, and
:mod:`pdpbook.foundations.tradeoff` describes the best test between P and Q.  This module computes
how far a release can move a belief, the total cost of several releases, and the cost of one release
to several records.  The proofs are in the chapters *Differential privacy* and *Composition*.

All costs are rounded up, so none is below the exact cost.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from pdpbook import _exact, _validate

__all__ = [
    "Budget",
    "advanced_composition",
    "basic_composition",
    "group_privacy",
    "optimal_composition",
    "posterior_interval",
]


@dataclass(frozen=True)
class Budget:
    r"""The cost of an :math:`(\varepsilon,\delta)`-differentially private release.

    >>> Budget(1.0)
    Budget(epsilon=1.0, delta=0.0)
    """

    epsilon: float
    delta: float = 0.0


def posterior_interval(prior: float, *, epsilon: float) -> tuple[float, float]:
    r"""Return how far an ε-private release can move a belief.

    Parameters
    ----------
    prior : float
        The attacker's probability, in (0, 1), that the record is in the data.
    epsilon : float, ε >= 0

    Returns
    -------
    low, high : float
        Bounds on every posterior probability: the odds change by a factor in
        :math:`[e^{-\varepsilon},e^{\varepsilon}]`.  Both bounds are rounded outwards.

    Notes
    -----
    The belief concerns two neighbouring data sets, which differ by the removal or the replacement
    of one record.  Source: Bayes' rule.  Taught in *Differential privacy*.

    Examples
    --------
    >>> low, high = posterior_interval(0.5, epsilon=1.0)
    >>> round(low, 4), round(high, 4)
    (0.2689, 0.7311)
    """
    prior = _validate.number("prior", prior, above=0.0, below=1.0)
    epsilon = _validate.number("epsilon", epsilon, at_least=0.0)
    shrink = math.exp(-epsilon)
    low = prior * shrink / (prior * shrink + (1.0 - prior))
    high = prior / (prior + (1.0 - prior) * shrink)
    # the second number matters only if the first is below the smallest normal float
    return max(_exact.down(low, 8) - 2e-323, 0.0), min(_exact.up(high, 8), 1.0)


def basic_composition(epsilons: ArrayLike, *, deltas: ArrayLike = 0.0) -> Budget:
    r"""Return the cost of several releases from the same data, which is the sum of their costs.

    Parameters
    ----------
    epsilons : array_like, shape (k,)
        :math:`\varepsilon_j > 0` of each release; a release may depend on the earlier releases.
    deltas : float or array_like, shape (k,)
        :math:`\delta_j` in [0, 1) of each release, or one value for all releases.

    Returns
    -------
    Budget
        :math:`(\sum_j\varepsilon_j, \sum_j\delta_j)`.

    Notes
    -----
    Neighbouring data sets may differ by the removal of one record or by its replacement, but in
    the same way in all releases.  Source: Dwork & Roth (2014), Theorem 3.16.  Taught, with its
    proof for adaptive releases, in *Differential privacy*, and with δ in *Composition*.

    Examples
    --------
    >>> basic_composition([0.5, 0.25, 0.25])
    Budget(epsilon=1.0, delta=0.0)
    """
    costs = _validate.positive_vector("epsilons", epsilons)
    slacks = np.atleast_1d(_validate.finite_array("deltas", deltas))
    if slacks.ndim > 1:
        raise ValueError(f"deltas must be one-dimensional, got deltas of shape {slacks.shape}")
    if slacks.size not in (1, costs.size):
        raise ValueError(
            f"deltas must contain 1 or {costs.size} values, got deltas of length {slacks.size}"
        )
    for slack in slacks:
        _validate.number("deltas", float(slack), at_least=0.0, below=1.0)
    total = _exact.added_up(np.broadcast_to(slacks, costs.shape).tolist())
    if float(costs.max()) * costs.size > 1e308:
        raise _validate.fail("epsilons", "so small that their sum is finite", float(costs.max()))
    return Budget(_exact.added_up(costs.tolist()), min(total, 1.0))


def advanced_composition(epsilon: float, *, draws: int, delta: float = 0.0, slack: float) -> Budget:
    r"""Return the cost of many equal releases when a small δ is allowed.

    Parameters
    ----------
    epsilon : float, ε > 0 of each release
    draws : int, number k >= 1 of releases
    delta : float, δ in [0, 1) of each release
    slack : float
        :math:`\delta'` in (0, 1): the additional δ.

    Returns
    -------
    Budget
        The cost with the smaller ε: either :math:`k\varepsilon` and :math:`k\delta`, or

        .. math:: k\varepsilon\tanh(\varepsilon/2)+\varepsilon\sqrt{2k\ln(1/\delta')},

        and :math:`k\delta+\delta'`.

    Notes
    -----
    Neighbouring data sets may differ by the removal of one record or by its replacement, but in
    the same way in all releases.  Source: Dwork, Rothblum & Vadhan (2010), with the mean of the
    privacy loss in its tight form, :math:`\varepsilon\tanh(\varepsilon/2)`, as in Kairouz, Oh &
    Viswanath (2015).  Proved in *Composition*.

    Examples
    --------
    >>> advanced_composition(0.1, draws=100, slack=1e-6).epsilon.__round__(4)
    5.7561
    >>> advanced_composition(0.1, draws=2, slack=1e-6)
    Budget(epsilon=0.2, delta=0.0)
    """
    epsilon = _validate.number("epsilon", epsilon, above=0.0)
    draws = _validate.integer("draws", draws, at_least=1)
    _check_total("draws", draws, epsilon)
    slack = _validate.number("slack", slack, above=0.0, below=1.0)
    delta = _validate.number("delta", delta, at_least=0.0, below=1.0)
    drift = draws * epsilon * math.tanh(epsilon / 2.0)
    spread = epsilon * math.sqrt(2.0 * draws * -math.log(slack))
    most, bought = _exact.times_up(draws, epsilon), _exact.up(drift + spread, 8)
    if bought < most:
        both = _exact.rounded_up(draws * Fraction(delta) + Fraction(slack))
        return Budget(bought, min(both, 1.0))
    return Budget(most, min(_exact.times_up(draws, delta), 1.0))


def optimal_composition(epsilon: float, *, draws: int, delta: float) -> float:
    r"""Return the smallest total ε that can be promised for k ε-private releases.

    Randomised response is the worst ε-private mechanism: the output of any other ε-private
    mechanism can be computed from its answer.  After k answers, the privacy loss takes the values
    :math:`(k-2j)\varepsilon` with binomial probabilities, so the exact δ is a sum.

    Parameters
    ----------
    epsilon : float, ε > 0 of each release
    draws : int, number k of releases, from 1 to 100,000
    delta : float, δ in (0, 1)

    Returns
    -------
    float
        The smallest :math:`\varepsilon' \ge 0` at which the composition is
        :math:`(\varepsilon',\delta)`-private, rounded up: before the comparison with δ, the
        probabilities are raised by the rounding errors of their logarithms.

    Notes
    -----
    Neighbouring data sets may differ by the removal of one record or by its replacement, but in
    the same way in all releases.  Source: Kairouz, Oh & Viswanath (2015).  Taught in *Composition*.

    Examples
    --------
    >>> round(optimal_composition(0.1, draws=100, delta=1e-6), 3)
    4.775
    """
    from scipy.special import gammaln, logsumexp

    epsilon = _validate.number("epsilon", epsilon, above=0.0)
    draws = _validate.integer("draws", draws, at_least=1, at_most=100_000)
    _check_total("draws", draws, epsilon)
    delta = _validate.number("delta", delta, above=0.0, below=1.0)
    lies = np.arange(draws + 1.0)
    ways = gammaln(draws + 1) - gammaln(lies + 1) - gammaln(draws - lies + 1)
    log_p = ways - lies * epsilon - draws * np.log1p(np.exp(-epsilon))
    log_p += 2.0**-49 * (3.0 * gammaln(draws + 1) + lies * epsilon + draws + 4.0)  # rounding error
    loss = (draws - 2.0 * lies) * epsilon

    def log_delta(total: float) -> float:
        above = loss > total
        return float(logsumexp(log_p[above] + np.log(-np.expm1(total - loss[above]))))

    low, high = 0.0, draws * epsilon
    if log_delta(low) <= math.log(delta):
        return 0.0
    while low < (middle := low + (high - low) / 2.0) < high:  # until they are adjacent floats
        low, high = (low, middle) if log_delta(middle) <= math.log(delta) else (middle, high)
    return min(_exact.up(high, 4), _exact.times_up(draws, epsilon))


def group_privacy(epsilon: float, *, records: int, delta: float = 0.0) -> Budget:
    r"""Return the privacy of a group of records under a mechanism that is private for each record.

    Parameters
    ----------
    epsilon : float, ε > 0 for one record
    records : int
        Number k of records in the group, at least 1.
    delta : float, δ in [0, 1) for one record

    Returns
    -------
    Budget
        :math:`k\varepsilon` and :math:`\delta\,(e^{k\varepsilon}-1)/(e^{\varepsilon}-1)`, the
        latter at most 1.

    Notes
    -----
    If neighbouring data sets differ by the removal of a record, the records of a group join or
    leave together; if they differ by replacement, the records of a group change together.
    Source: Dwork & Roth (2014), Theorem 2.2.  Taught in *Differential privacy*, and with δ in
    *Composition*.

    Examples
    --------
    >>> group_privacy(0.1, records=4)
    Budget(epsilon=0.4, delta=0.0)
    """
    epsilon = _validate.number("epsilon", epsilon, above=0.0)
    records = _validate.integer("records", records, at_least=1)
    _check_total("records", records, epsilon)
    delta = _validate.number("delta", delta, at_least=0.0, below=1.0)
    if delta == 0.0:
        return Budget(_exact.times_up(records, epsilon))
    # (e^{k epsilon} - 1) / (e^epsilon - 1), in logarithms to avoid overflow
    one = math.log(-math.expm1(-epsilon))
    growth = math.log(-math.expm1(-records * epsilon)) - one + (records - 1) * epsilon
    exponent = math.log(delta) + growth
    rounding = 2.0**-50 * (8.0 - math.log(delta) - one + records * epsilon)
    return Budget(_exact.times_up(records, epsilon), math.exp(min(exponent + rounding, 0.0)))


def _check_total(name: str, number: int, epsilon: float) -> None:
    """Refuse an ε for which the cost of so many releases or records is infinite."""
    if number * epsilon > 1e308:
        raise _validate.fail("epsilon", f"so small that {name} times epsilon is finite", epsilon)
