"""The compiler: numba, with its cache on disk if a folder for it is writable.

Compiling the loops of the package takes seconds, so numba keeps the machine code beside the source
or in the user's cache folder.  If neither is writable (in a read-only installation that is run by a
user without a home folder), the decorator ``numba.njit(cache=True)`` raises an error.  The loops
are then compiled in every process, with no other consequence.

A user who waits at a terminal for more than three seconds is told why.

If numba itself is missing, as it is for some time after the release of a new version of Python, the
loops run uncompiled, with the same results and a warning.
"""

import sys
import threading
import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

try:
    import numba
except ModuleNotFoundError:
    numba = None  # type: ignore[assignment]
    warnings.warn(
        "numba is not installed, so the loops of pdpbook run uncompiled and often take 100 times "
        "as long: python -m pip install numba",
        RuntimeWarning,
        stacklevel=2,
    )

__all__ = ["njit"]

PATIENCE = 3.0  #: seconds


@cache
def tell() -> None:
    """Explain once per process why the first call takes so long."""
    print("pdpbook compiles its loops, which takes some seconds, but only once.", file=sys.stderr)


def compile_with_notice(original: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method that compiles, and prints a notice at a terminal if this is slow."""

    def patient(signature: Any) -> Any:
        waiting = threading.Timer(PATIENCE, tell)
        waiting.daemon = True
        if sys.stderr is not None and sys.stderr.isatty():
            waiting.start()
        try:
            return original(signature)
        finally:
            waiting.cancel()

    return patient


def njit(function: Callable[..., Any]) -> Any:
    """Return the function, to be compiled on its first call and cached on disk if possible.

    Without numba, return it unchanged.
    """
    if numba is None:
        return function
    try:
        compiled = numba.njit(cache=True, nogil=True, error_model="numpy")(function)
    except RuntimeError:  # if the cache is not the cause, the second call fails, too
        compiled = numba.njit(nogil=True, error_model="numpy")(function)
    if hasattr(compiled, "compile"):  # false if numba is disabled
        vars(compiled)["compile"] = compile_with_notice(compiled.compile)
    return compiled
