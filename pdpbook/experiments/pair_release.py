r"""Pairs of features from the random sampling query, and the privacy loss of a pair.

Both features of a record are released together, so the output distribution of every *record* is
needed.  The chapter proves two facts about the privacy cost.  Without a δ, m draws from the query
cost m times the ε of one draw.  And a record can be exposed by a pair (x, y) although it is private
under x and under y alone, because the *same* record was picked for both; :func:`pair_losses`
computes the loss from the pair.

Two other ways to release pairs serve as comparisons: noisy copies of every record, and a
histogram to which noise is added once.  Taught in *Regression on released data*.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pdpbook import _validate
from pdpbook.game.best_response import best_response_dynamics
from pdpbook.game.nvo_game import NVOGame

__all__ = ["game_pairs", "noisy_copies", "noisy_histogram_pairs", "pair_losses", "record_rows"]


def record_rows(
    game: NVOGame, data: ArrayLike, profile: ArrayLike, *, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return the output distribution of every individual record.

    A profile determines how many records of a bin play an action, but not which records play it;
    the function assigns the actions at random within the bin.

    Parameters
    ----------
    game : NVOGame
        A game with a grid.
    data : array_like, shape (n,)
        The records from which the game was built.
    profile : array_like of int, shape (K, V)
    rng : numpy.random.Generator
        Assigns the actions to the records of a bin.

    Returns
    -------
    ndarray, shape (n, K)
        Rows sum to 1; their sum is ``game.evaluate(profile).mass``.

    Notes
    -----
    Taught in *Regression on released data*.

    Examples
    --------
    >>> data = [1.0, 2.0, 2.0, 4.0]
    >>> game = NVOGame.from_data(data, epsilon=1.0)
    >>> profile = game.random_profile(rng=np.random.default_rng(0))
    >>> rows = record_rows(game, data, profile, rng=np.random.default_rng(1))
    >>> rows.shape, bool(np.allclose(rows.sum(axis=0), game.evaluate(profile).mass))
    ((4, 101), True)
    """
    game = _validate.instance("game", game, NVOGame)
    rng = _validate.generator("rng", rng)
    if game.grid is None:
        raise ValueError("game must have a grid, as a game made from data has, got grid=None")
    places = game.grid.index(data)
    chosen = _validate.profile_matrix(
        "profile", profile, counts=np.bincount(places, minlength=game.bins), actions=game.actions
    )
    actions = np.empty(places.size, dtype=np.int64)
    for k in np.unique(places):
        actions[places == k] = rng.permutation(np.repeat(np.arange(game.actions), chosen[k]))
    return game.kernel[actions, places]


def pair_losses(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
    r"""Return the pDP loss of every record, under its removal, when a pair of features is released.

    Parameters
    ----------
    first, second : ndarray, shapes (n, K) and (n, L)
        Output distributions :math:`p_i`, :math:`r_i` of the n >= 2 records in the two features.

    Returns
    -------
    ndarray, shape (n,)
        :math:`\max_{x,y}|\ln P(x,y)/P_{-i}(x,y)|` with
        :math:`P = \frac1n\sum_i p_i(x)\,r_i(y)`; infinite if only this record reaches a pair.

    Notes
    -----
    Source: this book; the linear form of pDP on the product of the grids.  Taught in *Regression
    on released data*.

    Examples
    --------
    Each of four records shares x with one record and y with another, but no two share both:

    >>> x, y = np.eye(2)[[0, 0, 1, 1]], np.eye(2)[[0, 1, 0, 1]]
    >>> pair_losses(x, y)
    array([inf, inf, inf, inf])
    """
    first, second = _validate.row_matrix("first", first), _validate.row_matrix("second", second)
    if first.shape[0] != second.shape[0] or first.shape[0] < 2:
        raise ValueError(
            "first and second must have one row for each of at least 2 records, "
            f"got shapes {first.shape} and {second.shape}"
        )
    n = first.shape[0]
    mass = first.T @ second
    reached = mass > 0.0
    losses = np.empty(n)
    for i in range(n):
        own = np.outer(first[i], second[i])[reached]
        share = np.minimum(own / mass[reached], 1.0)
        most, least = float(share.max()), float(share.min())
        if most < 1.0 - 1e-6:
            up = math.log1p(-1.0 / n) - math.log1p(-most)
        else:  # without cancellation in the mass of the others
            rest = (np.delete(first, i, axis=0).T @ np.delete(second, i, axis=0))[reached]
            with np.errstate(divide="ignore", over="ignore"):
                up = math.log1p(-1.0 / n) + float(np.log1p(own / rest).max())
        down = 0.0 if least == 1.0 else math.log1p(-least) - math.log1p(-1.0 / n)
        losses[i] = max(up, down)
    return losses


def noisy_copies(
    data: ArrayLike, *, epsilon: float, rng: np.random.Generator
) -> NDArray[np.float64]:
    r"""Return every record once, with Laplace noise of scale :math:`\Delta q/\varepsilon` added.

    Parameters
    ----------
    data : array_like, shape (n,), n >= 2
    epsilon : float, ε > 0
        Total privacy cost of the release to each record.
    rng : numpy.random.Generator

    Returns
    -------
    ndarray, shape (n,)

    Notes
    -----
    Neighbouring data sets differ by the replacement of one record within the range of the data.
    This is local differential privacy if the range Δq is public: a different value of a record
    changes the density of the release by a factor of at most :math:`e^\varepsilon`.  Taught in
    *Regression on released data*.  The function is for experiments and not for a release: the low
    bits of floating-point noise betray the exact value.

    Examples
    --------
    >>> noisy_copies([1.0, 2.0, 4.0], epsilon=1e9, rng=np.random.default_rng(0)).round(3)
    array([1., 2., 4.])
    """
    values = _validate.finite_vector("data", data, entries=2)
    epsilon = _validate.number("epsilon", epsilon, above=0.0)
    rng = _validate.generator("rng", rng)
    with np.errstate(over="ignore"):
        spread = np.ptp(values)
        if not np.isfinite(spread):
            raise _validate.fail("data", "within a finite distance of one another", float(spread))
        scale = spread / epsilon
    if scale > 1e300:
        raise _validate.fail("epsilon", "large enough for noise of a finite size", epsilon)
    return values + rng.laplace(0.0, scale, values.size)


def noisy_histogram_pairs(
    x: ArrayLike,
    y: ArrayLike,
    size: int,
    *,
    epsilon: float,
    rng: np.random.Generator,
    bins: int = 12,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Draw pairs from a histogram to which noise is added once.

    Parameters
    ----------
    x, y : array_like, shape (n,), n >= 2
        The two features.
    size : int
        Number of draws, which take at most 2 GiB; additional draws cost no privacy.
    epsilon : float, ε > 0
        Total cost: a record is counted in one cell, so counts with noise of scale 1/ε are ε-DP.
    rng : numpy.random.Generator
    bins : int
        Number of cells along each axis, over the (public) range of the data; the table of all cells
        takes at most 2 GiB.

    Returns
    -------
    x, y : ndarray, shape (size,)
        The pairs, uniform within their cells.

    Notes
    -----
    Neighbouring data sets differ by the removal of one record.  Like :func:`noisy_copies`, this is
    for experiments and not for a release.  Source: Dwork & Roth (2014), section 3.3.  Negative
    counts are set to zero.  Taught in *Regression on released data*.

    Examples
    --------
    >>> data = np.linspace(0.0, 1.0, 100)
    >>> x, y = noisy_histogram_pairs(
    ...     data, data, 1000, epsilon=10.0, rng=np.random.default_rng(0)
    ... )
    >>> bool(np.corrcoef(x, y)[0, 1] > 0.7)
    True
    """
    first = _validate.finite_vector("x", x, entries=2)
    second = _validate.finite_vector("y", y, entries=2)
    size = _validate.integer("size", size, at_least=1)
    _validate.memory("size", size, size, what="the draws")
    epsilon = _validate.number("epsilon", epsilon, above=0.0)
    rng = _validate.generator("rng", rng)
    bins = _validate.integer("bins", bins, at_least=1)
    _validate.same_length("x", first, "y", second)
    _validate.memory("bins", bins, bins, bins, what="a histogram")
    if epsilon < 1e-300:
        raise _validate.fail("epsilon", "at least 1e-300", epsilon)
    for name, values in (("x", first), ("y", second)):
        if np.abs(values).max() > 1e300:
            raise _validate.fail(name, "in [-1e300, 1e300]", float(np.abs(values).max()))
    counts, across, up = np.histogram2d(first, second, bins=bins)
    noisy = np.maximum(counts + rng.laplace(0.0, 1.0 / epsilon, counts.shape), 0.0)
    if not noisy.any():
        noisy[:] = 1.0  # without a positive count, use the uniform distribution
    cells = rng.choice(counts.size, size, p=noisy.ravel() / noisy.sum())
    i, j = cells // bins, cells % bins
    return (
        across[i] + rng.random(size) * (across[1] - across[0]),
        up[j] + rng.random(size) * (up[1] - up[0]),
    )


def game_pairs(
    x: ArrayLike,
    y: ArrayLike,
    size: int,
    *,
    epsilon: float,
    rng: np.random.Generator,
    multipliers: Sequence[float] = (3, 2, 1, 0.33, 0.2),
    grid_epsilon: float | None = None,
    action: int | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Play a game for each feature and draw pairs at its equilibrium.

    Parameters
    ----------
    x, y : array_like, shape (n,)
        The two features.
    size : int
        Number of draws.  The rows of all draws take at most 2 GiB.
    epsilon : float
        Privacy target of one draw of one feature.
    rng : numpy.random.Generator
    multipliers, grid_epsilon
        As in :meth:`~pdpbook.game.nvo_game.NVOGame.from_data`.
    action : int, optional
        If given, all records take this action without a game; 2 is the Laplace mechanism.

    Returns
    -------
    x, y : ndarray, shape (size,)
        Midpoints of the released bins, in the units of the data.

    Notes
    -----
    This is for experiments and not for a release: the draws use floating-point arithmetic.
    Source: Ryu, Jang & Yang (2024), section VI-A.3.  Taught in *Regression on released data*.

    Examples
    --------
    >>> data = np.arange(50.0)
    >>> x, y = game_pairs(data, 2 * data, 9, epsilon=1.0, rng=np.random.default_rng(0))
    >>> x.shape, y.shape
    ((9,), (9,))
    """
    _validate.same_length("x", x, "y", y)
    rng = _validate.generator("rng", rng)
    size = _validate.integer("size", size, at_least=1)
    rows, points = [], []
    for data in (_validate.varied_vector("x", x), _validate.varied_vector("y", y)):
        game = NVOGame.from_data(
            data, epsilon=epsilon, multipliers=multipliers, grid_epsilon=grid_epsilon
        )
        assert game.grid is not None
        if action is None:
            profile = best_response_dynamics(game, rng=rng).profile
        else:
            profile = game.constant_profile(action)
        rows.append(record_rows(game, data, profile, rng=rng))
        points.append(game.grid.midpoints)
    _validate.memory("size", size, size, rows[0].shape[1], what="the rows")
    first, second = _draw_pairs(rows[0], rows[1], size, rng)
    return points[0][first], points[1][second]


def _draw_pairs(
    first: NDArray[np.float64], second: NDArray[np.float64], size: int, rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Draw records, and for each record one bin per feature from its row."""
    records = rng.integers(len(first), size=size)
    return _draw(first[records], rng), _draw(second[records], rng)


def _draw(rows: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw one bin from each row."""
    cumulative = np.cumsum(rows, axis=1)
    level = rng.random(len(rows)) * cumulative[:, -1]
    return np.minimum((cumulative <= level[:, None]).sum(axis=1), rows.shape[1] - 1)
