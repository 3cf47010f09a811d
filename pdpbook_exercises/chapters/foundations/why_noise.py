"""Checks of the exercises in *Why noise?*."""

from itertools import product
from math import e, exp

import numpy as np

from pdpbook_exercises.checking import assert_close, exercise


@exercise("why-noise/leaver")
def leaver(answer, rng):
    for n in [2, 17, 500, *rng.integers(2, 900, 3).tolist()]:
        means = rng.normal(200, 9, (2, 4))
        for before, after in [means[:, 0], means]:
            assert_close(
                answer(before, after, n),
                n * before - (n - 1) * after,
                "Turn each mean back into a sum, of n people before and of n - 1 people after.",
                {
                    "In your answer, both sums are over n people.": n * (before - after),
                    "In the second group, n - 1 people are left.": (n + 1) * before - n * after,
                },
                rtol=1e-8,
            )


@exercise("why-noise/rounding")
def rounding(answer, rng):
    drawn = rng.integers([2, 0], [5000, 6], (3, 2)).tolist()
    for n, decimals in [(2, 0), (1317, 1), (1317, 4), (50, 2), *drawn]:
        half = 0.5 * 10.0**-decimals
        assert_close(
            answer(n, decimals),
            (2 * n - 1) * half,
            "Each mean is off by at most half a unit of its last decimal, in either direction.",
            {
                "In your answer, the errors partly cancel. In the worst case, they add up.": half,
                "A rounded number is off by at most *half* a unit.": (2 * n - 1) * 2 * half,
                "The second mean also has an error.": n * half,
                "The second mean is multiplied by n - 1, not by n.": 2 * n * half,
            },
        )


@exercise("why-noise/best-advantage")
def best_advantage(answer, rng):
    cases = [rng.dirichlet(np.full(size, 2), 2) for size in [3, 2, 6, *rng.integers(2, 8, 3)]]
    for p, q in [*cases, np.array([[e, 1], [1, e]]) / (1 + e)]:
        assert_close(
            answer(p, q),
            max((p - q) @ event for event in product([0, 1], repeat=len(p))),
            "An event is a set of outputs, and each output x adds p(x) - q(x) to p(E) - q(E). "
            "Which outputs increase this difference?",
            {
                "That is twice the answer: it also counts the outputs where q is larger.": (
                    abs(p - q).sum()
                ),
                "That is the best single output. An event may contain several.": (p - q).max(),
                "That event contains all outputs.": (p - q).sum(),
            },
        )


@exercise("why-noise/three-answers")
def three_answers(answer, rng):
    drawn = [(rng.uniform(0.05, 4), int(rng.integers(2, 13))) for _ in range(3)]
    for epsilon, m in [(1.0, 3), (1.0, 2), (0.1, 10), (3.0, 4), *drawn]:
        truth = exp(epsilon) / (exp(epsilon) + m - 1)
        assert_close(
            answer(epsilon, m),
            truth,
            "Compare the probability of the true report with that of any other report.",
            {
                "That is right only if there are two answers.": 1 / (1 + exp(-epsilon)),
                "That is the probability of a lie.": 1 - truth,
                "Does a larger epsilon make the truth more likely in your answer?": (
                    1 / (1 + (m - 1) * exp(epsilon))
                ),
            },
        )


@exercise("why-noise/better-attacker")
def better_attacker(answer, rng):
    for _ in range(4):
        truth = rng.random(4000) < 0.5
        noisy = 132 + truth[:, None] + rng.laplace(0, 2, (4000, 25))
        given = np.asarray(answer(noisy))
        assert given.shape == truth.shape, (
            f"Its shape is {given.shape}: return one decision for each of the 4000 rows."
        )
        right = (given.astype(bool) == truth).mean()
        by_mean = ((noisy.mean(axis=1) > 132.5) == truth).mean()
        assert right > by_mean + 0.03, (
            f"It is right in {right:.1%} of the rows, and the mean is right in {by_mean:.1%}. "
            "Extreme answers reveal little about Jacob, but they move the mean most."
        )
