"""What students hold: the same verdicts as the repository's checks, and nothing to hand in.

Two attacks are tried on every exercise.  The *reading* attack looks through all that a student
holds of the checks, modules, closures, defaults and tables, and hands in whatever it finds.  The
*table* attack records what a right answer returns in all cases that a check shows, and hands that
in.  Both are judged as a graded run does, at another seed, and both are believed to have brought
everything across: what is found here is an upper bound.

All answers of all chapters take minutes: every fourth chapter is tried, each night all of them.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import re
import shutil
import sys
import types
from collections.abc import Callable, Iterator
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from book._ext.edition.student_checks import without_references, write_student_checks
from book._ext.pages.exercise_options import exercises_of
from pdpbook_exercises import Exercise, score
from pdpbook_exercises.checks import checking
from pdpbook_exercises.checks.shown import key_of_arguments
from pdpbook_exercises.checks.student import is_blank
from tests.conftest import NIGHTLY
from tests.exercises.test_answers import exercises
from tests.test_exercises import CHAPTERS, CHECK
from tests.tools.answers import misconceptions, right_answers, wrong_answers
from tests.tools.notebooks import ROOT

OURS, THEIRS = "pdpbook_exercises", "handed_out"
GRADED = 20271123  # a seed of a graded run
STUDENT = "Grace Hopper"  # in whose name it is graded
VALUES = (functools.partial, np.ndarray, tuple, list, float, int)
LONGEST = 0.5  # seconds for a case of an answer that was found
EVERY = [*exercises()]
TRIED = {page.stem for page in (CHAPTERS if NIGHTLY else CHAPTERS[3::4])}
ALL = [each for each in EVERY if each.id.partition("/")[0] in TRIED]

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def handed_out(tmp_path_factory: pytest.TempPathFactory) -> Iterator[types.ModuleType]:
    """The checks of the chapters that students hold, under a name of their own."""
    folder = tmp_path_factory.mktemp("site")
    ours = folder / "whole" / OURS
    shutil.copytree(ROOT / OURS, ours, ignore=shutil.ignore_patterns("__pycache__"))
    for name in {each.id for each in EVERY} - {each.id for each in ALL}:
        path = Path(str(module_of(OURS, name).__file__)).relative_to(ROOT / OURS)
        (ours / path).unlink(missing_ok=True)
    write_student_checks(ours, folder / THEIRS)
    for path in (folder / THEIRS).rglob("*.py"):
        path.write_text(path.read_text(encoding="utf-8").replace(OURS, THEIRS), encoding="utf-8")
    sys.path.insert(0, str(folder))
    try:
        yield importlib.import_module(THEIRS)
    finally:
        sys.path.remove(str(folder))
        for name in [name for name in sys.modules if name.partition(".")[0] == THEIRS]:
            del sys.modules[name]


def module_of(package: str, name: str) -> types.ModuleType:
    """The module of an exercise."""
    ours = checking.module_of(name.partition("/")[0]).__name__
    return importlib.import_module(ours.replace(OURS, package))


@pytest.mark.parametrize(("name", "exercise"), ALL)
def test_the_verdicts_are_those_of_the_repository(
    name: str, exercise: Exercise, handed_out: types.ModuleType
) -> None:
    for answer in right_answers(name):
        verdict = handed_out.check(name, answer)
        assert verdict, verdict
    known = misconceptions(name)  # in the first case another one may agree with it
    for number, (answer, words) in enumerate(wrong_answers(name)):
        verdict = handed_out.check(name, answer)
        assert not verdict and ((answer, words) in known or words in verdict.message), verdict
        if number == 0:  # test_answers.py finds the words in each message of the repository
            ours = checking.check(name, answer)
            assert unplaced(verdict.message) == unplaced(ours.message)


@pytest.mark.parametrize(("name", "exercise"), [e for e in ALL if e.values[1].own is not None])
def test_students_have_the_instances_of_the_repository(
    name: str, exercise: Exercise, handed_out: types.ModuleType
) -> None:
    assert handed_out.own(name, STUDENT) == checking.own(name, STUDENT)
    right, *_ = right_answers(name, STUDENT)
    assert handed_out.check(name, right, me=STUDENT)
    usual, *_ = right_answers(name)
    assert handed_out.check(name, usual) and not handed_out.check(name, usual, me=STUDENT)


def unplaced(text: str) -> str:
    """A message without the places of objects in memory."""
    return re.sub(r"0x[0-9A-Fa-f]+", "0x", text)


def test_no_answer_and_no_reference_is_handed_out(handed_out: types.ModuleType) -> None:
    for each in ALL:
        theirs = module_of(THEIRS, each.id)
        for answer in right_answers(each.id):
            found = getattr(theirs, getattr(answer, "__name__", ""), None)
            assert found is None or not inspect.isfunction(found) or found.__name__ == "known"
    chapters = {module_of(THEIRS, each.id).__file__ for each in ALL}
    assert not [path for path in chapters if "@reference" in Path(str(path)).read_text()]


def test_every_chapter_can_be_written_without_its_references() -> None:
    """Those, too, whose answers are not tried here by day."""
    for path in {Path(str(module_of(OURS, each.id).__file__)) for each in EVERY}:
        written = without_references(path.read_text(encoding="utf-8"), path.stem, set())
        assert "@reference" not in written
        compile(written, str(path), "exec")


def test_the_cases_of_other_seeds_are_not_there(handed_out: types.ModuleType) -> None:
    with pytest.raises(ValueError, match=r"the cases of seed 0 alone: .*, got seed=1"):
        handed_out.check("replication/misfit", lambda computed, printed: 1.0, seed=1)
    known = module_of(THEIRS, "replication/fractions")._fractions
    assert (20, 101) in known(0.198)
    with pytest.raises(LookupError, match="the others are the grader's"):
        known(0.199)


# The attacks --------------------------------------------------------------------------------------


def parts(thing: Any, own: str) -> Iterator[Any]:
    """What can be reached from a thing in one step."""
    if isinstance(thing, Exercise) or type(thing).__name__ == "Exercise":
        yield from [*thing.at(0), thing.draw]
    elif type(thing).__name__ == "Case":
        yield from [thing.judge, thing.again, thing.shown, *thing.mistakes.values()]
    elif isinstance(thing, functools.partial):
        yield from [thing.func, *thing.args, *thing.keywords.values()]
    elif isinstance(thing, dict):
        yield from thing.values()
    elif isinstance(thing, list | tuple | set):
        yield from thing
    elif inspect.isfunction(thing):
        for cell in thing.__closure__ or ():
            yield cell.cell_contents
        yield from [*(thing.__defaults__ or ()), *(thing.__kwdefaults__ or {}).values()]
        if thing.__module__.partition(".")[0] == own:
            yield from (thing.__globals__.get(name) for name in thing.__code__.co_names)


def found_in(module: types.ModuleType, exercise: Any) -> list[Any]:
    """All functions and values that the checks of a chapter hold, from an exercise on."""
    own = module.__name__.partition(".")[0]
    todo: list[Any] = [exercise]
    for thing in vars(module).values():
        if getattr(thing, "__module__", module.__name__) == module.__name__:
            todo.append(thing)
    found: dict[int, Any] = {}
    kept: list[Any] = []
    while todo:
        thing = todo.pop()
        if id(thing) in found or inspect.ismodule(thing):
            continue
        found[id(thing)] = thing
        if inspect.isfunction(thing) or isinstance(
            thing, functools.partial | np.ndarray | tuple | list | float | int
        ):
            kept.append(thing)
        elif is_dataclass(thing) and not type(thing).__module__.startswith(own):
            kept.append(thing)
        todo += parts(thing, own)
    return kept


def takes(function: Callable[..., Any], arguments: int) -> bool:
    """Whether a function may be called with so many arguments."""
    try:
        inspect.signature(function).bind(*[0] * arguments)
    except (TypeError, ValueError):
        return False
    return True


def arguments_of(exercise: Exercise) -> int:
    """With how many arguments a check calls an answer; -1 if the answer is a value."""
    counts = []

    def counting(*arguments: Any) -> None:
        counts.append(len(arguments))

    for case in exercise.at(0)[:2]:
        try:
            case.judge(counting)
        except Exception:
            continue
    return counts[0] if counts else -1


def solved_by_reading(package: str, each: Any) -> bool:
    """Whether anything that is found in a package solves an exercise in a graded run."""
    name, exercise = each.values
    module = module_of(package, name)
    own = module.EXERCISES[name.partition("/")[2]]
    wanted = arguments_of(exercise)
    for answer in found_in(module, own):
        if is_blank(answer) or callable(answer) != (wanted >= 0):
            continue
        if wanted >= 0 and not takes(answer, wanted):
            continue
        verdicts = checking.results(name, answer, me=STUDENT, hint=0, seed=GRADED, seconds=LONGEST)
        if all(verdict.passed for verdict in verdicts):
            return True
    return False


def purposes() -> dict[str, str]:
    """For each exercise, what its page says it is for."""
    found = {}
    for page in CHAPTERS:
        text = page.read_text(encoding="utf-8")
        by_label = {options.label: options.purpose for options in exercises_of(text)}
        for part in re.split(r"^[`:]{3,}\{exercise\}", text, flags=re.MULTILINE)[1:]:
            label = re.search(r"^:label: (\S+)", part, re.MULTILINE)
            for name in CHECK.findall(part):
                assert label
                found[name] = by_label[label[1]]
    return found


def test_what_is_handed_out_solves_nothing_that_is_graded(handed_out: types.ModuleType) -> None:
    """The reading attack. Where an exercise is for practice, its solution stands on the page."""
    solved = {each.id for each in ALL if solved_by_reading(THEIRS, each)}
    graded = {name for name, purpose in purposes().items() if purpose == "assignment"}
    assert len(graded) > 60 and {each.id for each in EVERY} == {*purposes()}
    assert not solved & graded
    assert solved <= {"exact-optimum/roof", "end-to-end-loss/floor"}  # judges and pages need them


def test_the_attack_works_where_the_references_are() -> None:
    some = EVERY[:: 8 if NIGHTLY else 16]
    solved = [each.id for each in some if solved_by_reading(OURS, each)]
    assert len(solved) > 0.3 * len(some), solved  # of all, more than half


def key(arguments: tuple[Any, ...]) -> Any:
    """Tell inputs apart; by their number if one of them is a function or a generator."""
    try:
        return key_of_arguments(arguments)
    except TypeError:
        return len(arguments)


def recorded(name: str) -> Callable[..., Any] | Any:
    """A right answer as a table of what it returned in the cases that a check shows."""
    answers = [each for each in right_answers(name) if inspect.isfunction(each)]
    if not answers:
        return next(iter(right_answers(name)), ...)
    table: dict[Any, Any] = {}

    def learns(*arguments: Any) -> Any:
        where = key(arguments)
        table[where] = answers[0](*arguments)
        return table[where]

    assert checking.check(name, learns)
    return lambda *arguments: table[key(arguments)]


def test_a_table_of_known_answers_gets_nothing() -> None:
    """Not one point, but where neither cases nor instances are drawn."""
    held = {each.id: score(each.id, recorded(each.id), me=STUDENT, seed=GRADED) for each in ALL}
    drawing = {each.id for each in ALL if not each.values[1].fixed}
    assert not [name for name, (points, _) in held.items() if points and name in drawing]
    whole = {name for name, (points, total) in held.items() if points == total}
    assert len(whole) <= len(ALL) - len(drawing)
