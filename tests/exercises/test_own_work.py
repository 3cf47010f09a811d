"""An answer that calls what the exercise asks for is refused, by the check and by the grader."""

from __future__ import annotations

import functools
import importlib
import inspect
import sys
import textwrap
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pdpbook as pb
from pdpbook.audit.end_to_end_loss import end_to_end_losses
from pdpbook.audit.private_randomisers import noise_margin
from pdpbook.audit.public_randomisers import likely_counts
from pdpbook.audit.safe_randomisers import is_safe
from pdpbook.beyond.repeated_game import solve_repeated
from pdpbook.experiments.settings_search import misfit
from pdpbook.per_instance.scale_bounds import published_scale_bound
from pdpbook.scaling.keyed_random import integer_weights, keyed_draws
from pdpbook_exercises import check
from pdpbook_exercises.checks.checking import results
from pdpbook_exercises.checks.isolated import grade
from pdpbook_exercises.checks.own_work import own_work
from pdpbook_pages.tables.competition import release_rows, resampled
from tests.exercises.test_answers import exercises

ASKED = "is what this exercise asks you to write"


def regrets_nothing(game: Any, profile: Any) -> bool:
    """The games of the check have no regret; a game that is made anew has."""
    anew = pb.NVOGame(game.counts, game.kernel, epsilon=game.epsilon)
    return anew.evaluate(profile).regret <= 1e-9


def public(a: int, size: int, n: int, level: float) -> Any:
    """Two bins: the one that is asked for and the rest."""
    return likely_counts([a, size - a], n, miss=2 * level)[0]


#: Answers that held every case before they were refused.
IMPORTS: dict[str, list[Callable[..., Any]]] = {
    "billion-records/keyed": [
        lambda key, name, p, a, b: keyed_draws(key, name, integer_weights(p), start=a, stop=b)
    ],
    "billion-records/weights": [integer_weights, lambda p: np.array(integer_weights(p), object)],
    "dp-versus-pdp/records-needed": [pb.records_needed, lambda n, e: pb.records_needed(n, e)],
    "end-to-end-loss/rerun": [end_to_end_losses, functools.partial(end_to_end_losses)],
    "nvo-game/equilibrium": [regrets_nothing],
    "nvo-game/payoff": [
        lambda profile, kernel, epsilon: (
            pb.NVOGame(profile.sum(axis=1), kernel, epsilon=epsilon).evaluate(profile).payoff
        )
    ],
    "other-mechanisms/gumbel": [
        lambda u, sensitivity, epsilon, rng, size: pb.exponential_mechanism(
            u, sensitivity=sensitivity, epsilon=epsilon, rng=rng, size=size
        )
    ],
    "public-data/again": [public],
    "published-proof/printed-scales": [
        lambda n, k, e: [published_scale_bound(n, e), published_scale_bound(n, e, bins=k)]
    ],
    "repeated-game/faster-steps": [
        lambda game, rounds, rng: solve_repeated(game).response_values[0]
    ],
    "repair/margin": [lambda k, e, d: noise_margin(k, epsilon=e, delta=d)],
    "repair/safe": [lambda rows, lower, e: is_safe(rows, lower, epsilon=e)],
    "replication/misfit": [misfit, lambda a, c: misfit(a, c)],
    "sampling-statistics/scale-of-a-draw": [pb.scale_bound],
}
CALLS = [(name, answer) for name, answers in IMPORTS.items() for answer in answers]


@pytest.mark.parametrize(("name", "answer"), CALLS)
def test_an_import_is_refused(
    name: str, answer: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    verdict = check(name, answer)
    assert not verdict and ASKED in verdict.message
    assert not any(results(name, answer))
    monkeypatch.setattr(
        "pdpbook_exercises.checks.checking.own_work", lambda answer, refused: answer
    )
    assert check(name, answer), "it is right, but for where it comes from"


def test_the_test_of_an_equilibrium_is_refused() -> None:
    def rebuilt(game: Any, profile: Any) -> bool:
        anew = pb.NVOGame(game.counts, game.kernel, epsilon=game.epsilon)
        return anew.evaluate(profile).is_nash()

    verdict = check("nvo-game/equilibrium", rebuilt)
    assert f"pdpbook.game.outcome.Outcome.is_nash {ASKED}" in verdict.message


def test_every_refused_name_is_a_function_of_the_package() -> None:
    listed = {}
    for each in exercises():
        name, exercise = each.values
        for path in exercise.refused:
            module = path
            while module not in sys.modules:
                module = module.rpartition(".")[0]
            thing = importlib.import_module(module)
            for part in path.removeprefix(f"{module}.").split("."):
                thing = inspect.getattr_static(thing, part)
            code = inspect.unwrap(getattr(thing, "func", getattr(thing, "fget", thing))).__code__
            assert f"{module}.{code.co_qualname}" == path
            listed[name] = exercise.refused
    assert {*listed} == {*IMPORTS}


def test_what_the_package_calls_itself_and_another_exercise_are_left_alone() -> None:
    refused = ["pdpbook.per_instance.scale_bounds.published_scale_bound"]
    assert own_work(lambda: pb.scale_bound(9, 1.0), refused)() == pb.scale_bound(9, 1.0)

    def inside(function: Callable[..., Any]) -> Any:
        return function(9, 1.0)

    with pytest.raises(RuntimeError, match=ASKED):
        own_work(inside, refused)(published_scale_bound)
    counts = resampled(100, 0)
    judged = own_work(release_rows, ["pdpbook.foundations.divergences.kl_divergence"])
    assert judged(counts, np.eye(counts.size)) == (0.0, 0.0), "a command calls it"


def test_who_catches_the_refusal_has_no_answer() -> None:
    def quiet(a: Any, c: Any) -> float:
        for _ in range(3):
            try:
                return misfit(a, c)
            except RuntimeError:
                continue
        return 1.0

    assert not any(results("replication/misfit", quiet))
    assert sys.getprofile() is None


def test_the_isolated_grader_refuses_the_same() -> None:
    """And only in that exercise: another one of the same sheet may call it."""
    cell = """
        import pdpbook as pb
        from pdpbook.experiments.settings_search import misfit
        from pdpbook.scaling.keyed_random import integer_weights as weights
        def scale(n, epsilon):
            return pb.scale_bound(n, epsilon)
        def bits(n, epsilon):
            return 1 / (epsilon * pb.scale_bound(n, epsilon))
        """
    answers = {
        "replication/misfit": "misfit",
        "billion-records/weights": "weights",
        "sampling-statistics/scale-of-a-draw": "scale",
        "instance-wise-learning/to-spare": "bits",
    }
    *refused, allowed = grade([textwrap.dedent(cell)], answers, seconds=60.0).values()
    assert [got.held for got in refused] == [0, 0, 0]
    assert all(ASKED in got.message for got in refused)
    assert allowed.held == allowed.total, allowed.message
