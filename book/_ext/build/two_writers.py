"""Pages are written by two processes; Jupyter Book has no option for it.

Sphinx loses a page on which one of the processes fails, without a word, so a page that was not
written ends the build.
"""

from pathlib import Path

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import ExtensionError


def write_in_parallel(app: Sphinx, env: BuildEnvironment) -> None:
    """Write the pages in two processes, while this one prepares the next pages."""
    app.parallel = 1 if app.config.book_only_page else 3


def all_are_written(app: Sphinx, error: Exception | None) -> None:
    """Refuse a build that lacks a page."""
    if error is None and app.builder.format == "html":
        wanted = {app.config.book_only_page} - {""} or app.env.found_docs
        pages = {page: app.builder.get_outfilename(page) for page in sorted(wanted)}
        missing = [page for page, file in pages.items() if not Path(file).is_file()]
        if missing:
            raise ExtensionError(f"A writer failed, and these are not written: {missing}")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("env-check-consistency", write_in_parallel)
    app.connect("build-finished", all_are_written, priority=110)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
