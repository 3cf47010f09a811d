"""The bounded Laplace mechanism: its ε by a search over answers and outputs, and its draws.

The test of the draws raises a false alarm with probability 1e-6, and rejects scales that are 5 %
off.
"""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import pdpbook.foundations.bounded_laplace as bounded
from tests.strategies import Fixed

FALSE_ALARM = 1e-6


def density(x, answer, scale, lower, upper):
    """Return the density by its definition."""
    inside = 2 - math.exp((lower - answer) / scale) - math.exp((answer - upper) / scale)
    return np.exp(-np.abs(x - answer) / scale) / scale / inside


def epsilon_of(scale, *, lower, upper, sensitivity):
    """Return the ε of a scale, as the search for the scale computes it."""
    return bounded._epsilon(scale, upper - lower, sensitivity)


@settings(max_examples=60)
@given(st.floats(0.05, 3.0), st.floats(0.01, 1.0), st.floats(-5.0, 5.0), st.floats(0.5, 20.0))
def test_privacy_map_by_search(relative_scale, part, lower, width):
    upper, scale = lower + width, relative_scale * width
    reach = part * (upper - lower)  # not more than the range, whose width is rounded
    x = np.linspace(lower, upper, 201)
    worst = 0.0
    for answer in np.linspace(lower, upper - reach, 41):
        here = density(x, answer, scale, lower, upper)
        there = density(x, answer + reach, scale, lower, upper)
        worst = max(worst, np.abs(np.log(here / there)).max())
    stated = epsilon_of(scale, lower=lower, upper=upper, sensitivity=reach)
    assert worst == pytest.approx(stated, rel=1e-9)
    nearer = density(x, lower, scale, lower, upper) / density(
        x, lower + reach / 3, scale, lower, upper
    )
    assert np.abs(np.log(nearer)).max() < stated


@given(st.floats(0.01, 30.0), st.floats(0.001, 1.0))
def test_scale_solves_its_equation(epsilon, part):
    limits = {"lower": -1.0, "upper": 3.0, "sensitivity": 4.0 * part}
    scale = bounded.bounded_laplace_scale(**limits, epsilon=epsilon)
    assert epsilon_of(scale, **limits) <= epsilon
    assert epsilon_of(scale, **limits) == pytest.approx(epsilon, rel=1e-9)
    assert epsilon_of(scale * (1 - 1e-6), **limits) > epsilon
    assert scale >= limits["sensitivity"] / epsilon * (1 - 1e-12)


@pytest.mark.parametrize("epsilon", [1e-9, 1e-6, 100.0, 500.0])
@pytest.mark.parametrize("part", [1e-6, 0.5, 1.0])
def test_scale_at_extreme_levels(epsilon, part):
    limits = {"lower": 0.0, "upper": 1.0, "sensitivity": part}
    scale = bounded.bounded_laplace_scale(**limits, epsilon=epsilon)
    assert epsilon_of(scale, **limits) == pytest.approx(epsilon, rel=1e-5)


def test_the_whole_range_costs_nothing_extra():
    for epsilon in (0.1, 1.0, 10.0):
        scale = bounded.bounded_laplace_scale(lower=0, upper=5, sensitivity=5, epsilon=epsilon)
        assert scale == pytest.approx(5 / epsilon, rel=1e-12)


@pytest.mark.parametrize("factor", [1.0, 0.95, 1.05])
@pytest.mark.parametrize("answer", [0.0, 0.3, 2.0])
def test_draws(answer, factor):
    limits = {"lower": 0.0, "upper": 2.0, "sensitivity": 0.5}
    drawn = bounded.bounded_laplace_mechanism(
        np.full(400_000, answer), **limits, epsilon=2.0, rng=np.random.default_rng(3)
    )
    assert (drawn >= 0).all() and (drawn <= 2).all()
    law = stats.laplace(answer, factor * bounded.bounded_laplace_scale(**limits, epsilon=2.0))

    def cdf(x):
        return (law.cdf(x) - law.cdf(0.0)) / (law.cdf(2.0) - law.cdf(0.0))

    pvalue = stats.kstest(drawn, cdf).pvalue
    assert (pvalue > FALSE_ALARM) == (factor == 1.0), f"p = {pvalue:.2g}"


def test_the_ends_of_the_range_are_never_passed():
    """The generator returns its smallest and its largest number, for answers in the whole range."""
    limits = {"lower": 0.1, "upper": 0.7, "sensitivity": 0.1, "epsilon": 1.0}
    answers = np.linspace(0.1, 0.7, 5001)
    for level, end in ((0.0, 0.1), (1.0 - 2.0**-53, 0.7)):
        drawn = bounded.bounded_laplace_mechanism(answers, **limits, rng=Fixed(level))
        assert ((drawn >= 0.1) & (drawn <= 0.7)).all()
        assert drawn == pytest.approx(end, abs=1e-12)


def test_the_search_ends_among_the_smallest_numbers():
    """Adjacent floats are farther apart here than any small fraction of their size."""
    limits = {"lower": 0.0, "upper": 1e-300, "sensitivity": 1e-310}
    scale = bounded.bounded_laplace_scale(**limits, epsilon=1.0)
    assert epsilon_of(scale, **limits) <= 1.0
    assert scale == pytest.approx(1e-310, rel=1e-3)
