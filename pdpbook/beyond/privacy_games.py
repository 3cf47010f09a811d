r"""Games between a user who publishes and an adversary who attacks, each with a private type.

The user's type is the budget that protects the publication, and the adversary's type is their
prior knowledge.  There are two kinds of payoff: differences of ε, as in Cui et al. (2019), and a
breach that happens when budget and knowledge together reach a threshold.  Both games are solved in
:mod:`pdpbook.beyond.bayesian_game`.  Taught in *The privacy game*.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from pdpbook import _validate
from pdpbook.beyond.bayesian_game import BayesianGame

__all__ = ["breach_game", "difference_game"]


def difference_game(
    protected: ArrayLike,
    knowledge: ArrayLike,
    *,
    extra: float,
    cap: float,
    prior: ArrayLike,
    user_sign: int = -1,
) -> BayesianGame:
    r"""Build the game of table 2 of Cui et al., whose payoffs are differences of ε.

    Taught in *The privacy game*.

    Parameters
    ----------
    protected : array_like, shape (T,)
        :math:`\varepsilon(1/d)` of each type of the user, who may publish with this budget (action
        1) or without protection (action 0).
    knowledge : array_like, shape (S,)
        :math:`\varepsilon_p` of each type of the adversary, who may attack with it alone (action
        0) or with extra information (action 1).
    extra : float
        The extra information :math:`\varepsilon_b > 0`.
    cap : float
        Finite substitute for ε → ∞, above every protected budget.
    prior : array_like, shape (T, S)
    user_sign : int
        Sign of :math:`\varepsilon_{\text{adversary}}-\varepsilon_{\text{user}}` in the user's
        payoff; the paper prints ±.  With -1 the user minimises it.

    Returns
    -------
    BayesianGame
        Zero-sum.

    Examples
    --------
    >>> game = difference_game([0.5], [1.0], extra=2.0, cap=10.0, prior=[[1.0]])
    >>> game.user[0, 0]
    array([[ 9. ,  7. ],
           [-0.5, -2.5]])
    """
    mine = _validate.positive_vector("protected", protected)
    theirs = _validate.positive_vector("knowledge", knowledge)
    extra = _validate.number("extra", extra, above=0.0)
    cap = _validate.number("cap", cap, above=float(mine.max()))
    if _validate.integer("user_sign", user_sign, at_least=-1) == 0 or user_sign > 1:
        raise _validate.fail("user_sign", "1 or -1", user_sign)
    release = np.stack([np.full(mine.size, cap), mine], axis=1)
    attack = np.stack([theirs, theirs + extra], axis=1)
    user = user_sign * (attack[None, :, None, :] - release[:, None, :, None])
    return BayesianGame(user, -user, prior)  # type: ignore[arg-type]  # checked there


def breach_game(
    protected: ArrayLike,
    knowledge: ArrayLike,
    *,
    extra: float,
    threshold: float,
    harm: float,
    gain: float,
    cost: float,
    prior: ArrayLike,
    zero_sum: bool = False,
) -> BayesianGame:
    r"""Build a game in which information adds up and privacy is breached at a threshold.

    Privacy is breached if the budget, the adversary's knowledge and any extra information together
    reach the threshold, or if the data are published without protection.  The user's payoff is the
    quality :math:`1-e^{-\varepsilon}` of the publication (1 without protection) minus the harm of a
    breach; the adversary's payoff is the gain of a breach minus the cost of extra information.

    Parameters
    ----------
    protected : array_like, shape (T,)
        Budget of each type of the user under action 1; action 0 means no protection.
    knowledge : array_like, shape (S,)
        Knowledge of each type of the adversary, > 0, in units of ε.
    extra : float
        Extra information that the adversary buys with action 1, in the same units.
    threshold : float
        Total at which privacy is breached.
    harm, gain, cost : float
        Loss of the user and gain of the adversary from a breach, and the price of the extra
        information; all > 0.
    prior : array_like, shape (T, S)
    zero_sum : bool
        Whether to return the zero-sum game with the same equilibria: the adversary's payoffs are
        multiplied by harm/gain, and terms that depend only on the other side's action are added.

    Returns
    -------
    BayesianGame
        Each side has two actions.

    Notes
    -----
    A total below the threshold by a relative difference of less than :math:`10^{-12}` counts as a
    breach, so rounding is never in the user's favour; no release depends on this rule.  Source:
    this book, after section 3.2 of Cui et al. (2019).  Taught in *The privacy game*.

    Examples
    --------
    >>> options = dict(extra=1.0, threshold=1.5, harm=2.0, gain=1.0, cost=0.25, prior=[[1.0]])
    >>> game = breach_game([0.5], [0.2], **options)
    >>> game.user[0, 0].round(2)
    array([[-1.  , -1.  ],
           [ 0.39, -1.61]])
    >>> game.adversary[0, 0].round(2)
    array([[1.  , 0.75],
           [0.  , 0.75]])
    """
    mine = _validate.positive_vector("protected", protected)
    theirs = _validate.positive_vector("knowledge", knowledge)
    extra = _validate.number("extra", extra, above=0.0)
    threshold = _validate.number("threshold", threshold, above=0.0)
    harm = _validate.number("harm", harm, above=0.0)
    gain = _validate.number("gain", gain, above=0.0)
    cost = _validate.number("cost", cost, above=0.0)
    zero_sum = _validate.boolean("zero_sum", zero_sum)
    attack = np.stack([theirs, theirs + extra], axis=1)
    release = np.stack([np.full(mine.size, np.inf), mine], axis=1)
    total = release[:, None, :, None] + attack[None, :, None, :]
    breach = (total >= threshold * (1 - 1e-12)).astype(float)
    quality = -np.expm1(-release)[:, None, :, None]
    bought = np.array([0.0, cost])
    user = quality - harm * breach
    if zero_sum:
        price = cost * harm / gain
        if not np.isfinite(price):
            raise _validate.fail("gain", "so large that cost * harm / gain is finite", gain)
        user = user + np.array([0.0, price])
        return BayesianGame(user, -user, prior)  # type: ignore[arg-type]  # checked there
    return BayesianGame(user, gain * breach - bought, prior)  # type: ignore[arg-type]
