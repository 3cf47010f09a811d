"""Tests of the genetic algorithm: its generations, when it stops, what it finds."""

import inspect
import random

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import pdpbook as pb
from pdpbook.game.genetic import crossed, mutated
from pdpbook_pages import committed_table
from tests import naive
from tests.bounds import check_bounds
from tests.game.strategies import games_with_profiles

compiled = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="too slow without compilation")
SMALL = {"generations": 15, "population": 30, "parents": 5, "elites": 3}


@pytest.fixture
def game() -> pb.NVOGame:
    return pb.NVOGame([0, 4, 2, 0, 1], pb.laplace_kernel(5, [0.05, 0.2, 1.0]), epsilon=1.0)


# --- the generations -------------------------------------------------------------------------


def profile_of(game, genes):
    bins = np.repeat(np.arange(game.bins), game.counts)
    return naive.profile_of(bins, np.array(genes), (game.bins, game.actions))


def evolved(game, rng, generations, population, parents, elites, mutation, crossover_points):
    """The best payoffs and the last best profile, chromosome by chromosome and gene by gene."""
    n, children = game.records, population - elites
    people = rng.integers(game.actions, size=(population, n), dtype=np.int16).tolist()
    best = []
    for generation in range(generations + 1):
        payoffs = [game.evaluate(profile_of(game, genes)).payoff for genes in people]
        best.append(max(payoffs))
        if generation == generations:
            return best, profile_of(game, people[payoffs.index(best[-1])])
        ranked = sorted(range(population), key=lambda i: (payoffs[i], i), reverse=True)
        mating, made = [people[i] for i in ranked[:parents]], []
        for i, cuts in enumerate(rng.integers(1, n + 1, size=(children, crossover_points))):
            swapped = [sum(cut <= r for cut in cuts) % 2 for r in range(n)]
            made.append([mating[(i + swapped[r]) % parents][r] for r in range(n)])
        changes = rng.random((children, n)) < mutation
        steps = iter(rng.integers(1, game.actions, size=changes.sum()).tolist())
        for i, r in np.argwhere(changes):
            made[i][r] = (made[i][r] + next(steps)) % game.actions
        people = [people[i] for i in ranked[:elites]] + made


@pytest.mark.parametrize("seed", range(8))
def test_a_run_is_that_of_the_twin(seed):
    drawn = np.random.default_rng(seed)
    counts, population = drawn.multinomial(9, [0.1, 0.4, 0.3, 0.2]), int(drawn.integers(4, 20))
    kernel = drawn.dirichlet(np.full(4, 2.0), (3, 4))
    game = pb.NVOGame(counts, kernel, epsilon=drawn.uniform(0.2, 1.0), delta=0.02 * (seed % 2))
    options = {
        "generations": 12,
        "population": population,
        "parents": int(drawn.integers(2, population + 1)),
        "elites": int(drawn.integers(1, population)),
        "mutation": 0.1,
        "crossover_points": int(drawn.integers(1, 4)),
    }
    found = pb.approximate_enumeration(game, rng=np.random.default_rng(seed), **options)
    best, profile = evolved(game, np.random.default_rng(seed), **options)
    assert_allclose(found.payoffs, best, rtol=1e-12)
    assert_array_equal(found.profile, profile)
    assert found.generations == 12
    assert found.evaluations == population + 12 * (population - options["elites"])


def test_every_cut_is_equally_likely():
    """Each position at 20,000 draws: 10 cells within 5 standard deviations (p < 1e-5 in all)."""
    mating = np.array([[0] * 10, [1] * 10])
    made = crossed(mating, 20_000, 1, np.random.default_rng(3))
    lengths = np.where(made[::2] == 0, 1, 0).sum(axis=1)  # genes of the first parent
    observed = np.bincount(lengths, minlength=11)[1:]
    expected, deviation = 1000.0, np.sqrt(10_000 * 0.1 * 0.9)
    assert (abs(observed - expected) < 5 * deviation).all()


@pytest.mark.parametrize("probability", [0.0, 0.05, 0.5])
def test_mutation_has_its_rate_and_never_keeps_a_gene(probability):
    """A tally of 10^6 genes stays within 5 standard deviations (false alarm below 1e-6)."""
    genes = np.tile(np.arange(4), (1000, 250))
    made = mutated(genes, 4, probability, np.random.default_rng(5))
    changed = (made != genes).mean()
    assert abs(changed - probability) <= 5 * np.sqrt(probability * (1 - probability) / genes.size)
    if probability:
        steps = np.bincount(((made - genes) % 4).ravel(), minlength=4)[1:] / genes.size
        assert np.allclose(steps, probability / 3, atol=5 * np.sqrt(probability / 3e6))


def test_one_action_cannot_mutate():
    genes = np.zeros((3, 4), dtype=int)
    assert_array_equal(mutated(genes, 1, 0.9, np.random.default_rng(0)), genes)


# --- what it finds ---------------------------------------------------------------------------


@settings(max_examples=25)
@given(games_with_profiles(), st.integers(0, 2**32 - 1))
def test_the_payoff_never_falls_and_is_that_of_the_profile(case, seed):
    game, _ = case
    found = pb.approximate_enumeration(game, rng=np.random.default_rng(seed), **SMALL)
    assert len(found.payoffs) == found.generations + 1 == 16
    assert (np.diff(found.payoffs) >= 0).all()
    assert game.evaluate(found.profile).payoff == pytest.approx(found.payoffs[-1], abs=1e-9)
    assert_array_equal(found.profile.sum(axis=1), game.counts)


@compiled
def test_it_finds_the_optimum_of_a_tiny_game_and_never_beats_it(game):
    optimum = naive.private_optimum(game)
    options = {"generations": 60, "population": 80}
    found = [
        pb.approximate_enumeration(game, rng=np.random.default_rng(seed), **options)
        for seed in range(10)
    ]
    ends = np.array([each.divergence for each in found])
    assert all(each.private_records == 7 for each in found)
    assert (ends >= optimum - 1e-12).all()
    assert np.isclose(ends, optimum).sum() >= 8


@compiled
def test_best_responses_are_better_and_cheaper_on_the_heights():
    heights = pb.load_heights()["height"]
    game = pb.NVOGame.from_data(
        heights, epsilon=1.0, multipliers=(3, 2, 1, 0.033, 0.02), grid_epsilon=1.0
    )
    alone = pb.best_response_dynamics(game, start=game.constant_profile(0))
    found = pb.approximate_enumeration(game, rng=np.random.default_rng(0), generations=10)
    assert alone.private_records == found.private_records == 1317
    assert found.divergence > 10 * alone.divergence


def test_the_committed_runs_are_what_the_text_says():
    table = committed_table("enumeration")
    last = table[table.generation == table.generations]
    assert (last[last.generations == 270].seconds < 60).all()
    for _, run in table.groupby(["actions", "mutation", "seed", "generations"]):
        assert (run.sort_values("generation").payoff.diff().dropna() >= 0).all()
    kl = (1318 - last.set_index(["actions", "mutation"]).payoff) * np.log(101)
    assert kl["finer", 0.05].min() > 0.2 and kl["finer", 0.001].max() < 0.02


def test_the_defaults_are_those_of_the_paper():
    stated = {
        "generations": 270,
        "population": 500,
        "parents": 10,
        "elites": 5,
        "mutation": 0.05,
        "crossover_points": 2,
    }
    parameters = inspect.signature(pb.approximate_enumeration).parameters
    assert {name: parameters[name].default for name in stated} == stated


# --- when it stops, and what it leaves alone --------------------------------------------------


def test_patience_stops_a_run(game):
    options = SMALL | {"generations": 200}
    patient = pb.approximate_enumeration(game, rng=np.random.default_rng(1), patience=7, **options)
    assert patient.converged and patient.generations < 200
    assert patient.payoffs[-1] == patient.payoffs[-8] > patient.payoffs[-9]
    changes = np.flatnonzero(np.diff(patient.payoffs) > 0)
    assert (np.diff([-1, *changes]) <= 7).all()  # it had not stalled before
    full = pb.approximate_enumeration(game, rng=np.random.default_rng(1), **options)
    assert full.generations == 200 and not full.converged
    assert_array_equal(full.payoffs[: patient.generations + 1], patient.payoffs)


def test_a_seed_repeats_and_global_state_is_left_alone(game):
    before = np.random.get_state()[1].copy(), random.getstate()  # noqa: NPY002
    one, two = (
        pb.approximate_enumeration(game, rng=np.random.default_rng(0), **SMALL) for _ in range(2)
    )
    assert_array_equal(one.profile, two.profile)
    assert_array_equal(one.payoffs, two.payoffs)
    assert_array_equal(np.random.get_state()[1], before[0])  # noqa: NPY002
    assert random.getstate() == before[1]


def test_it_is_silent_unless_asked(game, capfd):
    pb.approximate_enumeration(game, rng=np.random.default_rng(0), **SMALL)
    assert capfd.readouterr() == ("", "")
    pb.approximate_enumeration(game, rng=np.random.default_rng(0), progress=True, **SMALL)
    out, err = capfd.readouterr()
    assert "generations" in out + err and "15/15" in out + err


@pytest.mark.parametrize(
    ("argument", "refused", "accepted"),
    [
        ("generations", [0], [1]),
        ("population", [1], [5]),
        ("parents", [1], [2, 30]),
        ("elites", [0], [1, 29]),
        ("mutation", [-0.1, 1.0], [0.0]),
        ("crossover_points", [0], [1]),
        ("patience", [0], [1, None]),
    ],
)
def test_where_arguments_end(game, argument, refused, accepted):
    good = {"game": game, "rng": np.random.default_rng(0)} | SMALL
    check_bounds(pb.approximate_enumeration, good, argument, refused, accepted)


@pytest.mark.parametrize("beyond", [{"parents": 31}, {"elites": 30}, {"population": 4}])
def test_parents_and_elites_fit_into_the_population(game, beyond):
    with pytest.raises(ValueError, match=r"^parents and elites must fit into a population of \d+"):
        pb.approximate_enumeration(game, rng=np.random.default_rng(0), **(SMALL | beyond))


def test_too_many_genes_are_refused_before_they_are_made():
    game = pb.NVOGame([10**9, 1], pb.laplace_kernel(2, [0.1, 1.0]), epsilon=1.0)
    with pytest.raises(ValueError, match=r"\(500 x 1000000001 numbers\)"):
        pb.approximate_enumeration(game, rng=np.random.default_rng(0))
    game = pb.NVOGame([2**27, 1], pb.laplace_kernel(2, [0.1, 1.0]), epsilon=1.0)
    with pytest.raises(ValueError, match=r"a generation .* got population=2$"):
        pb.approximate_enumeration(
            game, rng=np.random.default_rng(0), population=2, parents=2, elites=1
        )
