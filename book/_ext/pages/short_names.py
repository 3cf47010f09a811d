"""Links from the names by which the package is used to where they are documented.

``pdpbook.NVOGame`` and ``pdpbook.game.NVOGame`` in a docstring link to the class where it is
documented, ``pdpbook.game.nvo_game.NVOGame``.
"""

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from book._ext.execution.executed_pages import cache_of
from book._ext.execution.import_closure import CodeBase


def full_name(code: CodeBase, name: str) -> str:
    """Return the name under which something is documented; "" if the package does not export it.

    Examples
    --------
    >>> from pathlib import Path
    >>> code = CodeBase(Path(__file__).parents[3])
    >>> full_name(code, "pdpbook.NVOGame.evaluate")
    'pdpbook.game.nvo_game.NVOGame.evaluate'
    >>> full_name(code, "pdpbook.game.NVOGame")
    'pdpbook.game.nvo_game.NVOGame'
    >>> full_name(code, "numpy.ndarray")
    ''
    """
    package, *names = name.split(".")
    if package != "pdpbook":
        return ""
    module = package
    while names and (defined_in := code.stub(module).get(names[0])):
        if defined_in == f"{module}.{names[0]}":  # the namespace of a part
            del names[0]
        module = defined_in
    return "" if module == package or not names else ".".join([module, *names])


def resolve_short_name(
    app: Sphinx, env: BuildEnvironment, node: pending_xref, contnode: nodes.Element
) -> nodes.Element | None:
    """Link a name that the package or a part of it re-exports to the module that defines it."""
    if node.get("refdomain") != "py":
        return None
    target = full_name(cache_of(app).keys.code, node["reftarget"])
    if not target:
        return None
    domain = env.get_domain("py")
    return domain.resolve_xref(
        env, node["refdoc"], app.builder, node["reftype"], target, node, contnode
    )


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("missing-reference", resolve_short_name)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
