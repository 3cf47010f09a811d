"""Staircase noise: its density, its privacy at the worst shift, its sampler, its optimality.

The statistical tests raise a false alarm with probability 1e-6 each, and reject noise whose ε is
5 % too large or too small.
"""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import pdpbook.foundations.staircase as stair
from tests.strategies import Fixed

levels = st.floats(0.05, 12.0)
shares = st.none() | st.floats(0.0, 0.99)


def slow_pdf(x, epsilon, sensitivity, share):
    """Return the density by walking from step to step."""
    top = (1 - math.exp(-epsilon)) / (2 * sensitivity * (share + math.exp(-epsilon) * (1 - share)))
    place, height = 0.0, top
    while True:
        if abs(x) < place + share * sensitivity:
            return height
        height *= math.exp(-epsilon)
        place += sensitivity
        if abs(x) < place:
            return height


@given(levels, st.floats(0.1, 10.0), shares, st.floats(-30.0, 30.0))
def test_density_by_walking(epsilon, sensitivity, share, x):
    used = 1 / (1 + math.exp(epsilon / 2)) if share is None else share
    fraction = abs(x) / sensitivity % 1
    if min(abs(fraction - used), fraction, 1 - fraction) < 1e-9:
        return  # on an edge, both heights are correct
    value = stair.staircase_pdf(x, epsilon=epsilon, sensitivity=sensitivity, share=share)
    assert value == pytest.approx(slow_pdf(x, epsilon, sensitivity, used), rel=1e-9)


@settings(max_examples=40)
@given(levels, shares)
def test_privacy_is_exact(epsilon, share):
    x = np.linspace(-6, 6, 4801)
    base = stair.staircase_pdf(x, epsilon=epsilon, share=share)
    worst = 0.0
    for shift in np.linspace(-1 + 1e-7, 1 - 1e-7, 41):  # at 1, rounding decides the step
        moved = stair.staircase_pdf(x - shift, epsilon=epsilon, share=share)
        worst = max(worst, np.abs(np.log(moved / base)).max())
    assert worst == pytest.approx(epsilon, rel=1e-9)


@pytest.mark.parametrize("factor", [1.0, 0.95, 1.05])
@pytest.mark.parametrize("share", [None, 0.0, 0.7])
def test_sampler(factor, share):
    draws, epsilon = 400_000, 1.5
    exact, rng = np.full(draws, 3.0), np.random.default_rng(1)
    noise = stair.staircase_mechanism(exact, sensitivity=2.0, epsilon=epsilon, share=share, rng=rng)
    used = 1 / (1 + math.exp(epsilon / 2)) if share is None else share
    stretches = (noise - 3.0) / 2.0
    assert abs((noise > 3.0).mean() - 0.5) < 4.9 * 0.5 / math.sqrt(draws)
    k = np.floor(np.abs(stretches)).astype(int)
    low = np.abs(stretches) - k >= used
    seen = np.bincount(np.minimum(2 * k + low, 11), minlength=12)
    fall = math.exp(-factor * epsilon)
    cells = np.array([[used, (1 - used) * fall]]) * (fall ** np.arange(200))[:, None]
    chances = np.append(cells.ravel()[:11], cells.ravel()[11:].sum()) / cells.sum()
    kept = chances > 0
    pvalue = stats.chisquare(seen[kept], chances[kept] * draws).pvalue
    assert (pvalue > 1e-6) == (factor == 1.0), f"p = {pvalue:.2g}"


def mean_error(epsilon, share, reach=500):
    """Return the sum of mass times midpoint over the flat pieces."""
    k, fall = np.arange(reach), math.exp(-epsilon)
    top = (1 - fall) / (2 * (share + fall * (1 - share)))
    high, low = top * fall**k * share, top * fall ** (k + 1) * (1 - share)
    return 2 * (high @ (k + share / 2) + low @ (k + (1 + share) / 2))


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0, 9.0])
def test_the_default_share_is_best_and_below_laplace(epsilon):
    best = min(mean_error(epsilon, share) for share in np.linspace(0.0, 0.999, 2000))
    at_default = mean_error(epsilon, 1 / (1 + math.exp(epsilon / 2)))
    assert at_default == pytest.approx(stair.staircase_error(epsilon), rel=1e-9)
    assert at_default <= best + 1e-12 and best == pytest.approx(at_default, rel=1e-4)
    assert at_default < 1 / epsilon


def test_no_private_histogram_of_noise_is_better():
    """Solve the linear program over noise that is constant on cells and ε-DP for shifts <= Δ."""
    from scipy.optimize import linprog

    epsilon, cells, reach = 2.0, 20, 8  # cells per interval; the tail beyond is geometric
    size, growth = cells * reach, math.exp(epsilon)
    middle = (np.arange(size) + 0.5) / cells
    tail = 1 / (growth - 1)  # all intervals after the last one, together
    weight, cost = np.ones(size), middle.copy()
    weight[-cells:] += tail
    cost[-cells:] += (middle[-cells:] + 1) * tail + tail / (growth - 1)
    full = np.concatenate([np.eye(size)[::-1], np.eye(size)])  # symmetric noise
    rows = [
        full[i] - growth * full[i + shift]
        for shift in range(1, cells + 1)
        for i in range(2 * size - shift)
    ]
    rows += [
        full[i + shift] - growth * full[i]
        for shift in range(1, cells + 1)
        for i in range(2 * size - shift)
    ]
    found = linprog(cost, np.array(rows), np.zeros(len(rows)), 2 * weight[None], [1.0], (0, None))
    assert 2 * found.fun == pytest.approx(stair.staircase_error(epsilon), rel=0.01)
    assert 2 * found.fun > stair.staircase_error(epsilon) * (1 - 1e-9)


def test_the_error_of_a_large_sensitivity_and_of_a_large_epsilon():
    assert stair.staircase_error(1.0, sensitivity=3.0) == pytest.approx(1.5 / math.sinh(0.5))
    far = stair.staircase_error(1410.0, sensitivity=1e300)
    assert far == pytest.approx(1e300 * math.exp(-705.0), rel=1e-9)
    assert stair.staircase_error(1390.0) == pytest.approx(math.exp(-695.0), rel=1e-9)


def test_each_number_of_the_generator_has_its_part():
    """Three uniform numbers choose the level, the place within the step, and the side."""
    share, fall = 0.25, math.exp(-2.0)
    edge = share / (share + fall * (1 - share))
    for off, low in ((-1e-6, False), (1e-6, True)):
        for place in (0.001, 0.4, 0.999):
            for coin, sign in ((0.499, -1.0), (0.5, 1.0)):
                rng = Fixed(edge + off, place, coin)
                noise = stair.staircase_mechanism(
                    0.0, sensitivity=1.0, epsilon=2.0, share=share, rng=rng
                )
                within = share + (1 - share) * place if low else share * place
                assert math.copysign(1.0, noise) == sign
                assert abs(noise) % 1.0 == pytest.approx(within, abs=1e-12)
