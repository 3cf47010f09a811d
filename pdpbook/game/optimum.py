r"""The best private profile, with a certified lower bound.

By the linear form of pDP, the privacy constraint is linear in the mass S, and KL is convex in S.
The best private profile therefore solves a mixed-integer convex program over the counts C[k, v] and
binary variables z[k, v], which state whether some record of bin k plays v:

.. math::
   \min\ & \sum_x q(x)\ln\frac{q(x)}{S(x)/n} \\
   \text{s.t.}\ & \sum_v C_{kv}=n_k,\; 0\le C_{kv}\le n_k z_{kv},\; S=\sum_{kv} C_{kv}p_{kv}, \\
   & \sigma S \le p_{kv} \le \tau S \text{ wherever } z_{kv}=1 .

If tangents replace :math:`-\ln S(x)` and most privacy constraints (rows) are left out, the program
is linear and small, and its optimum is a *lower* bound (the module ``program`` writes the rows).
The search first solves this program without the integer constraints and adds the rows that the
solution violates, until further rows hardly raise the bound.  Then branch and bound proposes
profiles.  Each proposal is rounded and improved to an equilibrium by best responses, and a few
linear programs that allow only the actions of the proposal generate further rows near it.

The solver satisfies a row only within its tolerances.  If its optimum violates a row by less than
the tolerances, the search has no row to add.  In this case the profiles are enumerated if there are
few of them, and otherwise the certificate reports that the search stalled.

The programs are solved by HiGHS, which is trusted as little as possible: KL and privacy of a
profile are computed again from the definition, and the lower bound is reduced by a margin for the
tolerances.  A report of HiGHS that no private profile exists is accepted only if no such profile is
known and there are too many profiles to enumerate.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pdpbook import _validate
from pdpbook.game.best_response import best_response_dynamics
from pdpbook.game.coordinated import coordinated_best_response
from pdpbook.game.nvo_game import NVOGame, Outcome
from pdpbook.game.program import Answer, Program
from pdpbook.game.solution import Solution

__all__ = ["Certificate", "certified_optimum"]

#: A divergence counts as optimal if it exceeds its bound by at most this number of nats.
_NEGLIGIBLE = 1e-9
#: The smallest gap that is possible with the margins for the solver's tolerances.
SMALLEST_GAP = 1e-5
#: Largest number of linear programs for each proposal of branch and bound.
_ROUNDS = 10
#: A search that stalls enumerates the profiles if there are at most this number of them.
_ENUMERATED = 100_000


@dataclass(frozen=True, eq=False, repr=False)
class Certificate(Solution):
    """A private profile with a certified lower bound; a :class:`Solution`.

    The profile is the best that was found among the profiles at which every record is private, and
    its divergence is computed without the solver.  The search has ``converged`` if the requested
    gap was reached, or if it is proved that there is no private profile.  Privacy refers to the
    fixed-noise loss under removal.

    Attributes
    ----------
    lower_bound : float
        No profile at which every record is private has a smaller KL.  Infinite if the solver
        proved that there is no such profile.
    gap : float
        The relative gap (divergence - lower_bound) / divergence.  It is 0 if the difference is at
        most 1e-9 nats, or if it is proved that there is no private profile, and 1 if neither a
        profile nor such a proof was found.
    stopped : {"gap", "infeasible", "time", "stalled"}
        The reason why the search stopped.  ``"gap"``: the requested gap was reached.
        ``"infeasible"``: there is no private profile.  If the game has at most 100,000 profiles,
        all of them were checked; otherwise the solver alone reports this.  ``"time"``: the time
        limit was reached.  ``"stalled"``: the solver gave no usable answer, because it failed,
        contradicted a known profile, or returned an optimum that satisfies every row within its
        tolerances but is not a private profile.  The search does not stall in a game of at most
        100,000 profiles, because it then enumerates them.
    """

    lower_bound: float
    gap: float
    stopped: Literal["gap", "infeasible", "time", "stalled"]


def certified_optimum(
    game: NVOGame,
    *,
    start: ArrayLike | None = None,
    relative_gap: float = 0.01,
    time_limit: float = 60.0,
) -> Certificate:
    """Find the private profile of smallest KL, and prove a lower bound.

    Parameters
    ----------
    game : NVOGame
    start : array_like of int, shape (K, V), optional
        A good profile to start from; by default, the result of coordinated best responses.
    relative_gap : float
        Number in [1e-5, 1): stop when (divergence - lower bound) / divergence is at most this
        number, or when the difference is at most 1e-9 nats.
    time_limit : float
        Stop after this many seconds.  The time includes the initial coordinated best responses, but
        the limit interrupts neither them nor the enumeration of a small game, which takes a few
        seconds at most.  A search that is stopped by the time limit is not reproducible, unlike a
        search that is stopped by the gap.

    Returns
    -------
    Certificate
        The best profile and the best bound that were found.

    Notes
    -----
    Source: this book; Ryu, Jang & Yang (2024) call the constraint non-differentiable and do not
    solve problem (5) exactly.  Taught in *The exact optimum*.

    Examples
    --------
    >>> from pdpbook import NVOGame, laplace_kernel
    >>> game = NVOGame([40, 30, 1], laplace_kernel(3, [0.05, 0.3]), epsilon=1.0)
    >>> proof = certified_optimum(game, relative_gap=1e-4)
    >>> proof.converged, proof.stopped, proof.private_records
    (True, 'gap', 71)
    """
    game = _validate.instance("game", game, NVOGame)
    relative_gap = _validate.number("relative_gap", relative_gap, at_least=SMALLEST_GAP, below=1.0)
    time_limit = _validate.number("time_limit", time_limit, above=0.0)
    began = time.perf_counter()
    if start is None:
        start = coordinated_best_response(game).profile
    if game.counts.max() >= 10**15:
        raise ValueError("game must have fewer than 1e15 records in a bin, the limit of HiGHS")
    first = _validate.profile_matrix("start", start, counts=game.counts, actions=game.actions)
    search = _Search(game, Outcome(game, first), relative_gap, began + time_limit)
    if search.relaxed():
        search.branched()
    out_of_time = search.remaining() <= 0.0
    unproved = not search.settled or search.best is None  # or only the solver calls it infeasible
    if unproved and not out_of_time and _number_of_profiles(game) <= _ENUMERATED:
        search.enumerated()
    divergence, bound = search.divergence, search.bound
    if math.isinf(divergence):
        gap = 0.0 if math.isinf(bound) else 1.0
    else:
        gap = 1.0 - bound / divergence if divergence - bound > _NEGLIGIBLE else 0.0
    stopped: Literal["gap", "infeasible", "time", "stalled"]
    if search.settled:
        stopped = "infeasible" if search.best is None else "gap"
    else:
        stopped = "time" if out_of_time else "stalled"
    return Certificate(
        profile=None if search.best is None else search.best.profile.copy(),
        divergence=divergence,
        private_records=0 if search.best is None else search.best.private_records,
        converged=search.settled,
        seconds=time.perf_counter() - began,
        lower_bound=bound,
        gap=gap,
        stopped=stopped,
    )


@dataclass
class _Search:
    """The best private profile and the best bound so far, and the program that improves both.

    The profile ``start`` determines the units of the program, and ``deadline`` is the value of
    ``time.perf_counter`` at which to stop.  No private profile has a smaller KL than ``bound``.
    """

    game: NVOGame
    start: Outcome
    relative_gap: float
    deadline: float
    best: Outcome | None = field(init=False)
    bound: float = field(default=0.0, init=False)
    program: Program = field(init=False)

    def __post_init__(self) -> None:
        """Build the program; if the start is private, it is the best profile so far."""
        everybody = self.start.private_records == self.game.records
        self.best = self.start if everybody else None
        self.program = Program(self.game, self.start.mass, self.start.divergence)

    @property
    def divergence(self) -> float:
        """KL of the best profile; infinite if there is none."""
        return math.inf if self.best is None else self.best.divergence

    @property
    def settled(self) -> bool:
        """Whether the gap is reached, or it is proved that no private profile exists."""
        if self.best is None:
            return math.isinf(self.bound)
        return self.divergence - self.bound <= max(self.relative_gap * self.divergence, _NEGLIGIBLE)

    def remaining(self) -> float:
        """Return the remaining seconds."""
        return self.deadline - time.perf_counter()

    def relaxed(self) -> bool:
        """Add rows to the linear program while they help; return whether to go on with integers."""
        while True:
            before = self.bound
            answer = self._answer(integer=False)
            if answer is None:
                return False
            if answer.columns is None:
                return True  # the linear program failed numerically; branch and bound may succeed
            added = self.program.refine(answer.columns, self._tolerance)
            if not added or self.bound - before <= 0.01 * self.relative_gap * self.bound:
                self.program.refine(answer.columns, self._tolerance, everybody=True)
                return True

    def branched(self) -> None:
        """Generate profiles by branch and bound, and add the rows that each of them violates."""
        while (answer := self._answer(integer=True)) is not None and answer.columns is not None:
            added = self.program.refine(answer.columns, self._tolerance)
            self._propose(self.program.profile_of(answer.columns))
            if not added:
                return  # the solver's optimum is not a private profile after rounding
            self._refine_near(answer.columns)

    def enumerated(self) -> None:
        """Enumerate all profiles: the best is the optimum, and its divergence is the bound."""
        profile = _enumerated_optimum(self.game)
        self.best = None if profile is None else Outcome(self.game, profile)
        self.bound = self.divergence

    @property
    def _tolerance(self) -> float:
        """The number of nats by which the tangents may be below the logarithm."""
        return 0.05 * self.relative_gap * max(self.bound, _NEGLIGIBLE)

    def _answer(self, *, integer: bool) -> Answer | None:
        """Solve the program and raise the bound; None if the search is over or the answer wrong."""
        remaining = self.remaining()
        if self.settled or remaining <= 0.0:
            return None
        start = None if self.best is None else self.best.profile
        answer = self.program.solve(
            integer=integer, gap=self.relative_gap / 4, seconds=remaining, start=start
        )
        if answer.bound > self.divergence:
            return None  # a known profile contradicts the answer
        self.bound = max(self.bound, answer.bound)
        return answer

    def _propose(self, profile: NDArray[np.int64] | None) -> None:
        """Play best responses from a profile, and keep the equilibrium if it is the best so far."""
        if profile is None:
            return
        reached = best_response_dynamics(self.game, start=profile)
        if reached.private_records < self.game.records:
            return
        found = Outcome(self.game, reached.profile)
        if found.divergence < self.divergence:
            self.best = found

    def _refine_near(self, columns: NDArray[np.float64]) -> None:
        """Add the rows violated by linear programs that allow only the groups of a solution."""
        # pragma: no mutate — branch and bound returns whole numbers up to its tolerance
        counts = columns[: self.program.groups] > 0.5
        pattern = np.concatenate([counts, counts])
        for _ in range(_ROUNDS):
            if (seconds := self.remaining()) <= 0.0:
                break
            answer = self.program.solve(pattern=pattern, seconds=seconds)
            if answer.columns is None or not self.program.refine(answer.columns, self._tolerance):
                break


def _number_of_profiles(game: NVOGame) -> int:
    """Return the number of ways to distribute the records of the bins over the actions."""
    others = game.actions - 1
    return math.prod(math.comb(count + others, others) for count in game.counts.tolist())


def _enumerated_optimum(game: NVOGame) -> NDArray[np.int64] | None:
    """Return the private profile of smallest KL by enumeration; None if no profile is private."""
    seen = np.flatnonzero(game.counts)
    ways = [_compositions(int(game.counts[k]), game.actions) for k in seen]
    masses = np.zeros((1, seen.size))
    for k, way in zip(seen, ways, strict=True):
        masses = (masses[:, None] + way @ game.kernel[:, k, seen]).reshape(-1, seen.size)
    with np.errstate(divide="ignore"):
        divergences = -np.log(masses) @ game.frequency[seen]  # up to a constant
    for number in divergences.argsort(kind="stable"):
        choice = np.unravel_index(number, [len(way) for way in ways])
        profile = np.zeros((game.bins, game.actions), dtype=np.int64)
        profile[seen] = [way[i] for way, i in zip(ways, choice, strict=True)]
        if Outcome(game, profile).private_records == game.records:
            return profile
    return None


def _compositions(count: int, parts: int) -> NDArray[np.int64]:
    """Return all ways to write a count as a sum of whole numbers, one per row, shape (m, parts)."""
    if parts == 1:
        return np.array([[count]])
    bars = np.array(list(combinations(range(count + parts - 1), parts - 1)), dtype=np.int64)
    ends = np.pad(bars, ((0, 0), (1, 1)), constant_values=((0, 0), (-1, count + parts - 1)))
    return np.diff(ends, axis=1) - 1
