"""Answers to the exercises of *A billion records*."""

import hashlib
import json
import math
from fractions import Fraction

import numpy as np

from pdpbook.audit.accounting import draws_epsilon
from tests.tools.answers import Answers


def by_hash(key, name, distribution, j):
    digest = hashlib.blake2b(f"{name}/{j}".encode(), key=key, digest_size=8).digest()
    return int(
        np.searchsorted(np.cumsum(distribution), int.from_bytes(digest) / 2**64, side="right")
    )


def hours(rows, columns, machines, cores, ns, gb, *, combine=max, shared=True, share=True):
    values = rows * columns / (machines if share else 1)
    disk = gb * 1e9 * (1 if shared else cores)
    return combine(values * ns * 1e-9 / cores, values * 8 / disk) / 3600


def digest(counts):
    return hashlib.sha256(json.dumps(list(counts)).encode()).hexdigest()


def whole_weights(distribution):
    """Exact fractions, rounded down; the largest takes the rest."""
    exact = [Fraction(float(each)) for each in distribution]
    weights = [int(each / sum(exact) * 2**64) for each in exact]
    weights[int(np.argmax(distribution))] += 2**64 - sum(weights)
    return weights


def guess(known, published, *, first=0, otherwise=-1):
    for k in range(first, len(known)):
        if digest([c + (j == k) for j, c in enumerate(known)]) == published:
            return k
    return otherwise


def tally(values, lower, upper, bins):
    """Value by value."""
    counts = np.zeros(bins + 3, dtype=int)
    for value in values:
        if math.isnan(value):
            counts[bins + 2] += 1
        elif lower <= value <= upper:
            counts[min(int((value - lower) / (upper - lower) * bins), bins - 1)] += 1
        else:
            counts[bins + (value > upper)] += 1
    return counts


def in_place(values, lower, upper, bins):
    found = tally(values, lower, upper, bins)
    values -= lower
    return found


def binned(values, lower, upper, bins):
    counts = np.histogram(values[np.isfinite(values)], bins, (lower, upper))[0]
    return np.concatenate([counts, [(values < lower).sum(), (values > upper).sum(), 0]])


def rounded(distribution):
    return [round(Fraction(each) * 2**64) for each in distribution.tolist()]


ANSWERS = {
    "copies": Answers(
        [lambda n, e, m, c, d: draws_epsilon(n, e, draws=c * m, delta=d)],
        (lambda n, e, m, c, d: e * m * c, "How many independent draws"),
    ),
    "tally": Answers(
        [tally],
        (binned, "below, above, missing"),
        (lambda *piece: tally(*piece).astype(float), "of the type float64"),
        (in_place, "changed what it was given"),
        (lambda v, lo, up, k: tally(v, lo, up, k)[:k], "K + 3 numbers"),
        (
            lambda v, lo, up, k: np.bincount(
                ((v - lo) / (up - lo) * k).astype(int), minlength=k + 3
            ),
            "The upper end belongs to the last bin",
        ),
    ),
    "keyed": Answers(
        [
            lambda key, name, distribution, a, b: np.array(
                [by_hash(key, name, distribution, j) for j in range(a, b)]
            )
        ],
        (
            lambda key, name, distribution, a, b: np.random.default_rng(0).choice(
                4, b - a, p=distribution
            ),
            "must not depend on start and stop",
        ),
        (
            lambda key, name, distribution, a, b: [
                by_hash(bytes(32), name, distribution, j) for j in range(a, b)
            ],
            "Another key must give unrelated draws",
        ),
        (
            lambda key, name, distribution, a, b: [
                by_hash(key, "x", distribution, j) for j in range(a, b)
            ],
            "Another column must give unrelated draws",
        ),
        (
            lambda key, name, distribution, a, b: [
                by_hash(key, name, distribution[::-1], j) for j in range(a, b)
            ],
            "that follow the distribution",
        ),
    ),
    "weights": Answers(
        [lambda p: np.array(whole_weights(p), dtype=object)],
        (lambda distribution: (distribution * 2.0**64).tolist(), "Not all weights are integers"),
        (rounded, "The weights miss 2**64 by -512"),
        (
            lambda distribution: [2**64 - len(distribution) + 1] + [1] * (len(distribution) - 1),
            "far from 2**64 times its probability",
        ),
    ),
    "fingerprint": Answers(
        [guess],
        (lambda known, published: 0, "into each bin in turn"),
        (lambda known, published: guess(known, published, first=1), "returned -1"),
        (lambda known, published: guess(known, published, otherwise=0), "return -1"),
    ),
    "hours": Answers(
        [hours], (lambda *case: hours(*case, shared=False), "the cores of a machine share its disk")
    ),
}
