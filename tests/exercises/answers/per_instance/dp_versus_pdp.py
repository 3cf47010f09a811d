"""Answers to the exercises of *ε-DP and ε-pDP*."""

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


def by_lemma(n, epsilon, least=2):
    """Another way to write 1/tau: n / (1 + (n - 1)(1 - e^-epsilon))."""
    return max(math.ceil(n / (1 - (n - 1) * math.expm1(-epsilon)) - 1e-9), least)


def replaced(rows, i, new_row):
    """Output by output."""
    after = [*rows[:i], new_row, *rows[i + 1 :]]
    pairs = [(a, b) for a, b in zip(sum(rows), sum(after), strict=True) if a + b > 0]
    return max(abs(math.log(a / b)) if min(a, b) > 0 else math.inf for a, b in pairs)


def seen_before(rows, i, new_row):
    seen = rows.any(axis=0)
    return replaced(rows[:, seen], i, new_row[seen])


ANSWERS = {
    "no-noise-losses": Answers(
        [losses],
        (lambda counts: losses(counts, others=False), "the other bins become more likely"),
        (lambda counts: losses(counts)[:-1], "Its shape is (2,)"),
        (lambda counts: losses(counts, alone=0.0), "Bin 2 has one record."),
        (lambda counts: losses(counts, empty=0.0), "Bin 1 is empty"),
        (lambda counts: losses(counts, all_zero=False), "All records are in bin 0."),
    ),
    "records-needed": Answers(
        [by_lemma],
        (lambda *case: by_lemma(*case, least=1), "Is one record ever enough?"),
        (lambda n, e: max(2, math.ceil(1 / -math.expm1(-e))), "Your answer ignores n"),
        (lambda n, e: max(2, 1 / (1 - (1 - 1 / n) * math.exp(-e))), "the smallest whole number"),
    ),
    "replacement-loss": Answers([replaced], (seen_before, "reveals which of them is in")),
    "end-to-end-loss": Answers(
        [lambda n: np.array([2 - n % 2, (n - 1) // 2, (n - 1) // 2])],
        (lambda n: [n // 2, n - n // 2], "three whole numbers"),
        (lambda n: [5, 5, 1], "with the sum 12"),
        (lambda n: [n / 2, n / 2, 0.0], "three whole numbers"),
        (lambda n: [n, 0, 0], "and the largest end-to-end loss is"),
    ),
}
