"""Checks of the built pages as a reader without a network sees them, in headless Chromium.

Each page is opened over ``file://`` once and looked at on a screen 400 px wide, and on a wide one
in light and in dark mode. The mode changes the contrast and nothing else that axe looks at, the
width everything but the contrast. A test collects all that is wrong with a page before it fails.
"""

from collections.abc import Iterator
from pathlib import Path

import axe_playwright_python
import pytest
from playwright.sync_api import Browser, Page

from tests.site.site import PATIENCE, PUBLIC, name, public_pages, solution_pages

AXE = Path(axe_playwright_python.__file__).with_name("axe.min.js").read_text(encoding="utf-8")
DESKTOP = {"width": 1280, "height": 900}
PHONE = {"width": 400, "height": 800}

# Nearly all the time goes into code and formulas, and most of it into looking at the same again.
# The colours of a token depend on its classes and its ground alone, so of each kind one is kept,
# and the others become plain text. A formula is drawn in glyphs that axe does not see, and its
# parts are the same elements in each: one in the text and one displayed are kept, and the others
# become boxes of their size.
ONE_OF_A_KIND = """() => {
    const seen = new Set();
    const again = kind => seen.has(kind) || !seen.add(kind);
    const plain = [];
    for (const code of document.querySelectorAll("pre, .sig")) {
        const ground = getComputedStyle(code).backgroundColor;
        const tokens = code.matches("pre")
            ? "span[class]:not(:has(*))" : ":scope > :is(em, span):not(:has(a))";
        for (const token of code.querySelectorAll(tokens)) {
            const classes = token.outerHTML.replace(/>[^<]*/g, ">");
            if (again(classes + " on " + ground)) plain.push(token);
        }
    }
    const boxes = [];
    for (const formula of document.querySelectorAll("mjx-container"))
        if (again(formula.getAttribute("display") ?? "inline"))
            boxes.push([formula, formula.querySelector("mjx-math").getBoundingClientRect()]);
    plain.forEach(token => token.replaceWith(token.textContent));
    document.querySelectorAll("pre, .sig").forEach(code => code.normalize());
    for (const [formula, {width, height}] of boxes) {
        const box = document.createElement("mjx-math");
        box.style = `display: inline-block; width: ${width}px; height: ${height}px`;
        formula.replaceChildren(box);
    }
}"""


# What reaches beyond the screen and stands in no box of its own that scrolls.
WIDE = """limit => {
    const wide = box => box.getBoundingClientRect().right > limit;
    const boxed = box => box.parentElement !== document.body && (
        getComputedStyle(box.parentElement).overflowX !== "visible" || boxed(box.parentElement));
    return [...document.querySelectorAll("main *")].filter(box => wide(box) && !boxed(box))
        .slice(0, 5).map(box => box.outerHTML.slice(0, 120));
}"""


class Reader:
    """A browser tab that notes every request to another host and every console error."""

    def __init__(self, browser: Browser) -> None:
        context = browser.new_context(viewport=DESKTOP, reduced_motion="reduce")
        context.set_default_timeout(PATIENCE)
        self.tab: Page = context.new_page()
        self.problems: list[str] = []
        self.tab.route(lambda url: not url.startswith("file:"), self._refuse)
        self.tab.on("console", lambda message: message.type == "error" and self.note(message.text))
        self.tab.on("pageerror", lambda error: self.note(f"script error: {error}"))

    def _refuse(self, route) -> None:
        self.note(f"request to another host: {route.request.url}")
        route.abort()

    def note(self, problem: str) -> None:
        """Remember a problem."""
        self.problems.append(problem)

    def open(self, page: Path, screen: dict[str, int] = DESKTOP) -> None:
        """Show a page in light mode on a screen and wait until its mathematics is set."""
        self.problems.clear()
        self.tab.set_viewport_size(screen)
        self.tab.goto(page.as_uri())
        self.tab.add_style_tag(content="* { transition: none !important }")
        self.theme("light")
        self.tab.evaluate("() => window.MathJax?.startup?.promise")

    def theme(self, mode: str) -> None:
        """Switch to light or dark mode."""
        self.tab.evaluate("mode => document.documentElement.dataset.theme = mode", mode)

    def take_note(self) -> None:
        """Wait until the page has taken note of its screen."""
        self.tab.evaluate("() => new Promise(f => requestAnimationFrame(() => setTimeout(f, 100)))")

    def prepare_axe(self) -> None:
        """Load axe, and take from the page what it would look at again and again."""
        self.tab.evaluate(AXE)
        self.tab.evaluate(ONE_OF_A_KIND)

    def check_mathematics(self) -> None:
        """Every formula is set, and without an error."""
        unset = self.tab.evaluate(
            "() => [...document.querySelectorAll('.math')]"
            ".filter(box => !box.querySelector('mjx-container')).map(box => box.textContent)"
        )
        errors = self.tab.evaluate(
            "() => [...document.querySelectorAll('mjx-merror, [data-mjx-error]')]"
            ".map(box => box.closest('.math')?.textContent ?? box.textContent)"
        )
        self.problems += [f"formula is not set: {formula}" for formula in unset]
        self.problems += [f"formula with an error: {formula}" for formula in errors]

    def check_accessibility(self, where: str, **options: object) -> None:
        """Axe finds nothing; options are those of ``axe.run``."""
        # Without preload: axe would fetch the style sheets, which file:// does not allow.
        found = self.tab.evaluate(
            "async options => (await axe.run(options)).violations",
            {"preload": False, "resultTypes": ["violations"], **options},
        )
        self.problems += [
            f"{where}: {rule['id']} ({rule['help']}): "
            + "; ".join(node["html"][:200] for node in rule["nodes"][:5])
            for rule in found
        ]

    def check_width(self) -> None:
        """The page as a whole does not scroll sideways."""
        width = self.tab.evaluate("() => document.scrollingElement.scrollWidth")
        if width > PHONE["width"]:
            wide = self.tab.evaluate(WIDE, PHONE["width"])
            self.note(f"{width} px wide on a screen of {PHONE['width']} px: {wide}")


@pytest.fixture(scope="module")
def reader(browser: Browser) -> Iterator[Reader]:
    reader = Reader(browser)
    yield reader
    reader.tab.context.close()


@pytest.mark.parametrize("page", [*public_pages(), *solution_pages()], ids=name)
def test_page(reader: Reader, page: Path) -> None:
    reader.open(page, PHONE)
    reader.check_mathematics()
    reader.take_note()
    reader.check_width()
    reader.prepare_axe()
    reader.check_accessibility("400 px", rules={"color-contrast": {"enabled": False}})
    reader.tab.set_viewport_size(DESKTOP)
    reader.take_note()
    reader.check_accessibility("light")
    reader.theme("dark")
    reader.check_accessibility("dark", runOnly=["color-contrast"])
    assert not reader.problems, name(page) + "\n" + "\n".join(reader.problems)


def test_the_switch_changes_the_mode(reader: Reader) -> None:
    reader.open(PUBLIC / "book" / "index.html")
    theme = "() => document.documentElement.dataset.theme"
    seen = set()
    for _ in range(3):
        reader.tab.locator(".theme-switch-button:visible").first.click()
        seen.add(reader.tab.evaluate(theme))
    assert seen == {"light", "dark"}
    assert not reader.problems
