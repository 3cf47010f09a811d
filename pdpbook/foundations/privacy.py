r"""Differential privacy: what is promised, how promises add up, and how a test sees them.

A mechanism releases x with probability P(x) on one data set and Q(x) on a neighbour.  It is
:math:`(\varepsilon,\delta)`-differentially private if for all neighbours, in both orders, and all
events S

.. math:: P(S) \le e^{\varepsilon}\,Q(S) + \delta .

For one pair (P, Q) the smallest δ is the hockey-stick divergence
:math:`\sum_x (P(x)-e^\varepsilon Q(x))^+`, reached by the event where P exceeds
:math:`e^\varepsilon Q`; with δ = 0 the smallest ε is the largest :math:`|\ln P(x)/Q(x)|`.

Somebody who must decide between P ("in") and Q ("out") from x makes two kinds of error: false
alarms, Q taken for P, with probability α, and misses, P taken for Q, with probability β.  The
*trade-off curve* is the smallest β for each α.  The mechanism is
:math:`(\varepsilon,\delta)`-private if and only if no curve falls below

.. math:: f_{\varepsilon,\delta}(\alpha) =
          \max\{0,\; 1-\delta-e^{\varepsilon}\alpha,\; e^{-\varepsilon}(1-\delta-\alpha)\}.

The proofs are in the chapter *Differential privacy*.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pdpbook import _validate

__all__ = [
    "Budget",
    "advanced_composition",
    "basic_composition",
    "gaussian_tradeoff",
    "group_privacy",
    "hockey_stick_divergence",
    "laplace_tradeoff",
    "optimal_composition",
    "posterior_interval",
    "pure_epsilon",
    "tradeoff_bound",
    "tradeoff_curve",
]


@dataclass(frozen=True)
class Budget:
    r"""What a release costs: it is :math:`(\varepsilon,\delta)`-differentially private.

    Examples
    --------
    >>> Budget(1.0)
    Budget(epsilon=1.0, delta=0.0)
    """

    epsilon: float
    delta: float = 0.0


def pure_epsilon(p: ArrayLike, q: ArrayLike) -> float:
    r"""Return the smallest ε for which two distributions are ε-indistinguishable.

    Parameters
    ----------
    p, q : array_like, shape (K,)
        Output distributions on a data set and on a neighbour.

    Returns
    -------
    float
        :math:`\max_x|\ln p(x)/q(x)|`, infinite if only one of them reaches some output.

    Raises
    ------
    ValueError, TypeError
        If p or q is no probability vector or their lengths differ.

    Notes
    -----
    Taught in *Differential privacy*; only single outputs need to be looked at, because the ratio
    of an event lies between the ratios of its outputs.

    Examples
    --------
    >>> round(pure_epsilon([0.75, 0.25], [0.25, 0.75]), 4)
    1.0986
    >>> pure_epsilon([0.5, 0.5, 0.0], [0.5, 0.0, 0.5])
    inf
    """
    p, q = _pair(p, q)
    reached = (p > 0) | (q > 0)
    with np.errstate(divide="ignore"):
        return float(np.abs(np.log(p[reached]) - np.log(q[reached])).max())


def hockey_stick_divergence(p: ArrayLike, q: ArrayLike, *, epsilon: float) -> float:
    r"""Return the smallest δ for which :math:`p(S) \le e^\varepsilon q(S)+\delta` for all S.

    Parameters
    ----------
    p, q : array_like, shape (K,)
        Output distributions on a data set and on a neighbour.  One direction only: the other one
        is ``hockey_stick_divergence(q, p, epsilon=epsilon)``.
    epsilon : float
        :math:`\varepsilon \ge 0`; at 0 this is the total variation distance.

    Returns
    -------
    float
        :math:`\sum_x (p(x)-e^\varepsilon q(x))^+`.

    Notes
    -----
    Taught in *Differential privacy*.

    Examples
    --------
    >>> round(hockey_stick_divergence([0.75, 0.25], [0.25, 0.75], epsilon=0.5), 4)
    0.3378
    """
    p, q = _pair(p, q)
    epsilon = _validate.number("epsilon", epsilon, above=0.0, strict=False)
    with np.errstate(divide="ignore"):
        excess = -np.expm1(np.minimum(epsilon + np.log(q[p > 0]) - np.log(p[p > 0]), 0.0))
    return float((p[p > 0] * excess).sum())


def posterior_interval(prior: float, *, epsilon: float) -> tuple[float, float]:
    r"""Return how far an ε-private release can move a belief.

    Parameters
    ----------
    prior : float
        Probability, in (0, 1), that the attacker gives to "the record is in the data".
    epsilon : float
        Privacy level :math:`\varepsilon \ge 0`.

    Returns
    -------
    low, high : float
        Every posterior lies between them: the odds change by a factor in
        :math:`[e^{-\varepsilon},e^{\varepsilon}]`.

    Notes
    -----
    Source: Bayes' rule.  Taught in *Differential privacy*.

    Examples
    --------
    >>> low, high = posterior_interval(0.5, epsilon=1.0)
    >>> round(low, 4), round(high, 4)
    (0.2689, 0.7311)
    """
    prior = _validate.number("prior", prior, above=0.0, below=1.0)
    epsilon = _validate.number("epsilon", epsilon, above=0.0, strict=False)
    shrink = math.exp(-epsilon)
    low = prior * shrink / (prior * shrink + 1.0 - prior)
    high = prior / (prior + (1.0 - prior) * shrink)
    return low, high


def basic_composition(epsilons: ArrayLike, deltas: ArrayLike = 0.0) -> Budget:
    r"""Return the cost of several releases about the same data: everything adds up.

    Parameters
    ----------
    epsilons : array_like, shape (k,)
        Level :math:`\varepsilon_j > 0` of each release; each may be chosen after the ones before
        it were seen.
    deltas : float or array_like, shape (k,)
        :math:`\delta_j` in [0, 1) of each, or one for all.

    Returns
    -------
    Budget
        :math:`(\sum_j\varepsilon_j, \sum_j\delta_j)`.

    Notes
    -----
    Source: Dwork & Roth (2014), Theorem 3.16.  Taught, with its proof for adaptive releases, in
    *Differential privacy*.

    Examples
    --------
    >>> basic_composition([0.5, 0.25, 0.25])
    Budget(epsilon=1.0, delta=0.0)
    """
    costs = _validate.positive_vector("epsilons", epsilons)
    slacks = _validate.finite_vector("deltas", np.atleast_1d(np.asarray(deltas)))
    if slacks.size not in (1, costs.size):
        raise ValueError(
            f"deltas must hold one value or {costs.size}, got deltas of length {slacks.size}"
        )
    for slack in slacks:
        _validate.fraction("deltas", float(slack))
    total = math.fsum(np.broadcast_to(slacks, costs.shape))
    return Budget(math.fsum(costs), min(total, 1.0))


def advanced_composition(epsilon: float, count: int, *, slack: float, delta: float = 0.0) -> Budget:
    r"""Return the cost of many equal releases when a small δ is allowed.

    Parameters
    ----------
    epsilon : float
        Level :math:`\varepsilon > 0` of each release.
    count : int
        Number of releases k, at least 1.
    slack : float
        :math:`\delta'` in (0, 1): the extra δ that is bought.
    delta : float
        δ in [0, 1) of each release.

    Returns
    -------
    Budget
        :math:`\varepsilon'=k\varepsilon\tanh(\varepsilon/2)+\varepsilon\sqrt{2k\ln(1/\delta')}`
        or :math:`k\varepsilon`, whichever is smaller, and :math:`k\delta+\delta'` (without the
        :math:`\delta'` where :math:`k\varepsilon` is the smaller one).

    Notes
    -----
    Source: Dwork, Rothblum & Vadhan (2010), with the mean of the privacy loss in its tight form,
    :math:`\varepsilon\tanh(\varepsilon/2)`, as in Kairouz, Oh & Viswanath (2015).  Proved in
    *Differential privacy*.

    Examples
    --------
    >>> advanced_composition(0.1, 100, slack=1e-6).epsilon.__round__(4)
    5.7561
    >>> advanced_composition(0.1, 2, slack=1e-6)
    Budget(epsilon=0.2, delta=0.0)
    """
    epsilon = _validate.number("epsilon", epsilon, above=0.0)
    count = _validate.integer("count", count, at_least=1)
    slack = _validate.number("slack", slack, above=0.0, below=1.0)
    delta = _validate.fraction("delta", delta)
    drift = count * epsilon * math.tanh(epsilon / 2.0)
    spread = epsilon * math.sqrt(2.0 * count * -math.log(slack))
    if drift + spread < count * epsilon:
        return Budget(drift + spread, min(count * delta + slack, 1.0))
    return Budget(count * epsilon, min(count * delta, 1.0))


def optimal_composition(epsilon: float, count: int, *, delta: float) -> float:
    r"""Return the smallest total ε that any bound on k ε-private releases can promise.

    Randomised response is the worst ε-private mechanism: whatever another one releases can be
    made from its answer.  After k of them the privacy loss takes the values
    :math:`(k-2j)\varepsilon` with binomial probabilities, so the exact answer is a sum.

    Parameters
    ----------
    epsilon : float
        Level :math:`\varepsilon > 0` of each release.
    count : int
        Number of releases k, from 1 to 100,000.
    delta : float
        Allowed δ in (0, 1).

    Returns
    -------
    float
        The smallest :math:`\varepsilon' \ge 0` (from above, to full precision) at which the
        composition is :math:`(\varepsilon',\delta)`-private.

    Notes
    -----
    Source: Kairouz, Oh & Viswanath (2015).  Taught in *Differential privacy*.

    Examples
    --------
    >>> round(optimal_composition(0.1, 100, delta=1e-6), 3)
    4.775
    """
    from scipy.special import gammaln, logsumexp

    epsilon = _validate.number("epsilon", epsilon, above=0.0)
    count = _validate.integer("count", count, at_least=1)
    if count > 100_000:
        raise _validate.fail("count", "a whole number <= 100000", count)
    delta = _validate.number("delta", delta, above=0.0, below=1.0)
    lies = np.arange(count + 1.0)
    ways = gammaln(count + 1) - gammaln(lies + 1) - gammaln(count - lies + 1)
    log_p = ways - lies * epsilon - count * np.log1p(np.exp(-epsilon))
    loss = (count - 2.0 * lies) * epsilon

    def log_delta(total: float) -> float:
        above = loss > total
        if not above.any():
            return -math.inf
        return float(logsumexp(log_p[above] + np.log(-np.expm1(total - loss[above]))))

    low, high = 0.0, count * epsilon
    if log_delta(low) <= math.log(delta):
        return 0.0
    while high - low > 1e-14 * high:
        middle = (low + high) / 2.0
        low, high = (low, middle) if log_delta(middle) <= math.log(delta) else (middle, high)
    return high


def group_privacy(epsilon: float, size: int, *, delta: float = 0.0) -> Budget:
    r"""Return what a mechanism promises to a group that joins or leaves together.

    Parameters
    ----------
    epsilon : float
        Level :math:`\varepsilon > 0` for one record.
    size : int
        Records in the group, at least 1.
    delta : float
        δ in [0, 1) for one record.

    Returns
    -------
    Budget
        :math:`k\varepsilon` and :math:`\delta\,(e^{k\varepsilon}-1)/(e^{\varepsilon}-1)`, the
        latter at most 1.

    Notes
    -----
    Source: Dwork & Roth (2014), Theorem 2.2.  Taught in *Differential privacy*.

    Examples
    --------
    >>> group_privacy(0.1, 4)
    Budget(epsilon=0.4, delta=0.0)
    """
    epsilon = _validate.number("epsilon", epsilon, above=0.0)
    size = _validate.integer("size", size, at_least=1)
    delta = _validate.fraction("delta", delta)
    if delta == 0.0:
        return Budget(size * epsilon)
    # (e^{k epsilon} - 1) / (e^epsilon - 1), in logarithms because it overflows early
    growth = math.log(-math.expm1(-size * epsilon)) - math.log(-math.expm1(-epsilon))
    growth += (size - 1) * epsilon
    return Budget(size * epsilon, math.exp(min(math.log(delta) + growth, 0.0)))


def tradeoff_curve(q: ArrayLike, p: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    r"""Return the corners of the trade-off curve of two distributions.

    Parameters
    ----------
    q, p : array_like, shape (K,)
        Distribution of the output if the record is out (Q, first) and in (P).

    Returns
    -------
    alpha, beta : ndarray, shape (m,)
        Corners, α rising from 0 to 1: the best test says "in" on the outputs of largest
        p(x)/q(x); between two corners it tosses a coin, so the curve is a straight line there.

    Notes
    -----
    Source: the lemma of Neyman and Pearson.  Taught in *Differential privacy*.

    Examples
    --------
    >>> alpha, beta = tradeoff_curve([0.75, 0.25], [0.25, 0.75])
    >>> alpha, beta
    (array([0.  , 0.25, 1.  ]), array([1.  , 0.25, 0.  ]))
    """
    p, q = _pair(p, q)
    p, q = p[(p > 0) | (q > 0)], q[(p > 0) | (q > 0)]
    with np.errstate(divide="ignore"):
        order = np.argsort(np.log(q) - np.log(p), kind="stable")
    alpha = np.concatenate([[0.0], np.cumsum(q[order])])
    beta = np.concatenate([[0.0], np.cumsum(p[order][::-1])])[::-1]
    return np.minimum(alpha / alpha[-1], 1.0), np.minimum(beta / beta[0], 1.0)


def tradeoff_bound(alpha: ArrayLike, *, epsilon: float, delta: float = 0.0) -> NDArray[np.float64]:
    r"""Return the lowest trade-off curve that :math:`(\varepsilon,\delta)`-privacy allows.

    Parameters
    ----------
    alpha : array_like
        False-alarm rates in [0, 1].
    epsilon, delta : float
        Privacy level, :math:`\varepsilon \ge 0` and δ in [0, 1).

    Returns
    -------
    ndarray
        :math:`f_{\varepsilon,\delta}(\alpha)`, the least possible miss rate; shape of ``alpha``.

    Notes
    -----
    Source: Wasserman & Zhou (2010).  Taught in *Differential privacy*.

    Examples
    --------
    >>> tradeoff_bound([0.0, 0.25, 1.0], epsilon=np.log(3)).round(4)
    array([1.  , 0.25, 0.  ])
    """
    rate = _rates(alpha)
    epsilon = _validate.number("epsilon", epsilon, above=0.0, strict=False)
    delta = _validate.fraction("delta", delta)
    with np.errstate(over="ignore", invalid="ignore"):
        steep = np.where(rate > 0.0, 1.0 - delta - np.exp(epsilon) * rate, 1.0 - delta)
    flat = np.exp(-epsilon) * (1.0 - delta - rate)
    return np.asarray(np.maximum(0.0, np.maximum(steep, flat)))


def gaussian_tradeoff(alpha: ArrayLike, *, shift: float) -> NDArray[np.float64]:
    r"""Return the trade-off curve of N(0, 1) against N(shift, 1).

    Parameters
    ----------
    alpha : array_like
        False-alarm rates in [0, 1].
    shift : float
        Sensitivity over standard deviation, :math:`\mu=\Delta_2/\sigma \ge 0`.

    Returns
    -------
    ndarray
        :math:`\Phi(\Phi^{-1}(1-\alpha)-\mu)`; shape of ``alpha``.

    Notes
    -----
    Source: Dong, Roth & Su (2022).  Taught in *Differential privacy*.

    Examples
    --------
    >>> gaussian_tradeoff([0.0, 0.5, 1.0], shift=1.0).round(4)
    array([1.    , 0.1587, 0.    ])
    """
    from scipy.special import ndtr, ndtri

    rate = _rates(alpha)
    shift = _validate.number("shift", shift, above=0.0, strict=False)
    return np.asarray(ndtr(-ndtri(rate) - shift))


def laplace_tradeoff(alpha: ArrayLike, *, epsilon: float) -> NDArray[np.float64]:
    r"""Return the trade-off curve of the Laplace mechanism.

    Parameters
    ----------
    alpha : array_like
        False-alarm rates in [0, 1].
    epsilon : float
        Sensitivity over scale, :math:`\varepsilon \ge 0`.

    Returns
    -------
    ndarray
        The least miss rate; shape of ``alpha``.

    Notes
    -----
    Source: Dong, Roth & Su (2022).  Taught in *Differential privacy*.

    Examples
    --------
    >>> laplace_tradeoff([0.0, 0.5, 1.0], epsilon=1.0).round(4)
    array([1.    , 0.1839, 0.    ])
    """
    rate = _rates(alpha)
    epsilon = _validate.number("epsilon", epsilon, above=0.0, strict=False)
    shrink = math.exp(-epsilon)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        middle = shrink / (4.0 * rate)
        left = 1.0 - rate / shrink if shrink > 0.0 else np.where(rate > 0.0, 0.0, 1.0)
    right = shrink * (1.0 - rate)
    return np.asarray(np.where(rate <= shrink / 2.0, left, np.where(rate <= 0.5, middle, right)))


def _pair(p: ArrayLike, q: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    first, second = _validate.distribution("p", p), _validate.distribution("q", q)
    if first.size != second.size:
        raise ValueError(f"q must have the length {first.size} of p, got q of length {second.size}")
    return first, second


def _rates(alpha: ArrayLike) -> NDArray[np.float64]:
    raw = np.asarray(alpha)
    rate = _validate.finite_vector("alpha", raw.ravel()).reshape(raw.shape)
    if ((rate < 0) | (rate > 1)).any():
        outside = float(rate[(rate < 0) | (rate > 1)][0])
        raise ValueError(f"alpha must lie in [0, 1], got a value of {outside!r}")
    return rate
