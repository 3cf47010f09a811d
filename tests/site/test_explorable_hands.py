"""Hands on the figures that move: scrolling changes nothing, a held control has its drawing."""

from collections.abc import Iterator
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, CDPSession, Page

from tests.conftest import NIGHTLY
from tests.site.site import PATIENCE, PUBLIC, visit
from tests.site.test_explorables import IN_SIGHT, MOVABLE, PAGES, POINTED, SCREENS, said, settled

pytestmark = pytest.mark.site

SHOW = """() => {
    document.documentElement.style.scrollBehavior = "auto";
    const box = document.querySelector(".explorable");
    for (let fold = box.closest("details"); fold; fold = fold.parentElement.closest("details"))
        fold.open = true;
}"""
COVERED = """() => {
    const view = document.querySelector(".explorable-view").getBoundingClientRect();
    const parts = ["prompt", "controls > *", "legend", "guess"].map(one => `.explorable-${one}`);
    return [...document.querySelectorAll(parts.join())].filter(part => {
        const box = part.getBoundingClientRect();
        return box.height && box.bottom > view.top + 1 && box.top < view.bottom;
    }).map(part => part.textContent);
}"""
STICKS = "() => document.querySelector('.explorable-held') !== null"


def opened(browser: Browser, explorable: str, screen: str, *, touch: bool) -> Page:
    """An explorable on its page, on one of two screens."""
    width, height = SCREENS[screen]
    context = browser.new_context(
        viewport={"width": width, "height": height}, has_touch=touch, is_mobile=touch
    )
    context.set_default_timeout(PATIENCE)
    context.route("**/mathjax/**", lambda route: route.abort())
    tab = context.new_page()
    visit(tab, PUBLIC / f"book/{PAGES[explorable]}.html")
    tab.evaluate(SHOW)
    return tab


def put(tab: Page, part: str, top: int) -> None:
    """Scroll until a part of the page begins at this height of the screen."""
    where = f"document.querySelector('{part}').getBoundingClientRect().top"
    settled(tab, f"() => scrollBy(0, {where} - {top})", calm=2)


class Finger(NamedTuple):
    """A finger on the screen of a tab."""

    session: CDPSession
    tab: Page

    def swipe(self, start: tuple[float, float], across: float, down: float) -> None:
        """Put the finger down, move it in twelve steps and lift it."""
        send = self.session.send
        x, y = start
        send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
        for step in range(1, 13):
            place = {"x": x + across * step / 12, "y": y + down * step / 12}
            send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [place]})
        send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


#: By day some of those that share one handler, and the one that is clicked; each night all.
TOUCHED = [name for i, name in enumerate(POINTED) if NIGHTLY or i % 5 == 0 or name == "game-table"]


@pytest.fixture(params=TOUCHED)
def touched(request: pytest.FixtureRequest, browser: Browser) -> Iterator[tuple[str, Finger]]:
    """A finger on a phone that shows an explorable whose drawing can be touched."""
    tab = opened(browser, request.param, "phone", touch=True)
    put(tab, ".explorable-view > svg", 300)
    yield request.param, Finger(tab.context.new_cdp_session(tab), tab)
    tab.context.close()


def test_a_finger_that_scrolls_from_the_drawing_changes_nothing(touched):
    """The page scrolls, the setting and the address stay; a tap and a move sideways act."""
    explorable, finger = touched
    tab = finger.tab
    (across, down), control, value = POINTED[explorable]
    box = tab.locator(".explorable-view > svg").bounding_box()
    place = (box["x"] + across * box["width"], box["y"] + down * box["height"])
    before = (said(tab), tab.inner_text(".explorable-readout"), tab.evaluate("location.hash"))
    top = tab.evaluate("scrollY")
    finger.swipe(place, across=8, down=-150)
    tab.wait_for_function("top => scrollY > top + 60", arg=top)
    tab.wait_for_timeout(400)  # the address is noted after 300 ms
    after = (said(tab), tab.inner_text(".explorable-readout"), tab.evaluate("location.hash"))
    assert after == before
    put(tab, ".explorable-view > svg", 300)
    tab.touchscreen.tap(*place)
    assert said(tab)[control] == value
    if explorable == "game-table":  # a click on a bin changes its noise, nothing is dragged
        return
    tapped = said(tab)
    finger.swipe(place, across=-120 if across > 0.5 else 120, down=6)
    assert said(tab) != tapped


@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("explorable", [*PAGES][:: 1 if NIGHTLY else 5])
def test_the_drawing_covers_nothing_until_a_control_is_held(browser: Browser, explorable, screen):
    """And then not the control; on a desktop nothing at all. A hand elsewhere lets it go."""
    tab = opened(browser, explorable, screen, touch=screen == "phone")
    put(tab, ".explorable", 150)
    assert tab.evaluate(COVERED) == [] and not tab.evaluate(STICKS)
    first, *_, last = tab.query_selector_all(f":is({MOVABLE}):not(.explorable-guess *)")
    control = last if screen == "phone" else first
    radio = control.get_attribute("type") == "radio"
    hand = control.query_selector("xpath=ancestor::label") if radio else control
    put(tab, ".explorable", 150)
    box = hand.bounding_box()
    place = {"x": 0.8 * box["width"], "y": 0.5 * box["height"]}
    (hand.tap if screen == "phone" else hand.click)(position=place)
    tab.wait_for_function(STICKS)
    settled(tab, calm=2)
    assert control.evaluate(IN_SIGHT) == [True, True, True], control.inner_html()
    if screen == "desktop":
        assert tab.evaluate(COVERED) == []
    tab.evaluate("""() => document.querySelector("h1").dispatchEvent(
        new PointerEvent("pointerdown", {bubbles: true}))""")
    assert not tab.evaluate(STICKS)
    assert tab.evaluate(COVERED) == []
    tab.context.close()


def test_a_link_to_a_setting_and_a_slider_without_focus_hold_the_drawing(browser: Browser):
    """Safari gives no focus to a slider that is tapped; what leaves the screen is let go."""
    tab = opened(browser, "two-errors", "phone", touch=True)
    slider = tab.locator(".explorable input[type=range]").first
    slider.evaluate("""slider => {
        slider.value = slider.max;
        slider.dispatchEvent(new Event("input", {bubbles: true}));
    }""")
    assert tab.evaluate(STICKS) and tab.evaluate("document.activeElement === document.body")
    tab.evaluate("document.querySelector('.explorable').scrollIntoView()")
    tab.wait_for_function("document.querySelector('.explorable-in-sight') !== null")
    tab.evaluate("scrollTo(0, 0)")
    tab.wait_for_function(f"!({STICKS})()")
    tab.evaluate("location.hash = '#explorable-two-errors:130,5'")
    tab.wait_for_function(STICKS)
    tab.locator("a[href]").first.evaluate("link => link.focus()")
    assert not tab.evaluate(STICKS)
    tab.context.close()
