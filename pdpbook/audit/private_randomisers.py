r"""The repaired game: a randomiser made from a DP histogram, and one draw under it.

The custodian adds two-sided geometric noise, :math:`\Pr[Z=z]\propto e^{-\varepsilon_1|z|}`, to the
counts c.  From the noisy counts alone, the custodian computes

- a *lower bound* :math:`\ell=\max(\hat c-t,0)`, where t is the smallest whole number with
  :math:`\Pr[\max_kZ_k>t]\le\delta`, so that :math:`\ell\le c` with probability at least 1 - δ;
- a randomiser that is safe for ℓ at :math:`\varepsilon_2` (see
  :mod:`pdpbook.audit.safe_randomisers`).

Then a record is drawn and released according to the row of its bin.  Publishing the noisy counts,
the randomiser and the released value is :math:`(\varepsilon_1+\varepsilon_2,\delta)`-differentially
private.  If :math:`\ell\le c`, the losses of the noisy counts and of the released value add up, and
on each of two neighbouring data sets :math:`\ell\le c` fails with probability at most δ.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pdpbook import _exact, _validate
from pdpbook._repr import short_repr
from pdpbook.audit.safe_randomisers import safe_randomiser
from pdpbook.foundations.discrete_noise import UNITS, rate_units
from pdpbook.foundations.mechanisms import geometric_mechanism
from pdpbook.foundations.system_generator import release_source

__all__ = ["PrivateRandomiser", "from_noisy_counts", "noise_margin", "private_randomiser"]

SMALLEST = 1e-300  #: smaller probabilities are not distinguished from 0


@dataclass(frozen=True, eq=False)
class PrivateRandomiser:
    """A publishable randomiser and its privacy cost, as returned by :func:`private_randomiser`.

    Attributes
    ----------
    randomiser : ndarray, shape (K, K)
        Row k is the output distribution of a record of bin k.
    noisy, lower : ndarray of int, shape (K,)
        The noisy counts, and the lower bound ℓ on the counts that follows from them.
    histogram_epsilon, draw_epsilon : float
        Budget ε₁ of the noisy counts and of all results from them, and budget ε₂ of one draw.
    delta : float
        Probability that the lower bound fails, at most the requested δ.
    """

    randomiser: NDArray[np.float64]
    noisy: NDArray[np.int64]
    lower: NDArray[np.int64]
    histogram_epsilon: float
    draw_epsilon: float
    delta: float

    __repr__ = short_repr

    def output(self, counts: ArrayLike) -> NDArray[np.float64]:
        """Return the distribution of one draw from the true counts, shape (K,).

        If there are no records, the value is drawn from the first row.
        """
        data = _validate.counts_vector("counts", counts, records=0)
        _validate.same_length("counts", data, "randomiser", self.randomiser)
        total = data.sum()
        return data @ self.randomiser / total if total else self.randomiser[0].copy()


def noise_margin(bins: int, *, epsilon: float, delta: float) -> int:
    r"""Return a margin that the largest of several noise values exceeds with probability at most δ.

    Taught in *A repair*.

    Parameters
    ----------
    bins : int
        Number K of counts.
    epsilon : float
        Level of the two-sided geometric noise, for the removal of one record, from 1e-12 to 36.
    delta : float

    Returns
    -------
    int
        The smallest t ≥ 0 with :math:`\Pr[\max_kZ_k>t]\le\delta`, where
        :math:`\Pr[Z>t]=\alpha^{t+1}/(1+\alpha)` and :math:`\alpha=e^{-\varepsilon}`, with ε rounded
        down to the multiple of 2⁻⁶² at which the noise is drawn.  The probability is rounded up, so
        t may be too large if δ is nearly 1, and by 1 if the probability is nearly δ.

    Examples
    --------
    >>> noise_margin(101, epsilon=0.8, delta=1e-6), noise_margin(1, epsilon=1.0, delta=0.5)
    (22, 0)
    """
    bins = _validate.integer("bins", bins, at_least=1)
    epsilon = _noise_level("epsilon", epsilon)
    delta = _probability(delta)
    if delta / bins < 1e-305:
        raise _validate.fail("delta", "at least 1e-305 times the number of bins", delta)
    rate = _drawn_rate(epsilon)
    single = -math.expm1(math.log1p(-delta) / bins)
    margin = math.ceil(-math.log(single * (1.0 + math.exp(-rate))) / rate * (1.0 - 1e-14)) - 1
    margin = max(margin, 0)
    while _failure(bins, epsilon, margin) > delta:  # this can happen by rounding
        margin += 1
    return margin


def private_randomiser(
    counts: ArrayLike,
    *,
    epsilon: float,
    delta: float,
    share: float,
    rng: np.random.Generator | None = None,
    actions: str = "rows",
    at_least: int = 0,
) -> PrivateRandomiser:
    r"""Return a randomiser for this data set by a rule that is private for every data set.

    Parameters
    ----------
    counts : array_like of int, shape (K,)
        Histogram of the data on a public grid, with any number of records, including 0.
    epsilon, delta : float
        Budget for publishing the randomiser, the noisy counts and one draw: ε > 0, δ in (0, 1).
    share : float
        Share of ε for the noisy counts, in (0, 1]; ε₁ = share × ε is from 1e-12 to 36.
    rng : numpy.random.Generator, optional
        For a release, leave it out: the default is the generator of the operating system.
    actions : {"rows", "blur", "laplace"}
        The kind of rows; see :func:`pdpbook.audit.safe_randomiser`.
    at_least : int
        A public lower bound on the number of records.

    Returns
    -------
    PrivateRandomiser
        With ``share=1``, or if only constant randomisers are safe, all rows are the DP histogram.
        Too few records are not an error, because a refusal would reveal that there are few.

    Notes
    -----
    Neighbouring data sets differ by the removal of one record.  Source: this book.  The theorem is
    in *A repair*.  The privacy cost with m draws is the sum of (ε₁, δ) and the cost of m draws at
    ε₂, which :func:`pdpbook.draws_epsilon` computes.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> made = private_randomiser([40, 60, 1], epsilon=2.0, delta=1e-3, share=0.5, rng=rng)
    >>> made.noisy, made.lower, made.histogram_epsilon, made.draw_epsilon
    (array([41, 59,  4]), array([34, 52,  0]), 1.0, 1.0)
    """
    data = _validate.counts_vector("counts", counts, records=0)
    epsilon = _validate.number("epsilon", epsilon, above=0.0)
    delta = _probability(delta)
    share = _validate.number("share", share, above=0.0, at_most=1.0)
    source = release_source(rng)
    actions = _validate.choice("actions", actions, "rows", "blur", "laplace")
    at_least = _validate.integer("at_least", at_least, at_least=0)
    first = _noise_level("share * epsilon", share * epsilon)
    second = max(_exact.rounded_down(Fraction(epsilon) - Fraction(first)), 0.0)
    noisy = np.asarray(geometric_mechanism(data, epsilon=first, rng=source))
    return from_noisy_counts(noisy, first, second, delta=delta, actions=actions, at_least=at_least)


def from_noisy_counts(
    noisy: NDArray[np.int64],
    first: float,
    second: float,
    *,
    delta: float,
    actions: str = "rows",
    at_least: int = 0,
) -> PrivateRandomiser:
    """Return the result of :func:`private_randomiser` for given noisy counts, shape (K,).

    The counts cost ε = ``first`` and one draw costs ε = ``second``; the caller has checked both.
    """
    margin = noise_margin(noisy.size, epsilon=first, delta=delta)
    lower = np.maximum(noisy - margin, 0)
    if second > 0.0:
        randomiser = safe_randomiser(
            noisy,
            lower,
            epsilon=second,
            actions=actions,
            histogram_epsilon=first,
            at_least=at_least,
        )
        failure = _failure(noisy.size, first, margin)
    else:  # all rows are equal, and such a randomiser is safe at any ε
        randomiser = safe_randomiser(
            noisy, np.zeros_like(noisy), epsilon=1.0, histogram_epsilon=first
        )
        failure = 0.0
    return PrivateRandomiser(randomiser, noisy, lower, first, second, failure)


def _failure(bins: int, epsilon: float, margin: int) -> float:
    """Return the probability that the largest noise value exceeds the margin, rounded up."""
    rate = _drawn_rate(epsilon)
    single = math.exp(-rate * (margin + 1)) / (1.0 + math.exp(-rate))
    single = min(_exact.up(single, 8 + math.ceil(rate * (margin + 1))), 1.0)
    return min(_exact.up(-math.expm1(bins * math.log1p(-single)), 8), 1.0) if single < 1.0 else 1.0


def _drawn_rate(epsilon: float) -> float:
    """Return the ε at which the noise is drawn, rounded down."""
    return _exact.rounded_down(Fraction(rate_units(Fraction(epsilon)), UNITS))


def _noise_level(name: str, value: float) -> float:
    return _validate.number(name, value, at_least=1e-12, at_most=36.0)


def _probability(delta: float) -> float:
    return _validate.number("delta", delta, at_least=SMALLEST, below=1.0)
