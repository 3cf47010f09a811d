"""Where a promise is decided in fractions, a neighbouring double is enough to break it."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pdpbook.audit import private_randomiser
from pdpbook.audit import safe_randomisers as sp

UNITS = 2**52
mp = pytest.importorskip("mpmath", reason="mpmath comes with SymPy, of the test extra")


def masses(units, lower, k):
    """What the records of the bound, and at least one of bin k, put on each output."""
    held = [max(size, int(j == k)) for j, size in enumerate(lower)]
    return [
        sum(size * row[x] for size, row in zip(held, units, strict=True)) for x in range(len(lower))
    ]


def exactly_safe(units, lower, epsilon):
    """The condition of the chapter for every bin and output, with sixty digits."""
    with mp.workdps(60):
        share = 1 - mp.exp(-mp.mpf(epsilon))
        return all(
            each <= share * mass
            for k, row in enumerate(units)
            for each, mass in zip(row, masses(units, lower, k), strict=True)
        )


@given(
    st.lists(st.integers(1, UNITS - 1), min_size=2, max_size=2, unique=True),
    st.lists(st.integers(0, 6), min_size=2, max_size=2).filter(lambda lower: sum(lower) > 1),
)
def test_safety_ends_between_two_neighbouring_doubles(first, lower):
    units = [[each, UNITS - each] for each in first]
    largest = max(
        Fraction(each, mass)
        for k, row in enumerate(units)
        for each, mass in zip(row, masses(units, lower, k), strict=True)
    )
    assume(largest < 1)
    epsilon = -math.log1p(-float(largest))
    rows = np.array(units) / UNITS
    for steps in range(-4, 5):
        near = epsilon + steps * math.ulp(epsilon)
        assert sp.is_safe(rows, lower, epsilon=near) == exactly_safe(units, lower, near)


@pytest.mark.parametrize("epsilon", [1.0, 0.7, 3.3])
@pytest.mark.parametrize("share", [0.1, 0.3, 0.8, 0.9])
def test_counts_and_draw_spend_no_more_than_epsilon(epsilon, share):
    """In doubles 1 - 0.1 is rounded up, and then the two would cost more than 1."""
    made = private_randomiser([4, 2], epsilon=epsilon, delta=0.1, share=share)
    spent = Fraction(made.histogram_epsilon) + Fraction(made.draw_epsilon)
    assert Fraction(epsilon) * (1 - Fraction(1, 2**50)) < spent <= Fraction(epsilon)
