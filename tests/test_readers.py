"""The command and ``scan`` read one file alike: a table of files, and what each of them holds."""

from __future__ import annotations

import csv
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pdpbook import _tables
from pdpbook.commands.files import TableFile
from pdpbook.scaling import sources

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

LONG = "\n".join(["x,note", *(f'{i},"one\n7,two\r\n{i},three\n"' for i in range(80_000))])


def by_command(file: Path, **options: Any) -> list[float]:
    """The values of column x, or None for a missing one and the text of one that is no number."""
    table = TableFile(file, thousands="none", **options)
    values, strange = table._numbers(table._place_of("x"))
    return said(values, strange)


def by_scan(file: Path) -> list[float | str | None]:
    found: list[float | str | None] = []
    for piece in sources.describe_file(str(file), ["x"]).pieces:
        for batch in sources.read_piece(piece, ["x"]):
            found += said(*_tables.numbers(batch.column(0)))
    return found


def said(values: np.ndarray, strange: np.ndarray) -> list[float | str | None]:
    pairs = zip(values.tolist(), strange.tolist(), strict=True)
    return ["?" if wrong else None if value != value else value for value, wrong in pairs]


#: The bytes of a CSV file, and its column x: None is a missing value, "?" is no number.
CSV: list[tuple[str | bytes, list[float | str | None]]] = [
    # ends of lines, and none at the end of the file
    ("x\n1\n2\n", [1, 2]),
    ("x\r1\r2\r", [1, 2]),
    ("x\r\n1\r\n2", [1, 2]),
    ("x\r1\n2\r\n3", [1, 2, 3]),
    ("\ufeffx\n1", [1]),
    ("y,x\n,1\n,2", [1, 2]),
    # an empty line is a record without values, wherever it is
    ("x\n1\n\n2\n\n", [1, None, 2, None]),
    ("x,y\n1,2\n\n3,4\n", [1, None, 3]),
    ("x\r\r1\r", [None, 1]),
    # blanks, those among them at which no line is broken
    ("x\n 1\n2 \n\t3\n\u00a04\u202f\n5\u3000\n \n", [1, 2, 3, 4, 5, None]),
    (" x , y\n1,2\n", [1]),
    ("x\n1\n\ufeff2\n\u200b\n\u200e3\u2060 \n", [1, 2, None, 3]),
    ("y,re\u0301gion,x\n,,1\n", [1]),
    # missing values
    ('x\nNA\n NA \n"NA"\nNone\nNULL\nnan\n#N/A\n""\n', [None] * 8),
    ("x\nna\nNAN\nmissing\n-\n.\n", ["?"] * 5),
    ("x\n1\nNAN\n2\n", [1, "?", 2]),
    # numbers, and what is none
    ("x\n+1\n-.5\n2.\n1e3\n1E-2\n0007\n", [1, -0.5, 2, 1000, 0.01, 7]),
    ("x\ninf\n-Infinity\n1e400\n", [np.inf, -np.inf, np.inf]),
    ("x\n123456789012345678901234567890\n0.1\n", [123456789012345678901234567890.0, 0.1]),
    ("x\n1_000\n0x1F\n1d5\n1 000\n12*\n(5)\n1e\n--1\nTrue\n", ["?"] * 9),
    ("x\n１２\n١٢\n१२\n\u20135\n²\n", ["?"] * 5),
    ("x\n1\x002\n\x00\n3\n", ["?", "?", 3]),
    # quotation marks
    ('x,y\n"1","a,b"\n2,"a ""b"""\n', [1, 2]),
    ('x,y\n1,15"\n2,a "b" c\n', [1, 2]),
    ('y,x\n"a\nb",1\n"c\r\n\n",2\n', [1, 2]),
    (LONG, [*range(80_000)]),
    ('x\n1\n"2\n3\n', "quotation mark"),
    ('y,x\n"A" 12",1\n"Low,2\nb,3\n"High,4\nd,5\n', "quotation mark"),
    ('y,x\n"c,1\nd,2\n', "quotation mark"),
    ('x\n1\n"' + "2\n" * 2**21, "quotation mark"),
    # records of another width, and files without a table
    ("x,y\n1,2\n3\n", "as many fields as the first, 2, got 1"),
    ("x,y\n1,2\n3,4,\n", "as many fields as the first, 2, got 3"),
    ("x,y\n1,2\n \n", "as many fields as the first, 2, got 1"),
    ("", "its first line is empty"),
    ("\nx\n1\n", "its first line is empty"),
    ("\ufeff\nx\n1\n", "its first line is empty"),
    ("x,x\n1,2\n", "x"),
    ("x, x\n1,2\n", "x"),
    ("x,y\n1,é\n".encode("latin-1"), "utf-8"),
    ("x\n1\n".encode("utf-16"), "utf-8"),
]


@pytest.mark.parametrize(("content", "expected"), CSV, ids=range(len(CSV)))
def test_a_csv_file_is_read_alike(tmp_path: Path, content: str | bytes, expected: Any) -> None:
    file = tmp_path / "table.csv"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    for read in (by_command, by_scan):
        if isinstance(expected, str):
            with pytest.raises(ValueError, match=expected):
                read(file)
        else:
            assert read(file) == expected


#: The column x of a Parquet file, and what it says.
PARQUET: list[tuple[Any, list[float | str | None]]] = [
    (pa.array([1, None, 2], pa.int8()), [1, None, 2]),
    (pa.array([2**64 - 1], pa.uint64()), [2.0**64]),
    (pa.array([0.5, np.nan, -np.inf, None], pa.float32()), [0.5, None, -np.inf, None]),
    (pa.array([Decimal("0.1"), Decimal("0.3"), None], pa.decimal128(9, 6)), [0.1, 0.3, None]),
    (pa.array(["1", " +2.5\u00a0", "-1e3", "NA", "", None]), [1, 2.5, -1000, None, None, None]),
    (pa.array(["1", "x", "1_0", "１", "NAN"], pa.large_string()), [1, "?", "?", "?", "?"]),
    (pa.array([b"1", b" 2", None]), [1, 2, None]),
    (pa.array([b"1", b"2"], pa.binary(1)), [1, 2]),
    (pa.array([b"1", b"\xff"]), ["?", "?"]),
    (pa.array(["1", None, "NA", "1"]).dictionary_encode(), [1, None, None, 1]),
    (pa.array([3, None, 3]).dictionary_encode(), [3, None, 3]),
    (pa.array([True, None, False]), ["?", None, "?"]),
    (pa.array([0, None], pa.date32()), ["?", None]),
    (pa.array([["a"], None]), ["?", None]),
    (pa.array([{"a": b"b"}, None]), ["?", None]),
    (pa.array([None, None], pa.null()), [None, None]),
]


@pytest.mark.parametrize(("column", "expected"), PARQUET, ids=range(len(PARQUET)))
def test_a_column_of_a_parquet_file_is_read_alike(
    tmp_path: Path, column: Any, expected: list[float | str | None]
) -> None:
    file, twice = tmp_path / "table.parquet", pa.chunked_array([column, column])
    pq.write_table(pa.table({" x": twice}), file, row_group_size=len(column))
    assert by_command(file) == by_scan(file) == expected * 2


def test_a_missing_entry_of_a_dictionary_is_a_missing_value() -> None:
    for entries in (pa.array([2.0, None]), pa.array(["2", None])):
        coded = pa.DictionaryArray.from_arrays(pa.array([0, 1, None, 1], pa.int8()), entries)
        assert said(*_tables.numbers(coded)) == [2, None, None, None]


def test_line_ends_in_cells_are_counted_whatever_the_size_of_a_block(tmp_path: Path) -> None:
    """Against the csv module, on files whose lines end and are cut in all ways."""
    rng, file = np.random.default_rng(5), tmp_path / "table.csv"
    for end in ("\n", "\r", "\r\n"):
        notes = rng.choice(["a", "b\nc", "\r\n", 'd"\n', "\r", ""], size=3000)
        with open(file, "w", newline="") as stream:
            writer = csv.writer(stream, lineterminator=end, quoting=csv.QUOTE_ALL)
            writer.writerows([["note"], *([note] for note in notes)])
        found = _tables.CsvFile(file)
        if end == "\r":  # the last line needs none
            file.write_bytes(file.read_bytes()[:-1])
        texts = [text for batch in found.batches([0]) for text in batch.column(0).to_pylist()]
        assert texts == ["note", *notes]
        assert found.folded == sum(note in ("b\nc", "\r\n", 'd"\n', "\r") for note in notes)
        lines = _tables._Lines("utf-8")
        for byte in file.read_bytes():
            lines(bytes([byte]))
        lines(b"")
        assert lines.ends == found.folded + 3001
