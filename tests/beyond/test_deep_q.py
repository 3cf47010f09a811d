"""The deep Q-network: its parts, its training, and the committed run.

Training is random, but seeded.  What a test asserts about a trained network holds by a wide margin.
"""

import copy

import numpy as np
import pytest

import pdpbook as pb
from pdpbook.beyond import deep_q as dq
from pdpbook.beyond import instance_wise as iw


@pytest.fixture(scope="module")
def heights() -> np.ndarray:
    return pb.load_heights()["height"]


def test_the_network_moves_towards_the_targets_of_the_actions_taken() -> None:
    rng = np.random.default_rng(0)
    states = rng.normal(size=(64, 6)).astype(np.float32)
    actions = rng.integers(3, size=64)
    targets = states[:, 0] + actions
    network = dq.QNetwork(6, 3, seed=1)
    frozen = copy.deepcopy(network)
    at_first = network.values(states)
    for _ in range(500):
        network._learn(states, actions, targets)
    rows = np.arange(64)
    error = np.abs(network.values(states)[rows, actions] - targets).mean()
    assert error < 0.05 < np.abs(at_first[rows, actions] - targets).mean()
    assert (frozen.values(states) == at_first).all(), "a copy must not learn"
    assert network.choose(states[0]) == network.values(states[:1]).argmax()


def test_the_values_of_actions_not_taken_are_their_own_targets(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    network = dq.QNetwork(6, 3, seed=1)
    states = np.random.default_rng(0).normal(size=(4, 6)).astype(np.float32)
    given: list[np.ndarray] = []
    monkeypatch.setattr(network.regressor, "partial_fit", lambda x, y: given.extend([x, y]))
    network._learn(states, np.array([0, 2, 1, 0]), np.array([5.0, 6.0, 7.0, 8.0]))
    wanted = network.values(states)
    wanted[range(4), [0, 2, 1, 0]] = [5.0, 6.0, 7.0, 8.0]
    assert (given[0] == states).all() and (given[1] == wanted).all()


def test_a_network_follows_another_one() -> None:
    slow, fast = dq.QNetwork(6, 3, seed=1), dq.QNetwork(6, 3, seed=2)
    first, there = slow.regressor.coefs_[0].copy(), fast.regressor.coefs_[0]
    slow._follow(fast, 0.25)
    assert slow.regressor.coefs_[0] == pytest.approx(0.75 * first + 0.25 * there, abs=1e-6)
    slow._follow(fast, 1.0)
    states = np.ones((1, 6), dtype=np.float32)
    assert slow.values(states) == pytest.approx(fast.values(states), abs=1e-5)


def test_replay_overwrites_the_oldest() -> None:
    memory = dq._Replay(5, 1)
    for i in range(4):
        states = np.full((2, 1), i, dtype=np.float32)
        memory.add(states, np.array([i, i]), np.zeros(2), states, done=i == 3)
    assert sorted(memory.actions) == [1, 2, 2, 3, 3]
    assert (memory.going_on[memory.actions == 3] == 0).all() and memory.going_on.sum() == 3
    assert set(memory.draw(1000, np.random.default_rng(0))) == set(range(5))


def test_the_future_is_valued_by_the_target_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """A twin of the target network follows along from outside; the targets are made with it."""
    drawn: list[tuple[dq._Replay, np.ndarray]] = []
    twins: list[dq.QNetwork] = []
    apart: list[float] = []
    draw, learn = dq._Replay.draw, dq.QNetwork._learn

    def remembered(memory: dq._Replay, size: int, rng: np.random.Generator) -> np.ndarray:
        rows = draw(memory, size, rng)
        drawn.append((memory, rows))
        return rows

    def checked(
        network: dq.QNetwork, states: np.ndarray, actions: np.ndarray, targets: np.ndarray
    ) -> None:
        if not twins:
            twins.append(copy.deepcopy(network))
        memory, rows = drawn[-1]
        after, going_on = memory.after[rows], 0.9 * memory.going_on[rows]
        expected, online = (
            memory.rewards[rows] + going_on * judge.values(after).max(axis=1)
            for judge in (twins[0], network)
        )
        np.testing.assert_allclose(targets, expected, rtol=1e-6, atol=1e-9)
        apart.append(float(np.abs(online - expected).max()))
        learn(network, states, actions, targets)
        twins[0]._follow(network, 0.25)

    monkeypatch.setattr(dq._Replay, "draw", remembered)
    monkeypatch.setattr(dq.QNetwork, "_learn", checked)
    game = iw.instance_wise_game([1.0, 2.0, 2.0, 4.0], epsilon=1.0, bins=4)
    result = dq.train(
        lambda: iw.InstanceWiseNoise(game),
        rng=np.random.default_rng(0),
        rounds=3,
        batch_size=8,
        learn_every=1,
        discount=0.9,
        follow=0.25,
    )
    assert len(apart) == 12
    assert apart[0] == 0.0 and min(apart[2:]) > 1e-4, "the two networks have to differ"
    states = np.ones((1, twins[0].regressor.n_features_in_), dtype=np.float32)
    assert result.network.values(states) == pytest.approx(twins[0].values(states), rel=1e-6)


def test_training_learns_is_repeatable_and_silent(capfd: pytest.CaptureFixture[str]) -> None:
    values = np.repeat([0.0, 1.0, 2.0, 3.0], [2, 30, 26, 2])
    game = iw.instance_wise_game(values, epsilon=0.2, bins=8)

    def run(rounds: int = 12, progress: bool = False) -> dq.Training:
        return dq.train(
            lambda: iw.InstanceWiseNoise(game),
            rng=np.random.default_rng(3),
            rounds=rounds,
            copies=4,
            batch_size=64,
            learn_every=1,
            progress=progress,
        )

    first, second = run(), run()
    assert capfd.readouterr() == ("", "")
    assert (first.returns == second.returns).all()
    assert [e.divergence for e in first.tests] == [e.divergence for e in second.tests]
    assert first.exploration.shape == first.returns.shape == first.private_counts.shape == (12, 4)
    assert (first.exploration[0] == 1).all()
    assert first.exploration[1] == pytest.approx(np.geomspace(0.5, 0.005, 4))
    assert first.best.rewards.sum() == max(e.rewards.sum() for e in first.tests)
    assert first.best.rewards.sum() > first.returns[0].mean() + 2 * first.returns[0].std()
    run(1, progress=True)
    assert "training" in capfd.readouterr().err


def test_the_committed_run_is_consistent(heights: np.ndarray) -> None:
    curve, table = dq.committed_run("curve"), dq.committed_run("profiles")
    for reading in iw.READINGS:
        game = iw.instance_wise_game(heights, reading=reading)
        run, rows = curve[curve.reading == reading], table[table.reading == reading]
        profile = np.zeros((game.bins, game.actions), dtype=int)
        profile[rows.bin, rows.action] = rows.records
        best = run.loc[run["return"].idxmax()]
        assert (profile.sum(axis=1) == game.counts).all()
        assert game.evaluate(profile).divergence == pytest.approx(best.divergence, abs=1e-6)
        assert game.evaluate(profile).private_records == best.private
        assert (run.divergence >= 0).all() and (run.private <= game.records).all()


def test_the_committed_bounds_bound(heights: np.ndarray) -> None:
    bounds = dq.committed_run("bounds").fillna({"grid_epsilon": 0.0})
    assert len(bounds) == 4
    curve = dq.committed_run("curve")
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
