"""Self-checks of the chapter *Composition*."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdpbook.foundations.divergences import hockey_stick_divergence
from pdpbook.foundations.privacy import advanced_composition
from pdpbook.foundations.tradeoff import tradeoff_curve
from pdpbook_exercises import Case, Exercise, close

__all__ = ["EXERCISES"]


def _curve_case(p: NDArray[np.float64], q: NDArray[np.float64], epsilon: float) -> Case:
    alpha, beta = tradeoff_curve(p, q)
    return close(
        lambda alpha, beta, epsilon: hockey_stick_divergence(p, q, epsilon=epsilon),
        alpha,
        beta,
        epsilon,
        hint="Each event E needs the δ P(E) - e^ε Q(E). Say it in α and β.",
        mistakes={
            "One event for all? Take the largest over the corners.": (
                lambda alpha, beta, epsilon: float((1 - beta - math.exp(epsilon) * alpha)[-1])
            ),
            "alpha and beta have changed places.": lambda alpha, beta, epsilon: float(
                (1 - alpha - math.exp(epsilon) * beta).max()
            ),
            "e^ε is missing; that is the best advantage.": lambda alpha, beta, epsilon: float(
                (1 - beta - alpha).max()
            ),
        },
    )


def _curve_cases() -> list[Case]:
    rng = np.random.default_rng(5)
    pairs = [(*rng.dirichlet(np.full(k, 1.5), 2), e) for k, e in ((2, 0.2), (5, 0.0), (8, 0.7))]
    return [_curve_case(*pair) for pair in pairs]


def _drawn_curve(rng: np.random.Generator) -> Case:
    p, q = rng.dirichlet(np.full(int(rng.integers(2, 8)), 1.5), 2)
    return _curve_case(p, q, round(float(rng.uniform(0.0, 1.0)), 2))


def _level(total: float, slack: float, count: int) -> float:
    """Largest ε whose cheaper bound stays within the total, by bisection."""
    low, high = 0.0, total
    for _ in range(100):
        middle = (low + high) / 2
        fine = advanced_composition(middle, draws=count, slack=slack).epsilon <= total
        low, high = (middle, high) if fine else (low, middle)
    return low


def _leaky(epsilon: float, delta: float) -> Callable[[Any], str]:
    def judge(answer: Any) -> str:
        rows = np.asarray(answer(epsilon, delta), dtype=float)
        if rows.shape != (2, 4):
            return f"Its shape is {rows.shape}, and two rows of four were expected."
        if (rows < 0).any() or not np.allclose(rows.sum(axis=1), 1.0):
            return "Each row must be a distribution, which sums to 1."
        yes, no = rows
        keep = (1 - delta) / (1 + math.exp(-epsilon))
        if not (np.allclose(yes[:2], [delta, 0]) and np.allclose(no[:2], [0, delta])):
            return "The first two entries, the leaks, are wrong."
        spent = [hockey_stick_divergence(*pair, epsilon=epsilon) for pair in ((yes, no), (no, yes))]
        if not np.allclose(spent, delta):
            return f"It is not (ε, δ)-DP with this δ: the smallest δ is {max(spent):.4g}."
        told = np.allclose(yes[2:], [keep, 1 - delta - keep])
        told = told and np.allclose(no[2:], [1 - delta - keep, keep])
        return "" if told else "The leaks are right; the randomised response is wrong."

    return judge


def _repeated(epsilon: float, count: int) -> float:
    """Total variation of the product distributions, output by output."""
    keep = 1 / (1 + math.exp(-epsilon))
    p: NDArray[np.float64] = np.ones(1)
    q = p
    for _ in range(count):
        p = np.kron(p, np.array([keep, 1 - keep]))
        q = np.kron(q, np.array([1 - keep, keep]))
    return float(np.maximum(p - q, 0).sum())


def _sigma_for_total(epsilon: float, count: int, delta: float) -> float:
    """Minimise over a list of orders, then bisect σ."""
    orders = 1.0 + np.geomspace(1e-3, 1e6, 8_001)  # off by 3e-6 of the total, at most
    low, high = 1e-6, 1e9
    for _ in range(60):
        middle = math.sqrt(low * high)
        curve = count * orders / (2 * middle**2) - math.log(delta) / (orders - 1.0)
        low, high = (low, middle) if curve.min() <= epsilon else (middle, high)
    return high


EXERCISES = {
    "delta-from-curve": Exercise(
        _curve_cases(),
        draw=_drawn_curve,
    ),
    "level-per-answer": Exercise(
        [
            close(
                _level,
                *case,
                rtol=1e-6,
                hint="Both totals rise with ε. Solve each for ε and take the larger solution.",
                mistakes={
                    "That is basic composition. The other bound is better here.": (
                        lambda total, slack, count: total / count
                    ),
                    "That is the total for this ε, or the total itself.": (
                        lambda total, slack, count: total
                    ),
                },
            )
            for case in ((1.0, 1e-6, 5), (1.0, 1e-6, 1000), (4.0, 1e-5, 100), (0.1, 1e-9, 10_000))
        ],
        draw=lambda rng: (round(rng.uniform(0.1, 4.0), 2), 1e-6, int(rng.integers(2, 3000))),
    ),
    "best-order": Exercise(
        [
            close(
                _sigma_for_total,
                *case,
                rtol=1e-4,
                hint="The derivative in α is zero where (α - 1)² is 2σ² ln(1/δ) / k. Put it in, "
                "keep both terms, and solve a quadratic equation in 1/σ.",
                mistakes={
                    "The first term, k/(2σ²), is left out.": lambda epsilon, count, delta: (
                        math.sqrt(2 * count * math.log(1 / delta)) / epsilon
                    ),
                    "That is 1/σ.": lambda epsilon, count, delta: (
                        1 / _sigma_for_total(epsilon, count, delta)
                    ),
                },
            )
            for case in ((1.0, 1, 1e-5), (1.0, 100, 1e-6), (0.1, 7, 1e-9), (20.0, 50, 0.01))
        ],
        draw=lambda rng: (
            round(rng.uniform(0.1, 5.0), 2),
            int(rng.integers(1, 200)),
            float(10 ** -rng.uniform(2.0, 9.0)),
        ),
    ),
    "leaky-response": Exercise(
        [
            Case(
                _leaky(e, d),
                "Two rows of four that sum to 1. The leaked record is never the wrong one.",
                more="With probability δ the record is leaked, else it is randomised response.",
            )
            for e, d in ((1.0, 0.1), (0.2, 0.01), (3.0, 0.0))
        ],
        draw=lambda rng: Case(
            _leaky(round(rng.uniform(0.1, 3.0), 2), round(rng.uniform(0.0, 0.4), 3)),
            "Two rows of four that sum to 1. The leaked record is never the wrong one.",
        ),
    ),
    "repeated-advantage": Exercise(
        [
            close(
                _repeated,
                e,
                k,
                hint="Only the number of yeses matters. Say 'in' when it makes 'in' likelier.",
                mistakes={
                    "That is what basic composition allows. The truth is less.": (
                        lambda e, k: math.tanh(k * e / 2)
                    ),
                    "That is the advantage of one answer.": lambda e, k: math.tanh(e / 2),
                    "Advantages do not add up.": lambda e, k: k * math.tanh(e / 2),
                    "That is the chance to be right. An advantage is a difference.": (
                        lambda e, k: (1 + _repeated(e, k)) / 2
                    ),
                },
            )
            for e, k in ((1.0, 3), (1.0, 1), (1.0, 2), (0.3, 7), (0.1, 12))
        ],
        draw=lambda rng: (round(rng.uniform(0.05, 1.5), 2), int(rng.integers(1, 11))),
    ),
}
