"""What is taken off late submissions: in the record, the table, the feedback, the exports."""

import csv
import json
from pathlib import Path
from zipfile import ZipFile

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st

from course.assignment import main, make_assignment
from course.export import export
from course.folder import Course, CourseError
from course.grading import DOUBTFUL, UNKNOWN, grade_submissions
from course.lateness import Dates, Penalty, left
from course.report import sheets_of
from tests.course.conftest import PAGE
from tests.course.test_export import CANVAS, MOODLE
from tests.course.test_grading import MOST, copy_of, feedback, mark, table
from tests.course.test_names import judged_by_looks

DUE = "2027-03-05T23:59:00+00:00"
AFTER = "week1: total after the penalty"
PENALTY = Penalty(percent=10, most=25, grace=60)
#: by the name of the folder that a platform packs: when it was handed in, and what is left of 14
TIMES = {
    "anna": ("2027-03-05 23:59:00 UTC", "14"),
    "ben": ("2027-03-06 00:58:59 UTC", "14"),  # within the grace period
    "carl": ("2027-03-06 01:00:01 UTC", "12.6"),
    "dora": ("2027-03-06 23:59:00 UTC", "12.6"),
    "emil": ("2027-03-07 00:00:00 UTC", "11.2"),
    "fay": ("2027-04-05 00:00:00 UTC", "10.5"),  # the limit
    "gina": ("2027-03-12 23:59:00 UTC", "14"),  # has an extension until then
    "hugo": ("2027-03-13 23:59:00 UTC", "12.6"),  # was late all the same
}


@given(
    st.floats(0, 100),
    st.floats(0, 100),
    st.floats(0, 1e4),
    st.floats(0, 1e5),
    st.floats(0, 1e5),
)
def test_who_is_later_loses_no_less_and_nobody_more_than_the_limit(
    percent: float, more: float, grace: float, early: float, late: float
) -> None:
    penalty = Penalty(percent, min(100.0, percent + more), grace)
    early, late = sorted((early, late))
    assert 0.0 <= penalty.deduct(early) <= penalty.deduct(late) <= penalty.most / 100.0
    assert penalty.deduct(grace / 60.0) == 0.0
    assert 0.0 <= left(17.25, penalty.deduct(late)) <= 17.25


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"PENALTY": "ten"}, r"PENALTY must be a percentage .* from 0 to 100, got 'ten'"),
        ({"PENALTY": "-3"}, r"PENALTY must be .* got -3\.0"),
        ({"PENALTY": "101%"}, r"PENALTY must be .* got 101\.0"),
        ({"PENALTY": "nan"}, r"PENALTY must be .* got nan"),
        ({"PENALTY": "20", "MOST": "10"}, r"MOST must be .* from PENALTY to 100, got 10\.0"),
        ({"PENALTY": "20", "MOST": "150"}, r"MOST must be .* got 150\.0"),
        ({"PENALTY": "20", "GRACE": "-1"}, r"GRACE must be a number of minutes .* got -1\.0"),
        ({"PENALTY": "20", "GRACE": "inf"}, r"GRACE must be .* got inf"),
        ({"PENALTY": "20", "GRACE": "1h"}, r"GRACE must be .* got '1h'"),
        ({"MOST": "50"}, r"MOST needs PENALTY, .* got MOST='50'"),
    ],
)
def test_an_option_that_is_no_penalty_is_told(options: dict[str, str], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        Penalty.from_options(options)


@pytest.mark.parametrize(
    ("record", "told"),
    [
        ({"percent": "10"}, "PENALTY must be .* got '10'"),
        ({"percent": True}, "PENALTY must be .* got True"),
        ({"per cent": 10}, "no keys but percent, most, grace, got"),
        ([10], r"no keys but percent, most, grace, got \[10\]"),
    ],
)
def test_a_record_that_is_no_penalty_is_told(record: object, told: str) -> None:
    with pytest.raises((TypeError, ValueError), match=told):
        Penalty.from_record(record)


@pytest.mark.parametrize("wrong", ["penalty", "no date", "date", "file", "list"])
def test_a_wrong_record_is_told_before_anything_is_graded(
    wrong: str, course: Course, key, tmp_path: Path
) -> None:
    own = copy_of(course, tmp_path)
    record = own.assignments()
    record["week1"] |= {
        "penalty": {"due": DUE, "penalty": {"percent": 300}},
        "no date": {"penalty": {"percent": 10}},
        "date": {"due": "Friday"},
        "file": {},
        "list": {},
    }[wrong]
    text = {"file": json.dumps(record)[:-1], "list": "[1]"}.get(wrong, json.dumps(record))
    (own.folder / "assignments.json").write_text(text)
    (tmp_path / "in").mkdir()
    nbformat.write(key, tmp_path / "in" / "anna.ipynb")
    told = {
        "penalty": r"assignments\.json, week1: PENALTY must be .* got 300",
        "no date": r"week1 has a penalty for late submissions and no date",
        "date": r"assignments\.json, week1: 'Friday' is no point in time",
        "file": r"assignments\.json is spoilt",
        "list": r"assignments\.json is spoilt \(it holds no assignments by their names\)",
    }[wrong]
    with pytest.raises(CourseError, match=told):
        grade_submissions(own, tmp_path / "in", "week1")
    assert not (own.folder / "submitted").exists()


def test_the_command_takes_a_penalty_and_keeps_it(
    all_assigned: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("course.assignment.verify", lambda *given: (0, []))  # it takes long
    own = Course(tmp_path / "my-course")
    with pytest.raises(CourseError, match=r"A penalty of 10 % needs a date"):
        make_assignment(own, [PAGE], "week1", all_assigned, penalty=PENALTY)
    make_assignment(own, [PAGE], "week1", all_assigned, DUE, PENALTY)
    said = "10 % of the points for each day that has begun, at most 25 %, after 60 minutes of grace"
    assert f"taken off late submissions: {said}" in capsys.readouterr().out
    make_assignment(own, [PAGE], "week1", all_assigned)  # it keeps both
    assert own.dates("week1") == Dates(DUE, PENALTY, {})
    make_assignment(own, [], "week1", all_assigned, penalty=Penalty())  # and its pages
    assert own.dates("week1") == Dates(DUE, Penalty(), {})
    assert own.assignments()["week1"] == {"pages": [PAGE.removesuffix(".md")], "due": DUE}
    (own.folder / "source/week9").mkdir()
    with pytest.raises(CourseError, match=r"Which pages. Say PAGES=.*, or put sheets .*week9\."):
        make_assignment(own, [], "week9", all_assigned)
    sheet = (own.folder / "source/week1/dp-versus-pdp.ipynb").read_text(encoding="utf-8")
    (own.folder / "source/week9/mine.ipynb").write_text(sheet, encoding="utf-8")
    for _ in range(2):
        make_assignment(own, [], "week9", all_assigned)
        assert own.assignments()["week9"] == {"pages": []}
        assert [*sheets_of(own, "week9")] == ["mine"]
    with ZipFile(own.folder / "week9.zip") as archive:
        assert archive.namelist() == ["week9/mine.ipynb"]


def test_the_command_line_names_the_option_that_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["make assignment", PAGE, "--penalty", "-5", "--course", str(tmp_path / "c")]
    monkeypatch.setattr("sys.argv", words)
    with pytest.raises(CourseError, match=r"^PENALTY must be a percentage.*got -5\.0"):
        main()
    assert not (tmp_path / "c").exists()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("student,due\nanna,2027-03-12 23:59\n", "has no column assignment"),
        ("student,assignment,due\nanna,week1,soon\n", "line 2: 'soon' is no point in time"),
        ("student,assignment,due\nanna,week1\n", "line 2: '' is no point in time"),
        ("student,assignment,due\nanna,week2,2027-03-12\n", "line 2: there is no assignment 'we"),
        ("student,assignment,due\n..,week1,2027-03-12 23:59\n", "line 2: '..' cannot be the name"),
    ],
)
def test_a_wrong_extension_is_told_before_anything_is_graded(
    text: str, told: str, course: Course, key, tmp_path: Path
) -> None:
    own = copy_of(course, tmp_path)
    own.extensions.write_text(text, encoding="utf-8")
    (tmp_path / "in").mkdir()
    nbformat.write(key, tmp_path / "in" / "anna.ipynb")
    with pytest.raises(CourseError, match=rf"extensions\.csv.*{told}"):
        grade_submissions(own, tmp_path / "in")
    assert not (own.folder / "submitted").exists()


@pytest.fixture(scope="module")
def late(course: Course, key, tmp_path_factory: pytest.TempPathFactory) -> Course:
    """A graded course with a penalty, whose students were late by more and more."""
    own = copy_of(course, tmp_path_factory.mktemp("late"))
    own.note("week1", [PAGE], DUE, PENALTY)
    handed_in = own.folder.parent / "in"
    for student, (time, _) in TIMES.items():
        (handed_in / student).mkdir(parents=True)
        (handed_in / student / "timestamp.txt").write_text(time)
        nbformat.write(key, handed_in / student / "a.ipynb")
    nbformat.write(key, handed_in / "doejane_LATE_12_6_a.ipynb")
    longer = "".join(f"{each},week1,2027-03-12 23:59 UTC\n" for each in ("gina", "hugo", "hogu"))
    own.extensions.write_text(f"student,assignment,due\n{longer}", encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("course.grading.judge_all", judged_by_looks)
        told = grade_submissions(own, handed_in)
    assert told == [
        "extensions.csv: nobody called 'hogu' has handed in week1",
        f"doejane: {UNKNOWN}",
    ]
    return own


def test_the_table_has_the_points_before_and_after(late: Course) -> None:
    rows = table(late)
    assert [*rows["anna"]][-5:] == [
        *("week1: total", AFTER, "week1: to mark", "week1: hours late", "notes"),
    ]
    assert rows["points possible"]["week1: total"] == rows["points possible"][AFTER] == str(MOST)
    for student, (_, after) in TIMES.items():
        assert rows[student]["week1: total"] == str(MOST - 2)
        assert rows[student][AFTER] == after, student
    assert rows["doejane"][AFTER] == str(MOST - 2)
    assert rows["doejane"]["notes"] == UNKNOWN


def test_the_feedback_says_what_was_taken_off(late: Course) -> None:
    page = feedback(late, "emil")
    assert "<li>handed in 24.02 h late</li>" in page
    assert f"<th scope='row'>Total</th><td>{MOST - 2} of {MOST}</td>" in page
    title = "Total, 20 % taken off as it was late"
    assert f"<th scope='row'>{title}</th><td>11.2 of {MOST}</td>" in page
    assert "taken off" not in feedback(late, "anna")
    assert "taken off" not in feedback(late, "doejane")


def test_the_platforms_get_the_points_after(late: Course, tmp_path: Path) -> None:
    row = '"Emil",31,s31,emil,A,,4\n"Fay",32,s32,fay,A,,4\n'
    for name, text, columns in (
        ("canvas", CANVAS + row, ("Student", "week1 (77)")),
        (
            "moodle",
            MOODLE.replace("Anna Berg", "Emil").replace("Zoë Müller", "Fay"),
            ("Full name", "Grade"),
        ),
    ):
        (tmp_path / "roster.csv").write_text(text, encoding="utf-8")
        made = export(late, tmp_path / "roster.csv")
        with made.path.open(encoding="utf-8", newline="") as file:
            points = {row[columns[0]]: row[columns[1]] for row in csv.DictReader(file)}
        assert (points["Emil"], points["Fay"]) == ("11.2", "10.5"), name
        assert f"doejane: {UNKNOWN}" in made.told


def test_a_mark_that_is_given_later_is_lessened_as_well(late: Course, tmp_path: Path) -> None:
    own = copy_of(late, tmp_path)
    mark(own, "emil", 2.0, "")
    grade_submissions(own, late.folder.parent / "in")
    row = table(own)["emil"]
    assert (row["week1: total"], row[AFTER]) == (str(MOST), "12.8")
    own.note("week1", [PAGE], penalty=Penalty())  # the lecturer has changed their mind
    grade_submissions(own, late.folder.parent / "in")
    row = table(own)["emil"]
    assert row["week1: total"] == str(MOST) and AFTER not in row


# Times that students would like to write ----------------------------------------------------------


@pytest.fixture
def with_a_date(course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Course:
    """A course with a penalty in which nothing is run."""
    monkeypatch.setattr("course.grading.judge_all", judged_by_looks)
    own = copy_of(course, tmp_path)
    own.note("week1", [PAGE], DUE, PENALTY)
    return own


def zipped(folder: Path, name: str, key, time: str) -> None:
    """Put an archive with a time in it where submissions are."""
    folder.mkdir(exist_ok=True)
    with ZipFile(folder / f"{name}.zip", "w") as archive:
        archive.writestr("sheet.ipynb", nbformat.writes(key))
        archive.writestr("timestamp.txt", time)


def test_a_time_that_a_student_has_written_does_not_count(with_a_date: Course, key) -> None:
    own, folder = with_a_date, with_a_date.folder.parent / "in"
    zipped(folder, "forger_LATE_2_6_sheet", key, "2027-03-01 12:00")
    moodle = folder / "Anna Berg_123_assignsubmission_file_"
    nested = folder / "carl" / "mine"
    for place in (moodle, nested):
        place.mkdir(parents=True)
        nbformat.write(key, place / "a.ipynb")
        (place / "timestamp.txt").write_text("2027-03-01 12:00 UTC")
    (nested.parent / "timestamp.txt").write_text("2027-03-07 23:58 UTC")
    assert grade_submissions(own, folder) == [f"forger: {UNKNOWN}"]
    late = {name: row["week1: hours late"] for name, row in table(own).items()}
    assert late == {"points possible": "", "Anna Berg": "", "carl": "47.98", "forger": "late"}


def test_a_late_file_whose_time_is_on_time_is_told(with_a_date: Course, key) -> None:
    own, folder = with_a_date, with_a_date.folder.parent / "in"
    for name in ("doe_LATE_1_5_x", "roe_LATE_2_6_x"):
        (folder / name).mkdir(parents=True)
        nbformat.write(key, folder / name / "a.ipynb")
        (folder / name / "timestamp.txt").write_text("2027-03-01 12:00 UTC")
    own.extensions.write_text(f"student,assignment,due\nroe_LATE_2_6_x,week1,{DUE}\n")
    assert grade_submissions(own, folder) == [f"doe_LATE_1_5_x: {DOUBTFUL}"]
    assert table(own)["doe_LATE_1_5_x"]["notes"] == DOUBTFUL


def test_copies_that_are_not_graded_leave_the_penalty(with_a_date: Course, key) -> None:
    own, folder = with_a_date, with_a_date.folder.parent / "in"
    path = folder / "honest" / "a.ipynb"
    path.parent.mkdir(parents=True)
    nbformat.write(key, path)
    path.with_name("timestamp.txt").write_text(TIMES["emil"][0])
    assert grade_submissions(own, folder) == []
    row = table(own)["honest"]
    assert row[AFTER] == TIMES["emil"][1]
    second = nbformat.from_dict(key)
    second.cells = [*second.cells, nbformat.v4.new_code_cell("x = 2")]
    nbformat.write(second, path.with_name("b.ipynb"))
    path.with_name("timestamp.txt").unlink()
    told = grade_submissions(own, folder)
    assert "is not graded" in told[0]
    after = table(own)["honest"]
    assert (after[AFTER], after["week1: hours late"]) == (row[AFTER], row["week1: hours late"])
    path.with_name("b.ipynb").unlink()
    assert grade_submissions(own, folder) == []  # the same again, and nobody knows when
    assert table(own)["honest"] == row
