r"""The exponential function, identical to the last bit on every machine.

NumPy and the C library have several implementations of :math:`e^x` and choose one to suit the
processor; the last bits of their results differ.  This is usually harmless.  But the weights of a
release are rounded from such numbers, and the keyed draws of :mod:`pdpbook.scaling` begin with a
digest of the weights, so a single different bit would change the release.

Here :math:`x=k\ln2+r` with a whole number k and :math:`|r|\le\frac12\ln2`, and the series of
:math:`e^r-1` is summed from its smallest term.  All steps are additions, multiplications, divisions
and shifts of the exponent, whose results IEEE 754 determines to the last bit.
"""

import numpy as np
from numpy.typing import NDArray

__all__ = ["exp", "expm1"]

#: ln 2 in two parts.  The first has 20 zeros at its end, so k times it is exact for |k| < 2²⁰.
_LN2 = (6.93147180369123816490e-01, 1.90821492927058770002e-10)
_LEAST = -800.0  #: below this, e^x is less than half the smallest double


def _parts(x: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return k and e^r - 1 for numbers that are not positive."""
    x = np.maximum(x, _LEAST)
    k = np.rint(x / (_LN2[0] + _LN2[1]))
    r = (x - k * _LN2[0]) - k * _LN2[1]
    less_one = np.zeros_like(r)
    for term in range(15, 0, -1):
        less_one = r * (1.0 + less_one) / term
    return k.astype(np.int64), less_one


def exp(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return e^x for x <= 0, to within one unit in the last place."""
    k, less_one = _parts(x)
    return np.ldexp(1.0 + less_one, k)


def expm1(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return e^x - 1 for x <= 0, to within two units in the last place."""
    k, less_one = _parts(x)
    return np.ldexp(less_one, k) + (np.ldexp(1.0, k) - 1.0)
