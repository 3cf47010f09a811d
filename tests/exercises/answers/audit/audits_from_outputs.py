"""Answers to the exercises of *Audits from outputs*."""

import itertools
import math

import numpy as np

from pdpbook.audit.empirical import clopper_pearson_epsilon
from tests.tools.answers import Answers


def tried(present, absent, epsilon):
    """Right: the best of all events, the one with the fewest outputs."""
    gain = present - math.exp(epsilon) * absent
    events = map(np.array, itertools.product([False, True], repeat=len(present)))
    return max(events, key=lambda event: (round(float(event @ gain), 12), -event.sum()))


def guess(epsilon):
    """What a right guess adds to the logarithm of 1 / error."""
    return math.log1p(math.exp(-epsilon))


def hidden(mine, *, rare=None, claim=None):
    """Randomised response at the claim, and an output with the large loss that is rare."""
    rare = 0.5 / mine["runs"] if rare is None else rare
    q = 1 / (1 + math.exp(-(mine["epsilon"] if claim is None else claim)))
    almost_never = rare * math.exp(-mine["loss"] - 0.1)
    present = np.array([rare, (1 - rare) * q, (1 - rare) * (1 - q)])
    absent = np.array([almost_never, (1 - almost_never) * (1 - q), (1 - almost_never) * q])
    return present, absent


ANSWERS = {
    "event": Answers(
        [tried],
        (lambda p, q, epsilon: p > q, "P(x) - e^ε P'(x)"),
        (lambda p, q, epsilon: p >= math.exp(epsilon) * q, "changes nothing"),
        (lambda p, q, e: (p > math.exp(e) * q) & (p == p.max()), "only the one with the largest"),
        (lambda p, q, epsilon: (q > 0) & (p > math.exp(epsilon) * q), "only P reaches"),
    ),
    "ceiling": Answers(
        [lambda n, c: clopper_pearson_epsilon(n, n, 0, n, confidence=c)],
        (lambda n, c: math.log(n / 3.7), "g is a power of p"),
    ),
    "canaries": Answers(
        [lambda e, c: next(r for r in range(1, 10**5) if r * guess(e) >= -math.log(1 - c))],
        (lambda e, c: math.ceil(-math.log(1 - c) / guess(0)), "guesses proves 0.1978"),
        (lambda e, c: math.ceil(math.log(2 / (1 - c)) / guess(e)), "one guess fewer is enough."),
        (lambda e, c: -math.log(1 - c) / guess(e), "returned 6.31908"),
        (lambda e, c: 0, "returned 0."),
    ),
    "hide": Answers(
        lambda mine: [[each.tolist() for each in hidden(mine)[::-1]], hidden(mine, rare=1e-6)],
        lambda mine: [
            ((np.array([0.5, 0.5]), np.array([0.5, 0.5])), "must be at least"),
            (hidden(mine, rare=0.05), "an event proves more than"),
            ((np.ones(2) / 2, np.ones(3) / 3), "equal length"),
            ((np.array([1e-4, 0.8, 0.2]), np.array([1e-7, 0.2, 0.8])), "sum to 1"),
            (hidden(mine, claim=0.8 * mine["epsilon"]), "The loss is hidden, but the distance"),
            ((np.array([1.0, 0.0]), np.array([0.5, 0.5])), "entries above 0"),
        ],
    ),
}
