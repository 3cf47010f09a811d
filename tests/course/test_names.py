"""Names that coincide or change: whose the marks are, and whose row of the platform's table."""

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path

import nbformat
import pytest

from course.export import export
from course.folder import Course
from course.grading import grade_submissions, numbers_of
from course.judging import Job, Result
from course.roster import matched, read_roster
from course.submissions import NAMESAKE, find_submissions
from pdpbook_exercises.checks.isolated import Grade
from tests.course.conftest import SHEET
from tests.course.test_grading import MOST, copy_of, mark, table

CANVAS = """\
Student,ID,SIS Login ID,Section,week1 (77)
"Doe, Jane",12,jd1,A,
"Doe, Jane",34,jd2,A,
"""
ALL = str(MOST - 2)  # the proof is not marked yet


def judged_by_looks(jobs: Sequence[Job], minutes: float) -> Iterator[tuple[Job, Result]]:
    """Give a sheet that has any answer all points, and a blank one none; nothing is run."""
    for job in jobs:
        blank = not any("return" in code for code in job.code)
        grades = {name: Grade(0 if blank else 2, 2, "") for name in job.variables}
        yield job, Result(job.digest, True, "", grades, ())


@pytest.fixture
def own(course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Course:
    """A course in which nothing is run."""
    monkeypatch.setattr("course.grading.judge_all", judged_by_looks)
    return copy_of(course, tmp_path)


def grade(course: Course, **files: nbformat.NotebookNode) -> list[str]:
    """Grade files that came back together."""
    number = len([*course.folder.parent.glob("in-*")])
    folder = course.folder.parent / f"in-{number}"
    folder.mkdir()
    for name, notebook in files.items():
        nbformat.write(notebook, folder / f"{name}.ipynb")
    return grade_submissions(course, folder)


def exported(course: Course, text: str) -> tuple[dict[str, str], tuple[str, ...]]:
    """The points in the table of the platform by number, and what was told."""
    roster = course.folder.parent / "roster.csv"
    roster.write_text(text, encoding="utf-8")
    made = export(course, roster)
    with made.path.open(encoding="utf-8", newline="") as file:
        return {row["ID"]: row["week1 (77)"] for row in csv.DictReader(file)}, made.told


def test_a_namesake_who_comes_later_does_not_take_the_row(own: Course, key, release) -> None:
    assert grade(own, doejane_12_6_sheet=key) == []
    told = grade(own, doejane_LATE_34_9_sheet=release)
    assert told == [f"doejane_34: {NAMESAKE}"]
    rows = table(own)
    assert {name: (rows[name]["id"], rows[name]["week1: total"]) for name in rows} == {
        "points possible": ("", str(MOST)),
        "doejane": ("12", ALL),
        "doejane_34": ("34", "0"),
    }
    assert rows["doejane_34"]["notes"] == NAMESAKE and not rows["doejane"]["notes"]
    points, _ = exported(own, CANVAS)
    assert points == {"": str(MOST), "12": ALL, "34": "0"}
    grade(own, doejane_12_6_sheet=key, doejane_LATE_34_9_sheet=release)  # both in one folder
    assert numbers_of(own) == {"doejane": "12", "doejane_34": "34"}


def test_marks_move_with_a_student_whose_name_changes(own: Course, key, release) -> None:
    grade(own, smithjanemarie_12_6_sheet=release)
    mark(own, "smithjanemarie", 1.5, "Where is P(x) = 0?")
    told = grade(own, janesmith_12_6_sheet=key)
    assert told == ["janesmith: was smithjanemarie until now, and has the marks from there"]
    rows = table(own)
    assert [*rows] == ["points possible", "janesmith"]
    assert rows["janesmith"]["week1: total"] == str(MOST - 0.5)  # the mark has come along
    assert exported(own, CANVAS)[0]["12"] == str(MOST - 0.5)
    for part in ("submitted", "autograded", "feedback", "results"):
        assert [path.name for path in (own.folder / part).iterdir()] == ["janesmith"]
    with own.gradebook() as book:
        assert [student.id for student in book.students] == ["janesmith"]


def students(folder: Path, release, known: dict[str, str], *names: str, pattern: str = ""):
    """Whose some files are, with what they were called before, and what is told."""
    folder.mkdir(exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    for name in names:
        nbformat.write(release, folder / f"{name}.ipynb")
    found, problems = find_submissions(folder, {SHEET: release}, pattern, known)
    told = [(each.student, each.told) for each in problems]
    return {each.student: (each.number, each.before) for each in found}, told


def test_a_number_knows_its_student_again(release, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    both = {"doejane_11": "11", "doejane_12": "12"}
    assert students(folder, release, both, "doejane_12_6_a") == ({"doejane_12": ("12", "")}, [])
    known = {"doe": "12", "roe": "13", "ann": ""}
    found, told = students(folder, release, known, "roe_12_6_a")  # the name is that of another one
    assert found == {"roe_12": ("12", "doe")} and told == [("doe", NAMESAKE)]
    found, told = students(folder, release, known, "ann_12_6_a")
    assert found == {"ann_12": ("12", "doe")} and told == [("doe", NAMESAKE)]
    assert students(folder, release, known, "ann_14_6_a") == ({"ann": ("14", "")}, [])
    assert students(folder, release, known, "doe") == ({"doe": ("", "")}, [])
    twice = {"doe": "12", "eod": "12"}  # as an earlier version has left it
    assert students(folder, release, twice, "eod_12_6_a") == ({"eod": ("12", "")}, [])


def test_a_number_behind_two_names_is_refused(release, tmp_path: Path) -> None:
    known = {"smithjane": "12"}
    found, told = students(
        tmp_path / "in", release, known, "smithjane_12_6_a", "jane_12_7_b", "roe_13_8_c"
    )
    assert [*found] == ["roe"]
    why = "it is not graded, because the number 12 stands behind several names: jane and smithjane"
    assert told == [
        ("smithjane", f"jane_12_7_b.ipynb: {why}"),
        ("smithjane", f"smithjane_12_6_a.ipynb: {why}"),
    ]


def test_names_that_a_pattern_finds_are_not_those_of_other_numbers(release, tmp_path: Path) -> None:
    folder, pattern = tmp_path / "in", r"_\d_(?P<student>[a-z]+)"
    found, told = students(folder, release, {"doe": "12"}, "x_34_6_doe", pattern=pattern)
    why = "it is not graded, because doe has the number 12 in this course, and here it is 34"
    assert not found and told == [("doe", f"x_34_6_doe.ipynb: {why}")]
    found, told = students(folder, release, {}, "x_1_6_ann", "x_1_7_bob", pattern=pattern)
    assert found == {"ann": ("", ""), "bob": ("", "")} and not told  # the number of an upload


def test_a_row_that_two_students_claim_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "roster.csv"
    path.write_text(CANVAS, encoding="utf-8")
    found = matched(read_roster(path), {"janesmith": "12", "smithjane": "12", "doejane": "34"})
    assert found.students == {1: "doejane"} and found.unclear == {0}
    assert found.told == {
        "janesmith": "smithjane has the number 12, too",
        "smithjane": "janesmith has the number 12, too",
    }
    found = matched(read_roster(path), {"doejane": "56"})  # a third Jane Doe, who has left
    assert found.students == {} and found.told == {"doejane": "not in the roster"}
