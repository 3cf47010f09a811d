"""Draws of releases: the noise that is promised, and the distribution that the report states."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import ArrayLike
from scipy import stats

import pdpbook as pb
from pdpbook.own_data import draws
from pdpbook.own_data.shares import estimated_shares
from tests.own_data.common import VALUES, released

FALSE_ALARM = 1e-6


def test_values_are_drawn_from_the_distribution_of_the_report() -> None:
    """At ε = 25 noisy counts are exact, so that no run differs from another."""
    options: dict[str, Any] = {"bins": 8, "publish": "value", "draws": 20_000}
    report = pb.report(VALUES, 25.0, lower=0, upper=8, reruns=0, **options)
    for release in ("laplace", "response", "repaired_game", "histogram"):
        drawn = released(epsilon=25.0, release=release, **options).table["age"]
        found = (drawn.to_numpy()[:, None] == report.column.grid(8).midpoints).mean(axis=0)
        off = np.abs(found - report[release].distribution).max()
        assert found.sum() == pytest.approx(1.0) and off < 5 * 0.5 / np.sqrt(20_000)


def test_the_repaired_game_draws_by_the_randomiser_that_it_makes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found, drawn, draw = [], [], draws.private_randomiser

    def noted(counts: ArrayLike, **options: Any) -> Any:
        found.append((options, draw(counts, **options)))
        return found[-1][1]

    monkeypatch.setattr(draws, "private_randomiser", noted)
    monkeypatch.setattr(draws, "draw_released", lambda *given: drawn.append(given) or [0])
    options: dict[str, Any] = {"publish": "value", "release": "repaired_game", "delta": 0.01}
    said = released(**options).statement["parameters"]
    [(asked, randomiser)], [(counts, rows, number)] = found, drawn
    assert (rows == randomiser.randomiser).all() and counts.sum() == 20 and number == 1
    assert asked["share"] * asked["epsilon"] == said["counts_epsilon"] and "rng" not in asked
    assert asked["delta"] == said["counts_delta"] == 0.01


def test_statistics_are_near_the_exact_ones_where_epsilon_is_large() -> None:
    values = np.repeat([1.0, 2.5, 4.5, 7.0], [60, 100, 80, 60])

    def found(publish: str, release: str) -> pd.DataFrame:
        return released(values, epsilon=30.0, publish=publish, release=release, bins=16).table

    for release, off in (("mean", 0.05), ("histogram", 0.26)):  # half a bin
        assert found("mean", release)["value"].item() == pytest.approx(values.mean(), abs=off)
    for release, off in (("quantiles", 0.05), ("histogram", 0.26)):
        near = found("quantiles", release)
        np.testing.assert_allclose(near["value"], [2.5, 2.5, 4.5], atol=off)
        assert near["quantile"].tolist() == [0.25, 0.5, 0.75]
    counts, exact = found("counts", "histogram"), pb.Grid(0, 8, 16).counts(values)
    np.testing.assert_allclose(counts["share"], exact / 300, atol=1e-6)
    np.testing.assert_allclose(counts["count"], exact, atol=1e-3)
    assert counts["from"].tolist() == [0.5 * k for k in range(16)]
    assert counts["to"].tolist() == [0.5 * k for k in range(1, 17)]


@pytest.mark.parametrize(("neighbours", "epsilon"), [("removal", 1.0), ("replacement", 2.0)])
def test_counts_have_the_noise_that_is_promised(neighbours: str, epsilon: float) -> None:
    """Two-sided geometric noise at ε = 1: the chance of 0 is tanh(1/2), by χ² over 60 releases."""
    asked: dict[str, Any] = {"neighbours": neighbours, "epsilon": epsilon, "bins": 8}
    exact = pb.Grid(0, 8, 8).counts(VALUES)
    noisy = [released(release="noisy_counts", **asked).table["count"] for _ in range(60)]
    noise = np.concatenate([each - exact for each in noisy])
    chances = np.exp(-np.abs(np.arange(-2, 3))) * np.tanh(0.5)
    expected = noise.size * np.append(chances, 1.0 - chances.sum())
    observed = [np.count_nonzero(noise == z) for z in range(-2, 3)]
    observed.append(noise.size - sum(observed))
    assert stats.chisquare(observed, expected).pvalue > FALSE_ALARM


def test_whole_numbers_are_published_as_whole_numbers() -> None:
    grades = np.repeat([1, 2, 3, 4, 5], 40)
    options: dict[str, Any] = {"lower": 1, "upper": 5, "whole": True, "name": "grade"}
    found = released(grades, **options).table
    assert found["from"].tolist() == found["to"].tolist() == [1, 2, 3, 4, 5]
    found = released(grades, bins=2, **options).table
    assert (found["from"].tolist(), found["to"].tolist()) == ([1, 4], [3, 5])
    values = released(grades, bins=2, publish="value", draws=200, **options).table["grade"]
    assert set(values) == {2.0, 4.0}
    drawn = released(grades, publish="value", draws=50, **options).table
    assert set(drawn["grade"]) <= {1.0, 2.0, 3.0, 4.0, 5.0}


@pytest.mark.parametrize("neighbours", ["removal", "replacement"])
def test_quantiles_are_drawn_at_the_slope_that_the_statement_names(
    monkeypatch: pytest.MonkeyPatch, neighbours: str
) -> None:
    drawn: list[Any] = []
    monkeypatch.setattr(draws.QuantileChoice, "draw", lambda x: drawn.append(x) or -x.quantile)
    found = released(publish="quantiles", quantiles=[0.1, 0.9], neighbours=neighbours)
    slope = found.statement["parameters"]["slope"]
    assert [(each.quantile, float(each.slope)) for each in drawn] == [(0.1, slope), (0.9, slope)]
    assert found.table["quantile"].tolist() == found.statement["quantiles"] == [0.1, 0.9]
    assert found.table["value"].tolist() == [-0.1, -0.9]


OFFERED = {"counts": "noisy_counts", "mean": "mean", "quantiles": "quantiles"}


@pytest.mark.parametrize(
    ("publish", "release"), [*OFFERED.items(), *((each, "histogram") for each in OFFERED)]
)
def test_ninety_five_of_a_hundred_intervals_hold_the_truth(publish: str, release: str) -> None:
    """Counts and means lie in them; a released quantile is one of the quantiles they name.

    Against a replacement the noise for ε = 2 is the noise for ε = 1, and so are the intervals.
    """
    values, hits = np.sort(np.random.default_rng(0).uniform(0, 8, 60)), []
    counts = pb.Grid(0, 8, 6).counts(values)
    for _ in range(80):
        found = released(
            values, publish=publish, release=release, bins=6, epsilon=2.0, neighbours="replacement"
        )
        table, said = found.table, found.statement["parameters"]
        if publish == "quantiles":
            assert (table["from quantile"] >= 0.0).all() and (table["to quantile"] <= 1.0).all()
            within = table[(table["from quantile"] > 0.0) & (table["to quantile"] < 1.0)]
            widths = within["to quantile"] - within["from quantile"]
            assert (widths >= (least := 2.0 * said["share_interval"]) - 1e-9).all()
            assert release == "histogram" or (widths <= least + 1e-9).all()
            off = 8 / 6 / 2 if release == "histogram" else 0.01
            below = [(values < each - off).mean() for each in table["value"]]
            upto = [(values <= each + off).mean() for each in table["value"]]
            hits += [*((table["from quantile"] <= upto) & (table["to quantile"] >= below))]
            continue
        truth = counts if publish == "counts" else values.mean()
        hits += [*((table["low"] <= truth) & (truth <= table["high"]))]
        shown = table["count" if publish == "counts" else "value"]
        inside = (table["low"] <= shown) & (shown <= table["high"])
        assert inside.all() or release == "noisy_counts"
    assert np.mean(hits) > 0.95 - 5 * np.sqrt(0.05 * 0.95 / 80)


def test_noise_that_raises_every_count_alike_does_not_move_the_interval_of_a_mean(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The noisy counts are made to sum to the public number of records."""
    values = np.repeat([490.0, 500.0, 510.0], [20, 5, 2])
    exact = pb.Grid(0, 1000, 6).counts(values)
    monkeypatch.setattr(draws, "_noisy", lambda *_: exact + 5)
    found = pb.make_release(values, epsilon=5.0, lower=0, upper=1000, publish="mean",
                            release="histogram", bins=6).table  # fmt: skip
    mean = exact @ pb.Grid(0, 1000, 6).midpoints / values.size
    assert found.loc[0, ["low", "high"]].mean() == pytest.approx(mean)


def test_the_shares_of_levels_are_estimated_without_their_order_and_lie_in_their_intervals(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    noisy = np.array([60, -2, 1, 6])
    monkeypatch.setattr(draws, "_noisy", lambda *_: noisy)
    found = pb.make_release(["a", "b"] * 4, epsilon=0.5, categories=[*"abcd"]).table
    np.testing.assert_allclose(found["share"], estimated_shares(noisy, 8, 0.5, ordered=False))
    assert found["count"].between(found["low"], found["high"]).all()
