"""What a check shows, as data: the checks that students hold, without the references.

The repository has, for each chapter, a module whose cases compute what is right
(:mod:`pdpbook_exercises.checks.cases`).  The copy that students install is made from it by
``book/_ext/edition/student_checks.py``.  It has the cases of seed 0 and nothing with which another
case could be answered:

- an exercise whose cases compare with a reference is a table of arguments and expected values,
  which :func:`shown_exercise` reads;
- a function that is marked as a reference is a table of the arguments that the cases give it and
  of what it returned, which :func:`shown_reference` reads.

A table lies beside the module, in ``<chapter>.shown``.
"""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from pdpbook_exercises.checks.cases import Case, Exercise, close, equal

__all__ = ["key_of_arguments", "shown_exercise", "shown_reference"]

OTHER = "This copy of the checks has the cases of seed 0 alone: the others are the grader's"
DIGITS = 9  #: of a number in a key, as the last ones may differ between two machines


def shown_exercise(chapter: str, title: str, refused: Sequence[str] = ()) -> Exercise:
    """Return an exercise whose cases are values.

    Parameters
    ----------
    chapter : str
        Name of its module.
    title : str
        Its name in that module.
    refused : sequence of str
        As in :class:`~pdpbook_exercises.checks.cases.Exercise`.

    Returns
    -------
    Exercise
        With the cases of seed 0.  For another seed it raises a ValueError.
    """

    def cases(seed: int) -> list[Case]:
        if seed:
            raise ValueError(f"{OTHER}, got seed={seed!r}")
        makers: dict[str, Callable[..., Case]] = {"close": close, "equal": equal}
        listed = _table(chapter)["exercises"][title]
        return [
            makers[kind](expected, *arguments, **options)
            for kind, expected, arguments, options in listed
        ]

    return Exercise(cases, fixed="This copy has the cases of seed 0 alone.", refused=refused)


def shown_reference(chapter: str, name: str) -> Callable[..., Any]:
    """Return what stands for a reference: a function that knows the cases of a check alone.

    Parameters
    ----------
    chapter : str
        Name of its module.
    name : str
        Its name in that module.

    Returns
    -------
    callable
        It raises a LookupError for other arguments.
    """

    def known(*arguments: Any) -> Any:
        key = key_of_arguments(arguments)
        table: Mapping[str, bytes] = _table(chapter)["references"][name]
        if key not in table:
            raise LookupError(OTHER)
        return pickle.loads(table[key])

    return known


def key_of_arguments(arguments: Any) -> str:
    """Return a digest of arguments, in which numbers count to nine digits.

    Raises
    ------
    TypeError
        If one of them is neither a number, text, an array, a list or dict of these nor a frozen
        result.

    Examples
    --------
    >>> key_of_arguments((0.1 + 0.2, [3])) == key_of_arguments((0.3, (3,)))
    True
    >>> key_of_arguments((0.3, [3])) == key_of_arguments((0.3, [4]))
    False
    """
    return hashlib.sha256(repr(_make_plain(arguments)).encode()).hexdigest()


def _make_plain(value: Any) -> Any:
    if value is None or isinstance(value, str | bytes):
        return value
    if isinstance(value, list | tuple):
        return [_make_plain(each) for each in value]
    if isinstance(value, dict):
        return [_make_plain(each) for each in value.items()]
    if is_dataclass(value) and not isinstance(value, type):
        parts = [_make_plain(getattr(value, part.name)) for part in fields(value) if part.init]
        return [type(value).__name__, *parts]
    array = np.asarray(value)
    if array.dtype.kind not in "biuf":
        raise TypeError(
            f"arguments must be numbers, text, arrays, lists, dicts or results, got {value!r}"
        )
    if array.ndim > 1:
        return [_make_plain(each) for each in array]
    if array.ndim:  # number by number, but without an array of each
        return [format(float(each), f".{DIGITS}g") for each in array.tolist()]
    return format(float(array), f".{DIGITS}g")


@cache
def _table(chapter: str) -> dict[str, Any]:
    """Read the table of a chapter."""
    [path] = Path(__file__).parents[1].glob(f"chapters/*/{chapter}.shown")
    found: dict[str, Any] = pickle.loads(path.read_bytes())
    return found
