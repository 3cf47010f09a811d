"""What the book asks of Sphinx beyond its extensions.

* Executed notebooks come from the cache of the present environment. A changed package meets an
  empty cache and a changed configuration, which re-reads every page.
* The notebooks that the cache lacks are executed two at a time before the pages are read.
* Pages are written by two processes; Jupyter Book has no option for it. Sphinx loses a page on
  which one of them fails, without a word, so a page that was not written ends the build.
* A page of the reference is read by two parsers. The nodes of the inner one still point to its own
  document, and through that to all that Sphinx knows, which each kept page would then hold, too.
* The garbage collector looks less often: a book is millions of nodes, and nearly all of them stay.
  It does not look at all when the process ends, which took longer than four seconds.
* Each page is written as a notebook, too, beside it, and offered as "Download notebook"; how is in
  ``notebook_edition``.
* ``pdpbook.NVOGame`` and ``pdpbook.game.NVOGame`` in a docstring link to the class where it is
  documented, ``pdpbook.game.nvo_game.NVOGame``.
"""

import gc
import importlib
import inspect
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import nbformat
from docutils import nodes
from docutils.nodes import Element
from execution_cache import CACHES, is_kept, keep, present_cache, read_page
from jupyter_cache import get_cache
from jupyter_cache.executors.utils import ExecutionResult, single_nb_execution
from myst_nb.core.read import is_myst_markdown_notebook
from nbformat import NotebookNode
from notebook_edition import has_notebook, write_notebook
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment
from sphinx.errors import ExtensionError
from sphinx.util import logging

logger = logging.getLogger(__name__)


def choose_cache(app: Sphinx, config: Config) -> None:
    """Point myst-nb to the cache of the present environment and delete all others."""
    root = Path(app.srcdir)
    current = present_cache(root).path
    for other in (root / CACHES).glob("*"):
        if other != current:
            shutil.rmtree(other)
    config.nb_execution_cache_path = str(current)


def execute_missing(app: Sphinx, env: BuildEnvironment, docnames: list[str]) -> None:
    """Fill the cache. A page that fails is left to myst-nb, which runs it again and reports it."""
    cache = get_cache(app.config.nb_execution_cache_path)
    missing: list[tuple[Path, NotebookNode]] = []
    for page in (Path(env.doc2path(docname)) for docname in docnames):
        if is_myst_markdown_notebook(page.read_text(encoding="utf-8")):
            notebook = read_page(page, env.myst_config)
            if not is_kept(notebook, cache):
                missing.append((page, notebook))

    def execute(page: Path, notebook: NotebookNode) -> ExecutionResult:
        timeout = app.config.nb_execution_timeout
        return single_nb_execution(notebook, str(page.parent), timeout, allow_errors=False)

    with ThreadPoolExecutor(2) as pool:
        results = pool.map(execute, *zip(*missing, strict=True)) if missing else []
        for (page, _), result in zip(missing, results, strict=True):
            logger.info("executed %s in %.1f s", page.relative_to(app.srcdir), result.time)
            if result.err is None:
                keep(result.nb, page, result.time, cache)


def one_document(app: Sphinx, doctree: nodes.document) -> None:
    """Let every node of a page belong to the page."""
    for node in doctree.findall():
        node.document = doctree


def executed_page(app: Sphinx, pagename: str) -> NotebookNode | None:
    """Return a page as it was executed, or nothing if it has no cells."""
    if "kernelspec" not in app.env.metadata.get(pagename, {}):
        return None
    path = Path(app.env.mystnb_config.output_folder, f"{pagename}.ipynb")
    cache = get_cache(app.config.nb_execution_cache_path)
    return cache.merge_match_into_notebook(nbformat.read(path, as_version=4))[1]


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


def write_in_parallel(app: Sphinx, env: BuildEnvironment) -> None:
    """Write the pages in two processes, while this one prepares the next pages."""
    app.parallel = 3


def all_are_written(app: Sphinx, error: Exception | None) -> None:
    """Refuse a build that lacks a page; what stays need not be taken apart at the end."""
    gc.freeze()
    if error is None and app.builder.format == "html":
        pages = {page: app.builder.get_outfilename(page) for page in sorted(app.env.found_docs)}
        missing = [page for page, file in pages.items() if not Path(file).is_file()]
        if missing:
            raise ExtensionError(f"A writer failed, and these are not written: {missing}")


def resolve_short_name(
    app: Sphinx, env: BuildEnvironment, node: pending_xref, contnode: Element
) -> Element | None:
    """Link a name that the package re-exports to the module that defines it."""
    package, *names = node["reftarget"].split(".")
    if node.get("refdomain") != "py" or package != "pdpbook":
        return None
    found: Any = importlib.import_module(package)
    while names and inspect.ismodule(found):
        found = getattr(found, names.pop(0), None)
    defined_in = getattr(found, "__module__", None)
    if defined_in is None:
        return None
    target = ".".join([defined_in, found.__qualname__, *names])
    domain = env.get_domain("py")
    return domain.resolve_xref(
        env, node["refdoc"], app.builder, node["reftype"], target, node, contnode
    )


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    gc.set_threshold(200_000, 50, 50)
    app.connect("config-inited", choose_cache)
    app.connect("env-before-read-docs", execute_missing)
    app.connect("env-check-consistency", write_in_parallel)
    app.connect("build-finished", all_are_written, priority=100)
    app.connect("doctree-read", one_document)
    app.connect("html-page-context", add_notebook_download, priority=600)
    app.connect("missing-reference", resolve_short_name)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
