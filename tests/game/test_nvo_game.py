"""Tests of the game and of the outcome of a profile: who is private, payoff, equilibrium."""

import dataclasses
import inspect
import math
from fractions import Fraction
from itertools import islice
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import pdpbook as pb
from tests import naive
from tests.bounds import check_bounds
from tests.game.strategies import games, games_with_profiles

COUNTS = [0, 4, 2, 0, 1]
KERNEL = pb.laplace_kernel(5, [0.05, 0.2, 1.0])


@pytest.fixture
def game() -> pb.NVOGame:
    return pb.NVOGame(COUNTS, KERNEL, epsilon=1.0, scales=[0.05, 0.2, 1.0])


# --- against the definition -----------------------------------------------------------------


@given(games_with_profiles())
def test_an_outcome_is_the_definition(case):
    game, profile = case
    outcome = game.evaluate(profile)
    bins, actions = naive.records_of(profile)
    rows = game.kernel[actions, bins]
    assert_allclose(outcome.mass, rows.sum(axis=0), rtol=1e-12, atol=1e-300)
    assert_allclose(outcome.output, rows.mean(axis=0), rtol=1e-12, atol=1e-300)
    assert list(outcome.weights) == game.weights[actions, bins].astype(object).sum(axis=0).tolist()
    private, divergence = naive.private_and_divergence(bins, actions, game.kernel, game.epsilon)
    assert outcome.private_records == private == profile[outcome.private].sum()
    assert not outcome.private[profile == 0].any()
    assert_allclose(outcome.divergence, divergence, rtol=1e-9, atol=1e-14)
    expected = naive.payoff(bins, actions, game.kernel, game.epsilon)
    assert_allclose(outcome.payoff, expected, rtol=1e-12)
    assert 0 < outcome.payoff - outcome.private_records <= 1  # the utility
    assert outcome.losses is outcome.losses  # computed once


@given(games_with_profiles())
def test_losses_are_the_worst_of_all_events(case):
    game, profile = case
    bins, actions = naive.records_of(profile)
    losses = game.evaluate(profile).losses
    expected = naive.privacy_loss_all_events(bins, actions, game.kernel)
    # S - p_i is a difference: a loss of 20 or more has lost half of its digits
    given, large = losses[bins, actions], expected > 20
    assert_allclose(given[~large], expected[~large], rtol=1e-7, atol=1e-12)
    assert (given[large] > 19.9).all()
    assert_array_equal(np.isnan(losses), profile == 0)


@given(games_with_profiles())
def test_the_linear_form_is_the_loss_at_most_epsilon(case):
    game, profile = case
    losses = np.where(profile > 0, game.evaluate(profile).losses, math.inf)
    clear = (profile > 0) & (np.abs(losses - game.epsilon) > 1e-9)
    assert_array_equal(game.evaluate(profile).private[clear], (losses <= game.epsilon)[clear])


@given(games())
def test_regret_finds_exactly_the_equilibria(game):
    for profile in islice(naive.all_profiles(game), 20):
        assert game.evaluate(profile).is_nash() == naive.is_nash(game, profile)


def test_regret_is_the_largest_gain(game):
    for profile in islice(naive.all_profiles(game), 0, None, 9):
        bins, actions = naive.records_of(profile)
        best = here = naive.payoff(bins, actions, KERNEL, 1.0)
        for i in range(len(bins)):
            for v in range(3):
                changed = actions.copy()
                changed[i] = v
                best = max(best, naive.payoff(bins, changed, KERNEL, 1.0))
        assert_allclose(game.evaluate(profile).regret, best - here, atol=1e-12)


@pytest.mark.parametrize("copies", [1, 10**4, 10**8, 10**12])
def test_no_crowd_is_so_large_that_every_profile_passes_for_an_equilibrium(copies):
    """A record of 10^12 gains about 1e-13; when all have moved, an eighth of KL is left."""
    game = pb.NVOGame(
        np.array([0, 4, 2, 0, 1]) * copies, pb.laplace_kernel(5, [0.05, 1.0]), epsilon=1.0
    )
    large = game.constant_profile(1)
    large_outcome = game.evaluate(large)
    assert not large_outcome.is_nash() and large_outcome.is_nash(atol=10.0)
    end = pb.best_response_dynamics(game, start=large)
    assert end.converged and game.evaluate(end.profile).is_nash()
    if copies > 1:
        assert end.divergence < 0.2 * game.evaluate(large).divergence


def test_at_a_share_of_exactly_one_in_k_the_sum_can_tie_where_the_pair_decides():
    """One private record more costs the whole utility, so a theorem on the order needs more."""
    away = np.array([[1, 0, 2], [0, 1, 2], [0, 0, 3]]) / 3
    half = np.array([[1, 1, 0], [1, 1, 0], [0, 0, 2]]) / 2
    game = pb.NVOGame([3, 1, 0], np.array([away, np.eye(3), half]), epsilon=0.3)
    useful = game.evaluate([[0, 2, 1], [0, 0, 1], [0, 0, 0]])
    useless = game.evaluate([[3, 0, 0], [1, 0, 0], [0, 0, 0]])
    assert (useful.private_records, useless.private_records) == (2, 3)
    assert_allclose([useful.payoff, useless.payoff], 3.0, rtol=1e-12)


def test_below_a_share_of_one_in_k_pairs_decide_and_not_the_sum():
    """A kernel that leaves its own bin: KL may exceed ln K, and a private record be outweighed."""
    kernel = np.array([[[1.0, 0.0], [0.999, 0.001]], [[1.0, 0.0], [0.0, 1.0]]])
    game = pb.NVOGame([0, 2], kernel, epsilon=1.0)
    hidden, split = game.constant_profile(0), np.array([[0, 0], [1, 1]])
    assert game.evaluate(split).payoff > game.evaluate(hidden).payoff
    assert game.evaluate(split).private_records < game.evaluate(hidden).private_records == 2
    hidden_outcome = game.evaluate(hidden)
    assert hidden_outcome.regret == 0.0 and hidden_outcome.is_nash(atol=0.0)


@pytest.mark.parametrize(("gain", "nash"), [(1.0, True), (3.0, False)])
def test_rounding_is_no_gain_and_three_times_as_much_is(gain, nash):
    """Without ``atol`` a regret of 2e-12 / n is let pass; here it is 1.44 gain 1e-12 / n."""
    n, better = 10, 0.5 + 0.5 * gain * 1e-12
    kernel = np.array([[[0.5, 0.5], [0.5, 0.5]], [[better, 1 - better], [0.5, 0.5]]])
    game = pb.NVOGame([n, 0], kernel, epsilon=1.0)
    start = game.constant_profile(0)
    assert game.evaluate(start).regret == pytest.approx(gain * 1e-12 / n / math.log(2), rel=1e-3)
    assert game.evaluate(start).is_nash() == nash
    assert not game.evaluate(start).is_nash(atol=0.0)


# --- what the book proves -------------------------------------------------------------------


@given(st.integers(2, 40), st.floats(0.005, 50.0))
def test_a_record_keeps_at_least_its_share_of_its_own_bin(bins, scale):
    own = np.diagonal(pb.laplace_kernel(bins, [scale])[0])
    assert (own > 1 / bins).all()


@given(games(safe=True), st.integers(0, 2**32 - 1))
def test_everybody_is_private_at_the_safe_scale(game, seed):
    assert game.evaluate(game.constant_profile(game.actions - 1)).private_records == game.records


@given(games_with_profiles(), st.randoms(use_true_random=False))
def test_permuting_records_changes_nothing(case, random):
    game, _ = case
    data = np.repeat(np.arange(game.bins), game.counts).astype(float)
    if data.min() == data.max():
        return
    shuffled = data.copy()
    random.shuffle(shuffled)
    one, other = (pb.NVOGame.from_data(d, epsilon=game.epsilon, bins=7) for d in (data, shuffled))
    assert_array_equal(one.counts, other.counts)
    assert_array_equal(one.kernel, other.kernel)


def test_all_but_data_and_noise_goes_by_name():
    kinds = {p.name: p.kind for p in inspect.signature(pb.NVOGame).parameters.values()}
    named = {name for name, kind in kinds.items() if kind is inspect.Parameter.KEYWORD_ONLY}
    assert named == {"epsilon", "delta", "scales", "grid"}


def test_nothing_of_a_game_or_an_outcome_can_be_changed(game):
    profile = game.constant_profile(1)
    outcome = game.evaluate(profile)
    profile[:] = 0
    assert_array_equal(outcome.profile, game.constant_profile(1))
    arrays = {game: ("counts", "kernel", "scales", "frequency", "weights")}
    arrays[outcome] = ("profile", "mass", "output", "losses", "private", "noise_sd")
    for owner, names in arrays.items():
        for name in names:
            with pytest.raises(ValueError, match="read-only"):
                getattr(owner, name)[0] = 0
    for owner, name in ((game, "epsilon"), (game, "grid"), (outcome, "profile")):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(owner, name, getattr(owner, name))


def test_a_game_with_another_target_is_checked_again(game):
    other = dataclasses.replace(game, epsilon=Fraction(1, 2), delta=Fraction(1, 4))
    assert (type(other.epsilon), type(other.delta)) == (float, float)
    assert_array_equal(other.kernel, game.kernel)
    with pytest.raises(ValueError, match="epsilon"):
        dataclasses.replace(game, epsilon=-1.0)


def test_an_empty_bin_may_send_nothing_to_itself():
    kernel = np.array([[[0.5, 0.5, 0.0], [0.5, 0.0, 0.5], [0.0, 0.5, 0.5]]])
    game = pb.NVOGame([2, 0, 2], kernel, epsilon=1.0)
    assert game.records == 4
    with pytest.raises(ValueError, match=r"own-bin probability of 0\.0"):
        pb.NVOGame([2, 1, 2], kernel, epsilon=1.0)


def test_the_caller_keeps_its_arrays():
    counts, kernel = np.array(COUNTS), KERNEL.copy()
    game = pb.NVOGame(counts, kernel, epsilon=1.0)
    counts[0], kernel[0, 0] = 99, 0.0
    assert game.counts[0] == 0
    assert_allclose(game.kernel, KERNEL, rtol=0.0, atol=2.0**-50)


# --- the edges of the privacy constraint ----------------------------------------------------


@given(st.integers(2, 60), st.floats(0.01, 0.99))
def test_the_lower_side_binds_when_epsilon_is_tiny(n, share):
    """Below ln(n/(n-1)) a record is also exposed by an output that it never gives."""
    epsilon = -math.log1p(-1 / n) * share
    alone = pb.NVOGame([n, 0], np.eye(2)[None], epsilon=epsilon)
    assert alone.evaluate(alone.constant_profile(0)).private_records == n  # all alike: loss 0
    split = pb.NVOGame([n - 1, 1], np.eye(2)[None], epsilon=epsilon)
    assert split.evaluate(split.constant_profile(0)).private_records == 0
    uniform = pb.NVOGame([n - 1, 1], np.full((1, 2, 2), 0.5), epsilon=epsilon)
    assert uniform.evaluate(uniform.constant_profile(0)).private_records == n


@pytest.mark.parametrize("m", [2, 3, 11, 50])
def test_a_record_exactly_on_the_boundary_is_private(m):
    """Without noise the loss of m records in a bin is ln((n-1)/n * m/(m-1)), exactly."""
    n, seen = 100, []
    epsilon = (math.log1p(-1 / n) - math.log1p(-1 / m)) * (1 - 1e-15)
    for _ in range(20):  # doubles from just below the boundary to just above it
        epsilon = math.nextafter(epsilon, 1.0)
        game = pb.NVOGame([n - m, m], np.eye(2)[None], epsilon=epsilon)
        outcome = game.evaluate(game.constant_profile(0))
        low, high = naive.exponential(epsilon)
        assert (Fraction((n - 1) * m, n * (m - 1)) <= low) == outcome.private[1, 0]
        assert (Fraction((n - 1) * m, n * (m - 1)) <= high) == outcome.private[1, 0]
        assert (outcome.losses[1, 0] <= epsilon) == outcome.private[1, 0]
        seen.append(bool(outcome.private[1, 0]))
    assert seen == sorted(seen) and not seen[0] and seen[-1]


@pytest.mark.parametrize("epsilon", [5.0, 27.0, 28.0, 30.0, 40.0, 1000.0])
@pytest.mark.parametrize("scale", [0.005, 0.01, 0.02, 0.05])
def test_a_huge_epsilon_does_not_excuse_an_infinite_loss(epsilon, scale):
    game = pb.NVOGame([5, 0, 0, 1], pb.laplace_kernel(4, [scale]), epsilon=epsilon)
    profile = game.constant_profile(0)
    outcome = game.evaluate(profile)
    assert outcome.private[3, 0] == (outcome.losses[3, 0] <= epsilon)


def test_delta_forgives_a_rare_output():
    strict = pb.NVOGame([9, 1], np.eye(2)[None], epsilon=1.0)
    lenient = pb.NVOGame([9, 1], np.eye(2)[None], epsilon=1.0, delta=0.1)
    small = strict.constant_profile(0)
    assert (strict.evaluate(small).private_records, lenient.evaluate(small).private_records) == (
        9,
        10,
    )


def test_a_billion_records_are_as_fast_as_ten(game):
    large = pb.NVOGame(np.array(COUNTS) * 10**9, KERNEL, epsilon=1.0)
    small = large.constant_profile(0)
    assert large.evaluate(small).private_records == large.records == 7 * 10**9
    assert_allclose(
        large.evaluate(small).divergence, game.evaluate(game.constant_profile(0)).divergence
    )


# --- from_data and small things --------------------------------------------------------------


def test_from_data_is_the_game_of_the_paper():
    game = pb.NVOGame.from_data([1.0, 2.0, 2.0, 4.0], epsilon=1.0)
    assert (game.bins, game.actions, game.records) == (101, 5, 4)
    assert_allclose(game.scales / game.grid.sensitivity, [3, 2, 1, 0.33, 0.2])
    halved = pb.NVOGame.from_data([1.0, 2.0, 2.0, 4.0], epsilon=2.0, grid_epsilon=1.0)
    assert halved.grid == game.grid
    assert_allclose(halved.scales, game.scales / 2)


def test_random_profile_is_uniform_over_the_actions(game):
    """False alarms: about 1 in 10^6 seeds; the seed is fixed."""
    rng = np.random.default_rng(0)
    played = sum(game.random_profile(rng=rng) for _ in range(3000))
    expected = np.outer(game.counts, np.full(3, 1000.0))
    assert (np.abs(played - expected) <= 5 * np.sqrt(expected * 2 / 3) + 1e-9).all()


def test_noise_sd(game):
    profile = np.array([[0, 0, 0], [2, 2, 0], [0, 2, 0], [0, 0, 0], [0, 0, 1]])
    expected = np.sqrt(2) * np.array([np.nan, 0.125, 0.2, np.nan, 1.0])
    assert_allclose(game.evaluate(profile).noise_sd, expected)
    with pytest.raises(ValueError, match="scales=None"):
        assert pb.NVOGame(COUNTS, KERNEL, epsilon=1.0).evaluate(profile).noise_sd is None


def test_values_are_released_where_the_output_says():
    game = pb.NVOGame.from_data([1.0, 1.0, 2.0, 3.0, 3.5, 7.0], epsilon=1.0, bins=6)
    outcome = game.evaluate(game.constant_profile(1))
    values = outcome.sample(40_000, rng=np.random.default_rng(1))
    shares = (values[:, None] == game.grid.midpoints).mean(axis=0)
    assert shares.sum() == pytest.approx(1.0)  # every value is a midpoint
    assert_allclose(shares, outcome.output, atol=5 * 0.5 / math.sqrt(values.size))
    plain = pb.NVOGame(game.counts, game.kernel, epsilon=1.0).evaluate(outcome.profile)
    bins = plain.sample(40_000, rng=np.random.default_rng(1))
    assert_array_equal(game.grid.midpoints[bins], values)


def test_games_and_outcomes_are_shown_by_a_few_values():
    game = pb.NVOGame([3, 1], pb.laplace_kernel(2, [1.0]), epsilon=0.25, delta=0.001)
    assert repr(game) == "NVOGame(records=4, bins=2, actions=1, epsilon=0.25, delta=0.001)"
    outcome = game.evaluate(game.constant_profile(0))
    shown = f"Outcome(records=4, private_records=4, divergence={outcome.divergence:.6g})"
    assert repr(outcome) == shown


# --- where arguments end -----------------------------------------------------------------------


def rows_off_by(amount: float) -> Any:
    kernel = KERNEL.copy()
    kernel[1, 2, 0] += amount
    return kernel


AWAY = np.roll(np.eye(5), 1, 0)[None]  # no bin keeps any mass on itself


@pytest.mark.parametrize(
    ("argument", "refused", "accepted"),
    [
        ("epsilon", [0, -1.0, "1", True, 10**400], [1e-300, 1, Fraction(1, 3)]),
        ("delta", [-0.1, 1.0, "0"], [0.0, 0.999]),
        ("counts", [[], [7], [0, 1, 0, 0, 0], [0, 4, -2, 0, 1], [0, 4, 1.5, 0, 1]], []),
        ("counts", [[[1, 2]], [[1, 2], [3]], [True, True]], [[0, 2, 0, 0, 0], [0, 1.0, 1, 0, 0]]),
        ("kernel", [KERNEL[:, :4], KERNEL[0], "words", AWAY], [KERNEL[:1], KERNEL.tolist()]),
        ("kernel", [rows_off_by(1e-6), rows_off_by(-2.0)], [rows_off_by(1e-10)]),
        ("scales", [[0.05, 0.2], [0.05, 0.2, -1]], [None, [1e-9, 1, 2]]),
        ("grid", ["nonsense", pb.Grid(0, 1, 4)], [None, pb.Grid(0, 1, 5)]),
    ],
)
def test_where_the_arguments_of_a_game_end(argument, refused, accepted):
    good = {"counts": COUNTS, "kernel": KERNEL, "epsilon": 1.0}
    check_bounds(pb.NVOGame, good, argument, refused, accepted)


def test_an_error_shows_where_the_fault_is():
    for amount, shown in [
        (1e-6, r"kernel\[1, 2\] with a sum of 1\.000001"),
        (-2.0, r"\[1, 2, 0\]=-1\."),
    ]:
        with pytest.raises(ValueError, match=shown):
            pb.NVOGame(COUNTS, rows_off_by(amount), epsilon=1.0)


@pytest.mark.parametrize(
    ("argument", "refused", "accepted"),
    [
        ("data", [[], [3.0], [3.0, 3.0], [3.0, math.inf]], [[3.0, 4.0]]),
        ("epsilon", [-2.0, 1e-308], [1e-6]),
        ("multipliers", [[1.0, 0.0], [-0.2]], [[1e-3]]),
        ("bins", [1, 10.0], [2]),
        ("quantile", [0.5, 1.0], [0.51, 0.99]),
        ("grid_epsilon", [0.0, math.nan], [None, 1e-6]),
    ],
)
def test_where_the_arguments_of_from_data_end(argument, refused, accepted):
    good = {"data": [1.0, 2.0, 2.0, 4.0], "epsilon": 1.0}
    check_bounds(pb.NVOGame.from_data, good, argument, refused, accepted)


def test_where_the_arguments_of_an_outcome_end(game):
    shapes = [np.zeros((5, 2), int), np.zeros(5, int), np.zeros((5, 3)), np.zeros((5, 3), bool)]
    rows = [np.diag([1, 2, 3, 4, 5])[:, :3], np.array([[1, -1, 0], *[[0, 0, 0]] * 4])]
    large = np.full((5, 3), 2**62)  # whose rows have no sum in 64 bits
    check_bounds(game.evaluate, {}, "profile", [*shapes, *rows, large])
    check_bounds(game.constant_profile, {}, "action", [3, -1, True, 1.0], [0, 2])
    check_bounds(game.random_profile, {}, "rng", [0, None, np.random])
    outcome, rng = game.evaluate(game.constant_profile(0)), np.random.default_rng(0)
    check_bounds(outcome.is_nash, {}, "atol", [-1.0, math.nan], [0.0, None])
    check_bounds(outcome.sample, {"rng": rng}, "size", [0, 2.0, 10**12], [1])
    check_bounds(outcome.sample, {"size": 1}, "rng", [7])
