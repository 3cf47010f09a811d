"""The two settings of the replication."""

import numpy as np
import pytest

import pdpbook as pb
from pdpbook.experiments.settings import SETTINGS

DATA = np.array([1.0, 2.0, 2.0, 4.0])


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 4.0])
def test_stated_pads_for_the_row_and_inferred_for_one(epsilon):
    for name, padding in (("stated", epsilon), ("inferred", 1.0)):
        game = SETTINGS[name].game(DATA, epsilon=epsilon)
        assert game.grid == pb.Grid.padded(DATA, epsilon=padding)
        assert game.epsilon == epsilon


def test_the_settings_differ_by_ten_in_the_two_small_scales():
    stated, inferred = (np.array(SETTINGS[name].multipliers) for name in ("stated", "inferred"))
    assert stated / inferred == pytest.approx([1, 1, 1, 10, 10])
    game = SETTINGS["inferred"].game(DATA, epsilon=2.0)
    assert game.scales == pytest.approx(inferred * game.grid.sensitivity / 2.0)
