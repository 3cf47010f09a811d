"""Self-checks of the chapter *The end-to-end loss*."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from pdpbook.audit.end_to_end_loss import end_to_end_losses, removals
from pdpbook.game.best_response import best_response_dynamics
from pdpbook.game.nvo_game import NVOGame
from pdpbook.per_instance.noise_kernels import laplace_kernel
from pdpbook_exercises import Case, Exercise, Instances, close
from pdpbook_exercises.checks.instances import Instance

__all__ = ["EXERCISES", "game_losses", "least_divergence"]

TIMES = 4.0  #: the target that an end-to-end loss must reach


def _plain(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    return counts / counts.sum()


def _fullest(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Half the histogram, half its first fullest bin."""
    return 0.5 * counts / counts.sum() + 0.5 * (np.arange(counts.size) == counts.argmax())


def _blurred(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    return 0.9 * counts / counts.sum() + 0.1 / counts.size


def _same_losses(
    counts: list[int], pipeline: Callable[[NDArray[np.int64]], NDArray[np.float64]]
) -> Callable[[Any], str]:
    def judge(answer: Any) -> str:
        histogram = np.array(counts)
        with np.errstate(divide="ignore", invalid="ignore"):
            given = np.asarray(answer(histogram, pipeline), dtype=float)
        expected = end_to_end_losses(counts, pipeline)
        if not (histogram == counts).all():
            return "It changed the counts that it was given. Work on a copy."
        if given.shape != expected.shape:
            return f"Its shape is {given.shape}, and {expected.shape} was expected."
        wrong = [
            k for k in range(given.size) if not np.allclose(given[k], expected[k], equal_nan=True)
        ]
        if not wrong:
            return ""
        k, bin_is = wrong[0], "empty" if counts[wrong[0]] == 0 else "occupied"
        if np.isnan(given[k]):
            return f"Bin {k} is {bin_is}, and its loss is nan."
        return f"{len(wrong)} bins have a wrong loss. The first is bin {k}, which is {bin_is}."

    return judge


def _rerun_case(
    counts: list[int], pipeline: Callable[[NDArray[np.int64]], NDArray[np.float64]], hint: str
) -> Case:
    def leads_to(wrong: Callable[[int], NDArray[np.float64]]) -> Callable[[Any], bool]:
        """Whether the answer is the largest of these log-ratios in each occupied bin."""

        def made(answer: Any) -> bool:
            given = np.asarray(answer(np.array(counts), pipeline), dtype=float)
            seen = np.flatnonzero(counts)
            return np.allclose(given[seen], [wrong(int(k)).max() for k in seen])

        return made

    whole, n = np.array(counts), sum(counts)
    unit = np.eye(len(counts))

    def log_ratio(k: int) -> NDArray[np.float64]:
        return np.log(pipeline(whole) / pipeline(whole - unit[k].astype(int)))

    return Case(
        _same_losses(counts, pipeline),
        hint,
        "Two output distributions for each occupied bin; |ln| of their quotient, and the largest.",
        {
            "Both directions of the ratio count: take absolute values.": leads_to(log_ratio),
            "Here too: the ratio the other way round counts as well.": leads_to(
                lambda k: -log_ratio(k)
            ),
            "The pipeline must run again. You have taken a record out of the output.": leads_to(
                lambda k: np.abs(
                    np.log(pipeline(whole) * (n - 1) / (n * pipeline(whole) - unit[k]))
                )
            ),
        },
    )


def _ceiling(counts: NDArray[np.int64], kernel: NDArray[np.float64], k: int) -> float:
    """Largest end-to-end loss of a record of bin k, over all pairs of profiles."""
    low, high = kernel.min(axis=0), kernel.max(axis=0)
    others = counts - (np.arange(counts.size) == k)
    n = counts.sum()
    least, most = others @ low / (n - 1), others @ high / (n - 1)
    with np.errstate(divide="ignore"):
        above = np.log((others @ high + high[k]) / n) - np.log(least)
        below = np.log(most) - np.log((others @ low + low[k]) / n)
    return float(max(above.max(), below.max()))


def _all_or_nothing(change: Callable[..., float]) -> Callable[..., float]:
    """Return a misconception about the ceiling, from the largest and smallest kernel entries."""

    def wrong(counts: NDArray[np.int64], kernel: NDArray[np.float64], k: int) -> float:
        others = counts - (np.arange(counts.size) == k)
        return float(change(counts, others, kernel.max(axis=0), kernel.min(axis=0), k))

    return wrong


_CEILING_MISTAKES = {
    "Those are the bounds of the theorem, for any rows. Here each record keeps its bin.": (
        _all_or_nothing(
            lambda counts, others, high, low, k: math.log(float(high.max()) / float(low.min()))
        )
    ),
    "D has n records and the rerun n - 1: the record itself is missing there.": (
        _all_or_nothing(
            lambda counts, others, high, low, k: np.log((counts @ high) / (counts @ low)).max()
        )
    ),
    "Both directions count: the rerun may also have the larger probability.": (
        _all_or_nothing(
            lambda counts, others, high, low, k: np.log(
                (counts @ high / counts.sum()) / (others @ low / others.sum())
            ).max()
        )
    ),
    "Distributions, not masses: divide by n and by n - 1.": (
        _all_or_nothing(
            lambda counts, others, high, low, k: max(
                np.log((counts @ high) / (others @ low)).max(),
                np.log((others @ high) / (counts @ low)).max(),
            )
        )
    ),
}

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
    """KL of two Bernoulli distributions."""
    first = a * math.log(a / p) if a > 0 else 0.0
    return first + (1 - a) * math.log((1 - a) / (1 - p))


def least_divergence(n: int, epsilon: float) -> float:
    """Smallest of the larger divergence that an end-to-end loss of at most ε allows."""

    def difference(log_share: float) -> float:
        p = math.exp(log_share) / n
        return _binary(1 / n, p) + math.log1p(-p * math.exp(-epsilon))

    # at p = 1/n the first divergence is 0, and as p falls to 0 it grows beyond the second
    share = math.exp(brentq(difference, -200.0, 0.0, xtol=1e-14, rtol=1e-14))
    return -math.log1p(-share / n * math.exp(-epsilon))


def game_losses(answer: Any, mine: Instance) -> tuple[float, float]:
    """Largest fixed-noise and largest end-to-end loss of a small game at a histogram."""
    kernel = laplace_kernel(len(answer), mine["scales"])
    game = NVOGame(np.asarray(answer), kernel, epsilon=mine["epsilon"])

    def solve(replayed: NVOGame) -> NDArray[np.int64]:
        return best_response_dynamics(replayed, start=replayed.constant_profile(0)).profile

    left = removals(game, solve)
    return max(d.fixed_noise_loss for d in left), max(d.end_to_end_loss for d in left)


def _is_histogram(answer: Any) -> str:
    counts = np.asarray(answer)
    if counts.ndim != 1 or counts.dtype.kind not in "iu":
        return "It is not a list of whole numbers."
    if not 2 <= counts.size <= 8:
        return f"It has {counts.size} bins."
    if not (counts >= 0).all():
        return "A count is negative."
    return "" if 3 <= counts.sum() <= 30 else f"These are {counts.sum()} records."


def _fixed_noise_enough(mine: Instance) -> Callable[[Any], str]:
    def judge(answer: Any) -> str:
        fixed_noise = game_losses(answer, mine)[0]
        if fixed_noise <= mine["epsilon"] + 1e-9:
            return ""
        return f"A fixed-noise loss is {fixed_noise:.3g} here: the start exposes this record."

    return judge


def _end_to_end_enough(mine: Instance) -> Callable[[Any], str]:
    def judge(answer: Any) -> str:
        end_to_end = game_losses(answer, mine)[1]
        if end_to_end >= TIMES * mine["epsilon"]:
            return ""
        return f"The largest end-to-end loss is {end_to_end:.3g} here."

    return judge


def _drawn_scales(rng: np.random.Generator) -> Instance:
    """Draw one of 120 instances; a search has found a histogram for each of them."""
    medium, small = rng.choice([0.16, 0.18, 0.2, 0.22]), rng.choice([55, 57.5, 60, 62.5, 65]) / 1000
    epsilon = rng.choice([0.8, 0.85, 0.9, 0.95, 1.0, 1.05])
    return {"epsilon": float(epsilon), "scales": [1.0, float(medium), float(small)]}


def _drawn_ceiling(rng: np.random.Generator) -> tuple[Any, ...]:
    bins = int(rng.integers(2, 6))
    counts = rng.integers(0, 20, bins)
    k = int(rng.integers(bins))
    counts[k] += 1
    counts[k - 1] += 1  # somebody else
    return counts, laplace_kernel(bins, rng.uniform(0.05, 2.0, 2).round(3)), k


EXERCISES = {
    "rerun": Exercise(
        [
            _rerun_case(
                [3, 2, 1],
                _blurred,
                "Run the pipeline on everybody once, then for each bin with one record less.",
            ),
            _rerun_case([4, 3], _blurred, "A ratio can be far from 1 on either side."),
            _rerun_case(
                [1, 9, 9], _blurred, "A rare value becomes less likely without its record."
            ),
            _rerun_case(
                [5, 5, 1],
                _fullest,
                "Give the pipeline the histogram without the record, not a part of its output.",
            ),
            _rerun_case(
                [4, 0, 2], _blurred, "A record of an empty bin does not exist: its loss is nan."
            ),
            _rerun_case(
                [3, 2, 1],
                _plain,
                "An output that only one of the two distributions reaches tells everything; one "
                "that neither reaches tells nothing.",
            ),
            _rerun_case(
                [3, 0, 1, 1], _plain, "An output that neither distribution reaches tells nothing."
            ),
        ],
        draw=lambda rng: _rerun_case(
            rng.permutation([0, 1, *rng.integers(2, 12, 3)]).tolist(),
            (_blurred, _fullest)[int(rng.integers(2))],
            "Run the pipeline on everybody once, then for each bin with one record less.",
        ),
        refused=("pdpbook.audit.end_to_end_loss.end_to_end_losses",),
    ),
    "ceiling": Exercise(
        [
            close(
                _ceiling,
                np.array(counts),
                laplace_kernel(len(counts), scales),
                k,
                hint="At one output x, what should each record play in D, and what in the rerun, "
                "so that the ratio is largest? Both directions count, and D has one record more.",
                more="For each x take the largest and the smallest entry over the actions, in each "
                "bin, and weigh them with the counts.",
                mistakes=_CEILING_MISTAKES,
            )
            for counts, scales, k in _CEILING_CASES
        ],
        draw=_drawn_ceiling,
    ),
    "mixture": Exercise(
        [
            close(
                _mixture_losses,
                *_tables(seed, size, bins),
                hint="Return the loss when the seed stays secret, then the loss when it is known. "
                "Which of the two averages before it takes the logarithm?",
                more="Secret: one output distribution with the record, one without. Published: a "
                "pair of distributions for every seed, and the worst seed counts.",
                mistakes={
                    "The secret seed comes first.": (
                        lambda present, absent: _mixture_losses(present, absent)[::-1]
                    ),
                    "Nobody releases the mean of losses. What is released if the seed is secret?": (
                        lambda present, absent: (
                            np.abs(np.log(present / absent)).max(axis=1).mean(),
                            _mixture_losses(present, absent)[1],
                        )
                    ),
                    "First the mean over the seeds, then the logarithm.": (
                        lambda present, absent: (
                            np.abs(np.log(present / absent).mean(axis=0)).max(),
                            _mixture_losses(present, absent)[1],
                        )
                    ),
                    "An unlucky seed is drawn, too: with a published seed the worst one counts.": (
                        lambda present, absent: (
                            _mixture_losses(present, absent)[0],
                            np.abs(np.log(present / absent)).max(axis=1).mean(),
                        )
                    ),
                    "Both signs of the logarithm count.": (
                        lambda present, absent: (
                            np.log(present.mean(axis=0) / absent.mean(axis=0)).max(),
                            np.log(present / absent).max(),
                        )
                    ),
                },
            )
            for seed, size, bins in ((1, 4, 3), (0, 1, 3), (2, 30, 5), (3, 2, 2))
        ],
        draw=lambda rng: _tables(
            int(rng.integers(2**32)), int(rng.integers(1, 9)), int(rng.integers(2, 6))
        ),
    ),
    "floor": Exercise(
        [
            close(
                least_divergence,
                n,
                epsilon,
                hint="Let p be the probability of the lonely record's bin. One divergence falls "
                "as p grows to 1/n, the other rises: where do they meet? Solve for ln p; mind "
                "the digits of 1 - p.",
                more="kl(1/n || p) = -ln(1 - p exp(-ε)), an equation for p in (0, 1/n). Which side "
                "is the larger at p = 1/n, and which near 0?",
                mistakes={
                    "That is the divergence without the record if it is 0 with it. Trade one off "
                    "against the other.": (lambda n, epsilon: -math.log1p(-math.exp(-epsilon) / n)),
                    "That is where a first-order guess puts it.": (
                        lambda n, epsilon: 1 / (n * (1 + math.exp(epsilon)))
                    ),
                    "That is the probability p. What is the divergence there?": (
                        lambda n, epsilon: (
                            -math.expm1(-least_divergence(n, epsilon)) * math.exp(epsilon)
                        )
                    ),
                },
                rtol=1e-6,
                atol=0.0,
            )
            for n, epsilon in ((1317, 1.0), (1317, 0.1), (10, 3.0), (2, 1.0), (10**6, 8.0))
        ],
        draw=lambda rng: (int(rng.integers(2, 10**5)), round(rng.uniform(0.05, 5.0), 3)),
    ),
    "worst-game": Exercise(
        lambda mine: [
            Case(
                _is_histogram,
                "Give a list of at most 8 whole numbers >= 0 with a sum from 3 to 30.",
            ),
            Case(_fixed_noise_enough(mine), "Add records, or bring the lonely ones nearer."),
            Case(
                _end_to_end_enough(mine),
                f"It must be {TIMES * mine['epsilon']:.3g}. Which record makes others take a large "
                "scale for its sake alone?",
                "Try one record at an end, a gap, and many records beyond it. "
                "Let the computer try hundreds.",
            ),
        ],
        own=Instances({"epsilon": 1.0, "scales": [1.0, 0.2, 0.05]}, _drawn_scales),
    ),
}
