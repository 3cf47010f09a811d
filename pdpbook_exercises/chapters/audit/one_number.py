"""Self-checks of the chapter *Local randomisers*."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdpbook.audit.randomisers import k_ary_randomised_response, randomiser_epsilon
from pdpbook.foundations.divergences import kl_divergence
from pdpbook_exercises import Case, Exercise, close

__all__ = ["EXERCISES"]


def _draws_of_others(n: int, epsilon: float, m: int) -> float:
    return m / (1.0 + n * math.expm1(epsilon))


def _largest_replacement(randomiser: NDArray[np.float64], n: int) -> float:
    worst = 0.0
    for data in combinations_with_replacement(range(len(randomiser)), n - 1):
        outputs = np.log(
            randomiser[list(data)].sum(axis=0) + randomiser
        )  # one a value of the last record
        worst = max(worst, float(np.ptp(outputs, axis=0).max()))
    return worst


def _ratio(randomiser: NDArray[np.float64]) -> float:
    return float((randomiser.max(axis=0) / randomiser.min(axis=0)).max())


def _replacement_cases() -> list[Case]:
    rng = np.random.default_rng(3)
    mistakes = {
        "A removal and an addition bound it. But the n - 1 others stay throughout.": (
            lambda randomiser, n: 2 * math.log1p((_ratio(randomiser) - 1) / n)
        ),
        "That is the loss of a record that was drawn for certain.": (
            lambda randomiser, n: math.log(_ratio(randomiser))
        ),
        "How many records has the smaller of the two sums at x?": (
            lambda randomiser, n: math.log1p((_ratio(randomiser) - 1) / (n - 1))
        ),
        "Ratios are taken within a column.": (
            lambda randomiser, n: math.log1p((randomiser.max() / randomiser.min() - 1) / n)
        ),
    }
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
            more="Put all n - 1 others on the row that has the least at x.",
            mistakes=mistakes,
        )
        for bins, n in ((3, 3), (2, 2), (4, 4), (2, 9))
    ] + [close(0.0, np.full((3, 3), 1 / 3), 5, hint="What if all rows are equal?")]


def _smallest_lambda(weights: NDArray[np.float64], n: int, epsilon: float) -> float:
    return 1.0 / (1.0 + n * math.expm1(epsilon) * float(weights.min()))


def _drawn_weights(rng: np.random.Generator) -> tuple[NDArray[np.float64], int, float]:
    """Draw a distribution whose bins are all possible; a bin with 0 is among the fixed cases."""
    bins = int(rng.integers(3, 9))
    weights = rng.dirichlet(np.full(bins, 2.0)) * 0.9 + 0.1 / bins
    return weights, int(rng.integers(2, 2000)), round(float(rng.uniform(0.05, 3.0)), 3)


PLAUSIBLE = [(101, 1317, 1.0, 38, 62), (20, 50, 0.3, 5, 9), (10, 6, 2.0, 0, 3), (8, 100, 1.0, 0, 7)]


def _protects(*arguments: Any) -> Callable[[Any], str]:
    bins, n, epsilon, *_ = arguments

    def judge(answer: Any) -> str:
        randomiser = np.asarray(answer(*arguments), dtype=float)
        if randomiser.shape != (bins, bins):
            return f"Its shape is {randomiser.shape}, and {(bins, bins)} was expected."
        if not ((randomiser >= 0).all() and np.allclose(randomiser.sum(axis=1), 1.0)):
            return "It is not a table of probabilities whose rows sum to 1."
        spent = randomiser_epsilon(randomiser, n)
        return "" if spent <= epsilon * (1 + 1e-9) else f"The randomiser is {spent:.4g}-DP."

    return judge


def _is_nearer(*arguments: Any) -> Callable[[Any], str]:
    bins, n, epsilon, first, last = arguments
    inside = np.arange(first, last + 1)
    peaks = [np.full(inside.size, 1.0), 1.0 + np.minimum(inside - first, last - inside) ** 2]
    everything = inside.size == bins

    def judge(answer: Any) -> str:
        randomiser = np.asarray(answer(*arguments), dtype=float)
        plain = k_ary_randomised_response(bins, n, epsilon)
        for weights in peaks:
            q = np.zeros(bins)
            q[inside] = weights / weights.sum()
            own, other = (kl_divergence(q, q @ table) for table in (randomiser, plain))
            if own > (other + 1e-9 if everything else 0.99 * other):
                return (
                    f"Its divergence is {own:.4g}, "
                    f"and that of k-ary randomised response {other:.4g}."
                )
        return ""

    return judge


def _drawn_plausible(rng: np.random.Generator) -> Case:
    bins = int(rng.integers(8, 40))
    first, width = int(rng.integers(0, bins // 2)), int(rng.integers(2, bins // 3 + 1))
    epsilon = round(float(rng.uniform(0.3, 2.0)), 2)
    arguments = bins, int(rng.integers(4, 1500)), epsilon, first, first + width
    judges = _protects(*arguments), _is_nearer(*arguments)
    return Case(
        lambda answer: next(filter(None, (judge(answer) for judge in judges)), ""),
        "ε-DP, all rows included, and nearer than k-ary randomised response on the bins inside.",
    )


EXERCISES = {
    "draws-of-others": Exercise(
        [
            close(
                _draws_of_others,
                n,
                epsilon,
                m,
                hint="The record's own row is 1 there. What does the ratio form of pDP ask of the "
                "average of the others?",
                more="Without the record, a draw is a draw from the average of the others. That "
                "must be at least the record's own row divided by R.",
                mistakes={
                    "That many land there with the record in the data. And without it?": (
                        lambda n, epsilon, m: m * math.exp(epsilon) / (1 + n * math.expm1(epsilon))
                    ),
                    "Without the record n - 1 are left, and the mean over them counts.": (
                        lambda n, epsilon, m: m * (n - 1) / n / (1 + n * math.expm1(epsilon))
                    ),
                    "That is the record's own share of the draws.": lambda n, epsilon, m: m / n,
                    "R is not n times exp(ε) - 1. Look at ε = 0: everybody must be alike.": (
                        lambda n, epsilon, m: m / (n * math.expm1(epsilon))
                    ),
                    "The formula is right, but exp(ε) - 1 loses digits for tiny ε. NumPy and math "
                    "have a function that does not.": (
                        lambda n, epsilon, m: m / (1 + n * (math.exp(epsilon) - 1))
                    ),
                },
                rtol=1e-9,
                atol=0.0,
            )
            for n, epsilon, m in (
                (6, 1.0, 52),
                (1317, 1.0, 1317),
                (10, 0.2, 1),
                (10**9, 2e-9, 10**9),
                (50, 30.0, 10**6),
            )
        ],
        draw=lambda rng: (
            int(rng.integers(2, 3000)),
            round(rng.uniform(0.05, 3.0), 3),
            int(rng.integers(1, 5000)),
        ),
    ),
    "public-weights": Exercise(
        [
            close(
                _smallest_lambda,
                np.array(weights),
                n,
                epsilon,
                hint="Write down a column of the table: its entry on the diagonal and the entries "
                "beside it. What does the theorem on fixed local randomisers ask of their ratio?",
                more="The ratio in column x is at most R if and only if λ is at least some number "
                "that depends on the weight of x. All columns have to fulfil this.",
                mistakes={
                    "That is enough for the column with the largest weight. And for the others?": (
                        lambda weights, n, epsilon: (
                            1 / (1 + n * math.expm1(epsilon) * weights.max())
                        )
                    ),
                    "That is the λ of k-ary randomised response. Which ratio has the column of a "
                    "bin with a small weight?": (
                        lambda weights, n, epsilon: (
                            len(weights) / (len(weights) + n * math.expm1(epsilon))
                        )
                    ),
                    "A record that is replaced may be released as its own bin. What is the entry "
                    "on the diagonal?": (
                        lambda weights, n, epsilon: (
                            1 / (1 + (1 + n * math.expm1(epsilon)) * weights.min())
                        )
                    ),
                    "That protects a record from somebody who knows that it was drawn. How often "
                    "is it drawn?": (
                        lambda weights, n, epsilon: 1 / (1 + math.expm1(epsilon) * weights.min())
                    ),
                    "How many records are there while the record is in the data?": (
                        lambda weights, n, epsilon: (
                            1 / (1 + (n - 1) * math.expm1(epsilon) * weights.min())
                        )
                    ),
                    "Ratios are taken within a column. Your λ compares the largest and the "
                    "smallest entry of the whole table.": (
                        lambda weights, n, epsilon: (
                            1 / (1 + (1 + n * math.expm1(epsilon)) * weights.min() - weights.max())
                        )
                    ),
                    "Who can be released as a bin of weight 0 if λ < 1?": (
                        lambda weights, n, epsilon: (
                            1 / (1 + n * math.expm1(epsilon) * weights[weights > 0].min())
                        )
                    ),
                    "That is the probability that a record is not replaced.": (
                        lambda weights, n, epsilon: 1 - _smallest_lambda(weights, n, epsilon)
                    ),
                },
            )
            for weights, n, epsilon in (
                ([1 / 2, 1 / 3, 1 / 6], 6, 1.0),
                ([0.25, 0.05, 0.3, 0.4], 1317, 0.1),
                ([0.5, 0.3, 0.2, 0.0], 50, 2.0),
                ([0.2] * 5, 10, 0.5),
                ([0.999, 0.001], 2, 0.3),
            )
        ],
        draw=_drawn_weights,
    ),
    "replacement": Exercise(
        _replacement_cases(),
        draw=lambda rng: (
            rng.dirichlet(np.full(3, 1.5), size=3) * 0.9 + 0.03,
            int(rng.integers(2, 7)),
        ),
    ),
    "plausible": Exercise(
        [
            case
            for arguments in PLAUSIBLE
            for case in (
                Case(
                    _protects(*arguments),
                    "It must be a table of K rows and columns, and ε-DP for every data set of n "
                    "records. Look at the ratios within each column, all rows included.",
                    "A record outside is released somewhere, too. Give it a row that is "
                    "positive in the columns inside.",
                ),
                Case(
                    _is_nearer(*arguments),
                    "No nearer to data in the plausible bins than k-ary randomised response "
                    "(at least 1 % nearer; as near if every bin is plausible). "
                    "Who needs the other columns?",
                    "A column that is 0 in all rows has no ratio.",
                ),
            )
        ],
        draw=_drawn_plausible,
    ),
}
