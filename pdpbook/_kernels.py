"""Every compiled loop of the package.

They stand in one file, long as it is, because numba's on-disk cache looks at the file of the
function that is called and at no other: a kernel would go on running the old code of one that it
calls from elsewhere.  The public functions around them check their arguments; nothing here does.

What the kernels take has the same name and the same place everywhere:

* ``game``, a :class:`Game`: what does not change, the kernel of noise among it;
* ``profile``, the integer matrix C[k, v], shape (K, V): the number of records of bin k that play
  action v.  Kernels that play change it in place;
* ``mass``, shape (K,): S(x), the sum of C[k, v] kernel[v, k, x], so that S / n is the output;
* ``scratch``, a :class:`Scratch`: arrays to be written, ``scratch.mass`` the mass of ``profile``;
* ``k, v, w``: a bin, the action that its records leave, and the one that they go to; a
  :class:`Move` is these three and a number of records.

The words are those of local search and of set covering.  A move that breaks somebody's privacy is
*repaired* by further moves that restore it.  A *compound move* is a move with its repair by one
other group, made only if the two together gain.  A *forced move* is made whatever it costs, as the
perturbation of an iterated local search: single records repair it, chosen by the greedy rule of
weighted set covering, the others play best responses, and it is kept if that ends better.

The first call of a kernel compiles it and all that it calls, so there are few, small kernels here,
each with one signature.  numba would compile a function again for a whole number that is written
out in a call, hence the ``np.int64(0)``; and the assignment of a slice brings seconds of machinery
for its error messages, hence the loops.  ``math.ceil`` returns an integer when it is compiled, and
one beyond 2**63 becomes negative, hence ``np.ceil``.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pdpbook._compile import njit

#: A record on the boundary of its privacy constraint, up to this relative rounding, is private.
BOUNDARY = 1e-12

#: A change in KL of less than this over n is rounding.
ROUNDING = 1e-12

#: Steps of one group in one pass after which a step must be better, no longer best, for its last
#: record.  Without this the best response of a group can alternate between two actions with every
#: record, and each record is a step of its own.
PATIENCE = 32

#: Single records that may move to repair a forced move.
REPAIRS = 12


class Target(NamedTuple):
    """What makes a record private: numbers only, because numba counts references to arrays."""

    n: int  #: number of records
    epsilon: float  #: privacy target, in nats
    delta: float  #: 0 for the linear form of pDP, otherwise the hockey stick's bound
    tau: float  #: linear form: a private row is at most tau S
    sigma: float  #: linear form: and at least sigma S, which asks for nothing if sigma <= 0


class Game(NamedTuple):
    """What the loops know of a game."""

    kernel: NDArray[np.float64]  #: shape (V, K, K): [v, k, x] is P(released as x | bin k, action v)
    frequency: NDArray[np.float64]  #: the data's distribution q, shape (K,)
    target: Target  #: what makes a record private


class Scratch(NamedTuple):
    """Arrays that the loops write, all but the envelope of shape (K,)."""

    mass: NDArray[np.float64]  #: S of the profile
    trial: NDArray[np.float64]  #: S after a move that is only tried
    before: NDArray[np.float64]  #: S before the move that is being made
    needed: NDArray[np.float64]  #: smallest S at which everybody is private
    envelope: NDArray[np.float64]  #: shape (2, K): largest, smallest row entry of present groups


class Move(NamedTuple):
    """``size`` records of bin ``k`` go from action ``v`` to action ``w``."""

    k: int
    v: int
    w: int
    size: int


def new_scratch(outputs: int) -> Scratch:
    """Return new scratch arrays for a game of so many bins."""
    mass, trial, before, needed = (np.empty(outputs) for _ in range(4))
    return Scratch(mass, trial, before, needed, envelope=np.empty((2, outputs)))


@njit
def mixture(profile, kernel, mass):
    """Fill ``mass`` with S(x) of the profile, always summed in the same order."""
    actions, bins, outputs = kernel.shape
    for x in range(outputs):
        mass[x] = 0.0
    for k in range(bins):
        for v in range(actions):
            if profile[k, v] > 0:  # many groups are empty
                weight = float(profile[k, v])
                for x in range(outputs):
                    mass[x] += weight * kernel[v, k, x]


@njit
def privacy_loss(row, mass, n):
    """Largest |ln P(x) / P_{-i}(x)|, in nats, for one of n records with kernel row ``row``.

    Every output that anybody reaches counts, also where the record itself never goes: there P(x)
    is smaller than P_{-i}(x) by the factor (n - 1) / n.
    """
    worst = 0.0
    company = math.log1p(-1.0 / n)
    for x in range(row.size):
        if mass[x] > 0.0:
            if row[x] >= mass[x]:
                return math.inf
            worst = max(worst, abs(company - math.log1p(-row[x] / mass[x])))
    return worst


@njit
def hockey_stick(row, mass, n, epsilon):
    """Larger of the two hockey-stick divergences at epsilon between P and P_{-i}; row as above."""
    ratio = math.exp(epsilon) if epsilon < 709.78 else math.inf
    there = 0.0
    back = 0.0
    for x in range(row.size):
        with_record = mass[x] / n
        without = max(mass[x] - row[x], 0.0) / (n - 1)
        there += max(with_record - ratio * without, 0.0) if without > 0.0 else with_record
        back += max(without - ratio * with_record, 0.0) if with_record > 0.0 else without
    return max(there, back)


@njit
def is_private(target, row, mass):
    """Whether a record with kernel row ``row``, shape (K,), is private at the given mass.

    By the linear form if delta = 0, by the hockey-stick divergence otherwise.
    """
    if target.delta > 0.0:
        allowed = target.delta * (1.0 + BOUNDARY)
        return hockey_stick(row, mass, target.n, target.epsilon) <= allowed
    tau, sigma = target.tau, target.sigma
    upper = tau + BOUNDARY * tau * (1.0 - tau)  # as near to 1 as tau allows, never beyond
    for x in range(row.size):
        if row[x] > upper * mass[x] or row[x] >= mass[x] > 0.0:
            return False
    if sigma > 0.0:
        lower = sigma * (1.0 - BOUNDARY)
        for x in range(row.size):
            if row[x] < lower * mass[x]:
                return False
    return True


@njit
def count_private(game, profile, mass, at_least):
    """P_E, or -1 as soon as it is certain to fall short of ``at_least``, a number of records."""
    lost = 0
    kernel, target, n = game.kernel, game.target, game.target.n
    actions, bins, _ = kernel.shape
    for k in range(bins):
        for v in range(actions):
            if profile[k, v] > 0 and not is_private(target, kernel[v, k], mass):
                lost += profile[k, v]
                if n - lost < at_least:
                    return -1
    return n - lost


@njit
def group_losses(game, profile, mass, losses):
    """Fill ``losses``, shape (K, V), with the loss of each group in nats, nan where nobody is."""
    kernel = game.kernel
    actions, bins, _ = kernel.shape
    for k in range(bins):
        for v in range(actions):
            present = profile[k, v] > 0
            losses[k, v] = privacy_loss(kernel[v, k], mass, game.target.n) if present else math.nan


@njit
def group_private(game, profile, mass, private):
    """Fill ``private``, shape (K, V), with whether each group is, False where nobody is."""
    kernel, target = game.kernel, game.target
    actions, bins, _ = kernel.shape
    for k in range(bins):
        for v in range(actions):
            private[k, v] = profile[k, v] > 0 and is_private(target, kernel[v, k], mass)


@njit
def divergence_drop(frequency, mass, after):
    """KL(q || mass/n) - KL(q || after/n) in nats, without the cancellation of two large sums.

    ``frequency`` is q; ``mass`` and ``after`` are the masses of two profiles; all of shape (K,).
    Where the mass falls to less than half, the logarithm of the ratio is the more accurate one.
    """
    drop = 0.0
    for x in range(frequency.size):
        if frequency[x] > 0.0:
            if after[x] <= 0.0:
                return -math.inf
            if after[x] < 0.5 * mass[x]:
                drop += frequency[x] * math.log(after[x] / mass[x])
            else:
                drop += frequency[x] * math.log1p((after[x] - mass[x]) / mass[x])
    return drop


@njit
def step_drop(frequency, mass, old, new):
    """KL(q || mass/n) - KL(q || (mass - old + new)/n) for kernel rows ``old``, ``new`` of a record.

    The step is taken from the rows, not from two masses: among a billion records it would drown in
    the rounding of S, and best responses would chase that rounding for ever.
    """
    drop = 0.0
    for x in range(frequency.size):
        if frequency[x] > 0.0:
            step = (new[x] - old[x]) / mass[x]
            if step <= -1.0:
                return -math.inf
            drop += frequency[x] * math.log1p(step)
    return drop


@njit
def envelope(profile, kernel, rows):
    """Fill ``rows``, shape (2, K), with largest and smallest row entries of present groups."""
    actions, bins, outputs = kernel.shape
    high, low = rows[0], rows[1]
    for x in range(outputs):
        high[x], low[x] = 0.0, math.inf
    for k in range(bins):
        for v in range(actions):
            if profile[k, v] > 0:
                for x in range(outputs):
                    high[x] = max(high[x], kernel[v, k, x])
                    low[x] = min(low[x], kernel[v, k, x])


@njit
def make_move(game, profile, scratch, move):
    """Make a move in place, and write the mass and the envelope after it into ``scratch``."""
    profile[move.k, move.v] -= move.size
    profile[move.k, move.w] += move.size
    mixture(profile, game.kernel, scratch.mass)
    envelope(profile, game.kernel, scratch.envelope)


@njit
def undo_move(game, profile, scratch, move):
    """Make the move in the other direction."""
    make_move(game, profile, scratch, Move(move.k, move.w, move.v, move.size))


@njit
def try_move(game, scratch, move):
    """Fill ``scratch.trial`` with the mass after a move that is not made."""
    mass, trial, size = scratch.mass, scratch.trial, float(move.size)
    old, new = game.kernel[move.v, move.k], game.kernel[move.w, move.k]
    for x in range(mass.size):
        trial[x] = mass[x] + size * (new[x] - old[x])


@njit
def count_after(game, profile, scratch, move, at_least):
    """P_E once the move is made, or -1 if that is below ``at_least``, a number of records.

    ``scratch.trial`` is the mass after it, ``scratch.envelope`` the envelope before it.  If
    everybody has to be private and no group dies out, it is enough to look at the envelope:
    everybody is private if a record with the largest row entries would be, and one with the
    smallest (the linear form).
    """
    k, v, w, size = move
    trial, tau, sigma = scratch.trial, game.target.tau, game.target.sigma
    if at_least == game.target.n and game.target.delta == 0.0 and profile[k, v] > size:
        high, low, new = scratch.envelope[0], scratch.envelope[1], game.kernel[w, k]
        upper = tau + BOUNDARY * tau * (1.0 - tau)
        lower = sigma * (1.0 - BOUNDARY)
        for x in range(trial.size):
            largest = max(high[x], new[x])
            if largest > upper * trial[x] or largest >= trial[x] > 0.0:
                return -1
            if sigma > 0.0 and min(low[x], new[x]) < lower * trial[x]:
                return -1
        return game.target.n
    profile[k, v] -= size
    profile[k, w] += size
    reached = count_private(game, profile, trial, at_least)
    profile[k, v] += size
    profile[k, w] -= size
    return reached


@njit
def best_action(game, profile, scratch, k, v, only, private):
    """Best response of one record of bin k that plays v: (action, gain in P_E, drop in KL).

    ``private`` is P_E now; ``scratch`` holds mass and envelope of the profile.  With ``only`` an
    action, no other one is tried; -1 tries all.

    Payoffs are compared as pairs (P_E, -KL), P_E first.  The record stays where it is unless
    another action is better by more than rounding, and of equally good actions takes the first.
    """
    kernel, mass, n = game.kernel, scratch.mass, game.target.n
    best, best_private, best_drop = v, private, 0.0
    for w in range(kernel.shape[0]):
        if w == v or (only >= 0 and only != w):
            continue
        drop = step_drop(game.frequency, mass, kernel[v, k], kernel[w, k])
        needed = best_private if drop > best_drop + ROUNDING / n else best_private + 1
        if needed > n:
            continue  # saves the look at everybody
        move = Move(k, v, w, np.int64(1))
        try_move(game, scratch, move)
        reached = count_after(game, profile, scratch, move, needed)
        if reached >= needed:
            best, best_private, best_drop = w, reached, drop
    return best, best_private - private, best_drop


@njit
def best_response_sweep(game, profile, scratch, batch, fixed_k, fixed_v):
    """One pass of best-response dynamics over all records, in place.

    Records play in order of bin, and within a bin in order of the action they held when the pass
    reached it.  With ``batch``, records of one group whose best response is the same move
    together: the step doubles as long as the last record of the step would still have chosen so,
    or, after ``PATIENCE`` steps of a group, as long as it still gains.  KL is convex along the step
    and no private record may be lost by it, so if its last record gains, the whole step gains.
    The records of bin ``fixed_k`` that play ``fixed_v`` do not move; -1 fixes nobody.
    Returns the number of records that moved and the traces of P_E and of the drop in KL.
    """
    kernel, mass, before = game.kernel, scratch.mass, scratch.before
    actions, bins, outputs = kernel.shape
    mixture(profile, kernel, mass)
    envelope(profile, kernel, scratch.envelope)
    private = count_private(game, profile, mass, np.int64(0))
    moved, every, one = 0, np.int64(-1), np.int64(1)
    trace_private = [private]
    trace_drop = [0.0]
    for k in range(bins):
        group = profile[k].copy()
        for v in range(actions):
            waiting = 0 if k == fixed_k and v == fixed_v else group[v]
            step, taken = 1, 0
            while waiting > 0:
                w, _, _ = best_action(game, profile, scratch, k, v, every, private)
                if w == v:
                    break
                for x in range(outputs):
                    before[x] = mass[x]
                size = min(step, waiting)
                while size > 1:
                    others = Move(k, v, w, size - 1)
                    make_move(game, profile, scratch, others)
                    last = count_private(game, profile, mass, private)
                    if last >= private:
                        only = every if taken < PATIENCE else w
                        choice, _, _ = best_action(game, profile, scratch, k, v, only, last)
                        if choice == w:
                            break
                    undo_move(game, profile, scratch, others)
                    size //= 2
                make_move(game, profile, scratch, Move(k, v, w, one))
                private = count_private(game, profile, mass, private)
                waiting -= size
                moved += size
                taken += 1
                step = 2 * size if batch else 1
                trace_private.append(private)
                trace_drop.append(divergence_drop(game.frequency, before, mass))
    return moved, np.array(trace_private), np.array(trace_drop)


@njit
def largest_regret(game, profile, scratch, log_bins):
    """Largest gain in payoff that any single record has by any change of its action.

    ``scratch.mass`` is the mass of the profile, ``log_bins`` is ln K.  Payoffs are compared as
    pairs (P_E, -KL), so a change that lowers P_E is no gain.  This is the order of the sum if every
    kernel row keeps at least 1/K on its own bin.
    """
    kernel, mass = game.kernel, scratch.mass
    actions, bins, _ = kernel.shape
    envelope(profile, kernel, scratch.envelope)
    private = count_private(game, profile, mass, np.int64(0))
    worst = 0.0
    for k in range(bins):
        for v in range(actions):
            for w in range(actions):
                if w == v or profile[k, v] == 0:
                    continue
                move = Move(k, v, w, np.int64(1))
                try_move(game, scratch, move)
                reached = count_after(game, profile, scratch, move, private)
                if reached >= private:
                    drop = step_drop(game.frequency, mass, kernel[v, k], kernel[w, k])
                    worst = max(worst, (reached - private) + drop / log_bins)
    return worst


@njit
def linear_repair_size(game, scratch, k, v, w):
    """Fewest records of bin k that lift S to ``scratch.needed`` by going from v to w.

    Returns a float, 0 if no number of them can.
    """
    kernel, mass, needed = game.kernel, scratch.mass, scratch.needed
    size = 1.0
    for x in range(mass.size):
        if needed[x] > mass[x]:
            step = kernel[w, k, x] - kernel[v, k, x]
            if step <= 0.0:
                return 0.0
            size = max(size, np.ceil((needed[x] - mass[x]) / step))
    return size


@njit
def hockey_stick_repair_size(game, profile, mass, k, v, w):
    """Return the same for delta > 0: fewest records that make each hockey-stick divergence small.

    Small means at most delta.  The divergence of a row is convex in the number of records that have
    gone, so Newton's method from below never oversteps.
    """
    kernel, tau = game.kernel, game.target.tau
    allowed = game.target.delta * (game.target.n - 1) * math.exp(-game.target.epsilon)
    actions, bins, outputs = kernel.shape
    size = 1.0
    for j in range(bins):
        for u in range(actions):
            waits = profile[j, u] > 0
            while waits and size <= profile[k, v]:
                excess, slope = -allowed * (1.0 + BOUNDARY), 0.0
                for x in range(outputs):
                    step = kernel[w, k, x] - kernel[v, k, x]
                    above = kernel[u, j, x] - tau * (mass[x] + size * step)
                    if above > 0.0:
                        excess += above
                        slope += tau * step
                waits = excess > 0.0
                if waits and slope <= 0.0:
                    return 0.0
                size += np.ceil(excess / slope) if waits else 0.0
    return size


@njit
def best_repair(game, profile, scratch, goal, floor):
    """Cheapest move of one group that restores ``goal`` private records after a move broke some.

    ``scratch.mass`` is the mass of the profile.  Only moves that lower KL by more than ``floor``
    nats, which may be negative, are looked at.
    Returns the move and its drop in KL; its size is 0 if no single group can.
    """
    kernel, mass, tau = game.kernel, scratch.mass, game.target.tau
    actions, bins, outputs = kernel.shape
    envelope(profile, kernel, scratch.envelope)
    for x in range(outputs):  # the smallest S at which every present group is private (linear form)
        scratch.needed[x] = scratch.envelope[0, x] / (tau + BOUNDARY * tau * (1.0 - tau))
    none = np.int64(0)
    best, best_drop = Move(none, none, none, none), floor
    for k in range(bins):
        for v in range(actions):
            for w in range(actions):
                if profile[k, v] == 0 or w == v:
                    continue
                if game.target.delta > 0.0:
                    wanted = hockey_stick_repair_size(game, profile, mass, k, v, w)
                else:
                    wanted = linear_repair_size(game, scratch, k, v, w)
                if wanted == 0.0 or wanted > profile[k, v]:
                    continue
                move = Move(k, v, w, int(wanted))
                try_move(game, scratch, move)
                drop = divergence_drop(game.frequency, mass, scratch.trial)
                if drop <= best_drop:
                    continue
                if count_after(game, profile, scratch, move, goal) >= goal:
                    best, best_drop = move, drop
    return best, best_drop


@njit
def compound_move_sweep(game, profile, scratch):
    """Try to lead each group, in part or whole, to each action, repaired by another group.

    A move of several records that lowers KL is made as it is if it costs nobody's privacy.  If it
    does, it is paired with the cheapest move of one other group that restores it, and the pair is
    made if it lowers KL in sum.  While somebody is not private, one group moves so that everybody
    is, if it can.  In place.  Returns the number of records that moved.

    What a move gains is estimated from differences, and where it takes nearly all of the mass of
    an output away the estimate is mostly rounding.  So whatever was moved is undone unless the
    mass that it led to has a lower KL, too; otherwise a move whose repair takes it back could seem
    to gain, again and again.
    """
    frequency, n = game.frequency, game.target.n
    mass, before = scratch.mass, scratch.before
    actions, bins, outputs = game.kernel.shape
    mixture(profile, game.kernel, mass)
    rounding = ROUNDING / n
    goal = count_private(game, profile, mass, np.int64(0))
    moved = 0
    if goal < n:
        repair, _ = best_repair(game, profile, scratch, goal + 1, -math.inf)
        if repair.size > 0:
            make_move(game, profile, scratch, repair)
            goal = count_private(game, profile, mass, goal)
            moved += repair.size
    for k in range(bins):
        for v in range(actions):
            for w in range(actions):
                size = profile[k, v]
                while w != v and size > 0 and profile[k, v] >= size:
                    move = Move(k, v, w, size)
                    try_move(game, scratch, move)
                    gain = divergence_drop(frequency, mass, scratch.trial)
                    if gain <= rounding:
                        size //= 2
                        continue
                    for x in range(outputs):
                        before[x] = mass[x]
                    make_move(game, profile, scratch, move)
                    broken = count_private(game, profile, mass, goal) < goal
                    repaired = np.int64(0)
                    if broken:
                        repair, _ = best_repair(game, profile, scratch, goal, rounding - gain)
                        repaired = repair.size
                        if repaired > 0:
                            make_move(game, profile, scratch, repair)
                    lost = broken and repaired == 0
                    if lost or divergence_drop(frequency, before, mass) <= rounding:
                        if repaired > 0:
                            undo_move(game, profile, scratch, repair)
                        undo_move(game, profile, scratch, move)
                        size //= 2
                        continue
                    moved += size + repaired
                    goal = count_private(game, profile, mass, goal)
    return moved


@njit
def shortfall(game, profile, mass, exposed):
    """How much the rows of the exposed groups that are left violate the linear form, in sum.

    ``exposed``, of shape (K, V), says which groups are meant.
    """
    kernel, tau, sigma = game.kernel, game.target.tau, game.target.sigma
    actions, bins, outputs = kernel.shape
    allowed, total = game.target.delta * (game.target.n - 1), 0.0
    for k in range(bins):
        for v in range(actions):
            if profile[k, v] == 0 or not exposed[k, v]:
                continue
            above, below = -allowed * math.exp(-game.target.epsilon), -allowed
            for x in range(outputs):
                above += max(kernel[v, k, x] - tau * mass[x], 0.0)
                below += max(sigma * mass[x] - kernel[v, k, x], 0.0)
            total += max(above, 0.0) + max(below, 0.0)
    return total


@njit
def greedy_repair(game, profile, scratch, goal, fixed_k, fixed_v):
    """Let single records move, one after another, until ``goal`` records are private.

    The greedy rule of weighted set covering: each time it is the record that closes most of the
    shortfall, and more than rounding, per nat of KL.  A nat is counted as at least a tenth of what
    a record costs that spreads all over the outputs, 1 / n.  The records of bin ``fixed_k`` that
    play ``fixed_v`` stay.
    Returns whether the goal was reached within ``REPAIRS`` moves.
    """
    kernel, mass, target, n = game.kernel, scratch.mass, game.target, game.target.n
    actions, bins, _ = kernel.shape
    exposed, nobody = np.empty((bins, actions), dtype=np.bool_), np.int64(-1)
    for _ in range(REPAIRS):
        if count_private(game, profile, mass, goal) >= goal:
            return True
        for k in range(bins):
            for v in range(actions):
                exposed[k, v] = profile[k, v] > 0 and not is_private(target, kernel[v, k], mass)
        before = shortfall(game, profile, mass, exposed)
        best, best_move = 0.0, Move(nobody, nobody, nobody, np.int64(1))
        for k in range(bins):
            for v in range(actions):
                if profile[k, v] == 0 or (k == fixed_k and v == fixed_v):
                    continue
                for w in range(actions):
                    move = Move(k, v, w, np.int64(1))
                    try_move(game, scratch, move)
                    profile[k, v] -= 1  # it may be the exposed one itself who leaves
                    profile[k, w] += 1
                    closed = before - shortfall(game, profile, scratch.trial, exposed)
                    profile[k, v] += 1
                    profile[k, w] -= 1
                    cost = -step_drop(game.frequency, mass, kernel[v, k], kernel[w, k])
                    value = closed / max(cost, 0.1 / n)
                    if closed > BOUNDARY and value > best:
                        best, best_move = value, move
        if best == 0.0:
            return False
        make_move(game, profile, scratch, best_move)
    return count_private(game, profile, mass, goal) >= goal


@njit
def follow(game, profile, scratch, here, fixed_k, fixed_v):
    """Play best responses while the last pass is worth it; return whether they came to rest.

    A pass is worth it if it wins a twentieth of what KL still is above that of the mass ``here``,
    shape (K,).  The records of bin ``fixed_k`` that play ``fixed_v`` stay; -1 fixes nobody.
    """
    while True:
        moved, _, drops = best_response_sweep(
            game, profile, scratch, np.bool_(True), fixed_k, fixed_v
        )
        if moved == 0:
            return True
        if drops.sum() < -divergence_drop(game.frequency, here, scratch.mass) / 20.0:
            return False


@njit
def forced_move(game, profile, scratch, move, here, goal, near):
    """Make a move whatever it costs, and let all others respond to it, in place.

    ``here``, shape (K,), is the mass before, and ``goal`` the number of records that were private.
    Single records repair the privacy that is lost, the others play best responses, then everybody
    does.  Where that ends less than ``near`` nats above the KL of ``here``, compound moves follow.
    Returns whether it ended at rest and better than ``here``.
    """
    mass, nobody, rounding = scratch.mass, np.int64(-1), ROUNDING / game.target.n
    make_move(game, profile, scratch, move)
    if not greedy_repair(game, profile, scratch, goal, move.k, move.w):
        return False
    for fixed_k, fixed_v in ((move.k, move.w), (nobody, nobody)):
        if not follow(game, profile, scratch, here, fixed_k, fixed_v):
            return False
    drop = divergence_drop(game.frequency, here, mass)
    if -near < drop <= rounding:
        while compound_move_sweep(game, profile, scratch) > 0:
            follow(game, profile, scratch, mass.copy(), nobody, nobody)
        drop = divergence_drop(game.frequency, here, mass)
    reached = count_private(game, profile, mass, goal)
    return reached > goal or (reached == goal and drop > rounding)


@njit
def forced_move_sweep(game, profile, scratch, near):
    """Force each group, or one of its records, to each other action, and keep what pays.

    In place.  ``near`` is in nats; see ``forced_move``.  Returns how many forced moves paid.
    """
    kernel, mass = game.kernel, scratch.mass
    actions, bins, outputs = kernel.shape
    here = np.empty(outputs)
    mixture(profile, kernel, here)
    goal = count_private(game, profile, here, np.int64(0))
    kept = 0
    for k in range(bins):
        for v in range(actions):
            for w in range(actions):
                for whole in (True, False):
                    size = profile[k, v] if whole else min(profile[k, v] - 1, 1)
                    if w == v or size < 1:
                        continue
                    end = profile.copy()
                    move = Move(k, v, w, size)
                    if forced_move(game, end, scratch, move, here, goal, near):
                        kept += 1
                        for j in range(bins):
                            for u in range(actions):
                                profile[j, u] = end[j, u]
                        for x in range(outputs):
                            here[x] = mass[x]
                        goal = count_private(game, profile, here, goal)
    return kept


@njit
def population_payoffs(game, genes, bin_of_record, log_bins, constant):
    """Payoff of each chromosome.

    ``genes[i, r]`` is the action of record r in chromosome i, ``bin_of_record[r]`` its bin,
    ``log_bins`` is ln K and ``constant`` the sum of q ln q, in nats.
    """
    kernel, frequency, n = game.kernel, game.frequency, game.target.n
    actions, bins, outputs = kernel.shape
    payoffs = np.empty(genes.shape[0])
    mass = np.empty(outputs)
    for i in range(genes.shape[0]):
        profile = np.zeros((bins, actions), dtype=np.int64)
        for r in range(genes.shape[1]):
            profile[bin_of_record[r], genes[i, r]] += 1
        mixture(profile, kernel, mass)
        divergence = constant
        for x in range(outputs):
            if frequency[x] > 0.0:
                divergence -= frequency[x] * math.log(mass[x] / n)
        private = count_private(game, profile, mass, np.int64(0))
        payoffs[i] = private + 1.0 - divergence / log_bins
    return payoffs
