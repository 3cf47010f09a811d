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
    "least-epsilon": Answers([lambda b, a: math.log(max(odds(a) / odds(b), odds(b) / odds(a)))]),
    "margin": Answers([margin]),
    "split-budget": Answers([split]),
}
