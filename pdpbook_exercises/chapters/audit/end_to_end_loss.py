"""Checks of the exercises in *The end-to-end loss*."""

from math import exp, log, log1p

import numpy as np
from scipy.optimize import brentq

from pdpbook.audit.end_to_end_loss import removals
from pdpbook.game.best_response import best_response_dynamics
from pdpbook.game.nvo_game import NVOGame
from pdpbook.per_instance.noise_kernels import laplace_kernel
from pdpbook_exercises import assert_close, exercise


def plain(counts):
    return counts / counts.sum()


def blurred(counts):
    return 0.9 * counts / counts.sum() + 0.1 / counts.size


def fullest(counts):  # half the histogram, half the first fullest bin
    return 0.5 * counts / counts.sum() + 0.5 * (np.arange(counts.size) == counts.argmax())


@exercise("end-to-end-loss/rerun", refused=["end_to_end_losses"])
def rerun(answer, rng):
    once = "Run the pipeline on all records, and once for each bin without one of its records."
    drawn = [
        (rng.permutation([0, 1, *rng.integers(2, 12, 3)]), rng.choice([blurred, fullest]), once)
        for _ in range(3)
    ]
    for histogram, pipeline, hint in [
        ([3, 2, 1], blurred, once),
        ([4, 3], blurred, "A ratio can be far above 1 or far below it."),
        ([1, 9, 9], blurred, "A rare value becomes less likely without its record."),
        ([5, 5, 1], fullest, "Take the record out of the histogram, not out of the output."),
        ([4, 0, 2], blurred, "An empty bin has no record, so its loss is nan."),
        (
            [3, 2, 1],
            plain,
            "An output that only one of the distributions reaches reveals everything.",
        ),
        ([3, 0, 1, 1], plain, "An output that neither distribution reaches reveals nothing."),
        *drawn,
    ]:
        counts, unit = np.array(histogram), np.eye(len(histogram), dtype=int)
        n, present = counts.sum(), pipeline(counts)
        ratios = np.log(present / [pipeline(fewer) for fewer in counts - unit])
        ratios[counts == 0] = np.nan
        assert_close(
            answer(counts, pipeline),
            np.nanmax(abs(ratios), axis=1),  # leaves out 0/0, where neither reaches
            hint,
            {
                "Both directions of the ratio count: take absolute values.": (
                    np.nanmax(ratios, axis=1)
                ),
                "Here the inverse ratio counts as well.": (-np.nanmin(ratios, axis=1)),
                "Run the pipeline again. You have only taken the record out of the output.": (
                    abs(np.log(present * (n - 1) / (n * present - unit))).max(axis=1)
                ),
            },
        )


@exercise("end-to-end-loss/ceiling")
def ceiling(answer, rng):
    cases = [
        ([3, 0, 1], [0.1, 1.0], 2),
        ([1, 4, 2, 1], [0.05, 0.3, 2.0], 0),
        ([9, 1, 1], [0.3], 1),
        ([2, 2, 0, 30], [0.02, 0.5], 3),
        ([40, 1], [0.01, 5.0], 0),
    ]
    for bins in rng.integers(2, 6, 3):
        counts, k = rng.integers(0, 20, bins), int(rng.integers(bins))
        counts[[k, k - 1]] += 1  # the record and another record
        cases.append((counts, rng.uniform(0.05, 2, 2), k))
    for histogram, scales, k in cases:
        counts, kernel = np.array(histogram), laplace_kernel(len(histogram), scales)
        others = counts - (np.arange(counts.size) == k)
        n, high, low = counts.sum(), kernel.max(axis=0), kernel.min(axis=0)
        up = np.log(counts @ high / n / (others @ low / (n - 1))).max()
        down = np.log(others @ high / (n - 1) / (counts @ low / n)).max()
        assert_close(
            answer(counts, kernel, k),
            max(up, down),
            "At one output x, which actions of the records in D and in the rerun make the ratio "
            "largest? Both directions count, and D has one record more than the rerun.",
            {
                "Those are the theorem's bounds for arbitrary rows. Here each record keeps its "
                "bin.": log(high.max() / low.min()),
                "D has n records and the rerun has n - 1: it lacks the record itself.": (
                    np.log((counts @ high) / (counts @ low)).max()
                ),
                "Both directions count: the rerun may also have the larger probability.": up,
                "Compare distributions, not masses: divide by n and by n - 1.": (
                    max(up + log(n / (n - 1)), down - log(n / (n - 1)))
                ),
            },
            more="For each x and each bin, take the largest and the smallest entry over the "
            "actions, and weight these entries by the counts.",
        )


@exercise("end-to-end-loss/mixture")
def mixture(answer, rng):
    for seeds, bins in [(4, 3), (1, 3), (30, 5), (2, 2), *rng.integers([1, 2], [9, 6], (3, 2))]:
        present, absent = rng.dirichlet(np.ones(bins), (2, seeds))
        ratios, means = np.log(present / absent), np.log(present.mean(axis=0) / absent.mean(axis=0))
        secret, published = abs(means).max(), abs(ratios).max()
        assert_close(
            answer(present, absent),
            [secret, published],
            "Return the loss if the seed stays secret, then the loss if it is known. In which "
            "case is the average taken before the logarithm?",
            {
                "The loss for the secret seed comes first.": [published, secret],
                "A mean of losses is not the loss of a release. What is released if the seed "
                "is secret?": [abs(ratios).max(axis=1).mean(), published],
                "First take the mean over the seeds, and then the logarithm.": (
                    [abs(ratios.mean(axis=0)).max(), published]
                ),
                "If the seed is published, the worst seed counts, because it may be drawn.": [
                    secret,
                    abs(ratios).max(axis=1).mean(),
                ],
                "Both signs of the logarithm count.": [means.max(), ratios.max()],
            },
            more="A secret seed leaves one output distribution with the record and one without. A "
            "published seed leaves a pair for every seed, and the worst seed counts.",
        )


def _difference(t, n, epsilon):
    """Return the divergence with the lonely record minus that without it; its bin has mass t/n."""
    with_it = -log(t) / n + (1 - 1 / n) * (log1p(-1 / n) - log1p(-t / n))
    return with_it + log1p(-t / n * exp(-epsilon))


@exercise("end-to-end-loss/floor")
def floor(answer, rng):
    drawn = [(int(rng.integers(2, 10**5)), rng.uniform(0.05, 5)) for _ in range(3)]
    for n, epsilon in [(1317, 1.0), (1317, 0.1), (10, 3.0), (2, 1.0), (10**6, 8.0), *drawn]:
        p = brentq(_difference, 0.1, 1, args=(n, epsilon), xtol=1e-14) / n
        assert_close(
            answer(n, epsilon),
            -log1p(-p * exp(-epsilon)),
            "Let p be the probability of the lonely record's bin. One divergence falls as p grows "
            "to 1/n, and the other rises: where are they equal? Solve for ln p, and mind the "
            "rounding of 1 - p.",
            {
                "That is the divergence without the record if the divergence with it is 0. Trade "
                "one off against the other.": -log1p(-exp(-epsilon) / n),
                "That is only the first-order approximation.": 1 / (n * (1 + exp(epsilon))),
                "That is the probability p. What is the divergence at this p?": p,
            },
            more="Solve the equation kl(1/n || p) = -ln(1 - p exp(-ε)) for p in (0, 1/n). Which "
            "side is larger at p = 1/n, and which is larger near 0?",
            atol=0,
        )


def game(rng):
    """Return a student's ε and three scales; a search has solved all 120 combinations."""
    if rng is None:
        return {"epsilon": 1.0, "scales": [1.0, 0.2, 0.05]}
    medium, small = rng.choice([0.16, 0.18, 0.2, 0.22]), rng.choice([55, 57.5, 60, 62.5, 65]) / 1000
    epsilon = rng.choice([0.8, 0.85, 0.9, 0.95, 1.0, 1.05])
    return {"epsilon": float(epsilon), "scales": [1.0, float(medium), float(small)]}


@exercise("end-to-end-loss/worst-game", mine=game)
def worst_game(answer, mine):
    counts, epsilon = np.asarray(answer), mine["epsilon"]
    form = "Give a list of at most 8 whole numbers >= 0 with a sum from 3 to 30."
    whole = counts.ndim == 1 and counts.dtype.kind in "iu"
    assert whole, f"It is not a list of whole numbers. {form}"
    assert 2 <= counts.size <= 8, f"It has {counts.size} bins. {form}"
    assert (counts >= 0).all(), f"A count is negative. {form}"
    assert 3 <= counts.sum() <= 30, f"It has {counts.sum()} records. {form}"
    played = NVOGame(counts, laplace_kernel(counts.size, mine["scales"]), epsilon=epsilon)
    left = removals(
        played, lambda g: best_response_dynamics(g, start=g.constant_profile(0)).profile
    )
    fixed = max(each.fixed_noise_loss for each in left)
    end_to_end = max(each.end_to_end_loss for each in left)
    assert fixed <= epsilon + 1e-9, (
        f"One record has a fixed-noise loss of {fixed:.3g}: the start exposes it. Add records, or "
        "move the lonely records closer to the others."
    )
    if not end_to_end >= 4 * epsilon:
        raise AssertionError(
            f"The largest end-to-end loss is {end_to_end:.3g} here. It must be at least "
            f"{4 * epsilon:.3g}. For which record do the others choose a large scale?",
            "Try one record at an end, then a gap, and many records beyond the gap. Let the "
            "computer try hundreds of such lists.",
        )
