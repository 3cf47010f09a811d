"""Slow, obvious twins of the package's algorithms.

Every record is on its own here, and every formula stands as the book prints it: nothing is grouped,
updated or compiled.  The tests compare the package with these functions on small games, and the
benchmarks measure how much the package gains.

``bins[i]`` is the bin of record i, ``actions[i]`` the action that it plays, and
``kernel[v, k, x]`` the probability that a record of bin k with action v is released as x.
"""

import math
from collections.abc import Iterable, Iterator
from itertools import combinations, product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from pdpbook import NVOGame
from pdpbook.audit.count_posterior import CountPosterior

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def privacy_losses(bins: Ints, actions: Ints, kernel: Floats) -> Floats:
    """Loss of each record, max over x of |ln P(x) / P_{-i}(x)|, shape (n,)."""
    n = len(bins)
    rows = kernel[actions, bins]
    mass = rows.sum(axis=0)
    output = mass / n
    without = np.maximum(mass - rows, 0.0) / (n - 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        losses = np.abs(np.log(output / without))
    return np.where(output > 0, losses, 0.0).max(axis=1)


def privacy_loss_all_events(bins: Ints, actions: Ints, kernel: Floats) -> Floats:
    """Loss of each record from the definition: the worst of all 2^K - 2 events, shape (n,)."""
    outputs = range(kernel.shape[2])
    events = [list(e) for size in outputs[1:] for e in combinations(outputs, size)]
    rows = kernel[actions, bins]
    losses = np.zeros(len(bins))
    for i in range(len(bins)):
        output = rows.mean(axis=0)
        without = np.delete(rows, i, axis=0).mean(axis=0)
        for event in events:
            there, gone = output[event].sum(), without[event].sum()
            if there > 0:
                ratio = np.log(there / gone) if gone > 0 else np.inf
                losses[i] = max(losses[i], abs(ratio))
    return losses


def private_and_divergence(
    bins: Ints, actions: Ints, kernel: Floats, epsilon: float
) -> tuple[int, float]:
    """The two parts of the payoff: P_E and KL(q || P)."""
    private = int((privacy_losses(bins, actions, kernel) <= epsilon * (1 + 1e-12)).sum())
    q = np.bincount(bins, minlength=kernel.shape[1]) / len(bins)
    output = kernel[actions, bins].mean(axis=0)
    seen = q > 0
    return private, float((q[seen] * np.log(q[seen] / output[seen])).sum())


def payoff(bins: Ints, actions: Ints, kernel: Floats, epsilon: float) -> float:
    """P_E + 1 - KL(q || P) / ln K, from scratch."""
    private, divergence = private_and_divergence(bins, actions, kernel, epsilon)
    return private + 1.0 - divergence / np.log(kernel.shape[1])


def _is_better(new: tuple[int, float], old: tuple[int, float], n: int) -> bool:
    """More private records, or as many and a KL that is lower by more than rounding."""
    return new[0] > old[0] or (new[0] == old[0] and new[1] < old[1] - 1e-12 / n)


class Algorithm1(NamedTuple):
    """Where best-response dynamics ended and how they got there."""

    bins: Ints
    actions: Ints
    sweeps: int
    moves: int
    payoffs: list[float]
    evaluations: int


def algorithm_1(
    bins: Ints,
    actions: Ints,
    kernel: Floats,
    epsilon: float,
    *,
    regroup: bool = False,
    max_sweeps: int = 1000,
) -> Algorithm1:
    """Best-response dynamics, one record at a time in index order, each payoff from scratch.

    A record changes its action only if that is strictly better for it.  It stops after a whole
    pass without a change.  With ``regroup``, the records are sorted by (bin, action) before each
    pass, which is the order of play of ``best_response_dynamics(..., batch=False)``.
    """
    bins, actions = np.array(bins), np.array(actions)
    n = len(bins)
    payoffs = [payoff(bins, actions, kernel, epsilon)]
    sweeps = moves = evaluations = 0
    changed = True
    while changed and sweeps < max_sweeps:
        changed = False
        if regroup:
            order = np.lexsort((actions, bins))
            bins, actions = bins[order], actions[order]
        for i in range(n):
            own = best = int(actions[i])
            best_value = private_and_divergence(bins, actions, kernel, epsilon)
            for v in range(kernel.shape[0]):
                if v == own:
                    continue
                actions[i] = v
                value = private_and_divergence(bins, actions, kernel, epsilon)
                if _is_better(value, best_value, n):
                    best, best_value = v, value
            actions[i] = best
            evaluations += kernel.shape[0]
            if best != own:
                changed = True
                moves += 1
                payoffs.append(payoff(bins, actions, kernel, epsilon))
        sweeps += 1
    return Algorithm1(bins, actions, sweeps, moves, payoffs, evaluations)


def records_of(profile: Ints) -> tuple[Ints, Ints]:
    """Write a profile C[k, v] out as one (bin, action) a record, sorted."""
    k, v = np.indices(profile.shape)
    return np.repeat(k.ravel(), profile.ravel()), np.repeat(v.ravel(), profile.ravel())


def profile_of(bins: Ints, actions: Ints, shape: tuple[int, int]) -> Ints:
    """Count the records of each bin that play each action, shape (K, V)."""
    profile = np.zeros(shape, dtype=np.int64)
    np.add.at(profile, (bins, actions), 1)
    return profile


def all_profiles(game: NVOGame) -> Iterator[Ints]:
    """Every profile of a small game, as a (K, V) matrix."""
    rows = [
        [row for row in product(range(count + 1), repeat=game.actions) if sum(row) == count]
        for count in game.counts.tolist()
    ]
    for choice in product(*rows):
        yield np.array(choice, dtype=np.int64)


def is_nash(game: NVOGame, profile: Ints) -> bool:
    """Whether no single record has a better action, every one of them tried from scratch."""
    bins, actions = records_of(profile)
    here = private_and_divergence(bins, actions, game.kernel, game.epsilon)
    for i, v in product(range(len(bins)), range(game.actions)):
        changed = actions.copy()
        changed[i] = v
        there = private_and_divergence(bins, changed, game.kernel, game.epsilon)
        if _is_better(there, here, len(bins)):
            return False
    return True


# --- for the solvers of the game -------------------------------------------------------------


def private_optimum(game: NVOGame) -> float:
    """Smallest KL of a profile at which everybody is private, by enumeration; inf if none is."""
    best = np.inf
    for profile in all_profiles(game):
        bins, actions = records_of(profile)
        private, kl = private_and_divergence(bins, actions, game.kernel, game.epsilon)
        if game.delta > 0.0:
            rows = game.kernel[actions, bins]
            mass, n = rows.sum(axis=0), len(bins)
            deltas = [hockey_stick(row, mass, n, game.epsilon) for row in rows]
            private = sum(delta <= game.delta * (1 + 1e-12) for delta in deltas)
        if private == len(bins):
            best = min(best, kl)
    return best


def hockey_stick(row: Floats, mass: Floats, n: int, epsilon: float) -> float:
    """Smallest delta of a record: the worst of all 2^K events, in both directions."""
    output, without = mass / n, (mass - row) / (n - 1)
    worst = 0.0
    for size in range(len(row) + 1):
        for event in combinations(range(len(row)), size):
            there, gone = output[list(event)].sum(), without[list(event)].sum()
            worst = max(worst, there - np.exp(epsilon) * gone, gone - np.exp(epsilon) * there)
    return worst


def expected_divergence(policy: Floats, posterior: CountPosterior) -> float:
    """What a safe policy minimises; what others put on an output is replaced by its mean."""
    mean, total = posterior.mean, 0.0
    for x in range(len(mean)):
        others = sum(mean[k] * policy[k, x] for k in range(len(mean)) if k != x)
        for c, w in zip(posterior.values[x], posterior.weights[x], strict=True):
            if c > 0 and w > 0:
                total += w * c * math.log(c / (c * policy[x, x] + others))
    return total / mean.sum()


def matrix_game_value(matrix: Floats) -> float:
    """Value of a matrix game to the row player, by the textbook linear program."""
    rows, columns = matrix.shape
    found = linprog(
        np.r_[np.zeros(rows), -1.0],
        np.hstack([-matrix.T, np.ones((columns, 1))]),
        np.zeros(columns),
        np.r_[np.ones(rows), 0.0][None],
        [1.0],
        bounds=[(0, None)] * rows + [(None, None)],
    )
    return -found.fun


# --- for the kernels of coordinated moves --------------------------------------------------------

Group = tuple[int, int]


def moved(profile: Ints, k: int, v: int, w: int, size: int) -> Ints:
    """Return the profile after ``size`` records of bin k have gone from v to w."""
    after = profile.copy()
    after[k, v] -= size
    after[k, w] += size
    return after


def mass(game: NVOGame, profile: Ints) -> Floats:
    """S(x), the rows of all records in sum."""
    return np.einsum("kv,vkx->x", profile, game.kernel)


def sticks(game: NVOGame, profile: Ints, k: int, v: int) -> tuple[float, float]:
    """Hockey-stick divergences of P from P_{-i} and back, for a record of bin k that plays v."""
    n, total, grown = game.records, mass(game, profile), math.exp(game.epsilon)
    output, without = total / n, (total - game.kernel[v, k]) / (n - 1)
    there, back = output - grown * without, without - grown * output
    return there[there > 0].sum(), back[back > 0].sum()


def private(game: NVOGame, profile: Ints) -> NDArray[np.bool_]:
    """Which groups are private, shape (K, V); False where nobody is."""
    held = np.zeros(profile.shape, dtype=bool)
    for k, v in np.argwhere(profile):
        held[k, v] = max(sticks(game, profile, k, v)) <= max(game.delta * (1 + 1e-12), 1e-15)
    return held


def outcome(game: NVOGame, profile: Ints) -> tuple[int, float]:
    """P_E and KL(q || P)."""
    q, total = game.frequency, mass(game, profile)
    seen = q > 0
    kl = float((q[seen] * np.log(q[seen] * game.records / total[seen])).sum())
    return int(profile[private(game, profile)].sum()), kl


def largest_regret(game: NVOGame, profile: Ints) -> float:
    """Largest gain in payoff of one record that lowers nobody's privacy in sum, or 0."""
    (held, kl), gains = outcome(game, profile), [0.0]
    for (k, v), w in product(np.argwhere(profile), range(game.actions)):
        there = outcome(game, moved(profile, k, v, w, 1))
        if there[0] >= held:
            gains.append(there[0] - held + (kl - there[1]) / math.log(game.bins))
    return max(gains)


def best_action(game: NVOGame, profile: Ints, k: int, v: int, among: Iterable[int]) -> int:
    """Best action of one record of bin k that plays v, which is v unless another one is better."""
    best, value = v, outcome(game, profile)
    for w in among:
        there = outcome(game, moved(profile, k, v, w, 1))
        if _is_better(there, value, game.records):
            best, value = w, there
    return best


def best_responses(
    game: NVOGame, profile: Ints, fixed: Group | None = None, *, batch: bool = True
) -> list[Ints]:
    """One pass of best responses: the profile at the start and after each step.

    Records of a group go together, twice as many each time, if the last of them would go, too;
    after 32 steps of the group, if it would rather go there than stay.
    """
    path, every = [profile], range(game.actions)
    for k in range(game.bins):
        for v, waiting in enumerate(path[-1][k].tolist()):
            most, steps = 1, 0
            while waiting > 0 and (k, v) != fixed:
                here = path[-1]
                w = best_action(game, here, k, v, every)
                if w == v:
                    break
                for size in (min(most, waiting) // 2**i for i in range(64)):
                    last = moved(here, k, v, w, size - 1)
                    if outcome(game, last)[0] >= outcome(game, here)[0] and w == best_action(
                        game, last, k, v, every if steps < 32 else [w]
                    ):
                        break
                path.append(moved(here, k, v, w, size))
                waiting, steps, most = waiting - size, steps + 1, 2 * size if batch else 1
    return path


def cover_size(game: NVOGame, profile: Ints, k: int, v: int, w: int) -> int:
    """Smallest number of records from 1 that fits every group; more than there are if none does.

    Without a delta what counts is the outputs where somebody's row is too large before.
    """
    size, n, tau = 1, game.records, game.limits.tau
    before, step = mass(game, profile), game.kernel[w, k] - game.kernel[v, k]
    for j, u in np.argwhere(profile):
        row = game.kernel[u, j]
        at = np.ones(game.bins, dtype=bool) if game.delta > 0 else row > tau * before
        allowed = game.delta * (n - 1) * math.exp(-game.epsilon)
        while size <= profile[k, v]:
            above = (row - tau * (before + size * step))[at]
            if above[above > 0].sum() <= allowed * (1 + 1e-12) + 1e-15:
                break
            size += 1
    return size


def best_cover(
    game: NVOGame, profile: Ints, goal: int, floor: float
) -> tuple[int, int, int, int, float]:
    """Of all covers after which ``goal`` are private, the one that lowers KL most, and by how much.

    It is (0, 0, 0, 0, floor) if none lowers KL by more than ``floor``.
    """
    best, (_, kl) = (0, 0, 0, 0, floor), outcome(game, profile)
    for (k, v), w in product(np.argwhere(profile), range(game.actions)):
        size = cover_size(game, profile, k, v, w)
        if w != v and size <= profile[k, v]:
            there = outcome(game, moved(profile, k, v, w, size))
            if there[0] >= goal and kl - there[1] > best[4]:
                best = int(k), int(v), w, size, kl - there[1]
    return best


def coordinated_pass(game: NVOGame, profile: Ints) -> tuple[int, Ints]:
    """Pairs of moves: how many records moved, and the profile after it."""
    noise, here, count = 1e-12 / game.records, profile, 0
    goal, _ = outcome(game, here)
    if goal < game.records:
        *first, size, _ = best_cover(game, here, goal + 1, -math.inf)
        here, count = moved(here, *first, size), size
    for k, v, w in product(range(game.bins), range(game.actions), range(game.actions)):
        size = int(here[k, v])
        while w != v and 0 < size <= here[k, v]:
            (goal, kl), there = outcome(game, here), moved(here, k, v, w, size)
            held, after = outcome(game, there)
            second = (0, 0, 0, 0)
            if kl - after > noise and held < goal:
                *second, _ = best_cover(game, there, goal, noise - (kl - after))
            if kl - after <= noise or (held < goal and second[3] == 0):
                size //= 2
                continue
            here, count = moved(there, *second), count + size + second[3]
    return count, here


def shortfall(game: NVOGame, profile: Ints, exposed: NDArray[np.bool_]) -> float:
    """By how much the sticks of those of the exposed groups that are left are too long, in sum.

    The units are those of Lemma 1, whose sides are n - 1 times a stick, the upper one over e^eps.
    """
    n, total = game.records, 0.0
    for k, v in np.argwhere(exposed & (profile > 0)):
        there, back = sticks(game, profile, k, v)
        total += (n - 1) * math.exp(-game.epsilon) * max(there - game.delta, 0.0)
        total += (n - 1) * max(back - game.delta, 0.0)
    return total


def call_helpers(
    game: NVOGame, profile: Ints, goal: int, fixed: Group | None
) -> tuple[bool | None, Ints]:
    """Single records help until ``goal`` are private, the most effective per nat first.

    It is given up after twelve, without a look at what the twelfth has done, or if nobody helps.
    None stands for the case where rounding decides: two of these are equally good.
    """
    here = profile
    for _ in range(12):
        held, kl = outcome(game, here)
        if held >= goal:
            return True, here
        exposed = ~private(game, here) & (here > 0)
        before, offers = shortfall(game, here, exposed), [(0.0, here), (-1.0, here)]
        for (k, v), w in product(np.argwhere(here), range(game.actions)):
            if (k, v) != fixed and w != v:
                there = moved(here, k, v, w, 1)
                cost = max(outcome(game, there)[1] - kl, 0.1 / game.records)
                offers.append(((before - shortfall(game, there, exposed)) / cost, there))
        offers.sort(key=lambda offer: -offer[0])
        if offers[0][0] - offers[1][0] < 1e-10:
            return None, here
        if offers[0][1] is here:
            return False, here
        here = offers[0][1]
    return False, here


def follow(game: NVOGame, profile: Ints, start: Ints, fixed: Group | None) -> tuple[bool, Ints]:
    """Passes of best responses until nobody moves, or one wins too little: (at rest, profile)."""
    here, goal = profile, outcome(game, start)[1]
    while True:
        path = best_responses(game, here, fixed)
        if len(path) == 1:
            return True, here
        before, after = outcome(game, here)[1], outcome(game, path[-1])[1]
        here = path[-1]
        if before - after < (after - goal) / 20:
            return False, here


def answered(
    game: NVOGame, start: Ints, k: int, v: int, w: int, size: int, near: float
) -> tuple[bool | None, Ints]:
    """A commitment and the answers: whether it paid, None if rounding decides; the last profile."""
    (goal, kl), noise = outcome(game, start), 1e-12 / game.records
    helped, here = call_helpers(game, moved(start, k, v, w, size), goal, (k, w))
    for fixed in ((k, w), None):
        if helped:
            helped, here = follow(game, here, start, fixed)
    if not helped:
        return helped, here
    if -near < kl - outcome(game, here)[1] <= noise:
        while True:
            count, here = coordinated_pass(game, here)
            if count == 0:
                break
            _, here = follow(game, here, here, None)
    return _is_better(outcome(game, here), (goal, kl), game.records), here


def commitments(game: NVOGame, profile: Ints, near: float) -> tuple[int | None, Ints]:
    """Each group, and one of its records, commits: how many paid, None as above; last profile."""
    here, kept = profile, 0
    for k, v, w in product(range(game.bins), range(game.actions), range(game.actions)):
        for whole in (True, False):
            size = here[k, v] if whole else min(1, here[k, v] - 1)
            if w != v and size > 0:
                paid, there = answered(game, here, k, v, w, size, near)
                if paid is None:
                    return None, here
                kept, here = kept + paid, there if paid else here
    return kept, here
