"""What was uploaded: the files of a folder, and what is in the archives among them.

A student decides what stands in a file, what is in an archive and how it is called there, and so
none of it is trusted.  No symbolic link is followed.  A path inside an archive is a text to show
and decides nothing.  What a file is follows from how it begins, because a browser or a mail program
may have changed its name.  Archives in archives are opened to :data:`DEPTH`, and all that is read
of an upload has limits.  A PDF or a picture is a page of an answer (:mod:`course.papers`).  Every
other file that is no notebook is told with the reason.

An upload is read once, from its beginning to its end, with one of its notebooks in memory.
"""

from __future__ import annotations

import io
import lzma
import os
import re
import stat
import struct
import zlib
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO, Any
from zipfile import BadZipFile, ZipFile, ZipInfo

from pdpbook_exercises.checks.wire import printable

__all__ = ["TIMES", "Piece", "files_of", "pieces", "show_path", "stem"]

LARGEST = 2**27  #: bytes of a notebook, and of all that is unpacked from an upload
MOST_NOTEBOOKS = 200  #: in an upload
MOST_FILES = 10_000  #: in an archive
DEPTH = 3  #: archives inside one another that are opened
SHOWN = 5  #: names of other files that are told
LONGEST_PATH = 200  #: characters of a path in an archive that are shown
PAPERS = 2**26  #: bytes of the pages, as PDF or pictures, that are kept of an upload
TIMES = "timestamp.txt"  #: in which nbgrader keeps when a folder was handed in
NO_ARCHIVE = "it is no readable archive"
NO_NOTEBOOK = "it is no notebook"
LINK = "it is a symbolic link, and no link is followed"
NO_FILE = "it is no file that could be read"
BEGINNING = 512  #: bytes of a file by which it is known
ZIPPED = (b"PK\3\4", b"PK\5\6")  #: how a zip archive begins
PDF = b"%PDF-"
PAPER = (PDF, b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff")  #: how a page begins: PDF, PNG, JPEG
PAPER_NAMES = (".pdf", ".png", ".jpg", ".jpeg")
OTHER_ARCHIVES = (".7z", ".bz2", ".gz", ".rar", ".tar", ".tgz", ".xz")
#: archives to a program, documents to a person
DOCUMENTS = (".docx", ".epub", ".jar", ".odp", ".ods", ".odt", ".pages", ".pptx", ".whl", ".xlsx")
KEYS = re.compile(rb'"(cells|metadata|nbformat|worksheets)"\s*:')
ENDINGS = {".ipynb", ".json", ".txt", ".zip"}  #: that may stand one behind the other
#: what an archive may raise that is damaged, or packed in a way that is not known here
BROKEN = (
    *(BadZipFile, NotImplementedError, RuntimeError, OSError, ValueError, EOFError),
    *(zlib.error, lzma.LZMAError, struct.error, IndexError, MemoryError),
)


@dataclass(frozen=True)
class Piece:
    """A notebook of an upload, a page that came beside it, or a part of it that is neither.

    Attributes
    ----------
    path : str
        Where it was found, for a person: what stands behind the name of an archive is a text of
        the student's.
    data : bytes
        Of the notebook or the page.
    refused : str
        Why it is neither; else empty.
    paper : bool
        Whether it is a page: a PDF or a picture.
    """

    path: str
    data: bytes = b""
    refused: str = ""
    paper: bool = False


@dataclass
class _Left:
    """What may still be unpacked from an upload."""

    bytes: int = field(default_factory=lambda: LARGEST)
    notebooks: int = field(default_factory=lambda: MOST_NOTEBOOKS)
    papers: int = field(default_factory=lambda: PAPERS)


class _RefusedError(ValueError):
    """Why something in an upload is not read."""


def files_of(folder: Path) -> list[tuple[PurePosixPath, str]]:
    """Return the path of each file below a folder, in order, and why it is not opened.

    Hidden files are left out: programs make them.  A link is named and not followed.
    """
    closed: list[OSError] = []
    found = []
    for place, folders, files in os.walk(folder, onerror=closed.append):
        folders[:] = [each for each in folders if not each.startswith(".")]
        links = [each for each in folders if Path(place, each).is_symlink()]
        for name in [*files, *links]:
            path = Path(place, name)
            if name.startswith("."):
                continue
            inside = PurePosixPath(path.relative_to(folder).as_posix())
            mode = path.lstat().st_mode
            why = LINK if stat.S_ISLNK(mode) else "" if stat.S_ISREG(mode) else NO_FILE
            found.append((inside, why))
    for error in closed:
        inside = PurePosixPath(Path(error.filename).relative_to(folder).as_posix())
        found.append((inside, NO_FILE))
    return sorted(found)


def show_path(path: PurePosixPath) -> str:
    r"""Return a path as a text that every file can hold, also if its name is no text.

    Examples
    --------
    >>> show_path(PurePosixPath("anna/\udcff.ipynb"))
    'anna/?.ipynb'
    """
    return printable(str(path))


def stem(name: str) -> str:
    """Return the name of a file without its ending, or its endings where a program has added one.

    Examples
    --------
    >>> stem("anna.ipynb.txt"), stem("anna.ZIP"), stem("j.doe.ipynb"), stem("anna.ipynb (1)")
    ('anna', 'anna', 'j.doe', 'anna')
    """
    path = PurePosixPath(PurePosixPath(name).stem)
    while path.suffix.lower() in ENDINGS:
        path = PurePosixPath(path.stem)
    return path.name


def pieces(folder: Path, path: PurePosixPath) -> Iterator[Piece]:
    """Yield the notebooks and pages of an uploaded file, and what in it is neither.

    Parameters
    ----------
    folder : Path
        Of the submissions.
    path : PurePosixPath
        Of the file in it.
    """
    try:
        number = os.open(folder / path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        yield Piece(show_path(path), refused=f"it cannot be read: {error.strerror}")
        return
    with os.fdopen(number, "rb") as file:
        yield from _pieces(file, os.fstat(number).st_size, show_path(path), _Left(), DEPTH)


def _pieces(file: IO[bytes], size: int, path: str, left: _Left, depth: int) -> Iterator[Piece]:
    """Yield what a file holds that was uploaded, or that was packed as an archive in another."""
    try:
        beginning = file.read(BEGINNING)
        file.seek(0)
        kind = _kind(path, beginning)
        if kind == "archive":
            yield from _unpacked(file, path, left, depth)
        elif kind == "paper" and size > left.papers:
            raise _RefusedError(f"it has {size} bytes, more than {left.papers}, and is not shown")
        elif size > LARGEST:
            raise _RefusedError(f"it has {size} bytes, more than {LARGEST}; clear its outputs")
        else:
            yield Piece(path, file.read(), paper=kind == "paper")
    except _RefusedError as error:
        yield Piece(path, refused=str(error))
    except BROKEN as error:
        yield Piece(path, refused=f"it cannot be read: {_line(error)}")


def _kind(path: str, beginning: bytes) -> str:
    """Return what a file is, an archive, a notebook or a page, from how it begins and its name.

    Raises
    ------
    _RefusedError
        If it is none of them.
    """
    name = PurePosixPath(path).name.lower()
    if beginning.startswith(ZIPPED) and not name.endswith(DOCUMENTS):
        return "archive"
    if ".ipynb" in name or KEYS.search(beginning):
        return "notebook"
    if beginning.startswith(PAPER):
        return "paper"
    if ".zip" in name:
        raise _RefusedError(NO_ARCHIVE)
    if name.endswith(OTHER_ARCHIVES):
        raise _RefusedError(f"{NO_NOTEBOOK}; of archives only zip is opened")
    raise _RefusedError(NO_NOTEBOOK)


def _unpacked(file: IO[bytes], path: str, left: _Left, depth: int) -> Iterator[Piece]:
    """Yield what is in an archive.

    Raises
    ------
    _RefusedError
        If it cannot be opened, holds too much, or stands too deep in others.
    """
    if not depth:
        raise _RefusedError(f"it is an archive in {DEPTH} others, and is not opened")
    with ExitStack() as opened:
        try:
            archive = opened.enter_context(ZipFile(file))
            members = [each for each in archive.infolist() if not _hidden(each)]
            kinds = [_member_kind(archive, each) for each in members]
        except BROKEN:
            raise _RefusedError(NO_ARCHIVE) from None
        if len(members) > MOST_FILES:
            raise _RefusedError(f"it holds {len(members)} files, more than {MOST_FILES}")
        for number, (member, kind) in enumerate(zip(members, kinds, strict=True)):
            if kind == "paper" and member.file_size > left.papers:
                kinds[number] = ""
            elif kind == "paper":
                left.papers -= member.file_size
        opening = [each for each, kind in zip(members, kinds, strict=True) if kind]
        wanted = [
            each for each, kind in zip(members, kinds, strict=True) if kind and kind != "paper"
        ]
        count = sum(kind == "notebook" for kind in kinds)
        size = sum(each.file_size for each in wanted)
        if count > left.notebooks:
            raise _RefusedError(f"it holds {count} notebooks, more than {left.notebooks}")
        if size > left.bytes:
            raise _RefusedError(
                f"its notebooks have {size} bytes, more than {left.bytes}; clear their outputs"
            )
        left.notebooks -= count
        left.bytes -= size
        for member, kind in zip(members, kinds, strict=True):
            inside = f"{path}/{_show_member(member)}"
            if not kind:
                continue
            try:
                with archive.open(member) as packed:  # not more than its header has told
                    data = packed.read(member.file_size + 1)
            except BROKEN as error:
                yield Piece(inside, refused=f"it cannot be unpacked: {_line(error)}")
                continue
            if kind in ("notebook", "paper"):
                yield Piece(inside, data, paper=kind == "paper")
            else:
                yield from _pieces(io.BytesIO(data), len(data), inside, left, depth - 1)
    others = [_show_member(each) for each, kind in zip(members, kinds, strict=True) if not kind]
    others = [each for each in others if PurePosixPath(each).name != TIMES]
    if others or not opening:
        yield Piece(path, refused=_told(others, bool(wanted)))


def _told(others: list[str], wanted: bool) -> str:
    """Say what else is in an archive."""
    if not others:
        return "it is an archive without a notebook"
    more = len(others) - SHOWN
    names = ", ".join(others[:SHOWN]) + (f" and {more} more" if more > 0 else "")
    if wanted:
        return f"besides, it holds what is no notebook and is not graded: {names}"
    return f"it is an archive without a notebook; it holds {names}"


def _member_kind(archive: ZipFile, member: ZipInfo) -> str:
    """Return what a member of an archive is to be opened as; nothing for other files."""
    name = PurePosixPath(member.filename).name.lower()
    if ".ipynb" in name:
        return "notebook"
    if ".zip" in name:
        return "archive"
    if name.endswith((".json", ".txt")) and name != TIMES:
        with archive.open(member) as file:
            return "notebook" if KEYS.search(file.read(BEGINNING)) else ""
    if name.endswith(PAPER_NAMES):
        with archive.open(member) as file:
            return "paper" if file.read(BEGINNING).startswith(PAPER) else ""
    return ""


def _hidden(member: ZipInfo) -> bool:
    """Whether a member of an archive is a folder, or a program has made it."""
    parts = [each for each in PurePosixPath(member.filename).parts if each not in {".", ".."}]
    return member.is_dir() or any(each.startswith((".", "__MACOSX")) for each in parts)


def _show_member(member: ZipInfo) -> str:
    """Return the path of a member as a text that looks like no other path."""
    parts = PurePosixPath(printable(member.filename.replace("\\", "/"))).parts
    return "/".join(each for each in parts if each not in {"/", "//", ".", ".."})[-LONGEST_PATH:]


def _line(error: Any) -> str:
    """Return what an exception says, in a line."""
    return (str(error).splitlines() or [type(error).__name__])[0][:200]
