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
#: Of so many columns a message says what their first cell is that is not a number.
_SHOWN = 3
#: So many columns are named in a message.
_NAMED = 10
_NAMES = {",": "the comma", ".": "the point"}
_LONG = re.compile(r"Expected (\d+) fields in line (\d+), saw (\d+)")
_OPEN = re.compile(r"EOF inside string starting at row (\d+)")
#: How files begin that are no text of one byte for a letter, and what to do with them.
_BEGINNINGS = {
    b"\xff\xfe": "it is written in utf-16, so give --encoding utf-16",
    b"\xfe\xff": "it is written in utf-16, so give --encoding utf-16",
    b"\x1f\x8b": "it is compressed, so let its name end in .gz",
    b"PK": "it is a spreadsheet or another archive, so save its table as CSV",
}
_COMPRESSED = (".gz", ".bz2", ".zip", ".xz", ".zst", ".tar")
#: Spaces that no line is broken at; in a number they are like the space.
_SPACES = "[\u00a0\u202f]"
#: Signs of units that people write beside a number.
_UNITS = "%‰€$£¥"


@dataclass(frozen=True)
class TableFile:
    r"""A CSV or Parquet file with a table, and how it is written.

    Parameters
    ----------
    path : Path
        A Parquet file if its name ends in ``.parquet`` or ``.pq``, otherwise CSV, which may be
        compressed.  What follows is about CSV only.
    sep : str
        The character that separates the columns; ``\t`` stands for the tab.
    decimal : str
        The decimal sign of the numbers.
    encoding : str
        The encoding of the text, as Python calls it.
    header : bool
        Whether the first line holds the names of the columns.  Otherwise they are called 1, 2, 3
        and so on.
    thousands : str, optional
        The character that groups the digits of the numbers by three; ``none`` says that none does.
        If it is the decimal sign too, the numbers have no decimals.  A space stands for the spaces
        at which no line is broken, too.
    missing : {"refuse", "drop"}
        What happens to records without a number or a level, of a Parquet file too.

    Raises
    ------
    ValueError
        If the separator and the decimal sign are not two different characters, or what groups the
        digits is not one character.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "ages.csv"
    ...     _ = file.write_text("name;age\nAda;36,5\nAlan;41\n")
    ...     TableFile(file, sep=";", decimal=",").column().tolist()
    [36.5, 41.0]
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
                f"--sep and --decimal must be two different characters, got {self.sep!r} twice"
            )

    @property
    def is_parquet(self) -> bool:
        """Whether the name of the file says that it is a Parquet file."""
        return self.path.suffix.lower() in (".parquet", ".pq")

    def column(self, name: str | None = None) -> pd.Series:
        """Return a column of numbers, one for each record of the file.

        Parameters
        ----------
        name : str, optional
            Its name; may be left out if only one of the columns with a name holds numbers.

        Returns
        -------
        pandas.Series

        Raises
        ------
        ValueError
            If the file cannot be read as a table, a line is longer than the first, the header is
            ambiguous, there is no such column, or a record has no finite number in it.
        ImportError
            If it is a Parquet file and pyarrow is not installed.
        """
        table, names = self._table, self._names
        kinds = [self._may_be_numbers(table.iloc[:, i]) for i in range(len(names))]
        numeric = [each for each, is_number in zip(names, kinds, strict=True) if is_number]
        others = [each for each, is_number in zip(names, kinds, strict=True) if not is_number]
        if name is None:
            numeric = [each for each in numeric if each]
            figures = [each for each in numeric if self._is_number(each)]
            if figures and self.header and not self.is_parquet:
                raise ValueError(
                    f"the first line of {self.path} must hold the names of the columns: if it is "
                    "a record, give --no-header; if it holds names, give --column, got the number "
                    f"{figures[0]!r}"
                )
            if not numeric:
                hint = self._hint()
                if not hint and len(table):
                    if len(names) == 1:  # what is wrong with it is said in full
                        raise ValueError(self._no_number(0))
                    found = [(each, *self._culprit(i)) for i, each in enumerate(names[:_SHOWN])]
                    hint = "; what is no number in them is, for example, " + ", ".join(
                        f"{cell!r} in {self.place(where)} of {each!r}"
                        for each, cell, where in found
                    )
                    hint += "; with --column the message says which option may help"
                raise ValueError(
                    f"{self.path} has no column of numbers; its columns are {_listed(others)}{hint}"
                )
            if len(numeric) > 1:
                raise ValueError(
                    f"--column must name one of the columns of numbers: {_listed(numeric)}"
                )
            name = numeric[0]
        more = f", the others {_listed(others)}" if others else ""
        said = (
            f"its columns of numbers are {_listed(numeric)}{more}"
            if numeric
            else f"it has {_listed(others)}"
        )
        place = self._place_of(name, said)
        column = table.iloc[:, place].rename(name)
        if not self.is_parquet:
            if self.thousands is None:
                self._check_groups(column, place)
            else:
                column = self._grouped(column, self._texts(place))
        return self._numbers(column, place)

    def labels(self, name: str | None, levels: Sequence[str]) -> pd.Series:
        """Return a column of categories, one text for each record of the file.

        Parameters
        ----------
        name : str or None
            Its name; may be left out if only one column has a name.
        levels : sequence of str
            The levels, for what is missing if it is not one of them.  The texts need not be levels.

        Returns
        -------
        pandas.Series
            Without blanks at the ends.

        Raises
        ------
        ValueError
            If the file cannot be read as a table, there is no such column, or a record has no value
            in it.
        ImportError
            If it is a Parquet file and pyarrow is not installed.
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
            raise ValueError(f"{self.path} has no column {name!r}; {said}{self._hint()}")
        if (found := self._names.count(name)) > 1:
            raise ValueError(f"{self.path} must have one column of the name {name!r}, got {found}")
        return self._names.index(name)

    def dropped(self, column: pd.Series) -> str:
        """Return how many records have no value in a column and were dropped; empty if none.

        Parameters
        ----------
        column : pandas.Series
            As it was read.

        Returns
        -------
        str
        """
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
        """Return where a record stands in the file.

        Parameters
        ----------
        row : int
            Number of the record, from 0.

        Returns
        -------
        str
            The line of a CSV file, as an editor counts, or the row of a Parquet file, from 1.
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
            why = (
                f"it is not written in {self.encoding}; give --encoding, for example --encoding "
                f"cp1252 ({error})"
            )
            raise ValueError(
                f"cannot read {self.path} as a table: {self._beginning() or why}"
            ) from error
        except (OSError, ValueError, LookupError) as error:  # an encoding that there is not, too
            if long := _LONG.search(str(error)):
                raise ValueError(self._too_long(*map(int, long.groups()))) from error
            why = str(error)
            if opened := _OPEN.search(why):
                line = self._line(int(opened[1]) + 1)
                why = f"a quotation mark in line {line} is not closed"
            raise ValueError(
                f"cannot read {self.path} as a table: {self._beginning() or why}"
            ) from error
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
        return parquet.read_table(self.path, partitioning=None)

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
            begins = file.read(2)
        return _BEGINNINGS.get(begins, "")

    def _too_long(self, fields: int, record: int, found: int) -> str:
        """Return what is wrong with a line of too many fields, and how to go on."""
        hint = self._separator()
        if not hint and self.sep == ",":
            hint = (
                "; remove what is too much, for example a comma at the end, or, if the comma is "
                "the decimal sign of the numbers, give --sep ';' --decimal ','"
            )
        return (
            f"the lines of {self.path} must have at most as many fields as the first, {fields}, "
            f"got {found} in line {self._line(record)}{hint}"
        )

    def _hint(self) -> str:
        """Return which option the first line asks for, if any."""
        if self.is_parquet:
            return ""
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
        if not _holds_numbers(column) or column.dtype.kind != "f":
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
            raise ValueError(self._both_readings(str(column.name), texts.iloc[where], where))

    def _both_readings(self, name: str, given: str, where: int) -> str:
        """Return that a column can be read in two ways."""
        return (
            f"column {name!r} of {self.path} must be readable in one way: "
            f"{self._both_options(given)}, got {given!r} in {self.place(where)}"
        )

    def _both_options(self, given: str) -> str:
        """Return the two ways to read a number, and the option for each."""
        sign = "," if "," in given else "."
        decimal = "" if sign == self.decimal else f" --decimal {sign!r}"
        return (
            "each of its numbers may have three decimals or digits in groups of three; give "
            f"--thousands {sign!r} to read {given.replace(sign, '')}, or{decimal} --thousands none "
            f"to read {given.replace(sign, '.')}"
        )

    @property
    def _written(self) -> str:
        """The pattern of a number as --thousands and --decimal say."""
        group, sign = re.escape(str(self.thousands)), re.escape(self.decimal)
        if self.thousands == "none":
            return rf"[-+]?(?:\d+(?:{sign}\d*)?|{sign}\d+)(?:[eE][-+]?\d+)?"
        whole = rf"[-+]?(?:\d{{1,3}}(?:{group}\d{{3}})+|\d+)"
        return whole if self.thousands == self.decimal else rf"{whole}(?:{sign}\d+)?"

    def _may_be_numbers(self, column: pd.Series) -> bool:
        """Return whether a column holds numbers, or texts that are numbers as the options say."""
        if _holds_numbers(column) or self.thousands is None or self.is_parquet:
            return _holds_numbers(column)
        texts = column.dropna().astype(str).str.strip().str.replace(_SPACES, " ", regex=True)
        return bool(len(texts) and texts.str.fullmatch(self._written).all())

    def _grouped(self, column: pd.Series, texts: pd.Series) -> pd.Series:
        """Return the numbers of a column whose digits are grouped, or say which cell is not so."""
        texts = texts.str.replace(_SPACES, " ", regex=True)
        wrong = np.flatnonzero((texts != "") & ~texts.str.fullmatch(self._written))
        if wrong.size:
            where = int(wrong[0])
            raise ValueError(
                f"column {column.name!r} of {self.path} must hold numbers as --thousands "
                f"{self.thousands!r} and --decimal {self.decimal!r} say, in groups of three "
                f"digits if in groups, got {texts.iloc[where]!r} in {self.place(where)}"
                f"{self._unit_hint(texts[texts != ''], texts.iloc[where])}"
            )
        plain = (
            texts
            if self.thousands == "none"
            else texts.str.replace(str(self.thousands), "", regex=False)
        )
        plain = plain.str.replace(self.decimal, ".", regex=False)
        return plain.where(plain != "", "nan").astype(np.float64).rename(str(column.name))

    def _is_number(self, text: str) -> bool:
        """Return whether a text is a number as the file writes them."""
        return _is_float(text.replace(self.decimal, "."))

    def _numbers(self, column: pd.Series, place: int) -> pd.Series:
        """Return a column whose records are all finite numbers, or say which one is not."""
        import pandas as pd

        if not _holds_numbers(column):
            raise ValueError(self._no_number(place))
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

    def _culprit(self, place: int) -> tuple[str, int]:
        """Return the first cell of a column that is not a number, and its record."""
        import pandas as pd

        column = self._table.iloc[:, place]
        text = column.astype(str).str.replace(self.decimal, ".", regex=False)
        words = (column.notna() & pd.to_numeric(text, errors="coerce").isna()).to_numpy()
        where = int(words.argmax() if words.any() else column.notna().to_numpy().argmax())
        if self.is_parquet:
            return str(column.iloc[where]), where
        return self._written_in(place, where), where

    def _no_number(self, place: int) -> str:
        """Return which record of a column is the first that is not a number, and why not."""
        given, where = self._culprit(place)
        hint, name = "", self._names[place]
        if not self.is_parquet:
            texts = self._table.iloc[:, place].dropna().astype(str).str.strip()
            texts = texts.str.replace(_SPACES, " ", regex=True)
            hint = self._unit_hint(texts, given) or self._sign_hint(name, texts, given, where)
            if hint and not hint.startswith(";"):
                return hint
        return (
            f"column {name!r} of {self.path} must hold numbers only, got {given!r} in "
            f"{self.place(where)}{hint}"
        )

    def _unit_hint(self, texts: pd.Series, given: str) -> str:
        """Return which sign of a unit to remove from the cells, and how to read what is left."""
        import pandas as pd

        signs = sorted(set("".join(texts)) & set(_UNITS))
        if not signs:
            return ""
        pattern = re.compile(rf"^([-+]?)\s*[{_UNITS}]\s*|\s*[{_UNITS}]$")
        plain = texts.str.replace(pattern, lambda found: found[1] or "", regex=True)
        rest, number = "", pattern.sub(lambda found: found[1] or "", given.strip())
        if self.thousands is not None:
            if not plain.str.fullmatch(self._written).all():
                return ""
        elif (
            pd.to_numeric(plain.str.replace(self.decimal, ".", regex=False), errors="coerce")
            .isna()
            .any()
        ):
            rest = self._sign_hint("", plain, number, 0)
            if not rest:
                return ""
            if not rest.startswith(";"):
                rest = f"; {self._both_options(number)}"
        named = " and ".join(repr(each) for each in signs)
        if len(signs) > 1 or (plain == texts).any():
            return (
                f"; its cells have the sign {named} here and there, so write all of them in one "
                f"unit and without its sign{rest}"
            )
        return f"; remove {named} from each cell, and give --range in the same unit{rest}"

    def _sign_hint(self, name: str, texts: pd.Series, given: str, where: int) -> str:
        """Return which option reads a column of other signs, as the whole column tells.

        The whole message, if it can be read in two ways.
        """
        if given.strip().startswith("\u2212"):
            return "; '\u2212' is a minus sign of typesetters, so write the hyphen '-' in its place"
        for sign in (",", "."):
            escaped = re.escape(sign)
            one = texts.str.fullmatch(rf"[-+]?\d+(?:{escaped}\d+)?")
            grouped = texts.str.fullmatch(
                rf"[-+]?(?:\d{{1,3}}|[1-9]\d{{0,2}}(?:{escaped}\d{{3}})+)"
            )
            if sign != self.decimal and one.all():
                if grouped.all():
                    return self._both_readings(name, given, where)
                none = " --thousands none" if sign == self.sep else ""
                return f"; if {_NAMES[sign]} is the decimal sign, give --decimal {sign!r}{none}"
        for sign in (",", ".", "'", "’", " "):
            escaped, decimal = re.escape(sign), re.escape(self.decimal)
            part = "" if sign == self.decimal else rf"(?:{decimal}\d+)?"
            digits = rf"[-+]?(?:\d+|[1-9]\d{{0,2}}(?:{escaped}\d{{3}})+){part}"
            if texts.str.fullmatch(digits).all():
                return f"; if its digits are in groups of three, give --thousands {sign!r}"
        if texts.str.fullmatch(r"[-+]?[1-9]\d{0,2}(?:\.\d{3})+,\d+|[-+]?\d+(?:,\d+)?").all():
            return "; if its numbers are like 1.234,5, give --thousands '.' --decimal ','"
        others = texts[texts != given.strip()].unique()
        if len(others) and all(self._is_number(each) for each in others):
            return (
                f"; if {given!r} says that a value is missing, leave this cell empty and give "
                "--missing drop"
            )
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
