"""Checks of the built pages as a reader without a network sees them, in headless Chromium.

Each page is opened over ``file://`` once and looked at on a screen 400 px wide, and on a wide one
in light and in dark mode. The mode changes the contrast and nothing else that axe looks at; the
width changes what can be seen, so on the wide screen axe looks at what the narrow one hides, and at
one page of each folder as a whole. A text that looks like one of an earlier page is as readable as
that. On both, all that is folded is opened once, to see that the names of rows stay in sight on a
phone, that nothing is cut on a laptop and that no note of the margin leaves a hole. What a page
weighs are the bytes of everything that it loads before anybody touches it. A test collects all that
is wrong with a page before it fails.
"""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

import axe_playwright_python
import pytest
from playwright.sync_api import Browser, Page, Request

from tests.site.site import PATIENCE, PUBLIC, looked_at, name, visit
from tests.site.unfolded import (
    DESKTOP,
    HOLES,
    PHONE,
    ROW_NAMES,
    WITH_MARGIN,
    faults_of_notes,
    faults_of_tables,
    faults_on_a_laptop,
    fold,
    unfold,
)

AXE = Path(axe_playwright_python.__file__).with_name("axe.min.js").read_text(encoding="utf-8")
COLOURS = ["color-contrast", "link-in-text-block"]
WITHOUT_COLOURS = {rule: {"enabled": False} for rule in COLOURS}

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
    window.formulas = boxes.map(([formula, {width, height}]) => {
        const box = document.createElement("mjx-math"), drawn = [...formula.childNodes];
        box.style = `display: inline-block; width: ${width}px; height: ${height}px`;
        formula.replaceChildren(box);
        return [formula, drawn];
    });
}"""
FORMULAS_AGAIN = "() => formulas.forEach(([formula, drawn]) => formula.replaceChildren(...drawn))"

# What the contrast of a text depends on: how it is drawn, and the grounds under it. A link must
# also differ from the text that it stands in, so how all around it is drawn counts, and whether it
# stands in text. Text that is laid over the page, such as a fixed header, may lie on what is no
# part of it, so whatever it is laid over with counts as well.
LOOK_OF_TEXTS = """() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    window.texts ??= new Map();
    axe.setup();
    const known = new Map([[null, ["", ""]]]);
    const look = box => {
        if (known.has(box)) return known.get(box);
        const [around, inkAround] = look(box.parentElement);
        const style = getComputedStyle(box);
        const ink = [
            style.color, style.fontSize, style.fontWeight, style.fontStyle, style.textShadow,
            style.textDecorationLine, style.borderBottomStyle].join();
        const seen = [around];
        if (ink != inkAround) seen.push(ink);
        if (style.opacity != 1) seen.push(style.opacity);
        if (style.filter != "none") seen.push(style.filter);
        if (style.backgroundImage != "none") seen.push(style.backgroundImage);
        if (style.backgroundColor != "rgba(0, 0, 0, 0)") seen.push(style.backgroundColor);
        if (style.position != "static") seen.push(style.position + box.className);
        if (box.matches("a[href]")) seen.push(axe.commons.dom.isInTextBlock(box));
        known.set(box, [seen.join("|"), ink]);
        return known.get(box);
    };
    while (walker.nextNode()) {
        const text = walker.currentNode;
        if (text.data.trim() && text.parentElement.checkVisibility({visibilityProperty: true}))
            texts.set(text, (texts.get(text) ?? "") + look(text.parentElement)[0]);
    }
    axe.teardown();
}"""
# Of the texts that are alike in both modes the first one is looked at, if no page before had one.
ONE_OF_EACH_LOOK = """known => {
    const seen = new Set(known);
    const fresh = [...texts].filter(([text, look]) => !seen.has(look) && seen.add(look));
    window.fresh = fresh.map(([text, look]) => text.parentElement);
    return fresh.map(([text, look]) => look);
}"""

# What can be seen now; later, the outermost boxes that can be seen and could not be seen then.
SEEN = """() => {
    const boxes = [...document.body.querySelectorAll("*")];
    window.seen = new Set(boxes.filter(box => box.checkVisibility()));
}"""
HIDDEN_BEFORE = """() => {
    const boxes = [...document.body.querySelectorAll("*")];
    const more = new Set(boxes.filter(box => !seen.has(box) && box.checkVisibility()));
    window.fresh = [...more].filter(box => !more.has(box.parentElement));
    return fresh.length;
}"""

# What reaches beyond the screen and stands in no box of its own that scrolls.
WIDE = """limit => {
    const wide = box => box.getBoundingClientRect().right > limit;
    const boxed = box => box.parentElement !== document.body && (
        getComputedStyle(box.parentElement).overflowX !== "visible" || boxed(box.parentElement));
    return [...document.querySelectorAll("main *")].filter(box => wide(box) && !boxed(box))
        .slice(0, 5).map(box => box.outerHTML.slice(0, 120));
}"""


# Each drawing with its width and how much of it can be seen on the screen, in no box that cuts it.
DRAWINGS = """() => {
    const all = document.querySelectorAll("main img[src$='.svg']:not(.thumbnail)");
    return [...all].map(drawing => {
        const {left, right, width} = drawing.getBoundingClientRect();
        let [from, to] = [Math.max(left, 0), Math.min(right, innerWidth)];
        for (let box = drawing.parentElement; box; box = box.parentElement) {
            const {overflowX} = getComputedStyle(box);
            if (overflowX === "visible" || box.matches("html, body")) continue;
            const edge = box.getBoundingClientRect();
            [from, to] = [Math.max(from, edge.left), Math.min(to, edge.right)];
        }
        return [drawing.getAttribute("src"), width, to - from];
    });
}"""
# Pixels: 11 on a screen that is 390 pixels wide, and 9 for exponents and indices.
LEAST_TYPE, LEAST_SCRIPT = (size * PHONE["width"] / 390 for size in (11, 9))
LANDING_PAGE = PUBLIC / "book" / "index.html"
LANDING, PAGE = 645_000, 1_500_000  # bytes; the first page brings the comparison as a figure


def smallest_type(drawing: Path) -> tuple[float, float] | None:
    """Sizes of the smallest letters and exponents in a drawing, as shares of its width.

    Of each text the first size is that of its letters, as Matplotlib writes it.
    """
    text = drawing.read_text(encoding="utf-8")
    width = float(re.search(r'viewBox="0 0 ([\d.]+)', text)[1])
    sizes = re.findall(r'<g id="text_\d+">.*?font-size: ([\d.]+)px', text, re.DOTALL)
    scripts = re.findall(r"<tspan [^>]*font-size: ([\d.]+)px", text)
    if not sizes:
        return None
    return min(map(float, sizes)) / width, min(map(float, scripts or sizes)) / width


class Reader:
    """A browser tab that notes requests to another host, console errors and what a page loads."""

    def __init__(self, browser: Browser) -> None:
        context = browser.new_context(viewport=DESKTOP, reduced_motion="reduce")
        context.set_default_timeout(PATIENCE)
        self.tab: Page = context.new_page()
        self.problems: list[str] = []
        self.readable: set[str] = set()  # looks of texts
        self.folders: set[Path] = set()  # of which a page was looked at as a whole
        self.looked_at: set[Path] = set()
        self.seen: Counter[str] = Counter()  # tables that scroll on a phone, notes of the margin
        self.sizes: dict[str, int] = {}  # of the files that the page has loaded, in bytes
        self.tab.on("request", self._ask)
        self.tab.on("requestfinished", self._weigh)
        self.tab.on("console", lambda message: message.type == "error" and self.note(message.text))
        self.tab.on("pageerror", lambda error: self.note(f"script error: {error}"))

    def _ask(self, request: Request) -> None:
        if not request.url.startswith(("file:", "data:")):
            self.note(f"request to another host: {request.url}")

    def _weigh(self, request: Request) -> None:
        if request.url.startswith("file:"):
            file = Path(unquote(urlsplit(request.url).path))
            self.sizes[file.name] = file.stat().st_size

    def note(self, problem: str) -> None:
        """Remember a problem."""
        self.problems.append(problem)

    def open(self, page: Path, screen: dict[str, int] = DESKTOP) -> None:
        """Show a page in light mode on a screen and wait until its mathematics is set."""
        self.tab.goto("about:blank")  # what nobody looks at any more need not be laid out anew
        self.problems.clear()
        self.sizes.clear()
        self.tab.set_viewport_size(screen)
        visit(self.tab, page)
        self.tab.add_style_tag(content="* { transition: none !important }")
        self.theme("light")
        self.tab.evaluate("() => document.fonts.ready.then(() => true)")

    def theme(self, mode: str) -> None:
        """Switch to light or dark mode."""
        self.tab.evaluate("mode => document.documentElement.dataset.theme = mode", mode)

    def take_note(self) -> None:
        """Wait until the page has taken note of its screen."""
        frames = "() => new Promise(f => requestAnimationFrame(() => requestAnimationFrame(f)))"
        self.tab.evaluate(frames)

    def prepare_axe(self) -> None:
        """Load axe, and take from the page what it would look at again and again."""
        self.tab.evaluate(AXE)
        self.tab.evaluate(ONE_OF_A_KIND)

    def check_weight(self, page: Path) -> None:
        """The page is light."""
        assert page.name in self.sizes and "pdpbook.css" in self.sizes, "loads were not noticed"
        heaviest = sorted(self.sizes.items(), key=lambda file: -file[1])[:6]
        if sum(self.sizes.values()) > (LANDING if page == LANDING_PAGE else PAGE):
            self.note(f"{sum(self.sizes.values()):,} bytes: {heaviest}")

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

    def check_accessibility(self, where: str, parts: str = "document", **options: object) -> None:
        """Axe finds nothing in some parts; options are those of ``axe.run``."""
        # Without preload: axe would fetch the style sheets, which file:// does not allow.
        found = self.tab.evaluate(
            f"async options => (await axe.run({parts}, options)).violations",
            {"preload": False, "resultTypes": ["violations"], **options},
        )
        self.problems += [
            f"{where}: {rule['id']} ({rule['help']}): "
            + "; ".join(node["html"][:200] for node in rule["nodes"][:5])
            for rule in found
        ]

    def check_wide(self, page: Path) -> None:
        """Axe finds nothing on a wide screen in what the narrow one hides."""
        self.tab.evaluate(SEEN)
        self.tab.set_viewport_size(DESKTOP)
        self.take_note()
        more = self.tab.evaluate(HIDDEN_BEFORE)
        if page.parent not in self.folders:
            self.folders.add(page.parent)
            self.check_accessibility("1280 px", rules=WITHOUT_COLOURS)
        elif more:
            self.check_accessibility("1280 px", "{include: fresh}", rules=WITHOUT_COLOURS)

    def check_contrast(self) -> None:
        """Axe finds every text readable in both modes; a look that was readable is not repeated."""
        for mode in ("light", "dark"):
            self.theme(mode)
            self.tab.evaluate(LOOK_OF_TEXTS)
        fresh = self.tab.evaluate(ONE_OF_EACH_LOOK, [*self.readable])
        before = len(self.problems)
        for mode in ("dark", "light") if fresh else ():
            self.theme(mode)
            self.check_accessibility(mode, "{include: fresh}", runOnly=COLOURS)
        if len(self.problems) == before:
            self.readable.update(fresh)

    def check_drawings(self, page: Path) -> None:
        """No drawing scrolls or is cut, and the smallest letters in it can be read."""
        for source, width, seen in self.tab.evaluate(DRAWINGS):
            if width > seen + 1:
                self.note(f"{source}: {seen} px of {width} px can be seen")
            shares = smallest_type(page.parent / unquote(source)) or ()
            for share, least in zip(shares, (LEAST_TYPE, LEAST_SCRIPT), strict=False):
                if share * width < least:
                    self.note(f"{source}: letters of {share * width:.1f} px")

    def check_unfolded_on_a_phone(self, page: Path) -> None:
        """The names of rows stay in sight, of all that is folded and not."""
        if page.is_relative_to(PUBLIC):
            unfold(self.tab)
            tables = self.tab.evaluate(ROW_NAMES)
            fold(self.tab)
            self.seen["tables"] += len(tables)
            self.problems += faults_of_tables(tables)

    def check_unfolded_on_wide_screens(self, page: Path) -> None:
        """Nothing that is folded or not is cut on a laptop, and no note leaves a hole."""
        self.tab.evaluate(FORMULAS_AGAIN)
        unfold(self.tab)
        self.problems += faults_on_a_laptop(self.tab)
        notes = self.tab.evaluate(HOLES)
        self.seen["notes"] += len(notes)
        self.problems += faults_of_notes(1280, notes)
        if notes:
            self.tab.set_viewport_size(WITH_MARGIN)
            self.take_note()
            self.problems += faults_of_notes(1600, self.tab.evaluate(HOLES))
        self.looked_at.add(page)

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


@pytest.mark.parametrize("page", looked_at(), ids=name)
def test_page(reader: Reader, page: Path) -> None:
    reader.open(page, PHONE)
    reader.check_weight(page)
    reader.check_mathematics()
    reader.take_note()
    reader.check_width()
    reader.check_drawings(page)
    reader.check_unfolded_on_a_phone(page)
    reader.prepare_axe()
    reader.check_accessibility("400 px", rules=WITHOUT_COLOURS)
    reader.check_wide(page)
    reader.check_contrast()
    reader.check_unfolded_on_wide_screens(page)
    assert not reader.problems, name(page) + "\n" + "\n".join(reader.problems)


def test_there_were_tables_and_notes_to_look_at(reader: Reader) -> None:
    if reader.looked_at != {*looked_at()}:
        pytest.skip("not all pages were looked at")
    assert reader.seen["tables"] > 30 and reader.seen["notes"] > 20


def test_a_fault_that_only_a_wide_screen_shows_is_found(reader: Reader) -> None:
    reader.folders.add(LANDING_PAGE.parent)
    reader.open(LANDING_PAGE, PHONE)
    reader.tab.add_style_tag(content="@media (width < 1000px) { .wide-only { display: none } }")
    reader.tab.evaluate(
        "() => document.querySelector('article')"
        ".insertAdjacentHTML('beforeend', '<p class=wide-only><button></button></p>')"
    )
    reader.prepare_axe()
    reader.check_accessibility("400 px", rules=WITHOUT_COLOURS)
    assert not reader.problems
    reader.check_wide(LANDING_PAGE)
    assert len(reader.problems) == 1 and "button-name" in reader.problems[0], reader.problems


def test_a_formula_that_is_cut_is_found_though_axe_saw_a_box(reader: Reader) -> None:
    page = PUBLIC / "book/game/nvo-game.html"
    reader.open(page, PHONE)
    reader.tab.add_style_tag(content="mjx-container[display=true] { max-width: 20px }")
    reader.prepare_axe()
    reader.check_wide(page)
    reader.check_unfolded_on_wide_screens(page)
    assert any("1280 px: formula is cut" in each for each in reader.problems), reader.problems


def test_a_request_to_another_host_is_found(reader: Reader) -> None:
    reader.open(LANDING_PAGE)
    reader.tab.evaluate("() => fetch('http://elsewhere.example/font').catch(() => null)")
    assert any("request to another host: http://else" in each for each in reader.problems)


def test_the_switch_changes_the_mode(reader: Reader) -> None:
    reader.open(LANDING_PAGE)
    theme = "() => document.documentElement.dataset.theme"
    seen = set()
    for _ in range(3):
        reader.tab.locator(".theme-switch-button:visible").first.click()
        seen.add(reader.tab.evaluate(theme))
    assert seen == {"light", "dark"}
    assert not reader.problems


@pytest.mark.parametrize(("colour", "mode"), [("#bbb", "light"), ("#444", "dark")])
def test_a_text_that_is_hard_to_read_in_one_mode_is_found(
    reader: Reader, colour: str, mode: str
) -> None:
    """One faint word among many, on a page that is readable otherwise."""
    reader.open(LANDING_PAGE)
    reader.tab.evaluate(
        "colour => [...document.querySelectorAll('article p')].at(-1)"
        ".insertAdjacentHTML('beforeend', ` <span style='color: ${colour}'>faint</span>`)",
        colour,
    )
    reader.prepare_axe()
    reader.check_contrast()
    assert len(reader.problems) == 1 and ">faint<" in reader.problems[0], reader.problems
    assert reader.problems[0].startswith(f"{mode}: color-contrast")


def test_a_link_that_is_hard_to_tell_from_its_text_is_found(reader: Reader) -> None:
    """In the dark only, and though the same link stands alone before."""
    reader.open(LANDING_PAGE)
    reader.tab.add_style_tag(
        content="html[data-theme=dark] .like-text { color: #b8c0c8; text-decoration: none }"
    )
    link = "<a class='like-text' href='#'>somewhere</a>"
    reader.tab.evaluate(
        "html => document.querySelector('article').insertAdjacentHTML('beforeend', html)",
        f"<p>{link}</p><p>One goes from here to {link} or stays.</p>",
    )
    reader.prepare_axe()
    reader.check_contrast()
    assert len(reader.problems) == 1 and ">somewhere<" in reader.problems[0], reader.problems
    assert reader.problems[0].startswith("dark: link-in-text-block")
