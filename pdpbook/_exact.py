r"""The linear form of pDP as a comparison of whole numbers.

In a mechanism in whole numbers, a record has weight w at an output, and the weights of all n
records there sum to S, with w at most 2⁵² and S at most n 2⁵².  The record is private at this
output if :math:`\sigma S \le w \le \tau S`.  For a rational ε other than 0, the number
:math:`e^\varepsilon` is irrational, and so are τ and σ.  Hence no fraction w/S equals τ or σ.  The
nearest of these fractions on either side of τ are called its *neighbours*; no fraction w/S is
between τ and a neighbour.  So τ can be replaced by a neighbour, and the comparison of whole numbers
gives the same answer for every w and S.

The neighbours are found from an enclosure of :math:`e^{-\varepsilon}` between two fractions.  The
number of its bits is doubled until both ends have the same neighbours, which must happen because
the number between the ends is irrational.

An upper bound on a privacy loss in double precision, such as the ε of a composition, is rounded
outward, and only by :func:`up` and :func:`down`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import numpy as np

__all__ = [
    "UNITS",
    "added_up",
    "down",
    "exp_of_minus",
    "limits",
    "neighbours",
    "private_for_all_data",
    "rounded_down",
    "rounded_up",
    "times_up",
    "up",
]

#: The sum of the weights in every row of a kernel in whole numbers.
UNITS = 2**52

#: At this and any larger ε, a record is private even if all others contribute only one unit to S.
_LARGEST = 200.0


def exp_of_minus(epsilon: float, bits: int) -> tuple[Fraction, Fraction]:
    r"""Enclose :math:`e^{-\varepsilon}`, :math:`\varepsilon > 0`, strictly between two fractions.

    The series is summed, and the sum is squared several times, in integers, once rounded down and
    once rounded up.  The relative difference of the ends is less than 2**-bits.  An ε above 200
    counts as 200 (see :func:`limits`).
    """
    exponent = Fraction(min(epsilon, _LARGEST))
    numerator, denominator = exponent.numerator, exponent.denominator
    squarings = max(numerator.bit_length() - denominator.bit_length() + 8, 0)
    denominator <<= squarings  # the exponent is now less than 1/64
    shift = bits + 2 * squarings + 16
    low = high = least = most = 1 << shift
    term = 0
    while most > 1:
        term += 1
        least = least * numerator // (denominator * term)
        most = -(-most * numerator // (denominator * term))
        low, high = low + least, high + most
    high += 1  # the remaining terms sum to less than the last one
    for _ in range(squarings):
        low, high = low * low >> shift, -(-high * high >> shift)
    return Fraction(1 << shift, high), Fraction(1 << shift, low)


def neighbours(value: Fraction, largest: int) -> tuple[Fraction, Fraction]:
    """Return the nearest fractions below and above a value >= 0 with a bounded denominator.

    Both are the value itself if its denominator is at most ``largest``.  The method is the
    continued fraction, as in ``Fraction.limit_denominator``.

    >>> neighbours(Fraction(31416, 10000), 100)
    (Fraction(311, 99), Fraction(22, 7))
    """
    if value.denominator <= largest:
        return value, value
    before, now = (0, 1), (1, 0)  # the last two convergents: numerator, denominator
    numerator, denominator = value.numerator, value.denominator
    while True:
        quotient = numerator // denominator
        following = before[0] + quotient * now[0], before[1] + quotient * now[1]
        if following[1] > largest:
            break
        before, now = now, following
        numerator, denominator = denominator, numerator - quotient * denominator
    steps = (largest - before[1]) // now[1]
    ends = Fraction(*now), Fraction(before[0] + steps * now[0], before[1] + steps * now[1])
    return min(ends), max(ends)


def limits(n: int, epsilon: float) -> tuple[Fraction, Fraction]:
    r"""Return the two fractions that decide the linear form for n records in whole numbers.

    For all whole numbers w from 0 to 2⁵² and S from w to n 2⁵²: :math:`w \le \tau S` if and only if
    ``w * most <= S``, and :math:`w \ge \sigma S` if and only if ``w >= least * S``.  The second
    fraction is 0 if σ is not positive.  The numerator of the first and the denominator of the
    second are at most n 2⁵², and the two other numbers are at most 2⁵².

    An ε above 200 gives the same answers as 200.  At such an ε, :math:`w \le \tau S` requires no
    more than :math:`w < S` or :math:`w = S = 0`, because :math:`S < 2^{106} < e^{200}`.
    """
    others, bits = Fraction(n - 1, n), 256
    most = least = None
    while most is None or least is None:
        low, high = exp_of_minus(epsilon, bits)
        most = _above(1 / (1 - others * low), 1 / (1 - others * high), UNITS)
        first, last = 1 - others / low, 1 - others / high
        least = _above(max(first, Fraction(0)), last, n * UNITS) if last > 0 else Fraction(0)
        bits *= 2
    return most, least


def _above(low: Fraction, high: Fraction, largest: int) -> Fraction | None:
    """Return the next fraction above both numbers; None if their neighbours differ."""
    first, last = neighbours(low, largest), neighbours(high, largest)
    return first[1] if first == last and first[0] < first[1] else None


def private_for_all_data(weights: Any, n: int, epsilon: float) -> bool:
    """Return whether a fixed randomiser in whole numbers is ε-private for all data of n records.

    Row k of the weights, shape (K, K), is the output distribution of a record of bin k, in units of
    2⁻⁵².  At an output x, the worst data set consists of one record with the largest weight there
    and n - 1 records with the smallest, or vice versa.  The linear form of pDP is checked for both.
    """
    most, least = limits(n, epsilon)
    for high, low in zip(weights.max(axis=0).tolist(), weights.min(axis=0).tolist(), strict=True):
        if high * most > high + (n - 1) * low or low < least * (low + (n - 1) * high):
            return False
    return True


def rounded_up(value: Fraction) -> float:
    """Return the smallest double that is not less than a fraction; infinity if there is none.

    >>> rounded_up(Fraction(1, 4)), rounded_up(Fraction(1, 10)) > Fraction(1, 10)
    (0.25, True)
    """
    try:
        nearest = float(value)
    except OverflowError:
        return math.inf
    return nearest if nearest >= value else math.nextafter(nearest, math.inf)


def rounded_down(value: Fraction) -> float:
    """Return the largest double that is at most a fraction within the range of doubles."""
    nearest = float(value)
    return nearest if nearest <= value else math.nextafter(nearest, -math.inf)


def added_up(values: Iterable[float]) -> float:
    """Return a sum of finite doubles, rounded up."""
    return rounded_up(sum(map(Fraction, values), Fraction(0)))


def times_up(first: float | Fraction, second: float) -> float:
    """Return a product of two finite numbers >= 0, rounded up."""
    return rounded_up(Fraction(first) * Fraction(second))


def up(value: Any, units: int) -> Any:
    """Return a number or an array >= 0, raised by ``units`` in the last place; 0 stays 0."""
    moved = np.asarray(value) * (1.0 + units * 2.0**-52)
    return moved if np.ndim(value) else float(moved)


def down(value: Any, units: int) -> Any:
    """Return a number or an array >= 0, lowered by ``units`` in the last place."""
    moved = np.asarray(value) * (1.0 - units * 2.0**-52)
    return moved if np.ndim(value) else float(moved)
