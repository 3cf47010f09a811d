"""What an exercise says of itself: its level, its minutes, what it asks for and what it is for.

The author writes these as options of the directive ``exercise``::

    ```{exercise} The order of the bounds
    :label: ex-theorem-one-order
    :level: core
    :minutes: 35
    :kind: code, proof
    :for: practice

    Prove that …
    ```

The directive (``exercise_directive``) checks them and shows the line "Core, 35 minutes, a proof."
The notebook edition writes them into the metadata of the exercise's cells, from which the course
kit takes them.  ``syllabus`` reads them from the source of the page.  Nobody reads the line.

The functions need no Sphinx run.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["KINDS", "LEVELS", "PURPOSES", "ExerciseOptions", "exercises_of", "read_options"]

LEVELS = ("warm-up", "core", "challenge", "open")
KINDS = ("code", "proof")  #: an exercise asks for one of them or for both
PURPOSES = ("practice", "assignment")
KEY = "pdpbook"  #: in the metadata of a cell

OPENING = re.compile(r"^(?:`{3,}|:{3,})\{exercise\}[^\n]*\n((?::[\w-]+:[^\n]*\n)*)", re.MULTILINE)
OPTION = re.compile(r"^:([\w-]+):[ \t]*([^\n]*?)[ \t]*$", re.MULTILINE)


@dataclass(frozen=True)
class ExerciseOptions:
    """The options of one exercise.

    Parameters
    ----------
    label : str
        By which pages refer to the exercise.
    level : str
        One of :data:`LEVELS`.
    minutes : int
        How long a student needs.
    kind : tuple of str
        What is asked for, of :data:`KINDS`.
    purpose : str
        One of :data:`PURPOSES`: to practise with the solution at hand, or to be handed in.
    """

    label: str
    level: str
    minutes: int
    kind: tuple[str, ...]
    purpose: str

    @property
    def line(self) -> str:
        """What the page shows under the title."""
        proof = ", a proof" if "proof" in self.kind else ""
        return f"{self.level.capitalize()}, {self.minutes} minutes{proof}."

    def metadata(self) -> dict[str, Any]:
        """Return what the cells of the exercise carry, in a notebook."""
        return {
            KEY: {
                "exercise": self.label,
                "level": self.level,
                "minutes": self.minutes,
                "kind": list(self.kind),
                "for": self.purpose,
            }
        }

    @classmethod
    def from_metadata(cls, metadata: Mapping[str, Any]) -> ExerciseOptions:
        """Return the options that the metadata of a cell hold.

        Raises
        ------
        ValueError
            If there are none, or one of them is wrong.
        """
        given = metadata.get(KEY)
        if not isinstance(given, Mapping):
            raise ValueError(f"the metadata of the cell say nothing of an exercise: {metadata}")
        kind = given.get("kind")
        others = {"label": given.get("exercise", ""), "kind": ", ".join(kind or ())}
        return read_options({name: str(value) for name, value in given.items()} | others)


def read_options(options: Mapping[str, str]) -> ExerciseOptions:
    """Return the options of an exercise, checked.

    Parameters
    ----------
    options : mapping from str to str
        ``label``, ``level``, ``minutes``, ``kind`` and ``for``, as the author has written them.

    Raises
    ------
    ValueError
        If one is missing or has a value that is not allowed.
    """

    def one_of(name: str, allowed: tuple[str, ...]) -> str:
        value = options.get(name, "")
        if value not in allowed:
            raise ValueError(f":{name}: of an exercise must be {_listed(allowed)}, got {value!r}")
        return value

    label, minutes = options.get("label", ""), options.get("minutes", "")
    if not label:
        raise ValueError(f":label: of an exercise must be its name, got {label!r}")
    level, purpose = one_of("level", LEVELS), one_of("for", PURPOSES)
    if not re.fullmatch(r"[1-9]\d*", minutes):
        raise ValueError(f":minutes: of an exercise must be a whole number > 0, got {minutes!r}")
    kind = tuple(part.strip() for part in options.get("kind", "").split(","))
    if kind not in {("code",), ("proof",), KINDS}:
        raise ValueError(
            f":kind: of an exercise must be code, proof or both, got {options.get('kind', '')!r}"
        )
    return ExerciseOptions(label, level, int(minutes), kind, purpose)


def exercises_of(text: str) -> list[ExerciseOptions]:
    """Return the exercises of a page, from its source, in their order.

    Raises
    ------
    ValueError
        If an option of one is missing or wrong.
    """
    return [read_options(dict(OPTION.findall(head))) for head in OPENING.findall(text)]


def _listed(allowed: tuple[str, ...]) -> str:
    """Return words as "a, b or c"."""
    return f"{', '.join(allowed[:-1])} or {allowed[-1]}"
