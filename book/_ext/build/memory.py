"""What a build keeps in memory, and how often Python looks through it.

* A page of the reference is read by two parsers. The nodes of the inner one still point to its own
  document, and through that to all that Sphinx knows, which each kept page would then hold, too.
* The garbage collector looks less often: a book is millions of nodes, and nearly all of them stay.
  It does not look at all when the process ends, which took longer than four seconds.
"""

import gc

from docutils import nodes
from sphinx.application import Sphinx

# At most one look in 200,000 new objects; Python's own first number is 700 to 2,000.
THRESHOLDS = (200_000, 50, 50)


def one_document(app: Sphinx, doctree: nodes.document) -> None:
    """Let every node of a page belong to the page."""
    for node in doctree.findall():
        node.document = doctree


def keep_what_is_left(app: Sphinx, error: Exception | None) -> None:
    """Take nothing apart at the end of the build, which the end of the process frees anyway."""
    gc.freeze()


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    gc.set_threshold(*THRESHOLDS)
    app.connect("doctree-read", one_document)
    app.connect("build-finished", keep_what_is_left, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
