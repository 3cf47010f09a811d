"""Every blank exercise fails its check without raising; every solution asserts that it passes.

nbval executes the pages with the solutions, and with them what they assert.
"""

import ast
import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pytest
import yaml
from bs4 import BeautifulSoup
from myst_nb.core.read import read_myst_markdown_notebook
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_output

from book._ext.exercises import exercises_of, read_options, solution_markdown
from tests.tools.notebooks import ROOT, code_cells, notebook_pages, read_page, tags
from tests.tools.small_book import HEAD, build

SOLUTIONS = ROOT / "book" / "solutions"
BLOCK = re.compile(r"^(`{3,}|:{3,})\{exercise\}(.*?)^\1$", re.MULTILINE | re.DOTALL)
CHECK = re.compile(r"""check\(\s*["']([^"']+)["']""")
PYTHON = re.compile(r"^````python\n(.*?)^````$", re.MULTILINE | re.DOTALL)
PAGES = [page for page in notebook_pages() if not page.is_relative_to(SOLUTIONS)]
CHAPTERS = [page for page in PAGES if "exercise-check" in page.read_text(encoding="utf-8")]


def name(page: Path) -> str:
    """Part and chapter."""
    return str(page.relative_to(ROOT / "book").with_suffix(""))


def solution_page(chapter: Path) -> Path:
    """The page with the solutions to a chapter."""
    return SOLUTIONS / chapter.relative_to(ROOT / "book")


every_chapter = pytest.mark.parametrize("page", CHAPTERS, ids=name)


@pytest.fixture(autouse=True)
def settings_given_back(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Draw figures to memory and forget them; undo what a page sets for its whole process."""
    pyplot = importlib.import_module("matplotlib.pyplot")
    with matplotlib.rc_context(), np.printoptions():
        pyplot.switch_backend("Agg")
        monkeypatch.setattr(pyplot, "show", lambda *args, **kwargs: pyplot.close("all"))
        yield
        pyplot.close("all")


def verdicts(page: Path, cells: list[Any], monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Execute code cells of a page, and return what the cells with a check show."""
    monkeypatch.chdir(page.parent)
    namespace: dict[str, Any] = {"__name__": "__main__"}
    found = []
    for cell in cells:
        tree = ast.parse(cell.source)
        last = tree.body.pop() if "exercise-check" in tags(cell) else None
        exec(compile(tree, str(page), "exec"), namespace)
        if isinstance(last, ast.Expr):
            found.append(eval(compile(ast.Expression(last.value), str(page), "eval"), namespace))
    return found


@every_chapter
@pytest.mark.filterwarnings("default")
def test_a_blank_exercise_never_passes(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exercises need the setup cell of their page and nothing else of it."""
    setup, *others = code_cells(read_page(page))
    exercises = [c for c in others if {"exercise-stub", "exercise-check"} & set(tags(c))]
    shown = verdicts(page, [setup, *exercises], monkeypatch)
    assert len(shown) == sum("exercise-check" in tags(cell) for cell in exercises)
    assert not [each for each in shown if each is None or each]


def before_their_checks(page: Path, tag: str) -> dict[str, str]:
    """For each exercise of a page, the code under a tag that comes just before its check."""
    code, found = "", {}
    for cell in code_cells(read_page(page)):
        if tag in tags(cell):
            code = ast.unparse(ast.parse(cell.source))
        found |= dict.fromkeys(CHECK.findall(cell.source), code)
    return found


@every_chapter
def test_every_stub_has_its_solution_and_the_assertion_that_it_passes(page: Path) -> None:
    stubs = before_their_checks(page, "exercise-stub")
    solutions = before_their_checks(solution_page(page), "exercise-solution")
    assert stubs.keys() == solutions.keys()
    assert not [each for each in stubs if not stubs[each] or stubs[each] == solutions[each]]
    text = solution_page(page).read_text(encoding="utf-8")
    asserted = re.findall(r"""assert check\(\s*["']([^"']+)["']""", text)
    assert {*asserted} == solutions.keys()


@every_chapter
def test_every_exercise_has_options_and_one_name(page: Path) -> None:
    """Its label is ``ex-<chapter>-<name>`` where its check is ``check("<chapter>/<name>")``."""
    text = page.read_text(encoding="utf-8")
    starts = [found.start() for found in BLOCK.finditer(text)]
    found = exercises_of(text)
    assert len(starts) == len({options.label for options in found}) == len(found)
    for options, start, end in zip(found, starts, [*starts[1:], len(text)], strict=True):
        checks = {f"ex-{each.replace('/', '-')}" for each in CHECK.findall(text[start:end])}
        assert checks <= {options.label} and options.label.startswith(f"ex-{page.stem}-")
    purposes = [options.purpose for options in found]
    assert purposes.count("practice") >= 2, "a chapter has two exercises to practise with"
    assert "assignment" in purposes or len(purposes) < 3, "of three, one is handed in"


def read_in_a_course() -> list[Path]:
    """The chapters of the path and of what follows it."""
    contents = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    read = ("Foundations", "Per-instance privacy", "The game", "Audit")
    chapters = [part["chapters"] for part in contents["parts"] if part["caption"] in read]
    return [ROOT / f"{each['file']}.md" for part in chapters for each in part]


@pytest.mark.parametrize("page", read_in_a_course(), ids=name)
def test_a_chapter_of_a_course_has_a_core_assignment_with_a_check(page: Path) -> None:
    found = exercises_of(page.read_text(encoding="utf-8"))
    core = [each for each in found if (each.level, each.purpose) == ("core", "assignment")]
    assert [each for each in core if "code" in each.kind]


def test_about_half_of_the_exercises_are_for_practice() -> None:
    found = [each for page in CHAPTERS for each in exercises_of(page.read_text(encoding="utf-8"))]
    practice = sum(options.purpose == "practice" for options in found)
    assert 0.4 <= practice / len(found) <= 0.6, f"{practice} of {len(found)}"


@every_chapter
def test_what_readers_see_of_a_solution_passes_in_the_chapter(
    page: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The code of each practice solution needs the first cell of the chapter and nothing else."""
    setup, *others = code_cells(read_page(page))
    checks = {f"ex-{each.replace('/', '-')}": c for c in others for each in CHECK.findall(c.source)}
    for options in exercises_of(page.read_text(encoding="utf-8")):
        if options.purpose == "practice" and "code" in options.kind:
            text = solution_markdown(read_page(solution_page(page)), options.label)
            code = [new_code_cell(block) for block in PYTHON.findall(text)]
            [verdict] = verdicts(page, [setup, *code, checks[options.label]], monkeypatch)
            assert verdict, f"{options.label}: {verdict}"


@every_chapter
def test_a_proof_has_a_list_for_its_marker_and_a_place_on_the_sheet(page: Path) -> None:
    """What the sheet has no cell for gets no points, and nobody reads it."""
    text, asked = page.read_text(encoding="utf-8"), 0
    prose = re.compile(r"\b(prove|show|derive|argue|explain|justify|say why)\b", re.IGNORECASE)
    for block in BLOCK.finditer(text):
        [options] = exercises_of(block[0])
        asked += "proof" in options.kind
        has_place = options.purpose == "practice" or "proof" in options.kind
        assert has_place or not prose.search(block[0]), options.label
    solved = solution_page(page).read_text(encoding="utf-8")
    assert solved.count("**What to look for.**") == asked


def test_every_solutions_page_belongs_to_a_chapter() -> None:
    pages = {page for page in notebook_pages() if page.is_relative_to(SOLUTIONS)}
    assert pages == {solution_page(page) for page in CHAPTERS}


# The extension ----------------------------------------------------------------------------------

GIVEN = {"label": "ex-a", "level": "warm-up", "minutes": "5", "kind": "code", "for": "practice"}


@pytest.mark.parametrize(
    ("name", "wrong"),
    [("label", ""), ("level", "Core"), ("minutes", "0"), ("kind", "essay"), ("for", "fun")],
)
def test_a_wrong_option_is_named_with_its_value(name: str, wrong: str) -> None:
    assert read_options(GIVEN).line == "Warm-up, 5 minutes."
    assert read_options(GIVEN | {"kind": "code, proof"}).line == "Warm-up, 5 minutes, a proof."
    with pytest.raises(ValueError, match=f"^:{name}: of an exercise must .*, got '{wrong}'$"):
        read_options(GIVEN | {name: wrong})


SOLVED = """# Solutions

## First

[The exercise](#ex-a-first). Because *this*.

```{code-cell} ipython3
:tags: [exercise-solution]
f = abs
```

```{code-cell} ipython3
check = print
assert check("a/first", f) is None
print(f(-1))
```

**What to look for.** A reason.
"""
CHAPTER = f"""{HEAD}# A chapter

```{{exercise}} Twice
:label: ex-a-first
:level: core
:minutes: 5
:kind: code
:for: practice

Do it.
```

```{{code-cell}} ipython3
:tags: [exercise-stub]
1 + 1
```

The text goes on.
"""


def test_a_page_whose_part_cannot_be_shown_is_refused() -> None:
    page: NotebookNode = read_myst_markdown_notebook(HEAD + SOLVED)
    with pytest.raises(ValueError, match=r"\[The exercise\]\(#ex-a-second\) on .*, got 0$"):
        solution_markdown(page, "ex-a-second")
    page.cells[-2].outputs = [new_output("display_data", {"image/png": "AAAA"})]
    with pytest.raises(ValueError, match="shows more than text"):
        solution_markdown(page, "ex-a-first")


def test_a_solution_is_executed_and_folded_below_the_cells_and_a_wrong_one_is_refused(
    tmp_path: Path,
) -> None:
    pages = {"page": "# First\n", "book/a": CHAPTER, "book/solutions/a": HEAD + SOLVED}
    done = build(tmp_path, **pages)
    assert done.returncode == 0, done.stderr
    html = (tmp_path / "_build" / "html" / "book" / "a.html").read_text(encoding="utf-8")
    article = BeautifulSoup(html, "html.parser").select_one("article.bd-article")
    [fold] = article.select("details#ex-a-first-solution")
    assert "Core, 5 minutes." in article.get_text()
    assert "tag_exercise-stub" in fold.find_previous_sibling("div")["class"]
    assert fold.find_next_sibling("p").get_text() == "The text goes on."
    [*code, output] = [block.get_text().strip() for block in fold.select("pre")]
    assert code == ["f = abs", "check = print\nprint(f(-1))"] and output.endswith("\n1")
    assert "What your proof should contain. A reason." in fold.get_text()
    done = build(tmp_path, **pages | {"book/solutions/a": HEAD + SOLVED.replace("abs", "ups")})
    assert done.returncode != 0 and "book/solutions/a.md fails:" in done.stderr
    assert "name 'ups' is not defined" in done.stderr
