"""Answers to the exercises of *Local randomisers*."""

import math
from itertools import product

import numpy as np

from pdpbook.audit.randomisers import k_ary_randomised_response, randomiser_epsilon
from tests.tools.answers import Answers


def inside_only(bins, n, epsilon, first, last):
    """Forgets the records outside."""
    randomiser = np.eye(bins)
    inside = slice(first, last + 1)
    randomiser[inside, inside] = k_ary_randomised_response(last - first + 1, n, epsilon)
    return randomiser


def by_hand(randomiser, n):
    """For two rows of a column at a time."""
    pairs = (pair for column in randomiser.T for pair in product(column, column))
    return max(math.log(((n - 1) * low + high) / (n * low)) for low, high in pairs)


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
        [lambda n, e, m: m * math.exp(-e) / (math.exp(-e) - n * math.expm1(-e))]
    ),
    "public-weights": Answers([by_bisection]),
    "replacement": Answers([by_hand]),
    "plausible": Answers(
        [mixed],
        (lambda *case: k_ary_randomised_response(*case[:3]), "need the other columns?"),
        (inside_only, "The randomiser is inf-DP."),
        (lambda bins, n, *rest: np.eye(25), "Its shape is (25, 25), and (101, 101) was expected."),
        (lambda *case: k_ary_randomised_response(*case[:3]) * 2, "rows sum to 1"),
    ),
}
