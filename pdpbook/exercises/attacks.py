"""Self-checks of the chapter *Attacks and audits*."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdpbook.audit.empirical import audit_power, clopper_pearson_epsilon, one_run_epsilon
from pdpbook.audit.randomisers import k_ary_randomised_response
from pdpbook.exercises import Case, Exercise, close
from pdpbook.per_instance.noise_kernels import laplace_kernel
from pdpbook.per_instance.privacy_loss import privacy_losses

__all__ = ["EXERCISES"]

LEAST_LOSS, RUNS, CLAIM, CHANCE = 5.0, 1000, 1.0, 0.1


def _statistic(
    draws: NDArray[np.int64], present: NDArray[np.float64], absent: NDArray[np.float64]
) -> float:
    with np.errstate(divide="ignore"):
        return float((np.log(present[draws]) - np.log(absent[draws])).sum())


_P, _Q = np.array([0.5, 0.25, 0.25, 0.0]), np.array([0.25, 0.25, 0.5, 0.0])
_ONLY_P, _ONLY_Q = np.array([0.5, 0.5, 0.0]), np.array([0.5, 0.0, 0.5])


def _most_provable(runs: int, confidence: float = 0.95) -> float:
    return clopper_pearson_epsilon(runs, runs, 0, runs, confidence=confidence)


def _proves(epsilon: float, confidence: float) -> Callable[[Any], bool]:
    def judge(answer: Any) -> bool:
        count = answer(epsilon, confidence)
        if count != int(count) or count < 1:
            return False
        count = int(count)

        def bound(guesses: int) -> float:
            return one_run_epsilon(guesses, guesses, confidence=confidence) if guesses else 0.0

        return bound(count) > epsilon >= bound(count - 1)

    return judge


def _added_losses(
    counts: NDArray[np.int64], randomiser: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Loss of one record more, for each bin."""
    mass, n = counts @ randomiser, int(counts.sum())
    return np.array([privacy_losses([row], mass + row, n + 1)[0] for row in randomiser])


def _rebuilds(counts: list[int], randomiser: NDArray[np.float64]) -> Callable[[Any], bool]:
    def judge(answer: Any) -> bool:
        histogram = np.array(counts)
        losses = _added_losses(histogram, randomiser)
        found = np.asarray(answer(losses, int(histogram.sum()), randomiser), dtype=float)
        return found.shape == histogram.shape and np.allclose(found, histogram, atol=1e-6)

    return judge


def _pair(answer: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    present, absent = (np.asarray(each, dtype=float) for each in answer)
    return present, absent


def _is_pair(answer: Any) -> bool:
    present, absent = _pair(answer)
    return all(
        law.ndim == 1
        and law.shape == present.shape
        and 2 <= law.size <= 8
        and bool((law > 0).all())
        and abs(law.sum() - 1.0) < 1e-9
        for law in (present, absent)
    )


def _loses(answer: Any) -> bool:
    present, absent = _pair(answer)
    return bool(np.abs(np.log(present / absent)).max() >= LEAST_LOSS)


def _is_hidden(answer: Any) -> bool:
    laws = _pair(answer)
    for event in itertools.product([0.0, 1.0], repeat=laws[0].size):
        rates = [min(1.0, float(np.array(event) @ law)) for law in laws]
        for p, q in (rates, rates[::-1]):
            if p > q and audit_power(p, q, runs=RUNS, epsilon=CLAIM) > CHANCE:
                return False
    return True


EXERCISES = {
    "score": Exercise(
        [
            close(
                _statistic,
                np.array(draws),
                present,
                absent,
                hint=hint,
            )
            for draws, present, absent, hint in (
                (
                    [0, 0, 2, 1, 0],
                    _P,
                    _Q,
                    "Each draw adds ln P(x)/P'(x): which is in the "
                    "numerator? Repeated draws count as often as they occur.",
                ),
                ([1, 1], _P, _Q, "Outputs as likely with the record as without say nothing."),
                (
                    [2] * 2000,
                    _P,
                    _Q,
                    "A product of 2,000 ratios may be too large or too small "
                    "for a float. Add logarithms.",
                ),
                (
                    [0, 1, 0],
                    _ONLY_P,
                    _ONLY_Q,
                    "An output that only P can reach proves the record: plus infinity.",
                ),
                (
                    [2, 0],
                    _ONLY_P,
                    _ONLY_Q,
                    "An output that P cannot reach refutes the record: minus infinity.",
                ),
                (
                    [0, 0],
                    _ONLY_P,
                    _ONLY_Q,
                    "Bins that were not drawn say nothing: beware of 0 times infinity.",
                ),
            )
        ]
    ),
    "ceiling": Exercise(
        [
            close(
                _most_provable,
                runs,
                confidence,
                hint="With N hits of N, g is a power of p: solve it for the error, which is half "
                "of what is allowed. The upper limit of no alarms is 1 minus that. A bound is "
                "never negative. Mind the digits of 1 - p (expm1).",
                rtol=1e-9,
                atol=1e-12,
            )
            for runs, confidence in ((100, 0.95), (1, 0.95), (7, 0.9), (10**9, 0.95), (50, 0.999))
        ]
    ),
    "canaries": Exercise(
        [
            Case(
                _proves(epsilon, confidence),
                "Your number must prove more than epsilon and one guess fewer must not. With all "
                "guesses right f is a power of q: when is it at most the error?",
            )
            for epsilon, confidence in ((0.5, 0.95), (1.0, 0.95), (2.0, 0.99), (8.0, 0.95))
        ]
    ),
    "reconstruct": Exercise(
        [
            Case(_rebuilds(counts, randomiser), hint)
            for counts, randomiser, hint in (
                (
                    [3, 2, 1, 2, 1],
                    k_ary_randomised_response(5, 9, 1.0),
                    "First find the average of the n "
                    "records at each own bin from R and the loss. How many records are there with "
                    "the one that is added? Then which histogram puts this there?",
                ),
                (
                    [3, 0, 2, 3, 1],
                    k_ary_randomised_response(5, 9, 1.5),
                    "Empty bins count, too: return one number a bin.",
                ),
                (
                    [2, 1, 0, 2, 1, 2],
                    laplace_kernel(6, [0.08])[0],
                    "It should work for every "
                    "randomiser, not only for k-ary randomised response: "
                    "the masses are linear in the histogram.",
                ),
                (
                    [2, 1, 2, 0, 2, 1],
                    0.9 * np.eye(6) + 0.1 * np.tile([0.4, 0.2, 0.2, 0.1, 0.05, 0.05], (6, 1)),
                    "Which way round do rows and "
                    "columns of the randomiser belong? Row k is where a record of bin k goes.",
                ),
            )
        ]
    ),
    "hide": Exercise(
        [
            Case(
                _is_pair,
                "Give two vectors of equal length, 2 to 8, with entries above 0 that sum to 1.",
            ),
            Case(_loses, "The largest log-ratio must be at least 5, in either direction."),
            Case(
                _is_hidden,
                "Some event proves more than 1 in more than a tenth of the audits. How often "
                "does the telling output occur in 1,000 runs? And what do the others tell?",
            ),
        ]
    ),
}
