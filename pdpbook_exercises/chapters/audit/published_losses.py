"""Checks of the exercises in *Published losses*."""

import numpy as np

from pdpbook.audit.randomisers import k_ary_randomised_response
from pdpbook.per_instance.noise_kernels import laplace_kernel
from pdpbook_exercises import assert_close, assert_equal, exercise


@exercise("published-losses/decimals")
def decimals(answer, rng):
    cases = [(101, 1317, 1.0, 3), (101, 1317, 1.0, 4), (5, 60, 0.5, 2), (101, 1317, 1.0, 1)]
    for bins, n in rng.integers([4, 300], [110, 1500], (3, 2)).tolist():
        cases.append((bins, n, rng.uniform(0.3, 1.5), 3))
    for bins, n, epsilon, digits in cases:
        own, other = k_ary_randomised_response(bins, n, epsilon)[0, :2]
        c = np.arange(1, n)
        average = ((c - 1) * own + (n - c) * other) / (n - 1)
        losses = np.log1p((own / average - 1) / n) * 10**digits
        first, cut_off = (
            1 + (shown[1:] == shown[:-1]).argmax() for shown in (losses.round(), np.floor(losses))
        )
        assert_close(
            answer(bins, n, epsilon, digits),
            first,
            "Compute the loss of one of c records of a bin from P and from the average of the "
            "others: of the n - 1 others, c - 1 are in this bin. Round the loss. Go through c = 1, "
            "2, 3, …",
            {"Published losses are rounded to the nearest number, not truncated.": cut_off},
        )


def _losses(counts, table):
    """Return, for each bin, the loss of its records at this bin, or nan if the bin is empty."""
    n, mass, own = counts.sum(), counts @ table, np.diag(table)
    losses = np.log(mass / n) - np.log((mass - own) / (n - 1))
    return np.where(counts > 0, losses, np.nan)


@exercise("published-losses/left")
def left(answer, rng):
    compare = "Turn the losses of both years into counts and compare them."
    change = (
        "The largest change of a loss need not be in the bin that the record left: all losses "
        "change with the number of records, and the losses of small bins change most."
    )
    empty = "A bin may be empty after the record has left: its loss is then nan, and its count 0."
    cases = [
        ([3, 2, 1], 0, 1.0, compare),
        ([9, 1, 8, 0, 4, 1], 2, 1.0, change),
        ([3, 3, 1], 2, 1.0, empty),
        ([20, 7, 30, 11, 1], 3, 0.5, "In the second year, there are n - 1 records."),
    ]
    for bins in rng.integers(4, 7, 3):  # else a bin could have half of the records
        counts = rng.permutation([0, 1, *rng.integers(15, 30, bins)])
        k = int(rng.choice(np.flatnonzero(counts)))
        cases.append((counts, k, rng.uniform(0.4, 1.5), compare))
    for histogram, k, epsilon, hint in cases:
        before = np.array(histogram)
        after, n = before - (np.arange(before.size) == k), int(before.sum())
        table = k_ary_randomised_response(before.size, n, epsilon)
        assert_equal(answer(_losses(before, table), _losses(after, table), n, table), k, hint)


@exercise("published-losses/reconstruct")
def reconstruct(answer, rng):
    average = (
        "First find the average P(k) of the n records at each bin k from R and the loss. How many "
        "records are there after one is added? Then find the histogram that gives these averages."
    )
    linear = (
        "Your function should work for every randomiser, not only for k-ary randomised response: "
        "the masses are linear in the histogram."
    )
    turned = (
        "Are the rows and the columns of the randomiser exchanged? Row k is the distribution of "
        "the output for a record of bin k."
    )
    weights = np.array([0.4, 0.2, 0.2, 0.1, 0.05, 0.05])
    empty = "Return one number for each bin, including the empty bins."
    cases = [
        ([3, 2, 1, 2, 1], k_ary_randomised_response(5, 9, 1.0), average),
        ([3, 0, 2, 3, 1], k_ary_randomised_response(5, 9, 1.5), empty),
        ([2, 1, 0, 2, 1, 2], laplace_kernel(6, [0.08])[0], linear),
        ([2, 1, 2, 0, 2, 1], 0.9 * np.eye(6) + 0.1 * weights, linear),
    ]
    for bins in rng.integers(5, 8, 3):
        counts = rng.permutation([0, 1, *rng.integers(2, 4, bins - 2)])
        others = rng.dirichlet(np.full(bins, 3.0), bins)
        cases.append((counts, 0.8 * np.eye(bins) + 0.2 * others, linear))
    for histogram, table, hint in cases:
        counts, n = np.array(histogram), int(np.sum(histogram))
        mass = counts @ table
        losses = np.log((mass + np.diag(table)) / (n + 1)) - np.log(mass / n)
        mistakes = {turned: np.linalg.solve(table, mass)}
        assert_close(answer(losses, n, table), counts, hint, mistakes, atol=1e-6)
