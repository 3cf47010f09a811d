"""The cache of executed notebooks: a page is executed once, by the build or by nbval.

A cache of jupyter-cache lies in a folder named by a hash of everything that an output depends on
besides the code of its page: the packages, the pinned requirements, the interpreter. A changed
package therefore meets an empty cache. Within it a notebook is found by the code of its cells.
"""

import hashlib
import os
import sys
from pathlib import Path

from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn, JupyterCacheAbstract
from myst_nb.core.read import read_myst_markdown_notebook
from myst_parser.config.main import MdParserConfig
from nbformat import NotebookNode
from nbformat.reader import NotJSONError

CACHES = Path("_build", "cache")
PACKAGES = ("pdpbook", "pdpbook_exercises")


def environment_key(root: Path) -> str:
    """Hash the packages, the data files beside the pages, the pins, and the interpreter."""
    files = [root / "requirements.txt"]
    files += (path for name in PACKAGES for path in (root / name).rglob("*"))
    files += (path for path in (root / "book").rglob("*") if path.suffix not in {".bib", ".md"})
    made = {"__pycache__", "pdpbook_exercises.egg-info"}  # by Python, by pip
    files = [path for path in files if path.is_file() and not made & {*path.parts}]
    unused = {root / "book" / "sources", root / "book" / "_ext"}  # no page computes with them
    files = [path for path in files if not unused & {*path.parents}]
    digest = hashlib.sha256(sys.version.encode())
    for name in sorted(name for name in os.environ if name.startswith("PDPBOOK_")):
        digest.update(f"{name}={os.environ[name]}\0".encode())
    for path in sorted(files):
        digest.update(f"{path.relative_to(root)}\0".encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]


def present_cache(root: Path) -> JupyterCacheAbstract:
    """Open the cache of the present environment, and make it where there is none."""
    cache = get_cache(root / CACHES / environment_key(root))
    assert cache.db  # made now, before two processes make it at once
    return cache


def read_page(page: Path, config: MdParserConfig | None = None) -> NotebookNode:
    """Read a page as myst-nb does, so that it meets the notebook that was kept for it."""
    return read_myst_markdown_notebook(page.read_text(encoding="utf-8"), config, path=page)


def is_kept(notebook: NotebookNode, cache: JupyterCacheAbstract) -> bool:
    """Tell whether the cache holds an executed notebook, whole."""
    try:
        cache.merge_match_into_notebook(notebook)
    except (KeyError, NotJSONError):  # no record, a record without its file, half a file
        return False
    return True


def join_streams(outputs: list[NotebookNode]) -> list[NotebookNode]:
    """Join the pieces of each stream: where the kernel cuts them depends on its clock."""
    joined: list[NotebookNode] = []
    streams: dict[str, NotebookNode] = {}
    for output in outputs:
        if output.output_type == "stream" and output.name in streams:
            streams[output.name].text += output.text
            continue
        if output.output_type == "stream":
            streams[output.name] = output
        joined.append(output)
    return joined


def keep(notebook: NotebookNode, page: Path, seconds: float, cache: JupyterCacheAbstract) -> None:
    """Store an executed notebook, in place of an earlier one; half executed, it is refused."""
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = join_streams(cell.outputs)
    bundle = CacheBundleIn(notebook, str(page), data={"execution_seconds": seconds})
    cache.cache_notebook_bundle(bundle, check_validity=True, overwrite=True)
