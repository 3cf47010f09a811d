"""Tests of the certified optimum: the bound is true, the search ends, nothing is printed."""

import math
import tracemalloc
from collections import Counter
from itertools import product
from types import SimpleNamespace

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import pdpbook as pb
from pdpbook.game import optimum, program
from pdpbook.game.nvo_game import Outcome
from pdpbook_pages import committed_table
from tests import naive
from tests.game.strategies import games

compiled = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="too slow without compilation")
STATED, FINER = (3, 2, 1, 0.33, 0.2), (3, 2, 1, 0.033, 0.02)


@pytest.fixture
def game() -> pb.NVOGame:
    return pb.NVOGame([0, 4, 2, 0, 1], pb.laplace_kernel(5, [0.05, 0.2, 1.0]), epsilon=1.0)


@pytest.fixture
def no_enumeration(monkeypatch):
    """The games of these tests are so small that a search which stalls enumerates them."""
    monkeypatch.setattr(optimum, "_ENUMERATED", 0)


def heights(epsilon: float, multipliers: tuple[float, ...]) -> pb.NVOGame:
    return pb.NVOGame.from_data(
        pb.load_heights()["height"], epsilon=epsilon, multipliers=multipliers, grid_epsilon=1.0
    )


def small_game(rng: np.random.Generator) -> pb.NVOGame:
    """Up to four bins, three actions, seven records; a quarter below ln(n / (n - 1))."""
    bins, actions = int(rng.integers(2, 5)), int(rng.integers(1, 4))
    n = int(rng.integers(2, 8))
    counts = rng.multinomial(n, rng.dirichlet(np.ones(bins)))
    if rng.random() < 0.3:
        kernel = rng.dirichlet(np.full(bins, rng.choice([0.3, 1.0, 5.0])), size=(actions, bins))
        kernel = (kernel + 0.02) / (1.0 + 0.02 * bins)
    else:
        kernel = pb.laplace_kernel(bins, 10 ** rng.uniform(-1.6, 1.0, actions))
    epsilon = 10 ** rng.uniform(-1.5, 0.8)
    if rng.random() < 0.25:
        epsilon = math.log(n / (n - 1)) * rng.uniform(0.02, 1.0)
    return pb.NVOGame(counts, kernel, epsilon=epsilon)


def enumerated(game: pb.NVOGame) -> float:
    """As naive.private_optimum, all profiles at once."""
    rows = [
        np.array([r for r in product(range(c + 1), repeat=game.actions) if sum(r) == c])
        for c in game.counts.tolist()
    ]
    index = np.array(np.meshgrid(*map(range, map(len, rows)), indexing="ij"))
    chosen = index.reshape(len(rows), -1)
    profiles = np.stack([row[i] for row, i in zip(rows, chosen, strict=True)], axis=1)
    mass = np.einsum("pkv,vkx->px", profiles, game.kernel)
    without = (mass[:, None, None] - game.kernel.transpose(1, 0, 2)) / (game.records - 1)
    output, without = mass[:, None, None] / game.records, np.maximum(without, 0.0)
    if game.delta > 0.0:
        e = np.exp(game.epsilon)
        sticks = [
            np.maximum(one - e * other, 0.0).sum(axis=3)
            for one, other in ((output, without), (without, output))
        ]
        kept = np.maximum(*sticks) <= game.delta * (1 + 1e-12)
    else:
        with np.errstate(divide="ignore", invalid="ignore"):
            loss = np.where(output > 0.0, abs(np.log(output / without)), 0.0).max(axis=3)
        kept = loss <= game.epsilon * (1 + 1e-9)
    private = (kept | (profiles == 0)).all(axis=(1, 2))
    q, seen = game.frequency, game.frequency > 0
    with np.errstate(divide="ignore"):
        kl = (q[seen] * np.log(q[seen] * game.records / mass[:, seen])).sum(axis=1)
    return float(kl[private].min(initial=np.inf))


def harsh_game(rng: np.random.Generator) -> pb.NVOGame:
    """Rows with zeros, with entries of any magnitude or far from one another; any delta."""
    bins, actions, n = int(rng.integers(2, 5)), int(rng.integers(2, 4)), int(rng.integers(2, 7))
    counts = rng.multinomial(n, rng.dirichlet(np.ones(bins)))
    kind = rng.integers(3)
    if kind == 0:
        kernel = pb.laplace_kernel(bins, 10 ** rng.uniform(-2.7, 0.5, actions))
    elif kind == 1:
        kernel = rng.dirichlet(np.full(bins, 0.1), size=(actions, bins))
    else:
        kernel = rng.dirichlet(np.ones(bins), size=(actions, bins))
        kernel = kernel * (rng.random(kernel.shape) < 0.6) + 0.3 * np.eye(bins)
        kernel /= kernel.sum(axis=2, keepdims=True)
    delta = 10 ** rng.uniform(-4, -0.3) if rng.random() < 0.6 else 0.0
    return pb.NVOGame(counts, kernel, epsilon=10 ** rng.uniform(-1.0, 0.5), delta=delta)


# --- against full enumeration ------------------------------------------------------------------


@settings(max_examples=20)
@given(games(), st.sampled_from([0.0, 0.03]))
def test_the_fast_enumeration_is_the_slow_one(game, delta):
    game = pb.NVOGame(game.counts, game.kernel, epsilon=game.epsilon, delta=delta)
    if game.records <= 8:
        assert enumerated(game) == pytest.approx(naive.private_optimum(game), abs=1e-12)


@compiled
def test_the_bound_is_true_and_the_optimum_met_on_random_games():
    rng = np.random.default_rng(20240)
    infeasible = lower_side = 0
    for number in range(400):
        game = small_game(rng)
        truth = enumerated(game)
        proof = pb.certified_optimum(game, relative_gap=1e-5)
        lower_side += game.epsilon < math.log(game.records / (game.records - 1))
        assert proof.converged, number
        assert proof.lower_bound <= truth + 1e-12, number
        if math.isinf(truth):
            infeasible += 1
            assert proof.profile is None and math.isinf(proof.lower_bound), number
            assert math.isinf(proof.divergence) and proof.gap == 0.0, number
        else:
            assert proof.profile is not None, number
            assert game.evaluate(proof.profile).private_records == game.records, number
            assert proof.divergence == game.evaluate(proof.profile).divergence, number
            assert truth - 1e-12 <= proof.divergence <= truth * (1 + 1e-5) + 1e-9, number
    assert infeasible > 40 and lower_side > 40


@compiled
def test_no_bound_is_false_where_epsilon_is_the_loss_of_a_profile():
    """The optimum often lies exactly on its constraint then; a constraint too tight by 1e-6 cuts
    it off, and the bound is false unless the start happens to refute it.  So the start is poor."""
    rng, met = np.random.default_rng(77), 0
    for number in range(150):
        game = small_game(rng)
        loss = np.nanmax(game.evaluate(game.random_profile(rng=rng)).losses)
        if not 1e-6 < loss < math.inf:
            continue
        game = pb.NVOGame(game.counts, game.kernel, epsilon=loss)
        truth = enumerated(game)
        start = max(naive.all_profiles(game), key=lambda p: game.evaluate(p).divergence)
        proof = pb.certified_optimum(game, start=start, relative_gap=1e-5)
        assert proof.lower_bound <= truth + 1e-12, number
        assert proof.divergence <= truth * (1 + 1e-5) + 1e-9, number
        met += 1
    assert met > 90


@compiled
def test_with_delta_the_bound_is_true_and_the_optimum_met():
    """Any delta, and in a third of the games the delta of a profile, exactly."""
    rng, forgiven = np.random.default_rng(78), 0
    for number in range(120):
        strict = small_game(rng)
        delta = 10 ** rng.uniform(-4, -0.5)
        if number % 3 == 0:
            profile = strict.random_profile(rng=rng)
            present = [strict.kernel[v, k] for k, v in np.argwhere(profile)]
            deltas = pb.beyond.hockey_stick_divergences(
                present, strict.evaluate(profile).mass, strict.records, strict.epsilon
            )
            delta = deltas.max()
            if not 0.0 < delta < 1.0:
                continue
        game = pb.NVOGame(strict.counts, strict.kernel, epsilon=strict.epsilon, delta=delta)
        truth = naive.private_optimum(game)
        proof = pb.certified_optimum(game, relative_gap=1e-5)
        assert proof.converged, number
        assert proof.lower_bound <= truth + 1e-12, number
        assert proof.divergence <= truth * (1 + 1e-5) + 1e-9, number
        if proof.profile is not None:
            assert game.evaluate(proof.profile).private_records == game.records, number
        forgiven += truth < enumerated(strict) - 1e-9
    assert forgiven > 20


@compiled
def test_certificates_of_harsh_games_close_and_the_few_that_stall_are_enumerated(monkeypatch):
    rng, stopped = np.random.default_rng(79), Counter()
    for number in range(300):
        game = harsh_game(rng)
        start = game.random_profile(rng=rng) if number % 2 else None
        truth, gap = enumerated(game), float(rng.choice([1e-5, 1e-3]))
        for limit in (0, 100_000):
            monkeypatch.setattr(optimum, "_ENUMERATED", limit)
            proof = pb.certified_optimum(game, start=start, relative_gap=gap)
            stopped[proof.stopped, game.delta > 0.0] += 1
            assert proof.lower_bound <= truth + 1e-12, number
            assert proof.converged == (proof.stopped != "stalled"), number
            if proof.converged:
                break
        assert proof.converged, number
        assert (proof.stopped == "infeasible") == math.isinf(truth), number
        if not math.isinf(truth):
            assert game.evaluate(proof.profile).private_records == game.records, number
            assert truth - 1e-12 <= proof.divergence <= truth / (1.0 - gap) + 2e-9, number
    assert min(stopped["gap", True], stopped["gap", False]) > 50, stopped
    assert sum(count for (why, _), count in stopped.items() if why == "stalled") < 10, stopped


@pytest.mark.usefixtures("no_enumeration")
def test_a_row_counts_at_an_output_that_the_start_hardly_reaches():
    """The search once stopped at a gap of 10 % here.  The start has a mass of 1e-9 at output 2, so
    no privacy row was written there, although other profiles have a mass of 0.15."""
    first = [[0.49, 0.015, 4e-12, 0.495], [0.08, 0.29, 0.63, 5e-8], [0.85, 4e-12, 0.15, 1e-4]]
    last = [[1e-7, 2e-9, 2e-6, 1.0], [0.96, 3e-6, 1e-9, 0.04], [0.44, 7e-4, 0.15, 0.41]]
    kernel = np.stack([first, first, last, last], axis=1)
    kernel /= kernel.sum(axis=2, keepdims=True)
    game = pb.NVOGame([3, 0, 0, 1], kernel, epsilon=0.693, delta=0.0143)
    proof = pb.certified_optimum(game, relative_gap=1e-4)
    assert (proof.converged, proof.stopped) == (True, "gap")
    assert proof.divergence == pytest.approx(enumerated(game), rel=1e-4)


@settings(max_examples=30)
@given(games(), st.sampled_from([0.0, 0.03]))
def test_the_enumeration_of_a_stalled_search_is_the_twins(game, delta):
    game = pb.NVOGame(game.counts, game.kernel, epsilon=game.epsilon, delta=delta)
    if game.records > 8:
        return
    assert optimum._number_of_profiles(game) == sum(1 for _ in naive.all_profiles(game))
    best, truth = optimum._enumerated_optimum(game), enumerated(game)
    assert (best is None) == math.isinf(truth)
    if best is not None:
        assert game.evaluate(best).private_records == game.records
        assert_array_equal(best.sum(axis=1), game.counts)
        assert game.evaluate(best).divergence == pytest.approx(truth, abs=1e-12)


def test_a_game_that_is_too_large_for_enumeration_stalls(game, monkeypatch):
    """With one profile fewer than the limit, or as many, it is settled."""
    monkeypatch.setattr(program.Program, "solve", lambda *_, **__: program.Answer(0.0, None))
    for limit, stopped in ((269, "stalled"), (270, "gap")):
        monkeypatch.setattr(optimum, "_ENUMERATED", limit)
        proof = pb.certified_optimum(game, start=game.constant_profile(2))
        assert (proof.stopped, proof.converged) == (stopped, stopped == "gap")
    assert proof.divergence == proof.lower_bound == pytest.approx(enumerated(game))


@settings(max_examples=15)
@given(games())
def test_no_solver_finds_better_than_the_bound(game):
    proof = pb.certified_optimum(game, relative_gap=1e-4, time_limit=20.0)
    rng = np.random.default_rng(0)
    ends = [
        pb.best_response_dynamics(game, rng=rng).profile,
        pb.coordinated_best_response(game, rng=rng, restarts=3).profile,
        pb.approximate_enumeration(game, rng=rng, generations=5, population=20).profile,
    ]
    for profile in ends:
        if game.evaluate(profile).private_records == game.records:
            assert game.evaluate(profile).divergence >= proof.lower_bound - 1e-12
    if proof.profile is not None:
        assert naive.is_nash(game, proof.profile) or not proof.converged or proof.gap > 0
        assert_array_equal(proof.profile.sum(axis=1), game.counts)


@compiled  # quantecon itself needs numba to compile, unless its cache is warm
def test_pure_equilibria_agree_with_quantecon():
    game_theory = pytest.importorskip(
        "quantecon.game_theory", reason="quantecon, the independent solver, is not installed"
    )
    for counts, scales, epsilon in (
        ([2, 0, 1], [0.1, 1.0], 1.0),
        ([0, 2, 1, 1], [0.05, 0.3, 1.0], 0.7),
        ([4, 0, 2, 2], [0.05, 0.8], 1.0),
    ):
        game = pb.NVOGame(counts, pb.laplace_kernel(len(counts), scales), epsilon=epsilon)
        n, bins = game.records, np.repeat(np.arange(game.bins), game.counts)
        payoffs = np.empty((game.actions,) * n)
        for actions in product(range(game.actions), repeat=n):
            profile = naive.profile_of(bins, np.array(actions), (game.bins, game.actions))
            # rounding, so that equally good actions are equally good for both
            payoffs[actions] = round(game.evaluate(profile).payoff, 11)
        turns = [[*range(i, n), *range(i)] for i in range(n)]
        players = [game_theory.Player(payoffs.transpose(turn).copy()) for turn in turns]
        theirs = set(game_theory.pure_nash_brute(game_theory.NormalFormGame(players)))
        ours = {
            actions
            for actions in product(range(game.actions), repeat=n)
            if game.evaluate(
                naive.profile_of(bins, np.array(actions), (game.bins, game.actions))
            ).is_nash()
        }
        assert ours == {tuple(map(int, actions)) for actions in theirs}
        assert ours


# --- the parts of the proof --------------------------------------------------------------------


@pytest.mark.usefixtures("no_enumeration")
def test_an_answer_that_contradicts_a_profile_in_hand_is_not_believed(game, monkeypatch):
    for nonsense in (math.inf, 10.0):
        monkeypatch.setattr(
            program.Program, "solve", lambda *_, bound=nonsense, **__: program.Answer(bound, None)
        )
        proof = pb.certified_optimum(game, start=game.constant_profile(2))
        assert proof.lower_bound == 0.0 and not proof.converged
        assert (proof.gap, proof.stopped) == (1.0, "stalled")


# --- the goals on the heights --------------------------------------------------------------------


@compiled
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 8.0])
def test_stated_actions_are_certified_to_a_ten_thousandth(epsilon):
    game = heights(epsilon, STATED)
    proof = pb.certified_optimum(game, relative_gap=1e-4)
    assert proof.converged and proof.gap <= 1e-4
    alone = pb.best_response_dynamics(game, start=game.constant_profile(0))
    assert_allclose(alone.divergence, proof.divergence, rtol=2e-4)


@compiled
@pytest.mark.parametrize("epsilon", [0.3, 1.0])
def test_finer_actions_are_certified_to_a_ten_thousandth(epsilon):
    """The other targets take longer and stand in the committed table."""
    game = heights(epsilon, FINER)
    proof = pb.certified_optimum(game, relative_gap=1e-4, time_limit=600.0)
    assert proof.converged and proof.gap <= 1e-4
    assert game.evaluate(proof.profile).private_records == game.records


def test_the_committed_certificates_meet_the_goals():

    table = committed_table("certificates")
    assert table.groupby("data").size().to_dict() == {
        "heights": 12,
        "income": 12,
        "simulated income": 12,
    }
    assert (table.certified - table.lower_bound <= 1e-4 * table.certified).all()
    assert (table.lower_bound <= table.certified).all()
    assert (table.certified <= table.coordinated).all()
    assert (table.certified_seconds < 60).all()
    assert (table.coordinated_seconds < 5).all()
    assert (table.coordinated <= 1.001 * table.lower_bound).sum() >= 34


@compiled
def test_a_bound_that_rounding_once_broke():
    """Pruning within the solver's feasibility tolerance gave 1.414728e-4 here: too high."""
    game = pb.NVOGame.from_data(
        pb.load_income()["income"], epsilon=8.0, multipliers=FINER, grid_epsilon=1.0
    )
    pairs = pb.coordinated_best_response(game, rng=np.random.default_rng(1), restarts=100)
    proof = pb.certified_optimum(game, relative_gap=0.01, time_limit=300.0)
    assert proof.lower_bound <= pairs.divergence


@pytest.mark.parametrize(("divergence", "bound", "gap"), [(1e-9, 0.0, 0.0), (0.5, 0.25, 0.5)])
def test_the_search_ends_at_just_the_gap_that_was_asked_for(
    game, monkeypatch, divergence, bound, gap
):
    """A difference of 1e-9 nats counts as none; else the relative gap may be reached exactly."""
    monkeypatch.setattr(Outcome, "divergence", divergence)
    answer = program.Answer(bound, np.zeros(26))
    monkeypatch.setattr(program.Program, "solve", lambda *_, **__: answer)
    proof = pb.certified_optimum(game, start=game.constant_profile(2), relative_gap=0.5)
    assert (proof.lower_bound, proof.gap, proof.converged) == (bound, gap, True)


@pytest.mark.usefixtures("no_enumeration")
def test_a_proposal_that_exposes_somebody_may_lead_to_an_equilibrium(game, monkeypatch):
    """Branch and bound proposes what is not private; best responses mend it."""
    start = game.constant_profile(2)
    proposed = np.array([[0, 0, 0], [0, 3, 1], [2, 0, 0], [0, 0, 0], [0, 1, 0]])
    mended = pb.best_response_dynamics(game, start=proposed)
    assert mended.private_counts[0] < mended.private_counts[-1] == game.records
    assert game.evaluate(mended.profile).divergence < game.evaluate(start).divergence
    monkeypatch.setattr(
        program.Program, "solve", lambda self, **_: program.Answer(0.0, self.columns_of(proposed))
    )
    monkeypatch.setattr(program.Program, "refine", lambda *_, **__: 0)
    assert_array_equal(pb.certified_optimum(game, start=start).profile, mended.profile)


# --- time limits, silence, what is refused -------------------------------------------------------


@compiled
@pytest.mark.parametrize("limit", [1e-6, 1e-3, 0.05])
def test_a_time_limit_weakens_the_claim_and_nothing_else(limit):
    game = heights(1.0, FINER)
    start = pb.coordinated_best_response(game).profile
    proof = pb.certified_optimum(game, start=start, relative_gap=1e-5, time_limit=limit)
    assert game.evaluate(proof.profile).private_records == game.records
    assert proof.divergence <= game.evaluate(start).divergence
    assert 0.0 <= proof.lower_bound <= 0.00728
    assert not proof.converged and 0.0 < proof.gap <= 1.0 and proof.stopped == "time"


def test_without_time_or_profile_nothing_is_claimed():
    game = pb.NVOGame([3, 0, 1], pb.laplace_kernel(3, [0.05]), epsilon=0.5)
    proof = pb.certified_optimum(game, time_limit=1e-9)
    assert proof.profile is None and math.isinf(proof.divergence)
    assert (proof.lower_bound, proof.gap, proof.converged) == (0.0, 1.0, False)
    assert proof.stopped == "time"
    proof = pb.certified_optimum(game)
    assert proof.profile is None and proof.converged and proof.stopped == "infeasible"
    assert (proof.lower_bound, proof.gap) == (math.inf, 0.0)


def test_the_solver_is_not_believed_where_all_profiles_can_be_judged(monkeypatch):
    """A solver that finds no private profile is contradicted by the enumeration."""
    nothing = program.Answer(math.inf, None)
    monkeypatch.setattr(program.Program, "solve", lambda *_, **__: nothing)
    game = pb.NVOGame([3, 0, 1], pb.laplace_kernel(3, [0.05, 2.0]), epsilon=0.5)
    proof = pb.certified_optimum(game, start=game.constant_profile(0))
    assert proof.stopped == "gap" and proof.private_records == 4
    assert game.evaluate(proof.profile).private_records == 4


def test_a_start_that_exposes_somebody_is_left_behind(game):
    small = game.constant_profile(0)
    kept = small.copy()
    assert game.evaluate(small).private_records == 6
    proof = pb.certified_optimum(game, start=small, relative_gap=1e-4)
    assert game.evaluate(proof.profile).private_records == 7
    assert proof.divergence == pytest.approx(naive.private_optimum(game), rel=1e-4)
    assert_array_equal(small, kept)


def test_without_a_divergence_the_gap_is_zero():
    game = pb.NVOGame([5, 5], np.eye(2)[None], epsilon=1.0)
    proof = pb.certified_optimum(game)
    assert (proof.divergence, proof.lower_bound, proof.gap, proof.converged) == (0, 0, 0, True)


def test_a_negligible_divergence_has_no_gap():
    """The divergence is 5.5e-9 here and the bound 0: less than the solvers can tell apart."""
    game = pb.NVOGame([7, 3], pb.laplace_kernel(2, [0.03, 1.0]), epsilon=1.0)
    proof = pb.certified_optimum(game)
    assert 0.0 < proof.divergence < 1e-8
    assert (proof.gap, proof.converged) == (0.0, True)


def test_the_solver_prints_nothing(game, capfd):
    pb.certified_optimum(game, relative_gap=1e-4)
    pb.certified_optimum(game, start=game.constant_profile(0), time_limit=1e-3)
    pb.certified_optimum(pb.NVOGame([3, 0, 1], pb.laplace_kernel(3, [0.05]), epsilon=0.5))
    assert capfd.readouterr() == ("", "")


def test_one_action_and_a_million_records_take_no_memory():
    game = pb.NVOGame([10**6, 7], pb.laplace_kernel(2, [0.05]), epsilon=1.0)
    tracemalloc.start()
    assert_array_equal(optimum._enumerated_optimum(game), game.constant_profile(0))
    assert tracemalloc.get_traced_memory()[1] < 10**6
    tracemalloc.stop()


def test_the_clock_runs_while_the_start_is_computed(game, monkeypatch):
    """The coordinated best responses take five seconds of this clock, and nothing else any."""
    clock = [100.0]
    monkeypatch.setattr(optimum, "time", SimpleNamespace(perf_counter=lambda: clock[0]))
    usual = pb.coordinated_best_response(game)

    def slow(_):
        clock[0] += 5.0
        return usual

    monkeypatch.setattr(optimum, "coordinated_best_response", slow)
    proof = pb.certified_optimum(game, time_limit=4.0)
    assert (proof.seconds, proof.stopped, proof.lower_bound) == (5.0, "time", 0.0)
    proof = pb.certified_optimum(game, time_limit=6.0)
    assert (proof.seconds, proof.stopped) == (5.0, "gap")
