"""Self-checks of the chapter *Many draws*."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.stats import binom

from pdpbook.audit.accounting import draws_epsilon
from pdpbook.foundations.divergences import hockey_stick_divergence
from pdpbook.per_instance.privacy_loss import privacy_losses
from pdpbook_exercises import Case, Exercise, close

__all__ = ["EXERCISES"]

MOST = 10**9


def _advantage(n: int, epsilon: float, m: int) -> float:
    without = 1.0 / (1.0 + n * math.expm1(epsilon))
    counts = np.arange(m + 1)
    apart = binom.pmf(counts, m, math.exp(epsilon) * without) - binom.pmf(counts, m, without)
    return float(np.abs(apart).sum() / 2)


def _is_table(n: int, epsilon: float) -> Callable[[Any], str]:
    def judge(answer: Any) -> str:
        rows = np.asarray(answer(n, epsilon), dtype=float)
        if rows.shape != (n, 2):
            return f"Its shape is {rows.shape}, and {(n, 2)} was expected."
        if not (rows >= 0).all():
            return "Some of it is negative or nan."
        return "" if np.allclose(rows.sum(axis=1), 1.0) else "Each row should sum to 1."

    return judge


def _has_loss(n: int, epsilon: float) -> Callable[[Any], bool | str]:
    def judge(answer: Any) -> bool | str:
        rows = np.asarray(answer(n, epsilon), dtype=float)
        loss = privacy_losses(rows[:1], rows.sum(axis=0), n)[0]
        return math.isclose(loss, epsilon, rel_tol=1e-6) or f"Record 0 loses {loss:.4g} by a draw."

    return judge


def _pays_in_full(n: int, epsilon: float) -> Callable[[Any], bool | str]:
    def judge(answer: Any) -> bool | str:
        rows = np.asarray(answer(n, epsilon), dtype=float)
        pair = [rows.mean(axis=0), rows[1:].mean(axis=0)]
        p, q = (np.einsum("x,y,z->xyz", one, one, one).ravel() for one in pair)
        delta = 1e-3 / n
        total = draws_epsilon(n, epsilon, draws=3, delta=delta)
        p, q = p / p.sum(), q / q.sum()
        spent = max(hockey_stick_divergence(*each, epsilon=total) for each in ((p, q), (q, p)))
        return math.isclose(spent, delta, rel_tol=1e-4) or (
            f"Three draws exceed the theorem's total with δ = {spent:.3g} instead of {delta:.3g}."
        )

    return judge


def _is_largest(n: int, epsilon: float, total: float, delta: float) -> Callable[[Any], str]:
    def cost(m: int) -> float:
        return draws_epsilon(n, epsilon, draws=m, delta=delta)

    def judge(answer: Any) -> str:
        m = answer(n, epsilon, total, delta)
        if m != int(m) or not 0 <= m <= MOST:
            return "It is not a whole number from 0 to a billion."
        m = int(m)
        if m > 0 and cost(m) > total:
            return f"So many draws cost {cost(m):.6g}, more than the total."
        if m < MOST and cost(m + 1) <= total:
            return f"One draw more would cost {cost(m + 1):.6g}, which is still allowed."
        return ""

    return judge


def _drawn_rows(rng: np.random.Generator) -> Case:
    n, epsilon = int(rng.integers(2, 500)), round(float(rng.uniform(0.2, 2.5)), 2)
    judges = [judge(n, epsilon) for judge in (_is_table, _has_loss, _pays_in_full)]

    def judge(answer: Any) -> bool | str:
        for each in judges:
            if (found := each(answer)) not in (True, ""):
                return found
        return True

    return Case(judge, "Record 0 has exactly the loss epsilon, and three draws cost it in full.")


def ratio(n, epsilon):
    return 1 + n * math.expm1(epsilon)


def not_halved(n, epsilon, m):
    return 2 * _advantage(n, epsilon, m)


def by_one_draw(n, epsilon, m):
    """Multiplies the advantage of one draw."""
    return m * _advantage(n, epsilon, 1)


def by_any_draw(n, epsilon, m):
    """Guesses from whether Jacob's bin occurs at all."""
    without = 1 / ratio(n, epsilon)
    return (1 - without) ** m - (1 - without * math.exp(epsilon)) ** m


EXERCISES = {
    "advantage": Exercise(
        [
            close(
                _advantage,
                n,
                epsilon,
                m,
                hint="The number of draws in Jacob's bin is binomial in both cases. Half the sum "
                "of the absolute differences of the two distributions is the advantage.",
                more="A draw falls into his bin with probability 1/R without him and exp(ε)/R "
                "with him.",
                mistakes={
                    "The total variation distance is half of that sum.": not_halved,
                    "Advantages of draws do not add up.": by_one_draw,
                    "An attacker who looks only at whether the bin occurs loses some of what "
                    "the number says.": by_any_draw,
                },
            )
            for n, epsilon, m in (
                (6, math.log(2), 2),
                (1317, 1.0, 1317),
                (10, 0.2, 40),
                (50, 3.0, 7),
            )
        ],
        draw=lambda rng: (
            int(rng.integers(2, 2000)),
            round(rng.uniform(0.1, 3.0), 2),
            int(rng.integers(1, 300)),
        ),
    ),
    "worst-rows": Exercise(
        [
            case
            for n, epsilon in ((6, 1.0), (2, 0.8), (50, 0.3), (400, 2.0))
            for case in (
                Case(_is_table(n, epsilon), "Return n rows of two probabilities each."),
                Case(
                    _has_loss(n, epsilon),
                    "Record 0 must have exactly the loss epsilon by one draw. How often must the "
                    "others be released in its bin?",
                    "At bin 0 the average of the others must be 1/R of record 0's row.",
                ),
                Case(
                    _pays_in_full(n, epsilon),
                    "The loss is right, but three draws cost less than the theorem allows. What "
                    "must record 0 itself do in part 2 of the theorem on the dominating pair?",
                    "Record 0 must never be released as anybody else.",
                ),
            )
        ],
        draw=_drawn_rows,
    ),
    "draws-allowed": Exercise(
        [
            Case(
                _is_largest(*case),
                "The cost of your m must be within the total and that of m + 1 above it; 0 if one "
                "draw costs too much, a billion if a billion is still allowed.",
                "Double m until it costs too much, then halve the interval.",
            )
            for case in (
                (1317, 1.0, 10.0, 1e-6),
                (1317, 0.1, 1.0, 1e-6),
                (1317, 0.01, 20.0, 1e-6),
                (2, 5.0, 0.1, 1e-9),
                (10**15, 1.0, 1.0, 1e-5),
                (40, 0.5, 0.6, 0.0),
            )
        ],
        draw=lambda rng: Case(
            _is_largest(
                int(rng.integers(2, 5000)),
                round(rng.uniform(0.1, 2.0), 2),
                round(rng.uniform(0.5, 12.0), 1),
                1e-6,
            ),
            "The cost of your m must be within the total and that of m + 1 above it.",
        ),
    ),
}
