"""Answers to the exercises of *Coordinated moves*."""

from __future__ import annotations

import math
from functools import cache
from itertools import product

import numpy as np

from pdpbook_exercises.chapters.game.coordinated_moves import (
    _is_twice_as_far,
    _neighbours,
    _smallest,
)
from tests.tools.answers import Answers


def pair(game, profile, *, private=True, first_private=False, bins=None):
    """The smallest KL after two changes, with the mistakes that are asked for."""

    def changes(start):
        for k, v in np.argwhere(start > 0):
            for w in range(game.actions):
                new = start.copy()
                new[k, v] -= 1
                new[k, w] += 1
                yield k, new

    def holds(new):
        return not private or game.evaluate(new).private_records == game.records

    found = [game.evaluate(profile).divergence]
    for k, one in list(changes(profile)):
        if first_private and not holds(one):
            continue
        for j, two in list(changes(one)):
            if (bins is None or bins(j, k)) and holds(two):
                found.append(game.evaluate(two).divergence)
    return min(found)


def in_place(game, profile):
    found = pair(game, profile)
    profile[2] = profile[2][::-1]
    return found


def single(game, profile):
    return _smallest(game, _neighbours(game, profile))


def pair_of_groups(game, profile):
    """By tables of changes, all pairs of them at once."""
    steps = [np.zeros_like(profile)]
    for k, v, w in product(range(game.bins), range(game.actions), range(game.actions)):
        step = np.zeros_like(profile)
        step[k, v] -= 1
        step[k, w] += 1
        steps.append(step)
    ways = [profile + a + b for a, b in product(steps, steps) if (profile + a + b >= 0).all()]
    outcomes = [game.evaluate(way) for way in ways]
    return np.min([o.divergence for o in outcomes if o.private_records == game.records])


def repair(mass, needed, before, after, *, rounded=math.ceil, none=0, outputs=None, reduce=max):
    short = needed > mass if outputs is None else outputs(needed, mass)
    asked = []
    for gap, step in zip((needed - mass)[short], (after - before)[short], strict=True):
        if step <= 0:
            return none
        asked.append(max(1, rounded(gap / step)))
    return reduce(asked) if asked else 1


def repair_by_group(game, profile, *, private=True, sizes=range, first=False):
    """The smallest KL after a move of one group, with the mistakes that are asked for."""
    found = []
    for k, v, w in product(range(game.bins), range(game.actions), range(game.actions)):
        for m in sizes(1, int(profile[k, v]) + 1) if v != w else ():
            new = profile.copy()
            new[k, v] -= m
            new[k, w] += m
            outcome = game.evaluate(new)
            if not private or np.nanmax(outcome.losses) <= game.epsilon * (1 + 1e-9):
                found.append(outcome.divergence)
                if first:
                    break
    return min(found, default=math.inf)


def repaired_in_place(game, profile):
    found = repair_by_group(game, profile)
    profile[-2] = profile[-2][::-1]
    return found


@cache
def _tempting(*counts):
    rng = np.random.default_rng(0)
    bad = _is_twice_as_far(counts)
    while True:
        others = rng.uniform([0.12, 0.02, 0.3], [0.25, 0.06, 0.6]).round(3)
        if not bad([1.0, *others.tolist()]):
            return [1.0, *others.tolist()]


def tempting(mine):
    """At random: two scales below the first, and a fourth between them and the first."""
    return [*_tempting(*mine["counts"])]


ANSWERS = {
    "pairs": Answers(
        wrong=[
            (single, "Two records may change, too."),
            (lambda *case: pair(*case, private=False), "That is too small."),
            (lambda *case: pair(*case, first_private=True), "That is too large."),
            (lambda *case: pair(*case, bins=lambda j, k: j == k), "Two records may change, too."),
            (in_place, "Your function changed the profile"),
            (lambda game, profile: 0.0, "That is too small."),
        ],
        right=[pair, pair_of_groups],
    ),
    "repair": Answers(
        wrong=[
            (lambda *case: repair(*case, rounded=math.floor), "That is not enough."),
            (lambda *case: repair(*case) + (repair(*case) > 1), "Fewer are enough."),
            (lambda *case: repair(*case, none=1), "no number is enough"),
            (lambda *case: repair(*case, outputs=lambda n, m: n > -1), "Nothing falls short"),
            (lambda *case: repair(*case, reduce=min), "That is not enough."),
            (
                lambda *case: repair(*case) if (case[1] > case[0]).any() else 0,
                "Nothing falls short",
            ),
        ],
        right=[repair],
    ),
    "one-group": Answers(
        wrong=[
            (lambda *case: repair_by_group(*case, private=False), "That is too small."),
            (
                lambda *case: repair_by_group(*case, sizes=lambda a, b: [a][: b - a]),
                "But a move of one group makes",
            ),
            (
                lambda *case: repair_by_group(*case, sizes=lambda a, b: range(b - 1, b)),
                "A part of the group",
            ),
            (lambda *case: repair_by_group(*case, first=True), "Is a smaller repair always better"),
            (lambda *case: min(repair_by_group(*case), 99.0), "No move of one group makes all"),
            (repaired_in_place, "Your function changed the profile"),
        ],
        right=[repair_by_group],
    ),
    "tempting": Answers(
        wrong=[
            (1.0, "The scales are wrong."),
            ([1.0, 0.18, 0.04], "The scales are wrong."),
            ([1.0, 0.18, 0.04, 0.18], "Two of the scales are equal."),
            ([1.0, 0.18, 0.04, 5.0], "With three scales it ends at KL"),
        ],
        right=lambda mine: [tempting(mine), np.array(tempting(mine))],
    ),
    "three": Answers(
        wrong=[
            ([0, 4, 2, 0, 1], "times the optimum"),
            ([1, 1, 2, 2], "Five whole numbers"),
            ([1.0, 0.0, 1.0, 6.0, 0.0], "Five whole numbers"),
            ([3, 3, 3, 0, 0], "two to eight records"),
        ],
        right=[np.array([2, 0, 3, 1, 0]), (2, 0, 3, 1, 0)],
    ),
}
