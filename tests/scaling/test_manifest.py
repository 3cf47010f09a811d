"""The cost adds up, and the public manifest tells nothing that it should not."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdpbook import Grid, draws_epsilon
from pdpbook.scaling import manifest as module
from pdpbook.scaling.histograms import ColumnHistogram, Histograms
from pdpbook.scaling.plan import solve

KEY = bytes(range(32))


def plan(counts=(40, 5, 31), *, from_data=False, mechanism="game", at_least=None):
    column = ColumnHistogram(
        "height", Grid(120.0, 220.0, bins=3), np.array(counts), 0, 1, 2, 0, from_data
    )
    found = Histograms((column,), 78, ("/private/a.parquet",), "clip", "exclude", "refuse")
    return solve(found, epsilon=1.0, mechanism=mechanism, at_least=at_least, progress=False)


@pytest.fixture(scope="module")
def plain():
    return plan()


def settings(of, **changes):
    return module.public_settings(
        of, **({"draws": 100, "delta": 1e-6, "rows_per_file": 10} | changes)
    )


def test_the_cost_is_that_of_the_draws_times_the_columns():
    cost = module.release_cost(1000, 0.5, draws=2000, delta=1e-5, columns=4)
    each = draws_epsilon(1000, 0.5, draws=2000, delta=1e-5 / 4)
    assert cost.epsilon_column == each and cost.epsilon == 4 * each
    assert cost.delta == 1e-5 == 4 * cost.delta_column
    assert module.release_cost(2, 1.0, draws=3, delta=0.0, columns=5).epsilon == 15.0


@given(st.integers(2, 10**6), st.integers(1, 10**6), st.floats(0.01, 4.0), st.integers(1, 5000))
def test_fewer_records_cost_more(n, more, epsilon, draws):
    few = module.release_cost(n, epsilon, draws=draws, delta=1e-6)
    many = module.release_cost(n + more, epsilon, draws=draws, delta=1e-6)
    assert many.epsilon <= few.epsilon * (1 + 1e-7) + 1e-7


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"columns": 0}, "columns must be a whole number >= 1"),
        ({"delta": 1.0}, r"delta must be a finite number >= 0 and < 1"),
        ({"draws": 0}, "draws must be a whole number >= 1"),
    ],
)
def test_a_cost_of_nothing_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        module.release_cost(100, 1.0, **({"draws": 1, "delta": 0.0} | arguments))


def test_the_manifest_holds_no_count_no_distribution_and_no_key():
    told = plan((40417, 5303, 31211))
    made = module.public_manifest(told, settings(told), KEY, {})
    text = json.dumps(made).replace(made["fingerprint"], "").replace(made["key"], "")
    distribution = str(told.columns[0].weights[0])
    for secret in ("40417", "5303", "31211", "76931", "/private", KEY.hex(), distribution):
        assert secret not in text
    assert set(made["settings"]["columns"]["height"]) == {
        "lower",
        "upper",
        "bins",
        "range_from_data",
    }


def test_the_manifest_says_what_depends_on_the_data():
    both = module.public_manifest(*_made(plan(from_data=True)), KEY, None)["depends on the data"]
    assert [line.split(":")[0] for line in both] == [
        "the noise",
        "the ends of the range of height",
        "at_least",
    ]
    public = plan(mechanism="k-ary-randomised-response", at_least=50)
    assert module.public_manifest(*_made(public), KEY, None)["depends on the data"] == []


def _made(of):
    return of, settings(of)


def test_the_fingerprint_changes_with_everything_that_decides(plain):
    base = module.fingerprint(plain, settings(plain), KEY)
    assert base == module.fingerprint(plan(), settings(plan()), KEY)
    other_counts = plan((41, 5, 30))
    changed = {
        module.fingerprint(plain, settings(plain), bytes(32)),
        module.fingerprint(plain, settings(plain, draws=101), KEY),
        module.fingerprint(plain, settings(plain) | {"pdpbook": "9"}, KEY),
        module.fingerprint(other_counts, settings(other_counts), KEY),
    }
    assert len(changed) == 4 and base not in changed


def test_where_the_files_lay_does_not_matter(plain):
    column = plain.histograms.columns[0]
    moved = Histograms((column,), 78, ("/elsewhere/b.csv",), "clip", "exclude", "refuse")
    other = solve(moved, epsilon=1.0, progress=False)
    assert module.fingerprint(other, settings(other), KEY) == module.fingerprint(
        plain, settings(plain), KEY
    )


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"draws": 7}, ["draws was 100 and is 7"]),
        ({"delta": 0.5, "draws": 7}, ["delta was 1e-06 and is 0.5", "draws was 100 and is 7"]),
        ({}, []),
    ],
)
def test_differences_are_named(plain, change, said):
    there = module.public_manifest(plain, settings(plain), KEY, {})
    now = module.public_manifest(plain, settings(plain, **change), KEY, None)
    assert module.differences(there, now) == said


def test_another_key_and_other_data_are_named(plain):
    there = module.public_manifest(plain, settings(plain), KEY, {})
    now = module.public_manifest(plain, settings(plain), bytes(32), None)
    assert module.differences(there, now) == ["the key is another one"]
    now = module.public_manifest(*_made(plan((41, 5, 30))), KEY, None)
    assert module.differences(there, now) == ["the data are others"]
