"""Answers to the exercises of *ε-DP and ε-pDP*."""

from __future__ import annotations

import math

import numpy as np

from tests.tools.answers import Answers


def losses(counts, *, alone=math.inf, empty=math.nan, others=True, all_zero=True, one_less=1):
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
            own = math.log((n - 1) / n * m / (m - one_less)) if one_less else math.log(m / n)
            found.append(max(own, math.log(n / (n - 1))) if others else own)
    return found


def needed(n, epsilon):
    return max(2, math.ceil((1 - 1e-12) / (math.exp(-epsilon) / n - math.expm1(-epsilon))))


def by_lemma(n, epsilon):
    """Another way to write 1/tau: n / (1 + (n - 1)(1 - e^-epsilon))."""
    return max(math.ceil(n / (1 - (n - 1) * math.expm1(-epsilon)) - 1e-9), 2)


def slope(n, epsilon):
    return 1 - (1 - 1 / n) * math.exp(-epsilon)


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


def book_before(rows, i, new_row):
    """What stood on the solutions page: nan where an output has mass 0 before and after."""
    with np.errstate(all="ignore"):
        before, after = replaced(rows, i, new_row)
        return np.abs(np.log(before / after)).max()


def positive_only(rows, i, new_row):
    before, after = replaced(rows, i, new_row)
    seen = (before > 0) & (after > 0)
    return np.abs(np.log(before[seen] / after[seen])).max()


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
            (lambda counts: np.array(losses(counts)) / math.log(2), "right in base 2"),
            (lambda counts: -np.array(losses(counts)), "wrong sign"),
            (lambda counts: losses(counts)[:-1], "Its shape is (2,)"),
            (lambda counts: losses(counts, one_less=0), "Entry 0 is too small."),
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
            (lambda n, e: needed(n, e) + 1, "It is off by one."),
            (lambda n, e: max(2, math.ceil(math.exp(-e) * n)), "The value is wrong."),
            (lambda n, e: 1 / slope(n, e), "The value is wrong."),
        ],
        right=[needed, by_lemma, lambda n, e: float(needed(n, e))],
    ),
    "replacement-loss": Answers(
        wrong=[
            (book_before, "It is not a number (nan)."),
            (lambda *case: loss(*replaced(*case)) / math.log(2), "right in base 2"),
            (positive_only, "so this output reveals it."),
        ],
        right=[lambda *case: loss(*replaced(*case))],
    ),
    "end-to-end-loss": Answers(
        wrong=[
            (lambda n: [n // 2, n - n // 2], "three whole numbers"),
            (lambda n: [5, 5, 1], "with the sum 12"),
            (lambda n: [n / 2, n / 2, 0.0], "three whole numbers"),
            (lambda n: [n, 0, 0], "and the largest end-to-end loss is"),
            (lambda n: [n - 1, 0, 1], "The largest fixed-noise loss is"),
            (lambda n: [n - n // 2, n // 2, 0], "The largest fixed-noise loss is"),
        ],
        right=[
            lambda n: [(n - 1) // 2, (n - 1) // 2, n - 2 * ((n - 1) // 2)],
            lambda n: np.array([2 - n % 2, (n - 1) // 2, (n - 1) // 2]),
        ],
    ),
}
