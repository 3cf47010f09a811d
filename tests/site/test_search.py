"""The search page, over ``file://``: chapters first, each with a quotation that holds the word."""

import json
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from tests.site.site import PATIENCE, PUBLIC, visit

pytestmark = pytest.mark.site
CHAPTER = re.compile(
    r"book/(?:foundations|per_instance|game|experiments|audit|beyond|own_data)/[\w-]+\.html"
)


@pytest.fixture(scope="module")
def tab(browser: Browser) -> Iterator[Page]:
    context = browser.new_context()
    context.set_default_timeout(PATIENCE)
    tab = context.new_page()
    tab.on("pageerror", lambda error: pytest.fail(f"script error: {error}"))
    yield tab
    context.close()


def results(tab: Page, query: str) -> list[dict]:
    """The links that a query finds, with the quotations and the marked words of each."""
    visit(tab, PUBLIC / "search.html", f"?q={query}")
    tab.locator(".search-summary", has_text="Search finished").wait_for()
    return tab.evaluate("""() => [...document.querySelectorAll("ul.search > li")].map(item => ({
        link: item.querySelector("a").getAttribute("href"),
        quoted: [...item.querySelectorAll(".context")].map(quote => quote.textContent),
        marked: [...item.querySelectorAll("mark")].map(mark => mark.textContent.toLowerCase()),
    }))""")


@pytest.mark.parametrize(
    ("query", "forms"), [("epsilon", "epsilon|ε.*"), ("noise", "nois.*"), ("exposed", "expos.*")]
)
def test_a_chapter_comes_first_with_what_it_says(tab: Page, query: str, forms: str) -> None:
    found = results(tab, query)
    first = found[0]
    assert CHAPTER.fullmatch(first["link"]), [each["link"] for each in found[:5]]
    assert first["quoted"] and all(len(quote) > 40 for quote in first["quoted"])
    assert first["marked"] and all(re.fullmatch(forms, word) for word in first["marked"])


@pytest.mark.parametrize("query", ["epsilon", "noise"])
def test_the_reference_comes_last(tab: Page, query: str) -> None:
    links = [each["link"] for each in results(tab, query)]
    reference = [n for n, link in enumerate(links) if link.startswith("book/reference")]
    chapters = [n for n, link in enumerate(links) if CHAPTER.match(link)]
    assert reference and chapters and min(reference) > max(chapters)


def test_a_term_of_the_glossary_is_found(tab: Page) -> None:
    links = [each["link"] for each in results(tab, "sensitivity")]
    assert "book/glossary.html" in links[:3]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("composition", "book/foundations/composition.html"),
        ("NVOGame", "book/reference/game/nvo_game.html#pdpbook.game.nvo_game.NVOGame"),
        ("laplace mechanism", "book/foundations/differential-privacy.html"),
        ("v_min", "book/notation.html"),
        ("b*", "book/notation.html"),
        ("end-to-end loss", "book/audit/end-to-end-loss.html"),
        ("Theorem 1′", "book/per_instance/theorem-one.html"),
        ("Theorem 1'", "book/per_instance/theorem-one.html"),
        ("theorem 1", "book/per_instance/theorem-one.html"),
    ],
)
def test_what_is_named_exactly_comes_first(tab: Page, query: str, first: str) -> None:
    links = [each["link"] for each in results(tab, query)]
    assert links[0] == first, links[:5]
    if query == "composition":
        assert "book/foundations/differential-privacy.html" in links[:4]
    if query == "b*":  # and not every page with a b in it
        assert len(links) < 40


def test_a_statement_is_quoted_with_its_number(tab: Page) -> None:
    quotes = " ".join(results(tab, "end-to-end loss")[0]["quoted"])
    assert re.search(r"Definition \d+\.\d+ \(End-to-end loss\): ", quotes)


def test_nothing_found_says_so(tab: Page) -> None:
    visit(tab, PUBLIC / "search.html", "?q=zyzzyva")
    tab.locator(".search-summary", has_text="did not match any documents").wait_for()


def test_a_statement_is_one_place_with_a_title_in_letters() -> None:
    text = json.loads(
        (PUBLIC / "searchtext.js").read_text(encoding="utf-8").partition("=")[2].rstrip(";\n ")
    )
    places = [place for page in text.values() for place in page]
    assert not [place for place in places if place[1] == "proof-content"]
    statements = [place for place in places if place[0] == "statement"]
    assert len(statements) > 100
    assert not [place for place in statements if not place[3]], "a statement without its text"
    assert not [place for place in places if "\\\\" in place[2] + place[3]], "TeX is no text"
    said = " ".join(place[3] for place in places)
    assert "v_min" in said and "b* = 1/ln(1 + n(e^ε − 1))" in said
    [loss] = [place[3] for place in places if place[2].endswith(" (End-to-end loss)")]
    assert "of record i is ℓ_i^h = max_x|ln" in loss, loss
    assert "Not so: " not in said and "Predict, then run" not in said, "a wrong option is quoted"
