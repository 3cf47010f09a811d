"""Wrong answers to *Computing masses without losing digits* are told what is wrong."""

import math

import numpy as np

from tests.tools.answers import answer_tests


def inside(location, scale):
    sides = (math.expm1(-side / scale) for side in (location, 1 - location))
    return -0.5 * sum(sides)


def by_sinh(location, scale):
    """Z = 1 - e^(-1/2b) cosh((μ - 1/2)/b), with cosh x = 1 + 2 sinh²(x/2)."""
    half, away = 0.5 / scale, (location - 0.5) / scale
    return -math.expm1(-half) - 2 * math.exp(-half) * math.sinh(away / 2) ** 2


def plain(location, scale):
    return 1 - math.exp((location - 1) / scale) / 2 - math.exp(-location / scale) / 2


def largest_loss(n, scale):
    rate = 1 / scale
    if rate < 700:
        return math.log1p(math.expm1(rate) / n)
    return rate - math.log(n) + math.log1p((n - 1) * math.exp(-rate))


def switched_too_early(n, scale):
    rate = 1 / scale
    if rate < 1:
        return math.log1p(math.expm1(rate) / n)
    return rate - math.log(n) + math.log1p((n - 1) * math.exp(-rate))


def by_logaddexp(n, scale):
    """ln(n - 1 + e^u) without overflow; the smaller exponents by log1p."""
    rate = 1 / scale
    if rate < 30:
        return np.log1p(np.expm1(rate) / n)
    return np.logaddexp(np.log(n - 1), rate) - np.log(n)


def overflowing(n, scale):
    with np.errstate(over="ignore"):
        return np.log1p(np.expm1(1 / scale) / n)


WRONG = {
    "inside": [
        (plain, "the digits are gone"),
        (lambda m, b: 1 - inside(m, b), "landing outside"),
        (lambda m, b: 2 * inside(m, b), "twice as much"),
        (lambda m, b: -inside(m, b), "The sign is wrong."),
        (lambda m, b: -math.expm1(-m / b), "goes out at an edge"),
        (lambda m, b: -math.expm1(-m / b) / 2, "two halves"),
    ],
    "largest-loss": [
        (lambda n, b: 1 / b, "without sampling"),
        (lambda n, b: math.exp(largest_loss(n, b)), "That is the ratio."),
        (lambda n, b: math.log1p((math.exp(1 / b) - 1) / n), "has lost its digits"),
        (lambda n, b: math.log(1 + math.expm1(1 / b) / n), "No digit is left"),
        (lambda n, b: 1 / b - math.log(n) + math.log1p((n - 1) * math.exp(-1 / b)), "No digit"),
        (switched_too_early, "Keep it for a larger 1/b."),
        (overflowing, "Take it out of the logarithm."),
        (lambda n, b: math.log1p(math.expm1(1 / b) / n), "math range error"),
    ],
}

RIGHT = {
    "inside": [inside, by_sinh],
    "largest-loss": [largest_loss, by_logaddexp],
}

test_wrong_answers, test_right_answers = answer_tests("floating-point", WRONG, RIGHT)
