"""Plans that OpenDP makes with Polars, read and audited."""

from __future__ import annotations

from typing import Any

import pytest

from pdpbook.own_data import audit_release, plan_queries

PEOPLE = {
    "area": ["a", "a", "a", "b", "b"],
    "age": [20, 30, 40, 50, 90],
    "income": [1.0, 20.0, 30.0, 40.0, 900.0],
}


def planned(dp: Any, loss: Any, quantile: float = 0.5) -> list[Any]:
    """Two queries of OpenDP under one budget: a table by area, and a quantile."""
    pl = pytest.importorskip("polars", reason="Polars comes with the extra opendp")
    margin = dp.polars.Margin
    context = dp.Context.compositor(
        data=pl.LazyFrame(PEOPLE),
        privacy_unit=dp.unit_of(contributions=1),
        privacy_loss=loss,
        split_evenly_over=2,
        margins=[
            margin(max_length=100, max_groups=5),
            margin(by=["area"], invariant="keys", max_length=100, max_groups=5),
        ],
    )
    income = pl.col("income").fill_null(0.0).fill_nan(0.0)
    table = (
        context.query()
        .group_by("area")
        .agg(
            dp.len(signed=True),
            income.dp.sum(bounds=(0.0, 100.0)).alias("total"),
            pl.col("age").fill_null(0).dp.mean(bounds=(0, 100)),
        )
    )
    points = [0.0, 10.0, 100.0]
    return [table, context.query().select(income.dp.quantile(quantile, candidates=points))]


@pytest.mark.filterwarnings("ignore")  # of OpenDP about Polars
def test_a_plan_under_one_budget_is_read_and_audited(dp: Any) -> None:
    """OpenDP scores the quantile 1/3 in whole numbers, so its scale is not in records."""
    table, median = planned(dp, dp.loss_of(epsilon=1.0), 1 / 3)
    total = {"column": "income", "lower": 0, "upper": 100}
    age = {"age": {"lower": 0, "upper": 100}}
    read = plan_queries(table, {"total": total, **age}, by=["area"])
    read += plan_queries(median, {"income": {"candidates": [0.0, 10.0, 100.0]}})
    assert [each.statistic for each in read] == ["count", "sum", "sum", "count", "quantile"]
    audit = audit_release(PEOPLE, read)
    assert audit.worst_case == pytest.approx(1.0, rel=1e-6)
    assert audit.losses.max() < 1.0 and audit.losses.argmax() == 4
    with pytest.raises(ValueError, match=r"arguments must have the ranges .* plan.*got arguments"):
        plan_queries(table, {"total": total | {"upper": 90}, **age}, by=["area"])


@pytest.mark.filterwarnings("ignore")
def test_a_plan_with_gaussian_noise_is_read(dp: Any) -> None:
    table, median = planned(dp, dp.loss_of(rho=0.2))
    total = {"column": "income", "lower": 0, "upper": 100}
    read = plan_queries(table, {"total": total, "age": {"lower": 0, "upper": 100}}, by=["area"])
    assert {each.mechanism for each in read} == {"discrete gaussian"}
    audit = audit_release(PEOPLE, read, delta=1e-6)
    assert audit.losses.argmax() == 4 and audit.losses.max() <= audit.worst_case
    read += plan_queries(median, {"income": {"candidates": [0.0, 10.0, 100.0]}})
    assert read[-1].mechanism == "exponential mechanism"
