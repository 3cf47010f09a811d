"""Answers to the exercises of *Gaussian noise and (ε, δ)-pDP*."""

import math

import numpy as np

from pdpbook.beyond.gaussian_pdp import hockey_stick_divergences
from pdpbook.per_instance.privacy_loss import linear_limits
from tests.tools.answers import Answers


def lone(n, m, epsilon):
    return max(m / n - math.exp(epsilon) * (m - 1) / (n - 1), 0)


def adding(rows, new):
    """Output by output."""
    n, worst = len(rows), 0
    for column, more in zip(rows.T, new, strict=True):
        before, after = sum(column) / n, (sum(column) + more) / (n + 1)
        if after > 0:
            worst = max(worst, abs(math.log(after / before)) if before else math.inf)
    return worst


def adding_without_care(rows, new):
    return np.abs(np.log(np.vstack([rows, new]).mean(0) / rows.mean(0))).max()


def adding_finite(rows, new):
    seen = rows.sum(0) > 0
    return adding(rows[:, seen], new[seen])


def top(s):
    """Peak of the density of a record at an end."""
    return 1 / (s * math.sqrt(math.pi / 2) * math.erf(1 / (s * math.sqrt(2))))


def cut(c, rows, mass, n, epsilon):
    """From the positive parts, without the function of the chapter."""
    tau, sigma = linear_limits(n, epsilon)
    row = c @ rows / c.sum()
    above = math.exp(epsilon) / (n - 1) * np.maximum(row - tau * mass, 0).sum()
    below = np.maximum(sigma * mass - row, 0).sum() / (n - 1)
    return max(above, below)


def one_sided_cut(c, rows, mass, n, epsilon):
    tau = linear_limits(n, epsilon)[0]
    return math.exp(epsilon) / (n - 1) * np.maximum(c @ rows / c.sum() - tau * mass, 0).sum()


def mean_cut(c, rows, mass, n, epsilon):
    """Mean of the deltas: sharp and valid, but not convex in C."""
    deltas = hockey_stick_divergences(rows, mass, n, epsilon)
    return c @ deltas / c.sum()


ANSWERS = {
    "guest": Answers(
        [adding],
        (adding_without_care, "Leave out outputs that no record reaches."),
        (adding_finite, "What is the loss if an output was impossible before?"),
    ),
    "lone": Answers([lone]),
    "safe": Answers(
        [lambda n, e: np.sqrt(0.5 / np.log1p(n * np.expm1(e)))],
        (lambda n, e: math.sqrt(0.5 / math.log(1 + n * (math.exp(e) - 1))), "loses digits"),
        (lambda n, e: math.sqrt(0.5 / math.log(1 + n * math.expm1(e))), "For small u"),
    ),
    "extremes": Answers([lambda s: [top(s) * math.exp(-0.5 / s**2), top(s)]]),
    "certify": Answers(
        [cut],
        (lambda *case: 2 * cut(*case), "Here the largest δ of the bin is"),
        (lambda *case: 0.0, "violates the"),
        (one_sided_cut, "Mind both sides of the linear form."),
        (mean_cut, "not convex in C"),
        (lambda *case: cut(*case) / 2, "All records of this bin choose the same action"),
        (lambda c, *rest: hockey_stick_divergences(*rest), "The answer must be one number."),
    ),
}
