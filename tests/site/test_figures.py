"""The drawings of the built pages: what their legends name has the look that it has everywhere.

Matplotlib writes each text of a drawing as outlines under a comment that holds its words, and in a
legend the key before it.  So the drawings of all pages can be compared with the dictionary, with
the labels that the chapters gave them.
"""

import re
from pathlib import Path

import pytest

from pdpbook.plotting.series import LOOKS, entry_of
from tests.site.site import PUBLIC, parse, public_pages
from tests.tools.notebooks import ROOT

pytestmark = pytest.mark.site


def legend(drawing: Path) -> list[tuple[str, set[str]]]:
    """Labels of the legends of a drawing, each with the colours of its key."""
    text = drawing.read_text(encoding="utf-8")
    found = []
    for start in re.finditer(r'<g id="legend_\d+">', text):
        colours: set[str] = set()
        for part in re.finditer(
            r"<!-- (.*?) -->|(?:fill|stroke): (#[0-9a-f]{6})|<g id=\"(?:axes|legend)_",
            text[start.end() :],
        ):
            label, colour = part.groups()
            if label:
                found.append((label, colours))
                colours = set()
            elif colour:
                colours.add(colour)
            else:
                break
    return found


def test_a_name_has_one_colour_on_all_pages() -> None:
    wrong, seen = [], set()
    pictures = (img["src"] for page in public_pages() for img in parse(page).select("main img"))
    for name in sorted({Path(src).name for src in pictures if src.endswith(".svg")}):
        drawing = PUBLIC / "_images" / name
        for label, colours in legend(drawing):
            entry = entry_of(label)
            if entry:
                seen.add(entry)
                if colours and LOOKS[entry].colour.lower() not in colours:  # a hatch has none
                    wrong.append(f"{drawing.name}: {label!r} is {sorted(colours)}")
    assert not wrong, "\n".join(wrong)
    assert {"data", "laplace", "game", "common", "coordinated", "fixed-noise", "end-to-end"} <= seen


def test_the_first_page_opens_with_a_question_and_shows_the_parts_without_code() -> None:
    page = parse(PUBLIC / "book" / "index.html")
    assert page.select_one("article .explorable").find_previous("h1")
    assert not page.select("article .cell_input")
    assert "BRD" not in page.select_one("article").get_text()
    pictures = page.select("article img.thumbnail")
    parts = (ROOT / "_toc.yml").read_text(encoding="utf-8").count("numbered: true")
    assert len({picture["src"] for picture in pictures}) == len(pictures) == parts
    assert all(len(picture["alt"]) > 15 for picture in pictures)
