"""Predictions in a browser: by mouse and keyboard, without scripts, and under links."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from playwright.sync_api import Browser, Locator, Page

from book._ext.predictions import SUMMARY
from tests.site.site import PUBLIC

pytestmark = pytest.mark.site
PAGE = PUBLIC / "book/foundations/why-noise.html"
#: A page with an answer that holds a table.
WITH_TABLE = PUBLIC / "book/audit/one-number.html"


def opened(tab: Page, page: Path = PAGE, place: str = "") -> tuple[Locator, Locator]:
    """Open a page; return its first question with the answer."""
    tab.goto(page.as_uri() + place)
    tab.locator(".prediction-switch").wait_for()
    return tab.locator(".prediction").first, tab.locator(".prediction-answer").first


@pytest.fixture
def tab(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 400, "height": 800})
    tab = context.new_page()
    tab.on("pageerror", lambda error: pytest.fail(f"script error: {error}"))
    yield tab
    context.close()


def is_open(fold: Locator) -> bool:
    return bool(fold.evaluate("fold => fold.open"))


def test_every_question_has_its_answer_at_a_place_that_says_nothing() -> None:
    """Of three options the right one is at each place about equally often."""
    asked, places = 0, Counter()
    for page in (PUBLIC / "book").rglob("*.html"):
        html = page.read_text(encoding="utf-8")
        soup = BeautifulSoup(html if "prediction-answer" in html else "", "html.parser")
        boxes, folds = soup.select(".prediction"), soup.select(".prediction-answer")
        assert [f"{box['id']}-answer" for box in boxes] == [fold["id"] for fold in folds], page
        for fold in folds:
            said = [item.get("class") for item in fold.select(":scope > .prediction-feedback > li")]
            assert said.count(["prediction-right"]) == 1
            answers = bool(fold.select(".cell_output, .explorable, figure, table"))
            assert answers == (fold.summary.get_text() != SUMMARY["reasons"]), fold["id"]
            if len(said) == 3:
                places[said.index(["prediction-right"])] += 1
        asked += len(boxes)
    assert asked > 120
    assert all(0.25 < places[place] / places.total() < 0.42 for place in range(3)), places


def test_a_choice_opens_the_answer_and_says_how_it_compares(tab: Page) -> None:
    box, fold = opened(tab)
    said = fold.locator(":scope > .prediction-feedback > li").evaluate_all(
        "items => items.map(item => item.className)"
    )
    right = said.index("prediction-right")
    options, verdict = box.get_by_role("radio"), box.get_by_role("status")
    assert not is_open(fold) and verdict.inner_text() == ""
    options.nth((right + 1) % 3).check()
    assert is_open(fold) and fold.locator(".cell_output").first.is_visible()
    lines = [line.partition(":")[0] for line in verdict.locator("p").all_inner_texts()]
    assert lines == ["Not so", "Right"]
    assert not fold.locator(".prediction-feedback").is_visible()  # it is said once
    options.nth(right).check()
    assert len(verdict.locator("p").all()) == 1 and is_open(fold)


@pytest.mark.parametrize("key", ["Space", "Enter"])
def test_arrows_move_and_only_space_or_enter_choose(tab: Page, key: str) -> None:
    """Native radio buttons choose what an arrow passes, and that would tell the answer."""
    box, fold = opened(tab)
    options = box.get_by_role("radio")
    options.nth(0).focus()
    for arrow, place in (("ArrowDown", 1), ("ArrowRight", 2), ("ArrowDown", 0), ("ArrowUp", 2)):
        tab.keyboard.press(arrow)
        assert options.nth(place).evaluate("option => option === document.activeElement")
    assert not is_open(fold) and not any(option.is_checked() for option in options.all())
    tab.keyboard.press(key)
    assert is_open(fold) and options.nth(2).is_checked()


def test_a_switch_shows_all_answers_on_every_page(tab: Page) -> None:
    """It is remembered; a page is as it was when it is pressed again."""
    opened(tab)
    switch, folds = tab.locator(".prediction-switch"), tab.locator(".prediction-answer")
    closed = "folds => folds.filter(fold => !fold.open).length"
    assert folds.evaluate_all(closed) == folds.count() > 2
    switch.click()
    opened(tab, WITH_TABLE)
    assert switch.inner_text() == "Ask me first" and folds.evaluate_all(closed) == 0
    switch.click()
    assert switch.inner_text() == "Show all answers"
    assert folds.evaluate_all(closed) == folds.count() > 2


def test_a_link_to_what_is_folded_opens_it(tab: Page) -> None:
    opened(tab, WITH_TABLE)
    name = tab.locator(".prediction-answer table[id]").first.get_attribute("id")
    assert not tab.locator(f"#{name}").is_visible()
    tab.goto("about:blank")
    opened(tab, WITH_TABLE, f"#{name}")
    tab.locator(f"#{name}").wait_for(state="visible")


def test_without_scripts_a_list_and_a_fold_remain(browser: Browser) -> None:
    context = browser.new_context(java_script_enabled=False)
    tab = context.new_page()
    tab.goto(PAGE.as_uri())
    box, fold = tab.locator(".prediction").first, tab.locator(".prediction-answer").first
    assert box.locator("li").count() == 3 and box.locator("input").count() == 0
    assert not fold.locator(".cell_output").first.is_visible()
    fold.locator("> summary").click()
    assert fold.locator(".cell_output").first.is_visible()
    assert fold.locator(".prediction-feedback > li").first.is_visible()
    context.close()
