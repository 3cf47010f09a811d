"""The notebooks and the student bundle: how prose is written, and what readers find in them."""

import re
import subprocess
import sys
from functools import cache
from urllib.parse import unquote
from zipfile import ZipFile

import nbformat
import pytest
from bs4 import BeautifulSoup, SoupStrainer
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_output
from playwright.sync_api import Browser

from book._ext.page_cache import executed_page, read_page
from tests.tools.notebooks import CHECKED, ROOT, code_cells, tags
from tools import execute
from tools.bundle import ARCHIVE, HTML, NOTEBOOKS
from tools.notebooks import INSTALL, NBVAL, Reading, pages
from tools.page_markdown import JOINER, MACROS, PageMarkdown

PAGES = [page for page in pages() if page in execute.pages()]
CODE = re.compile(r"```.*?```|`[^`\n]+`", re.DOTALL)
FORMULA = re.compile(r"\$\$.*?\$\$|(?<!\\)\$[^$]*(?<!\\)\$", re.DOTALL)
#: What a reader would see of markup that was not read.
RAW = re.compile(
    r"\{[\w:-]+\}`|:::|^`{3,}\{|\?\?|\\[A-Za-z(\[]|<(?!/?(?:details|summary)\b)[a-z/!]",
    re.MULTILINE,
)


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (r"<p>At <span class='math'>\(\eps\)</span>s</p>", rf"At $\varepsilon${JOINER}s"),
        (
            r"<span class='math'>\(e^\eps \le\data_n\)</span>",
            r"$e^{\varepsilon} \le{\mathcal{D}}_n$",
        ),
        (r"<div class='math'><span class='eqno'>(1.2)</span>\[a\]</div>", r"$$a \tag{1.2}$$"),
        ("<p>2 * 3 < $5, a_b _c</p>", r"2 \* 3 &lt; \$5, a_b \_c"),
        (
            "<div class='proof theorem admonition'><p class='admonition-title'>"
            "<span class='caption-number'>Theorem 1 </span> (One)</p><p>It is.</p></div>",
            "***\n\n**Theorem 1** (One)\n\nIt is.\n\n***",
        ),
        ("<div class='proof admonition'><p>Proof. It is.</p></div>", "**Proof.** It is. ∎"),
        ("<aside class='sidebar'><p>A</p><p>B</p></aside>", "> A\n>\n> B"),
        ("<p><a href='../b/two.html#x'>two</a></p>", "[two](../b/two.ipynb#2.1.-Again)"),
        ("<p><a href='../reference/x.html'>x</a></p>", "x"),
    ],
)
def test_html_becomes_markdown_that_needs_no_extension(html: str, expected: str) -> None:
    known = {"b/two": {"x": "2.1.-Again"}}
    assert PageMarkdown("a/one", known).write(BeautifulSoup(html, "html.parser")) == expected


def test_what_answers_a_prediction_waits_for_the_reader() -> None:
    """Below all cells that answer stands a fold with all that the page says of them."""
    html = """<article><div class="prediction admonition"><p>Which?</p></div>
    <details class="prediction-answer"><p>Right: one.</p>
    <div class="cell"><div class="cell_input"></div><img alt="A line"></div><p>It is.</p></details>
    <div class="cell"><div class="cell_input"></div></div></article>"""
    article = BeautifulSoup(html, "html.parser").article
    outputs = [
        new_output("stream", text="1"),
        new_output("display_data", metadata={"scrapbook": 1}),
    ]
    code = [new_code_cell(f"cell {number}", outputs=outputs) for number in range(4)]
    code[0].metadata.tags = code[3].metadata.tags = ["remove-cell"]
    reading = Reading(article, code, PageMarkdown("page", {}), ROOT)
    assert [cell.source.splitlines()[-1] for cell in reading.cells] == [
        "> *Choose one before you go on.*", "cell 0", "cell 1", "</details>", "cell 2", "cell 3"
    ]  # fmt: skip
    assert reading.answers == [reading.cells[2]]
    assert re.search("Right: one.*A line.*It is.", reading.cells[3].source, re.DOTALL)
    assert len(reading.cells[4].outputs) == 1, "no value for the prose"


@cache
def notebook(page: str) -> NotebookNode:
    """The notebook of a page, which must be valid."""
    path = NOTEBOOKS / f"{page}.ipynb"
    assert path.is_file(), "make book"
    found = nbformat.read(path, as_version=4)
    nbformat.validate(found)
    return found


def prose(page: str) -> str:
    """What a reader reads of a notebook, without code."""
    cells = notebook(page).cells
    return CODE.sub("", "\n\n".join(c.source for c in cells if c.cell_type == "markdown"))


@pytest.mark.parametrize("page", pages())
def test_a_notebook_shows_no_markup(page: str) -> None:
    assert not RAW.findall(FORMULA.sub("", prose(page)))
    assert not re.findall(rf"\\(?:{'|'.join(MACROS)})(?![A-Za-z])", prose(page))
    for formula in FORMULA.finditer(prose(page)):
        around = prose(page)[max(formula.start() - 1, 0)], prose(page)[formula.end() :][:1]
        assert not re.search(r"\w", "".join(around)), f"VS Code shows {formula[0]} as it is"


@pytest.mark.parametrize("page", pages())
def test_links_and_pictures_of_a_notebook_are_there(page: str) -> None:
    attached = {name for cell in notebook(page).cells for name in cell.get("attachments", {})}
    for target in re.findall(r"(?<!\\)\]\(([^()\s]+)\)", FORMULA.sub("", prose(page))):
        path, _, anchor = target.partition("#")
        if target.startswith("attachment:"):
            assert target.partition(":")[2] in attached
        elif not re.match("https?:", target):
            file = (NOTEBOOKS / page).parent / path if path else NOTEBOOKS / f"{page}.ipynb"
            assert file.is_file(), target
            there = file.resolve().relative_to(NOTEBOOKS).with_suffix("").as_posix()
            if anchor:
                titles = re.findall(r"^#+ (.*)$", prose(there), re.MULTILINE)
                plain = {re.sub(r"[*\\]", "", title).replace(" ", "-") for title in titles}
                assert unquote(anchor) in plain, target


@pytest.mark.parametrize("page", PAGES)
def test_a_notebook_has_the_cells_of_its_page_and_their_outputs(page: str) -> None:
    """Those of predictions are not there, and all are where nbval compares them."""
    install, *cells = code_cells(notebook(page))
    assert install.source == INSTALL and notebook(page).cells[1] == install
    assert [c.source for c in cells] == [
        c.source for c in code_cells(read_page(ROOT / f"{page}.md"))
    ]
    whole = code_cells(nbformat.read(NBVAL / f"{page}.ipynb", as_version=4))[1:]
    assert [(c.source, tags(c)) for c in cells] == [(c.source, tags(c)) for c in whole]
    withheld = [c for c, there in zip(cells, whole, strict=True) if there.outputs != c.outputs]
    assert not any(c.outputs or c.execution_count for c in withheld)
    asked = (ROOT / f"{page}.md").read_text(encoding="utf-8").count("```{prediction}\n")
    answered = [c for c in notebook(page).cells if "answer" in tags(c)]
    assert len(answered) == asked and bool(withheld) <= bool(asked)


@pytest.mark.parametrize("page", execute.pages())
def test_nbval_compares_every_checked_cell(page: str) -> None:
    """It skips one without outputs or number."""
    compared = [
        cell
        for cell in code_cells(nbformat.read(NBVAL / f"{page}.ipynb", as_version=4))
        if CHECKED in tags(cell) and cell.outputs and cell.execution_count
    ]
    checked = [cell for cell in code_cells(executed_page(page)) if CHECKED in tags(cell)]
    assert [cell.source for cell in compared] == [cell.source for cell in checked] != []


def test_the_download_of_a_page_is_its_notebook() -> None:
    header = SoupStrainer(class_="article-header-buttons")
    for page in pages():
        text = (HTML / f"{page}.html").read_text(encoding="utf-8")
        html = BeautifulSoup(text, "html.parser", parse_only=header)
        links = [link["href"] for link in html.select("a[href$='.ipynb']")]
        assert links == [f"{page.rpartition('/')[2]}.ipynb"] * (page in PAGES)
        built = (HTML / f"{page}.ipynb").read_bytes()
        assert built == (NOTEBOOKS / f"{page}.ipynb").read_bytes()


def test_the_bundle_holds_all_that_the_notebooks_need_and_no_solution() -> None:
    with ZipFile(ARCHIVE) as packed:
        names = {name.partition("/")[2] for name in packed.namelist() if not name.endswith("/")}
    files = [path for path in NOTEBOOKS.rglob("*") if path.is_file()]
    assert names == {path.relative_to(NOTEBOOKS).as_posix() for path in files}
    assert {f"{page}.ipynb" for page in pages()} == {n for n in names if n.endswith(".ipynb")}
    assert {"README.md", "DATA.md", "LICENSE", "LICENSE-text", "requirements.txt"} < names
    assert not [name for name in names if re.search("instructors|solutions", name)]
    wanted = (NOTEBOOKS / "requirements.txt").read_text(encoding="utf-8")
    assert {*re.findall(r"^\./([^[\n]+)", wanted, re.MULTILINE)} == {
        name for name in names if name.endswith(".whl")
    }


def test_a_figure_with_sliders_needs_no_other_file(browser: Browser) -> None:
    figures = sorted((NOTEBOOKS / "explorables").glob("*.html"))
    scripts = (ROOT / "book" / "_static" / "explorables").glob("*.js")
    assert {path.stem for path in figures} == {path.stem for path in scripts} - {"explorable"}
    tab = browser.new_page(viewport={"width": 900, "height": 700})
    problems: list[str] = []
    tab.on("pageerror", lambda error: problems.append(str(error)))
    tab.on("request", lambda request: problems.append(request.url))
    for path in figures:
        tab.goto(path.as_uri())
        tab.wait_for_selector(".explorable-body svg")
    tab.close()
    assert problems == [path.as_uri() for path in figures]


def test_the_first_cell_says_what_to_do_where_the_packages_are_missing(tmp_path) -> None:
    program = f"import importlib.util\nimportlib.util.find_spec = lambda name: None\n{INSTALL}"
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "Unpack the student bundle" in done.stderr.splitlines()[-1]


def test_the_arithmetic_of_nbval_is_that_of_an_old_processor() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    settings = dict(re.findall(r"\b((?:OPENBLAS|NPY)_\w+)=(\S+)", makefile))
    program = "import numpy as np, threadpoolctl\n"
    program += "print(np.show_config(mode='dicts')['SIMD Extensions'].get('found', []),"
    program += "{each['num_threads'] for each in threadpoolctl.threadpool_info()})"
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, env=settings, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[] {1}"
