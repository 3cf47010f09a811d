"""Answers to the exercises of *Reading the published proof*."""

import math

import numpy as np
from scipy.optimize import bisect

from pdpbook.game.nvo_game import NVOGame
from pdpbook.per_instance.noise_kernels import laplace_kernel
from pdpbook.per_instance.scale_bounds import uniform_release_scale
from tests.tools.answers import Answers


def three(n, epsilon):
    """By bisection instead of the Lambert function."""
    growth = math.expm1(epsilon)
    tight, published = math.log1p(n * growth), math.log1p((n - 1) * growth)
    careful = bisect(lambda u: math.log(math.expm1(u) / u) - tight, 1e-9, 100, xtol=1e-14)
    return 1 / np.array([careful, tight, published])


def pair(mine, *, factor=1.0001, large=1e5, more=0, scales=True, action=0, times=1.0, far=None):
    """A crowd in the first bin and two neighbours in the last ones, with changes."""
    n, epsilon = mine["records"] + more, times * mine["epsilon"]
    both = np.array([factor * uniform_release_scale(n, epsilon), large])
    for bins in range(8, 17):
        counts = np.array([n - 2, *[0] * (bins - 3), 1, 1] if far is None else far)
        kernel = laplace_kernel(counts.size, both)
        game = NVOGame(counts, kernel, epsilon=epsilon, scales=both if scales else None)
        profile = game.constant_profile(action)
        outcome = game.evaluate(profile)
        if outcome.private_records < n and outcome.is_nash():
            break
    return game, profile


ANSWERS = {
    "printed-scales": Answers(
        [lambda n, bins, e: 1 / np.log(1 + (n - 1) * (np.exp(e) - 1) / np.array([1, bins]))],
        (lambda n, bins, epsilon: (1 / epsilon, bins / epsilon), "1 over a logarithm"),
    ),
    "three-bounds": Answers([three], (lambda n, e: three(n, e)[:2], "the shape (3,) was expected")),
    "violation": Answers(
        lambda mine: [
            pair(mine),
            list(pair(mine, large=1e4)),
            (pair(mine)[0], pair(mine)[1].astype(float)),
        ],
        lambda mine: [
            (pair(mine)[0], "It is not a pair."),
            (([1, 2], [3, 4]), "not an NVOGame"),
            (pair(mine, more=1), f"The game has {mine['records'] + 1} records."),
            (pair(mine, times=0.99), "The target of the game is"),
            (pair(mine, scales=False), "does not contain its scales"),
            (pair(mine, factor=0.9), "but the careful bound is"),
            (pair(mine, large=10.0), "The largest scale is 10."),
            (pair(mine, action=1), "Every record is private"),
            ((pair(mine)[0], pair(mine)[1] / 2), "profile must contain integers"),
            (pair(mine, far=[1, *[0] * 10, mine["records"] - 1]), "A record can raise the payoff"),
        ],
    ),
}
