"""Answers to the exercises of *How much noise is enough*."""

import math
from itertools import count

from scipy.optimize import bisect, brentq

from pdpbook.per_instance.noise_kernels import laplace_kernel, truncated_laplace_extremes
from pdpbook.per_instance.scale_bounds import scale_bound
from tests.tools.answers import Answers


def needed_by_search(scale, epsilon):
    return next(n for n in count(2) if scale_bound(n, epsilon) <= scale)


def own_by_search(n, epsilon, others):
    """Turn the noise up until the lonely record is private, or never is."""
    low = truncated_laplace_extremes(others)[0]

    def excess(scale):
        return math.log((n - 1 + truncated_laplace_extremes(scale)[1] / low) / n) - epsilon

    return math.inf if excess(1e9) > 0 else bisect(excess, 1e-4, 1e9, xtol=1e-14)


def on_grid(n, epsilon, bins):
    """From the kernel, without the formula of its ratio."""

    def loss(scale):
        rows = laplace_kernel(bins, [scale])[0]
        return math.log1p((rows[0, 0] / rows[-1, 0] - 1) / n) - epsilon

    bound = scale_bound(n, epsilon)
    return brentq(loss, bound / 2, bound, xtol=1e-14)


ANSWERS = {
    "records-needed": Answers(
        [needed_by_search],
        (lambda scale, e: math.ceil(math.expm1(1 / scale) / math.expm1(e)), "at least 2"),
    ),
    "own-scale": Answers(
        [own_by_search],
        (lambda n, e, others: 2 * scale_bound(n, e), "It is enough, but not the smallest"),
        (lambda *case: 0.99 * own_by_search(*case), "It is not enough"),
        (lambda *case: min(own_by_search(*case), 1e9), "It is not enough"),
        (lambda n, e, others: -1.0, "A scale is a number > 0"),
    ),
    "grid-bound": Answers(
        [on_grid],
        (lambda n, e, bins: scale_bound(n, e), "That is b*"),
        (lambda *case: 0.99 * on_grid(*case), "It is not safe"),
        (lambda *case: 1.01 * on_grid(*case), "It is safe, but not the smallest"),
        (lambda *case: -on_grid(*case), "A scale is a number > 0."),
    ),
}
