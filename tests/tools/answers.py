"""Right and wrong answers to the exercises, which show what the checks are worth.

``tests/exercises/answers/<part>/<chapter>.py`` has them for the exercises of a chapter, as a
dictionary ``ANSWERS`` from a name to :class:`Answers`.  A mistake that a check names in its
dictionary of mistakes is not repeated there.
"""

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pdpbook_exercises import own
from pdpbook_exercises.checking import CHECKS, READER
from tests.tools.notebooks import ROOT

#: A wrong answer, and words of the message that it must get.
Refused = tuple[Any, str]
PLACE = ROOT / "tests" / "exercises" / "answers"


@dataclass(frozen=True)
class Answers:
    """Answers to one exercise.

    Attributes
    ----------
    wrong : sequence of (answer, str), or callable
        Plausible wrong answers that no check names, each with words of the message it must get.
    right : sequence of answers, or callable
        At least one, by another algorithm than the page of solutions if there is one.

    Notes
    -----
    They are callables without arguments where making the answers takes time, and callables that
    take what a student has of their own where each has.
    """

    wrong: Sequence[Refused] | Callable[..., Sequence[Refused]] = ()
    right: Sequence[Any] | Callable[..., Sequence[Any]] = ()


def answers_of_all() -> dict[str, Answers]:
    """Return the answers to all exercises by name; importing them registers the checks, too."""
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
    """Return the right answers to an exercise, as the student ``me`` has it."""
    return _made(answers.right, name, me)


def wrong_answers(name: str, answers: Answers) -> list[Refused]:
    """Return the wrong answers to an exercise, with words of the message that each must get."""
    return _made(answers.wrong, name, READER)
