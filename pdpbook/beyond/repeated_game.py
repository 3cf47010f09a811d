r"""The repeated game between a user who publishes and an adversary who attacks.

In each round, an item d of data with stake :math:`D_d` is drawn.  The user publishes it with
granularity a in [0, 1], the adversary attacks with effort b in [0, 1], and the attack succeeds with
probability a·b.  Both know the response r of the previous round: 1 after a success and 0 otherwise.
The user's payoff in a round is :math:`Q(a) - D_d(1+\kappa r)\,a b`, with quality of service Q, and
rounds are discounted by :math:`\gamma<1`.  If items are drawn independently, the value of a state
(d, r) depends on the future only through two numbers, :math:`W(r)=\mathbb E_d V(d, r)`:

.. math:: V(d, r) = \max_x\min_b \mathbb E\bigl[Q(a) - ab\,\bigl(D_d(1+\kappa r)
          + \gamma(W(0)-W(1))\bigr)\bigr] + \gamma W(0).

This module solves the game exactly; :mod:`pdpbook.beyond.q_learning` learns it from play.  Taught
in *The repeated privacy game*.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pdpbook import _validate
from pdpbook._repr import short_repr
from pdpbook.beyond.matrix_games import best_mixtures, two_column_games

__all__ = [
    "RepeatedGame",
    "RepeatedSolution",
    "best_granularity",
    "quality_of_service",
    "solve_repeated",
]

Floats = NDArray[np.float64]
_MOST_ROUNDS = 1000  # most rounds of policy iteration


def quality_of_service(
    granularity: ArrayLike, *, steepness: float = 10.0, centre: float = 0.5, printed: bool = False
) -> Floats:
    r"""Return the value of the published granularity to the user.

    Parameters
    ----------
    granularity : array_like
        The granularity a in [0, 1] of the publication.
    steepness, centre : float
        Steepness ρ > 0, and the point σ at which the quality is 0.
    printed : bool
        Use the formula as printed, :math:`\frac{2e^{-\rho(a-\sigma)}}{1+e^{-\rho(a-\sigma)}}-1`,
        which *decreases* in a.

    Returns
    -------
    ndarray
        The quality :math:`\frac2{1+e^{-\rho(a-\sigma)}}-1=\tanh\frac{\rho(a-\sigma)}2`, or its
        negative if ``printed``.

    Notes
    -----
    Source: Cui et al. (2019), eq. (5).  Taught in *The repeated privacy game*.

    Examples
    --------
    >>> quality_of_service([0.0, 0.5, 1.0]).round(3)
    array([-0.987,  0.   ,  0.987])
    """
    a = _validate.finite_array("granularity", granularity, at_least=0.0, at_most=1.0)
    steepness = _validate.number("steepness", steepness, above=0.0)
    centre = _validate.number("centre", centre)
    printed = _validate.boolean("printed", printed)
    rising = _quality(a, steepness, centre)
    return -rising if printed else rising


def _quality(a: Floats, steepness: float, centre: float) -> Floats:
    """Return the increasing quality; it is ±1 if the exponent overflows."""
    with np.errstate(over="ignore"):
        return np.tanh(0.5 * steepness * (a - centre))


def best_granularity(stake: ArrayLike, *, steepness: float = 10.0, centre: float = 0.5) -> Floats:
    r"""Return the optimal granularity against an attack with full effort, in closed form.

    Parameters
    ----------
    stake : array_like
        Loss D ≥ 0 per unit of granularity.
    steepness, centre : float
        ρ and σ of :func:`quality_of_service`.

    Returns
    -------
    ndarray
        The granularity a in [0, 1] that maximises :math:`Q(a)-Da`: one of 0, 1 and
        :math:`\sigma+\frac1\rho\ln\frac s{1-s}` with
        :math:`s=\frac12\bigl(1+\sqrt{1-2D/\rho}\bigr)`.

    Notes
    -----
    Cui et al. (2019) announce a closed form in section 5.5 but do not print it.  Taught in *The
    repeated privacy game*.

    Examples
    --------
    >>> best_granularity([0.0, 1.0, 3.0]).round(3)
    array([1.   , 0.789, 0.   ])
    """
    steepness = _validate.number("steepness", steepness, above=0.0)
    centre = _validate.number("centre", centre)
    loss = _validate.finite_array("stake", stake, at_least=0.0)
    with np.errstate(over="ignore", divide="ignore"):
        share = 2.0 * loss / steepness
        root = np.sqrt(np.maximum(0.0, 1.0 - share))
        # ln(s / (1 - s)) with (1 + root)(1 - root) = share; no digits are lost if root is nearly 1
        inner = centre + (2.0 * np.log1p(root) - np.log(share)) / steepness
    options = np.stack([np.zeros_like(loss), np.clip(inner, 0.0, 1.0), np.ones_like(loss)])
    worth = _quality(options, steepness, centre) - loss * options
    return np.take_along_axis(options, worth.argmax(axis=0)[None], axis=0)[0]


@dataclass(frozen=True, eq=False)
class RepeatedGame:
    r"""The repeated game between a user and an adversary.

    Parameters
    ----------
    stakes : array_like, shape (n,)
        Stake :math:`D_d\ge0` of each item of data: the loss if an attack on it succeeds.
    items : array_like, shape (n,) or (n, n), optional
        Probability of each item, or of the next item given the present one; equal by default.
    granularities : array_like, shape (A,)
        The granularities that the user may choose, in [0, 1].
    memory : float
        :math:`\kappa\ge0`: after a successful attack, the next stake is multiplied by 1 + κ.
    discount : float
        :math:`\gamma` in [0, 1): the weight of the next round.
    steepness, centre, printed
        As in :func:`quality_of_service`.

    Notes
    -----
    Source: Cui et al. (2019), section 5, which has no discount and leaves the loss open.  Taught
    in *The repeated privacy game*.

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

    __repr__ = short_repr

    def __post_init__(self) -> None:
        """Check all arguments."""
        stakes = _validate.finite_vector("stakes", self.stakes, at_least=0.0)
        n = stakes.size
        items = np.full(n, 1.0 / n)
        if self.items is not None:
            items = _validate.finite_array("items", self.items)
        if items.shape not in {(n,), (n, n)}:
            raise ValueError(
                f"items must have shape ({n},) or ({n}, {n}), got items of shape {items.shape}"
            )
        for row in np.atleast_2d(items):
            _validate.distribution("items", row)
        grains = _validate.finite_vector(
            "granularities", self.granularities, entries=2, at_least=0.0, at_most=1.0
        )
        for name, array in (("stakes", stakes), ("items", items), ("granularities", grains)):
            array.setflags(write=False)
            object.__setattr__(self, name, array)
        object.__setattr__(self, "items", np.broadcast_to(items, (n, n)))
        memory = _validate.number("memory", self.memory, at_least=0.0)
        if not np.isfinite(float(stakes.max()) * (1.0 + memory)):
            raise _validate.fail("memory", "so small that (1 + memory) * stakes is finite", memory)
        for name, value in (
            ("memory", memory),
            ("discount", _validate.number("discount", self.discount, at_least=0.0, below=1.0)),
            ("steepness", _validate.number("steepness", self.steepness, above=0.0)),
            ("centre", _validate.number("centre", self.centre)),
            ("printed", _validate.boolean("printed", self.printed)),
        ):
            object.__setattr__(self, name, value)

    @property
    def independent(self) -> bool:
        """Whether the next item is independent of the present item."""
        return bool(np.allclose(self.transitions, self.transitions[0]))

    @property
    def transitions(self) -> Floats:
        """Probability of the next item given the present item, shape (n, n)."""
        assert self.items is not None
        return self.items

    @cached_property
    def success(self) -> Floats:
        """Probability a·b that an attack succeeds, shape (A, 2); efforts are 0 and 1."""
        success = self.granularities[:, None] * np.array([0.0, 1.0])
        success.setflags(write=False)
        return success

    @property
    def quality(self) -> Floats:
        """Quality of service of each granularity, shape (A,)."""
        return quality_of_service(
            self.granularities, steepness=self.steepness, centre=self.centre, printed=self.printed
        )

    @cached_property
    def rewards(self) -> Floats:
        """Expected payoff of a round by item, response, granularity and effort, (n, 2, A, 2)."""
        stake = self.stakes[:, None] * (1.0 + self.memory * np.array([0.0, 1.0]))
        rewards = self.quality[:, None] - stake[:, :, None, None] * self.success
        rewards.setflags(write=False)
        return rewards


@dataclass(frozen=True, eq=False)
class RepeatedSolution:
    """Exact solution of a repeated game.

    Attributes
    ----------
    values : ndarray, shape (n, 2)
        Value to the user of each item and previous response.
    response_values : ndarray, shape (n, 2)
        Expected value of the next round for each response, given the present item; the rows are
        equal if items are independent.
    user, effort : ndarray, shape (n, 2, A) and (n, 2)
        Probability of each granularity, and the adversary's effort, in each state.
    iterations : int
        Rounds of policy iteration, that is, of changes of the adversary's efforts.
    """

    values: Floats
    response_values: Floats
    user: Floats
    effort: Floats
    iterations: int

    __repr__ = short_repr


def solve_repeated(game: RepeatedGame, *, tolerance: float = 1e-10) -> RepeatedSolution:
    r"""Solve the repeated game by policy iteration over matrix games.

    Parameters
    ----------
    game : RepeatedGame
    tolerance : float
        Largest distance to the exact values; rounding may add about 1e-14 times the largest payoff
        of a round, divided by :math:`1-\gamma`.

    Returns
    -------
    RepeatedSolution

    Raises
    ------
    RuntimeError
        If 1,000 rounds are not enough.

    Notes
    -----
    Source: Hoffman & Karp (1966).  In each round, the user's best reply to the adversary's efforts
    is computed exactly, which gives the value of every state; the adversary then changes to the
    efforts that are optimal in the matrix games with these future values.  Each round multiplies
    the error by at most γ.  The value of a matrix game changes by at most the largest change of an
    entry, so a change of c leaves a distance of at most :math:`c/(1-\gamma)`.  The common part of
    the values is computed separately from their differences, so that no digits are lost as γ
    approaches 1.  Taught in *The repeated privacy game*.

    Examples
    --------
    >>> solution = solve_repeated(RepeatedGame([0.5, 4.0], memory=1.0))
    >>> solution.values.round(3)
    array([[ 0.111, -0.264],
           [-1.278, -1.278]])
    """
    game = _validate.instance("game", game, RepeatedGame)
    tolerance = _validate.number("tolerance", tolerance, above=0.0)
    rewards, patience = game.rewards, 1.0 - game.discount
    _, effort = two_column_games(rewards)
    for iterations in range(1, _MOST_ROUNDS + 1):
        gain, ahead, values = _best_reply(game, rewards, effort)
        # payoffs of a round with the discounted future, shape (n, 2, A, 2)
        stage = rewards + game.discount * expected_ahead(ahead, game.success)[:, None]
        new, effort = two_column_games(stage)
        rounding = 1e-14 * np.abs(stage).max()
        if np.abs(new - values).max() <= max(tolerance * patience, rounding):
            common = gain / patience  # the common part of the values
            users = best_mixtures(stage, effort)
            return RepeatedSolution(
                game.discount * common + new, common + ahead, users, effort, iterations
            )
    raise RuntimeError(
        f"policy iteration did not reach tolerance={tolerance!r} in {_MOST_ROUNDS} rounds"
    )


def _best_reply(
    game: RepeatedGame, rewards: Floats, effort: Floats
) -> tuple[float, Floats, Floats]:
    """Return the value of the user's best reply to stationary efforts.

    The future values are ``gain / (1 - discount) + ahead`` with ``ahead[0, 0] = 0``.  The last
    array, shape (n, 2), is the payoff of the round plus the discounted ``ahead``.
    """
    share = effort[..., None]
    payoff = (1.0 - share) * rewards[..., 0] + share * rewards[..., 1]  # (n, 2, A)
    chance = share * game.granularities  # probability of a success
    row = payoff.argmax(axis=-1)[..., None]
    for _ in range(_MOST_ROUNDS):
        broken = np.take_along_axis(chance, row, axis=-1)[..., 0]
        reward = np.take_along_axis(payoff, row, axis=-1)[..., 0]
        gain, ahead = _policy_values(game, reward, broken)
        worth = payoff + game.discount * (
            ahead[:, None, None, 0] + chance * (ahead[:, None, None, 1] - ahead[:, None, None, 0])
        )
        values = np.take_along_axis(worth, row, axis=-1)
        better = worth.max(axis=-1, keepdims=True) > values + 4e-15 * np.abs(worth).max()
        if not better.any():
            break
        row = np.where(better, worth.argmax(axis=-1)[..., None], row)
    return gain, ahead, values[..., 0]


def _policy_values(game: RepeatedGame, reward: Floats, broken: Floats) -> tuple[float, Floats]:
    r"""Solve the linear system of the future values when both sides' plans are fixed.

    Let W(j, s) be the future value if the next item is drawn from row j and the response is s.
    Then :math:`W=\bar r+\gamma MW`, the mean reward plus the discounted future.  If items are
    independent, all rows are equal and there are only two unknowns.
    """
    rows = game.transitions
    alike = bool((rows == rows[0]).all())
    chances = np.stack([1.0 - broken, broken], axis=-1)  # (n, 2, 2): item, response, next response
    if alike:
        moves = np.einsum("d,drs->rs", rows[0], chances)
        mean = rows[0] @ reward
    else:
        moves = np.einsum("jd,drs->jrds", rows, chances).reshape(2 * len(rows), -1)
        mean = (rows @ reward).ravel()
    system = np.eye(mean.size) - game.discount * moves
    system[:, 0] = 1.0  # the first unknown is 0; the gain takes its place
    gain, *others = np.linalg.solve(system, mean)
    ahead = np.array([0.0, *others]).reshape(-1, 2)
    return float(gain), np.broadcast_to(ahead, (len(rows), 2))


def expected_ahead(ahead: Floats, success: Floats) -> Floats:
    """Return the mean of (..., 2) future values per granularity and effort, (..., A, 2)."""
    return ahead[..., 0, None, None] + success * (ahead[..., 1] - ahead[..., 0])[..., None, None]
