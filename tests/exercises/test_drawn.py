"""Cases that are drawn: solutions pass at every seed, and known answers do not."""

from __future__ import annotations

import os
import pickle
from types import FunctionType
from typing import Any

import numpy as np
import pytest

from pdpbook_exercises import Exercise, check, score
from pdpbook_exercises.checks.cases import DRAWN
from pdpbook_exercises.checks.checking import module_of, results
from tests.exercises.test_answers import exercises
from tests.tools.answers import right_answers, wrong_answers

SEEDS = range(int(os.environ.get("PDPBOOK_SEEDS", "3")))  # CONTRIBUTING.md says when to try more
OTHERS = SEEDS[1:]  # test_answers.py tries the fixed cases, and what seed 0 draws
ALL = [*exercises()]
DRAWING = [each for each in ALL if each.values[1].draw is not None]


@pytest.mark.parametrize(("name", "exercise"), ALL)
def test_an_exercise_draws_something_or_says_why_not(name: str, exercise: Exercise) -> None:
    """Cases, or the instance of each student (tests/exercises/test_instances.py)."""
    ways = exercise.draw is not None, exercise.own is not None, bool(exercise.fixed)
    assert sum(ways) == 1, f"{name}: {ways}"
    assert callable(exercise.cases) == ways[1], "hard cases are the same at every seed"
    assert len(exercise.drawn(0)) == (DRAWN if exercise.draw else 0)
    assert all(case.hint for case in exercise.at(0))
    assert exercise.fixed == "" or exercise.fixed.endswith(".")


def test_most_exercises_draw() -> None:
    assert len(DRAWING) >= 0.75 * len(ALL), f"{len(DRAWING)} of {len(ALL)}"


@pytest.mark.parametrize(("name", "exercise"), DRAWING)
def test_right_answers_pass_at_every_seed(name: str, exercise: Exercise) -> None:
    drawn = Exercise([case for seed in OTHERS for case in exercise.drawn(seed)])
    chapter, title = name.split("/")
    failed = []
    for number, answer in enumerate(right_answers(name)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setitem(module_of(chapter).EXERCISES, title, drawn)
            verdicts = [*results(name, answer)]
        failed += [f"right[{number}]: {each.message}" for each in verdicts if not each]
    assert not failed


@pytest.mark.parametrize(("name", "exercise"), DRAWING)
def test_wrong_answers_fail_at_every_seed(name: str, exercise: Exercise) -> None:
    """At other seeds the fixed cases, which come first, are the same, and so is the verdict."""
    fixed = len(exercise.at(0)) - DRAWN
    for number, (answer, _) in enumerate(wrong_answers(name)):
        first = check(name, answer, hint=0)
        if not any(f"case {i} of" in first.message for i in range(1, fixed + 1)):
            passed = [seed for seed in OTHERS if check(name, answer, hint=0, seed=seed)]
            assert not passed, f"wrong[{number}] passes at the seeds {passed}"
        assert not first


def _key(arguments: tuple[Any, ...]) -> bytes | None:
    """Tell inputs apart; None for those that hold functions."""
    try:
        return pickle.dumps([a.tolist() if isinstance(a, np.ndarray) else a for a in arguments])
    except Exception:
        return None


@pytest.mark.parametrize(("name", "exercise"), DRAWING)
def test_a_table_of_known_answers_is_worth_nothing_elsewhere(name: str, exercise: Exercise) -> None:
    """A table of all that a check asks at seed 0 does not hold a drawn case of another seed."""
    answers = [each for each in right_answers(name) if isinstance(each, FunctionType)]
    if not answers:
        pytest.skip("no right answer is a function of Python")
    table: dict[bytes, Any] = {}
    unknown = [0]

    def learns(*arguments: Any) -> Any:
        key = _key(arguments)
        value = answers[0](*arguments)
        if key is not None:
            table[key] = value
        return value

    def knows(*arguments: Any) -> Any:
        key = _key(arguments)
        if key is None:  # it is called with functions: no table holds their answers
            unknown[0] += 1
            return answers[0](*arguments)
        return table[key]

    assert check(name, learns)
    held, total = score(name, knows, seed=1)
    assert unknown[0] or held < total, f"{held} of {total}"
