"""Self-checks of the chapter *Gaussian noise and (ε, δ)-pDP*."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdpbook.beyond.gaussian_pdp import hockey_stick_divergences
from pdpbook.exercises import Case, Exercise, close
from pdpbook.per_instance.noise_kernels import gaussian_kernel
from pdpbook.per_instance.privacy_loss import linear_limits, privacy_losses

__all__ = ["EXERCISES"]


def _lone_agrees(answer: Callable[..., Any], cases: list[tuple[int, int, float]]) -> bool:
    for n, m, epsilon in cases:
        rows = np.zeros((n, 2))
        rows[:m, 0] = rows[m:, 1] = 1.0
        exact = hockey_stick_divergences(rows[:1], rows.sum(axis=0), n, epsilon)[0]
        if not np.isclose(answer(n, m, epsilon), exact, rtol=1e-9, atol=1e-15):
            return False
    return True


def _safe_agrees(answer: Callable[..., Any], cases: list[tuple[int, float]]) -> bool:
    return all(
        np.isclose(
            1.0 / (2.0 * float(answer(n, epsilon)) ** 2),
            math.log1p(n * math.expm1(epsilon)),
            rtol=1e-9,
            atol=0.0,
        )
        for n, epsilon in cases
    )


def _safe_protects(answer: Callable[..., Any]) -> bool:
    """One record at one end, all others at the other: nobody's loss exceeds the target."""
    for n, epsilon in ((5, 1.0), (50, 0.3), (500, 0.1)):
        near = gaussian_kernel(200, [float(answer(n, epsilon))])[0]
        rows = np.vstack([near[:1], near[-1:]])
        mass = rows[0] + (n - 1) * rows[1]
        if privacy_losses(rows, mass, n).max() > epsilon:
            return False
    return True


def _extremes_agree(answer: Callable[..., Any]) -> bool:
    points = np.linspace(0.0, 1.0, 201)
    for sigma in (0.1, 0.4, 1.0, 50.0):
        fine = np.linspace(0.0, 1.0, 20_001)
        density = np.exp(-((points[:, None] - points) ** 2) / (2 * sigma**2))
        total = np.array(
            [np.trapezoid(np.exp(-((fine - x) ** 2) / (2 * sigma**2)), fine) for x in points]
        )
        density /= total[:, None]
        if not np.allclose(answer(sigma), [density.min(), density.max()], rtol=1e-6, atol=0.0):
            return False
    return True


def _bins() -> Iterator[tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64], int]]:
    """Yield counts and rows of one bin, with the mass of everybody."""
    rng = np.random.default_rng(8)
    kernel = gaussian_kernel(6, [0.05, 0.2, 1.0])
    for _ in range(200):
        counts = rng.integers(0, 3, size=3)
        counts[rng.integers(3)] += 1
        k = int(rng.integers(6))
        others = rng.integers(0, 2, size=(3, 6))
        mass = counts @ kernel[:, k] + np.einsum("vk,vkx->x", others, kernel)
        n = int(counts.sum() + others.sum())
        if n >= 2:
            yield counts, kernel[:, k], mass, n


def _cut_is_valid(answer: Callable[..., Any]) -> bool:
    for counts, rows, mass, n in _bins():
        for epsilon in (0.02, 0.3, 1.0):
            used = rows[counts > 0]
            delta = hockey_stick_divergences(used, mass, n, epsilon).max()
            if answer(counts.copy(), rows.copy(), mass.copy(), n, epsilon) > delta + 1e-12:
                return False
    return True


def _cut_bites(answer: Callable[..., Any]) -> bool:
    for counts, rows, mass, n in _bins():
        for epsilon in (0.02, 0.3, 1.0):
            average = counts @ rows / counts.sum()
            tau, sigma = linear_limits(n, epsilon)
            broken = max((average - tau * mass).max(), (sigma * mass - average).max())
            given = answer(counts.copy(), rows.copy(), mass.copy(), n, epsilon)
            if broken > 1e-6 and not given > 0.0:
                return False
    return True


def _cut_is_sharp(answer: Callable[..., Any]) -> bool:
    """If the records of the bin are all alike, the average record is one of them."""
    for counts, rows, mass, n in _bins():
        if np.count_nonzero(counts) != 1:
            continue
        for epsilon in (0.02, 0.3, 1.0):
            exact = hockey_stick_divergences(rows[counts > 0], mass, n, epsilon)[0]
            given = answer(counts.copy(), rows.copy(), mass.copy(), n, epsilon)
            if not np.isclose(given, exact, rtol=1e-9, atol=1e-14):
                return False
    return True


def _cut_is_convex(answer: Callable[..., Any]) -> bool:
    """Half-way between two rows of counts, the mass moving along, it is at most the mean."""
    rng = np.random.default_rng(9)
    for counts, rows, mass, n in _bins():
        total, others = int(counts.sum()), mass - counts @ rows
        one, other = rng.multinomial(total, np.full(3, 1 / 3), size=2).astype(float)
        for epsilon in (0.02, 0.3, 1.0):
            low, middle, high = (
                float(answer(c, rows.copy(), others + c @ rows, n, epsilon))
                for c in (one, (one + other) / 2, other)
            )
            if middle > (low + high) / 2 + 1e-12:
                return False
    return True


def _adding_loss(rows: NDArray[np.float64], new_row: NDArray[np.float64]) -> float:
    """Return the loss of removing the new record from the larger table, over the outputs."""
    larger = np.vstack([rows, new_row]).sum(axis=0) / (len(rows) + 1)
    loss = 0.0
    for before, after in zip(rows.mean(axis=0), larger, strict=True):
        if after > 0:
            loss = max(loss, abs(math.log(after / before)) if before > 0 else math.inf)
    return loss


def _guest_cases() -> list[Case]:
    rng = np.random.default_rng(8)
    rows, silent = rng.dirichlet(np.ones(5), size=6), np.eye(4)[[0, 0, 1]]
    return [
        close(_adding_loss, rows, rows[2], hint="n + 1 records then, n before."),
        close(_adding_loss, rows[:1], rows[0], hint="A twin of the only record changes nothing."),
        close(_adding_loss, rows, rng.dirichlet(np.full(5, 0.1)), hint="Both signs count."),
        close(_adding_loss, silent, silent[0], hint="Leave out outputs that nobody reaches."),
        close(_adding_loss, silent, np.eye(4)[3], hint="An output that was impossible before?"),
    ]


EXERCISES = {
    "guest": Exercise(_guest_cases()),
    "lone": Exercise(
        [
            Case(
                lambda answer: _lone_agrees(answer, [(5, 1, 1.0), (40, 1, 0.2), (40, 2, 0.2)]),
                "Use the linear form of delta. p is 1 in the own bin and 0 elsewhere; what is S?",
            ),
            Case(
                lambda answer: _lone_agrees(answer, [(40, 30, 0.2), (7, 7, 1.0)]),
                "With enough company delta is 0, not negative.",
            ),
        ]
    ),
    "safe": Exercise(
        [
            Case(
                lambda answer: _safe_agrees(answer, [(5, 1.0), (1317, 0.1), (2, 3.0)]),
                "Which largest ratio does Theorem 1' allow, and which has a Gaussian?",
            ),
            Case(
                lambda answer: _safe_agrees(answer, [(10**9, 1e-12), (2, 1e-12)]),
                "For small epsilon, exp(epsilon) - 1 loses digits. NumPy has a remedy.",
            ),
            Case(_safe_protects, "Somebody's loss exceeds epsilon at your standard deviation."),
        ]
    ),
    "extremes": Exercise(
        [
            Case(
                _extremes_agree,
                "A pair (v_min, v_max). Where does each occur? What is Z there?",
            )
        ]
    ),
    "certify": Exercise(
        [
            Case(_cut_is_valid, "At some profile your cut exceeds every delta of the bin."),
            Case(_cut_bites, "The average record violates epsilon-pDP and your cut says nothing."),
            Case(
                _cut_is_sharp,
                "If all records of the bin play alike, the cut can be the delta of one of them. "
                "Yours is smaller.",
            ),
            Case(
                _cut_is_convex,
                "Half-way between two rows of counts yours exceeds the mean of the two: it is not "
                "convex in C, and a solver cannot use it.",
            ),
        ]
    ),
}
