r"""The noise of rare and frequent records: figures 5, 7 and 10 of the paper in numbers.

The figures show the standard deviation of the noise, averaged over the records of each bin.  They
raise three questions: Do the records of rare bins get more noise than the crowd?  Is privacy the
reason?  Is the noise of every bin smaller than the noise of the Laplace mechanism?

A bin is *rare* if it contains at most :data:`RARE` records, and belongs to the *crowd* if it
contains more than :data:`CROWD`.  The scale of a rare record is *large* if it is at least that of
the Laplace mechanism.  To see whether privacy is the reason, the same game is played from the same
starts with an ε so large that every profile is private.  The module also counts exposed pairs.

The answers for the original files are in a small table of aggregates, ``noise_by_bin.csv``, which
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

#: A rare bin has at most RARE records, and a bin of the crowd more than CROWD.
RARE, CROWD = 3, 10


def noise_row(game: NVOGame, profiles: Iterable[ArrayLike]) -> dict[str, Any]:
    """Return the noise of rare and frequent records at some profiles of a game.

    Parameters
    ----------
    game : NVOGame
        A game made by a :class:`~pdpbook.experiments.settings.Setting`: its third action is the
        scale of the Laplace mechanism.
    profiles : iterable of array_like of int, shape (K, V)
        At least one profile, each from a different seed.

    Returns
    -------
    dict
        The number of occupied bins (``bins``), and the number in which the average standard
        deviation is not below that of the Laplace mechanism, least and most over the profiles
        (``not_lower_low``, ``not_lower_high``); the number of ``rare_records``, and of those with a
        large scale (``large_low``, ``large_high``); and the mean standard deviation of the noise of
        rare records and of the crowd, medians over the profiles, and that of the Laplace mechanism
        (``rare_sd``, ``crowd_sd``, ``laplace_sd``; in units of the padded interval, nan if there
        is no such record).

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
        raise ValueError("profiles must contain at least one profile, got none")
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
    """Return the same game with an ε at which the payoff depends on the histogram alone.

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
    """Return how many records are exposed by a pair of features that are private separately.

    Parameters
    ----------
    first, second : array_like, shape (n,)
        The two features.
    setting : Setting
        The setting of the game of each feature.
    epsilon : float, ε > 0 of each feature
    seeds : iterable of int
        One seed for each start and each assignment of the actions to the records of a bin.

    Returns
    -------
    dict
        Smallest and largest numbers, over the seeds, of records exposed by one coordinate
        (``alone_high``), by the pair beyond ε (``pair_low``, ``pair_high``), and by the pair beyond
        2ε (``twice_low``, ``twice_high``).

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
        The result of :func:`~pdpbook_pages.tables.noise_by_bin.replicate`; ``attrs["about"]``
        contains the comment lines above the table.

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
