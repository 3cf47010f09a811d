"""Small games for the self-checks, and the checks that several chapters share."""

import math
from itertools import product

import numpy as np

from pdpbook.game.nvo_game import NVOGame
from pdpbook.per_instance.noise_kernels import laplace_kernel

__all__ = ["after_move", "all_profiles", "drawn_game", "laplace_game", "whole", "wrong_scales"]


def laplace_game(counts, scales, epsilon=1.0):
    """Return a game of truncated Laplace noise with its scales, which may be numbers of any class.

    Examples
    --------
    >>> from fractions import Fraction
    >>> laplace_game([1, 1], [Fraction(1, 10), Fraction(1, 5)]).scales
    array([0.1, 0.2])
    """
    numbers = np.asarray(scales, dtype=float)
    kernel = laplace_kernel(len(counts), numbers)
    return NVOGame(np.asarray(counts), kernel, epsilon=epsilon, scales=numbers)


def drawn_game(rng, *, bins=4, actions=3, records=5):
    """Draw a small game with distinct scales and often an empty bin.

    Examples
    --------
    >>> game = drawn_game(np.random.default_rng(0), records=4)
    >>> game.records, game.bins, game.actions
    (4, 4, 3)
    """
    counts = rng.multinomial(records, rng.dirichlet(np.ones(bins)))
    scales = np.exp(rng.uniform(np.log(0.04), np.log(1.5), actions)).round(3)
    return laplace_game(counts, scales, round(float(rng.uniform(0.5, 2.0)), 2))


def whole(profile):
    """Return an answer's profile as an array, with integers if all its numbers are whole.

    Examples
    --------
    >>> whole([[2.0, 1.0]]), whole([[0.5, 2.5]])
    (array([[2, 1]]), array([[0.5, 2.5]]))
    """
    given = np.asarray(profile)
    if given.dtype.kind == "f" and (given == np.round(given)).all():
        return given.astype(np.int64)
    return given


def all_profiles(game):
    """Yield every profile of a small game.

    Examples
    --------
    >>> [profile.tolist() for profile in all_profiles(laplace_game([1, 1], [0.1, 0.2]))]
    [[[0, 1], [0, 1]], [[0, 1], [1, 0]], [[1, 0], [0, 1]], [[1, 0], [1, 0]]]
    """
    rows = [
        [row for row in product(range(count + 1), repeat=game.actions) if sum(row) == count]
        for count in game.counts.tolist()
    ]
    return (np.array(choice) for choice in product(*rows))


def after_move(profile, k, v, w, records=1):
    """Return the profile after some records of bin k have changed from action v to action w.

    Examples
    --------
    >>> after_move(np.array([[3, 1]]), 0, 0, 1, records=2)
    array([[1, 3]])
    """
    profile = profile.copy()
    profile[k, v] -= records
    profile[k, w] += records
    return profile


def wrong_scales(answer):
    """Return why an answer is not five multipliers of the scale, or an empty string if it is.

    Examples
    --------
    >>> wrong_scales((3, 2, 1, 0.3, 0.2)), wrong_scales((3, 2, 1))
    ('', 'It has 3 numbers.')
    """
    given = tuple(float(each) for each in answer)
    if len(given) != 5:
        return f"It has {len(given)} numbers."
    return "" if all(0 < each < math.inf for each in given) else "Not all are finite and > 0."
