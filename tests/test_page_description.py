"""What those see of a page who are shown a link to it."""

from docutils import nodes
from docutils.utils import new_document

from book._ext.theme.page_description import LONGEST, PICTURE, description
from tests.tools.notebooks import ROOT


def page(*paragraphs: str) -> nodes.document:
    """A page with a title and paragraphs."""
    document = new_document("page")
    parts = [nodes.paragraph(text, text) for text in paragraphs]
    document += nodes.section("", nodes.title("", "A title"), *parts)
    return document


def test_the_first_paragraph_describes_a_page() -> None:
    assert description(page("One\nof two heights.", "More.")) == "One of two heights."
    assert description(page()) == ""


def test_a_long_paragraph_is_cut_between_words() -> None:
    said = description(page("word " * 100))
    assert len(said) <= LONGEST + 2
    assert said.endswith("word …")


def test_the_picture_is_there() -> None:
    assert (ROOT / "book" / PICTURE).read_bytes().startswith(b"\x89PNG")
