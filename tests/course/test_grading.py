"""One assignment end to end: handed out, handed in, graded, marked, and told to the students."""

import csv
import json
import os
import re
import shutil
import sqlite3
import stat
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import nbformat
import pytest
from nbgrader.converters import Autograde

from course import judging
from course.assignment import make_assignment
from course.folder import Course, CourseError
from course.grading import OPEN, grade_submissions, main
from course.judging import Job, Result, judge_all
from course.secret import secret_of, seeds_of
from course.sheets import make_sheet
from pdpbook_exercises import check
from pdpbook_exercises.checks.cases import DRAWN
from pdpbook_exercises.checks.checking import find_exercise
from pdpbook_exercises.checks.isolated import HALF, Grade
from tests.conftest import NIGHTLY
from tests.course.conftest import PAGE, POINTS, SHEET, with_answer
from tests.course.test_sheets import edition
from tests.exercises.test_isolated import ATTACKS
from tests.tools.notebooks import ROOT

NAME = "records-needed"
PROOF = f"{SHEET}/replacement-loss-proof"
MOST = POINTS["warm-up"] + 2 * POINTS["core"] + POINTS["open"]
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
#: Of the attacks on the checker, by day the two that nbgrader's own grading would fall for;
#: ``test_isolated.py`` tries all of them.
BY_DAY = ("replaces the checker", "prints a score")
TRIED = (ATTACKS if NIGHTLY else {name: ATTACKS[name] for name in BY_DAY}) | OTHERS


def copy_of(course: Course, folder: Path) -> Course:
    """A course of one's own."""
    own = Course(folder / "my-course")
    shutil.copytree(course.folder, own.folder)
    return own


def without_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    """Judge where bubblewrap does not work."""
    why = "bubblewrap does not work here: No permission"

    def here(jobs, minutes):
        """Judge in this process, where there is no sandbox."""
        yield from ((job, judging.judge(job)) for job in jobs)

    monkeypatch.setattr("course.grading.judge_all", here)
    for module in ("course.grading", "course.judging", "pdpbook_exercises.checks.sandbox"):
        monkeypatch.setattr(f"{module}.why_not", lambda: why)


def all_get(held: int) -> Callable[[Sequence[Job], float], Iterator[tuple[Job, Result]]]:
    """What gives every answer so many of two points; nothing is run."""

    def judge(jobs: Sequence[Job], minutes: float) -> Iterator[tuple[Job, Result]]:
        for job in jobs:
            grades = {name: Grade(held, 2, "") for name in job.variables}
            yield job, Result(job.digest, True, "", grades, ())

    return judge


@pytest.fixture(scope="module")
def graded(course: Course, release, key, tmp_path_factory) -> tuple[Course, Path, list[str]]:
    """A course with a key, a blank, and attacks; where they lie; what was told."""
    own = Course(tmp_path_factory.mktemp("graded") / "my-course")
    shutil.copytree(course.folder, own.folder)
    handed_in = own.folder.parent / "submissions"
    (handed_in / "anna").mkdir(parents=True)
    nbformat.write(key, handed_in / "anna" / "whatever.ipynb")
    nbformat.write(release, handed_in / "ben_12_6_dp-versus-pdp-1.ipynb")
    for student, code in TRIED.items():
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
    assert secret_of(course.folder) not in text


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
        *("student", "id"),
        *(f"week1: {SHEET}/{part}" for part in parts),
        *("week1: total", "week1: to mark", "week1: hours late", "notes"),
    ]
    possible = ["2", "4", "2", "2", "6", str(MOST), "", ""]
    assert [*rows["points possible"].values()][2:-1] == possible
    assert [*rows["anna"].values()][1:-1] == ["", "2", "4", "", "2", "6", str(MOST - 2), "1", ""]
    assert [*rows["ben"].values()][1:] == ["12", "0", "0", "0", "0", "0", "0", "0", "", ""]
    assert "not JSON" in rows["carl"]["notes"] and rows["carl"]["week1: total"] == "0"


@pytest.mark.parametrize("attack", TRIED)
def test_an_attack_gets_nothing(attack: str, graded) -> None:
    course, _, _ = graded
    assert table(course)[attack]["week1: total"] == "0"


def test_what_never_ends_gets_nothing(course: Course, release, tmp_path: Path) -> None:
    own = Course(tmp_path / "my-course")
    shutil.copytree(course.folder, own.folder)
    with (own.folder / "nbgrader_config.py").open("a", encoding="utf-8") as config:
        config.write("c.IsolatedChecks.seconds = 0.25\n")  # it waits four times as long
    (tmp_path / "in").mkdir()
    code = "import time\ndef records_needed(n, epsilon):\n    while True: time.sleep(0.1)"
    nbformat.write(with_answer(release, code, NAME), tmp_path / "in" / "eve.ipynb")
    grade_submissions(own, tmp_path / "in")
    assert table(own)["eve"]["week1: total"] == "0"
    assert "took too long" in feedback(own, "eve")


def test_nothing_of_the_course_is_reached(graded, wall: None) -> None:
    course, _, told = graded
    assert not (course.folder / "source/week1/mine.txt").exists()
    with closing(sqlite3.connect(course.folder / "gradebook.db")) as book:
        assert not book.execute("select 1 from grade where manual_score is not null").fetchall()
    assert not [line for line in told if line.split(":")[0] != "carl"]
    assert not [row for row in table(course).values() if OPEN in row["notes"]]


#: A journal that SQLite would play back into the gradebook, whose pages are those of the forger.
JOURNAL = """
    import pathlib, shutil, sqlite3, struct, tempfile
    book = pathlib.Path({folder!r}, "gradebook.db")
    with tempfile.TemporaryDirectory() as own:
        forged = pathlib.Path(own, "book.db")
        shutil.copy(book, forged)
        with sqlite3.connect(forged) as connection:
            connection.execute("update grade set manual_score = 100, needs_manual_grade = 0")
            connection.execute("create table if not exists forged (a)")
        connection.close()
        pages = forged.read_bytes()
    size = int.from_bytes(pages[16:18], "big")
    count = len(pages) // size
    head = bytes.fromhex("d9d505f920a163d7") + struct.pack(">IIIII", count, 0, count, 512, size)
    with open(f"{book}-journal", "wb") as journal:
        journal.write(head.ljust(512, b"\\0"))
        for number in range(count):
            page = pages[number * size : (number + 1) * size]
            check = sum(page[i] for i in range(size - 200, 0, -200)) & 0xFFFFFFFF
            journal.write(struct.pack(">I", number + 1) + page + struct.pack(">I", check))
    def records_needed(n, epsilon):
        return -1
    """


def forged(book: Path) -> bool:
    """Whether a gradebook is, to whoever opens it, the one that the journal makes of it."""
    with closing(sqlite3.connect(book)) as opened:
        return bool(opened.execute("select 1 from sqlite_master where name='forged'").fetchall())


def test_a_forged_journal_is_not_played_into_the_gradebook(
    walled: bool, course: Course, release, tmp_path: Path, monkeypatch, capsys
) -> None:
    own = copy_of(course, tmp_path)
    code = textwrap.dedent(JOURNAL.replace("{folder!r}", repr(str(own.folder))))
    if not walled:
        without_sandbox(monkeypatch)
        copy = copy_of(course, tmp_path / "forged")
        exec(code.replace(str(own.folder), str(copy.folder)), {})
        assert forged(copy.folder / "gradebook.db")  # the attack works
    (tmp_path / "in").mkdir()
    nbformat.write(with_answer(release, code, NAME), tmp_path / "in" / "eve.ipynb")
    nbformat.write(release, tmp_path / "in" / "frank.ipynb")
    grade_submissions(own, tmp_path / "in")
    row = table(own)["eve"]
    assert row["week1: total"] == "0"
    assert not forged(own.folder / "gradebook.db")
    assert (OPEN in row["notes"]) is not walled
    said = capsys.readouterr().out
    assert ("There is no sandbox: bubblewrap" in said) is not walled
    assert ("changed while submissions ran without a sandbox" in said) is not walled
    assert (own.folder / "gradebook.db-journal.changed").exists() is not walled


def test_no_sandbox_is_told_on_the_screen_and_in_the_table(
    course: Course, key, tmp_path: Path
) -> None:
    """Where the program is there and the system forbids what it wants to do."""
    own = copy_of(course, tmp_path)
    (tmp_path / "in").mkdir()
    nbformat.write(key, tmp_path / "in" / "anna.ipynb")
    fake = tmp_path / "bwrap"
    fake.write_text("#!/bin/sh\necho No permissions to create new namespace >&2\nexit 1\n")
    fake.chmod(0o755)
    done = subprocess.run(
        [sys.executable, "-m", "course.grading", tmp_path / "in", "--course", own.folder],
        env=os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "There is no sandbox: bubblewrap does not work here: No permissions to" in done.stdout
    assert table(own)["anna"]["notes"] == OPEN
    assert table(own)["anna"]["week1: total"] == str(MOST - 2)


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


def test_the_feedback_of_a_refused_submission_says_why(graded) -> None:
    course, _, _ = graded
    page = feedback(course, "carl")
    assert "<li>carl_essay.ipynb: it is no notebook: it is not JSON</li>" in page
    assert f"<td>0 of {MOST}</td>" in page
    assert "Your submission" not in feedback(course, "anna")


def test_the_roster_tells_who_is_missing_and_times_who_was_late(
    course: Course, key, release, tmp_path: Path, monkeypatch, capsys
) -> None:
    monkeypatch.setattr("course.grading.judge_all", all_get(2))
    own = copy_of(course, tmp_path)
    own.note("week1", [PAGE], "2027-03-05T23:59:00+00:00")
    handed_in = tmp_path / "in"
    for student, time in (("anna", "2027-03-06 02:29:00 UTC"), ("ben", "2027-03-05 23:59:00 UTC")):
        (handed_in / student).mkdir(parents=True)
        (handed_in / student / "timestamp.txt").write_text(time)
        nbformat.write(key, handed_in / student / "a.ipynb")
    for name in ("doejane_LATE_12_6_a", "stranger"):
        nbformat.write(release, handed_in / f"{name}.ipynb")
    (handed_in / "carl.ipynb").write_text("no notebook")
    people = "anna,a1\nBen,b2\ncarl,c3\nJane Doe,12\nMax Missing,m5\n"
    (tmp_path / "people.csv").write_text(f"student,id\n{people}", encoding="utf-8")
    given = (handed_in, "--course", own.folder, "--roster", tmp_path / "people.csv")
    monkeypatch.setattr("sys.argv", ["make grade", *map(str, given)])
    main()
    said = capsys.readouterr().out
    assert "Max Missing: handed in nothing" in said
    assert "stranger: not in the roster" in said
    rows = table(own)
    assert {name: row["id"] for name, row in rows.items()} == {
        **{"points possible": "", "Max Missing": "m5", "anna": "a1", "ben": "b2"},
        **{"carl": "c3", "doejane": "12", "stranger": ""},
    }
    late = {name: row["week1: hours late"] for name, row in rows.items() if name != "stranger"}
    assert late["anna"] == "2.5" and late["doejane"] == "late"
    assert not any(late[name] for name in ("ben", "carl", "Max Missing"))
    assert rows["Max Missing"]["notes"] == "handed in nothing"
    assert "handed in nothing" not in rows["carl"]["notes"]
    assert "handed in 2.5 h late" in feedback(own, "anna")
    assert "handed in late" in feedback(own, "doejane")
    assert rows["anna"]["week1: total"] == str(MOST - 2)  # no points are taken off
    with own.gradebook() as book:
        assert str(book.find_submission("week1", "anna").timestamp) == "2027-03-06 02:29:00"
    (tmp_path / "people.csv").unlink()
    assert grade_submissions(own, handed_in)[-1] == "stranger: not in the roster"  # it was kept
    own.roster.write_text("name\n")
    with pytest.raises(CourseError, match="nor a table with a column student"):
        grade_submissions(own, handed_in)


def test_an_assignment_has_a_date_that_nbgrader_knows(
    all_assigned: Path, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.setattr("course.assignment.verify", lambda *given: (0, []))  # it takes long
    own = Course(tmp_path / "my-course")
    with pytest.raises(CourseError, match=r"DUE='Friday' is no point in time: write it as 2027"):
        make_assignment(own, [PAGE], "week1", all_assigned, "Friday")
    make_assignment(own, [PAGE], "week1", all_assigned, "2027-03-05 23:59 Europe/Berlin")
    make_assignment(own, [PAGE], "week1", all_assigned)  # it keeps its date
    assert own.assignments()["week1"]["due"] == "2027-03-05T23:59:00+01:00"
    with own.gradebook() as book:
        assert str(book.find_assignment("week1").duedate) == "2027-03-05 22:59:00"


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
        assert "graded" not in capsys.readouterr().out  # nothing has changed
        row = table(course)["anna"]
        assert (row[column], row["week1: total"], row["week1: to mark"]) == ("1.5", "15.5", "0")
        assert "Where is P(x) = 0?" in feedback(course, "anna")
    changed = with_answer(key, "Another proof.", "replacement-loss-proof")
    nbformat.write(changed, handed_in / "anna.ipynb")
    for again in (False, True):
        grade_submissions(course, handed_in, again=again)
        ran = f"graded anna: {SHEET} (1 of 1)\n" if again else ""  # its code is the same
        assert capsys.readouterr().out == ran
        row = table(course)["anna"]
        assert (row[column], row["week1: total"], row["week1: to mark"]) == ("1.5", "15.5", "1")
    assert "Another proof." in feedback(course, "anna")


def test_the_formgrader_grades_with_the_numbers_of_the_student(graded, tmp_path: Path) -> None:
    """It reads the same settings, and the same secret."""
    own = copy_of(graded[0], tmp_path)
    path = own.folder / "results" / "anna" / "week1" / f"{SHEET}.json"
    before = path.read_text()
    path.unlink()
    shutil.rmtree(own.folder / "autograded" / "anna")  # nbgrader leaves alone what it has graded
    own.run(Autograde, "week1", "anna")
    assert path.read_text() == before


def test_each_check_cell_has_the_output_of_the_checker(graded) -> None:
    course, _, _ = graded
    for student in ("anna", "ben"):
        path = course.folder / "autograded" / student / "week1" / f"{SHEET}.ipynb"
        cells = [c for c in nbformat.read(path, as_version=4).cells if c.get("outputs")]
        assert len(cells) == 4
        assert all(cell.outputs[-1].output_type == "execute_result" for cell in cells)


# Numbers of one's own -----------------------------------------------------------------------------

EXERCISE = f"{SHEET}/{NAME}"
RIGHT = """
    import math
    def records_needed(n, epsilon):
        share = math.exp(-epsilon) / n - math.expm1(-epsilon)
        return max(2, math.ceil((1 - 1e-12) / share))
    """
MANY = 10 if NIGHTLY else 2
STUDENTS = [f"{kind} {number}" for kind in ("right", "table", "off") for number in range(MANY)]


def known_answers() -> str:
    """A table of all that a check of a student asks, and of what is right there."""
    space: dict[str, Any] = {}
    exec(textwrap.dedent(RIGHT), space)
    known: dict[tuple[int, float], int] = {}

    def learns(n: int, epsilon: float) -> int:
        known[n, epsilon] = space["records_needed"](n, epsilon)
        return known[n, epsilon]

    assert check(EXERCISE, learns)
    return f"KNOWN = {known}\ndef records_needed(n, epsilon):\n    return KNOWN[n, epsilon]"


@pytest.fixture(scope="module")
def one_exercise(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Course:
    """A course with a sheet of one exercise, which draws cases, and all submissions beside it."""
    folder = tmp_path_factory.mktemp("one")
    notebook = nbformat.read((built / PAGE).with_suffix(".ipynb"), as_version=4)
    for cell in notebook.cells:
        if "pdpbook" in cell.metadata:
            wanted = cell.metadata.pdpbook.exercise == "ex-dp-versus-pdp-records-needed"
            cell.metadata.pdpbook["for"] = "assignment" if wanted else "practice"
            cell.metadata.pdpbook["minutes"] = 20
    path = (folder / PAGE).with_suffix(".ipynb")
    path.parent.mkdir(parents=True)
    nbformat.write(notebook, path)
    made = Course(folder / "my-course")
    make_assignment(made, [PAGE], "week1", folder)
    sheet = nbformat.read(made.folder / "release/week1" / f"{SHEET}.ipynb", as_version=4)
    code = {
        "right": textwrap.dedent(RIGHT),
        "table": known_answers(),
        "off": textwrap.dedent(RIGHT).replace("return max", "return 50_000 < n < 10**8 or max"),
    }
    (folder / "in").mkdir()
    for student in STUDENTS:
        text = code[student.split()[0]]
        nbformat.write(with_answer(sheet, text, NAME), folder / "in" / f"{student}.ipynb")
    return made


def found_out(course: Course) -> dict[str, Result]:
    """What the checker found for each student."""
    found = {}
    for path in course.folder.glob(f"results/*/week1/{SHEET}.json"):
        record = json.loads(path.read_text(encoding="utf-8"))
        grades = {name: Grade(**each) for name, each in record.pop("grades").items()}
        found[path.parts[-3]] = Result(**record, grades=grades)
    return found


def test_each_student_has_numbers_of_their_own_and_the_same_again(one_exercise: Course) -> None:
    own = one_exercise
    assert grade_submissions(own, own.folder.parent / "in") == []
    first, rows = found_out(own), table(own)
    pages = {student: feedback(own, student) for student in STUDENTS}
    assert grade_submissions(own, own.folder.parent / "in", again=True) == []
    assert (found_out(own), table(own)) == (first, rows)
    assert {student: feedback(own, student) for student in STUDENTS} == pages
    failing = {}
    for student in STUDENTS:
        got = first[student].grades[EXERCISE]
        if student.startswith("table"):  # what everybody knows holds, and does not count
            assert got.held == 0
        elif student.startswith("off"):  # it is wrong at inputs of which only some students get one
            fixed = got.total - DRAWN
            halved = got.held == got.total // 2 and HALF in got.message  # a known mistake
            assert halved or got.held in [m + fixed * m // DRAWN for m in range(DRAWN + 1)]
        else:
            assert got.held == got.total, got.message
        if got.held == got.total:
            continue
        [failing[student]] = re.findall(r"records_needed\([^)]*\)", got.message)
        assert failing[student] in pages[student]
    tables = [failing[student] for student in failing if student.startswith("table")]
    assert len({*tables}) == len(tables) == MANY


def test_the_secret_of_a_course_stays_with_its_owner(graded, tmp_path: Path) -> None:
    own, _, _ = graded
    secret = secret_of(own.folder)
    path = own.folder / ".secret"
    assert path.read_text() == f"{secret}\n" and len(secret) == 64
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    files = [each for each in own.folder.rglob("*") if each.is_file() and each != path]
    assert len(files) > 30
    assert not [each for each in files if secret.encode() in each.read_bytes()]
    with ZipFile(own.folder / "week1.zip") as archive:
        assert not [each for each in archive.namelist() if secret.encode() in archive.read(each)]
    assert secret_of(tmp_path) != secret  # that of another course
    assert secret_of(tmp_path) == secret_of(tmp_path)
    assert seeds_of(tmp_path, "ada", [EXERCISE]) != seeds_of(own.folder, "ada", [EXERCISE])
    (tmp_path / ".secret").write_text("\n")
    with pytest.raises(ValueError, match=r"\.secret must not be empty: restore it, or remove it"):
        secret_of(tmp_path)


# Bad cases ----------------------------------------------------------------------------------------


def test_no_assignment_and_which_are_told(course: Course, tmp_path: Path) -> None:
    with pytest.raises(CourseError, match="run make assignment first"):
        grade_submissions(Course(tmp_path), tmp_path)
    with pytest.raises(CourseError, match="no assignment 'week2'; there are: week1"):
        grade_submissions(course, tmp_path, "week2")
    two = Course(tmp_path / "two")
    two.start()
    two.note("a", [PAGE])
    two.note("b", [PAGE])
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


# An exercise of which each student has an instance ------------------------------------------------

PRIVATE = """
from pdpbook_exercises import Case, Exercise, Instances

EXERCISES = {
    "square": Exercise(
        lambda mine: [Case(lambda given: given == mine["side"] ** 2, "Square it.")],
        own=Instances({"side": 3}, lambda rng: {"side": int(rng.integers(10, 10**9))}),
    )
}
"""
STUB = "me = 'reader'\nmine = own('an-instance/square', me)\nanswer = ..."


def test_an_instance_is_that_of_the_folder_and_not_of_the_sheet(tmp_path: Path) -> None:
    own = Course(tmp_path / "my-course")
    for folder in ("private", "source/exam"):
        (own.folder / folder).mkdir(parents=True)
    (own.folder / "private" / "an_instance.py").write_text(PRIVATE)
    page = edition(kind="code")
    page.cells[2].source = "from pdpbook_exercises import check, own"
    page.cells[-2].source = STUB
    page.cells[-1].source = 'check("an-instance/square", answer, me=me)'
    path = own.folder / "source/exam/bonus.ipynb"
    nbformat.write(make_sheet(page, {"an-instance/square": "answer = 9"}, "mine"), path)
    with pytest.raises(CourseError, match=r"does not solve the instance of Ada\n.* of Bob"):
        make_assignment(own, [], "exam")
    key = {"an-instance/square": "answer = mine['side'] ** 2"}
    nbformat.write(make_sheet(page, key, "mine"), path)
    make_assignment(own, [], "exam")
    release = nbformat.read(own.folder / "release/exam/bonus.ipynb", as_version=4)
    annas = find_exercise("an-instance/square").own.of("an-instance/square", "Anna")["side"] ** 2
    found = {
        "doe, jane": "answer = mine['side'] ** 2",
        "anna": f"me = 'ANNA'; answer = {annas}",
        "ben": f"me = 'Anna'; answer = {annas}",
    }
    (tmp_path / "in").mkdir()
    for student, code in found.items():
        sheet = with_answer(release, STUB.replace("answer = ...", code), "square")
        nbformat.write(sheet, tmp_path / "in" / f"{student}.ipynb")
    told = grade_submissions(own, tmp_path / "in")
    copied = "bonus: square: worked on the instance of Anna, not of ben"
    assert [line for line in told if "instance" in line] == [f"ben: {copied}"]
    rows = table(own)
    assert [rows[each]["exam: bonus/square"] for each in found] == ["4", "4", "0"]
    assert copied in rows["ben"]["notes"] and "instance" not in rows["anna"]["notes"]
    page_of_ben = (own.folder / "feedback/ben/exam/feedback.html").read_text(encoding="utf-8")
    assert "You worked on the instance of Anna; yours is that of ben." in page_of_ben


# A grading that is interrupted, or of which one submission is broken ------------------------------


def test_what_the_lecturer_saves_meanwhile_stays(course: Course, key, tmp_path: Path) -> None:
    own = copy_of(course, tmp_path)
    (tmp_path / "in").mkdir()
    nbformat.write(key, tmp_path / "in" / "anna.ipynb")
    mine = own.folder / "private" / "midterm.py"

    def save(*given: object, **named: object):
        mine.parent.mkdir()
        mine.write_text("EXERCISES = {}")
        return all_get(2)(*given, **named)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("course.grading.judge_all", save)
        assert grade_submissions(own, tmp_path / "in") == []
    assert mine.read_text() == "EXERCISES = {}"
    assert table(own)["anna"]["week1: total"] == str(MOST - 2)


def test_points_that_an_interrupted_grading_has_found_are_entered_later(
    course: Course, key, tmp_path: Path, monkeypatch
) -> None:
    """A problem was changed, everything is graded again, and the command ends before it writes."""
    own = copy_of(course, tmp_path)
    (tmp_path / "in").mkdir()
    nbformat.write(key, tmp_path / "in" / "anna.ipynb")

    def interrupted(*given: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("course.grading.judge_all", all_get(2))
    grade_submissions(own, tmp_path / "in")
    assert table(own)["anna"]["week1: total"] == str(MOST - 2)
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr("course.grading.judge_all", all_get(1))
        patch.setattr("course.grading.enter", interrupted)
        grade_submissions(own, tmp_path / "in", again=True)
    grade_submissions(own, tmp_path / "in")
    assert table(own)["anna"]["week1: total"] == str((MOST - 2) // 2)


@pytest.mark.parametrize("where", ["judging", "entering"])
def test_an_interrupted_grading_goes_on_where_it_was(
    where: str, course: Course, key, release, tmp_path: Path, monkeypatch, capsys
) -> None:
    own = copy_of(course, tmp_path)
    (tmp_path / "in").mkdir()
    for student in ("anna", "ben"):
        nbformat.write(key, tmp_path / "in" / f"{student}.ipynb")
    run = Course.run
    left = [2]

    def interrupted(*given: object, **named: object):
        left[0] -= 1
        if not left[0]:
            raise KeyboardInterrupt
        return run(*given, **named)

    def some(jobs, minutes):
        for number, done in enumerate(judge_all(jobs, minutes, 1)):
            if number == 1:
                raise KeyboardInterrupt
            yield done

    with monkeypatch.context() as patch:
        if where == "judging":
            patch.setattr("course.grading.judge_all", some)
        else:
            patch.setattr("course.grading.judge_all", all_get(2))
            patch.setattr(Course, "run", interrupted)
        with pytest.raises(KeyboardInterrupt):
            grade_submissions(own, tmp_path / "in")
    capsys.readouterr()
    (own.folder / ".grading-killed").mkdir()  # as a grading leaves it that was killed
    assert grade_submissions(own, tmp_path / "in") == []
    assert capsys.readouterr().out.count("graded ") == (1 if where == "judging" else 0)
    totals = {each: row["week1: total"] for each, row in table(own).items()}
    assert [totals[each] for each in ("anna", "ben")] == [str(MOST - 2)] * 2
    assert not list(own.folder.glob(".grading-*"))


def test_two_gradings_do_not_meet(course: Course, key, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("course.grading.judge_all", all_get(2))
    own = copy_of(course, tmp_path)
    (tmp_path / "in").mkdir()
    nbformat.write(key, tmp_path / "in" / "anna.ipynb")
    with own.locked(), pytest.raises(CourseError, match=r"Another command is at work.*process \d"):
        grade_submissions(own, tmp_path / "in")
    assert grade_submissions(own, tmp_path / "in") == []


def test_one_broken_submission_is_one_line(
    course: Course, key, tmp_path: Path, monkeypatch
) -> None:
    """One that its worker dies of, one that takes too long, one that nbgrader will not have."""
    own = copy_of(course, tmp_path)
    config = own.folder / "nbgrader_config.py"
    usual = config.read_text(encoding="utf-8")
    config.write_text(f"{usual}c.IsolatedChecks.minutes = 0.02\n", encoding="utf-8")
    (tmp_path / "in").mkdir()
    for student in ("anna", "dead", "refused", "slow"):
        nbformat.write(key, tmp_path / "in" / f"{student}.ipynb")
    slow = with_answer(key, "import time\ntime.sleep(60)", NAME)
    nbformat.write(slow, tmp_path / "in" / "slow.ipynb")
    judge = judging._Worker.judge
    run = Course.run

    def dies(worker, job):
        limit = worker._minutes
        worker._minutes = limit if job.student == "slow" else 10.0  # however slow the machine is
        try:
            return judge(worker, replace(job, code=DIES) if job.student == "dead" else job)
        finally:
            worker._minutes = limit

    def refuses(self, kind, assignment, student, **named):
        if student == "refused":
            raise CourseError("Traceback\n" * 5_000 + "ValueError: no")
        return run(self, kind, assignment, student, **named)

    monkeypatch.setattr("course.judging._Worker.judge", dies)
    monkeypatch.setattr(Course, "run", refuses)
    told = grade_submissions(own, tmp_path / "in")
    assert told == [
        f"dead: {SHEET}: it could not be graded: the process that judged it has ended",
        "refused: nbgrader could not grade it: ValueError: no",
        f"slow: {SHEET}: it could not be graded: it took more than 0.02 minutes",
    ]
    rows = table(own)
    assert rows["anna"]["week1: total"] == str(MOST - 2)
    assert [rows[each]["week1: total"] for each in ("dead", "refused", "slow")] == ["0"] * 3
    monkeypatch.undo()
    config.write_text(usual, encoding="utf-8")
    nbformat.write(key, tmp_path / "in" / "slow.ipynb")
    assert grade_submissions(own, tmp_path / "in") == []  # they were tried once more
    rows = table(own)
    assert {rows[each]["week1: total"] for each in ("dead", "refused", "slow")} == {str(MOST - 2)}


class Dies(str):
    """Ends the process that receives it."""

    def __reduce__(self) -> tuple[object, tuple[int]]:
        return os._exit, (1,)


DIES = (Dies("1"),)


def test_a_late_submission_leaves_the_notes_of_the_others(graded, key, tmp_path: Path) -> None:
    own = copy_of(graded[0], tmp_path)
    before = table(own)
    name = "Zoë D’Angelo-प्रिया a+b@x.org"  # nbgrader takes such a name, too
    (tmp_path / "in").mkdir()
    nbformat.write(key, tmp_path / "in" / f"{name}.ipynb")
    grade_submissions(own, tmp_path / "in")
    after = table(own)
    row = after.pop(name)
    assert (row["notes"], row["week1: total"]) == ("", str(MOST - 2))
    assert "not JSON" in after["carl"]["notes"]
    assert after == before


def test_a_table_that_cannot_be_written_is_told(
    course: Course, key, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.setattr("course.grading.judge_all", all_get(2))
    own = copy_of(course, tmp_path)
    (own.folder / "grades.csv").mkdir()
    (tmp_path / "in").mkdir()
    nbformat.write(key, tmp_path / "in" / "anna.ipynb")
    with pytest.raises(CourseError, match=r"grades.csv cannot be written: Is a directory"):
        grade_submissions(own, tmp_path / "in")
    (own.folder / "grades.csv").rmdir()
    os.mkfifo(own.folder / "grades.csv")
    grade_submissions(own, tmp_path / "in")
    assert table(own)["anna"]["week1: total"] == str(MOST - 2)
    (own.folder / "release/week1" / f"{SHEET}.ipynb").write_text("{")
    with pytest.raises(CourseError, match=r"is spoilt .*run make assignment again"):
        grade_submissions(own, tmp_path / "in")


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (
            ["course.assignment", "book/notation.md", "--built", "nowhere"],
            "book/notation.md has no exercises",
        ),
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
