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

from tests.tools.notebooks import ROOT, code_cells, notebook_pages, read_page, tags

SOLUTIONS = ROOT / "book" / "solutions"
LEVEL = re.compile(r"\*(Warm-up|Core|Challenge|Open), [1-9]\d* minutes(, a proof)?\.\*")
EXERCISE = re.compile(r"^```\{exercise\}(.*?)^```", re.MULTILINE | re.DOTALL)
CHECK = re.compile(r"""check\(\s*["']([^"']+)["']""")
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
    module = importlib.import_module(f"pdpbook.exercises.{page.stem.replace('-', '_')}")
    assert set(stubs) == {f"{page.stem}/{title}" for title in module.EXERCISES}
    assert set(solutions) == set(stubs)
    for exercise, stub in stubs.items():
        assert stub and solutions[exercise], f"{exercise}: no stub or no solution"
        assert unparsed(stub) != unparsed(solutions[exercise]), f"{exercise} is not solved"
    text = solution_page(page).read_text(encoding="utf-8")
    for exercise in solutions:
        asserted = re.compile(rf"""assert check\(\s*["']{re.escape(exercise)}["']""")
        assert asserted.search(text), f"{exercise}: the solution is not asserted"


@pytest.mark.parametrize("page", CHAPTERS, ids=name)
def test_every_exercise_has_a_level_and_minutes(page: Path) -> None:
    found = EXERCISE.findall(page.read_text(encoding="utf-8"))
    assert found
    for exercise in found:
        title, _, body = exercise.partition("\n")
        first = next(line for line in body.split("\n") if line and not line.startswith(":"))
        assert LEVEL.fullmatch(first), f"{title.strip()}: {first!r} says no level and minutes"
        assert "(open)" not in title, f"{title.strip()}: the level says it"


@pytest.mark.parametrize("page", CHAPTERS, ids=name)
def test_every_proof_has_a_list_for_its_marker(page: Path) -> None:
    asked = page.read_text(encoding="utf-8").count(" minutes, a proof.*\n")
    solved = solution_page(page).read_text(encoding="utf-8")
    assert solved.count("**What to look for.**") == asked


def test_every_solutions_page_belongs_to_a_chapter() -> None:
    pages = {page for page in notebook_pages() if page.is_relative_to(SOLUTIONS)}
    assert pages == {solution_page(page) for page in CHAPTERS}
