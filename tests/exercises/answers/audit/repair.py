"""Answers to the exercises of *A repair*."""

import math

import numpy as np

from pdpbook.audit.accounting import draws_epsilon
from pdpbook.audit.safe_randomisers import safe_randomiser
from tests.tools.answers import Answers


def margin(bins, epsilon, delta, tail):
    t = 0
    while True:
        single = tail(epsilon, t)
        whole = -math.expm1(bins * math.log1p(-min(single, 1 - 1e-16)))
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


def mass_with(p, low, k):
    return np.maximum(low, np.eye(len(low))[k]) @ p


def strict(p, low, e):
    return all((p[k] < (1 - math.exp(-e)) * mass_with(p, low, k)).all() for k in range(len(low)))


def at_least_one(p, low, e):
    """Right, but what it was given is another lower bound afterwards."""
    fits = []
    for k in range(len(low)):
        before = low[k]
        low[k] = max(before, 1)
        fits.append((p[k] <= (1 - math.exp(-e)) * (low @ p) * (1 + 1e-12)).all())
        low[k] = before
    low[:] = np.maximum(low, 1)
    return all(fits)


def budget(epsilon, delta, share, draws, at_least, *, rest=None):
    rest = (1 - share) * epsilon if rest is None else rest
    low, high = rest / draws / 2, 2 * rest + 1
    while high / low > 1 + 1e-5:
        middle = math.sqrt(low * high)
        cost = draws_epsilon(at_least, middle, draws=draws, delta=delta / 2)
        low, high = (middle, high) if cost <= rest else (low, middle)
    return low


def mixed(mean, lower, epsilon, *, share):
    bins = len(mean)
    return (1 - share) * np.eye(bins) + share / bins


ANSWERS = {
    "margin": Answers(
        [lambda k, e, d: margin(k, e, d, above)],
        (
            lambda k, e, d: margin(k, e, d, lambda e, t: 2 * above(e, t)),
            "both signs taken into account",
        ),
        (lambda k, e, d: margin(1, e, d, above), "None of the K noises may exceed t"),
        (lambda k, e, d: -math.log(d * (1 + math.exp(-e)) / k) / e, "t is a whole number"),
    ),
    "safe": Answers(
        [condition],
        (lambda p, low, e: condition(p, low, e, empty=False), "But every bin, occupied or"),
        (lambda p, low, e: condition(p, low, e, occupied_only=True), "which is empty, breaks"),
        (lambda p, low, e: True, "Every bin and every output counts"),
        (strict, "fulfils the condition on every output"),
        (at_least_one, "changed what it was given"),
        (lambda p, low, e: "no", "True or False"),
    ),
    "cost": Answers(
        [budget, lambda *given: 1.0008 * budget(*given), lambda *given: budget(*given) / 1.0008],
        (lambda e, d, share, m, n: (1 - share) * e / m, "more epsilon_2 must cost too much"),
        (lambda e, d, share, m, n: budget(e, d, share, m, n, rest=e), "with half of delta"),
        (lambda e, d, share, m, n: budget(e, d, share, m, 10**9), "what the histogram leaves"),
    ),
    "by-hand": Answers(
        [
            lambda m, low, e: safe_randomiser(
                np.rint(m).astype(int), low, epsilon=e, histogram_epsilon=0.5, actions="blur"
            )
        ],
        (lambda m, low, e: np.eye(len(m)), "Not safe"),
        (
            lambda m, low, e: np.tile(m / m.sum(), (len(m), 1)),
            "Equal rows are a histogram, not a randomiser",
        ),
        (lambda m, low, e: mixed(m, low, e, share=0.9), "Safe, but its divergence"),
        (lambda m, low, e: m, "one distribution for each bin"),
    ),
}
