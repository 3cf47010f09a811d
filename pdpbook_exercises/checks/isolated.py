"""Scores that a submission cannot fake.

A check in a student's own process can be made to say anything: the checker can be replaced, NumPy
patched, the reference imported, a score printed.  Here the student's cells run in a process of
their own (``pdpbook_exercises.checks.student``), which finds the package but no exercise.
The cases are judged in *this* process.  To them the student's function is a function like any
other; it sends its arguments over and receives what came back, as plain data.  Only a case that
watches what an answer does in its own process (``looks_inside``) is left out.

Time is counted as the processor does, for each cell and for each case, so that a busy machine
costs nobody points and a slow case only its own.  A loop in a scratch cell is stopped, and the next
cell runs.  Code that cannot be stopped so, or that waits instead of computing, is ended with its
process after :data:`PATIENCE` times as long by the clock on the wall.

What it holds against by itself: everything that changes the student's own process, infinite loops,
exits, floods of output, a great hunger for memory.  Where bubblewrap works, the process runs in a
sandbox (``pdpbook_exercises.checks.sandbox``), and then it reads no file of the grader or of other
students, writes none, reaches no network and no other process, and starts none.  What it writes
lies in memory and has a limit.  Its threads are limited to :data:`PROCESSES`, but not if the grader
is run by *root*, whose processes and threads the kernel does not count.  Without a sandbox the
process has the rights of the user who runs it.  It needs a POSIX system.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
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

import pdpbook
import pdpbook_pages
from pdpbook import _validate
from pdpbook_exercises.checks import sandbox, student
from pdpbook_exercises.checks.checking import counted, find_exercise, own, results, score
from pdpbook_exercises.checks.instances import READER, Instance, letters_of
from pdpbook_exercises.checks.wire import CHANGEABLE, change, message_of, named_exception, printable

__all__ = ["CellError", "Grade", "Grades", "grade", "seed_of"]

EXERCISES = "pdpbook_exercises"  #: what a submission must not see
LARGEST = 2**26  #: bytes of one reply
LONGEST_LINE = 300  #: characters of what a cell raised
MEMORY = 2**32  #: bytes of address space of a submission
FILE = 2**24  #: bytes of a file that a submission writes
PROCESSES = 256  #: of a submission in a sandbox; all but the first one are threads
PATIENCE = 4  #: seconds on the wall for each second of the processor
BIT_GENERATORS = {"MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64"}
CELLS = 3  #: as many cells may wait so long before all of them are given up
SHARED = {"numpy", "pandas", "pdpbook", "scipy"}  #: whose functions a submission has, too
BESIDE = (
    "__init__.py",
    "student.py",
    "alone.py",
    "wire.py",
    "notebook_cells.py",
    "own_work.py",
)  #: what the process of a submission runs
ME = "me"  #: the variable of a sheet that says whose it is
LONGEST_NAME = 100  #: characters of a name that a submission says
STUB = """\
def check(name, answer, **options):
    return None

def own(name, me):  # the instance of the student who is graded, whatever the sheet says
    return {instances!r}[name]
"""
WHOLE = "An object counts only if all cases pass, because some pass for another student's, too."
HALF = "This is a known mistake, for which there is at most half of the points."
KNOWN = "The cases that everybody knows count only as far as those with your own numbers pass."
CROSS = (
    "What can be sent is numbers, text, arrays, lists, tuples, sets, dicts, functions and results "
    "of pdpbook."
)


@dataclass(frozen=True)
class Grade:
    """What an answer is worth.

    Attributes
    ----------
    held : int
        Cases that count (:func:`~pdpbook_exercises.checks.checking.counted`).
    total : int
        All cases.
    message : str
        What the student may read: the first case that fails, and a hint.
    note : str
        What the instructor should know of it, too: that the answer belongs to the instance of
        somebody else.
    """

    held: int
    total: int
    message: str
    note: str = ""


@dataclass(frozen=True)
class CellError:
    """What a cell of a submission raised when it was run.

    Attributes
    ----------
    cell : int or None
        Its place among the cells, from 0; None if the cells ended their process, so that nobody
        knows which of them did.
    said : str
        What happened, in a line: a text of the student's.
    """

    cell: int | None
    said: str


class Grades(dict[str, Grade]):
    """The grades of a submission by exercise, and what its cells raised.

    Attributes
    ----------
    raised : tuple of CellError
        In the order of the cells, the first ones where there are many.
    """

    def __init__(
        self, grades: Mapping[str, Grade] | None = None, raised: Sequence[CellError] = ()
    ) -> None:
        super().__init__(grades or {})
        self.raised = (*raised,)


class SubmissionError(RuntimeError):
    """A submission broke off: it took too long, left, or sent what is no answer."""


def grade(
    cells: Sequence[str],
    answers: Mapping[str, str],
    *,
    me: str = READER,
    seed: int | Mapping[str, int] = 0,
    seconds: float = 30.0,
    walled: bool | None = None,
) -> Grades:
    """Grade the answers in a submission, which runs in a process of its own.

    Parameters
    ----------
    cells : sequence of str
        Code cells of the submission in their order.  One that raises is left behind, and the next
        one runs.
    answers : mapping from str to str
        For each exercise, ``"chapter/name"``, the variable that holds the answer.
    me : str
        Name of the student, whose instances decide, whatever name stands in the submission.  To its
        cells, too, ``own`` gives these instances.
    seed : int, or mapping from str to int
        Of the cases that are drawn: one for all exercises, or one for each (:func:`seed_of`).
    seconds : float
        Time of the processor for each cell, and for each case of an exercise.
    walled : bool, optional
        Whether the process runs in a sandbox.  Without it, it does where there is one.

    Returns
    -------
    Grades
        By exercise, in the order of ``answers``, and what the cells raised.

    Raises
    ------
    KeyError
        If there is no such exercise, or no seed for it.
    RuntimeError
        If a sandbox is asked for and there is none.
    ValueError, TypeError
        If seconds is not a finite number > 0, or ``me`` is no name.

    Examples
    --------
    >>> cells = ["def records_needed(n, epsilon):", "def records_needed(n, epsilon): return 2"]
    >>> grades = grade(cells, {"dp-versus-pdp/records-needed": "records_needed"})
    >>> grades["dp-versus-pdp/records-needed"].held < 7
    True
    >>> [error.cell for error in grades.raised]
    [0]
    """
    seconds = _validate.number("seconds", seconds, above=0.0)
    missing = "" if walled is False else sandbox.why_not()
    if walled and missing:
        raise RuntimeError(missing)
    seeds = {name: seed if isinstance(seed, int) else seed[name] for name in answers}
    totals = {name: score(name, ..., me=me, seed=seeds[name], isolated=True)[1] for name in answers}
    most = len(cells) + sum(totals.values())
    instances = {name: own(name, me) for name in answers if find_exercise(name).own is not None}
    grades = Grades()
    with _package_without_exercises(instances) as path, ExitStack() as running:
        submission = None
        for name, variable in answers.items():
            if submission is None or (submission.broken and submission.started):
                running.close()  # what did not answer in time is still at work
                home = running.enter_context(
                    tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
                )
                inside = walled is not False and not missing
                start = sandbox.sandbox(path, home) if inside else sandbox.none(home)
                names = [*answers.values(), *([ME] if instances else [])]
                submission = _Submission(cells, names, path, start, home, seconds, seconds * most)
                running.callback(submission.close)
                grades.raised = grades.raised or submission.raised
            grades[name] = _graded(name, variable, submission, me, seeds[name])
    return grades


def seed_of(secret: str, student: str, exercise: str) -> int:
    """Return the seed with which an exercise of a student is graded.

    It is the same whenever that student is graded again, so that the feedback can show the input
    on which an answer failed.  Without the secret nobody can tell it, and it tells nothing about
    the seed of anybody else.

    Parameters
    ----------
    secret : str
        A secret of the course, of which students know nothing.
    student : str
        Who handed in.
    exercise : str
        ``"chapter/name"``.

    Returns
    -------
    int
        At least 0 and below 2**63.

    Raises
    ------
    ValueError
        If the secret is empty.

    Examples
    --------
    >>> one = seed_of("a secret", "ada", "repair/safe")
    >>> one == seed_of("a secret", "ada", "repair/safe")
    True
    >>> one == seed_of("a secret", "bob", "repair/safe")
    False
    """
    if not secret:
        raise ValueError(f"secret must not be empty, got {secret!r}")
    message = json.dumps([student, exercise]).encode("utf-8")
    digest = hmac.new(secret.encode("utf-8"), message, hashlib.sha256).digest()
    return int.from_bytes(digest[:8], "big") >> 1


def _cell_error(cell: Any, said: Any, cells: int) -> CellError:
    """Return what a submission says of a cell, as one line of plain letters that ends somewhere."""
    known = isinstance(cell, int) and 0 <= cell < cells
    line = " ".join(str(said).split())[:LONGEST_LINE]
    return CellError(cell if known else None, printable(line))


def _graded(name: str, variable: str, submission: _Submission, me: str, seed: int) -> Grade:
    """Try the cases of one exercise, each in time of its own."""
    answer = submission.answer(variable, find_exercise(name).refused)
    verdicts = []
    message, mistaken = "", False
    submission.next_case()
    for result in results(name, answer, me=me, seed=seed, isolated=True):
        verdicts.append(result.passed)
        message = message or result.message
        mistaken = mistaken or result.mistaken
        submission.next_case()
    plain, total = counted(name, verdicts), len(verdicts)
    held = counted(name, verdicts, mistaken=mistaken)
    if held < plain:
        message = f"{message} {HALF}"
    if plain < sum(verdicts):
        message = f"{message} {KNOWN if find_exercise(name).own is None else WHOLE}"
    if submission.broken and held < total:
        message = submission.broken
    if answer is None and submission.trouble:
        message = submission.trouble
    if submission.unknown and held < total:
        kinds = ", ".join(sorted(submission.unknown))
        message = f"{message} A part of your answer cannot be sent to the grader ({kinds}). {CROSS}"
    note = ""
    if answer is not None and held < total and (other := _somebody_else(name, submission, me)):
        message = f"You worked on the instance of {other}; yours is that of {me}. {message}"
        note = f"worked on the instance of {other}, not of {me}"
    return Grade(held, total, message or f"all {total} cases pass.", note)


def _somebody_else(name: str, submission: _Submission, me: str) -> str:
    """Return the name that stands in a submission, if its instance is not that of the student."""
    written = submission.answer(ME) if find_exercise(name).own is not None else None
    if not isinstance(written, str):
        return ""
    written = " ".join(written[:LONGEST_NAME].split())
    try:
        return "" if letters_of(written) == letters_of(me) else written
    except ValueError:
        return ""  # no name stands there


@contextmanager
def _package_without_exercises(instances: Mapping[str, Instance]) -> Iterator[str]:
    """Copy what pages import to a folder, and of the exercises what the process runs."""
    here = Path(__file__).parent
    with tempfile.TemporaryDirectory() as folder:
        for package in (pdpbook, pdpbook_pages):
            source = Path(str(package.__file__)).parent
            shutil.copytree(source, Path(folder, source.name))  # with its compiled code
        beside = Path(folder, EXERCISES, here.name)
        beside.mkdir(parents=True)
        stub = STUB.format(instances=dict(instances))
        (beside.parent / "__init__.py").write_text(stub, encoding="utf-8")
        for name in BESIDE:
            shutil.copy(here / name, beside)
        yield folder


# Replies go to what was the output, under another number: printing cannot reach it.  In a sandbox
# the package is copied into memory, where it can be written without filling a disk.
_START = (
    "import os, runpy, shutil, sys;"
    f" os.dup2(1, {student.REPLIES});"
    " os.dup2(2, 1);"
    " sys.argv[2:] and shutil.copytree(sys.argv[2], sys.argv[1], dirs_exist_ok=True);"
    " sys.path.insert(0, sys.argv[1]);"
    " runpy.run_module('pdpbook_exercises.checks.student', run_name='__main__')"
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
    if not isinstance(thing, FunctionType):
        return False
    module = sys.modules.get(thing.__module__)
    found = getattr(module, thing.__qualname__, None) is thing
    return found and thing.__module__.partition(".")[0] in SHARED


class _Submission:
    """A submission that runs in a process of its own, until it is closed.

    Attributes
    ----------
    trouble : str
        What the cells raised, and which took too long.
    raised : tuple of CellError
        The same, cell by cell.
    broken : str
        Why the process does not answer any more; empty as long as it does.
    started : bool
        Whether the cells have been run.  If they were not, another process would not run them.
    unknown : set of str
        Names of the classes of values that could not be sent, since an answer was last asked for.
    """

    def __init__(
        self,
        cells: Sequence[str],
        names: list[str],
        path: str,
        start: sandbox.Sandbox,
        home: str,
        seconds: float,
        most: float,
    ) -> None:
        self._functions: list[Callable[..., Any]] = []
        self._errors: list[Exception] = []
        self._given: dict[str, Any] = {}
        self._case = 0
        self._refused: list[str] = []
        self.unknown: set[str] = set()
        self.trouble = self.broken = ""
        self.raised: tuple[CellError, ...] = ()
        self.started = False
        self._wall = PATIENCE * seconds
        self._process = subprocess.Popen(
            [*start.command, sys.executable, "-c", _START, path, *filter(None, [start.package])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            stderr=subprocess.DEVNULL,
            cwd=home,
            env=start.environment,
            start_new_session=True,
        )
        assert self._process.stdin is not None and self._process.stdout is not None
        self._asking = self._process.stdin.fileno()
        self._reading = self._process.stdout.fileno()
        os.set_blocking(self._asking, False)
        self._patience = CELLS * self._wall
        # should the grader be killed, the submission ends by itself; it never needs twice its time
        limits = {"RLIMIT_AS": MEMORY, "RLIMIT_FSIZE": FILE, "RLIMIT_CPU": math.ceil(2 * most)}
        limits |= {"RLIMIT_NPROC": PROCESSES} if start.alone else {}
        first_message = {"limits": limits, "alone": start.alone, "cells": [*cells], "names": names}
        try:
            self.tell(first_message | {"seconds": seconds, "wall": self._wall})
            first = self.hear()
            self._given = dict(first.get("given", {}))
            told = [*first.get("trouble", ())][: student.TROUBLE]
            self.raised = tuple(_cell_error(cell, said, len(cells)) for cell, said in told)
            self.trouble = "; ".join(f"a cell {error.said}" for error in self.raised[:3])[:500]
            self.trouble += "." if self.trouble else ""
            self.started = True
        except SubmissionError:
            self.raised = (CellError(None, self.broken),)  # every answer is missing
        except (TypeError, ValueError):
            self._fail("the submission sent what is no answer")

    def close(self) -> None:
        """Stop the process and all that it has started."""
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except ProcessLookupError:
            self._process.kill()
        self._process.wait()
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdout.close()
        with suppress(BrokenPipeError):
            self._process.stdin.close()

    def next_case(self) -> None:
        """Give the submission the time for one case, all calls together."""
        self._case += 1
        self._patience = self._wall

    def answer(self, variable: str, refused: Sequence[str] = ()) -> Any:
        """Return what a variable holds, None if it is blank; it may not call what is refused."""
        self.unknown = set()
        self._refused = [*refused]
        try:
            return self.decode(self._given.get(variable))
        except SubmissionError:
            return None

    def _fail(self, why: str) -> SubmissionError:
        self.broken = self.broken or f"{why}."
        return SubmissionError(why)

    def _wait(self, reading: list[int], writing: list[int]) -> None:
        """Wait for the submission, as long as there is patience with it."""
        with self._patient():
            left = 0.0 if self.broken else self._patience
            ready = left > 0.0 and any(select.select(reading, writing, [], left))
        if not ready:
            raise self._fail("the submission took too long")

    @contextmanager
    def _patient(self) -> Iterator[None]:
        """Count the time of a block as the submission's; what a judge computes is not counted."""
        began = time.monotonic()
        try:
            yield
        finally:
            self._patience -= time.monotonic() - began

    def tell(self, message: Any) -> None:
        """Send one message."""
        file = io.BytesIO()
        _Pickler(file, self._functions).dump(message)
        data = memoryview(struct.pack(">Q", file.tell()) + file.getvalue())
        while data:  # a submission that does not listen must not keep the grader waiting
            self._wait([], [self._asking])
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
        except (ValueError, RecursionError):
            raise self._fail("the submission sent what is no answer") from None
        if not isinstance(message, dict):
            raise self._fail("the submission sent what is no answer")
        return message

    def _read(self, length: int) -> bytes:
        data = bytearray()  # to which a piece is added without a copy of what is there
        while len(data) < length:
            self._wait([self._reading], [])
            piece = os.read(self._reading, min(length - len(data), 2**20))
            if not piece:
                raise self._fail("the submission left its process")
            data.extend(piece)
        return bytes(data)

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
        except SubmissionError:
            raise
        except Exception as error:  # it may be anything that was sent
            raise self._fail(f"the submission sent what is no answer: {error}") from None

    def _decode(self, kind: str, part: Any) -> Any:
        if kind == "int":
            return int(part, 16)
        if kind == "complex":
            return complex(*part)
        if kind == "bytes":
            return base64.b64decode(part)
        if kind == "array":
            file = io.BytesIO(base64.b64decode(part))
            return np.lib.format.read_array(file, allow_pickle=False)
        if kind == "objects":
            shape, parts = part
            array = np.empty(len(parts), dtype=object)
            array[:] = [self.decode(each) for each in parts]
            return array.reshape(shape)
        if kind in {"list", "tuple", "set", "frozenset", "iterator"}:
            makers: dict[str, Callable[..., Any]]
            makers = {"tuple": tuple, "set": set, "frozenset": frozenset, "iterator": iter}
            return makers.get(kind, list)([self.decode(each) for each in part])
        if kind == "dict":
            return {self.decode(key): self.decode(each) for key, each in part}
        if kind == "generator":
            state = self.decode(part)
            if state["bit_generator"] not in BIT_GENERATORS:
                raise self._fail("the submission sent what is no answer")
            rng = np.random.Generator(getattr(np.random, state["bit_generator"])())
            rng.bit_generator.state = state
            return rng
        if kind == "result":
            return self._result(*part)
        if kind == "function":
            return self._function(*part)
        name = str(part)[:80]
        self.unknown.add(name)
        # judges name the class of what they refuse
        return type(name if name.isidentifier() else "Unknown", (_Unknown,), {})(name)

    def _result(self, module: str, name: str, parts: dict[str, Any]) -> Any:
        """Make a frozen result anew; its constructor checks what it is given."""
        if not module.startswith("pdpbook."):
            raise self._fail("the submission sent what is no answer")
        kind = getattr(importlib.import_module(module), name)
        if not is_dataclass(kind) or not isinstance(kind, type):
            raise self._fail("the submission sent what is no answer")
        return kind(**{key: self.decode(part) for key, part in parts.items()})

    def _function(self, number: int, name: str) -> Callable[..., Any]:
        def answer(*arguments: Any, **named: Any) -> Any:
            asked = {"call": number, "arguments": arguments, "named": named, "case": self._case}
            self.tell(asked | {"refused": self._refused})
            reply = self.hear()
            while "call" in reply:
                with self._patient():  # it asked for this
                    back = self._called_back(reply)
                self.tell(back)
                reply = self.hear()
            changed = self.decode(reply.get("changed"))
            for mine, theirs in zip((*arguments, *named.values()), changed, strict=True):
                change(mine, theirs)
            if "raised" in reply:
                raise self._raised(*reply["raised"])
            return self.decode(reply.get("returned"))

        answer.__name__ = name if name.isidentifier() and len(name) <= 80 else "<lambda>"
        return answer

    def _raised(self, name: str, text: str, number: int | None) -> Exception:
        """Return what the submission raised: the grader's own exception if it comes from there."""
        if isinstance(number, int) and 0 <= number < len(self._errors):
            return self._errors[number]
        return (
            NotImplementedError() if name == "NotImplementedError" else named_exception(name, text)
        )

    def _called_back(self, reply: dict[str, Any]) -> dict[str, Any]:
        """Do what a submission asks of the grader's functions and things, and no more than that.

        What a function refuses is refused in the submission, with an exception of the same class,
        as it would be if both ran in one process.
        """
        number = reply["call"]
        if not isinstance(number, int) or not 0 <= number < len(self._functions):
            raise self._fail("the submission asked for what it was not given")
        called = self._functions[number]
        arguments = self.decode(reply.get("arguments", {"list": []}))
        named = self.decode(reply.get("named", {"dict": []}))
        name = str(reply.get("attribute", ""))
        if name and (isinstance(called, FunctionType | MethodType) or name.startswith("_")):
            raise self._fail(f"the submission asked for {name!r}")
        try:
            returned = getattr(called, name) if name else called(*arguments, **named)
            answered = {"returned": returned}
        except SubmissionError:
            raise
        except Exception as error:
            self._errors.append(error)
            built_in = next(k for k in type(error).__mro__ if k.__module__ == "builtins")
            number = len(self._errors) - 1
            answered = {"raised": (built_in.__name__, message_of(error), number)}
        changed = (*arguments, *named.values())
        return answered | {
            "changed": [part if isinstance(part, CHANGEABLE) else None for part in changed]
        }


@dataclass(frozen=True)
class _Unknown:
    """Something that is no data."""

    kind: str

    def __repr__(self) -> str:
        return f"a {self.kind}"
