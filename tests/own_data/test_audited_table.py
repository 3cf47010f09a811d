"""The table and the queries of an audit: names, groups, and what does not fit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from pdpbook.own_data import audit_release, released_query
from pdpbook.own_data.audited_table import AuditedTable

COUNT = {"statistic": "count", "scale": 1.0}
SUM = {"statistic": "sum", "column": "x", "lower": -1.0, "upper": 3.0}
SUM |= {"mechanism": "discrete laplace"}
WHOLE = SUM | {"mechanism": "discrete gaussian"}
MEDIAN = {"statistic": "quantile", "column": "x", "quantile": 0.5, "candidates": [1, 2]}


def test_groups_of_several_columns_are_those_of_pandas_and_made_once() -> None:
    frame = pd.DataFrame({"area": ["s", "n", "s", "n", "s"], "year": [2, 2, 1, 2, 2]})
    table = AuditedTable(frame)
    codes, groups = table.groups(("area", "year"))
    assert codes.tolist() == frame.groupby(["area", "year"]).ngroup().tolist()
    assert groups == [0, 1, 2]
    assert table.groups(("area", "year"))[0] is codes
    assert table.groups(())[1] == [()]


@pytest.mark.parametrize(
    ("table", "query", "delta", "message"),
    [
        ({"y": [1.0]}, SUM, 0.0, "table must have the column 'x' of a query, got 'y'"),
        ({"x": [1.0], "y": [1, 2]}, SUM, 0.0, "table must have columns of equal length, got"),
        ({"x": [0.5]}, WHOLE, 0.1, r"table\['x'\] must contain whole numbers.*got 0.5 in row 0"),
        ({"x": [1.0, np.nan]}, SUM, 0.0, r"table\['x'\] must be finite.*got .*nan"),
        ({"x": []}, {}, 0.0, "table must contain at least one record, got none"),
        ({"x": [1.0]}, {}, 0.1, "delta must be 0 without .*got delta=0.1"),
        ({"x": [1.0]}, {"mechanism": "gaussian"}, 0.0, "delta must be in .*got delta=0.0"),
        (
            {"area": ["a", None]},
            {"by": ["area"]},
            0.0,
            r"\['area'\] must contain no missing .* 1 of",
        ),
        # queries that do not fit their statistic
        ({}, {"column": "x"}, 0.0, "column must be left out.*got column='x'"),
        ({}, SUM | {"lower": None}, 0.0, "lower must be .*got lower=None"),
        ({}, SUM | {"upper": -1}, 0.0, "upper must be .*upper=-1"),
        ({}, {"scale": 1e-51}, 0.0, "scale must be at least 1e-50 of the range"),
        ({}, MEDIAN | {"candidates": [2, 1]}, 0.0, "candidates must be in ascending order"),
        ({}, SUM | {"statistic": "mean"}, 0.0, "mechanism must be continuous.*discrete laplace"),
    ],
)
def test_a_query_and_a_table_that_do_not_fit_are_refused(
    table: Any, query: dict[str, Any], delta: float, message: str
) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        audit_release(table, [released_query(**COUNT | query)], delta=delta)


def test_a_query_is_named_and_has_the_usual_noise() -> None:
    total = released_query("sum", column="x", by=["a", "b"], where="w", lower=0, upper=1, scale=2)
    assert (total.name, total.mechanism) == ("sum of x where w by a, b", "laplace")
    middle = released_query(**COUNT | MEDIAN)
    assert (middle.name, middle.mechanism) == ("quantile of x", "exponential mechanism")
    assert (middle.candidates, released_query("count", scale=1, name="n").name) == ((1, 2), "n")
