"""Wrong answers to the exercises of *Best-response dynamics* are told what is wrong."""

import math

import numpy as np

from pdpbook import NVOGame, load_heights
from tests.tools.answers import answer_tests


def moved(profile, k, v, w, records=1):
    profile = np.array(profile)
    profile[k, v] -= records
    profile[k, w] += records
    return profile


def reply(game, profile, k, v, *, key=None, stays=True):
    """The action with the best key; of equal ones the own, or the last."""
    key = key or (lambda p: (game.private_records(p), -game.divergence(p)))
    best = v
    for w in range(game.actions):
        new, old = (key(moved(profile, k, v, action)) for action in (w, best))
        if new > old or (not stays and new >= old):
            best = w
    return best


def careful_reply(game, profile, k, v):
    """By sorting, with rounded divergences."""
    options = []
    for w in range(game.actions):
        p = moved(profile, k, v, w)
        options.append((-game.private_records(p), round(game.divergence(p), 11), w != v, w))
    return np.int64(min(options)[-1])


def first_better(game, profile, k, v):
    here = game.private_records(profile), -game.divergence(profile) + 1e-12
    for w in range(game.actions):
        p = moved(profile, k, v, w)
        if (game.private_records(p), -game.divergence(p)) > here:
            return w
    return v


def in_place(game, profile, k, v):
    best = reply(game, profile, k, v)
    profile[k, v] -= 1
    profile[k, best] += 1
    return best


def by_kl(game, profile, k, v):
    return reply(game, profile, k, v, key=lambda p: -game.divergence(p) // 1e-11)


def along(game, profile, k, v, w, first=0, extra=1):
    return [
        game.divergence(moved(profile, k, v, w, t)) for t in range(first, profile[k, v] + extra)
    ]


def runs(game, profile, k, v, w, more=0, most=math.inf):
    t, here = 0, game.divergence(profile)
    while t < min(profile[k, v], most):
        new = moved(profile, k, v, w, t + 1)
        there = game.divergence(new)
        if game.private_records(new) < game.records or there >= here - 1e-12:
            break
        t, here = t + 1, there
    return t + more


def run_by_bisection(game, profile, k, v, w):
    def good(t):
        new, old = moved(profile, k, v, w, t), moved(profile, k, v, w, t - 1)
        if game.private_records(new) < game.records:
            return False
        return game.divergence(new) < game.divergence(old) - 1e-12

    if not good(1):
        return 0
    low, high = 1, int(profile[k, v]) + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if good(middle) else (low, middle)
    return low


def cover(mass, needed, before, after, *, rounded=math.ceil, none=0, outputs=None, reduce=max):
    short = needed > mass if outputs is None else outputs(needed, mass)
    asked = []
    for gap, step in zip((needed - mass)[short], (after - before)[short], strict=True):
        if step <= 0:
            return none
        asked.append(max(1, rounded(gap / step)))
    return reduce(asked) if asked else 1


def start(rule):
    game = NVOGame.from_data(
        load_heights()["height"], epsilon=1.0, multipliers=(3, 2, 1, 0.033, 0.02)
    )
    profile = np.zeros((game.bins, game.actions), dtype=int)
    for k, count in enumerate(game.counts):
        profile[k, rule(count)] = count
    return profile


WRONG = {
    "reply": [
        (by_kl, "does not hold yet"),
        (first_better, "Another action makes more records private."),
        (lambda *case: reply(*case, stays=False), "With three equal kernels"),
        (in_place, "Your function changed the profile"),
        (lambda game, profile, k, v: v, "The record stays, and another action is better."),
        (lambda game, profile, k, v: game.actions, "That is no action"),
        (lambda game, profile, k, v: 0, "does not hold yet"),
    ],
    "tie": [
        (lambda own, candidates: own, "In pass 1 nobody moves."),
        (lambda own, candidates: max(candidates), "nobody moves"),
        (lambda own, candidates: min(candidates), "nobody moves"),
        (lambda own, candidates: (own + 1) % 3, "one of the candidates"),
    ],
    "convex": [
        (lambda *case: along(*case, first=1), "The first entry is t = 0"),
        (lambda *case: along(*case, extra=0), "entries, and"),
        (lambda g, p, k, v, w: along(g, p, k, w, v), "does not hold yet"),
        (lambda *case: -np.array(along(*case)), "the first at t = 0"),
        (lambda *case: np.diff(along(*case)), "entries, and"),
        (lambda *case: np.linspace(*np.array(along(*case))[[0, -1]], len(along(*case))), "at t ="),
    ],
    "run": [
        (runs, "more than 300 questions to the game"),
        (lambda *case: runs(*case, more=1), "So many do not go"),
        (lambda *case: runs(*case, most=1), "One more would go."),
        (lambda game, profile, k, v, w: profile[k, v], "So many do not go"),
        (lambda game, profile, k, v, w: 0, "One more would go."),
    ],
    "tempting": [
        ([2, 0, 4, 2, 0], "It is not a pair."),
        (([2, 0, 4, 2], [1.0, 0.18, 0.04, 0.48]), "The counts are wrong."),
        (([2, 0, 4, 2, 0], [1.0, 0.18, 0.04]), "The scales are wrong."),
        (([2, 0, 4, 2, 0], [1.0, 0.18, 0.04, 0.18]), "Two of the scales are equal."),
        (([2, 0, 4, 2, 0], [1.0, 0.18, 0.04, 5.0]), "With three scales it ends at KL"),
        (([0, 4, 2, 0, 1], [0.05, 0.02, 0.03, 0.04]), "Begin louder."),
    ],
    "start": [
        (start(lambda count: 4), "2 of 1317 records are exposed"),
        (start(lambda count: 0), "The dynamics from your start end at"),
        (start(lambda count: 0 if count <= 100 else 4), "Who needs to be loud"),
    ],
    "cover": [
        (lambda *case: cover(*case, rounded=math.floor), "That is not enough."),
        (lambda *case: cover(*case) + (cover(*case) > 1), "Fewer are enough."),
        (lambda *case: cover(*case, none=1), "no number is enough"),
        (lambda *case: cover(*case, outputs=lambda n, m: n > -1), "Nothing falls short"),
        (lambda *case: cover(*case, reduce=min), "That is not enough."),
        (lambda *case: cover(*case) if (case[1] > case[0]).any() else 0, "Nothing falls short"),
    ],
    "three": [
        ([0, 4, 2, 0, 1], "times the optimum"),
        ([1, 1, 2, 2], "Five whole numbers"),
        ([1.0, 0.0, 1.0, 6.0, 0.0], "Five whole numbers"),
        ([3, 3, 3, 0, 0], "two to eight records"),
    ],
}

RIGHT = {
    "reply": [careful_reply],
    "tie": [
        lambda own, candidates: next((c for c in candidates if c != own), own),
        lambda own, candidates: max([c for c in candidates if c != own], default=own),
    ],
    "convex": [along],
    "run": [run_by_bisection],
    "tempting": [[np.array([2, 0, 4, 2, 0]), (1.0, 0.18, 0.04, 0.48)]],
    "start": [start(lambda count: 0 if count <= 2 else 4).tolist()],
    "cover": [cover],
    "three": [np.array([2, 0, 3, 1, 0]), (2, 0, 3, 1, 0)],
}

test_wrong_answers, test_right_answers = answer_tests("best-response", WRONG, RIGHT)
