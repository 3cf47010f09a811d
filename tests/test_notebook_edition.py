"""The notebook edition: what it leaves out, how it writes, and a reader's own folder."""

import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import myst_nb
import nbformat
import pytest
from docutils import nodes
from docutils.utils import new_document
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from nbformat.v4 import new_code_cell

from book._ext.edition.lab_folder import copy_edition
from book._ext.edition.notebook_edition import reader_outputs, write_notebook
from book._ext.edition.notebook_markdown import JOINER, Markdown, expand, quoted
from book._ext.edition.reader_code import INSTALL, WRITE_HERE, reader_code
from book._ext.edition.student_bundle import closure, collect_notebooks
from tests.tools.clean_environment import PROSE
from tests.tools.notebooks import ROOT, code_cells

HIDDEN = {"tags": ["remove-cell"]}


def remains(*sources: str) -> list[str]:
    """What remains of cells; a source that begins with ``#hidden`` is a hidden cell."""
    cells = [
        new_code_cell(
            source.removeprefix("#hidden\n"),
            metadata=HIDDEN if source.startswith("#hidden\n") else {},
        )
        for source in sources
    ]
    return list(reader_code(cells).values())


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        (["from myst_nb import glue\nimport numpy as np"], ["import numpy as np"]),
        (['x = 1\nglue("a", x, display=False)'], ["x = 1"]),
        (["x = 1", 'glue(\n    "a",\n    x,\n)'], ["x = 1"]),
        (['for k in (1, 2):\n    glue(f"a-{k}", k)\nprint(k)'], ["print(k)"]),
        (
            ['for k in (1, 2):\n    print(k)\n    glue(f"a-{k}", k)'],
            ["for k in (1, 2):\n    print(k)"],
        ),
        (
            ['def tell(key):\n    glue(key, 1)\n\n\ntell("a")\nx = 2  # two\n# end'],
            ["x = 2  # two\n# end"],
        ),
        (["#hidden\nx = 1\nglue('a', x)", "print(2)"], ["print(2)"]),
        (["#hidden\nx = 1\ny = 2", "print(x)"], ["x = 1", "print(x)"]),
        (["#hidden\nx = []\nx.append(1)\ny = []", "print(x)"], ["x = []\nx.append(1)", "print(x)"]),
        (["x = [0]", "#hidden\nx[0] = 1\nz = 1", "print(x)"], ["x = [0]", "x[0] = 1", "print(x)"]),
        (["#hidden\nx = 1", "x = 2", "print(x)"], ["x = 2", "print(x)"]),
        (["#hidden\nx = 0\nx += 1", "print(x)"], ["x = 0\nx += 1", "print(x)"]),
        (
            ["#hidden\nx = 1", "def f():\n    return x", "f()"],
            ["x = 1", "def f():\n    return x", "f()"],
        ),
        (
            ["rng = np.random.default_rng(1)", "#hidden\na = rng.random()\nb = 1", "print(1)"],
            ["rng = np.random.default_rng(1)", "a = rng.random()", "print(1)"],
        ),
        (["#hidden\nx = 1", "#hidden\nglue('a', x)"], []),
    ],
)
def test_what_only_feeds_the_prose_is_left_out(page: list[str], expected: list[str]) -> None:
    assert remains(*page) == expected


def test_a_formula_stands_apart_from_the_letters_beside_it() -> None:
    """VS Code and GitHub read ``$b={}$0.39`` as text with two dollars, and so does pandoc."""
    parts = [
        nodes.Text("At "),
        nodes.math("", "b={}"),
        nodes.Text("0.39 the 2"),
        nodes.math("", "k"),
    ]
    parts += [nodes.Text("-ary, "), nodes.emphasis("", "", nodes.math("", "n"), nodes.Text("th"))]
    page = SimpleNamespace(
        env=None, config=SimpleNamespace(mathjax3_config={"tex": {"macros": {}}})
    )
    written = Markdown(page, "page").line(nodes.paragraph("", "", *parts))
    assert written == f"At $b={{}}${JOINER}0.39 the 2{JOINER}$k$-ary, *$n${JOINER}th*"


def test_macros_are_expanded() -> None:
    macros = {"E": r"\operatorname{\mathbb{E}}", "eps": r"\varepsilon", "data": r"\mathcal{D}"}
    assert expand("e^\\eps\n+ \\epsilon", macros) == r"e^{\varepsilon} + \epsilon"
    assert expand(r"\le\data^2 \frac\eps\data", macros) == (
        r"\le{\mathcal{D}}^2 \frac{\varepsilon}\mathcal{D}"
    )
    assert expand(r"\E_x|\data|", macros) == r"\operatorname{\mathbb{E}}_x|\mathcal{D}|"


def test_a_quotation_has_a_mark_on_every_line() -> None:
    assert quoted(["**Title**", "- a\n- b"]) == "> **Title**\n>\n> - a\n> - b"


def test_a_reader_sees_no_record_and_a_picture_that_needs_no_trust() -> None:
    record = {"application/papermill.record/text/plain": "1"}
    both = {"image/png": "AAAA", "image/svg+xml": "<svg/>", "text/plain": "<Figure>"}
    outputs = [
        nbformat.v4.new_output("display_data", record),
        nbformat.v4.new_output("display_data", both),
    ]
    [picture] = reader_outputs(outputs, "A line.")
    assert [*picture.data] == ["image/png", "text/plain"]
    assert picture.metadata["image/png"]["alt"] == "A line."
    assert "image/svg+xml" in outputs[1].data  # what the book shows is left alone


def test_hidden_code_at_the_end_of_a_page_is_written() -> None:
    """It has no place in the tree, and no code after it that would bring it along."""
    shown, hidden = "rng = np.random.default_rng(1)", "late = rng.random()"
    executed = nbformat.v4.new_notebook(
        cells=[new_code_cell(shown), new_code_cell(hidden, metadata=HIDDEN)],
        metadata={"language_info": {"name": "python"}},
    )
    tree = new_document("page")
    tree += nodes.container("", nb_element="cell_code", cell_index=0)
    env = SimpleNamespace(titles={"page": nodes.title("", "A page")})
    app = SimpleNamespace(env=env, config=SimpleNamespace(mathjax3_config={"tex": {"macros": {}}}))
    written = write_notebook(app, "page", tree, executed)
    assert [cell.source for cell in written.cells[1:]] == [shown, hidden]
    assert written.cells[-1].metadata["jupyter"] == {"source_hidden": True}


# Small books ------------------------------------------------------------------------------------

PAGE = r"""---
file_format: mystnb
kernelspec: {display_name: Python 3, language: python, name: python3}
---
# A page

```{prf:theorem} A title
:label: thm-one

Let $\eps>0$ and

$$
a=b
$$ (eq-one)
```

:::{prf:proof}
By {eq}`eq-one` and {prf:ref}`thm-one`.
:::

## Part of it

```{exercise} Again
:label: ex-one
:level: core
:minutes: 5
:kind: code, proof
:for: practice

Show it.
```

```{code-cell} ipython3
:tags: [exercise-stub]
answer = ...
```
"""
ORPHAN = "---\norphan: true\n---\n"
NO_PROOF = """```{exercise} Another
:label: ex-two
:level: core
:minutes: 5
:kind: code
:for: assignment

Prove it, a proof.
```
"""
FIGURE = r"""---
orphan: true
file_format: mystnb
kernelspec: {display_name: Python 3, language: python, name: python3}
---
# A figure

```{code-cell} ipython3
---
mystnb:
  figure: {name: fig-one, caption: A caption.}
  image: {alt: "A line, x < 1."}
---
from base64 import b64decode
from IPython.display import Image
Image(b64decode("PIXEL"))
```
"""
PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII="
)
CONF = r"""
extensions = ["myst_nb", "sphinx_proof", "book._ext.exercises"]
extensions += ["book._ext.build.only_page", "book._ext.execution.executed_pages"]
extensions += ["book._ext.build.memory", "book._ext.edition.notebook_download"]
exclude_patterns = ["_build", "book/solutions"]
root_doc = "page"
html_theme = "sphinx_book_theme"
nb_execution_mode = "cache"
nb_execution_raise_on_error = True
nb_execution_show_tb = True
myst_enable_extensions = ["colon_fence", "dollarmath"]
numfig = True
mathjax3_config = {"tex": {"macros": {"eps": r"\varepsilon"}}}
"""


def build(folder: Path, conf: str = CONF, **pages: str) -> subprocess.CompletedProcess[str]:
    """Build a book of these pages, warnings as errors, as the real one is built."""
    for name, page in pages.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.md").write_text(page, encoding="utf-8")
    (folder / "conf.py").write_text(conf, encoding="utf-8")
    return subprocess.run(
        [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-b", "html", ".", "_build/html"],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT), "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A built book: a page, one whose exercise asks for no proof, and one with all the rest."""
    folder = tmp_path_factory.mktemp("book")
    rest = "```{margin}\nA *note*.\n\nAnd more.\n```\n\n```{eval-rst}\n* Two\n* parsers.\n```\n"
    rest = f"1. *One*\\\n   Says it.\n\n{rest}"
    more = {"no_proof": f"{ORPHAN}# Another\n\n{NO_PROOF}", "rest": f"{ORPHAN}# Rest\n\n{rest}"}
    more["figure"] = FIGURE.replace("PIXEL", PIXEL)
    done = build(folder, page=PAGE, **more)
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr  # nor does a kernel write one
    return folder / "_build" / "html"


def read(notebook: Path) -> nbformat.NotebookNode:
    """Read a notebook and refuse one that is not valid."""
    written = nbformat.read(notebook, as_version=4)
    nbformat.validate(written)
    return written


def test_a_page_becomes_a_notebook(book: Path) -> None:
    written = read(book / "page.ipynb")
    first, install, second, exercise, proof, stub = written.cells
    assert install.source == INSTALL.strip()
    assert first.source == (
        "# A page\n\n***\n\n**Theorem 1** (A title)\n\nLet $\\varepsilon>0$ and\n\n"
        "$$a=b \\tag{1}$$\n\n***\n\n**Proof.** By (1) and Theorem 1. ∎"
    )
    assert second.source == "## Part of it"
    assert exercise.source == (
        "> **Exercise 1** (Again)\n>\n> *Core, 5 minutes, a proof.*\n>\n> Show it."
    )
    assert exercise.metadata.tags == ["exercise"]
    assert exercise.metadata.pdpbook == {
        "exercise": "ex-one",
        "level": "core",
        "minutes": 5,
        "kind": ["code", "proof"],
        "for": "practice",
    }
    assert proof.metadata.pdpbook == stub.metadata.pdpbook == exercise.metadata.pdpbook
    assert proof.cell_type == "markdown" and proof.source == WRITE_HERE
    assert proof.metadata.tags == ["exercise-proof"]
    assert stub.source == "answer = ..." and stub.metadata.tags == ["exercise-stub"]
    assert len(code_cells(written)) == 2
    assert "Download notebook" in (book / "page.html").read_text(encoding="utf-8")


def test_a_figure_is_described_below_its_caption(book: Path) -> None:
    """Whatever shows the notebook, and after the reader has run the cell."""
    picture, caption = read(book / "figure.ipynb").cells[-2:]
    assert picture.outputs[0].metadata["image/png"]["alt"] == "A line, x < 1."
    assert caption.source.endswith(
        " A caption.\n\n<details>\n<summary>Description of the figure</summary>\n\n"
        "A line, x &lt; 1.\n\n</details>"
    )


def test_only_a_proof_has_a_cell_to_write_in(book: Path) -> None:
    written = read(book / "no_proof.ipynb")
    assert ["exercise"] in [cell.metadata.get("tags") for cell in written.cells]
    assert WRITE_HERE not in [cell.source for cell in written.cells]


def test_a_note_in_the_margin_is_quoted(book: Path) -> None:
    assert "> A *note*.\n>\n> And more." in read(book / "rest.ipynb").cells[-1].source


def test_a_line_ends_where_the_page_lets_it_end(book: Path) -> None:
    assert "1. *One*<br>Says it." in read(book / "rest.ipynb").cells[-1].source


def test_a_kept_page_does_not_hold_all_that_sphinx_knows(book: Path) -> None:
    """Each page that reads reStructuredText did, and was read and written more slowly for it."""
    kept = (book / ".doctrees" / "rest.doctree").read_bytes()
    assert b"parsers" in kept and b"BuildEnvironment" not in kept


#: Options of an exercise, each with a wrong one in its place and what is said of it.
WRONG = {
    "level": (":level: hard", "must be warm-up, core, challenge or open, got 'hard'"),
    "minutes": (":minutes: five", "must be a whole number > 0, got 'five'"),
    "kind": (":kind: proofs", "must be code, proof or both, got 'proofs'"),
    "for": ("", ":for: of an exercise must be practice or assignment, got ''"),
}


@pytest.fixture(scope="module")
def refused(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What is said of a book in which each page has a fault."""
    pages = {
        "page": PAGE.replace("```{exercise}", "```{exercize}").replace("{prf:ref}", "{prf:reff}"),
        "unknown": ORPHAN + "# Unknown\n\n{abbr}`DP (differential privacy)`\n",
    }
    exercise = PAGE.partition("## Part of it")[2].partition("```{code-cell}")[0]
    for option, (wrong, _) in WRONG.items():
        text = re.sub(f"^:{option}: .*$", wrong, exercise, flags=re.MULTILINE)
        assert text != exercise
        pages[option] = f"{ORPHAN}# A page\n\n{text.replace('ex-one', f'ex-{option}')}"
    pages["book/chapter"] = ORPHANED
    pages["book/solutions/chapter"] = SOLVED.replace("(#ex-one)", "(#ex-none)")
    done = build(tmp_path_factory.mktemp("refused"), **pages)
    assert done.returncode != 0
    return done.stderr


def test_what_is_broken_or_cannot_be_written_fails(refused: str) -> None:
    assert "exercize" in refused and "prf:reff" in refused
    assert "unknown: the notebook edition cannot write abbreviation" in refused
    told = "a practice exercise needs one section that begins with"
    assert re.search(rf"chapter.*: (WARNING|ERROR): .*{told}", refused)


@pytest.mark.parametrize("option", WRONG)
def test_an_exercise_with_a_wrong_option_is_refused(option: str, refused: str) -> None:
    _, told = WRONG[option]
    assert re.search(rf"{option}\.md:\d+: ERROR: .*{re.escape(told)}", refused), refused


def test_a_page_that_fails_is_named(tmp_path: Path) -> None:
    done = build(tmp_path, page=PAGE.replace("answer = ...", "1 / 0"))
    assert done.returncode != 0
    assert "page" in done.stderr and "ZeroDivisionError" in done.stdout + done.stderr


HEAD, _, _ = PAGE.partition("# A page")
ROOT_PAGE, _, _ = PAGE.partition("## Part of it")
CHAPTER = f"""{HEAD}# A chapter

```{{code-cell}} ipython3
from pdpbook_exercises import check
```

{PAGE.partition("## Part of it")[2].replace("code, proof", "code")}
Text after the cells.

{NO_PROOF}
"""
SOLVED = f"""{HEAD}# Solutions

```{{code-cell}} ipython3
from math import sqrt
```

## Again

[The exercise](#ex-one). Take a root, as {{prf:ref}}`thm-one` says.

```{{code-cell}} ipython3
:tags: [exercise-solution]
answer = sqrt(9)
```

```{{code-cell}} ipython3
print("it is", answer)
```

## Another

[The exercise](#ex-two). A tetrachord.

```{{code-cell}} ipython3
:tags: [exercise-solution]
tetrachord = sqrt(16)
```
"""

ORPHANED = CHAPTER.replace("file_format", "orphan: true\nfile_format", 1)


def test_the_solution_for_practice_is_folded_and_that_of_an_assignment_is_not_there(
    tmp_path: Path,
) -> None:
    def parts() -> tuple[str, nbformat.NotebookNode]:
        built = tmp_path / "_build" / "html" / "book" / "chapter"
        return built.with_suffix(".html").read_text(encoding="utf-8"), read(
            built.with_suffix(".ipynb")
        )

    pages = {"page": ROOT_PAGE, "book/chapter": ORPHANED, "book/solutions/chapter": SOLVED}
    done = build(tmp_path, **pages)
    assert done.returncode == 0, done.stderr
    html, written = parts()
    [fold] = re.findall(r"<details.*?</details>", html, re.DOTALL)
    assert fold.startswith('<details class="solution" id="ex-one-solution"><summary>Solution</')
    assert 'href="../page.html#thm-one"' in fold and "it is 3.0" in fold
    before, _, after = html.partition("<details")
    assert "tag_exercise-stub" in before and "tag_exercise-stub" not in after
    assert "Text after" in after and "Text after" not in fold
    tagged = [cell.metadata.get("tags", []) for cell in written.cells]
    place = tagged.index(["solution"])
    assert written.cells[place - 1].metadata.tags == ["exercise-stub"]
    source = written.cells[place].source
    assert source.startswith(
        "<details>\n<summary>Solution</summary>\n\nTake a root, as [Theorem 1]"
    )
    assert source.endswith("</details>") and written.cells[place].cell_type == "markdown"
    assert (
        '```python\nfrom math import sqrt\n\n\nanswer = sqrt(9)\n\n\nprint("it is", answer)\n```'
        in source
    )
    assert "```text\nit is 3.0\n```" in source
    files = (tmp_path / "_build" / "html").rglob("*")
    texts = [file.read_bytes() for file in files if file.is_file()]
    assert not [text for text in texts if b"tetrachord" in text.lower()]

    pages["book/solutions/chapter"] = SOLVED.replace("sqrt(9)", "sqrt(25)")
    assert build(tmp_path, **pages).returncode == 0
    html, written = parts()
    assert "it is 5.0" in html and "it is 5.0" in written.cells[place].source


def test_a_solution_that_fails_ends_the_build(tmp_path: Path) -> None:
    solved = SOLVED.replace("sqrt(9)", "1 / 0")
    pages = {"book/chapter": ORPHANED, "book/solutions/chapter": solved}
    done = build(tmp_path, page=ROOT_PAGE, **pages)
    assert done.returncode != 0 and "ZeroDivisionError" in done.stdout + done.stderr


# The bundle and the reader's folder -------------------------------------------------------------


def test_a_book_that_is_not_built_is_refused(tmp_path: Path) -> None:
    (tmp_path / "_toc.yml").write_text("root: page\nparts: []\n", encoding="utf-8")
    (tmp_path / "page.md").write_text(PAGE, encoding="utf-8")
    with pytest.raises(SystemExit, match=r"run make book. Missing: \['page'\]"):
        collect_notebooks(tmp_path, tmp_path / "target")


def test_the_closure_holds_what_is_needed_and_no_more() -> None:
    found = closure(["ipykernel"])
    assert {"ipykernel", "ipython", "pyzmq", "traitlets"} <= found.keys()
    assert not {"jupyterlab", "sphinx", "pytest"} & found.keys()


def test_what_a_reader_changed_is_kept(tmp_path: Path) -> None:
    source, own = tmp_path / "source", tmp_path / "own"
    (source / "part").mkdir(parents=True)
    for name in ("a", "part/b", "part/c"):
        (source / name).write_text(f"first {name}")
    assert copy_edition(source, own) == []
    (own / "part" / "b").write_text("an answer")
    (own / "note").write_text("mine")
    for name in ("a", "part/b"):
        (source / name).write_text(f"second {name}")
    assert copy_edition(source, own) == ["part/b"]
    assert copy_edition(source, own) == ["part/b"]
    assert (own / "a").read_text() == "second a"
    assert (own / "part" / "b").read_text() == "an answer"
    assert (own / "note").read_text() == "mine"
    (own / "part" / "b").unlink()
    assert copy_edition(source, own) == []
    assert (own / "part" / "b").read_text() == "second part/b"


def test_a_reader_keeps_a_file_that_was_there_before(tmp_path: Path) -> None:
    source, own = tmp_path / "source", tmp_path / "own"
    for folder, text in ((source, "the book's"), (own, "mine")):
        folder.mkdir()
        (folder / "a").write_text(text)
    assert copy_edition(source, own) == ["a"]
    assert (own / "a").read_text() == "mine"


def test_the_folder_needs_notebooks_and_no_file_in_its_place(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="run make notebooks"):
        copy_edition(tmp_path / "source", tmp_path / "own")
    (tmp_path / "source").mkdir()
    (tmp_path / "own").write_text("")
    with pytest.raises(SystemExit, match="is a file"):
        copy_edition(tmp_path / "source", tmp_path / "own")


def test_the_stand_in_hands_over_what_myst_nb_does() -> None:
    InteractiveShell.instance()
    scope: dict[str, Any] = {}
    exec((PROSE / "myst_nb.py").read_text(encoding="utf-8"), scope)
    sent = []
    for show in (True, False):
        for function in (myst_nb.glue, scope["glue"]):
            with capture_output() as captured:
                function("key", 1.5, display=show)
            sent.append([(output.data, output.metadata) for output in captured.outputs])
    assert sent[0] == sent[1] and sent[2] == sent[3]
    assert sent[0] and sent[2] and sent[0] != sent[2]
