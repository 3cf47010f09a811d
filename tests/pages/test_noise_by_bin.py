"""The noise by bin: the rows by hand, the command, and its table against the original files."""

import math
import os
from pathlib import Path

import numpy as np
import pytest

import pdpbook as pb
from pdpbook._data import read_results
from pdpbook.experiments import noise_results
from pdpbook.experiments.settings import SETTINGS
from pdpbook_pages.tables import noise_by_bin as command
from pdpbook_pages.tables.replication import file_hashes
from tests.tools.notebooks import ROOT

ORIGINALS = Path(os.environ.get("PDPBOOK_DATA") or ROOT.parent / "shared" / "data")
HEIGHTS = pb.load_heights(None if "PDPBOOK_DATA" not in os.environ else ORIGINALS)["height"]
TABLE = noise_results().set_index(["experiment", "setting", "epsilon", "algorithm"])


def small_game():
    """Two rare bins of 1 and 3 records, one of 5, one of 11; five scales, the third Laplace's."""
    counts = np.zeros(10, dtype=int)
    counts[[0, 3, 5, 9]] = 1, 5, 11, 3
    scales = np.array([1.0, 0.5, 0.25, 0.1, 0.05])
    return pb.NVOGame(counts, pb.laplace_kernel(10, scales), epsilon=1.0, scales=scales)


def profile_of(game, actions):
    """Everybody in a bin plays the same."""
    profile = np.zeros((10, 5), dtype=int)
    for k, action in zip(np.flatnonzero(game.counts), actions, strict=True):
        profile[k, action] = game.counts[k]
    return profile


def test_a_row_by_hand():
    game = small_game()
    small, large = profile_of(game, (4, 4, 4, 4)), profile_of(game, (0, 2, 4, 4))
    row = command.noise_row(game, [small, small, large])
    assert (row["seeds"], row["bins"], row["rare_records"]) == (3, 4, 4)
    assert (row["not_lower_low"], row["not_lower_high"]) == (0, 2)
    assert (row["large_low"], row["large_high"]) == (0, 1)
    assert row["laplace_sd"] == pytest.approx(math.sqrt(2) * 0.25)
    assert row["rare_sd"] == row["crowd_sd"] == pytest.approx(math.sqrt(2) * 0.05)
    alone = command.noise_row(game, [large])
    assert alone["rare_sd"] == pytest.approx(math.sqrt(2) * (1.0 + 3 * 0.05) / 4)


def test_nobody_has_no_mean():
    game = pb.NVOGame([20, 30], pb.laplace_kernel(2, [1.0, 0.5, 0.2]), epsilon=1.0,
                      scales=np.array([1.0, 0.5, 0.2]))  # fmt: skip
    row = command.noise_row(game, [game.constant_profile(2)])
    assert math.isnan(row["rare_sd"]) and row["rare_records"] == 0


def test_without_privacy_is_about_the_histogram_alone():
    game = SETTINGS["inferred"].game(HEIGHTS, epsilon=1.0)
    profile = game.constant_profile(4)
    free = command.without_privacy(game)
    assert (
        game.evaluate(profile).private_records
        < free.evaluate(profile).private_records
        == game.records
    )
    assert free.evaluate(profile).divergence == game.evaluate(profile).divergence


def test_equal_coordinates_without_company_are_exposed_as_a_pair():
    grid = np.repeat(np.arange(6.0), 6)
    setting = SETTINGS["inferred"]
    row = command.pair_row(grid, np.tile(np.arange(6.0), 6), setting, epsilon=4.0, seeds=range(2))
    assert row["seeds"] == 2
    assert 0 <= row["pair_low"] <= row["pair_high"] <= 36
    assert row["twice_high"] <= row["pair_high"]


@pytest.mark.parametrize("epsilon", [0.1, 1.0])
@pytest.mark.parametrize("setting", SETTINGS)
def test_the_heights_are_computed_again(setting, epsilon):
    game = SETTINGS[setting].game(HEIGHTS, epsilon=epsilon)
    for algorithm, each in (("BRD", game), ("carefree", command.without_privacy(game))):
        ends = [
            pb.best_response_dynamics(each, rng=np.random.default_rng(seed)).profile
            for seed in range(10)
        ]
        row, old = command.noise_row(game, ends), TABLE.loc["height", setting, epsilon, algorithm]
        for name, value in row.items():
            assert value == pytest.approx(old[name], rel=1e-4, nan_ok=True), name


def test_the_original_files_give_the_committed_results():
    if not (ORIGINALS / "nba/all_seasons.csv").is_file():
        pytest.skip("the original files are not here; name their folder by PDPBOOK_DATA")
    about = noise_results().attrs["about"]
    for name, digest in file_hashes(ORIGINALS).items():
        assert f"sha256 {digest} {name}" in about
    game = SETTINGS["stated"].game(pb.load_credit(ORIGINALS)["income"], epsilon=2.0)
    ends = [
        pb.best_response_dynamics(game, rng=np.random.default_rng(seed)).profile
        for seed in range(10)
    ]
    row, old = command.noise_row(game, ends), TABLE.loc["credit", "stated", 2.0, "BRD"]
    assert {name: row[name] for name in ("bins", "not_lower_low", "not_lower_high")} == {
        name: old[name] for name in ("bins", "not_lower_low", "not_lower_high")
    }
    players = pb.load_players(ORIGINALS)
    again = command.pair_row(
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
    table = read_results(out)
    assert len(table) == 2 * 2 + 4
    assert len(table.attrs["about"]) == 6


def test_bad_numbers_are_refused(tmp_path, capsys):
    with pytest.raises(SystemExit):
        command.main(["--data", str(tmp_path), "--out", str(tmp_path / "t.csv"), "--seeds", "0"])
    assert "--seeds must be at least 1, got 0" in capsys.readouterr().err
