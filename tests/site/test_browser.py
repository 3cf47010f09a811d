"""Every chapter as a reader without a network sees it: once in Chromium, in both modes and widths.

All that is folded is open, so that it is looked at as well.
"""

from pathlib import Path

import axe_playwright_python
import pytest

from tests.site.conftest import Reader, chapters

pytestmark = pytest.mark.site
AXE = Path(axe_playwright_python.__file__).with_name("axe.min.js").read_text(encoding="utf-8")
STILL = "* { transition: none !important; animation: none !important }"
UNFOLD = "() => document.querySelectorAll('article details').forEach(fold => { fold.open = true; })"
MODE = "mode => { document.documentElement.dataset.theme = mode; }"
FORMULAS = """() => [
    ...[...document.querySelectorAll(".math")].filter(box => !box.querySelector("mjx-container"))
        .map(box => `formula is not set: ${box.textContent}`),
    ...[...document.querySelectorAll("mjx-merror, [data-mjx-error]")]
        .map(box => `formula with an error: ${box.textContent}`),
]"""
# What ends beyond the screen, and in no box of its own that scrolls.
WIDE = """() => {
    const boxed = box => box.parentElement !== document.body && (
        getComputedStyle(box.parentElement).overflowX !== "visible" || boxed(box.parentElement));
    const wide = box => box.getBoundingClientRect().right > innerWidth && !boxed(box);
    return document.scrollingElement.scrollWidth <= innerWidth ? [] : ["wider than the screen: "
        + [...document.querySelectorAll("main *")].filter(wide).map(box => box.outerHTML)
            .slice(0, 3).map(html => html.slice(0, 99))];
}"""
# What a laptop shows only to those who scroll: a formula would be read as another one.
CUT = """() => [...document.querySelectorAll(
        "article mjx-container[display=true], article .cell_output :is(.output, pre)")]
    .filter(box => box.scrollWidth > box.clientWidth + 1)
    .map(box => `${box.scrollWidth} px in ${box.clientWidth} px: ${box.textContent.slice(0, 60)}`)
"""
# What says the same many times over takes axe most of its time: of each kind of token of code the
# first is left to it, and of a formula, whose glyphs style sheets draw unseen by axe, the place.
THIN = """() => {
    document.querySelectorAll("mjx-container").forEach(formula => formula.replaceChildren());
    const seen = new Set();
    for (const token of document.querySelectorAll("article pre span[class]")) {
        if (seen.has(token.className)) token.replaceWith(...token.childNodes);
        seen.add(token.className);
    }
}"""
# Without preload: axe would fetch the style sheets, which file:// does not allow. The mode changes
# colours only.
VIOLATIONS = """async mode => {
    const colours = {runOnly: ["color-contrast", "link-in-text-block"]};
    const options = {preload: false, resultTypes: ["violations"], ...(mode === "dark" && colours)};
    const found = await axe.run(document, options);
    return found.violations.map(({id, help, nodes}) =>
        `${id} (${help}): ` + nodes.slice(0, 3).map(node => node.html.slice(0, 160)).join("; "));
}"""


@pytest.mark.parametrize("page", [*chapters(), "search", "genindex"])
def test_a_chapter_is_whole_in_both_modes_and_widths(reader: Reader, page: str) -> None:
    tab, faults = reader.tab, []
    tab.set_viewport_size({"width": 400, "height": 900})
    reader.open(page)
    tab.add_style_tag(content=STILL)
    tab.evaluate(UNFOLD)
    tab.evaluate(AXE)
    for width, look in ((400, FORMULAS), (1280, CUT)):
        tab.set_viewport_size({"width": width, "height": 900})
        faults += [*tab.evaluate(look), *tab.evaluate(WIDE)]
    tab.evaluate(THIN)
    for width, mode in ((400, "light"), (1280, "dark")):
        tab.set_viewport_size({"width": width, "height": 900})
        tab.evaluate(MODE, mode)
        faults += tab.evaluate(VIOLATIONS, mode)
    assert not faults + reader.problems, "\n".join([page, *faults, *reader.problems])
