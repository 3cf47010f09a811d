"""Answers to the exercises of *The end-to-end loss*."""

import math
from contextlib import suppress
from itertools import product

import numpy as np
from scipy.optimize import minimize_scalar

from pdpbook_exercises.chapters.audit.end_to_end_loss import worst_game
from tests.tools.answers import Answers


def _rerun(counts, pipeline, *, empty=math.nan):
    """Output by output."""
    losses = []
    for k, count in enumerate(counts):
        if count == 0:
            losses.append(empty)
            continue
        fewer = [c - (j == k) for j, c in enumerate(counts)]
        pairs = zip(pipeline(counts), pipeline(np.array(fewer)), strict=True)
        seen = [(p, q) for p, q in pairs if p > 0 or q > 0]
        ratios = [math.inf if min(p, q) == 0 else abs(math.log(p / q)) for p, q in seen]
        losses.append(max(ratios))
    return losses


def _naive_logarithms(counts, pipeline):
    """Forgets that 0/0 is nan, which max passes on."""
    losses = np.full(len(counts), np.nan)
    for k in np.flatnonzero(counts):
        absent = pipeline(counts - (np.arange(len(counts)) == k))
        losses[k] = np.abs(np.log(pipeline(counts) / absent)).max()
    return losses


def _by_loops(counts, kernel, k):
    worst, n, bins = 0.0, sum(counts), len(counts)
    for x in range(bins):
        most = [max(kernel[v][j][x] for v in range(len(kernel))) for j in range(bins)]
        least = [min(kernel[v][j][x] for v in range(len(kernel))) for j in range(bins)]
        for above, below in ((most, least), (least, most)):
            present = sum(c * a for c, a in zip(counts, above, strict=True)) / n
            absent = sum((counts[j] - (j == k)) * below[j] for j in range(bins)) / (n - 1)
            worst = max(worst, abs(math.log(present / absent)))
    return worst


def _sums(present, absent):
    """The factor 1/S cancels."""
    return [
        np.abs(np.log(present.sum(axis=0)) - np.log(absent.sum(axis=0))).max(),
        np.abs(np.log(present) - np.log(absent)).max(),
    ]


def _divergences(n, epsilon, share):
    p = math.exp(share) / n
    with_it = -share / n + (1 - 1 / n) * (math.log1p(-1 / n) - math.log1p(-p))
    return with_it, -math.log1p(-p * math.exp(-epsilon))


def _least_of_the_larger(n, epsilon):
    """Minimises the larger of the two, without the equation."""

    def larger(share):
        return max(_divergences(n, epsilon, share))

    return minimize_scalar(larger, bounds=(-60, 0), options={"xatol": 1e-13}).fun


def histograms(mine):
    """One record at an end, a gap, and many records beyond it, as an array and as a tuple."""
    for b, a, c in product(range(2, 7), repeat=3):
        with suppress(AssertionError):
            worst_game([1, 0, a, b, c], mine)
            return [np.array([1, 0, a, b, c]), (1, 0, a, b, c)]


ANSWERS = {
    "rerun": Answers(
        [_rerun],
        (lambda *case: _rerun(*case, empty=0.0), "An empty bin has no record"),
        (_naive_logarithms, "An output that neither distribution reaches"),
    ),
    "ceiling": Answers([_by_loops]),
    "mixture": Answers([_sums]),
    "floor": Answers([_least_of_the_larger]),
    "worst-game": Answers(
        histograms,
        ([3, 2, 1], "The largest end-to-end loss is"),
        ([0, 1, 0, 2, 5, 8, 4, 4, 6], "It has 9 bins."),
        ([1.5, 2.5], "It is not a list of whole numbers."),
        ([40, 1], "It has 41 records."),
        ([-1, 5], "A count is negative."),
    ),
}
