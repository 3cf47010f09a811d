"""Letters of drawings in the type of the book.

A browser draws a picture that a page shows by itself, without the fonts of the page, so a drawing
whose letters are text carries them: a font of a hundred letters, 8 kB.  It stands in the
built book alone.  In a notebook a drawing names the fonts of the reader's system, as
``pdpbook.plotting`` writes it, because what shows the notebook has its own.

Matplotlib lays out with DejaVu Sans, which is wider, so nothing that it has placed beside a text
touches it.
"""

import re
from html import unescape
from pathlib import Path

from sphinx.application import Sphinx

from book._ext.theme.typefaces import FAMILY, rules
from pdpbook.plotting.style import SANS_SERIF

TEXT = re.compile(r"<(?:text|tspan)\b([^>]*)>([^<]*)")
BETWEEN = re.compile(r">\s+<")
OPENING = re.compile(r"<svg\b[^>]*>")


def letters_of(drawing: str) -> dict[str, set[str]]:
    """Return the letters of a drawing, by the font that they need.

    Examples
    --------
    >>> letters_of('<text style="a">b<tspan style="font-style: oblique">c</tspan></text>')
    {'noto-sans': {'b'}, 'noto-sans-italic': {'c'}}
    """
    found: dict[str, set[str]] = {}
    for attributes, text in TEXT.findall(drawing):
        name = "noto-sans"
        if re.search(r"font-style: (oblique|italic)", attributes):
            name = "noto-sans-italic"
        elif re.search(r"font-weight: (bold|[67]00)", attributes):
            name = "noto-sans-bold"
        if text := unescape(text).strip():
            found.setdefault(name, set()).update(text)
    return found


def with_letters(drawing: str) -> str:
    """Return a drawing with its letters; one that has them, or none, stays as it is.

    The white space between its tags goes: within a text it would be set in another font.
    """
    opening = OPENING.search(drawing)
    if opening is None or SANS_SERIF not in drawing or f"'{FAMILY}'" in drawing:
        return drawing
    style = f"<style>{rules(letters_of(drawing))}</style>"
    drawing = f"{drawing[: opening.end()]}{style}{drawing[opening.end() :]}"
    drawing = BETWEEN.sub("><", drawing)
    return drawing.replace(SANS_SERIF, f"'{FAMILY}', {SANS_SERIF}")


def put_letters(app: Sphinx, error: Exception | None) -> None:
    """Give all drawings of the book their letters."""
    if error is not None or app.builder.format != "html":
        return
    for path in Path(app.outdir, app.builder.imagedir).glob("*.svg"):
        drawing = path.read_text(encoding="utf-8")
        if (lettered := with_letters(drawing)) != drawing:
            path.write_text(lettered, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("build-finished", put_letters)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
