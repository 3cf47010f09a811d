"""What the search page shows of a page that it finds.

Sphinx's search would fetch each page to quote from it, which ``file://`` does not allow.  So the
text of every section, definition, theorem, term and documented object is written into one script,
``searchtext.js``, which the search page loads when it has something to look for.  MiniSearch finds
the places, words that are spelled almost alike among them, and ``search.js`` ranks and quotes them.

Pages are written by two processes, and in a later build only those that have changed: so each page
leaves its part in a file, and the parts are joined when all are there.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from shutil import rmtree
from typing import Any

from docutils import nodes
from sphinx.addnodes import desc
from sphinx.application import Sphinx

from book._ext.pages.spoken_math import read_aloud
from book._ext.pages.static_math import displayed, typesetter

NOT_READ = (nodes.literal_block, nodes.raw, nodes.comment, nodes.image, desc)
GUESSES = {"prediction-options", "prediction-feedback"}  # most of them are wrong
Reader = Callable[[nodes.math | nodes.math_block], str]  # a formula to letters


def is_statement(node: nodes.Node) -> bool:
    """Whether a node is a definition, a theorem or the like."""
    return isinstance(node, nodes.Admonition) and "proof" in node.get("classes", ())


def is_section(node: nodes.Node) -> bool:
    """Whether a node is a section with a title; the body of a statement has none."""
    return isinstance(node, nodes.section) and isinstance(node[0], nodes.title)


def words(node: nodes.Node, read: Reader) -> Iterator[str]:
    """Yield the text of a node, but for the code, and for the entries of their own."""
    for child in node.children:
        if isinstance(child, nodes.Text):
            yield child.astext()
        elif isinstance(child, nodes.math):
            yield read(child)
        elif isinstance(child, nodes.math_block):
            yield f"{read(child)} "
        elif (
            GUESSES.intersection(child["classes"])
            or is_section(child)
            or isinstance(child, (*NOT_READ, nodes.title, nodes.term))
        ):
            continue
        elif not is_statement(child):
            yield from words(child, read)
            if isinstance(child, (nodes.TextElement, nodes.entry, nodes.list_item)):
                yield "" if isinstance(child, nodes.Inline) else " "


def spoken(node: nodes.Node, read: Reader) -> str:
    """Return the text of a node, its formulas in letters."""
    return " ".join("".join(words(node, read)).split())


def formulas(app: Sphinx) -> Reader:
    """Return what reads the formulas of a book; one that cannot be set stays as it is written."""

    def read(formula: nodes.math | nodes.math_block) -> str:
        display = isinstance(formula, nodes.math_block)
        tex = displayed(formula) if display else formula.astext()
        try:
            return read_aloud(typesetter(app.config).typeset(tex, display))
        except ValueError:  # the writer of the page has said so
            return tex

    return read


def statement_name(node: nodes.Element, numbers: Mapping[str, Any], read: Reader) -> str:
    """Return "Definition 2.1 (Sensitivity)", as the page shows it; a proof has neither."""
    title = next((spoken(each, read) for each in node.findall(nodes.title)), "")
    given = numbers.get(node.get("countertype", ""), {})
    number = next((".".join(map(str, given[name])) for name in node["ids"] if name in given), "")
    parts = (node.get("realtype", "").title(), number, title)
    return " ".join(part for part in parts if part) or "Proof"


def entries(
    doctree: nodes.document, read: Reader, numbers: Mapping[str, Any]
) -> Iterator[list[str]]:
    """Yield kind, place, title and text of the sections, statements, terms and objects, in order.

    Of several ids the first is the anchor: in the page it is the id of the element itself, while
    the writer adds an empty element for each of the others.  ``numbers`` are those of the page's
    statements, by kind and id.
    """
    for node in doctree.findall():
        if is_section(node):
            yield ["section", node["ids"][0], spoken(node[0], read), spoken(node, read)]
        elif is_statement(node):
            name = statement_name(node, numbers, read)
            place = node["ids"][0] if node["ids"] else ""
            yield ["statement", place, name, spoken(node, read)]
        elif isinstance(node, nodes.definition_list_item) and node[0]["ids"]:
            yield ["term", node[0]["ids"][0], spoken(node[0], read), spoken(node, read)]
        elif isinstance(node, desc) and node[0].get("ids"):
            name = node[0]["ids"][0]
            yield ["object", name, name, spoken(node[-1], read)]


def parts_folder(app: Sphinx) -> Path:
    """Return where the parts of the pages are kept."""
    return Path(app.doctreedir, "searchtext")


def write_part(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Keep the text of a page."""
    if doctree is None or app.builder.format != "html":
        return
    target = parts_folder(app) / f"{pagename}.json"
    target.parent.mkdir(parents=True, exist_ok=True)
    numbers = app.env.toc_fignumbers.get(pagename, {})
    places = [*entries(doctree, formulas(app), numbers)]
    target.write_text(json.dumps(places, ensure_ascii=False), encoding="utf-8")


def join_parts(app: Sphinx, error: Exception | None) -> None:
    """Write the script that holds the text of all pages."""
    if error is not None or app.builder.format != "html":
        return
    folder, text = parts_folder(app), {}
    for part in sorted(folder.rglob("*.json")):
        name = part.relative_to(folder).with_suffix("").as_posix()
        if name in app.env.found_docs:
            text[name] = json.loads(part.read_text(encoding="utf-8"))
    script = f"window.searchText = {json.dumps(text, ensure_ascii=False)};\n"
    Path(app.outdir, "searchtext.js").write_text(script, encoding="utf-8")


def forget(app: Sphinx) -> None:
    """Start anew when every page is written anew."""
    if app.fresh_env_used:
        rmtree(parts_folder(app), ignore_errors=True)


def leave_out_the_index_of_sphinx(app: Sphinx) -> None:
    """Make no ``searchindex.js``: half a megabyte that no page loads, and 5 % of the build."""
    Path(app.outdir, "searchindex.js").unlink(missing_ok=True)  # of an earlier build
    for step in ("load_indexer", "index_page", "dump_search_index"):
        if hasattr(app.builder, step):
            setattr(app.builder, step, lambda *_: None)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("builder-inited", forget)
    app.connect("builder-inited", leave_out_the_index_of_sphinx)
    app.connect("html-page-context", write_part)
    app.connect("build-finished", join_parts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
