"""Answers to the exercises of *Published losses*."""

from __future__ import annotations

import numpy as np

from pdpbook_exercises.chapters.audit.published_losses import (
    _published,
    counts_of,
    hidden,
    rebuilt,
)
from tests.tools.answers import Answers


def departed(before, after, n, randomiser):
    """Right: where the counts of the two years differ most."""
    difference = counts_of(before, n, randomiser) - counts_of(after, n - 1, randomiser)
    return int(difference.argmax())


def tried(before, after, n, randomiser):
    """Right: the losses of the second year, for each bin that may have been left."""
    counts = counts_of(before, n, randomiser).round().astype(int)
    for k in np.flatnonzero(counts):
        expected = _published(counts - (np.arange(counts.size) == k), randomiser)
        if np.allclose(expected, after, equal_nan=True):
            return int(k)
    return None


def k_ary_randomised_response_only(losses, n, randomiser):
    keep, other = randomiser[0, 0], randomiser[0, 1]
    average = keep / (1 + (n + 1) * np.expm1(losses))
    return n * (average - other) / (keep - other)


ANSWERS = {
    "decimals": Answers(
        wrong=[
            (lambda *given: hidden(*given) + 1, "off by one"),
            (lambda bins, n, epsilon, decimals: 10**decimals, "Go through"),
            (
                lambda bins, n, epsilon, decimals: hidden(bins, n, epsilon, decimals + 1),
                "Go through",
            ),
            (
                lambda bins, n, epsilon, decimals: next(
                    c for c in range(1, n) if round(1 / c, decimals) == round(1 / (c + 1), decimals)
                ),
                "Go through",
            ),
        ],
        right=[hidden],
    ),
    "left": Answers(
        wrong=[
            (
                lambda before, after, n, randomiser: int(np.nanargmax(np.abs(after - before))),
                "The largest change of a loss",
            ),
            (
                lambda before, after, n, randomiser: int(
                    (
                        counts_of(before, n, randomiser) - counts_of(after, n - 1, randomiser)
                    ).argmin()
                ),
                "compare them",
            ),
            (
                lambda before, after, n, randomiser: int(
                    np.nanargmax(
                        counts_of(before, n, randomiser)
                        - counts_of(after, n - 1, randomiser)
                        + 0 * after
                    )
                ),
                "its count 0",
            ),
            (
                lambda before, after, n, randomiser: (
                    counts_of(before, n, randomiser) - counts_of(after, n - 1, randomiser)
                ),
                "compare them",
            ),
        ],
        right=[departed, tried],
    ),
    "reconstruct": Answers(
        wrong=[
            (
                lambda losses, n, randomiser: rebuilt(losses, n, randomiser, more=0),
                "with the one that is added",
            ),
            (
                lambda losses, n, randomiser: rebuilt(losses, n, randomiser, own=randomiser.T),
                "for every randomiser",
            ),
            (k_ary_randomised_response_only, "for every randomiser"),
            (
                lambda losses, n, randomiser: rebuilt(losses, n, randomiser) / n,
                "First find the average",
            ),
            (
                lambda losses, n, randomiser: rebuilt(losses, n, randomiser)[:-1],
                "First find the average",
            ),
        ],
        right=[
            lambda losses, n, randomiser: np.rint(rebuilt(losses, n, randomiser)).astype(int),
            lambda losses, n, randomiser: rebuilt(losses, n, randomiser).tolist(),
        ],
    ),
}
