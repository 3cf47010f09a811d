r"""A column of categories, whose levels are public.

The levels of a column such as *education* are part of the release, like the range of a column of
numbers.  The user therefore gives them, in the order in which they are published, and they are
never read from the data: a list of the levels that occur would reveal that somebody has the rarest
of them, and no ε covers this.  A level that no record has is published like any other.  A value
that is not one of the levels is refused or, if the user names a level for all other values, counted
there.  Texts that look the same are the same level: an accent may be a separate character or not,
and blanks at the ends do not count.

After this check a record is the number of its level, from 0 to k − 1, and the column is a
:class:`pdpbook.own_data.Column` with one bin of width 1 for each level.  A table of counts by level
is then the histogram of n records in k bins, so its counts are released, drawn and accounted for as
in every other column (:mod:`pdpbook.own_data.releases`): a record changes one count by one, and
loses ε.

Levels have neither an order nor a distance.  A mean, quartiles, Laplace noise and the errors of
values that are drawn like the data need an order or a distance, so they are not offered, and the
releases are compared by the error of a count, in records.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pdpbook import _validate
from pdpbook._tables import canonical

__all__ = ["level_codes", "level_names", "only_counts"]

#: The largest number of levels, which is also the largest number of bins of a report.
MOST_LEVELS = 1024


def level_names(categories: ArrayLike, other: str | None = None) -> tuple[str, ...]:
    """Check the 2 to 1,024 levels of a column, of which ``other`` may be a further one."""
    listed = _validate.sequence("categories", categories)
    for each in listed:
        if not isinstance(each, str):
            kind = f"one of type {type(each).__name__}"
            raise TypeError(f"categories must contain texts, none of them empty, got {kind}")
        if not each.strip():
            raise ValueError("categories must contain texts, none of them empty, got an empty one")
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
    """Return the number of each record's level, from 0 to k - 1, and how many became ``other``."""
    levels = level_names(categories, other)
    if getattr(values, "ndim", 1) != 1:
        shape = getattr(values, "shape", None)
        raise ValueError(f"values must be one column, got an array of shape {shape}")
    records = _validate.sequence("values", values)
    if len(records) < 2:
        raise ValueError(f"values must contain at least 2 records, got {len(records)}")
    bad = [i for i, each in enumerate(records) if not isinstance(each, str) or not each.strip()]
    if bad:
        value = records[bad[0]]
        value = value.item() if isinstance(value, np.generic) else value
        raise TypeError(
            "values must all be texts and none of them empty, for categories; decide what a "
            f"missing value stands for before you report, got {len(bad)} of {len(records)} others, "
            f"the first in row {bad[0]}: {value!r}"
        )
    number = {level: code for code, level in enumerate(levels)}
    number |= {each: number.get(canonical(each), -1) for each in {*records}}
    codes = np.array([number[each] for each in records], dtype=np.int64)
    strange = np.flatnonzero(codes < 0)
    if strange.size and other is None:
        where = int(strange[0])
        raise ValueError(
            "values must be among the levels in categories unless other names a level for the "
            f"rest, got {strange.size} of {len(records)} that are not, the first in row {where}: "
            f"{records[where]!r}"
        )
    if other is not None:
        codes[strange] = number[canonical(other)]
    return codes, int(strange.size)


def only_counts(publish: str, bins: int | None) -> None:
    """Refuse statistics and numbers of bins that a column of categories cannot have."""
    if publish != "counts":
        raise _validate.fail(
            "publish", "'counts' for categories, which have no order and no distance", publish
        )
    if bins is not None:
        raise _validate.fail("bins", "left out for categories: each level is a bin", bins)
