"""Checks of the exercises in *Composition*."""

from math import comb, exp, log, sqrt, tanh

import numpy as np
from scipy.optimize import brentq

from pdpbook.foundations.divergences import hockey_stick_divergence
from pdpbook.foundations.privacy import advanced_composition
from pdpbook.foundations.tradeoff import tradeoff_curve
from pdpbook_exercises.checking import assert_close, exercise


@exercise("composition/delta-from-curve")
def delta_from_curve(answer, rng):
    drawn = [(bins, rng.uniform()) for bins in rng.integers(2, 8, 3)]
    for bins, epsilon in [(2, 0.2), (5, 0.0), (8, 0.7), *drawn]:
        p, q = rng.dirichlet(np.full(bins, 1.5), 2)
        alpha, beta = tradeoff_curve(p, q)
        assert_close(
            answer(alpha, beta, epsilon),
            hockey_stick_divergence(p, q, epsilon=epsilon),
            "For each event E, δ is at least P(E) - e^ε Q(E). Write this in terms of α and β.",
            {
                "One corner is not enough: take the largest δ over all corners.": (
                    (1 - beta - exp(epsilon) * alpha)[-1]
                ),
                "Your answer exchanges alpha and beta.": (1 - alpha - exp(epsilon) * beta).max(),
                "That is the advantage: the factor e^ε is missing.": (1 - beta - alpha).max(),
            },
        )


@exercise("composition/level-per-answer")
def level_per_answer(answer, rng):
    fixed = [(1.0, 1e-6, 5), (1.0, 1e-6, 1000), (4.0, 1e-5, 100), (0.1, 1e-9, 10_000)]
    drawn = [(rng.uniform(0.1, 4), 1e-6, int(rng.integers(2, 3000))) for _ in range(3)]

    def excess(epsilon, total, slack, count):
        return advanced_composition(epsilon, draws=count, slack=slack).epsilon - total

    for case in fixed + drawn:
        total, _, count = case
        assert_close(
            answer(*case),
            brentq(excess, 0.5 * total / count, total, args=case, xtol=1e-14),
            "The totals of basic and advanced composition rise with ε. Solve each for ε, and take "
            "the larger solution.",
            {
                "That is basic composition. Advanced composition allows more here.": total / count,
                "That is the total, not the ε of one answer.": total,
            },
        )


@exercise("composition/best-order")
def best_order(answer, rng):
    fixed = [(1.0, 1, 1e-5), (1.0, 100, 1e-6), (0.1, 7, 1e-9), (20.0, 50, 0.01)]
    drawn = [
        (rng.uniform(0.1, 5), int(rng.integers(1, 200)), 10 ** -rng.uniform(2, 9)) for _ in range(3)
    ]
    for epsilon, k, delta in fixed + drawn:
        b = sqrt(2 * k * log(1 / delta))
        sigma = (b + sqrt(b**2 + 2 * k * epsilon)) / (2 * epsilon)
        assert_close(
            answer(epsilon, k, delta),
            sigma,
            "The derivative in α is zero where (α - 1)² is 2σ² ln(1/δ) / k. Substitute this α, "
            "keep both terms, and solve a quadratic equation in 1/σ.",
            {"The first term, k/(2σ²), is missing.": b / epsilon, "That is 1/σ.": 1 / sigma},
            rtol=1e-4,  # a search over orders is accurate enough
        )


@exercise("composition/leaky-response")
def leaky_response(answer, rng):
    hint = (
        "Give two rows of four entries; each row sums to 1. With probability δ, the record's own "
        "value is leaked, never the other value; otherwise the answer is randomised response."
    )
    drawn = rng.uniform([0.1, 0], [3, 0.4], (3, 2))
    for epsilon, delta in [(1.0, 0.1), (0.2, 0.01), (3.0, 0.0), *drawn]:
        rows = np.array(answer(epsilon, delta), dtype=float)
        assert rows.shape == (2, 4), f"Its shape is {rows.shape}. {hint}"
        assert (rows >= 0).all() and np.allclose(rows.sum(axis=1), 1), (
            f"Each row must be a distribution. {hint}"
        )
        assert np.allclose(rows[:, :2], [[delta, 0], [0, delta]]), (
            f"The first two entries, the leaks, are wrong. {hint}"
        )
        spent = [hockey_stick_divergence(*pair, epsilon=epsilon) for pair in (rows, rows[::-1])]
        assert np.allclose(spent, delta), (
            f"It is not (ε, δ)-DP with this δ: the smallest δ is {max(spent):.4g}. {hint}"
        )
        keep = (1 - delta) / (1 + exp(-epsilon))
        lie = 1 - delta - keep
        assert np.allclose(rows[:, 2:], [[keep, lie], [lie, keep]]), (
            "The leaks are right, but the randomised response is wrong."
        )


@exercise("composition/repeated-advantage")
def repeated_advantage(answer, rng):
    drawn = [(rng.uniform(0.05, 1.5), int(rng.integers(1, 11))) for _ in range(3)]
    for e, k in [(1.0, 3), (1.0, 1), (1.0, 2), (0.3, 7), (0.1, 12), *drawn]:
        yes, no = 1 / (1 + exp(-e)), 1 / (1 + exp(e))
        excess = (
            comb(k, j) * (yes**j * no ** (k - j) - no**j * yes ** (k - j)) for j in range(k + 1)
        )
        advantage = sum(map(abs, excess)) / 2
        assert_close(
            answer(e, k),
            advantage,
            "Only the number of yeses matters. Say 'in' if it is more likely with the record.",
            {
                "That is only the bound of basic composition.": tanh(k * e / 2),
                "That is the advantage of one answer.": tanh(e / 2),
                "Advantages do not add up.": k * tanh(e / 2),
                "That is the probability of being right. An advantage is a difference.": (
                    (1 + advantage) / 2
                ),
            },
        )
