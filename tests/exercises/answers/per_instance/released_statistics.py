"""Answers to the exercises of *What a released statistic tells about each record*."""

from __future__ import annotations

import numpy as np

from pdpbook.foundations.mechanisms import analytic_gaussian_sigma
from pdpbook_exercises.chapters.per_instance.released_statistics import (
    _variant,
)
from tests.tools.answers import Answers


def both_one_by_one(values, sum_scale, count_scale):
    return [abs(value) / sum_scale + 1 / count_scale for value in values]


def refitted(features, response):
    """The definition: a fit without each record."""
    errors = []
    for i in range(len(response)):
        others = np.delete(features, i, axis=0), np.delete(response, i)
        errors.append(response[i] - features[i] @ np.linalg.lstsq(*others, rcond=None)[0])
    return np.mean(np.square(errors))


def joined(features, response, candidate, lower, upper, sigma):
    """The definition: a fit with the record, at both ends."""
    before = np.linalg.lstsq(features, response, rcond=None)[0]
    lengths = [
        np.linalg.norm(
            np.linalg.lstsq(np.vstack([features, candidate]), np.r_[response, end], rcond=None)[0]
            - before
        )
        for end in (lower, upper)
    ]
    return max(lengths) / sigma


def by_records(changes, epsilon, delta):
    """The largest of the noises that each record needs."""
    return max(
        analytic_gaussian_sigma(sensitivity=float(length), epsilon=epsilon, delta=delta)
        for length in np.linalg.norm(np.asarray(changes), axis=1)
        if length > 0
    )


ANSWERS = {
    "sum-and-count": Answers(
        wrong=[
            (lambda v, s, c: (np.abs(v) + 1) / (s + c), "in units of its own noise"),
        ],
        right=[both_one_by_one],
    ),
    "leave-one-out": Answers(
        wrong=[
            (lambda x, y: np.mean(y**2), "when the fit was made without it"),
        ],
        right=[refitted],
    ),
    "join": Answers(
        wrong=[
            (_variant(2.0), "be removed again"),
        ],
        right=[joined, _variant(1.0)],
    ),
    "sigma": Answers(
        wrong=[
            (lambda c, e, d: 1.0, "needs the largest noise"),
        ],
        right=[by_records],
    ),
}
