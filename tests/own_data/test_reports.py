"""Reports: what is recommended for ten columns and why, what is promised, and what is refused."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn import datasets

import pdpbook as pb
from pdpbook.own_data import releases, reports

NEAREST = "it is the nearest to the column"
EQUAL = "that are equally near to the column it is the simplest"


@pytest.fixture(autouse=True)
def short_sweep(monkeypatch: pytest.MonkeyPatch) -> None:
    """Repeat reports at 8 bins only; that of the wines is made before, at all numbers of bins."""
    monkeypatch.setattr(reports, "SWEEP", (8,))


def by_values(*arguments: Any, **named: Any) -> pb.own_data.Report:
    """A report about single values, unless something else is to be published."""
    return pb.report(*arguments, **{"publish": "value"} | named)


def column(table: str, name: str) -> pd.Series:
    """A column of one of scikit-learn's tables."""
    return getattr(datasets, f"load_{table}")(as_frame=True).frame[name]


#: Table, column, range, ε, draws; what is recommended, and the reason in its words.
GOLDEN = [
    ("wine", "proline", (200, 1800), 1.0, 1, "response", EQUAL),
    ("wine", "proline", (200, 1800), 1.0, 178, "histogram", EQUAL),
    ("breast_cancer", "area error", (0, 600), 1.0, 1, "histogram", EQUAL),
    ("linnerud", "Situps", (0, 300), 1.0, 1, "response", NEAREST),
    ("diabetes", "target", (0, 400), 1.0, 1, "response", EQUAL),
    ("iris", "petal length (cm)", (0, 10), 0.1, 1, "response", NEAREST),
]


@pytest.mark.parametrize(("table", "name", "ends", "epsilon", "draws", "best", "reason"), GOLDEN)
def test_the_recommendation_and_its_reason(table, name, ends, epsilon, draws, best, reason) -> None:
    values = column(table, name)
    made = by_values(values, epsilon, lower=ends[0], upper=ends[1], draws=draws, reruns=0)
    assert made.column.name == name
    assert made.recommended.name == best
    said = made.recommendation.partition("To publish single values drawn like the data, use ")[2]
    assert said.removeprefix("the ").startswith(made[best].title)
    assert reason in made.recommendation
    assert bool(made.equally_good) == (reason is EQUAL)
    for each in made.equally_good:
        spread = f" ± {each.standard_error:.2g}" if each.standard_error else ""
        assert f"he {each.title} ({each.wasserstein:.3g}{spread})" in made.recommendation
    assert made.to_dict()["equally good"] == [each.name for each in made.equally_good]
    assert f"Wasserstein distance {made.recommended.wasserstein:.3g}" in made.recommendation


@pytest.mark.parametrize("seed", range(4))
def test_the_seed_of_the_simulation_does_not_decide(seed: int) -> None:
    """The histogram is about five percent nearer, by more or less in each simulation."""
    values = column("wine", "alcohol")
    made = by_values(values, 1.0, lower=10, upper=16, delta=0.0, reruns=0, seed=seed)
    assert made.recommended.name == "response"
    assert "The DP histogram (0.1" in made.recommendation
    assert "is equally good" in made.recommendation
    assert made["histogram"].standard_error > 0.0 == made.recommended.standard_error


@pytest.fixture(scope="module")
def wine() -> pb.own_data.Report:
    return by_values(column("wine", "proline"), 1.0, lower=200, upper=1800, bins=32)


def test_the_wines_as_they_are_known(wine: pb.own_data.Report) -> None:
    table = wine.table()
    assert table.loc["response", "KL"] == pytest.approx(0.0205, abs=5e-5)
    mean = by_values(column("wine", "proline"), 1.0, lower=200, upper=1800, publish="mean").table()
    assert mean.loc["mean", "mean error"] == pytest.approx(9.0, abs=0.05)
    assert mean.loc["mean", "largest loss"] == pytest.approx(0.59, abs=0.005)
    assert table.loc["game", "end-to-end loss"] > 1.0 > table.loc["game", "largest loss"]
    assert math.isinf(table.loc["none", "largest loss"])


def test_the_rule_looks_at_the_promise_first(wine: pb.own_data.Report) -> None:
    """The game is nearer and is named with its loss, but is not what is recommended."""
    assert wine["game"].wasserstein < wine.recommended.wasserstein
    assert wine.recommended.promise == "differential privacy"
    assert (
        "The game is nearer (17.1), but its promise holds only for an attacker who takes the "
        "others' noise as given; its largest end-to-end loss is 1.44." in wine.recommendation
    )


@pytest.mark.parametrize(
    ("publish", "names", "best"),
    [
        ("counts", ["none", "noisy_counts", "histogram"], {"noisy_counts", "histogram"}),
        ("mean", ["mean", "histogram"], {"mean"}),
        ("quantiles", ["quantiles", "histogram"], {"quantiles", "histogram"}),
    ],
)
def test_only_releases_of_the_same_thing_are_compared(publish, names, best) -> None:
    values = column("iris", "petal length (cm)")
    made = pb.report(values, 1.0, lower=0, upper=10, publish=publish)
    assert [each.name for each in made.releases] == names and made.recommended.name in best
    assert made.to_dict()["publish"] == publish and "response" not in repr(made)
    assert {each.publish for each in made.releases} == {publish}
    assert made.table()["end-to-end loss"].notna().all() and len(made.losses()) == 150
    assert made.to_html().startswith("<!doctype html>")


def test_counts_are_what_is_published_if_nothing_else_is_said() -> None:
    """Ages: one drawn value was recommended, whose mean misses by 25; the histogram's by less."""
    ages = np.random.default_rng(0).normal(40.0, 20.0, 20_000).clip(0, 100)
    made = pb.report(ages, 1.0, lower=0, upper=100)
    assert made.publish == "counts" and made.recommended.draws is None
    assert made.recommended.mean_error < 0.1
    assert made.recommendation.startswith("To publish a table of counts, use the ")
    with pytest.raises(ValueError, match=r"draws must be 1 with publish='counts'.*got draws=7"):
        pb.report(ages, 1.0, lower=0, upper=100, draws=7)
    with pytest.raises(ValueError, match=r"^publish must be 'counts', 'mean', 'quantiles' or"):
        pb.report(ages, 1.0, lower=0, upper=100, publish="everything")


def test_errors_that_differ_by_next_to_nothing_are_equal() -> None:
    """Grades: one error is six times the other, and both are nothing beside a grade."""
    grades = np.random.default_rng(0).choice([1, 2, 3, 4, 5], 2000, p=[0.05, 0.1, 0.2, 0.4, 0.25])
    made = pb.report(grades, 1.0, lower=1, upper=5, whole=True, publish="value", reruns=0)
    assert made.bins == 5 and made.column.grid(5).midpoints.tolist() == [1, 2, 3, 4, 5]
    assert made["response"].wasserstein < 0.01 > made["histogram"].wasserstein
    assert made.recommended.name == "response", "simpler than what is nearer by next to nothing"
    assert made["histogram"] in made.equally_good
    loose = pb.report(grades, 1.0, lower=1, upper=5, reruns=0)
    assert any("All values are whole numbers" in each for each in loose.warnings)
    assert not any("All values are whole" in each for each in made.warnings)


def test_a_difference_that_the_simulation_cannot_tell_is_none() -> None:
    """Errors of 1 and 0.9: a twentieth is a tie anyway, and the rest may be chance."""
    values = np.random.default_rng(0).choice([1, 2, 3, 4, 5], 200)
    made = by_values(values, 1.0, lower=1, upper=5, whole=True, reruns=0)
    for spread, best in (((0.0, 0.0), "histogram"), ((0.0, 0.049), "histogram"),
                         ((0.0, 0.051), "response"), ((0.049, 0.0), "histogram"),
                         ((0.051, 0.0), "response"), ((0.04, 0.04), "response")):  # fmt: skip
        errors = {"response": (1.0, spread[0]), "histogram": (0.9, spread[1])}
        changed = [
            replace(made[name], wasserstein=error, standard_error=chance)
            for name, (error, chance) in errors.items()
        ]
        compared = replace(made, releases=tuple(changed))
        assert compared.recommended.name == best
        assert (compared["histogram"] in compared.equally_good) == (best == "response")


def test_a_range_that_does_not_fit_has_a_warning() -> None:
    values = np.random.default_rng(0).uniform(1.0, 9.9, 200)
    said = " ".join(pb.report(values, 1.0, lower=0, upper=5000).warnings)
    assert "100.0% of the records are in one of the" in said and "right decimal sign" in said
    assert "of the records are in one" not in " ".join(
        pb.report(values, 1.0, lower=0, upper=10).warnings
    )


def test_a_hollow_promise_is_called_so_where_it_stands() -> None:
    values = np.random.default_rng(0).uniform(0.0, 1.0, 12)
    large = pb.report(values, 30.0, lower=0, upper=1)
    assert "At ε = 30 this promise hides next to nothing." in large.recommendation
    assert "At ε = 30 this promise hides next to nothing." in large.guarantees["histogram"]
    loose = by_values(values, 1.0, lower=0, upper=1, draws=2, delta=0.5)
    assert "With δ = 0.5, which is not below 1/n" in loose.guarantees["response"]
    assert "next to nothing" not in pb.report(values, 1.0, lower=0, upper=1).recommendation
    even = by_values(np.linspace(0, 1, 50), 1.0, lower=0, upper=1, draws=2, delta=0.02, reruns=0)
    assert any("is not below 1/n" in each for each in even.warnings), "δ = 1/n publishes a record"


def test_nothing_of_the_recommendation_needs_the_order_of_the_records() -> None:
    values = column("iris", "petal length (cm)").to_numpy()
    made = [
        by_values(each, 1.0, lower=0, upper=10, reruns=0)
        for each in (values, np.random.default_rng(0).permutation(values))
    ]
    assert made[0].recommendation == made[1].recommendation
    pd.testing.assert_frame_equal(made[0].table(), made[1].table())


def test_all_is_the_same_in_another_unit() -> None:
    """Losses and KL do not depend on the unit; errors follow it."""
    x = column("iris", "petal length (cm)").to_numpy()
    cm = by_values(x, 1.0, lower=0, upper=10, reruns=0).table()
    mm = by_values(10 * x, 1.0, lower=0, upper=100, reruns=0).table()
    scaled = [
        "Wasserstein",
        "standard error",
        "mean error",
        *(c for c in cm if c.endswith("quartile error")),
    ]
    for name in cm.columns.drop(["promise", "title"]):
        factor = 10.0 if name in {*scaled, "median error"} else 1.0
        np.testing.assert_allclose(mm[name], factor * cm[name], rtol=1e-6, err_msg=name)


def test_it_says_everywhere_that_it_is_not_private_and_what_it_takes_as_public(
    wine: pb.own_data.Report,
) -> None:
    """The number of bins changes from 106 to 107 records, so the promise needs a public n."""
    assert [pb.own_data.public_bins(n, 1.0) for n in (106, 107)] == [13, 14]
    everywhere = (repr(wine), wine._repr_html_(), wine.to_html(), " ".join(wine.warnings))
    for words in ("is not private itself", "(pdpbook.own_data.public_bins gives 17 here)"):
        assert all(words in each for each in everywhere)
    assert all("records, 178, is taken as public" in each for each in everywhere)


def test_a_range_from_the_data_leaves_no_promise() -> None:
    """Without the smallest wine the released points move, which the promise has to admit."""
    wines = column("wine", "proline")
    made = by_values(wines, 1.0, bins=17, reruns=0)
    fewer = by_values(wines.drop(wines.idxmin()), 1.0, bins=17, reruns=0)
    points = made.column.grid(17).midpoints
    assert not set(points) & set(fewer.column.grid(17).midpoints)
    assert made.recommendation.startswith("No release of this column keeps a promise")
    assert "the promise is differential privacy" not in made.recommendation
    assert "the report would recommend" in made.recommendation
    assert "if this range were public" in made.recommendation
    rows = [line for line in repr(made).splitlines() if line.startswith("Laplace mechanism ")]
    assert len(rows) == 1 and "none" in rows[0] and "∞" in rows[0]
    found = json.loads(json.dumps(made.to_dict(), allow_nan=False))
    assert found["recommendation"] == made.recommendation
    for each in found["releases"][1:]:
        assert each["promise"] == "none: the range is taken from the data"
        assert each["epsilon"] is None and each["end-to-end loss"] is None
        assert {"epsilon", "end-to-end loss"} <= set(each["infinite"])
        assert each["guarantee"].startswith("Nothing is promised, because the range is taken")
    assert np.isinf(made.table()["end-to-end loss"]).all()
    assert made.plot().axes[2].get_yticklabels(), "losses by the noise are shown still"


def test_it_counts_what_it_has_moved() -> None:
    with pytest.raises(ValueError, match="outside='clip'"):
        by_values(column("wine", "proline"), 1.0, lower=200, upper=1000)
    made = by_values(
        column("wine", "proline"), 1.0, lower=200, upper=1000, outside="clip", reruns=0
    )
    outside = int((column("wine", "proline") > 1000).sum())
    assert made.column.moved == outside > 0
    assert f"{outside} of 178 values" in made.warnings[1]


def test_a_guarantee_is_in_words_and_numbers(wine: pb.own_data.Report) -> None:
    said = wine.guarantees
    assert list(said) == list(wine.table().index)
    replaced = {"histogram": "ε = 2.", "response": "ε = 1.", "repaired_game": "ε = 2, δ = 3.718"}
    for name, promise in replaced.items():
        assert said[name].startswith("Differential privacy at ε = 1")
        assert "knows the algorithm, the number of records and all the others" in said[name]
        assert f"replacement of one record by another it is {promise}" in said[name]
    assert said["game"].startswith("Fixed-noise privacy at ε = 1 for one draw")
    assert "as long as the noise of the others stays" in said["game"]
    assert said["none"] == "Nothing is promised."
    counts = pb.report(column("wine", "proline"), 1.0, lower=200, upper=1800).guarantees
    assert "Differential privacy at ε = 1, paid once" in counts["histogram"]
    many = by_values(column("iris", "petal length (cm)"), 1.0, lower=0, upper=10, draws=5, reruns=0)
    assert "at ε = 1, δ = 1e-06 for all 5 draws together" in many.guarantees["laplace"]


def test_a_terminal_shows_the_table_of_the_releases(wine: pb.own_data.Report) -> None:
    lines = repr(wine).splitlines()
    assert lines[:2] == [wine.title, wine.recommendation]
    for each, line in zip(wine.releases, lines[3:], strict=False):
        assert line.startswith(each.title) and each.algorithm in line
        shown = "∞" if math.isinf(each.largest_loss) else f"{each.largest_loss:.3g}"
        assert shown in line and f"{each.error:.3g}" in line
    assert max(map(len, lines[2 : 3 + len(wine.releases)])) < 120


def test_a_sweep_repeats_the_report_at_other_numbers_of_bins(wine: pb.own_data.Report) -> None:
    values = column("wine", "proline")
    assert wine.sweep.index.tolist() == [8, 16, 32, 64, 128]
    other = by_values(values, 1.0, lower=200, upper=1800, bins=64, reruns=0)
    for name in wine.sweep:
        assert wine.sweep.loc[64, name] == pytest.approx(
            other[name].wasserstein, abs=10 * other[name].standard_error
        ), "fewer runs of what is simulated"
    assert 17 in by_values(values, 1.0, lower=200, upper=1800, reruns=0).sweep.index


def test_the_losses_of_all_records(wine: pb.own_data.Report) -> None:
    losses = wine.losses()
    assert losses.shape == (178, 1 + len(wine.releases))
    assert losses["proline"].tolist() == sorted(column("wine", "proline"))
    table = wine.table()
    for name in table.index:
        assert losses[name].max() == table.loc[name, "largest loss"]
        assert losses[name].median() == pytest.approx(table.loc[name, "median loss"])


def test_a_program_can_read_it(wine: pb.own_data.Report) -> None:
    """JSON has no infinity: what is infinite or missing is null."""
    found = json.loads(json.dumps(wine.to_dict(), allow_nan=False))
    releases = {each["release"]: each for each in found["releases"]}
    assert releases["none"]["largest loss"] is None
    assert releases["game"]["guarantee"] == wine.guarantees["game"]
    assert found["recommended"] == wine.recommended.name and found["bins"] == 32
    assert found["neighbours"].startswith("data sets that differ by the removal of one record")
    assert "the number of records is public" in found["neighbours"]
    assert releases["histogram"]["replacement epsilon"] == 2.0
    assert releases["game"]["replacement epsilon"] is None


def test_the_figure_shows_column_errors_and_losses(wine: pb.own_data.Report) -> None:
    shape, errors, losses = wine.plot().axes
    assert shape.get_xlabel() == "proline" and len(shape.patches) == 32
    drawn = sorted(bar.get_width() for bar in errors.patches)
    assert drawn == sorted(each.wasserstein for each in wine.releases if each.wasserstein > 0)
    names = [label.get_text() for label in losses.get_yticklabels()]
    assert "no noise" not in names and len(names) == len(wine.releases) - 1


def test_the_figure_shows_one_histogram_and_not_an_average_of_many() -> None:
    values = column("linnerud", "Situps")
    made = by_values(values, 1.0, lower=0, upper=300, draws=20, reruns=0)
    assert made.recommended.name == "histogram"
    counts = made.column.grid(made.bins).counts(values)
    one = pb.dp_histogram(counts, epsilon=1.0, rng=np.random.default_rng([0, 0]))
    line = made.plot().axes[0].lines[0]
    np.testing.assert_array_equal(line.get_ydata(), one)
    assert line.get_label() == "a value by DP histogram, one run"


def test_what_is_left_out_is_stated() -> None:
    values = column("iris", "petal length (cm)")
    pure = by_values(values, 1.0, lower=0, upper=10, delta=0.0, reruns=0)
    assert "repaired_game" not in pure.table().index
    fine = by_values(values, 1.0, lower=0, upper=10, bins=33, reruns=0)
    assert "repaired_game" not in fine.table().index
    assert pure.left_out == {"repaired_game": "it needs a δ above 0"}
    assert "linear programs would take too long for 33 bins; they" in fine.left_out["repaired_game"]
    assert pure.to_dict()["left out"] == pure.left_out
    assert any("The repaired game is left out: it needs a δ above 0." in w for w in pure.warnings)
    with pytest.raises(KeyError, match="no release is called 'repaired_game'; there are none, "):
        pure["repaired_game"]


@pytest.mark.parametrize("name", ["epsilon", "delta", "draws", "bins", "seed", "reruns"])
def test_a_bad_argument_is_named(name: str) -> None:
    bad = {"epsilon": 9e-7, "delta": 1.0, "draws": 0, "bins": 1, "seed": -1, "reruns": -1}
    arguments = {"epsilon": 1.0, name: bad[name]}
    with pytest.raises(ValueError, match=f"^{name} must"):
        by_values([1.0, 2.0], lower=0, upper=3, **arguments)


@pytest.mark.parametrize("values", [[1.0, 2.0], [2.0, 2.0], [0.0, 3.0, 3.0]])
def test_the_smallest_columns_have_a_report(values: list[float]) -> None:
    made = by_values(values, 1.0, lower=0, upper=3)
    assert made.recommended.promise == "differential privacy"
    assert made.to_html().startswith("<!doctype html>")


def test_reruns_of_the_game_end_where_they_would_take_long(monkeypatch) -> None:
    """With 35,000 values in 61 bins 61 reruns of the game would take half a minute."""
    values = np.random.default_rng(0).lognormal(3.0, 0.8, 35_000)
    found = []
    monkeypatch.setattr(releases, "game_pipeline", lambda *of: found.append(of))
    made = by_values(values, 0.1, lower=0, upper=200, outside="clip", delta=0.0)
    assert made.bins == 61 and not found and made["game"].end_to_end is None
    assert made["common_scale"].end_to_end is not None
    said = "The end-to-end loss of the game was not computed"
    assert any(said in each for each in made.warnings) and said in repr(made)


def test_a_game_that_would_take_long_is_left_out() -> None:
    values = np.random.default_rng(0).uniform(0.0, 1.0, 5_000)
    made = by_values(values, 1.0, lower=0, upper=1, bins=512)
    assert "game" not in made.table().index
    assert "5,000 records in 512 bins" in made.left_out["game"]
    assert made["common_scale"].end_to_end is None


def test_an_epsilon_that_hides_nothing_has_a_warning() -> None:
    values = np.random.default_rng(0).uniform(0.0, 1.0, 50)
    found = {
        epsilon: " ".join(by_values(values, epsilon, lower=0, upper=1, reruns=0).warnings)
        for epsilon in (1.0, 6.8, 7.0, 12.0)
    }
    assert "hides next to nothing" not in found[1.0] + found[6.8]
    assert "ε = 7 hides next to nothing" in found[7.0] and "from 1/2 to 0.9990." in found[7.0]
    assert "from 1/2 to 0.999993." in found[12.0]
    assert "comes out as its true bin with probability" not in found[1.0]
    assert "true bin with probability 0.9999" in found[12.0]


def test_a_delta_above_one_in_n_has_a_warning() -> None:
    values = np.random.default_rng(0).uniform(0.0, 1.0, 50)
    for delta, warned in ((1e-6, False), (0.0199, False), (0.021, True)):
        made = by_values(values, 1.0, lower=0, upper=1, delta=delta, reruns=0)
        assert (
            any(f"δ = {delta:g} is not below 1/n = 0.02" in each for each in made.warnings)
            == warned
        )
