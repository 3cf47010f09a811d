"""A file becomes a column without a record being lost, or it is refused with its line."""

from __future__ import annotations

import gzip
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdpbook.commands.files import TableFile


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "table.csv"


@pytest.mark.parametrize(
    ("text", "name", "values"),
    [
        ("age,name\n1,Ada\n", None, [1]),
        ("age,weight,\n30,80,\n40,90,\n", "age", [30, 40]),
        ("age,weight\n30\n40,90\n", "age", [30, 40]),
        (",age\n0,30\n1,40\n", None, [30, 40]),
        ("year,2019\na,30\nb,40\n", "2019", [30, 40]),
        ('name,age\n"Ada\nLovelace",36\n', "age", [36]),
        ("\ufeffage\n30\n", "age", [30]),
    ],
)
def test_a_column_is_read(file: Path, text: str, name: str | None, values: list[int]) -> None:
    file.write_text(text, encoding="utf-8")
    assert TableFile(file).column(name).tolist() == values


@pytest.mark.parametrize(
    ("text", "name", "said"),
    [
        ("", "age", "its first line is empty"),
        ("\nage\n1\n", "age", "its first line is empty"),
        ("age\n1\n?\n3\n", "age", r"must hold numbers only, got '\?' in line 3"),
        ("name\nAda\n", "name", "must hold numbers only, got 'Ada' in line 2"),
        ("name\nAda\n", None, "must hold numbers only, got 'Ada' in line 2"),
        ("n,m\nA,x\n", None, r"has no column of numbers; its columns are \['n', 'm'\]; .* 'A' in"),
        ("age\n30\ninf\n", "age", "missing or infinite, the first in line 3: 'inf'$"),
        ("age\n30\nNA\n", "age", "missing or infinite, the first in line 3: 'NA'$"),
        ("age\n30\n-Infinity\n", "age", "infinite, the first in line 3: '-Infinity'$"),
        ("n,age\na,30\nb\n", "age", "missing or infinite, the first in line 3: ''$"),
        ("age\n30\n\n", "age", "an empty line counts .* in line 3: ''$"),
        ('n,age\n"a\nb",1\nc,\n', "age", "missing or infinite, the first in line 4: ''$"),
        ('n,age\n"a\nb",1\nc,2,3\n', "age", "at most as many fields as the first, 2, .* line 4"),
        ("a,b\n1,2\n1,2,\n", "a", "got 3 in line 3; remove"),
        ("age;b\n1;2,5\n", "age", "in line 2; ';' seems to separate .* --sep ';', and --decimal"),
        ("a\tb\n1\t2\n", "a", r"give --sep '\\t'"),
        ("name,age\nA,1\n", "w", r"its columns of numbers are \['age'\], the others \['name'\]"),
        ("Ada,30\nAlan,40\n", None, "must hold the names of the columns: .* number '30'"),
        ("30,30\n40,40\n", None, "must hold the names of the columns: .* number '30'"),
        ("30\n40\n", "age", "if the first line is a record, give --no-header"),
        ("b\nTrue\nFalse\n", "b", "must hold numbers only, got 'True' in line 2"),
        ("b\nTRUE\nFALSE\n", "b", "must hold numbers only, got 'TRUE' in line 2"),
    ],
)
def test_what_is_ambiguous_is_refused(file: Path, text: str, name: str | None, said: str) -> None:
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=said):
        TableFile(file).column(name)


def test_the_dialect_of_a_file(file: Path) -> None:
    file.write_text("30\t80,5\n40\t90,1\n", encoding="utf-8")
    dialect = TableFile(file, sep=r"\t", decimal=",", header=False)
    assert dialect.column("2").tolist() == [80.5, 90.1]
    assert [dialect.place(0), dialect.place(1)] == ["line 1", "line 2"]
    with pytest.raises(ValueError, match=r"got '80,5' in line 1; .* give --decimal ','"):
        TableFile(file, sep="\t", header=False).column("2")
    with pytest.raises(ValueError, match="--sep must be one character, got '::'"):
        TableFile(file, sep="::")
    with pytest.raises(ValueError, match="two different characters, got ',' twice"):
        TableFile(file, decimal=",")


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        (["7,269", "950", "12,000"], "give --thousands ',' to read 7269, or --decimal ',' --th"),
        (
            ["58.085", "7.269"],
            r"--thousands '\.' to read 58085, or --thousands none to read 58\.085",
        ),
        (["58.085", "950", "-7.269"], r"in one way: .*, got '58\.085' in line 2"),
        (["950", "58.085"], r"got '58\.085' in line 3"),
        (["7,2", "12,000"], "if the comma is the decimal sign, give --decimal ','"),
        (["1,234,567", "950"], "in groups of three, give --thousands ','"),
        (["1.234.567", "950"], r"in groups of three, give --thousands '\.'"),
        (["58 085", "1 950.5"], "in groups of three, give --thousands ' '"),
        (["1.234,5", "2.000,75"], r"are like 1\.234,5, give --thousands '\.' --decimal ','"),
    ],
)
def test_a_sign_that_has_two_meanings_is_never_guessed(
    file: Path, cells: list[str], said: str
) -> None:
    file.write_text("\n".join(["pay", *(f'"{each}"' for each in cells)]) + "\n", encoding="utf-8")
    with pytest.raises(ValueError, match=said):
        TableFile(file).column("pay")


@pytest.mark.parametrize(
    ("cells", "options", "values"),
    [
        (["7,269", "950", "12,000.5"], {"thousands": ","}, [7269, 950, 12000.5]),
        (["58.085", "7.269"], {"thousands": "."}, [58085, 7269]),
        (["58.085", "7.269"], {"thousands": "none"}, [58.085, 7.269]),
        (["7,269", "950"], {"thousands": "none", "decimal": ","}, [7.269, 950]),
        (["1.234,5", "2.000"], {"thousands": ".", "decimal": ",", "sep": ";"}, [1234.5, 2000]),
        (["58 085", "1 950.5"], {"thousands": " "}, [58085, 1950.5]),
        (["0.125", "0.250"], {}, [0.125, 0.25]),
        (["1.732", "1234.5"], {}, [1.732, 1234.5]),
        (["1.732", "1.7"], {}, [1.732, 1.7]),
        (["1.732", "2048"], {}, [1.732, 2048]),
        (["36", "412"], {}, [36, 412]),
    ],
)
def test_the_whole_column_or_an_option_decides(
    file: Path, cells: list[str], options: dict[str, str], values: list[float]
) -> None:
    file.write_text("\n".join(["pay", *(f'"{each}"' for each in cells)]) + "\n", encoding="utf-8")
    assert TableFile(file, **options).column("pay").tolist() == values


@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        ('pay\n"7,269"\n"950"\n', {}, "give --thousands ',' to read 7269, or --decimal ',' --th"),
        ("pay\n58 085\n1 950\n", {}, "in groups of three, give --thousands ' '"),
        ('n,pay\na,"7,269"\nb,"950"\n', {}, "'7,269' in line 2 of 'pay'; with --column the"),
        ("n,pay\na,?\nb,1\n", {"thousands": ","}, r"'\?' in line 2 of 'pay'; with --column the"),
    ],
)
def test_a_column_that_is_not_named_has_its_reason_too(
    file: Path, text: str, options: dict[str, str], said: str
) -> None:
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=said):
        TableFile(file, **options).column()


def test_a_column_that_is_not_named_is_found_as_the_options_read_it(file: Path) -> None:
    file.write_text('n,pay\na,"7,269"\nb,\nc,"950"\n', encoding="utf-8")
    found = TableFile(file, thousands=",", missing="drop").column()
    assert found.name == "pay" and found.tolist() == [7269, 950]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("x\n1\n2\n".encode("utf-16"), "it is written in utf-16, so give --encoding utf-16"),
        (gzip.compress(b"x\n1\n2\n", mtime=0), r"it is compressed, so let its name end in \.gz"),
        (b"PK\x03\x04\x14\x00\xff\xfe\n1\n", "it is a spreadsheet or another archive"),
        (b'x\n1\n"2\n3\n', "a quotation mark in line 3 is not closed"),
        (b'x,y\n"a\nb",1\n"c,2\n', "a quotation mark in line 4 is not closed"),
        (
            b"x\n",
            r"must hold records, and not its first line only, got none of the columns \['x'\]",
        ),
        (
            b"x\n1\n-\n3\n",
            "got '-' in line 3; if '-' says that a value is missing, leave this cell",
        ),
        (b'x\n"7,2"\n"7"\n', "give --decimal ',' --thousands none"),
    ],
)
def test_a_file_of_another_kind_is_told(file: Path, content: bytes, said: str) -> None:
    file.write_bytes(content)
    with pytest.raises(ValueError, match=said):
        TableFile(file).column()


@pytest.mark.parametrize("space", [" ", "\u00a0", "\u202f"])
def test_digits_are_grouped_by_any_space(file: Path, space: str) -> None:
    file.write_text(f"pay\n58{space}085\n950\n", encoding="utf-8")
    with pytest.raises(ValueError, match="in groups of three, give --thousands ' '"):
        TableFile(file).column("pay")
    for option in (" ", space):
        assert TableFile(file, thousands=option).column().tolist() == [58085, 950]


def test_a_minus_sign_that_is_no_hyphen_is_named(file: Path) -> None:
    file.write_text("x\n5\n\u22127\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"got '\u22127' in line 3; .* write the hyphen '-'"):
        TableFile(file).column("x")


@pytest.mark.parametrize(
    ("cells", "options", "said"),
    [
        (["45%", "7.5 %"], {}, "got '45%' in line 2; remove '%' from each cell, .* same unit$"),
        (["1200 €", "", "-3 €"], {}, "got '1200 €' in line 2; remove '€' from each cell"),
        (["$5", "-$7.50", "$ 9"], {}, r"got '\$5' in line 2; remove '\$' from each cell"),
        (["45\u202f%", "3\u00a0%"], {}, "remove '%' from each cell"),
        (["45,5 %", "3 %"], {}, "remove '%' .*; if the comma is the decimal sign, give --decimal"),
        (["1.200,50 €", "3,5 €"], {}, r"remove '€' .*; .* give --thousands '\.' --decimal ','$"),
        (["$1,200,300", "$5"], {}, r"remove '\$' .* in groups of three, give --thousands ','$"),
        (["$7,269", "$950"], {}, "remove .*; each .* --thousands ',' to read 7269, or --decimal"),
        (["$7,269", "$9.50"], {"thousands": ","}, r"got '\$7,269' in line 2; remove '\$' from"),
        (["12", "3 %"], {}, "got '3 %' in line 3; its cells have the sign '%' here and there"),
        (["$12", "3 €"], {}, r"the sign '\$' and '€' here and there, so write all .* one unit"),
        (["100% sure", "no"], {}, "got '100% sure' in line 2$"),
        (["5 %", "7,2,1 %"], {"thousands": ","}, "got '5 %' in line 2$"),
    ],
)
def test_the_sign_of_a_unit_is_named_and_what_to_do_with_it(
    file: Path, cells: list[str], options: dict[str, str], said: str
) -> None:
    file.write_text("\n".join(["pay", *(f'"{each}"' for each in cells)]) + "\n", encoding="utf-8")
    with pytest.raises(ValueError, match=said):
        TableFile(file, **options).column("pay")


def test_a_column_is_read_when_the_signs_are_removed_as_the_message_says(file: Path) -> None:
    file.write_text('pay\n"1200,50"\n"3,5"\n', encoding="utf-8")
    assert TableFile(file, decimal=",", thousands="none").column("pay").tolist() == [1200.5, 3.5]


def test_many_columns_are_read_soon_and_named_in_part(file: Path) -> None:
    names = [f"c{i}" for i in range(3000)]
    file.write_text(f"{','.join(names)}\n{','.join(['1'] * 3000)}\n", encoding="utf-8")
    table = TableFile(file)
    assert table.column("c2999").tolist() == [1]
    for name, said in (
        (None, r"columns of numbers: \['c0', .*'c9'\] and 2,990 more$"),
        ("d", "more"),
    ):
        with pytest.raises(ValueError, match=said) as refused:
            table.column(name)
        assert len(str(refused.value)) < 400


def test_digits_that_are_not_in_groups_of_three_are_refused(file: Path) -> None:
    file.write_text('pay\n"7,269"\n"7,2"\n', encoding="utf-8")
    with pytest.raises(ValueError, match="got '7,2' in line 3"):
        TableFile(file, thousands=",").column("pay")
    with pytest.raises(ValueError, match="--thousands must be one character, got 'both'"):
        TableFile(file, thousands="both")


def test_missing_values_are_refused_or_dropped_and_counted(file: Path) -> None:
    file.write_text("n,age\na,30\nb,\nc,50\nd,NA\ne,70\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"give --missing drop to leave such records out.*2 of 5"):
        TableFile(file).column("age")
    table = TableFile(file, missing="drop")
    found = table.column("age")
    assert found.tolist() == [30, 50, 70] and [table.place(i) for i in found.index][-1] == "line 6"
    assert table.dropped(found).startswith("2 of 5 records have no number in column 'age'")
    assert not table.dropped(TableFile(file, missing="refuse")._table["n"])


def test_an_encoding_is_asked_for(file: Path) -> None:
    file.write_bytes("name,age\nJosé,30\n".encode("latin-1"))
    with pytest.raises(ValueError, match="not written in utf-8; give --encoding"):
        TableFile(file).column("age")
    assert TableFile(file, encoding="latin-1").column("age").tolist() == [30]
    with pytest.raises(ValueError, match=r"cannot read .* unknown encoding: klingon"):
        TableFile(file, encoding="klingon").column("age")


@given(
    rows=st.lists(
        st.one_of(st.just(""), st.integers(-99, 99).map(str), st.just("1,5"), st.just("7,")),
        min_size=1,
        max_size=8,
    )
)
def test_a_column_has_a_record_for_every_line(
    tmp_path_factory: pytest.TempPathFactory, rows: list[str]
) -> None:
    """Whatever the lines are: each becomes a record, or the file is refused."""
    file = tmp_path_factory.mktemp("drawn") / "table.csv"
    file.write_text("\n".join(["age", *rows]) + "\n", encoding="utf-8")
    if all(row.lstrip("-").isdigit() for row in rows):
        assert TableFile(file).column("age").tolist() == [int(row) for row in rows]
    else:
        with pytest.raises(ValueError, match=r"in line \d+"):
            TableFile(file).column("age")


def test_numbers_of_a_parquet_file(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow.parquet")
    file = tmp_path / "table.parquet"
    pd.DataFrame(
        {
            "price": [Decimal("1.50"), Decimal("2.25")],
            "age": pd.array([30, 40], dtype="Int64"),
            "gap": pd.array([30, None], dtype="Int64"),
            "short": [Decimal("1.50"), None],
            "day": pd.to_datetime(["2020-01-01", "2020-01-02"]),
            "name": ["Ada", "Alan"],
        }
    ).to_parquet(file)
    table = TableFile(file)
    price, age = table.column("price"), table.column("age")
    assert price.tolist() == [1.5, 2.25] and price.name == "price" and price.dtype == np.float64
    assert age.tolist() == [30, 40] and isinstance(age.dtype, np.dtype)
    for name, said in {
        "gap": "missing or infinite, the first in row 2: nan",
        "short": "missing or infinite, the first in row 2: nan",
        "day": "must hold numbers only, got '2020-01-01 00:00:00' in row 1",
        "name": "must hold numbers only, got 'Ada' in row 1",
    }.items():
        with pytest.raises(ValueError, match=said):
            table.column(name)


def test_what_is_no_table_is_refused(tmp_path: Path) -> None:
    for name in ("table.parquet", "table.csv"):
        file = tmp_path / name
        file.write_bytes(b"\xff\xfe\x00not a table\x00")
        with pytest.raises(ValueError, match=f"cannot read .*{name} as a table"):
            TableFile(file).column("age")


def test_a_compressed_file_is_read(tmp_path: Path) -> None:
    with gzip.open(tmp_path / "ages.csv.gz", "wt") as file:
        file.write("age\n36\n41\n")
    assert TableFile(tmp_path / "ages.csv.gz").column("age").tolist() == [36, 41]


def test_categories_are_read_as_they_are_written(file: Path) -> None:
    """``NA`` is a missing value, unless it is a level; so is an empty cell, always."""
    file.write_text("n,code\n1,01\n2,NA\n3, 02\n4,\n5\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"--missing drop .* got 3 of 5 .* line 3: 'NA'"):
        TableFile(file).labels("code", ["01", "02"])
    with pytest.raises(ValueError, match="got 2 of 5 missing, the first in line 5: ''"):
        TableFile(file).labels("code", ["01", "02", "NA"])
    table = TableFile(file, missing="drop")
    column = table.labels("code", ["01", "02"])
    assert column.tolist() == ["01", "02"] and column.index.tolist() == [0, 2]
    assert table.dropped(column).startswith("3 of 5 records have no value in column 'code'")
    assert table.labels("code", ["01", "02", "NA"]).tolist() == ["01", "NA", "02"]


def test_categories_of_a_parquet_file(file: Path) -> None:
    pytest.importorskip("pyarrow.parquet")
    path = file.with_suffix(".parquet")
    pd.DataFrame({"code": pd.Series(["None", None, "b"], dtype="category")}).to_parquet(path)
    with pytest.raises(ValueError, match="got 1 of 3 missing, the first in row 2"):
        TableFile(path).labels(None, ["None", "b", "nan"])
    assert TableFile(path, missing="drop").labels(None, ["None", "b"]).tolist() == ["None", "b"]


@pytest.mark.parametrize(
    ("values", "levels"),
    [
        (pd.array([0, 1, None, 1], dtype="UInt8"), ["0", "1", None, "1"]),
        ([0.0, 1.0, None, 1.0], ["0", "1", None, "1"]),
        ([0.5, 1.0, None, 1.0], ["0.5", "1.0", None, "1.0"]),
        (pd.Categorical([3, 1, None, 1]), ["3", "1", None, "1"]),
        (["a ", "b", None, "b"], ["a", "b", None, "b"]),
        ([True, False, None, False], ["True", "False", None, "False"]),
    ],
    ids=["whole", "floats", "decimals", "dictionary", "texts", "booleans"],
)
def test_codes_with_a_gap_in_a_parquet_file_are_the_levels_that_the_file_holds(
    values: Any, levels: list[str | None], tmp_path: Path
) -> None:
    pytest.importorskip("pyarrow.parquet")
    pd.DataFrame({"code": values}).to_parquet(tmp_path / "codes.parquet")
    named = [each for each in levels if each]
    table = TableFile(tmp_path / "codes.parquet", missing="drop")
    assert table.labels("code", named).tolist() == named


def test_bytes_in_a_parquet_file_are_no_levels(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow.parquet")
    pd.DataFrame({"code": ["a", "b"]}).map(str.encode).to_parquet(tmp_path / "codes.parquet")
    with pytest.raises(ValueError, match="must hold texts, got bytes in row 1"):
        TableFile(tmp_path / "codes.parquet").labels("code", ["a", "b"])


def test_the_index_of_pandas_is_a_column_and_rows_are_counted_as_they_are_in_the_file(
    tmp_path: Path,
) -> None:
    pytest.importorskip("pyarrow.parquet")
    file = tmp_path / "table.parquet"
    table = pd.DataFrame({"age": [20.0, 30.0, np.nan], "weight": 60.0}, index=[7, 8, 9])
    table.to_parquet(file)
    with pytest.raises(ValueError, match="the first in row 3: nan"):
        TableFile(file).column("age")
    table.set_index("age").to_parquet(file)
    assert TableFile(file, missing="drop").column("age").tolist() == [20.0, 30.0]
    with pytest.raises(ValueError, match=r"--column must name .* \['weight', 'age'\]"):
        TableFile(file, missing="drop").column()
