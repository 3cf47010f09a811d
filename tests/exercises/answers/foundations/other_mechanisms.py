"""Answers to the exercises of *Other mechanisms*."""

import math

import numpy as np

import pdpbook as pb
from tests.tools.answers import Answers


def choose(utilities, sensitivity, epsilon, rng, size, *, factor=2.0, gumbel=True):
    rated = epsilon * utilities / (factor * sensitivity)
    noise = rng.gumbel if gumbel else rng.laplace
    return (rated + noise(size=(size, len(rated)))).argmax(axis=1)


def by_inversion(utilities, sensitivity, epsilon, rng, size):
    weights = np.exp(epsilon * utilities / (2 * sensitivity))
    return np.searchsorted(np.cumsum(weights) / weights.sum(), rng.random(size))


def staircase(epsilon, share):
    fall = math.exp(-epsilon)
    high, low = share, (1 - share) * fall
    inside = (high * share / 2 + low * (1 + share) / 2) / (high + low)
    return fall / (1 - fall) + inside


def one_end(sensitivity, epsilon):
    return sensitivity / math.log((1 + math.exp(epsilon)) / 2)


def mean_of_sum(values, epsilon, rng, sensitivity=24_000, parts=1):
    """Heights as they are, not as differences from the middle of the range."""
    sums = [int(np.round(100 * each).sum()) for each in np.array_split(values, parts)]
    noise = {"sensitivity": sensitivity, "epsilon": epsilon, "rng": rng}
    return sum(pb.geometric_mechanism(each, **noise) for each in sums) / (100 * len(values))


ANSWERS = {
    "one-sided-scale": Answers([one_end], (lambda d, e: one_end(1.0, e) / d, "Let W tend")),
    "gumbel": Answers(
        [by_inversion],
        (lambda *case: choose(*case, factor=1.0), "The frequencies"),
        (lambda *case: choose(*case, gumbel=False), "The frequencies"),
        (lambda *case: choose(*case)[:10], "Its shape is (10,)"),
    ),
    "staircase": Answers(
        [staircase],
        (lambda e, s: staircase(e, 1 - s), "Where is the middle of each part?"),
        (lambda e, s: 1 / e, "Where is the middle of each part?"),
        (lambda e, s: -staircase(e, s), "The sign is wrong."),
    ),
    "private-mean": Answers(
        [mean_of_sum],
        (lambda values, e, rng: values.mean(), "not have the right size"),
        (lambda values, e, rng: values.mean() + rng.laplace(), "not a whole number of hundredths"),
        (lambda values, e, rng: mean_of_sum(values, e, rng) + 5, "are not centred"),
        (lambda *case: mean_of_sum(*case, 15_000, parts=2), "Call pb.geometric_mechanism once."),
        (lambda *case: mean_of_sum(*case, sensitivity=9000), "can add to *your* sum"),
        (lambda values, e, rng: mean_of_sum(values, 1.2 * e, rng), "the given ε"),
    ),
}
