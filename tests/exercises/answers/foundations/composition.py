"""Answers to the exercises of *Composition*."""

import math

import numpy as np
from scipy.optimize import brentq
from scipy.stats import binom

from pdpbook.foundations.privacy import advanced_composition
from tests.tools.answers import Answers


def delta(alpha, beta, epsilon):
    return np.max(1 - np.asarray(beta) - math.exp(epsilon) * np.asarray(alpha))


def level(total, slack, count):
    def excess(epsilon):
        return advanced_composition(epsilon, draws=count, slack=slack).epsilon - total

    return max(total / count, brentq(excess, 1e-12, total, xtol=1e-15))


def sigma(epsilon, count, slack):
    a, b = count / 2, math.sqrt(2 * count * math.log(1 / slack))
    return (b + math.sqrt(b * b + 4 * a * epsilon)) / (2 * epsilon)


def leaky(epsilon, slack, *, order=(0, 1, 2, 3), kept=True):
    keep = (1 - slack if kept else 1) / (1 + math.exp(-epsilon))
    lie = (1 - slack if kept else 1) - keep
    yes, no = [slack, 0, keep, lie], [0, slack, lie, keep]
    return [[row[i] for i in order] for row in (yes, no)]


def advantage(epsilon, count):
    p = 1 / (1 + math.exp(-epsilon))
    j = np.arange(count + 1)
    return np.abs(binom.pmf(j, count, p) - binom.pmf(j, count, 1 - p)).sum() / 2


ANSWERS = {
    "delta-from-curve": Answers([delta]),
    "level-per-answer": Answers(
        [level], (lambda total, slack, count: total / math.sqrt(count), "take the larger solution")
    ),
    "best-order": Answers([sigma], (lambda e, k, d: sigma(e, 1, d), "solve a quadratic equation")),
    "leaky-response": Answers(
        [leaky],
        (lambda e, d: leaky(e, d)[0], "two rows of four"),
        (lambda e, d: leaky(e, d, kept=False), "Each row must be a distribution."),
        (lambda e, d: leaky(e, d, order=(1, 0, 2, 3)), "the leaks, are wrong"),
        (lambda e, d: leaky(e, d, order=(0, 1, 3, 2)), "the randomised response is wrong"),
        (lambda e, d: leaky(2 * e, d), "It is not (ε, δ)-DP"),
    ),
    "repeated-advantage": Answers([advantage]),
}
