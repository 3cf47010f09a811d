"""The search for the settings: its measure of fit, its rows."""

import math

import pytest

import pdpbook as pb
from pdpbook.experiments import settings_search as search


def test_misfit():
    assert search.misfit([0.1], [0.1]) == 1.0
    assert search.misfit([0.0], [0.0]) == search.misfit([0.0], [0.0], resolution=0.0) == 1.0
    assert search.misfit([0.4, 0.1], [0.1, 0.4], resolution=0.0) == pytest.approx(4.0)
    assert search.misfit([1e308], [0.0]) == math.inf


def test_a_search_tries_every_pair_and_finds_the_better_one():
    heights, steps = pb.load_heights()["height"], []
    table = search.search_settings(
        heights, 1, paddings=(None, 1.0), divisors=(1, 10), after_each=lambda: steps.append(1)
    )
    assert len(table) == len(steps) == 4
    assert table["padding"].isna().tolist() == [True, True, False, False]
    assert table["divisor"].tolist() == [1.0, 10.0, 1.0, 10.0]
    assert table["misfit_brd"].idxmin() == 3
