"""Letters of drawings in the type of the book.

A browser draws a picture that a page shows by itself, without the fonts of the page, so a drawing
whose letters are text carries those that it has: a font of some 40 letters, 4 kB.  It stands in the
built book alone.  In a notebook a drawing names the fonts of the reader's system, as
``pdpbook.plotting`` writes it, because what shows the notebook has its own.

Matplotlib lays out with DejaVu Sans, which is wider, so nothing that it has placed beside a text
touches it.
"""

import re
from base64 import b64encode
from collections.abc import Iterator
from functools import cache
from html import unescape
from io import BytesIO
from pathlib import Path

from sphinx.application import Sphinx

from book._ext.theme.typefaces import NOTO, subset
from pdpbook.plotting.style import SANS_SERIF

FAMILY = "Book Sans"
TEXT = re.compile(r"<(text|tspan)\b([^>]*)>([^<]*)")
STYLES = {
    "noto-sans": "",
    "noto-sans-italic": "font-style:italic;",
    "noto-sans-bold": "font-weight:700;",
}


@cache
def whole(name: str) -> bytes:
    """Return a font of the book as it is before it is compressed."""
    from fontTools.ttLib import TTFont

    written = BytesIO()
    with TTFont(NOTO / f"{name}.woff2") as font:
        font.flavor = None
        font.save(written)
    return written.getvalue()


@cache
def few(name: str, letters: frozenset[int]) -> str:
    """Return a font of some letters as the address of itself."""
    from fontTools.ttLib import TTFont

    written = subset(TTFont(BytesIO(whole(name))), letters)
    return f"data:font/woff2;base64,{b64encode(written).decode()}"


def letters_of(drawing: str) -> dict[str, set[int]]:
    """Return the letters of a drawing, by the font that they need.

    Examples
    --------
    >>> letters_of('<text style="a">b<tspan style="font-style: oblique">c</tspan></text>')
    {'noto-sans': {98}, 'noto-sans-italic': {99}}
    """
    found: dict[str, set[int]] = {}
    for _, attributes, text in TEXT.findall(drawing):
        name = "noto-sans"
        if re.search(r"font-style: ?(oblique|italic)|\b(oblique|italic) ", attributes):
            name = "noto-sans-italic"
        elif re.search(r"font-weight: ?(bold|[67]00)|\b(bold|[67]00) ", attributes):
            name = "noto-sans-bold"
        if text := unescape(text).strip():
            found.setdefault(name, set()).update(map(ord, text))
    return found


def faces(drawing: str) -> Iterator[str]:
    """Yield the fonts that a drawing needs, as rules of a style sheet."""
    for name, letters in letters_of(drawing).items():
        source = few(name, frozenset({*letters, ord(" ")}))
        yield f'@font-face{{font-family:"{FAMILY}";{STYLES[name]}src:url({source})}}'


def with_letters(drawing: str) -> str:
    """Return a drawing with its letters; one that has them, or none, stays as it is."""
    if SANS_SERIF not in drawing or f"'{FAMILY}'" in drawing:
        return drawing
    opening = re.search(r"<svg\b[^>]*>", drawing)
    assert opening is not None
    rules = f"<style>{''.join(faces(drawing))}</style>"
    drawing = f"{drawing[: opening.end()]}\n{rules}{drawing[opening.end() :]}"
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
