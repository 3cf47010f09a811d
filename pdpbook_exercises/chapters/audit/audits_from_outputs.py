"""Self-checks of the chapter *Audits from outputs*."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdpbook.audit.empirical import audit_power, clopper_pearson_epsilon, one_run_epsilon
from pdpbook_exercises import Case, Exercise, Instances, close, equal
from pdpbook_exercises.checks.instances import Instance

__all__ = ["EXERCISES"]

CHANCE = 0.1  #: of a proof that the hidden loss may leave
NEAR = 0.95  #: of the total variation distance of randomised response at the claim

Vector = NDArray[np.float64]


def _best_event(present: Vector, absent: Vector, epsilon: float) -> NDArray[np.bool_]:
    return present > math.exp(epsilon) * absent


def _most_provable(runs: int, confidence: float = 0.95) -> float:
    return clopper_pearson_epsilon(runs, runs, 0, runs, confidence=confidence)


def _proves(epsilon: float, confidence: float) -> Callable[[Any], str]:
    def judge(answer: Any) -> str:
        count = answer(epsilon, confidence)
        if count != int(count) or count < 1:
            return "It is a whole number, at least 1."
        count = int(count)

        def bound(guesses: int) -> float:
            return one_run_epsilon(guesses, guesses, confidence=confidence) if guesses else 0.0

        if bound(count) <= epsilon:
            return f"Too few: so many right guesses prove {bound(count):.4g}."
        return "" if bound(count - 1) <= epsilon else "Too many: one guess fewer is enough."

    return judge


def _pair(answer: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    present, absent = (np.asarray(each, dtype=float) for each in answer)
    return present, absent


def _is_pair(answer: Any) -> bool:
    present, absent = _pair(answer)
    return all(
        each.ndim == 1
        and each.shape == present.shape
        and 2 <= each.size <= 8
        and bool((each > 0).all())
        and abs(each.sum() - 1.0) < 1e-9
        for each in (present, absent)
    )


def _loses(least: float) -> Callable[[Any], bool]:
    def judge(answer: Any) -> bool:
        present, absent = _pair(answer)
        return bool(np.abs(np.log(present / absent)).max() >= least)

    return judge


def _is_far_and_hidden(claim: float, runs: int) -> Callable[[Any], str]:
    def judge(answer: Any) -> str:
        both = _pair(answer)
        for event in itertools.product([0.0, 1.0], repeat=both[0].size):
            rates = [min(1.0, float(np.array(event) @ each)) for each in both]
            for p, q in (rates, rates[::-1]):
                power = audit_power(p, q, runs=runs, epsilon=claim) if p > q else 0.0
                if power > CHANCE:
                    return f"An event proves more than {claim} in {power:.1%} of the audits."
        distance = float(np.abs(both[0] - both[1]).sum() / 2)
        wanted = NEAR * math.tanh(claim / 2)
        if distance < wanted:
            return f"It is hidden, and the distance is {distance:.4f}, less than {wanted:.4f}."
        return ""

    return judge


def _drawn_audit(rng: np.random.Generator) -> Instance:
    return {
        "epsilon": round(rng.uniform(0.5, 2.0), 2),
        "runs": 100 * int(rng.integers(5, 21)),
        "loss": round(rng.uniform(4.0, 7.0), 1),
    }


def ceiling(runs, confidence, half=2.0):
    limit = ((1 - confidence) / half) ** (1 / runs)
    return max(0.0, math.log(limit / -math.expm1(math.log(limit))))


EXERCISES = {
    "event": Exercise(
        [
            equal(
                _best_event,
                np.array(present),
                np.array(absent),
                epsilon,
                hint=hint,
            )
            for present, absent, epsilon, hint in (
                (
                    [0.5, 0.25, 0.25, 0.0],
                    [0.25, 0.25, 0.5, 0.0],
                    0.0,
                    "P(E) - P'(E) is a sum over the outputs of E. Which of them add something to "
                    "it? Outputs that are equally likely change nothing.",
                ),
                (
                    [0.5, 0.3, 0.2],
                    [0.2, 0.25, 0.55],
                    0.5,
                    "An output adds P(x) minus e to the power epsilon times P'(x). Is that "
                    "positive?",
                ),
                (
                    [0.45, 0.3, 0.25, 0.0],
                    [0.1, 0.05, 0.25, 0.6],
                    1.0,
                    "Take every output that adds something, not only the one with the largest "
                    "ratio.",
                ),
                (
                    [0.5, 0.5, 0.0],
                    [0.5, 0.0, 0.5],
                    2.0,
                    "An output that only P reaches belongs to the event for every epsilon.",
                ),
                (
                    [0.5, 0.5],
                    [0.4, 0.6],
                    1.0,
                    "No event refutes this claim: the best one is empty.",
                ),
            )
        ],
        draw=lambda rng: (
            *rng.dirichlet(np.ones(int(rng.integers(2, 7))), 2),
            round(rng.uniform(0.0, 1.5), 2),
        ),
    ),
    "ceiling": Exercise(
        [
            close(
                _most_provable,
                runs,
                confidence,
                hint="With N successes of N, g is a power of p: solve it for the error. The upper "
                "limit of no successes is 1 minus that.",
                mistakes={
                    "Each of the two limits may fail with half of the error that is allowed.": (
                        lambda runs, confidence: ceiling(runs, confidence, half=1.0)
                    ),
                    "What is the confidence for, if it is not 0.95?": lambda runs, confidence: (
                        ceiling(runs, 0.95)
                    ),
                },
                rtol=1e-9,
                atol=1e-12,
            )
            for runs, confidence in ((100, 0.95), (1, 0.95), (7, 0.9), (10**9, 0.95), (50, 0.999))
        ],
        draw=lambda rng: (int(rng.integers(2, 10**5)), round(rng.uniform(0.8, 0.999), 3)),
    ),
    "canaries": Exercise(
        [
            Case(
                _proves(epsilon, confidence),
                "Your number must prove more than epsilon and one guess fewer must not. With all "
                "guesses right f is a power of q: when is it at most the error?",
            )
            for epsilon, confidence in ((0.5, 0.95), (1.0, 0.95), (2.0, 0.99), (8.0, 0.95))
        ],
        draw=lambda rng: Case(
            _proves(round(rng.uniform(0.2, 5.0), 2), round(rng.uniform(0.8, 0.99), 3)),
            "Your number must prove more than epsilon and one guess fewer must not.",
        ),
    ),
    "hide": Exercise(
        lambda mine: [
            Case(
                _is_pair,
                "Give two vectors of equal length, 2 to 8, with entries above 0 that sum to 1.",
            ),
            Case(
                _loses(mine["loss"]),
                f"The largest log-ratio must be at least {mine['loss']}, in either direction.",
            ),
            Case(
                _is_far_and_hidden(mine["epsilon"], mine["runs"]),
                "How often does the telling output occur in so many runs? And what do the others "
                "tell? They may tell as much as your claim allows.",
            ),
        ],
        own=Instances({"epsilon": 1.0, "runs": 1000, "loss": 5.0}, _drawn_audit),
    ),
}
