"""Answers to the exercises of *Your own column*."""

import math

import numpy as np

from tests.tools.answers import Answers


def summed(p, q, width, *, over=np.cumsum, of=np.abs):
    return width * of(over(p) - over(q)).sum()


def tried(n, epsilon, *, rounding=2.0, last=1024):
    growth = n * math.expm1(epsilon)
    return min(range(2, last + 1), key=lambda k: 1 / (rounding * k) + k / (k + growth))


def deleted(values, lower, upper, epsilon, *, fewer=1, worst=np.max, of=np.abs):
    x = np.asarray(values)
    return worst(of(x - x.mean())) / (x.size - fewer) * x.size * epsilon / (upper - lower)


def both(values, lower, upper, epsilon, *, part=1.0, kept=False):
    x = np.asarray(values)
    inside = x[(x >= lower) & (x <= upper)] if kept else np.clip(x, lower, upper)
    return [abs(inside.mean() - x.mean()), part * (upper - lower) / (x.size * epsilon)]


ANSWERS = {
    "distance": Answers(
        [summed],
        (lambda p, q, width: summed(p, q, width, over=np.asarray), "distribution functions"),
        (lambda p, q, width: summed(p, q, width, of=np.square), "distribution functions"),
        (lambda p, q, width: summed(p, q, 1.0), "each gap is as wide as a bin"),
    ),
    "bins": Answers(
        [tried],
        (lambda n, epsilon: round(math.sqrt(n * math.expm1(epsilon))), "both bounds"),
        (lambda n, epsilon: tried(n, epsilon, rounding=1.0), "both bounds"),
        (lambda n, epsilon: tried(n, epsilon, last=100), "from 2 to 1,024"),
        (lambda n, epsilon: tried(n, epsilon) - 2, "the position in your list"),
    ),
    "loss": Answers(
        [deleted],
        (lambda x, a, b, e: deleted(x, a, b, e, fewer=0), "without each record"),
        (lambda x, a, b, e: deleted(x, a, b, e, worst=np.mean), "take the largest"),
        (lambda x, a, b, e: deleted(x, a, b, e, of=np.array), "take the largest"),
    ),
    "range": Answers(
        [both],
        (lambda x, a, b, e: both(x, a, b, e, kept=True), "Values outside the range are moved"),
        (lambda x, a, b, e: both(x, a, b, e, part=math.sqrt(2)), "absolute value of Laplace"),
        (lambda x, a, b, e: both(x, a, b, e)[::-1], "in this order"),
    ),
}
