"""Answers to the exercises of *A repair*."""

import math

import numpy as np

from pdpbook.audit.accounting import draws_epsilon
from pdpbook.audit.safe_randomisers import safe_randomiser
from tests.tools.answers import Answers


def margin(bins, epsilon, delta, sides=1):
    """The noise of a bin is above t with the probability e^(-ε(t + 1)) / (1 + e^(-ε))."""
    t, above = 0, sides * math.exp(-epsilon) / (1 + math.exp(-epsilon))
    while above >= 1 or -math.expm1(bins * math.log1p(-above)) > delta:
        t, above = t + 1, above * math.exp(-epsilon)
    return t


def condition(randomiser, lower, epsilon, *, empty=True, occupied_only=False):
    mass = lower @ randomiser + (empty * (lower == 0))[:, None] * randomiser
    fits = (randomiser <= (1 - math.exp(-epsilon)) * mass * (1 + 1e-12)).all(axis=1)
    return bool(fits[lower > 0].all() if occupied_only else fits.all())


def strict(p, low, e):
    mass = [np.maximum(low, one) @ p for one in np.eye(len(low))]
    return bool((p < (1 - math.exp(-e)) * np.array(mass)).all())


def budget(epsilon, delta, share, draws, at_least, *, rest=None):
    rest = (1 - share) * epsilon if rest is None else rest
    low, high = rest / draws / 2, 2 * rest + 1
    while high / low > 1 + 1e-5:
        middle = math.sqrt(low * high)
        cost = draws_epsilon(at_least, middle, draws=draws, delta=delta / 2)
        low, high = (middle, high) if cost <= rest else (low, middle)
    return low


ANSWERS = {
    "margin": Answers(
        [margin],
        (lambda *case: margin(*case, sides=2), "that can have either sign"),
        (lambda k, e, d: margin(1, e, d), "None of the K noise values may exceed t"),
        (lambda k, e, d: -math.log(d * (1 + math.exp(-e)) / k) / e, "t is a whole number"),
    ),
    "safe": Answers(
        [condition],
        (lambda p, low, e: condition(p, low, e, empty=False), "But every bin, occupied or"),
        (lambda p, low, e: condition(p, low, e, occupied_only=True), "which is empty, breaks"),
        (lambda p, low, e: True, "Every bin and every output counts"),
        (strict, "satisfies the condition on every output"),
        (lambda p, low, e: "no", "True or False"),
    ),
    "cost": Answers(
        [budget, lambda *given: 1.0008 * budget(*given), lambda *given: budget(*given) / 1.0008],
        (lambda e, d, share, m, n: (1 - share) * e / m, "a larger epsilon_2 must cost too much"),
        (lambda *given: 0.0, "the draws may cost the part of epsilon"),
        (lambda e, d, share, m, n: budget(e, d, share, m, n, rest=e), "With half of delta"),
        (lambda e, d, share, m, n: budget(e, d, share, m, 10**9), "that the histogram leaves"),
    ),
    "by-hand": Answers(
        [
            lambda m, low, e: safe_randomiser(
                np.rint(m).astype(int), low, epsilon=e, histogram_epsilon=0.5, actions="blur"
            )
        ],
        (lambda m, low, e: np.eye(len(m)), "not safe"),
        (
            lambda m, low, e: np.tile(m / m.sum(), (len(m), 1)),
            "Equal rows release a histogram, not a randomised record",
        ),
        (lambda m, low, e: 0.1 * np.eye(len(m)) + 0.9 / len(m), "safe, but its divergence"),
        (lambda m, low, e: m, "one distribution for each bin"),
    ),
}
