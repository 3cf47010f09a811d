"""Values on their way between a submission and its grader.

A submission sends JSON, because the grader must be able to read it without running any of it.  So
what a student's code returns is described here by what it *is*, not by the class that it belongs
to: what has ``__index__`` or ``__float__`` is a number, what NumPy makes an array of is an array.
This happens in the student's process, where such methods may do what they like.
"""

from __future__ import annotations

import base64
import builtins
import io
import operator
from collections.abc import Callable, Iterable, Mapping, Set
from contextlib import suppress
from dataclasses import fields, is_dataclass
from itertools import islice
from typing import Any

import numpy as np

__all__ = ["CHANGEABLE", "change", "encode", "message_of", "named_exception", "printable"]

DEEPEST = 12  #: nested lists in an answer
LONGEST = 10**6  #: items of an iterator
PLAIN = 10_000  #: bits of a whole number that JSON writes in decimal digits
CHANGEABLE = (np.ndarray, list, dict, set, np.random.Generator)  #: arguments that a call may change


def encode(value: Any, functions: list[Callable[..., Any]], depth: int = 0) -> Any:
    """Return a value as JSON: numbers, text, arrays, lists, functions by number, frozen results.

    Parameters
    ----------
    value : object
        What a submission returned.
    functions : list
        A function in the value is appended and sent as its position.
    depth : int
        How deep the value stands in another.

    Returns
    -------
    object
        What :func:`json.dumps` takes.  What has no such form is sent as the name of its type.

    Examples
    --------
    >>> from fractions import Fraction
    >>> encode((Fraction(1, 4), {"n": 3}), [])
    {'tuple': [0.25, {'dict': [['n', 3]]}]}
    """

    def inner(part: Any) -> Any:
        return encode(part, functions, depth + 1)

    if value is None or isinstance(value, bool | float | str):
        return value
    if isinstance(value, int):
        return value if value.bit_length() <= PLAIN else {"int": format(int(value), "x")}
    if depth > DEEPEST:
        return {"type": "value that is nested too deep"}
    try:
        found = _by_class(value, functions, inner)
        return _by_protocol(value, inner) if found is None else found
    except Exception:  # a class of the student may raise anything when it is looked at
        return {"type": type(value).__name__}


def _by_class(
    value: Any, functions: list[Callable[..., Any]], inner: Callable[[Any], Any]
) -> dict[str, Any] | None:
    """Encode what belongs to a known class or to a class that inherits from it."""
    if isinstance(value, complex):
        return {"complex": [value.real, value.imag]}
    if isinstance(value, bytes | bytearray):
        return {"bytes": base64.b64encode(value).decode("ascii")}
    for kind in (list, tuple, set, frozenset):
        if isinstance(value, kind):  # a named tuple is a tuple
            return {kind.__name__: [inner(part) for part in value]}
    if isinstance(value, np.random.Generator):
        return {"generator": inner(value.bit_generator.state)}
    if is_dataclass(value) and type(value).__module__.startswith("pdpbook."):
        parts = {f.name: inner(getattr(value, f.name)) for f in fields(value) if f.init}
        return {"result": [type(value).__module__, type(value).__qualname__, parts]}
    if callable(value):
        functions.append(value)
        name = getattr(value, "__name__", "")
        return {"function": [len(functions) - 1, name if isinstance(name, str) else ""]}
    return None


def _by_protocol(value: Any, inner: Callable[[Any], Any]) -> Any:
    """Encode what behaves like a mapping, a set, an array, a number, or an iterator."""
    if isinstance(value, Mapping):
        return {"dict": [[inner(key), inner(part)] for key, part in value.items()]}
    if isinstance(value, Set):
        return {"set": [inner(part) for part in value]}
    array = np.asarray(value)
    if not array.dtype.hasobject:
        file = io.BytesIO()
        np.save(file, array, allow_pickle=False)
        return {"array": base64.b64encode(file.getvalue()).decode("ascii")}
    if array.ndim and array.dtype == object:
        return {"objects": [array.shape, [inner(part) for part in array.ravel().tolist()]]}
    for method, number in (("index", operator.index), ("float", float), ("complex", complex)):
        if hasattr(type(value), f"__{method}__"):
            with suppress(TypeError, ValueError, OverflowError):
                return inner(number(value))
    if isinstance(value, Iterable):
        parts = [inner(part) for part in islice(value, LONGEST + 1)]
        return {"iterator": parts} if len(parts) <= LONGEST else {"type": "iterator without end"}
    return {"type": type(value).__name__}


def change(mine: Any, theirs: Any) -> None:
    """Do to an argument what the other process did to its copy.

    Arrays, lists, dicts, sets and random generators are changed in their place.  Whatever else
    there is cannot be changed by a function, or not so that the caller should see it.

    Parameters
    ----------
    mine : object
        The argument as it was when the function was called.
    theirs : object
        The copy after the call.

    Examples
    --------
    >>> numbers = [3, 1, 2]
    >>> change(numbers, [1, 2, 3])
    >>> numbers
    [1, 2, 3]
    """
    if isinstance(mine, np.ndarray) and isinstance(theirs, np.ndarray):
        if mine.flags.writeable and mine.shape == theirs.shape:
            mine[...] = theirs
    elif isinstance(mine, list) and isinstance(theirs, list):
        mine[:] = theirs
    elif (isinstance(mine, dict) and isinstance(theirs, dict)) or (
        isinstance(mine, set) and isinstance(theirs, set)
    ):
        mine.clear()
        mine.update(theirs)
    elif isinstance(mine, np.random.Generator) and isinstance(theirs, np.random.Generator):
        mine.bit_generator.state = theirs.bit_generator.state


def message_of(error: BaseException) -> str:
    """Return what an exception says, cut to 500 characters.

    Examples
    --------
    >>> message_of(KeyError("no such bin")), str(KeyError("no such bin"))
    ('no such bin', "'no such bin'")
    """
    said = error.args[0] if len(error.args) == 1 and isinstance(error.args[0], str) else str(error)
    return str(said)[:500]


def printable(text: str) -> str:
    r"""Return a text that every file and every page can hold: other letters become ``?``.

    A submission can say what is no text, such as half of a pair of surrogates.

    Examples
    --------
    >>> printable("ε > 1\ud800\x1b[31m")
    'ε > 1??[31m'
    """
    return "".join(each if each.isprintable() or each == "\n" else "?" for each in text)


def named_exception(name: str, text: str) -> Exception:
    """Return an exception of the other process: of the same built-in class, or of the same name.

    Parameters
    ----------
    name : str
        Name of its class.
    text : str
        What it says.

    Examples
    --------
    >>> named_exception("ValueError", "n must be at least 1")
    ValueError('n must be at least 1')
    >>> named_exception("GameOver", "no move is left")
    GameOver('no move is left')
    """
    known = getattr(builtins, name, None)
    if isinstance(known, type) and issubclass(known, Exception):
        with suppress(TypeError):  # some want more than a text
            return known(text) if text else known()
    kind = type(name if name.isidentifier() else "Error", (Exception,), {})
    return kind(text)
