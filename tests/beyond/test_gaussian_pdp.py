"""Tests of the game with a delta: the hockey stick, its equilibria, the two theorems."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pdpbook as pb
from tests import naive


@st.composite
def populations(draw: st.DrawFn) -> tuple[np.ndarray, int, float]:
    """Rows of n records on up to six outputs, and a target."""
    bins, n = draw(st.integers(2, 6)), draw(st.integers(2, 9))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kernel = pb.gaussian_kernel(bins, draw(st.lists(st.floats(0.03, 3.0), min_size=1, max_size=3)))
    rows = kernel[rng.integers(len(kernel), size=n), rng.integers(bins, size=n)]
    return rows, n, draw(st.floats(0.005, 3.0))


@st.composite
def games(draw: st.DrawFn) -> pb.NVOGame:
    """A small game with a delta between 1e-4 and 1."""
    counts = draw(st.lists(st.integers(0, 3), min_size=2, max_size=5))
    counts[0] += max(2 - sum(counts), 0)
    sigmas = draw(st.lists(st.floats(0.05, 2.0), min_size=1, max_size=3))
    kernel = pb.gaussian_kernel(len(counts), sigmas)
    delta = 10 ** draw(st.floats(-4, -0.5))
    return pb.NVOGame(counts, kernel, epsilon=draw(st.floats(0.02, 2.0)), delta=delta)


@given(populations())
def test_the_hockey_stick_is_the_worst_of_all_events(case):
    rows, n, epsilon = case
    mass = rows.sum(axis=0)
    ours = pb.beyond.hockey_stick_divergences(rows, mass, n, epsilon)
    assert ours == pytest.approx(
        [naive.hockey_stick(row, mass, n, epsilon) for row in rows], abs=1e-12
    )


@given(populations())
def test_one_in_n_promises_nothing(case):
    rows, n, epsilon = case
    assert (
        pb.beyond.hockey_stick_divergences(rows, rows.sum(axis=0), n, epsilon) <= 1 / n + 1e-12
    ).all()
    noiseless = np.eye(n)  # everybody alone: as bad as it gets
    if epsilon >= math.log(n / (n - 1)):
        worst = pb.beyond.hockey_stick_divergences(noiseless, np.ones(n), n, epsilon)
        assert worst == pytest.approx(np.full(n, 1 / n))


def payoff_pair(game: pb.NVOGame, profile: np.ndarray) -> tuple[int, float]:
    """P_E and -KL, privacy by the worst of all events."""
    mass = game.evaluate(profile).mass
    private = sum(
        profile[k, v]
        for k, v in np.argwhere(profile)
        if naive.hockey_stick(game.kernel[v, k], mass, game.records, game.epsilon)
        <= game.delta * (1 + 1e-9)
    )
    return int(private), -game.evaluate(profile).divergence


@settings(max_examples=50)
@given(games(), st.integers(0, 2**32 - 1), st.booleans())
def test_best_responses_end_at_a_verified_equilibrium(game, seed, batch):
    start = game.random_profile(rng=np.random.default_rng(seed))
    result = pb.best_response_dynamics(game, start=start, batch=batch)
    assert result.converged
    assert game.evaluate(result.profile).is_nash()
    assert (np.diff(result.private_counts) >= 0).all()
    private, utility = payoff_pair(game, result.profile)
    assert private == result.private_counts[-1]
    for k, v in np.argwhere(result.profile):
        for w in range(game.actions):
            changed = result.profile.copy()
            changed[k, v] -= 1
            changed[k, w] += 1
            there = payoff_pair(game, changed)
            assert there[0] < private or (there[0] == private and there[1] <= utility + 1e-11)


@settings(max_examples=60)
@given(st.integers(2, 40), st.floats(0.02, 3.0), st.integers(2, 30), st.integers(0, 2**32 - 1))
def test_above_the_bound_every_profile_is_private(n, epsilon, bins, seed):
    rng = np.random.default_rng(seed)
    safe = math.sqrt(pb.scale_bound(n, epsilon) / 2)
    kernel = pb.gaussian_kernel(bins, safe * np.array([1.0, 1.2, 5.0]))
    counts = rng.multinomial(n, rng.dirichlet(np.full(bins, 0.3)))
    game = pb.NVOGame(counts, kernel, epsilon=epsilon)
    assert game.evaluate(game.random_profile(rng=rng)).private_records == n


@pytest.mark.parametrize(("n", "epsilon"), [(5, 1.0), (50, 0.3), (1317, 0.1)])
def test_the_bound_is_tight(n, epsilon):
    """One record at an end and all others at the other: half a per cent less is not enough."""
    safe = math.sqrt(pb.scale_bound(n, epsilon) / 2)
    counts = np.zeros(1000, dtype=int)
    counts[0], counts[-1] = 1, n - 1
    for factor, private in ((1.0, True), (0.99, False)):
        kernel = pb.gaussian_kernel(1000, [factor * safe])
        game = pb.NVOGame(counts, kernel, epsilon=epsilon)
        assert (game.evaluate(game.constant_profile(0)).private_records == n) is private


@pytest.mark.parametrize("delta", [0.0, 0.02, 0.1])
def test_the_solvers_of_the_chapter_find_the_optimum_with_a_delta(delta):
    kernel = pb.gaussian_kernel(5, [0.07, 0.28, 1.4])
    game = pb.NVOGame([0, 4, 2, 0, 1], kernel, epsilon=1.0, delta=delta)
    truth = naive.private_optimum(game)
    proof = pb.certified_optimum(game, relative_gap=1e-4)
    assert proof.lower_bound <= truth + 1e-12
    assert proof.divergence == pytest.approx(truth, rel=1e-4)
    assert pb.coordinated_best_response(game).divergence >= truth - 1e-12
