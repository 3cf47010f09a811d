r"""Tables in files: the list of files, their division into pieces, and the contents of a piece.

A table is a folder, a pattern or a list of Parquet and CSV files.  A *piece* is read by one task:
some row groups of a Parquet file, or a whole CSV file.  Every row is in exactly one piece, and a
worker has only one batch of a piece in memory at a time, so no file is too large.

A CSV file cannot be divided without reading it: whether a line end ends a record or belongs to a
quoted field depends on all quotation marks before it.  Therefore a single task reads a whole CSV
file (``pdpbook._tables``).  To divide a huge CSV file among the workers, convert it to Parquet, for
example with ``pyarrow.dataset.write_dataset(pyarrow.dataset.dataset("big.csv", format="csv"),
"big", format="parquet")``.

Nothing is left out silently.  An error that names the file is raised for a file of another kind in
a folder, a file that is named twice, a column that is missing, and a file that cannot be read or
that changes during the pass.

When a piece is read, the pass verifies the size and the time of change of the file, its footer or
first line, and the checksum of each Parquet page if its writer has stored one.  In the end, it
verifies that the numbers of rows agree with the footers.  The values themselves are not verified.
Most writers, including pyarrow by default, store no checksums, and then a bit that a disk has
flipped inside an uncompressed page changes a number without an error.  To have pages checked, write
them with ``pyarrow.parquet.write_table(..., write_page_checksum=True)``.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from pdpbook import _validate
from pdpbook._extras import require
from pdpbook._files import local_path
from pdpbook._tables import CsvFile, canonical

__all__ = ["FileDescription", "Piece", "SourceError", "describe_file", "find_files", "read_piece"]

KINDS = {".parquet": "parquet", ".pq": "parquet", ".csv": "csv"}
LOGS = ("_delta_log", ".hoodie")  #: folders in tables whose files still contain deleted rows
PIECE_ROWS = 4_000_000  #: largest number of rows of a Parquet piece with several row groups
BATCH_ROWS = 2**16  #: rows that are in memory at a time


class SourceError(ValueError):
    """The error for a file of the table that cannot be read; the message names it."""


@dataclass(frozen=True)
class Piece:
    """The input of one task: row groups from start to stop of a Parquet file, or a CSV file.

    The size in bytes and the time of the last change, in nanoseconds, were recorded when the file
    was described.
    """

    path: str
    size: int
    changed: int
    start: int
    stop: int


@dataclass(frozen=True)
class FileDescription:
    """A file and its pieces; ``rows`` is the number of rows in Parquet metadata, None for CSV."""

    path: str
    size: int
    rows: int | None
    pieces: tuple[Piece, ...]


def find_files(source: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> list[str]:
    """Return the absolute names of the files of a table, in order.

    A folder contributes all files in it and its subfolders, except files and folders whose names
    begin with ``_`` or a dot, like internal files of engines; a pattern with ``*`` or a list is
    also accepted.  If there are no files, a FileNotFoundError is raised; a name that occurs twice
    or does not end in ``.parquet``, ``.pq`` or ``.csv`` raises a :class:`SourceError`.
    """
    if isinstance(source, str | os.PathLike):
        source = [source]
    if not isinstance(source, Sequence) or not all(
        isinstance(each, str | os.PathLike) for each in source
    ):
        raise _validate.fail("source", "a path or a list of paths", source, TypeError)
    found = [path for each in source for path in _expand(local_path("source", each))]
    if not found:
        raise _validate.fail("source", "at least one file", list(source), FileNotFoundError)
    for path in found:
        if path.suffix.lower() not in KINDS or not path.is_file():  # such as a link to nothing
            raise SourceError(f"{path}: must be a file whose name ends in {', '.join(KINDS)}")
    for folder in {up for path in found for up in path.parents}:
        for log in LOGS:
            if (folder / log).is_dir():
                raise SourceError(
                    f"{folder}: {log} determines which rows of its files are still valid; write "
                    "these rows as Parquet with the engine that made this table"
                )
    names = sorted(os.path.abspath(path) for path in found)
    for one, next_one in pairwise(sorted(map(os.path.realpath, names))):
        if one == next_one:
            raise SourceError(f"{one}: named twice, or linked, so its rows would count twice")
    return names


def _expand(path: Path) -> list[Path]:
    """Return the files of one entry."""
    if path.is_dir():
        found = [*_files_below(path, set())]
    elif path.exists() or not glob.has_magic(str(path)):
        found = [path]
    else:
        found = [Path(each) for each in glob.glob(str(path))]
    if not found or not (path.is_dir() or all(each.is_file() for each in found)):
        raise FileNotFoundError(f"{path}: no such file, or a folder without files")
    return found


def _files_below(folder: Path, seen: set[str]) -> Iterator[Path]:
    """Yield the files in a folder and its subfolders, of which some may be links."""
    if (real := os.path.realpath(folder)) in seen:
        raise SourceError(f"{folder}: there twice through a link, so its rows would count twice")
    seen.add(real)
    for path in folder.iterdir():
        if not path.name.startswith(("_", ".")):
            yield from _files_below(path, seen) if path.is_dir() else [path]


@contextmanager
def _named(path: str) -> Iterator[None]:
    """Convert any error during the reading of a file to an error that names the file."""
    arrow = require("pyarrow")
    try:
        yield
    except (arrow.ArrowException, OSError, ValueError) as error:
        # an error of the reader may be lost on the way to another process, but not its text
        raise SourceError(f"{path}: cannot be read: {error}") from None


def describe_file(path: str, columns: Sequence[str]) -> FileDescription:
    """Return the pieces of a Parquet or CSV file, from its footer or its first line.

    The names of columns must have the form that ``pdpbook._tables.canonical`` returns.  A file that
    cannot be read or lacks a column raises a :class:`SourceError` without fields of a CSV file.
    """
    local_path("path", path)
    rows: int | None = None
    with _named(path):
        status = os.stat(path)
        size, changed = status.st_size, status.st_mtime_ns
        if _is_csv(path):
            names, parts = CsvFile(path).names, [(0, 0)]
        else:
            rows, names, parts = _row_groups(path)
    there = f"{len(names)} columns" if rows is None else f"the columns {', '.join(names)}"
    for column in columns:
        if (n := names.count(column)) != 1:
            raise SourceError(f"{path}: column {column!r} occurs {n} times, not once, in {there}")
    pieces = tuple(Piece(path, size, changed, start, stop) for start, stop in parts)
    return FileDescription(path, size, rows, pieces)


def _row_groups(path: str) -> tuple[int, list[str], list[tuple[int, int]]]:
    """Return the number of rows, the columns, and ranges of row groups of a Parquet file."""
    parquet = require("pyarrow.parquet")
    with parquet.ParquetFile(path) as file:
        metadata, names = file.metadata, [*map(canonical, file.schema_arrow.names)]
        parts, start, rows = [], 0, 0
        for group in range(metadata.num_row_groups):
            more = metadata.row_group(group).num_rows
            if rows and rows + more > PIECE_ROWS:
                parts.append((start, group))
                start, rows = group, 0
            rows += more
        if rows:
            parts.append((start, metadata.num_row_groups))
        return metadata.num_rows, names, parts


def _is_csv(path: str) -> bool:
    return KINDS[Path(path).suffix.lower()] == "csv"


@contextmanager
def unchanged(piece: Piece) -> Iterator[None]:
    """Raise an error that names the file if it changes before the end of the ``with`` statement."""
    with _named(piece.path):
        for entering in (True, False):
            status = os.stat(piece.path)
            if (status.st_size, status.st_mtime_ns) != (piece.size, piece.changed):
                raise OSError("it has changed since the run began")
            if entering:
                yield


def read_piece(
    piece: Piece, columns: Sequence[str], folded: list[int] | None = None
) -> Iterator[Any]:
    """Read some columns of a piece in batches: at most 65,536 rows, or 1 MiB of a CSV file.

    In the end, the number of line ends inside quotation marks of a CSV file is appended to
    ``folded``.  A file that is unreadable or has changed raises a :class:`SourceError`.
    """
    named = partial(require("pyarrow").RecordBatch.from_arrays, names=[*columns])
    with unchanged(piece):
        if _is_csv(piece.path):
            file, header = CsvFile(piece.path), 1
            for batch in file.batches([file.names.index(each) for each in columns]):
                yield named(batch.slice(header).columns)
                header = 0
            if folded is not None:
                folded.append(file.folded)
            return
        parquet = require("pyarrow.parquet")
        # a buffered stream instead of whole column chunks keeps the use of memory low
        options = {"buffer_size": 2**20, "pre_buffer": False, "page_checksum_verification": True}
        with parquet.ParquetFile(piece.path, **options) as file:
            names = {canonical(each): each for each in file.schema_arrow.names}
            there = [names[each] for each in columns]
            for batch in file.iter_batches(
                BATCH_ROWS,
                row_groups=range(piece.start, piece.stop),
                columns=there,
                use_threads=False,
            ):
                # the columns may have another order in the file
                yield named(batch.select(there).columns)
