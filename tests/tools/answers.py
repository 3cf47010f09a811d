"""Right and wrong answers to the exercises, as tests of the checks.

The file ``tests/exercises/answers/<part>/<chapter>.py`` contains the answers to the exercises of a
chapter, in a dictionary ``ANSWERS`` from names to :class:`Answers`.  A mistake in a check's
dictionary of mistakes is not repeated there.
"""

import importlib
from typing import Any

from pdpbook_exercises import own
from pdpbook_exercises.checking import READER
from tests.tools.notebooks import ROOT

PLACE = ROOT / "tests" / "exercises" / "answers"


class Answers:
    """The answers to one exercise.

    Parameters
    ----------
    right : list of answers, or callable
        At least one right answer, if possible by an algorithm different from that of the solution,
        or a function of a student's own numbers that returns such a list.
    *wrong : (answer, str), or one callable
        Plausible wrong answers that no check names, each with words of the expected message, or a
        function that returns them.
    """

    def __init__(self, right: Any, *wrong: Any) -> None:
        self.right = right
        self.wrong = wrong[0] if wrong and callable(wrong[0]) else wrong


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
    return [*(answers(own(name, me)) if callable(answers) else answers)]


def right_answers(name: str, answers: Answers, me: str = READER) -> list[Any]:
    """Return the right answers to an exercise for the student ``me``."""
    return _made(answers.right, name, me)


def wrong_answers(name: str, answers: Answers) -> list[tuple[Any, str]]:
    """Return the wrong answers to an exercise, with words of the message that each must get."""
    return _made(answers.wrong, name, READER)
