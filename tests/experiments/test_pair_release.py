"""Pairs of features: the draws, and what a pair costs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pdpbook as pb
from pdpbook.experiments import pair_release as pairs
from pdpbook.per_instance.noise_kernels import product_kernel


def game_of(seed=0, n=40, bins=9):
    data = np.random.default_rng(seed).normal(size=n)
    return data, pb.NVOGame.from_data(data, epsilon=1.0, bins=bins)


def test_record_rows_add_up_to_the_mass_and_follow_the_profile():
    data, game = game_of()
    profile = game.random_profile(rng=np.random.default_rng(1))
    rows = pairs.record_rows(game, data, profile, rng=np.random.default_rng(2))
    np.testing.assert_allclose(rows.sum(axis=0), game.evaluate(profile).mass)
    places = game.grid.index(data)
    for k in np.unique(places):
        for v in range(game.actions):
            same = (rows[places == k] == game.kernel[v, k]).all(axis=1)
            assert same.sum() == profile[k, v]


def test_draws_follow_the_joint_distribution():
    rng = np.random.default_rng(5)
    first, second = rng.dirichlet(np.ones(3), 4), rng.dirichlet(np.ones(2), 4)
    size = 200_000
    x, y = pairs._draw_pairs(first, second, size, rng)
    expected = first.T @ second / 4
    seen = np.bincount(2 * x + y, minlength=6).reshape(3, 2) / size
    # Six cells, each within five standard errors: a false alarm in 3.5e-6 of all seeds.
    error = np.abs(seen - expected) / np.sqrt(expected * (1 - expected) / size)
    assert error.max() < 5
    # The product of the margins, a wrong model, is rejected.
    wrong = np.outer(expected.sum(axis=1), expected.sum(axis=0))
    assert (np.abs(seen - wrong) / np.sqrt(wrong * (1 - wrong) / size)).max() > 5


def test_pair_losses_are_those_of_the_definition():
    rng = np.random.default_rng(6)
    first, second = rng.dirichlet(np.ones(4), 7), rng.dirichlet(np.ones(3), 7)
    joint = np.einsum("ix,iy->ixy", first, second)
    whole = joint.mean(axis=0)
    for i, loss in enumerate(pairs.pair_losses(first, second)):
        without = np.delete(joint, i, axis=0).mean(axis=0)
        assert loss == pytest.approx(np.abs(np.log(whole / without)).max(), rel=1e-9)


def test_a_pair_that_another_record_hardly_reaches_has_a_large_and_finite_loss():
    first, second = np.array([[0.5, 0.5], [1.0 - 2.0**-44, 2.0**-44]]), np.ones((2, 1))
    expected = np.log((0.5 + 2.0**-44) / 2.0 / 2.0**-44)
    assert pairs.pair_losses(first, second).max() == pytest.approx(expected, rel=1e-12)


def test_pair_losses_agree_with_the_game_on_the_product_grid():
    rng = np.random.default_rng(8)
    one = pb.laplace_kernel(4, [0.1, 0.5])
    two = pb.laplace_kernel(3, [0.2])
    k, j, v = rng.integers(4, size=30), rng.integers(3, size=30), rng.integers(2, size=30)
    game = pb.NVOGame(np.bincount(3 * k + j, minlength=12), product_kernel(one, two), epsilon=0.5)
    profile = np.zeros((12, 2), dtype=np.int64)
    np.add.at(profile, (3 * k + j, v), 1)
    losses = pairs.pair_losses(one[v, k], two[0, j])
    np.testing.assert_allclose(losses, game.evaluate(profile).losses[3 * k + j, v], rtol=1e-9)


@pytest.mark.parametrize("n", [2, 3])
def test_equal_records_lose_nothing_on_a_grid_that_nobody_else_reaches(n):
    rows = np.tile([0.25, 0.75, 0.0], (n, 1))
    assert pairs.pair_losses(rows, rows) == pytest.approx(np.zeros(n), abs=1e-12)


@given(st.integers(0, 10_000), st.integers(2, 12))
def test_a_coordinate_never_loses_more_than_the_pair(seed, n):
    rng = np.random.default_rng(seed)
    first, second = rng.dirichlet(np.ones(3), n), rng.dirichlet(np.ones(3), n)
    alone = pb.privacy_losses(first, first.sum(axis=0), n)
    assert (alone <= pairs.pair_losses(first, second) + 1e-9).all()


def test_noisy_copies_have_the_stated_noise():
    data = np.tile([0.0, 2.0], 100_000)
    noise = pairs.noisy_copies(data, epsilon=4.0, rng=np.random.default_rng(1)) - data
    # E|noise| = scale = 1/2 with standard error 0.5/447; five of them: a false alarm in 6e-7.
    assert np.abs(noise).mean() == pytest.approx(0.5, abs=5 * 0.5 / 447)
