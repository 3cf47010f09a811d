"""The bundled data, the stand-ins, and what the original files hold."""

import os
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import pdpbook as pb
from pdpbook import _data
from pdpbook.experiments.datasets import _TEAMS, load_repeats
from tests.tools.notebooks import ROOT

#: Where the originals may be; without them the tests that need them are skipped.
ORIGINALS = Path(os.environ.get("PDPBOOK_DATA") or ROOT.parent / "shared" / "data")


@pytest.fixture(autouse=True)
def without_environment(monkeypatch):
    monkeypatch.delenv("PDPBOOK_DATA", raising=False)


def original(name):
    """Return the path of an original file, or skip the test."""
    file = ORIGINALS / name
    if not file.is_file():
        pytest.skip(f"the original {name} is not here; name its folder by PDPBOOK_DATA")
    return file


# What a fresh clone has


def test_heights_are_the_committed_table():
    data = pb.load_heights()
    heights = data["height"]
    assert len(data) == heights.size == 1317
    assert np.unique(heights).size == 26
    assert (heights.min(), heights.max()) == (160.02, 228.6)
    assert heights.mean() == pytest.approx(200.35, abs=0.005)
    assert heights.std(ddof=1) == pytest.approx(9.10, abs=0.005)
    assert data.simulated == ()
    assert data.caption_note == ""


def test_weights_are_simulated_and_say_so():
    data = pb.load_players()
    height, weight = data["height"], data["weight"]
    np.testing.assert_array_equal(height, pb.load_heights()["height"])
    assert data.simulated == ("weight",)
    assert data.caption_note == "The column weight is *simulated*."
    # Three standard errors of each statistic at n = 1,317.
    assert weight.mean() == pytest.approx(100.45, abs=3 * 12.8 / 1317**0.5)
    assert weight.std(ddof=1) == pytest.approx(12.81, rel=3 / (2 * 1317) ** 0.5)
    assert np.corrcoef(height, weight)[0, 1] == pytest.approx(0.831, abs=0.03)
    slope, intercept = np.polyfit(height, weight, 1)
    assert slope == pytest.approx(1.170, abs=3 * 7.13 / (9.09 * 1317**0.5))
    assert (weight - slope * height - intercept).std() == pytest.approx(7.13, rel=0.06)


def test_patients_are_real():
    data = pb.load_patients()
    assert len(data) == 442
    assert data.columns == ("age", "bmi", "blood_pressure", "progression")
    assert data.simulated == ()
    assert (data["age"].min(), data["age"].max()) == (19, 79)
    assert data["progression"].mean() == pytest.approx(152.133, abs=0.001)


def test_the_income_stand_in_has_the_originals_statistics():
    data = pb.load_income()
    values = data["income"]
    assert (len(data), np.unique(values).size) == (899, 878)
    assert (values.min(), values.max()) == (21_472, 857_532)
    assert values.mean() == pytest.approx(194_150, rel=1e-4)
    assert values.std(ddof=1) == pytest.approx(104_945, rel=1e-3)
    assert 0.7 < pd.Series(values).skew() < 1.7
    assert (values == values.round()).all()
    assert data.caption_note == "The data are *simulated*."


def test_the_credit_stand_in_has_the_originals_statistics():
    data = pb.load_credit(n=35_589)
    age, income = data["age"], data["income"]
    assert (age.min(), age.max()) == (18, 70)
    assert age.mean() == pytest.approx(44.2, abs=0.3)
    assert age.std() == pytest.approx(15.3, abs=0.1)
    assert (income % 1000 == 0).all()
    assert (income.min(), income.max()) == pytest.approx((9_000, 209_000), abs=2_000)
    assert income.mean() == pytest.approx(77_262, rel=0.02)
    assert income.std() == pytest.approx(42_768, rel=0.02)
    assert pd.Series(income).skew() == pytest.approx(0.69, abs=0.05)
    quantiles = np.quantile(income, [0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99]) / 1000
    assert quantiles == pytest.approx([14, 22, 43, 69, 105, 160, 188], abs=2)
    assert np.corrcoef(age, income)[0, 1] == pytest.approx(0.622, abs=0.015)


@pytest.mark.parametrize(
    ("first", "last", "mean", "sd"),
    [
        (18, 25, 38, 16),
        (26, 30, 49, 20),
        (31, 40, 62, 26),
        (41, 50, 80, 33),
        (51, 60, 96, 40),
        (61, 70, 115, 47),
    ],
)
def test_the_credit_stand_in_depends_on_age_as_the_original(first, last, mean, sd):
    data = pb.load_credit(n=35_589)
    income = data["income"][(data["age"] >= first) & (data["age"] <= last)] / 1000
    assert income.mean() == pytest.approx(mean, rel=0.03)
    assert income.std() == pytest.approx(sd, rel=0.04)


@pytest.mark.parametrize("n", [2, 1000, 12_345])
def test_the_credit_stand_in_has_any_size(n):
    assert len(pb.load_credit(n=n)) == n
    assert len(pb.load_credit()) == 10_000


@pytest.mark.parametrize(
    ("network", "nodes", "edges", "simulated"),
    [("karate", 34, 78, False), ("les-miserables", 77, 254, False), ("large", 4000, 55_754, True)],
)
def test_networks(network, nodes, edges, simulated):
    graph = pb.load_friends(network)
    assert (graph.number_of_nodes(), graph.number_of_edges()) == (nodes, edges)
    assert graph.graph["simulated"] is simulated
    assert graph.graph["source"]
    assert nx.is_connected(graph)
    assert not any(attributes for _, _, attributes in graph.edges(data=True))


@pytest.mark.parametrize("loader", [pb.load_players, pb.load_income, pb.load_credit])
def test_stand_ins_are_the_same_every_time(loader):
    pd.testing.assert_frame_equal(loader().frame, loader().frame)


def test_a_column_is_a_copy_and_an_unknown_one_is_refused():
    data = pb.load_heights()
    data["height"][:] = 0.0
    assert data["height"].min() > 0
    with pytest.raises(KeyError, match=r"nba_heights has the columns .*not 'weight'"):
        data["weight"]


def test_two_simulated_columns_of_three_are_named():
    frame = pd.DataFrame({"a": [1.0], "b": [2.0], "c": [3.0]})
    data = pb.experiments.Dataset("example", frame, simulated=("a", "b"), source="none")
    assert data.caption_note == "The columns a and b are *simulated*."


@pytest.mark.parametrize(("number", "rows"), [(1, 18), (2, 13), (3, 12), (4, 4)])
def test_published_tables(number, rows):
    table = pb.load_published_table(number)
    assert len(table) == rows
    assert {"algorithm", "epsilon"} <= set(table.columns)


def test_published_headline():
    table = pb.load_published_table(1).set_index(["algorithm", "epsilon"])["kl_divergence"]
    assert round(100 * (1 - table["BRD", 1.0] / table["Laplace", 1.0]), 2) == 99.53


# Original files


@pytest.mark.parametrize("how", ["file", "folder", "environment"])
def test_original_heights_are_the_committed_ones(how, monkeypatch):
    file = original("nba/all_seasons.csv")
    if how == "environment":
        monkeypatch.setenv("PDPBOOK_DATA", str(ORIGINALS))
    path = {"file": file, "folder": ORIGINALS, "environment": None}[how]
    np.testing.assert_array_equal(pb.load_heights(path)["height"], _bundled_heights(monkeypatch))


def _bundled_heights(monkeypatch):
    monkeypatch.delenv("PDPBOOK_DATA", raising=False)
    return pb.load_heights()["height"]


def test_original_players():
    data = pb.load_players(original("nba/all_seasons.csv"))
    assert (len(data), data.simulated, data.caption_note) == (1317, (), "")
    weight = data["weight"]
    assert weight.mean() == pytest.approx(100.45, abs=0.005)
    assert weight.std(ddof=1) == pytest.approx(12.81, abs=0.006)
    assert np.corrcoef(data["height"], weight)[0, 1] == pytest.approx(0.831, abs=0.0005)


def test_the_header_of_the_heights_counts_as_the_table_of_repeats_does():
    table = load_repeats()
    about = " ".join(_data.committed_table("experiments", "nba_heights.csv").attrs["about"])
    assert table.records @ table.players == table.records @ table.pairs == len(pb.load_heights())
    said = f"{table.pairs.sum():,} pairs of player and team and {table.players.sum()} players"
    assert f"{said}, with at most {table.records.max()} records of one player" in about


def test_original_repeats():
    frame = pd.read_csv(original("nba/all_seasons.csv"))
    columns = ["player_name", "team_abbreviation", "player_height", "player_weight"]
    records = frame[frame["team_abbreviation"].isin(_TEAMS)][columns].drop_duplicates()
    table = load_repeats().set_index("records")
    for name, keys in (("players", columns[:1]), ("pairs", columns[:2])):
        counted = records.groupby(keys).size().value_counts()
        assert counted.reindex(table.index, fill_value=0).tolist() == table[name].tolist()
        assert counted.sum() == table[name].sum()


def test_original_tallest_records_are_one_man():
    """What the chapter on the game says of the four records that are alone in their bins."""
    frame = pd.read_csv(original("nba/all_seasons.csv"))
    frame = frame[frame["team_abbreviation"].isin(_TEAMS)]
    alone = frame[(frame["player_height"] > 221) | (frame["player_height"] < 163)]
    columns = ["player_name", "team_abbreviation", "player_height"]
    records = alone[columns].drop_duplicates().sort_values("player_height")
    assert len(records) == 4 and records["player_name"].nunique() == 3
    assert records["team_abbreviation"].tolist()[-2:] == ["BOS", "CLE"]
    assert records["player_name"].iloc[-1] == records["player_name"].iloc[-2]


def test_original_income():
    data = pb.load_income(original("income/test.csv"))
    assert (len(data), data.simulated) == (899, ())
    assert data["income"].mean() == pytest.approx(194_150, abs=0.5)
    assert data.columns == ("income", "age", "hours_per_week", "capital_gain", "capital_loss")


def test_original_credit():
    file = original("credit/test.csv")
    data = pb.load_credit(file, n=35_589)
    assert data.simulated == ()
    assert data["income"].mean() == pytest.approx(77_262, abs=0.5)
    assert len(pb.load_credit(file)) == 10_000
    with pytest.raises(ValueError, match=r"n must be at most 35589, the row count of .*n=40000"):
        pb.load_credit(file, n=40_000)


def test_original_friends():
    graph = pb.load_friends(path=original("facebook/facebook_combined.txt"))
    assert (graph.number_of_nodes(), graph.number_of_edges()) == (4039, 88_234)
    assert graph.graph["simulated"] is False
