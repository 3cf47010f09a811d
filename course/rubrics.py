"""What a marker looks for in an answer in words, beside which it stands while it is marked.

The solution of an exercise says it, as prose, for a proof under the words *What to look for*, and
for each of them under *Common mistakes*.
The source of a sheet holds both in the cell for the answer, in a region that nbgrader takes out of
the release, so a lecturer can edit them there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from nbformat import NotebookNode

from course.sheets import BEGIN, END, grade_id, points

__all__ = ["plain_markdown", "rubric_in", "rubrics_of", "written_questions"]

LOOK = "**What to look for.**"
MISTAKES = "**Common mistakes.**"
ANSWER = "**The answer.**"
CODE = re.compile(r"^(`{3,})\{code-cell\}.*?^\1\s*?$", re.MULTILINE | re.DOTALL)
LINKED = re.compile(r"^\[The exercise\]\(#(?P<label>[\w-]+)\)\.\s*", re.MULTILINE)
LINK = re.compile(r"\[([^\[\]]*)\]\(#[^()\s]+\)")
ROLE = re.compile(r"\{(?P<role>[a-z:]+)\}`(?:(?P<text>[^`<>]+?) ?<[^`<>]+>|(?P<label>[^`<>]+))`")
#: a theorem, a definition, … with its title and its label
TITLED = re.compile(r"^`{3,}\{prf:\w+\} ?(?P<title>[^\n]*)\n:label: (?P<label>\S+)", re.MULTILINE)
NAMED = {"eq": "the equation", "numref": "the figure"}  #: what a label stands for, by its role


@cache
def _titles(book: Path) -> dict[str, str]:
    """Return the titles of the results of the book by their labels."""
    return {
        found["label"]: found["title"]
        for page in sorted(book.glob("*/*.md"))
        for found in TITLED.finditer(page.read_text(encoding="utf-8"))
        if found["title"]
    }


def plain_markdown(text: str, titles: Mapping[str, str]) -> str:
    r"""Return Markdown without the roles, links and cells that only the book knows.

    Parameters
    ----------
    text : str
        As it stands in a page of the book.
    titles : mapping from str to str
        Of theorems and the like, by their labels.

    Examples
    --------
    >>> titles = {"thm-a": "Post-processing"}
    >>> plain_markdown("By {prf:ref}`thm-a` and {eq}`eq-b-c`, see [this](#that).", titles)
    'By *Post-processing* and the equation *b-c*, see this.'
    """

    def said(found: re.Match[str]) -> str:
        if found["text"]:
            return found["text"]
        words = found["label"].partition("-")[2] or found["label"]
        title = f"*{titles.get(found['label'], words)}*"
        return f"{NAMED[found['role']]} {title}" if found["role"] in NAMED else title

    text = ROLE.sub(said, CODE.sub("", text))
    return re.sub(r"\n{3,}", "\n\n", LINK.sub(r"\1", text)).strip()


def rubrics_of(page: Path, book: Path) -> dict[str, str]:
    """Return what to look for in the answers to the exercises of a page, by their labels.

    What to look for stands first, with the common mistakes, the answer itself below it.

    Parameters
    ----------
    page : Path
        The page of solutions.
    book : Path
        The folder of the pages, whose results have titles.
    """
    rubrics = {}
    for section in re.split(r"^## .*$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        if found := LINKED.search(section):
            text = plain_markdown(LINKED.sub("", section), _titles(book))
            answer, look, points_of_it = text.partition(LOOK if LOOK in text else MISTAKES)
            answer, look = answer.strip(), f"{look}\n{points_of_it.strip()}".strip()
            rubrics[found["label"]] = f"{look}\n\n{ANSWER}\n{answer}" if look else answer
    return rubrics


def rubric_in(cell: NotebookNode) -> str:
    """Return the rubric that a cell of a sheet's source holds; nothing without one."""
    _, begun, rest = cell.source.partition(BEGIN)
    return rest.partition(END)[0].strip() if begun else ""


def written_questions(sheet: NotebookNode) -> Iterator[tuple[NotebookNode, NotebookNode | None]]:
    """Yield the cells of a sheet for answers in words, each with the statement above it."""
    statement = None
    for cell in sheet.cells:
        if cell.cell_type != "markdown":
            continue
        if not grade_id(cell):
            statement = cell
        elif points(cell) and cell.metadata.nbgrader.solution:
            yield cell, statement
