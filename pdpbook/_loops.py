"""The compiled loops of the game, all in one file.

numba's on-disk cache compares only the file of the called function.  If a loop called a loop in a
second file, it would still run the old code of that loop after a change to the second file.  The
public functions check the arguments; the loops do not.  Arguments have the same names everywhere:

* ``game``, a :class:`Game`: the constant parts, such as the kernel of the noise;
* ``profile``, the integer matrix C[k, v], shape (K, V): the number of records of bin k that play
  action v.  A loop that makes moves updates this matrix in place;
* ``mass``, shape (2, K): S(x), the sum of C[k, v] kernel[v, k, x], so that S / n is the output.  It
  is exact: the first row contains the nearest doubles, and the second row the remainders;
* ``scratch``, a :class:`Scratch`: arrays to write to; ``scratch.mass`` is the mass of ``profile``;
* ``k, v, w``: a bin, the action that its records leave, and the action that they take instead; a
  :class:`Move` contains these three and a number of records.

The terms come from local search and set covering.  A move that breaks the privacy of some records
is *repaired* by further moves that restore it.  A *compound move* is a move with its repair by one
other group, made only if the two together increase the payoff.  A *forced move* is made at any
cost, as the perturbation of an iterated local search.  Individual records, chosen by the greedy
rule of weighted set covering, repair it; the other records play best responses; and the move is
kept if the final profile is better.

Every entry of a kernel is a multiple of 2**-52, and there are at most 2**53 records, so S is a
multiple of 2**-52 below 2**53.  It has at most 105 bits, and a pair of doubles represents it.  A
sum of two such pairs is exact, and so is a product of two doubles in this form (Dekker 1971).
Whether a record is private is decided without rounding: doubles decide the clear cases, and the
sign of a sum of exact products decides the others.  So P_E is a function of the profile alone.

A gain in KL is computed with rounding, and the loops use a lower bound on the gain.  This bound
assumes that ``log`` and ``log1p`` err by at most four units in the last place.  A move is made only
if P_E rises, or if P_E stays the same and KL certainly falls.

A first call compiles the loop and all loops that it calls, so each loop has one signature.  numba
would compile a function again for a literal whole number in a call, so the calls pass
``np.int64(0)``.  The assignment of a slice takes seconds to compile, so loops copy arrays.  A
compiled ``math.ceil`` returns an integer that overflows at 2**63, so the code calls ``np.ceil``.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pdpbook._compile import njit

#: Tolerance of a best response: a record changes its action only if KL falls by more than this / n.
ROUNDING = 1e-12
#: If two products of three rounded doubles differ by this fraction, the exact products also differ.
CLEAR = 2.0**-50
#: Half a unit in the last place of a double, as a fraction of the double.
HALF_UNIT = 2.0**-53
#: After this number of steps of one group in one pass, a step must make its last record better off,
#: but need not be this record's best response.  Otherwise the best response of a group could
#: alternate between two actions with every record, and each record would be a separate step.
PATIENCE = 32
#: Steps after which a pass ends, so that a single pass takes about a second at most.
STEPS = 2**17
#: Number of individual records that may move to repair a forced move.
REPAIRS = 12


class Slope(NamedTuple):
    """A fraction that rows are compared with: ``row * of_row`` against ``mass * of_mass``."""

    of_mass: float  #: a whole number up to 2**53
    of_row: float  #: a whole number up to 2**105, rounded to a double
    rest: float  #: the remainder of this rounding


class Target(NamedTuple):
    """The condition for privacy, in numbers only, because numba counts references to arrays."""

    n: int  #: number of records
    epsilon: float  #: privacy target, in nats
    delta: float  #: 0 for the linear form of pDP, otherwise the hockey-stick bound
    tau: float  #: linear form: a private row is at most tau S
    sigma: float  #: linear form: it is also at least sigma S, if sigma > 0
    most: Slope  #: decides whether a row is at most tau S
    least: Slope  #: decides whether a row is at least sigma S
    growth: tuple[float, float, float]  #: for delta > 0: e**epsilon or slightly less, as a sum


class Game(NamedTuple):
    """The constant parts of a game."""

    kernel: NDArray[np.float64]  #: shape (V, K, K): [v, k, x] is P(released as x | bin k, action v)
    frequency: NDArray[np.float64]  #: the data's distribution q, shape (K,)
    target: Target  #: the condition for privacy


class Scratch(NamedTuple):
    """Arrays that the loops write; all but ``needed`` have the shape (2, K)."""

    mass: NDArray[np.float64]  #: S of the profile
    trial: NDArray[np.float64]  #: S after a move that is only tried
    before: NDArray[np.float64]  #: S before the move that is being made
    needed: NDArray[np.float64]  #: about the least S at which all records are private, shape (K,)
    envelope: NDArray[np.float64]  #: largest and smallest row entry of present groups


class Move(NamedTuple):
    """``size`` records of bin ``k`` go from action ``v`` to action ``w``."""

    k: int
    v: int
    w: int
    size: int


def new_scratch(outputs: int) -> Scratch:
    """Return new scratch arrays for a game with this number of bins."""
    mass, trial, before, envelope = (np.empty((2, outputs)) for _ in range(4))
    return Scratch(mass, trial, before, np.empty(outputs), envelope)


@njit
def two_sum(a, b):
    """Return a + b as the nearest double and the remainder."""
    total = a + b
    share = total - a
    return total, (a - (total - share)) + (b - share)


@njit
def two_product(a, b):
    """Return a * b as the nearest double and the remainder, away from over- and underflow."""
    split = 134217729.0  # 2**27 + 1 cuts a double into two halves of 26 bits
    high_a, high_b = split * a, split * b
    high_a, high_b = high_a - (high_a - a), high_b - (high_b - b)
    low_a, low_b = a - high_a, b - high_b
    product = a * b
    return product, ((high_a * high_b - product) + high_a * low_b + low_a * high_b) + low_a * low_b


@njit
def add_to(mass, x, high, low):
    """Add the pair ``high + low`` to S(x); exact for multiples of 2**-52 as large as S can be."""
    total, rest = two_sum(mass[0, x], high)
    rest += mass[1, x] + low
    mass[0, x] = total + rest
    mass[1, x] = rest - (mass[0, x] - total)


@njit
def sign_of(terms, parts):
    """Sign of the sum of the terms, without rounding; ``parts`` is scratch of the same length.

    After each term the parts have the same sum as the terms so far, do not overlap, and grow, so
    the last part other than 0 has the sign of the sum (Shewchuk 1997, theorem 10).
    """
    for i in range(terms.size):
        total = terms[i]
        for j in range(i):
            total, parts[j] = two_sum(total, parts[j])
        parts[i] = total
    for i in range(terms.size - 1, -1, -1):
        if parts[i] != 0.0:
            return parts[i]
    return 0.0


@njit
def exact_difference(row, high, low, slope):
    """Sign of ``row * slope.of_row - S * slope.of_mass`` for S = high + low, without rounding."""
    terms = np.empty(8)
    terms[0], terms[1] = two_product(row, slope.rest)
    terms[2], terms[3] = two_product(low, -slope.of_mass)
    terms[4], terms[5] = two_product(row, slope.of_row)
    terms[6], terms[7] = two_product(high, -slope.of_mass)
    return sign_of(terms, np.empty(8))


@njit
def no_more(row, mass, x, slope):
    """Whether ``row`` is at most the fraction of S(x) that the slope defines."""
    left, right = row * slope.of_row, mass[0, x] * slope.of_mass
    if left <= right * (1.0 - CLEAR):
        return True
    if left > right * (1.0 + CLEAR):
        return False
    return exact_difference(row, mass[0, x], mass[1, x], slope) <= 0.0


@njit
def no_less(row, mass, x, slope):
    """Whether ``row`` is at least the fraction of S(x) that the slope defines."""
    left, right = row * slope.of_row, mass[0, x] * slope.of_mass
    if left >= right * (1.0 + CLEAR):
        return True
    if left < right * (1.0 - CLEAR):
        return False
    return exact_difference(row, mass[0, x], mass[1, x], slope) >= 0.0


@njit
def mixture(profile, kernel, mass):
    """Fill ``mass`` with S(x) of the profile."""
    actions, bins, outputs = kernel.shape
    for x in range(outputs):
        mass[0, x] = mass[1, x] = 0.0
    for k in range(bins):
        for v in range(actions):
            if profile[k, v] > 0:  # many groups are empty
                size = float(profile[k, v])
                for x in range(outputs):
                    high, low = two_product(size, kernel[v, k, x])
                    add_to(mass, x, high, low)


@njit
def left_over(row, mass, x):
    """Return S(x) without a record of this row, accurate up to the rounding of the result."""
    total, rest = two_sum(mass[0, x], -row)
    return total + (rest + mass[1, x])


@njit
def privacy_loss(row, mass, n):
    """Largest |ln P(x) / P_{-i}(x)|, rounded up, for one of n records with kernel row ``row``.

    If the record cannot reach an output x, then P(x) is (n - 1) / n times P_{-i}(x).
    """
    worst, company = 0.0, math.log1p(-1.0 / n)
    for x in range(row.size):
        if mass[0, x] > 0.0:
            without = left_over(row[x], mass, x)
            if without <= 0.0:
                return math.inf
            if row[x] < 0.5 * mass[0, x]:
                alone = math.log1p(-row[x] / mass[0, x])
            else:
                alone = math.log(without / mass[0, x])
            rounding = 32.0 * HALF_UNIT * (abs(company) + abs(alone))
            worst = max(worst, abs(company - alone) + rounding)
    return worst


@njit
def hockey_stick(row, mass, n, epsilon):
    """Larger of the hockey-stick divergences at epsilon of P and P_{-i}, for a row as above."""
    ratio = math.exp(epsilon) if epsilon < 709.78 else math.inf
    there, back = 0.0, 0.0
    for x in range(row.size):
        with_record = mass[0, x] / n
        without = max(left_over(row[x], mass, x), 0.0) / (n - 1)
        there += max(with_record - ratio * without, 0.0) if without > 0.0 else with_record
        back += max(without - ratio * with_record, 0.0) if with_record > 0.0 else without
    return max(there, back)


@njit
def fits_delta(target, more, less, sums):
    """Whether ``more * A - e**epsilon * less * B`` is at most delta n (n - 1), without rounding.

    The columns of ``sums`` are the pairs A and B.  e**epsilon is rounded down, so True is certain;
    if the result is False, the excess may be as small as 2**-150 of the second term.
    """
    terms, number = np.empty(32), 0
    for row in range(2):
        terms[number], terms[number + 1] = two_product(sums[row, 0], more)
        number += 2
        for part in two_product(sums[row, 1], less):
            for factor in target.growth:
                terms[number], terms[number + 1] = two_product(part, -factor)
                number += 2
    for part in two_product(float(target.n), target.n - 1.0):
        terms[number], terms[number + 1] = two_product(part, -target.delta)
        number += 2
    return sign_of(terms, np.empty(32)) <= 0.0


@njit
def within_delta(target, row, mass):
    """Whether both hockey-stick divergences are at most delta, for a record with this row."""
    n = float(target.n)
    stick = hockey_stick(row, mass, target.n, target.epsilon)
    rounding = (2.0 * row.size + 64.0) * HALF_UNIT  # the probabilities sum to 1
    if abs(stick - target.delta) > rounding:
        return stick < target.delta
    there, back = np.zeros((2, 2)), np.zeros((2, 2))  # columns: S and S - row, or the reverse
    first, second = np.int64(0), np.int64(1)
    for x in range(row.size):
        high, low = mass[0, x], mass[1, x]
        if not no_more(row[x], mass, x, target.most):
            add_to(there, first, high, low)
            add_to(there, second, high, low)
            add_to(there, second, -row[x], 0.0)
        elif not no_less(row[x], mass, x, target.least):
            add_to(back, first, high, low)
            add_to(back, first, -row[x], 0.0)
            add_to(back, second, high, low)
    return fits_delta(target, n - 1.0, n, there) and fits_delta(target, n, n - 1.0, back)


@njit
def is_private(target, row, mass):
    """Whether a record with this kernel row is private: by the linear form if delta = 0."""
    if target.delta > 0.0:
        return within_delta(target, row, mass)
    for x in range(row.size):
        if not no_more(row[x], mass, x, target.most):
            return False
    if target.least.of_mass > 0.0:
        for x in range(row.size):
            if not no_less(row[x], mass, x, target.least):
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
    """Fill ``losses``, shape (K, V), with the rounded-up loss of each group; nan if empty."""
    bins, actions = profile.shape
    for k in range(bins):
        for v in range(actions):
            losses[k, v] = math.nan
            if profile[k, v] > 0:
                losses[k, v] = privacy_loss(game.kernel[v, k], mass, game.target.n)


@njit
def group_exposed(game, profile, mass, exposed):
    """Mark in ``exposed``, shape (K, V), each group with records that are not private."""
    bins, actions = profile.shape
    for k in range(bins):
        for v in range(actions):
            private = profile[k, v] == 0 or is_private(game.target, game.kernel[v, k], mass)
            exposed[k, v] = not private


@njit
def log_ratio(high, low, change):
    """Logarithm of (S + change) / S, S = high + low, correct to a few units in the last place."""
    if change >= -0.5 * high:  # below, the logarithm of the ratio is more accurate
        return math.log1p(change / high)
    total, rest = two_sum(high, change)
    after = total + (rest + low)
    return math.log(after / high) if after > 0.0 else -math.inf


@njit
def divergence_drop(frequency, mass, after):
    """Lower bound on KL(q || mass/n) - KL(q || after/n) in nats, to within rounding.

    ``frequency`` is q, shape (K,); ``mass`` and ``after`` are the masses of two profiles.  The
    difference is summed output by output, without the cancellation of two large sums.
    """
    drop, size = 0.0, 0.0
    for x in range(frequency.size):
        if frequency[x] > 0.0:
            change = (after[0, x] - mass[0, x]) + (after[1, x] - mass[1, x])
            term = frequency[x] * log_ratio(mass[0, x], mass[1, x], change)
            if term == -math.inf:
                return -math.inf
            drop += term
            size += abs(term)
    return drop - (frequency.size + 32.0) * HALF_UNIT * size


@njit
def step_drop(frequency, mass, old, new):
    """Lower bound on the drop in KL, as above, if a record's row ``old`` becomes ``new``."""
    drop, size = 0.0, 0.0
    for x in range(frequency.size):
        if frequency[x] > 0.0:
            term = frequency[x] * log_ratio(mass[0, x], mass[1, x], new[x] - old[x])
            if term == -math.inf:
                return -math.inf
            drop += term
            size += abs(term)
    return drop - (frequency.size + 32.0) * HALF_UNIT * size


@njit
def envelope(profile, kernel, rows):
    """Fill ``rows``, shape (2, K), with the largest and smallest row entries of present groups."""
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
    """Make a move in place, and update the mass and the envelope of the profile in ``scratch``.

    The envelope changes only if a group appears or dies out.
    """
    try_move(game, scratch, move)
    copy_mass(scratch.trial, scratch.mass)
    profile[move.k, move.v] -= move.size
    profile[move.k, move.w] += move.size
    if profile[move.k, move.v] == 0:
        envelope(profile, game.kernel, scratch.envelope)
    elif profile[move.k, move.w] == move.size:
        new, high, low = game.kernel[move.w, move.k], scratch.envelope[0], scratch.envelope[1]
        for x in range(new.size):
            high[x], low[x] = max(high[x], new[x]), min(low[x], new[x])


@njit
def undo_move(game, profile, scratch, move):
    """Reverse a move."""
    make_move(game, profile, scratch, Move(move.k, move.w, move.v, move.size))


@njit
def copy_mass(mass, into):
    """Copy a mass into the array of another mass."""
    for x in range(mass.shape[1]):
        into[0, x], into[1, x] = mass[0, x], mass[1, x]


@njit
def try_move(game, scratch, move):
    """Fill ``scratch.trial`` with the mass after a move that is not made."""
    mass, trial, size = scratch.mass, scratch.trial, float(move.size)
    old, new = game.kernel[move.v, move.k], game.kernel[move.w, move.k]
    copy_mass(mass, trial)
    for x in range(old.size):
        high, low = two_product(size, new[x] - old[x])
        add_to(trial, x, high, low)


@njit
def count_here(game, profile, scratch, at_least):
    """P_E, or -1 if it is below ``at_least``, from the mass and the envelope in ``scratch``."""
    most, least, mass = game.target.most, game.target.least, scratch.mass
    if at_least < game.target.n or game.target.delta > 0.0:
        return count_private(game, profile, mass, at_least)
    for x in range(mass.shape[1]):  # all records have to be private, so the envelope suffices
        if not no_more(scratch.envelope[0, x], mass, x, most):
            return -1
        if least.of_mass > 0.0 and not no_less(scratch.envelope[1, x], mass, x, least):
            return -1
    return game.target.n


@njit
def count_after(game, profile, scratch, move, at_least):
    """Return P_E after the move, or -1 if P_E is below ``at_least``, a number of records.

    ``scratch.trial`` is the mass after the move, and ``scratch.envelope`` is the envelope before
    it.  If all records have to be private by the linear form and no group dies out, it suffices to
    check the envelope with the new row.
    """
    k, v, w, size = move
    trial, most, least = scratch.trial, game.target.most, game.target.least
    if at_least == game.target.n and game.target.delta == 0.0 and profile[k, v] > size:
        high, low, new = scratch.envelope[0], scratch.envelope[1], game.kernel[w, k]
        for x in range(new.size):
            if not no_more(max(high[x], new[x]), trial, x, most):
                return -1
            if least.of_mass > 0.0 and not no_less(min(low[x], new[x]), trial, x, least):
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

    ``private`` is the present P_E, and ``scratch`` contains the mass and the envelope of the
    profile.  If ``only`` is an action, no other action is tried; if it is -1, all are tried.
    Payoffs are compared as pairs (P_E, -KL), P_E first.  The record keeps its action unless another
    action is certainly better, and takes the first of equally good actions.  So every move raises
    the exact pair, and no profile can occur twice.
    """
    kernel, mass, n = game.kernel, scratch.mass, game.target.n
    best, best_private, best_drop = v, private, 0.0
    for w in range(kernel.shape[0]):
        if w == v or (only >= 0 and only != w):
            continue
        drop = step_drop(game.frequency, mass, kernel[v, k], kernel[w, k])
        needed = best_private if drop > best_drop + ROUNDING / n else best_private + 1
        if needed > n:
            continue  # no gain in P_E is possible
        move = Move(k, v, w, np.int64(1))
        try_move(game, scratch, move)
        reached = count_after(game, profile, scratch, move, needed)
        if reached >= needed:
            best, best_private, best_drop = w, reached, drop
    return best, best_private - private, best_drop


@njit
def best_response_sweep(game, profile, scratch, batch, unit, fixed_k, fixed_v):
    """One pass of best-response dynamics over all records, in place.

    Records play in the order of bins and, within a bin, of their actions when the pass reaches it.
    With ``batch``, records of one group with the same best response move together: the step doubles
    as long as its last record would still make this choice or, after ``PATIENCE`` steps of a group,
    as long as this record still gains.  KL is convex along the step and the step must not expose a
    private record, so if its last record gains, the whole step gains.  A step of fewer than
    ``unit`` records is made only if no other records wait.  With ``batch``, a pass ends after
    ``STEPS`` steps, and the other records wait for the next pass.  The records of bin ``fixed_k``
    that play ``fixed_v`` do not move; -1 fixes no group.  Every step raises the exact pair (P_E,
    -KL), and there are finitely many profiles, so repeated passes end with a pass without a move.
    Returns the number of records that moved and the traces of P_E and of the drop in KL.
    """
    kernel, mass, before = game.kernel, scratch.mass, scratch.before
    actions, bins, _ = kernel.shape
    mixture(profile, kernel, mass)
    envelope(profile, kernel, scratch.envelope)
    private = count_private(game, profile, mass, np.int64(0))
    moved, every, one = 0, np.int64(-1), np.int64(1)
    trace_private, trace_drop = [private], [0.0]
    for k in range(bins):
        group = profile[k].copy()
        for v in range(actions):
            waiting = 0 if k == fixed_k and v == fixed_v else group[v]
            step, taken = unit, 0
            while waiting > 0 and (len(trace_drop) <= STEPS or not batch):
                w, _, _ = best_action(game, profile, scratch, k, v, every, private)
                if w == v:
                    break
                copy_mass(mass, before)
                size, fewest = min(step, waiting), min(unit, waiting)
                while size > 1 and size >= fewest:
                    others = Move(k, v, w, size - 1)
                    make_move(game, profile, scratch, others)
                    last = count_here(game, profile, scratch, private)
                    if last >= private:
                        only = every if taken < PATIENCE else w
                        choice, _, _ = best_action(game, profile, scratch, k, v, only, last)
                        if choice == w:
                            break
                    undo_move(game, profile, scratch, others)
                    size //= 2
                if size < fewest:
                    break
                make_move(game, profile, scratch, Move(k, v, w, one))
                private = count_here(game, profile, scratch, private)
                waiting -= size
                moved += size
                taken += 1
                step = 2 * size if batch else 1
                trace_private.append(private)
                trace_drop.append(divergence_drop(game.frequency, before, mass))
    return moved, np.array(trace_private), np.array(trace_drop)


@njit
def largest_regret(game, profile, scratch, log_bins):
    """Largest gain in payoff of a single record that changes its action; ``log_bins`` is ln K.

    Payoffs are compared as pairs (P_E, -KL), so a change that lowers P_E is not a gain.  The sum
    P_E + P_U has the same order if every kernel row gives more than 1/K to its own bin.
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
    """Fewest records whose move raises S to ``scratch.needed``, a float; 0 if none suffices."""
    kernel, mass, needed = game.kernel, scratch.mass, scratch.needed
    size = 1.0
    for x in range(needed.size):
        if needed[x] > mass[0, x]:
            step = kernel[w, k, x] - kernel[v, k, x]
            if step <= 0.0:
                return 0.0
            size = max(size, np.ceil((needed[x] - mass[0, x]) / step))
    return size


@njit
def hockey_stick_repair_size(game, profile, mass, k, v, w):
    """Fewest records whose move makes each hockey-stick divergence at most delta, for delta > 0.

    The divergence of a row is convex in the number of records that have moved, so Newton's method,
    started from below, never oversteps.
    """
    kernel, tau = game.kernel, game.target.tau
    allowed = game.target.delta * (game.target.n - 1) * math.exp(-game.target.epsilon)
    actions, bins, outputs = kernel.shape
    size = 1.0
    for j in range(bins):
        for u in range(actions):
            waits = profile[j, u] > 0
            while waits and size <= profile[k, v]:
                excess, slope = -allowed, 0.0
                for x in range(outputs):
                    step = kernel[w, k, x] - kernel[v, k, x]
                    above = kernel[u, j, x] - tau * (mass[0, x] + size * step)
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
    """Cheapest move of one group that restores ``goal`` private records, and its drop in KL.

    Only moves that lower KL by more than ``floor`` nats, which may be negative, are considered.
    The size of the move is 0 if no single group can restore the goal.
    """
    kernel, mass, tau = game.kernel, scratch.mass, game.target.tau
    actions, bins, outputs = kernel.shape
    envelope(profile, kernel, scratch.envelope)
    for x in range(outputs):  # where every present group is private (linear form)
        scratch.needed[x] = scratch.envelope[0, x] / tau
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
                if drop > best_drop and count_after(game, profile, scratch, move, goal) >= goal:
                    best, best_drop = move, drop
    return best, best_drop


@njit
def compound_move_sweep(game, profile, scratch, unit):
    """Try to move each group, or a part of it, to each action, with a repair by another group.

    A move of several records that lowers KL is made without a repair if all private records stay
    private.  Otherwise it is paired with the cheapest move of one other group that restores P_E,
    and the pair is made if it lowers KL in total.  If some records are not private at first, a
    group moves, if possible, so that one more record becomes private.  A part of a group moves only
    if it has at least ``unit`` records.  A repair may nearly reverse the move, and their total gain
    is then only a rounding error, so both moves are undone unless the final mass certainly has a
    lower KL.  Changes the profile in place, and returns the number of records that moved.
    """
    frequency, n = game.frequency, game.target.n
    mass, before = scratch.mass, scratch.before
    actions, bins, _ = game.kernel.shape
    mixture(profile, game.kernel, mass)
    envelope(profile, game.kernel, scratch.envelope)
    goal = count_private(game, profile, mass, np.int64(0))
    moved, rounding = 0, ROUNDING / n
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
                fewest = max(min(unit, size), 1)
                while w != v and size >= fewest and profile[k, v] >= size:
                    move = Move(k, v, w, size)
                    try_move(game, scratch, move)
                    gain = divergence_drop(frequency, mass, scratch.trial)
                    if gain <= rounding:
                        size //= 2
                        continue
                    copy_mass(mass, before)
                    make_move(game, profile, scratch, move)
                    broken = count_here(game, profile, scratch, goal) < goal
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
                    goal = count_here(game, profile, scratch, goal)
    return moved


@njit
def shortfall(game, profile, mass, exposed):
    """Sum of the violations of the linear form by the exposed groups that have records."""
    kernel, tau, sigma = game.kernel, game.target.tau, game.target.sigma
    actions, bins, outputs = kernel.shape
    allowed, total = game.target.delta * (game.target.n - 1), 0.0
    for k in range(bins):
        for v in range(actions):
            if profile[k, v] == 0 or not exposed[k, v]:
                continue
            above, below = -allowed * math.exp(-game.target.epsilon), -allowed
            for x in range(outputs):
                above += max(kernel[v, k, x] - tau * mass[0, x], 0.0)
                below += max(sigma * mass[0, x] - kernel[v, k, x], 0.0)
            total += max(above, 0.0) + max(below, 0.0)
    return total


@njit
def greedy_repair(game, profile, scratch, goal, unit, fixed_k, fixed_v):
    """Move ``unit`` records of a group at a time until ``goal`` records are private.

    By the greedy rule of weighted set covering, each move closes the largest part of the shortfall
    per nat of KL, and this part must exceed a rounding error.  The cost of a record counts as at
    least 0.1 / n, a tenth of the cost of a uniform row.  The records of bin ``fixed_k`` that play
    ``fixed_v`` stay.  Returns whether the goal was reached within ``REPAIRS`` moves.
    """
    kernel, mass, n = game.kernel, scratch.mass, game.target.n
    actions, bins, _ = kernel.shape
    exposed, nobody = np.empty((bins, actions), dtype=np.bool_), np.int64(-1)
    for _ in range(REPAIRS):
        if count_here(game, profile, scratch, goal) >= goal:
            return True
        group_exposed(game, profile, mass, exposed)
        before = shortfall(game, profile, mass, exposed)
        best, best_move = 0.0, Move(nobody, nobody, nobody, np.int64(1))
        for k in range(bins):
            for v in range(actions):
                if profile[k, v] == 0 or (k == fixed_k and v == fixed_v):
                    continue
                size = min(unit, profile[k, v])
                for w in range(actions):
                    move = Move(k, v, w, size)
                    try_move(game, scratch, move)
                    profile[k, v] -= size  # the exposed records themselves may leave
                    profile[k, w] += size
                    closed = before - shortfall(game, profile, scratch.trial, exposed)
                    profile[k, v] += size
                    profile[k, w] -= size
                    if size == 1:
                        cost = -step_drop(game.frequency, mass, kernel[v, k], kernel[w, k])
                    else:
                        cost = -divergence_drop(game.frequency, mass, scratch.trial)
                    value = closed / max(cost, 0.1 * size / n)
                    if closed > ROUNDING and value > best:
                        best, best_move = value, move
        if best == 0.0:
            return False
        make_move(game, profile, scratch, best_move)
    return count_here(game, profile, scratch, goal) >= goal


@njit
def follow(game, profile, scratch, here, unit, fixed_k, fixed_v):
    """Play best responses while they pay; return whether a pass without a move was reached.

    A pass pays if it lowers KL by a twentieth of its remaining excess over the KL of ``here``.
    """
    while True:
        moved, _, drops = best_response_sweep(
            game, profile, scratch, np.bool_(True), unit, fixed_k, fixed_v
        )
        if moved == 0:
            return True
        if drops.sum() < -divergence_drop(game.frequency, here, scratch.mass) / 20.0:
            return False


@njit
def is_better(game, profile, other, scratch):
    """Whether another profile has a higher P_E, or the same P_E and certainly a lower KL."""
    mass, before = scratch.mass, scratch.before
    mixture(profile, game.kernel, before)
    private = count_private(game, profile, before, np.int64(0))
    mixture(other, game.kernel, mass)
    reached = count_private(game, other, mass, private)
    if reached != private:
        return reached > private
    return divergence_drop(game.frequency, before, mass) > ROUNDING / game.target.n


@njit
def forced_move(game, profile, scratch, move, here, goal, near, unit):
    """Make a move at any cost, and let all other records respond to it, in place.

    ``here`` is the mass before the move, and ``goal`` is the number of records that were private.
    First, individual records repair the lost privacy.  Then the other records, and finally all
    records, play best responses.  If KL is then less than ``near`` nats above the KL of ``here``,
    compound moves follow.  Returns whether the result is at rest and better than ``here``.
    """
    mass, nobody, rounding = scratch.mass, np.int64(-1), ROUNDING / game.target.n
    copy_mass(here, mass)
    envelope(profile, game.kernel, scratch.envelope)
    make_move(game, profile, scratch, move)
    if not greedy_repair(game, profile, scratch, goal, unit, move.k, move.w):
        return False
    for fixed_k, fixed_v in ((move.k, move.w), (nobody, nobody)):
        if not follow(game, profile, scratch, here, unit, fixed_k, fixed_v):
            return False
    drop = divergence_drop(game.frequency, here, mass)
    if -near < drop <= rounding:
        while compound_move_sweep(game, profile, scratch, unit) > 0:
            follow(game, profile, scratch, mass.copy(), unit, nobody, nobody)
        drop = divergence_drop(game.frequency, here, mass)
    reached = count_private(game, profile, mass, goal)
    return reached > goal or (reached == goal and drop > rounding)


@njit
def forced_move_sweep(game, profile, scratch, near, unit):
    """Force each group, or ``unit`` of its records, to each other action, and keep improvements.

    Every later move has at least ``unit`` records.  The profile changes in place; ``near`` is
    defined in ``forced_move``.  Returns the number of forced moves that paid off.
    """
    kernel, mass = game.kernel, scratch.mass
    actions, bins, outputs = kernel.shape
    here = np.empty((2, outputs))
    mixture(profile, kernel, here)
    goal = count_private(game, profile, here, np.int64(0))
    kept = 0
    for k in range(bins):
        for v in range(actions):
            for w in range(actions):
                for whole in (True, False):
                    size = profile[k, v] if whole else min(profile[k, v] - 1, unit)
                    if w == v or size < 1:
                        continue
                    end = profile.copy()
                    move = Move(k, v, w, size)
                    if forced_move(game, end, scratch, move, here, goal, near, unit):
                        kept += 1
                        for j in range(bins):
                            for u in range(actions):
                                profile[j, u] = end[j, u]
                        copy_mass(mass, here)
                        goal = count_private(game, profile, here, goal)
    return kept


@njit
def population_payoffs(game, genes, bin_of_record, log_bins, constant):
    """Payoff of each chromosome; ``genes[i, r]`` is the action of record r in chromosome i.

    ``log_bins`` is ln K, and ``constant`` is the sum of q ln q, in nats.
    """
    kernel, frequency, n = game.kernel, game.frequency, game.target.n
    actions, bins, outputs = kernel.shape
    payoffs, mass = np.empty(genes.shape[0]), np.empty((2, outputs))
    for i in range(genes.shape[0]):
        profile = np.zeros((bins, actions), dtype=np.int64)
        for r in range(genes.shape[1]):
            profile[bin_of_record[r], genes[i, r]] += 1
        mixture(profile, kernel, mass)
        divergence = constant
        for x in range(outputs):
            if frequency[x] > 0.0:
                divergence -= frequency[x] * math.log(mass[0, x] / n)
        payoffs[i] = count_private(game, profile, mass, np.int64(0)) + 1.0 - divergence / log_bins
    return payoffs
