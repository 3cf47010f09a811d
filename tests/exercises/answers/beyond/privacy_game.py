"""Answers to the exercises of *The privacy game*."""

from pdpbook.beyond.bayesian_game import bayesian_equilibria
from pdpbook.beyond.privacy_games import breach_game
from tests.tools.answers import Answers


def solved(epsilon, harm, gain, cost):
    """Both probabilities from the general solver."""
    rest = {"extra": 1, "threshold": epsilon + 1, "harm": harm, "gain": gain, "cost": cost}
    (found,) = bayesian_equilibria(breach_game([epsilon], [0.5], prior=[[1.0]], **rest))
    return found.user[0, 1], found.adversary[0, 1]


ANSWERS = {
    "dominant-actions": Answers(
        [lambda sign: [(1 + sign) // 2, (1 - sign) // 2]],
        (lambda sign: (0, 1), "the other sign"),
        (lambda sign: 1, "Compare the two rows"),
    ),
    "beliefs": Answers([lambda prior: [[p / sum(row) for p in row] for row in prior]]),
    "mixture-by-hand": Answers([solved]),
}
