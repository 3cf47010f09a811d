"""A course to test with: made of the built book, once."""

import os
from pathlib import Path

import nbformat
import pytest

from book._ext.pages.exercise_options import LEVELS
from course.assignment import make_assignment
from course.folder import Course
from course.sheets import BEGIN, END, grade_id
from tests.tools.notebooks import ROOT

PAGE = "book/per_instance/dp-versus-pdp.md"
SHEET = "dp-versus-pdp"
#: points of the exercises of the test page, of which there is one of each of these levels or two
POINTS = {"warm-up": 2, "core": 4, "open": 6}


@pytest.fixture(scope="session")
def built() -> Path:
    """The built book. Without one: skip, but fail where CI is set."""
    folder = ROOT / "_build" / "html"
    if not (folder / PAGE).with_suffix(".ipynb").is_file():
        message = "the book is not built: make book"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    return folder


@pytest.fixture(scope="session")
def all_assigned(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A built book of one page, all of whose exercises are assignments: more kinds to grade."""
    folder = tmp_path_factory.mktemp("all-assigned")
    notebook = nbformat.read((built / PAGE).with_suffix(".ipynb"), as_version=4)
    for cell in notebook.cells:
        if "pdpbook" in cell.metadata:
            cell.metadata.pdpbook["for"] = "assignment"
            cell.source = cell.source.replace("?", ".")  # nothing is asked in words besides
            cell.metadata.pdpbook["minutes"] = 5 * POINTS[cell.metadata.pdpbook["level"]]
    path = (folder / PAGE).with_suffix(".ipynb")
    path.parent.mkdir(parents=True)
    nbformat.write(notebook, path)
    return folder


@pytest.fixture(scope="session")
def course(all_assigned: Path, tmp_path_factory: pytest.TempPathFactory) -> Course:
    """A course with one assignment; leave it as it is."""
    made = Course(tmp_path_factory.mktemp("made") / "my-course")
    make_assignment(made, [PAGE], "week1", all_assigned, levels=LEVELS)
    return made


@pytest.fixture(scope="session")
def release(course: Course) -> nbformat.NotebookNode:
    """The sheet that students get."""
    return nbformat.read(course.folder / "release/week1" / f"{SHEET}.ipynb", as_version=4)


@pytest.fixture(scope="session")
def key(course: Course) -> nbformat.NotebookNode:
    """The sheet with every answer, as a good student hands it in."""
    notebook = nbformat.read(course.folder / "source/week1" / f"{SHEET}.ipynb", as_version=4)
    for cell in notebook.cells:
        cell.source = cell.source.replace(f"{BEGIN}\n", "").replace(f"\n{END}", "")
        if grade_id(cell).endswith("-proof"):
            cell.source = "Both data sets have the same third one inside them."
    return notebook


def with_answer(sheet: nbformat.NotebookNode, answer: str, name: str) -> nbformat.NotebookNode:
    """A copy of a sheet with one answer."""
    copied = nbformat.from_dict(sheet)
    [cell] = [cell for cell in copied.cells if grade_id(cell) == name]
    cell.source = answer
    return copied
