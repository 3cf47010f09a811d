"""The formulas of students and markers, set as those of the book are.

A page that shows what somebody wrote holds its formulas as letters and MathML, with the style
sheet and the fonts that they need.  So it needs no script and no other file, and a formula can do
nothing but stand there.  What MathJax refuses is shown as it was written.
"""

from __future__ import annotations

import atexit
import re
from base64 import b64encode
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from html import escape
from typing import Any

import tinycss2
from jinja2 import pass_context
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

from book._ext.pages.typesetter import FONT_URL, FONTS, Typesetter, macros_of_the_book
from book._ext.theme.light_theme import CLASSES, kept

__all__ = [
    "Formulas",
    "MarkdownRenderer",
    "find_formulas",
    "formula_styles",
    "formulas",
    "markdown_with_formulas",
]

FACE = re.compile(r"@font-face[^}]*font-family: ([\w-]+);[^}]*\}\s*")
ADDRESS = re.compile(rf'url\("{FONT_URL}/([^"]*)"\)')
LONGEST = 5000  #: characters of a formula that is set; MathJax takes seconds for a long one
#: how a formula begins, and all of one between single dollars
OPENING = re.compile(
    r"(?<!\\)(?P<dollars>\$\$)|(?P<display>\\\[)|(?P<inline>\\\()"
    r"|\\begin\{(?P<environment>[a-z]+\*?)\}|(?<!\\)\$(?P<whole>(?:[^$\\]|\\.)+?)\$",
    re.DOTALL,
)
CLOSING = {
    "dollars": re.compile(r"(?=\$\$)"),  # of three dollars, the first two or the last two
    "display": re.compile(r"\\\]"),
    "inline": re.compile(r"\\\)"),
}
END = re.compile(r"\\end\{([a-z]+\*?)\}")


@dataclass(frozen=True)
class Found:
    """A formula in a text.

    Attributes
    ----------
    start, end : int
        Where it stands, with its delimiters.
    tex : str
        What MathJax is given.
    display : bool
        Whether it is displayed.
    """

    start: int
    end: int
    tex: str
    display: bool


def find_formulas(text: str) -> Iterator[Found]:
    r"""Find the formulas of a text from left to right, in a time that grows as the text does.

    Where formulas end is looked up in lists that are made once, so that many beginnings without
    an end cost nothing.

    Examples
    --------
    >>> [found.tex for found in find_formulas(r"$a$ and \[b\] and \begin{c} d \end{c} and \(e")]
    ['a', 'b', '\\begin{c} d \\end{c}']
    """
    ends = {
        kind: [found.start() for found in each.finditer(text)] for kind, each in CLOSING.items()
    }
    environments: dict[str, list[int]] = defaultdict(list)
    for closed in END.finditer(text):
        environments[closed[1]].append(closed.start())
    place = 0
    while opened := OPENING.search(text, place):
        start, inside, kind = opened.start(), opened.end(), str(opened.lastgroup)
        place = start + 1
        if kind == "whole":
            place = inside
            yield Found(start, inside, opened["whole"], display=False)
            continue
        environment = opened["environment"]
        candidates = environments[environment] if environment else ends[kind]
        # at least one character stands within it
        at = bisect_left(candidates, inside + 1)
        if at == len(candidates):
            continue
        close = candidates[at]
        place = close + (len(f"\\end{{{environment}}}") if environment else 2)
        tex = text[start:place] if environment else text[inside:close]
        yield Found(start, place, tex, display=kind != "inline")


class Formulas:
    """A typesetter for the pages of many authors, and the style sheet of each page.

    Parameters
    ----------
    typesetter : Typesetter
        With the book's macros.
    """

    def __init__(self, typesetter: Typesetter) -> None:
        self._typesetter = typesetter
        self._sheet = typesetter.styles()

    def begin(self) -> None:
        """Begin a page: what another page has defined holds no longer."""
        self._typesetter.begin()

    def formula(self, tex: str, *, display: bool) -> str:
        """Return a formula in HTML; one that is too long or MathJax refuses as it was written."""
        try:
            if len(tex) > LONGEST:
                raise ValueError
            html: str = self._typesetter.typeset(tex, display)
        except ValueError:
            return f"<code>{escape(tex)}</code>"
        return html

    def text(self, text: str) -> str:
        """Return a text in HTML, its formulas set and all else as it was written."""
        parts, end = [], 0
        for found in find_formulas(text):
            parts.append(_escape_between(text[end : found.start]))
            parts.append(self.formula(found.tex, display=found.display))
            end = found.end
        return "".join([*parts, _escape_between(text[end:])])

    def styles(self, html: str | None = None) -> str:
        """Return the style sheet with its fonts: of the formulas in a page, or of any formula."""
        sheet = self._sheet
        if html is not None:
            names = {name for classes in CLASSES.findall(html) for name in classes.split()}
            rules = tinycss2.parse_stylesheet(sheet, skip_whitespace=True)
            sheet = "\n".join(kept(rules, names))
        text = FACE.sub("", sheet)
        wanted = set(re.findall(r"MJX[\w-]+", text))
        faces = [found[0] for found in FACE.finditer(sheet) if found[1] in wanted]
        return ADDRESS.sub(_embedded, "".join([*faces, text]))


def _escape_between(text: str) -> str:
    """Return what stands between formulas: there a dollar that means itself has a backslash."""
    return escape(text.replace(r"\$", "$"))


def _embedded(address: re.Match[str]) -> str:
    """Return the address of a font that holds the font."""
    content = b64encode((FONTS / address[1]).read_bytes()).decode()
    return f"url(data:font/woff;base64,{content})"


@contextmanager
def formulas() -> Iterator[Formulas]:
    """Start a typesetter with the book's macros, and end it."""
    typesetter = Typesetter(macros_of_the_book())
    try:
        yield Formulas(typesetter)
    finally:
        typesetter.close()


# For nbgrader's own pages: `course.folder.configure` names these two to nbconvert as filters


@cache
def _of_this_process() -> Formulas:
    """Return the typesetter of the formgrader, which lives as long as it does."""
    opened = formulas()
    atexit.register(opened.__exit__, None, None, None)
    return opened.__enter__()


class MarkdownRenderer(IPythonRenderer):
    """nbconvert's Markdown with formulas that are set.

    Parameters
    ----------
    typesetter : Formulas
        Sets them.
    **others
        As nbconvert has them.
    """

    def __init__(self, typesetter: Formulas, **others: Any) -> None:
        super().__init__(**others)
        self.typesetter = typesetter

    def block_math(self, body: str) -> str:
        """Set a displayed formula."""
        return self.typesetter.formula(body, display=True)

    def inline_math(self, body: str) -> str:
        """Set a formula within the text."""
        return self.typesetter.formula(body, display=False)

    def latex_environment(self, name: str, body: str) -> str:
        """Set an environment."""
        return self.block_math(rf"\begin{{{name}}}{body}\end{{{name}}}")


@pass_context
def markdown_with_formulas(context: Mapping[str, Any], source: str) -> str:
    """Return Markdown in HTML as nbconvert does, its formulas set.

    Parameters
    ----------
    context : mapping
        Of the template; its ``cell`` has the pictures.
    source : str
        What stands in the cell, or a marker's comment on it.
    """
    attachments = (context.get("cell") or {}).get("attachments")
    renderer = MarkdownRenderer(_of_this_process(), escape=False, attachments=attachments)
    html: str = MarkdownWithMath(renderer=renderer).render(source)
    return html


def formula_styles(of: str = "") -> str:
    """Begin a page and return the style sheet of its formulas, which are not known yet."""
    _of_this_process().begin()
    return _any_formula()


@cache
def _any_formula() -> str:
    return _of_this_process().styles()
