r"""The predictions of the book as a question bank for Moodle, with a category for each chapter.

    python -m pdpbook_exercises.quiz _build/notebooks predictions.xml

reads the notebooks of the built book, where every number of a question has been computed.  Moodle
shows the reason given for the chosen answer as feedback.  Formulas are between ``\(`` and ``\)``,
for Moodle's MathJax filter, and links are plain text.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree as Xml

import nbformat
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbformat import NotebookNode

__all__ = ["bank", "predictions"]

OPENING = "> **Predict, then run**"
CLOSING = "> *Choose one before you go on.*"
CHOICE = re.compile(r"^- (Right|Not so): \*\*(.*?)\*\*\. (.*)$", re.MULTILINE)
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\([^)]*\)")

Choice = tuple[str, str, str]  #: the verdict (``Right`` or ``Not so``), the text, and the reason


class _Renderer(IPythonRenderer):
    """A renderer of HTML that uses Moodle's delimiters for formulas."""

    def inline_math(self, body: str) -> str:
        return str(self.text(rf"\({body}\)"))

    def block_math(self, body: str) -> str:
        return str(self.text(rf"\[{body}\]"))


def _html(text: str) -> str:
    return str(MarkdownWithMath(renderer=_Renderer()).render(LINK.sub(r"\1", text))).strip()


def predictions(notebook: NotebookNode) -> Iterator[tuple[str, list[Choice]]]:
    """Yield each question of a notebook with its choices.

    Raises
    ------
    ValueError
        If a question does not have several answers, of which exactly one is right.
    """
    asked = ""
    for cell in notebook.cells:
        if asked and "answer" in cell.metadata.get("tags", []):
            choices = CHOICE.findall(cell.source)
            if len(choices) < 2 or sum(verdict == "Right" for verdict, _, _ in choices) != 1:
                raise ValueError(f"{asked!r} must have several answers, exactly one of them right")
            yield asked, choices
            asked = ""
        if cell.cell_type == "markdown" and OPENING in cell.source:
            if asked or cell.source.count(OPENING) > 1:
                raise ValueError(f"{asked or cell.source!r} must have a cell with its answer")
            quoted = cell.source.rpartition(OPENING)[2].partition(CLOSING)[0]
            lines = [line.removeprefix(">").strip() for line in quoted.splitlines()]
            asked = "\n".join(line for line in lines if not line.startswith("- ")).strip()
    if asked:
        raise ValueError(f"{asked!r} must have a cell with its answer")


def _add(parent: Xml.Element, name: str, text: str, **attributes: str) -> None:
    Xml.SubElement(Xml.SubElement(parent, name, attributes), "text").text = text


def bank(folder: Path) -> tuple[str, int]:
    """Return the questions of all notebooks in a folder as Moodle's XML, and their number."""
    quiz, count = Xml.Element("quiz"), 0
    for path in sorted(folder.rglob("*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        for number, (asked, choices) in enumerate(predictions(notebook), start=1):
            title = notebook.metadata.get("title", path.stem).replace("/", "//")
            if number == 1:
                head = Xml.SubElement(quiz, "question", type="category")
                _add(head, "category", f"$course$/top/{title}")
            question = Xml.SubElement(quiz, "question", type="multichoice")
            _add(question, "name", f"{title} {number}")
            _add(question, "questiontext", _html(asked), format="html")
            Xml.SubElement(question, "single").text = "true"
            Xml.SubElement(question, "shuffleanswers").text = "true"
            for verdict, text, why in choices:
                share = "100" if verdict == "Right" else "0"
                answer = Xml.SubElement(question, "answer", fraction=share, format="html")
                Xml.SubElement(answer, "text").text = _html(text)
                _add(answer, "feedback", _html(why), format="html")
            count += 1
    Xml.indent(quiz)
    return Xml.tostring(quiz, encoding="unicode", xml_declaration=True) + "\n", count


def main() -> None:
    """Write the question bank."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("notebooks", type=Path, help="notebooks of the book: _build/notebooks")
    parser.add_argument("file", type=Path, help="the output file, Moodle's XML")
    given = parser.parse_args()
    text, count = bank(given.notebooks)
    if not count:
        parser.error(f"{given.notebooks} has no notebook of predictions: run make book")
    given.file.write_text(text, encoding="utf-8")
    print(f"{count} questions are in {given.file}: import them as Moodle XML")


if __name__ == "__main__":
    main()
