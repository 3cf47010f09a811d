"""Checks of the exercises in *Statistics from the sampling query*."""

from math import expm1, log1p

import numpy as np

from pdpbook.per_instance.privacy_loss import privacy_losses
from pdpbook_exercises.checking import assert_close, exercise


@exercise("sampling-statistics/scale-of-a-draw", refused=["scale_bound"])
def scale_of_a_draw(answer, rng):
    drawn = [(int(rng.integers(2, 10**5)), rng.uniform(0.01, 4)) for _ in range(3)]
    for n, epsilon in [(1317, 1.0), (5, 0.3), (10**9, 1e-6), (2, 4.0), *drawn]:
        inside = log1p(n * expm1(epsilon))
        assert_close(
            answer(n, epsilon),
            1 / inside,
            "One draw costs ln(1 + (e^ε₀ - 1)/n). Set this cost equal to ε, and solve for ε₀.",
            {
                "That scale ignores amplification: a record is seldom drawn.": 1 / epsilon,
                "That is ε₀. The scale is its inverse.": inside,
            },
        )


@exercise("sampling-statistics/best-draws")
def best_draws(answer, rng):
    fixed = [
        (1317, 68.58, 9.1, 1.0, 5000),
        (1317, 68.58, 9.1, 1.0, 50),
        (10_000, 1.0, 0.3, 0.1, 3000),
        (50, 10.0, 4.0, 3.0, 500),
    ]
    drawn = rng.uniform([50, 1, 0.5, 0.1, 100], [5000, 80, 10, 3, 2000], (3, 5))
    for records, spread, sd, epsilon, most in [*fixed, *drawn]:
        n, limit = int(records), int(most)
        m = np.arange(1, limit + 1)
        scale = spread / np.log1p(n * np.expm1(epsilon / m))
        right, undivided, unamplified, too_quiet = (
            m[((sd**2 + 2 * b**2) / m).argmin()]
            for b in (scale, scale[0], spread * m / epsilon, scale / 2**0.5)
        )
        assert_close(
            answer(n, spread, sd, epsilon, limit),
            right,
            "Try all numbers of draws. Each draw gets epsilon / m, and amplification gives its "
            "scale; what is the variance of a draw?",
            {
                "Each draw gets only a part of epsilon.": undivided,
                "That ignores amplification: a record is seldom drawn.": unamplified,
                "Laplace noise of scale b has the variance 2b², not b².": too_quiet,
            },
            more="The variance of one draw is the variance of the data plus the variance of the "
            "noise, 2b². The mean of m draws has 1/m of this variance.",
        )


@exercise("sampling-statistics/merged-losses")
def merged_losses(answer, rng):
    cases = [
        (rng.dirichlet(np.ones(6), 4), [0, 0, 1, 1, 2, 2]),
        (rng.dirichlet(np.full(5, 0.3), 3), [1, 0, 1, 0, 2]),
        (np.eye(4), [0, 0, 1, 1]),
        (rng.dirichlet(np.ones(4), 5), [0, 0, 0, 0]),
    ]
    for n, bins in rng.integers([2, 3], [7, 8], (3, 2)):
        groups = rng.permutation([0, 1, *rng.integers(0, 2, bins - 2)])
        cases.append((rng.dirichlet(np.ones(bins), n), groups))
    for rows, labels in cases:
        groups = np.array(labels)
        merged = np.array([rows[:, groups == g].sum(axis=1) for g in range(max(groups) + 1)]).T
        assert_close(
            answer(rows, groups),
            privacy_losses(merged, merged.sum(axis=0), len(rows)),
            "First add up the columns of each group. Then compare P with and without a record.",
            {
                "These are the losses before merging.": (
                    privacy_losses(rows, rows.sum(axis=0), len(rows))
                ),
                "P_{-i} is the mean over the *other* records.": (
                    abs(np.log(merged / merged.mean(axis=0))).max(axis=1)
                ),
            },
            more="pb.privacy_losses takes the merged rows and the sum of the merged rows.",
        )
