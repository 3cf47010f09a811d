"""Checks of the notebook edition as it lies in ``_build/notebooks`` and in the student bundle."""

import builtins
import re
import subprocess
import symtable
import sys
from collections.abc import Callable, Iterator
from functools import cache
from html import escape
from pathlib import Path
from urllib.parse import unquote
from zipfile import ZipFile

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from playwright.sync_api import Browser
from py_mini_racer import JSEvalException, MiniRacer

from book._ext.edition.notebook_edition import DESCRIPTION, fold
from book._ext.edition.reader_code import INSTALL, WRITE_HERE
from book._ext.edition.student_bundle import ARCHIVE, NOTEBOOKS, pages
from book._ext.exercises import ExerciseOptions, exercises_of
from book._ext.pages.typesetter import Typesetter, macros_of_the_book
from tests.site.site import PUBLIC
from tests.site.test_pages import solution_lines
from tests.tools.notebooks import ROOT, code_cells, is_notebook, read_page, tags

EDITION = ROOT / NOTEBOOKS
WITH_CELLS = [page for page in pages(ROOT) if is_notebook(ROOT / f"{page}.md")]
MACROS = "|".join(macros_of_the_book())
CODE = re.compile(r"```.*?```|`[^`\n]+`", re.DOTALL)
MATHEMATICS = re.compile(r"\$\$.*?\$\$|(?<!\\)\$[^$]*(?<!\\)\$", re.DOTALL)
MARKUP = {
    "directive": re.compile(r":::|^`{3,}\{|^\.\. \w+::", re.MULTILINE),
    "role": re.compile(r"(?<!`)\{[a-z][\w:-]*\}`[^`]+`"),
    "label": re.compile(r"^\([\w-]+\)=", re.MULTILINE),
    "unresolved": re.compile(r"%s|\?\?|\{\w+\}"),
}
SLIDERS = re.compile(r"^`{3,}\{explorable\} ([\w-]+)", re.MULTILINE)
LINK = re.compile(r"(?<!\\)\]\(([^()\s]+)\)")


@cache
def notebook(page: str) -> NotebookNode:
    """The notebook of a page."""
    path = EDITION / f"{page}.ipynb"
    assert path.is_file(), f"{path} is missing; make notebooks"
    return nbformat.read(path, as_version=4)


def prose(cells: NotebookNode) -> str:
    """All Markdown of a notebook."""
    return "\n\n".join(cell.source for cell in cells.cells if cell.cell_type == "markdown")


def pictures(cell: NotebookNode) -> list[NotebookNode]:
    """The outputs of a cell that are pictures."""
    return [o for o in cell.get("outputs", []) if any("image/" in m for m in o.get("data", {}))]


def describe(picture: NotebookNode) -> str:
    """The alt text of a picture as it stands below it: Jupyter shows none of an output."""
    alt = picture.metadata.get("image/png", {}).get("alt", "")
    return fold(DESCRIPTION, [escape(alt)])


def problems(given: NotebookNode) -> list[str]:
    """All that a reader would see of the book's own markup, and pictures without caption."""
    text = prose(given)
    found = []
    for what, pattern in MARKUP.items():
        searched = text if what == "directive" else CODE.sub("", text)
        if what == "role":
            searched = text
        if what == "unresolved":
            searched = MATHEMATICS.sub("", searched)
        found += [f"{what}: {match}" for match in pattern.findall(searched)]
    found += [f"macro: {m}" for m in re.findall(rf"\\(?:{MACROS})(?![A-Za-z])", CODE.sub("", text))]
    bare = CODE.sub("", text)
    for formula in MATHEMATICS.finditer(bare):
        if re.search(r"\w", bare[max(formula.start() - 1, 0) : formula.start()]) or re.match(
            r"\w", bare[formula.end() :]
        ):
            found.append(f"a formula beside a letter: {formula.group()}")
    if len(re.findall(r"\*\*Proof\.\*\*\s+Proof", text)):
        found.append("a proof that says so twice")
    followers = [*given.cells[1:], new_markdown_cell("")]
    for cell, follower in zip(given.cells, followers, strict=True):
        for picture in pictures(cell):
            if not re.match(r"\*\*Fig\. [\d.]+\*\* \S", follower.source):
                found.append(f"picture without caption: {cell.source[:60]}")
            if describe(picture) not in follower.source:
                found.append(f"picture without description: {cell.source[:60]}")
            if "image/png" not in picture.data:
                found.append(f"a picture that JupyterLab shows only if trusted: {cell.source[:60]}")
    return found


@pytest.mark.parametrize("page", WITH_CELLS)
def test_a_notebook_is_valid_and_resolved(page: str) -> None:
    nbformat.validate(notebook(page))
    assert not problems(notebook(page))


@pytest.mark.parametrize(
    ("cell", "told"),
    [
        (new_markdown_cell(":::{admonition} Title\ntext\n:::"), "directive"),
        (new_markdown_cell("```{prf:theorem} Title\ntext\n```"), "directive"),
        (new_markdown_cell("see {prf:ref}`lem-atoms`"), "role"),
        (new_markdown_cell("(lem-atoms)=\n# Title"), "label"),
        (new_markdown_cell("see Lemma %s"), "unresolved"),
        (new_markdown_cell(r"Here $\eps$ is"), "macro"),
        (new_markdown_cell("**Proof.** Proof. Let"), "twice"),
        (new_markdown_cell(r"At $b={}$0.39"), "beside a letter"),
        (
            new_code_cell("plot()", outputs=[new_output("display_data", {"image/png": "AAAA"})]),
            "without caption",
        ),
        (
            new_code_cell("plot()", outputs=[new_output("display_data", {"image/png": "AAAA"})]),
            "without description",
        ),
        (
            new_code_cell("p()", outputs=[new_output("display_data", {"image/svg+xml": "<svg/>"})]),
            "only if trusted",
        ),
    ],
)
def test_a_broken_notebook_is_found(cell: NotebookNode, told: str) -> None:
    assert not problems(new_notebook(cells=[new_markdown_cell(r"fine, $x_{\min}$ and `{a}`")]))
    assert told in " ".join(problems(new_notebook(cells=[cell])))


@pytest.mark.parametrize("page", WITH_CELLS)
def test_the_cells_are_those_of_the_page(page: str) -> None:
    """In their order; what is left out calls or imports ``glue``, or belongs to a hidden cell."""
    ours = [cell for cell in code_cells(notebook(page)) if "setup" not in tags(cell)]
    assert all("glue" not in cell.source for cell in ours)
    for cell in code_cells(read_page(ROOT / f"{page}.md")):
        lines = cell.source.splitlines()
        if ours and {*ours[0].source.splitlines()} <= {*lines} and tags(ours[0]) == tags(cell):
            kept = ours.pop(0).source.splitlines()
        else:
            assert "remove-cell" in tags(cell) or lines[0].startswith("glue("), cell.source
            continue
        left_out = "\n".join(line for line in lines if line.strip() and line not in kept)
        assert not left_out or "glue" in left_out or "remove-cell" in tags(cell), left_out
    assert not ours


@cache
def formulas(page: str) -> list[tuple[str, bool]]:
    """The formulas of a notebook, and whether each is displayed."""
    text = CODE.sub("", prose(notebook(page)))
    text = re.sub(r"^(> ?)+", "", text, flags=re.MULTILINE)
    found = [formula.group() for formula in MATHEMATICS.finditer(text)]
    return [(formula.strip("$"), formula.startswith("$$")) for formula in found]


@pytest.fixture(scope="module")
def katex() -> Iterator[Callable[[str, bool], str]]:
    """What sets a formula as VS Code and others do: KaTeX, which knows no macro of the book."""
    engine = MiniRacer()
    engine.eval((ROOT / "vendor" / "katex" / "katex.min.js").read_text(encoding="utf-8"))
    engine.eval(
        "const set = (tex, displayMode) => katex.renderToString(tex, {displayMode, strict: false})"
    )
    yield lambda tex, display: engine.call("set", tex, display)
    engine.close()


@pytest.fixture(scope="module")
def mathjax() -> Iterator[Callable[[str, bool], str]]:
    """What sets a formula as JupyterLab does: MathJax without a macro of the book."""
    typesetter = Typesetter({})
    yield typesetter.typeset
    typesetter.close()


@pytest.mark.parametrize("engine", ["katex", "mathjax"])
def test_every_formula_of_every_notebook_is_set(
    engine: str, request: pytest.FixtureRequest
) -> None:
    typeset = request.getfixturevalue(engine)
    wrong, seen = [], set()
    for path in sorted(EDITION.rglob("*.ipynb")):
        page = path.relative_to(EDITION).with_suffix("").as_posix()
        for tex, display in {*formulas(page)} - seen:
            seen.add((tex, display))
            try:
                typeset(tex, display)
            except (JSEvalException, ValueError) as error:
                wrong.append(f"{page}: {tex}: {str(error).splitlines()[0]}")
    assert not wrong, "\n".join(wrong)
    assert len(seen) > 2000 and {display for _, display in seen} == {True, False}
    with pytest.raises((JSEvalException, ValueError)):
        typeset(r"a\leD b", False)


def globals_of(table: symtable.SymbolTable) -> set[str]:
    """The names that a notebook reads, or a function of it reads from the notebook."""
    found = {
        symbol.get_name()
        for symbol in table.get_symbols()
        if symbol.is_referenced() and (symbol.is_global() or table.get_type() == "module")
    }
    return found.union(*map(globals_of, table.get_children()))


@pytest.mark.parametrize("page", WITH_CELLS)
def test_nothing_that_is_left_out_is_missed(page: str) -> None:
    """Every name that a notebook reads is bound in it."""
    code = "\n".join(cell.source for cell in code_cells(notebook(page)))
    table = symtable.symtable(code, page, "exec")
    symbols = [symbol for symbol in table.get_symbols() if symbol.is_assigned()]
    bound = {symbol.get_name() for symbol in symbols}
    bound |= {symbol.get_name() for symbol in table.get_symbols() if symbol.is_imported()}
    assert not globals_of(table) - bound - {*dir(builtins)}


def answering(cells: list[NotebookNode]) -> set[str]:
    """The cells that answer a prediction; what is said of it stands folded below them.

    Where a fold holds reasons alone, the cells that follow answer, and what they print is there.
    """
    found: set[str] = set()
    run: list[str] = []
    for cell in cells:
        if cell.cell_type == "code":
            run.append(cell.id)
            continue
        if "answer" in tags(cell):  # below the question itself where the fold holds reasons alone
            found |= {*run}
        run = []
    return found


@pytest.mark.parametrize("page", WITH_CELLS)
def test_what_a_checked_cell_printed_is_there_unless_the_reader_predicts_it(page: str) -> None:
    unseen = answering(notebook(page).cells)
    checked = [c for c in code_cells(notebook(page)) if "nbval-check-output" in tags(c)]
    for cell in code_cells(notebook(page)):
        if cell.id in unseen:
            assert not cell.outputs, cell.source
    assert all(c.outputs or "remove-cell" in tags(c) or c.id in unseen for c in checked)
    asked = (ROOT / f"{page}.md").read_text(encoding="utf-8").count("```{prediction}\n")
    assert bool(unseen) <= bool(asked)
    for cell in code_cells(notebook(page)):
        kinds = {mime for output in cell.outputs for mime in output.get("data", {})}
        assert not [mime for mime in kinds if mime.startswith("application/papermill")]


@pytest.mark.parametrize("page", WITH_CELLS)
def test_every_proof_has_a_cell_to_write_in(page: str) -> None:
    exercises = exercises_of((ROOT / f"{page}.md").read_text(encoding="utf-8"))
    cells = notebook(page).cells
    written = [number for number, cell in enumerate(cells) if "exercise-proof" in tags(cell)]
    asked = [options for options in exercises if "proof" in options.kind]
    assert [ExerciseOptions.from_metadata(cells[n].metadata) for n in written] == asked
    for number in written:
        assert "exercise" in tags(cells[number - 1]) and ", a proof.*" in cells[number - 1].source
        assert cells[number].source == WRITE_HERE


@pytest.mark.parametrize("page", WITH_CELLS)
def test_the_cells_of_an_exercise_carry_its_options(page: str) -> None:
    found: dict[ExerciseOptions, list[str]] = {}
    for cell in notebook(page).cells:
        for tag in [tag for tag in tags(cell) if tag.startswith("exercise")]:
            found.setdefault(ExerciseOptions.from_metadata(cell.metadata), []).append(tag)
    exercises = exercises_of((ROOT / f"{page}.md").read_text(encoding="utf-8"))
    assert [*found] == exercises
    for options, parts in found.items():
        proof = ["exercise-proof"] if "proof" in options.kind else []
        code = ["exercise-stub", "exercise-check"] if "code" in options.kind else []
        assert parts == ["exercise", *proof, *code], options.label


def headings(page: str) -> set[str]:
    """The anchors that JupyterLab gives to the headings of a notebook."""
    found = re.findall(r"^#+ (.*)$", CODE.sub("", prose(notebook(page))), re.MULTILINE)
    return {re.sub(r"[*\\]", "", heading).replace(" ", "-") for heading in found}


@pytest.mark.parametrize("path", sorted(EDITION.rglob("*.ipynb")), ids=lambda path: path.stem)
def test_links_lead_somewhere(path: Path) -> None:
    page = path.relative_to(EDITION).with_suffix("").as_posix()
    targets = LINK.findall(CODE.sub("", MATHEMATICS.sub("", prose(notebook(page)))))
    cells = notebook(page).cells
    attached = {file for cell in cells for file in cell.get("attachments", {})}
    broken = []
    for target in targets:
        if re.match(r"https?:", target):
            continue
        if target.startswith("attachment:"):
            broken += [target] * (target.partition(":")[2] not in attached)
            continue
        file, _, anchor = target.partition("#")
        there = (path.parent / file).resolve() if file else path
        if not there.is_file():
            broken.append(target)
        elif anchor:
            other = there.relative_to(EDITION.resolve()).with_suffix("").as_posix()
            if unquote(anchor) not in headings(other):
                broken.append(target)
    assert not broken


def test_the_download_of_a_page_is_this_edition() -> None:
    for page in WITH_CELLS:
        built = (PUBLIC / f"{page}.ipynb").read_bytes()
        assert built == (EDITION / f"{page}.ipynb").read_bytes(), page


def test_the_bundle_holds_all_and_no_solution() -> None:
    lines = solution_lines()
    with ZipFile(ROOT / ARCHIVE) as bundle:
        names = {name.partition("/")[2] for name in bundle.namelist()}
        assert names == {
            path.relative_to(EDITION).as_posix() for path in EDITION.rglob("*") if path.is_file()
        }
        needed = {f"{page}.ipynb" for page in WITH_CELLS}
        needed |= {"README.md", "DATA.md", "LICENSE", "LICENSE-text", "requirements.txt"}
        assert needed <= names
        wheels = [name for name in bundle.namelist() if name.endswith(".whl")]
        for name in bundle.namelist():
            if name.endswith(".ipynb"):
                code = "\n".join(
                    cell.source
                    for cell in nbformat.reads(bundle.read(name).decode(), as_version=4).cells
                )
                assert not [line for line in lines if line in code], name
            assert not re.search(r"/(instructors|solutions)/", name)
        held = []
        for wheel in sorted(wheels):
            with bundle.open(wheel) as file, ZipFile(file) as package:
                held.append([n for n in package.namelist() if ".dist-info/" not in n])
    package, checks, beside = held
    data = {name for name in package if name.endswith(".csv")}
    for name, wheel in (("pdpbook_exercises", checks), ("pdpbook_pages", beside)):
        modules = (ROOT / name).rglob("*.py")
        assert {*wheel} == {path.relative_to(ROOT).as_posix() for path in modules}
        assert not [each for each in package if each.startswith(name)]
    committed = {p.relative_to(ROOT).as_posix() for p in (ROOT / "pdpbook").rglob("*.csv")}
    assert data == committed


def test_the_requirements_are_pinned_and_enough() -> None:
    _, package, beside, checks, *lines = (EDITION / "requirements.txt").read_text().splitlines()
    assert package.endswith("[all]") and (EDITION / package.removesuffix("[all]")).is_file()
    assert (EDITION / beside).is_file() and (EDITION / checks).is_file()
    pins = [re.sub(r"\[.*\]", "", line) for line in lines]
    assert {*pins} < {*(ROOT / "requirements.txt").read_text().splitlines()}
    names = {pin.split("==")[0] for pin in pins}
    assert {"numpy", "numba", "matplotlib", "jupyterlab", "ipykernel"} <= names
    assert not {"jupyter-book", "Sphinx", "myst-nb", "nbval", "playwright"} & names


def run_install_cell(folder: Path, prepare: str = "") -> subprocess.CompletedProcess[str]:
    """Run the first code of a notebook where pdpbook cannot be found."""
    program = (
        "import importlib.util\nimportlib.util.find_spec = lambda name: None\n" + prepare + INSTALL
    )
    return subprocess.run(
        [sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=False
    )


def test_the_first_code_is_short_and_does_nothing_where_the_package_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It stands below the title, folded, and needs no network."""
    for page in WITH_CELLS:
        title, second, *_ = notebook(page).cells
        assert title.cell_type == "markdown" and title.source.startswith("# ")
        if code_cells(notebook(page)):
            assert second.source == INSTALL.strip() and second.metadata.jupyter.source_hidden
    assert len(INSTALL.splitlines()) <= 15
    monkeypatch.setattr(subprocess, "call", lambda command: pytest.fail(f"runs {command}"))
    exec(INSTALL, {})


def test_the_first_cell_without_bundle_says_what_to_do(tmp_path: Path) -> None:
    done = run_install_cell(tmp_path)
    assert "Unpack the student bundle" in done.stderr.splitlines()[-1]


def write_wheel(folder: Path, name: str) -> None:
    """Write a wheel of a package that, with all extras, needs one that is nowhere."""
    with ZipFile(folder / f"{name}-9-py3-none-any.whl", "w") as wheel:
        about = f"Metadata-Version: 2.1\nName: {name}\nVersion: 9\nProvides-Extra: all\n"
        about += "Requires-Dist: pdpbook-nowhere; extra == 'all'\n"
        wheel.writestr(f"{name}-9.dist-info/METADATA", about)
        wheel.writestr(f"{name}-9.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        wheel.writestr(f"{name}-9.dist-info/RECORD", "")


def test_the_first_cell_wants_all_wheels(tmp_path: Path) -> None:
    for name in ("pdpbook", "pdpbook_exercises"):
        write_wheel(tmp_path, name)
        done = run_install_cell(tmp_path)
        assert "Unpack the student bundle" in done.stderr.splitlines()[-1]


def test_the_first_cell_without_network_says_so(tmp_path: Path) -> None:
    """Pip is told to look nowhere, and the wheel of the bundle needs a package that is nowhere."""
    folder = tmp_path / "book" / "part"
    folder.mkdir(parents=True)
    for name in ("pdpbook", "pdpbook_pages", "pdpbook_exercises"):
        write_wheel(tmp_path, name)
    done = run_install_cell(folder, "import os\nos.environ['PIP_NO_INDEX'] = '1'\n")
    assert "It needs a network: is there one?" in done.stderr.splitlines()[-1]
    assert "pdpbook-nowhere" in done.stderr


def test_a_figure_with_sliders_needs_no_other_file(browser: Browser) -> None:
    figures = sorted((EDITION / "explorables").glob("*.html"))
    assert {path.stem for path in figures} == {
        name for page in pages(ROOT) for name in SLIDERS.findall((ROOT / f"{page}.md").read_text())
    }
    tab = browser.new_page(viewport={"width": 900, "height": 700})
    problems: list[str] = []
    tab.on("pageerror", lambda error: problems.append(str(error)))
    tab.on("request", lambda request: problems.append(request.url))
    for path in figures:
        tab.goto(path.as_uri())
        tab.wait_for_selector(".explorable-body svg")
        assert tab.locator(".explorable-controls input").count() > 0, path.name
    tab.close()
    assert problems == [path.as_uri() for path in figures]
