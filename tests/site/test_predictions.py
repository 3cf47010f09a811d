"""Predictions in a browser: by mouse and keyboard, without scripts, on paper, and under links."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page

from book._ext.pages.predictions import SUMMARY
from tests.site.site import PATIENCE, PUBLIC, parse, public_pages, visit
from tests.site.test_browser import AXE, DESKTOP, PHONE

pytestmark = pytest.mark.site
PAGE = PUBLIC / "book/foundations/why-noise.html"
#: A page with an answer that holds a table.
FOLDING = PUBLIC / "book/audit/one-number.html"


@pytest.fixture(scope="module")
def context(browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context(viewport=DESKTOP)
    context.set_default_timeout(PATIENCE)
    yield context
    context.close()


@pytest.fixture
def tab(context: BrowserContext) -> Iterator[Page]:
    tab = context.new_page()
    tab.on("pageerror", lambda error: pytest.fail(f"script error: {error}"))
    yield tab
    tab.evaluate("() => localStorage.clear()")  # what a test has chosen is not remembered
    tab.close()


@pytest.fixture
def first(tab: Page) -> tuple[Locator, Locator]:
    """The first question of a page, and its answer."""
    visit(tab, PAGE)
    return tab.locator(".prediction").first, tab.locator(".prediction-answer").first


def is_open(fold: Locator) -> bool:
    return bool(fold.evaluate("fold => fold.open"))


def place_of_the_right_option(fold: Locator) -> int:
    return int(
        fold.evaluate(
            "fold => [...fold.querySelectorAll(':scope > .prediction-feedback > li')]"
            ".findIndex(item => item.classList.contains('prediction-right'))"
        )
    )


def asking() -> list[Path]:
    """The pages with a question or an answer, or with the word."""
    return [page for page in public_pages() if "prediction" in page.read_text(encoding="utf-8")]


def test_every_question_is_above_its_answer() -> None:
    """As many as the sources have; nothing that was shown before is folded twice or lost."""
    asked = 0
    for page in asking():
        soup = parse(page)
        boxes, folds = soup.select(".prediction"), soup.select(".prediction-answer")
        assert [f"{box['id']}-answer" for box in boxes] == [fold["id"] for fold in folds], page
        for box, fold in zip(boxes, folds, strict=True):
            options = box.select(".prediction-options > li")
            feedback = fold.select(":scope > .prediction-feedback > li")
            assert 2 <= len(options) == len(feedback) <= 4
            assert len([one for one in feedback if one.get("class") == ["prediction-right"]]) == 1
            answers = bool(fold.select(".cell_output, .explorable, figure, table"))
            assert answers == (fold.summary.get_text() != SUMMARY["reasons"]), fold["id"]
            assert not fold.select(".prediction")
            below = fold.find_next_sibling()  # a formula would end a sentence of the fold
            assert below is None or "math" not in below.get("class", []), fold["id"]
        asked += len(boxes)
    assert asked > 120


def test_the_place_of_an_option_says_nothing_about_it() -> None:
    """Among the questions with three options the right one is at each place about equally often."""
    places = Counter()
    for page in asking():
        for fold in parse(page).select(".prediction-answer"):
            said = [item.get("class") for item in fold.select(":scope > .prediction-feedback > li")]
            if len(said) == 3:
                places[said.index(["prediction-right"])] += 1
    total = sum(places.values())
    assert total > 100
    assert all(0.25 < places[place] / total < 0.42 for place in range(3)), places


def test_a_switch_shows_all_answers_on_every_page(tab: Page) -> None:
    """It is remembered; a page is as it was when it is pressed again; a choice still opens one."""
    visit(tab, PAGE)
    switch, folds = tab.locator(".prediction-switch"), tab.locator(".prediction-answer")
    closed = "folds => folds.filter(fold => !fold.open).length"
    assert switch.inner_text() == "Show all answers"
    assert folds.evaluate_all(closed) == folds.count() > 2
    switch.click()
    assert switch.inner_text() == "Ask me first" and folds.evaluate_all(closed) == 0
    visit(tab, FOLDING)
    assert folds.evaluate_all(closed) == 0
    switch.click()
    assert folds.evaluate_all(closed) == folds.count() > 2
    tab.locator(".prediction").first.get_by_role("radio").first.check()
    assert folds.evaluate_all(closed) == folds.count() - 1
    tab.set_viewport_size(PHONE)
    assert switch.bounding_box()["height"] >= 24
    assert tab.evaluate("() => document.documentElement.scrollWidth <= innerWidth")


def test_a_choice_opens_the_answer_and_says_how_it_compares(
    first: tuple[Locator, Locator],
) -> None:
    box, fold = first
    right = place_of_the_right_option(fold)
    wrong = (right + 1) % 3
    options, verdict = box.get_by_role("radio"), box.get_by_role("status")
    assert not is_open(fold) and verdict.inner_text() == ""
    options.nth(wrong).scroll_into_view_if_needed()
    before = options.nth(wrong).bounding_box()
    options.nth(wrong).check()
    assert is_open(fold) and fold.locator(".cell_output").first.is_visible()
    assert options.nth(wrong).bounding_box() == before  # nothing above has moved
    lines = verdict.locator("p").all_inner_texts()
    assert [line.partition(":")[0] for line in lines] == ["Not so", "Right"]
    assert not fold.locator(".prediction-feedback").is_visible()  # it is said once
    options.nth(right).check()
    [line] = verdict.locator("p").all_inner_texts()
    assert line == lines[1] and is_open(fold)
    assert (
        box.get_by_role("group").get_attribute("aria-describedby")
        == f"{box.get_attribute('id')}-question"
    )


@pytest.mark.parametrize("key", ["Space", "Enter"])
def test_arrows_move_and_only_space_or_enter_choose(
    first: tuple[Locator, Locator], key: str
) -> None:
    """Native radio buttons choose what an arrow passes, and that would tell the answer."""
    box, fold = first
    options = box.get_by_role("radio")
    options.nth(0).focus()
    for arrow, place in (("ArrowDown", 1), ("ArrowRight", 2), ("ArrowDown", 0), ("ArrowUp", 2)):
        options.page.keyboard.press(arrow)
        assert options.nth(place).evaluate("option => option === document.activeElement")
    assert not is_open(fold) and not any(options.nth(i).is_checked() for i in range(3))
    options.page.keyboard.press(key)
    assert is_open(fold) and options.nth(2).is_checked()
    assert options.nth(2).evaluate("option => option === document.activeElement")


def test_the_focus_goes_from_the_question_to_the_code_and_the_answer(
    first: tuple[Locator, Locator],
) -> None:
    box, fold = first
    box.get_by_role("radio").nth(1).check()
    keyboard = fold.page.keyboard
    passed = []
    for _ in range(6):
        keyboard.press("Tab")
        passed.append(
            fold.page.evaluate("() => document.activeElement.closest('details')?.id ?? ''")
        )
        if passed[-1]:
            break
    assert passed[-1] == fold.get_attribute("id")
    assert fold.page.evaluate("() => document.activeElement.localName") == "summary"
    keyboard.press("Enter")
    assert not is_open(fold)


def test_who_does_not_choose_can_open_the_answer(first: tuple[Locator, Locator]) -> None:
    _, fold = first
    fold.locator("> summary").click()
    assert is_open(fold)
    assert fold.locator(".prediction-feedback > li").count() == 3
    assert fold.locator(".prediction-feedback").is_visible()


def test_a_link_to_what_is_folded_opens_it(tab: Page) -> None:
    visit(tab, FOLDING)
    table = tab.locator(".prediction-answer table[id]").first
    name = table.get_attribute("id")
    assert not table.is_visible()
    tab.evaluate("name => { location.hash = name; }", name)
    table.wait_for(state="visible")
    tab.goto("about:blank")
    visit(tab, FOLDING, f"#{name}")
    tab.locator(f"#{name}").wait_for(state="visible")


def test_without_scripts_a_list_and_a_fold_remain(
    browser: Browser, first: tuple[Locator, Locator]
) -> None:
    context = browser.new_context(viewport=DESKTOP, java_script_enabled=False)
    tab = context.new_page()
    tab.goto(PAGE.as_uri())
    box, fold = tab.locator(".prediction").first, tab.locator(".prediction-answer").first
    assert box.bounding_box()["height"] == first[0].bounding_box()["height"]  # nothing will move
    assert box.locator("li").count() == 3 and box.locator("input").count() == 0
    assert not fold.locator(".cell_output").first.is_visible()
    fold.locator("> summary").click()
    assert fold.locator(".cell_output").first.is_visible()
    assert fold.locator(".prediction-feedback > li").first.is_visible()
    context.close()


def test_on_paper_the_answer_is_at_the_end_of_the_section(first: tuple[Locator, Locator]) -> None:
    box, _ = first
    tab = box.page
    box.get_by_role("radio").first.check()
    order = (
        "() => [...document.querySelectorAll('.prediction-answer')].map(fold =>"
        " [fold.parentElement.localName, fold.nextElementSibling?.localName ?? '', fold.open])"
    )
    before = tab.evaluate(order)
    assert any(after not in ("", "section") for _, after, _ in before)
    tab.emulate_media(media="print")
    tab.evaluate("() => dispatchEvent(new Event('beforeprint'))")
    printed = tab.evaluate(order)
    assert all(parent == "section" and is_open for parent, _, is_open in printed)
    # two answers of one section stand one below the other
    assert {after for _, after, _ in printed} <= {"", "section", "details"}
    titles = tab.locator(".prediction-answer > summary").all_inner_texts()
    there = tab.locator(".prediction > .print-where").all_inner_texts()
    assert len(titles) == len(there) == len(printed)
    for title, line in zip(titles, there, strict=True):
        number = re.fullmatch(r"Answer to (?:the prediction|(prediction \d))", title)[1]
        begin = f"{number.capitalize()}: the" if number else "The"
        assert line == f"{begin} answer is at the end of this section."
    assert tab.locator(".prediction-feedback").first.is_visible()
    assert not tab.locator(".prediction-verdict").first.is_visible()
    tab.evaluate("() => dispatchEvent(new Event('afterprint'))")
    assert tab.evaluate(order) == before
    assert tab.locator(".print-where").count() == 0
    assert {*tab.locator(".prediction-answer > summary").all_inner_texts()} <= {*SUMMARY.values()}


@pytest.mark.parametrize("screen", [DESKTOP, PHONE], ids=["wide", "phone"])
def test_an_open_answer_can_be_read_by_everybody(tab: Page, screen: dict[str, int]) -> None:
    """Pages are checked as they are opened in ``test_browser``; here all has been chosen."""
    tab.set_viewport_size(screen)
    visit(tab, PAGE)
    tab.add_style_tag(content="* { transition: none !important }")
    for box in tab.locator(".prediction").all():
        box.get_by_role("radio").first.check()
    tab.evaluate(AXE)
    for mode in ("light", "dark"):
        tab.evaluate("mode => document.documentElement.dataset.theme = mode", mode)
        found = tab.evaluate(
            "async () => (await axe.run({include: ['.prediction', '.prediction-answer']},"
            " {preload: false, resultTypes: ['violations']}))"
            ".violations.map(fault => [fault.id, fault.nodes[0].html])"
        )
        assert found == [], mode
    heights = tab.evaluate(
        "() => [...document.querySelectorAll('.prediction-options > label')]"
        ".map(label => label.getBoundingClientRect().height)"
    )
    assert min(heights) >= 24
    assert tab.evaluate("() => document.documentElement.scrollWidth <= innerWidth")


def test_only_pages_with_a_question_load_its_files() -> None:
    for page in public_pages():
        text = page.read_text(encoding="utf-8")
        has = 'class="admonition tip prediction"' in text
        assert has == bool(re.search(r"_static/predictions\.js", text)), page
        assert has == bool(re.search(r"_static/predictions\.css", text)), page
