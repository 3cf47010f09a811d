"""What Sphinx would look up again for each of a thousand references, looked up once.

* The number of a figure comes from the page that holds it, and Sphinx reads that page from disk for
  every reference to one.  By then no page changes any more.
* A citation is written by a plugin of pybtex, which asks every installed package for it each time.
"""

from functools import cache
from typing import Any

from docutils import nodes
from pybtex.plugin import find_plugin, register_plugin
from sphinx.application import Sphinx
from sphinx.domains.std import StandardDomain
from sphinx.environment import BuildEnvironment

BACKENDS = ("docutils", "plaintext")


class Pages:
    """All that Sphinx knows, with the pages in memory."""

    def __init__(self, env: BuildEnvironment) -> None:
        self._env = env
        self.get_doctree = cache(env.get_doctree)

    def __getattr__(self, name: str) -> Any:
        """Everything else is as Sphinx has it."""
        return getattr(self._env, name)


class RememberingDomain(StandardDomain):
    """Sphinx's domain of labels, which numbers figures from the pages in memory."""

    _pages: Pages | None = None

    def _resolve_numref_xref(self, env: Any, *where: Any) -> nodes.Element | None:
        if self._pages is None:
            self._pages = Pages(env)
        return super()._resolve_numref_xref(self._pages, *where)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.add_domain(RememberingDomain, override=True)
    for name in BACKENDS:
        register_plugin("pybtex.backends", name, find_plugin("pybtex.backends", name), force=True)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
