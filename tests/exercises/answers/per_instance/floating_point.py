"""Answers to the exercises of *From the theorem to the bits*."""

import math

from tests.tools.answers import Answers


def log_mass(distance, width, scale):
    rate = width / scale
    last = math.log1p(-math.exp(-rate)) if rate > 1 else math.log(-math.expm1(-rate))
    return last - distance / scale - math.log(2)


def by_sinh(location, scale):
    """Z = 1 - e^(-1/2b) cosh((μ - 1/2)/b), with cosh x = 1 + 2 sinh²(x/2)."""
    half, away = 0.5 / scale, (location - 0.5) / scale
    return -math.expm1(-half) - 2 * math.exp(-half) * math.sinh(away / 2) ** 2


ANSWERS = {
    "inside": Answers(
        [by_sinh],
        (lambda m, b: -math.expm1(-m / b), "At an edge, half of the noise"),
        (lambda m, b: -math.expm1(-m / b) / 2, "on the left and on the right"),
    ),
    "log-mass": Answers(
        [log_mass],
        (
            lambda s, w, b: math.log(math.exp(-s / b) * -math.expm1(-w / b) / 2 or 5e-324),
            "The logarithm of a product",
        ),
    ),
    "coin": Answers([lambda x, m: x ** (m - 1) / math.factorial(m - 1) - x**m / math.factorial(m)]),
}
