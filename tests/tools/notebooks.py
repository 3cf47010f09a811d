"""Read the pages of the book as notebooks: MyST Markdown merged with its committed outputs."""

from pathlib import Path

import nbformat
from nbformat import NotebookNode

from book._ext.execution.execution_cache import read_page

ROOT = Path(__file__).parents[2]
CHECKED = "nbval-check-output"


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


def baseline_path(page: Path, root: Path = ROOT) -> Path:
    """Where the committed outputs of a page are."""
    return (root / "tests" / "outputs" / page.relative_to(root / "book")).with_suffix(".ipynb")


def tags(cell: NotebookNode) -> list[str]:
    """Tags of a cell."""
    return cell.metadata.get("tags", [])


def code_cells(notebook: NotebookNode) -> list[NotebookNode]:
    """Code cells in their order; their positions are the numbers that nbval prints."""
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def read_with_outputs(page: Path, root: Path = ROOT) -> NotebookNode:
    """Read a page as a notebook whose checked cells carry the outputs of its baseline.

    A stored output belongs to the cell with exactly the same code, so a checked cell that was
    changed has none until its baseline is made anew.

    Raises
    ------
    ValueError
        If the page has no checked cell, a checked cell has no stored output, or a stored output
        belongs to no checked cell of the page.
    """
    notebook = read_page(page)
    checked = [cell for cell in code_cells(notebook) if CHECKED in tags(cell)]
    if not checked:
        raise ValueError(f"{page}: no cell is tagged {CHECKED}")
    stored: dict[str, list[list[NotebookNode]]] = {}
    if baseline_path(page, root).exists():
        for cell in code_cells(nbformat.read(baseline_path(page, root), as_version=4)):
            if cell.outputs:
                stored.setdefault(cell.source, []).append(cell.outputs)
    missing = []
    for cell in checked:
        if stored.get(cell.source):
            cell.outputs = stored[cell.source].pop(0)
            cell.execution_count = 1  # nbval fails a cell that has outputs but was never run
        else:
            missing.append(cell.source)
    if missing or any(stored.values()):
        raise ValueError(
            f"{page} and {baseline_path(page, root)} disagree.\n"
            + "".join(f"No output is stored for the checked cell:\n{code}\n" for code in missing)
            + "".join(f"Not a checked cell:\n{code}\n" for code, left in stored.items() if left)
            + f"Once the page prints what it should: make outputs PAGES={page.relative_to(root)}"
        )
    return notebook
