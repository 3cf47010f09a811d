"""Every row is in one piece, and what cannot be read is named."""

import csv
import os
import pickle
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pdpbook.scaling import sources
from pdpbook.scaling.sources import SourceError


def rows_of(description, columns):
    found = [batch for piece in description.pieces for batch in sources.read_piece(piece, columns)]
    return pa.Table.from_batches(found) if found else None


@pytest.fixture
def parquet(tmp_path: Path) -> Path:
    path = tmp_path / "a.parquet"
    values = np.arange(1000.0)
    pq.write_table(pa.table({"x": values, "y": -values}), path, row_group_size=90)
    return path


def write_csv(path: Path, rows: int, end: str = "\n") -> None:
    lines = [f'{i},"text, with comma",{i * 0.5}' for i in range(rows)]
    path.write_text(end.join(["i,words,half", *lines]) + end, encoding="utf-8", newline="")


@pytest.mark.parametrize("limit", [1, 90, 200, 10_000])
def test_every_row_of_parquet_is_in_one_piece(parquet, limit, monkeypatch):
    monkeypatch.setattr(sources, "PIECE_ROWS", limit)
    described = sources.describe_file(str(parquet), ["y", "x"])
    assert described.rows == 1000
    assert len(described.pieces) == {1: 12, 90: 12, 200: 6, 10_000: 1}[limit]
    table = rows_of(described, ["y", "x"])
    assert table.column_names == ["y", "x"]  # as asked for, not as in the file
    assert table.column("x").to_pylist() == list(range(1000))


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_record_of_csv_is_read_once_whatever_ends_its_lines(tmp_path, end):
    write_csv(tmp_path / "a.csv", 60, end)
    described = sources.describe_file(str(tmp_path / "a.csv"), ["half", "i"])
    table = rows_of(described, ["half", "i"])
    assert table.column("i").to_pylist() == [str(i) for i in range(60)]
    assert table.column("half").to_pylist() == [str(i * 0.5) for i in range(60)]


def test_a_header_and_records_with_different_line_ends(tmp_path):
    (tmp_path / "a.csv").write_bytes(b"x\r1\n2\r\n3\n")
    table = rows_of(sources.describe_file(str(tmp_path / "a.csv"), ["x"]), ["x"])
    assert table.column("x").to_pylist() == ["1", "2", "3"]


def test_line_ends_in_quoted_fields_end_no_record_wherever_the_reader_cuts(tmp_path):
    """The file has three of the blocks of 1 MiB that pyarrow parses; each note looks like rows."""
    path = tmp_path / "a.csv"
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["x", "note"])
        writer.writerows([i, f"one\n7,two\r\n{i},three\n"] for i in range(100_000))
    assert path.stat().st_size > 3 * 2**20 - 2**18
    table = rows_of(sources.describe_file(str(path), ["x"]), ["x"])
    assert table.column("x").to_pylist() == [str(i) for i in range(100_000)]


def test_an_empty_line_is_a_record_without_values(tmp_path):
    for text, expected in [("x,y\n1,2\n\n3,4\n", ["1", "", "3"]), ("x\n1\n\n3\n", ["1", "", "3"])]:
        (tmp_path / "a.csv").write_text(text)
        table = rows_of(sources.describe_file(str(tmp_path / "a.csv"), ["x"]), ["x"])
        assert [each or "" for each in table.column("x").to_pylist()] == expected


def test_a_csv_without_a_last_line_end_and_without_rows(tmp_path):
    (tmp_path / "a.csv").write_text("x\n1\n2")
    table = rows_of(sources.describe_file(str(tmp_path / "a.csv"), ["x"]), ["x"])
    assert table.column("x").to_pylist() == ["1", "2"]
    (tmp_path / "b.csv").write_text("x\n")
    empty = rows_of(sources.describe_file(str(tmp_path / "b.csv"), ["x"]), ["x"])
    assert empty is None or empty.num_rows == 0


def test_folders_patterns_and_lists(tmp_path):
    for name in ("b.parquet", "sub/a.csv", "_SUCCESS", ".hidden.parquet", "_log/x.parquet"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    expected = [str(tmp_path / "b.parquet"), str(tmp_path / "sub" / "a.csv")]
    assert sources.find_files(tmp_path) == expected
    assert sources.find_files(str(tmp_path / "*.parquet")) == expected[:1]
    assert sources.find_files([tmp_path / "sub", tmp_path / "b.parquet"]) == expected


def test_what_find_files_refuses(tmp_path):
    (tmp_path / "a.csv").touch()
    with pytest.raises(SourceError, match=r"a\.csv: named twice"):
        sources.find_files([tmp_path / "a.csv", tmp_path])
    with pytest.raises(FileNotFoundError, match="nothing"):
        sources.find_files(tmp_path / "nothing.csv")
    with pytest.raises(FileNotFoundError, match=r"\*\.parquet"):
        sources.find_files(tmp_path / "*.parquet")
    (tmp_path / "notes.txt").touch()
    with pytest.raises(SourceError, match=r"notes\.txt: the name must end in"):
        sources.find_files(tmp_path)
    with pytest.raises(TypeError, match="source must be a path"):
        sources.find_files(7)
    (tmp_path / "empty").mkdir()
    with pytest.raises(FileNotFoundError, match="no file in it"):
        sources.find_files(tmp_path / "empty")
    with pytest.raises(FileNotFoundError, match="at least one file"):
        sources.find_files([])


def test_a_missing_column_names_the_file_and_its_columns(parquet):
    with pytest.raises(SourceError, match=r"a\.parquet: column 'z' is there 0 times.* x, y"):
        sources.describe_file(str(parquet), ["x", "z"])


def truncated(path):
    path.write_bytes(path.read_bytes()[:-20])


def beheaded(path):
    path.write_bytes(b"PAR1")


def removed(path):
    path.unlink()


@pytest.mark.parametrize("damage", [truncated, beheaded, removed])
def test_a_file_that_cannot_be_described_is_named(parquet, damage):
    damage(parquet)
    with pytest.raises(SourceError, match=r"a\.parquet: cannot be read"):
        sources.describe_file(str(parquet), ["x"])


def test_a_flipped_bit_is_found_where_the_file_has_checksums(tmp_path):
    path = tmp_path / "a.parquet"
    table = pa.table({"x": np.arange(1000.0)})
    pq.write_table(table, path, compression="none", use_dictionary=False, write_page_checksum=True)
    content = bytearray(path.read_bytes())
    content[2000] ^= 1
    path.write_bytes(content)
    described = sources.describe_file(str(path), ["x"])
    with pytest.raises(SourceError, match=r"a\.parquet: cannot be read: .*CRC"):
        rows_of(described, ["x"])


@pytest.mark.parametrize(
    "content", [b"x,y\n1,2\n3\n", b"x,y\n1,2\n\xff\xfe,4\n"], ids=["ragged", "not UTF-8"]
)
def test_a_csv_that_is_damaged_further_down_is_named(tmp_path, content):
    path = tmp_path / "a.csv"
    path.write_bytes(content)
    with pytest.raises(SourceError, match=r"a\.csv: cannot be read"):
        rows_of(sources.describe_file(str(path), ["x"]), ["x"])


def test_an_empty_csv_is_named(tmp_path):
    (tmp_path / "a.csv").touch()
    with pytest.raises(SourceError, match=r"a\.csv: .*first line"):
        sources.describe_file(str(tmp_path / "a.csv"), ["x"])


def test_a_file_that_changes_meanwhile_is_named(parquet):
    described = sources.describe_file(str(parquet), ["x"])
    os.utime(parquet, ns=(0, 12345))
    with pytest.raises(SourceError, match=r"a\.parquet: .*changed since the run began"):
        rows_of(described, ["x"])


def test_the_error_survives_the_way_to_another_process():
    error = pickle.loads(pickle.dumps(SourceError("a.csv: cannot be read")))
    assert str(error) == "a.csv: cannot be read"


def test_kinds_are_not_case_sensitive(tmp_path):
    write_csv(tmp_path / "A.CSV", 3)
    (found,) = sources.find_files(tmp_path)
    assert sources.describe_file(found, ["i"]).rows is None


@pytest.mark.parametrize("checksums", [False, True])
def test_a_flipped_bit_is_seen_where_the_writer_left_checksums(tmp_path, checksums):
    """The docstring of the module says so: without checksums another number is read."""
    path, values = tmp_path / "a.parquet", np.arange(1000.0)
    pq.write_table(
        pa.table({"x": values}),
        path,
        compression="none",
        use_dictionary=False,
        write_page_checksum=checksums,
    )
    content = bytearray(path.read_bytes())
    content[content.index(values[500:510].tobytes()) + 6] ^= 1
    path.write_bytes(content)
    described = sources.describe_file(str(path), ["x"])
    if checksums:
        with pytest.raises(SourceError, match=r"a\.parquet: cannot be read: .*CRC"):
            rows_of(described, ["x"])
    else:
        found = rows_of(described, ["x"]).column("x").to_numpy()
        assert np.flatnonzero(found != values).tolist() == [500]
