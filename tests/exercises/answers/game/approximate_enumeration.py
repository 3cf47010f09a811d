"""Answers to the exercises of *Approximated enumeration*."""

from __future__ import annotations

from math import comb, factorial, gamma, prod

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


def sorted_only(game, bins, genes):
    return fitness(game, np.sort(bins), genes)


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
        wrong=[
            (once, "profile must give every record one action"),
            (sorted_only, "need not be sorted by bin"),
            (
                lambda game, bins, genes: game.evaluate(game.constant_profile(0)).payoff,
                "Count the records of each bin",
            ),
        ],
        right=[fitness],
    ),
    "rate": Answers(
        wrong=[
            (lambda n, d, actions: d / n * actions / (actions - 1), "A rate lies in (0, 1]."),
            (lambda n, d, actions: 0.05, "than the best rate"),
            (
                lambda n, d, actions: min(1, d / n * (actions - 1) / actions),
                "smaller than the best",
            ),
        ],
        right=[rate_by_search],
    ),
    "copies": Answers(
        wrong=[
            (lambda p: prod(comb(int(r.sum()) + 2, 2) for r in p), "That is too many."),
            (lambda p: prod(factorial(int(c)) for c in p.sum(axis=1)), "That is too many."),
            (lambda p: 1, "That is too few."),
            (
                lambda p: round(
                    prod(gamma(r.sum() + 1) / prod(gamma(c + 1) for c in r) for r in p)
                ),
                "no floats",
            ),
        ],
        right=[copies],
    ),
    "tune": Answers(
        wrong=[
            ([100, 5], "Give a dictionary"),
            ({"rng": np.random.default_rng(0)}, "leave rng out"),
            ({"generations": 3, "population": 20}, "and ends at"),
            ({"generations": 41, "population": 1000}, "With seed 0 it takes 4"),
            ({"generations": 80}, "times the divergence"),
            ({"generations": 400, "population": 100}, "times the divergence"),
            ({"generations": 79, "mutation": 1 / 300}, "times the divergence"),
        ],
        right=[[("generations", 390), ("population", 100), ("mutation", 1 / 300)]],
    ),
}
