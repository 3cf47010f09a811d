"""Promises: known from n, ε and the range, with the parameters and the call that go with them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import pdpbook as pb
from pdpbook import _exact
from pdpbook.foundations.privacy import Budget
from pdpbook.own_data.column import Frame
from pdpbook.own_data.promises import counts_and_draws, make_promise
from pdpbook.own_data.terms import Terms, one_draw_epsilon
from tests.own_data.common import VALUES, released

FRAME = Frame(name="x", lower=0.0, upper=10.0)


def test_counts_and_draws_of_the_repaired_game_cost_no_more_than_epsilon() -> None:
    """As private_randomiser rounds what is left for a draw: in fractions."""
    for epsilon in np.random.default_rng(0).uniform(0.01, 5.0, 300).tolist():
        asked = Terms(FRAME, 100, "value", 8, False, epsilon, 1e-3, 1)
        total, share, delta, _ = counts_and_draws(asked)
        counts = Fraction(share * total)
        draw = Fraction(_exact.rounded_down(Fraction(total) - counts))
        assert Fraction(epsilon) * (1 - Fraction(1, 10**6)) <= counts + draw <= Fraction(epsilon)
        assert delta == 1e-3


WORDS = ["b"] * 12 + ["a"] * 5 + ["it's"]


@pytest.mark.parametrize(
    ("values", "options"),
    [
        (VALUES, {"lower": 0, "upper": 8}),
        (VALUES, {"lower": 0, "upper": 5, "outside": "clip", "bins": 6, "name": "a 'b'"}),
        (VALUES, {"lower": 0, "upper": 8, "publish": "mean"}),
        (VALUES, {"lower": 0, "upper": 8, "publish": "quantiles"}),
        (VALUES, {"lower": 0, "upper": 8, "publish": "quantiles", "quantiles": [0.05, 0.5]}),
        (VALUES, {"lower": 0, "upper": 8, "publish": "mean", "neighbours": "replacement"}),
        (VALUES, {"lower": 0, "upper": 8, "publish": "value", "draws": 3, "delta": 0.0}),
        (VALUES, {"lower": 0, "upper": 8, "publish": "value", "draws": 3, "delta": 1e-3}),
        (np.round(VALUES), {"lower": 1, "upper": 9, "whole": True, "bins": 4}),
        (WORDS, {"categories": ["b", "a", "c"], "other": "d"}),
        (WORDS, {"categories": ["b", "a", "it's"]}),
    ],
)
def test_the_code_of_a_release_is_one_call_that_makes_what_the_report_promises(
    values: Any, options: dict[str, Any]
) -> None:
    report = pb.report(values, 1.0, reruns=0, **options)
    for promised in report.releases:
        if promised.algorithm != "differential privacy":
            epsilon = None if promised.name == "none" else promised.terms.draw_epsilon
            assert promised.code == "" and promised.parameters.get("draw_epsilon") == epsilon
            continue
        space: dict[str, Any] = {"values": values}
        exec(promised.code, space)
        said = space["made"].statement
        assert said["release"] == promised.name and said["column"] == report.column.name
        assert (said["epsilon"], said["delta"]) == (promised.epsilon, promised.delta)
        for change in ("removal", "replacement"):
            assert said[change]["epsilon"] == getattr(promised, change).epsilon
        named = {"removal": "the removal of one", "replacement": "replaced"}[report.neighbours]
        assert named in said["neighbours"]
        assert said["parameters"] == dict(promised.parameters)
        assert said["promise"] == promised.promise == "differential privacy"
        assert said["bins"] in (None, report.bins) and said["draws"] == promised.draws
        fixed = "bins" in options or "categories" in options
        hidden = fixed and promised.name == "noisy_counts"
        assert said["records"] == (None if hidden else len(values))
        assert said["records_public"] != hidden
        intervals = {"interval", "share_interval"} & {*said["parameters"]}
        assert len(intervals) == (report.publish != "value")


@pytest.mark.parametrize("delta", [0.0, 1e-3])
def test_all_draws_together_keep_the_promise(delta: float) -> None:
    one = one_draw_epsilon(100, 1.0, draws=50, delta=delta)
    assert pb.draws_epsilon(100, one, draws=50, delta=delta) <= 1.0
    if delta:
        assert pb.draws_epsilon(100, one * 1.001, draws=50, delta=delta) > 1.0
        assert one > 2.0 / 50, "much more than basic composition gives"
    else:
        assert one == pytest.approx(1.0 / 50) and 50 * Fraction(one) <= 1


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_the_randomisers_are_private_whatever_the_records_are(epsilon: float) -> None:
    """Their worst case over all columns of n records, at the ε of one draw."""
    asked = Terms(FRAME, 10, "value", 5, False, epsilon, 1e-3, 3)
    for rows in (asked.laplace_rows, asked.response_rows):
        found = pb.randomiser_epsilon(rows, n=10)
        assert 0.4 * asked.draw_epsilon < found <= asked.draw_epsilon * (1 + 1e-6)


def test_one_drawn_value_costs_the_same_for_both_changes_of_a_record_and_no_delta() -> None:
    """And without noise nothing is promised, whatever is published."""
    for neighbours in ("removal", "replacement"):
        asked = Terms(FRAME, 100, "value", 8, False, 1.0, 1e-3, 1, neighbours)
        promised = make_promise(asked, "laplace")
        assert promised.removal == promised.replacement == Budget(1.0)
    for publish in ("counts", "value"):
        exact = make_promise(Terms(FRAME, 100, publish, 8, False, 1.0, 1e-3, 3), "none")
        assert exact.promise == "none" and (exact.epsilon, exact.delta) == (np.inf, 0.0)
        assert exact.removal is None and exact.replacement is None


@pytest.mark.parametrize("publish", ["counts", "mean", "quantiles"])
def test_a_replacement_at_twice_the_epsilon_has_the_noise_of_a_removal(publish: str) -> None:
    one, two = (
        make_promise(Terms(FRAME, 100, publish, 8, False, *each), "histogram").parameters
        for each in ((1.0, 1e-3, 1, "removal"), (2.0, 1e-3, 1, "replacement"))
    )
    assert one == two


def test_the_parameters_of_a_statement_are_those_of_the_draw() -> None:
    for neighbours in ("removal", "replacement"):
        mean = released(lower=-1000, upper=1000, publish="mean", neighbours=neighbours)
        low, high = mean.table.loc[0, ["low", "high"]]
        assert high - low == pytest.approx(2 * mean.statement["parameters"]["interval"])
    value = released(publish="value", bins=8)
    rows = pb.k_ary_randomised_response(
        8, VALUES.size, value.statement["parameters"]["draw_epsilon"]
    )
    uniform = value.statement["parameters"]["uniform_probability"]
    assert rows[0, 0] == pytest.approx(1 - uniform + uniform / 8)
    levels = pb.make_release(WORDS, epsilon=1.0, categories=["b", "a", "it's"])
    assert "the share of each level" in levels.statement["what"]


def test_the_number_of_bins_follows_from_the_noise_that_the_change_of_a_record_requires() -> None:
    asked: dict[str, Any] = {"lower": 0, "upper": 10, "publish": "counts"}
    values, bins = np.linspace(0, 10, 500), pb.own_data.public_bins
    for neighbours, epsilon in (("removal", 1.0), ("replacement", 0.5)):
        report = pb.report(values, 1.0, neighbours=neighbours, **asked)
        assert report.bins == bins(500, epsilon, publish="counts")
        assert f"public_bins gives {report.bins} here" in repr(report)
