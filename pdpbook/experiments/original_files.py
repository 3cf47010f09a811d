"""Functions that find and read the original files.

A file with unexpected contents is refused; the error names the file, the column and the line.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pdpbook import _validate

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "POSITIVE",
    "WHOLE",
    "Check",
    "MissingFileError",
    "existing",
    "original",
    "read_edges",
    "read_table",
]


Check = tuple[str, Callable[[Any], Any]]
POSITIVE: Check = ("a number > 0", lambda x: x > 0)
WHOLE: Check = ("a whole number >= 0", lambda x: (x >= 0) & (x % 1 == 0))


class MissingFileError(FileNotFoundError, ValueError):
    """The error for an argument that names a file that does not exist."""


def existing(path: Any, layout: str) -> Path:
    """Return the path of an existing file, or of the layout's file in an existing folder.

    If there is no such file, :class:`MissingFileError` is raised.
    """
    if not isinstance(path, (str, Path)):
        raise _validate.fail("path", "a str, a Path or None", path, TypeError)
    file = Path(path) / layout if Path(path).is_dir() else Path(path)
    if not file.is_file():
        needed = f"an existing file or a folder with {layout}; there is no file {file}"
        raise _validate.fail("path", needed, str(path), MissingFileError)
    return file


def original(layout: str, path: str | os.PathLike[str] | None) -> Path | None:
    """Return the original file, or None if the bundled data are to be used.

    A given path must lead to a file.  ``PDPBOOK_DATA`` must name a folder, which need not contain
    every file of the layout.
    """
    if path is not None:
        return existing(path, layout)
    folder = os.environ.get("PDPBOOK_DATA")
    if not folder:
        return None
    if not Path(folder).is_dir():
        raise _validate.fail("PDPBOOK_DATA", "the name of a folder", folder, MissingFileError)
    file = Path(folder) / layout
    return file if file.is_file() else None


def read_table(
    file: Path, checks: dict[str, Check], *, labels: tuple[str, ...] = ()
) -> pd.DataFrame:
    """Read columns of numbers and of labels; the error for a bad number names its line."""
    import pandas as pd

    texts, lines = _texts(file)
    for column in (*checks, *labels):
        if list(texts.columns).count(column) != 1:
            raise ValueError(
                f"{file} must have the column {column!r} once, got {list(texts.columns)}"
            )
    frame = texts[list(labels)].copy()
    for column, (allowed, holds) in checks.items():
        values = pd.to_numeric(texts[column], errors="coerce").astype(float)
        bad = ~(np.isfinite(values) & holds(values))
        if bad.any():
            row = int(np.flatnonzero(bad)[0])
            raise ValueError(
                f"{file}, line {lines[row]}: {column} must be {allowed}, got {texts[column][row]!r}"
            )
        frame[column] = values
    return frame


def _texts(file: Path) -> tuple[pd.DataFrame, list[int]]:
    """Read a csv file, with every field as text, and the line number of each row."""
    import csv

    import pandas as pd

    rows: list[list[str]] = []
    lines: list[int] = []
    try:
        with file.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.reader(stream, strict=True)
            for row in filter(None, reader):
                if rows or not row[0].startswith("#"):  # comments precede the header
                    rows.append(row)
                    lines.append(reader.line_num)
    except (UnicodeDecodeError, csv.Error) as error:
        raise ValueError(f"{file} is not a csv file in UTF-8: {error}") from error
    if len(rows) < 2:
        raise ValueError(f"{file} must contain a header and at least 1 row, got {len(rows)} row(s)")
    for row, line in zip(rows, lines, strict=True):
        if len(row) != len(rows[0]):
            raise ValueError(
                f"{file}, line {line}: a row must have {len(rows[0])} fields, got {len(row)}"
            )
    return pd.DataFrame(rows[1:], columns=rows[0]), lines[1:]


def read_edges(file: Path) -> list[tuple[int, int]]:
    """Read one edge ``u v`` per line; the error for a bad edge names its line."""
    edges = []
    for number, line in enumerate(file.read_bytes().splitlines(), start=1):
        ends = line.split()
        if len(ends) != 2 or not all(end.isdigit() for end in ends):
            raise ValueError(
                f"{file}, line {number}: an edge must be two whole numbers, got {line[:40]!r}"
            )
        if int(ends[0]) == int(ends[1]):
            raise ValueError(f"{file}, line {number}: an edge must have two ends, got {line!r}")
        edges.append((int(ends[0]), int(ends[1])))
    if not edges:
        raise ValueError(f"{file} must contain at least one edge, got an empty file")
    return edges
