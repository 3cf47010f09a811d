r"""The privacy game: a user who publishes, an adversary who attacks, and what neither knows.

**Static.**  Each side has a type that the other does not know, and picks an action.  A plan says
what each type does.  A pair of plans is a Bayesian Nash equilibrium if no type of either side gains
by another action.  If what one side wins the other loses, one linear program finds it; in general
the game is written as a matrix game of pure plans, whose equilibria are enumerated.

**Repeated.**  In each round an item d of data with stake :math:`D_d` comes up.  The user publishes
it with granularity a in [0, 1], the adversary attacks with effort b in [0, 1] and succeeds with
probability a·b.  The attack response r of the last round (1 for a success) is known to both.  The
user's payoff in a round is :math:`Q(a) - D_d(1+\kappa r)\,a b`, with quality of service Q, and
rounds are discounted by :math:`\gamma<1`.  If items are drawn independently, the value of a state
(d, r) depends on the future through two numbers only, :math:`W(r)=\mathbb E_d V(d, r)`:

.. math:: V(d, r) = \max_x\min_b \mathbb E\bigl[Q(a) - ab\,\bigl(D_d(1+\kappa r)
          + \gamma(W(0)-W(1))\bigr)\bigr] + \gamma W(0).
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pdpbook import _validate

__all__ = [
    "BayesianGame",
    "Equilibrium",
    "LearningCurve",
    "RepeatedGame",
    "RepeatedSolution",
    "bayesian_equilibria",
    "best_granularity",
    "breach_game",
    "difference_game",
    "minimax_q_learning",
    "quality_of_service",
    "solve_repeated",
    "zero_sum_equilibrium",
]

Floats = NDArray[np.float64]

_BLOCK = 1024  # rounds drawn at once by the learners


@dataclass(frozen=True, eq=False)
class BayesianGame:
    """A static game of two sides with private types.

    Parameters
    ----------
    user, adversary : array_like, shape (T, S, A, B)
        Payoffs when the user is of type t and plays a, the adversary of type s and plays b.
    prior : array_like, shape (T, S)
        Probability of each pair of types; common knowledge.

    Raises
    ------
    ValueError, TypeError
        If the shapes do not fit, a payoff is not finite, or the prior is no distribution.

    Notes
    -----
    Source: Cui et al. (2019), section 3.3.  Taught in *The privacy game*.

    Examples
    --------
    >>> pennies = np.array([[1.0, -1.0], [-1.0, 1.0]])[None, None]
    >>> game = BayesianGame(pennies, -pennies, [[1.0]])
    >>> half = [[0.5, 0.5]]
    >>> game.payoffs(half, half), game.regret(half, half), game.regret([[1, 0]], half)
    ((0.0, 0.0), 0.0, 1.0)
    """

    user: Floats
    adversary: Floats
    prior: Floats

    def __post_init__(self) -> None:
        """Check the arrays; afterwards they are read-only."""
        user = np.array(self.user, dtype=np.float64)
        adversary = np.array(self.adversary, dtype=np.float64)
        prior = np.array(self.prior, dtype=np.float64)
        if user.ndim != 4 or user.size < 1:
            raise ValueError(f"user must have shape (T, S, A, B), got user of shape {user.shape}")
        if adversary.shape != user.shape:
            raise ValueError(
                f"adversary must have shape {user.shape}, got adversary of shape {adversary.shape}"
            )
        if prior.shape != user.shape[:2]:
            raise ValueError(
                f"prior must have shape {user.shape[:2]}, got prior of shape {prior.shape}"
            )
        _validate.distribution("prior", prior.ravel())
        for name, array in (("user", user), ("adversary", adversary), ("prior", prior)):
            _validate.finite_vector(name, array.ravel())
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    @property
    def is_zero_sum(self) -> bool:
        """Whether one side loses what the other wins, in every cell."""
        return bool(np.allclose(self.user + self.adversary, 0.0, atol=1e-12))

    def payoffs(self, user_plan: ArrayLike, adversary_plan: ArrayLike) -> tuple[float, float]:
        """Return the expected payoffs of both sides before types are known.

        Parameters
        ----------
        user_plan : array_like, shape (T, A)
            Probability of each action for each type; rows sum to 1.
        adversary_plan : array_like, shape (S, B)
            The same for the adversary.

        Returns
        -------
        user, adversary : float
        """
        x, y = self._plans(user_plan, adversary_plan)
        path = "ts,tsab,ta,sb->"
        return (
            float(np.einsum(path, self.prior, self.user, x, y)),
            float(np.einsum(path, self.prior, self.adversary, x, y)),
        )

    def regret(self, user_plan: ArrayLike, adversary_plan: ArrayLike) -> float:
        """Return the largest gain that any type of either side could make by another action.

        Parameters
        ----------
        user_plan : array_like, shape (T, A)
            Plan of the user.
        adversary_plan : array_like, shape (S, B)
            Plan of the adversary.

        Returns
        -------
        float
            Gain in expected payoff given the type; types that never occur do not count.  It is 0
            if and only if the plans are a Bayesian Nash equilibrium.
        """
        x, y = self._plans(user_plan, adversary_plan)
        gains = []
        for path, payoff, plan, other, axis in (
            ("ts,tsab,sb->ta", self.user, x, y, 1),
            ("ts,tsab,ta->sb", self.adversary, y, x, 0),
        ):
            weight = self.prior.sum(axis=axis)
            value = np.einsum(path, self.prior, payoff, other)
            gain = value.max(axis=1) - (value * plan).sum(axis=1)
            gains.append((gain[weight > 0] / weight[weight > 0]).max())
        return float(max(*gains, 0.0))

    def _plans(self, user_plan: ArrayLike, adversary_plan: ArrayLike) -> tuple[Floats, Floats]:
        types, kinds, actions, attacks = self.user.shape
        plans = []
        for name, plan, shape in (
            ("user_plan", user_plan, (types, actions)),
            ("adversary_plan", adversary_plan, (kinds, attacks)),
        ):
            array = np.asarray(plan, dtype=np.float64)
            if array.shape != shape:
                raise ValueError(f"{name} must have shape {shape}, got {name} of {array.shape}")
            for row in array:
                _validate.distribution(name, row)
            plans.append(array)
        return plans[0], plans[1]


@dataclass(frozen=True, eq=False)
class Equilibrium:
    """A Bayesian Nash equilibrium and how exactly it is one.

    Attributes
    ----------
    user : ndarray, shape (T, A)
        What each type of the user does.
    adversary : ndarray, shape (S, B)
        What each type of the adversary does.
    payoffs : tuple of float
        Expected payoffs (user, adversary).
    regret : float
        Largest gain of any type by another action, recomputed from the game.
    """

    user: Floats
    adversary: Floats
    payoffs: tuple[float, float]
    regret: float


def _equilibrium(game: BayesianGame, user: Floats, adversary: Floats) -> Equilibrium:
    plans = []
    for plan in (user, adversary):
        clean = np.maximum(plan, 0.0)
        clean[clean < 1e-12] = 0.0
        plans.append(clean / clean.sum(axis=1, keepdims=True))
    return Equilibrium(plans[0], plans[1], game.payoffs(*plans), game.regret(*plans))


def zero_sum_equilibrium(game: BayesianGame) -> Equilibrium:
    r"""Solve a zero-sum game with private types by one linear program.

    The user's plan x maximises :math:`\sum_s v_s` subject to
    :math:`v_s\le\sum_t p(t,s)\sum_a x_{ta}U_{tsab}` for all s and b: each type of the adversary
    answers in the way that is worst for the user.  The dual variables are the adversary's plan.

    Parameters
    ----------
    game : BayesianGame
        A game with ``is_zero_sum``.

    Returns
    -------
    Equilibrium

    Raises
    ------
    ValueError
        If the game is not zero-sum.

    Notes
    -----
    Taught in *The privacy game*.

    Examples
    --------
    >>> pennies = np.array([[2.0, -1.0], [-1.0, 1.0]])[None, None]
    >>> found = zero_sum_equilibrium(BayesianGame(pennies, -pennies, [[1.0]]))
    >>> found.user.round(3), found.adversary.round(3), round(found.payoffs[0], 3)
    (array([[0.4, 0.6]]), array([[0.4, 0.6]]), 0.2)
    """
    from scipy.optimize import linprog

    if not game.is_zero_sum:
        worst = float(np.abs(game.user + game.adversary).max())
        raise ValueError(f"game must be zero-sum, got payoffs that sum to up to {worst!r}")
    types, kinds, actions, attacks = game.user.shape
    weighted = game.prior[:, :, None, None] * game.user
    plan = -weighted.transpose(1, 3, 0, 2).reshape(kinds * attacks, types * actions)
    rows = np.hstack([plan, np.repeat(np.eye(kinds), attacks, axis=0)])
    sums = np.hstack([np.repeat(np.eye(types), actions, axis=1), np.zeros((types, kinds))])
    cost = np.r_[np.zeros(types * actions), -np.ones(kinds)]
    bounds = [(0.0, None)] * (types * actions) + [(None, None)] * kinds
    found = linprog(
        cost, rows, np.zeros(kinds * attacks), sums, np.ones(types), bounds=bounds, method="highs"
    )
    if found.status != 0:
        raise RuntimeError(f"the linear program was not solved: {found.message}")
    user = np.asarray(found.x)[: types * actions].reshape(types, actions)
    adversary = -np.asarray(found.ineqlin.marginals).reshape(kinds, attacks)
    return _equilibrium(game, user, adversary)


def bayesian_equilibria(game: BayesianGame, *, tolerance: float = 1e-9) -> tuple[Equilibrium, ...]:
    """Find equilibria of a general game with private types.

    The game is written as a matrix game of pure plans, one action for every type.  Its equilibria
    are found by support enumeration where a side has at most 8 pure plans, and otherwise, or where
    that finds none, by the lexicographic Lemke-Howson algorithm from every start, which finds at
    least one.  Both come from the library QuantEcon.  Each result is kept only if its regret,
    recomputed here, is 0.  The first call in a process compiles the library for some seconds.

    Parameters
    ----------
    game : BayesianGame
        A small game: there are A^T and B^S pure plans.
    tolerance : float
        Largest regret, in payoff units, that counts as 0.

    Returns
    -------
    tuple of Equilibrium
        Different equilibria, best for the user first.  In a degenerate game there may be more.

    Raises
    ------
    ValueError
        If a side has more than 4,096 pure plans.

    Notes
    -----
    Taught in *The privacy game*.

    Examples
    --------
    >>> stag = np.array([[4.0, 0.0], [3.0, 2.0]])[None, None]
    >>> hare = stag.transpose(0, 1, 3, 2)
    >>> found = bayesian_equilibria(BayesianGame(stag, hare, [[1.0]]))
    >>> [equilibrium.user.round(3).tolist() for equilibrium in found]
    [[[1.0, 0.0]], [[0.667, 0.333]], [[0.0, 1.0]]]
    """
    from quantecon.game_theory import NormalFormGame, Player, lemke_howson, support_enumeration

    tolerance = _validate.number("tolerance", tolerance, above=0.0)
    types, kinds, actions, attacks = game.user.shape
    if actions**types > 4096 or attacks**kinds > 4096:
        raise ValueError(
            "game must have at most 4096 pure plans a side, "
            f"got {actions**types} and {attacks**kinds}"
        )
    mine = np.array(list(itertools.product(range(actions), repeat=types)))
    theirs = np.array(list(itertools.product(range(attacks), repeat=kinds)))
    tables = []
    for payoff in (game.user, game.adversary):
        table = np.zeros((len(mine), len(theirs)))
        for t, s in itertools.product(range(types), range(kinds)):
            table += game.prior[t, s] * payoff[t, s][np.ix_(mine[:, t], theirs[:, s])]
        tables.append(table)
    kept: list[Equilibrium] = []

    def keep(pair: tuple[Floats, Floats]) -> None:
        behaviour = []
        for plans, mix, size in zip((mine, theirs), pair, (actions, attacks), strict=True):
            if mix.shape != (len(plans),) or not np.isfinite(mix).all():
                return
            played = np.arange(size)[:, None, None] == plans.T  # (action, type, pure plan)
            behaviour.append((played @ mix).T)
        found = _equilibrium(game, behaviour[0], behaviour[1])
        same = [
            np.allclose(found.user, old.user, atol=1e-7)
            and np.allclose(found.adversary, old.adversary, atol=1e-7)
            for old in kept
        ]
        if found.regret <= tolerance and not any(same):
            kept.append(found)

    ours, other = (np.ascontiguousarray(table) for table in (tables[0], tables[1].T))
    matrix_game = NormalFormGame((Player(ours), Player(other)))
    if max(tables[0].shape) <= 8:
        for pair in support_enumeration(matrix_game):
            keep(pair)
    for label in range(sum(tables[0].shape)) if not kept else ():
        keep(lemke_howson(matrix_game, init_pivot=label))
    return tuple(sorted(kept, key=lambda found: -found.payoffs[0]))


def difference_game(
    protected: ArrayLike,
    knowledge: ArrayLike,
    *,
    extra: float,
    cap: float,
    prior: ArrayLike,
    user_sign: int = -1,
) -> BayesianGame:
    r"""Build the game of table 2 of Cui et al.: payoffs are differences of ε.

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
        Finite stand-in for ε → ∞, above every protected budget.
    prior : array_like, shape (T, S)
        Probability of each pair of types.
    user_sign : int
        Sign of :math:`\varepsilon_{\text{adversary}}-\varepsilon_{\text{user}}` in the user's
        payoff; the paper prints ±.  With -1 the user wants it low.

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
    if user_sign not in (-1, 1) or isinstance(user_sign, bool):
        raise _validate.fail("user_sign", "1 or -1", user_sign)
    release = np.stack([np.full(mine.size, cap), mine], axis=1)
    attack = np.stack([theirs, theirs + extra], axis=1)
    user = user_sign * (attack[None, :, None, :] - release[:, None, :, None])
    return BayesianGame(user, -user, np.asarray(prior, dtype=float))


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
    r"""Build a game in which information adds up and privacy breaks at a threshold.

    The adversary breaks in if the budget of the release, his knowledge and what he buys reach the
    threshold together, or if the data are published without protection.  The user has the quality
    :math:`1-e^{-\varepsilon}` of what is published (1 without protection) less the harm of a
    breach; the adversary has the gain of a breach less the cost of what he buys.

    Parameters
    ----------
    protected : array_like, shape (T,)
        Budget of each type of the user for action 1; action 0 is no protection.
    knowledge : array_like, shape (S,)
        Knowledge of each type of the adversary, > 0, in units of ε.
    extra : float
        What action 1 of the adversary adds to it, > 0.
    threshold : float
        Total at which privacy breaks, > 0.
    harm, gain, cost : float
        Worth of a breach to the user (negative) and to the adversary, and the price of the extra
        information; all > 0.
    prior : array_like, shape (T, S)
        Probability of each pair of types.
    zero_sum : bool
        Return the zero-sum game with the same equilibria: the adversary's payoffs are multiplied
        by harm/gain and completed by terms that depend on the other side's action only.

    Returns
    -------
    BayesianGame

    Notes
    -----
    This book's game, after section 3.2 of Cui et al. (2019).  Taught in *The privacy game*.

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
    attack = np.stack([theirs, theirs + extra], axis=1)
    release = np.stack([np.full(mine.size, np.inf), mine], axis=1)
    total = release[:, None, :, None] + attack[None, :, None, :]
    breach = (total >= threshold * (1 - 1e-12)).astype(float)
    quality = -np.expm1(-release)[:, None, :, None]
    bought = np.array([0.0, cost])
    user = quality - harm * breach
    if zero_sum:
        user = user + bought * harm / gain
        return BayesianGame(user, -user, np.asarray(prior, dtype=float))
    return BayesianGame(user, gain * breach - bought, np.asarray(prior, dtype=float))


def quality_of_service(
    granularity: ArrayLike, *, steepness: float = 10.0, centre: float = 0.5, printed: bool = False
) -> Floats:
    r"""Return what the published granularity is worth to the user.

    Parameters
    ----------
    granularity : array_like
        Granularity a of what is published, in [0, 1].
    steepness : float
        :math:`\rho > 0`.
    centre : float
        :math:`\sigma`, where the quality is 0.
    printed : bool
        The formula as printed, :math:`\frac{2e^{-\rho(a-\sigma)}}{1+e^{-\rho(a-\sigma)}}-1`,
        which *falls* in a.

    Returns
    -------
    ndarray
        :math:`\frac2{1+e^{-\rho(a-\sigma)}}-1=\tanh\frac{\rho(a-\sigma)}2`, or minus that if
        printed.

    Notes
    -----
    Source: Cui et al. (2019), eq. (5).  Taught in *The privacy game*.

    Examples
    --------
    >>> quality_of_service([0.0, 0.5, 1.0]).round(3)
    array([-0.987,  0.   ,  0.987])
    """
    a = np.asarray(granularity, dtype=float)
    if not ((a >= 0) & (a <= 1)).all():
        raise ValueError(f"granularity must lie in [0, 1], got granularity={granularity!r}")
    steepness = _validate.number("steepness", steepness, above=0.0)
    centre = _validate.number("centre", centre)
    rising = np.tanh(0.5 * steepness * (a - centre))
    return -rising if printed else rising


def best_granularity(stake: ArrayLike, *, steepness: float = 10.0, centre: float = 0.5) -> Floats:
    r"""Return the granularity that is best against a certain attack, in closed form.

    Parameters
    ----------
    stake : array_like
        Loss D ≥ 0 per unit of granularity.
    steepness, centre : float
        ρ and σ of :func:`quality_of_service`.

    Returns
    -------
    ndarray
        The a in [0, 1] that maximises :math:`Q(a)-Da`: one of 0, 1 and
        :math:`\sigma+\frac1\rho\ln\frac s{1-s}` with
        :math:`s=\frac12\bigl(1+\sqrt{1-2D/\rho}\bigr)`.

    Notes
    -----
    Cui et al. (2019) announce a closed form in section 5.5 and do not print it.  Derived in *The
    privacy game*.

    Examples
    --------
    >>> best_granularity([0.0, 1.0, 3.0]).round(3)
    array([1.   , 0.789, 0.   ])
    """
    steepness = _validate.number("steepness", steepness, above=0.0)
    centre = _validate.number("centre", centre)
    loss = np.asarray(stake, dtype=float)
    if not ((loss >= 0) & np.isfinite(loss)).all():
        raise ValueError(f"stake must be finite and >= 0, got stake={stake!r}")
    root = np.sqrt(np.maximum(0.0, 1.0 - 2.0 * loss / steepness))
    with np.errstate(divide="ignore"):
        inner = centre + 2.0 / steepness * np.arctanh(root)
    options = np.stack([np.zeros_like(loss), np.clip(inner, 0.0, 1.0), np.ones_like(loss)])
    worth = np.tanh(0.5 * steepness * (options - centre)) - loss * options
    return np.take_along_axis(options, worth.argmax(axis=0)[None], axis=0)[0]


@dataclass(frozen=True, eq=False)
class RepeatedGame:
    r"""The repeated game between a user and an adversary.

    Parameters
    ----------
    stakes : array_like, shape (n,)
        Stake :math:`D_d\ge0` of each item of data: its loss if an attack succeeds.
    items : array_like, shape (n,) or (n, n), optional
        Probability of each item, or of the next item given the last; all equal if not given.
    granularities : array_like, shape (A,)
        Granularities that the user may choose, in [0, 1].
    memory : float
        :math:`\kappa\ge0`: after a successful attack the next stake is multiplied by 1 + κ.
    discount : float
        :math:`\gamma` in [0, 1): weight of the next round.
    steepness, centre, printed
        As in :func:`quality_of_service`.

    Raises
    ------
    ValueError, TypeError
        If an argument is out of range.

    Notes
    -----
    Source: Cui et al. (2019), section 5, which has no discount and leaves the loss open.  Taught
    in *The privacy game*.

    Examples
    --------
    >>> game = RepeatedGame([0.5, 2.0], granularities=[0.0, 0.5, 1.0], memory=1.0)
    >>> game.rewards[1, 1].round(2)                     # item 1 after a success; rows: granularity
    array([[-0.99, -0.99],
           [ 0.  , -2.  ],
           [ 0.99, -3.01]])
    """

    stakes: Floats
    items: Floats | None = field(default=None, kw_only=True)
    granularities: Floats = field(
        default_factory=lambda: np.array([0.0, 0.25, 0.5, 0.75, 1.0]), kw_only=True
    )
    memory: float = field(default=0.0, kw_only=True)
    discount: float = field(default=0.5, kw_only=True)
    steepness: float = field(default=10.0, kw_only=True)
    centre: float = field(default=0.5, kw_only=True)
    printed: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        """Check everything once."""
        stakes = _validate.finite_vector("stakes", self.stakes)
        if (stakes < 0).any():
            raise ValueError(f"stakes must be >= 0, got a smallest stake of {stakes.min()!r}")
        n = stakes.size
        items = np.full(n, 1.0 / n) if self.items is None else np.array(self.items, dtype=float)
        if items.shape not in {(n,), (n, n)}:
            raise ValueError(f"items must have shape ({n},) or ({n}, {n}), got {items.shape}")
        for row in np.atleast_2d(items):
            _validate.distribution("items", row)
        grains = _validate.finite_vector("granularities", self.granularities, at_least=2)
        quality_of_service(grains, steepness=self.steepness, centre=self.centre)
        object.__setattr__(self, "stakes", stakes)
        object.__setattr__(self, "items", np.broadcast_to(np.atleast_2d(items), (n, n)))
        object.__setattr__(self, "granularities", grains)
        object.__setattr__(
            self, "memory", _validate.number("memory", self.memory, above=0.0, strict=False)
        )
        object.__setattr__(self, "discount", _validate.fraction("discount", self.discount))

    @property
    def independent(self) -> bool:
        """Whether the next item does not depend on the last."""
        return bool(np.allclose(self.transitions, self.transitions[0]))

    @property
    def transitions(self) -> Floats:
        """Probability of the next item given the last, shape (n, n)."""
        assert self.items is not None
        return self.items

    @property
    def success(self) -> Floats:
        """Probability a·b that an attack succeeds, shape (A, 2); efforts are 0 and 1."""
        return self.granularities[:, None] * np.array([0.0, 1.0])

    @property
    def quality(self) -> Floats:
        """Quality of service of each granularity, shape (A,)."""
        return quality_of_service(
            self.granularities,
            steepness=self.steepness,
            centre=self.centre,
            printed=self.printed,
        )

    @property
    def rewards(self) -> Floats:
        """Expected payoff of a round, shape (n, 2, A, 2): item, response, granularity, effort."""
        stake = self.stakes[:, None] * (1.0 + self.memory * np.array([0.0, 1.0]))
        return self.quality[:, None] - stake[:, :, None, None] * self.success


@dataclass(frozen=True, eq=False)
class RepeatedSolution:
    """Exact solution of a repeated game.

    Attributes
    ----------
    values : ndarray, shape (n, 2)
        Value to the user of each item and last response.
    response_values : ndarray, shape (n, 2)
        Expected value of the next round by the response, given the last item; its rows are equal if
        items are independent.
    user : ndarray, shape (n, 2, A)
        Probability of each granularity in each state.
    effort : ndarray, shape (n, 2)
        The adversary's effort in each state.
    iterations : int
        Rounds of value iteration.
    """

    values: Floats
    response_values: Floats
    user: Floats
    effort: Floats
    iterations: int


def solve_repeated(game: RepeatedGame, *, tolerance: float = 1e-10) -> RepeatedSolution:
    """Solve the repeated game by value iteration over matrix games.

    Parameters
    ----------
    game : RepeatedGame
        The game.
    tolerance : float
        Largest distance to the exact values, > 0.

    Returns
    -------
    RepeatedSolution

    Notes
    -----
    The value of a matrix game changes by no more than its largest entry does, so one round of value
    iteration shrinks the error by the discount.  Taught in *The privacy game*.

    Examples
    --------
    >>> solution = solve_repeated(RepeatedGame([0.5, 4.0], memory=1.0))
    >>> solution.values.round(3)
    array([[ 0.111, -0.264],
           [-1.278, -1.278]])
    """
    tolerance = _validate.number("tolerance", tolerance, above=0.0)
    values = np.zeros((game.stakes.size, 2))
    rewards, iterations, change = game.rewards, 0, np.inf
    while iterations == 0 or change * game.discount > tolerance * (1.0 - game.discount):
        new, _ = _two_column_games(_stage(game, rewards, game.transitions @ values))
        change = float(np.abs(new - values).max())
        values, iterations = new, iterations + 1
    ahead = game.transitions @ values
    stage = _stage(game, rewards, ahead)
    _, effort = _two_column_games(stage)
    return RepeatedSolution(values, ahead, _user_mixtures(stage, effort), effort, iterations)


@dataclass(frozen=True, eq=False)
class LearningCurve:
    """How the error of a learner fell.

    Attributes
    ----------
    iterations : ndarray of int, shape (m,)
        Rounds after which the error was measured.
    errors : ndarray, shape (replicates, m)
        Largest error of the learned value of any state (item, response).
    mean_errors : ndarray, shape (replicates, m)
        Largest error of W(0), W(1), the values averaged over items.
    values : ndarray, shape (replicates, n, 2)
        The last values.
    """

    iterations: NDArray[np.int64]
    errors: Floats
    mean_errors: Floats
    values: Floats

    def iterations_to(self, tolerance: float, *, mean: bool = False) -> Floats:
        """Return, per replicate, after how many rounds the error stayed within a tolerance.

        Parameters
        ----------
        tolerance : float
            Largest error, > 0.
        mean : bool
            Take ``mean_errors`` and not ``errors``.

        Returns
        -------
        ndarray, shape (replicates,)
            The first measured round from which on no measured error was larger; ``inf`` if the last
            one still was.
        """
        tolerance = _validate.number("tolerance", tolerance, above=0.0)
        padded = np.r_[self.iterations, np.inf]
        outside = (self.mean_errors if mean else self.errors) > tolerance
        last = outside.shape[1] - outside[:, ::-1].argmax(axis=1)
        return padded[np.where(outside.any(axis=1), last, 0)]


def minimax_q_learning(
    game: RepeatedGame,
    *,
    state: str,
    steps: int,
    rng: np.random.Generator,
    replicates: int = 20,
    measurements: int = 60,
) -> LearningCurve:
    r"""Learn the values of the repeated game from play, with step sizes 1/visits.

    Parameters
    ----------
    game : RepeatedGame
        The game.
    state : str
        What the learner keeps a number for.  ``"actions"``: minimax-Q, one for each item, response,
        granularity and effort, learned from the realised payoffs of random play.  ``"items"``: one
        for each item and response; payoffs and the chance of success are known.  ``"response"``:
        one for each response, the reduction of Cui et al.
    steps : int
        Rounds to play.
    rng : numpy.random.Generator
        Source of randomness.
    replicates : int
        Independent learners, run side by side.
    measurements : int
        Number of times, evenly spaced in the logarithm, at which to measure the error.

    Returns
    -------
    LearningCurve

    Raises
    ------
    ValueError, TypeError
        If an argument is out of range, or items are not independent, in which case W(0), W(1) are
        not defined.

    Notes
    -----
    Source: Littman (1994); Cui et al. (2019), section 5.4, whose update has no discount.  Taught in
    *The privacy game*.

    Examples
    --------
    >>> game = RepeatedGame([0.5, 2.0], memory=1.0)
    >>> curve = minimax_q_learning(
    ...     game, state="response", steps=2000, rng=np.random.default_rng(0))
    >>> bool(np.median(curve.errors[:, -1]) < 0.05)
    True
    """
    if state not in ("actions", "items", "response"):
        raise _validate.fail("state", "'actions', 'items' or 'response'", state)
    steps = _validate.integer("steps", steps, at_least=1)
    rng = _validate.generator("rng", rng)
    replicates = _validate.integer("replicates", replicates, at_least=1)
    measurements = _validate.integer("measurements", measurements, at_least=1)
    if not game.independent:
        raise ValueError("game must have independent items, got items that depend on the last one")
    n, size, runs = game.stakes.size, game.granularities.size, np.arange(replicates)
    chances, rewards, success = game.transitions[0], game.rewards, game.success
    lost = game.stakes[:, None] * (1.0 + game.memory * np.array([0.0, 1.0]))
    solution = solve_repeated(game)
    values = np.zeros((replicates, n, 2) if state != "response" else (replicates, 2))
    visits = np.zeros_like(values)
    table = np.zeros((replicates, n, 2, size, 2))
    entries = np.zeros_like(table)
    times = np.unique(np.geomspace(1, steps, measurements).round().astype(np.int64))
    errors, mean_errors = np.empty((2, replicates, times.size))
    item, response, measured = rng.choice(n, replicates, p=chances), runs * 0, 0
    for step in range(1, steps + 1):
        turn = (step - 1) % _BLOCK
        if turn == 0:  # draw many rounds at once
            grains = rng.integers(size, size=(_BLOCK, replicates))
            efforts = rng.integers(2, size=(_BLOCK, replicates))
            breaks = rng.random((_BLOCK, replicates)) < success[grains, efforts]
            arrivals = rng.choice(n, (_BLOCK, replicates), p=chances)
        grain, effort, following = grains[turn], efforts[turn], arrivals[turn]
        broken = breaks[turn].astype(np.int64)
        here = (runs, response) if state == "response" else (runs, item, response)
        if state == "actions":
            place = (runs, item, response, grain, effort)
            entries[place] += 1
            payoff = game.quality[grain] - lost[item, response] * broken
            target = payoff + game.discount * values[runs, following, broken]
            table[place] += (target - table[place]) / entries[place]
            values[here] = _two_column_games(table[here])[0]
        else:
            ahead = values if state == "response" else values[runs, following]
            stage = rewards[item, response] + game.discount * _expected(ahead, success)
            visits[here] += 1
            values[here] += (_two_column_games(stage)[0] - values[here]) / visits[here]
        item, response = following, broken
        if step == times[measured]:
            learned = values
            if state == "response":  # one look ahead gives the value of every item
                stage = rewards + game.discount * _expected(values, success)[:, None, None]
                learned = _two_column_games(stage)[0]
                mean = values
            else:
                mean = np.einsum("d,rdk->rk", chances, values)
            errors[:, measured] = np.abs(learned - solution.values).max(axis=(1, 2))
            exact_mean = solution.response_values[0]
            mean_errors[:, measured] = np.abs(mean - exact_mean).max(axis=1)
            measured += 1
    return LearningCurve(times, errors, mean_errors, learned)


def _stage(game: RepeatedGame, rewards: Floats, ahead: Floats) -> Floats:
    """Return payoffs of a round with the discounted future, shape (n, 2, A, 2)."""
    return rewards + game.discount * _expected(ahead, game.success)[:, None]


def _expected(ahead: Floats, success: Floats) -> Floats:
    """Return what (..., 2) values ahead are worth per granularity and effort, (..., A, 2)."""
    return ahead[..., 0, None, None] + success * (ahead[..., 1] - ahead[..., 0])[..., None, None]


def _two_column_games(payoffs: Floats) -> tuple[Floats, Floats]:
    """Return the values of many (A, 2) games and the column player's weight on column 1.

    The value is the minimum over q in [0, 1] of the largest of A straight lines in q, so it is
    taken at 0, at 1 or where two lines cross.
    """
    start, slope = payoffs[..., 0], payoffs[..., 1] - payoffs[..., 0]
    first, second = np.triu_indices(payoffs.shape[-2], 1)
    rise = slope[..., first] - slope[..., second]
    gap = start[..., second] - start[..., first]
    q = np.empty((*payoffs.shape[:-2], first.size + 2))
    q[..., 0], q[..., 1] = 1.0, 0.0  # full effort first: it wins ties
    with np.errstate(over="ignore"):  # lines that are all but parallel
        crossing = gap / np.where(rise == 0.0, np.inf, rise)
    q[..., 2:] = np.minimum(np.maximum(crossing, 0.0), 1.0)
    height = (start[..., None, :] + q[..., None] * slope[..., None, :]).max(axis=-1)
    best = height.argmin(axis=-1)[..., None]
    return (
        np.take_along_axis(height, best, axis=-1)[..., 0],
        np.take_along_axis(q, best, axis=-1)[..., 0],
    )


def _user_mixtures(payoffs: Floats, effort: Floats) -> Floats:
    """Return an optimal mixture of the rows of each (A, 2) game, shape (..., A).

    Against the column player's weight q several rows may be best.  The mixture must leave nothing
    to gain by moving q: of the best rows, mix the most falling and the most rising so that the
    slope is 0, or take one whose slope points beyond an end at which q already is.
    """
    start, slope = payoffs[..., 0], payoffs[..., 1] - payoffs[..., 0]
    height = start + effort[..., None] * slope
    best = height >= height.max(axis=-1, keepdims=True) - 1e-9
    falling = np.where(best, slope, np.inf)
    rising = np.where(best, slope, -np.inf)
    down, up = falling.min(axis=-1), rising.max(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(up > down, up / (up - down), 1.0)  # of the most falling row
    share = np.where((effort >= 1.0) & (down <= 0.0), 1.0, share)
    share = np.where((effort <= 0.0) & (up >= 0.0), 0.0, share)
    share = np.clip(share, 0.0, 1.0)[..., None]
    rows = np.eye(payoffs.shape[-2])
    return share * rows[falling.argmin(axis=-1)] + (1.0 - share) * rows[rising.argmax(axis=-1)]
