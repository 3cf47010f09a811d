"""The replication: its parts, its command, and the committed table against the original files."""

import math
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pdpbook as pb
from pdpbook.experiments import replication as rep
from tests.tools.notebooks import ROOT

ORIGINALS = Path(os.environ.get("PDPBOOK_DATA") or ROOT.parent / "shared" / "data")
HEIGHTS = pb.nba_heights(None if "PDPBOOK_DATA" not in os.environ else ORIGINALS)["height"]


def committed(experiment, setting, algorithm, epsilon):
    table = rep.replication_results()
    rows = table[
        (table["experiment"] == experiment)
        & (table["setting"] == setting)
        & (table["algorithm"] == algorithm)
        & (table["epsilon"] == epsilon)
    ]
    assert len(rows) == 1
    return rows.iloc[0]


def test_the_committed_table_is_complete():
    table = rep.replication_results()
    about = table.attrs["about"]
    assert sum(line.startswith("sha256 ") and len(line.split()[1]) == 64 for line in about) == 3
    for experiment, epsilons in rep._EPSILONS.items():
        algorithms = {"Laplace", "BRD", "certified"}
        algorithms |= {"AE"} if experiment in rep._ENUMERATED else set()
        rows = table[table["experiment"] == experiment]
        assert len(rows) == 2 * len(epsilons) * len(algorithms)
        assert set(rows["algorithm"]) == algorithms
        assert (rows["private"] == rows["records"]).all()
        assert (rows[rows["algorithm"].isin(["BRD", "AE"])]["seeds"] == 10).all()
        assert (rows[rows["algorithm"] == "AE"]["generations"] == 270).all()
        assert (rows[rows["algorithm"] == "BRD"]["equilibria"] == 10).all()
        assert rows[rows["algorithm"] == "certified"]["optimal"].astype(bool).all()
    searches = table[table["experiment"].str.startswith("search")]
    assert len(searches) == 3 * len(rep.PADDINGS) * len(rep.DIVISORS)
    assert (table[table["experiment"] == "regression"]["seeds"] == 10).all()


def test_no_result_is_below_its_certified_bound():
    table = rep.replication_results().query("experiment in ['height', 'income', 'credit']")
    keys = ["experiment", "setting", "epsilon"]
    bounds = table[table["algorithm"] == "certified"].set_index(keys)["lower_bound"]
    others = table[table["algorithm"].isin(["BRD", "AE", "Laplace"])].set_index(keys)
    lowest = others["kl_low"].fillna(others["kl"])
    assert (lowest >= bounds.reindex(others.index) * (1 - 1e-5) - 1e-9).all()


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 8.0])
@pytest.mark.parametrize("setting", rep.SETTINGS)
def test_heights_are_computed_again(setting, epsilon):
    game = rep.SETTINGS[setting].game(HEIGHTS, epsilon)
    for row in (rep.laplace_row(game), rep.best_response_row(game, range(10))):
        old = committed("height", setting, row["algorithm"], epsilon)
        for name in ("kl", "sd_probabilities", "sd_data", "jaccard", "cosine", "private"):
            assert row[name] == pytest.approx(old[name], rel=1e-4, abs=1e-9), name


def test_bounds_are_computed_again():
    for epsilon in (0.1, 1.0, 8.0):
        row = rep.certified_bound(rep.SETTINGS["stated"].game(HEIGHTS, epsilon))
        old = committed("height", "stated", "certified", epsilon)
        assert row["lower_bound"] == pytest.approx(old["lower_bound"], rel=1e-3)
        printed = pb.published_table(1).query("algorithm == 'BRD' and epsilon == @epsilon")
        assert row["lower_bound"] > printed["kl_divergence"].item()


def test_the_original_files_give_the_committed_results():
    if not all((ORIGINALS / name).is_file() for name in rep._FILES):
        pytest.skip("the original files are not here; name their folder by PDPBOOK_DATA")
    about = rep.replication_results().attrs["about"]
    for name, digest in rep.file_hashes(ORIGINALS).items():
        assert f"sha256 {digest} {name}" in about
    data = {"income": pb.income(ORIGINALS)["income"], "credit": pb.credit(ORIGINALS)["income"]}
    for experiment, values in data.items():
        for setting in rep.SETTINGS:
            game = rep.SETTINGS[setting].game(values, 2.0)
            for row in (rep.laplace_row(game), rep.best_response_row(game, range(10))):
                old = committed(experiment, setting, row["algorithm"], 2.0)
                assert row["kl"] == pytest.approx(old["kl"], rel=1e-4)
                assert row["cosine"] == pytest.approx(old["cosine"], rel=1e-4)


def test_a_short_run_of_everything(tmp_path, monkeypatch):
    if not all((ORIGINALS / name).is_file() for name in rep._FILES):
        pytest.skip("the original files are not here; name their folder by PDPBOOK_DATA")
    few = {"height": (1.0,), "income": (1.0,), "credit": (1.0,)}
    monkeypatch.setattr(rep, "_EPSILONS", few)
    monkeypatch.setattr(rep, "PADDINGS", (1.0,))
    monkeypatch.setattr(rep, "DIVISORS", (10,))
    monkeypatch.setattr(rep, "settings_search", lambda *_, **__: pd.DataFrame([{"divisor": 1.0}]))
    monkeypatch.setattr(rep, "certified_bound", lambda *_, **__: {"algorithm": "certified"})
    out = tmp_path / "table.csv"
    arguments = ["--data", str(ORIGINALS), "--out", str(out), "--seeds", "1", "--generations", "1"]
    assert rep.main(arguments) == 0
    table = rep.replication_results(out)
    assert {"height", "income", "credit", "regression", "search height"} <= set(table["experiment"])
    assert len(table.attrs["about"]) == 6


def test_missing_files_are_named(tmp_path, capsys):
    with pytest.raises(SystemExit):
        rep.main(["--data", str(tmp_path), "--out", str(tmp_path / "out.csv")])
    assert "missing: nba/all_seasons.csv" in capsys.readouterr().err


@given(st.integers(0, 10_000), st.integers(2, 60))
def test_no_pair_of_distributions_exceeds_the_sd_limit(seed, bins):
    rng = np.random.default_rng(seed)
    q = rng.dirichlet(np.full(bins, 5.0))
    p = 0.9 * q + 0.1 * rng.dirichlet(np.ones(bins))
    similarity = min(pb.cosine_similarity(p, q), 1 - 1e-12)
    limit = rep.sd_loss_limit(similarity, q.std(), bins=bins)
    assert pb.sd_loss(p, q) <= limit * (1 + 1e-6) + 1e-7


def test_the_floor_is_below_every_profile():
    game = rep.SETTINGS["inferred"].game(HEIGHTS, 1.0)
    floor = rep.divergence_floor(game)
    for seed in range(5):
        assert game.divergence(game.random_profile(np.random.default_rng(seed))) >= floor


def test_the_floor_is_a_number_where_the_output_underflows():
    game = rep.Setting((0.01, 0.005, 0.002, 0.0033, 0.001), 1.0).game(HEIGHTS, 8.0)
    assert rep.divergence_floor(game) >= 0.0


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (("--seeds", "0"), "--seeds must be at least 1"),
        (("--out", "no/folder/x.csv"), "--out must"),
    ],
)
def test_a_run_that_cannot_end_well_does_not_begin(tmp_path, capsys, changed, message):
    for name in rep._FILES:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    given = {"--data": str(tmp_path), "--out": str(tmp_path / "x.csv"), changed[0]: changed[1]}
    with pytest.raises(SystemExit):
        rep.main([part for pair in given.items() for part in pair])
    assert message in capsys.readouterr().err


def test_another_table_is_refused(tmp_path):
    file = tmp_path / "other.csv"
    for text in ("", "a,b\n1,2\n"):
        file.write_text(text)
        with pytest.raises(ValueError, match="must have the columns experiment, setting"):
            rep.replication_results(file)
    with pytest.raises(ValueError, match="table must be 1, 3 or 4, got table=2"):
        rep.search_row(HEIGHTS, 2, padding=1.0, divisor=1)


def test_misfit():
    with pytest.raises(ValueError, match=r"ours must hold numbers >= 0, got -1\.0"):
        rep.misfit([-1.0], [1.0])
    assert rep.misfit([0.1], [0.1]) == 1.0
    assert rep.misfit([0.0], [0.0]) == 1.0
    assert rep.misfit([0.4, 0.1], [0.1, 0.4], resolution=0.0) == pytest.approx(4.0)
    with pytest.raises(ValueError, match="same length, got 1 and 2"):
        rep.misfit([0.1], [0.1, 0.2])
    assert math.isinf(rep.sd_loss_limit(0.1, 0.03))
