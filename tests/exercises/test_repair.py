"""Plausible wrong answers to the exercises of *A repair* are refused."""

import math

import numpy as np
from scipy.stats import hypergeom

from pdpbook import draws_epsilon
from pdpbook.audit import safe_randomiser
from pdpbook.audit.safe_randomisers import is_safe
from tests.tools.answers import answer_tests


def margin(bins, epsilon, delta, tail, *, union=False):
    t = 0
    while True:
        single = tail(epsilon, t)
        whole = bins * single if union else -math.expm1(bins * math.log1p(-min(single, 1 - 1e-16)))
        if whole <= delta:
            return t
        t += 1


def above(epsilon, t):
    return math.exp(-epsilon * (t + 1)) / (1 + math.exp(-epsilon))


def condition(randomiser, lower, epsilon, *, slope=None, empty=True, occupied_only=False):
    mass = lower @ randomiser + (empty * (lower == 0))[:, None] * randomiser
    slope = slope or (1 - math.exp(-epsilon))
    fits = (randomiser <= slope * mass * (1 + 1e-12)).all(axis=1)
    return bool(fits[lower > 0].all() if occupied_only else fits.all())


def first(public, size, n, level, tail):
    c = 0
    while c < n and tail(c, public, size, n) <= level:
        c += 1
    return c


def budget(epsilon, delta, share, draws, at_least, *, rest=None, part=0.5):
    rest = (1 - share) * epsilon if rest is None else rest
    low, high = rest / draws / 2, 2 * rest + 1
    while high / low > 1 + 1e-5:
        middle = math.sqrt(low * high)
        cost = draws_epsilon(at_least, middle, draws=draws, delta=delta * part)
        low, high = (middle, high) if cost <= rest else (low, middle)
    return low


def blurred(mean, lower, epsilon, *, share):
    bins = len(mean)
    return (1 - share) * np.eye(bins) + share / bins


WRONG = {
    "margin": [
        (
            lambda k, e, d: margin(k, e, d, lambda e, t: 2 * above(e, t)),
            "both signs taken into account",
        ),
        (
            lambda k, e, d: margin(k, e, d, lambda e, t: math.exp(-e * t) / (1 + math.exp(-e))),
            "both signs taken into account",
        ),
        (lambda k, e, d: margin(1, e, d, above), "All K of them must stay below"),
        (lambda k, e, d: math.ceil(math.log(k / d) / e), "returned 24."),
        (lambda k, e, d: -math.log(d * (1 + math.exp(-e)) / k) / e, "t is a whole number"),
    ],
    "safe": [
        (lambda p, low, e: condition(p, low, e, empty=False), "case 4 of 36"),
        (
            lambda p, low, e: condition(p, low, e, occupied_only=True),
            "the slope does not depend on n",
        ),
        (
            lambda p, low, e: condition(p, low, e, slope=1 - math.exp(-e) * (1 - 1 / low.sum())),
            "case 33 of 36",
        ),
        (
            lambda p, low, e: condition(p, low, e, slope=math.expm1(e)),
            "Every bin counts, empty ones too",
        ),
        (lambda p, low, e: True, "Every bin counts, empty ones too"),
    ],
    "again": [
        (
            lambda a, size, n, level: first(
                a, size, n, level, lambda c, a, s, n: hypergeom.cdf(c - 1, s + n, a + c, n)
            ),
            "public ones and c others",
        ),
        (
            lambda a, size, n, level: first(
                a, size, n, level, lambda c, a, s, n: hypergeom.cdf(c, s + n, a, n)
            ),
            "public ones and c others",
        ),
        (lambda a, size, n, level: int(a * n / size), "returned 100."),
        (
            lambda a, size, n, level: max(int(a * n / size - 3 * math.sqrt(a * n / size)), 0),
            "more likely than the level",
        ),
    ],
    "cost": [
        (lambda e, d, share, m, n: (1 - share) * e / m, "more epsilon_2 must cost too much"),
        (
            lambda e, d, share, m, n: budget(e, d, share, m, n, rest=share * e * 1.5),
            "what the histogram leaves",
        ),
        (lambda e, d, share, m, n: budget(e, d, share, m, n, rest=e), "with half of delta"),
        (lambda e, d, share, m, n: budget(e, d, share, m, 10**9), "what the histogram leaves"),
    ],
    "by-hand": [
        (lambda m, low, e: np.eye(len(m)), "Not safe"),
        (
            lambda m, low, e: np.tile(m / m.sum(), (len(m), 1)),
            "Equal rows are a histogram, not a randomiser",
        ),
        (lambda m, low, e: blurred(m, low, e, share=0.9), "Safe, but its divergence"),
        (lambda m, low, e: blurred(m, low, e, share=1e-4), "Not safe"),
        (lambda m, low, e: m, "one distribution for each bin"),
    ],
}
RIGHT = {
    "margin": [lambda k, e, d: margin(k, e, d, above)],
    "safe": [lambda p, low, e: is_safe(p, low, epsilon=e), condition],
    "again": [
        lambda a, size, n, level: first(
            a, size, n, level, lambda c, a, s, n: hypergeom.sf(a - 1, s + n, a + c, s)
        )
    ],
    "cost": [budget],
    "by-hand": [
        lambda m, low, e: safe_randomiser(
            np.rint(m).astype(int), low, epsilon=e, noise=0.5, actions="blur"
        )
    ],
}

test_wrong_answers, test_right_answers = answer_tests("repair", WRONG, RIGHT)
