"""Pages that were handed in beside a notebook: a PDF, a scan or a photograph of an answer in words.

They stand in the answers in words that the notebook leaves empty, so that they are marked; where it
leaves none empty, they stand at its end.  A marker and a student see them as pictures wherever they
see other pictures of an answer.

A page of a PDF becomes a picture.  A PDF is a program to the library that draws it, and it comes
from a student, so it is drawn in a process of its own with limits, in the sandbox if there is one.
"""

from __future__ import annotations

import base64
import resource
import struct
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import PurePosixPath

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell

from course.sheets import grade_id
from course.uploads import PDF, Piece
from course.written import BESIDE_KEY, KINDS, Pictures, Prose, Sections, joined
from pdpbook_exercises.checks.sandbox import none, sandbox, why_not

__all__ = ["PaperError", "draw_pages", "with_papers"]

MOST_PAGES = 20  #: of a PDF that are drawn
WIDTH = 1200  #: pixels of a page; a line of handwriting can be read
SECONDS = 60  #: of the processor for a PDF
MEMORY = 2**31  #: bytes
LARGEST_REPLY = 2**26  #: bytes of all pages of a PDF
DRAW = f"""\
import io, struct, sys
import pypdfium2
pages = pypdfium2.PdfDocument(sys.stdin.buffer.read())
for number in range(min(len(pages), {MOST_PAGES})):
    page = pages[number]
    width, height = page.get_size()
    picture = page.render(scale={WIDTH} / max(width, height / 4, 1.0)).to_pil().convert("RGB")
    file = io.BytesIO()
    picture.save(file, "jpeg", quality=80)
    sys.stdout.buffer.write(struct.pack(">I", file.tell()) + file.getvalue())
sys.stdout.buffer.write(struct.pack(">II", 0, len(pages)))
"""
ELSEWHERE = "The pages that came beside the notebook stand in the answer *{place}*."


class PaperError(ValueError):
    """A PDF that cannot be drawn."""


def _limit() -> None:
    """Take from the process what it may not use."""
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def draw_pages(document: bytes) -> tuple[list[bytes], int]:
    """Draw the pages of a PDF.

    Parameters
    ----------
    document : bytes
        The PDF.

    Returns
    -------
    pages : list of bytes
        The first pages as JPEG files, at most :data:`MOST_PAGES`.
    count : int
        Number of pages of the document.

    Raises
    ------
    PaperError
        If it is none, has a password, or takes too long.
    """
    with tempfile.TemporaryDirectory() as package, tempfile.TemporaryDirectory() as home:
        box = none(home) if why_not() else sandbox(package, home)
        try:
            done = subprocess.run(
                [*box.command, sys.executable, "-c", DRAW],
                input=document,
                capture_output=True,
                env=box.environment,
                cwd=home,
                timeout=4 * SECONDS,
                preexec_fn=_limit,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise PaperError("it takes too long to draw") from None
    reply, pages, place = done.stdout[:LARGEST_REPLY], list[bytes](), 0
    while len(reply) >= place + 8:
        (size,) = struct.unpack(">I", reply[place : place + 4])
        place += 4
        if not size:
            return pages, int(struct.unpack(">I", reply[place : place + 4])[0])
        pages.append(reply[place : place + size])
        place += size
    raise PaperError("it cannot be drawn as a PDF")


def _read(papers: Sequence[Piece]) -> tuple[Prose, list[str]]:
    """Return the pages as an answer in words, and what could not be kept."""
    pictures, notes = Pictures(), list[str]()
    parts = []
    for paper in papers:
        name = PurePosixPath(paper.path).name
        pages, count = [paper.data], 1
        if paper.data.startswith(PDF):
            try:
                pages, count = draw_pages(paper.data)
            except PaperError as error:
                notes.append(f"{paper.path}: {error}")
                continue
        if count > len(pages):
            notes.append(f"{paper.path}: of its {count} pages the first {len(pages)} are shown")
        for number, page in enumerate(pages, 1):
            kind = next(kind for kind, (begins, _) in KINDS.items() if page.startswith(begins))
            said = f"{name}, page {number} of {count}" if count > 1 else name
            content = {said: {kind: base64.b64encode(page).decode("ascii")}}
            parts.append(pictures.read(new_markdown_cell("", attachments=content)))
    read, _ = joined(parts)
    return read, [*notes, *dict.fromkeys(pictures.notes)]


def with_papers(
    notebook: NotebookNode, sheet: NotebookNode, papers: Sequence[Piece]
) -> tuple[NotebookNode, list[str]]:
    """Return a whole sheet with the pages that came beside it, and what the marker should know.

    Parameters
    ----------
    notebook : NotebookNode
        The sheet with the answers of a student.
    sheet : NotebookNode
        The sheet as it was handed out.
    papers : sequence of Piece
        The pages, as PDF, PNG or JPEG.
    """
    read, notes = _read(papers)
    if not read.attachments:
        return notebook, notes
    whole = nbformat.from_dict(notebook)
    empty = {grade_id(cell): cell.source for cell in sheet.cells if grade_id(cell)}
    sections = Sections(sheet)
    cells = {grade_id(cell): cell for cell in whole.cells if grade_id(cell)}
    places = [each for each in sections.place.values() if cells[each].source == empty[each]]
    names = ", ".join(dict.fromkeys(PurePosixPath(each.path).name for each in papers))
    if places:
        first, *others = places
        cells[first].source = read.text
        cells[first].attachments = nbformat.from_dict(read.attachments)
        for place in others:
            cells[place].source = ELSEWHERE.format(place=first)
        notes.append(f"{names} came beside the notebook and stands in the answer {first}")
    else:
        cell = new_markdown_cell(read.text, metadata={"pdpbook": {BESIDE_KEY: "the end"}})
        cell.attachments, cell.id = nbformat.from_dict(read.attachments), f"cell-{len(whole.cells)}"
        whole.cells.append(cell)
        notes.append(f"{names} came beside the notebook; the page of feedback shows it at the end")
    return whole, notes
