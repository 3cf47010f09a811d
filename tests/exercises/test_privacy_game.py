"""Plausible answers to the exercises of *The privacy game*: the wrong are refused and told why."""

import math

import numpy as np

from pdpbook.beyond import best_granularity, quality_of_service
from tests.tools.answers import answer_tests


def loop(reward, rounds):
    value = 0
    for i in range(1, rounds + 1):
        value = (1 - 1 / i) * value + (reward + value) / i
    return value


def corner(messages, power, stake):
    """Full attacks on as many messages as the power allows."""
    return np.clip(power - np.arange(messages), 0, 1)


def spare(stakes, *, certain=True, stake=True, least=False, partly=True):
    theta, total = min(stakes), 0.0
    for d in [min(stakes)] if least else stakes:
        if certain and d * best_granularity(d) > theta:
            total += 1
        elif partly:
            total += 5 * (1 - quality_of_service(theta / d) ** 2) / (d if stake else 1)
    return total


def learner(step, tail=1):
    def learn(game, rounds, rng):
        values, path = np.zeros(2), []
        items = rng.choice(game.stakes.size, rounds, p=game.transitions[0])
        for k, item in enumerate(items, start=1):
            future = values[0] + game.success * (values[1] - values[0])
            stage = game.rewards[item] + game.discount * future
            values = values + step(k) * (stage.min(axis=2).max(axis=1) - values)
            path.append(values)
        return np.mean(path[-int(tail * rounds) :] if tail < 1 else path[-1:], axis=0)

    return learn


WRONG = {
    "dominant-actions": [
        (lambda sign: (1, 0) if sign < 0 else (0, 1), "the other sign"),
        (lambda sign: (1, 1) if sign > 0 else (0, 0), "opposite things"),
        (lambda sign: (1, 0), "the other sign"),
        (lambda sign: (0, 1), "the other sign"),
        (lambda sign: 1, "Compare the two rows"),
    ],
    "beliefs": [
        (lambda prior: prior / prior.sum(axis=0), "the adversary's beliefs"),
        (lambda prior: np.tile(prior.sum(axis=0), (len(prior), 1)), "before she knows"),
        (lambda prior: prior, "Each row should sum to 1."),
        (lambda prior: (prior / prior.sum(axis=1, keepdims=True)).T, "exchange the axes"),
        (lambda prior: prior / prior.sum(axis=1), "Bayes' rule"),
    ],
    "undiscounted": [
        (lambda reward, rounds: reward * rounds, "i-th part"),
        (lambda reward, rounds: reward, "without the future"),
        (lambda reward, rounds: reward * math.log(rounds), "Euler's constant"),
        (lambda reward, rounds: loop(reward, rounds - 1), "The last round is missing"),
        (lambda reward, rounds: reward / 0.1, "Write out the first three rounds."),
    ],
    "spread-attack": [
        (corner, "It leaves the user"),
        (lambda m, power, stake: np.full(m, power / m), "An effort is not in [0, 1]."),
        (lambda m, power, stake: np.ones(m), "more than the power"),
        (lambda m, power, stake: np.zeros(m), "It leaves the user"),
        (lambda m, power, stake: power / m, "Its shape is ()"),
    ],
    "published-in-full": [
        (lambda stakes: spare(stakes, least=True), "of higher stake"),
        (lambda stakes: spare(stakes, certain=False), "at most 1"),
        (lambda stakes: spare(stakes, stake=False), "in the denominator"),
        (lambda stakes: spare(stakes, partly=False), "less than certainty"),
        (lambda stakes: len(stakes) / 2, "Which threshold"),
    ],
    "faster-steps": [
        (learner(lambda k: 1 / k), "the median of the errors is"),
        (learner(lambda k: 1.0), "steps that stay large never settle"),
        (lambda game, rounds, rng: np.zeros(2), "mostly too"),
        (lambda game, rounds, rng: 0.0, "Its shape is ()"),
    ],
}

RIGHT = {
    "dominant-actions": [lambda sign: [1, 0] if sign == 1 else [0, 1]],
    "beliefs": [lambda prior: [[p / sum(row) for p in row] for row in prior]],
    "undiscounted": [loop],
    "spread-attack": [lambda m, power, stake: [min(1, power / m)] * m],
    "published-in-full": [spare],
    "faster-steps": [learner(lambda k: 10 / (k + 9), 0.5)],
}

test_wrong_answers, test_right_answers = answer_tests("privacy-game", WRONG, RIGHT)
