"""nbgrader's automatic grading, with the isolated checker in the place of a kernel.

nbgrader executes a submission and believes what the check cells print.  A submission can make them
print anything.  Here nothing is executed in nbgrader's process: the student's cells go to
:mod:`pdpbook_exercises.checks.isolated`, and each check cell gets, as its output, what that found
out.  nbgrader takes the points from there into its gradebook, as it always does.

``make grade`` has every submission judged before it opens the gradebook, so what is needed here has
been found already (:mod:`course.judging`).  Where it has not, as when the formgrader is told to
grade a submission, it is judged here.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_output
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Dict, Float, Unicode

from course.judging import Job, Result, judge_all, kept_result
from course.secret import seeds_of
from course.sheets import INSTALL, answers, grade_id, points

__all__ = ["ADDED", "IsolatedChecks", "code_to_run", "read_verdict"]

ADDED = "This cell was missing from the submission."


def code_to_run(notebook: NotebookNode) -> list[str]:
    """Return the code of a submission: all but the cell that installs the package and the checks.

    A cell that the kit has put in for a missing one is left out, too: the student's answer may
    stand in another.
    """
    return [source for source, _ in _cells_to_run(notebook)]


def _cells_to_run(notebook: NotebookNode) -> Iterator[tuple[str, str]]:
    """Yield the code of each cell that is run, and where the cell stands."""
    before = ""
    for cell in notebook.cells:
        name = grade_id(cell)
        before = name or before
        if cell.cell_type != "code" or name == INSTALL or points(cell) or ADDED in cell.source:
            continue
        yield cell.source, name or (f"a cell after {before}" if before else "a cell at the top")


def read_verdict(cell: NotebookNode) -> str:
    """Return what the checker said about an answer, from its graded check cell."""
    texts = [output.text for output in cell.outputs if output.output_type == "stream"]
    return "".join(texts).strip()


class IsolatedChecks(NbGraderPreprocessor):
    """Writes points and messages of the isolated checker into the check cells."""

    folder = Unicode(help="The folder of the course.").tag(config=True)
    seconds = Float(
        20.0, help="Time of the processor for each cell, and for each case of an exercise."
    ).tag(config=True)
    minutes = Float(30.0, help="The longest that one sheet may take on the wall.").tag(config=True)
    found = Dict(help="What has been found out already: a Result for each (student, sheet).").tag(
        config=True
    )

    def job(self, nb: NotebookNode, student: str, sheet: str) -> Job:
        """Return what there is to judge in a sheet, with the seeds of this student."""
        variables = dict(answers(nb).values())
        private = str(Path(self.folder, "private"))
        cells = [*_cells_to_run(nb)]
        code, places = tuple(code for code, _ in cells), tuple(place for _, place in cells)
        seeds = seeds_of(Path(self.folder), student, variables)
        return Job(student, sheet, code, places, variables, seeds, self.seconds, private)

    def preprocess(
        self, nb: NotebookNode, resources: dict[str, Any]
    ) -> tuple[NotebookNode, dict[str, Any]]:
        """Grade a submission without executing it here."""
        of = resources["nbgrader"]
        found: dict[tuple[str, str], Result] = self.found  # type: ignore[assignment]
        result = found.get((of["student"], of["notebook"]))
        if result is None:
            result = self._judged(nb, of["student"], of["assignment"], of["notebook"])
        wanted = answers(nb)
        for cell in nb.cells:
            if grade_id(cell) in wanted:
                given = result.grades[wanted[grade_id(cell)][0]]
                worth = round(points(cell) * given.held / given.total, 2)
                cell.outputs = [
                    new_output("stream", name="stdout", text=given.message + "\n"),
                    new_output("execute_result", {"text/plain": str(worth)}, execution_count=1),
                ]
                cell.execution_count = 1
        return nb, resources

    def _judged(self, nb: NotebookNode, student: str, assignment: str, sheet: str) -> Result:
        """Return the record of a submission, or judge it and keep one."""
        job = self.job(nb, student, sheet)
        path = Path(self.folder) / "results" / student / assignment / f"{sheet}.json"
        result = kept_result(path, job)
        if result is None:
            [(_, result)] = judge_all([job], self.minutes)
            result.keep(path)
        return result
