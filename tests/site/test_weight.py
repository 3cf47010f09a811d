"""What a page weighs: the bytes of everything that it loads, before anybody touches it."""

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from playwright.sync_api import Browser, Request

from tests.site.site import (
    INSTRUCTOR,
    PATIENCE,
    PUBLIC,
    instructor_pages,
    name,
    public_pages,
    visit,
)

pytestmark = pytest.mark.site
LANDING, PAGE = 600_000, 1_500_000


def loaded(browser: Browser, page: Path) -> dict[str, int]:
    """The files that a page loads with an empty cache, and the bytes of each."""
    context = browser.new_context()
    context.set_default_timeout(PATIENCE)
    tab = context.new_page()
    sizes: dict[str, int] = {}

    def note(request: Request) -> None:
        if request.url.startswith("file:"):
            file = Path(unquote(urlsplit(request.url).path))
            sizes[file.name] = file.stat().st_size

    tab.on("requestfinished", note)
    visit(tab, page)
    tab.evaluate("() => document.fonts.ready.then(() => true)")
    context.close()
    return sizes


@pytest.mark.parametrize("page", [*public_pages(), *instructor_pages()], ids=name)
def test_a_page_is_light(browser: Browser, page: Path) -> None:
    sizes = loaded(browser, page)
    assert page.name in sizes and "pdpbook.css" in sizes, "what a page loads was not noticed"
    limit = LANDING if page == PUBLIC / "book" / "index.html" else PAGE
    heaviest = sorted(sizes.items(), key=lambda file: -file[1])[:6]
    assert sum(sizes.values()) <= limit, f"{name(page)}: {sum(sizes.values()):,} bytes: {heaviest}"


@pytest.mark.parametrize("folder", [PUBLIC, INSTRUCTOR], ids=["public", "instructor"])
def test_formulas_are_set_before_a_browser_sees_them(folder: Path) -> None:
    """No page loads MathJax, and a page without formulas does not load their style sheet."""
    pages = {page: page.read_text(encoding="utf-8") for page in (folder / "book").rglob("*.html")}
    set_in = {page for page, html in pages.items() if "<mjx-container" in html}
    styled = {page for page, html in pages.items() if re.search("<link [^>]*mathjax.css", html)}
    assert styled == set_in
    assert 0 < len(styled) < len(pages)
    scripts = [tag for html in pages.values() for tag in re.findall("<script [^>]*src=[^>]*", html)]
    assert scripts and not [script for script in scripts if "mathjax" in script.lower()]
