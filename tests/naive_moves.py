"""Slow, obvious twins of the loops of best responses and coordinated moves.

Each privacy is a comparison of whole numbers and each gain a difference of two divergences,
computed anew for every profile that is looked at.  A step or a repair is found by trying.
"""

import math
from collections.abc import Iterable
from itertools import product

import numpy as np
from numpy.typing import NDArray

from pdpbook import NVOGame
from tests.naive import Floats, Ints, is_better, private_groups

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
    return private_groups(profile, game.kernel, game.epsilon, game.delta)


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
        if is_better(there, value, game.records):
            best, value = w, there
    return best


def best_responses(
    game: NVOGame,
    profile: Ints,
    fixed: Group | None = None,
    *,
    batch: bool = True,
    unit: int = 1,
) -> list[Ints]:
    """One pass of best responses: the profile at the start and after each step.

    Records of a group go together, twice as many each time, if the last of them would go, too;
    after 32 steps of the group, if it would rather go there than stay.  Fewer than ``unit`` of them
    go only if they are all.
    """
    path, every = [profile], range(game.actions)
    for k in range(game.bins):
        for v, waiting in enumerate(path[-1][k].tolist()):
            most, steps = unit, 0
            while waiting > 0 and (k, v) != fixed:
                here = path[-1]
                w = best_action(game, here, k, v, every)
                if w == v:
                    break
                for size in (min(most, waiting) // 2**i for i in range(64)):
                    if size < min(unit, waiting):
                        break
                    last = moved(here, k, v, w, size - 1)
                    if outcome(game, last)[0] >= outcome(game, here)[0] and w == best_action(
                        game, last, k, v, every if steps < 32 else [w]
                    ):
                        break
                if size < min(unit, waiting):
                    break
                path.append(moved(here, k, v, w, size))
                waiting, steps, most = waiting - size, steps + 1, 2 * size if batch else 1
    return path


def repair_size(game: NVOGame, profile: Ints, k: int, v: int, w: int) -> int:
    """Smallest number of records from 1 that fits every group; more than there are if none does.

    Without a delta what counts is the outputs where somebody's row is too large before.
    """
    size, n, tau = 1, game.records, game.tau
    before, step = mass(game, profile), game.kernel[w, k] - game.kernel[v, k]
    for j, u in np.argwhere(profile):
        row = game.kernel[u, j]
        at = np.ones(game.bins, dtype=bool) if game.delta > 0 else row > tau * before
        allowed = game.delta * (n - 1) * math.exp(-game.epsilon)
        while size <= profile[k, v]:
            above = (row - tau * (before + size * step))[at]
            if above[above > 0].sum() <= allowed + 1e-15:
                break
            size += 1
    return size


def best_repair(
    game: NVOGame, profile: Ints, goal: int, floor: float
) -> tuple[int, int, int, int, float]:
    """Of all repairs after which ``goal`` are private, the one that lowers KL most, and how much.

    It is (0, 0, 0, 0, floor) if none lowers KL by more than ``floor``.
    """
    best, (_, kl) = (0, 0, 0, 0, floor), outcome(game, profile)
    for (k, v), w in product(np.argwhere(profile), range(game.actions)):
        size = repair_size(game, profile, k, v, w)
        if w != v and size <= profile[k, v]:
            there = outcome(game, moved(profile, k, v, w, size))
            if there[0] >= goal and kl - there[1] > best[4]:
                best = int(k), int(v), w, size, kl - there[1]
    return best


def compound_move_pass(game: NVOGame, profile: Ints, unit: int = 1) -> tuple[int, Ints]:
    """Compound moves: how many records moved, and the profile after them."""
    noise, here, count = 1e-12 / game.records, profile, 0
    goal, _ = outcome(game, here)
    if goal < game.records:
        *first, size, _ = best_repair(game, here, goal + 1, -math.inf)
        here, count = moved(here, *first, size), size
    for k, v, w in product(range(game.bins), range(game.actions), range(game.actions)):
        size = int(here[k, v])
        fewest = min(unit, size)
        while w != v and size > 0 and fewest <= size <= here[k, v]:
            (goal, kl), there = outcome(game, here), moved(here, k, v, w, size)
            held, after = outcome(game, there)
            second = (0, 0, 0, 0)
            if kl - after > noise and held < goal:
                *second, _ = best_repair(game, there, goal, noise - (kl - after))
            if kl - after <= noise or (held < goal and second[3] == 0):
                size //= 2
                continue
            here, count = moved(there, *second), count + size + second[3]
    return count, here


def shortfall(game: NVOGame, profile: Ints, exposed: NDArray[np.bool_]) -> float:
    """By how much the sticks of those of the exposed groups that are left are too long, in sum.

    The units are those of the linear form: its sides are n - 1 times a stick, the upper over e^eps.
    """
    n, total = game.records, 0.0
    for k, v in np.argwhere(exposed & (profile > 0)):
        there, back = sticks(game, profile, k, v)
        total += (n - 1) * math.exp(-game.epsilon) * max(there - game.delta, 0.0)
        total += (n - 1) * max(back - game.delta, 0.0)
    return total


def greedy_repair(
    game: NVOGame, profile: Ints, goal: int, fixed: Group | None, unit: int = 1
) -> tuple[bool | None, Ints]:
    """So many records move at a time until ``goal`` are private, the most effective per nat first.

    It is given up after twelve, or if no move is of use.
    None stands for the case where rounding decides: two of these are equally good.
    """
    here = profile
    for _ in range(12):
        held, kl = outcome(game, here)
        if held >= goal:
            return True, here
        exposed = ~private(game, here) & (here > 0)
        before, offers = shortfall(game, here, exposed), []
        for (k, v), w in product(np.argwhere(here), range(game.actions)):
            size = min(unit, int(here[k, v]))
            there = moved(here, k, v, w, size)
            closed = before - shortfall(game, there, exposed)
            if (k, v) != fixed and closed > 1e-12:
                cost = max(outcome(game, there)[1] - kl, 0.1 * size / game.records)
                offers.append((closed / cost, there))
        if not offers:
            return False, here
        offers.sort(key=lambda offer: -offer[0])
        if len(offers) > 1 and offers[0][0] - offers[1][0] < 1e-10:
            return None, here
        here = offers[0][1]
    return outcome(game, here)[0] >= goal, here


def follow(
    game: NVOGame, profile: Ints, start: Ints, fixed: Group | None, unit: int = 1
) -> tuple[bool, Ints]:
    """Passes of best responses until nobody moves, or one wins too little: (at rest, profile)."""
    here, goal = profile, outcome(game, start)[1]
    while True:
        path = best_responses(game, here, fixed, unit=unit)
        if len(path) == 1:
            return True, here
        before, after = outcome(game, here)[1], outcome(game, path[-1])[1]
        here = path[-1]
        if before - after < (after - goal) / 20:
            return False, here


def forced_move(
    game: NVOGame, start: Ints, k: int, v: int, w: int, size: int, near: float, unit: int = 1
) -> tuple[bool | None, Ints]:
    """A forced move and what follows: whether it paid, None if rounding decides; last profile."""
    (goal, kl), noise = outcome(game, start), 1e-12 / game.records
    settled, here = greedy_repair(game, moved(start, k, v, w, size), goal, (k, w), unit)
    for fixed in ((k, w), None):
        if settled:
            settled, here = follow(game, here, start, fixed, unit)
    if not settled:
        return settled, here
    if -near < kl - outcome(game, here)[1] <= noise:
        while True:
            count, here = compound_move_pass(game, here, unit)
            if count == 0:
                break
            _, here = follow(game, here, here, None, unit)
    return is_better(outcome(game, here), (goal, kl), game.records), here


def forced_moves(
    game: NVOGame, profile: Ints, near: float, unit: int = 1
) -> tuple[int | None, Ints]:
    """Each group, and one of its records or so many, is forced: how many paid; last profile.

    None as above.
    """
    here, kept = profile, 0
    for k, v, w in product(range(game.bins), range(game.actions), range(game.actions)):
        for whole in (True, False):
            size = here[k, v] if whole else min(unit, here[k, v] - 1)
            if w != v and size > 0:
                paid, there = forced_move(game, here, k, v, w, size, near, unit)
                if paid is None:
                    return None, here
                kept, here = kept + paid, there if paid else here
    return kept, here
