"""The description of a released query: its name, its usual noise, and what does not fit."""

from __future__ import annotations

from typing import Any

import pytest

from pdpbook.own_data import released_query

RANGE = {"lower": -1.0, "upper": 3.0}


def test_a_query_is_named_and_has_the_usual_noise() -> None:
    total = released_query("sum", column="x", by=["a", "b"], where="w", scale=2, **RANGE)
    assert (total.name, total.mechanism) == ("sum of x where w by a, b", "laplace")
    middle = released_query("quantile", column="x", quantile=0.5, candidates=[1, 2], scale=1)
    assert (middle.name, middle.mechanism) == ("quantile of x", "exponential mechanism")
    assert (middle.candidates, released_query("count", scale=1, name="n").name) == ((1, 2), "n")


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"statistic": "count", "column": "x"}, "column must be left out.*got column='x'"),
        ({"statistic": "sum", "column": "x"}, "lower must be .*got lower=None"),
        ({"statistic": "sum", "column": "x", "lower": 1, "upper": 1}, "upper must be .*upper=1.0"),
        ({"statistic": "count", "scale": 1e-51}, "scale must be at least 1e-50 of the range"),
        (
            {"statistic": "quantile", "column": "x", "quantile": 0.5, "candidates": [2, 1]},
            r"candidates must be in ascending order, got candidates=\[2, 1\]",
        ),
        (
            {"statistic": "mean", "column": "x", "mechanism": "discrete laplace", **RANGE},
            "mechanism must be continuous.*got mechanism='discrete laplace'",
        ),
    ],
)
def test_what_does_not_fit_the_statistic_is_refused(keys: dict[str, Any], message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        released_query(**{"scale": 1.0} | keys)
