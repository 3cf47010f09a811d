"""What autodoc leaves to be done on the pages of the reference.

numpydoc's "present, absent : array_like" comes from napoleon as two parameters with one text each,
the same.  Here they stand together again.  And long dotted names may break after a point or an
underscore.
"""

import re
from itertools import pairwise
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

NAME = re.compile(r"\bpdpbook(?:_exercises|_pages)?(?:\.\w+)+")


def said_of(item: nodes.list_item) -> str:
    """Return what is said of a parameter: the kind of thing, and the text."""
    name = item.next_node(nodes.strong) or item.next_node(nodes.Text)
    return item.astext().removeprefix(name.astext())


def join_parameters(app: Sphinx, doctree: nodes.document) -> None:
    """Put the names of parameters with one text side by side."""
    for field in doctree.findall(nodes.field_body):
        items = [*field.findall(nodes.list_item)]
        for one, two in reversed([*pairwise(items)]):
            first, second = one.next_node(nodes.paragraph), two.next_node(nodes.paragraph)
            named = first and second and isinstance(first[0], nodes.strong)
            if named and one.parent is two.parent and said_of(one) == said_of(two):
                names = [node for node in second.children if isinstance(node, nodes.strong)]
                for name in reversed(names):
                    first.insert(1, name)
                    first.insert(1, nodes.Text(", "))
                two.parent.remove(two)


def breakable(text: str) -> str:
    """Let the dotted names of a text break."""
    return NAME.sub(lambda name: re.sub(r"([._])", r"\1<wbr>", name[0]), text)


def break_titles(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Let the title of a page break, and those of its neighbours."""
    for side in ("prev", "next"):
        if context.get(side):
            context[side] = context[side] | {"title": breakable(context[side]["title"])}
    if pagename.startswith("book/reference/"):
        body = context.get("body", "")
        context["body"] = re.sub(r"<h1>[^<]*", lambda title: breakable(title[0]), body, count=1)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("doctree-read", join_parameters)
    app.connect("html-page-context", break_titles)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
