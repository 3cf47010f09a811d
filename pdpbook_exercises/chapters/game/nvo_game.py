"""Checks of the exercises in *The game*."""

from itertools import product
from math import comb, log, prod

import numpy as np

from pdpbook.game.best_response import best_response_dynamics
from pdpbook.game.nvo_game import NVOGame
from pdpbook.per_instance.noise_kernels import laplace_kernel
from pdpbook_exercises.chapters.small_games import (
    after_move,
    all_profiles,
    drawn_game,
    laplace_game,
)
from pdpbook_exercises.checking import assert_close, assert_equal, exercise

#: Small games with every special case: empty bins, single records, with and without equilibria.
GAMES = [
    laplace_game([0, 4, 2, 0, 1], [0.05, 0.2, 1.0], 1.0),
    laplace_game([3, 0, 1], [0.1, 1.0], 0.7),
    laplace_game([1, 2, 0, 2], [0.04, 0.5], 2.0),
]


@exercise("nvo-game/profiles")
def profiles(answer, rng):
    hint = (
        "In how many ways can the records of one bin share the actions? The rows of different bins "
        "are chosen independently. What does an empty bin contribute?"
    )
    cases = [([4], 2, hint), ([0, 4, 2, 0, 1], 3, hint), ([3, 0, 1], 2, hint), ([2, 2], 1, hint)]
    for bins in rng.integers(2, 6, 3):
        cases.append((rng.integers(0, 9, bins).tolist(), int(rng.integers(2, 6)), hint))
    for counts, actions, hint in [
        *cases,
        ([4000, 0, 2999], 2, "There are thousands of records, so use a formula."),
        (
            [4000, 2999, 1317],
            5,
            "The number is large and whole, so use math.comb and whole numbers instead of floats.",
        ),
    ]:
        assert_equal(
            answer(counts, actions),
            prod(comb(c + actions - 1, c) for c in counts),
            hint,
            {
                "That is the number of lists of actions. A table does not distinguish the records "
                "of a bin.": actions ** sum(counts),
                "That is the sum over the bins. How do independent choices combine?": (
                    sum(comb(c + actions - 1, c) for c in counts)
                ),
                "With c records and two actions there are c + 1 rows, not c + 2.": (
                    prod(comb(c + actions, c) for c in counts)
                ),
                "The records are separated by one bar fewer than there are actions.": (
                    prod(comb(c + actions - 1, actions) for c in counts)
                ),
            },
            more="Put the records of a bin in a line, and bars between records that play different "
            "actions. In how many ways can the bars be placed?",
        )


@exercise("nvo-game/payoff", refused=["evaluate"])
def payoff(answer, rng):
    hint = (
        "Compare P, the losses, P_E and KL in turn with the output, losses, private_records and "
        "divergence of game.evaluate(profile). How many records does an entry of the table "
        "represent? Over which records is P_{-i} the average?"
    )
    cases = [(game, hint) for game in GAMES]
    side = "The loss is an absolute value: P(x) / P_{-i}(x) may also be far below 1."
    cases.append((laplace_game([3, 1], [0.1, 1.0], 0.25), side))
    alone = (
        "If only one record can give x, then P_{-i}(x) = 0. What is its loss? And which x can be "
        "left out?"
    )
    cases.append((NVOGame([2, 0, 1], np.eye(3)[None], epsilon=1.0), alone))
    for game, hint in cases + [(drawn_game(rng), hint) for _ in range(3)]:
        for profile in all_profiles(game):
            given, outcome = answer(profile, game.kernel, game.epsilon), game.evaluate(profile)
            right, part, q, p = outcome.payoff, "", game.frequency, outcome.output
            both = (q > 0) & (p > 0)
            reverse = (p[both] * np.log(p[both] / q[both])).sum()
            if np.isclose(given % 1, right % 1):
                part = "P_U is right, but P_E is wrong. "
            elif np.floor(given) == np.floor(right):
                part = "P_E may be right, but P_U is wrong. "
            mistakes = {
                "P_E counts records, and an entry of the table is a group of several records.": (
                    right - outcome.private_records + outcome.private.sum()
                ),
                "That is KL(P || q). The divergence of the game is KL(q || P).": (
                    right + (outcome.divergence - reverse) / log(game.bins)
                ),
            }
            assert_close(given, right, part + hint, mistakes)


def leaking(counts, own):
    """Add two empty bins to counts, with a kernel that moves all mass but ``own`` to these bins."""
    rows = np.diag([*own, 1.0, 1.0])
    rows[: len(own), -2:] = (1 - np.array(own)[:, None]) / 2
    return np.array([*counts, 0, 0]), rows[None]


@exercise("nvo-game/floor")
def floor(answer, rng):
    cases = [(game.counts, game.kernel, False) for game in GAMES]
    cases += [(3 * one, laplace_kernel(4, [0.1, 0.4, 2.0]), True) for one in np.eye(4, dtype=int)]
    shares = [([1, 1], [0.9, 0.1]), ([2, 1], [0.9, 0.1]), ([1, 2, 3], [0.3, 0.8, 0.5])]
    drawn = [(rng.integers(1, 5, k), rng.uniform(0.2, 0.95, k)) for k in rng.integers(2, 5, 3)]
    cases += [(*leaking(counts, own), True) for counts, own in shares + drawn]
    for counts, kernel, attained in cases:
        bound, game = answer(counts, kernel), NVOGame(counts, kernel, epsilon=1.0)
        worst = max(map(game.evaluate, all_profiles(game)), key=lambda each: each.divergence)
        utility = 1 - worst.divergence / log(game.bins)
        own = kernel.diagonal(axis1=1, axis2=2).min(axis=0)[counts > 0]
        assert bound <= utility + 1e-9, (
            f"That is not a lower bound: at the profile {worst.profile.tolist()} P_U is only "
            f"{utility:.4g}, where the occupied bins keep the shares {own.round(3).tolist()}. "
            "What is the least that the records of bin x add to P(x)? Substitute this into every "
            "term of KL. The mean of logarithms is not the logarithm of the mean."
        )
        assert attained or bound > 0, "A truncated Laplace kernel has a positive bound."
        assert not attained or bound >= utility - 1e-9, (
            "It is a lower bound, but P_U is larger at every profile. If all records are in one "
            "bin, or if all noise that leaves a bin goes to empty bins, some profile attains the "
            "bound. Each bin has its own a_x."
        )


@exercise("nvo-game/equilibrium", refused=["is_nash", "regret"])
def equilibrium(answer, rng):
    moves = (
        "Do you move one record at a time, on a copy, from every group with records to every "
        "other action?"
    )
    tie = "Two of the actions are equal. Does a change without a gain make your answer False?"
    near = "A gain counts only if it is more than 1e-9."
    for game, hint in [
        *((game, moves) for game in [*GAMES, laplace_game([2, 1, 2], [0.05, 1.0, 0.2])]),
        (laplace_game([2, 0, 1], [0.3, 0.3]), tie),
        (laplace_game([2, 0, 1], [0.3, 0.3 + 1e-10]), near),
        *((drawn_game(rng), moves) for _ in range(3)),
    ]:
        stable = best_response_dynamics(game, rng=rng).profile  # so that yes and no both occur
        for profile in [stable, *rng.permutation([*all_profiles(game)])[:40]]:
            said = answer(game, profile)
            assert said in (True, False), "The answer is True or False."
            gaining = [
                f"a record of bin {k} gains by a change from action {v} to {w}"
                for (k, v), w in product(np.argwhere(profile).tolist(), range(game.actions))
                if game.evaluate(after_move(profile, k, v, w, 1)).payoff
                > game.evaluate(profile).payoff + 1e-9
            ]
            assert said != bool(gaining), (
                f"But {gaining[0] if said else 'no record gains by changing alone'} there. (The "
                f"scales are {game.scales.tolist()}.) {hint}"
            )


#: For each number of records in bin 1 and ε = 0.8, 0.85, …, 1.2: 2 % above the smallest divergence
#: that a search in steps of 0.01 finds.
DIVERGENCES = {
    2: (0.329, 0.329, 0.315, 0.31, 0.296, 0.296, 0.296, 0.28, 0.28),
    3: (0.328, 0.328, 0.318, 0.316, 0.305, 0.305, 0.305, 0.292, 0.292),
    4: (0.369, 0.358, 0.358, 0.346, 0.34, 0.327, 0.327, 0.327, 0.313),
    5: (0.428, 0.412, 0.395, 0.395, 0.38, 0.38, 0.38, 0.372, 0.353),
}


def heights(rng):
    """Return a student's own seven heights, one of them alone at the right end."""
    number, crowd = (4, 4) if rng is None else (int(rng.integers(9)), int(rng.integers(2, 6)))
    return {
        "epsilon": round(0.8 + 0.05 * number, 2),
        "counts": [0, crowd, 6 - crowd, 0, 1],
        "divergence": DIVERGENCES[crowd][number],
    }


@exercise("nvo-game/design", mine=heights)
def design(answer, mine):
    scales = np.array(answer, dtype=float)
    assert scales.shape == (3,) and (scales > 0).all(), "Give three numbers > 0."
    game = laplace_game(mine["counts"], scales, mine["epsilon"])
    found = [each for each in map(game.evaluate, all_profiles(game)) if each.is_nash()]
    exposing = [each for each in found if each.private_records < 7]
    assert not exposing, (
        f"At the equilibrium {exposing[0].profile.tolist()} {7 - exposing[0].private_records} of "
        "the 7 records are exposed. Is your smallest scale too small? There must be a record that "
        "can protect the exposed record by its own change."
    )
    best = min(each.divergence for each in found)
    hint = "With large scales all records are private, but KL is large. How small can scales be?"
    if scales.min() >= 2:
        hint = "Are these centimetres? The scales are in units of the grid."
    assert best < mine["divergence"], (
        f"The best equilibrium has KL {best:.4f}, but it must be below {mine['divergence']}. {hint}"
    )
