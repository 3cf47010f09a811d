"""The optional dependencies: the extras of ``pyproject.toml``.

A module of an extra is imported by :func:`require` in the function that needs it, before this
function does any work.  The error for a missing module names the extra to install from a clone,
because pdpbook is not in any package index.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Iterable, Iterator
from typing import Any

__all__ = ["EXTRAS", "base_class", "progress_bar", "require"]

#: Seconds after which a bar appears without being requested.
PATIENCE = 3.0
#: The extra of each module, by the top-level part of the module's name.
EXTRAS = {
    "click": "command",
    "dask": "scale",
    "distributed": "scale",
    "dp_accounting": "accounting",
    "gymnasium": "learning",
    "matplotlib": "plot",
    "networkx": "graphs",
    "opendp": "opendp",
    "polars": "opendp",
    "pyarrow": "scale",
    "quantecon": "games",
    "sklearn": "learning",
    "tqdm": "progress",
}


def require(module: str, extra: str | None = None) -> Any:
    """Import a module of an extra, such as ``"pyarrow.parquet"``, or say how to install it.

    Pass ``extra`` to name another extra than :data:`EXTRAS` does, if that extra also contains the
    module.

    Raises
    ------
    ImportError
        If the module is not installed.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        extra = extra or EXTRAS[module.partition(".")[0]]
        raise ImportError(
            f"this part of pdpbook needs {module}: in your clone of the repository, "
            f"pip install '.[{extra}]'"
        ) from error


def base_class(module: str, name: str) -> Any:
    """Return a class of an extra to inherit from, or a substitute that says how to install it.

    Without the extra, the module that defines the subclass can still be imported for its other
    contents.  The replacement class raises the error of :func:`require` when it is called.
    """
    try:
        return getattr(require(module), name)
    except ImportError:

        class Missing:
            def __class_getitem__(cls, item: Any) -> type[Missing]:
                return cls

            def __new__(cls, *arguments: Any, **named: Any) -> Missing:
                require(module)
                raise AssertionError(f"{module} was missing when pdpbook was imported")

        return Missing


class _NoBar:
    """A substitute for a hidden progress bar."""

    def __init__(self, items: Iterable[Any] | None) -> None:
        self._items = () if items is None else items

    def __iter__(self) -> Iterator[Any]:
        return iter(self._items)

    def __enter__(self) -> _NoBar:
        return self

    def __exit__(self, *error: object) -> None:
        """Close nothing."""

    def update(self, steps: int = 1) -> None:
        """Show nothing."""

    def set_postfix_str(self, text: str) -> None:
        """Show nothing."""


def progress_bar(items: Iterable[Any] | None = None, *, shown: bool | None, **options: Any) -> Any:
    """Return a tqdm progress bar; if it is not shown, a substitute that does not need tqdm.

    With ``shown=None`` the bar appears once the work has taken three seconds, if there is a
    terminal and tqdm is installed.  The substitute has the methods ``update`` and
    ``set_postfix_str`` and is a context manager.
    """
    if shown is None:
        terminal = sys.stderr is not None and sys.stderr.isatty()
        shown = terminal and importlib.util.find_spec("tqdm") is not None
        options["delay"] = PATIENCE
    if not shown:
        return _NoBar(items)
    return require("tqdm").tqdm(items, **options)
