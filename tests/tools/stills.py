"""Stills of the explorables: ``python -m tests.tools.stills``, after ``make book``.

For each explorable it writes a picture of the initial content of the box, without the question,
which asks readers to move something.  It writes to ``stills.json`` the text of the readout and the
height of the box on a desktop and on a phone.  The pages reserve this height, so that nothing moves
when the script fills the box, and show the picture if there are no scripts; the notebooks contain
it.  It also writes the picture of the first page for the README.  The command needs Chromium.
"""

import io
import json
import re
import shutil
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

from book._ext.explorable import STILLS
from tests.tools.notebooks import ROOT
from tools.notebooks import pages

SCREENS: dict[str, ViewportSize] = {
    "wide": {"width": 1280, "height": 900},
    "narrow": {"width": 400, "height": 800},
}
COLOURS = 128
README_PICTURE = ROOT / "docs" / "page.png"
ALONE = """() => {
    let box = document.querySelector(".explorable");
    for (; box !== document.body; box = box.parentElement)
        [...box.parentElement.children].forEach(other => other === box || other.remove());
}"""


def explorables() -> dict[str, str]:
    """Return the page of each explorable, by its name."""
    named = re.compile(r"^`{3,}\{explorable\} ([\w-]+)", re.MULTILINE)
    texts = {page: (ROOT / f"{page}.md").read_text(encoding="utf-8") for page in pages()}
    return {name: page for page, text in texts.items() for name in named.findall(text)}


def opened(browser: Browser, page: Path, name: str, screen: str, scale: float = 1.0) -> Page:
    """Open an explorable in a box of the height of its content."""
    context = browser.new_context(
        viewport=SCREENS[screen], device_scale_factor=scale, reduced_motion="reduce"
    )
    tab = context.new_page()
    tab.goto(f"{page.as_uri()}#explorable-{name}")  # this opens a fold around it
    tab.add_style_tag(content=".explorable-body { min-height: 0 !important }")
    tab.evaluate("() => document.documentElement.dataset.theme = 'light'")
    tab.wait_for_selector(f"#explorable-{name} .explorable-view svg")
    return tab


def alone(tab: Page) -> None:
    """Remove everything from the page except the box, and from the box what needs interaction."""
    tab.evaluate(ALONE)
    asks = ".explorable-below, .explorable-guess, .explorable-prompt, figcaption"
    tab.add_style_tag(content=f"{asks} {{ display: none !important }}")
    tab.add_style_tag(content=".explorable { border: 0; padding: 0 }")  # the page has a frame
    tab.add_style_tag(content=".explorable-readout { min-height: 0 !important }")
    tab.set_viewport_size({"width": 1280, "height": 1600})


def height(tab: Page) -> int:
    """Return the height of the content of the box."""
    return round(
        tab.eval_on_selector(".explorable-body", "box => box.getBoundingClientRect().height")
    )


def write_picture(png: bytes, target: Path) -> None:
    """Write a picture with few colours, but preserve the colour of a small dot."""
    with Image.open(io.BytesIO(png)) as whole:
        few = whole.convert("RGB").quantize(COLOURS, method=Image.Quantize.FASTOCTREE)
        few.save(target, optimize=True)


def first_page(browser: Browser, html: Path) -> bytes:
    """Return a picture of the first page after the removal of the shortest player."""
    tab = opened(browser, html / "book" / "index.html", "remove-one", "wide")
    tab.set_viewport_size({"width": 1280, "height": 800})
    tab.locator(".explorable-body input[type=range]").first.fill("1")
    tab.mouse.click(1150, 700)  # release the control, which keeps the drawing in view
    tab.evaluate("() => scrollTo(0, 0)")
    png = tab.screenshot()
    tab.context.close()
    return png


def main(html: Path) -> None:
    """Write the stills of a built book."""
    stills: dict[str, dict[str, object]] = {}
    (ROOT / STILLS).mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        chromium = shutil.which("chromium") or shutil.which("chromium-browser")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for name, docname in explorables().items():
            page = html / f"{docname}.html"
            narrow = opened(browser, page, name, "narrow")
            wide = opened(browser, page, name, "wide", scale=1.5)
            stills[name] = {
                "said": wide.inner_text(".explorable-readout"),
                "wide": height(wide),
                "narrow": height(narrow),
            }
            alone(wide)
            box = wide.locator(".explorable")
            write_picture(box.screenshot(), ROOT / STILLS / f"{name}.png")
            narrow.context.close()
            wide.context.close()
        write_picture(first_page(browser, html), README_PICTURE)
        browser.close()
    text = json.dumps(stills, indent=1, ensure_ascii=False) + "\n"
    (ROOT / STILLS / "stills.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT / "_build" / "html")
