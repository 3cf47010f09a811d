"""Self-checks of the chapter *The honest loss*."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from pdpbook.audit.honest_loss import departures, honest_losses
from pdpbook.exercises import Case, Exercise, close
from pdpbook.game.best_response import best_response_dynamics
from pdpbook.game.nvo_game import NVOGame
from pdpbook.per_instance.noise_kernels import laplace_kernel

__all__ = ["EXERCISES", "game_losses", "least_divergence"]


def _plain(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    return counts / counts.sum()


def _fullest(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Half the histogram, half its first fullest bin."""
    return 0.5 * counts / counts.sum() + 0.5 * (np.arange(counts.size) == counts.argmax())


def _blurred(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    return 0.9 * counts / counts.sum() + 0.1 / counts.size


def _same_losses(
    counts: list[int], pipeline: Callable[[NDArray[np.int64]], NDArray[np.float64]]
) -> Callable[[Any], bool]:
    def judge(answer: Any) -> bool:
        histogram = np.array(counts)
        with np.errstate(divide="ignore", invalid="ignore"):
            given = np.asarray(answer(histogram, pipeline), dtype=float)
        expected = honest_losses(counts, pipeline)
        untouched = bool((histogram == counts).all())
        return untouched and np.allclose(given, expected, equal_nan=True)

    return judge


def _ceiling(counts: NDArray[np.int64], kernel: NDArray[np.float64], k: int) -> float:
    """Largest honest loss of a record of bin k, over all pairs of profiles."""
    low, high = kernel.min(axis=0), kernel.max(axis=0)
    others = counts - (np.arange(counts.size) == k)
    n = counts.sum()
    least, most = others @ low / (n - 1), others @ high / (n - 1)
    with np.errstate(divide="ignore"):
        above = np.log((others @ high + high[k]) / n) - np.log(least)
        below = np.log(most) - np.log((others @ low + low[k]) / n)
    return float(max(above.max(), below.max()))


_CEILING_CASES: list[tuple[list[int], list[float], int]] = [
    ([3, 0, 1], [0.1, 1.0], 2),
    ([1, 4, 2, 1], [0.05, 0.3, 2.0], 0),
    ([9, 1, 1], [0.3], 1),
    ([2, 2, 0, 30], [0.02, 0.5], 3),
    ([40, 1], [0.01, 5.0], 0),
]


def _mixture_losses(
    present: NDArray[np.float64], absent: NDArray[np.float64]
) -> tuple[float, float]:
    secret = np.abs(np.log(present.mean(axis=0) / absent.mean(axis=0))).max()
    return float(secret), float(np.abs(np.log(present / absent)).max())


def _tables(seed: int, size: int, bins: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    rng = np.random.default_rng(seed)
    return rng.dirichlet(np.ones(bins), size), rng.dirichlet(np.ones(bins), size)


def _binary(a: float, p: float) -> float:
    """KL of two coins."""
    first = a * math.log(a / p) if a > 0 else 0.0
    return first + (1 - a) * math.log((1 - a) / (1 - p))


def least_divergence(n: int, epsilon: float) -> float:
    """Smallest of the larger divergence that an honest loss of at most ε allows."""

    def difference(log_share: float) -> float:
        p = math.exp(log_share) / n
        return _binary(1 / n, p) + math.log1p(-p * math.exp(-epsilon))

    # at p = 1/n the first divergence is 0, and as p falls to 0 it grows beyond the second
    share = math.exp(brentq(difference, -200.0, 0.0, xtol=1e-14, rtol=1e-14))
    return -math.log1p(-share / n * math.exp(-epsilon))


def game_losses(answer: Any) -> tuple[float, float]:
    """Largest held and largest honest loss of the small game at a histogram."""
    game = NVOGame(np.asarray(answer), laplace_kernel(len(answer), [1.0, 0.2, 0.05]), epsilon=1.0)

    def solve(replayed: NVOGame) -> NDArray[np.int64]:
        return best_response_dynamics(replayed, replayed.constant_profile(0)).profile

    left = departures(game, solve)
    return max(d.held_loss for d in left), max(d.honest_loss for d in left)


def _is_histogram(answer: Any) -> bool:
    counts = np.asarray(answer)
    return (
        counts.ndim == 1
        and 2 <= counts.size <= 8
        and counts.dtype.kind in "iu"
        and bool((counts >= 0).all())
        and 3 <= counts.sum() <= 30
    )


EXERCISES = {
    "rerun": Exercise(
        [
            Case(
                _same_losses([3, 2, 1], _blurred),
                "Run the pipeline on everybody once, then for each bin with one record less.",
            ),
            Case(
                _same_losses([4, 3], _blurred),
                "A ratio can be far from 1 on either side.",
            ),
            Case(
                _same_losses([5, 5, 1], _fullest),
                "Give the pipeline the histogram without the record, not a part of its output.",
            ),
            Case(
                _same_losses([4, 0, 2], _blurred), "What is the loss of a record of an empty bin?"
            ),
            Case(
                _same_losses([3, 2, 1], _plain),
                "An output that only one of the two distributions reaches tells everything; one "
                "that neither reaches tells nothing.",
            ),
            Case(
                _same_losses([3, 0, 1, 1], _plain),
                "An output that neither distribution reaches tells nothing.",
            ),
        ]
    ),
    "ceiling": Exercise(
        [
            close(
                _ceiling,
                np.array(counts),
                laplace_kernel(len(counts), scales),
                k,
                hint="At one output x, what should everybody play in D, and what in the rerun, so "
                "that the ratio is largest? Both directions count, and D has one record more.",
            )
            for counts, scales, k in _CEILING_CASES
        ]
    ),
    "mixture": Exercise(
        [
            close(
                _mixture_losses,
                *_tables(seed, size, bins),
                hint="Return the loss when the seed stays secret, then the loss when it is known. "
                "Which of the two averages before it takes the logarithm?",
            )
            for seed, size, bins in ((0, 1, 3), (1, 4, 3), (2, 30, 5), (3, 2, 2))
        ]
    ),
    "floor": Exercise(
        [
            close(
                least_divergence,
                n,
                epsilon,
                hint="Let p be the probability of the loner's bin with him. One divergence falls "
                "as p grows to 1/n, the other rises: where do they meet? Solve for ln p; mind "
                "the digits of 1 - p.",
                rtol=1e-6,
                atol=0.0,
            )
            for n, epsilon in ((1317, 1.0), (1317, 0.1), (10, 3.0), (2, 1.0), (10**6, 8.0))
        ]
    ),
    "worst-game": Exercise(
        [
            Case(
                _is_histogram,
                "Give a list of at most 8 whole numbers >= 0 with a sum from 3 to 30.",
            ),
            Case(
                lambda answer: game_losses(answer)[0] <= 1.0 + 1e-9,
                "Here somebody's held loss is above 1: the start was not private.",
            ),
            Case(
                lambda answer: game_losses(answer)[1] >= 4.0,
                "Here every honest loss is below 4. For whose sake are others loud, and for his "
                "only?",
            ),
        ]
    ),
}
