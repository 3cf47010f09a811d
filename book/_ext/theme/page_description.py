"""What is shown of a page where somebody shares its link or a search engine lists it.

The description is the first paragraph of the page, its values in place; the picture is that of the
first page, ``book/_static/shared.png``.  Addresses are relative, since the book does not know where
it will stand.
"""

from html import escape
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

PICTURE = "_static/shared.png"
LONGEST = 300  # letters; more is cut off wherever it is shown


def description(doctree: nodes.document) -> str:
    """Return the first paragraph of a page as plain text, cut between words; empty without one."""
    sections = doctree.findall(nodes.section)
    shown = (part for section in sections for part in section if isinstance(part, nodes.paragraph))
    text = " ".join(next((part.astext() for part in shown), "").split())
    if len(text) <= LONGEST:
        return text
    return f"{text[:LONGEST].rpartition(' ')[0]} …"


def describe(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Put description, title and picture into the head of a page."""
    text = description(doctree) if doctree else ""
    if not text:
        return
    up = "../" * pagename.count("/")
    title = app.env.titles[pagename].astext()
    shared = {
        "og:title": title,
        "og:type": "book" if pagename == app.config.root_doc else "article",
        "og:description": text,
        "og:image": f"{up}{PICTURE}",
    }
    context["metatags"] += f'\n<meta name="description" content="{escape(text)}">\n' + "\n".join(
        f'<meta property="{name}" content="{escape(value)}">' for name, value in shared.items()
    )


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("html-page-context", describe)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
