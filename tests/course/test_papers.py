"""Pages that were handed in beside a notebook are shown to the marker and to the student."""

import io
from pathlib import Path

import nbformat
import pytest
from PIL import Image
from pypdf import PdfReader, PdfWriter

from book._ext.edition.reader_code import WRITE_HERE
from course.folder import Course
from course.grading import grade_submissions
from course.papers import MOST_PAGES, PaperError, draw_pages, with_papers
from course.sheets import grade_id
from course.uploads import PAPERS, Piece
from course.written import PICTURE
from tests.course.conftest import SHEET
from tests.course.test_grading import feedback, mark, table
from tests.course.test_submissions import copy, data, place, put
from tests.course.test_uploads import zipped
from tests.course.test_written import PROOF, WORDS, encoded, own, photograph

__all__ = ["own"]  # a fixture


def scanned(pages: int = 2, password: str = "") -> bytes:
    """A PDF as a scanner makes it: each page is a picture."""
    first, *others = (
        Image.open(io.BytesIO(photograph("png", seed))).convert("RGB") for seed in range(pages)
    )
    file = io.BytesIO()
    first.save(file, "pdf", save_all=True, append_images=others)
    if not password:
        return file.getvalue()
    locked, written = PdfWriter(), io.BytesIO()
    for page in PdfReader(file).pages:
        locked.add_page(page)
    locked.encrypt(password)
    locked.write(written)
    return written.getvalue()


def proof_of(course: Course, student: str) -> nbformat.NotebookNode:
    """The answer in words that the marker is shown."""
    path = course.folder / "autograded" / student / "week1" / f"{SHEET}.ipynb"
    sheet = nbformat.read(path, as_version=4)
    return sheet.cells[place(sheet, PROOF)]


def test_a_pdf_and_a_photograph_in_the_archive_are_marked_and_returned(
    own: Course, release, tmp_path: Path
) -> None:
    photo = photograph("jpg")
    packed = zipped(
        ("week1/sheet.ipynb", data(release)), ("proof.pdf", scanned()), ("week1/more.JPG", photo)
    )
    put(tmp_path / "in", **{"anna_4001_1_week1.zip": packed, "ben.ipynb": data(release)})
    grade_submissions(own, tmp_path / "in")
    rows = table(own)
    assert rows["anna"]["week1: to mark"] == "1" and rows["ben"]["week1: to mark"] == "0"
    assert (
        f"proof.pdf, more.JPG came beside the notebook and stands in the answer {PROOF}"
        in (rows["anna"]["notes"])
    )
    cell = proof_of(own, "anna")
    shown = [found["alt"] for found in PICTURE.finditer(cell.source)]
    assert shown == ["proof.pdf, page 1 of 2", "proof.pdf, page 2 of 2", "more.JPG"]
    assert len(cell.attachments) == 3
    mark(own, "anna", 1.5, "Both cases are there.")
    grade_submissions(own, tmp_path / "in")
    page = feedback(own, "anna")
    assert page.count("<img") == 3 and encoded(photo) in page
    assert 'alt="proof.pdf, page 2 of 2"' in page and "Both cases are there." in page
    assert table(own)["anna"]["week1: to mark"] == "0"


def test_files_in_the_folder_of_a_student_count_and_none_without_a_notebook(
    own: Course, release, tmp_path: Path
) -> None:
    folder = tmp_path / "in"
    put(folder / "anna", **{"sheet.ipynb": data(release), "photo.png": photograph()})
    put(folder / "ben", **{"photo.png": photograph()})
    put(folder, **{"carl.zip": zipped(("proof.pdf", scanned())), "dora.pdf": scanned()})
    grade_submissions(own, folder)
    rows = table(own)
    assert "attachment" in proof_of(own, "anna").source
    assert rows["ben"]["notes"].startswith("ben/photo.png: it is no notebook")
    assert rows["carl"]["notes"].startswith("carl.zip/proof.pdf: it is no notebook")
    assert [each for each in rows if "dora.pdf" in each]
    assert {rows[each]["week1: total"] for each in ("ben", "carl")} == {"0"}


def test_an_answer_that_is_there_stays_and_the_pages_stand_at_the_end(release) -> None:
    given = copy(release)
    given.cells[place(given, PROOF)].source = WORDS
    whole, notes = with_papers(given, release, [Piece("a/p.png", photograph(), paper=True)])
    nbformat.validate(whole)
    assert whole.cells[place(whole, PROOF)].source == WORDS
    assert whole.cells[-1].metadata.pdpbook == {"beside": "the end"}
    assert len(whole.cells[-1].attachments) == 1 and "shows it at the end" in notes[0]


def test_of_several_empty_answers_all_are_marked(release) -> None:
    """Nobody can say which of them a page answers, and an empty one would get 0 unread."""
    sheet = copy(release)
    second = copy(sheet.cells[place(sheet, PROOF)])
    second.metadata.nbgrader.grade_id, second.id = "other-words", "other"
    sheet.cells += [nbformat.v4.new_markdown_cell("> **Exercise 9** (Other)"), second]
    whole, _ = with_papers(sheet, sheet, [Piece("p.png", photograph(), paper=True)])
    assert "attachment" in whole.cells[place(whole, PROOF)].source
    assert whole.cells[-1].source == (
        f"The pages that came beside the notebook stand in the answer *{PROOF}*."
    )
    assert grade_id(whole.cells[-1]) == "other-words"


@pytest.mark.parametrize(
    "document", [b"%PDF-1.7 nothing else", scanned()[:400], scanned(password="secret")]
)
def test_a_pdf_that_cannot_be_drawn_is_told_and_costs_nothing_else(
    document: bytes, release
) -> None:
    with pytest.raises(PaperError, match="cannot be drawn as a PDF"):
        draw_pages(document)
    papers = [Piece("a/p.pdf", document, paper=True), Piece("b.png", photograph(), paper=True)]
    whole, notes = with_papers(release, release, papers)
    assert notes[0] == "a/p.pdf: it cannot be drawn as a PDF"
    assert len(whole.cells[place(whole, PROOF)].attachments) == 1


def test_of_a_long_pdf_the_first_pages_are_shown(release) -> None:
    pages, count = draw_pages(scanned(MOST_PAGES + 2))
    assert (len(pages), count) == (MOST_PAGES, MOST_PAGES + 2)
    assert Image.open(io.BytesIO(pages[0])).width == 1200
    _, notes = with_papers(release, release, [Piece("p.pdf", scanned(MOST_PAGES + 2), paper=True)])
    assert notes[0] == f"p.pdf: of its {MOST_PAGES + 2} pages the first {MOST_PAGES} are shown"


def test_too_large_a_page_costs_nobody_the_notebook(own: Course, release, tmp_path: Path) -> None:
    packed = zipped(("a.ipynb", data(release)), ("p.pdf", b"%PDF-" + b"\0" * PAPERS))
    put(tmp_path / "in", **{"anna.zip": packed})
    grade_submissions(own, tmp_path / "in")
    notes = table(own)["anna"]["notes"]
    assert "besides, it holds what is no notebook and is not graded: p.pdf" in notes
    assert proof_of(own, "anna").source == WRITE_HERE
