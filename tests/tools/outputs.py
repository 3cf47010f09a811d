"""Rewrite the stored outputs of the checked cells: ``make outputs [PAGES="book/a.md ..."]``.

Executes each page (all of them by default) and stores the outputs of the cells that are tagged
``nbval-check-output``, and nothing else. Look at the difference before you commit.
"""

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.tools.baselines import baseline_path, executed_outputs, write_baseline
from tests.tools.notebooks import ROOT, notebook_pages


def store_outputs(page: Path) -> Path:
    """Execute a page and store the outputs of its checked cells."""
    write_baseline(baseline_path(page), executed_outputs(page))
    return baseline_path(page)


def main(arguments: list[str]) -> None:
    """Rewrite the baselines of the named pages, or of all."""
    pages = [Path(argument).resolve() for argument in arguments] or notebook_pages()
    with ThreadPoolExecutor(2) as pool:
        for target in pool.map(store_outputs, pages):
            print(target.relative_to(ROOT))


if __name__ == "__main__":
    main(sys.argv[1:])
