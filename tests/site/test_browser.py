"""Every chapter as a reader without a network sees it: once in Chromium, in both modes and widths.

All that is folded is open, so that it is looked at as well. What a page is asked is in browser.js.
"""

from pathlib import Path

import axe_playwright_python
import pytest

from tests.site.conftest import Reader, chapters

pytestmark = pytest.mark.site
AXE = Path(axe_playwright_python.__file__).with_name("axe.min.js").read_text(encoding="utf-8")
ASKS = Path(__file__).with_name("browser.js").read_text(encoding="utf-8")
SEEN: set[str] = set()  #: the looks of texts on pages that are whole


@pytest.mark.parametrize("page", [*chapters(), "search", "genindex"])
def test_a_chapter_is_whole_in_both_modes_and_widths(reader: Reader, page: str) -> None:
    tab = reader.tab
    tab.set_viewport_size({"width": 400, "height": 900})
    reader.open(page)
    tab.evaluate(f"{AXE}\n{ASKS}\npage.prepare()")
    faults = tab.evaluate("[...page.formulas(), ...page.wide()]")
    tab.evaluate("page.glyphs(false)")
    faults += tab.evaluate("page.violations()")
    tab.evaluate("page.glyphs(true)")
    tab.set_viewport_size({"width": 1280, "height": 900})
    faults += tab.evaluate("[...page.cut(), ...page.wide()]")
    tab.evaluate("page.glyphs(false)")
    looks = tab.evaluate("seen => page.thin(seen)", [*SEEN])
    for mode in ("light", "dark") if looks else ():
        faults += tab.evaluate("mode => page.violations(mode)", mode)
    assert not faults + reader.problems, "\n".join([page, *faults, *reader.problems])
    SEEN.update(looks)
