"""A book of a few pages in a separate folder, built like the real book."""

import os
import subprocess
import sys
from pathlib import Path

from tests.tools.notebooks import ROOT

CONF = """
extensions = ["myst_nb", "sphinx_proof", "book._ext.exercises", "book._ext.predictions",
    "book._ext.computed_tables"]
exclude_patterns = ["_build", "book/solutions"]
root_doc = "page"
html_theme = "sphinx_book_theme"
nb_execution_mode = "cache"
nb_execution_raise_on_error = True
myst_enable_extensions = ["dollarmath"]
numfig = True
"""
HEAD = """---
orphan: true
file_format: mystnb
kernelspec: {name: python3}
---
"""


def build(folder: Path, **pages: str) -> subprocess.CompletedProcess[str]:
    """Build a book of these pages, with warnings as errors."""
    for name, page in pages.items():
        path = folder / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(page, encoding="utf-8")
    (folder / "conf.py").write_text(CONF, encoding="utf-8")
    return subprocess.run(
        [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-b", "html", ".", "_build/html"],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT), "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
