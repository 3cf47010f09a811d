"""Read a column of a file for the command ``pdpbook``, so that no record is lost.

``pdpbook._tables`` reads the file and defines lines and cells.  An ambiguous line is refused here,
and the message names the line and the option of the command that resolves the ambiguity.

``58.085`` may be just over 58 or exactly 58,085, and nothing in the cell shows which.  The rest of
the column may show it: the dot in ``0.5`` or ``1234.5`` cannot group digits.  A column in which
every cell can be read in both ways is refused, and the message gives the option for each reading.

In a column of categories, ``NA`` and ``None`` are missing values unless they are among the levels.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pdpbook import _tables
from pdpbook._extras import require
from pdpbook._tables import CsvFile, WidthError, canonical, numbers, plain

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["TableFile"]

#: The signs other than the comma that may separate the columns of a CSV file.
_SEPARATORS = (";", "\t", "|")
#: The largest number of columns that a message names.
_NAMED = 10
#: The first bytes of files that are not text, and what to do with these files.
_BEGINNINGS = {
    b"PAR1\x15": "it is a Parquet file, so let its name end in .parquet",
    b"ARROW1": "it is a Feather file, so save its table as CSV or Parquet",
    b"\x1f\x8b": "it is compressed, so let its name end in .gz",
    b"PK\x03\x04": "it is a spreadsheet or another archive, so save its table as CSV",
}
_COMPRESSED = (".gz", ".bz2", ".zst", ".xz", ".zip")
#: Signs of a unit beside a number, signs in place of a hyphen, and signs between digits.
_UNITS, _MINUS, _BETWEEN = "%‰€$£¥", "\u2212\u2012\u2013\u2014\uff0d", ",.'’ "


@dataclass(frozen=True)
class TableFile:
    """A CSV or Parquet file with a table, and its format.

    It is Parquet if its name ends in ``.parquet`` or ``.pq``, otherwise CSV, perhaps compressed.
    ``sep``, ``encoding`` and ``header`` apply to CSV; ``decimal`` and ``thousands`` apply to text.
    Without a header, the columns are called 1, 2, 3 and so on.  ``thousands`` is the sign that
    separates groups of three digits, or ``none``; if it is also the decimal sign, the numbers have
    no decimals.  ``missing`` determines whether records without a value are refused or dropped;
    with None, they are refused, and no error advises to drop them.
    """

    path: Path
    sep: str = ","
    decimal: str = "."
    encoding: str = "utf-8"
    header: bool = True
    thousands: str | None = None
    missing: str | None = "refuse"

    def __post_init__(self) -> None:
        """Check the two signs, and replace the name of the tab by a tab."""
        if self.sep == r"\t":
            object.__setattr__(self, "sep", "\t")
        if self.thousands is not None and re.fullmatch(_tables.SPACES, self.thousands):
            object.__setattr__(self, "thousands", " ")
        signs = [("--sep", self.sep), ("--decimal", self.decimal)]
        if self.thousands not in (None, "none"):
            signs.append(("--thousands", str(self.thousands)))
        for option, sign in signs:
            if len(sign) != 1:
                raise ValueError(f"{option} must be one character, got {sign!r}")
        if self.sep == self.decimal and self.thousands is None:
            raise ValueError(
                "--sep and --decimal must be two different characters, unless --thousands is "
                f"given (none, if no sign groups the digits), got {self.sep!r} twice"
            )

    @property
    def is_parquet(self) -> bool:
        """Whether the name belongs to a Parquet file."""
        return self.path.suffix.lower() in (".parquet", ".pq")

    @property
    def records(self) -> int:
        """Number of records, those without a value included."""
        return self._table.num_rows

    def column(self, name: str | None = None) -> pd.Series:
        """Return a column of numbers, by default the only column of numbers that has a name."""
        import pandas as pd

        place = self._only_one() if name is None else self._place_of(name)
        values, strange = self._numbers(place)
        if strange.any():
            raise self._no_number(place, np.flatnonzero(strange))
        if self.thousands is None:
            self._check_groups(place)
        column = pd.Series(values, name=self._names[place])
        return self._complete(place, column, ~column.abs().lt(np.inf), "a finite number")

    def labels(self, name: str | None, levels: Sequence[str]) -> pd.Series:
        """Return a column of categories, one canonical string for each record.

        The levels decide only which strings are not missing values, and whether 1.0 becomes ``1``.
        """
        import pandas as pd

        named = [each for each in self._names if each]
        if name is None and len(named) != 1:
            listed = _listed(named)
            raise ValueError(f"--column must name the column of categories, one of {listed}")
        place = self._place_of(named[0] if name is None else name)
        column = pd.Series(self._labels(place, levels), name=self._names[place], dtype=object)
        return self._complete(place, column, column.isna(), "a value")

    def _refused(self, place: int, what: str) -> ValueError:
        """Return the error for a column that does not meet a requirement."""
        return ValueError(f"column {self._names[place]!r} of {self.path} must {what}")

    def _complete(self, place: int, column: pd.Series, bad: pd.Series, what: str) -> pd.Series:
        """Return a column without gaps; records that lack a value are refused or dropped."""
        if self.missing == "drop":
            column = column.dropna()
            bad = bad[column.index]
        if bad.any():
            where = int(column.index[int(bad.argmax())])
            empty = "" if self.is_parquet else (" (an empty line is a record without a value)")
            infinite = " or infinite" if column.dtype.kind == "f" else ""
            advice = ""
            if self.missing == "refuse" and column.isna().any():
                advice = (
                    "; decide what a missing value stands for before you report, or give --missing "
                    "drop to leave out and count such records"
                )
            raise self._refused(
                place,
                f"have {what} in every record{empty}{advice}, "
                f"got {bad.sum():,} of {len(bad):,} missing{infinite}, the first in "
                f"{self.place(where)}",
            )
        return column

    def remarks(self, column: pd.Series) -> str:
        """Return remarks on dropped records and folded lines, or an empty string."""
        said = []
        if missing := self.records - len(column):
            lacking = "number" if column.dtype.kind == "f" else "value"
            said.append(
                f"{missing:,} of {self.records:,} records have no {lacking} in column "
                f"{column.name!r} and were dropped: all results are about the other "
                f"{len(column):,} records, and their number is taken as public."
            )
        if not self.is_parquet and self._csv.folded:
            said.append(
                f"{self._csv.folded:,} line ends of {self.path} are inside quotation marks and do "
                f"not end a record, the first in line {self._first_fold()}. A quotation mark that "
                "was not meant as such prevents records from being read."
            )
        return "\n".join(said)

    def place(self, row: int) -> str:
        """Return a record's line as an editor counts it, or its row in a Parquet file, from 1."""
        if self.is_parquet:
            return f"row {row + 1}"
        return f"line {self._line(row + 1 + self.header)}"

    @cached_property
    def _csv(self) -> CsvFile:
        return CsvFile(self.path, self.sep, self.encoding)

    @cached_property
    def _names(self) -> list[str]:
        """The names of the columns."""
        if self.is_parquet:
            return [*map(canonical, self._table.column_names)]
        width = self._table.num_columns  # reads the file, or raises an error that says why not
        return self._csv.names if self.header else [str(1 + i) for i in range(width)]

    @cached_property
    def _table(self) -> Any:
        """The records of the file, as an Arrow table."""
        parquet = require("pyarrow.parquet", "command")
        if what := self._beginning():
            raise ValueError(f"cannot read {self.path} as a table: {what}")
        try:
            if self.is_parquet:
                table = parquet.ParquetFile(self.path).read()
            else:
                names = self._csv.names if self.header else self._csv.first
                batches = self._csv.batches(range(len(names)))
                table = require("pyarrow").Table.from_batches(batches).slice(self.header)
        except UnicodeDecodeError as error:
            utf16 = error.object[:2] in (b"\xff\xfe", b"\xfe\xff")
            raise ValueError(
                f"cannot read {self.path} as a table: it is not written in {self.encoding}; give "
                f"--encoding, for example --encoding {'utf-16' if utf16 else 'cp1252'} ({error})"
            ) from error
        except WidthError as error:
            raise ValueError(self._other_width(error)) from error
        except (OSError, ValueError, LookupError) as error:  # also for an unknown encoding
            why = str(error)
            if why == _tables.OPEN:
                why += f"; the first cell with several lines is in line {self._first_fold()}"
            raise ValueError(f"cannot read {self.path} as a table: {why}") from error
        if not table.num_rows:
            columns = _listed(table.column_names if self.is_parquet else self._csv.first)
            first = "" if self.is_parquet else ", not only a first line"
            raise ValueError(
                f"{self.path} must contain records{first}, got none of the columns {columns}"
            )
        return table

    def _beginning(self) -> str:
        """Return the kind of a file that does not begin as text, if it can be recognised."""
        if self.is_parquet or self.path.suffix.lower() in _COMPRESSED:
            return ""
        with self.path.open("rb") as file:
            begins = file.read(8)
        return next((said for start, said in _BEGINNINGS.items() if begins.startswith(start)), "")

    @cached_property
    def _folds(self) -> NDArray[np.int64]:
        """The number of line ends in the cells of each record, the first line included."""
        count = require("pyarrow.compute").count_substring_regex
        batches = self._csv.batches(range(len(self._csv.first)), skip=True)
        ends = "\r\n|\r|\n"
        folds = [sum(np.asarray(count(each, ends)) for each in batch.columns) for batch in batches]
        return np.concatenate(folds)

    def _line(self, record: int) -> int:
        """Return the line in which a record begins; numbers start at 1 and include a header."""
        return record + int(self._folds[: record - 1].sum())

    def _first_fold(self) -> int:
        """Return the first line with a cell that continues on the next line."""
        return self._line(int(self._folds.nonzero()[0][0]) + 1)

    def _cell(self, place: int, row: int) -> Any:
        """Return the value of a cell; for a CSV file, the text as it is written."""
        return self._table.column(place)[int(row)].as_py()

    def _numbers(self, place: int) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Return the numbers of a column, and a mask of the cells that are not numbers."""
        group = None if self.thousands == "none" else self.thousands
        chunks = self._table.column(place).chunks
        read = [numbers(each, decimal=self.decimal, thousands=group) for each in chunks]
        values, strange = zip(*read, strict=True)
        return np.concatenate(values), np.concatenate(strange)

    def _labels(self, place: int, levels: Sequence[str]) -> list[str | None]:
        """Return the canonical texts of a column, and None for a missing value."""
        types = require("pyarrow.types")
        written: dict[Decimal | None, str] = {_number(each): each for each in levels}
        written.pop(None, None)

        def label(value: Any) -> str | None:
            text = canonical(str(value))
            if not isinstance(value, str) and text not in levels:
                text = written.get(_number(text), text)
            return None if text in _tables.MISSING and text not in levels else text

        texts: list[str | None] = []
        for chunk in map(plain, self._table.column(place).chunks):
            if types.is_nested(chunk.type) or "binary" in str(chunk.type):
                raise self._refused(place, f"contain texts, got values of type {chunk.type}")
            coded = chunk.dictionary_encode()
            floats = types.is_floating(coded.dictionary.type)  # 32 bits: 0.1 is not 0.100000001
            each = coded.dictionary.to_numpy() if floats else coded.dictionary.to_pylist()
            known = [*map(label, each), None]
            texts += [known[code] for code in coded.indices.fill_null(len(known) - 1).to_pylist()]
        return texts

    def _place_of(self, name: str) -> int:
        """Return the index of the column with a name."""
        found = [i for i, each in enumerate(self._names) if each == canonical(name)]
        if not found:
            numeric, others = self._kinds
            listed = [f"its columns of numbers are {_listed(numeric)}"] if numeric else []
            if others:
                listed.append(f"{'the others' if numeric else 'it has'} {_listed(others)}")
            if self._may_be_a_record:
                listed = ["its first line contains a number"]
            said = f"{', '.join(listed)}{self._hint()}"
            raise ValueError(f"{self.path} has no column {name!r}; {said}")
        if len(found) > 1:
            one = f"exactly one column named {name!r}"
            raise ValueError(f"{self.path} must have {one}, got {len(found)}")
        return found[0]

    @property
    def _kinds(self) -> tuple[list[str], list[str]]:
        """The names of the columns of numbers, and the names of the other columns."""
        kinds: tuple[list[str], list[str]] = [], []
        for place, name in enumerate(self._names):
            values, strange = self._numbers(place)
            kinds[bool(strange.any() or np.isnan(values).all())].append(name)
        return kinds

    def _only_one(self) -> int:
        """Return the index of the only column of numbers, or raise an error."""
        numeric, others = self._kinds
        numeric = [each for each in numeric if each]
        figures = [each for each in numeric if self._is_number(each)]
        if figures and self.header and not self.is_parquet:
            raise ValueError(
                f"the first line of {self.path} must contain the names of the columns: if it is "
                "a record, give --no-header; if it contains names, give --column; got a number "
                "among them"
            )
        if len(numeric) > 1:
            listed = _listed(numeric)
            raise ValueError(f"--column must name one of the columns of numbers: {listed}")
        if numeric:
            return self._place_of(numeric[0])
        if len(self._names) == 1:  # the message says what is wrong with it
            return 0
        hint = self._hint() or "; with --column the message names the cell that is not a number"
        raise ValueError(
            f"{self.path} has no column of numbers; its columns are {_listed(others)}{hint}"
        )

    def _other_width(self, error: WidthError) -> str:
        """Return the message about a line with too many or too few fields."""
        hint = self._hint() or error.perhaps
        if not hint and error.fields == 1 and self.sep == ",":
            hint = "; if the comma is the decimal sign, give --sep ';' --decimal ','"
        elif not hint and error.found < error.fields:
            hint = "; if its last cells are empty, also write their separators"
        elif not hint:
            hint = (
                "; remove superfluous text, for example a sign at the end, or, if the lines begin "
                "with a name, as R writes them, give the names a column name in the first line"
            )
        return (
            f"the lines of {self.path} must have as many fields as the first, {error.fields}, "
            f"got {error.found} in line {self._line(error.record)}{hint}"
        )

    def _hint(self) -> str:
        """Return a hint about a visible fault of the first line, or an empty string."""
        if self.is_parquet:
            return ""
        fields = self._csv.first
        first = fields[0] if self.header else ""
        if first.startswith("sep=") or (first.startswith("#") and len(fields) == 1):
            return "; remove the first line, which contains no names"
        for sign in _SEPARATORS:
            if sign != self.sep and any(sign in each for each in fields):
                comma = self.sep == "," and self.decimal == "."
                more = ", and --decimal ',' if its numbers have decimal commas" if comma else ""
                return f"; {sign!r} seems to separate the columns, so give --sep {sign!r}{more}"
        if self._may_be_a_record:
            return "; if the first line is a record, give --no-header"
        return ""

    @property
    def _may_be_a_record(self) -> bool:
        """Whether the first line, which should contain the names, contains a number."""
        return self.header and not self.is_parquet and any(map(self._is_number, self._csv.first))

    def _is_number(self, text: str) -> bool:
        """Return whether a text is a number as the file writes numbers."""
        texts = require("pyarrow").array([text])
        return bool(np.isfinite(numbers(texts, decimal=self.decimal)[0][0]))

    def _check_groups(self, place: int) -> None:
        """Refuse a column in which every cell may have decimals or groups of three digits."""
        arrow, compute = require("pyarrow"), require("pyarrow.compute")
        column = arrow.chunked_array([*map(plain, self._table.column(place).chunks)])
        if column.type != arrow.large_string():
            return
        sign = re.escape(self.decimal)
        both = rf"^[-+]?(?:[0-9]{{1,3}}|[1-9][0-9]{{0,2}}{sign}[0-9]{{3}})$"
        known = _tables.words(column)
        if not compute.all(compute.match_substring_regex(known, both)).as_py():
            return
        where = compute.index(compute.match_substring(known, self.decimal), True).as_py()
        if where >= 0:
            raise self._refused(
                place,
                "be readable in only one way: each of its numbers may have three decimals or "
                f"digits in groups of three; give --thousands {self.decimal!r} to read 1"
                f"{self.decimal}234 as 1234, or --thousands none to read it as 1.234, got the "
                f"first such number in {self.place(where)}",
            )

    def _no_number(self, place: int, wrong: NDArray[np.int64]) -> ValueError:
        """Return the error about a cell that is not a number, with the options that may help."""
        column = self._table.column(place)
        cell = self._cell(place, wrong[0])
        asked = hint = ""
        if self.thousands is not None:
            asked = f", as --thousands {self.thousands!r} and --decimal {self.decimal!r} say"
        if isinstance(cell, str):
            alone = not np.isnan(self._numbers(place)[0]).all() and (
                len(column.take(require("pyarrow").array(wrong)).unique()) == 1
            )
            hint = self._cell_hint(cell.strip(), int(wrong[0]), alone)
            if canonical(cell) == self._names[place] and self.header and not self.is_parquet:
                hint = "; remove this line, which repeats the names of the columns"
        got = f"got another value in {self.place(int(wrong[0]))}{hint}"
        return self._refused(place, f"contain numbers only{asked}, {got}")

    def _cell_hint(self, cell: str, where: int, alone: bool) -> str:
        """Return a hint from a cell's signs; ``alone`` means that the column has no other text."""
        cell = re.sub(_tables.SPACES, " ", cell)
        if not any(each.isdigit() for each in cell):
            if not alone:
                return ""
            if where == 0 and self.header and not self.is_parquet:
                return "; if this line is not a record, but for example a line of units, remove it"
            return (
                "; if this means that a value is missing, leave the cell empty and give --missing "
                "drop"
            )
        if any(each.isdigit() and not each.isascii() for each in cell):
            return "; its digits are not 0 to 9"
        if units := sorted(set(cell) & set(_UNITS)):
            ranged = "" if self.missing is None else ", and --range in the same unit"
            return f"; write the numbers without {units[0]!r}{ranged}"
        if cell[0] in _MINUS:
            return f"; {cell[0]!r} is not read as a minus sign, so write the hyphen '-'"
        signs = [each for each in _BETWEEN if each in cell]
        if signs and not set(cell) - set("+-0123456789" + _BETWEEN):
            listed = " and ".join(map(repr, signs))
            return f"; give the meaning of {listed} with --decimal and --thousands"
        return ""


def _listed(names: Sequence[str]) -> str:
    """Return the names of columns for a message, or the first few if there are many."""
    if len(names) <= _NAMED:
        return str([*names])
    return f"{[*names[:_NAMED]]} and {len(names) - _NAMED:,} more"


def _number(text: str) -> Decimal | None:
    """Return the number that a text represents, or None."""
    with suppress(InvalidOperation):
        return Decimal(text)
    return None
