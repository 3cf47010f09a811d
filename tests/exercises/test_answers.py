"""Wrong answers to every exercise are refused and told what is wrong; right ones pass.

The answers stand in ``tests/exercises/answers``, one file for each chapter.
"""

import copy
from collections.abc import Iterator
from types import FunctionType
from typing import Any

import numpy as np
import pytest

from pdpbook_exercises import Case, Exercise, check
from pdpbook_exercises.checks.checking import module_of, results
from tests.conftest import NIGHTLY
from tests.test_exercises import CHAPTERS
from tests.tools.answers import answers_module, misconceptions, right_answers, wrong_answers
from tests.tools.notebooks import ROOT


def exercises() -> Iterator[Any]:
    """Each exercise of the book with its name, and the warnings that its answers may give."""
    for page in sorted(CHAPTERS, key=lambda page: page.stem):
        warnings = getattr(answers_module(page.stem), "WARNINGS", ())
        marks = [pytest.mark.filterwarnings(f"ignore:{text}") for text in warnings]
        for title, exercise in module_of(page.stem).EXERCISES.items():
            name = f"{page.stem}/{title}"
            yield pytest.param(name, exercise, id=name, marks=marks)


@pytest.mark.parametrize(("name", "exercise"), [*exercises()])
def test_wrong_answers_are_told_what_is_wrong(name: str, exercise: Exercise) -> None:
    answers = wrong_answers(name)
    assert len(answers) >= 3, "an exercise is kept from three plausible mistakes, at least"
    failed = []
    for number, (answer, words) in enumerate(answers):
        result = check(name, answer)
        known = number >= len(answers) - len(misconceptions(name))  # its hint may stand elsewhere
        if result or not (known or words in result.message):
            failed.append(f"wrong[{number}] must get {words!r}, got {result.message!r}")
    assert not failed, "\n".join(["", *failed])


@pytest.mark.filterwarnings("ignore")
def test_every_known_misconception_gets_its_hint_somewhere() -> None:
    """In one of the cases that name it; elsewhere it may agree with another one."""
    missed = []
    for each in exercises():
        name, exercise = each.values
        for answer, hint in misconceptions(name):
            cases = [case for case in exercise.at(0) if hint in case.wrong_answers]
            if hint != NOT_REACHED and not any(hint in told(name, case, answer) for case in cases):
                missed.append(f"{name}: {hint}")
    assert not missed, "\n".join(["", *missed])


def told(name: str, case: Case, answer: Any) -> str:
    """What a check of one case says of an answer."""
    chapter, title = name.split("/")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(module_of(chapter).EXERCISES, title, Exercise([case]))
        return check(name, answer).message


@pytest.mark.parametrize(("name", "exercise"), [*exercises()])
def test_right_answers_pass(name: str, exercise: Exercise) -> None:
    results = [check(name, answer) for answer in right_answers(name)]
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
    for answer in right_answers(name)[:1]:
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
@pytest.mark.parametrize(("name", "exercise"), [*exercises()][:: 1 if NIGHTLY else 3])
def test_an_answer_that_spoils_its_input_fails(name: str, exercise: Exercise) -> None:
    right = next((each for each in right_answers(name) if callable(each)), None)
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
    alone = [each.id for each in exercises() if not right_answers(each.id)]
    assert alone == ["other-mechanisms/private-mean"]


def test_the_answers_stand_in_the_parts_of_the_chapters() -> None:
    folder = ROOT / "tests" / "exercises" / "answers"
    assert len([*folder.rglob("*.py")]) == len(CHAPTERS)


#: A hint for lost digits in *individual-accounting/budget*: no case loses enough of them.
NOT_REACHED = "Two nearly equal roots lose their digits when they are subtracted."


def doings(answer: Any) -> Any:
    """What a function does, whatever its arguments are called; a value as it is shown."""
    code = getattr(answer, "__code__", None)
    if code is None:
        return repr(answer)
    held = [repr(cell.cell_contents) for cell in answer.__closure__ or ()]
    return code.co_code, code.co_names, repr(code.co_consts), *held


def test_a_misconception_is_not_written_twice() -> None:
    """What a case names in ``mistakes=`` is handed in from there; the files have what is new."""
    twice = []
    for each in exercises():
        known = misconceptions(each.id)
        written = {doings(answer) for answer, _ in known}
        for number, (answer, words) in enumerate(wrong_answers(each.id)[: -len(known) or None]):
            if isinstance(answer, FunctionType) and doings(answer) in written:
                twice.append(f"{each.id}: wrong[{number}], {words!r}")
    assert not twice


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
