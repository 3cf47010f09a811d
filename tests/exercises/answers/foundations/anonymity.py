"""Answers to the exercises of *Anonymity and its limits*."""

import numpy as np

from tests.tools.answers import Answers


def left(before, after):
    exposed = 0
    for old, new in zip(before.tolist(), after.tolist(), strict=True):
        gone = [a - b for a, b in zip(old, new, strict=True)]
        if gone.count(0) == len(gone) - 1:
            exposed += sum(gone)
    return [before.sum() - after.sum(), min(map(sum, after.tolist())), exposed]


def anonymity(table, between=False):
    """The three numbers; the distance from the whole table, or from the first class."""
    shares, whole = table / table.sum(axis=1, keepdims=True), table.sum(axis=0) / table.sum()
    apart = shares - (shares[0] if between else whole)
    farthest = np.abs(apart.cumsum(axis=1)).sum(axis=1).max() / (table.shape[1] - 1)
    return table.sum(axis=1).min(), (table > 0).sum(axis=1).min(), farthest


def possible(first, second):
    return sorted(set(np.flatnonzero(first)) & set(np.flatnonzero(second)))


ANSWERS = {
    "who-left": Answers([left]),
    "possible-values": Answers([possible]),
    "anonymity": Answers(
        [anonymity],
        (lambda table: anonymity(table, between=True), "entries are wrong, the first at [2]"),
        (lambda table: (anonymity(table)[0], table.shape[1], anonymity(table)[2]), "what is l?"),
    ),
}
