"""Answers to the exercises of *Relatives of per-instance privacy*."""

from __future__ import annotations

import numpy as np

from pdpbook_exercises.chapters.audit.relatives import noisy, ratios
from tests.tools.answers import Answers


def by_value(randomiser, n):
    low, high = ratios(np.asarray(randomiser))
    return np.maximum(np.log1p((high - 1) / n), np.abs(np.log1p((low - 1) / n)))


def blended(first, second, k):
    def crowd(labels):
        return np.unique(labels, axis=0, return_inverse=True, return_counts=True)

    sizes = []
    for labels in (first, second, np.column_stack([first, second])):
        _, place, size = crowd(labels)
        sizes.append(size[place.ravel()])
    return int(((sizes[0] >= k) & (sizes[1] >= k) & (sizes[2] < k)).sum())


ANSWERS = {
    "by-value": Answers(
        wrong=[
            (lambda r, n: by_value(r, n + 1), "entries are wrong"),
        ],
        right=[by_value, lambda r, n: by_value(r, n).tolist()],
    ),
    "blending": Answers(
        wrong=[
            (lambda first, second, k: blended(first, second, k) + 1, "Who shares both bins"),
        ],
        right=[blended, lambda first, second, k: np.int64(blended(first, second, k))],
    ),
    "thresholds": Answers(
        wrong=[
            (lambda answers: (answers == 1).sum(axis=1), "Where is the noise"),
        ],
        right=[lambda answers: (answers == 1).sum(axis=1) + noisy(answers).sum(axis=1) - 1],
    ),
}
