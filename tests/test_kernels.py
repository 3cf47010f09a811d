"""Tests of the compiled loops: their slow twins, and their tolerances from both sides."""

import math

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import pdpbook as pb
from pdpbook import _kernels
from tests import naive
from tests.game.strategies import games_with_profiles

compiled = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")


def known(game: pb.NVOGame) -> tuple:
    return game.kernel, game.frequency, np.empty(game.bins), game.records, game.limits


def moves(game: pb.NVOGame, profile: np.ndarray):
    """Every move of one group: (bin, from, to, records)."""
    for k, v in np.argwhere(profile):
        for w in range(game.actions):
            if w != v:
                yield from ((k, v, w, size) for size in {1, int(profile[k, v])})


# --- privacy -----------------------------------------------------------------------------------


@given(games_with_profiles(), st.sampled_from([0.0, 0.05]))
def test_the_envelope_counts_like_a_look_at_every_group(case, delta):
    game, profile = case
    game = pb.NVOGame(game.counts, game.kernel, epsilon=game.epsilon, delta=delta)
    rows = np.empty((2, game.bins))
    _kernels.envelope(profile, game.kernel, rows)
    for k, v, w, size in moves(game, profile):
        after = profile.copy()
        after[k, v] -= size
        after[k, w] += size
        mass = game.mass(after)
        for needed in (0, game.records):
            reached = _kernels.count_after(
                profile, game.kernel, game.records, game.limits, k, v, w, size, rows, mass, needed
            )
            private = game.private_records(after)
            assert reached == (private if private >= needed else -1)


@given(games_with_profiles(), st.sampled_from([0.0, 0.05]))
def test_the_shortfall_is_zero_where_everybody_is_private(case, delta):
    game, profile = case
    game = pb.NVOGame(game.counts, game.kernel, epsilon=game.epsilon, delta=delta)
    private = game.private(profile)
    for k, v in np.argwhere(profile):
        exposed = np.zeros(profile.shape, dtype=bool)
        exposed[k, v] = True
        short = _kernels.shortfall(
            profile, game.kernel, game.mass(profile), game.records, game.limits, exposed
        )
        assert (short > 1e-9) <= (not private[k, v])
        assert (short < 1e-12) or not private[k, v]


@pytest.mark.parametrize(("off", "expected"), [(0.9e-12, True), (3e-12, False)])
def test_the_boundary_is_held_from_both_sides(off, expected):
    """A row is private up to 1e-12 beyond each of its three constraints, and not further."""
    n, mass = 4, np.array([2.0, 2.0])
    tau, sigma = pb.linear_limits(n, 0.2)
    assert sigma > 0.0
    upper = tau * 2.0 + off * tau * (1.0 - tau) * 2.0
    row = np.array([upper, 0.5])
    assert _kernels.is_private(row, mass, n, 0.2, 0.0, tau, sigma) == expected
    row = np.array([sigma * 2.0 * (1.0 - off), 0.5])
    assert _kernels.is_private(row, mass, n, 0.2, 0.0, tau, sigma) == expected
    row = np.array([1.5, 0.5])
    delta = _kernels.hockey_stick(row, mass, n, 0.2)
    assert _kernels.is_private(row, mass, n, 0.2, delta / (1.0 + off), tau, sigma) == expected


def test_whoever_is_alone_at_an_output_is_exposed_whatever_tau_rounds_to():
    row, mass = np.array([1.0, 0.0]), np.array([1.0, 4.0])
    assert not _kernels.is_private(row, mass, 5, 800.0, 0.0, 1.0, -math.inf)
    assert _kernels.privacy_loss(row, mass, 5) == math.inf


def test_an_exponential_that_would_overflow_is_infinite():
    """exp(709.78) is finite and exp(710) is not; both forgive all but a row's own output."""
    row, mass = np.array([0.5, 0.5]), np.array([0.5, 1.5])
    for epsilon in (709.0, 709.8, 1e6):
        assert _kernels.hockey_stick(row, mass, 2, epsilon) == 0.25


# --- divergence ------------------------------------------------------------------------------


@given(games_with_profiles())
def test_drops_are_differences_of_divergences(case):
    game, profile = case
    for k, v, w, size in moves(game, profile):
        after = profile.copy()
        after[k, v] -= size
        after[k, w] += size
        drop = game.divergence(profile) - game.divergence(after)
        masses = game.mass(profile), game.mass(after)
        assert_allclose(
            _kernels.divergence_drop(game.frequency, *masses), drop, rtol=1e-7, atol=1e-12
        )
        if size == 1:
            rows = game.kernel[v, k], game.kernel[w, k]
            step = _kernels.step_drop(game.frequency, masses[0], *rows)
            assert_allclose(step, drop, rtol=1e-7, atol=1e-12)


@pytest.mark.parametrize(("gain", "moves_on"), [(0.5, False), (2.0, True)])
def test_a_gain_within_rounding_moves_nobody(gain, moves_on):
    """The second action wins ``gain`` times 1e-12 / n; only more than 1e-12 / n counts."""
    n = 10
    better = 0.5 + 0.5 * gain * 1e-12
    kernel = np.array([[[0.5, 0.5], [0.5, 0.5]], [[better, 1 - better], [0.5, 0.5]]])
    game = pb.NVOGame([n, 0], kernel, epsilon=1.0)
    start = game.constant_profile(0)
    gained = _kernels.step_drop(game.frequency, game.mass(start), kernel[0, 0], kernel[1, 0])
    assert gained == pytest.approx(gain * 1e-12 / n, rel=1e-3)
    assert (pb.best_response_dynamics(game, start).moves > 0) == moves_on


# --- covers and helpers ------------------------------------------------------------------------


def enough(game, profile, k, v, w, size) -> bool:
    """Whether everybody's rows fit the mass after the move, the rows being those of before."""
    mass = game.mass(profile) + size * (game.kernel[w, k] - game.kernel[v, k])
    tau = game.limits.tau
    allowed = game.delta * (game.records - 1) * math.exp(-game.epsilon)
    above = [
        np.maximum(game.kernel[u, j] - tau * mass, 0.0).sum() for j, u in np.argwhere(profile)
    ]
    return max(above) <= allowed * (1 + 1e-9) + 1e-12


@given(games_with_profiles(), st.sampled_from([0.0, 0.01, 0.1]))
def test_a_cover_is_the_smallest_that_is_enough(case, delta):
    game, profile = case
    game = pb.NVOGame(game.counts, game.kernel, epsilon=game.epsilon, delta=delta)
    mass, rows = game.mass(profile), np.empty((2, game.bins))
    _kernels.envelope(profile, game.kernel, rows)
    needed = rows[0] / game.limits.tau
    for k, v, w, _ in moves(game, profile):
        sizes = range(1, int(profile[k, v]) + 1)
        smallest = next((m for m in sizes if enough(game, profile, k, v, w, m)), None)
        if delta > 0.0:
            found = _kernels.stick_cover_size(
                profile, game.kernel, mass, game.records, game.limits, k, v, w
            )
        else:
            found = _kernels.cover_size(mass, needed, game.kernel, k, v, w)
        inside = 0 < found <= profile[k, v] and enough(game, profile, k, v, w, int(found))
        assert (found if inside else None) == smallest


def test_a_whole_group_moves_to_cover_everybody_whatever_it_costs():
    """One record is exposed; the pair pass restores its privacy although KL rises by it."""
    game = pb.NVOGame([0, 4, 2, 0, 1], pb.laplace_kernel(5, [0.05, 0.2, 1.0]), epsilon=1.0)
    found = 0
    for profile in naive.all_profiles(game):
        if game.private_records(profile) == 7 or not game.is_nash(profile):
            continue
        after = profile.copy()
        moved = _kernels.coordinated_sweep(after, *known(game))
        if moved and game.divergence(after) > game.divergence(profile):
            assert game.private_records(after) > game.private_records(profile)
            found += 1
    assert found > 0


@given(games_with_profiles(), st.sampled_from([0.0, 0.05]))
def test_helpers_restore_what_they_say(case, delta):
    game, profile = case
    game = pb.NVOGame(game.counts, game.kernel, epsilon=game.epsilon, delta=delta)
    kernel, frequency, mass, n, limits = known(game)
    goal = game.private_records(profile)
    for k, v, w, size in list(moves(game, profile))[:6]:
        after = profile.copy()
        after[k, v] -= size
        after[k, w] += size
        _kernels.mixture(after, kernel, mass)
        held = after[k, w]
        trial = np.empty(game.bins)
        reached = _kernels.call_helpers(
            after, kernel, frequency, mass, n, limits, goal, k, w, trial
        )
        assert after[k, w] >= held  # whoever is committed stays
        assert_array_equal(after.sum(axis=1), game.counts)
        if reached:
            assert game.private_records(after) >= goal


@given(games_with_profiles(), st.sampled_from([0.0, 0.05]))
def test_commitments_that_are_kept_improve_the_payoff(case, delta):
    game, profile = case
    game = pb.NVOGame(game.counts, game.kernel, epsilon=game.epsilon, delta=delta)
    start = pb.best_response_dynamics(game, profile).profile
    after = start.copy()
    kept = _kernels.commitment_sweep(after, *known(game), 0.05 * game.divergence(start))
    before = game.private_records(start), -game.divergence(start)
    if kept:
        assert (game.private_records(after), -game.divergence(after)) > before
    else:
        assert_array_equal(after, start)


# --- compilation -------------------------------------------------------------------------------


@compiled
def test_no_kernel_is_compiled_for_two_signatures():
    game = pb.NVOGame([3, 0, 1], pb.laplace_kernel(3, [0.1, 1.0]), epsilon=1.0)
    pb.coordinated_best_response(game)
    game.regret(game.constant_profile(0))
    for kernel in vars(_kernels).values():
        if hasattr(kernel, "signatures"):
            assert "Literal" not in str(kernel.signatures), kernel.__name__
