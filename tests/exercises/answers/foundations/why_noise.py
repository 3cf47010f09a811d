"""Answers to the exercises of *Why noise?*."""

import math

import numpy as np

from tests.tools.answers import Answers

ANSWERS = {
    "leaver": Answers(
        [lambda before, after, n: after + n * (before - after)],
        (lambda before, after, n: before - after, "Turn each mean back"),
    ),
    "rounding": Answers([lambda n, d: (n - 0.5) / 10**d]),
    "best-advantage": Answers([lambda p, q: np.abs(np.subtract(p, q)).sum() / 2]),
    "three-answers": Answers([lambda e, m: math.exp(e) / (math.exp(e) + m - 1)]),
    "better-attacker": Answers(
        [lambda answers: np.median(answers, axis=1) > 132.5],
        (lambda answers: answers.mean(axis=1) > 132.5, "and the mean is right in"),
        (lambda answers: np.median(answers, axis=1) < 132.5, "It is right in"),
        (lambda answers: np.median(answers) > 132.5, "one decision for each"),
    ),
}
