"""Self-checks of the chapter *Why noise?*."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdpbook.exercises import Case, Exercise, close
from pdpbook.foundations.mechanisms import laplace_mechanism

__all__ = ["EXERCISES"]


def _leaver_cases() -> list[Case]:
    rng = np.random.default_rng(3)

    def judge(groups: NDArray[np.float64]) -> Callable[[Any], bool]:
        n = groups.shape[1]
        before, after = groups.mean(axis=1), groups[:, 1:].mean(axis=1)

        def verdict(answer: Any) -> bool:
            one = answer(float(before[0]), float(after[0]), n)
            return math.isclose(one, groups[0, 0], rel_tol=1e-8) and np.allclose(
                answer(before, after, n), groups[:, 0], rtol=1e-8
            )

        return verdict

    hint = "Turn each mean back into a sum. The second group has one person less."
    return [Case(judge(rng.normal(200, 9, (4, n))), hint) for n in (2, 17, 500)]


def _worst_rounding(n: int, decimals: int) -> float:
    """Largest error over the corners of the box of rounding errors."""
    half = 0.5 * 10.0**-decimals
    return max(abs(n * a - (n - 1) * b) for a, b in itertools.product((-half, half), repeat=2))


def _best_advantage_cases() -> list[Case]:
    rng = np.random.default_rng(5)

    def judge(
        p: NDArray[np.float64], q: NDArray[np.float64], epsilon: float
    ) -> Callable[[Any], bool]:
        events = np.array(list(itertools.product([0, 1], repeat=p.size)))
        best = float((events @ (p - q)).max())

        def verdict(answer: Any) -> bool:
            given = float(answer(p.copy(), q.copy()))
            return (
                math.isclose(given, best, abs_tol=1e-9) and given <= math.tanh(epsilon / 2) + 1e-9
            )

        return verdict

    hint = "Which outputs should the event hold? Those where p is larger, and no others."
    cases = []
    for size in (2, 3, 6):
        p, q = rng.dirichlet(np.full(size, 2.0), 2)
        cases.append(Case(judge(p, q, float(np.abs(np.log(p / q)).max())), hint))
    keep = math.e / (1 + math.e)
    pair = np.array([keep, 1 - keep]), np.array([1 - keep, keep])
    return [*cases, Case(judge(*pair, 1.0), hint)]


def _anonymity(table: NDArray[np.int64]) -> list[float]:
    """Move the probability by hand: from the first value to the next, and so on."""
    whole = table.sum(axis=0) / table.sum()
    farthest = 0.0
    for row in table:
        carried = moved = 0.0
        for share, target in zip(row / row.sum(), whole, strict=True):
            carried += share - target
            moved += abs(carried)
        farthest = max(farthest, moved / (whole.size - 1))
    return [min(row.sum() for row in table), min(np.count_nonzero(r) for r in table), farthest]


def _truth_probability(epsilon: float, answers: int) -> float:
    """Largest p with p <= e^epsilon (1 - p) / (m - 1), by bisection."""
    low, high = 1.0 / answers, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        fine = middle <= math.exp(epsilon) * (1 - middle) / (answers - 1)
        low, high = (middle, high) if fine else (low, middle)
    return low


def _beats_the_mean(answer: Any) -> bool:
    rng = np.random.default_rng(11)
    truth = rng.random(4000) < 0.5
    exact = np.repeat(132.0 + truth[:, None], 25, axis=1)
    noisy = laplace_mechanism(exact, sensitivity=1, epsilon=0.5, rng=rng)
    by_mean = ((noisy.mean(axis=1) > 132.5) == truth).mean()
    given = np.asarray(answer(noisy.copy()), dtype=bool)
    return given.shape == truth.shape and bool((given == truth).mean() > by_mean + 0.03)


EXERCISES = {
    "leaver": Exercise(_leaver_cases()),
    "rounding": Exercise(
        [
            close(
                _worst_rounding,
                n,
                d,
                hint="Each mean is off by at most half a unit of its last decimal, either way.",
            )
            for n, d in ((2, 0), (1317, 1), (1317, 4), (50, 2))
        ]
    ),
    "anonymity": Exercise(
        [
            close(_anonymity, np.array(table), hint=hint)
            for table, hint in (
                ([[3, 1], [2, 2]], "Two classes of four. What share of each has the first value?"),
                ([[2, 0, 0], [0, 2, 0], [0, 0, 2]], "Everybody's value is known: what is l?"),
                ([[5, 1, 1], [1, 1, 9]], "The distance is to the whole table, not between rows."),
                ([[1, 0, 2, 3], [4, 4, 0, 1], [2, 2, 2, 2]], "Four values: divide by three."),
                ([[4, 4, 4]], "One class is the whole table."),
            )
        ]
    ),
    "best-advantage": Exercise(_best_advantage_cases()),
    "three-answers": Exercise(
        [
            close(_truth_probability, e, m, hint="Compare the true report with one of the others.")
            for e, m in ((1.0, 2), (1.0, 3), (0.1, 10), (3.0, 4))
        ]
    ),
    "better-attacker": Exercise(
        [
            Case(
                _beats_the_mean,
                "It is not clearly better than the mean. Far-out answers say little about which "
                "world it is, and they move the mean most.",
            )
        ]
    ),
}
