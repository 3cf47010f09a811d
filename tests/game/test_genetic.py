"""Tests of the genetic algorithm: its operators, its payoffs, when it stops, what it finds."""

import inspect
import random
import sys

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

import pdpbook as pb
from pdpbook import _loops
from pdpbook.game.genetic import crossed, mutated
from tests import naive
from tests.game.strategies import games_with_profiles

compiled = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="too slow without compilation")
SMALL = {"generations": 15, "population": 30, "parents": 5, "elites": 3}


@pytest.fixture
def game() -> pb.NVOGame:
    return pb.NVOGame([0, 4, 2, 0, 1], pb.laplace_kernel(5, [0.05, 0.2, 1.0]), epsilon=1.0)


# --- the parts -------------------------------------------------------------------------------


@given(games_with_profiles())
def test_fitness_is_the_payoff(case):
    game, profile = case
    bins, actions = naive.records_of(profile)
    q = game.frequency[game.frequency > 0]
    payoffs = _loops.population_payoffs(
        game.compiled,
        np.vstack([actions, actions]),
        bins,
        np.log(game.bins),
        float((q * np.log(q)).sum()),
    )
    expected = naive.payoff(bins, actions, game.kernel, game.epsilon)
    assert payoffs == pytest.approx([expected, expected], abs=1e-9)


@given(st.integers(2, 6), st.integers(1, 30), st.integers(1, 20), st.integers(1, 5), st.integers(0))
def test_children_have_the_genes_of_their_parents(parents, genes, children, points, seed):
    mating = np.arange(parents * genes).reshape(parents, genes)
    made = crossed(mating, children, points, np.random.default_rng(seed))
    assert made.shape == (children, genes)
    for i, child in enumerate(made):
        first, second = mating[i % parents], mating[(i + 1) % parents]
        from_first = child == first
        assert (from_first | (child == second)).all()
        assert from_first[0]  # a cut comes after the first gene at the earliest
        assert np.count_nonzero(np.diff(from_first)) <= points


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
    assert not abs(changed - (probability + 0.005)) <= 5 * np.sqrt(0.25 / genes.size)
    assert made.min() >= 0 and made.max() <= 3
    if probability:
        steps = np.bincount(((made - genes) % 4).ravel(), minlength=4)[1:] / genes.size
        assert np.allclose(steps, probability / 3, atol=5 * np.sqrt(probability / 3e6))


def test_one_action_cannot_mutate():
    genes = np.zeros((3, 4), dtype=int)
    assert_array_equal(mutated(genes, 1, 0.9, np.random.default_rng(0)), genes)


# --- a run -----------------------------------------------------------------------------------


@settings(max_examples=25)
@given(games_with_profiles(), st.integers(0, 2**32 - 1))
def test_a_run_is_monotone_and_consistent(case, seed):
    game, _ = case
    found = pb.approximate_enumeration(game, rng=np.random.default_rng(seed), **SMALL)
    assert len(found.payoffs) == found.generations + 1 == 16
    assert (np.diff(found.payoffs) >= 0).all()
    assert game.evaluate(found.profile).payoff == pytest.approx(found.payoffs[-1], abs=1e-9)
    assert 0 < found.evaluations <= 30 + 15 * 27
    bins, actions = naive.records_of(found.profile)
    assert_array_equal(naive.profile_of(bins, actions, found.profile.shape), found.profile)
    assert_array_equal(found.profile.sum(axis=1), game.counts)


@compiled
def test_it_finds_the_optimum_of_a_tiny_game_and_never_beats_it(game):
    optimum = naive.private_optimum(game)
    found = [
        pb.approximate_enumeration(
            game, rng=np.random.default_rng(seed), generations=60, population=80
        )
        for seed in range(10)
    ]
    ends = np.array([game.evaluate(f.profile).divergence for f in found])
    assert all(game.evaluate(f.profile).private_records == 7 for f in found)
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
    assert alone.private_counts[-1] == game.evaluate(found.profile).private_records == 1317
    assert game.evaluate(found.profile).divergence > 10 * alone.divergence


def test_the_committed_runs_are_what_the_text_says():
    from importlib.resources import files

    import pandas as pd

    table = pd.read_csv(str(files("pdpbook") / "game/data/enumeration.csv"), comment="#")
    last = table[table.generation == table.generations]
    assert (last[last.generations == 270].seconds < 60).all()
    for _, run in table.groupby(["actions", "mutation", "seed", "generations"]):
        assert (run.sort_values("generation").payoff.diff().dropna() >= 0).all()
    kl = (1318 - last.set_index(["actions", "mutation"]).payoff) * np.log(101)
    assert kl["finer", 0.05].min() > 0.2 and kl["finer", 0.001].max() < 0.02


def test_all_may_mate_and_the_elites_are_as_many_as_asked(game, monkeypatch):
    import pygad

    given, exact = [], pygad.GA.__init__

    def noted(self, **options):
        given.append(options)
        exact(self, **options)

    monkeypatch.setattr(pygad.GA, "__init__", noted)
    pb.approximate_enumeration(
        game, rng=np.random.default_rng(0), generations=2, population=8, parents=8, elites=4
    )
    asked = given[0]
    assert (asked["num_parents_mating"], asked["keep_elitism"]) == (8, 4)
    assert asked["parent_selection_type"] == "sss"  # steady state: the fittest mate
    assert asked["gene_type"] is np.int16 and asked["initial_population"].dtype == np.int16


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


def test_a_population_may_be_as_small_as_two(game):
    least = {"generations": 1, "population": 2, "parents": 2, "elites": 1}
    found = pb.approximate_enumeration(game, rng=np.random.default_rng(0), **least)
    assert len(found.payoffs) == 2


def test_evaluations_are_counted_and_the_first_payoff_is_the_best_of_the_first(game, monkeypatch):
    seen, exact = [], _loops.population_payoffs

    def noted(*arguments):
        seen.append(exact(*arguments))
        return seen[-1]

    monkeypatch.setattr(_loops, "population_payoffs", noted)
    found = pb.approximate_enumeration(game, rng=np.random.default_rng(0), **SMALL)
    assert found.evaluations == sum(map(len, seen))
    assert found.payoffs[0] == seen[0].max() > seen[0].min()


# --- when it stops -----------------------------------------------------------------------------


def test_patience_stops_a_run(game):
    options = SMALL | {"generations": 200}
    patient = pb.approximate_enumeration(game, rng=np.random.default_rng(1), patience=7, **options)
    assert patient.generations < 200
    assert patient.payoffs[-1] == patient.payoffs[-8] > patient.payoffs[-9]
    changes = np.flatnonzero(np.diff(patient.payoffs) > 0)
    assert (np.diff([-1, *changes]) <= 7).all()  # it had not stalled before
    full = pb.approximate_enumeration(game, rng=np.random.default_rng(1), **options)
    assert full.generations == 200
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


def test_delta_is_allowed():
    game = pb.NVOGame([2, 0, 3], pb.gaussian_kernel(3, [0.1, 1.0]), epsilon=0.5, delta=0.05)
    found = pb.approximate_enumeration(game, rng=np.random.default_rng(0), **SMALL)
    assert game.evaluate(found.profile).payoff == pytest.approx(found.payoffs[-1])


def test_pygad_is_not_imported_before_it_is_needed():
    import subprocess

    code = "import sys, pdpbook; sys.exit('pygad' in sys.modules or 'highspy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"rng": 0}, TypeError, r"rng must be a numpy\.random\.Generator, got rng=0"),
        ({"generations": 0}, ValueError, "generations=0"),
        ({"population": 1}, ValueError, "population=1"),
        ({"population": 20.0}, TypeError, r"population=20\.0"),
        ({"parents": 1}, ValueError, "parents=1"),
        ({"parents": 31}, ValueError, "population of 30, got parents=31"),
        ({"elites": 30}, ValueError, "elites=30"),
        ({"elites": 0}, ValueError, "elites=0"),
        ({"mutation": 1.0}, ValueError, r"mutation.*got mutation=1\.0"),
        ({"mutation": float("nan")}, ValueError, "mutation=nan"),
        ({"crossover_points": 0}, ValueError, "crossover_points=0"),
        ({"patience": 0}, ValueError, "patience=0"),
        ({"patience": True}, TypeError, "patience=True"),
    ],
)
def test_refused(game, options, error, message):
    with pytest.raises(error, match=message):
        pb.approximate_enumeration(game, **({"rng": np.random.default_rng(0)} | SMALL | options))


def test_too_many_genes_are_refused_before_they_are_made():
    game = pb.NVOGame([10**9, 1], pb.laplace_kernel(2, [0.1, 1.0]), epsilon=1.0)
    with pytest.raises(ValueError, match=r"\(500 x 1000000001 numbers\)"):
        pb.approximate_enumeration(game, rng=np.random.default_rng(0))
    game = pb.NVOGame([2**27, 1], pb.laplace_kernel(2, [0.1, 1.0]), epsilon=1.0)
    with pytest.raises(ValueError, match=r"a generation .* got population=2$"):
        pb.approximate_enumeration(
            game, rng=np.random.default_rng(0), population=2, parents=2, elites=1
        )
