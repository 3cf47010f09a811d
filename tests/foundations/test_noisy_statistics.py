"""A released mean: sensitivities by deletion, the promise in fractions, no leak."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from pdpbook.foundations import noisy_mean
from pdpbook.foundations.discrete_noise import UNITS
from pdpbook.foundations.noisy_statistics import MeanGrid, mean_grid

FALSE_ALARM = 1e-6
AGES = [23, 25, 31, 34, 38, 40, 41, 47, 52, 58, 66, 71]
columns = st.lists(st.floats(-3.0, 7.0), min_size=3, max_size=30)


@settings(max_examples=150, deadline=None)
@given(columns, st.floats(-3.0, 7.0), st.floats(1e-3, 8.0))
def test_no_record_loses_more_than_epsilon_in_fractions(
    values: list[float], other: float, epsilon: float
) -> None:
    """Losses are at most ε by removal and 2ε by replacement, without a tolerance for rounding."""
    x = np.array(values)
    grid = mean_grid(x.size, lower=-3.0, upper=7.0)
    rate = Fraction(grid.rate(epsilon), UNITS)
    for i in range(x.size):
        absent = grid.mean(np.delete(x, i))
        replaced = x.copy()
        replaced[i] = other
        assert abs(grid.mean(x) - absent) * rate <= Fraction(epsilon)
        assert abs(grid.mean(x) - grid.mean(replaced)) * rate <= 2 * Fraction(epsilon)
        assert grid.changes(x)[i] == grid.mean(x) - absent
    assert (grid.losses(x, epsilon) <= epsilon).all()


def test_a_record_loses_as_it_is_far_from_the_middle() -> None:
    x = np.array([0.0, 25.0, 50.0, 50.0, 90.0, 100.0])
    grid = mean_grid(6, lower=0.0, upper=100.0)
    np.testing.assert_allclose(grid.losses(x, 1.0), np.abs(x - 50) / 50, atol=2e-3)
    assert (grid.losses(x, 1.0) <= 1.0).all()


@pytest.mark.parametrize("epsilon", [0.3, 2.0, 30.0])
def test_every_mean_of_a_small_scale_keeps_the_promise_output_by_output(epsilon: float) -> None:
    """All outputs are compared, including the two ends, to which outlying results are moved."""
    grid = MeanGrid(3, 0.0, 4.0, Fraction(1), 4)
    rate = grid.rate(epsilon) / UNITS
    inner = np.arange(1, 4)

    def chances(values: tuple[int, ...]) -> np.ndarray:
        mean, a = grid.mean(np.array(values, dtype=float)), math.exp(-rate)
        ends = [a**mean / (1 + a), a ** (4 - mean) / (1 + a)]
        ends = [
            1 - a / (1 + a) if mean == end else each for end, each in zip((0, 4), ends, strict=True)
        ]
        return np.array(
            [ends[0], *np.exp(-rate * abs(inner - mean)) * math.tanh(rate / 2), ends[1]]
        )

    worst = 0.0
    for values in itertools.product(range(5), repeat=3):
        present = chances(values)
        assert present.sum() == pytest.approx(1.0)
        exact = np.abs(np.arange(5) - np.mean(values)) @ present
        assert grid.error(np.array(values, dtype=float), epsilon) == pytest.approx(exact)
        for i in range(3):
            absent = chances(values[:i] + values[i + 1 :])
            worst = max(worst, float(np.abs(np.log(present / absent)).max()))
    assert 0.9 * epsilon < worst <= epsilon * (1 + 1e-12)


def test_the_step_depends_on_the_range_and_n_alone_and_is_fine_enough() -> None:
    for n, width in ((2, 1e-100), (12, 100.0), (600, 1.0), (10**6, 3e99), (10**8, 0.7)):
        grid = mean_grid(n, lower=0.0, upper=width)
        assert grid.steps * n < 2**61 and grid.steps * grid.step >= Fraction(width)
        assert Fraction(10) ** round(math.log10(float(grid.step))) == grid.step
        assert n > 10**7 or 1 <= Fraction(width) / n / (1000 * grid.step) < 10


def test_the_mean_is_that_of_the_values_up_to_its_precision() -> None:
    x = np.random.default_rng(0).normal(3.0, 1.0, 1001).clip(0, 5)
    grid = mean_grid(x.size, lower=0.0, upper=5.0)
    exact = sum(map(Fraction, x.tolist())) / x.size
    assert abs(Fraction(grid.lower) + grid.mean(x) * grid.step - exact) <= grid.step


def test_the_noise_has_the_promised_distribution_and_the_error_is_its_mean() -> None:
    rng = np.random.default_rng(0)
    x = np.array(AGES, dtype=float)
    grid = mean_grid(12, lower=0, upper=100)
    drawn = [noisy_mean(AGES, lower=0, upper=100, epsilon=1.0, rng=rng) for _ in range(3000)]
    inside = np.array([each for each in drawn if 0 < each < 100])
    cut = stats.laplace(x.mean(), 50 / 12).cdf
    assert stats.kstest(inside, lambda t: (cut(t) - cut(0)) / (cut(100) - cut(0))).pvalue > (
        FALSE_ALARM
    )
    steps = np.array([Fraction(each).limit_denominator(1000) / grid.step for each in drawn])
    assert all(each.denominator == 1 for each in steps), "multiples of the precision"
    errors = np.abs(np.array(drawn) - x.mean())
    expected = grid.error(x, 1.0)
    assert abs(errors.mean() - expected) < 5 * errors.std() / math.sqrt(3000)
    assert expected == pytest.approx(50 / 12, rel=2e-3)
    within = [grid.draw(x, 1.0, rng)[1:] for _ in range(3000)]
    found = np.mean([low <= x.mean() <= high for low, high in within])
    assert found == pytest.approx(0.95, abs=5 * math.sqrt(0.95 * 0.05 / 3000))


def test_a_share_is_never_released_outside_0_and_1() -> None:
    drawn = [noisy_mean([0, 0, 1], lower=0, upper=1, epsilon=0.1) for _ in range(60)]
    assert min(drawn) == 0.0 and max(drawn) == 1.0


def test_a_coarse_grid_has_the_exact_error() -> None:
    """The error is E|Z + off| by summation, where the rounding of the mean matters."""
    grid = mean_grid(2, lower=0.0, upper=1.0)
    x = np.array([0.0, 0.00019])
    for epsilon in (10.0, 30.0):
        rate = grid.rate(epsilon) / UNITS
        z = np.arange(-40_000, 40_001)
        weights = np.exp(-rate * np.abs(z))
        off = grid.number(grid.mean(x)) - x.mean()
        moved = np.clip(grid.mean(x) + z, 0, grid.steps) - grid.mean(x)
        by_sum = (np.abs(moved * float(grid.step) + off) * weights).sum() / weights.sum()
        assert grid.error(x, epsilon) == pytest.approx(by_sum, rel=1e-9)
