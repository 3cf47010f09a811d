r"""Best-response dynamics (BRD).

The records take turns.  In its turn, a record changes to its best action while all others keep
theirs; if no other action is strictly better, it stays.  All records share one payoff, which every
move increases.  There are finitely many profiles, so the dynamics stop at a pure Nash equilibrium.

If n records play one by one (Algorithm 1 of the paper, with its loop condition corrected), a pass
costs :math:`O(n^2 V K)`.  Three facts remove the factor :math:`n^2`:

1. All records of a group (k, v) have the same best response, so the matrix C[k, v] is sufficient.
2. A move changes S by the difference of two kernel rows, and KL by a sum over the K outputs.
3. While records of a group make the same move one after another, KL is convex in their number, and,
   by the linear form of pDP, the numbers at which all records are private form an interval.  A
   batch of these records can therefore move at once if the last of them still gains.  The size of a
   batch is found by doubling and halving.  In some games, the best response of a group alternates
   between two actions from record to record, so that every batch would contain a single record.
   After 32 batches of a group in one pass, it is therefore sufficient that the move of the last
   record increases the payoff, even if it is not this record's best response.

Payoffs are compared as pairs, first by :math:`P_E` and then by KL.  So no move reduces the number
of private records for the sake of a smaller KL, and once all are private, they remain private.

These statements remain true on a computer, because each step increases the exact pair.  The number
:math:`P_E` is counted without rounding, from an exact mass S.  The change in KL is computed with a
bound on its rounding error, and a record moves for the sake of KL only if KL falls by more than
this bound and by more than :math:`10^{-12}/n`.  So no profile is visited twice, the dynamics stop,
and no record can then gain more than these tolerances.

**Large games.**  In some games the number of steps grows roughly like the square root of n, because
groups at the bounds of privacy must wait for each other.  A smaller game saves most of these steps.
Take a profile of m records, and replace each record by four copies.  Then S becomes 4 S, and since
:math:`\tau(n)=1-e^{-\varepsilon}(1-1/n)` and :math:`\sigma(n)=1-e^\varepsilon(1-1/n)`,

.. math:: 4\,\tau(4m)-\tau(m)=3\,(1-e^{-\varepsilon})\ge0, \qquad
   4\,\sigma(4m)-\sigma(m)=3\,(1-e^\varepsilon)\le0 .

So every record that was private at δ = 0 remains private, and KL does not change.  If 4 τ(4m) < 1,
the smaller game is played with the ε at which its τ equals 4 τ(4m), so that rows have the same
upper bounds in both games.  If ε ≥ ln(n/(n−1)), the larger game has no lower bounds, because σ ≤ 0.

If a game of more than 2²⁰ records has not converged after 2¹⁷ steps, a game with a quarter of the
records is played from the same start (after a still smaller game if this game, too, is so large).
The final profile of the smaller game is multiplied by four and completed in the bins whose numbers
of records are not multiples of four.  If exact arithmetic shows that this profile is better than
the present profile, it replaces the present profile, and the dynamics continue.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pdpbook import _loops, _validate
from pdpbook.game.nvo_game import NVOGame, Outcome
from pdpbook.game.solution import Solution

__all__ = ["BestResponse", "best_response_dynamics"]

#: Largest number of records of a game that is played without a smaller game, and the number of
#: its records for each record of the smaller game.
_LARGE, _PART = 2**20, 4


@dataclass(frozen=True, eq=False, repr=False)
class BestResponse(Solution):
    """The result and the course of best-response dynamics; a :class:`Solution`.

    If ``converged``, no record moved in the last pass, and the profile is a Nash equilibrium.
    Privacy refers to the fixed-noise loss under removal.

    Attributes
    ----------
    private_counts : ndarray of int, shape (steps + 1,)
        P_E at the start and after each step, which consists of one or more equal moves.
    divergences : ndarray, shape (steps + 1,)
        KL(q || output) in nats, at the same times.
    sweeps : int
        Number of passes over all records, including a final pass without a move if there was one.
    moves : int
        Number of records that changed their action, counted with repetition.
    """

    profile: NDArray[np.int64]
    private_counts: NDArray[np.int64]
    divergences: NDArray[np.float64]
    sweeps: int
    moves: int

    @property
    def payoffs(self) -> NDArray[np.float64]:
        """The common payoff at the start and after each step, shape (steps + 1,)."""
        return self.private_counts + 1.0 - self.divergences / math.log(len(self.profile))


def best_response_dynamics(
    game: NVOGame,
    *,
    start: ArrayLike | None = None,
    rng: np.random.Generator | None = None,
    max_sweeps: int = 1000,
    batch: bool = True,
) -> BestResponse:
    """Let the records play best responses in turn until no record moves.

    Parameters
    ----------
    game : NVOGame
    start : array_like of int, shape (K, V), optional
        The first profile.  By default, every record starts at random, and ``rng`` is required.
    rng : numpy.random.Generator, optional
    max_sweeps : int
        Maximum number of passes, of at most 2¹⁷ steps each, in this game and in each smaller game.
    batch : bool
        Whether equal records may move together.  Otherwise the records move one by one, in the
        order of bins and actions, exactly as in Algorithm 1, at a cost proportional to n.

    Returns
    -------
    BestResponse
        If records still move in the last pass, it has ``converged=False``.

    Notes
    -----
    Source: Ryu, Jang & Yang (2024), Algorithm 1, whose printed loop runs *while* the payoff has
    converged.  Taught in *Best-response dynamics*.

    Examples
    --------
    >>> from pdpbook import NVOGame, laplace_kernel
    >>> game = NVOGame([40, 30, 1], laplace_kernel(3, [0.05, 0.3]), epsilon=1.0)
    >>> result = best_response_dynamics(game, start=game.constant_profile(1))
    >>> result.converged, game.evaluate(result.profile).is_nash(), result.private_records
    (True, True, 71)
    >>> result.profile
    array([[40,  0],
           [30,  0],
           [ 0,  1]])
    """
    game = _validate.instance("game", game, NVOGame)
    max_sweeps = _validate.integer("max_sweeps", max_sweeps, at_least=1)
    batch = _validate.boolean("batch", batch)
    if rng is not None:
        rng = _validate.generator("rng", rng)
    if start is None:
        if rng is None:
            raise ValueError("a random start requires a generator, got start=None and rng=None")
        start = game.random_profile(rng=rng)
    profile = _validate.profile_matrix("start", start, counts=game.counts, actions=game.actions)
    began, large = time.perf_counter(), batch and game.records > _LARGE
    most = _loops.STEPS if large else math.inf
    first = play(game, profile.copy(), max_sweeps=max_sweeps, batch=batch, max_steps=most)
    if not large or first.converged or first.sweeps == max_sweeps:
        return first
    grown = _grown(game, profile, max_sweeps)
    scratch, reached = _loops.new_scratch(game.bins), first.profile.copy()
    better = _loops.is_better(game.compiled, reached, grown, scratch)
    jump = int(np.abs(grown - reached).sum()) // 2 if better else 0
    left, new = max_sweeps - first.sweeps, slice(0 if better else 1, None)
    rest = play(game, grown if better else reached, max_sweeps=left, batch=True)
    return replace(
        rest,
        seconds=time.perf_counter() - began,
        private_counts=np.concatenate([first.private_counts, rest.private_counts[new]]),
        divergences=np.concatenate([first.divergences, rest.divergences[new]]),
        sweeps=first.sweeps + rest.sweeps,
        moves=first.moves + jump + rest.moves,
    )


def _grown(game: NVOGame, start: NDArray[np.int64], max_sweeps: int) -> NDArray[np.int64]:
    """Return four times the final profile of a game with a quarter of the records."""
    counts = np.where(game.counts > 0, np.maximum(game.counts // _PART, 1), 0)
    small = NVOGame(counts, game.kernel, epsilon=_scaled(game, int(counts.sum())), delta=game.delta)
    profile = _completed(start // _PART, start, counts)
    if _LARGE < small.records < game.records:
        profile = _grown(small, profile, max_sweeps)
    end = play(small, profile, max_sweeps=max_sweeps, batch=True).profile
    return _completed(end * _PART, end, game.counts)


def _scaled(game: NVOGame, records: int) -> float:
    """Return the ε at which fewer records have the same upper bound on rows, if there is one."""
    tau = game.tau * game.records / records
    if tau >= 1.0:
        return game.epsilon
    return max(game.epsilon, math.log1p(-1 / records) - math.log1p(-tau))


def _completed(
    profile: NDArray[np.int64], like: NDArray[np.int64], counts: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Correct each bin's number of records by changing the number at its most common action."""
    profile[np.arange(counts.size), like.argmax(axis=1)] += counts - profile.sum(axis=1)
    return profile


def play(
    game: NVOGame,
    profile: NDArray[np.int64],
    *,
    max_sweeps: int,
    batch: bool,
    unit: int = 1,
    max_steps: float = math.inf,
) -> BestResponse:
    """Play best responses from a checked profile, which is changed in place.

    A part of a group moves only if it has at least ``unit`` records.  No pass begins after
    ``max_steps`` steps.
    """
    began = time.perf_counter()
    scratch = _loops.new_scratch(game.bins)
    private, drops = [], []
    first = Outcome(game, profile).divergence
    moves = steps = 0
    for sweeps in range(1, max_sweeps + 1):
        moved, trace_private, trace_drop = _loops.best_response_sweep(
            game.compiled, profile, scratch, batch, unit, -1, -1
        )
        begin = 0 if sweeps == 1 else 1  # a later pass begins where the previous pass ended
        private.append(trace_private[begin:])
        drops.append(trace_drop[begin:])
        moves += moved
        steps += len(trace_drop) - 1
        if moved == 0 or steps >= max_steps:
            break
    private_counts = np.concatenate(private)
    divergences = np.maximum(first - np.cumsum(np.concatenate(drops)), 0.0)
    divergences[-1] = Outcome(game, profile).divergence
    return BestResponse(
        profile=profile,
        divergence=float(divergences[-1]),
        private_records=int(private_counts[-1]),
        converged=bool(moved == 0),
        seconds=time.perf_counter() - began,
        private_counts=private_counts,
        divergences=divergences,
        sweeps=sweeps,
        moves=int(moves),
    )
