"""What the book asks of Sphinx beyond its extensions.

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
from pathlib import Path
from typing import Any

import nbformat
from docutils import nodes
from docutils.nodes import Element
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import ExtensionError

from book._ext.edition.notebook_edition import has_notebook, write_notebook
from book._ext.execution.executed_pages import cache_of, executed_page


def one_document(app: Sphinx, doctree: nodes.document) -> None:
    """Let every node of a page belong to the page."""
    for node in doctree.findall():
        node.document = doctree


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
    app.parallel = 1 if app.config.book_only_page else 3


def all_are_written(app: Sphinx, error: Exception | None) -> None:
    """Refuse a build that lacks a page; what stays need not be taken apart at the end."""
    gc.freeze()
    if error is None and app.builder.format == "html":
        wanted = {app.config.book_only_page} - {""} or app.env.found_docs
        pages = {page: app.builder.get_outfilename(page) for page in sorted(wanted)}
        missing = [page for page, file in pages.items() if not Path(file).is_file()]
        if missing:
            raise ExtensionError(f"A writer failed, and these are not written: {missing}")


def resolve_short_name(
    app: Sphinx, env: BuildEnvironment, node: pending_xref, contnode: Element
) -> Element | None:
    """Link a name that the package or a part of it re-exports to the module that defines it."""
    package, *names = node["reftarget"].split(".")
    if node.get("refdomain") != "py" or package != "pdpbook":
        return None
    stub, module = cache_of(app).keys.code.stub, package
    while names and (defined_in := stub(module).get(names[0])):
        if defined_in == f"{module}.{names[0]}":  # the namespace of a part
            del names[0]
        module = defined_in
    if module == package or not names:
        return None
    target = ".".join([module, *names])
    domain = env.get_domain("py")
    return domain.resolve_xref(
        env, node["refdoc"], app.builder, node["reftype"], target, node, contnode
    )


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    gc.set_threshold(200_000, 50, 50)
    app.connect("env-check-consistency", write_in_parallel)
    app.connect("build-finished", all_are_written, priority=100)
    app.connect("doctree-read", one_document)
    app.connect("html-page-context", add_notebook_download, priority=600)
    app.connect("missing-reference", resolve_short_name)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
