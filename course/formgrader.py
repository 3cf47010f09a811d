"""The formgrader with those sheets alone that need a person, and the rubrics beside the answers.

``make formgrader`` loads this beside nbgrader's own extension of the server.  Two of its handlers
come before nbgrader's of the same addresses: the list of the submissions to a sheet holds those of
which something is to be marked, and *next* and *previous* go from one of these to another.  The
keys for it lead from an answer to the next answer to the same question.  All others are found under
*Manage students*.  The third handler has the rubrics, which the page sets beside the answers
(``course/jupyter/nbconvert/templates/formgrade/marking.html.j2``).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import nbformat
from jupyter_server.serverapp import ServerApp
from jupyter_server.utils import url_path_join
from nbgrader.api import MissingEntry
from nbgrader.server_extensions.formgrader import apihandlers, handlers
from nbgrader.server_extensions.formgrader.base import (
    BaseApiHandler,
    check_notebook_dir,
    check_xsrf,
)
from tornado import web

from course.formulas import markdown_with_formulas
from course.rubrics import rubric_in
from course.sheets import grade_id

__all__ = ["Rubrics", "Waiting", "WaitingNeighbours"]


class Waiting(apihandlers.SubmittedNotebookCollectionHandler):
    """The submissions to a sheet that wait for a mark."""

    @web.authenticated
    @check_xsrf
    @check_notebook_dir
    def get(self, assignment_id: str, notebook_id: str) -> None:
        """Write them as nbgrader writes all."""
        submissions = self.api.get_notebook_submissions(assignment_id, notebook_id)
        self.write(json.dumps([each for each in submissions if each["needs_manual_grade"]]))


class WaitingNeighbours(handlers.SubmissionNavigationHandler):
    """The next submission, or the one before, that waits for a mark."""

    def _next(self, assignment_id: str, notebook_id: str, submission: Any) -> str:
        return self._neighbour(assignment_id, notebook_id, submission, 1)

    def _prev(self, assignment_id: str, notebook_id: str, submission: Any) -> str:
        return self._neighbour(assignment_id, notebook_id, submission, -1)

    def _neighbour(self, assignment_id: str, notebook_id: str, submission: Any, step: int) -> str:
        """Return the address of a neighbour; at the end of the row, that of the list."""
        self.gradebook.db.expire_all()  # make grade may have written since it was read
        found = self.gradebook.notebook_submissions(notebook_id, assignment_id)
        existing = self.api._filter_existing_notebooks(assignment_id, found)
        cell = self.get_argument("cell", "")  # without one, any answer
        waiting = {
            each.id
            for each in existing
            if each.needs_manual_grade
            and (not cell or any(g.needs_manual_grade for g in each.grades if g.name == cell))
        }
        row = sorted(waiting | {submission.id})
        place = row.index(submission.id) + step
        if 0 <= place < len(row):
            return str(self._submission_url(row[place]))
        return str(self._assignment_notebook_list_url(assignment_id, notebook_id))


class Rubrics(BaseApiHandler):
    """What to look for in the answers of a submission."""

    @web.authenticated
    @check_xsrf
    @check_notebook_dir
    def get(self, submission_id: str) -> None:
        """Write it in HTML by the cells, from the sheet that the lecturer keeps."""
        try:
            found = self.gradebook.find_submission_notebook_by_id(submission_id)
        except MissingEntry:
            raise web.HTTPError(404, f"Invalid submission: {submission_id}") from None
        kept = self.coursedir.format_path(
            self.coursedir.source_directory, ".", found.assignment.assignment.name
        )
        path = Path(kept, f"{found.notebook.name}.ipynb")
        cells = nbformat.read(path, as_version=4).cells if path.is_file() else []
        rubrics = {grade_id(cell): rubric_in(cell) for cell in cells if cell.cell_type != "code"}
        self.write(
            {name: markdown_with_formulas({}, text) for name, text in rubrics.items() if text}
        )


def _jupyter_server_extension_points() -> list[dict[str, str]]:
    """Tell the server where the extension is."""
    return [{"module": "course.formgrader"}]


def _load_jupyter_server_extension(server: ServerApp) -> None:
    """Add the handlers; the server asks those that were added first, and sorts by name."""
    base = server.web_app.settings["base_url"]
    names = r"/formgrader/api/submitted_notebooks/([^/]+)/([^/]+)"
    actions = r"/formgrader/submissions/(?P<submission_id>[^/]+)/(?P<action>next|prev)"
    rubrics = r"/formgrader/api/rubrics/([^/]+)"
    added = {names: Waiting, actions: WaitingNeighbours, rubrics: Rubrics}
    server.web_app.add_handlers(
        ".*$", [(url_path_join(base, address), handler) for address, handler in added.items()]
    )
