"""Wrong answers to the exercises of *Differential privacy* are told what is wrong."""

import math

import numpy as np
from scipy.optimize import minimize
from scipy.stats import laplace

from tests.tools.answers import answer_tests


def odds(belief):
    return belief / (1 - belief)


def margin(sensitivity, margin, chance):
    """The quantile of Laplace noise of scale 1, over the margin in units of the sensitivity."""
    return laplace.isf(chance / 2) * sensitivity / margin


def split(sensitivities, epsilon, power=0.5):
    weights = np.asarray(sensitivities) ** power
    return list(epsilon * weights / weights.sum())


def searched(sensitivities, epsilon):
    """Minimise over the logarithms of the shares."""
    s = np.asarray(sensitivities)

    def shares(logs):
        weights = np.exp(logs - logs.max())
        return epsilon * weights / weights.sum()

    start = np.zeros(s.size)
    found = minimize(lambda x: np.log((s / shares(x)).sum()), start, tol=1e-15, method="BFGS")
    return shares(found.x)


WRONG = {
    "least-epsilon": [
        (lambda b, a: abs(math.log(a / b)), "That compares the beliefs."),
        (lambda b, a: odds(a) / odds(b), "Take its logarithm."),
        (lambda b, a: math.log(odds(a) / odds(b)), "does not hold yet"),
        (lambda b, a: abs(math.log2(odds(a) / odds(b))), "right in base 2"),
        (lambda b, a: a - b, "Compare odds"),
    ],
    "margin": [
        (lambda s, m, c: m / math.log(1 / c), "Those are the scales."),
        (lambda s, m, c: s * math.log(0.5 / c) / m, "one tail of two"),
        (lambda s, m, c: math.log(1 / c) / m, "does not hold yet"),
        (lambda s, m, c: s / m, "the *mean* error"),
        (lambda s, m, c: s * (1 - c) / m, "With which probability"),
    ],
    "split-budget": [
        (lambda s, e: split(s, e, 0.0), "Equal parts"),
        (lambda s, e: split(s, e, 1.0), "in proportion to the sensitivities"),
        (lambda s, e: split(s, e, -0.5), "need more of the budget"),
        (lambda s, e: np.sqrt(s) * e, "sum to the total"),
        (lambda s, e: sum(split(s, e)), "Its shape is ()"),
    ],
}

RIGHT = {
    "least-epsilon": [lambda b, a: math.log(max(odds(a) / odds(b), odds(b) / odds(a)))],
    "margin": [margin, lambda s, m, c: s / m * -math.log(c)],
    "split-budget": [split, lambda s, e: e * np.sqrt(s) / np.sqrt(s).sum()],
}

test_wrong_answers, test_right_answers = answer_tests("differential-privacy", WRONG, RIGHT)


def test_the_best_split_is_the_one_that_a_search_finds():
    for sensitivities, epsilon in (([1.0, 4.0], 3.0), ([1.0, 9.0, 16.0], 0.7)):
        found = searched(sensitivities, epsilon)
        assert np.allclose(found, split(sensitivities, epsilon), rtol=1e-4)
