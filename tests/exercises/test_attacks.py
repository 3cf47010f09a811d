"""Plausible wrong answers to the exercises of *Attacks and audits* are refused, right ones pass."""

import math

import numpy as np

from pdpbook.audit import clopper_pearson_epsilon
from tests.tools.answers import answer_tests


def histogram(draws, present):
    return np.bincount(draws, minlength=present.size)


def score(draws, present, absent):
    """Right, one draw after another."""
    total = 0.0
    for x in draws:
        if absent[x] == 0:
            return math.inf
        if present[x] == 0:
            return -math.inf
        total += math.log(present[x] / absent[x])
    return total


def from_histogram(draws, present, absent):
    """Right as long as no score is infinite: 0 times infinity is nan."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return histogram(draws, present) @ np.log(present / absent)


def product(draws, present, absent):
    with np.errstate(all="ignore"):
        return np.log(np.prod(present[draws]) / np.prod(absent[draws]))


def ceiling(runs, confidence, half=2.0):
    limit = ((1 - confidence) / half) ** (1 / runs)
    return max(0.0, math.log(limit / -math.expm1(math.log(limit))))


def rebuilt(losses, n, randomiser, more=1, own=None):
    table = randomiser if own is None else own
    average = np.diag(randomiser) / (1 + (n + more) * np.expm1(losses))
    return np.linalg.solve(table.T, n * average)


def k_ary_randomised_response_only(losses, n, randomiser):
    keep, other = randomiser[0, 0], randomiser[0, 1]
    average = keep / (1 + (n + 1) * np.expm1(losses))
    return n * (average - other) / (keep - other)


Q = 1 / (1 + math.exp(-1))
WRONG = {
    "score": [
        (from_histogram, "It is not a number (nan)"),
        (product, "Add logarithms"),
        (lambda draws, present, absent: score(draws, absent, present), "The sign is wrong"),
        (
            lambda draws, present, absent: score(np.unique(draws), present, absent),
            "as often as they occur",
        ),
        (
            lambda draws, present, absent: score(draws, present + 1e-9, absent + 1e-9),
            "proves the record: plus infinity",
        ),
        (
            lambda draws, present, absent: score(draws, present, absent) / len(draws),
            "Each draw adds",
        ),
    ],
    "ceiling": [
        (
            lambda runs, confidence=0.95: ceiling(runs, confidence, half=1.0),
            "half of what is allowed",
        ),
        (lambda runs, confidence=0.95: math.log(runs / 3.7), "g is a power of p"),
        (lambda runs, confidence=0.95: ceiling(runs, 0.95), "function(7, 0.9)"),
        (lambda runs, confidence=0.95: math.inf, "It is infinite"),
        (
            lambda runs, confidence=0.95: math.log(
                ((1 - confidence) / 2) ** (1 / runs) / (1 - ((1 - confidence) / 2) ** (1 / runs))
            ),
            "It is negative",
        ),
    ],
    "canaries": [
        (
            lambda epsilon, confidence=0.95: math.ceil(
                math.log(1 / (1 - confidence)) / math.log(2)
            ),
            "returned 5. Your number must prove more",
        ),
        (
            lambda epsilon, confidence=0.95: math.ceil(
                math.log(2 / (1 - confidence)) / math.log1p(math.exp(-epsilon))
            ),
            "returned 8. Your number",
        ),
        (
            lambda epsilon, confidence=0.95: (
                -math.log(1 - confidence) / math.log1p(math.exp(-epsilon))
            ),
            "returned 6.31908",
        ),
        (
            lambda epsilon, confidence=0.95: math.floor(
                -math.log(1 - confidence) / math.log1p(math.exp(-epsilon))
            ),
            "one guess fewer must not",
        ),
        (lambda epsilon, confidence=0.95: 0, "returned 0."),
    ],
    "reconstruct": [
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
    "hide": [
        ((np.array([0.5, 0.5]), np.array([0.5, 0.5])), "at least 5"),
        ((np.array([0.99, 0.01]), np.array([0.01, 0.99])), "at least 5"),
        (
            (np.array([0.05, 0.95]), np.array([0.05 * math.exp(-6), 1 - 0.05 * math.exp(-6)])),
            "more than 1 in more than a tenth",
        ),
        ((np.array([1e-4, 0.8, 0.2]), np.array([1e-7, 0.2, 0.8])), "equal length"),
        (
            (np.array([0.2, 0.8 - 1e-4, 1e-4]), np.array([0.8, 0.2 - 1e-7, 1e-7])),
            "more than 1 in more than a tenth",
        ),
        ((np.array([1.0, 0.0]), np.array([0.5, 0.5])), "entries above 0"),
        ((np.ones(3), np.ones(3)), "sum to 1"),
    ],
}

RIGHT = {
    "score": [score],
    "ceiling": [
        lambda runs, confidence=0.95: clopper_pearson_epsilon(
            runs, runs, 0, runs, confidence=confidence
        ),
        ceiling,
    ],
    "canaries": [
        lambda epsilon, confidence=0.95: next(
            r
            for r in range(1, 10**5)
            if r * -math.log1p(math.exp(-epsilon)) <= math.log(1 - confidence)
        ),
    ],
    "reconstruct": [
        lambda losses, n, randomiser: np.rint(rebuilt(losses, n, randomiser)).astype(int),
        lambda losses, n, randomiser: rebuilt(losses, n, randomiser).tolist(),
    ],
    "hide": [
        (np.array([2e-4, 1 - 2e-4]), np.array([1e-6, 1 - 1e-6])),
        ([1e-6, 1 - 1e-6], [2e-4, 1 - 2e-4]),
        (np.array([1e-3, 0.999 * Q, 0.999 * (1 - Q)]), np.array([6e-6, 1 - Q, Q - 6e-6])),
    ],
}

test_wrong_answers, test_right_answers = answer_tests("attacks", WRONG, RIGHT)
