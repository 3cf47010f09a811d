"""The audit of a release against recomputed tables, enumerated outputs and OpenDP itself."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pdpbook.foundations import renyi_epsilon
from pdpbook.own_data import ReleasedQuery, audit_release, plan_queries, released_query
from pdpbook.own_data.release_audit import ORDERS, _mapped
from tests import naive

RANGE = {"lower": -1.0, "upper": 3.0}
POINTS = [-1.0, 0.0, 1.0, 3.0]
GROUPS = ["a", "b", "c"]

BY = st.sampled_from([[], ["area"]])
WHERE = st.sampled_from([None, "works"])


@st.composite
def tables(draw: st.DrawFn) -> list[naive.Row]:
    """Few records, in which each of three areas occurs."""
    areas = GROUPS + draw(st.lists(st.sampled_from(GROUPS), max_size=5))
    number = st.sampled_from([-4.0, -1.0, -0.5, 0.0, 1.0, 2.25, 3.0, 7.0])
    return [{"area": a, "x": draw(number), "works": draw(st.booleans())} for a in areas]


@st.composite
def queries(draw: st.DrawFn, statistics: tuple[str, ...]) -> ReleasedQuery:
    """Any query with any noise."""
    what = draw(st.sampled_from(statistics))
    keys: dict[str, Any] = {"by": draw(BY), "where": draw(WHERE)}
    keys["scale"] = draw(st.sampled_from([0.3, 1.0, 17.0]))
    if what == "quantile":
        keys |= {"quantile": draw(st.sampled_from([0.25, 0.5, 0.9])), "candidates": POINTS}
        keys["mechanism"] = draw(st.sampled_from(["exponential mechanism", "permute and flip"]))
    else:
        keys |= RANGE if what in ("sum", "mean") else {}
        discrete = ["discrete laplace", "discrete gaussian"] if what == "count" else []
        keys["mechanism"] = draw(st.sampled_from(["laplace", "gaussian", *discrete]))
    return released_query(what, column=None if what == "count" else "x", **keys)


def costs(rows: list[naive.Row], query: ReleasedQuery, neighbours: str) -> np.ndarray:
    """The audit's losses, of Gaussian noise turned back into ρ."""
    spread = "gaussian" in str(query.mechanism)
    frame = pd.DataFrame(rows)
    if not spread:
        return audit_release(frame, [query], neighbours=neighbours).losses
    laplace = released_query(
        query.statistic,
        column=query.column,
        by=query.by,
        where=query.where,
        scale=query.scale,
        **(RANGE if query.column else {}),
    )
    if neighbours == "removal":  # one number moves, so that both metrics agree
        return audit_release(frame, [laplace], neighbours=neighbours).losses ** 2 / 2
    return np.empty(0)


@given(tables(), queries(("count", "sum", "mean", "quantile")))
@settings(deadline=None, max_examples=60)
def test_removal_costs_what_the_recomputed_release_loses(
    rows: list[naive.Row], query: ReleasedQuery
) -> None:
    expected = np.array(naive.audited_costs(rows, query, GROUPS))
    found = costs(rows, query, "removal")
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
    assert (found >= expected - 1e-13).all()


@given(tables(), queries(("count", "sum", "mean")))
@settings(deadline=None, max_examples=40)
def test_replacement_costs_what_the_worst_other_record_loses(
    rows: list[naive.Row], query: ReleasedQuery
) -> None:
    flags = (True, False) if query.where else (True,)
    others: list[naive.Row] = [
        {"area": a, "x": x, "works": w} for a, x, w in product(GROUPS, (-1.0, 3.0), flags)
    ]
    expected = np.array(naive.audited_costs(rows, query, GROUPS, others))
    found = costs(rows, query, "replacement")
    if found.size:
        np.testing.assert_allclose(found, expected, rtol=1e-9)


@given(tables(), queries(("quantile",)))
@settings(deadline=None, max_examples=15)
def test_replacement_by_a_quantile_is_bounded_and_exact_within_a_group(
    rows: list[naive.Row], query: ReleasedQuery
) -> None:
    values = (-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 3.0, 4.0)
    flags = (True, False) if query.where else (True,)
    others: list[naive.Row] = [
        {"area": a, "x": x, "works": w} for a, x, w in product(GROUPS, values, flags)
    ]
    expected = np.array(naive.audited_costs(rows, query, GROUPS, others))
    found = costs(rows, query, "replacement")
    assert (found >= expected - 1e-12).all()
    np.testing.assert_allclose(found, expected, rtol=1e-9)


@given(tables(), queries(("count", "sum", "quantile")), st.sampled_from(["removal", "replacement"]))
@settings(deadline=None, max_examples=40)
def test_nobody_loses_more_than_the_worst_case(
    rows: list[naive.Row], query: ReleasedQuery, neighbours: str
) -> None:
    delta = 1e-6 if "gaussian" in str(query.mechanism) else 0.0
    audit = audit_release(pd.DataFrame(rows), [query], delta=delta, neighbours=neighbours)
    assert (audit.losses <= audit.worst_case * (1 + 1e-9)).all() and audit.worst_case < math.inf


def two_masses(rate: float, centre: int, power: int, span: int = 60) -> np.ndarray:
    """The masses of discrete noise around a count: Laplace, or Gaussian with power 2."""
    masses = np.exp(-rate * np.abs(np.arange(-span, span + 1) - centre) ** power)
    return masses / masses.sum()


def test_the_outputs_of_discrete_laplace_noise_are_enumerated() -> None:
    """The joint release of two counts and a sum, output by output, with and without the record."""
    table = {"area": ["a", "a", "b"], "x": [2.0, 0.0, 3.0]}
    counts = released_query("count", by=["area"], mechanism="discrete laplace", scale=2.0)
    total = released_query(
        "sum", column="x", lower=0, upper=3, mechanism="discrete laplace", scale=4.0
    )

    def joint(keep: list[int]) -> np.ndarray:
        areas = [table["area"][i] for i in keep]
        a, b = (two_masses(1 / 2.0, areas.count(name), 1) for name in "ab")
        s = two_masses(1 / 4.0, int(sum(table["x"][i] for i in keep)), 1)
        return a[:, None, None] * b[None, :, None] * s

    audit = audit_release(table, [counts, total])
    whole = np.log(joint([0, 1, 2]))
    inner = slice(20, -20)  # the finite window has no edge there
    for i, loss in enumerate(audit.losses):
        less = np.log(joint([j for j in range(3) if j != i]))
        found = np.abs(whole - less)[inner, inner, inner].max()
        assert found == pytest.approx(loss, rel=1e-6)
    assert audit.losses == pytest.approx([0.5 + 2 / 4, 0.5, 0.5 + 3 / 4])


def spent(present: np.ndarray, absent: np.ndarray, epsilon: float) -> float:
    """The δ of two distributions at ε, in the worse direction."""
    factor = math.exp(epsilon)
    pairs = ((present, absent), (absent, present))
    return max(float(np.maximum(p - factor * q, 0.0).sum()) for p, q in pairs)


def test_the_outputs_of_discrete_gaussian_noise_are_enumerated() -> None:
    table = {"x": [3.0, 1.0]}
    queries = [
        released_query("count", mechanism="discrete gaussian", scale=2.0),
        released_query(
            "sum", column="x", lower=0, upper=3, mechanism="discrete gaussian", scale=3.0
        ),
    ]

    def joint(keep: list[int]) -> np.ndarray:
        count = two_masses(1 / 8.0, len(keep), 2)
        return count[:, None] * two_masses(1 / 18.0, int(sum(table["x"][i] for i in keep)), 2)

    delta = 1e-4
    audit = audit_release(table, queries, delta=delta)
    for i, epsilon in enumerate(audit.losses):
        without = joint([1 - i])
        assert spent(joint([0, 1]), without, epsilon) <= delta
        assert spent(joint([0, 1]), without, 0.75 * epsilon) > delta  # and not much too large
    assert (audit.losses < audit.query_losses.sum(axis=0)).all()


def test_the_renyi_bound_of_many_records_is_that_of_one() -> None:
    values = np.array([0.0, 1.0, 40.0, 3.0])
    query = released_query(
        "sum", column="x", lower=0, upper=50, mechanism="discrete gaussian", scale=9.0
    )
    found = audit_release({"x": values}, [query], delta=1e-6).losses
    for x, epsilon in zip(values[1:], found[1:], strict=True):
        rho = x**2 / (2 * 81.0)
        one, _ = renyi_epsilon(ORDERS, ORDERS * rho, delta=1e-6)
        assert one <= epsilon <= one * (1 + 1e-12)
    assert found[0] == 0.0


def test_gaussian_noise_is_one_gaussian_release() -> None:
    """The density on a fine grid of the plane: the smallest ε of two queries together."""
    queries = [
        released_query("count", mechanism="gaussian", scale=1.5),
        released_query("sum", column="x", lower=0, upper=3, mechanism="gaussian", scale=2.0),
    ]
    audit = audit_release({"x": [3.0, 1.0]}, queries, delta=1e-3)
    grid, step = np.linspace(-15.0, 15.0, 1501, retstep=True)

    def density(centre: float, sigma: float) -> np.ndarray:
        return np.exp(-((grid - centre) ** 2) / (2 * sigma**2)) / (sigma * math.sqrt(2 * math.pi))

    def joint(count: float, total: float) -> np.ndarray:
        return density(count, 1.5)[:, None] * density(total, 2.0) * step**2

    for x, epsilon in zip((3.0, 1.0), audit.losses, strict=True):
        assert spent(joint(0, 0), joint(1, x), epsilon) == pytest.approx(1e-3, rel=2e-3)


def test_pure_and_gaussian_losses_are_added() -> None:
    noisy = released_query("count", mechanism="gaussian", scale=3.0)
    pure = released_query("count", scale=2.0)
    table = {"x": [1.0, 2.0]}
    alone = audit_release(table, [noisy], delta=1e-5).losses
    both = audit_release(table, [noisy, pure], delta=1e-5)
    np.testing.assert_allclose(both.losses, alone + 0.5, rtol=1e-12)
    assert both.table().loc["all queries", "worst case"] == both.worst_case


def test_a_record_alone_in_a_mean_loses_everything() -> None:
    mean = released_query("mean", column="x", by=["area"], scale=9.0, **RANGE)
    audit = audit_release({"area": ["a", "b", "b"], "x": [1.0, 1.0, 2.0]}, [mean])
    assert np.isinf(audit.losses).tolist() == [True, False, False]
    assert math.isinf(audit.worst_case)
    groups = audit.by_group(["a", "b", "b"])
    assert groups.index.tolist() == ["a", "b"] and groups["share"].tolist() == [0.0, 1.0]
    assert audit.most_exposed(1).tolist() == [0]


def test_shares_and_groups_are_counted_from_the_losses() -> None:
    total = released_query("sum", column="x", lower=0, upper=100, scale=10.0)
    areas = pd.Series(["n", "s", "s", "n"], name="area")
    audit = audit_release({"x": [10.0, 30.0, 50.0, 10.0]}, [total])
    found = audit.by_group(areas)
    assert found.index.tolist() == ["s", "n"] and found.index.name == "area"
    assert found["share"].tolist() == pytest.approx([0.8, 0.2])
    assert found["largest"].tolist() == pytest.approx([5.0, 1.0])
    assert audit.most_exposed(4).tolist() == [2, 1, 0, 3]
    assert audit.plot(areas).axes


def test_many_distances_are_rounded_up_and_hardly() -> None:
    values = np.random.default_rng(1).gamma(2.0, 300.0, 3000)
    keys = {"column": "x", "lower": 0, "upper": 5000, "mechanism": "gaussian"}
    few = released_query("sum", scale=900.0, **keys)
    many = audit_release({"x": values}, [few], delta=1e-6).losses
    some = audit_release({"x": values[:1000]}, [few], delta=1e-6).losses
    assert (many[:1000] >= some).all() and (many[:1000] <= some * (1 + 2.0**-10)).all()
    assert (many[:1000] > some).any()


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"statistic": "median"}, "statistic must be .*, got statistic='median'"),
        ({"statistic": "count", "column": "x"}, "column must be left out.*got column='x'"),
        ({"statistic": "sum", "column": "x"}, "lower must be .*got lower=None"),
        ({"statistic": "sum", "column": "x", "lower": 2, "upper": 1}, "upper must be .*upper=1.0"),
        ({"statistic": "count", "scale": 0.0}, "scale must be .*got scale=0.0"),
        ({"statistic": "count", "mechanism": "uniform"}, "mechanism must be .*'uniform'"),
        ({"statistic": "count", "by": [3]}, "by must be a name, got by=3"),
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
def test_a_query_that_is_wrong_is_refused(keys: dict[str, Any], message: str) -> None:
    keys = {"scale": 1.0, **keys}
    with pytest.raises((ValueError, TypeError), match=message):
        released_query(**keys)


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


# OpenDP


def opendp() -> Any:
    """OpenDP with what it calls contributed."""
    dp = pytest.importorskip("opendp.prelude", reason="OpenDP is the extra opendp")
    dp.enable_features("contrib")
    return dp


def test_losses_are_the_privacy_map_of_opendp_at_the_move_of_each_record() -> None:
    """The query of OpenDP itself is computed with and without each record."""
    dp = opendp()
    ages = [3.0, 17.0, 17.0, 64.0, 120.0]
    space = (
        dp.vector_domain(dp.atom_domain(bounds=(0.0, 120.0), nan=False)),
        dp.symmetric_distance(),
    )
    query = space >> dp.t.then_sum()
    for make, delta in ((dp.m.make_laplace, 0.0), (dp.m.make_gaussian, 1e-6)):
        noise = make(query.output_domain, query.output_metric, scale=120.0)
        total = released_query("sum", column="age", lower=0, upper=120, mechanism=noise)
        audit = audit_release({"age": ages}, [total], delta=delta)
        moved = [abs(query(ages) - query(ages[:i] + ages[i + 1 :])) for i in range(len(ages))]
        mapped = np.array([noise.map(each) for each in moved])
        if delta:
            named = released_query(
                "sum", column="age", lower=0, upper=120, mechanism="discrete gaussian", scale=120.0
            )
            other = audit_release({"age": ages}, [named], delta=delta)
            np.testing.assert_allclose(mapped, np.square(np.divide(ages, 120.0)) / 2)
            np.testing.assert_allclose(audit.losses, other.losses, rtol=1e-9)
        else:
            np.testing.assert_allclose(audit.losses, mapped, rtol=1e-12)
            assert audit.worst_case == pytest.approx((query >> noise).map(1))


def test_counts_by_category_are_those_of_opendp() -> None:
    dp = opendp()
    areas = ["a", "b", "b", "c"]
    space = dp.vector_domain(dp.atom_domain(T=str)), dp.symmetric_distance()
    query = space >> dp.t.then_count_by_categories(["a", "b", "c"], null_category=False)
    noise = dp.m.make_laplace(query.output_domain, query.output_metric, scale=2.0)
    found = audit_release({"area": areas}, [released_query("count", by=["area"], mechanism=noise)])
    moved = [
        sum(
            abs(x - y) for x, y in zip(query(areas), query(areas[:i] + areas[i + 1 :]), strict=True)
        )
        for i in range(4)
    ]
    np.testing.assert_allclose(found.losses, [noise.map(each) for each in moved], rtol=1e-12)
    assert found.worst_case == pytest.approx((query >> noise).map(1))


def test_the_chord_of_a_privacy_map_bounds_it() -> None:
    dp = opendp()
    domain = dp.atom_domain(T=float, nan=False)
    noise = dp.m.make_gaussian(domain, dp.absolute_distance(T=float), scale=7.0)
    values = np.random.default_rng(2).gamma(2.0, 3.0, 2500)
    total = released_query("sum", column="x", lower=0, upper=1000, mechanism=noise)
    exact = released_query("sum", column="x", lower=0, upper=1000, mechanism="gaussian", scale=7.0)
    found, wanted = _mapped(noise, values), (values / 7.0) ** 2 / 2
    assert (found >= wanted * (1 - 1e-15)).all()
    np.testing.assert_allclose(found, wanted, rtol=1e-3)
    bounds = [audit_release({"x": values}, [each], delta=1e-6).losses for each in (total, exact)]
    assert (bounds[0] >= bounds[1]).all()  # the Rényi bound is above the exact ε


def test_the_scores_of_quantiles_are_those_of_opendp() -> None:
    dp = opendp()
    space = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.symmetric_distance()
    released = dp.m.make_private_quantile(
        *space, dp.max_divergence(), [0.0, 1.0, 5.0], alpha=0.25, scale=2.0
    )
    mine = released_query("quantile", column="x", quantile=0.25, candidates=[0, 1, 5], scale=2.0)
    assert audit_release({"x": [1.0, 2.0]}, [mine]).worst_case == pytest.approx(released.map(1))
    values = [1.0, 1.0, 3.0, 5.0, 9.0]
    scores = (space >> dp.t.then_quantile_score_candidates([0.0, 1.0, 5.0], alpha=0.25))(values)
    rows: list[naive.Row] = [{"x": each} for each in values]
    chances = np.exp(-np.array(scores) / 4 / 2.0)
    np.testing.assert_allclose(
        naive.quantile_chances(rows, mine), chances / chances.sum(), rtol=1e-12
    )


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
def test_a_plan_under_one_budget_is_read_and_audited() -> None:
    """OpenDP scores the quantile 1/3 in whole numbers, so its scale is not in records."""
    dp = opendp()
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
def test_a_plan_with_gaussian_noise_is_read() -> None:
    dp = opendp()
    table, median = planned(dp, dp.loss_of(rho=0.2))
    total = {"column": "income", "lower": 0, "upper": 100}
    read = plan_queries(table, {"total": total, "age": {"lower": 0, "upper": 100}}, by=["area"])
    assert {each.mechanism for each in read} == {"discrete gaussian"}
    audit = audit_release(PEOPLE, read, delta=1e-6)
    assert audit.losses.argmax() == 4 and audit.losses.max() <= audit.worst_case
    read += plan_queries(median, {"income": {"candidates": [0.0, 10.0, 100.0]}})
    assert read[-1].mechanism == "exponential mechanism"


def test_what_is_no_noise_of_opendp_is_refused() -> None:
    dp = opendp()
    space = dp.vector_domain(dp.atom_domain(bounds=(0.0, 9.0), nan=False)), dp.symmetric_distance()
    whole = space >> dp.t.then_sum() >> dp.m.then_laplace(scale=1.0)
    with pytest.raises(ValueError, match=r"the noise alone.*got a measurement on Symmetric"):
        released_query("count", mechanism=whole)
    with pytest.raises(TypeError, match=r"mechanism must be .*got mechanism=3\.0"):
        released_query("count", mechanism=3.0)
    noise = dp.m.make_laplace(dp.atom_domain(T=int), dp.absolute_distance(T=int), scale=1.0)
    with pytest.raises(ValueError, match=r"scale must be left out.*got scale=2"):
        released_query("count", mechanism=noise, scale=2)
    with pytest.raises(ValueError, match=r"must add noise to floats.*got whole numbers"):
        released_query("mean", column="x", mechanism=noise, **RANGE)


def test_a_record_that_changes_its_group_costs_no_less_than_by_noise_of_the_same_scale() -> None:
    """It moves two counts by one, which is √2 in the metric of OpenDP's Gaussian noise."""
    dp = pytest.importorskip("opendp.prelude", reason="OpenDP is the extra opendp")
    dp.enable_features("contrib")
    domain = dp.vector_domain(dp.atom_domain(T=int))
    noise = dp.m.make_gaussian(domain, dp.l2_distance(T=int), scale=3.0)
    people = {"area": ["a", "a", "b", "c"]}
    measured = released_query("count", by=["area"], mechanism=noise)
    named = released_query("count", by=["area"], mechanism="discrete gaussian", scale=3.0)
    found, least = (
        audit_release(people, [each], delta=1e-6, neighbours="replacement")
        for each in (measured, named)
    )
    assert (found.losses >= least.losses * (1.0 - 1e-12)).all()
    assert found.worst_case >= least.worst_case * (1.0 - 1e-12)
    np.testing.assert_array_equal(found.losses, found.worst_case)


def test_the_worst_case_of_several_gaussian_queries_is_that_of_the_worst_record() -> None:
    """The first record has the worst value there is, so its loss by all of them is the worst."""
    keys = {"column": "x", "lower": 0, "upper": 3}
    queries = [
        released_query("count", mechanism="gaussian", scale=1.5),
        released_query("sum", mechanism="gaussian", scale=2.0, **keys),
        released_query("sum", mechanism="gaussian", scale=7.0, name="again", **keys),
    ]
    audit = audit_release({"x": [3.0, 1.0]}, queries, delta=1e-3)
    assert audit.losses[1] < audit.losses[0] == pytest.approx(audit.worst_case, rel=1e-12)
