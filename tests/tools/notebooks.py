"""Read the pages of the book as notebooks."""

from pathlib import Path

from nbformat import NotebookNode

from book._ext.page_cache import ROOT as ROOT
from book._ext.page_cache import read_page as read_page

CHECKED = "nbval-check-output"


def is_notebook(page: Path) -> bool:
    """Return whether the front matter of a page names a kernel."""
    _, _, rest = page.read_text(encoding="utf-8").partition("---\n")
    return "kernelspec:" in rest.partition("---\n")[0]


def all_pages(root: Path = ROOT) -> list[Path]:
    """Return all pages of the book, without JupyterLab's copies in hidden folders."""
    pages = sorted((root / "book").rglob("*.md"))
    return [page for page in pages if ".ipynb_checkpoints" not in page.parts]


def notebook_pages(root: Path = ROOT) -> list[Path]:
    """Return all notebooks of the book, including solutions, in a fixed order."""
    return [page for page in all_pages(root) if is_notebook(page)]


def tags(cell: NotebookNode) -> list[str]:
    """Tags of a cell."""
    return cell.metadata.get("tags", [])


def code_cells(notebook: NotebookNode) -> list[NotebookNode]:
    """Return the code cells in order; their positions are the numbers that nbval prints."""
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def stored_at(page: Path) -> Path:
    """Return the path of the stored outputs of a page."""
    return (ROOT / "tests/outputs" / page.relative_to(ROOT / "book")).with_suffix(".yml")
