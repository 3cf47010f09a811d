"""The compiler: numba, with its cache on disk wherever there is a place for it.

Compiling the loops of the package takes seconds, so numba keeps the machine code beside the source
or in the user's cache folder.  Where neither can be written (a read-only installation run by
somebody without a home), ``numba.njit(cache=True)`` raises when it decorates.  Then the loops are
compiled anew in every process, and nothing else is lost.

Where numba itself is missing, as it is for a while after a new version of Python, the loops run
as they stand, with the same results and a warning.
"""

import warnings
from collections.abc import Callable
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


def njit(function: Callable[..., Any]) -> Any:
    """Return the function compiled on its first call, and kept on disk if that is possible.

    Without numba it is returned as it stands.
    """
    if numba is None:
        return function
    try:
        return numba.njit(cache=True, nogil=True, error_model="numpy")(function)
    except RuntimeError:  # whatever else it says, the same call without a cache says it again
        return numba.njit(nogil=True, error_model="numpy")(function)
