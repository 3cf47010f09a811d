"""The look of the pages: one measure, one left edge, one style of tables and captions.

What is cut or out of sight is looked for in all pages by test_browser.py, which opens each once;
here that is tried on pages with a fault.
"""

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser, Page

from tests.site.site import PATIENCE, PUBLIC, name, visit
from tests.site.unfolded import (
    DESKTOP,
    FRAMES,
    HOLES,
    PHONE,
    ROW_NAMES,
    SCROLLS,
    faults_of_notes,
    faults_of_tables,
    faults_on_a_laptop,
    unfold,
)
from tests.tools.stills import README_PICTURE, first_page

pytestmark = pytest.mark.site
MEASURE = 656  # pixels
GAME = PUBLIC / "book/game/nvo-game.html"
COMPARED = PUBLIC / "book/audit/instead.html"
LOSSES = PUBLIC / "book/audit/end-to-end-loss.html"
REPLICATION = PUBLIC / "book/experiments/replication.html"
LANDING = PUBLIC / "book/index.html"
WITH_NOTES = PUBLIC / "book/per_instance/dp-versus-pdp.html"
OWN = PUBLIC / "book/own_data/your-own-column.html"
REFERENCE = PUBLIC / "book/reference/pdpbook.beyond.repeated_game.html"
SHOWN = [GAME, COMPARED, LOSSES]
# Left edge, top and bottom of the article's text, of the links to the next page and of the footer.
FOOT = """() => [".bd-article > section", ".prev-next-area", ".bd-footer-content__inner"]
    .map(name => document.querySelector(name).getBoundingClientRect())
    .map(({left, top, bottom}) => [left, top, bottom])"""
# What stands in a section: where it begins, and how wide it is.
BLOCKS = """() => [...document.querySelectorAll(`.bd-article section > :not(section, .cell),
        .bd-article .cell > *, .bd-article figcaption, .bd-article caption`)]
    .filter(box => box.checkVisibility() && box.getBoundingClientRect().width > 0
        && !box.matches("span, aside.margin, .cell_output:has(table), :is(details, .admonition) *")
        && !box.closest(".explorable"))
    .map(box => {
        const {left, width} = box.getBoundingClientRect();
        const table = box.matches(".pst-scrollable-table-container");
        return [`${box.tagName}.${box.className}`, left, table ? 0 : width];
    })"""
STYLES = """selector => [...document.querySelectorAll(`.bd-article ${selector}`)].map(box => {
    const {color, fontSize, textAlign, fontWeight} = getComputedStyle(box);
    return [color, fontSize, textAlign, fontWeight].join();
})"""
PADDINGS = """() => [...document.querySelectorAll(".bd-article table.table :is(th, td)")]
    .map(cell => getComputedStyle(cell))
    .map(({paddingLeft, paddingRight}) => parseFloat(paddingLeft) + parseFloat(paddingRight))"""
BEYOND = """() => [...document.querySelectorAll(`article :is(mjx-container[display=true], pre,
        .pst-scrollable-table-container)`)]
    .filter(box => box.checkVisibility() && box.scrollWidth > box.clientWidth + 1)
    .map(box => getComputedStyle(box).maskImage.includes("gradient"))"""
FOCUSED = """() => {
    const box = document.activeElement, arrow = box.querySelector(".toctree-toggle");
    const isRing = ({outlineStyle, boxShadow}) =>
        outlineStyle === "solid" || / 0px 0px 0px 3px/.test(boxShadow);
    const styles = [box, arrow].filter(Boolean).map(each => getComputedStyle(each));
    return [box.tagName, box.className, styles.some(isRing)];
}"""

# The colours of what a reader sees first, by the selector that finds it.
COLOURS = """() => Object.fromEntries(["html", "body", ".bd-header-article", ".bd-sidebar-primary",
    "aside.margin", ".admonition", ".admonition-title", "h1", "p a", "code", "pre", ".highlight .k",
    ".highlight .c1", ".badge-source", "mjx-container"].map(selector => {
    const find = selector => document.querySelector(selector);
    const box = find(`.bd-article ${selector}`) ?? find(selector);
    const {color, backgroundColor, borderTopColor, colorScheme} = box ? getComputedStyle(box) : {};
    return [selector, box ? [color, backgroundColor, borderTopColor, colorScheme].join() : "none"];
}))"""
# Words of the contents that are broken: a name may break where an element `wbr` says so.
BROKEN = """() => [...document.querySelectorAll("#pst-primary-sidebar nav a:has(wbr)")]
    .flatMap(link => {
    const walker = document.createTreeWalker(link, NodeFilter.SHOW_TEXT), broken = [];
    while (walker.nextNode()) {
        for (const word of walker.currentNode.data.matchAll(/\\S+/g)) {
            const range = document.createRange();
            range.setStart(walker.currentNode, word.index);
            range.setEnd(walker.currentNode, word.index + word[0].length);
            const lines = new Set([...range.getClientRects()].map(line => Math.round(line.top)));
            if (lines.size > 1) broken.push(word[0]);
        }
    }
    return broken;
})"""


@contextmanager
def window(browser: Browser) -> Iterator[Page]:
    """A tab with a window of its own: what is behind another one would wait."""
    context = browser.new_context(viewport=DESKTOP, reduced_motion="reduce")
    context.set_default_timeout(PATIENCE)
    tab = context.new_page()
    tab.on("pageerror", lambda error: pytest.fail(f"script error: {error}"))
    yield tab
    context.close()


@pytest.fixture(scope="module")
def tab(browser: Browser) -> Iterator[Page]:
    with window(browser) as tab:
        yield tab


@pytest.fixture(scope="module", params=SHOWN, ids=name)
def shown(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    """A page that was opened on a phone, with all that is folded in it."""
    with window(browser) as tab:
        show(tab, request.param, PHONE)
        yield tab


def show(tab: Page, page: Path, screen: dict[str, int] = DESKTOP) -> None:
    """Open a page with all that is folded in it."""
    tab.set_viewport_size(screen)
    visit(tab, page)
    unfold(tab)


def test_a_formula_a_table_and_a_printed_line_that_are_cut_on_a_laptop_are_found(tab: Page) -> None:
    """A formula that ends at the edge of its box reads as another one."""
    show(tab, GAME)
    display = "article mjx-container[display=true]"
    tab.evaluate(f"() => {{ document.querySelector('{display}').style.maxWidth = '20px' }}")
    [told] = faults_on_a_laptop(tab)
    assert told.startswith("1280 px: formula is cut")
    show(tab, COMPARED)
    tab.evaluate(
        "() => document.querySelector('table').insertRow().insertCell().append('word'.repeat(200))"
    )
    [told] = faults_on_a_laptop(tab)
    assert told.startswith("1280 px: table scrolls")
    show(tab, OWN)
    tab.locator("article div.cell_output > .output pre:visible").first.evaluate(
        "pre => { pre.textContent = 'column '.repeat(99); pre.style.whiteSpace = 'pre' }"
    )
    assert any(told.startswith("1280 px: printed line") for told in faults_on_a_laptop(tab))


def test_printed_columns_stay_on_a_phone(tab: Page) -> None:
    """A paragraph that a cell prints goes on in the next line; a table of its own scrolls."""
    show(tab, OWN, PHONE)
    probe = tab.locator("article div.cell_output > .output:has(pre)").first
    probe.locator("pre").evaluate("pre => { pre.textContent = 'column '.repeat(11) }")
    assert probe.evaluate(SCROLLS)
    height = probe.locator("pre").evaluate("pre => pre.offsetHeight")
    probe.locator("pre").evaluate("pre => { pre.textContent = 'short' }")
    assert probe.locator("pre").evaluate("pre => pre.offsetHeight") == height  # one line each


def test_a_note_that_leaves_a_hole_in_the_text_is_found(tab: Page) -> None:
    show(tab, WITH_NOTES)
    assert not faults_of_notes(1280, tab.evaluate(HOLES))
    tab.locator("aside.margin").last.evaluate("note => { note.style.height = '9999px' }")
    assert "1280 px: a note leaves a hole of" in faults_of_notes(1280, tab.evaluate(HOLES))[0]


def test_names_of_rows_that_leave_the_screen_are_found(tab: Page) -> None:
    show(tab, REPLICATION, PHONE)
    assert not faults_of_tables(tab.evaluate(ROW_NAMES))
    tab.add_style_tag(content="tbody .stub { position: static !important }")
    assert "the names of rows are" in faults_of_tables(tab.evaluate(ROW_NAMES))[0]
    tab.evaluate("() => document.querySelectorAll('.stub').forEach(stub => stub.className = '')")
    assert "no column names the rows" in faults_of_tables(tab.evaluate(ROW_NAMES))[0]
    tab.locator(".more").evaluate_all("boxes => boxes.forEach(b => b.classList.remove('more'))")
    assert "does not fade" in faults_of_tables(tab.evaluate(ROW_NAMES))[0]


def test_what_goes_on_beyond_the_edge_fades_until_it_is_seen(shown: Page) -> None:
    shown.set_viewport_size(PHONE)
    fades = shown.evaluate(BEYOND)
    assert fades and all(fades)
    box = shown.locator("article .more").first.element_handle()
    box.evaluate("box => box.scrollTo(box.scrollWidth, 0)")
    shown.wait_for_function("box => !box.matches('.more')", arg=box)


def test_no_code_is_cut_on_a_phone(shown: Page) -> None:
    shown.set_viewport_size(PHONE)
    code = shown.locator("article div.highlight pre")
    assert code.count() > 3
    assert not code.evaluate_all(f"boxes => boxes.some({SCROLLS})")


@pytest.mark.parametrize("width", [1280, 1600])
def test_all_has_one_left_edge_and_one_measure(shown: Page, width: int) -> None:
    shown.set_viewport_size({"width": width, "height": 900})
    shown.evaluate(FRAMES)
    blocks = shown.evaluate(BLOCKS)
    edge = min(left for _, left, _ in blocks)
    assert len(blocks) > 50
    assert not [block for block in blocks if abs(block[1] - edge) > 1]
    assert not [block for block in blocks if block[2] > MEASURE + 1]
    paragraphs = [block[2] for block in blocks if block[0] == "P."]
    assert paragraphs and min(paragraphs) == pytest.approx(MEASURE, abs=1)


@pytest.mark.parametrize("width", [1280, 1600])
def test_the_contents_break_names_between_their_words(tab: Page, width: int) -> None:
    show(tab, REFERENCE, {"width": width, "height": 900})
    assert tab.locator("#pst-primary-sidebar nav a:has(wbr)").count() > 20
    assert tab.evaluate(BROKEN) == []


def test_tables_and_captions_have_one_style(tab: Page) -> None:
    captions, paddings = set(), set()
    for page in [
        *SHOWN,
        PUBLIC / "book/notation.html",
        PUBLIC / "book/experiments/replication.html",
    ]:
        show(tab, page)
        captions |= {*tab.evaluate(STYLES, "figcaption"), *tab.evaluate(STYLES, "caption")}
        paddings |= {*tab.evaluate(PADDINGS)}
    assert len(captions) == 1, captions
    assert len(paddings) == 1 and min(paddings) >= 12


def test_no_page_says_that_its_exercises_are_not_answered(tab: Page) -> None:
    """A check of a stub says nothing else, and of an answer what is wrong with it."""
    show(tab, GAME)
    checks = tab.locator(".tag_exercise-check .pdpbook-check")
    assert checks.count() > 2 and tab.locator(".pdpbook-check:visible").count() == 0
    checks.first.evaluate("verdict => { verdict.className = 'pdpbook-check passed' }")
    assert checks.first.is_visible()


def test_the_keyboard_is_seen_wherever_it_is(tab: Page) -> None:
    show(tab, GAME)
    seen = []
    for _ in range(60):
        tab.keyboard.press("Tab")
        kind, classes, ring = tab.evaluate(FOCUSED)
        assert ring, f"{kind} {classes}"
        seen.append(f"{kind} {classes}")
    for stop in ("primary-toggle", "btn-notebook", "SUMMARY", "theme-switch"):
        assert any(stop in each for each in seen), stop


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_without_scripts_a_page_has_the_colours_of_its_mode(browser: Browser, mode: str) -> None:
    """As the system is set; with scripts a reader can choose another one, which is remembered."""
    seen = []
    for scripts in (True, False):
        context = browser.new_context(
            viewport=DESKTOP, color_scheme=mode, java_script_enabled=scripts
        )
        context.set_default_timeout(PATIENCE)
        tab = context.new_page()
        tab.goto(WITH_NOTES.as_uri())
        seen.append(tab.evaluate(COLOURS))
        context.close()
    chosen, untouched = seen
    assert len(chosen) > 10 and all(chosen.values()), chosen
    assert untouched == chosen


def test_a_mode_that_was_chosen_is_there_from_the_start(browser: Browser) -> None:
    theme = "() => document.documentElement.dataset.theme"
    context = browser.new_context(viewport=DESKTOP, color_scheme="light")
    context.set_default_timeout(PATIENCE)
    context.add_init_script(  # every mode that a page has had before it is drawn
        "new MutationObserver(() => {"
        " (window.modes ??= []).push(document.documentElement?.dataset.theme);"
        "}).observe(document, {attributes: true, subtree: true, attributeFilter: ['data-theme']})"
    )
    tab = context.new_page()
    visit(tab, GAME)
    assert tab.evaluate(theme) == "light"
    while tab.evaluate("() => document.documentElement.dataset.mode") != "dark":
        tab.locator(".theme-switch-button:visible").first.click()
    visit(tab, WITH_NOTES)
    assert tab.evaluate(theme) == "dark"
    assert {*tab.evaluate("() => window.modes")} == {"dark"}  # no flash
    context.close()


def test_a_page_is_printed_with_its_number_and_without_the_code_of_its_figures(tab: Page) -> None:
    tab.set_viewport_size(DESKTOP)
    visit(tab, GAME)
    opened = tab.locator("details.hide").last
    opened.evaluate("fold => fold.open = true")
    tab.emulate_media(media="print")
    try:
        tab.evaluate("() => dispatchEvent(new Event('beforeprint'))")
        titles = tab.locator("h1:visible")
        assert [re.match(r"\d+\. ", title) is not None for title in titles.all_inner_texts()] == [
            True
        ]
        assert tab.locator("details.hide").count() > 3
        assert tab.locator("details.hide:visible").count() == 1
        assert tab.locator("details.solution:not([open])").count() == 0
    finally:
        tab.emulate_media(media="screen")


def thumbnail(png: bytes) -> np.ndarray:
    """A picture in shades of grey, 64 by 40."""
    with Image.open(io.BytesIO(png)) as whole:
        return np.asarray(whole.convert("L").resize((64, 40)), dtype=float)


def test_the_readme_shows_the_first_page_as_it_is(browser: Browser) -> None:
    """If not: ``python -m tests.tools.stills``, after ``make book``."""
    kept, now = thumbnail(README_PICTURE.read_bytes()), thumbnail(first_page(browser, PUBLIC))
    assert np.abs(kept - now).mean() < 3.0
    assert np.abs(kept - kept[::-1]).mean() > 10.0  # what another picture would give


@pytest.mark.parametrize("screen", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_the_foot_of_a_page_has_the_left_edge_of_the_text(
    tab: Page, screen: dict[str, int]
) -> None:
    """And stands apart from the last paragraph."""
    show(tab, GAME, screen)
    lines = tab.evaluate(FOOT)
    assert len(lines) == 3
    text, links, footer = lines
    assert links[0] == pytest.approx(text[0], abs=2) and footer[0] == pytest.approx(text[0], abs=2)
    assert links[1] - text[2] > 30


def test_the_first_page_is_printed_whole(tab: Page) -> None:
    """A number stands within what is not cut, cards in lines, a button without a ground."""
    tab.set_viewport_size(DESKTOP)
    visit(tab, LANDING)
    tab.emulate_media(media="print")
    try:
        stations, cards, buttons = tab.evaluate(
            "() => [['.path > li', '::before'], ['.sd-col', null], ['.start-reading a', null]].map("
            "([query, part]) => [...document.querySelectorAll(query)].map(box => ["
            "getComputedStyle(box).breakInside, getComputedStyle(box, part).position,"
            "getComputedStyle(box).display, getComputedStyle(box).color]))"
        )
        assert len(stations) == 9 and len(cards) > 8 and len(buttons) == 1
        assert {tuple(each[:2]) for each in stations} == {("avoid", "static")}
        assert {each[2] for each in cards} == {"inline-block"}
        assert buttons[0][3] == "rgb(0, 0, 0)"
    finally:
        tab.emulate_media(media="screen")
