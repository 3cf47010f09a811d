r"""Sufficient noise scales: Theorem 1 and its tight form.

Ryu, Jang & Yang (2024), Theorem 1, eq. (10): if every scale satisfies
:math:`b \ge 1/\ln(1 + (n-1)(e^\varepsilon-1))`, then at a Nash equilibrium of their game every
record is ε-pDP-private.  Their appendix states the bound as eq. (11), with
:math:`(e^\varepsilon-1)/K` in place of :math:`e^\varepsilon-1`.

**Theorem 1′** of this book: if every scale is at least
:math:`b^*(n,\varepsilon) = 1/\ln(1+n(e^\varepsilon-1))`, then at *every* profile, equilibrium or
not, every record is private, and for continuous densities no smaller bound suffices.  The proof,
which takes one line once :math:`v_{\max}/v_{\min}=e^{1/b}` is known, is in the chapter *How much
noise is enough*.

The paper's proof, made rigorous, establishes less: a record that is released uniformly is private
whatever the others do.  The function :func:`uniform_release_scale` returns the scale that this
statement requires.
"""

from __future__ import annotations

import math

from pdpbook import _exact, _validate

__all__ = ["published_scale_bound", "scale_bound", "uniform_release_scale"]


def scale_bound(n: int, epsilon: float) -> float:
    r"""Return the smallest scale at which every record is private at every profile.

    Parameters
    ----------
    n : int, >= 2
    epsilon : float, ε > 0

    Returns
    -------
    float
        :math:`b^* = 1/\ln(1 + n(e^\varepsilon-1))`, in units of the padded interval, rounded up.

    Notes
    -----
    The promise is about the removal of the record, not about its replacement.  Source: Theorem 1′
    of this book.  Taught in *How much noise is enough*.

    Examples
    --------
    >>> round(scale_bound(1307, 1.0), 5)
    0.12958
    """
    n = _validate.integer("n", n, at_least=2)
    epsilon = _validate.number("epsilon", epsilon, above=0.0)
    return _exact.up(_inverse_log(n, epsilon), 8)


def published_scale_bound(n: int, epsilon: float, *, bins: int | None = None) -> float:
    r"""Return the bound of Theorem 1 as printed.

    Parameters
    ----------
    n : int, >= 2
    epsilon : float, ε > 0
    bins : int, optional
        Number of bins K; if given, use the version of the paper's appendix.

    Returns
    -------
    float
        Eq. (10), :math:`1/\ln(1+(n-1)(e^\varepsilon-1))`, or with ``bins`` eq. (11),
        :math:`1/\ln(1+(n-1)(e^\varepsilon-1)/K)`.

    Notes
    -----
    The promise is about the removal of the record, not about its replacement.  Source: Ryu, Jang &
    Yang (2024), Theorem 1.  Taught in *Reading the published proof*.

    Examples
    --------
    >>> round(published_scale_bound(1307, 1.0), 5)
    0.12959
    >>> round(published_scale_bound(1307, 1.0, bins=101), 5)
    0.31797
    """
    n = _validate.integer("n", n, at_least=2)
    epsilon = _validate.number("epsilon", epsilon, above=0.0)
    divisor = 1 if bins is None else _validate.integer("bins", bins, at_least=1)
    return _inverse_log((n - 1) / divisor, epsilon)


def uniform_release_scale(n: int, epsilon: float) -> float:
    r"""Return the scale at which uniform release is private whatever the other records do.

    The proof of Theorem 1 lets a record choose :math:`b_i\to\infty`, so that its density is 1
    everywhere.  The density of each other record is at least :math:`v_{\min}(b)`, and the proof
    requires :math:`v_{\min}(b) \ge c = 1/(1+n(e^\varepsilon-1))`.  With the correct
    :math:`v_{\min}` this condition is :math:`b \ge 1/u`, where :math:`(e^u-1)/u = 1/c`, that is,
    :math:`u = -c-W_{-1}(-ce^{-c})` with the Lambert W function.

    Parameters
    ----------
    n : int, >= 2
    epsilon : float, ε > 0

    Returns
    -------
    float
        The scale 1/u, in units of the padded interval; it is smaller than :func:`scale_bound`.

    Notes
    -----
    The promise is about the removal of the record, not about its replacement.  Source:
    eqs. (29)-(32) of Ryu, Jang & Yang (2024), corrected.  Taught in *Reading the published proof*,
    which shows a game with all scales above this bound and an equilibrium at which a record is not
    private.

    Examples
    --------
    >>> round(uniform_release_scale(1307, 1.0), 5)
    0.09978
    """
    n = _validate.integer("n", n, at_least=2)
    epsilon = _validate.number("epsilon", epsilon, above=0.0)
    target = 1.0 / _inverse_log(n, epsilon)
    # ln((e^u - 1)/u) is increasing, convex and at least u/2: Newton's iterates from 2 * target
    # decrease to the root and never pass it
    u = 2.0 * target
    if u < 1e-14:  # ln((e^u - 1)/u) is u/2 to the last digit
        return 1.0 / u
    if target > 1e18:  # here the function is u minus a logarithm that is lost in rounding
        return 1.0 / target
    while True:
        if u < 1e-3:
            value = u / 2 + u**2 / 24 - u**4 / 2880
            slope = 0.5 + u / 12 - u**3 / 720
        else:
            value = u + math.log(-math.expm1(-u) / u)
            slope = -1.0 / math.expm1(-u) - 1.0 / u
        step = (value - target) / slope
        if step <= 1e-15 * u:
            return 1.0 / u
        u -= step


def _inverse_log(factor: float, epsilon: float) -> float:
    """Return 1 / ln(1 + factor (e^epsilon - 1)) without overflow or cancellation."""
    if epsilon < 600.0:
        growth = math.log1p(factor * math.expm1(epsilon))
    else:
        growth = epsilon + math.log(factor)
    if growth < 1e-307:
        raise _validate.fail("epsilon", "so large that the scale is a finite number", epsilon)
    return 1.0 / growth
