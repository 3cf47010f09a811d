"""Tests of the game: payoff, privacy of each record, equilibrium, and what is refused."""

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
from tests.game.strategies import games, games_with_profiles

COUNTS = [0, 4, 2, 0, 1]
KERNEL = pb.laplace_kernel(5, [0.05, 0.2, 1.0])


@pytest.fixture
def game() -> pb.NVOGame:
    return pb.NVOGame(COUNTS, KERNEL, epsilon=1.0, scales=[0.05, 0.2, 1.0])


# --- against the definition -----------------------------------------------------------------


@given(games_with_profiles())
def test_payoff_is_the_definition(case):
    game, profile = case
    bins, actions = naive.records_of(profile)
    private, divergence = naive.private_and_divergence(bins, actions, game.kernel, game.epsilon)
    assert game.evaluate(profile).private_records == private
    assert_allclose(game.evaluate(profile).divergence, divergence, rtol=1e-9, atol=1e-14)
    expected = naive.payoff(bins, actions, game.kernel, game.epsilon)
    assert_allclose(game.evaluate(profile).payoff, expected, rtol=1e-12)


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


def test_a_profile_is_checked_once_on_its_way_through_a_solver(game, monkeypatch):
    from pdpbook import _validate

    calls, exact = [], _validate.profile_matrix

    def counted(*arguments, **options):
        calls.append(arguments)
        return exact(*arguments, **options)

    monkeypatch.setattr(_validate, "profile_matrix", counted)
    for solver in (pb.best_response_dynamics, pb.coordinated_best_response):
        calls.clear()
        solver(game, start=game.constant_profile(2))
        assert len(calls) == 1


# --- what the book proves -------------------------------------------------------------------


@given(games_with_profiles())
def test_utility_lies_between_0_and_1(case):
    game, profile = case
    outcome = game.evaluate(profile)
    utility = 1 - outcome.divergence / math.log(game.bins)
    assert 0 < utility <= 1
    assert_allclose(outcome.payoff, outcome.private_records + utility)


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


@given(games_with_profiles())
def test_nothing_is_changed_in_place(case):
    game, profile = case
    kept = profile.copy()
    outcome = game.evaluate(profile)
    assert outcome.payoff <= game.records + 1 and outcome.regret >= 0.0 and outcome.losses.any()
    assert_array_equal(profile, kept)
    profile[:] = 0
    assert_array_equal(outcome.profile, kept)
    with pytest.raises(ValueError, match="read-only"):
        game.counts[0] = 1
    with pytest.raises(ValueError, match="read-only"):
        game.kernel[0, 0, 0] = 1.0


def test_all_but_data_and_noise_goes_by_name():
    kinds = {p.name: p.kind for p in inspect.signature(pb.NVOGame).parameters.values()}
    named = {name for name, kind in kinds.items() if kind is inspect.Parameter.KEYWORD_ONLY}
    assert named == {"epsilon", "delta", "scales", "grid"}


def test_what_a_game_keeps_cannot_be_written_to(game):
    for array in (game.counts, game.kernel, game.scales, game.frequency):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    for name in ("counts", "kernel", "epsilon", "delta", "scales", "grid"):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(game, name, getattr(game, name))
    plain = dataclasses.replace(game, epsilon=Fraction(1, 2), delta=Fraction(1, 4))
    assert (type(plain.epsilon), type(plain.delta)) == (float, float)


@given(games_with_profiles())
def test_the_output_is_the_mean_of_the_rows(case):
    game, profile = case
    bins, actions = naive.records_of(profile)
    rows = game.kernel[actions, bins]
    assert_allclose(game.evaluate(profile).mass, rows.sum(axis=0), rtol=1e-12, atol=1e-300)
    assert_allclose(game.evaluate(profile).output, rows.mean(axis=0), rtol=1e-12, atol=1e-300)


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


# --- what is refused -------------------------------------------------------------------------


def rows_off_by(amount: float) -> Any:
    kernel = KERNEL.copy()
    kernel[1, 2, 0] += amount
    return kernel


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"epsilon": math.nan}, ValueError, "epsilon must be .*, got epsilon=nan"),
        ({"epsilon": math.inf}, ValueError, "got epsilon=inf"),
        ({"epsilon": 0}, ValueError, r"epsilon must be a finite number > 0, got epsilon=0\.0"),
        ({"epsilon": -1.0}, ValueError, r"got epsilon=-1\.0"),
        ({"epsilon": True}, TypeError, "got epsilon=True"),
        ({"epsilon": "1"}, TypeError, "got epsilon='1'"),
        ({"epsilon": 10**400}, ValueError, "got epsilon=inf$"),
        ({"epsilon": -(10**400)}, ValueError, "got epsilon=-inf$"),
        (
            {"delta": 1.0},
            ValueError,
            r"delta must be a finite number >= 0 and < 1, got delta=1\.0$",
        ),
        (
            {"delta": 2.0},
            ValueError,
            r"delta must be a finite number >= 0 and < 1, got delta=2\.0$",
        ),
        ({"delta": math.nan}, ValueError, "got delta=nan$"),
        ({"delta": "0"}, TypeError, r"delta must be a finite number >= 0 and < 1, got delta='0'$"),
        ({"counts": [[1, 2], [3]]}, ValueError, "counts must be an array, got counts with rows"),
        ({"delta": -0.1}, ValueError, r"got delta=-0\.1"),
        ({"counts": []}, ValueError, "counts must hold at least 2"),
        ({"counts": [7]}, ValueError, "counts must hold at least 2"),
        ({"counts": [0, 1, 0, 0, 0]}, ValueError, r"at least 2 records, got 1 record\(s\)"),
        ({"counts": [0, 4, -2, 0, 1]}, ValueError, r"got counts\[2\]=-2\.0$"),
        ({"counts": [0, 4, 1.5, 0, 1]}, ValueError, r"got counts\[2\]=1\.5$"),
        ({"counts": [0, 4, math.nan, 0, 1]}, ValueError, r"got counts\[2\]=nan$"),
        ({"counts": [0, 4, math.inf, 0, 1]}, ValueError, r"got counts\[2\]=inf$"),
        ({"counts": [True, True]}, TypeError, "of type bool"),
        ({"counts": [[1, 2]]}, ValueError, r"shape \(1, 2\)"),
        ({"kernel": KERNEL[:, :4]}, ValueError, r"got kernel of shape \(3, 4, 5\)"),
        ({"kernel": KERNEL[0]}, ValueError, r"got kernel of shape \(5, 5\)"),
        ({"kernel": rows_off_by(1e-6)}, ValueError, r"kernel\[1, 2\] with a sum of 1\.000001"),
        ({"kernel": rows_off_by(math.nan)}, ValueError, r"got kernel\[1, 2, 0\]=nan$"),
        ({"kernel": rows_off_by(math.inf)}, ValueError, r"got kernel\[1, 2, 0\]=inf$"),
        ({"kernel": rows_off_by(-2.0)}, ValueError, r"got kernel\[1, 2, 0\]=-1\.\d+$"),
        ({"kernel": "words"}, TypeError, "kernel must hold numbers, got kernel of type <U5"),
        ({"kernel": [[[1.0], [0.5, 0.5]]]}, ValueError, "got kernel with rows of different le"),
        ({"grid": "nonsense"}, TypeError, r"grid must be a pdpbook\.Grid .*grid='nonsense'"),
        ({"grid": pb.Grid(0, 1, 4)}, ValueError, r"the 5 bins of the histogram, .*bins=4$"),
        ({"kernel": np.roll(np.eye(5), 1, 0)[None]}, ValueError, r"own-bin probability of 0\.0$"),
        ({"scales": [0.05, 0.2]}, ValueError, r"\(3\), got scales of length 2"),
        ({"scales": [0.05, 0.2, -1]}, ValueError, r"got scales\[2\]=-1\.0$"),
    ],
)
def test_refused_games(changes, error, message):
    arguments: dict[str, Any] = {"counts": COUNTS, "kernel": KERNEL, "epsilon": 1.0} | changes
    with pytest.raises(error, match=message):
        pb.NVOGame(arguments.pop("counts"), arguments.pop("kernel"), **arguments)


@pytest.mark.parametrize(
    ("data", "options", "error", "message"),
    [
        ([], {}, ValueError, r"data of length 0"),
        ([3.0], {}, ValueError, r"data of length 1"),
        ([3.0, 3.0], {}, ValueError, r"not be constant, got 2 value\(s\), all equal to 3\.0"),
        ([3.0, math.nan], {}, ValueError, r"data\[1\]=.*nan"),
        ([3.0, math.inf], {}, ValueError, r"data\[1\]=.*inf"),
        ([True, False], {}, TypeError, "of type bool"),
        ([1.0, 2.0], {"epsilon": -2.0}, ValueError, r"epsilon=-2\.0"),
        ([1.0, 2.0], {"multipliers": [1.0, 0.0]}, ValueError, r"multipliers\[1\]=.*0\.0"),
        ([1.0, 2.0], {"multipliers": [-0.2]}, ValueError, r"multipliers\[0\]=.*-0\.2"),
        ([1.0, 2.0], {"bins": 1}, ValueError, "bins=1"),
        ([1.0, 2.0], {"bins": 10.0}, TypeError, r"bins=10\.0"),
        ([1.0, 2.0], {"quantile": 0.5}, ValueError, r"quantile=0\.5"),
        ([1.0, 2.0], {"grid_epsilon": math.nan}, ValueError, "got grid_epsilon=nan"),
        ([1.0, 2.0], {"grid_epsilon": -1.0}, ValueError, r"got grid_epsilon=-1\.0"),
        ([1.0, 2.0], {"epsilon": 1e-308}, ValueError, "epsilon must be large enough"),
    ],
)
def test_refused_data(data, options, error, message):
    with pytest.raises(error, match=message):
        pb.NVOGame.from_data(data, **({"epsilon": 1.0} | options))


@pytest.mark.parametrize(
    ("profile", "error", "message"),
    [
        (np.zeros((5, 2), int), ValueError, r"shape \(5, 3\), got profile of shape \(5, 2\)"),
        (np.zeros(5, int), ValueError, r"got profile of shape \(5,\)"),
        (np.zeros((5, 3)), TypeError, "profile must hold integers, got profile of type float64"),
        (np.zeros((5, 3), bool), TypeError, "of type bool"),
        (np.diag([1, 2, 3, 4, 5])[:, :3], ValueError, r"row 0 must sum to 0, got .*=1"),
        (np.array([[1, -1, 0]] + [[0, 0, 0]] * 4), ValueError, "smallest entry of -1"),
        (np.full((5, 3), 2**62), ValueError, "row 0 must sum to 0, got .*=13835058055282163712"),
    ],
)
def test_refused_profiles(game, profile, error, message):
    with pytest.raises(error, match=message):
        game.evaluate(profile)


def test_refused_actions_and_generators(game):
    for action, error, message in [
        (3, ValueError, "action must be less than 3, got action=3"),
        (-1, ValueError, "got action=-1"),
        (True, TypeError, "got action=True"),
        (1.0, TypeError, r"got action=1\.0"),
    ]:
        with pytest.raises(error, match=message):
            game.constant_profile(action)
    for rng in (0, 7, None, np.random):
        with pytest.raises(TypeError, match=r"rng must be a numpy\.random\.Generator, got rng="):
            game.random_profile(rng=rng)
    with pytest.raises(ValueError, match=r"atol=-1\.0"):
        game.evaluate(game.constant_profile(0)).is_nash(atol=-1.0)
