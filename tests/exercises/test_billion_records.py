"""Plausible wrong answers to the exercises of *A billion records* are refused."""

import hashlib
import json
from fractions import Fraction

import numpy as np
import pytest

from pdpbook import draws_epsilon
from pdpbook.exercises import check
from pdpbook.exercises.billion_records import _tally
from pdpbook.scaling.keyed_draws import integer_weights, keyed_draws


def by_hash(key, name, law, j):
    digest = hashlib.blake2b(f"{name}/{j}".encode(), key=key, digest_size=8).digest()
    return int(np.searchsorted(np.cumsum(law), int.from_bytes(digest) / 2**64, side="right"))


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


def rounded(law):
    return [round(Fraction(each) * 2**64) for each in law.tolist()]


WRONG = {
    "copies": [
        lambda n, e, m, c, d: c * draws_epsilon(n, e, draws=m, delta=d / c),
        lambda n, e, m, c, d: draws_epsilon(n, e, draws=m, delta=d),
        lambda n, e, m, c, d: e * m * c,
        lambda n, e, m, c, d: draws_epsilon(n, e * c, draws=m, delta=d),
    ],
    "tally": [
        binned,
        lambda v, lo, up, k: _tally(v, lo, up, k)[:k],
        lambda v, lo, up, k: _tally(np.clip(v, lo, up), lo, up, k),
        lambda v, lo, up, k: _tally(v[~np.isnan(v)], lo, up, k),
        lambda v, lo, up, k: np.bincount(((v - lo) / (up - lo) * k).astype(int), minlength=k + 3),
    ],
    "keyed": [
        lambda key, name, law, a, b: np.random.default_rng(0).choice(4, b - a, p=law),
        lambda key, name, law, a, b: np.random.default_rng([*key, a]).choice(4, b - a, p=law),
        lambda key, name, law, a, b: [by_hash(bytes(32), name, law, j) for j in range(a, b)],
        lambda key, name, law, a, b: [by_hash(key, "x", law, j) for j in range(a, b)],
        lambda key, name, law, a, b: [by_hash(key, name, law[::-1], j) for j in range(a, b)],
    ],
    "weights": [
        lambda law: (law * 2.0**64).tolist(),
        lambda law: [int(each * 2**64) for each in law],
        rounded,
        lambda law: [2**64 - len(law) + 1] + [1] * (len(law) - 1),
        lambda law: [int(each) for each in np.diff(np.r_[0, np.cumsum(law)]) * 2**64],
    ],
    "fingerprint": [
        lambda known, published: 0,
        lambda known, published: guess(known, published, first=1),
        lambda known, published: guess(known, published, otherwise=None),
        lambda known, published: int(np.argmax(known)),
    ],
    "hours": [
        lambda *case: hours(*case, combine=lambda a, b: a + b),
        lambda *case: hours(*case, shared=False),
        lambda *case: hours(*case, share=False),
        lambda *case: 3600 * hours(*case),
        lambda *case: hours(*case, combine=min),
    ],
}
RIGHT = {
    "copies": [lambda n, e, m, c, d: draws_epsilon(n, e, draws=c * m, delta=d)],
    "tally": [_tally],
    "keyed": [
        lambda key, name, law, a, b: np.array([by_hash(key, name, law, j) for j in range(a, b)]),
        lambda key, name, law, a, b: keyed_draws(key, name, integer_weights(law), a, b),
    ],
    "weights": [integer_weights, lambda law: np.array(integer_weights(law), dtype=object)],
    "fingerprint": [guess],
    "hours": [hours],
}


@pytest.mark.filterwarnings("ignore:invalid value encountered in cast")
@pytest.mark.parametrize(
    ("title", "number"), [(t, i) for t, answers in WRONG.items() for i in range(len(answers))]
)
def test_wrong_answers_get_a_hint(title, number):
    verdict = check(f"billion-records/{title}", WRONG[title][number])
    assert not verdict
    assert "does not hold yet" in verdict.message or "raised" in verdict.message
    assert len(verdict.message) > 60


@pytest.mark.parametrize(
    ("title", "number"), [(t, i) for t, answers in RIGHT.items() for i in range(len(answers))]
)
def test_right_answers_pass(title, number):
    verdict = check(f"billion-records/{title}", RIGHT[title][number])
    assert verdict, verdict.message
