"""Answers to the exercises of *Laplace and Gaussian noise*."""

import math

import numpy as np

from pdpbook.foundations.mechanisms import analytic_gaussian_sigma
from tests.tools.answers import Answers


def crossover(epsilon, delta):
    sigma = analytic_gaussian_sigma(sensitivity=1.0, epsilon=epsilon, delta=delta)
    return math.floor((epsilon * sigma) ** 2 / 2) + 1


def sensitivities(changes):
    removal = [np.abs(changes).sum(axis=1).max(), np.sqrt((changes**2).sum(axis=1)).max()]
    apart = [a - b for a in changes for b in changes]
    return [*removal, max(np.abs(d).sum() for d in apart), max(np.hypot.reduce(d) for d in apart)]


def integral(scale, epsilon):
    """The excess of the densities on a fine grid."""
    y = np.linspace(-60 * scale, 60 * scale + 1, 400_001)
    p, q = (np.exp(-np.abs(y - m) / scale) / (2 * scale) for m in (1, 0))
    return np.maximum(p - math.exp(epsilon) * q, 0).sum() * (y[1] - y[0])


ANSWERS = {
    "crossover": Answers([crossover], (lambda e, d: 1, "Which norm does each use?")),
    "sensitivities": Answers(
        [sensitivities],
        (lambda changes: [9, 9, *sensitivities(changes)[2:]], "L1 and L2 norm of a row"),
        (lambda changes: sensitivities(changes)[:2] * 2, "takes one row away"),
    ),
    "laplace-delta": Answers([integral]),
}
