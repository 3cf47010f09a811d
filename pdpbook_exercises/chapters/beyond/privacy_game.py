"""Checks of the exercises in *The privacy game*."""

import math

import numpy as np

from pdpbook_exercises import assert_close, assert_equal, exercise


@exercise("privacy-game/dominant-actions")
def dominant_actions(answer, rng):
    for sign, user, adversary in [(-1, 0, 1), (1, 1, 0)]:
        assert_equal(
            answer(sign),
            [user, adversary],
            "Compare the two rows, then the two columns, of the table of payoffs. Does your "
            "answer change with the sign?",
            {
                "That is right for the other sign.": [adversary, user],
                "The players' payoffs are opposite. Look at the adversary again.": (
                    [user, 1 - adversary]
                ),
                "The players' payoffs are opposite. Look at the user again.": (
                    [1 - user, adversary]
                ),
            },
            more="The adversary's payoff is the negative of the user's. Which player wants the "
            "user's ε small?",
        )


@exercise("privacy-game/beliefs")
def beliefs(answer, rng):
    for rows, columns in [(2, 2), (3, 2), (1, 4), *rng.choice([(3, 4), (6, 2)], 3)]:
        prior = rng.dirichlet(np.ones(rows * columns)).reshape(rows, columns)
        of_user, of_adversary = prior.sum(axis=1), prior.sum(axis=0)
        right = prior / of_user[:, None]
        assert_close(
            answer(prior),
            right,
            "Bayes' rule: divide by the probability of the user's own type. Rows sum to 1.",
            {
                "These are the adversary's beliefs about the user, p(t | s).": prior / of_adversary,
                "These are the adversary's types before the user's own type is known.": (
                    np.tile(of_adversary, (rows, 1))
                ),
                "That is the joint prior. What changes once the user's own type is known?": prior,
                "Divide row t, not column t, by the sum of row t: mind the shapes.": (
                    prior / of_user if rows == columns else prior
                ),
                "Each type of the user must have a row: exchange the axes.": right.T,
            },
            more="p(s | t) = p(t, s)/p(t). Which sum is p(t)? Keep this sum as a column.",
        )


@exercise("privacy-game/mixture-by-hand")
def mixture_by_hand(answer, rng):
    first = "When does the adversary gain by buying?"
    drawn = rng.uniform([0.2, 1, 1, 0.1], [2.5, 3, 2, 0.9], (3, 4))
    for epsilon, harm, gain, cost, hint in [
        (1.2, 2.0, 1.0, 0.25, first),
        (0.3, 1.0, 2.0, 1.5, "When does the user gain by protecting?"),
        (2.0, 0.5, 1.0, 0.1, "Neither probability depends on all four numbers."),
        *((*each, first) for each in drawn),
    ]:
        protects, buys = cost / gain, 1 - math.exp(-epsilon) / harm
        assert_close(
            answer(epsilon, harm, gain, cost),
            [protects, buys],
            hint,
            {
                "The two probabilities are exchanged.": [buys, protects],
                "The first number is the probability of publishing plainly.": [1 - protects, buys],
                "The second number is the probability that the adversary does not buy.": (
                    [protects, 1 - buys]
                ),
                "Protection lowers the value of the publication. By how much?": (
                    [protects, 1 - (1 - math.exp(-epsilon)) / harm]
                ),
            },
            more="Write down a player's payoff from each of the two actions, and set the payoffs "
            "equal. The equation contains the probability of the other player.",
        )
