r"""Randomisers that are safe for every data set above a lower bound.

Suppose that only a lower bound on a data set is known: bin k contains at least :math:`\ell_k`
records, and the data set contains at least N records.  This module finds rows :math:`p_k` that
protect every record of every such data set.  Let :math:`\ell\vee e_k` be ℓ with at least one record
in bin k.  A randomiser is *safe at ε* if all its rows are equal, or if for every bin k, occupied or
not, and every output x

.. math:: p_k(x)\ \le\ (1-e^{-\varepsilon})\,\Bigl(\sum_j(\ell\vee e_k)_j\,p_j(x)
          + \bigl(N-|\ell\vee e_k|\bigr)^+\,\min_jp_j(x)\Bigr) .

The bracket is the smallest mass S(x) that such a data set with a record in bin k can have, and
:math:`p_i\le(1-e^{-\varepsilon})S` is the linear form of pDP with its slope replaced by the infimum
over all n.  Therefore the condition remains true when records are added.  Summed over x, it says
that :math:`n\ge1/(1-e^{-\varepsilon})`, so the lower side of the linear form is also satisfied.

The condition is linear in the rows.  :func:`safe_randomiser` minimises a convex function of the
rows, the expected divergence :math:`\E\,n\,D_{\mathrm{KL}}(q\,\|\,P)` given the known counts.  Its
term for bin x is :math:`-c_x\ln(c_xp_x(x)+o_x)`, where :math:`o_x` is the mass that the other bins
are expected to put on x.  The divergence has many optima, and the second criterion of
:mod:`pdpbook.audit.randomiser_program` decides between them: among randomisers of the same
divergence, it selects the randomiser whose rows are closest to releasing every record as itself.
So the optimum is unique and does not depend on the order in which a machine adds numbers.

Newton's method finds the optimum by solving one quadratic program in each step.  A step is
shortened until the objective falls, and the method ends after a step that changes no probability by
more than a ten-millionth.  After each step, a small share of a constant row compensates for
rounding.  Finally the rows are rounded to multiples of 2⁻⁵², the probabilities of the sampler, and
the condition is checked in whole numbers without a tolerance, independently of the solver.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pdpbook import _exact, _validate
from pdpbook.audit.count_posterior import CountPosterior, noisy_counts, posterior_from_noise
from pdpbook.audit.randomiser_program import ACTIONS, RandomiserProgram
from pdpbook.foundations.grid_noise import whole_weights

__all__ = ["best_safe_randomiser", "is_safe", "safe_randomiser"]

_GROUPS = 16  #: values of a count that the objective distinguishes
_STEPS = 60  #: largest number of steps of Newton's method
_STILL = 1e-7  #: largest change of a probability at which the method ends
_EQUAL = 1e-14  #: rounding error of the objective, which is in units of a constant row's objective
_HALVES = 30  #: number of times that a step is halved before the method ends
_SLACK = 1e-12  #: slack of the condition during the search; larger than the rounding error of sums
#: Shares of a constant row that are tried if a record could not be released as itself.
_TRACES = (1e-12, 1e-9, 1e-6, 1e-3, 1.0)
#: Shares of a constant row that are tried if the whole numbers violate the condition.
_SHARES = 10.0 ** np.arange(-15.0, 1.0)


def is_safe(randomiser: ArrayLike, lower: ArrayLike, *, epsilon: float, at_least: int = 0) -> bool:
    r"""Return whether a randomiser protects every record of every data set above a lower bound.

    Parameters
    ----------
    randomiser : array_like, shape (K, K)
        Row k is the output distribution of a record of bin k.
    lower : array_like of int, shape (K,)
        Smallest possible number of records in bin k.
    epsilon : float
        Privacy target for every record's loss from one draw.
    at_least : int
        A public lower bound on the number of records.

    Returns
    -------
    bool
        Whether the rows from which :func:`~pdpbook.audit.draw_released` draws, in multiples of 2⁻⁵²
        (:func:`~pdpbook.foundations.grid_noise.whole_weights`), satisfy the condition of this
        module; this is decided without rounding.  The number :math:`1-e^{-\varepsilon}` is rounded
        down by less than one part in 2²⁰⁰.  The condition is sufficient: every record of every data
        set of at least ``at_least`` records with counts of at least ``lower`` is ε-pDP; because the
        randomiser is fixed, ε bounds its end-to-end loss.

    Notes
    -----
    Neighbouring data sets differ by the removal of one record.  Proved in *A repair*.

    Examples
    --------
    >>> randomiser = [[0.9, 0.1], [0.1, 0.9]]
    >>> is_safe(randomiser, [20, 0], epsilon=1.0), is_safe(randomiser, [3, 0], epsilon=1.0)
    (True, False)
    """
    table = _validate.row_matrix("randomiser", randomiser, square=True)
    counts = _lower_counts(lower, len(table), "randomiser")
    epsilon = _validate.number("epsilon", epsilon, above=0.0)
    at_least = _validate.integer("at_least", at_least, at_least=0)
    return _keeps(whole_weights(table), counts, epsilon, at_least)


def safe_randomiser(
    noisy: ArrayLike,
    lower: ArrayLike,
    *,
    epsilon: float,
    actions: str = "rows",
    histogram_epsilon: float | None = None,
    at_least: int = 0,
) -> NDArray[np.float64]:
    """Return the randomiser with the smallest expected divergence that is safe for a lower bound.

    The randomiser is computed from the arguments alone, without the data and without randomness, so
    it may be published with them.  Many randomisers have nearly the smallest divergence.  Of these,
    the function returns the one whose rows are closest, by the sum of squares, to releasing every
    record as itself; so all machines agree to about six digits.  This increases the divergence by
    at most a thousandth of a constant row's divergence or a millionth of a nat, whichever is
    larger.

    Parameters
    ----------
    noisy : array_like of int, shape (K,)
        The known counts; entries below 0 count as 0 if ``histogram_epsilon`` is None.
    lower : array_like of int, shape (K,)
        Smallest possible number of records in bin k.
    epsilon : float
        Privacy target for every record's loss from one draw.
    actions : {"rows", "blur", "laplace"}
        The kind of rows: any distribution; any mixture of the record's own bin, the uniform
        distribution and the estimated distribution; any mixture of the uniform row and truncated
        Laplace rows with scales from 1/20 of a bin to 32 bins.
    histogram_epsilon : float, optional
        Level ε₁ of the two-sided geometric noise in ``noisy``.  The randomiser is then optimal on
        average over the posterior of the true counts (:func:`pdpbook.audit.posterior_from_noise`);
        by default the noisy counts are taken as true, and the randomiser is fitted to the noise.
    at_least : int
        A public lower bound on the number of records.

    Returns
    -------
    ndarray, shape (K, K)
        Row k is the output distribution of a record of bin k, in multiples of 2⁻⁵².  If only
        constant randomisers are safe, every row is the estimated distribution.  The diagonal is
        positive, so the divergence is finite for all data.

    See Also
    --------
    pdpbook.audit.private_randomiser : the whole mechanism, with its lower bound.

    Notes
    -----
    Neighbouring data sets differ by the removal of one record.  Source: this book.  Taught in *A
    repair*.

    Examples
    --------
    Two full bins, and an empty bin that may contain a record:

    >>> randomiser = safe_randomiser([40, 60, 1], [30, 50, 0], epsilon=1.0, histogram_epsilon=1.0)
    >>> is_safe(randomiser, [30, 50, 0], epsilon=1.0)
    True
    """
    counts = noisy_counts(noisy)
    bound = _lower_counts(lower, counts.size, "noisy")
    epsilon = _validate.number("epsilon", epsilon, above=0.0)
    actions = _validate.choice("actions", actions, *ACTIONS)
    at_least = _validate.integer("at_least", at_least, at_least=0)
    if histogram_epsilon is None:
        known = np.maximum(counts, 0).astype(float)[:, None]
        posterior = CountPosterior(known, np.ones_like(known))
    else:
        level = _validate.number(
            "histogram_epsilon", histogram_epsilon, at_least=1e-12, at_most=700.0
        )
        posterior = posterior_from_noise(counts, epsilon=level)
    return best_safe_randomiser(posterior, bound, epsilon, actions=actions, at_least=at_least)


def best_safe_randomiser(
    posterior: CountPosterior,
    lower: NDArray[np.int64],
    epsilon: float,
    *,
    actions: str = "rows",
    at_least: int = 0,
) -> NDArray[np.float64]:
    r"""Return the safe randomiser with the smallest objective; it is unique.

    Summed over x, the condition of this module says that :math:`1-e^{-\varepsilon}` times the
    number of records that are certainly present is at least 1.  If so, constant rows satisfy it;
    otherwise no rows do, and every row of the result is the estimated distribution.

    The objective is the expected divergence plus a thousandth of the second criterion of
    :mod:`pdpbook.audit.randomiser_program`, in units of the divergence of a constant row, or of a
    thousandth of a nat if that is larger.

    Among very many records, for example 10¹⁴, a bin of a few records has a share below the
    tolerance of the quadratic program, which may then give this output no mass.  If the bin is
    occupied, the divergence is infinite.  In this case a share of a constant row is mixed in,
    chosen to minimise the objective; a mixture of safe rows with a constant row is safe.
    """
    found = _smallest(posterior, lower, epsilon, actions, at_least)
    constant = _positive(posterior.distribution)
    for share in (0.0, *_SHARES):
        weights = whole_weights((1.0 - share) * found + share * constant)
        if _keeps(weights, lower, epsilon, at_least):
            break
    return weights / float(_exact.UNITS)  # with the last share all rows are equal


def _smallest(
    posterior: CountPosterior,
    lower: NDArray[np.int64],
    epsilon: float,
    actions: str,
    at_least: int,
) -> NDArray[np.float64]:
    """Return the randomiser with the smallest objective, safe up to rounding."""
    estimate = posterior.distribution
    constant = np.tile(estimate, (lower.size, 1))
    certain = np.maximum(lower.sum() + (lower == 0), at_least).min()
    if -math.expm1(-epsilon) * certain < 1.0:
        return constant
    program = RandomiserProgram(posterior.lumped(_GROUPS), lower, epsilon, actions, at_least)
    best = _made_safe(program.step(constant), estimate, lower, epsilon, at_least)
    value = program.value(best)
    for _ in range(_STEPS):
        rows = _made_safe(program.step(best), estimate, lower, epsilon, at_least)
        length = float(np.abs(rows - best).max())
        for part in 0.5 ** np.arange(_HALVES):
            moved = (1.0 - part) * best + part * rows  # a mixture of safe randomisers is safe
            if program.value(moved) <= value + _EQUAL * (1.0 + value):
                break
        else:
            break
        best, value = moved, program.value(moved)
        if part * length <= _STILL:
            break
    if program.value(constant) <= value:
        return constant
    if best.diagonal().all():
        return best
    mixtures = [(1.0 - share) * best + share * constant for share in _TRACES]
    safe = [_made_safe(each, estimate, lower, epsilon, at_least) for each in mixtures]
    return min(safe, key=program.value)


def _lower_counts(lower: ArrayLike, bins: int, other: str) -> NDArray[np.int64]:
    """Return a lower bound on every count: one whole number >= 0 per bin."""
    counts = _validate.counts_vector("lower", lower, records=0)
    _validate.same_length(other, np.zeros(bins), "lower", counts)
    return counts


def _caps(
    randomiser: NDArray[np.float64], lower: NDArray[np.int64], epsilon: float, at_least: int
) -> NDArray[np.float64]:
    """Return the right side of the condition, shape (K, K)."""
    empty = (lower == 0).astype(float)
    more = np.maximum(at_least - (lower.sum() + empty), 0.0)
    mass = lower @ randomiser + empty[:, None] * randomiser + more[:, None] * randomiser.min(axis=0)
    return -math.expm1(-epsilon) * mass


def _keeps(
    weights: NDArray[np.int64], lower: NDArray[np.int64], epsilon: float, least: int
) -> bool:
    """Return whether the condition is true in whole numbers; doubles decide the clear cases."""
    if (weights == weights[0]).all():
        return True
    rows = weights / float(_exact.UNITS)
    caps, slack = _caps(rows, lower, epsilon, least), max(_SLACK, rows.size * 2.0**-52)
    if (rows > caps * (1.0 + slack)).any():
        return False
    share = 1 - _exact.exp_of_minus(epsilon, 256)[1]
    sizes, records = lower.tolist(), int(lower.sum())
    for x in np.flatnonzero((rows > caps * (1.0 - slack)).any(axis=0)):
        column = weights[:, x].tolist()
        mass = sum(size * each for size, each in zip(sizes, column, strict=True))
        smallest = min(column)
        for size, each in zip(sizes, column, strict=True):
            alone = size == 0
            more = max(least - records - alone, 0)
            if each > share * (mass + alone * each + more * smallest):
                return False
    return True


def _positive(estimate: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a randomiser with equal rows, which reach every output."""
    return np.tile((estimate + 1.0 / estimate.size) / 2.0, (estimate.size, 1))


def _made_safe(
    rows: NDArray[np.float64],
    estimate: NDArray[np.float64],
    lower: NDArray[np.int64],
    epsilon: float,
    at_least: int,
) -> NDArray[np.float64]:
    """Mix into the rows the smallest share of a constant row that makes them safe.

    Both sides of the condition are linear except for the minimum, which is concave; so the excess
    of a mixture is at most the mixture of the excesses.
    """
    rows = np.maximum(rows, 0.0)
    rows /= rows.sum(axis=1, keepdims=True)
    constant = _positive(estimate)
    excess = rows - _caps(rows, lower, epsilon, at_least)
    spare = _caps(constant, lower, epsilon, at_least) - constant
    room = excess + spare  # at most 0 only by rounding, if constant rows are barely safe
    share = np.divide(excess, room, out=(excess > 0.0).astype(float), where=room > 0.0)
    least = max(float(share.max()), 0.0)
    for more in (1.0, 1.0 + 1e-9, 2.0, math.inf):  # rounding may require a slightly larger share
        part = min(least * more + (more > 1.0) * 1e-15, 1.0)
        mixed = (1.0 - part) * rows + part * constant
        if (mixed <= _caps(mixed, lower, epsilon, at_least) * (1.0 + _SLACK)).all():
            return mixed
    return constant
