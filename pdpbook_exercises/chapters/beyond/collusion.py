"""Self-checks of the chapter *Collusion*."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import integrate

from pdpbook.beyond.gradual_release import two_level_density
from pdpbook_exercises import Case, Exercise, close, equal

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


def _fresh_case(epsilons: list[float], hint: str) -> Case:
    return close(
        _fresh,
        np.array(epsilons),
        hint=hint,
        more="Minimise the sum of 2 w²/ε² over weights that sum to 1.",
        mistakes={
            "That is the error of the plain mean. Give the less noisy copies more weight.": (
                lambda e: (e.sum(), math.sqrt((2 / e**2).sum()) / e.size)
            ),
            "That is a mean squared error. The root is missing.": (
                lambda e: (e.sum(), 2 / (e @ e))
            ),
            "Laplace noise of scale b has the variance 2b², not b².": (
                lambda e: (e.sum(), 1 / np.linalg.norm(e))
            ),
            "The largest ε is the price of a gradual release. What do fresh copies cost?": (
                lambda e: (e.max(), math.sqrt(2) / np.linalg.norm(e))
            ),
            "The total comes first, then the error.": (
                lambda e: (math.sqrt(2) / np.linalg.norm(e), e.sum())
            ),
        },
    )


def _equal_case(epsilons: list[float], hint: str) -> Case:
    return close(
        _all_equal,
        np.array(epsilons),
        hint=hint,
        more="Sort the levels and multiply the probabilities of no jump. What cancels?",
        mistakes={
            "A step from ε₂ to ε₁ has no jump with probability ρ = (ε₁/ε₂)², a square.": (
                lambda e: min(e) / max(e)
            ),
            "The levels may come in any order, and the chain goes from the best to the worst.": (
                lambda e: math.prod((a / b) ** 2 for a, b in pairwise(e))
            ),
            "That is the probability that not all are equal.": (
                lambda e: 1 - (min(e) / max(e)) ** 2
            ),
        },
    )


def _refinement_case(x: float, low: float, high: float, hint: str) -> Case:
    def saturated(x: float, low: float, high: float) -> float:
        return float(np.sign(x)) * -math.expm1(-(high - low) * abs(x))

    return close(
        _mean_by_integration,
        x,
        low,
        high,
        hint=hint,
        more="Write the four contributions with s = ε₂ + ε₁ and a = ε₂ - ε₁. Then s² - a² = 4ε₁ε₂.",
        rtol=1e-5,
        atol=1e-7,
        mistakes={
            "That is the part of the copies that stay. Three more pieces have a mean.": (
                lambda x, low, high: x * low / high * math.exp(-(high - low) * abs(x))
            ),
            "The form is right, and c is not. It has the unit of 1/ε: check the powers.": (
                lambda x, low, high: 2 * low / (high - low) * saturated(x, low, high)
            ),
            "The form is right, and c is not. Is there a 1 for c?": saturated,
            "The form is right, and c is twice too small.": (
                lambda x, low, high: low / (high**2 - low**2) * saturated(x, low, high)
            ),
        },
    )


def _geometric(epsilon: float) -> NDArray[np.float64]:
    alpha = math.exp(-epsilon)
    return (1 - alpha) / (1 + alpha) * alpha ** np.abs(np.arange(-400, 401))


def _releases_integers(low: float, high: float) -> Callable[[Any], str]:
    """Convolve the accurate copy's noise with the answer's jump; compare with the noisy copy's."""

    def judge(answer: Any) -> str:
        stay = float(answer(low, high))
        if not 0.0 < stay < 1.0:
            return "It must be a probability in (0, 1)."
        moved = np.convolve(_geometric(high), _geometric(low), mode="same")
        mixed = stay * _geometric(high) + (1 - stay) * moved
        if np.allclose(mixed, _geometric(low), atol=1e-12):
            return ""
        square = np.arange(-400, 401) ** 2
        return (
            f"With it the noisier copy has a noise of variance {square @ mixed:.6g}, and geometric "
            f"noise of level {low} has {square @ _geometric(low):.6g}."
        )

    return judge


def _integers_case(low: float, high: float) -> Case:
    def is_near(wrong: Callable[[float, float], float]) -> Callable[[Any], bool]:
        return lambda answer: math.isclose(answer(low, high), wrong(low, high), rel_tol=1e-9)

    def power(epsilon: float) -> float:
        return (1 - math.exp(-epsilon)) ** 2

    return Case(
        _releases_integers(low, high),
        "Divide the two characteristic functions and write the quotient as a constant plus a "
        "multiple of the function of level ε₁; mind that the two sum to 1 at t = 0.",
        "The quotient is a linear function of cos t over another one. Let cos t grow beyond bounds "
        "to find the constant.",
        {
            "That is the ρ of Laplace noise. For whole numbers it is right only nearly.": (
                is_near(lambda low, high: (low / high) ** 2)
            ),
            "That is the quotient of the factors in front. The cosines have factors, too.": (
                is_near(lambda low, high: power(low) / power(high))
            ),
            "Which of the two levels stands on top?": (
                is_near(lambda low, high: (math.sinh(high / 2) / math.sinh(low / 2)) ** 2)
            ),
            "That is the probability of a jump.": (
                is_near(lambda low, high: 1 - (math.sinh(low / 2) / math.sinh(high / 2)) ** 2)
            ),
        },
    )


NO_JUMP = (
    "Where the denominator of the quotient is 0, the numerator must be 0 too. Is it, at this ratio?"
)
A_JUMP = "Cut the long interval into pieces as long as the short one. Which jump leads to it?"


def _ratio_case(ratio: float, expected: bool) -> Case:
    return equal(
        expected,
        ratio,
        hint=A_JUMP if expected else NO_JUMP,
        more="sin(rat)/(rat) must be 0 wherever sin(at) is.",
    )


def _drawn_ratio(rng: np.random.Generator) -> Case:
    """Draw a whole number and another one, since half of all guesses about one are right."""
    one, other = rng.integers(2, 40, 2)
    between = float(other) + round(float(rng.uniform(0.05, 0.95)), 2)
    pair = [_ratio_case(float(one), True), _ratio_case(between, False)]
    order = rng.permutation(2)

    def judge(answer: Any) -> bool | str:
        verdicts = (pair[i].judge(answer) for i in order)
        return next((each for each in verdicts if each not in (True, "")), True)

    return Case(judge, f"{A_JUMP} {NO_JUMP}")


EXERCISES = {
    "fresh-copies": Exercise(
        [
            _fresh_case([0.1, 0.4, 2.0], "Weights of the best combination go with 1/variance."),
            _fresh_case([0.5, 0.5], "Two equal copies: their mean has half the variance."),
            _fresh_case([0.5], "One copy: its own ε and its own standard deviation."),
        ],
        draw=lambda rng: (rng.uniform(0.05, 3.0, int(rng.integers(2, 7))).round(2),),
    ),
    "all-equal": Exercise(
        [
            _equal_case([0.5, 1.0], "Two levels: the coin of the two-level release."),
            _equal_case([1.0, 0.2, 0.5], "Between neighbours it is a square; sort, and multiply."),
            _equal_case([0.3, 0.3, 0.1, 0.4], "Equal levels have equal copies."),
            _equal_case([1.0], "One copy is equal to itself."),
        ],
        draw=lambda rng: (rng.uniform(0.1, 2.0, int(rng.integers(2, 6))).round(2),),
    ),
    "expected-refinement": Exercise(
        [
            _refinement_case(2.5, 0.5, 1.0, "Add up the four pieces: probability times mean."),
            _refinement_case(-1.0, 0.4, 3.0, "For x < 0 everything is mirrored."),
            _refinement_case(30.0, 0.2, 0.5, "For large |x| the mean tends to c: it is bounded."),
            _refinement_case(0.0, 1.0, 2.0, "At x = 0 the distribution is symmetric."),
        ],
        draw=lambda rng: (
            round(rng.uniform(-5.0, 5.0), 2),
            round(rng.uniform(0.1, 0.8), 2),
            round(rng.uniform(1.0, 3.0), 2),
        ),
    ),
    "whole-numbers": Exercise(
        [_integers_case(low, high) for low, high in ((0.5, 1.0), (0.3, 0.31), (0.2, 4.0))],
        draw=lambda rng: _integers_case(
            round(rng.uniform(0.2, 0.9), 2), round(rng.uniform(1.0, 3.0), 2)
        ),
    ),
    "uniform-noise": Exercise(
        [
            _ratio_case(ratio, expected)
            for ratio, expected in (
                (1.5, False),
                (2.0, True),
                (2.7, False),
                (3.0, True),
                (2.5, False),
                (6.0, True),
                (7.0, True),
                (1.0001, False),
            )
        ],
        draw=_drawn_ratio,
    ),
}
