"""Answers to the exercises of *Noise learned from public data*."""

import math
import operator
from itertools import count

import numpy as np
from scipy.stats import hypergeom, laplace

from tests.tools.answers import Answers


def first(public, size, n, level, tail):
    return next(c for c in count() if c == n or tail(c, public, size, n) > level)


def total(size, n, level, enough=operator.le):
    return next(s for s in count() if enough(hypergeom.pmf(0, size + n, s, n), level))


def passing(counts, rows, test, draw, delta, *, mass=None, slope=None, worst=np.min):
    mass = counts @ rows if mass is None else mass
    slope = slope or 1 - math.exp(-draw)
    return laplace.sf(test * (1 / slope - worst(mass / rows.max(axis=0))) - math.log(2 * delta))


ANSWERS = {
    "empty": Answers(
        [total],
        (
            lambda s, n, level: math.ceil(math.log(level) / math.log(s / (s + n))),
            "consists of public people",
        ),
        (lambda size, n, level: total(n, size, level), "consists of public people"),
        (lambda size, n, level: total(size, n, level, operator.lt), "at most the level"),
    ),
    "again": Answers(
        [lambda *g: first(*g, lambda c, a, s, n: hypergeom.sf(a - 1, s + n, a + c, s))],
        (
            lambda *g: first(*g, lambda c, a, s, n: hypergeom.cdf(c - 1, s + n, a + c, n)),
            "public ones and c private ones",
        ),
        (
            lambda *g: first(*g, lambda c, a, s, n: hypergeom.cdf(c, s + n, a, n)),
            "public ones and c private ones",
        ),
        (
            lambda a, size, n, level: max(int(a * n / size - 3 * math.sqrt(a * n / size)), 0),
            "above the level",
        ),
    ),
    "check": Answers(
        [passing],
        (lambda *given: passing(*given, worst=np.mean), "the minimum over the outputs"),
        (lambda c, *rest: passing(c, *rest, mass=c), "the mass divided by the largest entry"),
        (lambda *given: passing(*given, slope=math.expm1(given[3])), "g is the minimum"),
    ),
}
