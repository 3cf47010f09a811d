"""Every value is counted once, in its bin or by what is wrong with it."""

import numpy as np
import pyarrow as pa
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


def test_what_is_missing_and_what_is_no_number_is_counted():
    batches = [batch(["1", "x", "", None, "2.5", "-"]), batch([True, None]), batch([0, None])]
    row = tallies.tally(batches, [GRID])[0]
    assert row[-4:].tolist() == [0, 1, 4, 3] and row.sum() == 10


def test_extremes_pass_over_what_is_not_finite():
    batches = [batch([3.0, float("nan"), float("inf")]), batch(["4", "x", "-5"])]
    assert tallies.extremes(batches, 1).tolist() == [[-5.0, 4.0]]
    assert tallies.extremes([batch([None], pa.float64())], 1).tolist() == [[np.inf, -np.inf]]
