"""Self-checks of the chapter *Computing masses without losing digits*."""

from __future__ import annotations

import math

import numpy as np

from pdpbook.per_instance.noise_kernels import truncated_laplace_pdf
from pdpbook_exercises import Exercise, close

__all__ = ["EXERCISES"]


def _inside(location: float, scale: float) -> float:
    """Peak of the plain density over the peak of the truncated one."""
    return float(1.0 / (2.0 * scale * truncated_laplace_pdf(location, location, scale)))


def _plain_inside(location: float, scale: float) -> float:
    return 1.0 - 0.5 * math.exp((location - 1.0) / scale) - 0.5 * math.exp(-location / scale)


def _log_mass(distance: float, width: float, scale: float) -> float:
    """In fifty digits, where fifty are enough."""
    from decimal import Decimal, localcontext

    with localcontext() as context:
        context.prec = 60
        s, w, b = (Decimal(each) for each in (distance, width, scale))
        return float(-Decimal(2).ln() - s / b + (1 - (-w / b).exp()).ln())


def _largest_loss(n: int, scale: float) -> float:
    """By two forms, each where it is good."""
    rate = 1.0 / scale
    if rate < 700.0:
        return math.log1p(math.expm1(rate) / n)
    return rate - math.log(n) + math.log1p((n - 1) * math.exp(-rate))


def _plain_largest_loss(n: int, scale: float) -> float:
    return math.log(1.0 + (math.exp(1.0 / scale) - 1.0) / n)


def _factored_largest_loss(n: int, scale: float) -> float:
    rate = 1.0 / scale
    return rate - math.log(n) + math.log1p((n - 1) * math.exp(-rate))


def _one_cancels(n: int, scale: float) -> float:
    return math.log1p((math.exp(1.0 / scale) - 1.0) / n)


_SIDES = {
    "That is the probability of landing outside.": lambda m, b: 1.0 - _inside(m, b),
    "That is twice as much. Half of the noise goes to each side.": lambda m, b: 2.0 * _inside(m, b),
}
_DIGITS = {
    "Here two numbers near 1/2 are subtracted from 1, and the digits are gone. Which function "
    "computes 1 - exp(-t) for a small t?": _plain_inside
}

# Answers, wrong and right, for the exercises below ------------------------------------------------


def log_mass(distance, width, scale):
    rate = width / scale
    last = math.log1p(-math.exp(-rate)) if rate > 1 else math.log(-math.expm1(-rate))
    return last - distance / scale - math.log(2)


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


EXERCISES = {
    "inside": Exercise(
        [
            close(
                _inside,
                location,
                scale,
                hint=hint,
                more="Z is a sum of two probabilities, one for each side of the record. Write each "
                "with expm1.",
                mistakes=_DIGITS if scale > 100.0 else _SIDES,
                rtol=1e-12 if scale > 100.0 else 1e-6,
                atol=0.0,
            )
            for location, scale, hint in (
                (0.5, 0.2, "Add the two halves of the interval."),
                (0.0, 0.05, "Half of the noise goes out at an edge."),
                (0.9, 0.3, "How far is it to each end?"),
                (0.3, 1e12, "1 - exp(-t) loses its digits for small t; expm1 does not."),
            )
        ],
        draw=lambda rng: (round(rng.uniform(0.0, 1.0), 3), round(rng.uniform(0.03, 3.0), 3)),
        wrong=[
            (plain, "the digits are gone"),
            (lambda m, b: 1 - inside(m, b), "landing outside"),
            (lambda m, b: 2 * inside(m, b), "twice as much"),
            (lambda m, b: -inside(m, b), "The sign is wrong."),
            (lambda m, b: -math.expm1(-m / b), "goes out at an edge"),
            (lambda m, b: -math.expm1(-m / b) / 2, "two halves"),
        ],
        right=[inside, by_sinh],
    ),
    "log-mass": Exercise(
        [
            close(
                _log_mass,
                *case,
                rtol=1e-12,
                hint="The logarithm of a product is a sum. Which of its terms can be written "
                "without an exponential?",
                more="Two terms need none. For the last one there is expm1.",
                mistakes={
                    "The factor 1/2 is missing.": lambda s, w, b: (
                        _log_mass(s, w, b) + math.log(2.0)
                    ),
                    "That leaves out the width of the bin.": lambda s, w, b: -math.log(2.0) - s / b,
                },
            )
            for case in ((0.2, 0.1, 0.3), (0.5, 0.01, 1e-4), (0.5, 0.01, 1e12), (0.0, 0.1, 1.0))
        ],
        draw=lambda rng: (
            round(rng.uniform(0.0, 1.0), 3),
            round(rng.uniform(0.01, 0.3), 3),
            float(np.exp(rng.uniform(-6.0, 12.0))),
        ),
        wrong=[
            (lambda s, w, b: log_mass(s, w, b) + math.log(2), "The factor 1/2"),
            (lambda s, w, b: -math.log(2) - s / b, "the width of the bin"),
            (lambda s, w, b: log_mass(w, s + 1e-9, b), "The logarithm of a product"),
            (
                lambda s, w, b: math.log(math.exp(-s / b) * -math.expm1(-w / b) / 2 or 5e-324),
                "The logarithm of a product",
            ),
        ],
        right=[log_mass],
    ),
    "largest-loss": Exercise(
        [
            close(
                _largest_loss,
                n,
                scale,
                hint=hint,
                more="For a small 1/b combine expm1 and log1p. For a large one write the argument "
                "of the logarithm as exp(1/b)/n times something close to 1.",
                mistakes=mistakes,
                rtol=1e-12,
                atol=0.0,
            )
            for n, scale, hint, mistakes in (
                (
                    5,
                    0.5,
                    "Put r = exp(1/b) into the formula of the supremum.",
                    {
                        "That is the loss of the noise alone, without sampling.": (
                            lambda n, b: 1.0 / b
                        ),
                        "That is the ratio. The loss is its logarithm.": (
                            lambda n, b: 1.0 + math.expm1(1.0 / b) / n
                        ),
                    },
                ),
                (
                    10**9,
                    1e12,
                    "exp(1/b) - 1 cancels, and so does the logarithm of a number close to 1.",
                    {
                        "The logarithm is right, but exp(1/b) - 1 has lost its digits. Which "
                        "function computes it for a small 1/b?": _one_cancels,
                        "No digit is left. Each step that nearly cancels needs a function that was "
                        "made for it.": _plain_largest_loss,
                    },
                ),
                (1317, 1e-4, "exp(1/b) is too large. Take it out of the logarithm.", None),
                (
                    10**9,
                    0.1,
                    "Put r = exp(1/b) into the formula of the supremum.",
                    {
                        "The terms of this form nearly cancel here. Keep it for a larger 1/b.": (
                            _factored_largest_loss
                        ),
                    },
                ),
            )
        ],
        draw=lambda rng: (int(rng.integers(2, 10**5)), float(np.exp(rng.uniform(-6.0, 12.0)))),
        wrong=[
            (lambda n, b: 1 / b, "without sampling"),
            (lambda n, b: math.exp(largest_loss(n, b)), "That is the ratio."),
            (lambda n, b: math.log1p((math.exp(1 / b) - 1) / n), "has lost its digits"),
            (lambda n, b: math.log(1 + math.expm1(1 / b) / n), "No digit is left"),
            (lambda n, b: 1 / b - math.log(n) + math.log1p((n - 1) * math.exp(-1 / b)), "No digit"),
            (switched_too_early, "Keep it for a larger 1/b."),
            (overflowing, "Take it out of the logarithm."),
            (lambda n, b: math.log1p(math.expm1(1 / b) / n), "math range error"),
        ],
        right=[largest_loss, by_logaddexp],
    ),
}
