r"""Permute-and-flip: a private choice, on average no worse than the exponential mechanism's.

The candidates are tried in a random order.  A candidate of utility u is accepted with probability
:math:`e^{-x}`, where :math:`x=\sigma(u^*-u)` and :math:`u^*` is the largest utility; the first
accepted candidate is chosen.  The best candidate is always accepted, so the procedure ends.

**Privacy.** Suppose that a change of the data changes all utilities by numbers from l to h.  Then
no probability changes by a factor of more than :math:`e^{\sigma(h-l)}`.  Proof: with independent
exponential variables :math:`E_r` of mean 1, the choice has the distribution of
:math:`\arg\max_r(\sigma u_r+E_r)` (Ding et al. 2021).  Fix all variables except :math:`E_r`.  Then
r wins if :math:`E_r\ge m`, where m is the largest of the other sums minus :math:`\sigma u_r`, and
the change of the data raises m by at most :math:`\sigma(h-l)`.  Since
:math:`\Pr[E\ge m+c]\ge e^{-c}\Pr[E\ge m]` for every m and c ≥ 0, the probability falls by at most
that factor, and by symmetry it rises by at most that factor.  The exponential mechanism with
weights :math:`e^{\sigma u}` is equally private, and its expected utility is never larger (McKenna &
Sheldon 2020).

**Distribution.**  Let each candidate be tried at a uniform random time t.  Candidate r is chosen if
it is the first to be accepted, so with :math:`p_r=e^{-x_r}`

.. math:: \Pr[r]=p_r\int_0^1\prod_{s\ne r}(1-p_st)\,dt .

Candidates with equal utilities are one *group*, so the product has few different factors, however
many candidates there are.  The integral is computed as a sum over the intervals between the powers
of 1/2, by Gaussian quadrature on each interval.

**How far from the best.**  The product is at most 1 - t, so
:math:`\Pr[r]\le p_r\int_0^1\frac{1-t}{1-p_rt}dt\le p_r\frac{1+p_r}2`.  If there are R candidates,
the probability that the chosen candidate has :math:`x\ge y` is therefore at most
:math:`R\,e^{-y}(1+e^{-y})/2`.

**Sampling** is exact: a uniform number selects the next candidate, a candidate that has been tried
is skipped, and the coin is tossed by :mod:`pdpbook.foundations.discrete_noise`.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from pdpbook.foundations.discrete_noise import LARGEST, UNITS, coins

__all__ = ["choice_reach", "flip_nodes", "flip_probabilities", "permute_and_flip", "rejections"]

#: Candidates with a larger exponent do not change any digit of the other probabilities.
NEAR = 45.0
_BLOCK = 2**14
_POINTS, _WEIGHTS = np.polynomial.legendre.leggauss(10)


def flip_nodes(candidates: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return nodes and weights, shape (J,), of the integral over t for the number of candidates."""
    panels = math.ceil(math.log2(candidates + 1.0)) + 4
    ends = np.append(0.0, 0.5 ** np.arange(panels, -1, -1.0))
    half = np.diff(ends) / 2.0
    nodes = (ends[:-1] + half)[:, None] + half[:, None] * _POINTS
    return nodes.ravel(), (half[:, None] * _WEIGHTS).ravel()


def rejections(
    exponents: NDArray[np.float64], numbers: NDArray[np.float64], nodes: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the log probability that no candidate of a group is accepted by time t, (G, J)."""
    return numbers[:, None] * np.log1p(-np.exp(-exponents)[:, None] * nodes)


def flip_probabilities(
    exponents: NDArray[np.float64], numbers: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the log probability of one candidate of each group, shape (G,).

    A group consists of ``numbers`` candidates with the same exponent x ≥ 0; the smallest x is 0.

    >>> np.exp(flip_probabilities(np.array([0.0, np.log(2.0)]), np.array([1.0, 2.0]))).round(4)
    array([0.5833, 0.2083])
    """
    nodes, weights = flip_nodes(float(numbers.sum()))
    near = exponents <= NEAR
    none = rejections(exponents[near], numbers[near], nodes).sum(axis=0)
    measure = weights * np.exp(none)
    found = np.full(exponents.size, math.log(measure.sum()))
    found[near] = np.log((1.0 / (1.0 - np.exp(-exponents[near])[:, None] * nodes)) @ measure)
    return found - exponents


def choice_reach(candidates: int, *, level: float = 0.95) -> float:
    """Return the exponent that the chosen candidate exceeds with probability at most 1 - level."""
    share = (1.0 - level) / candidates
    return -math.log(4.0 * share / (1.0 + math.sqrt(1.0 + 8.0 * share)))


def permute_and_flip(
    exponent: Callable[[NDArray[np.int64]], list[int]], candidates: int, rng: np.random.Generator
) -> int:
    """Choose one of the candidates 0, 1, … without rounding.

    ``exponent`` returns the exponents x of the given candidates in whole units of :math:`2^{-62}`;
    the smallest exponent of all candidates is 0.
    """
    tried: set[int] = set()
    while True:
        drawn = dict.fromkeys(rng.integers(candidates, size=min(2 * candidates, _BLOCK)).tolist())
        order = np.array([each for each in drawn if each not in tried], dtype=np.int64)
        exponents = exponent(order)
        wholes = np.array([min(each // UNITS, LARGEST) for each in exponents], dtype=np.int64)
        parts = np.array([each % UNITS for each in exponents], dtype=np.int64)
        kept = coins(parts, rng, wholes=wholes)
        if kept.any():
            return int(order[kept.argmax()])
        tried.update(order.tolist())
