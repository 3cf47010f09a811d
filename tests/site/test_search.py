"""The search page, over ``file://``: the page that tells of it comes first, with quotations."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from tests.site.site import PATIENCE, PUBLIC, visit

pytestmark = pytest.mark.site

#: What somebody may look for, by the page that should come first.
QUERIES = {
    "foundations/why-noise": "randomised response; randomized response",
    "foundations/differential-privacy": "laplace mechanism; laplase mecanism; neighboring data set",
    "foundations/anonymity": "k-anonymity",
    "foundations/composition": "composition; compositions",
    "per_instance/theorem-one": "theorem 1",
    "per_instance/floating-point": "floating point",
    "game/nvo-game": "Nash equilibrium; equilibria; potencial",
    "game/exact-optimum": "price of anarchy; certificate",
    "experiments/regression": "regression",
    "audit/instead": "noisy histogram",
    "beyond/individual-accounting": "renyi filter",
    "notation": "ε; epsilon; b*; v_min",
    "reference/pdpbook.game.nvo_game": "NVOGame; NVOGame.from_data",
}


@pytest.fixture
def tab(browser: Browser) -> Iterator[Page]:
    context = browser.new_context()
    context.set_default_timeout(PATIENCE)
    tab = context.new_page()
    tab.on("pageerror", lambda error: pytest.fail(f"script error: {error}"))
    yield tab
    context.close()


def test_the_page_that_tells_of_it_comes_first(tab: Page) -> None:
    """Spellings, plurals, letters by name, names of code, slips."""
    visit(tab, PUBLIC / "search.html")
    tab.evaluate("window.book = read(searchText)")
    find = "query => rank(book, corrected(book, query)).map(({ page }) => page)"
    wanted = [(f"book/{page}", query) for page, all in QUERIES.items() for query in all.split("; ")]
    wrong = [(query, page) for page, query in wanted if tab.evaluate(find, query)[0] != page]
    assert not wrong


def test_a_result_quotes_what_it_found_with_its_formulas_set(tab: Page) -> None:
    visit(tab, PUBLIC / "search.html", "?q=laplase mechanism")
    tab.locator(".search mjx-container").first.wait_for()
    assert "does not say “laplase mechanism”" in tab.inner_text("#search-results [role=status]")
    first = tab.locator(".search > li").first
    assert "Definition" in first.inner_text() or "Theorem" in first.inner_text()
    marked = {text.lower() for text in first.locator("mark").all_inner_texts()}
    assert "laplace" in marked and "\\(" not in first.inner_text()


def test_nothing_found_says_so(tab: Page) -> None:
    visit(tab, PUBLIC / "search.html", "?q=zyzzyva")
    tab.locator("#search-results", has_text="No page holds all of these words.").wait_for()
