"""What an answer must get right: the cases of an exercise, and what kind of thing is wrong.

A :class:`Case` judges an answer, a function or a value, and has a hint for a student whose answer
fails there.  :func:`close` and :func:`equal` make one from a reference answer.  They say what kind
of thing is wrong with numbers, never the right ones.  :mod:`pdpbook_exercises.checks.checking`
tries the cases one after the other.

An :class:`Exercise` has fixed cases, the hard ones, and draws more from a seed.  One that asks for
an object has instances instead, one for each student, and its cases are made from an instance
(:mod:`pdpbook_exercises.checks.instances`).

What students hold contains none of the references.  There a case of :func:`close` or :func:`equal`
has only the values for its own arguments (``Case.shown``), and a function that is marked by
:func:`reference` is replaced by what it returned in the cases that a check shows
(``pdpbook_exercises.checks.shown``).
"""

from __future__ import annotations

import copy
import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

from pdpbook_exercises.checks.instances import Instance, Instances

__all__ = ["DRAWN", "Case", "Exercise", "close", "equal", "reference"]

DRAWN = 3  #: cases that a check draws
P = ParamSpec("P")
T = TypeVar("T")


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
    may_change : bool
        Whether the answer may change what it is given, because the exercise asks for that.
    again : callable, optional
        Makes the same case for other arguments.  :func:`close` and :func:`equal` provide it if the
        expected value is a function.
    wrong_answers : mapping from str to answer
        An answer that makes each of these mistakes, where :func:`close` or :func:`equal` has made
        the case.  No check looks at them; tests hand them in.
    shown : callable, optional
        Returns the data of the same case without any function that computes a value: which of
        :func:`close` and :func:`equal` made it, the expected value, the arguments and the options.

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
    may_change: bool = False
    again: Callable[..., Case] | None = None
    wrong_answers: Mapping[str, Any] = field(default_factory=dict)
    shown: Callable[[], Shown] | None = None


#: A case as data: what made it, the expected value, the arguments, and the options.
Shown = tuple[str, Any, tuple[Any, ...], dict[str, Any]]


@dataclass(frozen=True)
class Exercise:
    """The cases of one exercise.

    Parameters
    ----------
    cases : sequence of Case, or callable
        What an answer must get right, in the order in which it is tried: the hard cases, which are
        known.  A callable is given the seed of the check and returns them; in an exercise with
        ``own`` it is given the instance.
    draw : callable, optional
        Takes a random generator and draws a case: the arguments for which the first of ``cases``
        is made again, as a tuple, or a whole :class:`Case`.  A check tries :data:`DRAWN` of them
        after the others.  Its seed is 0 for students; a graded run has another, so that a table of
        known answers is worth nothing there.  The hint of a drawn case is that of the first one.
    own : Instances, optional
        For an exercise that asks for an object: its instances, of which each student has one.
        Until :meth:`of` puts that of a student in its place, the cases are made from the usual one.
    fixed : str
        Why everybody has the same cases, for an exercise with neither ``draw`` nor ``own``.
    refused : sequence of str
        Functions and methods of the package that the exercise asks to write, each as
        ``"module.name"``.  An answer that calls one of them holds no case
        (``pdpbook_exercises.checks.own_work``).

    Examples
    --------
    >>> odd = Exercise([equal(True, 3, hint="Is 3 odd?"), equal(False, 4, hint="Is 4 odd?")])
    >>> [case.judge(lambda n: n % 2 == 1) for case in odd.at(seed=0)]
    [True, True]
    >>> root = Exercise(
    ...     [close(lambda x: x**0.5, 4.0, hint="What squared gives 4?")],
    ...     draw=lambda rng: (rng.uniform(1.0, 9.0),),
    ... )
    >>> [case.judge(lambda x: x**0.5) for case in root.at(seed=5)]
    ['', '', '', '']
    >>> larger = Exercise(
    ...     lambda mine: [Case(lambda answer: answer > mine["least"], "Larger.")],
    ...     own=Instances({"least": 3}, lambda rng: {"least": int(rng.integers(10, 20))}),
    ... )
    >>> [case.judge(5) for case in larger.at(0)]
    [True]
    >>> [case.judge(5) for case in larger.of("a-chapter/larger", "Jane Doe").at(0)]
    [False]
    """

    cases: Sequence[Case] | Callable[[Any], Sequence[Case]]
    draw: Callable[[np.random.Generator], Case | tuple[Any, ...]] | None = None
    own: Instances | None = None
    fixed: str = ""
    refused: Sequence[str] = ()

    def of(self, name: str, me: str) -> Exercise:
        """Return the exercise as the student ``me`` has it, where its name is ``name``."""
        if self.own is None:
            return self
        mine = self.own.of(name, me)
        return replace(self, own=replace(self.own, usual=mine))

    def at(self, seed: int, *, isolated: bool = False) -> Sequence[Case]:
        """Return the cases for a seed, all of them or those for an isolated grader."""
        cases = [*self._known(seed), *self.drawn(seed)]
        return [case for case in cases if not (isolated and case.looks_inside)]

    def drawn(self, seed: int) -> Sequence[Case]:
        """Return the cases that are drawn for a seed; none if the exercise draws none."""
        if self.draw is None:
            return []
        found = [self.draw(np.random.default_rng([seed, i])) for i in range(DRAWN)]
        return [each if isinstance(each, Case) else self._again(seed, each) for each in found]

    def _known(self, seed: int) -> Sequence[Case]:
        if not callable(self.cases):
            return self.cases
        return self.cases(seed) if self.own is None else self.cases(*self._instance())

    def _instance(self) -> list[Instance]:
        """Return a copy of the instance; nothing if there is none."""
        return [] if self.own is None else [copy.deepcopy(self.own.usual)]

    def _again(self, seed: int, drawn: tuple[Any, ...]) -> Case:
        again = self._known(seed)[0].again
        if again is None:
            raise ValueError(
                f"draw must return a Case where the first case has no reference, got {drawn!r}"
            )
        return again(*drawn)


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
        Each call, of the answer, of the reference and of a misconception, gets copies of its own,
        lists inside lists and the state of a random generator included.
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
        return of(*copy.deepcopy(arguments)) if callable(of) else of

    def agrees(given: Any, target: Any) -> bool:
        return given.shape == target.shape and bool(
            np.allclose(given, target, rtol=rtol, atol=atol)
        )

    def judge(answer: Any) -> str:
        given = answer(*copy.deepcopy(arguments)) if arguments else answer
        target = np.asarray(value(expected), dtype=float)
        try:
            numbers = np.asarray(given, dtype=float)
        except (TypeError, ValueError):
            wanted = f"numbers of shape {target.shape} were" if target.ndim else "a number was"
            return f"It is a {type(given).__name__}, and {wanted} expected."
        return "" if agrees(numbers, target) else _what_is_wrong(numbers, target, agrees)

    def made(wrong: Any) -> Callable[[Any], bool]:
        def is_made(answer: Any) -> bool:
            given = answer(*copy.deepcopy(arguments)) if arguments else answer
            return agrees(np.asarray(given, dtype=float), np.asarray(value(wrong), dtype=float))

        return is_made

    others = {text: made(wrong) for text, wrong in (mistakes or {}).items()}
    options: dict[str, Any] = {
        "hint": hint,
        "more": more,
        "mistakes": mistakes,
        "rtol": rtol,
        "atol": atol,
    }
    again = partial(close, expected, **options) if arguments and callable(expected) else None
    shown = partial(_show_case, "close", value, expected, arguments, options)
    wrong_answers = _as_answers(mistakes, arguments)
    return Case(judge, hint, more, others, again=again, wrong_answers=wrong_answers, shown=shown)


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

    def value(of: Any) -> Any:
        return of(*copy.deepcopy(arguments)) if callable(of) else of

    def same(target: Any) -> Callable[[Any], bool]:
        def judge(answer: Any) -> bool:
            given = answer(*copy.deepcopy(arguments)) if arguments else answer
            wanted = value(target)
            return given is not None and bool(np.array_equal(given, wanted))

        return judge

    others = {text: same(wrong) for text, wrong in (mistakes or {}).items()}
    options: dict[str, Any] = {"hint": hint, "more": more, "mistakes": mistakes}
    again = partial(equal, expected, **options) if arguments and callable(expected) else None
    shown = partial(_show_case, "equal", value, expected, arguments, options)
    return Case(
        same(expected),
        hint,
        more,
        others,
        again=again,
        wrong_answers=_as_answers(mistakes, arguments),
        shown=shown,
    )


def _as_answers(mistakes: Mapping[str, Any] | None, arguments: tuple[Any, ...]) -> dict[str, Any]:
    """Return what each mistake leads to as an answer: a function of the arguments, or a value."""

    def answer(wrong: Any) -> Any:
        if arguments:
            return wrong if callable(wrong) else lambda *given: wrong
        return wrong() if callable(wrong) else wrong

    return {hint: answer(wrong) for hint, wrong in (mistakes or {}).items()}


def reference(function: Callable[P, T]) -> Callable[P, T]:
    """Mark a function of a chapter's module that computes a right answer.

    It stays as it is.  The copy that students hold has, instead of it, what it returned in the
    cases that a check shows.

    Examples
    --------
    >>> @reference
    ... def half(x):
    ...     return x / 2
    >>> half(3)
    1.5
    """
    return function


def _show_case(
    kind: str,
    value: Callable[[Any], Any],
    expected: Any,
    arguments: tuple[Any, ...],
    options: dict[str, Any],
) -> Shown:
    """Return a case as data; a misconception that leads nowhere here is left out."""
    mistakes = {}
    for hint, wrong in (options["mistakes"] or {}).items():
        with suppress(Exception), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            mistakes[hint] = value(wrong)
    return kind, value(expected), arguments, options | {"mistakes": mistakes}


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
