"""One validator for the whole package.

Every public function checks its arguments here before it does any work.  Each check returns the
value in the type that the computation wants, or raises a ``ValueError`` (a ``TypeError`` for
something that is not a number at all) that names the argument, says what is allowed and ends in
what was given: ``epsilon must be a finite number > 0, got epsilon=nan``.
"""

from __future__ import annotations

import math
import numbers
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "boolean",
    "counts_vector",
    "distribution",
    "fail",
    "finite_vector",
    "fraction",
    "generator",
    "integer",
    "number",
    "positive_vector",
    "profile_matrix",
    "stochastic_kernel",
]


def fail(name: str, allowed: str, given: Any, error: type[Exception] = ValueError) -> Exception:
    """Build the error of a refused argument, to be raised by the caller."""
    return error(f"{name} must be {allowed}, got {name}={given!r}")


def number(
    name: str, value: Any, *, above: float = -math.inf, below: float = math.inf, strict: bool = True
) -> float:
    """Return a finite number in (above, below), or in [above, below] if not strict."""
    sign, other = (">", "<") if strict else (">=", "<=")
    bounds = [f"{sign} {above:g}"] if above > -math.inf else []
    bounds += [f"{other} {below:g}"] if below < math.inf else []
    allowed = " ".join(["a finite number", " and ".join(bounds)]).strip()
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Real):
        raise fail(name, allowed, value, TypeError)
    result = _as_float(value)
    inside = above < result < below if strict else above <= result <= below
    if not math.isfinite(result) or not inside:
        raise fail(name, allowed, result)
    return result


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


def integer(name: str, value: Any, *, at_least: int) -> int:
    """Return a whole number that is at least ``at_least``."""
    allowed = f"a whole number >= {at_least}"
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Integral):
        raise fail(name, allowed, value, TypeError)
    if value < at_least:
        raise fail(name, allowed, int(value))
    return int(value)


def fraction(name: str, value: Any) -> float:
    """Return a number in [0, 1)."""
    allowed = "a number in [0, 1)"
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Real):
        raise fail(name, allowed, value, TypeError)
    result = _as_float(value)
    if not 0.0 <= result < 1.0:
        raise fail(name, allowed, result)
    return result


def generator(name: str, value: Any) -> np.random.Generator:
    """Return a NumPy generator; seeds and the global state are refused."""
    if not isinstance(value, np.random.Generator):
        raise fail(name, "a numpy.random.Generator", value, TypeError)
    return value


def _array(name: str, values: Any) -> NDArray[Any]:
    """Return an array of whatever shape and type; rows of different lengths make none."""
    try:
        return np.asarray(values)
    except ValueError:
        raise ValueError(
            f"{name} must be an array, got {name} with rows of different lengths"
        ) from None


def finite_vector(name: str, values: ArrayLike, *, at_least: int = 1) -> NDArray[np.float64]:
    """Return a 1-d array of at least ``at_least`` finite numbers."""
    raw = _array(name, values)
    if raw.dtype.kind not in "iuf":
        raise TypeError(f"{name} must hold numbers, got {name} of type {raw.dtype}")
    if raw.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, got {name} of shape {raw.shape}")
    if raw.size < at_least:
        raise ValueError(
            f"{name} must hold at least {at_least} value(s), got {name} of length {raw.size}"
        )
    array = raw.astype(np.float64)
    bad = ~np.isfinite(array)
    if bad.any():
        where = int(np.flatnonzero(bad)[0])
        raise ValueError(
            f"{name} must be finite everywhere, got {name}[{where}]={float(array[where])!r}"
        )
    return array


def positive_vector(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """Return a 1-d array of finite numbers > 0; a single number becomes a vector of one."""
    if isinstance(values, (bool, np.bool_)):
        raise fail(name, "a finite number > 0", values, TypeError)
    array = finite_vector(name, np.atleast_1d(_array(name, values)))
    if (array <= 0).any():
        where = int(np.flatnonzero(array <= 0)[0])
        raise ValueError(
            f"{name} must be > 0 everywhere, got {name}[{where}]={float(array[where])!r}"
        )
    return array


def distribution(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """Return a probability vector: numbers >= 0 that sum to 1 (to 1e-9)."""
    array = finite_vector(name, values)
    if (array < 0).any():
        where = int(np.flatnonzero(array < 0)[0])
        raise ValueError(
            f"{name} must be >= 0 everywhere, got {name}[{where}]={float(array[where])!r}"
        )
    if abs(array.sum() - 1.0) > 1e-9:
        raise ValueError(f"{name} must sum to 1, got a sum of {float(array.sum())!r}")
    return array


def counts_vector(name: str, values: ArrayLike) -> NDArray[np.int64]:
    """Return a histogram: at least two bins, whole numbers >= 0, at least two records."""
    array = finite_vector(name, values, at_least=2)
    bad = (array < 0) | (array != np.floor(array))
    if bad.any():
        where = int(np.flatnonzero(bad)[0])
        raise ValueError(
            f"{name} must hold whole numbers >= 0, got {name}[{where}]={float(array[where])!r}"
        )
    if array.sum() < 2:
        raise ValueError(f"{name} must count at least 2 records, got {int(array.sum())} record(s)")
    if array.sum() > 2**53:
        raise ValueError(f"{name} must count at most 2**53 records, got {array.sum():g}")
    return array.astype(np.int64)


def stochastic_kernel(name: str, values: ArrayLike, *, bins: int) -> NDArray[np.float64]:
    """Return a (V, K, K) array of noise kernels whose rows are probability vectors."""
    raw = _array(name, values)
    if raw.dtype.kind not in "iuf":
        raise TypeError(f"{name} must hold numbers, got {name} of type {raw.dtype}")
    array = np.ascontiguousarray(raw, dtype=np.float64)
    if array.ndim != 3 or array.shape[0] < 1 or array.shape[1:] != (bins, bins):
        raise ValueError(
            f"{name} must have shape (actions, {bins}, {bins}), got {name} of shape {array.shape}"
        )
    bad = ~np.isfinite(array) | (array < 0)
    if bad.any():
        where = tuple(int(i) for i in np.argwhere(bad)[0])
        raise ValueError(
            f"{name} must hold finite numbers >= 0, got {name}{list(where)}={float(array[where])!r}"
        )
    sums = array.sum(axis=2)
    worst = np.unravel_index(np.abs(sums - 1.0).argmax(), sums.shape)
    if abs(sums[worst] - 1.0) > 1e-9:
        action, row = (int(i) for i in worst)
        raise ValueError(
            f"{name} must have rows that sum to 1, got {name}[{action}, {row}] "
            f"with a sum of {float(sums[worst])!r}"
        )
    return array


def profile_matrix(
    name: str, values: ArrayLike, *, counts: NDArray[np.int64], actions: int
) -> NDArray[np.int64]:
    """Return a (K, V) strategy profile: whole numbers >= 0 whose rows sum to the histogram."""
    array = _array(name, values)
    expected = (counts.size, actions)
    if array.shape != expected:
        raise ValueError(f"{name} must have shape {expected}, got {name} of shape {array.shape}")
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name} must hold integers, got {name} of type {array.dtype}")
    if (array < 0).any():
        raise ValueError(f"{name} must be >= 0 everywhere, got a smallest entry of {array.min()}")
    sums = array.sum(axis=1)
    if (sums != counts).any():
        row = int(np.flatnonzero(sums != counts)[0])
        raise ValueError(
            f"{name} must give every record one action: row {row} must sum to {int(counts[row])}, "
            f"got {name}[{row}].sum()={int(sums[row])}"
        )
    return array.astype(np.int64)
