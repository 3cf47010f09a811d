"""Categories: counts by public level, their losses and errors, and what is refused."""

from __future__ import annotations

import itertools
import json
import math
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pdpbook as pb
from pdpbook.audit.count_posterior import posterior_from_noise
from pdpbook.own_data import make_column, reports

LEVELS = ["none", "school", "university"]
ANSWERS = ["school"] * 5 + ["none"] * 2 + ["school", "none"]


def reported(values: Any = ANSWERS, epsilon: float = 1.0, **options: Any) -> pb.own_data.Report:
    return pb.report(values, epsilon, **{"categories": LEVELS, "name": "education"} | options)


@given(st.lists(st.sampled_from("abcdé"), min_size=2, max_size=30), st.permutations("abcd"))
def test_counts_are_those_of_the_levels_in_their_order(
    values: list[str], levels: list[str]
) -> None:
    column = make_column(values, categories=levels, other="the rest")
    slow = [sum(each == level for each in values) for level in levels]
    slow.append(sum(each not in levels for each in values))
    grid = column.grid(5)
    assert grid.counts(column.values).tolist() == slow and grid.bins == 5
    assert column.moved == slow[-1] and column.levels == (*levels, "the rest")
    with pytest.raises(ValueError, match="bins must be 5, one for each level"):
        column.grid(4)


def test_texts_that_look_the_same_are_one_level() -> None:
    """Accents are composed or not, and blanks and invisible marks are at the ends or inside."""
    one, two = "caf\u00e9 noir", " cafe\u0301\u00a0\u00a0no\u00adir\u200b"
    for levels, values in (([one, "th\u00e9"], [two, "the\u0301", two]), ([two, "thé"], [one] * 2)):
        column = make_column(values, categories=levels, name="re\u0301gion")
        assert column.levels == (one, "th\u00e9") and column.name == "r\u00e9gion"
        assert column.values.tolist() == sorted(float("t" in each) for each in values)
    column = make_column(["x", two, "the\u0301"], categories=[one, "th\u00e9"], other=two)
    assert column.levels == (one, "th\u00e9") and column.other == one and column.moved == 1
    assert column.values.tolist() == [0.0, 0.0, 1.0]
    with pytest.raises(ValueError, match="must name each level once, got 'caf\u00e9 noir' twice"):
        make_column([one, one], categories=[one, two])


def outcomes(counts: np.ndarray, epsilon: float, reach: int) -> dict[tuple[int, ...], float]:
    """The probability of each table of noisy counts near a table, by the definition."""
    chance = {z: math.exp(-epsilon * abs(z)) * math.tanh(epsilon / 2.0) for z in range(-99, 100)}
    tables = itertools.product(range(-reach, reach + 1), repeat=len(counts))
    return {
        t: math.prod(chance[z - int(c)] for z, c in zip(t, counts, strict=True)) for t in tables
    }


@patch.object(reports, "RUNS", 2)
@given(st.lists(st.sampled_from(LEVELS), min_size=2, max_size=4), st.sampled_from([0.25, 1.0, 2.0]))
def test_each_record_loses_what_the_table_of_counts_tells(
    values: list[str], epsilon: float
) -> None:
    """Every outcome near the counts with and without each record, and the DP histogram's too."""
    made = reported(values, epsilon)
    ordered = made.losses()["education"].tolist()
    assert ordered == sorted(values, key=LEVELS.index)
    whole = outcomes(np.array([values.count(each) for each in LEVELS]), epsilon, 2)
    for place, value in enumerate(ordered):
        left = list(values)
        left.remove(value)
        without = outcomes(np.array([left.count(each) for each in LEVELS]), epsilon, 2)
        ratios = {table: abs(math.log(whole[table] / without[table])) for table in whole}
        assert made["noisy_counts"].losses[place] == pytest.approx(max(ratios.values()))
        assert made["histogram"].losses[place] >= max(ratios.values()) - 1e-9
        assert math.isinf(made["none"].losses[place])
    assert made["noisy_counts"].end_to_end == made["histogram"].end_to_end == epsilon
    assert made["histogram"].replacement.epsilon == 2.0 * epsilon


def test_the_error_of_a_count_is_that_of_all_outcomes() -> None:
    """The average over the tables of noisy counts near the exact one, by their probabilities."""
    made = pb.report(["a", "a", "a", "b"], 1.5, categories=["a", "b"])
    exact, weights = np.array([3, 1]), outcomes(np.array([3, 1]), 1.5, 10)
    off = {"noisy_counts": 0.0, "histogram": 0.0}
    for table, weight in weights.items():
        noisy = np.array(table)
        off["noisy_counts"] += weight * float(np.abs(noisy - exact).mean())
        estimate = posterior_from_noise(noisy, epsilon=1.5).mean
        off["histogram"] += weight * float(np.abs(estimate - exact).mean())
    assert made["noisy_counts"].error == pytest.approx(off["noisy_counts"], rel=1e-3)
    assert made["noisy_counts"].standard_error == 0.0 == made["none"].error
    found = made["histogram"]
    assert found.error == found.count_error and found.standard_error > 0.0
    assert abs(found.error - off["histogram"]) < 5.0 * found.standard_error
    assert math.isnan(found.wasserstein) and math.isnan(found.mean_error)


@patch.object(reports, "RUNS", 2)
def test_the_report_offers_only_what_levels_without_order_or_distance_allow() -> None:
    made = reported(pd.Series([*ANSWERS, "?", "phd"], dtype="category"), other="not known")
    assert [each.name for each in made.releases] == ["none", "noisy_counts", "histogram"]
    assert "Wasserstein" not in repr(made) and "range" not in repr(made)
    assert {"Wasserstein", "mean error", "median error"}.isdisjoint(made.table().columns)
    said = json.loads(json.dumps(made.to_dict(), allow_nan=False))
    assert said["levels"] == [*LEVELS, "not known"] and said["bins"] == 4
    assert said["other"] == "not known" and said["lower"] is None and not said["whole"]
    assert "2 of 11 values (18.2%) are not among the other levels" in " ".join(made.warnings)
    assert "Other numbers of bins" not in made.to_html()
    axes = made.plot().axes[0]
    assert [each.get_text() for each in axes.get_xticklabels()] == said["levels"]
    assert axes.get_legend().get_texts()[0].get_text() == "released: noisy counts, one run"
    assert reported([*ANSWERS, "?"], other="none").bins == 3


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"categories": ["a", "b", "a"]}, r"^categories must name each level once, got 'a' twice"),
        ({"categories": ["a"]}, r"^categories must contain from 2 to 1,024 levels, got 1$"),
        ({"categories": list(map(str, range(1025)))}, r"1,024 levels, got 1025$"),
        ({"categories": ["a", " "]}, r"^categories must contain texts, none of them empty"),
        ({"categories": ["a", "a"], "values": (1 / 0 for _ in "x")}, "twice"),  # is checked first
        ({"other": ""}, r"^other must be the name of a level and not empty, got other=''"),
        ({"categories": None, "other": "x", "lower": 0, "upper": 1}, r"^other must be left out"),
        ({"lower": 0}, r"^lower must be left out for a column of categories, got lower=0"),
        ({"outside": "clip"}, r"^outside must be left out .*, got outside='clip'"),
        ({"bins": 3}, r"^bins must be left out for categories: each level is a bin, got bins=3"),
        ({"publish": "value"}, r"^publish must be 'counts' for categories.*publish='value'"),
        ({"values": ["school", "colege"]}, r"unless other names .* got 1 of 2 .* row 1$"),
        ({"values": ["", None], "other": "x"}, r"what a missing value .* got 2 of 2 .* row 0$"),
        ({"values": pd.DataFrame({"a": LEVELS})}, r"^values must be one column, got .* \(3, 1\)"),
        ({"values": ["school"]}, r"^values must contain at least 2 records, got 1"),
    ],
)
def test_what_does_not_go_with_categories_is_refused(options: dict[str, Any], said: str) -> None:
    asked = {"values": ANSWERS, "epsilon": 1.0, "categories": LEVELS} | options
    with pytest.raises((ValueError, TypeError), match=said):
        pb.make_release(asked.pop("values"), **asked)
