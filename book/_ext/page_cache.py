"""The cache of the outputs of a page, in which no output is older than the code that computed it.

The cache of myst-nb stores the outputs of a page under a hash of its cells.  But outputs also
depend on the packages and their data, on the versions of all dependencies, and on Python.  A hash
of these is part of the name of the cache, so any change of them executes every page again.  Each
page has its own cache there, because jupyter-cache's database does not support two processes at a
time.

The module also saves memory: nodes from another parser refer to its document and, through it, to
the whole state of Sphinx, which each stored page would then contain.
"""

from __future__ import annotations

import hashlib
import sys
from functools import cache
from pathlib import Path

import yaml
from docutils import nodes
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn
from jupyter_cache.executors.utils import single_nb_execution
from myst_nb.core.read import read_myst_markdown_notebook
from nbformat import NotebookNode
from sphinx.application import Sphinx
from sphinx.config import Config

ROOT = Path(__file__).parents[2]
PACKAGES = ("pdpbook", "pdpbook_pages", "pdpbook_exercises")
TIMEOUT = 300  #: seconds per cell
QUIET = ["--IPKernelApp.log_level=ERROR"]  #: otherwise each kernel warns about its port


@cache
def cache_folder() -> Path:
    """Return the folder of the outputs for the current packages, pins and Python."""
    found = hashlib.sha256(sys.version.encode())
    files = [path for name in PACKAGES for path in (ROOT / name).rglob("*") if path.is_file()]
    for path in sorted([*files, ROOT / "requirements.txt"]):
        if not any(part.endswith((".egg-info", "__pycache__")) for part in path.parts):
            found.update(f"{path.relative_to(ROOT)}\0".encode() + path.read_bytes())
    return ROOT / "_build" / "cache" / found.hexdigest()[:16]


def listed(toc: str = "_toc.yml") -> list[str]:
    """Return the pages of a book, such as ``book/game/nvo-game``, in order."""
    contents = yaml.safe_load((ROOT / toc).read_text(encoding="utf-8"))
    chapters = (chapter for part in contents["parts"] for chapter in part["chapters"])
    return [contents["root"], *(chapter["file"] for chapter in chapters)]


def read_page(page: Path) -> NotebookNode:
    """Return a page of the book as a notebook, without outputs."""
    return read_myst_markdown_notebook(page.read_text(encoding="utf-8"), path=page)


def cached_page(page: Path, folder: Path) -> NotebookNode:
    """Return a page with its outputs; raise a KeyError if they are not in the folder."""
    found: NotebookNode = get_cache(str(folder)).merge_match_into_notebook(read_page(page))[1]
    return found


def execute_page(page: Path, folder: Path) -> NotebookNode:
    """Execute a page, cache and return it; a ValueError contains the traceback of a cell."""
    result = single_nb_execution(
        read_page(page), str(page.parent), TIMEOUT, allow_errors=False, extra_arguments=QUIET
    )
    if result.err is not None:
        raise ValueError(f"{page} fails:\n{result.exc_string}") from result.err
    kept = CacheBundleIn(result.nb, str(page))
    get_cache(str(folder)).cache_notebook_bundle(kept, overwrite=True)
    return result.nb


def executed_page(docname: str) -> NotebookNode:
    """Return an executed page, such as ``book/game/nvo-game``, with its outputs."""
    return cached_page(ROOT / f"{docname}.md", cache_folder() / docname)


def use_cache(app: Sphinx, config: Config) -> None:
    """Use the folder of the current state for outputs; a new folder makes Sphinx read all pages."""
    config.nb_execution_cache_path = str(cache_folder())


def use_cache_of_page(app: Sphinx, docname: str, source: list[str]) -> None:
    """Point myst-nb to the cache of the page that is about to be read."""
    folder = f"{app.config.nb_execution_cache_path}/{docname}"
    app.env.mystnb_config = app.env.mystnb_config.copy(execution_cache_path=folder)


def one_document(app: Sphinx, doctree: nodes.document) -> None:
    """Attach every node of a page to the page's document: 24 MB of stored pages instead of 787."""
    for node in doctree.findall():
        node.document = doctree


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("config-inited", use_cache, priority=100)
    app.connect("source-read", use_cache_of_page)
    app.connect("doctree-read", one_document)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
