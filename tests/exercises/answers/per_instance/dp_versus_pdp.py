"""Answers to the exercises of *ε-DP and ε-pDP*."""

from __future__ import annotations

import math

import numpy as np

from tests.tools.answers import Answers


def losses(counts, *, alone=math.inf, empty=math.nan, others=True, all_zero=True):
    """The losses without noise, with the mistakes that are asked for."""
    n, found = sum(counts), []
    for m in map(int, counts):
        if m == 0:
            found.append(empty)
        elif m == 1:
            found.append(alone)
        elif m == n and all_zero:
            found.append(0.0)
        else:
            own = math.log((n - 1) / n * m / (m - 1))
            found.append(max(own, math.log(n / (n - 1))) if others else own)
    return found


def by_lemma(n, epsilon):
    """Another way to write 1/tau: n / (1 + (n - 1)(1 - e^-epsilon))."""
    return max(math.ceil(n / (1 - (n - 1) * math.expm1(-epsilon)) - 1e-9), 2)


def replaced(rows, i, new_row):
    rows = np.array(rows)
    before = rows.sum(axis=0)
    rows[i] = new_row
    return before, rows.sum(axis=0)


def loss(before, after):
    return max(
        math.inf if min(a, b) == 0 else abs(math.log(a / b))
        for a, b in zip(before, after, strict=True)
        if a + b > 0
    )


def seen_before(rows, i, new_row):
    """Outputs that only the new record can give are left out."""
    before, after = replaced(rows, i, new_row)
    return loss(before[before > 0], after[before > 0])


ANSWERS = {
    "no-noise-losses": Answers(
        wrong=[
            # student's finding: on [4, 0, 5] the hint was about empty bins
            (
                lambda counts: losses(counts, others=False),
                "Its leaving changes the other bins, too",
            ),
            (lambda counts: losses(counts, alone=0.0), "Bin 2 has one record."),
            (lambda counts: losses(counts, empty=0.0), "Bin 1 is empty"),
            (lambda counts: losses(counts, all_zero=False), "All records are in bin 0."),
            (lambda counts: losses(counts)[:-1], "Its shape is (2,)"),
        ],
        right=[losses],
    ),
    "records-needed": Answers(
        wrong=[
            # student's finding: the naive formula passed
            (
                lambda n, e: math.ceil(n / (1 - (n - 1) * math.expm1(-e)) - 1e-9),
                "Is one record ever enough?",
            ),
            (lambda n, e: max(2, math.ceil(1 / -math.expm1(-e))), "That is without n"),
            (lambda n, e: max(2, 1 / (1 - (1 - 1 / n) * math.exp(-e))), "into a whole number"),
        ],
        right=[by_lemma],
    ),
    "replacement-loss": Answers(
        wrong=[(seen_before, "so this output reveals it.")],
        right=[lambda *case: loss(*replaced(*case))],
    ),
    "end-to-end-loss": Answers(
        wrong=[
            (lambda n: [n // 2, n - n // 2], "three whole numbers"),
            (lambda n: [5, 5, 1], "with the sum 12"),
            (lambda n: [n / 2, n / 2, 0.0], "three whole numbers"),
            (lambda n: [n, 0, 0], "and the largest end-to-end loss is"),
            (lambda n: [n - 1, 0, 1], "The largest fixed-noise loss is"),
        ],
        right=[lambda n: np.array([2 - n % 2, (n - 1) // 2, (n - 1) // 2])],
    ),
}
