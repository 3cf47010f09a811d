"""Answers to the exercises of *The game*."""

from contextlib import suppress
from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import comb, log, prod

import numpy as np

from pdpbook.per_instance.privacy_loss import linear_limits
from pdpbook_exercises.chapters.game.nvo_game import design
from pdpbook_exercises.chapters.small_games import after_move, laplace_game
from tests.tools.answers import Answers


def payoff(profile, kernel, epsilon, *, groups=False, one_sided=False, all_n=False, wrong_kl=False):
    """The payoff with the mistakes that are asked for."""
    n, mass = profile.sum(), np.einsum("kv,vkx->x", profile, kernel)
    p, q, private = mass / n, profile.sum(axis=1) / n, 0
    for k, v in np.argwhere(profile > 0):
        without = np.maximum(mass - kernel[v, k], 0) / (n if all_n else n - 1)
        with np.errstate(divide="ignore"):
            ratio = np.log(p[p > 0]) - np.log(without[p > 0])
        loss = ratio.max() if one_sided else np.abs(ratio).max()
        private += (1 if groups else profile[k, v]) * (loss <= epsilon)
    a, b = (p, q) if wrong_kl else (q, p)
    seen = (a > 0) & (b > 0)
    return private + 1 - (a[seen] * np.log(a[seen] / b[seen])).sum() / log(len(q))


def careless(profile, kernel, epsilon):
    """Nothing is done about outputs that only one record, or nobody, can give."""
    n, mass = profile.sum(), np.einsum("kv,vkx->x", profile, kernel)
    p, q, private = mass / n, profile.sum(axis=1) / n, 0
    with np.errstate(all="ignore"):
        for k, v in np.argwhere(profile > 0):
            loss = np.abs(np.log(p / ((mass - kernel[v, k]) / (n - 1)))).max()
            private += profile[k, v] * (loss <= epsilon)
        return private + 1 - np.where(q > 0, q * np.log(q / p), 0).sum() / log(len(q))


def by_lemma(profile, kernel, epsilon):
    """Record by record, with the linear form of pDP."""
    n = int(profile.sum())
    rows = [kernel[v, k] for (k, v), c in np.ndenumerate(profile) for _ in range(c)]
    mass = np.sum(rows, axis=0)
    tau, sigma = linear_limits(n=n, epsilon=epsilon)
    low, high = sigma * mass - 1e-12, tau * mass + 1e-12
    private = [((low <= row) & (row <= high)).all() for row in rows]
    q = profile.sum(axis=1) / n
    kl = sum(a * log(a / b) for a, b in zip(q, mass / n, strict=True) if a > 0)
    return float(sum(private) + 1 - kl / log(len(q)))


def floor(kind):
    """A bound on P_U made of q and the smallest own shares."""

    def utility_floor(counts, kernel):
        q = np.asarray(counts) / np.sum(counts)
        own = np.diagonal(kernel, axis1=1, axis2=2).min(axis=0)
        return 1 + kind(q, own) / log(len(q))

    return utility_floor


def equilibrium(gains, *, neighbours=False):
    """The test of an equilibrium, with the mistakes that are asked for."""

    def is_equilibrium(game, profile):
        here = game.evaluate(profile).payoff
        for (k, v), w in product(np.argwhere(profile > 0), range(game.actions)):
            new = game.evaluate(after_move(profile, k, v, w)).payoff
            if v != w and gains(new, here) and (not neighbours or abs(v - w) == 1):
                return False
        return True

    return is_equilibrium


def gains(new, old):
    return new > old + 1e-9


def floor_in_loops(counts, kernel):
    own = [min(kernel[v][k][k] for v in range(len(kernel))) for k in range(len(counts))]
    n = sum(counts)
    return 1 - sum(c / n * log(1 / a) for c, a in zip(counts, own, strict=True)) / log(len(counts))


def enumerated(counts, actions):
    """Row by row; long ones by the formula."""
    return prod(
        comb(c + actions - 1, c)
        if c > 20
        else sum(1 for _ in combinations_with_replacement(range(actions), c))
        for c in map(int, counts)
    )


def through_best(game, profile):
    moves = product(np.argwhere(profile).tolist(), range(game.actions))
    best = max(game.evaluate(after_move(profile, k, v, w)).payoff for (k, v), w in moves)
    return np.bool_(best <= game.evaluate(profile).payoff + 1e-9)


def designed(mine):
    """The smallest scales, in steps of 0.01, that have no exposing equilibrium."""
    for smallest, others in product(range(10, 25), [(20, 70), (30, 70), (40, 70), (25, 40)]):
        scales = [smallest / 100, *(each / 100 for each in others)]
        game = laplace_game(mine["counts"], scales, mine["epsilon"])
        outcome = game.evaluate(game.constant_profile(0))
        trap = outcome.private_records < 7 and outcome.is_nash()
        with suppress(AssertionError):
            assert smallest < others[0] and not trap
            design(scales, mine)
            return [scales, [Fraction(each).limit_denominator(100) for each in scales]]


ANSWERS = {
    "profiles": Answers(
        [enumerated],
        (lambda counts, actions: sum(c + 1 for c in counts), "What does an empty bin"),
        (lambda counts, v: prod(float(comb(c + v - 1, v - 1)) for c in counts), "of floats"),
        (lambda c, actions: prod(comb(x + actions - 1, actions) for x in c), "one bar fewer"),
    ),
    "payoff": Answers(
        [by_lemma],
        (lambda *case: payoff(*case, groups=True), "P_E counts records,"),
        (lambda *case: payoff(*case, all_n=True), "Over which records is P_{-i}"),
        (lambda *case: payoff(*case, wrong_kl=True), "That is KL(P || q)."),
        (lambda *case: payoff(*case) - 1e-3, "P_E may be right, but P_U is wrong."),
        (lambda *case: payoff(*case, one_sided=True), "The loss is an absolute value"),
        (careless, "P_{-i}(x) = 0"),
    ),
    "floor": Answers(
        [floor_in_loops],
        (floor(lambda q, own: log((q * own).sum())), "That is not a lower bound"),
        (floor(lambda q, own: log(own[q > 0].min())), "P_U is larger at every"),
        (lambda counts, kernel: 0.0, "has a positive bound"),
    ),
    "equilibrium": Answers(
        [through_best],
        (equilibrium(lambda new, old: new >= old), "Two of the actions are equal"),
        (
            lambda game, profile: game.evaluate(profile).private_records == game.records,
            "gains by a change",
        ),
        (equilibrium(gains, neighbours=True), "from action 0 to 2 there"),
        (lambda game, profile: game.evaluate(profile).is_nash(), "asks you to write"),
        (equilibrium(lambda new, old: new > old), "only if it is more than 1e-9"),
        (lambda game, profile: "yes" if equilibrium(gains)(game, profile) else "", "True or False"),
    ),
    "design": Answers(
        designed,
        ([0.05, 0.2, 1.0], "of the 7 records are exposed"),
        ([2.5, 10.0, 50.0], "Are these centimetres?"),
        ([0.15, 0.2], "Give three numbers"),
        ([-0.1, 0.2, 0.3], "Give three numbers"),
        ([0.43, 0.5, 1.0], "The best equilibrium has KL"),
    ),
}
