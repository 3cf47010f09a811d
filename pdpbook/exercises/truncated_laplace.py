"""Self-checks of the chapter *The truncated Laplace density*."""

from __future__ import annotations

import math

import numpy as np

from pdpbook.exercises import Case, Exercise, close
from pdpbook.per_instance.noise_kernels import laplace_kernel, truncated_laplace_pdf

__all__ = ["EXERCISES"]


def _inside(location: float, scale: float) -> float:
    """Peak of the plain density over the peak of the truncated one."""
    return float(1.0 / (2.0 * scale * truncated_laplace_pdf(location, location, scale)))


def _truncated_sd(scale: float) -> float:
    """By the midpoint rule, which is symmetric about the kink."""
    points = (np.arange(200_000) + 0.5) / 200_000
    density = truncated_laplace_pdf(points, 0.5, scale)
    return math.sqrt(float(((points - 0.5) ** 2 * density).mean()))


def _grid_ratio(bins: int, scale: float) -> float:
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


EXERCISES = {
    "inside": Exercise(
        [
            close(_inside, 0.5, 0.2, hint="Add the two halves of the interval."),
            close(_inside, 0.0, 0.05, hint="Half of the noise goes out at an edge."),
            close(
                _inside,
                0.3,
                1e12,
                hint="1 - exp(-t) loses its digits for small t; expm1 does not.",
                rtol=1e-12,
                atol=0.0,
            ),
        ]
    ),
    "truncated-sd": Exercise(
        [
            close(
                _truncated_sd,
                scale,
                hint="By symmetry look at t = x - 1/2 in [0, 1/2] only and integrate by parts.",
                rtol=1e-5,
            )
            for scale in (0.01, 0.1, 0.3, 1.0, 10.0)
        ]
    ),
    "grid-ratio": Exercise(
        [
            close(
                _grid_ratio,
                bins,
                scale,
                hint="Rows 0 and K - 1 are mirror images, so their normalising constants cancel.",
            )
            for bins, scale in ((3, 1.0), (5, 0.2), (20, 0.05), (40, 3.0))
        ]
    ),
    "gaussian-sigma": Exercise(
        [
            Case(
                lambda answer, ratio=ratio: math.isclose(  # type: ignore[misc]
                    _gaussian_ratio(float(answer(ratio))), ratio, rel_tol=1e-6
                ),
                "At which two places does the truncated Gaussian density take its extremes? "
                "The normalising constant is the same there.",
            )
            for ratio in (1.5, math.e, 50.0, 1307.0)
        ]
    ),
}
