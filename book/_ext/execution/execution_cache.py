"""The cache of executed notebooks: a page is executed once, by the build or by nbval.

``_build/cache/<page>/<key>`` is a cache of jupyter-cache that holds one executed notebook: the page
as it was executed in a state of the repository in which it has that key (``page_key``).  A changed
module therefore asks for another folder, and on the way back to an earlier state, after a change of
branch for example, the page is found again.  The newest :data:`STATES` of a page are kept.

Processes may work side by side.  A notebook is written into a folder of its own, which gets its
name only when it is whole, so what is found is never half a notebook.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path

from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn, JupyterCacheAbstract
from myst_nb.core.read import read_myst_markdown_notebook
from myst_parser.config.main import MdParserConfig
from nbformat import NotebookNode
from nbformat.reader import NotJSONError

from book._ext.execution.page_key import Keys

CACHES = Path("_build", "cache")
STATES = 6  #: of a page that are kept: two branches, and a few attempts on each


def read_page(page: Path, config: MdParserConfig | None = None) -> NotebookNode:
    """Read a page as myst-nb does, so that it meets the notebook that was kept for it."""
    return read_myst_markdown_notebook(page.read_text(encoding="utf-8"), config, path=page)


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


@contextmanager
def opened(folder: Path) -> Iterator[JupyterCacheAbstract]:
    """Open a cache, and close its file at the end."""
    cache = get_cache(folder)
    try:
        yield cache
    finally:
        cache.db.dispose()


@dataclass(frozen=True)
class Slot:
    """The place of a page as it is now, found before the page is executed."""

    page: Path
    folder: Path

    def find(self, notebook: NotebookNode) -> NotebookNode | None:
        """Return the page with the outputs that are kept for it, or nothing if there are none."""
        if not self.folder.is_dir():
            return None
        with opened(self.folder) as cache:
            try:
                found = cache.merge_match_into_notebook(notebook)[1]
            except (KeyError, NotJSONError):  # it failed here, or the machine stopped
                return None
        with suppress(FileNotFoundError):
            os.utime(self.folder)  # the states that nobody asks for go first
        return found

    def keep(self, notebook: NotebookNode, seconds: float) -> None:
        """Store an executed notebook, in place of an earlier one; half executed, it is refused."""
        for cell in notebook.cells:
            if cell.cell_type == "code":
                cell.outputs = join_streams(cell.outputs)
        self.folder.parent.mkdir(parents=True, exist_ok=True)
        written = Path(tempfile.mkdtemp(dir=self.folder.parent, prefix="."))
        try:
            with opened(written) as cache:
                bundle = CacheBundleIn(
                    notebook, str(self.page), data={"execution_seconds": seconds}
                )
                cache.cache_notebook_bundle(bundle, check_validity=True, overwrite=True)
            shutil.rmtree(self.folder, ignore_errors=True)
            with suppress(OSError):  # another process has just kept the same
                written.rename(self.folder)
        finally:
            shutil.rmtree(written, ignore_errors=True)
        self.forget_old_states()

    def forget_old_states(self) -> None:
        """Delete all but the newest states of the page."""
        states = []
        for folder in self.folder.parent.glob("[!.]*"):
            with suppress(FileNotFoundError):  # another process has just deleted it
                if (folder / "global.db").is_file():  # and not a folder of pages
                    states.append((folder.stat().st_mtime_ns, folder))
        for _, folder in sorted(states)[:-STATES]:
            shutil.rmtree(folder, ignore_errors=True)


class ExecutionCache:
    """The executed pages of a repository, for one run of a build or of the tests.

    Parameters
    ----------
    root : Path
        The repository.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.keys = Keys(root)
        self._read: dict[Path, NotebookNode] = {}

    def read(self, page: Path, config: MdParserConfig) -> NotebookNode:
        """Return a page as a notebook of one's own; its file is read once."""
        if page not in self._read:
            self._read[page] = read_page(page, config)
        return deepcopy(self._read[page])

    def slot(self, page: Path, notebook: NotebookNode) -> Slot:
        """Return the place of a page, which was read as a notebook, in its present state."""
        name = page.relative_to(self.root).with_suffix("")
        return Slot(page, self.root / CACHES / name / self.keys.key(notebook))
