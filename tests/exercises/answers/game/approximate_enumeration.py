"""Answers to the exercises of *Approximated enumeration*."""

from math import comb, gamma, prod

import numpy as np

from tests.tools.answers import Answers


def fitness(game, bins, genes):
    profile = [[0] * game.actions for _ in range(game.bins)]
    for k, v in zip(bins, genes, strict=True):
        profile[k][v] += 1
    return game.evaluate(profile).payoff


def once(game, bins, genes):
    profile = np.zeros((game.bins, game.actions), dtype=int)
    profile[bins, genes] += 1
    return game.evaluate(profile).payoff


def rate_by_search(n, d, actions):
    low, high = 0.0, 1.0
    for _ in range(200):
        a, b = low + (high - low) / 3, high - (high - low) / 3
        at = [d * np.log(x / actions) + (n - d) * np.log(1 - x + x / actions) for x in (a, b)]
        low, high = (a, high) if at[0] < at[1] else (low, b)
    return high


def copies(profile):
    total = 1
    for row in np.asarray(profile).tolist():
        left = sum(row)
        for count in row:
            total *= comb(left, count)
            left -= count
    return total


ANSWERS = {
    "fitness": Answers(
        [fitness],
        (once, "profile must give every record one action"),
        (lambda g, bins, genes: fitness(g, np.sort(bins), genes), "need not be sorted by bin"),
        (lambda g, *case: g.evaluate(g.constant_profile(0)).payoff, "Count the records of each"),
    ),
    "rate": Answers(
        [rate_by_search],
        (lambda n, d, actions: d / n * actions / (actions - 1), "A rate is in (0, 1]."),
        (lambda n, d, actions: 0.05, "than the best rate"),
    ),
    "copies": Answers(
        [copies],
        (lambda p: prod(comb(int(r.sum()) + 2, 2) for r in p), "That is too many."),
        (lambda p: 1, "That is too few."),
        (
            lambda p: round(prod(gamma(r.sum() + 1) / prod(gamma(c + 1) for c in r) for r in p)),
            "use integers",
        ),
    ),
    "tune": Answers(
        [[("generations", 390), ("population", 100), ("mutation", 1 / 300)]],
        ([100, 5], "Give a dictionary"),
        ({"rng": np.random.default_rng(0)}, "leave rng out"),
        ({"generations": 41, "population": 1000}, "With seed 0 it takes 4"),
        ({"generations": 400, "population": 100}, "times the divergence"),
    ),
}
