"""Who is noisy: the rows, and the committed table against the heights."""

import math
import os
from pathlib import Path

import numpy as np
import pytest

import pdpbook as pb
from pdpbook.experiments import noise_by_bin as nb
from pdpbook.experiments.settings import SETTINGS
from tests.tools.notebooks import ROOT

ORIGINALS = Path(os.environ.get("PDPBOOK_DATA") or ROOT.parent / "shared" / "data")
HEIGHTS = pb.load_heights(None if "PDPBOOK_DATA" not in os.environ else ORIGINALS)["height"]
TABLE = nb.noise_results().set_index(["experiment", "setting", "epsilon", "algorithm"])


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
    row = nb.noise_row(game, [small, small, large])
    assert (row["seeds"], row["bins"], row["rare_records"]) == (3, 4, 4)
    assert (row["not_lower_low"], row["not_lower_high"]) == (0, 2)
    assert (row["large_low"], row["large_high"]) == (0, 1)
    assert row["laplace_sd"] == pytest.approx(math.sqrt(2) * 0.25)
    assert row["rare_sd"] == row["crowd_sd"] == pytest.approx(math.sqrt(2) * 0.05)
    alone = nb.noise_row(game, [large])
    assert alone["rare_sd"] == pytest.approx(math.sqrt(2) * (1.0 + 3 * 0.05) / 4)


def test_nobody_has_no_mean():
    game = pb.NVOGame([20, 30], pb.laplace_kernel(2, [1.0, 0.5, 0.2]), epsilon=1.0,
                      scales=np.array([1.0, 0.5, 0.2]))  # fmt: skip
    row = nb.noise_row(game, [game.constant_profile(2)])
    assert math.isnan(row["rare_sd"]) and row["rare_records"] == 0


def test_without_privacy_is_about_the_histogram_alone():
    game = SETTINGS["inferred"].game(HEIGHTS, epsilon=1.0)
    profile = game.constant_profile(4)
    free = nb.without_privacy(game)
    assert (
        game.evaluate(profile).private_records
        < free.evaluate(profile).private_records
        == game.records
    )
    assert free.evaluate(profile).divergence == game.evaluate(profile).divergence


def test_equal_coordinates_without_company_are_exposed_as_a_pair():
    grid = np.repeat(np.arange(6.0), 6)
    setting = SETTINGS["inferred"]
    row = nb.pair_row(grid, np.tile(np.arange(6.0), 6), setting, epsilon=4.0, seeds=range(2))
    assert row["seeds"] == 2
    assert 0 <= row["pair_low"] <= row["pair_high"] <= 36
    assert row["twice_high"] <= row["pair_high"]


@pytest.mark.parametrize("epsilon", [0.1, 1.0])
@pytest.mark.parametrize("setting", SETTINGS)
def test_the_heights_are_computed_again(setting, epsilon):
    game = SETTINGS[setting].game(HEIGHTS, epsilon=epsilon)
    for algorithm, each in (("BRD", game), ("carefree", nb.without_privacy(game))):
        ends = [
            pb.best_response_dynamics(each, rng=np.random.default_rng(seed)).profile
            for seed in range(10)
        ]
        row, old = nb.noise_row(game, ends), TABLE.loc["height", setting, epsilon, algorithm]
        for name, value in row.items():
            assert value == pytest.approx(old[name], rel=1e-4, nan_ok=True), name
