"""One assignment end to end: handed out, handed in, graded, marked, and told to the students."""

import csv
import re
import shutil
import sqlite3
import subprocess
import sys
import textwrap
from contextlib import closing
from pathlib import Path
from zipfile import ZipFile

import nbformat
import pytest

from course.folder import Course, CourseError
from course.grading import grade_submissions
from course.isolation import guarded
from course.sheets import POINTS
from tests.course.conftest import PAGE, SHEET, with_answer
from tests.exercises.test_isolated import ATTACKS
from tests.tools.notebooks import ROOT

NAME = "records-needed"
PROOF = f"{SHEET}/replacement-loss-proof"
MOST = POINTS["Warm-up"] + 2 * POINTS["Core"] + POINTS["Open"]
OTHERS = {
    "leaves": "import os\nos._exit(0)",
    "exits": "import sys\nsys.exit()",
    "leaves when it is asked": "def records_needed(n, epsilon):\n    import os; os._exit(0)",
    "eats memory": "def records_needed(n, epsilon):\n    return bytearray(10**11)",
    "writes to the gradebook": """
        import pathlib, sqlite3
        book = sqlite3.connect({folder!r} + "/gradebook.db")
        book.execute("update grade set manual_score = 100")
        book.commit()
        pathlib.Path({folder!r}, "source", "week1", "mine.txt").write_text("here")
        def records_needed(n, epsilon):
            return -1
        """,
    "spoils the gradebook": """
        import pathlib
        def records_needed(n, epsilon):
            pathlib.Path({folder!r}, "gradebook.db").write_bytes(b"spoilt")
            return -1
        """,
}
WRITERS = ["writes to the gradebook", "spoils the gradebook"]


@pytest.fixture(scope="module")
def graded(course: Course, release, key, tmp_path_factory) -> tuple[Course, Path, list[str]]:
    """A course with a key, a blank, and every attack; where they lie; what was told."""
    own = Course(tmp_path_factory.mktemp("graded") / "my-course")
    shutil.copytree(course.folder, own.folder)
    with (own.folder / "nbgrader_config.py").open("a", encoding="utf-8") as config:
        config.write("c.IsolatedChecks.seconds = 10.0\n")
    handed_in = own.folder.parent / "submissions"
    (handed_in / "anna").mkdir(parents=True)
    nbformat.write(key, handed_in / "anna" / "whatever.ipynb")
    nbformat.write(release, handed_in / "ben_12_dp-versus-pdp-1.ipynb")
    for student, code in (ATTACKS | OTHERS).items():
        text = textwrap.dedent(code.replace("{folder!r}", repr(str(own.folder))))
        nbformat.write(with_answer(release, text, NAME), handed_in / f"{student}.ipynb")
    (handed_in / "carl_essay.ipynb").write_text("not a notebook")
    told = grade_submissions(own, handed_in)
    return own, handed_in, told


def table(course: Course) -> dict[str, dict[str, str]]:
    """The rows of ``grades.csv`` by student."""
    with (course.folder / "grades.csv").open(encoding="utf-8", newline="") as file:
        return {row["student"]: row for row in csv.DictReader(file)}


def feedback(course: Course, student: str) -> str:
    """The page of a student."""
    path = course.folder / "feedback" / student / "week1" / "feedback.html"
    return path.read_text(encoding="utf-8")


def test_the_archive_holds_the_sheet_and_nothing_else(course: Course, release) -> None:
    with ZipFile(course.folder / "week1.zip") as archive:
        assert archive.namelist() == [f"week1/{SHEET}.ipynb"]
        text = archive.read(archive.namelist()[0]).decode()
    assert nbformat.reads(text, as_version=4) == release
    assert "7" not in {str(value) for value in release.metadata.values()}  # the seed stays here


def test_the_table_has_a_column_for_every_part(graded) -> None:
    course, _, _ = graded
    rows = table(course)
    parts = [
        "no-noise-losses",
        NAME,
        "replacement-loss (proof)",
        "replacement-loss",
        "end-to-end-loss",
    ]
    assert [*rows["anna"]] == [
        "student",
        *(f"week1: {SHEET}/{part}" for part in parts),
        *("week1: total", "week1: to mark", "notes"),
    ]
    assert [*rows["points possible"].values()][1:-1] == ["2", "4", "2", "2", "6", str(MOST), ""]
    assert [*rows["anna"].values()][1:-1] == ["2", "4", "", "2", "6", str(MOST - 2), "1"]
    assert [*rows["ben"].values()][1:] == ["0", "0", "0", "0", "0", "0", "0", ""]
    assert "not JSON" in rows["carl"]["notes"] and rows["carl"]["week1: total"] == "0"


@pytest.mark.parametrize("attack", [*ATTACKS, *OTHERS])
def test_an_attack_gets_nothing(attack: str, graded) -> None:
    course, _, _ = graded
    assert table(course)[attack]["week1: total"] == "0"


def test_what_never_ends_gets_nothing(course: Course, release, tmp_path: Path) -> None:
    own = Course(tmp_path / "my-course")
    shutil.copytree(course.folder, own.folder)
    with (own.folder / "nbgrader_config.py").open("a", encoding="utf-8") as config:
        config.write("c.IsolatedChecks.seconds = 1.0\n")
    (tmp_path / "in").mkdir()
    code = "import time\ndef records_needed(n, epsilon):\n    while True: time.sleep(0.1)"
    nbformat.write(with_answer(release, code, NAME), tmp_path / "in" / "eve.ipynb")
    grade_submissions(own, tmp_path / "in")
    assert table(own)["eve"]["week1: total"] == "0"
    assert "took too long" in feedback(own, "eve")


def test_an_attack_on_the_gradebook_is_told_and_undone(graded) -> None:
    course, _, told = graded
    for attack in WRITERS:
        [line] = [line for line in told if line.startswith(attack)]
        assert "gradebook.db was changed and has been put back" in line
        assert "touched the folder" in table(course)[attack]["notes"]
        assert "touched the folder" in feedback(course, attack)
    assert not (course.folder / "source/week1/mine.txt").exists()
    with closing(sqlite3.connect(course.folder / "gradebook.db")) as book:
        assert not book.execute("select 1 from grade where manual_score is not null").fetchall()
    assert not [line for line in told if line.split(":")[0] not in {*WRITERS, "carl"}]


def test_feedback_shows_no_check_no_solution_and_no_other_host(graded, release, key) -> None:
    course, _, _ = graded
    page = feedback(course, "ben")
    assert "still the stub" in page and "0 of 16" in page
    assert "check(" not in page and "https:" not in page and "http:" not in page
    given = {line for cell in release.cells for line in cell.source.splitlines()}
    solved = {line for cell in key.cells for line in cell.source.splitlines()} - given
    assert len(solved) > 20 and not [line for line in solved if len(line) > 9 and line in page]
    assert not re.findall(r"<script|<link|src=|url\((?!data:)", page)
    assert not list((course.folder / "feedback").glob("**/*.js"))
    assert "Both data sets have the same third one inside them." in feedback(course, "anna")
    assert "not marked yet" in feedback(course, "anna")


def mark(course: Course, student: str, score: float, comment: str) -> None:
    """Give a mark as the formgrader does."""
    with course.gradebook() as book:
        where = ("replacement-loss-proof", SHEET, "week1", student)
        grade, said = book.find_grade(*where), book.find_comment(*where)
        grade.manual_score, grade.needs_manual_grade = score, False
        said.manual_comment = comment
        book.db.commit()


def test_a_mark_is_never_lost(graded, key, tmp_path: Path, capsys) -> None:
    course = Course(tmp_path / "my-course")
    shutil.copytree(graded[0].folder, course.folder)
    handed_in = tmp_path / "in"
    handed_in.mkdir()
    nbformat.write(key, handed_in / "anna.ipynb")
    mark(course, "anna", 1.5, "Where is P(x) = 0?")
    column = f"week1: {SHEET}/replacement-loss (proof)"
    for _ in range(2):
        grade_submissions(course, handed_in, "week1")
        assert "grading" not in capsys.readouterr().out  # nothing has changed
        row = table(course)["anna"]
        assert (row[column], row["week1: total"], row["week1: to mark"]) == ("1.5", "15.5", "0")
        assert "Where is P(x) = 0?" in feedback(course, "anna")
    changed = with_answer(key, "Another proof.", "replacement-loss-proof")
    nbformat.write(changed, handed_in / "anna.ipynb")
    for again in (False, True):
        grade_submissions(course, handed_in, again=again)
        assert capsys.readouterr().out == "grading anna\n"
        row = table(course)["anna"]
        assert (row[column], row["week1: total"], row["week1: to mark"]) == ("1.5", "15.5", "1")
    assert "Another proof." in feedback(course, "anna")


def test_the_numbers_of_a_grading_are_those_of_its_seed(graded, key) -> None:
    """The formgrader reads the same settings, so it grades with the seed of the assignment."""
    course, _, _ = graded
    assert course.assignments()["week1"]["seed"] == 7
    for student in ("anna", "ben"):
        path = course.folder / "autograded" / student / "week1" / f"{SHEET}.ipynb"
        cells = [c for c in nbformat.read(path, as_version=4).cells if c.get("outputs")]
        assert len(cells) == 4
        assert all(cell.outputs[-1].output_type == "execute_result" for cell in cells)


# Bad cases ----------------------------------------------------------------------------------------


def test_no_assignment_and_which_are_told(course: Course, tmp_path: Path) -> None:
    with pytest.raises(CourseError, match="run make assignment first"):
        grade_submissions(Course(tmp_path), tmp_path)
    with pytest.raises(CourseError, match="no assignment 'week2'; there are: week1"):
        grade_submissions(course, tmp_path, "week2")
    two = Course(tmp_path / "two")
    two.start()
    two.note("a", [PAGE], 1)
    two.note("b", [PAGE], 1)
    with pytest.raises(CourseError, match=r"Which assignment. Say NAME=, one of a, b"):
        grade_submissions(two, tmp_path)
    with pytest.raises(CourseError, match="holds no sheet: run make assignment again"):
        grade_submissions(two, tmp_path, "a")


def test_no_submission_is_told(course: Course, tmp_path: Path) -> None:
    with pytest.raises(CourseError, match="There are no submissions"):
        grade_submissions(course, tmp_path)


def test_a_gradebook_in_use_is_told_before_anything_runs(
    course: Course, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.setattr("course.folder.SECONDS", 0.2)
    own = Course(tmp_path / "my-course")
    shutil.copytree(course.folder, own.folder)
    with closing(sqlite3.connect(own.folder / "gradebook.db")) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(CourseError, match=r"cannot be written \(database is locked\)"):
            grade_submissions(own, tmp_path)
    (own.folder / "gradebook.db").write_bytes(b"no database" * 100)
    with pytest.raises(CourseError, match="is no gradebook"):
        grade_submissions(own, tmp_path)


def test_a_formgrader_that_is_open_is_told(course: Course, tmp_path: Path, monkeypatch) -> None:
    running = [{"root_dir": str(tmp_path), "pid": 1}, {"root_dir": str(course.folder), "pid": 2}]
    monkeypatch.setattr("course.folder.list_running_servers", lambda: running)
    with pytest.raises(CourseError, match=r"\(process 2\). Close the formgrader"):
        grade_submissions(course, tmp_path)


def test_what_programs_keep_in_hidden_folders_is_no_attack(tmp_path: Path) -> None:
    (tmp_path / "gradebook.db").write_text("marks")
    with guarded(tmp_path) as told:
        (tmp_path / ".cache").mkdir()
        (tmp_path / ".cache" / "kernel").write_text("")
    assert told == []
    (tmp_path / "autograded").mkdir()
    (tmp_path / "autograded" / "a").write_text("")
    with guarded(tmp_path) as told:
        (tmp_path / "gradebook.db").unlink()
        (tmp_path / "autograded" / "a").write_text("x")
        (tmp_path / "new").write_text("")
    assert told == [
        "autograded/a was changed or removed and could not be put back",
        "gradebook.db was changed and has been put back",
        "new was made and has been removed",
    ]
    assert (tmp_path / "gradebook.db").read_text() == "marks"


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (["course.assignment", "book/index.md"], "book/index.md has no exercises"),
        (["course.grading"], "Where are the submissions? Say SUBMISSIONS=folder."),
    ],
)
def test_a_command_says_in_one_line_what_is_wrong(
    command: list[str], told: str, tmp_path: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", *command, "--course", str(tmp_path / "c")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert told in done.stderr and done.stderr.count("\n") == 1
