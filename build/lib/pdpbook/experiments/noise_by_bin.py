r"""Which records carry the noise: figures 5, 7 and 10 of the paper in numbers; exposed pairs.

The figures show the standard deviation of the noise, averaged over the records of each bin.  Three
questions are asked of them: do the records of rare bins get more noise than the crowd; do they get
it for the sake of privacy; and is every bin's noise below that of the Laplace mechanism?

A bin is *rare* if it holds at most :data:`RARE` records, and belongs to the *crowd* if it holds
more than :data:`CROWD`.  The scale of a rare record is *large* if it is at least that of the
Laplace mechanism.  To see whether privacy is the reason, the same game is played from the same
starts with an ε so large that every profile is private.

The answers for the original files are a small table of aggregates, ``noise_by_bin.csv``, which
:mod:`pdpbook_pages.tables.noise_by_bin` writes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pdpbook import _data, _validate
from pdpbook.experiments.original_files import existing
from pdpbook.experiments.pair_release import pair_losses, record_rows
from pdpbook.experiments.settings import Setting
from pdpbook.game.best_response import best_response_dynamics
from pdpbook.game.nvo_game import NVOGame

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["CROWD", "RARE", "noise_results", "noise_row", "pair_row", "without_privacy"]

#: Most records of a rare bin, and fewest of the crowd, less one.
RARE, CROWD = 3, 10


def noise_row(game: NVOGame, profiles: Iterable[ArrayLike]) -> dict[str, Any]:
    """Return which records carry the noise at some profiles of a game.

    Parameters
    ----------
    game : NVOGame
        A game made by a :class:`~pdpbook.experiments.settings.Setting`: its third action is the
        Laplace mechanism's.
    profiles : iterable of array_like of int, shape (K, V)
        At least one profile, from one seed each.

    Returns
    -------
    dict
        ``bins``, the number of occupied bins, and in how many of them the average standard
        deviation is not below that of the Laplace mechanism, least and most over the profiles
        (``not_lower_low``, ``not_lower_high``); the number of ``rare_records``, how many of them
        have a large scale (``large_low``, ``large_high``), and the mean standard deviation of the
        noise of the rare records and of the crowd, medians over the profiles, with that of the
        Laplace mechanism (``rare_sd``, ``crowd_sd``, ``laplace_sd``; in units of the padded
        interval, nan if there is no such record).

    Raises
    ------
    ValueError, TypeError
        If the game has no scales or fewer than three actions, there is no profile, or one of them
        is none of the game.

    Notes
    -----
    Source: figures 5, 7 and 10 of Ryu, Jang & Yang (2024).  Taught in *Replication: claim by
    claim*.

    Examples
    --------
    >>> from pdpbook import load_heights
    >>> from pdpbook.experiments.settings import SETTINGS
    >>> game = SETTINGS["inferred"].game(load_heights()["height"], epsilon=2.0)
    >>> row = noise_row(game, [game.constant_profile(2)])
    >>> row["bins"], row["not_lower_low"], row["large_low"]
    (22, 22, 10)
    """
    game = _validate.instance("game", game, NVOGame)
    if game.actions < 3:
        raise ValueError(f"game must have at least 3 actions, got {game.actions} of them")
    seen, crowd = game.counts > 0, game.counts > CROWD
    rare = seen & (game.counts <= RARE)
    laplace = float(game.evaluate(game.constant_profile(2)).noise_sd[seen][0])
    rows = []
    for given in _validate.sequence("profiles", profiles):
        profile = _validate.profile_matrix(
            "profiles", given, counts=game.counts, actions=game.actions
        )
        sd = np.nan_to_num(game.evaluate(profile).noise_sd)
        average = [_mean(sd[group], game.counts[group]) for group in (rare, crowd)]
        not_lower = (sd[seen] >= laplace * (1.0 - 1e-12)).sum()
        rows.append([not_lower, profile[rare][:, :3].sum(), *average])
    if not rows:
        raise ValueError("profiles must hold at least one profile, got none")
    low, middle, high = np.quantile(np.array(rows, dtype=float), (0.0, 0.5, 1.0), axis=0)
    return {
        "seeds": len(rows),
        "bins": int(seen.sum()),
        "not_lower_low": int(low[0]),
        "not_lower_high": int(high[0]),
        "rare_records": int(game.counts[rare].sum()),
        "large_low": int(low[1]),
        "large_high": int(high[1]),
        "rare_sd": float(middle[2]),
        "crowd_sd": float(middle[3]),
        "laplace_sd": laplace,
    }


def _mean(values: NDArray[np.float64], weights: NDArray[np.int64]) -> float:
    return float(np.average(values, weights=weights)) if weights.size else math.nan


def without_privacy(game: NVOGame) -> NVOGame:
    """Return the same game with an ε at which the payoff is about the histogram alone.

    Raises
    ------
    TypeError
        If game is not an :class:`~pdpbook.NVOGame`.

    Examples
    --------
    >>> from pdpbook import load_heights
    >>> from pdpbook.experiments.settings import SETTINGS
    >>> game = without_privacy(SETTINGS["stated"].game(load_heights()["height"], epsilon=1.0))
    >>> game.evaluate(game.constant_profile(4)).private_records == game.records
    True
    """
    game = _validate.instance("game", game, NVOGame)
    return NVOGame(game.counts, game.kernel, epsilon=50.0, scales=game.scales)


def pair_row(
    first: ArrayLike, second: ArrayLike, setting: Setting, *, epsilon: float, seeds: Iterable[int]
) -> dict[str, Any]:
    """Return how many records are exposed by their pair of features, each feature being private.

    Parameters
    ----------
    first, second : array_like, shape (n,)
        The two features.
    setting : Setting
        How the game of each feature is made.
    epsilon : float
        The ε of each feature, > 0.
    seeds : iterable of int
        One start, and one choice of who in a bin plays what, a seed.

    Returns
    -------
    dict
        Least and most over the seeds: records exposed by one coordinate (``alone_high``), by the
        pair beyond ε (``pair_low``, ``pair_high``) and beyond 2ε (``twice_low``, ``twice_high``).

    Raises
    ------
    ValueError, TypeError
        If the features are not vectors of one length that make a game, or another argument is not
        as described.

    Notes
    -----
    Taught in *Regression on released data*.
    """
    setting = _validate.instance("setting", setting, Setting)
    epsilon = _validate.number("epsilon", epsilon, above=0.0)
    _validate.same_length("first", first, "second", second)
    first = _validate.varied_vector("first", first)
    second = _validate.varied_vector("second", second)
    rows = []
    for seed in _validate.seeds("seeds", seeds):
        rng = np.random.default_rng(seed)
        outputs, alone = [], 0
        for data in (first, second):
            game = setting.game(data, epsilon=epsilon)
            end = best_response_dynamics(game, rng=rng).profile
            alone += game.records - game.evaluate(end).private_records
            outputs.append(record_rows(game, data, end, rng=rng))
        losses = pair_losses(*outputs)
        rows.append([alone, (losses > epsilon).sum(), (losses > 2 * epsilon).sum()])
    low, high = np.min(rows, axis=0), np.max(rows, axis=0)
    return {
        "seeds": len(rows),
        "alone_high": int(high[0]),
        "pair_low": int(low[1]),
        "pair_high": int(high[1]),
        "twice_low": int(low[2]),
        "twice_high": int(high[2]),
    }


def noise_results(file: str | Path | None = None) -> pd.DataFrame:
    """Return the committed answers of a run on the original files.

    Parameters
    ----------
    file : str or Path, optional
        Another table that the command has written.

    Returns
    -------
    pandas.DataFrame
        As :func:`~pdpbook_pages.tables.noise_by_bin.replicate` returns it; ``attrs["about"]`` holds
        the lines above the table.

    Notes
    -----
    Taught in *Replication: claim by claim*.

    Examples
    --------
    >>> table = noise_results()
    >>> row = table.query("experiment == 'credit' and setting == 'stated' and epsilon == 2")
    >>> row.query("algorithm == 'BRD'")["bins"].item()
    39.0
    """
    path = _data.file("experiments", "noise_by_bin.csv") if file is None else existing("file", file)
    return _data.read_results(path, needed=("experiment", "setting", "algorithm", "epsilon"))
