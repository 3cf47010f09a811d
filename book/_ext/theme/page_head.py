"""What the head of a page says of it: a description and a picture, for searches and shared links.

The description is the beginning of the page's own text, whole sentences as far as they fit.  The
picture is that of the first page, and its address is relative, since the book does not know where
it will stand; both are written by the template ``layout.html``.  The theme says how wide a
screen is three times, and the template and this module leave one of them.
"""

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from book._ext.theme.search_text import formulas, spoken

LENGTH = 200  # letters; what is longer is cut by whoever shows it
SENTENCE = re.compile(r"(?<=[.?!:]) (?=\S)")
VIEWPORT = re.compile(r'<meta [^>]*name="viewport"[^>]*>\s*')


def shortened(text: str, length: int = LENGTH) -> str:
    """Return the first sentences that fit; of a long first one the words that fit.

    Examples
    --------
    >>> shortened("One. Two is longer. Three", 20)
    'One. Two is longer.'
    >>> shortened("One that never ends", 12)
    'One that …'
    """
    first, *others = SENTENCE.split(text)
    if len(first) > length:
        return f"{first[: length - 1].rpartition(' ')[0]} …"
    for sentence in others:
        if len(first) + 1 + len(sentence) > length:
            break
        first += f" {sentence}"
    return first


def description(app: Sphinx, doctree: nodes.document) -> str:
    """Return the beginning of the first paragraphs of a page."""
    read = formulas(app)
    said = []
    for paragraph in doctree.findall(nodes.paragraph):
        if isinstance(paragraph.parent, nodes.section):
            said.append(spoken(paragraph, read))
        if sum(map(len, said)) > LENGTH:
            break
    return shortened(" ".join(filter(None, said)))


def describe(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Give the template a description, and take away the viewport that stands there already."""
    context["metatags"] = VIEWPORT.sub("", context.get("metatags", ""))
    if doctree is not None:
        context["described"] = description(app, doctree)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("html-page-context", describe)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
