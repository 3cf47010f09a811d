"""Answers to the exercises of *Collusion*."""

import math
from itertools import pairwise

from tests.tools.answers import Answers


def by_pieces(x, low, high):
    """Adds up the four pieces of the proposition."""
    z, w = abs(x), math.exp(-(high - low) * abs(x))
    a, s = high - low, high + low
    stays = low / high * w * z
    beyond = a / (2 * high) * w * (z + 1 / s)
    between = s / (2 * high) * (1 / a * (1 - w) - z * w)
    return math.copysign(stays + beyond + between - a / (2 * high) / s, x)


def from_transform(low, high):
    a, b = math.exp(-low), math.exp(-high)
    return (1 - a) ** 2 / (1 - b) ** 2 * b / a


ANSWERS = {
    "fresh-copies": Answers([lambda e: [sum(e), (2 / sum(x * x for x in e)) ** 0.5]]),
    "all-equal": Answers(
        [lambda e: math.prod((a / b) ** 2 for a, b in pairwise(sorted(e)))],
        (lambda e: (e[0] / e[-1]) ** 2, "from the most to the least accurate"),
        (lambda e: 0.25, "For two neighbouring levels, ρ is a square"),
    ),
    "expected-refinement": Answers(
        [by_pieces],
        (lambda x, a, b: abs(by_pieces(x, a, b)), "The sign is wrong."),
        (lambda x, a, b: x * a / b, "Add up the four pieces"),
    ),
    "whole-numbers": Answers(
        [from_transform],
        (lambda a, b: 0.5, "With this probability, the noise of the noisier copy"),
        (lambda a, b: 1.0, "It must be a probability"),
    ),
    "uniform-noise": Answers(
        [lambda r: abs(math.sin(math.pi * r)) < 1e-9],
        (lambda r: r >= 2, "2.7"),
        (lambda r: r % 2 == 1, "Which jump is needed?"),
        (lambda r: round(r, 1).is_integer(), "numerator 0 there at this ratio?"),
    ),
}
