"""The table of an audit: columns that do not fit are refused, and groups are made once."""

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
        ({"x": [1.0], "y": [1, 2]}, SUM, 0.0, "table must have columns of one length, got"),
        ({"x": [0.5]}, SUM, 0.0, r"table\['x'\] must contain whole numbers.*got 0.5 in row 0"),
        ({"x": [1.0, np.nan]}, SUM, 0.0, r"table\['x'\] must be finite.*got .*nan"),
        ({"x": []}, {}, 0.0, "table must contain at least one record, got none"),
        ({"x": [1.0]}, {}, 0.1, "delta must be 0 without .*got delta=0.1"),
        ({"x": [1.0]}, {"mechanism": "gaussian"}, 0.0, "delta must be in .*got delta=0.0"),
        ({"area": ["a", None]}, {"by": ["area"]}, 0.0, r"\['area'\] must contain no missing .* 1"),
    ],
)
def test_a_table_that_does_not_fit_its_queries_is_refused(
    table: Any, query: dict[str, Any], delta: float, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        audit_release(table, [released_query(**COUNT | query)], delta=delta)
    with pytest.raises(ValueError, match="queries must contain at least one query, got none"):
        audit_release({"x": [1.0]}, [])
