r"""Exact noise: draws from the stated distribution, with no rounding.

A double has 53 bits, so a program that computes noise as :math:`-b\ln U` cannot return every
number, and the set of numbers it can return depends on the value to which the noise is added
(Mironov 2012).  The samplers here never compute a logarithm or an exponential.  They draw uniform
whole numbers, compare whole numbers, and return whole numbers.

**A coin of probability** :math:`e^{-x}` **for** :math:`0\le x\le1`.  Toss coins with the
probabilities :math:`x, \tfrac x2, \tfrac x3, \dots` until one fails.  The first :math:`k` coins
all succeed with probability :math:`x^k/k!`, so the index of the first failure is odd with
probability

.. math:: (1-x)+\Bigl(\frac{x^2}{2!}-\frac{x^3}{3!}\Bigr)+\dots=e^{-x} .

For a larger x, toss a coin of probability :math:`e^{-1}` for each unit of its integer part, and
stop at the first failure (Canonne, Kamath & Steinke 2020, Algorithm 1).  Here x is a multiple of
:math:`2^{-62}`.  A coin of probability :math:`x/k` succeeds if a uniform number of 62 bits is below
:math:`2^{62}x` and an independent uniform number from 0 to k - 1 is 0.

**Geometric numbers**, :math:`\Pr[G\ge g]=e^{-rg}`.  Write :math:`G=L+2^jH` with
:math:`0\le L<2^j`.  Then :math:`e^{-rG}` is a product, so L and H are independent: L is a uniform
number of j bits that is kept with probability :math:`e^{-rL}`, and H counts the successes of coins
of probability :math:`e^{-2^jr}` before the first failure.  If j is the largest number with
:math:`2^jr<1`, L and H need few coins, however wide the noise is.

**Discrete Laplace**, :math:`\Pr[Z=z]\propto e^{-r|z|}`: a geometric number with a random sign; both
are drawn again if the number is 0 and the sign is a minus, because 0 would otherwise count twice
(Algorithm 2 of the same paper).

**Discrete Gaussian**, :math:`\Pr[Z=z]\propto e^{-hz^2}`: a discrete Laplace number z of rate r that
is kept with probability :math:`e^{-(hz^2-r|z|+\kappa)}`, where :math:`\kappa\ge r^2/4h` makes the
exponent nonnegative for all z (Algorithm 3 of the same paper).

A rate is an ε divided by a sensitivity, rounded *down* to a multiple of :math:`2^{-62}`.  The noise
is therefore at least as wide as requested and at most one part in :math:`10^6` wider, and the
promise is kept exactly.  Noise beyond :math:`\pm2^{62}` is returned as :math:`\pm2^{62}`.  This
limit changes no result, because :func:`add_noise` clips the noisy number to :math:`\pm2^{61}`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pdpbook import _validate
from pdpbook.foundations.system_generator import release_source

__all__ = [
    "add_noise",
    "choose",
    "coins",
    "discrete_gaussian_mechanism",
    "discrete_gaussian_noise",
    "discrete_laplace_noise",
    "geometric_numbers",
    "laplace_reach",
    "rate_units",
]

#: Rates and exponents are whole numbers of 2⁻⁶².
BITS = 62
UNITS = 2**BITS
#: The largest size of the noise; a noisy number is at most half as large.
LARGEST = 2**62
#: :func:`choose` tries at most this many candidates at once.
_BLOCK = 2**14


def rate_units(rate: Fraction) -> int:
    """Return a rate, ε divided by a sensitivity, in units of 2⁻⁶².

    The rate is rounded down, because a lower rate means more noise; it must be at least 2⁻⁶².
    """
    units = math.floor(rate * UNITS)
    if units < 1:
        raise ValueError(f"rate must be at least 2**-62, got {float(rate)!r}")
    return units


def coins(
    exponents: NDArray[np.int64], rng: np.random.Generator, *, wholes: ArrayLike = 0
) -> NDArray[np.bool_]:
    """Toss coins that succeed with probability :math:`e^{-x}`, exactly, shape (m,).

    ``wholes`` are the integer parts of the numbers x, and ``exponents`` are :math:`2^{62}` times
    their fractional parts.  Source: Canonne, Kamath & Steinke (2020), Algorithm 1.
    """
    kept = np.ones(exponents.size, dtype=bool)
    left = np.broadcast_to(wholes, exponents.shape).copy()
    while (more := np.flatnonzero(kept & (left > 0))).size:  # one coin exp(-1) per unit
        left[more] -= 1
        kept[more] = _small_coins(np.full(more.size, UNITS), rng)
    kept[kept] = _small_coins(exponents[kept], rng)
    return kept


def _small_coins(exponents: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.bool_]:
    """Toss coins of probability exp(-x) for numbers x from 0 to 1, in units of 2⁻⁶²."""
    answer = np.zeros(exponents.size, dtype=bool)
    going, number = np.arange(exponents.size), 1
    while going.size:
        succeeds = rng.integers(UNITS, size=going.size) < exponents[going]
        if number > 1:
            succeeds &= rng.integers(number, size=going.size) == 0
        answer[going[~succeeds]] = number % 2 == 1
        going, number = going[succeeds], number + 1
    return answer


def geometric_numbers(units: int, size: int, rng: np.random.Generator) -> NDArray[np.int64]:
    r"""Draw whole numbers G >= 0 with :math:`\Pr[G\ge g]=e^{-rg}`, exactly, shape (size,).

    The rate r is in units of :math:`2^{-62}`, and no number is larger than :math:`2^{62}`.
    """
    bits = max(BITS - units.bit_length(), 0)
    low = np.zeros(size, dtype=np.int64)
    open_ = np.arange(size if bits else 0)
    while open_.size:
        low[open_] = rng.integers(1 << bits, size=open_.size)
        open_ = open_[~_small_coins(units * low[open_], rng)]
    whole, part = divmod(units << bits, UNITS)
    high = np.zeros(size, dtype=np.int64)
    most = LARGEST >> bits
    going = np.arange(size)
    while going.size:
        going = going[coins(np.full(going.size, part), rng, wholes=whole)]
        high[going] += 1
        going = going[high[going] < most]
    return np.where(high < most, (high << bits) + low, LARGEST)


def discrete_laplace_noise(units: int, size: int, rng: np.random.Generator) -> NDArray[np.int64]:
    r"""Draw Z with :math:`\Pr[Z=z]\propto e^{-r|z|}`, exactly; the rate r is in units of 2⁻⁶²."""
    noise = np.empty(size, dtype=np.int64)
    open_ = np.arange(size)
    while open_.size:
        length = geometric_numbers(units, open_.size, rng)
        minus = rng.integers(2, size=open_.size) == 1
        noise[open_] = np.where(minus, -length, length)
        open_ = open_[minus & (length == 0)]
    return noise


def laplace_reach(units: int, *, level: float = 0.95) -> int:
    r"""Return the smallest t with :math:`\Pr[|Z|\le t]` at least the level, for discrete Laplace Z.

    The tail is :math:`\Pr[|Z|>t]=2a^{t+1}/(1+a)` with :math:`a=e^{-r}`.

    >>> laplace_reach(UNITS), laplace_reach(UNITS // 10)  # ε = 1 and ε = 0.1
    (3, 30)
    """
    rate = units / UNITS
    beyond = math.log((1.0 - level) * (1.0 + math.exp(-rate)) / 2.0)
    return max(math.ceil(-beyond / rate - 1e-9) - 1, 0)


def discrete_gaussian_noise(
    variance: Fraction, size: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    r"""Draw discrete Gaussian noise, :math:`\Pr[Z=z]\propto e^{-z^2/2\sigma^2}`, exactly.

    The rate :math:`1/2\sigma^2` is rounded down to a multiple of :math:`2^{-62}`, which slightly
    increases the noise.
    """
    curve = rate_units(1 / (2 * variance))
    slope = UNITS // (math.isqrt(math.floor(variance)) + 1)
    least = -(-(slope**2) // (4 * curve))
    noise = np.empty(size, dtype=np.int64)
    open_ = np.arange(size)
    while open_.size:
        drawn = discrete_laplace_noise(slope, open_.size, rng)
        noise[open_] = drawn
        z = np.abs(drawn).astype(object)  # whole numbers of any length
        exponents = curve * z * z - slope * z + least
        wholes = np.minimum(exponents // UNITS, LARGEST).astype(np.int64)
        kept = coins((exponents % UNITS).astype(np.int64), rng, wholes=wholes)
        open_ = open_[~kept]
    return noise


def add_noise(values: NDArray[np.int64], noise: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return values plus noise, clipped to ±2⁶¹; the values are at most 2⁵³ in size."""
    return np.clip(values + noise, -LARGEST // 2, LARGEST // 2)


def choose(
    utilities: Sequence[Fraction],
    size: int,
    *,
    sensitivity: Fraction,
    epsilon: Fraction,
    rng: np.random.Generator,
) -> NDArray[np.int64]:
    r"""Choose candidates by the exponential mechanism, exactly, shape (size,).

    The logarithm of a weight is :math:`(\varepsilon/2-2^{-62})u/\Delta u`, rounded down to a
    multiple of :math:`2^{-62}`.  One record changes this logarithm by at most ε/2, including the
    rounding, and changes the logarithm of the sum of the weights by no more than that, so the
    choice is ε-private.  A candidate is drawn uniformly and kept with a probability proportional to
    its weight, and this is repeated until a candidate is kept.  The mean number of tries is at most
    the number of candidates.
    """
    slope = max(epsilon / 2 - Fraction(1, UNITS), Fraction(0)) / sensitivity * UNITS
    logs = [math.floor(slope * utility) for utility in utilities]
    best = max(logs)
    wholes = np.array([min((best - each) // UNITS, LARGEST) for each in logs], dtype=np.int64)
    parts = np.array([(best - each) % UNITS for each in logs], dtype=np.int64)
    found: list[NDArray[np.int64]] = []
    missing = size
    while missing:
        tried = rng.integers(len(logs), size=min(2 * len(logs) * missing, _BLOCK))
        kept = tried[coins(parts[tried], rng, wholes=wholes[tried])][:missing]
        found.append(kept)
        missing -= kept.size
    return np.concatenate(found)


def discrete_gaussian_mechanism(
    value: ArrayLike, *, sigma: float, rng: np.random.Generator | None = None
) -> int | NDArray[np.int64]:
    r"""Add discrete Gaussian noise: the Gaussian mechanism for whole numbers.

    Parameters
    ----------
    value : int or array_like of int, at most 2⁵³ in size
    sigma : float
        :math:`\sigma` from 0.01 to 10⁶.  The standard deviation of the noise is at most σ, up to
        one part in 10⁶, and nearly σ for σ above 1.
    rng : numpy.random.Generator, optional
        For a release, leave it out: the default is the generator of the operating system.

    Returns
    -------
    int or ndarray of int
        ``value`` plus Z, where :math:`P(Z=z)\propto e^{-z^2/2\sigma^2}`, exactly.

    Notes
    -----
    Neighbouring data sets are those between which ``value`` changes by at most
    :math:`\Delta_2` in the L2 norm.  The release is then :math:`\Delta_2^2/2\sigma^2`-zCDP, just
    as with continuous Gaussian noise of the same σ.  Source: Canonne, Kamath & Steinke (2020),
    Theorem 4 and Algorithm 3.  Taught in *From the theorem to the bits*.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> discrete_gaussian_mechanism([133, 133, 133], sigma=2.0, rng=rng)
    array([134, 130, 130])
    """
    raw = _validate.whole_numbers("value", value)
    sigma = _validate.number("sigma", sigma, at_least=0.01, at_most=1e6)
    source = release_source(rng)
    noise = discrete_gaussian_noise(Fraction(sigma) ** 2, raw.size, source).reshape(raw.shape)
    noisy = add_noise(raw, noise)
    return noisy if raw.ndim else int(noisy)
