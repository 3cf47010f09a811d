"""The search without a server: the page that tells of it comes first, with quotations."""

import pytest

from tests.site.conftest import Reader

pytestmark = pytest.mark.site
#: What somebody may look for, by the page that should come first.
QUERIES = {
    "foundations/why-noise": "randomised response; randomized response",
    "foundations/differential-privacy": "laplace mechanism; laplase mechanism;"
    " neighboring data set",
    "foundations/anonymity": "k-anonymity",
    "foundations/composition": "composition; compositions",
    "per_instance/theorem-one": "theorem 1",
    "per_instance/floating-point": "floating point",
    "game/nvo-game": "Nash equilibrium; equilibria; potencial",
    "game/exact-optimum": "price of anarchy; certificate",
    "experiments/regression": "regression",
    "audit/instead": "DP histogram",
    "beyond/individual-accounting": "renyi filter",
    "notation": "ε; epsilon; b*; v_min",
    "reference/pdpbook.game.nvo_game": "NVOGame; NVOGame.from_data",
}


def test_the_page_that_tells_of_it_comes_first(reader: Reader) -> None:
    """Spellings, plurals, letters by name, names of code, slips."""
    reader.open("search")
    reader.tab.evaluate("window.book = read(searchText)")
    find = "query => rank(book, corrected(book, query)).map(({ page }) => page)"
    wanted = [(f"book/{page}", query) for page, all in QUERIES.items() for query in all.split("; ")]
    found = [(query, page, reader.tab.evaluate(find, query)[0]) for page, query in wanted]
    assert not [each for each in found if each[1] != each[2]] and not reader.problems


def test_a_result_quotes_what_it_found_with_its_formulas_set(reader: Reader) -> None:
    reader.open("search", "?q=laplase mechanism")
    reader.tab.locator(".search mjx-container").first.wait_for()
    said = reader.tab.inner_text("#search-results [role=status]")
    assert "does not say “laplase mechanism”" in said
    first = reader.tab.locator(".search > li").first
    assert "Definition" in first.inner_text() or "Theorem" in first.inner_text()
    marked = {text.lower() for text in first.locator("mark").all_inner_texts()}
    assert "laplace" in marked and "\\(" not in first.inner_text()
