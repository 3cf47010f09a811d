"""A file becomes a column without a record being lost, or it is refused with its line."""

from __future__ import annotations

import gzip
import io
import lzma
import zipfile
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pdpbook.commands.files import TableFile

pytest.importorskip("pyarrow")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "table.csv"


def refused(file: Path, said: str, name: str | None = None, **options: Any) -> str:
    """Check that a column of a file is refused with a message, and return this."""
    with pytest.raises(ValueError, match=said) as found:
        TableFile(file, **options).column(name)
    return str(found.value)


@pytest.mark.parametrize(
    ("text", "name", "said"),
    [
        ("x\n", "x", r"must contain records, not only a first line, got none .* \['x'\]"),
        ("name\nAda\nBob\n", None, "must contain numbers only, got another value in line 2$"),
        ("n,m\nA,x\n", None, r"has no column of numbers; its columns are \['n', 'm'\]; with --col"),
        ("age\n30\ninf\n", "age", "missing or infinite, the first in line 3$"),
        ("n,age\na,30\nb\n", "age", "got 1 in line 3; if its last cells are empty, also write"),
        ("age\n30\n\n", "age", "an empty line is a record .* in line 3$"),
        ('n,age\n"a\nb",1\nc,\n', "age", "missing or infinite, the first in line 4$"),
        ('n,age\n"a\nb",1\nc,2,3\n', "age", "must have as many fields as the first, 2, .* line 4"),
        ("weight\n80,5\n90,1\n", "weight", "got 2 in line 2; .* give --sep ';' --decimal ','$"),
        ("age;b\n1;2,5\n", "age", "in line 2; ';' seems to separate .* --sep ';', and --decimal"),
        ("name,age\nA,1\n", "w", r"its columns of numbers are \['age'\], the others \['name'\]"),
        ("a,b\n1,2\n", None, r"--column must name one of the columns of numbers: \['a', 'b'\]"),
        ("age,age\n30,80\n40,90\n", "age", "must have exactly one column named 'age', got 2"),
        ("Ada,30\nAlan,40\n", None, "must contain the names of the columns: .* got a number among"),
        ("30\n40\n", "age", "if the first line is a record, give --no-header"),
        ("a\tb\n1\t2\n", "a", r"give --sep '\\t'"),
        ("a,b,c,d,e,f,g,h,i,j,k,l\n" + "1," * 11 + "1\n", None, r"'j'\] and 2 more$"),
        # what stands above the header, or in it
        ("sep=,\nage,n\n30,1\n", "age", "remove the first line, which contains no names"),
        ("# exported\nage,n\n30,1\n", "age", "got 2 in line 2; remove the first line, which"),
        ('"age","n"\n"1",30,5\n"2",40,6\n', "age", "got 3 in line 2; .* as R writes them"),
        ("age\n30\nage\n40\n", "age", "got another value in line 3; remove this line, which"),
        ("age,n\n(years),\n30,1\n", "age", r"value in line 2; .* line of units, remove it$"),
    ],
)
def test_what_is_ambiguous_is_refused(file: Path, text: str, name: str | None, said: str) -> None:
    file.write_text(text, encoding="utf-8")
    refused(file, said, name)


@pytest.mark.parametrize(
    ("content", "options", "said"),
    [
        ("x\n1\n", {"sep": "::"}, "--sep must be one character, got '::'"),
        ("x\n1\n", {"thousands": "both"}, "--thousands must be one character, got 'both'"),
        ("x\n1\n", {"decimal": ","}, "different characters, unless --thousands .*, got ',' twice"),
        ("1\nx\n", {"header": False}, "got another value in line 2"),
        (
            'x\n"7,269"\n"1,23"\n',
            {"thousands": ","},
            "as --thousands ',' .*another value in line 3",
        ),
        ('x\n"1234,567"\n', {"thousands": ","}, "as --thousands ',' .*another value in line 2"),
        ('x\n"١,٢٣٤"\n', {"thousands": ","}, "as --thousands ',' .*another value in line 2"),
        ("x\n950\n58.085", {}, r"'\.' to read 1\.234 as 1234, .* none .* 1\.234, got .* line 3$"),
        ("x\n1\ninf\n", {"missing": "drop"}, "got 1 of 2 missing or infinite"),
        ("x\n58.085\n-7.269", {}, r"--thousands '\.' to read 1\.234 as 1234, or --thousands none"),
        # a file of another kind
        ("x\n1\n2\n".encode("utf-16"), {}, "not written in utf-8; give .* --encoding utf-16"),
        (gzip.compress(b"x\n1\n2\n", mtime=0), {}, r"compressed, so let its name end in \.gz"),
        (b"PK\x03\x04\x14\x00\xff\xfe\n", {}, "cannot read .*table.csv as a table: it is a spre"),
        (b"PAR1\x15\x04\x15,1\n2,3\n", {}, r"Parquet file, so let its name end in \.parquet"),
        (b"ARROW1\x00\x00\xff", {}, "it is a Feather file"),
        (b'x\n1\n"2\n3\n', {}, "quotation mark is not closed, .* several lines is in line 3"),
    ],
)
def test_what_the_options_of_a_file_leave_open_is_never_guessed(
    file: Path, content: str | bytes, options: dict[str, Any], said: str
) -> None:
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    refused(file, said, **options)


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("-", "; if this means that a value is missing, leave the cell empty and give --missing"),
        ("١٢", "; its digits are not 0 to 9"),
        ("\u20135", "; '\u2013' is not read as a minus sign, so write the hyphen '-'"),
        ("45 %", "; write the numbers without '%', and --range in the same unit"),
        ("7,2", "; give the meaning of ',' with --decimal and --thousands"),
        ("1.234,5", "; give the meaning of ',' and '.' with --decimal and --thousands"),
        ("58\u202f085", "; give the meaning of ' ' with --decimal and --thousands"),
        *((each, "") for each in ("(5)", "5-", "90+", "<5", "12*", "1_000", "3 years", "0x1F")),
    ],
)
def test_the_line_of_a_cell_that_is_no_number_is_named_with_what_its_signs_ask_for(
    file: Path, cell: str, said: str
) -> None:
    """No number in another notation is proposed for dropping: it may be the oldest, say."""
    file.write_text(f'x\n7\n"{cell}"\n80\n', encoding="utf-8")
    found = refused(file, "must contain numbers only", "x").removesuffix(" drop")
    assert found.endswith(f"got another value in line 3{said}")


@pytest.mark.parametrize(
    ("text", "name", "options", "values"),
    [
        ("age,name\n1,Ada\n", None, {}, [1]),
        (",age,\n0,30\u00a0,\n1,40,\n", None, {}, [30, 40]),
        ("gap,age\n,30\n,40\n", None, {}, [30, 40]),
        (",age\n0,30\n1,40\n", "", {}, [0, 1]),
        ("year,2019\na,30\nb,40\n", "2019", {}, [30, 40]),
        ("r\u00e9gion\n30\n", " re\u0301gion", {}, [30]),
        ("30\t80,5\n", "2", {"sep": r"\t", "decimal": ",", "header": False}, [80.5]),
        ('x\n"7,269"\n950\n"12,000.5"', None, {"thousands": ","}, [7269, 950, 12000.5]),
        ("x\n58.085\n7.269", None, {"thousands": "."}, [58085, 7269]),
        ("x\n58.085\n7.269", None, {"thousands": "none"}, [58.085, 7.269]),
        ('x\n"7,269"\n950', None, {"thousands": "none", "decimal": ","}, [7.269, 950]),
        ("x\n1.234,5", None, {"thousands": ".", "decimal": ",", "sep": ";"}, [1234.5]),
        ("x\n58\u202f085\n1 950.5", None, {"thousands": " "}, [58085, 1950.5]),
        ("x\n58\u00a0085\n1 950.5", None, {"thousands": "\u00a0"}, [58085, 1950.5]),
        # whole columns that can be read in one way only
        ("x\n0.125\n0.250", None, {}, [0.125, 0.25]),
        ("x\n1.732\n1234.5", None, {}, [1.732, 1234.5]),
        ("x\n1.732\n2048", None, {}, [1.732, 2048]),
        ("x\n36\n412", None, {}, [36, 412]),
    ],
)
def test_a_column_is_read_as_the_whole_of_it_and_the_options_say(
    file: Path, text: str, name: str | None, options: dict[str, Any], values: list[float]
) -> None:
    file.write_text(text, encoding="utf-8")
    assert TableFile(file, **options).column(name).tolist() == values


def test_line_ends_inside_quotation_marks_are_told(file: Path) -> None:
    file.write_text('item,age\na,1\n"\n\n",2\n', encoding="utf-8")
    table = TableFile(file)
    said = table.remarks(table.column("age"))
    assert said.startswith(f"2 line ends of {file} are") and "the first in line 3." in said
    file.write_text('x,y\n1,"a\nb"\n"2,c\n', encoding="utf-8")
    refused(file, "got 1 in line 4; perhaps a quotation mark is not closed", "x")


def test_compressed_files_and_other_encodings_are_read(file: Path) -> None:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as made:
        made.writestr("ages.csv", b"age\n36\n41\n")
    for suffix, content in (
        (".gz", gzip.compress(b"age\n36\n41\n")),
        (".XZ", lzma.compress(b"age\n36\n41\n")),
        (".zip", archive.getvalue()),
    ):
        packed = file.with_suffix(suffix)
        packed.write_bytes(content)
        assert TableFile(packed).column("age").tolist() == [36, 41]
        packed.write_bytes(content[:-12])
        refused(packed, "cannot read .* as a table", "age")
        packed.write_bytes(content[:30] + b"\xff\xff" + content[32:])
        refused(packed, "cannot read .* as a table", "age")
    file.write_text("name,age\nJosé,30\n", encoding="latin-1")
    assert TableFile(file, encoding="latin-1").column("age").tolist() == [30]
    refused(file, r"cannot read .* unknown encoding: klingon", "age", encoding="klingon")


def test_missing_values_are_refused_or_dropped_and_counted(file: Path) -> None:
    file.write_text("n,age\na,30\nb,\nc,50\nd,NA\ne,70\n", encoding="utf-8")
    refused(file, r"give --missing drop to leave out and count such records.*2 of 5", "age")
    table = TableFile(file, missing="drop")
    found = table.column("age")
    assert found.tolist() == [30, 50, 70] and [table.place(i) for i in found.index][-1] == "line 6"
    assert table.remarks(found).startswith("2 of 5 records have no number in column 'age'")
    assert not table.remarks(table.labels("n", ["a", "b", "c", "d", "e"]))


def test_numbers_of_a_parquet_file(tmp_path: Path) -> None:
    """pandas' index is a column like the others, and rows are counted as they are in the file."""
    file = tmp_path / "table.PARQUET"
    columns = {"age": [30, 41, 33], "gap": [30, None, 2], "name": [None, "45 %", "Ada"]}
    pd.DataFrame(columns).set_index("age").to_parquet(file)
    assert TableFile(file).column("age").tolist() == [30, 41, 33]
    refused(file, r"--column must name .* \['gap', 'age'\]")
    refused(file, "missing or infinite, the first in row 2$", "gap")
    refused(file, "must contain numbers only, got another value in row 2; .* without '%'", "name")
    file.write_bytes(b"\xff\xfe\x00not a table\x00")
    refused(file, r"cannot read .*PARQUET as a table", "age")


def test_categories_are_read_as_they_are_written(file: Path) -> None:
    """``NA`` is a missing value, unless it is a level; so is an empty cell, always."""
    file.write_text("n,code\n1,01\n2,NA\n3, 02\n4,\n\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"--missing drop .* got 3 of 5 .* line 3$"):
        TableFile(file).labels("code", ["01", "02"])
    with pytest.raises(ValueError, match="got 2 of 5 missing, the first in line 5"):
        TableFile(file).labels("code", ["01", "02", "NA"])
    table = TableFile(file, missing="drop")
    column = table.labels("code", ["01", "02"])
    assert column.tolist() == ["01", "02"] and column.index.tolist() == [0, 2]
    assert table.remarks(column).startswith("3 of 5 records have no value in column 'code'")
    assert table.labels("code", ["01", "02", "NA"]).tolist() == ["01", "NA", "02"]


def test_codes_with_a_gap_in_a_parquet_file_are_the_levels_that_the_file_holds(
    tmp_path: Path,
) -> None:
    file = tmp_path / "codes.parquet"
    cases: list[tuple[Any, list[str]]] = [
        (pd.array([0, 1, None, 1], dtype="UInt8"), ["0", "1", "1"]),
        ([0.5, 1.0, None, 1.0], ["0.5", "1.0", "1.0"]),
        ([b"a ", b"cafe\xcc\x81", None, b"b"], ["a", "caf\u00e9", "b"]),
        (pd.Categorical(["01", "1", None, "01"]), ["01", "1", "01"]),
        (np.array([0.1, 2.0, np.nan, 0.1], dtype="float32"), ["0.1", "2", "0.1"]),
        ([Decimal("1.00"), Decimal("2.50"), None, Decimal("1.00")], ["1", "2.5", "1"]),
        ([True, False, None, False], ["True", "False", "False"]),
    ]
    for values, levels in cases:
        pd.DataFrame({"code": values}).to_parquet(file)
        assert TableFile(file, missing="drop").labels(None, levels).tolist() == levels
        with pytest.raises(ValueError, match="got 1 of 4 missing, the first in row 3"):
            TableFile(file).labels("code", levels)
    assert TableFile(file, missing="drop").labels(None, ["True", "b"]).tolist() == cases[-1][1]
    pd.DataFrame({"code": [[1], [2]]}).to_parquet(file)
    with pytest.raises(ValueError, match="must contain texts, got values of type list"):
        TableFile(file).labels("code", ["a", "b"])
