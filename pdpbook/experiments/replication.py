r"""Rows of the paper's tables, computed again, and a committed table of all rows.

For each setting (:mod:`pdpbook.experiments.settings`) and each ε, the rows describe the Laplace
mechanism, ten runs each of best-response dynamics and of the genetic algorithm with different
seeds, and a lower bound for all profiles at which every record is private.  The command ::

    python -m pdpbook_pages.tables.replication --data FOLDER --out FILE

computes them for the original files in about an hour and writes one small table of aggregates,
``replication.csv``, with the SHA-256 of these files.  The package contains such a table, so that
the book can show results for files that may not be redistributed.  Taught in *Replication: claim by
claim*.

A second table, ``noise_by_bin.csv``, contains the standard deviation of the noise, averaged over
the records of each bin (figures 5, 7 and 10 of the paper), and answers three questions: Do the
records of rare bins get more noise than the crowd?  Is privacy the reason?  Is the noise of every
bin smaller than the noise of the Laplace mechanism?
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pdpbook import _data, _validate
from pdpbook.experiments.metrics import cosine_similarity, jaccard_index, sd_loss
from pdpbook.foundations.divergences import kl_divergence
from pdpbook.game.best_response import best_response_dynamics
from pdpbook.game.nvo_game import NVOGame

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "best_response_row",
    "divergence_floor",
    "laplace_row",
    "measures",
    "noise_results",
    "replication_results",
    "summary",
]


def measures(game: NVOGame, profile: ArrayLike) -> dict[str, float]:
    """Return the measures of the paper's tables for a release.

    Parameters
    ----------
    game : NVOGame
    profile : array_like of int, shape (K, V)

    Returns
    -------
    dict
        The measures ``kl``, ``sd_probabilities`` and ``sd_data`` (the two readings of the SD loss,
        the second in units of the padded interval), ``jaccard`` and ``cosine``.

    Notes
    -----
    Taught in *Replication: claim by claim*.

    Examples
    --------
    >>> from pdpbook import load_heights
    >>> from pdpbook.experiments.settings import SETTINGS
    >>> game = SETTINGS["stated"].game(load_heights()["height"], epsilon=1.0)
    >>> row = measures(game, game.constant_profile(2))
    >>> round(row["kl"], 3), round(row["cosine"], 3)
    (1.341, 0.598)
    """
    game = _validate.instance("game", game, NVOGame)
    q, output = game.frequency, game.evaluate(profile).output
    places = (np.arange(game.bins) + 0.5) / game.bins
    return {
        "kl": kl_divergence(q, output),
        "sd_probabilities": sd_loss(q, output),
        "sd_data": sd_loss(q, output, values=places),
        "jaccard": jaccard_index(q, output),
        "cosine": cosine_similarity(q, output),
    }


def laplace_row(game: NVOGame) -> dict[str, Any]:
    """Return the row of the Laplace mechanism, in which every record has the third scale.

    Taught in *Replication: claim by claim*.

    Parameters
    ----------
    game : NVOGame
        A game made by a :class:`~pdpbook.experiments.settings.Setting`.

    Returns
    -------
    dict
        The measures, and the number of records that are ε-pDP under their removal (``private``).

    Examples
    --------
    >>> from pdpbook import load_heights
    >>> from pdpbook.experiments.settings import SETTINGS
    >>> row = laplace_row(SETTINGS["inferred"].game(load_heights()["height"], epsilon=2.0))
    >>> round(row["kl"], 3), row["private"]
    (0.901, 1317)
    """
    game = _validate.instance("game", game, NVOGame)
    profile = game.constant_profile(2)
    return {
        "algorithm": "Laplace",
        "private": game.evaluate(profile).private_records,
        **measures(game, profile),
    }


def best_response_row(game: NVOGame, seeds: Iterable[int]) -> dict[str, Any]:
    """Return the row of best-response dynamics from random starts.

    Taught in *Replication: claim by claim*.

    Parameters
    ----------
    game : NVOGame
    seeds : iterable of int
        One seed for each random start.

    Returns
    -------
    dict
        Medians of the measures and the range of KL over the seeds (``kl_low``, ``kl_high``), the
        smallest number of private records, the number of final profiles that are Nash equilibria
        and whether all are (``equilibria``, ``nash``), the largest number of sweeps and the median
        running time in seconds.

    Examples
    --------
    >>> from pdpbook import load_heights
    >>> from pdpbook.experiments.settings import SETTINGS
    >>> game = SETTINGS["stated"].game(load_heights()["height"], epsilon=1.0)
    >>> row = best_response_row(game, range(3))
    >>> round(row["kl"], 4), row["private"], row["nash"], row["seeds"]
    (0.3585, 1317, True, 3)
    """
    game = _validate.instance("game", game, NVOGame)
    ends, sweeps, seconds = [], [], []
    for seed in _validate.seeds("seeds", seeds):
        began = time.perf_counter()
        run = best_response_dynamics(game, rng=np.random.default_rng(seed))
        seconds.append(time.perf_counter() - began)
        ends.append(run.profile)
        sweeps.append(run.sweeps)
    return {"algorithm": "BRD", "sweeps": max(sweeps), **summary(game, ends, seconds)}


def divergence_floor(game: NVOGame) -> float:
    r"""Return a lower bound on the KL of all profiles, private or not, by a tangent of ln.

    Parameters
    ----------
    game : NVOGame

    Returns
    -------
    float
        :math:`D_{\mathrm{KL}}(q\,\|\,P) + 1 - \sum_k q(k)\, g_k` with
        :math:`g_k = \max_v \sum_x p_{k,v}(x)\,q(x)/P(x)` and P from best responses to the payoff
        without privacy, or 0 if this number is negative.

    Notes
    -----
    Source: this book.  Proved in *Experiment 1: heights*.

    Examples
    --------
    >>> from pdpbook import load_heights
    >>> from pdpbook.experiments.settings import SETTINGS
    >>> game = SETTINGS["stated"].game(load_heights()["height"], epsilon=1.0)
    >>> round(divergence_floor(game), 3)
    0.358
    """
    game = _validate.instance("game", game, NVOGame)
    carefree = NVOGame(game.counts, game.kernel, epsilon=50.0)
    start = carefree.constant_profile(game.actions - 1)
    reference = best_response_dynamics(carefree, start=start).profile
    q = game.frequency
    outcome = game.evaluate(reference)
    ratio = np.divide(q, outcome.output, out=np.zeros_like(q), where=q > 0.0)
    gains = game.kernel @ ratio
    return max(outcome.divergence + 1.0 - float(q @ gains.max(axis=0)), 0.0)


def replication_results() -> pd.DataFrame:
    """Return the committed results of a run on the original files.

    Returns
    -------
    pandas.DataFrame
        The result of :func:`~pdpbook_pages.tables.replication.replicate`; ``attrs["about"]``
        contains the comment lines above the table: command, hashes of the input files, versions.

    Notes
    -----
    Taught in *Replication: claim by claim*.

    Examples
    --------
    >>> table = replication_results()
    >>> row = table.query("experiment == 'height' and setting == 'stated' and epsilon == 1")
    >>> row.query("algorithm == 'BRD'")["kl"].round(4).item()
    0.3585
    """
    return _data.committed_table("experiments", "replication.csv")


def noise_results() -> pd.DataFrame:
    """Return the committed answers of a run on the original files.

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
    return _data.committed_table("experiments", "noise_by_bin.csv")


def summary(game: NVOGame, ends: list[NDArray[np.int64]], seconds: list[float]) -> dict[str, Any]:
    """Return the part of a row that summarises runs of a solver from several seeds."""
    each = [measures(game, end) for end in ends]
    outcomes = [game.evaluate(end) for end in ends]
    equilibria = sum(outcome.is_nash() for outcome in outcomes)
    divergences = [row["kl"] for row in each]
    return {
        "seeds": len(ends),
        "private": min(outcome.private_records for outcome in outcomes),
        "equilibria": equilibria,
        "nash": equilibria == len(ends),
        "seconds": float(np.median(seconds)),
        "kl_low": min(divergences),
        "kl_high": max(divergences),
        **{name: float(np.median([row[name] for row in each])) for name in each[0]},
    }
