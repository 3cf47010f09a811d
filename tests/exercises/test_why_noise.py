"""Wrong answers to the exercises of *Why noise?* are refused and told what is wrong."""

import math
from itertools import product

import numpy as np

from tests.tools.answers import answer_tests


def all_events(p, q):
    return max(
        sum(a - b for a, b, inside in zip(p, q, event, strict=True) if inside)
        for event in product([0, 1], repeat=len(p))
    )


WRONG = {
    "leaver": [
        (lambda before, after, n: n * (before - after), "Both sums are of n people"),
        (lambda before, after, n: (n + 1) * before - n * after, "n counts the group before"),
        (lambda before, after, n: (n - 1) * after - n * before, "The sign is wrong."),
        (lambda before, after, n: before - after, "Turn each mean back"),
        (lambda before, after, n: np.max(n * before - (n - 1) * after), "Its shape is ()"),
    ],
    "rounding": [
        (lambda n, d: 0.5 * 10.0**-d, "the two errors help each other"),
        (lambda n, d: (2 * n - 1) * 10.0**-d, "*half* a unit"),
        (lambda n, d: n * 0.5 * 10.0**-d, "The second mean has its error, too."),
        (lambda n, d: n * 10.0**-d, "multiplied by n - 1"),
        (lambda n, d: -(2 * n - 1) * 0.5 * 10.0**-d, "The sign is wrong."),
    ],
    "best-advantage": [
        (lambda p, q: np.abs(p - q).sum(), "That is twice the answer"),
        (lambda p, q: (p - q).max(), "Events may be larger."),
        (lambda p, q: (p - q).sum(), "That event holds all outputs."),
        (lambda p, q: np.tanh(np.abs(np.log(p / q)).max() / 2), "Which are worth having?"),
        (lambda p, q: np.minimum(p - q, 0).sum(), "The sign is wrong."),
    ],
    "three-answers": [
        (lambda e, m: 1 / (1 + math.exp(-e)), "right for two answers only"),
        (lambda e, m: 1 / (1 + math.exp(e) / (m - 1)), "does not hold yet"),
        (lambda e, m: 1 - 1 / (1 + (m - 1) * math.exp(-e)), "probability of a lie"),
        (lambda e, m: 1 / (1 + m * math.exp(-e)), "Compare the true report"),
        (lambda e, m: math.exp(e) / m, "Compare the true report"),
    ],
    "better-attacker": [
        (lambda answers: answers.mean(axis=1) > 132.5, "and the mean in"),
        (lambda answers: np.median(answers, axis=1) < 132.5, "It is right in"),
        (lambda answers: np.median(answers) > 132.5, "one decision for each"),
        (lambda answers: answers > 132.5, "one decision for each"),
        (lambda answers: answers[:, 0] > 132.5, "It is right in"),
    ],
}

RIGHT = {
    "leaver": [lambda before, after, n: after + n * (before - after)],
    "rounding": [lambda n, d: (n - 0.5) / 10**d],
    "best-advantage": [all_events, lambda p, q: np.abs(np.subtract(p, q)).sum() / 2],
    "three-answers": [lambda e, m: math.exp(e) / (math.exp(e) + m - 1)],
    "better-attacker": [
        lambda answers: np.median(answers, axis=1) > 132.5,
        lambda answers: [sum(np.clip(row, 132, 133) - 132.5) > 0 for row in answers],
    ],
}

test_wrong_answers, test_right_answers = answer_tests("why-noise", WRONG, RIGHT)
