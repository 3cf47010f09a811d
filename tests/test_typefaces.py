"""The type of the book: what its files hold, and what a drawing carries of them."""

import re
from base64 import b64decode
from io import BytesIO
from pathlib import Path

import pytest
from fontTools.ttLib import TTFont

from book._ext.theme.drawn_letters import with_letters
from book._ext.theme.typefaces import (
    DEBIAN,
    FACES,
    FAMILY,
    LETTERS,
    NOTO,
    STYLES,
    add_letters,
    face,
    rules,
)
from pdpbook.plotting import SANS_SERIF
from tests.tools.notebooks import ROOT

TYPE = (ROOT / "book" / "_static" / "type.css").read_text(encoding="utf-8")
DRAWING = (
    f'<svg width="9"><text style="font-family: {SANS_SERIF}">ε &lt; 1</text>'
    f'<text style="font-style: oblique; font-family: {SANS_SERIF}">x</text></svg>'
)


def carried(style: str) -> dict[str, set[int]]:
    """The letters of the fonts within a style sheet, by what it says of their style."""
    found = {}
    for said, data in re.findall(r"(?:font-family:'[^']*';)([^@]*)src:url\(.*?,(.*?)\)", style):
        found[said] = {*TTFont(BytesIO(b64decode(data))).getBestCmap()}
    return found


@pytest.mark.parametrize("name", FACES)
def test_a_file_holds_what_it_should_and_says_its_licence(name: str) -> None:
    path = NOTO / f"{name}.woff2"
    font = TTFont(path)
    held = {*font.getBestCmap()}
    assert held <= LETTERS and {*range(0x20, 0x7F), *map(ord, "εδ−≤→⁻′½∞")} <= held
    if "mono" not in name:
        assert held == LETTERS
    assert "SIL Open Font License" in font["name"].getDebugName(13)
    assert path.stat().st_size < 25_000
    assert f'url("noto/{path.name}")' in TYPE


def test_the_files_are_those_of_the_command() -> None:
    """Letters, widths and drawings, where the fonts of Debian are installed."""
    files = {DEBIAN / f"{name}.ttf" for names in FACES.values() for name in names}
    if lacking := sorted(file.name for file in files if not file.is_file()):
        pytest.skip(f"{DEBIAN} lacks {lacking} (Debian: fonts-noto-core, fonts-noto-mono)")
    for name, names in FACES.items():
        made, kept = TTFont(BytesIO(face(DEBIAN, names))), TTFont(NOTO / f"{name}.woff2")
        assert made.getBestCmap() == kept.getBestCmap(), name
        assert made["hmtx"].metrics == kept["hmtx"].metrics, name
        assert made["glyf"] == kept["glyf"], name


def test_a_folder_without_the_fonts_and_another_unit_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=re.escape(f"got {tmp_path}")):
        face(tmp_path, FACES["noto-sans"])
    font, other = TTFont(NOTO / "noto-sans.woff2"), TTFont(NOTO / "noto-sans-bold.woff2")
    other["head"].unitsPerEm = 2048
    with pytest.raises(ValueError, match="same units"):
        add_letters(font, other, [ord("a")])


def test_an_added_letter_is_drawn_as_in_the_other_font() -> None:
    font, other = TTFont(NOTO / "noto-sans-mono.woff2"), TTFont(NOTO / "noto-sans.woff2")
    star = ord("★")
    assert star not in font.getBestCmap()
    add_letters(font, other, [star])
    name, source = font.getBestCmap()[star], other.getBestCmap()[star]
    assert font["hmtx"][name] == other["hmtx"][source]
    assert font["glyf"][name].numberOfContours == other["glyf"][source].numberOfContours > 0


def test_a_drawing_carries_its_letters_and_names_their_font_first() -> None:
    drawn = with_letters(DRAWING)
    assert with_letters(drawn) == drawn
    assert drawn.count(f"font-family: '{FAMILY}', {SANS_SERIF}") == 2
    letters = carried(drawn)
    assert letters.keys() == {"", STYLES["noto-sans-italic"]}
    assert {*map(ord, "ε<1")} <= letters[""] and ord("δ") not in letters[""]
    assert with_letters("<svg></svg>") == "<svg></svg>"


def test_rules_carry_every_style() -> None:
    letters = carried(rules(dict.fromkeys(STYLES, "δ")))
    assert letters.keys() == {*STYLES.values()}
    assert all(ord("δ") in held and ord("λ") not in held for held in letters.values())
