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


ANSWERS = {
    "who-left": Answers([left]),
    "possible-values": Answers([possible]),
    "anonymity": Answers(
        [anonymity],
        (lambda table: anonymity(table, between=True), "entries are wrong, the first at [2]"),
        (lambda table: (anonymity(table)[0], table.shape[1], anonymity(table)[2]), "what is l?"),
    ),
}
