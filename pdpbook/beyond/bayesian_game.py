r"""Static games with private types: Bayesian Nash equilibria, found and verified.

Each side has a type that the other side does not know, and chooses an action.  A plan contains a
probability for each action of each type.  A pair of plans is a Bayesian Nash equilibrium if no type
of either side gains by changing its action.  If the game is zero-sum, a linear program finds an
equilibrium.  Any other game is written as a matrix game of pure plans, and the equilibria of that
game are enumerated.

The module also contains algorithm 1 of Cui et al. (2019), a loop in which all types act at the same
time.  Without averaging, the loop can end only at a pure equilibrium.

The games are built in :mod:`pdpbook.beyond.privacy_games`.  Taught in *The privacy game*.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pdpbook import _validate
from pdpbook._extras import require
from pdpbook._repr import short_repr

__all__ = [
    "BayesianGame",
    "Equilibrium",
    "bayesian_equilibria",
    "simultaneous_replies",
    "zero_sum_equilibrium",
]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class BayesianGame:
    """A static game of two sides with private types.

    Parameters
    ----------
    user, adversary : array_like, shape (T, S, A, B)
        Payoffs when the user has type t and plays a, and the adversary has type s and plays b.
    prior : array_like, shape (T, S)
        Probability of each pair of types, which is common knowledge.

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

    __repr__ = short_repr

    def __post_init__(self) -> None:
        """Check the arrays, and make them read-only."""
        user = _validate.finite_array("user", self.user)
        adversary = _validate.finite_array("adversary", self.adversary)
        prior = _validate.finite_array("prior", self.prior)
        if user.ndim != 4:
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
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    @property
    def is_zero_sum(self) -> bool:
        """Whether one side loses what the other wins, in every cell, up to rounding."""
        scale = max(_scale(self.user), _scale(self.adversary))
        return bool(np.abs(self.user / scale + self.adversary / scale).max() <= 1e-12)

    def payoffs(self, user_plan: ArrayLike, adversary_plan: ArrayLike) -> tuple[float, float]:
        """Return the expected payoffs (user, adversary) before types are known.

        The plans, shapes (T, A) and (S, B), contain the probability of each action for each type.
        """
        x, y = self._plans(user_plan, adversary_plan)
        path = "ts,tsab,ta,sb->"
        return (
            float(np.einsum(path, self.prior, self.user, x, y)),
            float(np.einsum(path, self.prior, self.adversary, x, y)),
        )

    def regret(self, user_plan: ArrayLike, adversary_plan: ArrayLike) -> float:
        """Return the largest gain that any type of either side could make by changing its action.

        It is the gain in expected payoff given the type, for plans as in :meth:`payoffs`; types
        with probability 0 do not count.  It is 0 if and only if the plans are a Bayesian Nash
        equilibrium.
        """
        x, y = self._plans(user_plan, adversary_plan)
        gains = []
        for value, plan, axis in zip(self._values(x, y), (x, y), (1, 0), strict=True):
            weight = self.prior.sum(axis=axis)
            gain = value.max(axis=1) - (value * plan).sum(axis=1)
            gains.append((gain[weight > 0] / weight[weight > 0]).max())
        return float(max(*gains, 0.0))

    def _values(self, x: Floats, y: Floats) -> tuple[Floats, Floats]:
        """Return the payoff of each action of each type against the other side's plan."""
        return (
            np.einsum("ts,tsab,sb->ta", self.prior, self.user, y),
            np.einsum("ts,tsab,ta->sb", self.prior, self.adversary, x),
        )

    def _plans(self, user_plan: ArrayLike, adversary_plan: ArrayLike) -> tuple[Floats, Floats]:
        types, kinds, actions, attacks = self.user.shape
        plans = []
        for name, plan, shape in (
            ("user_plan", user_plan, (types, actions)),
            ("adversary_plan", adversary_plan, (kinds, attacks)),
        ):
            array = _validate.finite_array(name, plan)
            if array.shape != shape:
                raise ValueError(
                    f"{name} must have shape {shape}, got {name} of shape {array.shape}"
                )
            for row in array:
                _validate.distribution(name, row)
            plans.append(array)
        return plans[0], plans[1]


@dataclass(frozen=True, eq=False)
class Equilibrium:
    """A pair of plans, and its distance from a Bayesian Nash equilibrium.

    Attributes
    ----------
    user, adversary : ndarray, shape (T, A) and (S, B)
        Probability of each action of each type.
    payoffs : tuple of float
        Expected payoffs (user, adversary).
    regret : float
        Largest gain of any type by a change of its action, recomputed from the game.
    """

    user: Floats
    adversary: Floats
    payoffs: tuple[float, float]
    regret: float

    __repr__ = short_repr


def _scale(payoff: Floats) -> float:
    """Return the largest absolute payoff, by which a table is divided before it is solved."""
    return float(np.abs(payoff).max()) or 1.0


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
    answers in the way that is worst for the user.  Taught in *The privacy game*.

    Parameters
    ----------
    game : BayesianGame
        A game for which ``is_zero_sum`` is true.

    Returns
    -------
    Equilibrium
        The adversary's plan consists of the dual variables.

    Examples
    --------
    >>> pennies = np.array([[2.0, -1.0], [-1.0, 1.0]])[None, None]
    >>> found = zero_sum_equilibrium(BayesianGame(pennies, -pennies, [[1.0]]))
    >>> found.user.round(3), found.adversary.round(3), round(found.payoffs[0], 3)
    (array([[0.4, 0.6]]), array([[0.4, 0.6]]), 0.2)
    """
    from scipy.optimize import linprog

    game = _validate.instance("game", game, BayesianGame)
    if not game.is_zero_sum:
        with np.errstate(over="ignore"):
            worst = float(np.abs(game.user + game.adversary).max())
        raise ValueError(f"game must be zero-sum, got payoffs with a sum of up to {worst!r}")
    types, kinds, actions, attacks = game.user.shape
    weighted = game.prior[:, :, None, None] * (game.user / _scale(game.user))
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


def simultaneous_replies(
    game: BayesianGame, *, rounds: int = 1000, averaging: bool = False
) -> Equilibrium:
    """Let all types reply at the same time in every round, and return the last plans.

    Every type begins with its first action, and then takes the best reply to the other side's plan.

    Parameters
    ----------
    game : BayesianGame
    rounds : int, 1 to a million
        The largest number of rounds; the loop ends earlier at an equilibrium.
    averaging : bool
        Whether the plans are averages over all rounds (fictitious play), not the last replies.

    Returns
    -------
    Equilibrium
        It is an equilibrium only if its regret is 0.

    Notes
    -----
    Source: algorithm 1 of Cui et al. (2019), which leaves open how the plans are updated.  Without
    averaging, the loop can end only at a pure equilibrium.  Taught in *The privacy game*.

    Examples
    --------
    >>> stag = np.array([[4.0, 0.0], [3.0, 2.0]])[None, None]
    >>> found = simultaneous_replies(BayesianGame(stag, stag.transpose(0, 1, 3, 2), [[1.0]]))
    >>> found.user, found.regret
    (array([[1., 0.]]), 0.0)
    """
    game = _validate.instance("game", game, BayesianGame)
    rounds = _validate.integer("rounds", rounds, at_least=1, at_most=10**6)
    averaging = _validate.boolean("averaging", averaging)
    types, kinds, actions, attacks = game.user.shape
    plans = [np.eye(actions)[[0] * types], np.eye(attacks)[[0] * kinds]]
    for k in range(1, rounds + 1):
        values = game._values(plans[0], plans[1])
        sides = [*zip(plans, values, strict=True)]
        if all(((plan * value).sum(axis=1) >= value.max(axis=1)).all() for plan, value in sides):
            break
        step = 1 / (k + 1) if averaging else 1.0
        replies = [np.eye(value.shape[1])[value.argmax(axis=1)] for value in values]
        plans = [plan + step * (reply - plan) for plan, reply in zip(plans, replies, strict=True)]
    return _equilibrium(game, plans[0], plans[1])


def bayesian_equilibria(game: BayesianGame, *, tolerance: float = 1e-9) -> tuple[Equilibrium, ...]:
    """Find equilibria of a general game with private types.

    If each side has at most 8 pure plans, support enumeration finds the equilibria of their matrix
    game.  Otherwise, or if there is no result, the lexicographic Lemke-Howson algorithm runs from
    every start and finds at least one equilibrium.  Both algorithms are from the library QuantEcon.
    A result is kept only if its regret, computed from the game, is 0.  Taught in *The privacy
    game*.

    Parameters
    ----------
    game : BayesianGame
        A game in which :math:`A^T` and :math:`B^S`, the numbers of pure plans, are at most 4,096.
    tolerance : float
        Largest regret that counts as 0, as a share of the side's largest absolute payoff.

    Returns
    -------
    tuple of Equilibrium
        In descending order of the user's payoff.  Two equilibria are different if the plan of
        either side differs by more than 1e-7.  A degenerate game may have further equilibria.

    Examples
    --------
    >>> stag = np.array([[4.0, 0.0], [3.0, 2.0]])[None, None]
    >>> hare = stag.transpose(0, 1, 3, 2)
    >>> found = bayesian_equilibria(BayesianGame(stag, hare, [[1.0]]))
    >>> [equilibrium.user.round(3).tolist() for equilibrium in found]
    [[[1.0, 0.0]], [[0.667, 0.333]], [[0.0, 1.0]]]
    """
    theory = require("quantecon.game_theory")
    game = _validate.instance("game", game, BayesianGame)
    tolerance = _validate.number("tolerance", tolerance, above=0.0)
    unit = BayesianGame(
        game.user / _scale(game.user), game.adversary / _scale(game.adversary), game.prior
    )
    types, kinds, actions, attacks = game.user.shape
    if actions**types > 4096 or attacks**kinds > 4096:
        raise ValueError(
            "game must have at most 4096 pure plans for each side, "
            f"got {actions**types} and {attacks**kinds}"
        )
    mine = np.array(list(itertools.product(range(actions), repeat=types)))
    theirs = np.array(list(itertools.product(range(attacks), repeat=kinds)))
    tables = []
    for payoff in (unit.user, unit.adversary):
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
        if unit.regret(found.user, found.adversary) <= tolerance and not any(same):
            kept.append(found)

    ours, other = (np.ascontiguousarray(table) for table in (tables[0], tables[1].T))
    matrix_game = theory.NormalFormGame((theory.Player(ours), theory.Player(other)))
    if max(tables[0].shape) <= 8:
        for pair in theory.support_enumeration_gen(matrix_game):
            keep(pair)
    for label in range(sum(tables[0].shape)) if not kept else ():
        keep(theory.lemke_howson(matrix_game, init_pivot=label))
    return tuple(sorted(kept, key=lambda found: -found.payoffs[0]))
