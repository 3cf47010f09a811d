"""One validator for the whole package.

Every public function checks its arguments here before it does any work.  Each check returns the
value in the type that the computation wants, or raises a ``ValueError`` (a ``TypeError`` for
something that is not a number at all) that names the argument, says what is allowed and ends in
what was given: ``epsilon must be a finite number > 0, got epsilon=nan``.

An argument that says how large or how long something becomes has an upper limit, too.  No array
that the package makes is larger than 2 GiB (:data:`MEMORY`): :func:`memory` computes what an
argument would need, and the error says so.  No loop has more than 10⁹ rounds (:data:`ROUNDS`), and
no whole number is larger than 2⁵³, up to which a float holds all of them.
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
ROUNDS = 10**9  #: of the longest loop: draws, steps, restarts
_DIMENSIONS = 32  #: NumPy has 64, but its generators and iterators have half of them

_SHOWN = 100  #: characters of a text that an error shows
_FEW = 4  #: entries of a list that an error shows

_Kind = TypeVar("_Kind")


def fail(name: str, allowed: str, given: Any, error: type[Exception] = ValueError) -> Exception:
    """Build the error of a refused argument, to be raised by the caller."""
    return error(f"{name} must be {allowed}, got {name}={_shown(given)}")


def _shown(given: Any) -> str:
    """Return what an error shows of an argument.

    Two arguments may have been exchanged, so whatever can hold a column of data is shown by its
    type and size: an error ends in logs and in notebooks that are passed on.
    """
    if isinstance(given, np.generic):  # the number itself, and not the name of its type
        given = given.item()
    if isinstance(given, int) and abs(given) > 2**64:  # Python does not write out all of them
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
    """Return a finite number within bounds, of which at_least and at_most belong to them."""
    allowed = f"a finite number {_bounds(above, at_least, below, at_most)}".strip()
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Real):
        raise fail(name, allowed, value, TypeError)
    result = _as_float(value)
    inside = above < result < below and at_least <= result <= at_most
    if not math.isfinite(result) or not inside:
        raise fail(name, allowed, result)
    return result


def _bounds(above: float, at_least: float, below: float, at_most: float) -> str:
    """Say between which bounds a number must lie; nothing if there are none."""
    signs = {">": above, ">=": at_least, "<": below, "<=": at_most}
    return " and ".join(f"{sign} {end:g}" for sign, end in signs.items() if math.isfinite(end))


def _as_float(value: Any) -> float:
    """Return a number as a float; one that is too large for a float becomes infinite."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def boolean(name: str, value: Any) -> bool:
    """Return True or False; numbers and words are refused."""
    if not isinstance(value, (bool, np.bool_)):
        raise fail(name, "True or False", value, TypeError)
    return bool(value)


def booleans(name: str, values: ArrayLike) -> NDArray[np.bool_]:
    """Return an array of any shape, of at least one True or False."""
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
    """Return an object of a class, such as a game; whatever else looks like one is refused."""
    if not isinstance(value, kind):
        raise fail(name, f"of type {kind.__name__}", value, TypeError)
    return value


def function(name: str, value: Any, what: str, arguments: int = 1) -> Callable[..., Any]:
    """Return a function that takes so many arguments; others would blame themselves when called."""
    allowed = f"a function of {what}"
    if not callable(value):
        raise fail(name, allowed, value, TypeError)
    try:
        signature = inspect.signature(value)
    except ValueError:  # some functions of C have none
        return value
    try:
        signature.bind(*range(arguments))
    except TypeError:
        raise fail(name, allowed, value, TypeError) from None
    return value


def seeds(name: str, values: Any) -> list[int]:
    """Return at least one seed from something that can be gone through."""
    listed = sequence(name, values)
    if not listed:
        raise ValueError(f"{name} must hold at least one seed, got none")
    return [integer(name, each, at_least=0) for each in listed]


def sequence(name: str, values: Any) -> list[Any]:
    """Return what something that can be gone through holds; a text is one thing."""
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise fail(name, "a sequence", values, TypeError)
    try:
        return list(values)
    except TypeError:  # an array without dimensions
        raise fail(name, "a sequence", values, TypeError) from None


def integer(name: str, value: Any, *, at_least: int, at_most: int = 2**53) -> int:
    """Return a whole number within bounds; without an upper one, one that a float holds exactly."""
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
    """Refuse an argument for which an array of such a shape would be larger than 2 GiB."""
    needed = itemsize * math.prod(map(int, shape))  # Python's integers do not wrap around
    if needed > MEMORY:
        size = " x ".join(map(str, shape))
        allowed = (
            f"so small that the memory for {what} ({size} numbers) is at most "
            f"{MEMORY / 2**30:g} GiB and not {needed / 2**30:.3g} GiB"
        )
        raise fail(name, allowed, value)


def generator(name: str, value: Any) -> np.random.Generator:
    """Return a NumPy generator; seeds and the global state are refused."""
    if not isinstance(value, np.random.Generator):
        raise fail(name, "a numpy.random.Generator", value, TypeError)
    return value


def _array(name: str, values: Any) -> NDArray[Any]:
    """Return an array of whatever shape and type; masked values and ragged rows make none."""
    if np.ma.is_masked(values):
        hidden = int(np.ma.count_masked(values))
        raise ValueError(
            f"{name} must hold every value: NumPy would count what is masked, "
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
    """Return a 1-d array of at least so many finite numbers within bounds as for :func:`number`."""
    raw = numeric(name, values)
    if raw.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, got {name} of shape {raw.shape}")
    if raw.size < entries:
        raise ValueError(
            f"{name} must hold at least {entries} value(s), got {name} of length {raw.size}"
        )
    return finite_array(name, raw, **bounds)


def varied_vector(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """Return a 1-d array of finite numbers that are not all equal."""
    array = finite_vector(name, values)
    if (array == array[0]).all():
        raise ValueError(
            f"{name} must not be constant, "
            f"got {array.size} value(s), all equal to {float(array[0])!r}"
        )
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
    """Return an array of any shape, of finite numbers within bounds as for :func:`number`."""
    raw = numeric(name, values)
    if raw.size < 1:
        raise ValueError(f"{name} must hold at least 1 value(s), got {name} of shape {raw.shape}")
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
    """Return an array of whole or floating-point numbers, infinite ones and nan among them.

    Numbers of more than 64 bits become floats; those that are too large become infinite.
    """
    raw = _array(name, values)
    if raw.dtype.kind not in "iuf":
        raise TypeError(f"{name} must hold numbers, got {name} of type {raw.dtype}")
    if raw.dtype.itemsize > 8:
        with np.errstate(over="ignore", under="ignore"):
            return raw.astype(np.float64)
    return raw


def whole_numbers(name: str, values: ArrayLike) -> NDArray[np.int64]:
    """Return an array of any shape, of integers of at most 2**53 in size."""
    raw = numeric(name, values)
    if raw.dtype.kind == "f":
        raise TypeError(f"{name} must hold whole numbers, got {name} of type {raw.dtype}")
    finite_array(name, raw)
    largest = max(int(raw.min()), int(raw.max()), key=abs)
    if abs(largest) > 2**53:
        raise ValueError(f"{name} must be at most 2**53 in size, got an entry of {largest}")
    return raw.astype(np.int64)


def positive_vector(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """Return a 1-d array of finite numbers > 0; one number is a vector."""
    return finite_vector(name, np.atleast_1d(_array(name, values)), above=0.0)


def distribution(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """Return a probability vector: numbers >= 0 that sum to 1 (to 1e-9)."""
    array = finite_vector(name, values, at_least=0.0)
    total = _sum(array)
    if abs(total - 1.0) > 1e-9:
        raise ValueError(f"{name} must sum to 1, got a sum of {total!r}")
    return array


def _sum(array: NDArray[Any]) -> float:
    """Return a sum, infinite where it is too large for a float."""
    with np.errstate(over="ignore"):
        return float(array.sum())


def distributions(
    first: str, p: ArrayLike, second: str, q: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return two probability vectors of one length."""
    both = distribution(first, p), distribution(second, q)
    same_length(first, both[0], second, both[1])
    return both


def counts_vector(name: str, values: ArrayLike, *, records: int = 2) -> NDArray[np.int64]:
    """Return a histogram: at least two bins, whole numbers >= 0, at least so many records."""
    array = finite_vector(name, values, entries=2)
    bad = (array < 0) | (array != np.floor(array))
    if bad.any():
        where = int(np.flatnonzero(bad)[0])
        raise ValueError(
            f"{name} must hold whole numbers >= 0, got {name}[{where}]={float(array[where])!r}"
        )
    total = _sum(array)
    if total < records:
        raise ValueError(
            f"{name} must count at least {records} records, got {int(total)} record(s)"
        )
    # as floats, 2**53 + 1 and 2**53 are the same
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

    A Solution and an Outcome have a profile and are none, so that the message asks for theirs.
    """
    if hasattr(values, "profile"):
        kind = type(values).__name__
        raise fail(name, f"an array, which is the .profile of the {kind}", values, TypeError)
    array = _array(name, values)
    expected = (counts.size, actions)
    if array.shape != expected:
        raise ValueError(f"{name} must have shape {expected}, got {name} of shape {array.shape}")
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name} must hold integers, got {name} of type {array.dtype}")
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
    """Refuse two arrays whose shapes NumPy cannot bring together."""
    try:
        np.broadcast_shapes(x.shape, y.shape)
    except ValueError:
        raise ValueError(
            f"{first} and {second} must have shapes that fit, got {x.shape} and {y.shape}"
        ) from None


def same_length(first: str, x: ArrayLike, second: str, y: ArrayLike) -> None:
    """Refuse two arrays of different lengths."""
    sizes = [len(np.atleast_1d(_array(name, each))) for name, each in ((first, x), (second, y))]
    if sizes[0] != sizes[1]:
        raise ValueError(
            f"{first} and {second} must have the same length, got {sizes[0]} and {sizes[1]}"
        )
