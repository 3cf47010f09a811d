"""Answers to the exercises of *Why noise?*."""

import math

import numpy as np

from tests.tools.answers import Answers

ANSWERS = {
    "leaver": Answers(
        wrong=[
            (lambda before, after, n: (n - 1) * after - n * before, "The sign is wrong."),
            (lambda before, after, n: before - after, "Turn each mean back"),
            (lambda before, after, n: np.max(n * before - (n - 1) * after), "Its shape is ()"),
        ],
        right=[lambda before, after, n: after + n * (before - after)],
    ),
    "rounding": Answers(
        wrong=[(lambda n, d: -(2 * n - 1) * 0.5 * 10.0**-d, "The sign is wrong.")],
        right=[lambda n, d: (n - 0.5) / 10**d],
    ),
    "best-advantage": Answers(
        wrong=[
            (lambda p, q: np.tanh(np.abs(np.log(p / q)).max() / 2), "Which are worth having?"),
            (lambda p, q: np.minimum(p - q, 0).sum(), "The sign is wrong."),
        ],
        right=[lambda p, q: np.abs(np.subtract(p, q)).sum() / 2],
    ),
    "three-answers": Answers(
        wrong=[
            (lambda e, m: 1 / (1 + m * math.exp(-e)), "Compare the true report"),
            (lambda e, m: math.exp(e) / m, "Compare the true report"),
        ],
        right=[lambda e, m: math.exp(e) / (math.exp(e) + m - 1)],
    ),
    "better-attacker": Answers(
        wrong=[
            (lambda answers: answers.mean(axis=1) > 132.5, "and the mean in"),
            (lambda answers: np.median(answers, axis=1) < 132.5, "It is right in"),
            (lambda answers: np.median(answers) > 132.5, "one decision for each"),
            (lambda answers: answers > 132.5, "one decision for each"),
            (lambda answers: answers[:, 0] > 132.5, "It is right in"),
        ],
        right=[lambda answers: np.median(answers, axis=1) > 132.5],
    ),
}
