"""Losses from released statistics, compared with the removal of each record."""

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdpbook.per_instance import (
    gaussian_deltas,
    gaussian_epsilons,
    laplace_losses,
    mean_changes,
    quantile_losses,
    quantile_probabilities,
    worst_mean_change,
)
from tests import naive

numbers = st.floats(-1e3, 1e3).map(lambda x: round(x, 3))
records = st.lists(numbers, min_size=2, max_size=30).map(np.array)


@given(records)
def test_changes_are_those_of_deleting_each_record(values):
    truth = naive.changes_by_deletion(np.mean, values)
    assert np.allclose(mean_changes(values), truth, rtol=0, atol=1e-9)


@given(records)
def test_no_record_moves_a_statistic_more_than_the_worst_one(values):
    ends = {"lower": -1e3, "upper": 1e3}
    assert np.abs(mean_changes(values)).max() <= worst_mean_change(values.size, **ends) + 1e-9


@given(st.integers(2, 50), numbers, st.floats(0.001, 1e3))
def test_the_worst_change_is_attained(n, lower, width):
    upper = lower + width
    values = np.array([lower] + [upper] * (n - 1))
    worst = worst_mean_change(n, lower=lower, upper=upper)
    assert np.abs(mean_changes(values)).max() == pytest.approx(worst, rel=1e-6)


def test_the_mean_of_large_numbers_does_not_overflow():
    changes = mean_changes([1.5e308, 1.5e308, -1.5e308])
    assert np.allclose(changes / 1.5e308, [1 / 3, 1 / 3, -2 / 3])
    assert worst_mean_change(2, lower=-1e308, upper=1e308) == 1e308


@given(st.floats(-20, 20), st.floats(0.1, 10))
def test_a_laplace_loss_is_the_largest_log_ratio_of_the_densities(change, scale):
    [loss] = laplace_losses([change], scale=scale)
    assert loss == pytest.approx(naive.laplace_loss(change, scale), abs=1e-9)


def test_a_laplace_loss_of_several_numbers_adds_up():
    changes = np.array([[1.0, -2.0], [0.0, 0.5]])
    parts = [laplace_losses(column, scale=0.5) for column in changes.T]
    assert np.allclose(laplace_losses(changes, scale=0.5), sum(parts))


@pytest.mark.parametrize("distance", [1e-3, 0.3, 1.0, 4.0])
@pytest.mark.parametrize("epsilon", [0.0, 0.1, 1.0, 3.0])
def test_a_gaussian_profile_is_that_of_two_densities(distance, epsilon):
    [delta] = gaussian_deltas([-3.0 * distance], epsilon=epsilon, sigma=3.0)
    assert delta == pytest.approx(naive.gaussian_profile(distance, epsilon), abs=1e-9)


@given(
    st.lists(st.tuples(numbers, numbers), min_size=1, max_size=8).map(np.array),
    st.floats(0, 2 * math.pi),
    st.floats(0.1, 1e3),
    st.floats(0, 5),
)
def test_only_the_length_of_a_change_counts(changes, angle, sigma, epsilon):
    turn = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    deltas, turned, lengths = (
        gaussian_deltas(each, epsilon=epsilon, sigma=sigma)
        for each in (changes, changes @ turn, np.hypot(*changes.T))
    )
    assert np.allclose(deltas, turned, rtol=1e-6, atol=1e-12)
    assert np.allclose(deltas, lengths, rtol=1e-6, atol=1e-12)


@given(records, st.floats(0.01, 1e3), st.floats(-50, -0.1).map(lambda power: 10.0**power))
def test_epsilons_and_deltas_are_inverse(values, sigma, delta):
    epsilons = gaussian_epsilons(values, delta=delta, sigma=sigma)
    for value, epsilon in zip(values, epsilons, strict=True):
        [at] = gaussian_deltas([value], epsilon=epsilon, sigma=sigma)
        assert at <= delta * (1 + 1e-9)
        if epsilon > 1e-6:
            [below] = gaussian_deltas([value], epsilon=epsilon * (1 - 1e-6), sigma=sigma)
            assert below > delta


def test_a_record_that_changes_nothing_loses_nothing():
    changes = mean_changes([2.0, 2.0, 2.0])
    assert laplace_losses(changes, scale=1.0).tolist() == [0.0, 0.0, 0.0]
    assert gaussian_deltas(changes, epsilon=0.0, sigma=1.0).tolist() == [0.0, 0.0, 0.0]
    assert gaussian_epsilons(changes, delta=1e-9, sigma=1.0).tolist() == [0.0, 0.0, 0.0]
    for far in (3e16, 1e20):
        [epsilon] = gaussian_epsilons([far], delta=1e-5, sigma=1.0)
        assert gaussian_deltas([far], epsilon=float(epsilon), sigma=1.0)[0] <= 1e-5


@given(
    st.lists(st.integers(0, 20), min_size=2, max_size=12).map(np.array),
    st.floats(0.05, 0.95),
    st.floats(0.1, 3.0),
)
def test_quantile_losses_are_those_of_deleting_each_record(values, level, epsilon):
    points = np.arange(0.5, 21.0, 2.0)

    def log_chances(column):
        chances = quantile_probabilities(column, points, quantile=level, epsilon=epsilon)
        assert chances.sum() == pytest.approx(1.0)
        return np.log(chances)

    moved = naive.changes_by_deletion(log_chances, values)
    losses = quantile_losses(values, points, quantile=level, epsilon=epsilon)
    assert np.allclose(losses, np.abs(moved).max(axis=1), rtol=1e-9, atol=1e-9)
    assert losses.max() <= epsilon * (1 + 1e-9)


def utilities(values: Sequence[float], points: Sequence[float], q: Fraction) -> list[Fraction]:
    """Return minus the distance of the rank qn from the ranks at each candidate, by counting."""
    moved = [min(points, key=lambda point: (abs(point - x), point)) for x in values]
    found = []
    for point in points:
        below, upto = sum(x < point for x in moved), sum(x <= point for x in moved)
        rank = q * len(values)
        inside = below <= rank <= upto
        found.append(Fraction(0) if inside else -min(abs(below - rank), abs(upto - rank)))
    return found


@pytest.mark.parametrize("q", [Fraction(1, 4), Fraction(1, 2), Fraction(9, 10)])
def test_the_utility_of_a_quantile_changes_by_as_much_as_is_proved(q: Fraction) -> None:
    """Try all columns of four out of six values, with ties and values between candidates."""
    points, scale = (0.0, 2.0, 3.0, 7.0), (0.0, 1.0, 2.0, 2.5, 5.0, 9.0)
    removed = replaced = Fraction(0)
    for values in itertools.combinations_with_replacement(scale, 4):
        present = utilities(values, points, q)
        for i, other in itertools.product(range(4), scale):
            rest = values[:i] + values[i + 1 :]
            for change, absent in (
                ("removed", utilities(rest, points, q)),
                ("replaced", utilities((*rest, other), points, q)),
            ):
                most = max(abs(a - b) for a, b in zip(present, absent, strict=True))
                if change == "removed":
                    removed = max(removed, most)
                else:
                    replaced = max(replaced, most)
    assert removed == max(q, 1 - q) and replaced == 1


@pytest.mark.parametrize("q", [0.25, 0.5, 0.9])
def test_the_chances_of_a_quantile_are_those_of_its_utility(q: float) -> None:
    points, values = (0.0, 2.0, 3.0, 7.0), (0.0, 1.0, 1.0, 2.5, 5.0, 9.0, 9.0)
    scores = np.array([float(each) for each in utilities(values, points, Fraction(q))])
    weights = np.exp(scores * 2.0 / (2 * max(q, 1 - q)))
    chances = quantile_probabilities(values, points, quantile=q, epsilon=2.0)
    np.testing.assert_allclose(chances, weights / weights.sum(), rtol=1e-12)


def test_a_quantile_knows_ties() -> None:
    """300 equal values have one median; the median of the grades is ten ranks below the next."""
    grid = np.linspace(0.0, 100.0, 1001)
    chances = quantile_probabilities(np.full(300, 5.0), grid, quantile=0.5, epsilon=1 / 3)
    assert chances @ np.abs(grid - 5.0) < 1e-6
    grades = np.repeat([1.0, 2.0, 3.0, 4.0, 5.0], [60, 150, 300, 290, 200])
    for q, exact, bound in ((0.25, 3.0, 0.01), (0.5, 3.0, 0.5), (0.75, 4.0, 0.01)):
        chances = quantile_probabilities(
            grades, np.linspace(1.0, 5.0, 401), quantile=q, epsilon=1 / 3
        )
        assert chances @ np.abs(np.linspace(1.0, 5.0, 401) - exact) < bound
