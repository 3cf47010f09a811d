r"""How much noise is certainly enough: Theorem 1 and its tight form.

Ryu, Jang & Yang (2024), Theorem 1, eq. (10): if every scale satisfies
:math:`b \ge 1/\ln(1 + (n-1)(e^\varepsilon-1))`, then at a Nash equilibrium of their game every
record is ε-pDP-private.  Their appendix states it as eq. (11), with :math:`(e^\varepsilon-1)/K`.

**Theorem 1′** of this book: if every scale is at least
:math:`b^*(n,\varepsilon) = 1/\ln(1+n(e^\varepsilon-1))`, then at *every* profile, equilibrium or
not, every record is private, and for continuous densities no smaller constant will do.  The proof
is one line once :math:`v_{\max}/v_{\min}=e^{1/b}` is known; it is in the chapter *Theorem 1*.
"""

from __future__ import annotations

import math

import numpy as np

from pdpbook import _validate

__all__ = ["published_scale_bound", "scale_bound"]


def scale_bound(n: int, epsilon: float) -> float:
    r"""Return the smallest scale at which everybody is private whatever the profile.

    Parameters
    ----------
    n : int
        Number of records, at least 2.
    epsilon : float
        Privacy target :math:`\varepsilon > 0`.

    Returns
    -------
    float
        :math:`b^* = 1/\ln(1 + n(e^\varepsilon-1))`, in units of the padded interval.

    Notes
    -----
    Source: Theorem 1′ of this book.  Taught in *Theorem 1*.

    Examples
    --------
    >>> round(scale_bound(1307, 1.0), 5)
    0.12958
    """
    n = _validate.integer("n", n, at_least=2)
    epsilon = _validate.number("epsilon", epsilon, above=0.0)
    return _inverse_log(n, epsilon)


def published_scale_bound(n: int, epsilon: float, *, bins: int | None = None) -> float:
    r"""Return the bound of Theorem 1 as it is printed.

    Parameters
    ----------
    n : int
        Number of records, at least 2.
    epsilon : float
        Privacy target :math:`\varepsilon > 0`.
    bins : int, optional
        With a number of bins K, the version of the paper's appendix.

    Returns
    -------
    float
        Eq. (10), :math:`1/\ln(1+(n-1)(e^\varepsilon-1))`, or with bins eq. (11),
        :math:`1/\ln(1+(n-1)(e^\varepsilon-1)/K)`.

    Notes
    -----
    Source: Ryu, Jang & Yang (2024), Theorem 1.  Taught in *Theorem 1*.

    Examples
    --------
    >>> round(published_scale_bound(1307, 1.0), 5)
    0.12959
    >>> round(published_scale_bound(1307, 1.0, bins=101), 5)
    0.31792
    """
    n = _validate.integer("n", n, at_least=2)
    epsilon = _validate.number("epsilon", epsilon, above=0.0)
    divisor = 1 if bins is None else _validate.integer("bins", bins, at_least=1)
    return _inverse_log((n - 1) / divisor, epsilon)


def _inverse_log(factor: float, epsilon: float) -> float:
    """Return 1 / ln(1 + factor (e^epsilon - 1)) without overflow or cancellation."""
    log_growth = epsilon + math.log(-math.expm1(-epsilon))
    return float(1.0 / np.logaddexp(0.0, math.log(factor) + log_growth))
