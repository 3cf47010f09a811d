"""Self-checks of the chapter *The privacy game*."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pdpbook.beyond.bayesian_game import bayesian_equilibria
from pdpbook.beyond.privacy_games import breach_game, difference_game
from pdpbook_exercises import Case, Exercise, close, equal

__all__ = ["EXERCISES"]


def _dominant(sign: int) -> tuple[int, int]:
    """Try all actions against all actions of the other side."""
    game = difference_game([0.4], [0.9], extra=0.3, cap=9.0, prior=[[1.0]], user_sign=sign)
    user, adversary = game.user[0, 0], game.adversary[0, 0]
    return (
        next(a for a in (0, 1) if (user[a] > user[1 - a]).all()),
        next(b for b in (0, 1) if (adversary[:, b] > adversary[:, 1 - b]).all()),
    )


def _dominant_case(sign: int) -> Case:
    both = tuple(_dominant(sign))
    return equal(
        _dominant,
        sign,
        hint="Compare the two rows, then the two columns, of the table of payoffs. Does the "
        "answer follow the sign?",
        more="The adversary's payoff is the negative of the user's. Who wants the user's ε small?",
        mistakes={
            "That is right for the other sign.": lambda sign: both[::-1],
            "The two players want opposite things. Look at the adversary again.": lambda sign: (
                both[0],
                1 - both[1],
            ),
            "The two players want opposite things. Look at the user again.": lambda sign: (
                1 - both[0],
                both[1],
            ),
        },
    )


def _beliefs(prior: NDArray[np.float64]) -> NDArray[np.float64]:
    rows = [[prior[t, s] / sum(prior[t]) for s in range(prior.shape[1])] for t in range(len(prior))]
    return np.array(rows)


def _beliefs_cases() -> list[Case]:
    rng = np.random.default_rng(6)
    return [
        close(
            _beliefs,
            rng.dirichlet(np.ones(rows * columns)).reshape(rows, columns),
            hint="Bayes' rule: divide by the probability of the user's own type. Rows sum to 1.",
            more="p(s | t) = p(t, s)/p(t). Which sum is p(t)? Keep it as a column.",
            mistakes={
                "These are the adversary's beliefs about the user, p(t | s).": (
                    lambda prior: prior / prior.sum(axis=0)
                ),
                "These are the adversary's types before the user's own type is known.": (
                    lambda prior: np.tile(prior.sum(axis=0), (len(prior), 1))
                ),
                "That is the joint prior. What changes once the user's own type is known?": (
                    lambda prior: prior
                ),
                "The sum of row t must divide row t, not column t: mind the shapes.": (
                    lambda prior: prior / prior.sum(axis=1)
                ),
                "One row for each type of the user: exchange the axes.": (
                    lambda prior: _beliefs(prior).T
                ),
            },
        )
        for rows, columns in ((3, 2), (2, 2), (1, 4))
    ]


def _mixture(epsilon: float, harm: float, gain: float, cost: float) -> tuple[float, float]:
    """Take both probabilities from the general solver."""
    game = breach_game(
        [epsilon],
        [0.5],
        extra=1.0,
        threshold=epsilon + 1.0,
        harm=harm,
        gain=gain,
        cost=cost,
        prior=[[1.0]],
    )
    (found,) = bayesian_equilibria(game)
    return float(found.user[0, 1]), float(found.adversary[0, 1])


def _mixture_case(epsilon: float, harm: float, gain: float, cost: float, hint: str) -> Case:
    def protects(gain: float, cost: float) -> float:
        return cost / gain

    def buys(epsilon: float, harm: float) -> float:
        return 1 - math.exp(-epsilon) / harm

    return close(
        _mixture,
        epsilon,
        harm,
        gain,
        cost,
        hint=hint,
        more="Write down what a player gets from each of the two actions, and set both equal. The "
        "equation contains the probability of the other player.",
        mistakes={
            "The two probabilities are exchanged.": (
                lambda epsilon, harm, gain, cost: (buys(epsilon, harm), protects(gain, cost))
            ),
            "The first number is the probability of publishing plainly.": (
                lambda epsilon, harm, gain, cost: (1 - protects(gain, cost), buys(epsilon, harm))
            ),
            "The second number is the probability that the adversary does not buy.": (
                lambda epsilon, harm, gain, cost: (protects(gain, cost), 1 - buys(epsilon, harm))
            ),
            "Protection lowers the worth of what is published. By how much?": (
                lambda epsilon, harm, gain, cost: (
                    protects(gain, cost),
                    1 - (1 - math.exp(-epsilon)) / harm,
                )
            ),
        },
    )


EXERCISES = {
    "dominant-actions": Exercise(
        [_dominant_case(sign) for sign in (-1, 1)],
        fixed="There are two signs, and both are tried.",
    ),
    "beliefs": Exercise(
        _beliefs_cases(),
        draw=lambda rng: (
            rng.dirichlet(np.ones(12)).reshape((3, 4) if rng.random() < 0.5 else (6, 2)),
        ),
    ),
    "mixture-by-hand": Exercise(
        [
            _mixture_case(1.2, 2.0, 1.0, 0.25, "When does the adversary gain by buying?"),
            _mixture_case(0.3, 1.0, 2.0, 1.5, "When does the user gain by protecting?"),
            _mixture_case(2.0, 0.5, 1.0, 0.1, "Neither probability depends on all four numbers."),
        ],
        draw=lambda rng: (
            round(rng.uniform(0.2, 2.5), 2),
            round(rng.uniform(1.0, 3.0), 2),
            1.0,
            round(rng.uniform(0.1, 0.9), 2),
        ),
    ),
}
