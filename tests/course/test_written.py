"""Answers in words count wherever a student wrote them, and their pictures are shown."""

import base64
import io
import re
from pathlib import Path
from urllib.parse import quote

import matplotlib.image
import nbformat
import numpy as np
import pytest
from nbconvert.filters import markdown2html
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_raw_cell

from course.folder import Course
from course.formulas import markdown_with_formulas
from course.grading import grade_submissions
from course.sheets import grade_id
from course.submissions import BESIDE, ELSEWHERE, mend
from course.written import MOST_PICTURES, PICTURE, Pictures
from tests.course.conftest import SHEET, with_answer
from tests.course.test_grading import copy_of, feedback, mark, table
from tests.course.test_lateness import judged_by_looks
from tests.course.test_submissions import ACTIVE, NAME, copy, data, place, put, shape

PROOF = "replacement-loss-proof"
WORDS = "Both data sets have the same third one inside them."
COUNTED = f"{PROOF}: {ELSEWHERE}"


def photograph(kind: str = "png", seed: int = 1) -> bytes:
    """A picture as a camera makes it: of no use to a program."""
    file = io.BytesIO()
    pixels = np.random.default_rng(seed).random((40, 60, 3))
    matplotlib.image.imsave(file, pixels, format=kind)
    return file.getvalue()


def encoded(content: bytes) -> str:
    return base64.b64encode(content).decode()


PNG, JPEG = encoded(photograph()), encoded(photograph("jpg"))


def pictured(text: str, name: str = "p.png", content: str = PNG) -> NotebookNode:
    """A cell with a picture."""
    return new_markdown_cell(text, attachments={name: {"image/png": content}})


def written(release: NotebookNode, *cells: NotebookNode, after: str = PROOF) -> NotebookNode:
    """A sheet with cells of a student's below one of its own."""
    given = copy(release)
    at = place(given, after) + 1
    given.cells[at:at] = cells
    return given


def proof_in(given: NotebookNode, release: NotebookNode) -> tuple[NotebookNode, list[str]]:
    """The cell that a marker marks, and the notes."""
    whole, notes = mend(given, release)
    nbformat.validate(whole)
    assert shape(whole) == shape(release)
    return whole.cells[place(whole, PROOF)], notes


@pytest.mark.parametrize(
    "cells",
    [
        [new_markdown_cell(WORDS)],
        [new_raw_cell(WORDS)],
        [new_code_cell(WORDS)],
        [new_code_cell(f"# {WORDS}")],
        [new_code_cell(f'"""{WORDS}"""')],
    ],
)
def test_a_proof_in_an_added_cell_counts(cells: list[NotebookNode], release) -> None:
    cell, notes = proof_in(written(release, *cells), release)
    assert WORDS in cell.source and "Write your answer here" not in cell.source
    assert notes == [COUNTED]


def test_a_proof_in_five_cells_is_one(release) -> None:
    lines = [f"Step {number} of five." for number in range(5)]
    given = written(release, *map(new_markdown_cell, lines[1:]))
    given.cells[place(given, PROOF)].source = lines[0]
    assert proof_in(given, release)[0].source == "\n\n".join(lines)


def test_of_copies_of_the_place_all_count(release) -> None:
    given = with_answer(release, "First half.", PROOF)
    second = copy(given.cells[place(given, PROOF)])
    second.source = "Second half."
    given.cells.insert(place(given, PROOF) + 1, second)
    assert proof_in(given, release) == proof_in(
        with_answer(release, "First half.\n\nSecond half.", PROOF), release
    )


def test_a_proof_above_its_place_or_below_the_code_counts(release) -> None:
    heading = place(release, PROOF) - 1
    given = copy(release)
    given.cells.insert(heading + 1, new_markdown_cell(WORDS))
    assert proof_in(given, release)[0].source == WORDS
    given = written(release, new_markdown_cell(WORDS), after="replacement-loss-check")
    assert proof_in(given, release)[0].source == WORDS


@pytest.mark.parametrize("ending", ["", "\n"])
def test_a_proof_in_the_statement_counts(ending: str, release) -> None:
    given = copy(release)
    heading = given.cells[place(given, PROOF) - 1]
    assert not grade_id(heading) and heading.metadata.editable is False
    heading.source += f"\n\n{WORDS}{ending}"
    assert proof_in(given, release) == proof_in(written(release, new_markdown_cell(WORDS)), release)


def test_a_proof_whose_place_was_deleted_or_turned_to_code_counts(release) -> None:
    given = written(release, new_markdown_cell(WORDS))
    del given.cells[place(given, PROOF)]
    assert proof_in(given, release) == proof_in(written(release, new_markdown_cell(WORDS)), release)
    given = copy(release)
    at = place(given, PROOF)
    given.cells[at] = new_code_cell(WORDS, metadata=given.cells[at].metadata)
    assert proof_in(given, release)[0].source == WORDS


def test_a_blank_stays_blank(release) -> None:
    given = written(release, new_markdown_cell("  \n"), new_code_cell("x = 1"))
    cell, notes = proof_in(given, release)
    assert cell == release.cells[place(release, PROOF)] and not notes
    cell, notes = proof_in(with_answer(release, " ", PROOF), release)  # it was cleared
    assert cell == release.cells[place(release, PROOF)] and not notes


def test_words_in_another_place_are_kept_and_told(release) -> None:
    given = written(release, new_markdown_cell(WORDS), after=f"{NAME}-check")
    whole, notes = mend(given, release)
    assert notes == [f"{NAME}: {BESIDE}"]
    [cell] = [each for each in whole.cells if each.source == WORDS]
    assert cell.metadata.pdpbook.beside == NAME
    assert proof_in(given, release)[0].source == release.cells[place(release, PROOF)].source


@pytest.mark.parametrize(
    ("source", "attachments"),
    [
        ("![p](attachment:p.png)", {"p.png": {"image/png": PNG}}),
        ("![p](attachment:photo(1).png)", {"photo(1).png": {"image/png": PNG}}),
        (f"![p](attachment:{quote('a b.png')})", {"a b.png": {"image/png": PNG}}),
        ("It is lost in the text", {"p.png": {"image/png": PNG}}),
        ("![p](attachment:p.jpeg)", {"p.jpeg": {"image/jpeg": JPEG}}),
        (f"![p](data:image/png;base64,{PNG})", {}),
        (f'<img alt="p" src="data:image/jpeg;base64,{JPEG}" width=10>', {}),
        (f"![p][image1]\n\n[image1]: <data:image/png;base64,{PNG}>", {}),
    ],
)
@pytest.mark.parametrize("own", [True, False])
def test_a_picture_is_kept(source: str, attachments: dict, own: bool, release) -> None:
    """In the place for the proof and in an added cell."""
    cell = new_markdown_cell(source, attachments=attachments)
    given = written(release, cell)
    if own:
        given = copy(release)
        given.cells[place(given, PROOF)] |= {"source": source, "attachments": attachments}
    proof, _ = proof_in(given, release)
    [name] = [found["name"] for found in PICTURE.finditer(proof.source)]
    [(kind, content)] = proof.attachments[name].items()
    assert content == (JPEG if "jpeg" in kind else PNG)
    shown = markdown_with_formulas({"cell": proof}, proof.source)
    assert f'src="data:{kind};base64,{content}"' in shown


SVG = encoded(b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>")


@pytest.mark.parametrize(
    ("source", "attachments", "told"),
    [
        ("![p](attachment:p.svg)", {"p.svg": {"image/svg+xml": SVG}}, "image/svg"),
        ("![p](attachment:p.png)", {"p.png": {"image/png": SVG}}, "it is no PNG"),
        ("![p](attachment:p.png)", {"p.png": {"image/png": "???"}}, "it is no PNG"),
        (f"![p](data:text/html;base64,{SVG})", {}, "text/html"),
        (f"![p](data:image/svg+xml;base64,{SVG})", {}, "image/svg"),
        (f"![p](data:image/png;base64,{encoded(b'x' * 9)})", {}, "it is no PNG"),
    ],
)
def test_what_is_no_picture_is_told_and_not_shown(
    source: str, attachments: dict, told: str, release
) -> None:
    given = written(release, new_markdown_cell(f"{WORDS} {source}", attachments=attachments))
    cell, notes = proof_in(given, release)
    assert any(told in note for note in notes) and WORDS in cell.source
    assert not ACTIVE.search(markdown2html(cell.source)) and "attachments" not in cell


def test_pictures_have_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("course.written.LARGEST_PICTURE", 20_000)
    monkeypatch.setattr("course.written.ALL_PICTURES", 30_000)
    pictures = Pictures()
    start = base64.b64decode(PNG)[:8]
    for size in (25_000, 19_000, 19_000):
        content = encoded(start + b"x" * size)
        pictures.read(new_markdown_cell("", attachments={"p": {"image/png": content}}))
    assert [note.split(" is ")[0] for note in pictures.notes] == [
        "a picture of 25008 bytes",
        "a picture of 19008 bytes",
    ]


def test_thousands_of_pictures_cost_little(monkeypatch: pytest.MonkeyPatch) -> None:
    """The text is searched for a limited number of them."""
    tiny = encoded(base64.b64decode(PNG)[:8])
    pictures, tried = Pictures(), []
    monkeypatch.setattr("course.written.quote", lambda name, **given: tried.append(name) or name)
    text = f"![p](data:image/png;base64,{tiny})" * 3_000
    names = {f"{number}.png": {"image/png": tiny} for number in range(3_000)}
    prose = pictures.read(new_markdown_cell(text, attachments=names))
    assert len(PICTURE.findall(prose.text)) == MOST_PICTURES and len(tried) <= 2
    assert {*pictures.notes} == {f"of the pictures only {MOST_PICTURES} are shown"}


@pytest.mark.parametrize("name", [")<script>.png", "x](http://host).png", "a\\..\\b.png", "*"])
def test_the_name_of_a_picture_does_nothing(name: str, release) -> None:
    cell = new_markdown_cell(
        f"![{name}](attachment:{name})", attachments={name: {"image/png": PNG}}
    )
    proof, _ = proof_in(written(release, cell), release)
    shown = markdown_with_formulas({"cell": proof}, proof.source)
    assert re.findall(r"<(\w+)", shown).count("img") == 1
    assert not re.search(r"<script|<a (?!href=.https?:)|javascript:", shown.replace(PNG, ""))


@pytest.fixture
def own(course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Course:
    """A course in which nothing is run."""
    monkeypatch.setattr("course.grading.judge_all", judged_by_looks)
    return copy_of(course, tmp_path)


def test_five_photographs_are_marked_and_returned(own: Course, release, tmp_path: Path) -> None:
    students = ("anna", "ben", "carl", "dora", "emil")
    pictures = [encoded(photograph(seed=seed)) for seed in range(5)]
    for student, content in zip(students, pictures, strict=True):
        cell = new_markdown_cell(
            "![p](attachment:p.png)", attachments={"p.png": {"image/png": content}}
        )
        put(tmp_path / "in", **{f"{student}.ipynb": data(written(release, cell))})
    grade_submissions(own, tmp_path / "in")
    assert [table(own)[each]["week1: to mark"] for each in students] == ["1"] * 5
    for number, student in enumerate(students):
        mark(own, student, number / 4, "I can read it.")
    pictures[0] = encoded(photograph(seed=9))
    cell = new_markdown_cell(
        "![p](attachment:p.png)", attachments={"p.png": {"image/png": pictures[0]}}
    )
    put(tmp_path / "in", **{"anna.ipynb": data(written(release, cell))})
    grade_submissions(own, tmp_path / "in")
    rows = table(own)
    proofs = [rows[each][f"week1: {SHEET}/replacement-loss (proof)"] for each in students]
    assert proofs == ["0", "0.25", "0.5", "0.75", "1"]
    assert rows["anna"]["week1: to mark"] == "1"  # another picture is another answer
    for student, content in zip(students, pictures, strict=True):
        page = feedback(own, student)
        assert f'<img src="data:image/png;base64,{content}" alt="p">' in page
        assert "I can read it." in page


def test_words_in_another_place_reach_the_marker_and_the_student(
    own: Course, release, tmp_path: Path
) -> None:
    cell = new_markdown_cell(
        f"{WORDS} ![p](attachment:p.png)", attachments={"p.png": {"image/png": PNG}}
    )
    put(tmp_path / "in", **{"anna.ipynb": data(written(release, cell, after=f"{NAME}-check"))})
    assert grade_submissions(own, tmp_path / "in") == [f"anna: {SHEET}: {NAME}: {BESIDE}"]
    report = (own.folder / "week1-report.html").read_text(encoding="utf-8")
    for page in (feedback(own, "anna"), report):
        assert WORDS in page and f"data:image/png;base64,{PNG}" in page
