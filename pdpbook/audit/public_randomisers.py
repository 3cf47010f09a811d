r"""Local randomisers that are learned from public data.

Suppose that last season's records are public and that this season's records come from the same
source.  A randomiser that is learned from the public records does not depend on the private data,
so the fixed-noise loss of a private record is also its end-to-end loss.  But some of the records on
which the randomiser relies may be missing this season.

:func:`likely_counts` returns a lower bound on the private counts that is valid with a stated
probability.  Let the N public and n private people be exchangeable: each choice of n private people
among the N + n is equally likely.  If s of all people are in bin k, the number of private people
among them is hypergeometric, for every source.  If a is the number of public people in the bin, a
value c is *rejected* if :math:`\Pr[C\le c\mid s=a+c]\le\beta/K`, and the lower bound is the first
value that is not rejected.  The bound fails in a bin only if the true count is rejected, which has
probability at most β/K; so the bound fails in some bin with probability at most β.

:func:`public_randomiser` is the best randomiser that is safe for this bound.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pdpbook import _validate
from pdpbook.audit.count_posterior import posterior_from_public
from pdpbook.audit.randomiser_program import ACTIONS
from pdpbook.audit.safe_randomisers import best_safe_randomiser

__all__ = ["likely_counts", "public_randomiser"]

MOST_PEOPLE = 10**9  #: with more public people, the range of likely counts becomes too long
SMALLEST = 1e-290  #: smaller probabilities are not distinguished from 0
#: A probability is multiplied by this factor before a count is rejected; it exceeds the rounding
#: error of sums of millions of logarithms.
MARGIN = 1e-6


def likely_counts(public: ArrayLike, n: int, *, miss: float) -> NDArray[np.int64]:
    """Return a lower bound on the histogram of n other people, valid with high probability.

    Parameters
    ----------
    public : array_like of int, shape (K,)
        Histogram of the public people, from 2 to 10⁹ of them.
    n : int
        Number of the other people, from 1 to 2⁵³; the bound is also valid for more people.
    miss : float
        Probability β in (0, 1) with which some count may be lower than the bound, over the choice
        of the public people; at least 1e-290 times the number of bins.

    Returns
    -------
    ndarray of int, shape (K,)

    Notes
    -----
    The probabilities are computed in doubles and raised by a millionth before a count is rejected.
    So rounding can make the bound smaller than necessary, but not less likely to be valid.  Proved
    in *Noise learned from public data*.

    Examples
    --------
    >>> likely_counts([100, 20, 3, 0], n=123, miss=0.01)
    array([80,  6,  0,  0])
    """
    counts = _validate.counts_vector("public", public)
    size = int(counts.sum())
    if size > MOST_PEOPLE:
        raise ValueError(f"public must count at most {MOST_PEOPLE} people, got {size}")
    n = _validate.integer("n", n, at_least=1)
    miss = _validate.number("miss", miss, above=0.0, below=1.0)
    level = miss / counts.size
    if level < SMALLEST:
        raise _validate.fail("miss", f"at least {SMALLEST:g} for each of the bins", miss)
    return np.array([_first_accepted(each, size, n, level) for each in counts.tolist()])


def _first_accepted(count: int, size: int, n: int, level: float) -> int:
    """Return the smallest count of n people that is not rejected, given a public count."""
    low, high = -1, n  # the count ``high`` is never rejected
    while high - low > 1:
        middle = (low + high) // 2
        # Pr[C <= c | a + c] is the probability of at least a public people
        chance = _chance_of_more(count, size, n, count + middle, level)
        accepted = chance * (1.0 + MARGIN) > level
        low, high = (low, middle) if accepted else (middle, high)
    return high


def _chance_of_more(count: int, size: int, n: int, special: int, level: float) -> float:
    """Return the probability that at least ``count`` of the ``special`` people are public.

    This is the upper tail of a hypergeometric variable: ``size`` of ``size`` + n people are public.
    To avoid cancellation, the probabilities are computed from their ratios.  Bernstein's inequality
    gives a range outside which the probability is less than a billionth of ``level``.
    """
    first, last = max(0, special - n), min(special, size)
    if not first < count <= last:
        return 1.0 if count <= first else 0.0
    total = size + n
    mean = size * (special / total)
    variance = min(mean * ((total - special) / total), mean * (n / total))
    rarity = math.log(2e9) - math.log(level)
    reach = rarity / 3.0 + math.sqrt((rarity / 3.0) ** 2 + 2.0 * rarity * variance)
    start, stop = max(first, math.floor(mean - reach)), min(last, math.ceil(mean + reach))
    if not start < count <= stop:
        return 1.0 if count <= start else 0.0
    j = np.arange(start, stop, dtype=float)
    ratio = np.log((special - j) / (j + 1.0)) + np.log((size - j) / (n - special + 1.0 + j))
    weight = np.concatenate([[0.0], np.cumsum(ratio)])
    chance = np.exp(weight - weight.max())
    return float(chance[count - start :].sum() / chance.sum())


def public_randomiser(
    public: ArrayLike, n: int, epsilon: float, *, miss: float, actions: str = "rows"
) -> NDArray[np.float64]:
    """Return a randomiser learned from public data, with a margin.

    Parameters
    ----------
    public : array_like of int, shape (K,)
        Histogram of 2 to 10⁹ public records from the same source as the private records.
    n : int
        Number of private records, from 1 to 2⁵³; all are protected even if there are more than n.
    epsilon : float
        Privacy target for every record's loss from one draw.
    miss : float
        Probability β with which some record may be exposed, as for :func:`likely_counts`.
    actions : {"rows", "blur", "laplace"}
        The kind of rows; see :func:`pdpbook.audit.safe_randomiser`.

    Returns
    -------
    ndarray, shape (K, K)
        With probability at least 1 - β over the choice of the public people, every private record
        is ε-pDP; because the randomiser is fixed, ε bounds its end-to-end loss.

    Notes
    -----
    Neighbouring data sets differ by the removal of one record.  Source: this book.  Taught in
    *Noise learned from public data*.

    Examples
    --------
    >>> from pdpbook.audit.safe_randomisers import is_safe
    >>> randomiser = public_randomiser([60, 40, 1], 100, 1.0, miss=0.01)
    >>> is_safe(randomiser, likely_counts([60, 40, 1], 100, miss=0.01), epsilon=1.0)
    True
    """
    lower = likely_counts(public, n, miss=miss)
    epsilon = _validate.number("epsilon", epsilon, above=0.0)
    actions = _validate.choice("actions", actions, *ACTIONS)
    return best_safe_randomiser(posterior_from_public(public, n), lower, epsilon, actions=actions)
