r"""Three measures of how far apart two distributions are.

For two distributions P and Q on the same outputs, such as the distributions of a mechanism's output
on two neighbouring data sets,

- the smallest ε of :math:`(\varepsilon, 0)`-privacy is the largest :math:`|\ln P(x)/Q(x)|`;
- the smallest δ at a given ε is the hockey-stick divergence
  :math:`\sum_x (P(x)-e^\varepsilon Q(x))^+`, attained by the event on which P exceeds
  :math:`e^\varepsilon Q`;
- the Kullback–Leibler divergence :math:`\sum_x P(x)\ln\frac{P(x)}{Q(x)}` is the mean of the privacy
  loss and measures the information that a release loses.

The proofs are in the chapter *Laplace and Gaussian noise*.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from pdpbook import _validate

__all__ = ["hockey_stick_divergence", "kl_divergence", "pure_epsilon"]


def kl_divergence(p: ArrayLike, q: ArrayLike) -> float:
    r"""Return the Kullback–Leibler divergence of p from q.

    Parameters
    ----------
    p, q : array_like, shape (K,)
        Probability vectors: the distributions of the data and of the release.

    Returns
    -------
    float
        :math:`\sum_x p(x) \ln(p(x)/q(x)) \ge 0` in nats; infinite if q is zero where p is not.

    Notes
    -----
    Source: Ryu, Jang & Yang (2024), section VI.  Taught in *Experiment 1: heights*.

    Examples
    --------
    >>> round(kl_divergence([0.5, 0.5, 0.0], [0.25, 0.5, 0.25]), 4)
    0.3466
    >>> kl_divergence([0.5, 0.5], [1.0, 0.0])
    inf
    """
    p, q = _validate.distributions("p", p, "q", q)
    seen = p > 0
    if (q[seen] == 0).any():
        return math.inf
    with np.errstate(over="ignore"):
        logs = np.log(p[seen] / q[seen])
    logs = np.where(np.isinf(logs), np.log(p[seen]) - np.log(q[seen]), logs)
    return float(max(math.fsum(p[seen] * logs), 0.0))


def pure_epsilon(p: ArrayLike, q: ArrayLike) -> float:
    r"""Return the smallest ε for which two distributions are ε-indistinguishable.

    Parameters
    ----------
    p, q : array_like, shape (K,)
        Output distributions for a data set and for a neighbouring data set.

    Returns
    -------
    float
        :math:`\max_x|\ln p(x)/q(x)|`, infinite if only one of the two reaches some output.

    Notes
    -----
    Taught in *Laplace and Gaussian noise*.  It suffices to compare individual outputs, because the
    probability ratio of an event is between the ratios of its outputs.

    Examples
    --------
    >>> round(pure_epsilon([0.75, 0.25], [0.25, 0.75]), 4)
    1.0986
    >>> pure_epsilon([0.5, 0.5, 0.0], [0.5, 0.0, 0.5])
    inf
    """
    p, q = _validate.distributions("p", p, "q", q)
    reached = (p > 0) | (q > 0)
    with np.errstate(divide="ignore"):
        return float(np.abs(np.log(p[reached]) - np.log(q[reached])).max())


def hockey_stick_divergence(p: ArrayLike, q: ArrayLike, *, epsilon: float) -> float:
    r"""Return the smallest δ for which :math:`p(S) \le e^\varepsilon q(S)+\delta` for all S.

    Parameters
    ----------
    p, q : array_like, shape (K,)
        Output distributions for a data set and for a neighbouring data set; the order matters.
    epsilon : float
        :math:`\varepsilon \ge 0`; for 0 the result is the total variation distance.

    Returns
    -------
    float
        :math:`\sum_x (p(x)-e^\varepsilon q(x))^+`.

    Notes
    -----
    Taught in *Laplace and Gaussian noise*.

    Examples
    --------
    >>> round(hockey_stick_divergence([0.75, 0.25], [0.25, 0.75], epsilon=0.5), 4)
    0.3378
    """
    p, q = _validate.distributions("p", p, "q", q)
    epsilon = _validate.number("epsilon", epsilon, at_least=0.0)
    with np.errstate(divide="ignore"):
        excess = -np.expm1(np.minimum(epsilon + np.log(q[p > 0]) - np.log(p[p > 0]), 0.0))
    return float((p[p > 0] * excess).sum())
