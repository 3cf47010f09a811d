"""Rényi differential privacy: closed forms by quadrature, the conversion by exact δ."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.optimize import brentq

import pdpbook.foundations.divergences as divergences
import pdpbook.foundations.mechanisms as mech
import pdpbook.foundations.renyi as renyi

ORDERS = np.linspace(1.1, 200.0, 2000)
weights = st.lists(st.floats(0.01, 1.0), min_size=4, max_size=4)


def slow_divergence(p, q, order):
    """Return the divergence by its definition, without care for overflow."""
    return math.log(sum(a**order * b ** (1 - order) for a, b in zip(p, q, strict=True))) / (
        order - 1
    )


@pytest.mark.parametrize("order", [1.0 + 1e-7, 1.5, 2.0, 7.3, 40.0])
@pytest.mark.parametrize("scale", [0.4, 1.0, 6.0])
def test_laplace_curve_by_quadrature(order, scale):
    def moment(x):
        return math.exp(-(order * abs(x - 1) + (1 - order) * abs(x)) / scale) / (2 * scale)

    ends = (-60 * scale, 0.0, 1.0, 1 + 60 * scale)
    area = sum(quad(moment, a, b, epsabs=0)[0] for a, b in itertools.pairwise(ends))
    value = renyi.laplace_renyi(order, scale=scale)
    assert value == pytest.approx(math.log(area) / (order - 1), rel=1e-4 if order < 1.1 else 1e-9)


def test_laplace_curve_at_its_ends():
    assert renyi.laplace_renyi(1.0, scale=0.5) == pytest.approx(2 - 1 + math.exp(-2))
    assert renyi.laplace_renyi(1e9, scale=0.5) == pytest.approx(2.0)
    assert renyi.laplace_renyi(3.0, scale=1e-3) == pytest.approx(1000 + math.log(0.6) / 2)
    assert renyi.laplace_renyi([1.0, 3.0], scale=1e16) == pytest.approx([5e-33, 1.5e-32], rel=1e-9)
    near = renyi.laplace_renyi([1.0, 1.0 + 1e-9, 1.0 + 1e-6], scale=0.5)
    assert np.ptp(near) < 1e-5


@pytest.mark.parametrize("order", [1.5, 4.0, 20.0])
def test_gaussian_curve_by_quadrature(order):
    sigma = 1.7

    def moment(x):
        return math.exp(-(order * (x - 3) ** 2 + (1 - order) * x**2) / (2 * sigma**2)) / (
            sigma * math.sqrt(2 * math.pi)
        )

    top = 3 * order
    area = quad(moment, top - 12 * sigma, top + 12 * sigma, epsabs=0)[0]
    value = renyi.gaussian_renyi(order, sigma=sigma, sensitivity=3.0)
    assert value == pytest.approx(math.log(area) / (order - 1), rel=1e-9)


@given(weights, weights, st.floats(1.05, 40.0), st.floats(1e-9, 0.5))
def test_conversion_never_promises_too_much(first, second, order, delta):
    p, q = np.array(first) / sum(first), np.array(second) / sum(second)
    curve = slow_divergence(p, q, order)
    epsilon, _ = renyi.renyi_epsilon([order], [curve], delta=delta)
    assert divergences.hockey_stick_divergence(p, q, epsilon=epsilon) <= delta + 1e-12


@pytest.mark.parametrize("answers", [1, 10, 100, 1000])
def test_conversion_of_gaussian_answers_lies_between_exact_and_mironov(answers):
    sigma, delta = 20.0, 1e-6
    curve = answers * renyi.gaussian_renyi(ORDERS, sigma=sigma)
    epsilon, best = renyi.renyi_epsilon(ORDERS, curve, delta=delta)
    alone = sigma / math.sqrt(answers)  # k Gaussian answers equal one with sigma / sqrt k
    exact = brentq(lambda e: mech.gaussian_delta(alone, epsilon=e) - delta, 0.0, 50.0)
    mironov = (curve - math.log(delta) / (ORDERS - 1)).min()
    assert exact < epsilon < mironov
    assert epsilon < 1.1 * exact
    assert best in ORDERS


def test_the_conversion_is_tight_for_its_worst_case():
    """The δ of a single loss u is attained, at the u for which 1 - e^-u meets its bound."""
    order, gap = 5.0, math.log(5.0 / 4.0)  # u = ln(α/(α-1)) maximises (1 - e^-u) e^-(α-1)u
    best = max((1 - math.exp(-u)) * math.exp(-(order - 1) * u) for u in np.linspace(0.01, 2, 2000))
    assert (1 - math.exp(-gap)) * math.exp(-(order - 1) * gap) == pytest.approx(best, rel=1e-6)
    epsilon, _ = renyi.renyi_epsilon([order], [1.0], delta=1e-3)
    assert best * math.exp((order - 1) * (1.0 - epsilon)) == pytest.approx(1e-3, rel=1e-6)


def test_no_conversion_promises_less_than_nothing():
    """The formula alone gives −1.27 here."""
    assert renyi.renyi_epsilon([2.0], [0.01], delta=0.9) == (0.0, 2.0)


def test_the_laplace_curve_begins_at_the_mean_loss():
    """For orders within 1e-9 of 1, the formula would divide a rounding error by 1e-9."""
    for scale in (0.1, 0.7, 5.0):
        mean = 1 / scale + math.expm1(-1 / scale)
        begin = renyi.laplace_renyi([1.0, 1.0 + 0.9e-9, 1.0 + 1e-4, 1.0 + 9e-4], scale=scale)
        assert begin[:2] == pytest.approx(mean, rel=1e-14)
        assert begin[2:] == pytest.approx(mean, rel=1e-2)
        assert (np.diff(begin[1:]) > 1e-7).all()
