"""One validator for the whole package.

Every public function checks its arguments here before it does any work.  Each check returns the
value in the type that the computation needs, or raises a ``ValueError`` (a ``TypeError`` for
something that is not a number at all).  The message names the argument, states the rule and ends
with the given value: ``epsilon must be a finite number > 0, got epsilon=nan``.

An argument that sets a size or a running time also has an upper limit.  No array of the package is
larger than 2 GiB (:data:`MEMORY`); the error of :func:`memory` states how much memory an argument
would need.  No loop has more than 10⁹ rounds (:data:`ROUNDS`), and no whole number is larger than
2⁵³, because floats represent all whole numbers up to 2⁵³ exactly.
"""

from __future__ import annotations

import inspect
import math
import numbers
import os
from collections.abc import Callable, Iterable, Sized
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "MEMORY",
    "ROUNDS",
    "boolean",
    "booleans",
    "broadcast",
    "choice",
    "counts_vector",
    "distribution",
    "distributions",
    "fail",
    "finite_array",
    "finite_vector",
    "function",
    "generator",
    "instance",
    "integer",
    "kernel_array",
    "memory",
    "number",
    "numeric",
    "positive_vector",
    "profile_matrix",
    "row_matrix",
    "same_length",
    "seeds",
    "sequence",
    "varied_vector",
    "whole_numbers",
]

MEMORY = 2**31  #: bytes of the largest array that the package makes: 2 GiB
ROUNDS = 10**9  #: rounds of the longest loop: draws, steps, restarts
_DIMENSIONS = 32  #: NumPy allows 64, but its generators and iterators only 32

_SHOWN = 100  #: largest number of characters of a text that an error shows
_FEW = 4  #: largest number of entries of a list that an error shows

_Kind = TypeVar("_Kind")


def fail(name: str, allowed: str, given: Any, error: type[Exception] = ValueError) -> Exception:
    """Build the error for an invalid argument; the caller raises it."""
    return error(f"{name} must be {allowed}, got {name}={_shown(given)}")


def _shown(given: Any) -> str:
    """Return the text that represents an argument in an error message.

    Errors end up in logs and in shared notebooks, and two arguments may have been exchanged, so
    only the type and size of anything that can contain a column of data are shown.
    """
    if isinstance(given, np.generic):  # show the number itself and not the name of its type
        given = given.item()
    if isinstance(given, int) and abs(given) > 2**64:  # Python refuses to print very long integers
        given = _as_float(given)
    if isinstance(given, str | bytes):
        return repr(given) if len(given) <= _SHOWN else f"<text of length {len(given):,}>"
    if isinstance(given, numbers.Number | os.PathLike | type | None):
        return repr(given)
    kind = type(given).__name__
    if isinstance(given, list | tuple) and len(given) <= _FEW:
        parts = ", ".join(
            _shown(each)
            if isinstance(each, str | numbers.Number | None)
            else f"<{type(each).__name__}>"
            for each in given
        )
        return f"[{parts}]" if isinstance(given, list) else f"({parts}{',' * (len(given) == 1)})"
    if isinstance(shape := getattr(given, "shape", None), tuple):
        return f"<{kind} of shape {shape}>"
    return f"<{kind} of length {len(given):,}>" if isinstance(given, Sized) else f"<{kind}>"


def number(
    name: str,
    value: Any,
    *,
    above: float = -math.inf,
    at_least: float = -math.inf,
    below: float = math.inf,
    at_most: float = math.inf,
) -> float:
    """Return a finite number within bounds; at_least and at_most are inclusive."""
    allowed = f"a finite number {_bounds(above, at_least, below, at_most)}".strip()
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Real):
        raise fail(name, allowed, value, TypeError)
    result = _as_float(value)
    inside = above < result < below and at_least <= result <= at_most
    if not math.isfinite(result) or not inside:
        raise fail(name, allowed, result)
    return result


def _bounds(above: float, at_least: float, below: float, at_most: float) -> str:
    """Return the bounds of a number as text, empty if there are none."""
    signs = {">": above, ">=": at_least, "<": below, "<=": at_most}
    return " and ".join(f"{sign} {end:g}" for sign, end in signs.items() if math.isfinite(end))


def _as_float(value: Any) -> float:
    """Return a number as a float; one that is too large for a float becomes infinite."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def boolean(name: str, value: Any) -> bool:
    """Return True or False; refuse numbers and words."""
    if not isinstance(value, (bool, np.bool_)):
        raise fail(name, "True or False", value, TypeError)
    return bool(value)


def booleans(name: str, values: ArrayLike) -> NDArray[np.bool_]:
    """Return a non-empty array of True and False, of any shape."""
    array = _array(name, values)
    if array.dtype.kind != "b" or array.size == 0:
        raise fail(name, "True or False", values, TypeError)
    return array


def choice(name: str, value: Any, *options: str) -> str:
    """Return a word that is one of the options."""
    if not isinstance(value, str) or value not in options:
        *others, last = map(repr, options)
        raise fail(name, f"{', '.join(others)} or {last}", value)
    return value


def instance(name: str, value: Any, kind: type[_Kind]) -> _Kind:
    """Return an object of a class, such as a game; refuse look-alikes."""
    if not isinstance(value, kind):
        raise fail(name, f"of type {kind.__name__}", value, TypeError)
    return value


def function(name: str, value: Any, what: str, arguments: int = 1) -> Callable[..., Any]:
    """Return a function that takes this number of arguments; refuse anything else before a call."""
    allowed = f"a function of {what}"
    if not callable(value):
        raise fail(name, allowed, value, TypeError)
    try:
        signature = inspect.signature(value)
    except ValueError:  # some functions written in C have no signature
        return value
    try:
        signature.bind(*range(arguments))
    except TypeError:
        raise fail(name, allowed, value, TypeError) from None
    return value


def seeds(name: str, values: Any) -> list[int]:
    """Return the seeds of an iterable, at least one."""
    listed = sequence(name, values)
    if not listed:
        raise ValueError(f"{name} must contain at least one seed, got none")
    return [integer(name, each, at_least=0) for each in listed]


def sequence(name: str, values: Any) -> list[Any]:
    """Return the items of an iterable; refuse a string."""
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise fail(name, "a sequence", values, TypeError)
    try:
        return list(values)
    except TypeError:  # for example a 0-dimensional array
        raise fail(name, "a sequence", values, TypeError) from None


def integer(name: str, value: Any, *, at_least: int, at_most: int = 2**53) -> int:
    """Return a whole number within bounds, by default at most 2⁵³, so that floats are exact."""
    allowed = f"a whole number >= {at_least}"
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Integral):
        raise fail(name, allowed, value, TypeError)
    result = int(value)
    if result < at_least:
        raise fail(name, allowed, result)
    if result > at_most:
        most = "2**53" if at_most == 2**53 else str(at_most)
        raise fail(name, f"a whole number <= {most}", result)
    return result


def memory(name: str, value: Any, *shape: int, what: str = "an array", itemsize: int = 8) -> None:
    """Refuse an argument that makes an array of the given shape larger than 2 GiB."""
    needed = itemsize * math.prod(map(int, shape))  # Python's integers do not wrap around
    if needed > MEMORY:
        size = " x ".join(map(str, shape))
        allowed = (
            f"so small that the memory for {what} ({size} numbers) is at most "
            f"{MEMORY / 2**30:g} GiB and not {needed / 2**30:.3g} GiB"
        )
        raise fail(name, allowed, value)


def generator(name: str, value: Any) -> np.random.Generator:
    """Return a NumPy generator; refuse seeds and the global state."""
    if not isinstance(value, np.random.Generator):
        raise fail(name, "a numpy.random.Generator", value, TypeError)
    return value


def _array(name: str, values: Any) -> NDArray[Any]:
    """Return an array of any shape and type; refuse masked values and ragged rows."""
    if np.ma.is_masked(values):
        hidden = int(np.ma.count_masked(values))
        raise ValueError(
            f"{name} must not contain masked values, which NumPy would count as values, "
            f"got {name} with {hidden} masked value(s)"
        )
    try:
        array = np.asarray(values)
    except ValueError:
        raise ValueError(
            f"{name} must be an array, got {name} with rows of different lengths"
        ) from None
    if array.ndim > _DIMENSIONS:
        raise ValueError(
            f"{name} must have at most {_DIMENSIONS} dimensions, "
            f"got {name} with {array.ndim} of them"
        )
    return array


def finite_vector(
    name: str, values: ArrayLike, *, entries: int = 1, **bounds: float
) -> NDArray[np.float64]:
    """Return a 1-d array of at least ``entries`` numbers, each as for :func:`number`."""
    raw = numeric(name, values)
    if raw.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, got {name} of shape {raw.shape}")
    if raw.size < entries:
        raise ValueError(
            f"{name} must contain at least {entries} value(s), got {name} of length {raw.size}"
        )
    return finite_array(name, raw, **bounds)


def varied_vector(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """Return a 1-d array of finite numbers that are not all equal."""
    array = finite_vector(name, values)
    if (array == array[0]).all():
        raise ValueError(f"{name} must not be constant, got {array.size} equal value(s)")
    return array


def finite_array(
    name: str,
    values: ArrayLike,
    *,
    above: float = -math.inf,
    at_least: float = -math.inf,
    below: float = math.inf,
    at_most: float = math.inf,
) -> NDArray[np.float64]:
    """Return an array of finite numbers, of any shape, with bounds as for :func:`number`."""
    raw = numeric(name, values)
    if raw.size < 1:
        raise ValueError(f"{name} must contain at least 1 value, got {name} of shape {raw.shape}")
    array = raw.astype(np.float64)
    low, high = float(array.min()), float(array.max())
    if not (math.isfinite(low) and math.isfinite(high)):
        bad, allowed = ~np.isfinite(array), "finite"
    elif not (above < low and at_least <= low and high < below and high <= at_most):
        bad = (array <= above) | (array < at_least) | (array >= below) | (array > at_most)
        allowed = _bounds(above, at_least, below, at_most)
    else:
        return array
    where = tuple(int(i) for i in np.argwhere(bad)[0])
    place = f"{name}[{', '.join(map(str, where))}]" if where else name
    raise ValueError(f"{name} must be {allowed} everywhere, got {place}={float(array[where])!r}")


def numeric(name: str, values: Any) -> NDArray[Any]:
    """Return an array of whole or floating-point numbers, which may be infinite or nan.

    Numbers of more than 64 bits become doubles, infinite if they are too large.
    """
    raw = _array(name, values)
    if raw.dtype.kind not in "iuf":
        raise TypeError(f"{name} must contain numbers, got {name} of type {raw.dtype}")
    if raw.dtype.itemsize > 8:
        with np.errstate(over="ignore", under="ignore"):
            return raw.astype(np.float64)
    return raw


def whole_numbers(name: str, values: ArrayLike) -> NDArray[np.int64]:
    """Return an array of integers, of any shape, with absolute values of at most 2**53."""
    raw = numeric(name, values)
    if raw.dtype.kind == "f" and raw.size:
        raise TypeError(f"{name} must contain whole numbers, got {name} of type {raw.dtype}")
    finite_array(name, raw)
    largest = max(int(raw.min()), int(raw.max()), key=abs)
    if abs(largest) > 2**53:
        raise ValueError(f"{name} must be at most 2**53 in size, got an entry of {largest}")
    return raw.astype(np.int64)


def positive_vector(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """Return a 1-d array of finite numbers > 0; a single number becomes a vector."""
    return finite_vector(name, np.atleast_1d(_array(name, values)), above=0.0)


def distribution(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """Return a probability vector: numbers >= 0 that sum to 1 (to 1e-9)."""
    array = finite_vector(name, values, at_least=0.0)
    total = _sum(array)
    if abs(total - 1.0) > 1e-9:
        raise ValueError(f"{name} must sum to 1, got a sum of {total!r}")
    return array


def _sum(array: NDArray[Any]) -> float:
    """Return a sum, infinite if it is too large for a float."""
    with np.errstate(over="ignore"):
        return float(array.sum())


def distributions(
    first: str, p: ArrayLike, second: str, q: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return two probability vectors of the same length."""
    both = distribution(first, p), distribution(second, q)
    same_length(first, both[0], second, both[1])
    return both


def counts_vector(name: str, values: ArrayLike, *, records: int = 2) -> NDArray[np.int64]:
    """Return a histogram: at least two bins, whole numbers >= 0, at least ``records`` records."""
    array = finite_vector(name, values, entries=2)
    bad = (array < 0) | (array != np.floor(array))
    if bad.any():
        where = int(np.flatnonzero(bad)[0])
        raise ValueError(
            f"{name} must contain whole numbers >= 0, got {name}[{where}]={float(array[where])!r}"
        )
    total = _sum(array)
    if total < records:
        raise ValueError(
            f"{name} must count at least {records} records, got {int(total)} record(s)"
        )
    # as floats, 2**53 + 1 and 2**53 are equal
    if total >= 2**53 and sum(map(int, np.asarray(values).tolist())) > 2**53:
        raise ValueError(f"{name} must count at most 2**53 records, got {total:g}")
    return array.astype(np.int64)


def row_matrix(name: str, values: ArrayLike, *, square: bool = False) -> NDArray[np.float64]:
    """Return an (n, K) array whose rows are probability vectors; if square, (K, K) with K >= 2."""
    shape = numeric(name, values).shape
    if len(shape) != 2 or (square and (shape[0] != shape[1] or shape[0] < 2)):
        allowed = "(K, K) with K >= 2" if square else "(n, K)"
        raise ValueError(f"{name} must have shape {allowed}, got {name} of shape {shape}")
    return _with_rows_of_sum_1(name, values)


def kernel_array(name: str, values: ArrayLike, *, bins: int) -> NDArray[np.float64]:
    """Return a (V, K, K) array of noise kernels whose rows are probability vectors."""
    shape = numeric(name, values).shape
    if len(shape) != 3 or shape[0] < 1 or shape[1:] != (bins, bins):
        raise ValueError(
            f"{name} must have shape (actions, {bins}, {bins}), got {name} of shape {shape}"
        )
    return np.ascontiguousarray(_with_rows_of_sum_1(name, values))


def _with_rows_of_sum_1(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """Return an array of numbers >= 0 that sum to 1 (to 1e-9) along the last axis."""
    array = finite_array(name, values, at_least=0.0)
    with np.errstate(over="ignore"):
        sums = array.sum(axis=-1)
    worst = np.unravel_index(np.abs(sums - 1.0).argmax(), sums.shape)
    if abs(sums[worst] - 1.0) > 1e-9:
        row = ", ".join(str(int(i)) for i in worst)
        raise ValueError(
            f"{name} must have rows that sum to 1, got {name}[{row}] "
            f"with a sum of {float(sums[worst])!r}"
        )
    return array


def profile_matrix(
    name: str, values: ArrayLike, *, counts: NDArray[np.int64], actions: int
) -> NDArray[np.int64]:
    """Return a (K, V) strategy profile: whole numbers >= 0 whose rows sum to the histogram.

    A Solution or an Outcome is not a profile but has one, so the message asks for its profile.
    """
    if hasattr(values, "profile"):
        kind = type(values).__name__
        raise fail(name, f"an array, namely the .profile of the {kind}", values, TypeError)
    array = _array(name, values)
    expected = (counts.size, actions)
    if array.shape != expected:
        raise ValueError(f"{name} must have shape {expected}, got {name} of shape {array.shape}")
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name} must contain integers, got {name} of type {array.dtype}")
    if (array < 0).any():
        raise ValueError(f"{name} must be >= 0 everywhere, got a smallest entry of {array.min()}")
    sums = array.sum(axis=1)
    wrong = (sums != counts) | (array > counts[:, None]).any(axis=1)  # a sum may wrap around
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        raise ValueError(
            f"{name} must give every record one action: row {row} must sum to {int(counts[row])}, "
            f"got {name}[{row}].sum()={sum(array[row].tolist())}"
        )
    return array.astype(np.int64)


def broadcast(first: str, x: NDArray[Any], second: str, y: NDArray[Any]) -> None:
    """Refuse two arrays whose shapes NumPy cannot broadcast."""
    try:
        np.broadcast_shapes(x.shape, y.shape)
    except ValueError:
        raise ValueError(
            f"{first} and {second} must have compatible shapes, got {x.shape} and {y.shape}"
        ) from None


def same_length(first: str, x: ArrayLike, second: str, y: ArrayLike) -> None:
    """Refuse two arrays of different lengths."""
    sizes = [len(np.atleast_1d(_array(name, each))) for name, each in ((first, x), (second, y))]
    if sizes[0] != sizes[1]:
        raise ValueError(
            f"{first} and {second} must have the same length, got {sizes[0]} and {sizes[1]}"
        )
