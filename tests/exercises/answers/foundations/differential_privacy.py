"""Answers to the exercises of *Differential privacy*."""

import math

import numpy as np
from scipy.stats import laplace

from tests.tools.answers import Answers


def odds(belief):
    return belief / (1 - belief)


def margin(sensitivity, margin, chance):
    """The quantile of Laplace noise of scale 1, over the margin in units of the sensitivity."""
    return laplace.isf(chance / 2) * sensitivity / margin


def split(sensitivities, epsilon):
    weights = np.sqrt(sensitivities)
    return list(epsilon * weights / weights.sum())


ANSWERS = {
    "least-epsilon": Answers(
        wrong=[
            (lambda b, a: abs(math.log2(odds(a) / odds(b))), "right in base 2"),
            (lambda b, a: a - b, "Compare odds"),
        ],
        right=[lambda b, a: math.log(max(odds(a) / odds(b), odds(b) / odds(a)))],
    ),
    "margin": Answers(
        wrong=[(lambda s, m, c: s * (1 - c) / m, "With which probability")], right=[margin]
    ),
    "split-budget": Answers(
        wrong=[
            (lambda s, e: np.sqrt(s) * e, "sum to the total"),
            (lambda s, e: sum(split(s, e)), "Its shape is ()"),
        ],
        right=[split],
    ),
}
