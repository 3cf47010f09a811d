"""The type of the book: Noto Sans and Noto Sans Mono, cut down to the letters that it prints.

A page that is set in whatever a reader's system has is another page on every machine: its lines
have 70 letters here and 90 there, and nothing has the height that was kept free for it.  So the
book brings its letters, in ``vendor/noto``.  ``python -m book._ext.theme.typefaces FOLDER`` makes
these files from the fonts in a folder, by default that of Debian's packages ``fonts-noto-core`` and
``fonts-noto-mono`` (2020.12).  Noto Sans has no arrows and few signs of mathematics; what it lacks
is taken from its sisters, which are drawn to stand beside it, so each style is one file.

:func:`rules` makes a style sheet that carries a few letters within itself, for what has no other
file: a drawing, to which a browser does not give the fonts of the page around it
(``drawn_letters.py``), and a figure with sliders in the student bundle.
"""

import sys
from base64 import b64encode
from collections.abc import Iterable, Mapping
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fontTools.ttLib import TTFont

ROOT = Path(__file__).parents[3]
NOTO = ROOT / "vendor" / "noto"
DEBIAN = Path("/usr/share/fonts/truetype/noto")
#: What the book prints, and what may be needed next: first and last letter of each range.
PRINTED = [
    (0x20, 0x7E),  # Latin
    (0xA0, 0xFF),  # with accents, for names
    (0x141, 0x142),
    (0x160, 0x161),
    (0x391, 0x3A1),  # Greek
    (0x3A3, 0x3A9),
    (0x3B1, 0x3C9),
    (0x1D40, 0x1D40),  # ᵀ
    (0x2009, 0x200B),  # spaces, dashes, quotation marks
    (0x2010, 0x2014),
    (0x2016, 0x2016),  # ‖
    (0x2018, 0x201E),
    (0x2022, 0x2022),
    (0x2026, 0x2026),
    (0x202F, 0x2030),
    (0x2032, 0x2033),  # ′ and ″
    (0x2060, 0x2060),
    (0x2070, 0x2071),  # raised and lowered
    (0x2074, 0x208E),
    (0x2113, 0x2113),  # ℓ
    (0x2190, 0x2194),  # arrows
    (0x21D2, 0x21D4),
    (0x2200, 0x2203),  # mathematics
    (0x2205, 0x220B),
    (0x220E, 0x2212),
    (0x221A, 0x221E),
    (0x2227, 0x222B),
    (0x2248, 0x2248),
    (0x2260, 0x2265),
    (0x2282, 0x2287),
    (0x2308, 0x230B),
    (0x25A0, 0x25A1),  # signs
    (0x25B6, 0x25B8),
    (0x25BC, 0x25BE),
    (0x25CB, 0x25CF),
    (0x2605, 0x2605),
    (0x2713, 0x2717),
    (0x275A, 0x275A),
]
LETTERS = frozenset(letter for first, last in PRINTED for letter in range(first, last + 1))
_SIGNS = ["NotoSansMath-Regular", "NotoSansSymbols2-Regular", "NotoSansSymbols-Regular"]
#: The files of the book, each with the fonts that it is made from: the first has what it lacks from
#: the others.
FACES = {
    "noto-sans": ["NotoSans-Regular", *_SIGNS],
    "noto-sans-italic": ["NotoSans-Italic", *_SIGNS],
    "noto-sans-bold": ["NotoSans-Bold", *_SIGNS],
    "noto-sans-bold-italic": ["NotoSans-BoldItalic", *_SIGNS],
    "noto-sans-mono": ["NotoSansMono-Regular"],
    "noto-sans-mono-bold": ["NotoSansMono-Bold"],
}
ENGLISH = frozenset(range(0x20, 0x7F))
#: Greek letters in the text are those of the formulas, which are MathJax's.
GREEK, FORMULAS = "greek.woff2", ROOT / "vendor" / "mathjax" / "fonts" / "MathJax_Math-Italic.woff"
FAMILY = "Book Sans"  #: what ``type.css`` calls it
STYLES = {
    "noto-sans": "",
    "noto-sans-italic": "font-style:italic;",
    "noto-sans-bold": "font-weight:600 900;",
}


def subset(font: "TTFont", letters: Iterable[int], flavor: str | None = "woff2") -> bytes:
    """Return a font with some of its letters alone; the font is changed.

    Kerning and the figures of one width stay; what helps old screens goes.
    """
    from fontTools.subset import Options, Subsetter  # a build of one page does without

    options = Options(hinting=False, desubroutinize=True, notdef_outline=True, bidi_closure=False)
    options.layout_features = ["ccmp", "kern", "tnum"]
    options.name_IDs = [0, 1, 2, 3, 4, 5, 6, 13, 14]  # what it is, its version, and its licence
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=letters)
    subsetter.subset(font)
    font.flavor = flavor
    written = BytesIO()
    font.save(written)
    return written.getvalue()


@cache
def uncompressed(name: str) -> bytes:
    """Return a file of the book as it is before it is compressed."""
    from fontTools.ttLib import TTFont

    written = BytesIO()
    with TTFont(NOTO / f"{name}.woff2") as font:
        font.flavor = None
        font.save(written)
    return written.getvalue()


@cache
def address(name: str, letters: frozenset[int]) -> str:
    """Return a file of the book with some of its letters alone, as the address of itself."""
    from fontTools.ttLib import TTFont

    written = subset(TTFont(BytesIO(uncompressed(name))), letters)
    return f"data:font/woff2;base64,{b64encode(written).decode()}"


def rules(letters: Mapping[str, Iterable[str]]) -> str:
    """Return a style sheet that carries letters of the book's text, by the file they are in.

    Those of English are always among them, so most drawings share a font, which is made once.
    """
    return "".join(
        f"@font-face{{font-family:'{FAMILY}';{STYLES[name]}"
        f"src:url({address(name, LETTERS & {*ENGLISH, *map(ord, those)})})}}"
        for name, those in letters.items()
    )


def add_letters(font: "TTFont", other: "TTFont", letters: Iterable[int]) -> None:
    """Copy letters of another font of the same size of drawing."""
    from fontTools.pens.recordingPen import DecomposingRecordingPen
    from fontTools.pens.ttGlyphPen import TTGlyphPen

    if font["head"].unitsPerEm != other["head"].unitsPerEm:
        raise ValueError("both fonts must be drawn in the same units")
    names, drawings, order = other.getBestCmap(), other.getGlyphSet(), font.getGlyphOrder()
    for letter in letters:
        name, whole = f"uni{letter:04X}.added", DecomposingRecordingPen(drawings)
        drawings[names[letter]].draw(whole)
        pen = TTGlyphPen(None)
        whole.replay(pen)
        order = [*order, name]
        font.setGlyphOrder(order)
        font["glyf"].glyphs[name] = pen.glyph()
        font["glyf"].glyphOrder = order
        font["hmtx"][name] = other["hmtx"][names[letter]]
        for table in font["cmap"].tables:
            if table.isUnicode():
                table.cmap[letter] = name


def face(folder: Path, names: list[str]) -> bytes:
    """Return a file of the book, made from fonts in a folder.

    Raises
    ------
    SystemExit
        If a font is not there.
    """
    from fontTools.ttLib import TTFont

    fonts = []
    for name in names:
        path = folder / f"{name}.ttf"
        if not path.is_file():
            raise SystemExit(
                f"the folder must hold {path.name} (Debian: fonts-noto-core, fonts-noto-mono),"
                f" got {folder}"
            )
        fonts.append(TTFont(path, recalcTimestamp=False))
    font, *others = fonts
    for other in others:
        lacking = LETTERS - font.getBestCmap().keys()
        add_letters(font, other, sorted(lacking & other.getBestCmap().keys()))
    return subset(font, LETTERS & font.getBestCmap().keys())


def main(folder: Path) -> None:
    """Write the files of the book."""
    from fontTools.ttLib import TTFont

    greek = subset(TTFont(FORMULAS), range(0x3B1, 0x3CA))
    (FORMULAS.parent / GREEK).write_bytes(greek)
    NOTO.mkdir(parents=True, exist_ok=True)
    for name, names in FACES.items():
        written = face(folder, names)
        (NOTO / f"{name}.woff2").write_bytes(written)
        print(f"{name}.woff2: {len(written):,} bytes")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else DEBIAN)
