"""Wrong answers to the exercises of *Noise mechanisms* are refused and told what is wrong."""

import math

import numpy as np

from pdpbook.foundations import analytic_gaussian_sigma
from tests.tools.answers import answer_tests


def crossover(epsilon, delta):
    sigma = analytic_gaussian_sigma(sensitivity=1.0, epsilon=epsilon, delta=delta)
    return math.floor((epsilon * sigma) ** 2 / 2) + 1


def sensitivities(changes, factor=None):
    removal = [np.abs(changes).sum(axis=1).max(), np.sqrt((changes**2).sum(axis=1)).max()]
    if factor:
        return [*removal, *(factor * each for each in removal)]
    apart = [a - b for a in changes for b in changes]
    return [*removal, max(np.abs(d).sum() for d in apart), max(np.hypot.reduce(d) for d in apart)]


def delta(scale, epsilon):
    return max(0.0, -math.expm1((epsilon - 1 / scale) / 2))


def choose(utilities, sensitivity, epsilon, rng, size, factor=2.0, gumbel=True):
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


WRONG = {
    "crossover": [
        (lambda e, d: crossover(e, d) - 1, "still no worse"),
        (lambda e, d: crossover(e, d) + 1, "One fewer is enough already."),
        (lambda e, d: 1, "watch the norms"),
    ],
    "sensitivities": [
        (lambda changes: sensitivities(changes, 2), "Twice the removal"),
        (lambda changes: sensitivities(changes, 1), "takes one row away"),
        (lambda changes: np.roll(sensitivities(changes), 2), "Removal comes first"),
        (lambda changes: sensitivities(changes)[:2], "Its shape is (2,)"),
    ],
    "gumbel": [
        (lambda *case: choose(*case, factor=1.0), "The frequencies"),
        (lambda *case: choose(*case, gumbel=False), "The frequencies"),
        (lambda *case: choose(*case)[:10], "The frequencies"),
    ],
    "laplace-delta": [
        (lambda b, e: 1 - math.exp((e - 1 / b) / 2), "no δ is needed"),
        (lambda b, e: max(0.0, 1 - math.exp(e - 1 / b)), "The value is wrong."),
        (lambda b, e: 1 - delta(b, e), "It falls as ε grows"),
    ],
    "staircase": [
        (lambda e, s: staircase(e, 1 - s), "Where is the middle of each?"),
        (lambda e, s: 1 / e, "Where is the middle of each?"),
        (lambda e, s: -staircase(e, s), "The sign is wrong."),
    ],
    "one-sided-scale": [
        (lambda d, e: d / e, "plain Laplace noise"),
        (lambda d, e: 2 * d / e, "the limit for a small epsilon"),
        (lambda d, e: one_end(1.0, e) / d, "Let W grow"),
    ],
    "private-mean": [
        (lambda values, e, rng: values.mean(), "add noise once"),
        (lambda values, e, rng: values.mean() + rng.laplace(scale=90 / e / 200), "hundredths"),
        (lambda values, e, rng: 195.0, "add noise once"),
    ],
}

RIGHT = {
    "crossover": [crossover],
    "sensitivities": [sensitivities],
    "gumbel": [choose, by_inversion],
    "laplace-delta": [delta],
    "staircase": [staircase],
    "one-sided-scale": [one_end],
}

test_wrong_answers, test_right_answers = answer_tests("noise-mechanisms", WRONG, RIGHT)
