"""Wrong answers to the exercises of *The truncated Laplace density* are told what is wrong."""

import math

import numpy as np
from scipy.integrate import quad

from pdpbook.per_instance.noise_kernels import laplace_kernel
from tests.tools.answers import answer_tests


def sd(scale):
    return math.sqrt(2 * scale**2 - (0.25 + scale) / math.expm1(0.5 / scale))


def sd_by_quadrature(scale):
    whole = -math.expm1(-0.5 / scale)
    end = min(0.5, 60 * scale)
    return math.sqrt(quad(lambda t: t * t * math.exp(-t / scale) / scale, 0, end)[0] / whole)


def ratio(bins, scale):
    step = 1 / (bins * scale)
    return 2 / (1 + math.exp(-step / 2)) * math.exp((bins - 1.5) * step)


def ratio_of_masses(bins, scale):
    step = 1 / (bins * scale)
    far = 0.5 * (math.exp(-(bins - 1.5) * step) - math.exp(-(bins - 0.5) * step))
    return np.float64((1 - math.exp(-step / 2)) / far)


def from_kernel(bins, scale):
    rows = laplace_kernel(min(bins, 2000), [scale])[0]
    return rows[0, 0] / rows[-1, 0]


WRONG = {
    "truncated-sd": [
        (lambda b: math.sqrt(2) * b, "before truncation"),
        (lambda b: sd(b) ** 2, "That is the variance."),
        (lambda b: 12**-0.5, "the limit for large b"),
        (lambda b: b, "integrate by parts"),
        (lambda b: min(math.sqrt(2) * b, 12**-0.5), "spread of the uniform"),
    ],
    "grid-ratio": [
        (lambda bins, b: math.exp(1 / b), "the ratio of the densities, for records at the edges"),
        (lambda bins, b: math.exp((bins - 1) / (bins * b)), "at the midpoints"),
        (lambda bins, b: 1 / ratio(bins, b), "That is the inverse."),
        (lambda bins, b: math.log(ratio(bins, b)), "mirror images"),
        (lambda bins, b: math.exp((bins - 1.5) / (bins * b)), "mirror images"),
        # student's finding: the formula was in the text; a table of the kernel is no formula
        (from_kernel, "1000000, 0.3"),
    ],
    "gaussian-sigma": [
        (lambda r: 1 / math.log(r), "the square of the distance"),
        (lambda r: 0.5 / math.log(r), "Is that the variance?"),
        (lambda r: 1 / math.sqrt(8 * math.log(r)), "from an edge"),
        (lambda r: math.sqrt(2 * math.log(r)), "With this sigma the ratio is"),
        (lambda r: -1 / math.sqrt(2 * math.log(r)), "a number > 0"),
    ],
}

RIGHT = {
    "truncated-sd": [sd, sd_by_quadrature],
    "grid-ratio": [ratio, ratio_of_masses],
    "gaussian-sigma": [lambda r: np.sqrt(0.5 / np.log(r))],
}

test_wrong_answers, test_right_answers = answer_tests("truncated-laplace", WRONG, RIGHT)
