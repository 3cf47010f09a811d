"""The best attack: its bounds enclose the truth, on every multinomial and against simulation."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, norm

from pdpbook import draws_epsilon, optimal_attack
from pdpbook.audit import record_profile
from pdpbook.foundations.tradeoff import tradeoff_curve


def every_outcome(p, q, draws):
    """Law of the ordered draws under both distributions, normalised."""
    tuples = list(itertools.product(range(len(p)), repeat=draws))
    laws = [np.array([math.prod(law[x] for x in each) for each in tuples]) for law in (p, q)]
    return [law / law.sum() for law in laws]


def best_power(p, q, draws, rate):
    """Power of the best test, from all outcomes in the order of their likelihood ratio."""
    present, absent = every_outcome(p, q, draws)
    alpha, beta = tradeoff_curve(present, absent)
    keep = np.append(np.diff(alpha) > 0, True)  # the power at a rate is the last of equal ones
    return float(np.interp(rate, alpha[keep], 1 - beta[keep]))


@st.composite
def pairs(draw):
    """Two distributions, near or far, now and then with outputs that only one reaches."""
    bins = draw(st.integers(2, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    p, q = rng.dirichlet(np.full(bins, draw(st.sampled_from([0.4, 2.0, 50.0]))), size=2)
    weight = draw(st.sampled_from([0.0, 0.9, 0.999]))
    p = weight * q + (1 - weight) * p
    if draw(st.booleans()):
        p[rng.integers(bins)] = 0.0
    if draw(st.booleans()):
        q[rng.integers(bins)] = 0.0
    if not (p.sum() > 0 and q.sum() > 0):
        p, q = np.ones(bins), np.ones(bins)
    return p / p.sum(), q / q.sum()


@given(pairs(), st.integers(1, 5), st.sampled_from([0.0, 1e-3, 0.05, 0.5, 1.0]))
def test_the_bounds_enclose_the_best_test(pair, draws, rate):
    p, q = pair
    attack = optimal_attack(p, q, draws=draws)
    present, absent = every_outcome(p, q, draws)
    distance = np.abs(present - absent).sum() / 2
    assert attack.advantage <= distance + 1e-10
    assert attack.advantage_bound >= distance - 1e-10
    assert attack.advantage_bound - attack.advantage <= 1e-2
    coarse = optimal_attack(p, q, draws=draws, step=0.7)
    assert coarse.advantage <= distance + 1e-10 and coarse.advantage_bound >= distance - 1e-10
    power = attack.true_positive_rate(rate)
    assert power <= best_power(p, q, draws, min(rate + 1e-12, 1.0)) + 1e-9  # 1e-12: rounding
    assert power >= best_power(p, q, draws, rate) - 0.02


@given(pairs(), st.integers(1, 4))
def test_the_curve_is_one(pair, draws):
    attack = optimal_attack(*pair, draws=draws)
    alpha, power = attack.false_positives, attack.true_positives
    assert (alpha[0], power[0], alpha[-1], power[-1]) == (0.0, 0.0, 1.0, 1.0)
    assert (np.diff(alpha) >= 0).all() and (np.diff(power) >= 0).all()
    assert (power >= alpha - 1e-12).all()


@pytest.mark.parametrize(("n", "epsilon"), [(1317, 1.0), (1317, 0.1), (200, 2.0), (50, 0.01)])
def test_many_draws_of_the_dominating_pair_against_the_binomial(n, epsilon):
    """The record that pays in full: the number of heads says all, so the truth is two sums."""
    a = 1 / (1 + n * math.expm1(epsilon))
    p, q = np.array([a * math.exp(epsilon), 1 - a * math.exp(epsilon)]), np.array([a, 1 - a])
    attack = optimal_attack(p, q, draws=n)
    heads = np.arange(n + 1)
    present, absent = binom.pmf(heads, n, p[0]), binom.pmf(heads, n, a)
    distance = np.abs(present - absent).sum() / 2
    assert attack.advantage == pytest.approx(distance, rel=1e-9)
    assert attack.advantage <= distance * (1 + 1e-12) <= attack.advantage_bound * (1 + 2e-12)
    assert attack.advantage_bound <= distance * 1.02
    for rate in (1e-3, 0.1):
        exact = np.interp(rate, binom.sf(heads[::-1] - 1, n, a), binom.sf(heads[::-1] - 1, n, p[0]))
        assert attack.true_positive_rate(rate) == pytest.approx(exact, rel=1e-6)
    delta = attack.advantage_bound  # at this δ nothing is left to pay
    assert draws_epsilon(n, epsilon, draws=n, delta=min(delta * (1 + 1e-6), 0.999)) == 0.0


def test_a_rare_and_huge_score_does_not_hide_the_others():
    """A step that follows the largest score loses what the ordinary outputs tell."""
    q = np.array([0.3, 0.7 - 1e-25, 1e-25])
    p = np.array([0.31, 0.69 - 1e-4, 1e-4])
    p, q = p / p.sum(), q / q.sum()
    attack = optimal_attack(p, q, draws=500)
    assert attack.advantage_bound - attack.advantage < 1e-4
    coarse = optimal_attack(p, q, draws=500, step=0.5)
    assert coarse.advantage < 0.9 * attack.advantage < 0.9 * coarse.advantage_bound
    fixed_noise = optimal_attack([0.31, 0.69], [0.3, 0.7], draws=500).advantage
    assert attack.advantage > fixed_noise + 0.02


def test_against_a_simulated_attacker():
    rng = np.random.default_rng(4)
    p, q = rng.dirichlet(np.full(12, 3.0), size=2)
    p = 0.9 * q + 0.1 * p
    draws, repeats = 150, 20_000
    attack = optimal_attack(p, q, draws=draws)
    here, gone = (rng.multinomial(draws, law, size=repeats) @ attack.scores for law in (p, q))
    for rate in (0.01, 0.1, 0.5):
        threshold = np.quantile(gone, 1 - rate)
        found = (here > threshold).mean()
        expected = attack.true_positive_rate(float((gone > threshold).mean()))
        assert found == pytest.approx(expected, abs=0.02)
    assert attack.advantage > 0.1


@given(pairs(), st.integers(1, 100))
def test_the_same_as_the_account_of_the_record(pair, draws):
    """The advantage is the δ of the profile at ε = 0, both upper bounds."""
    p, q = pair
    found = optimal_attack(p, q, draws=draws)
    if not (p * q).any():
        assert found.advantage == 1.0
        return
    delta = record_profile(p, q, draws=draws).delta(0.0)
    assert found.advantage <= delta + 1e-9
    assert found.advantage_bound == pytest.approx(delta, abs=0.01)


def test_a_million_draws():
    """Small losses, then laws that lie far apart; the arrays stay short."""
    q = np.full(9, 1 / 9)
    p = q + 1e-4 * np.arange(-4, 5)
    attack = optimal_attack(p, q, draws=10**6, step=1e-3)
    chi = float(((p - q) ** 2 / q).sum())
    assert attack.advantage == pytest.approx(2 * norm.cdf(math.sqrt(1e6 * chi) / 2) - 1, rel=0.02)
    assert attack.false_positives.size < 10**5
    far = optimal_attack([0.5, 0.5], [0.3, 0.7], draws=10**6, step=0.1)
    assert far.advantage == pytest.approx(1.0) and far.false_positives.size < 10**6


def test_certainty_and_nothing():
    certain = optimal_attack([1.0, 0.0], [0.0, 1.0], draws=3)
    assert certain.scores.tolist() == [math.inf, -math.inf]
    assert certain.advantage == certain.advantage_bound == certain.true_positive_rate(0.0) == 1.0
    seen = optimal_attack([0.25, 0.75], [0.0, 1.0], draws=3)
    assert seen.advantage == pytest.approx(1 - 0.75**3)
    assert seen.true_positive_rate(0.0) == pytest.approx(1 - 0.75**3)
    absence = optimal_attack([0.0, 1.0], [0.25, 0.75], draws=3)
    assert absence.advantage == pytest.approx(1 - 0.75**3)
    rare = optimal_attack([0.5, 0.4999, 0.0001], [0.0, 0.4999, 0.5001], draws=2)
    assert rare.advantage == pytest.approx(0.75)
    nothing = optimal_attack([0.5, 0.5, 0.0], [0.5, 0.5, 0.0], draws=100)
    assert nothing.advantage == pytest.approx(0.0, abs=1e-12)
    assert nothing.true_positive_rate(0.3) == pytest.approx(0.3)
    assert nothing.scores.tolist() == [0.0, 0.0, 0.0]


def split_bound(p, q, draws, step):
    """Each output becomes two, with scores on the grid and the same p and q in sum."""
    parts = []
    for a, b in zip(p, q, strict=True):
        below = math.floor(math.log(a / b) / step)
        low, high = math.exp(-below * step), math.exp(-(below + 1) * step)
        upper = (a * low - b) / (low - high)  # of p; the rest has the lower score
        parts += [(below, a - upper, (a - upper) * low), (below + 1, upper, upper * high)]
    sums = {}
    for each in itertools.product(parts, repeat=draws):
        point = sum(part[0] for part in each)
        apart = math.prod(part[1] for part in each) - math.prod(part[2] for part in each)
        sums[point] = sums.get(point, 0.0) + apart
    return sum(max(each, 0.0) for each in sums.values())


@pytest.mark.parametrize("draws", [1, 3])
def test_the_upper_bound_is_that_of_outputs_split_in_two(draws):
    p, q = [0.5, 0.3, 0.2], [0.2, 0.35, 0.45]
    assert optimal_attack(p, q).draws == 1
    for step in (0.7, 0.11):
        bound = optimal_attack(p, q, draws=draws, step=step).advantage_bound
        assert bound == pytest.approx(split_bound(p, q, draws, step), rel=1e-10)
