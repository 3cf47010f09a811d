"""Self-checks of the chapter *ε-DP and ε-pDP*."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdpbook.exercises import Case, Exercise, close
from pdpbook.per_instance.privacy_loss import company_needed, privacy_losses

__all__ = ["EXERCISES"]


def _no_noise_losses(counts: list[int]) -> NDArray[np.float64]:
    rows = np.eye(len(counts))
    losses = privacy_losses(rows[np.array(counts) > 0], np.array(counts, float), sum(counts))
    result = np.full(len(counts), np.nan)
    result[np.array(counts) > 0] = losses
    return result


def _same_losses(counts: list[int]) -> Callable[[Any], bool]:
    def judge(answer: Any) -> bool:
        given = np.asarray(answer(np.array(counts)), dtype=float)
        return bool(np.allclose(given, _no_noise_losses(counts), equal_nan=True))

    return judge


def _replacement_cases() -> list[Case]:
    rng = np.random.default_rng(5)
    tables = [rng.dirichlet(np.full(bins, 0.7), size=n) for n, bins in ((2, 2), (4, 3), (7, 5))]
    tables.append(rng.dirichlet(np.full(4, 30.0), size=6))

    def judge(rows: NDArray[np.float64]) -> Callable[[Any], bool]:
        def verdict(answer: Any) -> bool:
            n, bins = rows.shape
            new = np.roll(rows[0], 1)
            given = float(answer(rows.copy(), 1, new.copy()))
            after = rows.copy()
            after[1] = new
            events = (np.arange(1, 2**bins - 1)[:, None] >> np.arange(bins)) & 1
            ratios = (events @ rows.sum(axis=0)) / (events @ after.sum(axis=0))
            bound = (
                privacy_losses(rows[1:2], rows.sum(axis=0), n)[0]
                + privacy_losses(new[None], after.sum(axis=0), n)[0]
            )
            return math.isclose(given, np.abs(np.log(ratios)).max()) and given <= bound + 1e-12

        return verdict

    hint = "Compare P before and after, in both directions, at the output where they differ most."
    return [Case(judge(rows), hint) for rows in tables]


def _released(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """One row per bin: how its records are released under the rule of the exercise."""
    rows = np.eye(counts.size)
    rows[counts < 2] = 1.0 / counts.size
    rows[counts.argmax()] = 1.0 / counts.size
    return rows


def rule_losses(answer: Any) -> tuple[float, float]:
    """Largest pDP loss and largest honest loss of the rule."""
    counts = np.asarray(answer)
    n, rows = int(counts.sum()), _released(counts)
    mass = counts @ rows
    held = privacy_losses(rows[counts > 0], mass, n).max()
    honest = 0.0
    for k in np.flatnonzero(counts):
        fewer = counts - (np.arange(counts.size) == k)
        rerun = fewer @ _released(fewer)
        with np.errstate(divide="ignore"):
            honest = max(honest, np.abs(np.log(mass / n) - np.log(rerun / (n - 1))).max())
    return float(held), float(honest)


def _is_histogram(answer: Any) -> bool:
    counts = np.asarray(answer)
    return (
        counts.shape == (3,)
        and counts.dtype.kind in "iu"
        and bool((counts >= 0).all())
        and 2 <= counts.sum() <= 12
    )


EXERCISES = {
    "no-noise-losses": Exercise(
        [
            Case(_same_losses([30, 20, 10]), "Start from P / P_{-i} on the record's own bin."),
            Case(
                _same_losses([3, 2, 1]),
                "A record alone in its bin can be told from its absence with certainty.",
            ),
            Case(_same_losses([4, 0, 5]), "What is the loss of a record of an empty bin?"),
            Case(_same_losses([6, 0, 0]), "If everybody is in one bin, what changes?"),
            Case(
                _same_losses([9, 1, 1]),
                "Do not forget the bins where the record is not: they become more likely.",
            ),
        ]
    ),
    "company-needed": Exercise(
        [
            close(
                company_needed,
                n,
                epsilon,
                hint="Turn m >= 1/tau into a whole number. Mind rounding: use expm1 and log1p "
                "where 1 - exp(-epsilon) would lose digits. Is one record ever enough?",
                rtol=1e-12,
            )
            for n, epsilon in (
                (1317, 1.0),
                (1317, 0.1),
                (10, 0.2),
                (10**9, 1e-6),
                (50, 20.0),
                (50, 50.0),
                (7, -math.log1p(-1 / 7)),
            )
        ]
    ),
    "replacement-loss": Exercise(_replacement_cases()),
    "honest-loss": Exercise(
        [
            Case(_is_histogram, "Give three whole numbers >= 0 that sum to at most 12."),
            Case(
                lambda answer: rule_losses(answer)[0] <= 1.0,
                "Here some record's pDP loss, the others' noise held, is above 1.",
            ),
            Case(
                lambda answer: rule_losses(answer)[1] > 1.0,
                "Here the honest loss stays at most 1. Where does one record's leaving change "
                "what many others do?",
            ),
        ]
    ),
}
