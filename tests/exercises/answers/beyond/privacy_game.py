"""Answers to the exercises of *The privacy game*."""

from __future__ import annotations

import math

from tests.tools.answers import Answers


def by_hand(epsilon, harm, gain, cost):
    return cost / gain, 1 - math.exp(-epsilon) / harm


ANSWERS = {
    "dominant-actions": Answers(
        wrong=[
            (lambda sign: (1, 0), "the other sign"),
            (lambda sign: (0, 1), "the other sign"),
            (lambda sign: 1, "Compare the two rows"),
        ],
        right=[lambda sign: [1, 0] if sign == 1 else [0, 1]],
    ),
    "beliefs": Answers(
        right=[lambda prior: [[p / sum(row) for p in row] for row in prior]],
    ),
    "mixture-by-hand": Answers(
        wrong=[
            (lambda e, h, g, c: (0.5, 0.5), "When does the adversary gain"),
            (lambda e, h, g, c: c / g, "was expected"),
        ],
        right=[by_hand, lambda e, h, g, c: [c / g, (h - math.exp(-e)) / h]],
    ),
}
