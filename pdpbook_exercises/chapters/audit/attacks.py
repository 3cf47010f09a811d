"""Checks of the exercises in *Attacks*."""

from math import log

import numpy as np

from pdpbook_exercises.checking import assert_close, exercise

CLUB = [0.462, 0.333, 0.205], [0.540, 0.385, 0.075]
PLAIN = [0.5, 0.25, 0.25, 0.0], [0.25, 0.25, 0.5, 0.0]
NEAR = [0.05, 0.55, 0.4], [0.01, 0.44, 0.55]
ONLY = [0.5, 0.5, 0.0], [0.5, 0.0, 0.5]


@exercise("attacks/score")
def score(answer, rng):
    usual = (
        "Each draw adds ln P(x)/P'(x): which of the two is in the numerator? Repeated draws count "
        "as often as they occur."
    )
    tiny = "A product of 2,000 ratios may be too large or too small for a float. Add logarithms."
    cases = [
        ([0, 0, 2, 1, 0], PLAIN, usual),
        ([1, 1], PLAIN, "An output with ratio 1 tells nothing."),
        ([2] * 2000, PLAIN, tiny),
        ([0, 1, 0], ONLY, "Only P reaches output 1, so the record is present: plus infinity."),
        ([2, 0], ONLY, "P never reaches output 2, so the record is absent: minus infinity."),
        ([0, 0], ONLY, "Bins that were not drawn tell nothing: beware of 0 times infinity."),
    ]
    for size in rng.integers(2, 7, 3):
        pair = rng.dirichlet(np.ones(size), 2)
        cases.append((rng.choice(size, rng.integers(1, 30), p=pair[0]), pair, usual))
    for draws, pair, hint in cases:
        p, q = np.array(pair)
        assert_close(answer(np.array(draws), p, q), np.log(p[draws] / q[draws]).sum(), hint)


@exercise("attacks/power")
def power(answer, rng):
    first = 'The test says "in" at the output with the largest ratio P(x)/P\'(x), and at no other.'
    order = "The largest ratio need not belong to the largest probability or difference."
    between = (
        'Alpha falls between two thresholds: at the next output the test says "in" with a '
        "probability that uses up the rest of alpha."
    )
    cases = [
        (PLAIN, 0.25, first),
        (NEAR, 0.01, order),
        (NEAR, 0.2, between),
        (ONLY, 0.0, 'Without false positives, say "in" only at outputs that only P reaches.'),
        (ONLY, 0.75, "Once all outputs of P are covered, the true-positive rate stays at 1."),
        (PLAIN, 1.0, 'A test that always says "in" always finds the record.'),
    ]
    for size in rng.integers(2, 7, 3):
        cases.append((rng.dirichlet(np.ones(size), 2), rng.uniform(), between))
    for pair, alpha, hint in cases:
        p, q = np.array(pair)
        thresholds = [0, *p[q > 0] / q[q > 0]]
        # Each t bounds the power of every test from above; the least bound is attained.
        right = min(t * alpha + np.maximum(p - t * q, 0).sum() for t in thresholds)
        assert_close(answer(p, q, alpha), right, hint)


@exercise("attacks/draws")
def draws(answer, rng):
    drawn = [(rng.dirichlet(np.ones(k), 2), rng.uniform(0.05, 0.95)) for k in rng.integers(2, 7, 3)]
    for pair, a in [(CLUB, 0.5), (PLAIN, 0.9), (NEAR, 0.05), (ONLY, 0.3), *drawn]:
        p, q = np.array(pair)
        logs = np.array([log(1 - a**2) / 2, log(1 - a)])
        needed = np.ceil(logs / log(np.sqrt(p * q).sum()))
        assert_close(
            answer(p, q, a),
            needed,
            "The first number comes from the upper bound of the proposition, and the second from "
            "the lower bound. Solve each for m, and round up to a whole number of draws.",
            {
                "The two numbers are exchanged: fewer draws suffice to escape the upper bound "
                "than to be sure of the lower bound.": needed[::-1],
                "That is not the affinity: add the square roots of the products.": (
                    np.ceil(logs / log(np.minimum(p, q).sum()))
                ),
            },
        )
