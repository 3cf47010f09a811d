"""The search for the settings: its measure of fit, its rows, what is refused."""

import pytest

import pdpbook as pb
from pdpbook.experiments import settings_search as search


def test_misfit():
    with pytest.raises(ValueError, match=r"ours must hold numbers >= 0, got -1\.0"):
        search.misfit([-1.0], [1.0])
    assert search.misfit([0.1], [0.1]) == 1.0
    assert search.misfit([0.0], [0.0]) == 1.0
    assert search.misfit([0.4, 0.1], [0.1, 0.4], resolution=0.0) == pytest.approx(4.0)
    with pytest.raises(ValueError, match="same length, got 1 and 2"):
        search.misfit([0.1], [0.1, 0.2])


def test_a_search_tries_every_pair_and_finds_the_better_one():
    heights, steps = pb.load_heights()["height"], []
    table = search.search_settings(
        heights, 1, paddings=(None, 1.0), divisors=(1, 10), after_each=lambda: steps.append(1)
    )
    assert len(table) == len(steps) == 4
    assert table["padding"].isna().tolist() == [True, True, False, False]
    assert table["divisor"].tolist() == [1.0, 10.0, 1.0, 10.0]
    assert table["misfit_brd"].idxmin() == 3


def test_a_table_without_divergences_is_refused():
    with pytest.raises(ValueError, match="table must be 1, 3 or 4, got table=2"):
        search.search_row([1.0, 2.0], 2, padding=1.0, divisor=1)
