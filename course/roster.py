"""Who is in a course: the table of students that a learning platform exports, or one of your own.

Canvas's gradebook and Moodle's grading worksheet are known by their columns.  Any other table needs
a column ``student`` with names as they stand in ``grades.csv``, and may have a column ``id``.
A row belongs to the student with its number, which the platforms write into the names of the files
that they pack; where no number is known, to the one with its name.
"""

from __future__ import annotations

import csv
import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from course.folder import CourseError

__all__ = ["POINTS_POSSIBLE", "Matches", "Roster", "Row", "matched", "read_roster", "shared"]

#: columns that tell a platform apart
PLATFORMS = {
    "canvas": {"Student", "ID", "Section"},
    "moodle": {"Identifier", "Grade", "Maximum Grade"},
    "": {"student"},
}
NAMES = ("Student", "SIS Login ID", "SIS User ID", "Full name", "Email address", "Username")
POINTS_POSSIBLE = "Points Possible"  #: in the place of a name, in the first row of Canvas
Row = dict[str, str]


@dataclass(frozen=True)
class Roster:
    """A table of students.

    Attributes
    ----------
    platform : str
        ``"canvas"``, ``"moodle"``, or nothing for a table of one's own.
    columns : list of str
        Their names.
    people : list of dict from str to str
        A row for each student.
    """

    platform: str
    columns: list[str]
    people: list[Row]

    def name(self, place: int) -> str:
        """Return the name of a student."""
        row = self.people[place]
        return (row.get("Student") or row.get("Full name") or row.get("student", "")).strip()

    def identity(self, place: int) -> str:
        """Return the number of a student, as the table writes it."""
        row = self.people[place]
        return (row.get("ID") or row.get("Identifier") or row.get("id", "")).strip()


@dataclass(frozen=True)
class Matches:
    """Which row belongs to which student.

    Attributes
    ----------
    students : dict from int to str
        By the place of the row.
    unclear : set of int
        Places of rows of which it cannot be said.
    told : dict from str to str
        By student, why there is no row.
    """

    students: dict[int, str]
    unclear: set[int]
    told: dict[str, str]


def letters(name: str) -> str:
    """Return what two spellings of a name share: Canvas writes "Doe, Jane" as ``doejane``.

    Examples
    --------
    >>> letters("Doe, Jane")
    'doejane'
    """
    return "".join(character for character in name.casefold() if character.isalnum())


def read_roster(path: Path) -> Roster:
    """Return the table of students in a file.

    Raises
    ------
    CourseError
        If it cannot be read or is of no known kind.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            columns = list(reader.fieldnames or ())
            rows = [{key: row[key] or "" for key in columns} for row in reader]
    except (OSError, ValueError, csv.Error) as error:
        raise CourseError(f"{path} cannot be read: {error}.") from None
    people = [row for row in rows if row.get("Student", "").strip() != POINTS_POSSIBLE]
    for platform, wanted in PLATFORMS.items():
        if wanted <= set(columns):
            return Roster(platform, columns, people)
    canvas, moodle = (", ".join(sorted(PLATFORMS[each])) for each in ("canvas", "moodle"))
    raise CourseError(
        f"{path} is neither a gradebook exported from Canvas (columns {canvas}) nor a grading "
        f"worksheet of Moodle (columns {moodle}) nor a table with a column student."
    )


def shared(numbers: Mapping[str, str]) -> dict[str, str]:
    """Say of each student whose number another one has as well that it is so.

    Parameters
    ----------
    numbers : mapping from str to str
        For each student, the number on the platform, empty where it is not known.

    Examples
    --------
    >>> shared({"ann": "12", "bob": "12", "roe": "13", "eve": "", "max": ""})
    {'ann': 'bob has the number 12, too', 'bob': 'ann has the number 12, too'}
    """
    told = {}
    for student, own in numbers.items():
        others = [each for each, number in numbers.items() if number == own and each != student]
        if own and others:
            told[student] = f"{' and '.join(others)} has the number {own}, too"
    return told


def matched(roster: Roster, numbers: Mapping[str, str]) -> Matches:
    """Find the row of each student.

    Parameters
    ----------
    roster : Roster
        The table.
    numbers : mapping from str to str
        For each student, the number on the platform, empty where it is not known.

    Notes
    -----
    A row whose number two students have belongs to neither of them.  In the table of a platform
    no name stands for a number that is another one.
    """
    by_number: dict[str, list[int]] = defaultdict(list)
    by_name: dict[str, list[int]] = defaultdict(list)
    for place, row in enumerate(roster.people):
        by_number[re.sub(r"\D", "", roster.identity(place))].append(place)
        own = {letters(row.get(column, "")) for column in (*NAMES, "student")}
        for name in own - {""}:
            by_name[name].append(place)
    students: dict[int, str] = {}
    by_name_alone: dict[int, list[str]] = defaultdict(list)
    candidates: dict[str, list[int]] = {}
    unclear: set[int] = set()
    told = shared(numbers)
    for student, known in numbers.items():
        if known and len(places := by_number[known]) == 1:
            if student in told:
                unclear.add(places[0])
            else:
                students[places[0]] = student
    for student, known in numbers.items():
        if student in told or student in students.values():
            continue
        candidates[student] = [
            place
            for place in by_name[letters(student)]
            if place not in students and not (roster.platform and known and roster.identity(place))
        ]
        for place in candidates[student]:
            by_name_alone[place].append(student)
    for student, places in candidates.items():
        if not places:
            told[student] = "not in the roster"
        elif len(places) == 1 and len(by_name_alone[places[0]]) == 1:
            students[places[0]] = student
        else:
            told[student] = "several students or rows of the roster have this name"
            unclear.update(places)
    return Matches(students, unclear, told)
