"""The search page, over ``file://``: the page that defines a term first, with a quotation."""

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

#: What somebody may look for, by the page that should come first.
QUERIES = {
    "foundations/why-noise": "randomised response; randomized response",
    "foundations/differential-privacy": "differential privacy; laplace mechanism;"
    " laplase mechanism; sensitivity; neighbours; neighboring data sets; sequential composition;"
    " post-processing",
    "foundations/sampling-query": "padded grid; padded grids",
    "per_instance/truncated-laplace": "truncated laplace; smallest density",
    "per_instance/theorem-one": "theorem 1; Theorem 1′; Theorem 1'",
    "game/nvo-game": "nash equilibrium; equilibria; kullback-leibler; common scale; potencial",
    "game/best-response": "best response dynamics; safe start; safe starts",
    "game/approximate-enumeration": "genetic algorithm; approximated enumeration",
    "game/coordinated-moves": "coordinated moves; coordinated move",
    "game/exact-optimum": "price of anarchy; branch and bound; certificate",
    "experiments/height": "height experiment",
    "experiments/regression": "regression; regresion",
    "experiments/income": "income",
    "experiments/replication": "replication; replications",
    "audit/one-number": "k-ary randomised response; k-ary randomized response",
    "audit/end-to-end-loss": "end-to-end loss; end to end losses",
    "audit/instead": "noisy histogram; noisy histograms",
    "audit/public-data": "public data",
    "audit/relatives": "relatives",
    "foundations/anonymity": "k-anonymity",
    "foundations/composition": "composition; compositions",
    "foundations/noise-mechanisms": "gaussian mechanism; Gausian mechanism",
    "foundations/other-mechanisms": "staircase mechanism; exponential mechanism",
    "beyond/individual-accounting": "individual accounting; renyi filter",
    "beyond/instance-wise-learning": "reinforcement learning; q-learning",
    "beyond/collusion": "collusion; gradual release",
    "beyond/privacy-game": "bayesian game; bayesian games",
    "beyond/billion-records": "billion records; dask",
    "notation": "ε; epsilon; tau; τ; sigma; b*; v_min",
    "reference/pdpbook.game.nvo_game": "NVOGame; NVOGame.from_data; from_data",
    "reference/pdpbook.per_instance.noise_kernels": "laplace_kernel",
    "reference/pdpbook.game.best_response": "best_response_dynamics",
}


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
    ("query", "forms"), [("noise", "nois.*"), ("exposed", "expos.*"), ("bins", "bins?")]
)
def test_a_chapter_comes_first_with_what_it_says(tab: Page, query: str, forms: str) -> None:
    found = results(tab, query)
    first = found[0]
    assert CHAPTER.fullmatch(first["link"]), [each["link"] for each in found[:5]]
    assert first["quoted"] and all(len(quote) > 40 for quote in first["quoted"])
    assert first["marked"] and all(re.fullmatch(forms, word) for word in first["marked"])


@pytest.mark.parametrize("query", ["records", "noise"])
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
        ("NVOGame", "book/reference/pdpbook.game.nvo_game.html#pdpbook.game.nvo_game.NVOGame"),
        ("b*", "book/notation.html"),
        ("Theorem 1′", "book/per_instance/theorem-one.html"),
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
    tab.locator(".search-summary", has_text="No page holds all of these words.").wait_for()


def test_a_slip_of_the_pen_is_mended_and_said(tab: Page) -> None:
    links = [each["link"] for each in results(tab, "laplase mecanism")]
    assert links[0] == "book/foundations/differential-privacy.html"
    said = tab.locator(".search-summary").text_content()
    assert said.startswith(
        "The book does not say “laplase mecanism”. Did you mean “laplace mechanism”? "
    )


def test_the_page_that_tells_of_it_comes_first(tab: Page) -> None:
    """Spellings, plurals, letters by name, names of code, slips; no page twice."""
    results(tab, "noise")
    tab.evaluate("window.wholeBook = read(window.searchText)")
    find = "query => rank(wholeBook, corrected(wholeBook, query)).map(({ page }) => page)"
    wrong = []
    for page, queries in QUERIES.items():
        for query in queries.split("; "):
            found = tab.evaluate(find, query)
            assert len(found) == len(set(found))
            if found[0] != f"book/{page}":
                wrong.append((query, page, found[:3]))
    assert not wrong


def test_the_index_of_sphinx_is_not_made() -> None:
    """No page loads it; what the search page does load is made."""
    assert not (PUBLIC / "searchindex.js").exists()
    assert "Stemmer" in (PUBLIC / "_static" / "language_data.js").read_text(encoding="utf-8")


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
