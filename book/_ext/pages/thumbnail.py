"""A small picture of a chapter: the directive ``thumbnail``.

````
```{thumbnail} fig-nvo-game-landscape
What is to be seen, for those who do not see it.
```
````

It shows a figure of another page again, without its caption.  The figure is the one that the page
was executed to, so the picture is never older than the page.  It is small, and so is its file: the
PNG that a figure has beside its SVG, with the dots and the colours that are seen.
"""

from pathlib import Path
from typing import Any

from docutils import nodes
from PIL import Image
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

logger = logging.getLogger(__name__)
HEIGHT = 256  # two dots a pixel: the style sheet makes a thumbnail 8 rem high
COLOURS = 48  # no difference is seen at this size, and the first page is lighter


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
        return [thumbnail(figure=self.arguments[0], alt=alt, page=self.env.docname)]


def find_picture(env: BuildEnvironment, figure: str) -> str:
    """Return the file of a figure's PNG, or nothing if no page has it."""
    docname, label = env.domaindata["std"]["anonlabels"].get(figure, ("", ""))[:2]
    if not docname:
        return ""
    for image in env.get_doctree(docname).findall(nodes.image):
        above = image.parent
        while above is not None and label not in above.get("ids", []):
            above = above.parent
        if above is not None and image["uri"].endswith(".png"):
            return str(image["uri"])
    return ""


def shrink(env: BuildEnvironment, picture: str) -> str:
    """Write a picture small, with its transparency, and return the new file."""
    small = Path(env.doctreedir, "thumbnails", Path(picture).name)
    small.parent.mkdir(parents=True, exist_ok=True)
    with Image.open(Path(env.srcdir, picture)) as image:
        size = (round(image.width * HEIGHT / image.height), HEIGHT)
        shrunk = image.convert("RGBA").resize(size, Image.Resampling.LANCZOS)
    shrunk.quantize(COLOURS, Image.Quantize.FASTOCTREE).save(small, optimize=True)
    return small.absolute().as_posix()  # the doctrees need not lie below the sources


def insert_pictures(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Put the pictures in their places."""
    for place in doctree.findall(thumbnail):
        found = find_picture(app.env, place["figure"])
        if not found:
            logger.warning("thumbnail: no page has the figure %r", place["figure"], location=place)
            continue
        small = shrink(app.env, found)
        app.env.images.add_file(docname, small)
        place += nodes.image(
            uri=small, candidates={"*": small}, alt=place["alt"], classes=["thumbnail"]
        )


def visit(writer: Any, node: thumbnail) -> None:
    """Nothing but the picture inside."""


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.add_node(thumbnail, html=(visit, visit), text=(visit, visit))
    app.add_directive("thumbnail", Thumbnail)
    app.connect("doctree-resolved", insert_pictures)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
