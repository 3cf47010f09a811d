"""Every compiled loop of the package.

They stand in one file, long as it is, because numba's on-disk cache looks at the file of the
function that is called and at no other: a kernel would go on running the old code of one that it
calls from elsewhere.  The public functions around them check their arguments; nothing here does.

Names: a *profile* is the integer matrix C[k, v], the number of records of bin k that play action v;
``kernel[v, k, x]`` is the probability that a record of bin k with action v is released as x;
``mass`` is S(x) = sum of C[k, v] kernel[v, k, x], so the output distribution is S / n.

The first call of a kernel compiles it and all that it calls, so there are few, small kernels here,
each with one signature.  numba would compile a function again for a whole number that is written
out in a call, hence the ``np.int64(0)``; and the assignment of a slice brings seconds of machinery
for its error messages, hence the loops.  ``math.ceil`` returns an integer when it is compiled, and
one beyond 2**63 becomes negative, hence ``np.ceil``.
"""

import math

import numpy as np

from pdpbook._compile import njit

#: A record on the boundary of its privacy constraint, up to this relative rounding, is private.
BOUNDARY = 1e-12

#: A change in KL of less than this over n is rounding.
NOISE = 1e-12

#: Steps of one group in one pass after which a step must be better, no longer best, for its last
#: record.  Without this the best response of a group can alternate between two actions with every
#: record, and each record is a step of its own.
PATIENCE = 32

#: Single records that may come to help after a commitment.
HELPERS = 12


@njit
def mixture(profile, kernel, mass):
    """Fill ``mass`` with S(x), always summed in the same order."""
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
    """Largest |ln P(x) / P_{-i}(x)| for a record with kernel row ``row``.

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
    """Larger of the two hockey-stick divergences between P and P_{-i}."""
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
def is_private(row, mass, n, epsilon, delta, tau, sigma):
    """Whether a record is private: the linear form if delta = 0, the hockey stick otherwise."""
    if delta > 0.0:
        return hockey_stick(row, mass, n, epsilon) <= delta * (1.0 + BOUNDARY)
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
def count_private(profile, kernel, mass, n, epsilon, delta, tau, sigma, at_least):
    """P_E, or -1 as soon as it is certain to fall short of ``at_least``."""
    lost = 0
    actions, bins, _ = kernel.shape
    for k in range(bins):
        for v in range(actions):
            if profile[k, v] > 0 and not is_private(
                kernel[v, k], mass, n, epsilon, delta, tau, sigma
            ):
                lost += profile[k, v]
                if n - lost < at_least:
                    return -1
    return n - lost


@njit
def group_losses(profile, kernel, mass, n, losses):
    """Fill ``losses`` with the loss of each group, nan where nobody is."""
    actions, bins, _ = kernel.shape
    for k in range(bins):
        for v in range(actions):
            present = profile[k, v] > 0
            losses[k, v] = privacy_loss(kernel[v, k], mass, n) if present else math.nan


@njit
def group_private(profile, kernel, mass, n, limits, private):
    """Fill ``private`` with whether each group is, False where nobody is."""
    epsilon, delta, tau, sigma = limits
    actions, bins, _ = kernel.shape
    for k in range(bins):
        for v in range(actions):
            private[k, v] = profile[k, v] > 0 and is_private(
                kernel[v, k], mass, n, epsilon, delta, tau, sigma
            )


@njit
def divergence_drop(frequency, mass, after):
    """KL(q || mass/n) - KL(q || after/n), without the cancellation of two large sums.

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
    """KL(q || mass/n) - KL(q || (mass - old + new)/n) for the rows of one record.

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
    """Fill ``rows`` with the largest and smallest row entry of the present groups."""
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
def count_after(profile, kernel, n, limits, k, v, w, size, rows, trial, at_least):
    """P_E once ``size`` records of bin k have gone from v to w, or -1 if below ``at_least``.

    ``trial`` is the mass after it, ``rows`` the envelope before it.  If everybody has to be private
    and no group dies out, it is enough to look at the envelope: everybody is private if a record
    with the largest row entries would be, and one with the smallest (the linear form).
    """
    epsilon, delta, tau, sigma = limits
    if at_least == n and delta == 0.0 and profile[k, v] > size:
        high, low, new = rows[0], rows[1], kernel[w, k]
        upper = tau + BOUNDARY * tau * (1.0 - tau)
        lower = sigma * (1.0 - BOUNDARY)
        for x in range(trial.size):
            largest = max(high[x], new[x])
            if largest > upper * trial[x] or largest >= trial[x] > 0.0:
                return -1
            if sigma > 0.0 and min(low[x], new[x]) < lower * trial[x]:
                return -1
        return n
    profile[k, v] -= size
    profile[k, w] += size
    reached = count_private(profile, kernel, trial, n, epsilon, delta, tau, sigma, at_least)
    profile[k, v] += size
    profile[k, w] -= size
    return reached


@njit
def best_action(profile, kernel, frequency, mass, n, limits, k, v, only, private, rows, trial):
    """Best response of one record of bin k that plays v: (action, gain in P_E, drop in KL).

    Payoffs are compared as pairs (P_E, -KL), P_E first.  The record stays where it is unless
    another action is better by more than rounding, and of equally good actions takes the first.
    With ``only`` an action, no other one is tried.
    """
    best, best_private, best_drop = v, private, 0.0
    for w in range(kernel.shape[0]):
        if w == v or (only >= 0 and only != w):
            continue
        drop = step_drop(frequency, mass, kernel[v, k], kernel[w, k])
        needed = best_private if drop > best_drop + NOISE / n else best_private + 1
        if needed > n:
            continue  # saves the look at everybody
        for x in range(mass.size):
            trial[x] = mass[x] + (kernel[w, k, x] - kernel[v, k, x])
        reached = count_after(profile, kernel, n, limits, k, v, w, np.int64(1), rows, trial, needed)
        if reached >= needed:
            best, best_private, best_drop = w, reached, drop
    return best, best_private - private, best_drop


@njit
def move(profile, kernel, mass, rows, k, v, w, records):
    """Let ``records`` records of bin k change from action v to w, in place."""
    profile[k, v] -= records
    profile[k, w] += records
    mixture(profile, kernel, mass)
    envelope(profile, kernel, rows)


@njit
def best_response_sweep(profile, kernel, frequency, mass, n, limits, batch, fixed_k, fixed_v):
    """One pass of best-response dynamics over all records, in place.

    Records play in order of bin, and within a bin in order of the action they held when the pass
    reached it.  With ``batch``, records of one group whose best response is the same move
    together: the step doubles as long as the last record of the step would still have chosen so,
    or, after ``PATIENCE`` steps of a group, as long as it still gains.  KL is convex along the step
    and no private record may be lost by it, so if its last record gains, the whole step gains.
    The records of bin ``fixed_k`` that play ``fixed_v`` do not move; -1 fixes nobody.
    Returns the number of records that moved and the traces of P_E and of the drop in KL.
    """
    epsilon, delta, tau, sigma = limits
    actions, bins, outputs = kernel.shape
    trial, before, rows = np.empty(outputs), np.empty(outputs), np.empty((2, outputs))
    mixture(profile, kernel, mass)
    envelope(profile, kernel, rows)
    private = count_private(profile, kernel, mass, n, epsilon, delta, tau, sigma, np.int64(0))
    moved, every = 0, np.int64(-1)
    trace_private = [private]
    trace_drop = [0.0]
    for k in range(bins):
        group = profile[k].copy()
        for v in range(actions):
            waiting = 0 if k == fixed_k and v == fixed_v else group[v]
            step, taken = 1, 0
            while waiting > 0:
                w, _, _ = best_action(
                    profile, kernel, frequency, mass, n, limits, k, v, every, private, rows, trial
                )
                if w == v:
                    break
                for x in range(outputs):
                    before[x] = mass[x]
                size = min(step, waiting)
                while size > 1:
                    move(profile, kernel, mass, rows, k, v, w, size - 1)
                    last = count_private(
                        profile, kernel, mass, n, epsilon, delta, tau, sigma, private
                    )
                    if last >= private:
                        only = every if taken < PATIENCE else w
                        choice, _, _ = best_action(
                            profile,
                            kernel,
                            frequency,
                            mass,
                            n,
                            limits,
                            k,
                            v,
                            only,
                            last,
                            rows,
                            trial,
                        )
                        if choice == w:
                            break
                    move(profile, kernel, mass, rows, k, w, v, size - 1)
                    size //= 2
                move(profile, kernel, mass, rows, k, v, w, np.int64(1))
                private = count_private(
                    profile, kernel, mass, n, epsilon, delta, tau, sigma, private
                )
                waiting -= size
                moved += size
                taken += 1
                step = 2 * size if batch else 1
                trace_private.append(private)
                trace_drop.append(divergence_drop(frequency, before, mass))
    return moved, np.array(trace_private), np.array(trace_drop)


@njit
def largest_regret(profile, kernel, frequency, mass, n, limits, log_bins):
    """Largest gain in payoff that any single record has by any change of its action.

    Payoffs are compared as pairs (P_E, -KL), so a change that lowers P_E is no gain.  This is the
    order of the sum if every kernel row keeps at least 1/K on its own bin.
    """
    epsilon, delta, tau, sigma = limits
    actions, bins, outputs = kernel.shape
    trial, rows = np.empty(outputs), np.empty((2, outputs))
    envelope(profile, kernel, rows)
    private = count_private(profile, kernel, mass, n, epsilon, delta, tau, sigma, np.int64(0))
    worst = 0.0
    for k in range(bins):
        for v in range(actions):
            for w in range(actions):
                if w == v or profile[k, v] == 0:
                    continue
                for x in range(outputs):
                    trial[x] = mass[x] + (kernel[w, k, x] - kernel[v, k, x])
                reached = count_after(
                    profile, kernel, n, limits, k, v, w, np.int64(1), rows, trial, private
                )
                if reached >= private:
                    drop = step_drop(frequency, mass, kernel[v, k], kernel[w, k])
                    worst = max(worst, (reached - private) + drop / log_bins)
    return worst


@njit
def cover_size(mass, needed, kernel, k, v, w):
    """Fewest records of bin k that lift S to ``needed`` by going from v to w; 0 if none can."""
    size = 1.0
    for x in range(mass.size):
        if needed[x] > mass[x]:
            step = kernel[w, k, x] - kernel[v, k, x]
            if step <= 0.0:
                return 0.0
            size = max(size, np.ceil((needed[x] - mass[x]) / step))
    return size


@njit
def stick_cover_size(profile, kernel, mass, n, limits, k, v, w):
    """Return the same for delta > 0: fewest records after which each hockey stick is short enough.

    The divergence of a row is convex in the number of records that have gone, so Newton's method
    from below never oversteps.
    """
    epsilon, delta, tau, _ = limits
    allowed = delta * (n - 1) * math.exp(-epsilon)
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
def best_cover(profile, kernel, frequency, mass, n, limits, goal, floor, trial):
    """Cheapest move of one group that restores ``goal`` private records after a move broke some.

    Only moves that lower KL by more than ``floor``, which may be negative, are looked at.
    Returns (bin, from, to, records, drop in KL), with records = 0 if no single group can.
    """
    _, delta, tau, _ = limits
    actions, bins, outputs = kernel.shape
    needed, rows = np.empty(outputs), np.empty((2, outputs))
    envelope(profile, kernel, rows)
    for x in range(outputs):  # the smallest S at which every present group is private (linear form)
        needed[x] = rows[0, x] / (tau + BOUNDARY * tau * (1.0 - tau))
    none = np.int64(0)
    best_k, best_v, best_w, best_size, best_drop = none, none, none, none, floor
    for k in range(bins):
        for v in range(actions):
            for w in range(actions):
                if profile[k, v] == 0 or w == v:
                    continue
                if delta > 0.0:
                    wanted = stick_cover_size(profile, kernel, mass, n, limits, k, v, w)
                else:
                    wanted = cover_size(mass, needed, kernel, k, v, w)
                if wanted == 0.0 or wanted > profile[k, v]:
                    continue
                size = int(wanted)
                for x in range(outputs):
                    trial[x] = mass[x] + size * (kernel[w, k, x] - kernel[v, k, x])
                drop = divergence_drop(frequency, mass, trial)
                if drop <= best_drop:
                    continue
                reached = count_after(profile, kernel, n, limits, k, v, w, size, rows, trial, goal)
                if reached >= goal:
                    best_k, best_v, best_w, best_size, best_drop = k, v, w, size, drop
    return best_k, best_v, best_w, best_size, best_drop


@njit
def coordinated_sweep(profile, kernel, frequency, mass, n, limits):
    """Try to lead each group, in part or whole, to each action, with another group as cover.

    A move of several records that lowers KL is made as it is if it costs nobody's privacy.  If it
    does, it is paired with the cheapest move of one other group that restores it, and the pair is
    made if it lowers KL in sum.  While somebody is not private, one group moves to cover
    everybody if it can.  In place.  Returns the number of records that moved.

    What a move gains is estimated from differences, and where it takes nearly all of the mass of
    an output away the estimate is mostly rounding.  So whatever was moved is undone unless the
    mass that it led to has a lower KL, too; otherwise a move whose cover takes it back could seem
    to gain, again and again.
    """
    epsilon, delta, tau, sigma = limits
    actions, bins, outputs = kernel.shape
    trial, before, rows = np.empty(outputs), np.empty(outputs), np.empty((2, outputs))
    mixture(profile, kernel, mass)
    noise = NOISE / n
    goal = count_private(profile, kernel, mass, n, epsilon, delta, tau, sigma, np.int64(0))
    moved = 0
    if goal < n:
        k2, v2, w2, size2, _ = best_cover(
            profile, kernel, frequency, mass, n, limits, goal + 1, -math.inf, trial
        )
        if size2 > 0:
            move(profile, kernel, mass, rows, k2, v2, w2, size2)
            goal = count_private(profile, kernel, mass, n, epsilon, delta, tau, sigma, goal)
            moved += size2
    for k in range(bins):
        for v in range(actions):
            for w in range(actions):
                size = profile[k, v]
                while w != v and size > 0 and profile[k, v] >= size:
                    for x in range(outputs):
                        trial[x] = mass[x] + size * (kernel[w, k, x] - kernel[v, k, x])
                    gain = divergence_drop(frequency, mass, trial)
                    if gain <= noise:
                        size //= 2
                        continue
                    for x in range(outputs):
                        before[x] = mass[x]
                    move(profile, kernel, mass, rows, k, v, w, size)
                    reached = count_private(
                        profile, kernel, mass, n, epsilon, delta, tau, sigma, goal
                    )
                    covered = np.int64(0)
                    if reached < goal:
                        k2, v2, w2, covered, _ = best_cover(
                            profile, kernel, frequency, mass, n, limits, goal, noise - gain, trial
                        )
                        if covered > 0:
                            move(profile, kernel, mass, rows, k2, v2, w2, covered)
                    lost = reached < goal and covered == 0
                    if lost or divergence_drop(frequency, before, mass) <= noise:
                        if covered > 0:
                            move(profile, kernel, mass, rows, k2, w2, v2, covered)
                        move(profile, kernel, mass, rows, k, w, v, size)
                        size //= 2
                        continue
                    moved += size + covered
                    goal = count_private(profile, kernel, mass, n, epsilon, delta, tau, sigma, goal)
    return moved


@njit
def shortfall(profile, kernel, mass, n, limits, exposed):
    """How much the rows of the exposed groups that are left violate the linear form, in sum."""
    epsilon, delta, tau, sigma = limits
    actions, bins, outputs = kernel.shape
    allowed, total = delta * (n - 1), 0.0
    for k in range(bins):
        for v in range(actions):
            if profile[k, v] == 0 or not exposed[k, v]:
                continue
            above, below = -allowed * math.exp(-epsilon), -allowed
            for x in range(outputs):
                above += max(kernel[v, k, x] - tau * mass[x], 0.0)
                below += max(sigma * mass[x] - kernel[v, k, x], 0.0)
            total += max(above, 0.0) + max(below, 0.0)
    return total


@njit
def call_helpers(profile, kernel, frequency, mass, n, limits, goal, fixed_k, fixed_v, trial):
    """Let single records move, one after another, until ``goal`` records are private.

    Each time it is the record that closes most of the shortfall, and more than rounding, per nat of
    KL.  A nat is counted as at least a tenth of what a record costs that spreads all over the
    outputs, 1 / n.
    Returns whether the goal was reached within ``HELPERS`` moves.
    """
    epsilon, delta, tau, sigma = limits
    actions, bins, outputs = kernel.shape
    exposed, rows = np.empty((bins, actions), dtype=np.bool_), np.empty((2, outputs))
    nobody = np.int64(-1)
    for _ in range(HELPERS):
        reached = count_private(profile, kernel, mass, n, epsilon, delta, tau, sigma, goal)
        if reached >= goal:
            return True
        for k in range(bins):
            for v in range(actions):
                exposed[k, v] = profile[k, v] > 0 and not is_private(
                    kernel[v, k], mass, n, epsilon, delta, tau, sigma
                )
        before = shortfall(profile, kernel, mass, n, limits, exposed)
        best, best_k, best_v, best_w = 0.0, nobody, nobody, nobody
        for k in range(bins):
            for v in range(actions):
                if profile[k, v] == 0 or (k == fixed_k and v == fixed_v):
                    continue
                for w in range(actions):
                    for x in range(outputs):
                        trial[x] = mass[x] + (kernel[w, k, x] - kernel[v, k, x])
                    profile[k, v] -= 1  # it may be the exposed one itself who leaves
                    profile[k, w] += 1
                    closed = before - shortfall(profile, kernel, trial, n, limits, exposed)
                    profile[k, v] += 1
                    profile[k, w] -= 1
                    cost = -step_drop(frequency, mass, kernel[v, k], kernel[w, k])
                    value = closed / max(cost, 0.1 / n)
                    if closed > BOUNDARY and value > best:
                        best, best_k, best_v, best_w = value, k, v, w
        if best == 0.0:
            return False
        move(profile, kernel, mass, rows, best_k, best_v, best_w, np.int64(1))
    return count_private(profile, kernel, mass, n, epsilon, delta, tau, sigma, goal) >= goal


@njit
def follow(profile, kernel, frequency, mass, here, n, limits, fixed_k, fixed_v):
    """Play best responses while the last pass is worth it; return whether they came to rest.

    A pass is worth it if it wins a twentieth of what KL still is above that of the mass ``here``.
    """
    while True:
        moved, _, drops = best_response_sweep(
            profile, kernel, frequency, mass, n, limits, np.bool_(True), fixed_k, fixed_v
        )
        if moved == 0:
            return True
        if drops.sum() < -divergence_drop(frequency, here, mass) / 20.0:
            return False


@njit
def answered(profile, kernel, frequency, mass, here, n, limits, goal, k, v, w, size, near, trial):
    """Let ``size`` records of bin k commit to w instead of v, and all others answer, in place.

    Helpers restore the privacy that is lost, the others play best responses, then everybody does.
    Where that ends less than ``near`` nats above the KL of the mass ``here``, pairs move as well.
    Returns whether it ended at rest and better than ``here``, where ``goal`` records were private.
    """
    epsilon, delta, tau, sigma = limits
    rows, nobody = np.empty((2, trial.size)), np.int64(-1)
    move(profile, kernel, mass, rows, k, v, w, size)
    if not call_helpers(profile, kernel, frequency, mass, n, limits, goal, k, w, trial):
        return False
    for fixed_k, fixed_v in ((k, w), (nobody, nobody)):
        if not follow(profile, kernel, frequency, mass, here, n, limits, fixed_k, fixed_v):
            return False
    drop = divergence_drop(frequency, here, mass)
    if -near < drop <= NOISE / n:
        while coordinated_sweep(profile, kernel, frequency, mass, n, limits) > 0:
            follow(profile, kernel, frequency, mass, mass.copy(), n, limits, nobody, nobody)
        drop = divergence_drop(frequency, here, mass)
    reached = count_private(profile, kernel, mass, n, epsilon, delta, tau, sigma, goal)
    return reached > goal or (reached == goal and drop > NOISE / n)


@njit
def commitment_sweep(profile, kernel, frequency, mass, n, limits, near):
    """Let each group, or one of its records, commit to each other action, and keep what pays.

    In place.  Returns how many commitments paid.
    """
    epsilon, delta, tau, sigma = limits
    actions, bins, outputs = kernel.shape
    here, trial = np.empty(outputs), np.empty(outputs)
    mixture(profile, kernel, here)
    goal = count_private(profile, kernel, here, n, epsilon, delta, tau, sigma, np.int64(0))
    kept = 0
    for k in range(bins):
        for v in range(actions):
            for w in range(actions):
                for whole in (True, False):
                    size = profile[k, v] if whole else min(profile[k, v] - 1, 1)
                    if w == v or size < 1:
                        continue
                    answer = profile.copy()
                    if answered(
                        answer,
                        kernel,
                        frequency,
                        mass,
                        here,
                        n,
                        limits,
                        goal,
                        k,
                        v,
                        w,
                        size,
                        near,
                        trial,
                    ):
                        kept += 1
                        for j in range(bins):
                            for u in range(actions):
                                profile[j, u] = answer[j, u]
                        for x in range(outputs):
                            here[x] = mass[x]
                        goal = count_private(
                            profile, kernel, here, n, epsilon, delta, tau, sigma, goal
                        )
    return kept


@njit
def population_payoffs(genes, bin_of_record, kernel, frequency, n, limits, log_bins, constant):
    """Payoff of each chromosome; ``genes[i, r]`` is the action of record r in chromosome i."""
    epsilon, delta, tau, sigma = limits
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
        private = count_private(profile, kernel, mass, n, epsilon, delta, tau, sigma, np.int64(0))
        payoffs[i] = private + 1.0 - divergence / log_bins
    return payoffs
