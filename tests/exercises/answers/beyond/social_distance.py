"""Answers to the exercises of *Privacy over social distance*."""

from __future__ import annotations

import math

import numpy as np

from pdpbook.beyond.social_distance import distance_budgets
from tests.tools.answers import Answers


def split(exponent):
    return lambda people, total: total * people**exponent / (people**exponent).sum()


def needed(total, p):
    """Counts from the odds."""
    return math.ceil((1 / p - 1) * math.e**total) + 1


def likeliest(fit):
    return lambda noise, budgets: 1 + int(np.argmax([fit(np.abs(noise), b) for b in budgets]))


def likelihood(noise, budget):
    return noise.size * math.log(budget) - budget * noise.sum()


#: What NumPy warns of in answers of this chapter.
WARNINGS = ("invalid value",)


ANSWERS = {
    "budgets-of-people": Answers(
        wrong=[
            (lambda hops, levels, total: distance_budgets(levels, total=total), "was expected"),
            (lambda hops, levels, total: np.log(hops), "get ln 1"),
        ],
        right=[
            lambda hops, levels, total: [
                total * math.log(d) / math.log(math.factorial(levels)) for d in hops
            ]
        ],
    ),
    "people-needed": Answers(
        wrong=[
            (lambda total, p: 1 + int((1 - p) / p * math.exp(total)), "rounded up"),
            (lambda total, p: math.ceil(total / p), "Solve cap >= B"),
        ],
        right=[needed, lambda total, p: float(needed(total, p))],
    ),
    "absolute-error": Answers(
        wrong=[
            (split(1 / 3), "the rule for the squared error"),
            (split(1), "In proportion to the people"),
            (split(0), "does not depend on the people"),
            (split(-0.5), "deserves more"),
            (lambda people, total: 2 * people**0.5, "The budgets sum to 12, and the total is 6."),
            (lambda people, total: total * people**0.5, "The budgets sum to 36"),
            (lambda people, total: total, "Its shape is ()"),
        ],
        right=[split(0.5), lambda people, total: list(split(0.5)(people, total))],
    ),
    "uniform-power": Answers(
        wrong=[
            (lambda people: people.sum() / people.min(), "does not exist"),
            (lambda people: np.cbrt(people).sum() / np.cbrt(people.max()), "without a cube root"),
            (lambda people: people.size, "not uniform any more"),
            (lambda people: 1.0, "Just above this power the split is still uniform."),
        ],
        right=[lambda people: sum(people) / max(people)],
    ),
    "leaked-distance": Answers(
        wrong=[
            (lambda noise, b: len(b) + 1, "Write down the log-likelihood"),
        ],
        right=[likeliest(likelihood)],
    ),
}
