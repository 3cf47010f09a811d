"""Formulas that are set when the book is built.

A page holds its formulas as MathJax sets them, letters for the eye and MathML for a screen reader,
so no reader's browser has to load MathJax and to wait for it.  A page with formulas loads a style
sheet and the fonts in use.  A formula that MathJax refuses is a warning, and so fails the build.
"""

import os
from functools import cache
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.build_phase import BuildPhase
from sphinx.util.math import get_node_equation_number

from book._ext.pages.typesetter import Typesetter, macros_in

JOINER = "\N{WORD JOINER}"
PUNCTUATION = (".", ",", ";", ":", "!", "?", ")", "]", "’", "-", "–")
OPENING = ("(", "[", "“", "‘")
logger = logging.getLogger(__name__)


@cache
def typesetter_of(process: int, macros: tuple[tuple[str, str], ...]) -> Typesetter:
    """Return the typesetter of a process: one that was forked must not share its parent's."""
    return Typesetter(dict(macros))


def typesetter(config: Any) -> Typesetter:
    """Return the typesetter of this process."""
    return typesetter_of(os.getpid(), tuple(macros_in(config.mathjax3_config).items()))


def formula(writer: Any, node: nodes.Element, tex: str, display: bool) -> str:
    """Return a formula in HTML; one that cannot be set stays as it is written."""
    try:
        return typesetter(writer.builder.config).typeset(tex, display)
    except ValueError as wrong:
        logger.warning(str(wrong), location=node)
        return writer.encode(tex)


def displayed(node: nodes.math_block) -> str:
    """Return the TeX of a displayed formula, its parts below one another."""
    if node["nowrap"]:
        return node.astext()
    parts = [part for part in node.astext().split("\n\n") if part.strip()]
    parts = [rf"\begin{{split}}{part}\end{{split}}" if r"\\" in part else part for part in parts]
    if len(parts) == 1:
        return parts[0]
    return r"\begin{align}\begin{aligned}" + r"\\".join(parts) + r"\end{aligned}\end{align}"


def visit_math(writer: Any, node: nodes.math) -> None:
    """Write a formula within the text."""
    writer.body.append(writer.starttag(node, "span", "", CLASS="math notranslate nohighlight"))
    before = node.parent[: node.parent.index(node)]
    if before and isinstance(before[-1], nodes.Text) and before[-1].endswith(OPENING):
        writer.body.append(JOINER)  # no bracket stays behind at the end of a line
    writer.body.append(formula(writer, node, node.astext(), display=False))
    after = node.next_node(descend=False, siblings=True)
    if isinstance(after, nodes.Text) and after.startswith(PUNCTUATION):
        writer.body.append(JOINER)  # no line begins with the comma after a formula
    writer.body.append("</span>")
    raise nodes.SkipNode


def visit_displayed(writer: Any, node: nodes.math_block) -> None:
    """Write a displayed formula with its number."""
    writer.body.append(writer.starttag(node, "div", CLASS="math notranslate nohighlight"))
    if node["number"]:
        number = get_node_equation_number(writer, node)
        writer.body.append(f'<span class="eqno">({number})')
        writer.add_permalink_ref(node, "Link to this equation")
        writer.body.append("</span>")
    writer.body.append(formula(writer, node, displayed(node), display=True) + "</div>\n")
    raise nodes.SkipNode


def add_styles(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Load the style sheet on the pages with formulas."""
    if "<mjx-container" in context.get("body", ""):
        app.add_css_file("mathjax.css")


def write_styles(app: Sphinx, error: Exception | None) -> None:
    """Write the style sheet. ``light_theme`` leaves in it the letters that the book uses."""
    if app.phase is BuildPhase.READING:
        return  # no page was written
    if error is None and app.builder.format == "html":
        styles = typesetter(app.config).styles()
        Path(app.outdir, "_static", "mathjax.css").write_text(styles, encoding="utf-8")
    typesetter(app.config).close()


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.add_html_math_renderer("static", (visit_math, None), (visit_displayed, None))
    app.connect("html-page-context", add_styles)
    app.connect("build-finished", write_styles, priority=400)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
