"""Plausible answers to exercises of *The end-to-end loss*: the wrong are refused and told why."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq, minimize_scalar

from tests.tools.answers import answer_tests

pytestmark = [
    pytest.mark.filterwarnings("ignore:divide by zero:RuntimeWarning"),
    pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning"),
]


def _fixed_noise(counts, pipeline):
    """The others' part forgotten: a record is taken out of the output."""
    rows, n = np.eye(len(counts)), counts.sum()
    return np.abs(np.log(pipeline(counts) / ((n * pipeline(counts) - rows) / (n - 1)))).max(axis=1)


def _one_direction(counts, pipeline):
    losses = np.full(len(counts), np.nan)
    for k in np.flatnonzero(counts):
        absent = pipeline(counts - (np.arange(len(counts)) == k))
        losses[k] = np.log(pipeline(counts) / absent).max()
    return losses


def _keeps_the_change(counts, pipeline):
    losses, present = np.full(len(counts), np.nan), pipeline(counts.copy())
    for k in np.flatnonzero(counts):
        counts[k] -= 1
        losses[k] = np.abs(np.log(present / pipeline(counts))).max()
    return losses


def _any_rows(counts, kernel, k):
    return np.log(kernel.max(axis=(0, 1)) / kernel.min(axis=(0, 1))).max()


def _everybody_stays(counts, kernel, k):
    return np.log((counts @ kernel.max(axis=0)) / (counts @ kernel.min(axis=0))).max()


def _mean_of_losses(present, absent):
    single = np.abs(np.log(present / absent)).max(axis=1)
    return single.mean(), single.max()


def _exchanged(present, absent):
    secret = np.abs(np.log(present.mean(axis=0) / absent.mean(axis=0))).max()
    return np.abs(np.log(present / absent)).max(), secret


def _mean_of_logarithms(present, absent):
    ratio = np.log(present / absent)
    return np.abs(ratio.mean(axis=0)).max(), np.abs(ratio).max()


def _other_direction(counts, pipeline):
    losses = np.full(len(counts), np.nan)
    for k in np.flatnonzero(counts):
        absent = pipeline(counts - (np.arange(len(counts)) == k))
        losses[k] = np.log(absent / pipeline(counts)).max()
    return losses


def _rerun(counts, pipeline, *, empty=math.nan):
    """Output by output."""
    losses = []
    for k, count in enumerate(counts):
        if count == 0:
            losses.append(empty)
            continue
        fewer = [c - (j == k) for j, c in enumerate(counts)]
        pairs = zip(pipeline(counts), pipeline(np.array(fewer)), strict=True)
        seen = [(p, q) for p, q in pairs if p > 0 or q > 0]
        ratios = [math.inf if min(p, q) == 0 else abs(math.log(p / q)) for p, q in seen]
        losses.append(max(ratios))
    return losses


def _naive_logarithms(counts, pipeline):
    """Forgets that 0/0 is nan, which max passes on."""
    losses = np.full(len(counts), np.nan)
    for k in np.flatnonzero(counts):
        absent = pipeline(counts - (np.arange(len(counts)) == k))
        losses[k] = np.abs(np.log(pipeline(counts) / absent)).max()
    return losses


def _upwards_only(counts, kernel, k):
    others = counts - (np.arange(counts.size) == k)
    high, low = kernel.max(axis=0), kernel.min(axis=0)
    return np.log((counts @ high / counts.sum()) / (others @ low / others.sum())).max()


def _masses(counts, kernel, k):
    others = counts - (np.arange(counts.size) == k)
    high, low = kernel.max(axis=0), kernel.min(axis=0)
    return np.log(
        np.maximum((counts @ high) / (others @ low), others @ high / (counts @ low))
    ).max()


def _by_loops(counts, kernel, k):
    worst, n, bins = 0.0, sum(counts), len(counts)
    for x in range(bins):
        most = [max(kernel[v][j][x] for v in range(len(kernel))) for j in range(bins)]
        least = [min(kernel[v][j][x] for v in range(len(kernel))) for j in range(bins)]
        for above, below in ((most, least), (least, most)):
            present = sum(c * a for c, a in zip(counts, above, strict=True)) / n
            absent = sum((counts[j] - (j == k)) * below[j] for j in range(bins)) / (n - 1)
            worst = max(worst, abs(math.log(present / absent)))
    return worst


def _mean_seed(present, absent):
    ratio = np.abs(np.log(present / absent))
    return np.abs(np.log(present.mean(axis=0) / absent.mean(axis=0))).max(), ratio.max(1).mean()


def _unsigned(present, absent):
    return (
        np.log(present.mean(axis=0) / absent.mean(axis=0)).max(),
        np.log(present / absent).max(),
    )


def _sums(present, absent):
    """The factor 1/S cancels."""
    return [
        np.abs(np.log(present.sum(axis=0)) - np.log(absent.sum(axis=0))).max(),
        np.abs(np.log(present) - np.log(absent)).max(),
    ]


def _divergences(n, epsilon, share):
    p = math.exp(share) / n
    with_him = -share / n + (1 - 1 / n) * (math.log1p(-1 / n) - math.log1p(-p))
    return with_him, -math.log1p(-p * math.exp(-epsilon))


def _meeting(n, epsilon):
    """Probability of the loner's bin, not the divergence."""

    def excess(share):
        first, second = _divergences(n, epsilon, share)
        return first - second

    return math.exp(brentq(excess, -200, 0, xtol=1e-14)) / n


def _least_of_the_larger(n, epsilon):
    """Minimises the larger of the two, without the equation."""
    found = minimize_scalar(
        lambda share: max(_divergences(n, epsilon, share)),
        bounds=(-60, 0),
        method="bounded",
        options={"xatol": 1e-13},
    )
    return found.fun


WRONG = {
    "rerun": [
        (_fixed_noise, "You have taken a record out of the output."),
        (_one_direction, "Both directions of the ratio count"),
        (_other_direction, "as well"),
        (_keeps_the_change, "Work on a copy."),
        (lambda counts, pipeline: _rerun(counts, pipeline, empty=0.0), "bin 1, which is empty"),
        (_naive_logarithms, "Bin 0 is occupied, and its loss is nan."),
        (lambda counts, pipeline: max(_rerun(counts, pipeline)), "Its shape is ()"),
    ],
    "ceiling": [
        (_any_rows, "Here each record keeps its bin."),
        (_everybody_stays, "the record itself is missing there"),
        (_upwards_only, "Both directions count"),
        (_masses, "Distributions, not masses"),
        (lambda counts, kernel, k: 0.0, "what should everybody play in D"),
    ],
    "mixture": [
        (_mean_of_losses, "Nobody releases the mean of losses."),
        (_exchanged, "The secret seed comes first."),
        (_mean_of_logarithms, "First the mean over the seeds"),
        (_mean_seed, "the worst one counts"),
        (_unsigned, "Both signs of the logarithm count."),
        (lambda present, absent: _sums(present, absent)[0], "the shape (2,) was expected"),
    ],
    "floor": [
        (lambda n, epsilon: -math.log1p(-math.exp(-epsilon) / n), "Trade one off"),
        (lambda n, epsilon: 1 / (n * (1 + math.exp(epsilon))), "a first-order guess"),
        (_meeting, "What is the divergence there?"),
        (lambda n, epsilon: 0.0, "where do they meet?"),
    ],
    "worst-game": [
        ([3, 2, 1], "The largest end-to-end loss is"),
        ([1, 0, 1, 4, 5, 12, 1], "The largest end-to-end loss is"),
        ([0, 1, 0, 2, 5, 8, 4, 4, 6], "It has 9 bins."),
        ([1.5, 2.5], "It is not a list of whole numbers."),
        ([40, 1], "These are 41 records."),
        ([-1, 5], "A count is negative."),
    ],
}

RIGHT = {
    "rerun": [_rerun],
    "ceiling": [_by_loops],
    "mixture": [_sums],
    "floor": [_least_of_the_larger],
    "worst-game": [np.array([1, 0, 6, 2, 3]), (1, 0, 6, 2, 3)],
}

test_wrong_answers, test_right_answers = answer_tests("end-to-end-loss", WRONG, RIGHT)
