"""Answers in words: wherever a student wrote them, and with the pictures in them.

A sheet has a place for each answer in words, below the heading of its exercise.  Students also add
cells, type below the question itself, or take a photograph of a sheet of paper.  All of this counts
as the answer.  What stands where no answer is expected is kept and shown, and a person decides.

What a marker and a student see is text, formulas, and pictures in PNG or JPEG, and nothing else.
"""

from __future__ import annotations

import ast
import base64
import binascii
import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any
from urllib.parse import quote

from IPython.core.inputtransformer2 import TransformerManager
from nbformat import NotebookNode

from course.sheets import INSTALL, SETUP, grade_id, points

__all__ = [
    "BESIDE_KEY",
    "LONGEST_PROSE",
    "Pictures",
    "Prose",
    "Sections",
    "data_of",
    "is_prose",
    "joined",
    "parts_of",
    "plain_text",
]

BESIDE_KEY = "beside"  #: in the metadata of a cell with words that belong to no place
LONGEST_PROSE = 20_000  #: characters of an answer in words that are shown to the marker
LARGEST_PICTURE = 2**23  #: bytes of a picture
ALL_PICTURES = 2**25  #: bytes of the pictures of a notebook
MOST_PICTURES = 50  #: in a notebook
LONGEST_CODE = 20_000  #: characters of a cell of code that may hold words
#: how a picture begins, and how its name ends
KINDS = {"image/png": (b"\x89PNG\r\n\x1a\n", "png"), "image/jpeg": (b"\xff\xd8\xff", "jpg")}
ALT = r"!\[(?P<alt>[^\]\n]{0,200})\]"
DATA = r"data:(?P<kind>[\w/+.-]{1,40});base64,(?P<data>[A-Za-z0-9+/=\s%]*)"
#: pictures that stand in the text itself: in Markdown, in HTML, and where Markdown refers to them
EMBEDDED = (
    re.compile(rf"{ALT}\(\s{{0,9}}<?{DATA}>?(?:\s{{1,9}}\"[^\"\n]{{0,200}}\")?\s{{0,9}}\)"),
    re.compile(rf"<img\b(?P<alt>[^<>]{{0,300}}?)\bsrc\s?=\s?[\"']{DATA}[\"'][^<>]{{0,300}}>"),
)
NAMED = re.compile(r"\balt=[\"'](?P<alt>[^\"']*)[\"']")  #: what a tag of HTML says of its picture
DEFINED = re.compile(rf"^[ ]{{0,3}}\[(?P<alt>[^\]\n]{{1,80}})\]:\s{{0,9}}<?{DATA}>?", re.MULTILINE)
#: a picture in an answer as it is kept, named by what it shows
PICTURE = re.compile(
    r"!\[(?P<alt>[^\[\]()<>]*)\]\(attachment:(?P<name>[0-9a-f]{16}\.(?:png|jpg))\)"
)
FIRST, LAST = "\ue000", "\ue001"  #: around the number of a picture; they mean nothing in a text


@dataclass(frozen=True)
class Prose:
    """What stands in a cell.

    Attributes
    ----------
    text : str
        Text, formulas and pictures by their names.
    attachments : dict
        The pictures as a notebook holds them.
    """

    text: str
    attachments: dict[str, dict[str, str]] = field(default_factory=dict)


class Pictures:
    """Reads the cells of a notebook, as long as its pictures are not too large all together.

    Attributes
    ----------
    notes : list of str
        What could not be kept.
    """

    def __init__(self) -> None:
        self.notes: list[str] = []
        self._left = ALL_PICTURES
        self._more = MOST_PICTURES

    def read(self, cell: Mapping[str, Any], source: str | None = None) -> Prose:
        """Return what stands in a cell, or in a part of its text, with its pictures."""
        text = str(cell["source"] if source is None else source)
        text = text.replace(FIRST, "").replace(LAST, "")
        kept: list[tuple[str, str, str]] = []  # what is shown for it, its name, its kind
        content: dict[str, str] = {}

        def token(alt: str, kind: str, data: str) -> str:
            kind = "image/jpeg" if kind == "image/jpg" else kind
            name, encoded = self._kept(kind, data)
            if not name:
                return " "
            content[name] = encoded
            told = NAMED.search(alt)
            alt = re.sub(r"[\[\]()<>\s]+", " ", told["alt"] if told else alt)
            kept.append((alt.strip(), name, kind))
            return f"{FIRST}{len(kept) - 1}{LAST}"

        for pattern in EMBEDDED:
            text = pattern.sub(lambda m: token(m["alt"], m["kind"], m["data"]), text)
        for found in islice(DEFINED.finditer(text), self._more):
            mark = token(found["alt"], found["kind"], found["data"])
            text = text.replace(found[0], "")
            used = re.compile(rf"!\[[^\]\n]{{0,200}}\]\[{re.escape(found['alt'])}\]")
            text = used.sub(mark, text) if used.search(text) else f"{text}\n\n{mark}"
        attachments = cell.get("attachments") or {}
        for name in sorted(attachments, key=len, reverse=True)[: max(self._more, 1)]:
            kind, data = _picture_of(attachments[name])
            forms = "|".join(
                re.escape(each) for each in {name, quote(name), quote(name, safe="()")}
            )
            used = re.compile(rf"{ALT}\(\s?<?attachment:(?:{forms})>?(?:\s\"[^\"\n]*\")?\s?\)")
            first = used.search(text)
            mark = token(first["alt"] if first else name, kind, data)
            text = used.sub(mark, text) if first else f"{text}\n\n{mark}"
        text = plain_text(text)
        for number, (alt, name, _) in enumerate(kept):
            text = text.replace(f"{FIRST}{number}{LAST}", f"![{alt}](attachment:{name})")
        return Prose(text.strip(), {name: {kind: content[name]} for _, name, kind in kept})

    def _kept(self, kind: str, data: str) -> tuple[str, str]:
        """Return the name of a picture and what it holds; nothing if it cannot be shown."""
        if not self._more:
            self.notes.append(f"of the pictures only {MOST_PICTURES} are shown")
            return "", ""
        self._more -= 1
        if kind not in KINDS:
            self.notes.append(f"a picture of the kind {kind[:40]} is not shown: use PNG or JPEG")
            return "", ""
        beginning, ending = KINDS[kind]
        try:
            raw = base64.b64decode("".join(data.split()).replace("%0A", ""), validate=True)
        except (binascii.Error, ValueError):
            raw = b""
        if not raw.startswith(beginning):
            self.notes.append(f"a picture is not shown, because it is no {ending.upper()}")
            return "", ""
        if len(raw) > min(LARGEST_PICTURE, self._left):
            self.notes.append(f"a picture of {len(raw)} bytes is not shown: it is too large")
            return "", ""
        self._left -= len(raw)
        name = f"{hashlib.sha256(raw).hexdigest()[:16]}.{ending}"
        return name, base64.b64encode(raw).decode("ascii")


def _picture_of(bundle: Any) -> tuple[str, str]:
    """Return the kind and the data of an attachment; a kind that can be shown comes first."""
    if not isinstance(bundle, Mapping) or not bundle:
        return "unknown", ""
    kind = next((each for each in bundle if each in KINDS), next(iter(bundle)))
    data = bundle[kind]
    return str(kind), "".join(data) if isinstance(data, list) else str(data)


def plain_text(source: str) -> str:
    """Return prose as text and formulas alone, without HTML or links.

    The formgrader shows prose as a web page, in which a student's script could give marks.  A
    space takes the meaning from what would be a tag or a link, and changes no formula.

    Examples
    --------
    >>> plain_text("<b>$a<1$</b> [x](javascript:y)")
    '< b>$a<1$< /b> [x] (javascript:y)'
    """
    return re.sub(r"\](?=[(:])", "] ", re.sub(r"<(?=[A-Za-z/!?])", "< ", source))


def joined(parts: list[Prose]) -> tuple[Prose, bool]:
    """Return one answer of all its parts, and whether it had to be cut; its pictures are kept."""
    texts = dict.fromkeys(part.text for part in parts if part.text)
    text = "\n\n".join(texts)
    attachments = {name: each for part in parts for name, each in part.attachments.items()}
    if len(text) <= LONGEST_PROSE:
        return Prose(text, attachments), False
    cut = LONGEST_PROSE
    for found in PICTURE.finditer(text):
        if found.start() < cut < found.end():
            cut = found.start()
    lost = [found[0] for found in PICTURE.finditer(text) if found.end() > cut]
    return Prose("\n\n".join([text[:cut], *lost]), attachments), True


def parts_of(cell: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield what an answer holds: texts, and with each picture its address and what it shows.

    Yields
    ------
    text, data : str
        A text and nothing, or what a picture shows and an address that holds the picture.
    """
    attachments = cell.get("attachments") or {}
    place, source = 0, cell["source"]
    for found in PICTURE.finditer(source):
        if address := data_of(attachments, found["name"]):
            yield source[place : found.start()], ""
            yield found["alt"] or "picture", address
            place = found.end()
    yield source[place:], ""


def data_of(attachments: Mapping[str, Mapping[str, str]], name: str) -> str:
    """Return an address that holds a picture; nothing if there is none of this name."""
    kinds = [(kind, data) for kind, data in attachments.get(name, {}).items() if kind in KINDS]
    return f"data:{kinds[0][0]};base64,{kinds[0][1]}" if kinds else ""


def is_prose(source: str) -> bool:
    """Whether a cell of code holds words: only comments or a text, or nothing that is Python.

    A new cell is one of code, and many write their proof into it.

    Examples
    --------
    >>> is_prose("Let x be a record of the bin."), is_prose("# because a < b"), is_prose("%time x")
    (True, True, False)
    """
    if not source.strip() or len(source) > LONGEST_CODE:
        return False
    try:
        try:
            tree = ast.parse(source)
        except SyntaxError:
            tree = ast.parse(TransformerManager().transform_cell(source))
    except (SyntaxError, ValueError):
        return True
    except (RecursionError, MemoryError):
        return False
    return all(
        isinstance(each, ast.Expr)
        and isinstance(each.value, ast.Constant)
        and isinstance(each.value.value, str)
        for each in tree.body
    )


class Sections:
    """The sections of a sheet: its beginning, and an exercise below each heading.

    Attributes
    ----------
    place : dict from int to str
        By section, the cell for an answer in words, if it has one.
    title : dict from int to str
        By section, the first cell that nbgrader knows; a name for a person.
    """

    def __init__(self, sheet: NotebookNode) -> None:
        self.place: dict[int, str] = {}
        self.title: dict[int, str] = {}
        self._of: dict[str, int] = {}
        self._headings: dict[str, int] = {}
        self._lines: dict[str, set[int]] = {}
        self._size: Counter[int] = Counter()
        number, named = 0, False
        for cell in sheet.cells:
            name = grade_id(cell)
            number += named and not name
            named = bool(name)
            if name:
                self._of[name] = number
                if name not in (INSTALL, SETUP):
                    self.title.setdefault(number, name)
                if (
                    cell.cell_type == "markdown"
                    and points(cell)
                    and cell.metadata.nbgrader.solution
                ):
                    self.place.setdefault(number, name)
            elif cell.cell_type == "markdown":
                self._headings[cell.source] = number
                lines = {*_lines(cell.source)}
                self._size[number] += len(lines)
                for line in lines:
                    self._lines.setdefault(line, set()).add(number)

    def of(self, name: str) -> int:
        """Return the section of a cell that nbgrader knows."""
        return self._of[name]

    def heading(self, source: str) -> tuple[int, str] | None:
        """Return which section a cell is the heading of, and what a student has written into it.

        A cell is a heading if it holds at least half of the lines of one.
        """
        if source in self._headings:
            return self._headings[source], ""
        shared: Counter[int] = Counter()
        for line in {*_lines(source)}:
            shared.update(self._lines.get(line, ()))
        if not shared:
            return None
        number, count = max(shared.items(), key=lambda pair: pair[1] / self._size[pair[0]])
        if count < self._size[number] / 2:
            return None
        own = [each for each in source.splitlines() if not _is_line(each, self._lines, number)]
        return number, "\n".join(re.sub(r"^\s{0,3}> ?", "", line) for line in own).strip()


def _lines(source: str) -> Iterator[str]:
    """Yield the lines of a text that say something, as they stand whatever an editor does."""
    for line in source.splitlines():
        if line.strip("> \t"):
            yield " ".join(line.split())


def _is_line(line: str, lines: Mapping[str, set[int]], number: int) -> bool:
    return number in lines.get(" ".join(line.split()), ())
