"""Answers to the exercises of *Attacks*."""

import math

import numpy as np
from scipy.optimize import linprog

from tests.tools.answers import Answers


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
        [score],
        (lambda draws, p, q: np.log(np.prod(p[draws]) / np.prod(q[draws])), "Add logarithms"),
        (lambda draws, p, q: score(np.unique(draws), p, q), "as often as they occur"),
        (lambda draws, p, q: score(draws, p + 1e-9, q + 1e-9), "is present: plus infinity"),
    ),
    "power": Answers(
        [by_program],
        (
            lambda p, q, alpha: filled(p, q, alpha, rarity, split=False),
            "Alpha falls between two thresholds",
        ),
        (lambda p, q, alpha: filled(p, q, alpha, lambda p, q: q - p), "probability or difference"),
        (lambda p, q, alpha: filled(p, q, alpha, lambda p, q: -rarity(p, q)), "at no other"),
    ),
    "draws": Answers(
        [searched], (lambda p, q, a: np.floor(unrounded(p, q, a)), "round up to a whole number")
    ),
}
