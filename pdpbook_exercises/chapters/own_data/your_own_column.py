"""Checks of the exercises in *Your own column*."""

from math import expm1

import numpy as np

from pdpbook_exercises.checking import assert_close, assert_equal, exercise


@exercise("your-own-column/distance")
def distance(answer, rng):
    drawn = [(rng.integers(3, 12), rng.uniform(0.1, 20)) for _ in range(3)]
    for bins, width in [(2, 1.0), (5, 0.5), (8, 100.0), *drawn]:
        p, q = rng.dirichlet(np.ones(bins), 2)
        assert_close(
            answer(p, q, width),
            width * abs(np.cumsum(p - q)).sum(),
            "The area between the two distribution functions is a sum over the gaps between "
            "neighbouring midpoints, and each gap is as wide as a bin.",
        )


@exercise("your-own-column/bins")
def bins(answer, rng):
    drawn = [(int(np.exp(rng.uniform(3, 12))), rng.uniform(0.1, 2)) for _ in range(3)]
    for n, epsilon in [(178, 1.0), (1317, 0.3), (20, 0.5), (10**6, 2.0), *drawn]:
        k = np.arange(2, 1025)
        bounds = 1 / (2 * k) + k / (k + n * expm1(epsilon))
        assert_equal(
            answer(n, epsilon),
            k[bounds.argmin()],
            "Compute both bounds for every K from 2 to 1,024 and add them. The probability of a "
            "replacement contains e to the power of ε, minus one.",
            {"That is the position in your list, not K.": bounds.argmin()},
        )


def _columns(rng):
    """Yield columns of values from 0 to 20, some with a long tail towards 0, each with an ε."""
    known = np.random.default_rng(2)
    columns = [(known, 5, 1.0, False), (known, 12, 0.5, True), (known, 40, 2.0, False)]
    for _ in range(3):
        columns.append((rng, rng.integers(5, 40), rng.uniform(0.1, 3), rng.random() < 0.5))
    for source, n, epsilon, mirrored in columns:
        values = source.gamma(2, 3, n).clip(0, 20)
        yield 20 - values if mirrored else values, epsilon


@exercise("your-own-column/loss")
def loss(answer, rng):
    ends = [(0, 20), (-5, 25), (0, 50), *rng.uniform([-10, 20], [0, 40], (3, 2))]
    for (x, epsilon), (lower, upper) in zip(_columns(rng), ends, strict=True):
        n = len(x)
        changes = [abs(x.mean() - np.delete(x, i).mean()) for i in range(n)]
        assert_close(
            answer(x, lower, upper, epsilon),
            max(changes) * n * epsilon / (upper - lower),
            "Compute the mean without each record, divide the change by the scale, and take the "
            "largest quotient.",
        )


@exercise("your-own-column/range")
def value_range(answer, rng):
    ends = [(0, 6), (2, 8), (0, 40), *rng.uniform([0, 5], [4, 20], (3, 2))]
    for (x, epsilon), (lower, upper) in zip(_columns(rng), ends, strict=True):
        moved = abs(x.clip(lower, upper).mean() - x.mean())
        assert_close(
            answer(x, lower, upper, epsilon),
            [moved, (upper - lower) / (len(x) * epsilon)],
            "Return both errors, in this order. Values outside the range are moved to the nearer "
            "end for the mean, and the expected absolute value of Laplace noise is its scale.",
        )
