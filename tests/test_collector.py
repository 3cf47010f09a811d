"""The nbval collector compares what it promises to compare, and keeps what it executed."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import jupytext
import pytest
import yaml
from jupyter_cache import get_cache
from jupyter_cache.executors.utils import single_nb_execution
from myst_parser.config.main import MdParserConfig
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook, new_output

from book._ext.execution.execution_cache import ExecutionCache, Slot, read_page
from book._ext.execution.forked_kernels import FEW
from tests.tools import nbval_myst
from tests.tools.baselines import baseline_path, checked_cells, read_baseline, write_baseline
from tests.tools.nbval_myst import MystNotebook
from tests.tools.notebooks import CHECKED, ROOT, code_cells, notebook_pages

PAGE = """\
---
orphan: true
file_format: mystnb
kernelspec:
  display_name: Python 3
  language: python
  name: python3
---

# A page

```{code-cell} ipython3
import random
random.seed(SEED)  # NAME
```

```{code-cell} ipython3
:tags: [CHECKED]
print(random.randrange(1000))
```

```{code-cell} ipython3
assert CLAIM
print("never compared")
```
"""
PRINTED = "331\n"  # what seed 7 gives
# Everything that a page may send: a stream in pieces, two kinds of display, one that is changed
# by a later cell, one that is cleared, a figure, a value.
SHOWN = """
```{code-cell} ipython3
from IPython.display import HTML, clear_output, display
from matplotlib import pyplot
for _ in range(2):
    print("out", flush=True)
changing = display("before", display_id="one")
display(HTML("<b>bold</b>"), metadata={"scrapbook": {"name": "value"}})
```

```{code-cell} ipython3
print("cleared")
clear_output(wait=True)
changing.update("after")
_, axes = pyplot.subplots(figsize=(1, 1))
```

```{code-cell} ipython3
{"a": 1}
```
"""
WARNED = """
```{code-cell} ipython3
import warnings
warnings.warn("the library has something to say")
```
"""
# A cell that loads a module in a way that no reading of its text finds out.
SNEAKY = """
```{code-cell} ipython3
loader = __builtins__.__dict__["__imp" + "ort__"]
loaded = loader("pdpbook.game")
```
"""
# The pages are so many that their kernels are forks.
FORKED = "'fork_server' in open(f'/proc/{__import__(\"os\").getppid()}/cmdline').read()"
FORKED = f"__import__('sys').platform != 'linux' or {FORKED}"
CHANGES: dict[str, dict[str, str | None]] = {
    "untouched": {},
    "edited": {},
    "skipped": {},
    "rich": {"more": SHOWN},
    "warned": {"more": WARNED},
    "tampered": {"stored": "332\n"},
    "seed": {"seed": "8"},
    "assert": {"claim": "1 == 2"},
    "missing": {"stored": None},
    "commented": {"comment": "# a comment that changes no output\n"},
    "named": {"named": ":name: numbers\n", "key": "numbers"},
    "renamed": {"named": ":name: numbers\n", "key": "digits"},
    "empty": {"stored": ""},
    "unchecked": {"tag": "remove-input"},
    "sneaky": {"more": SNEAKY},
    "forked": {"claim": FORKED},
}


def write_page(
    folder: Path,
    name: str,
    *,
    seed: str = "7",
    claim: str = "True",
    tag: str = "nbval-check-output",
    stored: str | None = PRINTED,
    key: str = "1",
    comment: str = "",
    named: str = "",
    more: str = "",
) -> Path:
    """Write a page of a small book, and its baseline."""
    page = folder / "book" / "part" / f"{name}.md"
    page.parent.mkdir(parents=True, exist_ok=True)
    text = PAGE + more
    text = text.replace(":tags: [CHECKED]\n", f":tags: [CHECKED]\n{named}{comment}")
    for word, value in {"SEED": seed, "NAME": name, "CLAIM": claim, "CHECKED": tag}.items():
        text = text.replace(word, value)
    page.write_text(text, encoding="utf-8")
    if stored is not None:
        outputs = [new_output("stream", name="stdout", text=stored)] if stored else []
        write_baseline(baseline_path(page, folder), {key: outputs})
    return page


def run(folder: Path, *command: str) -> str:
    """Run a Python module in a folder, with this project's code and nobody's settings."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")}
    done = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=folder,
        env=environment | {"PYTHONPATH": str(ROOT), "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


def nbval(folder: Path, *arguments: str) -> dict[str, str]:
    """Run nbval; return for each page what failed, in words: nothing if all cells passed."""
    options = ["--nbval-lax", "--rootdir=.", "-c", os.devnull, "-p", "tests.tools.nbval_myst"]
    options += ["-p", "no:cacheprovider", "--continue-on-collection-errors", "--junitxml=ran.xml"]
    printed = run(folder, "pytest", *options, *arguments)
    failed: dict[str, str] = {}
    for case in ElementTree.parse(folder / "ran.xml").iter("testcase"):
        page = f"{case.get('classname')}.{case.get('name')}".split("part.")[1].split(".")[0]
        problems = "".join(problem.text or "" for problem in case)
        failed[page] = failed.get(page, "") + problems
    assert failed, printed
    return failed


def kept(page: Path) -> NotebookNode | None:
    """What the small book keeps of a page."""
    notebook = read_page(page)
    return ExecutionCache(page.parents[2]).slot(page, notebook).find(notebook)


@pytest.fixture(scope="module")
def small_book(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """A book of one page a change, run by two processes; and for each page what failed.

    One cell of the page "skipped" does not run.
    """
    folder = tmp_path_factory.mktemp("small")
    for name, change in CHANGES.items():
        write_page(folder, name, **change)
    skip = "--deselect=book/part/skipped.md::Cell 2"
    return folder, nbval(folder, "-n", "2", "--dist", "loadfile", "book", skip)


@pytest.mark.parametrize("page", ["untouched", "rich", "commented", "named", "forked"])
def test_an_untouched_page_passes(small_book, page: str) -> None:
    _, failed = small_book
    assert failed[page] == ""


@pytest.mark.parametrize(
    ("page", "message"),
    [
        ("warned", "UserWarning: the library has something to say"),
        ("tampered", "mismatch 'stdout'"),
        ("seed", "mismatch 'stdout'"),
        ("assert", "AssertionError"),
        ("missing", "No output is stored for the checked cell 1"),
        ("empty", "No output is stored for the checked cell 1"),
        ("renamed", "No output is stored for the checked cell numbers"),
        ("renamed", "An output is stored for digits, which is no checked cell."),
        ("unchecked", "no cell is tagged nbval-check-output"),
        ("sneaky", "loads pdpbook, pdpbook.game, which its text does not show"),
    ],
)
def test_a_changed_page_fails(small_book, page: str, message: str) -> None:
    folder, failed = small_book
    assert message in failed[page]
    assert kept(folder / "book" / "part" / f"{page}.md") is None


def test_nbval_keeps_what_a_build_keeps(small_book, tmp_path: Path) -> None:
    folder, _ = small_book
    page = folder / "book" / "part" / "rich.md"
    ours = kept(page)
    executed = single_nb_execution(read_page(page), str(page.parent), 60, allow_errors=False)
    slot = Slot(page, tmp_path / "rich" / "key")
    slot.keep(executed.nb, executed.time)
    theirs = slot.find(read_page(page))
    for notebook in (ours, theirs):
        for cell in notebook.cells:
            del cell["id"]  # a random number
    assert ours == theirs
    *_, rich, _, value = code_cells(ours)
    assert (rich.outputs[0].name, rich.outputs[0].text) == ("stdout", "out\n" * 2)
    assert rich.outputs[1].data == {"text/plain": "'after'"}
    assert value.outputs[0].execution_count == value.execution_count == 6


def test_a_baseline_is_read_as_it_was_written(tmp_path: Path) -> None:
    texts = [
        "one line\n",
        "no end",
        " indented\n  more \n\n",
        "tab\there\n",
        "ε ≤ 1: [1, 2]\n",
        "\n",
    ]
    outputs = [new_output("stream", name="stdout", text=text) for text in texts]
    outputs += [new_output("stream", name="stderr", text="null")]
    outputs += [new_output("execute_result", data={"text/plain": "1", "text/html": "<b>\n1"})]
    outputs += [
        new_output("display_data", data={"a/b": "3"}, metadata={"scrapbook": {"name": "x"}})
    ]
    stored = {"1": outputs, "a name": outputs[:1]}
    write_baseline(tmp_path / "page.yml", stored)
    assert read_baseline(tmp_path / "page.yml") == stored


def checked_cell(code: str, **metadata: str) -> NotebookNode:
    """A cell whose outputs are compared."""
    return new_code_cell(code, metadata={"tags": [CHECKED], **metadata})


def test_a_cell_with_a_name_does_not_renumber_the_others() -> None:
    cells = [checked_cell("a"), checked_cell("b", name="b"), new_code_cell("x"), checked_cell("c")]
    found = checked_cells(new_notebook(cells=cells))
    assert {key: cell.source for key, cell in found.items()} == {"1": "a", "b": "b", "2": "c"}
    for names in (("b", "b"), ("7",)):
        with pytest.raises(ValueError, match=rf"name of its own that is no number: '{names[0]}'"):
            checked_cells(new_notebook(cells=[checked_cell("a", name=name) for name in names]))


BUSY = """
import nbval.plugin

real, answers = nbval.plugin.RunningKernel, iter(["no", "yes", "no", "no"])


def kernel(*args, **kwargs):
    if next(answers) == "no":
        raise RuntimeError("the kernel did not answer")
    return real(*args, **kwargs)


nbval.plugin.RunningKernel = kernel
"""


def test_a_kernel_that_does_not_answer_is_started_once_more(tmp_path: Path) -> None:
    write_page(tmp_path, "busy")
    write_page(tmp_path, "dead")
    (tmp_path / "ports.py").write_text(BUSY)
    failed = nbval(tmp_path, "-p", "ports", "book")
    assert failed["busy"] == ""
    assert "the kernel did not answer" in failed["dead"]


@pytest.mark.parametrize(("pages", "own"), [(100, True), (FEW, False)])
def test_a_kernel_of_its_own_for_each_page(pages: int, own: bool, request, monkeypatch) -> None:
    """At night, and where few pages are executed."""
    assert request.config.option.own_kernels is False
    config = SimpleNamespace(option=SimpleNamespace(own_kernels=own), stash={})
    collected = [MystNotebook.__new__(MystNotebook) for _ in range(pages)]
    items = [SimpleNamespace(parent=page) for page in collected for _ in range(2)]
    monkeypatch.setattr(nbval_myst, "ForkServer", None)
    nbval_myst.pytest_collection_finish(SimpleNamespace(items=items, config=config))
    assert config.stash == {}


def test_a_page_of_which_a_cell_did_not_run_is_not_kept(small_book) -> None:
    folder, failed = small_book
    assert failed["skipped"] == ""
    assert kept(folder / "book" / "part" / "skipped.md") is None


def executed_by_a_build(folder: Path) -> set[str]:
    """Build the small book from the beginning; return the pages that this executed."""
    settings = {
        "extensions": "myst_nb,book._ext.execution.executed_pages",
        "nb_execution_mode": "cache",
        "root_doc": "book/part/untouched",
        "exclude_patterns": "tests,_build",
    }
    defined = [f"-D{name}={value}" for name, value in settings.items()]
    printed = run(folder, "sphinx", "-C", "-E", "-b", "text", *defined, ".", "_build/text")
    assert "build succeeded." in printed, printed
    for page in (folder / "book" / "part").glob("*.md"):
        assert PRINTED in (folder / "_build/text/book/part" / f"{page.stem}.txt").read_text()
    lines = [line for line in printed.splitlines() if line.startswith("executed ")]
    return {Path(line.split()[1]).stem for line in lines}


def test_a_build_executes_only_what_is_not_kept(small_book, tmp_path: Path) -> None:
    """One page is as nbval has kept it, one was edited since, of one the copy is damaged."""
    copy = tmp_path / "copy"
    shutil.copytree(small_book[0], copy)
    for page in (copy / "book" / "part").glob("*.md"):
        if page.stem not in ("untouched", "edited", "rich"):
            page.unlink()
    page = copy / "book" / "part" / "edited.md"
    page.write_text(page.read_text().replace("never", "not"))
    kept = [file.read_text() for file in (copy / "_build" / "cache").rglob("base.ipynb")]
    assert sum("# rich" in text for text in kept) == 1
    for file in (copy / "_build" / "cache").rglob("base.ipynb"):
        if "# rich" in (text := file.read_text()):
            file.write_text(text[:-100])  # as if the machine had stopped while it wrote
    assert executed_by_a_build(copy) == {"edited", "rich"}
    assert executed_by_a_build(copy) == set()


def test_nbval_the_build_and_jupyterlab_read_a_page_alike(tmp_path: Path) -> None:
    settings = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))["parse"]
    config = MdParserConfig(enable_extensions=set(settings["myst_enable_extensions"]))
    key = get_cache(tmp_path).create_hashed_notebook
    for page in notebook_pages():
        notebook = read_page(page)
        assert key(notebook)[1] == key(read_page(page, config))[1], page
        in_lab = jupytext.read(page, fmt="md:myst")
        assert [c.source for c in code_cells(notebook)] == [c.source for c in code_cells(in_lab)]
