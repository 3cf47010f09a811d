"""The cost adds up, and the public manifest tells nothing that it should not."""

import json
import re
from dataclasses import replace

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
    grid = Grid(120.0, 220.0, bins=3)
    column = ColumnHistogram("height", grid, np.array(counts), 0, 1, 2, 0, from_data)
    found = Histograms((column,), 78, ("/private/a.parquet",), "clip", "exclude", "refuse")
    return solve(found, epsilon=1.0, mechanism=mechanism, at_least=at_least)


@pytest.fixture(scope="module")
def plain():
    return plan()


def manifest(of, key=KEY, **changes):
    settings = {"draws": 100, "delta": 1e-6, "rows_per_file": 10} | changes
    return module.public_manifest(of, module.public_settings(of, **settings), key, None)


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


def test_the_manifest_holds_no_count_no_distribution_and_no_key():
    told = plan((40417, 5303, 31211))
    made = manifest(told)
    text = json.dumps(made).replace(made["fingerprint"], "").replace(made["key"], "")
    distribution = str(told.columns[0].weights[0])
    for secret in ("40417", "5303", "31211", "76931", "/private", KEY.hex(), distribution):
        assert secret not in text
    assert set(made["settings"]["columns"]["height"]) == {
        "lower", "upper", "bins", "range_from_data"
    }  # fmt: skip
    assert made["key"] not in KEY.hex()
    assert made["cost"]["records_at_least"] == 70_000 and made["cost"]["epsilon_draw"] == 1.0


def test_the_manifest_says_what_depends_on_the_data():
    told = manifest(plan(from_data=True))["depends on the data"]
    assert [line.split(":")[0] for line in told] == [
        "the noise",
        "the ends of the range of height",
        "at_least",
    ]
    public = plan(mechanism="k-ary-randomised-response", at_least=50)
    assert manifest(public)["depends on the data"] == []


def test_everything_that_decides_is_in_the_fingerprint_and_is_named(plain, monkeypatch):
    """What draws or counts differ makes another release; where the files lay does not."""
    there = manifest(plain)
    assert module.differences(there, manifest(plan())) == []
    moved = replace(plain, histograms=replace(plain.histograms, files=("/elsewhere/b.csv",)))
    assert manifest(moved)["fingerprint"] == there["fingerprint"]
    counted = replace(plain, histograms=replace(plain.histograms, rows=79))
    weights = replace(plain.columns[0], weights=plain.columns[0].weights[::-1])
    cases = [
        (manifest(plain, key=bytes(32)), ["the key is different"]),
        (manifest(plain, draws=7), ["draws was 100 and is 7"]),
        (manifest(plain, draws=7, delta=0.5), ["delta was 1e-06 and is 0.5", "draws was 100 a.*"]),
        (manifest(plain, rows_per_file=11), ["rows_per_file was 10 and is 11"]),
        (manifest(plan((41, 5, 30))), ["the data are different"]),
        (manifest(counted), ["the data are different"]),
        (manifest(replace(plain, columns=(weights,))), ["the data are different"]),
    ]
    monkeypatch.setattr(module, "version", lambda name: "9")
    cases.append((manifest(plain), ["pdpbook was '.*' and is '9'"]))
    prints = {there["fingerprint"], *(now["fingerprint"] for now, _ in cases)}
    assert len(prints) == 1 + len(cases)
    for now, said in cases:
        found = module.differences(there, now)
        assert len(found) == len(said)
        for text, pattern in zip(found, said, strict=True):
            assert re.fullmatch(pattern, text)
