"""The compiler: numba, with its cache on disk wherever there is a place for it.

Compiling the loops of the package takes seconds, so numba keeps the machine code beside the source
or in the user's cache folder.  Where neither can be written (a read-only installation run by
somebody without a home), ``numba.njit(cache=True)`` raises when it decorates.  Then the loops are
compiled anew in every process, and nothing else is lost.

Whoever waits at a terminal for more than three seconds is told why.

Where numba itself is missing, as it is for a while after a new version of Python, the loops run
as they stand, with the same results and a warning.
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
        "numba is not installed, so that the loops of pdpbook run uncompiled, often 100 times "
        "as long: python -m pip install numba",
        RuntimeWarning,
        stacklevel=2,
    )

__all__ = ["njit"]

PATIENCE = 3.0  #: seconds


@cache
def tell() -> None:
    """Say why a first call takes long, once in a process."""
    print("pdpbook compiles its loops: once on this machine, some seconds.", file=sys.stderr)


def compile_with_notice(original: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method that compiles and says so at a terminal, if it takes long."""

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
    """Return the function compiled on its first call, and kept on disk if that is possible.

    Without numba it is returned as it stands.
    """
    if numba is None:
        return function
    try:
        compiled = numba.njit(cache=True, nogil=True, error_model="numpy")(function)
    except RuntimeError:  # whatever else it says, the same call without a cache says it again
        compiled = numba.njit(nogil=True, error_model="numpy")(function)
    if hasattr(compiled, "compile"):  # not where numba is told to compile nothing
        vars(compiled)["compile"] = compile_with_notice(compiled.compile)
    return compiled
