"""Answers to the exercises of *The repeated privacy game*."""

import numpy as np

from pdpbook.beyond.limited_attacks import limited_attack
from tests.tools.answers import Answers


def loop(reward, rounds):
    value = 0
    for i in range(1, rounds + 1):
        value = (1 - 1 / i) * value + (reward + value) / i
    return value


def corner(messages, power, stake):
    """Full attacks on as many messages as the power allows."""
    return np.clip(power - np.arange(messages), 0, 1)


def power_to_spare(stakes):
    """Halve an interval until the message of smallest stake is just still published in full."""
    low, high = 0.0, float(len(stakes))
    for _ in range(30):
        middle = (low + high) / 2
        full = limited_attack(stakes, power=middle).granularity[stakes.argmin()] > 1 - 1e-12
        low, high = (middle, high) if full else (low, middle)
    return low


def learner(step, mean=False):
    def learn(game, rounds, rng):
        values, path = np.zeros(2), []
        items = rng.choice(game.stakes.size, rounds, p=game.transitions[0])
        for k, item in enumerate(items, start=1):
            future = values[0] + game.success * (values[1] - values[0])
            stage = game.rewards[item] + game.discount * future
            values = values + step(k) * (stage.min(axis=2).max(axis=1) - values)
            path.append(values)
        return np.mean(path[rounds // 2 :], axis=0) if mean else values

    return learn


ANSWERS = {
    "undiscounted": Answers([loop]),
    "spread-attack": Answers(
        [lambda m, power, stake: [min(1, power / m)] * m],
        (corner, "The user keeps"),
        (lambda m, power, stake: np.full(m, power / m), "An effort is not in [0, 1]."),
        (lambda m, power, stake: np.ones(m), "more than the power"),
        (lambda m, power, stake: power / m, "Its shape is ()"),
    ),
    "published-in-full": Answers([power_to_spare]),
    "faster-steps": Answers(
        [learner(lambda k: 10 / (k + 9), mean=True)],
        (learner(lambda k: 1 / k), "the median of the errors is"),
        (learner(lambda k: 1.0), "steps that stay large, the values never settle"),
        (lambda game, rounds, rng: 0.0, "Its shape is ()"),
    ),
}
