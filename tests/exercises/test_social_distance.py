"""Plausible answers to the exercises of *Social distance*: the wrong are refused and told why."""

import math

import numpy as np
import pytest

from pdpbook.beyond import distance_budgets
from tests.tools.answers import answer_tests

pytestmark = pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")


def split(exponent):
    return lambda people, total: total * people**exponent / (people**exponent).sum()


def needed(total, p):
    """Counts from the odds."""
    return math.ceil((1 / p - 1) * math.e**total) + 1


def likeliest(fit):
    return lambda noise, budgets: 1 + int(np.argmax([fit(np.abs(noise), b) for b in budgets]))


def likelihood(noise, budget):
    return noise.size * math.log(budget) - budget * noise.sum()


WRONG = {
    "budgets-of-people": [
        (lambda hops, levels, total: total * np.log(hops) / np.log(hops).sum(), "the people"),
        (
            lambda hops, levels, total: distance_budgets(levels, total=total, offset=1)[hops - 1],
            "the distance plus 1",
        ),
        (
            lambda hops, levels, total: total * hops / np.arange(1, levels + 1).sum(),
            "not proportional",
        ),
        (lambda hops, levels, total: distance_budgets(levels, total=total), "was expected"),
        (lambda hops, levels, total: np.log(hops), "get ln 1"),
    ],
    "people-needed": [
        (lambda total, p: needed(total, p) - 1, "n - 1 others"),
        (lambda total, p: 1 + int((1 - p) / p * math.exp(total)), "rounded up"),
        (lambda total, p: math.ceil(1 + math.exp(total) / p), "The odds of p"),
        (lambda total, p: 1 + (1 - p) / p * math.exp(total), "A whole number"),
        (lambda total, p: math.ceil(total / p), "Solve cap >= B"),
    ],
    "absolute-error": [
        (split(1 / 3), "the rule for the squared error"),
        (split(1), "In proportion to the people"),
        (split(0), "does not look at the people"),
        (split(-0.5), "deserve more"),
        (lambda people, total: 2 * people**0.5, "The budgets sum to 12, and the total is 6."),
        (lambda people, total: total * people**0.5, "The budgets sum to 36"),
        (lambda people, total: total, "Its shape is ()"),
    ],
    "uniform-power": [
        (lambda people: people.sum() / people.min(), "does not exist"),
        (lambda people: np.cbrt(people).sum() / np.cbrt(people.max()), "without a cube root"),
        (lambda people: people.size, "no longer uniform"),
        (lambda people: 1.0, "Just above this power the split is still uniform."),
    ],
    "leaked-distance": [
        (lambda noise, b: likeliest(likelihood)(noise, b) - 1, "Distances start at 1"),
        (likeliest(lambda noise, b: -abs(noise.mean() - 1 / b)), "The nearest mean error"),
        (likeliest(lambda noise, b: -b * noise.sum()), "The factor in front"),
        (
            lambda noise, b: 1 + int(np.argmax(len(noise) * np.log(b) - b * np.sum(noise))),
            "Noise has a sign",
        ),
        (likeliest(lambda noise, b: math.log(b) - b * noise.sum()), "for each copy"),
        (lambda noise, b: len(b) + 1, "Write down the log-likelihood"),
    ],
}

RIGHT = {
    "budgets-of-people": [
        lambda hops, levels, total: [
            total * math.log(d) / math.log(math.factorial(levels)) for d in hops
        ]
    ],
    "people-needed": [needed, lambda total, p: float(needed(total, p))],
    "absolute-error": [split(0.5), lambda people, total: list(split(0.5)(people, total))],
    "uniform-power": [lambda people: sum(people) / max(people)],
    "leaked-distance": [likeliest(likelihood)],
}

test_wrong_answers, test_right_answers = answer_tests("social-distance", WRONG, RIGHT)
