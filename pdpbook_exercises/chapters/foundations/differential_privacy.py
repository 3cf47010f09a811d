"""Self-checks of the chapter *Differential privacy*."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

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
    ),
}
