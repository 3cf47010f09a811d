"""Plausible answers to the exercises of *Large income, and vectors*: the wrong are told why."""

import math

import numpy as np

from pdpbook import scale_bound
from tests.tools.answers import answer_tests


def table(output, bins, other):
    return np.asarray(output).reshape(bins, other)


WRONG = {
    "memory": [
        (lambda bins, actions, d: (actions * bins**2) ** d, "Each takes eight bytes."),
        (lambda bins, actions, d: 8 * (actions * bins) ** d, "a column for each cell"),
        (lambda bins, actions, d: 8 * d * actions * bins**2, "they do not add"),
        (lambda bins, actions, d: 8 * actions * bins ** (2 * d), "actions multiply, too"),
        (lambda bins, actions, d: 4 * (actions * bins**2) ** d, "single precision"),
        (lambda bins, actions, d: (8 * actions * bins**2) ** d, "Cells multiply"),
    ],
    "budget": [
        (lambda n, e, d: scale_bound(n, e) / d, "not less"),
        (lambda n, e, d: scale_bound(n, e), "A record pays for all d."),
        (lambda n, e, d: scale_bound(n, e / d), "the theorem does better"),
        (lambda n, e, d: math.sqrt(d) * scale_bound(n, e), "scales do not"),
        (lambda n, e, d: d / e, "so n counts"),
        (lambda n, e, d: d / math.log2(1 + n * math.expm1(e)), "natural logarithms"),
    ],
    "margins": [
        (lambda p, bins, other: table(p, bins, other).sum(axis=0), "(3,) was expected"),
        (lambda p, bins, other: table(p, other, bins).sum(axis=0), "Cell (k, l)"),
        (lambda p, bins, other: table(p, bins, other).mean(axis=1), "not a mean"),
        (lambda p, bins, other: table(p, bins, other).max(axis=1), "not its largest value"),
        (lambda p, bins, other: p, "Its shape is (6,)"),
    ],
    "grid": [
        ((3, 2, 1, 0.33, 0.2), "the divergence is"),
        ((3, 1, 0.1), "It has 3 numbers."),
        ((3, 1, 0.1, 0.01, -1), "Not all are finite and > 0."),
        ((1e-3,) * 5, "records are exposed"),
    ],
}

RIGHT = {
    "memory": [
        lambda bins, actions, d: 8 * actions**d * bins ** (2 * d),
        lambda bins, actions, d: np.zeros((actions, bins, bins)).nbytes ** d / 8 ** (d - 1),
    ],
    "budget": [lambda n, e, d: d * scale_bound(n, e)],
    "margins": [
        lambda p, bins, other: [sum(p[k * other : k * other + other]) for k in range(bins)],
        lambda p, bins, other: table(p, bins, other) @ np.ones(other),
    ],
    "grid": [[3, 1, 0.1, 0.02, 0.005]],
}

test_wrong_answers, test_right_answers = answer_tests("credit", WRONG, RIGHT)
