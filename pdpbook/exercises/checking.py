"""Checks that say what happened.

``check("chapter/name", answer)`` tests an answer, a function or a value, on several cases.  If one
fails it shows the input and what came back, says what kind of thing is wrong with it, and adds a
hint.  It never shows the right value.  It never raises because an answer is wrong or unfinished, so
a page with blank stubs still executes from top to bottom.

Each chapter keeps its exercises in a module of its own, ``pdpbook.exercises.<chapter>``, as a
dictionary ``EXERCISES`` from a name to an :class:`Exercise`.  The module is imported when one of
its exercises is first checked.

An answer that is a function is called through a wrapper that remembers the last call.  So a case
needs no code of its own to show what went in and what came out.
"""

from __future__ import annotations

import copy
import importlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from html import escape
from types import FunctionType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdpbook.exercises.student import is_blank

__all__ = ["Case", "CheckResult", "Exercise", "check", "close", "equal", "score"]

STUB = "still the stub. Replace the dots by your answer."
NO_MORE = "There is no stronger hint."
LONGEST = 160  #: characters of an argument or a returned value that are shown


@dataclass(frozen=True)
class Case:
    """One thing that an answer must get right.

    Parameters
    ----------
    judge : callable
        Takes the student's answer (the value itself, or the function) and returns whether this
        case holds, or, as a string, what is wrong with it.
    hint : str
        What to tell a student whose answer fails here.  It must not contain the solution.
    more : str
        A stronger hint, for ``check(..., hint=2)``.  It must not contain the solution either.
    mistakes : mapping from str to callable
        Hints for known misconceptions: each key replaces the hint if its value, called with the
        answer, says that this mistake was made.
    looks_inside : bool
        Whether the judge watches what the answer does in its own process.  An isolated grader
        leaves such a case out.

    Examples
    --------
    >>> case = Case(lambda x: x > 0, "Lengths are positive.", more="Drop the sign.")
    >>> case.judge(-3)
    False
    """

    judge: Callable[[Any], bool | str]
    hint: str
    more: str = ""
    mistakes: Mapping[str, Callable[[Any], bool]] = field(default_factory=dict)
    looks_inside: bool = False


@dataclass(frozen=True)
class Exercise:
    """The cases of one exercise, in the order in which they are tried.

    Parameters
    ----------
    cases : sequence of Case, or callable
        A callable is given the seed of the check and returns the cases.  So graded runs can use
        other numbers than those that students see.
    """

    cases: Sequence[Case] | Callable[[int], Sequence[Case]]

    def at(self, seed: int, *, isolated: bool = False) -> Sequence[Case]:
        """Return the cases for a seed, all of them or those for an isolated grader."""
        cases = self.cases(seed) if callable(self.cases) else self.cases
        return [case for case in cases if not (isolated and case.looks_inside)]


@dataclass(frozen=True)
class CheckResult:
    """The verdict on one answer: true in a boolean context if and only if it passed."""

    name: str
    passed: bool
    message: str

    def __bool__(self) -> bool:
        """Whether the answer passed."""
        return self.passed

    def __repr__(self) -> str:
        """Return one paragraph of plain text."""
        return f"{'✓' if self.passed else '✗'} {self.name}: {self.message}"

    def _repr_html_(self) -> str:
        kind = "passed" if self.passed else "open"
        return f'<p class="pdpbook-check {kind}">{escape(repr(self))}</p>'


def close(
    expected: float | Callable[..., Any],
    *arguments: Any,
    hint: str,
    more: str = "",
    mistakes: Mapping[str, Any] | None = None,
    rtol: float = 1e-6,
    atol: float = 1e-9,
) -> Case:
    """Return a case for a number or an array, compared within a tolerance.

    Parameters
    ----------
    expected : float, array or callable
        The right value, or a reference function that is called with ``arguments``.
    *arguments
        With arguments the answer is a function and is called with them; without, it is a value.
    hint, more : str
        What to tell a student whose answer fails here, and who asks again.
    mistakes : mapping from str to float, array or callable, optional
        For a known misconception, the hint and what it leads to, as ``expected``.
    rtol, atol : float
        Relative and absolute tolerance.

    Examples
    --------
    >>> case = close(2.0, 4.0, hint="What squared gives 4?", mistakes={"Half?": lambda x: x / 2})
    >>> case.judge(lambda x: x**0.5)
    ''
    >>> case.judge(lambda x: -2)
    'The sign is wrong.'
    """

    def value(of: Any) -> Any:
        return of(*map(copy.copy, arguments)) if callable(of) else of

    def agrees(given: Any, target: Any) -> bool:
        return given.shape == target.shape and bool(
            np.allclose(given, target, rtol=rtol, atol=atol)
        )

    def judge(answer: Any) -> str:
        given = answer(*map(copy.copy, arguments)) if arguments else answer
        target = np.asarray(value(expected), dtype=float)
        try:
            numbers = np.asarray(given, dtype=float)
        except (TypeError, ValueError):
            wanted = "a number" if target.ndim == 0 else f"numbers of shape {target.shape}"
            return f"It is a {type(given).__name__}, and {wanted} was expected."
        return "" if agrees(numbers, target) else _what_is_wrong(numbers, target, agrees)

    def made(wrong: Any) -> Callable[[Any], bool]:
        def is_made(answer: Any) -> bool:
            given = answer(*map(copy.copy, arguments)) if arguments else answer
            return agrees(np.asarray(given, dtype=float), np.asarray(value(wrong), dtype=float))

        return is_made

    return Case(judge, hint, more, {text: made(wrong) for text, wrong in (mistakes or {}).items()})


def equal(
    expected: Any,
    *arguments: Any,
    hint: str,
    more: str = "",
    mistakes: Mapping[str, Any] | None = None,
) -> Case:
    """Return a case for an answer that must equal the expected value exactly.

    Parameters are those of :func:`close`.

    Examples
    --------
    >>> equal(True, 3, hint="Is 3 odd?").judge(lambda n: n % 2 == 1)
    True
    """

    def same(target: Any) -> Callable[[Any], bool]:
        def judge(answer: Any) -> bool:
            given = answer(*map(copy.copy, arguments)) if arguments else answer
            wanted = target(*map(copy.copy, arguments)) if callable(target) else target
            return given is not None and bool(np.array_equal(given, wanted))

        return judge

    others = {text: same(wrong) for text, wrong in (mistakes or {}).items()}
    return Case(same(expected), hint, more, others)


def check(
    name: str, answer: Any, *, hint: int = 1, seed: int = 0, isolated: bool = False
) -> CheckResult:
    """Test an answer to an exercise and say what, if anything, is still wrong.

    Parameters
    ----------
    name : str
        ``"chapter/exercise"``, as it stands in the check cell under the exercise.
    answer : object
        The student's function or value.
    hint : int
        0 for no hint, 1 for a hint, 2 for a stronger one where there is one.
    seed : int
        Numbers of the cases that depend on a seed.
    isolated : bool
        Leave out the cases that watch the answer in its own process.

    Returns
    -------
    CheckResult
        True in a boolean context if every case holds.

    Raises
    ------
    KeyError
        If there is no such exercise.
    ValueError
        If hint is not 0, 1 or 2.  Nothing else is raised: an exception inside the answer is
        reported in the result.

    Examples
    --------
    >>> check("dp-versus-pdp/company-needed", ...)
    ✗ dp-versus-pdp/company-needed: still the stub. Replace the dots by your answer.
    """
    if hint not in (0, 1, 2):
        raise ValueError(f"hint must be 0, 1 or 2, got hint={hint!r}")
    cases = _find(name).at(seed, isolated=isolated)
    if is_blank(answer):
        return CheckResult(name, False, STUB)
    for i, case in enumerate(cases, start=1):
        holds, problem = _try(case, answer)
        if not holds:
            if problem == STUB:
                return CheckResult(name, False, STUB)
            words = [f"case {i} of {len(cases)} does not hold yet.", problem]
            words += [_matching_hint(case, answer)] if hint else []
            words += [case.more or NO_MORE] if hint == 2 else []
            return CheckResult(name, False, " ".join(filter(None, words)))
    return CheckResult(name, True, f"all {len(cases)} cases hold.")


def score(name: str, answer: Any, *, seed: int = 0, isolated: bool = False) -> tuple[int, int]:
    """Count the cases that hold.

    Parameters
    ----------
    name, answer, seed, isolated
        As in :func:`check`.

    Returns
    -------
    held, total : int
        A blank answer holds none.

    Raises
    ------
    KeyError
        If there is no such exercise.

    Examples
    --------
    >>> score("dp-versus-pdp/company-needed", ...)[0]
    0
    """
    cases = _find(name).at(seed, isolated=isolated)
    held = 0 if is_blank(answer) else sum(_try(case, answer)[0] for case in cases)
    return held, len(cases)


class _Remembering:
    """A function that remembers its last call."""

    def __init__(self, function: FunctionType) -> None:
        self._function = function
        self._arguments: tuple[list[Any], dict[str, Any]] | None = None
        self._returned: Any = self
        self.__name__ = function.__name__

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        self._arguments = [*map(copy.copy, arguments)], named  # the answer may change its input
        self._returned = self
        self._returned = self._function(*arguments, **named)
        return self._returned

    def last_call(self) -> str:
        """Tell the last call and what it returned; nothing if there was none."""
        if self._arguments is None:
            return ""
        arguments, named = self._arguments
        shown = [*map(_shown, arguments), *(f"{key}={_shown(named[key])}" for key in named)]
        name = "your function" if self.__name__ == "<lambda>" else self.__name__
        call = f"{name}({', '.join(shown)})"
        if self._returned is self:
            return call
        if self._returned is None:
            return f"{call} returned None: is a `return` missing?"
        return f"{call} returned {_shown(self._returned)}."

    def returned_nothing(self) -> bool:
        """Whether the last call ended without a value."""
        return self._returned is None


def _try(case: Case, answer: Any) -> tuple[bool, str]:
    """Whether a case holds and, if not, what happened."""
    called = _Remembering(answer) if isinstance(answer, FunctionType) else None
    try:
        verdict = case.judge(answer if called is None else called)
    except NotImplementedError:
        return False, STUB
    except Exception as error:  # a student's code may raise anything; report it, do not crash
        raised = f"raised {type(error).__name__}: {error}."
        call = called.last_call() if called else ""
        return False, f"{call} {raised}" if call else f"Judging it {raised}"
    if not verdict if isinstance(verdict, str) else verdict:
        return True, ""
    complaint = verdict if isinstance(verdict, str) else ""
    if called is None:
        return False, f"Your answer is {_shown(answer)}. {complaint}".strip()
    if called.returned_nothing():
        complaint = ""
    return False, f"{called.last_call()} {complaint}".strip()


def _matching_hint(case: Case, answer: Any) -> str:
    """Return the hint for the mistake that was made, or the general one."""
    for hint, made in case.mistakes.items():
        try:
            if made(answer):
                return hint
        except Exception:  # the answer raises here too: then it is another mistake
            continue
    return case.hint


def _what_is_wrong(
    given: NDArray[np.float64],
    target: NDArray[np.float64],
    agrees: Callable[[Any, Any], bool],
) -> str:
    """Say what kind of thing is wrong with numbers, without giving the right ones away."""
    if given.shape != target.shape:
        kind = "one number" if target.ndim == 0 else f"the shape {target.shape}"
        return f"Its shape is {given.shape}, and {kind} was expected."
    if np.isnan(given).any() and not np.isnan(target).any():
        return "It is not a number (nan)." if given.ndim == 0 else "Some of it is nan."
    if np.isinf(given).any() and not np.isinf(target).any():
        return "It is infinite." if given.ndim == 0 else "Some of it is infinite."
    if target.any() and agrees(-given, target):
        return "The sign is wrong."
    if target.any() and agrees(given * math.log(2.0), target):
        return "It is right in base 2. The book takes natural logarithms."
    if (given < 0.0).any() and (target >= 0.0).all():
        return "It is negative." if given.ndim == 0 else "Some of it is negative."
    if target.ndim == 1 and math.isclose(target.sum(), 1.0):
        if not math.isclose(given.sum(), 1.0, abs_tol=1e-6):
            return f"It should sum to 1, and sums to {given.sum():.4g}."
    elif target.ndim == 2 and np.allclose(target.sum(axis=1), 1.0):
        if not np.allclose(given.sum(axis=1), 1.0, atol=1e-6):
            return "Each row should sum to 1."
    if target.ndim:
        wrong = [i for i in np.ndindex(target.shape) if not agrees(given[i], target[i])]
        place = ", ".join(map(str, wrong[0]))
        return f"{len(wrong)} of {target.size} entries are wrong, the first at [{place}]."
    if given == np.round(given) and abs(given - target) == 1.0:
        return "It is off by one."
    return "The value is wrong."


def _shown(value: Any) -> str:
    """Return a value in few characters."""
    if isinstance(value, np.ndarray) and value.ndim > 2:
        text = f"array of shape {value.shape}"
    elif isinstance(value, np.ndarray):
        text = np.array2string(value, precision=4, separator=", ", threshold=12, edgeitems=3)
        text = " ".join(text.split())
    elif isinstance(value, float | np.floating):
        text = f"{float(value):.6g}"
    elif isinstance(value, list | tuple) and all(isinstance(v, float | np.floating) for v in value):
        text = repr(type(value)(float(f"{v:.6g}") for v in value))
    elif isinstance(value, np.generic):
        text = repr(value.item())
    elif callable(value):
        text = "a function"
    elif is_dataclass(value):
        parts = {part.name: getattr(value, part.name) for part in fields(value) if part.init}
        given = (f"{name}={_shown(part)}" for name, part in parts.items() if part is not None)
        text = f"{type(value).__name__}({', '.join(given)})"
    else:
        text = " ".join(repr(value).split())
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _find(name: str) -> Exercise:
    chapter, _, title = name.partition("/")
    package = __name__.rpartition(".")[0]
    try:
        module = importlib.import_module(f"{package}.{chapter.replace('-', '_')}")
        exercises: Mapping[str, Exercise] = module.EXERCISES
    except (ModuleNotFoundError, AttributeError):
        raise KeyError(f"no chapter has exercises under the name {chapter!r}") from None
    if title not in exercises:
        raise KeyError(f"unknown exercise {title!r}; {chapter} has {sorted(exercises)}")
    return exercises[title]
