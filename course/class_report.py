"""What a whole class did with an assignment, for its lecturer: one page.

It counts for each exercise how many have solved it and which case most of the others fail, lists
the cells that raised and the answers that are nearly the same.  All of it comes from what
``make grade`` has kept: the submissions as they were collected, the records of the isolated checker
and the marks.  No code of a student is run.

The page is a file that stands alone, without a script, and asks no other file or host for anything.
What students wrote stands there as text.  It names them, so it is for nobody else.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2
import nbformat
from nbformat import NotebookNode

from course.folder import Course
from course.judging import Result, read_result
from course.likeness import NEAR, SHORTEST, Likeness, alike
from course.progress import stepping
from course.report import Mark, number, sheets_of, title_of, write_whole
from course.secret import KEY
from course.sheets import BEGIN, END, SETUP, answers, grade_id, points
from course.written import BESIDE_KEY, parts_of
from pdpbook_exercises.checks.checking import STUB

__all__ = [
    "Beside",
    "ClassReport",
    "Failing",
    "Part",
    "RaisedCell",
    "class_report",
    "write_class_report",
]

CASE = re.compile(r"(case \d+ of \d+) fails\. ")
BOOK = "the book's solution"  #: stands among the students, whose answers are compared with it
LOOKED = "exercises compared for the report"
RAISED = "no case could be tried"  #: what the answers have in common that failed at no case
MOST_SAID = 3  #: different messages that are shown of one cell
MOST_ALIKE = 40  #: groups of answers that are shown of one exercise
PAGE = Path(__file__).with_suffix(".html")


@dataclass(frozen=True)
class Failing:
    """Where most of the answers to an exercise fail first.

    Attributes
    ----------
    case : str
        As in ``"case 3 of 11"``.
    count : int
        How many answers fail there.
    message : str
        What most of them were told: a text that quotes a student's answer.
    """

    case: str
    count: int
    message: str


@dataclass(frozen=True)
class Part:
    """What a class did with a part of an exercise, its code or its proof.

    Attributes
    ----------
    title : str
        As at the head of its column in the table of grades.
    proof : bool
        Whether it is a proof, which a person marks.
    handed_in : int
        Submissions with its sheet.
    blank : int
        Of these, how many have left it as it was.
    solvers : frozenset of str
        Whose answer passes all cases.
    partly, wrong : int
        How many of the others have points, and how many have none; 0 for a proof.
    waiting : int
        Proofs that wait for a mark.
    mean : float or None
        Points on average among those that were handed in and have points.
    possible : float
        The most points.
    failing : Failing or None
        None if no answer fails.
    likeness : Likeness
        Of the answers that are code.
    """

    title: str
    proof: bool
    handed_in: int
    blank: int
    solvers: frozenset[str]
    partly: int
    wrong: int
    waiting: int
    mean: float | None
    possible: float
    failing: Failing | None
    likeness: Likeness


@dataclass(frozen=True)
class RaisedCell:
    """A cell that raised in some submissions.

    Attributes
    ----------
    sheet, place : str
        Which sheet, and where in it.
    count : int
        In how many submissions.
    said : tuple of (str, int)
        What was said most often, and how often: texts of students.
    """

    sheet: str
    place: str
    count: int
    said: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Beside:
    """Words and pictures where no answer in words is asked for.

    Attributes
    ----------
    student, sheet, place : str
        Whose they are, and the cell below which they stand.
    parts : tuple of (str, str)
        Texts, and pictures with their addresses (:func:`course.written.parts_of`).
    """

    student: str
    sheet: str
    place: str
    parts: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class ClassReport:
    """What a class did with an assignment.

    Attributes
    ----------
    name : str
        Of the assignment.
    students : int
        Who handed in at least one sheet that could be graded.
    left_out : tuple of str
        Who handed in something that could not be graded.
    parts : tuple of Part
        In the order of the sheets.
    raised : tuple of RaisedCell
        The most frequent first.
    beside : tuple of Beside
        By sheet and student.
    """

    name: str
    students: int
    left_out: tuple[str, ...]
    parts: tuple[Part, ...]
    raised: tuple[RaisedCell, ...]
    beside: tuple[Beside, ...]


@dataclass(frozen=True)
class _Handed:
    """What a student handed in for a sheet: its cells, what was found, words without a place."""

    student: str
    cells: dict[str, str]
    result: Result
    beside: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = ()


def class_report(
    course: Course,
    name: str,
    marks: Mapping[str, Mapping[str, Mark]],
    entered: Mapping[str, Mapping[str, str]],
) -> ClassReport:
    """Find out what a class did with an assignment.

    Parameters
    ----------
    course : Course
        Where it was graded.
    name : str
        Of the assignment.
    marks : mapping from str to mapping from str to Mark
        By student and part, as :func:`course.report.marks_of` returns them.
    entered : mapping from str to mapping from str to str
        By student and sheet, the digest of what stands in the gradebook.  A submission whose files
        are not those is left out.

    Raises
    ------
    CourseError
        If a sheet is spoilt.
    """
    sheets = sheets_of(course, name)
    handed = {sheet: _handed_in(course, name, sheet, entered) for sheet in sheets}
    graded = {each.student for own in handed.values() for each in own}
    parts: list[Part] = []
    step = stepping(
        sum(points(cell) > 0 for each in sheets.values() for cell in each.cells), LOOKED
    )
    for sheet, release in sheets.items():
        for part in _parts(course, name, sheet, release, handed[sheet], marks):
            parts.append(part)
            step()
    return ClassReport(
        name=name,
        students=len(graded),
        left_out=tuple(sorted({*entered} - graded)),
        parts=tuple(parts),
        raised=_raised(handed),
        beside=tuple(
            Beside(each.student, sheet, place, parts)
            for sheet, own in handed.items()
            for each in own
            for place, parts in each.beside
        ),
    )


def write_class_report(
    course: Course,
    name: str,
    marks: Mapping[str, Mapping[str, Mark]],
    entered: Mapping[str, Mapping[str, str]],
) -> Path:
    """Write the report of a class beside the table of grades, and return where it is.

    Parameters are those of :func:`class_report`.
    """
    path = course.folder / f"{name}-report.html"
    write_whole(path, page_of(class_report(course, name, marks, entered)))
    return path


def page_of(report: ClassReport) -> str:
    """Return a report as a page of HTML, in which every text of a student is a text."""
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["number"] = number
    environment.filters["named"] = lambda students: [each or BOOK for each in students]
    template = environment.from_string(PAGE.read_text(encoding="utf-8"))
    compared = [part for part in report.parts if {*part.likeness.compared} - {KEY}]
    return template.render(
        report=report,
        code=[part for part in report.parts if not part.proof],
        proofs=[part for part in report.parts if part.proof],
        alike=[part for part in compared if part.likeness.found],
        compared=compared,
        most=MOST_ALIKE,
        shortest=SHORTEST,
        near=NEAR,
        book=BOOK,
        key=KEY,
    )


def _handed_in(
    course: Course, name: str, sheet: str, entered: Mapping[str, Mapping[str, str]]
) -> list[_Handed]:
    """Return the submissions to a sheet that stand in the gradebook."""
    found = []
    for student, digests in sorted(entered.items()):
        text = _read_text(course.folder / "submitted" / student / name / f"{sheet}.ipynb")
        result = read_result(course.folder / "results" / student / name / f"{sheet}.json")
        if text is None or result is None:
            continue
        if result.entered(text.removesuffix("\n")) == digests.get(sheet):
            notebook = json.loads(text)
            found.append(_Handed(student, _cells(notebook), result, _beside(notebook)))
    return found


def _read_text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return None


def _cells(notebook: Mapping[str, Any]) -> dict[str, str]:
    """Return the text of each cell that nbgrader knows, from the JSON of a notebook."""
    found = {}
    for cell in notebook["cells"]:
        name = cell["metadata"].get("nbgrader", {}).get("grade_id", "")
        if name:
            found[name] = "".join(cell["source"])
    return found


def _beside(notebook: Mapping[str, Any]) -> tuple[tuple[str, tuple[tuple[str, str], ...]], ...]:
    """Return what was written where no answer in words is asked for, with its place."""
    found = []
    for cell in notebook["cells"]:
        if place := cell["metadata"].get("pdpbook", {}).get(BESIDE_KEY):
            whole = cell | {"source": "".join(cell["source"])}
            found.append((str(place), tuple(parts_of(whole))))
    return tuple(found)


def _parts(
    course: Course,
    name: str,
    sheet: str,
    release: NotebookNode,
    handed: Sequence[_Handed],
    marks: Mapping[str, Mapping[str, Mark]],
) -> Iterable[Part]:
    """Yield the parts of a sheet in their order."""
    stubs = {grade_id(cell): cell.source for cell in release.cells if grade_id(cell)}
    solutions = _solutions(course.folder / "source" / name / f"{sheet}.ipynb")
    exercises = answers(release)
    for cell in release.cells:
        part = grade_id(cell)
        if not points(cell):
            continue
        given = [marks.get(each.student, {}).get(f"{sheet}/{part}") for each in handed]
        own = [mark for mark in given if mark is not None]
        scores = [mark.score for mark in own if mark.score is not None]
        answer = part.removesuffix("-check")
        blank = [each for each in handed if each.cells.get(answer) == stubs.get(answer)]
        counts: Counter[str] = Counter()
        solvers: set[str] = set()
        failing, likeness = None, Likeness((), ())
        if part in exercises:
            exercise, _ = exercises[part]
            solvers = {each.student for each in handed if _solved(each, exercise)}
            others = [each for each in handed if each.student not in solvers]
            counts, failing = _judged(exercise, others, {each.student for each in blank})
            codes = {each.student: each.cells.get(answer, "") for each in handed}
            if answer in solutions:
                codes[KEY] = solutions[answer]
            likeness = alike(codes, stub=stubs.get(answer, ""), setup=stubs.get(SETUP, ""))
        yield Part(
            title=title_of(f"{sheet}/{part}"),
            proof=part not in exercises,
            handed_in=len(handed),
            blank=counts["blank"] if part in exercises else len(blank),
            solvers=frozenset(solvers),
            partly=counts["partly"],
            wrong=counts["wrong"],
            waiting=sum(mark.waits for mark in own),
            mean=sum(scores) / len(scores) if scores else None,
            possible=points(cell),
            failing=failing,
            likeness=likeness,
        )


def _solved(handed: _Handed, exercise: str) -> bool:
    grade = handed.result.grades.get(exercise)
    return grade is not None and grade.held == grade.total


def _judged(
    exercise: str, handed: Sequence[_Handed], blank: set[str]
) -> tuple[Counter[str], Failing | None]:
    """Count the answers that do not pass all cases, and find where most of them fail."""
    counts: Counter[str] = Counter()
    told: dict[str, Counter[str]] = defaultdict(Counter)
    for each in handed:
        grade = each.result.grades.get(exercise)
        if grade is None:
            continue
        if grade.message == STUB or (not grade.held and each.student in blank):
            counts["blank"] += 1
        else:
            counts["partly" if grade.held else "wrong"] += 1
            found = CASE.search(grade.message)
            case, message = found[1] if found else RAISED, CASE.sub("", grade.message, count=1)
            told[case][message] += 1
    if not told:
        return counts, None
    case, messages = max(told.items(), key=lambda pair: pair[1].total())
    [(message, _)] = messages.most_common(1)
    return counts, Failing(case, messages.total(), message)


def _solutions(path: Path) -> dict[str, str]:
    """Return the solution of each exercise in a sheet that stays with the instructor."""
    try:
        source = nbformat.read(path, as_version=4)
    except (OSError, ValueError, AttributeError, nbformat.ValidationError):
        return {}  # the sheet was removed; the answers are compared with one another all the same
    return {
        grade_id(cell): cell.source.partition(BEGIN)[2].partition(END)[0]
        for cell in source.cells
        if BEGIN in cell.source
    }


def _raised(handed: Mapping[str, Sequence[_Handed]]) -> tuple[RaisedCell, ...]:
    """Return the cells that raised, the most frequent first."""
    who: dict[tuple[str, str], set[str]] = defaultdict(set)
    said: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for sheet, own in handed.items():
        for each in own:
            for raised in each.result.raised:
                who[sheet, raised.place].add(each.student)
                said[sheet, raised.place][raised.said] += 1
    cells = [
        RaisedCell(sheet, place, len(who[sheet, place]), tuple(texts.most_common(MOST_SAID)))
        for (sheet, place), texts in said.items()
    ]
    return tuple(sorted(cells, key=lambda cell: -cell.count))
