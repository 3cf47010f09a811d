"""Answers to the exercises of *Individual privacy accounting*."""

import math

import numpy as np

from tests.tools.answers import Answers


def step_by_step(lengths, clip, sigma, budget, steps):
    cost = np.minimum(lengths, clip) ** 2 / (2 * sigma**2)
    return [sum(k * c <= budget for k in range(1, steps + 1)) for c in cost]


def takes_part(lengths, sigma, budget):
    """Record by record, step by step."""
    table = np.zeros(lengths.shape, dtype=bool)
    for i, column in enumerate(lengths.T):
        account = 0.0
        for t, length in enumerate(column):
            account += length**2 / (2 * sigma**2)
            if account > budget:
                break
            table[t, i] = True
    return table


def spent_one_by_one(lengths, sigma, budget):
    left, used = np.full(lengths.shape[1], budget), np.zeros(lengths.shape)
    for t, row in enumerate(lengths):
        used[t] = np.minimum(row, sigma * np.sqrt(2 * left))
        left = np.maximum(left - used[t] ** 2 / (2 * sigma**2), 0)
    return used


def budget(epsilon, delta):
    log = -math.log(delta)
    return epsilon**2 / (epsilon + 2 * log + 2 * math.sqrt(log**2 + epsilon * log))


ANSWERS = {
    "steps": Answers([step_by_step]),
    "participation": Answers([takes_part]),
    "rest": Answers([spent_one_by_one], (lambda lengths, sigma, budget: lengths, "If r of")),
    "budget": Answers([budget]),
}
