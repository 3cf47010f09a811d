"""Tests of best-response dynamics: the literal twin, equilibria, and safe starts."""

import math
from importlib import import_module
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import pdpbook as pb
from pdpbook import _loops
from tests import naive
from tests.bounds import check_bounds
from tests.game.strategies import games, games_with_profiles

COUNTS = [0, 4, 2, 0, 1]

best_response = import_module("pdpbook.game.best_response")


@pytest.fixture
def game() -> pb.NVOGame:
    return pb.NVOGame(COUNTS, pb.laplace_kernel(5, [0.05, 0.2, 1.0]), epsilon=1.0)


# --- against the literal algorithm -----------------------------------------------------------


@given(games_with_profiles())
def test_unbatched_is_the_literal_algorithm(case):
    game, start = case
    literal = naive.algorithm_1(*naive.records_of(start), game.kernel, game.epsilon, regroup=True)
    result = pb.best_response_dynamics(game, start=start, batch=False)
    end = naive.profile_of(literal.bins, literal.actions, start.shape)
    assert_array_equal(result.profile, end)
    assert (result.moves, result.sweeps) == (literal.moves, literal.sweeps)
    assert_allclose(result.payoffs, literal.payoffs, rtol=1e-9)


def test_a_batch_is_one_step_of_several_moves(game):
    one, many = (
        pb.best_response_dynamics(game, start=game.constant_profile(2), batch=batch)
        for batch in (False, True)
    )
    assert one.payoffs.size == one.moves + 1
    assert many.payoffs.size < many.moves + 1


@given(games_with_profiles())
def test_any_order_of_records_ends_at_an_equilibrium(case):
    """Index order without regrouping may end elsewhere, but never at less than it started."""
    game, start = case
    bins, actions = naive.records_of(start)
    order = np.random.default_rng(0).permutation(len(bins))
    literal = naive.algorithm_1(bins[order], actions[order], game.kernel, game.epsilon)
    end = naive.profile_of(literal.bins, literal.actions, start.shape)
    assert game.evaluate(end).is_nash()
    assert game.evaluate(end).payoff >= game.evaluate(start).payoff - 1e-12


@given(games_with_profiles(), st.booleans())
def test_it_ends_at_a_verified_equilibrium(case, batch):
    game, start = case
    result = pb.best_response_dynamics(game, start=start, batch=batch)
    assert result.converged
    assert game.evaluate(result.profile).regret <= 1e-12
    assert naive.is_nash(game, result.profile)


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 2.0])
def test_batching_reaches_a_verified_equilibrium_of_a_large_game(epsilon):
    rng = np.random.default_rng(1)
    counts = rng.geometric(0.002, size=8) * rng.integers(0, 2, size=8) + 1
    game = pb.NVOGame(counts, pb.laplace_kernel(8, [0.01, 0.08, 1.0]), epsilon=epsilon)
    start = game.random_profile(rng=rng)
    batched = pb.best_response_dynamics(game, start=start)
    assert batched.converged
    assert game.evaluate(batched.profile).regret <= 1e-12
    assert len(batched.payoffs) < batched.moves / 5  # many records moved at a time


@settings(max_examples=20)
@given(games_with_profiles(), st.integers(2, 10**6))
def test_copies_of_the_records_cost_little_more_steps(case, copies):
    """No theorem: how many steps a group takes in a pass, with a margin of several times."""
    game, start = case
    large = pb.NVOGame(game.counts * copies, game.kernel, epsilon=game.epsilon)
    result = pb.best_response_dynamics(large, start=start * copies)
    assert result.converged
    assert large.evaluate(result.profile).regret <= 1e-12
    steps_a_group = 32 + 10 * math.log2(large.records)
    assert len(result.payoffs) - 1 <= result.sweeps * start.size * steps_a_group


@pytest.mark.parametrize("copies", [10, 1000, 10**6])
def test_alternating_best_responses_do_not_take_a_step_each(copies):
    """Scales 1 and 3 take turns as best response to scale 2, one record after the other."""
    counts = np.array([1, 0, 1]) * copies
    game = pb.NVOGame(counts, pb.laplace_kernel(3, [1.0, 3.0, 2.0]), epsilon=1.0)
    result = pb.best_response_dynamics(game, start=game.constant_profile(2))
    assert result.converged
    assert game.evaluate(result.profile).regret <= 1e-12
    assert result.moves > copies
    assert len(result.payoffs) < 1000


def test_90_million_records_do_not_chase_rounding_errors():
    """A gain computed from two masses S would be all rounding here, and the moves would not end."""
    counts = np.array([5, 3, 1]) * 10**7
    game = pb.NVOGame(counts, pb.laplace_kernel(3, [4.367, 3.355, 2.201]), epsilon=1.21)
    result = pb.best_response_dynamics(game, rng=np.random.default_rng(0))
    assert result.converged
    assert result.sweeps < 10
    assert game.evaluate(result.profile).regret <= 1e-12


# --- large games -------------------------------------------------------------------------------


@given(games_with_profiles())
def test_who_is_private_still_is_if_every_record_becomes_four(case):
    game, profile = case
    four = pb.NVOGame(4 * game.counts, game.kernel, epsilon=game.epsilon).evaluate(4 * profile)
    before = game.evaluate(profile)
    assert (four.private >= before.private).all()
    assert four.divergence == pytest.approx(before.divergence, rel=1e-12, abs=1e-15)


@given(games_with_profiles(), st.integers(1, 40))
def test_a_large_game_goes_up_from_smaller_ones_and_loses_nothing(case, patience):
    """Some bins hold fewer than four records, and most no multiple of four."""
    small, start = case
    large = pb.NVOGame(7 * small.counts, small.kernel, epsilon=small.epsilon)
    with (
        mock.patch.object(best_response, "_LARGE", 5),
        mock.patch.object(_loops, "STEPS", patience),
    ):
        result = pb.best_response_dynamics(large, start=7 * start)
    assert result.converged and naive.is_nash(large, result.profile)
    assert (np.diff(result.payoffs) > -1e-12).all() and (np.diff(result.private_counts) >= 0).all()
    assert result.divergences[0] == large.evaluate(7 * start).divergence
    changed = np.abs(result.profile - 7 * start).sum() // 2
    assert changed <= result.moves and result.sweeps >= 1 and result.seconds > 0


def test_records_that_go_as_in_the_smaller_game_are_counted():
    game = pb.NVOGame([0, 400, 200, 0, 100], pb.laplace_kernel(5, [0.05, 0.2, 1.0]), epsilon=1.0)
    start = game.constant_profile(2)
    end = pb.best_response_dynamics(game, start=start).profile
    first = pb.best_response_dynamics(game, start=start, max_sweeps=1)
    moved = np.abs(end - first.profile).sum() // 2
    with (
        mock.patch.object(best_response, "_LARGE", 5),
        mock.patch.object(_loops, "STEPS", 1),
        mock.patch.object(best_response, "_grown", lambda *_: end.copy()),
    ):
        result = pb.best_response_dynamics(game, start=start)
    assert_array_equal(result.profile, end)
    assert result.moves == first.moves + moved > first.moves


def test_ten_million_records_at_their_bounds_come_to_rest():
    """Alone they do not in 1,000 passes, and end at 250 times the divergence."""
    rng = np.random.default_rng(4)
    counts = rng.multinomial(10**7, rng.dirichlet(np.full(33, 3.0)))
    scales = pb.scale_bound(10**7, 1.0) / 4.0 ** np.arange(5)
    game = pb.NVOGame(counts, pb.laplace_kernel(33, scales), epsilon=1.0)
    result = pb.best_response_dynamics(game, start=game.constant_profile(0))
    assert result.converged and result.divergence < 1e-10
    assert (result.private_counts == game.records).all()


# --- the payoff along the way ----------------------------------------------------------------


@given(games_with_profiles(), st.booleans())
def test_the_payoff_never_falls(case, batch):
    game, start = case
    result = pb.best_response_dynamics(game, start=start, batch=batch)
    assert (np.diff(result.payoffs) > -1e-12).all()
    assert (np.diff(result.private_counts) >= 0).all()
    assert result.payoffs[0] == pytest.approx(game.evaluate(start).payoff, abs=1e-9)
    assert result.payoffs[-1] == pytest.approx(game.evaluate(result.profile).payoff, abs=1e-9)
    assert result.divergence == game.evaluate(result.profile).divergence
    assert result.private_counts[-1] == game.evaluate(result.profile).private_records
    assert len(result.payoffs) == len(result.divergences) == len(result.private_counts)


@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1))
def test_a_batch_never_gives_up_a_private_record(seed):
    """Large groups and a small epsilon: asking the last record alone would not be enough."""
    rng = np.random.default_rng(seed)
    bins, actions = rng.integers(2, 6), rng.integers(2, 4)
    counts = rng.geometric(0.05, bins) * rng.integers(0, 2, bins) + rng.integers(1, 3, bins)
    kernel = pb.laplace_kernel(bins, 10 ** rng.uniform(-2, 0.5, actions))
    game = pb.NVOGame(counts, kernel, epsilon=10 ** rng.uniform(-2.5, 0))
    result = pb.best_response_dynamics(game, rng=rng)
    assert (np.diff(result.private_counts) >= 0).all()
    assert game.evaluate(result.profile).regret <= 1e-12


@given(games_with_profiles())
def test_an_equilibrium_is_left_alone(case):
    game, start = case
    end = pb.best_response_dynamics(game, start=start).profile
    again = pb.best_response_dynamics(game, start=end)
    assert (again.moves, again.sweeps, again.converged) == (0, 1, True)
    assert_array_equal(again.profile, end)


# --- safe starts -------------------------------------------------------------------------------


@given(games(safe=True), st.booleans())
def test_a_safe_start_keeps_everybody_private(game, batch):
    start = game.constant_profile(game.actions - 1)
    result = pb.best_response_dynamics(game, start=start, batch=batch)
    assert (result.private_counts == game.records).all()
    assert naive.is_nash(game, result.profile)


def test_an_unsafe_start_can_end_at_an_equilibrium_that_exposes_somebody(game):
    small = game.constant_profile(0)
    result = pb.best_response_dynamics(game, start=small)
    assert result.moves == 0
    assert game.evaluate(result.profile).is_nash()
    assert game.evaluate(result.profile).private_records == 6


# --- repeatable, and nothing changed in place ------------------------------------------------


def test_a_seed_repeats(game):
    one, two = (pb.best_response_dynamics(game, rng=np.random.default_rng(0)) for _ in range(2))
    assert_array_equal(one.profile, two.profile)
    assert_array_equal(one.payoffs, two.payoffs)


@given(games_with_profiles())
def test_the_start_is_not_changed(case):
    game, start = case
    kept = start.copy()
    result = pb.best_response_dynamics(game, start=start)
    assert_array_equal(start, kept)
    assert not np.shares_memory(result.profile, start)


def test_giving_up_is_reported(game):
    result = pb.best_response_dynamics(game, start=game.constant_profile(2), max_sweeps=1)
    assert (result.sweeps, result.converged) == (1, False)
    assert result.moves > 0
    assert result.payoffs[-1] == pytest.approx(game.evaluate(result.profile).payoff)


def test_where_arguments_end(game):
    good = {"game": game, "start": game.constant_profile(0), "rng": np.random.default_rng(0)}
    wrong = [np.zeros((5, 3), int), np.zeros((3, 5), int), np.zeros((5, 3)), [[1, 2], [3]]]
    check_bounds(pb.best_response_dynamics, good, "start", wrong, [None])
    check_bounds(pb.best_response_dynamics, good, "rng", [3, np.random.RandomState(0)], [None])
    check_bounds(pb.best_response_dynamics, good, "max_sweeps", [0, True, 2.0], [1])
    check_bounds(pb.best_response_dynamics, good, "batch", ["no", 1], [True, False])
    with pytest.raises(ValueError, match="got start=None and rng=None"):
        pb.best_response_dynamics(game)


def test_a_hundred_million_records_at_an_epsilon_next_to_its_least_value_come_to_rest():
    """With the same ε the smaller games have no private record, and steps grow like n."""
    records, bins = 10**8, 9
    rng = np.random.default_rng(182)
    counts = rng.multinomial(records, rng.dirichlet(np.ones(bins)))
    epsilon = math.log1p(1 / (records - 1)) * (1 + 1e-12)
    scales = pb.scale_bound(records, epsilon) / 4.0 ** np.arange(5)
    game = pb.NVOGame(counts, pb.laplace_kernel(bins, scales), epsilon=epsilon)
    result = pb.best_response_dynamics(game, rng=rng)
    assert result.converged and result.private_records == records
    assert len(result.divergences) < 2**18
