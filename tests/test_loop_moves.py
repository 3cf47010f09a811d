"""Best responses, repairs, compound and forced moves against their slow twins."""

import math
from collections import Counter
from itertools import pairwise, product

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import pdpbook as pb
from pdpbook import _loops
from tests import naive_moves as naive
from tests.naive import all_profiles, profile_of
from tests.test_loops import exact_mass, moves, played, scratch_at

#: The fewest records that move of a larger group.
UNITS = (1, 3)


def random_games(seed: int, count: int, largest: int = 30, least: int = 2, bins: int = 4):
    """Games and profiles of which no two numbers are equal, most with some exposed and some not.

    A third has no delta.  There are rows that reach everything, rows that leave outputs out, rows
    of which none reaches the last output, and rows so much alike that epsilon may be small enough
    for the lower side of the linear form of pDP.
    """
    rng = np.random.default_rng(seed)
    for i in range(count):
        actions, outputs = rng.integers(2, 4), rng.integers(least, bins + 1)
        rows, own = rng.dirichlet(np.ones(outputs), (actions, outputs)), np.eye(outputs)
        kind = ("full", "sparse", "short", "alike")[i % 4]
        if kind == "sparse":
            rows *= (rng.random(own.shape) < 0.4) | (own > 0.0) | (np.roll(own, 1, axis=1) > 0.0)
        elif kind == "short" and outputs > least:
            rows[:, :, -1] = own[-1] = 0.0
            own[-1, 0] = 1.0
        rows /= rows.sum(axis=2, keepdims=True)
        share = rng.random((actions, 1, 1))
        if kind == "alike":
            own[:], share = 1.0 / outputs, rng.uniform(0.7, 0.99)
        kernel = share * own + (1.0 - share) * rows
        weights = rng.dirichlet(np.ones(outputs)) * (kernel[0].diagonal() > 0.0)
        counts = rng.multinomial(rng.integers(4, largest + 1), weights / weights.sum())
        game, delta = pb.NVOGame(counts, kernel, epsilon=1.0), 0.0
        profile = game.random_profile(rng=rng)
        losses = game.evaluate(profile).losses[profile > 0]
        epsilon = min(float(np.median(losses)) * rng.choice([0.3, 0.9, 1.3]), 4.0)
        game = pb.NVOGame(counts, kernel, epsilon=epsilon)
        if i % 3:
            sticks = [max(naive.sticks(game, profile, k, v)) for k, v in np.argwhere(profile)]
            delta = max(sticks) * rng.uniform(0.2, 1.2)
        yield pb.NVOGame(counts, kernel, epsilon=epsilon, delta=delta), profile


def profile_needs(game: pb.NVOGame, profile: np.ndarray) -> np.ndarray:
    """The smallest S at which everybody is private (upper side of the linear form of pDP)."""
    present = np.array([game.kernel[v, k] for k, v in np.argwhere(profile)])
    return present.max(axis=0) / game.tau


def nobody_and_one(profile: np.ndarray) -> list[tuple[int, int]]:
    """Groups that are fixed: none, and the first that is there."""
    k, v = np.argwhere(profile)[0]
    return [(-1, -1), (int(k), int(v))]


def test_sizes_of_repairs_are_those_of_the_twin():
    seen = Counter()
    for game, profile in random_games(7, 60, 60):
        scratch = scratch_at(game, profile)
        scratch.needed[:] = profile_needs(game, profile)
        for k, v, w in {move[:3] for move in moves(game, profile)}:
            if game.delta > 0.0:
                found = _loops.hockey_stick_repair_size(
                    game.compiled, profile, scratch.mass, k, v, w
                )
            else:
                found = _loops.linear_repair_size(game.compiled, scratch, k, v, w)
            expected = naive.repair_size(game, profile, k, v, w)
            fits = expected <= profile[k, v]
            assert (found == expected) if fits else (found == 0 or found > profile[k, v])
            seen[game.delta > 0, min(expected, 2) if fits else 0] += 1
    assert len(seen) == 6 and min(seen.values()) > 3, seen


def test_best_repairs_are_those_of_the_twin():
    seen = Counter()
    for game, profile in random_games(0, 60, 20):
        scratch, n = scratch_at(game, profile), game.records
        held, kl = naive.outcome(game, profile)
        for goal, floor in ((n, -math.inf), (held + 1, -math.inf), (held, -0.02 * kl)):
            move, drop = _loops.best_repair(game.compiled, profile, scratch, goal, floor)
            expected = naive.best_repair(game, profile, goal, floor)
            assert move == expected[:4]
            assert_allclose(drop, expected[4], rtol=1e-9, atol=1e-14)
            seen[game.delta > 0, min(expected[3], 2)] += 1
    assert len(seen) == 6 and min(seen.values()) > 5, seen


def test_passes_of_compound_moves_are_those_of_the_twin():
    seen = Counter()
    games = [*random_games(1, 60, 14), *random_games(132, 10, 14)]
    game, profile = games[-1]  # nobody is private, and the repair that costs least changes nothing
    zero, one = (naive.best_repair(game, profile, goal, -math.inf) for goal in (0, 1))
    assert naive.outcome(game, profile)[0] == 0 and zero != one
    for game, profile in games:
        for unit in UNITS:
            count, after = played(_loops.compound_move_sweep, game, profile, unit)
            expected, there = naive.compound_move_pass(game, profile, unit)
            assert count == expected
            assert_array_equal(after, there)
        held = naive.outcome(game, profile)[0]
        seen["nobody private" if held == 0 else "all" if held == game.records else "some"] += 1
        seen["moved" if count else "at rest"] += 1
        seen["more private"] += bool(naive.outcome(game, there)[0] > held)
    assert len(seen) == 6 and min(seen.values()) > 2, seen


def test_the_shortfall_is_what_the_sticks_are_too_long():
    seen = Counter()
    for game, profile in random_games(2, 60):
        exposed = ~naive.private(game, profile)
        known = game.compiled, profile, exact_mass(game, profile)
        short = _loops.shortfall(*known, exposed)
        assert_allclose(short, naive.shortfall(game, profile, exposed), rtol=1e-9, atol=1e-13)
        everybody = _loops.shortfall(*known, np.ones_like(exposed))
        assert_allclose(everybody, short, rtol=1e-9, atol=1e-13)
        seen[game.delta > 0, bool(game.sigma > 0), bool(short > 1e-3)] += 1
    assert len(seen) == 8, seen


def test_greedy_repairs_are_those_of_the_twin():
    seen = Counter()
    some = {3: 30, 15: 2, 18: 17}  # in the last of the latter two the twelfth record is enough
    games = [game for seed, count in some.items() for game in random_games(seed, count, 40, 3)]
    for game, profile in games:
        n = game.records
        for fixed, unit in product(nobody_and_one(profile), UNITS):
            after, scratch = profile.copy(), scratch_at(game, profile)
            reached = _loops.greedy_repair(game.compiled, after, scratch, n, unit, *fixed)
            expected, there = naive.greedy_repair(game, profile, n, fixed, unit)
            if expected is not None:
                assert reached == expected
                assert_array_equal(after, there)
                distance = np.abs(after - profile).sum() // 2 if unit == 1 else 0
                far = "none" if distance == 0 else "few" if distance < 12 else "twelve"
                seen[reached, far] += 1
    assert len(seen) == 6 and min(seen.values()) > 1, seen


@pytest.mark.parametrize("batch", [True, False])
def test_passes_of_best_responses_are_those_of_the_twin(batch):
    seen = Counter()
    for game, profile in random_games(4, 24, 60):
        for fixed, unit in product(nobody_and_one(profile), UNITS if batch else (1,)):
            (moved, held, drops), after = played(
                _loops.best_response_sweep, game, profile, batch, unit, *fixed
            )
            path = naive.best_responses(game, profile, fixed, batch=batch, unit=unit)
            values = np.array([naive.outcome(game, there) for there in path])
            sizes = [np.abs(there - here).sum() // 2 for here, there in pairwise(path)]
            assert_array_equal(after, path[-1])
            assert_array_equal(held, values[:, 0])
            assert_allclose(np.cumsum(drops), values[0, 1] - values[:, 1], atol=1e-12)
            assert moved == sum(sizes)
            seen.update(min(size, 3) for size in sizes)
            seen["more private"] += bool(held[-1] > held[0])
    assert seen[1] > 20 and seen["more private"] > 5, seen
    assert not batch or (seen[2] > 5 and seen[3] > 5), seen


def crowd() -> pb.NVOGame:
    """A game whose best end is a mixture: the best response of a crowd changes every few records.

    The numbers are such that it matters after how many steps the crowd loses its patience.
    """
    kernel = np.array([np.eye(3)] * 3)
    kernel[:, 0] = [[0.5, 0.26, 0.24], [0.81, 0.19, 0.0], [0.8, 0.0, 0.2]]
    return pb.NVOGame([190, 10, 11], kernel, epsilon=20.0)


def test_a_crowd_that_goes_two_ways_in_turn_loses_its_patience():
    start = crowd().constant_profile(0)
    (_, _, drops), after = played(_loops.best_response_sweep, crowd(), start, True, 1, -1, -1)
    path = naive.best_responses(crowd(), crowd().constant_profile(0))
    assert len(drops) == len(path) == 39
    assert_array_equal(after, path[-1])


def test_best_responses_are_followed_as_far_as_by_the_twin():
    seen, start = Counter(), crowd().constant_profile(0)
    for game, profile in [(crowd(), start), *random_games(8, 24, 60)]:
        small = pb.best_response_dynamics(game, start=profile).profile
        for fixed, here, unit in product(nobody_and_one(profile), (profile, small), UNITS):
            after, there = profile.copy(), exact_mass(game, here)
            scratch = scratch_at(game, profile)
            at_rest = _loops.follow(game.compiled, after, scratch, there, unit, *fixed)
            expected, end = naive.follow(game, profile, here, fixed, unit)
            assert at_rest == expected
            assert_array_equal(after, end)
            seen[bool(at_rest)] += 1
    assert min(seen[True], seen[False]) > 20, seen


def test_a_forced_move_ends_where_the_twin_ends():
    seen = Counter()
    some = {9: 30, 305: 1, 419: 1}  # in the last two, best responses go on after the compound moves
    games = [game for seed, count in some.items() for game in random_games(seed, count, 12, 3)]
    for i, (game, profile) in enumerate(games):
        goal, kl = naive.outcome(game, profile)
        near = 10.0 if i >= 30 else (0.0, 0.3 * kl, 10.0)[i // 3 % 3]
        for k, v, w, size in list(moves(game, profile))[::5]:
            after, scratch = profile.copy(), scratch_at(game, profile)
            move, here = _loops.Move(k, v, w, size), exact_mass(game, profile)
            unit = UNITS[i % 2]
            known = game.compiled, after, scratch, move, here, goal, near, unit
            paid = _loops.forced_move(*known)
            expected, there = naive.forced_move(game, profile, k, v, w, size, near, unit)
            if expected is not None:
                assert paid == expected
                assert_array_equal(after, there)
                seen[bool(paid)] += 1
    assert min(seen[True], seen[False]) > 20, seen


def test_largest_regrets_are_those_of_the_twin():
    seen = Counter()
    for game, profile in random_games(5, 60):
        held, scratch = naive.outcome(game, profile)[0], scratch_at(game, profile)
        log_bins = math.log(game.bins)
        found = _loops.largest_regret(game.compiled, profile.copy(), scratch, log_bins)
        assert_allclose(found, naive.largest_regret(game, profile), rtol=1e-9, atol=1e-14)
        seen["nobody private" if held == 0 else "some"] += 1
        seen["at rest" if found == 0.0 else "KL" if found < 1.0 else "privacy"] += 1
    assert len(seen) == 5 and min(seen.values()) > 2, seen


def test_passes_of_forced_moves_are_those_of_the_twin():
    chosen = {6: range(20), 103: [0], 154: [6], 227: [1]}  # where one of several counts
    games = [
        list(random_games(seed, numbers[-1] + 1, 14, 3, 3))[i]
        for seed, numbers in chosen.items()
        for i in numbers
    ]
    seen = Counter()
    for game, profile in games:
        near = 0.3 * naive.outcome(game, profile)[1]
        at_rest = pb.best_response_dynamics(game, start=profile).profile
        for start, unit in product((profile, at_rest), UNITS):
            kept, after = played(_loops.forced_move_sweep, game, start, near, unit)
            expected, there = naive.forced_moves(game, start, near, unit)
            if expected is None:
                continue
            assert kept == expected
            assert_array_equal(after, there)
            seen["at rest" if start is at_rest else "anywhere", bool(kept)] += 1
    assert min(seen["at rest", False], seen["at rest", True], seen["anywhere", True]) > 5, seen


def test_where_nobody_can_be_private_a_forced_move_must_pay_in_divergence():
    game = pb.NVOGame([3, 2, 4], pb.laplace_kernel(3, [0.1, 0.2]), epsilon=0.01)
    start = pb.best_response_dynamics(game, start=game.constant_profile(1)).profile
    assert all(naive.outcome(game, profile)[0] == 0 for profile in all_profiles(game))
    kept, after = played(_loops.forced_move_sweep, game, start, 0.0, 1)
    assert kept == 0
    assert_array_equal(after, start)


def test_payoffs_of_a_population_are_those_of_the_twin():
    rng, seen = np.random.default_rng(10), Counter()
    for game, _ in random_games(10, 30):
        bins = np.repeat(np.arange(game.bins), game.counts)
        genes = rng.integers(game.actions, size=(4, game.records))
        q, log_bins = game.frequency[game.frequency > 0], math.log(game.bins)
        constant = float(q @ np.log(q))
        payoffs = _loops.population_payoffs(game.compiled, genes, bins, log_bins, constant)
        for actions, payoff in zip(genes, payoffs, strict=True):
            profile = profile_of(bins, actions, (game.bins, game.actions))
            held, kl = naive.outcome(game, profile)
            assert payoff == pytest.approx(held + 1.0 - kl / log_bins, rel=1e-12)
            seen["nobody private" if held == 0 else "some"] += 1
            seen["unreached"] += bool((naive.mass(game, profile) == 0.0).any())
    assert len(seen) == 3 and min(seen.values()) > 5, seen


def with_edge(game: pb.NVOGame, edge: float, by: float) -> pb.NVOGame:
    """The game whose delta, or else whose tau, is beyond ``edge`` by so many parts in 10^12."""
    if game.delta > 0.0:
        delta = edge * (1.0 + by * 1e-12)
        return pb.NVOGame(game.counts, game.kernel, epsilon=game.epsilon, delta=delta)
    tau = edge + by * 1e-12 * edge * (1.0 - edge)
    epsilon = math.log1p(-1.0 / game.records) - math.log1p(-tau)
    return pb.NVOGame(game.counts, game.kernel, epsilon=epsilon)


@pytest.mark.parametrize(("by", "more"), [(1.0, 0), (-1.0, 1)])
@pytest.mark.parametrize("delta", [0.0, 0.1])
def test_a_repair_is_enough_and_no_more(delta, by, more):
    """Epsilon or delta is such that one, two or three records are only just enough."""
    rng, seen = np.random.default_rng(8), Counter()
    for _ in range(150):
        kernel = 0.7 * rng.dirichlet(np.full(3, 0.4), (2, 3)) + 0.3 * np.eye(3)
        profile = np.array([[rng.integers(4, 8), 0], [1, rng.integers(2)], [0, rng.integers(3)]])
        game = pb.NVOGame(profile.sum(axis=1), kernel, epsilon=rng.uniform(0.2, 1.0), delta=delta)
        n, size = game.records, int(rng.integers(1, 4))
        after = naive.moved(profile, 0, 0, 1, size)
        tau = profile_needs(game, profile) * game.tau / naive.mass(game, after)
        sticks = [naive.sticks(game, after, k, v)[0] for k, v in np.argwhere(profile)]
        edge = max(sticks) if delta > 0.0 else tau.max()
        if not (1e-3 if delta else 1.1 / n) < edge < 0.99:
            continue
        around = [with_edge(game, edge, side) for side in (1e3, -1e3)]
        repairs = [naive.best_repair(there, profile, n, -math.inf)[:4] for there in around]
        if repairs != [(0, 0, 1, size), (0, 0, 1, size + 1)]:
            continue
        there = with_edge(game, edge, by)
        scratch = scratch_at(there, profile)
        found, _ = _loops.best_repair(there.compiled, profile, scratch, np.int64(n), -math.inf)
        assert found == (0, 0, 1, size + more)
        scratch.trial[:], move = exact_mass(there, after), _loops.Move(0, 0, 1, size)
        reached = _loops.count_after(there.compiled, profile, scratch, move, np.int64(n))
        assert reached == (-1 if more else n)
        seen[size, bool(edge > 0.55)] += 1
    assert len(seen) == (3 if delta else 6), seen


def test_a_repair_by_a_crowd_is_found_in_a_few_steps():
    kernel = np.array([[[0.9, 0.1], [0.1, 0.9]], [[0.4, 0.6], [0.1, 0.9]]])
    game = pb.NVOGame([10**8 - 1000, 1000], kernel, epsilon=1e-8, delta=5e-9)
    profile = game.constant_profile(0)
    mass = exact_mass(game, profile)
    size = _loops.hockey_stick_repair_size(game.compiled, profile, mass, 0, 0, 1)
    after = naive.moved(profile, 0, 0, 1, int(size))
    assert size > 1e7 and naive.sticks(game, after, 1, 0)[0] <= game.delta
    assert naive.sticks(game, naive.moved(after, 0, 1, 0, 1), 1, 0)[0] > game.delta


@pytest.mark.parametrize(("gain", "moves_on"), [(0.5, False), (2.0, True)])
def test_a_gain_of_a_group_within_rounding_moves_nobody(gain, moves_on):
    """The whole group wins ``gain`` times 1e-12 / n; only more than 1e-12 / n counts."""
    n = 10
    better = 0.5 + 0.5 * gain * 1e-12 / n
    kernel = np.array([[[0.5, 0.5], [0.5, 0.5]], [[better, 1 - better], [0.5, 0.5]]])
    game = pb.NVOGame([n, 0], kernel, epsilon=1.0)
    start = game.constant_profile(0)
    assert (played(_loops.compound_move_sweep, game, start, 1)[0] > 0) == moves_on
    assert (played(_loops.forced_move_sweep, game, start, 0.0, 1)[0] > 0) == moves_on
