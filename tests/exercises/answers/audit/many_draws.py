"""Answers to the exercises of *Many draws*."""

import math

import numpy as np
from scipy.stats import binom

from pdpbook.audit.accounting import draws_epsilon
from tests.tools.answers import Answers


def ratio(n, epsilon):
    return 1 + n * math.expm1(epsilon)


def table(n, share, own=1.0):
    """Rows of n records on two bins: record 0 in bin 0 with probability own, others with share."""
    rows = np.tile([share, 1 - share], (n, 1))
    rows[0] = own, 1 - own
    return rows


def by_bisection(n, epsilon, total, delta):
    def cost(m):
        return 0 if m == 0 else draws_epsilon(n, epsilon, draws=m, delta=delta)

    low, high = 0, 10**9 + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if cost(middle) <= total else (low, middle)
    return low


def by_best_threshold(n, epsilon, m):
    """The test that counts draws in the bin: the ratio of the two probabilities increases."""
    without = 1 / ratio(n, epsilon)
    upper = [binom.sf(np.arange(-1, m + 1), m, p) for p in (math.exp(epsilon) * without, without)]
    return (upper[0] - upper[1]).max()


ANSWERS = {
    "advantage": Answers([by_best_threshold]),
    "worst-rows": Answers(
        [lambda n, epsilon: table(n, 1 / ratio(n, epsilon)).tolist()],
        (lambda n, epsilon: table(n, 0.0), "The loss of record 0 from one draw is inf."),
        (lambda n, e: table(n, 0.5 / ratio(n, e), 0.5), "Three draws exceed the theorem's total"),
        (lambda n, epsilon: np.ones((n, 2)), "Each row should sum to 1."),
        (lambda n, e: table(n - 1, 1 / ratio(n, e)), "Return 6 rows with two probabilities"),
    ),
    "draws-allowed": Answers(
        [lambda *case: float(by_bisection(*case))],
        (lambda *case: by_bisection(*case) + 1, "more than the total"),
        (lambda *case: max(by_bisection(*case) - 1, 0), "One draw more would cost"),
        (lambda *case: by_bisection(*case) + 0.5, "not a whole number"),
    ),
}
