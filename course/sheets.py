"""A sheet: the assignments of one page of the book, to hand out and to grade.

An exercise is meant for practice, with its solution on the page, or as an assignment.  A sheet
holds the assignments of its page alone.

An exercise of the book needs the first cell of its page and nothing else of it.  So a sheet holds
that cell and then, for each assignment, what is asked, a cell to write a proof in if one is asked
for, the stub, and the check.  It is made from the page's notebook of the notebook edition, and it
carries the metadata of nbgrader: the stub is a solution cell under the exercise's name, the check
an automatically graded cell, the proof a manually graded one.  What an exercise asks for, and its
level, stand in the metadata of its cells (``book/_ext/pages/exercise_options.py``).

The source of a sheet, which stays with the instructor, has a solution behind every stub and a
rubric in every place for words, in regions that nbgrader takes out of the release.  An exercise is
worth a point for every five minutes that it takes; where it asks for a proof and for code, each of
them is worth half, and the proof has the odd point.  A question beside the code has a place for its
answer and one of the points.  The level of an exercise changes no points.  Exercises of the level
*open* have no single answer and are for credit: a sheet has them only if the instructor asks for
them.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from book._ext.edition.reader_code import WRITE_HERE
from book._ext.execution.execution_cache import read_page
from book._ext.pages.exercise_options import ExerciseOptions

__all__ = [
    "USUAL",
    "SheetError",
    "answers",
    "assigned",
    "grade_id",
    "key_of",
    "leaks",
    "make_sheet",
    "points",
    "purposes",
    "worth",
]

HEAD = 3  #: lines of a statement with its title and its level
QUESTION = re.compile(r"\w[^.]*\?(?=[\s)”]|$)")
WORDS = {"code": "the code", "proof": "the proof", "words": "the answer in words"}
MINUTES = 5  #: of work that a point stands for
USUAL = ("warm-up", "core", "challenge")  #: levels that a sheet has where nobody says others
LINK = re.compile(r"(?<!\\)\[([^\[\]]*)\]\((?!https?:)[^()\s]+\)")
INSTALL, SETUP = "install", "setup"  # the cells before the first exercise
#: tags of the cells of an exercise, as the notebook edition gives them
STATEMENT, PROOF, STUB, CHECK = "exercise", "exercise-proof", "exercise-stub", "exercise-check"
Cells = list[NotebookNode]
Exercise = tuple[ExerciseOptions, dict[str, NotebookNode]]  # with its cells by tag
Exercises = list[Exercise]
INSTANCE = "mine = own("  #: in a stub, what gives a student an instance
OTHER = "other level"  #: of an assignment that is not on a sheet
BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"  # as nbgrader expects them
SHORTEST = 16  #: characters of a line that tells something of a solution
ABOUT = """\
# Exercises: {title}

This sheet holds the exercises of a chapter of *Per-instance differential privacy* that you hand in
and that are graded.{practice}

Run the two cells below first. Then replace the dots in an exercise and run its check. It tells you
what still fails; your points are decided later, on other numbers where an exercise has
some.{personal}
You may add cells. Do not delete or rename any, and leave the checks as they are.

The line under an exercise says what its points are for. Where it asks for a proof, or asks a
question besides the code, there is a cell to answer in; cells that you add below it count as well,
and so does a picture of your handwriting in PNG or JPEG. What an exercise asks beside a proof
belongs to the proof."""

PERSONAL = """
Where `me` stands above the dots, write the name under which you hand in: your answer is judged by
the instance that belongs to this name."""

CREDIT = """ The exercises of the level *Open* are not on this
sheet."""

PRACTICE = """ Its other exercises are for practice: do them in the chapter, where each has its
solution below it."""


class SheetError(ValueError):
    """A page from which no sheet can be made."""


def tags(cell: NotebookNode) -> list[str]:
    """Return the tags of a cell."""
    return list(cell.metadata.get("tags", []))


def grade_id(cell: NotebookNode) -> str:
    """Return the name under which nbgrader knows a cell; nothing if it does not."""
    nbgrader = cell.metadata.get("nbgrader")
    return str(nbgrader.get("grade_id", "")) if isinstance(nbgrader, dict) else ""


def points(cell: NotebookNode) -> float:
    """Return what a cell of a sheet is worth."""
    nbgrader = cell.metadata.get("nbgrader", {})
    return float(nbgrader["points"]) if nbgrader.get("grade") else 0.0


def checked(source: str) -> tuple[str, str]:
    """Return the exercise that a check cell checks, and the variable with the answer.

    Examples
    --------
    >>> checked('check("why-noise/flips", flips)')
    ('why-noise/flips', 'flips')
    """
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "check":
            name, answer = node.args[:2]
            if isinstance(name, ast.Constant) and isinstance(answer, ast.Name):
                return str(name.value), answer.id
    raise SheetError(f"this is no check of a variable: {source}")


def answers(sheet: NotebookNode) -> dict[str, tuple[str, str]]:
    """Return, for each check cell of a sheet by its id, the exercise and the variable."""
    return {
        grade_id(cell): checked(cell.source)
        for cell in sheet.cells
        if cell.cell_type == "code" and points(cell)
    }


def key_of(page: Path, wanted: Collection[str]) -> dict[str, str]:
    """Return the solutions of some exercises, from a page of solutions.

    The first one begins with the imports of the page.  Those from ``pdpbook_exercises`` come
    after it: an isolated submission cannot have them, and what stands before must not fail.

    Parameters
    ----------
    page : Path
        The page of solutions.
    wanted : collection of str
        Names of exercises, as their checks have them.
    """
    notebook = read_page(page)
    setup, *cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    late: list[str] = []
    early: list[str] = []
    for statement in ast.parse(setup.source).body:
        module = getattr(statement, "module", None) or ""
        where = late if module.startswith("pdpbook_exercises") else early
        where.append(ast.unparse(statement))
    key: dict[str, str] = {}
    code = ""
    for cell in cells:
        if "exercise-solution" in tags(cell):
            code = cell.source
        elif "assert check(" in cell.source:
            name, _ = checked(cell.source)
            if name in wanted:
                key[name] = code if key else "\n".join([*early, code, *late])
    return key


def leaks(release: NotebookNode, source: NotebookNode) -> list[str]:
    """Return the lines of solutions that stand in a release; there should be none."""
    shown = {line.strip() for cell in release.cells for line in cell.source.splitlines()}
    # a rubric may repeat a formula of its statement
    asked = {
        line.strip(" >")
        for cell in source.cells
        if cell.cell_type == "markdown" and not grade_id(cell)
        for line in cell.source.splitlines()
    }
    found = []
    for cell in source.cells:
        before, _, solution = cell.source.partition(BEGIN)
        public = {line.strip() for line in before.splitlines()} | asked
        for line in map(str.strip, solution.splitlines()):
            if len(line) >= SHORTEST and line in shown - public and not line.startswith("###"):
                if not line.startswith(("import ", "from ")):
                    found.append(line)
    return found


def _nbgrader(name: str, kind: str, **others: Any) -> dict[str, Any]:
    """Return metadata of nbgrader for a cell."""
    base = {"grade": False, "solution": False, "locked": False, "task": False}
    return {
        "nbgrader": base | {"grade_id": name, "schema_version": 3, "cell_type": kind} | others,
    }


def _options(cell: NotebookNode, page: str) -> ExerciseOptions:
    """Return the options of the exercise that a cell belongs to."""
    try:
        return ExerciseOptions.from_metadata(cell.metadata)
    except ValueError as error:
        raise SheetError(f"{page}: {error}, in the cell {cell.source[:80]!r}") from None


def purposes(notebook: NotebookNode, page: str, levels: Collection[str] = USUAL) -> Counter[str]:
    """Return how many exercises of a page are for practice, assignments, or of other levels."""
    return Counter(
        options.purpose if options.purpose == "practice" or options.level in levels else OTHER
        for options, _ in _exercises(notebook, page)
    )


def assigned(notebook: NotebookNode, page: str, levels: Collection[str] = USUAL) -> list[str]:
    """Return the names of the exercises with code that a page assigns, as their checks have them.

    Parameters
    ----------
    notebook : NotebookNode
        The page, as the notebook edition has it.
    page : str
        Its name, for messages.
    levels : collection of str
        Of the exercises that are wanted.

    Raises
    ------
    SheetError
        If a part of an exercise is missing.
    """
    found = _assignments(notebook, page, levels)
    return [checked(cells[CHECK].source)[0] for _, cells in found if CHECK in cells]


def _assignments(notebook: NotebookNode, page: str, levels: Collection[str]) -> Exercises:
    """Return the exercises of a page that are handed in, with their cells by tag."""
    return [
        (options, cells)
        for options, cells in _exercises(notebook, page)
        if options.purpose == "assignment" and options.level in levels
    ]


def _exercises(notebook: NotebookNode, page: str) -> Iterator[Exercise]:
    """Yield the exercises of a page with their cells by tag; what is asked for must be there."""
    found: dict[ExerciseOptions, dict[str, NotebookNode]] = {}
    for cell in notebook.cells:
        for tag in {STATEMENT, PROOF, STUB, CHECK} & {*tags(cell)}:
            found.setdefault(_options(cell, page), {})[tag] = cell
    for options, cells in found.items():
        needed = [STATEMENT, *([PROOF] if "proof" in options.kind else [])]
        needed += [STUB, CHECK] if "code" in options.kind else []
        if missing := [tag for tag in needed if tag not in cells]:
            raise SheetError(f"{page}: {options.label} lacks a cell with the tag {missing[0]}")
        yield options, cells


def worth(options: ExerciseOptions, *, asks: bool = False) -> dict[str, int]:
    """Return the points for each kind of thing that an exercise asks for.

    Parameters
    ----------
    options : ExerciseOptions
        Of the exercise.
    asks : bool
        Whether it asks a question, too, which is answered in words.

    Examples
    --------
    >>> worth(ExerciseOptions("ex-a", "core", 25, ("code", "proof"), "assignment"))
    {'code': 2, 'proof': 3}
    >>> worth(ExerciseOptions("ex-b", "warm-up", 10, ("code",), "assignment"))
    {'code': 2}
    >>> worth(ExerciseOptions("ex-c", "core", 20, ("code",), "assignment"), asks=True)
    {'code': 3, 'words': 1}
    """
    total = -(-options.minutes // MINUTES)
    if len(options.kind) == 2:
        total = max(total, 2)
        return {"code": total // 2, "proof": total - total // 2}
    if asks and options.kind == ("code",):
        return {"code": max(total - 1, 1), "words": 1}
    return {options.kind[0]: total}


def asks(statement: str) -> bool:
    r"""Whether a statement asks a question below its title, besides what the code answers.

    Examples
    --------
    >>> asks("> **Exercise 1** (How many?)\n>\n> *Core.*\n>\n> Count. Why is it so many?")
    True
    >>> asks("> **Exercise 1** (How many?)\n>\n> *Core.*\n>\n> See [this](#4.-Why%3F-how?).")
    False
    """
    text = LINK.sub(r"\1", "\n".join(statement.splitlines()[HEAD:]))
    return QUESTION.search(text) is not None


def _points(count: int) -> str:
    return f"{count} point{'' if count == 1 else 's'}"


def _statement(cell: NotebookNode, worth: dict[str, int]) -> NotebookNode:
    """Return what is asked, with its points, and without links to pages that are not here."""
    line = " and ".join(f"{_points(count)} for {WORDS[kind]}" for kind, count in worth.items())
    text = LINK.sub(r"\1", cell.source) + f"\n>\n> *{line}.*"
    # an answer that is typed into it would be easy to overlook
    return new_markdown_cell(text, metadata={"editable": False, "deletable": False})


def _written(name: str, kind: str, worth: int, rubric: str) -> NotebookNode:
    """Return a cell to write a proof or an answer in words in, which is marked by hand."""
    metadata = _nbgrader(f"{name}-{kind}", "markdown", grade=True, solution=True, points=worth)
    source = f"{BEGIN}\n{rubric}\n{END}" if rubric else WRITE_HERE
    return new_markdown_cell(source, metadata=metadata)


def _code(stub: NotebookNode, check: NotebookNode, name: str, worth: int, solution: str) -> Cells:
    """Return a stub with the solution behind it, and the check."""
    solved = "\n".join([stub.source, BEGIN, solution, END])
    graded = _nbgrader(f"{name}-check", "code", grade=True, locked=True, points=worth)
    return [
        new_code_cell(solved, metadata=_nbgrader(name, "code", solution=True)),
        new_code_cell(check.source, metadata=graded),
    ]


def make_sheet(
    notebook: NotebookNode,
    key: dict[str, str],
    page: str,
    levels: Collection[str] = USUAL,
    rubrics: Mapping[str, str] | None = None,
) -> NotebookNode:
    """Return the source of a sheet.

    Parameters
    ----------
    notebook : NotebookNode
        The page, as the notebook edition has it.
    key : mapping from str to str
        The solution of each exercise, as :func:`key_of` returns it.
    page : str
        Name of the page, for messages.
    levels : collection of str
        Of the exercises that the sheet has.
    rubrics : mapping from str to str, optional
        What to look for in an answer in words, by the label of its exercise
        (:mod:`course.rubrics`).

    Returns
    -------
    NotebookNode
        The assignments with their solutions and rubrics, which nbgrader takes out.

    Raises
    ------
    SheetError
        If the page has no exercise or no assignment, or a part of one is missing.
    """
    exercises = _assignments(notebook, page, levels)
    counts = purposes(notebook, page, levels)
    if not counts:
        raise SheetError(f"{page} has no exercises")
    if not exercises and counts[OTHER]:
        others = [each for each, _ in _exercises(notebook, page) if each.purpose == "assignment"]
        wanted = " ".join(dict.fromkeys(each.level for each in others))
        raise SheetError(
            f"{page} has no assignment of the levels {', '.join(levels)}: say LEVELS={wanted!r}"
        )
    if not exercises:
        raise SheetError(f"{page} has no assignment: all of its exercises are for practice")
    install, setup = [cell for cell in notebook.cells if cell.cell_type == "code"][:2]
    if "setup" not in tags(install):
        raise SheetError(f"{page}: the first cell does not install the package")
    practice = PRACTICE if counts["practice"] else ""
    practice += CREDIT if counts[OTHER] else ""
    stubs = [parts[STUB].source for _, parts in exercises if STUB in parts]
    personal = PERSONAL if any(INSTANCE in stub for stub in stubs) else ""
    about = ABOUT.format(title=notebook.metadata["title"], practice=practice, personal=personal)
    cells = [new_markdown_cell(about)]
    for name, cell in ((INSTALL, install), (SETUP, setup)):
        metadata = dict(cell.metadata) | _nbgrader(name, "code", locked=True)
        cells.append(new_code_cell(cell.source, metadata=metadata))
    for options, parts in exercises:
        question = asks(parts[STATEMENT].source)
        given, name = worth(options, asks=question), options.label.removeprefix("ex-")
        if "code" in given:
            exercise, _ = checked(parts[CHECK].source)
            if exercise not in key:
                raise SheetError(f"{page}: {exercise} has no solution")
            name = exercise.partition("/")[2]
        cells.append(_statement(parts[STATEMENT], given))
        for kind in {"proof", "words"} & given.keys():
            cells.append(_written(name, kind, given[kind], (rubrics or {}).get(options.label, "")))
        if "code" in given:
            cells += _code(parts[STUB], parts[CHECK], name, given["code"], key[exercise])
    for number, cell in enumerate(cells):
        cell.id = f"cell-{number}"
    metadata = {name: notebook.metadata[name] for name in ("kernelspec", "language_info")}
    return new_notebook(cells=cells, metadata=metadata)
