r"""A column of a file, read so that no record is lost: for the command ``pdpbook``.

pandas is generous when it reads CSV.  It skips empty lines, it takes the first field of every line
as an index if the lines have one field more than the header, and it takes the first record as the
header if there is none.  A report about fewer records, or about another column, would look just as
good as the right one.  So what is ambiguous is refused here, and the message says which line of the
file it is and which option of the command makes it clear.

``58.085`` may be 58 or 58,085, and nothing in the cell tells which.  The whole column may: a cell
such as ``0.5`` or ``1234.5`` groups no digits.  Where each cell can be read in both ways the column
is refused, and the message shows both readings and the option for each.

A column of categories is read as it is written.  ``NA`` and ``None`` mean that a value is missing,
unless they are among the levels.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pdpbook import _extras

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["TableFile"]

#: What may separate the columns of a CSV file, beside the comma.
_SEPARATORS = (";", "\t", "|")
#: So many columns are named in a message.
_NAMED = 10
_LONG = re.compile(r"Expected (\d+) fields in line (\d+), saw (\d+)")
_OPEN = re.compile(r"EOF inside string starting at row (\d+)")
#: How files begin that are no text, and what to do with them.
_BEGINNINGS = {
    b"PAR1\x15": "it is a Parquet file, so let its name end in .parquet",
    b"ARROW1": "it is a Feather file, so save its table as CSV or Parquet",
    b"\x1f\x8b": "it is compressed, so let its name end in .gz",
    b"PK\x03\x04": "it is a spreadsheet or another archive, so save its table as CSV",
}
_COMPRESSED = (".gz", ".bz2", ".zip", ".xz", ".zst", ".tar")
#: Spaces that no line is broken at; in a number they are like the space.
_SPACES = "[\u00a0\u202f]"
#: What is written beside a number for its unit, in place of a hyphen, and between its digits.
_UNITS, _MINUS, _BETWEEN = "%‰€$£¥", "\u2212\u2012\u2013\u2014\uff0d", ",.'’ "


@dataclass(frozen=True)
class TableFile:
    """A CSV or Parquet file with a table, and how it is written.

    It is Parquet if its name ends in ``.parquet`` or ``.pq``, otherwise CSV, which may be
    compressed; ``sep``, ``decimal``, ``encoding``, ``header`` and ``thousands`` are about CSV only.
    Without a header the columns are called 1, 2, 3 and so on.  ``thousands`` groups the digits by
    three; ``none`` says that nothing does, and a space stands for the spaces at which no line is
    broken, too.  If it is the decimal sign too, the numbers have no decimals.  ``missing`` says
    whether records without a value are refused or dropped.
    """

    path: Path
    sep: str = ","
    decimal: str = "."
    encoding: str = "utf-8"
    header: bool = True
    thousands: str | None = None
    missing: str = "refuse"

    def __post_init__(self) -> None:
        """Check the two signs, and put the tab for its name."""
        if self.sep == r"\t":
            object.__setattr__(self, "sep", "\t")
        if self.thousands is not None and re.fullmatch(_SPACES, self.thousands):
            object.__setattr__(self, "thousands", " ")
        signs = [("--sep", self.sep), ("--decimal", self.decimal)]
        if self.thousands not in (None, "none"):
            signs.append(("--thousands", str(self.thousands)))
        for option, sign in signs:
            if len(sign) != 1:
                raise ValueError(f"{option} must be one character, got {sign!r}")
        if self.sep == self.decimal and self.thousands is None:
            raise ValueError(
                f"--sep and --decimal must be two different characters, unless --thousands is "
                f"given (none, if nothing groups the digits), got {self.sep!r} twice"
            )

    @property
    def is_parquet(self) -> bool:
        """Whether the name of the file says that it is a Parquet file."""
        return self.path.suffix.lower() in (".parquet", ".pq")

    def column(self, name: str | None = None) -> pd.Series:
        """Return a column of numbers, one for each record of the file.

        Its name may be left out if only one of the columns with a name holds numbers.  A ValueError
        says what is wrong with the file, where, and which option may help.
        """
        table, names = self._table, self._names
        kinds = [self._may_be_numbers(table.iloc[:, i]) for i in range(len(names))]
        numeric = [each for each, is_number in zip(names, kinds, strict=True) if is_number]
        others = [each for each, is_number in zip(names, kinds, strict=True) if not is_number]
        if name is None:
            name = self._only_one([each for each in numeric if each], others)
        more = f", the others {_listed(others)}" if others else ""
        said = (
            f"its columns of numbers are {_listed(numeric)}{more}"
            if numeric
            else f"it has {_listed(others)}"
        )
        place = self._place_of(name, said)
        column = table.iloc[:, place].rename(name)
        if not self.is_parquet:
            if self.thousands is not None or not _holds_numbers(column):
                column = self._parsed(place)
            if self.thousands is None:
                self._check_groups(column, place)
        return self._numbers(column, place)

    def _only_one(self, numeric: Sequence[str], others: Sequence[str]) -> str:
        """Return the name of the only column of numbers, or say why there is not just one."""
        figures = [each for each in numeric if self._is_number(each)]
        if figures and self.header and not self.is_parquet:
            raise ValueError(
                f"the first line of {self.path} must hold the names of the columns: if it is "
                "a record, give --no-header; if it holds names, give --column, got the number "
                f"{figures[0]!r}"
            )
        if len(numeric) > 1:
            raise ValueError(
                f"--column must name one of the columns of numbers: {_listed(numeric)}"
            )
        if numeric:
            return numeric[0]
        if len(self._names) == 1:  # what is wrong with it is said in full
            return self._names[0]
        hint = self._hint() or "; with --column the message says which of its cells is no number"
        raise ValueError(
            f"{self.path} has no column of numbers; its columns are {_listed(others)}{hint}"
        )

    def labels(self, name: str | None, levels: Sequence[str]) -> pd.Series:
        """Return a column of categories, one text for each record, without blanks at its ends.

        Its name may be left out if only one column has a name.  The texts need not be levels; these
        say what is not missing.
        """
        table, names = self._table, self._names
        named = [each for each in names if each]
        if name is None:
            if len(named) != 1:
                raise ValueError(
                    f"--column must name the column of categories, one of {_listed(named)}"
                )
            name = named[0]
        place = self._place_of(name, f"its columns are {_listed(named)}")
        missing = table.iloc[:, place].isna().to_numpy()
        if self.is_parquet:
            texts = self._parquet_texts(place, levels)
        else:
            texts = self._texts(place, keep_default_na=False)
            missing = missing & ~texts.isin([*levels]).to_numpy()
        column = texts.rename(name).reset_index(drop=True)
        missing = missing | (column == "").to_numpy()
        if self.missing == "drop":
            return column[~missing]
        if missing.any():
            where = int(missing.argmax())
            raise ValueError(
                f"column {name!r} of {self.path} must hold a value in every record; decide what a "
                "missing value stands for before you report, or give --missing drop to leave such "
                f"records out and count them, got {int(missing.sum()):,} of {len(column):,} "
                f"missing, the first in {self.place(where)}: {column.iloc[where]!r}"
            )
        return column

    def _place_of(self, name: str, said: str) -> int:
        """Return which column has a name; what the columns are is said if there is none."""
        if name not in self._names:
            if padded := [each for each in self._names if each.strip() == name]:
                said = f"{padded[0]!r} has blanks around the name"
            raise ValueError(f"{self.path} has no column {name!r}; {said}{self._hint()}")
        if (found := self._names.count(name)) > 1:
            raise ValueError(f"{self.path} must have one column of the name {name!r}, got {found}")
        return self._names.index(name)

    def dropped(self, column: pd.Series) -> str:
        """Return how many records have no value in a column and were dropped; empty if none."""
        missing = len(self._table) - len(column)
        if not missing:
            return ""
        lacking = "number" if _holds_numbers(column) else "value"
        return (
            f"{missing:,} of {len(self._table):,} records have no {lacking} in column "
            f"{column.name!r} and were dropped: everything is about the {len(column):,} others, "
            "and their number is taken as public."
        )

    def place(self, row: int) -> str:
        """Return where a record, counted from 0, stands in the file: its line as an editor counts.

        Of a Parquet file it is the row, from 1.
        """
        if self.is_parquet:
            return f"row {row + 1}"
        return f"line {self._line(row + 1 + self.header)}"

    def _line(self, record: int) -> int:
        """Return the line in which a record begins, both from 1; a quoted field may have several.

        The header counts as a record here.
        """
        if record == 1:
            return 1
        before = self._read(header=None, nrows=record - 1, dtype=str, keep_default_na=False)
        return record + sum(field.count("\n") for row in before.to_numpy() for field in row)

    def _read(self, **options: Any) -> pd.DataFrame:
        """Read the file as CSV, with every line of it."""
        import pandas as pd

        return pd.read_csv(
            self.path,
            sep=self.sep,
            decimal=self.decimal if self.decimal != self.sep else ".",
            encoding=self.encoding,
            index_col=False,
            skip_blank_lines=False,
            low_memory=False,
            **options,
        )

    @cached_property
    def _first(self) -> list[str]:
        """The fields of the first line."""
        line = self._read(header=None, nrows=1, dtype=str, keep_default_na=False)
        return [str(each) for each in line.iloc[0]]

    @cached_property
    def _names(self) -> list[str]:
        """The names of the columns."""
        if self.is_parquet:
            return [str(each) for each in self._table.columns]
        if self.header:
            return self._first
        return [str(1 + i) for i in range(self._table.shape[1])]

    @cached_property
    def _table(self) -> pd.DataFrame:
        """The whole table."""
        import pandas as pd

        if what := self._beginning():
            raise ValueError(f"cannot read {self.path} as a table: {what}")
        try:
            if self.is_parquet:
                table = self._arrow.to_pandas(ignore_metadata=True)
            else:
                self._read(header=None, nrows=2)  # below a header pandas lets one line be longer
                table = self._read(header=0 if self.header else None)
        except pd.errors.EmptyDataError as error:
            raise ValueError(
                f"cannot read {self.path} as a table: its first line is empty"
            ) from error
        except UnicodeDecodeError as error:
            utf16 = error.object[:2] in (b"\xff\xfe", b"\xfe\xff")
            raise ValueError(
                f"cannot read {self.path} as a table: it is not written in {self.encoding}; give "
                f"--encoding, for example --encoding {'utf-16' if utf16 else 'cp1252'} ({error})"
            ) from error
        except (OSError, ValueError, LookupError) as error:  # an encoding that there is not, too
            if long := _LONG.search(str(error)):
                raise ValueError(self._too_long(*map(int, long.groups()))) from error
            why = str(error)
            if opened := _OPEN.search(why):
                line = self._line(int(opened[1]) + 1)
                why = f"a quotation mark in line {line} is not closed"
            raise ValueError(f"cannot read {self.path} as a table: {why}") from error
        if table.empty:
            raise ValueError(
                f"{self.path} must hold records"
                + (", and not its first line only" if self.header and not self.is_parquet else "")
                + f", got none of the columns {_listed([str(each) for each in table.columns])}"
            )
        return table

    @cached_property
    def _arrow(self) -> Any:
        """The whole table of a Parquet file, as the file holds it."""
        parquet = _extras.require("pyarrow.parquet", "command")
        return parquet.ParquetFile(self.path).read()

    def _parquet_texts(self, place: int, levels: Sequence[str]) -> pd.Series:
        """Return the values of a column of a Parquet file as texts, without blanks at the ends.

        They are the file's: pandas would write the whole number 1 as 1.0 where another record has
        no value.  A floating-point number is the level that is the same number: 1.0 is ``1``.
        """
        import pandas as pd

        values = self._arrow.column(place).to_pylist()
        numbers = {float(each): each for each in levels if _is_float(each)}
        texts = []
        for row, value in enumerate(values):
            if isinstance(value, bytes):
                raise ValueError(
                    f"column {self._names[place]!r} of {self.path} must hold texts, got bytes in "
                    f"{self.place(row)}"
                )
            text = "" if value is None else str(value).strip()
            if isinstance(value, float) and text not in levels:
                text = numbers.get(value, text)
            texts.append(text)
        return pd.Series(texts, dtype=str)

    def _beginning(self) -> str:
        """Return what a file is that does not begin as text, if that can be told."""
        if self.is_parquet or self.path.suffix.lower() in _COMPRESSED:
            return ""
        with self.path.open("rb") as file:
            begins = file.read(8)
        return next((said for start, said in _BEGINNINGS.items() if begins.startswith(start)), "")

    def _too_long(self, fields: int, record: int, found: int) -> str:
        """Return what is wrong with a line of too many fields."""
        hint = self._hint()
        if not hint and fields == 1 and self.sep == ",":
            hint = "; if the comma is the decimal sign, give --sep ';' --decimal ','"
        elif not hint:
            hint = (
                "; remove what is too much, for example a sign at the end, or, if the lines begin "
                "with a name, as R writes them, give it a name in the first line"
            )
        return (
            f"the lines of {self.path} must have at most as many fields as the first, {fields}, "
            f"got {found} in line {self._line(record)}{hint}"
        )

    def _hint(self) -> str:
        """Return what is wrong with the first line, if it shows."""
        if self.is_parquet:
            return ""
        first = self._first[0] if self.header else ""
        if first.startswith("sep=") or (first.startswith("#") and len(self._first) == 1):
            return f"; remove the first line, {first!r}, which has no names"
        if hint := self._separator():
            return hint
        if self.header and any(self._is_number(each) for each in self._first):
            return "; if the first line is a record, give --no-header"
        return ""

    def _separator(self) -> str:
        """Return that the columns seem to be separated by another character, if they do."""
        for sign in _SEPARATORS:
            if sign != self.sep and any(sign in each for each in self._first):
                comma = self.sep == "," and self.decimal == "."
                more = ", and --decimal ',' if its numbers have decimal commas" if comma else ""
                return f"; {sign!r} seems to separate the columns, so give --sep {sign!r}{more}"
        return ""

    def _written_in(self, place: int, row: int) -> str:
        """Return a cell of a CSV file as it is written; empty if its line ends before it."""
        header = 0 if self.header else None
        above = self._read(header=header, nrows=row + 1, dtype=str, keep_default_na=False)
        cell = above.iloc[row, place]
        return cell if isinstance(cell, str) else ""

    def _texts(self, place: int, **options: Any) -> pd.Series:
        """Return a column as it is written, missing values as empty texts."""
        header = 0 if self.header else None
        texts = self._read(header=header, dtype=str, **options).iloc[:, place]
        return texts.fillna("").str.strip()

    def _check_groups(self, column: pd.Series, place: int) -> None:
        """Refuse a column each cell of which may have decimals or groups of three digits."""
        if column.dtype.kind != "f":
            return
        thousandths = _floats(column)[np.isfinite(_floats(column))] * 1000.0
        if not thousandths.size or (np.abs(thousandths) >= 1e6).any():
            return
        if (np.abs(thousandths - np.rint(thousandths)) > 1e-6).any():
            return
        texts = self._texts(place)
        sign = re.escape(self.decimal)
        both = rf"[-+]?(?:\d{{1,3}}|[1-9]\d{{0,2}}{sign}\d{{3}})"
        if not texts[texts != ""].str.fullmatch(both).all():
            return
        written = np.flatnonzero(texts.str.contains(self.decimal, regex=False))
        if written.size:
            where = int(written[0])
            given = texts.iloc[where]
            raise ValueError(
                f"column {column.name!r} of {self.path} must be readable in one way: each of its "
                "numbers may have three decimals or digits in groups of three; give --thousands "
                f"{self.decimal!r} to read {given.replace(self.decimal, '')}, or --thousands none "
                f"to read {given.replace(self.decimal, '.')}, got {given!r} in {self.place(where)}"
            )

    @property
    def _written(self) -> re.Pattern[str]:
        """The pattern of a number as --thousands and --decimal say."""
        group, sign = re.escape(str(self.thousands)), re.escape(self.decimal)
        pattern = rf"[-+]?(?:\d+(?:{sign}\d*)?|{sign}\d+)(?:[eE][-+]?\d+)?"
        if self.thousands not in (None, "none"):
            pattern = rf"[-+]?(?:\d{{1,3}}(?:{group}\d{{3}})+|\d+)"
            if self.thousands != self.decimal:
                pattern += rf"(?:{sign}\d+)?"
        return re.compile(pattern, re.ASCII)

    def _may_be_numbers(self, column: pd.Series) -> bool:
        """Return whether a column holds numbers, or texts that are numbers as the options say."""
        if _holds_numbers(column) or self.is_parquet:
            return _holds_numbers(column)
        texts = column.dropna().astype(str).str.strip().str.replace(_SPACES, " ", regex=True)
        return bool(len(texts) and texts.str.fullmatch(self._written).all())

    def _parsed(self, place: int) -> pd.Series:
        """Return the numbers of a column as the options say, or which cell is none."""
        texts = self._texts(place).str.replace(_SPACES, " ", regex=True)
        wrong = np.flatnonzero((texts != "") & ~texts.str.fullmatch(self._written))
        if wrong.size:
            given = texts.iloc[wrong[0]]
            alone = wrong.size < (texts != "").sum() and (texts.iloc[wrong] == given).all()
            raise ValueError(self._no_number(place, int(wrong[0]), alone=bool(alone)))
        if self.thousands not in (None, "none"):
            texts = texts.str.replace(str(self.thousands), "", regex=False)
        plain = texts.str.replace(self.decimal, ".", regex=False)
        return plain.where(plain != "", "nan").astype(np.float64).rename(self._names[place])

    def _is_number(self, text: str) -> bool:
        """Return whether a text is a number as the file writes them."""
        return _is_float(text.replace(self.decimal, "."))

    def _numbers(self, column: pd.Series, place: int) -> pd.Series:
        """Return a column whose records are all finite numbers, or say which one is not."""
        import pandas as pd

        if not _holds_numbers(column):  # of a Parquet file
            known = column.notna().to_numpy()
            raise ValueError(self._no_number(place, int(known.argmax())))
        if not isinstance(column.dtype, np.dtype) or column.dtype == object:
            column = pd.Series(_floats(column), name=column.name)
        if self.missing == "drop":
            column = column[~np.isnan(_floats(column))]
        bad = np.flatnonzero(~np.isfinite(_floats(column)))
        if bad.size:
            where = int(column.index[bad[0]])
            given, empty = str(_floats(column)[bad[0]]), ""
            if not self.is_parquet:
                given = repr(self._written_in(place, where))
                empty = " (an empty line counts as a record without one)"
            raise ValueError(
                f"column {column.name!r} of {self.path} must hold a finite number in every "
                f"record{empty}; decide what a missing value stands for before you report, or give "
                "--missing drop to leave such records out and count them, got "
                f"{bad.size} of {len(column)} missing or infinite, the first in "
                f"{self.place(where)}: {given}"
            )
        return column

    def _no_number(self, place: int, where: int, *, alone: bool = False) -> str:
        """Return that a cell is no number, and the options that its signs ask for.

        ``alone`` says that all other cells are numbers, but for those that say the same.
        """
        cell = self._table.iloc[where, place]
        given = str(cell) if self.is_parquet else self._written_in(place, where)
        asked = ""
        if self.thousands is not None:
            asked = f", as --thousands {self.thousands!r} and --decimal {self.decimal!r} say"
        hint = "" if self.is_parquet else self._cell_hint(given.strip(), where, alone)
        return (
            f"column {self._names[place]!r} of {self.path} must hold numbers only{asked}, got "
            f"{given!r} in {self.place(where)}{hint}"
        )

    def _cell_hint(self, cell: str, where: int, alone: bool) -> str:
        """Return what a cell that is no number shows by its own signs."""
        cell = re.sub(_SPACES, " ", cell)
        if not any(each.isdigit() for each in cell):
            if not alone:
                return ""
            if where == 0 and self.header:
                return "; if this line is no record, such as a line of units, remove it"
            return (
                "; if this says that a value is missing, leave the cell empty and give --missing "
                "drop"
            )
        if any(each.isdigit() and not each.isascii() for each in cell):
            return "; its digits are not 0 to 9"
        if units := sorted(set(cell) & set(_UNITS)):
            return f"; write the numbers without {units[0]!r}, and --range in the same unit"
        if cell[0] in _MINUS:
            return f"; {cell[0]!r} is no minus sign for a computer, so write the hyphen '-'"
        signs = [each for each in _BETWEEN if each in cell]
        if signs and not set(cell) - set("+-0123456789" + _BETWEEN):
            listed = " and ".join(map(repr, signs))
            return f"; say with --decimal and --thousands what is meant by {listed}"
        return ""


def _listed(names: Sequence[str]) -> str:
    """Return the names of columns for a message: all if they are few, otherwise the first."""
    if len(names) <= _NAMED:
        return str([*names])
    return f"{[*names[:_NAMED]]} and {len(names) - _NAMED:,} more"


def _is_float(text: str) -> bool:
    """Return whether a text is a number as Python writes them."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def _holds_numbers(column: pd.Series) -> bool:
    """Return whether a column holds real numbers, decimal ones among them, and missing values."""
    from pandas.api import types

    if column.dtype == object:
        return types.infer_dtype(column, skipna=True) == "decimal"
    return bool(types.is_numeric_dtype(column) and not types.is_bool_dtype(column))


def _floats(column: pd.Series) -> np.ndarray:
    """Return the values of a column of numbers, nan where one is missing."""
    return column.to_numpy(dtype=np.float64, na_value=np.nan)
