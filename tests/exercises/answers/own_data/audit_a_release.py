"""Answers to the exercises of *What a release tells about each record*."""

import numpy as np
import pandas as pd

from tests.tools.answers import Answers


def counted(member, scales, *, over=np.sum, cost=lambda scale: 1 / scale):
    return over(np.where(member, cost(np.asarray(scales)), 0.0), axis=1)


def grouped(values, groups, scale, *, fewer=1, alone=np.inf, whole=False):
    x = pd.Series(values)
    key = pd.Series(["all"] * len(x) if whole else groups)
    means, sizes = x.groupby(key).transform("mean"), x.groupby(key).transform("size")
    losses = (x - means).abs() / (np.maximum(sizes - fewer, 1) * scale)
    return losses.where(sizes > 1, alone).to_numpy()


def replaced(values, lower, upper, scale, *, other=True, length=np.add):
    x = np.asarray(values)
    within = np.maximum(x - lower, upper - x)
    return np.maximum(within, length(x, upper) if other else 0.0) / scale


ANSWERS = {
    "tables": Answers(
        [counted],
        (lambda m, s: counted(m, s, over=np.max), "of all queries add up"),
        (lambda m, s: counted(m, s, cost=lambda scale: scale), "adds 1/scale"),
        (lambda m, s: np.full(len(m), (1 / np.asarray(s)).sum()), "A query that counts a person"),
    ),
    "means": Answers(
        [grouped],
        (lambda x, g, b: grouped(x, g, b, fewer=0), "without the record"),
        (lambda x, g, b: grouped(x, g, b, alone=0.0), "alone in"),
        (lambda x, g, b: grouped(x, g, b, whole=True), "the mean of the group"),
    ),
    "replaced": Answers(
        [replaced],
        (lambda x, a, b, s: replaced(x, a, b, s, other=False), "in another group"),
        (lambda x, a, b, s: replaced(x, a, b, s, length=np.hypot), "the changes are added"),
        (lambda x, a, b, s: np.asarray(x) / s, "The new record"),
    ),
}
