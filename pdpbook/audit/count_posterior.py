r"""The posterior distribution of a histogram, given noisy counts or other people's public counts.

Both cases use one model.  A bin's count is geometric with an unknown mean,
:math:`\Pr[c] = \frac1{1+m}\bigl(\frac m{1+m}\bigr)^c`, and m is drawn, once for each bin, from a
list (0, ½, 1, 2, 4, …) with unknown weights.  The observation (noisy counts or public counts) has a
likelihood for each m.  The weights are chosen to maximise the likelihood, by
expectation-maximisation.  This is *empirical Bayes*: all bins together show how empty a bin usually
is, and their order plays no role.

- *Noisy counts* :math:`z=c+Z` with two-sided geometric noise: the distribution of c given z is
  proportional to the prior times :math:`e^{-\varepsilon|z-c|}`.  Only z is used, so this is
  post-processing and costs no privacy.
- *Public counts* a of other people: if :math:`a\sim\mathrm{Poisson}(\theta)` and θ is exponential
  with mean m, then a is geometric.  Given a, θ has a gamma distribution, and c, which is Poisson
  with mean ρθ, has a negative binomial distribution.

The posterior mean, divided by its sum, is the best single guess of the distribution: if n is known,
no other vector has a smaller expected divergence from the truth.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pdpbook import _validate
from pdpbook._repr import short_repr

__all__ = [
    "CountPosterior",
    "noisy_counts",
    "posterior_from_both",
    "posterior_from_noise",
    "posterior_from_public",
]

#: The probability of noise beyond this multiple of its mean size is below 1e-17.
_REACH = 40.0
#: Width of a cell of counts, as a share of the mean size of the noise; rounded up.
_CELL = 0.05
_LARGE = 2.0**40  #: counts from which their quantiles are those of gamma variables
_ROUNDS = 300  #: rounds of expectation-maximisation
_FLOOR = 1e-6  #: share of the uniform distribution in the guess, so that no output is impossible


@dataclass(frozen=True, eq=False)
class CountPosterior:
    """The distribution of the count of each bin, on a few values.

    Attributes
    ----------
    values, weights : ndarray, shape (K, J)
        Possible counts of each bin, in ascending order, and their probabilities.
    """

    values: NDArray[np.float64]
    weights: NDArray[np.float64]

    __repr__ = short_repr

    @property
    def mean(self) -> NDArray[np.float64]:
        """Expected count of each bin, shape (K,)."""
        return (self.values * self.weights).sum(axis=1)

    @property
    def distribution(self) -> NDArray[np.float64]:
        """Best single guess of the distribution, shape (K,), positive everywhere."""
        mean = self.mean
        total = mean.sum()
        bins = mean.size
        guess = mean / total if total > 0.0 else np.full(bins, 1.0 / bins)
        return (1.0 - _FLOOR) * guess + _FLOOR / bins

    def lumped(self, groups: int) -> CountPosterior:
        """Return the distribution with its values merged into J groups of similar probability.

        The means do not change.
        """
        groups = _validate.integer("groups", groups, at_least=1)
        _validate.memory("groups", groups, len(self.values), groups, what="the distribution")
        middle = np.cumsum(self.weights, axis=1) - self.weights / 2
        group = np.minimum((middle * groups).astype(int), groups - 1)
        place = np.arange(len(group))[:, None] * groups + group
        size = len(group) * groups
        weight = np.bincount(place.ravel(), self.weights.ravel(), size).astype(float)
        sums = np.bincount(place.ravel(), (self.weights * self.values).ravel(), size).astype(float)
        value = np.divide(sums, weight, out=np.zeros(size), where=weight > 0)
        shape = (len(group), groups)
        return CountPosterior(value.reshape(shape), weight.reshape(shape))


def posterior_from_noise(noisy: ArrayLike, *, epsilon: float) -> CountPosterior:
    r"""Return the posterior distribution of a histogram given noisy counts.

    Parameters
    ----------
    noisy : array_like of int, shape (K,)
        Counts with two-sided geometric noise, :math:`\Pr[Z=z]\propto e^{-\varepsilon|z|}`; some may
        be negative.
    epsilon : float
        Level of the noise, from 1e-12 to 700.

    Returns
    -------
    CountPosterior
        If the noise is large, counts are grouped in cells of a twentieth of its mean size.

    Notes
    -----
    Source: this book; the idea of such a prior is due to Robbins (1956).  Taught in *What would you
    have used instead?*

    Examples
    --------
    >>> posterior_from_noise([60, 1, -2, 0, 1, 0, -1, 2], epsilon=1.0).mean.round(2)
    array([59.97,  0.42,  0.08,  0.08,  0.42,  0.08,  0.08,  0.82])
    """
    z = noisy_counts(noisy)
    epsilon = _validate.number("epsilon", epsilon, at_least=1e-12, at_most=700.0)
    reach = math.ceil(_REACH / epsilon)
    width = math.ceil(_CELL / epsilon)
    first = 1 + width * np.maximum((z - reach - 1) // width, 0)
    cells = first[:, None] + width * np.arange(2 * reach // width + 3)[None, :]
    low = np.hstack([np.zeros((z.size, 1)), cells])  # the count 0 is a separate cell
    high = np.hstack([np.ones((z.size, 1)), cells + float(width)])
    values = (low + high - 1.0) / 2.0
    log_likelihood = -epsilon * np.abs(z[:, None] - values)
    likelihood = np.exp(log_likelihood - log_likelihood.max(axis=1, keepdims=True))
    means = _means(max(float(z.max()), 0.0) + reach)
    evidence = np.empty((means.size, z.size))
    for j, mean in enumerate(means):
        evidence[j] = (_geometric(mean, low, high) * likelihood).sum(axis=1)
    weights = _empirical_weights(evidence)
    joint = sum(
        (share * _geometric(mean, low, high) for mean, share in zip(means, weights, strict=True)),
        start=np.zeros_like(low),
    )
    joint = joint * likelihood
    return CountPosterior(values, joint / joint.sum(axis=1, keepdims=True))


def posterior_from_public(public: ArrayLike, n: int) -> CountPosterior:
    """Return the posterior of n people's histogram given the public histogram of others.

    Parameters
    ----------
    public : array_like of int, shape (K,)
        Counts of at least two people who come from the same source as the n people.
    n : int
        Number of records of the unknown histogram, at least 1.

    Returns
    -------
    CountPosterior
        A distribution on 16 possible counts for each bin and each mean of the prior.

    Notes
    -----
    Source: this book.  Taught in *Noise learned from public data*.

    Examples
    --------
    >>> posterior_from_public([60, 1, 0, 0, 0, 0, 2, 0], n=63).mean.round(2)
    array([60.06,  0.68,  0.26,  0.26,  0.26,  0.26,  1.07,  0.26])
    """
    from scipy.stats import gamma, nbinom

    counts = _validate.counts_vector("public", public)
    n = _validate.integer("n", n, at_least=1)
    posterior, size, odds = _predictive(counts, n)
    levels = (np.arange(16) + 0.5) / 16
    exact = size[:, None] * odds
    # the quantiles of large counts, which take long, are in proportion to those of gamma variables
    large, shape = exact[..., None] > _LARGE, size[:, None, None]
    chance = 1.0 / (1.0 + np.where(large, 0.0, odds[:, None]))
    drawn = np.asarray(nbinom.ppf(levels, shape, chance))  # (K, M - 1, J)
    drawn = np.where(large, gamma.ppf(levels, shape), drawn)
    drawn[..., -1] = np.maximum(drawn[..., -1], 1.0)  # all terms may be 0 in a rare bin
    drawn *= (exact / drawn.mean(axis=2))[:, :, None]
    values = np.concatenate([np.zeros((size.size, 1)), drawn.reshape(size.size, -1)], axis=1)
    shares = np.repeat(posterior[1:].T / 16, 16, axis=1)
    shares = np.concatenate([posterior[:1].T, shares], axis=1)
    order = np.argsort(values, axis=1, kind="stable")
    return CountPosterior(
        np.take_along_axis(values, order, axis=1), np.take_along_axis(shares, order, axis=1)
    )


def posterior_from_both(
    public: NDArray[np.int64], noisy: NDArray[np.int64], n: int, epsilon: float
) -> CountPosterior:
    """Return the posterior distribution of a histogram given both public and noisy counts.

    It is the normalised product of the posterior of about n people given the public counts, and the
    likelihood of their noisy counts at level ε from 1e-3 to 700; both arrays have shape (K,).

    Examples
    --------
    >>> public, noisy = np.array([60, 0, 0, 0]), np.array([70, 3, -1, 4])
    >>> posterior_from_both(public, noisy, 60, epsilon=2.0).mean.round(1)
    array([70. ,  0.4,  0. ,  1.5])
    """
    from scipy.stats import nbinom

    posterior, size, odds = _predictive(public, n)
    reach = math.ceil(_REACH / epsilon)
    first = np.maximum(noisy - reach, 0)
    values = (first[:, None] + np.arange(2 * reach + 1)).astype(float)
    joint = posterior[0][:, None] * (values == 0.0)
    for weight, p in zip(posterior[1:], 1.0 / (1.0 + odds), strict=True):
        joint = joint + weight[:, None] * np.asarray(nbinom.pmf(values, size[:, None], p))
    nearness = -epsilon * np.abs(noisy[:, None] - values)
    joint = (joint + 1e-300) * np.exp(nearness - nearness.max(axis=1, keepdims=True))
    return CountPosterior(values, joint / joint.sum(axis=1, keepdims=True))


def _predictive(
    counts: NDArray[np.int64], n: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return each prior mean's probability given public counts, and the negative binomials.

    Shapes (M, K), (K,) and (M - 1,); the first mean is 0.  A negative binomial has the mean
    size · odds.
    """
    share = n / float(counts.sum())
    means = _means(float(counts.max()))
    low = counts.astype(float)
    evidence = np.array([_geometric(mean, low, low + 1.0) for mean in means])
    # pragma: no mutate — a factor of each bin cancels in its posterior
    weights = _empirical_weights(evidence / evidence.max(axis=0))
    posterior = weights[:, None] * evidence
    posterior /= posterior.sum(axis=0)
    rate = 1.0 + 1.0 / means[1:]  # rate of the gamma distribution of θ given the public count
    return posterior, low + 1.0, share / rate


def noisy_counts(noisy: ArrayLike) -> NDArray[np.int64]:
    """Return noisy counts after checking that they are at least two whole numbers up to ±2⁵³."""
    _validate.finite_vector("noisy", noisy, entries=2)
    return _validate.whole_numbers("noisy", noisy)


def _means(largest: float) -> NDArray[np.float64]:
    """Return the means of the prior, 0, ½, 1, 2, … up to at least the largest count plus 2."""
    return np.concatenate([[0.0], 2.0 ** np.arange(-1, math.ceil(math.log2(largest + 2.0)) + 1)])


def _geometric(mean: float, low: NDArray[Any], high: NDArray[Any]) -> NDArray[np.float64]:
    """Return the probability that a geometric count of a given mean is in [low, high)."""
    if mean == 0.0:
        return (low == 0.0).astype(float)
    log_ratio = -math.log1p(1.0 / mean)
    return np.exp(low * log_ratio) * -np.expm1((high - low) * log_ratio)


def _empirical_weights(evidence: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weights of the prior means that maximise the likelihood, from equal weights."""
    weights = np.full(len(evidence), 1.0 / len(evidence))
    for _ in range(_ROUNDS):
        posterior = weights[:, None] * evidence
        weights = (posterior / posterior.sum(axis=0)).mean(axis=1)
    return weights
