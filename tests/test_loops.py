"""Tests of the compiled loops: their slow twins, and their tolerances from both sides."""

import math
from collections import Counter
from fractions import Fraction
from itertools import pairwise, product

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import pdpbook as pb
from pdpbook import _loops
from pdpbook.per_instance import privacy_loss
from tests import naive
from tests import naive_moves as twins
from tests.game.strategies import games_with_profiles

compiled = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")
#: The fewest records that move of a larger group.
UNITS = (1, 3)


def exact_mass(game: pb.NVOGame, profile: np.ndarray) -> np.ndarray:
    """S of a profile as the loops take it: the nearest doubles, and what they leave."""
    mass = np.empty((2, game.bins))
    _loops.mixture(profile.copy(), game.kernel, mass)
    return mass


def pair(mass) -> np.ndarray:
    """A mass without a rest."""
    return np.array([mass, np.zeros_like(mass)])


def scratch_at(game: pb.NVOGame, profile: np.ndarray) -> _loops.Scratch:
    """Scratch arrays that hold the mass and the envelope of a profile."""
    scratch = _loops.new_scratch(game.bins)
    scratch.mass[:] = exact_mass(game, profile)
    _loops.envelope(profile, game.kernel, scratch.envelope)
    return scratch


def played(sweep, game: pb.NVOGame, profile: np.ndarray, *options):
    """What a sweep from a profile returns, and where it ends."""
    after = profile.copy()
    return sweep(game.compiled, after, _loops.new_scratch(game.bins), *options), after


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
    scratch = scratch_at(game, profile)
    for k, v, w, size in moves(game, profile):
        after = profile.copy()
        after[k, v] -= size
        after[k, w] += size
        there = game.evaluate(after)
        scratch.trial[:] = exact_mass(game, after)
        for needed in (0, game.records):
            move = _loops.Move(k, v, w, size)
            reached = _loops.count_after(game.compiled, profile, scratch, move, needed)
            private = there.private_records
            assert reached == (private if private >= needed else -1)


@pytest.mark.parametrize("alike", [0.0, 0.95])
def test_a_step_of_one_that_just_keeps_everybody_private(alike):
    """Epsilon is the largest loss after it, or a little less; rows that are alike test the lower
    side."""
    rng, below = np.random.default_rng(3), []
    for _ in range(40):
        kernel = rng.dirichlet(np.ones(4), (3, 4))
        kernel = (1.0 - alike) * kernel + alike * kernel.mean(axis=(0, 1))
        game = pb.NVOGame([3, 4, 0, 2], kernel, epsilon=1.0)
        profile = game.random_profile(rng=rng)
        k, v = np.argwhere(profile > 1)[0]
        w = int((v + rng.integers(1, 3)) % 3)
        after = profile.copy()
        after[k, v] -= 1
        after[k, w] += 1
        scratch, there = scratch_at(game, profile), game.evaluate(after)
        scratch.trial[:] = exact_mass(game, after)
        loss = float(np.nanmax(there.losses))
        for epsilon, expected in ((loss, 9), (loss * (1.0 - 1e-9), -1), (loss * (1.0 + 1e-9), 9)):
            game = pb.NVOGame(game.counts, kernel, epsilon=epsilon)
            below.append(game.sigma > 0.0)
            move = _loops.Move(k, v, w, np.int64(1))
            reached = _loops.count_after(game.compiled, profile, scratch, move, np.int64(9))
            assert reached == expected
    assert sum(below) > 60 if alike else sum(below) < 60


def test_a_step_where_outputs_are_reached_by_nobody_or_by_one():
    """Epsilon is so large that tau is 1, and exposes only a record that is alone at an output."""
    rng, seen = np.random.default_rng(4), set()
    for _ in range(60):
        kernel = rng.dirichlet(np.ones(4), (3, 4)) * (rng.random((3, 4, 4)) < 0.4)
        kernel += (1.0 - kernel.sum(axis=2))[:, :, None] * np.eye(4)
        game = pb.NVOGame([3, 4, 0, 1], kernel, epsilon=800.0)
        profile = game.random_profile(rng=rng)
        scratch = scratch_at(game, profile)
        for k, v, w, _ in moves(game, profile):
            after = profile.copy()
            after[k, v] -= 1
            after[k, w] += 1
            there = game.evaluate(after)
            everybody = there.private_records == 8
            scratch.trial[:] = exact_mass(game, after)
            move = _loops.Move(k, v, w, np.int64(1))
            reached = _loops.count_after(game.compiled, profile, scratch, move, np.int64(8))
            assert reached == (8 if everybody else -1)
            seen.add((everybody, bool((there.mass == 0.0).any())))
    assert len(seen) == 4


def test_a_sum_of_products_has_the_sign_of_the_exact_one():
    """Terms of all sizes that nearly cancel, against fractions."""
    rng, seen = np.random.default_rng(0), set()
    for _ in range(500):
        terms = rng.integers(-(2**53), 2**53, 8) * 2.0 ** rng.integers(-60, 60, 8)
        for i in range(4):
            terms[4 + i] = -sum(map(Fraction, terms[: 4 + i].tolist()))
        terms[7] += rng.integers(-1, 2) * 2.0**-200
        exact = sum(map(Fraction, terms.tolist()))
        assert np.sign(_loops.sign_of(terms, np.empty(8))) == (exact > 0) - (exact < 0)
        seen.add((exact > 0) - (exact < 0))
    assert seen == {-1, 0, 1}


@given(st.lists(st.integers(-(2**52), 2**52), min_size=2), st.integers(1, 2**53 - 1))
def test_masses_are_summed_without_rounding(weights, size):
    """Products of a number of records and a weight, as large as a game may have them."""
    mass, exact = np.zeros((2, 1)), Fraction(0)
    for weight in weights:
        step = Fraction(weight * size, 2**52)
        if 0 <= exact + step <= 2**53:
            exact += step
            _loops.add_to(mass, 0, *_loops.two_product(float(size), weight / 2**52))
    assert Fraction(mass[0, 0]) + Fraction(mass[1, 0]) == exact
    assert mass[0, 0] == float(exact)


@pytest.mark.parametrize("epsilon", [1e-300, 1e-9, 0.2, 1.0, 12.0, 34.0, 1e300])
@pytest.mark.parametrize("n", [2, 3, 1317, 10**9, 2**53])
def test_slopes_decide_as_the_definition_does(n, epsilon):
    """The first S at which a row is private, and the last one, and those next to them."""
    target, rng = privacy_loss.target(n, epsilon, 0.0), np.random.default_rng(0)
    tau, sigma = (
        1 - Fraction(n - 1, n) / naive.exponential(epsilon)[0],
        1 - Fraction(n - 1, n) * naive.exponential(epsilon)[0],
    )
    for weight in (1, 2, 2**52 - 1, 2**52, *rng.integers(1, 2**52, 40).tolist()):
        for slope in (tau, sigma):
            edge = math.floor(weight / slope) if slope > 0 else weight
            for units in range(max(edge - 2, weight), min(edge + 3, n * 2**52 + 1)):
                row, exact = weight / 2**52, Fraction(units, 2**52)
                mass = np.array([[float(exact)], [float(exact - Fraction(float(exact)))]])
                expected = naive.is_private([weight], [units], n, epsilon, 0.0)
                above = _loops.no_more(row, mass, 0, target.most)
                below = _loops.no_less(row, mass, 0, target.least)
                assert (above and below) == expected
                row = np.array([row])
                assert _loops.is_private(target, row, mass) == expected


def test_whoever_is_alone_at_an_output_is_exposed_whatever_tau_rounds_to():
    row, mass = np.array([1.0, 0.0]), pair([1.0, 4.0])
    assert not _loops.is_private(privacy_loss.target(5, 800.0, 0.0), row, mass)
    assert pb.privacy_losses([row], mass[0], 5) == [math.inf]


def test_an_exponential_that_would_overflow_is_infinite():
    """exp(709.78) is finite and exp(710) is not; both forgive all but a row's own output."""
    row, mass = np.array([0.5, 0.5]), pair([0.5, 1.5])
    for epsilon in (709.0, 709.8, 1e6):
        assert _loops.hockey_stick(row, mass, 2, epsilon) == 0.25


def test_an_output_that_nobody_reaches_says_nothing_whatever_epsilon():
    row, mass = np.array([0.5, 0.5, 0.0]), pair([0.5, 1.5, 0.0])
    assert _loops.hockey_stick(row, mass, 2, 800.0) == 0.25


def test_the_loss_counts_outputs_that_the_record_itself_never_goes_to():
    """Where a row has a zero, the output is more likely without the record: by n / (n - 1)."""
    rows = np.array([[1.0, 0.0, 0.0], [0.2, 0.8, 0.0], [0.4, 0.6, 0.0], [0.5, 0.5, 0.0]])
    mass = rows.sum(axis=0)
    loss = _loops.privacy_loss(np.array([0.5, 0.0, 0.5]), pair([2.0, 2.0, 1.0]), 5)
    assert loss == pytest.approx(max(math.log(5 / 4), abs(math.log(0.8 / 0.75)), math.log(1.6)))
    slight = np.array([0.4, 0.0, 0.0])  # as likely with it as without it at the first output
    loss = _loops.privacy_loss(slight, pair([2.0, 3.0, 0.0]), 5)
    assert loss == pytest.approx(math.log(5 / 4))
    losses = pb.privacy_losses(rows, mass, 4)
    assert_allclose(losses, naive.privacy_losses(np.zeros(4, int), np.arange(4), rows[:, None]))
    everything = naive.privacy_loss_all_events(np.zeros(4, int), np.arange(4), rows[:, None])
    assert_allclose(losses, everything)


# --- divergence ------------------------------------------------------------------------------


def test_what_is_left_with_no_mass_costs_infinitely_much_and_what_no_data_has_nothing():
    two, one, nothing = np.array([1.0, 1.0]), np.array([1.0, 0.0]), np.array([0.0, 0.0])
    half = np.array([0.5, 0.5])
    assert _loops.divergence_drop(half, pair(two), pair(one)) == -math.inf
    assert _loops.step_drop(half, pair(two), np.array([0.0, 1.0]), nothing) == -math.inf
    assert _loops.step_drop(half, pair(two), np.array([0.0, 1.0005]), nothing) == -math.inf
    assert _loops.divergence_drop(one, pair(one), pair(one)) == 0.0
    assert _loops.step_drop(one, pair(one), one, one) == 0.0


@given(games_with_profiles())
def test_drops_are_differences_of_divergences(case):
    game, profile = case
    for k, v, w, size in moves(game, profile):
        after = profile.copy()
        after[k, v] -= size
        after[k, w] += size
        here, there = game.evaluate(profile), game.evaluate(after)
        drop = here.divergence - there.divergence
        masses = exact_mass(game, profile), exact_mass(game, after)
        assert_allclose(
            _loops.divergence_drop(game.frequency, *masses), drop, rtol=1e-7, atol=1e-12
        )
        if size == 1:
            rows = game.kernel[v, k], game.kernel[w, k]
            step = _loops.step_drop(game.frequency, masses[0], *rows)
            assert_allclose(step, drop, rtol=1e-7, atol=1e-12)


def test_of_equally_good_actions_the_first_is_taken():
    """Actions 1 and 3 are the same and the best; a record that plays either stays."""
    large, small, best = ([1 - p, p] for p in (0.4, 0.3, 0.1))
    rows = np.array([large, best, small, best])
    game = pb.NVOGame([6, 0], np.stack([rows, rows[:, ::-1]], axis=1), epsilon=5.0)
    for v, expected in enumerate((1, 1, 1, 3)):
        profile = game.constant_profile(v)
        scratch = scratch_at(game, profile)
        w, *_ = _loops.best_action(game.compiled, profile, scratch, 0, v, np.int64(-1), 6)
        assert w == expected
        assert pb.best_response_dynamics(game, start=profile).profile[0, expected] == 6


@pytest.mark.parametrize(("gain", "moves_on"), [(0.5, False), (2.0, True)])
def test_a_gain_within_rounding_moves_nobody(gain, moves_on):
    """The second action wins ``gain`` times 1e-12 / n; only more than 1e-12 / n counts."""
    n = 10
    better = 0.5 + 0.5 * gain * 1e-12
    kernel = np.array([[[0.5, 0.5], [0.5, 0.5]], [[better, 1 - better], [0.5, 0.5]]])
    game = pb.NVOGame([n, 0], kernel, epsilon=1.0)
    start = game.constant_profile(0)
    gained = _loops.step_drop(
        game.frequency, exact_mass(game, start), game.kernel[0, 0], game.kernel[1, 0]
    )
    assert gained == pytest.approx(gain * 1e-12 / n, rel=1e-3)
    assert (pb.best_response_dynamics(game, start=start).moves > 0) == moves_on


# --- repairs -----------------------------------------------------------------------------------


def enough(game, profile, k, v, w, size) -> bool:
    """Whether everybody's rows fit the mass after the move, the rows being those of before."""
    mass = game.evaluate(profile).mass + size * (game.kernel[w, k] - game.kernel[v, k])
    tau = game.tau
    allowed = game.delta * (game.records - 1) * math.exp(-game.epsilon)
    above = [np.maximum(game.kernel[u, j] - tau * mass, 0.0).sum() for j, u in np.argwhere(profile)]
    return max(above) <= allowed * (1 + 1e-9) + 1e-12


@given(games_with_profiles(), st.sampled_from([0.0, 0.01, 0.1]))
def test_a_repair_is_the_smallest_that_is_enough(case, delta):
    game, profile = case
    game = pb.NVOGame(game.counts, game.kernel, epsilon=game.epsilon, delta=delta)
    scratch = scratch_at(game, profile)
    scratch.needed[:] = scratch.envelope[0] / game.tau
    for k, v, w, _ in moves(game, profile):
        sizes = range(1, int(profile[k, v]) + 1)
        smallest = next((m for m in sizes if enough(game, profile, k, v, w, m)), None)
        if delta > 0.0:
            found = _loops.hockey_stick_repair_size(game.compiled, profile, scratch.mass, k, v, w)
        else:
            found = _loops.linear_repair_size(game.compiled, scratch, k, v, w)
        inside = 0 < found <= profile[k, v] and enough(game, profile, k, v, w, int(found))
        assert (found if inside else None) == smallest


def test_a_cover_of_more_records_than_an_integer_holds_is_out_of_reach():
    """A record that moves adds 1e-34 where 0.5 is missing.  Such a number of records once became
    negative in the compiled loops, and the search for a cover did not end."""
    kernel = np.array([[[1.0, 0.0], [0.0, 1.0]], [[1.0, 1e-34], [0.0, 1.0]]])
    kernel.setflags(write=False)  # as that of a game
    game, scratch = pb.NVOGame([3, 1], kernel, epsilon=0.7), _loops.new_scratch(2)
    scratch.mass[:], scratch.needed[:] = pair([2.0, 0.5]), [2.0, 1.0]
    ideal = game.compiled._replace(kernel=kernel)
    size = _loops.linear_repair_size(ideal, scratch, 0, 0, 1)
    assert size == pytest.approx(5e33)
    game = pb.NVOGame([3, 1], kernel, epsilon=0.7, delta=0.01)
    small = game.constant_profile(0)
    mass = exact_mass(game, small)
    ideal = game.compiled._replace(kernel=kernel)
    assert _loops.hockey_stick_repair_size(ideal, small, mass, 0, 0, 1) > 1e33
    assert pb.coordinated_best_response(game).converged


def test_a_pair_that_leads_back_to_where_it_began_gains_nothing(monkeypatch):
    """The last group goes and its cover brings it back.  What that gains is rounding: the mass of
    the first output falls from 3 to 1e-5 in between."""
    first = [
        [6.76805991e-02, 1.97106266e-15, 6.06333691e-02, 8.71686032e-01],
        [2.29858018e-08, 5.48081428e-03, 1.81121218e-01, 8.13397944e-01],
        [9.98439221e-01, 6.72085200e-04, 5.36407267e-05, 8.35053218e-04],
    ]
    last = [
        [3.01899315e-04, 2.21702419e-06, 7.02344651e-01, 2.97351232e-01],
        [4.03719195e-02, 7.14951899e-01, 2.43493441e-01, 1.18273996e-03],
        [1.43592619e-05, 1.19813835e-15, 6.75510555e-01, 3.24475086e-01],
    ]
    kernel = np.stack([first, first, last, last], axis=1)
    kernel /= kernel.sum(axis=2, keepdims=True)
    game = pb.NVOGame([3, 0, 0, 1], kernel, epsilon=0.693, delta=0.0143)
    calls, make_move = [], _loops.make_move

    def counted(*arguments):
        calls.append(arguments)
        assert len(calls) < 100, "the pass does not end"
        make_move(*arguments)

    monkeypatch.setattr(_loops, "make_move", counted)
    sweep = getattr(_loops.compound_move_sweep, "py_func", _loops.compound_move_sweep)
    for start in naive.all_profiles(game):
        calls.clear()
        _, after = played(sweep, game, start, 1)
        assert game.evaluate(after).private_records >= game.evaluate(start).private_records


# --- passes and regrets against slow twins ------------------------------------------------------


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
            sticks = [max(twins.sticks(game, profile, k, v)) for k, v in np.argwhere(profile)]
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


def test_passes_of_compound_moves_are_those_of_the_twin():
    seen = Counter()
    games = [*random_games(1, 60, 14), *random_games(132, 10, 14)]
    game, profile = games[-1]  # nobody is private, and the repair that costs least changes nothing
    zero, one = (twins.best_repair(game, profile, goal, -math.inf) for goal in (0, 1))
    assert twins.outcome(game, profile)[0] == 0 and zero != one
    for game, profile in games:
        for unit in UNITS:
            count, after = played(_loops.compound_move_sweep, game, profile, unit)
            expected, there = twins.compound_move_pass(game, profile, unit)
            assert count == expected
            assert_array_equal(after, there)
        held = twins.outcome(game, profile)[0]
        seen["nobody private" if held == 0 else "all" if held == game.records else "some"] += 1
        seen["moved" if count else "at rest"] += 1
        seen["more private"] += bool(twins.outcome(game, there)[0] > held)
    assert len(seen) == 6 and min(seen.values()) > 2, seen


@pytest.mark.parametrize("batch", [True, False])
def test_passes_of_best_responses_are_those_of_the_twin(batch):
    seen = Counter()
    for game, profile in random_games(4, 24, 60):
        for fixed, unit in product(nobody_and_one(profile), UNITS if batch else (1,)):
            (moved, held, drops), after = played(
                _loops.best_response_sweep, game, profile, batch, unit, *fixed
            )
            path = twins.best_responses(game, profile, fixed, batch=batch, unit=unit)
            values = np.array([twins.outcome(game, there) for there in path])
            sizes = [np.abs(there - here).sum() // 2 for here, there in pairwise(path)]
            assert_array_equal(after, path[-1])
            assert_array_equal(held, values[:, 0])
            assert_allclose(np.cumsum(drops), values[0, 1] - values[:, 1], atol=1e-12)
            assert moved == sum(sizes)
            seen.update(min(size, 3) for size in sizes)
            seen["more private"] += bool(held[-1] > held[0])
    assert seen[1] > 20 and seen["more private"] > 5, seen
    assert not batch or (seen[2] > 5 and seen[3] > 5), seen


def test_largest_regrets_are_those_of_the_twin():
    seen = Counter()
    for game, profile in random_games(5, 60):
        held, scratch = twins.outcome(game, profile)[0], scratch_at(game, profile)
        log_bins = math.log(game.bins)
        found = _loops.largest_regret(game.compiled, profile.copy(), scratch, log_bins)
        assert_allclose(found, twins.largest_regret(game, profile), rtol=1e-9, atol=1e-14)
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
        near = 0.3 * twins.outcome(game, profile)[1]
        at_rest = pb.best_response_dynamics(game, start=profile).profile
        for start, unit in product((profile, at_rest), UNITS):
            kept, after = played(_loops.forced_move_sweep, game, start, near, unit)
            expected, there = twins.forced_moves(game, start, near, unit)
            if expected is None:
                continue
            assert kept == expected
            assert_array_equal(after, there)
            seen["at rest" if start is at_rest else "anywhere", bool(kept)] += 1
    assert min(seen["at rest", False], seen["at rest", True], seen["anywhere", True]) > 5, seen


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


# --- compilation -------------------------------------------------------------------------------


@compiled
def test_no_kernel_is_compiled_for_two_signatures():
    game = pb.NVOGame([3, 0, 1], pb.laplace_kernel(3, [0.1, 1.0]), epsilon=1.0)
    pb.coordinated_best_response(game)
    outcome = game.evaluate(game.constant_profile(0))
    assert outcome.regret == 0.0 and outcome.losses.any() and outcome.private.any()
    for loop in vars(_loops).values():
        if hasattr(loop, "signatures"):
            assert "Literal" not in str(loop.signatures), loop.__name__
