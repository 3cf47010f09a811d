"""Self-checks of the chapter *Published losses*."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdpbook.audit.randomisers import k_ary_randomised_response
from pdpbook.per_instance.noise_kernels import laplace_kernel
from pdpbook.per_instance.privacy_loss import privacy_losses
from pdpbook_exercises import Case, Exercise, close, reference

__all__ = ["EXERCISES"]

Vector = NDArray[np.float64]


def _own_bin_loss(count: int, bins: int, n: int, epsilon: float) -> float:
    """Loss of one of ``count`` records of a bin, by its definition."""
    own, other = (k_ary_randomised_response(bins, n, epsilon)[0, j] for j in (0, 1))
    mass = count * own + (n - count) * other
    return math.log(mass / n) - math.log((mass - own) / (n - 1))


def _first_hidden(bins: int, n: int, epsilon: float, decimals: int) -> int:
    losses = [round(_own_bin_loss(c, bins, n, epsilon), decimals) for c in range(1, n // 2)]
    return next(c for c in range(1, n) if losses[c - 1] == losses[c])


def _published(counts: Sequence[int], randomiser: Vector) -> Vector:
    """Loss of a record of each bin, nan where a bin is empty."""
    histogram = np.array(counts)
    bins = np.flatnonzero(histogram)
    losses = np.full(histogram.size, np.nan)
    mass = histogram @ randomiser
    losses[bins] = privacy_losses(randomiser[bins], mass, int(histogram.sum()))
    return losses


def _finds(counts: list[int], k: int, epsilon: float) -> Callable[[Any], bool]:
    """Whether an answer finds the bin that a record has left."""

    def judge(answer: Any) -> bool:
        n = sum(counts)
        randomiser = k_ary_randomised_response(len(counts), n, epsilon)
        after = [count - (j == k) for j, count in enumerate(counts)]
        losses = [_published(each, randomiser) for each in (counts, after)]
        found = answer(*losses, n, randomiser)
        return bool(np.ndim(found) == 0 and found == k)

    return judge


def _added_losses(
    counts: NDArray[np.int64], randomiser: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Loss of one record more, for each bin."""
    mass, n = counts @ randomiser, int(counts.sum())
    return np.array([privacy_losses([row], mass + row, n + 1)[0] for row in randomiser])


def _rebuilds(counts: list[int], randomiser: NDArray[np.float64]) -> Callable[[Any], bool]:
    def judge(answer: Any) -> bool:
        histogram = np.array(counts)
        losses = _added_losses(histogram, randomiser)
        found = np.asarray(answer(losses, int(histogram.sum()), randomiser.copy()), dtype=float)
        return found.shape == histogram.shape and np.allclose(found, histogram, atol=1e-6)

    return judge


def _drawn_left(rng: np.random.Generator) -> Case:
    """Draw counts until every loss comes from the own bin, as in the fixed cases."""
    while True:
        counts = rng.permutation([0, 1, *rng.integers(1, 30, int(rng.integers(2, 6)))])
        k, n = int(rng.choice(np.flatnonzero(counts))), int(counts.sum())
        epsilon = round(float(rng.uniform(0.4, 1.5)), 2)
        randomiser = k_ary_randomised_response(counts.size, n, epsilon)
        years = counts, counts - (np.arange(counts.size) == k)
        found = [
            counts_of(_published(each.tolist(), randomiser), each.sum(), randomiser)
            for each in years
        ]
        if np.allclose(found, years):
            return Case(
                _finds(counts.tolist(), k, epsilon),
                "Turn the losses of both years into counts and compare them.",
            )


def _drawn_histogram(rng: np.random.Generator) -> Case:
    """Draw a histogram and rows until every loss comes from the own bin."""
    while True:
        bins = int(rng.integers(3, 8))
        counts = rng.permutation([0, 1, *rng.integers(1, 4, bins - 2)])
        randomiser = 0.8 * np.eye(bins) + 0.2 * rng.dirichlet(np.full(bins, 3.0), bins)
        losses = _added_losses(counts, randomiser)
        if np.allclose(rebuilt(losses, int(counts.sum()), randomiser), counts):
            return Case(
                _rebuilds(counts.tolist(), randomiser), "The masses are linear in the histogram."
            )


def hidden(bins, n, epsilon, decimals, rounding=round):
    """Right: the share of the others in the bin, and the proposition."""
    blur = bins / (bins + n * math.expm1(epsilon))
    own = 1 - blur + blur / bins

    def shown(count):
        share = (count - 1) / (n - 1) * (1 - blur) + blur / bins
        return rounding(math.log1p((own / share - 1) / n), decimals)

    return next(c for c in range(1, n) if shown(c) == shown(c + 1))


def cut_off(bins, n, epsilon, decimals):
    return hidden(bins, n, epsilon, decimals, lambda loss, digits: math.floor(loss * 10**digits))


def counts_of(losses, n, randomiser):
    """Counts by the proposition, 0 where a bin is empty."""
    own, other = randomiser[0, 0], randomiser[0, 1]
    share = (own / (1 + n * np.expm1(losses)) - other) / (own - other)
    return np.where(np.isnan(losses), 0.0, 1 + (n - 1) * share)


@reference
def rebuilt(losses, n, randomiser, more=1, own=None):
    table = randomiser if own is None else own
    average = np.diag(randomiser) / (1 + (n + more) * np.expm1(losses))
    return np.linalg.solve(table.T, n * average)


EXERCISES = {
    "decimals": Exercise(
        [
            close(
                lambda *given: float(_first_hidden(*given)),
                *given,
                hint="Compute the loss of one of c records from P and the others' share of the "
                "bin, (c - 1) of n - 1 records, and round it. Go through c = 1, 2, 3, …",
                mistakes={
                    "Published means rounded to the nearest number, not cut off.": (
                        lambda *given: float(cut_off(*given))
                    ),
                },
            )
            for given in (
                (101, 1317, 1.0, 3),
                (101, 1317, 1.0, 4),
                (5, 60, 0.5, 2),
                (101, 1317, 1.0, 1),
            )
        ],
        draw=lambda rng: (
            int(rng.integers(4, 110)),
            int(rng.integers(300, 1500)),
            round(rng.uniform(0.3, 1.5), 2),
            3,
        ),
    ),
    "left": Exercise(
        [
            Case(_finds(counts, k, epsilon), hint)
            for counts, k, epsilon, hint in (
                (
                    [3, 2, 1],
                    0,
                    1.0,
                    "Turn the losses of both years into counts and compare them.",
                ),
                (
                    [9, 1, 8, 0, 4, 1],
                    2,
                    1.0,
                    "The largest change of a loss need not be where the record left: all losses "
                    "change with the number of records, and those of small bins change most.",
                ),
                (
                    [3, 2, 1],
                    2,
                    1.0,
                    "A bin may be empty after the record has left: its loss is nan, its count 0.",
                ),
                ([20, 7, 30, 11, 1], 3, 0.5, "In the second year there are n - 1 records."),
            )
        ],
        draw=_drawn_left,
    ),
    "reconstruct": Exercise(
        [
            Case(_rebuilds(counts, randomiser), hint)
            for counts, randomiser, hint in (
                (
                    [3, 2, 1, 2, 1],
                    k_ary_randomised_response(5, 9, 1.0),
                    "First find the average of the n "
                    "records at each own bin from R and the loss. How many records are there with "
                    "the one that is added? Then which histogram puts this there?",
                ),
                (
                    [3, 0, 2, 3, 1],
                    k_ary_randomised_response(5, 9, 1.5),
                    "Empty bins count, too: return one number a bin.",
                ),
                (
                    [2, 1, 0, 2, 1, 2],
                    laplace_kernel(6, [0.08])[0],
                    "It should work for every "
                    "randomiser, not only for k-ary randomised response: "
                    "the masses are linear in the histogram.",
                ),
                (
                    [2, 1, 2, 0, 2, 1],
                    0.9 * np.eye(6) + 0.1 * np.tile([0.4, 0.2, 0.2, 0.1, 0.05, 0.05], (6, 1)),
                    "Which way round do rows and "
                    "columns of the randomiser belong? Row k is where a record of bin k goes.",
                ),
            )
        ],
        draw=_drawn_histogram,
    ),
}
