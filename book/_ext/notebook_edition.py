"""The notebook edition: a page as a standard Jupyter notebook, written from Sphinx's resolved tree.

When Sphinx writes a page, all is resolved: theorems have numbers, references have texts, the values
of ``glue`` stand in the prose.  Here that tree becomes Markdown cells that need no extension: a
theorem is a bold title and a quoted body, a macro is expanded, a caption stands under its figure.
The code cells and their outputs are those of the execution cache, so nothing is executed.

What only feeds the prose is left out of the code, see ``reader_code``.  A node that
:class:`Markdown` has no method for is an error: nothing is dropped in silence.
"""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import PurePosixPath
from posixpath import normpath, relpath
from textwrap import indent
from typing import Any
from urllib.parse import quote, unquote

from docutils import nodes
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from reader_code import INSTALL, reader_code
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import ExtensionError

RECORD = "application/papermill.record/"  # where glue leaves its values
SKIPPED = (nodes.target, nodes.comment, nodes.substitution_definition)
WRITE_HERE = "*Write your answer here.*"  # in the cell under an exercise with a proof


def expand(formula: str, macros: dict[str, str]) -> str:
    """Replace the book's macros, which plain MathJax does not know, in a formula on one line."""
    formula = " ".join(formula.split())
    for name, meaning in macros.items():
        macro = rf"\\{name}(?![A-Za-z])"
        formula = re.sub(rf"(?<=[_^]){macro}", lambda _, m=meaning: f"{{{m}}}", formula)
        formula = re.sub(macro, lambda _, m=meaning: m, formula)
    return formula


def quoted(blocks: list[str]) -> str:
    """Return blocks as one quoted block."""
    return indent("\n\n".join(blocks), "> ", lambda _: True).replace("> \n", ">\n")


def heading(env: BuildEnvironment, docname: str, section: nodes.section, title: str) -> str:
    """Return the title of a section with its number."""
    numbers = env.toc_secnumbers.get(docname, {})
    top = not isinstance(section.parent, nodes.section)
    number = numbers.get("" if top else f"#{section['ids'][0]}", ())
    return f"{'.'.join(map(str, number))}. {title}" if number else title


def has_notebook(env: BuildEnvironment, docname: str) -> bool:
    """Whether a page is in the edition: all but the reference, which documents the code itself."""
    return docname in env.found_docs and not docname.startswith("book/reference")


@cache
def sections(env: BuildEnvironment, docname: str) -> dict[str, str]:
    """Map each target of a page to the anchor of its section in JupyterLab; to "" without one."""
    found: dict[str, str] = {}
    for node in env.get_doctree(docname).findall(nodes.Element):
        section = node
        while section and not isinstance(section, nodes.section):
            section = section.parent
        if section is None or not isinstance(section.parent, nodes.section):
            anchor = ""
        elif next(section[0].findall(nodes.math), None):
            anchor = ""  # nobody knows what a browser makes of a formula
        else:
            text = heading(env, docname, section, section[0].astext())
            anchor = quote(text.replace(" ", "-"))
        found |= dict.fromkeys(node.get("ids", []), anchor)
        if "refid" in node and isinstance(node, nodes.target):
            found.setdefault(node["refid"], anchor)
    return found


class Markdown:
    """Writes a resolved page as Markdown: ``inline`` for what stands in a line, ``blocks`` else."""

    def __init__(self, app: Sphinx, docname: str) -> None:
        self.app, self.env, self.docname = app, app.env, docname
        self.macros = app.config.mathjax3_config["tex"]["macros"]
        self.in_table = False

    def number(self, kind: str, node: nodes.Element) -> str:
        """Return the number that Sphinx gave to a figure, a theorem, an equation."""
        numbers = self.env.toc_fignumbers.get(self.docname, {}).get(kind, {})
        found = [numbers[name] for name in node["ids"] if name in numbers]
        return ".".join(map(str, found[0])) if found else ""

    def unknown(self, node: nodes.Node) -> Any:
        """Refuse a node; Sphinx marks what it could not read as ``problematic``."""
        kind = type(node).__name__
        raise ExtensionError(f"{self.docname}: the notebook edition cannot write {kind}: {node}")

    # what stands in a line

    def inline(self, node: nodes.Node) -> str:
        """Return the Markdown of a node that stands in a line of text."""
        kind = type(node).__name__
        method = getattr(self, f"_inline_{kind}", self.unknown)
        return method(node)

    def line(self, node: nodes.Element) -> str:
        """Return the children of a node in one line."""
        return " ".join("".join(map(self.inline, node.children)).split())

    def _inline_Text(self, node: nodes.Text) -> str:
        text = re.sub(r"([\\`*$]|(?<!\w)_|_(?!\w)|~~)", r"\\\1", node.astext())
        text = text.replace("<", "&lt;")
        return text.replace("|", "\\|") if self.in_table else text

    def _inline_emphasis(self, node: nodes.Element) -> str:
        return f"*{self.line(node)}*"

    def _inline_strong(self, node: nodes.Element) -> str:
        return f"**{self.line(node)}**"

    def _inline_inline(self, node: nodes.Element) -> str:
        if "badge-source" in node["classes"]:
            return f"({self.line(node)})"
        return "".join(map(self.inline, node.children))

    _inline_PassthroughTextElement = _inline_inline
    _inline_paragraph = _inline_inline

    def _inline_literal(self, node: nodes.Element) -> str:
        return f"`{node.astext()}`"

    def _inline_math(self, node: nodes.Element) -> str:
        formula = expand(node.astext(), self.macros)
        if self.in_table:  # there a bar ends a cell
            formula = formula.replace(r"\|", r"\Vert ").replace("|", r"\vert ")
        return f"${formula.strip()}$"

    def _inline_target(self, node: nodes.Element) -> str:
        return ""

    _inline_index = _inline_raw = _inline_target  # raw HTML: a link that only a browser can follow

    def _inline_reference(self, node: nodes.Element) -> str:
        text = "".join(map(self.inline, node.children))
        target = self.link(node)
        return f"[{text}]({target})" if target else text

    _inline_number_reference = _inline_reference

    def link(self, node: nodes.Element) -> str:
        """Return where a reference leads in the edition; nothing where it has no such place."""
        uri = node.get("refuri", "#" + node.get("refid", ""))
        if re.match(r"[a-z]+:", uri):
            return uri
        path, _, name = uri.partition("#")
        here = PurePosixPath(self.docname).parent
        page = normpath(here / path.removesuffix(".html")) if path else self.docname
        if not has_notebook(self.env, page):
            return ""
        anchor = sections(self.env, page).get(unquote(name), "")
        file = "" if page == self.docname else relpath(page, here) + ".ipynb"
        return file + (f"#{anchor}" if anchor else "")

    # blocks

    def blocks(self, node: nodes.Node) -> list[str]:
        """Return the Markdown blocks of a node."""
        if isinstance(node, SKIPPED):
            return []
        kind = type(node).__name__
        if "realtype" in node:
            return self.theorem(node)
        method = getattr(self, f"_block_{kind}", self.unknown)
        return method(node)

    def inside(self, node: nodes.Element) -> list[str]:
        """Return the blocks of all children."""
        return [block for child in node.children for block in self.blocks(child)]

    def _block_container(self, node: nodes.Element) -> list[str]:
        blocks = self.inside(node)
        return [f"**{blocks[0]}**"] if node.get("design_component") == "card-title" else blocks

    _block_section = _block_glossary = _block_block_quote = inside
    _block_definition = _block_caption = _block_tbody = inside

    def nothing(self, node: nodes.Element) -> list[str]:
        """Write nothing: a table of contents, an entry of the index."""
        return []

    _block_index = _block_compound = _block_toctree = nothing

    def _block_paragraph(self, node: nodes.Element) -> list[str]:
        return [self.line(node)] if node.children else []

    _block_rubric = _block_PassthroughTextElement = _block_paragraph

    def _block_math_block(self, node: nodes.Element) -> list[str]:
        parts = [expand(part, self.macros) for part in re.split(r"\n\s*\n", node.astext().strip())]
        parts = [rf"\begin{{aligned}}{p}\end{{aligned}}" if r"\\" in p else p for p in parts]
        formula = r" \\ ".join(parts)
        if len(parts) > 1:
            formula = rf"\begin{{gathered}}{formula}\end{{gathered}}"
        number = self.number("displaymath", node)
        tag = rf" \tag{{{number}}}" if number else ""
        return [f"$${formula}{tag}$$"]

    def _block_literal_block(self, node: nodes.Element) -> list[str]:
        return [f"```{node.get('language', '')}\n{node.astext().rstrip()}\n```"]

    def items(self, node: nodes.Element, marks: Iterator[str]) -> list[str]:
        """Return a list; what an item holds besides its first line is indented."""
        lines = []
        for mark, item in zip(marks, node.children, strict=False):
            blocks = self.inside(item)
            lines.append(mark + indent("\n\n".join(blocks), " " * len(mark)).lstrip())
        return ["\n".join(lines)]

    def _block_bullet_list(self, node: nodes.Element) -> list[str]:
        return self.items(node, iter(["- "] * len(node)))

    def _block_enumerated_list(self, node: nodes.Element) -> list[str]:
        start = node.get("start", 1)
        return self.items(node, (f"{number}. " for number in range(start, start + len(node))))

    def _block_definition_list(self, node: nodes.Element) -> list[str]:
        lines = []
        for item in node.children:
            terms = [self.line(child) for child in item if isinstance(child, nodes.term)]
            bodies = [child for child in item if isinstance(child, nodes.definition)]
            body = "\n\n".join(block for child in bodies for block in self.blocks(child))
            lines.append(f"- **{', '.join(terms)}**\n\n" + indent(body, "  "))
        return ["\n".join(lines)]

    def _block_admonition(self, node: nodes.Element) -> list[str]:
        title, *body = node.children
        return [quoted([f"**{self.line(title)}**", *(b for n in body for b in self.blocks(n))])]

    def _block_sidebar(self, node: nodes.Element) -> list[str]:
        _, *body = node.children  # a note in the margin: its title is empty
        return [quoted([block for child in body for block in self.blocks(child)])]

    def theorem(self, node: nodes.Element) -> list[str]:
        """Return a theorem, a definition, …: number and title in bold, the body quoted."""
        title, *body = node.children
        name = f"{node['realtype'].title()} {self.number(node['countertype'], node)}".strip()
        more = f" {self.line(title)}" if self.line(title) else ""
        return [quoted([f"**{name}**{more}", *(b for n in body for b in self.blocks(n))])]

    def _block_proof_node(self, node: nodes.Element) -> list[str]:
        blocks = [block for part in node.children for block in self.inside(part)]
        blocks[0] = re.sub(r"Proof\b\W? ?", "", blocks[0], count=1)  # written again below, in bold
        alone = re.compile(r"[-$>|] ?|\d+\. ")  # a list, a formula, a table: nothing in its line
        opening, end = ([""] if alone.match(blocks[i]) else [] for i in (0, -1))
        blocks = [*opening, *blocks, *end]
        blocks[0] = f"**Proof.** {blocks[0]}".rstrip()
        blocks[-1] = f"{blocks[-1]} ∎".lstrip()
        return blocks

    def _block_exercise_enumerable_node(self, node: nodes.Element) -> list[str]:
        title, *body = node.children
        name = f"**Exercise {self.number('exercise', node)}** {self.line(title)}"
        return [quoted([name, *(block for child in body for block in self.blocks(child))])]

    def _block_thumbnail(self, node: nodes.Element) -> list[str]:
        """Leave out a picture of another page: the link beside it leads there."""
        return []

    def _block_figure(self, node: nodes.Element) -> list[str]:
        [image], [caption] = node.findall(nodes.image), node.findall(nodes.caption)
        name = self.app.config.numfig_format["figure"] % self.number("figure", node)
        return [f"![{image['alt']}]({image['uri']})", f"**{name}** {self.line(caption)}"]

    def _block_explorable(self, node: nodes.Element) -> list[str]:
        up = relpath(".", PurePosixPath(self.docname).parent)
        page = f"{up}/explorables/{node['name']}.html"
        link = f"**A figure with sliders.** [Open {page.split('/')[-1]} in a browser]({page})"
        where = "(in the folder `explorables` of the bundle)."
        return [quoted([f"{link} {where}", *self.inside(node)])]

    def _block_table(self, node: nodes.Element) -> list[str]:
        name = self.app.config.numfig_format["table"] % self.number("table", node)
        titles = [child for child in node if isinstance(child, nodes.title)]
        caption = [f"**{name}** {self.line(title)}" for title in titles]
        rows = [[self.cell(entry) for entry in row] for row in node.findall(nodes.row)]
        if not next(node.findall(nodes.thead), None):
            rows.insert(0, [" "] * len(rows[0]))
        rows.insert(1, ["---"] * len(rows[0]))
        return ["\n".join(f"| {' | '.join(row)} |" for row in rows), *caption]

    def cell(self, entry: nodes.Element) -> str:
        """Return the content of a table cell, which must stand in one line."""
        self.in_table = True
        text = "<br>".join(self.line(child) for child in entry.children)
        self.in_table = False
        return text

    def _block_citation(self, node: nodes.Element) -> list[str]:
        _, *body = node.children
        return ["- " + " ".join(block for child in body for block in self.blocks(child))]


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
        written.metadata["jupyter"] = {"source_hidden": True}
    if "remove-cell" in tags:
        written.outputs = []
    return written


def exercise_cells(statement: str) -> list[NotebookNode]:
    """Return an exercise as a cell of its own, and a cell to write in if it asks for a proof."""
    tagged = [("exercise", statement), ("exercise-proof", WRITE_HERE)]
    wanted = tagged if " minutes, a proof.*" in statement else tagged[:1]
    return [new_markdown_cell(text, metadata={"tags": [tag]}) for tag, text in wanted]


def write_notebook(
    app: Sphinx, docname: str, doctree: nodes.document, executed: NotebookNode | None
) -> NotebookNode:
    """Return a page as a notebook; ``executed`` is the page from the cache, None without cells."""
    markdown = Markdown(app, docname)
    page = executed.cells if executed else []
    code = reader_code(page)
    hidden = {"tags": ["setup"], "jupyter": {"source_hidden": True}, "cellView": "form"}
    cells = [new_code_cell(INSTALL.strip(), metadata=hidden)] if code else []
    prose: list[str] = []

    def end_prose() -> None:
        if prose:
            cells.append(new_markdown_cell("\n\n".join(prose)))
            prose.clear()

    def write_code(last: int) -> None:
        """Write the cells up to a position: hidden ones have no place in the tree."""
        for position in [position for position in code if position <= last]:
            end_prose()
            cells.append(code_cell(page[position], code.pop(position)))

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
            for shown in node.findall(lambda part: isinstance(part, nodes.figure | nodes.table)):
                [caption] = shown.findall(
                    lambda part: isinstance(part, nodes.caption | nodes.title)
                )
                kind = type(shown).__name__
                name = app.config.numfig_format[kind] % markdown.number(kind, shown)
                prose.append(f"**{name}** {markdown.line(caption)}")
                end_prose()
        elif type(node).__name__ == "exercise_enumerable_node":
            end_prose()
            cells.extend(exercise_cells("\n\n".join(markdown.blocks(node))))
        else:
            prose.extend(markdown.blocks(node))

    write(doctree, 0)
    write_code(len(page))
    end_prose()
    for number, cell in enumerate(cells):
        cell.id = f"cell-{number}"
    metadata: dict[str, Any] = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": executed.metadata.language_info if executed else {"name": "python"},
        "title": app.env.titles[docname].astext(),
    }
    return new_notebook(cells=cells, metadata=metadata)
