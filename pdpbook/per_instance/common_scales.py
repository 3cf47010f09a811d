r"""A common noise scale for all records, as small as the data allow.

Theorem 1′ gives a common scale that is safe for *every* data set.  A custodian who may look at the
data, as the players of the game do, can choose a smaller scale, at which every record of *this*
data set is private.  The common scale needs no game and is a single number.  It makes the same
promise as the equilibria of the game, for which the noise of the other records is also held fixed,
so it is the baseline against which the book measures the gain from individual noise.

The search goes down from the safe scale on a geometric ladder to the first scale at which a record
is exposed, and then bisects the last step.  In thousands of random data sets, the largest loss
under the ideal noise never fell when the common scale did.  But the search examines, without
rounding, the kernel in whole numbers that a game makes from the scale, and the largest loss under
this kernel may fall when the scale does: for the heights at ε = 0.1, padded for this ε, the search
ends at 0.0039511, but all records are also private at 0.0039488.  So a smaller scale than the one
that the search returns may also be private.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pdpbook import _loops, _validate
from pdpbook._exact import UNITS, private_for_all_data
from pdpbook.foundations.grid_noise import whole_weights
from pdpbook.per_instance.noise_kernels import laplace_kernel
from pdpbook.per_instance.privacy_loss import target
from pdpbook.per_instance.scale_bounds import scale_bound

__all__ = ["common_scale", "widening"]

#: Smallest target.
_SMALLEST = 1e-15
#: Ratio of two rungs of the ladder.
_RUNG = 0.98
#: With a scale of 1/50 of a bin, a record leaves its bin with probability below e^-25: no noise.
_NO_NOISE = 0.02


def common_scale(counts: ArrayLike, *, epsilon: float) -> float:
    """Return a Laplace scale at which every record of a data set is private, found from above.

    All records carry truncated Laplace noise of the same scale.

    Parameters
    ----------
    counts : array_like of int, shape (K,)
        Histogram of the data, at least two records in at least two bins.
    epsilon : float, from 1e-15
        The largest pDP loss that a record may have.

    Returns
    -------
    float
        The scale, in units of the grid; 0.0, which means no noise to
        :class:`pdpbook.PerInstanceLaplace`, if no record needs noise.  All records are private at
        this scale and at every larger scale of a ladder with steps of 2 %, which ends where Theorem
        1′ makes the ideal kernel private.  At a scale that is smaller by one part in 10⁹, a record
        is exposed, unless almost no record leaves its bin there.  At some smaller scales, all
        records may be private again.  If ε is so small that the rounding to multiples of 2⁻⁵²
        matters, the ladder begins at a larger scale.

    Notes
    -----
    The promise is about the removal of the record, not about its replacement.  Source: this book.
    Taught in *The game*, as the baseline of the game.

    Examples
    --------
    >>> b = common_scale([0, 4, 2, 0, 1], epsilon=1.0)
    >>> round(b, 3), round(scale_bound(7, 1.0), 3)
    (0.196, 0.39)
    """
    counts = _validate.counts_vector("counts", counts)
    epsilon = _validate.number("epsilon", epsilon, at_least=_SMALLEST)

    judged = target(int(counts.sum()), epsilon, 0.0)
    safe = scale_bound(judged.n, epsilon)
    while not _all_private(counts, laplace_kernel(counts.size, safe), judged):
        safe /= _RUNG
    exposed = safe * _RUNG
    while _all_private(counts, laplace_kernel(counts.size, exposed), judged):
        safe, exposed = exposed, exposed * _RUNG
        if exposed * counts.size < _NO_NOISE:
            without_noise = np.eye(counts.size)[None]
            return 0.0 if _all_private(counts, without_noise, judged) else safe
    while safe - exposed > 1e-9 * safe:
        middle = math.sqrt(safe * exposed)
        if _all_private(counts, laplace_kernel(counts.size, middle), judged):
            safe = middle
        else:
            exposed = middle
    return safe


def _all_private(
    counts: NDArray[np.int64], ideal: NDArray[np.float64], judged: _loops.Target
) -> bool:
    """Whether all records are private when all have the noise of one kernel, shape (1, K, K)."""
    kernel, mass = whole_weights(ideal) / UNITS, np.empty((2, counts.size))
    profile = counts[:, None].copy()
    kernel.setflags(write=False)  # read-only like that of a game, for which the loops are compiled
    frequency = counts / judged.n
    frequency.setflags(write=False)
    _loops.mixture(profile, kernel, mass)
    game = _loops.Game(kernel, frequency, judged)
    return bool(_loops.count_private(game, profile, mass, judged.n) == judged.n)


def widening(n: int, epsilon: float, *, bins: int) -> float:
    """Return the relative excess over b* at which the noise in whole numbers is also safe.

    Theorem 1′ is about the ideal noise, but releases are drawn from a kernel in whole numbers.
    """
    more, bound = 1e-9, scale_bound(n, epsilon)
    while not private_for_all_data(
        whole_weights(laplace_kernel(bins, [bound * (1.0 + more)])[0]), n, epsilon
    ):
        more *= 2.0
    return more
