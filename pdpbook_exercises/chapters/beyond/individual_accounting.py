"""Checks of the exercises in *Individual privacy accounting*."""

from math import log, sqrt

import numpy as np

from pdpbook_exercises.checking import assert_close, assert_equal, exercise


@exercise("individual-accounting/steps")
def steps(answer, rng):
    cases = [
        ([4, 1, 1], 4, 4, 1, 40, "These are the three records of the chapter."),
        ([9, 0, 2], 4, 4, 1, 40, "What does a gradient of length 0 cost?"),
        ([0.5, 3, 7], 3, 10, 0.3, 12, "No record takes part in more steps than there are."),
        ([8], 8, 1, 1, 5, "A record may leave before the first step."),
    ]
    for size, most in rng.integers([3, 10], [7, 60], (3, 2)).tolist():
        lengths, others = rng.exponential(3, size), rng.uniform([2, 2, 0.5], [6, 8, 3])
        cases.append((lengths, *others, most, "Every record pays for its own gradients."))
    for lengths, clip, sigma, budget, most, hint in cases:
        g = np.array(lengths, dtype=float)
        own = np.minimum(g, clip) ** 2 / (2 * sigma**2)
        costs = {
            "A gradient counts with a length of at most C.": g**2 / (2 * sigma**2),
            "That is worst-case accounting. Here a record pays for its own length.": (
                0 * g + clip**2 / (2 * sigma**2)
            ),
            "The cost has a factor 1/2.": 2 * own,
            "The cost is a square.": np.minimum(g, clip) / (2 * sigma),
        }
        right = np.minimum(budget // own, most)
        mistakes = {said: np.minimum(budget // cost, most) for said, cost in costs.items()}
        mistakes["A step that would exceed the budget is skipped."] = np.minimum(right + 1, most)
        more = "A step costs min(g, C)² / (2 σ²). How many steps fit into the budget?"
        assert_equal(answer(g, clip, sigma, budget, most), right, hint, mistakes, more=more)


def tables(rng):
    """Yield lengths (T, n), the noise, and a budget that no sum of the drawn costs hits exactly."""
    # The second record is short again after it has left; the third pays nothing.
    lengths = [[1, 1, 0], [1, 4, 0], [1, 0.5, 0], [1, 0.5, 0], [1, 0.25, 0]]
    yield np.array(lengths), 1.0, 1.75
    yield rng.exponential(size=(30, 6)), 2.0, 1.3
    yield rng.exponential(size=(1, 6)), 1.0, 0.4
    for shape in rng.integers([5, 3], [30, 7], (3, 2)):
        yield rng.exponential(size=shape), *rng.uniform([0.5, 0.3], [3, 2])


@exercise("individual-accounting/participation")
def participation(answer, rng):
    for lengths, sigma, budget in tables(rng):
        cost = lengths**2 / (2 * sigma**2)
        account = np.cumsum(cost, axis=0)
        right = account <= budget
        back, paid = np.zeros_like(right), np.zeros(len(cost[0]))
        for t, row in enumerate(cost):
            back[t] = paid + row <= budget
            paid += row * back[t]
        assert_equal(
            answer(lengths, sigma, budget),
            right,
            "Add up the costs of each record, including the cost of the step in question.",
            {
                "A record that has left does not come back.": back,
                "The cost of the step itself must also fit into the budget.": (
                    account - cost <= budget
                ),
                "Only a record whose budget is spent leaves.": (
                    right & right.all(axis=1, keepdims=True)
                ),
            },
            more="A running sum along the steps (axis 0), compared with the budget, is enough.",
        )


@exercise("individual-accounting/rest")
def rest(answer, rng):
    for lengths, sigma, budget in tables(rng):
        cost = lengths**2 / (2 * sigma**2)
        account = np.cumsum(cost, axis=0)
        paid = np.diff(np.minimum(account, budget), axis=0, prepend=0)
        assert_close(
            answer(lengths, sigma, budget),
            sigma * np.sqrt(2 * paid),
            "If r of the budget is left, which length costs exactly r?",
            {
                "That skips the step. Here the record contributes a shorter gradient.": (
                    lengths * (account <= budget)
                ),
                "The cost is a square of the length, so half the cost is not half the length.": (
                    lengths * np.where(cost > 0, paid / cost, 0)
                ),
            },
            more="Solve g²/(2σ²) = r for g; a record with a longer gradient uses this length.",
            atol=1e-6,
        )


@exercise("individual-accounting/budget")
def budget(answer, rng):
    usual = "Write the bound as an equation for the root of ρ."
    cases = [
        (1.0, 1e-5, usual),
        (20.0, 0.1, "The formula also holds for a large ε."),
        (1e-12, 1e-6, "The result must keep its digits if ε is tiny."),
    ]
    for _ in range(3):
        cases.append((rng.uniform(0.05, 10), 10.0 ** -rng.integers(1, 10), usual))
    for epsilon, delta, hint in cases:
        L = log(1 / delta)
        root = epsilon / (sqrt(epsilon + L) + sqrt(L))
        assert_close(
            answer(epsilon, delta),
            root**2,
            hint,
            {
                "That is the root of the budget.": root,
                "The bound also has the term ρ.": epsilon**2 / (4 * L),
                "Take the logarithm of 1/δ.": (sqrt(epsilon + 1 / delta) - sqrt(1 / delta)) ** 2,
                "Subtracting two nearly equal roots loses most of the digits.": (
                    (sqrt(epsilon + L) - sqrt(L)) ** 2
                ),
            },
            more="Add ln(1/δ) to both sides of ρ + 2√(ρ ln(1/δ)) = ε. The left side is a square.",
            rtol=1e-9,
            atol=0,
        )
