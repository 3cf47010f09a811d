"""Instance-wise noise: the environment against the definition, step by step."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from hypothesis import given
from hypothesis import strategies as st

import pdpbook as pb
from pdpbook.beyond import instance_wise as iw
from tests import naive

VARIANTS = list(product(iw.READINGS, ["record", "all"], ["silent", "laplace"]))
VALUES = [1.0, 1.0, 2.0, 2.0, 2.0, 3.5, 4.0, 4.0]


def small_env(**options: Any) -> iw.InstanceWiseNoise:
    """Eight records in four bins."""
    return iw.InstanceWiseNoise(iw.instance_wise_game(VALUES, epsilon=0.8, bins=4), **options)


@pytest.fixture(scope="module")
def heights() -> np.ndarray:
    return pb.load_heights()["height"]


@pytest.mark.parametrize(("reading", "privacy", "before"), VARIANTS)
def test_gymnasium_accepts_the_environment(
    heights: np.ndarray, reading: str, privacy: str, before: str
) -> None:
    game = iw.instance_wise_game(heights, reading=reading)
    check_env(iw.InstanceWiseNoise(game, privacy=privacy, before=before), skip_render_check=True)


@pytest.mark.parametrize(("reading", "privacy", "before"), VARIANTS)
@given(data=st.data())
def test_every_step_is_what_the_definition_says(
    data: st.DataObject, reading: str, privacy: str, before: str
) -> None:
    some = st.lists(st.sampled_from([0.0, 0.3, 0.35, 0.9, 1.0]), min_size=1, max_size=7)
    values = [0.0, 1.0, *data.draw(some)]
    epsilon = data.draw(st.floats(0.05, 2.0))
    game = iw.instance_wise_game(values, epsilon=epsilon, reading=reading, bins=5)
    env = iw.InstanceWiseNoise(game, privacy=privacy, before=before)
    state, _ = env.reset(seed=data.draw(st.integers(0, 2**31 - 1)))
    n = game.records
    waiting = np.eye(5) if before == "silent" else pb.laplace_kernel(5, [1 / epsilon])[0]
    kernel = np.concatenate([game.kernel, waiting[None]])
    bins, actions = np.empty(n, dtype=int), np.full(n, game.actions)
    left = list(np.repeat(np.arange(5), game.counts))
    for turn in range(n):
        bins[turn:] = left  # those to come, in any order: they have the same noise
        k, action = env.bin, data.draw(st.integers(0, 4))
        left.remove(k)
        bins[turn], bins[turn + 1 :] = k, left
        actions[turn] = action
        expected = env.preview()[action]
        state, reward, over, truncated, info = env.step(action)
        losses = naive.privacy_losses(bins, actions, kernel)
        output = kernel[actions, bins].mean(axis=0)
        q = game.frequency
        divergence = (q[q > 0] * np.log(q[q > 0] / output[q > 0])).sum()
        relevant = losses[turn] if privacy == "record" else losses.max()
        if abs(relevant - epsilon) > 1e-9 * epsilon:  # not on the boundary
            assert info["private"] == (relevant <= epsilon)
        assert info["divergence"] == pytest.approx(divergence, abs=1e-12)
        utility = 1 - divergence / env.baseline if divergence < env.baseline else -1.0
        if abs(divergence / env.baseline - 1) > 1e-9:
            assert reward == pytest.approx((1 if info["private"] else -1) + utility, abs=1e-9)
        assert reward == pytest.approx(expected, abs=1e-9)
        assert np.allclose(state[env.encoding :], output, atol=1e-7)
        assert (over, truncated) == (turn == n - 1, False)
    assert (env.profile.sum(axis=1) == game.counts).all()
    assert (state[: env.encoding] == 0).all()


def test_the_positional_encoding_is_that_of_the_paper() -> None:
    env = small_env(shuffle=False, encoding=6)
    state, _ = env.reset()
    assert state[:6] == pytest.approx([0, 1, 0, 1, 0, 1])
    for _ in range(7):
        state, *_ = env.step(0)
    angles = 3 / 10_000 ** (np.array([0, 2, 4]) / 6)
    assert state[:6] == pytest.approx(np.stack([np.sin(angles), np.cos(angles)], axis=1).ravel())


def test_episodes_are_seeded_and_shuffled() -> None:
    env = small_env()

    def order(seed: int) -> list[int]:
        env.reset(seed=seed)
        bins = []
        for _ in range(8):
            bins.append(env.bin)
            env.step(0)
        return bins

    assert order(0) == order(0)
    assert len({tuple(order(seed)) for seed in range(20)}) > 10
    assert sorted(order(5)) == [0, 0, 1, 1, 1, 3, 3, 3]


@pytest.mark.parametrize("seed", range(10))
def test_the_myopic_agent_plays_one_pass_of_best_responses(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = np.concatenate([[0.0, 1.0], rng.beta(2, 2, size=120).round(1)])
    game = iw.instance_wise_game(values, epsilon=0.1, reading="over-epsilon", bins=21)
    env = iw.InstanceWiseNoise(game, privacy="all", before="laplace", shuffle=False)

    def look_one_step(_: np.ndarray) -> int:
        rewards = env.preview()
        return 2 if rewards[2] >= rewards.max() - 1e-12 else int(rewards.argmax())

    episode = iw.play_episode(env, look_one_step)
    start = game.constant_profile(2)
    one_pass = pb.best_response_dynamics(game, start=start, max_sweeps=1, batch=False)
    assert episode.private_records == game.records
    assert (episode.profile == one_pass.profile).all()


def test_the_two_readings_of_the_scales(heights: np.ndarray) -> None:
    printed = iw.instance_wise_game(heights, epsilon=0.02)
    over = iw.instance_wise_game(heights, epsilon=0.02, reading="over-epsilon")
    assert printed.scales == pytest.approx([150, 100, 0.5, 0.005, 0.0005])
    assert over.scales == pytest.approx([150, 100, 50, 0.5, 0.05])
    padded = iw.instance_wise_game(heights, epsilon=0.02, grid_epsilon=1.0)
    assert padded.scales == pytest.approx(padded.grid.sensitivity * printed.scales)


def test_the_laplace_mechanism_is_a_constant_profile(heights: np.ndarray) -> None:
    game = iw.instance_wise_game(heights, reading="over-epsilon", grid_epsilon=1.0)
    alone = game.evaluate(game.constant_profile(2)).divergence
    assert iw.laplace_divergence(game) == pytest.approx(alone, rel=1e-12)


def test_no_step_is_made_before_a_reset_or_after_the_end() -> None:
    env = small_env()
    with pytest.raises(RuntimeError, match="reset"):
        env.step(0)
    with pytest.raises(RuntimeError, match="reset"):
        _ = env.bin
    env.reset(seed=0)
    with pytest.raises(ValueError, match="action must be a whole number <= 4, got"):
        env.step(5)
    assert env.profile.sum() == 0, "a refused step must change nothing"
    for _ in range(8):
        env.step(1)
    with pytest.raises(RuntimeError, match="reset"):
        _ = env.bin
    with pytest.raises(RuntimeError, match="over"):
        env.step(1)
    with pytest.raises(RuntimeError, match="over"):
        env.preview()
