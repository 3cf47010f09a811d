r"""The total privacy cost of many draws under the same noise.

Let a record be ε-pDP under one draw, with the others' noise fixed.  The likelihood ratio
:math:`L = P/P_{-i}` of a draw is in :math:`[A, B]` with :math:`B = e^\varepsilon` and
:math:`A = \max(1-\frac1n, e^{-\varepsilon})`, because adding one record to n - 1 others cannot
reduce the probability of an output by more than the factor :math:`1-\frac1n`.  Two Bernoulli
distributions *dominate* all pairs with such a ratio: with success probability
:math:`a=\frac{1-A}{B-A}` without the record and :math:`aB` with it, a draw from

.. math:: H = \frac{P-A\,P_{-i}}{1-A}\quad\text{after a success, and from}\quad
          T = \frac{B\,P_{-i}-P}{B-1}\quad\text{otherwise}

has the distribution :math:`P_{-i}` or P, respectively.  So m draws reveal no more about the record
than the number of successes in m trials.  If :math:`\varepsilon \ge \ln\frac n{n-1}`, the pair is
attained by a record with :math:`H = p_i` and :math:`a = 1/R`, where
:math:`R = 1+n(e^\varepsilon-1)`.
:func:`draws_epsilon` computes the total ε for this dominating pair.

Most records lose less.  The loss of *one* record from m draws follows from its own pair
:math:`(P, P_{-i})`: its *privacy loss distribution* is the distribution of
:math:`\ln P(x)/P_{-i}(x)`, and m draws add m independent losses.  The function
:func:`record_profile` convolves them with Google's dp-accounting.  For the end-to-end loss of a
pipeline, pass the distributions of its output with and without the record instead.

The proofs are in the chapter *Many draws*.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pdpbook import _exact, _validate
from pdpbook._extras import require

if TYPE_CHECKING:
    from dp_accounting.pld.privacy_loss_distribution import PrivacyLossDistribution

__all__ = ["RecordProfile", "draws_epsilon", "record_profile"]

MOST_DRAWS = 10**6  #: in a record's profile; the convolution of more draws would not fit in memory
MOST_POINTS = 2**21  #: of the grid for the losses of one draw
MARGIN = 1e-9  #: every probability is raised by this factor, which is above all rounding errors


def draws_epsilon(n: int, epsilon: float, *, draws: int, delta: float) -> float:
    r"""Return the total ε of several draws, each ε-pDP for a record.

    Parameters
    ----------
    n : int
        Number of records, including this one; at least 2.
    epsilon : float
        pDP loss :math:`\varepsilon > 0` of one draw.
    draws : int
        Number m of independent draws under the same noise, from 1 to 10⁹.
    delta : float
        The δ in [0, 1).  For δ = 0 the total is :math:`m\varepsilon`, by basic composition.

    Returns
    -------
    float
        The smallest :math:`\varepsilon'\ge0` at which m draws are
        :math:`(\varepsilon',\delta)`-pDP, in both directions, for every record that is ε-pDP.
        It is attained by a record without noise that is alone in its bin, if each of the others is
        released in this bin with probability :math:`1/R`.  The result is never below the exact
        total, because probabilities are multiplied by 1 + 1e-9 before they are compared with δ.

    See Also
    --------
    pdpbook.foundations.privacy.optimal_composition : the total ε of answers that are ε-DP.
    record_profile : the loss of a given record instead of the worst record.

    Notes
    -----
    Neighbouring data sets differ by the removal of one record.  Proved in *Many draws*.  The cost
    for m = n does not grow with n: the number of successes tends to a Poisson variable, whose mean
    is :math:`1/(e^\varepsilon-1)` without the record and larger by 1 with the record.

    Examples
    --------
    >>> round(draws_epsilon(1317, 1.0, draws=1317, delta=1e-6), 2)
    8.93
    >>> round(draws_epsilon(10**9, 1.0, draws=10**9, delta=1e-6), 2)
    8.93
    """
    n = _validate.integer("n", n, at_least=2)
    epsilon = _validate.number("epsilon", epsilon, above=0.0)
    draws = _validate.integer("draws", draws, at_least=1, at_most=_validate.ROUNDS)
    delta = _validate.number("delta", delta, at_least=0.0, below=1.0)
    if not math.isfinite(draws * epsilon):
        raise _validate.fail("epsilon", "small enough that draws * epsilon is finite", epsilon)
    most = _exact.times_up(draws, epsilon)
    if delta == 0.0:
        return most
    rare = min(-math.log1p(-1.0 / n), epsilon)  # the loss of a failure is -rare
    # ln of the odds of a success without the record, (1 - A) / (B - 1)
    odds = math.log(-math.expm1(-rare)) - epsilon - math.log(-math.expm1(-epsilon))
    with_record = _trials_epsilon(draws, odds + epsilon + rare, epsilon, -rare, delta)
    without = _trials_epsilon(draws, -odds, rare, -epsilon, delta)
    return min(most, max(with_record, without))


def _trials_epsilon(count: int, log_odds: float, up: float, down: float, delta: float) -> float:
    r"""Return the smallest ε′ ≥ 0 with :math:`\E(1-e^{\varepsilon'-L})^+ \le \delta`.

    L is the loss of ``count`` trials with the given log-odds of a success, ``up`` > 0 for each
    success and ``down`` < 0 for each failure.
    """
    successes, log_weight = _likely_successes(count, log_odds, delta)
    weight = np.exp(np.minimum(log_weight + math.log1p(MARGIN) - math.log(delta), 700.0))
    step = up - down  # difference of the losses of k + 1 and of k successes

    def excess(k: int) -> float:
        """Return E(1 - e^{t-L})^+ / δ, where t is the loss of successes[k]."""
        return float(weight[k:] @ -np.expm1(-step * np.arange(weight.size - k)))

    low, high = -1, weight.size - 1  # excess(high) = 0; find the first k with excess(k) <= 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if excess(middle) <= 1.0 else (middle, high)
    # between the losses of successes[low] and successes[high]: T - e^{t - loss} M = 1
    tail = weight[high:]
    moment = float((tail * np.exp(-step * np.arange(tail.size))).sum())
    over = float(tail.sum()) - 1.0
    shift = max(math.log(over / moment), -step) if over > 0.0 else -step
    gains, losses = float(successes[high]) * up, (count - float(successes[high])) * down
    rounding = 1e-14 + 1e-15 * (gains - losses)  # more than all rounding errors of the result
    return max(0.0, gains + losses + shift + rounding)


def _likely_successes(
    count: int, log_odds: float, delta: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the numbers of successes that affect the result, and their log probabilities.

    By Bernstein's inequality, the other numbers have a total probability below δ / 10¹².  The
    probabilities are computed from their ratios, to avoid cancellation, and scaled to sum to 1.
    """
    share = 1.0 / (1.0 + math.exp(min(-log_odds, 700.0)))
    rest = 1.0 / (1.0 + math.exp(min(log_odds, 700.0)))
    rarity = math.log(2e12) - math.log(delta)
    reach = rarity / 3 + math.sqrt((rarity / 3) ** 2 + 2 * rarity * count * share * rest)
    first = max(0, math.floor(count * share - reach))
    last = min(count, math.ceil(count * share + reach))
    successes = np.arange(first, last + 1.0)
    ratio = np.log((count - successes[:-1]) / successes[1:]) + log_odds
    peak = int(np.count_nonzero(ratio > 0.0))  # the mode, because the ratios decrease
    log_weight = np.zeros(successes.size)
    log_weight[peak + 1 :] = np.cumsum(ratio[peak:])
    log_weight[:peak] = -np.cumsum(ratio[:peak][::-1])[::-1]
    return successes, log_weight - math.log(np.exp(log_weight).sum())


@dataclass(frozen=True)
class RecordProfile:
    """The privacy profile of one record under several draws, as returned by :func:`record_profile`.

    Parameters
    ----------
    loss : float
        pDP loss of one draw on removal of the record, in nats.
    draws : int
    step : float
        Distance between the grid points on which the losses are added up.
    distribution : dp_accounting.pld.privacy_loss_distribution.PrivacyLossDistribution
        The composed privacy loss distribution, in both directions.
    """

    loss: float
    draws: int
    step: float
    distribution: PrivacyLossDistribution

    def epsilon(self, delta: float) -> float:
        """Return the total ε of all draws at a δ, which is 0 or from 1e-12 to 1.

        Below 1e-12, the rounding of the convolution would matter.  At δ = 0 the total is draws ×
        loss, by basic composition.
        """
        most = math.inf
        if math.isfinite(self.loss):
            most = _exact.times_up(self.draws, self.loss)
        if isinstance(delta, (int, float, np.number)) and delta == 0:
            return most
        delta = _validate.number("delta", delta, at_least=1e-12, at_most=1.0)
        try:
            with np.errstate(over="raise"):
                return min(most, float(self.distribution.get_epsilon_for_delta(delta)))
        except FloatingPointError:  # dp-accounting divided by a mass near the smallest float
            return self._epsilon_by_bisection(delta, most)

    def _epsilon_by_bisection(self, delta: float, most: float) -> float:
        """Return the smallest ε whose δ is small enough, to twelve digits."""
        low, high = 0.0, most
        if self.delta(low) <= delta:
            return low
        while high - low > 1e-12 * high:
            middle = (low + high) / 2.0
            low, high = (low, middle) if self.delta(middle) <= delta else (middle, high)
        return high

    def delta(self, epsilon: float) -> float:
        """Return the δ at a total ε ≥ 0; at ε = 0 it is the total variation distance.

        It is the larger of the hockey-stick divergences of the two directions, with a rounding
        error of about 1e-14.
        """
        epsilon = _validate.number("epsilon", epsilon, at_least=0.0)
        return float(self.distribution.get_delta_for_epsilon(epsilon))


def record_profile(
    present: ArrayLike, absent: ArrayLike, *, draws: int = 1, step: float | None = None
) -> RecordProfile:
    """Return the privacy profile of one record under several draws.

    The library dp-accounting convolves the distribution of the losses, discretised to multiples of
    a step.  By default it rounds each loss up, and m draws add up m such errors.  Here each output
    is divided between the two multiples nearest to its loss, so that neither of its two
    probabilities changes: the result is still an upper bound, and the error is of second order.

    Parameters
    ----------
    present, absent : array_like, shape (K,)
        Distribution of one draw with the record and without it.
    draws : int
        Number of independent draws, from 1 to 10⁶.
    step : float, optional
        Spacing of the grid points, at least the largest loss divided by 2²¹.  The default is a
        hundredth of the root mean square of the loss, which keeps the error far below 1 %, or a
        millionth of the range of the losses if that is larger.

    Returns
    -------
    RecordProfile
        An upper bound on the true profile, except for rounding errors of about 1e-14 in δ.

    Notes
    -----
    Neighbouring data sets differ by the removal of one record.  Source of the division:
    Doroshenko et al. (2022).  Taught in *Many draws*.

    Examples
    --------
    One record of a thousand is alone in its bin; each of the others is released there with
    probability 1/1719, so its loss is 1:

    >>> profile = record_profile([2.7183 / 1719, 1716.2817 / 1719], [1 / 1719, 1718 / 1719],
    ...                          draws=1000)
    >>> round(profile.loss, 3), round(profile.epsilon(1e-6), 1), round(profile.delta(0.0), 2)
    (1.0, 8.9, 0.35)
    """
    p, q = _validate.distributions("present", present, "absent", absent)
    draws = _validate.integer("draws", draws, at_least=1, at_most=MOST_DRAWS)
    pld = require("dp_accounting.pld.privacy_loss_distribution")

    both = (p > 0) & (q > 0)
    p_only, q_only = float(p[q == 0].sum()), float(q[p == 0].sum())
    p, q = p[both], q[both]
    losses = np.log(p) - np.log(q)
    loss = math.inf if p_only or q_only else float(np.abs(losses).max())
    if step is None:
        size = math.sqrt(max(p @ losses**2, q @ losses**2))
        spread = float(np.ptp(losses)) if losses.size else 0.0  # 0 if no output is common to both
        step = max(size / 100, spread / 1e6) or 1.0
    step = _validate.number("step", step, above=0.0, below=700.0)
    least = float(np.abs(losses).max(initial=0.0)) / MOST_POINTS
    if step < least:
        raise _validate.fail("step", f"at least {least:.3g} here", step)
    below = np.floor(losses / step)
    # p = p0 + p1 and q = p0 e^{-below step} + p1 e^{-(below + 1) step}, for each output
    p1 = p * -np.expm1(below * step - losses) / -math.expm1(-step)
    p0 = p - p1
    towards, away = {0: 0.0}, {0: 0.0}
    for points, masses in ((below, p0), (below + 1, p1)):
        for j, mass in zip(points.astype(int).tolist(), masses.tolist(), strict=True):
            towards[j] = towards.get(j, 0.0) + mass
            away[-j] = away.get(-j, 0.0) + mass * math.exp(-j * step)
    single = pld.PrivacyLossDistribution.create_from_rounded_probability(
        towards, p_only, step, True, away, q_only, symmetric=False
    )
    # without a common output, one draw determines whether the record is present
    composed = single.self_compose(draws) if losses.size else single
    return RecordProfile(loss, draws, step, composed)
