"""The nbval collector compares what it promises to compare, and refuses to pass without."""

import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output

from tests.tools.notebooks import ROOT

PAGE = """\
---
kernelspec:
  display_name: Python 3
  language: python
  name: python3
---

# A page

```{code-cell} ipython3
import numpy as np
rng = np.random.default_rng(SEED)
```

```{code-cell} ipython3
:tags: [CHECKED]
print(rng.integers(1000))
```

```{code-cell} ipython3
assert CLAIM
print("never compared")
```
"""
PRINTED = "944\n"  # what seed 7 gives


def run(
    folder: Path,
    *,
    seed: int = 7,
    claim: str = "True",
    tag: str = "nbval-check-output",
    stored: str | None = PRINTED,
    options: tuple[str, ...] = (),
) -> tuple[int, str]:
    """Run nbval on a book of one page; return pytest's exit code and what it printed."""
    page = folder / "book" / "part" / "page.md"
    page.parent.mkdir(parents=True)
    text = PAGE.replace("SEED", str(seed)).replace("CLAIM", claim).replace("CHECKED", tag)
    page.write_text(text, encoding="utf-8")
    if stored is not None:
        outputs = [new_output("stream", name="stdout", text=stored)] if stored else []
        cell = new_code_cell("print(rng.integers(1000))", outputs=outputs)
        baseline = folder / "tests" / "outputs" / "part" / "page.ipynb"
        baseline.parent.mkdir(parents=True)
        nbformat.write(new_notebook(cells=[cell]), baseline)
    command = [sys.executable, "-m", "pytest", "--nbval-lax", "--rootdir", str(folder)]
    command += ["-c", os.devnull, "-p", "tests.tools.nbval_myst", "-p", "no:cacheprovider"]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")}
    done = subprocess.run(
        [*command, *options, "book"],
        cwd=folder,
        env=environment | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("options", [(), ("-n", "2", "--dist", "loadfile")])
def test_an_untouched_page_passes(tmp_path: Path, options: tuple[str, ...]) -> None:
    code, text = run(tmp_path, options=options)
    assert code == 0, text
    assert "3 passed" in text


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"stored": "945\n"}, "mismatch 'stdout'"),
        ({"seed": 8}, "mismatch 'stdout'"),
        ({"claim": "1 == 2"}, "AssertionError"),
        ({"stored": None}, "No output is stored for the checked cell"),
        ({"stored": ""}, "No output is stored for the checked cell"),
        ({"tag": "remove-input"}, "no cell is tagged nbval-check-output"),
    ],
    ids=["tampered", "seed", "assert", "missing", "empty", "unchecked"],
)
def test_a_changed_page_fails(tmp_path: Path, change: dict[str, str], message: str) -> None:
    code, text = run(tmp_path, **change)
    assert code != 0, text
    assert message in text
