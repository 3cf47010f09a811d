"""The table of an audit: columns that do not fit are refused, and groups are made once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from pdpbook.own_data import audit_release, released_query
from pdpbook.own_data.audited_table import AuditedTable

RANGE = {"lower": -1.0, "upper": 3.0}

COUNT = released_query("count", scale=1.0)


SUM = released_query("sum", column="x", scale=1.0, mechanism="discrete laplace", **RANGE)


@pytest.mark.parametrize(
    ("table", "queries", "keys", "message"),
    [
        ([1.0], [COUNT], {}, "table must be a DataFrame or a mapping"),
        ({"y": [1.0]}, [SUM], {}, "table must have the column 'x' of a query, got 'y'"),
        ({"x": [1.0], "y": [1, 2]}, [SUM], {}, "table must have columns of one length, got"),
        ({"x": [0.5]}, [SUM], {}, r"table\['x'\] must hold whole numbers.*got 0.5 in row 0"),
        ({"x": [1.0, np.nan]}, [SUM], {}, r"table\['x'\] must be finite.*got .*nan"),
        ({"x": []}, [COUNT], {}, "table must hold at least one record, got none"),
        ({"x": [1.0]}, [], {}, "queries must hold at least one query, got none"),
        ({"x": [1.0]}, [COUNT, 3], {}, "queries must be of type ReleasedQuery, got queries=3"),
        ({"x": [1.0]}, [COUNT], {"delta": 0.1}, "delta must be 0 without .*got delta=0.1"),
        ({"x": [1.0]}, [COUNT], {"neighbours": "both"}, "neighbours must be .*'both'"),
        (
            {"x": [1.0]},
            [released_query("count", scale=1.0, mechanism="gaussian")],
            {},
            "delta must be in .*got delta=0.0",
        ),
        (
            {"area": ["a", None]},
            [released_query("count", scale=1.0, by=["area"])],
            {},
            r"table\['area'\] must hold no missing value, got 1 of them",
        ),
    ],
)
def test_a_table_that_does_not_fit_is_refused(
    table: Any, queries: Any, keys: dict[str, Any], message: str
) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        audit_release(table, queries, **keys)


def test_groups_of_several_columns_are_those_of_pandas_and_made_once() -> None:
    frame = pd.DataFrame({"area": ["s", "n", "s", "n", "s"], "year": [2, 2, 1, 2, 2]})
    table = AuditedTable(frame)
    codes, groups = table.groups(("area", "year"))
    assert codes.tolist() == frame.groupby(["area", "year"]).ngroup().tolist()
    assert groups == [0, 1, 2]
    assert table.groups(("area", "year"))[0] is codes
    assert table.groups(())[1] == [()]
