"""Totals in the table that a learning platform gives and takes back: Canvas's and Moodle's.

``python -m course.export roster.csv --name week1`` takes the gradebook that Canvas exports or the
grading worksheet that Moodle offers, fills in one column, and writes ``my-course/week1-canvas.csv``
or ``week1-moodle.csv``, which the platform imports.  Nothing else of the platform's table is
changed.  The table is also the roster: it tells who has handed in nothing.

A row belongs to the student with its number, which the platforms write into the names of the files
that they pack; where no number is known, to the one with its name.
"""

from __future__ import annotations

import argparse
import csv
import io
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from course.folder import Course, CourseError
from course.grading import sheets_of, states
from course.report import Mark, marks_of, number, write_whole

__all__ = ["Export", "export"]

#: columns that tell the platform, those that name a student, and those that Canvas needs back
CANVAS, MOODLE = {"Student", "ID", "Section"}, {"Identifier", "Grade", "Maximum Grade"}
NAMES = ("Student", "SIS Login ID", "SIS User ID", "Full name", "Email address", "Username")
KEPT = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
POSSIBLE = "Points Possible"
Rows = list[dict[str, str]]


@dataclass(frozen=True)
class Export:
    """What has been written for a platform.

    Attributes
    ----------
    path : Path
        The table.
    told : tuple of str
        Who handed in nothing, who is not in the roster, and whose proofs are not marked.
    """

    path: Path
    told: tuple[str, ...]


def letters(name: str) -> str:
    """Return what two spellings of a name share: Canvas writes "Doe, Jane" as ``doejane``.

    Examples
    --------
    >>> letters("Doe, Jane")
    'doejane'
    """
    return "".join(character for character in name.casefold() if character.isalnum())


def read_roster(path: Path) -> tuple[str, list[str], Rows]:
    """Return the platform of a table, its columns and its rows.

    Raises
    ------
    CourseError
        If it cannot be read or is of no known platform.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            columns = list(reader.fieldnames or ())
            rows = [{key: row[key] or "" for key in columns} for row in reader]
    except (OSError, ValueError, csv.Error) as error:
        raise CourseError(f"{path} cannot be read: {error}.") from None
    for platform, wanted in (("canvas", CANVAS), ("moodle", MOODLE)):
        if wanted <= set(columns):
            return platform, columns, rows
    raise CourseError(
        f"{path} is neither a gradebook exported from Canvas (columns {', '.join(sorted(CANVAS))}) "
        f"nor a grading worksheet of Moodle (columns {', '.join(sorted(MOODLE))})."
    )


def matched(
    rows: Sequence[Mapping[str, str]], numbers: Mapping[str, str]
) -> tuple[dict[int, str], list[str]]:
    """Return the student of each row by its place, and a line for each that is not clear.

    Parameters
    ----------
    rows : sequence of mapping
        Of the roster.
    numbers : mapping from str to str
        For each student, the number on the platform, empty where it is not known.
    """
    by_number: dict[str, list[int]] = defaultdict(list)
    by_name: dict[str, list[int]] = defaultdict(list)
    for place, row in enumerate(rows):
        identity = row.get("ID") or row.get("Identifier", "")
        by_number[re.sub(r"\D", "", identity)].append(place)
        own = {letters(row.get(column, "")) for column in NAMES}
        for name in own - {""}:
            by_name[name].append(place)
    found: dict[int, str] = {}
    told = []
    for student, known in numbers.items():
        places = by_number[known] if known else []
        places = places or by_name[letters(student)]
        if len(places) == 1 and places[0] not in found:
            found[places[0]] = student
        elif places:
            told.append(f"{student}: several students or rows of the roster have this name")
        else:
            told.append(f"{student}: not in the roster")
    return found, told


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
        If there is no such assignment, or the table is of no known platform, or its maximum grade
        is not that of the assignment.
    """
    name = course.assignment(name)
    platform, columns, rows = read_roster(roster)
    with course.gradebook() as book:
        marks = marks_of(book, name, sheets_of(course, name))
    if not marks:
        raise CourseError(f"Nobody has a grade in {name}: run make grade first.")
    most = max(sum(mark.possible for mark in given.values()) for given in marks.values())
    known = {student: state.number for student, state in states(course, name).items()}
    numbers = {student: known.get(student, "") for student in sorted({*marks, *known})}
    people = [row for row in rows if row.get("Student", "").strip() != POSSIBLE]
    found, told = matched(people, numbers)
    totals = {place: _total(marks.get(student, {})) for place, student in found.items()}
    for place, row in enumerate(people):
        if place not in found:
            told.append(f"{row.get('Student') or row.get('Full name')}: handed in nothing")
    waiting = sum(any(mark.waits for mark in given.values()) for given in marks.values())
    if waiting:
        told.append(f"{waiting} students have proofs that are not marked yet")
    if platform == "canvas":
        columns, people = _canvas(name, columns, people, totals, most)
    else:
        _moodle(people, totals, most)
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, extrasaction="ignore")
    writer.writeheader()
    writer.writerows(people)
    path = course.folder / f"{name}-{platform}.csv"
    write_whole(path, text.getvalue())
    return Export(path, tuple(told))


def _total(given: Mapping[str, Mark]) -> str:
    return number(sum(mark.score or 0.0 for mark in given.values()))


def _canvas(
    name: str, columns: list[str], people: Rows, totals: Mapping[int, str], most: float
) -> tuple[list[str], Rows]:
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
    first = {"Student": f"    {POSSIBLE}", column: number(most)}
    return [*wanted, column], [first, *filled]


def _moodle(people: Rows, totals: Mapping[int, str], most: float) -> None:
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
    if not given.roster:
        raise CourseError("Where is the platform's table? Say ROSTER=file.csv.")
    made = export(Course(given.course.resolve()), Path(given.roster), given.name)
    for line in made.told:
        print(line)
    print(f"Import {made.path}")


if __name__ == "__main__":
    main()
