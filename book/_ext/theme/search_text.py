"""What the search page shows of a page that it finds.

Sphinx's search would fetch each page to quote from it, which ``file://`` does not allow.  So the
text of every section, definition, theorem and term is written into one script, ``searchtext.js``,
which the search page loads when it has something to look for.  ``search.js`` ranks, quotes.

Pages are written by two processes, and in a later build only those that have changed: so each page
leaves its part in a file, and the parts are joined when all are there.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from shutil import rmtree
from typing import Any

from docutils import nodes
from sphinx.addnodes import desc
from sphinx.application import Sphinx

NOT_READ = (nodes.literal_block, nodes.raw, nodes.comment, nodes.image, nodes.math_block, desc)
FORMULA = str.maketrans("", "", "\\{}$")


def is_statement(node: nodes.Node) -> bool:
    """Whether a node is a definition, a theorem or the like."""
    return isinstance(node, nodes.Admonition) and "proof" in node.get("classes", ())


def is_section(node: nodes.Node) -> bool:
    """Whether a node is a section with a title; the body of a statement has none."""
    return isinstance(node, nodes.section) and isinstance(node[0], nodes.title)


def words(node: nodes.Node) -> Iterator[str]:
    """Yield the text of a node, but for the code, and for the entries of their own."""
    for child in node.children:
        if isinstance(child, nodes.Text):
            yield child.astext()
        elif isinstance(child, nodes.math):
            yield child.astext().replace("eps", "ε").translate(FORMULA)
        elif is_section(child) or isinstance(child, (*NOT_READ, nodes.title, nodes.term)):
            continue
        elif not is_statement(child):
            yield from words(child)
            if isinstance(child, (nodes.TextElement, nodes.entry, nodes.list_item)):
                yield "" if isinstance(child, nodes.Inline) else " "


def spoken(node: nodes.Node) -> str:
    """Return the text of a node, its formulas in letters."""
    return " ".join("".join(words(node)).split())


def entry(kind: str, anchor: str, title: str, body: nodes.Node) -> list[str]:
    """Return an entry: its kind, where it is, its title and its text."""
    return [kind, anchor, title, spoken(body)]


def entries(doctree: nodes.document) -> Iterator[list[str]]:
    """Yield the sections, the statements and the terms of a page, in their order.

    Of several ids the first is the anchor: in the page it is the id of the element itself, while
    the writer adds an empty element for each of the others.
    """
    for node in doctree.findall():
        if is_section(node):
            yield entry("section", node["ids"][0], spoken(node[0]), node)
        elif is_statement(node):
            title = next((spoken(each) for each in node.findall(nodes.title)), "")
            yield entry("statement", node["ids"][0] if node["ids"] else "", title, node)
        elif isinstance(node, nodes.definition_list_item) and node[0]["ids"]:
            yield entry("term", node[0]["ids"][0], spoken(node[0]), node)


def parts_folder(app: Sphinx) -> Path:
    """Return where the parts of the pages are kept."""
    return Path(app.doctreedir, "searchtext")


def write_part(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Keep the text of a page, and load the scripts on the search page."""
    if pagename == "search":
        app.add_js_file("search.js", loading_method="defer")
    if doctree is None or app.builder.format != "html":
        return
    target = parts_folder(app) / f"{pagename}.json"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps([*entries(doctree)], ensure_ascii=False), encoding="utf-8")


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


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("builder-inited", forget)
    app.connect("html-page-context", write_part)
    app.connect("build-finished", join_parts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
