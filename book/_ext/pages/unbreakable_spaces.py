"""What no end of a line tears apart: "ε = 1" and "3 s", and the star of an optional chapter.

A number that a cell computed brings its sign with it, "5%"; in the text and in the tables of the
book stands "5 %", with a narrow space.
"""

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.transforms.post_transforms import SphinxPostTransform

NO_BREAK = "\N{NO-BREAK SPACE}"
NARROW_SPACE = "\N{NARROW NO-BREAK SPACE}"
PER_CENT = re.compile(r"(?<=\d) ?%|^ %")  # the number may be a node of its own
# The number may be a node of its own here as well.
EQUALS = re.compile(r"(?<=[εδσρκγnKBbm′]) ([=≤≥<>]) (?=[−\d½∞]|$)")
STAR = re.compile(r" (?=★)")
UNIT = re.compile(r"(?:(?<=\d)|^) (?=(?:ms|s|cm|kg|kB|MB|GB|nats)\b)")
VERBATIM = (nodes.FixedTextElement, nodes.literal, nodes.math, nodes.math_block, nodes.raw)


class Unbroken(SphinxPostTransform):
    """Keep numbers with what they belong to."""

    default_priority = 900  # computed numbers are in the text by then

    def run(self, **kwargs: Any) -> None:
        """Do it for all texts of the page."""
        for text in [*self.document.findall(nodes.Text)]:
            if not isinstance(text.parent, VERBATIM):
                unbroken = PER_CENT.sub(f"{NARROW_SPACE}%", text)
                unbroken = EQUALS.sub(f"{NO_BREAK}\\1{NO_BREAK}", unbroken)
                unbroken = STAR.sub(NO_BREAK, UNIT.sub(NO_BREAK, unbroken))
                if unbroken != text:
                    text.parent.replace(text, nodes.Text(unbroken))


class UnbrokenTitles(SphinxTransform):
    """Keep the star with its title, also where another page names it: Sphinx notes titles early."""

    default_priority = 700

    def apply(self, **kwargs: Any) -> None:
        """Do it for all titles of the page."""
        for title in self.document.findall(nodes.title):
            for text in [*title.findall(nodes.Text)]:
                text.parent.replace(text, nodes.Text(STAR.sub(NO_BREAK, text)))


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.add_transform(UnbrokenTitles)
    app.add_post_transform(Unbroken)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
