"""Answers to the exercises of *A billion records*."""

import hashlib
import json
import math
from fractions import Fraction

import numpy as np

from pdpbook.audit.accounting import draws_epsilon
from tests.tools.answers import Answers


def by_hash(key, name, distribution, start, stop):
    each = (f"{name}/{j}".encode() for j in range(start, stop))
    digests = [hashlib.blake2b(text, key=key, digest_size=8).digest() for text in each]
    shares = [int.from_bytes(digest) / 2**64 for digest in digests]
    return np.searchsorted(np.cumsum(distribution), shares, side="right")


def hours(rows, columns, machines, cores, ns, gb, disks=1):
    values = rows * columns / machines
    return max(values * ns * 1e-9 / cores, values * 8 / (disks * gb * 1e9)) / 3600


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


ANSWERS = {
    "copies": Answers(
        [lambda n, e, m, c, d: draws_epsilon(n, e, draws=c * m, delta=d)],
        (lambda n, e, m, c, d: e * m * c, "How many independent draws"),
    ),
    "tally": Answers(
        [tally],
        (lambda v, *rest: tally(v[np.isfinite(v)], *rest), "below, above, missing"),
        (lambda *piece: tally(*piece).astype(float), "have the type float64"),
        (lambda v, lo, up, k: tally(v, lo, up, k)[:k], "K + 3 numbers"),
        (
            lambda v, lo, up, k: np.bincount(
                ((v - lo) / (up - lo) * k).astype(int), minlength=k + 3
            ),
            "The upper end belongs to the last bin",
        ),
    ),
    "keyed": Answers(
        [by_hash],
        (
            lambda key, name, p, a, b: np.random.default_rng(0).choice(4, b - a, p=p),
            "must not depend on start and stop",
        ),
        (lambda key, *rest: by_hash(bytes(32), *rest), "key must give unrelated draws"),
        (lambda key, name, *rest: by_hash(key, "x", *rest), "column must give unrelated"),
        (lambda key, name, p, a, b: by_hash(key, name, p[::-1], a, b), "that follow the"),
    ),
    "weights": Answers(
        [lambda p: np.array(whole_weights(p), dtype=object)],
        (lambda p: (p * 2.0**64).tolist(), "Not all weights are integers"),
        (lambda p: [2**64], "Each bin must have one weight >= 0"),
        (lambda p: [int(each * 2**64) for each in p], "The sum misses 2**64 by -512"),
        (lambda p: [2**64 - p.size + 1] + [1] * (p.size - 1), "far from 2**64 times its"),
    ),
    "fingerprint": Answers(
        [guess],
        (lambda known, published: 0, "to each bin in turn"),
        (lambda known, published: guess(known, published, first=1), "returned -1"),
        (lambda known, published: guess(known, published, otherwise=0), "return -1"),
    ),
    "hours": Answers(
        [hours],
        (lambda *case: hours(*case, disks=case[3]), "the cores of a machine share its disk"),
    ),
}
