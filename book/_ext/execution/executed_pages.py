"""The Sphinx extension that gives every page its outputs.

* Pages that the cache lacks in their present state are executed side by side, in the order of
  reading, and a page is read as soon as it has its outputs.  A page that fails is left to myst-nb,
  which runs it again and reports what is wrong.
* A chapter shows the solutions of its practice exercises (``practice_solutions``), so its page of
  solutions is executed with it, and its key holds that of the solutions.
* While a page is read, myst-nb is pointed to the folder of the cache that belongs to that page.
"""

from pathlib import Path

import nbformat
from myst_nb.core.read import is_myst_markdown_notebook
from nbformat import NotebookNode
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import ExtensionError
from sphinx.util import logging

from book._ext.execution.execution_cache import ExecutionCache, Slot
from book._ext.execution.executions import Executions
from book._ext.exercises import solution_page

logger = logging.getLogger(__name__)


def cache_of(app: Sphinx) -> ExecutionCache:
    """Return the cache, with what it has learnt about the state of the repository in this build."""
    if not hasattr(app, "execution_cache"):
        app.execution_cache = ExecutionCache(Path(app.srcdir))
    return app.execution_cache


def read_notebook(env: BuildEnvironment, docname: str) -> NotebookNode | None:
    """Return a page as a notebook, or nothing if it has no cells."""
    page = Path(env.doc2path(docname))
    if not is_myst_markdown_notebook(page.read_text(encoding="utf-8")):
        return None
    return cache_of(env.app).read(page, env.myst_config)


def slot_of(app: Sphinx, docname: str, notebook: NotebookNode) -> Slot:
    """Return the place of a page in the cache."""
    return cache_of(app).slot(Path(app.env.doc2path(docname)), notebook)


def slots_of(app: Sphinx, docname: str) -> list[tuple[Slot, NotebookNode]]:
    """Return the place in the cache of a page and of its solutions, as far as they have cells."""
    notebook, solutions = read_notebook(app.env, docname), solution_page(Path(app.srcdir), docname)
    found = [] if notebook is None else [(slot_of(app, docname, notebook), notebook)]
    if solutions is not None:
        solved = cache_of(app).read(solutions, app.env.myst_config)
        found.append((cache_of(app).slot(solutions, solved), solved))
    return found


def key_of(app: Sphinx, docname: str) -> str:
    """Return the key of a page with its solutions; it is empty if the page has no cells."""
    return " ".join(slot.folder.name for slot, _ in slots_of(app, docname))


def begin_executions(app: Sphinx, env: BuildEnvironment, docnames: list[str]) -> None:
    """Begin to execute, of the pages that are going to be read, those that the cache lacks."""
    wanted = [place for name in docnames for place in slots_of(app, name)]
    app.executions = Executions(wanted, app.config.nb_execution_timeout)


def await_outputs(app: Sphinx, docname: str, source: list[str]) -> None:
    """Wait until a page that is about to be read has its outputs, and its solutions theirs."""
    for slot, _ in slots_of(app, docname):
        page = slot.page.relative_to(app.srcdir)
        seconds, said = app.executions.await_page(slot)
        if seconds:
            logger.info("executed %s in %.1f s", page, seconds)
        if said and page.with_suffix("").as_posix() not in app.env.found_docs:
            logger.error("%s fails:\n%s", page, said)  # nobody else reads it


def end_executions(app: Sphinx, error: Exception | None) -> None:
    """End what executes pages; of a build that ends early, no other page is executed."""
    if hasattr(app, "executions"):
        app.executions.cancel()


def point_to_outputs(app: Sphinx, docname: str, source: list[str]) -> None:
    """Tell myst-nb where the outputs of the page are that it is about to read."""
    notebook = read_notebook(app.env, docname)
    if notebook is not None:
        folder = slot_of(app, docname, notebook).folder
        app.env.mystnb_config = app.env.mystnb_config.copy(execution_cache_path=str(folder))


def executed_page(app: Sphinx, docname: str) -> NotebookNode | None:
    """Return a page as it was executed, or nothing if it has no cells."""
    if "kernelspec" not in app.env.metadata.get(docname, {}):
        return None
    path = Path(app.env.mystnb_config.output_folder, f"{docname}.ipynb")
    notebook = nbformat.read(path, as_version=4)  # the page as myst-nb has read it
    executed = slot_of(app, docname, notebook).find(notebook)
    if executed is None:
        raise ExtensionError(f"{docname} has changed since it was read: build again")
    return executed


def executed_solutions(app: Sphinx, docname: str) -> NotebookNode | None:
    """Return the solutions of a chapter as they were executed, or nothing if it has none.

    Raises
    ------
    ExtensionError
        If their execution has failed.
    """
    page = solution_page(Path(app.srcdir), docname)
    if page is None:
        return None
    notebook = cache_of(app).read(page, app.env.myst_config)
    executed = cache_of(app).slot(page, notebook).find(notebook)
    if executed is None:
        raise ExtensionError(f"{docname} shows solutions from {page}, which fails")
    return executed


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("env-before-read-docs", begin_executions)
    app.connect("source-read", await_outputs)
    app.connect("source-read", point_to_outputs)
    app.connect("build-finished", end_executions)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
