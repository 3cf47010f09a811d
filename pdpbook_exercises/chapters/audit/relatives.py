"""Self-checks of the chapter *Relatives of per-instance privacy*."""

from __future__ import annotations

from math import log

import numpy as np
from numpy.typing import NDArray

from pdpbook_exercises import Exercise, close, equal

__all__ = ["EXERCISES"]

TWO = np.array([[0.75, 0.25], [0.25, 0.75]])
THREE = np.array([[0.7, 0.2, 0.1], [0.2, 0.6, 0.2], [0.3, 0.3, 0.4]])
NEAR = np.full((5, 5), 0.175) + np.diag([0.0, 0.125, 0.125, 0.125, 0.125])
NEAR[0] = 0.2


def _by_value(randomiser: NDArray[np.float64], n: int) -> list[float]:
    """Try every data set whose other records share a bin, and every output."""
    return [
        max(
            abs(log(1 + (own / other - 1) / n))
            for rows in randomiser
            for own, other in zip(row, rows, strict=True)
        )
        for row in randomiser
    ]


def _exposed(first: list[int], second: list[int], k: int) -> int:
    pairs = list(zip(first, second, strict=True))
    crowds = [(first.count(a), second.count(b), pairs.count((a, b))) for a, b in pairs]
    return sum(min(one, two) >= k > both for one, two, both in crowds)


def _counts(answers: NDArray[np.float64]) -> list[int]:
    """The largest threshold whose answer is neither 0 nor 1, less one."""
    return [
        max(t for t, answer in enumerate(row, 1) if answer not in {0.0, 1.0}) - 1 for row in answers
    ]


def _answers(counts: list[int], thresholds: int, seed: int) -> NDArray[np.float64]:
    """The exact answers, with Laplace noise where one person can change them."""
    asked, held = np.arange(1, thresholds + 1), np.array(counts)[:, None]
    near = (held == asked) | (held == asked - 1)
    noise = np.random.default_rng(seed).laplace(scale=10.0, size=near.shape)
    return (held >= asked) + near * noise


def _drawn_randomiser(rng: np.random.Generator) -> tuple[NDArray[np.float64], int]:
    bins = int(rng.integers(2, 6))
    table = rng.uniform(0.05, 1.0, (bins, bins))
    return table / table.sum(axis=1, keepdims=True), int(rng.integers(2, 30))


def _drawn_people(rng: np.random.Generator) -> tuple[list[int], list[int], int]:
    people = int(rng.integers(8, 20))
    first, second = rng.integers(0, 3, (2, people)).tolist()
    return first, second, int(rng.integers(2, 5))


def _drawn_answers(rng: np.random.Generator) -> tuple[NDArray[np.float64]]:
    counts = [0, *rng.integers(0, 12, int(rng.integers(2, 6))).tolist()]
    return (_answers(counts, int(rng.integers(14, 20)), int(rng.integers(2**31))),)


def ratios(randomiser):
    """The smallest and the largest ratio of each row to any row."""
    all_rows = randomiser[:, None, :] / randomiser[None, :, :]
    return all_rows.min(axis=(1, 2)), all_rows.max(axis=(1, 2))


def noisy(answers):
    return (answers != 0) & (answers != 1)


EXERCISES = {
    "by-value": Exercise(
        [
            close(
                _by_value,
                randomiser,
                n,
                hint=hint,
                mistakes={
                    "Mind both directions: the record may make an output rarer, too.": (
                        lambda randomiser, n: np.log1p((ratios(randomiser)[1] - 1) / n)
                    ),
                    "That is the largest level of all values, for each of them.": (
                        lambda randomiser, n: np.full(
                            len(randomiser), max(_by_value(randomiser, n))
                        )
                    ),
                    "The record is one of n, and the others are released as well.": (
                        lambda randomiser, n: np.log(ratios(randomiser)[1])
                    ),
                },
            )
            for randomiser, n, hint in (
                (
                    TWO,
                    2,
                    "With the record, one n-th of the probability is its own. And without it?",
                ),
                (THREE, 7, "Divide a row by each of the rows, output by output."),
                (NEAR, 5, "A row with small ratios: what does its record make rarer?"),
            )
        ],
        draw=_drawn_randomiser,
    ),
    "blending": Exercise(
        [
            equal(
                _exposed,
                first,
                second,
                k,
                hint="Who shares both bins with the person, who belongs to the crowd too?",
                mistakes={
                    "People who are left out of a histogram are not shown in both.": (
                        lambda first, second, k: sum(
                            list(zip(first, second, strict=True)).count(pair) < k
                            for pair in zip(first, second, strict=True)
                        )
                    ),
                    "Count people, not pairs of bins.": lambda first, second, k: sum(
                        min(first.count(a), second.count(b))
                        >= k
                        > list(zip(first, second, strict=True)).count((a, b))
                        for a, b in set(zip(first, second, strict=True))
                    ),
                },
            )
            for first, second, k in (
                ([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1], 2),
                ([0, 0, 0, 1, 1, 1, 2], [0, 0, 1, 0, 1, 1, 1], 3),
                ([0, 0, 0, 0], [1, 1, 1, 1], 3),
                ([0, 0, 0, 1, 1, 1, 1, 2, 2], [0, 0, 1, 1, 1, 1, 0, 0, 0], 3),
            )
        ],
        draw=_drawn_people,
    ),
    "thresholds": Exercise(
        [
            equal(
                _counts,
                _answers(counts, thresholds, seed),
                hint="Where is the noise in the row of a bin with c people? And if c is 0?",
                mistakes={
                    "An empty bin has noise at one threshold only.": lambda answers: [
                        int(np.argmax(row)) + 1 for row in noisy(answers)
                    ],
                    "The noise stands at the count and at the threshold above it.": (
                        lambda answers: [int(np.flatnonzero(row)[-1]) + 1 for row in noisy(answers)]
                    ),
                    "Answers with noise can lie above one half as well.": (
                        lambda answers: (answers > 0.5).sum(axis=1)
                    ),
                },
            )
            for counts, thresholds, seed in (
                ([3, 0, 5], 8, 2),
                ([0, 0, 3], 4, 2),  # the last threshold carries noise
                ([12, 7, 0, 1], 20, 3),
            )
        ],
        draw=_drawn_answers,
    ),
}
