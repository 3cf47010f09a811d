r"""Four measures of the distance between a release and the data.

All four compare the distribution q of the data with the distribution P of a released value, both on
the same K bins.  They are the measures of Ryu, Jang & Yang (2024), section VI:

- the Kullback–Leibler divergence :math:`D_{\mathrm{KL}}(q\,\|\,P)`, which the game minimises
  (:func:`pdpbook.kl_divergence`);
- the absolute difference of the two standard deviations, which can be understood in two ways
  (:func:`sd_loss`);
- the Jaccard index of the two sets of bins whose probability exceeds a threshold;
- the cosine of the angle between the two vectors.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pdpbook import _validate

__all__ = ["cosine_similarity", "jaccard_index", "sd_loss", "sd_loss_limit"]


def sd_loss(p: ArrayLike, q: ArrayLike, *, values: ArrayLike | None = None) -> float:
    """Return the absolute difference of two standard deviations.

    The phrase "L1 loss of standard deviation" can be read in two ways, and this function offers
    both.  With ``values``, it uses the standard deviation of the *data*, their spread around the
    mean.  Without ``values``, it uses the standard deviation of the K *probabilities* as numbers,
    which measures how uneven the histogram is; the published figures have this magnitude.

    Parameters
    ----------
    p, q : array_like, shape (K,)
        Probability vectors.
    values : array_like, shape (K,), optional
        The value of each bin, such as ``grid.midpoints``.

    Returns
    -------
    float
        The difference, in the unit of ``values``; without them, a difference of probabilities.

    Notes
    -----
    Source: Ryu, Jang & Yang (2024), section VI.  Taught in *Experiment 1: heights*.

    Examples
    --------
    The data move from the ends to the middle, but the histogram is just as uneven:

    >>> p, q = [0.5, 0.0, 0.5], [0.0, 1.0, 0.0]
    >>> sd_loss(p, q, values=[-1.0, 0.0, 1.0])
    1.0
    >>> sd_loss([0.5, 0.5, 0.0], [0.0, 0.5, 0.5])
    0.0
    """
    p, q = _validate.distributions("p", p, "q", q)
    if values is None:
        return float(abs(p.std() - q.std()))
    places = _validate.finite_vector("values", values)
    if places.shape != p.shape:
        raise ValueError(f"values must have length {p.size}, got values of length {places.size}")
    return abs(_sd(p, places) - _sd(q, places))


def sd_loss_limit(cosine: float, sd: float, *, bins: int = 101) -> float:
    """Return the largest SD loss of probabilities that a cosine similarity allows.

    If φ is the angle between a probability vector and the uniform vector, the standard deviation of
    its K entries is tan(φ)/K.  If the angle between p and q is θ, their angles with the uniform
    vector differ by at most θ.

    Parameters
    ----------
    cosine : float, in (0, 1)
        Cosine similarity of the two distributions.
    sd : float, > 0
        Standard deviation of the K probabilities of the data.
    bins : int, K >= 2

    Returns
    -------
    float
        Infinite if the angle allows any SD.

    Notes
    -----
    Source: this book.  Proved in *Replication*.

    Examples
    --------
    >>> round(sd_loss_limit(0.9997, 0.028), 4)
    0.0023
    """
    theta = math.acos(_validate.number("cosine", cosine, above=0.0, below=1.0))
    sd = _validate.number("sd", sd, above=0.0)
    bins = _validate.integer("bins", bins, at_least=2)
    phi = math.atan(bins * sd)
    if phi + theta >= math.pi / 2:
        return math.inf
    return (math.tan(phi + theta) - math.tan(phi)) / bins


def jaccard_index(p: ArrayLike, q: ArrayLike, *, threshold: float = 0.001) -> float:
    """Return the Jaccard index of the sets of bins whose probability exceeds a threshold.

    Parameters
    ----------
    p, q : array_like, shape (K,)
        Probability vectors.
    threshold : float, in [0, 1)
        Probability that a bin must exceed to count.

    Returns
    -------
    float
        Size of the intersection divided by size of the union, in [0, 1]; 1 if no bin exceeds the
        threshold in either vector.

    Notes
    -----
    Source: Ryu, Jang & Yang (2024), section VI, with the threshold 0.001; the caption of table 3
    states 0.015.  Taught in *Experiment 1: heights*.

    Examples
    --------
    >>> round(jaccard_index([0.5, 0.5, 0.0, 0.0], [0.4, 0.3, 0.3, 0.0]), 4)
    0.6667
    """
    p, q = _validate.distributions("p", p, "q", q)
    threshold = _validate.number("threshold", threshold, at_least=0.0, below=1.0)
    first, second = p > threshold, q > threshold
    union = int((first | second).sum())
    return int((first & second).sum()) / union if union else 1.0


def cosine_similarity(p: ArrayLike, q: ArrayLike) -> float:
    """Return the cosine of the angle between two probability vectors.

    Parameters
    ----------
    p, q : array_like, shape (K,)

    Returns
    -------
    float
        The cosine, in [0, 1]; without rounding, it is 1 if and only if the vectors are equal.

    Notes
    -----
    Source: Ryu, Jang & Yang (2024), section VI.  Taught in *Experiment 1: heights*.

    Examples
    --------
    >>> round(cosine_similarity([1.0, 0.0], [0.5, 0.5]), 4)
    0.7071
    """
    p, q = _validate.distributions("p", p, "q", q)
    return min(float(p @ q / (np.linalg.norm(p) * np.linalg.norm(q))), 1.0)


def _sd(p: NDArray[np.float64], values: NDArray[np.float64]) -> float:
    p = p / p.sum()
    return math.sqrt(p @ (values - p @ values) ** 2)
