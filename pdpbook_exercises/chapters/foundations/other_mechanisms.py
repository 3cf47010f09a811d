"""Self-checks of the chapter *Other mechanisms*."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any
from unittest import mock

import numpy as np

import pdpbook as pb
from pdpbook.foundations.bounded_laplace import bounded_laplace_scale
from pdpbook.foundations.mechanisms import exponential_probabilities
from pdpbook_exercises import Case, Exercise, close

__all__ = ["EXERCISES"]


def _gumbel(utilities: list[float], sensitivity: float, epsilon: float) -> Callable[[Any], bool]:
    def judge(answer: Any) -> bool:
        size = 200_000
        chosen = np.asarray(
            answer(np.array(utilities), sensitivity, epsilon, np.random.default_rng(0), size)
        )
        if chosen.shape != (size,):
            return False
        chances = exponential_probabilities(utilities, sensitivity=sensitivity, epsilon=epsilon)
        shares = np.bincount(chosen, minlength=len(utilities)) / size
        spread = np.sqrt(chances * (1 - chances) / size)
        return bool((np.abs(shares - chances) < 5.5 * spread).all())

    return judge


def _staircase_error(epsilon: float, share: float) -> float:
    """Add up the treads: mass times distance of the middle."""
    stretch, fall = np.arange(math.ceil(40 / epsilon)), math.exp(-epsilon)
    high, low = fall**stretch * share, fall ** (stretch + 1) * (1 - share)
    places = high @ (stretch + share / 2) + low @ (stretch + (1 + share) / 2)
    return float(places / (high.sum() + low.sum()))


def _one_sided_scale(sensitivity: float, epsilon: float) -> float:
    return bounded_laplace_scale(
        lower=0.0, upper=1e6 * sensitivity, sensitivity=sensitivity, epsilon=epsilon
    )


def _private_mean(
    answer: Any, *, seed: int = 1, n: int = 200, epsilon: float = 0.5, runs: int = 4000
) -> bool:
    rng = np.random.default_rng(seed - 1)
    values = np.round(np.random.default_rng(seed).normal(200, 9, n), 2).clip(150, 240)
    means = np.array([answer(values.copy(), epsilon, rng) for _ in range(runs)], dtype=float)
    hundredths = means * n * 100
    on_grid = np.abs(hundredths - np.round(hundredths)).max() < 1e-4
    unit = math.sqrt(2) / (epsilon * n)
    spread = means.std()
    centred = abs(means.mean() - values.mean()) < 5 * spread / math.sqrt(means.size)
    slack = 0.07 * math.sqrt(4000 / runs)
    low, high = (1 - slack) * 45 * unit, (1 + slack) * 240 * unit
    return bool(on_grid and centred and low < spread < high)


def _drawn_heights(rng: np.random.Generator) -> Case:
    seed, n = int(rng.integers(1, 2**32)), int(rng.integers(50, 400))
    epsilon = round(float(rng.uniform(0.2, 1.5)), 2)
    return Case(
        lambda answer: _private_mean(answer, seed=seed, n=n, epsilon=epsilon, runs=1000),
        "Sum whole hundredths, add noise once, divide by n, whatever n and ε are.",
    )


def _calibrated(answer: Any) -> bool:
    """Whether the noise is made for the most that one height can add to the answer's own sum."""
    epsilon, n = 0.5, 200
    with mock.patch.object(pb, "geometric_mechanism", wraps=pb.geometric_mechanism) as spy:
        for height in (150.0, 240.0):
            answer(np.full(n, height), epsilon, np.random.default_rng(0))
    if spy.call_count != 2:
        return False
    for call in spy.call_args_list:
        given = {**dict(zip(("value",), call.args, strict=False)), **call.kwargs}
        reach = n * given.get("sensitivity", 1)
        if abs(int(given["value"])) > reach or given["epsilon"] > epsilon:
            return False
    return True


EXERCISES = {
    "one-sided-scale": Exercise(
        [
            close(
                _one_sided_scale,
                d,
                e,
                hint="Let W grow in both fractions before you solve for b.",
                mistakes={
                    "That is plain Laplace noise. An end costs more.": lambda d, e: d / e,
                    "Twice as wide is the limit for a small epsilon.": lambda d, e: 2 * d / e,
                },
            )
            for d, e in ((1.0, 1.0), (2.5, 0.1), (1.0, 8.0), (10.0, 0.7))
        ],
        draw=lambda rng: (round(rng.uniform(0.1, 9.0), 2), round(rng.uniform(0.1, 6.0), 2)),
    ),
    "gumbel": Exercise(
        [
            Case(_gumbel(*case), "The frequencies are not those of the exponential mechanism.")
            for case in (([0.0, 1.0, 2.0], 1.0, 1.0), ([5.0, 4.0, 0.0, 4.5], 2.0, 3.0))
        ],
        draw=lambda rng: Case(
            _gumbel(
                rng.uniform(0.0, 4.0, 3).round(1).tolist(), 1.0, round(rng.uniform(0.5, 2.0), 1)
            ),
            "The frequencies are not those of the exponential mechanism.",
        ),
        refused=("pdpbook.foundations.mechanisms.exponential_mechanism",),
    ),
    "staircase": Exercise(
        [
            close(
                _staircase_error,
                e,
                s,
                hint="The whole part is geometric. Within a stretch the two treads have masses in "
                "the ratio γ to (1 - γ) e^-ε. Where is the middle of each?",
            )
            for e, s in ((1.0, 1 / (1 + math.exp(0.5))), (1.0, 0.0), (0.3, 0.8), (6.0, 0.05))
        ],
        draw=lambda rng: (round(rng.uniform(0.2, 5.0), 2), round(rng.uniform(0.0, 1.0), 2)),
    ),
    "private-mean": Exercise(
        [
            Case(
                _private_mean,
                "Sum whole hundredths, add noise once, divide by n. How far can one height between "
                "150 and 240 cm move your sum when it is removed? That sets the noise.",
            ),
            Case(
                _calibrated,
                "Call pb.geometric_mechanism once, with the most that one height can add to "
                "*your* sum.",
                looks_inside=True,
            ),
        ],
        draw=_drawn_heights,
    ),
}
