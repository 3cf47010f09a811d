r"""The result of one pass over the rows: a few integers for each column.

A value is in one of the K bins of a public grid, or it is below the grid, above it, missing, or not
a number.  So K + 4 counts say what became of every row.  They add up: the tally of two pieces is
the sum of their tallies, however the table is divided and in whatever order the pieces come.  This
is all that an engine needs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdpbook._tables import numbers
from pdpbook.foundations.sampling_query import Grid

__all__ = ["ABOVE", "BELOW", "MISSING", "NON_NUMERIC", "extremes", "tally"]

#: Where the four other counts stand, after the K bins.
BELOW, ABOVE, MISSING, NON_NUMERIC = -4, -3, -2, -1
#: Values that are counted at a time: they stay in a processor's cache.  On a worker of Dask glibc
#: gives memory back at once and maps arrays of 128 KiB anew each time, which would cost more than
#: to count; these are smaller.
CHUNK = 2**12


def tally(batches: Iterable[Any], grids: Sequence[Grid]) -> NDArray[np.int64]:
    """Count the values of several columns, each on its grid, as by :meth:`pdpbook.Grid.index`.

    A row of the result, shape (columns, K + 4), is the histogram of the values inside, then how
    many values lie below the grid and above it, are missing, and are not numeric; it sums to the
    number of rows.
    """
    counts = np.zeros((len(grids), grids[0].bins + 4), dtype=np.int64)
    for batch in batches:
        for row, grid, column in zip(counts, grids, batch.columns, strict=True):
            values, strange = numbers(column)
            lacking, non_numeric = np.isnan(values), int(np.count_nonzero(strange))
            if absent := int(np.count_nonzero(lacking)):
                values = values[~lacking]
            row[MISSING] += absent - non_numeric
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
            values = numbers(column)[0]
            values = values[np.isfinite(values)]
            ends[0] = values.min(initial=ends[0])
            ends[1] = values.max(initial=ends[1])
    return found
