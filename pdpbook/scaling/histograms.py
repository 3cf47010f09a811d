r"""One pass over a table, all columns at once: :func:`scan`.

The state of the game consists of K·V numbers, however many records there are.  Only the counting of
the records takes longer with more data, and counting can be divided, because the histogram of a
table is the sum of the histograms of its pieces.  The workers of a Dask cluster count the pieces
(:mod:`pdpbook.scaling.cluster`), and a second count of a piece gives the same numbers.

The ends of a grid should be public.  If the user gives them, they reveal nothing about the data.
If they are taken from the data, they are the smallest and the largest record, and no noise hides
these two records afterwards.  Therefore the user must request this explicitly and is warned.
"""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pdpbook import _validate
from pdpbook._files import different_files, local_path, write_whole
from pdpbook._repr import short_repr
from pdpbook._tables import canonical
from pdpbook.foundations.sampling_query import Grid
from pdpbook.scaling import tallies
from pdpbook.scaling.cluster import Progress, check_progress, connected, run_tasks
from pdpbook.scaling.sources import (
    FileDescription,
    Piece,
    SourceError,
    describe_file,
    find_files,
    read_piece,
    unchanged,
)

if TYPE_CHECKING:
    import pandas as pd
    from distributed import Client

__all__ = ["ColumnHistogram", "DataRangeWarning", "Histograms", "RefusedValuesError", "scan"]

LARGE_CSV = 2**30  #: size in bytes above which scan recommends converting a CSV file
FILES = 16  #: number of files that a task describes, because a task takes longer than a file
OTHERS = ("below", "above", "missing", "non_numeric")  #: rows that are counted besides the bins
FROM_DATA = "data"  #: given instead of a range that is to be taken from the data


class DataRangeWarning(UserWarning):
    """The warning that the ends of a grid are the values of two records."""


class RefusedValuesError(ValueError):
    """The error for values in the table for which the user has chosen no treatment."""


@dataclass(frozen=True, eq=False)
class ColumnHistogram:
    """The counts of a column after the pass.

    Attributes
    ----------
    name : str
    grid : Grid
    counts : ndarray of int, shape (K,)
        Records per bin, read-only; clipped values are in the first and the last bin.
    below, above : int
        Numbers of values outside the grid, clipped as the user requested.
    missing, non_numeric : int
        Numbers of rows without a value, and of rows whose value is not a number; none is in a bin.
    range_from_data : bool
        Whether the ends of the grid are values of records.
    """

    name: str
    grid: Grid
    counts: NDArray[np.int64]
    below: int
    above: int
    missing: int
    non_numeric: int
    range_from_data: bool

    __repr__ = short_repr

    @property
    def records(self) -> int:
        """Number n of records in the bins."""
        return int(self.counts.sum())

    def to_dict(self) -> dict[str, Any]:
        """Return the attributes as plain numbers and strings, for JSON."""
        return asdict(self) | {"counts": self.counts.tolist()}


@dataclass(frozen=True, eq=False)
class Histograms:
    """Histograms of the columns of a table, as :func:`scan` returns them; as secret as the table.

    Attributes
    ----------
    columns : tuple of ColumnHistogram
        The columns, in the requested order.
    rows : int
    files : tuple of str
    outside, missing, non_numeric : str
        The treatment of these kinds of values, as for :func:`scan`.
    """

    columns: tuple[ColumnHistogram, ...]
    rows: int
    files: tuple[str, ...]
    outside: str
    missing: str
    non_numeric: str

    __repr__ = short_repr

    def __getitem__(self, name: str) -> ColumnHistogram:
        """Return the histogram of a column."""
        for column in self.columns:
            if column.name == canonical(name):
                return column
        raise KeyError(f"no column {name!r} among {[each.name for each in self.columns]}")

    def report(self) -> pd.DataFrame:
        """Return a table of the numbers of rows of each kind, which must remain secret."""
        import pandas as pd

        lines = [{key: getattr(each, key) for key in ("records", *OTHERS)} for each in self.columns]
        return pd.DataFrame(lines, index=[column.name for column in self.columns])

    def to_dict(self) -> dict[str, Any]:
        """Return the attributes as plain numbers and strings, for JSON."""
        plain = {name: getattr(self, name) for name in self.__dataclass_fields__}
        columns = [column.to_dict() for column in self.columns]
        return plain | {"files": list(self.files), "columns": columns}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the histograms, completely or not at all, in a file that only its owner can read."""
        path = local_path("path", path)
        for file in self.files:
            different_files({file: Path(file), "path": path})
        write_whole(path, json.dumps(self.to_dict()).encode(), private=True)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Histograms:
        """Return the histograms in a file of :meth:`save`; any other file raises a ValueError."""
        path = local_path("path", path)
        try:
            plain, columns = json.loads(path.read_text(encoding="utf-8")), []
            for column in plain["columns"]:
                counts = _validate.counts_vector("counts", column["counts"], records=0)
                made = {"grid": (grid := Grid(**column["grid"])), "counts": _read_only(counts)}
                columns.append(ColumnHistogram(**column | made))
                rows = [plain["rows"], *(column[name] for name in OTHERS)]
                fit = len(counts) == grid.bins and rows[0] == sum(rows[3:], int(counts.sum()))
                if not fit or {*map(type, rows)} != {int} or min(rows) < 0:
                    raise ValueError("its counts must be whole numbers that agree with each other")
            if not 0 < len({canonical(each.name) for each in columns}) == len(columns):
                raise ValueError("its columns must be at least one, with different names")
            for key in ("outside", "missing", "non_numeric"):
                other = "clip" if key == "outside" else "exclude"
                _validate.choice(key, plain[key], "refuse", other)
            return cls(**plain | {"columns": tuple(columns), "files": tuple(plain["files"])})
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise ValueError(f"path must name a file of histograms, got {path}: {error}") from None


def _read_only(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    counts = counts.copy()
    counts.setflags(write=False)
    return counts


def scan(
    source: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    ranges: Mapping[str, tuple[float, float] | str],
    *,
    bins: int = 101,
    outside: str = "refuse",
    missing: str = "refuse",
    non_numeric: str = "refuse",
    client: Client | None = None,
    progress: Progress = False,
) -> Histograms:
    """Count the records of several columns of a table in one pass.

    Taught in *A billion records*.

    Parameters
    ----------
    source : path-like, or sequence of path-like
        Parquet and CSV files, a folder or a pattern, as :func:`pdpbook.scaling.sources.find_files`
        takes them.  Workers must see the files under the same absolute names.
    ranges : mapping of str to (lower, upper)
        For each requested column, the ends of its grid, which must be known without the data.  If
        ``"data"`` is given instead, the ends are the smallest and the largest value, which takes a
        separate pass, reveals two records, and causes a warning.
    bins : int
        Number K of bins of every grid.
    outside : {"refuse", "clip"}
        Treatment of values outside the range, including infinite values: raise an error after the
        pass, or count them in the nearest bin.
    missing, non_numeric : {"refuse", "exclude"}
        Treatment of rows without a value in a column, or with a value that is not a number: raise
        an error after the pass, or exclude them from the column's histogram and count them.
    client : distributed.Client, optional
        The cluster; by default a local cluster that ends with the call.  Dask's settings determine
        how long a call waits for missing or silent workers (see :mod:`pdpbook.scaling.cluster`).
    progress : bool or callable
        Whether to show a bar, or a function of (done, total) that is called after each piece.

    Returns
    -------
    Histograms

    Raises
    ------
    RefusedValuesError
        If values are refused; the message states their number and the first file with such values.
    SourceError
        If a file cannot be read, lacks a column or changes during the call.
    FileNotFoundError
        If there is no file.
    distributed.scheduler.NoWorkerError, distributed.scheduler.KilledWorker
        If a limit of Dask's settings is exceeded.  A pass stores nothing, so a repeated call counts
        from the beginning.
    OSError
        If the scheduler ends.
    ImportError
        If Dask or pyarrow is not installed.

    Warns
    -----
    DataRangeWarning
        If a range is taken from the data.
    UserWarning
        If a CSV file has more than 1 GiB, because a single worker must read it, or if line ends are
        inside quotation marks, because a stray quotation mark may have swallowed records.

    Examples
    --------
    >>> histograms = scan("players/*.parquet", {"height": (150, 240)})  # doctest: +SKIP
    >>> histograms["height"].records  # doctest: +SKIP
    1317
    """
    wanted = _ranges(ranges)
    bins = _validate.integer("bins", bins, at_least=2)
    outside = _validate.choice("outside", outside, "refuse", "clip")
    missing = _validate.choice("missing", missing, "refuse", "exclude")
    non_numeric = _validate.choice("non_numeric", non_numeric, "refuse", "exclude")
    check_progress(progress)
    names, paths = list(wanted), find_files(source)
    with connected(client) as engine:
        files = _describe(paths, names, progress, engine)
        _advise(files)
        pieces = [piece for file in files for piece in file.pieces]
        leaking = [name for name, ends in wanted.items() if ends is None]
        if leaking:
            wanted |= _data_ranges(pieces, leaking, progress, engine)
        grids = [Grid(ends[0], ends[1], bins) for ends in wanted.values() if ends]
        total = np.zeros((len(names), bins + 4), dtype=np.int64)
        first = np.full((len(names), 4), len(pieces))  # the first piece with such a value
        count = partial(_tally_piece, columns=names, grids=grids)
        folded = set()
        for index, (counts, ends) in run_tasks(
            count, pieces, client=engine, progress=progress, label="counting"
        ):
            total += counts
            folded |= {pieces[index].path} if ends else set()
            first = np.where(counts[:, -4:] > 0, np.minimum(first, index), first)
    for piece in {each.path: each for each in pieces}.values():  # it may change between two pieces
        with unchanged(piece):
            pass
    _check_rows(total, files)
    _refuse(names, total, first, pieces, (outside, outside, missing, non_numeric))
    if folded:
        warnings.warn(
            f"{len(folded)} of the files, such as {min(folded)}, have line ends inside quotation "
            "marks. Such line ends do not end a record, so a stray mark hides records",
            stacklevel=2,
        )
    columns = tuple(
        _column(name, grid, row, name in leaking)
        for name, grid, row in zip(names, grids, total, strict=True)
    )
    return Histograms(columns, int(total[0].sum()), tuple(paths), outside, missing, non_numeric)


def _ranges(ranges: Any) -> dict[str, tuple[float, float] | None]:
    """Return the public ends of each range, or None if they are to be taken from the data."""
    if not isinstance(ranges, Mapping) or not ranges:
        raise _validate.fail("ranges", "a mapping from columns to (lower, upper)", ranges)
    wanted: dict[str, tuple[float, float] | None] = {}
    for name, ends in ranges.items():
        what = f"ranges[{name!r}]"
        if not isinstance(name, str):
            raise _validate.fail("ranges", "a mapping whose keys are names", ranges, TypeError)
        name = canonical(name)
        if name in wanted:
            raise ValueError(f"ranges must name each column once, got {name!r} twice")
        if ends == FROM_DATA:
            wanted[name] = None
            continue
        if isinstance(ends, str) or not isinstance(ends, Sequence) or len(ends) != 2:
            raise _validate.fail(what, "(lower, upper) or 'data'", ends)
        grid = Grid(ends[0], ends[1], 2)  # refuse an invalid interval
        wanted[name] = (grid.lower, grid.upper)
    return wanted


def _describe(
    paths: list[str], names: list[str], progress: Progress, client: Client
) -> list[FileDescription]:
    """Describe every file on the workers; no piece is read yet."""
    look = partial(_look_at, columns=names)
    shown = progress if isinstance(progress, bool) else False
    parts = [paths[first : first + FILES] for first in range(0, len(paths), FILES)]
    found = run_tasks(look, parts, client=client, progress=shown, label="looking at files")
    return [file for _, files in sorted(found, key=lambda each: each[0]) for file in files]


def _look_at(paths: list[str], columns: list[str]) -> list[FileDescription]:
    """Describe some files on a worker."""
    return [describe_file(path, columns) for path in paths]


def _advise(files: Sequence[FileDescription]) -> None:
    """Warn of large files that one worker must read alone."""
    large = [file for file in files if file.rows is None and file.size > LARGE_CSV]
    if large:
        warnings.warn(
            f"{large[0].path} has {large[0].size / 2**30:.3g} GiB, and a single worker must read "
            "it, because a CSV file cannot be divided. Convert it to Parquet, so that all workers "
            "share it; pdpbook.scaling.sources explains how.",
            stacklevel=3,
        )


def _tally_piece(
    piece: Piece, columns: list[str], grids: list[Grid]
) -> tuple[NDArray[np.int64], int]:
    """On a worker, count a piece and its line ends inside quotation marks."""
    folded: list[int] = []
    return tallies.tally(read_piece(piece, columns, folded), grids), sum(folded)


def _extremes_of_piece(piece: Piece, columns: list[str]) -> NDArray[np.float64]:
    """On a worker, return the smallest and the largest value of each column of a piece."""
    return tallies.extremes(read_piece(piece, columns), len(columns))


def _data_ranges(
    pieces: list[Piece], names: list[str], progress: Progress, client: Client
) -> dict[str, tuple[float, float]]:
    """Take ranges from the data in a separate pass, and warn the user."""
    warnings.warn(
        f"the range of {', '.join(names)} is taken from the data: its ends are the values of two "
        "records, and no noise hides them. A range that is known without the data reveals nothing.",
        DataRangeWarning,
        stacklevel=3,
    )
    found = np.tile([np.inf, -np.inf], (len(names), 1))
    look = partial(_extremes_of_piece, columns=names)
    for _, ends in run_tasks(look, pieces, client=client, progress=progress, label="ranges"):
        found[:, 0] = np.minimum(found[:, 0], ends[:, 0])
        found[:, 1] = np.maximum(found[:, 1], ends[:, 1])
    ranges = {name: (low, high) for name, (low, high) in zip(names, found.tolist(), strict=True)}
    for name, (low, high) in ranges.items():
        if not low < high:
            got = "only one" if low == high else "no finite number"
            raise ValueError(
                f"column {name!r} must contain two different numbers to have a range, got {got}"
            )
    return ranges


def _check_rows(total: NDArray[np.int64], files: Sequence[FileDescription]) -> None:
    """Check that, in every column, as many rows were counted as the files declare."""
    sums = total.sum(axis=1)
    promised = [file.rows for file in files]
    if None not in promised and (sums != sum(rows or 0 for rows in promised)).any():
        raise SourceError(
            f"the files declare {sum(rows or 0 for rows in promised)} rows, "
            f"but {sums.tolist()} were counted"
        )


def _refuse(
    names: list[str],
    total: NDArray[np.int64],
    first: NDArray[np.int64],
    pieces: list[Piece],
    orders: tuple[str, ...],
) -> None:
    """Raise an error if there are values for which the user has chosen no treatment."""
    kinds = ("below the range", "above the range", "missing", "not numeric")
    advice = ("outside='clip'", "outside='clip'", "missing='exclude'", "non_numeric='exclude'")
    complaints = [
        f"column {name!r}: {int(total[j, k - 4])} {kinds[k]} (allowed by {advice[k]}), "
        f"the first in {pieces[first[j, k]].path}"
        for j, name in enumerate(names)
        for k in range(4)
        if orders[k] == "refuse" and total[j, k - 4]
    ]
    if complaints:
        raise RefusedValuesError("; ".join(complaints))


def _column(
    name: str, grid: Grid, row: NDArray[np.int64], range_from_data: bool
) -> ColumnHistogram:
    below, above, missing, non_numeric = row[-4:].tolist()
    counts = row[:-4].copy()
    counts[0] += below
    counts[-1] += above
    return ColumnHistogram(
        name, grid, _read_only(counts), below, above, missing, non_numeric, range_from_data
    )
