"""Self-checks of the chapter *Computing masses without losing digits*."""

from __future__ import annotations

import math

from pdpbook.exercises import Exercise, close
from pdpbook.per_instance.noise_kernels import truncated_laplace_pdf

__all__ = ["EXERCISES"]


def _inside(location: float, scale: float) -> float:
    """Peak of the plain density over the peak of the truncated one."""
    return float(1.0 / (2.0 * scale * truncated_laplace_pdf(location, location, scale)))


def _plain_inside(location: float, scale: float) -> float:
    return 1.0 - 0.5 * math.exp((location - 1.0) / scale) - 0.5 * math.exp(-location / scale)


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
        ]
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
        ]
    ),
}
