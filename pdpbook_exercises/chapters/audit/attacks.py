"""Self-checks of the chapter *Attacks*."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pdpbook_exercises import Exercise, close

__all__ = ["EXERCISES"]

Vector = NDArray[np.float64]


def _statistic(draws: NDArray[np.int64], present: Vector, absent: Vector) -> float:
    with np.errstate(divide="ignore"):
        return float((np.log(present[draws]) - np.log(absent[draws])).sum())


def _power(present: Vector, absent: Vector, alpha: float) -> float:
    """Fill the false-positive rate with outputs, those with the largest ratio first."""
    outputs = [x for x in range(len(present)) if present[x] > 0]
    outputs.sort(key=lambda x: absent[x] / present[x])
    found, left = 0.0, alpha
    for x in outputs:
        share = 1.0 if absent[x] <= left else left / absent[x]
        found, left = found + share * present[x], left - share * absent[x]
    return float(found)


def _draws_needed(present: Vector, absent: Vector, advantage: float) -> tuple[int, int]:
    rate = math.log(float(np.sqrt(present * absent).sum()))
    possible = math.log1p(-(advantage**2)) / (2 * rate)
    return math.ceil(possible), math.ceil(math.log1p(-advantage) / rate)


_P, _Q = np.array([0.5, 0.25, 0.25, 0.0]), np.array([0.25, 0.25, 0.5, 0.0])
_ONLY_P, _ONLY_Q = np.array([0.5, 0.5, 0.0]), np.array([0.5, 0.0, 0.5])
_NEAR_P, _NEAR_Q = np.array([0.05, 0.55, 0.4]), np.array([0.01, 0.44, 0.55])
_CLUB_P, _CLUB_Q = np.array([0.462, 0.333, 0.205]), np.array([0.540, 0.385, 0.075])


def _two_distributions(rng: np.random.Generator) -> tuple[Vector, Vector]:
    present, absent = rng.dirichlet(np.ones(int(rng.integers(2, 7))), 2)
    return present, absent


def _drawn_score(rng: np.random.Generator) -> tuple[NDArray[np.int64], Vector, Vector]:
    present, absent = _two_distributions(rng)
    return rng.choice(present.size, int(rng.integers(1, 30)), p=present), present, absent


def with_affinity(present, absent, advantage, affinity, round_up=np.ceil):
    rate = math.log(affinity(present, absent))
    bounds = math.log(1 - advantage**2) / (2 * rate), math.log(1 - advantage) / rate
    return round_up(np.array(bounds))


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
        ],
        draw=_drawn_score,
    ),
    "power": Exercise(
        [
            close(_power, present, absent, alpha, hint=hint)
            for present, absent, alpha, hint in (
                (
                    _P,
                    _Q,
                    0.25,
                    'At this rate the test says "in" at the output with the largest ratio '
                    "P(x)/P'(x), and at no other.",
                ),
                (
                    _NEAR_P,
                    _NEAR_Q,
                    0.01,
                    "Which output has the largest ratio? It need not have the largest probability "
                    "or the largest difference.",
                ),
                (
                    _NEAR_P,
                    _NEAR_Q,
                    0.2,
                    'Alpha falls between two thresholds: at the next output the test says "in" '
                    "with a probability that uses up the rest of alpha.",
                ),
                (
                    _ONLY_P,
                    _ONLY_Q,
                    0.0,
                    'Without false positives the test can still say "in" at the outputs that '
                    "only P reaches.",
                ),
                (_ONLY_P, _ONLY_Q, 0.75, "Once all of P is found, the rate is 1 and stays there."),
                (_P, _Q, 1.0, 'A test that always says "in" finds the record always.'),
            )
        ],
        draw=lambda rng: (*_two_distributions(rng), round(rng.uniform(0.0, 1.0), 2)),
    ),
    "draws": Exercise(
        [
            close(
                lambda p, q, a: np.array(_draws_needed(p, q, a), dtype=float),
                present,
                absent,
                advantage,
                hint="The first number comes from the upper bound of the proposition, the second "
                "from the lower bound. Solve each for m, and round up to a whole number of draws.",
                mistakes={
                    "The two numbers are exchanged: fewer draws suffice to escape the upper bound "
                    "than to be sure of the lower one.": (
                        lambda p, q, a: np.array(_draws_needed(p, q, a)[::-1], dtype=float)
                    ),
                    "That is not the affinity: add the square roots of the products.": (
                        lambda p, q, a: with_affinity(p, q, a, lambda p, q: np.minimum(p, q).sum())
                    ),
                },
            )
            for present, absent, advantage in (
                (_CLUB_P, _CLUB_Q, 0.5),
                (_P, _Q, 0.9),
                (_NEAR_P, _NEAR_Q, 0.05),
                (_ONLY_P, _ONLY_Q, 0.3),
            )
        ],
        draw=lambda rng: (*_two_distributions(rng), round(rng.uniform(0.05, 0.95), 2)),
    ),
}
