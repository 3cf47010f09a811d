"""A resolved page as Markdown that needs no extension, for the notebook edition.

A theorem is a bold title and a body between two lines, a macro is expanded, a caption stands under
its figure, a link leads to the notebook or the page that it means.  A node that :class:`Markdown`
has no method for is an error: nothing is dropped in silence.
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
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import ExtensionError

from book._ext.pages.typesetter import macros_in
from book._ext.predictions import TITLE

SKIPPED = (nodes.target, nodes.comment, nodes.substitution_definition)
CHOOSE = "*Choose one before you go on.*"
#: Keeps a letter off a formula: VS Code and GitHub take a dollar beside a letter for a price.
JOINER = "\N{WORD JOINER}"
NEEDLESS = re.compile(rf"(?<!\w){JOINER}(?=\$)|(?<=\$){JOINER}(?!\w)")
RULE = "***"  #: a line across the page; dashes would make a heading of a text above them


def expand(formula: str, macros: dict[str, str]) -> str:
    r"""Replace the book's macros, which plain MathJax does not know, in a formula on one line.

    A macro is one token.  So after ``_``, ``^`` and a control word, which might take it for an
    argument or run into its first letter, what it means stands in braces.

    Examples
    --------
    >>> expand(r"a \le\KL_n, \KL", {"KL": "D"})
    'a \\le{D}_n, D'
    """
    formula = " ".join(formula.split())
    for name, meaning in macros.items():
        macro = rf"\\{name}(?![A-Za-z])"
        before = rf"([_^]|\\[A-Za-z]+){macro}"
        formula = re.sub(before, lambda found, m=meaning: f"{found[1]}{{{m}}}", formula)
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
        self.macros = macros_in(app.config.mathjax3_config)
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
        text = " ".join("".join(map(self.inline, node.children)).split())
        return NEEDLESS.sub("", text)

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
        return f"{JOINER}${formula.strip()}${JOINER}"

    def _inline_target(self, node: nodes.Element) -> str:
        return ""

    _inline_image = _inline_index = _inline_target  # a card shows a small picture of another page

    def _inline_raw(self, node: nodes.Element) -> str:
        """Keep the end of a line; other HTML is a link that only a browser can follow."""
        return "<br>" if node.astext().startswith("<br") else ""

    def _inline_Mark(self, node: nodes.Element) -> str:
        return f" ({node['said']})"  # the proof itself stands in the built book

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
    _block_definition = _block_caption = _block_tbody = _block_dropdown_main = inside

    def nothing(self, node: nodes.Element) -> list[str]:
        """Write nothing: a table of contents, an entry of the index."""
        return []

    _block_index = _block_compound = _block_toctree = _block_dropdown_title = nothing

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

    def _block_prediction(self, node: nodes.Element) -> list[str]:
        return [quoted([f"**{TITLE}**", *self.inside(node), CHOOSE])]

    def _block_sidebar(self, node: nodes.Element) -> list[str]:
        _, *body = node.children  # a note in the margin: its title is empty
        return [quoted([block for child in body for block in self.blocks(child)])]

    def theorem(self, node: nodes.Element) -> list[str]:
        """Return a theorem, a definition, …: number and title in bold, between two lines.

        A rule is plain Markdown, so whatever shows the notebook draws it.  A quotation would be set
        in pale letters, and a box of HTML has a style that not everything keeps.
        """
        title, *body = node.children
        name = f"{node['realtype'].title()} {self.number(node['countertype'], node)}".strip()
        more = f" {self.line(title)}" if self.line(title) else ""
        return [RULE, f"**{name}**{more}", *(b for n in body for b in self.blocks(n)), RULE]

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

    def _block_figure(self, node: nodes.Element) -> list[str]:
        [image], [caption] = node.findall(nodes.image), node.findall(nodes.caption)
        name = self.app.config.numfig_format["figure"] % self.number("figure", node)
        return [f"![{image['alt']}]({image['uri']})", f"**{name}** {self.line(caption)}"]

    def _block_raw(self, node: nodes.Element) -> list[str]:
        """Leave out what a cell has computed for an explorable: its own page carries it."""
        if 'type="application/json" data-for=' not in node.astext():
            raise ExtensionError(f"{self.docname}: the notebook edition cannot write HTML: {node}")
        return []

    def _block_explorable(self, node: nodes.Element) -> list[str]:
        """Show a still, which the cell has attached, and say where the one that moves is."""
        up = relpath(".", PurePosixPath(self.docname).parent)
        name = f"{node['name']}.html"
        page = f"{up}/explorables/{name}"
        still = node["still"]
        shown = [f"![{still.said}](attachment:{still.picture.name})"] if still else []
        moving = (
            f"**A still of a figure with controls.** To move them, open [{name}]({page}), in the "
            "folder `explorables` of the bundle, in a browser. JupyterLab shows it after a click "
            "on *Trust HTML*."
        )
        return [*shown, quoted([moving, *self.inside(node)])]

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
