"""Sheets: each page with assignments becomes one; its solutions pass, and its release has none."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import matplotlib
import nbformat
import numpy as np
import pytest

from pdpbook_exercises.sheet import LEVELS, SheetError, make_sheet

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    page
    for page in (ROOT / "book").glob("*/*.md")
    if re.search(r"^:for: assignment$", page.read_text(encoding="utf-8"), re.MULTILINE)
)
PAGE = ROOT / "book" / "own_data" / "your-own-column.md"


def code_cells(sheet):
    return [cell for cell in sheet.cells if cell.cell_type == "code"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_each_page_with_assignments_becomes_a_sheet_in_plain_markdown(page):
    asked = len(re.findall(r"^:for: assignment$", page.read_text(encoding="utf-8"), re.MULTILINE))
    for otter in (False, True):
        sheet = make_sheet(page, LEVELS, otter=otter)
        nbformat.validate(sheet)
        text = "\n".join(cell.source for cell in sheet.cells if cell.cell_type == "markdown")
        assert not re.search(r"\{[\w:]+\}`(?!eq-|fig-)", text), "a role is left"
        assert "](#" not in text and "The exercise." not in text, "a link into the book is left"
        questions = [cell.source for cell in sheet.cells if cell.source.startswith("## ")]
        assert len([each for each in questions if not each.endswith(": the code")]) >= asked
        for cell in code_cells(sheet):
            compile(cell.source, page.name, "exec")
            hidden = "HIDDEN" in cell.source and "me=me" in cell.source
            assert ('assert me != "reader"' in cell.source) is hidden


@pytest.mark.parametrize("page", PAGES[::6], ids=lambda page: page.stem)
def test_the_solutions_of_a_sheet_pass_both_of_its_tests(page):
    namespace: dict[str, object] = {}
    with np.printoptions(), matplotlib.rc_context():  # the first cell of a page sets both
        for cell in code_cells(make_sheet(page, LEVELS)):
            exec(compile(cell.source, page.name, "exec"), namespace)


def test_the_hidden_test_is_the_same_check_with_another_seed_on_each_sheet():
    def hidden():
        cells = [c.source for c in code_cells(make_sheet(PAGE, LEVELS)) if "HIDDEN" in c.source]
        return [int(re.search(r"seed=(\d+)\)", source)[1]) for source in cells]

    first = hidden()
    assert len({*first, *hidden()}) == 2 * len(first) > 0


def test_points_of_a_question_are_shared_by_proof_and_tests():
    sheet = make_sheet(ROOT / "book" / "per_instance" / "dp-versus-pdp.md", ["core"])
    graded = [cell.metadata.nbgrader for cell in sheet.cells if cell.metadata.nbgrader.grade]
    assert [each.points for each in graded] == [3.0, 1.5, 1.5]
    assert "*3 points for the proof and 3 points for the code*" in sheet.cells[2].source


def test_what_is_no_page_with_such_assignments_is_refused(tmp_path):
    with pytest.raises(SheetError, match=r"has no assignment of the levels open; it has core"):
        make_sheet(PAGE, ["open"])
    with pytest.raises(SheetError, match=r"page must be a chapter in the folder book of a clone"):
        make_sheet(tmp_path / "page.md", LEVELS)


def test_the_command_writes_a_sheet_once(tmp_path):
    command = [sys.executable, "-m", "pdpbook_exercises.sheet", str(PAGE), str(tmp_path / "week1")]
    for code in (0, 2):
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == code, done.stderr
    assert "already exists, perhaps with your changes" in done.stderr
    assert len(code_cells(nbformat.read(tmp_path / "week1" / "your-own-column.ipynb", 4))) > 3


@pytest.mark.skipif(
    shutil.which("nbgrader", path=Path(sys.executable).parent) is None,
    reason="nbgrader is not installed (a weekly workflow has it)",
)
def test_nbgrader_takes_the_sheet_and_gives_the_points(tmp_path):
    """From the sheet to the marks: a right, a half right, a blank and a broken submission."""
    sheet = make_sheet(PAGE, LEVELS[:-1])
    (tmp_path / "source" / "week1").mkdir(parents=True)
    nbformat.write(sheet, tmp_path / "source" / "week1" / "sheet.ipynb")
    (tmp_path / "nbgrader_config.py").write_text(
        "c = get_config()\nc.CourseDirectory.course_id = 'dp'\n"
        "c.ClearSolutions.code_stub = {'python': ''}\n"
    )

    def nbgrader(*words):
        command = [sys.executable, "-m", "nbgrader", *words, "week1"]
        subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)

    nbgrader("generate_assignment")
    release = nbformat.read(tmp_path / "release" / "week1" / "sheet.ipynb", 4)
    assert not [cell for cell in release.cells if "seed=" in cell.source or "BEGIN" in cell.source]
    solved = {c.metadata.nbgrader.grade_id: c.source for c in sheet.cells}
    answers = [c for c in release.cells if c.metadata.nbgrader.solution]
    for student, known in (("ada", len(answers)), ("bob", 1), ("cal", 0), ("dan", -1)):
        for number, cell in enumerate(answers):
            blank = cell.source
            cell.source = "def broken(:" if known < 0 else blank
            if number < known:
                cell.source = solved[cell.metadata.nbgrader.grade_id]
            cell.metadata["blank"] = blank
        folder = tmp_path / "submitted" / student / "week1"
        folder.mkdir(parents=True)
        nbformat.write(release, folder / "sheet.ipynb")
        for cell in answers:
            cell.source = cell.metadata.pop("blank")
    nbgrader("autograde")
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{tmp_path}/gradebook.db") as book:
        scores = {s.student_id: s.score for s in book.assignment_submissions("week1")}
        most = book.find_assignment("week1").max_score
    first = sum(
        cell.metadata.nbgrader.points
        for cell in sheet.cells
        if cell.metadata.nbgrader.grade_id.startswith("your-own-column-loss-")
        and cell.metadata.nbgrader.grade
    )
    assert scores == {"ada": most, "bob": first, "cal": 0.0, "dan": 0.0} and 0 < first < most
