"""Self-checks of the chapter *Noise mechanisms*."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any
from unittest import mock

import numpy as np
from numpy.typing import NDArray

import pdpbook as pb
from pdpbook.foundations.bounded_laplace import bounded_laplace_scale
from pdpbook.foundations.mechanisms import analytic_gaussian_sigma, exponential_probabilities
from pdpbook.per_instance.privacy_loss import privacy_losses
from pdpbook_exercises import Case, Exercise, close, equal

__all__ = ["EXERCISES"]


def _crossover(epsilon: float, delta: float) -> int:
    k = 1
    while (
        analytic_gaussian_sigma(sensitivity=math.sqrt(k), epsilon=epsilon, delta=delta)
        >= math.sqrt(2) * k / epsilon
    ):
        k += 1
    return k


def _sensitivities(changes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Both norms of all rows, and of all differences of rows."""
    pairs = (changes[:, None, :] - changes[None, :, :]).reshape(-1, changes.shape[1])
    return np.array([np.linalg.norm(m, o, axis=1).max() for m in (changes, pairs) for o in (1, 2)])


def _gumbel(utilities: list[float], sensitivity: float, epsilon: float) -> Callable[[Any], bool]:
    def judge(answer: Any) -> bool:
        size = 200_000
        chosen = np.asarray(
            answer(np.array(utilities), sensitivity, epsilon, np.random.default_rng(0), size)
        )
        if chosen.shape != (size,):
            return False
        chances = exponential_probabilities(utilities, sensitivity=sensitivity, epsilon=epsilon)
        shares = np.bincount(chosen, minlength=len(utilities)) / size
        spread = np.sqrt(chances * (1 - chances) / size)
        return bool((np.abs(shares - chances) < 5.5 * spread).all())

    return judge


def _laplace_delta(scale: float, epsilon: float) -> float:
    """Integrate the excess on a fine grid, cell by cell."""
    edges = np.linspace(-60 * scale, 60 * scale + 1, 400_001)
    where = edges[1:] / 2 + edges[:-1] / 2
    p, q = (np.exp(-np.abs(where - m) / scale) / (2 * scale) for m in (1.0, 0.0))
    return float(np.maximum(p - math.exp(epsilon) * q, 0).sum() * (edges[1] - edges[0]))


def _staircase_error(epsilon: float, share: float) -> float:
    """Add up the treads: mass times distance of the middle."""
    stretch, fall = np.arange(math.ceil(40 / epsilon)), math.exp(-epsilon)
    high, low = fall**stretch * share, fall ** (stretch + 1) * (1 - share)
    places = high @ (stretch + share / 2) + low @ (stretch + (1 + share) / 2)
    return float(places / (high.sum() + low.sum()))


def _one_sided_scale(sensitivity: float, epsilon: float) -> float:
    return bounded_laplace_scale(
        lower=0.0, upper=1e6 * sensitivity, sensitivity=sensitivity, epsilon=epsilon
    )


def _private_mean(answer: Any) -> bool:
    rng, epsilon, n = np.random.default_rng(0), 0.5, 200
    values = np.round(np.random.default_rng(1).normal(200, 9, n), 2).clip(150, 240)
    means = np.array([answer(values.copy(), epsilon, rng) for _ in range(4000)], dtype=float)
    hundredths = means * n * 100
    on_grid = np.abs(hundredths - np.round(hundredths)).max() < 1e-4
    unit = math.sqrt(2) / (epsilon * n)
    spread = means.std()
    centred = abs(means.mean() - values.mean()) < 5 * spread / math.sqrt(means.size)
    return bool(on_grid and centred and 0.93 * 45 * unit < spread < 1.07 * 240 * unit)


def _calibrated(answer: Any) -> bool:
    """Whether the noise is made for the most that one height can add to the answer's own sum."""
    epsilon, n = 0.5, 200
    with mock.patch.object(pb, "geometric_mechanism", wraps=pb.geometric_mechanism) as spy:
        for height in (150.0, 240.0):
            answer(np.full(n, height), epsilon, np.random.default_rng(0))
    if spy.call_count != 2:
        return False
    for call in spy.call_args_list:
        given = {**dict(zip(("value",), call.args, strict=False)), **call.kwargs}
        reach = n * given.get("sensitivity", 1)
        if abs(int(given["value"])) > reach or given["epsilon"] > epsilon:
            return False
    return True


_TABLES = [
    np.eye(4),
    np.tri(5),
    np.array([[3.0, -4.0], [0.0, 1.0], [-3.0, 4.0]]),
    np.tile([1.0, 2.0, 2.0], (2, 1)),
]


def _merged(rows: NDArray[np.float64], groups: NDArray[np.int64]) -> NDArray[np.float64]:
    return np.array([rows[:, groups == g].sum(axis=1) for g in range(groups.max() + 1)]).T


def _merged_losses(rows: NDArray[np.float64], groups: NDArray[np.int64]) -> NDArray[np.float64]:
    merged = _merged(rows, groups)
    return privacy_losses(merged, merged.sum(axis=0), len(rows))


def _fine_losses(rows: NDArray[np.float64], groups: NDArray[np.int64]) -> NDArray[np.float64]:
    return privacy_losses(rows, rows.sum(axis=0), len(rows))


def _loss_sums(rows: NDArray[np.float64], groups: NDArray[np.int64]) -> NDArray[np.float64]:
    """Compare with all records, the own one included."""
    merged = _merged(rows, groups)
    with np.errstate(divide="ignore"):
        result: NDArray[np.float64] = np.abs(np.log(merged / merged.mean(axis=0))).max(axis=1)
    return result


def _merging_cases() -> list[Case]:
    rng = np.random.default_rng(5)
    cases = [
        (rng.dirichlet(np.ones(6), size=4), np.array([0, 0, 1, 1, 2, 2])),
        (rng.dirichlet(np.full(5, 0.3), size=3), np.array([1, 0, 1, 0, 2])),
        (np.eye(4)[[0, 1, 2, 3]], np.array([0, 0, 1, 1])),
        (rng.dirichlet(np.ones(4), size=5), np.array([0, 0, 0, 0])),
    ]
    return [
        close(
            _merged_losses,
            rows,
            groups,
            hint="Add up the columns of a group first. Then compare P with and without a record.",
            more="pb.privacy_losses wants the merged rows, and the sum of the merged rows.",
            mistakes={
                "These are the losses before merging.": _fine_losses,
                "P_{-i} is the mean over the *other* records.": _loss_sums,
            },
        )
        for rows, groups in cases
    ]


def _best_draws(n: int, spread: float, sd: float, epsilon: float, limit: int) -> int:
    draws = np.arange(1, limit + 1)
    scale = spread / np.log1p(n * np.expm1(epsilon / draws))
    return int(draws[((sd**2 + 2 * scale**2) / draws).argmin()])


def _by_scale(scale: Callable[..., Any]) -> Callable[..., int]:
    """Return the best number of draws with another noise scale."""

    def best(n: int, spread: float, sd: float, epsilon: float, limit: int) -> int:
        draws = np.arange(1, limit + 1)
        noise = scale(n, spread, epsilon, draws)
        return int(draws[((sd**2 + 2 * noise**2) / draws).argmin()])

    return best


# Answers, wrong and right, for the exercises below ------------------------------------------------


def crossover(epsilon, delta):
    sigma = analytic_gaussian_sigma(sensitivity=1.0, epsilon=epsilon, delta=delta)
    return math.floor((epsilon * sigma) ** 2 / 2) + 1


def sensitivities(changes, factor=None):
    removal = [np.abs(changes).sum(axis=1).max(), np.sqrt((changes**2).sum(axis=1)).max()]
    if factor:
        return [*removal, *(factor * each for each in removal)]
    apart = [a - b for a in changes for b in changes]
    return [*removal, max(np.abs(d).sum() for d in apart), max(np.hypot.reduce(d) for d in apart)]


def delta(scale, epsilon):
    return max(0.0, -math.expm1((epsilon - 1 / scale) / 2))


def choose(utilities, sensitivity, epsilon, rng, size, *, factor=2.0, gumbel=True):
    rated = epsilon * utilities / (factor * sensitivity)
    noise = rng.gumbel if gumbel else rng.laplace
    return (rated + noise(size=(size, len(rated)))).argmax(axis=1)


def by_inversion(utilities, sensitivity, epsilon, rng, size):
    weights = np.exp(epsilon * utilities / (2 * sensitivity))
    return np.searchsorted(np.cumsum(weights) / weights.sum(), rng.random(size))


def staircase(epsilon, share):
    fall = math.exp(-epsilon)
    high, low = share, (1 - share) * fall
    inside = (high * share / 2 + low * (1 + share) / 2) / (high + low)
    return fall / (1 - fall) + inside


def one_end(sensitivity, epsilon):
    return sensitivity / math.log((1 + math.exp(epsilon)) / 2)


def merge(rows, groups, how=np.sum):
    return np.array([how(rows[:, groups == g], axis=1) for g in range(max(groups) + 1)]).T


def merged(rows, groups, how=np.sum, without=1):
    rows = merge(rows, groups, how)
    n = len(rows)
    with np.errstate(divide="ignore"):
        others = (rows.sum(axis=0) - without * rows).clip(0) / (n - without)
        return np.abs(np.log(rows.mean(axis=0) / others)).max(axis=1)


def merged_in_loops(rows, groups):
    merged, n, losses = merge(rows, groups), len(rows), []
    for i in range(n):
        before = merged.sum(axis=0) / n
        after = np.delete(merged, i, axis=0).sum(axis=0) / (n - 1)
        losses.append(
            max(
                math.inf if b == 0 else abs(math.log(a / b))
                for a, b in zip(before, after, strict=True)
                if a > 0
            )
        )
    return losses


def draws(n, spread, sd, epsilon, limit, *, split=True, amplified=True, two=2.0, data=True):
    """The best number of draws with the mistakes that are asked for."""
    best, error = 0, math.inf
    for m in range(1, limit + 1):
        own = epsilon / m if split else epsilon
        b = spread / math.log1p(n * math.expm1(own)) if amplified else spread / own
        now = ((sd**2 if data else 0) + two * b**2) / m
        if now < error:
            best, error = m, now
    return best


EXERCISES = {
    "crossover": Exercise(
        [
            equal(
                _crossover,
                e,
                d,
                hint="Compare the standard deviations, and watch the norms.",
                more="One person moves k counts by 1: the L1 norm is k, the L2 norm its root.",
                mistakes={
                    "There Laplace noise is still no worse.": (lambda e, d: _crossover(e, d) - 1),
                    "One fewer is enough already.": lambda e, d: _crossover(e, d) + 1,
                },
            )
            for e, d in ((1.0, 1e-5), (0.1, 1e-5), (1.0, 1e-10), (5.0, 1e-6), (1.0, 0.3))
        ],
        wrong=[
            (lambda e, d: crossover(e, d) - 1, "still no worse"),
            (lambda e, d: crossover(e, d) + 1, "One fewer is enough already."),
            (lambda e, d: 1, "watch the norms"),
        ],
        right=[crossover],
    ),
    "sensitivities": Exercise(
        [
            close(
                _sensitivities,
                table,
                hint="A replacement takes one row away and adds another.",
                mistakes={
                    "Twice the removal is only a bound for the replacement.": lambda changes: (
                        np.concatenate(
                            [_sensitivities(changes)[:2], 2 * _sensitivities(changes)[:2]]
                        )
                    ),
                    "Removal comes first, then replacement; L1 before L2.": lambda changes: (
                        _sensitivities(changes)[[2, 3, 0, 1]]
                    ),
                },
            )
            for table in _TABLES
        ],
        wrong=[
            (lambda changes: sensitivities(changes, 2), "Twice the removal"),
            (lambda changes: sensitivities(changes, 1), "takes one row away"),
            (lambda changes: np.roll(sensitivities(changes), 2), "Removal comes first"),
            (lambda changes: sensitivities(changes)[:2], "Its shape is (2,)"),
        ],
        right=[sensitivities],
    ),
    "gumbel": Exercise(
        [
            Case(_gumbel(*case), "The frequencies are not those of the exponential mechanism.")
            for case in (([0.0, 1.0, 2.0], 1.0, 1.0), ([5.0, 4.0, 0.0, 4.5], 2.0, 3.0))
        ],
        wrong=[
            (lambda *case: choose(*case, factor=1.0), "The frequencies"),
            (lambda *case: choose(*case, gumbel=False), "The frequencies"),
            (lambda *case: choose(*case)[:10], "The frequencies"),
        ],
        right=[choose, by_inversion],
    ),
    "laplace-delta": Exercise(
        [
            close(
                _laplace_delta,
                b,
                e,
                rtol=1e-3,
                atol=1e-5,
                hint="It falls as ε grows, and from ε = 1/b on no δ is needed.",
                mistakes={
                    "From ε = 1/b on no δ is needed: 0, not a negative number.": lambda b, e: (
                        1 - math.exp((e - 1 / b) / 2)
                    ),
                },
            )
            for b, e in ((1.0, 0.0), (1.0, 0.5), (2.0, 0.1), (0.5, 1.5), (1.0, 1.5))
        ],
        wrong=[
            (lambda b, e: 1 - math.exp((e - 1 / b) / 2), "no δ is needed"),
            (lambda b, e: max(0.0, 1 - math.exp(e - 1 / b)), "The value is wrong."),
            (lambda b, e: 1 - delta(b, e), "It falls as ε grows"),
        ],
        right=[delta],
    ),
    "staircase": Exercise(
        [
            close(
                _staircase_error,
                e,
                s,
                hint="The whole part is geometric. Within a stretch the two treads have masses in "
                "the ratio γ to (1 - γ) e^-ε. Where is the middle of each?",
            )
            for e, s in ((1.0, 1 / (1 + math.exp(0.5))), (1.0, 0.0), (0.3, 0.8), (6.0, 0.05))
        ],
        wrong=[
            (lambda e, s: staircase(e, 1 - s), "Where is the middle of each?"),
            (lambda e, s: 1 / e, "Where is the middle of each?"),
            (lambda e, s: -staircase(e, s), "The sign is wrong."),
        ],
        right=[staircase],
    ),
    "one-sided-scale": Exercise(
        [
            close(
                _one_sided_scale,
                d,
                e,
                hint="Let W grow in both fractions before you solve for b.",
                mistakes={
                    "That is plain Laplace noise. An end costs more.": lambda d, e: d / e,
                    "Twice as wide is the limit for a small epsilon.": lambda d, e: 2 * d / e,
                },
            )
            for d, e in ((1.0, 1.0), (2.5, 0.1), (1.0, 8.0), (10.0, 0.7))
        ],
        wrong=[
            (lambda d, e: d / e, "plain Laplace noise"),
            (lambda d, e: 2 * d / e, "the limit for a small epsilon"),
            (lambda d, e: one_end(1.0, e) / d, "Let W grow"),
        ],
        right=[one_end],
    ),
    "private-mean": Exercise(
        [
            Case(
                _private_mean,
                "Sum whole hundredths, add noise once, divide by n. How far can one height between "
                "150 and 240 cm move your sum when it is removed? That sets the noise.",
            ),
            Case(
                _calibrated,
                "Call pb.geometric_mechanism once, with the most that one height can add to "
                "*your* sum.",
                looks_inside=True,
            ),
        ],
        wrong=[
            (lambda values, e, rng: values.mean(), "add noise once"),
            (lambda values, e, rng: values.mean() + rng.laplace(scale=90 / e / 200), "hundredths"),
            (lambda values, e, rng: 195.0, "add noise once"),
        ],
    ),
    "merged-losses": Exercise(
        _merging_cases(),
        wrong=[
            (lambda rows, groups: privacy_losses(rows, rows.sum(0), len(rows)), "before merging"),
            (lambda rows, groups: merged(rows, groups, without=0), "Add up the columns"),
            (lambda rows, groups: merged(rows, groups, np.mean) * 0.9, "entries are wrong"),
            (lambda rows, groups: merged(rows, np.sort(groups)), "entries are wrong"),
            (lambda rows, groups: merged(rows, groups).max(), "Its shape is ()"),
            (lambda rows, groups: merged(rows, groups, np.max), "Add up the columns"),
        ],
        right=[merged, merged_in_loops],
    ),
    "best-draws": Exercise(
        [
            close(
                _best_draws,
                *case,
                hint="Try all numbers of draws. Each draw gets epsilon / m, and its scale by "
                "amplification; what is the variance of a draw?",
                more="The variance of one draw is that of the data and that of the noise, 2b². The "
                "mean of m draws has an m-th of it.",
                mistakes={
                    "Each draw gets a part of epsilon only.": _by_scale(
                        lambda n, d, e, m: d / np.log1p(n * np.expm1(e)) + 0 * m
                    ),
                    "That is without amplification: a record is seldom drawn.": _by_scale(
                        lambda n, d, e, m: d * m / e
                    ),
                    "Laplace noise of scale b has the variance 2b², not b².": _by_scale(
                        lambda n, d, e, m: d / np.log1p(n * np.expm1(e / m)) / math.sqrt(2)
                    ),
                },
            )
            for case in (
                (1317, 68.58, 9.1, 1.0, 5000),
                (1317, 68.58, 9.1, 1.0, 50),
                (10_000, 1.0, 0.3, 0.1, 3000),
                (50, 10.0, 4.0, 3.0, 500),
            )
        ],
        wrong=[
            (lambda *case: draws(*case, split=False), "a part of epsilon only"),
            (lambda *case: draws(*case, amplified=False), "without amplification"),
            (lambda *case: draws(*case, two=1.0), "not b²"),
            (lambda *case: draws(*case) - 1, "It is off by one."),
            (lambda *case: draws(*case, data=False), "what is the variance of a draw?"),
        ],
        right=[draws],
    ),
}
