r"""The linear form of pDP: per-instance privacy as two linear inequalities.

A data set of n records is released through the random sampling query.  Record i is released as x
with probability :math:`p_i(x)`.  Let :math:`S(x)=\sum_i p_i(x)`.  The output has the distribution
:math:`P(x)=S(x)/n`.  Without record i, but with the same noise on all other records, it has the
distribution :math:`P_{-i}(x)=(S(x)-p_i(x))/(n-1)`.  The pDP loss of record i is

.. math:: \ell_i = \max_x \left|\ln\frac{P(x)}{P_{-i}(x)}\right| .

It suffices to consider individual outputs x: the probability ratio of a set of outputs is between
the smallest and the largest ratio of its elements.

**The linear form of pDP.**  With :math:`\tau = 1-(1-1/n)e^{-\varepsilon}` and
:math:`\sigma = 1-(1-1/n)e^{\varepsilon}`,

.. math:: \ell_i \le \varepsilon \iff \sigma S(x) \le p_i(x) \le \tau S(x) \text{ for all } x .

Proof: :math:`P/P_{-i} = (1-1/n)\,S/(S-p_i)`; solve the two inequalities for :math:`p_i`.
If :math:`\varepsilon \ge \ln\frac{n}{n-1}`, then :math:`\sigma \le 0` and the left inequality is
trivial.

A comparison of doubles can be wrong if τ is very close to 1 or if :math:`p_i(x)` is very close to
:math:`\tau S(x)`.  The game therefore compares whole numbers: its kernels contain multiples of
2⁻⁵², so S is exact, and τ and σ are replaced by fractions that always give the same answer.

The functions here take one kernel row per record, or one per group of identical records, and the
mass S; :class:`pdpbook.NVOGame` assembles both from a strategy profile.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pdpbook import _exact, _loops, _validate

__all__ = ["linear_limits", "privacy_losses", "records_needed"]

#: If the relative distance of ε from ln(n/(n-1)) is below this number, rounding dominates σ.
_ROUNDING = 1e-12


def linear_limits(n: int, epsilon: float) -> tuple[float, float]:
    r"""Return the two slopes of the linear form of pDP.

    Parameters
    ----------
    n : int, >= 2
    epsilon : float, ε > 0

    Returns
    -------
    tau, sigma : float
        The slopes :math:`1-(1-1/n)e^{-\varepsilon}` and :math:`1-(1-1/n)e^{\varepsilon}`.  The
        second is positive only if :math:`\varepsilon < \ln(n/(n-1))`, and it is 0 if ε equals this
        number up to a relative error of 1e-12; for large n, compute the number as
        ``-log1p(-1 / n)``.  The game does not use these two doubles, but decides without rounding.

    Notes
    -----
    The promise is about the removal of the record, not about its replacement.  Source: this book,
    the linear form of pDP.  Taught in *ε-DP and ε-pDP*.  Both slopes are computed without
    cancellation, even for a billion records.

    Examples
    --------
    >>> tau, sigma = linear_limits(100, epsilon=1.0)
    >>> round(tau, 4), round(sigma, 4)
    (0.6358, -1.6911)
    """
    n = _validate.integer("n", n, at_least=2)
    epsilon = _validate.number("epsilon", epsilon, above=0.0)
    if epsilon > 700.0:
        return 1.0, -math.inf
    tau = -math.expm1(-epsilon) + math.exp(-epsilon) / n
    sigma = -math.expm1(epsilon) + math.exp(epsilon) / n
    # sigma n is the relative distance of epsilon from ln(n/(n-1)), at which the lower side vanishes
    return tau, sigma if abs(sigma) * n > _ROUNDING else 0.0


def target(n: int, epsilon: float, delta: float) -> _loops.Target:
    """Return a privacy target for the compiled loops; the arguments have been checked.

    A delta below 2**-400 counts as 0.
    """
    tau, sigma = linear_limits(n, epsilon)
    most, least = _exact.limits(n, epsilon)
    growth = 1 / _exact.exp_of_minus(epsilon, 256)[1]
    parts = []
    for _ in range(3):
        parts.append(float(growth))
        growth -= Fraction(parts[-1])
    parts[-1] = math.nextafter(parts[-1], -math.inf)
    return _loops.Target(
        n,
        epsilon,
        delta if delta > 2.0**-400 else 0.0,
        tau,
        sigma,
        _slope(most.denominator, most.numerator),
        _slope(least.numerator, least.denominator),
        (parts[0], parts[1], parts[2]),
    )


def _slope(of_mass: int, of_row: int) -> _loops.Slope:
    """Return a slope for the loops: ``of_row``, of at most 105 bits, as a sum of two doubles."""
    nearest = float(of_row)
    return _loops.Slope(float(of_mass), nearest, float(of_row - int(nearest)))


def records_needed(n: int, epsilon: float) -> int:
    r"""Return how many records a bin must contain so that they are private without noise.

    Without noise, the whole mass of a record is on its own bin.  With m records in this bin,
    :math:`p_i = S/m`, and the linear form of pDP requires :math:`m \ge 1/\tau`.

    Parameters
    ----------
    n : int, >= 2
    epsilon : float
        At least :math:`\ln(n/(n-1))`, to a relative error of 1e-12.  For a smaller ε, a record
        without noise is exposed by the outputs that it never reaches, unless no other record
        reaches them either.

    Returns
    -------
    int
        The smallest m that makes the records private, computed without rounding.

    Notes
    -----
    The promise is about the removal of the record, not about its replacement.  Source: footnote 2
    of Ryu, Jang & Yang (2024), made exact.  Taught in *ε-DP and ε-pDP*.

    Examples
    --------
    >>> records_needed(1317, epsilon=1.0), records_needed(1317, epsilon=0.1)
    (2, 11)
    """
    _, sigma = linear_limits(n, epsilon)
    if sigma > 0.0:
        raise _validate.fail(
            "epsilon", f"at least ln(n/(n-1))={-math.log1p(-1.0 / n)!r}", float(epsilon)
        )
    most, _ = _exact.limits(int(n), float(epsilon))  # private if most <= S / p = m
    return max(2, math.ceil(most))


def privacy_losses(rows: ArrayLike, mass: ArrayLike, n: int) -> NDArray[np.float64]:
    r"""Return the pDP loss of each record, from the definition.

    Parameters
    ----------
    rows : array_like, shape (r, K)
        Output distribution :math:`p_i` of each record whose loss is computed.
    mass : array_like, shape (K,)
        Mass :math:`S(x)` of all n records together, including these r records; it sums to n.
    n : int, >= 2

    Returns
    -------
    ndarray, shape (r,)
        The loss :math:`\ell_i` in nats, infinite if only this record reaches some output.  The
        maximum is over all outputs that any record reaches; an output that the record itself never
        reaches contributes :math:`\ln(n/(n-1))`.  The loss is rounded up by a few units in the last
        place of the loss or of :math:`\ln\frac n{n-1}`, whichever is larger, so it is an upper
        bound for the given rows and mass.  It does not account for rounding errors in these
        arguments.

    Notes
    -----
    The promise is about the removal of the record, not about its replacement.  Source: definition 2
    of Ryu, Jang & Yang (2024), in both directions.  Taught in *ε-DP and ε-pDP*.

    Examples
    --------
    Two records share a bin and a third is alone, all without noise:

    >>> rows = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    >>> privacy_losses(rows, rows.sum(axis=0), n=3)
    array([0.40546511, 0.40546511,        inf])
    """
    rows, mass, n = rows_and_mass(rows, mass, n)
    rows = np.require(rows, requirements="W")  # numba would recompile for a read-only array
    pair = np.array([mass, np.zeros_like(mass)])  # the loops take the mass and its rounding error
    return np.array([_loops.privacy_loss(row, pair, n) for row in rows])


def rows_and_mass(
    rows: ArrayLike, mass: ArrayLike, n: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], int]:
    """Return checked rows, mass and number of records."""
    n = _validate.integer("n", n, at_least=2)
    total = _validate.finite_vector("mass", mass)
    array = np.ascontiguousarray(_validate.numeric("rows", rows), dtype=np.float64)
    if array.ndim != 2 or array.shape[1] != total.size:
        raise ValueError(
            f"rows must have shape (records, {total.size}), got rows of shape {array.shape}"
        )
    if not np.isfinite(array).all() or (array < 0).any():
        raise ValueError(f"rows must be finite and >= 0, got a smallest entry of {array.min()!r}")
    with np.errstate(over="ignore"):
        covered, whole = total * (1.0 + 1e-9), float(total.sum())
        worst = float((array - total).max(initial=0.0))
    if (array > covered).any():
        raise ValueError(f"rows must not exceed mass, got a row that exceeds it by {worst!r}")
    if abs(whole - n) > 1e-6 * n:
        raise ValueError(f"mass must sum to n={n}, got a sum of {whole!r}")
    return array, total, n
