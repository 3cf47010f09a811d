"""What a reader may fold away: long proofs, and the slips of a source.

A proof becomes a ``<details>`` with the word Proof in its summary.  It stands open, unless it is
longer than most of a screen.  A slip of a source (an admonition whose title begins with "Erratum")
is out of the path until somebody asks for it.  Both work without JavaScript; ``pdpbook.js`` opens
what a link leads into and, on paper, everything.
"""

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx_proof.nodes import proof_node

SCREEN = 20  # lines of text that are read at a glance
LINE = 75  # letters
FORMULA = 3  # lines that a displayed formula takes
TITLE = re.compile(r'<p class="admonition-title">(.*?)</p>', re.DOTALL)


def lines(node: nodes.Element) -> float:
    """Return how many lines a text takes, roughly."""
    displayed = list(node.findall(nodes.math_block))
    letters = len(node.astext()) - sum(len(formula.astext()) for formula in displayed)
    return letters / LINE + FORMULA * len(displayed)


def is_erratum(node: nodes.Element) -> bool:
    """Whether an admonition tells of a slip."""
    return bool(node.children) and node[0].astext().startswith("Erratum")


def visit_proof(writer: Any, node: nodes.Element) -> None:
    """Open the fold; what follows is put into it at the end."""
    node["starts"] = len(writer.body)


def depart_proof(writer: Any, node: nodes.Element) -> None:
    """Write the proof without its first word, which is the summary."""
    start = node.attributes.pop("starts")
    text = "".join(writer.body[start:]).replace("<p>Proof. ", "<p>", 1)
    state = "" if lines(node) > SCREEN else " open"
    writer.body[start:] = [f'<details class="folded-proof"{state}><summary>Proof</summary>{text}']
    writer.body.append("</details>")


def visit_admonition(writer: Any, node: nodes.Element, name: str = "") -> None:
    """Open an admonition, or remember where an erratum starts."""
    if is_erratum(node):
        node["starts"] = len(writer.body)
    else:
        type(writer).visit_admonition(writer, node, name)


def depart_admonition(writer: Any, node: nodes.Element) -> None:
    """Close an admonition; the title of an erratum is its summary."""
    if not is_erratum(node):
        type(writer).depart_admonition(writer, node)
        return
    start = node.attributes.pop("starts")
    summary = (
        '<summary class="admonition-title">'
        r'<span class="fold-mark" aria-hidden="true"></span>\1</summary>'
    )
    text = TITLE.sub(summary, "".join(writer.body[start:]), count=1)
    names = f' id="{node["ids"][0]}"' if node["ids"] else ""
    writer.body[start:] = [f'<details class="admonition warning erratum"{names}>{text}</details>']


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.add_node(proof_node, override=True, html=(visit_proof, depart_proof))
    app.add_node(nodes.admonition, override=True, html=(visit_admonition, depart_admonition))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
