"""Answers to the exercises of *Coordinated moves*."""

import math
from functools import cache
from itertools import product

import numpy as np

from pdpbook.game.best_response import best_response_dynamics
from pdpbook_exercises.chapters.small_games import after_move, laplace_game
from tests.tools.answers import Answers


def pair(game, profile, *, private=True, first_private=False, bins=lambda j, k: True):
    """The smallest KL after two changes, with the mistakes that are asked for."""

    def changes(start):
        for k, v in np.argwhere(start > 0):
            for w in range(game.actions):
                yield k, after_move(start, k, v, w)

    def holds(new):
        return not private or game.evaluate(new).private_records == game.records

    found = [game.evaluate(profile).divergence]
    for k, one in changes(profile):
        if not first_private or holds(one):
            twos = [two for j, two in changes(one) if bins(j, k) and holds(two)]
            found += [game.evaluate(two).divergence for two in twos]
    return min(found)


def pair_at_once(game, profile):
    """By a table of changes, all pairs of them at once."""
    steps, still = [], np.zeros_like(profile)
    for k, v, w in product(range(game.bins), range(game.actions), range(game.actions)):
        steps.append(after_move(still, k, v, w))
    ways = [profile + a + b for a, b in product(steps, steps) if (profile + a + b >= 0).all()]
    outcomes = [game.evaluate(way) for way in ways]
    return np.min([o.divergence for o in outcomes if o.private_records == game.records])


def repair(mass, needed, before, after, *, rounded=math.ceil, none=0, all_outputs=False):
    short = (needed > mass) | all_outputs
    asked = []
    for gap, step in zip((needed - mass)[short], (after - before)[short], strict=True):
        if step <= 0:
            return none
        asked.append(max(1, rounded(gap / step)))
    return max(asked, default=1)


def repair_by_group(game, profile, *, private=True, most=math.inf):
    """The smallest KL after a move of one group, with the mistakes that are asked for."""
    found = [math.inf]
    for k, v, w in product(range(game.bins), range(game.actions), range(game.actions)):
        for m in range(1, min(int(profile[k, v]), most) + 1) if v != w else ():
            outcome = game.evaluate(after_move(profile, k, v, w, m))
            if not private or np.nanmax(outcome.losses) <= game.epsilon * (1 + 1e-9):
                found.append(outcome.divergence)
    return min(found)


def end(counts, scales):
    """Where the dynamics from the first scale end; infinity if somebody is exposed there."""
    game = laplace_game(counts, scales)
    start = game.constant_profile(0)
    outcome = game.evaluate(best_response_dynamics(game, start=start).profile)
    return outcome.divergence if outcome.private.sum() == (outcome.profile > 0).sum() else math.inf


@cache
def _tempting(*counts):
    rng = np.random.default_rng(0)
    while True:
        others = rng.uniform([0.12, 0.02, 0.3], [0.25, 0.06, 0.6]).round(3).tolist()
        if 2 * end(counts, [1.0, *others[:2]]) <= end(counts, [1.0, *others]) < math.inf:
            return [1.0, *others]


def tempting(mine):
    """At random: two scales below the first, and a fourth between them and the first."""
    return [*_tempting(*mine["counts"])]


ANSWERS = {
    "pairs": Answers(
        [pair_at_once],
        (lambda *case: pair(*case, private=False), "That is too small."),
        (lambda *case: pair(*case, first_private=True), "That is too large."),
        (lambda *case: pair(*case, bins=lambda j, k: j == k), "Two records may also change."),
    ),
    "repair": Answers(
        [repair],
        (lambda *case: repair(*case, rounded=math.floor), "That is not enough."),
        (lambda *case: repair(*case) + (repair(*case) > 1), "Fewer are enough."),
        (lambda *case: repair(*case, none=1), "no number of records helps"),
        (lambda *case: repair(*case, all_outputs=True), "No output falls short"),
    ),
    "one-group": Answers(
        [repair_by_group],
        (lambda *case: repair_by_group(*case, private=False), "That is too small."),
        (lambda *case: repair_by_group(*case, most=1), "But a move of one group makes"),
        (lambda *case: min(repair_by_group(*case), 99.0), "No move of one group makes all"),
    ),
    "tempting": Answers(
        lambda mine: [tempting(mine), np.array(tempting(mine))],
        (1.0, "The scales are wrong."),
        ([1.0, 0.18, 0.04, 0.18], "Two of the scales are equal."),
        ([1.0, 0.18, 0.04, 5.0], "The final profile has KL"),
    ),
    "three": Answers(
        [np.array([2, 0, 3, 1, 0]), (2, 0, 3, 1, 0)],
        ([0, 4, 2, 0, 1], "times the optimum"),
        ([1, 1, 2, 2], "Give five whole numbers"),
        ([1.0, 0.0, 1.0, 6.0, 0.0], "Give five whole numbers"),
        ([3, 3, 3, 0, 0], "from two to eight"),
    ),
}
