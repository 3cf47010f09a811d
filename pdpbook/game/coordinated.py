r"""Coordinated moves.

An equilibrium is safe against every single record, not against two that act together: one record
could be released with less noise if another one covered it.  Coordinated best response looks for
such pairs.  A group that would lower KL by breaking somebody's privacy moves, and the cheapest
group that restores the privacy moves with it, by exactly as many records as the linear form
of pDP asks for.

Some equilibria can only be left by many at once.  So, from the best end, a group or one record of
it also *commits* to another action, whatever that costs, and the others answer: helpers restore the
privacy that is lost, all the rest play best responses.  If the payoff is higher in the end than
before, the commitment is kept, otherwise everything is taken back.

Because nothing is kept that does not raise the payoff, the dynamics still stop, and they stop at a
Nash equilibrium that no such pair and no such commitment can leave.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pdpbook import _kernels, _validate
from pdpbook._extras import progress_bar
from pdpbook.game.best_response import BestResponse, play
from pdpbook.game.nvo_game import NVOGame

__all__ = ["coordinated_best_response"]

#: How much worse in KL a restart may end and still be gone on from, at first.
_TOLERANCE = 0.2
#: Pairs are tried after a commitment that ends less than this fraction of KL above the profile.
_NEAR = 0.05


def coordinated_best_response(
    game: NVOGame,
    start: ArrayLike | None = None,
    *,
    rng: np.random.Generator | None = None,
    restarts: int = 0,
    max_sweeps: int = 1000,
    progress: bool = False,
) -> BestResponse:
    """Best-response dynamics in which groups may also move together.

    Parameters
    ----------
    game : NVOGame
        The game; any kernel, any delta.
    start : array_like of int, shape (K, V), optional
        The first profile.  Without it, the dynamics start from every constant profile in turn, and
        from one random profile if there is an ``rng``, and go on from the best end
        with commitments.
    rng : numpy.random.Generator, optional
        Source of the random start and of the restarts.
    restarts : int
        How often to disturb the profile, at most 10⁹ times, by moving up to three groups of random
        or neighbouring bins, and to play on from there.  What comes out is the next profile to be
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
        If an argument is out of range, or restarts are wanted without a generator.

    Notes
    -----
    Source: this book; the papers know unilateral moves only.  Taught in *Best-response dynamics*.

    Examples
    --------
    >>> from pdpbook import NVOGame, best_response_dynamics, laplace_kernel
    >>> game = NVOGame([9, 1, 6, 1], laplace_kernel(4, [0.05, 0.8]), epsilon=1.0)
    >>> alone = best_response_dynamics(game, game.constant_profile(1))
    >>> together = coordinated_best_response(game, game.constant_profile(1))
    >>> together.divergence <= alone.divergence, game.is_nash(together.profile)
    (True, True)
    """
    game = _validate.instance("game", game, NVOGame)
    progress = _validate.boolean("progress", progress)
    restarts = _validate.integer("restarts", restarts, at_least=0, at_most=_validate.ROUNDS)
    max_sweeps = _validate.integer("max_sweeps", max_sweeps, at_least=1)
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
    bar = progress_bar(range(restarts), shown=progress, desc="restarts")
    runs = [_play(game, profile, max_sweeps) for profile in starts]
    first = max(runs, key=_rank)
    trace, current = [first], _play(game, first.profile, max_sweeps, commit=True)
    runs.append(current)
    if _rank(current) > _rank(first):
        trace.append(current)
    for i in bar:
        run = _play(game, _disturbed(current.profile, rng), max_sweeps)
        runs.append(run)
        if _rank(run) > _rank(trace[-1]):
            trace.append(run)
        tolerated = current.divergence * (1.0 + _TOLERANCE * (1.0 - i / restarts))
        if (run.private_counts[-1], tolerated) > (current.private_counts[-1], run.divergence):
            current = run
    best = trace[-1]
    if restarts:
        last = _play(game, best.profile, max_sweeps, commit=True)
        runs.append(last)
        if _rank(last) > _rank(best):
            trace.append(last)
            best = last
    private_counts = np.array(
        [*first.private_counts, *(run.private_counts[-1] for run in trace[1:])]
    )
    divergences = np.array([*first.divergences, *(run.divergence for run in trace[1:])])
    return BestResponse(
        best.profile,
        private_counts,
        divergences,
        private_counts + 1.0 - divergences / math.log(game.bins),
        sum(run.sweeps for run in runs),
        sum(run.moves for run in runs),
        best.converged,
    )


def _rank(run: BestResponse) -> tuple[int, float]:
    """Order runs as the game orders payoffs: P_E first, then KL."""
    return int(run.private_counts[-1]), -run.divergence


def _play(
    game: NVOGame, start: NDArray[np.int64], max_sweeps: int, *, commit: bool = False
) -> BestResponse:
    """Alternate best responses, pairs and perhaps commitments until none changes anything."""
    run = play(game, start.copy(), max_sweeps=max_sweeps, batch=True)
    runs, moved = [run], 0
    while run.converged and len(runs) <= max_sweeps:
        changed, mass = run.profile.copy(), np.empty(game.bins)
        known = game.kernel, game.frequency, mass, game.records, game.limits
        moves = _kernels.coordinated_sweep(changed, *known)
        if moves == 0 and commit:
            moves = _kernels.commitment_sweep(changed, *known, _NEAR * run.divergence)
        if moves == 0:
            break
        moved += int(moves)
        run = play(game, changed, max_sweeps=max_sweeps, batch=True)
        runs.append(run)
    return BestResponse(
        run.profile,
        np.concatenate([r.private_counts for r in runs]),
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
