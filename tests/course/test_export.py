"""Totals in the tables of Canvas and Moodle, and who is missing in them."""

import csv
import shutil
from pathlib import Path
from zipfile import ZipFile

import nbformat
import pytest

from course.export import export
from course.folder import Course, CourseError
from course.grading import grade_submissions
from tests.course.test_grading import MOST, SHEET
from tests.course.test_names import judged_by_looks

TOTAL = str(MOST - 2)  # the proof is not marked yet
CANVAS = """\
\ufeffStudent,ID,SIS User ID,SIS Login ID,Section,week1 (77),other (78)
"    Points Possible",,,,,10,5
"Doe, Jane",11,s11,jdoe,A,,4
"Doe, Jane",12,s12,jdoe2,A,,4
"Müller, Zoë",13,s13,zm,A,3,4
"Missing, Max",14,s14,mm,A,,4
"""
MOODLE = f"""\
Identifier,Full name,Email address,Status,Grade,Maximum Grade,Feedback comments
Participant 123,Anna Berg,a@x.org,Submitted,,{MOST}.00,
Participant 124,"Max, the Missing",m@x.org,No submission,,{MOST}.00,
Participant 125,Zoë Müller,z@x.org,Submitted,,{MOST}.00,kept
"""


@pytest.fixture(scope="module")
def graded(course: Course, key, release, tmp_path_factory) -> Course:
    """A course whose submissions have come from both platforms."""
    own = Course(tmp_path_factory.mktemp("exported") / "my-course")
    shutil.copytree(course.folder, own.folder)
    handed_in = own.folder.parent / "in"
    handed_in.mkdir()
    for name in ("doejane_11_5_a", "müllerzoë_13_5_a"):
        nbformat.write(key, handed_in / f"{name}.ipynb")
    for name in ("doejane_LATE_12_6_a", "stranger"):
        nbformat.write(release, handed_in / f"{name}.ipynb")
    moodle = handed_in / "Anna Berg_123_assignsubmission_file_"
    moodle.mkdir()
    nbformat.write(key, moodle / f"{SHEET}.ipynb")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("course.grading.judge_all", judged_by_looks)
        assert grade_submissions(own, handed_in) == []
    return own


def exported(course: Course, folder: Path, text: str) -> tuple[str, list[dict[str, str]], str]:
    """The name, the rows and the told lines of an export."""
    (folder / "roster.csv").write_text(text, encoding="utf-8")
    made = export(course, folder / "roster.csv")
    with made.path.open(encoding="utf-8", newline="") as file:
        return made.path.name, list(csv.DictReader(file)), "\n".join(made.told)


def test_canvas_gets_one_column_by_the_numbers_of_its_students(
    graded: Course, tmp_path: Path
) -> None:
    name, rows, told = exported(graded, tmp_path, CANVAS)
    assert name == "week1-canvas.csv"
    assert [*rows[0]] == [
        *("Student", "ID", "SIS User ID", "SIS Login ID", "Section"),
        "week1 (77)",
    ]
    points = {row["ID"]: row["week1 (77)"] for row in rows}
    assert points == {"": str(MOST), "11": TOTAL, "12": "0", "13": TOTAL, "14": ""}
    assert "Missing, Max: handed in nothing" in told
    assert "stranger: not in the roster" in told and "Anna Berg: not in the roster" in told
    assert "proofs that are not marked yet" in told
    _, rows, _ = exported(graded, tmp_path, CANVAS.replace("week1 (77)", "week10 (77)"))
    assert rows[1]["week1"] == TOTAL  # Canvas makes the assignment


def test_moodle_gets_its_worksheet_back(graded: Course, tmp_path: Path) -> None:
    name, rows, told = exported(graded, tmp_path, MOODLE)
    assert name == "week1-moodle.csv"
    assert [row["Grade"] for row in rows] == [TOTAL, "", ""]
    assert rows[2]["Feedback comments"] == "kept"
    assert "Max, the Missing: handed in nothing" in told
    with pytest.raises(CourseError, match=r"maximum grade is 100.00, and the assignment has"):
        exported(graded, tmp_path, MOODLE.replace(f"{MOST}.00", "100.00"))


def test_a_name_stands_for_a_number_only_where_it_is_clear(graded: Course, tmp_path: Path) -> None:
    row = '"Stranger",99,s9,x,A,,4\n'
    _, rows, told = exported(graded, tmp_path, CANVAS + row)
    assert rows[-1]["week1 (77)"] == "0" and "stranger" not in told
    _, rows, told = exported(graded, tmp_path, CANVAS + row + row.replace("99", "98"))
    assert [each["week1 (77)"] for each in rows[-2:]] == ["", ""]
    assert "stranger: several students or rows of the roster have this name" in told


def test_what_is_no_table_of_a_platform_is_told(
    graded: Course, course: Course, tmp_path: Path
) -> None:
    with pytest.raises(CourseError, match="neither a gradebook exported from Canvas"):
        exported(graded, tmp_path, "name,points\n")
    with pytest.raises(CourseError, match=r"is no table of Canvas or Moodle, and .*grades\.csv"):
        exported(graded, tmp_path, "student,id\nanna,1\n")
    with pytest.raises(CourseError, match="cannot be read"):
        export(graded, tmp_path / "nowhere.csv")
    (tmp_path / "roster.csv").write_text(MOODLE)
    with pytest.raises(CourseError, match="Nobody has a grade in week1: run make grade first"):
        export(course, tmp_path / "roster.csv")


def test_the_feedback_is_packed_under_the_names_of_the_platforms(
    graded: Course, tmp_path: Path
) -> None:
    (tmp_path / "roster.csv").write_text(CANVAS, encoding="utf-8")
    made = export(graded, tmp_path / "roster.csv")
    assert made.feedback == graded.folder / "week1-feedback.zip"
    whose = {
        "Anna Berg_123_assignsubmission_file_feedback.html": "Anna Berg",
        "doejane_11_5_feedback.html": "doejane_11",
        "doejane_LATE_12_6_feedback.html": "doejane_12",
        "müllerzoë_13_5_feedback.html": "müllerzoë",
        "stranger_feedback.html": "stranger",
    }
    with ZipFile(made.feedback) as archive:
        assert {*archive.namelist()} == {*whose}
        for name, student in whose.items():
            page = graded.folder / "feedback" / student / "week1" / "feedback.html"
            assert archive.read(name) == page.read_bytes()


def test_an_archive_that_cannot_be_written_is_told(graded: Course, tmp_path: Path) -> None:
    own = Course(tmp_path / "my-course")
    shutil.copytree(graded.folder, own.folder)
    (own.folder / "week1-feedback.zip").unlink(missing_ok=True)
    (own.folder / "week1-feedback.zip").mkdir()
    (tmp_path / "roster.csv").write_text(CANVAS, encoding="utf-8")
    with pytest.raises(CourseError, match=r"week1-feedback.zip cannot be written: Is a directory"):
        export(own, tmp_path / "roster.csv")
