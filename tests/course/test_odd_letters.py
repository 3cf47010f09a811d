"""A student whose code says what is no text stops nobody else."""

from pathlib import Path

import nbformat

from course.folder import Course
from course.grading import grade_submissions
from tests.course.conftest import POINTS, SHEET, with_answer
from tests.course.test_grading import MOST, NAME, copy_of, feedback, table

ODD = "\\ud800 \\udfff \\x00\\x1b[31m\\u202e\\uffff"


CODES = [
    f"def records_needed(n, epsilon):\n    raise ValueError('{ODD}')",
    f"raise ValueError('{ODD}')",
    f"records_needed = '{ODD}'",
    f"def records_needed(n, epsilon):\n    return '{ODD}'",
    f"class A:\n    def __repr__(self): return '{ODD}'\nrecords_needed = A()",
    f"A = type('A{ODD}'.replace(chr(0), ''), (), {{}})\nrecords_needed = A()",
]


def test_letters_that_no_file_holds_cost_nobody_points(course: Course, key, tmp_path: Path) -> None:
    own = copy_of(course, tmp_path)
    (tmp_path / "in").mkdir()
    nbformat.write(key, tmp_path / "in" / "anna.ipynb")
    for number, code in enumerate(CODES):
        sheet = with_answer(key, code, NAME)  # the other answers are right
        nbformat.write(sheet, tmp_path / "in" / f"eve {number}.ipynb")
    assert grade_submissions(own, tmp_path / "in") == []
    rows = table(own)
    assert rows["anna"]["week1: total"] == str(MOST - 2)
    for number in range(len(CODES)):
        assert rows[f"eve {number}"]["week1: total"] == str(MOST - 2 - POINTS["core"]), CODES[
            number
        ]
        assert f"{SHEET}/{NAME}" in feedback(own, f"eve {number}")
    assert (own.folder / "week1-report.html").is_file()
