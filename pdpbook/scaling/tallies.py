r"""The result of one pass over the rows: a few integers for each column.

A value is in one of the K bins of a public grid, or it is below the grid, above it, missing, or not
a number.  So K + 4 counts account for all rows.  The counts are additive: the tally of two pieces
is the sum of their tallies, however the table is divided and in whatever order the pieces are
counted.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdpbook._compile import njit
from pdpbook._tables import numbers
from pdpbook.foundations.sampling_query import Grid

__all__ = ["ABOVE", "BELOW", "MISSING", "NON_NUMERIC", "extremes", "tally"]

#: The positions of the four other counts, after the K bins.
BELOW, ABOVE, MISSING, NON_NUMERIC = -4, -3, -2, -1


def tally(batches: Iterable[Any], grids: Sequence[Grid]) -> NDArray[np.int64]:
    """Count the values of several columns, each on its grid, as :meth:`pdpbook.Grid.index` does.

    A row of the result, shape (columns, K + 4), contains the histogram of the values inside the
    grid, and then the numbers of values below it, above it, missing, and not numeric.  The sum of a
    row is the number of rows of the table.
    """
    counts = np.zeros((len(grids), grids[0].bins + 4), dtype=np.int64)
    for batch in batches:
        for row, grid, column in zip(counts, grids, batch.columns, strict=True):
            values, strange = numbers(column)
            non_numeric = int(np.count_nonzero(strange))
            values.setflags(write=False)  # like a column that is read without a copy
            _count_values(values, grid.lower, grid.upper, row)
            row[MISSING] -= non_numeric
            row[NON_NUMERIC] += non_numeric
    return counts


@njit
def _count_values(values: Any, lower: float, upper: float, counts: Any) -> None:
    """Add values to a row of counts in one pass and without another array."""
    bins, width = counts.size - 4, upper - lower
    for value in values:
        if value < lower:
            counts[BELOW] += 1
        elif value > upper:
            counts[ABOVE] += 1
        elif not math.isnan(value):
            counts[min(int((value - lower) / width * bins), bins - 1)] += 1
        else:
            counts[MISSING] += 1


def extremes(batches: Iterable[Any], columns: int) -> NDArray[np.float64]:
    """Return the smallest and the largest finite number of each column, shape (columns, 2).

    If a column has no finite number, they are inf and -inf.
    """
    found = np.tile([np.inf, -np.inf], (columns, 1))
    for batch in batches:
        for ends, column in zip(found, batch.columns, strict=True):
            values = numbers(column)[0]
            values = values[np.isfinite(values)]
            ends[0] = values.min(initial=ends[0])
            ends[1] = values.max(initial=ends[1])
    return found
