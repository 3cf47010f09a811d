"""The secret of a course, from which the seed of each student in each exercise follows.

It lies in ``.secret`` of the course's folder, is made when it is first needed, and nobody but its
owner can read it.  No sheet, no archive and no feedback holds it.  Whoever is graded again is
graded with the same numbers as before, as long as the file is there.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable
from pathlib import Path

from pdpbook_exercises.checks.isolated import seed_of

__all__ = ["KEY", "secret_of", "seeds_of"]

FILE = ".secret"
BYTES = 32
KEY = ""  #: stands for the solutions and the blank sheet, as no student can have this name


def secret_of(folder: Path) -> str:
    """Return the secret of a course, and make one where there is none.

    Raises
    ------
    ValueError
        If the file is empty.
    """
    path = folder / FILE
    try:
        made = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)  # only the first makes it
    except FileExistsError:
        secret = path.read_text(encoding="utf-8").strip()
        if not secret:
            raise ValueError(f"{path} must not be empty: restore it, or remove it") from None
        return secret
    secret = secrets.token_hex(BYTES)
    with os.fdopen(made, "w", encoding="utf-8") as file:
        file.write(f"{secret}\n")
    return secret


def seeds_of(folder: Path, student: str, exercises: Iterable[str]) -> dict[str, int]:
    """Return the seed of a student in each exercise.

    Parameters
    ----------
    folder : Path
        Of the course.
    student : str
        Who handed in, or :data:`KEY`.
    exercises : iterable of str
        Each ``"chapter/name"``.
    """
    secret = secret_of(folder)
    return {each: seed_of(secret, student, each) for each in exercises}
