"""Code cells as a notebook runs them, in a process that is no kernel.

Students write what Jupyter understands: ``%matplotlib inline``, ``%%time``, ``!pip install``,
``np.round?``, ``display(x)``, a top-level ``await``.  None of these should cost them an answer that
stands in the same cell.  IPython turns such a cell into Python.  The shell that the result then
asks for runs the code that was to be timed or captured, and does nothing else.
"""

from __future__ import annotations

import ast
import asyncio
import inspect
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

__all__ = ["Notebook"]

#: magics whose code is to run; what it prints, how long it takes, is not wanted
RUNS = frozenset({"capture", "debug", "memit", "prun", "snakeviz", "time"})


class Notebook:
    """The names that cells define, one after the other, as the module ``__main__``.

    Parameters
    ----------
    folder : Path
        Where the code of each cell is written to.  Tools that ask for the source of a function
        find it there, and ``numba.njit(cache=True)`` has a place for what it compiles.

    Attributes
    ----------
    namespace : dict from str to object
        What the cells have defined.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()
        self._cells = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        module = ModuleType("__main__")
        sys.modules["__main__"] = module  # a class that a cell defines is looked up there
        self.namespace: dict[str, Any] = vars(module)
        shell = _Shell(self)
        self.namespace |= {"get_ipython": lambda: shell, "display": _display}

    def run(self, cell: str) -> None:
        """Run a cell.  What it raises is raised here, ``SystemExit`` included."""
        self._cells += 1
        file = self._folder / f"cell_{self._cells}.py"
        source = _python(cell)
        with suppress(OSError):  # only tools that look for the source miss it
            file.write_text(source, encoding="utf-8")
        code = _compiled(source, str(file))
        if code.co_flags & inspect.CO_COROUTINE:
            self._loop = self._loop or asyncio.new_event_loop()
            self._loop.run_until_complete(eval(code, self.namespace))
        else:
            exec(code, self.namespace)

    def value(self, line: str) -> Any:
        """Run the line of a magic and return its value, if it has one."""
        try:
            code = compile(line, "<magic>", "eval", dont_inherit=True)
        except SyntaxError:
            return self.run(line)
        return eval(code, self.namespace)


def _compiled(source: str, file: str) -> CodeType:
    # without dont_inherit the cell would be compiled with the __future__ of this module
    code: CodeType = compile(
        source, file, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True
    )
    return code


def _python(cell: str) -> str:
    """Return a cell as Python; one that is Python already is not touched."""
    try:
        _compiled(cell, "<cell>")
    except SyntaxError:
        try:
            from IPython.core.inputtransformer2 import TransformerManager
        except ImportError:
            return cell
        return str(TransformerManager().transform_cell(cell))
    return cell


def _display(*shown: Any, **options: Any) -> None:
    """Show nothing: nobody looks."""


class _Shell:
    """What ``get_ipython()`` returns: it runs code that a magic wraps, and does nothing else."""

    def __init__(self, notebook: Notebook) -> None:
        self._notebook = notebook
        self.user_ns = notebook.namespace

    def run_line_magic(self, name: str, line: str, *more: Any) -> Any:
        return self._notebook.value(line) if name in RUNS and line.strip() else None

    def run_cell_magic(self, name: str, line: str, cell: str) -> None:
        if name in RUNS:
            self._notebook.run(cell)

    def getoutput(self, command: str, *more: Any, **options: Any) -> list[str]:
        return []

    def __getattr__(self, name: str) -> Callable[..., None]:
        if name.startswith("_"):
            raise AttributeError(name)
        return _display
