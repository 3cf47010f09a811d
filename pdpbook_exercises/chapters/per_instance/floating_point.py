"""Self-checks of the chapter *From the theorem to the bits*."""

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


def _plain_log_mass(distance: float, width: float, scale: float) -> float:
    return -math.log(2.0) - distance / scale + math.log(1.0 - math.exp(-width / scale))


def _coin(x: float, m: int) -> float:
    """The difference of two terms of the series."""
    return float(x ** (m - 1) / math.factorial(m - 1) - x**m / math.factorial(m))


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
        ],
        draw=lambda rng: (round(rng.uniform(0.0, 1.0), 3), round(rng.uniform(0.03, 3.0), 3)),
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
                    "Here 1 - exp(-w/b) has lost its digits. Which function computes it for a "
                    "small w/b?": _plain_log_mass,
                },
            )
            for case in ((0.2, 0.1, 0.3), (0.5, 0.01, 1e-4), (0.5, 0.01, 1e12), (0.0, 0.1, 1.0))
        ],
        draw=lambda rng: (
            round(rng.uniform(0.0, 1.0), 3),
            round(rng.uniform(0.01, 0.3), 3),
            float(np.exp(rng.uniform(-6.0, 12.0))),
        ),
    ),
    "coin": Exercise(
        [
            close(
                _coin,
                x,
                m,
                hint="With which probability do the coins before it all succeed?",
                more="Multiply the chances of the coins before it, and by the chance that it fails "
                "itself.",
                mistakes={
                    "That is the probability that the first m coins succeed.": lambda x, m: (
                        x**m / math.factorial(m)
                    ),
                    "These coins succeed, but coin m must also fail.": lambda x, m: (
                        x ** (m - 1) / math.factorial(m - 1)
                    ),
                    "The coins before it must succeed, too.": lambda x, m: 1.0 - x / m,
                    "That is for the next toss.": lambda x, m: _coin(x, m + 1),
                },
            )
            for x, m in ((0.5, 1), (0.4, 3), (1.0, 2), (0.3, 5))
        ],
        draw=lambda rng: (round(rng.uniform(0.2, 0.95), 3), int(rng.integers(2, 6))),
    ),
}
