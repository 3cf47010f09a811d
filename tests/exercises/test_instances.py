"""Exercises that ask for an object: each student has an instance, and solves that one alone."""

from __future__ import annotations

import ast
import unicodedata
from collections.abc import Sequence
from functools import cache
from typing import Any

import pytest

from course.sheets import checked
from pdpbook_exercises import Exercise, check, own, score
from pdpbook_exercises.checks.checking import counted, find_exercise
from pdpbook_exercises.checks.instances import READER, Instances, letters_of
from tests.conftest import NIGHTLY
from tests.exercises.test_answers import exercises
from tests.exercises.test_student_checks import purposes
from tests.test_exercises import CHAPTERS, named, solution_page
from tests.tools.answers import right_answers, wrong_answers
from tests.tools.notebooks import code_cells, read_page

NAMES = (
    *(READER, "Ada Lovelace", "Abū Rayḥān", "Bob", "Çağla Şahin", "Doe, Jane", "Eve", "Fritz Groß"),
    *("Grace Hopper", "Ida Rhodes", "José Núñez", "Kim Min-ji", "Łukasz", "Maryam", "Nguyễn Văn"),
    *("o'Brien", "Павел", "李明", "s1234567", "Zoë"),
)
#: For whom the answers are tried; each night for all of them.
TRIED = NAMES if NIGHTLY else (*NAMES[:3], "Doe, Jane", "Łukasz", "o'Brien", "李明")
OWN = [each for each in exercises() if each.values[1].own is not None]

pytestmark = pytest.mark.filterwarnings("ignore")


@cache
def right(name: str, me: str) -> Sequence[Any]:
    """Right answers to the instance of a student."""
    return right_answers(name, me)


def test_hardly_an_assignment_is_the_same_for_everybody() -> None:
    fixed = {each.id for each in exercises() if each.values[1].fixed}
    graded = {name for name, purpose in purposes().items() if purpose == "assignment"}
    assert fixed & graded == {"approximate-enumeration/tune", "coordinated-moves/three"}
    assert len(NAMES) == len({letters_of(name) for name in NAMES}) == 20


@pytest.mark.parametrize(("name", "exercise"), OWN)
def test_an_instance_is_plain_and_most_students_have_another_one(
    name: str, exercise: Exercise
) -> None:
    assert exercise.own is not None
    found = [own(name, me) for me in NAMES]
    assert found[0] == exercise.own.usual
    for mine in found:
        assert ast.literal_eval(repr(mine)) == mine, "the isolated grader sends it as text"
        assert [*mine] == [*exercise.own.usual]
    assert len({repr(mine) for mine in found}) >= 8
    found[0].clear()
    assert own(name, READER) == exercise.own.usual, "it must be a copy"


@pytest.mark.parametrize(("name", "exercise"), OWN)
def test_right_answers_pass_for_every_name(name: str, exercise: Exercise) -> None:
    failed = []
    for me in TRIED:
        for number, answer in enumerate(right(name, me)):
            verdict = check(name, answer, me=me)
            failed += [] if verdict else [f"right[{number}] of {me}: {verdict.message}"]
    assert not failed


@pytest.mark.parametrize(("name", "exercise"), OWN)
def test_wrong_answers_fail_for_every_name(name: str, exercise: Exercise) -> None:
    for me in TRIED:
        for number, (answer, _) in enumerate(wrong_answers(name, me)):
            assert not check(name, answer, me=me, hint=0), f"wrong[{number}] passes for {me}"


@pytest.mark.parametrize(("name", "exercise"), OWN)
def test_an_answer_that_was_found_for_one_name_gets_nothing_under_the_others(
    name: str, exercise: Exercise
) -> None:
    """The table attack: hand round what solves the instance of the reader, and of one student."""
    pairs = [(TRIED[0], me) for me in TRIED[1:]] + [(me, TRIED[1]) for me in TRIED[2:]]
    lucky = []
    for finder, me in pairs:
        answer = right(name, finder)[0]
        held, total = score(name, answer, me=me)
        assert held in (0, total)
        lucky += [(finder, me)] if held else []
    print(f"{name}: {len(lucky)} of {len(pairs)} answers pass under another name")
    assert len(lucky) <= 0.2 * len(pairs), lucky


def solved(name: str, me: str) -> Any:
    """What the code on the page of solutions answers, if a student runs it with their instance."""
    chapter = next(page for page in CHAPTERS if page.stem == name.partition("/")[0])
    setup, *cells = code_cells(read_page(solution_page(chapter)))
    namespace: dict[str, Any] = {"__name__": "__main__"}
    exec(setup.source, namespace)
    namespace["own"] = lambda exercise, written: own(exercise, me)
    exec(named(solution_page(chapter), "exercise-solution")[name], namespace)
    asserted = [cell.source for cell in cells if f'assert check("{name}"' in cell.source]
    _, variable = checked(asserted[0])
    return namespace[variable]


@pytest.mark.parametrize(("name", "exercise"), OWN)
def test_the_solution_of_the_page_solves_the_instance_of_everybody(
    name: str, exercise: Exercise
) -> None:
    """And what it finds for one name is of no use to another."""
    for me in ("Grace Hopper", "Павел"):
        verdict = check(name, solved(name, me), me=me)
        assert verdict, f"{me}: {verdict.message}"


@pytest.mark.parametrize(("name", "exercise"), OWN)
def test_the_spelling_of_a_name_does_not_matter(name: str, exercise: Exercise) -> None:
    for one, *others in (
        ("Jürgen Müller", "MÜLLER, Jürgen", " jürgen\tmüller ", "Jurgen Muller"),
        ("Doe, Jane", "doejane", "Jane Doe"),
    ):
        mine = own(name, unicodedata.normalize("NFC", one))
        assert own(name, unicodedata.normalize("NFD", one)) == mine
        assert all(own(name, other) == mine for other in others)


def test_a_name_must_be_one() -> None:
    name = OWN[0].id
    with pytest.raises(ValueError, match=r"me must have a letter or a digit, got ' -'"):
        own(name, " -")
    with pytest.raises(TypeError, match=r"me must be the name of a student as text, got 3"):
        check(name, ..., me=3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"exercise with instances, got 'height/sake'"):
        own("height/sake", READER)
    with pytest.raises(KeyError, match="unknown exercise"):
        own("height/none", READER)


def test_where_everybody_has_the_same_exercise_the_name_does_not_matter() -> None:
    exercise = find_exercise("height/sake")
    assert exercise.of("height/sake", "Bob") is exercise
    assert score("why-noise/leaver", ..., me="Bob") == score("why-noise/leaver", ...)


def test_an_object_counts_if_all_cases_hold() -> None:
    name = OWN[0].id
    assert counted(name, [True, True]) == 2
    assert counted(name, [False, True]) == counted(name, [True, False]) == 0


def test_every_name_is_drawn_from_alone() -> None:
    """It depends on the name of the exercise, too, and on nothing that was drawn before."""
    family = Instances({"seed": 0}, lambda rng: {"seed": int(rng.integers(2**53))})
    first = family.of("a/b", "Bob")
    family.of("a/b", "Eve")
    assert first == family.of("a/b", "Bob") != family.of("a/c", "Bob")
