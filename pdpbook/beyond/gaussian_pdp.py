r"""(ε, δ)-pDP: the δ that a record needs in a data set.

Let :math:`P` and :math:`P_{-i}` be the distributions of the output with and without record i, as in
:mod:`pdpbook.per_instance.privacy_loss`.  The record is :math:`(\varepsilon,\delta)`-pDP if

.. math:: P(S) \le e^{\varepsilon} P_{-i}(S) + \delta, \qquad
          P_{-i}(S) \le e^{\varepsilon} P(S) + \delta \qquad\text{for all events } S .

The smallest such δ is the larger of two hockey-stick divergences.  With the slopes τ and σ of the
linear form of pDP, it is

.. math:: \delta_i = \max\Bigl\{\frac{e^{\varepsilon}}{n-1}\sum_x (p_i(x)-\tau S(x))^+,\;
          \frac1{n-1}\sum_x (\sigma S(x)-p_i(x))^+\Bigr\},

and it is never larger than 1/n.  The game also accepts a δ (:class:`pdpbook.NVOGame`).  Taught in
*Gaussian noise and (ε, δ)-pDP*.  The noise itself is computed by :func:`pdpbook.gaussian_kernel`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pdpbook import _loops, _validate
from pdpbook.per_instance.privacy_loss import rows_and_mass

__all__ = ["hockey_stick_divergences"]


def hockey_stick_divergences(
    rows: ArrayLike, mass: ArrayLike, n: int, epsilon: float
) -> NDArray[np.float64]:
    r"""Return the δ at which each record is (ε, δ)-pDP.

    Parameters
    ----------
    rows : array_like, shape (r, K)
        :math:`p_i` of each record.
    mass : array_like, shape (K,)
        Mass :math:`S(x)` of all n records; it sums to n.
    n : int
        At least 2.
    epsilon : float
        Privacy target.

    Returns
    -------
    ndarray, shape (r,)
        The larger of :math:`\sum_x (P - e^\varepsilon P_{-i})^+` and
        :math:`\sum_x (P_{-i} - e^\varepsilon P)^+`.

    Notes
    -----
    Neighbouring data sets differ by the removal of the record.  The sums are rounded and serve
    reports and figures; :class:`~pdpbook.game.Outcome` decides without rounding whether a record of
    a game is private at its δ.  Taught in *Gaussian noise and (ε, δ)-pDP*.

    Examples
    --------
    >>> rows = np.array([[0.5, 0.5], [0.25, 0.75]])
    >>> hockey_stick_divergences(rows, rows.sum(axis=0), n=2, epsilon=0.1)
    array([0.09870727, 0.08556091])
    """
    rows, mass, n = rows_and_mass(rows, mass, n)
    epsilon = _validate.number("epsilon", epsilon, above=0.0)
    pair = np.array([mass, np.zeros_like(mass)])  # the loops take the mass and its rounding error
    return np.array([_loops.hockey_stick(row, pair, n, epsilon) for row in rows])
