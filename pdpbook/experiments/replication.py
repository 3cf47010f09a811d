r"""The paper's tables, run again: as it states the settings, and as its figures suggest them.

Two settings are played on every data set.

- *stated*: scales :math:`\{3, 2, 1, 0.33, 0.2\}\cdot\Delta q/\varepsilon`, padding for the ε of
  the row;
- *inferred*: the two small scales ten times smaller, and padding for ε = 1 in every row.  Nobody
  has told us so; the chapter shows the evidence, and where it ends.

For each of them and each ε: the Laplace mechanism, best-response dynamics and the genetic algorithm
from ten seeds each, and a lower bound that no profile with everybody private can be below.  Run on
the original files, in about an hour, by ::

    python -m pdpbook.experiments.replication --data FOLDER --out FILE

the results become one small table of aggregates, ``replication.csv``, which says by SHA-256 which
files it was made from.  The book carries such a table, so that it can speak about files that it
may not pass on.
"""

from __future__ import annotations

import argparse
import hashlib
import math
import platform
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from tqdm import tqdm

from pdpbook import _validate
from pdpbook.experiments.datasets import credit, income, nba_heights, nba_players, published_table
from pdpbook.experiments.metrics import cosine_similarity, jaccard_index, kl_divergence, sd_loss
from pdpbook.experiments.regression import regression_table
from pdpbook.game.best_response import best_response_dynamics
from pdpbook.game.genetic import approximate_enumeration
from pdpbook.game.nvo_game import NVOGame
from pdpbook.game.optimum import certified_optimum

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "DIVISORS",
    "PADDINGS",
    "SETTINGS",
    "Setting",
    "best_response_row",
    "certified_bound",
    "divergence_floor",
    "enumeration_row",
    "laplace_row",
    "measures",
    "misfit",
    "replicate",
    "replication_results",
    "sd_loss_limit",
    "search_row",
    "settings_search",
]

_FILES = ("nba/all_seasons.csv", "income/test.csv", "credit/test.csv")
_PACKAGES = ("numpy", "scipy", "numba", "highspy", "pygad", "scikit-learn")
_EPSILONS = {"height": (0.1, 0.3, 1.0, 2.0, 4.0, 8.0), "income": (1.0, 2.0, 4.0, 8.0)}
_EPSILONS["credit"] = (1.0, 2.0)
_ENUMERATED = ("height", "income")  # the paper has no genetic algorithm on the large data
_TABLES = {"height": 1, "income": 3, "credit": 4}


@dataclass(frozen=True)
class Setting:
    """What one has to know to build the game of a row.

    Parameters
    ----------
    multipliers : tuple of float
        Scales of the actions as multiples of Δq/ε; the third is the Laplace mechanism's.
    grid_epsilon : float or None
        The ε for which the interval is padded; the row's own if None.
    """

    multipliers: tuple[float, ...]
    grid_epsilon: float | None

    def game(self, data: ArrayLike, epsilon: float) -> NVOGame:
        """Return the game of these data at this ε."""
        return NVOGame.from_data(
            data, epsilon=epsilon, multipliers=self.multipliers, grid_epsilon=self.grid_epsilon
        )


#: The two settings of the replication.
SETTINGS = {
    "stated": Setting((3, 2, 1, 0.33, 0.2), None),
    "inferred": Setting((3, 2, 1, 0.033, 0.02), 1.0),
}
#: By how much the search divides the two small scales.
DIVISORS = (1, 2, 5, 10, 20, 50, 100)
#: For which ε the search pads; None is the row's own.
PADDINGS = (None, 0.5, 0.75, 1.0, 1.2, 1.4, 1.6, 2.0)


def measures(game: NVOGame, profile: ArrayLike) -> dict[str, float]:
    """Return what the paper's tables say about a release.

    Parameters
    ----------
    game : NVOGame
        A game that knows its grid.
    profile : array_like of int, shape (K, V)
        The profile.

    Returns
    -------
    dict
        ``kl``, ``sd_probabilities`` and ``sd_data`` (the two readings of the SD loss, the second
        in units of the padded interval), ``jaccard`` and ``cosine``.

    Notes
    -----
    Taught in *Replication*.

    Examples
    --------
    >>> game = SETTINGS["stated"].game(nba_heights()["height"], 1.0)
    >>> row = measures(game, game.constant_profile(2))
    >>> round(row["kl"], 3), round(row["cosine"], 3)
    (1.341, 0.598)
    """
    q, output = game.frequency, game.output(profile)
    places = (np.arange(game.bins) + 0.5) / game.bins
    return {
        "kl": kl_divergence(q, output),
        "sd_probabilities": sd_loss(q, output),
        "sd_data": sd_loss(q, output, values=places),
        "jaccard": jaccard_index(q, output),
        "cosine": cosine_similarity(q, output),
    }


def laplace_row(game: NVOGame) -> dict[str, Any]:
    """Return the row of the Laplace mechanism: everybody plays the third scale.

    Parameters
    ----------
    game : NVOGame
        A game made by a :class:`Setting`.

    Returns
    -------
    dict
        The measures, and ``private``: how many records are ε-pDP-private.

    Examples
    --------
    >>> row = laplace_row(SETTINGS["inferred"].game(nba_heights()["height"], 2.0))
    >>> round(row["kl"], 3), row["private"]
    (0.901, 1317)
    """
    profile = game.constant_profile(2)
    return {
        "algorithm": "Laplace",
        "private": game.private_records(profile),
        **measures(game, profile),
    }


def best_response_row(game: NVOGame, seeds: Iterable[int]) -> dict[str, Any]:
    """Return the row of best-response dynamics from random starts.

    Parameters
    ----------
    game : NVOGame
        The game.
    seeds : iterable of int
        One random start a seed.

    Returns
    -------
    dict
        Medians of the measures and the range of KL over the seeds (``kl_low``, ``kl_high``), the
        smallest number of private records, how many ends are Nash equilibria and whether all are
        (``equilibria``, ``nash``), the largest number of sweeps and the median of the seconds.

    Examples
    --------
    >>> game = SETTINGS["stated"].game(nba_heights()["height"], 1.0)
    >>> row = best_response_row(game, range(3))
    >>> round(row["kl"], 4), row["private"], row["nash"], row["seeds"]
    (0.3585, 1317, True, 3)
    """
    ends, sweeps, seconds = [], [], []
    for seed in seeds:
        began = time.perf_counter()
        run = best_response_dynamics(game, rng=np.random.default_rng(seed))
        seconds.append(time.perf_counter() - began)
        ends.append(run.profile)
        sweeps.append(run.sweeps)
    return {"algorithm": "BRD", "sweeps": max(sweeps), **_summary(game, ends, seconds)}


def enumeration_row(game: NVOGame, seeds: Iterable[int], *, generations: int) -> dict[str, Any]:
    """Return the row of the paper's genetic algorithm, AE; the seeds share the processors.

    Parameters
    ----------
    game : NVOGame
        The game.
    seeds : iterable of int
        One run a seed.
    generations : int
        Generations of each run.

    Returns
    -------
    dict
        As :func:`best_response_row`, with ``generations`` in place of ``sweeps``.
    """
    with ProcessPoolExecutor() as pool:
        runs = list(pool.map(partial(_evolved, game, generations), seeds))
    ends, seconds = [end for end, _ in runs], [spent for _, spent in runs]
    return {"algorithm": "AE", "generations": generations, **_summary(game, ends, seconds)}


def _evolved(game: NVOGame, generations: int, seed: int) -> tuple[NDArray[np.int64], float]:
    """Return the end of one run of the genetic algorithm, and its seconds."""
    began = time.perf_counter()
    run = approximate_enumeration(game, rng=np.random.default_rng(seed), generations=generations)
    return run.profile, time.perf_counter() - began


def certified_bound(game: NVOGame, *, time_limit: float = 300.0) -> dict[str, Any]:
    """Return the best profile known, and the KL that no private profile is below.

    Parameters
    ----------
    game : NVOGame
        The game.
    time_limit : float
        Seconds for the solver.  It stops at a gap of 2 %, and what the gap stops is repeatable;
        all games of the replication reach it within some ten seconds.

    Returns
    -------
    dict
        Measures of the best profile, ``lower_bound``, the larger one of the solver's and of
        :func:`divergence_floor`, ``optimal`` (whether the gap was reached) and ``seconds``;
        algorithm ``certified``.

    Examples
    --------
    >>> game = SETTINGS["stated"].game(nba_heights()["height"], 1.0)
    >>> row = certified_bound(game)
    >>> round(row["kl"], 3), round(row["lower_bound"], 3)
    (0.358, 0.358)
    """
    answer = certified_optimum(game, relative_gap=0.02, time_limit=time_limit)
    bound = max(answer.lower_bound, divergence_floor(game))
    row: dict[str, Any] = {"algorithm": "certified", "lower_bound": bound}
    row |= {"optimal": answer.optimal, "seconds": answer.seconds}
    if answer.profile is not None:
        row |= measures(game, answer.profile)
        row["private"] = game.private_records(answer.profile)
        row["nash"] = game.is_nash(answer.profile)
    return row


def divergence_floor(game: NVOGame) -> float:
    r"""Return a KL that no profile is below, private or not: one tangent of the logarithm.

    Parameters
    ----------
    game : NVOGame
        The game.

    Returns
    -------
    float
        :math:`D_{KL}(q\,\|\,P) + 1 - \sum_k q(k)\, g_k` with
        :math:`g_k = \max_v \sum_x p_{k,v}(x)\,q(x)/P(x)` and P from best responses that care for
        KL only, or 0 if that is negative.

    Notes
    -----
    Source: this book.  Proved in *Experiment 1: heights*.

    Examples
    --------
    >>> game = SETTINGS["stated"].game(nba_heights()["height"], 1.0)
    >>> round(divergence_floor(game), 3)
    0.358
    """
    carefree = NVOGame(game.counts, game.kernel, epsilon=50.0)
    start = carefree.constant_profile(game.actions - 1)
    reference = best_response_dynamics(carefree, start).profile
    q = game.frequency
    ratio = np.divide(q, game.output(reference), out=np.zeros_like(q), where=q > 0.0)
    gains = game.kernel @ ratio
    return max(game.divergence(reference) + 1.0 - float(q @ gains.max(axis=0)), 0.0)


def misfit(ours: ArrayLike, published: ArrayLike, *, resolution: float = 5e-5) -> float:
    """Return how far computed divergences are from printed ones, as a factor.

    Parameters
    ----------
    ours, published : array_like, shape (m,)
        Divergences >= 0.
    resolution : float
        Added to both: figures are printed to four decimals.

    Returns
    -------
    float
        The root mean square of the logarithm of the ratio, as a factor >= 1: 1 is a perfect fit,
        2 says "typically off by a factor of two".

    Examples
    --------
    >>> misfit([0.2, 0.05], [0.1, 0.1], resolution=0.0)
    2.0
    """
    first = _validate.finite_vector("ours", ours)
    second = _validate.finite_vector("published", published)
    for name, values in (("ours", first), ("published", second)):
        if (values < 0.0).any():
            raise ValueError(f"{name} must hold numbers >= 0, got {float(values.min())!r}")
    first, second = first + resolution, second + resolution
    if first.shape != second.shape:
        raise ValueError(
            f"ours and published must have the same length, got {first.size} and {second.size}"
        )
    return float(round(math.exp(math.sqrt(np.mean(np.log(first / second) ** 2))), 12))


def search_row(
    data: ArrayLike, table: int, *, padding: float | None, divisor: float
) -> dict[str, Any]:
    """Return how well one setting fits the published rows with ε >= 1.

    Parameters
    ----------
    data : array_like, shape (n,)
        The records.
    table : int
        Number of the published table.
    padding : float or None
        The ε for which the interval is padded; None for the row's own.
    divisor : float
        By how much the two small scales are divided.

    Returns
    -------
    dict
        ``padding`` (nan for None), ``divisor``, ``misfit_brd`` and ``misfit_laplace`` (of KL, see
        :func:`misfit`), ``misfit_cosine`` (mean absolute difference of the cosine similarities of
        the Laplace mechanism) and ``support``, the number of bins with more than 0.001 of the data
        at ε = 1.

    Raises
    ------
    ValueError
        If the table is not 1, 3 or 4.

    Examples
    --------
    >>> row = search_row(nba_heights()["height"], 1, padding=1.0, divisor=1)
    >>> round(row["misfit_brd"])  # the stated scales
    36
    """
    if table not in _TABLES.values():
        raise ValueError(f"table must be 1, 3 or 4, got table={table!r}")
    setting = Setting((3, 2, 1, 0.33 / divisor, 0.2 / divisor), padding)
    printed = published_table(table)
    printed = printed[printed["epsilon"] >= 1.0]
    games, laplace = {}, printed[printed["algorithm"] == "Laplace"]
    for epsilon in laplace["epsilon"]:
        games[epsilon] = setting.game(data, epsilon)
    brd = [best_response_row(game, range(3))["kl"] for game in games.values()]
    lap = [laplace_row(game) for game in games.values()]
    similar = np.array([row["cosine"] for row in lap])
    return {
        "padding": math.nan if padding is None else padding,
        "divisor": float(divisor),
        "misfit_brd": misfit(brd, printed[printed["algorithm"] == "BRD"]["kl_divergence"]),
        "misfit_laplace": misfit([row["kl"] for row in lap], laplace["kl_divergence"]),
        "misfit_cosine": float(np.abs(similar - laplace["cosine_similarity"]).mean()),
        "support": int((games[1.0].frequency > 0.001).sum()),
    }


def settings_search(
    data: ArrayLike,
    table: int,
    *,
    paddings: Sequence[float | None] = PADDINGS,
    divisors: Sequence[float] = DIVISORS,
    step: Callable[[], Any] = lambda: None,
) -> pd.DataFrame:
    """Try every padding with every divisor of the two small scales.

    Parameters
    ----------
    data : array_like, shape (n,)
        The records.
    table : int
        Number of the published table.
    paddings, divisors : sequence
        What to try.
    step : callable
        Called after each of them, for a progress bar.

    Returns
    -------
    pandas.DataFrame
        One :func:`search_row` each.

    Examples
    --------
    >>> table = settings_search(nba_heights()["height"], 1, paddings=(1.0,), divisors=(1, 10))
    >>> table["misfit_brd"].is_monotonic_decreasing
    True
    """
    import pandas as pd

    rows = []
    for padding in paddings:
        for divisor in divisors:
            rows.append(search_row(data, table, padding=padding, divisor=divisor))
            step()
    return pd.DataFrame(rows)


def sd_loss_limit(cosine: float, sd: float, *, bins: int = 101) -> float:
    r"""Return the largest SD loss, of probabilities, that a cosine similarity allows.

    A probability vector p makes an angle φ with the uniform one, and the standard deviation of its
    K entries is tan(φ)/K.  If the angle between p and q is θ, their angles with the uniform vector
    differ by at most θ.

    Parameters
    ----------
    cosine : float
        Cosine similarity of the two distributions, in (0, 1).
    sd : float
        Standard deviation of the K probabilities of the data, > 0.
    bins : int
        Number of bins K.

    Returns
    -------
    float
        Infinite if the angle allows any SD.

    Notes
    -----
    Source: this book.  Proved in *Replication*.

    Examples
    --------
    >>> round(sd_loss_limit(0.9997, 0.028), 4)
    0.0023
    """
    theta = math.acos(_validate.number("cosine", cosine, above=0.0, below=1.0))
    phi = math.atan(bins * _validate.number("sd", sd, above=0.0))
    if phi + theta >= math.pi / 2:
        return math.inf
    return (math.tan(phi + theta) - math.tan(phi)) / bins


def replicate(
    folder: str | Path,
    *,
    seeds: int = 10,
    generations: int = 270,
    progress: bool = True,
) -> pd.DataFrame:
    """Run every table of the paper on the original files.

    Parameters
    ----------
    folder : str or Path
        The folder with the original files; see :mod:`pdpbook.experiments.datasets`.
    seeds : int
        Random starts of best-response dynamics, of the genetic algorithm (not on the large data)
        and of the regressions.
    generations : int
        Generations of each run of the genetic algorithm.
    progress : bool
        Whether to show a progress bar.

    Returns
    -------
    pandas.DataFrame
        One row for each experiment, setting, algorithm and ε.
    """
    import pandas as pd

    heights = nba_heights(folder)["height"]
    weights = income(folder)
    data = {"height": heights, "income": weights["income"], "credit": credit(folder)["income"]}
    plan = [(name, s, e) for name in data for s in SETTINGS for e in _EPSILONS[name]]
    total = len(plan) + len(weights.columns) + len(data) * len(PADDINGS) * len(DIVISORS) + 1
    rows: list[dict[str, Any]] = []
    with tqdm(total=total, desc="replication", disable=not progress, file=sys.stderr) as bar:
        for name, setting, epsilon in plan:
            bar.set_postfix_str(f"{name}, {setting}, ε = {epsilon:g}")
            game = SETTINGS[setting].game(data[name], epsilon)
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
                game = SETTINGS["inferred"].game(weights[column], epsilon)
                about = {"experiment": f"column {column}", "setting": "inferred"}
                rows.append({**about, "epsilon": epsilon, **laplace_row(game)})
            bar.update()
        for name, records in data.items():
            bar.set_postfix_str(f"{name}, search")
            found_all = settings_search(records, _TABLES[name], step=bar.update)
            rows += [{"experiment": f"search {name}", **dict(r)} for _, r in found_all.iterrows()]
        bar.set_postfix_str("regression")
        players = nba_players(folder)
        result = regression_table(
            players["height"], players["weight"], epsilons=_EPSILONS["height"], seeds=range(seeds)
        )
        rows += [{"experiment": "regression", **dict(row)} for _, row in result.iterrows()]
        bar.update()
    return pd.DataFrame(rows)


def replication_results(file: str | Path | None = None) -> pd.DataFrame:
    """Return the committed results of a run on the original files.

    Parameters
    ----------
    file : str or Path, optional
        Another table that the command has written.

    Returns
    -------
    pandas.DataFrame
        As :func:`replicate` returns it; ``attrs["about"]`` holds the lines above the table:
        command, hashes of the input files, versions.

    Notes
    -----
    Taught in *Replication*.

    Examples
    --------
    >>> table = replication_results()
    >>> row = table.query("experiment == 'height' and setting == 'stated' and epsilon == 1")
    >>> row.query("algorithm == 'BRD'")["kl"].round(4).item()
    0.3585
    """
    import pandas as pd

    path = Path(str(files("pdpbook.experiments") / "data" / "replication.csv"))
    path = path if file is None else Path(file)
    lines = path.read_text(encoding="utf-8").splitlines()
    header = next((line for line in lines if not line.startswith("#")), "").split(",")
    needed = ("experiment", "setting", "algorithm", "epsilon", "kl")
    if not set(needed) <= set(header):
        raise ValueError(f"{path} must have the columns {', '.join(needed)}, got {header}")
    table = pd.read_csv(path, comment="#")
    table.attrs["about"] = [line[2:] for line in lines if line.startswith("#")]
    return table


def file_hashes(folder: str | Path) -> dict[str, str]:
    """Return the SHA-256 of each original file in the folder."""
    return {name: hashlib.sha256((Path(folder) / name).read_bytes()).hexdigest() for name in _FILES}


def _summary(game: NVOGame, ends: list[NDArray[np.int64]], seconds: list[float]) -> dict[str, Any]:
    if not ends:
        raise ValueError("seeds must hold at least one seed, got none")
    each = [measures(game, end) for end in ends]
    equilibria = sum(game.is_nash(end) for end in ends)
    divergences = [row["kl"] for row in each]
    return {
        "seeds": len(ends),
        "private": min(game.private_records(end) for end in ends),
        "equilibria": equilibria,
        "nash": equilibria == len(ends),
        "seconds": float(np.median(seconds)),
        "kl_low": min(divergences),
        "kl_high": max(divergences),
        **{name: float(np.median([row[name] for row in each])) for name in each[0]},
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the replication from the command line and write its table."""
    parser = argparse.ArgumentParser(
        prog="python -m pdpbook.experiments.replication", description=__doc__.split("\n\n")[0]
    )
    parser.add_argument("--data", required=True, type=Path, help="folder with the original files")
    parser.add_argument("--out", required=True, type=Path, help="where to write the table")
    parser.add_argument("--seeds", type=int, default=10, help="seeds of everything (default 10)")
    parser.add_argument("--generations", type=int, default=270, help="of the genetic algorithm")
    given = parser.parse_args(arguments)
    missing = [name for name in _FILES if not (given.data / name).is_file()]
    if missing:
        parser.error(f"{given.data} must hold {', '.join(_FILES)}; missing: {', '.join(missing)}")
    for name in ("seeds", "generations"):
        if getattr(given, name) < 1:
            parser.error(f"--{name} must be at least 1, got {getattr(given, name)}")
    if not given.out.resolve().parent.is_dir():
        parser.error(f"--out must be in a folder that exists, got {given.out}")
    hashes = file_hashes(given.data)
    began = time.perf_counter()
    table = replicate(given.data, seeds=given.seeds, generations=given.generations)
    lines = [
        "Results of python -m pdpbook.experiments.replication on the original files; aggregates.",
        f"seeds {given.seeds}, generations {given.generations}, "
        f"{time.perf_counter() - began:.0f} s in all",
        *(f"sha256 {digest} {name}" for name, digest in hashes.items()),
        ", ".join(
            [f"Python {platform.python_version()}", *(f"{p} {version(p)}" for p in _PACKAGES)]
        ),
    ]
    with given.out.open("w", encoding="utf-8") as stream:
        stream.writelines(f"# {line}\n" for line in lines)
        table.to_csv(stream, index=False, float_format="%.6g")
    return 0


if __name__ == "__main__":
    sys.exit(main())
