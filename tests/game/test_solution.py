"""Tests of what the solvers share: one base, true numbers, one order of arguments."""

import dataclasses
import inspect
import math
import time

import numpy as np
import pytest

import pdpbook as pb
from pdpbook.game import Solution

#: The solvers, and options with which they run.
SOLVERS = {
    pb.best_response_dynamics: [{}, {"max_sweeps": 1}],
    pb.coordinated_best_response: [{}, {"restarts": 2}],
    pb.approximate_enumeration: [{"generations": 4, "population": 10, "parents": 3}],
    pb.certified_optimum: [{}, {"relative_gap": 0.5}],
}
#: The order in which the solvers take what they share.
SHARED = ["game", "start", "rng", "progress"]
solvers = pytest.mark.parametrize("solver", SOLVERS, ids=lambda solver: solver.__name__)


def games():
    """A game in which all can be private, one with a delta, and one in which nobody can."""
    kernel = pb.laplace_kernel(5, [0.05, 0.2, 1.0])
    yield pb.NVOGame([0, 4, 2, 0, 1], kernel, epsilon=1.0)
    yield pb.NVOGame([0, 4, 2, 0, 1], kernel, epsilon=0.5, delta=0.05)
    yield pb.NVOGame([3, 0, 1], pb.laplace_kernel(3, [0.05]), epsilon=0.5)


@solvers
def test_every_solver_returns_a_solution_whose_numbers_are_true(solver):
    without = 0
    for game in games():
        for options in SOLVERS[solver]:
            if "rng" in inspect.signature(solver).parameters:
                options = options | {"rng": np.random.default_rng(0)}
            began = time.perf_counter()
            found = solver(game, **options)
            assert isinstance(found, Solution)
            assert 0.0 < found.seconds <= time.perf_counter() - began
            assert isinstance(found.converged, bool)
            with pytest.raises(dataclasses.FrozenInstanceError):
                found.profile = None
            if found.profile is None:
                assert (found.divergence, found.private_records) == (math.inf, 0)
                without += 1
                continue
            outcome = game.evaluate(found.profile)
            assert found.divergence == outcome.divergence
            assert found.private_records == outcome.private_records
            if hasattr(found, "payoffs"):
                assert found.payoffs[-1] == pytest.approx(outcome.payoff, abs=1e-9)
    assert without == (2 if solver is pb.certified_optimum else 0)


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("profile", lambda game, given: game.evaluate(given)),
        ("start", lambda game, given: pb.best_response_dynamics(game, start=given)),
        ("start", lambda game, given: pb.coordinated_best_response(game, start=given)),
        ("start", lambda game, given: pb.certified_optimum(game, start=given)),
    ],
)
def test_who_passes_a_solution_for_a_profile_is_told_of_its_attribute(name, call):
    game = next(games())
    found = pb.best_response_dynamics(game, start=game.constant_profile(2))
    for given in (found, game.evaluate(found.profile)):
        kind = type(given).__name__
        message = f"{name} must be an array, namely the .profile of the {kind}, got {name}=<{kind}"
        with pytest.raises(TypeError, match=message):
            call(game, given)


@solvers
def test_all_but_the_game_goes_by_name_and_in_one_order(solver):
    parameters = inspect.signature(solver).parameters
    assert next(iter(parameters)) == "game"
    named = [p for p in parameters.values() if p.kind is inspect.Parameter.KEYWORD_ONLY]
    assert len(named) == len(parameters) - 1
    shared = [each for each in parameters if each in SHARED]
    assert shared == [each for each in SHARED if each in shared]
    assert "progress" not in parameters or parameters["progress"].default is False
    assert "start" not in parameters or parameters["start"].default is None
