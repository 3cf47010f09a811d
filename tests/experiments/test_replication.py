"""Rows of the replication, computed again, and the committed table."""

import os
from pathlib import Path

import numpy as np
import pytest

import pdpbook as pb
from pdpbook.experiments import replication as rep
from pdpbook.experiments.settings import SETTINGS, Setting
from tests.tools.notebooks import ROOT

ORIGINALS = Path(os.environ.get("PDPBOOK_DATA") or ROOT.parent / "shared" / "data")
HEIGHTS = pb.load_heights(None if "PDPBOOK_DATA" not in os.environ else ORIGINALS)["height"]


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


def test_no_result_is_below_its_certified_bound():
    table = rep.replication_results().query("experiment in ['height', 'income', 'credit']")
    keys = ["experiment", "setting", "epsilon"]
    bounds = table[table["algorithm"] == "certified"].set_index(keys)["lower_bound"]
    others = table[table["algorithm"].isin(["BRD", "AE", "Laplace"])].set_index(keys)
    lowest = others["kl_low"].fillna(others["kl"])
    assert (lowest >= bounds.reindex(others.index) * (1 - 1e-5) - 1e-9).all()


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 8.0])
@pytest.mark.parametrize("setting", SETTINGS)
def test_heights_are_computed_again(setting, epsilon):
    game = SETTINGS[setting].game(HEIGHTS, epsilon=epsilon)
    for row in (rep.laplace_row(game), rep.best_response_row(game, range(10))):
        old = committed("height", setting, row["algorithm"], epsilon)
        for name in ("kl", "sd_probabilities", "sd_data", "jaccard", "cosine", "private"):
            assert row[name] == pytest.approx(old[name], rel=1e-4, abs=1e-9), name


def test_the_floor_is_below_every_profile():
    game = SETTINGS["inferred"].game(HEIGHTS, epsilon=1.0)
    floor = rep.divergence_floor(game)
    for seed in range(5):
        assert (
            game.evaluate(game.random_profile(rng=np.random.default_rng(seed))).divergence >= floor
        )


def test_the_floor_is_a_number_where_the_output_underflows():
    game = Setting((0.01, 0.005, 0.002, 0.0033, 0.001), 1.0).game(HEIGHTS, epsilon=8.0)
    assert rep.divergence_floor(game) >= 0.0
