"""Self-checks of the chapter *Anonymity and its limits*."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pdpbook_exercises import Exercise, close, equal

__all__ = ["EXERCISES"]


def _possible_values(first: NDArray[np.int64], second: NDArray[np.int64]) -> list[int]:
    return [value for value, (a, b) in enumerate(zip(first, second, strict=True)) if min(a, b) > 0]


def _who_left(before: NDArray[np.int64], after: NDArray[np.int64]) -> list[int]:
    gone = before - after
    exposed = sum(int(row.sum()) for row in gone if np.count_nonzero(row) == 1)
    return [int(gone.sum()), int(after.sum(axis=1).min()), exposed]


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


def _plain_distance(table: NDArray[np.int64]) -> list[float]:
    """Compare the shares themselves, not the cumulative ones."""
    whole = table.sum(axis=0) / table.sum()
    apart = np.abs(table / table.sum(axis=1, keepdims=True) - whole).sum(axis=1).max()
    return [*_anonymity(table)[:2], float(apart / 2.0)]


def _drawn_tables(rng: np.random.Generator) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    before = rng.integers(1, 9, (int(rng.integers(2, 5)), int(rng.integers(2, 5))))
    return before, before - np.minimum(before, rng.integers(0, 2, before.shape))


EXERCISES = {
    "who-left": Exercise(
        [
            equal(
                _who_left,
                np.array(before),
                np.array(after),
                hint="Subtract the tables. In which classes do all who left have one value?",
                mistakes={
                    "Count patients, not classes, as exposed.": lambda before, after: [
                        *_who_left(before, after)[:2],
                        int((np.count_nonzero(before - after, axis=1) == 1).sum()),
                    ],
                    "k is that of the second table, not of the first.": lambda before, after: [
                        _who_left(before, after)[0],
                        int(before.sum(axis=1).min()),
                        _who_left(before, after)[2],
                    ],
                    "A patient who leaves a class together with others of another value is safe.": (
                        lambda before, after: [
                            *_who_left(before, after)[:2],
                            int((before - after).sum()),
                        ]
                    ),
                },
            )
            for before, after in (
                ([[3, 2], [4, 4]], [[3, 1], [4, 4]]),
                ([[5, 5, 5], [6, 6, 6]], [[3, 5, 5], [5, 5, 6]]),
                ([[9, 1], [7, 3], [2, 2]], [[9, 0], [4, 3], [1, 1]]),
                ([[4, 4], [8, 8]], [[4, 4], [8, 8]]),
            )
        ],
        draw=_drawn_tables,
    ),
    "possible-values": Exercise(
        [
            equal(
                _possible_values,
                np.array(first),
                np.array(second),
                hint="A value is possible if it occurs at least once in both classes.",
                mistakes={
                    "One of the two classes is enough in yours.": lambda a, b: np.flatnonzero(
                        a + b
                    ).tolist(),
                    "Those are the values of the first class.": lambda a, b: np.flatnonzero(
                        a
                    ).tolist(),
                    "Those are the values that it cannot be.": lambda a, b: np.flatnonzero(
                        a * b == 0
                    ).tolist(),
                },
            )
            for first, second in (
                ([3, 0, 2, 1], [0, 4, 1, 2]),
                ([1, 1, 0], [0, 1, 1]),
                ([2, 5], [3, 1]),
                ([0, 0, 9, 1, 0, 4], [7, 0, 0, 2, 1, 0]),
            )
        ],
        draw=lambda rng: tuple(rng.integers(0, 4, (2, int(rng.integers(2, 9))))),
    ),
    "anonymity": Exercise(
        [
            close(
                _anonymity,
                np.array(table),
                hint=hint,
                mistakes={
                    "k and l are right. For t add up the differences of the cumulative shares, and "
                    "divide by m - 1.": _plain_distance
                },
            )
            for table, hint in (
                ([[3, 1], [2, 2]], "Two classes of four. What share of each has the first value?"),
                ([[2, 0, 0], [0, 2, 0], [0, 0, 2]], "Every value is known: what is l?"),
                ([[5, 1, 1], [1, 1, 9]], "The distance is to the whole table, not between rows."),
                ([[1, 0, 2, 3], [4, 4, 0, 1], [2, 2, 2, 2]], "Four values: divide by three."),
                ([[4, 4, 4]], "One class is the whole table."),
            )
        ],
        draw=lambda rng: (
            rng.integers(0, 6, (int(rng.integers(1, 5)), int(rng.integers(2, 6))))
            + np.eye(1, dtype=int),
        ),
    ),
}
