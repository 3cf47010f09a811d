"""The built book, which ``make book`` makes, and a tab of Chromium that notes what goes wrong."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml
from playwright.sync_api import Browser, Page

ROOT = Path(__file__).parents[2]
HTML = ROOT / "_build" / "html"
LOCAL = ("file:", "data:", "blob:", "about:")
PATIENCE = 120_000  # milliseconds; that a machine is busy is no fault of a page


def chapters() -> list[str]:
    """The first page and all pages that the table of contents lists by name."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    return [toc["root"], *(each["file"] for part in toc["parts"] for each in part["chapters"])]


class Reader(NamedTuple):
    """A tab of the browser, and what has gone wrong on the page that it shows."""

    tab: Page
    problems: list[str]

    def open(self, page: str, place: str = "") -> None:
        """Show a page of the book and wait until its formulas are set."""
        self.tab.goto("about:blank")  # a place of the same page would load nothing
        self.problems.clear()
        self.tab.goto((HTML / f"{page}.html").as_uri() + place)
        self.tab.evaluate("() => globalThis.MathJax?.startup?.promise.then(() => null)")


@pytest.fixture(scope="module")
def reader(browser: Browser) -> Iterator[Reader]:
    """A tab that notes errors, warnings and requests to other hosts."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    context.set_default_timeout(PATIENCE)
    tab, problems = context.new_page(), list[str]()
    tab.on("console", lambda m: m.type in ("error", "warning") and problems.append(m.text))
    tab.on("pageerror", lambda error: problems.append(f"script error: {error}"))
    tab.on("request", lambda r: r.url.startswith(LOCAL) or problems.append(f"asks for {r.url}"))
    yield Reader(tab, problems)
    context.close()
