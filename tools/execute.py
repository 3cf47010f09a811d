"""Execute the pages whose outputs are not cached yet, two at a time, before Sphinx reads them.

Sphinx executes one page after another, and its option ``-j`` fails with sphinx-proof.  Here, each
of two threads drives a kernel.  A page that fails is reported with its traceback.
"""

import sys
import time
from concurrent.futures import ThreadPoolExecutor

from book._ext.page_cache import ROOT, cache_folder, cached_page, execute_page, listed

LANES = 2


def pages() -> list[str]:
    """Return the pages of the book with cells, and the pages of solutions."""
    return [
        name
        for name in listed("_toc_instructor.yml")
        if "kernelspec:" in (ROOT / f"{name}.md").read_text(encoding="utf-8")[:1000]
    ]


def execute(docname: str) -> str:
    """Execute a page if its outputs are not cached; return the error if it fails."""
    began, page, folder = time.monotonic(), ROOT / f"{docname}.md", cache_folder() / docname
    try:
        cached_page(page, folder)
    except KeyError:
        try:
            execute_page(page, folder)
        except ValueError as error:
            return str(error)
        print(f"executed {docname} in {time.monotonic() - began:.1f} s", flush=True)
    return ""


def main() -> None:
    """Execute the missing pages; exit with 1 if a page fails."""
    with ThreadPoolExecutor(LANES) as lanes:
        failures = [*filter(None, lanes.map(execute, pages()))]
    sys.exit("\n".join(failures) or 0)


if __name__ == "__main__":
    main()
