"""Answers to the exercises of *Noise learned from public data*."""

import math

import numpy as np
from scipy.stats import hypergeom, laplace

from tests.tools.answers import Answers


def first(public, size, n, level, tail):
    c = 0
    while c < n and tail(c, public, size, n) <= level:
        c += 1
    return c


def total(size, n, level, *, start=0, strict=False):
    s = start
    while True:
        nobody = hypergeom.pmf(0, size + n, s, n)
        if nobody < level or (not strict and nobody <= level):
            return s
        s += 1


def passing(counts, rows, test, draw, delta, *, mass=None, slope=None, tail=None, worst=np.min):
    mass = counts @ rows if mass is None else mass
    slope = 1 - math.exp(-draw) if slope is None else slope
    missing = test * (1 / slope - worst(mass / rows.max(axis=0))) - math.log(2 * delta)
    return (tail or laplace.sf)(missing)


ANSWERS = {
    "empty": Answers(
        [lambda size, n, level: total(size, n, level)],
        (
            lambda size, n, level: math.ceil(math.log(level) / math.log(size / (size + n))),
            "from the public people only",
        ),
        (lambda size, n, level: total(n, size, level), "from the public people only"),
        (lambda size, n, level: total(size, n, level, strict=True), "at most the level"),
    ),
    "again": Answers(
        [
            lambda a, size, n, level: first(
                a, size, n, level, lambda c, a, s, n: hypergeom.sf(a - 1, s + n, a + c, s)
            )
        ],
        (
            lambda a, size, n, level: first(
                a, size, n, level, lambda c, a, s, n: hypergeom.cdf(c - 1, s + n, a + c, n)
            ),
            "public ones and c private ones",
        ),
        (
            lambda a, size, n, level: first(
                a, size, n, level, lambda c, a, s, n: hypergeom.cdf(c, s + n, a, n)
            ),
            "public ones and c private ones",
        ),
        (
            lambda a, size, n, level: max(int(a * n / size - 3 * math.sqrt(a * n / size)), 0),
            "more likely than the level",
        ),
    ),
    "check": Answers(
        [passing],
        (
            lambda c, p, test, draw, delta: passing(c, p, test, draw, delta, worst=np.mean),
            "a minimum over the outputs",
        ),
        (
            lambda c, p, test, draw, delta: passing(c, p, test, draw, delta, mass=c),
            "the mass over the largest entry",
        ),
        (
            lambda c, p, test, draw, delta: passing(
                c, p, test, draw, delta, slope=math.expm1(draw)
            ),
            "g is a minimum",
        ),
    ),
}
