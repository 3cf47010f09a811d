"""Every compiled loop of the package.

They stand in one file because numba's on-disk cache does not notice a changed kernel in another
file.  The public functions around them check their arguments; nothing here does.

Names: a *profile* is the integer matrix C[k, v], the number of records of bin k that play action v;
``kernel[v, k, x]`` is the probability that a record of bin k with action v is released as x;
``mass`` is S(x) = sum of C[k, v] kernel[v, k, x], so the output distribution is S / n.
"""

import math

import numpy as np
from numba import njit

#: A record on the boundary of its privacy constraint, up to this relative rounding, is private.
BOUNDARY = 1e-12

#: Steps of one group in one pass after which a step must be better, no longer best, for its last
#: record.  Without this the best response of a group can alternate between two actions with every
#: record, and each record is a step of its own.
PATIENCE = 32


@njit(cache=True)
def mixture(profile, kernel, mass):
    """Fill ``mass`` with S(x), always summed in the same order."""
    mass[:] = 0.0
    actions, bins, outputs = kernel.shape
    for k in range(bins):
        for v in range(actions):
            if profile[k, v] > 0:
                weight = float(profile[k, v])
                for x in range(outputs):
                    mass[x] += weight * kernel[v, k, x]


@njit(cache=True)
def privacy_loss(row, mass, n):
    """Largest |ln P(x) / P_{-i}(x)| for a record with kernel row ``row``."""
    worst = 0.0
    company = math.log1p(-1.0 / n)
    for x in range(row.size):
        if mass[x] > 0.0:
            if row[x] >= mass[x]:
                return math.inf
            worst = max(worst, abs(company - math.log1p(-row[x] / mass[x])))
    return worst


@njit(cache=True)
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


@njit(cache=True)
def is_private(row, mass, n, epsilon, delta, tau, sigma):
    """Whether a record is private: Lemma 1 if delta = 0, the hockey stick otherwise."""
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


@njit(cache=True)
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


@njit(cache=True)
def divergence_drop(frequency, mass, after):
    """KL(q || mass/n) - KL(q || after/n), without the cancellation of two large sums."""
    drop = 0.0
    for x in range(frequency.size):
        if frequency[x] > 0.0:
            if after[x] <= 0.0:
                return -math.inf
            drop += frequency[x] * math.log1p((after[x] - mass[x]) / mass[x])
    return drop


@njit(cache=True)
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


@njit(cache=True)
def best_action(profile, kernel, frequency, mass, n, limits, k, v, private, trial):
    """Best response of one record of bin k that plays v: (action, P_E after it, drop in KL).

    Payoffs are compared as pairs (P_E, -KL), P_E first.  The record stays where it is unless
    another action is better by more than rounding, and of equally good actions takes the first.
    """
    epsilon, delta, tau, sigma = limits
    best, best_private, best_drop = v, private, 0.0
    noise_floor = 1e-12 / n
    for w in range(kernel.shape[0]):
        if w == v:
            continue
        for x in range(mass.size):
            trial[x] = mass[x] + (kernel[w, k, x] - kernel[v, k, x])
        drop = step_drop(frequency, mass, kernel[v, k], kernel[w, k])
        needed = best_private if drop > best_drop + noise_floor else best_private + 1
        if needed > n:
            continue
        profile[k, v] -= 1
        profile[k, w] += 1
        reached = count_private(profile, kernel, trial, n, epsilon, delta, tau, sigma, needed)
        profile[k, v] += 1
        profile[k, w] -= 1
        if reached >= needed:
            best, best_private, best_drop = w, reached, drop
    return best, best_private, best_drop


@njit(cache=True)
def gains(profile, kernel, frequency, mass, n, limits, k, v, w, private, trial):
    """Whether a record of bin k that plays v is better off with w, whatever else it could do."""
    epsilon, delta, tau, sigma = limits
    for x in range(mass.size):
        trial[x] = mass[x] + (kernel[w, k, x] - kernel[v, k, x])
    drop = step_drop(frequency, mass, kernel[v, k], kernel[w, k])
    needed = private if drop > 1e-12 / n else private + 1
    profile[k, v] -= 1
    profile[k, w] += 1
    reached = count_private(profile, kernel, trial, n, epsilon, delta, tau, sigma, needed)
    profile[k, v] += 1
    profile[k, w] -= 1
    return reached >= needed


@njit(cache=True)
def move(profile, kernel, mass, k, v, w, records):
    """Let ``records`` records of bin k change from action v to w, in place."""
    profile[k, v] -= records
    profile[k, w] += records
    mixture(profile, kernel, mass)


@njit(cache=True)
def best_response_sweep(profile, kernel, frequency, mass, n, limits, batch):
    """One pass of best-response dynamics over all records, in place.

    Records play in order of bin, and within a bin in order of the action they held when the pass
    reached it.  With ``batch``, records of one group whose best response is the same move
    together: the step doubles as long as the last record of the step would still have chosen so,
    or, after ``PATIENCE`` steps of a group, as long as it still gains.  KL is convex along the step
    and no private record may be lost by it, so if its last record gains, the whole step gains.
    Returns the number of records that moved and the traces of P_E and of the drop in KL.
    """
    epsilon, delta, tau, sigma = limits
    actions, bins, outputs = kernel.shape
    trial = np.empty(outputs)
    before = np.empty(outputs)
    private = count_private(profile, kernel, mass, n, epsilon, delta, tau, sigma, 0)
    moved = 0
    trace_private = [private]
    trace_drop = [0.0]
    for k in range(bins):
        group = profile[k].copy()
        for v in range(actions):
            waiting = group[v]
            step, taken = 1, 0
            while waiting > 0:
                w, _, _ = best_action(
                    profile, kernel, frequency, mass, n, limits, k, v, private, trial
                )
                if w == v:
                    break
                before[:] = mass
                size = min(step, waiting)
                while size > 1:
                    move(profile, kernel, mass, k, v, w, size - 1)
                    last = count_private(profile, kernel, mass, n, epsilon, delta, tau, sigma, 0)
                    if last >= private:
                        if taken < PATIENCE:
                            choice, _, _ = best_action(
                                profile, kernel, frequency, mass, n, limits, k, v, last, trial
                            )
                            accepted = choice == w
                        else:
                            accepted = gains(
                                profile, kernel, frequency, mass, n, limits, k, v, w, last, trial
                            )
                        if accepted:
                            break
                    move(profile, kernel, mass, k, w, v, size - 1)
                    size //= 2
                move(profile, kernel, mass, k, v, w, 1)
                private = count_private(profile, kernel, mass, n, epsilon, delta, tau, sigma, 0)
                waiting -= size
                moved += size
                taken += 1
                step = 2 * size if batch else 1
                trace_private.append(private)
                trace_drop.append(divergence_drop(frequency, before, mass))
    return moved, np.array(trace_private), np.array(trace_drop)


@njit(cache=True)
def largest_regret(profile, kernel, frequency, mass, n, limits, log_bins):
    """Largest gain in payoff that any single record has by any change of its action.

    Payoffs are compared as pairs (P_E, -KL), so a change that lowers P_E is no gain.  This is the
    order of the sum if every kernel row keeps at least 1/K on its own bin.
    """
    epsilon, delta, tau, sigma = limits
    actions, bins, outputs = kernel.shape
    trial = np.empty(outputs)
    private = count_private(profile, kernel, mass, n, epsilon, delta, tau, sigma, 0)
    worst = 0.0
    for k in range(bins):
        for v in range(actions):
            if profile[k, v] == 0:
                continue
            for w in range(actions):
                if w == v:
                    continue
                for x in range(outputs):
                    trial[x] = mass[x] + (kernel[w, k, x] - kernel[v, k, x])
                profile[k, v] -= 1
                profile[k, w] += 1
                reached = count_private(
                    profile, kernel, trial, n, epsilon, delta, tau, sigma, private
                )
                profile[k, v] += 1
                profile[k, w] -= 1
                if reached >= private:
                    drop = step_drop(frequency, mass, kernel[v, k], kernel[w, k])
                    worst = max(worst, (reached - private) + drop / log_bins)
    return worst


@njit(cache=True)
def requirements(profile, kernel, tau, needed):
    """Fill ``needed`` with the smallest S(x) at which every present group is private (Lemma 1)."""
    needed[:] = 0.0
    actions, bins, outputs = kernel.shape
    for k in range(bins):
        for v in range(actions):
            if profile[k, v] > 0:
                for x in range(outputs):
                    needed[x] = max(needed[x], kernel[v, k, x])
    needed /= tau + BOUNDARY * tau * (1.0 - tau)


@njit(cache=True)
def cover_size(mass, needed, short, kernel, k, v, w):
    """Fewest records of bin k that lift S to ``needed`` by going from v to w; 0 if none can.

    ``short`` lists the outputs at which S falls short of it.
    """
    size = 1.0
    for x in short:
        step = kernel[w, k, x] - kernel[v, k, x]
        if step <= 0.0:
            return 0.0
        size = max(size, math.ceil((needed[x] - mass[x]) / step))
    return size


@njit(cache=True)
def best_cover(profile, kernel, frequency, mass, n, limits, goal, floor, trial):
    """Cheapest move of one group that restores ``goal`` private records after a move broke some.

    Only moves that lower KL by more than ``floor``, which may be negative, are looked at.
    Returns (bin, from, to, records, drop in KL), with records = 0 if no single group can.
    """
    epsilon, delta, tau, sigma = limits
    actions, bins, outputs = kernel.shape
    needed = np.empty(outputs)
    requirements(profile, kernel, tau, needed)
    short = np.flatnonzero(needed > mass)
    best_k, best_v, best_w, best_size, best_drop = 0, 0, 0, 0, floor
    for k in range(bins):
        for v in range(actions):
            for w in range(actions):
                if w == v or profile[k, v] == 0:
                    continue
                wanted = cover_size(mass, needed, short, kernel, k, v, w)
                if wanted == 0.0 or wanted > profile[k, v]:
                    continue
                size = int(wanted)
                for x in range(outputs):
                    trial[x] = mass[x] + size * (kernel[w, k, x] - kernel[v, k, x])
                drop = divergence_drop(frequency, mass, trial)
                if drop <= best_drop:
                    continue
                profile[k, v] -= size
                profile[k, w] += size
                reached = count_private(profile, kernel, trial, n, epsilon, delta, tau, sigma, goal)
                profile[k, v] += size
                profile[k, w] -= size
                if reached >= goal:
                    best_k, best_v, best_w, best_size, best_drop = k, v, w, size, drop
    return best_k, best_v, best_w, best_size, best_drop


@njit(cache=True)
def coordinated_sweep(profile, kernel, frequency, mass, n, limits):
    """Try to lead each group, in part or whole, to each action, with another group as cover.

    A move of several records that lowers KL is made as it is if it costs nobody's privacy.  If it
    does, it is paired with the cheapest move of one other group that restores it, and the pair is
    made if it lowers KL in sum.  While somebody is not private, one group moves to cover
    everybody if it can.  In place.  Returns the number of records that moved.
    """
    epsilon, delta, tau, sigma = limits
    actions, bins, outputs = kernel.shape
    trial = np.empty(outputs)
    noise_floor = 1e-12 / n
    goal = count_private(profile, kernel, mass, n, epsilon, delta, tau, sigma, 0)
    moved = 0
    if goal < n:
        k2, v2, w2, size2, _ = best_cover(
            profile, kernel, frequency, mass, n, limits, goal + 1, -math.inf, trial
        )
        if size2 > 0:
            move(profile, kernel, mass, k2, v2, w2, size2)
            goal = count_private(profile, kernel, mass, n, epsilon, delta, tau, sigma, 0)
            moved += size2
    for k in range(bins):
        for v in range(actions):
            for w in range(actions):
                size = profile[k, v]
                while w != v and size > 0 and profile[k, v] >= size:
                    for x in range(outputs):
                        trial[x] = mass[x] + size * (kernel[w, k, x] - kernel[v, k, x])
                    gain = divergence_drop(frequency, mass, trial)
                    if gain <= noise_floor:
                        size //= 2
                        continue
                    move(profile, kernel, mass, k, v, w, size)
                    reached = count_private(
                        profile, kernel, mass, n, epsilon, delta, tau, sigma, goal
                    )
                    if reached < goal:
                        k2, v2, w2, size2, _ = best_cover(
                            profile,
                            kernel,
                            frequency,
                            mass,
                            n,
                            limits,
                            goal,
                            noise_floor - gain,
                            trial,
                        )
                        if size2 == 0:
                            move(profile, kernel, mass, k, w, v, size)
                            size //= 2
                            continue
                        move(profile, kernel, mass, k2, v2, w2, size2)
                        moved += size2
                    moved += size
                    goal = count_private(profile, kernel, mass, n, epsilon, delta, tau, sigma, 0)
    return moved


@njit(cache=True)
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
        private = count_private(profile, kernel, mass, n, epsilon, delta, tau, sigma, 0)
        payoffs[i] = private + 1.0 - divergence / log_bins
    return payoffs
