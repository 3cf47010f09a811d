r"""The predictions of the book as a bank of quiz questions, for Moodle.

Before a figure or a number the book asks what will be seen, with a few answers of which one is
right and each has a reason.  ``python -m course.quiz`` takes these from the built book, so that
every number in them is the one that the book has computed, and writes one file in Moodle's XML, a
category for each chapter.  Moodle shows the reason of the answer that was chosen as its feedback.

Formulas stand between ``\(`` and ``\)``, where Moodle's MathJax filter finds them.  Links to pages
of the book become plain text.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as Xml

import nbformat
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbformat import NotebookNode

from book._ext.edition.student_bundle import pages
from course.assignment import page_name
from course.folder import ROOT, Course, CourseError
from course.report import write_whole
from course.sheets import LINK, tags

__all__ = ["Choice", "Question", "moodle", "questions_of", "write_quiz"]

OPENING = "> **Predict, then run**"
CLOSING = "> *Choose one before you go on.*"
JUDGED = re.compile(
    r"^- (?P<verdict>Right|Not so): \*\*(?P<text>.*?)\*\*\. (?P<why>.*)$", re.MULTILINE
)
BANK = "predictions.xml"


@dataclass(frozen=True)
class Choice:
    """An answer that can be chosen.

    Attributes
    ----------
    text, why : str
        The answer, and the reason why it is right or not; Markdown.
    right : bool
        Whether it is the right one.
    """

    text: str
    why: str
    right: bool


@dataclass(frozen=True)
class Question:
    """A prediction that the book asks for.

    Attributes
    ----------
    name : str
        The title of the chapter and a number.
    text : str
        What is asked, in Markdown.
    choices : tuple of Choice
        In the order of the book.
    """

    name: str
    text: str
    choices: tuple[Choice, ...]


def questions_of(notebook: NotebookNode) -> Iterator[Question]:
    """Yield the predictions of a page, as the notebook edition has it.

    Raises
    ------
    ValueError
        If one of them has no answers, or not one that is right.
    """
    title, number, asked = notebook.metadata["title"], 0, ""
    for cell in notebook.cells:
        if asked and "answer" in tags(cell):
            choices = tuple(
                Choice(found["text"], found["why"], found["verdict"] == "Right")
                for found in JUDGED.finditer(cell.source)
            )
            number += 1
            if sum(each.right for each in choices) != 1 or len(choices) < 2:
                raise ValueError(f"{title}: {asked[:80]!r} has no single right answer")
            yield Question(f"{title} {number}", asked, choices)
            asked = ""
        if cell.cell_type == "markdown" and OPENING in cell.source:
            quoted = cell.source.rpartition(OPENING)[2].partition(CLOSING)[0]
            lines = [line.removeprefix(">").strip() for line in quoted.splitlines()]
            asked = "\n".join(line for line in lines if not line.startswith("- ")).strip()


class _Renderer(IPythonRenderer):
    """Markdown in HTML with the delimiters of formulas that Moodle knows."""

    def inline_math(self, body: str) -> str:
        """Return a formula in the text."""
        return self.text(rf"\({body}\)")

    def block_math(self, body: str) -> str:
        """Return a displayed formula."""
        return self.text(rf"\[{body}\]")

    def latex_environment(self, name: str, body: str) -> str:
        """Return an environment."""
        return self.block_math(rf"\begin{{{name}}}{body}\end{{{name}}}")


def _html(text: str) -> str:
    html: str = MarkdownWithMath(renderer=_Renderer()).render(LINK.sub(r"\1", text))
    return html.strip()


def moodle(banks: dict[str, Sequence[Question]]) -> str:
    """Return questions in Moodle's XML.

    Parameters
    ----------
    banks : dict from str to sequence of Question
        By the name of the category.

    Examples
    --------
    >>> asked = Question("One 1", "Is $1<2$?", (Choice("yes", "It is.", True),))
    >>> "1&amp;lt;2" in moodle({"One": [asked]})
    True
    """
    quiz = Xml.Element("quiz")
    for category, questions in banks.items():
        head = Xml.SubElement(quiz, "question", type="category")
        _add_text(head, "category", f"$course$/top/{category.replace('/', '//')}")
        for each in questions:
            question = Xml.SubElement(quiz, "question", type="multichoice")
            _add_text(question, "name", each.name)
            _add_text(question, "questiontext", _html(each.text), format="html")
            Xml.SubElement(question, "single").text = "true"
            Xml.SubElement(question, "shuffleanswers").text = "true"
            Xml.SubElement(question, "answernumbering").text = "abc"
            for choice in each.choices:
                fraction = "100" if choice.right else "0"
                answer = Xml.SubElement(question, "answer", fraction=fraction, format="html")
                Xml.SubElement(answer, "text").text = _html(choice.text)
                _add_text(answer, "feedback", _html(choice.why), format="html")
    Xml.indent(quiz)
    return Xml.tostring(quiz, encoding="unicode", xml_declaration=True) + "\n"


def _add_text(parent: Xml.Element, name: str, text: str, **attributes: str) -> None:
    """Add an element that holds a text, as Moodle nests them."""
    Xml.SubElement(Xml.SubElement(parent, name, attributes), "text").text = text


def write_quiz(course: Course, given: Sequence[str], built: Path) -> tuple[Path, int]:
    """Write the predictions of some pages, and return where they are and how many.

    Parameters
    ----------
    course : Course
        Its folder gets the file.
    given : sequence of str
        Pages of the book; without any, all.
    built : Path
        The built book.

    Raises
    ------
    CourseError
        If a page is unknown or not built, or there is no prediction.
    """
    banks: dict[str, Sequence[Question]] = {}
    for page in dict.fromkeys(page_name(each) for each in given or pages(ROOT)):
        path = built / f"{page}.ipynb"
        if not path.is_file():
            if given and "{prediction}" in (ROOT / f"{page}.md").read_text(encoding="utf-8"):
                raise CourseError(f"{path} is missing: run make book first.")
            continue
        notebook = nbformat.read(path, as_version=4)
        if found := [*questions_of(notebook)]:
            banks[notebook.metadata["title"]] = found
    if not banks:
        raise CourseError("These pages ask for no prediction.")
    course.folder.mkdir(parents=True, exist_ok=True)
    bank = course.folder / BANK
    write_whole(bank, moodle(banks))
    return bank, sum(map(len, banks.values()))


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="make quiz", description=__doc__)
    parser.add_argument("pages", nargs="*")
    parser.add_argument("--course", type=Path, default=Path("my-course"))
    parser.add_argument("--built", type=Path, default=Path("_build", "html"))
    given = parser.parse_args()
    path, count = write_quiz(Course(given.course.resolve()), given.pages, given.built)
    print(f"{count} questions are in {path}: import them into Moodle's question bank as Moodle XML")


if __name__ == "__main__":
    main()
