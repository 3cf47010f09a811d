"""Every row is in one piece, and what cannot be read is named."""

import os
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pdpbook.scaling import sources
from pdpbook.scaling.sources import SourceError


def rows_of(path, columns):
    described = sources.describe_file(str(path), columns)
    found = [batch for piece in described.pieces for batch in sources.read_piece(piece, columns)]
    return pa.Table.from_batches(found) if found else None


@pytest.fixture
def parquet(tmp_path: Path) -> Path:
    path = tmp_path / "a.parquet"
    values = np.arange(1000.0)
    pq.write_table(pa.table({"x": values, "y": -values}), path, row_group_size=90)
    return path


@pytest.mark.parametrize(("limit", "pieces"), [(1, 12), (90, 12), (200, 6), (10_000, 1)])
def test_every_row_of_parquet_is_in_one_piece(parquet, limit, pieces, monkeypatch):
    monkeypatch.setattr(sources, "PIECE_ROWS", limit)
    described = sources.describe_file(str(parquet), ["y", "x"])
    assert described.rows == 1000 and len(described.pieces) == pieces
    table = rows_of(parquet, ["y", "x"])
    assert table.column_names == ["y", "x"]  # as asked for, not as in the file
    assert table.column("x").to_pylist() == list(range(1000))


def test_a_csv_without_rows_has_none(tmp_path):
    (tmp_path / "A.CSV").write_text("x\n")
    empty = rows_of(tmp_path / "A.CSV", ["x"])
    assert empty is None or empty.num_rows == 0


def test_folders_patterns_and_lists(tmp_path):
    for name in ("b.parquet", "sub/A.CSV", "_SUCCESS", ".hidden.parquet", "_log/x.parquet"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    expected = [str(tmp_path / "b.parquet"), str(tmp_path / "sub" / "A.CSV")]
    assert sources.find_files(tmp_path) == expected
    assert sources.find_files(str(tmp_path / "*.parquet")) == expected[:1]
    assert sources.find_files([tmp_path / "sub", tmp_path / "b.parquet"]) == expected


def test_a_table_whose_files_keep_deleted_rows_is_refused(tmp_path):
    for log in ("_delta_log", ".hoodie"):
        folder = tmp_path / log[1:] / "day=1"
        (folder.parent / log).mkdir(parents=True)
        folder.mkdir()
        (folder / "a.parquet").touch()
        for source in (folder.parent, folder / "*.parquet"):
            with pytest.raises(
                SourceError, match=f"{log} determines which rows of its files are still valid"
            ):
                sources.find_files(source)


def test_files_that_make_no_table_are_named(tmp_path):
    (tmp_path / "a.csv").touch()
    (tmp_path / "empty").mkdir()
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "notes.txt").touch()
    for name, target in {"no": "none", "loop": ".", "to": "../more", "same": "../a.csv"}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "link.csv").symlink_to(target)
    for source, kind, said in [
        (tmp_path / "no", SourceError, r"link\.csv: must be a file"),
        (tmp_path / "loop", SourceError, r"link\.csv: there twice through a link"),
        (tmp_path / "to", SourceError, r"link\.csv.notes\.txt: must be a file"),
        ([tmp_path / "same", tmp_path / "more" / ".." / "a.csv"], SourceError, "a.csv: named twi"),
        (tmp_path / "more", SourceError, r"notes\.txt: must be a file whose name"),
        (tmp_path / "nothing.csv", FileNotFoundError, "nothing"),
        (tmp_path / "*.parquet", FileNotFoundError, r"\*\.parquet"),
        (tmp_path / "empty", FileNotFoundError, "a folder without files"),
        ([], FileNotFoundError, "at least one file"),
        (7, TypeError, "source must be a path"),
    ]:
        with pytest.raises(kind, match=said):
            sources.find_files(source)


def test_a_missing_column_names_the_file_and_its_columns(parquet):
    with pytest.raises(SourceError, match=r"a\.parquet: column 'z' occurs 0 times.* x, y"):
        sources.describe_file(str(parquet), ["x", "z"])
    (file := parquet.with_name("b.csv")).write_text("Ada,1.75\n")
    with pytest.raises(SourceError, match=r"occurs 0 times, not once, in 2 columns$"):
        sources.describe_file(str(file), ["x"])


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.parquet", b"PAR1"),
        ("a.parquet", None),
        ("a.csv", b""),
        ("a.csv", b"x,y\n1,2\n3\n"),
    ],
)
def test_a_file_that_cannot_be_read_is_named(tmp_path, name, content):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(SourceError, match=rf"{name}: cannot be read"):
        rows_of(tmp_path / name, ["x"])


def test_a_file_that_changes_meanwhile_is_named(parquet):
    described = sources.describe_file(str(parquet), ["x"])
    batches = sources.read_piece(described.pieces[0], ["x"])
    next(batches)
    os.utime(parquet, ns=(0, 12345))
    for rest in (batches, sources.read_piece(described.pieces[0], ["x"])):
        with pytest.raises(SourceError, match=r"a\.parquet: .*changed since the run began"):
            list(rest)


@pytest.mark.parametrize("checksums", [False, True])
def test_a_flipped_bit_is_seen_where_the_writer_left_checksums(tmp_path, checksums):
    """The docstring of the module says so: without checksums another number is read."""
    path, values = tmp_path / "a.parquet", np.arange(1000.0)
    how = {"compression": "none", "use_dictionary": False, "write_page_checksum": checksums}
    pq.write_table(pa.table({"x": values}), path, **how)
    content = bytearray(path.read_bytes())
    content[content.index(values[500:510].tobytes()) + 6] ^= 1
    path.write_bytes(content)
    if checksums:
        with pytest.raises(SourceError, match=r"a\.parquet: cannot be read: .*CRC"):
            rows_of(path, ["x"])
    else:
        found = rows_of(path, ["x"]).column("x").to_numpy()
        assert np.flatnonzero(found != values).tolist() == [500]
