"""The command of the replication, and its table against the original files."""

import os
from pathlib import Path

import pandas as pd
import pytest

import pdpbook as pb
from pdpbook._data import read_results
from pdpbook.experiments import replication as rep
from pdpbook.experiments.settings import SETTINGS
from pdpbook_pages.tables import replication as command
from tests.tools.notebooks import ROOT

ORIGINALS = Path(os.environ.get("PDPBOOK_DATA") or ROOT.parent / "shared" / "data")
HEIGHTS = pb.load_heights(None if "PDPBOOK_DATA" not in os.environ else ORIGINALS)["height"]


def test_the_committed_table_is_complete():
    table = rep.replication_results()
    about = table.attrs["about"]
    assert sum(line.startswith("sha256 ") and len(line.split()[1]) == 64 for line in about) == 3
    for experiment, epsilons in command._EPSILONS.items():
        algorithms = {"Laplace", "BRD", "certified"}
        algorithms |= {"AE"} if experiment in command._ENUMERATED else set()
        rows = table[table["experiment"] == experiment]
        assert len(rows) == 2 * len(epsilons) * len(algorithms)
        assert set(rows["algorithm"]) == algorithms
        assert (rows["private"] == rows["records"]).all()
        assert (rows[rows["algorithm"].isin(["BRD", "AE"])]["seeds"] == 10).all()
        assert (rows[rows["algorithm"] == "AE"]["generations"] == 270).all()
        assert (rows[rows["algorithm"] == "BRD"]["equilibria"] == 10).all()
        assert rows[rows["algorithm"] == "certified"]["optimal"].astype(bool).all()
    searches = table[table["experiment"].str.startswith("search")]
    assert len(searches) == 3 * len(command.PADDINGS) * len(command.DIVISORS)
    assert (table[table["experiment"] == "regression"]["seeds"] == 10).all()


def test_bounds_are_computed_again():
    table = rep.replication_results()
    for epsilon in (0.1, 1.0, 8.0):
        row = command.certified_bound(SETTINGS["stated"].game(HEIGHTS, epsilon=epsilon))
        old = table.query("experiment == 'height' and setting == 'stated' and epsilon == @epsilon")
        old = old.query("algorithm == 'certified'").iloc[0]
        assert row["lower_bound"] == pytest.approx(old["lower_bound"], rel=1e-3)
        printed = pb.load_published_table(1).query("algorithm == 'BRD' and epsilon == @epsilon")
        assert row["lower_bound"] > printed["kl_divergence"].item()


def test_the_original_files_give_the_committed_results():
    if not all((ORIGINALS / name).is_file() for name in command._FILES):
        pytest.skip("the original files are not here; name their folder by PDPBOOK_DATA")
    table = rep.replication_results()
    lines = table.set_index(["experiment", "setting", "algorithm", "epsilon"]).sort_index()
    about = table.attrs["about"]
    for name, digest in command.file_hashes(ORIGINALS).items():
        assert f"sha256 {digest} {name}" in about
    data = {
        "income": pb.load_income(ORIGINALS)["income"],
        "credit": pb.load_credit(ORIGINALS)["income"],
    }
    for experiment, values in data.items():
        for setting in SETTINGS:
            game = SETTINGS[setting].game(values, epsilon=2.0)
            for row in (rep.laplace_row(game), rep.best_response_row(game, range(10))):
                old = lines.loc[experiment, setting, row["algorithm"], 2.0]
                assert row["kl"] == pytest.approx(old["kl"], rel=1e-4)
                assert row["cosine"] == pytest.approx(old["cosine"], rel=1e-4)


def test_a_short_run_of_everything(tmp_path, monkeypatch):
    if not all((ORIGINALS / name).is_file() for name in command._FILES):
        pytest.skip("the original files are not here; name their folder by PDPBOOK_DATA")
    few = {"height": (1.0,), "income": (1.0,), "credit": (1.0,)}
    monkeypatch.setattr(command, "_EPSILONS", few)
    monkeypatch.setattr(command, "PADDINGS", (1.0,))
    monkeypatch.setattr(command, "DIVISORS", (10,))
    monkeypatch.setattr(
        command, "search_settings", lambda *_, **__: pd.DataFrame([{"divisor": 1.0}])
    )
    monkeypatch.setattr(command, "certified_bound", lambda *_, **__: {"algorithm": "certified"})
    out = tmp_path / "table.csv"
    arguments = ["--data", str(ORIGINALS), "--out", str(out), "--seeds", "1", "--generations", "1"]
    assert command.main(arguments) == 0
    table = read_results(out)
    assert {"height", "income", "credit", "regression", "search height"} <= set(table["experiment"])
    assert len(table.attrs["about"]) == 6


def test_missing_files_are_named(tmp_path, capsys):
    with pytest.raises(SystemExit):
        command.main(["--data", str(tmp_path), "--out", str(tmp_path / "out.csv")])
    assert "missing nba/all_seasons.csv" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (("--seeds", "0"), "--seeds must be at least 1"),
        (("--out", "no/folder/x.csv"), "--out must"),
    ],
)
def test_a_run_that_cannot_end_well_does_not_begin(tmp_path, capsys, changed, message):
    for name in command._FILES:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    given = {"--data": str(tmp_path), "--out": str(tmp_path / "x.csv"), changed[0]: changed[1]}
    with pytest.raises(SystemExit):
        command.main([part for pair in given.items() for part in pair])
    assert message in capsys.readouterr().err
