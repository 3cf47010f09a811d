"""The drawings of the built pages: what their legends name has the look that it has everywhere.

Matplotlib writes the key of a series before its name, and each text as a comment before its
outlines.  So the drawings of all pages can be compared with the dictionary, with the labels that
the chapters gave them.
"""

import re
from functools import cache
from html import unescape
from pathlib import Path

import pytest

from pdpbook.plotting.series import LOOKS, entry_of
from tests.plotting.chapters import DRAWN_IN
from tests.site.site import PUBLIC, parse, public_pages
from tests.tools.notebooks import ROOT

pytestmark = pytest.mark.site


@cache
def read(file: Path) -> str:
    """The text of a page or of a drawing."""
    return file.read_text(encoding="utf-8")


@cache
def legend(drawing: Path) -> list[tuple[str, set[str]]]:
    """Labels of the legends of a drawing, each with the colours of its key."""
    text = read(drawing)
    found = []
    for start in re.finditer(r'<g id="legend_\d+">', text):
        colours: set[str] = set()
        for part in re.finditer(
            r"<!-- (.*?) -->|(?:fill|stroke): (#[0-9a-f]{6})|<g id=\"(?:axes|legend)_",
            text[start.end() :],
        ):
            label, colour = part.groups()
            if label:
                found.append((unescape(label), colours))
                colours = set()
            elif colour:
                colours.add(colour)
            else:
                break
    return found


def drawings(page: Path) -> list[Path]:
    """The drawings of a page."""
    names = {*re.findall(r'<img [^>]*src="[^"]*_images/([^"]+\.svg)"', read(page))}
    return [PUBLIC / "_images" / name for name in sorted(names)]


def test_a_name_has_one_colour_on_all_pages() -> None:
    wrong, seen = [], set()
    for drawing in {each for page in public_pages() for each in drawings(page)}:
        for label, colours in legend(drawing):
            entry = entry_of(label)
            if entry:
                seen.add(entry)
                if colours and LOOKS[entry].colour.lower() not in colours:  # a hatch has none
                    wrong.append(f"{drawing.name}: {label!r} is {sorted(colours)}")
    assert not wrong, "\n".join(wrong)
    assert {"data", "laplace", "game", "common", "coordinated", "fixed-noise", "end-to-end"} <= seen


def test_the_list_of_what_a_chapter_draws_is_whole() -> None:
    wrong = []
    for chapter, keys in DRAWN_IN.items():
        for drawing in drawings(PUBLIC / "book" / f"{chapter}.html"):
            named = {entry_of(label) for label, _ in legend(drawing)} - {None}
            wrong += [f"{chapter}: {key}" for key in sorted(named - {*keys.split()})]
    assert not [each for each in wrong if ": distance-" not in each], "\n".join(wrong)


def test_no_mark_of_an_axis_is_a_product() -> None:
    """A short logarithmic axis has 0.3, 1 and 3 on it, not 3 × 10⁻¹ and six more like it."""
    drawn = {each for page in public_pages() for each in drawings(page)}
    powers = [each for each in drawn if re.search(r"<!-- \$.*10\^", read(each))]
    assert len(powers) > 20
    assert not [each.name for each in powers if re.search(r"<!-- \$.*\\times", read(each))]


def test_the_first_page_opens_with_a_question_and_shows_the_parts_without_code() -> None:
    page = parse(PUBLIC / "book" / "index.html")
    assert page.select_one("article .explorable").find_previous("h1")
    assert not page.select("article .cell_input")
    assert "BRD" not in page.select_one("article").get_text()
    pictures = page.select("article img.thumbnail")
    parts = (ROOT / "_toc.yml").read_text(encoding="utf-8").count("numbered: true")
    assert len({picture["src"] for picture in pictures}) == len(pictures) == parts
    assert all(len(picture["alt"]) > 15 for picture in pictures)
