"""Self-checks of the chapter *Why noise?*."""

from __future__ import annotations

import itertools
import math
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdpbook.foundations.mechanisms import laplace_mechanism
from pdpbook_exercises import Case, Exercise, close

__all__ = ["EXERCISES"]


def _leaver(before: Any, after: Any, n: int) -> Any:
    return n * before - (n - 1) * after


def _leaver_cases() -> list[Case]:
    rng = np.random.default_rng(3)
    cases = []
    for n in (2, 17, 500):
        groups = rng.normal(200, 9, (4, n))
        before, after = groups.mean(axis=1), groups[:, 1:].mean(axis=1)
        for pair in ((float(before[0]), float(after[0])), (before, after)):
            cases.append(
                close(
                    _leaver,
                    *pair,
                    n,
                    hint="Turn each mean back into a sum. The second group has one person less.",
                    mistakes={
                        "Both sums are of n people in yours.": lambda b, a, n: n * (b - a),
                        "n counts the group before, so n - 1 are left.": (
                            lambda b, a, n: (n + 1) * b - n * a
                        ),
                    },
                    rtol=1e-8,
                )
            )
    return cases


def _worst_rounding(n: int, decimals: int) -> float:
    """Largest error over the corners of the box of rounding errors."""
    half = 0.5 * 10.0**-decimals
    return max(abs(n * a - (n - 1) * b) for a, b in itertools.product((-half, half), repeat=2))


def _best_advantage(p: NDArray[np.float64], q: NDArray[np.float64]) -> float:
    """Go through all events."""
    events = np.array(list(itertools.product([0, 1], repeat=p.size)))
    return float((events @ (p - q)).max())


def _best_advantage_cases() -> list[Case]:
    rng = np.random.default_rng(5)
    keep = math.e / (1 + math.e)
    pairs = [tuple(rng.dirichlet(np.full(size, 2.0), 2)) for size in (3, 2, 6)]
    pairs.append((np.array([keep, 1 - keep]), np.array([1 - keep, keep])))
    return [
        close(
            _best_advantage,
            *pair,
            hint="An event is a set of outputs, and each output adds p - q to it. Which are worth "
            "having?",
            mistakes={
                "That is twice the answer: the outputs where q is larger count as well.": (
                    lambda p, q: float(np.abs(p - q).sum())
                ),
                "That is the best event of one output. Events may be larger.": (
                    lambda p, q: float((p - q).max())
                ),
                "That event holds all outputs.": lambda p, q: float((p - q).sum()),
            },
        )
        for pair in pairs
    ]


def _truth_probability(epsilon: float, answers: int) -> float:
    """Largest p with p <= e^epsilon (1 - p) / (m - 1), by bisection."""
    low, high = 1.0 / answers, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        fine = middle <= math.exp(epsilon) * (1 - middle) / (answers - 1)
        low, high = (middle, high) if fine else (low, middle)
    return low


def _beats_the_mean(answer: Any, seed: int) -> str:
    rng = np.random.default_rng(seed)
    truth = rng.random(4000) < 0.5
    exact = np.repeat(132.0 + truth[:, None], 25, axis=1)
    noisy = laplace_mechanism(exact, sensitivity=1, epsilon=0.5, rng=rng)
    by_mean = ((noisy.mean(axis=1) > 132.5) == truth).mean()
    given = np.asarray(answer(noisy.copy()))
    if given.shape != truth.shape:
        return f"Its shape is {given.shape}, and one decision for each of the 4000 rows is wanted."
    right = (given.astype(bool) == truth).mean()
    if right > by_mean + 0.03:
        return ""
    return f"It is right in {right:.1%} of the rows, and the mean in {by_mean:.1%}."


def _better_attacker(seed: int) -> Case:
    return Case(
        partial(_beats_the_mean, seed=seed),
        "Far-out answers say little about Jacob, and they move the mean most.",
    )


EXERCISES = {
    "leaver": Exercise(
        _leaver_cases(),
        draw=lambda rng: (*rng.normal(200.0, 9.0, 2).round(2).tolist(), int(rng.integers(2, 900))),
    ),
    "rounding": Exercise(
        [
            close(
                _worst_rounding,
                n,
                d,
                hint="Each mean is off by at most half a unit of its last decimal, either way.",
                mistakes={
                    "In yours the two errors help each other. In the worst case they do not.": (
                        lambda n, d: 0.5 * 10.0**-d
                    ),
                    "A rounded number is off by at most *half* a unit.": (
                        lambda n, d: (2 * n - 1) * 10.0**-d
                    ),
                    "The second mean has its error, too.": lambda n, d: n * 0.5 * 10.0**-d,
                    "The second mean is multiplied by n - 1.": lambda n, d: n * 10.0**-d,
                },
            )
            for n, d in ((2, 0), (1317, 1), (1317, 4), (50, 2))
        ],
        draw=lambda rng: (int(rng.integers(2, 5000)), int(rng.integers(0, 6))),
    ),
    "best-advantage": Exercise(
        _best_advantage_cases(),
        draw=lambda rng: tuple(rng.dirichlet(np.full(int(rng.integers(2, 8)), 2.0), 2)),
    ),
    "three-answers": Exercise(
        [
            close(
                _truth_probability,
                e,
                m,
                hint="Compare the true report with one of the others.",
                mistakes={
                    "That is right for two answers only.": lambda e, m: 1 / (1 + math.exp(-e)),
                    "That is the probability of a lie.": lambda e, m: 1 - _truth_probability(e, m),
                    "Does a larger epsilon make the truth likelier in yours?": (
                        lambda e, m: 1 / (1 + (m - 1) * math.exp(e))
                    ),
                },
            )
            for e, m in ((1.0, 2), (1.0, 3), (0.1, 10), (3.0, 4))
        ],
        draw=lambda rng: (round(rng.uniform(0.05, 4.0), 3), int(rng.integers(2, 13))),
    ),
    "better-attacker": Exercise(
        [_better_attacker(11)],
        draw=lambda rng: _better_attacker(int(rng.integers(2**32))),
    ),
}
