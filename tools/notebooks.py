"""The notebook edition: the cells of each page, with the prose of the built page between them.

Cells and outputs come from the cache of the build, and the prose from its pages.  A cell that the
page hides is included, folded, because other cells may need its results.  The output that answers a
prediction is left out until the reader runs the cell; the page's comment on it is in a fold.

The command ``python -m tools.notebooks`` writes each notebook beside its page in ``_build/html``,
and all notebooks, with all outputs, into ``_build/nbval``, where ``make nbval`` executes them.
The instructor's book needs the arguments ``_toc_instructor.yml _build/instructor/_build/html``.
"""

from __future__ import annotations

import re
import sys
from base64 import b64encode
from mimetypes import guess_type
from pathlib import Path
from typing import Any

import nbformat
from bs4 import BeautifulSoup, Tag
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from book._ext.page_cache import ROOT, executed_page, listed
from tools import execute
from tools.page_markdown import PageMarkdown, anchors, article_of

NBVAL = ROOT / "_build" / "nbval"
FOLDED = {"jupyter": {"source_hidden": True}, "cellView": "form"}  # JupyterLab and Colab
HIDDEN = {"jupyter": {"source_hidden": True, "outputs_hidden": True}, "cellView": "form"}
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
ANSWER, DESCRIPTION = "The answer, and why", "Description of the figure"
CHOOSE = "<p><em>Choose one before you go on.</em></p>"
WRITE_HERE = "*Write your answer here.*"  # under an exercise with a proof
INSTALL = """\
#@title Install pdpbook where it is missing; elsewhere this cell does nothing
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

if not all(map(find_spec, ["pdpbook", "pdpbook_pages", "pdpbook_exercises"])):
    folders = [Path.cwd(), *Path.cwd().parents]
    names = ["pdpbook-*.whl", "pdpbook_pages-*.whl", "pdpbook_exercises-*.whl"]
    wheels = [[wheel for folder in folders for wheel in folder.glob(name)] for name in names]
    if not all(wheels):
        raise FileNotFoundError("Unpack the student bundle and open this notebook there.")
    wanted = [f"{wheels[0][0]}[all]", *(str(others[0]) for others in wheels[1:])]
    if subprocess.call([sys.executable, "-m", "pip", "install", "--quiet", *wanted]):
        raise RuntimeError("pip says above what is missing. It needs a network: is there one?")"""


def pages(toc: str = "_toc.yml") -> list[str]:
    """Return the pages of a book that have a notebook: all except the reference of the code."""
    return [page for page in listed(toc) if not page.startswith("book/reference")]


def fold(summary: str) -> BeautifulSoup:
    """Return a fold in a separate document."""
    return BeautifulSoup(f"<details><summary>{summary}</summary></details>", "html.parser")


def code_of(page: str) -> list[NotebookNode]:
    """Return the executed code cells of a page."""
    return [cell for cell in executed_page(page).cells if cell.cell_type == "code"]


def shown(cell: NotebookNode) -> NotebookNode:
    """Return a code cell for readers: folded as on the page, without values for the prose."""
    tags = cell.metadata.get("tags", [])
    metadata = {"tags": tags} if tags else {}
    metadata |= HIDDEN if "remove-cell" in tags else FOLDED if "hide-input" in tags else {}
    outputs = [each for each in cell.outputs if "scrapbook" not in each.get("metadata", {})]
    for output in outputs:
        if "image/png" in output.get("data", {}):
            output.data.pop("image/svg+xml", None)  # JupyterLab shows it only if it is trusted
            output.metadata["needs_background"] = "light"  # in a dark theme
    count = cell.execution_count
    return new_code_cell(cell.source, execution_count=count, outputs=outputs, metadata=metadata)


class Reading:
    """The cells of a page, collected while reading the built page."""

    def __init__(
        self, article: Tag, code: list[NotebookNode], markdown: PageMarkdown, folder: Path
    ) -> None:
        """Read a page with its executed code cells and the folder of its file."""
        self.code, self.markdown, self.folder = code, markdown, folder
        self.cells: list[NotebookNode] = []
        self.answers: list[NotebookNode] = []  # the cells whose output answers a prediction
        self.prose = BeautifulSoup("", "html.parser")
        self.read(article)
        self.take_hidden()

    def end_prose(self, **metadata: Any) -> None:
        """Add a cell with the prose since the last cell, and attach its pictures."""
        if text := self.markdown.write(self.prose):
            cell = new_markdown_cell(text, metadata=metadata)
            for picture in self.prose.select("img"):
                file = self.folder / picture["src"]
                data = {guess_type(file)[0]: b64encode(file.read_bytes()).decode()}
                cell.setdefault("attachments", {})[file.name] = data
            self.cells.append(cell)
        self.prose = BeautifulSoup("", "html.parser")

    def take_hidden(self) -> None:
        """Add the hidden cells before the next visible one."""
        self.end_prose()
        while self.code and "remove-cell" in self.code[0].metadata.get("tags", []):
            self.cells.append(shown(self.code.pop(0)))

    def read(self, node: Tag) -> None:
        """Go through a section."""
        for child in [*node.children]:
            kinds = child.get("class", []) if isinstance(child, Tag) else []
            if "cell" in kinds:
                self.take_hidden()
                self.cells.append(shown(self.code.pop(0)))
                self.add_captions(child, self.prose)
            elif "prediction-answer" in kinds:
                self.read_answer(child)
            elif isinstance(child, Tag) and child.name == "section":
                self.end_prose()
                self.read(child)
            else:
                if "prediction" in kinds:
                    child.append(BeautifulSoup(CHOOSE, "html.parser"))
                self.prose.append(child)
                if "exercise" in kinds and ", a proof." in child.get_text():
                    self.end_prose()
                    self.cells.append(new_markdown_cell(WRITE_HERE))

    def read_answer(self, node: Tag) -> None:
        """Read an answer: cells, or only their outputs; the comments go into a fold."""
        self.end_prose()
        answer = fold(ANSWER)
        for child in [*node.children]:
            if isinstance(child, Tag) and "cell" in child.get("class", []):
                if child.select_one(".cell_input"):
                    self.take_hidden()
                    self.cells.append(shown(self.code.pop(0)))
                self.answers.append(self.cells[-1])
                self.add_captions(child, answer.details)
            else:
                answer.details.append(child)
        self.prose = answer
        self.end_prose(tags=["answer"])

    def add_captions(self, cell: Tag, target: Tag) -> None:
        """Add the captions of a cell's outputs, because no frontend shows their alt text."""
        target.extend(cell.select("figcaption, caption"))
        for picture in cell.select("img[alt]"):
            description = fold(DESCRIPTION).details
            description.append(picture["alt"])
            target.append(description)


def write(notebook: NotebookNode, target: Path) -> None:
    """Write a notebook with numbered cells, so that the same page gives the same file."""
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number}"
    target.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, f"{target}.ipynb")


def write_notebooks(toc: str, html: Path) -> int:
    """Write the notebooks of a built book; return the number of those beside its pages."""
    articles = {page: article_of((html / f"{page}.html").read_text("utf-8")) for page in pages(toc)}
    known = {page: anchors(article) for page, article in articles.items()}
    running = execute.pages()
    for page in {*running} - {*articles}:  # these pages are in the other book
        cells = [shown(cell) for cell in code_of(page)]
        write(new_notebook(cells=cells, metadata={"kernelspec": KERNEL}), NBVAL / page)
    for page, article in articles.items():
        title = re.sub(r"^\d+\. ", "", article.h1.get_text().strip())
        code = code_of(page) if page in running else []
        reading = Reading(article, code, PageMarkdown(page, known), (html / page).parent)
        metadata = {"kernelspec": KERNEL, "title": title}
        notebook = new_notebook(cells=reading.cells, metadata=metadata)
        if page in running:
            setup = new_code_cell(INSTALL, metadata={"tags": ["setup"], **FOLDED})
            notebook.cells.insert(1, setup)
            write(notebook, NBVAL / page)
        for cell in reading.answers:
            cell.outputs, cell.execution_count = [], None
        write(notebook, html / page)
    return len(articles)


if __name__ == "__main__":
    toc, built = sys.argv[1:] or ("_toc.yml", str(ROOT / "_build" / "html"))
    print(write_notebooks(toc, Path(built)), "notebooks are beside their pages in", built)
