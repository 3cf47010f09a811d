"""Distances of a distribution from a column, against SciPy and against sampling."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import wasserstein_distance

from pdpbook.own_data import errors
from pdpbook.own_data.errors import ColumnDistance, distribution_quantile

VALUES = st.lists(st.integers(-50, 50).map(float), min_size=1, max_size=40)


@given(VALUES, st.integers(2, 12), st.randoms(use_true_random=False))
def test_the_distance_is_that_of_scipy(values: list[float], bins: int, random) -> None:
    column = np.sort(values)
    support = np.array(sorted(random.sample(range(-60, 60), bins)), dtype=float)
    mass = np.array([random.choice([0.0, random.random()]) for _ in range(bins)])
    mass[random.randrange(bins)] += 0.1
    mass /= mass.sum()
    expected = wasserstein_distance(column, support, None, mass)
    assert ColumnDistance(column)(support, mass) == pytest.approx(expected, abs=1e-9)


def test_the_quantile_of_a_distribution_is_that_of_many_draws() -> None:
    rng = np.random.default_rng(4)
    support, mass = np.arange(9.0), rng.dirichlet(np.ones(9))
    drawn = rng.choice(support, 400_001, p=mass)
    levels = np.array([0.1, 0.25, 0.5, 0.75, 0.9])
    assert (np.abs(np.cumsum(mass)[:, None] - levels) > 0.005).all(), "no level at a step"
    expected = np.quantile(drawn, levels, method="inverted_cdf")
    assert distribution_quantile(support, mass, levels).tolist() == expected.tolist()
    rounded = distribution_quantile(np.arange(10.0), np.full(10, 0.1), np.array([0.3, 0.8, 1.0]))
    assert rounded.tolist() == [2.0, 7.0, 9.0], "although sums are rounded"
    off = errors.drawn_quantile_errors(support, mass, 100, np.array([0.07, 0.065]), np.zeros(2))
    assert off[0] == off[1], "the seventh of a hundred draws, although 0.07 * 100 is above 7"


@pytest.mark.parametrize("draws", [20, 200, 2000])
def test_the_mean_of_many_draws_is_nearly_normal(draws: int, monkeypatch) -> None:
    """Beyond the size at which the sum is convolved, a normal variable stands for it."""
    points, mass = np.linspace(2.0, 9.0, 8), np.array([1, 2, 8, 4, 2, 1, 1, 1]) / 20
    for target in (4.0, points @ mass):
        exact = errors.drawn_mean_error(points, mass, draws, target)
        with monkeypatch.context() as patch:
            patch.setattr(errors, "MOST_POINTS", 0)
            nearly = errors.drawn_mean_error(points, mass, draws, target)
        assert nearly == pytest.approx(exact, rel=0.2 / draws)
        assert nearly != exact


def test_draws_of_one_point_have_no_spread() -> None:
    point, mass = np.array([1.0, 3.0]), np.array([0.0, 1.0])
    for draws in (1, 3, 10**6):
        assert errors.drawn_mean_error(point, mass, draws, 1.0) == pytest.approx(2.0)
        found = errors.drawn_quantile_errors(
            point, mass, draws, np.array([0.25, 1.0]), np.array([3.0, 1.0])
        )
        np.testing.assert_allclose(found, [0.0, 2.0], atol=1e-12)
