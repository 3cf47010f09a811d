"""Checks of the exercises in *Local randomisers*."""

from itertools import combinations_with_replacement
from math import exp, expm1, log, log1p

import numpy as np

from pdpbook.audit.randomisers import k_ary_randomised_response, randomiser_epsilon
from pdpbook.foundations.divergences import kl_divergence
from pdpbook_exercises import assert_close, exercise


@exercise("one-number/draws-of-others")
def draws_of_others(answer, rng):
    hard = [(6, 1.0, 52), (1317, 1.0, 1317), (10, 0.2, 1), (10**9, 2e-9, 10**9), (50, 30.0, 10**6)]
    drawn = [
        (int(rng.integers(2, 3000)), rng.uniform(0.05, 3), int(rng.integers(1, 5000)))
        for _ in range(3)
    ]
    for n, epsilon, m in hard + drawn:
        right = m / (1 + n * expm1(epsilon))
        assert_close(
            answer(n, epsilon, m),
            right,
            "The record's own row is 1 at the lonely bin. What does the ratio form of pDP ask of "
            "the average of the others?",
            {
                "That is the number with the record in the data. What is it without the record?": (
                    right * exp(epsilon)
                ),
                "Without the record, n - 1 records are left, and their mean counts.": (
                    right * (n - 1) / n
                ),
                "That is the record's own share of the draws.": m / n,
                "R is not n (exp(ε) - 1). At ε = 0, all rows must be equal.": (
                    m / (n * expm1(epsilon))
                ),
                "The formula is right, but exp(ε) - 1 loses digits for tiny ε. NumPy and math "
                "have a function that avoids this.": m / (1 + n * (exp(epsilon) - 1)),
            },
            more="Without the record, a value is drawn from the average of the others. This "
            "average must be at least the record's own row divided by R.",
            rtol=1e-9,
            atol=0,
        )


@exercise("one-number/public-weights")
def public_weights(answer, rng):
    cases = [
        ([1 / 2, 1 / 3, 1 / 6], 6, 1.0),
        ([0.25, 0.05, 0.3, 0.4], 1317, 0.1),
        ([0.5, 0.3, 0.2, 0.0], 50, 2.0),
        ([0.2] * 5, 10, 0.5),
        ([0.999, 0.001], 2, 0.3),
    ]
    for bins in rng.integers(3, 9, 3):
        weights = 0.9 * rng.dirichlet(np.full(bins, 2.0)) + 0.1 / bins
        cases.append((weights, int(rng.integers(2, 2000)), rng.uniform(0.05, 3)))
    for weights, n, epsilon in cases:
        w, growth = np.array(weights), expm1(epsilon)
        least = w.min()
        right = 1 / (1 + n * growth * least)
        assert_close(
            answer(w, n, epsilon),
            right,
            "Write down a column of the table: its entry on the diagonal and its other entries. "
            "What does the theorem on fixed local randomisers ask of their ratio?",
            {
                "That is enough for the column with the largest weight. Is it enough for the other "
                "columns?": (1 / (1 + n * growth * w.max())),
                "That is the λ of k-ary randomised response. What is the ratio in the column of a "
                "bin with a small weight?": 1 / (1 + n * growth / len(w)),
                "A record that is replaced may be released as its own bin. What is the entry on "
                "the diagonal?": 1 / (1 + (1 + n * growth) * least),
                "That protects a record from an attacker who knows that it was drawn. How often "
                "is it drawn?": 1 / (1 + growth * least),
                "How many records are in the data if the record is among them?": (
                    1 / (1 + (n - 1) * growth * least)
                ),
                "Ratios are taken within a column. Your λ compares the largest and the smallest "
                "entry of the whole table.": 1 / (1 + (1 + n * growth) * least - w.max()),
                "Which records can be released as a bin of weight 0 if λ < 1?": (
                    1 / (1 + n * growth * w[w > 0].min())
                ),
                "That is the probability that a record is not replaced.": 1 - right,
            },
            more="The ratio in column x is at most R if and only if λ is at least some number "
            "that depends on the weight of x. All columns have to satisfy this condition.",
        )


@exercise("one-number/replacement")
def replacement(answer, rng):
    hint = (
        "Let s be the mass that the n - 1 others put on x, and let a and b be the entries of the "
        "two rows at x. Bound (s + a)/(s + b): s is at least n - 1 times the smallest entry of the "
        "column. When is the bound attained?"
    )
    drawn = rng.integers([2, 2], [5, 7], (3, 2)).tolist()
    cases = [
        (0.9 * rng.dirichlet(np.full(bins, 1.5), bins) + 0.1 / bins, n, hint)
        for bins, n in [(3, 3), (2, 2), (4, 4), (2, 9), *drawn]
    ]
    for table, n, hint in [*cases, (np.full((3, 3), 1 / 3), 5, "What if all rows are equal?")]:
        others = combinations_with_replacement(range(len(table)), n - 1)
        logs = [np.log(table[[*bins]].sum(axis=0) + table) for bins in others]
        ratio = (table.max(axis=0) / table.min(axis=0)).max()
        assert_close(
            answer(table, n),
            np.ptp(logs, axis=1).max(),  # over all values of the last record
            hint,
            {
                "That is only an upper bound. The n - 1 others stay throughout.": (
                    2 * log1p((ratio - 1) / n)
                ),
                "That is the loss of a record that is certain to be drawn.": log(ratio),
                "How many records contribute to the smaller of the two sums at x?": (
                    log1p((ratio - 1) / (n - 1))
                ),
                "Ratios are taken within a column.": log1p((table.max() / table.min() - 1) / n),
                "Compare the entries of a column, not of a row.": (
                    log1p(((table.max(axis=1) / table.min(axis=1)).max() - 1) / n)
                ),
            },
            more="Give all n - 1 others the row with the smallest entry at x.",
        )


@exercise("one-number/plausible")
def plausible(answer, rng):
    hard = [(101, 1317, 1.0, 38, 62), (20, 50, 0.3, 5, 9), (10, 6, 2.0, 0, 3), (8, 100, 1.0, 0, 7)]
    drawn = []
    for bins in rng.integers(8, 40, 3).tolist():
        first, more = rng.integers([0, 2], [bins // 2, bins // 3 + 1]).tolist()
        drawn.append((bins, int(rng.integers(4, 1500)), rng.uniform(0.3, 2), first, first + more))
    for bins, n, epsilon, first, last in hard + drawn:
        table = np.asarray(answer(bins, n, epsilon, first, last), dtype=float)
        square = (bins, bins)
        assert table.shape == square, f"Its shape is {table.shape}, and {square} was expected."
        assert (table >= 0).all() and np.allclose(table.sum(axis=1), 1), (
            "It is not a table of probabilities whose rows sum to 1."
        )
        spent = randomiser_epsilon(table, n)
        if not spent <= epsilon * (1 + 1e-9):
            raise AssertionError(
                f"The randomiser is {spent:.4g}-DP. It must be ε-DP for every data set of n "
                "records. Look at the ratios within each column, over all rows.",
                "A record in an implausible bin must also be released as some value. Give it a "
                "row that is positive in the plausible columns.",
            )
        inside, plain = np.arange(first, last + 1), k_ary_randomised_response(bins, n, epsilon)
        for weights in (np.ones(inside.size), 1 + np.minimum(inside - first, last - inside) ** 2):
            q = np.zeros(bins)
            q[inside] = weights / weights.sum()
            divergence, other = kl_divergence(q, q @ table), kl_divergence(q, q @ plain)
            if not divergence <= (1 if inside.size == bins else 0.99) * other + 1e-9:
                raise AssertionError(
                    f"Its divergence is {divergence:.4g}; k-ary randomised response has "
                    f"{other:.4g}. For data in the plausible bins, yours must be smaller by at "
                    "least 1 % (or equal, if every bin is plausible). Which records need the "
                    "other columns?",
                    "A column that is 0 in all rows restricts nothing.",
                )
