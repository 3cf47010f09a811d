"""The formgrader as ``make formgrader`` starts it, in a browser that reaches no other machine."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import build_opener

import nbformat
import pytest

from course.folder import Course
from course.grading import grade_submissions
from tests.course.conftest import SHEET, with_answer
from tests.course.test_names import judged_by_looks
from tests.tools.notebooks import ROOT

PROOF = "replacement-loss-proof"
ANSWER = r"""
Both data sets have the same third one inside them. By $\frac{a}{b}<\eps$ and \$5 this is so:

$$\begin{aligned}x&<1\\y&=[2]\end{aligned}$$

Not a formula is $\href{javascript:alert(1)}{x}$.
"""


@pytest.fixture(scope="module")
def opened(course: Course, key, release, tmp_path_factory) -> Iterator[tuple[str, Path]]:
    """The link to a formgrader that a browser is given, and the folder of its course."""
    own = tmp_path_factory.mktemp("formgrader")
    shutil.copytree(course.folder, own / "my-course")
    (own / "submissions").mkdir()
    sheet = with_answer(key, ANSWER, PROOF)
    nbformat.write(sheet, own / "submissions" / "anna.ipynb")
    for student in ("ben", "dora"):  # there is nothing to mark: no proof
        nbformat.write(release, own / "submissions" / f"{student}.ipynb")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("course.grading.judge_all", judged_by_looks)
        grade_submissions(Course(own / "my-course"), own / "submissions")
    show = own / "show"
    show.write_text(f'#!/bin/sh\nprintf "%s" "$1" > "{own}/opened"\n')
    show.chmod(0o755)
    settings = {"ServerApp": {"allow_root": True, "ip": "127.0.0.1"}}
    (own / "jupyter_server_config.json").write_text(json.dumps(settings))
    environment = os.environ | {"BROWSER": str(show), "JUPYTER_CONFIG_DIR": str(own)}
    command = ["make", "formgrader", f"VENV={sys.prefix}", f"COURSE={own / 'my-course'}"]
    with (own / "log").open("w") as log:
        started = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=log, stderr=log, start_new_session=True
        )
    try:
        marker = own / "opened"
        for _ in range(600):
            if marker.is_file() and marker.read_text():
                break
            assert started.poll() is None, (own / "log").read_text()
            time.sleep(0.2)
        redirect = Path(marker.read_text().removeprefix("file://")).read_text()
        link = re.search(r'href="(http[^"]*)"', redirect)[1]
        yield link, own / "my-course"
    finally:
        os.killpg(started.pid, 15)
        started.wait(30)


def shown_formulas(page) -> list[str]:
    """The fonts in use, after each formula of a page has been found to have a size."""
    page.evaluate("document.fonts.ready")
    for formula in page.query_selector_all("mjx-container"):
        box = formula.bounding_box()
        assert box and box["width"] > 3 and box["height"] > 5  # a letter of a rubric has 4.5
    return page.evaluate("[...document.fonts].filter(f => f.status == 'loaded').map(f => f.family)")


def test_a_submission_is_shown_and_its_formulas_are_set(opened: tuple[str, Path], browser) -> None:
    link, _ = opened
    address = f"http://{urlsplit(link).netloc}"
    with browser.new_context() as context:
        page = context.new_page()
        asked = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto(link)
        notebooks = f"{address}/formgrader/api/submitted_notebooks/week1/{SHEET}"
        [submission] = context.request.get(notebooks).json()
        page.goto(f"{address}/formgrader/submissions/{submission['id']}/")
        written = ".nbgrader_cell .panel-body > :not(.rubric)"
        answer = page.locator(written, has_text="Both data sets have the same third one")
        assert answer.locator("mjx-container").count() == 2
        assert answer.locator("mjx-mfrac, mjx-mtable").count() == 2
        assert answer.locator("code").inner_text() == r"\href{javascript:alert(1)}{x}"
        assert answer.locator("a").count() == 0
        assert {"MJXTEX", "MJXTEX-I"} <= set(shown_formulas(page))
        assert "$" not in answer.inner_text().replace("$5", "")
        assert not [url for url in asked if not url.startswith((address, "data:"))]


def test_only_what_needs_a_person_is_listed(opened: tuple[str, Path], browser) -> None:
    link, folder = opened
    address = f"http://{urlsplit(link).netloc}"
    listed = f"{address}/formgrader/gradebook/week1/{SHEET}"
    with Course(folder).gradebook() as book:
        everyone = {each.student.id: each.id for each in book.notebook_submissions(SHEET, "week1")}
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(link)
        page.goto(listed)
        page.wait_for_selector("#main-table a")
        links = page.locator("#main-table tr a.name-hidden")
        assert links.count() == 1 and everyone["anna"] in str(links.get_attribute("href"))
        for step in ("next", "prev"):  # of anna there is no neighbour, of ben it is anna
            page.goto(f"{address}/formgrader/submissions/{everyone['anna']}/{step}")
            assert page.url == listed
        beyond = "next" if everyone["ben"] < everyone["anna"] else "prev"
        page.goto(f"{address}/formgrader/submissions/{everyone['ben']}/{beyond}")
        assert everyone["anna"] in page.url


def test_marking_goes_from_answer_to_answer_by_keys(opened: tuple[str, Path], browser) -> None:
    """The score has the focus, a key saves it and opens the next answer; the rubric is beside."""
    link, folder = opened
    address = f"http://{urlsplit(link).netloc}"

    def arrive(at: str) -> None:
        """Wait for a page: nbgrader may leave for it twice, once for each event of the field."""
        page.wait_for_function("at => location.pathname.includes(at)", arg=at)
        page.wait_for_load_state("networkidle")

    def grade_of(book, student: str):
        return book.find_submission_notebook(SHEET, "week1", student), book.find_grade(
            PROOF, SHEET, "week1", student
        )

    with Course(folder).gradebook() as book:
        for student in ("anna", "ben", "dora"):
            grade_of(book, student)[1].needs_manual_grade = student != "dora"
            grade_of(book, student)[1].auto_score = None  # as of an answer that is not blank
        book.db.commit()
        first, second = sorted(grade_of(book, each)[0].id for each in ("anna", "ben"))
    with browser.new_context() as context:
        page, failed = context.new_page(), []
        page.on("pageerror", lambda error: failed.append(str(error)))
        page.goto(link)
        page.goto(f"{address}/formgrader/submissions/{first}/")
        score = page.locator(f"input.score[id='{PROOF}']:focus")
        score.wait_for()
        answer = page.locator(".panel-body:has(> .rubric)")
        rubric = answer.locator("aside.rubric")
        rubric.wait_for()
        assert "third data set" in rubric.inner_text() and rubric.locator("mjx-container").count()
        assert rubric.bounding_box()["x"] > answer.locator("> *").first.bounding_box()["x"] + 200
        page.keyboard.press("Control+.")  # forward and back, and nothing is given
        arrive(f"/submissions/{second}/")
        score.wait_for()
        page.keyboard.press("Control+,")
        arrive(f"/submissions/{first}/")
        score.wait_for()
        page.keyboard.type("1")
        page.keyboard.press("Control+.")
        arrive(f"/submissions/{second}/")
        score.wait_for()
        page.keyboard.type("0.5")
        page.keyboard.press("Control+.")
        arrive(f"/gradebook/week1/{SHEET}")
        assert not failed
    with Course(folder).gradebook() as book:
        marked = {each: grade_of(book, each)[1] for each in ("anna", "ben")}
        assert sorted(each.manual_score for each in marked.values()) == [0.5, 1]
        assert not any(each.needs_manual_grade for each in marked.values())


def test_the_feedback_stands_alone(opened: tuple[str, Path], browser, tmp_path: Path) -> None:
    [written] = (opened[1] / "feedback" / "anna").rglob("*.*")
    alone = tmp_path / "feedback.html"
    shutil.copy(written, alone)
    with browser.new_context() as context:
        page = context.new_page()
        asked = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto(alone.as_uri())
        answer = page.locator(".text", has_text="Both data sets have the same third one")
        assert answer.locator("mjx-container").count() == 2
        assert {"MJXTEX", "MJXTEX-I"} <= set(shown_formulas(page))
        assert "and $5 this" in answer.inner_text()
        assert not [url for url in asked if not url.startswith(("data:", alone.as_uri()))]
        assert page.locator("script").count() == 0


def test_a_stranger_sees_nothing(opened: tuple[str, Path]) -> None:
    link, _ = opened
    with build_opener().open(f"http://{urlsplit(link).netloc}/formgrader/gradebook") as answer:
        assert "/login" in answer.url
