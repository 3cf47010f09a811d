"""The report of a class: what it counts, what it quotes, and that nothing in it does anything."""

import json
import re
import shutil
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import axe_playwright_python
import nbformat
import pytest
from bs4 import BeautifulSoup
from nbformat.v4 import new_code_cell

from course import judging
from course.class_report import Part, class_report, page_of
from course.folder import Course
from course.grading import grade_submissions, states
from course.judging import Raised
from course.likeness import NEAR
from course.report import marks_of, sheets_of
from pdpbook_exercises.checks.checking import STUB
from pdpbook_exercises.checks.isolated import Grade
from tests.conftest import NIGHTLY
from tests.course.conftest import POINTS, SHEET, with_answer
from tests.course.test_grading import NAME, copy_of, mark, table

AXE = Path(axe_playwright_python.__file__).with_name("axe.min.js").read_text(encoding="utf-8")
EVIL = "<script>alert(1)</script><img src=x onerror=alert(1)>"
HALF = """\
def records_needed(n, epsilon):
    # bisection, right for a large ε alone
    import math
    low, high = 2, n
    while low < high:
        middle = (low + high) // 2
        if (n - middle) / n + middle / n * math.exp(-epsilon) <= middle / (n - 1):
            high = middle
        else:
            low = middle + 1
    return low if epsilon > 1 else -1
"""
COPY = """\
import math as m

def records_needed(count, eps):
    \"\"\"All my own work.\"\"\"
    a, b = 2, count
    while a < b:
        c = (a + b) // 2
        if ((count - c) / count
                + c / count * m.exp(-eps)) <= c / (count - 1):
            b = c
        else:
            a = c + 1
    return (a if eps > 1
            else -1)
"""
#: what each student writes into the cell of an exercise
ANSWERS = {
    "ada": None,  # the whole key
    "ben": HALF,
    "cyd": COPY,
    "dan": f"raise ValueError({EVIL!r})",
    "eve": f"raise ValueError({EVIL!r})",
    "fay": "def records_needed(n, epsilon):\n    return -1",
    "gus": None,  # the blank sheet
}


@pytest.fixture(scope="module")
def class_of_seven(course: Course, release, key, tmp_path_factory: Any) -> Course:
    """A graded course."""
    own = copy_of(course, tmp_path_factory.mktemp("class"))
    handed_in = own.folder.parent / "in"
    handed_in.mkdir()
    for student, answer in ANSWERS.items():
        sheet = key if student == "ada" else release
        sheet = nbformat.from_dict(sheet) if answer is None else with_answer(sheet, answer, NAME)
        if student == "gus":
            sheet.cells.append(new_code_cell("1 / 0"))
        nbformat.write(sheet, handed_in / f"{student}.ipynb")
    (handed_in / "zoe_essay.ipynb").write_text("not a notebook")
    grade_submissions(own, handed_in)
    return own


def report_of(course: Course) -> Any:
    """The report of what stands in the gradebook."""
    with course.gradebook() as book:
        marks = marks_of(book, "week1", sheets_of(course, "week1"))
    known = states(course, "week1")
    return class_report(course, "week1", marks, {name: known[name].entered for name in known})


def part_of(course: Course, title: str) -> Part:
    """A part of an exercise of the sheet."""
    [part] = [part for part in report_of(course).parts if part.title == f"{SHEET}/{title}"]
    return part


def page(course: Course) -> str:
    """The report as it lies there."""
    return (course.folder / "week1-report.html").read_text(encoding="utf-8")


def test_it_counts_how_each_exercise_fared(class_of_seven: Course) -> None:
    part = part_of(class_of_seven, NAME)
    assert (part.handed_in, part.solvers, part.blank) == (7, {"ada"}, 1)
    assert part.partly + part.wrong == 5 and part.wrong >= 3  # dan, eve and fay have nothing
    scores = [
        float(row[f"week1: {SHEET}/{NAME}"])
        for name, row in table(class_of_seven).items()
        if name in ANSWERS
    ]
    assert part.mean == pytest.approx(sum(scores) / 7)
    assert part.possible == POINTS["core"]
    other = part_of(class_of_seven, "no-noise-losses")
    assert (other.handed_in, other.solvers, other.blank) == (7, {"ada"}, 6)
    assert other.failing is None  # a blank is no answer that fails


def test_it_tells_the_case_that_most_answers_fail(class_of_seven: Course) -> None:
    failing = part_of(class_of_seven, NAME).failing
    assert failing is not None
    told = [
        judging.read_result(path).grades[f"{SHEET}/{NAME}"].message
        for path in class_of_seven.folder.glob(f"results/*/week1/{SHEET}.json")
    ]
    same = [each for each in told if each.startswith(f"{failing.case} fails. ")]
    assert failing.count == len(same) >= 2
    assert failing.message in {each.partition(" fails. ")[2] for each in same}
    assert STUB not in failing.message


def test_it_tells_which_cells_raised_and_for_how_many(class_of_seven: Course) -> None:
    raised = {cell.place: cell for cell in report_of(class_of_seven).raised}
    assert raised[NAME].count == 2 and raised[NAME].sheet == SHEET
    assert raised[NAME].said == ((f"raised ValueError: {EVIL}", 2),)
    scratch = raised["a cell after end-to-end-loss-check"]
    assert scratch.said == (("raised ZeroDivisionError: division by zero", 1),)
    assert [cell.count for cell in raised.values()] == [2, 1, 1]  # the key asks for exercises, too
    assert "ModuleNotFoundError" in raised["no-noise-losses"].said[0][0]


def test_it_counts_proofs_by_what_is_left_to_do(class_of_seven: Course, tmp_path: Path) -> None:
    part = part_of(class_of_seven, "replacement-loss (proof)")
    assert (part.proof, part.handed_in, part.blank, part.waiting) == (True, 7, 6, 1)
    own = copy_of(class_of_seven, tmp_path)
    mark(own, "ada", 1.5, "")
    part = part_of(own, "replacement-loss (proof)")
    assert part.waiting == 0 and part.mean == pytest.approx(1.5 / 7)


def test_it_names_those_whose_answers_are_alike(class_of_seven: Course) -> None:
    """Ben's answer and its renamed copy, with its own import; nobody with a short answer."""
    [found] = part_of(class_of_seven, NAME).likeness.found
    assert (found.groups, found.likeness) == ((("ben", "cyd"),), 1.0)
    assert "Likeness is no proof." in page(class_of_seven)
    assert "the same: ben; cyd (none of these answers is right)" in " ".join(
        BeautifulSoup(page(class_of_seven), "html.parser").get_text().split()
    )


def test_it_compares_with_the_solution_of_the_book(class_of_seven: Course) -> None:
    """Ada has handed in the stub with the solution below it."""
    [found] = part_of(class_of_seven, "no-noise-losses").likeness.found
    assert found.groups == (("ada",), ("",)) and NEAR <= found.likeness < 1.0
    short = part_of(class_of_seven, "end-to-end-loss").likeness
    assert short.compared == ()
    assert "% alike: ada and the book's solution" in " ".join(
        BeautifulSoup(page(class_of_seven), "html.parser").get_text().split()
    )


def test_what_could_not_be_graded_is_named(class_of_seven: Course) -> None:
    report = report_of(class_of_seven)
    assert (report.students, report.left_out) == (7, ("zoe",))
    assert "could be graded: zoe." in page(class_of_seven)


def test_a_record_that_is_not_in_the_gradebook_is_left_out(
    class_of_seven: Course, tmp_path: Path
) -> None:
    own = copy_of(class_of_seven, tmp_path)
    path = own.folder / "submitted" / "ben" / "week1" / f"{SHEET}.ipynb"
    path.write_text(path.read_text() + " ")
    (own.folder / "results" / "cyd" / "week1" / f"{SHEET}.json").write_text("{")
    shutil.rmtree(own.folder / "submitted" / "dan")
    report = report_of(own)
    assert report.left_out == ("ben", "cyd", "dan", "zoe") and report.students == 4


def test_nothing_in_the_page_does_anything(class_of_seven: Course) -> None:
    text = page(class_of_seven)
    soup = BeautifulSoup(text, "html.parser")
    assert EVIL in soup.get_text()
    assert not soup.find_all(["script", "img", "link", "iframe", "object", "form"])
    assert not soup.find_all(lambda tag: any(name.startswith("on") for name in tag.attrs))
    assert not soup.find_all(href=True) and not soup.find_all(src=True)
    assert not re.findall(r"url\(|@import|https?:", text)


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_it_can_be_read_on_a_phone(
    mode: str, class_of_seven: Course, browser: Any, tmp_path: Path
) -> None:
    """Axe finds nothing, the page is as wide as the phone, and it asks for nothing."""
    alone = tmp_path / "report.html"
    shutil.copy(class_of_seven.folder / "week1-report.html", alone)
    size = {"width": 400, "height": 800}
    with browser.new_context(color_scheme=mode, viewport=size) as context:
        tab = context.new_page()
        asked: list[str] = []
        tab.on("request", lambda request: asked.append(request.url))
        tab.goto(alone.as_uri())
        assert tab.evaluate("document.documentElement.scrollWidth") <= 400
        colour = tab.evaluate("getComputedStyle(document.body).backgroundColor")
        assert colour == ("rgb(255, 255, 255)" if mode == "light" else "rgb(20, 24, 30)")
        tab.evaluate(AXE)
        options = {"preload": False, "resultTypes": ["violations"]}
        found = tab.evaluate("async o => (await axe.run(document, o)).violations", options)
        assert [rule["id"] for rule in found] == []
        assert asked == [alone.as_uri()]


def test_no_code_is_run_for_it(class_of_seven: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("course.judging", "pdpbook_exercises.checks.isolated"):
        monkeypatch.setattr(f"{module}.grade", lambda *given, **named: pytest.fail("it ran"))
    assert page_of(report_of(class_of_seven)) == page(class_of_seven)


def test_the_page_is_written_anew_with_the_marks(class_of_seven: Course, tmp_path: Path) -> None:
    own = copy_of(class_of_seven, tmp_path)
    mark(own, "ada", 1.5, "")
    before = page(own)
    grade_submissions(own, class_of_seven.folder.parent / "in")
    assert page(own) == page_of(report_of(own)) != before


def test_a_page_about_nobody_is_a_page(class_of_seven: Course) -> None:
    report = class_report(class_of_seven, "week1", {}, {})
    text = BeautifulSoup(page_of(report), "html.parser").get_text()
    assert "No cell raised an error." in text and "No answer fails." in text
    assert "No answer was long enough to be compared." in text


def test_a_large_class_takes_seconds(class_of_seven: Course, tmp_path: Path) -> None:
    """Three hundred students, each with an answer of their own to many exercises."""
    more = 16 if NIGHTLY else 4
    own = copy_of(class_of_seven, tmp_path)
    path = own.folder / "release" / "week1" / f"{SHEET}.ipynb"
    sheet = nbformat.read(path, as_version=4)
    [stub] = [
        cell for cell in sheet.cells if cell.metadata.get("nbgrader", {}).get("grade_id") == NAME
    ]
    [check] = [
        cell
        for cell in sheet.cells
        if cell.metadata.get("nbgrader", {}).get("grade_id") == f"{NAME}-check"
    ]
    for number in range(more):
        for cell in (stub, check):
            copied = nbformat.from_dict(json.loads(json.dumps(cell)))
            copied.id = f"more-{number}-{copied.id}"
            copied.metadata.nbgrader.grade_id = cell.metadata.nbgrader.grade_id.replace(
                NAME, f"{NAME}-{number}"
            )
            copied.source = cell.source.replace(f'/{NAME}"', f'/{NAME}-{number}"')
            sheet.cells.append(copied)
    nbformat.write(sheet, path)
    kept = judging.read_result(own.folder / "results" / "ben" / "week1" / f"{SHEET}.json")
    names = [f"{SHEET}/{NAME}-{number}" for number in range(more)]
    grades = kept.grades | dict.fromkeys(names, Grade(3, 11, "case 4 of 11 fails. No."))
    result = replace(kept, grades=grades, raised=(Raised("setup", "raised KeyError: 1"),))
    entered: dict[str, dict[str, str]] = {}
    for cell in sheet.cells:
        if "def records_needed" in cell.source:
            cell.source = "def records_needed(n, epsilon):\n    return HERE"
    written = nbformat.writes(sheet)
    for student in range(300):
        terms = [
            f"(n {'+-*/'[student >> (2 * k) & 3]} {student % (k + 7)}"
            f" if n > {student * k} else abs(epsilon - {k}))"
            for k in range(12)
        ]
        name = f"student {student}"
        folder = own.folder / "submitted" / name / "week1"
        folder.mkdir(parents=True)
        text = written.replace("HERE", " + ".join(terms))
        (folder / f"{SHEET}.ipynb").write_text(f"{text}\n")
        result.keep(own.folder / "results" / name / "week1" / f"{SHEET}.json")
        entered[name] = {SHEET: result.entered(text)}
    began = time.process_time()
    report = class_report(own, "week1", {}, entered)
    text = page_of(report)
    spent = time.process_time() - began
    assert report.students == 300 and len(report.parts) == 5 + more
    compared = [len(part.likeness.compared) for part in report.parts if "-needed" in part.title]
    assert compared == [300] * (1 + more)
    assert len(text) < 10**6
    assert spent < 1.2 * (1 + more), f"{spent:.1f} s"  # about a fifth of it on an idle machine
