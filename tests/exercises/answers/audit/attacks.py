"""Answers to the exercises of *Attacks*."""

import math

import numpy as np
from scipy.optimize import linprog

from tests.tools.answers import Answers


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


def filled(present, absent, alpha, key, split=True):
    """The outputs in the order of a key, as far as the false-positive rate goes."""
    found = left = 0.0
    for x in sorted(range(len(present)), key=lambda x: key(present[x], absent[x])):
        room = alpha - left
        if absent[x] <= room:
            found, left = found + present[x], left + absent[x]
        else:
            return found + (present[x] * room / absent[x] if split else 0.0)
    return found


def rarity(p, q):
    """How little an output speaks for the record."""
    return q / p if p > 0 else math.inf


def by_program(present, absent, alpha):
    """Right: the best test is the solution of a linear program."""
    return -linprog(-present, absent[None], [alpha], bounds=(0, 1)).fun


def searched(present, absent, advantage):
    """Right: one number of draws after another."""
    rho = affinity(present, absent)
    possible = enough = 1
    while math.sqrt(1 - rho ** (2 * possible)) < advantage:
        possible += 1
    while 1 - rho**enough < advantage:
        enough += 1
    return [possible, enough]


def affinity(present, absent):
    return np.sqrt(present * absent).sum()


def unrounded(present, absent, advantage):
    rate = math.log(affinity(present, absent))
    return np.array([math.log(1 - advantage**2) / (2 * rate), math.log(1 - advantage) / rate])


ANSWERS = {
    "score": Answers(
        wrong=[
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
        right=[score],
    ),
    "power": Answers(
        wrong=[
            (
                lambda p, q, alpha: filled(p, q, alpha, rarity, split=False),
                "Alpha falls between two thresholds",
            ),
            (lambda p, q, alpha: filled(p, q, alpha, lambda p, q: q - p), "largest difference"),
            (lambda p, q, alpha: filled(p, q, alpha, lambda p, q: -p), "largest difference"),
            (lambda p, q, alpha: filled(p, q, alpha, lambda p, q: -rarity(p, q)), "at no other"),
            (lambda p, q, alpha: alpha, "at no other"),
            (lambda p, q, alpha: p[p > q].sum(), "largest difference"),
        ],
        right=[by_program],
    ),
    "draws": Answers(
        wrong=[
            (lambda p, q, a: np.floor(unrounded(p, q, a)), "round up to a whole number"),
            (unrounded, "round up to a whole number"),
            (
                lambda p, q, a: np.ceil([1 / (1 - affinity(p, q)), 5 / (1 - affinity(p, q))]),
                "Solve each for m",
            ),
            (lambda p, q, a: searched(p, q, a)[1], "shape"),
        ],
        right=[searched],
    ),
}
