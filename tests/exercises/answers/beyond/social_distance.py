"""Answers to the exercises of *Privacy over social distance*."""

import math

import numpy as np
from scipy.optimize import minimize
from scipy.stats import laplace

from pdpbook.beyond.social_distance import game_tuned_budgets
from tests.tools.answers import Answers


def optimised(people, total):
    def error(logits):
        return (people * np.exp(logits).sum() / np.exp(logits)).sum()

    share = np.exp(minimize(error, np.zeros(people.size)).x)
    return total * share / share.sum()


def needed(total, p):
    """Counts from the odds."""
    return math.ceil((1 / p - 1) * math.e**total) + 1


def uniform_until(people):
    """By bisection of the package's saddle points."""
    low, high = 0.0, len(people)
    for _ in range(50):
        middle = (low + high) / 2
        uniform = np.ptp(game_tuned_budgets(people, total=1.0, power=middle).budgets) < 1e-12
        low, high = (middle, high) if uniform else (low, middle)
    return low


def likeliest(noise, budgets):
    return 1 + np.argmax([laplace.logpdf(noise, scale=1 / b).sum() for b in budgets])


ANSWERS = {
    "budgets-of-people": Answers(
        [lambda hops, levels, total: [total * math.log(d) / math.lgamma(levels + 1) for d in hops]]
    ),
    "people-needed": Answers([needed]),
    "absolute-error": Answers(
        [optimised],
        (lambda people, total: 2 * people**0.5, "The budgets sum to 12, but the total is 6."),
        (lambda people, total: total * people**2 / (people**2).sum(), "is possible"),
        (lambda people, total: total, "Its shape is ()"),
    ),
    "uniform-power": Answers(
        [uniform_until],
        (lambda people: 1e9, "No attacker has this power"),
        (lambda people: people.size, "no longer uniform"),
        (lambda people: 1.0, "Just above this power the split is still uniform."),
    ),
    "leaked-distance": Answers([likeliest]),
}
