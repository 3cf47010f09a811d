"""Self-checks of the chapter *The truncated Laplace density*."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from pdpbook.per_instance.noise_kernels import (
    laplace_kernel,
    truncated_laplace_pdf,
)
from pdpbook_exercises import Case, Exercise, close

__all__ = ["EXERCISES"]


def _scale_for_ratio(ratio: float) -> tuple[float, float]:
    return 1 / math.log(ratio), math.log(ratio) / (ratio - 1)


def _truncated_sd(scale: float) -> float:
    """By the midpoint rule, which is symmetric about the kink."""
    points = (np.arange(200_000) + 0.5) / 200_000
    density = truncated_laplace_pdf(points, 0.5, scale)
    return math.sqrt(float(((points - 0.5) ** 2 * density).mean()))


def _grid_ratio(bins: int, scale: float) -> float:
    """All triples of bins; for many bins, where there are too many, the first and the last row."""
    if bins > 100:
        step = 1.0 / (bins * scale)
        own = -2.0 * math.expm1(-step / 2.0)
        return -own / math.expm1(-step) * math.exp((bins - 1.5) * step)
    rows = laplace_kernel(bins, [scale])[0]
    return float((rows[:, None, :] / rows[None, :, :]).max())


def _gaussian_ratio(sigma: float) -> float:
    """Ratio of the extremes of the truncated Gaussian density, by search over a grid."""
    from scipy.special import ndtr

    grid = np.linspace(0.0, 1.0, 101)
    inside = ndtr((1.0 - grid) / sigma) - ndtr(-grid / sigma)
    exponent = -0.5 * ((grid[None, :] - grid[:, None]) / sigma) ** 2
    density = np.exp(exponent) / inside[:, None]
    return float(density.max() / density.min())


def _has_ratio(ratio: float) -> Case:
    def judge(answer: Callable[[float], Any]) -> str:
        sigma = float(answer(ratio))
        if not 0.0 < sigma < math.inf:
            return "A standard deviation is a number > 0."
        reached = _gaussian_ratio(sigma)
        if math.isclose(reached, ratio, rel_tol=1e-6):
            return ""
        return f"With this sigma the ratio is {reached:.4g}."

    def returns(formula: Callable[[float], float]) -> Callable[[Any], bool]:
        return lambda answer: math.isclose(float(answer(ratio)), formula(math.log(ratio)))

    return Case(
        judge,
        "At which two places does the truncated Gaussian density take its extremes? "
        "The normalising constant is the same there.",
        mistakes={
            "That is the scale of the Laplace density. A Gaussian falls with the square of the "
            "distance.": returns(lambda log: 1.0 / log),
            "Is that the variance? Sigma is its root.": returns(lambda log: 0.5 / log),
            "The largest distance in [0, 1] is 1, from an edge. For a record in the middle it is "
            "half of that.": returns(lambda log: 1.0 / math.sqrt(8.0 * log)),
        },
    )


EXERCISES = {
    "scale-for-ratio": Exercise(
        [
            close(
                _scale_for_ratio,
                ratio,
                hint="The ratio of the largest to the smallest density is e^(1/b). Solve for b.",
                more="Put 1/b = ln R into the formula of the smallest density.",
                mistakes={
                    "The factor 1/b of the smallest density is missing.": lambda ratio: (
                        1 / math.log(ratio),
                        1 / (ratio - 1),
                    ),
                    "The second number is the largest density, not the smallest.": lambda ratio: (
                        1 / math.log(ratio),
                        ratio * math.log(ratio) / (ratio - 1),
                    ),
                },
            )
            for ratio in (math.e, 2.0, 10.0, 22_026.0, 1.01)
        ],
        draw=lambda rng: (round(float(np.exp(rng.uniform(0.05, 8.0))), 4),),
    ),
    "truncated-sd": Exercise(
        [
            close(
                _truncated_sd,
                scale,
                hint="By symmetry look at t = |x - 1/2| in [0, 1/2] only and integrate by parts.",
                more="The variance is 2b² minus what is missing beyond 1/2, and the density is "
                "larger by 1/(1 - exp(-1/(2b))).",
                mistakes={
                    "That is the standard deviation before truncation.": lambda b: math.sqrt(2) * b,
                    "That is the variance.": lambda b: _truncated_sd(b) ** 2,
                    "That is the spread of the uniform distribution, the limit for large b.": (
                        lambda b: 1.0 / math.sqrt(12.0)
                    ),
                }
                if 0.05 < scale < 5.0
                else None,
                rtol=1e-5,
            )
            for scale in (0.3, 0.1, 1.0, 0.01, 10.0)
        ],
        draw=lambda rng: (round(float(np.exp(rng.uniform(-3.0, 1.5))), 4),),
    ),
    "grid-ratio": Exercise(
        [
            close(
                _grid_ratio,
                bins,
                scale,
                hint="Rows 0 and K - 1 are mirror images, so their normalising constants cancel.",
                more="A record in the middle of its bin puts two half bins into it. How much does "
                "a record of bin K - 1 put into bin 0? Both are differences of exponentials.",
                mistakes={
                    "That is the ratio of the densities, for records at the edges. Here they sit "
                    "at midpoints.": lambda bins, scale: math.exp(1.0 / scale),
                    "That is the ratio of the densities at the midpoints. A mass is the integral "
                    "over a bin.": lambda bins, scale: math.exp((bins - 1) / (bins * scale)),
                    "That is the inverse.": lambda bins, scale: 1.0 / _grid_ratio(bins, scale),
                },
                atol=0.0,
            )
            for bins, scale in ((3, 1.0), (5, 0.2), (20, 0.05), (40, 3.0), (10**6, 0.3))
        ],
        draw=lambda rng: (int(rng.integers(3, 41)), round(rng.uniform(0.06, 3.0), 3)),
    ),
    "gaussian-sigma": Exercise(
        [_has_ratio(ratio) for ratio in (50.0, 1.5, math.e, 1307.0)],
        draw=lambda rng: _has_ratio(round(float(np.exp(rng.uniform(0.3, 7.0))), 3)),
    ),
}
