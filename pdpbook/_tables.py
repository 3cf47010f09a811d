"""The lines, cells and names of a table, for the command ``pdpbook`` and for ``scan``.

pyarrow reads CSV files for both, with the same options, and keeps every cell as text.  A line
ends with LF, CR or CRLF.  An empty line is a record without values, and a line with more or fewer
fields than the first line is refused.  Blanks and invisible characters at the ends of a cell do not
count; a cell that is then empty, or one of :data:`MISSING`, has no value.  The digits of a number
are 0 to 9.  Text in a Parquet file is read like text in a CSV file.

A line end inside quotation marks does not end a record.  A mark that is not meant as a quotation
mark, such as the inch mark in ``12"``, may therefore swallow all records up to the next such mark,
and no rule can distinguish such records from a note of several lines.  :class:`CsvFile` counts the
line ends inside quotation marks, for the caller to report, and refuses a file that has such line
ends and an odd number of quotation marks.
"""

from __future__ import annotations

import codecs
import lzma
import os
import re
import unicodedata
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdpbook._extras import require

__all__ = ["CsvFile", "WidthError", "canonical", "numbers", "plain", "words"]

#: Texts that mean that a value is missing.
MISSING = (
    *("", "NA", "N/A", "n/a", "#N/A", "#N/A N/A", "#NA", "<NA>", "NULL", "null", "None"),
    *("NaN", "nan", "-NaN", "-nan", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"),
)
#: Invisible characters: marks of direction, of a possible hyphen, and of the beginning of a file.
INVISIBLE = "\u00ad\u200b\u200e\u200f\u2060\ufeff"
_BLANKS = "".join(each for each in map(chr, range(0x3001)) if each.isspace()) + INVISIBLE
#: The space and the no-break spaces.
SPACES = "[ \u00a0\u202f]"
_WIDTH = re.compile(r"Row #(\d+): Expected (\d+) columns, got (\d+)(.*)", re.DOTALL)
#: The message about a file whose quotation marks cannot be right.
OPEN = "a quotation mark is not closed, or was not meant as one"


def canonical(text: str) -> str:
    r"""Return a string in the form that is common to all strings that look the same.

    This is Unicode's canonical form NFC, with one space between words and none at the ends, and
    without :data:`INVISIBLE`.

    Examples
    --------
    >>> canonical(" cafe\u0301\u00a0noir") == "caf\u00e9 noir"
    True
    """
    seen = text.translate(dict.fromkeys(map(ord, INVISIBLE)))
    return " ".join(unicodedata.normalize("NFC", seen).split())


class WidthError(ValueError):
    """A record has a different number of fields from the first record, record 1."""

    def __init__(self, record: int, fields: int, found: int, text: str) -> None:
        self.record, self.fields, self.found = record, fields, found
        self.perhaps = f"; perhaps {OPEN}" if text.count('"') % 2 else ""
        super().__init__(
            f"record {record} must have as many fields as the first, {fields}, got {found}"
            + self.perhaps
        )


@dataclass
class CsvFile:
    """A CSV file of text values, unpacked if its name ends in .gz, .bz2, .zst, .xz or .zip.

    ``folded`` is the number of line ends inside quotation marks, once all batches have been read.
    An unreadable file raises a ValueError, such as a UnicodeDecodeError or an error of pyarrow.
    """

    path: str | os.PathLike[str]
    sep: str = ","
    encoding: str = "utf-8"
    folded: int = 0

    @cached_property
    def first(self) -> list[str]:
        """The fields of the first line."""
        with self._open(None, _Lines(self.encoding), skip=True) as reader:
            places = range(len(reader.schema))
        return [column[0].as_py() for column in next(self.batches(places, skip=True)).columns]

    @cached_property
    def names(self) -> list[str]:
        """The names of the columns, from the first line."""
        names = [canonical(each) for each in self.first]
        if not any(names):
            raise ValueError("its first line is empty")
        return names

    def batches(self, places: Sequence[int], *, skip: bool = False) -> Iterator[Any]:
        """Yield some columns as text, including the first line; ``skip`` skips invalid lines."""
        lines, records = _Lines(self.encoding), 0
        with self._open(places, lines, skip=skip) as reader:
            for batch in reader:
                if batch.num_rows:
                    records += batch.num_rows
                    yield batch
        if skip:
            return
        self.folded = lines.ends - records
        if self.folded and lines.marks % 2:
            raise ValueError(OPEN)

    @contextmanager
    def _open(self, places: Sequence[int] | None, lines: _Lines, *, skip: bool) -> Iterator[Any]:
        """Open the file to read some columns as text, or to count all columns."""
        arrow, csv = require("pyarrow"), require("pyarrow.csv")
        names = None if places is None else [f"f{place}" for place in places]
        options = {
            "read_options": csv.ReadOptions(use_threads=False, autogenerate_column_names=True),
            "parse_options": csv.ParseOptions(
                delimiter=self.sep,
                newlines_in_values=True,
                ignore_empty_lines=False,
                invalid_row_handler=(lambda row: "skip") if skip else None,
            ),
            "convert_options": csv.ConvertOptions(
                include_columns=names, column_types=dict.fromkeys(names or (), arrow.string())
            ),
        }
        try:
            # closed by its last user: pyarrow still reads ahead, and a new file may get its number
            file = arrow.TransformInputStream(arrow.input_stream(self._unpacked()), lines)
            with csv.open_csv(file, **options) as reader:
                yield reader
        except arrow.ArrowInvalid as error:
            if "Empty" in str(error):
                raise ValueError("its first line is empty") from None
            if width := _WIDTH.search(str(error)):
                record, fields, found = map(int, width.groups()[:3])
                raise WidthError(record, fields, found, width[4]) from None
            if "straddling" in str(error):
                raise ValueError(f"a record is longer than 1 MiB, so {OPEN}") from None
            raise
        except (lzma.LZMAError, zlib.error, zipfile.BadZipFile, EOFError, RuntimeError) as error:
            raise ValueError(str(error)) from None

    def _unpacked(self) -> Any:
        """Return the bytes of a file that pyarrow cannot unpack, or the name of any other file."""
        name = os.fspath(self.path)
        if name.lower().endswith(".xz"):
            return lzma.open(name)
        if name.lower().endswith(".zip"):
            archive = zipfile.ZipFile(name)
            if len(archive.namelist()) != 1:
                raise ValueError(f"it must contain one file, got {archive.namelist()}")
            return archive.open(archive.namelist()[0])
        return name


class _Lines:
    """Convert bytes to UTF-8, end the last line, and count line ends and quotation marks."""

    def __init__(self, encoding: str) -> None:
        self._decoder = codecs.getincrementaldecoder(encoding)()
        self.ends = self.marks = 0
        self._last = b"\n"

    def __call__(self, block: Any) -> bytes:
        text = self._decoder.decode(block, final=not len(block)).encode()
        if not text and not len(block) and self._last not in b"\r\n":
            text = b"\n"
        if text:
            codes = np.frombuffer(self._last + text, np.uint8)
            feeds = codes[1:] == ord("\n")
            self.ends += int(np.count_nonzero(feeds & (codes[:-1] != ord("\r"))))
            self.ends += int(np.count_nonzero(codes[1:] == ord("\r")))
            self.marks += int(np.count_nonzero(codes[1:] == ord('"')))
            self._last = text[-1:]
        return text


def plain(array: Any) -> Any:
    """Return an Arrow array without a dictionary, and bytes as text if they are UTF-8."""
    arrow, types = require("pyarrow"), require("pyarrow.types")
    if types.is_dictionary(array.type):
        array = array.dictionary_decode()
    kind = str(array.type).partition("<")[0]  # the types of the values of a list come after "<"
    with suppress(arrow.ArrowInvalid):  # bytes that are not text
        if "binary" in kind:
            return array.cast(arrow.large_binary()).cast(arrow.large_string())
    return array.cast(arrow.large_string()) if "string" in kind else array


def words(texts: Any) -> Any:
    """Return strings without blanks at their ends, and null for those that mean a missing value."""
    arrow, compute = require("pyarrow"), require("pyarrow.compute")
    texts = compute.utf8_trim(texts, characters=_BLANKS)
    missing = compute.is_in(texts, value_set=arrow.array(MISSING, texts.type))
    return compute.if_else(missing, arrow.scalar(None, texts.type), texts)


def numbers(
    array: Any, *, decimal: str = ".", thousands: str | None = None
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the values of an Arrow array as numbers, and which of them are not numbers.

    The signs ``decimal`` and ``thousands`` apply to strings; if they are equal, no number has
    decimals.
    """
    arrow, types = require("pyarrow"), require("pyarrow.types")
    array = plain(array)
    kind = array.type
    if types.is_large_string(kind):
        texts = require("pyarrow.compute").utf8_trim_whitespace(array)
        return _numbers_of_words(texts, decimal, thousands)
    array = array.cast(arrow.string()) if types.is_decimal(kind) else array  # else inexact
    if types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind):
        return _doubles(array.cast(arrow.float64(), safe=False)), np.zeros(len(array), dtype=bool)
    return np.full(len(array), np.nan), _flags(array.is_valid())


def _numbers_of_words(
    texts: Any, decimal: str, thousands: str | None
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return strings without blanks at their ends as numbers, and which of them are not numbers."""
    arrow, compute = require("pyarrow"), require("pyarrow.compute")
    if decimal == "." and thousands is None:
        with suppress(arrow.ArrowInvalid):  # this suffices if all are numbers
            values = _doubles(texts.cast(arrow.float64()))
            if np.count_nonzero(np.isnan(values)) == texts.null_count:  # no nan in strange letters
                return values, np.zeros(len(values), dtype=bool)
    texts = words(texts)
    sign = re.escape(decimal)
    pattern = rf"(?:[0-9]+(?:{sign}[0-9]*)?|{sign}[0-9]+)(?:e[-+]?[0-9]+)?"
    if thousands is not None:
        group = SPACES if thousands == " " else re.escape(thousands)
        pattern = rf"(?:[0-9]{{1,3}}(?:{group}[0-9]{{3}})+|[0-9]+)"
        if thousands != decimal:
            pattern += rf"(?:{sign}[0-9]+)?"
    matches = compute.match_substring_regex(texts, rf"(?i)^[-+]?(?:{pattern}|inf|infinity)$")
    written = compute.utf8_ltrim(compute.if_else(matches, texts, None), "+")
    if thousands is not None:
        written = compute.replace_substring_regex(written, group, "")
    written = compute.replace_substring(written, decimal, ".")
    strange = compute.fill_null(compute.invert(matches), False)
    return _doubles(written.cast(arrow.float64())), _flags(strange)


def _doubles(array: Any) -> NDArray[np.float64]:
    """Return doubles, with nan for null, without ``to_numpy``, which would import pandas."""
    if array.null_count:
        array = array.fill_null(np.nan)
    return np.asarray(np.from_dlpack(array), dtype=np.float64)


def _flags(array: Any) -> NDArray[np.bool_]:
    """Return an Arrow array of truth values, without nulls, as a NumPy array."""
    arrow = require("pyarrow")
    return np.from_dlpack(array.cast(arrow.uint8())).astype(bool)
