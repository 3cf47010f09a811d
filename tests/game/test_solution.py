"""Tests of what solvers share: one protocol, true numbers, one order of arguments."""

import dataclasses
import inspect
import math

import numpy as np
import pytest

import pdpbook as pb
from pdpbook.game.best_response import BestResponse
from pdpbook.game.genetic import Enumeration
from pdpbook.game.optimum import Certificate
from pdpbook.game.solution import Solution

SOLVERS = {
    "best responses": pb.best_response_dynamics,
    "coordinated moves": pb.coordinated_best_response,
    "enumeration": pb.approximate_enumeration,
    "certified optimum": pb.certified_optimum,
}
OPTIONS = {
    "best responses": [{}, {"max_sweeps": 1}],
    "coordinated moves": [{}, {"restarts": 2}],
    "enumeration": [{"generations": 4, "population": 10, "parents": 3}],
    "certified optimum": [{}, {"relative_gap": 0.5}],
}
#: The order in which the solvers take what they share.
SHARED = ["game", "start", "rng", "progress"]


def games():
    """A game in which all can be private, one with a delta, and one in which nobody can."""
    kernel = pb.laplace_kernel(5, [0.05, 0.2, 1.0])
    yield pb.NVOGame([0, 4, 2, 0, 1], kernel, epsilon=1.0)
    yield pb.NVOGame([0, 4, 2, 0, 1], kernel, epsilon=0.5, delta=0.05)
    yield pb.NVOGame([3, 0, 1], pb.laplace_kernel(3, [0.05]), epsilon=0.5)


@pytest.mark.parametrize("result", [Solution, BestResponse, Certificate, Enumeration])
def test_seconds_say_that_the_first_call_compiles(result):
    _, _, said = inspect.getdoc(result).partition("\nseconds : float\n")
    meaning = said.split("\n\n")[0]
    assert "first call" in meaning and "compiles" in meaning


@pytest.mark.parametrize("name", SOLVERS)
def test_every_solver_returns_a_solution_whose_numbers_are_true(name):
    solver, without = SOLVERS[name], 0
    for game in games():
        for options in OPTIONS[name]:
            if "rng" in inspect.signature(solver).parameters:
                options = options | {"rng": np.random.default_rng(0)}
            found = solver(game, **options)
            assert isinstance(found, Solution) and found.seconds > 0.0
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
    assert without == (2 if name == "certified optimum" else 0)


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("profile", lambda game, given: game.evaluate(given)),
        ("profile", lambda game, given: pb.audit.profile_randomiser(game, given, empty_action=0)),
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
        message = (
            f"{name} must be an array, which is the .profile of the {kind}, got {name}=<{kind}"
        )
        with pytest.raises(TypeError, match=message):
            call(game, given)


@pytest.mark.parametrize("name", SOLVERS)
def test_all_but_the_game_goes_by_name_and_in_one_order(name):
    parameters = inspect.signature(SOLVERS[name]).parameters
    assert next(iter(parameters)) == "game"
    named = [p for p in parameters.values() if p.kind is inspect.Parameter.KEYWORD_ONLY]
    assert len(named) == len(parameters) - 1
    shared = [each for each in parameters if each in SHARED]
    assert shared == [each for each in SHARED if each in shared]
    assert "progress" not in parameters or parameters["progress"].default is False
    assert "start" not in parameters or parameters["start"].default is None


def test_whether_a_solver_came_to_its_end():
    game = next(games())
    assert not pb.best_response_dynamics(
        game, start=game.constant_profile(2), max_sweeps=1
    ).converged
    small = {"generations": 60, "population": 10, "parents": 3}
    for patience, converged in ((None, False), (5, True)):
        rng = np.random.default_rng(0)
        found = pb.approximate_enumeration(game, rng=rng, patience=patience, **small)
        assert found.converged == converged == (found.generations < 60)
