"""The process in which a submission runs: started by :mod:`pdpbook.exercises.isolated`.

``python student.py`` runs the cells of a submission and then does what it is asked: it calls the
student's functions and sends back what they return.  It decides nothing.  It needs nothing of
the package, so that it can be started with a copy of it that has no exercises in it.

Messages to the process are pickles: they come from the grader, who may be trusted.  Messages from
it are JSON: a submission can send what it likes, and the worst that it can send is a wrong answer.
"""

from __future__ import annotations

import base64
import dis
import io
import json
import os
import pickle
import struct
import sys
from collections.abc import Callable, Iterable
from dataclasses import fields, is_dataclass
from typing import Any, BinaryIO

import numpy as np

__all__ = ["encode", "is_blank", "main", "receive", "send"]

DEEPEST = 12  #: nested lists in an answer
REPLIES = 3  #: file descriptor of the replies; printing cannot reach it


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


def encode(value: Any, functions: list[Callable[..., Any]], depth: int = 0) -> Any:
    """Return a value as JSON: numbers, text, arrays, lists, functions by number, frozen results.

    Parameters
    ----------
    value : object
        What a submission returned.
    functions : list
        A function in the value is appended and sent as its position.
    depth : int
        How deep the value stands in another.

    Returns
    -------
    object
        What :func:`json.dumps` takes.  What has no such form is sent as the name of its type.
    """
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if depth > DEEPEST:
        return {"type": "nested too deep"}

    def inner(part: Any) -> Any:
        return encode(part, functions, depth + 1)

    if isinstance(value, complex):
        return {"complex": [value.real, value.imag]}
    if isinstance(value, np.ndarray) and value.dtype.kind in "biufc":
        file = io.BytesIO()
        np.save(file, value, allow_pickle=False)
        return {"array": base64.b64encode(file.getvalue()).decode("ascii")}
    if isinstance(value, list | tuple | set | frozenset):
        return {type(value).__name__: [inner(part) for part in value]}
    if isinstance(value, dict):
        return {"dict": [[inner(key), inner(part)] for key, part in value.items()]}
    if isinstance(value, np.random.Generator):
        return {"generator": inner(value.bit_generator.state)}
    kind = type(value)
    if is_dataclass(value) and kind.__module__.startswith("pdpbook."):
        parts = {f.name: inner(getattr(value, f.name)) for f in fields(value) if f.init}
        return {"result": [kind.__module__, kind.__qualname__, parts]}
    if callable(value):
        functions.append(value)
        return {"function": len(functions) - 1}
    return {"type": kind.__name__}


def send(message: Any, file: BinaryIO) -> None:
    """Write one message, its length first."""
    data = json.dumps(message).encode("utf-8")
    file.write(struct.pack(">Q", len(data)) + data)
    file.flush()


def receive(file: BinaryIO) -> bytes:
    """Read one message."""
    (length,) = struct.unpack(">Q", file.read(8))
    return file.read(length)


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

    def __init__(
        self, data: bytes, ask: Callable[..., Any], functions: list[Callable[..., Any]]
    ) -> None:
        super().__init__(io.BytesIO(data))
        self._ask, self._functions = ask, functions

    def persistent_load(self, reference: Any) -> Any:
        kind, number = reference
        if kind == "object":
            return _Remote(number, self._ask)

        def function(*arguments: Any) -> Any:
            sent = encode(list(arguments), self._functions)
            return self._ask({"call": number, "arguments": sent})

        return function


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
    functions: list[Callable[..., Any]] = []

    def ask(question: dict[str, Any]) -> Any:
        send(question, replies)
        return load()

    def load() -> Any:
        return _Unpickler(receive(requests), ask, functions).load()

    start = pickle.loads(receive(requests))
    _limit(start["limits"])
    sys.path[:0] = start["path"]
    namespace: dict[str, Any] = {"__name__": "__main__"}
    trouble = []
    for cell in start["cells"]:
        try:
            exec(compile(cell, "<submission>", "exec"), namespace)
        except Exception as error:
            trouble.append(f"{type(error).__name__}: {error}")
    answers = {name: namespace.get(name) for name in start["names"]}
    given = {k: encode(v, functions) for k, v in answers.items() if not is_blank(v)}
    send({"given": given, "trouble": trouble[:3]}, replies)
    while True:
        number, arguments, named = load()
        try:
            returned = functions[number](*arguments, **named)
            reply = {"returned": encode(returned, functions)}
        except Exception as error:
            text = "" if isinstance(error, NotImplementedError) else str(error)[:500]
            reply = {"raised": [type(error).__name__, text]}
        # the arguments as they are now: the grader wants to see whether they were changed
        reply["arguments"] = encode(list(arguments), functions)
        send(reply, replies)


if __name__ == "__main__":
    main()
