"""Grid and random sampling query: padding, bins, the distribution of a draw."""

import dataclasses
import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import pdpbook as pb
from pdpbook.foundations.grid_noise import laplace_rows, whole_weights
from pdpbook.foundations.sampling_query import Grid, PerInstanceLaplace
from pdpbook.per_instance.noise_kernels import laplace_kernel

FALSE_ALARM = 1e-6
data_sets = st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=30).filter(
    lambda values: max(values) - min(values) > 1e-3
)


@given(data_sets, st.floats(0.05, 20.0), st.floats(0.51, 0.99))
def test_the_padding_holds_the_stated_share_of_the_noise(data, epsilon, quantile):
    grid = Grid.padded(data, epsilon=epsilon, quantile=quantile)
    spread = max(data) - min(data)
    noise = stats.laplace(scale=spread / epsilon)
    assert noise.cdf(grid.upper - max(data)) == pytest.approx(quantile, abs=1e-6)
    assert noise.sf(grid.lower - min(data)) == pytest.approx(quantile, abs=1e-6)
    assert grid.sensitivity == pytest.approx(spread / grid.width)
    expected = 1.0 / (1.0 - 2.0 * math.log(2.0 - 2.0 * quantile) / epsilon)
    assert grid.sensitivity == pytest.approx(expected)


def test_the_printed_sign_would_shrink_the_interval():
    printed = 1.0 * math.log(2.0 - 2.0 * 0.9)  # the paper's pad at range 1 and epsilon 1
    grid = Grid.padded([0.0, 1.0], epsilon=1.0)
    assert printed < 0.0
    assert (grid.lower, grid.upper) == pytest.approx((printed, 1.0 - printed))


@given(data_sets, st.integers(2, 200))
def test_every_record_lies_in_its_bin(data, bins):
    grid = Grid.padded(data, epsilon=1.0, bins=bins)
    half = grid.width / bins / 2.0
    assert (np.abs(grid.midpoints[grid.index(data)] - data) <= half * (1 + 1e-9)).all()
    assert grid.counts(data).sum() == len(data)
    assert np.array_equal(grid.index(grid.midpoints), np.arange(bins))


def test_edges_belong_to_the_bin_above_and_the_end_to_the_last():
    grid = Grid(0.0, 4.0, bins=4)
    assert grid.index([0.0, 1.0, 2.0, 3.0, 4.0]).tolist() == [0, 1, 2, 3, 3]


@given(
    st.lists(st.floats(0.0, 1.0), min_size=1, max_size=12),
    st.lists(st.sampled_from([1e-3, 0.05, 0.3, 1.0, 1e6]), min_size=12, max_size=12),
    st.integers(2, 40),
)
def test_output_is_the_mean_of_the_kernel_rows(data, scales, bins):
    grid = Grid(0.0, 1.0, bins)
    scales = scales[: len(data)]
    rows = [laplace_kernel(bins, [b])[0, k] for k, b in zip(grid.index(data), scales, strict=True)]
    output = PerInstanceLaplace(data, scales, grid).output()
    assert output == pytest.approx(np.mean(rows, axis=0), abs=1e-14)
    one = PerInstanceLaplace(data, 0.3, grid).output()
    assert one == pytest.approx(laplace_kernel(bins, [0.3])[0, grid.index(data)].mean(axis=0))


@pytest.mark.parametrize("factor", [0.95, 1.0, 1.05])
def test_draws_follow_the_integrated_density(factor):
    """Chi-square against scipy's Laplace; rejects scales 5 % off; false alarms 1e-6."""
    grid = Grid(100.0, 200.0, bins=20)
    data, scales = np.array([110.0, 111.0, 150.0, 199.0]), np.array([0.02, 0.2, 0.1, 0.4])
    draws = PerInstanceLaplace(data, scales, grid).sample(400_000, rng=np.random.default_rng(0))
    edges = np.linspace(0.0, 1.0, 21)
    chances = np.zeros(20)
    for k, b in zip(grid.index(data), scales * factor, strict=True):
        cdf = stats.laplace(loc=(k + 0.5) / 20, scale=b).cdf(edges)
        chances += np.diff(cdf) / (cdf[-1] - cdf[0]) / 4
    assert set(draws) <= set(grid.midpoints)
    pvalue = stats.chisquare(grid.counts(draws), 400_000 * chances).pvalue
    if factor == 1.0:
        assert pvalue > FALSE_ALARM, f"p={pvalue:.2g}; false alarms: {FALSE_ALARM:g}"
    else:
        assert pvalue < FALSE_ALARM, f"a scale 5 % off was not noticed: p={pvalue:.2g}"


def test_a_scale_of_zero_releases_the_own_bin():
    """Two records without noise are in bin 1 and one in bin 3; the third record has noise."""
    grid = Grid(0.0, 1.0, bins=4)
    query = PerInstanceLaplace([0.3, 0.4, 0.6, 0.9], [0.0, -0.0, 0.2, 0.0], grid)
    noisy = laplace_kernel(4, [0.2])[0, 2] / 4
    assert query.output() == pytest.approx(noisy + np.array([0.0, 0.5, 0.0, 0.25]), abs=1e-15)
    alone = PerInstanceLaplace([0.3, 0.4, 0.9], 0.0, grid)
    assert alone.output().tolist() == [0.0, 2 / 3, 0.0, 1 / 3]  # 0 exactly, and not 2**-52
    draws = alone.sample(30_000, rng=np.random.default_rng(0))
    assert set(draws) == {0.375, 0.875}
    assert stats.binomtest(int((draws == 0.875).sum()), draws.size, 1 / 3).pvalue > FALSE_ALARM


def exact_losses(query: PerInstanceLaplace) -> list[Decimal]:
    """Return the loss of each record by definition, to 60 digits, from the numbers of a draw."""
    bins, n = query.grid.bins, len(query.data)
    weights = whole_weights(laplace_rows(query.grid.index(query.data), query.scales, bins))
    rows = [[int(weight) for weight in row] for row in weights]
    mass = [sum(column) for column in zip(*rows, strict=True)]
    losses = []
    with localcontext(prec=60):
        for row in rows:
            without = [total - own for total, own in zip(mass, row, strict=True)]
            ratios = [
                Decimal(total * (n - 1)) / Decimal(rest * n) if rest else Decimal("inf")
                for total, rest in zip(mass, without, strict=True)
                if total
            ]
            losses.append(max(abs(ratio.ln()) for ratio in ratios))
    return losses


@given(
    st.lists(st.floats(0.0, 1.0), min_size=2, max_size=12),
    st.lists(st.sampled_from([0.0, 1e-3, 0.05, 0.3, 1.0, 1e6]), min_size=12, max_size=12),
    st.integers(2, 12),
)
def test_losses_are_those_of_the_definition_rounded_up(data, scales, bins):
    query = PerInstanceLaplace(data, scales[: len(data)], Grid(0.0, 1.0, bins))
    for found, exact in zip(query.losses().tolist(), exact_losses(query), strict=True):
        if exact.is_infinite():
            assert found == math.inf
            continue
        assert exact <= Decimal(found) <= exact + (2 + exact) * Decimal("1e-14")


def test_losses_are_those_of_the_game_with_the_same_scales():
    rng, grid, kinds = np.random.default_rng(5), Grid(0.0, 1.0, 9), np.array([0.03, 0.4, 2.0])
    data, actions = rng.random(40), rng.integers(3, size=40)
    game = pb.NVOGame(grid.counts(data), laplace_kernel(9, kinds), epsilon=700.0)
    profile = np.zeros((9, 3), dtype=np.int64)
    np.add.at(profile, (grid.index(data), actions), 1)
    losses = PerInstanceLaplace(data, kinds[actions], grid).losses()
    assert losses.tolist() == game.evaluate(profile).losses[grid.index(data), actions].tolist()


@pytest.mark.parametrize("counts", [[0, 4, 2, 0, 1], [5, 5, 5]])
def test_the_common_scale_fits_the_query_and_everybody_is_private(counts):
    """In the second histogram no record needs noise, and the scale is 0."""
    grid, scale = Grid(0.0, 1.0, len(counts)), pb.common_scale(counts, epsilon=1.0)
    query = PerInstanceLaplace(np.repeat(grid.midpoints, counts), scale, grid)
    assert query.losses().max() <= 1.0
    assert (scale == 0.0) == (counts == [5, 5, 5])


def test_a_record_without_company_has_an_infinite_loss():
    assert PerInstanceLaplace([0.5], 0.3, GRID).losses().tolist() == [math.inf]
    losses = PerInstanceLaplace([0.1, 0.12, 0.9], [0.0, 0.0, 0.0], Grid(0.0, 1.0, 3)).losses()
    assert losses.tolist() == [pytest.approx(math.log(1.5), rel=1e-14)] * 2 + [math.inf]


def test_the_query_is_frozen_and_keeps_its_own_copies():
    data, scales = np.array([0.2, 0.8]), np.array([0.3, 0.3])
    query = PerInstanceLaplace(data, scales, Grid(0.0, 1.0, 10))
    before = query.output()
    data[0], scales[0] = 0.9, 10.0
    assert np.array_equal(query.output(), before)
    assert PerInstanceLaplace([0.2, 0.8], 0.3, query.grid).scales.tolist() == [0.3, 0.3]
    with pytest.raises(dataclasses.FrozenInstanceError):
        query.scales = 1.0
    with pytest.raises(ValueError, match="read-only"):
        query.scales[0] = 1.0


GRID = Grid(0.0, 1.0, 10)


def test_a_grid_is_finite_everywhere_and_of_plain_numbers():
    with pytest.raises(ValueError, match=r"upper must be a finite distance above lower=-1\.5e"):
        Grid(-1.5e308, 1.5e308, bins=3)
    wide = Grid(-8e307, 8e307, bins=3)
    assert np.isfinite(wide.midpoints).all() and wide.index([0.0]).tolist() == [1]
    grid = Grid(Fraction(1, 2), Fraction(1), np.int64(4), sensitivity=Fraction(1, 4))
    assert grid == Grid(0.5, 1.0, 4, sensitivity=0.25)
    assert [type(each) for each in dataclasses.astuple(grid)] == [float, float, int, float]
    assert grid.midpoints == pytest.approx([0.5625, 0.6875, 0.8125, 0.9375])


def test_the_padding_of_the_paper():
    """The defaults are 101 bins and the quantile 0.9 of Laplace noise on either side."""
    grid = Grid.padded([2.0, 3.0, 6.0], epsilon=0.5)
    pad = 4.0 / 0.5 * math.log(5.0)
    assert grid.bins == 101
    assert (grid.lower, grid.upper) == pytest.approx((2.0 - pad, 6.0 + pad), rel=1e-14)
    assert grid.sensitivity == pytest.approx(4.0 / (4.0 + 2.0 * pad), rel=1e-14)
    assert stats.laplace.cdf(pad, scale=4.0 / 0.5) == pytest.approx(0.9, rel=1e-12)


def test_more_kinds_of_records_than_are_looked_at_at_a_time():
    """With 5,000 scales on 3 bins, the rows are made in two parts."""
    rng = np.random.default_rng(0)
    grid, data = Grid(0.0, 1.0, 3), rng.random(5000)
    scales = np.geomspace(0.01, 10.0, 5000)
    rows = np.array(
        [PerInstanceLaplace([x], b, grid).output() for x, b in zip(data, scales, strict=True)]
    )
    assert PerInstanceLaplace(data, scales, grid).output() == pytest.approx(rows.mean(axis=0))
