r"""One pass over a table, all columns at once: :func:`scan`.

The state of the game is K·V numbers, whatever the number of records is.  Only the pass that counts
the records grows with the data, and counting can be divided, because the histogram of a table is
the sum of the histograms of its pieces.  The workers of a Dask cluster count the pieces
(:mod:`pdpbook.scaling.cluster`), and a piece that is counted twice gives the same numbers twice.

The ends of a grid should be public.  If the user gives them, they reveal nothing about the data.
If they are taken from the data, they are the smallest and the largest record, and no noise hides
these two afterwards.  So the user has to ask for this by name, and is warned.

A :class:`Histograms` is as private as the table.
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
from pdpbook._files import different_files, write_whole
from pdpbook._repr import short_repr
from pdpbook.foundations.sampling_query import Grid
from pdpbook.scaling import tallies
from pdpbook.scaling.cluster import Progress, connected, run_tasks
from pdpbook.scaling.shared_files import local_path
from pdpbook.scaling.sources import (
    FileDescription,
    Piece,
    SourceError,
    describe_file,
    find_files,
    read_piece,
)

if TYPE_CHECKING:
    import pandas as pd
    from distributed import Client

__all__ = ["ColumnHistogram", "DataRangeWarning", "Histograms", "RefusedValuesError", "scan"]

LARGE_CSV = 2**30  #: bytes of a CSV file from which on scan advises to convert it
FILES = 16  #: files that one task looks at, which takes less time than a task costs
FROM_DATA = "data"  #: the range of a column that the user wants to be taken from the data


class DataRangeWarning(UserWarning):
    """The ends of a grid are two records."""


class RefusedValuesError(ValueError):
    """The table holds values that the user did not say what to do with."""


@dataclass(frozen=True, eq=False)
class ColumnHistogram:
    """What is known of a column after the pass.

    Attributes
    ----------
    name : str
    grid : Grid
    counts : ndarray of int, shape (K,)
        Records per bin, read-only; clipped values are in the first and the last.
    below, above : int
        Values outside the grid.  They are clipped: if there are any, the user said so.
    missing, non_numeric : int
        Rows without a value, and with one that is no number.  They are in no bin.
    range_from_data : bool
        Whether the ends of the grid are records.
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
        """Number n of records that are in a bin."""
        return int(self.counts.sum())

    def to_dict(self) -> dict[str, Any]:
        """Return the same as plain numbers and words, for JSON."""
        return asdict(self) | {"counts": self.counts.tolist()}


@dataclass(frozen=True, eq=False)
class Histograms:
    """Histograms of the columns of a table: made by :func:`scan`, and as private as the table.

    Attributes
    ----------
    columns : tuple of ColumnHistogram
        In the order in which they were asked for.
    rows : int
    files : tuple of str
    outside, missing, non_numeric : str
        What the user said to do with such values.
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
            if column.name == name:
                return column
        raise KeyError(f"no column {name!r}; there are {[each.name for each in self.columns]}")

    def report(self) -> pd.DataFrame:
        """Return what became of every row, a line for each column.  It is private."""
        import pandas as pd

        names = ("records", "below", "above", "missing", "non_numeric")
        lines = [{name: getattr(column, name) for name in names} for column in self.columns]
        return pd.DataFrame(lines, index=[column.name for column in self.columns])

    def to_dict(self) -> dict[str, Any]:
        """Return the same as plain numbers and words, for JSON."""
        plain = {name: getattr(self, name) for name in ("rows", "outside", "missing")}
        plain |= {"non_numeric": self.non_numeric, "files": list(self.files)}
        return plain | {"columns": [column.to_dict() for column in self.columns]}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Keep the histograms in a file that only its owner can read, whole or not at all."""
        path = local_path("path", path)
        for file in self.files:
            different_files({file: Path(file), "path": path})
        write_whole(path, json.dumps(self.to_dict()).encode(), private=True)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Histograms:
        """Return what :meth:`save` has kept; a ValueError says if the file holds something else."""
        path = local_path("path", path)
        try:
            plain = json.loads(path.read_text(encoding="utf-8"))
            columns = [
                ColumnHistogram(
                    **column
                    | {
                        "grid": Grid(**column["grid"]),
                        "counts": _read_only(
                            _validate.counts_vector("counts", column["counts"], records=0)
                        ),
                    }
                )
                for column in plain["columns"]
            ]
            files = tuple(plain["files"])
            return cls(**plain | {"columns": tuple(columns), "files": files})
        except (ValueError, TypeError, KeyError) as error:
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

    Parameters
    ----------
    source : path-like, or sequence of path-like
        Parquet and CSV files, a folder or a pattern: :func:`pdpbook.scaling.sources.find_files`.
        Workers must see the files under the same absolute names.
    ranges : mapping of str to (lower, upper)
        For each column that is wanted the ends of its grid, known without the data.  ``"data"``
        instead takes the smallest and the largest value, which is a pass of its own, gives two
        records away, and warns.
    bins : int
        Number K, of every grid.
    outside : {"refuse", "clip"}
        What to do with values outside of the range, infinite ones among them: raise after the pass,
        or count them in the bin that is nearest.
    missing, non_numeric : {"refuse", "exclude"}
        What to do with rows that have no value in a column, or one that is no number: raise after
        the pass, or leave them out of that column's histogram.  Either way they are counted.
    client : distributed.Client, optional
        The cluster; a local one for the time of the call if not given.  How long a call waits for
        workers that are not there, or are silent, is Dask's to say: :mod:`pdpbook.scaling.cluster`
        names the settings.
    progress : bool or callable
        Whether to show a bar, or a function of (done, total) that is called after each piece.

    Raises
    ------
    RefusedValuesError
        If a value is refused; the message counts them all and names the first file with one.
    SourceError
        If a file cannot be read, lacks a column or changes meanwhile.
    FileNotFoundError
        If there is no file.
    distributed.scheduler.NoWorkerError, distributed.scheduler.KilledWorker
        If Dask's patience with the cluster ends.  A pass keeps nothing: the same call counts from
        the beginning.
    OSError
        If the scheduler ends.
    ImportError
        If Dask or pyarrow is not installed.

    Warns
    -----
    DataRangeWarning
        If a range is taken from the data.
    UserWarning
        If a CSV file has more than 1 GiB: one worker reads it alone.

    Notes
    -----
    Taught in *A billion records*.

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
        for index, counts in run_tasks(
            count, pieces, client=engine, progress=progress, label="counting"
        ):
            total += counts
            first = np.where(counts[:, -4:] > 0, np.minimum(first, index), first)
    _check_rows(total, files)
    _refuse(names, total, first, pieces, (outside, outside, missing, non_numeric))
    columns = tuple(
        _column(name, grid, row, name in leaking)
        for name, grid, row in zip(names, grids, total, strict=True)
    )
    rows = int(total[0].sum())
    return Histograms(columns, rows, tuple(paths), outside, missing, non_numeric)


def _ranges(ranges: Any) -> dict[str, tuple[float, float] | None]:
    """Return the ends that are public, and None for those that are to come from the data."""
    if not isinstance(ranges, Mapping) or not ranges:
        raise _validate.fail("ranges", "a mapping from columns to (lower, upper)", ranges)
    wanted: dict[str, tuple[float, float] | None] = {}
    for name, ends in ranges.items():
        what = f"ranges[{name!r}]"
        if not isinstance(name, str):
            raise _validate.fail("ranges", "a mapping whose keys are names", ranges, TypeError)
        if ends == FROM_DATA:
            wanted[name] = None
            continue
        if isinstance(ends, str) or not isinstance(ends, Sequence) or len(ends) != 2:
            raise _validate.fail(what, "(lower, upper) or 'data'", ends)
        grid = Grid(ends[0], ends[1], 2)  # refuses what is no interval
        wanted[name] = (grid.lower, grid.upper)
    return wanted


def _describe(
    paths: list[str], names: list[str], progress: Progress, client: Client
) -> list[FileDescription]:
    """Look at every file, on the workers; no piece is read yet."""
    look = partial(_look_at, columns=names)
    shown = progress if isinstance(progress, bool) else False
    parts = [paths[first : first + FILES] for first in range(0, len(paths), FILES)]
    found = run_tasks(look, parts, client=client, progress=shown, label="looking at files")
    return [file for _, files in sorted(found, key=lambda each: each[0]) for file in files]


def _look_at(paths: list[str], columns: list[str]) -> list[FileDescription]:
    """Look at some files, on a worker."""
    return [describe_file(path, columns) for path in paths]


def _advise(files: Sequence[FileDescription]) -> None:
    """Say which files one worker reads alone although they are large."""
    large = [file for file in files if file.rows is None and file.size > LARGE_CSV]
    if large:
        warnings.warn(
            f"{large[0].path} has {large[0].size / 2**30:.3g} GiB, and one worker reads all of it, "
            "since a CSV file cannot be divided. Converted to Parquet, it would be shared by all "
            "workers; pdpbook.scaling.sources says how.",
            stacklevel=3,
        )


def _tally_piece(piece: Piece, columns: list[str], grids: list[Grid]) -> NDArray[np.int64]:
    """Count a piece, on a worker."""
    return tallies.tally(read_piece(piece, columns), grids)


def _extremes_of_piece(piece: Piece, columns: list[str]) -> NDArray[np.float64]:
    """Find the ends of a piece, on a worker."""
    return tallies.extremes(read_piece(piece, columns), len(columns))


def _data_ranges(
    pieces: list[Piece], names: list[str], progress: Progress, client: Client
) -> dict[str, tuple[float, float]]:
    """Take ranges from the data, in a pass of their own, and warn."""
    warnings.warn(
        f"the range of {', '.join(names)} is taken from the data: its ends are the values of two "
        "records, and no noise hides them. A range that is known without the data costs nothing.",
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
            got = f"{low:g} alone" if low == high else "no finite number"
            raise ValueError(
                f"column {name!r} must hold two different numbers to have a range, got {got}"
            )
    return ranges


def _check_rows(total: NDArray[np.int64], files: Sequence[FileDescription]) -> None:
    """Every row of every column must have been counted, and as many as the files promise."""
    sums = total.sum(axis=1)
    promised = [file.rows for file in files]
    if None not in promised and (sums != sum(rows or 0 for rows in promised)).any():
        raise SourceError(
            f"the files promise {sum(rows or 0 for rows in promised)} rows, "
            f"{sums.tolist()} were counted"
        )


def _refuse(
    names: list[str],
    total: NDArray[np.int64],
    first: NDArray[np.int64],
    pieces: list[Piece],
    orders: tuple[str, ...],
) -> None:
    """Raise if there are values that the user did not say what to do with."""
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
