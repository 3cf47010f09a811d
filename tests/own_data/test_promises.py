"""Promises: known from n, ε and the range, with the parameters and the call that go with them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import pdpbook as pb
from pdpbook import _exact
from pdpbook.own_data.column import Frame, make_column
from pdpbook.own_data.promises import counts_and_draws
from pdpbook.own_data.terms import Terms


def test_counts_and_draws_of_the_repaired_game_cost_no_more_than_epsilon() -> None:
    """As private_randomiser rounds what is left for a draw: in fractions."""
    frame = Frame(name="x", lower=0.0, upper=1.0)
    for epsilon in np.random.default_rng(0).uniform(0.01, 5.0, 300).tolist():
        asked = Terms(frame, 100, "value", 8, False, epsilon, 1e-3, 1)
        total, share, delta, _ = counts_and_draws(asked)
        counts = Fraction(share * total)
        draw = Fraction(_exact.rounded_down(Fraction(total) - counts))
        assert Fraction(epsilon) * (1 - Fraction(1, 10**6)) <= counts + draw <= Fraction(epsilon)
        assert delta == 1e-3


NUMBERS = np.repeat([1.0, 2.0, 2.5, 4.0, 7.0], [5, 9, 1, 3, 2])
WORDS = ["b"] * 12 + ["a"] * 5 + ["it's"]


@pytest.mark.parametrize(
    ("values", "options"),
    [
        (NUMBERS, {"lower": 0, "upper": 8}),
        (NUMBERS, {"lower": 0, "upper": 5, "outside": "clip", "bins": 6, "name": "a 'b'"}),
        (NUMBERS, {"lower": 0, "upper": 8, "publish": "mean"}),
        (NUMBERS, {"lower": 0, "upper": 8, "publish": "quantiles"}),
        (NUMBERS, {"lower": 0, "upper": 8, "publish": "quantiles", "quantiles": [0.05, 0.5]}),
        (NUMBERS, {"lower": 0, "upper": 8, "publish": "mean", "neighbours": "replacement"}),
        (NUMBERS, {"lower": 0, "upper": 8, "publish": "value", "draws": 3, "delta": 0.0}),
        (NUMBERS, {"lower": 0, "upper": 8, "publish": "value", "draws": 3, "delta": 1e-3}),
        (np.round(NUMBERS), {"lower": 1, "upper": 9, "whole": True, "bins": 4}),
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
            assert promised.code == ""
            continue
        space: dict[str, Any] = {"values": values}
        exec(promised.code, space)
        said = space["made"].statement
        assert said["release"] == promised.name and said["column"] == report.column.name
        assert (said["epsilon"], said["delta"]) == (promised.epsilon, promised.delta)
        for change in ("removal", "replacement"):
            assert said[change]["epsilon"] == getattr(promised, change).epsilon
        assert (
            f"the {report.neighbours} of one" in said["neighbours"]
            or "replaced" in said["neighbours"]
        )
        assert said["parameters"] == dict(promised.parameters)
        assert said["promise"] == promised.promise == "differential privacy"
        assert said["bins"] in (None, report.bins) and said["draws"] == promised.draws
        fixed = "bins" in options or "categories" in options
        assert said["records_public"] != (fixed and promised.name == "noisy_counts")
        intervals = {"interval", "share_interval"} & {*said["parameters"]}
        assert len(intervals) == (report.publish != "value")


def test_the_frame_of_a_column_is_public() -> None:
    column = make_column([1.0, 2.0, 7.0], lower=0, upper=5, outside="clip", name="age")
    assert column.frame == Frame(name="age", lower=0.0, upper=5.0, outside="clip")
    assert type(column.frame) is Frame
