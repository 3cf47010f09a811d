"""Answers to the exercises of *Experiment 2: income*."""

import math

import numpy as np

from pdpbook.experiments.metrics import sd_loss
from pdpbook.experiments.replication import laplace_row
from pdpbook.experiments.settings import SETTINGS
from tests.tools.answers import Answers


def prints(data):
    games = [SETTINGS["inferred"].game(data, epsilon=epsilon) for epsilon in (1.0, 2.0, 4.0, 8.0)]
    return np.array([laplace_row(game)["cosine"] for game in games])


def distances(columns, target):
    """Squares of them."""
    return {name: np.square(prints(data) - target).sum() for name, data in columns.items()}


def at_angle(q, angle):
    """At this angle from the uniform vector."""
    rest = q - q.mean()
    return q.mean() + rest / np.linalg.norm(rest) * math.tan(angle) / math.sqrt(q.size)


def by_search(q, theta, move=None):
    """Goes in a direction, away from the mean, until the angle is reached."""
    move = q - q.mean() if move is None else move
    low, high = 0.0, 49.0
    for _ in range(80):
        middle = (low + high) / 2
        p = q + middle * move
        cosine = p @ q / np.linalg.norm(p) / np.linalg.norm(q)
        low, high = (middle, high) if math.acos(min(cosine, 1)) < theta else (low, middle)
    return p.tolist()


def sideways(q, theta):
    """Leaves the plane of q and the uniform vector."""
    move = np.zeros(q.size)
    move[:2] = q[1], -q[0]
    return by_search(q, theta, move - move.mean())


ANSWERS = {
    "angle": Answers([lambda angle, bins: math.sqrt(1 / math.cos(angle) ** 2 - 1) / bins]),
    "fingerprint": Answers(
        [lambda *case: min(found := distances(*case), key=found.get)],
        (lambda *case: min(distances(*case).values()), "none of the names"),
        (lambda columns, target: "skewed", "Here no column matches exactly"),
        (lambda columns, target: "bell", "Here one column matches exactly."),
    ),
    "attained": Answers(
        [by_search],
        (lambda q, t: at_angle(q, math.atan(q.size * q.std()) - t), "on the side of the uniform"),
        (at_angle, "Its angle with q is"),
        (lambda q, theta: at_angle(q, theta) * 2, "It should sum to 1, but sums to 2."),
        (lambda q, theta: q.mean() + 9 * (q - q.mean()), "negative or nan"),
        (sideways, "its SD is not the largest"),
        (lambda q, theta: theta, "Its shape is ()"),
    ),
    "third": Answers(
        [lambda *pair: 0.07 * sd_loss(*pair, values=np.linspace(0, 1, pair[0].size)) ** 0.5],
        (lambda q, output: 0.03, "It is not 0 for equal distributions."),
        (lambda q, output: sd_loss(q, output), "not between"),
        (lambda q, output: 0.0, "not between 0.02 and 0.04"),
    ),
}
