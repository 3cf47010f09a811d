"""The process in which a submission runs: started by :mod:`pdpbook_exercises.checks.isolated`.

``python -m pdpbook_exercises.checks.student`` runs the cells of a submission and then does what it
is asked: it calls the student's functions and sends back what they return.  It decides nothing.  It
needs four modules beside it and nothing else, so that it can be started from a folder that holds
no exercise.

Messages to the process are pickles: they come from the grader, who may be trusted.  Messages from
it are JSON: a submission can send what it likes, and the worst that it can send is a wrong answer.
"""

from __future__ import annotations

import dis
import io
import json
import math
import os
import pickle
import signal
import struct
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from time import process_time
from typing import Any, BinaryIO

from pdpbook_exercises.checks.alone import start_no_process
from pdpbook_exercises.checks.notebook_cells import Notebook
from pdpbook_exercises.checks.own_work import own_work
from pdpbook_exercises.checks.wire import CHANGEABLE, change, encode, message_of, named_exception

__all__ = ["Clock", "OutOfTime", "is_blank", "main", "receive", "send"]

REPLIES = 3  #: file descriptor of the replies; printing cannot reach it
AGAIN = 0.1  #: seconds until code that has swallowed the end of its time is told once more
TROUBLE = 20  #: cells of which it is told what they raised


def is_blank(answer: Any) -> bool:
    """Tell whether an answer is the untouched stub: nothing, dots, a function that does nothing."""
    if answer is None or answer is Ellipsis:
        return True
    code = getattr(answer, "__code__", None)
    return code is not None and all(_does_nothing(dis.get_instructions(code)))


def _does_nothing(steps: Iterable[dis.Instruction]) -> Iterable[bool]:
    for step in steps:
        yield step.opname in {"RESUME", "NOP", "RETURN_VALUE"} or (
            step.opname in {"LOAD_CONST", "RETURN_CONST"} and step.argval is None
        )


def send(message: Any, file: BinaryIO) -> None:
    """Write one message, its length first."""
    data = json.dumps(message).encode("utf-8")
    file.write(struct.pack(">Q", len(data)) + data)
    file.flush()


def receive(file: BinaryIO) -> bytes:
    """Read one message."""
    (length,) = struct.unpack(">Q", file.read(8))
    return file.read(length)


class OutOfTime(BaseException):
    """Ends a cell or a call that has used its time; ``except Exception`` does not catch it."""


class Clock:
    """Time of the processor for one cell or for all calls of one case.

    A loop that computes for ever is stopped here, and what comes after it still runs.  What cannot
    be stopped so, the grader ends with the process.  Only the main thread of a POSIX process has
    such a clock; elsewhere the work runs without a limit.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = self._left = seconds
        self._runs = False

    def start(self) -> None:
        """Give all of the time again."""
        self._left = self.seconds

    def run(self, work: Callable[[], Any], wall: float = 0.0) -> Any:
        """Return what ``work`` returns, or raise :class:`OutOfTime`.

        ``wall`` limits the seconds on the wall, too: a cell that waits uses no processor.
        """

        def stop(number: int, frame: Any) -> None:
            if self._runs:
                raise OutOfTime(self.told(wall if number == signal.SIGALRM else 0.0))

        if self._runs:  # a function of the grader has called one of the student's
            return work()
        if self._left <= 0.0:
            raise OutOfTime(self.told())
        if math.isinf(self._left) or not _has_signals():
            return work()
        before = [(each, signal.signal(each, stop)) for each in (signal.SIGPROF, signal.SIGALRM)]
        began = process_time()
        self._runs = True
        try:
            signal.setitimer(signal.ITIMER_PROF, self._left, AGAIN)
            signal.setitimer(signal.ITIMER_REAL, wall, AGAIN if wall else 0.0)
            return work()
        finally:
            self._runs = False
            signal.setitimer(signal.ITIMER_PROF, 0.0)
            signal.setitimer(signal.ITIMER_REAL, 0.0)
            for each, handler in before:
                signal.signal(each, handler)
            self._left -= process_time() - began

    def told(self, wall: float = 0.0) -> str:
        """Say which time is over."""
        if wall:
            return f"it took too long, more than {wall:g} seconds"
        return f"it took too long, more than {self.seconds:g} seconds of processor time"


def _has_signals() -> bool:
    """Whether a timer can interrupt this thread."""
    return hasattr(signal, "setitimer") and (threading.current_thread() is threading.main_thread())


class _Remote:
    """Something that only the grader has: its attributes are asked for."""

    def __init__(self, number: int, ask: Callable[..., Any]) -> None:
        self._number, self._ask = number, ask

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return self._ask({"call": self._number, "attribute": name})


class _Unpickler(pickle.Unpickler):
    """Puts functions that call back in the place of the grader's functions."""

    def __init__(self, data: bytes, server: _Server) -> None:
        super().__init__(io.BytesIO(data))
        self._server = server

    def persistent_load(self, reference: Any) -> Any:
        kind, number = reference
        if kind == "object":
            return _Remote(number, self._server.ask)

        def function(*arguments: Any, **named: Any) -> Any:
            sent = {"arguments": [*arguments], "named": named}
            question = {key: self._server.encode(part) for key, part in sent.items()}
            return self._server.ask({"call": number, **question}, *arguments, *named.values())

        return function


class _Server:
    """Answers the grader until it has no more questions."""

    def __init__(self, requests: BinaryIO, replies: BinaryIO) -> None:
        self._requests, self._replies = requests, replies
        self._functions: list[Callable[..., Any]] = []
        self._clock = Clock(0.0)
        self._case = -1

    def encode(self, value: Any) -> Any:
        return encode(value, self._functions)

    def load(self) -> Any:
        return _Unpickler(receive(self._requests), self).load()

    def ask(self, question: dict[str, Any], *arguments: Any) -> Any:
        """Have the grader call one of its functions, and do to the arguments what that did."""
        send(question, self._replies)
        reply = self.load()
        while "call" in reply:  # the grader's function calls one of the student's
            send(self._called(reply), self._replies)
            reply = self.load()
        for mine, theirs in zip(arguments, reply["changed"], strict=False):
            change(mine, theirs)
        if "raised" in reply:
            name, text, number = reply["raised"]
            error = named_exception(name, text)
            error.pdpbook_number = number  # type: ignore[attr-defined]
            raise error
        return reply["returned"]

    def start(self, start: dict[str, Any]) -> None:
        """Run the cells, and tell what they leave behind."""
        notebook = Notebook(Path.cwd())
        self._clock = Clock(start["seconds"])
        trouble: list[tuple[int, str]] = []
        for number, cell in enumerate(start["cells"]):
            self._clock.start()
            try:
                self._clock.run(lambda cell=cell: notebook.run(cell), start["wall"])  # type: ignore[misc]
            except OutOfTime as error:
                trouble.append((number, f"was stopped: {error}"))
            except BaseException as error:  # exit() ends no notebook
                said = f": {text}" if (text := _read_message(error)) else ""
                trouble.append((number, f"raised {type(error).__name__}{said}"))
        found = {name: notebook.namespace.get(name) for name in start["names"]}
        given = {name: self.encode(value) for name, value in found.items() if not _blank(value)}
        send({"given": given, "trouble": trouble[:TROUBLE]}, self._replies)

    def serve(self) -> None:
        """Call the student's functions until the process is ended."""
        while True:
            send(self._called(self.load()), self._replies)

    def _called(self, request: dict[str, Any]) -> dict[str, Any]:
        """Call one function of the student."""
        if request["case"] != self._case:
            self._case = request["case"]
            self._clock.start()
        arguments, named = request["arguments"], request["named"]
        called = own_work(self._functions[request["call"]], request["refused"])
        try:
            returned = self._clock.run(lambda: self.encode(called(*arguments, **named)))
            reply: dict[str, Any] = {"returned": returned}
        except BaseException as error:  # exit() in an answer ends the answer, not the process
            number = getattr(error, "pdpbook_number", None)
            reply = {"raised": [type(error).__name__, _read_message(error), number]}
        # the arguments as they are now: the grader wants to see whether they were changed
        reply["changed"] = [
            self.encode(part) if isinstance(part, CHANGEABLE) else None
            for part in (*arguments, *named.values())
        ]
        return reply


def _blank(value: Any) -> bool:
    """Whether a variable holds the stub; a value that cannot even be asked is none."""
    try:
        return is_blank(value)
    except Exception:
        return False


def _read_message(error: BaseException) -> str:
    """Return what an exception of the student says, if it can say anything."""
    try:
        return message_of(error)
    except Exception:
        return ""


def _limit(limits: dict[str, int]) -> None:
    """Take from this process what it may not use."""
    try:
        import resource
    except ImportError:  # Windows: time is limited by the grader, memory is not
        return
    for name, most in limits.items():
        resource.setrlimit(getattr(resource, name), (most, most))


def main() -> None:
    """Serve until the grader has no more questions."""
    requests = os.fdopen(os.dup(0), "rb")
    replies = os.fdopen(REPLIES, "wb")
    os.dup2(os.open(os.devnull, os.O_RDWR), 0)  # input() finds nothing
    start = pickle.loads(receive(requests))
    _limit(start["limits"])
    if start["alone"]:
        start_no_process()
    server = _Server(requests, replies)
    server.start(start)
    server.serve()


if __name__ == "__main__":
    main()
