r"""The five basic mechanisms and their privacy.

========================  ==================================  ============================
mechanism                 releases                            privacy
========================  ==================================  ============================
randomised response       one bit, kept or flipped            ε-DP for each respondent
Laplace                   f(D) + Lap(Δ₁/ε)                    ε-DP
geometric                 f(D) + two-sided geometric          ε-DP, for whole numbers
Gaussian                  f(D) + N(0, σ²)                     (ε, δ)-DP, with Δ₂
exponential               r with weight exp(ε u(D, r)/(2Δu))  ε-DP
========================  ==================================  ============================

Δ₁ and Δ₂ are the *sensitivities* of f, its largest changes in the L1 and in the L2 norm when one
record is removed or replaced.  A sensitivity to removal gives a promise about removal, and a
sensitivity to replacement gives a promise about replacement.  :func:`laplace_epsilon` and
:func:`gaussian_delta` compute the *privacy maps* of Laplace and Gaussian noise.  The samplers of
these two kinds of noise accept a separate scale for each entry.

There are two kinds of sampler.  :func:`geometric_mechanism`, :func:`exponential_mechanism` and
:func:`randomised_response` draw *exactly*, with the samplers of
:mod:`pdpbook.foundations.discrete_noise`: their results have exactly the stated distribution, so
they may be used for a release.  Without ``rng``, they draw from the generator of the operating
system, as a release must.

:func:`laplace_mechanism` and :func:`gaussian_mechanism` are the textbook mechanisms on real
numbers.  They are for experiments and never for a release, because the low bits of a floating-point
sum reveal the exact answer (Mironov 2012; the chapter *From the theorem to the bits* runs the
attack).  To release a mean or a sum, round it to a grid, as :func:`pdpbook.noisy_mean` does.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pdpbook import _exact, _validate
from pdpbook.foundations.discrete_noise import (
    UNITS,
    add_noise,
    choose,
    coins,
    discrete_laplace_noise,
    rate_units,
)
from pdpbook.foundations.system_generator import release_source

__all__ = [
    "analytic_gaussian_sigma",
    "exponential_mechanism",
    "exponential_probabilities",
    "gaussian_delta",
    "gaussian_mechanism",
    "geometric_mechanism",
    "laplace_epsilon",
    "laplace_mechanism",
    "randomised_response",
]


def laplace_mechanism(
    value: ArrayLike, *, sensitivity: ArrayLike, epsilon: ArrayLike, rng: np.random.Generator
) -> float | NDArray[np.float64]:
    r"""Add Laplace noise of scale sensitivity / epsilon: the ideal mechanism, for experiments.

    Parameters
    ----------
    value : float or array_like
    sensitivity : float or array_like
        :math:`\Delta_1 > 0`, in the unit of ``value``: the largest L1 change of the array ``value``
        when a record is removed (or replaced).  An array gives each entry its own scale.
    epsilon : float or array_like, ε > 0
    rng : numpy.random.Generator

    Returns
    -------
    float or ndarray
        ``value`` plus noise, in the broadcast shape of the arguments; a float if all are numbers.

    Notes
    -----
    Do not release the result: if ε is small, more than half of the released doubles can come from
    only one of two neighbouring data sets (:func:`pdpbook.foundations.impossible_share`).
    :func:`geometric_mechanism` and :func:`pdpbook.noisy_mean` draw exactly.

    Source: Dwork, McSherry, Nissim & Smith (2006); Utaliyeva, Shin & Choi (2021), eq. (5).
    Taught in *Differential privacy*.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> round(laplace_mechanism(133, sensitivity=1, epsilon=0.5, rng=rng), 3)
    133.64
    >>> laplace_mechanism([1.0, 2.0], sensitivity=[1e-9, 1e-9], epsilon=1.0, rng=rng).round(3)
    array([1., 2.])
    """
    exact = _numbers("value", value)
    width = _numbers("sensitivity", sensitivity, above=0.0)
    level = _numbers("epsilon", epsilon, above=0.0)
    scale = _quotient(width, level, "sensitivity", "epsilon")
    _validate.broadcast("value", np.asarray(exact), "sensitivity / epsilon", np.asarray(scale))
    _noise_fits(exact, scale, "sensitivity / epsilon")
    return _validate.generator("rng", rng).laplace(exact, scale)


def laplace_epsilon(scale: ArrayLike, *, sensitivity: float = 1.0) -> float | NDArray[np.float64]:
    r"""Return the ε of Laplace noise with a given scale.

    Parameters
    ----------
    scale : float or array_like, b > 0
    sensitivity : float, Δ₁ > 0

    Returns
    -------
    float or ndarray
        The smallest ε, :math:`\Delta_1/b`, rounded up.

    Notes
    -----
    Taught in *Laplace and Gaussian noise*.

    Examples
    --------
    >>> laplace_epsilon(4.0), laplace_epsilon([1.0, 2.0], sensitivity=3.0)
    (0.25, array([3. , 1.5]))
    """
    width = _validate.number("sensitivity", sensitivity, above=0.0)
    scales = _numbers("scale", scale, above=0.0)
    ratio = _quotient(width, scales, "sensitivity", "scale")
    if np.ndim(ratio):
        return np.asarray(np.nextafter(ratio, math.inf))
    return _exact.rounded_up(Fraction(width) / Fraction(scales))


def geometric_mechanism(
    value: ArrayLike,
    *,
    sensitivity: int = 1,
    epsilon: float,
    rng: np.random.Generator | None = None,
) -> int | NDArray[np.int64]:
    r"""Add two-sided geometric noise: the Laplace mechanism for whole numbers.

    Parameters
    ----------
    value : int or array_like of int, at most 2⁵³ in size
    sensitivity : int
        The largest L1 change of ``value`` when a record is removed (or replaced), at least 1.
    epsilon : float
        :math:`\varepsilon > 0`, from 1e-12 to 36 times the sensitivity.
    rng : numpy.random.Generator, optional
        For a release, leave it out: the default is the generator of the operating system.

    Returns
    -------
    int or ndarray of int
        ``value`` plus Z, where :math:`P(Z=z) \propto e^{-\varepsilon|z|/\Delta_1}`.

    Notes
    -----
    Source: Ghosh, Roughgarden & Sundararajan (2009).  Taught in *Other mechanisms*.  The noise is
    drawn exactly (:mod:`pdpbook.foundations.discrete_noise`), with ε / Δ₁ rounded down to a
    multiple of :math:`2^{-62}`.  Whatever ``value`` is, every whole number can be returned, with
    the stated probability.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> geometric_mechanism([133, 133, 133], epsilon=0.5, rng=rng)
    array([139, 133, 132])
    """
    raw = _validate.whole_numbers("value", value)
    sensitivity = _validate.integer("sensitivity", sensitivity, at_least=1)
    epsilon = _validate.number("epsilon", epsilon, above=0.0)
    source = release_source(rng)
    if epsilon / sensitivity < 1e-12:
        raise _validate.fail("epsilon", "at least 1e-12 times the sensitivity", epsilon)
    if epsilon / sensitivity > 36.0:  # the noise would be 0 except with probability 1e-15
        raise _validate.fail("epsilon", "at most 36 times the sensitivity", epsilon)
    units = rate_units(Fraction(epsilon) / sensitivity)
    noise = discrete_laplace_noise(units, raw.size, source).reshape(raw.shape)
    noisy = add_noise(raw, noise)
    return noisy if raw.ndim else int(noisy)


def gaussian_delta(
    sigma: ArrayLike, *, sensitivity: float = 1.0, epsilon: ArrayLike
) -> float | NDArray[np.float64]:
    r"""Return the δ of Gaussian noise at a given ε.

    Parameters
    ----------
    sigma : float or array_like, σ > 0
    sensitivity : float, Δ₂ > 0
    epsilon : float or array_like, ε >= 0

    Returns
    -------
    float or ndarray
        The smallest δ,
        :math:`\Phi\bigl(\tfrac{\Delta_2}{2\sigma}-\tfrac{\varepsilon\sigma}{\Delta_2}\bigr)
        -e^{\varepsilon}\,
        \Phi\bigl(-\tfrac{\Delta_2}{2\sigma}-\tfrac{\varepsilon\sigma}{\Delta_2}\bigr)`.

    Notes
    -----
    Source: Balle & Wang (2018), Theorem 8.  Taught in *Laplace and Gaussian noise*.  With
    :math:`u=\Delta_2/\sigma`, :math:`z=\varepsilon/u-u/2` and :math:`w=z+u`, the two terms are
    :math:`\varphi(z)M(z)` and :math:`\varphi(z)M(w)`, where :math:`M=(1-\Phi)/\varphi` is the Mills
    ratio.  The function never forms :math:`e^{\varepsilon}` or a difference of two nearly equal
    numbers, so δ has about twelve correct digits down to 1e-300.  The result is rounded up.

    Examples
    --------
    >>> round(gaussian_delta(1.0, epsilon=1.0), 6)
    0.126937
    """
    sensitivity = _validate.number("sensitivity", sensitivity, above=0.0)
    level = np.asarray(_numbers("epsilon", epsilon, at_least=0.0))
    step = _quotient(sensitivity, _numbers("sigma", sigma, above=0.0), "sensitivity", "sigma")
    _validate.broadcast("sigma", np.asarray(step), "epsilon", level)
    delta = _gaussian_delta(step, level)
    return delta if delta.ndim else float(delta)


def analytic_gaussian_sigma(
    *, sensitivity: ArrayLike = 1.0, epsilon: ArrayLike, delta: float
) -> float | NDArray[np.float64]:
    r"""Return the smallest standard deviation that makes Gaussian noise (ε, δ)-private.

    Parameters
    ----------
    sensitivity : float or array_like
        :math:`\Delta_2 > 0`: the largest L2 change when a record is removed (or replaced).
    epsilon : float or array_like
        :math:`\varepsilon > 0`, of any size.
    delta : float
        δ in [1e-300, 1); smaller floats have too few significant digits.

    Returns
    -------
    float or ndarray
        The σ at which :func:`gaussian_delta` equals δ, to full precision and rounded up.

    Notes
    -----
    Source: Balle & Wang (2018).  Taught in *Laplace and Gaussian noise*.

    Examples
    --------
    >>> round(analytic_gaussian_sigma(epsilon=1.0, delta=1e-5), 4)
    3.7306
    >>> analytic_gaussian_sigma(sensitivity=2.0, epsilon=[1.0, 10.0], delta=1e-5).round(4)
    array([7.4613, 0.9998])
    """
    widths = _numbers("sensitivity", sensitivity, above=0.0)
    levels = _numbers("epsilon", epsilon, above=0.0)
    delta = _validate.number("delta", delta, at_least=1e-300, below=1.0)
    distinct, place = np.unique(np.asarray(levels), return_inverse=True)
    # delta <= 2 Phi(1/2 sigma) - 1 <= 0.4/sigma whatever epsilon is: a safe sigma to start from
    high = np.full(distinct.shape, 0.4 / delta)
    low = high / 2.0
    while (safe := _gaussian_delta(1.0 / low, distinct) <= delta).any():
        high = np.where(safe, low, high)
        low = np.where(safe, low / 2.0, low)
    for _ in range(53):
        middle = (low + high) / 2.0
        safe = _gaussian_delta(1.0 / middle, distinct) <= delta
        low, high = np.where(safe, low, middle), np.where(safe, middle, high)
    unit = high[place.reshape(np.shape(levels))]
    _validate.broadcast("sensitivity", np.asarray(widths), "epsilon", unit)
    with np.errstate(over="ignore", under="ignore"):
        sigma = _exact.up(widths * unit, 4)
    if not ((np.asarray(sigma) > 0.0) & np.isfinite(sigma)).all():
        raise ValueError(
            "sensitivity must be such that the standard deviation is a finite number > 0, "
            f"got sensitivity={sensitivity!r}"
        )
    return sigma if np.ndim(sigma) else float(sigma)


def gaussian_mechanism(
    value: ArrayLike,
    *,
    sensitivity: ArrayLike,
    epsilon: ArrayLike,
    delta: float,
    rng: np.random.Generator,
) -> float | NDArray[np.float64]:
    r"""Add as little Gaussian noise as (ε, δ)-privacy allows: the ideal mechanism, for experiments.

    Parameters
    ----------
    value : float or array_like
    sensitivity : float or array_like
        :math:`\Delta_2 > 0`: the largest L2 change of the array ``value`` when a record is removed
        (or replaced).
    epsilon : float or array_like, ε > 0
    delta : float, δ in [1e-300, 1)
    rng : numpy.random.Generator

    Returns
    -------
    float or ndarray
        ``value`` plus noise; :func:`analytic_gaussian_sigma` gives its standard deviation.

    Notes
    -----
    The low bits of a double reveal the answer; for a release, use the exact
    :func:`discrete_gaussian_mechanism`.  Source: Balle & Wang (2018), Algorithm 1.  Taught in
    *Laplace and Gaussian noise*.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> gaussian_mechanism([0.0, 0.0], sensitivity=1, epsilon=1.0, delta=1e-5, rng=rng).round(3)
    array([ 0.469, -0.493])
    """
    exact = _numbers("value", value)
    sigma = analytic_gaussian_sigma(sensitivity=sensitivity, epsilon=epsilon, delta=delta)
    _validate.broadcast("value", np.asarray(exact), "sensitivity", np.asarray(sigma))
    _noise_fits(exact, sigma, "sensitivity")
    return _validate.generator("rng", rng).normal(exact, sigma)


def exponential_probabilities(
    utilities: ArrayLike, *, sensitivity: float, epsilon: float
) -> NDArray[np.float64]:
    r"""Return the probabilities of the candidates under the exponential mechanism.

    Parameters
    ----------
    utilities : array_like, shape (R,)
        Utility u(D, r) of each candidate r.
    sensitivity : float
        :math:`\Delta u > 0`: the largest change of any one utility when a record is removed (or
        replaced).
    epsilon : float, ε > 0

    Returns
    -------
    ndarray, shape (R,)
        Probabilities proportional to :math:`e^{\varepsilon u(D,r)/2\Delta u}`.

    Notes
    -----
    Source: McSherry & Talwar (2007); Utaliyeva, Shin & Choi (2021), eq. (8).  Taught in
    *Other mechanisms*.

    Examples
    --------
    >>> exponential_probabilities([3, 2, 0], sensitivity=1, epsilon=2 * np.log(2)).round(4)
    array([0.6154, 0.3077, 0.0769])
    """
    values = _validate.finite_vector("utilities", utilities)
    sensitivity = _validate.number("sensitivity", sensitivity, above=0.0)
    epsilon = _validate.number("epsilon", epsilon, above=0.0)
    rate = _quotient(epsilon, sensitivity, "epsilon", "sensitivity") / 2.0
    with np.errstate(over="ignore"):
        gaps = rate * (values - values.max())
    with np.errstate(under="ignore"):
        weights = np.exp(gaps)
    return np.asarray(weights / weights.sum())


def exponential_mechanism(
    utilities: ArrayLike,
    *,
    sensitivity: float,
    epsilon: float,
    size: int | None = None,
    rng: np.random.Generator | None = None,
) -> int | NDArray[np.int64]:
    """Choose a candidate at random, with a probability that increases with its utility.

    Parameters
    ----------
    utilities, sensitivity, epsilon
        As for :func:`exponential_probabilities`.
    size : int, optional
        Number of independent draws (at most 2 GiB of them), one by default.  Each draw costs ε.
    rng : numpy.random.Generator, optional
        For a release, leave it out: the default is the generator of the operating system.

    Returns
    -------
    int or ndarray of int, shape (size,)
        Index of the chosen candidate.

    Notes
    -----
    Source: McSherry & Talwar (2007).  Taught in *Other mechanisms*.  The choice is exact
    (:func:`pdpbook.foundations.discrete_noise.choose`), and the mean number of tries is at most the
    number of candidates.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> exponential_mechanism([10, 9, 0], sensitivity=1, epsilon=1.0, rng=rng, size=6)
    array([1, 1, 0, 0, 0, 0])
    """
    chances = exponential_probabilities(utilities, sensitivity=sensitivity, epsilon=epsilon)
    if size is not None:
        size = _validate.integer("size", size, at_least=1)
        _validate.memory("size", size, size, what="a choice")
    if (size or 1) * chances.size * chances.max() > 1e9:
        raise _validate.fail("size", "so small that 10**9 tries are enough", size)
    chosen = choose(
        [Fraction(each) for each in np.asarray(utilities, dtype=np.float64).tolist()],
        size or 1,
        sensitivity=Fraction(_validate.number("sensitivity", sensitivity)),
        epsilon=Fraction(_validate.number("epsilon", epsilon)),
        rng=release_source(rng),
    )
    return int(chosen[0]) if size is None else chosen


def randomised_response(
    answers: ArrayLike, *, epsilon: float, rng: np.random.Generator | None = None
) -> bool | NDArray[np.bool_]:
    r"""Report a yes or a no truthfully with probability :math:`e^\varepsilon/(1+e^\varepsilon)`.

    Parameters
    ----------
    answers : bool or array_like of bool
    epsilon : float, ε > 0 for each respondent
    rng : numpy.random.Generator, optional
        For a release, leave it out: the default is the generator of the operating system.

    Returns
    -------
    bool or ndarray of bool
        The reported answers; each is flipped with probability :math:`1/(1+e^\varepsilon)`.

    Notes
    -----
    In this local model, neighbours are any two answers of one person (replacement).  The truth and
    the lie are proposed with probability 1/2 each.  A proposed truth is always kept, and a proposed
    lie is kept with probability :math:`e^{-\varepsilon}`; proposals are repeated until one is kept.
    The draw is exact, with ε rounded down to a multiple of :math:`2^{-62}`.  Source: Warner (1965).
    Taught in *Why noise?*

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> randomised_response([True, True, False, False], epsilon=0.5, rng=rng)
    array([False,  True,  True, False])
    """
    truth = _validate.booleans("answers", answers)
    epsilon = _validate.number("epsilon", epsilon, above=0.0)
    source = release_source(rng)
    whole, part = divmod(math.floor(Fraction(epsilon) * UNITS), UNITS)
    lies = np.zeros(truth.size, dtype=bool)
    undecided = np.arange(truth.size)
    while undecided.size:
        lie = source.integers(2, size=undecided.size) == 1
        kept = coins(np.full(undecided.size, part), source, wholes=min(whole, UNITS))
        lies[undecided] = lie
        undecided = undecided[lie & ~kept]
    reported = truth ^ lies.reshape(truth.shape)
    return reported if truth.ndim else bool(reported)


def _numbers(name: str, values: ArrayLike, **bounds: float) -> Any:
    """Return a finite float, or an array of them, within bounds."""
    if values is None or np.isscalar(values):
        return _validate.number(name, values, **bounds)
    array = _validate.finite_array(name, values, **bounds)
    return array if array.ndim else float(array)


def _quotient(top: Any, bottom: Any, first: str, second: str) -> Any:
    """Return top / bottom; refuse a quotient that overflows or underflows."""
    over, under = np.asarray(top), np.asarray(bottom)
    _validate.broadcast(first, over, second, under)
    with np.errstate(over="ignore", under="ignore"):
        ratio = over / under
    low, high = float(ratio.min()), float(ratio.max())
    if low == 0.0 or high == math.inf:
        raise ValueError(f"{first} / {second} must be a finite number > 0, got {low!r} to {high!r}")
    return ratio if ratio.ndim else low


def _noise_fits(value: Any, scale: Any, name: str) -> None:
    """Refuse noise that can move an answer beyond the largest float."""
    if max(float(np.abs(value).max()), 1000.0 * float(np.max(scale))) > 8e307:
        raise ValueError(
            f"value and {name} must be so small that value plus 1000 scales of noise is finite, "
            f"got a scale of {float(np.max(scale))!r}"
        )


def _gaussian_delta(u: Any, epsilon: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the δ of N(0, 1) against N(u, 1), rounded up."""
    from scipy.special import erfcx, ndtr

    def mills(t: NDArray[np.float64]) -> Any:
        return math.sqrt(math.pi / 2.0) * erfcx(t / math.sqrt(2.0))

    with np.errstate(over="ignore", under="ignore"):
        z = epsilon / u - u / 2.0
        density = np.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi)
        long = ndtr(-z) - density * mills(epsilon / u + u / 2.0)
    # for small u, M(z) - M(z + u) is the integral of -M'(t) = 1 - t M(t), by Gaussian quadrature
    start, width = np.clip(z, -0.5, 50.0), np.minimum(u, 1.0)
    t = start[..., None] + 0.5 * width[..., None] * (_NODES + 1.0)
    short = density * 0.5 * width * ((1.0 - t * mills(t)) @ _WEIGHTS)
    with np.errstate(over="ignore"):  # z or z² may overflow; the density is then 0
        size = (1.0 + np.abs(z)) * (epsilon / u + u / 2.0)
        rounding = 2.0**-46 + np.minimum(2.0**-48 * size, 1.0)
    return np.minimum(np.where(u < 1.0, short, long) * (1.0 + rounding), 1.0)


_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)
