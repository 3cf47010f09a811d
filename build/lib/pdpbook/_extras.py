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
    "pygad": "genetic",
    "quantecon": "games",
    "sklearn": "learning",
    "threadpoolctl": "learning",
    "tqdm": "progress",
}


def require(module: str, extra: str | None = None) -> Any:
    """Import a module of an extra, or say how to install it.

    Parameters
    ----------
    module : str
        For example ``"pyarrow.parquet"``; its first part is one of :data:`EXTRAS`.
    extra : str, optional
        The extra to install, where another one than that of :data:`EXTRAS` brings the module, too.

    Returns
    -------
    module

    Raises
    ------
    ImportError
        If it is not installed.

    Examples
    --------
    >>> require("networkx").path_graph(3).number_of_edges()
    2
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
    is in it.

    Parameters
    ----------
    module, name : str
        Where the class is, and its name.

    Returns
    -------
    type
        Where the module is missing: a class that raises the error of :func:`require` instead of
        making an instance.

    Examples
    --------
    >>> base_class("gymnasium", "Env").__name__
    'Env'
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

    Parameters
    ----------
    items : iterable, optional
        What to pass over.
    shown : bool or None
        Whether to show it.  None shows it once the work has taken three seconds, if there is a
        terminal to show it on, and tqdm.
    **options
        Of ``tqdm.tqdm``.

    Returns
    -------
    tqdm.tqdm
        Or what has its methods ``update`` and ``set_postfix_str``, in a ``with`` statement or not.

    Raises
    ------
    ImportError
        If it is to be shown and tqdm is not installed.

    Examples
    --------
    >>> list(progress_bar(range(3), shown=False, desc="restarts"))
    [0, 1, 2]
    """
    if shown is None:
        terminal = sys.stderr is not None and sys.stderr.isatty()
        shown = terminal and importlib.util.find_spec("tqdm") is not None
        options["delay"] = PATIENCE
    if not shown:
        return _NoBar(items)
    return require("tqdm").tqdm(items, **options)
