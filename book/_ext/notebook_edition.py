"""The notebook edition: a page as a standard Jupyter notebook, written from Sphinx's resolved tree.

When Sphinx writes a page, all is resolved: theorems have numbers, references have texts, the values
of ``glue`` stand in the prose.  Here that tree becomes Markdown cells that need no extension: a
theorem is a bold title and a quoted body, a macro is expanded, a caption stands under its figure.
The code cells and their outputs are those of the execution cache, so nothing is executed.

What only feeds the prose is left out of the code, see :func:`reader_code`.  A node that
:class:`Markdown` has no method for is an error: nothing is dropped in silence.
"""

import ast
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
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import ExtensionError

INSTALL = '''\
#@title Install pdpbook where it is missing; where it is not, this cell does nothing
from importlib.util import find_spec

if find_spec("pdpbook") is None:
    import subprocess
    import sys
    from pathlib import Path

    folders = [Path.cwd(), *Path.cwd().parents]
    wheels = [wheel for folder in folders for wheel in sorted(folder.glob("pdpbook-*.whl"))]
    if not wheels:
        raise ModuleNotFoundError(
            "pdpbook is not installed, and no pdpbook-*.whl lies in this folder or above it. "
            "Unpack the student bundle and open the notebook there, or put the wheel beside it."
        )
    command = [sys.executable, "-m", "pip", "install", "--quiet", str(wheels[0])]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(
            f"pip could not install {wheels[0].name}. The packages that it needs come from the "
            f"network: is there one? Then run this cell again. pip said:\\n{done.stderr}"
        )
'''
RECORD = "application/papermill.record/"  # where glue leaves its values
SKIPPED = (nodes.target, nodes.comment, nodes.substitution_definition, nodes.system_message)


# The code of the cells -----------------------------------------------------------------------


def feeds_the_prose(statement: ast.stmt) -> bool:
    """Whether a statement only calls ``glue``, or imports it."""
    if isinstance(statement, ast.ImportFrom):
        return statement.module == "myst_nb"
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        return isinstance(statement.value.func, ast.Name) and statement.value.func.id == "glue"
    if isinstance(statement, ast.For | ast.If) and not statement.orelse:
        return all(map(feeds_the_prose, statement.body))
    return False


def without_prose(source: str) -> str:
    """Return the code of a cell without the statements that only feed the prose."""
    lines = source.splitlines()

    def drop(statements: list[ast.stmt]) -> None:
        for statement in statements:
            if feeds_the_prose(statement):
                for number in range(statement.lineno - 1, statement.end_lineno or 0):
                    lines[number] = "\0"
            elif isinstance(statement, ast.For | ast.If | ast.With):
                drop(statement.body)

    drop(ast.parse(source).body)
    return "\n".join(line for line in lines if line != "\0").strip("\n")


def names(source: str, context: type) -> set[str]:
    """Return the names that code binds (``ast.Store``) or reads (``ast.Load``)."""
    found = {
        node.id
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Name) and isinstance(node.ctx, context)
    }
    if context is ast.Store:
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                found.add(node.name)
            elif isinstance(node, ast.Import | ast.ImportFrom):
                found |= {(name.asname or name.name).split(".")[0] for name in node.names}
    return found


def reads_first(source: str) -> set[str]:
    """Return the names that code may read before it binds them itself."""
    bound: set[str] = set()
    read: set[str] = set()
    for statement in ast.parse(source).body:
        own = {
            name.id
            for node in ast.walk(statement)
            if isinstance(node, ast.For | ast.comprehension)
            for name in ast.walk(node.target)
            if isinstance(name, ast.Name)
        } | {node.arg for node in ast.walk(statement) if isinstance(node, ast.arg)}
        text = ast.unparse(statement)
        read |= names(text, ast.Load) - bound - own
        bound |= names(text, ast.Store)
    return read


def changes_something(source: str, generators: set[str]) -> bool:
    """Whether code may change what it has not made: it draws, stores into, or calls and discards.

    The functions of the package modify nothing and draw only from a generator that they are given.
    """
    own = names(source, ast.Store)
    for node in ast.walk(ast.parse(source)):
        changed = None
        if isinstance(node, ast.Name) and node.id in generators:
            return True
        if isinstance(node, ast.Subscript | ast.Attribute) and not isinstance(node.ctx, ast.Load):
            changed = node.value
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            changed = getattr(node.value.func, "value", None)
        while isinstance(changed, ast.Subscript | ast.Attribute):
            changed = changed.value
        if isinstance(changed, ast.Name) and changed.id not in own:
            return True
    return False


def reader_code(cells: list[NotebookNode]) -> dict[int, str]:
    """Return what remains of each code cell of a page, by its position; nothing for most hidden ones.

    Statements that only feed the prose are gone from all cells.  A hidden cell (``remove-cell``) is
    gone altogether, unless a cell that remains reads a name that it binds, or it changes something.
    """
    remaining = {
        position: code
        for position, cell in enumerate(cells)
        if cell.cell_type == "code" and (code := without_prose(cell.source))
    }
    generators = {
        name.id
        for code in remaining.values()
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.Assign) and "default_rng" in ast.unparse(node.value)
        for target in node.targets
        for name in ast.walk(target)
        if isinstance(name, ast.Name)
    }
    needed: set[str] = set()
    for position in reversed(list(remaining)):
        code = remaining[position]
        hidden = "remove-cell" in cells[position].metadata.get("tags", [])
        if hidden and not names(code, ast.Store) & needed and not changes_something(code, generators):
            del remaining[position]
        else:
            needed = needed - names(code, ast.Store) | reads_first(code)
    return dict(sorted(remaining.items()))


# The prose -----------------------------------------------------------------------------------


def expand(formula: str, macros: dict[str, str]) -> str:
    """Replace the book's macros, which plain MathJax does not know, in a formula on one line."""
    formula = " ".join(formula.split())
    for name, meaning in macros.items():
        formula = re.sub(rf"(?<=[_^])\s*\\{name}(?![A-Za-z])", lambda _, m=meaning: f"{{{m}}}", formula)
        formula = re.sub(rf"\\{name}(?![A-Za-z])", lambda _, m=meaning: m, formula)
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
    return docname in env.found_docs and docname not in {
        entry.docname for entry in env.get_domain("py").objects.values()
    }


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

    # what stands in a line

    def inline(self, node: nodes.Node) -> str:
        """Return the Markdown of a node that stands in a line of text."""
        kind = type(node).__name__
        method = getattr(self, f"inline_{kind}", None)
        if method is None:
            raise ExtensionError(f"{self.docname}: the notebook edition cannot write {kind}: {node}")
        return method(node)

    def line(self, node: nodes.Element) -> str:
        """Return the children of a node in one line."""
        return " ".join("".join(map(self.inline, node.children)).split())

    def inline_Text(self, node: nodes.Text) -> str:
        text = re.sub(r"([\\`*$]|(?<!\w)_|_(?!\w)|~~)", r"\\\1", node.astext())
        text = text.replace("<", "&lt;")
        return text.replace("|", "\\|") if self.in_table else text

    def inline_emphasis(self, node: nodes.Element) -> str:
        return f"*{self.line(node)}*"

    def inline_strong(self, node: nodes.Element) -> str:
        return f"**{self.line(node)}**"

    def inline_inline(self, node: nodes.Element) -> str:
        if "badge-source" in node["classes"]:
            return f"({self.line(node)})"
        return "".join(map(self.inline, node.children))

    inline_PassthroughTextElement = inline_inline
    inline_paragraph = inline_inline

    def inline_literal(self, node: nodes.Element) -> str:
        return f"`{node.astext()}`"

    def inline_math(self, node: nodes.Element) -> str:
        formula = expand(node.astext(), self.macros)
        if self.in_table:  # there a bar ends a cell
            formula = formula.replace(r"\|", r"\Vert ").replace("|", r"\vert ")
        return f"${formula.strip()}$"

    def inline_target(self, node: nodes.Element) -> str:
        return ""

    inline_index = inline_target

    def inline_reference(self, node: nodes.Element) -> str:
        text = "".join(map(self.inline, node.children))
        target = self.link(node)
        return f"[{text}]({target})" if target else text

    inline_number_reference = inline_reference

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
        method = getattr(self, f"block_{kind}", None)
        if method is None:
            raise ExtensionError(f"{self.docname}: the notebook edition cannot write {kind}: {node}")
        return method(node)

    def inside(self, node: nodes.Element) -> list[str]:
        """Return the blocks of all children."""
        return [block for child in node.children for block in self.blocks(child)]

    def block_container(self, node: nodes.Element) -> list[str]:
        blocks = self.inside(node)
        return [f"**{blocks[0]}**"] if node.get("design_component") == "card-title" else blocks

    block_section = block_glossary = block_block_quote = inside
    block_definition = block_caption = block_tbody = inside

    def nothing(self, node: nodes.Element) -> list[str]:
        """Write nothing: a table of contents, an entry of the index, what only a browser reads."""
        return []

    block_index = block_compound = block_toctree = block_raw = nothing

    def block_paragraph(self, node: nodes.Element) -> list[str]:
        return [self.line(node)] if node.children else []

    block_rubric = block_PassthroughTextElement = block_paragraph

    def block_math_block(self, node: nodes.Element) -> list[str]:
        parts = [expand(part, self.macros) for part in re.split(r"\n\s*\n", node.astext().strip())]
        parts = [rf"\begin{{aligned}}{p}\end{{aligned}}" if r"\\" in p else p for p in parts]
        formula = r" \\ ".join(parts)
        if len(parts) > 1:
            formula = rf"\begin{{gathered}}{formula}\end{{gathered}}"
        number = self.number("displaymath", node)
        tag = rf" \tag{{{number}}}" if number else ""
        return [f"$${formula}{tag}$$"]

    def block_literal_block(self, node: nodes.Element) -> list[str]:
        return [f"```{node.get('language', '')}\n{node.astext()}\n```"]

    def items(self, node: nodes.Element, marks: Iterator[str]) -> list[str]:
        """Return a list; what an item holds besides its first line is indented."""
        lines = []
        for mark, item in zip(marks, node.children, strict=False):
            blocks = self.inside(item)
            lines.append(mark + indent("\n\n".join(blocks), " " * len(mark)).lstrip())
        return ["\n".join(lines)]

    def block_bullet_list(self, node: nodes.Element) -> list[str]:
        return self.items(node, iter(["- "] * len(node)))

    def block_enumerated_list(self, node: nodes.Element) -> list[str]:
        start = node.get("start", 1)
        return self.items(node, (f"{number}. " for number in range(start, start + len(node))))

    def block_definition_list(self, node: nodes.Element) -> list[str]:
        lines = []
        for item in node.children:
            terms = [self.line(child) for child in item if isinstance(child, nodes.term)]
            body = [b for child in item if isinstance(child, nodes.definition) for b in self.blocks(child)]
            lines.append(f"- **{', '.join(terms)}**\n\n" + indent("\n\n".join(body), "  "))
        return ["\n".join(lines)]

    def block_admonition(self, node: nodes.Element) -> list[str]:
        title, *body = node.children
        return [quoted([f"**{self.line(title)}**", *(b for n in body for b in self.blocks(n))])]

    def theorem(self, node: nodes.Element) -> list[str]:
        """Return a theorem, a definition, …: number and title in bold, the body quoted."""
        title, *body = node.children
        name = f"{node['realtype'].title()} {self.number(node['countertype'], node)}".strip()
        more = f" {self.line(title)}" if self.line(title) else ""
        return [quoted([f"**{name}**{more}", *(b for n in body for b in self.blocks(n))])]

    def block_proof_node(self, node: nodes.Element) -> list[str]:
        blocks = [block for part in node.children for block in self.inside(part)]
        blocks[0] = re.sub(r"Proof\b\W? ?", "", blocks[0], count=1)  # written again below, in bold
        if re.match(r"[-$>|] ?|\d+\. ", blocks[0]):  # a list or a formula stands alone
            return ["**Proof.**", *blocks, "∎"]
        return [f"**Proof.** {blocks[0]}", *blocks[1:], "∎"]

    def block_exercise_enumerable_node(self, node: nodes.Element) -> list[str]:
        title, *body = node.children
        return [quoted([f"**{self.line(title)}**", *(b for n in body for b in self.blocks(n))])]

    def inline_exercise_subtitle(self, node: nodes.Element) -> str:
        return f" ({self.line(node)})"

    def block_explorable(self, node: nodes.Element) -> list[str]:
        up = relpath(".", PurePosixPath(self.docname).parent)
        page = f"{up}/explorables/{node['name']}.html"
        link = f"**A figure with sliders.** [Open {page.split('/')[-1]} in a browser]({page})"
        return [quoted([f"{link} (in the folder `explorables` of the bundle).", *self.inside(node)])]

    def block_table(self, node: nodes.Element) -> list[str]:
        caption = [f"**Table {self.number('table', node)}.** {self.line(t)}".replace("**Table .** ", "")
                   for t in node if isinstance(t, nodes.title)]
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

    def block_citation(self, node: nodes.Element) -> list[str]:
        _, *body = node.children
        return ["- " + " ".join(block for child in body for block in self.blocks(child))]


# The notebook --------------------------------------------------------------------------------


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
            output.metadata = {
                mime: {**output.metadata.get(mime, {}), "needs_background": "light", "alt": alt}
                for mime in data
                if mime.startswith("image/")
            }
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


def write_notebook(
    app: Sphinx, docname: str, doctree: nodes.document, executed: NotebookNode | None
) -> NotebookNode:
    """Return a page as a notebook; ``executed`` is the page from the cache, None without cells."""
    markdown = Markdown(app, docname)
    page = executed.cells if executed else []
    code = reader_code(page)
    cells: list[NotebookNode] = []
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
            for figure in node.findall(nodes.figure):
                [caption] = [child for child in figure if isinstance(child, nodes.caption)]
                name = app.config.numfig_format["figure"] % markdown.number("figure", figure)
                prose.append(f"**{name}** {markdown.line(caption)}")
                end_prose()
        else:
            prose.extend(markdown.blocks(node))

    write(doctree, 0)
    write_code(len(page))
    end_prose()
    if executed:
        hidden = {"tags": ["setup"], "jupyter": {"source_hidden": True}, "cellView": "form"}
        cells.insert(0, new_code_cell(INSTALL.strip(), metadata=hidden))
    for number, cell in enumerate(cells):
        cell.id = f"cell-{number}"
    metadata: dict[str, Any] = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": executed.metadata.language_info if executed else {"name": "python"},
        "title": app.env.titles[docname].astext(),
    }
    return new_notebook(cells=cells, metadata=metadata)
