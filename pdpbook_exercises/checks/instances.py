"""Instances of one's own: what an exercise that asks for an object gives to each student.

An exercise that asks for a function is graded with arguments that nobody knows beforehand.  One
that asks for an object, such as a game or a list of scales, has no arguments: whoever has seen an
object that passes can hand it in.  So such an exercise has a *family* of instances, for example one
for each ε and each histogram, and every student has a member of it.

A student must know the instance before the work begins, so it follows from public things, the name
of the exercise and the name under which the student hands in, and from no secret.  A digest of the
two is the seed of a random generator, which draws the instance.  Everybody can compute everybody's
instance; that is harmless, because to solve it is as much work as to solve one's own.  The name
``"reader"`` has the instance that the chapter uses.

Learning platforms write a name in several ways: ``Doe, Jane``, ``Jane Doe`` and ``doejane``.  So
only the letters and digits of a name count, without accents and in no order
(:func:`letters_of`).  Two students whose names are anagrams have the same instance.
"""

from __future__ import annotations

import copy
import hashlib
import json
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["READER", "Instance", "Instances", "letters_of"]

READER = "reader"  #: the name whose instance is that of the chapter

#: What a student is given: numbers, text and lists of these, by name.
Instance = dict[str, Any]


@dataclass(frozen=True)
class Instances:
    """The family of instances of an exercise.

    Parameters
    ----------
    usual : dict
        The instance of the chapter, which the reader has.  It holds numbers, text and lists of
        these, so that its ``repr`` says all of it.
    draw : callable
        Takes a random generator and returns an instance with the same keys.

    Notes
    -----
    Every instance that ``draw`` can return must have a solution that the reader can find with what
    the chapter teaches; ``tests/exercises/test_instances.py`` solves twenty of them.

    Examples
    --------
    >>> family = Instances({"epsilon": 1.0}, lambda rng: {"epsilon": rng.integers(5, 20) / 10})
    >>> family.of("game/design", "reader")
    {'epsilon': 1.0}
    >>> family.of("game/design", "Jane Doe") == family.of("game/design", "doejane")
    True
    """

    usual: Instance
    draw: Callable[[np.random.Generator], Instance]

    def of(self, name: str, me: str) -> Instance:
        """Return the instance of a student, a fresh copy.

        Parameters
        ----------
        name : str
            Of the exercise, ``"chapter/name"``.
        me : str
            Name of the student.

        Raises
        ------
        TypeError
            If ``me`` is not text.
        ValueError
            If ``me`` has neither a letter nor a digit.
        """
        letters = letters_of(me)
        if letters == letters_of(READER):
            return copy.deepcopy(self.usual)
        message = json.dumps([name, letters]).encode("utf-8")
        digest = hashlib.sha256(message).digest()
        return self.draw(np.random.default_rng(int.from_bytes(digest[:8], "big")))


def letters_of(me: str) -> str:
    r"""Return what the spellings of a name share: its letters and digits, in alphabetical order.

    Parameters
    ----------
    me : str
        Name of a student.

    Returns
    -------
    str

    Raises
    ------
    TypeError
        If ``me`` is not text.
    ValueError
        If ``me`` has neither a letter nor a digit.

    Examples
    --------
    >>> letters_of("Doe, Jane") == letters_of("doejane") == letters_of(" JANE  DOE")
    True
    >>> letters_of("M\N{LATIN SMALL LETTER U WITH DIAERESIS}ller") == letters_of("Muller")
    True
    """
    if not isinstance(me, str):
        raise TypeError(f"me must be the name of a student as text, got {me!r}")
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", me).casefold())
    letters = sorted(character for character in plain if character.isalnum())
    if not letters:
        raise ValueError(f"me must have a letter or a digit, got {me!r}")
    return "".join(letters)
