"""The noise by bin on the original files: figures 5, 7 and 10 of the paper, and exposed pairs.

The command ``python -m pdpbook_pages.tables.noise_by_bin --data FOLDER --out FILE`` answers the
questions of :mod:`pdpbook.experiments.noise_by_bin` under both settings and writes one table of
aggregates.  It takes about a minute.  Taught in *Replication: claim by claim*.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pdpbook.experiments.datasets import load_credit, load_income, load_players
from pdpbook.experiments.noise_by_bin import noise_row, pair_row, without_privacy
from pdpbook.experiments.settings import SETTINGS
from pdpbook.game.best_response import best_response_dynamics
from pdpbook_pages.tables.replication import file_hashes, write_aggregates

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["main", "replicate"]

_PLAN = {
    "height": (0.1, 0.3, 1.0, 2.0, 4.0, 8.0),  # figure 5 shows the first four
    "income": (1.0, 2.0),  # figure 7
    "credit": (1.0, 2.0),  # figure 10
}
_PACKAGES = ("numpy", "numba")


def replicate(folder: str | Path, *, seeds: int = 10) -> pd.DataFrame:
    """Answer the questions for every figure on the original files, in a row per setting and ε.

    ``carefree`` is best-response dynamics without privacy, see
    :func:`~pdpbook.experiments.noise_by_bin.without_privacy`.
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
