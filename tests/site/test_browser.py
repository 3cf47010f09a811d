"""Every chapter as a reader without a network sees it: once in Chromium, in both modes and widths.

All that is folded is open, so that it is looked at as well.
"""

from pathlib import Path

import axe_playwright_python
import pytest

from tests.site.conftest import Reader, chapters

pytestmark = pytest.mark.site
AXE = Path(axe_playwright_python.__file__).with_name("axe.min.js").read_text(encoding="utf-8")
# All folds are open, nothing moves, and of each kind of token of code the first is left.
PREPARE = """() => {
    document.head.append(document.createElement("style"));
    document.head.lastChild.textContent =
        "* { transition: none !important; animation: none !important }";
    document.querySelectorAll("article details").forEach(fold => { fold.open = true; });
    const seen = new Set();
    for (const token of document.querySelectorAll("article pre span[class]"))
        if (seen.size === seen.add(token.className).size) token.replaceWith(...token.childNodes);
}"""
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
# What formulas consist of: style sheets draw it unseen by axe, which would look at it all.
GLYPHS = """isShown => document.querySelectorAll("mjx-container").forEach(box => {
    box.glyphs ??= [...box.childNodes];
    box.replaceChildren(...isShown ? box.glyphs : []);
})"""
# Contrasts take axe most of its time: of all texts with the same looks on the same ground, in both
# modes, it gets the first, with what is around it, and none whose looks it has `seen`. The boxes of
# the others stay, empty: a style sheet may count them.
THIN = """seen => {
    const boxes = [...document.body.querySelectorAll("*")], looks = new Map(), kinds = new Map();
    for (const mode of ["dark", "light"]) {
        document.documentElement.dataset.theme = mode;
        const grounds = new Map();
        for (const box of boxes) {
            const style = getComputedStyle(box);
            const of = (...keys) => keys.map(key => style[key]).join();
            const own = of("backgroundColor", "backgroundImage", "opacity", "clip");
            const around = grounds.get(box.parentElement) ?? "";
            grounds.set(box, own === "rgba(0, 0, 0, 0),none,1,auto" ? around : around + own);
            const font = of("color", "fontSize", "fontWeight", "textDecorationLine");
            looks.set(box, [looks.get(box), font, grounds.get(box)].join());
        }
    }
    const said = box => [...box.childNodes].filter(node => node.nodeType === Node.TEXT_NODE)
        .map(text => text.data).join("").trim();
    for (const box of boxes.filter(box => box.checkVisibility())) {
        if (!said(box) && !box.matches("input, select")) continue;
        const link = box.closest("a"), around = link?.parentElement;
        const inText = link && said(around).length > link.textContent.length;
        const kind = [box.tagName, ...[box, link, around].map(of => looks.get(of)), inText].join();
        if (!kinds.has(kind) && !seen.includes(kind)) kinds.set(kind, box);
    }
    const kept = new Set(), away = document.createElement("div");
    for (let box of kinds.values()) for (; box; box = box.parentElement) kept.add(box);
    for (const box of boxes)
        if (!kept.has(box) && kept.has(box.parentElement)) away.append(...box.childNodes);
    return [...kinds.keys()];
}"""
SEEN: set[str] = set()
# The colours of a mode, or all else. Without preload: axe would fetch the style sheets, which
# file:// does not allow.
VIOLATIONS = """async mode => {
    document.documentElement.dataset.theme = mode || "light";
    const colours = ["color-contrast", "link-in-text-block"];
    const rules = Object.fromEntries(colours.map(rule => [rule, {enabled: false}]));
    const options = {preload: false, resultTypes: ["violations"]};
    const found = await axe.run({...options, ...(mode ? {runOnly: colours} : {rules})});
    return found.violations.map(({id, help, nodes}) =>
        `${id} (${help}): ` + nodes.slice(0, 3).map(node => node.html.slice(0, 160)).join("; "));
}"""


@pytest.mark.parametrize("page", [*chapters(), "search", "genindex"])
def test_a_chapter_is_whole_in_both_modes_and_widths(reader: Reader, page: str) -> None:
    tab = reader.tab
    tab.set_viewport_size({"width": 400, "height": 900})
    reader.open(page)
    tab.evaluate(PREPARE)
    faults = [*tab.evaluate(FORMULAS), *tab.evaluate(WIDE)]
    tab.evaluate(AXE)
    tab.evaluate(GLYPHS, False)
    faults += tab.evaluate(VIOLATIONS, "")
    tab.evaluate(GLYPHS, True)
    tab.set_viewport_size({"width": 1280, "height": 900})
    faults += [*tab.evaluate(CUT), *tab.evaluate(WIDE)]
    tab.evaluate(GLYPHS, False)
    kinds = tab.evaluate(THIN, [*SEEN])
    for mode in ("light", "dark") if kinds else ():
        faults += tab.evaluate(VIOLATIONS, mode)
    assert not faults + reader.problems, "\n".join([page, *faults, *reader.problems])
    SEEN.update(kinds)
