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
from myst_nb.core.read import read_myst_markdown_notebook as myst
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_output

from book._ext.pages.exercise_options import PURPOSES, ExerciseOptions, exercises_of, read_options
from book._ext.pages.practice_solutions import solution_markdown, with_imports, without_assertion
from pdpbook_exercises import checking
from tests.tools.answers import answers_of_all
from tests.tools.notebooks import ROOT, code_cells, notebook_pages, read_page, tags

SOLUTIONS = ROOT / "book" / "solutions"
EXERCISE = re.compile(r"^[`:]{3,}\{exercise\}(.*?)$", re.MULTILINE)
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


@pytest.fixture(autouse=True)
def settings_given_back(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Draw figures to memory and forget them; undo what a page sets for its whole process."""
    pyplot = importlib.import_module("matplotlib.pyplot")
    with matplotlib.rc_context(), np.printoptions():
        pyplot.switch_backend("Agg")
        monkeypatch.setattr(pyplot, "show", lambda *args, **kwargs: pyplot.close("all"))
        yield
        pyplot.close("all")


def run(
    page: Path, cells: list[Any], tag: str, monkeypatch: pytest.MonkeyPatch
) -> list[tuple[str, Any]]:
    """Execute code cells of a page; return code and last value of those with the tag."""
    monkeypatch.chdir(page.parent)
    namespace: dict[str, Any] = {"__name__": "__main__"}
    results = []
    for number, cell in enumerate(cells):
        tree = ast.parse(cell.source, filename=f"{page}, code cell {number}")
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, f"{page}, code cell {number}", "exec"), namespace)
        value = None
        if last is not None:
            value = eval(
                compile(ast.Expression(last.value), f"{page}, {number}", "eval"), namespace
            )
        if tag in tags(cell):
            results.append((cell.source, value))
    return results


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("page", CHAPTERS, ids=name)
def test_a_blank_exercise_never_passes(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exercises need the setup cell of their page and nothing else of it."""
    setup, *others = code_cells(read_page(page))
    exercises = [c for c in others if {"exercise-stub", "exercise-check"} & set(tags(c))]
    for source, verdict in run(page, [setup, *exercises], "exercise-check", monkeypatch):
        assert CHECK.search(source), f"not a check: {source}"
        assert verdict is not None, f"the verdict is not shown: {source}"
        assert not verdict, f"passes without an answer: {source}"


def named(page: Path, tag: str) -> dict[str, str]:
    """For each exercise of a page, the code under a tag that comes just before its check."""
    code, found = "", {}
    for cell in code_cells(read_page(page)):
        if tag in tags(cell):
            code = cell.source
        for exercise in CHECK.findall(cell.source):
            found[exercise] = code
    return found


def unparsed(code: str) -> str:
    """Code without comments and layout."""
    return ast.unparse(ast.parse(code))


@pytest.mark.parametrize("page", CHAPTERS, ids=name)
def test_exercises_stubs_checks_and_solutions_agree(page: Path) -> None:
    stubs = named(page, "exercise-stub")
    solutions = named(solution_page(page), "exercise-solution")
    tried = {each for each in answers_of_all() if each.startswith(f"{page.stem}/")}
    checked = {each for each in checking.CHECKS if each.startswith(f"{page.stem}/")}
    places = [name(page), f"solutions/{name(page)}", "the checks", "the answers"]
    missing = [
        f"{place}: {what} of {exercise} is missing"
        for place, found, what in zip(
            places,
            (stubs, solutions, checked, tried),
            (
                "a check in a cell after its stub",
                "the solution with its assertion",
                "the check",
                "the entry of ANSWERS",
            ),
            strict=True,
        )
        for exercise in sorted({*stubs, *solutions, *checked, *tried} - {*found})
    ]
    assert not missing, "\n".join(["", *missing])
    for exercise, stub in stubs.items():
        assert stub and solutions[exercise], f"{exercise}: no stub or no solution"
        assert unparsed(stub) != unparsed(solutions[exercise]), f"{exercise} is not solved"
    text = solution_page(page).read_text(encoding="utf-8")
    for exercise in solutions:
        asserted = re.compile(rf"""assert check\(\s*["']{re.escape(exercise)}["']""")
        assert asserted.search(text), f"{exercise}: the solution is not asserted"


@pytest.mark.parametrize("page", CHAPTERS, ids=name)
def test_every_exercise_has_its_options(page: Path) -> None:
    """And a chapter has two or more to practise with; of three or more, some are handed in."""
    text = page.read_text(encoding="utf-8")
    titles, found = EXERCISE.findall(text), exercises_of(text)
    assert len(titles) == len(found) == len({options.label for options in found})
    assert not [title for title in titles if "(open)" in title], "the level says it"
    purposes = [options.purpose for options in found]
    assert {*purposes} <= {*PURPOSES}
    assert purposes.count("practice") >= 2, purposes
    assert "assignment" in purposes or len(purposes) < 3, purposes


READ = ("Foundations", "Per-instance privacy", "The game", "Audit")  #: the path, and what follows


def read_in_a_course() -> list[Path]:
    """The chapters of these parts."""
    contents = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    parts = {part["caption"]: part["chapters"] for part in contents["parts"]}
    return [ROOT / f"{each['file']}.md" for caption in READ for each in parts[caption]]


@pytest.mark.parametrize("page", read_in_a_course(), ids=name)
def test_a_chapter_of_a_course_has_a_core_assignment_with_a_check(page: Path) -> None:
    """Without one there is no sheet of the page, or one of hard exercises only."""
    found = exercises_of(page.read_text(encoding="utf-8"))
    core = [each for each in found if (each.level, each.purpose) == ("core", "assignment")]
    assert [each for each in core if "code" in each.kind], (
        f"{page.relative_to(ROOT)} has no exercise of level core with a check that is handed in"
    )


LABEL = re.compile(r"^:label: (\S+)$", re.MULTILINE)


@pytest.mark.parametrize("page", CHAPTERS, ids=name)
def test_an_exercise_has_one_name(page: Path) -> None:
    """Its label is ``ex-<chapter>-<name>`` where its check is ``check("<chapter>/<name>")``."""
    text = page.read_text(encoding="utf-8")
    starts = [found.start() for found in EXERCISE.finditer(text)]
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        found = LABEL.search(text, start, end)
        assert found
        label, line = found[1], text.count("\n", 0, found.start()) + 1
        names = {*CHECK.findall(text[start:end])}
        wanted = [f"ex-{each.replace('/', '-')}" for each in names]
        asked = wanted == [label] if wanted else label.startswith(f"ex-{page.stem}-")
        said = wanted[0] if wanted else f"ex-{page.stem}-…"
        assert asked, f"{name(page)}.md:{line}: write :label: {said}, not {label}"


def test_about_half_of_the_exercises_are_for_practice() -> None:
    found = [each for page in CHAPTERS for each in exercises_of(page.read_text(encoding="utf-8"))]
    practice = sum(options.purpose == "practice" for options in found)
    assert 0.4 <= practice / len(found) <= 0.6, f"{practice} of {len(found)}"


@pytest.mark.parametrize("page", CHAPTERS, ids=name)
def test_what_readers_see_of_a_solution_passes_in_the_chapter(
    page: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The code of each practice solution needs the first cell of the chapter and nothing else."""
    setup, *others = code_cells(read_page(page))
    checks = {check: c for c in others for check in CHECK.findall(c.source)}
    solved = read_page(solution_page(page))
    found = named(solution_page(page), "exercise-solution")
    shown = 0
    for options in exercises_of(page.read_text(encoding="utf-8")):
        if options.purpose != "practice" or "code" not in options.kind:
            continue
        text = solution_markdown(solved, options.label, setup.source)
        assert "assert check(" not in text and "[The exercise]" not in text
        code = [new_code_cell(block) for block in PYTHON.findall(text)]
        [exercise] = [e for e, c in found.items() if any(c in cell.source for cell in code)]
        cells = [setup, *code, checks[exercise]]
        [(_, verdict)] = run(page, cells, "exercise-check", monkeypatch)
        assert verdict, f"{exercise}: {verdict}"
        shown += 1
    assert shown


@pytest.mark.parametrize("page", CHAPTERS, ids=name)
def test_every_proof_has_a_list_for_its_marker(page: Path) -> None:
    exercises = exercises_of(page.read_text(encoding="utf-8"))
    asked = sum("proof" in options.kind for options in exercises)
    solved = solution_page(page).read_text(encoding="utf-8")
    assert solved.count("**What to look for.**") == asked


#: what a statement says that asks for reasoning in words
ASKS_FOR_PROSE = re.compile(r"\b(prove|show|derive|argue|explain|justify|say why)\b", re.IGNORECASE)
#: assignments that say one of these words and ask for no prose, and why
NO_PROSE: dict[str, str] = {}
STATEMENT = re.compile(r"^(`{3,}|:{3,})\{exercise\}.*?^\1$", re.MULTILINE | re.DOTALL)


def without_a_place(page: Path) -> list[str]:
    """The assignments of a page whose text asks for prose and whose sheet has no cell for it."""
    text = page.read_text(encoding="utf-8")
    blocks = [found[0] for found in STATEMENT.finditer(text)]
    assert len(blocks) == len(exercises_of(text))
    found = []
    for block in blocks:
        [options] = exercises_of(block)
        handed_in = options.purpose == "assignment" and "proof" not in options.kind
        found += [options.label] if handed_in and ASKS_FOR_PROSE.search(block) else []
    return found


def test_an_assignment_that_asks_for_prose_has_a_place_for_it() -> None:
    """What the sheet has no cell for gets no points, and nobody reads it."""
    found = [label for page in CHAPTERS for label in without_a_place(page)]
    assert found == [*NO_PROSE]


def test_an_assignment_without_a_place_for_its_prose_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    head = ":label: ex-a\n:level: core\n:minutes: 5\n:kind: KIND\n:for: FOR\n\n"
    for kind, purpose, body, found in (
        ("code", "assignment", "Derive it from the theorem.", ["ex-a"]),
        ("code", "assignment", "Then explain why.", ["ex-a"]),
        ("code", "assignment", "What explains the difference?", []),
        ("code, proof", "assignment", "Derive it from the theorem.", []),
        ("code", "practice", "Derive it from the theorem.", []),
    ):
        text = head.replace("KIND", kind).replace("FOR", purpose) + body
        for fence in ("```", ":::::"):
            page.write_text(f"{fence}{{exercise}} One\n{text}\n{fence}\n", encoding="utf-8")
            assert without_a_place(page) == found


def test_every_solutions_page_belongs_to_a_chapter() -> None:
    pages = {page for page in notebook_pages() if page.is_relative_to(SOLUTIONS)}
    assert pages == {solution_page(page) for page in CHAPTERS}


def test_options_come_back_from_the_metadata_of_a_cell() -> None:
    given = {"label": "ex-a", "level": "warm-up", "minutes": "15", "for": "practice"}
    for kind, line in (("code", "15 minutes."), ("code, proof", "15 minutes, a proof.")):
        options = read_options(given | {"kind": kind})
        assert options.line == f"Warm-up, {line}"
        assert ExerciseOptions.from_metadata(options.metadata()) == options


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("label", ""),
        ("level", "Core"),
        ("minutes", "0"),
        ("minutes", "10.5"),
        ("kind", "essay"),
        ("kind", "code, code"),
        ("for", "fun"),
    ],
)
def test_a_wrong_option_is_named_with_its_value(name: str, wrong: str) -> None:
    given = {"label": "a", "level": "core", "minutes": "5", "kind": "code", "for": "practice"}
    assert read_options(given).line == "Core, 5 minutes."
    with pytest.raises(ValueError, match=f"^:{name}: of an exercise must .*, got '{wrong}'$"):
        read_options(given | {name: wrong})


# What a chapter shows of a solution -------------------------------------------------------------

SOLVED = """\
# Solutions

## First

[The exercise](#ex-a-first). Because *this*.

```{code-cell} ipython3
:tags: [exercise-solution]
f = exp
```

```{code-cell} ipython3
assert check("a/first", f)
print(f(log(1)))
```

**What to look for.** A reason.

## Second

[The exercise](#ex-a-second). Because that.
"""
FRONT = "---\nkernelspec: {name: python3}\n---\n"
SETUP = "```{code-cell} ipython3\nfrom math import exp, log, pi\n```\n\n"


def solved(text: str = SOLVED) -> NotebookNode:
    """A page of solutions; its last cell has printed something."""
    page = myst(FRONT + text.replace("## First", SETUP + "## First"))
    cells = code_cells(page)
    if len(cells) > 2:
        cells[2].outputs = [new_output("stream", name="stdout", text="1.0\n")]
    return page


def test_a_solution_becomes_markdown_without_what_only_its_page_needs() -> None:
    assert solution_markdown(solved(), "ex-a-first", "from math import log") == (
        "Because *this*.\n\n"
        "````python\nfrom math import exp\n\n\nf = exp\n\n\nprint(f(log(1)))\n````\n\n"
        "The output is\n\n````text\n1.0\n````\n\n"
        "**What your proof should hold.** A reason."
    )
    assert solution_markdown(solved(), "ex-a-second") == "Because that."


def test_a_solution_that_cannot_be_shown_is_refused() -> None:
    with pytest.raises(ValueError, match=r"\[The exercise\]\(#ex-a-third\) on .*, got 0$"):
        solution_markdown(solved(), "ex-a-third")
    page = solved()
    code_cells(page)[2].outputs = [new_output("display_data", {"image/png": "AAAA"})]
    with pytest.raises(ValueError, match="shows more than text"):
        solution_markdown(page, "ex-a-first")


def test_imports_are_joined_and_assertions_are_left_out() -> None:
    page = (
        "import numpy as np\nfrom math import exp, log\nfrom math import pi\nimport pdpbook as pb"
    )
    assert with_imports("np.exp(pi) + exp(1)", {"pb"}, page) == (
        "import numpy as np\nfrom math import exp, pi\n\n\nnp.exp(pi) + exp(1)"
    )
    assert with_imports("pb.f()", {"pb"}, page) == "pb.f()"
    assert without_assertion('assert check(\n    "a", b\n)\nb(2)  # twice') == "b(2)  # twice"
    assert without_assertion("assert b(2) == 4") == "assert b(2) == 4"
