"""The columns and groups of a table whose releases are audited.

Only the columns that a query names are read, and each column is checked when it is first used.  The
groups of several columns are computed once for all queries that share them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pdpbook import _validate

__all__ = ["AuditedTable", "label_codes"]

Floats = NDArray[np.float64]


class AuditedTable:
    """The columns of a table, checked when they are first used, and its groups, computed once."""

    def __init__(self, table: Any) -> None:
        if not isinstance(table, (pd.DataFrame, Mapping)):
            raise _validate.fail("table", "a DataFrame or a mapping of columns", table, TypeError)
        self._table = table
        self._groups: dict[tuple[str, ...], tuple[NDArray[np.int64], int]] = {}
        if isinstance(table, pd.DataFrame):
            self.records = len(table)
        else:
            try:
                lengths = {str(name): len(table[name]) for name in table}
            except TypeError:
                got = f"columns {list(table)!r}"
                raise TypeError(f"table must have columns of equal length, got {got}") from None
            if len(set(lengths.values())) > 1:
                raise ValueError(f"table must have columns of equal length, got {lengths}")
            self.records = next(iter(lengths.values()), 0)
        if self.records < 1:
            raise ValueError("table must contain at least one record, got none")

    def _column(self, name: str) -> Any:
        if name not in self._table:
            listed = ", ".join(map(repr, self._table.keys()))
            raise ValueError(f"table must have the column {name!r} of a query, got {listed}")
        found = self._table[name]
        if getattr(found, "ndim", 1) != 1:
            raise ValueError(f"table must have one column {name!r}, got shape {found.shape}")
        return found

    def numbers(self, name: str | None) -> Floats:
        """Return a column of finite numbers."""
        assert name is not None
        found = self._column(name)
        if isinstance(found, pd.Series) and pd.api.types.is_any_real_numeric_dtype(found):
            found = found.to_numpy(dtype=np.float64, na_value=np.nan)
        return _validate.finite_vector(f"table[{name!r}]", found)

    def flags(self, name: str) -> NDArray[np.bool_]:
        """Return a column of Booleans."""
        return _validate.booleans(f"table[{name!r}]", self._column(name))

    def groups(self, by: tuple[str, ...]) -> tuple[NDArray[np.int64], int]:
        """Return the index of each record's group, and the number of groups."""
        if not by:
            return np.zeros(self.records, dtype=np.int64), 1
        if by not in self._groups:
            codes = np.zeros(self.records, dtype=np.int64)
            for name in by:
                more, labels = label_codes(f"table[{name!r}]", self._column(name), self.records)
                _, codes = np.unique(codes * len(labels) + more, return_inverse=True)
            self._groups[by] = codes, int(codes.max()) + 1
        return self._groups[by]


def label_codes(name: str, labels: Any, records: int) -> tuple[NDArray[np.int64], list[Any]]:
    """Return the index of each record's label, and the list of the labels in order."""
    if not isinstance(labels, (pd.Series, pd.Categorical)):
        labels = _validate.sequence(name, labels)
    if len(labels) != records:
        needed = f"contain a label for each of {records} records"
        raise ValueError(f"{name} must {needed}, got {len(labels)}")
    try:
        codes, found = pd.factorize(pd.Series(labels).astype(object), sort=True)
    except (TypeError, ValueError):
        kind = type(next(iter(labels)))
        raise _validate.fail(name, "labels that can be put in order", kind) from None
    if missing := int((codes < 0).sum()):
        raise ValueError(f"{name} must contain no missing value, got {missing} of them")
    return codes.astype(np.int64), list(found)
