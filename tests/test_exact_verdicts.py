"""Who is private is decided without rounding, and the dynamics keep to their theorems.

The twin is the definition between whole numbers, with fractions on both sides of e**epsilon.  The
games are random, and adversarial: epsilon or delta is a double next to what some record needs.
``PDPBOOK_GAMES=10000`` tries as many.
"""

import json
import math
import os
from pathlib import Path

import numpy as np
import pytest

import pdpbook as pb
from tests import naive

GAMES = int(os.environ.get("PDPBOOK_GAMES", "100"))
FOUND = json.loads((Path(__file__).parent / "games_decided_by_rounding.json").read_text())


def random_kernel(rng: np.random.Generator, kind: int, actions: int, bins: int) -> np.ndarray:
    """Laplace rows, rows of any kind, of all sizes and with zeros, and of small fractions."""
    own = np.eye(bins)
    if kind == 0:
        return pb.laplace_kernel(bins, 10 ** rng.uniform(-3.0, 1.0, actions))
    if kind == 1:
        rows = rng.dirichlet(np.ones(bins), (actions, bins)) + 1e-9 * own
    elif kind == 2:
        rows = 10 ** rng.uniform(-18.0, 0.0, (actions, bins, bins))
        rows *= rng.random(rows.shape) < 0.8
        rows += 1e-3 * own * rng.random(rows.shape) + 1e-16 * own
    else:
        rows = rng.integers(0, 3, (actions, bins, bins)) + own
    return rows / rows.sum(axis=2, keepdims=True)


def random_targets(game: pb.NVOGame, profile: np.ndarray, rng: np.random.Generator):
    """Pairs (epsilon, delta), some of which decide by the last digit, for this profile."""
    losses = game.evaluate(profile).losses[profile > 0]
    losses = losses[np.isfinite(losses) & (losses > 0.0)]
    yield game.epsilon, 0.0
    if losses.size:
        edge = float(rng.choice(losses))
        yield math.nextafter(edge, rng.choice([0.0, math.inf])), 0.0
        yield edge * (1.0 - 1.2e-16 * rng.integers(100)), 0.0
    rows = [game.kernel[v, k] for k, v in np.argwhere(profile)]
    mass = game.evaluate(profile).mass
    delta = pb.beyond.hockey_stick_divergences(rows, mass, game.records, game.epsilon).max()
    delta *= 1.0 + 1.2e-16 * rng.integers(-5, 6)
    yield game.epsilon, min(float(delta), 0.9)


def random_cases(seed: int):
    """A random game and profile, once with each of several targets."""
    rng = np.random.default_rng([37, seed])
    bins, actions = int(rng.integers(2, 6)), int(rng.integers(1, 4))
    counts = rng.integers(0, 4, bins) * rng.choice([1, 1, 1, 10**3, 10**9, 10**14])
    counts[0] += max(0, 2 - counts.sum())
    epsilon = rng.choice(
        [
            rng.uniform(0.001, 3.0),
            rng.uniform(3.0, 40.0),
            10 ** rng.uniform(-17.0, -1.0),
            -math.log1p(-1.0 / counts.sum()),
            10 ** rng.uniform(1.0, 300.0),
        ]
    )
    game = pb.NVOGame(counts, random_kernel(rng, seed % 4, actions, bins), epsilon=float(epsilon))
    profile = game.random_profile(rng=rng)
    for epsilon, delta in random_targets(game, profile, rng):
        yield pb.NVOGame(counts, game.kernel, epsilon=epsilon, delta=delta), profile


def twin(game: pb.NVOGame, profile: np.ndarray) -> np.ndarray:
    """Which groups are private, by the definition."""
    return naive.private_groups(profile, game.kernel, game.epsilon, game.delta)


def check_dynamics(game: pb.NVOGame, start: np.ndarray, *, batch: bool = True) -> None:
    """P_E never falls, the run comes to rest, and its end is what it says."""
    result = pb.best_response_dynamics(game, start=start, batch=batch)
    assert result.converged
    assert (np.diff(result.private_counts) >= 0).all() and (result.private_counts >= 0).all()
    assert result.private_counts[0] == start[twin(game, start)].sum()
    assert result.private_records == result.profile[twin(game, result.profile)].sum()
    assert game.evaluate(result.profile).is_nash()


@pytest.mark.parametrize("part", range(10))
def test_no_verdict_differs_from_the_definition(part):
    seen = set()
    for seed in range(part, GAMES, 10):
        for game, profile in random_cases(seed):
            outcome, expected = game.evaluate(profile), twin(game, profile)
            assert np.array_equal(outcome.private, expected), (seed, game.epsilon, game.delta)
            present = profile > 0
            if game.delta == 0.0:
                losses = outcome.losses[present]
                assert np.array_equal(losses <= game.epsilon, expected[present]), seed
            if game.records < 10**5:  # with more, privacy may let records go one by one
                check_dynamics(game, profile, batch=game.records > 100 or seed % 2 == 0)
            seen.add((game.delta > 0.0, bool(expected[present].all()), bool(expected.any())))
    assert len(seen) >= 4


@pytest.mark.parametrize("found", FOUND, ids=[game["what"] for game in FOUND])
@pytest.mark.parametrize("batch", [True, False])
def test_games_that_rounding_decided(found, batch):
    """In each of them a count of -1 was once written down, and one of them never ended."""
    game = pb.NVOGame(found["counts"], found["kernel"], epsilon=found["epsilon"])
    check_dynamics(game, np.array(found["start"]), batch=batch)


def test_every_output_of_laplace_noise_is_reached_and_judged():
    """The masses of 93 of 101 outputs once underflowed and were skipped."""
    kernel = pb.laplace_kernel(101, [9.90099e-5, 9.950495e-5])
    game = pb.NVOGame([1000] + [0] * 100, kernel, epsilon=1.0)
    profile = game.constant_profile(0)
    profile[0] = 999, 1
    outcome = game.evaluate(profile)
    assert outcome.mass.min() * 2**52 == 1000.0  # a unit of each record
    assert np.array_equal(outcome.private, twin(game, profile))
    assert (game.weights.sum(axis=2) == 2**52).all() and game.weights.min() == 1


@pytest.mark.parametrize("epsilon", [12.0, 20.0, 30.0, 34.0, 36.0])
def test_a_large_epsilon_is_not_exceeded(epsilon):
    """Two records, one of which comes out where the other hardly does."""
    rng, seen = np.random.default_rng(int(epsilon)), set()
    for _ in range(300):
        off = rng.uniform(-1.0, 1.0) * rng.choice([1e-13, 1e-11, 0.1])
        rare = 0.35 * math.exp(-epsilon) * (1.0 + off)
        kernel = [[[1.0 - rare, rare], [0.3, 0.7]]]
        game = pb.NVOGame([1, 1], kernel, epsilon=epsilon)
        outcome = game.evaluate(game.constant_profile(0))
        assert np.array_equal(outcome.private, twin(game, outcome.profile))
        assert np.array_equal(outcome.losses <= epsilon, outcome.private)
        seen.add(int(outcome.private_records))
    assert len(seen) > 1 or epsilon > 33.0  # where a single unit is too much or too little


def test_a_loss_is_a_bound_on_the_exact_one():
    rng = np.random.default_rng(5)
    for seed in range(40):
        game, profile = next(random_cases(4 * seed + int(rng.integers(4))))
        losses = game.evaluate(profile).losses
        for k, v in np.argwhere(profile):
            if 0.0 < losses[k, v] < math.inf:
                assert naive.private_groups(profile, game.kernel, float(losses[k, v]))[k, v]
