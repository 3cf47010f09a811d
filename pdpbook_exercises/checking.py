"""Checks that explain what is wrong with an answer.

A check is a function with assertions, registered under the name of its exercise.  It calls the
answer and compares the result::

    @exercise("differential-privacy/margin")
    def margin(answer, rng):
        for s, m, c in [(1, 10, 0.05), (50, 20, 0.3), *rng.uniform(0.1, 0.9, (3, 3))]:
            assert_close(answer(s, m, c), s * log(1 / c) / m, "How often does noise leave (-m, m)?")

The call ``check(name, answer)`` runs it.  The message reports the last call to ``answer`` and the
first assertion that failed.  The generator ``rng`` draws further cases: the check on the page uses
seed 0, and a hidden test uses another seed.  The checks of a chapter are in
``chapters/<part>/<chapter>.py``.
"""

from __future__ import annotations

import copy
import dis
import hashlib
import importlib
import json
import math
import unicodedata
import warnings
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from pdpbook_exercises import chapters

__all__ = ["READER", "Result", "assert_close", "assert_equal", "check", "exercise", "own"]

READER = "reader"  #: the name of the student who gets the numbers of the chapter
A_VALUE = "The exercise asks for a value, and your answer is a function."
STUB = "this is still the stub. Replace the dots by your answer."
LONGEST = 160  #: the largest number of characters of a value that are shown


@dataclass(frozen=True)
class _Check:
    function: Callable[[Any, Any], None]
    mine: Callable[[np.random.Generator | None], Any] | None
    refused: tuple[str, ...]


CHECKS: dict[str, _Check] = {}


def exercise(name, *, mine=None, refused=()):
    """Register the check of an exercise.

    Parameters
    ----------
    name : str
        ``"chapter/exercise"``.
    mine : callable, optional
        Function that draws a student's own numbers from a random generator, or returns the
        chapter's numbers if it gets None.  The check gets these numbers instead of a generator.
    refused : sequence of str
        Functions and methods of the package that students write themselves and must not use.

    Examples
    --------
    >>> @exercise("a-chapter/half")
    ... def half(answer, rng):
    ...     for x in [4.0, *rng.uniform(0, 9, 3)]:
    ...         assert_close(answer(x), x / 2, "Divide.", {"That is the double.": 2 * x})
    >>> check("a-chapter/half", lambda x: 2 * x)
    ✗ a-chapter/half: your function(4) returned 8. The value is wrong. That is the double.
    >>> check("a-chapter/half", lambda x: x / 2)
    ✓ a-chapter/half: right.
    """

    def register(function):
        CHECKS[name] = _Check(function, mine, tuple(refused))
        return function

    return register


@dataclass(frozen=True)
class Result:
    """The verdict on one answer, true in a boolean context if and only if the answer is right."""

    name: str
    right: bool
    message: str

    def __bool__(self) -> bool:
        """Return whether the answer is right."""
        return self.right

    def __repr__(self) -> str:
        """Return one paragraph of plain text."""
        return f"{'✓' if self.right else '✗'} {self.name}: {self.message}"

    def _repr_html_(self) -> str:
        kind = "passed" if self.right else "open"
        return f'<p class="pdpbook-check {kind}">{escape(repr(self))}</p>'


def check(name: str, answer: Any, *, me: str = READER, hint: int = 1, seed: int = 0) -> Result:
    """Return whether an answer is right, and what is wrong with it; a wrong answer raises no error.

    Parameters
    ----------
    name : str
        ``"chapter/exercise"``, as in the check cell under the exercise.
    answer : object
        The student's function or value.
    me : str
        Name of the student, if every student has their own numbers (:func:`own`).
    hint : int
        2 for the stronger hint, if the exercise has one.
    seed : int
        Seed of the random cases.

    Raises
    ------
    KeyError
        If there is no such exercise.
    RuntimeError
        If Python runs with ``-O``, which removes assertions.

    Examples
    --------
    >>> check("dp-versus-pdp/records-needed", ...)
    ✗ dp-versus-pdp/records-needed: this is still the stub. Replace the dots by your answer.
    """
    if not __debug__:
        raise RuntimeError("the checks are assertions: run Python without -O")
    found = _find(name)
    given = own(name, me) if found.mine else np.random.default_rng(seed)
    if _is_stub(answer):
        return Result(name, False, STUB)
    if taken := [each for each in found.refused if each in _names(answer)]:
        return Result(name, False, f"{taken[0]} is what this exercise asks you to write yourself.")
    calls = _Calls(answer)
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # nbgrader gives no points if a cell warns
            found.function(calls if callable(answer) else answer, given)
    except NotImplementedError:
        return Result(name, False, STUB)
    except AssertionError as wrong:
        if callable(answer) and not calls.last:
            return Result(name, False, A_VALUE)
        said = [calls.last, *(part for part in wrong.args[:hint] if part)]
        said += ["check(..., hint=2) gives a stronger hint."] if any(wrong.args[hint:]) else []
        return Result(name, False, " ".join(said))
    except Exception as error:  # the result cannot be compared
        raised = f"Comparing it raised {type(error).__name__}: {error}."
        if not callable(answer) and "not callable" in str(error):
            raised = "The exercise asks for a function."
        elif callable(answer) and not calls.last:
            raised = A_VALUE
        return Result(name, False, f"{calls.last} {raised}")
    return Result(name, True, "right.")


def own(name: str, me: str) -> Any:
    """Return the numbers of a student in an exercise in which every student has their own.

    Parameters
    ----------
    name : str
        ``"chapter/exercise"``.
    me : str
        Name of the student.  Capital letters, accents, spaces and the order of the letters do not
        matter.  The name ``"reader"`` gives the numbers of the chapter.

    Raises
    ------
    KeyError
        If there is no such exercise.

    Examples
    --------
    >>> own("exact-optimum/anarchy", "reader")
    {'epsilon': 1.0, 'price': 20}
    >>> own("exact-optimum/anarchy", "Doe, Jane") == own("exact-optimum/anarchy", "jane doe")
    True
    """
    mine = _find(name).mine
    if mine is None:
        raise ValueError(f"name must be an exercise with each student's own numbers, got {name!r}")
    if not isinstance(me, str):
        raise TypeError(f"me must be the name of a student as a string, got a {type(me).__name__}")
    letters = "".join(sorted(filter(str.isalnum, unicodedata.normalize("NFKD", me).casefold())))
    if not letters:
        raise ValueError(f"me must contain a letter or a digit, got {me!r}")
    if letters == "".join(sorted(READER)):
        return mine(None)
    digest = hashlib.sha256(json.dumps([name, letters]).encode()).digest()
    return mine(np.random.default_rng(int.from_bytes(digest[:8], "big")))


def assert_close(given, right, hint, mistakes=None, *, more="", rtol=1e-6, atol=1e-9):
    """Assert that numbers are right; the message names a known mistake or the kind of error.

    Parameters
    ----------
    given : float or array_like
        The result of the answer.
    right : float or array_like
        The correct result.
    hint : str
        The hint that follows a wrong answer; it must not contain the solution.
    mistakes : dict from str to float or array_like, optional
        Hints that replace the general hint for known mistakes, with the mistakes' results.
    more : str
        The stronger hint, for ``check(..., hint=2)``.
    rtol, atol : float
        Relative and absolute tolerance.
    """

    def agree(a, b):
        a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
        return a.shape == b.shape and np.allclose(a, b, rtol=rtol, atol=atol, equal_nan=True)

    right = np.asarray(right, dtype=float)
    try:
        numbers = np.asarray(given, dtype=float)
        kind = np.asarray(given).dtype.kind
        if kind in "SU" or (kind == "c" and np.iscomplex(given).any()):
            raise TypeError("no real number, even if it contains digits")
    except (TypeError, ValueError):
        wanted = f"numbers of shape {right.shape} were" if right.ndim else "a number was"
        said = f"It is a {type(given).__name__}, and {wanted} expected. {hint}"
        raise AssertionError(said, more) from None
    if not agree(numbers, right):
        known = [said for said, wrong in (mistakes or {}).items() if agree(numbers, wrong)]
        said = f"{_kind(numbers, right, agree)} {(known or [hint])[0]}"
        raise AssertionError(said, more)


def assert_equal(given, right, hint, mistakes=None, *, more=""):
    """Assert that an answer is exactly right; for the arguments see :func:`assert_close`."""
    if given is None or not np.array_equal(given, right):
        known = [said for said, bad in (mistakes or {}).items() if np.array_equal(given, bad)]
        raise AssertionError((known or [hint])[0], more)


def _kind(given, right, agree):
    """Return the kind of error without revealing the correct numbers."""
    if given.shape != right.shape:
        kind = f"the shape {right.shape}" if right.ndim else "one number"
        return f"Its shape is {given.shape}, and {kind} was expected."
    said = "At least one entry is" if given.ndim else "It is"
    if np.isnan(given).any() and not np.isnan(right).any():
        return f"{said} not a number (nan)."
    if np.isinf(given).any() and not np.isinf(right).any():
        return f"{said} infinite."
    if right.any() and agree(-given, right):
        return "The sign is wrong."
    if right.any() and agree(given * math.log(2), right):
        return "It is right in base 2. The book takes natural logarithms."
    if (given < 0).any() and (right >= 0).all():
        return f"{said} negative."
    if right.ndim and np.allclose(right.sum(axis=-1), 1) and (right >= 0).all():
        if right.ndim == 1 and not math.isclose(given.sum(), 1, abs_tol=1e-6):
            return f"It should sum to 1, but sums to {given.sum():.7g}."
        if right.ndim == 2 and not np.allclose(given.sum(axis=1), 1, atol=1e-6):
            return "Each row should sum to 1."
    if right.ndim:
        wrong = [i for i in np.ndindex(right.shape) if not agree(given[i], right[i])]
        first = ", ".join(map(str, wrong[0]))
        return f"{len(wrong)} of {right.size} entries are wrong, the first at [{first}]."
    if given == np.round(given) and abs(given - right) == 1:
        return "It is off by one."
    return "The value is wrong."


class _Calls:
    """A wrapper that calls an answer with copies of the arguments and stores the last call."""

    def __init__(self, answer):
        self.answer = answer
        self.last = "" if callable(answer) else f"Your answer is {show(answer)}."

    def __call__(self, *arguments):
        name = getattr(self.answer, "__name__", "answer").replace("<lambda>", "your function")
        self.last = f"{name}({', '.join(map(show, arguments))})"
        given = copy.deepcopy(arguments)
        try:
            returned = self.answer(*given)
        except NotImplementedError:
            raise
        except Exception as error:
            self.last += f" raised {type(error).__name__}: {error}."
            raise AssertionError from error
        if not _same(given, arguments):
            raise AssertionError("changed its arguments. Work on a copy.")
        if returned is None:
            self.last += " returned None: is a `return` missing?"
            raise AssertionError
        self.last += f" returned {show(returned)}."
        return returned


def _same(a, b):
    """Return whether the arguments of a call are unchanged."""
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        return np.array_equal(a, b, equal_nan=a.dtype.kind in "fc")
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(_same, a, b))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(_same(a[key], b[key]) for key in a)
    if isinstance(a, set | str | int | float | complex | np.generic | None):
        return bool(a == b or (a != a and b != b))
    return True


def show(value: Any) -> str:
    """Return a value as a short text, or its type if it cannot be shown.

    Examples
    --------
    >>> show([0.123456789, (1, 2), np.arange(3)])
    '[0.123457, (1, 2), [0, 1, 2]]'
    """
    try:
        text = " ".join(_in_words(value).split())
    except Exception:  # its repr raises an error, or it is nested too deeply
        text = f"a value of type {type(value).__name__} that cannot be shown"
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _in_words(value):
    if isinstance(value, float | np.floating):
        return f"{value:.6g}"
    if isinstance(value, np.ndarray):
        if value.ndim > 2:
            return f"array of shape {value.shape}"
        return np.array2string(value, precision=4, separator=", ", threshold=12, edgeitems=3)
    if isinstance(value, np.generic):
        return repr(value.item())
    if type(value) in (list, tuple):
        inside = ", ".join(map(show, value))
        return f"[{inside}]" if isinstance(value, list) else f"({inside})"
    if is_dataclass(value) and not isinstance(value, type):  # e.g. a game, by its arguments
        parts = {each.name: getattr(value, each.name) for each in fields(value) if each.init}
        given = (f"{name}={show(part)}" for name, part in parts.items() if part is not None)
        return f"{type(value).__name__}({', '.join(given)})"
    return "a function" if callable(value) else repr(value)


def _is_stub(answer):
    """Return whether an answer is still the placeholder ``...`` or a function that does nothing."""
    if answer is None or answer is ...:
        return True
    code = getattr(answer, "__code__", None)
    return code is not None and all(
        step.opname in {"RESUME", "NOP", "POP_TOP", "RETURN_VALUE"}
        or (step.opname in {"LOAD_CONST", "RETURN_CONST"} and step.argval in (None, ...))
        for step in dis.get_instructions(code)
    )


def _names(answer):
    """Return the names that an answer uses, or its own name if it is a function of the package."""
    answer = getattr(answer, "func", answer)  # unwrap a functools.partial
    if str(getattr(answer, "__module__", "")).startswith("pdpbook."):
        return {getattr(answer, "__name__", type(answer).__name__)}
    seen, codes = set(), [getattr(answer, "__code__", None)]
    while codes:
        code = codes.pop()
        if hasattr(code, "co_names"):
            seen |= {*code.co_names, *code.co_freevars}
            codes += code.co_consts
    return seen


def _find(name):
    """Return a check, after importing the module of its chapter."""
    if not isinstance(name, str):
        raise TypeError(f"name must be a string, got {type(name).__name__}")
    if name not in CHECKS:
        chapter = name.partition("/")[0].replace("-", "_")
        for part in sorted(Path(chapters.__path__[0]).iterdir()):
            if (part / f"{chapter}.py").exists():
                importlib.import_module(f"{chapters.__name__}.{part.name}.{chapter}")
    if name not in CHECKS:
        others = sorted(each for each in CHECKS if each.startswith(f"{name.partition('/')[0]}/"))
        known = f"the chapter has {others}" if others else "a name begins with that of its chapter"
        raise KeyError(f"there is no exercise {name!r}; {known}")
    return CHECKS[name]
