"""Instance-wise noise by learning: the environment against the definition, the learner, the data.

Training is random, but seeded.  What a test asserts about a trained network holds by a wide margin.
"""

import copy
import math
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from hypothesis import given
from hypothesis import strategies as st

import pdpbook as pb
from pdpbook.beyond import instance_wise as iw
from pdpbook.exercises import check
from tests import naive

VARIANTS = list(product(iw.READINGS, ["record", "all"], ["silent", "laplace"]))
VALUES = [1.0, 1.0, 2.0, 2.0, 2.0, 3.5, 4.0, 4.0]


def small_env(**options: Any) -> iw.InstanceWiseNoise:
    """Eight records in four bins."""
    return iw.InstanceWiseNoise(iw.instance_wise_game(VALUES, epsilon=0.8, bins=4), **options)


@pytest.fixture(scope="module")
def heights() -> np.ndarray:
    return pb.nba_heights()["height"]


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


def test_a_preview_changes_nothing() -> None:
    env = small_env(privacy="all", before="laplace")
    env.reset(seed=4)
    twin = copy.deepcopy(env)
    env.preview()
    assert (env._counts == twin._counts).all() and (env._mass == twin._mass).all()


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
    one_pass = pb.best_response_dynamics(game, start, max_sweeps=1, batch=False)
    assert episode.private_records == game.records
    assert (episode.profile == one_pass.profile).all()


def test_tails_survive_when_loud_records_become_quiet(heights: np.ndarray) -> None:
    """S is exact to rounding of itself even where it is far below the noise that went before."""
    game = iw.instance_wise_game(heights)
    env = iw.InstanceWiseNoise(game, before="laplace", privacy="all")
    episode = iw.play_episode(env, lambda _: 4, seed=0)
    mass = game.mass(episode.profile)
    assert mass.min() < 1e-20 and env._mass == pytest.approx(mass, rel=1e-12, abs=0.0)


def test_the_two_readings_of_the_scales(heights: np.ndarray) -> None:
    printed = iw.instance_wise_game(heights, epsilon=0.02)
    over = iw.instance_wise_game(heights, epsilon=0.02, reading="over-epsilon")
    assert printed.scales == pytest.approx([150, 100, 0.5, 0.005, 0.0005])
    assert over.scales == pytest.approx([150, 100, 50, 0.5, 0.05])
    padded = iw.instance_wise_game(heights, epsilon=0.02, grid_epsilon=1.0)
    assert padded.scales == pytest.approx(padded.grid.sensitivity * printed.scales)


def test_the_laplace_mechanism_is_a_constant_profile(heights: np.ndarray) -> None:
    game = iw.instance_wise_game(heights, reading="over-epsilon", grid_epsilon=1.0)
    alone = game.divergence(game.constant_profile(2))
    assert iw.laplace_divergence(game) == pytest.approx(alone, rel=1e-12)


def test_the_laplace_mechanism_itself_is_not_less_than_itself(heights: np.ndarray) -> None:
    game = iw.instance_wise_game(heights, reading="over-epsilon")
    env = iw.InstanceWiseNoise(game, before="laplace")
    episode = iw.play_episode(env, lambda _: 2, seed=0)
    assert (episode.rewards == 0.0).all() and episode.private_records == game.records


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"privacy": "nobody"}, "privacy must be"),
        ({"before": "loud"}, "before must be"),
        ({"encoding": 5}, "encoding must be even"),
        ({"encoding": 0}, "encoding must be"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        small_env(**options)


def test_wrong_steps_are_refused() -> None:
    env = small_env()
    with pytest.raises(RuntimeError, match="reset"):
        env.step(0)
    with pytest.raises(RuntimeError, match="reset"):
        _ = env.bin
    env.reset(seed=0)
    with pytest.raises(ValueError, match="action must be a whole number >= 0, got action=-1"):
        env.step(-1)
    for action in (5, 10**6):
        with pytest.raises(ValueError, match="action must be a whole number from 0 to 4, got"):
            env.step(action)
    for nonsense in (1.7, "1", None, True):
        with pytest.raises(TypeError, match="action must be a whole number"):
            env.step(nonsense)  # type: ignore[arg-type]
    assert env.profile.sum() == 0, "a refused step must change nothing"
    for action in (1, np.int64(1), np.int32(1), np.uint8(1)):
        env.step(action)  # type: ignore[arg-type]
    for _ in range(4):
        env.step(1)
    with pytest.raises(RuntimeError, match="reset"):
        _ = env.bin
    with pytest.raises(RuntimeError, match="over"):
        env.step(1)
    with pytest.raises(RuntimeError, match="over"):
        env.preview()


def test_wrong_games_are_refused() -> None:
    with pytest.raises(ValueError, match="reading must be 'printed' or 'over-epsilon', got"):
        iw.instance_wise_game(VALUES, reading="guessed")
    with pytest.raises(ValueError, match=r"epsilon must be .* got epsilon=nan"):
        iw.instance_wise_game(VALUES, epsilon=math.nan)
    with pytest.raises(ValueError, match="got grid=None"):
        iw.InstanceWiseNoise(pb.NVOGame([3, 1], pb.laplace_kernel(2, [0.1]), epsilon=1.0))
    with pytest.raises(ValueError, match="table must be"):
        iw.committed_run("figures")


def test_the_network_moves_towards_the_targets_of_the_actions_taken() -> None:
    rng = np.random.default_rng(0)
    states = rng.normal(size=(64, 6)).astype(np.float32)
    actions = rng.integers(3, size=64)
    targets = states[:, 0] + actions
    network = iw.QNetwork(6, 3, seed=1)
    frozen = network.copy()
    at_first = network.values(states)
    for _ in range(500):
        network.learn(states, actions, targets)
    rows = np.arange(64)
    error = np.abs(network.values(states)[rows, actions] - targets).mean()
    assert error < 0.05 < np.abs(at_first[rows, actions] - targets).mean()
    assert (frozen.values(states) == at_first).all(), "a copy must not learn"
    assert network.choose(states[0]) == network.values(states[:1]).argmax()


@pytest.mark.parametrize(("batch", "steps"), [(64, 1), (200, 1), (256, 2), (401, 3)])
def test_a_batch_is_passed_over_once_in_steps_of_at_most_200(batch: int, steps: int) -> None:
    network = iw.QNetwork(6, 3, seed=1)
    rng = np.random.default_rng(0)
    states = rng.normal(size=(batch, 6)).astype(np.float32)
    before = network.regressor._optimizer.t
    network.learn(states, rng.integers(3, size=batch), rng.normal(size=batch))
    assert network.regressor._optimizer.t - before == steps


def test_the_values_of_actions_not_taken_are_their_own_targets(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    network = iw.QNetwork(6, 3, seed=1)
    states = np.random.default_rng(0).normal(size=(4, 6)).astype(np.float32)
    given: list[np.ndarray] = []
    monkeypatch.setattr(network.regressor, "partial_fit", lambda x, y: given.extend([x, y]))
    network.learn(states, np.array([0, 2, 1, 0]), np.array([5.0, 6.0, 7.0, 8.0]))
    wanted = network.values(states)
    wanted[range(4), [0, 2, 1, 0]] = [5.0, 6.0, 7.0, 8.0]
    assert (given[0] == states).all() and (given[1] == wanted).all()


def test_a_network_follows_another_one() -> None:
    slow, fast = iw.QNetwork(6, 3, seed=1), iw.QNetwork(6, 3, seed=2)
    first, there = slow.regressor.coefs_[0].copy(), fast.regressor.coefs_[0]
    slow.follow(fast, 0.25)
    assert slow.regressor.coefs_[0] == pytest.approx(0.75 * first + 0.25 * there, abs=1e-6)
    slow.follow(fast, 1.0)
    states = np.ones((1, 6), dtype=np.float32)
    assert slow.values(states) == pytest.approx(fast.values(states), abs=1e-5)


def test_replay_overwrites_the_oldest() -> None:
    memory = iw._Replay(5, 1)
    for i in range(4):
        states = np.full((2, 1), i, dtype=np.float32)
        memory.add(states, np.array([i, i]), np.zeros(2), states, done=i == 3)
    assert sorted(memory.actions) == [1, 2, 2, 3, 3]
    assert (memory.going_on[memory.actions == 3] == 0).all() and memory.going_on.sum() == 3
    assert set(memory.draw(1000, np.random.default_rng(0))) == set(range(5))


def test_training_learns_is_repeatable_and_silent(capfd: pytest.CaptureFixture[str]) -> None:
    values = np.repeat([0.0, 1.0, 2.0, 3.0], [2, 30, 26, 2])
    game = iw.instance_wise_game(values, epsilon=0.2, bins=8)

    def run(progress: bool = False) -> iw.Training:
        return iw.train(
            lambda: iw.InstanceWiseNoise(game),
            rng=np.random.default_rng(3),
            rounds=12,
            copies=4,
            batch=64,
            learn_every=1,
            progress=progress,
        )

    first, second = run(), run()
    assert capfd.readouterr() == ("", "")
    assert (first.returns == second.returns).all()
    assert [e.divergence for e in first.tests] == [e.divergence for e in second.tests]
    assert first.exploration.shape == first.returns.shape == first.private_records.shape == (12, 4)
    assert (first.exploration[0] == 1).all()
    assert first.exploration[1] == pytest.approx(np.geomspace(0.5, 0.005, 4))
    assert first.best.rewards.sum() == max(e.rewards.sum() for e in first.tests)
    assert first.best.rewards.sum() > first.returns[0].mean() + 2 * first.returns[0].std()
    run(progress=True)
    assert "training" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"rounds": 0}, ValueError),
        ({"copies": 1.5}, TypeError),
        ({"discount": 1.0}, ValueError),
        ({"learning_rate": math.nan}, ValueError),
        ({"exploration": (1.5, 0.1)}, ValueError),
        ({"exploration": (0.5,)}, ValueError),
        ({"exploration": 0.5}, ValueError),
        ({"batch": True}, TypeError),
        ({"follow": 1.5}, ValueError),
        ({"rng": 0}, TypeError),
    ],
)
def test_wrong_settings_are_refused(options: dict[str, Any], error: type[Exception]) -> None:
    settings = {"rng": np.random.default_rng(0)} | options
    with pytest.raises(error, match=f"{next(iter(options))} must be"):
        iw.train(small_env, **settings)


def test_the_committed_run_is_consistent(heights: np.ndarray) -> None:
    curve, table = iw.committed_run("curve"), iw.committed_run("profiles")
    for reading in iw.READINGS:
        game = iw.instance_wise_game(heights, reading=reading)
        run, rows = curve[curve.reading == reading], table[table.reading == reading]
        profile = np.zeros((game.bins, game.actions), dtype=int)
        profile[rows.bin, rows.action] = rows.records
        best = run.loc[run["return"].idxmax()]
        assert (profile.sum(axis=1) == game.counts).all()
        assert game.divergence(profile) == pytest.approx(best.divergence, abs=1e-6)
        assert game.private_records(profile) == best.private
        assert (run.divergence >= 0).all() and (run.private <= game.records).all()


def test_the_committed_bounds_bound(heights: np.ndarray) -> None:
    bounds = iw.committed_run("bounds").fillna({"grid_epsilon": 0.0})
    assert len(bounds) == 4
    curve = iw.committed_run("curve")
    for row in bounds.itertuples():
        padding = row.grid_epsilon or None
        game = iw.instance_wise_game(heights, reading=row.reading, grid_epsilon=padding)
        found = pb.coordinated_best_response(game)
        assert 0 < row.lower_bound <= row.divergence <= found.divergence + 1e-6
        if padding is None:
            private = curve[(curve.reading == row.reading) & (curve.private == game.records)]
            assert (private.divergence >= row.lower_bound).all()
    over = bounds[(bounds.reading == "over-epsilon") & (bounds.grid_epsilon == 0)]
    game = iw.instance_wise_game(heights, reading="over-epsilon")
    again = pb.certified_optimum(game, relative_gap=0.001)
    assert again.lower_bound == pytest.approx(over.lower_bound.item(), rel=2e-3)
    assert again.lower_bound > 0.883


def test_the_first_round_of_the_committed_run_comes_again(heights: np.ndarray) -> None:
    """The first round is random altogether: its returns do not depend on the network."""
    curve = iw.committed_run("curve")
    game = iw.instance_wise_game(heights)
    again = iw.train(
        lambda: iw.InstanceWiseNoise(game),
        rng=np.random.default_rng(0),
        rounds=1,
        copies=16,
        batch=1,
        learn_every=10**6,
    )
    # the batch of a gradient step is drawn from the same generator, so only the law is the same
    committed = curve[(curve.reading == "printed") & (curve["round"] == 1)].practice.item()
    assert abs(again.returns.mean() - committed) < 6 * again.returns.std() / math.sqrt(8)


def test_the_command_writes_what_it_promises(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "values.csv"
    data.write_text("# a comment\nvalue,count\n1.0,20\n2.0,30\n4.0,10\n", encoding="utf-8")
    names = ("curve", "profiles", "bounds")
    paths = {name: tmp_path / f"{name}.csv" for name in names}
    options = ["--data", str(data), "--rounds", "2", "--copies", "2", "--epsilon", "0.2", "--quiet"]
    for option, name in zip(("--out", "--profiles", "--bounds"), names, strict=True):
        options += [option, str(paths[name])]
    iw.main(options)
    assert capfd.readouterr() == ("", "")
    for name in names:
        lines = paths[name].read_text(encoding="utf-8").splitlines()
        assert lines[0].startswith("# python -m pdpbook.beyond.instance_wise --data")
        assert lines[1].split(",") == list(iw.committed_run(name).columns)
    assert len(paths["curve"].read_text(encoding="utf-8").splitlines()) == 2 + 4
    with pytest.raises(SystemExit):
        iw.main(["--quiet"])


def test_the_command_reads_the_heights_of_the_package(heights: np.ndarray) -> None:
    values = iw._values(iw._data_file("experiments/data/nba_heights.csv"))
    assert (np.sort(values) == np.sort(heights)).all()


def test_the_command_reads_every_row_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "values.csv"
    path.write_text("# a comment\n\nvalue,count\n-3,2\n-1,1\n 1,3\n2.5,1\n", encoding="utf-8")
    assert iw._values(path).tolist() == [-3.0, -3.0, -1.0, 1.0, 1.0, 1.0, 2.5]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("value,count\n1,2.7\n2,1\n", r"count must hold whole numbers .*2\.7"),
        ("value,count\n1,-2\n2,4\n", "count must hold whole numbers"),
        ("value,count\n1,\n2,3\n", "could not convert"),
        ("value,count\n1,x\n2,3\n", "could not convert"),
        ("value,count\nnan,2\n2,3\n", "values must be finite"),
        ("1.0,20\n2.0,30\n", "data must be a csv file with a header"),
        ("value,count\n1,2,3\n4,5,6\n", "data must be .* two columns"),
    ],
)
def test_the_command_refuses_wrong_files(tmp_path: Path, rows: str, message: str) -> None:
    path = tmp_path / "values.csv"
    path.write_text(rows, encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        iw._values(path)


@pytest.mark.parametrize(
    ("title", "answer"),
    [
        ("honest-reward", lambda p, n, d, lap: p + 1 - d / lap),
        ("honest-reward", lambda p, n, d, lap: 2 * (p == n) - 1 + max(1 - d / lap, -1)),
        ("honest-reward", lambda p, n, d, lap: 4 * (p == n) - 2 + 1 - d / lap),
        ("to-spare", lambda n, e: np.log(1 + n * (np.exp(e) - 1)) / e),
        ("reward", lambda d, lap, p: 0 if d >= lap else (1 if p else -1) + 1 - d / lap),
        ("silence", lambda counts: np.log((1 - 1 / counts.sum()) / (1 - 1 / counts.max()))),
        ("silence", lambda counts: 0.5 * -np.log1p(-1 / counts.sum())),
    ],
)
def test_wrong_answers_are_refused_without_a_hint_too_many(title: str, answer: Any) -> None:
    verdict = check(f"instance-wise-learning/{title}", answer)
    assert not verdict and "raised" not in verdict.message


def test_another_honest_reward_is_accepted() -> None:
    assert check(
        "instance-wise-learning/honest-reward", lambda p, n, d, lap: -d if p == n else -1e9
    )
