"""Answers to the exercises of *What a released statistic tells about each record*."""

import numpy as np

from pdpbook.foundations.mechanisms import analytic_gaussian_sigma
from tests.naive import least_squares
from tests.tools.answers import Answers


def refitted(features, response):
    """The definition: a fit without each record."""
    errors = []
    for i in range(len(response)):
        others = np.delete(features, i, axis=0), np.delete(response, i)
        errors.append(response[i] - features[i] @ least_squares(*others))
    return np.mean(np.square(errors))


def joined(features, response, candidate, lower, upper, sigma):
    """The definition: a fit with the record, at both ends."""
    before = least_squares(features, response)
    wider = np.vstack([features, candidate])
    fits = [least_squares(wider, np.r_[response, end]) for end in (lower, upper)]
    return max(np.linalg.norm(after - before) for after in fits) / sigma


def by_records(changes, epsilon, delta):
    """The largest of the noises that each record needs."""
    promise = {"epsilon": epsilon, "delta": delta}
    lengths = [float(length) for length in np.linalg.norm(changes, axis=1) if length > 0]
    return max(analytic_gaussian_sigma(sensitivity=each, **promise) for each in lengths)


ANSWERS = {
    "sum-and-count": Answers([lambda values, s, c: [abs(value) / s + 1 / c for value in values]]),
    "leave-one-out": Answers([refitted]),
    "join": Answers([joined]),
    "sigma": Answers([by_records]),
}
