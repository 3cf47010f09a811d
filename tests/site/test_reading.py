"""Reading: the measure, previews, folds, filters, and what stands at the foot of a page."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.site.site import PATIENCE, PUBLIC, instructor_pages, name, parse, public_pages, visit
from tests.tools.notebooks import ROOT

pytestmark = pytest.mark.site
CHAPTER = PUBLIC / "book/per_instance/dp-versus-pdp.html"
PROOFS = PUBLIC / "book/per_instance/theorem-one.html"
ERRATA = PUBLIC / "book/errata.html"
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

VERBATIM = re.compile(r"<(pre|code|script|style|svg|mjx-container)\b.*?</\1>", re.DOTALL)
SECTIONS = "[...document.querySelectorAll('.bd-article > section > section')]"
TOPS = f"() => {SECTIONS}.map(section => section.firstElementChild.getBoundingClientRect().top)"


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


def test_proofs_fold_and_links_open_them(tab: Page) -> None:
    pages = [page for page in public_pages() if parse(page).find("details", "folded-proof")]
    proofs = [(page, proof) for page in pages for proof in parse(page).select(".folded-proof")]
    folded = [proof for _, proof in proofs if not proof.has_attr("open")]
    assert 0 < len(folded) < len(proofs)
    assert min(len(proof.select_one(".proof").get_text()) for proof in folded) > 600
    for page, proof in proofs:
        assert proof.summary.get_text() == "Proof"
        text = proof.select_one(".proof").get_text()
        assert not text.lstrip().startswith("Proof."), name(page)
        assert "∎" not in text, f"{name(page)}: the style sheet ends a proof"
    visit(tab, PROOFS)
    fold = tab.locator(".folded-proof").first
    fold.evaluate("fold => { fold.open = false; fold.querySelector('p').id = 'inside' }")
    tab.evaluate("() => { location.hash = '#inside' }")
    tab.wait_for_function("() => document.getElementById('inside').closest('details').open")


def test_what_belongs_together_is_not_torn_apart() -> None:
    """ "5 %" has a narrow space in prose, captions and tables; "ε = 1" and "(x" do not break."""
    seen = 0
    for page in [*public_pages(), *instructor_pages()]:
        html = page.read_text(encoding="utf-8")
        article = html.partition("<article")[2].partition("</article")[0]
        assert not re.findall(r'.{20}[(\[“]<span class="math [^>]*>(?!\u2060)', article), name(page)
        text = re.sub("<[^>]*>", "", VERBATIM.sub("", article))
        assert not re.findall(r".{20}\d ?%.{20}|[εδ] = [\d½∞]", text), name(page)
        seen += text.count("\N{NARROW NO-BREAK SPACE}%")
    assert seen > 100


def test_errata_can_be_filtered(tab: Page) -> None:
    visit(tab, ERRATA)
    button = tab.get_by_role("button", name=re.compile("^changes a conclusion"))
    count = int(re.search(r"\d+", button.inner_text())[0])
    assert tab.locator("dl.errata dt:visible").count() > count > 0
    button.click()
    assert tab.locator("dl.errata dt:visible").count() == count
    assert tab.locator("dl.errata dt:visible .badge-conclusion").count() == count
    button.click()
    assert tab.locator("dl.errata dt:visible").count() > count


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


@pytest.mark.parametrize("page", public_pages(), ids=name)
def test_a_page_has_an_icon_and_says_its_licence(page: Path) -> None:
    soup = parse(page)
    assert soup.select("link[rel='icon']")
    assert "CC BY 4.0" in soup.select_one(".bd-footer-content").get_text()


def test_a_theorem_has_one_number() -> None:
    """Not "Theorem 2.3 (Theorem 1: ...)": whose number the second is must be said."""
    title = re.compile(r"\{prf:\w+\} *(?:Theorem|Lemma|Proposition|Corollary|Definition) ?\d")
    for page in sorted((ROOT / "book").rglob("*.md")):
        assert not title.findall(page.read_text(encoding="utf-8")), page
