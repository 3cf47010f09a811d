"""Wrong answers to every exercise are refused and told what is wrong; right ones pass.

The answers stand in the module of the chapter, beside the cases that they try.
"""

import copy
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from pdpbook_exercises import Exercise, check
from pdpbook_exercises.checks.checking import module_of, results
from tests.test_exercises import CHAPTERS
from tests.tools.notebooks import ROOT


def exercises() -> Iterator[Any]:
    """Each exercise of the book with its name, and the warnings that its answers may give."""
    for page in sorted(CHAPTERS, key=lambda page: page.stem):
        module = module_of(page.stem)
        ignored = [f"ignore:{text}" for text in getattr(module, "WARNINGS", ())]
        marks = [pytest.mark.filterwarnings(each) for each in ignored]
        for title, exercise in module.EXERCISES.items():
            name = f"{page.stem}/{title}"
            yield pytest.param(name, exercise, id=name, marks=marks)


@pytest.mark.parametrize(("name", "exercise"), [*exercises()])
def test_wrong_answers_are_told_what_is_wrong(name: str, exercise: Exercise) -> None:
    answers = exercise.wrong_answers()
    assert len(answers) >= 3, "an exercise is kept from three plausible mistakes, at least"
    failed = []
    for number, (answer, words) in enumerate(answers):
        result = check(name, answer)
        if result or words not in result.message:
            failed.append(f"wrong[{number}] must get {words!r}, got {result.message!r}")
    assert not failed


@pytest.mark.parametrize(("name", "exercise"), [*exercises()])
def test_right_answers_pass(name: str, exercise: Exercise) -> None:
    results = [check(name, answer) for answer in exercise.right_answers()]
    assert not [f"right[{n}]: {result.message}" for n, result in enumerate(results) if not result]


def spoilt(value: Any) -> Any:
    """The same with nan for every number."""
    if isinstance(value, list | tuple):
        return type(value)(map(spoilt, value)) if type(value) in (list, tuple) else value
    array = np.asarray(value)
    numbers = array.dtype.kind in "iuf"
    return np.full(array.shape, np.nan)[()] if numbers else value


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "exercise"), [*exercises()])
def test_nan_is_no_answer(name: str, exercise: Exercise) -> None:
    """A comparison with nan is false, so a judge that looks for an excess finds none."""
    for answer in list(exercise.right_answers())[:1]:
        if not callable(answer):
            assert not check(name, spoilt(answer)) or spoilt(answer) is answer
            continue
        given = []

        def not_numbers(*arguments: Any, given: list[Any] = given, right: Any = answer) -> Any:
            value = right(*arguments)
            given.append(value)
            return spoilt(value)

        verdict = check(name, not_numbers)
        assert not verdict or all(spoilt(value) is value for value in given)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "exercise"), [*exercises()])
def test_nothing_is_no_answer(name: str, exercise: Exercise) -> None:
    """An answer without a return is no stub: it computes something and keeps it."""

    def forgets(*arguments: Any) -> None:
        len(arguments)

    assert not any(results(name, forgets, hint=0))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "exercise"), [*exercises()])
def test_an_answer_that_spoils_its_input_fails(name: str, exercise: Exercise) -> None:
    right = next((each for each in exercise.right_answers() if callable(each)), None)
    if right is None or any(case.may_change for case in exercise.at(0)):
        pytest.skip("the answer is a value, or the exercise asks for the change")
    spoilt_inputs = []

    def spoils(*arguments: Any) -> Any:
        value = copy.deepcopy(right(*arguments))
        for each in arguments:
            if isinstance(each, np.ndarray) and each.flags.writeable and each.any():
                each[...] = 0
                spoilt_inputs.append(each)
            elif isinstance(each, list) and each:
                spoilt_inputs.append(each.copy())
                each.clear()
        return value

    verdict = check(name, spoils)
    if spoilt_inputs:
        assert not verdict
        assert check(name, right), "what the answer has spoilt stays so for the next one"


def test_a_solution_is_asserted_where_no_other_right_answer_is_known() -> None:
    """The pages of solutions assert theirs, nbval executes them; most have variants here, too."""
    alone = [each.id for each in exercises() if not each.values[1].right_answers()]
    assert alone == ["other-mechanisms/private-mean"]


def test_answers_may_be_made_when_they_are_asked_for() -> None:
    made = Exercise([], wrong=lambda: [(1, "one")], right=lambda: [2])
    assert made.wrong_answers() == [(1, "one")] and made.right_answers() == [2]


def test_the_modules_of_the_exercises_stand_in_the_parts_of_the_chapters() -> None:
    """Nothing else in the package has a dictionary of exercises."""
    package = ROOT / "pdpbook_exercises"
    found = {
        path.relative_to(package / "chapters")
        for path in package.rglob("*.py")
        if "\nEXERCISES = {" in path.read_text(encoding="utf-8")
    }
    pages = [page.relative_to(ROOT / "book") for page in CHAPTERS]
    assert found == {page.with_name(f"{page.stem.replace('-', '_')}.py") for page in pages}
