"""Self-checks for the exercises of the book.

``check("chapter/name", answer)`` tests an answer, a function or a value, on several cases.  It
says whether the answer passes and, if not, explains the first case that fails without giving the
answer away.  It never raises because an answer is wrong or unfinished, so a page with blank stubs
still executes from top to bottom.

Each chapter keeps its exercises in a module of its own, ``pdpbook.exercises.<chapter>``, as a
dictionary ``EXERCISES`` from a name to an :class:`Exercise`.  The module is imported when one of
its exercises is first checked.
"""

from __future__ import annotations

import dis
import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

__all__ = ["Case", "CheckResult", "Exercise", "check", "close", "equal"]


@dataclass(frozen=True)
class Case:
    """One thing that an answer must get right.

    Parameters
    ----------
    judge : callable
        Takes the student's answer (the value itself, or the function) and returns whether this
        case holds.
    hint : str
        What to tell a student whose answer fails here.  It must not contain the solution.
    """

    judge: Callable[[Any], bool]
    hint: str


@dataclass(frozen=True)
class Exercise:
    """The cases of one exercise, in the order in which they are tried."""

    cases: Sequence[Case]


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
        """Return one line of plain text."""
        return f"{'✓' if self.passed else '✗'} {self.name}: {self.message}"

    def _repr_html_(self) -> str:
        kind = "passed" if self.passed else "open"
        return f'<p class="pdpbook-check {kind}">{escape(repr(self))}</p>'


def close(
    expected: float | Callable[..., Any],
    *arguments: Any,
    hint: str,
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
    hint : str
        What to tell a student whose answer fails here.
    rtol, atol : float
        Relative and absolute tolerance.

    Examples
    --------
    >>> case = close(2.0, 4.0, hint="What squared gives 4?")
    >>> case.judge(lambda x: x**0.5), case.judge(lambda x: x)
    (True, False)
    """

    def judge(answer: Any) -> bool:
        given = answer(*arguments) if arguments else answer
        target = expected(*arguments) if callable(expected) else expected
        given, target = np.asarray(given, dtype=float), np.asarray(target, dtype=float)
        return given.shape == target.shape and bool(
            np.allclose(given, target, rtol=rtol, atol=atol)
        )

    return Case(judge, hint)


def equal(expected: Any, *arguments: Any, hint: str) -> Case:
    """Return a case for an answer that must equal the expected value exactly.

    Examples
    --------
    >>> equal(True, 3, hint="Is 3 odd?").judge(lambda n: n % 2 == 1)
    True
    """

    def judge(answer: Any) -> bool:
        given = answer(*arguments) if arguments else answer
        target = expected(*arguments) if callable(expected) else expected
        return given is not None and bool(np.array_equal(given, target))

    return Case(judge, hint)


def check(name: str, answer: Any) -> CheckResult:
    """Test an answer to an exercise and say what, if anything, is still wrong.

    Parameters
    ----------
    name : str
        ``"chapter/exercise"``, as it stands in the check cell under the exercise.
    answer : object
        The student's function or value.

    Returns
    -------
    CheckResult
        True in a boolean context if every case holds.

    Raises
    ------
    KeyError
        If there is no such exercise.  Nothing else is raised: an exception inside the answer is
        reported in the result.

    Examples
    --------
    >>> check("dp-versus-pdp/company-needed", ...)
    ✗ dp-versus-pdp/company-needed: still the stub. Replace the dots by your answer.
    """
    exercise = _find(name)
    if _is_blank(answer):
        return CheckResult(name, False, "still the stub. Replace the dots by your answer.")
    for i, case in enumerate(exercise.cases, start=1):
        try:
            holds = bool(case.judge(answer))
        except NotImplementedError:
            return CheckResult(name, False, "still the stub. Replace the dots by your answer.")
        except Exception as error:  # a student's code may raise anything; report it, do not crash
            problem = f"case {i} raised {type(error).__name__}: {error}. {case.hint}"
            return CheckResult(name, False, problem)
        if not holds:
            return CheckResult(name, False, f"case {i} does not hold yet. {case.hint}")
    return CheckResult(name, True, f"all {len(exercise.cases)} cases hold.")


def _find(name: str) -> Exercise:
    chapter, _, title = name.partition("/")
    try:
        module = importlib.import_module(f"{__name__}.{chapter.replace('-', '_')}")
    except ModuleNotFoundError:
        raise KeyError(f"no chapter has exercises under the name {chapter!r}") from None
    exercises: Mapping[str, Exercise] = module.EXERCISES
    if title not in exercises:
        raise KeyError(f"unknown exercise {title!r}; {chapter} has {sorted(exercises)}")
    return exercises[title]


def _is_blank(answer: Any) -> bool:
    """Whether an answer is the untouched stub: nothing, dots, or a function that does nothing."""
    if answer is None or answer is Ellipsis:
        return True
    code = getattr(answer, "__code__", None)
    return code is not None and all(
        step.opname in {"RESUME", "NOP", "RETURN_VALUE"}
        or (step.opname in {"LOAD_CONST", "RETURN_CONST"} and step.argval is None)
        for step in dis.get_instructions(code)
    )
