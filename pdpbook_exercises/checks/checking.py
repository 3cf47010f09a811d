"""Checks that say what happened.

``check("chapter/name", answer)`` tests an answer, a function or a value, on several cases.  If one
fails it shows the input and what came back, says what kind of thing is wrong with it, and adds a
hint.  It never shows the right value.  It never raises because an answer is wrong or unfinished, so
a page with blank stubs still executes from top to bottom.

Each chapter keeps its exercises in a module of its own,
``pdpbook_exercises/chapters/<part>/<chapter>.py``, as a dictionary ``EXERCISES`` from a name to an
:class:`~pdpbook_exercises.checks.cases.Exercise`.  The module is imported when one of its exercises
is first checked.

An answer that is a function is called through a wrapper that remembers the last call.  So a case
needs no code of its own to show what went in and what came out.

``own("chapter/name", me)`` returns the instance that a student has of an exercise with instances
(:mod:`pdpbook_exercises.checks.instances`), and ``check(..., me=me)`` judges the answer to it.
"""

from __future__ import annotations

import copy
import functools
import importlib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from html import escape
from numbers import Number
from pkgutil import iter_modules
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from pdpbook_exercises import chapters
from pdpbook_exercises.checks.cases import DRAWN, Case, Exercise
from pdpbook_exercises.checks.instances import READER, Instance
from pdpbook_exercises.checks.own_work import own_work
from pdpbook_exercises.checks.student import Clock, OutOfTime, is_blank
from pdpbook_exercises.checks.wire import CHANGEABLE

__all__ = [
    "CheckResult",
    "check",
    "counted",
    "find_exercise",
    "module_of",
    "own",
    "results",
    "score",
]

STUB = "still the stub. Replace the dots by your answer."
NO_MORE = "There is no stronger hint."
SECONDS = 30.0  #: of the processor for one case, as much as the isolated grader gives
LONGEST = 160  #: characters of an argument or a returned value that are shown


@dataclass(frozen=True)
class CheckResult:
    """The verdict on one answer: true in a boolean context if and only if it passed."""

    name: str
    passed: bool
    message: str
    mistaken: bool = False  #: whether the case knows the misconception that the answer follows

    def __bool__(self) -> bool:
        """Whether the answer passed."""
        return self.passed

    def __repr__(self) -> str:
        """Return one paragraph of plain text."""
        return f"{'✓' if self.passed else '✗'} {self.name}: {self.message}"

    def _repr_html_(self) -> str:
        kind = "passed" if self.passed else "open"
        return f'<p class="pdpbook-check {kind}">{escape(repr(self))}</p>'


def check(
    name: str,
    answer: Any,
    *,
    me: str = READER,
    hint: int = 1,
    seed: int = 0,
    isolated: bool = False,
    seconds: float = SECONDS,
) -> CheckResult:
    """Test an answer to an exercise and say what, if anything, is still wrong.

    Parameters
    ----------
    name : str
        ``"chapter/exercise"``, as it stands in the check cell under the exercise.
    answer : object
        The student's function or value.
    me : str
        Name of the student, where the exercise has instances: the answer is judged by that of this
        name (:func:`own`).
    hint : int
        0 for no hint, 1 for a hint, 2 for a stronger one where there is one.
    seed : int
        Of the cases that are drawn.
    isolated : bool
        Leave out the cases that watch the answer in its own process.
    seconds : float
        Time of the processor for each case.  An answer that needs more is stopped, and the result
        says so.  Windows, and threads other than the main one, have no such limit.

    Returns
    -------
    CheckResult
        True in a boolean context if every case passes.

    Raises
    ------
    KeyError
        If there is no such exercise.
    ValueError, TypeError
        If hint is not 0, 1 or 2, or ``me`` is no name.  Nothing else is raised: an exception
        inside the answer is reported in the result.

    Examples
    --------
    >>> check("dp-versus-pdp/records-needed", ...)
    ✗ dp-versus-pdp/records-needed: still the stub. Replace the dots by your answer.
    """
    held = 0
    cases = results(name, answer, me=me, hint=hint, seed=seed, isolated=isolated, seconds=seconds)
    for result in cases:
        if not result:
            return result
        held += 1
    return CheckResult(name, True, f"all {held} cases pass.")


def own(name: str, me: str) -> Instance:
    """Return the instance of an exercise that a student has.

    Parameters
    ----------
    name : str
        ``"chapter/exercise"``, as it stands in the check cell under the exercise.
    me : str
        Name of the student: in a course, the one under which they hand in.  Capital letters,
        accents, blanks and the order of the parts of the name do not matter.  For ``"reader"`` it
        is the instance of the chapter.

    Returns
    -------
    dict
        What the text of the exercise calls ``mine``, a fresh copy.

    Raises
    ------
    KeyError
        If there is no such exercise.
    ValueError, TypeError
        If ``me`` is no text with a letter or a digit, or everybody has the same exercise.

    Examples
    --------
    >>> own("exact-optimum/anarchy", "reader")
    {'epsilon': 1.0, 'price': 20}
    >>> own("exact-optimum/anarchy", "Doe, Jane") == own("exact-optimum/anarchy", "jane doe")
    True
    """
    family = find_exercise(name).own
    if family is None:
        raise ValueError(f"name must be that of an exercise with instances, got {name!r}")
    return family.of(name, me)


def results(
    name: str,
    answer: Any,
    *,
    me: str = READER,
    hint: int = 1,
    seed: int = 0,
    isolated: bool = False,
    seconds: float = math.inf,
) -> Iterator[CheckResult]:
    """Yield the verdict on each case, also after one that fails.

    Parameters
    ----------
    name, answer, me, hint, seed, isolated, seconds
        As in :func:`check`, but without a limit unless one is given.  Only the first case that
        fails gets a hint.

    Yields
    ------
    CheckResult
        One a case, in their order, when it is asked for: no case is tried before its turn.  A
        blank answer passes none.

    Raises
    ------
    KeyError, ValueError, TypeError
        As in :func:`check`.

    Examples
    --------
    >>> [bool(each) for each in results("dp-versus-pdp/records-needed", lambda n, e: 2)][:3]
    [False, True, True]
    """
    if hint not in (0, 1, 2):
        raise ValueError(f"hint must be 0, 1 or 2, got hint={hint!r}")
    exercise = find_exercise(name).of(name, me)
    cases = exercise.at(seed, isolated=isolated)
    if is_blank(answer):
        yield from [CheckResult(name, False, STUB)] * len(cases)
        return
    if callable(answer) and not isolated:  # the isolated grader has it watched where it runs
        answer = own_work(answer, exercise.refused)
    clock = Clock(seconds)
    for i, case in enumerate(cases, start=1):
        clock.start()
        try:
            holds, problem, wants_hint = clock.run(functools.partial(_try, case, answer))
        except OutOfTime as error:
            holds, problem, wants_hint = False, f"Your answer was stopped: {error}.", True
        except Exception as error:  # what came back cannot even be shown
            raised = f"raised {type(error).__name__}: {error}"
            holds, problem, wants_hint = False, f"Comparing what came back {raised}.", True
        words, mistaken = [] if holds else [problem], False
        if words and problem != STUB:
            words.insert(0, f"case {i} of {len(cases)} fails.")
            if wants_hint:
                told = _matching_hint(case, answer, clock) if hint else ""
                mistaken = told in case.mistakes
                words += [told]
                words += [case.more or NO_MORE] if hint == 2 else []
            hint = 0
        yield CheckResult(name, holds, " ".join(filter(None, words)), mistaken)


def score(
    name: str, answer: Any, *, me: str = READER, seed: int = 0, isolated: bool = False
) -> tuple[int, int]:
    """Count the cases that pass, whichever they are: one that fails does not end the count.

    Not all of these count in every exercise (:func:`counted`).

    Parameters
    ----------
    name, answer, me, seed, isolated
        As in :func:`check`.

    Returns
    -------
    held, total : int
        A blank answer passes none.

    Raises
    ------
    KeyError
        If there is no such exercise.

    Examples
    --------
    >>> score("dp-versus-pdp/records-needed", ...)[0]
    0
    """
    tried = [*results(name, answer, me=me, seed=seed, isolated=isolated)]
    held = [result.passed for result in tried]
    return counted(name, held, mistaken=any(each.mistaken for each in tried)), len(held)


def counted(name: str, held: Sequence[bool], *, mistaken: bool = False) -> int:
    """Return how many of the cases that hold count for a grade.

    The fixed cases of an exercise are known, so an answer may be a table of them.  If the exercise
    draws cases, the fixed ones therefore count in proportion to the drawn ones that hold, rounded
    down.  An answer for which no drawn case holds has shown nothing and gets nothing.  Where each
    student has an instance, the answer is one object, and cases that hold for the object of
    somebody else show nothing, too: it counts if all of them hold.

    Many cases may hold by accident for an answer that follows a known misconception.  It gets at
    most half, rounded down.

    Parameters
    ----------
    name : str
        ``"chapter/exercise"``.
    held : sequence of bool
        For each case in the order of :func:`results`, whether it holds.
    mistaken : bool
        Whether the first case that fails knows the misconception.

    Returns
    -------
    int

    Raises
    ------
    KeyError
        If there is no such exercise.

    Examples
    --------
    >>> counted("dp-versus-pdp/records-needed", [True] * 8 + [False] * 3)
    0
    >>> counted("dp-versus-pdp/records-needed", [True] * 8 + [False, False, True])
    3
    >>> counted("dp-versus-pdp/records-needed", [False] + [True] * 10, mistaken=True)
    5
    """
    exercise = find_exercise(name)
    most = len(held) // 2 if mistaken else len(held)
    if exercise.own is not None:
        return sum(held) if all(held) else 0
    if exercise.draw is None:
        return min(most, sum(held))
    fixed, drawn = sum(held[:-DRAWN]), sum(held[-DRAWN:])
    return min(most, drawn + fixed * drawn // DRAWN)


def _kept(argument: Any) -> Any:
    """Return an argument as it is now, whatever the answer does to it."""
    changeable = isinstance(argument, CHANGEABLE)
    return copy.deepcopy(argument) if changeable else copy.copy(argument)


class _Remembering:
    """A function that remembers its last call."""

    def __init__(self, function: FunctionType) -> None:
        self._function = function
        self._arguments: tuple[list[Any], dict[str, Any]] | None = None
        self._returned: Any = self
        self.changed = ""
        self.__name__ = function.__name__

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        self._arguments = [*map(_kept, arguments)], {key: _kept(named[key]) for key in named}
        self._returned = self
        try:
            self._returned = self._function(*arguments, **named)
        finally:
            self._compare(arguments, named)
        return self._returned

    def _compare(self, arguments: tuple[Any, ...], named: dict[str, Any]) -> None:
        assert self._arguments is not None
        kept, kept_named = self._arguments
        pairs = [*zip(kept, arguments, strict=True)]
        pairs += [(kept_named[key], named[key]) for key in named]
        for before, after in pairs:
            if not (self.changed or _same(before, after)):
                call = self.last_call(returned=False)
                self.changed = f"{call} changed what it was given: now it is {_show_value(after)}."

    def last_call(self, *, returned: bool = True) -> str:
        """Tell the last call and what it returned; nothing if there was none."""
        if self._arguments is None:
            return ""
        arguments, named = self._arguments
        shown = [
            *map(_show_value, arguments),
            *(f"{key}={_show_value(named[key])}" for key in named),
        ]
        name = "your function" if self.__name__ == "<lambda>" else self.__name__
        call = f"{name}({', '.join(shown)})"
        if self._returned is self or not returned:
            return call
        if self._returned is None:
            return f"{call} returned None: is a `return` missing?"
        return f"{call} returned {_show_value(self._returned)}."

    def returned_nothing(self) -> bool:
        """Whether the last call ended without a value."""
        return self._returned is None


def _same(before: Any, after: Any) -> bool:
    """Whether an argument that a call may change is what it was; generators are there to draw."""
    if isinstance(before, np.ndarray):
        floats = before.dtype.kind in "fc"
        return bool(np.array_equal(before, after, equal_nan=floats))
    if isinstance(before, list | tuple):
        return len(before) == len(after) and all(map(_same, before, after))
    if isinstance(before, dict):
        return before.keys() == after.keys() and all(_same(before[k], after[k]) for k in before)
    plain = isinstance(before, set | str | Number | np.generic)
    return not plain or bool(before == after or before != before)  # nan is not itself


def _try(case: Case, answer: Any) -> tuple[bool, str, bool]:
    """Whether a case holds and, if not, what happened and whether the hint is about that."""
    called = _Remembering(answer) if isinstance(answer, FunctionType) else None
    try:
        verdict = case.judge(answer if called is None else called)
    except NotImplementedError:
        return False, STUB, False
    except Exception as error:  # a student's code may raise anything; report it, do not crash
        raised = f"raised {type(error).__name__}: {error}."
        call = called.last_call() if called else ""
        if called is not None and called.changed:
            return False, f"{called.changed} Work on a copy. Then it {raised}", False
        return False, f"{call} {raised}" if call else f"Judging it {raised}", True
    if not verdict if isinstance(verdict, str) else verdict:
        if called is not None and called.changed and not case.may_change:
            return False, f"{called.changed} Work on a copy.", False
        if called is not None and called.returned_nothing() and not case.may_change:
            return False, called.last_call(), True  # a judge that compares may let it pass
        return True, "", False
    complaint = verdict if isinstance(verdict, str) else ""
    if called is None:
        return False, f"Your answer is {_show_value(answer)}. {complaint}".strip(), True
    if called.returned_nothing():
        complaint = ""
    return False, f"{called.last_call()} {complaint}".strip(), True


def _matching_hint(case: Case, answer: Any, clock: Clock) -> str:
    """Return the hint for the mistake that was made, or the general one if the time is over."""
    for hint, made in case.mistakes.items():
        try:
            if clock.run(functools.partial(made, answer)):
                return hint
        except OutOfTime:
            break
        except Exception:  # the answer raises here too: then it is another mistake
            continue
    return case.hint


def _show_value(value: Any) -> str:
    """Return a value in few characters, or its type if it cannot be shown at all."""
    try:
        text = _in_words(value)
    except Exception:  # its repr raises, is too deep, or has more digits than Python converts
        text = f"a value of type {type(value).__name__} that cannot be shown"
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _in_words(value: Any) -> str:
    """Return what :func:`_show_value` shortens."""
    if isinstance(value, np.ndarray) and value.ndim > 2:
        text = f"array of shape {value.shape}"
    elif isinstance(value, np.ndarray):
        text = np.array2string(value, precision=4, separator=", ", threshold=12, edgeitems=3)
        text = " ".join(text.split())
    elif isinstance(value, float | np.floating):
        text = f"{float(value):.6g}"
    elif isinstance(value, list | tuple) and all(isinstance(v, float | np.floating) for v in value):
        text = repr(type(value)(float(f"{v:.6g}") for v in value))
    elif isinstance(value, list | tuple) and any(
        isinstance(part, np.ndarray | np.generic) or is_dataclass(part) for part in value
    ):
        left, right = "[]" if isinstance(value, list) else "()"
        comma = "," if isinstance(value, tuple) and len(value) == 1 else ""
        text = f"{left}{', '.join(map(_show_value, value))}{comma}{right}"
    elif isinstance(value, np.generic):
        text = repr(value.item())
    elif callable(value):
        text = "a function"
    elif is_dataclass(value):
        parts = {part.name: getattr(value, part.name) for part in fields(value) if part.init}
        given = (f"{name}={_show_value(part)}" for name, part in parts.items() if part is not None)
        text = f"{type(value).__name__}({', '.join(given)})"
    else:
        text = " ".join(repr(value).split())
    return text


def find_exercise(name: str) -> Exercise:
    """Return an exercise, and import the module of its chapter.

    Parameters
    ----------
    name : str
        ``"chapter/exercise"``.

    Raises
    ------
    KeyError
        If there is no such exercise.

    Examples
    --------
    >>> find_exercise("replication/misfit").refused
    ('pdpbook.experiments.settings_search.misfit',)
    """
    chapter, _, title = name.partition("/")
    exercises: Mapping[str, Exercise] = getattr(module_of(chapter), "EXERCISES", {})
    if title not in exercises:
        raise KeyError(f"unknown exercise {title!r}; {chapter} has {sorted(exercises)}")
    return exercises[title]


def module_of(chapter: str) -> ModuleType:
    """Return the module with the exercises of a chapter.

    Parameters
    ----------
    chapter : str
        The name of its page, or of a module in a folder of a course.

    Raises
    ------
    KeyError
        If there is none.

    Examples
    --------
    >>> module_of("nvo-game").__name__
    'pdpbook_exercises.chapters.game.nvo_game'
    """
    name = chapter.replace("-", "_")
    parts = [f"{each.name}." for each in iter_modules(chapters.__path__) if each.ispkg]
    for place in [*parts, ""] if name.isidentifier() else []:
        module = f"{chapters.__name__}.{place}{name}"
        try:
            return importlib.import_module(module)
        except ModuleNotFoundError as error:
            if error.name != module:
                raise
    raise KeyError(f"no chapter has exercises under the name {chapter!r}")
