"""Quantiles of a column at shares that a number of its records is exactly."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pdpbook.own_data import make_column


@given(st.lists(st.integers(-50, 50), min_size=2, max_size=40))
def test_a_share_of_k_records_is_reached_at_the_kth_of_them(values: list[int]) -> None:
    """As the quartiles of forty records are: the lower one is the tenth value and not the next."""
    column, n = make_column(values, lower=-50, upper=50), len(values)
    assert column.quantile([k / n for k in range(1, n + 1)]).tolist() == sorted(values)
