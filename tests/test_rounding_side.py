"""What is said of privacy in doubles errs on the side of privacy, compared with 60 digits."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from mpmath import mp

import pdpbook as pb
from pdpbook.audit.private_randomisers import noise_margin
from pdpbook.foundations import (
    advanced_composition,
    gaussian_delta,
    group_privacy,
    optimal_composition,
    posterior_interval,
)


@pytest.fixture(autouse=True)
def digits() -> Iterator[None]:
    """Sixty digits for every exact value."""
    with mp.workdps(60):
        yield


def cases(*ranges: tuple[float, float], size: int = 60) -> list[list[float]]:
    """Arguments, evenly spread in the logarithm."""
    rng = np.random.default_rng(len(ranges))
    return [[float(10.0 ** rng.uniform(*ends)) for ends in ranges] for _ in range(size)]


def hardly_above(stated: float, exact: Any, least: float = 1e-12) -> None:
    """The stated number is not below the exact one, and not much above it."""
    assert stated >= exact, (stated, exact)
    assert stated <= exact * (1 + mp.mpf(least)), (stated, exact)


@pytest.mark.parametrize(("epsilon", "count", "slack"), cases((-9, 1), (0, 5), (-14, -0.1)))
def test_compositions(epsilon: float, count: float, slack: float) -> None:
    k, e = int(count), mp.mpf(epsilon)
    basic = pb.basic_composition([epsilon] * min(k, 50), deltas=slack / 100.0)
    assert Fraction(basic.epsilon) >= min(k, 50) * Fraction(epsilon)
    assert Fraction(basic.delta) >= min(k, 50) * Fraction(slack / 100.0)
    spread = e * mp.sqrt(-2 * k * mp.log(mp.mpf(slack)))
    bought = advanced_composition(epsilon, draws=k, slack=slack)
    hardly_above(bought.epsilon, min(k * e, k * e * mp.tanh(e / 2) + spread))
    together = group_privacy(epsilon, records=k, delta=slack)
    assert Fraction(together.epsilon) >= k * Fraction(epsilon)
    hardly_above(together.delta, min(mp.mpf(slack) * mp.expm1(k * e) / mp.expm1(e), 1), 1e-9)


@pytest.mark.parametrize(("epsilon", "delta"), cases((-4, 0.5), (-12, -1), size=12))
@pytest.mark.parametrize("count", [1, 7, 60])
def test_optimal_composition(epsilon: float, delta: float, count: int) -> None:
    stated, e = mp.mpf(optimal_composition(epsilon, draws=count, delta=delta)), mp.mpf(epsilon)
    spent = mp.mpf(0)
    for j in range(count + 1):
        loss = (count - 2 * j) * e
        chance = mp.binomial(count, j) * mp.exp(-j * e) / (1 + mp.exp(-e)) ** count
        spent += chance * max(-mp.expm1(stated - loss), 0)
    assert spent <= mp.mpf(delta)


@pytest.mark.parametrize(("epsilon", "delta"), cases((-6, -0.01), (-14, -0.31)))
def test_an_interval_of_beliefs(epsilon: float, delta: float) -> None:
    low, high = posterior_interval(delta, epsilon=epsilon)
    odds, factor = mp.mpf(delta) / (1 - mp.mpf(delta)), mp.exp(mp.mpf(epsilon))
    hardly_above(high, odds * factor / (1 + odds * factor))
    assert low <= odds / factor / (1 + odds / factor)
    low, _ = posterior_interval(1.0 - delta, epsilon=30.0 * epsilon)
    odds, factor = mp.mpf(1.0 - delta) / (1 - mp.mpf(1.0 - delta)), mp.exp(mp.mpf(30.0 * epsilon))
    assert low <= odds / factor / (1 + odds / factor)


@pytest.mark.parametrize(("step", "away"), cases((-6, 1.3), (-1, 1.55)))
def test_gaussian_noise(step: float, away: float) -> None:
    """The δ of a Gaussian step, and the noise that is enough for it."""
    epsilon = step * (step / 2.0 + away)
    u, e = mp.mpf(1) / mp.mpf(1.0 / step), mp.mpf(epsilon)
    with mp.workdps(400):
        exact = mp.ncdf(u / 2 - e / u) - mp.exp(e) * mp.ncdf(-u / 2 - e / u)
    stated = gaussian_delta(1.0 / step, epsilon=epsilon)
    hardly_above(stated, exact, 1e-10)
    with mp.workdps(400):  # a step of a thousand standard deviations
        u, e = mp.mpf(1) / mp.mpf(1.0 / (1e3 * away)), mp.mpf(0.5e6 * away**2)
        exact = mp.ncdf(u / 2 - e / u) - mp.exp(e) * mp.ncdf(-u / 2 - e / u)
    hardly_above(gaussian_delta(1.0 / (1e3 * away), epsilon=0.5e6 * away**2), exact, 1e-7)


@pytest.mark.parametrize(("epsilon", "bins", "delta"), cases((-12, 1.5), (0, 6), (-200, -0.01)))
def test_a_margin_of_noise_at_the_rate_that_is_drawn(
    epsilon: float, bins: float, delta: float
) -> None:
    """The rate of the noise is rounded down, which counts for a small ε."""
    k, rate = int(bins), mp.mpf(math.floor(Fraction(epsilon) * 2**62)) / 2**62
    margin = noise_margin(k, epsilon=epsilon, delta=delta)
    with mp.workdps(400):
        single = mp.exp(-rate * (margin + 1)) / (1 + mp.exp(-rate))
        assert -mp.expm1(k * mp.log1p(-single)) <= mp.mpf(delta)


@pytest.mark.parametrize(("n", "epsilon", "delta"), cases((0.4, 15.5), (-9, 1.2), (-13, -0.1)))
@pytest.mark.parametrize("draws", [1, 2, 25])
def test_many_draws(n: float, epsilon: float, delta: float, draws: int) -> None:
    records, e = int(n), mp.mpf(epsilon)
    stated = mp.mpf(pb.draws_epsilon(records, epsilon, draws=draws, delta=delta))
    rare = min(-mp.log1p(-mp.mpf(1) / records), e)
    success = -mp.expm1(-rare) / (mp.exp(e) - mp.exp(-rare))
    pairs = (success * mp.exp(e), e, -rare), (1 - success, rare, -e)
    for chance, up, down in pairs:
        spent = mp.mpf(0)
        for j in range(draws + 1):
            loss = j * up + (draws - j) * down
            weight = mp.binomial(draws, j) * chance**j * (1 - chance) ** (draws - j)
            spent += weight * max(-mp.expm1(stated - loss), 0)
        assert spent <= mp.mpf(delta)


@pytest.mark.parametrize(
    ("call", "exact"),
    [
        (lambda a, b: pb.foundations.laplace_epsilon(a, sensitivity=b), lambda a, b: b / a),
        (lambda a, b: pb.foundations.laplace_epsilon([a], sensitivity=b)[0], lambda a, b: b / a),
    ],
)
def test_products_and_quotients(
    call: Callable[[float, float], float], exact: Callable[[Fraction, Fraction], Fraction]
) -> None:
    for a, b in cases((-5, 5), (-5, 5)):
        assert Fraction(float(call(a, b))) >= exact(Fraction(a), Fraction(b))


@pytest.mark.parametrize(("n", "epsilon"), cases((0.4, 15.5), (-12, 2)))
def test_the_safe_scale_of_the_ideal_noise(n: float, epsilon: float) -> None:
    records = int(n)
    exact = 1 / mp.log1p(records * mp.expm1(mp.mpf(epsilon)))
    hardly_above(pb.scale_bound(records, epsilon), exact)
