"""Answers to the exercises of *Best-response dynamics*."""

import math

import numpy as np

from pdpbook.experiments.datasets import load_heights
from pdpbook.game.nvo_game import NVOGame
from pdpbook_exercises.chapters.small_games import after_move
from tests.tools.answers import Answers


def reply(game, profile, k, v, *, private=True, stays=True):
    """By sorting, with rounded divergences; of equal ones the own, or the last."""
    options = []
    for w in range(game.actions):
        outcome = game.evaluate(after_move(profile, k, v, w))
        order = w != v if stays else -w
        options.append(
            (-outcome.private_records * private, round(outcome.divergence, 11), order, w)
        )
    return np.int64(min(options)[-1])


def first_better(game, profile, k, v):
    outcome = game.evaluate(profile)
    here = outcome.private_records, -outcome.divergence + 1e-12
    for w in range(game.actions):
        there = game.evaluate(after_move(profile, k, v, w))
        if (there.private_records, -there.divergence) > here:
            return w
    return v


def along(game, profile, k, v, w, *, first=0):
    ways = [after_move(profile, k, v, w, t) for t in range(first, profile[k, v] + 1)]
    return [game.evaluate(way).divergence for way in ways]


def straight(*case):
    first, *_, last = curve = along(*case)
    return np.linspace(first, last, len(curve))


def runs(game, profile, k, v, w, *, more=0, most=math.inf, careful=True):
    t, here = 0, game.evaluate(profile).divergence
    while t < min(profile[k, v], most):
        new = after_move(profile, k, v, w, t + 1)
        there = game.evaluate(new).divergence
        exposes = careful and game.evaluate(new).private_records < game.records
        if exposes or there >= here - 1e-12:
            break
        t, here = t + 1, there
    return t + more


def run_by_bisection(game, profile, k, v, w):
    def good(t):
        new, old = after_move(profile, k, v, w, t), after_move(profile, k, v, w, t - 1)
        if game.evaluate(new).private_records < game.records:
            return False
        return game.evaluate(new).divergence < game.evaluate(old).divergence - 1e-12

    if not good(1):
        return 0
    low, high = 1, int(profile[k, v]) + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if good(middle) else (low, middle)
    return low


def start(mine, rule):
    heights = np.delete(load_heights()["height"], mine["without"])
    game = NVOGame.from_data(heights, epsilon=1.0, multipliers=(3, 2, 1, 0.033, 0.02))
    return [[count * (v == rule(count)) for v in range(5)] for count in game.counts.tolist()]


ANSWERS = {
    "reply": Answers(
        [reply],
        (
            lambda *case: reply(*case, private=False),
            "so the record should stay. Do you compare each action with the best",
        ),
        (first_better, "Another action makes more records private."),
        (lambda *case: reply(*case, stays=False), "If the rows are equal, no record"),
        (lambda game, profile, k, v: v, "The record stays, but another action is better."),
        (lambda game, profile, k, v: game.actions, "That is not one of"),
    ),
    "tie": Answers(
        [lambda own, candidates: max([c for c in candidates if c != own], default=own)],
        (lambda own, candidates: own, "In pass 1 no record moves any more"),
        (lambda own, candidates: max(candidates), "a record keeps 2 of [0, 1, 2]"),
        (lambda own, candidates: (own + 1) % 3, "one of the candidates"),
    ),
    "convex": Answers(
        [along],
        (lambda *case: along(*case, first=1), "The first entry is for t = 0"),
        (lambda g, p, k, v, w: along(g, p, k, w, v), "the shape (13,) was expected"),
        (straight, "the first at [1]"),
    ),
    "run": Answers(
        [run_by_bisection],
        (runs, "more than 300 calls of game.evaluate"),
        (lambda *case: runs(*case, careful=False), "would expose itself or another record"),
        (lambda *case: runs(*case, more=1), "Too many: one of these records"),
        (lambda *case: runs(*case, most=1), "One more record would move."),
    ),
    "start": Answers(
        lambda mine: [start(mine, lambda count: 0 if count <= 1 else 4)],
        lambda mine: [
            (start(mine, lambda count: 4), "records are exposed at your start."),
            (start(mine, lambda count: 0), "From your start, the dynamics end at"),
            (start({"without": [0, 1, 2]}, lambda count: 0), "in your data, "),
        ],
    ),
}
