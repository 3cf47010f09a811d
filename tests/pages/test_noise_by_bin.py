"""The command that says who is noisy, and its table against the original files."""

import os
from pathlib import Path

import numpy as np
import pytest

import pdpbook as pb
from pdpbook.experiments import noise_by_bin as nb
from pdpbook.experiments.settings import SETTINGS
from pdpbook_pages.tables import noise_by_bin as command
from pdpbook_pages.tables.replication import file_hashes
from tests.tools.notebooks import ROOT

ORIGINALS = Path(os.environ.get("PDPBOOK_DATA") or ROOT.parent / "shared" / "data")
TABLE = nb.noise_results().set_index(["experiment", "setting", "epsilon", "algorithm"])


def test_the_original_files_give_the_committed_results():
    if not (ORIGINALS / "nba/all_seasons.csv").is_file():
        pytest.skip("the original files are not here; name their folder by PDPBOOK_DATA")
    about = nb.noise_results().attrs["about"]
    for name, digest in file_hashes(ORIGINALS).items():
        assert f"sha256 {digest} {name}" in about
    game = SETTINGS["stated"].game(pb.load_credit(ORIGINALS)["income"], epsilon=2.0)
    ends = [
        pb.best_response_dynamics(game, rng=np.random.default_rng(seed)).profile
        for seed in range(10)
    ]
    row, old = nb.noise_row(game, ends), TABLE.loc["credit", "stated", 2.0, "BRD"]
    assert {name: row[name] for name in ("bins", "not_lower_low", "not_lower_high")} == {
        name: old[name] for name in ("bins", "not_lower_low", "not_lower_high")
    }
    players = pb.load_players(ORIGINALS)
    again = nb.pair_row(
        players["height"], players["weight"], SETTINGS["inferred"], epsilon=1.0, seeds=range(1)
    )
    old = TABLE.loc["pairs", "inferred", 1.0, "BRD"]
    assert old["pair_low"] <= again["pair_low"] <= old["pair_high"]


def test_a_short_run_of_the_command(tmp_path, monkeypatch):
    if not (ORIGINALS / "nba/all_seasons.csv").is_file():
        pytest.skip("the original files are not here; name their folder by PDPBOOK_DATA")
    monkeypatch.setattr(command, "_PLAN", {"height": (1.0,), "income": (), "credit": ()})
    monkeypatch.setattr(command, "pair_row", lambda *_, **__: {"pair_low": 0})
    out = tmp_path / "table.csv"
    assert command.main(["--data", str(ORIGINALS), "--out", str(out), "--seeds", "1"]) == 0
    table = nb.noise_results(out)
    assert len(table) == 2 * 2 + 4
    assert len(table.attrs["about"]) == 6


def test_bad_numbers_are_refused(tmp_path, capsys):
    with pytest.raises(SystemExit):
        command.main(["--data", str(tmp_path), "--out", str(tmp_path / "t.csv"), "--seeds", "0"])
    assert "--seeds must be at least 1, got 0" in capsys.readouterr().err
