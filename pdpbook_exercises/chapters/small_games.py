"""Small games of the self-checks, and what several chapters ask of an answer about a game."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdpbook.game.nvo_game import NVOGame
from pdpbook.per_instance.noise_kernels import laplace_kernel

__all__ = [
    "after_move",
    "all_profiles",
    "drawn_game",
    "laplace_game",
    "whole",
    "wrong_game",
    "wrong_scales",
]

Profile = NDArray[np.int64]


def laplace_game(counts: Sequence[int], scales: Sequence[float], epsilon: float = 1.0) -> NVOGame:
    """Return a game of truncated Laplace noise that knows its scales, numbers of any class.

    Examples
    --------
    >>> from fractions import Fraction
    >>> laplace_game([1, 1], [Fraction(1, 10), Fraction(1, 5)]).scales
    array([0.1, 0.2])
    """
    numbers = np.asarray(scales, dtype=float)
    kernel = laplace_kernel(len(counts), numbers)
    return NVOGame(np.asarray(counts), kernel, epsilon=epsilon, scales=numbers)


def drawn_game(
    rng: np.random.Generator, *, bins: int = 4, actions: int = 3, records: int = 5
) -> NVOGame:
    """Draw a small game: an empty bin is likely, and the scales are different.

    Examples
    --------
    >>> game = drawn_game(np.random.default_rng(0), records=4)
    >>> game.records, game.bins, game.actions
    (4, 4, 3)
    """
    counts = rng.multinomial(records, rng.dirichlet(np.ones(bins)))
    scales = np.exp(rng.uniform(np.log(0.04), np.log(1.5), actions)).round(3)
    return laplace_game(counts.tolist(), scales.tolist(), round(float(rng.uniform(0.5, 2.0)), 2))


def whole(profile: Any) -> NDArray[Any]:
    """Return the profile of an answer: floats that are whole numbers are whole numbers, too.

    Examples
    --------
    >>> whole([[2.0, 1.0]]), whole([[0.5, 2.5]])
    (array([[2, 1]]), array([[0.5, 2.5]]))
    """
    given = np.asarray(profile)
    if given.dtype.kind == "f" and (given == np.round(given)).all():
        return given.astype(np.int64)
    return given


def all_profiles(game: NVOGame) -> Iterator[Profile]:
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


def after_move(profile: Profile, k: int, v: int, w: int, records: int = 1) -> Profile:
    """Return the profile after records of bin k went from action v to action w.

    Examples
    --------
    >>> after_move(np.array([[3, 1]]), 0, 0, 1, records=2)
    array([[1, 3]])
    """
    profile = profile.copy()
    profile[k, v] -= records
    profile[k, w] += records
    return profile


def wrong_game(answer: Any, bins: int, actions: int) -> str:
    """Say what keeps an answer from being the counts and scales of a small game, if anything.

    Examples
    --------
    >>> wrong_game(([1, 2, 1], [0.1, 0.2]), 3, 2)
    ''
    >>> wrong_game(([1, 2], [0.1, 0.2]), 3, 2)
    'The counts are wrong.'
    """
    try:
        counts, scales = answer
    except (TypeError, ValueError):
        return "It is not a pair."
    if np.shape(counts) != (bins,) or not 2 <= np.sum(counts) <= 8:
        return "The counts are wrong."
    if np.shape(scales) != (actions,) or not (np.asarray(scales, dtype=float) > 0).all():
        return "The scales are wrong."
    return ""


def wrong_scales(answer: Any) -> str:
    """Say what keeps an answer from being five multipliers of the scale, if anything.

    Examples
    --------
    >>> wrong_scales((3, 2, 1, 0.3, 0.2)), wrong_scales((3, 2, 1))
    ('', 'It has 3 numbers.')
    """
    given = tuple(float(each) for each in answer)
    if len(given) != 5:
        return f"It has {len(given)} numbers."
    return "" if all(0 < each < math.inf for each in given) else "Not all are finite and > 0."
