"""The noise by bin on the original files: figures 5, 7 and 10 of the paper, and exposed pairs.

The command ``python -m pdpbook_pages.tables.noise_by_bin --data FOLDER --out FILE`` answers the
questions of :mod:`pdpbook.experiments.replication` under both settings and writes one table of
aggregates.  It takes about a minute.

A bin is *rare* if it contains at most :data:`RARE` records, and belongs to the *crowd* if it
contains more than :data:`CROWD`.  The scale of a rare record is *large* if it is at least the scale
of the Laplace mechanism.  To see whether privacy is the reason for the noise, the same game is
played from the same starts with an ε so large that every profile is private.  The table also counts
the records that are exposed by a pair of features.  Taught in *Replication: claim by claim* and in
*Regression on released data*.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pdpbook.experiments.datasets import load_credit, load_income, load_players
from pdpbook.experiments.pair_release import pair_losses, record_rows
from pdpbook.experiments.settings import SETTINGS, Setting
from pdpbook.game.best_response import best_response_dynamics
from pdpbook.game.nvo_game import NVOGame
from pdpbook_pages.tables.replication import file_hashes, write_aggregates

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["CROWD", "RARE", "main", "noise_row", "pair_row", "replicate", "without_privacy"]

#: A rare bin has at most RARE records, and a bin of the crowd has more than CROWD.
RARE, CROWD = 3, 10
_PLAN = {
    "height": (0.1, 0.3, 1.0, 2.0, 4.0, 8.0),  # figure 5 shows the first four
    "income": (1.0, 2.0),  # figure 7
    "credit": (1.0, 2.0),  # figure 10
}
_PACKAGES = ("numpy", "numba")


def replicate(folder: str | Path, *, seeds: int = 10) -> pd.DataFrame:
    """Answer the questions for every figure on the original files, in a row for each setting and ε.

    The algorithm ``carefree`` is best-response dynamics without privacy (:func:`without_privacy`).
    """
    import pandas as pd

    players = load_players(folder)
    data = {"height": players["height"], "income": load_income(folder)["income"]}
    data["credit"] = load_credit(folder)["income"]
    rows: list[dict[str, Any]] = []
    for name, setting in ((name, setting) for name in data for setting in SETTINGS):
        for epsilon in _PLAN[name]:
            game = SETTINGS[setting].game(data[name], epsilon=epsilon)
            free = without_privacy(game)
            ends = {
                algorithm: [
                    best_response_dynamics(each, rng=np.random.default_rng(seed)).profile
                    for seed in range(seeds)
                ]
                for algorithm, each in (("BRD", game), ("carefree", free))
            }
            about = {"experiment": name, "setting": setting, "epsilon": epsilon}
            for algorithm, profiles in ends.items():
                rows.append({**about, "algorithm": algorithm, **noise_row(game, profiles)})
    for setting, epsilon in ((s, e) for s in SETTINGS for e in (1.0, 4.0)):
        exposed = pair_row(
            players["height"],
            players["weight"],
            SETTINGS[setting],
            epsilon=epsilon,
            seeds=range(seeds),
        )
        about = {"experiment": "pairs", "setting": setting, "epsilon": epsilon}
        rows.append({**about, "algorithm": "BRD", **exposed})
    return pd.DataFrame(rows)


def noise_row(game: NVOGame, profiles: Iterable[NDArray[np.int64]]) -> dict[str, Any]:
    """Return the noise of rare and frequent records at some profiles of a game.

    The third action of the game must be the scale of the Laplace mechanism.  The row contains the
    number of occupied bins (``bins``); the smallest and largest number, over the profiles, of bins
    whose average standard deviation is not below the Laplace mechanism's (``not_lower_low``,
    ``not_lower_high``); the number of ``rare_records``, and of rare records with a large scale
    (``large_low``, ``large_high``); and the mean standard deviation of the noise of rare records,
    of the crowd (both are medians over the profiles) and of the Laplace mechanism (``rare_sd``,
    ``crowd_sd``, ``laplace_sd``; in units of the padded interval, nan if there is no such record).
    """
    seen, crowd = game.counts > 0, game.counts > CROWD
    rare = seen & (game.counts <= RARE)
    laplace = float(game.evaluate(game.constant_profile(2)).noise_sd[seen][0])
    rows = []
    for profile in profiles:
        sd = np.nan_to_num(game.evaluate(profile).noise_sd)
        average = [_mean(sd[group], game.counts[group]) for group in (rare, crowd)]
        not_lower = (sd[seen] >= laplace * (1.0 - 1e-12)).sum()
        rows.append([not_lower, profile[rare][:, :3].sum(), *average])
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
    """Return the same game with an ε at which the payoff depends on the histogram alone."""
    return NVOGame(game.counts, game.kernel, epsilon=50.0, scales=game.scales)


def pair_row(
    first: NDArray[np.float64],
    second: NDArray[np.float64],
    setting: Setting,
    *,
    epsilon: float,
    seeds: Iterable[int],
) -> dict[str, Any]:
    """Return how many records a pair of features exposes, although each feature alone is private.

    The row contains the largest number, over the seeds, of records exposed by one feature
    (``alone_high``), and the smallest and largest numbers exposed by the pair beyond ε
    (``pair_low``, ``pair_high``) and beyond 2ε (``twice_low``, ``twice_high``).  A seed determines
    the start of each game and the assignment of the actions to the records of a bin.
    """
    rows = []
    for seed in seeds:
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


def main(arguments: Sequence[str] | None = None) -> int:
    """Answer the questions from the command line and write the table."""
    parser = argparse.ArgumentParser(
        prog="python -m pdpbook_pages.tables.noise_by_bin", description=__doc__.split("\n\n")[0]
    )
    parser.add_argument("--data", required=True, type=Path, help="folder with the original files")
    parser.add_argument("--out", required=True, type=Path, help="where to write the table")
    parser.add_argument("--seeds", type=int, default=10, help="random starts (default 10)")
    given = parser.parse_args(arguments)
    if given.seeds < 1:
        parser.error(f"--seeds must be at least 1, got {given.seeds}")
    if not given.out.resolve().parent.is_dir():
        parser.error(f"--out must be in a folder that exists, got {given.out}")
    hashes = file_hashes(given.data)
    table = replicate(given.data, seeds=given.seeds)
    note = f"seeds {given.seeds}"
    write_aggregates(given.out, table, "noise_by_bin", note, hashes, _PACKAGES)
    return 0


if __name__ == "__main__":
    sys.exit(main())
