"""Right and wrong answers to the exercises, as tests of the checks.

The file ``tests/exercises/answers/<part>/<chapter>.py`` contains the answers to the exercises of a
chapter, in a dictionary ``ANSWERS`` from names to :class:`Answers`.  A mistake in a check's
dictionary of mistakes is not repeated there.
"""

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pdpbook_exercises import own
from pdpbook_exercises.checking import CHECKS, READER
from tests.tools.notebooks import ROOT

#: A wrong answer, and words of the expected message.
Refused = tuple[Any, str]
PLACE = ROOT / "tests" / "exercises" / "answers"


@dataclass(frozen=True)
class Answers:
    """The answers to one exercise.

    Attributes
    ----------
    wrong : sequence of (answer, str), or callable
        Plausible wrong answers that no check names, each with words of the expected message.
    right : sequence of answers, or callable
        At least one right answer, if possible by an algorithm different from that of the solution.

    Notes
    -----
    They are callables without arguments if computing the answers takes time, and callables of a
    student's own numbers if each student has their own.
    """

    wrong: Sequence[Refused] | Callable[..., Sequence[Refused]] = ()
    right: Sequence[Any] | Callable[..., Sequence[Any]] = ()


def answers_of_all() -> dict[str, Answers]:
    """Return the answers to all exercises by name; the imports also register the checks."""
    found: dict[str, Answers] = {}
    for path in sorted(PLACE.rglob("*.py")):
        names = [*path.relative_to(PLACE.parent.parent).with_suffix("").parts]
        for package in (["tests", *names], ["pdpbook_exercises", "chapters", *names[2:]]):
            module = importlib.import_module(".".join(package))
            answers: dict[str, Answers] = getattr(module, "ANSWERS", {})
            found |= {f"{path.stem.replace('_', '-')}/{title}": answers[title] for title in answers}
    return found


def _made(answers: Any, name: str, me: str) -> list[Any]:
    if not callable(answers):
        return [*answers]
    return [*(answers(own(name, me)) if CHECKS[name].mine else answers())]


def right_answers(name: str, answers: Answers, me: str = READER) -> list[Any]:
    """Return the right answers to an exercise for the student ``me``."""
    return _made(answers.right, name, me)


def wrong_answers(name: str, answers: Answers) -> list[Refused]:
    """Return the wrong answers to an exercise, each with words of the expected message."""
    return _made(answers.wrong, name, READER)
