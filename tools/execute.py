"""Execute the pages whose outputs are not kept yet, two at a time, before Sphinx reads them.

Sphinx executes one page after the other, and its own ``-j`` fails in sphinx-proof.  Two threads
drive a kernel each here.  A page that fails is reported with its traceback.
"""

from __future__ import annotations

import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import yaml
from jupyter_cache.base import CacheBundleIn
from jupyter_cache.executors.utils import single_nb_execution

from book._ext.page_cache import ROOT, cache_folder, cache_of, executed_page, read_page

LANES = 2
TIMEOUT = 300  #: seconds for a cell
#: Each kernel would warn that it is reached by a port of this machine.
QUIET = ["--IPKernelApp.log_level=ERROR"]


def pages() -> list[str]:
    """Return the pages with cells of the book, and the pages of solutions."""
    contents = yaml.safe_load((ROOT / "_toc_instructor.yml").read_text(encoding="utf-8"))
    parts = [contents, *contents["parts"]]
    named = [each["file"] for part in parts for each in part.get("chapters", [])]
    return [
        name
        for name in [contents["root"], *named]
        if "kernelspec:" in (ROOT / f"{name}.md").read_text(encoding="utf-8")[:1000]
    ]


def execute(docname: str, folder: Path) -> str:
    """Execute a page and keep its outputs; return the traceback if it fails."""
    began, page = time.monotonic(), ROOT / f"{docname}.md"
    result = single_nb_execution(
        read_page(page), str(page.parent), TIMEOUT, allow_errors=False, extra_arguments=QUIET
    )
    if result.err is not None:
        return f"{docname} fails:\n{result.exc_string}"
    cache = cache_of(docname, folder)
    cache.cache_notebook_bundle(CacheBundleIn(result.nb, str(page)), overwrite=True)
    print(f"executed {docname} in {time.monotonic() - began:.1f} s", flush=True)
    return ""


def is_missing(docname: str, folder: Path) -> bool:
    """Whether a page has not been executed as it is now."""
    try:
        executed_page(docname, folder)
    except KeyError:
        return True
    return False


def main() -> None:
    """Execute what is missing; exit with 1 if a page fails."""
    folder = cache_folder()
    missing = [name for name in pages() if is_missing(name, folder)]
    with ThreadPoolExecutor(LANES) as lanes:
        failures = [*filter(None, lanes.map(partial(execute, folder=folder), missing))]
    sys.exit("\n".join(failures) or 0)


if __name__ == "__main__":
    main()
