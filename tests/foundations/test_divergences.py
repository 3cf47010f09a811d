"""Divergences against brute force, another library and the game."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import entropy

import pdpbook as pb
from pdpbook.foundations import divergences as dv
from tests.strategies import events, pairs


@given(pairs())
def test_pure_epsilon_is_the_worst_ratio_of_any_event(pair):
    p, q = pair
    ps, qs = events(p.size) @ p, events(p.size) @ q
    reached = (ps > 1e-12) | (qs > 1e-12)
    with np.errstate(divide="ignore"):
        clean = np.where(ps > 1e-12, ps, 0.0)[reached], np.where(qs > 1e-12, qs, 0.0)[reached]
        worst = np.abs(np.log(clean[0]) - np.log(clean[1])).max()
    assert dv.pure_epsilon(p, q) == pytest.approx(worst, rel=1e-9, abs=1e-12)


@given(pairs(), st.floats(0.0, 5.0))
def test_hockey_stick_is_the_worst_excess_of_any_event(pair, epsilon):
    p, q = pair
    excess = (events(p.size) @ (p - math.exp(epsilon) * q)).max()
    found = dv.hockey_stick_divergence(p, q, epsilon=epsilon)
    assert found == pytest.approx(excess, abs=1e-12)


@given(pairs())
def test_divergence_agrees_with_scipy(pair):
    p, q = pair
    assert dv.kl_divergence(p, q) == pytest.approx(float(entropy(p, q)), rel=1e-9, abs=1e-12)


def test_divergence_is_infinite_where_the_release_never_goes():
    assert dv.kl_divergence([0.5, 0.5], [1.0, 0.0]) == math.inf
    seldom = dv.kl_divergence([0.5, 0.5], [1.0, 1e-320])
    assert seldom == pytest.approx(math.log(0.5) - 0.5 * math.log(1e-320))


def test_divergence_is_that_of_the_game():
    game = pb.NVOGame([5, 3, 1], pb.laplace_kernel(3, [0.1, 0.5]), epsilon=1.0)
    profile = game.constant_profile(0)
    expected = dv.kl_divergence(game.frequency, game.evaluate(profile).output)
    assert game.evaluate(profile).divergence == pytest.approx(expected, rel=1e-12)


def test_extreme_levels_do_not_overflow():
    assert dv.hockey_stick_divergence([0.5, 0.5], [1.0, 0.0], epsilon=1e4) == 0.5


def test_outputs_that_nobody_reaches_say_nothing():
    p, q = [0.5, 0.5, 0.0], [0.25, 0.75, 0.0]
    assert dv.pure_epsilon(p, q) == pytest.approx(math.log(2.0))
    assert dv.kl_divergence(p, q) == pytest.approx(0.5 * math.log(2.0) + 0.5 * math.log(2 / 3))
    assert dv.kl_divergence([1.0, 0.0], [1.0, 0.0]) == dv.pure_epsilon([1.0, 0.0], [1.0, 0.0]) == 0
    assert dv.kl_divergence([0.5, 0.5, 0.0], [0.25, 0.0, 0.75]) == math.inf
    assert dv.hockey_stick_divergence(p, q, epsilon=0.0) == 0.25
