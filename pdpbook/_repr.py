"""The display of results: the class and its fields, with the shape of each long array."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

__all__ = ["chosen_repr", "short_repr"]

_FEW = 8  #: largest number of entries that are shown


def short_repr(result: Any) -> str:
    """Return a dataclass as text, with only the sizes of long arrays, tuples and tables.

    A class uses it with ``__repr__ = short_repr``.
    """
    fields = [each.name for each in dataclasses.fields(result) if each.repr]
    return chosen_repr(result, **{name: getattr(result, name) for name in fields})


def chosen_repr(result: Any, /, **chosen: Any) -> str:
    """Return the class of a result with the given values, in the form of :func:`short_repr`."""
    shown = [f"{name}={_show(value)}" for name, value in chosen.items()]
    return f"{type(result).__name__}({', '.join(shown)})"


def _show(value: Any) -> str:
    """Return a value as text, abbreviated if it is long."""
    if isinstance(value, np.ndarray):
        if value.ndim == 1 and value.size <= _FEW:
            return np.array2string(value, precision=4, separator=", ", max_line_width=10**6)
        return f"<array of shape {value.shape}>"
    if isinstance(value, tuple) and len(value) > _FEW:
        return f"<{len(value)} entries>"
    if hasattr(value, "columns") and hasattr(value, "shape"):  # a table, without importing pandas
        return f"<table of {value.shape[0]} rows and {value.shape[1]} columns>"
    return f"{value:.6g}" if isinstance(value, float) else repr(value)
