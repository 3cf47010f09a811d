"""What the head of a page says of it: a description and a picture, for searches and shared links.

The description is the beginning of the page's own text, whole sentences as far as they fit.  The
picture is that of the first page.  Crawlers want to know its whole address, and the book does not
know where it will stand: who publishes it says so in the variable ``PDPBOOK_URL`` of the
environment, which becomes Sphinx's ``html_baseurl``.  Without it the address is relative.  Both are
written by the template ``layout.html``.  The theme says how wide a screen is three times, and the
template and this module leave one of them.
"""

import os
import re
from typing import Any
from urllib.parse import urljoin, urlsplit

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ConfigError

from book._ext.theme.search_text import formulas, spoken

LENGTH = 200  # letters; what is longer is cut by whoever shows it
SENTENCE = re.compile(r"(?<=[.?!:]) (?=\S)")
URL = "PDPBOOK_URL"
PICTURE = "_static/shared.png"
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


def is_button(paragraph: nodes.paragraph) -> bool:
    """Whether a paragraph is a link and nothing else."""
    links = [*paragraph.findall(nodes.reference)]
    return len(links) == 1 and links[0].astext() == paragraph.astext()


def description(app: Sphinx, doctree: nodes.document) -> str:
    """Return the beginning of the first paragraphs of a page."""
    read = formulas(app)
    said = []
    for paragraph in doctree.findall(nodes.paragraph):
        if isinstance(paragraph.parent, nodes.section) and not is_button(paragraph):
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
        base = app.config.html_baseurl
        context["picture"] = urljoin(base, PICTURE) if base else context["pathto"](PICTURE, 1)


def take_address(app: Sphinx, config: Config) -> None:
    """Take the address at which the book will stand from the environment, if it is there.

    Raises
    ------
    ConfigError
        If it is not the address of a web site.
    """
    address = os.environ.get(URL, "")
    if address and not (urlsplit(address).scheme in {"http", "https"} and urlsplit(address).netloc):
        raise ConfigError(f"{URL} must be the address of the book, http or https, got {address!r}")
    if address:
        config.html_baseurl = address.rstrip("/") + "/"


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("config-inited", take_address)
    app.connect("html-page-context", describe)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
