r"""Learning the repeated game from play, by three learners with ever fewer parameters.

Minimax-Q stores a number for each item, response, granularity and effort.  If the payoffs and the
probabilities of success are given, a number for each item and response is enough, and because items
are independent, a number for each response suffices (:mod:`pdpbook.beyond.repeated_game`).  All
three learners move their numbers by the fraction 1/visits towards the payoff of a round plus the
value of the next round, and their errors are measured against the exact solution.  Taught in *The
repeated privacy game*.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pdpbook import _validate
from pdpbook._repr import short_repr
from pdpbook.beyond.matrix_games import two_column_games
from pdpbook.beyond.repeated_game import RepeatedGame, expected_ahead, solve_repeated

__all__ = ["LearningCurve", "minimax_q_learning"]

Floats = NDArray[np.float64]
_BLOCK = 1024  # rounds that are drawn at once


@dataclass(frozen=True, eq=False)
class LearningCurve:
    """The error of a learner over time.

    Attributes
    ----------
    iterations : ndarray of int, shape (m,)
        Rounds after which the error was measured.
    errors, mean_errors : ndarray, shape (replicates, m)
        Largest error of the learned value of any state (item, response), and of W(0) and W(1), the
        values averaged over items.
    values : ndarray, shape (replicates, n, 2)
        The values after the last round.
    """

    iterations: NDArray[np.int64]
    errors: Floats
    mean_errors: Floats
    values: Floats

    __repr__ = short_repr

    def iterations_to(self, tolerance: float, *, mean: bool = False) -> Floats:
        """Return, per replicate, the first measured round after the last intolerable error.

        Only measured rounds count, and an error is tolerable if it is at most ``tolerance``.  The
        result is ``inf`` if the last error is intolerable; ``mean`` selects ``mean_errors``.
        """
        tolerance = _validate.number("tolerance", tolerance, above=0.0)
        padded = np.r_[self.iterations, np.inf]
        mean = _validate.boolean("mean", mean)
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
    """Learn the values of the repeated game from play, with step sizes 1/visits.

    Parameters
    ----------
    game : RepeatedGame
        A game with independent items; otherwise W(0) and W(1) are not defined.
    state : {"actions", "items", "response"}
        The index of the stored values.  ``"actions"``: item, response, granularity and effort; the
        values are learned from the realised payoffs of random play (minimax-Q).  ``"items"``: item
        and response; payoffs and probabilities of success are known.  ``"response"``: the response
        only, as in the reduction of Cui et al.
    steps : int
        Number of rounds, at most 10⁹; a round takes about 50 µs.
    rng : numpy.random.Generator
    replicates : int
        Number of independent learners, run in parallel.
    measurements : int
        Number of rounds after which the error is measured, evenly spaced on a logarithmic scale up
        to the last round; equal rounds count once.

    Returns
    -------
    LearningCurve

    Notes
    -----
    Source: Littman (1994); Cui et al. (2019), section 5.4, whose update has no discount.  Taught in
    *The repeated privacy game*.

    Examples
    --------
    >>> game = RepeatedGame([0.5, 2.0], memory=1.0)
    >>> curve = minimax_q_learning(
    ...     game, state="response", steps=2000, rng=np.random.default_rng(0))
    >>> bool(np.median(curve.errors[:, -1]) < 0.05)
    True
    """
    game = _validate.instance("game", game, RepeatedGame)
    state = _validate.choice("state", state, "actions", "items", "response")
    steps = _validate.integer("steps", steps, at_least=1, at_most=_validate.ROUNDS)
    rng = _validate.generator("rng", rng)
    replicates = _validate.integer("replicates", replicates, at_least=1)
    measurements = _validate.integer("measurements", measurements, at_least=1)
    _validate.memory("measurements", measurements, measurements, what="the times")
    if not game.independent:
        raise ValueError("game must have independent items, got dependent items")
    n, size = game.stakes.size, game.granularities.size
    for what, numbers in (("the rounds drawn at once", (_BLOCK,)), ("a table", (n, 2, size, 2))):
        _validate.memory("replicates", replicates, replicates, *numbers, what=what)
    most = min(measurements, steps)  # equal times count once
    _validate.memory("measurements", measurements, 2, replicates, most, what="the errors")
    runs = np.arange(replicates)
    chances, rewards, success = game.transitions[0], game.rewards, game.success
    lost = game.stakes[:, None] * (1.0 + game.memory * np.array([0.0, 1.0]))
    solution = solve_repeated(game)
    values = np.zeros((replicates, n, 2) if state != "response" else (replicates, 2))
    visits = np.zeros_like(values)
    table = np.zeros((replicates, n, 2, size, 2))
    entries = np.zeros_like(table)
    times = np.unique(np.geomspace(steps, 1, measurements).round().astype(np.int64))
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
            values[here] = two_column_games(table[here])[0]
        else:
            ahead = values if state == "response" else values[runs, following]
            stage = rewards[item, response] + game.discount * expected_ahead(ahead, success)
            visits[here] += 1
            values[here] += (two_column_games(stage)[0] - values[here]) / visits[here]
        item, response = following, broken
        if step == times[measured]:  # the last time is the last step
            learned = values
            if state == "response":  # one step of look-ahead gives the value of every item
                stage = rewards + game.discount * expected_ahead(values, success)[:, None, None]
                learned = two_column_games(stage)[0]
                mean = values
            else:
                mean = np.einsum("d,rdk->rk", chances, values)
            errors[:, measured] = np.abs(learned - solution.values).max(axis=(1, 2))
            exact_mean = solution.response_values[0]
            mean_errors[:, measured] = np.abs(mean - exact_mean).max(axis=1)
            measured += 1
    return LearningCurve(times, errors, mean_errors, learned)
