"""Answers to the exercises of *How much noise is enough*."""

from __future__ import annotations

import math

from scipy.optimize import bisect, brentq

from pdpbook.per_instance.noise_kernels import laplace_kernel, truncated_laplace_extremes
from pdpbook.per_instance.scale_bounds import scale_bound
from tests.tools.answers import Answers


def needed(scale, epsilon, rounded=math.ceil, least=2):
    return max(least, rounded(math.expm1(1 / scale) / math.expm1(epsilon)))


def needed_by_search(scale, epsilon):
    n = 2
    while scale_bound(n, epsilon) > scale:
        n += 1
    return n


def own(n, epsilon, others, factor=1.0):
    allowed = (1 + n * math.expm1(epsilon)) * truncated_laplace_extremes(others)[0]
    if allowed <= 1:
        return math.inf
    return factor / brentq(lambda u: u / -math.expm1(-u) - allowed, 1e-12, allowed, xtol=1e-14)


def own_by_search(n, epsilon, others):
    """Turn the noise up until the lonely record is private, or never is."""
    low = truncated_laplace_extremes(others)[0]

    def excess(scale):
        return math.log((n - 1 + truncated_laplace_extremes(scale)[1] / low) / n) - epsilon

    return math.inf if excess(1e9) > 0 else bisect(excess, 1e-4, 1e9, xtol=1e-14)


def on_grid(n, epsilon, bins, factor=1.0):
    target = math.log1p(n * math.expm1(epsilon))

    def excess(scale):
        step = 1 / (bins * scale)
        return math.log(2 / (1 + math.exp(-step / 2))) + (bins - 1.5) * step - target

    return factor * brentq(excess, 0.01 / target, 1 / target, xtol=1e-14)


def on_grid_from_kernel(n, epsilon, bins):
    def loss(scale):
        rows = laplace_kernel(bins, [scale])[0]
        return math.log1p((rows[0, 0] / rows[-1, 0] - 1) / n) - epsilon

    bound = scale_bound(n, epsilon)
    return brentq(loss, bound / 2, bound, xtol=1e-14)


ANSWERS = {
    "records-needed": Answers(
        wrong=[
            (lambda scale, e: needed(scale, e, math.floor), "above the scale"),
            (lambda scale, e: needed(scale, e) + 1, "One record fewer is enough."),
            (lambda scale, e: needed(scale, e, least=1), "at least 2"),
            (lambda scale, e: math.expm1(1 / scale) / math.expm1(e), "a whole number"),
            (
                lambda scale, e: max(2, math.ceil(math.expm1(e) / math.expm1(1 / scale))),
                "upside down",
            ),
            (lambda scale, e: needed(scale, e) + 0.5, "a whole number"),
        ],
        right=[needed, lambda *case: float(needed(*case)), needed_by_search],
    ),
    "own-scale": Answers(
        wrong=[
            (lambda n, e, others: others, "That is the scale of the others."),
            (lambda n, e, others: 2 * scale_bound(n, e), "It is enough, but not the smallest"),
            (lambda n, e, others: own(n, e, others, 0.99), "It is not enough"),
            (lambda n, e, others: math.inf, "some finite scale is enough"),
            (lambda n, e, others: min(own(n, e, others), 1e9), "It is not enough"),
            (lambda n, e, others: -1.0, "A scale is a number > 0"),
            (
                lambda n, e, others: (
                    1 / ((1 + n * math.expm1(e)) * truncated_laplace_extremes(others)[0])
                ),
                "drawn again",
            ),
        ],
        right=[own, own_by_search],
    ),
    "grid-bound": Answers(
        wrong=[
            (lambda n, e, bins: scale_bound(n, e), "That is b*"),
            (lambda n, e, bins: 1 / scale_bound(n, e), "fails"),
            (lambda n, e, bins: on_grid(n, e, bins, 0.99), "It is not safe"),
            (lambda n, e, bins: on_grid(n, e, bins, 1.01), "It is safe, but not the smallest"),
            (lambda n, e, bins: -on_grid(n, e, bins), "A scale is a number > 0."),
        ],
        right=[on_grid, on_grid_from_kernel],
    ),
}
