"""What the package says to the numbers of an explorable, and where its readout prints them.

Each explorable has a function from what its controls say to numbers, and one that finds the same
numbers in the readout, in the same order.
"""

import re
from collections.abc import Callable

import numpy as np
from scipy.stats import laplace

import pdpbook as pb
from pdpbook.foundations.tradeoff import laplace_tradeoff, tradeoff_bound

__all__ = ["EXPECTED", "PRINTED", "club", "two_errors_at"]

Numbers = list[float]
PERCENT = re.compile(r"([\d.]+)\u00a0%")


def two_errors_at(threshold: float, epsilon: float) -> Numbers:
    """Both error rates of a threshold between 132 and 133, their sum, and the least ε-DP allows."""
    positives = float(laplace.sf(threshold, loc=132, scale=1 / epsilon))
    negatives = float(laplace.cdf(threshold, loc=133, scale=1 / epsilon))
    assert abs(laplace_tradeoff(positives, epsilon=epsilon) - negatives) < 1e-12
    least = float(tradeoff_bound(positives, epsilon=epsilon))
    return [positives, negatives, positives + negatives, least]


def club(draws: int, epsilon: float) -> pb.audit.Attack:
    """The optimal attack on the tall record of the club of six."""
    randomiser = pb.k_ary_randomised_response(3, 6, epsilon)
    present, absent = (np.array(c) @ randomiser / sum(c) for c in ([3, 2, 1], [3, 2, 0]))
    return pb.optimal_attack(present, absent, draws=draws)


def in_or_out(values: list[str]) -> Numbers:
    """The best advantage, and how many of twenty answers are right on average."""
    advantage = club(int(values[0]), float(values[1])).advantage
    return [advantage, 10 * (1 + advantage)]


EXPECTED: dict[str, Callable[[list[str]], Numbers]] = {
    "two-errors": lambda values: two_errors_at(*map(float, values)),
    "in-or-out": in_or_out,
}

PRINTED: dict[str, Callable[[str], Numbers]] = {
    "two-errors": lambda text: [float(number) / 100 for number in PERCENT.findall(text)],
    "in-or-out": lambda text: [
        *map(float, re.search(r"advantage is ([\d.]+), .* right in ([\d.]+) of 20", text).groups())
    ],
}
