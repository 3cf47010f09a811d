r"""How the bits of a noisy number reveal the number to which the noise was added.

A program draws Laplace noise of scale b from a uniform number :math:`U=k\,2^{-53}` by inversion,

.. math:: y=\begin{cases}x+b\ln(2U) & U<\tfrac12\\ x-b\ln(2-2U) & U\ge\tfrac12,\end{cases}

and every operation rounds.  So y takes at most :math:`2^{53}` values, and the set of these values
depends on x.  An attacker who compares two data sets with the answers x and x' counts how many
numbers k give the released y for x, and how many give it for x'.  The counts are the probabilities
of y, in units of :math:`2^{-53}`.  If the second count is 0, y proves that x was the answer,
whatever ε was promised (Mironov 2012).

The output increases with k, so the numbers k that give y form an interval, and two bisections find
its ends.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pdpbook import _validate

__all__ = ["double_laplace", "impossible_share", "laplace_preimages"]

#: A double has 53 bits, and so does the uniform number from which NumPy computes noise.
BITS = 53


def double_laplace(
    value: float, size: int, *, scale: float, rng: np.random.Generator, bits: int = BITS
) -> NDArray[np.float64]:
    """Add Laplace noise as NumPy does, in doubles: for experiments, never for a release.

    Parameters
    ----------
    value : float
        The exact answer, at most 1e15 in size.
    size : int
        Number of noisy answers, each with independent noise.
    scale : float, from 1e-15 to 1e15
    rng : numpy.random.Generator
    bits : int, bits of the uniform number, from 2 to 53

    Returns
    -------
    ndarray, shape (size,)

    Notes
    -----
    Taught in *From the theorem to the bits*.

    Examples
    --------
    >>> double_laplace(40.0, 2, scale=10.0, rng=np.random.default_rng(0)).round(3)
    array([43.201, 33.83 ])
    """
    value, scale, bits = _arguments(value, scale, bits)
    size = _validate.integer("size", size, at_least=1)
    _validate.memory("size", size, size, what="the releases")
    drawn = _validate.generator("rng", rng).integers(1, 2**bits, size=size).tolist()
    return np.array([_inverted(k, value, scale, bits) for k in drawn])


def laplace_preimages(
    numbers: ArrayLike, *, value: float, scale: float, bits: int = BITS
) -> NDArray[np.int64]:
    """Count the uniform numbers that turn a value into each of several noisy numbers.

    Parameters
    ----------
    numbers : array_like, shape (m,), the released numbers
    value : float
        A possible exact answer, at most 1e15 in size.
    scale, bits
        As for :func:`double_laplace`.

    Returns
    -------
    ndarray of int, shape (m,)
        The counts; a count divided by ``2**bits - 1`` is the probability that
        :func:`double_laplace` returns the number.

    Notes
    -----
    Source: Mironov (2012).  Taught in *From the theorem to the bits*.

    Examples
    --------
    >>> released = double_laplace(40.0, 6, scale=10.0, rng=np.random.default_rng(0))
    >>> for value in (40.0, 39.0):
    ...     print(laplace_preimages(released, value=value, scale=10.0))
    [3 2 1 1 1 1]
    [3 2 0 0 1 0]
    """
    value, scale, bits = _arguments(value, scale, bits)
    counts = []
    for number in _validate.finite_vector("numbers", numbers).tolist():
        first = _first(number, value, scale, bits)
        counts.append(_first(math.nextafter(number, math.inf), value, scale, bits) - first)
    return np.array(counts, dtype=np.int64)


def impossible_share(
    values: ArrayLike,
    *,
    lower: float,
    upper: float,
    epsilon: float,
    rng: np.random.Generator,
    releases: int = 4000,
) -> float:
    """Return the share of noisy means in doubles that prove that the largest record was present.

    Parameters
    ----------
    values : array_like, shape (n,)
        At least two numbers, in the range.
    lower, upper : float
        Ends of the range.  One record changes the mean by at most (upper - lower) / n.
    epsilon : float
        The privacy level of the ideal mechanism with this sensitivity.
    rng : numpy.random.Generator
    releases : int, number of noisy means, from 1 to 10⁴

    Returns
    -------
    float
        The share of the noisy means that are impossible without the largest record.

    Notes
    -----
    Neighbouring data sets differ by the removal of one record; the noise is the same for both.  The
    noisy means are for experiments only.  Source: Mironov (2012) for the attack.  Taught in *From
    the theorem to the bits*.

    Examples
    --------
    >>> ages = [23, 25, 31, 34, 38, 40, 41, 47, 52, 58, 66, 71]
    >>> rng = np.random.default_rng(0)
    >>> impossible_share(ages, lower=0, upper=100, epsilon=0.1, rng=rng, releases=500)
    0.668
    """
    records = np.sort(_validate.finite_vector("values", values, entries=2))
    lower = _validate.number("lower", lower)
    upper = _validate.number("upper", upper, above=lower)
    if records[0] < lower or records[-1] > upper:
        raise _validate.fail("values", f"within [{lower:g}, {upper:g}]", values)
    epsilon = _validate.number("epsilon", epsilon, above=0.0)
    releases = _validate.integer("releases", releases, at_least=1, at_most=10**4)
    with np.errstate(over="ignore"):
        scale = float(np.divide(upper - lower, records.size * epsilon))
    if not 1e-15 <= scale <= 1e15 or max(-lower, upper) > 1e15:
        raise _validate.fail(
            "epsilon", "such that (upper - lower) / (n epsilon) is between 1e-15 and 1e15", epsilon
        )
    released = double_laplace(float(records.mean()), releases, scale=scale, rng=rng)
    without = laplace_preimages(released, value=float(records[:-1].mean()), scale=scale)
    return float((without == 0).mean())


def _inverted(k: int, value: float, scale: float, bits: int) -> float:
    """Return the noisy value for the uniform number k of the given number of bits."""
    u = k * 2.0**-bits
    if u < 0.5:
        return value + scale * math.log(u + u)
    return value - scale * math.log(2.0 - u - u)


def _first(number: float, value: float, scale: float, bits: int) -> int:
    """Return the first k whose noisy value is at least a number."""
    low, high = 1, 2**bits  # the answer is at most one more than the last k
    while low < high:
        middle = (low + high) // 2
        if _inverted(middle, value, scale, bits) < number:
            low = middle + 1
        else:
            high = middle
    return low


def _arguments(value: float, scale: float, bits: int) -> tuple[float, float, int]:
    value = _validate.number("value", value, at_least=-1e15, at_most=1e15)
    scale = _validate.number("scale", scale, at_least=1e-15, at_most=1e15)
    return value, scale, _validate.integer("bits", bits, at_least=2, at_most=BITS)
