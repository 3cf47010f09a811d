r"""Noise on a grid: the truncated Laplace and Gaussian kernels.

A record in bin k is released as if it were at the midpoint :math:`x_k=(k+1/2)/K` of its bin and
noise had been added to it, conditional on the result staying in [0, 1].  The kernel contains the
probability of each bin:

.. math:: p_{k,b}(x) = \frac{F((x+1)/K) - F(x/K)}{F(1) - F(0)},

where F is the distribution function of the noise at location :math:`x_k` with scale b.  The sampler
draws bin numbers, so nothing depends on how a computer rounds a Laplace draw.

The functions here return the *ideal* kernel, of real numbers, up to rounding.
:class:`pdpbook.NVOGame` rounds it, by :func:`~pdpbook.foundations.grid_noise.whole_weights`, to the
kernel *in whole numbers* that it uses for releases.

For Laplace noise the density is

.. math:: V(\mu, b, x) = \frac{\frac1{2b}e^{-|x-\mu|/b}}
          {1-\frac12 e^{(\mu-1)/b}-\frac12 e^{-\mu/b}}, \qquad 0 \le x \le 1,

with :math:`v_{\min}(b)=V(0,b,1)=\frac{1/b}{e^{1/b}-1}` and
:math:`v_{\max}(b)=V(0,b,0)=\frac{1/b}{1-e^{-1/b}}`, so that
:math:`v_{\max}/v_{\min}=e^{1/b}` exactly.  The proofs are in the chapter *The truncated Laplace
density*.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pdpbook import _validate
from pdpbook.foundations.grid_noise import SCALES, SMALLEST, laplace_masses

__all__ = [
    "gaussian_kernel",
    "laplace_kernel",
    "product_kernel",
    "truncated_laplace_extremes",
    "truncated_laplace_pdf",
]


def truncated_laplace_pdf(x: ArrayLike, location: ArrayLike, scale: ArrayLike) -> NDArray:
    r"""Return the density :math:`V(\mu, b, x)` of Laplace noise truncated to [0, 1].

    Parameters
    ----------
    x : array_like
        Where to evaluate the density; it is 0 outside [0, 1], and nan at nan.
    location : array_like, μ in [0, 1]
    scale : array_like, b >= 1e-307

    Returns
    -------
    ndarray
        The density, in the broadcast shape of the arguments.

    Notes
    -----
    Source: eq. (17) of Ryu, Jang & Yang (2024).  Taught in *The truncated Laplace density*.

    Examples
    --------
    >>> truncated_laplace_pdf([0.0, 0.5, 1.0], 0.0, 1.0).round(4)
    array([1.582 , 0.9595, 0.582 ])
    """
    points = _validate.numeric("x", x).astype(float)
    centre = _validate.finite_array("location", location, at_least=0.0, at_most=1.0)
    width = _validate.finite_array("scale", scale, at_least=1e-307)
    _validate.broadcast("x", points, "location", centre)
    _validate.broadcast("location", centre, "scale", width)
    _validate.broadcast("x", points, "scale", width)
    width = np.minimum(width, 1e300)  # beyond it, the density is 1 and 2 b overflows
    with np.errstate(over="ignore", under="ignore"):
        inside = -0.5 * (np.expm1(-centre / width) + np.expm1((centre - 1) / width))
        density = np.exp(-np.abs(points - centre) / width) / (2 * width * inside)
    return np.where((points < 0) | (points > 1), 0.0, density)


def truncated_laplace_extremes(scale: ArrayLike) -> tuple[NDArray, NDArray]:
    r"""Return the smallest and the largest value of the truncated density.

    Parameters
    ----------
    scale : array_like, b >= 1e-307

    Returns
    -------
    v_min, v_max : ndarray
        The values :math:`\frac{1/b}{e^{1/b}-1}`, attained at :math:`\mu=0, x=1` and its mirror
        image, and :math:`\frac{1/b}{1-e^{-1/b}}`, attained at :math:`\mu=x=0` and :math:`\mu=x=1`.

    Notes
    -----
    Source: eqs. (26)-(28) of Ryu, Jang & Yang (2024), with the factor 1/b that is missing there.
    Taught in *The truncated Laplace density*.

    Examples
    --------
    >>> v_min, v_max = truncated_laplace_extremes(0.5)
    >>> round(float(v_min), 4), round(float(v_max), 4), round(float(v_max / v_min), 4)
    (0.313, 2.313, 7.3891)
    """
    rate = 1.0 / _validate.finite_array("scale", scale, at_least=1e-307)
    v_max = rate / -np.expm1(-rate)
    return np.exp(-rate) * v_max, v_max


def laplace_kernel(bins: int, scales: ArrayLike) -> NDArray[np.float64]:
    """Return the kernels of truncated Laplace noise on K equal bins of [0, 1].

    Parameters
    ----------
    bins : int
        Number of bins K, from 2 up to the number at which the kernels take 2 GiB.
    scales : array_like, shape (V,), b > 0
        Scales in units of the interval.  (The papers call b the variance; the variance of the noise
        before truncation is :math:`2b^2`.)

    Returns
    -------
    ndarray, shape (V, K, K)
        ``kernel[v, k, x]`` is the probability that a record of bin k with scale ``scales[v]`` is
        released as bin x.  Rows sum to 1.  Every entry is positive: an entry that would be below
        2.2e-308 is set to this number.

    Notes
    -----
    Source: Ryu, Jang & Yang (2024), eq. (16).  Taught in *The truncated Laplace density*.  Tails
    are computed by ``expm1``, so they keep full relative precision down to 2.2e-308.

    Examples
    --------
    >>> laplace_kernel(3, [0.2]).round(3)
    array([[[0.73 , 0.227, 0.043],
            [0.192, 0.616, 0.192],
            [0.043, 0.227, 0.73 ]]])
    """
    bins = _validate.integer("bins", bins, at_least=2)
    widths = _validate.positive_vector("scales", scales)
    _validate.memory("bins", bins, widths.size, bins, bins, what="a kernel")
    return _kernels_of(laplace_masses(widths, bins))


def gaussian_kernel(bins: int, sigmas: ArrayLike) -> NDArray[np.float64]:
    """Return the kernels of truncated Gaussian noise on K equal bins of [0, 1].

    Parameters
    ----------
    bins : int
        As for :func:`laplace_kernel`.
    sigmas : array_like, shape (V,), σ > 0
        Standard deviations of the noise before truncation, in units of the interval.

    Returns
    -------
    ndarray, shape (V, K, K)
        As for :func:`laplace_kernel`.

    Notes
    -----
    Taught in *Gaussian noise and (ε, δ)-pDP*.

    Examples
    --------
    >>> gaussian_kernel(3, [0.2]).round(3)
    array([[[0.746, 0.246, 0.008],
            [0.199, 0.603, 0.199],
            [0.008, 0.246, 0.746]]])
    """
    from scipy.special import log_ndtr

    bins = _validate.integer("bins", bins, at_least=2)
    given = _validate.positive_vector("sigmas", sigmas)
    _validate.memory("bins", bins, given.size, bins, bins, what="a kernel")
    width = 1.0 / (bins * np.clip(given, *SCALES))[:, None]
    steps = np.arange(bins)
    # P(near < Z < far) for a bin `steps` away, from the upper tail, where no digits are lost ...
    near, far = log_ndtr(-width * (steps - 0.5)), log_ndtr(-width * (steps + 0.5))
    # pragma: no mutate — the sign cancels when rows are divided by their sums
    masses = np.exp(near) * -np.expm1(far - near)
    # ... but if the density hardly changes over a bin, the difference cancels; quadrature is exact
    flat = (width * (1.0 + width * bins) < 0.1)[:, 0]
    nodes, weights = np.polynomial.legendre.leggauss(8)
    inside = width[flat, :, None] * (steps[:, None] + nodes / 2)
    masses[flat] = np.exp(-0.5 * inside**2) @ weights
    return _kernels_of(masses)


def _kernels_of(masses: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the (V, K, K) kernels of noise with (V, K) masses at the distances 0, …, K - 1."""
    steps = np.arange(masses.shape[1])
    rows = masses[:, np.abs(steps[:, None] - steps[None, :])]
    return np.maximum(rows / rows.sum(axis=2, keepdims=True), SMALLEST)


def product_kernel(first: ArrayLike, second: ArrayLike) -> NDArray[np.float64]:
    """Return the kernels of independent noise on two features.

    Bin (k, l) of the product grid has the number ``k * L + l``, and action (v, w) has the number
    ``v * W + w``, as in ``numpy.ravel_multi_index``.

    Parameters
    ----------
    first : array_like, shape (V, K, K)
    second : array_like, shape (W, L, L)
        Kernels of the two features; rows sum to 1.

    Returns
    -------
    ndarray, shape (V·W, K·L, K·L)
        An array of 8·V·W·(K·L)² bytes, at most 2 GiB: 39 MB for two grids of 21 bins and 5 scales
        each.  The product of positive entries is positive.

    Notes
    -----
    Source: this book; Ryu, Jang & Yang (2024), section III, state that their method applies to
    vectors without change.  Taught in *Experiment 3: large income, and vectors*.

    Examples
    --------
    >>> product_kernel(laplace_kernel(3, [0.2]), laplace_kernel(2, [0.1, 0.5])).shape
    (2, 6, 6)
    """
    kernels = []
    for name, each in (("first", first), ("second", second)):
        shape = _validate.numeric(name, each).shape
        if len(shape) != 3:
            raise ValueError(f"{name} must have shape (V, K, K), got {name} of shape {shape}")
        kernels.append(_validate.kernel_array(name, each, bins=shape[1]))
    one, two = kernels
    size = one.size * two.size
    if 8 * size > _validate.MEMORY:
        raise ValueError(
            "first and second must have a product kernel that fits into 2 GiB, "
            f"got {8 * size / 2**30:.1f} GiB"
        )
    product = np.einsum("vkx,wly->vwklxy", one, two)
    reached = np.einsum("vkx,wly->vwklxy", one > 0.0, two > 0.0)
    product[reached] = np.maximum(product[reached], SMALLEST)
    bins = one.shape[1] * two.shape[1]
    return product.reshape(one.shape[0] * two.shape[0], bins, bins)
