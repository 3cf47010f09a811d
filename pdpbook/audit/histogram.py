r"""The DP histogram: noisy counts, and a distribution estimated from them.

One record changes one count by one.  Counts with two-sided geometric noise,
:math:`\Pr[Z=z]\propto e^{-\varepsilon|z|}`, are therefore ε-differentially private.  By
post-processing, all results computed from the counts are also private, including any number of
draws from an estimated distribution.  The estimate of :func:`dp_histogram` is the posterior mean of
:mod:`pdpbook.audit.count_posterior`, which removes most of the noise in the empty bins.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pdpbook import _validate
from pdpbook.audit.count_posterior import posterior_from_noise
from pdpbook.foundations.mechanisms import geometric_mechanism

__all__ = ["dp_histogram"]


def dp_histogram(
    counts: ArrayLike, *, epsilon: float, rng: np.random.Generator | None = None
) -> NDArray[np.float64]:
    """Return a distribution from which any number of values may be drawn at no further cost.

    Parameters
    ----------
    counts : array_like of int, shape (K,)
        Histogram of the data, on a public grid; it may be empty.
    epsilon : float
        Privacy level, from 1e-12 to 36.
    rng : numpy.random.Generator, optional
        For a release, leave it out: the default is the generator of the operating system.

    Returns
    -------
    ndarray, shape (K,)
        A positive distribution, ε-differentially private for every data set under the removal of
        one record; the number of records is not public.

    Notes
    -----
    Source: Ghosh, Roughgarden & Sundararajan (2009) for the noise; the estimate is this book's.
    Taught in *What would you have used instead?*

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> dp_histogram([0, 40, 60, 0, 0, 0], epsilon=1.0, rng=rng).round(3)
    array([0.   , 0.408, 0.587, 0.   , 0.   , 0.004])
    """
    counts = _validate.counts_vector("counts", counts, records=0)
    noisy = geometric_mechanism(counts, epsilon=epsilon, rng=rng)
    return posterior_from_noise(noisy, epsilon=epsilon).distribution
