r"""Best-response dynamics (BRD).

The records take turns.  In its turn, a record changes to its best action while all others keep
theirs, and it stays if no other action is strictly better.  All records share one payoff, so every
move increases it.  There are finitely many profiles, so the dynamics stop, and
they stop at a pure Nash equilibrium.

A pass over n records, played one by one (Algorithm 1 of the paper, with its loop condition
corrected), costs :math:`O(n^2 V K)`.  Three facts remove the factor :math:`n^2`:

1. All records of a group (k, v) have the same best response, so the matrix C[k, v] is enough.
2. A move changes S by the difference of two kernel rows, and KL by a sum over the K outputs.
3. While records of a group make the same move one after another, KL is convex in their number, and
   by the linear form of pDP the numbers at which all records are private form an interval.  So a
   batch of them can move at once if its last record still gains.  Its size is found by doubling and
   halving.  In some games the best response of a group alternates between two actions from record
   to record, and every batch would be a single record.  Therefore, after 32 batches of a group in
   one pass, the move need only be better for the last record; it need not be its best response.

Payoffs are compared as pairs, first :math:`P_E` and then KL.  So no move sacrifices the privacy of
a record for a smaller KL, and after a profile at which all records are private, all records remain
private.

On a computer this holds for every game, because each step raises the pair as a pair of real
numbers.  :math:`P_E` is counted without rounding, from a mass S that is exact.  The change in KL is
computed with a bound on its rounding error, and a record moves for the sake of KL only if KL falls
by more than this bound and :math:`10^{-12}/n`.  So no profile is visited twice, the
dynamics stop, and at their end no record gains more than this.

**Large games.**  In some games the number of steps grows about like the square root of n, because
groups at the bounds of privacy have to wait for each other.  A smaller game saves most of these
steps.  Take a profile of m records, and replace each record by four.  Then 4 S takes the place of
S, and since :math:`\tau(n)=1-e^{-\varepsilon}(1-1/n)` and :math:`\sigma(n)=1-e^\varepsilon(1-1/n)`,

.. math:: 4\,\tau(4m)-\tau(m)=3\,(1-e^{-\varepsilon})\ge0, \qquad
   4\,\sigma(4m)-\sigma(m)=3\,(1-e^\varepsilon)\le0 .

So every record that was private at δ = 0 still is, and KL is the same.  Where 4 τ(4m) < 1, the
smaller game has the ε at which its τ is 4 τ(4m): its rows then have the same upper bounds, and for
ε ≥ ln(n/(n−1)) the larger game has no lower bounds, because σ ≤ 0.  If a game of more than 2²⁰
records is not at rest after 2¹⁷ steps, the game with a quarter of the records is played from the
same start (and if that is large, a still smaller one before it).  Its last profile, times four, is
completed where a bin does not divide by four.  It replaces the present profile if exact arithmetic
finds it better, and the dynamics go on.
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

#: Records up to which no smaller game is played, and how many of them become one in a smaller game.
_LARGE, _PART = 2**20, 4


@dataclass(frozen=True, eq=False, repr=False)
class BestResponse(Solution):
    """The result of best-response dynamics and its course; a :class:`Solution`.

    The profile is a Nash equilibrium if ``converged``: the last pass was without a move.
    A record counts as private by the fixed-noise loss of its removal.

    Attributes
    ----------
    private_counts : ndarray of int, shape (steps + 1,)
        P_E at the start and after each step; a step is one or more equal moves.
    divergences : ndarray, shape (steps + 1,)
        KL(q || output) in nats, at the same times.
    sweeps : int
        Passes over all records; the last one is without a move if ``converged``.
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
        The first profile.  Without it, every record starts at random and ``rng`` is needed.
    rng : numpy.random.Generator, optional
    max_sweeps : int
        Maximum number of passes, of at most 2¹⁷ steps each; a smaller game has as many.  If records
        still move in the last pass, the result has ``converged=False``.
    batch : bool
        Whether equal records may move together.  Without it each moves alone, exactly as in the
        literal algorithm with records in order of bin and action, at a cost proportional to n.

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
            raise ValueError("a random start needs a generator, got start=None and rng=None")
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
    """Return the profile at which a game of a quarter of the records ends, times four."""
    counts = np.where(game.counts > 0, np.maximum(game.counts // _PART, 1), 0)
    small = NVOGame(counts, game.kernel, epsilon=_scaled(game, int(counts.sum())), delta=game.delta)
    profile = _completed(start // _PART, start, counts)
    if small.records > _LARGE:
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
    """Add to each bin what it lacks, or take what it has too much, at its commonest action."""
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
    """Play best responses from a profile that has been checked, and change it in place.

    Part of a group moves only if it is at least ``unit`` records.  No pass begins after
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
        begin = 0 if sweeps == 1 else 1  # a later pass begins where the last one ended
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
