"""The search of the book, which works without a server.

Sphinx's own search fetches each page that it finds in order to quote from it, but a browser does
not allow a page of a local folder to fetch another.  So the text of all pages is written, place by
place, to ``searchindex.js``, instead of Sphinx's index.  Our ``searchtools.js`` replaces Sphinx's
file of this name: it finds the places with MiniSearch, ranks the pages and quotes them.
"""

import json
from pathlib import Path
from typing import Any

from bs4 import BeautifulSoup, Tag
from docutils import nodes
from sphinx.application import Sphinx

TITLES = "> :is(h1, h2, h3, h4, .admonition-title)"
PLACES = f":is(section, .proof)[id]:has({TITLES}), dl:is(.glossary, .py) > dt[id]"
NOT_READ = (
    "pre, script, style, button, .headerlink, .section-number, .checked-proof,"
    " .prediction > .admonition-title, .prediction-options, .prediction-feedback"
)


def said(tag: Tag | None) -> str:
    """Return the text of a tag on one line, with its formulas as TeX."""
    text = tag.get_text() if tag else ""
    return " ".join(text.replace(r"\[", r"\(").replace(r"\]", r"\)").split())


def places_of(html: str) -> list[tuple[str, str, str]]:
    """Return the places of a page, each with its anchor, title and text."""
    page = BeautifulSoup(html, "html.parser")
    for tag in page.select(NOT_READ):
        tag.decompose()
    places: list[tuple[str, str, str]] = []
    for place in reversed(page.select(PLACES)):  # inner places come before outer ones
        if place.name == "dt":
            text = place.find_next_sibling("dd")  # after the last of several terms
            title = place["id"] if "sig" in place.get("class", ()) else said(place)
        else:
            text, heading = place, place.select_one(f":scope {TITLES}")
            title = said(heading.extract())
        places.insert(0, (place["id"], title, said(text)))
        for read in filter(None, (text, place)):
            read.extract()
    return places


def begin(app: Sphinx) -> None:
    """Load the texts of an earlier build, and disable the index of Sphinx."""
    index = Path(app.outdir, "searchindex.js")
    app.searched = json.loads(index.read_text("utf-8").partition("=")[2]) if index.is_file() else {}
    for step in ("load_indexer", "index_page", "dump_search_index"):
        setattr(app.builder, step, lambda *_: None)


def read_page(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: nodes.document
) -> None:
    """Store the text of a written page, and add the scripts of the search page."""
    if doctree is not None:
        app.searched[pagename] = places_of(context["body"])
    elif pagename == "search":
        app.add_js_file(None, body=f"window.MathJax = {json.dumps(app.config.mathjax3_config)}")
        app.add_js_file(app.config.mathjax_path, loading_method="defer")
        app.add_js_file("minisearch/minisearch.js")


def write_index(app: Sphinx, error: Exception | None) -> None:
    """Write the text of all existing pages."""
    if error is None:
        found = {page: app.searched[page] for page in sorted(app.env.found_docs & {*app.searched})}
        text = json.dumps(found, ensure_ascii=False)
        Path(app.outdir, "searchindex.js").write_text(f"searchText = {text}", encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("builder-inited", begin)
    app.connect("html-page-context", read_page)
    app.connect("build-finished", write_index)
    return {"parallel_read_safe": True, "parallel_write_safe": False}
