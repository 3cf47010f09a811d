"""Totals in the table that a learning platform gives and takes back: Canvas's and Moodle's.

``python -m course.export roster.csv --name week1`` takes the gradebook that Canvas exports or the
grading worksheet that Moodle offers, fills in one column, and writes ``my-course/week1-canvas.csv``
or ``week1-moodle.csv``, which the platform imports.  The totals are those after a penalty for late
submissions, if the assignment has one.  Nothing else of the platform's table is changed.
``course/roster.py`` says whose a row is, and the command says who has handed in nothing.

Beside it lies ``week1-feedback.zip`` with the pages of feedback, each under the name that the
platform has given to what the student handed in, so that the platform knows whose it is.
"""

from __future__ import annotations

import argparse
import csv
import io
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

from course.folder import Course, CourseError
from course.grading import UNKNOWN, State, find_deductions, numbers_of, states
from course.lateness import left
from course.progress import stepping
from course.report import Mark, marks_of, number, sheets_of, write_whole
from course.roster import POINTS_POSSIBLE, Row, matched, read_roster

__all__ = ["Export", "export", "feedback_name"]

#: columns that Canvas needs back
KEPT = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
#: what the platforms put before the name of a file that they have packed
PACKED = re.compile(r"[^_]+_(LATE_)?\d+_(\d+_|assignsubmission_[a-z]+_)")


REFUSED = "nothing that was handed in could be graded, so the total is 0"


@dataclass(frozen=True)
class Export:
    """What has been written for a platform.

    Attributes
    ----------
    path : Path
        The table.
    feedback : Path
        The archive with the pages of feedback.
    told : tuple of str
        Who handed in nothing, who is not in the roster, and whose proofs are not marked.
    """

    path: Path
    feedback: Path
    told: tuple[str, ...]


def export(course: Course, roster: Path, name: str = "") -> Export:
    """Write the totals of an assignment into the table of a platform.

    Parameters
    ----------
    course : Course
        Where it was graded.
    roster : Path
        The table that the platform has exported.
    name : str
        Of the assignment; not needed if there is only one.

    Raises
    ------
    CourseError
        If there is no such assignment, or its date or penalty is none, or the table is of no known
        platform, or its maximum grade is not that of the assignment.
    """
    name = course.assignment(name)
    table = read_roster(roster)
    if not table.platform:
        raise CourseError(
            f"{roster} is no table of Canvas or Moodle, and {course.folder / 'grades.csv'} has all "
            "that could be written into it."
        )
    with course.gradebook() as book:
        marks = marks_of(book, name, sheets_of(course, name))
    if not marks:
        raise CourseError(f"Nobody has a grade in {name}: run make grade first.")
    most = max(sum(mark.possible for mark in given.values()) for given in marks.values())
    submitted = states(course, name)
    known = numbers_of(course)
    numbers = {student: known.get(student, "") for student in sorted({*marks, *submitted})}
    people, found = table.people, matched(table, numbers)
    lost = find_deductions(course, name, submitted)
    totals = {
        place: _total(marks.get(each, {}), lost.get(each)) for place, each in found.students.items()
    }
    told = [f"{student}: {why}" for student, why in found.told.items()]
    told += [
        f"{student}: {REFUSED} ({'; '.join(state.notes)})"
        for student, state in submitted.items()
        if student not in marks
    ]
    told += [f"{student}: {UNKNOWN}" for student, share in lost.items() if share is None]
    told += [
        f"{table.name(place)}: handed in nothing"
        for place in range(len(people))
        if place not in found.students and place not in found.unclear
    ]
    waiting = sum(any(mark.waits for mark in given.values()) for given in marks.values())
    if waiting:
        told.append(f"{waiting} students have proofs that are not marked yet")
    columns = table.columns
    if table.platform == "canvas":
        columns, people = _canvas(name, columns, people, totals, most)
    else:
        _moodle(people, totals, most)
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, extrasaction="ignore")
    writer.writeheader()
    writer.writerows(people)
    path = course.folder / f"{name}-{table.platform}.csv"
    write_whole(path, text.getvalue())
    return Export(path, _feedback(course, name, submitted), tuple(told))


def _feedback(course: Course, name: str, submitted: Mapping[str, State]) -> Path:
    """Pack the pages of feedback for the platform."""
    archive = course.folder / f"{name}-feedback.zip"
    scratch = archive.with_name(f".{archive.name}.new")
    try:
        with ZipFile(scratch, "w", ZIP_DEFLATED) as file:
            step = stepping(len(submitted), "pages of feedback packed")
            for student, state in sorted(submitted.items()):
                step()
                page = course.folder / "feedback" / student / name / "feedback.html"
                if page.is_file():
                    file.write(page, feedback_name(student, state.file))
        scratch.replace(archive)
    except OSError as error:
        raise CourseError(f"{archive} cannot be written: {error.strerror}.") from None
    return archive


def feedback_name(student: str, file: str) -> str:
    """Return the name of a page of feedback, by which a learning platform knows whose it is.

    Canvas finds two numbers behind the name, of the student and of the file that was handed in, and
    Moodle the number of the participant and what packed the file.

    Parameters
    ----------
    student : str
        In the gradebook.
    file : str
        The folder or file that was handed in, as the platform has packed it.

    Examples
    --------
    >>> feedback_name("doejane", "doejane_LATE_12_6_week1.ipynb")
    'doejane_LATE_12_6_feedback.html'
    >>> feedback_name("Anna Berg", "Anna Berg_123_assignsubmission_file_")
    'Anna Berg_123_assignsubmission_file_feedback.html'
    >>> feedback_name("ben", "ben")
    'ben_feedback.html'
    """
    found = PACKED.match(file)
    return f"{found[0] if found else f'{student}_'}feedback.html"


def _total(given: Mapping[str, Mark], share: float | None) -> str:
    return number(left(sum(mark.score or 0.0 for mark in given.values()), share))


def _canvas(
    name: str, columns: list[str], people: list[Row], totals: Mapping[int, str], most: float
) -> tuple[list[str], list[Row]]:
    """Return what Canvas needs to know its students, and one column with the points.

    A column of the assignment that Canvas has already, ``week1 (1234)``, is filled; without one,
    Canvas makes a new assignment.
    """
    own = [column for column in columns if re.sub(r" \(\d+\)$", "", column) == name]
    column = own[0] if own else name
    wanted = [each for each in KEPT if each in columns]
    filled = [
        {key: row[key] for key in wanted} | {column: totals.get(place, row.get(column, ""))}
        for place, row in enumerate(people)
    ]
    first = {"Student": f"    {POINTS_POSSIBLE}", column: number(most)}
    return [*wanted, column], [first, *filled]


def _moodle(people: list[Row], totals: Mapping[int, str], most: float) -> None:
    """Fill in the column of Moodle's worksheet."""
    for place, total in totals.items():
        maximum = people[place]["Maximum Grade"].replace(",", ".")
        if float(maximum or most) != most:
            raise CourseError(
                f"Moodle's maximum grade is {maximum}, and the assignment has {number(most)} "
                "points. Change it in the settings of the assignment in Moodle, and download the "
                "worksheet again."
            )
        people[place]["Grade"] = total


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="make export", description=__doc__)
    parser.add_argument("roster", nargs="?", default="")
    parser.add_argument("--name", default="")
    parser.add_argument("--course", type=Path, default=Path("my-course"))
    given = parser.parse_args()
    course = Course(given.course.resolve())
    if not given.roster and not course.roster.is_file():
        raise CourseError("Where is the platform's table? Say ROSTER=file.csv.")
    made = export(course, Path(given.roster or course.roster), given.name)
    for line in made.told:
        print(line)
    print(f"Import {made.path}")
    print(f"The pages of feedback are packed in {made.feedback}")


if __name__ == "__main__":
    main()
