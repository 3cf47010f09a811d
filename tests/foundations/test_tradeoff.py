"""Trade-off curves, compared with brute force, with limits and with each other."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from pdpbook.foundations import divergences as dv
from pdpbook.foundations import tradeoff as tr
from tests.strategies import events, levels, pairs


@given(pairs())
def test_no_event_beats_the_tradeoff_curve(pair):
    q, p = pair
    alpha, beta = tr.tradeoff_curve(p, q)
    tests = events(p.size)
    assert (np.diff(alpha) >= 0).all() and (np.diff(beta) <= 0).all()
    assert (alpha[0], alpha[-1], beta[0], beta[-1]) == (0.0, 1.0, 1.0, 0.0)
    # a little to the right of each event, so that a vertical piece counts at its lower end
    least = np.interp(tests @ q + 1e-9, alpha, beta)
    assert (1.0 - tests @ p >= least - 1e-7).all()


@given(pairs(), levels)
def test_privacy_and_the_tradeoff_bound_are_the_same_statement(pair, epsilon):
    q, p = pair
    delta = max(
        dv.hockey_stick_divergence(p, q, epsilon=epsilon),
        dv.hockey_stick_divergence(q, p, epsilon=epsilon),
    )
    alpha, beta = tr.tradeoff_curve(p, q)
    if delta < 1.0:
        assert (beta >= tr.tradeoff_bound(alpha, epsilon=epsilon, delta=delta) - 1e-9).all()
    if delta > 0.02:  # with a smaller δ, some corner is below
        bound = tr.tradeoff_bound(alpha, epsilon=epsilon, delta=delta - 0.01)
        assert (beta < bound - 1e-6).any()


@given(st.floats(0.01, 4.0))
def test_the_continuous_curves_are_limits_of_discrete_ones(epsilon):
    edges = np.linspace(-25.0, 25.0, 20_001)
    for law, curve in (
        (stats.laplace, lambda a: tr.laplace_tradeoff(a, epsilon=epsilon)),
        (stats.norm, lambda a: tr.gaussian_tradeoff(a, shift=epsilon)),
    ):
        q, p = np.diff(law.cdf(edges)), np.diff(law.cdf(edges, loc=epsilon))
        alpha, beta = tr.tradeoff_curve(p / p.sum(), q / q.sum())
        assert np.abs(beta - curve(alpha)).max() < 1e-4


def test_laplace_touches_the_bound_and_stays_above_it():
    alpha = np.linspace(0.0, 1.0, 1001)
    for epsilon in (0.1, 1.0, 3.0):
        gap = tr.laplace_tradeoff(alpha, epsilon=epsilon)
        gap = gap - tr.tradeoff_bound(alpha, epsilon=epsilon)
        assert gap.min() > -1e-12
        assert np.abs(gap[[1, -2]]).max() < 1e-12


def test_extreme_levels_do_not_overflow():
    assert tr.tradeoff_bound([0.0, 0.5], epsilon=1e4).tolist() == [1.0, 0.0]
    assert tr.laplace_tradeoff([0.0, 0.5], epsilon=1e4).tolist() == [1.0, 0.0]


def test_vectors_that_sum_to_one_but_for_rounding_end_at_one():
    for off in (-9e-10, 9e-10):
        alpha, beta = tr.tradeoff_curve([0.25, 0.75 + off], [0.5, 0.5 + off])
        assert (alpha[-1], beta[0]) == (1.0, 1.0)
        assert 0.0 <= alpha.min() and alpha.max() == beta.max() == 1.0


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 4.0])
def test_the_laplace_curve_is_that_of_the_tests_of_neyman_and_pearson(epsilon):
    """Each threshold is a test; the formula changes near the thresholds 0 and 1."""
    near = np.geomspace(1e-6, 1e-2, 9)
    for threshold in (*np.linspace(-2.0, 3.0, 26), *near, *-near, *(1 + near), *(1 - near)):
        alarm = stats.laplace.sf(threshold, scale=1 / epsilon)
        missed = stats.laplace.cdf(threshold, loc=1.0, scale=1 / epsilon)
        if 0.0 <= threshold <= 1.0:  # beyond these, the best test tosses a coin
            assert tr.laplace_tradeoff(alarm, epsilon=epsilon) == pytest.approx(missed, rel=1e-12)
    for share in (*np.linspace(0.0, 1.0, 11), *(1 - near)):
        rate = share * math.exp(-epsilon) / 2  # alarm for this share of the mass beyond 1
        missed = 1.0 - share / 2
        assert tr.laplace_tradeoff(rate, epsilon=epsilon) == pytest.approx(missed, rel=1e-12)
        rate = 1.0 - share / 2  # and for this share of the mass below 0
        missed = share * math.exp(-epsilon) / 2
        assert tr.laplace_tradeoff(rate, epsilon=epsilon) == pytest.approx(missed, abs=1e-15)
