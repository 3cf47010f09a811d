"""Plausible wrong answers to the exercises of *A billion records* are refused."""

import hashlib
import json
from fractions import Fraction

import numpy as np
import pytest

from pdpbook import draws_epsilon
from pdpbook.exercises.billion_records import _tally
from pdpbook.scaling.keyed_random import integer_weights, keyed_draws
from tests.tools.answers import answer_tests

pytestmark = pytest.mark.filterwarnings("ignore:invalid value encountered in cast")


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


def guess(known, published, *, first=0, otherwise=-1):
    for k in range(first, len(known)):
        if digest([c + (j == k) for j, c in enumerate(known)]) == published:
            return k
    return otherwise


def binned(values, lower, upper, bins):
    counts = np.histogram(values[np.isfinite(values)], bins, (lower, upper))[0]
    return np.concatenate([counts, [(values < lower).sum(), (values > upper).sum(), 0]])


def rounded(distribution):
    return [round(Fraction(each) * 2**64) for each in distribution.tolist()]


WRONG = {
    "copies": [
        (lambda n, e, m, c, d: c * draws_epsilon(n, e, draws=m, delta=d / c), "basic composition"),
        (lambda n, e, m, c, d: draws_epsilon(n, e, draws=m, delta=d), "the cost of one copy"),
        (lambda n, e, m, c, d: e * m * c, "How many independent draws"),
        (
            lambda n, e, m, c, d: draws_epsilon(n, e * c, draws=m, delta=d),
            "How many independent draws",
        ),
    ],
    "tally": [
        (binned, "below, above, missing"),
        (lambda v, lo, up, k: _tally(v, lo, up, k)[:k], "K + 3 numbers"),
        (lambda v, lo, up, k: _tally(np.clip(v, lo, up), lo, up, k), "K counts of the bins"),
        (lambda v, lo, up, k: _tally(v[~np.isnan(v)], lo, up, k), "K counts of the bins"),
        (
            lambda v, lo, up, k: np.bincount(
                ((v - lo) / (up - lo) * k).astype(int), minlength=k + 3
            ),
            "The upper end belongs to the last bin",
        ),
    ],
    "keyed": [
        (
            lambda key, name, distribution, a, b: np.random.default_rng(0).choice(
                4, b - a, p=distribution
            ),
            "must not depend on start and stop",
        ),
        (
            lambda key, name, distribution, a, b: np.random.default_rng([*key, a]).choice(
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
    ],
    "weights": [
        (lambda distribution: (distribution * 2.0**64).tolist(), "Not all of it is whole"),
        (
            lambda distribution: [int(each * 2**64) for each in distribution],
            "The weights miss 2**64 by -512",
        ),
        (rounded, "The weights miss 2**64 by -512"),
        (
            lambda distribution: [2**64 - len(distribution) + 1] + [1] * (len(distribution) - 1),
            "far from 2**64 times its share",
        ),
        (
            lambda distribution: [
                int(each) for each in np.diff(np.r_[0, np.cumsum(distribution)]) * 2**64
            ],
            "far from 2**64 times its share",
        ),
    ],
    "fingerprint": [
        (lambda known, published: 0, "into each bin in turn"),
        (lambda known, published: guess(known, published, first=1), "returned -1"),
        (lambda known, published: guess(known, published, otherwise=None), "return -1"),
        (lambda known, published: int(np.argmax(known)), "into each bin in turn"),
    ],
    "hours": [
        (lambda *case: hours(*case, combine=lambda a, b: a + b), "take the larger, not the sum"),
        (lambda *case: hours(*case, shared=False), "A value has 8 bytes"),
        (lambda *case: hours(*case, share=False), "side by side"),
        (lambda *case: 3600 * hours(*case), "Seconds, not hours"),
        (lambda *case: hours(*case, combine=min), "cores of a machine share its disk"),
    ],
}
RIGHT = {
    "copies": [lambda n, e, m, c, d: draws_epsilon(n, e, draws=c * m, delta=d)],
    "tally": [_tally],
    "keyed": [
        lambda key, name, distribution, a, b: np.array(
            [by_hash(key, name, distribution, j) for j in range(a, b)]
        ),
        lambda key, name, distribution, a, b: keyed_draws(
            key, name, integer_weights(distribution), start=a, stop=b
        ),
    ],
    "weights": [
        integer_weights,
        lambda distribution: np.array(integer_weights(distribution), dtype=object),
    ],
    "fingerprint": [guess],
    "hours": [hours],
}

test_wrong_answers, test_right_answers = answer_tests("billion-records", WRONG, RIGHT)
