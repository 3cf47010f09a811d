"""Read the pages of the book as notebooks, and start their kernels."""

import tempfile
from pathlib import Path
from uuid import uuid4

import zmq
from jupyter_client.manager import KernelManager
from nbformat import NotebookNode
from traitlets import default

from book._ext.execution.execution_cache import read_page as read_page

ROOT = Path(__file__).parents[2]
CHECKED = "nbval-check-output"


class FileKernelManager(KernelManager):
    """The manager of a kernel that is reached by files and not by ports.

    Jupyter looks for ports that are free and lets go of them before the kernel begins; in between
    another kernel that begins may take one.  Without such files it uses ports.
    """

    @default("transport")
    def _by_files(self) -> str:
        return "ipc" if zmq.has("ipc") else "tcp"

    @default("connection_file")
    def _own_name(self) -> str:
        return f"{tempfile.gettempdir()}/kernel-{uuid4()}.json"


def is_notebook(page: Path) -> bool:
    """Tell whether the front matter of a page names a kernel."""
    _, _, rest = page.read_text(encoding="utf-8").partition("---\n")
    return "kernelspec:" in rest.partition("---\n")[0]


def all_pages(root: Path = ROOT) -> list[Path]:
    """All pages of the book, without the copies that JupyterLab keeps in hidden folders."""
    pages = sorted((root / "book").rglob("*.md"))
    return [page for page in pages if ".ipynb_checkpoints" not in page.parts]


def notebook_pages(root: Path = ROOT) -> list[Path]:
    """All notebooks of the book, solutions included, in a fixed order."""
    return [page for page in all_pages(root) if is_notebook(page)]


def tags(cell: NotebookNode) -> list[str]:
    """Tags of a cell."""
    return cell.metadata.get("tags", [])


def code_cells(notebook: NotebookNode) -> list[NotebookNode]:
    """Code cells in their order; their positions are the numbers that nbval prints."""
    return [cell for cell in notebook.cells if cell.cell_type == "code"]
