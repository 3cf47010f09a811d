"""The notebook edition: a page as a standard Jupyter notebook, written from Sphinx's resolved tree.

When Sphinx writes a page, all is resolved: theorems have numbers, references have texts, the values
of ``glue`` stand in the prose.  Here that tree becomes cells: prose by ``notebook_markdown``, code
and outputs from the execution cache, so nothing is executed.  What only feeds the prose is left out
of the code, see ``reader_code``.

What answers a prediction is not there until the reader runs the cell: the outputs are left out, and
what the page says of them waits in a fold below the cells.
"""

from base64 import b64encode
from html import escape
from typing import Any

from docutils import nodes
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from sphinx.application import Sphinx

from book._ext import predictions
from book._ext.edition.notebook_markdown import Markdown, has_notebook, heading
from book._ext.edition.reader_code import INSTALL, WRITE_HERE, reader_code
from book._ext.exercises import solution
from book._ext.explorable import STILLS, explorable

__all__ = ["has_notebook", "reader_outputs", "write_notebook"]

FOLDED = {"jupyter": {"source_hidden": True}, "cellView": "form"}  # JupyterLab and Colab
RECORD = "application/papermill.record/"  # where glue leaves its values
DESCRIPTION = "Description of the figure"  # Jupyter shows no alt text of an output


def reader_outputs(outputs: list[NotebookNode], alt: str) -> list[NotebookNode]:
    """Return what a reader sees of outputs: no record of glue, a picture that needs no trust."""
    seen = []
    for output in outputs:
        output = NotebookNode(output)
        data = output.get("data")
        if data is not None:
            data = {mime: value for mime, value in data.items() if not mime.startswith(RECORD)}
            if not data:
                continue
            if "image/png" in data:
                data.pop("image/svg+xml", None)
            output.data = data
            images = [mime for mime in data if mime.startswith("image/")]
            output.metadata = {
                mime: {**output.metadata.get(mime, {}), "alt": alt} for mime in images
            }
            if images:  # dark ink on nothing: a dark theme puts a light ground under it
                output.metadata["needs_background"] = "light"
        seen.append(output)
    return seen


def fold(summary: str, blocks: list[str]) -> str:
    """Return blocks as a fold, which is closed: HTML, and Markdown after an empty line."""
    return "\n\n".join([f"<details>\n<summary>{summary}</summary>", *blocks, "</details>"])


def code_cell(cell: NotebookNode, code: str) -> NotebookNode:
    """Return a cell of the page as a reader gets it."""
    tags = list(cell.metadata.get("tags", []))
    image = cell.metadata.get("mystnb", {}).get("image", {})
    written = new_code_cell(
        code,
        execution_count=cell.execution_count,
        outputs=reader_outputs(cell.outputs, image.get("alt", "")),
        metadata={"tags": tags} if tags else {},
    )
    if {"remove-cell", "hide-input"} & {*tags}:
        written.metadata.update(FOLDED)
    if "remove-cell" in tags:
        written.outputs = []
    return written


def exercise_cells(statement: str) -> list[NotebookNode]:
    """Return an exercise as a cell of its own, and a cell to write in if it asks for a proof."""
    tagged = [("exercise", statement), ("exercise-proof", WRITE_HERE)]
    wanted = tagged if ", a proof.*" in statement else tagged[:1]
    return [new_markdown_cell(text, metadata={"tags": [tag]}) for tag, text in wanted]


def stills_in(node: nodes.Element) -> dict[str, Any]:
    """Return the stills of the figures that move as what a cell has attached, if there are any."""
    names = [each["name"] for each in node.findall(explorable) if each["still"]]
    pictures = [STILLS / f"{name}.png" for name in names]
    attached = {
        picture.name: {"image/png": b64encode(picture.read_bytes()).decode()}
        for picture in pictures
    }
    return {"attachments": attached} if attached else {}


def write_notebook(
    app: Sphinx, docname: str, doctree: nodes.document, executed: NotebookNode | None
) -> NotebookNode:
    """Return a page as a notebook; ``executed`` is the page from the cache, None without cells."""
    markdown = Markdown(app, docname)
    page = executed.cells if executed else []
    code = reader_code(page)
    runs = bool(code)
    cells: list[NotebookNode] = []
    prose: list[str] = []
    unseen = {
        cell["cell_index"]
        for folded in doctree.findall(predictions.answer)
        for cell in folded.findall(predictions.is_code)
    }

    def end_prose() -> None:
        if prose:
            cells.append(new_markdown_cell("\n\n".join(prose)))
            prose.clear()

    def write_code(last: int) -> None:
        """Write the cells up to a position: hidden ones have no place in the tree."""
        for position in [position for position in code if position <= last]:
            end_prose()
            cell = code_cell(page[position], code.pop(position))
            if position in unseen:
                cell.outputs, cell.execution_count = [], None
            cells.append(cell)

    def captions(node: nodes.container) -> list[str]:
        """Return the captions of what a cell shows, a figure's with its description."""
        found = []
        image = page[node["cell_index"]].metadata.get("mystnb", {}).get("image", {})
        for shown in node.findall(lambda part: isinstance(part, nodes.figure | nodes.table)):
            [caption] = shown.findall(lambda part: isinstance(part, nodes.caption | nodes.title))
            kind = type(shown).__name__
            name = app.config.numfig_format[kind] % markdown.number(kind, shown)
            blocks = [f"**{name}** {markdown.line(caption)}"]
            if alt := image.get("alt"):
                blocks.append(fold(DESCRIPTION, [escape(alt)]))
            found.append("\n\n".join(blocks))
        return found

    def write_answer(node: predictions.answer) -> None:
        """Write the cells that answer a prediction, and then all that is said of them."""
        said = []
        for child in node.children:
            if isinstance(child, nodes.container) and child.get("nb_element") == "cell_code":
                write_code(child["cell_index"])
                said += captions(child)
            else:
                said += markdown.blocks(child)
        end_prose()
        text = fold(predictions.SUMMARY["reasons"], said)
        cells.append(new_markdown_cell(text, metadata={"tags": ["answer"]}, **stills_in(node)))

    def write(node: nodes.Node, depth: int) -> None:
        if isinstance(node, nodes.section) or isinstance(node, nodes.document):
            for child in node.children:
                write(child, depth + isinstance(node, nodes.section))
        elif isinstance(node, nodes.title):
            end_prose()
            title = heading(app.env, docname, node.parent, markdown.line(node))
            prose.append(f"{'#' * depth} {title}")
        elif isinstance(node, nodes.container) and node.get("nb_element") == "cell_code":
            write_code(node["cell_index"])
            for caption in captions(node):
                prose.append(caption)
                end_prose()
        elif isinstance(node, predictions.answer):
            write_answer(node)
        elif type(node).__name__ == "exercise_enumerable_node":
            end_prose()
            cells.extend(exercise_cells("\n\n".join(markdown.blocks(node))))
        elif isinstance(node, explorable) and node["still"]:
            end_prose()
            text = "\n\n".join(markdown.blocks(node))
            cells.append(new_markdown_cell(text, **stills_in(node)))
        elif isinstance(node, solution):
            end_prose()
            text = fold("Solution", markdown.inside(node))
            cells.append(new_markdown_cell(text, metadata={"tags": ["solution"]}))
        else:
            prose.extend(markdown.blocks(node))

    write(doctree, 0)
    write_code(len(page))
    end_prose()
    if runs:  # below the title and what the page begins with
        install = new_code_cell(INSTALL.strip(), metadata={"tags": ["setup"], **FOLDED})
        cells.insert(1 if cells[0].cell_type == "markdown" else 0, install)
    for number, cell in enumerate(cells):
        cell.id = f"cell-{number}"
    metadata: dict[str, Any] = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": executed.metadata.language_info if executed else {"name": "python"},
        "title": app.env.titles[docname].astext(),
    }
    return new_notebook(cells=cells, metadata=metadata)
