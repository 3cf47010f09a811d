"""What the book asks of Sphinx beyond its extensions.

* The execution cache lives in a folder named by a hash of everything that an output depends on
  besides the code of its page: the package, the pinned requirements, the interpreter. A changed
  package therefore meets an empty cache and a changed configuration, which re-reads every page.
* The notebooks that the cache lacks are executed two at a time before the pages are read.
* Each executed notebook is copied beside its page and offered as "Download notebook".
* ``pdpbook.NVOGame`` in a docstring links to the class where it is documented,
  ``pdpbook.game.nvo_game.NVOGame``.
"""

import hashlib
import importlib
import os
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import nbformat
from docutils.nodes import Element
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn
from jupyter_cache.executors.utils import ExecutionResult, single_nb_execution
from myst_nb.core.read import is_myst_markdown_notebook, read_myst_markdown_notebook
from nbformat import NotebookNode
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment
from sphinx.util import logging

logger = logging.getLogger(__name__)


def environment_key(root: Path) -> str:
    """Hash the package, the data files beside the pages, the pins, and the interpreter."""
    files = [root / "requirements.txt", *(root / "pdpbook").rglob("*")]
    files += (path for path in (root / "book").rglob("*") if path.suffix not in {".bib", ".md"})
    files = [path for path in files if path.is_file() and "__pycache__" not in path.parts]
    digest = hashlib.sha256(sys.version.encode())
    for name in sorted(name for name in os.environ if name.startswith("PDPBOOK_")):
        digest.update(f"{name}={os.environ[name]}\0".encode())
    for path in sorted(files):
        digest.update(f"{path.relative_to(root)}\0".encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]


def choose_cache(app: Sphinx, config: Config) -> None:
    """Point myst-nb to the cache of the present environment and delete all others."""
    root = Path(app.srcdir)
    caches = root / "_build" / "cache"
    current = caches / environment_key(root)
    for other in caches.glob("*"):
        if other != current:
            shutil.rmtree(other)
    config.nb_execution_cache_path = str(current)


def execute_missing(app: Sphinx, env: BuildEnvironment, docnames: list[str]) -> None:
    """Fill the cache. A page that fails is left to myst-nb, which runs it again and reports it."""
    cache = get_cache(app.config.nb_execution_cache_path)
    missing: list[tuple[Path, NotebookNode]] = []
    for path in (Path(env.doc2path(docname)) for docname in docnames):
        text = path.read_text(encoding="utf-8")
        if is_myst_markdown_notebook(text):
            notebook = read_myst_markdown_notebook(text, config=env.myst_config, path=path)
            try:
                cache.match_cache_notebook(notebook)
            except KeyError:
                missing.append((path, notebook))

    def execute(path: Path, notebook: NotebookNode) -> ExecutionResult:
        timeout = app.config.nb_execution_timeout
        return single_nb_execution(notebook, str(path.parent), timeout, allow_errors=False)

    with ThreadPoolExecutor(2) as pool:
        results = pool.map(execute, *zip(*missing, strict=True)) if missing else []
        for (path, _), result in zip(missing, results, strict=True):
            logger.info("executed %s in %.1f s", path.relative_to(app.srcdir), result.time)
            if result.err is None:
                bundle = CacheBundleIn(
                    result.nb, str(path), data={"execution_seconds": result.time}
                )
                cache.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)


def add_notebook_download(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Write the executed notebook beside its page and add the button that links to it."""
    if "kernelspec" not in app.env.metadata.get(pagename, {}):
        return
    notebook = nbformat.read(
        Path(app.env.mystnb_config.output_folder, f"{pagename}.ipynb"), as_version=4
    )
    _, executed = get_cache(app.config.nb_execution_cache_path).merge_match_into_notebook(notebook)
    executed.metadata.pop("source_map", None)
    target = Path(app.outdir, f"{pagename}.ipynb")
    target.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(executed, target)
    context["header_buttons"].append(
        {
            "type": "link",
            "url": target.name,
            "text": "Download notebook",
            "icon": "fas fa-download",
            "label": "notebook",
        }
    )


def resolve_short_name(
    app: Sphinx, env: BuildEnvironment, node: pending_xref, contnode: Element
) -> Element | None:
    """Link a name that the package re-exports to the module that defines it."""
    package, _, name = node["reftarget"].partition(".")
    if node.get("refdomain") != "py" or package != "pdpbook":
        return None
    first, *rest = name.split(".")
    defined_in = getattr(getattr(importlib.import_module(package), first, None), "__module__", None)
    if defined_in is None:
        return None
    target = ".".join([defined_in, first, *rest])
    domain = env.get_domain("py")
    return domain.resolve_xref(
        env, node["refdoc"], app.builder, node["reftype"], target, node, contnode
    )


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("config-inited", choose_cache)
    app.connect("env-before-read-docs", execute_missing)
    app.connect("html-page-context", add_notebook_download, priority=600)
    app.connect("missing-reference", resolve_short_name)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
