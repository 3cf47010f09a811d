"""Checks of the exercises in *Noise learned from public data*."""

import math
from itertools import count

import numpy as np
from scipy.stats import hypergeom, laplace

from pdpbook_exercises.checking import assert_close, assert_equal, exercise


@exercise("public-data/empty")
def empty(answer, rng):
    fixed = [(123, 123, 0.0025), (100, 300, 0.01), (50, 5, 0.5), (3, 4, 1e-3), (1, 1, 0.5)]
    drawn = [(*rng.integers(5, 200, 2).tolist(), rng.uniform(0.001, 0.3)) for _ in range(3)]
    for size, n, level in fixed + drawn:
        assert_equal(
            answer(size, n, level),
            next(s for s in count() if math.comb(size, s) <= level * math.comb(size + n, s)),
            "If s people are in the bin, what share of all choices of s people consists of public "
            "people? Find the smallest s at which this share is at most the level.",
        )


@exercise("public-data/again", refused=["likely_counts"])
def again(answer, rng):
    drawn = []
    for size, n in rng.integers(10, 150, (3, 2)).tolist():
        drawn.append((int(rng.integers(size)), size, n, rng.uniform(0.001, 0.3)))
    for public, size, n, level in [
        (100, 123, 123, 0.0025),
        (20, 123, 123, 0.0025),
        (3, 123, 123, 0.0025),
        (40, 60, 200, 0.01),
        (0, 50, 50, 0.1),
        (25, 60, 30, 0.3),
        *drawn,
    ]:
        c = np.arange(n + 1)
        accepted = hypergeom.cdf(c, size + n, public + c, n) > level
        assert_equal(
            answer(public, size, n, level),
            accepted.argmax(),
            "Mark the people of the bin, public ones and c private ones, and draw n of all people. "
            "Is the probability that at most c of these n are marked above the level?",
        )


@exercise("public-data/check")
def check(answer, rng):
    cases = [
        ([60, 55, 70], 0.3, 0.7, 1e-3),
        ([20, 30, 25], 0.3, 0.7, 1e-3),
        ([9, 0, 12, 4], 2.0, 1.0, 0.05),
        ([900, 800], 0.1, 2.0, 1e-6),
    ]
    for bins in rng.integers(2, 6, 3):
        cases.append((rng.integers(5, 40, bins), *rng.uniform(0.2, 1, 2), 0.01))
    for counts, test, spent, delta in cases:
        bins = len(counts)
        rows = 0.7 * np.eye(bins) + 0.3 * rng.dirichlet(np.ones(bins), bins)
        g = (counts @ rows / rows.max(axis=0)).min()
        needed = 1 / (1 - math.exp(-spent)) - math.log(2 * delta) / test
        assert_close(
            answer(np.array(counts), rows, test, spent, delta),
            laplace.sf(test * (needed - g)),
            "g is the minimum over the outputs of the mass divided by the largest entry of the "
            "column. The noise may have either sign, so the check may pass if g is below the "
            "threshold and fail if g is above it.",
        )
