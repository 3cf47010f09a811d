"""Tests of joint moves: what they propose, how near the best it is, and what it saves."""

from itertools import product

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

import pdpbook as pb
from pdpbook import _loops
from pdpbook.game import joint_move
from pdpbook.game.joint_move import joint_moves
from tests import naive_moves as naive
from tests.game.strategies import games_with_profiles

compiled = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="too slow without compilation")


def growing(n: int) -> pb.NVOGame:
    """Return the game of *A billion records* whose passes of best responses grow with n."""
    rng = np.random.default_rng(4)
    counts = rng.multinomial(n, rng.dirichlet(np.full(33, 3.0)))
    scales = pb.scale_bound(n, 1.0) / 4.0 ** np.arange(5)
    return pb.NVOGame(counts, pb.laplace_kernel(33, scales), epsilon=1.0)


@given(games_with_profiles(), st.integers(0, 6))
def test_proposals_are_profiles_with_the_actions_that_are_played(case, power):
    game, profile = case
    profile = profile * 10**power
    game = pb.NVOGame(profile.sum(axis=1), game.kernel, epsilon=game.epsilon)
    before = profile.copy()
    for proposed in joint_moves(game, profile):
        assert_array_equal(proposed.sum(axis=1), game.counts)
        assert proposed.min() >= 0
        assert not proposed[profile == 0].any()
    assert_array_equal(profile, before)


def best_of_all(game: pb.NVOGame, profile: np.ndarray) -> float:
    """Return the smallest KL of all private profiles with the actions of another one."""
    rows = []
    for own in profile:
        size, played = int(own.sum()), np.flatnonzero(own)
        ways = [way for way in product(range(size + 1), repeat=played.size) if sum(way) == size]
        rows.append([np.bincount(played, way, own.size).astype(int) for way in ways])
    ends = [naive.outcome(game, np.array(choice)) for choice in product(*rows)]
    return min(kl for private, kl in ends if private == game.records)


@pytest.mark.parametrize("seed", range(6))
def test_the_farthest_proposal_is_hardly_worse_than_the_best_profile(seed):
    rng = np.random.default_rng(seed)
    counts = rng.multinomial(24, rng.dirichlet(np.ones(3))) + 1
    game = pb.NVOGame(counts, pb.laplace_kernel(3, [0.1, 2.0]), epsilon=1.0)
    profile = np.stack([counts - counts // 2, counts // 2], axis=1)
    farthest = next(joint_moves(game, profile))
    start, end = (naive.outcome(game, each)[1] for each in (profile, farthest))
    best = best_of_all(game, profile)
    assert end - best < 0.15 * (start - best)


@pytest.mark.parametrize("epsilon", [1.0, 1e-3, 1e-9])
def test_both_bounds_of_privacy_hold_on_the_way(epsilon):
    game = pb.NVOGame([500, 300, 200], pb.laplace_kernel(3, [0.4, 50.0]), epsilon=epsilon)
    profile = np.array([[1, 499], [1, 299], [1, 199]])
    bins, actions = np.nonzero(profile)
    here = profile[bins, actions] / game.counts[bins]
    best = joint_move._best_shares(game, bins, actions, here)
    rows = game.kernel[actions, bins]
    mass = (best * game.counts[bins]) @ rows
    tau, sigma = pb.linear_limits(game.records, epsilon)
    now = profile[bins, actions] @ rows
    assert np.all(mass >= np.minimum(rows.max(axis=0) / tau, now) * (1 - 1e-6))
    if sigma > 0:
        assert np.all(mass <= np.maximum(rows.min(axis=0) / sigma, now) * (1 + 1e-6))


def test_a_profile_is_better_by_privacy_first_and_then_by_divergence():
    seen = set()
    for seed in range(200):
        rng = np.random.default_rng(seed)
        counts = rng.integers(0, 4, 4) + 1
        kernel = pb.laplace_kernel(4, [0.1, 0.5, 3.0])
        game = pb.NVOGame(counts, kernel, epsilon=0.3)
        one, other = (game.random_profile(rng=rng) for _ in range(2))
        scratch = _loops.new_scratch(game.bins)
        better = bool(_loops.is_better(game.compiled, one, other, scratch))
        here, there = naive.outcome(game, one), naive.outcome(game, other)
        assert better == ((there[0], -there[1]) > (here[0], -here[1]))
        assert not _loops.is_better(game.compiled, one, one, scratch)
        seen.add((better, there[0] == here[0]))
    assert len(seen) == 4


@compiled
def test_the_passes_of_coordinated_moves_do_not_grow_with_the_number_of_records():
    small, large = (
        pb.coordinated_best_response(game, start=game.constant_profile(0))
        for game in (growing(10**4), growing(10**6))
    )
    assert small.converged and large.converged
    assert large.sweeps < 3 * small.sweeps  # without joint moves 83 and 816


@compiled
@pytest.mark.parametrize("delta", [1e-5, 1e-3])
def test_with_a_delta_joint_moves_end_private_and_closer_to_the_data(delta, monkeypatch):
    """The bounds of the program are those of δ = 0, and exact arithmetic decides with the δ."""
    rng = np.random.default_rng(1)
    counts = rng.multinomial(4000, rng.dirichlet(np.full(12, 0.4)))
    kernel = pb.laplace_kernel(12, pb.scale_bound(4000, 1.0) / 4.0 ** np.arange(5))
    game = pb.NVOGame(counts, kernel, epsilon=1.0, delta=delta)
    start = game.constant_profile(0)
    ends = [game.evaluate(pb.coordinated_best_response(game, start=start).profile)]
    monkeypatch.setattr(joint_move, "_GROUPS", 0)  # the same search without joint moves
    ends.append(game.evaluate(pb.coordinated_best_response(game, start=start).profile))
    assert [end.private_records for end in ends] == [4000, 4000]
    assert ends[0].divergence < 0.95 * ends[1].divergence
