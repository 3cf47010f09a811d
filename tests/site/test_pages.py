"""Every built page without a browser: links, hosts, captions, formulas, ids, headings, solutions.

Each rule returns what is wrong with a page; a page is read once for all of them.
"""

import re
from collections import Counter
from functools import cache
from html import unescape
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
import yaml
from bs4 import BeautifulSoup

from book._ext.exercises import exercises_of
from tests.site.conftest import HTML, ROOT, chapters
from tests.tools.notebooks import read_page, tags

pytestmark = pytest.mark.site
PAGES = [page for page in sorted(HTML.rglob("*.html")) if "_static" not in page.parts]
PAGES += sorted((ROOT / "_build" / "instructor" / "html").glob("book/solutions/**/*.html"))
LOADED = "link[rel~=stylesheet], link[rel~=preload], link[rel~=icon], [src], [data-src]"
HOST = re.compile(r"""(?:url\(|@import )?\s*['"]?(?:https?:)?//""")
SERVERS = re.compile(r"thebe|mybinder|colab\.research|unpkg\.com|jsdelivr|cdnjs", re.I)
RAW = re.compile(r"\\[()\[\]]|\\[a-zA-Z]{2,}|\$|\{[a-z:-]+\}`|^\s*(?::::|```)", re.MULTILINE)
CODE = ["script", "style", "pre", "code", "mjx-container"]


@cache
def parse(page: Path) -> BeautifulSoup:
    return BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser")


@cache
def anchors(page: Path) -> set[str]:
    """Where links into a page may lead."""
    found = re.findall(r'<[^>]*?\s(?:id|name)="([^"]*)"', page.read_text(encoding="utf-8"))
    return set(map(unescape, found))


def broken_links(page: Path, soup: BeautifulSoup) -> list[str]:
    """Links, pictures and scripts that lead nowhere, with the anchors of other pages."""
    found = []
    for tag in soup.select("[href], [src], [data-src]"):
        target = tag.get("href") or tag.get("src") or tag.get("data-src") or ""
        parts = urlsplit(target)
        path = (page.parent / unquote(parts.path)).resolve() if parts.path else page
        place = unquote(parts.fragment) if path.suffix == ".html" else ""
        if not parts.scheme and not (path.is_file() and (not place or place in anchors(path))):
            found.append(f"the link {target!r} leads nowhere")
    return found


def other_hosts(page: Path, soup: BeautifulSoup) -> list[str]:
    """What a page loads from elsewhere, and what needs a server."""
    loaded = [tag.get(key, "") for tag in soup.select(LOADED) for key in ("href", "src")]
    loaded += [tag["href"] for tag in soup.select(".article-header-buttons a[href]")]
    loaded += re.findall(r"(?:url\(|@import )[^;]*", " ".join(t.text for t in soup("style")))
    found = [target for target in loaded if HOST.match(target)]
    return [*found, *(word for tag in soup("script") for word in SERVERS.findall(str(tag)))]


def missing_captions(page: Path, soup: BeautifulSoup) -> list[str]:
    """Figures and computed tables without a number, a caption or an alt text."""
    found = []
    for box in soup.select("figure, .cell_output table"):
        caption = box.select_one("figcaption, caption")
        begins = r"\s*(Fig\.|Table) \d+(\.\d+)?\s+\S"
        begins = r"\s*\S" if "explorable" in box.get("class", []) else begins
        if not caption or not re.match(begins, caption.get_text(" ")):
            found.append(f"no number or caption: {box.get('id')} {box.get_text(' ')[:60]!r}")
    for picture in soup.select("img:not([src$='_static/minus.png'])"):  # of an index by Sphinx
        if len(picture.get("alt", "").strip()) <= 15:
            found.append(f"no alt text says what is seen in {picture['src']}")
        if picture.find_parent(class_="cell_output") and not picture.find_parent("figure"):
            found.append(f"{picture['src']} is no figure with a caption")
    return found


def raw_formulas(page: Path, soup: BeautifulSoup) -> list[str]:
    """TeX, roles and directives that stand in a text or a description as they were written."""
    texts = [text for text in soup.find_all(string=RAW) if not text.find_parent(CODE)]
    texts = [text for text in texts if not text.find_parent(class_="math")]
    texts += [tag[key] for key in ("alt", "title") for tag in soup.find_all(attrs={key: RAW})]
    return [f"this is not set: {text.strip()[:80]}" for text in texts]


def ids_twice(page: Path, soup: BeautifulSoup) -> list[str]:
    """Names of more than one element, of which a link reaches the first only."""
    count = Counter(tag["id"] for tag in soup.find_all(id=True))
    return [f"{many} elements have the id {each!r}" for each, many in count.items() if many > 1]


def wrong_headings(page: Path, soup: BeautifulSoup) -> list[str]:
    """A page has one title, and no heading is two levels below the one before."""
    headings = soup.select("main article :is(h1, h2, h3, h4, h5, h6)")
    levels = [int(heading.name[1]) for heading in headings]
    found = [f"{levels.count(1)} titles"] * (bool(levels) and levels.count(1) != 1)
    steps = zip(pairwise(levels), headings[1:], strict=bool(levels))
    return found + [f"“{h.text}” is two levels lower" for (up, low), h in steps if low > up + 1]


RULES = [broken_links, other_hosts, missing_captions, raw_formulas, ids_twice, wrong_headings]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT / "_build")))
def test_a_page_is_whole(page: Path) -> None:
    faults = [f"{rule.__name__}: {each}" for rule in RULES for each in rule(page, parse(page))]
    assert not faults, "\n".join([str(page), *dict.fromkeys(faults)])


def test_every_listed_page_is_built() -> None:
    missing = [page for page in chapters() if not (HTML / f"{page}.html").is_file()]
    assert not missing, f"missing below {HTML}; build with make book: {missing}"


def test_no_style_sheet_loads_from_another_host() -> None:
    sheets = {sheet: sheet.read_text(encoding="utf-8") for sheet in HTML.rglob("*.css")}
    loads = re.compile(rf"(?=url\(|@import ){HOST.pattern}")
    assert sheets and not [sheet for sheet, text in sheets.items() if loads.search(text)]


def test_every_checked_statement_and_no_other_has_its_mark() -> None:
    checked = yaml.safe_load((ROOT / "proofs" / "checked.yml").read_text(encoding="utf-8"))
    pages = [parse(HTML / f"{page}.html") for page in chapters()]
    marks = [mark for page in pages for mark in page.select(".admonition-title > .checked-proof")]
    assert sorted(mark.find_parent(class_="proof")["id"] for mark in marks) == sorted(checked)


def solutions() -> dict[str, list[tuple[str, str]]]:
    """Labels of exercises and code that solves them, by what the exercises are for."""
    found: dict[str, list[tuple[str, str]]] = {"practice": [], "assignment": []}
    for page in sorted((ROOT / "book" / "solutions").rglob("*.md")):
        chapter = ROOT / "book" / page.relative_to(ROOT / "book" / "solutions")
        exercises = exercises_of(chapter.read_text(encoding="utf-8"))
        purposes, label = {each.label: each.purpose for each in exercises}, ""
        for cell in read_page(page).cells:
            if link := re.findall(r"\[The exercise\]\(#([\w-]+)\)", cell.source):
                label = link[-1]
            if "exercise-solution" in tags(cell):
                found[purposes[label]].append((label, cell.source))
    return found


def test_solutions_for_practice_are_folded_and_those_of_assignments_are_not_public() -> None:
    """No line of an assignment's code, but for those that a page or another solution has."""
    practice, assigned = solutions().values()
    public = {page: parse(HTML / f"{page}.html") for page in chapters()}
    folds = {fold["id"]: fold for page in public.values() for fold in page.select(".solution")}
    assert {(fold.name, fold.get("open")) for fold in folds.values()} == {("details", None)}
    assert practice
    for label, code in practice:
        assert code.strip() in folds[f"{label}-solution"].text, label
    known = "\n".join((ROOT / f"{page}.md").read_text(encoding="utf-8") for page in public)
    known += "\n".join(code for _, code in practice)
    lines = {line.strip() for _, code in assigned for line in code.splitlines()}
    lines = {line for line in lines if len(line) >= 20 and line not in known}
    assert lines and not (HTML / "book" / "solutions").exists()
    texts = {page: soup.text for page, soup in public.items()}
    found = {page: [line for line in lines if line in text] for page, text in texts.items()}
    assert not {page: leaked for page, leaked in found.items() if leaked}
