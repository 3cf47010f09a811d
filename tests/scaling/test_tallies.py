"""Every value is counted once, in its bin or by what is wrong with it."""

import datetime
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pdpbook import Grid
from pdpbook.scaling import tallies

GRID = Grid(-1.0, 2.0, bins=7)


def batch(values, kind=None):
    return pa.record_batch({"x": pa.array(values, type=kind)})


@example([-1.0, 2.0, None, 1.0])
@given(st.lists(st.one_of(st.none(), st.floats(), st.floats(-1.0, 2.0)), max_size=60))
def test_every_value_is_counted_once_and_tallies_add(values):
    whole = tallies.tally([batch(values, pa.float64())], [GRID])
    for cut in (0, len(values) // 3):
        parts = [values[:cut], values[cut:]]
        tallied = [tallies.tally([batch(part, pa.float64())], [GRID]) for part in parts]
        assert np.array_equal(whole, sum(tallied))
        batches = [batch(part, pa.float64()) for part in parts]
        assert np.array_equal(whole, tallies.tally(batches, [GRID]))
    numbers = [v for v in values if v is not None and not np.isnan(v)]
    inside = [v for v in numbers if -1.0 <= v <= 2.0]
    assert whole[0, :-4].tolist() == (GRID.counts(inside).tolist() if inside else [0] * 7)
    assert whole[0, tallies.BELOW] == sum(v < -1.0 for v in numbers)
    assert whole[0, tallies.ABOVE] == sum(v > 2.0 for v in numbers)
    assert whole[0, tallies.MISSING] == len(values) - len(numbers)
    assert whole[0, tallies.NON_NUMERIC] == 0


def test_many_values_and_several_columns():
    x, y = np.random.default_rng(0).normal(size=(2, 10_000))
    rows = tallies.tally([pa.record_batch({"x": x, "y": y})], [Grid(-9, 9, 50), Grid(-1, 1, 50)])
    assert rows[0].tolist() == [*Grid(-9, 9, 50).counts(x).tolist(), 0, 0, 0, 0]
    inside = y[(y >= -1) & (y <= 1)]
    outside = [(y < -1).sum(), (y > 1).sum(), 0, 0]
    assert rows[1].tolist() == [*Grid(-1, 1, 50).counts(inside).tolist(), *outside]


@pytest.mark.parametrize(
    ("values", "kind", "numbers", "missing", "non_numeric"),
    [
        ([1, None, 2], pa.int8(), [1.0, 2.0], 1, 0),
        ([2**64 - 1], pa.uint64(), [2.0**64], 0, 0),
        ([0.5, float("nan"), float("-inf")], pa.float32(), [0.5, -np.inf], 1, 0),
        ([Decimal("1.25"), None], pa.decimal128(5, 2), [1.25], 1, 0),
        (["1", " 2.5 ", "-1e3", "inf"], pa.string(), [1.0, 2.5, -1000.0, np.inf], 0, 0),
        (["+7", "x", "", "1_000", "nan", None], pa.string(), [7.0], 2, 3),
        (["1", "2", "1"], pa.dictionary(pa.int8(), pa.string()), [1.0, 2.0, 1.0], 0, 0),
        ([True, None, False], pa.bool_(), [], 1, 2),
        ([datetime.date(2026, 1, 1)], pa.date32(), [], 0, 1),
        ([[1.0], [2.0]], pa.list_(pa.float64()), [], 0, 2),
        ([None, None], pa.null(), [], 2, 0),
    ],
)
def test_what_is_a_number(values, kind, numbers, missing, non_numeric):
    found, *others = tallies.numbers_of(pa.array(values, type=kind))
    assert found.tolist() == numbers and others == [missing, non_numeric]
    row = tallies.tally([batch(values, kind)], [Grid(-(2.0**65), 2.0**65, 3)])[0]
    assert row.sum() == len(values) and row[-2:].tolist() == others


def test_a_missing_entry_of_a_dictionary_is_a_missing_value():
    for entries, number in ((pa.array([1.5, None]), 1.5), (pa.array(["2", None]), 2.0)):
        coded = pa.DictionaryArray.from_arrays(pa.array([0, 1, None, 1], pa.int8()), entries)
        numbers, missing, non_numeric = tallies.numbers_of(coded)
        assert numbers.tolist() == [number] and (missing, non_numeric) == (3, 0)


def test_extremes_pass_over_what_is_not_finite():
    batches = [batch([3.0, float("nan"), float("inf")]), batch(["4", "x", "-5"])]
    assert tallies.extremes(batches, 1).tolist() == [[-5.0, 4.0]]
    assert tallies.extremes([batch([None], pa.float64())], 1).tolist() == [[np.inf, -np.inf]]
