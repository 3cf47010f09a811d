"""The losses of records by released queries, against recomputed tables and scores of OpenDP."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pdpbook.own_data import ReleasedQuery, audit_release, released_query
from tests import naive

RANGES = [{"lower": -1.0, "upper": 3.0}, {"lower": -4.0, "upper": 1.0}]
POINTS = [-1.0, 0.0, 1.0, 3.0]
GROUPS = ["a", "b", "c"]


@st.composite
def tables(draw: st.DrawFn) -> list[naive.Row]:
    """Few records, in which each of three areas occurs."""
    areas = GROUPS + draw(st.lists(st.sampled_from(GROUPS), max_size=5))
    number = st.sampled_from([-4.0, -1.0, -0.5, 0.0, 1.0, 2.25, 3.0, 7.0])
    return [{"area": a, "x": draw(number), "works": draw(st.booleans())} for a in areas]


@st.composite
def queries(draw: st.DrawFn) -> ReleasedQuery:
    """Any query with Laplace noise, of counts discrete noise, too, or any choice of a quantile."""
    what = draw(st.sampled_from(["count", "sum", "mean", "quantile"]))
    keys: dict[str, Any] = {"by": draw(st.sampled_from([[], ["area"]]))}
    keys |= {"where": draw(st.sampled_from([None, "works"]))}
    keys |= {"scale": draw(st.sampled_from([0.3, 1.0, 17.0]))}
    noise = ["laplace", "discrete laplace"] if what == "count" else ["laplace"]
    if what == "quantile":
        keys |= {"quantile": draw(st.sampled_from([0.25, 0.5, 0.9])), "candidates": POINTS}
        noise = ["exponential mechanism", "permute and flip"]
    elif what != "count":
        keys |= draw(st.sampled_from(RANGES))
    column = None if what == "count" else "x"
    return released_query(what, column=column, mechanism=draw(st.sampled_from(noise)), **keys)


@pytest.mark.parametrize("neighbours", ["removal", "replacement"])
@given(rows=tables(), query=queries())
@settings(deadline=None, max_examples=50)
def test_a_query_costs_what_the_recomputed_release_loses(
    neighbours: str, rows: list[naive.Row], query: ReleasedQuery
) -> None:
    """By removal, or by the worst other record; no record loses more than the worst case."""
    others: list[naive.Row] | None = None
    if neighbours == "replacement":
        values = (-2.0, -0.5, 0.0, 0.5, 1.0, 2.0, 4.0) if query.statistic == "quantile" else ()
        flags = (True, False) if query.where else (True,)
        ends = (query.lower, query.upper) if query.statistic in ("sum", "mean") else (-1.0, 3.0)
        every = product(GROUPS, (*ends, *values), flags)
        others = [{"area": a, "x": x, "works": w} for a, x, w in every]
    expected = np.array(naive.audited_costs(rows, query, GROUPS, others))
    audit = audit_release(pd.DataFrame(rows), [query], neighbours=neighbours)
    assert (audit.losses >= expected - 1e-13).all()
    np.testing.assert_allclose(audit.losses, expected, rtol=1e-9, atol=1e-12)
    assert (audit.losses <= audit.worst_case * (1 + 1e-9)).all()
    assert audit.worst_case < math.inf or query.statistic == "mean"


def test_the_losses_by_a_mean_are_on_the_side_of_privacy() -> None:
    """In fractions: what is computed with rounding is never below the exact loss, and near it."""
    rng = np.random.default_rng(3)
    values = {"a": rng.uniform(0.0, 0.9, 7).tolist(), "b": rng.uniform(0.1, 0.3, 12).tolist()}
    table = {"area": ["a"] * 7 + ["b"] * 12, "x": values["a"] + values["b"]}
    mean = released_query("mean", column="x", by=["area"], lower=0, upper=1, scale=0.5)
    found = {
        each: audit_release(table, [mean], neighbours=each).losses
        for each in ("removal", "replacement")
    }
    for i, (area, x) in enumerate(zip(table["area"], map(Fraction, table["x"]), strict=True)):
        own, other = (
            [*map(Fraction, values[each])] for each in (area, "b" if area == "a" else "a")
        )
        n, m = len(own), len(other)
        removed = abs(n * x - sum(own)) / (n * (n - 1))
        added = max(sum(other), m - sum(other)) / (m * (m + 1))
        exact = {"removal": removed, "replacement": max(removed + added, max(x, 1 - x) / n)}
        for neighbours, distance in exact.items():
            loss = Fraction(found[neighbours][i])
            most = 2 * distance * (1 + Fraction(1, 10**9)) + Fraction(1, 10**13)
            assert 2 * distance <= loss <= most


def test_what_sums_are_rounded_by_is_added_to_the_losses_by_a_mean() -> None:
    """In fractions, where a difference that is left of two large numbers is all rounding."""
    mean = released_query("mean", column="x", lower=0, upper=1, scale=1.0)
    near = [0.1, 0.2, 0.3]
    exact = abs(3 * Fraction(0.2) - sum(map(Fraction, near))) / 6
    assert 0 < exact <= Fraction(audit_release({"x": near}, [mean]).losses[1])
    many = {"x": [0.1] * 10_001, "in": [True] * 10_000 + [False]}  # their sum is rounded up
    mean = released_query("mean", column="x", where="in", lower=0, upper=1, scale=1.0)
    moved = (1 - Fraction(0.1)) / 10_001  # by the last record, if it comes in at the upper end
    assert moved <= Fraction(audit_release(many, [mean], neighbours="replacement").losses[-1])


def test_the_scores_of_quantiles_are_those_of_opendp(dp: Any) -> None:
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
