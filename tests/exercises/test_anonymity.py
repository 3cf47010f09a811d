"""Wrong answers to the exercises of *Anonymity and its limits* are told what is wrong."""

import numpy as np

from tests.tools.answers import answer_tests


def anonymity(table, *, cumulative=True, divide=True, between=False):
    """The three numbers, with the mistakes that are asked for."""
    table = np.asarray(table)
    shares, whole = table / table.sum(axis=1, keepdims=True), table.sum(axis=0) / table.sum()
    apart = shares - (shares[0] if between else whole)
    apart = np.abs(apart.cumsum(axis=1) if cumulative else apart / 2).sum(axis=1).max()
    parts = table.shape[1] - 1 if divide and cumulative else 1
    return table.sum(axis=1).min(), (table > 0).sum(axis=1).min(), apart / parts


def possible(first, second):
    return sorted(set(np.flatnonzero(first)) & set(np.flatnonzero(second)))


WRONG = {
    "possible-values": [
        (lambda a, b: [j for j in range(len(a)) if a[j] or b[j]], "One of the two"),
        (lambda a, b: [j for j in range(len(a)) if a[j]], "the first class"),
        (lambda a, b: [j for j in range(len(a)) if not a[j] or not b[j]], "cannot be"),
        (lambda a, b: possible(a, b)[::-1], "at least once"),
        (lambda a, b: len(possible(a, b)), "at least once"),
    ],
    "anonymity": [
        (lambda table: anonymity(table, cumulative=False), "the cumulative shares"),
        (lambda table: anonymity(table, between=True), "entries are wrong, the first at [2]"),
        (lambda table: anonymity(table, divide=False), "the first at [2]"),
        (lambda table: anonymity(table)[::-1], "entries are wrong"),
        (lambda table: (len(table), *anonymity(table)[1:]), "the first at [0]"),
        (lambda table: (anonymity(table)[0], table.shape[1], anonymity(table)[2]), "what is l?"),
    ],
}

RIGHT = {
    "possible-values": [possible, lambda a, b: np.flatnonzero(a * b)],
    "anonymity": [anonymity, lambda table: list(map(float, anonymity(table)))],
}

test_wrong_answers, test_right_answers = answer_tests("anonymity", WRONG, RIGHT)
