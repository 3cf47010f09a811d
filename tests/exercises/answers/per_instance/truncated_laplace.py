"""Answers to the exercises of *The truncated Laplace density*."""

import math

import numpy as np
from scipy.integrate import quad

from pdpbook.per_instance.noise_kernels import laplace_kernel, truncated_laplace_extremes
from tests.tools.answers import Answers


def scale_for_ratio(ratio):
    """By bisection of the package's two extremes."""
    low, high = 1e-3, 1e4
    for _ in range(200):
        middle = math.sqrt(low * high)
        smallest, largest = truncated_laplace_extremes(middle)
        low, high = (middle, high) if largest > ratio * smallest else (low, middle)
    return high, truncated_laplace_extremes(high)[0]


def sd_by_quadrature(scale):
    whole = -math.expm1(-0.5 / scale)
    end = min(0.5, 60 * scale)
    return math.sqrt(quad(lambda t: t * t * math.exp(-t / scale) / scale, 0, end)[0] / whole)


def ratio_of_masses(bins, scale):
    step = 1 / (bins * scale)
    far = 0.5 * (math.exp(-(bins - 1.5) * step) - math.exp(-(bins - 0.5) * step))
    return np.float64((1 - math.exp(-step / 2)) / far)


def from_kernel(bins, scale):
    rows = laplace_kernel(min(bins, 2000), [scale])[0]
    return rows[0, 0] / rows[-1, 0]


ANSWERS = {
    "scale-for-ratio": Answers(
        [scale_for_ratio],
        (lambda ratio: (math.log(ratio), math.log(ratio) / (ratio - 1)), "Solve for b."),
    ),
    "truncated-sd": Answers([sd_by_quadrature]),
    "grid-ratio": Answers([ratio_of_masses], (from_kernel, "1000000, 0.3")),
    "gaussian-sigma": Answers([lambda r: np.sqrt(0.5 / np.log(r))]),
}
