"""Additions to autosummary for the reference: links from short names, and one list of pages.

The package is used by names such as ``pdpbook.NVOGame`` and ``pdpbook.game.Outcome.weights``, and
these are documented where they are defined, ``pdpbook.game.nvo_game.NVOGame``.
"""

from inspect import ismodule
from typing import Any

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.ext.autosummary import autosummary_toc
from sphinx.transforms import SphinxTransform

import pdpbook


def full_name(name: str) -> str:
    """Return the name under which an object of the package is documented, "" if there is none.

    Examples
    --------
    >>> full_name("pdpbook.NVOGame"), full_name("pdpbook.game.Outcome.weights")
    ('pdpbook.game.nvo_game.NVOGame', 'pdpbook.game.nvo_game.Outcome.weights')
    """
    package, *names = name.split(".")
    thing = pdpbook if package == "pdpbook" else None
    while names and ismodule(thing):
        thing = getattr(thing, names.pop(0), None)
    known = hasattr(thing, "__qualname__")  # neither a module nor a constant
    return ".".join([thing.__module__, thing.__qualname__, *names]) if known else ""


def resolve(
    app: Sphinx, env: BuildEnvironment, node: pending_xref, contnode: nodes.Element
) -> nodes.Element | None:
    """Link a name that the package re-exports to the module that defines it."""
    target = full_name(node["reftarget"]) if node.get("refdomain") == "py" else ""
    if not target:
        return None
    return env.get_domain("py").resolve_xref(
        env, node["refdoc"], app.builder, node["reftype"], target, node, contnode
    )


class OneContents(SphinxTransform):
    """Leave the contents of the book to ``_toc.yml``; autosummary would add its pages again."""

    default_priority = 90  # before the contents are inserted

    def apply(self, **kwargs: Any) -> None:
        """Remove all lists of modules of the page."""
        for contents in [*self.document.findall(autosummary_toc)]:
            contents.parent.remove(contents)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.setup_extension("sphinx.ext.autosummary")
    app.add_transform(OneContents)
    app.connect("missing-reference", resolve)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
