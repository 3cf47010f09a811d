r"""Best-response dynamics (BRD).

One record after another changes to the action that is best for it while the others stand still.
The payoff is common, so every move raises it; there are finitely many profiles, so the dynamics
stop, and they stop at a pure Nash equilibrium.

Played literally (Algorithm 1 of the paper, with its loop condition put right) a pass over n records
costs :math:`O(n^2 V K)`.  Three facts make the same dynamics independent of n:

1. The state is the matrix C[k, v]; records of one group (k, v) have the same best response.
2. A move changes S by the difference of two kernel rows, and KL by a sum of n-free terms.
3. Along a run of equal moves KL is convex and the private profiles form a convex set (Lemma 1),
   so a whole run can be taken at once if its last record still gains; its length is found by
   doubling and halving.

Payoffs are compared as pairs, first :math:`P_E`, then KL.  That is the tie rule that makes
Theorem 2 true without exception: from a profile at which everybody is private, no later move gives
up anybody's privacy.

**Coordinated moves.**  An equilibrium is safe against every single record, not against two that act
together: one record could be released with less noise if another one covered it.  Coordinated best
response looks for such pairs.  A group that would lower KL by breaking somebody's privacy moves,
and the cheapest group that restores the privacy moves with it, by exactly as many records as Lemma
1 asks for.  Because the pair is made only if it raises the payoff, the dynamics still stop, and
they stop at a Nash equilibrium that no such pair can leave.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from tqdm import tqdm

from pdpbook import _kernels, _validate
from pdpbook.game.nvo_game import NVOGame

__all__ = ["BestResponse", "best_response_dynamics", "coordinated_best_response"]

#: How much worse in KL a restart may end and still be gone on from, at first.
_TOLERANCE = 0.2


@dataclass(frozen=True, eq=False)
class BestResponse:
    """What best-response dynamics found, and how it got there.

    Attributes
    ----------
    profile : ndarray of int, shape (K, V)
        The last profile; a Nash equilibrium if ``converged``.
    private_records : ndarray of int, shape (steps + 1,)
        P_E at the start and after each step; a step is one or more equal moves.
    divergences : ndarray, shape (steps + 1,)
        KL(q || output) at the same times, in nats.
    payoffs : ndarray, shape (steps + 1,)
        The common payoff at the same times.
    sweeps : int
        Passes over all records, the last of them without a move if ``converged``.
    moves : int
        Number of records that changed their action, counted with repetition.
    converged : bool
        Whether a whole pass went by without a move.
    """

    profile: NDArray[np.int64]
    private_records: NDArray[np.int64]
    divergences: NDArray[np.float64]
    payoffs: NDArray[np.float64]
    sweeps: int
    moves: int
    converged: bool

    @property
    def divergence(self) -> float:
        """KL(q || output) at the end, in nats."""
        return float(self.divergences[-1])


def best_response_dynamics(
    game: NVOGame,
    start: ArrayLike | None = None,
    *,
    rng: np.random.Generator | None = None,
    max_sweeps: int = 1000,
    batch: bool = True,
) -> BestResponse:
    """Let the records play best responses in turn until nobody moves.

    Parameters
    ----------
    game : NVOGame
        The game.
    start : array_like of int, shape (K, V), optional
        The first profile.  Without it, every record starts at random and ``rng`` is needed.
    rng : numpy.random.Generator, optional
        Source of the random start.
    max_sweeps : int
        Passes after which to give up; the result then says ``converged=False``.
    batch : bool
        Whether equal records may move together.  Without it each moves alone, exactly as in the
        literal algorithm with records in order of bin and action, at a cost proportional to n.

    Returns
    -------
    BestResponse

    Raises
    ------
    ValueError, TypeError
        If the start is not a profile of the game, neither a start nor a generator is given, or
        another argument is not as described.

    Notes
    -----
    Source: Ryu, Jang & Yang (2024), Algorithm 1, whose printed loop runs *while* the payoff has
    converged.  Taught in *Best-response dynamics*.

    Examples
    --------
    >>> from pdpbook import NVOGame, laplace_kernel
    >>> game = NVOGame([40, 30, 1], laplace_kernel(3, [0.05, 0.3]), epsilon=1.0)
    >>> result = best_response_dynamics(game, game.constant_profile(1))
    >>> result.converged, game.is_nash(result.profile), game.private_records(result.profile)
    (True, True, 71)
    >>> result.profile
    array([[40,  0],
           [30,  0],
           [ 0,  1]])
    """
    max_sweeps = _validate.integer("max_sweeps", max_sweeps, at_least=1)
    batch = _validate.boolean("batch", batch)
    if rng is not None:
        rng = _validate.generator("rng", rng)
    if start is None:
        if rng is None:
            raise ValueError("a random start needs a generator, got start=None and rng=None")
        start = game.random_profile(rng)
    profile = _validate.profile_matrix(
        "start", start, counts=game.counts, actions=game.actions
    ).copy()
    mass, frequency = game.mass(profile), game.frequency
    private = [np.array([game.private_records(profile)])]
    drops = [np.zeros(1)]
    first = game.divergence(profile)
    moves = sweeps = 0
    moved = -1
    while moved != 0 and sweeps < max_sweeps:
        moved, trace_private, trace_drop = _kernels.best_response_sweep(
            profile, game.kernel, frequency, mass, game.records, game.limits, batch
        )
        private.append(trace_private[1:])
        drops.append(trace_drop[1:])
        moves += moved
        sweeps += 1
    private_records = np.concatenate(private)
    divergences = np.maximum(first - np.cumsum(np.concatenate(drops)), 0.0)
    divergences[-1] = game.divergence(profile)
    payoffs = private_records + 1.0 - divergences / math.log(game.bins)
    return BestResponse(
        profile, private_records, divergences, payoffs, sweeps, int(moves), moved == 0
    )


def coordinated_best_response(
    game: NVOGame,
    start: ArrayLike | None = None,
    *,
    rng: np.random.Generator | None = None,
    restarts: int = 0,
    max_sweeps: int = 1000,
    progress: bool = False,
) -> BestResponse:
    """Best-response dynamics in which two groups may also move together.

    Parameters
    ----------
    game : NVOGame
        The game, with ``delta=0``: the size of a covering move comes from Lemma 1.
    start : array_like of int, shape (K, V), optional
        The first profile.  Without it, the dynamics start from every constant profile in turn, and
        from one random profile if there is an ``rng``, and go on from the best end.
    rng : numpy.random.Generator, optional
        Source of the random start and of the restarts.
    restarts : int
        How often to disturb the profile, by moving up to three groups of random or of
        neighbouring bins, and to play on from there.  What comes out is the next profile to be
        disturbed if nobody's privacy is lost and KL is lower, or higher by less than a tolerance
        that falls from 20 % to nothing.  The best profile is returned.
    max_sweeps : int
        Passes after which a run of the dynamics gives up.
    progress : bool
        Whether to show a progress bar over the restarts.

    Returns
    -------
    BestResponse
        Its traces hold the payoff of the best start and after every run that improved it;
        ``sweeps`` and ``moves`` count all runs, those that were given up again included.

    Raises
    ------
    ValueError, TypeError
        If an argument is out of range, ``delta`` is not 0, or restarts are wanted without a
        generator.

    Notes
    -----
    Source: this book; the papers know unilateral moves only.  Taught in *Best-response dynamics*.

    Examples
    --------
    >>> from pdpbook import NVOGame, laplace_kernel
    >>> game = NVOGame([9, 1, 6, 1], laplace_kernel(4, [0.05, 0.8]), epsilon=1.0)
    >>> alone = best_response_dynamics(game, game.constant_profile(1))
    >>> together = coordinated_best_response(game, game.constant_profile(1))
    >>> together.divergence <= alone.divergence, game.is_nash(together.profile)
    (True, True)
    """
    if game.delta > 0.0:
        raise ValueError(
            f"coordinated_best_response covers pure pDP only: delta must be 0, "
            f"got delta={game.delta!r}"
        )
    restarts = _validate.integer("restarts", restarts, at_least=0)
    if restarts and rng is None:
        raise ValueError(f"restarts need a generator, got restarts={restarts} and rng=None")
    if rng is not None:
        rng = _validate.generator("rng", rng)
    if start is None:
        starts = [game.constant_profile(action) for action in range(game.actions)]
        starts += [game.random_profile(rng)] if rng is not None else []
    else:
        starts = [
            _validate.profile_matrix("start", start, counts=game.counts, actions=game.actions)
        ]
    runs = [_play_pairs(game, profile, max_sweeps) for profile in starts]
    best = current = max(runs, key=_rank)
    trace = [best]
    for i in tqdm(range(restarts), desc="restarts", disable=not progress):
        run = _play_pairs(game, _disturbed(current.profile, rng), max_sweeps)
        runs.append(run)
        if _rank(run) > _rank(best):
            best = run
            trace.append(run)
        tolerated = current.divergence * (1.0 + _TOLERANCE * (1.0 - i / restarts))
        if (run.private_records[-1], tolerated) > (current.private_records[-1], run.divergence):
            current = run
    first = trace[0]
    private_records = np.array(
        [*first.private_records, *(run.private_records[-1] for run in trace[1:])]
    )
    divergences = np.array([*first.divergences, *(run.divergence for run in trace[1:])])
    return BestResponse(
        best.profile,
        private_records,
        divergences,
        private_records + 1.0 - divergences / math.log(game.bins),
        sum(run.sweeps for run in runs),
        sum(run.moves for run in runs),
        best.converged,
    )


def _rank(run: BestResponse) -> tuple[int, float]:
    """Order runs as the game orders payoffs: P_E first, then KL."""
    return int(run.private_records[-1]), -run.divergence


def _play_pairs(game: NVOGame, profile: NDArray[np.int64], max_sweeps: int) -> BestResponse:
    """Alternate best responses and coordinated moves until neither changes anything."""
    run = best_response_dynamics(game, profile, max_sweeps=max_sweeps)
    runs, moved = [run], 0
    while run.converged and len(runs) <= max_sweeps:
        pairs = run.profile.copy()
        mass = game.mass(pairs)
        moves = _kernels.coordinated_sweep(
            pairs, game.kernel, game.frequency, mass, game.records, game.limits
        )
        if moves == 0:
            break
        moved += int(moves)
        run = best_response_dynamics(game, pairs, max_sweeps=max_sweeps)
        runs.append(run)
    return BestResponse(
        run.profile,
        np.concatenate([r.private_records for r in runs]),
        np.concatenate([r.divergences for r in runs]),
        np.concatenate([r.payoffs for r in runs]),
        sum(r.sweeps for r in runs),
        moved + sum(r.moves for r in runs),
        run.converged,
    )


def _disturbed(profile: NDArray[np.int64], rng: np.random.Generator | None) -> NDArray[np.int64]:
    """Return a copy in which up to three groups, near each other or not, have moved in part."""
    assert rng is not None
    disturbed = profile.copy()
    occupied = np.flatnonzero(profile.sum(axis=1))
    centre = rng.integers(occupied.size)
    reach = 2 if rng.random() < 0.5 else occupied.size  # in occupied bins
    near = occupied[max(centre - reach, 0) : centre + reach + 1]
    for _ in range(rng.integers(1, 4)):
        k = rng.choice(near)
        v = rng.choice(np.flatnonzero(disturbed[k]))
        w = rng.integers(profile.shape[1])
        size = disturbed[k, v] if rng.random() < 0.5 else rng.integers(disturbed[k, v] + 1)
        disturbed[k, v] -= size
        disturbed[k, w] += size
    return disturbed
