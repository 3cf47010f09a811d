"""Answers to the exercises of *Published losses*."""

import math

import numpy as np

from pdpbook_exercises.chapters.audit.published_losses import _losses
from tests.tools.answers import Answers


def hidden(bins, n, epsilon, decimals):
    """Right: by the proposition, for all counts at once."""
    blur = bins / (bins + n * math.expm1(epsilon))
    own = 1 - blur + blur / bins
    shares = np.arange(n // 2) / (n - 1) * (1 - blur) + blur / bins
    shown = [round(loss, decimals) for loss in np.log1p((own / shares - 1) / n).tolist()]
    return min(c for c in range(1, n // 2) if shown[c - 1] == shown[c])


def counts_of(losses, n, randomiser):
    """Counts by the proposition, 0 where a bin is empty."""
    own, other = randomiser[0, 0], randomiser[0, 1]
    share = (own / (1 + n * np.expm1(losses)) - other) / (own - other)
    return np.where(np.isnan(losses), 0.0, 1 + (n - 1) * share)


def change(before, after, n, randomiser):
    return counts_of(before, n, randomiser) - counts_of(after, n - 1, randomiser)


def tried(before, after, n, randomiser):
    """Right: the losses of the second year, for each bin that may have been left."""
    counts = counts_of(before, n, randomiser).round().astype(int)
    for k in np.flatnonzero(counts):
        expected = _losses(counts - (np.arange(counts.size) == k), randomiser)
        if np.allclose(expected, after, equal_nan=True):
            return int(k)
    return None


def rebuilt(losses, n, randomiser, more=1):
    average = np.diag(randomiser) / (1 + (n + more) * np.expm1(losses))
    return np.linalg.solve(randomiser.T, n * average)


def k_ary_randomised_response_only(losses, n, randomiser):
    keep, other = randomiser[0, 0], randomiser[0, 1]
    average = keep / (1 + (n + 1) * np.expm1(losses))
    return n * (average - other) / (keep - other)


ANSWERS = {
    "decimals": Answers(
        [hidden],
        (lambda bins, n, epsilon, decimals: hidden(bins, n, epsilon, decimals + 1), "Go through"),
        (
            lambda bins, n, e, d: next(
                c for c in range(1, n) if round(1 / c - 1 / (c + 1), d) == 0
            ),
            "Go through",
        ),
    ),
    "left": Answers(
        [tried],
        (
            lambda before, after, *rest: int(np.nanargmax(np.abs(after - before))),
            "The largest change of a loss",
        ),
        (lambda *given: int(change(*given).argmin()), "compare them"),
        (
            lambda before, after, *rest: int(
                np.nanargmax(change(before, after, *rest) + 0 * after)
            ),
            "its count 0",
        ),
    ),
    "reconstruct": Answers(
        [lambda *given: np.rint(rebuilt(*given)).astype(int)],
        (lambda *given: rebuilt(*given, more=0), "after one is added"),
        (k_ary_randomised_response_only, "for every randomiser"),
    ),
}
