"""Self-checks of the chapter *Collusion*."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import integrate

from pdpbook.beyond.gradual_release import two_level_density
from pdpbook.exercises import Case, Exercise, close, equal

__all__ = ["EXERCISES"]


def _fresh(epsilons: Sequence[float]) -> tuple[float, float]:
    covariance = np.diag(2.0 / np.square(epsilons))
    information = np.linalg.solve(covariance, np.ones(len(epsilons))).sum()
    return float(np.sum(epsilons)), float(1.0 / math.sqrt(information))


def _all_equal(epsilons: Sequence[float]) -> float:
    order = sorted(epsilons)
    steps = [(a / b) ** 2 for a, b in pairwise(order)]
    return math.prod(steps)


def _mean_by_integration(x: float, low: float, high: float) -> float:
    known = 0.5 * low * math.exp(-low * abs(x))
    atom = float(two_level_density(x, x, epsilon=low, new_epsilon=high)[1])

    def weighted(y: float) -> float:
        return y * float(two_level_density(x, y, epsilon=low, new_epsilon=high)[0])

    reach = abs(x) + 60.0 / high
    smooth = integrate.quad(weighted, -reach, reach, points=sorted({0.0, x}), limit=400)[0]
    return (x * atom + smooth) / known


def _releases_integers(low: float, high: float) -> Callable[[Any], bool]:
    """Convolve the quiet law with the answer's jump and compare it with the noisy law."""

    def judge(answer: Any) -> bool:
        stay = float(answer(low, high))
        support = np.arange(-400, 401)

        def law(epsilon: float) -> Any:
            alpha = math.exp(-epsilon)
            return (1 - alpha) / (1 + alpha) * alpha ** np.abs(support)

        moved = np.convolve(law(high), law(low), mode="same")
        return 0.0 < stay < 1.0 and bool(
            np.allclose(stay * law(high) + (1 - stay) * moved, law(low), atol=1e-12)
        )

    return judge


EXERCISES = {
    "fresh-copies": Exercise(
        [
            close(
                _fresh, np.array(levels), hint="Weights of the best combination go with 1/variance."
            )
            for levels in ([0.5], [0.5, 0.5], [0.1, 0.4, 2.0])
        ]
    ),
    "all-equal": Exercise(
        [
            close(_all_equal, np.array(levels), hint="Between neighbours it is a square; multiply.")
            for levels in ([1.0], [0.5, 1.0], [1.0, 0.2, 0.5], [0.3, 0.3, 0.1, 0.4])
        ]
    ),
    "expected-refinement": Exercise(
        [
            close(
                _mean_by_integration,
                *arguments,
                hint="It is odd in x, bounded, and 0 at x = 0. Integrate y against each piece.",
                rtol=1e-5,
                atol=1e-7,
            )
            for arguments in ((0.0, 1.0, 2.0), (2.5, 0.5, 1.0), (-1.0, 0.4, 3.0), (30.0, 0.2, 0.5))
        ]
    ),
    "whole-numbers": Exercise(
        [
            Case(
                _releases_integers(low, high),
                "Divide the two characteristic functions and write the quotient as a constant "
                "plus a multiple of the one of level epsilon; mind that the two sum to 1 at t = 0.",
            )
            for low, high in ((0.5, 1.0), (0.3, 0.31), (0.2, 4.0))
        ]
    ),
    "uniform-noise": Exercise(
        [
            equal(
                expected,
                ratio,
                hint="Where the denominator of the quotient is 0, the numerator must be 0 too. "
                "Then look for a jump that does it.",
            )
            for ratio, expected in (
                (2.0, True),
                (1.5, False),
                (3.0, True),
                (2.7, False),
                (7.0, True),
            )
        ]
    ),
}
