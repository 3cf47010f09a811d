"""Columns: what is moved, what is refused, and what may be chosen without looking."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdpbook.own_data import make_column, public_bins

FINITE = st.floats(-1e6, 1e6).map(lambda x: round(x, 3))


@given(st.lists(FINITE, min_size=2, max_size=30), FINITE, st.floats(0.5, 1e6))
def test_clipping_moves_and_counts_what_lies_outside(
    values: list[float], lower: float, width: float
) -> None:
    column = make_column(values, lower=lower, upper=lower + width, outside="clip")
    moved = [min(max(x, lower), lower + width) for x in values]
    assert column.values.tolist() == sorted(moved)
    assert column.moved == sum(x != y for x, y in zip(values, moved, strict=True))
    assert column.public_range and column.records == len(values)
    if column.moved:
        with pytest.raises(ValueError, match=f"got {column.moved} of {len(values)} outside"):
            make_column(values, lower=lower, upper=lower + width)


@given(st.lists(st.integers(-50, 50), min_size=2, max_size=40), st.floats(0.001, 1.0))
def test_a_quantile_is_the_first_value_that_has_enough_records(
    values: list[int], level: float
) -> None:
    """As the quartiles of forty records are: the lower one is the tenth value and not the next."""
    column, n = make_column(values, lower=-50, upper=50), len(values)
    assert column.quantile([k / n for k in range(1, n + 1)]).tolist() == sorted(values)
    enough = [x for x in values if sum(y <= x for y in values) >= level * n * (1 - 1e-12)]
    assert column.quantile([level]) == [min(enough)]


def test_any_column_of_numbers_is_read_and_without_a_range_has_its_own() -> None:
    series = [pd.Series([1, 2, 9], dtype=each) for each in ("int", "float", "Int64", "uint8")]
    for values in (*series, [1, 2, 9], (1.0, 2.0, 9.0), np.array([9, 1, 2], dtype=np.float32)):
        assert make_column(values, lower=0, upper=10).values.tolist() == [1.0, 2.0, 9.0]
        column = make_column(values)
        assert (column.lower, column.upper, column.public_range) == (1.0, 9.0, False)
        assert not column.values.flags.writeable


@pytest.mark.parametrize(
    ("values", "options", "said"),
    [
        ([1.0, math.nan, 2.0], {}, "missing or infinite, the first in row 1$"),
        (pd.Series([1, None], dtype="Int64"), {}, "values must"),
        ([3.0], {}, "at least 2 records, got 1"),
        ([3.0, 3.0], {}, "must not all be equal"),
        ([0.0, 5e-324], {}, "upper must be so far above lower"),
        ([0.0, 1e200], {}, "values must lie within"),
        ([1, 2.5, 4], {"lower": 1, "upper": 5, "whole": True}, r"1 of 3 .* first in row 1$"),
        ([1, 2, 4], {"lower": 1, "upper": 5.5, "whole": True}, "upper must be a whole number"),
    ],
)
def test_what_is_no_column_is_refused(values: Any, options: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        make_column(values, **options)


def test_the_public_bins_balance_two_errors() -> None:
    """At this K the two errors of the docstring are equal, up to the rounding of K."""
    for n, epsilon in product((60, 500, 3000, 100_000), (0.1, 1.0, 3.0)):
        bins = public_bins(n, epsilon)
        if 8 < bins < 256:
            assert bins / (n * math.expm1(epsilon)) == pytest.approx(1 / bins, rel=1.1 / bins)
        else:
            assert bins == (8 if math.sqrt(n * math.expm1(epsilon)) < 9 else 256)
    counted = {public_bins(1317, 1.0, publish=each) for each in ("counts", "mean", "quantiles")}
    assert counted == {124}


def test_whole_numbers_have_bins_of_whole_numbers() -> None:
    for upper, bins, midpoints in (
        (5, 66, [1, 2, 3, 4, 5]),
        (5, 5, [1, 2, 3, 4, 5]),
        (5, 3, [1.5, 3.5, 5.5]),
        (6, 4, [1.5, 3.5, 5.5]),
        (2, 2, [1, 2]),
    ):
        values = np.arange(1, upper + 1)
        grid = make_column(values, lower=1, upper=upper, whole=True).grid(bins)
        assert grid.midpoints.tolist() == midpoints
        assert set(np.abs(grid.midpoints[grid.index(values)] - values)) <= {0.0, 0.5}
