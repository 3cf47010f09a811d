"""What the book asks of Sphinx beyond its extensions.

* The execution cache lives in a folder named by a hash of everything that an output depends on
  besides the code of its page: the package, the pinned requirements, the interpreter. A changed
  package therefore meets an empty cache and a changed configuration, which re-reads every page.
* Each executed notebook is copied beside its page and offered as "Download notebook".
* ``pdpbook.NVOGame`` in a docstring links to the class where it is documented,
  ``pdpbook.game.nvo_game.NVOGame``.
"""

import hashlib
import importlib
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import nbformat
from docutils.nodes import Element
from jupyter_cache import get_cache
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment


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
    app.connect("html-page-context", add_notebook_download, priority=600)
    app.connect("missing-reference", resolve_short_name)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
