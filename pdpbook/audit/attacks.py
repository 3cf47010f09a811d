r"""The optimal attack on one record: a likelihood-ratio test on m released values.

An attacker who knows the algorithm and all other records knows the distribution P of a draw with
the record and the distribution P′ of a draw without it.  The attacker sees the histogram :math:`c`
of m independent draws and decides "in" or "out".  By the lemma of Neyman and Pearson, no test is
better than a threshold on

.. math:: \Lambda = \sum_x c_x \ln\frac{P(x)}{P'(x)} .

Λ is linear in the histogram: a draw of x adds the *score* :math:`\ln P(x)/P'(x)`.  The distribution
of Λ is therefore an m-fold convolution, both with the record and without it.  For the convolution,
the scores are discretised to multiples of a step, in two ways that give a lower and an upper bound:

* *rounded* to the nearest multiple.  The result is a feasible test, so its error rates are attained
  and the optimal test is at least as good;
* *split* between the two nearest multiples, so that neither of an output's two probabilities
  changes.  The draws can be recovered from the split draws, so no test of the draws is better than
  the optimal test of the split draws.

Proved in the chapter *Attacks*.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pdpbook import _validate
from pdpbook._repr import short_repr

__all__ = ["Attack", "optimal_attack"]

MOST_DRAWS = 10**6  #: in an attack; the sums of more draws would not fit in memory
MOST_POINTS = 2**21  #: of the grid for the scores of one draw
TAIL = 1e-14  #: probability of either tail outside the range of the sums


@dataclass(frozen=True, eq=False)
class Attack:
    r"""The optimal test for a record on several draws, as returned by :func:`optimal_attack`.

    Attributes
    ----------
    scores : ndarray, shape (K,)
        The score of a draw of x, :math:`\ln P(x)/P'(x)`; infinite if only one of the two
        distributions reaches x, and 0 if neither distribution does.
    draws : int
    step : float
        Distance between the multiples on which the scores were added up.
    false_positives, true_positives : ndarray, shape (t,)
        Rates at the corners of the ROC curve of the test with rounded scores, from 0 to 1.
    advantage, advantage_bound : float
        A lower and an upper bound on the best advantage :math:`\mathrm{TV}(P^m, P'^m)`; the ROC
        curve attains the lower bound.
    """

    scores: NDArray[np.float64]
    draws: int
    step: float
    false_positives: NDArray[np.float64]
    true_positives: NDArray[np.float64]
    advantage: float
    advantage_bound: float

    __repr__ = short_repr

    def true_positive_rate(self, false_positive_rate: float) -> float:
        """Return the true-positive rate of the test at a false-positive rate.

        Between two thresholds the test is randomised.  Rates below 1e-12 are lost in rounding.
        """
        rate = _validate.number(
            "false_positive_rate", false_positive_rate, at_least=0.0, at_most=1.0
        )
        last = int(np.searchsorted(self.false_positives, rate, side="right")) - 1
        if last + 1 == self.false_positives.size:
            return 1.0
        (x, above), (y, more) = (
            axis[last : last + 2] for axis in (self.false_positives, self.true_positives)
        )
        return float(y + (more - y) * (rate - x) / (above - x))


def optimal_attack(
    present: ArrayLike, absent: ArrayLike, *, draws: int = 1, step: float | None = None
) -> Attack:
    """Return the optimal test for a record, with its error rates, from two distributions.

    Parameters
    ----------
    present, absent : array_like, shape (K,)
        Distribution of one draw with the record and without it.  For the end-to-end attack, the
        second distribution comes from a rerun of the whole pipeline.
    draws : int
        Number of independent draws, from 1 to 10⁶.
    step : float, optional
        Distance between the grid points of the scores.  The default is a thirtieth of the Hellinger
        distance, so that rounding loses about a ten-thousandth of a draw's information.

    Returns
    -------
    Attack

    See Also
    --------
    pdpbook.foundations.tradeoff.tradeoff_curve : the curve of one draw, in terms of misses.
    pdpbook.audit.accounting.record_profile : the same convolution, in terms of (ε, δ).

    Notes
    -----
    Source: Neyman & Pearson (1933); the division of scores is due to Doroshenko et al. (2022).
    Taught in *Attacks*.

    Examples
    --------
    >>> attack = optimal_attack([0.75, 0.25], [0.25, 0.75], draws=3)
    >>> attack.scores.round(3), round(attack.advantage, 4)
    (array([ 1.099, -1.099]), 0.6875)
    >>> round(attack.true_positive_rate(1 / 64), 4)
    0.4219
    """
    p, q = _validate.distributions("present", present, "absent", absent)
    draws = _validate.integer("draws", draws, at_least=1, at_most=MOST_DRAWS)
    if step is not None:
        step = _validate.number("step", step, above=0.0, below=700.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.log(p) - np.log(q)
    scores = np.where((p == 0.0) & (q == 0.0), 0.0, ratio)
    seen = np.isfinite(scores) & (p > 0)
    values, p, q = scores[seen], p[seen] / p.sum(), q[seen] / q.sum()
    spread = float(np.ptp(values)) if values.size else 0.0
    least = max(spread, 1e-300) / MOST_POINTS
    if step is None:
        apart = math.sqrt(float(((np.sqrt(p) - np.sqrt(q)) ** 2).sum()))
        step = max(apart / 30.0, least) if spread or apart else 1.0
    elif step < least:
        raise _validate.fail("step", f"at least {least:.3g} here", step)
    step = min(step, 600.0)
    # p and q may sum to less than 1, because outputs with infinite scores are left out
    rounded = np.rint(values / step).astype(np.int64)
    present, absent = _sums(rounded, p, q, draws)
    certain = max(0.0, 1.0 - float(present.sum()))  # probability of an output that only P reaches
    alpha = np.concatenate([[0.0], np.cumsum(absent[::-1])])
    power = certain + np.concatenate([[0.0], np.cumsum(present[::-1])])
    alpha, power = np.append(np.minimum(alpha, 1.0), 1.0), np.append(np.minimum(power, 1.0), 1.0)
    if certain > 0.0:
        alpha, power = np.append(0.0, alpha), np.append(0.0, power)
    below = np.floor(values / step)
    # p = p0 + p1 and q = p0 e^{-below step} + p1 e^{-(below + 1) step}, for each output
    share = np.clip(-np.expm1(below * step - values) / -math.expm1(-step), 0.0, 1.0)
    away = np.clip(np.expm1(values - (below + 1) * step) / math.expm1(-step), 0.0, 1.0)
    points = np.concatenate([below, below + 1]).astype(np.int64)
    split = _sums(
        points,
        np.concatenate([p * (1.0 - share), p * share]),
        np.concatenate([q * away, q * (1.0 - away)]),
        draws,
    )
    bound = certain + float(np.maximum(split[0] - split[1], 0.0).sum())
    advantage = float((power - alpha).max())
    return Attack(scores, draws, step, alpha, power, advantage, min(1.0, max(bound, advantage)))


def _sums(
    points: NDArray[np.int64], p: NDArray[np.float64], q: NDArray[np.float64], draws: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the distributions of the sum of m draws, with and without the record, on one grid."""
    sums = [_sum(points, mass, draws) for mass in (p, q)]
    covered = np.union1d(*(first + np.arange(masses.size) for first, masses in sums))
    both = np.zeros((2, covered.size))
    for row, (first, masses) in zip(both, sums, strict=True):
        start = int(np.searchsorted(covered, first))
        row[start : start + masses.size] = masses
    return both[0], both[1]


def _sum(
    points: NDArray[np.int64], mass: NDArray[np.float64], draws: int
) -> tuple[int, NDArray[np.float64]]:
    """Return the first value and the probabilities of the sum of m draws, by a power of a spectrum.

    The sum is computed modulo the length of a range.  By Chernoff's bound, the sum leaves this
    range with probability at most 2 TAIL; a sum that leaves the range reappears at the other end.
    """
    from scipy.fft import irfft, next_fast_len, rfft

    total = float(mass.sum())
    if total == 0.0:
        return 0, np.zeros(1)
    points, mass = points[mass > 0.0], mass[mass > 0.0]
    weights = mass / total
    mean = float(weights @ points)
    away = points - mean
    spread = math.sqrt(float(weights @ away**2))
    low, high = draws * int(points.min()), draws * int(points.max())
    if spread > 0.0 and draws > 1:
        rarity = -math.log(TAIL)
        # pragma: no mutate — Chernoff's bound is valid for every tilt, and tight for the best one
        tilts = math.sqrt(2.0 * rarity / draws) / spread * np.geomspace(1e-3, 1e3, 61)
        for sign in (1.0, -1.0):
            exponents = np.outer(sign * tilts, away)
            peaks = exponents.max(axis=1)
            moments = peaks + np.log(np.exp(exponents - peaks[:, None]) @ weights)
            reach = float(((draws * moments + rarity) / tilts).min())
            if sign > 0:
                high = min(high, math.ceil(draws * mean + reach))
            else:
                low = max(low, math.floor(draws * mean - reach))
    length = next_fast_len(high - low + 1, real=True)
    single = np.bincount(points % length, weights=weights, minlength=length)
    masses = irfft(rfft(single) ** draws, length)
    masses = np.maximum(masses[np.arange(low, high + 1) % length], 0.0)
    return low, masses * (total**draws / masses.sum())
