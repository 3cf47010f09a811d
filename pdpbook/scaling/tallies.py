r"""The result of one pass over the rows: a few integers for each column.

A value is in one of the K bins of a public grid, or it is below the grid, above it, missing, or not
a number.  So K + 4 counts account for every row.  They are additive: the tally of two pieces is the
sum of their tallies, however the table is divided and in whatever order the pieces are counted.
This is all that an engine needs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdpbook._extras import require
from pdpbook.foundations.sampling_query import Grid

__all__ = ["ABOVE", "BELOW", "MISSING", "NON_NUMERIC", "extremes", "numbers_of", "tally"]

#: Where the four other counts stand, after the K bins.
BELOW, ABOVE, MISSING, NON_NUMERIC = -4, -3, -2, -1
#: Values that are counted at a time: they stay in a processor's cache.  On a worker of Dask glibc
#: gives memory back at once and maps arrays of 128 KiB anew each time, which would cost more than
#: to count; these are smaller.
CHUNK = 2**12


def numbers_of(array: Any) -> tuple[NDArray[np.float64], int, int]:
    """Split a column of a batch into its numbers and how many are missing, or are no numbers.

    Infinite ones are numbers; nulls and nan are missing.  Words are numbers if Python's ``float``
    would read them and they say a number; anything else (truth values, dates) is not numeric.
    """
    arrow, types = require("pyarrow"), require("pyarrow.types")
    if types.is_dictionary(array.type):
        array = array.dictionary_decode()
    missing = array.null_count
    if missing:
        array = array.drop_null()
    kind = array.type
    if types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind):
        values, non_numeric = _words(array)
    elif types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind):
        values = _doubles(array.cast(arrow.float64(), safe=False))
        non_numeric = 0
    else:
        return np.empty(0), missing, len(array)
    absent = np.isnan(values)
    if absent.any():
        missing += int(absent.sum())
        values = values[~absent]
    return values, missing, non_numeric


def _doubles(array: Any) -> NDArray[np.float64]:
    """Look at an array of doubles without nulls through NumPy.

    Its method ``to_numpy`` imports pandas, which takes half a second on each new worker.
    """
    return np.asarray(np.from_dlpack(array), dtype=np.float64)


def _words(array: Any) -> tuple[NDArray[np.float64], int]:
    """Read words as numbers; return them and how many are none."""
    arrow, compute = require("pyarrow"), require("pyarrow.compute")
    trimmed = compute.utf8_trim_whitespace(array.cast(arrow.large_string()))
    try:
        return _doubles(trimmed.cast(arrow.float64())), 0
    except arrow.ArrowInvalid:  # some word is no number: look at each
        values, non_numeric = [], 0
        for word in trimmed.to_pylist():
            try:
                values.append(float(word.replace("_", "?")))  # Python would read 1_000
            except ValueError:
                non_numeric += 1
        return np.array(values, dtype=np.float64), non_numeric


def tally(batches: Iterable[Any], grids: Sequence[Grid]) -> NDArray[np.int64]:
    """Count the values of several columns, each on its grid, as by :meth:`pdpbook.Grid.index`.

    A row of the result, shape (columns, K + 4), is the histogram of the values inside, then how
    many values lie below the grid and above it, are missing, and are not numeric; it sums to the
    number of rows.
    """
    counts = np.zeros((len(grids), grids[0].bins + 4), dtype=np.int64)
    for batch in batches:
        for row, grid, column in zip(counts, grids, batch.columns, strict=True):
            values, missing, non_numeric = numbers_of(column)
            row[MISSING] += missing
            row[NON_NUMERIC] += non_numeric
            for first in range(0, values.size, CHUNK):
                _count(values[first : first + CHUNK], grid, row)
    return counts


def _count(values: NDArray[np.float64], grid: Grid, row: NDArray[np.int64]) -> None:
    """Add a few values to the counts of a column."""
    below, above = values < grid.lower, values > grid.upper
    under, over = int(np.count_nonzero(below)), int(np.count_nonzero(above))
    if under or over:
        row[BELOW] += under
        row[ABOVE] += over
        values = values[~(below | above)]
    row[: grid.bins] += np.bincount(grid._bins_of(values), minlength=grid.bins)


def extremes(batches: Iterable[Any], columns: int) -> NDArray[np.float64]:
    """Return the smallest and the largest finite number of each column, shape (columns, 2).

    They are inf and -inf where there is no finite number.
    """
    found = np.tile([np.inf, -np.inf], (columns, 1))
    for batch in batches:
        for ends, column in zip(found, batch.columns, strict=True):
            values = numbers_of(column)[0]
            values = values[np.isfinite(values)]
            ends[0] = values.min(initial=ends[0])
            ends[1] = values.max(initial=ends[1])
    return found
