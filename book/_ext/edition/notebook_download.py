"""Each page is written as a notebook, too, beside it, and offered as "Download notebook".

What the notebook holds is in ``notebook_edition``.
"""

from pathlib import Path
from typing import Any

import nbformat
from sphinx.application import Sphinx

from book._ext.edition.notebook_edition import has_notebook, write_notebook
from book._ext.execution.executed_pages import executed_page


def add_notebook_download(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Write the page's notebook beside it, and add the button that links to it."""
    if doctree is None or not has_notebook(app.env, pagename):
        return
    executed = executed_page(app, pagename)
    target = Path(app.outdir, f"{pagename}.ipynb")
    target.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(write_notebook(app, pagename, doctree, executed), target)
    if executed is None:
        return  # nothing to run: other notebooks link to it
    context["header_buttons"].append(
        {
            "type": "link",
            "url": target.name,
            "text": "Download notebook",
            "icon": "fas fa-download",
            "label": "notebook",
        }
    )


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("html-page-context", add_notebook_download, priority=600)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
