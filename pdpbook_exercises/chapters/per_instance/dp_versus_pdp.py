"""Self-checks of the chapter *ε-DP and ε-pDP*."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdpbook.per_instance.privacy_loss import privacy_losses, records_needed
from pdpbook_exercises import Case, Exercise, close, reference

__all__ = ["EXERCISES", "rule_losses"]


@reference
def _no_noise_losses(counts: list[int]) -> NDArray[np.float64]:
    rows = np.eye(len(counts))
    losses = privacy_losses(rows[np.array(counts) > 0], np.array(counts, float), sum(counts))
    result = np.full(len(counts), np.nan)
    result[np.array(counts) > 0] = losses
    return result


def _same_losses(counts: list[int]) -> Callable[[Any], str]:
    n, right = sum(counts), _no_noise_losses(counts)

    def judge(answer: Any) -> str:
        given = np.asarray(answer(np.array(counts)), dtype=float)
        if given.shape != right.shape:
            return f"Its shape is {given.shape}, and one loss for each bin was expected."
        wrong = np.flatnonzero(~np.isclose(given, right, rtol=1e-9, equal_nan=True))
        if not wrong.size:
            return ""
        k = wrong[0]
        if counts[k] == 0:
            return f"Bin {k} is empty, so its entry should be nan."
        if counts[k] == 1:
            return f"Bin {k} has one record. Without it, how probable is this output?"
        if counts[k] == n:
            return f"All records are in bin {k}. What changes when one leaves?"
        if np.isclose(given[k], -right[k]):
            return f"Entry {k} has the wrong sign."
        if np.isclose(given[k] * math.log(2.0), right[k]):
            return f"Entry {k} is right in base 2. The book takes natural logarithms."
        if given[k] < right[k]:
            return f"Entry {k} is too small."
        return f"Entry {k} is too large."

    return judge


def _own_bin_only(counts: list[int]) -> Callable[[Any], bool]:
    n = sum(counts)

    def made(answer: Any) -> bool:
        own = [math.log((n - 1) / n * m / (m - 1)) if m > 1 else math.inf for m in counts]
        given = np.asarray(answer(np.array(counts)), dtype=float)
        return bool(np.allclose(given, own) or np.allclose(given, np.abs(own)))

    return made


_OTHER_BINS = (
    "The record's own bin is right. Its leaving changes the other bins, too: they become more "
    "likely."
)


def _no_noise_case(counts: list[int]) -> Case:
    return Case(
        _same_losses(counts),
        "Write P and P_{-i} for one record of the bin: on its own bin, and on another one.",
        more="The loss is the largest |ln P / P_{-i}|. On the own bin m of n records become m - 1 "
        "of n - 1; on another bin m of n become m of n - 1.",
        mistakes={_OTHER_BINS: _own_bin_only(counts)},
    )


def _drawn_counts(rng: np.random.Generator) -> list[int]:
    """Draw counts with an empty bin, a single record, and larger ones, in any order."""
    return rng.permutation([0, 1, *rng.integers(2, 60, int(rng.integers(1, 5)))]).tolist()


def _drawn_company(rng: np.random.Generator) -> tuple[int, float]:
    """Draw n, and ε above the smallest that n records allow: from 3 to about 400 are needed."""
    n = int(np.exp(rng.uniform(5.0, 12.0)))
    return n, round(math.log(n / (n - 1)) + float(np.exp(rng.uniform(-6.0, -1.0))), 4)


def _drawn_replacement(rng: np.random.Generator) -> tuple[Any, ...]:
    n, bins = int(rng.integers(2, 9)), int(rng.integers(2, 7))
    *rows, new = rng.dirichlet(np.full(bins, 0.7), size=n + 1)
    return np.array(rows), int(rng.integers(n)), new


def _slope(n: int, epsilon: float) -> float:
    return 1.0 - (1.0 - 1.0 / n) * math.exp(-epsilon)


@reference
def _replacement_loss(rows: NDArray[np.float64], i: int, new_row: NDArray[np.float64]) -> float:
    """Go through all events."""
    bins = rows.shape[1]
    events = (np.arange(1, 2**bins)[:, None] >> np.arange(bins)) & 1
    after = rows.copy()
    after[i] = new_row
    P, Q = events @ rows.sum(axis=0), events @ after.sum(axis=0)
    seen = (P > 0) | (Q > 0)
    with np.errstate(divide="ignore"):
        return float(np.abs(np.log(P[seen]) - np.log(Q[seen])).max())


def _one_way(rows: NDArray[np.float64], i: int, new_row: NDArray[np.float64]) -> float:
    return float(np.log(rows.sum(axis=0) / (rows.sum(axis=0) - rows[i] + new_row)).max())


def _other_way(rows: NDArray[np.float64], i: int, new_row: NDArray[np.float64]) -> float:
    return float(np.log((rows.sum(axis=0) - rows[i] + new_row) / rows.sum(axis=0)).max())


def _removal(rows: NDArray[np.float64], i: int, new_row: NDArray[np.float64]) -> float:
    return float(privacy_losses(rows[i : i + 1], rows.sum(axis=0), len(rows))[0])


def _replacement_cases() -> list[Case]:
    rng = np.random.default_rng(5)
    pairs = []
    for n, bins in ((2, 2), (4, 3), (7, 5)):
        rows = rng.dirichlet(np.full(bins, 0.7), size=n)
        other = rows.copy()
        other[1] = np.roll(rows[0], 1)  # and back, so that each direction decides once
        pairs += [(rows, other[1]), (other, rows[1])]
    hint = "Compare P before and after, in both directions, at the output where they differ most."
    mistakes = {
        "That is the loss of removing the record. n stays when a record is replaced.": _removal,
        "Only one direction counts in yours.": _one_way,
        "Only one direction counts in yours, the other one.": _other_way,
    }
    unseen = np.array([[0.5, 0.5, 0.0], [0.25, 0.75, 0.0], [0.7, 0.3, 0.0]])
    lonely = np.array([[0.5, 0.5, 0.0], [0.0, 0.5, 0.5], [0.7, 0.3, 0.0]])
    return [
        *(
            close(_replacement_loss, *(rows, 1, new), hint=hint, mistakes=mistakes)
            for rows, new in pairs
        ),
        close(
            _replacement_loss,
            unseen,
            1,
            np.array([0.5, 0.5, 0.0]),
            hint="Nobody gives the last output, before or after. It tells nothing: leave it out.",
        ),
        Case(
            lambda answer: answer(lonely.copy(), 1, np.array([0.5, 0.5, 0.0])) == math.inf,
            "Only the record that leaves can give the last output, so this output reveals it.",
        ),
    ]


def _released(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """One row per bin: how its records are released under the rule of the exercise."""
    rows = np.eye(counts.size)
    rows[counts < 2] = 1.0 / counts.size
    rows[counts.argmax()] = 1.0 / counts.size
    return rows


def rule_losses(answer: Any) -> tuple[float, float]:
    """Largest fixed-noise loss and largest end-to-end loss of the rule."""
    counts = np.asarray(answer)
    n, rows = int(counts.sum()), _released(counts)
    mass = counts @ rows
    fixed_noise = privacy_losses(rows[counts > 0], mass, n).max()
    end_to_end = 0.0
    for k in np.flatnonzero(counts):
        fewer = counts - (np.arange(counts.size) == k)
        rerun = fewer @ _released(fewer)
        with np.errstate(divide="ignore"):
            loss = np.abs(np.log(mass / n) - np.log(rerun / (n - 1))).max()
        end_to_end = max(end_to_end, loss)
    return float(fixed_noise), float(end_to_end)


def _exposes(n: int) -> Case:
    def judge(answer: Any) -> str:
        counts = np.asarray(answer(n))
        whole = counts.shape == (3,) and counts.dtype.kind in "iu"
        if not whole or (counts < 0).any() or counts.sum() != n:
            return f"Give three whole numbers >= 0 with the sum {n}."
        fixed_noise, end_to_end = rule_losses(counts)
        if fixed_noise <= 1.0 < end_to_end:
            return ""
        return (
            f"The largest fixed-noise loss is {fixed_noise:.3f}, and the largest end-to-end loss "
            f"is {end_to_end:.3f}."
        )

    return Case(judge, "Where does one record's leaving change what many others do?")


EXERCISES = {
    "no-noise-losses": Exercise(
        [
            _no_noise_case(counts)
            for counts in ([30, 20, 10], [9, 2, 2], [3, 2, 1], [6, 0, 0], [4, 0, 5], [9, 1, 1])
        ],
        draw=lambda rng: _no_noise_case(_drawn_counts(rng)),
    ),
    "records-needed": Exercise(
        [
            close(
                records_needed,
                n,
                epsilon,
                hint=hint,
                mistakes={
                    "Some digits are lost: 1 - exp(-epsilon) cancels for a small epsilon. Is there "
                    "a function that computes it well?": lambda n, e: max(
                        2, math.ceil(1.0 / _slope(n, e))
                    ),
                    "Is one record ever enough?": lambda n, e: math.ceil(1.0 / _slope(n, e) - 1e-9),
                    "Round up: with fewer than 1/tau records the loss is too large.": (
                        lambda n, e: math.floor(1.0 / _slope(n, e))
                    ),
                },
                rtol=1e-12,
            )
            for n, epsilon, hint in (
                (1317, 0.1, "m records are enough if each may be responsible for 1/m of its bin."),
                (1317, 1.0, "m records are enough if each may be responsible for 1/m of its bin."),
                (50, 20.0, "Is one record ever enough?"),
                (10, 0.2, "Turn m >= 1/tau into a whole number."),
                (10**9, 1e-6, "Mind rounding: use expm1."),
                (10**9, 2e-9, "Mind rounding: use expm1."),
                (50, 50.0, "Is one record ever enough? Here tau rounds to 1."),
                (7, -math.log1p(-1 / 7), "1/tau is whole here. Does rounding push it up by one?"),
            )
        ],
        draw=_drawn_company,
        refused=("pdpbook.per_instance.privacy_loss.records_needed",),
    ),
    "replacement-loss": Exercise(
        _replacement_cases(),
        draw=_drawn_replacement,
    ),
    "end-to-end-loss": Exercise(
        [_exposes(11), _exposes(12), _exposes(7)],
        draw=lambda rng: _exposes(int(rng.integers(13, 60))),
    ),
}
