"""Plans that OpenDP makes with Polars: what is read of them, and what is refused by its name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from pdpbook.own_data import audit_release, plan_queries

pytestmark = pytest.mark.filterwarnings("ignore")  # of OpenDP about Polars
pl = pytest.importorskip("polars", reason="Polars comes with the extra opendp")

PEOPLE: dict[str, Any] = {
    "area": ["a", "a", "a", "b", "b"],
    "works": [True, True, False, True, False],
    "age": [20, 30, 40, 50, 90],
    "income": [1.0, 20.5, 30.0, 40.0, 900.0],
}
POINTS = [0.0, 10.5, 100.0]
AGE = pl.col("age").fill_null(0)
INCOME = pl.col("income").fill_null(0.0).fill_nan(0.0)


ONE_ROW, PURE = {"contributions": 1}, {"epsilon": 1.0}


def asked(dp: Any, loss: Any = PURE, unit: Any = ONE_ROW, keys: Any = "keys") -> Any:
    """A query of OpenDP that has the whole budget, with public groups by area."""
    return dp.Context.compositor(
        data=pl.LazyFrame(PEOPLE),
        privacy_unit=dp.unit_of(**unit),
        privacy_loss=dp.loss_of(**loss),
        split_evenly_over=1,
        margins=[
            dp.polars.Margin(max_length=100, max_groups=5),
            dp.polars.Margin(by=["area"], invariant=keys, max_length=100, max_groups=5),
        ],
    ).query()


def of_each(dp: Any, query: Any) -> Any:
    """A count, a sum and a mean by area."""
    age = pl.col("age").cast(float).fill_null(0.0).fill_nan(0.0)
    return query.group_by("area").agg(
        dp.len(), INCOME.dp.sum((0.0, 100.0)).alias("total"), age.dp.mean((-10.0, 100.0))
    )


def test_a_plan_is_read_without_a_word_of_the_caller(dp: Any) -> None:
    read = plan_queries(of_each(dp, asked(dp)))
    said = "count by area, sum of income by area, sum of age by area, count by area"
    assert ", ".join(each.name for each in read) == said
    assert [(each.lower, each.upper) for each in read[1:3]] == [(0.0, 100.0), (-10.0, 100.0)]
    audit = audit_release(PEOPLE, read)
    assert audit.worst_case == pytest.approx(1.0, rel=1e-6)
    assert audit.losses.max() < 1.0 and audit.losses.argmax() == 4
    [count] = plan_queries(asked(dp).filter(pl.col("works")).select(dp.len()))
    assert (count.where, count.by) == ("works", ())
    assert audit_release(PEOPLE, [count]).losses == pytest.approx([1, 1, 0, 1, 0])
    public = pl.LazyFrame({"area": ["a", "b", "c"]})
    [count] = plan_queries(asked(dp, keys=None).group_by("area").agg(dp.len()).with_keys(public))
    assert count.by == ("area",)


@pytest.mark.parametrize("share", [1 / 3, 0.5])
def test_a_quantile_is_chosen_with_the_chances_of_opendp(dp: Any, share: float) -> None:
    """A plan scores the quantile 1/3 in whole numbers, so its scale is not in records."""
    column = INCOME.dp.quantile(share, candidates=POINTS)
    if share == 0.5:
        column = INCOME.dp.median(POINTS)
    plan = asked(dp).select(column)
    [read] = plan_queries(plan)
    assert (read.quantile, read.candidates, read.column) == (share, tuple(POINTS), "income")
    assert audit_release(PEOPLE, [read]).worst_case == pytest.approx(1.0)
    assert plan_queries(plan, {"income": {"candidates": np.array(POINTS)}}, by=[]) == [read]
    with pytest.raises(ValueError, match="the candidates of 'income'"):
        plan_queries(plan, {"income": {"candidates": [0.0, 10.5, 99.0]}})


def test_gaussian_noise_of_decimals_has_the_loss_of_gaussian_noise(dp: Any) -> None:
    read = plan_queries(of_each(dp, asked(dp, {"rho": 0.2})))
    whole, real = "discrete gaussian", "gaussian"
    assert [each.mechanism for each in read] == [whole, real, real, whole]
    audit = audit_release(PEOPLE, read, delta=1e-6)
    assert audit.losses.argmax() == 4 and audit.losses.max() <= audit.worst_case
    median = asked(dp, {"rho": 0.2}).select(INCOME.dp.median(POINTS))
    assert plan_queries(median)[0].mechanism == "exponential mechanism"


def test_pure_noise_under_epsilon_and_delta_is_pure(dp: Any) -> None:
    query = asked(dp, PURE | {"delta": 1e-6}).select(INCOME.dp.sum((0.0, 100.0)))
    expected = np.minimum(PEOPLE["income"], 100.0) / 100.0
    assert audit_release(PEOPLE, plan_queries(query)).losses == pytest.approx(expected)


def of_income(dp: Any, query: Any) -> Any:
    """One sum."""
    return query.select(INCOME.dp.sum((0.0, 9.0)))


CAST = pl.col("income").cast(int).fill_null(0)
#: The privacy of a plan, the plan, what is said of it, and why it is refused.
REFUSED: list[tuple[dict[str, Any], Callable[[Any, Any], Any], dict[str, Any], str]] = [
    ({"unit": {"contributions": 3}}, of_income, {}, "contributions=1.*got a unit of 3 rows by"),
    ({"unit": {"changes": 1}}, of_income, {}, "got a unit of 1 rows by ChangeOneDistance"),
    ({"keys": "lengths"}, of_income, {}, "got public lengths"),
    (
        {},
        lambda dp, q: of_income(dp, q.with_columns(x=AGE)),
        {},
        "got the step with_columns before",
    ),
    (
        {},
        lambda dp, q: of_income(dp, q.filter(AGE > 25)),
        {},
        "got a filter by something other than a column",
    ),
    ({}, lambda dp, q: q.select(CAST.dp.sum((0, 9))), {}, "got the step Cast before the aggregate"),
    ({}, lambda dp, q: q.select(AGE.dp.n_unique()), {}, "got the aggregate dp_n_uni"),
    ({"loss": PURE | {"delta": 1e-6}, "keys": None}, of_each, {}, "got a threshold of"),
    # what is said of a plan does not agree with it
    ({}, of_each, {"arguments": {"total": {"column": "age"}}}, "the column of 'total' is 'income'"),
    (
        {},
        of_each,
        {"arguments": {"total": {"lower": -1}}},
        "the lower of 'total' is 0.0, got .* -1",
    ),
    ({}, of_each, {"arguments": {"x": {"upper": 90}}}, "arguments must be about the released"),
    ({}, of_each, {"by": []}, r"by must agree with the plan, \['area'\]"),
    ({}, of_each, {"where": "works"}, "where must agree with the plan, None, got where='works'"),
]


@pytest.mark.parametrize(("privacy", "plan", "said", "message"), REFUSED, ids=range(len(REFUSED)))
def test_what_cannot_be_audited_or_is_said_to_be_another_plan_is_refused_by_its_name(
    dp: Any, privacy: Any, plan: Any, said: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        plan_queries(plan(dp, asked(dp, **privacy)), **said)


def test_a_plan_with_another_worst_case_than_its_queries_is_refused(
    dp: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pdpbook.own_data.opendp_plans.worst_cost", lambda *_: 1.0001)
    with pytest.raises(ValueError, match=r"in it, 1\.0001, got a plan with .* of 1$"):
        plan_queries(asked(dp).select(dp.len()))
