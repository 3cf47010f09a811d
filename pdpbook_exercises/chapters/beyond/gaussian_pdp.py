"""Self-checks of the chapter *Gaussian noise and (ε, δ)-pDP*."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdpbook.beyond.gaussian_pdp import hockey_stick_divergences
from pdpbook.per_instance.noise_kernels import gaussian_kernel
from pdpbook.per_instance.privacy_loss import linear_limits, privacy_losses, records_needed
from pdpbook_exercises import Case, Exercise, close, reference

__all__ = ["EXERCISES"]


def _lone(n: int, m: int, epsilon: float) -> float:
    rows = np.zeros((n, 2))
    rows[:m, 0] = rows[m:, 1] = 1.0
    return float(hockey_stick_divergences(rows[:1], rows.sum(axis=0), n, epsilon)[0])


def _drawn_lone(rng: np.random.Generator) -> Case:
    """Draw a record with a δ above 0, at an ε of at least ln n/(n-1), as the page asks."""
    n = int(rng.integers(10, 60))
    epsilon = round(rng.uniform(0.02, 0.3) - math.log1p(-1 / n), 2)
    m = int(rng.integers(1, records_needed(n, epsilon)))
    hint = "Use the linear form. p is 1 in the record's own bin and 0 elsewhere; what is S?"
    return _lone_case(n, m, epsilon, hint)


def _lone_case(n: int, m: int, epsilon: float, hint: str) -> Case:
    def unlimited(n: int, m: int, epsilon: float) -> float:
        tau = linear_limits(n, epsilon)[0]
        return math.exp(epsilon) / (n - 1) * (1 - tau * m)

    return close(
        _lone,
        n,
        m,
        epsilon,
        rtol=1e-9,
        atol=1e-15,
        hint=hint,
        more="δ sums the positive parts of P(x) - exp(ε) P₋ᵢ(x). Which outputs x contribute?",
        mistakes={
            "A positive part is never negative, so δ is at least 0.": unlimited,
            "1/n is for a record alone, and this one shares its bin.": lambda n, m, epsilon: 1 / n,
            "That is P(x). Subtract exp(ε) times what is left if the record goes.": (
                lambda n, m, epsilon: m / n
            ),
            "Without the record n - 1 records are left, not n.": (
                lambda n, m, epsilon: max(m - math.exp(epsilon) * (m - 1), 0) / n
            ),
            "The linear form has to be multiplied by the factor in front of the sum.": (
                lambda n, m, epsilon: max(1 - linear_limits(n, epsilon)[0] * m, 0)
            ),
        },
    )


@reference
def _safe(n: int, epsilon: float) -> float:
    return math.sqrt(0.5 / math.log1p(n * math.expm1(epsilon)))


def _safe_case(n: int, epsilon: float, hint: str) -> Case:
    return close(
        _safe,
        n,
        epsilon,
        hint=hint,
        rtol=1e-9,
        atol=0.0,
        more="exp(1/(2s²)) is the ratio of the density at distance 0 and at distance 1.",
        mistakes={
            "That is the safe scale of a Laplace density.": (
                lambda n, epsilon: 1 / math.log1p(n * math.expm1(epsilon))
            ),
            "That is a variance, and a standard deviation was asked for.": lambda n, epsilon: (
                0.5 / math.log1p(n * math.expm1(epsilon))
            ),
            "A factor 2 is missing in the exponent of the Gaussian.": (
                lambda n, epsilon: math.sqrt(1 / math.log1p(n * math.expm1(epsilon)))
            ),
            "That would be safe for a record alone, but the mass of the n - 1 others helps, too.": (
                lambda n, epsilon: math.sqrt(0.5 / epsilon)
            ),
        },
    )


def _safe_protects(answer: Callable[..., Any]) -> str:
    """One record at one end, all others at the other: no loss exceeds the target."""
    for n, epsilon in ((5, 1.0), (50, 0.3), (500, 0.1)):
        near = gaussian_kernel(200, [float(answer(n, epsilon))])[0]
        rows = np.vstack([near[:1], near[-1:]])
        loss = privacy_losses(rows, rows[0] + (n - 1) * rows[1], n).max()
        if loss > epsilon:
            return f"With {n} records the largest loss is {loss:.4g}, above {epsilon}."
    return ""


def _extremes(sigma: float) -> NDArray[np.float64]:
    """Look at all densities on a grid, by numerical integration."""
    points, fine = np.linspace(0.0, 1.0, 201), np.linspace(0.0, 1.0, 20_001)
    density = np.exp(-((points[:, None] - points) ** 2) / (2 * sigma**2))
    total = [np.trapezoid(np.exp(-((fine - x) ** 2) / (2 * sigma**2)), fine) for x in points]
    density /= np.array(total)[:, None]
    return np.array([density.min(), density.max()])


def _extremes_case(sigma: float, hint: str) -> Case:
    def untruncated(sigma: float) -> NDArray[np.float64]:
        top = 1 / (sigma * math.sqrt(2 * math.pi))
        return np.array([top * math.exp(-1 / (2 * sigma**2)), top])

    def middle(sigma: float) -> float:
        """Return the density of the record in the middle at its own place."""
        fine = np.linspace(0.0, 1.0, 20_001)
        return float(1 / np.trapezoid(np.exp(-((fine - 0.5) ** 2) / (2 * sigma**2)), fine))

    return close(
        _extremes,
        sigma,
        hint=hint,
        rtol=1e-6,
        atol=0.0,
        more="Is the normalisation smaller for a record in the middle or for one at an end?",
        mistakes={
            "The density is truncated to [0, 1]: divide by the mass that is left.": untruncated,
            "The order of the pair is v_min, v_max.": lambda sigma: _extremes(sigma)[::-1],
            "A record in the middle loses less mass, so its peak is lower than a peak at an end.": (
                lambda sigma: np.array(
                    [middle(sigma) * math.exp(-1 / (8 * sigma**2)), middle(sigma)]
                )
            ),
            "v_min is the density at distance 1, and v_max is the one at 0. What is their ratio?": (
                lambda sigma: _extremes(sigma)[1] * np.array([math.exp(-1 / sigma**2), 1.0])
            ),
        },
    )


def _bins(
    seed: int = 8, number: int = 200
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64], int]]:
    """Yield counts and rows of one bin, with the mass of everybody."""
    rng = np.random.default_rng(seed)
    kernel = gaussian_kernel(6, [0.05, 0.2, 1.0])
    for _ in range(number):
        counts = rng.integers(0, 3, size=3)
        counts[rng.integers(3)] += 1
        k = int(rng.integers(6))
        others = rng.integers(0, 2, size=(3, 6))
        mass = counts @ kernel[:, k] + np.einsum("vk,vkx->x", others, kernel)
        n = int(counts.sum() + others.sum())
        if n >= 2:
            yield counts, kernel[:, k], mass, n


def _cut_is_valid(answer: Callable[..., Any], *seed: int) -> str:
    for counts, rows, mass, n in _bins(*seed):
        for epsilon in (0.02, 0.3, 1.0):
            used = rows[counts > 0]
            delta = hockey_stick_divergences(used, mass, n, epsilon).max()
            given = answer(counts.copy(), rows.copy(), mass.copy(), n, epsilon)
            if np.ndim(given):
                return "The answer has to be one number."
            if not given <= delta + 1e-12:
                return f"Here the largest δ of the bin is {delta:.4g}."
    return ""


def _cut_bites(answer: Callable[..., Any], *seed: int) -> str:
    for counts, rows, mass, n in _bins(*seed):
        for epsilon in (0.02, 0.3, 1.0):
            average = counts @ rows / counts.sum()
            tau, sigma = linear_limits(n, epsilon)
            above, below = (average - tau * mass).max(), (sigma * mass - average).max()
            given = answer(counts.copy(), rows.copy(), mass.copy(), n, epsilon)
            if max(above, below) > 1e-6 and not given > 0.0:
                side = "upper" if above > below else "lower"
                return (
                    f"Here the average record violates the {side} side of the linear form of pDP."
                )
    return ""


def _cut_is_sharp(answer: Callable[..., Any], *seed: int) -> str:
    """If the records of the bin are all alike, the average record is one of them."""
    for counts, rows, mass, n in _bins(*seed):
        if np.count_nonzero(counts) != 1:
            continue
        for epsilon in (0.02, 0.3, 1.0):
            exact = hockey_stick_divergences(rows[counts > 0], mass, n, epsilon)[0]
            given = answer(counts.copy(), rows.copy(), mass.copy(), n, epsilon)
            if not np.isclose(given, exact, rtol=1e-9, atol=1e-14):
                return "All records of this bin choose the same action."
    return ""


def _cut_is_convex(answer: Callable[..., Any], *seed: int) -> str:
    """Half-way between two rows of counts, the mass moving along, it is at most the mean."""
    rng = np.random.default_rng(9)
    for counts, rows, mass, n in _bins(*seed):
        total, others = int(counts.sum()), mass - counts @ rows
        one, other = rng.multinomial(total, np.full(3, 1 / 3), size=2).astype(float)
        for epsilon in (0.02, 0.3, 1.0):
            low, middle, high = (
                float(answer(c, rows.copy(), others + c @ rows, n, epsilon))
                for c in (one, (one + other) / 2, other)
            )
            if middle > (low + high) / 2 + 1e-12:
                return (
                    f"Half-way from {one} to {other} it is larger than the mean of the two values."
                )
    return ""


def _drawn_bins(rng: np.random.Generator) -> Case:
    """All four properties in bins that nobody has seen."""
    seed = int(rng.integers(2**32))

    def judge(answer: Callable[..., Any]) -> str:
        for holds in (_cut_is_valid, _cut_bites, _cut_is_sharp, _cut_is_convex):
            if problem := holds(answer, seed, 40):
                return problem
        return ""

    return Case(judge, "A valid cut, positive where the average record violates pDP, and convex.")


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
    rare = rng.dirichlet(np.full(5, 0.1))

    def log_ratio(rows: NDArray[np.float64], new_row: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.log(np.vstack([rows, new_row]).mean(axis=0) / rows.mean(axis=0))

    mistakes: dict[str, Callable[..., float]] = {
        "That is the loss of removing a record from the table. Here one is added.": (
            lambda rows, new: np.abs(
                np.log(rows.mean(axis=0) * (len(rows) - 1) / (rows.sum(axis=0) - new))
            ).max()
        ),
        "Divide each mass by its own number of records, n before and n + 1 after.": (
            lambda rows, new: np.abs(np.log((rows.sum(axis=0) + new) / rows.sum(axis=0))).max()
        ),
        "The logarithm may be negative, so take its absolute value.": lambda rows, new: log_ratio(
            rows, new
        ).max(),
    }
    more = "Compare P = S/n with the output distribution after the addition, at each x."
    return [
        close(_adding_loss, *table, hint=hint, more=more, mistakes=mistakes)
        for table, hint in (
            ((rows, rows[2]), "There are n + 1 records after the addition and n before."),
            (
                (np.array([[0.6, 0.4], [0.4, 0.6]]), np.array([1.0, 0.0])),
                "Take the absolute value of the logarithm.",
            ),
            ((rows, rare), "Here the distribution of the new record differs from all others."),
            ((rows[:1], rows[0]), "A second record like the only one changes nothing."),
            ((silent, silent[0]), "Leave out outputs that no record reaches."),
            ((silent, np.eye(4)[3]), "What is the loss if an output was impossible before?"),
        )
    ]


def _drawn_guest(rng: np.random.Generator) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    *rows, new = rng.dirichlet(np.full(int(rng.integers(2, 6)), 0.5), int(rng.integers(2, 8)))
    return np.array(rows), new


EXERCISES = {
    "guest": Exercise(
        _guest_cases(),
        draw=_drawn_guest,
    ),
    "lone": Exercise(
        [
            _lone_case(
                40, 2, 0.2, "Use the linear form. p is 1 in its own bin and 0 elsewhere. What is S?"
            ),
            _lone_case(5, 1, 1.0, "A record alone in its bin."),
            _lone_case(40, 30, 0.2, "If enough records share the bin, δ is 0 and not negative."),
            _lone_case(7, 7, 1.0, "If all records are in one bin, removing one changes nothing."),
        ],
        draw=_drawn_lone,
    ),
    "safe": Exercise(
        [
            _safe_case(
                5,
                1.0,
                "Which ratio does Theorem 1′ allow, and which ratio does a Gaussian density have?",
            ),
            _safe_case(1317, 0.1, "Which ratio does Theorem 1′ allow?"),
            Case(
                _safe_protects, "The check puts one record at one end and all others at the other."
            ),
            _safe_case(
                10**9, 1e-12, "For small ε, exp(ε) - 1 loses digits. NumPy and math have expm1."
            ),
            _safe_case(2, 1e-12, "For small u, ln(1 + u) loses digits. NumPy and math have log1p."),
        ],
        draw=lambda rng: (
            int(rng.integers(2, 5000)),
            round(float(np.exp(rng.uniform(-4.0, 1.0))), 4),
        ),
    ),
    "extremes": Exercise(
        [
            _extremes_case(
                sigma, "Return the pair (v_min, v_max). Where does each occur, and what is Z there?"
            )
            for sigma in (0.4, 0.1, 1.0, 50.0)
        ],
        draw=lambda rng: (round(float(np.exp(rng.uniform(-2.5, 2.0))), 3),),
    ),
    "certify": Exercise(
        [
            Case(
                _cut_is_valid,
                "A valid cut is never above every δ of the bin.",
                "Jensen: what does a convex function say about the average record?",
            ),
            Case(
                _cut_bites,
                "Your cut must be positive there. The linear form of pDP has two sides.",
                "The function of the chapter takes rows, and the average record is a row, too.",
            ),
            Case(
                _cut_is_sharp,
                "Then the cut has to be the exact δ of one of them, and yours is another number.",
            ),
            Case(_cut_is_convex, "The cut is not convex in C, so a solver cannot use it."),
        ],
        draw=_drawn_bins,
    ),
}
