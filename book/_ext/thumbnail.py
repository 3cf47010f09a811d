"""A small picture of a chapter: the directive ``thumbnail``.

````
```{thumbnail} fig-nvo-game-landscape
What is to be seen, for those who do not see it.
```
````

It shows a figure of another page again, without its caption.  The figure is the one that the page
was executed to, so the picture is never older than the page.
"""

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

logger = logging.getLogger(__name__)


class thumbnail(nodes.General, nodes.Element):
    """Where the picture will stand."""


class Thumbnail(SphinxDirective):
    """Reads the directive."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        """Return the place of the picture."""
        if not self.content:
            raise self.error(f"thumbnail {self.arguments[0]!r} has no description")
        alt = " ".join(self.content)
        self.env.metadata[self.env.docname]["thumbnails"] = True
        return [thumbnail(figure=self.arguments[0], alt=alt, page=self.env.docname)]


def find_picture(env: BuildEnvironment, figure: str) -> nodes.image | None:
    """Return the drawing of a figure, or nothing if no page has it."""
    docname, label = env.domaindata["std"]["anonlabels"].get(figure, ("", ""))[:2]
    if not docname:
        return None
    for image in env.get_doctree(docname).findall(nodes.image):
        above = image.parent
        while above is not None and label not in above.get("ids", []):
            above = above.parent
        if above is not None and image["uri"].endswith(".svg"):
            return image
    return None


def insert_pictures(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Put the pictures in their places."""
    for place in doctree.findall(thumbnail):
        found = find_picture(app.env, place["figure"])
        if found is None:
            logger.warning("thumbnail: no page has the figure %r", place["figure"], location=place)
            continue
        image = found.deepcopy()
        image["alt"] = place["alt"]
        image["classes"] = ["thumbnail"]
        place += image


def pages_with_pictures(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Return the pages to write anew whenever any page is: their pictures may be that page's."""
    return [name for name, about in env.metadata.items() if "thumbnails" in about]


def visit(writer: Any, node: thumbnail) -> None:
    """Nothing but the picture inside."""


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.add_node(thumbnail, html=(visit, visit), latex=(visit, visit), text=(visit, visit))
    app.add_directive("thumbnail", Thumbnail)
    app.connect("doctree-resolved", insert_pictures)
    app.connect("env-updated", pages_with_pictures)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
