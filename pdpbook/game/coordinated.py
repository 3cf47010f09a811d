r"""Coordinated moves: a local search that changes several groups of records together.

At a Nash equilibrium, no single record gains by changing its action.  But an equilibrium is only a
local optimum, and two records that change together may still gain: one of them can be released with
less noise if the other gets more noise.  In local search, such changes are called *compound moves*.
Here a compound move consists of a move of one group that would lower KL but violate the privacy of
some records, and of the cheapest move of another group that *repairs* this privacy.  The number of
records in the repair follows from the linear form of pDP.

To leave some equilibria, more than two groups must move at once.  The search therefore continues
from the best final profile as an iterated local search.  Its perturbations are *forced* moves of
groups or of individual records, which are made even if the payoff falls.  Moves of records, chosen
by the greedy rule of set covering, repair the lost privacy, and all other records play best
responses.  The result is kept if the payoff has increased; otherwise all these moves are undone.

Only changes that increase the payoff are kept, so the search stops.  In a game of fewer than 2,048
records, it stops at a Nash equilibrium that no compound or forced move of this search improves.

In a game of 2,048 records or more, a single record matters little, and the search for gains from
individual records is slow.  In such a game, the search first moves parts of groups that contain at
least about a thousandth of all records, and its forced moves are moves of such parts.  Then it
continues record by record, without forced moves, to an equilibrium that no compound move improves.
Best responses that reach the privacy constraints of several groups follow these constraints slowly,
a few records at a time.  The second phase therefore begins with a joint move of all groups
(:mod:`pdpbook.game.joint_move`), and makes another after every 16 passes, with compound moves in
between.

Forced moves and joint moves both justify the code that they require.  For the heights with the
finer scales at ε = 1, the final divergence is 0.0073 with forced moves and 0.0084 without them.  In
a game of 33 bins and 10⁶ records, the search takes 82 passes with joint moves and 996 passes with
compound moves alone, and the second number grows roughly like the square root of n.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pdpbook import _loops, _validate
from pdpbook._extras import progress_bar
from pdpbook.game.best_response import BestResponse, play
from pdpbook.game.joint_move import joint_moves
from pdpbook.game.nvo_game import NVOGame

__all__ = ["coordinated_best_response"]

#: Initial tolerance for a restart: the search may continue from a KL that is larger by this share.
_TOLERANCE = 0.2
#: Compound moves follow a forced move if it increases KL by less than this fraction.
_NEAR = 0.05
#: A game of at least twice this number of records is first searched by parts of groups.
_PARTS = 1024
#: Passes of best responses between two passes of compound moves in a larger game.
_PASSES = 16


def coordinated_best_response(
    game: NVOGame,
    *,
    start: ArrayLike | None = None,
    rng: np.random.Generator | None = None,
    restarts: int = 0,
    max_sweeps: int = 1000,
    progress: bool = False,
) -> BestResponse:
    """Play best-response dynamics in which groups may also move together.

    Parameters
    ----------
    game : NVOGame
    start : array_like of int, shape (K, V), optional
        The first profile.  By default, the dynamics start from every constant profile in turn, and
        from one random profile if ``rng`` is given.  In either case, they continue with forced
        moves from the best final profile.
    rng : numpy.random.Generator, optional
        Generator for the random start and the restarts.
    restarts : int
        Number of perturbations, at most 10⁹.  Each moves up to three groups of random or
        neighbouring bins of the current profile, and the search continues from this point.  The
        result becomes the current profile if P_E is not smaller and KL is either smaller or larger
        by less than a tolerance that falls from 20 % to 0.  The best profile is returned.
    max_sweeps : int
        Maximum number of passes of a run of the dynamics.
    progress : bool
        Whether to show a progress bar over the runs.

    Returns
    -------
    BestResponse
        Its traces contain the course of the best start and the end of every run that improved the
        payoff; ``sweeps`` and ``moves`` count all runs, including those that were undone.

    Notes
    -----
    Source: this book; the papers use only moves of individual records.  Taught in *Coordinated
    moves*.

    Examples
    --------
    >>> from pdpbook import NVOGame, best_response_dynamics, laplace_kernel
    >>> game = NVOGame([9, 1, 6, 1], laplace_kernel(4, [0.05, 0.8]), epsilon=1.0)
    >>> alone = best_response_dynamics(game, start=game.constant_profile(1))
    >>> together = coordinated_best_response(game, start=game.constant_profile(1))
    >>> together.divergence <= alone.divergence, game.evaluate(together.profile).is_nash()
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
    began = time.perf_counter()
    if start is not None:
        counts, actions = game.counts, game.actions
        starts = [_validate.profile_matrix("start", start, counts=counts, actions=actions)]
    else:
        starts = [game.constant_profile(action) for action in range(game.actions)]
        starts += [] if rng is None else [game.random_profile(rng=rng)]
    runs: list[BestResponse] = []
    total = len(starts) + 1 + restarts + (restarts > 0)
    with progress_bar(total=total, desc="coordinated moves", shown=progress) as bar:
        for profile in starts:
            runs.append(_play(game, profile, max_sweeps))
            bar.update()
        search = _Search(game, max_sweeps, runs, [max(runs, key=_rank)])
        current = search.play(search.best.profile, forced=True)
        bar.update()
        for i in range(restarts):
            run = search.play(_disturbed(current.profile, rng))
            tolerated = current.divergence * (1.0 + _TOLERANCE * (1.0 - i / restarts))
            if (run.private_records, tolerated) > (current.private_records, run.divergence):
                current = run
            bar.update()
        if restarts:
            search.play(search.best.profile, forced=True)
            bar.update()
    return search.result(time.perf_counter() - began)


def _rank(run: BestResponse) -> tuple[int, float]:
    """Return the key that orders runs like payoffs: P_E first, then KL."""
    return run.private_records, -run.divergence


@dataclass(frozen=True)
class _Search:
    """A search that plays one run after another and records all of them.

    The ``trace`` contains the best start, and every run that was better than all earlier runs.
    """

    game: NVOGame
    max_sweeps: int
    runs: list[BestResponse]
    trace: list[BestResponse]

    @property
    def best(self) -> BestResponse:
        """The best run so far."""
        return self.trace[-1]

    def play(self, profile: NDArray[np.int64], *, forced: bool = False) -> BestResponse:
        """Play a run from a profile, perhaps with forced moves, and record it."""
        run = _play(self.game, profile, self.max_sweeps, forced=forced)
        self.runs.append(run)
        if _rank(run) > _rank(self.best):
            self.trace.append(run)
        return run

    def result(self, seconds: float) -> BestResponse:
        """Return the best run, with the trace of the search and the work of all runs."""
        first, *later = self.trace
        ends = [run.private_records for run in later]
        return replace(
            self.best,
            seconds=seconds,
            private_counts=np.array([*first.private_counts, *ends]),
            divergences=np.array([*first.divergences, *(run.divergence for run in later)]),
            sweeps=sum(run.sweeps for run in self.runs),
            moves=sum(run.moves for run in self.runs),
        )


def _play(
    game: NVOGame, start: NDArray[np.int64], max_sweeps: int, *, forced: bool = False
) -> BestResponse:
    """Alternate best responses, compound moves and perhaps forced moves until nothing changes."""
    # the largest power of 2 that is at most n / 1,024, or 1 if n is smaller than 1,024
    coarse = 1 << max(game.records.bit_length() - _PARTS.bit_length(), 0)
    profile, runs, moved, scratch = start, [], 0, _loops.new_scratch(game.bins)
    for unit in dict.fromkeys((coarse, 1)):
        passes = max_sweeps if coarse == 1 else min(max_sweeps, _PASSES)
        joint = unit < coarse
        for left in range(max_sweeps, -1, -1):
            if joint:
                for proposed in joint_moves(game, profile):
                    if _loops.is_better(game.compiled, profile, proposed, scratch):
                        profile = proposed
                        break
            run = play(game, profile.copy(), max_sweeps=passes, batch=True, unit=unit)
            runs.append(run)
            profile = run.profile.copy()
            joint = unit < coarse and not run.converged
            if left == 0 or (coarse == 1 and not run.converged):
                break
            moves = _loops.compound_move_sweep(game.compiled, profile, scratch, unit)
            if moves == 0 and run.converged and forced and unit == coarse:
                near = _NEAR * run.divergence
                moves = _loops.forced_move_sweep(game.compiled, profile, scratch, near, unit)
            if moves == 0 and run.converged:
                break
            moved += int(moves)
    return replace(
        run,
        seconds=sum(r.seconds for r in runs),
        private_counts=np.concatenate([r.private_counts for r in runs]),
        divergences=np.concatenate([r.divergences for r in runs]),
        sweeps=sum(r.sweeps for r in runs),
        moves=moved + sum(r.moves for r in runs),
    )


def _disturbed(profile: NDArray[np.int64], rng: np.random.Generator | None) -> NDArray[np.int64]:
    """Return a copy in which up to three groups of near or distant bins have moved in part."""
    assert rng is not None
    disturbed = profile.copy()
    occupied = np.flatnonzero(profile.sum(axis=1))
    centre = rng.integers(occupied.size)
    reach = 2 if rng.random() < 0.5 else occupied.size  # number of occupied bins on either side
    near = occupied[max(centre - reach, 0) : centre + reach + 1]
    for _ in range(rng.integers(1, 4)):
        k = rng.choice(near)
        v = rng.choice(np.flatnonzero(disturbed[k]))
        w = rng.integers(profile.shape[1])
        size = disturbed[k, v] if rng.random() < 0.5 else rng.integers(disturbed[k, v] + 1)
        disturbed[k, v] -= size
        disturbed[k, w] += size
    return disturbed
