"""Self-checks of the chapter *Differential privacy*."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.stats import laplace

from pdpbook_exercises import Exercise, close

__all__ = ["EXERCISES"]


def _least_epsilon(before: float, after: float) -> float:
    return abs(math.log(after / (1 - after)) - math.log(before / (1 - before)))


def _margin(sensitivity: float, margin: float, chance: float) -> float:
    """Bisect the probability that Laplace noise leaves the margin."""
    low, high = 0.0, 1.0
    while math.exp(-margin * high / sensitivity) > chance:
        high *= 2.0
    for _ in range(100):
        middle = (low + high) / 2
        out = math.exp(-margin * middle / sensitivity)
        low, high = (middle, high) if out > chance else (low, middle)
    return high


def _split(sensitivities: Any, epsilon: float) -> Any:
    roots = [math.sqrt(each) for each in sensitivities]
    return np.array([epsilon * root / sum(roots) for root in roots])


# Answers, wrong and right, for the exercises below ------------------------------------------------


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


def test_the_best_split_is_the_one_that_a_search_finds():
    for sensitivities, epsilon in (([1.0, 4.0], 3.0), ([1.0, 9.0, 16.0], 0.7)):
        found = searched(sensitivities, epsilon)
        assert np.allclose(found, split(sensitivities, epsilon), rtol=1e-4)


EXERCISES = {
    "least-epsilon": Exercise(
        [
            close(
                _least_epsilon,
                b,
                a,
                hint="Compare odds, not beliefs, in either direction.",
                mistakes={
                    "That compares the beliefs. What is bounded is the change of the odds.": (
                        lambda b, a: abs(math.log(a / b))
                    ),
                    "The factor of the odds is e^ε. Take its logarithm.": (
                        lambda b, a: a / (1 - a) * (1 - b) / b
                    ),
                    "The belief may fall, too.": lambda b, a: math.log(a / (1 - a) * (1 - b) / b),
                },
            )
            for b, a in ((0.01, 0.05), (0.5, 0.2), (0.3, 0.9))
        ],
        draw=lambda rng: tuple(rng.uniform(0.01, 0.99, 2).round(3).tolist()),
        wrong=[
            (lambda b, a: abs(math.log(a / b)), "That compares the beliefs."),
            (lambda b, a: odds(a) / odds(b), "Take its logarithm."),
            (lambda b, a: math.log(odds(a) / odds(b)), "does not hold yet"),
            (lambda b, a: abs(math.log2(odds(a) / odds(b))), "right in base 2"),
            (lambda b, a: a - b, "Compare odds"),
        ],
        right=[lambda b, a: math.log(max(odds(a) / odds(b), odds(b) / odds(a)))],
    ),
    "margin": Exercise(
        [
            close(
                _margin,
                *case,
                hint="With which probability does Laplace noise of scale b leave (-m, m)?",
                more="Both tails together have the probability exp(-m/b), and b is the sensitivity "
                "over ε.",
                mistakes={
                    "Those are the scales. Divide the sensitivity by it.": lambda s, m, c: (
                        m / math.log(1 / c)
                    ),
                    "That is one tail of two.": lambda s, m, c: s * math.log(0.5 / c) / m,
                    "The noise grows with the sensitivity.": lambda s, m, c: math.log(1 / c) / m,
                    "That makes only the *mean* error equal to the margin.": lambda s, m, c: s / m,
                },
            )
            for case in ((1.0, 10.0, 0.05), (1.0, 1.0, 0.05), (50.0, 20.0, 0.3), (0.02, 0.5, 1e-6))
        ],
        draw=lambda rng: (
            round(rng.uniform(0.01, 60.0), 2),
            round(rng.uniform(0.5, 30.0), 2),
            round(rng.uniform(0.001, 0.5), 3),
        ),
        wrong=[
            (lambda s, m, c: m / math.log(1 / c), "Those are the scales."),
            (lambda s, m, c: s * math.log(0.5 / c) / m, "one tail of two"),
            (lambda s, m, c: math.log(1 / c) / m, "does not hold yet"),
            (lambda s, m, c: s / m, "the *mean* error"),
            (lambda s, m, c: s * (1 - c) / m, "With which probability"),
        ],
        right=[margin, lambda s, m, c: s / m * -math.log(c)],
    ),
    "split-budget": Exercise(
        [
            close(
                _split,
                np.array(sensitivities),
                epsilon,
                hint="The ε of the numbers sum to the total. The mean error of number j is its "
                "sensitivity over its ε.",
                mistakes={
                    "Equal parts are best for equal sensitivities only.": lambda s, e: np.full(
                        len(s), e / len(s)
                    ),
                    "That is in proportion to the sensitivities, and all errors are equal then. "
                    "Their sum can be smaller.": lambda s, e: e * s / s.sum(),
                    "Numbers of a larger sensitivity need more of the budget.": lambda s, e: (
                        e * s**-0.5 / (s**-0.5).sum()
                    ),
                },
            )
            for sensitivities, epsilon in (
                ([1.0, 4.0], 3.0),
                ([1.0, 50.0, 0.01], 1.0),
                ([2.0], 0.5),
                ([1.0, 9.0, 16.0, 100.0], 0.1),
            )
        ],
        draw=lambda rng: (
            rng.uniform(0.1, 50.0, int(rng.integers(2, 7))).round(2),
            round(rng.uniform(0.1, 3.0), 2),
        ),
        wrong=[
            (lambda s, e: split(s, e, 0.0), "Equal parts"),
            (lambda s, e: split(s, e, 1.0), "in proportion to the sensitivities"),
            (lambda s, e: split(s, e, -0.5), "need more of the budget"),
            (lambda s, e: np.sqrt(s) * e, "sum to the total"),
            (lambda s, e: sum(split(s, e)), "Its shape is ()"),
        ],
        right=[split, lambda s, e: e * np.sqrt(s) / np.sqrt(s).sum()],
    ),
}
