"""The truncated Laplace and Gaussian kernels and the extremes of the truncated density."""

import math
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad

from pdpbook import (
    NVOGame,
    gaussian_kernel,
    laplace_kernel,
    scale_bound,
    truncated_laplace_extremes,
    truncated_laplace_pdf,
)
from pdpbook.per_instance import product_kernel

many_bins = st.integers(2, 200)
any_scale = st.floats(math.log(1e-6), math.log(1e12)).map(math.exp)
usual_scale = st.floats(math.log(0.02), math.log(100.0)).map(math.exp)
unit = st.floats(0.0, 1.0)


@given(many_bins, st.lists(any_scale, min_size=1, max_size=3))
def test_rows_are_distributions_and_mirror_images(bins, scales):
    for kernel in (laplace_kernel(bins, scales), gaussian_kernel(bins, scales)):
        assert kernel.shape == (len(scales), bins, bins)
        assert np.isfinite(kernel).all() and (kernel >= 0).all()
        assert np.abs(kernel.sum(axis=2) - 1).max() < 1e-13
        assert np.allclose(kernel, kernel[:, ::-1, ::-1], rtol=1e-12, atol=1e-300)
        own = np.diagonal(kernel, axis1=1, axis2=2)
        assert (own >= (1 - 1e-12) / bins).all()
        assert (own >= kernel.max(axis=2) * (1 - 1e-12)).all()


@pytest.mark.parametrize("bins", [2, 7, 30])
@pytest.mark.parametrize("scale", [0.05, 0.3, 2.0, 50.0])
def test_masses_are_integrals_of_the_density(bins, scale):
    row = bins // 3
    location = (row + 0.5) / bins
    for x in range(bins):
        expected, _ = quad(
            lambda t: float(truncated_laplace_pdf(t, location, scale)),
            x / bins,
            (x + 1) / bins,
            points=[location] if x == row else None,
        )
        assert laplace_kernel(bins, [scale])[0, row, x] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("scale", [1e-6, 1e-3, 0.01, 0.2, 1.0, 30.0, 1e5, 1e9, 1e12])
@pytest.mark.parametrize(("bins", "row"), [(2, 0), (11, 10), (51, 17)])
def test_every_mass_is_right_to_the_last_digits(bins, row, scale):
    from mpmath import mp

    computed = laplace_kernel(bins, [scale])[0, row]
    with mp.workdps(400):
        edges = [mp.mpf(2 * i - 2 * row - 1) / (2 * bins) / mp.mpf(scale) for i in range(bins + 1)]
        cdf = [mp.exp(t) / 2 if t < 0 else 1 - mp.exp(-t) / 2 for t in edges]
        for x in range(bins):
            exact = (cdf[x + 1] - cdf[x]) / (cdf[-1] - cdf[0])
            if exact < 1e-290:
                assert computed[x] < 1e-280
            else:
                # an exponent of size t costs t roundoffs
                allowed = 1e-15 * (8 + abs(x - row) / (bins * scale))
                assert abs(mp.mpf(float(computed[x])) / exact - 1) < allowed


@given(usual_scale, unit, unit)
def test_the_density_lies_between_its_extremes(scale, location, x):
    low, high = truncated_laplace_extremes(scale)
    value = truncated_laplace_pdf(x, location, scale)
    assert low * (1 - 1e-12) <= value <= high * (1 + 1e-12)


@given(st.floats(math.log(0.002), math.log(1e8)).map(math.exp))
def test_ratio_and_difference_of_the_extremes(scale):
    low, high = truncated_laplace_extremes(scale)
    assert math.log(high) - math.log(low) == pytest.approx(1 / scale, rel=1e-12, abs=1e-15)
    assert high - low == pytest.approx(1 / scale, rel=1e-12, abs=1e-15)
    assert low < 1 < high or scale > 1e7
    assert low == pytest.approx(float(truncated_laplace_pdf(1.0, 0.0, scale)), rel=1e-12)
    assert high == pytest.approx(float(truncated_laplace_pdf(0.0, 0.0, scale)), rel=1e-12)


@given(usual_scale, unit, unit, unit)
def test_the_density_increases_towards_the_point(scale, x, first, second):
    """For x >= mu the density increases in mu: (20)-(22) of the paper, corrected."""
    near, far = sorted((first * x, second * x), reverse=True)
    values = truncated_laplace_pdf(x, [far, near], scale)
    assert values[0] <= values[1] * (1 + 1e-12)


@given(st.integers(2, 40), usual_scale)
def test_ratio_on_a_grid(bins, scale):
    rows = laplace_kernel(bins, [scale])[0]
    step = 1 / (bins * scale)
    closed = 2 / (1 + math.exp(-step / 2)) * math.exp((bins - 1.5) * step)
    assert (rows[:, None, :] / rows[None, :, :]).max() == pytest.approx(closed, rel=1e-9)
    assert closed < math.exp(1 / scale)


def test_extreme_scales_of_the_density():
    assert truncated_laplace_pdf(0.9, 0.4, 1e12) == pytest.approx(1.0, rel=1e-11)
    assert truncated_laplace_pdf(0.4, 0.4, 1e-6) == pytest.approx(5e5)
    low, high = truncated_laplace_extremes(1e-6)
    assert low == 0.0 and high == pytest.approx(1e6)


@pytest.mark.parametrize("place", [0, 4])
@pytest.mark.parametrize("sigma", [0.05, 0.3, 1.51, 1.54, 3.0, 1e4, 1e9, 1e12])
def test_every_gaussian_mass_is_right_to_the_last_digits(sigma, place):
    """Tails change to quadrature near sigma = 1.52 for 11 bins; both sides are tested."""
    from mpmath import mp

    row = gaussian_kernel(11, [sigma])[0, place]
    with mp.workdps(120):
        cuts = [mp.mpf(2 * (i - place) - 1) / 22 / mp.mpf(sigma) for i in range(12)]
        total = mp.ncdf(cuts[-1]) - mp.ncdf(cuts[0])
        for x in range(11):
            exact = (mp.ncdf(cuts[x + 1]) - mp.ncdf(cuts[x])) / total
            assert abs(mp.mpf(float(row[x])) / exact - 1) < (1e-11 if sigma < 0.1 else 1e-14)


def test_scales_at_the_ends_of_the_floating_point_numbers():
    for kernel in (laplace_kernel, gaussian_kernel):
        rows = kernel(101, [1e308, 5e-324])
        assert rows[0] == pytest.approx(1 / 101, rel=1e-12)
        assert (rows[1] == np.maximum(np.eye(101), sys.float_info.min)).all()
    assert truncated_laplace_pdf([0.0, 0.5, 1.0], 0.5, 1e308) == pytest.approx(1.0)
    assert truncated_laplace_extremes(1e308) == pytest.approx((1.0, 1.0))


def test_the_density_of_nan_is_nan():
    found = truncated_laplace_pdf([math.nan, -0.1, 1.1], 0.5, 0.2)
    assert math.isnan(found[0]) and (found[1:] == 0.0).all()


# --- two features


def test_a_product_kernel_is_the_kronecker_product_of_each_pair():
    one, two = laplace_kernel(3, [0.1, 0.4]), laplace_kernel(2, [0.3, 0.2, 1.0])
    product = product_kernel(one, two)
    assert product.shape == (6, 6, 6)
    for v in range(2):
        for w in range(3):
            np.testing.assert_allclose(product[3 * v + w], np.kron(one[v], two[w]))
    np.testing.assert_allclose(product.sum(axis=2), 1.0)
    assert (product_kernel(*[laplace_kernel(3, [5e-324])] * 2) > 0.0).all(), "no underflow"
    with pytest.raises(ValueError, match=r"fits into 2 GiB, got 19\.4 GiB"):
        product_kernel(*[np.broadcast_to(np.eye(101), (5, 101, 101))] * 2)
    with pytest.raises(ValueError, match="first must have shape"):
        product_kernel(np.eye(3), one)


@given(st.integers(0, 10_000), st.integers(3, 200), st.floats(0.05, 5.0))
def test_theorem_on_safe_scales_for_vectors(seed, n, epsilon):
    rng = np.random.default_rng(seed)
    budget = 1.0 / scale_bound(n, epsilon)
    share = rng.uniform(0.1, 0.9)
    kernels = [
        laplace_kernel(5, np.array([1.0, rng.uniform(1.0, 20.0)]) / (part * budget))
        for part in (share, 1.0 - share)
    ]
    counts = rng.multinomial(n, rng.dirichlet(np.full(25, 0.2)))
    game = NVOGame(counts, product_kernel(*kernels), epsilon=epsilon)
    assert game.evaluate(game.random_profile(rng=rng)).private_records == n


def test_the_smallest_scale_of_the_density():
    assert truncated_laplace_extremes(1.1e-307)[1] == pytest.approx(1 / 1.1e-307)
    assert truncated_laplace_pdf(0.5, 0.5, 1.1e-307) == pytest.approx(0.5 / 1.1e-307)
    assert truncated_laplace_pdf([0.0, 1.0], [0.0, 1.0], 0.5).tolist() == pytest.approx(
        [2 / (1 - math.exp(-2))] * 2
    )
