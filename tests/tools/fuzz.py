"""Calls of every public callable with one bad argument at a time, and the faults of their results.

A call with a bad argument must end within five seconds, in one of two ways.  It returns, because
the value is allowed; or it raises our ``ValueError`` or ``TypeError``, which names an argument,
states the rule, and ends with the given value.  It must not warn, change its input, or allocate
much memory.

tests/test_bad_input.py, which ``make test`` runs, gives every value to every argument: some 60,000
calls in a minute.
"""

from __future__ import annotations

import contextlib
import dataclasses
import decimal
import faulthandler
import fractions
import pickle
import re
import resource
import signal
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd

from pdpbook.own_data import reports
from tests.tools.valid_calls import CALLS, public, rng

SECONDS = 5.0  #: time limit of a call
WAIT = 600  #: seconds of wall-clock time for all the calls with junk in one argument
#: Bytes of address space that a call may add: more than the package makes (2 GiB) at a time.
MEMORY = 6 * 2**30


def sparse() -> Any:
    """Return a matrix that NumPy treats as one object."""
    import scipy.sparse as sp

    return sp.csr_array(np.eye(2))


def read_only(values: Any) -> np.ndarray:
    """Return a read-only array."""
    array = np.array(values)
    array.flags.writeable = False
    return array


def recursive() -> list[Any]:
    """Return a list that contains itself."""
    values: list[Any] = []
    values.append(values)
    return values


#: Values that are passed only by mistake.
VALUES: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "a word": lambda: "x",
    "nan": lambda: np.nan,
    "inf": lambda: np.inf,
    "-1": lambda: -1,
    "0": lambda: 0,
    "2**31": lambda: 2**31,
    "2**53": lambda: 2**53,
    "10**400": lambda: 10**400,
    "1e308": lambda: 1e308,
    "5e-324": lambda: 5e-324,
    "object": lambda: object,
    "nothing": lambda: [],
    "a series with NA": lambda: pd.Series([1.0, None]),
    "a matrix": lambda: np.full((2, 3), 0.5),
    "-inf": lambda: -np.inf,
    "-0.0": lambda: -0.0,
    "1": lambda: 1,
    "0.5": lambda: 0.5,
    "2.0": lambda: 2.0,
    "10**6": lambda: 10**6,
    "2**31 - 1": lambda: 2**31 - 1,
    "2**62": lambda: 2**62,
    "2**64": lambda: 2**64,
    "-(10**400)": lambda: -(10**400),
    "-1e308": lambda: -1e308,
    "1e-300": lambda: 1e-300,
    "1e-9": lambda: 1e-9,
    "True": lambda: True,
    "1 + 2j": lambda: 1 + 2j,
    "bytes": lambda: b"x",
    "an object": object,
    "a decimal": lambda: decimal.Decimal("0.5"),
    "a decimal nan": lambda: decimal.Decimal("nan"),
    "a fraction": lambda: fractions.Fraction(1, 2),
    "a large fraction": lambda: fractions.Fraction(10**400, 3),
    "an int8": lambda: np.int8(3),
    "a uint64": lambda: np.uint64(2**63),
    "a float16": lambda: np.float16(0.5),
    "a longdouble": lambda: np.longdouble(0.5),
    "a large longdouble": lambda: np.longdouble("1e4000"),
    "a date": lambda: np.datetime64("2024-01-01"),
    "NA": lambda: pd.NA,
    "ragged rows": lambda: [[1], [2, 3]],
    "ragged depths": lambda: [[1, 2], [3, [4]]],
    "a list that holds itself": recursive,
    "words": lambda: ["a", "b"],
    "None inside": lambda: [1.0, None],
    "nan inside": lambda: [0.5, np.nan],
    "inf inside": lambda: [0.5, np.inf],
    "large integers": lambda: [10**400, 1],
    "entries of 2**31": lambda: [2**31] * 2,
    "entries of 2**52": lambda: [2**52] * 2,
    "entries of 2**62": lambda: [2**62] * 4,
    "entries of a million": lambda: [1e6, 2e6, 3e6],
    "entries of 1e308": lambda: [1e308, 1e308],
    "entries of 5e-324": lambda: [5e-324, 1.0],
    "negative entries": lambda: [-1, 2],
    "negative zeros": lambda: [-0.0, 1.0],
    "no rows": lambda: np.empty((0, 3)),
    "no columns": lambda: np.empty((2, 0)),
    "a scalar array": lambda: np.array(0.5),
    "a row of one": lambda: np.array([1.0]),
    "a masked array": lambda: np.ma.masked_array([1.0, 0.5], [False, True]),
    "a masked constant": lambda: np.ma.masked,
    "longdoubles": lambda: np.array([0.5, 0.5], dtype=np.longdouble),
    "large longdoubles": lambda: np.array(["1e4000", "0.5"], dtype=np.longdouble),
    "small longdoubles": lambda: np.array(["1e-4000", "1"], dtype=np.longdouble),
    "complex numbers": lambda: np.array([1.0 + 0.0j, 2.0]),
    "an array of objects": lambda: np.array([1.0, "x", None], dtype=object),
    "numbers as objects": lambda: np.array([0.5, 0.5], dtype=object),
    "flags": lambda: np.array([True, False]),
    "dates": lambda: np.array(["2024-01-01", "NaT"], dtype="datetime64[D]"),
    "a structured array": lambda: np.zeros(2, dtype=[("a", float), ("b", int)]),
    "a read-only array": lambda: read_only([0.5, 0.5]),
    "a backward array": lambda: np.array([0.75, 0.25])[::-1],
    "another byte order": lambda: np.array([0.5, 0.5], dtype=">f8"),
    "small integers": lambda: np.array([100, 100, 100], dtype=np.int8),
    "unsigned integers": lambda: np.array([2**63, 1], dtype=np.uint64),
    "half precision": lambda: np.array([0.5, 0.5], dtype=np.float16),
    "too many": lambda: np.full(7, 0.5),
    "four dimensions": lambda: np.ones((2, 2, 2, 2)),
    "64 dimensions": lambda: np.ones((1,) * 64),
    "a frame": lambda: pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]}),
    "a nullable series": lambda: pd.Series([1, None], dtype="Int64"),
    "a series of another index": lambda: pd.Series([0.5, 0.5], index=[7, 3]),
    "categories": lambda: pd.Series(["a", "b"], dtype="category"),
    "a sparse matrix": sparse,
    "a set": lambda: {1.0, 2.0},
    "a dictionary": lambda: {"a": 1},
    "a range": lambda: range(3),
    "a generator": lambda: (x for x in (0.5, 0.5)),
    "an iterator": lambda: iter([1, 2]),
    "a function": lambda: rng,
    "a source of randomness": rng,
    "a class": lambda: int,
}

#: Arguments that set the amount of work: a million is allowed, and may take longer.
WORK = {"draws", "generations", "hidden", "population", "restarts", "rounds", "size", "steps"}
#: Functions as arguments: a class also takes one argument, and its errors are not ours.
FUNCTIONS = {"choose", "pipeline", "solve"}
#: How often a report repeats each release, and at how many numbers of bins; no argument says it,
#: and more would find nothing more.
REPEATED: dict[str, Any] = {"RUNS": 3}


class TooLong(BaseException):
    """The error after the time limit, which no handler of ``Exception`` catches."""


def fields_of(value: Any) -> Any:
    """Return the fields of a dataclass and of its nested dataclasses, without cached values."""
    if not dataclasses.is_dataclass(value) or isinstance(value, type):
        return value
    parts = [getattr(value, field.name) for field in dataclasses.fields(value)]
    return [fields_of(part) for part in parts if not callable(part)]


def snapshot(values: dict[str, Any]) -> dict[str, Any]:
    """Return the contents of the arguments that a call must not change."""
    kept: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, np.ma.MaskedArray):
            kept[name] = (value.data.tobytes(), np.ma.getmaskarray(value).tobytes())
        elif isinstance(value, (pd.Series, pd.DataFrame)):
            kept[name] = repr(value.to_numpy(dtype=object).tolist())
        elif hasattr(value, "edges"):
            kept[name] = (list(value.nodes), list(value.edges))
        elif dataclasses.is_dataclass(value) and not isinstance(value, type):
            kept[name] = pickle.dumps(fields_of(value))
        elif not (isinstance(value, (np.random.Generator, Iterator)) or callable(value)) and (
            type(value) is not object and not hasattr(value, "action_space")
        ):
            kept[name] = pickle.dumps(value)
    return kept


@contextlib.contextmanager
def limited() -> Iterator[None]:
    """Limit the time of the block, and its memory to that of the package.

    Code that never returns to Python cannot be stopped in this way: see :func:`faults`.
    """

    def over(*_: Any) -> None:
        raise TooLong

    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    with open("/proc/self/statm", encoding="ascii") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    before = signal.signal(signal.SIGPROF, over)
    limits = [limit for limit in (soft, hard) if limit != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_AS, (min([used + MEMORY, *limits]), hard))
    signal.setitimer(signal.ITIMER_PROF, SECONDS)  # CPU time, however busy the machine is
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def understandable(error: Exception, names: Iterable[str]) -> bool:
    """Return whether an error names an argument, states the rule, and ends with the given value."""
    message = str(error)
    named = any(re.search(rf"\b{each}\b", message) for each in names)
    plain = "np.float" not in message and "np.int" not in message
    return named and plain and bool(re.search(r"\b(must|needs?)\b.*, got ", message, re.DOTALL))


def fault(name: str, argument: str, kind: str) -> str | None:
    """Return the fault of a call with a bad argument of some kind; None if there is none."""
    values = CALLS[name]()
    values[argument] = VALUES[kind]()
    before = snapshot(values)
    try:
        with warnings.catch_warnings(), limited():
            warnings.simplefilter("error")
            public(name)(**values)
    except TooLong:
        return f"{kind}: no end after {SECONDS:g} seconds"
    except (ValueError, TypeError) as error:
        if not understandable(error, values):
            return f"{kind}: {type(error).__name__}: {error}"[:300]
    except Exception as error:
        return f"{kind}: {type(error).__name__}: {error}"[:300]
    return None if snapshot(values) == before else f"{kind}: the input was changed"


def faults(name: str, argument: str, kinds: Iterable[str]) -> list[str]:
    """Return the faults of a callable with an argument of each of some kinds.

    If a call never returns to Python, or waits forever, the process ends and prints the line on
    which it hangs.
    """
    skipped = {"10**6"} if argument in WORK else {"a class"} if argument in FUNCTIONS else set()
    given = [kind for kind in kinds if kind not in skipped]
    faulthandler.dump_traceback_later(WAIT, exit=True)  # a thread: for each call it would be slow
    try:
        with patch.multiple(reports, **REPEATED):
            return [found for kind in given if (found := fault(name, argument, kind))]
    finally:
        faulthandler.cancel_dump_traceback_later()
