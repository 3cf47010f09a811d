"""The solution of a practice exercise, folded under it.

A solution is written once, on the page of solutions of its chapter, ``book/solutions/…``, where the
instructor's book executes it and asserts that it passes.  Below, the part of that page about one
exercise becomes Markdown for the chapter: the reasoning as it stands, the code as text, and under
it what it has printed when the page of solutions was executed.  The chapter executes none of it.

What only a marker or the page of solutions needs is changed on the way: the link to the exercise
and the assertion that the check passes are left out, the imports that the chapter does not have
come to the code that needs them, and the list for markers is offered to the reader.

The functions need no Sphinx run.  ``exercise_directive`` puts the Markdown into a
:class:`solution`, and at the end that node is moved below the cells of its exercise.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

from docutils import nodes
from nbformat import NotebookNode
from sphinx.application import Sphinx

__all__ = ["solution", "solution_markdown", "solution_page"]

SUMMARY = "Solution"
CELLS = {"exercise-stub", "exercise-check"}  # tags of the cells of an exercise
SECTION = re.compile(r"^## .*$", re.MULTILINE)
LINK = r"\[The exercise\]\(#{label}\)\.?[ \n]*"
OUTPUT = "The output is"  # JupyterLab leaves no space between two blocks of code
MARKER, READER = "**What to look for.**", "**What your proof should hold.**"


class solution(nodes.General, nodes.Element):
    """The solution of an exercise; ``exercise`` is the label of that."""


def solution_page(root: Path, docname: str) -> Path | None:
    """Return the page with the solutions of a chapter, or nothing if there is none."""
    page = root / "book" / "solutions" / f"{docname.removeprefix('book/')}.md"
    return page if docname.startswith("book/") and page.is_file() else None


def sections(notebook: NotebookNode) -> list[list[NotebookNode | str]]:
    """Return what follows each heading of a page of solutions: texts, and cells of code."""
    found: list[list[NotebookNode | str]] = [[]]
    for cell in notebook.cells:
        if cell.cell_type == "code":
            found[-1].append(cell)
            continue
        first, *rest = SECTION.split(cell.source)
        found[-1].append(first)
        found += [[text] for text in rest]
    return found[1:]


def imported(code: str) -> dict[str, ast.Import | ast.ImportFrom]:
    """Return the statement that imports each name, and no other, that a code imports."""
    found: dict[str, ast.Import | ast.ImportFrom] = {}
    for statement in ast.parse(code).body:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            for alias in statement.names:
                alone: ast.Import | ast.ImportFrom = ast.Import([alias])
                if isinstance(statement, ast.ImportFrom):
                    alone = ast.ImportFrom(statement.module, [alias], statement.level)
                found[alias.asname or alias.name.partition(".")[0]] = alone
    return found


def with_imports(code: str, known: set[str], page: str) -> str:
    """Return code that begins with what it has to import.

    Parameters
    ----------
    code : str
        Of a cell.
    known : set of str
        Names that are imported already.
    page : str
        The cell with the imports of the page that the code is from.

    Examples
    --------
    >>> print(with_imports("x = exp(log(2))", {"log"}, "from math import exp, log, pi"))
    from math import exp
    <BLANKLINE>
    <BLANKLINE>
    x = exp(log(2))
    """
    used = {node.id for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name)}
    lines: dict[str, ast.Import | ast.ImportFrom] = {}
    for name, statement in imported(page).items():
        if name in used - known:
            source = statement.module or "" if isinstance(statement, ast.ImportFrom) else name
            lines.setdefault(source, statement)
            if lines[source] is not statement:
                lines[source].names += statement.names
    imports = "\n".join(map(ast.unparse, lines.values()))
    return f"{imports}\n\n\n{code}" if imports else code


def without_assertion(code: str) -> str:
    """Return code without the statements that assert that a check passes."""
    lines = code.splitlines()
    for statement in reversed(ast.parse(code).body):
        if isinstance(statement, ast.Assert) and ast.unparse(statement.test).startswith("check("):
            del lines[statement.lineno - 1 : statement.end_lineno]
    return "\n".join(lines).strip("\n")


def fenced(text: str, language: str) -> str:
    """Return a text as a block of its own."""
    return f"````{language}\n{text.rstrip()}\n````"


def printed(cell: NotebookNode) -> str:
    """Return what a cell has written, and the value of its last line.

    Raises
    ------
    ValueError
        If it shows something else, a figure for example.
    """
    texts = []
    for output in cell.outputs:
        data = output.get("data", {})
        if output.output_type not in {"stream", "execute_result"} or {*data} - {"text/plain"}:
            raise ValueError(f"the cell {cell.source[:60]!r} shows more than text")
        texts.append(str(output.get("text", data.get("text/plain"))).rstrip())
    return "\n".join(texts)


def solution_markdown(executed: NotebookNode, label: str, setup: str = "") -> str:
    """Return the solution of an exercise as Markdown.

    Parameters
    ----------
    executed : NotebookNode
        The page of solutions, executed.
    label : str
        Of the exercise.
    setup : str, optional
        The first cell of the chapter.

    Raises
    ------
    ValueError
        If the page has not one section that begins with a link to the exercise, or a cell of it
        shows more than text.
    """
    link = re.compile(LINK.format(label=re.escape(label)))
    found = [
        part for part in sections(executed) if isinstance(part[0], str) and link.search(part[0])
    ]
    if len(found) != 1:
        raise ValueError(
            f"a practice exercise needs one section that begins with [The exercise](#{label}) on "
            f"the page of solutions, got {len(found)}"
        )
    page = next((cell.source for cell in executed.cells if cell.cell_type == "code"), "")
    known = {*imported(setup)}
    blocks: list[str] = []
    codes: list[str] = []  # of cells that have printed nothing, so that the next one joins them

    def end_code() -> None:
        if codes:
            blocks.append(fenced("\n\n\n".join(codes), "python"))
            codes.clear()

    for part in found[0]:
        if isinstance(part, str):
            if text := link.sub("", part, count=1).replace(MARKER, READER).strip():
                end_code()
                blocks.append(text)
        elif code := without_assertion(part.source):
            codes.append(with_imports(code, known, page))
            known |= {*imported(codes[-1])}
            if output := printed(part):
                end_code()
                blocks += [OUTPUT, fenced(output, "text")]
    end_code()
    return "\n\n".join(blocks)


def move_below_cells(app: Sphinx, doctree: nodes.document) -> None:
    """Put each solution below the cells of its exercise."""
    for node in [*doctree.findall(solution)]:
        parent = node.parent
        place = parent.index(node)
        del parent[place]
        while place < len(parent) and CELLS & {*_tags(parent[place])}:
            place += 1
        parent.insert(place, node)


def _tags(node: nodes.Node) -> list[str]:
    """Return the tags of a cell; a node that is none has none."""
    return node.get("cell_metadata", {}).get("tags", []) if isinstance(node, nodes.Element) else []


def visit_solution(writer: Any, node: nodes.Element) -> None:
    """Open the fold, which is closed until a reader asks for it."""
    name = f"{node['exercise']}-solution"
    writer.body.append(f'<details class="solution" id="{name}"><summary>{SUMMARY}</summary>')


def depart_solution(writer: Any, node: nodes.Element) -> None:
    """Close the fold."""
    writer.body.append("</details>")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.add_node(solution, html=(visit_solution, depart_solution))
    app.connect("doctree-read", move_below_cells)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
