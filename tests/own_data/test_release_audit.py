"""The audit of a release: losses of several queries together, against enumerated outputs."""

from __future__ import annotations

import math
from functools import reduce
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pdpbook.own_data import ReleasedQuery, audit_release, released_query
from pdpbook.own_data.audited_table import AuditedTable

COUNT = {"statistic": "count", "scale": 1.0}
SUM = {"statistic": "sum", "column": "x", "lower": -1.0, "upper": 3.0}
SUM |= {"mechanism": "discrete laplace"}
WHOLE = SUM | {"mechanism": "discrete gaussian"}
MEDIAN = {"statistic": "quantile", "column": "x", "quantile": 0.5, "candidates": [1, 2]}

Row = tuple[str, float]
ROWS: list[Row] = [("a", 3.0), ("a", 2.0), ("b", 1.0)]


def made(mechanism: str, **scales: float) -> list[ReleasedQuery]:
    """Queries with one noise: a ``count``, a ``sum`` of x from 0 to 3, or the count by ``area``."""
    about: dict[str, dict[str, Any]] = {
        "count": {"statistic": "count"},
        "sum": {"statistic": "sum", "column": "x", "lower": 0, "upper": 3},
        "area": {"statistic": "count", "by": ["area"]},
    }
    return [
        released_query(**about[each], mechanism=mechanism, scale=scale)
        for each, scale in scales.items()
    ]


def outputs(rows: list[Row], queries: list[ReleasedQuery], grid: np.ndarray) -> np.ndarray:
    """The probability of all numbers of the queries together, on a grid for each of them."""
    areas, parts = [area for area, _ in rows], []
    for each in queries:
        power = 2 if "gaussian" in each.mechanism else 1
        centres = [areas.count("a"), areas.count("b")] if each.by else [len(rows)]
        if each.statistic == "sum":
            centres = [sum(x for _, x in rows)]
        for centre in centres:
            masses = np.exp(-(np.abs((grid - centre) / each.scale) ** power) / power)
            parts.append(masses / masses.sum())
    return reduce(np.multiply.outer, parts)


def audited(rows: list[Row], queries: list[ReleasedQuery], **options: Any) -> Any:
    area, x = zip(*rows, strict=True)
    return audit_release({"area": area, "x": x}, queries, **options)


def test_the_outputs_of_discrete_laplace_noise_are_enumerated() -> None:
    """The joint release of two counts and a sum, output by output, with and without the record."""
    queries, grid = made("discrete laplace", area=2.0, sum=4.0), np.arange(-60, 61)
    losses, whole = audited(ROWS, queries).losses, np.log(outputs(ROWS, queries, grid))
    inner = (slice(20, -20),) * 3  # the finite window has no edge there
    for i, loss in enumerate(losses):
        less = np.log(outputs(ROWS[:i] + ROWS[i + 1 :], queries, grid))
        assert np.abs(whole - less)[inner].max() == pytest.approx(loss, rel=1e-6)
    assert losses == pytest.approx([0.5 + 3 / 4, 0.5 + 2 / 4, 0.5 + 1 / 4])


def spent(present: np.ndarray, absent: np.ndarray, epsilon: float) -> float:
    """The δ of two distributions at ε, in the worse direction."""
    factor = math.exp(epsilon)
    pairs = ((present, absent), (absent, present))
    return max(float(np.maximum(p - factor * q, 0.0).sum()) for p, q in pairs)


@pytest.mark.parametrize(
    ("queries", "delta", "neighbours"),
    [
        (made("gaussian", count=1.5, sum=2.0), 1e-3, "removal"),
        (made("discrete gaussian", count=2.0, sum=3.0), 1e-4, "removal"),
        *(
            (made("discrete gaussian", area=sigma), 1e-5, each)
            for sigma in (0.7, 2.0, 12.0)
            for each in ("removal", "replacement")
        ),
    ],
)
def test_the_outputs_of_gaussian_noise_are_enumerated(
    queries: list[ReleasedQuery], delta: float, neighbours: str
) -> None:
    """Discrete noise is hardly worse than continuous noise; the first record is the worst."""
    audit = audited(ROWS, queries, delta=delta, neighbours=neighbours)
    discrete, span = queries[0].mechanism != "gaussian", 9 * int(queries[-1].scale + 1)
    grid = np.arange(-span, span + 1) if discrete else np.linspace(-15.0, 15.0, 1001)
    whole = outputs(ROWS, queries, grid)
    for i, ((area, x), epsilon) in enumerate(zip(ROWS, audit.losses, strict=True)):
        changed = [("b" if area == "a" else "a", x)] if neighbours == "replacement" else []
        other = outputs([*ROWS[:i], *changed, *ROWS[i + 1 :]], queries, grid)
        moves = {"count": 1 + len(changed), "sum": x}
        slack = sum(0.6 * moves[each.statistic] / each.scale**2 for each in queries)
        assert spent(whole, other, epsilon + 1e-3) <= delta
        assert spent(whole, other, epsilon - slack * discrete - 1e-3) > delta
    assert audit.losses[0] == pytest.approx(audit.worst_case, rel=1e-12)
    assert audit.exact != discrete
    for place, query in enumerate(queries):
        alone = audited(ROWS, [query], delta=delta, neighbours=neighbours)
        np.testing.assert_allclose(audit.query_losses[place], alone.losses, rtol=1e-12)
        assert audit.query_worst_cases[place] == pytest.approx(alone.worst_case, rel=1e-12)
    assert len(queries) == 1 or (audit.losses < audit.query_losses.sum(axis=0)).all()


def test_it_says_whether_a_loss_is_only_bounded() -> None:
    table = {"x": [1.0, 2.0, 3.0]}
    [noisy], [whole] = made("gaussian", count=2.0), made("discrete gaussian", count=2.0)
    count, median = released_query(**COUNT), released_query(**COUNT | MEDIAN)
    for queries, each, together in (
        ([count, count, median], (True, True, True), True),
        ([count, median, median], (True, True, True), False),
        ([noisy, noisy], (True, True), True),
        ([noisy, count], (True, True), False),
        ([noisy, whole], (True, False), False),
    ):
        audit = audit_release(table, queries, delta=1e-6 if noisy in queries else 0.0)
        assert (audit.query_exact, audit.exact) == (each, together)
    assert audit_release(table, [median], neighbours="replacement").exact
    assert not audit_release(table, [count, median], neighbours="replacement").exact


def test_pure_and_gaussian_losses_are_added() -> None:
    [noisy], table = made("gaussian", count=3.0), {"x": [1.0, 2.0]}
    alone = audit_release(table, [noisy], delta=1e-5).losses
    both = audit_release(table, [noisy, released_query("count", scale=2.0)], delta=1e-5)
    np.testing.assert_allclose(both.losses, alone + 0.5, rtol=1e-12)
    assert both.table().loc["all queries", "worst case"] == both.worst_case


def test_a_record_alone_in_a_mean_loses_everything_and_shares_are_of_finite_losses() -> None:
    mean = released_query(**SUM | dict(statistic="mean", mechanism="laplace", by=["area"], scale=9))
    areas = pd.Series(["a", "b", "b", "c", "c"], name="area")
    audit = audit_release({"area": areas, "x": [1.0, -1.0, 3.0, 2.0, 1.0]}, [mean])
    assert np.isinf(audit.losses).tolist() == [True, False, False, False, False]
    groups = audit.by_group(areas)
    assert math.isinf(audit.worst_case) and groups.index.name == "area"
    assert groups.index.tolist() == ["a", "b", "c"] and groups["records"].tolist() == [1, 2, 2]
    assert groups["share"].tolist() == pytest.approx([0.0, 0.8, 0.2])
    assert groups["largest"].tolist()[1:] == pytest.approx([2 / 9, 0.5 / 9])
    assert audit.most_exposed(4).tolist() == [0, 1, 2, 3] and audit.plot(areas).axes


def test_tables_have_the_losses_below_which_a_share_of_the_records_lies() -> None:
    total = released_query("sum", column="x", lower=0, upper=200, scale=1.0)
    audit = audit_release({"x": np.arange(1.0, 201.0)}, [total])
    assert audit.table().loc["sum of x"].tolist() == pytest.approx([200.0, 100.0, 198.0, 200.0])
    assert audit.by_group(pd.Series([0] * 200, name="largest")).index.name == "group"
    found = audit.by_group(np.zeros(200)).loc[0, ["10 %", "median", "90 %", "largest"]]
    assert found.tolist() == pytest.approx([20.0, 100.0, 180.0, 200.0])


def test_groups_of_several_columns_are_those_of_pandas() -> None:
    frame = pd.DataFrame({"area": ["s", "n", "s", "n", "s"], "year": [2, 2, 1, 2, 2]})
    codes, groups = AuditedTable(frame).groups(("area", "year"))
    assert codes.tolist() == frame.groupby(["area", "year"]).ngroup().tolist()
    assert groups == 3 and AuditedTable(frame).groups(())[1] == 1


@pytest.mark.parametrize(
    ("table", "query", "delta", "message"),
    [
        ({"y": [1.0]}, SUM, 0.0, "table must have the column 'x' of a query, got 'y'"),
        ({"x": [1.0], "y": [1, 2]}, SUM, 0.0, "table must have columns of equal length, got"),
        ({"x": [[1.0, 2.0]]}, SUM, 0.0, r"table\['x'\] must be one-dimensional, got .*1, 2"),
        ({"x": pd.Series([True])}, SUM, 0.0, r"table\['x'\] must contain numbers, got .* bool"),
        ({"x": [0.5]}, WHOLE, 0.1, r"table\['x'\] must contain whole.*got another number in row 0"),
        ({"x": [1.0, np.nan]}, SUM, 0.0, r"table\['x'\] must be finite.*got .*nan"),
        ({"x": []}, {}, 0.0, "table must contain at least one record, got none"),
        ({"x": [1.0]}, {}, 0.1, "delta must be 0 without .*got delta=0.1"),
        ({"x": [1.0]}, {"mechanism": "gaussian"}, 0.0, "delta must be in .*got delta=0.0"),
        ({"a": ["b", None]}, {"by": ["a"]}, 0.0, r"\['a'\] must contain no missing .* 1 of"),
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
