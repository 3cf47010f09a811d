"""The answers in words as a PDF for each question, and what a student's answer can do there."""

import base64
import threading
from contextlib import nullcontext
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import ClassVar

import pytest
from nbformat import NotebookNode, read
from nbformat.v4 import new_markdown_cell
from playwright.sync_api import Browser
from pypdf import PdfReader

from book._ext.pages.exercise_options import LEVELS
from course.assignment import sheet_of
from course.folder import Course, CourseError
from course.formulas import formulas
from course.grading import grade_submissions
from course.print_written import _Answer, _page, _print, print_written
from course.report import Mark
from course.rubrics import rubric_in, written_questions
from course.written import Pictures
from tests.course.conftest import SHEET
from tests.course.test_grading import feedback, mark
from tests.course.test_sheets import ASSIGNED
from tests.course.test_submissions import data, put
from tests.course.test_written import encoded, own, photograph, written
from tests.tools.notebooks import ROOT

__all__ = ["own"]  # a fixture

ATTACKS = """
<script>document.title = "bad"</script> <img src="{host}/tag.png" onerror="alert(1)">
![x]({host}/picture.png) [z](javascript:alert(1)) <{host}/> {host}/bare ![q](file://{secret})

```mermaid
<img src="{host}/mermaid.png" onerror="alert(1)">
```

<iframe src="file://{secret}"></iframe> $\\href{{javascript:alert(1)}}{{x}}$
![r](attachment:page.html)
"""


class Heard(BaseHTTPRequestHandler):
    """Writes down what it is asked for."""

    paths: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self.paths.append(self.path)
        self.send_error(404)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def host():
    """The address of a server that nobody should ask."""
    server = HTTPServer(("127.0.0.1", 0), Heard)
    Heard.paths.clear()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def page_of(folder: Path, *cells: NotebookNode) -> Path:
    """The page with some answers, as it is printed."""
    answers = [
        _Answer(f"student {n}", "", cell, Mark(None, 3.0)) for n, cell in enumerate(cells, start=1)
    ]
    statement = new_markdown_cell("> **Exercise 1** (Why?)\n>\n> *Core.*\n>\n> Prove $a<b$.")
    with formulas() as typesetter:
        page = _page("s/a-proof", 3, statement, "Look for $a$.", answers, [], typesetter, folder)
    (folder / "page.html").write_text(page, encoding="utf-8")
    return folder / "page.html"


def test_an_answer_can_run_and_load_nothing(browser: Browser, host: str, tmp_path: Path) -> None:
    """Even in a browser whose scripts are on: it holds text, formulas and its own pictures."""
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    (tmp_path / "in").mkdir()
    attack = new_markdown_cell(ATTACKS.format(host=host, secret=secret))
    page = page_of(tmp_path / "in", attack)
    with browser.new_context() as context:
        tab, asked = context.new_page(), []
        tab.on("request", lambda request: asked.append(request.url))
        tab.goto(page.as_uri())
        assert [*filter(lambda url: not url.startswith("data:"), asked)] == [page.as_uri()]
        assert tab.title() == "s/a (proof)"
        assert tab.locator("script, img, iframe, a").count() == 0
        assert "onerror" in tab.locator("table").inner_text()
    assert not Heard.paths


def test_what_is_printed_asks_for_nothing_but_its_pictures(
    browser: Browser, host: str, tmp_path: Path
) -> None:
    """Also where a tag would come through: scripts are off, and other addresses are refused."""
    (tmp_path / "in").mkdir()
    page, pdf = tmp_path / "in" / "page.html", tmp_path / "page.pdf"
    outside = tmp_path / "outside.png"
    outside.write_bytes(photograph())
    page.write_text(
        f'<title>quiet</title><p id="p">quiet</p><img src="{host}/a.png">'
        f'<img src="{outside.as_uri()}">'
        f"<script>p.textContent = 'loud'; fetch('{host}/b')</script>"
    )
    _print(browser, page, pdf)
    [sheet] = PdfReader(pdf).pages
    assert "quiet" in sheet.extract_text() and "loud" not in sheet.extract_text()
    shown = [each.image.size for each in sheet.images]  # the sign of a picture that is missing
    assert (60, 40) not in shown and not Heard.paths


def test_pictures_formulas_and_long_answers_are_printed(browser: Browser, tmp_path: Path) -> None:
    """In PNG and JPEG; each sheet of an answer says whose it is."""
    cells = []
    for kind, ending in (("png", "png"), ("jpeg", "jpg")):
        content = {"p": {f"image/{kind}": encoded(photograph(ending))}}
        prose = Pictures().read(new_markdown_cell("![p](attachment:p)", attachments=content))
        cells.append(new_markdown_cell(prose.text, attachments=prose.attachments))
    steps = "\n\n".join(f"Step {number}, as $x<1$." for number in range(80))
    page = page_of(tmp_path, *cells, new_markdown_cell(steps))
    assert page.read_text(encoding="utf-8").count("<mjx-container") >= 3
    _print(browser, page, tmp_path / "page.pdf")
    reader = PdfReader(tmp_path / "page.pdf")
    sheets = reader.pages
    assert [len(sheet.images) for sheet in sheets[:3]] == [0, 1, 1] and len(sheets) >= 5
    assert all("student 3: s/a (proof)" in sheet.extract_text() for sheet in sheets[3:])
    assert "Step 79" in sheets[-1].extract_text()


def test_five_photographs_are_printed_marked_and_returned(
    own: Course,
    release: NotebookNode,
    browser: Browser,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("course.print_written.chromium", lambda _: nullcontext(browser))
    students = ("anna", "ben", "carl", "dora", "emil")
    for seed, student in enumerate(students):
        kind, ending = (("png", "png"), ("jpeg", "jpg"))[seed % 2]
        content = {"p": {f"image/{kind}": encoded(photograph(ending, seed))}}
        cell = new_markdown_cell("![p](attachment:p)", attachments=content)
        put(tmp_path / "in", **{f"{student}_{seed + 7000}_1_x.ipynb": data(written(release, cell))})
    put(tmp_path / "in", **{"fred.ipynb": data(release)})
    grade_submissions(own, tmp_path / "in")
    mark(own, "ben", 0.5, "Hard to read.")
    grade_submissions(own, tmp_path / "in")
    printed = print_written(own, sheet=SHEET)
    assert [path.name for path in printed][:1] == [f"{SHEET}-replacement-loss-proof.pdf"]
    first, *sheets = PdfReader(printed[0]).pages
    said = " ".join(first.extract_text().split())
    assert "What to look for" in said and "third data set" in said and "fred" in said
    assert [sheet.extract_text().split()[:2] for sheet in sheets] == [
        [student, f"({7000 + seed})"] for seed, student in enumerate(students)
    ]
    assert [len(sheet.images) for sheet in sheets] == [1] * 5
    for seed, (student, sheet) in enumerate(zip(students, sheets, strict=True)):
        raw = photograph(("png", "jpg")[seed % 2], seed)
        assert base64.b64encode(raw).decode() in feedback(own, student)
        assert sheet.images[0].image.size == (60, 40)
    assert "0.5 of" in sheets[1].extract_text() and "Hard to read." in sheets[1].extract_text()
    assert "____ of" in sheets[0].extract_text()
    with pytest.raises(CourseError, match="none is 'x'"):
        print_written(own, sheet="x")


def test_each_question_in_words_has_a_rubric(built: Path) -> None:
    """What to look for in a proof, the common mistakes, and the answer, all without roles."""
    found = 0
    for page in ASSIGNED:
        name = page.relative_to(ROOT).with_suffix("").as_posix()
        for cell, statement in written_questions(sheet_of(name, built, LEVELS)):
            rubric, question = rubric_in(cell), cell.metadata.nbgrader.grade_id
            assert statement is not None and rubric
            assert "}`" not in rubric and "](#" not in rubric and "code-cell" not in rubric
            first, answer, _ = rubric.partition("**The answer.**")
            assert answer and "**Common mistakes.**\n" in first, (name, question)
            assert not question.endswith("-proof") or first.startswith("**What to look for.**\n")
            found += 1
    assert found >= 59


def test_no_rubric_is_handed_out(course: Course, release: NotebookNode) -> None:
    """The sheet that a student gets has an empty place where the source has the rubric."""

    source = read(course.folder / "source/week1" / f"{SHEET}.ipynb", as_version=4)
    [(kept, _)] = written_questions(source)
    [(given, _)] = written_questions(release)
    assert "third data set" in rubric_in(kept)
    assert "Write your answer here" in given.source and "BEGIN" not in given.source
    assert not any("third data set" in cell.source for cell in release.cells)
