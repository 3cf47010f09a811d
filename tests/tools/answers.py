"""Right and wrong answers to the exercises, which show what the checks are worth.

``tests/exercises/answers/<part>/<chapter>.py`` has them for the exercises of a chapter, as a
dictionary ``ANSWERS`` from a name to :class:`Answers`.  A known misconception, which a case of
``close`` or ``equal`` names in ``mistakes=``, is a wrong answer by itself: :func:`wrong_answers`
returns both kinds.
"""

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from pdpbook_exercises import own
from pdpbook_exercises.checks.checking import find_exercise, module_of
from pdpbook_exercises.checks.instances import READER

PLACE = "tests.exercises.answers"
CHAPTERS = "pdpbook_exercises.chapters"
#: A wrong answer, and words of the message that it must get.
Refused = tuple[Any, str]


@dataclass(frozen=True)
class Answers:
    """Answers to one exercise.

    Attributes
    ----------
    wrong : sequence of (answer, str), or callable
        Plausible wrong answers that no case names, each with words of the message that it must get.
    right : sequence of answers, or callable
        Other right answers than the one on the page of solutions: another algorithm, a list where
        that returns an array.

    Notes
    -----
    They are callables without arguments where making the answers takes time, and callables that
    take the instance where each student has one.
    """

    wrong: Sequence[Refused] | Callable[..., Sequence[Refused]] = ()
    right: Sequence[Any] | Callable[..., Sequence[Any]] = ()


def answers_module(chapter: str) -> ModuleType:
    """Return the module with the answers to the exercises of a chapter."""
    return importlib.import_module(module_of(chapter).__name__.replace(CHAPTERS, PLACE))


def _made(answers: Any, name: str, me: str) -> list[Any]:
    if not callable(answers):
        return [*answers]
    return [*(answers() if find_exercise(name).own is None else answers(own(name, me)))]


def _answers(name: str) -> Answers:
    chapter, _, title = name.partition("/")
    found: Answers = answers_module(chapter).ANSWERS[title]
    return found


def right_answers(name: str, me: str = READER) -> list[Any]:
    """Return the right answers to an exercise, where each has its own to that of a student."""
    return _made(_answers(name).right, name, me)


def misconceptions(name: str) -> list[Refused]:
    """Return an answer for each misconception that a case of an exercise names, with its hint."""
    found: dict[str, Any] = {}
    if find_exercise(name).own is None:
        for case in find_exercise(name).at(0):
            found = {**case.wrong_answers, **found}
    return [(answer, hint) for hint, answer in found.items()]


def wrong_answers(name: str, me: str = READER) -> list[Refused]:
    """Return the wrong answers to an exercise with words of the message that each must get.

    Examples
    --------
    >>> [words for _, words in wrong_answers("why-noise/leaver")][-1]
    'n counts the group before, so n - 1 are left.'
    """
    return [*_made(_answers(name).wrong, name, me), *misconceptions(name)]
