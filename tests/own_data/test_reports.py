"""Reports: what is recommended for columns and why, what is promised, and what is warned of."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest
from sklearn import datasets

import pdpbook as pb
from pdpbook.own_data.page import _cell, _shared


def by_values(values: Any, epsilon: float = 1.0, **named: Any) -> pb.own_data.Report:
    """A report about single values from 0 to 10, unless something else is asked for."""
    usual = {"publish": "value", "lower": 0, "upper": 10, "reruns": 0}
    return pb.report(values, epsilon, **usual | named)


def column(table: str, name: str) -> pd.Series:
    """A column of one of scikit-learn's tables."""
    return getattr(datasets, f"load_{table}")(as_frame=True).frame[name]


PETALS = column("iris", "petal length (cm)")
PROLINE = column("wine", "proline")
UNIFORM = np.random.default_rng(0).uniform(0.0, 10.0, 50)
#: Column, range, ε, draws, what is recommended, and whether something else is equally good.
GOLDEN = [
    (PROLINE, (200, 1800), 1.0, 178, "histogram", True),
    (column("linnerud", "Situps"), (0, 300), 1.0, 1, "response", False),
    (column("diabetes", "target"), (0, 400), 1.0, 1, "response", True),
    (PETALS, (0, 10), 0.1, 1, "response", False),
]


@pytest.mark.parametrize(("values", "ends", "epsilon", "draws", "best", "equal"), GOLDEN)
def test_the_recommendation_and_its_reason(values, ends, epsilon, draws, best, equal) -> None:
    made = by_values(values, epsilon, lower=ends[0], upper=ends[1], draws=draws)
    assert made.column.name == values.name and made.recommended.name == best
    said = made.recommendation.partition("individual values drawn like the data, use ")[2]
    assert said.removeprefix("the ").startswith(made[best].title)
    assert ("equally near to the column it is the simplest" in said) == equal
    assert ("it is the nearest to the column" in said) != equal == bool(made.equally_good)
    for each in made.equally_good:
        spread = f" ± {each.standard_error:.2g}" if each.standard_error else ""
        assert f"he {each.title} ({each.wasserstein:.3g}{spread})" in said
    assert made.to_dict()["equally good"] == [each.name for each in made.equally_good]


@pytest.fixture(scope="module")
def wine() -> pb.own_data.Report:
    return by_values(PROLINE, lower=200, upper=1800, bins=32, reruns=64)


def test_the_wines_as_they_are_known(wine: pb.own_data.Report) -> None:
    """The game is nearer and is named with its loss, but is not what is recommended."""
    table, losses = wine.table(), wine.losses()
    assert table.loc["response", "KL"] == pytest.approx(0.0205, abs=5e-5)
    assert table.loc["game", "end-to-end loss"] > 1.0 > table.loc["game", "largest loss"]
    assert wine["game"].wasserstein < wine.recommended.wasserstein
    assert wine.recommended.promise == "differential privacy"
    assert "The game is nearer (17.1), but its promise holds only for" in wine.recommendation
    assert "its largest end-to-end loss is 1.44." in wine.recommendation
    assert losses["proline"].tolist() == sorted(PROLINE)
    for name in table.index:
        assert losses[name].max() == table.loc[name, "largest loss"]
        assert losses[name].median() == pytest.approx(table.loc[name, "median loss"])
    lines = repr(wine).splitlines()
    for name, promised in (
        ("DP histogram", "differential privacy 1 2"),
        ("game", "fixed-noise 1 –"),
    ):
        assert any(" ".join(each.split()).startswith(f"{name} {promised} ") for each in lines)
    assert all(each in lines for each in wine.warnings)


@pytest.mark.parametrize(
    ("publish", "names", "best"),
    [
        ("counts", ["none", "noisy_counts", "histogram"], {"noisy_counts", "histogram"}),
        ("mean", ["mean", "histogram"], {"mean"}),
        ("quantiles", ["quantiles", "histogram"], {"quantiles", "histogram"}),
    ],
)
def test_only_releases_of_the_same_thing_are_compared(publish, names, best) -> None:
    made = by_values(PETALS, publish=publish)
    assert [each.name for each in made.releases] == names and made.recommended.name in best
    assert made.to_dict()["publish"] == publish and len(made.losses()) == 150
    assert made.table()["end-to-end loss"].notna().all()
    with patch("pdpbook.plotting.own_data.decision") as drawn:
        made.plot()
    shown = {each.title: (each.error, each.promise) for each in made.releases}
    assert drawn.call_args.args[0] == shown


def test_counts_are_what_is_published_if_nothing_else_is_said() -> None:
    """Ages: one drawn value was recommended, whose mean misses by 25; the histogram's by less."""
    ages = np.random.default_rng(0).normal(40.0, 20.0, 20_000).clip(0, 100)
    made = pb.report(ages, 1.0, lower=0, upper=100)
    assert made.publish == "counts" and made.recommended.mean_error < 0.1
    other = pb.report(ages, 1.0, lower=0, upper=100, seed=1)
    assert other["histogram"].error != made["histogram"].error
    assert "Differential privacy at ε = 1, paid once" in made.guarantees["histogram"]
    with pytest.raises(ValueError, match=r"draws must be 1 with publish='counts'.*got draws=7"):
        pb.report(ages, 1.0, lower=0, upper=100, draws=7)


def test_errors_that_differ_by_next_to_nothing_or_by_chance_are_equal() -> None:
    """Grades: one error is six times the other, and both are nothing beside a grade.

    Of errors of 1 and 0.9 a twentieth is a tie anyway, and the rest may be chance.
    """
    grades = np.random.default_rng(0).choice([1, 2, 3, 4, 5], 2000, p=[0.05, 0.1, 0.2, 0.4, 0.25])
    made = by_values(grades, lower=1, upper=5, whole=True)
    assert made.bins == 5 and made["response"].wasserstein < 0.01 > made["histogram"].wasserstein
    assert made.recommended.name == "response", "simpler than what is nearer by next to nothing"
    assert made["histogram"] in made.equally_good
    for spread, best in (((0.0, 0.0), "histogram"), ((0.0, 0.049), "histogram"),
                         ((0.0, 0.051), "response"), ((0.049, 0.0), "histogram"),
                         ((0.051, 0.0), "response"), ((0.04, 0.04), "response")):  # fmt: skip
        errors = {"response": 1.0, "histogram": 0.9}
        changed = [
            replace(made[name], wasserstein=errors[name], standard_error=chance)
            for name, chance in zip(errors, spread, strict=True)
        ]
        compared = replace(made, releases=tuple(changed))
        assert compared.recommended.name == best
        assert (compared["histogram"] in compared.equally_good) == (best == "response")


def test_all_is_the_same_in_another_unit() -> None:
    """Losses and KL do not depend on the unit; errors follow it."""
    cm, mm = (by_values(PETALS * k, upper=10 * k, bins=8).table() for k in (1, 10))
    for name in cm.columns.drop(["promise", "title"]):
        scaled = name in ("Wasserstein", "standard error") or name.endswith(" error")
        np.testing.assert_allclose(mm[name], cm[name] * (10 if scaled else 1), rtol=1e-6)


def test_a_range_from_the_data_leaves_no_promise() -> None:
    made = by_values(PROLINE, lower=None, upper=None, bins=8)
    assert made.recommendation.startswith("No release of this column keeps a promise")
    assert "the promise is differential privacy" not in made.recommendation
    assert "was taken from the data" in made.warnings[1]
    for each in json.loads(json.dumps(made.to_dict(), allow_nan=False))["releases"][1:]:
        assert each["promise"] == "none: the range is taken from the data"
        assert each["epsilon"] is None and each["end-to-end loss"] is None
        assert {"epsilon", "end-to-end loss"} <= set(each["infinite"])
        assert each["guarantee"].startswith("Nothing is promised, because the range is taken")
    assert np.isinf(made.table()["end-to-end loss"]).all()


def test_a_guarantee_is_in_words_and_numbers(wine: pb.own_data.Report) -> None:
    said = wine.guarantees
    for name, promise in {"histogram": "ε = 2.", "response": "ε = 1."}.items():
        assert said[name].startswith("Differential privacy at ε = 1")
        assert f"replacement of one record by another it is {promise}" in said[name]
    assert said["game"].startswith("Fixed-noise privacy at ε = 1 for one draw")
    assert said["none"] == "Nothing is promised."
    replaced = by_values(PETALS, draws=50, bins=8, neighbours="replacement")
    assert "at ε = 1, δ = 1e-06 for all 50 draws together" in replaced.guarantees["laplace"]
    assert "Against the removal of one record it is ε = 0.5." in replaced.guarantees["histogram"]
    assert {*replaced.left_out} == {"common_scale", "game"}
    found = {each["release"]: each for each in replaced.to_dict()["releases"]}["repaired_game"]
    promised = {
        each: getattr(replaced["repaired_game"], each) for each in ("removal", "replacement")
    }
    for change, budget in promised.items():
        assert found[f"{change} epsilon"] == budget.epsilon
        assert found[f"{change} delta"] == budget.delta


def test_every_warning_comes_where_it_is_due_and_not_before() -> None:
    one: dict[str, Any] = {"bins": 8, "delta": 0.0}
    two: dict[str, Any] = {"bins": 4, "draws": 2}
    few = {"bins": 2}
    cases: list[tuple[str, Any, dict[str, Any], dict[str, Any]]] = [
        ("hides next to nothing", UNIFORM, {"epsilon": 7.0}, {"epsilon": 6.8}),
        ("true bin with probability 0.9991", UNIFORM, {"epsilon": 3.2} | few, {"epsilon": 3} | few),
        (
            "δ = 0.021 is not below 1/n = 0.02",
            UNIFORM,
            two | {"delta": 0.021},
            two | {"delta": 0.019},
        ),
        ("% of the records are in one of the", UNIFORM, {"upper": 5000}, {}),
        ("5 of 50 values", [*UNIFORM[:45], *[70.0] * 5], {"outside": "clip"}, {"upper": 70}),
        ("All values are whole numbers", [1, 2, 4], {"upper": 5}, {"upper": 5, "whole": True}),
    ]
    for said, data, due, free in cases:
        for options in (due, free):
            made = by_values(data, **one | options)
            assert any(said in each for each in made.warnings) == (options is due), (said, options)
            hollow = "next to nothing" in " ".join(made.warnings)
            for text in (made.recommendation, made.guarantees["response"]):
                assert ("next to nothing" in text) == hollow, (
                    "which is said where the promise stands"
                )


def test_what_is_left_out_is_stated() -> None:
    pure = by_values(PETALS, delta=0.0, bins=8)
    assert pure.left_out == pure.to_dict()["left out"] == {"repaired_game": "it needs a δ above 0"}
    assert any("The repaired game is left out: it needs a δ above 0." in w for w in pure.warnings)
    with pytest.raises(KeyError, match="no release is called 'repaired_game'; there are none, "):
        pure["repaired_game"]
    for values, bins, said in (
        (PETALS, 33, "33 bins"),
        ([1.0, 2.0] * 50_001, 2, "100,002 records"),
    ):
        fine = by_values(values, bins=bins)
        assert f"would take too long for {said}; they" in fine.left_out["repaired_game"]
    long = by_values(np.tile(UNIFORM, 250), bins=201)
    assert "game" not in long.table().index and long["common_scale"].end_to_end is None
    assert "12,500 records in 201 bins" in long.left_out["game"]


@pytest.fixture(scope="module")
def priced() -> pb.own_data.Report:
    """A report of a name that is neither HTML nor a formula."""
    return by_values([1.0, 1.5, 2.0, 2.0, 2.5, 3.0, 3.5, 7.0], name="<b>price (US$) of (A$)</b>")


def test_a_number_of_a_table_is_short_and_safe_in_html() -> None:
    values = (0.59312, -1358.2, 2.34e12, 1e-6, 0.0, math.inf, math.nan, "<b>")
    written = "0.593 −1,358 2.34_×_10<sup>12</sup> 10<sup>−6</sup> 0 ∞ – &lt;b&gt;".split()
    assert [_cell(each) for each in values] == [each.replace("_", " ") for each in written]


def test_what_all_promises_share_stands_once(priced: pb.own_data.Report) -> None:
    """A column that some release lacks is not shared: it would speak of what was not computed."""
    body = priced._repr_html_()
    assert "Wasserstein distance (&lt;b&gt;price (US$) of (A$)&lt;/b&gt;)" in priced.to_html()
    assert "<dt>DP histogram</dt><dd>It publishes values drawn from shares" in body
    assert '<th scope="col">epsilon</th>' not in body and '<th scope="col">delta</th>' in body
    assert "In every row that promises something, epsilon is 1.</p>" in body
    table = pd.DataFrame(
        {
            "epsilon": [math.inf, 1.0, 1.0],
            "end-to-end loss": [math.inf, 1.0, math.nan],
            "count error": [0.0, math.nan, math.nan],
            "KL": [0.5, 1.0, 1.0],
        }
    )
    shared = _shared(table)
    assert set(shared) == {"epsilon", "count error"} and shared["epsilon"] == 1.0
    assert not _shared(table.assign(epsilon=math.inf)[["epsilon", "KL"]])


def test_the_page_fits_a_phone_and_is_accessible_light_and_dark(
    priced: pb.own_data.Report, tmp_path: Path, browser: Any
) -> None:
    from axe_playwright_python.sync_playwright import Axe

    file = tmp_path / "report.html"
    file.write_text(priced.to_html(), encoding="utf-8")
    tab = browser.new_page(viewport={"width": 400, "height": 800})
    asked: list[str] = []
    tab.on("request", lambda request: asked.append(request.url))
    tab.goto(file.as_uri())
    assert tab.evaluate("document.documentElement.scrollWidth") <= 400
    for scheme in ("light", "dark"):
        tab.emulate_media(color_scheme=scheme)
        faults = Axe().run(tab).response["violations"]
        assert not [(each["id"], each["nodes"][0]["html"][:200]) for each in faults]
    assert asked == [file.as_uri()]
    tab.close()
