"""What the printed book has beside the pages of the site.

``print_book`` joins the pages.  Here are its title page, the pages that open its parts, the heads
of its sheets, the numbers that stand for links, and its index.  A paragraph of ``book/parts.yml``
opens each part; the edition is the version of ``CITATION.cff``.

The index lists the terms of the glossary.  It leads to the entry of a term there and, in each
numbered chapter, to the first heading, caption or title of a statement that has the term, or to
where the term is set in italics or bold, as it is where it is introduced.  A chapter in which no
such place is found is listed if the entry leads there.
"""

import re
from collections.abc import Mapping
from copy import copy
from datetime import date
from html import escape
from itertools import groupby, takewhile
from pathlib import Path
from unicodedata import normalize

import yaml
from bs4 import BeautifulSoup, NavigableString, Tag

HEADINGS = ["h1", "h2", "h3", "h4", "h5", "h6"]
TITLE = """
<section class="print-title">
<p class="print-name">{title}</p><p>{author}</p>
<p>Version {version}, printed on {day}</p>{footer}
</section>
"""
#: Where a term is a topic or is introduced: headings, captions, titles of statements, emphasis.
TOPICS = "h1, h2, h3, h4, h5, h6, figcaption, caption, .admonition-title, em, strong, dfn"
#: Links whose text does not say where they lead.
NAMED = "a.reference.internal > :is(.std-ref, .std-doc, .doc)"
UNKNOWN = "000"  #: stands for a page until the first printing tells which, and is as wide


def title_page(root: Path, day: date) -> str:
    """Return the title page: title, author, version, day of printing and licence."""
    settings = yaml.safe_load((root / "_config.yml").read_text(encoding="utf-8"))
    cited = yaml.safe_load((root / "CITATION.cff").read_text(encoding="utf-8"))
    return TITLE.format(
        title=settings["title"],
        author=settings["author"],
        version=cited["version"],
        day=f"{day.day} {day:%B %Y}",
        footer=settings["sphinx"]["config"]["html_theme_options"]["extra_footer"],
    )


def entry(title: str, place: str) -> str:
    """Return a line of a contents, whose number is still to be found."""
    number = f'<span class="print-page" data-place="{place}"></span>'
    return f'<a href="#{place}"><span>{title}</span>{number}</a>'


def heading_of(article: Tag) -> Tag:
    """Return a copy of the title of a chapter, without links."""
    heading = copy(article.find(HEADINGS))
    for link in heading.select("a"):
        link.unwrap()
    return heading


def part_page(number: int, part: str, paragraph: str, chapters: Mapping[str, Tag]) -> str:
    """Return the page that opens a part: its name, its paragraph and its chapters.

    Parameters
    ----------
    number
        Which part of the book it is, from 1.
    part
        Its name.
    paragraph
        What the part asks.  ``{nvo-game}`` stands for the number of the chapter whose file is
        ``nvo-game.md``, or for its title if it has no number.
    chapters
        The articles of the part, under the places where they begin.

    Raises
    ------
    ValueError
        If the paragraph leaves out a chapter, or names one that is not of the part.
    """
    headings = {place: heading_of(article) for place, article in chapters.items()}
    files = {str(chapters[place]["data-file"]): place for place in chapters}
    named = {*re.findall(r"\{([\w-]+)\}", paragraph)}
    if named != {*files}:
        raise ValueError(
            f"the paragraph of a part names each of its chapters {sorted(files)},"
            f" and {part!r} names {sorted(named)}"
        )

    def link(match: re.Match[str]) -> str:
        place = files[match[1]]
        said = headings[place].select_one(".section-number") or headings[place]
        return f'<a href="#{place}">{said.get_text().strip().rstrip(".")}</a>'

    text = re.sub(r"\{([\w-]+)\}", link, escape(paragraph.strip(), quote=False))
    lines = (
        f"<li>{entry(heading.decode_contents(), place)}</li>" for place, heading in headings.items()
    )
    return (
        f'<section class="print-part"><h1 id="part-{number}">{escape(part)}</h1>'
        f'<p>{text}</p><ol class="print-lines">{"".join(lines)}</ol></section>'
    )


def running_heads(heads: Mapping[str, tuple[str, str]]) -> str:
    """Return the style that sets heads: a chapter's title on the left, its part on the right.

    Chromium cannot copy the text of a heading into a margin, but a box of the page may name the
    sheets on which it stands.

    Parameters
    ----------
    heads
        What stands above on the left and on the right, under the place where the box begins.

    Examples
    --------
    >>> print(running_heads({"game": ("7. The game", "The game")}))
    @page game { @top-left { content: "7. The game"; } @top-right { content: "The game"; } }
    #game { page: game; }
    """

    def quoted(text: str) -> str:
        # a backslash before a quotation mark or another one; the star of optional chapters goes
        return '"' + re.sub(r'(["\\])', r"\\\1", text.replace("★", "").strip()) + '"'

    return "\n".join(
        f"@page {place} {{ @top-left {{ content: {quoted(left)}; }}"
        f" @top-right {{ content: {quoted(right)}; }} }}\n#{place} {{ page: {place}; }}"
        for place, (left, right) in heads.items()
    )


def numbers_of(article: Tag) -> dict[str, str]:
    """Return the number of the innermost section around each place of an article.

    It is ``chapter 7`` or ``section 7.3``; where the chapter has no number there is none.
    """
    numbers = {}
    for section in article.select("section"):
        heading = section.find(HEADINGS, recursive=False)
        shown = heading.select_one("span.section-number") if heading else None
        if shown is None:
            continue
        number = shown.get_text().strip().rstrip(".")
        said = f"{'section' if '.' in number else 'chapter'}\N{NO-BREAK SPACE}{number}"
        places = [tag["id"] for tag in section.find_all(id=True)]
        if section.get("id"):
            places.append(section["id"])
        numbers.update(dict.fromkeys(places, said))
        if "." not in number:
            numbers[article["id"]] = said
    return numbers


def number_links(article: Tag, numbers: Mapping[str, str]) -> None:
    """Say behind each link that only names a chapter or a section where it is.

    A place without a number is on a page, which is still to be found.  A paragraph says it once of
    each place, and nothing is said of a link that has a number already, as *Theorem 6.1* has.
    """
    make = BeautifulSoup("", "html.parser").new_tag
    own = numbers.get(article["id"])
    said: dict[int, set[str]] = {}
    for inner in article.select(NAMED):
        link, place = inner.parent, inner.parent.get("href", "").removeprefix("#")
        if not link["href"].startswith("#") or link.find_parent([*HEADINGS, "nav"]):
            continue
        if "sd-stretched-link" in link.get("class", []):
            continue  # a card is a link, and its title says where it leads
        number = numbers.get(place)
        if (number and number == own) or re.search(r"\d\.\d|chapter$", link.get_text()):
            continue
        block = link.find_parent(["p", "li", "td", "dd", "figcaption", "caption"]) or article
        if (number or place) in said.setdefault(id(block), set()):
            continue
        said[id(block)].add(number or place)
        before = takewhile(lambda each, link=link: each is not link, block.descendants)
        text = "".join(each for each in before if isinstance(each, NavigableString))
        inside = re.search(r"\([^()]*$", text) is not None
        where = make("span", attrs={"class": "print-place"})
        where.append(", " if inside else " (")
        if number:
            where.append(number)
        else:
            page = make("span", attrs={"data-place": place})
            page.string = UNKNOWN
            where.extend(["page\N{NO-BREAK SPACE}", page])
        if not inside:
            where.append(")")
        link.insert_after(where)


def pattern_of(term: str) -> re.Pattern[str]:
    """Return what finds a term in a text, in the singular and the plural.

    >>> bool(pattern_of("best response").search("The best responses end"))
    True
    >>> bool(pattern_of("pass").search("a passage"))
    False
    """
    names = "|".join(re.escape(name) for name in re.split(r",\s+", term))
    return re.compile(rf"(?<![\w-])(?:{names})(?:e?s)?(?![\w-])", re.IGNORECASE)


def sorted_under(term: str) -> str:
    """Return the letters by which a term is sorted, in lower case and without accents.

    >>> sorted_under("Rényi divergence"), sorted_under("ε-pDP")
    ('renyi divergence', 'epsilon-pdp')
    """
    plain = normalize("NFKD", term.replace("ε", "epsilon")).encode("ascii", "ignore")
    return plain.decode().lower().lstrip("(")


def index(glossary: Tag, chapters: Mapping[str, Tag]) -> str:
    """Return the index, and give a name to each place to which it leads.

    Parameters
    ----------
    glossary
        The article with the terms.
    chapters
        The articles that are looked through, under the places where they begin.
    """
    topics = [
        (place, tag, " ".join(tag.get_text().split()))
        for place, article in chapters.items()
        for tag in article.select(TOPICS)
    ]
    lines = []
    for term in glossary.select("dl.glossary > dt[id]"):
        name = " ".join(term.get_text().split())
        pattern, found = pattern_of(name), {}
        for number, (place, tag, text) in enumerate(topics):
            if place not in found and pattern.search(text):
                tag["id"] = found[place] = tag.get("id") or f"{place}--topic-{number}"
        meaning = term.find_next_sibling("dd")
        for link in meaning.select("a[href^='#']") if meaning else ():
            introduced = link["href"][1:]
            if introduced.partition("--")[0] in chapters:
                found.setdefault(introduced.partition("--")[0], introduced)
        ordered = [found[place] for place in chapters if place in found]
        places = [f'<a class="print-main" href="#{term["id"]}" data-place="{term["id"]}"></a>']
        places += [f'<a href="#{each}" data-place="{each}"></a>' for each in ordered]
        lines.append((name, f'<span class="print-places">{"".join(places)}</span>'))
    lines.sort(key=lambda line: sorted_under(line[0]))
    groups = []
    for letter, group in groupby(lines, key=lambda line: sorted_under(line[0])[0]):
        items = "".join(f"<li>{escape(name)} {places}</li>" for name, places in group)
        groups.append(f'<p class="print-letter">{letter.upper()}</p><ol>{items}</ol>')
    return (
        '<section class="print-index bd-article" id="print-index"><h1>Index</h1>'
        "<p>The terms of the glossary. A page number in bold leads to the definition in the"
        " glossary. The other numbers lead to the first place in each chapter where the term is"
        " introduced, or is the topic of a section, a statement, a figure or a table.</p>"
        f"<div>{''.join(groups)}</div></section>"
    )
