"""Checks of the exercises in *The truncated Laplace density*."""

from math import e, exp, expm1, log, sqrt

import numpy as np

from pdpbook_exercises.checking import assert_close, exercise


@exercise("truncated-laplace/scale-for-ratio")
def scale_for_ratio(answer, rng):
    for ratio in [e, 2.0, 10.0, 22_026.0, 1.01, *np.exp(rng.uniform(0.05, 8, 3))]:
        b = 1 / log(ratio)
        assert_close(
            answer(ratio),
            [b, 1 / b / (ratio - 1)],
            "The ratio of the largest to the smallest density is e^(1/b). Solve for b.",
            {
                "The factor 1/b of the smallest density is missing.": [b, 1 / (ratio - 1)],
                "The second number is the largest density, not the smallest.": (
                    [b, ratio / b / (ratio - 1)]
                ),
            },
            more="Put 1/b = ln R into the formula of the smallest density.",
        )


@exercise("truncated-laplace/truncated-sd")
def truncated_sd(answer, rng):
    for b in [0.3, 0.1, 1.0, 0.01, 10.0, *np.exp(rng.uniform(-3, 1.5, 3))]:
        variance = 2 * b**2 - (b + 0.25) / expm1(0.5 / b)
        assert_close(
            answer(b),
            sqrt(variance),
            "By symmetry, consider only t = |x - 1/2| in [0, 1/2], and integrate by parts.",
            {
                "That is the standard deviation before truncation.": sqrt(2) * b,
                "That is the variance.": variance,
                "That is the SD of the uniform distribution, the limit for large b.": 12**-0.5,
            },
            more="Subtract the part beyond 1/2 from 2b², and multiply by 1/(1 - exp(-1/(2b))), the "
            "factor by which truncation raises the density.",
            rtol=1e-5,
        )


@exercise("truncated-laplace/grid-ratio")
def grid_ratio(answer, rng):
    drawn = [(int(rng.integers(3, 41)), rng.uniform(0.06, 3)) for _ in range(3)]
    for bins, b in [(3, 1.0), (5, 0.2), (20, 0.05), (40, 3.0), (10**6, 0.3), *drawn]:
        step = 1 / (bins * b)
        right = 2 / (1 + exp(-step / 2)) * exp((bins - 1.5) * step)
        assert_close(
            answer(bins, b),
            right,
            "Rows 0 and K - 1 are mirror images, so their normalising constants cancel.",
            {
                "That is the ratio of the densities for records at the edges. Here the records "
                "are at midpoints.": exp(1 / b),
                "That is the ratio of the densities at the midpoints. A mass is an integral over a "
                "bin.": exp((bins - 1) * step),
                "That is the inverse of the ratio.": 1 / right,
            },
            more="A record in the middle of its bin puts equal masses into both halves. How much "
            "does a record of bin K - 1 put into bin 0? Both masses are differences of "
            "exponentials.",
        )


@exercise("truncated-laplace/gaussian-sigma")
def gaussian_sigma(answer, rng):
    for ratio in [50.0, 1.5, e, 1307.0, *np.exp(rng.uniform(0.3, 7, 3))]:
        assert_close(
            answer(ratio),
            1 / sqrt(2 * log(ratio)),
            "At which two places does the truncated Gaussian density take its extremes? The "
            "normalising constant is the same at both places.",
            {
                "That is the scale of the Laplace density. A Gaussian falls with the square of the "
                "distance.": 1 / log(ratio),
                "Is that the variance? Sigma is its square root.": 0.5 / log(ratio),
                "The largest distance in [0, 1] is 1, for a record at an edge. For a record in the "
                "middle, it is only 1/2.": 1 / sqrt(8 * log(ratio)),
            },
        )
