r"""Gradual release: several noisy copies of one number at the cost of the most accurate copy.

Independent copies of a number can be averaged, so two copies that are :math:`\varepsilon_1`- and
:math:`\varepsilon_2`-DP are together only :math:`(\varepsilon_1+\varepsilon_2)`-DP.  Correlated
copies can do better.  For :math:`\varepsilon_1<\varepsilon_2`, draw

.. math:: V_2\sim\operatorname{Lap}(1/\varepsilon_2),\qquad
   V_1=\begin{cases}V_2 & \text{with probability } (\varepsilon_1/\varepsilon_2)^2,\\
   V_2+\operatorname{Lap}(1/\varepsilon_1) & \text{otherwise.}\end{cases}

Then :math:`V_1\sim\operatorname{Lap}(1/\varepsilon_1)` exactly, because the factor
:math:`\rho+(1-\rho)\frac{\varepsilon_1^2}{\varepsilon_1^2+t^2}` with
:math:`\rho=(\varepsilon_1/\varepsilon_2)^2` is the quotient of the two characteristic functions.  A
recipient of the accurate copy could compute the noisy copy from it, so the two copies together are
:math:`\varepsilon_2`-DP by post-processing.  Repeating the step gives any number of levels, as a
Markov chain from the least noisy copy to the noisiest.  The reversed chain refines a copy that has
already been released.  Taught in *Collusion*.

These are the ideal mechanisms on real numbers, for experiments and not for a release: sums of
floating-point numbers betray the answer in their low bits
(:mod:`pdpbook.foundations.released_bits`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pdpbook import _validate

__all__ = ["gradual_laplace", "refine", "two_level_density"]

_SMALLEST = 1e-300  # smallest ε for which noise of scale 1/ε is finite


def gradual_laplace(
    size: int, *, epsilons: ArrayLike, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Draw the noise of several copies of an answer so that colluding recipients learn no more.

    Parameters
    ----------
    size : int
        Number of independent answers that get noise.
    epsilons : array_like, shape (m,)
        Privacy level of each copy, in any order, for an answer of sensitivity 1.
    rng : numpy.random.Generator

    Returns
    -------
    ndarray, shape (size, m)
        Column j is Laplace noise of scale ``1/epsilons[j]``.  Copies of equal level are equal.
        All columns together, added to one answer, are ``max(epsilons)``-private, and any subset
        of the columns costs the largest level in this subset.

    Notes
    -----
    Neighbouring data sets differ by the removal or the replacement of one record, which changes the
    answer by at most 1.  The noise is for experiments and not for a release: the low bits of
    floating-point noise betray the answer.

    Source: Koufogiannis, Han & Pappas (2015), and Cui et al. (2019), theorem 2, for two levels.
    Taught in *Collusion*.

    Examples
    --------
    >>> noise = gradual_laplace(100_000, epsilons=[0.5, 1.0], rng=np.random.default_rng(0))
    >>> noise.shape, np.abs(noise).mean(axis=0).round(2)
    ((100000, 2), array([2., 1.]))
    >>> float((noise[:, 0] == noise[:, 1]).mean().round(2))
    0.25
    """
    size = _validate.integer("size", size, at_least=1)
    given = np.atleast_1d(_validate.numeric("epsilons", epsilons))
    levels = _validate.finite_vector("epsilons", given, at_least=_SMALLEST)
    _validate.memory("size", size, size, levels.size, what="the noise")
    rng = _validate.generator("rng", rng)
    order = np.argsort(-levels, kind="stable")
    noise = np.empty((size, levels.size))
    last = levels[order[0]]
    current = rng.laplace(size=size) / last
    for column in order:
        level = levels[column]
        if level < last:
            moves = rng.random(size) >= (level / last) ** 2
            current = current + np.where(moves, rng.laplace(size=size) / level, 0.0)
            last = level
        noise[:, column] = current
    return noise


def refine(
    noise: ArrayLike, *, epsilon: float, new_epsilon: float, rng: np.random.Generator
) -> NDArray[np.float64]:
    r"""Relax the privacy of released answers: draw smaller noise given the larger noise.

    Parameters
    ----------
    noise : array_like, any shape
        Noise :math:`V_1\sim\operatorname{Lap}(1/\varepsilon_1)` of the copy that was released last.
    epsilon : float
        Level :math:`\varepsilon_1 > 0` of that copy.
    new_epsilon : float
        Level :math:`\varepsilon_2\ge\varepsilon_1` of the new copy.
    rng : numpy.random.Generator

    Returns
    -------
    ndarray, shape of ``noise``
        Noise :math:`V_2\sim\operatorname{Lap}(1/\varepsilon_2)` of the new copy.  The pair has the
        distribution of :func:`gradual_laplace`, so the old and the new copy together are
        :math:`\varepsilon_2`-private.

    Notes
    -----
    Neighbouring data sets are defined as for :func:`gradual_laplace`, by removal or replacement.
    The noise is for experiments and not for a release.

    Source: Koufogiannis, Han & Pappas (2015).  The conditional distribution has an atom at
    :math:`V_1` and three exponential pieces.  Taught in *Collusion*.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> noisy = rng.laplace(scale=2.0, size=100_000)
    >>> accurate = refine(noisy, epsilon=0.5, new_epsilon=1.0, rng=rng)
    >>> float(np.abs(accurate).mean().round(2)), float((accurate == noisy).mean().round(2))
    (1.0, 0.25)
    """
    epsilon = _validate.number("epsilon", epsilon, above=_SMALLEST)
    new_epsilon = _validate.number("new_epsilon", new_epsilon, at_least=epsilon)
    rng = _validate.generator("rng", rng)
    given = _validate.finite_array("noise", noise)
    noisy = given.ravel()
    length, side = np.abs(noisy), np.where(noisy < 0, -1.0, 1.0)
    fall, rise = new_epsilon - epsilon, new_epsilon + epsilon
    tail = np.exp(-fall * length)
    stays = epsilon / new_epsilon * tail
    beyond = stays + fall / (2.0 * new_epsilon) * tail
    across = beyond + fall / (2.0 * new_epsilon)
    piece, place = rng.random(noisy.size), rng.random(noisy.size)
    step = rng.exponential(size=noisy.size) / rise
    between = -np.log1p(place * np.expm1(-fall * length)) / fall if fall > 0 else length
    accurate = np.select(
        [piece < stays, piece < beyond, piece < across], [length, length + step, -step], between
    )
    return (side * accurate).reshape(given.shape)


def two_level_density(
    noisy: ArrayLike, accurate: ArrayLike, *, epsilon: float, new_epsilon: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    r"""Return the joint distribution of the noise of two copies: a smooth part and an atom.

    Parameters
    ----------
    noisy, accurate : array_like
        Values x and y of the noise of the first and of the second level.
    epsilon, new_epsilon : float
        The levels, :math:`0<\varepsilon_1\le\varepsilon_2`.

    Returns
    -------
    smooth : ndarray
        :math:`\frac{\varepsilon_1(\varepsilon_2^2-\varepsilon_1^2)}{4\varepsilon_2}
        e^{-\varepsilon_1|x-y|-\varepsilon_2|y|}`, of the broadcast shape: the density of the pairs
        with x ≠ y.
    atom : ndarray
        :math:`\frac{\varepsilon_1^2}{2\varepsilon_2}e^{-\varepsilon_2|y|}`, of the shape of
        ``accurate``: the density of the pairs with x = y, per unit of y.

    Notes
    -----
    Source: Cui et al. (2019), theorem 2.  Taught in *Collusion*.

    Examples
    --------
    >>> smooth, atom = two_level_density(0.0, 0.0, epsilon=1.0, new_epsilon=2.0)
    >>> float(smooth), float(atom)
    (0.375, 0.25)
    """
    low = _validate.number("epsilon", epsilon, above=_SMALLEST)
    high = _validate.number("new_epsilon", new_epsilon, at_least=low)
    x, y = _validate.finite_array("noisy", noisy), _validate.finite_array("accurate", accurate)
    _validate.broadcast("noisy", x, "accurate", y)
    ratio = low / high
    with np.errstate(over="ignore", under="ignore"):
        decay = low * np.abs(x - y) + high * np.abs(y)
        smooth = 0.25 * low * (high - low) * (1.0 + ratio) * np.exp(-decay)
        atom = 0.5 * low * ratio * np.exp(-high * np.abs(y))
    if not np.isfinite(smooth).all():
        raise _validate.fail("new_epsilon", "so small that the density is finite", high)
    return smooth, atom
