"""What only a part of the package needs: the extras of ``pyproject.toml``.

The package itself needs NumPy, SciPy, numba, pandas, HiGHS and lazy-loader.  A module of an extra
is imported by :func:`require` in the function that needs it, before that does any work.  Where it
is missing, the error says what to install: from a clone, because the package is on no index.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Iterable, Iterator
from typing import Any

__all__ = ["EXTRAS", "base_class", "progress_bar", "require"]

#: Seconds after which a bar appears that nobody has asked for.
PATIENCE = 3.0
#: The extra that each module belongs to, by the top of its name.
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

    Another ``extra`` than that of :data:`EXTRAS` is named where it brings the module, too.

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
    """Return a class of an extra to inherit from, or one that says how to install the extra.

    Without the extra the module that defines the subclass can still be imported, for all else that
    is in it.  The class that stands in raises the error of :func:`require` when it is called.
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
    """What stands in for a progress bar that nobody wants to see."""

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
    """Return a progress bar of tqdm; if it is not shown, one that needs no tqdm.

    With ``shown=None`` it appears once the work has taken three seconds, if there is a terminal to
    show it on, and tqdm.  What stands in has the methods ``update`` and ``set_postfix_str``, in a
    ``with`` statement or not.
    """
    if shown is None:
        terminal = sys.stderr is not None and sys.stderr.isatty()
        shown = terminal and importlib.util.find_spec("tqdm") is not None
        options["delay"] = PATIENCE
    if not shown:
        return _NoBar(items)
    return require("tqdm").tqdm(items, **options)
