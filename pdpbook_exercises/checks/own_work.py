"""Answers that call the package's own answer.

Some exercises ask for what a function of the package computes.  A student writes it to understand
it, so an answer that imports the function is refused, by the check as by the grader.  What the
package does inside of its other functions is left alone.

Whose code a call is made from, and what it calls, is told by the files that the code was read from.
The name of a module says nothing: a cell can set ``__name__``, its own and that of any module.

This is a reminder and no protection.  The answer is watched where it runs, so code that means to
get round it does: by ``sys.setprofile(None)``, a thread, or a renamed code object.  An answer may
also hold a copy of the source, and no program can say who wrote a line.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection
from importlib.util import find_spec
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

__all__ = ["own_work"]

#: Who may call what an exercise asks for: our own modules, inside of what a student may call.
OURS = ("pdpbook", "pdpbook_pages", "pdpbook_exercises")
HOMES = {
    f"{Path(spec.origin).parent}{os.sep}": package
    for package in OURS
    if (spec := find_spec(package)) and spec.origin
}


def _module_of(code: CodeType) -> str:
    """Return the module of ours in whose file a code stands; nothing for any other code."""
    for home, package in HOMES.items():
        if code.co_filename.startswith(home):
            inner = code.co_filename.removeprefix(home).removesuffix(".py")
            return f"{package}.{inner.replace(os.sep, '.')}"
    return ""


def own_work(answer: Callable[..., Any], refused: Collection[str]) -> Callable[..., Any]:
    """Return an answer that raises a RuntimeError if it calls one of some functions.

    Parameters
    ----------
    answer : callable
        What a student has written.
    refused : collection of str
        Functions or methods of the package, each as ``"module.name"``.

    Returns
    -------
    callable
        The answer itself if nothing is refused.

    Examples
    --------
    >>> from pdpbook.experiments.settings_search import misfit
    >>> own_work(misfit, ["pdpbook.experiments.settings_search.misfit"])([0.1], [0.1])
    Traceback (most recent call last):
    ...
    RuntimeError: pdpbook.experiments.settings_search.misfit is what this exercise asks you to \
write. You may call every other function of the package.
    >>> own_work(misfit, [])([0.1], [0.1])
    1.0
    """
    if not refused:
        return answer
    titles = {name.rpartition(".")[2] for name in refused}  # compared first: a cheap way out

    def watched(*arguments: Any, **named: Any) -> Any:
        called: list[str] = []

        def look(frame: FrameType, event: str, argument: Any) -> None:
            code = frame.f_code
            if event != "call" or code.co_name not in titles or frame.f_back is None:
                return
            name = f"{_module_of(code)}.{code.co_qualname}"
            caller = frame.f_back.f_code
            inside = _module_of(caller) and caller is not own
            if name in refused and not inside:
                called.append(name)
                _refuse(name)

        own = watched.__code__  # calls the answer, which may be what is refused
        before = sys.getprofile()
        sys.setprofile(look)
        try:
            returned = answer(*arguments, **named)
        finally:
            sys.setprofile(before)
        if called:  # it has caught the exception
            _refuse(called[0])
        return returned

    watched.__name__ = getattr(answer, "__name__", "<lambda>")
    return watched


def _refuse(name: str) -> None:
    raise RuntimeError(
        f"{name} is what this exercise asks you to write. You may call every other function of "
        "the package."
    )
