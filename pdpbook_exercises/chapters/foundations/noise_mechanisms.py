"""Checks of the exercises in *Laplace and Gaussian noise*."""

from math import exp, expm1, floor

import numpy as np

from pdpbook.foundations.mechanisms import analytic_gaussian_sigma
from pdpbook_exercises.checking import assert_close, assert_equal, exercise


@exercise("noise-mechanisms/crossover")
def crossover(answer, rng):
    drawn = [(rng.uniform(0.1, 3), 10 ** -rng.uniform(2, 9)) for _ in range(3)]
    for epsilon, delta in [(1.0, 1e-5), (0.1, 1e-5), (1.0, 1e-10), (5.0, 1e-6), (1.0, 0.3), *drawn]:
        sigma = analytic_gaussian_sigma(epsilon=epsilon, delta=delta)
        right = floor((epsilon * sigma) ** 2 / 2) + 1
        assert_equal(
            answer(epsilon, delta),
            right,
            "Compare the standard deviations of the two kinds of noise. Which norm does each use?",
            {
                "For this number of counts, Laplace noise is still no worse.": right - 1,
                "One count fewer is already enough.": right + 1,
            },
            more="One person changes k counts by 1 each: the L1 norm is k, and the L2 norm is √k.",
        )


@exercise("noise-mechanisms/sensitivities")
def sensitivities(answer, rng):
    removal = "The first two numbers are for a removal: take the largest L1 and L2 norm of a row."
    replacement = "A replacement takes one row away and adds another: go through all pairs of rows."
    fixed = [np.tri(5), np.eye(4), [[3, -4], [0, 1], [-3, 4]], [[1, 2, 2], [1, 2, 2]]]
    for table in [*fixed, *(rng.integers(-4, 5, (rows, 3)) for rows in rng.integers(2, 6, 3))]:
        changes = np.array(table, dtype=float)
        apart = (changes[:, None] - changes).reshape(-1, changes.shape[1])
        right = np.array(
            [np.linalg.norm(rows, p, axis=1).max() for rows in (changes, apart) for p in (1, 2)]
        )
        given = answer(changes)
        removal_is_wrong = np.shape(given) == (4,) and not np.allclose(given[:2], right[:2])
        assert_close(
            given,
            right,
            removal if removal_is_wrong else replacement,
            {
                "The L2 norm is the square root of the sum of the squares.": right ** [1, 2, 1, 2],
                "Twice the sensitivity for removal is only an upper bound for replacement.": (
                    right[[0, 1, 0, 1]] * [1, 1, 2, 2]
                ),
                "Give removal, then replacement, each with L1 before L2.": right[[2, 3, 0, 1]],
            },
        )


@exercise("noise-mechanisms/laplace-delta")
def laplace_delta(answer, rng):
    drawn = rng.uniform([0.3, 0], [3, 1.5], (3, 2))
    for b, e in [(1.0, 0.0), (1.0, 0.3), (2.0, 0.1), (0.5, 1.5), (1.0, 1.5), *drawn]:
        half = (e - 1 / b) / 2
        delta = max(0, -expm1(half))
        assert_close(
            answer(b, e),
            delta,
            "The δ falls as ε grows, and it is 0 if ε is at least 1/b.",
            {
                "If ε is at least 1/b, then δ is 0, not a negative number.": -expm1(half),
                "The exponent contains half of ε - 1/b: where do the densities have the ratio "
                "e^ε?": max(0, -expm1(2 * half)),
                "That is 1 - δ.": 1 - delta,
                "That is the δ for ε = 0.": -expm1(-0.5 / b),
                "That is the probability of the event with the record. Subtract e^ε times its "
                "probability without the record.": 1 - exp(half) / 2,
                "You used b instead of 1/b: divide by the scale.": max(0, -expm1((e - b) / 2)),
            },
            rtol=1e-3,  # a numerical integral is accurate enough
            atol=1e-5,
        )
