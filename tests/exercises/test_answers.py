"""The contract of every check: right answers pass at all seeds, and everything else is refused.

The answers are in ``tests/exercises/answers``, one file for each chapter.  Set PDPBOOK_SEEDS to try
more seeds than two.
"""

import copy
import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pdpbook_exercises import check
from pdpbook_exercises.checking import CHECKS
from tests.tools.answers import Answers, answers_of_all, right_answers, wrong_answers

BOOK = Path(__file__).parents[2] / "book"
SEEDS = range(int(os.environ.get("PDPBOOK_SEEDS", "2")))
ANSWERS = answers_of_all()
every_exercise = pytest.mark.parametrize(
    ("name", "answers"), [pytest.param(*each, id=each[0]) for each in ANSWERS.items()]
)
pytestmark = pytest.mark.filterwarnings("ignore")  # what the answers do is tried, not how


def test_each_exercise_of_the_book_has_a_check_and_answers() -> None:
    pages = [page for page in BOOK.glob("*/*.md") if page.parent.name != "instructors"]
    named = re.compile(r"""^check\(\s*["']([^"']+)["']""", re.MULTILINE)
    asked = {name for page in pages for name in named.findall(page.read_text(encoding="utf-8"))}
    assert sorted(asked) == sorted(CHECKS) == sorted(ANSWERS)


@every_exercise
def test_right_answers_pass_at_every_seed(name: str, answers: Answers) -> None:
    right = right_answers(name, answers)
    assert right
    for seed in SEEDS:
        verdicts = [check(name, answer, seed=seed) for answer in right]
        assert all(verdicts), [(seed, i, each) for i, each in enumerate(verdicts) if not each]


@every_exercise
def test_wrong_answers_are_refused_at_every_seed_and_told_why(name: str, answers: Answers) -> None:
    failed = []
    for number, (answer, words) in enumerate(wrong_answers(name, answers)):
        for seed in SEEDS:
            verdict = check(name, answer, seed=seed)
            if verdict or (seed == 0 and words not in verdict.message):
                failed.append(f"wrong[{number}] must get {words!r} at seed {seed}, got {verdict}")
    assert not failed, "\n".join(["", *failed])


def told(name: str, right: Any) -> tuple[set[str], set[str]]:
    """Hand in each named mistake at each comparison: all their sentences, and those it gets."""
    named, seen = set(), set()

    def watched(original: Any) -> Any:
        def compares(given: Any, right: Any, hint: str, mistakes: Any = None, **options: Any):
            for said, wrong in (mistakes or {}).items():
                named.add(said)
                try:
                    original(wrong, right, hint, mistakes, **options)
                except AssertionError as error:
                    seen.update([said] if said in error.args[0] else [])
            original(given, right, hint, mistakes, **options)

        return compares

    scope = CHECKS[name].function.__globals__
    with pytest.MonkeyPatch.context() as patch:
        for function in {"assert_close", "assert_equal"} & scope.keys():
            patch.setitem(scope, function, watched(scope[function]))
        assert check(name, right)
    return named, seen


@every_exercise
def test_each_named_mistake_is_refused_and_gets_its_sentence(name: str, answers: Answers) -> None:
    named, seen = told(name, right_answers(name, answers)[0])
    assert named == seen
    wrong = wrong_answers(name, answers)
    assert len(named) + len(wrong) >= 3, "an exercise is kept from three plausible mistakes"


def spoilt(value: Any) -> Any:
    """The same with nan for every number."""
    if type(value) in (list, tuple):
        return type(value)(map(spoilt, value))
    array = np.asarray(value)
    return np.full(array.shape, np.nan)[()] if array.dtype.kind in "iuf" else value


def forgets(*arguments: Any) -> None:
    """An answer without a return is no stub: it computes something and keeps it."""
    len(arguments)


def raises(*arguments: Any) -> Any:
    raise ZeroDivisionError(f"with {len(arguments)} arguments")


@every_exercise
def test_the_stub_nothing_and_an_exception_are_no_answers(name: str, answers: Answers) -> None:
    assert "still the stub" in check(name, ...).message
    if callable(right_answers(name, answers)[0]):
        assert "is a `return` missing?" in check(name, forgets).message
        assert "raised ZeroDivisionError: with" in check(name, raises).message


@every_exercise
def test_nan_is_no_answer(name: str, answers: Answers) -> None:
    """A comparison with nan is false, so a check that looks for an excess would find none."""
    right = right_answers(name, answers)[0]
    if not callable(right):
        assert not check(name, spoilt(right)) or spoilt(right) is right
        return
    returned = []

    def not_numbers(*arguments: Any) -> Any:
        returned.append(right(*arguments))
        return spoilt(returned[-1])

    assert not check(name, not_numbers) or all(spoilt(each) is each for each in returned)


@every_exercise
def test_an_answer_that_spoils_its_arguments_is_refused(name: str, answers: Answers) -> None:
    right = right_answers(name, answers)[0]
    if not callable(right):
        return
    changed = []

    def spoils(*arguments: Any) -> Any:
        value = copy.deepcopy(right(*arguments))
        for each in arguments:
            if isinstance(each, np.ndarray) and each.flags.writeable and each.any():
                changed.append(each.fill(0))
            elif isinstance(each, list) and each:
                changed.append(each.clear())
        return value

    verdict = check(name, spoils)
    assert bool(verdict) is not bool(changed)
    assert not changed or "changed its arguments" in verdict.message
    assert check(name, right), "what an answer has spoilt stays so for the next one"


@pytest.mark.parametrize("name", [name for name in ANSWERS if CHECKS[name].mine])
def test_each_student_has_numbers_with_a_solution(name: str) -> None:
    """Twenty names draw instances that differ, and the known way to solve them works for each."""
    students = [f"student {i}" for i in range(20 if len(SEEDS) > 5 else 4)]
    for me in students:
        verdicts = [check(name, each, me=me) for each in right_answers(name, ANSWERS[name], me)]
        assert verdicts and all(verdicts), (me, verdicts)
