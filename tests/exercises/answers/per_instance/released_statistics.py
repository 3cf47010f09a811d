"""Answers to the exercises of *What a released statistic tells about each record*."""

import numpy as np

from pdpbook.foundations.mechanisms import analytic_gaussian_sigma
from tests.tools.answers import Answers


def refitted(features, response):
    """The definition: a fit without each record."""
    errors = []
    for i in range(len(response)):
        others = np.delete(features, i, axis=0), np.delete(response, i)
        errors.append(response[i] - features[i] @ np.linalg.lstsq(*others, rcond=None)[0])
    return np.mean(np.square(errors))


def joined(features, response, candidate, lower, upper, sigma, farther=max):
    """The definition: a fit with the record, at both ends."""
    before = np.linalg.lstsq(features, response, rcond=None)[0]
    lengths = [
        np.linalg.norm(
            np.linalg.lstsq(np.vstack([features, candidate]), np.r_[response, end], rcond=None)[0]
            - before
        )
        for end in (lower, upper)
    ]
    return farther(lengths) / sigma


def by_records(changes, epsilon, delta):
    """The largest of the noises that each record needs."""
    return max(
        analytic_gaussian_sigma(sensitivity=float(length), epsilon=epsilon, delta=delta)
        for length in np.linalg.norm(np.asarray(changes), axis=1)
        if length > 0
    )


ANSWERS = {
    "sum-and-count": Answers([lambda values, s, c: [abs(value) / s + 1 / c for value in values]]),
    "leave-one-out": Answers([refitted]),
    "join": Answers([joined]),
    "sigma": Answers([by_records]),
}
