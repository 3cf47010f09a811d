"""How results are shown: the name of the class and its fields, a long array by its shape."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

__all__ = ["chosen_repr", "short_repr"]

_FEW = 8  #: so many entries are shown


def short_repr(result: Any) -> str:
    """Return a dataclass as text, with long arrays, tuples and tables by their size alone.

    A class takes it as its own: ``__repr__ = short_repr``.

    Examples
    --------
    >>> @dataclasses.dataclass
    ... class Found:
    ...     profile: np.ndarray
    ...     losses: np.ndarray
    ...     __repr__ = short_repr
    >>> Found(np.zeros((101, 5)), np.array([0.25, 1.75]))
    Found(profile=<array of shape (101, 5)>, losses=[0.25, 1.75])
    """
    fields = [each.name for each in dataclasses.fields(result) if each.repr]
    return chosen_repr(result, **{name: getattr(result, name) for name in fields})


def chosen_repr(result: Any, /, **chosen: Any) -> str:
    """Return the class of a result with some values, in the same form.

    Examples
    --------
    >>> chosen_repr([], records=4, epsilon=0.5)
    'list(records=4, epsilon=0.5)'
    """
    shown = [f"{name}={_show(value)}" for name, value in chosen.items()]
    return f"{type(result).__name__}({', '.join(shown)})"


def _show(value: Any) -> str:
    """Return a value as text, short if it is long."""
    if isinstance(value, np.ndarray):
        if value.ndim == 1 and value.size <= _FEW:
            return np.array2string(value, precision=4, separator=", ", max_line_width=10**6)
        return f"<array of shape {value.shape}>"
    if isinstance(value, tuple) and len(value) > _FEW:
        return f"<{len(value)} entries>"
    if hasattr(value, "columns") and hasattr(value, "shape"):  # of pandas, which need not be there
        return f"<table of {value.shape[0]} rows and {value.shape[1]} columns>"
    return f"{value:.6g}" if isinstance(value, float) else repr(value)
