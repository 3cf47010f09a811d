"""Answers to the exercises of *Local randomisers*."""

import math

import numpy as np

from pdpbook.audit.randomisers import k_ary_randomised_response, randomiser_epsilon
from tests.tools.answers import Answers


def ratio(n, epsilon):
    return 1 + n * math.expm1(epsilon)


def inside_only(bins, n, epsilon, first, last):
    """Forgets the records outside."""
    randomiser = np.eye(bins)
    randomiser[first : last + 1, first : last + 1] = k_ary_randomised_response(
        last - first + 1, n, epsilon
    )
    return randomiser


def by_hand(randomiser, n):
    """For two rows of a column at a time."""
    return max(
        math.log(((n - 1) * low + high) / (n * low))
        for column in randomiser.T
        for low in column
        for high in column
    )


def mixed(bins, n, epsilon, first, last):
    """Randomised response on the plausible bins, and uniform release there for the others."""
    inside = np.arange(first, last + 1)
    randomiser = np.zeros((bins, bins))
    randomiser[:, inside] = 1 / inside.size
    randomiser[np.ix_(inside, inside)] = k_ary_randomised_response(inside.size, n, epsilon)
    return randomiser.tolist()


def by_bisection(weights, n, epsilon):
    """With the largest loss of the table, as the package computes it."""
    low, high = 0.0, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        table = (1 - middle) * np.eye(len(weights)) + middle * np.asarray(weights)
        enough = randomiser_epsilon(table, n) <= epsilon
        low, high = (low, middle) if enough else (middle, high)
    return high


ANSWERS = {
    "draws-of-others": Answers(
        [
            lambda n, epsilon, m: (
                m * math.exp(-epsilon) / (n - (n - 1) * math.exp(-epsilon))
                if epsilon > 1e-3
                else m / ratio(n, epsilon)
            )
        ]
    ),
    "public-weights": Answers([by_bisection]),
    "replacement": Answers([by_hand]),
    "plausible": Answers(
        [mixed],
        (
            lambda bins, n, epsilon, first, last: k_ary_randomised_response(bins, n, epsilon),
            "Who needs the other columns?",
        ),
        (inside_only, "The randomiser is inf-DP."),
        (
            lambda bins, n, epsilon, first, last: k_ary_randomised_response(
                last - first + 1, n, epsilon
            ),
            "Its shape is (25, 25), and (101, 101) was expected.",
        ),
        (
            lambda bins, n, epsilon, first, last: k_ary_randomised_response(bins, n, epsilon) * 2,
            "rows sum to 1",
        ),
    ),
}
