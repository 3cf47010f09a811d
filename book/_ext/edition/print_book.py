"""The whole book as one PDF, from the built pages.

``python -m book._ext.edition.print_book`` joins the pages of ``_build/html`` in the order of
``_toc.yml`` into one page, ``_build/print/book.html``, and lets Chromium print it to
``_build/print/book.pdf``.
Numbers, references and outputs are those that the build has written, so nothing is executed and
nothing is numbered anew.  What the page ``book/game/nvo-game`` calls ``loss`` is
``book-game-nvo-game--loss`` here, and a link to another page leads to the place in this one.

On paper nothing is folded, so the solutions of a chapter stand at its end, each with a link to its
exercise, and the answer of a prediction, with the outputs that give it, at the end of its section.

Chromium draws the figures with sliders where they stand, and makes outline, links and tags.  The
style sheet for paper is that of ``vendor``: the built one has lost what no page of the site asks
for, a title and a contents.  Chromium cannot tell contents and index on which page a place is: the
book is printed, the numbers are read from that, and it is printed again with them.  What the site
does not have, title page, part pages, heads and index, is made by ``print_matter``.
"""

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from datetime import date
from os.path import relpath
from pathlib import Path
from posixpath import normpath
from urllib.parse import unquote, urlsplit

import yaml
from bs4 import BeautifulSoup, Tag
from playwright.sync_api import Browser, Page, sync_playwright
from pypdf import PdfReader

from book._ext.edition.print_matter import (
    entry,
    heading_of,
    index,
    number_links,
    numbers_of,
    part_page,
    running_heads,
    title_page,
)

ROOT = Path(__file__).parents[3]
PRINTED = Path("_build", "print")
COLUMN = 642  #: CSS pixels between the margins of a sheet of A4, see print.css
HALF = 478  #: CSS pixels, half of what is between the upper and the lower margin
GLOSSARY = "book/glossary"
#: What the scripts of figures with sliders have in their addresses, D3 among them.
EXPLORABLE = re.compile(r"explorable|/d3/")
SHEET = ROOT / "book" / "_static" / "print.css"
PATIENCE = 600_000  #: milliseconds; a book has hundreds of pages
REFERRING = ("for", "aria-labelledby", "aria-describedby", "aria-controls")
# Makes a formula or a table that is wider than the column smaller, until it fits.
FIT = """() => {
    for (const box of document.querySelectorAll("mjx-container[display=true], .bd-article table")) {
        const inner = box.querySelector("mjx-math") ?? box;
        for (let step = 0; step < 8; step++) {
            const room = box.parentElement.getBoundingClientRect().width;
            const wide = Math.max(inner.getBoundingClientRect().width, inner.scrollWidth);
            if (wide <= room + 1) break;
            const size = parseFloat(getComputedStyle(box).fontSize);
            box.style.fontSize = `${0.95 * size * room / wide}px`;
        }
    }
}"""

# A box that is kept on one sheet leaves a gap before it: if it is higher than half a sheet, it may
# go on over the page.
LOOSEN = """half => {
    const boxes = ".bd-article :is(div, section, dl, ul, ol, table, pre)";
    for (const box of document.querySelectorAll(boxes)) {
        if (box.closest("mjx-container, .explorable") || box.offsetHeight <= half) continue;
        if (getComputedStyle(box).breakInside === "avoid")
            box.style.setProperty("break-inside", "auto", "important");
    }
}"""
# Writes the numbers of the pages, each once in a line of the index.
NUMBER = """pages => {
    for (const box of document.querySelectorAll("[data-place]"))
        box.textContent = pages[box.dataset.place] ?? box.textContent;
    for (const line of document.querySelectorAll(".print-places")) {
        const seen = new Set();
        for (const link of line.children) {
            link.hidden = seen.has(link.textContent);
            seen.add(link.textContent);
        }
    }
}"""


def slug(page: str) -> str:
    """Return what the places of a page are called in the printed book."""
    return page.replace("/", "-")


def contents(root: Path, toc: str = "_toc.yml") -> list[tuple[str, list[str]]]:
    """Return the parts of the book with their pages; the first has no name and holds the root."""
    listed = yaml.safe_load((root / toc).read_text(encoding="utf-8"))
    parts = [
        (part["caption"], [entry["file"] for entry in part["chapters"]]) for part in listed["parts"]
    ]
    return [("", [listed["root"]]), *parts]


def lead(link: Tag, page: str, places: dict[str, set[str]]) -> None:
    """Let a link of a page lead to its place in the printed book; without one it is plain text."""
    parts = urlsplit(link["href"])
    if parts.scheme:
        return
    target = page
    if parts.path:
        target = normpath(f"{page}/../{unquote(parts.path)}").removesuffix(".html")
    name = unquote(parts.fragment)
    if target not in places:
        link.unwrap()
    elif name in places[target]:
        link["href"] = f"#{slug(target)}--{name}"
    else:
        link["href"] = f"#{slug(target)}"


def move_solutions(article: Tag) -> None:
    """Put the solutions of a page at its end, each under the title of its exercise."""
    make = BeautifulSoup("", "html.parser").new_tag
    solutions = article.select("details.solution")
    if not solutions:
        return
    section, heading = make("section", attrs={"class": "print-solutions"}), make("h2")
    heading.string = "Solutions"
    section.append(heading)
    for solution in solutions:
        label = solution["id"].removesuffix("-solution")
        title = copy(article.select_one(f"[id='{label}'] > .admonition-title"))
        title.name, title["class"] = "p", "print-solution-title"
        link = make("a", href=f"#{label}")
        link.extend([*title.contents])
        title.append(link)
        solution.summary.decompose()
        solution.name = "div"
        section.extend([title, solution.extract()])
    article.append(section)


def move_answers(article: Tag) -> None:
    """Put the answer of each prediction at the end of its section, above the sections in that.

    Where a section has several predictions they are numbered.  A page that is printed from a
    browser says the same: ``predictions.js``.
    """
    make = BeautifulSoup("", "html.parser").new_tag
    folds = article.select("details.prediction-answer")
    sections = [fold.parent for fold in folds]
    for i, (fold, section) in enumerate(zip(folds, sections, strict=True)):
        several = sum(each is section for each in sections) > 1
        number = sum(each is section for each in sections[: i + 1])
        said = f"Prediction {number}: the" if several else "The"
        answered = f"prediction {number}" if several else "the prediction"
        asked = article.select_one(f"[id='{fold['id'].removesuffix('-answer')}']")
        inner = fold.find_next_siblings("section")
        place = inner[0].insert_before if inner else fold.parent.append
        where, title = make("p", attrs={"class": "print-where"}), make("p")
        for line, to, text in (
            (where, fold, f"{said} answer is at the end of this section."),
            (title, asked, f"Answer to {answered}"),
        ):
            link = make("a", href=f"#{to['id']}")
            link.string = text
            line.append(link)
        asked.append(where)
        title["class"] = "print-solution-title"
        fold.summary.replace_with(title)
        fold.name = "div"
        place(fold.extract())


def prepare(article: Tag, page: str, places: dict[str, set[str]], prefix: str, depth: int) -> None:
    """Give an article of the site the names, links, pictures and headings of the printed book."""
    for useless in article.select(
        "a.headerlink, script:not([data-for]), button, .prev-next-footer, link, .search-button,"
        " .start-reading, .on-screen"
    ):
        useless.decompose()
    move_solutions(article)
    move_answers(article)
    for link in article.select("a[href]"):
        lead(link, page, places)
    for picture in article.select("img[src]"):
        if not urlsplit(picture["src"]).scheme:
            picture["src"] = prefix + normpath(f"{page}/../{picture['src']}")
            picture["loading"] = "eager"
    for folded in article.select("details"):
        folded["open"] = ""
    named = set()
    for tag in article.find_all(True):
        if tag.get("id") in named:
            del tag["id"]  # each proof of a page is its "proof-content"
        elif tag.get("id"):
            named.add(tag["id"])
            tag["id"] = f"{slug(page)}--{tag['id']}"
        for key in REFERRING:
            if tag.get(key):
                tag[key] = " ".join(f"{slug(page)}--{name}" for name in tag[key].split())
        if tag.name in {"h1", "h2", "h3", "h4", "h5"}:
            tag.name = f"h{int(tag.name[1]) + depth}"


def head_of(pages: dict[str, BeautifulSoup], prefix: str) -> str:
    """Return the style sheets of the pages, those on paper last, and the figures with sliders."""
    kept: dict[str, None] = {}
    for page, soup in pages.items():
        for tag in soup.select("link[rel=stylesheet], head style, script"):
            key = "href" if tag.name == "link" else "src"
            where = tag.get("href") or tag.attrs.pop("data-src", "")
            if tag.name == "script" and not EXPLORABLE.search(where or tag.string or ""):
                continue
            if where:
                tag[key] = prefix + normpath(f"{page}/../{where.partition('?')[0]}")
            if tag.name == "script" and where:
                tag["defer"] = ""
            if f"/{SHEET.name}" not in where:
                kept[str(tag)] = None
    return "\n".join([*kept, f"<style>{SHEET.read_text(encoding='utf-8')}</style>"])


def join(
    root: Path, html: Path, target: Path, toc: str = "_toc.yml", asked: str = "book/parts.yml"
) -> str:
    """Return the printed book as one page of HTML for the folder ``target``.

    Parameters
    ----------
    root
        The folder of the book.
    html
        The built pages.
    target
        The folder in which the page will lie.
    toc, asked
        The parts with their pages, and the paragraphs of the parts.

    Raises
    ------
    SystemExit
        If a page is not built.
    ValueError
        If a part has no paragraph, or one that does not name each of its chapters.
    """
    parts = contents(root, toc)
    listed = [page for _, chapters in parts for page in chapters]
    missing = [page for page in listed if not (html / f"{page}.html").is_file()]
    if missing:
        raise SystemExit(f"The book is not built, or not whole: run make book. Missing: {missing}")
    prefix = relpath(html, target) + "/"
    soups = {
        page: BeautifulSoup((html / f"{page}.html").read_text(encoding="utf-8"), "html.parser")
        for page in listed
    }
    articles = {page: soup.select_one("article.bd-article") for page, soup in soups.items()}
    places = {
        page: {tag["id"] for tag in article.find_all(id=True)} for page, article in articles.items()
    }
    numbers: dict[str, str] = {}
    heads = {"print-contents": ("Contents", "")}
    for part, chapters in parts:
        for page in chapters:
            article = articles[page]
            prepare(article, page, places, prefix, depth=1 if part else 0)
            article["id"], article["data-file"] = slug(page), page.rpartition("/")[2]
            numbers |= numbers_of(article)
            heads[slug(page)] = (" ".join(heading_of(article).get_text().split()), part)
    for article in articles.values():
        number_links(article, numbers)
    back = ""
    if GLOSSARY in articles:
        numbered = {a["id"]: a for a in articles.values() if a["id"] in numbers}
        back = index(articles[GLOSSARY], numbered)
        heads["print-index"] = ("Index", "")
    paragraphs = yaml.safe_load((root / asked).read_text(encoding="utf-8"))
    body, entries = [], []
    for number, (part, chapters) in enumerate(parts):
        opened = {slug(page): articles[page] for page in chapters}
        if part and part not in paragraphs:
            raise ValueError(f"each part has a paragraph in {asked}, and there is none of {part!r}")
        if part:
            body.append(part_page(number, part, paragraphs[part], opened))
            entries.append(f"<li>{entry(part, f'part-{number}')}<ol>")
        for place, article in opened.items():
            entries.append(f"<li>{entry(heading_of(article).decode_contents(), place)}</li>")
            body.append(str(article))
        entries.append("</ol></li>" if part else "")
    if back:
        entries.append(f"<li>{entry('Index', 'print-index')}</li>")
    settings = yaml.safe_load((root / "_config.yml").read_text(encoding="utf-8"))
    return f"""<!doctype html>
<html lang="en" data-theme="light" data-mode="light">
<head><meta charset="utf-8"><title>{settings["title"]}</title>
{head_of(soups, prefix)}
<style>{running_heads(heads)}</style>
</head>
<body class="print-book"><main class="bd-content">
{title_page(root, date.today())}
<nav class="print-contents print-lines" id="print-contents">
<h1>Contents</h1><ol>{"".join(entries)}</ol></nav>
{"".join(body)}
{back}
</main></body></html>
"""


def show(tab: Page, path: Path) -> None:
    """Open the joined page as it will be printed, and wait until it is set."""
    tab.set_viewport_size({"width": COLUMN, "height": 900})
    tab.emulate_media(media="print", color_scheme="light", reduced_motion="reduce")
    tab.goto(path.as_uri())
    tab.evaluate("() => document.fonts.ready")
    tab.evaluate(FIT)
    tab.evaluate(LOOSEN, HALF)


def pages_of(pdf: Path) -> dict[str, int]:
    """Return the page, from 1, of each place that a PDF has a link to."""
    reader = PdfReader(pdf)
    return {
        name.removeprefix("/"): reader.get_destination_page_number(place) + 1
        for name, place in reader.named_destinations.items()
    }


def print_pdf(tab: Page, pdf: Path) -> None:
    """Print what the tab shows, and again with the numbers of its pages until they are right.

    The second time is the last one, unless a number in the text has another width than what stood
    for it and moves a line to another page.

    Raises
    ------
    RuntimeError
        If the numbers still change the fourth time.
    """
    options = {"outline": True, "tagged": True, "prefer_css_page_size": True}
    known: dict[str, int] = {}
    for _ in range(4):
        tab.pdf(path=pdf, print_background=True, **options)
        found = known | pages_of(pdf)  # a link that is hidden has no place in a PDF
        if found == known:
            return
        known = found
        tab.evaluate(NUMBER, known)
    raise RuntimeError(f"the numbers of the pages change each time that they are printed: {pdf}")


@contextmanager
def chromium(command: str) -> Iterator[Browser]:
    """Start Chromium, and end it.

    Parameters
    ----------
    command : str
        What needs it, for the message.

    Raises
    ------
    SystemExit
        If it is not there.
    """
    executable = shutil.which("chromium") or shutil.which("chromium-browser")
    if executable is None:
        raise SystemExit(f"{command} needs Chromium (Debian: apt-get install chromium)")
    with sync_playwright() as playwright:
        options = ["--no-sandbox", "--disable-gpu"]
        browser = playwright.chromium.launch(executable_path=executable, args=options)
        yield browser
        browser.close()


def make_pdf(root: Path) -> Path:
    """Join and print the book; return the PDF.

    Raises
    ------
    SystemExit
        If a page is not built, or Chromium is not there.
    """
    joined = root / PRINTED / "book.html"
    with chromium("make pdf") as browser:
        joined.parent.mkdir(parents=True, exist_ok=True)
        page = join(root, root / "_build" / "html", joined.parent)
        joined.write_text(page, encoding="utf-8")
        tab = browser.new_page()
        tab.set_default_timeout(PATIENCE)
        show(tab, joined)
        print_pdf(tab, joined.with_suffix(".pdf"))
    return joined.with_suffix(".pdf")


if __name__ == "__main__":
    print(f"The book is printed. Open {make_pdf(ROOT)}")
