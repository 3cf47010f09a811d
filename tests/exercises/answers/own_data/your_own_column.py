"""Answers to the exercises of *Your own column*."""

import math

import numpy as np

from tests.tools.answers import Answers


def summed(p, q, width, *, over=np.cumsum, of=np.abs):
    return width * of(over(p) - over(q)).sum()


def tried(n, epsilon, *, rounding=2.0, growth=math.expm1, last=1024):
    return min(range(2, last + 1), key=lambda k: 1 / (rounding * k) + k / (k + n * growth(epsilon)))


def deleted(values, lower, upper, epsilon, *, fewer=1, width=None, worst=np.max):
    x = np.asarray(values)
    changes = np.abs(x - x.mean()) / (x.size - fewer)
    return worst(changes) * x.size * epsilon / (upper - lower if width is None else width)


def one_sided(values, lower, upper, epsilon):
    """Forgets the records below the mean."""
    x = np.asarray(values)
    return (x.max() - x.mean()) * x.size / (x.size - 1) * epsilon / (upper - lower)


def both(values, lower, upper, epsilon, *, part=1.0, kept=False):
    x = np.asarray(values)
    inside = x[(x >= lower) & (x <= upper)] if kept else np.clip(x, lower, upper)
    return [abs(inside.mean() - x.mean()), part * (upper - lower) / (x.size * epsilon)]


ANSWERS = {
    "distance": Answers(
        [summed],
        (lambda p, q, width: summed(p, q, width, over=np.asarray), "distribution functions"),
        (lambda p, q, width: summed(p, q, width, of=np.square), "distribution functions"),
        (lambda p, q, width: summed(p, q, 1.0), "each as wide as a bin"),
    ),
    "bins": Answers(
        [tried],
        (lambda n, epsilon: round(math.sqrt(n * math.expm1(epsilon))), "both bounds"),
        (lambda n, epsilon: tried(n, epsilon, rounding=1.0), "both bounds"),
        (lambda n, epsilon: tried(n, epsilon, last=100), "from 2 to 1,024"),
    ),
    "loss": Answers(
        [deleted],
        (lambda x, a, b, e: deleted(x, a, b, e, fewer=0), "without each record"),
        (lambda x, a, b, e: deleted(x, a, b, e, worst=np.mean), "take the largest"),
        (one_sided, "take the largest"),
    ),
    "range": Answers(
        [both],
        (lambda x, a, b, e: both(x, a, b, e, kept=True), "Every value stays in the mean"),
        (lambda x, a, b, e: both(x, a, b, e, part=math.sqrt(2)), "absolute value of Laplace"),
        (lambda x, a, b, e: both(x, a, b, e)[::-1], "in this order"),
    ),
}
