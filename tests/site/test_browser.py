"""Checks of the built pages as a reader without a network sees them, in headless Chromium.

Each page is opened over ``file://`` once and looked at in light mode, in dark mode, and on a
screen 400 px wide. The mode changes the contrast and nothing else that axe looks at, the width
everything but the contrast. A test collects all that is wrong with a page before it fails.
"""

from collections.abc import Iterator
from pathlib import Path

import axe_playwright_python
import pytest
from playwright.sync_api import Browser, Page

from tests.site.site import PUBLIC, name, public_pages, solution_pages

AXE = Path(axe_playwright_python.__file__).with_name("axe.min.js").read_text(encoding="utf-8")
DESKTOP = {"width": 1280, "height": 900}
PHONE = {"width": 400, "height": 800}

# Nearly all the time goes into the contrast of code. The colours of a token depend on its class
# and its ground alone, so of each kind one is kept, and the others become plain text.
ONE_TOKEN_OF_A_KIND = """() => {
    const seen = new Set();
    for (const token of document.querySelectorAll("pre span[class]:not(:has(*))")) {
        const ground = getComputedStyle(token.closest("pre")).backgroundColor;
        const kind = token.className + " on " + ground;
        if (seen.has(kind)) token.replaceWith(token.textContent);
        seen.add(kind);
    }
    document.querySelectorAll("pre").forEach(code => code.normalize());
}"""


class Reader:
    """A browser tab that notes every request to another host and every console error."""

    def __init__(self, browser: Browser) -> None:
        context = browser.new_context(viewport=DESKTOP, reduced_motion="reduce")
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

    def open(self, page: Path) -> None:
        """Show a page in light mode on a wide screen and wait until its mathematics is set."""
        self.problems.clear()
        self.tab.set_viewport_size(DESKTOP)
        self.tab.goto(page.as_uri())
        self.tab.add_style_tag(content="* { transition: none !important }")
        self.theme("light")
        self.tab.evaluate("() => window.MathJax?.startup?.promise")
        self.tab.evaluate(AXE)
        self.tab.evaluate(ONE_TOKEN_OF_A_KIND)

    def theme(self, mode: str) -> None:
        """Switch to light or dark mode."""
        self.tab.evaluate("mode => document.documentElement.dataset.theme = mode", mode)

    def hold_as_phone(self) -> None:
        """Switch to a narrow screen and wait until the page has taken note of it."""
        self.tab.set_viewport_size(PHONE)
        self.tab.evaluate("() => new Promise(f => requestAnimationFrame(() => setTimeout(f, 100)))")

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
            wide = self.tab.evaluate(
                "limit => [...document.querySelectorAll('main *')]"
                ".filter(box => box.getBoundingClientRect().right > limit)"
                ".slice(0, 5).map(box => box.outerHTML.slice(0, 120))",
                PHONE["width"],
            )
            self.note(f"{width} px wide on a screen of {PHONE['width']} px: {wide}")


@pytest.fixture(scope="module")
def reader(browser: Browser) -> Iterator[Reader]:
    reader = Reader(browser)
    yield reader
    reader.tab.context.close()


@pytest.mark.parametrize("page", [*public_pages(), *solution_pages()], ids=name)
def test_page(reader: Reader, page: Path) -> None:
    reader.open(page)
    reader.check_mathematics()
    reader.check_accessibility("light")
    reader.theme("dark")
    reader.check_accessibility("dark", runOnly=["color-contrast"])
    reader.theme("light")
    reader.hold_as_phone()
    reader.check_width()
    reader.check_accessibility("400 px", rules={"color-contrast": {"enabled": False}})
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
