"""Proofs that a reader may fold away.

A proof becomes a ``<details>`` with the word Proof in its summary. It stands open, unless it is
longer than most of a screen. It works without JavaScript; ``pdpbook.js`` opens what a link leads
into and, on paper, everything.
"""

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx_proof.nodes import proof_node

SCREEN = 20  # lines of text that are read at a glance
LINE = 75  # letters
FORMULA = 3  # lines that a displayed formula takes


def lines(node: nodes.Element) -> float:
    """Return how many lines a text takes, roughly."""
    displayed = list(node.findall(nodes.math_block))
    letters = len(node.astext()) - sum(len(formula.astext()) for formula in displayed)
    return letters / LINE + FORMULA * len(displayed)


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


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.add_node(proof_node, override=True, html=(visit_proof, depart_proof))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
