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

from book._ext.pages.exercise_options import PURPOSES, ExerciseOptions, exercises_of, read_options
from tests.tools.notebooks import ROOT, code_cells, notebook_pages, read_page, tags

SOLUTIONS = ROOT / "book" / "solutions"
EXERCISE = re.compile(r"^[`:]{3,}\{exercise\}(.*?)$", re.MULTILINE)
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
    module = importlib.import_module(f"pdpbook_exercises.{page.stem.replace('-', '_')}")
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
def test_every_exercise_has_its_options(page: Path) -> None:
    """And a chapter has some to practise with, two if it can, and some to hand in."""
    text = page.read_text(encoding="utf-8")
    titles, found = EXERCISE.findall(text), exercises_of(text)
    assert len(titles) == len(found) == len({options.label for options in found})
    assert not [title for title in titles if "(open)" in title], "the level says it"
    purposes = [options.purpose for options in found]
    enough = 2 if len(purposes) >= 4 else 1
    assert all(purposes.count(purpose) >= enough for purpose in PURPOSES), purposes
    assert purposes.count("practice") >= 2 or len(purposes) < 3, purposes


@pytest.mark.parametrize("page", CHAPTERS, ids=name)
def test_every_proof_has_a_list_for_its_marker(page: Path) -> None:
    exercises = exercises_of(page.read_text(encoding="utf-8"))
    asked = sum("proof" in options.kind for options in exercises)
    solved = solution_page(page).read_text(encoding="utf-8")
    assert solved.count("**What to look for.**") == asked


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
