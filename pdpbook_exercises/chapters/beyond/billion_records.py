"""Self-checks of the chapter *A billion records*."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdpbook.audit.accounting import draws_epsilon
from pdpbook.foundations.sampling_query import Grid
from pdpbook.scaling.keyed_random import integer_weights
from pdpbook_exercises import Case, Exercise, close, equal, reference

__all__ = ["EXERCISES"]

KEY = bytes(range(100, 132))


@reference
def _tally(values: NDArray[np.float64], lower: float, upper: float, bins: int) -> NDArray[np.int64]:
    known = values[~np.isnan(values)]
    inside = known[(known >= lower) & (known <= upper)]
    counts = np.zeros(bins, dtype=np.int64)
    if inside.size:
        counts = Grid(lower, upper, bins).counts(inside)
    others = [(known < lower).sum(), (known > upper).sum(), values.size - known.size]
    return np.concatenate([counts, others]).astype(np.int64)


PIECES: list[tuple[NDArray[np.float64], float, float, int]] = [
    (np.array([1.0, 2.5, 9.99]), 0.0, 10.0, 4),
    (np.array([0.0, 10.0, 5.0]), 0.0, 10.0, 4),
    (np.array([-1.0, 10.5, 3.0, np.nan, np.nan]), 0.0, 10.0, 5),
    (np.array([np.inf, -np.inf, 1.0]), -2.0, 2.0, 3),
    (np.array([]), 0.0, 1.0, 3),
    (np.array([np.nan]), 0.0, 1.0, 2),
]
TALLY_HINT = (
    "Return the K counts of the bins, then below, above, missing: K + 3 numbers that sum to the "
    "length of the piece. The upper end belongs to the last bin, an empty piece has K + 3 zeros, "
    "and an infinite value is below or above."
)


def _tally_case(values: NDArray[np.float64], lower: float, upper: float, bins: int) -> Case:
    right = _tally(values, lower, upper, bins)

    def judge(answer: Any) -> str:
        given = np.asarray(answer(values.copy(), lower, upper, bins))
        if given.shape != right.shape:
            return f"Its shape is {given.shape}, and {right.shape} was expected."
        if given.dtype.kind not in "iu":
            return f"Counts are whole numbers, and these are of the type {given.dtype}."
        names = [*(f"bin {k}" for k in range(bins)), "below", "above", "missing"]
        wrong = [name for name, a, b in zip(names, given, right, strict=True) if a != b]
        return f"Wrong: {', '.join(wrong)}." if wrong else ""

    return Case(judge, TALLY_HINT)


def _drawn(answer: Any, key: bytes, name: str, start: int, stop: int) -> NDArray[np.int64]:
    return np.asarray(answer(key, name, np.array([0.5, 0.125, 0.25, 0.125]), start, stop))


def _is_cut_anywhere(answer: Any, key: bytes = KEY) -> bool:
    whole = _drawn(answer, key, "age", 0, 60)
    return whole.shape == (60,) and all(
        np.array_equal(_drawn(answer, key, "age", a, b), whole[a:b])
        for a, b in ((0, 7), (7, 60), (13, 14), (30, 31), (59, 60), (5, 5))
    )


def _follows_the_distribution(answer: Any) -> bool:
    drawn = _drawn(answer, KEY, "age", 0, 4000)
    if drawn.min() < 0 or drawn.max() > 3:
        return False
    seen = np.bincount(drawn.astype(int), minlength=4) / 4000
    return bool(np.abs(seen - [0.5, 0.125, 0.25, 0.125]).max() < 0.04)


def _drawn_key(rng: np.random.Generator) -> Case:
    key = rng.bytes(32)
    return Case(
        lambda answer: _is_cut_anywhere(answer, key) and _depends_on(answer, key, "age"),
        "Draw j must not depend on start and stop, and another key must give unrelated draws.",
    )


def _drawn_piece(rng: np.random.Generator) -> Case:
    lower, upper = -round(float(rng.uniform(0.0, 5.0)), 1), round(float(rng.uniform(1.0, 9.0)), 1)
    special = [lower, upper, np.nan, np.inf, -np.inf]
    values = np.array([*rng.uniform(lower - 2, upper + 2, 12).round(3), *special])
    return _tally_case(rng.permutation(values), lower, upper, int(rng.integers(2, 8)))


def _drawn_counts(rng: np.random.Generator) -> tuple[list[int], str]:
    counts = rng.integers(0, 40, int(rng.integers(2, 30))).tolist()
    found = list(counts)
    found[int(rng.integers(len(counts)))] += 1
    return counts, _published(found)


def _depends_on(answer: Any, key: bytes, name: str) -> bool:
    one, other = _drawn(answer, KEY, "age", 0, 2000), _drawn(answer, key, name, 0, 2000)
    return (
        abs(float((one == other).mean()) - 0.34375) < 0.06
    )  # the sum of squares of the distribution


def _weights_are_whole(distribution: Sequence[float], answer: Any) -> bool | str:
    weights = [each for each in answer(np.array(distribution))]
    if not all(isinstance(each, int | np.integer) for each in weights):
        return "Not all weights are integers, and a float cannot hold 64 bits."
    whole = [int(each) for each in weights]
    if len(whole) != len(distribution) or min(whole) < 0:
        return "There has to be one weight >= 0 for each bin."
    if sum(whole) != 2**64:
        return f"The weights miss 2**64 by {sum(whole) - 2**64}."
    target = integer_weights(distribution)
    far = max(abs(a - b) for a, b in zip(whole, target, strict=True))
    return (
        far <= len(distribution)
        or "The sum is right, but a weight is far from 2**64 times its probability."
    )


def _published(counts: Sequence[int]) -> str:
    return hashlib.sha256(json.dumps(list(counts)).encode()).hexdigest()


def _found_bin(known: Sequence[int], digest: str) -> int:
    for k in range(len(known)):
        counts = list(known)
        counts[k] += 1
        if _published(counts) == digest:
            return k
    return -1


def _guess_cases() -> list[Case]:
    cases = []
    for known, k in (([3, 0, 2], 1), ([10, 20, 30, 40], 3), ([0, 0, 7, 1, 1], 0)):
        counts = list(known)
        counts[k] += 1
        cases.append(
            equal(
                _found_bin,
                known,
                _published(counts),
                hint="Put the missing record into each bin in turn, compute the digest of the "
                "counts as the publisher did, and compare.",
            )
        )
    cases.append(
        equal(
            _found_bin,
            [5, 5],
            _published([9, 9]),
            hint="If no bin fits, more than one record is missing, so return -1.",
        )
    )
    return cases


def _hours(
    rows: float, columns: int, machines: int, cores: int, nanoseconds: float, gigabytes: float
) -> float:
    values = rows * columns / machines
    counting = values * nanoseconds * 1e-9 / cores
    reading = values * 8.0 / (gigabytes * 1e9)
    return max(counting, reading) / 3600.0


def _one_after_the_other(
    rows: float, columns: int, machines: int, cores: int, nanoseconds: float, gigabytes: float
) -> float:
    """Return the hours without any overlap: a mistake."""
    counting = _hours(rows, columns, machines, cores, nanoseconds, math.inf)
    return counting + _hours(rows, columns, machines, cores, 0.0, gigabytes)


def _copies(n: int, epsilon: float, draws: int, copies: int, delta: float) -> float:
    return draws_epsilon(n, epsilon, draws=draws * copies, delta=delta)


EXERCISES = {
    "copies": Exercise(
        [
            close(
                _copies,
                *case,
                hint="How many independent draws with the same noise does the attacker see?",
                mistakes={
                    "Adding up costs is basic composition, and the smallest total is smaller.": (
                        lambda n, e, m, c, d: c * draws_epsilon(n, e, draws=m, delta=d / c)
                    ),
                    "That is the cost of one copy.": (
                        lambda n, e, m, c, d: draws_epsilon(n, e, draws=m, delta=d)
                    ),
                },
            )
            for case in ((1000, 1.0, 1000, 4, 1e-6), (10**6, 0.5, 100, 64, 1e-8))
        ],
        draw=lambda rng: (
            int(rng.integers(100, 10**5)),
            round(rng.uniform(0.1, 1.5), 2),
            int(rng.integers(10, 2000)),
            int(rng.integers(2, 40)),
            1e-6,
        ),
    ),
    "tally": Exercise(
        [_tally_case(*piece) for piece in PIECES],
        draw=_drawn_piece,
    ),
    "keyed": Exercise(
        [
            Case(
                _is_cut_anywhere,
                "Draw j must not depend on start and stop, so make it a function of j itself.",
            ),
            Case(
                _follows_the_distribution,
                "The draws must be bins 0, …, K - 1 that follow the distribution.",
            ),
            Case(
                lambda answer: _depends_on(answer, bytes(32), "age"),
                "Another key must give unrelated draws.",
            ),
            Case(
                lambda answer: _depends_on(answer, KEY, "height"),
                "Another column must give unrelated draws, so the name has to be hashed as well.",
            ),
        ],
        draw=_drawn_key,
        refused=("pdpbook.scaling.keyed_random.keyed_draws",),
    ),
    "weights": Exercise(
        [
            Case(
                partial(_weights_are_whole, distribution),
                "Python's integers and fractions.Fraction are exact. Round down, and add what is "
                "left to the largest weight.",
            )
            for distribution in (
                [0.25, 0.75],
                [0.1, 0.2, 0.7],
                [1 / 3, 1 / 3, 1 / 3],
                [1.0, 0.0],
                [0.1] * 10,
            )
        ],
        draw=lambda rng: Case(
            partial(_weights_are_whole, rng.dirichlet(np.ones(int(rng.integers(2, 9)))).tolist()),
            "Python's whole numbers and fractions.Fraction are exact.",
        ),
        refused=("pdpbook.scaling.keyed_random.integer_weights",),
    ),
    "fingerprint": Exercise(
        _guess_cases(),
        draw=_drawn_counts,
    ),
    "hours": Exercise(
        [
            close(
                _hours,
                *case,
                hint="Counting and reading overlap, so the slower one decides. A value has 8 "
                "bytes, and the cores of a machine share its disk.",
                mistakes={
                    "Counting and reading overlap: take the larger, not the sum.": (
                        _one_after_the_other
                    ),
                    "That is in seconds, and hours were asked for.": lambda *a: 3600.0 * _hours(*a),
                },
            )
            for case in (
                (1e12, 50, 100, 2, 10.0, 1.0),
                (1e12, 50, 100, 32, 10.0, 1.0),
                (1e9, 1, 1, 1, 8.0, 2.0),
            )
        ],
        draw=lambda rng: (
            float(10 ** rng.uniform(6.0, 13.0)),
            int(rng.integers(1, 100)),
            int(rng.integers(1, 200)),
            int(rng.integers(1, 65)),
            round(rng.uniform(1.0, 20.0), 1),
            round(rng.uniform(0.1, 8.0), 1),
        ),
    ),
}
