"""Checks of the exercises in *Audits from outputs*."""

import itertools
import math

import numpy as np

from pdpbook.audit.empirical import audit_power, clopper_pearson_epsilon, one_run_epsilon
from pdpbook_exercises.checking import assert_close, assert_equal, exercise


@exercise("audits-from-outputs/event")
def event(answer, rng):
    equal = (
        "P(E) - P'(E) is a sum over the outputs of E. Which outputs increase the sum? An output "
        "that is equally likely under both distributions changes nothing."
    )
    adds = "An output adds the term P(x) - e^ε P'(x). When is this term positive?"
    all_of_them = "Take all outputs that increase the sum, not only the one with the largest ratio."
    only = "An output that only P reaches belongs to the event for every epsilon."
    cases = [
        ([0.5, 0.25, 0.25, 0.0], [0.25, 0.25, 0.5, 0.0], 0.0, equal),
        ([0.5, 0.3, 0.2], [0.2, 0.25, 0.55], 0.5, adds),
        ([0.45, 0.3, 0.25, 0.0], [0.1, 0.05, 0.25, 0.6], 1.0, all_of_them),
        ([0.5, 0.5, 0.0], [0.5, 0.0, 0.5], 2.0, only),
        ([0.5, 0.5], [0.4, 0.6], 1.0, "No event refutes this claim: the best event is empty."),
    ]
    for size in rng.integers(2, 7, 3):
        cases.append((*rng.dirichlet(np.ones(size), 2), rng.uniform(0, 1.5), adds))
    for present, absent, epsilon, hint in cases:
        p, q = np.array(present), np.array(absent)
        assert_equal(answer(p, q, epsilon), p > math.exp(epsilon) * q, hint)


@exercise("audits-from-outputs/ceiling")
def ceiling(answer, rng):
    drawn = [(int(rng.integers(2, 10**5)), rng.uniform(0.8, 0.999)) for _ in range(3)]
    for runs, confidence in [(100, 0.95), (1, 0.95), (7, 0.9), (10**9, 0.95), (50, 0.999), *drawn]:
        right, whole, usual = (
            clopper_pearson_epsilon(runs, runs, 0, runs, confidence=each)
            for each in (confidence, 2 * confidence - 1, 0.95)
        )
        assert_close(
            answer(runs, confidence),
            right,
            "With N successes in N runs, g is a power of p: set it equal to the error and solve "
            "for p. The upper limit for no successes is 1 minus the lower limit for N successes.",
            {
                "Each of the two limits may fail with half of the error probability.": whole,
                "The confidence need not be 0.95. How does the answer depend on it?": usual,
            },
            rtol=1e-9,
            atol=1e-12,
        )


@exercise("audits-from-outputs/canaries")
def canaries(answer, rng):
    hint = (
        "Your number of right guesses must prove more than epsilon, and one guess fewer must not. "
        "If all guesses are right, f is a power of q: when is this power at most the error?"
    )
    drawn = rng.uniform([0.2, 0.8], [5, 0.99], (3, 2))
    for epsilon, confidence in [(0.5, 0.95), (1.0, 0.95), (2.0, 0.99), (8.0, 0.95), *drawn]:
        count = answer(epsilon, confidence)
        assert count == int(count) and count >= 1, f"It is a whole number, at least 1. {hint}"
        count = int(count)
        proved = one_run_epsilon(count, count, confidence=confidence)
        assert proved > epsilon, f"Too few: this number of guesses proves {proved:.4g}. {hint}"
        fewer = one_run_epsilon(count - 1, count - 1, confidence=confidence)
        assert fewer <= epsilon, f"Too many: one guess fewer is enough. {hint}"


def audit(rng):
    if rng is None:
        return {"epsilon": 1.0, "runs": 1000, "loss": 5.0}
    return {
        "epsilon": round(rng.uniform(0.5, 2.0), 2),
        "runs": 100 * int(rng.integers(5, 21)),
        "loss": round(rng.uniform(4.0, 7.0), 1),
    }


@exercise("audits-from-outputs/hide", mine=audit)
def hide(answer, mine):
    form = "Give two vectors of equal length, from 2 to 8, with entries above 0 that sum to 1."
    shapes = [np.shape(each) for each in answer]
    assert shapes in [[(k,), (k,)] for k in range(2, 9)], form
    present, absent = pair = np.array(answer, dtype=float)
    assert (pair > 0).all() and np.allclose(pair.sum(axis=1), 1, rtol=0, atol=1e-9), form
    assert abs(np.log(present / absent)).max() >= mine["loss"], (
        f"The largest log-ratio must be at least {mine['loss']}, in either direction."
    )
    hint = (
        "How often does the revealing output occur in this number of runs? And what do the other "
        "outputs reveal? They may reveal as much as your claim allows."
    )
    for outputs in itertools.product([0.0, 1.0], repeat=len(present)):
        rates = np.minimum(pair @ outputs, 1)
        chance = audit_power(max(rates), min(rates), runs=mine["runs"], epsilon=mine["epsilon"])
        assert chance <= 0.1, (
            f"In {chance:.1%} of the audits an event proves more than {mine['epsilon']}. {hint}"
        )
    distance, wanted = abs(present - absent).sum() / 2, 0.95 * math.tanh(mine["epsilon"] / 2)
    assert distance >= wanted, (
        f"The loss is hidden, but the distance is {distance:.4f}, less than {wanted:.4f}. {hint}"
    )
