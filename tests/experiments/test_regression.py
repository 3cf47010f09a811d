"""Regression on released data: the network, the draws, and what they cost."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pdpbook as pb
from pdpbook.experiments import regression as reg
from pdpbook.per_instance.noise_kernels import product_kernel


def test_the_network_has_ten_parameters_and_learns_a_bend():
    x = np.linspace(-1.0, 1.0, 80)
    y = np.abs(x)
    network = reg.fit_network(x, y, rng=np.random.default_rng(0))
    assert network.parameters == 10
    assert network.rmse(x, y) < 0.2 * y.std()
    assert network.predict([0.0]).shape == (1,)


def test_the_same_generator_gives_the_same_network():
    x = np.arange(30.0)
    first, second = (reg.fit_network(x, x, rng=np.random.default_rng(4)) for _ in range(2))
    np.testing.assert_array_equal(first.predict(x), second.predict(x))


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        ([1.0, 2.0], [1.0], "y must hold at least 2"),
        ([1.0, 2.0, 3.0], [1.0, 2.0], "x and y must have the same length, got 3 and 2"),
        ([1.0, math.nan], [1.0, 2.0], "x must be finite"),
    ],
)
def test_bad_training_data_are_refused(x, y, message):
    with pytest.raises(ValueError, match=message):
        reg.fit_network(x, y, rng=np.random.default_rng(0))


def game_of(seed=0, n=40, bins=9):
    data = np.random.default_rng(seed).normal(size=n)
    return data, pb.NVOGame.from_data(data, epsilon=1.0, bins=bins)


def test_record_rows_add_up_to_the_mass_and_follow_the_profile():
    data, game = game_of()
    profile = game.random_profile(np.random.default_rng(1))
    rows = reg.record_rows(game, data, profile, rng=np.random.default_rng(2))
    np.testing.assert_allclose(rows.sum(axis=0), game.mass(profile))
    places = game.grid.index(data)
    for k in np.unique(places):
        for v in range(game.actions):
            same = (rows[places == k] == game.kernel[v, k]).all(axis=1)
            assert same.sum() == profile[k, v]


def test_draws_follow_the_joint_distribution():
    rng = np.random.default_rng(5)
    first, second = rng.dirichlet(np.ones(3), 4), rng.dirichlet(np.ones(2), 4)
    size = 200_000
    x, y = reg.sample_pairs(first, second, size, rng=rng)
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
    for i, loss in enumerate(reg.pair_losses(first, second)):
        without = np.delete(joint, i, axis=0).mean(axis=0)
        assert loss == pytest.approx(np.abs(np.log(whole / without)).max(), rel=1e-9)


def test_pair_losses_agree_with_the_game_on_the_product_grid():
    rng = np.random.default_rng(8)
    one = pb.laplace_kernel(4, [0.1, 0.5])
    two = pb.laplace_kernel(3, [0.2])
    k, j, v = rng.integers(4, size=30), rng.integers(3, size=30), rng.integers(2, size=30)
    game = pb.NVOGame(np.bincount(3 * k + j, minlength=12), product_kernel(one, two), epsilon=0.5)
    profile = np.zeros((12, 2), dtype=np.int64)
    np.add.at(profile, (3 * k + j, v), 1)
    losses = reg.pair_losses(one[v, k], two[0, j])
    np.testing.assert_allclose(losses, game.losses(profile)[3 * k + j, v], rtol=1e-9)


@pytest.mark.parametrize("n", [2, 3])
def test_equal_records_lose_nothing_on_a_grid_that_nobody_else_reaches(n):
    rows = np.tile([0.25, 0.75, 0.0], (n, 1))
    assert reg.pair_losses(rows, rows) == pytest.approx(np.zeros(n), abs=1e-12)


def test_bad_arguments_are_named():
    x, rng = np.arange(5.0), np.random.default_rng(0)
    network = reg.fit_network(x, x, rng=rng)
    with pytest.raises(ValueError, match="x and y must have the same length, got 3 and 1"):
        network.rmse([1.0, 2.0, 3.0], [1.0])
    with pytest.raises(ValueError, match="x and y must have the same length, got 5 and 4"):
        reg.game_pairs(x, x[:4], 3, epsilon=1.0, rng=rng)
    with pytest.raises(ValueError, match="first and second must have the same length"):
        reg.sample_pairs(np.eye(3), np.eye(2), 3, rng=rng)
    with pytest.raises(ValueError, match="bins must be"):
        reg.noisy_histogram_pairs(x, x, 3, epsilon=1.0, rng=rng, bins=0)
    with pytest.raises(ValueError, match="seeds must hold at least one seed"):
        reg.regression_table(x, x, epsilons=[1.0], seeds=[])
    with pytest.raises(ValueError, match=r"settings must be among .* got \['x'\]"):
        reg.regression_table(x, x, epsilons=[1.0], seeds=[0], settings=["x"])


@given(st.integers(0, 10_000), st.integers(2, 12))
def test_a_coordinate_never_loses_more_than_the_pair(seed, n):
    rng = np.random.default_rng(seed)
    first, second = rng.dirichlet(np.ones(3), n), rng.dirichlet(np.ones(3), n)
    alone = pb.privacy_losses(first, first.sum(axis=0), n)
    assert (alone <= reg.pair_losses(first, second) + 1e-9).all()


@given(st.integers(0, 10_000), st.integers(3, 200), st.floats(0.05, 5.0))
def test_theorem_on_safe_scales_for_vectors(seed, n, epsilon):
    rng = np.random.default_rng(seed)
    budget = 1.0 / pb.scale_bound(n, epsilon)
    share = rng.uniform(0.1, 0.9)
    kernels = [
        pb.laplace_kernel(5, np.array([1.0, rng.uniform(1.0, 20.0)]) / (part * budget))
        for part in (share, 1.0 - share)
    ]
    counts = rng.multinomial(n, rng.dirichlet(np.full(25, 0.2)))
    game = pb.NVOGame(counts, product_kernel(*kernels), epsilon=epsilon)
    assert game.private_records(game.random_profile(rng)) == n


def test_a_product_kernel_is_the_kronecker_product_of_each_pair():
    one, two = pb.laplace_kernel(3, [0.1, 0.4]), pb.laplace_kernel(2, [0.3, 0.2, 1.0])
    product = product_kernel(one, two)
    assert product.shape == (6, 6, 6)
    for v in range(2):
        for w in range(3):
            np.testing.assert_allclose(product[3 * v + w], np.kron(one[v], two[w]))
    np.testing.assert_allclose(product.sum(axis=2), 1.0)
    with pytest.raises(ValueError, match=r"must fit into 2 GiB, got 19\.4 GiB"):
        product_kernel(*[np.broadcast_to(np.eye(101), (5, 101, 101))] * 2)
    with pytest.raises(ValueError, match="first must have shape"):
        product_kernel(np.eye(3), one)


def test_noisy_copies_have_the_stated_noise():
    data = np.tile([0.0, 2.0], 100_000)
    noise = reg.noisy_copies(data, epsilon=4.0, rng=np.random.default_rng(1)) - data
    # E|noise| = scale = 1/2 with standard error 0.5/447; five of them: a false alarm in 6e-7.
    assert np.abs(noise).mean() == pytest.approx(0.5, abs=5 * 0.5 / 447)


def test_the_table_of_the_paper_in_small():
    x = np.random.default_rng(0).normal(size=150)
    table = reg.regression_table(x, 2 * x, epsilons=[0.1, 8.0], seeds=range(2), restarts=2)
    assert (
        list(table["algorithm"])
        == ["original"] + ["BRD"] * 2 + ["Laplace"] * 2 + ["BRD"] * 2 + ["Laplace"] * 2
    )
    inferred = table[table["setting"] == "inferred"].set_index(["algorithm", "epsilon"])["rmse"]
    assert inferred["BRD", 8.0] < inferred["Laplace", 8.0] < inferred["Laplace", 0.1]
    assert (table["rmse_low"] <= table["rmse"]).all() and (
        table["rmse"] <= table["rmse_high"]
    ).all()
