"""Checks of the exercises in *What would you have used instead?*."""

import itertools
from math import expm1, isclose, log1p, sinh

import numpy as np

from pdpbook.foundations.divergences import kl_divergence
from pdpbook.foundations.mechanisms import geometric_mechanism
from pdpbook_exercises.checking import assert_close, exercise


@exercise("instead/guess")
def guess(answer, rng):
    drawn = [(4, bins) for bins in rng.integers(2, 6, 3)]
    for size, bins in [(2, 3), (5, 4), (1, 2), *drawn]:
        candidates = rng.dirichlet(np.full(bins, 0.5), size)
        weights = rng.dirichlet(np.ones(size))
        assert_close(
            answer(candidates, weights),
            weights @ candidates,
            "Write the expected divergence as a term without P, minus the sum over x of E q(x) ln "
            "P(x). The candidates do not all have the same probability.",
        )


@exercise("instead/clipping")
def clipping(answer, rng):
    for epsilon in [1.0, 0.1, 5.0, *rng.uniform(0.05, 6, 3)]:
        assert_close(
            answer(epsilon),
            1 / (2 * sinh(epsilon)),
            "Add up z Pr[Z = z] over the positive values z only. The probabilities of all values, "
            "including 0 and the negative ones, sum to 1.",
        )


@exercise("instead/records")
def records(answer, rng):
    hint = (
        "Solve for R first, then for n. The divergence must be at most kappa for your n and above "
        "kappa for n - 1."
    )
    fixed = [(101, 1.0, 0.01), (3, 0.1, 0.2), (2, 5.0, 1.0), (1001, 0.01, 1e-4)]
    drawn = [(int(rng.integers(2, 102)), *rng.uniform([0.05, 0.005], [3, 0.5])) for _ in range(3)]
    for bins, epsilon, kappa in fixed + drawn:
        n = answer(bins, epsilon, kappa)
        assert n == int(n), f"A number of records is a whole number. {hint}"
        assert n >= 2, f"The table has at least two records. {hint}"
        worst, before = (log1p((bins - 1) / (1 + m * expm1(epsilon))) for m in (n, n - 1))
        assert worst <= kappa * (1 + 1e-9), (
            f"Too few: with this number of records the divergence may be {worst:.6g}, more than "
            f"{kappa:g}. {hint}"
        )
        assert n == 2 or before > kappa * (1 - 1e-9), (
            f"Too many: one record fewer is enough. {hint}"
        )


@exercise("instead/errors")
def errors(answer, rng):
    for bins in [2, 5, *rng.integers(2, 7, 3)]:
        q, *noise = rng.dirichlet(np.ones(bins), bins + 1)
        rows = 0.6 * np.eye(bins) + 0.4 * np.array(noise)
        places = np.sort(rng.uniform(-5, 5, bins))
        squares = (places[:, None] - places) ** 2
        assert_close(
            answer(q, rows, places),
            [q @ (rows * squares).sum(axis=1), q @ squares @ (q @ rows)],
            "Return both errors, in this order. Weight the records by q and the outputs by the "
            "row; in the second case, the output is independent of the record.",
        )


@exercise("instead/better")
def better(answer, rng):
    def estimate(noisy, epsilon):
        found = np.asarray(answer(noisy, epsilon), dtype=float)
        assert found.shape == noisy.shape and (found > 0).all() and isclose(found.sum(), 1), (
            "Return a distribution with positive probabilities, whatever whole numbers are given."
        )
        return found

    def hill(height, place, width):
        return height * np.exp(-((x - place) ** 2) / width)

    estimate(np.array([5, -2, 0, 1]), 0.5)
    x, levels = np.arange(60), [0.3, 1.0, 3.0]
    two = hill(60, 12, 18) + hill(80, 41, 30)
    cases = [*itertools.product([hill(120, 30, 40), two, np.maximum(10 * (12 - x), 0)], levels)]
    for drawn in rng.uniform([80, 15, 25], [150, 45, 45], (3, 3)):
        cases.append((hill(*drawn), rng.choice(levels)))
    for histogram, epsilon in cases:
        counts = np.round(histogram).astype(int)
        divergences = []
        for seed in range(15):
            noise = np.random.default_rng([seed, 3])
            noisy = geometric_mechanism(counts, epsilon=epsilon, rng=noise)
            both = estimate(noisy, epsilon), np.maximum(noisy, 0) + 0.5
            divergences.append([kl_divergence(counts / counts.sum(), p / p.sum()) for p in both])
        yours, simple = np.median(divergences, axis=0)
        assert yours <= simple * 2 / 3, (
            "It is not a third better than clipping and adding a half. Most bins are empty: what "
            "does a count no larger than the noise mean, and what do the neighbouring bins tell us?"
        )
