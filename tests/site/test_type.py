"""The type of the built pages: they print nothing that it lacks, and are set in it."""

import re
from collections.abc import Iterator
from functools import partial
from html import unescape
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from time import sleep

import pytest
from fontTools.ttLib import TTFont
from playwright.sync_api import Browser, Page

from book._ext.theme.drawn_letters import letters_of
from book._ext.theme.typefaces import FACES, NOTO
from tests.site.site import PATIENCE, PUBLIC, instructor_pages, name, parse, public_pages, visit
from tests.site.test_explorables import SHIFTS
from tests.tools.notebooks import ROOT

pytestmark = pytest.mark.site
CHAPTER = PUBLIC / "book/per_instance/dp-versus-pdp.html"
LANDING = PUBLIC / "book/index.html"
SHOWN = [LANDING, CHAPTER, PUBLIC / "book/game/nvo-game.html", PUBLIC / "book/notation.html"]
SIZES = {"desktop": (1280, 900), "phone": (400, 800)}
HELD = {face: {*map(chr, TTFont(NOTO / f"{face}.woff2").getBestCmap())} for face in FACES}
ICONS = re.compile("[\ue000-\uf8ff]")  # of the theme, which has a font for them
INVISIBLE = {"\n", "\t", "\r", "\u2060", "\u200b", "\xad"}
UNREAD = re.compile(r"<(script|style|noscript|mjx-container)\b.*?</\1>", re.DOTALL)
CODE = re.compile(r"<(pre|code|samp|kbd)\b.*?</\1>", re.DOTALL)
READY = "() => document.fonts.ready.then(() => document.documentElement.dataset.ready)"


@pytest.fixture(scope="module")
def tab(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(PATIENCE)
    yield context.new_page()
    context.close()


def letters(html: str) -> set[str]:
    """The letters of a part of a page, without those of its tags."""
    return {*ICONS.sub("", unescape(re.sub("<[^>]*>", "", html)))}


@pytest.mark.parametrize("page", [*public_pages(), *instructor_pages()], ids=name)
def test_the_type_has_every_letter_that_a_page_prints(page: Path) -> None:
    """Code has the letters of the text besides its own: its typeface is followed by that."""
    body = UNREAD.sub("", page.read_text(encoding="utf-8").partition("<body")[2])
    in_code = letters("".join(code[0] for code in CODE.finditer(body))) - HELD["noto-sans-mono"]
    lacking = (letters(CODE.sub("", body)) | in_code) - INVISIBLE - HELD["noto-sans"]
    assert not lacking, f"{name(page)}: {lacking}: PRINTED of typefaces.py lacks them"


def test_the_type_has_every_letter_of_drawings_figures_with_sliders_and_styles() -> None:
    lacking, seen = {}, 0
    for drawing in (PUBLIC / "_images").glob("*.svg"):
        for face, letters in letters_of(drawing.read_text(encoding="utf-8")).items():
            lacking[f"{drawing.name} {face}"] = letters - HELD[face] - INVISIBLE
            seen += 1
    static = ROOT / "book" / "_static"
    for script in [*static.rglob("*.js"), static / "pdpbook.css", static / "predictions.css"]:
        letters = {*script.read_text(encoding="utf-8")}
        lacking[script.name] = letters - HELD["noto-sans"] - INVISIBLE
    assert seen > 50 and not {where: found for where, found in lacking.items() if found}


def fonts_of(tab: Page, selector: str) -> set[tuple[str, bool]]:
    """The fonts that a browser has drawn letters with, each with whether the page brought it."""
    client = tab.context.new_cdp_session(tab)
    client.send("DOM.enable")
    client.send("CSS.enable")
    root = client.send("DOM.getDocument", {"depth": 0})["root"]["nodeId"]
    found = set()
    nodes = client.send("DOM.querySelectorAll", {"nodeId": root, "selector": selector})["nodeIds"]
    for node in nodes:
        for font in client.send("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"]:
            found.add((font["familyName"], font["isCustomFont"]))
    client.detach()
    return found


@pytest.mark.parametrize("page", SHOWN, ids=name)
def test_text_code_and_figures_are_set_in_the_type_of_the_book(tab: Page, page: Path) -> None:
    visit(tab, page)
    tab.evaluate(READY)
    text = fonts_of(tab, "article :is(h1, h2, p, li, td, figcaption, button, label, svg text)")
    assert ("Noto Sans", True) in text
    strangers = {font for font, brought in text if not brought}
    assert not strangers, f"{name(page)} is set in {strangers}"
    if tab.locator("article pre").count():
        code = fonts_of(tab, "article pre")  # and of the elements in it
        assert ("Noto Sans Mono", True) in code <= {("Noto Sans Mono", True), ("Noto Sans", True)}


def test_a_drawing_is_set_in_the_type_of_the_book(tab: Page) -> None:
    [*drawings] = [img["src"] for img in parse(CHAPTER).select("article figure img[src$='.svg']")]
    tab.goto((CHAPTER.parent / drawings[0]).resolve().as_uri())
    tab.evaluate("() => document.fonts.ready.then(() => true)")
    assert fonts_of(tab, "text, tspan") == {("Noto Sans", True)}


class Late(SimpleHTTPRequestHandler):
    """Serves the book, its type half a second late."""

    def do_GET(self) -> None:
        """Answer."""
        if ".woff2" in self.path:
            sleep(0.5)
        super().do_GET()

    def log_message(self, *args: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The address of a server that brings the type late."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Late, directory=str(PUBLIC)))
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("page", [LANDING, CHAPTER], ids=name)
def test_nothing_jumps_when_the_type_comes_late(browser: Browser, address: str, page: Path) -> None:
    """What is asked for ahead is used, and until it comes the system's font takes its room."""
    tabs, said = {}, []
    for size, (width, height) in SIZES.items():  # all wait at the same time
        context = browser.new_context(viewport={"width": width, "height": height})
        context.set_default_timeout(PATIENCE)
        tabs[size] = context.new_page()
        tabs[size].on("console", lambda message: said.append(message.text))
        tabs[size].add_init_script(f"({SHIFTS})()")
        tabs[size].goto(f"{address}/{page.relative_to(PUBLIC)}", wait_until="commit")
    for tab in tabs.values():
        tab.wait_for_function("() => 'ready' in document.documentElement.dataset")
        tab.evaluate(READY)
    tab.wait_for_timeout(500)
    for size, tab in tabs.items():
        assert tab.locator("link[rel=preload][as=font]").count() == 2
        faces = "() => [...document.fonts].filter(face => face.status === 'loaded').length"
        assert tab.evaluate(faces) > 2
        assert tab.evaluate("shifted") < 0.02, size
        tab.context.close()
    assert not [text for text in said if "preload" in text], said
