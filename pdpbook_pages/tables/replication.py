"""The paper's tables, run again on the original files.

The command ``python -m pdpbook_pages.tables.replication --data FOLDER --out FILE`` runs every
experiment under both settings, searches for settings that fit better, repeats the regressions, and
writes one table of aggregates.  It takes about an hour.  Taught in *Replication: claim by claim*.
"""

from __future__ import annotations

import argparse
import hashlib
import platform
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pdpbook._extras import progress_bar
from pdpbook.experiments.datasets import load_credit, load_heights, load_income, load_players
from pdpbook.experiments.regression import regression_table
from pdpbook.experiments.replication import (
    best_response_row,
    divergence_floor,
    laplace_row,
    measures,
    summary,
)
from pdpbook.experiments.settings import SETTINGS
from pdpbook.experiments.settings_search import DIVISORS, PADDINGS, TABLES, search_settings
from pdpbook.game.genetic import approximate_enumeration
from pdpbook.game.nvo_game import NVOGame
from pdpbook.game.optimum import certified_optimum

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "certified_bound",
    "enumeration_row",
    "file_hashes",
    "main",
    "replicate",
    "write_aggregates",
]

_FILES = ("nba/all_seasons.csv", "income/test.csv", "credit/test.csv")
_PACKAGES = ("numpy", "scipy", "numba", "highspy", "scikit-learn")
_EPSILONS = {"height": (0.1, 0.3, 1.0, 2.0, 4.0, 8.0), "income": (1.0, 2.0, 4.0, 8.0)}
_EPSILONS["credit"] = (1.0, 2.0)
_ENUMERATED = ("height", "income")  # the paper has no genetic algorithm on the large data


def replicate(
    folder: str | Path,
    *,
    seeds: int = 10,
    generations: int = 270,
    progress: bool = True,
) -> pd.DataFrame:
    """Compute the paper's tables on the original files: rows by experiment, setting and ε.

    Best-response dynamics, the genetic algorithm (not used on the large data) and the regressions
    have ``seeds`` random starts each.
    """
    import pandas as pd

    heights = load_heights(folder)["height"]
    weights = load_income(folder)
    data = {"height": heights, "income": weights["income"], "credit": load_credit(folder)["income"]}
    plan = [(name, s, e) for name in data for s in SETTINGS for e in _EPSILONS[name]]
    total = len(plan) + len(weights.columns) + len(data) * len(PADDINGS) * len(DIVISORS) + 1
    rows: list[dict[str, Any]] = []
    with progress_bar(total=total, desc="replication", shown=progress, file=sys.stderr) as bar:
        for name, setting, epsilon in plan:
            bar.set_postfix_str(f"{name}, {setting}, ε = {epsilon:g}")
            game = SETTINGS[setting].game(data[name], epsilon=epsilon)
            found = [laplace_row(game), best_response_row(game, range(seeds))]
            found.append(certified_bound(game))
            if name in _ENUMERATED:
                found.append(enumeration_row(game, range(seeds), generations=generations))
            about = {"experiment": name, "setting": setting, "epsilon": epsilon}
            rows += [{**about, "records": game.records, **row} for row in found]
            bar.update()
        bar.set_postfix_str("columns")
        for column in weights.columns:
            for epsilon in _EPSILONS["income"]:
                game = SETTINGS["inferred"].game(weights[column], epsilon=epsilon)
                about = {"experiment": f"column {column}", "setting": "inferred"}
                rows.append({**about, "epsilon": epsilon, **laplace_row(game)})
            bar.update()
        for name, records in data.items():
            bar.set_postfix_str(f"{name}, search")
            found_all = search_settings(records, TABLES[name], after_each=bar.update)
            rows += [{"experiment": f"search {name}", **dict(r)} for _, r in found_all.iterrows()]
        bar.set_postfix_str("regression")
        players = load_players(folder)
        result = regression_table(
            players["height"], players["weight"], epsilons=_EPSILONS["height"], seeds=range(seeds)
        )
        rows += [{"experiment": "regression", **dict(row)} for _, row in result.iterrows()]
        bar.update()
    return pd.DataFrame(rows)


def enumeration_row(game: NVOGame, seeds: Iterable[int], *, generations: int) -> dict[str, Any]:
    """Return the row of the paper's genetic algorithm, AE, with the seeds in parallel.

    The row has the entries of :func:`~pdpbook.experiments.replication.best_response_row`, with
    ``generations`` instead of ``sweeps``.
    """
    with ProcessPoolExecutor() as pool:
        runs = list(pool.map(partial(_evolved, game, generations), seeds))
    ends, seconds = [end for end, _ in runs], [spent for _, spent in runs]
    return {"algorithm": "AE", "generations": generations, **summary(game, ends, seconds)}


def _evolved(game: NVOGame, generations: int, seed: int) -> tuple[NDArray[np.int64], float]:
    """Return the final profile of one run of the genetic algorithm, and its time in seconds."""
    began = time.perf_counter()
    run = approximate_enumeration(game, rng=np.random.default_rng(seed), generations=generations)
    return run.profile, time.perf_counter() - began


def certified_bound(game: NVOGame) -> dict[str, Any]:
    """Return the best known profile, and a lower bound on the KL of all private profiles.

    The row contains the measures of the best profile; ``lower_bound``, the larger of the solver's
    bound and the tangent bound of ``divergence_floor``; and ``optimal``, whether the solver reached
    a gap of 2 %, at which it stops.  All games of the replication reach this gap within about ten
    seconds, so the time limit does not affect the results.
    """
    answer = certified_optimum(game, relative_gap=0.02, time_limit=300.0)
    bound = max(answer.lower_bound, divergence_floor(game))
    row: dict[str, Any] = {"algorithm": "certified", "lower_bound": bound}
    row |= {"optimal": answer.converged, "seconds": answer.seconds}
    if answer.profile is not None:
        row |= measures(game, answer.profile)
        row["private"] = answer.private_records
        row["nash"] = game.evaluate(answer.profile).is_nash()
    return row


def file_hashes(folder: str | Path) -> dict[str, str]:
    """Return the SHA-256 of each original file in the folder."""
    return {name: hashlib.sha256((Path(folder) / name).read_bytes()).hexdigest() for name in _FILES}


def write_aggregates(
    out: Path,
    table: pd.DataFrame,
    command: str,
    note: str,
    hashes: Mapping[str, str],
    packages: Sequence[str],
) -> None:
    """Write a table of aggregates under comment lines with its command and its input files."""
    lines = [
        f"Results of python -m pdpbook_pages.tables.{command} on the original files; aggregates.",
        note,
        *(f"sha256 {digest} {name}" for name, digest in hashes.items()),
        ", ".join(
            [f"Python {platform.python_version()}", *(f"{p} {version(p)}" for p in packages)]
        ),
    ]
    with out.open("w", encoding="utf-8") as stream:
        stream.writelines(f"# {line}\n" for line in lines)
        table.to_csv(stream, index=False, float_format="%.6g")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the replication from the command line and write its table."""
    parser = argparse.ArgumentParser(
        prog="python -m pdpbook_pages.tables.replication", description=__doc__.split("\n\n")[0]
    )
    parser.add_argument("--data", required=True, type=Path, help="folder with the original files")
    parser.add_argument("--out", required=True, type=Path, help="where to write the table")
    parser.add_argument("--seeds", type=int, default=10, help="seeds of each method (default 10)")
    parser.add_argument("--generations", type=int, default=270, help="of the genetic algorithm")
    given = parser.parse_args(arguments)
    missing = [name for name in _FILES if not (given.data / name).is_file()]
    if missing:
        parser.error(f"{given.data} must contain {', '.join(_FILES)}; missing {', '.join(missing)}")
    for name in ("seeds", "generations"):
        if getattr(given, name) < 1:
            parser.error(f"--{name} must be at least 1, got {getattr(given, name)}")
    if not given.out.resolve().parent.is_dir():
        parser.error(f"--out must be in a folder that exists, got {given.out}")
    hashes = file_hashes(given.data)
    began = time.perf_counter()
    table = replicate(given.data, seeds=given.seeds, generations=given.generations)
    seconds = f"{time.perf_counter() - began:.0f} s in all"
    note = f"seeds {given.seeds}, generations {given.generations}, {seconds}"
    write_aggregates(given.out, table, "replication", note, hashes, _PACKAGES)
    return 0


if __name__ == "__main__":
    sys.exit(main())
