"""The answers in words of a class on paper: a PDF for each question.

``python -m course.print_written --name week1`` writes ``my-course/written/week1/…pdf``.  The first
page of each has the question and what to look for; then each student who has answered has a page,
or more, with the answer, its formulas set and its pictures shown, and the mark and the comment that
it has already.  Who has written nothing is named on the first page.

Chromium prints a page of HTML that has no script and may have none: what a student wrote is text,
formulas and pictures, the scripts of the browser are off, and it asks nothing but the pictures.
"""

from __future__ import annotations

import argparse
import re
import shutil
import tempfile
from base64 import b64decode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

import nbformat
from nbconvert.filters.markdown_mistune import MarkdownWithMath, MathInlineParser
from nbformat import NotebookNode
from playwright.sync_api import Browser, Route

from book._ext.edition.print_book import chromium
from course.folder import Course, CourseError
from course.formulas import Formulas, MarkdownRenderer, formulas
from course.grading import numbers_of, states
from course.progress import stepping
from course.report import Mark, marks_of, number, sheets_of, title_of
from course.rubrics import rubric_in, written_questions
from course.sheets import grade_id, points
from course.written import KINDS

__all__ = ["print_written"]

NAME = re.compile(r"[0-9a-f]{16}\.(png|jpg)")  #: of a picture as it is kept
PATIENCE = 600_000  #: milliseconds; a large class has hundreds of photographs
PAGE = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy"
  content="default-src 'none'; img-src file:; style-src 'unsafe-inline'; font-src data:">
<title>{title}</title>
<style>
@page {{ size: A4; margin: 18mm 16mm; }}
body {{ font: 11pt/1.45 Helvetica, Arial, sans-serif; color: #000; margin: 0; }}
h1 {{ font-size: 16pt; margin: 0; }}
h2 {{ font-size: 12pt; margin: .8em 0 .3em; }}
blockquote {{ margin: 0; padding-left: 8pt; border-left: 2pt solid #888; }}
pre {{ white-space: pre-wrap; overflow-wrap: anywhere; }}
img {{ display: block; max-width: 100%; max-height: 220mm; margin: 4pt 0; }}
h2.student {{ break-before: page; margin-top: 0; }}
/* the head of a table stands on each of its sheets again */
table.answer {{ width: 100%; border-collapse: collapse; }}
table.answer > thead th {{ text-align: left; border-bottom: 1pt solid #000; font-size: 9pt; }}
table.answer > tbody > tr > td {{ padding-top: 8pt; overflow-wrap: anywhere; }}
.mark {{ border: 1pt solid #888; padding: 4pt 8pt; margin-top: 12pt; break-inside: avoid; }}
{styles}
</style>
{body}
</html>
"""


class _Paper(MarkdownRenderer):
    """Markdown on paper: no tag of HTML, no link, and no picture but those that are kept."""

    def __init__(self, typesetter: Formulas, picture: Callable[[str], str]) -> None:
        super().__init__(typesetter, escape=True)
        self._picture = picture

    def link(self, text: str, url: str, title: str | None = None) -> str:
        """Write what a link says."""
        return text

    def image(self, text: str, url: str, title: str | None = None) -> str:
        """Show a picture that is kept, and write what another is said to show."""
        address = self._picture(url.removeprefix("attachment:"))
        return f'<img src="{address}" alt="{escape(text)}">' if address else escape(text)

    def heading(self, text: str, level: int, **attrs: object) -> str:
        """Write a heading in bold: those of the page are not a student's."""
        return f"<p><strong>{text}</strong></p>\n"

    def block_mermaidjs(self, code: str) -> str:
        """Write code as code."""
        return f"<pre>{escape(code)}</pre>\n"


@dataclass(frozen=True)
class _Answer:
    """What a student wrote on a question."""

    student: str
    number: str
    cell: NotebookNode
    mark: Mark


def print_written(course: Course, name: str = "", sheet: str = "") -> list[Path]:
    """Write a PDF for each question in words of an assignment, and return them.

    Parameters
    ----------
    course : Course
        Where it was graded.
    name : str
        Of the assignment; not needed if there is only one.
    sheet : str
        Of its sheets, this one alone.

    Raises
    ------
    CourseError
        If there is no such assignment or sheet, none of its questions is answered in words, or
        nothing was graded yet.
    """
    name = course.assignment(name)
    sheets = sheets_of(course, name)
    if sheet and sheet not in sheets:
        raise CourseError(f"{name} has the sheets {', '.join(sheets)}, and none is {sheet!r}.")
    asked = [
        (each, cell, statement)
        for each, content in sheets.items()
        if sheet in ("", each)
        for cell, statement in written_questions(content)
    ]
    if not asked:
        raise CourseError(f"No question of {sheet or name} is answered in words.")
    if not states(course, name):
        raise CourseError(f"Nobody has handed in {name}: run make grade first.")
    with course.gradebook() as book:
        marks = marks_of(book, name, sheets)
    folder = course.folder / "written" / name
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    with formulas() as typesetter, chromium("make written") as browser:
        step = stepping(len(asked), "questions printed")
        for each, cell, statement in asked:
            answers, silent = _answers(course, name, each, cell, marks)
            rubric = _rubric(course, name, each, grade_id(cell))
            with tempfile.TemporaryDirectory() as scratch:
                pictures = Path(scratch)
                title = f"{each}/{grade_id(cell)}"
                page = _page(
                    title, points(cell), statement, rubric, answers, silent, typesetter, pictures
                )
                (pictures / "page.html").write_text(page, encoding="utf-8")
                path = folder / f"{each}-{grade_id(cell)}.pdf"
                _print(browser, pictures / "page.html", pictures / "page.pdf")
                shutil.move(pictures / "page.pdf", path)
            written.append(path)
            step()
    return written


def _answers(
    course: Course,
    name: str,
    sheet: str,
    blank: NotebookNode,
    marks: Mapping[str, Mapping[str, Mark]],
) -> tuple[list[_Answer], list[str]]:
    """Return the answers to a question by the names of the students, and who wrote nothing."""
    found, silent = [], []
    numbers, part = numbers_of(course), grade_id(blank)
    for student in sorted({*states(course, name), *marks}):
        path = course.folder / "autograded" / student / name / f"{sheet}.ipynb"
        cells = nbformat.read(path, as_version=4).cells if path.is_file() else []
        given = [cell for cell in cells if grade_id(cell) == part]
        if not given or given[0].source == blank.source:
            silent.append(student)
            continue
        mark = marks.get(student, {}).get(f"{sheet}/{part}", Mark(None, points(blank)))
        found.append(_Answer(student, numbers.get(student, ""), given[0], mark))
    return found, silent


def _rubric(course: Course, name: str, sheet: str, part: str) -> str:
    """Return what to look for, from the sheet that the lecturer keeps."""
    path = course.folder / "source" / name / f"{sheet}.ipynb"
    if not path.is_file():
        return ""
    cells = nbformat.read(path, as_version=4).cells
    return next((rubric_in(cell) for cell in cells if grade_id(cell) == part), "")


def _page(
    title: str,
    worth: float,
    statement: NotebookNode | None,
    rubric: str,
    answers: Sequence[_Answer],
    silent: Sequence[str],
    typesetter: Formulas,
    folder: Path,
) -> str:
    """Return the page of a question, and write its pictures into a folder."""
    typesetter.begin()
    heading = escape(title_of(title))
    parts = [f"<h1>{heading}</h1>", f"<p>{number(worth)} points. Answers: {len(answers)}.</p>"]
    if statement is not None:
        parts.append(f"<h2>The question</h2>\n{_html(statement.source, None, typesetter, folder)}")
    if rubric:
        parts.append(f"<h2>The rubric</h2>\n{_html(rubric, None, typesetter, folder)}")
    if silent:
        parts.append(f"<h2>No answer</h2>\n<p>{escape(', '.join(silent))}</p>")
    for each in answers:
        who = f"{each.student} ({each.number})" if each.number else each.student
        text = _html(each.cell.source, each.cell.get("attachments") or {}, typesetter, folder)
        score = "____" if each.mark.score is None else number(each.mark.score)
        again = " (the answer has changed since)" if each.mark.waits and score != "____" else ""
        comment = typesetter.text(each.mark.comment)
        parts.append(
            f'<h2 class="student">{escape(who)}</h2>\n<table class="answer">'
            f"<thead><tr><th>{escape(who)}: {heading}</th></tr></thead><tbody><tr><td>{text}\n"
            f'<div class="mark">{score} of {number(worth)} points{again}'
            f"{f'<p>{comment}</p>' if comment else ''}</div></td></tr></tbody></table>"
        )
    body = "\n".join(parts)
    styles = typesetter.styles(body) if "<mjx-container" in body else ""
    return PAGE.format(title=heading, styles=styles, body=body)


def _html(
    source: str,
    attachments: Mapping[str, Mapping[str, str]] | None,
    typesetter: Formulas,
    folder: Path,
) -> str:
    """Return Markdown in HTML, and write the pictures that it shows into a folder.

    A text of ours has no attachments; in one of a student, a line that ends on the screen ends on
    paper.
    """

    def picture(name: str) -> str:
        kept = (attachments or {}).get(name, {})
        content = [each for kind, each in kept.items() if kind in KINDS]
        if not content or not NAME.fullmatch(name):
            return ""
        (folder / name).write_bytes(b64decode(content[0]))
        return name

    parser = MathInlineParser(hard_wrap=attachments is not None)
    try:
        markdown = MarkdownWithMath(renderer=_Paper(typesetter, picture), inline=parser)
        html: str = markdown.render(source)
    except RecursionError:
        html = f"<p>{typesetter.text(source)}</p>"
    return html


def _print(browser: Browser, page: Path, pdf: Path) -> None:
    """Print a page whose pictures lie beside it, and let it ask for nothing else."""

    def beside(route: Route) -> None:
        if route.request.url.startswith(f"{page.parent.as_uri()}/"):
            route.continue_()
        else:
            route.abort()

    with browser.new_context(java_script_enabled=False, offline=True) as context:
        context.set_default_timeout(PATIENCE)
        context.route("**/*", beside)
        tab = context.new_page()
        tab.goto(page.as_uri())
        tab.pdf(path=pdf, outline=True, tagged=True, prefer_css_page_size=True)


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="make written", description=__doc__)
    parser.add_argument("--name", default="")
    parser.add_argument("--sheet", default="", help="one sheet of the assignment alone")
    parser.add_argument("--course", type=Path, default=Path("my-course"))
    given = parser.parse_args()
    for path in print_written(Course(given.course.resolve()), given.name, given.sheet):
        print(f"Print {path}")


if __name__ == "__main__":
    main()
