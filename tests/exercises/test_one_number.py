"""Plausible answers to the exercises of *One number*: the wrong are refused and told why."""

import math

import numpy as np

from pdpbook import draws_epsilon, k_ary_randomised_response, laplace_kernel
from pdpbook.foundations import advanced_composition
from tests.tools.answers import answer_tests


def table(n, cover, own=1.0):
    """Rows of n records on two bins: record 0 in bin 0 with probability own, others with cover."""
    rows = np.tile([cover, 1 - cover], (n, 1))
    rows[0] = own, 1 - own
    return rows


def ratio(n, epsilon):
    return 1 + n * math.expm1(epsilon)


def inside_only(bins, n, epsilon, first, last):
    """Forgets the records outside."""
    randomiser = np.eye(bins)
    randomiser[first : last + 1, first : last + 1] = k_ary_randomised_response(
        last - first + 1, n, epsilon
    )
    return randomiser


def gap(randomiser):
    return (randomiser.max(0) / randomiser.min(0)).max() - 1


def by_advanced_composition(n, epsilon, total, delta):
    fits = [
        m
        for m in range(1, 200)
        if delta > 0 and advanced_composition(epsilon, count=m, slack=delta).epsilon <= total
    ]
    return max(fits, default=0)


def by_powers(n, epsilon, total, delta):
    """Stops at the first power of 10 that costs too much."""
    dear = (draws_epsilon(n, epsilon, draws=10**k, delta=delta) > total for k in range(9))
    return next((10**k for k, too_dear in enumerate(dear) if too_dear), 10**9)


def by_bisection(n, epsilon, total, delta):
    def cost(m):
        return 0 if m == 0 else draws_epsilon(n, epsilon, draws=m, delta=delta)

    low, high = 0, 10**9 + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if cost(middle) <= total else (low, middle)
    return low


def one_short(n, epsilon, total, delta):
    return max(by_bisection(n, epsilon, total, delta) - 1, 0)


def by_hand(randomiser, n):
    """For two rows of a column at a time."""
    return max(
        math.log(((n - 1) * low + high) / (n * low))
        for column in randomiser.T
        for low in column
        for high in column
    )


def mixed(bins, n, epsilon, first, last):
    """Keeps within the plausible bins, blurs evenly over them, and sends strangers there."""
    inside = np.arange(first, last + 1)
    randomiser = np.zeros((bins, bins))
    randomiser[:, inside] = 1 / inside.size
    randomiser[np.ix_(inside, inside)] = k_ary_randomised_response(inside.size, n, epsilon)
    return randomiser.tolist()


WRONG = {
    "look-alikes": [
        (lambda n, epsilon, m: m / n, "the record's own share"),
        (lambda n, epsilon, m: m * math.exp(epsilon) / ratio(n, epsilon), "And without it?"),
        (lambda n, epsilon, m: m * (n - 1) / n / ratio(n, epsilon), "the mean over them"),
        (lambda n, epsilon, m: m / (n * math.expm1(epsilon)), "Look at ε = 0"),
        (lambda n, epsilon, m: m / (1 + n * (math.exp(epsilon) - 1)), "loses digits"),
    ],
    "replacement": [
        (lambda randomiser, n: 2 * np.log1p(gap(randomiser) / n), "A removal and an addition"),
        (lambda randomiser, n: np.log1p(gap(randomiser)), "nobody covers"),
        (lambda randomiser, n: np.log1p(gap(randomiser) / (n - 1)), "the smaller of the two sums"),
        (
            lambda randomiser, n: np.log1p((randomiser.max() / randomiser.min() - 1) / n),
            "Ratios are taken within a column.",
        ),
        (
            lambda randomiser, n: np.log1p(gap(randomiser.T) / n),
            "Ratios are taken within a column.",
        ),
        (lambda randomiser, n: np.log2(1 + gap(randomiser) / n), "It is right in base 2."),
    ],
    "worst-rows": [
        (lambda n, epsilon: table(n, 0.0), "Record 0 loses inf by a draw."),
        (lambda n, epsilon: table(n, 1 / n), "How much cover does it need?"),
        (lambda n, epsilon: table(n, 1 / math.exp(epsilon)), "Record 0 loses"),
        (
            lambda n, epsilon: table(n, 0.5 / ratio(n, epsilon), 0.5),
            "Three draws exceed the theorem's total",
        ),
        (lambda n, epsilon: np.ones((n, 2)), "Each row should sum to 1."),
        (lambda n, epsilon: table(n - 1, 1 / ratio(n, epsilon)), "was expected"),
    ],
    "draws-allowed": [
        (lambda n, epsilon, total, delta: int(total / epsilon), "which is still allowed"),
        (lambda n, epsilon, total, delta: 2 * n, "more than the total"),
        (by_advanced_composition, "which is still allowed"),
        (by_powers, "more than the total"),
        (one_short, "One draw more would cost"),
        (lambda n, epsilon, total, delta: total / epsilon + 0.5, "not a whole number"),
    ],
    "plausible": [
        (
            lambda bins, n, epsilon, first, last: k_ary_randomised_response(bins, n, epsilon),
            "Who needs the other columns?",
        ),
        (inside_only, "The randomiser is inf-DP."),
        (
            lambda bins, n, epsilon, first, last: k_ary_randomised_response(bins, 2 * n, epsilon),
            "-DP.",
        ),
        (
            lambda bins, n, epsilon, first, last: np.full((bins, bins), 1 / bins),
            "and that of k-ary randomised response",
        ),
        (
            lambda bins, n, epsilon, first, last: laplace_kernel(bins, [0.05])[0],
            "Look at the ratios within each column",
        ),
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
    ],
}

RIGHT = {
    "look-alikes": [
        lambda n, epsilon, m: m / (1 + n * np.expm1(epsilon)),
        lambda n, epsilon, m: (
            m * math.exp(-epsilon) / (n - (n - 1) * math.exp(-epsilon))
            if epsilon > 1e-3
            else m / ratio(n, epsilon)
        ),
    ],
    "replacement": [by_hand, lambda randomiser, n: np.log1p(gap(randomiser) / n)],
    "worst-rows": [lambda n, epsilon: table(n, 1 / ratio(n, epsilon)).tolist()],
    "draws-allowed": [by_bisection, lambda *case: float(by_bisection(*case))],
    "plausible": [mixed],
}

test_wrong_answers, test_right_answers = answer_tests("one-number", WRONG, RIGHT)
