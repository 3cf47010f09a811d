"""Self-checks of the chapter *One number*."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdpbook.audit.accounting import draws_epsilon
from pdpbook.audit.policies import keep_or_blur, policy_epsilon
from pdpbook.exercises import Case, Exercise, close
from pdpbook.foundations.divergences import hockey_stick_divergence, kl_divergence
from pdpbook.per_instance.privacy_loss import privacy_losses

__all__ = ["EXERCISES"]

MOST = 10**9


def _look_alikes(n: int, epsilon: float, m: int) -> float:
    return m / (1.0 + n * math.expm1(epsilon))


def _largest_replacement(policy: NDArray[np.float64], n: int) -> float:
    worst = 0.0
    for data in combinations_with_replacement(range(len(policy)), n - 1):
        outputs = np.log(policy[list(data)].sum(axis=0) + policy)  # one a value of the last record
        worst = max(worst, float(np.ptp(outputs, axis=0).max()))
    return worst


def _replacement_cases() -> list[Case]:
    rng = np.random.default_rng(3)
    hint = (
        "Let s be what the n - 1 others put on x, and a, b the two rows there. Bound "
        "(s + a)/(s + b): s is at least n - 1 times the smallest entry of the column. When is "
        "the bound attained?"
    )
    return [
        close(
            _largest_replacement,
            rng.dirichlet(np.full(bins, 1.5), size=bins) * 0.9 + 0.1 / bins,
            n,
            hint=hint,
        )
        for bins, n in ((2, 2), (3, 3), (4, 4), (2, 9))
    ] + [close(0.0, np.full((3, 3), 1 / 3), 5, hint="What if all rows are equal?")]


def _is_table(n: int, epsilon: float) -> Callable[[Any], bool]:
    def judge(answer: Any) -> bool:
        rows = np.asarray(answer(n, epsilon), dtype=float)
        return rows.shape == (n, 2) and bool(
            (rows >= 0).all() and np.allclose(rows.sum(axis=1), 1.0)
        )

    return judge


def _has_loss(n: int, epsilon: float) -> Callable[[Any], bool]:
    def judge(answer: Any) -> bool:
        rows = np.asarray(answer(n, epsilon), dtype=float)
        loss = privacy_losses(rows[:1], rows.sum(axis=0), n)[0]
        return math.isclose(loss, epsilon, rel_tol=1e-6)

    return judge


def _pays_in_full(n: int, epsilon: float) -> Callable[[Any], bool]:
    def judge(answer: Any) -> bool:
        rows = np.asarray(answer(n, epsilon), dtype=float)
        pair = [rows.mean(axis=0), rows[1:].mean(axis=0)]
        p, q = (np.einsum("x,y,z->xyz", law, law, law).ravel() for law in pair)
        delta = 1e-3 / n
        total = draws_epsilon(n, epsilon, draws=3, delta=delta)
        p, q = p / p.sum(), q / q.sum()
        spent = max(hockey_stick_divergence(*each, epsilon=total) for each in ((p, q), (q, p)))
        return math.isclose(spent, delta, rel_tol=1e-4)

    return judge


def _is_largest(n: int, epsilon: float, total: float, delta: float) -> Callable[[Any], bool]:
    def cost(m: int) -> float:
        return draws_epsilon(n, epsilon, draws=m, delta=delta)

    def judge(answer: Any) -> bool:
        m = answer(n, epsilon, total, delta)
        if m != int(m) or not 0 <= m <= MOST:
            return False
        m = int(m)
        return (m == 0 or cost(m) <= total) and (m == MOST or cost(m + 1) > total)

    return judge


PLAUSIBLE = [(101, 1317, 1.0, 38, 62), (20, 50, 0.3, 5, 9), (10, 6, 2.0, 0, 3), (8, 100, 1.0, 0, 7)]


def _protects(*arguments: Any) -> Callable[[Any], bool]:
    bins, n, epsilon, *_ = arguments

    def judge(answer: Any) -> bool:
        policy = np.asarray(answer(*arguments), dtype=float)
        if policy.shape != (bins, bins):
            return False
        return policy_epsilon(policy, n) <= epsilon * (1 + 1e-9)

    return judge


def _is_nearer(*arguments: Any) -> Callable[[Any], bool]:
    bins, n, epsilon, first, last = arguments
    inside = np.arange(first, last + 1)
    peaks = [np.full(inside.size, 1.0), 1.0 + np.minimum(inside - first, last - inside) ** 2]
    everything = inside.size == bins

    def judge(answer: Any) -> bool:
        policy = np.asarray(answer(*arguments), dtype=float)
        plain = keep_or_blur(bins, n, epsilon)
        for weights in peaks:
            q = np.zeros(bins)
            q[inside] = weights / weights.sum()
            own, other = (kl_divergence(q, q @ table) for table in (policy, plain))
            if own > (other + 1e-9 if everything else 0.99 * other):
                return False
        return True

    return judge


EXERCISES = {
    "look-alikes": Exercise(
        [
            close(
                _look_alikes,
                n,
                epsilon,
                m,
                hint="The record's own row is 1 there. What does the lemma One number ask of the "
                "average of the others? Use expm1 where exp(epsilon) - 1 would lose digits.",
                rtol=1e-9,
                atol=0.0,
            )
            for n, epsilon, m in (
                (1317, 1.0, 1317),
                (6, 1.0, 52),
                (10, 0.2, 1),
                (10**9, 2e-9, 10**9),
                (50, 30.0, 10**6),
            )
        ]
    ),
    "replacement": Exercise(_replacement_cases()),
    "worst-rows": Exercise(
        [
            case
            for n, epsilon in ((6, 1.0), (2, 0.8), (50, 0.3), (400, 2.0))
            for case in (
                Case(_is_table(n, epsilon), "Return n rows of two probabilities each."),
                Case(
                    _has_loss(n, epsilon),
                    "Record 0 must have exactly the loss epsilon by one draw. How much cover does "
                    "it need?",
                ),
                Case(
                    _pays_in_full(n, epsilon),
                    "The loss is right, but three draws cost less than the theorem allows. What "
                    "must record 0 itself do in part 2 of the theorem The coin?",
                ),
            )
        ]
    ),
    "draws-allowed": Exercise(
        [
            Case(
                _is_largest(*case),
                "The cost of your m must be within the total and that of m + 1 above it; 0 if one "
                "draw costs too much, a billion if a billion is still allowed.",
            )
            for case in (
                (1317, 1.0, 10.0, 1e-6),
                (1317, 0.1, 1.0, 1e-6),
                (1317, 0.01, 20.0, 1e-6),
                (2, 5.0, 0.1, 1e-9),
                (10**15, 1.0, 1.0, 1e-5),
                (40, 0.5, 0.6, 0.0),
            )
        ]
    ),
    "plausible": Exercise(
        [
            case
            for arguments in PLAUSIBLE
            for case in (
                Case(
                    _protects(*arguments),
                    "Not epsilon-DP for every data set of n records, or not a table of K rows and "
                    "columns. Look at the ratios within each column, all rows included.",
                ),
                Case(
                    _is_nearer(*arguments),
                    "No nearer to data in the plausible bins than keep or blur (at least 1 % "
                    "nearer; as near if every bin is plausible). Who needs the other columns?",
                ),
            )
        ]
    ),
}
