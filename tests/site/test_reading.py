"""Reading: the measure, previews, folds, filters, and what stands at the foot of a page."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from tests.site.site import PATIENCE, PUBLIC, name, parse, public_pages, visit
from tests.tools.notebooks import ROOT

pytestmark = pytest.mark.site
CHAPTER = PUBLIC / "book/per_instance/dp-versus-pdp.html"
ERRATA = PUBLIC / "book/errata.html"
SOURCES = PUBLIC / "book/sources.html"
LEDGER = PUBLIC / "book/experiments/replication.html"
CONTRAST = """() => {
    const luminance = colour => {
        const canvas = document.createElement("canvas").getContext("2d");
        canvas.fillStyle = colour;
        canvas.fillRect(0, 0, 1, 1);
        const linear = [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3)
            .map(c => c / 255).map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
    };
    const style = getComputedStyle(document.documentElement);
    const [a, b] = ["--pst-color-link-hover", "--pst-color-background"]
        .map(each => luminance(style.getPropertyValue(each).trim())).sort((x, y) => y - x);
    return (a + 0.05) / (b + 0.05);
}"""
LINES = """() => [...document.querySelectorAll("article section > p")]
    .filter(p => p.textContent.length > 300 && !p.querySelector(".math, code, a"))
    .map(p => p.textContent.length / Math.round(
        p.getBoundingClientRect().height / parseFloat(getComputedStyle(p).lineHeight)))"""

SECTIONS = "[...document.querySelectorAll('.bd-article > section > section')]"
TOPS = f"() => {SECTIONS}.map(section => section.firstElementChild.getBoundingClientRect().top)"

LISTED = "dl.errata dt, table.items tbody tr, table.ledger tbody tr"
# Sections in sight without an entry in sight.
HEADED = """() => [...document.querySelectorAll("article section section")]
    .filter(box => box.checkVisibility() && ![...box.querySelectorAll("dt")]
        .some(slip => slip.checkVisibility()))
    .map(box => box.id)"""
CHOOSE = """(box, word) => {
    box.value = word;
    box.dispatchEvent(new Event("change", {bubbles: true}));
}"""


@pytest.fixture(scope="module")
def tab(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1400, "height": 1000})
    context.set_default_timeout(PATIENCE)
    tab = context.new_page()
    tab.on("pageerror", lambda error: pytest.fail(f"script error: {error}"))
    yield tab
    context.close()


def test_a_line_has_70_letters(tab: Page) -> None:
    lengths = []
    for page in ("foundations/why-noise", "per_instance/dp-versus-pdp", "experiments/replication"):
        visit(tab, PUBLIC / f"book/{page}.html")
        lengths += tab.evaluate(LINES)
    assert lengths and 60 <= sum(lengths) / len(lengths) <= 76  # a last line is not full


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_a_link_under_the_pointer_can_be_read(tab: Page, mode: str) -> None:
    visit(tab, CHAPTER)
    tab.evaluate("mode => document.documentElement.dataset.theme = mode", mode)
    assert tab.evaluate(CONTRAST) >= 4.5


def test_scripts_wait_until_the_page_is_painted() -> None:
    """All but two small ones, of which one loads the others."""
    for page in public_pages():
        html = page.read_text(encoding="utf-8")
        at_once = set(re.findall(r'<script [^>]*(?<!-)src="[^"]*?(\w+\.js)', html))
        if page.name != "search.html":
            assert at_once == {"documentation_options.js", "late.js"}, name(page)
            assert "<script data-src=" in html, name(page)


def test_what_is_out_of_sight_waits_and_then_nothing_moves(tab: Page) -> None:
    visit(tab, CHAPTER)
    assert tab.evaluate("() => 'lazy' in document.documentElement.dataset")
    tops = tab.evaluate(TOPS)
    assert len(tops) > 5 and tops == sorted(tops)
    waits = "section => section.style.contentVisibility"
    assert set(tab.evaluate(f"() => {SECTIONS}.map({waits})")) == {"visible"}
    tab.evaluate(f"() => {SECTIONS}.forEach(section => section.style.contentVisibility = 'auto')")
    tab.evaluate("() => new Promise(f => requestAnimationFrame(() => requestAnimationFrame(f)))")
    assert tab.evaluate(TOPS) == pytest.approx(tops, abs=1)


def test_a_link_into_a_page_finds_its_place(tab: Page) -> None:
    tab.goto("about:blank")
    visit(tab, CHAPTER, "#lem-atoms")
    assert not tab.evaluate("() => 'lazy' in document.documentElement.dataset")
    top = "document.getElementById('lem-atoms').getBoundingClientRect().top"
    tab.wait_for_function(f"() => 0 <= {top} && {top} < 200")  # the page may glide there


def test_a_link_shows_where_it_leads(tab: Page) -> None:
    visit(tab, CHAPTER)
    preview = tab.locator("#preview")
    link = tab.locator("article a.internal[href='#lem-atoms']").first
    link.hover()
    preview.wait_for()
    assert "mediant inequality" in preview.text_content()
    assert link.get_attribute("aria-describedby") == "preview"
    tab.keyboard.press("Escape")
    preview.wait_for(state="hidden")
    assert link.get_attribute("aria-describedby") is None
    tab.locator("article a.internal[href*='differential-privacy.html#def-']").first.focus()
    tab.keyboard.press("Shift+Tab")
    tab.keyboard.press("Tab")
    preview.wait_for()
    assert "Definition" in preview.text_content()


def test_a_link_to_a_figure_shows_the_figure(tab: Page) -> None:
    visit(tab, CHAPTER)
    tab.locator("article p a.internal[href^='#fig-']").first.hover()
    image = tab.locator("#preview img")
    image.wait_for()
    tab.wait_for_function("image => image.naturalWidth > 100", arg=image.element_handle())
    assert re.match(r"Fig\. \d", tab.locator("#preview figcaption").inner_text())
    tab.keyboard.press("Escape")


def test_nothing_is_left_out_of_a_list_before_its_script_runs() -> None:
    for page in (ERRATA, SOURCES, LEDGER):
        soup = parse(page)
        assert soup.select(LISTED) and not soup.select("article [hidden], .filters"), name(page)


def test_errata_are_chosen_by_all_their_traits_at_once(tab: Page) -> None:
    visit(tab, ERRATA)
    shown, count = tab.locator("dl.errata dt:visible"), tab.locator(".filters output")
    total = shown.count()
    assert total == len(parse(ERRATA).select(LISTED))
    assert count.inner_text() == f"{total} of {total} slips"
    traits = {"kind": "mathematics", "conclusion": "conclusion"}
    for trait, word in traits.items():
        tab.locator(f"#choose-{trait}").select_option(word)
    left = shown.count()
    assert 0 < left < total and count.inner_text() == f"{left} of {total} slips"
    for word in traits.values():
        assert shown.locator(f".badge-{word}").count() == left
    tab.locator("#choose-source").select_option("personalized-privacy-over-social-distance")
    assert 0 < shown.count() < left
    assert tab.evaluate(HEADED) == []
    top = tab.locator("article > section > section:visible")
    assert tab.locator(".page-toc .toc-h2:visible").count() == top.count() == 1
    left = shown.count()
    tab.reload()
    tab.wait_for_function("() => 'ready' in document.documentElement.dataset")
    assert shown.count() == left and count.inner_text() == f"{left} of {total} slips"
    tab.get_by_role("button", name="Show all").click()
    assert shown.count() == total and "?" not in tab.url
    assert tab.evaluate("() => document.activeElement.id") == "choose-kind"


def test_an_option_says_what_it_leaves_and_none_leaves_nothing(tab: Page) -> None:
    visit(tab, SOURCES, "?source=the-preprint-where-it-differs")
    shown = tab.locator("table.items tbody tr:visible")
    for option in tab.locator("#choose-verdict option").all():
        [said] = re.findall(r"\((\d+)\)$", option.inner_text())
        if option.is_enabled():
            tab.locator("#choose-verdict").select_option(option.get_attribute("value"))
            assert shown.count() == int(said) > 0
        else:
            assert said == "0"
    assert tab.locator("#choose-verdict option:disabled").count() > 0


def test_errata_are_ordered_by_severity_and_put_back(tab: Page) -> None:
    visit(tab, ERRATA)
    places = "() => [...document.querySelectorAll('dl.errata dt')].map(slip => slip.id)"
    printed = tab.evaluate(places)
    tab.locator("#choose-order").select_option("severity")
    slips = tab.locator("dl.errata dt:visible")
    ranks = []
    for slip in slips.all():
        kinds = [word in slip.inner_html() for word in ("badge-mathematics", "badge-experiment")]
        ranks.append(("badge-conclusion" not in slip.inner_html(), *(not kind for kind in kinds)))
    assert len(ranks) == len(printed) and ranks == sorted(ranks) and len({*ranks}) > 4
    assert tab.locator("article section section:visible").count() == 0
    assert slips.first.locator(".entry-source").is_visible()
    tab.locator("#choose-order").select_option("")
    assert tab.evaluate(places) == printed
    assert tab.locator("dl.errata dt .entry-source:visible").count() == 0


def test_a_link_to_what_is_left_out_shows_it(tab: Page) -> None:
    slip = parse(ERRATA).select_one("dt:has(.badge-mathematics)")["id"]
    tab.goto("about:blank")
    visit(tab, ERRATA, f"?kind=print#{slip}")
    assert tab.locator(f"#{slip}").is_visible() and tab.url.endswith(f"errata.html#{slip}")
    tab.locator("#choose-kind").select_option("print")
    assert not tab.locator(f"#{slip}").is_visible() and "#" not in tab.url
    tab.evaluate("slip => { location.hash = slip }", slip)
    tab.wait_for_function("slip => document.getElementById(slip).checkVisibility()", arg=slip)


def test_a_printed_list_says_what_was_chosen(tab: Page) -> None:
    visit(tab, ERRATA)
    tab.emulate_media(media="print")
    try:
        assert not tab.locator(".filters").is_visible()
        tab.locator("#choose-kind").evaluate(CHOOSE, "print")
        assert tab.locator(".filters output").is_visible()
        assert not tab.get_by_role("button", name="Show all").is_visible()
    finally:
        tab.emulate_media(media="screen")


def test_the_ledger_is_short_on_a_phone(tab: Page) -> None:
    tab.set_viewport_size({"width": 400, "height": 800})
    visit(tab, LEDGER)
    ledger = tab.locator("table.ledger")
    assert ledger.evaluate("box => box.getBoundingClientRect().height") < 3600
    assert ledger.evaluate("box => box.scrollWidth <= box.clientWidth + 1")
    row = ledger.locator("tbody tr").first
    row.get_by_role("button", name="more").click()
    assert row.locator(".reason").is_visible() and row.locator("td").nth(3).is_visible()
    tab.set_viewport_size({"width": 1400, "height": 1000})
    assert ledger.locator("tbody tr").nth(1).locator(".reason").is_visible()


def test_a_theorem_has_one_number() -> None:
    """Not "Theorem 2.3 (Theorem 1: ...)": whose number the second is must be said."""
    title = re.compile(r"\{prf:\w+\} *(?:Theorem|Lemma|Proposition|Corollary|Definition) ?\d")
    for page in sorted((ROOT / "book").rglob("*.md")):
        assert not title.findall(page.read_text(encoding="utf-8")), page
