"""Every record of every column is private from the start to the end of the dynamics."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdpbook import Grid, best_response_dynamics, k_ary_randomised_response, kl_divergence
from pdpbook.scaling.histograms import ColumnHistogram, Histograms
from pdpbook.scaling.plan import MULTIPLIERS, _safe_game, solve


def histograms(*counts):
    columns = tuple(
        ColumnHistogram(f"c{j}", Grid(0.0, 1.0, bins=len(each)), np.array(each), 0, 0, 0, 0, False)
        for j, each in enumerate(counts)
    )
    return Histograms(columns, int(np.sum(counts[0])), (), "refuse", "refuse", "refuse")


THREE = histograms([40, 0, 1, 30], [500, 3, 2, 1], [1, 1, 0, 0])


@given(
    st.lists(st.integers(0, 10**6), min_size=2, max_size=12).filter(lambda c: sum(c) >= 2),
    st.floats(0.01, 5.0),
)
def test_the_safe_game_starts_with_everybody_private(counts, epsilon):
    game = _safe_game(np.array(counts), epsilon, MULTIPLIERS)
    assert game.evaluate(game.constant_profile(0)).private_records == sum(counts)
    assert game.scales[1] / game.scales[0] == pytest.approx(0.01)


@pytest.mark.parametrize("sweeps", [1, 2, 40])
def test_everybody_is_private_after_any_sweep(client, sweeps):
    found = solve(THREE, epsilon=1.0, max_sweeps=sweeps, client=client)
    assert [each.histogram.name for each in found.columns] == ["c0", "c1", "c2"]
    for each in found.columns:
        assert each.loss <= 1.0
        assert sum(each.weights) == each.histogram.records * 2**52
    report = found.report()
    assert report.index.tolist() == ["c0", "c1", "c2"]
    assert report["records"].tolist() == [71, 506, 2]
    assert report["converged"].tolist() == [each.converged for each in found.columns]
    assert report["largest loss"].tolist() == [each.loss for each in found.columns]


def test_the_distribution_is_the_output_of_the_game():
    found = solve(THREE, epsilon=1.0).columns[1]
    game = _safe_game(np.array([500, 3, 2, 1]), 1.0, MULTIPLIERS)
    profile = best_response_dynamics(game, start=game.constant_profile(0)).profile
    weights = sum(
        int(count) * game.weights[v, k].astype(object) for (k, v), count in np.ndenumerate(profile)
    )
    assert found.weights == tuple(weights), "drawn is what was judged, without rounding"
    assert found.divergence == pytest.approx(game.evaluate(profile).divergence)
    assert found.loss == pytest.approx(np.nanmax(game.evaluate(profile).losses))
    assert found.converged


def test_silence_is_the_start_where_it_exposes_nobody():
    column = solve(histograms([10**6, 10**6, 0, 10**6]), epsilon=1.0).columns[0]
    assert column.divergence < 1e-9 and column.converged


def test_the_randomiser_does_not_look_at_the_data():
    found = solve(THREE, epsilon=1.0, mechanism="k-ary-randomised-response", at_least=2)
    assert found.at_least == 2 and not found.at_least_from_data
    randomiser = k_ary_randomised_response(4, 2, 1.0)
    rows = (randomiser * 2**52).astype(int).astype(object)
    for each in found.columns:
        frequency = each.histogram.counts / each.histogram.records
        assert each.weights == tuple(map(int, each.histogram.counts.astype(object) @ rows))
        assert each.divergence == pytest.approx(kl_divergence(frequency, frequency @ randomiser))
        assert each.loss <= 1.0
    assert found.columns[2].loss == pytest.approx(1.0)  # two records: as n says, so tight


@pytest.mark.parametrize(
    ("n", "first_digit"), [(2, 2), (7, 7), (10, 10), (19, 10), (99_999, 90_000), (10**9, 10**9)]
)
def test_the_cost_stands_on_the_first_digit(n, first_digit):
    found = solve(histograms([n - 1, 1]), epsilon=1.0, max_sweeps=1)
    assert found.at_least == first_digit and found.at_least_from_data


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"epsilon": 0.0}, "epsilon must be a finite number > 0"),
        ({"mechanism": "blur"}, "mechanism must be 'game' or 'k-ary-randomised-response'"),
        ({"multipliers": [0.5, 0.1]}, r"multipliers must be 1, then numbers in \(0, 1\)"),
        ({"multipliers": [1.0, 2.0]}, r"multipliers must be 1, then numbers in \(0, 1\)"),
        ({"at_least": 3}, "at_least must be at most .* at_least=3 and 2 records in 'c2'"),
        ({"at_least": 1}, "at_least must be a whole number >= 2"),
        ({"max_sweeps": 0}, "max_sweeps must be a whole number >= 1"),
        ({"histograms": histograms([1, 0])}, "at least 2 records, got 1 in 'c0'"),
        ({"histograms": [40, 1]}, "histograms must be of type Histograms"),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises((ValueError, TypeError), match=message):
        solve(**({"histograms": THREE, "epsilon": 1.0} | arguments))
