"""Slow, obvious twins of the package's algorithms.

Every record is on its own here, and every formula stands as the book prints it: nothing is grouped,
updated or compiled.  The tests compare the package with these functions on small games, and the
benchmarks measure how much the package gains.

``bins[i]`` is the bin of record i, ``actions[i]`` the action that it plays, and
``kernel[v, k, x]`` the probability that a record of bin k with action v is released as x.
"""

import math
from collections.abc import Callable, Iterator
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, permutations, product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from pdpbook import NVOGame
from pdpbook.audit.count_posterior import CountPosterior
from pdpbook.own_data import ReleasedQuery

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


@lru_cache
def exponential(epsilon: float, digits: int = 800) -> tuple[Fraction, Fraction]:
    """Two fractions with e**epsilon between them; ``Decimal.exp`` is correctly rounded.

    No quotient of sums of doubles is as large as e**100000, with which it ends.
    """
    with localcontext(prec=digits, Emax=10**6, Emin=-(10**6)):
        near = Decimal(min(epsilon, 1e5)).exp()
        return Fraction(near.next_minus()), Fraction(near.next_plus())


def whole(probability: float) -> int:
    """The probability as a whole number of 2**-1074, the smallest double."""
    numerator, denominator = probability.as_integer_ratio()
    return int(numerator * (2**1074 // denominator))


def is_private(
    row: list[int], mass: list[int], n: int, epsilon: float, delta: float, digits: int = 40
) -> bool:
    """The definition of (epsilon, delta)-pDP between whole numbers: both hockey sticks.

    If a number below e**epsilon and one above it do not say the same, more digits are needed.
    """
    verdicts = set()
    for growth in exponential(epsilon, digits):
        times, over, there, back = growth.numerator, growth.denominator, 0, 0
        for p, s in zip(row, mass, strict=True):
            output, without = (n - 1) * s, n * (s - p)  # P and P_{-i}, times n (n - 1)
            there += max(output * over - times * without, 0)
            back += max(without * over - times * output, 0)
        certain = Fraction(sum(mass), n)  # the probability 1 in the unit of the rows
        verdicts.add(max(there, back) <= Fraction(delta) * n * (n - 1) * certain * over)
    if len(verdicts) > 1:
        assert digits < 1000
        return is_private(row, mass, n, epsilon, delta, 4 * digits)
    return verdicts.pop()


def private_groups(
    profile: Ints, kernel: Floats, epsilon: float, delta: float = 0.0
) -> NDArray[np.bool_]:
    """Which groups are private, without rounding, shape (K, V); False where nobody is."""
    present = [(int(k), int(v)) for k, v in np.argwhere(profile)]
    rows = [[whole(p) for p in kernel[v, k].tolist()] for k, v in present]
    sizes = [int(profile[group]) for group in present]
    mass = [
        sum(size * row[x] for size, row in zip(sizes, rows, strict=True))
        for x in range(kernel.shape[2])
    ]
    private = np.zeros(profile.shape, dtype=bool)
    for group, row in zip(present, rows, strict=True):
        private[group] = is_private(row, mass, sum(sizes), epsilon, delta)
    return private


def private_and_divergence(
    bins: Ints, actions: Ints, kernel: Floats, epsilon: float
) -> tuple[int, float]:
    """The two parts of the payoff: P_E and KL(q || P)."""
    profile = profile_of(bins, actions, (kernel.shape[1], kernel.shape[0]))
    private = int(profile[private_groups(profile, kernel, epsilon)].sum())
    q = np.bincount(bins, minlength=kernel.shape[1]) / len(bins)
    output = kernel[actions, bins].mean(axis=0)
    seen = q > 0
    return private, float((q[seen] * np.log(q[seen] / output[seen])).sum())


def payoff(bins: Ints, actions: Ints, kernel: Floats, epsilon: float) -> float:
    """P_E + 1 - KL(q || P) / ln K, from scratch."""
    private, divergence = private_and_divergence(bins, actions, kernel, epsilon)
    return private + 1.0 - divergence / np.log(kernel.shape[1])


def rounded_payoff(bins: Ints, actions: Ints, kernel: Floats, epsilon: float) -> float:
    """The same in doubles throughout, as the literal algorithm would compute it."""
    private = (privacy_losses(bins, actions, kernel) <= epsilon).sum()
    q = np.bincount(bins, minlength=kernel.shape[1]) / len(bins)
    output = kernel[actions, bins].mean(axis=0)
    seen = q > 0
    divergence = (q[seen] * np.log(q[seen] / output[seen])).sum()
    return float(private + 1.0 - divergence / np.log(kernel.shape[1]))


def is_better(new: tuple[int, float], old: tuple[int, float], n: int) -> bool:
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
                if is_better(value, best_value, n):
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
        if is_better(there, here, len(bins)):
            return False
    return True


# --- for the solvers of the game -------------------------------------------------------------


def private_optimum(game: NVOGame) -> float:
    """Smallest KL of a profile at which everybody is private, by enumeration; inf if none is."""
    best = np.inf
    for profile in all_profiles(game):
        bins, actions = records_of(profile)
        _, kl = private_and_divergence(bins, actions, game.kernel, game.epsilon)
        held = private_groups(profile, game.kernel, game.epsilon, game.delta)
        if held[profile > 0].all():
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


def expected_divergence(randomiser: Floats, posterior: CountPosterior) -> float:
    """What a safe randomiser minimises; what others put on an output is replaced by its mean."""
    mean, total = posterior.mean, 0.0
    for x in range(len(mean)):
        others = sum(mean[k] * randomiser[k, x] for k in range(len(mean)) if k != x)
        for c, w in zip(posterior.values[x], posterior.weights[x], strict=True):
            if c > 0 and w > 0:
                total += w * c * math.log(c / (c * randomiser[x, x] + others))
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


def changes_by_deletion(statistic: Callable[..., Floats], *columns: Floats) -> Floats:
    """The statistic of all records minus that without record i, for each i in turn."""
    return np.array(
        [
            statistic(*columns) - statistic(*(np.delete(each, i, axis=0) for each in columns))
            for i in range(len(columns[0]))
        ]
    )


def laplace_loss(change: float, scale: float) -> float:
    """Largest log ratio of two Laplace densities on a fine grid around both."""
    x = np.linspace(-abs(change) - 1.0, 2.0 * abs(change) + 1.0, 20_001)
    return float(np.abs((np.abs(x) - np.abs(x - change)) / scale).max())


def gaussian_profile(distance: float, epsilon: float) -> float:
    """The larger of both hockey-stick divergences of N(0, 1) and N(distance, 1), by quadrature."""
    x = np.linspace(-12.0, 12.0 + distance, 200_001)
    first, second = (
        np.exp(-0.5 * (x - mean) ** 2) / math.sqrt(2.0 * math.pi) for mean in (0.0, distance)
    )
    sides = (
        np.maximum(p - math.exp(epsilon) * q, 0.0) for p, q in ((first, second), (second, first))
    )
    return max(float(np.trapezoid(side, x)) for side in sides)


def least_squares(features: Floats, response: Floats) -> Floats:
    """The coefficients, by a solver that knows nothing of leverages."""
    return np.asarray(np.linalg.lstsq(features, response, rcond=None)[0])


class FilteredDescent(NamedTuple):
    """A run of noisy gradient descent in which every record has an account of its own."""

    weights: list[Floats]
    accounts: list[float]
    steps_taken: list[int]
    taking_part: list[int]


def filtered_descent(
    features: Floats,
    response: Floats,
    rng: np.random.Generator,
    *,
    budget: float,
    sigma: float,
    clip: float,
    steps: int,
    step_size: float,
) -> FilteredDescent:
    """Ask each record in each step whether it can pay, and sum the gradients of those who can."""
    weights = [np.zeros(features.shape[1])]
    accounts, steps_taken = [0.0] * len(response), [0] * len(response)
    taking_part: list[int] = []
    has_left: set[int] = set()
    for _ in range(steps):
        total = sigma * rng.normal(size=features.shape[1])
        count = 0
        for i, (x, y) in enumerate(zip(features, response, strict=True)):
            gradient = (x @ weights[-1] - y) * x
            norm = float(np.linalg.norm(gradient))
            if norm > clip:
                gradient, norm = gradient * clip / norm, clip
            cost = norm**2 / (2 * sigma**2)
            if i in has_left or accounts[i] + cost > budget:
                has_left.add(i)
                continue
            accounts[i] += cost
            steps_taken[i] += 1
            count += 1
            total += gradient
        taking_part.append(count)
        weights.append(weights[-1] - step_size * total)
    return FilteredDescent(weights, accounts, steps_taken, taking_part)


Row = dict[str, float | str | bool]


def released_parts(rows: list[Row], query: ReleasedQuery, groups: list[str]) -> list[list[Row]]:
    """The records of each group that a query is about."""
    kept = [row for row in rows if query.where is None or row[query.where]]
    if not query.by:
        return [kept]
    return [[row for row in kept if row[query.by[0]] == group] for group in groups]


def released_answer(part: list[Row], query: ReleasedQuery) -> float:
    """The answer about one group before the noise: a count, a sum or a mean."""
    if query.statistic == "count":
        return float(len(part))
    values = [min(max(float(row[query.column]), query.lower), query.upper) for row in part]
    if query.statistic == "sum":
        return sum(values)
    return sum(values) / len(values) if values else math.inf


def quantile_chances(part: list[Row], query: ReleasedQuery) -> list[float]:
    """How often each candidate is released, permutation by permutation if they flip coins."""
    scores = []
    for point in query.candidates:
        below = sum(row[query.column] < point for row in part)
        above = sum(row[query.column] > point for row in part)
        scores.append(-abs((1 - query.quantile) * below - query.quantile * above))
    keep = [math.exp((score - max(scores)) / query.scale) for score in scores]
    if query.mechanism == "exponential mechanism":
        return [each / sum(keep) for each in keep]
    chances = [0.0] * len(keep)
    orders = list(permutations(range(len(keep))))
    for order in orders:
        going = 1.0 / len(orders)
        for place in order:
            chances[place] += going * keep[place]
            going *= 1.0 - keep[place]
    return chances


def released_cost(
    before: list[Row], after: list[Row], query: ReleasedQuery, groups: list[str]
) -> float:
    """What the noise loses between two tables: a pure loss, or ρ of Gaussian noise."""
    cost = 0.0
    parts = (released_parts(rows, query, groups) for rows in (before, after))
    for one, other in zip(*parts, strict=True):
        if query.statistic == "quantile":
            chances = zip(quantile_chances(one, query), quantile_chances(other, query), strict=True)
            cost += max(abs(math.log(p / q)) for p, q in chances)
        elif one != other:
            moved = abs(released_answer(one, query) - released_answer(other, query)) / query.scale
            cost += moved**2 / 2 if "gaussian" in str(query.mechanism) else moved
    return cost


def audited_costs(
    rows: list[Row], query: ReleasedQuery, groups: list[str], others: list[Row] | None = None
) -> list[float]:
    """What a query costs each record that is removed, or replaced by the worst of some others."""
    costs = []
    for i in range(len(rows)):
        rest = rows[:i] + rows[i + 1 :]
        new = [rest] if others is None else [[*rest, other] for other in others]
        costs.append(max(released_cost(rows, each, query, groups) for each in new))
    return costs
