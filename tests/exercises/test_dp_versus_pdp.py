"""Wrong answers to the exercises of *ε-DP and ε-pDP* are refused and told what is wrong."""

import math

import numpy as np

from tests.tools.answers import answer_tests


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


def removal(rows, i, new_row):
    without = (rows.sum(axis=0) - rows[i]) / (len(rows) - 1)
    return np.abs(np.log(rows.mean(axis=0) / without)).max()


def positive_only(rows, i, new_row):
    before, after = replaced(rows, i, new_row)
    seen = (before > 0) & (after > 0)
    return np.abs(np.log(before[seen] / after[seen])).max()


WRONG = {
    "no-noise-losses": [
        # student's finding: on [4, 0, 5] the hint was about empty bins
        (lambda counts: losses(counts, others=False), "Its leaving changes the other bins, too"),
        (lambda counts: losses(counts, alone=0.0), "Bin 2 has one record."),
        (lambda counts: losses(counts, empty=0.0), "Bin 1 is empty"),
        (lambda counts: losses(counts, all_zero=False), "All records are in bin 0."),
        (lambda counts: np.array(losses(counts)) / math.log(2), "right in base 2"),
        (lambda counts: -np.array(losses(counts)), "wrong sign"),
        (lambda counts: losses(counts)[:-1], "Its shape is (2,)"),
        (lambda counts: losses(counts, one_less=0), "Entry 0 is too small."),
    ],
    "records-needed": [
        # student's finding: the naive formula passed
        (lambda n, e: max(2, math.ceil(1 / slope(n, e))), "Some digits are lost"),
        (
            lambda n, e: math.ceil(n / (1 - (n - 1) * math.expm1(-e)) - 1e-9),
            "Is one record ever enough?",
        ),
        (lambda n, e: math.floor(1 / slope(n, e)), "Round up"),
        (lambda n, e: needed(n, e) + 1, "It is off by one."),
        (lambda n, e: max(2, math.ceil(math.exp(-e) * n)), "The value is wrong."),
        (lambda n, e: 1 / slope(n, e), "The value is wrong."),
    ],
    "replacement-loss": [
        (book_before, "It is not a number (nan)."),
        (removal, "That is the loss of removing"),
        (lambda *case: np.log(np.divide(*replaced(*case))).max(), "Only one direction"),
        (lambda *case: np.log(np.divide(*replaced(*case)[::-1])).max(), "Only one direction"),
        (lambda *case: loss(*replaced(*case)) / math.log(2), "right in base 2"),
        (positive_only, "Whoever sees it knows all."),
    ],
    "end-to-end-loss": [
        ([5, 5], "three whole numbers"),
        ([10, 5, 5], "with a sum of 2 to 12"),
        ([0.5, 1.5, 3.0], "three whole numbers"),
        ([2, 0, 0], "and the largest end-to-end loss"),
        ([11, 0, 1], "The largest pDP loss is"),
    ],
}

RIGHT = {
    "no-noise-losses": [losses],
    "records-needed": [needed, by_lemma, lambda n, e: float(needed(n, e))],
    "replacement-loss": [lambda *case: loss(*replaced(*case))],
    "end-to-end-loss": [[5, 5, 1], (5, 5, 1), np.array([5, 5, 1])],
}

test_wrong_answers, test_right_answers = answer_tests("dp-versus-pdp", WRONG, RIGHT)
