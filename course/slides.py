"""Slides for a lecturer: a deck of reveal.js for each chapter, made from its built page.

``python -m course.slides`` takes from a page what a class should see: the title, the heading of
each section with its first sentence, the definitions and statements in full, the figures and tables
with the first sentence of their captions, and each prediction as a poll, with the answer on the
next slide.  Proofs, code, exercises and all other text stay in the book, and so do the figures that
move: a picture of them can be moved by nobody, and its letters are too small for a hall.

The built page is the source, since its numbers, references, formulas and drawings are already there
as a reader sees them.  nbconvert makes slides of whole cells instead, so the text would stand on
them, too, and would have to be marked cell by cell; and its formulas load MathJax from a network.

A deck is one file.  It holds its scripts, fonts and figures, and its policy forbids all requests.
"""

from __future__ import annotations

import argparse
import re
from base64 import b64encode
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cache
from html import escape
from mimetypes import guess_type
from pathlib import Path

import jinja2
import yaml
from bs4 import BeautifulSoup, NavigableString, Tag

from book._ext.edition.student_bundle import pages
from book._ext.theme.typefaces import STYLES, rules
from course.assignment import page_name
from course.folder import ROOT, CourseError
from course.formulas import formulas
from course.report import write_whole

__all__ = ["Slide", "chapter", "deck", "first_sentence", "slides_of", "write_slides"]

DECKS = Path("_build", "slides")
PAGE = Path(__file__).with_suffix(".html")
REVEAL = ROOT / "vendor" / "reveal"
GREEK = ROOT / "vendor" / "mathjax" / "fonts" / "greek.woff2"
NUMBERED = "h1 .section-number"  #: what a chapter has and no other page
#: What is shown, by the kind of its slide.
SHOWN = {
    "goals": "div.tip.admonition:not(.prediction)",
    "section": "section:has(> h2, > h3)",
    "statement": "div.proof:is(.definition, .theorem, .proposition, .lemma, .corollary)",
    "figure": "figure:has(img), table:has(> caption)",
    "poll": "div.prediction",
    "answer": "details.prediction-answer",
}
LEFT_OUT = "section:has(> div.exercise), section#further-reading, aside, figure.explorable"
USELESS = "a.headerlink, a.checked-proof, script, summary"
#: Where a sentence ends: at the end of a line, as the book is written, or before a capital.
SENTENCE = re.compile(r"\n|(?<=[.?!]) (?=[A-Z])")


@dataclass(frozen=True)
class Slide:
    """A slide.

    Attributes
    ----------
    kind : str
        ``"title"`` or a key of ``SHOWN``; the style sheet knows it.
    html : str
        What it shows.
    """

    kind: str
    html: str


def first_sentence(tag: Tag) -> Tag:
    r"""Return a copy of an element that ends after its first sentence.

    Examples
    --------
    >>> soup = BeautifulSoup("<p>One <em>is</em> enough.\nTwo are not.</p>", "html.parser")
    >>> first_sentence(soup.p)
    <p>One <em>is</em> enough.</p>
    """
    shortened = copy(tag)
    for child in list(shortened.children):
        if isinstance(child, NavigableString) and len(parts := SENTENCE.split(child, 1)) > 1:
            for later in list(child.next_siblings):
                later.extract()
            child.replace_with(parts[0])
            break
    return shortened


def _clean(tag: Tag, folder: Path) -> Tag:
    """Return a copy of an element that needs no other file; a link is the text that it had.

    Parameters
    ----------
    tag : Tag
        Of a page.
    folder : Path
        Of this page: the addresses of pictures begin there.
    """
    cleaned = copy(tag)
    for useless in cleaned.select(USELESS):
        useless.decompose()
    for link in cleaned.select("a"):
        link.unwrap()
    for part in cleaned.select("section"):
        part.name = "div"  # a section would be a slide
    for picture in cleaned.select("img"):
        path = folder / str(picture["src"])
        if not path.is_file():
            raise CourseError(f"A figure is missing: run make book first, for {path}")
        data = b64encode(path.read_bytes()).decode()
        picture.attrs = {
            "src": f"data:{guess_type(path)[0]};base64,{data}",
            "alt": str(picture.get("alt") or ""),
        }
    for each in [cleaned, *cleaned.find_all(True)]:
        del each["id"]
    return cleaned


def _heading(tag: Tag) -> str:
    return f"<h2>{tag.decode_contents().strip()}</h2>"


def _opening(section: Tag) -> list[Tag]:
    """Return the heading of a section, and its first sentence or the list that it begins with."""
    [heading] = section.find_all(["h2", "h3"], recursive=False)
    begins = heading.find_next_sibling()
    if begins is None or begins.name not in {"p", "ul", "ol"}:
        return [heading]
    return [heading, first_sentence(begins) if begins.name == "p" else begins]


def _captioned(tag: Tag) -> str:
    """Return a figure or a table, with the first sentence of its caption."""
    for text in tag.select(".caption-text, figcaption > p:not(:has(.caption-text))"):
        text.replace_with(first_sentence(text))
    if tag.name == "table":  # in the table, a caption would be as narrow as its columns
        for caption in tag.select("caption"):
            caption.extract().name = "figcaption"
            return f"<figure>{caption}{tag}</figure>"
        return str(tag)
    return f"<figure>{tag.select_one('img')}{tag.figcaption}</figure>"


def _answer(fold: Tag) -> str:
    """Return the reasons for and against each choice, and what the code has printed."""
    printed = "".join(f"<pre>{escape(each.get_text())}</pre>" for each in fold.select("pre"))
    return f"<h2>The answer</h2>{fold.select_one('.prediction-feedback')}{printed}"


def slides_of(article: Tag, folder: Path) -> Iterator[Slide]:
    """Yield the slides of a chapter, in the order of its page.

    Parameters
    ----------
    article : Tag
        The article of a built page; what no slide shows is taken from it.
    folder : Path
        Of the page.

    Raises
    ------
    CourseError
        If a figure is missing; ends in its path.
    """
    for useless in article.select(LEFT_OUT):
        useless.decompose()
    kinds = {id(tag): kind for kind, wanted in SHOWN.items() for tag in article.select(wanted)}
    for tag in article.select(f"h1, {', '.join(SHOWN.values())}"):
        kind = kinds.get(id(tag), "title")
        if kind == "section":
            heading, *text = (_clean(each, folder) for each in _opening(tag))
            yield Slide(kind, _heading(heading) + "".join(map(str, text)))
            continue
        cleaned = _clean(tag, folder)
        if kind == "title":
            html = str(cleaned)
        elif kind == "figure":
            html = _captioned(cleaned)
        elif kind == "answer":
            html = _answer(cleaned)
        else:
            [title] = cleaned.select(".admonition-title")
            html = _heading(title.extract()) + cleaned.decode_contents()
        yield Slide(kind, html)


@cache
def _fonts() -> str:
    """Return the style sheet of the book's type, with the letters that slides print."""
    greek = b64encode(GREEK.read_bytes()).decode()
    letters = "".join(map(chr, range(0xA0, 0x2FFF)))
    return (
        "@font-face{font-family:Greek;size-adjust:116%;unicode-range:U+3B1-3C9;"
        f"src:url(data:font/woff2;base64,{greek})}}" + rules(dict.fromkeys(STYLES, letters))
    )


def chapter(page: Path) -> Tag | None:
    """Return the article of a built page, or nothing if it is no chapter.

    Raises
    ------
    CourseError
        If the page is not built; ends in its path.
    """
    if not page.is_file():
        raise CourseError(f"A page is not built: run make book first, for {page}")
    soup = BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser")
    article = soup.select_one("article.bd-article")
    return article if article and article.select(NUMBERED) else None


def deck(slides: Sequence[Slide]) -> str:
    """Return slides, of which the first has the title, as a page of HTML that needs no other file.

    Parameters
    ----------
    slides : sequence of Slide
        With formulas as the book has them.
    """
    settings = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    with formulas() as typesetter:
        styles = typesetter.styles("".join(each.html for each in slides))
    template = jinja2.Template(PAGE.read_text(encoding="utf-8"), undefined=jinja2.StrictUndefined)
    return template.render(
        slides=slides,
        title=escape(BeautifulSoup(slides[0].html, "html.parser").get_text()),
        book=settings,
        licence=settings["sphinx"]["config"]["html_theme_options"]["extra_footer"],
        reveal={path.name: path.read_text(encoding="utf-8") for path in REVEAL.glob("re*.*s*")},
        styles=_fonts() + styles,
    )


def write_slides(given: Sequence[str], built: Path, target: Path) -> list[Path]:
    """Write the decks of some pages, and return where they are.

    Parameters
    ----------
    given : sequence of str
        Pages of the book; without any, all chapters, in their order.
    built : Path
        The built book.
    target : Path
        The folder of the decks.

    Raises
    ------
    CourseError
        If a page is unknown, not built or no chapter, or nothing can be written.
    """
    written = []
    target.mkdir(parents=True, exist_ok=True)
    for name in dict.fromkeys(page_name(each) for each in given or pages(ROOT)):
        page = built / f"{name}.html"
        if article := chapter(page):
            written.append(target / f"{Path(name).name}.html")
            write_whole(written[-1], deck([*slides_of(article, page.parent)]))
        elif given:
            raise CourseError(f"Only the numbered chapters have slides, unlike {name}")
    return written


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="make slides", description=__doc__)
    parser.add_argument("pages", nargs="*")
    parser.add_argument("--built", type=Path, default=Path("_build", "html"))
    given = parser.parse_args()
    for path in write_slides(given.pages, given.built, DECKS):
        print(f"{path} is a deck of slides: open it in a browser")


if __name__ == "__main__":
    main()
