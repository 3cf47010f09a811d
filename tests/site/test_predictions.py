"""Predictions in a browser: choose, and the answer opens and says what is right and wrong."""

import pytest
from playwright.sync_api import Browser, Locator

from tests.site.conftest import HTML, Reader

pytestmark = pytest.mark.site
PAGE, WITH_TABLE = "book/foundations/sampling-query", "book/audit/one-number"
CLOSED = "folds => folds.filter(fold => !fold.open).length"


@pytest.fixture
def first(reader: Reader) -> list[Locator]:
    """The first question of a page, and its answer."""
    reader.open(PAGE)
    return [reader.tab.locator(each).first for each in (".prediction", ".prediction-answer")]


def test_a_choice_opens_the_answer_with_reasons(first: list[Locator]) -> None:
    box, fold = first
    said = fold.locator(":scope > .prediction-feedback > li").all()
    (right,) = (i for i, li in enumerate(said) if li.get_attribute("class") == "prediction-right")
    options, verdict = box.get_by_role("radio"), box.get_by_role("status").locator("p")
    assert options.count() == len(said) and not fold.get_attribute("open") and not verdict.count()
    options.nth((right + 1) % 3).check()
    assert fold.locator(".cell_output").first.is_visible()
    wrong, reason = verdict.all_inner_texts()
    assert wrong.startswith("Not so: ") and reason.startswith("Right: ")
    assert len(wrong) > 60 < len(reason)  # it says why
    options.nth(right).check()
    assert verdict.all_inner_texts() == [reason]


@pytest.mark.parametrize("key", ["Space", "Enter"])
def test_arrows_move_and_only_space_or_enter_choose(first: list[Locator], key: str) -> None:
    """Native radio buttons choose what an arrow passes, and that would tell the answer."""
    box, fold = first
    options = box.get_by_role("radio")
    options.nth(0).focus()
    for arrow, place in (("ArrowDown", 1), ("ArrowRight", 2), ("ArrowDown", 0), ("ArrowUp", 2)):
        box.page.keyboard.press(arrow)
        assert options.nth(place).evaluate("option => option === document.activeElement")
    assert fold.get_attribute("open") is None and not any(o.is_checked() for o in options.all())
    box.page.keyboard.press(key)
    assert fold.get_attribute("open") is not None and options.nth(2).is_checked()


def test_all_answers_open_on_every_page_by_a_switch_and_one_by_a_link(reader: Reader) -> None:
    folds, switch = (reader.tab.locator(f".prediction-{each}") for each in ("answer", "switch"))
    for page in (PAGE, WITH_TABLE):
        reader.open(page)
        assert folds.evaluate_all(CLOSED) == (folds.count() if page == PAGE else 0)
        switch.click()
    assert folds.evaluate_all(CLOSED) == folds.count() > 2
    table = folds.locator("table[id]").first.get_attribute("id")
    reader.open(WITH_TABLE, f"#{table}")
    assert reader.tab.locator(f"#{table}").is_visible() and not reader.problems


def test_without_scripts_a_list_and_a_fold_remain(browser: Browser) -> None:
    tab = browser.new_page(java_script_enabled=False)
    tab.goto((HTML / f"{PAGE}.html").as_uri())
    box, fold = tab.locator(".prediction").first, tab.locator(".prediction-answer").first
    assert box.locator("li").count() == 3 and box.locator("input").count() == 0
    fold.locator("> summary").click()
    assert fold.locator(".cell_output").first.is_visible()
    assert fold.locator(".prediction-feedback > li").first.is_visible()
    tab.close()
