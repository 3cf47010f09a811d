"""The data sets of the experiments, simulated where the original may not be redistributed.

Every loader has the optional argument ``path``.  If this is the path of a file or a folder, the
loader reads the original file there.  Otherwise it looks in the folder that the environment
variable ``PDPBOOK_DATA`` names, with the layout

- ``nba/all_seasons.csv``: Kaggle, *NBA Players*, seasons 1996-97 to 2021-22;
- ``income/test.csv``: Kaggle, *Income*, a sample of the census;
- ``credit/test.csv``: Kaggle, *Credit Profile (Two-wheeler loan)*;
- ``facebook/facebook_combined.txt``: SNAP, *ego-Facebook*.

If there is no such file, the loader returns bundled data: the real table of heights, real data sets
of scikit-learn and networkx, or a seeded stand-in with the same statistics.  A result names its
simulated columns, so that a page can name them in its captions.

The files are read in :mod:`pdpbook.experiments.original_files`.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pdpbook import _data, _validate
from pdpbook._extras import require
from pdpbook._repr import short_repr
from pdpbook.experiments.original_files import (
    POSITIVE,
    WHOLE,
    Check,
    original,
    read_edges,
    read_table,
)

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd

__all__ = [
    "Dataset",
    "load_credit",
    "load_friends",
    "load_heights",
    "load_income",
    "load_patients",
    "load_players",
    "load_published_table",
    "load_repeats",
]

#: The teams of the paper's experiment; Charlotte appears under two abbreviations.
_TEAMS = ("ATL", "BOS", "CHA", "CHH", "CHI", "CLE")


@dataclass(frozen=True, eq=False)
class Dataset:
    """A table of records with its source.

    Parameters
    ----------
    name : str
    frame : pandas.DataFrame, n rows
        One row per record.
    simulated : tuple of str
        Names of the simulated columns; empty for real data.
    source : str
        Source of the real columns, or model of the simulated columns.

    Examples
    --------
    >>> players = load_players()
    >>> len(players), players.columns, players.simulated
    (1317, ('height', 'weight'), ('weight',))
    >>> players.caption_note
    'The column weight is *simulated*.'
    """

    name: str
    frame: pd.DataFrame
    simulated: tuple[str, ...]
    source: str

    __repr__ = short_repr

    def __len__(self) -> int:
        """Return the number of records n."""
        return len(self.frame)

    def __getitem__(self, column: str) -> NDArray[np.float64]:
        """Return a column as a new array, shape (n,)."""
        if column not in self.frame.columns:
            raise KeyError(f"{self.name} has the columns {self.columns}, not {column!r}")
        return self.frame[column].to_numpy(dtype=np.float64, copy=True)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(self.frame.columns)

    @property
    def caption_note(self) -> str:
        """The note about simulated columns for a caption; empty for real data."""
        if not self.simulated:
            return ""
        if set(self.simulated) == set(self.columns):
            return "The data are *simulated*."
        many = len(self.simulated) > 1
        return (
            f"The column{'s' if many else ''} {' and '.join(self.simulated)} "
            f"{'are' if many else 'is'} *simulated*."
        )


def load_heights(path: str | os.PathLike[str] | None = None) -> Dataset:
    """Return the heights of 1,317 records of basketball players, in cm.

    A record is a distinct combination of player, team, height and weight in the seasons 1996-97 to
    2021-22; the teams are Atlanta, Boston, Charlotte, Chicago and Cleveland.  A player who was
    measured again, or who changed teams, has several records: there are 889 players in 1,090 pairs
    of player and team.  The paper uses 1,307 rows of the same file, but does not describe their
    selection; among natural selections, the one here comes nearest to this number.

    Parameters
    ----------
    path : str or os.PathLike, optional
        The original ``all_seasons.csv``, or a folder with ``nba/all_seasons.csv``.

    Returns
    -------
    Dataset
        The column ``height``, in ascending order, from the real data with or without ``path``.

    Raises
    ------
    FileNotFoundError, ValueError
        If the file does not exist, or does not have the expected contents.

    Notes
    -----
    Taught in *Experiment 1: heights*.

    Examples
    --------
    >>> heights = load_heights()
    >>> len(heights), heights.columns, heights.caption_note
    (1317, ('height',), '')
    """
    import pandas as pd

    file = original("nba/all_seasons.csv", path)
    if file is None:
        table = read_table(
            _data.file("experiments", "nba_heights.csv"), {"height_cm": _height, "count": WHOLE}
        )
        heights = np.repeat(table["height_cm"].to_numpy(), table["count"].to_numpy(dtype=int))
    else:
        heights = np.sort(_nba_records(file)["height"].to_numpy())
    return Dataset(
        "nba_heights",
        pd.DataFrame({"height": heights}),
        simulated=(),
        source="Kaggle, NBA Players, all_seasons.csv; records at ATL, BOS, CHA, CHH, CHI, CLE",
    )


def load_players(path: str | os.PathLike[str] | None = None) -> Dataset:
    """Return the height (cm) and weight (kg) of the 1,317 records.

    Without the original file, the weights are simulated from the regression line of the original
    data, 1.170·height − 133.9, and normal noise with the residual standard deviation, 7.13 kg.

    Parameters
    ----------
    path : str or os.PathLike, optional
        As for :func:`load_heights`, which raises the same errors.

    Returns
    -------
    Dataset
        The columns ``height`` and ``weight``, in ascending order of height.

    Notes
    -----
    Taught in *Regression on released data*.

    Examples
    --------
    >>> load_players().simulated
    ('weight',)
    """
    file = original("nba/all_seasons.csv", path)
    if file is not None:
        frame = _nba_records(file).sort_values(["height", "weight"], ignore_index=True)
    else:
        frame = load_heights().frame
        noise = np.random.default_rng(1996).normal(0.0, 7.13, len(frame))
        frame["weight"] = 1.170 * frame["height"] - 133.9 + noise
    return Dataset(
        "nba_players",
        frame,
        simulated=() if file is not None else ("weight",),
        source="Kaggle, NBA Players, all_seasons.csv; records at ATL, BOS, CHA, CHH, CHI, CLE",
    )


def load_patients() -> Dataset:
    """Return the data of 442 real patients in a diabetes study.

    Returns
    -------
    Dataset
        The columns ``age`` (years), ``bmi`` (kg/m²), ``blood_pressure`` (mmHg) and
        ``progression`` (a score of the disease one year later, 25 to 346).

    Notes
    -----
    Source: Efron, Hastie, Johnstone & Tibshirani (2004), as bundled with scikit-learn.
    Taught in *Regression on released data*.

    Examples
    --------
    >>> people = load_patients()
    >>> len(people), people.columns
    (442, ('age', 'bmi', 'blood_pressure', 'progression'))
    """
    bunch = require("sklearn.datasets").load_diabetes(as_frame=True, scaled=False)
    names = {"age": "age", "bmi": "bmi", "bp": "blood_pressure", "target": "progression"}
    return Dataset(
        "patients",
        bunch.frame[list(names)].rename(columns=names),
        simulated=(),
        source="Efron et al. (2004), diabetes study, as bundled with scikit-learn",
    )


def load_income(path: str | os.PathLike[str] | None = None) -> Dataset:
    """Return the 899 values of the paper's second experiment.

    The original file has no column of incomes.  The paper very probably used the census sampling
    weight, ``fnlwgt``, which is called ``income`` here.

    Parameters
    ----------
    path : str or os.PathLike, optional
        The original ``test.csv``, or a folder with ``income/test.csv``; an invalid file raises the
        errors of :func:`load_heights`.

    Returns
    -------
    Dataset
        The column ``income``; with the original file also ``age``, ``capital_gain``,
        ``capital_loss`` and ``hours_per_week``.

    Notes
    -----
    The stand-in has the original's size, number of distinct values, extremes, mean and standard
    deviation, and the shape of a gamma distribution.  Taught in *Experiment 2: income*.

    Examples
    --------
    >>> values = load_income()["income"]
    >>> values.size, np.unique(values).size
    (899, 878)
    """
    import pandas as pd

    file = original("income/test.csv", path)
    if file is None:
        frame = pd.DataFrame({"income": _simulated_income(np.random.default_rng(2014))})
    else:
        checks = dict.fromkeys(("fnlwgt", "age", "hours-per-week"), POSITIVE)
        checks |= dict.fromkeys(("capital-gain", "capital-loss"), WHOLE)
        frame = read_table(file, checks).rename(columns={"fnlwgt": "income"})
        frame.columns = frame.columns.str.replace("-", "_")
    return Dataset(
        "income",
        frame,
        simulated=() if file is not None else ("income",),
        source="Kaggle, Income, test.csv, column fnlwgt",
    )


def load_credit(path: str | os.PathLike[str] | None = None, *, n: int = 10_000) -> Dataset:
    """Return the age (years) and yearly income of n loan applicants.

    Parameters
    ----------
    path : str or os.PathLike, optional
        The original ``test.csv`` (35,589 rows), or a folder with ``credit/test.csv``; an invalid
        file raises the errors of :func:`load_heights`.
    n : int
        Number of records.  They are drawn from the original file without replacement, with a fixed
        seed, as the paper draws 10,000; the stand-in can have any size up to 2 GiB.

    Returns
    -------
    Dataset
        The columns ``age`` (18 to 70) and ``income`` (a multiple of 1,000).

    Notes
    -----
    In the stand-in, ages are uniform and, at each age, incomes are uniform around a mean that
    increases with age, approximately as in the original.  Taught in *Experiment 3: large income,
    and vectors*.

    Examples
    --------
    >>> applicants = load_credit(n=1000)
    >>> len(applicants), applicants.simulated
    (1000, ('age', 'income'))
    """
    n = _validate.integer("n", n, at_least=2)
    _validate.memory("n", n, n, 2, what="a table")
    rng = np.random.default_rng(2018)
    file = original("credit/test.csv", path)
    if file is None:
        frame = _simulated_credit(n, rng)
    else:
        frame = read_table(file, {"Age": POSITIVE, "Income": POSITIVE})
        frame.columns = frame.columns.str.lower()
        if n > len(frame):
            raise ValueError(f"n must be at most {len(frame)}, the row count of {file}, got n={n}")
        frame = frame.iloc[rng.choice(len(frame), n, replace=False)].reset_index(drop=True)
    return Dataset(
        "credit",
        frame,
        simulated=() if file is not None else ("age", "income"),
        source="Kaggle, Credit Profile (Two-wheeler loan), test.csv",
    )


def load_friends(network: str = "large", path: str | os.PathLike[str] | None = None) -> nx.Graph:
    """Return a network of friends.

    Parameters
    ----------
    network : str
        ``"karate"`` (34 members of a club, real), ``"les-miserables"`` (77 characters of the
        novel, real), or ``"large"``: the ego-Facebook network if its file is present, and
        otherwise a simulated power-law cluster graph of 4,000 nodes.
    path : str or os.PathLike, optional
        The original ``facebook_combined.txt``, or a folder with ``facebook/``; only with
        ``"large"``.  An invalid file raises the errors of :func:`load_heights`.

    Returns
    -------
    networkx.Graph
        Simple and undirected, without edge weights.  Its attributes ``graph["name"]``,
        ``graph["simulated"]`` (a bool) and ``graph["source"]`` describe it.

    Notes
    -----
    Taught in *Privacy over social distance*.

    Examples
    --------
    >>> club = load_friends("karate")
    >>> club.number_of_nodes(), club.number_of_edges(), club.graph["simulated"]
    (34, 78, False)
    """
    nx = require("networkx")
    network = _validate.choice("network", network, "karate", "les-miserables", "large")
    if network != "large" and path is not None:
        raise _validate.fail("path", f"left out for the bundled network {network!r}", path)
    file = original("facebook/facebook_combined.txt", path) if network == "large" else None
    simulated = network == "large" and file is None
    if network == "karate":
        edges, source = nx.karate_club_graph().edges, "Zachary (1977), bundled with networkx"
    elif network == "les-miserables":
        edges, source = nx.les_miserables_graph().edges, "Knuth (1993), bundled with networkx"
    elif file is not None:
        edges, source = read_edges(file), "SNAP, ego-Facebook, facebook_combined.txt"
    else:
        edges = nx.powerlaw_cluster_graph(4000, 14, 0.9, seed=2012).edges
        source = "power-law cluster graph, after the size of SNAP's ego-Facebook"
    graph = nx.Graph(name=network, simulated=simulated, source=source)
    graph.add_edges_from(edges)
    return graph


def load_repeats() -> pd.DataFrame:
    """Return the numbers of players, and of pairs of player and team, by their number of records.

    Returns
    -------
    pandas.DataFrame
        Columns ``records``, ``players`` and ``pairs``: a row contains the number of players, and of
        pairs of player and team, that have exactly ``records`` of the records of `load_heights`.

    Notes
    -----
    A promise to each record is a weaker promise to a player with several records.  Source: counted
    from the original file of `load_heights`.  Taught in *Experiment 1: heights*.

    Examples
    --------
    >>> table = load_repeats()
    >>> int(table.players.sum()), int(table.pairs.sum()), int(table.records.max())
    (889, 1090, 6)
    >>> int(table.records @ table.players), int(table.records @ table.pairs)
    (1317, 1317)
    """
    table = read_table(
        _data.file("experiments", "nba_repeats.csv"),
        {"records": WHOLE, "players": WHOLE, "pairs": WHOLE},
    )
    return table.astype(int)


def load_published_table(number: int) -> pd.DataFrame:
    """Return a table of results as printed in the NVO paper.

    Parameters
    ----------
    number : int
        1 (heights), 2 (regression), 3 (income) or 4 (large income).

    Returns
    -------
    pandas.DataFrame
        Columns ``algorithm``, ``epsilon`` and the printed figures; nan if no figure is printed.

    Notes
    -----
    Source: Ryu, Jang & Yang (2024), tables 1 to 4.  Taught in *Replication: claim by claim*.

    Examples
    --------
    >>> table = load_published_table(1)
    >>> row = table[(table.algorithm == "BRD") & (table.epsilon == 1.0)]
    >>> row.kl_divergence.item()
    0.0066
    """
    titles = {1: "height", 2: "regression", 3: "income", 4: "large_income"}
    number = _validate.integer("number", number, at_least=1)
    if number not in titles:
        raise _validate.fail("number", "1, 2, 3 or 4", number)
    return _data.committed_table("experiments", f"table{number}_{titles[number]}.csv")


_height: Check = ("a height between 100 and 300 cm", lambda x: (x >= 100) & (x <= 300))
_weight: Check = ("a weight between 20 and 300 kg", lambda x: (x >= 20) & (x <= 300))


def _nba_records(file: Path) -> pd.DataFrame:
    """Return height and weight of each distinct (player, team, height, weight)."""
    names = {"player_height": "height", "player_weight": "weight"}
    frame = read_table(
        file,
        {"player_height": _height, "player_weight": _weight},
        labels=("player_name", "team_abbreviation"),
    )
    frame = frame[frame["team_abbreviation"].isin(_TEAMS)].drop_duplicates(ignore_index=True)
    if len(frame) < 2:
        raise ValueError(f"{file} must contain players of {', '.join(_TEAMS)}, got {len(frame)}")
    return frame[list(names)].rename(columns=names)


def _simulated_income(rng: np.random.Generator) -> NDArray[np.float64]:
    """Return 899 values, 878 of them distinct, with the original's extremes, mean and SD."""
    n, repeated, low, high, mean, sd = 899, 21, 21_472, 857_532, 194_150, 104_945
    inner = rng.gamma((mean / sd) ** 2, sd**2 / mean, n - 2)
    inner[:repeated] = inner[repeated : 2 * repeated]
    # Shift and scale the inner values so that the mean and SD of all values are correct.
    centre = (n * mean - low - high) / (n - 2)
    square = (n * sd**2 - (low - mean) ** 2 - (high - mean) ** 2) / (n - 2) - (centre - mean) ** 2
    inner = centre + (inner - inner.mean()) * np.sqrt(square) / inner.std()
    values: NDArray[np.float64] = np.concatenate([[low, high], inner.round()])
    return rng.permutation(values)


def _simulated_credit(n: int, rng: np.random.Generator) -> pd.DataFrame:
    """Return n applicants: uniform ages, and incomes uniform around 1,750 per year of age."""
    import pandas as pd

    age = rng.integers(18, 71, n)
    thousands = np.round(1.75 * age * rng.uniform(0.29, 1.71, n))
    return pd.DataFrame({"age": age.astype(float), "income": 1000.0 * thousands})
