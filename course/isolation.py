"""nbgrader's automatic grading, with the isolated checker in the place of a kernel.

nbgrader executes a submission and believes what the check cells print.  A submission can make them
print anything.  Here nothing is executed in nbgrader's process: the student's cells go to
:mod:`pdpbook_exercises.isolated`, and each check cell gets, as its output, what that found out.
nbgrader takes the points from there into its gradebook, as it always does.

While a submission runs, the folder of the course is watched.  What it changes there is put back or
at least told, and it gets no points.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_output
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Float, Unicode

from course.sheets import INSTALL, answers, grade_id, points
from pdpbook_exercises.isolated import Grade, grade

__all__ = ["ADDED", "TOUCHED", "IsolatedChecks", "code_to_run", "guarded", "said"]

# of the folder of a course, what can be put back
KEPT = ("gradebook.db", "assignments.json", "nbgrader_config.py", "private", "source")
TOUCHED = "the submission touched the folder of the course"
ADDED = "This cell was missing from the submission."


def code_to_run(notebook: NotebookNode) -> list[str]:
    """Return the code of a submission: all but the cell that installs the package and the checks.

    A cell that the kit has put in for a missing one is left out, too: the student's answer may
    stand in another.
    """
    return [
        cell.source
        for cell in notebook.cells
        if cell.cell_type == "code"
        and grade_id(cell) != INSTALL
        and not points(cell)
        and ADDED not in cell.source
    ]


def said(cell: NotebookNode) -> str:
    """Return what the checker said about an answer, from its graded check cell."""
    texts = [output.text for output in cell.outputs if output.output_type == "stream"]
    return "".join(texts).strip()


def _state(folder: Path) -> dict[Path, tuple[int, int, int]]:
    """Return what tells that a file was written to; caches of programs lie in hidden folders."""
    state = {}
    for path in folder.rglob("*"):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if path.is_file() and not hidden and not path.name.startswith("gradebook.db-"):
            status = path.stat()
            state[path] = status.st_size, status.st_mtime_ns, status.st_ctime_ns
    return state


@contextmanager
def guarded(folder: Path) -> Iterator[list[str]]:
    """Watch a folder while a submission runs; afterwards the list says what happened to it."""
    tops = [folder / name for name in KEPT]
    files = [path for top in tops for path in (top.rglob("*") if top.is_dir() else [top])]
    kept = {path: path.read_bytes() for path in files if path.is_file()}
    before = _state(folder)
    told: list[str] = []
    yield told
    after = _state(folder)
    for path in sorted(before.keys() | after.keys()):
        if before.get(path) == after.get(path):
            continue
        name = path.relative_to(folder)
        if path in kept:
            path.unlink(missing_ok=True)
            path.write_bytes(kept[path])
            told.append(f"{name} was changed and has been put back")
        elif path not in before:
            path.unlink()
            told.append(f"{name} was made and has been removed")
        else:
            told.append(f"{name} was changed or removed and could not be put back")


class IsolatedChecks(NbGraderPreprocessor):
    """Writes points and messages of the isolated checker into the check cells."""

    folder = Unicode(help="The folder of the course.").tag(config=True)
    seconds = Float(
        20.0, help="Time of the processor for each cell, and for each case of an exercise."
    ).tag(config=True)

    def preprocess(
        self, nb: NotebookNode, resources: dict[str, Any]
    ) -> tuple[NotebookNode, dict[str, Any]]:
        """Grade a submission without executing it here."""
        folder = Path(self.folder)
        record = json.loads((folder / "assignments.json").read_text(encoding="utf-8"))
        seed = record[resources["nbgrader"]["assignment"]]["seed"]
        wanted = answers(nb)
        variables = dict(wanted.values())
        with guarded(folder) as told:
            grades = grade(code_to_run(nb), variables, seed=seed, seconds=self.seconds)
        if told:
            message = f"{TOUCHED}: {'; '.join(told)}."
            grades = {name: Grade(0, each.total, message) for name, each in grades.items()}
        for cell in nb.cells:
            if grade_id(cell) in wanted:
                result = grades[wanted[grade_id(cell)][0]]
                worth = round(points(cell) * result.held / result.total, 2)
                cell.outputs = [
                    new_output("stream", name="stdout", text=result.message + "\n"),
                    new_output("execute_result", {"text/plain": str(worth)}, execution_count=1),
                ]
                cell.execution_count = 1
        return nb, resources
