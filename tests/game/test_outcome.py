"""Tests of the outcome of a profile: it is computed once, kept, and cannot be changed."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from numpy.testing import assert_allclose, assert_array_equal

import pdpbook as pb
from pdpbook import _loops, _validate
from tests import naive
from tests.game.strategies import games_with_profiles


@pytest.fixture
def game() -> pb.NVOGame:
    return pb.NVOGame.from_data(
        [1.0, 1.0, 2.0, 3.0, 3.5, 7.0], epsilon=1.0, multipliers=(3.0, 1.0), bins=6
    )


@given(games_with_profiles())
def test_its_numbers_are_those_of_the_twin(case):
    game, profile = case
    outcome = game.evaluate(profile)
    bins, actions = naive.records_of(profile)
    assert_allclose(outcome.mass, game.kernel[actions, bins].sum(axis=0))
    assert_allclose(outcome.output, outcome.mass / game.records, rtol=0)
    assert outcome.private_records == profile[outcome.private].sum()
    utility = 1.0 - outcome.divergence / math.log(game.bins)
    assert outcome.payoff == pytest.approx(outcome.private_records + utility)
    assert_allclose(outcome.payoff, naive.payoff(bins, actions, game.kernel, game.epsilon))
    assert outcome.is_nash() == naive.is_nash(game, profile)
    assert outcome.is_nash(atol=outcome.regret)


def test_a_profile_is_checked_once_and_its_mass_summed_once(game, monkeypatch):
    checked, summed = [], []
    check, mixture = _validate.profile_matrix, _loops.mixture
    monkeypatch.setattr(
        _validate, "profile_matrix", lambda *a, **b: checked.append(a) or check(*a, **b)
    )
    monkeypatch.setattr(_loops, "mixture", lambda *a: summed.append(a) or mixture(*a))
    outcome = game.evaluate(game.constant_profile(1))
    for _ in range(2):
        numbers = (
            outcome.payoff,
            outcome.regret,
            outcome.is_nash(),
            outcome.sample(1, rng=np.random.default_rng(0)),
        )
        assert len(numbers) == 4 and not np.isnan(outcome.losses[game.counts > 0]).all()
    assert (len(checked), len(summed)) == (1, 1)


def test_nothing_of_it_can_be_changed(game):
    profile = game.constant_profile(1)
    outcome = game.evaluate(profile)
    kept = outcome.divergence
    profile[:] = 0
    assert_array_equal(outcome.profile, game.constant_profile(1))
    for name in ("profile", "mass", "output", "losses", "private", "noise_sd"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(outcome, name)[0] = 0
    with pytest.raises(dataclasses.FrozenInstanceError):
        outcome.profile = profile
    assert game.evaluate(outcome.profile).divergence == kept


def test_values_are_released_where_the_output_says(game):
    outcome = game.evaluate(game.constant_profile(1))
    values = outcome.sample(40_000, rng=np.random.default_rng(1))
    shares = (values[:, None] == game.grid.midpoints).mean(axis=0)
    assert shares.sum() == pytest.approx(1.0)  # every value is a midpoint
    assert_allclose(shares, outcome.output, atol=5 * 0.5 / math.sqrt(values.size))
    again = outcome.sample(40_000, rng=np.random.default_rng(1))
    assert_array_equal(values, again)
    plain = pb.NVOGame(game.counts, game.kernel, epsilon=1.0).evaluate(outcome.profile)
    bins = plain.sample(40_000, rng=np.random.default_rng(1))
    assert_array_equal(game.grid.midpoints[bins], values)


@pytest.mark.parametrize(
    ("size", "rng", "error", "message"),
    [
        (0, np.random.default_rng(0), ValueError, "size must be .*, got size=0"),
        (2.0, np.random.default_rng(0), TypeError, r"got size=2\.0"),
        (10**12, np.random.default_rng(0), ValueError, "size"),
        (3, 7, TypeError, "rng must be .*, got rng=7"),
    ],
)
def test_refused_samples(game, size, rng, error, message):
    with pytest.raises(error, match=message):
        game.evaluate(game.constant_profile(0)).sample(size, rng=rng)


def test_games_and_outcomes_are_shown_by_a_few_values():
    heights = pb.NVOGame.from_data(
        pb.load_heights()["height"], epsilon=4.0, multipliers=(3, 1), grid_epsilon=1.0
    )
    assert repr(heights) == "NVOGame(records=1317, bins=101, actions=2, epsilon=4, delta=0)"
    one = pb.NVOGame([3, 1], pb.laplace_kernel(2, [1.0]), epsilon=0.25, delta=0.001)
    assert repr(one) == "NVOGame(records=4, bins=2, actions=1, epsilon=0.25, delta=0.001)"
    outcome = heights.evaluate(heights.constant_profile(0))
    shown = f"Outcome(records=1317, private_records=1317, divergence={outcome.divergence:.6g})"
    assert repr(outcome) == shown
