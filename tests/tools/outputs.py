"""Rewrite the committed outputs of the checked cells: ``make outputs [PAGES="book/a.md ..."]``.

Executes each page (all of them by default) and stores the outputs of the cells that are tagged
``nbval-check-output``, and nothing else. Look at the difference before you commit.
"""

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook
from nbval.plugin import coalesce_streams

from tests.tools.notebooks import (
    CHECKED,
    ROOT,
    baseline_path,
    code_cells,
    notebook_pages,
    read_page,
    tags,
)


def write_baseline(page: Path) -> Path:
    """Execute a page and store the outputs of its checked cells."""
    notebook = read_page(page)
    NotebookClient(notebook, timeout=600, resources={"metadata": {"path": page.parent}}).execute()
    checked = [cell for cell in code_cells(notebook) if CHECKED in tags(cell)]
    for number, cell in enumerate(checked):
        for output in cell.outputs:
            if output.output_type == "execute_result":
                output.execution_count = None
        checked[number] = new_code_cell(
            cell.source, id=f"checked-{number}", outputs=coalesce_streams(cell.outputs)
        )
    target = baseline_path(page)
    target.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(new_notebook(cells=checked), target)
    return target


def main(arguments: list[str]) -> None:
    """Rewrite the baselines of the named pages, or of all."""
    pages = [Path(argument).resolve() for argument in arguments] or notebook_pages()
    with ThreadPoolExecutor(2) as pool:
        for target in pool.map(write_baseline, pages):
            print(target.relative_to(ROOT))


if __name__ == "__main__":
    main(sys.argv[1:])
