"""Scores that a submission cannot fake.

A check in a student's own process can be made to say anything: the checker can be replaced, NumPy
patched, the reference imported, a score printed.  Here the student's cells run in a process of
their own (``pdpbook.exercises.student``), with a copy of the package that holds no exercise.
The cases are judged in *this* process.  To them the student's function is a function like any
other; it sends its arguments over and receives what came back, as plain data.  Only a case that
watches what an answer does in its own process (``looks_inside``) is left out.

What it holds against: everything that changes the student's own process, infinite loops, exits,
floods of output, a great hunger for memory.  What it does not: code that uses the rights of the
user who runs it, to read files, to write them, to speak to a network.  Run it as a user without
such rights, or in a container without a network.  It needs a POSIX system.
"""

from __future__ import annotations

import base64
import builtins
import importlib
import io
import json
import math
import os
import pickle
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, is_dataclass
from pathlib import Path
from types import FunctionType, MethodType
from typing import Any

import numpy as np

from pdpbook import _validate
from pdpbook.exercises import student
from pdpbook.exercises.checking import check, score

__all__ = ["Grade", "grade"]

EXERCISES = "pdpbook.exercises"  #: what a submission must not see
LARGEST = 2**26  #: bytes of one reply
MEMORY = 2**32  #: bytes of address space of a submission
FILE = 2**24  #: bytes of a file that a submission writes


@dataclass(frozen=True)
class Grade:
    """What an answer is worth.

    Attributes
    ----------
    held : int
        Cases that hold.
    total : int
        All cases.
    message : str
        What the student may read: the first case that fails, and a hint.
    """

    held: int
    total: int
    message: str


class SubmissionError(RuntimeError):
    """A submission broke off: it took too long, left, or sent what is no answer."""


def grade(
    cells: Sequence[str],
    answers: Mapping[str, str],
    *,
    seed: int = 0,
    seconds: float = 30.0,
) -> dict[str, Grade]:
    """Grade the answers in a submission, which runs in a process of its own.

    Parameters
    ----------
    cells : sequence of str
        Code cells of the submission in their order.  One that raises is left behind, and the next
        one runs.
    answers : mapping from str to str
        For each exercise, ``"chapter/name"``, the variable that holds the answer.
    seed : int
        Numbers of the cases that depend on a seed.
    seconds : float
        Time for one exercise, the cells included.

    Returns
    -------
    dict from str to Grade
        In the order of ``answers``.

    Raises
    ------
    KeyError
        If there is no such exercise.
    ValueError, TypeError
        If seconds is not a finite number > 0.

    Examples
    --------
    >>> cells = ["def company_needed(n, epsilon):", "def company_needed(n, epsilon): return 2"]
    >>> grades = grade(cells, {"dp-versus-pdp/company-needed": "company_needed"})
    >>> grades["dp-versus-pdp/company-needed"].held < 7
    True
    """
    seconds = _validate.number("seconds", seconds, above=0.0)
    totals = {name: score(name, ..., seed=seed, isolated=True)[1] for name in answers}
    grades = {}
    with _package_without_exercises() as path, ExitStack() as running:
        submission = None
        for name, variable in answers.items():
            if submission is None or submission.broken:
                running.close()  # what did not answer in time is still at work
                submission = _Submission(cells, list(answers.values()), path, seconds)
                running.callback(submission.close)
            submission.allow(seconds)
            answer = submission.answers.get(variable)
            held, total = score(name, answer, seed=seed, isolated=True)
            message = f"all {total} cases hold."
            if held < total:
                result = check(name, answer, seed=seed, isolated=True)
                message = submission.broken or result.message
            if answer is None and submission.trouble:
                message = f"a cell raised {submission.trouble}."
            grades[name] = Grade(held, totals[name], message)
    return grades


@contextmanager
def _package_without_exercises() -> Iterator[str]:
    """Copy the package to a folder, without the exercises."""
    source = Path(__file__).parents[1]
    with tempfile.TemporaryDirectory() as folder:
        copied = Path(folder, source.name)  # with its compiled code
        shutil.copytree(source, copied, ignore=shutil.ignore_patterns("exercises"))
        (copied / "exercises").mkdir()
        stub = "def check(name, answer, **options):\n    return None\n"
        (copied / "exercises" / "__init__.py").write_text(stub, encoding="utf-8")
        yield folder


# The descriptor of the replies has a fixed number, whatever the operating system gave it.
_START = (
    "import os, runpy, sys;"
    f" os.dup2(int(sys.argv[2]), {student.REPLIES});"
    " runpy.run_path(sys.argv.pop(1), run_name='__main__')"
)


class _Pickler(pickle.Pickler):
    """Sends functions and things that only the grader has as numbers; the submission calls back."""

    def __init__(self, file: io.BytesIO, functions: list[Callable[..., Any]]) -> None:
        super().__init__(file)
        self._functions = functions

    def persistent_id(self, thing: Any) -> tuple[str, int] | None:
        if isinstance(thing, type) or _is_importable(thing):
            return None
        if isinstance(thing, FunctionType | MethodType):
            kind = "function"
        elif type(thing).__module__.startswith(EXERCISES):
            kind = "object"
        else:
            return None
        self._functions.append(thing)
        return kind, len(self._functions) - 1


def _is_importable(thing: Any) -> bool:
    """Whether the submission finds a function where it was defined."""
    if not isinstance(thing, FunctionType) or thing.__module__.startswith(EXERCISES):
        return False
    module = sys.modules.get(thing.__module__)
    return thing.__module__ != "__main__" and getattr(module, thing.__qualname__, None) is thing


class _Submission:
    """A submission that runs in a process of its own, until it is closed.

    Attributes
    ----------
    answers : dict from str to object
        The variables that were asked for, without those that are blank.
    trouble : str
        What the cells raised.
    broken : str
        Why the process does not answer any more; empty as long as it does.
    """

    def __init__(self, cells: Sequence[str], names: list[str], path: str, seconds: float) -> None:
        self._functions: list[Callable[..., Any]] = []
        self.answers: dict[str, Any] = {}
        self.trouble = self.broken = ""
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        program = shutil.copy(student.__file__, self._folder.name)
        self._reading, writing = os.pipe()
        self._process = subprocess.Popen(
            [sys.executable, "-c", _START, program, str(writing)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=self._folder.name,
            env={"HOME": self._folder.name, "MPLBACKEND": "Agg", "PATH": os.defpath},
            pass_fds=[writing],
            start_new_session=True,
        )
        os.close(writing)
        assert self._process.stdin is not None
        self._asking = self._process.stdin.fileno()
        os.set_blocking(self._asking, False)
        self.allow(seconds)
        # should the grader be killed, the submission ends by itself
        cpu = math.ceil(seconds * (1 + len(names)))
        limits = {"RLIMIT_AS": MEMORY, "RLIMIT_FSIZE": FILE, "RLIMIT_CPU": cpu}
        start = {"limits": limits, "path": [path], "cells": list(cells), "names": names}
        try:
            self.tell(start)
            first = self.hear()
            self.answers = {str(k): self.decode(v) for k, v in first.get("given", {}).items()}
            self.trouble = "; ".join(map(str, first.get("trouble", ())))[:500]
        except SubmissionError:
            pass  # `broken` says why; every answer is missing

    def close(self) -> None:
        """Stop the process and all that it has started."""
        os.close(self._reading)
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except ProcessLookupError:
            self._process.kill()
        self._process.wait()
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        self._folder.cleanup()

    def allow(self, seconds: float) -> None:
        """Give the submission so much time from now on."""
        self._deadline = time.monotonic() + seconds

    def _fail(self, why: str) -> SubmissionError:
        self.broken = self.broken or f"{why}."
        return SubmissionError(why)

    def tell(self, message: Any) -> None:
        """Send one message."""
        file = io.BytesIO()
        _Pickler(file, self._functions).dump(message)
        data = memoryview(struct.pack(">Q", file.tell()) + file.getvalue())
        while data:  # a submission that does not listen must not keep the grader waiting
            left = self._deadline - time.monotonic()
            if self.broken or left <= 0 or not select.select([], [self._asking], [], left)[1]:
                raise self._fail("the submission took too long")
            try:
                data = data[os.write(self._asking, data) :]
            except BrokenPipeError:
                raise self._fail("the submission left its process") from None

    def hear(self) -> dict[str, Any]:
        """Wait for one message."""
        (length,) = struct.unpack(">Q", self._read(8))
        if length > LARGEST:
            raise self._fail(f"an answer has more than {LARGEST} bytes")
        try:
            message = json.loads(self._read(length))
        except ValueError:
            raise self._fail("the submission sent what is no answer") from None
        if not isinstance(message, dict):
            raise self._fail("the submission sent what is no answer")
        return message

    def _read(self, length: int) -> bytes:
        data = b""
        while len(data) < length:
            left = self._deadline - time.monotonic()
            if left <= 0 or not select.select([self._reading], [], [], left)[0]:
                raise self._fail("the submission took too long")
            piece = os.read(self._reading, min(length - len(data), 2**20))
            if not piece:
                raise self._fail("the submission left its process")
            data += piece
        return data

    def decode(self, value: Any) -> Any:
        """Make plain data of a reply, functions that ask the submission, and frozen results."""
        if isinstance(value, list):
            return [self.decode(part) for part in value]
        if not isinstance(value, dict):
            return value
        if len(value) != 1:
            raise self._fail("the submission sent what is no answer")
        ((kind, part),) = value.items()
        try:
            return self._decode(kind, part)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise self._fail(f"the submission sent what is no answer: {error}") from None

    def _decode(self, kind: str, part: Any) -> Any:
        if kind == "array":
            return np.load(io.BytesIO(base64.b64decode(part)), allow_pickle=False)
        if kind in {"list", "tuple", "set", "frozenset"}:
            makers = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}
            return makers[kind](self.decode(each) for each in part)
        if kind == "dict":
            return {self.decode(key): self.decode(each) for key, each in part}
        if kind == "complex":
            return complex(*part)
        if kind == "generator":
            rng = np.random.default_rng(0)
            rng.bit_generator.state = self.decode(part)
            return rng
        if kind == "result":
            return self._result(*part)
        if kind == "function":
            return self._function(int(part))
        return _Unknown(str(part))

    def _result(self, module: str, name: str, parts: dict[str, Any]) -> Any:
        """Make a frozen result anew; its constructor checks what it is given."""
        if not module.startswith("pdpbook.") or module.startswith(EXERCISES):
            raise self._fail("the submission sent what is no answer")
        kind = getattr(importlib.import_module(module), name)
        if not is_dataclass(kind) or not isinstance(kind, type):
            raise self._fail("the submission sent what is no answer")
        return kind(**{key: self.decode(part) for key, part in parts.items()})

    def _function(self, number: int) -> Callable[..., Any]:
        def answer(*arguments: Any, **named: Any) -> Any:
            self.tell((number, arguments, named))
            reply = self.hear()
            while "call" in reply:
                self.tell(self._called_back(reply))
                reply = self.hear()
            if "raised" in reply:
                name, text = reply["raised"]
                raise NotImplementedError if name == "NotImplementedError" else _raised(name, text)
            self._change(arguments, self.decode(reply.get("arguments")))
            return self.decode(reply.get("returned"))

        return answer

    def _called_back(self, reply: dict[str, Any]) -> Any:
        """Do what a submission asks of the grader's functions and things, and no more than that."""
        called = self._functions[int(reply["call"])]
        if "attribute" not in reply:
            return called(*self.decode(reply["arguments"]))
        name = str(reply["attribute"])
        if isinstance(called, FunctionType | MethodType) or name.startswith("_"):
            raise self._fail(f"the submission asked for {name!r}")
        return getattr(called, name)

    @staticmethod
    def _change(arguments: tuple[Any, ...], now: Any) -> None:
        """Do to the grader's arguments what the submission did to its own."""
        if not isinstance(now, list) or len(now) != len(arguments):
            return
        for mine, theirs in zip(arguments, now, strict=True):
            if isinstance(mine, np.ndarray) and isinstance(theirs, np.ndarray):
                if mine.flags.writeable and mine.shape == theirs.shape:
                    mine[...] = theirs
            elif isinstance(mine, list) and isinstance(theirs, list):
                mine[:] = theirs
            elif isinstance(mine, np.random.Generator) and isinstance(theirs, np.random.Generator):
                mine.bit_generator.state = theirs.bit_generator.state


def _raised(name: str, text: str) -> Exception:
    """Return an exception that shows the name and the text of the submission's."""
    known = getattr(builtins, name, None)
    if isinstance(known, type) and issubclass(known, Exception):
        with suppress(TypeError):  # some want more than a text
            return known(text)
    kind = type(name if name.isidentifier() else "Error", (Exception,), {})
    return kind(text)


@dataclass(frozen=True)
class _Unknown:
    """Something that is no data."""

    kind: str

    def __repr__(self) -> str:
        return f"a {self.kind}"
