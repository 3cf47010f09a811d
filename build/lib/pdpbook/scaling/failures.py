r"""An exception that has to travel from a worker to the user.

A pickled exception is a program that rebuilds it, and this program can fail in many ways.  For
example, the class of the exception may exist on the worker only, the exception may hold a lock or a
gigabyte, or its text may not be valid Unicode, as often happens with the names of files.  An engine
that meets such an exception between two processes may lose the task that raised it.  A worker
therefore makes a :class:`Failure` of every exception.  It contains the text, and the exception
itself only if this is small and has been rebuilt from its bytes once.
"""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

__all__ = ["Failure", "attempt"]

TEXT = 4_000  #: characters of an error's text that are kept
TRACEBACK = 8_000  #: characters of a traceback that are kept, the last ones
PICKLED = 2**16  #: bytes of a pickled exception that is sent as it is


@dataclass(frozen=True)
class Failure:
    """What is left of an exception on its way home; made by :func:`attempt`.

    Attributes
    ----------
    kind : str
        Name of its class.
    text : str
        What it says, at most 4,000 characters and valid Unicode.
    where : str
        The end of the traceback.
    pickled : bytes or None
        The exception; None if it cannot be pickled, or is not an ``Exception``.
    """

    kind: str
    text: str
    where: str
    pickled: bytes | None

    @classmethod
    def of(cls, error: BaseException) -> Failure:
        """Return what of an exception can travel.

        Parameters
        ----------
        error : BaseException
            Anything that was raised.

        Returns
        -------
        Failure

        Examples
        --------
        >>> Failure.of(ValueError("x" * 10**7)).text[-35:]
        'xx … (10,000,000 characters in all)'
        """
        text, kind = _read_message(error), type(error).__name__
        lines = "".join(traceback.format_tb(error.__traceback__))
        return cls(kind, text, _escape_surrogates(lines[-TRACEBACK:]), _pickled(error, text))

    def error(self) -> Exception:
        """Return the exception, or a ``RuntimeError`` with its class and text.

        Examples
        --------
        >>> Failure.of(KeyError("height")).error()
        KeyError('height')
        >>> Failure.of(SystemExit(3)).error()
        RuntimeError('SystemExit: 3')
        """
        try:
            error = _rebuilt(self.pickled)
        except Exception:  # it did not travel, or its class is not here; kind and text are
            error = RuntimeError(f"{self.kind}: {self.text}")
        if self.where:
            error.add_note(f"On the worker:\n{self.where}")
        return error


def attempt(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function, and return what it raises as a :class:`Failure`.

    Parameters
    ----------
    function : callable
        What is called.
    *arguments
        Its arguments.

    Returns
    -------
    object
        What it returns, or a failure.

    Examples
    --------
    >>> attempt(int, "7")
    7
    >>> attempt(int, "seven").kind
    'ValueError'
    """
    try:
        return function(*arguments)
    except BaseException as error:  # SystemExit in a task must not end the worker, or be lost
        return Failure.of(error)


def _escape_surrogates(text: str) -> str:
    """Return a text in which lone surrogates, as of file names, are escaped."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _read_message(error: BaseException) -> str:
    try:
        return _shortened(str(error))
    except Exception:
        return "(its text cannot be had)"


def _shortened(text: str) -> str:
    text = _escape_surrogates(text)
    if len(text) <= TEXT:
        return text
    note = f" … ({len(text):,} characters in all)"
    return text[: TEXT - len(note)] + note


def _pickled(error: BaseException, text: str) -> bytes | None:
    """Return the bytes of the exception, or of a short one of its class, or None."""
    if not isinstance(error, Exception):
        return None
    for make in (lambda: error, lambda: type(error)(text)):
        try:
            content = pickle.dumps(make())
            if len(content) <= PICKLED and _shortened(str(_rebuilt(content))) == text:
                return content
        except BaseException:  # whatever its own code does, the text remains
            continue
    return None


def _rebuilt(content: bytes | None) -> Exception:
    error = None if content is None else pickle.loads(content)
    if not isinstance(error, Exception):
        raise TypeError(f"an exception was expected, got {type(error).__name__}")
    return error
