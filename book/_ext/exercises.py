"""Exercises with a level, minutes, a kind and a purpose, and solutions of practice exercises.

The author writes these as options of the directive of sphinx-exercise::

    ```{exercise} The order of the bounds
    :label: ex-theorem-one-order
    :level: core
    :minutes: 35
    :kind: code, proof
    :for: practice

    Prove that …
    ```

The page shows them as "Core, 35 minutes, a proof.", and ``course`` adds up the minutes.

A solution is written once, on the page of solutions of its chapter, ``book/solutions/…``, where the
instructor's book executes it and asserts that it passes.  Its section begins with a link to the
exercise.  If the exercise is for practice, the chapter shows the section folded below the cells of
the exercise: the reasoning, the code as text, and the output of this code on the page of solutions.
The outputs are in myst-nb's cache of that page.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives
from docutils.statemachine import StringList
from nbformat import NotebookNode
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx_exercise.directive import ExerciseDirective

from book._ext.page_cache import cached_page, execute_page

LEVELS = ("warm-up", "core", "challenge", "open")
PURPOSES = ("practice", "assignment")
KINDS = ("code", "proof", "code, proof")
ALLOWED = {"level": LEVELS, "kind": KINDS, "for": PURPOSES}

OPENING = re.compile(r"^(?:`{3,}|:{3,})\{exercise\}[^\n]*\n((?::[\w-]+:[^\n]*\n)*)", re.MULTILINE)
OPTION = re.compile(r"^:([\w-]+):[ \t]*([^\n]*?)[ \t]*$", re.MULTILINE)

CELLS = {"exercise-stub", "exercise-check"}  #: tags of the cells of an exercise
SECTION = re.compile(r"^## .*$", re.MULTILINE)
FENCED = "````{}\n{}\n````"
TO_MARKER, TO_READER = "**What to look for.**", "**What your proof should contain.**"


@dataclass(frozen=True)
class ExerciseOptions:
    """The options of one exercise; ``purpose`` is practice or assignment."""

    label: str
    level: str
    minutes: int
    kind: str
    purpose: str

    @property
    def line(self) -> str:
        """The line under the title."""
        proof = ", a proof" if "proof" in self.kind else ""
        return f"{self.level.capitalize()}, {self.minutes} minutes{proof}."


def read_options(options: Mapping[str, str]) -> ExerciseOptions:
    """Return the options of an exercise, or raise a ValueError that explains their error."""
    for name, allowed in ALLOWED.items():
        if (given := options.get(name, "")) not in allowed:
            known = "; ".join(allowed)
            raise ValueError(f":{name}: of an exercise must be one of {known}, got {given!r}")
    label, minutes = options.get("label", ""), options.get("minutes", "")
    if not label:
        raise ValueError(":label: of an exercise must be its name, got ''")
    if not re.fullmatch(r"[1-9]\d*", minutes):
        raise ValueError(f":minutes: of an exercise must be a whole number > 0, got {minutes!r}")
    level, kind, purpose = (options[name] for name in ALLOWED)
    return ExerciseOptions(label, level, int(minutes), kind, purpose)


def exercises_of(text: str) -> list[ExerciseOptions]:
    """Return the exercises in the source of a page, in order."""
    return [read_options(dict(OPTION.findall(head))) for head in OPENING.findall(text)]


def executed(page: Path, env: BuildEnvironment) -> NotebookNode:
    """Return a page of solutions with its outputs, from the cache if possible."""
    folder = env.config.nb_execution_cache_path or env.mystnb_config.execution_cache_path
    kept = Path(folder, page.relative_to(env.srcdir).with_suffix(""))
    try:
        return cached_page(page, kept)
    except KeyError:
        return execute_page(page, kept)


def sections(notebook: NotebookNode) -> list[list[NotebookNode | str]]:
    """Return the texts and code cells after each heading of a page of solutions."""
    found: list[list[NotebookNode | str]] = [[]]
    for cell in notebook.cells:
        if cell.cell_type == "code":
            found[-1].append(cell)
        else:
            first, *rest = SECTION.split(cell.source)
            found[-1].append(first)
            found += [[text] for text in rest]
    return found[1:]


def without_assertion(code: str) -> str:
    """Return code without the statements that assert that a check passes."""
    lines = code.splitlines()
    for statement in reversed(ast.parse(code).body):
        if isinstance(statement, ast.Assert) and ast.unparse(statement.test).startswith("check("):
            del lines[statement.lineno - 1 : statement.end_lineno]
    return "\n".join(lines).strip("\n")


def printed(cell: NotebookNode) -> str:
    """Return the text output of a cell and the value of its last line; refuse other outputs."""
    texts = []
    for output in cell.outputs:
        data = output.get("data", {})
        if output.output_type not in {"stream", "execute_result"} or {*data} - {"text/plain"}:
            raise ValueError(f"the cell {cell.source[:60]!r} shows more than text")
        texts.append(str(output.get("text", data.get("text/plain"))))
    return "".join(texts).rstrip()


def solution_markdown(notebook: NotebookNode, label: str) -> str:
    """Return the solution of an exercise as Markdown, from the executed page of solutions.

    The link to the exercise and the assertion are left out, and the list for markers is addressed
    to the reader.
    """
    link = re.compile(rf"\[The exercise\]\(#{re.escape(label)}\)\.?[ \n]*")
    found = [part for part in sections(notebook) if link.search(str(part[0]))]
    if len(found) != 1:
        raise ValueError(
            f"a practice exercise needs one section that begins with [The exercise](#{label}) on "
            f"the page of solutions, got {len(found)}"
        )
    blocks: list[str] = []
    for part in found[0]:
        if isinstance(part, str):
            blocks.append(link.sub("", part, count=1).replace(TO_MARKER, TO_READER).strip())
        elif code := without_assertion(part.source):
            blocks.append(FENCED.format("python", code))
            if output := printed(part):
                blocks += ["The output is", FENCED.format("text", output)]
    return "\n\n".join(blocks)


class solution(nodes.General, nodes.Element):
    """The solution of the exercise with the label ``exercise``."""


class Exercise(ExerciseDirective):
    """An exercise with a level, minutes, a kind and a purpose."""

    option_spec = ExerciseDirective.option_spec | dict.fromkeys(
        ["minutes", *ALLOWED], directives.unchanged
    )

    def run(self) -> list[nodes.Node]:
        """Return the exercise and its solution, or fail with their error."""
        try:
            options = read_options(self.options)
            self.content = StringList([f"*{options.line}*", ""], "options") + self.content
            self.content_offset -= 2  # preserve the line numbers of the page
            return [*super().run(), *self.solution(options)]
        except ValueError as error:
            raise self.error(str(error)) from error

    def solution(self, options: ExerciseOptions) -> list[nodes.Node]:
        """Return the solution of a practice exercise, if the book contains solutions of the page.

        It is parsed after the exercise, so that it does not take the number of the exercise.
        """
        chapter = self.env.docname.removeprefix("book/")
        page = Path(self.env.srcdir, "book", "solutions", f"{chapter}.md")
        if options.purpose != "practice" or not page.is_file():
            return []
        self.env.note_dependency(str(page))
        text = solution_markdown(executed(page, self.env), options.label)
        node = solution(exercise=options.label)
        self.state.nested_parse(StringList(text.splitlines(), str(page)), 0, node)
        return [node]


def move_below_cells(app: Sphinx, doctree: nodes.document) -> None:
    """Put each solution below the cells of its exercise."""
    for node in [*doctree.findall(solution)]:
        parent = node.parent
        place = parent.index(node)
        del parent[place]
        for cell in parent[place:]:
            if not CELLS & {*cell.get("cell_metadata", {}).get("tags", [])}:
                break
            place += 1
        parent.insert(place, node)


def visit_solution(writer: Any, node: nodes.Element) -> None:
    """Write the start of the fold, which is closed at first."""
    name = f"{node['exercise']}-solution"
    writer.body.append(f'<details class="solution" id="{name}"><summary>Solution</summary>')


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.setup_extension("sphinx_exercise")
    app.add_node(solution, html=(visit_solution, lambda w, _: w.body.append("</details>")))
    app.add_directive("exercise", Exercise, override=True)
    app.connect("doctree-read", move_below_cells)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
