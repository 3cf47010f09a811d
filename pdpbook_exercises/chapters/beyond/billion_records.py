"""Checks of the exercises in *A billion records*."""

import json
from fractions import Fraction
from hashlib import sha256
from math import inf, nan

import numpy as np

from pdpbook.audit.accounting import draws_epsilon
from pdpbook_exercises.checking import assert_close, assert_equal, exercise


@exercise("billion-records/copies")
def copies(answer, rng):
    cases = [(1000, 1.0, 1000, 4, 1e-6), (10**6, 0.5, 100, 64, 1e-8)]
    for n, draws, number in rng.integers([100, 10, 2], [10**5, 2000, 40], (3, 3)).tolist():
        cases.append((n, rng.uniform(0.1, 1.5), draws, number, 1e-6))
    for n, epsilon, draws, number, delta in cases:
        one = draws_epsilon(n, epsilon, draws=draws, delta=delta)
        added = number * draws_epsilon(n, epsilon, draws=draws, delta=delta / number)
        assert_close(
            answer(n, epsilon, draws, number, delta),
            draws_epsilon(n, epsilon, draws=draws * number, delta=delta),
            "How many independent draws with the same noise does the attacker see?",
            {
                "Adding the costs is basic composition, which gives a valid total, but not the "
                "smallest one.": added,
                "That is the cost of one copy.": one,
            },
        )


@exercise("billion-records/tally")
def tally(answer, rng):
    hint = (
        "Return the K counts of the bins, then below, above, missing: K + 3 numbers that sum to "
        "the length of the piece. The upper end belongs to the last bin, an empty piece gives K + "
        "3 zeros, and an infinite value counts as below or above."
    )
    cases = [
        ([1, 2.5, 9.99], 0.0, 10.0, 4),
        ([0, 10, 5], 0.0, 10.0, 4),
        ([-1, 10.5, 3, nan, nan], 0.0, 10.0, 5),
        ([inf, -inf, 1], -2.0, 2.0, 3),
        ([], 0.0, 1.0, 3),
        ([nan], 0.0, 1.0, 2),
    ]
    for bins in rng.integers(2, 8, 3):
        lower, upper = rng.uniform([-5, 1], [0, 9])
        values = [lower, upper, nan, inf, -inf, *rng.uniform(lower - 2, upper + 2, 12)]
        cases.append((rng.permutation(values), lower, upper, bins))
    for piece, lower, upper, bins in cases:
        values = np.array(piece, dtype=float)
        given = np.asarray(answer(values, lower, upper, bins))
        assert given.shape == (bins + 3,), (
            f"Its shape is {given.shape}, and {(bins + 3,)} was expected. {hint}"
        )
        assert given.dtype.kind in "iu", (
            f"Counts are whole numbers, but these have the type {given.dtype}. {hint}"
        )
        right = {
            **{f"bin {k}": n for k, n in enumerate(np.histogram(values, bins, (lower, upper))[0])},
            "below": (values < lower).sum(),
            "above": (values > upper).sum(),
            "missing": np.isnan(values).sum(),
        }
        wrong = [name for name, number in zip(right, given, strict=True) if right[name] != number]
        assert not wrong, f"These are wrong: {', '.join(wrong)}. {hint}"


@exercise("billion-records/keyed", refused=["keyed_draws"])
def keyed(answer, rng):
    p = np.array([0.5, 0.125, 0.25, 0.125])

    def unrelated(draws, others):
        return abs((draws == others).mean() - p @ p) < 0.06

    first = bytes(range(100, 132))
    seen = []
    for key in [first, bytes(32), *(rng.bytes(32) for _ in range(3))]:
        whole = np.asarray(answer(key, "age", p, 0, 4000))
        for start, stop in [(0, 7), (7, 60), (13, 14), (30, 31), (59, 60), (5, 5), (3000, 3020)]:
            part = answer(key, "age", p, start, stop)
            assert whole.shape == (4000,) and np.array_equal(part, whole[start:stop]), (
                "Draw j must not depend on start and stop, so make it a function of j itself."
            )
        counts = np.array([(whole == k).sum() for k in range(4)])
        assert counts.sum() == 4000 and abs(counts / 4000 - p).max() < 0.04, (
            "The draws must be bins 0, …, K - 1 that follow the distribution."
        )
        assert all(unrelated(whole, others) for others in seen), (
            "Another key must give unrelated draws."
        )
        seen.append(whole)
    assert unrelated(answer(first, "height", p, 0, 4000), seen[0]), (
        "Another column must give unrelated draws, so hash the name as well."
    )


@exercise("billion-records/weights", refused=["integer_weights"])
def weights(answer, rng):
    hint = (
        "Python's integers and fractions.Fraction are exact. Round down, and add the remainder to "
        "the largest weight."
    )
    fixed = [[0.25, 0.75], [0.1, 0.2, 0.7], [1 / 3, 1 / 3, 1 / 3], [1.0, 0.0], [0.1] * 10]
    drawn = [rng.dirichlet(np.ones(size)).tolist() for size in rng.integers(2, 9, 3)]
    for p in fixed + drawn:
        given = list(answer(np.array(p)))
        assert all(isinstance(each, int | np.integer) for each in given), (
            f"Not all weights are integers, and a float does not have 64 bits. {hint}"
        )
        whole = [int(each) for each in given]
        assert len(whole) == len(p) and min(whole) >= 0, (
            f"Each bin must have one weight >= 0. {hint}"
        )
        assert sum(whole) == 2**64, f"The sum misses 2**64 by {sum(whole) - 2**64}. {hint}"
        exact = [Fraction(each) for each in p]
        far = max(abs(w - 2**64 * e / sum(exact)) for w, e in zip(whole, exact, strict=True))
        assert far <= len(p), (
            f"The sum is right, but a weight is far from 2**64 times its probability. {hint}"
        )


@exercise("billion-records/fingerprint")
def fingerprint(answer, rng):
    def published(counts):
        return sha256(json.dumps(counts).encode()).hexdigest()

    cases = [([3, 0, 2], 1), ([10, 20, 30, 40], 3), ([0, 0, 7, 1, 1], 0)]
    for size in rng.integers(2, 30, 3):
        cases.append((rng.integers(0, 40, size).tolist(), int(rng.integers(size))))
    for known, k in cases:
        counts = [c + (j == k) for j, c in enumerate(known)]
        assert_equal(
            answer(known, published(counts)),
            k,
            "Add the missing record to each bin in turn, compute the digest of the counts as the "
            "publisher did, and compare the digests.",
        )
    assert_equal(
        answer([5, 5], published([9, 9])),
        -1,
        "If no bin fits, more than one record is missing, so return -1.",
    )


@exercise("billion-records/hours")
def hours(answer, rng):
    cases = [
        (1e12, 50, 100, 2, 10.0, 1.0),
        (1e12, 50, 100, 32, 10.0, 1.0),
        (1e9, 1, 1, 1, 8.0, 2.0),
    ]
    for whole in rng.integers(1, [100, 200, 65], (3, 3)).tolist():
        cases.append((10 ** rng.uniform(6, 13), *whole, *rng.uniform([1, 0.1], [20, 8])))
    for case in cases:
        rows, columns, machines, cores, nanoseconds, gigabytes = case
        values = rows * columns / machines
        counting = values * nanoseconds * 1e-9 / cores / 3600
        reading = values * 8 / (gigabytes * 1e9) / 3600
        assert_close(
            answer(*case),
            max(counting, reading),
            "Counting and reading overlap, so the slower of them decides. A value has 8 bytes, and "
            "the cores of a machine share its disk.",
            {
                "Counting and reading overlap: take the maximum, not the sum.": counting + reading,
                "That is the time in seconds, not in hours.": 3600 * max(counting, reading),
            },
        )
