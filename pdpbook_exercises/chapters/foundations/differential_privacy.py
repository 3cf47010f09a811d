"""Checks of the exercises in *Differential privacy*."""

from math import log

import numpy as np

from pdpbook_exercises.checking import assert_close, exercise


@exercise("differential-privacy/least-epsilon")
def least_epsilon(answer, rng):
    for before, after in [(0.01, 0.05), (0.5, 0.2), (0.3, 0.9), *rng.uniform(0.01, 0.99, (3, 2))]:
        odds = after / (1 - after) * (1 - before) / before
        assert_close(
            answer(before, after),
            abs(log(odds)),
            "Compare the odds, not the beliefs. The odds may change in either direction.",
            {
                "That compares the beliefs. The definition bounds the change of the odds.": (
                    abs(log(after / before))
                ),
                "That is the factor by which the odds change, e^ε. Take its logarithm.": odds,
                "The belief may also fall, but ε is not negative.": log(odds),
            },
        )


@exercise("differential-privacy/margin")
def margin(answer, rng):
    drawn = rng.uniform([0.01, 0.5, 0.001], [60, 30, 0.5], (3, 3))
    for s, m, c in [(1, 10, 0.05), (1, 1, 0.05), (50, 20, 0.3), (0.02, 0.5, 1e-6), *drawn]:
        assert_close(
            answer(s, m, c),
            s * log(1 / c) / m,
            "What is the probability that Laplace noise of scale b is outside (-m, m)?",
            {
                "That is the scale. Divide the sensitivity by it.": m / log(1 / c),
                "That counts only one of the two tails.": s * log(0.5 / c) / m,
                "The noise grows with the sensitivity.": log(1 / c) / m,
                "That makes only the *mean* error equal to the margin.": s / m,
            },
        )


@exercise("differential-privacy/split-budget")
def split_budget(answer, rng):
    fixed = [([1, 4], 3), ([1, 50, 0.01], 1), ([2], 0.5), ([1, 9, 16, 100], 0.1)]
    drawn = [(rng.uniform(0.1, 50, rng.integers(2, 7)), rng.uniform(0.1, 3)) for _ in range(3)]
    for sensitivities, epsilon in fixed + drawn:
        s = np.array(sensitivities, dtype=float)
        assert_close(
            answer(s, epsilon),
            epsilon * s**0.5 / (s**0.5).sum(),
            "The values of ε add up to the total. The mean error of number j is its sensitivity "
            "divided by its ε.",
            {
                "Equal parts are best only for equal sensitivities.": 0 * s + epsilon / len(s),
                "That is proportional to the sensitivities, which makes all errors equal. The sum "
                "of the errors can be smaller.": epsilon * s / s.sum(),
                "Numbers with a larger sensitivity need more of the budget.": (
                    epsilon * s**-0.5 / (s**-0.5).sum()
                ),
            },
        )
