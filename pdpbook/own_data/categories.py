"""A column of categories, whose levels are public.

The user gives the levels in the order in which they are published, and they are never read from the
data: a list of the levels that occur would reveal that somebody has the rarest level, and no ε
covers this.  A level that no record has is published like any other.  A value that is not a level
is refused or, if the user names a level for all other values, counted under that level.  Strings
that look the same are the same level: an accent may or may not be a separate character, and spaces
at either end do not count.

After this check, a record is represented by the number of its level, from 0 to k − 1, and the
column is a :class:`pdpbook.own_data.Column` with one bin of width 1 for each level.  Its counts are
released, drawn and accounted for like those of any other column (:mod:`pdpbook.own_data.releases`).
Levels have neither an order nor a distance, so a mean, quartiles, Laplace noise and the errors of
drawn values are not offered.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pdpbook import _validate
from pdpbook._tables import canonical

__all__ = ["level_codes", "level_names", "only_counts", "refuse_rows"]

#: The largest number of levels, and of the bins of a report.
MOST_LEVELS = 1024


def level_names(categories: ArrayLike, other: str | None = None) -> tuple[str, ...]:
    """Check the 2 to 1,024 levels of a column; ``other`` may be a further level."""
    listed = _validate.sequence("categories", categories)
    for each in listed:
        if not isinstance(each, str):
            kind = f"one of type {type(each).__name__}"
            raise TypeError(f"categories must contain texts, none of them empty, got {kind}")
        if not each.strip():
            raise ValueError("categories must contain texts, none of them empty, got an empty text")
    levels = [canonical(each) for each in listed]
    for place, each in enumerate(levels):
        if each in levels[:place]:
            raise ValueError(f"categories must name each level once, got {each!r} twice")
    if other is not None:
        if not isinstance(other, str):
            raise _validate.fail("other", "the name of a level", other, TypeError)
        if not other.strip():
            raise _validate.fail("other", "the name of a level and not empty", other)
        if canonical(other) not in levels:
            levels.append(canonical(other))
    if not 2 <= len(levels) <= MOST_LEVELS:
        allowed = f"from 2 to {MOST_LEVELS:,} levels"
        raise ValueError(f"categories must contain {allowed}, got {len(levels)}")
    return tuple(levels)


def level_codes(
    values: ArrayLike, categories: ArrayLike, other: str | None = None
) -> tuple[NDArray[np.int64], int]:
    """Return each record's level, from 0 to k - 1, and the number of records moved to ``other``."""
    levels = level_names(categories, other)
    if getattr(values, "ndim", 1) != 1:
        raise ValueError(f"values must be one column, got an array of shape {np.shape(values)}")
    records = _validate.sequence("values", values)
    if len(records) < 2:
        raise ValueError(f"values must contain at least 2 records, got {len(records)}")
    refuse_rows(
        records,
        [not isinstance(each, str) or not each.strip() for each in records],
        "be texts, none of them empty, for categories; decide what a missing value stands for "
        "before you report",
        "that are not",
        TypeError,
    )
    number = {level: code for code, level in enumerate(levels)}
    number |= {each: number.get(canonical(each), -1) for each in {*records}}
    codes = np.array([number[each] for each in records], dtype=np.int64)
    strange = codes < 0
    if other is None:
        among = "be among the levels in categories unless other names a level for the rest"
        refuse_rows(records, strange, among, "that are not")
    if other is not None:
        codes[strange] = number[canonical(other)]
    return codes, int(strange.sum())


def refuse_rows(
    values: Any, bad: ArrayLike, must: str, what: str, error: type[Exception] = ValueError
) -> None:
    """Refuse a column with bad values; the message states their number and the first row."""
    rows = np.flatnonzero(bad)
    if rows.size:
        found = f"{rows.size} of {len(values)} {what}, the first in row {rows[0]}"
        raise error(f"values must {must}, got {found}")


def only_counts(publish: str, bins: int | None) -> None:
    """Refuse statistics and numbers of bins that a column of categories cannot have."""
    if publish != "counts":
        raise _validate.fail(
            "publish", "'counts' for categories, which have no order and no distance", publish
        )
    if bins is not None:
        raise _validate.fail("bins", "left out for categories: each level is a bin", bins)
