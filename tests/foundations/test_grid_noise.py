"""Laplace noise on a grid: masses against the integral, rows against their definition."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import laplace

from pdpbook.foundations.grid_noise import SCALES, laplace_masses, laplace_rows

scales = st.floats(math.log(0.01), math.log(100.0)).map(math.exp)


@given(scales, st.integers(2, 60))
def test_masses_are_those_of_the_laplace_law(scale, bins):
    edges = (np.arange(bins + 1) - 0.5) / bins
    expected = np.diff(laplace.cdf(edges, scale=scale))
    assert laplace_masses(np.array([scale]), bins)[0] == pytest.approx(
        expected, rel=1e-9, abs=1e-13
    )


@given(st.lists(scales, min_size=1, max_size=5), st.integers(2, 30), st.integers(0, 2**32 - 1))
def test_rows_put_the_masses_around_the_place(widths, bins, seed):
    widths = np.array(widths)
    places = np.random.default_rng(seed).integers(bins, size=widths.size)
    rows = laplace_rows(places, widths, bins)
    for place, masses, row in zip(places, laplace_masses(widths, bins), rows, strict=True):
        literal = np.array([masses[abs(x - place)] for x in range(bins)])
        assert row == pytest.approx(literal / literal.sum(), rel=1e-12)


@pytest.mark.parametrize("end", [0, 1])
def test_beyond_the_range_nothing_changes(end):
    rows = laplace_rows(np.array([1, 1]), SCALES[end] * np.array([1.0, [1e-10, 1e10][end]]), 3)
    assert (rows[0] == rows[1]).all()
    assert rows[0] == pytest.approx([[0.0, 1.0, 0.0], [1 / 3, 1 / 3, 1 / 3]][end])
