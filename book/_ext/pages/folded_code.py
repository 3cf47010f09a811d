"""Code that is folded away says whose code it is.

A cell with the tag ``hide-input`` becomes a ``<details>`` whose summary is a small link: "Code of
Fig. 7.1", "Code of Table 7.1", "Code of this output", or what the code defines.  Its words are its
name for a screen reader, too, so a list of the folds of a page can be read.
"""

import ast
import re
from html import escape
from typing import Any

from docutils import nodes
from IPython.core.inputtransformer2 import TransformerManager
from myst_nb.sphinx_ import HideCodeCellNode
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

IMPORT = re.compile(r"^(?:import|from) ", re.MULTILINE)
NAMED = 3  # names that a summary lists


def defined(source: str) -> list[str]:
    """Return the names that code binds at its top level, functions and classes first.

    Examples
    --------
    >>> defined("import numpy as np; x, y = 1, 2")
    ['x', 'y']
    """
    statements = ast.parse(TransformerManager().transform_cell(source)).body
    made = [s.name for s in statements if isinstance(s, ast.FunctionDef | ast.ClassDef)]
    bound = [
        node.id
        for statement in statements
        if isinstance(statement, ast.Assign | ast.AnnAssign)
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    ]
    return list(dict.fromkeys([*made, *bound]))


def subject(env: BuildEnvironment, docname: str, fold: nodes.Element) -> str:
    """Return what the summary of a fold says in HTML: the code, and whose it is."""
    cell = fold.parent
    for shown in cell.findall(lambda node: isinstance(node, nodes.figure | nodes.table)):
        kind = type(shown).__name__
        numbers = env.toc_fignumbers.get(docname, {}).get(kind, {})
        for name in shown["ids"]:
            if name in numbers:
                number = ".".join(map(str, numbers[name]))
                return f"Code of {escape(env.config.numfig_format[kind] % number)}"
    if len(cell) > 1:
        return "Code of this output"
    names = [f"<code>{escape(name)}</code>" for name in defined(fold.astext())]
    more = "" if len(names) <= NAMED else " and more"
    imports = ["imports"] if IMPORT.search(fold.astext()) else []
    return f"Code: {', '.join([*imports, *names[:NAMED]])}{more}"


def visit_fold(writer: Any, node: nodes.Element) -> None:
    """Open the fold."""
    classes = " ".join(["hide", *node["classes"]])
    name = subject(writer.builder.env, writer.builder.current_docname, node)
    writer.body.append(f'<details class="{classes}"><summary>{name}</summary>\n')


def depart_fold(writer: Any, node: nodes.Element) -> None:
    """Close it."""
    writer.body.append("</details>\n")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.add_node(HideCodeCellNode, override=True, html=(visit_fold, depart_fold))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
