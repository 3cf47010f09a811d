"""Plausible answers to the exercises of *Replication*: the wrong are refused and told why."""

import math
from fractions import Fraction

import numpy as np
import pytest

from pdpbook.experiments.settings import Setting
from tests.tools.answers import answer_tests

pytestmark = pytest.mark.filterwarnings("ignore:divide by zero:RuntimeWarning")


def logs(a, c, resolution=5e-5):
    return np.log((np.asarray(a) + resolution) / (np.asarray(c) + resolution))


def factor(computed, printed, resolution=5e-5):
    squares = [
        math.log((a + resolution) / (c + resolution)) ** 2
        for a, c in zip(computed, printed, strict=True)
    ]
    return math.exp(math.sqrt(math.fsum(squares) / len(squares)))


def judged(printed, ours, bound, *, slack=5e-5, low=0.5):
    if bound > printed + slack:
        return "impossible"
    return "reproduced" if low * printed <= ours <= 2 * printed else "open"


def cut(value, *, by=math.floor, most=101, least=0):
    """Exact arithmetic."""
    target = round(10_000 * value)
    return {
        (m, d)
        for d in range(1, most + 1)
        for m in range(least, d + 1)
        if by(Fraction(10_000 * m, d)) == target
    }


def lowest_terms(value):
    return {(m, d) for m, d in cut(value) if math.gcd(m, d) == 1}


WRONG = {
    "misfit": [
        (lambda a, c: np.sqrt(np.mean(logs(a, c) ** 2)), "Go back from logarithms."),
        (lambda a, c: np.exp(np.mean(logs(a, c) ** 2)), "stands a root"),
        (lambda a, c: np.exp(np.mean(logs(a, c))), "must not cancel"),
        (lambda a, c: np.exp(np.mean(np.abs(logs(a, c)))), "another mean"),
        (lambda a, c: np.exp(np.abs(logs(a, c)).max()), "not the typical one"),
        (lambda a, c: np.exp(np.sqrt(np.mean(logs(a, c, 0.0) ** 2))), "Add half the resolution"),
    ],
    "verdict": [
        (lambda *given: judged(*given).capitalize(), "in small letters"),
        (lambda *given: judged(*given, slack=0.0), "rounded to four decimals"),
        (lambda *given: judged(*given, low=1.0), "both directions"),
        (lambda *given: judged(*given, low=0.0), "Less than half of it"),
        (lambda printed, ours, bound: judged(printed, ours, 0.0), "stays so"),
        (
            lambda printed, ours, bound: (
                "reproduced" if printed / 2 <= ours <= 2 * printed else judged(printed, ours, bound)
            ),
            "however near",
        ),
    ],
    "fractions": [
        (lambda value: cut(value, by=round), "pairs are missing"),
        (lowest_terms, "and 0 do not belong there"),
        (lambda value: cut(value, most=100), "1 pairs are missing"),
        (lambda value: cut(value, least=1), "m may be 0."),
        (lambda value: list(cut(value)) * 2, "Some pairs occur twice."),
        (lambda value: {(20, 101)}, "4/9 has many names."),
    ],
    "fit": [
        ((3, 2, 1, 0.0165, 0.01), "It is a tuple."),
        (Setting((3, 2, 1, 0.33, 0.2), None), "Its misfit is"),
        (Setting((3, 2, 1), 1.0), "It has 3 multipliers."),
    ],
}

RIGHT = {
    "misfit": [factor],
    "verdict": [judged],
    "fractions": [cut, lambda value: sorted(cut(value))],
    "fit": [Setting((3.0, 2.0, 1.0, 0.0165, 0.01), 0.5)],
}

test_wrong_answers, test_right_answers = answer_tests("replication", WRONG, RIGHT)
