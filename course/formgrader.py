"""The formgrader with those sheets alone that need a person.

``make formgrader`` loads this beside nbgrader's own extension of the server.  Its two handlers come
before nbgrader's of the same addresses: the list of the submissions to a sheet holds those of which
something is to be marked, and *next* and *previous* go from one of these to another.  All others
are found under *Manage students*.
"""

from __future__ import annotations

import json
from typing import Any

from jupyter_server.serverapp import ServerApp
from jupyter_server.utils import url_path_join
from nbgrader.server_extensions.formgrader import apihandlers, handlers
from nbgrader.server_extensions.formgrader.base import check_notebook_dir, check_xsrf
from tornado import web

__all__ = ["Waiting", "WaitingNeighbours"]


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
        found = self.gradebook.notebook_submissions(notebook_id, assignment_id)
        existing = self.api._filter_existing_notebooks(assignment_id, found)
        row = sorted({each.id for each in existing if each.needs_manual_grade} | {submission.id})
        place = row.index(submission.id) + step
        if 0 <= place < len(row):
            return str(self._submission_url(row[place]))
        return str(self._assignment_notebook_list_url(assignment_id, notebook_id))


def _jupyter_server_extension_points() -> list[dict[str, str]]:
    """Tell the server where the extension is."""
    return [{"module": "course.formgrader"}]


def _load_jupyter_server_extension(server: ServerApp) -> None:
    """Add the handlers; the server asks those that were added first, and sorts by name."""
    base = server.web_app.settings["base_url"]
    names = r"/formgrader/api/submitted_notebooks/([^/]+)/([^/]+)"
    actions = r"/formgrader/submissions/(?P<submission_id>[^/]+)/(?P<action>next|prev)"
    added = {names: Waiting, actions: WaitingNeighbours}
    server.web_app.add_handlers(
        ".*$", [(url_path_join(base, address), handler) for address, handler in added.items()]
    )
