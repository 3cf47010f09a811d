"""Plausible answers to the exercises of *Gaussian noise*: the wrong are refused and told why."""

import math

import numpy as np
import pytest

from pdpbook import linear_limits
from pdpbook.beyond import hockey_stick_divergences
from tests.tools.answers import answer_tests

pytestmark = [
    pytest.mark.filterwarnings("ignore:divide by zero:RuntimeWarning"),
    pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning"),
]


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


def allowed(n, epsilon):
    return math.log1p(n * math.expm1(epsilon))


def top(s, width=1.0):
    """Peak of the density of a record at an end."""
    return 1 / (s * math.sqrt(math.pi / 2) * math.erf(width / (s * math.sqrt(2))))


def average(c, rows):
    return c @ rows / c.sum()


def cut(c, rows, mass, n, epsilon):
    """From the positive parts, without the function of the chapter."""
    tau, sigma = linear_limits(n, epsilon)
    row = average(c, rows)
    above = math.exp(epsilon) / (n - 1) * np.maximum(row - tau * mass, 0).sum()
    below = np.maximum(sigma * mass - row, 0).sum() / (n - 1)
    return max(above, below)


def one_sided_cut(c, rows, mass, n, epsilon):
    tau = linear_limits(n, epsilon)[0]
    return math.exp(epsilon) / (n - 1) * np.maximum(average(c, rows) - tau * mass, 0).sum()


def least_cut(c, rows, mass, n, epsilon):
    return hockey_stick_divergences(rows[c > 0], mass, n, epsilon).min()


def doubled_cut(*case):
    return 2 * cut(*case)


def mean_cut(c, rows, mass, n, epsilon):
    """Mean of the deltas: sharp and valid, but not convex in C."""
    deltas = hockey_stick_divergences(rows, mass, n, epsilon)
    return c @ deltas / c.sum()


WRONG = {
    "lone": [
        (lambda n, m, e: m / n - math.exp(e) * (m - 1) / (n - 1), "never negative"),
        (lambda n, m, e: 1 / n, "This one has company."),
        (lambda n, m, e: m / n, "if the record goes"),
        (lambda n, m, e: max(m - math.exp(e) * (m - 1), 0) / n, "n - 1 are left"),
        (lambda n, m, e: max(1 - linear_limits(n, e)[0] * m, 0), "the factor in front"),
        (lambda n, m, e: 1 / n if m == 1 else 0, "what is S?"),
    ],
    "guest": [
        (
            lambda rows, new: np.abs(
                np.log(rows.mean(0) * (len(rows) - 1) / (rows.sum(0) - new))
            ).max(),
            "the loss of removing",
        ),
        (
            lambda rows, new: np.abs(np.log((rows.sum(0) + new) / rows.sum(0))).max(),
            "n before and n + 1 after",
        ),
        (
            lambda rows, new: np.log(np.vstack([rows, new]).mean(0) / rows.mean(0)).max(),
            "Both signs",
        ),
        (adding_without_care, "Leave out outputs that nobody reaches."),
        (adding_finite, "An output that was impossible before?"),
        (lambda rows, new: np.zeros(5), "one number was expected"),
    ],
    "safe": [
        (lambda n, e: 1 / allowed(n, e), "a Laplace density"),
        (lambda n, e: 0.5 / allowed(n, e), "That is a variance."),
        (lambda n, e: math.sqrt(1 / allowed(n, e)), "A factor 2 is missing"),
        (lambda n, e: math.sqrt(0.5 / e), "n helps"),
        (lambda n, e: math.sqrt(0.5 / math.log(1 + n * (math.exp(e) - 1))), "loses digits"),
        (lambda n, e: math.sqrt(0.5 / math.log(1 + n * math.expm1(e))), "of a small u"),
    ],
    "extremes": [
        (
            lambda s: (
                math.exp(-1 / (2 * s**2)) / (s * math.sqrt(2 * math.pi)),
                1 / (s * math.sqrt(2 * math.pi)),
            ),
            "divide by the mass that is left",
        ),
        (lambda s: (top(s), top(s) * math.exp(-1 / (2 * s**2))), "v_min comes first."),
        (
            lambda s: (top(s, 0.5) / 2 * math.exp(-1 / (8 * s**2)), top(s, 0.5) / 2),
            "A record in the middle",
        ),
        (lambda s: (top(s) * math.exp(-1 / s**2), top(s)), "which ratio have they?"),
        (lambda s: top(s), "the shape (2,) was expected"),
    ],
    "certify": [
        (doubled_cut, "Here the largest δ of the bin is"),
        (lambda *case: 0.0, "violates the"),
        (one_sided_cut, "lower side of the linear form of pDP."),
        (least_cut, "must be positive"),
        (mean_cut, "not convex in C"),
        (lambda *case: cut(*case) / 2, "all records of the bin play alike"),
        (lambda c, rows, *rest: hockey_stick_divergences(rows, *rest), "It is not one number."),
    ],
}

RIGHT = {
    "lone": [lone],
    "guest": [adding],
    "safe": [
        lambda n, e: (2 * allowed(n, e)) ** -0.5,
        lambda n, e: np.sqrt(0.5 / np.log1p(n * np.expm1(e))),
    ],
    "extremes": [lambda s: [top(s) * math.exp(-0.5 / s**2), top(s)]],
    "certify": [cut],
}

test_wrong_answers, test_right_answers = answer_tests("gaussian-pdp", WRONG, RIGHT)
