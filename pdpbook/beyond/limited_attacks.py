r"""An adversary with limited power against many messages.

A user publishes messages with stakes :math:`D_i>0`, each with a granularity :math:`a_i\in[0,1]`.
The adversary spends efforts :math:`b_i\in[0,1]` with :math:`\sum_ib_i\le\Psi`.  The user's value is

.. math:: \sum_i\bigl[Q(a_i)-D_i\,a_ib_i\bigr],

with the quality of service Q of :func:`pdpbook.beyond.quality_of_service`, and the adversary
minimises it.  The function Q is first convex and then concave, so a user may do better with a
random choice between silence and a granularity worth publishing.  The mean quality of the best such
choice is :math:`\hat Q`, the smallest concave function above Q: a straight chord from 0 to the
point where it touches Q, then Q itself.

A single number θ, the price of a unit of the adversary's power, determines the saddle point.
Messages with :math:`D_ia_i>\theta` are attacked with certainty, and the adversary is indifferent to
messages with :math:`D_ia_i=\theta`:

.. math:: a_i=\max\bigl(r_i,\ \min(1,\theta/D_i)\bigr),\qquad
          b_i=\begin{cases}1&\theta<D_ir_i\\ \hat Q'(\theta/D_i)/D_i&D_ir_i<\theta<D_i\\
          0&\theta>D_i\end{cases}

where :math:`r_i` is optimal if an attack is certain, and θ is such that the efforts sum to Ψ.
Taught in *The repeated privacy game*.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pdpbook import _validate
from pdpbook._repr import short_repr
from pdpbook.beyond.repeated_game import best_granularity, quality_of_service

__all__ = ["LimitedAttack", "limited_attack"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LimitedAttack:
    """Saddle point between a user and an adversary of limited power.

    Attributes
    ----------
    granularity : ndarray, shape (n,)
        The user's granularities.  A value strictly between 0 and ``tangent`` is a mean: the user
        tosses a coin between silence and ``tangent``.
    effort : ndarray, shape (n,)
        The adversary's effort at each message; the sum is at most the power.
    threshold : float
        The price θ: the decrease of the user's value per additional unit of power.
    tangent : float
        The smallest granularity worth publishing with certainty, at which the chord from 0 touches
        the quality of service.
    value : float
        The user's value: the sum over messages of quality minus loss.
    """

    granularity: Floats
    effort: Floats
    threshold: float
    tangent: float
    value: float

    __repr__ = short_repr

    @property
    def is_pure(self) -> bool:
        """Whether the user's plan is deterministic."""
        a = self.granularity
        return bool(((a == 0.0) | (a >= self.tangent)).all())


def limited_attack(
    stakes: ArrayLike, *, power: float, steepness: float = 10.0, centre: float = 0.5
) -> LimitedAttack:
    """Solve the game of one user and many messages against an adversary of limited power.

    Parameters
    ----------
    stakes : array_like, shape (n,)
        Stake :math:`D_i>0` of each message.
    power : float
        The largest sum Ψ > 0 of the adversary's efforts.
    steepness, centre : float
        ρ and σ of :func:`pdpbook.beyond.quality_of_service`.

    Returns
    -------
    LimitedAttack
        The value is the same whether the adversary moves first, or the user moves first and may
        toss a coin.  A user who moves first without a coin gets the same value if ``is_pure``, and
        a smaller value otherwise.

    Notes
    -----
    Source: Cui et al. (2019), eq. (5), whose closed form is announced but not printed.  Taught in
    *The repeated privacy game*.

    Examples
    --------
    >>> found = limited_attack([0.5, 1.0, 2.0], power=1.5)
    >>> found.granularity.round(3), found.effort.round(3), round(found.value, 4)
    (array([1.   , 0.864, 0.706]), array([0. , 0.5, 1. ]), 0.8654)
    """
    stake = _validate.positive_vector("stakes", stakes)
    power = _validate.number("power", power, above=0.0)
    ends = quality_of_service([0.0, 1.0], steepness=steepness, centre=centre)
    tangent = _tangent(steepness, centre)
    reply = best_granularity(stake, steepness=steepness, centre=centre)
    top = quality_of_service(tangent, steepness=steepness, centre=centre)
    chord = float((top - ends[0]) / tangent) if tangent > 0 else 0.0  # tangent = 0: Q is concave

    def slope(a: Floats) -> Floats:
        quality = quality_of_service(a, steepness=steepness, centre=centre)
        return np.where(a < tangent, chord, 0.5 * steepness * (1.0 - quality**2))

    def efforts(theta: float) -> Floats:
        with np.errstate(over="ignore"):
            partly = np.minimum(1.0, slope(np.minimum(1.0, theta / stake)) / stake)
        return np.where(theta < stake * reply, 1.0, np.where(theta < stake, partly, 0.0))

    low, high = 0.0, float(stake.max())  # theta: the efforts decrease from efforts(0) to 0
    for _ in range(80):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if efforts(middle).sum() > power else (low, middle)
    effort = efforts(high)
    if (gap := efforts(low) - effort).sum() > 0 and low > 0:  # an effort jumps: spend the rest
        effort = effort + gap * min(1.0, (power - effort.sum()) / gap.sum())
    theta = high if low > 0 else 0.0
    with np.errstate(over="ignore"):
        a = np.maximum(reply, np.minimum(1.0, theta / stake))
    quality = quality_of_service(a, steepness=steepness, centre=centre)
    hull = np.where(a < tangent, ends[0] + chord * a, quality)
    value = float((hull - np.maximum(stake * a - theta, 0.0)).sum() - power * theta)
    return LimitedAttack(a, effort, float(theta), tangent, value)


def _tangent(steepness: float, centre: float) -> float:
    """Return the point at which the chord from 0 touches Q; 0 if Q is concave."""
    from scipy.optimize import brentq

    if centre <= 0.0:
        return 0.0

    def above(a: float) -> float:
        """Return (chord's slope - tangent's slope) times a: negative, then positive."""
        start, quality = quality_of_service([0.0, a], steepness=steepness, centre=centre)
        return float(quality - start - 0.5 * steepness * a * (1.0 - quality**2))

    if centre >= 1.0 or above(1.0) <= 0.0:
        return 1.0
    return float(brentq(above, centre, 1.0, xtol=1e-14))
