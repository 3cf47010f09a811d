"""Checks of the exercises in *Many draws*."""

from math import exp, expm1, isclose, log

import numpy as np
from scipy.stats import binom

from pdpbook.audit.accounting import draws_epsilon
from pdpbook.foundations.divergences import hockey_stick_divergence
from pdpbook.per_instance.privacy_loss import privacy_losses
from pdpbook_exercises.checking import assert_close, exercise

MOST = 10**9


@exercise("many-draws/advantage")
def advantage(answer, rng):
    drawn = [  # with ε >= ln(n/(n-1))
        (int(rng.integers(12, 2000)), rng.uniform(0.1, 3), int(rng.integers(1, 300)))
        for _ in range(3)
    ]
    for n, epsilon, m in [(6, log(2), 2), (1317, 1.0, 1317), (10, 0.2, 40), (50, 3.0, 7), *drawn]:
        without = 1 / (1 + n * expm1(epsilon))
        chances = np.array([exp(epsilon) * without, without])
        p, q = (binom.pmf(range(m + 1), m, chance) for chance in chances)
        seen = 1 - (1 - chances) ** m
        assert_close(
            answer(n, epsilon, m),
            abs(p - q).sum() / 2,
            "The number of draws in Jacob's bin is binomial in both cases. The advantage is half "
            "the sum of the absolute differences of the two distributions.",
            {
                "The total variation distance is half of that sum.": abs(p - q).sum(),
                "Advantages of draws do not add up.": m * (chances[0] - chances[1]),
                "An attacker who only looks at whether the bin is drawn loses part of the "
                "information in the number of its draws.": seen[0] - seen[1],
            },
            more=("Jacob's bin has the probability 1/R without him and exp(ε)/R with him."),
        )


@exercise("many-draws/worst-rows")
def worst_rows(answer, rng):
    drawn = [(int(rng.integers(6, 500)), rng.uniform(0.2, 2.5)) for _ in range(3)]
    for n, epsilon in [(6, 1.0), (2, 0.8), (50, 0.3), (400, 2.0), *drawn]:
        rows = np.asarray(answer(n, epsilon), dtype=float)
        form = f"Return {n} rows with two probabilities each. Each row should sum to 1."
        assert rows.shape == (n, 2) and (rows >= 0).all(), form
        assert np.allclose(rows.sum(axis=1), 1), form
        loss = privacy_losses(rows[:1], rows.sum(axis=0), n)[0]
        if not isclose(loss, epsilon, rel_tol=1e-6):
            raise AssertionError(
                f"The loss of record 0 from one draw is {loss:.4g}. It must be exactly epsilon. "
                "How often must the other records be released in its bin?",
                "At bin 0, the other records' average must be 1/R times the entry of record 0.",
            )
        with_it, without = (
            np.kron(one, np.kron(one, one)) / one.sum() ** 3  # three draws
            for one in (rows.mean(axis=0), rows[1:].mean(axis=0))
        )
        delta = 1e-3 / n
        total = draws_epsilon(n, epsilon, draws=3, delta=delta)
        spent = max(
            hockey_stick_divergence(*pair, epsilon=total)
            for pair in [(with_it, without), (without, with_it)]
        )
        if not isclose(spent, delta, rel_tol=1e-4):
            raise AssertionError(
                f"Three draws exceed the theorem's total with δ = {spent:.3g} instead of "
                f"{delta:.3g}. The loss is right, but three draws cost less than the theorem "
                "allows. What must record 0 itself do in part 2 of the theorem on the dominating "
                "pair?",
                "Record 0 must never be released as another value.",
            )


@exercise("many-draws/draws-allowed")
def draws_allowed(answer, rng):
    hint = (
        "Your m draws must cost at most the total, and m + 1 draws must cost more. "
        "Return 0 if one draw costs too much, and a billion if a billion draws are still allowed."
    )
    more = "Double m until m draws cost too much, then halve the interval."
    drawn = [
        (int(rng.integers(2, 5000)), *rng.uniform([0.1, 0.5], [2, 12]), 1e-6) for _ in range(3)
    ]
    for n, epsilon, total, delta in [
        (1317, 1.0, 10.0, 1e-6),
        (1317, 0.1, 1.0, 1e-6),
        (1317, 0.01, 20.0, 1e-6),
        (2, 5.0, 0.1, 1e-9),
        (10**15, 1.0, 1.0, 1e-5),
        (40, 0.5, 0.6, 0.0),
        *drawn,
    ]:
        m = answer(n, epsilon, total, delta)
        assert m == int(m) and 0 <= m <= MOST, "It is not a whole number from 0 to a billion."
        m = int(m)
        if m > 0 and (cost := draws_epsilon(n, epsilon, draws=m, delta=delta)) > total:
            said = f"This number of draws costs {cost:.6g}, more than the total."
            raise AssertionError(f"{said} {hint}", more)
        if m < MOST and (cost := draws_epsilon(n, epsilon, draws=m + 1, delta=delta)) <= total:
            said = f"One draw more would cost {cost:.6g}, which is still allowed."
            raise AssertionError(f"{said} {hint}", more)
